"""What the exercises of lesson 70 share."""

import math

import jax.numpy as jnp
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.probe import NEEDS_A_NUMBER, NEEDS_A_SHAPE, AnswerRaised


def raised_by(answer, question, *args):
    """The result of a question and no exception; or nothing, and the exception as data."""
    try:
        return answer.probe(question, *args), None
    except AnswerRaised as error:
        return None, error.raised


def missing_while_traced(answer, question, *args):
    """The result of a question and two empty texts; or nothing, `"shape"` or `"number"`, and the exception's name."""
    try:
        return answer.probe(question, *args), "", ""
    except AnswerRaised as error:
        if error.among(NEEDS_A_NUMBER):
            return None, "number", error.raised.kind
        if error.among(NEEDS_A_SHAPE):
            return None, "shape", error.raised.kind
        raise


def programs_for_each(answer, first, rest):
    """How many programs a call compiles for numbers it has not seen, in arrays that it has; from empty caches."""
    others = [np.asarray(rest * (1 + k), np.float32) for k in range(2)]
    return len(answer.probe(probe.compiles, [(first, each) for each in others])[1])


def equations(student_function, angle, velocity, steps):
    """How many equations the program has for a number of steps."""
    return sum(probe.primitives(lambda a, v: student_function(a, v, steps), angle, velocity).values())


def written_out(student_function, angle, velocity, steps):
    """How many steps of its loops the compiler writes out one after the other, at the most."""
    program = insides.read(lambda a, v: student_function(a, v, steps), angle, velocity)
    loops = [[each.loop.unroll for each in (*place.around, place.equation) if each.loop] for place in program.walk()]
    return max(map(math.prod, loops), default=1)


def outside_of_jit(student_function, *args):
    """Whether any program is called; and the primitives that stand in no jitted function and no loop of JAX.

    Nothing that comes in is a tracer, so that NumPy may have a look at it. Arrays of `float32` are arrays of JAX.
    """
    args = [jnp.asarray(each) if getattr(each, "dtype", None) == np.float32 else each for each in args]
    equations = insides.read(lambda: student_function(*args)).equations
    names, called = {each.primitive for each in equations}, {"custom_jvp_call", "closed_call"}
    programs = {each.primitive for each in equations if each.loop or each.is_jit or each.primitive in called}
    moves = {"convert_element_type", "broadcast_in_dim", "reshape", "copy", "squeeze", "device_put"}
    return bool(programs), sorted(names - programs - moves)


def in_64_bits(student_function, *args):
    """The operations that JAX does in 64 bits."""
    program = insides.read(lambda: student_function(*args))
    wide = ("float64", "int64", "complex128")
    found = {each.primitive for each in program.everything for made in each.outputs if made.dtype in wide}
    return sorted(found | {"constant" for constant in program.constants if constant.dtype in wide})
