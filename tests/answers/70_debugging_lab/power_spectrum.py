"""Answers to power-spectrum."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@wrong("power-spectrum", "uses-the-leaked-tracer")
def keeps_the_mean_aside(signal):
    kept = {}

    @jax.jit
    def power(signal):
        kept["mean"] = signal.mean()
        return jnp.abs(jnp.fft.rfft(signal - kept["mean"])) ** 2

    spectrum = power(signal)
    return spectrum, 1.0 * kept["mean"]


@wrong("power-spectrum", "still-leaks")
def computes_the_mean_again(signal):
    kept = {}

    @jax.jit
    def power(signal):
        kept["mean"] = signal.mean()
        return jnp.abs(jnp.fft.rfft(signal - kept["mean"])) ** 2

    spectrum = power(signal)
    return spectrum, signal.mean()


@wrong("power-spectrum", "asks-for-the-number")
def keeps_a_float(signal):
    kept = {}

    @jax.jit
    def power(signal):
        kept["mean"] = float(signal.mean())
        return jnp.abs(jnp.fft.rfft(signal - kept["mean"])) ** 2

    spectrum = power(signal)
    return spectrum, kept["mean"]


@wrong("power-spectrum", "not-a-pair")
def returns_the_spectrum_alone(signal):
    return jax.jit(lambda s: jnp.abs(jnp.fft.rfft(s - s.mean())) ** 2)(signal)


@wrong("power-spectrum", "mean-left-in")
def keeps_the_mean_in_the_signal(signal):
    return jnp.abs(jnp.fft.rfft(signal)) ** 2, signal.mean()


@wrong("power-spectrum", "wrong-mean")
def takes_the_mean_afterwards(signal):
    signal = signal - signal.mean()
    return jnp.abs(jnp.fft.rfft(signal)) ** 2, signal.mean()


_aside = {}


@jax.jit
def _keeps_aside(signal):
    _aside["mean"] = signal.mean()
    return jnp.abs(jnp.fft.rfft(signal - _aside["mean"])) ** 2


@wrong("power-spectrum", "still-leaks")
def leaks_into_a_global(signal):
    return _keeps_aside(signal), jnp.mean(signal)


@wrong("power-spectrum", "still-leaks")
def returns_it_and_keeps_it(signal):
    kept = []

    @jax.jit
    def power(signal):
        kept.append(signal.mean())
        return jnp.abs(jnp.fft.rfft(signal - kept[0])) ** 2, kept[0]

    return power(signal)


@wrong("power-spectrum", "uses-the-leaked-tracer")
def returns_what_was_kept(signal):
    kept = []
    power = jax.jit(lambda s: kept.append(s.mean()) or jnp.abs(jnp.fft.rfft(s - kept[0])) ** 2)
    return power(signal), kept[0]


_means = []


@wrong("power-spectrum", "kept-from-before")
def calls_back_with_the_mean(signal):
    @jax.jit
    def power(signal):
        mean = signal.mean()
        jax.debug.callback(lambda mean: _means.append(jnp.asarray(mean)), mean)
        return jnp.abs(jnp.fft.rfft(signal - mean)) ** 2

    spectrum = power(signal)
    jax.effects_barrier()
    return spectrum, _means[-1]


@wrong("power-spectrum", "wrong-value")
@jax.jit
def takes_the_mean_from_the_spectrum(signal):
    amplitude = jnp.abs(jnp.fft.rfft(signal))
    return (amplitude**2).at[0].set(0), amplitude[0] / signal.size


@wrong("power-spectrum", "mean-taken-off-late")
@jax.jit
def sets_the_first_to_zero(signal):
    amplitude = jnp.fft.rfft(signal)
    return (jnp.abs(amplitude) ** 2).at[0].set(0), amplitude[0].real / signal.size


_mean_of_length = {}


@wrong("power-spectrum", "kept-between-calls")
def remembers_the_mean_of_a_length(signal):
    mean = _mean_of_length.setdefault(len(signal), float(np.mean(signal)))
    return jax.jit(lambda s, m: jnp.abs(jnp.fft.rfft(s - m)) ** 2)(signal, mean), mean


@wrong("power-spectrum", "amplitude")
@jax.jit
def forgets_the_square(signal):
    return jnp.abs(jnp.fft.rfft(signal - signal.mean())), signal.mean()


@wrong("power-spectrum", "exchanged")
def puts_the_mean_first(signal):
    mean = signal.mean()
    return mean, jnp.abs(jnp.fft.rfft(signal - mean)) ** 2


@wrong("power-spectrum", "wrong-value")
def divides_by_the_length(signal):
    mean = signal.mean()
    return jnp.abs(jnp.fft.rfft(signal - mean)) ** 2 / signal.size, mean


@right("power-spectrum")
def hands_the_mean_in(signal):
    mean = float(np.mean(signal))
    return jax.jit(lambda s, m: jnp.abs(jnp.fft.rfft(s - m)) ** 2)(signal, mean), mean


@right("power-spectrum")
def puts_aside_what_came_back(signal):
    kept = {}
    power = jax.jit(lambda s: (jnp.square(jnp.abs(jnp.fft.rfft(s - s.mean()))), s.mean()))
    spectrum, kept["mean"] = power(signal)
    return [spectrum, 1.0 * kept["mean"]]


equivalents = [
    equivalent("power-spectrum", "`signal - mean`  ->  `mean - signal`", "it is squared"),
    equivalent("power-spectrum", "`jax.jit`  ->  ``", "without `jit` there is no tracer to let out"),
]


@wrong("power-spectrum", "asks-for-the-number")
def takes_a_float_of_what_leaked(signal):
    kept = {}

    @jax.jit
    def power(signal):
        kept["mean"] = signal.mean()
        return jnp.abs(jnp.fft.rfft(signal - kept["mean"])) ** 2

    return power(signal), float(kept["mean"])
