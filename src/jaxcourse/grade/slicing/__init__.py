"""Which statements of a notebook an exercise needs: `plan` compares a submission with the `template` of its lesson.

Nothing is executed here. What is chosen is run in a student's process (`isolation`) and judged (`judging`).
"""

from jaxcourse.grade.slicing._cells import Plan as Plan
from jaxcourse.grade.slicing._cells import Target as Target
from jaxcourse.grade.slicing._cells import Template as Template
from jaxcourse.grade.slicing._cells import plan as plan
from jaxcourse.grade.slicing._cells import template as template
from jaxcourse.grade.slicing._statements import Piece as Piece
from jaxcourse.grade.slicing._whole import Standing as Standing
from jaxcourse.grade.slicing._whole import as_it_stands as as_it_stands

__all__ = ["Piece", "Plan", "Standing", "Target", "Template", "as_it_stands", "plan", "template"]
