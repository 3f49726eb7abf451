"""Bans: which answers loop, which call what is forbidden, and what the engine says of them."""

import functools
import itertools
import math
import operator
import sys
import threading
from functools import reduce as folded

import jax
import jax.numpy as jnp
import numba
import numpy as np
import pytest
from numpy import broadcast_shapes as joined

from jaxcourse.bans import no_calls, no_loops, only
from jaxcourse.checks import declare, expect
from jaxcourse.exercise import Exercise, judge
from jaxcourse.probe import Answer, Refused, calls, local_channel, python_steps, question


def enforced(ban, function):
    """What a ban says of a function: nothing if it is allowed."""
    try:
        ban.enforce(Answer("f", local_channel(function)))
    except Refused as refused:
        return refused.message
    return ""


# -- loops ------------------------------------------------------------------------------------------------------


def by_for(x):
    total = 0.0
    for value in x:
        total += value
    return total


def by_while(x):
    k = 0
    while k < len(x):
        k += 1
    return k


def by_recursion(x):
    return 0.0 if len(x) == 0 else x[0] + by_recursion(x[1:])


def too_deep(x):
    return too_deep(x) + 1


def in_a_helper(x):
    return by_for(x)


@jax.jit
def while_traced(x):
    total = 0.0
    for k in range(len(x)):
        total = total + 2 * x[k]
    return total


class Looping:
    def __call__(self, x):
        return [value for value in x]


def adds_up(x, add=sum):
    return add(x)


def makes_a_closure():
    largest = max
    return lambda x: largest(x)


def takes_the_tracer_away(x):
    sys.settrace(None)
    return x


def sine(value):
    return math.sin(value)


LOOPS = {
    "for": by_for,
    "while": by_while,
    "recursion": by_recursion,
    "endless recursion": too_deep,
    "helper": in_a_helper,
    "while it is traced": while_traced,
    "callable object": Looping(),
    "partial": functools.partial(by_for),
    "comprehension": lambda x: np.array([2 * value for value in x]),
    "generator": lambda x: sum(2 * value for value in x),
    "sum": lambda x: sum(x),
    "sum of a list": lambda x: sum(x.tolist()),
    "sum of a list that is made of it": lambda x: sum(list(x)),
    "tuple of a generator": lambda x: tuple(2 * value for value in x),
    "sum as a default": adds_up,
    "max in a closure": makes_a_closure(),
    "map": lambda x: list(map(math.sin, x)),
    "reduce": lambda x: functools.reduce(operator.add, x),
    "reduce under another name": lambda x: folded(operator.add, x),
    "accumulate": lambda x: list(itertools.accumulate(x, max)),
    "vectorize": np.vectorize(sine),
    "vectorize inside": lambda x: np.vectorize(abs)(x),
    "frompyfunc": lambda x: np.frompyfunc(abs, 1, 1)(x).astype(float),
    "apply_along_axis": lambda x: np.apply_along_axis(by_for, 0, x[None]),
    "nditer": lambda x: [float(value) for value in np.nditer(x)],
    "in pairs": lambda x: [p * q for p in x for q in x[:2]],
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_are_seen(name):
    assert enforced(no_loops(grows=lambda n: (np.ones(n),)), LOOPS[name])


def doubles_its_step(x):
    y, k = x.copy(), 1
    while k < len(y):
        y[k:] = y[k:] + y[:-k]
        k *= 2
    return y


@numba.njit
def by_numba(x):
    total = 0.0
    for value in x:
        total += value
    return total


def unpacks(x):
    parts = [np.asarray(part) for part in (x, x, x)]
    a, b, c = (part + 1 for part in parts)
    return a + b + c


def checks_types(x):
    return isinstance([x], list) and list[int] is not None and tuple((1, 2)) == (1, 2) and max(2, 1) == 2


NO_LOOPS = {
    "sum": lambda x: x.sum(),
    "a list comes back": lambda x: x.tolist(),
    "a list is made of it": lambda x: list(np.sort(x)),
    "a tuple is made of a list": lambda x: tuple(x.tolist()),
    "shape": lambda x: sum(x.shape),
    "doubling": doubles_its_step,
    "numba": by_numba,
    "unpacking": unpacks,
    "types": checks_types,
    "vmap": lambda x: jax.vmap(jnp.sin)(x),
    "jit": jax.jit(lambda x: x * 2),
    "sorting": lambda x: np.sort(x)[::-1].copy(),
    "ufunc": np.sin,
}


@pytest.mark.parametrize("name", NO_LOOPS)
def test_what_is_no_loop_is_allowed(name):
    assert enforced(no_loops(grows=lambda n: (np.ones(n),)), NO_LOOPS[name]) == ""


def test_a_loop_that_xla_runs_is_allowed():
    def scanned(x):
        return jax.lax.scan(lambda carry, value: (carry + value, None), 0.0, x)[0]

    assert enforced(no_loops(grows=lambda n: (np.ones(n, np.float32),)), scanned) == ""


def test_each_axis_may_grow():
    def row_by_row(x):
        return np.array([row.sum() for row in x])

    columns, rows = (lambda n: (np.ones((3, n)),)), (lambda n: (np.ones((n, 3)),))
    assert enforced(no_loops(grows=columns), row_by_row) == ""
    assert "number of rows" in enforced(no_loops(grows=[columns, rows], of="rows"), row_by_row)


def test_the_message_says_what_was_seen():
    message = enforced(no_loops(grows=lambda n: (np.ones(n),), advice="Use `x.sum()`."), by_for)
    assert "grows with the number of elements. Four times as many take 4 times the steps. Use `x.sum()`." in message
    traced = enforced(no_loops(grows=lambda n: (np.ones(n, np.float32),)), while_traced)
    assert "while JAX traces your function" in traced
    assert "calls itself" in enforced(no_loops(grows=lambda n: (np.ones(n),)), too_deep)
    assert "sys.settrace" in enforced(no_loops(grows=lambda n: (np.ones(n),)), takes_the_tracer_away)


def test_everything_is_as_it_was_afterwards():
    def tracer(frame, event, arg):
        return None

    before, elsewhere = sys.gettrace(), threading.gettrace()
    sys.settrace(tracer)
    try:
        python_steps(adds_up, [(np.ones(3),)])
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)
    assert threading.gettrace() is elsewhere
    assert adds_up.__defaults__ == (sum,) and "sum" not in globals() and "list" not in globals()
    assert type(functools.reduce).__name__ == "builtin_function_or_method" and folded is functools.reduce
    assert isinstance(np.vectorize, type) and np.vectorize.__name__ == "vectorize" and type(np.vectorize) is type


def test_a_loop_in_a_loop_ends():
    counted = python_steps(lambda x: [a for _ in range(3000) for _ in range(1000) for a in (1,)] and 1, [(1,)])
    assert counted["lines"][0] > 900_000


# -- calls ------------------------------------------------------------------------------------------------------

X = np.ones((4, 5), np.float32)
spread = jnp.var


def helper(x):
    return spread(x)


def in_a_default(x, f=np.dot):
    return f(x, x.T)


CALLED = {
    "alias": (lambda a: joined(a, (1,)), "np.broadcast_shapes", (2,)),
    "helper": (helper, "jnp.var", X),
    "inside of jit": (jax.jit(helper), "jnp.var", X),
    "under vmap": (lambda x: jax.vmap(jnp.var)(x), "jnp.var", X),
    "partial": (functools.partial(jnp.var, axis=0), "jnp.var", X),
    "itself": (jnp.var, "jnp.var", X),
    "getattr": (lambda x: getattr(np, "v" + "ar")(x), "np.var", X),
    "map": (lambda x: list(map(np.var, x)), "np.var", X),
    "method": (lambda x: x.var(), "np.ndarray.var", X),
    "method of a JAX array": (lambda x: jnp.asarray(x).var(), "jnp.ndarray.var", X),
    "method of a ufunc": (lambda x: np.maximum.accumulate(x), "np.maximum.accumulate", X),
    "in C": (lambda x: np.dot(x, x.T), "np.dot", X),
    "in C, as a default": (in_a_default, "np.dot", X),
    "ufunc": (lambda x: np.add(x, x), "np.add", X),
    "another library": (lambda x: math.sqrt(x.sum()), "math.sqrt", X),
}


@pytest.mark.parametrize("name", CALLED)
def test_calls_are_seen(name):
    function, target, x = CALLED[name]
    assert calls(function, [target], [(x,)]) == {target: True}
    assert "`" in enforced(no_calls(target, given=lambda: [(x,)]), function)


@pytest.mark.parametrize(
    ("function", "target"),
    [
        (lambda x: jnp.std(x), "jnp.var"),
        (lambda x: jnp.clip(x, 0, 1), "jnp.where"),
        (lambda x: x.std(), "np.ndarray.var"),
        (lambda x: np.add.reduce(x), "np.maximum.accumulate"),
        (lambda x: x @ x.T, "np.dot"),
        (lambda x: x, "np.no_such_function"),
    ],
)
def test_what_is_not_called_is_allowed(function, target):
    assert calls(function, [target], [(X,)]) == {target: False}


def test_names_are_put_back():
    before = np.dot, np.add
    calls(in_a_default, ["np.dot", "np.add"], [(X,)])
    assert (np.dot, np.add) == before and in_a_default.__defaults__ == (np.dot,)


def in_long_rows_only(x):
    return jnp.var(x) if len(x) > 4 else ((x - x.mean()) ** 2).mean()


@pytest.mark.parametrize("traced", [False, True])
def test_a_ban_is_watched_in_every_call_that_the_check_has_made(traced):
    ban = no_calls("jnp.var", traced=traced)
    answer = Answer("f", local_channel(in_long_rows_only))
    for length in (2, 3):
        answer(np.ones(length))
    ban.enforce(answer)
    for length in (5, 2):
        answer(np.ones(length))
    with pytest.raises(Refused, match="you call"):
        ban.enforce(answer)


@question(evidence="values", like_calls=True)
def all_of(student_function, cases):
    """The results of several calls."""
    return [student_function(*case) for case in cases]


def test_a_question_may_say_that_it_asks_several_calls():
    answer = Answer("f", local_channel(in_long_rows_only))
    answer.probe(all_of, [(np.ones(2),), (np.ones(6),)])
    assert [len(x) for (x,) in answer.asked] == [2, 6]


# -- the engine -------------------------------------------------------------------------------------------------


def adds_all(answer, rng):
    x = rng.normal(size=5)
    expect(answer(x), x.sum())


total = declare(
    "total",
    see="sums",
    steps=[adds_all],
    words="wrong-value: All of them.",
    without=[
        no_loops(grows=lambda n: (np.ones(n),), advice="One call adds them."),
        no_calls("np.add", see="elsewhere"),
        only("sum", "math", "fsum", "np", "add", "reduce", "float"),
    ],
)


@pytest.mark.parametrize(
    ("function", "label", "see"),
    [
        (lambda x: x.sum(), "", ""),
        (lambda x: x[0], "wrong-value", "sums"),
        (lambda x: sum(x[:2]), "wrong-value", "sums"),
        (lambda x: sum(x), "loops", "sums"),
        (lambda x: np.add(x.sum(), 0), "forbidden-call", "elsewhere"),
        (lambda x: x.mean() * len(x), "not-a-primitive", "sums"),
    ],
)
def test_bans_are_enforced_once_the_check_has_passed(function, label, see):
    verdict = judge(total, local_channel(function))
    assert (verdict.label, verdict.see) == (label, see)


def test_without_arguments_of_its_own_a_ban_watches_what_the_check_asked():
    task = Exercise("f", lambda answer, rng: answer(X), without=(no_calls("np.var"),))
    assert judge(task, local_channel(lambda x: np.var(x))).label == "forbidden-call"
    assert judge(task, local_channel(lambda x: np.std(x))).status == "passed"
