"""Several devices on one processor: enough to learn, and to grade, what a program does on many."""

from __future__ import annotations

import contextlib
import os

import jax

COUNT = 8
"""How many devices the lessons simulate."""


def threads(count: int) -> int:
    """How many threads so many simulated devices need, to be set as `PJRT_NPROC` before JAX computes anything.

    With fewer, JAX before 0.12 waits for ever once 32 programs with collectives are under way.

    Example:
        >>> threads(8)
        32
    """
    return max(16, 4 * count)


def simulate(count: int = COUNT) -> list[jax.Device]:
    """Split this machine's processor into several devices of JAX, and leave an accelerator alone.

    It must run before JAX computes anything, and may run again. Simulated devices share the processor's cores: they
    show where data lies and what is communicated, and make nothing faster.

    Args:
        count: how many.

    Returns:
        The first `count` devices.

    Raises:
        RuntimeError: JAX has started with fewer.

    Example:
        >>> len(simulate(1))
        1
    """
    os.environ.setdefault("PJRT_NPROC", str(threads(count)))
    with contextlib.suppress(RuntimeError):  # JAX has started: with enough devices, or too early
        jax.config.update("jax_platforms", "cpu")
        jax.config.update("jax_num_cpu_devices", count)
    found = jax.devices("cpu")
    if len(found) < count:
        raise RuntimeError(
            f"JAX has started with {len(found)} device{'s' * (len(found) > 1)}, and {count} are needed: restart the "
            "kernel, and run this cell before any other."
        )
    return found[:count]
