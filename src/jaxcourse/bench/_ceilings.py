"""What this machine can do at best."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.bench import _kept
from jaxcourse.runtime import cores
from jaxcourse.table import Report, Table, si

CALLS = 4
"""Calls in a row, so that a device does not wait for the next one."""


@dataclass(frozen=True, repr=False)
class Ceilings(Report):
    """What this machine can do at best, as far as it was free while it was measured.

    Args:
        platform: where JAX computes: "cpu", "gpu" or "tpu".
        device: what JAX calls the device.
        cores: how many cores this process may use.
        bandwidth: bytes per second that memory streams, read and written.
        matmul: floating-point operations per second in a float32 matrix product at JAX's default precision, which on a
            recent GPU is less than float32.
        dispatch: seconds from the call of a small compiled function to its result.
        host_to_device: bytes per second from a NumPy array to the device, or None if the device is the host.
    """

    platform: str
    device: str
    cores: int
    bandwidth: float
    matmul: float
    dispatch: float
    host_to_device: float | None

    def _parts(self) -> list[Table | str]:
        rows = [
            ["device", f"{self.device} ({self.platform})"],
            ["cores", str(self.cores)],
            ["memory bandwidth", si(self.bandwidth, "B/s")],
            ["matrix product, float32", si(self.matmul, "FLOP/s")],
            ["one small compiled call", si(self.dispatch, "s")],
        ]
        if self.host_to_device is not None:
            rows.append(["host to device", si(self.host_to_device, "B/s")])
        return [Table("This machine at its best", ["ceiling", "measured"], rows)]


def ceilings(*, again: bool = False) -> Ceilings:
    """Measure in a few seconds what this machine can do at best, on JAX's default device, and keep it for a day.

    Args:
        again: measure even if there is a measurement of this machine, for example because it was busy then.

    Returns:
        The ceilings, which show as a table.

    Example:
        >>> machine = ceilings()
        >>> machine.matmul / machine.bandwidth > 0  # FLOP per byte, above which arithmetic is what limits
        True

    What the two limit is the roofline model: https://doi.org/10.1145/1498765.1498785
    """
    if not again and (kept := _kept.read()):
        return Ceilings(**kept)
    _bandwidth.cache_clear()
    measured = _measure()
    _kept.write(dataclasses.asdict(measured))
    return measured


def _measure() -> Ceilings:
    device = jax.local_devices()[0]
    on_host = device.platform == "cpu"
    return Ceilings(
        platform=device.platform,
        device=device.device_kind,
        cores=cores(),
        bandwidth=_bandwidth(device.platform),
        matmul=_matmul(1024 if on_host else 4096),
        dispatch=_dispatch(),
        host_to_device=None if on_host else _host_to_device(device, 2**26),
    )


def bandwidth(platform: str | None = None) -> float:
    """Measure how many bytes per second memory streams: the best of a NumPy copy and an in-place JAX update.

    Each byte counts once when it is read and once when it is written. The arrays, 256 MiB in all (1 GiB on a GPU), are
    far larger than the caches and exist already, so that no fresh page is waited for. It takes less than two seconds,
    once per process; what `ceilings` has kept is taken as it is.

    Args:
        platform: "cpu", "gpu" or "tpu"; where JAX computes if not given. NumPy is measured on "cpu" only.

    Returns:
        Bytes per second.

    Example:
        >>> bandwidth("cpu") > 1e8
        True

    The way of counting is that of STREAM: https://www.cs.virginia.edu/stream/ref.html
    """
    platform = platform or jax.default_backend()
    kept = _kept.read()
    return float(kept["bandwidth"]) if kept and kept["platform"] == platform else _bandwidth(platform)


@functools.cache
def _bandwidth(platform: str) -> float:
    if platform != "cpu":
        return _stream_jax(jax.local_devices(backend=platform)[0], 2**30)
    rates = [_stream_numpy(2**27)]
    # Where JAX_PLATFORMS leaves out the CPU, JAX has no device there.
    with suppress(RuntimeError):
        rates.append(_stream_jax(jax.local_devices(backend="cpu")[0], 2**27))
    return max(rates)


def _stream_numpy(nbytes: int) -> float:
    source, target = np.ones(nbytes, np.uint8), np.ones(nbytes, np.uint8)
    return 2 * nbytes / _fastest(lambda: np.copyto(target, source))


def _stream_jax(device: jax.Device, nbytes: int) -> float:
    update = jax.jit(lambda x: x + 1, donate_argnums=0)
    x = jnp.ones(nbytes // 4, jnp.float32, device=device)

    def updates() -> None:
        nonlocal x
        for _ in range(CALLS):
            x = update(x)
        x.block_until_ready()

    updates()
    return CALLS * 2 * nbytes / _fastest(updates)


def _matmul(n: int) -> float:
    """Floating-point operations per second of an (n, n) by (n, n) product, which takes 2 n**3 of them."""
    product = jax.jit(jnp.matmul)
    mean = jnp.full((n, n), 1 / n, jnp.float32)

    def products() -> None:
        x = mean
        for _ in range(CALLS):
            x = product(x, mean)
        x.block_until_ready()

    products()
    return CALLS * 2 * n**3 / _fastest(products)


def _dispatch() -> float:
    """Seconds of a call of a compiled function of one number, in the middle of 1000."""
    increment = jax.jit(lambda x: x + 1)
    x = increment(jnp.float32(0)).block_until_ready()
    times = []
    for _ in range(1000):
        start = perf_counter()
        increment(x).block_until_ready()
        times.append(perf_counter() - start)
    return float(np.median(times))


def _host_to_device(device: jax.Device, nbytes: int) -> float:
    host = np.ones(nbytes, np.uint8)
    return nbytes / _fastest(lambda: jax.device_put(host, device).block_until_ready())


def _fastest(action: Callable[[], object], seconds: float = 0.2) -> float:
    """Seconds of the fastest of at least five calls: a ceiling is what is reached when nothing is in the way."""
    times: list[float] = []
    while len(times) < 5 or sum(times) < seconds:
        start = perf_counter()
        action()
        times.append(perf_counter() - start)
    return min(times)


@functools.cache
def cache_bytes(platform: str) -> int:
    """Bytes of the last-level cache; where the system does not say, that of a large device of today."""
    if platform != "cpu":
        return 64 * 2**20
    sizes = Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")
    kibibytes = [int(size.read_text().strip().removesuffix("K")) for size in sizes]
    return max(kibibytes, default=32 * 1024) * 1024
