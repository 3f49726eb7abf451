"""Puzzles: which answers break the rules, and that the smallest counterexample is the one shown."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse import puzzle
from jaxcourse.exercise import Diagnosis, Exercise, judge
from jaxcourse.markup import as_text
from jaxcourse.probe import Answer, Refused, local_channel, require_self_contained


def answer(function: Any) -> Answer:
    return Answer("double", local_channel(function))


def doubled(a: list[int]) -> list[int]:
    return [2 * value for value in a]


def vectors(*lengths: int) -> list[puzzle.Case]:
    return [(np.arange(length) + 1,) for length in lengths]


CASES = vectors(1, 2, 3, 4)


def label_of(require: Callable[..., None], *args: Any) -> str:
    try:
        require(*args)
    except (Diagnosis, Refused) as found:
        return found.label
    return "passed"


def around(value: Any) -> Any:
    return lambda a: (value if len(a) else a) * 1


def with_names(expression: str, **names: Any) -> Any:
    return eval(f"lambda a: {expression}", {"jnp": jnp, **names})


RULES = {
    "operators and brackets": (lambda a: (a[:, None] == a).sum(0) @ a, "passed"),
    "every primitive": (lambda a: jnp.where(a > len(a), a.shape[0], jnp.arange(a.size)).sum(), "passed"),
    "another name for None": (lambda a: a[:, jnp.newaxis], "passed"),
    "compiled": (jax.jit(lambda a: 2 * a), "passed"),
    "the function itself": (lambda a: jnp.cumsum(a), "not-a-primitive"),
    "a method": (lambda a: a.cumsum(), "not-a-primitive"),
    "the other library": (lambda a: np.arange(len(a)), "not-a-primitive"),
    "a function inside": (lambda a: (lambda b: b.prod())(a), "not-a-primitive"),
    "a name for a ready-made function": (jnp.outer, "not-a-primitive"),
    "mapped over rows": (jax.vmap(lambda a: a * 2), "not-a-primitive"),
    "mapped, and compiled": (jax.jit(jax.vmap(lambda a: a * 2)), "not-a-primitive"),
    "a default": (lambda a, total=jnp.cumsum: total(a), "not-a-primitive"),
    "a closure": (around(jnp.cumsum), "not-a-primitive"),
    "a number in a closure": (around(3), "passed"),
    "a false name": (with_names("sum(a) * a.size", sum=jnp.cumsum, size=3), "not-a-primitive"),
    "a true name": (lambda a: sum(a[:, None] == a, 0 * a), "passed"),
    "a class": (dict, "not-written-out"),
    "a function written in C": (max, "not-written-out"),
}


@pytest.mark.parametrize("name", RULES)
def test_rules(name: str) -> None:
    function, want = RULES[name]
    assert label_of(puzzle.require_primitives, answer(function)) == want


def test_rules_can_be_narrowed_and_are_listed_in_the_message() -> None:
    with pytest.raises(Refused, match="^`sum`, `where` are against the rules.* and `arange`, `len`.$"):
        puzzle.require_primitives(answer(lambda a: jnp.where(a > 0, a, 0).sum()), ["len", "arange"])


def test_nothing_is_shown_as_called_when_only_the_code_was_read() -> None:
    read = answer(lambda a: 2 * a)
    puzzle.require_primitives(read)
    assert (read.called, read.returned) == ("", "")


def test_cases_grow_in_elements_and_then_in_their_numbers() -> None:
    rng = np.random.default_rng(0)
    cases = puzzle.growing(lambda n: (rng.integers(-9, 10, rng.integers(1, n + 1)), n), largest=6, tries=4)
    extents = [(case[0].size + 1, int(np.abs(case[0]).sum()) + case[1]) for case in cases]
    assert extents == sorted(extents) and len({size for size, _ in extents}) > 3
    assert [case[1] for case in cases].count(puzzle.MANY) == 1 and len(cases) == 25


SPECIFICATIONS = {
    "right": (lambda a: 2 * a, "passed"),
    "right as a float": (lambda a: (2 * a).astype(jnp.float32), "passed"),
    "wrong numbers": (lambda a: a**2, "counterexample"),
    "wrong shape": (lambda a: 2 * a[:, None], "counterexample"),
    "a single number": (lambda a: 2, "counterexample"),
    "NaN": (lambda a: jnp.where(a > 0, jnp.nan, 0.0), "counterexample"),
    "nothing": (lambda a: None, "returned-nothing"),
    "a text": (lambda a: "2", "wrong-type"),
}


@pytest.mark.parametrize("name", SPECIFICATIONS)
def test_expect_spec(name: str) -> None:
    function, want = SPECIFICATIONS[name]
    assert label_of(puzzle.expect_spec, answer(function), doubled, vectors(1, 2, 3)) == want


def test_the_smallest_failing_case_is_shown_in_full() -> None:
    with pytest.raises(Diagnosis) as found:
        puzzle.expect_spec(answer(lambda a: 2 * a[:2]), doubled, vectors(1, 4, 2, 3))
    assert as_text(str(found.value)).splitlines() == [
        "A small counterexample:",
        "  a       [1, 2, 3]",
        "  wanted  [2, 4, 6]",
        "          ^^^^^^^^^",
        "  got     [2, 4]",
        "          ^^^^^^",
        "The shape should be (3,), not (2,).",
        "  a = np.array([1, 2, 3])",
        "  double(a)",
    ]


def test_a_shape_that_is_right_is_not_mentioned() -> None:
    with pytest.raises(Diagnosis) as found:
        puzzle.expect_spec(answer(lambda a: a), doubled, vectors(2))
    assert "shape" not in str(found.value)


def test_a_long_counterexample_is_cut() -> None:
    with pytest.raises(Diagnosis) as found:
        puzzle.expect_spec(answer(lambda a: a), doubled, vectors(500))
    assert len(str(found.value)) < 500


def test_answers_get_jax_arrays_and_plain_numbers() -> None:
    kinds = answer(lambda a, k: [isinstance(a, jax.Array), isinstance(k, int)])
    puzzle.expect_spec(kinds, lambda a, k: [True, True], [(np.arange(2), 3)])


BACKWARDS = {"backwards": lambda a: 2 * a[::-1]}
IN_PART = {"added-in-part": lambda a: a[:1] * 0 + a[:2] + a}
SLIPS = {
    "the slip": (lambda a: 2 * a[::-1], "backwards"),
    "the slip on all but one": (lambda a: 2 * a[::-1] if len(a) != 3 else 2 * a[:1], "counterexample"),
    "the slip, and both raise on other inputs": (lambda a: a[:2] + a, "added-in-part"),
    "a raise that is not the slip's": (lambda a: a + a[:3, None][:, 0], "TypeError"),
    "and": (lambda a: a > 0 and a, "truth-value"),
    "a chain without brackets": (lambda a: a > 0 & a < 5, "truth-value"),
    "right": (lambda a: a + a, "passed"),
}


@pytest.mark.parametrize("name", SLIPS)
def test_slips(name: str) -> None:
    function, want = SLIPS[name]
    check = Exercise("double", lambda given, _: puzzle.expect_spec(given, doubled, CASES, BACKWARDS | IN_PART))
    verdict = judge(check, local_channel(function))
    assert (verdict.label or verdict.status) == want


def test_one_case_that_tells_is_a_coincidence() -> None:
    cases = [(np.array([3]),), (np.array([4, 4]),), (np.array([1, 2]),)]
    assert label_of(puzzle.expect_spec, answer(lambda a: 2 * a[::-1]), doubled, cases, BACKWARDS) == "counterexample"


def test_an_untouched_stub_is_not_attempted() -> None:
    def stub(a: Any) -> Any:
        raise NotImplementedError("your turn")

    def check(given: Answer, rng: np.random.Generator) -> None:
        puzzle.require_primitives(given)
        puzzle.expect_spec(given, doubled, vectors(1))

    assert judge(Exercise("double", check), local_channel(stub)).status == "not_attempted"


LOOPS = {
    "a loop of primitives": (lambda a: jnp.where(a > 0, [a[i] for i in jnp.arange(len(a))][0], a), "loops"),
    "a loop of other functions": (lambda a: jnp.array([v for v in range(3)]), "loops"),
    "a loop inside": (lambda a: (lambda b: [v for v in b])(a), "loops"),
    "Python's own sum": (lambda a: sum(a[:, None] * a), "passed"),
    "the sum of JAX by that name": (with_names("sum(a[:, None] * a)", sum=jnp.sum), "passed"),
    "neither": (lambda a: (a[:, None] * a).sum(0), "passed"),
    "compiled": (jax.jit(lambda a: (a[:, None] * a).sum(0)), "passed"),
    "another function": (lambda a: jnp.cumsum(a), "not-a-primitive"),
}


@pytest.mark.parametrize("name", LOOPS)
def test_rules_tell_loops_from_names(name: str) -> None:
    function, want = LOOPS[name]
    assert label_of(puzzle.Rules().enforce, answer(function)) == want


def test_the_question_can_be_sent_to_another_process() -> None:
    require_self_contained(puzzle.borrowed)
