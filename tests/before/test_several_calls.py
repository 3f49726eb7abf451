"""How many programs several calls compile, and why: what is said is what JAX then compiles."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse import probe
from jaxcourse.before import LeavesJax, _programs, before

THREE, FOUR = (np.arange(n, dtype=np.float32) for n in (3, 4))
DOUBLED = jax.jit(lambda x: 2 * x)


def scaled(x, by):
    return x * by


def jitted_in_it(x):
    return jax.jit(lambda y: 2 * y)(x)


def partial_in_it(x):
    return jax.jit(functools.partial(scaled, by=2.0))(x)


def jitted_once(x):
    return DOUBLED(x) + jnp.where(x > 0, x, 1)


def of_pairs(pairs):
    return sum(pairs.values())


def placed(x):
    return jax.device_put(x, jax.devices()[0])


STATIC = {"static_argnames": "by"}
CHURN = {
    "one shape, new values": (scaled, {}, [(THREE, 2.0), (THREE + 1, 3.0), (jnp.asarray(THREE), 4.0)], [1, 0, 0]),
    "lengths": (scaled, {}, [(THREE, 2.0), (FOUR, 2.0), (THREE, 3.0), (FOUR[:2], 1.0)], [1, "shapes", 0, "shapes"]),
    "dtypes": (DOUBLED, None, [(THREE,), (THREE.astype(int),), (THREE.astype(float),)], [1, "types", 0]),
    "weak types": (scaled, {}, [(1.0, 2.0), (jnp.float32(1), 2.0), (3.0, 4.0)], [1, "types", 0]),
    "static values": (scaled, STATIC, [(THREE, 2), (THREE, 3), (FOUR, 3), (THREE, 2)], [1, "static", "shapes", 0]),
    "structures": (
        of_pairs,
        {},
        [({"a": THREE, "b": THREE},), ({"b": THREE, "a": THREE},), ({"a": THREE},)],
        [1, 0, "structures"],
    ),
    "places": (DOUBLED, None, [(THREE,), (placed(THREE),), (jnp.asarray(THREE),)], [1, "placed", 0]),
    "a jit made anew": (jitted_in_it, None, [(THREE,), (THREE,), (THREE + 1,)], ["anew"] * 3),
    "a partial made anew": (partial_in_it, None, [(THREE,), (THREE,)], ["anew"] * 2),
    "a jit that is one": (jitted_once, {}, [(THREE,), (THREE + 1,), (FOUR,)], [1, 0, "shapes"]),
}
"""A function, how it is jitted (None: as it is), its calls, and for each whether it compiles, and what was new."""


@pytest.mark.parametrize("case", CHURN)
def test_what_is_said_is_what_is_compiled(case):
    function, options, (first, *others), new = CHURN[case]
    run = function if options is None else jax.jit(function, **options)
    said = before(run, *first).programs(others)
    assert [one.compiles for one in said.calls] == [min(1, one) if isinstance(one, int) else 1 for one in new]
    names = {one.name for one in said.hazards}
    assert names == {one for one in new if isinstance(one, str)}
    assert [len(each) for each in probe.compiles(run, [first, *others])] == [one.compiles for one in said.calls]


@pytest.mark.parametrize("case", [name for name, (_, options, *_) in CHURN.items() if options == {}])
def test_a_function_that_is_not_jitted_is_seen_as_if_it_were(case):
    function, _, (first, *others), new = CHURN[case]
    said = before(function, *first).programs(others)
    assert [one.compiles > 0 for one in said.calls] == [one != 0 for one in new]
    assert _programs.AS_IF in str(said)


def test_nothing_is_run_and_nothing_is_compiled():
    ran, told = [], []
    jitted = jax.jit(lambda x: jax.debug.callback(lambda: ran.append(1)) or told.append(x) or x)
    said = before(jitted, THREE)
    traces = len(told)
    assert said.programs([(FOUR,), (THREE,)]).count == 2 and not ran
    assert len(told) == traces + 1  # the shape that is new


def test_why_stands_beside_the_call_that_is_most_like_it():
    said = before(jax.jit(scaled, static_argnames="by"), THREE, 2).programs([(FOUR, 3), (FOUR, 4)])
    assert said.calls[1].why == ("`x`: shape (4,), not (3,)", "`by`: static value `3`, not `2`")
    assert said.calls[2].why == ("`by`: static value `4`, not `3`",)
    latest = before(DOUBLED, jnp.int32(1)).programs([(1.0,), (jnp.float32(1),)])
    assert latest.calls[2].why == ("`x`: float32, not a weak float32",)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((None, 0), "static value `0`, not `None`"),
        ((3, 4.0), "static value `4.0`, not `3`"),
        (("sum", "mean"), "static value `'mean'`, not `'sum'`"),
        ((jnp.sin, jnp.cos), "static value `cos`, not `sin`"),
    ],
)
def test_static_values_of_every_kind_are_named(values, words):
    one, other = values
    said = before(jax.jit(lambda x, how: x, static_argnums=1), THREE, one).programs([(THREE, other), (THREE, one)])
    assert said.count == 2 and said.calls[1].why == (f"`how`: {words}",)


def test_a_leaf_of_a_structure_is_named():
    said = before(of_pairs, {"a": THREE, "b": THREE}).programs([({"a": FOUR, "b": FOUR},)])
    assert said.calls[1].why == ("`pairs['a']`: shape (4,), not (3,)",)


def test_arguments_without_names_have_a_number():
    said = before(lambda *xs: sum(xs), THREE, THREE).programs([(FOUR, FOUR), (THREE,)])
    assert said.calls[1].why == ("`xs[0]`: shape (4,), not (3,)", "`xs[1]`: shape (4,), not (3,)")
    assert said.calls[2].why == ("1 arguments, not 2",)


def test_arguments_with_names_stay():
    said = before(jax.jit(lambda x, *, by: x * by, static_argnames="by"), THREE, by=3).programs([(THREE,), (FOUR,)])
    assert [one.compiles for one in said.calls] == [1, 0, 1]
    assert said.calls[2].why == ("`x`: shape (4,), not (3,)",)


def test_shapes_without_values_are_calls_as_well():
    three, four = (jax.ShapeDtypeStruct((n,), "float32") for n in (3, 4))
    assert before(DOUBLED, three).programs([(THREE,), (four,)]).count == 2


def test_hazards_lead_to_their_sections():
    said = before(scaled, THREE, 2.0).programs([(FOUR, 2.0)])
    assert "Shapes that change: 1 of 2 calls compile" in str(said) and "New shapes" in str(said)
    assert "<li>" in said._repr_html_() and "2 programs" in said._repr_html_()


def test_with_one_jit_around_it_fewer_are_needed():
    assert "these calls need 2 programs" in str(before(jitted_in_it, THREE).programs([(THREE,), (FOUR,)]))


def test_what_is_no_call_is_refused():
    with pytest.raises(TypeError, match=r"write \[\(x,\), \(y,\)\]"):
        before(DOUBLED, THREE).programs([FOUR])
    with pytest.raises(LeavesJax):
        before(lambda x, n: x if isinstance(n, tuple) or n > 2 else -x, THREE, (1,)).programs([(THREE, 3)])
