"""`jaxcourse move` and `rename`: another name for a lesson or an exercise, another lesson for a section, everywhere."""

from jaxcourse_author.moving._exercises import Renamed as Renamed
from jaxcourse_author.moving._exercises import exercise as exercise
from jaxcourse_author.moving._exercises import refuse_earlier as refuse_earlier
from jaxcourse_author.moving._exercises import refuse_form as refuse_form
from jaxcourse_author.moving._lessons import Move as Move
from jaxcourse_author.moving._lessons import lesson as lesson
from jaxcourse_author.moving._lessons import planned as planned
from jaxcourse_author.moving._lessons import told as told
from jaxcourse_author.moving._sections import Placed as Placed
from jaxcourse_author.moving._sections import section as section

__all__ = [
    "Move",
    "Placed",
    "Renamed",
    "exercise",
    "lesson",
    "planned",
    "refuse_earlier",
    "refuse_form",
    "section",
    "told",
]
