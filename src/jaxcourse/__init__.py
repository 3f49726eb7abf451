"""From Strides to Shards: what the course's notebooks import.

`check`, `hint` and `solution` are a student's three verbs, and `stack` says what is installed. The module `bench` times
honestly, `draw` and `explore` make pictures.
"""

from jaxcourse._stack import stack as stack
from jaxcourse._verbs import CheckFailed as CheckFailed
from jaxcourse._verbs import check as check
from jaxcourse._verbs import hint as hint
from jaxcourse._verbs import solution as solution

__all__ = ["CheckFailed", "check", "hint", "solution", "stack"]
