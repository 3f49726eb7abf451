"""Answers to scores."""

import jax
import jax.numpy as jnp
import numpy as np
import optax

from jaxcourse.exercise import equivalent, right, wrong


def innovations_of(expected, readings, source, heard):
    filled = jnp.take_along_axis(readings, source, axis=0)
    mean, log_spread = expected(filled, heard)
    return heard[24:] * (filled[24:] - mean) / jax.lax.stop_gradient(jnp.exp(log_spread))


def correlated(wave, slope):
    half = len(wave) // 2
    rows = jnp.pad(slope, ((half, half), (0, 0)))
    return sum(wave[k] * rows[k : k + len(slope)] for k in range(len(wave)))


@right("scores")
def by_vjp(expected, wave, readings, source, heard):
    r, back = jax.vjp(lambda x: innovations_of(expected, x, source, heard), readings)
    (slope,) = back(jnp.clip(r, -2.5, 2.5))
    return jax.vmap(lambda column: jnp.correlate(column, wave, mode="same"), 1, 1)(slope)


@right("scores")
def by_a_copy_of_the_spread(expected, wave, readings, source, heard):
    _, held = expected(jnp.take_along_axis(readings, source, axis=0), heard)

    @jax.jit
    @jax.grad
    def slope_of(x):
        filled = x[source, jnp.arange(x.shape[1])]
        mean, _ = expected(filled, heard)
        size = jnp.abs(heard[24:] * (filled[24:] - mean) * jnp.exp(-held))
        return jnp.where(size < 2.5, size**2 / 2, 2.5 * size - 2.5**2 / 2).sum()

    slope = np.asarray(slope_of(readings))
    turned = np.asarray(wave)[::-1]
    columns = [np.convolve(slope[:, i], turned, "full") for i in range(slope.shape[1])]
    half = len(turned) // 2
    return np.stack(columns, axis=1)[half : half + len(slope)]


@right("scores")
def by_linearising_and_transposing(expected, wave, readings, source, heard):
    r, push = jax.linearize(lambda x: innovations_of(expected, x, source, heard), readings)
    (slope,) = jax.linear_transpose(push, readings)(jnp.clip(r, -2.5, 2.5))
    lags = jnp.arange(len(wave)) - len(wave) // 2
    at = jnp.arange(len(slope))[:, None] + lags
    pieces = slope.at[jnp.where(at < 0, len(slope), at)].get(mode="fill", fill_value=0)
    return jnp.einsum("tks,k->ts", pieces, wave)


@right("scores")
def one_tangent_for_each_wave(expected, wave, readings, source, heard):
    """Forwards: right, and far too slow for a record of three days."""
    minutes, stations = readings.shape
    half = len(wave) // 2

    def cost(x):
        return optax.huber_loss(innovations_of(expected, x, source, heard), delta=2.5).sum()

    def along(minute, station):
        rows = jnp.arange(minutes)
        lag = rows - minute + half
        shape = jnp.where((lag >= 0) & (lag < len(wave)), wave[jnp.clip(lag, 0, len(wave) - 1)], 0.0)
        direction = shape[:, None] * (jnp.arange(stations) == station)
        return jax.jvp(cost, (readings,), (direction,))[1]

    every = jax.vmap(jax.vmap(along, (None, 0)), (0, None))
    return every(jnp.arange(minutes), jnp.arange(stations))


@wrong("scores", "yardstick-moves")
def differentiates_the_spread(expected, wave, readings, source, heard):
    def cost(x):
        filled = jnp.take_along_axis(x, source, axis=0)
        mean, log_spread = expected(filled, heard)
        r = heard[24:] * (filled[24:] - mean) / jnp.exp(log_spread)
        return optax.huber_loss(r, delta=2.5).sum()

    return correlated(wave, jax.grad(cost)(readings))


@wrong("scores", "yardstick-moves")
def holds_the_wrong_one(expected, wave, readings, source, heard):
    def cost(x):
        filled = jnp.take_along_axis(x, source, axis=0)
        mean, log_spread = expected(filled, heard)
        r = heard[24:] * (filled[24:] - mean) / jnp.exp(log_spread + jax.lax.stop_gradient(0 * log_spread))
        return optax.huber_loss(r, delta=2.5).sum()

    return correlated(wave, jax.grad(cost)(readings))


@wrong("scores", "copies-dropped")
def differentiates_the_filled_record(expected, wave, readings, source, heard):
    def cost(filled):
        mean, log_spread = expected(filled, heard)
        r = heard[24:] * (filled[24:] - mean) / jax.lax.stop_gradient(jnp.exp(log_spread))
        return optax.huber_loss(r, delta=2.5).sum()

    return correlated(wave, jax.grad(cost)(jnp.take_along_axis(readings, source, axis=0)))


@wrong("scores", "copies-dropped")
def masks_the_copies(expected, wave, readings, source, heard):
    def cost(filled):
        mean, log_spread = expected(filled, heard)
        r = heard[24:] * (filled[24:] - mean) / jax.lax.stop_gradient(jnp.exp(log_spread))
        return optax.huber_loss(r, delta=2.5).sum()

    return correlated(wave, jax.grad(cost)(readings) * heard)


@wrong("scores", "copies-dropped")
def writes_instead_of_adding(expected, wave, readings, source, heard):
    def cost(filled):
        mean, log_spread = expected(filled, heard)
        r = heard[24:] * (filled[24:] - mean) / jax.lax.stop_gradient(jnp.exp(log_spread))
        return optax.huber_loss(r, delta=2.5).sum()

    slope = jax.grad(cost)(readings)
    return correlated(wave, slope * (source == jnp.arange(len(slope))[:, None]) * heard)


@wrong("scores", "sign-turned")
def of_the_likelihood(expected, wave, readings, source, heard):
    def likelihood(x):
        return -optax.huber_loss(innovations_of(expected, x, source, heard), delta=2.5).sum()

    return correlated(wave, jax.grad(likelihood)(readings))


@wrong("scores", "wave-reversed")
def convolves(expected, wave, readings, source, heard):
    def cost(x):
        return optax.huber_loss(innovations_of(expected, x, source, heard), delta=2.5).sum()

    slope = jax.grad(cost)(readings)
    return jax.vmap(lambda column: jnp.convolve(column, wave, mode="same"), 1, 1)(slope)


@wrong("scores", "slams-count")
def takes_plain_squares(expected, wave, readings, source, heard):
    def cost(x):
        return 0.5 * (innovations_of(expected, x, source, heard) ** 2).sum()

    return correlated(wave, jax.grad(cost)(readings))


@wrong("scores", "gaps-count")
def forgets_who_was_heard(expected, wave, readings, source, heard):
    def cost(x):
        return optax.huber_loss(innovations_of(expected, x, source, jnp.ones_like(heard)), delta=2.5).sum()

    def cost_of_all(x):
        filled = jnp.take_along_axis(x, source, axis=0)
        mean, log_spread = expected(filled, heard)
        r = (filled[24:] - mean) / jax.lax.stop_gradient(jnp.exp(log_spread))
        return optax.huber_loss(r, delta=2.5).sum()

    return correlated(wave, jax.grad(cost_of_all)(readings))


@wrong("scores", "windows-forgotten")
def knows_the_reading_only(expected, wave, readings, source, heard):
    r = innovations_of(expected, readings, source, heard)
    filled = jnp.take_along_axis(readings, source, axis=0)
    spread = jnp.exp(expected(filled, heard)[1])
    slope = jnp.zeros_like(readings).at[24:].set(jnp.clip(r, -2.5, 2.5) / spread)
    return correlated(wave, slope)


@wrong("scores", "a-minute-off")
def begins_one_late(expected, wave, readings, source, heard):
    def cost(x):
        return optax.huber_loss(innovations_of(expected, x, source, heard), delta=2.5).sum()

    slope = jax.grad(cost)(readings)
    half = len(wave) // 2
    rows = jnp.pad(slope, ((half + 1, half - 1), (0, 0)))
    return sum(wave[k] * rows[k : k + len(slope)] for k in range(len(wave)))


@wrong("scores", "wrong-value")
def keeps_the_whole_days_only(expected, wave, readings, source, heard):
    def cost(x):
        return optax.huber_loss(innovations_of(expected, x, source, heard), delta=2.5).sum()

    slope = jax.grad(cost)(readings)
    return sum(wave[k] * slope[k : len(slope) - len(wave) + 1 + k] for k in range(len(wave)))


@wrong("scores", "wrong-value")
def wraps_round(expected, wave, readings, source, heard):
    def cost(x):
        return optax.huber_loss(innovations_of(expected, x, source, heard), delta=2.5).sum()

    slope = jax.grad(cost)(readings)
    half = len(wave) // 2
    return sum(wave[k] * jnp.roll(slope, half - k, axis=0) for k in range(len(wave)))


@wrong("scores", "wrong-value")
def takes_the_innovations(expected, wave, readings, source, heard):
    r = innovations_of(expected, readings, source, heard)
    return correlated(wave, jnp.pad(r, ((24, 0), (0, 0))))


@wrong("scores", "one-pass-each")
def one_call_for_each_wave(expected, wave, readings, source, heard):
    half = len(wave) // 2
    found = np.zeros(readings.shape, np.float32)
    padded = jnp.pad(readings, ((half, half), (0, 0)))
    for minute in range(3):
        for station in range(readings.shape[1]):

            def cost(size, minute=minute, station=station):
                x = padded.at[minute : minute + len(wave), station].add(size * wave)[half : half + len(readings)]
                return optax.huber_loss(innovations_of(expected, x, source, heard), delta=2.5).sum()

            for _ in range(4):
                found[minute, station] = jax.grad(cost)(0.0)
    return found


equivalents = [
    equivalent("scores", "`filled[24:] - mean`  ->  `mean - filled[24:]`", "a cost is the same on both sides of 0"),
    equivalent("scores", "`filled`  ->  `readings`", "they differ where nothing was heard, which counts nothing"),
    equivalent("scores", "`1`  ->  `-1`", "the second of two axes is the last one"),
]
