"""A lesson: its source read, its minutes counted, its notebooks written."""

from jaxcourse_author.lesson._minutes import SITTING as SITTING
from jaxcourse_author.lesson._minutes import Minutes as Minutes

__all__ = ["SITTING", "Minutes"]
