"""trusted-differences."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import numbers

from ._lesson import always, true_gradient


def differences_found(student_function, x, scale, heights, phases):
    """The gradient that comes back, and how the function was called for it."""
    seen, at_x, sides, moved = [], [], set(), [0]

    def f(z):
        if np.iscomplexobj(z):
            raise TypeError("f takes real numbers")
        seen.append(str(getattr(z, "dtype", type(z).__name__)))
        if np.shape(z) == x.shape:
            by = np.asarray(z, np.float64) - place
            at_x.append(not by.any())
            sides.update(np.sign(by[by != 0]))
            moved.append(np.count_nonzero(by))
        kind = np.asarray(z).dtype
        angle = np.asarray(z) / kind.type(scale) + phases.astype(kind)
        together = np.cos(np.sum(z) / kind.type(scale))  # so that each derivative depends on every element
        return kind.type(3) + np.sum(heights.astype(kind) * np.sin(angle)) + together

    place = np.array(x, np.float64)
    result = student_function(f, x, scale)
    place = -place
    again = student_function(f, np.array(-x), scale)
    place = -place
    double = student_function(lambda z: 2 * f(z), x, scale)  # another function at the same place
    dtype = str(getattr(result, "dtype", type(result).__name__))
    return {
        "gradient": result,
        "again": again,
        "double": double,
        "dtype": dtype,
        "seen": sorted(set(seen)),
        "of": str(x.dtype),
        "one-sided": sum(at_x) > 0 and len(sides) == 1,
        "moved": max(moved),
    }


def drawn_differences(rng):
    """Arrays of every rank, of both dtypes and both orders; scales of one, much less and much more."""
    kinds = [((3,), "float32", "C"), ((2, 3), "float64", "C"), ((3, 3), "float32", "F"), ((), "float64", "C")]
    for scale in (1.0, 1e-9, 1e9):
        for shape, dtype, order in [*kinds, *([((2, 1, 2), "float64", "C")] if scale == 1 else [])]:
            x = np.array(rng.uniform(-4, 4, shape) * scale, dtype, order=order)
            if x.ndim == 1:
                x[0] = 0
            if x.ndim == 2:
                x[0, 1] = 1e-6 * scale  # what counts is how fast `f` changes, not how large an element is
            yield x, scale, rng.uniform(0.5, 2.0, shape), rng.uniform(-1, 1, shape)


def _judge_differences(errors):
    narrow = any("float32" in facts["seen"] or "float16" in facts["seen"] for _, _, _, facts in errors)
    off = [np.nan_to_num(abs(got - want), nan=np.inf).max() / np.max(abs(want)) for _, got, want, _ in errors]
    refuse(narrow and max(off) > 1e-8, "in-float32")
    wide = next((facts["dtype"] for _, _, _, facts in errors if facts["dtype"] != "float64"), "")
    refuse(wide, "wrong-dtype", wide=wide)
    gots, wants = [got for _, got, _, _ in errors], [want for _, _, want, _ in errors]
    refuse(always(gots, [2 * want for want in wants], wants, rtol=1e-3), "divided-by-one-step")
    undivided = [scale * want for scale, _, want, _ in errors]
    refuse(always(gots, undivided, wants, rtol=1e-3), "scale-in-the-step-only")
    right_here = [error <= 1e-8 for (scale, _, _, _), error in zip(errors, off, strict=True) if scale == 1]
    refuse(all(right_here) and max(off) > 1e-8, "step-not-scaled")
    refuse(all(facts["one-sided"] for _, _, _, facts in errors) and max(off) > 1e-8, "one-sided")
    refuse(any(facts["moved"] > 1 for _, _, _, facts in errors) and max(off) > 1e-8, "several-moved")
    of_narrow = [
        (got, error) for (_, got, _, facts), error in zip(errors, off, strict=True) if facts["of"] == "float32"
    ]
    kept = all(np.array_equal(got, got.astype(np.float32)) and error < 1e-6 for got, error in of_narrow)
    refuse(kept and max(off) > 1e-8, "kept-in-float32")
    for (_, got, want, _), error in zip(errors, off, strict=True):
        if error > 1e-8:
            expect(got, want, "wrong-value", rtol=1e-3)
        require(error <= 1e-8, "wrong-step", error=f"{error:.0e}")


def differences_of_any_scale(answer, rng):
    """The gradient by differences, for numbers of every scale.

    A function, since what one scale finds is a mistake only beside what the others found.
    """
    errors = []
    for x, scale, heights, phases in drawn_differences(rng):
        asked = answer.attempt(differences_found, x, scale, heights, phases, expected=probe.NEEDS_A_VALUE)
        facts, raised = asked
        answer.called = f"trusted_differences(f, {x.dtype}{list(x.shape)}, {scale:g})"
        refuse(raised, "f-is-numpy")
        require(facts["dtype"] not in ("tuple", "list"), "not-an-array")
        got, want = numbers(facts["gradient"]), true_gradient(x, scale, heights, phases)
        require(got.shape == want.shape, "wrong-shape", want=want.shape, got=got.shape)
        unmoved = not x.flags.c_contiguous and not got.any() and errors[-1][1].any()  # at this scale others moved
        refuse(unmoved, "moved-a-copy")
        other = true_gradient(-x, scale, heights, phases)
        errors += [(scale, got, want, facts), (scale, numbers(facts["again"]), other, facts)]
        errors.append((scale, numbers(facts["double"]), 2 * want, facts))
        lost = np.isnan(got) | np.isinf(got)
        refuse(lost.any() and (lost <= (x == 0)).all(), "step-of-zero")
    _judge_differences(errors)


WORDS = """
hint: What does `f` see, if `x` is `float32`? Make it `float64`, then move one element at a time, up by a step and
    down by a step.
hint: The error is about $h^2$ plus the rounding over $h$: the best $h$ is near `eps ** (1/3)`, times the scale.
in-float32: Your code calls `f` in `float32`, where the two values agree in most of their digits. Make `x` wide
    first.
wrong-dtype: Return `float64`. Your result is of type `{wide}`.
divided-by-one-step: Your gradient is twice what it should be. The two points are two steps apart, so divide by `2 *
    h`.
scale-in-the-step-only: Your gradient is `scale` times what it should be. Divide by the distance of the two points,
    which has the scale in it.
step-not-scaled: Your gradient is right for a scale of 1, and not for others. The step must grow and shrink with
    `scale`.
one-sided: Your code calls `f` at `x` itself. A one-sided difference has an error that falls with h, and not with
    its square.
several-moved: Your code calls `f` where several elements have moved. The derivative by one element keeps all others
    where `x` has them: put each back first.
kept-in-float32: Your result has no more digits than `float32`. Did it go through an array of that dtype, such as
    `np.zeros_like(x)` may make?
wrong-value: Your result is far from the gradient. Do you divide by the distance of the two points?
wrong-step: Your gradient is off by {error} of its largest element. Is the step too small, or too large?
f-is-numpy: Your code lets JAX trace `f`, which computes with NumPy. Take differences of its values.
not-an-array: A tuple or a list came back. Return one array.
wrong-shape: Your result should have the shape {want}, not {got}.
moved-a-copy: Your code moved a copy, and `f` saw `x` as it was. `reshape(-1)` and `ravel` copy, if the columns of
    `x` come one after the other.
step-of-zero: Your result is NaN or infinite where an element of `x` is 0, since the step is 0 there. Use `scale`.
"""

trusted_differences = declare(
    "trusted-differences",
    points=2,
    see="check-a-gradient",
    steps=[differences_of_any_scale],
    words=WORDS,
)
