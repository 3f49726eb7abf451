"""From Strides to Shards: what the course's notebooks import.

`check`, `hint` and `solution` are a student's three verbs, and `stack` says what is installed. The module `bench` times
honestly, `draw`, `explore` and `play` make pictures.
"""

from jaxcourse.notebook import CheckFailed as CheckFailed
from jaxcourse.notebook import check as check
from jaxcourse.notebook import hint as hint
from jaxcourse.notebook import solution as solution
from jaxcourse.notebook import stack as stack

__all__ = ["CheckFailed", "check", "hint", "solution", "stack"]
