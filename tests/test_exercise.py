"""Judging: which verdict an answer gets."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse import insides, probe
from jaxcourse.checks import declare, naming
from jaxcourse.course import Course
from jaxcourse.exercise import (
    Diagnosis,
    Exercise,
    Verdict,
    agree,
    expect,
    is_close,
    judge,
    numbers,
    require,
    wrong,
)
from jaxcourse.probe import Raised, Reply, local_channel


def check(answer, rng):
    x = rng.normal(size=(5, 3))
    got = answer(x)
    require(not is_close(got, x - x.mean()), "grand-mean", "One number.", see="elsewhere")
    expect(got, x - x.mean(0), message="Not centred.")


centre = declare("centre", points=2, see="means", steps=[check], words="")


def unfinished(x):
    raise NotImplementedError("your turn")


def not_implemented_in_jax(x):
    raise NotImplementedError("Differentiation rule for 'eigh' not implemented")


@pytest.mark.parametrize(
    ("answer", "status", "label"),
    [
        (lambda x: x - x.mean(0), "passed", ""),
        (lambda x: jnp.asarray(x) - jnp.asarray(x).mean(0, keepdims=True), "passed", ""),
        (lambda x: (x - x.mean(0)).tolist(), "passed", ""),
        (lambda x: x - x.mean(), "wrong", "grand-mean"),
        (lambda x: x, "wrong", "wrong-value"),
        (lambda x: x.mean(0), "wrong", "wrong-shape"),
        (lambda x: x * np.nan, "wrong", "nan"),
        (lambda x: "text", "wrong", "wrong-type"),
        (lambda x: None, "wrong", "returned-nothing"),
        (lambda x: x.sort() or x, "wrong", "changed-input"),
        (lambda: 1, "error", "TypeError"),
        (lambda x: 1 / 0, "error", "ZeroDivisionError"),
        (not_implemented_in_jax, "error", "NotImplementedError"),
        (unfinished, "not_attempted", "not-attempted"),
        (..., "not_attempted", "not-attempted"),
        (7, "wrong", "not-a-function"),
    ],
)
def test_verdicts(answer, status, label):
    verdict = judge(centre, local_channel(answer))
    assert (verdict.status, verdict.label) == (status, label)
    assert verdict.points == (2 if status == "passed" else 0)


def test_a_verdict_says_what_was_called_and_what_came_back():
    verdict = judge(centre, local_channel(lambda x: x.mean(0)))
    assert verdict.called == "centre(float64[5,3])"
    assert verdict.returned.startswith("float64[3] = [")


def test_a_lesson_names_a_call_that_shows_the_mistake_and_not_the_last_one():
    lesson = Course.installed().lesson("33_fitting")

    def without_noise_in_y(curve, x, sigma_x, sigma_y):
        return jnp.abs(jax.vmap(jax.grad(curve))(x)) * sigma_x

    verdict = judge(lesson.exercises["effective-sigma"], local_channel(without_noise_in_y))
    assert verdict.label == "sigma-y-forgotten"
    assert not verdict.called.endswith(" 0)"), f"nothing is forgotten where sigma_y is 0: {verdict.called}"


def test_a_verdict_calls_arguments_read_only_where_they_are_and_nowhere_else():
    exercise = Course.installed().lesson("21_one_loop").exercises["one-array-is-enough"]

    def changes_x(x, y, out):
        x *= 2
        x += 3
        np.multiply(x, y, out=out)
        return np.add(out, 1, out=out)

    def changes_x_for_a_while(x, y, out):
        kept = x[:1].copy()
        x[:1] = 0
        x[:1] = kept
        np.multiply(x, 2, out=out)
        np.add(out, 3, out=out)
        np.multiply(out, y, out=out)
        return np.add(out, 1, out=out)

    for answer, read_only in ((changes_x, False), (changes_x_for_a_while, True)):
        verdict = judge(exercise, local_channel(answer))
        assert verdict.label == "changed-input"
        assert ("read-only" in verdict.message) == read_only, verdict.message


def test_a_diagnosis_may_name_its_own_section():
    assert judge(centre, local_channel(lambda x: x - x.mean())).see == "elsewhere"
    assert judge(centre, local_channel(lambda x: x)).see == "means"


def test_inputs_follow_the_seed():
    seen = []
    for seed in (0, 0, 1):
        judge(centre, local_channel(lambda x: seen.append(x.copy()) or x), seed)
    assert np.array_equal(seen[0], seen[1]) and not np.array_equal(seen[0], seen[2])


def test_a_check_that_falls_over_is_no_stack_of_frames():
    odd = Exercise("odd", lambda answer, rng: answer(1).shape)
    verdict = judge(odd, local_channel(lambda x: x))
    assert (verdict.status, verdict.label) == ("error", "check-stumbled")


# -- whose fault it is ------------------------------------------------------------------------------------------


def reads_what_is_gone(student_function, x):
    """A question that knows a library as it was."""
    parameters = dict(value=student_function(x))
    return parameters["num_carry"]


def what_is_left(student_function, x):
    """A question that takes it for granted that a dictionary comes back."""
    return student_function(x)["left"]


def asking(question):
    return Exercise("asked", lambda answer, rng: expect(answer.probe(question, 1.0), 2.0, message="Twice."))


def double(x):
    return {"left": 2 * x, "right": x}


def test_what_cannot_be_read_is_not_the_answers_fault(monkeypatch):
    monkeypatch.setattr(insides._compiler, "_COMPILED", "renamed")
    insides.BELIEFS["compiling"].forget()
    compiled = Exercise("asked", lambda answer, rng: answer.probe(probe.compiled, [(1.0,)]))
    verdict = judge(compiled, local_channel(jnp.sin))
    assert (verdict.status, verdict.label, verdict.points) == ("stumbled", "check-stumbled", 0)
    assert verdict.message.startswith("This is not your fault") and "CannotRead" in verdict.message
    assert f"jax {jax.__version__}" in verdict.message


def test_what_cannot_be_read_is_no_mistake_that_a_check_could_name(monkeypatch):
    def check(answer, rng):
        try:
            answer.probe(probe.compiled, [(1.0,)])
        except probe.AnswerRaised:
            raise Diagnosis("raises", "It raises.") from None

    monkeypatch.setattr(insides._compiler, "_COMPILED", "renamed")
    insides.BELIEFS["compiling"].forget()
    assert judge(Exercise("asked", check), local_channel(jnp.sin)).status == "stumbled"


def test_an_answer_that_says_it_cannot_be_read_has_raised_that():
    def answer(x):
        raise insides.CannotRead("so it says")

    verdict = judge(centre, local_channel(answer))
    assert (verdict.status, verdict.label) == ("error", "CannotRead")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("They differ:\n\nThe carry is\nint32.\n\nRevise it.", "TypeError: They differ: The carry is int32."),
        ("They differ.\n\nRevise it.", "TypeError: They differ."),
        ("They differ:", "TypeError: They differ:"),
    ],
)
def test_a_message_is_shown_up_to_what_it_announces(message, said):
    def answer(x):
        raise TypeError(message)

    assert f"Your code raised {said} in `" in judge(centre, local_channel(answer)).message


def long_line(x):
    return x.astype(int) + x.astype(int) + x.astype(int) + x.astype(int) + x.astype(int) + x.mean(axis=7)


@pytest.mark.parametrize("named", [False, True])
def test_of_a_long_line_only_the_beginning_is_quoted(named):
    """Also where the exception shows a mistake that has words."""

    def asks(answer, rng):
        with naming({"no-such-axis": "out of bounds"} if named else {}):
            answer(rng.normal(size=(5, 3)))

    verdict = judge(declare("sum", see="s", steps=[asks], words="no-such-axis: No."), local_channel(long_line))
    assert verdict.label == ("no-such-axis" if named else "AxisError")
    assert "in `return x.astype(int) + x.astype(int) + x.astype(int) + …`" in verdict.message


@pytest.mark.parametrize("right", [double, lambda x: 2 * x])
def test_a_question_that_fails_on_a_right_answer_too_is_to_blame(right):
    verdict = judge(asking(reads_what_is_gone), local_channel(lambda x: x), right=lambda: right)
    assert (verdict.status, verdict.label) == ("stumbled", "check-stumbled")
    assert "KeyError: 'num_carry'" in verdict.message


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        (lambda x: x, "TypeError"),  # the question fails on it, and on a right one does not
        (lambda x: {}, "KeyError"),
        (lambda: 1, "TypeError"),
        (np.ones, "TypeError"),  # there is no line of the answer's own
        (lambda x: x["a"], "TypeError"),
    ],
)
def test_what_a_right_answer_survives_is_the_answers_fault(answer, label):
    asked = asking(what_is_left)
    assert judge(asked, local_channel(double), right=lambda: double).status == "passed"
    for right in (None, lambda: double, lambda: 1 / 0):
        verdict = judge(asked, local_channel(answer), right=right)
        assert (verdict.status, verdict.label) == ("error", label)


def test_a_check_that_falls_over_a_right_answer_is_to_blame():
    odd = Exercise("odd", lambda answer, rng: answer(1).shape)
    assert judge(odd, local_channel(lambda x: x), right=lambda: lambda x: x).status == "stumbled"


def test_a_check_that_cannot_compute_what_is_right_is_to_blame():
    def check(answer, rng):
        raise insides.CannotRead("a scan has another name")

    assert judge(Exercise("asked", check), local_channel(lambda x: x)).status == "stumbled"


def test_a_right_function_is_a_function_even_if_that_cannot_be_asked():
    def channel(question, *args, **kwargs):
        return Reply(raised=Raised("ImportError", "no such module", own=False))

    verdict = judge(centre, channel)
    assert (verdict.status, verdict.label) == ("stumbled", "check-stumbled")
    assert "NoneType" not in verdict.message


def test_the_line_of_a_question_is_not_the_students():
    raised = local_channel(lambda x: x)(reads_what_is_gone, 1.0).raised
    assert (raised.kind, raised.line, raised.own) == ("KeyError", "", False)


def test_a_long_message_is_cut():
    def answer(x):
        raise ValueError("long " * 1000)

    assert len(judge(centre, local_channel(answer)).message) < 450


@pytest.mark.parametrize(
    ("got", "want", "same"),
    [
        (1.0, 1.0 + 1e-15, True),
        (1.0, 1.0 + 1e-9, False),
        (np.float32(1) / 3, 1 / 3, True),
        (np.float32(1.001), 1.0, False),
        (1 / 3, np.float32(1) / 3, True),
        (jnp.bfloat16(1) / 3, 1 / 3, False),
        (jnp.bfloat16(1) / 3, jnp.bfloat16(1 / 3), True),
        (1 / 3, jnp.bfloat16(1 / 3), True),
        (np.ones((2, 1)), np.ones(2), False),
        (np.array([np.nan, 1]), np.array([np.nan, 1]), True),
        (np.inf, np.inf, True),
        (np.inf, 1.0, False),
        (1e-18, 0.0, False),
        (3, 3.0, True),
        (3, 4, False),
        (2**53 + 1, 2**53, False),
        (np.uint64(2**64 - 1), np.uint64(2**64 - 2), False),
        (np.uint8(3), np.int64(3), True),
        (True, 1, True),
        ("1", 1, False),
        (None, 1, False),
        ([[1], [2, 3]], 1, False),
    ],
)
def test_close(got, want, same):
    assert is_close(got, want) is same


def test_rounding_is_judged_against_the_scale_of_the_whole():
    want = np.array([1e6, 1e-6])
    assert is_close(want + np.array([0, 1e-8]), want)
    assert not is_close(want + np.array([0, 1e-5]), want)


@pytest.mark.parametrize(
    ("got", "want", "words"),
    [
        ([1, 9, 3], [1, 2, 3], r"At \[1\] expected 2, got 9 \(1 of 3 elements are different\)"),
        (5, 6, "Expected 6, got 5"),
        ([[1, 2]], [1, 2], r"should be \(2,\), not \(1, 2\)"),
        ([np.nan, 1.0], [0.0, 1.0], "1 of 2 elements are NaN"),
        (np.nan, 1.0, "The result is NaN"),
        ([np.nan, 5.0], [np.nan, 1.0], r"At \[1\] expected 1.0, got 5.0"),
        ({}, 1.0, "type `dict`"),
    ],
)
def test_expect_names_the_difference(got, want, words):
    with pytest.raises(Diagnosis, match=words):
        expect(got, want, message="Why.")


def test_what_rounding_explains_is_not_named_as_a_difference():
    with pytest.raises(Diagnosis, match=r"At \[2\] expected 4.0, got 5.0 \(1 of 3 elements are different\)"):
        expect([1.0, 2.0 + 1e-7, 5.0], [1.0, 2.0, 4.0], message="Why.", rtol=1e-6)


@pytest.mark.parametrize(
    ("got", "want", "same"),
    [
        ("C", "C", True),
        ("C", "F", False),
        (None, None, True),
        (3, "3", False),
        ((1, 2), [1, 2], True),
        ({"a": "x"}, {"a": "y"}, False),
        ([("a", 1)], {"a": 1}, False),
        ([np.ones(2), np.ones(3)], (np.ones(2), np.ones(3)), True),
        ([np.ones(2), np.ones(3)], [np.ones(2), np.zeros(3)], False),
        (3, [np.ones(2), np.ones(3)], False),
        ("ab", ["a", "b"], False),
    ],
)
def test_agree(got, want, same):
    assert agree(got, want) is same


@pytest.mark.parametrize(
    ("value", "label", "said"),
    [
        (None, "returned-nothing", "`return`"),
        ("3", "wrong-type", "`str`"),
        ([[1], [2, 3]], "wrong-type", "`list`"),
    ],
)
def test_what_is_no_number_is_named_and_for_nothing_the_return_is_asked_for(value, label, said):
    with pytest.raises(Diagnosis, match=said) as found:
        numbers(value)
    assert found.value.label == label


def test_wrong_answers_are_recorded():
    @wrong("centre", "grand-mean")
    def grand_mean(x):
        return x - x.mean()

    assert (grand_mean.exercise, grand_mean.label) == ("centre", "grand-mean")
    assert wrong("centre", "a-value")((3, 1)).answer == (3, 1)


@pytest.mark.parametrize(("device", "digits"), [("cpu", False), ("gpu", True), ("tpu", True)])
def test_a_verdict_is_about_the_answer_and_not_about_the_digits_that_a_device_keeps(monkeypatch, device, digits):
    x, programs = jnp.ones((2, 2)), []
    monkeypatch.setattr(jax, "default_backend", lambda: device)
    judge(
        Exercise("any", lambda answer, rng: programs.append(str(jax.make_jaxpr(lambda a: a @ a)(x)))), local_channel(1)
    )
    assert ("HIGHEST" in programs[-1]) == digits
    assert "HIGHEST" not in str(jax.make_jaxpr(lambda a: a @ a)(x)), "the setting stayed"


def test_verdicts_are_data():
    assert judge(centre, local_channel(3)) == Verdict(
        "centre",
        "wrong",
        "not-a-function",
        "`centre` should be a function, but it is an object of type `int`.",
        "means",
    )
