"""What the exercises of lesson 20 share."""

import jax
import jax.export
import jax.numpy as jnp

from jaxcourse import probe
from jaxcourse.checks import refuse, require

WORDS = """
not-jitted: Your first call compiled {count} programs: some of the work is outside the `jit`. Put all of it inside
    one.
beside-the-jit: Your program is compiled, but your code also turns something into a NumPy array or a Python number,
    where no tracer could follow. Compile all of the work.
"""

NO_HASH = "hashable static"
"""What JAX says of a static argument without a hash: what is no key of a dictionary is "unhashable", too."""


def programs(student_function, calls, handed_over=()):
    """Which programs are compiled during each call, from empty caches on; the arrays are on the device before.

    What is compiled when what is like those in `handed_over` is made an array of JAX does not count.
    """
    on_device = probe.on_device(calls)
    jax.clear_caches()
    for each in handed_over:
        jnp.asarray(each), jnp.asarray(each, jnp.float32)
    return probe.compiled(student_function, on_device)


def require_one_program(names):
    """Require that one call has compiled one program: the exercise's words of `not-jitted/none` advise what to do."""
    require(names, "not-jitted/none")
    require(len(names) == 1, "not-jitted", count=len(names))


def require_work_inside(answer, *args):
    """Require that what is compiled does the work, and does not stand idle beside what does."""
    refuse(answer.probe(probe.leaves_jax, *args), "beside-the-jit")
