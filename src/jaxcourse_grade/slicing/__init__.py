"""A notebook, cut into statements: `plan` compares a submission with the `template` of its lesson.

It says what is run, in which order, and where each exercise is asked. Nothing is executed here: what is chosen is run
in a student's process (`isolation`) and judged (`judging`).
"""

from jaxcourse_grade.slicing._cells import STUB_AGAIN as STUB_AGAIN
from jaxcourse_grade.slicing._cells import Plan as Plan
from jaxcourse_grade.slicing._cells import Target as Target
from jaxcourse_grade.slicing._cells import Template as Template
from jaxcourse_grade.slicing._cells import plan as plan
from jaxcourse_grade.slicing._cells import template as template
from jaxcourse_grade.slicing._statements import Piece as Piece

__all__ = ["STUB_AGAIN", "Piece", "Plan", "Target", "Template", "plan", "template"]
