"""From Strides to Shards: what the course's notebooks import.

`check`, `hint` and `solution` are a student's three verbs, `ask` takes a prediction, `bring` lays the files that a
lesson reads beside its notebook, `progress` says what is solved in all lessons, and `stack` what is installed. `bench`
times honestly; `draw`, `explore` and `play` make pictures. `jaxcourse.__version__` is the edition.
"""

from jaxcourse._edition import __getattr__ as __getattr__
from jaxcourse.notebook import CheckFailed as CheckFailed
from jaxcourse.notebook import ask as ask
from jaxcourse.notebook import bring as bring
from jaxcourse.notebook import check as check
from jaxcourse.notebook import hint as hint
from jaxcourse.notebook import progress as progress
from jaxcourse.notebook import solution as solution
from jaxcourse.notebook import stack as stack

__all__ = ["CheckFailed", "ask", "bring", "check", "hint", "progress", "solution", "stack"]
