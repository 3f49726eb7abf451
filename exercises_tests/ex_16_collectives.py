"""Checks of lesson 16, Collectives: what is asked, what people get wrong, and what each mistake is told."""

from jaxcourse.exercise import exercise, expect, numbers, refuse, require, right, wrong
from jaxcourse.prediction import Mistake, prediction
