"""Three steps against pandas and polars: exponentially weighted means of T rows by N columns, and where the time goes.

    taskset -c 0,1 python benchmarks/frames.py --rows 100000 --columns 1000 --rounds 7
    taskset -c 0,1 python benchmarks/frames.py --gaps 0.1
    taskset -c 0,1 python benchmarks/frames.py --sweep --rounds 5

Contestants: pandas; polars; Numba written by hand, a column for each turn of a parallel loop, and eight columns at a
time, with a weight for each or, for complete tables, with the weights that are then the same for all columns; a plain
`lax.scan` between `jnp.asarray` and `pd.DataFrame`; `df.jaxcourse.ewm`, which has a loop of Numba for large tables; and
the same without it, as it is where there is no Numba. All start from a DataFrame (for polars, one of polars) and end
with one. pandas computes float32 in float64, the others in the dtype of the table. Results are compared first. Then
they take turns, in a new order in each round: what slows the machine slows all of them, and none always finds the
memory as the same neighbour left it, which can matter more than the arithmetic. Ratios are formed within a round; the
table has their median and, in brackets, the quantiles of 10 and 90 percent. Processor seconds stand beside those of the
clock, and their ratio beside that of the clock: on a shared machine they say whether the cores were there. A small
table follows, where what counts is what each does before it computes.

The floor is what memory allows: each number read once and written once, by NumPy on all cores, into memory that is
there already (`floor`), and into new memory (`floor, new memory`), which a result that did not exist before needs.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import jax.numpy as jnp
import numba
import numpy as np
import pandas as pd
import polars as pl

from jaxcourse import frames
from jaxcourse.runtime import cores
from jaxcourse_author.headlines._ewma import ALPHA, by_jax_alone, by_scan, like
from jaxcourse_author.headlines._ewma import by_numba as numba_for_complete_tables

SMALL = 1_000, 10
ROUNDS_OF_SMALL = 200
TOLERANCE = {"float32": 2e-5, "float64": 1e-11}
CORES = cores()

Call = Callable[[], Any]
Turns = dict[str, list[tuple[float, float]]]


def main() -> None:
    """Check that all agree, let them take turns, print the tables."""
    options = _options()
    for dtype in options.dtypes:
        jax.config.update("jax_enable_x64", dtype == "float64")
        if options.sweep:
            sweep(dtype, options)
        else:
            compare(dtype, options)
            compare_small(dtype, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dtypes", nargs="+", default=["float32", "float64"], choices=list(TOLERANCE))
    parser.add_argument("--gaps", type=float, default=0.0, help="share of values that are missing")
    parser.add_argument("--sweep", action="store_true", help="vary T and N, for polars and ours only")
    return parser.parse_args()


def table_of(rows: int, columns: int, dtype: str, gaps: float) -> pd.DataFrame:
    """Random numbers; pandas 3 keeps them column by column."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(rows, columns)).astype(dtype)
    if gaps:
        values[rng.random(values.shape, dtype=np.float32) < gaps] = np.nan
    index = pd.date_range("2024-01-01", periods=rows, freq="s")
    return pd.DataFrame(values, index=index, columns=[f"c{i}" for i in range(columns)])


# -- the contestants --------------------------------------------------------------------------------------------


def contestants(table: pd.DataFrame) -> dict[str, Call]:
    """From a table to a table."""
    in_polars = pl.from_pandas(table)
    calls = {
        "pandas": lambda: table.ewm(alpha=ALPHA).mean(),
        "polars": lambda: in_polars.select(pl.all().ewm_mean(alpha=ALPHA, ignore_nulls=False)),
        "numba": lambda: like(table, by_numba(table.to_numpy())),
        "scan": lambda: like(table, np.asarray(by_scan(jnp.asarray(table.to_numpy())))),
        "ours": lambda: table.jaxcourse.ewm(alpha=ALPHA).mean(),
        "ours, JAX alone": lambda: by_jax_alone(table),
    }
    if len(table.columns) % 8 == 0:
        calls["numba, by eight"] = lambda: like(table, by_numba(table.to_numpy(), _numba_eight))
        if not table.isna().to_numpy().any():
            shortcut = numba_for_complete_tables()
            calls["numba, complete"] = lambda: like(table, shortcut(table.to_numpy()))
    return calls


@numba.njit(parallel=True, fastmath={"contract"}, error_model="numpy")
def _numba_columns(values: np.ndarray, out: np.ndarray) -> None:
    for column in numba.prange(values.shape[0]):
        mean, weight = values[column, 0], 1.0
        out[column, 0] = mean
        for row in range(1, values.shape[1]):
            x = values[column, row]
            if not np.isnan(x):
                if np.isnan(mean):
                    mean, weight = x, 1.0
                else:
                    weight *= 1 - ALPHA
                    mean = (weight * mean + x) / (weight + 1)
                    weight += 1
            else:
                weight *= 1 - ALPHA
            out[column, row] = mean


@numba.njit(fastmath={"contract"}, error_model="numpy")
def _next(mean: float, weight: float, x: float, keep: float, one: float) -> tuple[float, float]:
    faded = weight * keep
    total = faded + one
    here = np.isfinite(x)
    return (mean + (x - mean) / total if here else mean), (total if here else faded)


@numba.njit(parallel=True, fastmath={"contract"}, error_model="numpy")
def _numba_eight(values: np.ndarray, out: np.ndarray) -> None:
    """While one column waits for its division, the others go on."""
    one = out.dtype.type(1)
    keep = out.dtype.type(1 - ALPHA)
    for group in numba.prange(values.shape[0] // 8):
        x, y = values[8 * group : 8 * group + 8], out[8 * group : 8 * group + 8]
        a = b = c = d = e = f = g = h = i = j = k = m = n = p = q = r = one - one
        for t in range(x.shape[1]):
            a, i = _next(a, i, x[0, t], keep, one)
            b, j = _next(b, j, x[1, t], keep, one)
            c, k = _next(c, k, x[2, t], keep, one)
            d, m = _next(d, m, x[3, t], keep, one)
            e, n = _next(e, n, x[4, t], keep, one)
            f, p = _next(f, p, x[5, t], keep, one)
            g, q = _next(g, q, x[6, t], keep, one)
            h, r = _next(h, r, x[7, t], keep, one)
            y[0, t], y[1, t], y[2, t], y[3, t] = a, b, c, d
            y[4, t], y[5, t], y[6, t], y[7, t] = e, f, g, h
        for column in range(8):
            for t in range(x.shape[1]):
                if np.isfinite(x[column, t]):
                    break
                y[column, t] = np.nan


def by_numba(values: np.ndarray, loop: Callable[[np.ndarray, np.ndarray], None] = _numba_columns) -> np.ndarray:
    """By hand, for a table that lies column by column."""
    out = np.empty(values.shape[::-1], values.dtype)
    loop(np.ascontiguousarray(values.T), out)
    return out.T


def steps(table: pd.DataFrame) -> dict[str, Call]:
    """Our three steps, one at a time, and what memory allows."""
    run, in_place = frames.unroll(frames.ewma(alpha=ALPHA)), frames.unroll(frames.ewma(alpha=ALPHA), donate=True)
    encoded = frames.encode(table)
    ys = run(encoded.values)[1]
    kept = [jnp.array(encoded.values)]
    host, warm = np.array(encoded.values), np.empty(table.shape, encoded.values.dtype)

    def again() -> jax.Array:
        # Its results are the next call's input: means of means cost the same.
        kept[0] = in_place(kept[0])[1]
        return kept[0]

    return {
        "floor": lambda: stream(host, warm),
        "floor, new memory": lambda: stream(host, np.empty_like(host)),
        "encode": lambda: frames.encode(table).values,
        "run, in place": again,
        "run, new memory": lambda: run(encoded.values)[1],
        "decode": lambda: encoded.decode(ys),
        "all three": lambda: table.jaxcourse.ewm(alpha=ALPHA).mean(),
    }


def stream(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Read each number once and write it once, on all cores."""
    cuts = np.linspace(0, len(source), CORES + 1).astype(int)
    with ThreadPoolExecutor(CORES) as pool:
        list(pool.map(lambda i: np.copyto(target[cuts[i] : cuts[i + 1]], source[cuts[i] : cuts[i + 1]]), range(CORES)))
    return target


# -- the clock --------------------------------------------------------------------------------------------------


def take_turns(calls: dict[str, Call], rounds: int) -> Turns:
    """Seconds of the clock and of the processor for each call, after one that compiles and warms up."""
    turns: Turns = {name: [] for name in calls}
    order = random.Random(0)
    for call in calls.values():
        jax.block_until_ready(call())
    for _ in range(rounds):
        for name in order.sample(list(calls), len(calls)):
            turns[name].append(timed(calls[name]))
    return turns


def timed(call: Call) -> tuple[float, float]:
    """Wall-clock and processor seconds; what is thrown away afterwards is not timed."""
    wall, processor = time.perf_counter(), time.process_time()
    result = call()
    jax.block_until_ready(result)
    return time.perf_counter() - wall, time.process_time() - processor


def require_same(calls: dict[str, Call], dtype: str) -> None:
    """Stop if a contestant does not compute what pandas does."""
    expected = calls["pandas"]().to_numpy()
    for name, call in calls.items():
        worst = np.nanmax(np.abs(call().to_numpy() - expected))
        print(f"  {name}: differs from pandas by {worst:.1e} at most", flush=True)
        if not worst < TOLERANCE[dtype]:
            raise SystemExit(f"{name} does not compute what pandas does")


# -- the tables -------------------------------------------------------------------------------------------------


def compare(dtype: str, options: argparse.Namespace) -> None:
    """One size: all contestants, then each of our steps."""
    table = table_of(options.rows, options.columns, dtype, options.gaps)
    gaps = f", {options.gaps:.0%} missing" if options.gaps else ""
    print(f"\n{dtype}, T = {options.rows:,}, N = {options.columns:,}{gaps}; {_machine()}")
    calls = contestants(table)
    require_same(calls, dtype)
    show(take_turns(calls, options.rounds), "polars", faster=True)
    show(take_turns(steps(table), options.rounds), "floor", faster=False)
    print(f"load at the end: {_machine()}")


def compare_small(dtype: str, options: argparse.Namespace) -> None:
    """A table that is computed sooner than it is opened."""
    table = table_of(*SMALL, dtype, options.gaps)
    print(f"\n{dtype}, T = {SMALL[0]:,}, N = {SMALL[1]:,}; {_machine()}")
    show(take_turns(contestants(table), ROUNDS_OF_SMALL), "polars", faster=True)


def _machine() -> str:
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{CORES} cores, load {load}; pandas {pd.__version__}, polars {pl.__version__}, jax {jax.__version__}"


def show(turns: Turns, base: str, faster: bool) -> None:
    """Medians, and ratios to one contestant, formed round by round."""
    head = f"times as fast as {base}" if faster else f"times {base}"
    print(f"{'':20}{'ms':>9}{'fastest':>9}{'CPU ms':>9}{'cores':>7}{'by CPU':>8}   {head}")
    for name, samples in turns.items():
        wall = [sample[0] for sample in samples]
        pairs = zip(samples, turns[base], strict=True)
        ratios = [theirs[0] / mine[0] if faster else mine[0] / theirs[0] for mine, theirs in pairs]
        middle, used, theirs = statistics.median(wall), _processor(samples), _processor(turns[base])
        print(
            f"{name:20}{middle * 1e3:9.2f}{min(wall) * 1e3:9.2f}{used * 1e3:9.2f}"
            f"{statistics.median(map(lambda s: s[1] / s[0], samples)):7.2f}"
            f"{theirs / used if faster else used / theirs:8.2f}   {_spread(ratios)}",
            flush=True,
        )


def _processor(samples: list[tuple[float, float]]) -> float:
    return statistics.median(sample[1] for sample in samples)


def _spread(ratios: list[float]) -> str:
    low, middle, high = np.quantile(ratios, [0.1, 0.5, 0.9])
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def sweep(dtype: str, options: argparse.Namespace) -> None:
    """Nanoseconds per number over T and over N: flat where the cost is linear."""
    rows, columns = options.rows, options.columns
    sizes = [(rows * t // 10, columns * n // 100) for t in (1, 10, 100) for n in (1, 10, 100)]
    print(f"\n{dtype}; {_machine()}")
    print(f"{'T':>10}{'N':>8}{'polars ns':>11}{'ours ns':>9}{'ours CPU ns':>13}   times as fast")
    for size in sizes:
        calls = contestants(table_of(*size, dtype, options.gaps))
        turns = take_turns({name: calls[name] for name in ("polars", "ours")}, options.rounds)
        per = 1e9 / (size[0] * size[1])
        clock = {name: statistics.median(s[0] for s in samples) * per for name, samples in turns.items()}
        processor = _processor(turns["ours"]) * per
        ratios = [a[0] / b[0] for a, b in zip(turns["polars"], turns["ours"], strict=True)]
        line = f"{clock['polars']:11.2f}{clock['ours']:9.2f}{processor:13.2f}"
        print(f"{size[0]:10,}{size[1]:8,}{line}   {_spread(ratios)}", flush=True)


if __name__ == "__main__":
    main()
