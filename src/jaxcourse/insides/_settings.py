"""Our settings, while a check asks: what a reader has set for a whole process is the reader's, and decides no verdict.

`jax_debug_nans`, which a lesson teaches, raises where a question puts in a NaN on purpose; `np.seterr(all="raise")`
where an oracle divides by zero. So every question is put, and every oracle asked, in `our_settings`, and afterwards all
is as it was. Where an answer runs, on which of the devices that there are, and what JAX keeps on disk, stays the
reader's. So does a recursion limit above Python's own: an answer may need it.
"""

from __future__ import annotations

import contextlib
import enum
import sys
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import numpy as np

OURS: Mapping[str, Any] = {
    # what stops a program
    "jax_debug_nans": False,
    "jax_debug_infs": False,
    "jax_debug_key_reuse": False,
    "jax_check_tracer_leaks": False,
    "jax_check_static_indices": False,
    "jax_enable_checks": False,
    "jax_error_checking_behavior_divide": "ignore",
    "jax_error_checking_behavior_nan": "ignore",
    "jax_error_checking_behavior_oob": "ignore",
    "jax_transfer_guard": "allow",
    "jax_transfer_guard_device_to_device": "allow",
    "jax_transfer_guard_device_to_host": "allow",
    "jax_transfer_guard_host_to_device": "allow",
    "jax_array_garbage_collection_guard": "allow",
    "jax_thread_guard": False,
    "jax_numpy_rank_promotion": "allow",
    "jax_numpy_dtype_promotion": "standard",
    "jax_explicit_x64_dtypes": 1,  # to warn
    "jax_legacy_prng_key": "allow",
    "jax_mutable_array_checks": True,
    "jax_disallow_mesh_context_manager": False,
    "jax_disable_vmap_shmap_error": False,
    "jax_disable_bwd_checks": False,
    "jax_custom_vjp_disable_shape_check": False,
    "jax_raise_on_ppermute_sort_diff": True,
    "jax_raise_persistent_cache_errors": False,
    "jax_pallas_enable_debug_checks": False,
    "jax_no_tracing": False,
    "jax_no_execution": False,
    # what a program is, and what it gives
    "jax_disable_jit": False,
    "jax_enable_x64": False,
    "jax_default_dtype_bits": "64",
    "jax_default_matmul_precision": None,
    "jax_default_device": None,
    "jax_allow_f16_reductions": True,
    "jax_dynamic_shapes": False,
    "eager_constant_folding": False,
    "check_vma": False,
    "jax_auto_pcast": True,
    "jax_remove_size_one_mesh_axis_from_type": False,
    "jax_use_shardy_partitioner": True,
    "jax_use_direct_linearize": True,
    "jax_use_simplified_jaxpr_constants": False,
    "jax_softmax_custom_jvp": False,
    "jax_accurate_erf_inv": False,
    "jax_pallas_poison_buffers": False,
    "jax_compiler_enable_remat_pass": True,
    "jax_disable_most_optimizations": False,
    "jax_optimization_level": "UNKNOWN",
    "jax_exec_time_optimization_effort": 0.0,
    "jax_memory_fitting_effort": 0.0,
    "jax_memory_fitting_level": "O2",
    # what is drawn
    "jax_default_prng_impl": "threefry2x32",
    "jax_enable_custom_prng": False,
    "jax_threefry_partitionable": True,
    "jax_threefry_gpu_kernel_lowering": False,
    "jax_random_seed_offset": 0,
    "jax_high_dynamic_range_gumbel": False,
    "jax_safer_randint": True,
    # what is written, and would count as printed by the answer
    "jax_log_compiles": False,
    "jax_log_checkpoint_residuals": False,
    "jax_explain_cache_misses": False,
    "jax_captured_constants_report_frames": 0,
    "jax_captured_constants_warn_bytes": 2_000_000_000,
}
"""What JAX is set to while a check asks: what a fresh process has. Each version of JAX has most of these."""

_ERRORS: Any = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
_PRINTING: Mapping[str, Any] = {
    "edgeitems": 3,
    "floatmode": "maxprec",
    "formatter": None,
    "infstr": "inf",
    "legacy": False,
    "linewidth": 75,
    "nanstr": "nan",
    "override_repr": None,
    "precision": 8,
    "sign": "-",
    "suppress": False,
    "threshold": 1000,
}
"""What NumPy is set to in a fresh process."""
_RECURSION = 1000
"""Python's own limit: less would stop our questions."""


@contextlib.contextmanager
def our_settings() -> Iterator[None]:
    """Within a `with` block, this thread has the settings under which questions are put, whatever a reader has set.

    What differs is set for this thread alone, and for as long as the block takes; nothing is touched that is ours
    already, so that what was compiled before serves.

    Example:
        >>> with jax.debug_nans(True), np.errstate(all="raise"):
        ...     with our_settings():
        ...         jax.numpy.log(-1.0), float(np.float64(1) / 0)
        (Array(nan, dtype=float32, weak_type=True), inf)
    """
    printing = {name: value for name, value in _PRINTING.items() if name in np.get_printoptions()}
    with contextlib.ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")  # a question meets NaN and zero on purpose
        stack.enter_context(np.errstate(**_ERRORS))
        stack.enter_context(np.printoptions(**printing))
        stack.enter_context(_recursion_at_least(_RECURSION))
        for name, holder in _holders().items():
            if name in OURS and not is_ours(name, holder.value):
                stack.enter_context(_set_to(name, holder, OURS[name]))
        yield


def is_ours(name: str, value: Any) -> bool:
    """Whether a setting has our value; a guard that was never told anything allows everything.

    Example:
        >>> is_ours("jax_debug_nans", False), is_ours("jax_transfer_guard", None), is_ours("jax_default_device", "cpu")
        (True, True, False)
    """
    return bool(value == OURS[name] or (value is None and OURS[name] == "allow"))


def _holders() -> Mapping[str, Any]:
    """What holds each setting of JAX; nothing where JAX is not as we know it."""
    found: Mapping[str, Any] = getattr(jax.config, "_value_holders", {})
    return found


@contextlib.contextmanager
def _set_to(name: str, holder: Any, value: Any) -> Iterator[None]:
    """One setting of JAX, for this thread if it can be had so."""
    before = holder.value
    if callable(holder):
        with holder(type(before)(value) if isinstance(before, enum.Enum) else value):
            yield
        return
    jax.config.update(name, value)
    try:
        yield
    finally:
        jax.config.update(name, before)


@contextlib.contextmanager
def _recursion_at_least(limit: int) -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, limit))
    try:
        yield
    finally:
        with contextlib.suppress(RecursionError):  # so deep already that there is no way back to it
            sys.setrecursionlimit(before)


# -- what was set --------------------------------------------------------------------------------------------------


def settings() -> dict[str, Any]:
    """Every setting of JAX by name: what it is in this thread now, and what it is for the process.

    Raises:
        AttributeError, TypeError: JAX does not say.

    Example:
        >>> with jax.debug_nans(True):
        ...     settings()["jax_debug_nans"]
        (True, False)
    """
    holders = _holders()
    return {name: (value, _of_process(holders.get(name), value)) for name, value in jax.config.values.items()}


def _of_process(holder: Any, value: Any) -> Any:
    return holder.get_global() if hasattr(holder, "get_global") else value


def set_back(values: Mapping[str, Any]) -> None:
    """Give the settings of JAX the values that they had for the process."""
    now = settings()
    for name, (_, value) in values.items():
        if name in now and now[name][1] != value:
            jax.config.update(name, value)
