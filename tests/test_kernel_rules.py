"""The rules of which steps on kernels are made: each refuses what breaks it, and lets pass what does not."""

import functools

import numpy as np
import pytest
from kernels import plus_one, product, row_totals, smooth, table, three_point, unwritten

from jaxcourse import kernels
from jaxcourse.checks import declare
from jaxcourse.exercise import judge
from jaxcourse.kernels import KeepsNoMore, Walks
from jaxcourse.probe import local_channel

VECTOR = [np.ones(10, "f4"), 4]
MATRIX = [np.ones((5, 7), "f4"), 2, 3]
FACTORS = [np.ones((8, 8), "f4"), np.ones((8, 8), "f4"), 4]


def label_of(answer, case, rules=(), floats="", words=""):
    """The label that a step gives an answer; empty if it passes."""
    step = Walks(lambda rng, shape: tuple(case), [0], rules=list(rules), floats=floats)
    verdict = judge(declare("answer", see="s", steps=[step], words=words), local_channel(answer))
    assert verdict.status in ("passed", "wrong"), verdict
    return verdict.label or "", verdict.message


elements = functools.partial(plus_one, index=lambda i: (i * 4,))
turned = functools.partial(row_totals, turned=True)


def counted(x, block):
    return -(-len(x) // block)


RULES = [
    (lambda: [], plus_one, lambda x, block: x + 1, VECTOR, "no-kernel"),
    (lambda: [], plus_one, lambda x, block: plus_one(plus_one(x, 4), 4), VECTOR, "several-kernels"),
    (lambda: [], plus_one, elements, VECTOR, "block-outside"),
    (
        lambda: kernels.steps(counted),
        plus_one,
        lambda x, n: plus_one(x, 5),
        VECTOR,
        "too-few-steps",
    ),
    (
        lambda: kernels.steps(counted),
        plus_one,
        lambda x, n: plus_one(x, 1),
        VECTOR,
        "too-many-steps",
    ),
    (lambda: [kernels.not_whole()], plus_one, functools.partial(plus_one, handed=False), VECTOR, "handed-whole"),
    (lambda: [kernels.not_whole(0)], plus_one, lambda x, n: plus_one(x, 10), VECTOR, "handed-whole"),
    (lambda: [kernels.covers()], plus_one, functools.partial(plus_one, steps=2), VECTOR, "rest-missing"),
    (lambda: [kernels.written()], plus_one, unwritten, VECTOR, "never-written"),
    (lambda: [kernels.in_order()], row_totals, turned, MATRIX, "comes-back"),
    (lambda: [kernels.moves(lambda x, n: 8 * len(x))], plus_one, three_point, VECTOR, "traffic"),
    (lambda: [kernels.no_factors()], row_totals, functools.partial(row_totals, factor=True), MATRIX, "mask-as-factor"),
    (lambda: [kernels.in_any_order()], plus_one, lambda x, n: row_totals(x[None], 1, 4), VECTOR, "shared"),
    (
        lambda: [kernels.fits(lambda x, n: 2 * 8 * n)],
        plus_one,
        lambda x, n: plus_one(x, n + 1),
        VECTOR,
        "too-much-at-once",
    ),
    (lambda: [kernels.no_copy(lambda x, n: len(x))], plus_one, lambda x, n: plus_one(x + 0, n), VECTOR, "copied"),
    (
        lambda: [kernels.nothing_as_large(lambda x, n: 8 * n)],
        plus_one,
        lambda x, n: table(x, x),
        VECTOR,
        "table",
    ),
    (
        lambda: [kernels.products_in("float32")],
        product,
        functools.partial(product, wide=False),
        FACTORS,
        "few-bits",
    ),
]


@pytest.mark.parametrize(("rules", "right", "wrong", "case", "label"), RULES, ids=[row[-1] for row in RULES])
def test_a_rule_refuses_what_breaks_it_and_nothing_else(rules, right, wrong, case, label):
    floats = "bfloat16" if label == "few-bits" else ""
    assert label_of(right, case, rules(), floats)[0] == ""
    assert label_of(wrong, case, rules(), floats)[0] == label


@pytest.mark.parametrize("floats", ["", "bfloat16"])
def test_the_call_that_is_shown_is_the_answers_own(floats):
    step = Walks(lambda rng, n: VECTOR, [1], rules=[kernels.covers()], floats=floats)
    exercise = declare("f", see="s", steps=[step], words="rest-missing: {missing}")
    verdict = judge(exercise, local_channel(functools.partial(plus_one, steps=2)))
    assert verdict.label == "rest-missing"
    assert verdict.called == f"f({floats or 'float32'}[10], 4)"


def test_facts_stand_in_the_words():
    words = "block-outside: At step {step} of {steps}, {ref} has block {index}, from {start} of {shape}."
    said = label_of(elements, VECTOR, words=words)[1]
    assert said.startswith("At step 1 of 3, x_ref has block (4,), from (16,) of (10,).")


def test_of_blocks_two_are_counted_and_of_scratch_memory_one():
    rule = kernels.fits(lambda *case: 0)
    case = np.ones((2, 10), "f4"), 4
    assert label_of(smooth, case, [rule], words="too-much-at-once: {once}, {bytes}, {most}.")[1][:9] == "36, 68, 0"


def test_a_table_without_a_kernel_is_a_table():
    rule = kernels.nothing_as_large(lambda x, n: 100)
    assert label_of(lambda x, n: (x[:, None] * x[None]).sum(1), VECTOR, [rule])[0] == "table"


def test_the_step_names_its_labels():
    step = Walks(lambda rng, n: (n,), [1], rules=[kernels.in_order(), kernels.written("unset")])
    assert step.keys() == ["no-kernel", "several-kernels", "block-outside", "comes-back", "unset"]


def test_scratch_memory_that_grows_with_the_argument_is_refused():
    step = KeepsNoMore(lambda rng, times: (np.ones((2, times), "f4"), 4), short=8, long=16)
    exercise = declare("answer", see="s", steps=[step], words="memory-grows: {short} bytes, then {long}.")
    assert judge(exercise, local_channel(smooth)).status == "passed"
    verdict = judge(exercise, local_channel(lambda x, block: smooth(x, block, kept=x.shape[1])))
    assert (verdict.label, verdict.message[:18]) == ("memory-grows", "32 bytes, then 64.")
