"""Every compilation that JAX makes in this process: one listener for all who ask."""

from __future__ import annotations

import functools
import re

import jax


@functools.cache
def compilations() -> list[str]:
    """The names of the programs that JAX has compiled since the first call: a list that grows.

    JAX cannot take a listener away again, so there is one for the whole process. Remember the length, and look later at
    what has come since.

    Example:
        >>> before = len(compilations())
        >>> _ = jax.jit(lambda x: x + 1)(1.0)
        >>> compilations()[before:]
        ['<lambda>']
    """
    names: list[str] = []

    def hear(event: str, duration_secs: float, **facts: str | int) -> None:
        if event == "/jax/core/compile/backend_compile_duration":
            names.append(re.sub(r"^jit\((.*)\)$", r"\1", str(facts.get("fun_name", ""))))

    jax.monitoring.register_event_duration_secs_listener(hear)
    return names
