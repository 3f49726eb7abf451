"""What a class misunderstood: counted from the marks of one run, or of several, over lessons and terms.

`rows` makes a row of each mark, and everything is counted from rows: how hard exercises are and how well they tell
students apart (`items`), who made which mistake (`mistakes`, `by_idea`), who is stuck (`stuck_students`), how lessons
went (`trend`), and what to ask the room about a mistake (`slides`). Nothing is read or written here.
"""

from jaxcourse_grade.analysis._exercises import NOTHING_KNOWN as NOTHING_KNOWN
from jaxcourse_grade.analysis._exercises import KnownExercise as KnownExercise
from jaxcourse_grade.analysis._exercises import known_exercises as known_exercises
from jaxcourse_grade.analysis._items import FEW as FEW
from jaxcourse_grade.analysis._items import Item as Item
from jaxcourse_grade.analysis._items import items as items
from jaxcourse_grade.analysis._mistakes import NOT_MISTAKES as NOT_MISTAKES
from jaxcourse_grade.analysis._mistakes import IdeaCount as IdeaCount
from jaxcourse_grade.analysis._mistakes import MistakeCount as MistakeCount
from jaxcourse_grade.analysis._mistakes import by_idea as by_idea
from jaxcourse_grade.analysis._mistakes import mistakes as mistakes
from jaxcourse_grade.analysis._mistakes import usual_message as usual_message
from jaxcourse_grade.analysis._questions import Question as Question
from jaxcourse_grade.analysis._questions import Slide as Slide
from jaxcourse_grade.analysis._questions import prediction_of as prediction_of
from jaxcourse_grade.analysis._questions import slides as slides
from jaxcourse_grade.analysis._rows import COLUMNS as COLUMNS
from jaxcourse_grade.analysis._rows import SCHEMA as SCHEMA
from jaxcourse_grade.analysis._rows import Row as Row
from jaxcourse_grade.analysis._rows import cells as cells
from jaxcourse_grade.analysis._rows import rows as rows
from jaxcourse_grade.analysis._rows import with_last as with_last
from jaxcourse_grade.analysis._students import ENOUGH as ENOUGH
from jaxcourse_grade.analysis._students import LessonCount as LessonCount
from jaxcourse_grade.analysis._students import StuckStudent as StuckStudent
from jaxcourse_grade.analysis._students import stuck_students as stuck_students
from jaxcourse_grade.analysis._students import trend as trend

__all__ = [
    "COLUMNS",
    "ENOUGH",
    "FEW",
    "NOTHING_KNOWN",
    "NOT_MISTAKES",
    "SCHEMA",
    "IdeaCount",
    "Item",
    "KnownExercise",
    "LessonCount",
    "MistakeCount",
    "Question",
    "Row",
    "Slide",
    "StuckStudent",
    "by_idea",
    "cells",
    "items",
    "known_exercises",
    "mistakes",
    "prediction_of",
    "rows",
    "slides",
    "stuck_students",
    "trend",
    "usual_message",
    "with_last",
]
