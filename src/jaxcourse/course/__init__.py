"""A course as one value: its lessons, their texts and solutions, their checks, and the ideas that these train."""

from jaxcourse.course._course import UNSET as UNSET
from jaxcourse.course._course import Course as Course
from jaxcourse.course._course import UnknownExercise as UnknownExercise
from jaxcourse.course._declared import read_yaml as read_yaml
from jaxcourse.course._files import DATA as DATA
from jaxcourse.course._files import data_file as data_file
from jaxcourse.course._files import digest_of as digest_of
from jaxcourse.course._ideas import IDEAS as IDEAS
from jaxcourse.course._ideas import Idea as Idea
from jaxcourse.course._ideas import ideas as ideas
from jaxcourse.course._ideas import ideas_of as ideas_of
from jaxcourse.course._lessons import ANSWERS as ANSWERS
from jaxcourse.course._lessons import CHECKS as CHECKS
from jaxcourse.course._lessons import TEXTS as TEXTS
from jaxcourse.course._lessons import WITHHELD as WITHHELD
from jaxcourse.course._lessons import Lesson as Lesson
from jaxcourse.course._lessons import LessonText as LessonText
from jaxcourse.course._lessons import anchor_of as anchor_of
from jaxcourse.course._lessons import check_files as check_files
from jaxcourse.course._lessons import collect as collect
from jaxcourse.course._lessons import defines as defines
from jaxcourse.course._lessons import earlier_names as earlier_names
from jaxcourse.course._lessons import in_two as in_two
from jaxcourse.course._lessons import nearest as nearest
from jaxcourse.course._lessons import number_of as number_of
from jaxcourse.course._lessons import today as today
from jaxcourse.course._lessons import with_answers as with_answers
from jaxcourse.course._withheld import RUNS as RUNS
from jaxcourse.course._withheld import Withheld as Withheld

__all__ = [
    "ANSWERS",
    "CHECKS",
    "DATA",
    "IDEAS",
    "TEXTS",
    "RUNS",
    "UNSET",
    "WITHHELD",
    "Course",
    "Idea",
    "Lesson",
    "LessonText",
    "UnknownExercise",
    "Withheld",
    "anchor_of",
    "check_files",
    "collect",
    "data_file",
    "defines",
    "digest_of",
    "earlier_names",
    "ideas",
    "ideas_of",
    "in_two",
    "nearest",
    "number_of",
    "read_yaml",
    "today",
    "with_answers",
]
