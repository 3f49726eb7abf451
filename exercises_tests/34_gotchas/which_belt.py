"""which-belt."""

import contextlib
import functools
import io

import jax
import jax.numpy as jnp
from jax.experimental import checkify

from jaxcourse.prediction import Mistake, anything_else, prediction, raised_by

BELTS = {
    "debug_nans": lambda: jax.debug_nans(True),
    "checking_leaks": jax.checking_leaks,
    "debug_key_reuse": lambda: jax.debug_key_reuse(True),
    "numpy_rank_promotion": lambda: jax.numpy_rank_promotion("raise"),
    "numpy_dtype_promotion": lambda: jax.numpy_dtype_promotion("strict"),
}


def stands_still():
    """A counter after three calls of one jitted function."""
    count = []
    counting = jax.jit(lambda x: count.append(1) or x)
    for _ in range(3):
        counting(1.0)
    return len(count)


def true_belts():
    """Which tool finds each failure, tried here: each belt is fastened, and a function is made anew for it."""
    x, kept = jnp.arange(4.0), []
    failures = {
        "a gradient that is NaN": lambda: jax.grad(lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0))(-1.0),
        "a tracer kept in a list": lambda: jax.jit(lambda x: kept.append(2 * x) or x)(x),
        "one key for two draws": lambda: jax.jit(lambda k: jax.random.normal(k) - jax.random.uniform(k))(
            jax.random.key(0)
        ),
        "(n, 1) predictions minus (n,) measurements": lambda: x[:, None] - x,
        "an int32 array times a float32 array": lambda: jnp.arange(4) * x,
        "a counter that stands still under jit": stands_still,
        "x[7], where x has 4 elements": lambda: x[7],
        "a gradient that is zero because of round": lambda: jax.grad(jnp.round)(1.3),
    }
    return {name: finder_of(failure) for name, failure in failures.items()}


def finder_of(failure):
    """The one tool that finds a failure, or `"none"`."""

    def fastened(belt):
        with belt(), contextlib.redirect_stdout(io.StringIO()):  # `debug_nans` says where it looks
            failure()

    found = [name for name, belt in BELTS.items() if raised_by(functools.partial(fastened, belt)) != "no error"]
    if not found:
        error, _ = checkify.checkify(failure, errors=checkify.index_checks)()
        found += ["checkify"] * bool(error.get())
    if failure is stands_still:
        with jax.disable_jit():
            found += ["disable_jit"] * (failure() == 3)
    return " and ".join(found) or "none"


which_belt = prediction(
    "which-belt",
    see="kinds",
    hint=[
        "Each belt watches one thing: a NaN, a tracer, a key, a rank, a dtype, Python itself.",
        "`checkify` with `errors=` tests values: NaN, divisions by 0, indices. One failure escapes them all.",
    ],
    choices=[
        "debug_nans",
        "checking_leaks",
        "debug_key_reuse",
        "numpy_rank_promotion",
        "numpy_dtype_promotion",
        "checkify",
        "disable_jit",
        "none",
    ],
    truth=true_belts,
    mistakes=[
        Mistake(
            "zeros-are-watched",
            {"a gradient that is zero because of round": anything_else()},
            "Your tool finds nothing there, as every value is finite and of the right type. Compare with a finite "
            "difference.",
        ),
        Mistake(
            "bounds-are-watched",
            {"x[7], where x has 4 elements": anything_else()},
            "The clamped element is a value like any other, so no belt sees it. `checkify` with its `index_checks` "
            "compares the index with the length.",
        ),
        Mistake(
            "purity-has-a-belt",
            {"a counter that stands still under jit": anything_else()},
            "With `disable_jit` Python runs at every call, so the counter counts again, and the result differs.",
        ),
        Mistake(
            "promotions-mixed-up",
            [
                {"(n, 1) predictions minus (n,) measurements": anything_else()},
                {"an int32 array times a float32 array": anything_else()},
            ],
            "Ranks are numbers of axes, and dtypes are types of elements. Each has its own belt.",
        ),
    ],
    otherwise="Your tool watches something else. What does it look at?",
)
