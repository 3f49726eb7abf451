"""A lesson: its source is read into one value, which everybody asks, and from which its notebooks are written."""

from jaxcourse_author.lesson._cells import PRACTICE as PRACTICE
from jaxcourse_author.lesson._cells import Cell as Cell
from jaxcourse_author.lesson._cells import LessonError as LessonError
from jaxcourse_author.lesson._cells import Part as Part
from jaxcourse_author.lesson._cells import Passage as Passage
from jaxcourse_author.lesson._cells import Task as Task
from jaxcourse_author.lesson._cells import without_magics as without_magics
from jaxcourse_author.lesson._files import names_said as names_said
from jaxcourse_author.lesson._lesson import LessonSource as LessonSource
from jaxcourse_author.lesson._lesson import Section as Section
from jaxcourse_author.lesson._minutes import SITTING as SITTING
from jaxcourse_author.lesson._minutes import Minutes as Minutes
from jaxcourse_author.lesson._moved import MOVED as MOVED
from jaxcourse_author.lesson._moved import declared_moves as declared_moves
from jaxcourse_author.lesson._moved import exercises_here as exercises_here
from jaxcourse_author.lesson._moved import old_exercises as old_exercises
from jaxcourse_author.lesson._moved import old_names as old_names
from jaxcourse_author.lesson._moved import owner as owner
from jaxcourse_author.lesson._myst import Heading as Heading
from jaxcourse_author.lesson._myst import Node as Node
from jaxcourse_author.lesson._myst import Page as Page
from jaxcourse_author.lesson._myst import page_of as page_of
from jaxcourse_author.lesson._pages import boxes_by_key as boxes_by_key
from jaxcourse_author.lesson._pages import boxes_by_section as boxes_by_section
from jaxcourse_author.lesson._pages import digests as digests
from jaxcourse_author.lesson._pages import labels as labels
from jaxcourse_author.lesson._pages import left_out as left_out
from jaxcourse_author.lesson._pages import page_at as page_at
from jaxcourse_author.lesson._read import read_lesson as read_lesson
from jaxcourse_author.lesson._repeats import CLOSING as CLOSING
from jaxcourse_author.lesson._repeats import OPENING as OPENING
from jaxcourse_author.lesson._repeats import REPEATS as REPEATS
from jaxcourse_author.lesson._repeats import home as home
from jaxcourse_author.lesson._repeats import repeats as repeats
from jaxcourse_author.lesson._unwritten import PLACEHOLDER as PLACEHOLDER
from jaxcourse_author.lesson._unwritten import Unwritten as Unwritten
from jaxcourse_author.lesson._unwritten import unwritten as unwritten
from jaxcourse_author.lesson._withheld import examples_of as examples_of
from jaxcourse_author.lesson._withheld import withheld_at as withheld_at
from jaxcourse_author.lesson._withheld import withholding_lessons as withholding_lessons
from jaxcourse_author.lesson._withheld import without_solutions as without_solutions

__all__ = [
    "CLOSING",
    "OPENING",
    "REPEATS",
    "home",
    "repeats",
    "MOVED",
    "PLACEHOLDER",
    "PRACTICE",
    "SITTING",
    "Cell",
    "Heading",
    "LessonError",
    "LessonSource",
    "Minutes",
    "Node",
    "Page",
    "Part",
    "Passage",
    "Section",
    "Task",
    "Unwritten",
    "boxes_by_section",
    "digests",
    "examples_of",
    "boxes_by_key",
    "labels",
    "left_out",
    "declared_moves",
    "names_said",
    "old_exercises",
    "old_names",
    "owner",
    "exercises_here",
    "page_at",
    "page_of",
    "read_lesson",
    "unwritten",
    "withheld_at",
    "withholding_lessons",
    "without_magics",
    "without_solutions",
]
