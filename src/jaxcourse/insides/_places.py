"""A notebook's settings for the machine at home, on another machine: what cannot be had here is left out.

In Colab, `jax.config.update("jax_platforms", "cuda")` and flags for a GPU's compiler are honest and harmless. Where
there is only a CPU, the one has JAX refuse every array, and a flag that its compiler does not know ends the process.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable
from typing import Any

import jax

from jaxcourse.insides._belief import Private, belief
from jaxcourse.insides._compiler import has_started

FLAGS = "XLA_FLAGS"
PLACES = (
    "jax_backend_target",
    "jax_default_device",
    "jax_mock_gpu_topology",
    "jax_pjrt_client_create_options",
    "jax_platform_name",
    "jax_platforms",
    "jax_xla_backend",
    FLAGS,
)
"""The settings that may name devices which are elsewhere."""

_COUNT = re.compile(r"--xla_force_host_platform_device_count=\d{1,3}")
_BACKENDS = Private("jax._src.xla_bridge", "backends")


def stay_here(left_out: Callable[[str], None]) -> None:
    """From now on, have JAX compute on this process's CPU, whatever else it is told.

    Of the flags for its compiler, those that this process had stay, and how many devices the CPU is to be: the others
    tune a machine, and decide no result.

    Args:
        left_out: called with the name of a setting that was left out.
    """
    update: Any = jax.config.update
    flags = os.environ.get(FLAGS, "").split()

    @functools.wraps(update)
    def told(name: str, val: Any) -> None:
        if _is_elsewhere(name, val):
            left_out(name)
        else:
            update(name, val)

    jax.config.update = told  # type: ignore[method-assign]
    _before_it_starts(lambda: _keep_flags(flags, left_out))


def _is_elsewhere(name: str, value: Any) -> bool:
    return name in PLACES and isinstance(value, str) and value.partition(":")[0] != "cpu"


def _keep_flags(flags: list[str], left_out: Callable[[str], None]) -> None:
    asked = [flag for flag in os.environ.get(FLAGS, "").split() if flag not in flags]
    counts = [flag for flag in asked if _COUNT.fullmatch(flag)]
    if len(counts) < len(asked):
        left_out(FLAGS)
    told = jax.config.values.get("jax_num_cpu_devices", -1) > 0  # JAX refuses to be told twice
    os.environ[FLAGS] = " ".join([*flags, *([] if told else counts[-1:])])


def _before_it_starts(prepare: Callable[[], None]) -> None:
    """Have something done when JAX is about to start its devices."""
    backends = _BACKENDS()

    @functools.wraps(backends)
    def prepared() -> Any:
        if not has_started():
            prepare()
        return backends()

    _BACKENDS.replace(prepared)


@belief(_BACKENDS)
def beginning() -> bool:
    """Whoever asks JAX for its devices goes through one function, which can be replaced."""
    asked: list[bool] = []
    before = _BACKENDS()

    def counted() -> Any:
        asked.append(True)
        return before()

    _BACKENDS.replace(counted)
    try:
        jax.clear_caches()
        jax.devices()
    finally:
        _BACKENDS.replace(before)
    return bool(asked)
