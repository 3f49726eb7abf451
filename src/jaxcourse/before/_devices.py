"""Devices by name: what their data sheets say, and what is assumed for a launch. Data, and no measurement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LAUNCH = 1e-6
"""Seconds that a GPU takes at least to launch one kernel after another. A published scan of 100,000 turns took 0.805 s
on a T4 (github.com/QuantEcon/lecture-python-programming/pull/437). With some four launches a turn that is 2 µs each.
Half of it is assumed, since XLA may hand over several launches at once, as a CUDA graph. It is on no data sheet."""


@dataclass(frozen=True)
class Device:
    """What a device has at best.

    Attributes:
        name: in full.
        memory: bytes that it holds, as the data sheet rounds them: an H200 or A100 has some percent more.
        bandwidth: bytes per second of this memory.
        cache: bytes of its last cache, which may keep arrays from one call to the next; 0 if nothing does.
        products: operations per second of matrix products, without sparsity, by the dtype of their factors, as JAX
            computes them by default: `float32` in TF32 where there is one, on a TPU in `bfloat16`. At the clock of the
            data sheet, which no product keeps up for long.
        launch: seconds that are assumed for a launch; 0 where a whole program is launched at once.
        source: where these figures are to be read.
    """

    name: str
    memory: float
    bandwidth: float
    cache: float
    products: Mapping[str, float]
    launch: float
    source: str


def _products(half: float, float32: float, float64: float = 0.0, *, bfloat16: bool = True) -> dict[str, float]:
    """Rates by dtype, from those that a data sheet has; what a device has not is left out."""
    found = {"float16": half, "bfloat16": half if bfloat16 else 0.0, "float32": float32, "float64": float64}
    return {name: rate for name, rate in found.items() if rate}


DEVICES: Mapping[str, Device] = {
    "H200": Device(
        "NVIDIA H200 SXM",
        141e9,
        4.8e12,
        50 * 2**20,
        _products(989e12, 494e12, 67e12),
        LAUNCH,
        "data sheet of the H200, and h200.txtpb in openxla/xla, xla/backends/gpu/target_config/specs",
    ),
    "A100": Device(
        "NVIDIA A100 SXM 80 GB",
        80e9,
        2.039e12,
        40 * 2**20,
        _products(312e12, 156e12, 19.5e12),
        LAUNCH,
        "data sheet of the A100 80 GB, and a100_sxm_80.txtpb in openxla/xla, xla/backends/gpu/target_config/specs",
    ),
    "T4": Device(
        "NVIDIA T4",
        16e9,
        320e9,
        4 * 2**20,
        _products(65e12, 8.1e12, 0.254e12, bfloat16=False),
        LAUNCH,
        "data sheet of the T4, and sysrqmts.com/en/gpus/nvidia/tesla/t4",
    ),
    "v5e": Device(
        "TPU v5e, one chip",
        16e9,
        819e9,
        0,
        {"bfloat16": 197e12, "float32": 197e12},
        0.0,
        "docs.cloud.google.com/tpu/docs/v5e",
    ),
}
"""By the short names that are asked for. As the sources had them in 2026."""


def device(name: str) -> Device:
    """A device by its short name.

    Raises:
        ValueError: none has it.

    Example:
        >>> device("A100").memory
        80000000000.0
        >>> device("B200")
        Traceback (most recent call last):
        ValueError: no data sheet is known of 'B200': ask for one of H200, A100, T4, v5e
    """
    found = DEVICES.get(name)
    if found is None:
        raise ValueError(f"no data sheet is known of {name!r}: ask for one of {', '.join(DEVICES)}")
    return found
