"""Answers to first-wrong-input."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@right("first-wrong-input")
def compiled_ahead_of_time(program, reference, inputs, rtol):
    run = jax.jit(program).lower(inputs[0]).compile()
    for number in range(len(inputs)):
        want = np.asarray(reference(np.asarray(inputs[number], np.float64)))
        got = np.asarray(run(inputs[number]), np.float64)
        near = got.shape == want.shape and bool(np.all(np.abs(got - want) <= rtol * np.max(np.abs(want))))
        if not near:
            return number


@right("first-wrong-input")
def by_numpys_own_test(program, reference, inputs, rtol):
    compiled = jax.jit(program)

    def holds(x):
        want = reference(x.astype(np.float64))
        try:
            np.testing.assert_allclose(compiled(x), want, rtol=0, atol=rtol * np.abs(want).max(), strict=False)
        except AssertionError:
            return False
        return np.shape(compiled(x)) == np.shape(want)

    return next((i for i, x in enumerate(inputs) if not holds(x)), None)


@right("first-wrong-input")
def all_at_once_by_a_map(program, reference, inputs, rtol):
    got = np.asarray(jax.jit(lambda xs: jax.lax.map(program, xs))(np.stack(inputs)), float)
    want = np.stack([reference(x.astype(float)) for x in inputs])
    if got.shape != want.shape:
        return 0
    axes = tuple(range(1, want.ndim))
    off = np.where(np.isnan(got), np.inf, np.abs(got - want)).max(axes)
    wrong_ones = np.flatnonzero(off > rtol * np.abs(want).max(axes))
    return int(wrong_ones[0]) if wrong_ones.size else None


@right("first-wrong-input")
def by_the_largest_error(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    for i, x in enumerate(inputs):
        got, want = np.array(compiled(x)), reference(x * np.float64(1))
        if got.shape == want.shape and np.abs(got - want).max() <= rtol * np.linalg.norm(want.ravel(), np.inf):
            continue
        return np.int64(i)
    return None


@wrong("first-wrong-input", "nan-passes")
def asks_for_what_is_above(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    for i, x in enumerate(inputs):
        got, want = np.asarray(compiled(x)), reference(x.astype(np.float64))
        if got.shape != want.shape or (np.abs(got - want) > rtol * np.abs(want).max()).any():
            return i
    return None


@wrong("first-wrong-input", "shape-passes")
def never_looks_at_the_shape(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    for i, x in enumerate(inputs):
        got, want = np.asarray(compiled(x)), reference(x.astype(np.float64))
        if not (np.abs(got - want) <= rtol * np.abs(want).max()).all():
            return i
    return None


@wrong("first-wrong-input", "each-by-itself")
def by_allclose(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    for i, x in enumerate(inputs):
        got, want = np.asarray(compiled(x)), reference(x.astype(np.float64))
        if got.shape != want.shape or not np.allclose(got, want, rtol=rtol):
            return i
    return None


@wrong("first-wrong-input", "each-by-itself")
def by_allclose_without_an_absolute_part(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    for i, x in enumerate(inputs):
        got, want = np.asarray(compiled(x)), reference(x.astype(np.float64))
        if got.shape != want.shape or not (np.abs(got - want) <= rtol * np.abs(want)).all():
            return i
    return None


@wrong("first-wrong-input", "not-compiled")
def tests_the_plain_function(program, reference, inputs, rtol):
    for i, x in enumerate(inputs):
        got, want = np.asarray(program(x)), reference(x.astype(np.float64))
        if got.shape != want.shape or not (np.abs(got - want) <= rtol * np.abs(want).max()).all():
            return i
    return None


@wrong("first-wrong-input", "traced-again")
def compiles_in_the_loop(program, reference, inputs, rtol):
    for i, x in enumerate(inputs):
        got, want = np.asarray(jax.jit(lambda y: program(y))(x)), reference(x.astype(np.float64))
        if got.shape != want.shape or not (np.abs(got - want) <= rtol * np.abs(want).max()).all():
            return i
    return None


@wrong("first-wrong-input", "run-as-well")
def asks_the_plain_one_for_its_shape(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    if np.shape(program(inputs[0])) != np.shape(reference(inputs[0].astype(np.float64))):
        return 0
    for i, x in enumerate(inputs):
        got, want = np.asarray(compiled(x)), reference(x.astype(np.float64))
        if not (np.abs(got - want) <= rtol * np.abs(want).max()).all():
            return i
    return None


@wrong("first-wrong-input", "cut-to-32-bits")
def compares_in_jax(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    for i, x in enumerate(inputs):
        got, want = compiled(x), jnp.asarray(reference(x.astype(np.float64)))
        if got.shape != want.shape or not (jnp.abs(got - want) <= rtol * jnp.abs(want).max()).all():
            return i
    return None


@wrong("first-wrong-input", "reference-in-32-bits")
def hands_the_reference_the_input(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    for i, x in enumerate(inputs):
        got, want = np.asarray(compiled(x)), np.asarray(reference(x), np.float64)
        if got.shape != want.shape or not (np.abs(got - want) <= rtol * np.abs(want).max()).all():
            return i
    return None


@wrong("first-wrong-input", "first-lost")
def takes_zero_for_nothing(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    found = None
    for i, x in enumerate(inputs):
        got, want = np.asarray(compiled(x)), reference(x.astype(np.float64))
        near = got.shape == want.shape and (np.abs(got - want) <= rtol * np.abs(want).max()).all()
        found = found if near or found is not None else i
    return found or None


@wrong("first-wrong-input", "last")
def goes_on_to_the_end(program, reference, inputs, rtol):
    compiled, found = jax.jit(program), None
    for i, x in enumerate(inputs):
        got, want = np.asarray(compiled(x)), reference(x.astype(np.float64))
        if got.shape != want.shape or not (np.abs(got - want) <= rtol * np.abs(want).max()).all():
            found = i
    return found


@wrong("first-wrong-input", "all-pass")
def returns_nothing(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    for x in inputs:
        got, want = np.asarray(compiled(x)), reference(x.astype(np.float64))
        got.shape == want.shape and (np.abs(got - want) <= rtol * np.abs(want).max()).all()


@wrong("first-wrong-input", "not-an-index")
def says_how_many(program, reference, inputs, rtol):
    compiled, results = jax.jit(program), []
    for x in inputs:
        got, want = np.asarray(compiled(x)), reference(x.astype(np.float64))
        results.append(got.shape == want.shape and bool((np.abs(got - want) <= rtol * np.abs(want).max()).all()))
    return results


@wrong("first-wrong-input", "ambiguous")
def asks_an_array_for_its_truth(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    for i, x in enumerate(inputs):
        got, want = np.asarray(compiled(x)), reference(x.astype(np.float64))
        if abs(got - want) > rtol * abs(want).max():
            return i
    return None


@wrong("first-wrong-input", "divided-by-zero")
def divides_by_the_largest(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    for i, x in enumerate(inputs):
        got, want = np.asarray(compiled(x)), reference(x.astype(np.float64))
        with np.errstate(all="ignore"):
            share = np.abs(got - want).max() / np.abs(want).max() if got.shape == want.shape else np.inf
        if not share <= rtol:
            return i
    return None


@wrong("first-wrong-input", "sign-of-the-largest")
def forgets_magnitudes(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    for i, x in enumerate(inputs):
        got, want = np.asarray(compiled(x)), reference(x.astype(np.float64))
        if got.shape != want.shape or not (np.abs(got - want) <= rtol * want.max()).all():
            return i
    return None


@wrong("first-wrong-input", "largest-of-all")
def one_limit_for_all(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    wanted = [reference(x.astype(np.float64)) for x in inputs]
    limit = rtol * max(np.abs(want).max() for want in wanted)
    for i, (x, want) in enumerate(zip(inputs, wanted, strict=True)):
        got = np.asarray(compiled(x))
        if got.shape != want.shape or not (np.abs(got - want) <= limit).all():
            return i
    return None


@wrong("first-wrong-input", "too-much-allowed")
def the_mean_is_near(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    for i, x in enumerate(inputs):
        got, want = np.asarray(compiled(x)), reference(x.astype(np.float64))
        if got.shape != want.shape or not np.abs(got - want).mean() <= rtol * np.abs(want).max():
            return i
    return None


@wrong("first-wrong-input", "wrong-value")
def counts_from_one(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    for i, x in enumerate(inputs, 1):
        got, want = np.asarray(compiled(x)), reference(x.astype(np.float64))
        if got.shape != want.shape or not (np.abs(got - want) <= rtol * np.abs(want).max()).all():
            return i
    return None


@wrong("first-wrong-input", "wrong-value")
def says_minus_one_for_none(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    for i, x in enumerate(inputs):
        got, want = np.asarray(compiled(x)), reference(x.astype(np.float64))
        if got.shape != want.shape or not (np.abs(got - want) <= rtol * np.abs(want).max()).all():
            return i
    return -1


@wrong("first-wrong-input", "infinity-passes")
def a_share_of_what_came_out(program, reference, inputs, rtol):
    compiled = jax.jit(program)
    for index, x in enumerate(inputs):
        got = np.asarray(compiled(x), np.float64)
        want = np.asarray(reference(x.astype(np.float64)))
        if got.shape != want.shape or not np.all(np.abs(got - want) <= rtol * np.abs(got).max()):
            return index
    return None


@wrong("first-wrong-input", "inputs-changed")
def out_of_the_list(program, reference, inputs, rtol):
    compiled, index = jax.jit(program), 0
    while inputs:
        x = inputs.pop(0)
        got = np.asarray(compiled(x), np.float64)
        want = np.asarray(reference(x.astype(np.float64)))
        if got.shape != want.shape or not np.all(np.abs(got - want) <= rtol * np.abs(want).max()):
            return index
        index += 1
    return None
