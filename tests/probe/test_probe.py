"""The channel: what may pass it, and what it tells about an answer."""

import collections
import functools
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse import probe
from jaxcourse.insides import compilations
from jaxcourse.probe import PRINT_LIMIT, Answer, AnswerRaised, NotPortable, Refused, call, local_channel

Point = collections.namedtuple("Point", "x y")


class Lying:
    """Claims to be an array."""

    def __array__(self, dtype=None, copy=None):
        return np.ones(3)


@pytest.mark.parametrize("value", [None, True, 3, 2.5, 1j, "text", np.float32(2), (1, [2, {"a": 3}]), {1: (2,)}])
def test_plain_data_passes_as_it_is(value):
    assert probe.portable(value) == value
    assert type(probe.portable(value)) is type(value)


@pytest.mark.parametrize("dtype", [np.float64, np.int8, bool, jnp.bfloat16, "datetime64[s]", "U3"])
def test_arrays_keep_dtype_and_shape(dtype):
    array = np.zeros((2, 3), dtype)
    assert probe.portable(array).dtype == array.dtype
    assert probe.portable(array).shape == (2, 3)


def test_jax_arrays_and_named_tuples_become_plain():
    assert type(probe.portable(jnp.ones(3))) is np.ndarray
    assert type(probe.portable(Point(1, 2))) is tuple


FOREIGN = [object(), {1, 2}, len, np.array([object()]), {(1, 2): 3}, Lying(), iter([1]), [Lying()], b"bytes"]
FOREIGN += [np.ma.masked_array([1.0, 2.0], [True, False]), jax.random.key(0)]


def test_what_goes_to_the_device_is_a_copy_and_compiles_nothing():
    memory = np.zeros(5 * 64, np.uint8)
    x = memory[-memory.ctypes.data % 64 :][:64].view(np.float32)  # JAX borrows memory that begins on a multiple of 64
    before = len(compilations())
    given = probe.on_device({"x": x, "many": np.ones((2, 7, 3)), "n": 2})
    assert (len(compilations()), given["n"], given["many"].dtype) == (before, 2, np.float32)
    x[:] = 7
    assert not np.asarray(given["x"]).any()


@pytest.mark.parametrize("value", FOREIGN, ids=lambda value: type(value).__name__)
def test_everything_else_is_refused(value):
    with pytest.raises(NotPortable):
        probe.portable(value)


def test_the_door_reports_an_exception_with_the_students_line():
    def answer(x):
        return x / 0  # the student's line

    reply = local_channel(answer)(call, 1)
    assert (reply.raised.kind, reply.raised.message) == ("ZeroDivisionError", "division by zero")
    assert reply.raised.line == "return x / 0  # the student's line"


def test_the_students_line_is_named_even_if_a_library_raised():
    def answer(x):
        return np.linalg.inv(x)

    reply = local_channel(answer)(call, np.ones((2, 3)))
    assert reply.raised.kind == "LinAlgError"
    assert reply.raised.line == "return np.linalg.inv(x)"


def with_a_model(student_function, x):
    """A question that hands a function of its own to the answer."""

    def model(params):
        return params["rate"] * x

    return student_function(model, x)


@pytest.mark.parametrize(
    ("call_it", "within", "message"),
    [
        (lambda model, x: model({"rate": None}), "model", "unsupported operand"),
        (lambda model, x: model(), "", "model() missing 1 required positional argument"),
        (lambda model, x: model({"rate": x}) + None, "", "unsupported operand"),
    ],
)
def test_what_a_function_of_the_question_raised_is_said_to_be_so(call_it, within, message):
    def answer(model, x):
        return call_it(model, x)  # the student's line

    raised = local_channel(answer)(with_a_model, 2).raised
    assert raised.kind == "TypeError" and raised.message.startswith(message) and raised.within == within
    assert "(lambda model, x: model(" in raised.line


def test_an_exception_that_cannot_be_shown_is_named():
    class Mute(Exception):
        def __str__(self):
            raise ValueError

    def answer():
        raise Mute

    assert local_channel(answer)(call).raised.kind == "Mute"


def test_an_answer_cannot_end_the_session():
    assert local_channel(lambda: sys.exit(3))(call).raised.kind == "SystemExit"


def test_a_student_can_stop_an_answer():
    def answer():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        local_channel(answer)(call)


def test_what_is_printed_is_counted_and_cut():
    def answer():
        print("x" * 10_000_000)
        print("error", file=sys.stderr)
        return 1

    reply = local_channel(answer)(call)
    assert reply.value == 1
    assert len(reply.printed) == PRINT_LIMIT
    assert reply.printed_total == 10_000_007


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        (lambda x, y: x.sort(), (0,)),
        (lambda x, y: y.append(1), (1,)),
        (lambda x, y: y.__setitem__(0, np.ones(3)), (1,)),
        (lambda x, y: y.__setitem__(0, [1, 2]), (1,)),
        (lambda x, y: x.__setitem__(0, np.nan), ()),
        (lambda x, y: x.__setitem__(0, 0.0), (0,)),
        (lambda x, y: (x + 1, y + [1]), ()),
    ],
)
def test_changed_arguments_are_seen(change, changed):
    x = np.array([np.nan, 2.0, 1.0])
    assert local_channel(lambda x, y: change(x, y) or 1)(call, x, [3]).changed == changed


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        (np.zeros(2), np.zeros(2), True),
        (np.zeros(2), np.zeros(2, np.int64), False),
        (np.zeros(2), [0.0, 0.0], False),
        ({"a": [1]}, {"a": [1]}, True),
        ({"a": [1]}, {"a": [1], "b": 2}, False),
        ((1, float("nan")), (1, float("nan")), True),
        ([1, 2], [1, 2, 3], False),
    ],
)
def test_identical(old, new, same):
    assert probe.identical(old, new) is same


def test_what_several_questions_print_is_added_up():
    answer = Answer("f", local_channel(lambda x: print("four") or x))
    answer(1)
    answer(2)
    assert (answer.printed, answer.printed_total) == ("four\nfour\n", 10)


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        (lambda x: None, "returned-nothing"),
        (lambda x: object(), "wrong-type"),
        (lambda x: x.sort() or x, "changed-input"),
        (3, "not-a-function"),
    ],
)
def test_an_answer_that_needs_no_check_is_refused(answer, label):
    with pytest.raises(Refused) as refused:
        Answer("f", local_channel(answer))(np.array([2.0, 1.0]))
    assert refused.value.label == label


def test_a_function_where_a_value_is_asked_is_refused():
    with pytest.raises(Refused, match="Did you forget to call it"):
        Answer("f", local_channel(len)).value()


def test_an_answer_may_change_its_input_where_the_exercise_says_so():
    assert Answer("f", local_channel(lambda x: x.sort() or 1), may_change_input=True)(np.array([2.0, 1.0])) == 1


def test_an_exception_can_be_diagnosed():
    with pytest.raises(AnswerRaised) as raised:
        Answer("f", local_channel(lambda x: x["a"]))({})
    assert raised.value.raised.kind == "KeyError"


@pytest.mark.parametrize(
    ("value", "kind"),
    [(..., "unfinished"), ({"a": (1, ...)}, "unfinished"), ([3], "value"), (np.ones(2), "value"), (len, "function")],
)
def test_the_kind_of_an_answer(value, kind):
    assert Answer("f", local_channel(value)).kind == kind


def a_helper(x):
    return x


def uses_a_helper(function, x):
    return a_helper(function(x))


def uses_a_helper_inside(function, x):
    def again(value):
        return a_helper(value)

    return again(function(x))


def uses_a_module(function, x):
    return [np.sum(function(value)) for value in x]


def test_a_question_must_be_able_to_travel():
    secret = 3

    def closes_over(function):
        return secret

    answer = Answer("f", local_channel(lambda x: x))
    refused = {
        "named": lambda f: 1,
        "secret": closes_over,
        "a_helper": uses_a_helper,
        "uses_a_helper_inside": uses_a_helper_inside,
    }
    for why, question in refused.items():
        with pytest.raises(TypeError, match=why):
            answer.probe(question, 1)
    assert answer.probe(uses_a_module, [1, 2]) == [1, 2]


def test_only_a_call_that_a_student_would_write_is_shown():
    answer = Answer("f", local_channel(lambda x: x))
    answer(3)
    assert (answer.called, answer.returned) == ("f(3)", "3")
    answer.probe(uses_a_module, [1, 2])
    assert (answer.called, answer.returned) == ("", "")
    answer.probe(probe.layout, np.zeros(2))
    assert (answer.called, answer.returned) == ("f(float64[2])", "")


@pytest.mark.parametrize("value", [np.array(["x" * 9000]), "x" * 9000, [1] * 9000])
def test_a_value_is_described_in_a_few_words(value):
    assert len(probe.describe(value)) <= 300


@pytest.mark.parametrize("answer", [functools.partial(sum, [1]), max, dict, np.vectorize(abs)])
def test_what_has_no_code_of_its_own_is_refused_where_code_is_read(answer):
    with pytest.raises(Refused) as refused:
        Answer("f", local_channel(answer)).probe(probe.code_facts)
    assert refused.value.label == "not-written-out"


@pytest.mark.parametrize(
    ("make", "order", "shares"),
    [
        (lambda x: x, "C", True),
        (lambda x: x.T, "F", True),
        (lambda x: x[:, ::2], "neither", True),
        (lambda x: x[0], "both", True),
        (lambda x: x.copy(), "C", False),
    ],
)
def test_layout(make, order, shares):
    facts = probe.layout(make, np.zeros((3, 4)))
    assert (facts["order"], facts["shares"]) == (order, shares)


@pytest.mark.parametrize(("make", "writeable"), [(np.copy, True), (lambda x: np.broadcast_to(x, (2, 3, 4)), False)])
def test_layout_says_what_can_be_written_to(make, writeable):
    assert probe.layout(make, np.zeros((3, 4)))["writeable"] is writeable


def test_layout_of_what_is_no_array():
    assert probe.layout(lambda x: jnp.ones(2), np.zeros(2)) == {"type": "jax.Array"}


def test_loops_are_seen_wherever_they_are():
    def with_while(x):
        while x > 0:
            x -= 1
        return x

    def with_generator(x):
        return sum(v for v in x)

    def without(x):
        return x.sum() if x.ndim else x

    assert probe.code_facts(with_while)["loops"] and probe.code_facts(with_generator)["loops"]
    assert probe.code_facts(without) == {"names": ["ndim", "sum"], "loops": 0}


def test_whole_numbers_are_found_wherever_an_answer_has_them():
    far, apart = 5000, 77.0

    def helper(x, by=64):
        return x * by + apart

    def answer(x, text="9", shares=0.5):
        return [helper(x) << 13, far, True, 1]

    assert probe.whole_numbers(functools.partial(answer, 1)) == [13, 64, 77, 5000]
    assert probe.whole_numbers(max) == []


@pytest.mark.parametrize(
    ("asks", "number", "shape"),
    [
        (int, True, True),  # JAX raises one class for both: only its message tells
        (lambda x: x.item(), True, True),
        (lambda x: x[None].tolist(), True, True),
        (lambda x: 1 if x > 0 else 0, True, False),
        (np.sin, True, False),
        (lambda x: range(x), True, False),
        (lambda x: jnp.nonzero(x[None])[0], False, True),
        (lambda x: jnp.arange(x), False, True),
        (lambda x: jnp.ones(3)[jnp.arange(3) < x], False, True),
        (lambda x: jnp.arange(3)[:x], False, True),
        (lambda x: jnp.ones(3)[0, x], False, False),  # too many indices
    ],
)
def test_a_number_that_is_asked_for_and_a_shape_are_told_apart(asks, number, shape):
    with pytest.raises(AnswerRaised) as raised:
        Answer("f", local_channel(asks)).probe(probe.under_jit, np.int32(2))
    assert (raised.value.among(probe.NEEDS_A_NUMBER), raised.value.among(probe.NEEDS_A_SHAPE)) == (number, shape)
