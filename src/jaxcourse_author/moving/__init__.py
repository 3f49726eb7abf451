"""`jaxcourse move` and `rename`: another name for a lesson or an exercise, another lesson for a section, everywhere."""

from jaxcourse_author.moving._exercises import ExerciseMove as ExerciseMove
from jaxcourse_author.moving._exercises import exercise as exercise
from jaxcourse_author.moving._exercises import refuse_earlier as refuse_earlier
from jaxcourse_author.moving._exercises import refuse_form as refuse_form
from jaxcourse_author.moving._lessons import Move as Move
from jaxcourse_author.moving._lessons import lesson as lesson
from jaxcourse_author.moving._lessons import plan_move as plan_move
from jaxcourse_author.moving._lessons import report as report
from jaxcourse_author.moving._sections import SectionMove as SectionMove
from jaxcourse_author.moving._sections import section as section

__all__ = [
    "Move",
    "SectionMove",
    "ExerciseMove",
    "exercise",
    "lesson",
    "plan_move",
    "refuse_earlier",
    "refuse_form",
    "section",
    "report",
]
