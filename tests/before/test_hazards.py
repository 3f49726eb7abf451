"""Hazards: each is planted and found, and what is written well has none."""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse.before import LeavesJax, _hazards, before
from jaxcourse.course import Course

X = np.ones(1000, np.float32)
BIG = jnp.ones((600, 600))
TABLE = np.ones((200, 200), np.float32)
KEY = jax.random.key(0)


def names(function, *args, **kwargs):
    return {one.name for one in before(function, *args, **kwargs).hazards}


def captured_jax(x):
    return x * BIG.sum() + BIG[0, 0]


def captured_numpy(x):
    return x @ TABLE


def called_back(x):
    jax.debug.print("{}", x[0])
    return x


def called_out(x):
    return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


def written_out(x):
    for _ in range(40):
        x = jnp.sin(x) + 1
    return x


def one_step(x):
    return jnp.tanh(x) * 2


def written_out_by_a_helper(x):
    for _ in range(30):
        x = one_step(x)
    return x


def used_twice(key):
    return jax.random.normal(key, (3,)) + jax.random.uniform(key, (3,))


def used_in_a_loop(key):
    return jax.lax.fori_loop(0, 4, lambda i, c: c + jax.random.normal(key, ()), 0.0)


def used_after_its_split(key):
    first, _ = jax.random.split(key)
    return jax.random.normal(first, ()) + jax.random.normal(key, ())


def until_small(x):
    return jax.lax.while_loop(lambda x: x.sum() > 1, lambda x: x / 2, x)


def asks_for_64(x):
    return x.astype("float64") + 1


def asks_for_whole_64(x):
    return x.astype("int64") + 1


def drifts(state):
    x, n = state
    return x + 1, n * 1.5


def drifts_beside_a_loss(weights, state, x):
    return weights, {"mean": state["mean"], "count": state["count"] + 0.5}, x.sum()


def step(x, by):
    return x + by


def add_a_turn(position, velocity):
    return position + velocity, velocity * 0.9


@jax.tree_util.register_pytree_node_class
class Line:
    """A model with jitted methods, of which it is the first argument."""

    def __init__(self, slope, start):
        self.slope, self.start = slope, start

    def tree_flatten(self):
        return (self.slope, self.start), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)

    @jax.jit
    def at(self, x):
        return x @ self.slope + self.start


LINE = Line(jnp.ones((200, 200)), jnp.ones(200))
STATIC = jax.jit(lambda n, x, y: (x[:n] * y[:n]).sum(), static_argnums=0)
OTHER = np.ones((200, 200), np.float32)

PLANTED = {
    "a captured JAX array": ("captured", captured_jax, jnp.ones(3)),
    "a captured NumPy array": ("captured", captured_numpy, jnp.ones(200)),
    "a captured array in a jitted function": ("captured", jax.jit(captured_jax), jnp.ones(3)),
    "a float64 argument": ("cut", step, np.ones(3), 1.0),
    "an int64 argument": ("cut integers", step, np.arange(3), 1),
    "a float64 argument after a static one": ("cut", STATIC, 2, jnp.ones(3), np.ones(3)),
    "a float64 argument without values": ("cut", jnp.sin, jax.ShapeDtypeStruct((3,), "float64")),
    "a float64 argument of a method": ("cut", LINE.at, np.ones(200)),
    "float64 asked for": ("cut", asks_for_64, X),
    "int64 asked for": ("cut integers", asks_for_whole_64, X),
    "a large NumPy argument": ("copied", jnp.sum, np.ones(1 << 19, np.float32)),
    "a print": ("callback", called_back, X),
    "a call of NumPy": ("callback", called_out, X),
    "a loop of Python": ("written out", written_out, X),
    "a loop of Python over a helper": ("written out", written_out_by_a_helper, X),
    "a key used twice": ("key", used_twice, KEY),
    "a key used in a loop": ("key", used_in_a_loop, KEY),
    "a key used twice in a jitted function": ("key", jax.jit(used_twice), KEY),
    "a key used after its split": ("key", used_after_its_split, KEY),
    "a key of words": ("raw key", lambda key: jax.random.normal(key, (3,)), jax.random.PRNGKey(0)),
    "keys of words": ("raw key", jax.vmap(jax.random.normal), jax.random.split(jax.random.PRNGKey(0), 5)),
    "a key of words that is made inside": ("raw key", lambda x: x + jax.random.normal(jax.random.PRNGKey(0)), X),
    "a loop of Python over what is jitted": ("written out", lambda x: [x := ONCE(x) for _ in range(30)][-1], X),
    "an argument that could be given away": ("donation", step, jnp.ones(1 << 19), 1.0),
    "a second one": ("donation", jax.jit(add_a_turn, donate_argnums=0), jnp.ones(1 << 19), jnp.ones(1 << 19)),
    "a donation without use": ("unusable donation", jax.jit(jnp.sum, donate_argnums=0), jnp.ones(1 << 19)),
    "a while": ("unknown length", until_small, X),
    "a list of numbers": ("shapes", lambda numbers: sum(numbers), [1.0] * 12),
    "a jit made anew": ("anew", lambda x: jax.jit(lambda y: y + 1)(x), X),
    "a state that changes its type": ("types", drifts, (jnp.ones(3), jnp.int32(2))),
    "one of two states beside a loss": (
        *("types", drifts_beside_a_loss, {"w": X, "b": X[0]}, {"mean": X, "count": jnp.int32(0)}, X),
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", PLANTED)
def test_a_planted_hazard_is_found_and_is_the_only_one(case):
    name, function, *args = PLANTED[case]
    with jax.numpy_dtype_promotion("standard"):
        assert names(function, *args) == {name}


@pytest.mark.filterwarnings("ignore")
def test_what_was_traced_or_lowered_before_has_the_same_hazards():
    given, asking = jax.jit(jnp.sum, donate_argnums=0), jax.jit(asks_for_64)
    assert [names(given, jnp.ones(1 << 19)) for _ in range(2)] == [{"unusable donation"}] * 2
    assert [names(asking, X) for _ in range(2)] == [{"cut"}] * 2


def test_a_key_that_has_a_name_is_watched_as_well():
    assert names(lambda x, *, key: x + used_twice(key), X[:3], key=KEY) == {"key"}


def test_captured_arrays_are_counted():
    def of_two(x):
        return jax.jit(lambda x: x @ TABLE @ OTHER + (x @ TABLE).sum())(x)

    for function in (of_two, jax.jit(of_two), lambda x: jax.lax.fori_loop(0, 3, lambda i, x: of_two(x), x)):
        (one,) = [each for each in before(function, jnp.ones(200)).hazards if each.name == "captured"]
        assert one.says.startswith("**2 captured arrays** of 160 kB, `float32[200,200]`, are no arguments.")


def polynomial(x):
    return 1 + x * (2 + x * (3 + x * (4 + x * (5 + x * (6 + x * (7 + x * (8 + x * (9 + x * (10 + x * 11)))))))))


def dense_line(s):
    a, b, p, q = s
    return jnp.array([p, q, (-q * q * jnp.sin(a - b) - 2 * jnp.sin(a) + jnp.sin(b) * jnp.cos(a - b) - p * p * jnp.sin(a - b) * jnp.cos(a - b)) / (2 - jnp.cos(a - b) ** 2), (2 * p * p * jnp.sin(a - b) - 2 * jnp.sin(b) + 2 * jnp.sin(a) * jnp.cos(a - b) + q * q * jnp.sin(a - b) * jnp.cos(a - b)) / (2 - jnp.cos(a - b) ** 2)])  # fmt: skip  # noqa: E501


def runge_kutta(s):
    k1 = dense_line(s)
    k2 = dense_line(s + 0.005 * k1)
    k3 = dense_line(s + 0.005 * k2)
    return s + 0.01 / 6 * (k1 + 2 * k2 + 2 * k3 + dense_line(s + 0.01 * k3))


def in_a_scan(s):
    return jax.lax.scan(lambda s, _: (runge_kutta(s), None), s, None, length=50)[0]


def blurred(x):
    return sum(jnp.roll(jnp.roll(x, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1)) / 9


ONCE = jax.jit(one_step)


def a_jitted_helper_on_many_lines(x):
    x = ONCE(ONCE(ONCE(x)))
    x = ONCE(ONCE(ONCE(x)))
    x = ONCE(ONCE(ONCE(x)))
    x = ONCE(ONCE(ONCE(x)))
    x = ONCE(ONCE(ONCE(x)))
    x = ONCE(ONCE(ONCE(x)))
    x = ONCE(ONCE(ONCE(x)))
    x = ONCE(ONCE(ONCE(x)))
    return x


class Constants(NamedTuple):
    """Ten numbers that are always ten."""

    a: float = 1.0
    b: float = 2.0
    c: float = 3.0
    d: float = 4.0
    e: float = 5.0
    f: float = 6.0
    g: float = 7.0
    h: float = 8.0
    i: float = 9.0
    j: float = 10.0


BATCHES = iter([X])
DONATES = jax.jit(step, donate_argnums=0)
ONCE_WITH = jax.jit(lambda table, x: table @ x)


def drawn(key):
    first, second = jax.random.split(key)
    return jax.random.normal(first, (5,)) + jax.random.uniform(second, (5,))


def layers(weights, x):
    for w in weights:
        x = jnp.tanh(x @ w)
    return x.sum()


CLEAN = {
    "a formula": (lambda x: 2 * x + 1, X),
    "a polynomial on one line": (polynomial, X),
    "a dense line": (dense_line, jnp.ones(4)),
    "four stages of it": (runge_kutta, jnp.ones(4)),
    "its steps in a scan": (in_a_scan, jnp.ones(4)),
    "nine shifts": (blurred, jnp.ones((30, 30))),
    "keys that are split": (drawn, KEY),
    "four layers": (jax.grad(layers), [jnp.ones((8, 8))] * 4, jnp.ones(8)),
    "a scan": (lambda x: jax.lax.scan(lambda c, v: (c + v, c), 0.0, x), X),
    "a product": (lambda x: x @ x, jnp.ones((40, 40))),
    "a donated state": (jax.jit(step, donate_argnums=0), jnp.ones(1 << 19), 1.0),
    "a static argument": (jax.jit(lambda x, n: x * n, static_argnums=1), X, 3),
    "a name": (lambda x, *, by: x * by, X),
    "a state that keeps its type": (lambda s: (s[0] + 1, s[1] + 1), (jnp.ones(3), jnp.int32(2))),
    "a mean and its test": (lambda x: (x.mean(), x > 1), X),
    "expm": (jax.scipy.linalg.expm, jnp.ones((6, 6))),
    "a small captured array": (lambda x: x * jnp.arange(3.0), jnp.ones(3)),
    "a jitted helper on many lines": (a_jitted_helper_on_many_lines, X),
    "constants with names": (lambda of, x: of.a * x + of.j, Constants(), X),
    "static sizes": (jax.jit(lambda sizes, x: x * sum(sizes), static_argnums=0), tuple(range(9)), X),
    "static words": (jax.jit(lambda words, x: (x[0], x[1]), static_argnums=0), ("a", "b"), X),
    "whole numbers after a static one": (STATIC, 2, np.arange(3, dtype=np.int32), np.ones(3, np.float32)),
    "a static number of NumPy's": (jax.jit(lambda x, n: x[:n], static_argnums=1), X, np.int64(2)),
    "a donated state inside": (lambda x: DONATES(x, 1.0), jnp.ones(1 << 19)),
    "the next batch": (lambda x: ONCE(x) + next(BATCHES), X),
    "a method of a jitted function": (LINE.at, X[:200]),
    "a partial of one": (functools.partial(ONCE_WITH, BIG), BIG[0]),
}


@pytest.mark.parametrize("case", CLEAN)
def test_what_is_written_well_has_no_hazard(case):
    function, *args = CLEAN[case]
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        assert names(function, *args, **({"by": 2.0} if case == "a name" else {})) == set()


def leaves_by_numpy(x):
    return np.sin(x)


def leaves_by_if(x):
    return x if x[0] > 0 else -x


LEAVES = {
    "NumPy": (leaves_by_numpy, "array"),
    "a function of NumPy": (np.sin, "array"),
    "a slice": (lambda x: x[: x[0].astype(int)], "static"),
    "a shape": (lambda x: jnp.zeros(x[0].astype(int)), "concrete"),
    "a static argument": (lambda x: STATIC(x[0].astype(int), x, x), "static"),
    "a word in a dictionary": (lambda x: {x[0]: x}, "unhashable"),
    "if": (leaves_by_if, "bool"),
    "float": (lambda x: float(x[0]), "concrete"),
    "a range": (lambda x: sum(range(x[0].astype(int))), "traced array"),
    "a mask": (lambda x: x[x > 0], "oolean"),
}


@pytest.mark.parametrize("case", LEAVES)
def test_what_leaves_jax_is_refused_with_its_first_line(case):
    function, word = LEAVES[case]
    start = "The function leaves JAX, so there is no program to read. (JAX says|It stops with): "
    with pytest.raises(LeavesJax, match=start) as error:
        before(function, X)
    assert word in str(error.value).lower() and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("function", "args"), [(lambda x, how: x, (X, "sum")), (lambda f, x: f(x), (jnp.sin, X)), (lambda x: "sum", (X,))]
)
def test_what_is_no_array_is_refused_with_what_to_do(function, args):
    with pytest.raises(LeavesJax, match=r"Bind what is none with `functools.partial`.* JAX says: ") as error:
        before(function, *args)
    assert "\n" not in str(error.value)


def refuses(x):
    raise ValueError(f"no {x}")


@pytest.mark.parametrize("wrong", [lambda x: x @ x[:3], lambda x: x.nothing, lambda x, y: x, refuses])
def test_what_is_wrong_in_itself_is_not_said_to_leave_jax(wrong):
    with pytest.raises((TypeError, AttributeError, ValueError)) as error:
        before(wrong, X)
    assert not isinstance(error.value, LeavesJax)


def test_each_hazard_has_a_section_of_the_course():
    sections = {label for text in Course.installed().texts.values() for label in text.sections}
    assert set(_hazards.SECTIONS.values()) <= sections
    planted = {name for name, *_ in PLANTED.values()}
    assert planted <= set(_hazards.SECTIONS)


def test_a_warning_of_the_functions_own_is_repeated():
    def warns(x):
        import warnings

        warnings.warn("mind the gap", stacklevel=1)
        return x

    (one,) = before(warns, X).hazards
    assert one.name == "warned" and "mind the gap" in one.says
