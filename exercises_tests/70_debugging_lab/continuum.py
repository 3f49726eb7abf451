"""continuum."""

import jax
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, expect, refuse
from jaxcourse.probe import NEEDS_A_VALUE

from ._lesson import raised_by


@probe.question(evidence="values")
def traced_coefficients(student_function, wavelength, coefficients):
    """The result when the coefficients are arguments of an outer `jit`: data, as in a fit."""
    return jax.jit(lambda w, c: student_function(w, c))(wavelength, coefficients)


def polynomial(wavelength, coefficients):
    """The oracle."""
    return np.polynomial.polynomial.polyval(np.asarray(wavelength, np.float64), np.asarray(coefficients, np.float64))


def draw_spectrum(rng, how):
    shape, count, kind = how
    coefficients = inputs.array(rng, count, "float32")
    return inputs.array(rng, shape, "float32", low=-2, high=2), kind(coefficients)


def as_list(coefficients):
    return coefficients.tolist()


def as_tuple(coefficients):
    return tuple(coefficients.tolist())


def as_array(coefficients):
    return coefficients


MISTAKES = {
    "highest-first": lambda wavelength, coefficients: polynomial(wavelength, coefficients[::-1]),
    "one-power-too-high": lambda wavelength, coefficients: wavelength * polynomial(wavelength, coefficients),
}


FORMS = [
    ((), 1, as_tuple),
    (4, 1, as_list),
    (5, 3, as_tuple),
    (5, 3, as_list),
    (5, 3, as_array),
    ((2, 3), 11, as_list),
    (4, 2, as_array),
    (4, 1, as_list),
]


def takes_any_form(answer, rng):
    """The coefficients may be a list or an array."""
    answer(*draw_spectrum(rng, (5, 3, as_tuple)))  # a stub says that it is one before its static argument is refused
    for kind in (as_list, as_array):
        _, raised = raised_by(answer, probe.call, *draw_spectrum(rng, (5, 3, kind)))
        unhashable = raised and "hashable" in raised.message.lower()
        refuse(unhashable, "not-hashable", kind=raised and raised.kind)


def coefficients_are_data(answer, rng):
    """New coefficients compile nothing, and may be traced."""
    wavelength = np.linspace(-1, 1, 5, dtype=np.float32)
    sets = [kind(rng.normal(size=3).astype(np.float32)) for kind in (as_list, as_tuple, as_array) for _ in range(2)]
    programs = answer.probe(probe.compiles, [(wavelength, each) for each in [*sets, sets[-1]]])
    refuse(programs[-1], "one-program-per-call")
    refuse(programs[1] or programs[3] or programs[5], "one-program-per-value")
    for coefficients in (sets[-1], sets[0], sets[2]):
        got, raised = answer.attempt(traced_coefficients, wavelength, coefficients, expected=NEEDS_A_VALUE)
        refuse(raised, "needs-the-numbers", raised=raised)
        expect(got, polynomial(wavelength, coefficients), "traced-differ", rtol=1e-4)


WORDS = """
hint: What is static is a key in a dictionary, so it has to be hashable. Does it have to be static?
not-hashable [static-arguments]: Static arguments are keys in a dictionary of programs, and a list or an array
    cannot be a key. Your code raised `{kind}`.
highest-first: Your first coefficient is that of the highest power. It should be that of the power 0.
one-power-too-high: Each of your powers is one too high. The first coefficient stands alone, without `wavelength`.
wrong-value: Your numbers are not those of the polynomial.
one-program-per-call [function-identity]: Your code compiles again even for the same coefficients. Do you make a
    function that JAX compiles, by `jit` or as the body of a loop, anew in every call?
one-program-per-value [static-arguments]: The list works now. But each set of coefficients is still a program of its
    own, which in a fit is one for every step.
needs-the-numbers [tracer-errors]: NumPy, or Python, needs the numbers of the coefficients. They may be traced, and then
    there are none. Your code raised `{raised}`.
traced-differ: Your answer is right for plain numbers, and not for traced ones.
"""

continuum = declare(
    "continuum",
    see="lab-loud",
    steps=[
        takes_any_form,
        Agrees(polynomial, draw_spectrum, FORMS, each=3, mistakes=MISTAKES, rtol=1e-4),
        coefficients_are_data,
    ],
    words=WORDS,
)
