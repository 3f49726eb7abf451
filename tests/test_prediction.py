"""Predictions: what is read, what is right, which mistake it is, and what is listed."""

import jax
import numpy as np
import pytest

from jaxcourse.exercise import judge
from jaxcourse.prediction import Mistake, any_of, anything_else, prediction, value_of, with_right_answer
from jaxcourse.probe import local_channel
from jaxcourse_grade.isolation import _wire

SHAPES = {"a": (3, 4), "b": "error"}
FLAGS = {"x": True, "y": False}


def asked(right, mistakes=(), **more):
    declared = prediction("which-shape", hint="h", see="s", otherwise="Look again.", mistakes=mistakes, **more)
    return with_right_answer(declared, right)


def said(exercise, answer):
    verdict = judge(exercise, local_channel(answer))
    return verdict.label or verdict.status


@pytest.mark.parametrize(
    "answer",
    [
        SHAPES,
        {"b": "error", "a": (3, 4)},
        {"a": (3, 4), "b": " Error "},
        {"a": np.array([3, 4]), "b": "ERROR"},
        {"a": (np.int64(3), 4.0), "b": "error"},
    ],
)
def test_a_right_answer_may_be_written_in_many_ways(answer):
    assert said(asked(SHAPES, choices=["error"]), answer) == "passed"


@pytest.mark.parametrize("right", [{"a": (3,), "b": (5,)}, {"b": (5,), "a": (3,)}])
def test_a_dictionary_is_read_by_its_keys_and_not_by_their_order(right):
    """Also behind a channel that sends it as bytes, as the class grader's does."""
    turned = Mistake("turned", {"a": (5,), "b": (3,)}, "The other way round.")
    for answer, label in [
        ({"a": (3,), "b": (5,)}, "passed"),
        ({"b": (5,), "a": (3,)}, "passed"),
        ({"a": (5,), "b": (3,)}, "turned"),
        ({"b": (3,), "a": (5,)}, "turned"),
    ]:
        for received in (answer, _wire.unpack(_wire.pack(answer)), dict(jax.tree.map(np.array, answer))):
            assert said(asked(right, [turned]), received) == label


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ({"a": (3, 4)}, "keys-changed"),
        ({"a": (3, 4), "b": "error", "c": 1}, "keys-changed"),
        ([(3, 4), "error"], "keys-changed"),
        ({"a": (3, 4), "b": "fails"}, "wrong-type"),
        ({"a": (3, 4), "b": True}, "wrong-type"),
        ({"a": 12, "b": "error"}, "wrong-type"),
        ({"a": (3, "4"), "b": "error"}, "wrong-type"),
        ({"a": None, "b": "error"}, "wrong-type"),
        ({"a": (4, 3), "b": "error"}, "wrong-value"),
        ({"a": (3, 4, 1), "b": "error"}, "wrong-value"),
        (lambda: SHAPES, "is-a-function"),
        ({"a": ..., "b": "error"}, "not-attempted"),
    ],
)
def test_what_is_of_the_wrong_form_is_said_to_be(answer, label):
    assert said(asked(SHAPES, choices=["error"]), answer) == label


def test_words_say_what_is_wanted():
    verdict = judge(asked(SHAPES, choices=["error"]), local_channel({"a": "x", "b": "error"}))
    assert verdict.message == 'Each entry should be a tuple of numbers or `"error"`; `a` is not.'
    verdict = judge(asked(FLAGS), local_channel({"x": 1, "y": False}))
    assert verdict.message == "Each entry should be `True` or `False`; `x` is not."
    assert judge(asked(3), local_channel("three")).message == "Give a number."
    assert judge(asked((3, 4)), local_channel((3, 4, 5))).message == "Give a pair; each entry should be a number."


COMMA = " A tuple of one has a comma: `(4,)`. Without it, `(4)` is the number 4."
NO_LIST = " `[4]` is a list: a tuple has round brackets, `(4,)` or `(3, 4)`."
"""The words for an answer in which (3,) is right, which they do not show."""


@pytest.mark.parametrize(
    ("right", "answer", "message"),
    [
        ({"a": (3,), "b": "error"}, {"a": 3, "b": "error"}, "`a` is a number." + COMMA),
        ({"a": (3,), "b": "error"}, {"a": [3], "b": "error"}, "`a` is a list." + NO_LIST),
        ({"a": (3,), "b": "error"}, {"a": (3,), "b": [3]}, "`b` is a list." + NO_LIST),
        ((3,), 3, "Give a tuple of 1; each entry should be a number." + COMMA),
        ((3,), [3], "Give a tuple of 1; each entry should be a number." + NO_LIST),
        ((3, 4), 3, "Give a pair; each entry should be a number."),
    ],
)
def test_brackets_alone_make_no_tuple(right, answer, message):
    verdict = judge(asked(right, choices=["error"] if isinstance(right, dict) else ()), local_channel(answer))
    assert verdict.label == "wrong-type" and verdict.message.endswith(message)


def test_where_the_lesson_has_a_list_a_list_is_right():
    elements = asked({"x[2:]": [3, 4]})
    assert said(elements, {"x[2:]": [3, 4]}) == said(elements, {"x[2:]": (3, 4)}) == "passed"
    assert said(elements, {"x[2:]": 3}) == "wrong-type"


def test_a_wrong_entry_is_named_and_the_others_are_not():
    verdict = judge(asked({"m": 1, "n": 2, "k": 3}), local_channel({"m": 1, "n": 5, "k": 5}))
    assert verdict.message == "1 of 3 is right; `n` and `k` are not. Look again."
    verdict = judge(asked({"m": 1, "n": 2, "k": 3}), local_channel({"m": 1, "n": 2, "k": 5}))
    assert verdict.message == "2 of 3 are right; `k` is not. Look again."
    assert judge(asked(3), local_channel(4)).message == "Look again."


MISTAKES = [
    Mistake("turned", {"a": (4, 3)}, "Rows first.", see="rows"),
    Mistake("stretches", {"b": anything_else((3, 3))}, "It does not fit."),
]


def test_the_first_mistake_that_fits_is_the_diagnosis():
    exercise = asked(SHAPES, MISTAKES, choices=["error"])
    verdict = judge(exercise, local_channel({"a": (4, 3), "b": (9,)}))
    assert (verdict.label, verdict.message, verdict.see) == ("turned", "Rows first. None of the 2 is right.", "rows")
    assert said(exercise, {"a": (3, 4), "b": (9,)}) == "stretches"
    assert said(exercise, {"a": (5, 3), "b": "error"}) == "wrong-value"


def test_a_mistake_needs_all_its_entries_and_one_of_its_alternatives():
    both = asked(FLAGS, [Mistake("turned", {"x": False, "y": True}, "m")])
    assert said(both, {"x": False, "y": True}) == "turned" and said(both, {"x": False, "y": False}) == "wrong-value"
    either = asked(FLAGS, [Mistake("one", [{"x": False}, {"y": True}], "m")])
    assert said(either, {"x": False, "y": False}) == said(either, {"x": True, "y": True}) == "one"


def test_every_mistake_lists_wrong_answers_that_get_its_label():
    mistakes = [
        *MISTAKES,
        Mistake("many", {"a": any_of((3,), (4,)), "b": "error"}, "m"),
    ]
    exercise = asked(SHAPES, mistakes, choices=["error"])
    listed = list(exercise.check.wrongs("which-shape"))
    assert [w.label for w in listed] == ["turned", "stretches", "many", "many"]
    assert all(said(exercise, w.answer) == w.label for w in listed)
    assert listed[0].answer == {"a": (4, 3), "b": "error"}


def test_of_choices_and_truths_the_others_are_listed():
    belts = asked({"k": "one"}, [Mistake("m", {"k": anything_else()}, "m")], choices=["one", "two", "three"])
    assert [w.answer["k"] for w in belts.check.wrongs("n")] == ["two", "three"]
    flags = asked(FLAGS, [Mistake("m", {"x": anything_else()}, "m")])
    assert [w.answer["x"] for w in flags.check.wrongs("n")] == [False]
    with pytest.raises(ValueError, match="give `anything_else` an example"):
        list(asked({"n": 3}, [Mistake("m", {"n": anything_else()}, "m")]).check.wrongs("n"))


def test_values_and_tuples_are_predicted_too():
    pair = asked((32, 4), [Mistake("objects", {0: 8}, "m"), Mistake("both", (24, 8), "m")])
    assert said(pair, (32.0, 4)) == "passed" and said(pair, (8, 4)) == "objects" and said(pair, (24, 8)) == "both"
    assert said(pair, 32) == said(pair, (32,)) == "wrong-type"
    last = asked(2**24, [Mistake("hidden-digit", 2**23, "m"), Mistake("int", any_of(2**31, 2**31 - 1), "m")])
    assert (
        said(last, np.float32(2**24)) == "passed" and said(last, 2**31) == "int" and said(last, 2**23) == "hidden-digit"
    )
    assert said(last, True) == "wrong-type"


def test_other_right_answers_are_accepted():
    exercise = asked({"k": "scan", "l": "cond"}, also={"k": "fori_loop"}, choices=["scan", "fori_loop", "cond"])
    assert said(exercise, {"k": "fori_loop", "l": "cond"}) == "passed"
    assert said(exercise, {"k": "scan", "l": "fori_loop"}) == "wrong-value"
    mistaken = asked(
        {"k": "scan"}, [Mistake("m", {"k": anything_else()}, "m")], also={"k": "a"}, choices=["scan", "a", "b"]
    )
    assert said(mistaken, {"k": "a"}) == "passed" and said(mistaken, {"k": "b"}) == "m"


def test_pairs_of_texts_and_not_a_number():
    dtypes = asked({"u8 + 1": ("uint8", "int32")})
    assert said(dtypes, {"u8 + 1": ("UINT8", "int32")}) == "passed"
    assert said(dtypes, {"u8 + 1": ("uint8", "uint8")}) == "wrong-value"
    assert said(dtypes, {"u8 + 1": "uint8"}) == "wrong-type"
    assert said(asked({"a": float("nan")}), {"a": np.nan}) == "passed"


def test_without_its_lesson_nothing_is_right():
    unbound = prediction("which-shape", hint="h", see="s", otherwise="o", mistakes=[])
    assert said(unbound, {"a": 1}) == "check-stumbled"


def test_a_solution_is_written_out():
    assert value_of("pair = (2**5, 4)", "pair") == (32, 4)
    with pytest.raises(NameError):
        value_of("pair = np.zeros(3).strides", "pair")
