"""An exponentially weighted mean, from a table to a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.bench import Entry, Race, entry
from jaxcourse_author.headlines._headline import Claim, Headline, Least, busy, has

ALPHA = 0.1
COLUMNS = 1_000
SOURCE = "000, on exponentially weighted means"


def contestants(rows: int) -> dict[str, Entry]:
    """Each starts from a table and ends with one, but for `the scan alone`, whose table is on the device already."""
    import pandas as pd

    from jaxcourse import frames

    values = np.random.default_rng(0).normal(size=(rows, COLUMNS)).astype(np.float32)
    table = pd.DataFrame(values, columns=[f"c{i}" for i in range(COLUMNS)])
    run, on_device = frames.unroll(frames.ewma(alpha=ALPHA)), jnp.asarray(values)
    found = {
        "pandas": entry(lambda: last(table.ewm(alpha=ALPHA).mean())),
        "frames": entry(lambda: last(table.jaxcourse.ewm(alpha=ALPHA).mean())),
        "frames, JAX alone": entry(lambda: last(by_jax_alone(table))),
        "a plain scan": entry(lambda: last(like(table, np.asarray(by_scan(jnp.asarray(table.to_numpy())))))),
        "the scan alone": entry(lambda: run(on_device)[1][:, -1]),
    }
    if has("polars"):
        found["polars"] = entry(by_polars(table))
    if has("numba"):
        by_hand = by_numba()
        found["Numba by hand"] = entry(lambda: last(like(table, by_hand(table.to_numpy()))))
    return found


def by_jax_alone(table: Any) -> Any:
    """What `frames` does where there is no Numba."""
    from jaxcourse import frames

    return frames.apply(dataclasses.replace(frames.ewma(alpha=ALPHA), by_column=None), table)


def last(table: Any) -> np.ndarray:
    """A table's last column: what shows that the work was done, without a copy of the table."""
    return np.asarray(table[table.columns[-1]].to_numpy(), np.float32)


def like(table: Any, values: np.ndarray) -> Any:
    """A table around an array, without a copy."""
    import pandas as pd

    return pd.DataFrame(values, index=table.index, columns=table.columns, copy=False)


@jax.jit
def by_scan(xs: jax.Array) -> jax.Array:
    """What one writes first: sums of values and of weights, carried over the rows."""

    def row(sums: tuple[jax.Array, jax.Array], x: jax.Array) -> tuple[tuple[jax.Array, jax.Array], jax.Array]:
        here = ~jnp.isnan(x)
        total = sums[0] * (1 - ALPHA) + jnp.where(here, x, 0)
        weight = sums[1] * (1 - ALPHA) + here
        return (total, weight), total / weight

    return jax.lax.scan(row, (jnp.zeros_like(xs[0]), jnp.zeros_like(xs[0])), xs)[1]


def by_polars(table: Any) -> Callable[[], np.ndarray]:
    """Its own means, of a table of its own."""
    import polars as pl

    own = pl.from_pandas(table)
    return lambda: own.select(pl.all().ewm_mean(alpha=ALPHA, ignore_nulls=False))[:, -1].to_numpy()


def by_numba() -> Callable[[np.ndarray], np.ndarray]:
    """By hand, for complete tables: the weights are the same for all columns.

    Eight columns are under way at once, so that no multiply-add has to wait for the one before it.
    """
    import numba

    @numba.njit(parallel=True, fastmath={"contract"})
    def means(values: np.ndarray, out: np.ndarray, keep: np.ndarray, take: np.ndarray) -> None:
        for group in numba.prange(len(values) // 8):
            x, y = values[8 * group : 8 * group + 8], out[8 * group : 8 * group + 8]
            a, b, c, d, e, f, g, h = x[0, 0], x[1, 0], x[2, 0], x[3, 0], x[4, 0], x[5, 0], x[6, 0], x[7, 0]
            for t in range(x.shape[1]):
                k, n = keep[t], take[t]
                a, b, c, d = a * k + x[0, t] * n, b * k + x[1, t] * n, c * k + x[2, t] * n, d * k + x[3, t] * n
                e, f, g, h = e * k + x[4, t] * n, f * k + x[5, t] * n, g * k + x[6, t] * n, h * k + x[7, t] * n
                y[0, t], y[1, t], y[2, t], y[3, t] = a, b, c, d
                y[4, t], y[5, t], y[6, t], y[7, t] = e, f, g, h

    def by_hand(values: np.ndarray) -> np.ndarray:
        take = ALPHA / (1 - (1 - ALPHA) ** np.arange(1.0, len(values) + 1))
        columns = values.T  # a table of pandas lies column by column
        out = np.empty(columns.shape, columns.dtype)
        means(columns, out, (1 - take).astype(columns.dtype), take.astype(columns.dtype))
        return out.T

    return by_hand


def whole_way(race: Race) -> str:
    """Where the time goes beside the arithmetic."""
    alone, whole = race["the scan alone"].median, race["frames, JAX alone"].median
    return (
        f"Table in, table out takes {whole / alone:.1f} times as long as the steps alone. Where Numba is installed, "
        f"`frames` has a loop of Numba for large tables. {busy(race, 'frames, JAX alone')}."
    )


def alone(race: Race) -> str:
    """What the source did not wait for."""
    return (
        "The steps run compiled, all columns at once; pandas goes through one column after the other, in float64. "
        f"{busy(race, 'the scan alone', 'pandas')}. Runs that are 100 times as fast were not waited for."
    )


EWMA = Headline(
    name="ewma",
    title=f"An exponentially weighted mean of {COLUMNS:,} columns, float32",
    variable="rows",
    sizes=(1_000, 10_000, 100_000),
    contestants=contestants,
    claims=(
        Claim("a little faster than pandas, table in, table out", SOURCE, "frames, JAX alone", "pandas", whole_way),
        Claim("the compiled steps: 3 times as fast as pandas", SOURCE, "the scan alone", "pandas", alone, times=3),
    ),
    least=lambda rows: Least(nbytes=2 * 4 * rows * COLUMNS, on_host=True),
    reasons={
        "across_dtypes": "pandas computes the mean of float32 in float64, and there is no other way to ask it",
        "across_transfers": "a table in, a table out: the way to the device and back is part of the work",
    },
    wants=("polars", "numba"),
)
