"""`jaxcourse move` and `rename`: another name for a lesson or an exercise, another lesson for a section, everywhere."""

from jaxcourse_author.moving._exercises import ExerciseMove as Renamed
from jaxcourse_author.moving._exercises import exercise as exercise
from jaxcourse_author.moving._exercises import refuse_earlier as refuse_earlier
from jaxcourse_author.moving._exercises import refuse_form as refuse_form
from jaxcourse_author.moving._lessons import Move as Move
from jaxcourse_author.moving._lessons import lesson as lesson
from jaxcourse_author.moving._lessons import plan_move as planned
from jaxcourse_author.moving._lessons import report as told
from jaxcourse_author.moving._sections import SectionMove as Placed
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
