"""Checks of lesson 13, Fitting: what is asked, what people get wrong, and what each mistake is told."""

from jaxcourse.exercise import exercise, expect, numbers, refuse, require, right, wrong
from jaxcourse.prediction import Mistake, prediction
