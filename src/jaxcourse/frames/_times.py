"""Moments and durations as integers that JAX has in every mode."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

NAT = np.iinfo(np.int32).min
"""The day of a missing moment."""
DAY = 86_400
NANO = 10**9
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": NANO}


class Times(NamedTuple):
    """Moments since 1970, or durations: days, seconds of the day, nanoseconds of the second.

    JAX has no datetime64, and int64 only in x64 mode. Three int32 hold every datetime64 from days to nanoseconds
    without loss, for 5 million years, and do not depend on where a batch starts.

    Args:
        days: int32, `NAT` where the moment is missing.
        seconds: int32, 0 to 86,399.
        nanoseconds: int32, 0 to 999,999,999.
    """

    days: Any
    seconds: Any
    nanoseconds: Any


def encode_times(moments: np.ndarray) -> Times:
    """Split datetime64 or timedelta64 into days, seconds and nanoseconds.

    Args:
        moments: datetime64 or timedelta64 of unit D, s, ms, us or ns, of any shape.

    Returns:
        Three int32 arrays of that shape.

    Example:
        >>> [int(part[0]) for part in encode_times(np.array(["1970-01-02T00:00:01.5"], "datetime64[ms]"))]
        [1, 1, 500000000]
    """
    moments = _with_known_unit(moments)
    per_second = PER_SECOND[np.datetime_data(moments.dtype)[0]]
    ticks = np.where(np.isnat(moments), 0, moments.astype(np.int64))
    days, rest = np.divmod(ticks, DAY * per_second)
    seconds, rest = np.divmod(rest, per_second)
    days = np.where(np.isnat(moments), NAT, days)
    return Times(*(part.astype(np.int32) for part in (days, seconds, rest * (NANO // per_second))))


def _with_known_unit(moments: np.ndarray) -> np.ndarray:
    unit = np.datetime_data(moments.dtype)[0]
    return (
        moments
        if unit in PER_SECOND
        else moments.astype(f"{moments.dtype.kind}8[s]".replace("M8", "datetime64").replace("m8", "timedelta64"))
    )


def decode_times(times: Times, dtype: np.dtype) -> np.ndarray:
    """Join days, seconds and nanoseconds to datetime64 or timedelta64.

    Args:
        times: three arrays of one shape.
        dtype: such as `np.dtype("datetime64[us]")`.

    Example:
        >>> moments = np.array(["2024-02-29T12:00", "NaT"], "datetime64[us]")
        >>> decode_times(encode_times(moments), moments.dtype)
        array(['2024-02-29T12:00:00.000000', 'NaT'], dtype='datetime64[us]')
    """
    unit = np.datetime_data(dtype)[0]
    days, seconds, nanoseconds = (np.asarray(part).astype(np.int64) for part in times)
    per_second = PER_SECOND.get(unit, 1)
    ticks = (days * DAY + seconds) * per_second + nanoseconds // (NANO // per_second)
    joined = ticks.view(
        f"{'datetime64' if dtype.kind == 'M' else 'timedelta64'}[{unit if unit in PER_SECOND else 's'}]"
    )
    joined = joined.astype(dtype)
    joined[np.asarray(times.days) == NAT] = "NaT"
    return joined


def elapsed(earlier: Times, later: Times, unit: float, dtype: Any) -> jax.Array:
    """How much time lies between two moments, as a number of units.

    Args:
        earlier: a moment.
        later: another one.
        unit: seconds per unit.
        dtype: of the result, a floating-point dtype.

    Returns:
        The difference, rounded only after the subtraction, so that float32 does for nanoseconds.

    Example:
        >>> from datetime import timedelta
        >>> moments = encode_times(np.array(["2024-01-01", "2024-01-02T12:00"], "datetime64[s]"))
        >>> first, second = (Times(*(part[i] for part in moments)) for i in (0, 1))
        >>> float(elapsed(first, second, 3600, jnp.float32))
        36.0
    """
    days, seconds, nanoseconds = (
        (new.astype(jnp.int32) - old.astype(jnp.int32)).astype(dtype) for old, new in zip(earlier, later, strict=True)
    )
    units: jax.Array = days * (DAY / unit) + seconds * (1 / unit) + nanoseconds * (1 / (unit * NANO))
    return units
