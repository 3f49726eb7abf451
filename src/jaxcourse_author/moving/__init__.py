"""`jaxcourse move`: another name for a lesson, another lesson for a section, everywhere at once."""

from jaxcourse_author.moving._lessons import Move as Move
from jaxcourse_author.moving._lessons import lesson as lesson
from jaxcourse_author.moving._lessons import planned as planned
from jaxcourse_author.moving._lessons import told as told
from jaxcourse_author.moving._sections import Placed as Placed
from jaxcourse_author.moving._sections import section as section

__all__ = ["Move", "Placed", "lesson", "planned", "section", "told"]
