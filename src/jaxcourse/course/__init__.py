"""What an author needs: a course as one value, its notebooks, its contract, its skeletons."""

from jaxcourse.course._course import Course as Course
from jaxcourse.course._course import UnknownExercise as UnknownExercise
from jaxcourse.course._lessons import Lesson as Lesson
from jaxcourse.course._lessons import asked_in as asked_in
from jaxcourse.course._lessons import collect as collect
from jaxcourse.course._lessons import load as load
from jaxcourse.course._lessons import nearest as nearest

__all__ = ["Course", "Lesson", "UnknownExercise", "asked_in", "collect", "load", "nearest"]
