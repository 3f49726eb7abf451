"""Answers to crossover-size."""

import math

from jaxcourse.exercise import right, wrong


@wrong("crossover-size", "equal-is-not-faster")
def rounds_up(fixed_a, each_a, fixed_b, each_b):
    return math.ceil((fixed_b - fixed_a) / (each_a - each_b)) if each_a > each_b else math.inf


@wrong("crossover-size", "wrong-value")
def adds_one_to_a_fraction(fixed_a, each_a, fixed_b, each_b):
    if each_a <= each_b:
        return math.inf
    return max(1, (fixed_b - fixed_a) / (each_a - each_b) + 1)


@wrong("crossover-size", "where-they-cross")
def where_the_lines_meet(fixed_a, each_a, fixed_b, each_b):
    if fixed_b + each_b < fixed_a + each_a:
        return 1
    return (fixed_b - fixed_a) / (each_a - each_b) if each_a > each_b else math.inf


@wrong("crossover-size", "equal-is-not-faster")
def takes_equal_for_faster(fixed_a, each_a, fixed_b, each_b):
    if fixed_b + each_b <= fixed_a + each_a:
        return 1
    return (fixed_b - fixed_a) // (each_a - each_b) + 1 if each_a > each_b else math.inf


@wrong("crossover-size", "one-too-many")
def rounds_up_and_adds_one(fixed_a, each_a, fixed_b, each_b):
    if fixed_b + each_b < fixed_a + each_a:
        return 1
    return math.ceil((fixed_b - fixed_a) / (each_a - each_b)) + 1 if each_a > each_b else math.inf


@wrong("crossover-size", "equal-is-not-faster")
def rounds_down(fixed_a, each_a, fixed_b, each_b):
    if fixed_b + each_b < fixed_a + each_a:
        return 1
    return max(1, (fixed_b - fixed_a) // (each_a - each_b)) if each_a > each_b else math.inf


@wrong("crossover-size", "wrong-value")
def gives_up_at_a_million(fixed_a, each_a, fixed_b, each_b):
    if fixed_b + each_b < fixed_a + each_a:
        return 1
    n = (fixed_b - fixed_a) // (each_a - each_b) + 1 if each_a > each_b else math.inf
    return n if n < 10**6 else math.inf


@wrong("crossover-size", "wrong-value")
def takes_near_for_whole(fixed_a, each_a, fixed_b, each_b):
    if fixed_b + each_b < fixed_a + each_a:
        return 1
    n = (fixed_b - fixed_a) / (each_a - each_b) if each_a > each_b else math.inf
    return math.floor(n + 1e-6) + 1 if each_a > each_b else n


@wrong("crossover-size", "never")
def divides_by_the_difference(fixed_a, each_a, fixed_b, each_b):
    difference = each_a - each_b or 1e-9
    return max(1, (fixed_b - fixed_a) // difference + 1)


@wrong("crossover-size", "never")
def looks_at_the_call_only(fixed_a, each_a, fixed_b, each_b):
    if fixed_b < fixed_a:
        return 1
    return (fixed_b - fixed_a) // (each_a - each_b) + 1 if each_a > each_b else math.inf


@wrong("crossover-size", "from-the-start")
def looks_at_the_element_only(fixed_a, each_a, fixed_b, each_b):
    return max(1, (fixed_b - fixed_a) // (each_a - each_b) + 1) if each_a > each_b else math.inf


@wrong("crossover-size", "from-the-start")
def forgets_that_arrays_have_elements(fixed_a, each_a, fixed_b, each_b):
    return (fixed_b - fixed_a) // (each_a - each_b) + 1 if each_a > each_b else math.inf


@wrong("crossover-size", "wrong-value")
def ignores_the_fixed_cost_of_a(fixed_a, each_a, fixed_b, each_b):
    return fixed_b // (each_a - each_b) + 1 if each_a > each_b else math.inf


@right("crossover-size")
def by_whole_division(fixed_a, each_a, fixed_b, each_b):
    behind, gain = fixed_b - fixed_a, each_a - each_b
    if gain > behind:
        return 1
    return float("inf") if gain <= 0 else max(1, -(-(behind + 1) // gain))
