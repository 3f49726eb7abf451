"""From Strides to Shards: what the course's notebooks import.

`check`, `hint` and `solution` are a student's three verbs; `bench` times honestly, `draw` and `explore` make pictures.
"""

from jaxcourse._verbs import CheckFailed as CheckFailed
from jaxcourse._verbs import check as check
from jaxcourse._verbs import hint as hint
from jaxcourse._verbs import solution as solution

__all__ = ["CheckFailed", "check", "hint", "solution"]
