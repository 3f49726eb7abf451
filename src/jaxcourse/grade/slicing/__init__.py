"""Which statements of a notebook an exercise needs: `plan` compares a submission with the `template` of its lesson.

Nothing is executed here. What is chosen is run in a student's process (`isolation`) and judged (`judging`).
"""

from jaxcourse.grade.slicing._cells import Plan as Plan
from jaxcourse.grade.slicing._cells import Target as Target
from jaxcourse.grade.slicing._cells import Template as Template
from jaxcourse.grade.slicing._cells import plan as plan
from jaxcourse.grade.slicing._cells import template as template
from jaxcourse.grade.slicing._statements import Piece as Piece

__all__ = ["Piece", "Plan", "Target", "Template", "plan", "template"]
