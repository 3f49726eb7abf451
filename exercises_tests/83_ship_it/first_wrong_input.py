"""first-wrong-input: a compiled program against a reference in 64 bits, input by input."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.checks import declare, naming, refuse, require


def tested(student_function, kind, inputs, rtol, off=0.0):
    """What an answer says of a program of some kind: right, or off where an input begins with more than 5.

    Also how often Python ran the program, and what the reference was asked with.
    """
    runs, dtypes = [], []

    def program(x):
        runs.append("tracer" if isinstance(x, jax.core.Tracer) else "numbers")
        x = jnp.asarray(x)
        wrong = abs(x.ravel()[0]) > 5
        if kind == "shape":
            return (2 * x)[..., None]
        if kind in ("nan", "inf"):
            return jnp.where(wrong & (x == x.max()), float(kind), 2 * x)
        if kind == "frozen" and len(runs) > 1:
            return 2 * x - 1
        return 2 * x + jnp.where(wrong & (abs(x) == abs(x).min()), off, 0)

    def reference(x):
        dtypes.append(str(getattr(x, "dtype", type(x).__name__)))
        return 2 * x * (1 + 1e-9 * (kind == "nearly"))

    given = [x.copy() for x in inputs]
    found = student_function(program, reference, given, rtol)
    kept = len(given) == len(inputs) and all(np.array_equal(*both) for both in zip(given, inputs, strict=True))
    is_index = isinstance(found, (int, np.integer)) and not isinstance(found, (bool, np.bool_))
    facts = {"said": found if found is None else int(found) if is_index else repr(found)[:60]}
    facts |= {"is_index": is_index, "kept": kept, "dtypes": sorted(set(dtypes))}
    return facts | {"traced": runs.count("tracer"), "ran": len(runs)}


def inputs_of(rng, n, wrong, shape=(7,)):
    """Inputs, of which those in `wrong` begin with more than 5; each ends in a zero, far from all else in it."""
    inputs = rng.uniform(1, 4, (n, *shape)).astype(np.float32)
    for i, x in enumerate(inputs):
        flat = x.reshape(-1)
        flat[-1] = 0
        flat[0] = 8 if i in wrong else 2
    return list(inputs)


def said_of(answer, kind, inputs, rtol, off=0.0):
    """What the answer says of a program: an index, or `None`."""
    with naming({"ambiguous": "truth value"}):
        facts = answer.probe(tested, kind, inputs, rtol, off)
    answer.called = f"first_wrong_input(program, reference, {len(inputs)} inputs, {rtol})"
    require(facts["is_index"] or facts["said"] is None, "not-an-index", said=facts["said"])
    require(facts["kept"], "inputs-changed")
    return facts


def finds_the_first(answer, rng):
    """The first input that is far off is found, wherever it is, and none where there is none.

    A function, since the programs that an answer is handed are made where it lives.
    """
    for wrong in ([2], [0], [2, 4], [4], [1, 2, 4]):
        facts = said_of(answer, "off", inputs_of(rng, 5, wrong), 1e-3, 1.0)
        refuse(facts["said"] is None and wrong[0] == 0, "first-lost")
        refuse(facts["said"] is None, "all-pass", wrong=wrong[0])
        refuse(facts["said"] == wrong[-1] != wrong[0], "last", first=wrong[0], said=facts["said"])
        require(facts["said"] == wrong[0], "wrong-value", first=wrong[0], said=facts["said"])
    for n in (1, 5):
        facts = said_of(answer, "off", inputs_of(rng, n, []), 1e-3, 1.0)
        require(facts["said"] is None, "wrong-value/none", said=facts["said"])


def tests_the_compiled_program(answer, rng):
    """The program is traced once, and never run by Python again.

    A function, since it counts runs.
    """
    facts = said_of(answer, "frozen", inputs_of(rng, 4, []), 1e-3)
    require(facts["traced"], "not-compiled", ran=facts["ran"])
    refuse(facts["traced"] < facts["ran"], "run-as-well", ran=facts["ran"] - facts["traced"])
    require(facts["ran"] == 1, "traced-again", traced=facts["traced"])
    require(facts["said"] is None, "wrong-value/none", said=facts["said"])


def sees_what_is_no_number_of_its_own(answer, rng):
    """NaN is wrong, and so are an infinity and another shape.

    A function, since each of them has words of its own.
    """
    require(said_of(answer, "nan", inputs_of(rng, 4, [1, 3]), 1e-3)["said"] == 1, "nan-passes")
    require(said_of(answer, "inf", inputs_of(rng, 4, [2]), 1e-3)["said"] == 2, "infinity-passes")
    for shape in ((3,), (1,), (2, 2)):
        alike = [np.full(shape, value, np.float32) for value in rng.uniform(1, 4, 3)]
        require(said_of(answer, "shape", alike, 1e-3)["said"] == 0, "shape-passes")


def measures_by_the_largest(answer, rng):
    """What is allowed is a share of the largest magnitude of that input's reference, in 64 bits.

    A function, since a share too much and a share too little have words of their own.
    """
    for shape in ((7,), (2, 3), (1, 5)):
        for rtol in (1e-2, 1e-4):
            inputs = inputs_of(rng, 3, [1], shape)
            limit = rtol * 2 * float(abs(inputs[1]).max())
            facts = said_of(answer, "off", inputs, rtol, 0.7 * limit)
            require(facts["said"] is None, "each-by-itself", rtol=rtol)
            require(said_of(answer, "off", inputs, rtol, 1.5 * limit)["said"] == 1, "too-much-allowed", rtol=rtol)
            negative = [-x for x in inputs]
            require(said_of(answer, "off", negative, rtol, 0.7 * limit)["said"] is None, "sign-of-the-largest")
    zeros = [np.zeros(4, np.float32)] * 2
    require(said_of(answer, "off", zeros, 1e-3)["said"] is None, "divided-by-zero")
    large = inputs_of(rng, 3, [1])
    large[2][1] = 4000
    require(said_of(answer, "off", large, 1e-3, 1.0)["said"] == 1, "largest-of-all")


def compares_in_64_bits(answer, rng):
    """The reference has 64 bits, in its arguments and in the comparison.

    A function, since the dtype that the reference was asked with stands in its words.
    """
    facts = said_of(answer, "nearly", inputs_of(rng, 3, []), 1e-10)
    refuse(facts["dtypes"] != ["float64"], "reference-in-32-bits", dtypes=", ".join(facts["dtypes"]))
    require(facts["said"] == 0, "cut-to-32-bits")


WORDS = """
hint: What does `abs(got - want) > limit` say of NaN?
hint: `np.abs(got - want) <= rtol * np.abs(want).max()` holds for what is near, and for nothing else.
hint: `jax.jit(program)` stands before the loop, and `x.astype(np.float64)` is what the reference gets.
not-an-index: The index of an input, or `None`, is asked for, and `{said}` came back.
ambiguous: You asked for the truth of an array. `.all()` makes one answer of many.
all-pass: Input {wrong} is far off, and you said `None`, as if all were right. Is there a `return` in the loop?
first-lost: The very first input is wrong, and you said `None`. `0` is an index, and false.
last: You returned {said}, the last of the wrong ones. The first is {first}.
wrong-value: The first wrong input is {first}, and you said {said}.
wrong-value/none: All inputs are right, and you said {said}. Return `None` then.
not-compiled: Python ran the program {ran} times, with numbers, and nothing was compiled. Test what is shipped.
run-as-well: Python ran the plain program as well, {ran} times. Compare what the compiled one gives with the reference.
traced-again: You traced the program {traced} times for inputs of one shape, and each trace makes a new program. Compile
    it once, before the loop.
nan-passes: You let a result with NaN in it pass. NaN is above no limit, so ask for what is near, and refuse the rest.
infinity-passes: A result with an infinity in it passed. What is allowed follows from the reference's result, and not
    from the program's.
inputs-changed: You changed the list of inputs, or one of them. It belongs to the caller.
shape-passes: You let a result with one axis more pass, because it broadcasts against the reference. Compare shapes
    before numbers.
each-by-itself: An element near 0 was off by less than {rtol} of the largest, and you refused it. What counts is the
    largest magnitude in the reference's result.
too-much-allowed: You let an element pass that was off by half as much again as {rtol} of the largest. Does each have to
    be near? Is something added to what is allowed?
sign-of-the-largest: All numbers here are negative or zero, and the results are right. Take magnitudes before the
    largest.
divided-by-zero: The reference is 0 everywhere, and so is the result. Multiply the tolerance, do not divide the error.
largest-of-all: You measured by a number of another input. Each input has a largest number of its own.
reference-in-32-bits: The reference was asked with {dtypes}, so it rounded as the program does. Hand it `float64`.
cut-to-32-bits: All numbers were off by a thousand-millionth, ten times what was allowed, and they passed. Where did
    the reference lose its digits? JAX makes `float32` of what it is handed.
"""

first_wrong_input = declare(
    "first-wrong-input",
    points=2,
    see="tests-of-programs",
    steps=[
        finds_the_first,
        tests_the_compiled_program,
        sees_what_is_no_number_of_its_own,
        measures_by_the_largest,
        compares_in_64_bits,
    ],
    words=WORDS,
)
