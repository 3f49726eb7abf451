"""Answers to trusted-differences."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@right("trusted-differences")
def extrapolated(f, x, scale):
    wide = np.asarray(x).astype(np.float64)
    gradient = np.empty(wide.shape)
    for index in np.ndindex(*wide.shape):

        def central(h, index=index):
            up, down = wide.copy(), wide.copy()
            up[index] += h
            down[index] -= h
            return (f(up) - f(down)) / (up[index] - down[index])

        h = 1e-3 * scale
        gradient[index] = (4 * central(h / 2) - central(h)) / 3
    return gradient


def differences(step, dtype=np.float64, sides=2, divide=2):
    """Differences with a step `step(scale)`, in a dtype, to one side or both."""

    def gradient_of(f, x, scale):
        wide, h = np.array(x, dtype), step(scale)
        gradient = np.zeros(wide.shape, dtype)
        for index in np.ndindex(wide.shape):
            moved = np.zeros_like(wide)
            moved[index] = h
            before = f(wide - moved) if sides == 2 else f(wide)
            gradient[index] = (f(wide + moved) - before) / (divide * h)
        return gradient

    return gradient_of


a_rough_step = right("trusted-differences")(differences(lambda scale: 1e-5 * scale))


in_the_dtype_of_x = wrong("trusted-differences", "in-float32")(
    lambda f, x, scale: differences(lambda s: 1e-3 * s, dtype=np.asarray(x).dtype)(f, x, scale).astype(np.float64)
)


fixed_step = wrong("trusted-differences", "step-not-scaled")(differences(lambda scale: 6e-6))


to_one_side = wrong("trusted-differences", "one-sided")(differences(lambda scale: 1e-6 * scale, sides=1, divide=1))


too_small_a_step = wrong("trusted-differences", "wrong-step")(differences(lambda scale: 1e-10 * scale))


too_large_a_step = wrong("trusted-differences", "wrong-step")(differences(lambda scale: 1e-3 * scale))


forgets_the_two = wrong("trusted-differences", "divided-by-one-step")(differences(lambda scale: 6e-6 * scale, divide=1))


@wrong("trusted-differences", "several-moved")
def fills_the_point_itself(f, x, scale):
    wide, step = np.array(x, np.float64), 6e-6 * scale
    for index in np.ndindex(wide.shape):
        moved = np.zeros_like(wide)
        moved[index] = step
        wide[index] = (f(wide + moved) - f(wide - moved)) / (2 * step)
    return wide


turned_around = wrong("trusted-differences", "wrong-value")(differences(lambda scale: 6e-6 * scale, divide=-2))


@wrong("trusted-differences", "step-of-zero")
def a_step_for_each_element(f, x, scale):
    wide = np.array(x, np.float64)
    gradient = np.zeros_like(wide)
    for index in np.ndindex(wide.shape):
        moved = np.zeros_like(wide)
        moved[index] = 6e-6 * abs(wide[index])
        with np.errstate(all="ignore"):
            gradient[index] = np.divide(f(wide + moved) - f(wide - moved), 2 * moved[index])
    return gradient


@wrong("trusted-differences", "wrong-step")
def steps_by_the_size_of_each_element(f, x, scale):
    wide = np.array(x, np.float64)
    steps = 6e-6 * np.where(wide == 0, scale, np.abs(wide))
    gradient = np.zeros(wide.shape)
    for i in np.ndindex(wide.shape):
        up, down = wide.copy(), wide.copy()
        up[i] += steps[i]
        down[i] -= steps[i]
        gradient[i] = (f(up) - f(down)) / (up[i] - down[i])
    return gradient


@wrong("trusted-differences", "moved-a-copy")
def moves_a_flat_view(f, x, scale):
    wide, step = np.array(x, np.float64), 6e-6 * scale
    flat, gradient = wide.reshape(-1), np.zeros(wide.size)
    for i in range(wide.size):
        kept = flat[i]
        flat[i] = kept + step
        up = f(wide)
        flat[i] = kept - step
        gradient[i] = (up - f(wide)) / (2 * step)
        flat[i] = kept
    return gradient.reshape(wide.shape)


@wrong("trusted-differences", "wrong-shape")
def one_row(f, x, scale):
    return differences(lambda s: 6e-6 * s)(f, x, scale).ravel()


@wrong("trusted-differences", "wrong-dtype")
def back_to_float32(f, x, scale):
    return jnp.asarray(differences(lambda s: 6e-6 * s)(f, x, scale))


@wrong("trusted-differences", "f-is-numpy")
def asks_jax(f, x, scale):
    return np.asarray(jax.grad(f)(jnp.asarray(x)), np.float64)


@wrong("trusted-differences", "not-an-array")
def a_list(f, x, scale):
    return list(differences(lambda s: 6e-6 * s)(f, x, scale).ravel())


@wrong("trusted-differences", "wrong-step")
def central_with_a_look_at_x(f, x, scale):
    wide, h = np.array(x, np.float64), 1e-3 * scale
    gradient, here = np.zeros_like(wide), f(wide)
    assert np.ndim(here) == 0
    for i in np.ndindex(wide.shape):
        up, down = wide.copy(), wide.copy()
        up[i] += h
        down[i] -= h
        gradient[i] = (f(up) - f(down)) / (2 * h)
    return gradient


@wrong("trusted-differences", "several-moved")
def never_puts_one_back(f, x, scale):
    wide, h = np.array(x, np.float64), 6e-6 * scale
    gradient = np.zeros_like(wide)
    for i in np.ndindex(wide.shape):
        wide[i] += h
        above = f(wide)
        wide[i] -= 2 * h
        gradient[i] = (above - f(wide)) / (2 * h)
    return gradient


@wrong("trusted-differences", "kept-in-float32")
def collects_in_the_dtype_of_x(f, x, scale):
    wide, gradient, h = np.array(x, np.float64), np.zeros_like(x), 6e-6 * scale
    for i in np.ndindex(wide.shape):
        up, down = wide.copy(), wide.copy()
        up[i] += h
        down[i] -= h
        gradient[i] = (f(up) - f(down)) / (2 * h)
    return gradient.astype(np.float64)


@wrong("trusted-differences", "wrong-value")
def returns_zeros(f, x, scale):
    return np.zeros(x.shape)


equivalents = [
    equivalent("trusted-differences", "`3`  ->  `4`", "another step, and precise enough: the text gives no step"),
    equivalent(
        "trusted-differences", "`np.zeros_like`  ->  `np.ones_like`", "the same shape, and every element is written"
    ),
    equivalent("trusted-differences", "`wide`  ->  `gradient`", "the same shape, and every element is written"),
    equivalent("trusted-differences", "`wide`  ->  `x`", "a `float64` step makes the sum `float64`"),
]


@wrong("trusted-differences", "step-not-scaled")
def divides_the_step_by_the_scale(f, x, scale):
    x, h = x.astype(np.float64), 1e-5 / scale
    units = [h * unit.reshape(x.shape) for unit in np.eye(x.size)]
    return np.reshape([(f(x + unit) - f(x - unit)) / (2 * h) for unit in units], x.shape)


@wrong("trusted-differences", "scale-in-the-step-only")
def divides_by_a_step_without_the_scale(f, x, scale):
    x, h = x.astype(np.float64), 1e-5
    units = [h * scale * unit.reshape(x.shape) for unit in np.eye(x.size)]
    return np.reshape([(f(x + unit) - f(x - unit)) / (2 * h) for unit in units], x.shape)
