"""power-spectrum."""

import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import is_close, numbers
from jaxcourse.probe import NEEDS_A_VALUE, AnswerRaised

from ._lesson import raised_by


def lets_a_tracer_out(student_function, signal):
    """Whether a tracer escapes from what the function compiles itself, from empty caches."""
    return bool(insides.leaked_from(lambda: student_function(signal)))


def spectrum_and_mean(signal):
    """The oracle, in `float64`."""
    mean = signal.astype(np.float64).mean()
    return np.abs(np.fft.rfft(signal - mean)) ** 2, mean


MISTAKES = {
    "mean-left-in": lambda signal: (np.abs(np.fft.rfft(signal)) ** 2, signal.mean()),
    "amplitude": lambda signal: (np.abs(np.fft.rfft(signal - signal.mean())), signal.mean()),
    "exchanged": lambda signal: spectrum_and_mean(signal)[::-1],
}


def some_signal(rng, n=16):
    return rng.normal(2, 1, size=n).astype(np.float32)


def other_units(rng):
    signal = some_signal(rng)
    return [(-signal,), (np.float32(1e-3) * signal,), (np.float32(100) * signal - 50,)]


def a_pair_of_numbers(answer, rng):
    """No tracer is asked for its number, and two results come back that are those of this very call."""
    signal = some_signal(rng)
    got, raised = raised_by(answer, probe.on_jax_arrays, signal)
    kind = raised.kind if raised else ""
    returned = kind in NEEDS_A_VALUE and not raised.line  # it is no line of the answer that asks for the number
    refuse(kind == "UnexpectedTracerError" or returned, "uses-the-leaked-tracer")
    refuse(kind in NEEDS_A_VALUE, "asks-for-the-number", kind=kind)
    if raised:
        raise AnswerRaised(raised)
    require(isinstance(got, (tuple, list)) and len(got) == 2, "not-a-pair")
    signals = (signal, signal + 3, 7 - 2 * signal)
    second = [numbers(answer.probe(probe.on_jax_arrays, each)[1]) for each in signals]
    gone = [each.shape == () and abs(float(each)) < 1e-4 for each in second]
    refuse(all(gone), "wrong-mean")
    refuse(all(is_close(each, second[0]) for each in second), "kept-between-calls")


def no_digits_are_lost(answer, rng):
    """The mean is taken off before the transform."""
    wave = rng.permutation(np.arange(-3, 4, dtype=np.float32))  # of an odd length: halves would cancel at once
    high = np.float32(2.0**19) + wave  # no digit of the mean is lost, however it is computed
    spectrum = numbers(answer.probe(probe.on_jax_arrays, high)[0])
    require(is_close(spectrum[1:], spectrum_and_mean(high)[0][1:], rtol=1e-4), "mean-taken-off-late")


def nothing_leaks(answer, rng):
    """No tracer escapes, and under an outer `jit` nothing of an earlier call comes back."""
    signal = some_signal(rng)
    escapes = answer.probe(lets_a_tracer_out, signal)
    found, _ = answer.attempt(probe.leaks, signal, expected=["UnexpectedTracerError", *NEEDS_A_VALUE])
    refuse(escapes or found, "still-leaks")
    outer, raised = answer.attempt(probe.under_jit, 3 - signal, expected=NEEDS_A_VALUE)
    if not raised:  # it may raise there, but not say something wrong
        spectrum, mean = spectrum_and_mean(3 - signal)
        good = is_close(numbers(outer[0]), spectrum, rtol=1e-3) and is_close(numbers(outer[1]), mean, rtol=1e-3)
        require(good, "kept-from-before")


WORDS = """
hint: A traced value that leaves by any way but `return` stays a tracer.
hint: Return both.
uses-the-leaked-tracer [leaks]: What is put aside is a tracer. The trace is over, and there was never a number in
    it.
asks-for-the-number [tracer-errors]: A tracer has no number for `if`, `float`, `.item()` or NumPy. It has none inside
    `jit`, and none afterwards, if you put it aside. Your code raised `{kind}`.
not-a-pair: Return the pair `(spectrum, mean)`.
wrong-mean: The second is zero for every signal, as its mean is once that was taken off.
kept-between-calls: The second is the same for signals with different means, as if it were kept from an *earlier*
    call. Compute the mean anew for each signal.
mean-left-in: You left the mean in the signal. The first element of the spectrum should be zero.
amplitude: You returned the amplitudes. The power is their square.
exchanged: Return the spectrum first, then the mean.
wrong-value: The pair should be the spectrum of the signal without its mean, and the mean.
mean-taken-off-late: Your answer is right for a small mean. Beside a large one the rest loses its digits in the
    transform. Take off the mean before, not the first element afterwards.
still-leaks [leaks]: Both of your results are right, and a tracer still escapes. The next read of that container raises
    the error. `jax.checking_leaks()` says what holds it.
kept-from-before [leaks]: Under an outer `jit`, you return results that were put aside in an earlier call.
    A callback runs with the program, and your function has returned before that.
"""

power_spectrum = declare(
    "power-spectrum",
    see="lab-loud",
    steps=[
        a_pair_of_numbers,
        Agrees(
            spectrum_and_mean,
            lambda rng, n: (some_signal(rng, n),),
            [3, 16],
            each=2,
            extremes=other_units,
            ask=probe.on_jax_arrays,
            mistakes=MISTAKES,
            rtol=1e-3,
        ),
        no_digits_are_lost,
        nothing_leaks,
    ],
    words=WORDS,
)
