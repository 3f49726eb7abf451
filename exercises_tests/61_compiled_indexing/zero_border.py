"""zero-border: `x` as a new JAX array, 0 along its border, as it was inside, and of its own dtype."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import is_close, numbers, refuse_nothing


def type_for_jax(function, values):
    """The type of what the answer makes of a JAX array."""
    result = function(jnp.asarray(values))
    return "jax.Array" if probe.is_really(result, jax.Array) else type(result).__name__


def with_border(x):
    y = x.copy()
    y[0] = y[-1] = y[:, 0] = y[:, -1] = 0
    return y


def plate(rng, shape, dtype="float32"):
    x = inputs.array(rng, shape, dtype)
    return (np.where(rng.random(shape) < 0.2, x.dtype.type(rng.choice([np.nan, np.inf, 0])), x),)


def half_precision(rng):
    return [plate(rng, (4, 3), "float16")]


def a_jax_array(answer, rng):
    """An array of JAX comes back."""
    kind = answer.probe(type_for_jax, np.ones((5, 7), np.float32))
    refuse_nothing(kind == "NoneType")
    require(kind == "jax.Array", "not-jax", kind=kind)


SIDES = "first row", "last row", "first column", "last column"


def every_side(answer, rng):
    """All four sides are zero, and nothing else."""
    x = rng.uniform(1, 2, size=(5, 7)).astype(np.float32)
    got = numbers(answer.probe(probe.on_jax_arrays, x))
    refuse(is_close(got, x), "thrown-away")
    if got.shape != x.shape:
        return
    zero = got == 0
    sides = [bool(side.all()) for side in (zero[0], zero[-1], zero[:, 0], zero[:, -1])]
    refuse(1 < zero.sum() <= zero[[0, 0, -1, -1], [0, -1, 0, -1]].sum(), "corners-only")
    kept = " and the ".join(side for side, is_zero in zip(SIDES, sides, strict=True) if not is_zero)
    refuse(1 <= sum(sides) <= 3, "some-sides", kept=kept)
    refuse(zero[1:-1, 1:-1].all() and not any(sides), "inside-out")


def times_zero(x):
    with np.errstate(invalid="ignore"):
        return x * with_border(np.ones_like(x))


MISTAKES = {
    "cut-off": lambda x: x[1:-1, 1:-1],
    "border-added": lambda x: np.pad(x, 1),
    "nan-kept": times_zero,
}

WORDS = """
hint: `x.at[0].set(0)` gives a new array. Where does it go?
hint: Begin the second update where the first one ended.
not-jax: Return a `jax.Array`, not an object of type `{kind}`.
thrown-away: Your plate came back as it was. `.at[...]` gives a new array: keep it.
corners-only [index-arrays]: You set only corners to 0. A number or an index array for each axis names single
    elements. One for the rows alone names whole rows.
some-sides: You left sides that are not 0: the {kept}. An update counts only if the next one starts from it, and a
    write out of bounds is dropped silently.
inside-out: You set the inside to 0, and kept the border.
cut-off: You cut the border off. It should be there, and 0.
border-added: You put a new border around the plate. Its own should be 0.
nan-kept: Your border is NaN if it was not finite. So is 0 times NaN, and NaN minus NaN: set it instead.
wrong-value: Your border should be 0, and the inside as it was.
another-dtype: Your result has another dtype, or other numbers inside, for a plate of `float16`. Return the plate in
    its own dtype.
"""

SHAPES = [(2, 2), (3, 2), (5, 7)]
zero_border = declare(
    "zero-border",
    see="at-property",
    steps=[
        a_jax_array,
        every_side,
        Agrees(with_border, plate, SHAPES, each=5, ask=probe.on_jax_arrays, mistakes=MISTAKES),
        Agrees(with_border, extremes=half_precision, ask=probe.on_jax_arrays, dtype=True, otherwise="another-dtype"),
    ],
    words=WORDS,
)
