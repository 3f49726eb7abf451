"""`jaxcourse.bench` with a clock that only moves when a contestant works, so that nothing here depends on real time."""

from __future__ import annotations

import gc
import re
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse import bench, table
from jaxcourse.bench import Race, Ratio, Sweep, Timing, UnfairRace, _ceilings, _clock, _race, _sweep, entry

X32 = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
J32 = jnp.asarray(X32)
STREAM = 10e9
CACHE = 1_000_000


@dataclass
class Clock:
    """Time on the wall and of the processor."""

    wall: float = 0.0
    processor: float = 0.0

    def work(self, seconds: float, cores: float = 1.0) -> None:
        self.wall += seconds
        self.processor += seconds * cores

    def worker(self, seconds: float, cores: float = 1.0, result: Any = 1.0) -> Callable[..., Any]:
        def works(*_: Any) -> Any:
            self.work(seconds, cores)
            return result

        return works


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(_clock, "perf_counter", lambda: clock.wall)
    monkeypatch.setattr(_clock, "process_time", lambda: clock.processor)
    return clock


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_race, "bandwidth", lambda platform: STREAM)
    monkeypatch.setattr(_race, "cache_bytes", lambda platform: CACHE)
    monkeypatch.setattr(_race, "cores", lambda: 2)


def timing(name: str, *samples: float, **facts: Any) -> Timing:
    known: dict[str, Any] = {
        "loops": 1,
        "first_call": samples[0],
        "compiled": False,
        "cores_busy": 1.0,
        "inputs": "none",
        "outputs": "float",
        "platform": "cpu",
        "bytes_moved": 8,
        "ceiling": None,
    }
    return Timing(name=name, samples=samples, **(known | facts))


def a_race(**samples: tuple[float, ...]) -> Race:
    return Race(tuple(timing(name, *its) for name, its in samples.items()), cores=2)


# The measurement ----------------------------------------------------------------------------------------------------


def test_the_time_of_a_call_is_what_the_clock_says(clock: Clock) -> None:
    result = bench.race({"slow": entry(clock.worker(0.004)), "fast": entry(clock.worker(0.001))})
    assert result["slow"].median == pytest.approx(0.004)
    assert result["fast"].quartiles == pytest.approx((0.001, 0.001))
    assert result.ratio("fast").median == pytest.approx(0.25)
    assert result.ratio("slow", to="fast").median == pytest.approx(4)


@pytest.mark.parametrize(("seconds", "loops"), [(1e-6, 2048), (0.5e-3, 4), (2.5e-3, 1), (1.0, 1)])
def test_a_sample_of_short_calls_lasts_two_milliseconds(clock: Clock, seconds: float, loops: int) -> None:
    result = bench.race({"it": entry(clock.worker(seconds))})
    assert result["it"].loops == loops
    assert result["it"].median == pytest.approx(seconds)


@pytest.mark.parametrize(("seconds", "budget", "rounds"), [(0.003, 1.0, 31), (0.1, 1.0, 10), (10.0, 1.0, 5)])
def test_rounds_fit_into_the_time_but_are_at_least_five(
    clock: Clock, seconds: float, budget: float, rounds: int
) -> None:
    result = bench.race({"it": entry(clock.worker(seconds))}, seconds=budget)
    assert len(result["it"].samples) == pytest.approx(rounds, abs=1)
    assert 5 <= len(result["it"].samples) <= 31


def test_who_is_not_after_times_ends_races_after_the_fewest_rounds(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAXCOURSE_RACE_SECONDS", "0")
    assert len(bench.race({"it": entry(clock.worker(0.01))}, seconds=1.0)["it"].samples) == 2
    monkeypatch.setenv("JAXCOURSE_RACE_SECONDS", "3")
    assert len(bench.race({"it": entry(clock.worker(0.01))}, seconds=0.1)["it"].samples) < 15


def test_contestants_take_turns_and_each_starts_a_round(clock: Clock) -> None:
    order: list[str] = []

    def worker(name: str) -> Callable[[], float]:
        def works() -> float:
            order.append(name)
            clock.work(0.003)
            return 1.0

        return works

    bench.race({name: entry(worker(name)) for name in "abc"}, seconds=0.0)
    assert "".join(order[-15:]) == "abcbcacababcbca"


def test_a_slowing_machine_changes_times_but_not_the_ratio(clock: Clock) -> None:
    def worker(seconds: float) -> Callable[[], float]:
        def works() -> float:
            clock.work(seconds * (1 + clock.wall))
            return 1.0

        return works

    result = bench.race({"one": entry(worker(0.01)), "two": entry(worker(0.02))}, seconds=2.0)
    assert max(result["one"].samples) > 1.4 * min(result["one"].samples)
    assert result.ratio("two").median == pytest.approx(2, rel=0.02)


def test_compile_time_is_the_first_call_less_a_later_one(clock: Clock) -> None:
    @jax.jit
    def double(x: jax.Array) -> jax.Array:
        clock.work(0.5)  # runs while JAX traces, not afterwards
        return 2 * x

    def call(x: jax.Array) -> jax.Array:
        clock.work(0.003)
        return double(x)

    compiled = bench.race({"it": entry(call, J32)})["it"]
    assert compiled.compiled
    assert compiled.compile == pytest.approx(0.5)
    again = bench.race({"it": entry(call, J32)})["it"]
    assert again.compile is None


def test_a_slow_first_call_that_compiles_nothing_is_no_compile_time(clock: Clock) -> None:
    pending = [0.5]

    def call() -> float:
        clock.work(pending.pop() if pending else 0.003)
        return 1.0

    result = bench.race({"it": entry(call)})["it"]
    assert result.first_call == pytest.approx(0.5)
    assert result.compile is None
    assert "compile" not in repr(bench.race({"it": entry(call)}))


def test_numba_compiles_count_too() -> None:
    numba = pytest.importorskip("numba")
    for function in (numba.njit(lambda x: x + 1), numba.vectorize(lambda x: x + 1)):
        assert bench.race({"it": entry(function, X32)}, seconds=0.0)["it"].compiled
        assert not bench.race({"it": entry(function, X32)}, seconds=0.0)["it"].compiled


def test_every_jax_result_is_waited_for(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, waits = [], []
    monkeypatch.setattr(_clock, "wait", lambda result: waits.append(result) or jax.block_until_ready(result))

    def call(x: Any) -> Any:
        calls.append(x)
        clock.work(0.0005)
        return x + 1

    bench.race({"it": entry(call, J32)}, across_transfers="the look for hidden copies waits on its own")
    assert len(calls) > 20
    assert len(waits) == len(calls)
    waits.clear()
    bench.race({"it": entry(call, X32)})
    assert len(waits) == 1, "NumPy's results are there when the call returns"


def test_garbage_is_not_collected_meanwhile_and_is_afterwards(clock: Clock) -> None:
    enabled = []

    def call() -> float:
        enabled.append(gc.isenabled())
        clock.work(0.003)
        return 1.0

    assert gc.isenabled()
    bench.race({"it": entry(call)})
    assert not any(enabled[-5:])
    assert gc.isenabled()


def test_cores_busy_is_processor_time_over_wall_time(clock: Clock) -> None:
    result = bench.race({"one": entry(clock.worker(0.003, cores=1.0)), "both": entry(clock.worker(0.003, cores=1.9))})
    assert result["one"].cores_busy == pytest.approx(1.0)
    assert result["both"].cores_busy == pytest.approx(1.9)
    assert "cores busy of 2" in repr(result)


# The rules ----------------------------------------------------------------------------------------------------------


def exp_of_x32() -> jax.Array:
    return jnp.exp(X32)


class Table:
    """What a DataFrame looks like from here."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return X32 if dtype is None else X32.astype(dtype)


donating = jax.jit(lambda x: x + 1, donate_argnums=0)


def keeping() -> Callable[[], jax.Array]:
    """A function that donates its own earlier result."""
    kept = [jnp.ones(5)]

    def step() -> jax.Array:
        kept[0] = donating(kept[0])
        return kept[0]

    return step


UNFAIR = {
    "other dtypes in": (
        {"numpy": entry(np.sum, X32.astype(np.float64)), "jax": entry(jax.jit(jnp.sum), J32)},
        ["'numpy' takes float64", "'jax' takes float32", "astype(np.float32)", "across_dtypes="],
    ),
    "list of floats and float32": (
        {"list": entry(sum, [1.0, 2.0]), "numpy": entry(np.sum, np.array([1, 2], np.float32))},
        ["'list' takes float64", "'numpy' takes float32"],
    ),
    "other dtypes out": (
        {"single": entry(np.sum, X32), "double": entry(lambda x: x.sum(dtype=np.float64), X32)},
        ["'single' returns float32", "'double' returns float64", "astype"],
    ),
    "NumPy array into jit": (
        {"it": entry(jax.jit(lambda c, x: c * x), 2.0, X32)},
        ["'it' is a JAX function", "argument 1", "float32[3,4]", "jnp.asarray", "across_transfers="],
    ),
    "NumPy array into eager JAX": ({"it": entry(jnp.exp, X32)}, ["'it'", "argument 0", "jnp.asarray"]),
    "table into JAX": ({"it": entry(lambda t: jnp.asarray(t), Table())}, ["'it'", "argument 0", "jnp.asarray"]),
    "NumPy array within a pytree": (
        {"it": entry(jax.jit(lambda p: p["w"] + p["b"]), {"w": J32, "b": X32})},
        ["'it'", "argument 0", "float32[3,4]"],
    ),
    "NumPy array from outside": (
        {"it": entry(exp_of_x32)},
        ["'it'", "from outside its arguments", "float32[3,4]", "Make it a JAX array"],
    ),
    "JAX array into NumPy": (
        {"it": entry(lambda x: np.exp(np.asarray(x)), J32)},
        ["'it' returns NumPy", "argument 0", "np.asarray", "across_transfers="],
    ),
    "nothing comes back": ({"it": entry(lambda x: None, X32)}, ["'it' returns nothing", "Return the result"]),
    "no numbers come back": ({"it": entry(lambda: "done")}, ["'it' returns str", "Return arrays"]),
    "text comes back": ({"it": entry(lambda: np.array(["done"]))}, ["'it' returns <U4[1]", "Return arrays"]),
    "own result": (
        {"it": entry(keeping()), "other": entry(lambda: jnp.ones(5))},
        ["'it' donates its earlier result", "x[:1]"],
    ),
    "donation": ({"it": entry(donating, jnp.ones(5))}, ["'it' donates its argument", "without donation"]),
    "other shapes": (
        {"rows": entry(lambda x: x.sum(1), X32), "columns": entry(lambda x: x.sum(0), X32)},
        ["'rows' returns float32[3]", "'columns' returns float32[4]", "across_results="],
    ),
    "more results": (
        {"one": entry(np.sum, X32), "two": entry(lambda x: (x.sum(), x.sum()), X32)},
        ["'one' returns float32[]", "'two' returns float32[], float32[]"],
    ),
    "other values": (
        {"plus": entry(lambda x: x + 1, X32), "wrong": entry(lambda x: np.where(x == 7, 0, x + 1), X32)},
        ["'plus' and 'wrong'", "8 and 0 at index (1, 2)", "compute the same", "across_results="],
    ),
    "other integers": (
        {"one": entry(lambda: np.array([1, 2])), "other": entry(lambda: np.array([1, 3]))},
        ["'one' and 'other'", "2 and 3 at index (1,)"],
    ),
    "bfloat16": (
        {"x": entry(jnp.exp, J32.astype(jnp.bfloat16)), "y": entry(jnp.negative, J32.astype(jnp.bfloat16))},
        ["'x' and 'y'", "and -12 at index (2, 3)"],
    ),
    "beside values that agree": (
        {n: entry(lambda v=v: np.array([np.nan, np.inf, v, 1.0])) for n, v in (("x", 1.0), ("y", 5.0))},
        ["'x' and 'y'", "1 and 5 at index (2,)"],
    ),
    "missing values": (
        {"x": entry(lambda: np.array([1.0, 2.0])), "nan": entry(lambda: np.array([1.0, np.nan]))},
        ["'x' and 'nan'", "2 and nan at index (1,)"],
    ),
}


@pytest.mark.parametrize("case", UNFAIR)
def test_an_unfair_race_is_refused_with_who_what_and_the_repair(case: str) -> None:
    contestants, words = UNFAIR[case]
    with pytest.raises(UnfairRace) as refusal:
        bench.race(contestants, seconds=0.0)
    for word in words:
        assert word in str(refusal.value)


WHY = "because the lesson asks for it"


@pytest.mark.parametrize(
    ("rule", "case"),
    [
        ("across_dtypes", "other dtypes in"),
        ("across_dtypes", "other dtypes out"),
        ("across_transfers", "NumPy array into jit"),
        ("across_transfers", "NumPy array from outside"),
        ("across_transfers", "JAX array into NumPy"),
        ("across_results", "other shapes"),
        ("across_results", "other values"),
    ],
)
def test_a_rule_can_be_set_aside_for_a_reason_that_is_printed(rule: str, case: str) -> None:
    contestants, _ = UNFAIR[case]
    result = bench.race(contestants, seconds=0.0, **{rule: WHY})
    assert result.reasons == (WHY,)
    assert f"Fair because: {WHY}" in repr(result)
    for other in {"across_dtypes", "across_results", "across_transfers"} - {rule}:
        with pytest.raises(UnfairRace):
            bench.race(contestants, seconds=0.0, **{other: WHY})


def test_a_reason_is_a_sentence() -> None:
    with pytest.raises(TypeError, match="across_dtypes takes the reason in words"):
        bench.race({"it": entry(np.sum, X32)}, across_dtypes=True)  # type: ignore[arg-type]


SUM32 = float(X32.sum())
FAIR = {
    "NumPy and JAX": {"numpy": entry(np.sum, X32), "jax": entry(jax.jit(jnp.sum), J32)},
    "Python numbers as arguments": {"a": entry(lambda x, c: x * c, X32, 2.0), "b": entry(jnp.multiply, J32, 2.0)},
    "eager JAX with numbers inside": {"it": entry(lambda x: 2.0 * x[1:] + 1.0, J32)},
    "a list and its array": {"list": entry(sum, [0.5, 2.5]), "numpy": entry(np.sum, np.array([0.5, 2.5]))},
    "a number has no dtype": {"float32": entry(np.sum, X32), "float": entry(lambda x: SUM32, X32)},
    "rounding": {"a": entry(np.sum, X32), "b": entry(lambda x: np.float32(SUM32 * (1 + 1e-4)), X32)},
    "rounding in bfloat16": {
        "a": entry(jnp.sum, J32.astype(jnp.bfloat16)),
        "b": entry(lambda x: x.sum() * jnp.bfloat16(1.01), J32.astype(jnp.bfloat16)),
    },
    "small beside large": {"a": entry(lambda: np.array([1e-9, 1.0])), "b": entry(lambda: np.array([0.0, 1.0]))},
    "missing and infinite alike": {n: entry(lambda: np.array([np.nan, np.inf, 1.0])) for n in "ab"},
    "integers": {"numpy": entry(np.sum, np.arange(5, dtype=np.int32), 0, np.int32), "python": entry(lambda: 10)},
    "booleans": {n: entry(lambda x: x > 3, X32) for n in "ab"},
    "keys": {n: entry(jax.jit(jax.random.split), jax.random.key(0)) for n in "ab"},
    "complex": {n: entry(np.multiply, X32.astype(np.complex64), 1j) for n in "ab"},
}


@pytest.mark.parametrize("case", FAIR)
def test_a_fair_race_is_run(case: str) -> None:
    result = bench.race(FAIR[case], seconds=0.0)
    assert result.names == tuple(FAIR[case])
    assert all(timing.median > 0 for timing in result.timings)


def test_a_bad_entry_is_named() -> None:
    with pytest.raises(TypeError, match=re.escape("write entry(f, x), not entry(f(x))")):
        entry(np.sum(X32))
    with pytest.raises(TypeError, match="contestant 'sum' must be an entry"):
        bench.race({"sum": np.sum})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="at least one contestant"):
        bench.race({})


def test_an_error_of_a_contestant_is_its_own() -> None:
    with pytest.raises(ZeroDivisionError):
        bench.race({"it": entry(lambda: 1 / 0)})


# Bytes and doubts ---------------------------------------------------------------------------------------------------


def add_into(x: np.ndarray, out: np.ndarray) -> np.ndarray:
    return np.add(x, 1, out=out)


ZEROS = np.zeros((3, 4), np.float32)


@pytest.mark.parametrize(
    ("contestant", "nbytes", "inputs", "outputs"),
    [
        (entry(np.exp, X32), 96, "float32[3,4]", "float32[3,4]"),
        (entry(jnp.exp, J32), 96, "float32[3,4]", "float32[3,4]"),
        (entry(np.sum, X32), 52, "float32[3,4]", "float32[]"),
        (entry(add_into, X32, ZEROS), 96, "float32[3,4], float32[3,4]", "float32[3,4]"),
        (entry(np.transpose, X32), 0, "float32[3,4]", "float32[4,3]"),
        (entry(lambda x: x[::2].copy(), X32[:, ::2]), 44 + 16, "float32[3,2]", "float32[2,2]"),
        (entry(np.sum, np.broadcast_to(np.float64(1), (10, 10))), 16, "float64[10,10]", "float64[]"),
        (entry(np.sum, np.ones(1000)[::8]), 124 * 64 + 8 + 8, "float64[125]", "float64[]"),
        (entry(np.sum, np.ones(1000)[::32]), 32 * 64 + 8, "float64[32]", "float64[]"),
        (entry(np.sum, np.ones((40, 50)).T), 40 * 50 * 8 + 8, "float64[50,40]", "float64[]"),
        (entry(np.sum, np.ones((10, 64))[:, :2]), 10 * 64 + 8, "float64[10,2]", "float64[]"),
        (entry(lambda: 1.0), 0, "none", "float"),
        (entry(np.ones, 3, np.float32), 12, "int, type", "float32[3]"),
    ],
)
def test_bytes_types_and_shapes(contestant: bench.Entry, nbytes: int, inputs: str, outputs: str) -> None:
    result = bench.race({"it": contestant}, seconds=0.0)["it"]
    assert (result.bytes_moved, result.inputs, result.outputs) == (nbytes, inputs, outputs)


def test_a_list_holds_pointers_and_numbers() -> None:
    result = bench.race({"it": entry(sum, [float(i) for i in range(1000)])}, seconds=0.0)["it"]
    assert 32_000 <= result.bytes_moved < 34_000
    assert result.inputs == "list of 1,000 float"


LARGE = np.ones(2_000_000, np.float32)  # 8 MB: far beyond the fixture's cache


@pytest.mark.parametrize(
    ("x", "seconds", "warned"),
    [
        (LARGE, 8e6 / STREAM, False),
        (LARGE, 8e6 / STREAM / 1.5, False),
        (LARGE, 8e6 / STREAM / 4, True),
        (LARGE[:100_000], 1e-6, False),  # fits into the cache
        (LARGE[:300_000], 1.2e6 / STREAM / 4, False),  # some of it does
    ],
)
def test_more_bytes_per_second_than_memory_has_is_reported(
    clock: Clock, x: np.ndarray, seconds: float, warned: bool
) -> None:
    result = bench.race({"it": entry(clock.worker(seconds, result=x[0].copy()), x)})
    assert bool(result.warnings) == warned
    assert ("Warning: it seems to move" in repr(result)) == warned


def test_the_share_of_bandwidth_is_of_this_machine(clock: Clock) -> None:
    result = bench.race({"it": entry(clock.worker(16e6 / STREAM, result=1.0), LARGE)})
    assert result["it"].share_of_bandwidth == pytest.approx(0.5)
    assert "5 GB/s (50% of 10 GB/s)" in repr(result)
    fast = bench.race({"it": entry(clock.worker(2e6 / STREAM, result=1.0), LARGE)})
    assert "(from cache, or not all read; memory 10 GB/s)" in repr(fast)
    small = bench.race({"it": entry(clock.worker(1e-3, result=1.0), LARGE[:1000])})
    assert small["it"].share_of_bandwidth is None
    assert "4 MB/s (in cache)" in repr(small)


@pytest.mark.parametrize(("cores", "warned"), [(0.5, True), (0.9, False), (1.9, False)])
def test_a_core_that_was_not_there_is_reported(clock: Clock, cores: float, warned: bool) -> None:
    result = bench.race({"it": entry(clock.worker(0.003, cores))})
    assert bool(result.warnings) == warned
    assert ("it had a core for only 50% of its time" in repr(result)) == warned


def test_compiling_at_each_call_is_reported() -> None:
    result = bench.race({"it": entry(lambda x: jax.jit(lambda y: y + 1)(x), J32)}, seconds=0.0)
    assert "it compiled again" in result.warnings[0]
    assert "Call jax.jit once" in result.warnings[0]
    result = bench.race({"it": entry(jax.jit(lambda y: y + 1), J32)}, seconds=0.0)
    assert "compiled again" not in repr(result)


# Reading a race -----------------------------------------------------------------------------------------------------


def test_ratios_are_taken_round_by_round() -> None:
    result = a_race(a=(1, 10, 100, 1000, 10_000), b=(2, 20, 200, 2000, 20_000))
    assert result.ratio("b") == Ratio(2, 2, 2)
    assert result.ratio("a", to="b").median == pytest.approx(0.5)


EQUAL = (1.0,) * 10
LATE = (0.9, *[2.0] * 9)
MOSTLY = (0.9, 0.9, *[2.0] * 8)


@pytest.mark.parametrize(
    ("samples", "lead", "words"),
    [
        ((2.0,) * 10, -1, "b takes 2 (2 to 2) times as long as a."),
        ((0.5,) * 10, 1, "b is 2 (2 to 2) times as fast as a."),
        (EQUAL, 0, "No clear difference here between b and a: the ratio of their times is 1 to 1."),
        (LATE, -1, "b takes 2"),
        (MOSTLY, 0, "No clear difference"),
    ],
)
def test_a_difference_counts_if_nine_of_ten_rounds_show_it(samples: tuple[float, ...], lead: int, words: str) -> None:
    result = a_race(a=EQUAL, b=samples)
    assert result.ratio("b").lead == lead
    assert result.verdict("b").startswith(words)
    assert words in repr(result)


def test_quartiles_and_fastest() -> None:
    it = timing("it", 1.0, 2.0, 3.0, 4.0, 100.0)
    assert (it.median, it.quartiles, it.fastest) == (3.0, (2.0, 4.0), 1.0)


def test_an_unknown_contestant_is_named_with_those_there_are() -> None:
    with pytest.raises(KeyError, match="no contestant 'c' in this race, only 'a', 'b'"):
        a_race(a=EQUAL, b=EQUAL)["c"]


def test_a_race_shows_as_text_and_as_tables() -> None:
    result = Race((timing("<b>", 0.002, first_call=0.502, compiled=True), timing("numpy", 0.001)), cores=2)
    assert "first call" in repr(result)
    assert "502 ms (compile 500 ms)" in repr(result)
    page = result._repr_html_()
    assert "&lt;b&gt;" in page and "<b>" not in page
    assert page.count("<table") == page.count("</table>") == 2
    assert page.count("overflow-x:auto") == 3, "two tables and the picture scroll in their own boxes"


def test_a_race_on_a_page_is_a_picture_and_a_sentence_with_the_tables_folded() -> None:
    result = Race((timing("slow", *[0.1156] * 5), timing("fast", *[0.0001] * 5)), 2, (WHY,), ("fast is too fast.",))
    root = ElementTree.fromstring(result._repr_html_())
    assert [child.tag for child in root] == ["div", "p", "p", "details"]
    assert [child.text for child in root.iter("p")][:2] == [
        "fast is 1,160 (1,160 to 1,160) times as fast as slow.",
        "Warning: fast is too fast.",
    ]
    (fold,) = root.iter("details")
    assert len(list(fold.iter("table"))) == 2 and f"Fair because: {WHY}" in "".join(fold.itertext())
    assert "open" not in fold.attrib


def test_the_bars_of_a_race_start_at_zero_and_fit_with_their_spread() -> None:
    picture = a_race(a=(1.0, 1.0, 2.0, 4.0, 4.0), b=(0.5,) * 5).picture()
    assert picture.alt.endswith("Time per call: a 2 s (1 s to 4 s); b 500 ms (500 ms to 500 ms).")
    bars = [float(bar.get("width", "")) for bar in ElementTree.fromstring(picture.svg).iter() if "rect" in bar.tag]
    assert bars == pytest.approx([_race.BAR / 2, _race.BAR / 8])
    ends = [float(x) for x in re.findall(r"H([\d.]+)", picture.svg)]
    assert ends == pytest.approx([_race.BAR, _race.BAR / 8])


def test_long_cells_of_a_table_wrap() -> None:
    page = table.Table("t", ["a", "b", "c"], [["x", "1.63 (1.34 to 1.97)", "1.63 µs"]]).html()
    assert page.count("<td>") == 1 and '<th scope="row">x' in page


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0 s"), (1, "1 s"), (999.6, "1 ks"), (0.0009996, "1 ms"), (1.2345e-6, "1.23 µs"), (2e-12, "0.002 ns")],
)
def test_units(value: float, shown: str) -> None:
    assert table.si(value, "s") == shown


# A sweep ------------------------------------------------------------------------------------------------------------

FASTER, SLOWER, NEITHER = (0.5,) * 5, (2.0,) * 5, (0.5, 0.5, 1.0, 2.0, 2.0)
SIZES = (10, 100, 1000, 10_000, 100_000)


def a_sweep(pattern: str) -> Sweep:
    """A sweep in which `jax` is faster (+), slower (-) or neither (0) at each size."""
    its = {"+": FASTER, "-": SLOWER, "0": NEITHER}
    races = tuple(a_race(numpy=(1.0,) * 5, jax=its[sign]) for sign in pattern)
    return Sweep("n", SIZES[: len(pattern)], races)


@pytest.mark.parametrize(
    ("pattern", "crossover", "words"),
    [
        ("--+++", 1000, "jax is faster than numpy from n = 1,000 on."),
        ("--0++", 10_000, "jax is faster than numpy from n = 10,000 on; no clear difference at n = 1,000."),
        ("-++0+", 100, "jax is faster than numpy from n = 100 on; no clear difference at n = 10,000."),
        ("++---", None, "numpy is faster than jax from n = 1,000 on."),
        ("+++++", None, "jax is faster than numpy at every n."),
        ("-----", None, "numpy is faster than jax at every n."),
        ("00+++", None, "jax is faster than numpy at every n; no clear difference at n = 10, 100."),
        ("00000", None, "No clear difference here between jax and numpy at any n."),
        ("-+-++", None, "No clear crossover between jax and numpy: the lead changes 3 times."),
        ("+-0++", None, "No clear crossover between jax and numpy: the lead changes 2 times."),
    ],
)
def test_the_crossover_in_a_number_and_in_words(pattern: str, crossover: int | None, words: str) -> None:
    result = a_sweep(pattern)
    assert result.crossover("jax") == crossover
    assert result.verdict("jax") == words
    assert words in repr(result)
    assert words in result.picture().alt


def test_the_crossover_belongs_to_the_one_who_leads_afterwards() -> None:
    assert a_sweep("++---").crossover("numpy", to="jax") == 1000
    assert a_sweep("--+++").crossover("numpy", to="jax") is None


def test_the_picture_says_who_leads_at_which_end_and_tells_lines_apart() -> None:
    picture = a_sweep("--+++").picture()
    assert "At n = 10 numpy is lowest with 1 s." in picture.alt
    assert "At n = 100,000 jax is lowest with 500 ms." in picture.alt
    assert "time per call (s)" in picture.svg
    assert "#000000" not in picture.svg and "currentColor" in picture.svg
    assert "stroke-dasharray" in picture.svg
    assert picture == a_sweep("--+++").picture()
    assert picture.html in a_sweep("--+++")._repr_html_()


def test_a_sweep_on_a_page_is_a_picture_and_a_sentence_with_the_rest_folded() -> None:
    calm = ElementTree.fromstring(a_sweep("--+++")._repr_html_())
    assert [child.tag for child in calm] == ["div", "p", "details"]
    assert calm[1].text == "jax is faster than numpy from n = 1,000 on."
    doubtful = Race((timing("jax", 0.5),), cores=2, warnings=("jax is too fast.",))
    root = ElementTree.fromstring(Sweep("n", (1, 2), (doubtful, doubtful))._repr_html_())
    assert root[1].text == "Warnings: 2, with their sizes below."
    assert "Warning: at n = 2, jax is too fast." in "".join(root[2].itertext())


@pytest.mark.parametrize("background", [0.0, 0.01, 1.0])
def test_colours_stand_out_on_light_and_dark(background: float) -> None:
    """Luminance and contrast as in https://www.w3.org/TR/WCAG22/#contrast-minimum."""
    assert len({(marker, line) for marker, line, _ in _sweep.STYLES}) == len(_sweep.STYLES)
    for _, _, colour in _sweep.STYLES[1:]:  # the first one is the colour of the page's text
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        luminance = np.dot(linear, (0.2126, 0.7152, 0.0722))
        light, dark = max(luminance, background) + 0.05, min(luminance, background) + 0.05
        assert light / dark >= 3


def test_a_sweep_runs_the_race_at_each_size(clock: Clock) -> None:
    def contestants(n: int) -> dict[str, bench.Entry]:
        x = np.ones(n)
        return {"constant": entry(clock.worker(0.01), x), "linear": entry(clock.worker(0.001 * n), x)}

    result = bench.sweep(contestants, [100, 1, 100], variable="length")
    assert result.sizes == (1, 100)
    assert result.times("linear") == pytest.approx((0.001, 0.1))
    assert result[100]["linear"].bytes_moved == 800
    assert result.crossover("constant", to="linear") == 100
    assert "constant is faster than linear from length = 100 on." in repr(result)
    with pytest.raises(KeyError, match="no race at length = 7, only at 1, 100"):
        result[7]


def test_a_sweep_repeats_reasons_warnings_and_compiles() -> None:
    first = Race((timing("jax", 0.5, first_call=1.0, compiled=True),), cores=2, reasons=(WHY,))
    second = Race((timing("jax", 0.5),), cores=2, reasons=(WHY,), warnings=("jax is too fast.",))
    shown = repr(Sweep("n", (1, 2), (first, second)))
    assert shown.count(f"Fair because: {WHY}") == 1
    assert "Warning: at n = 2, jax is too fast." in shown
    assert "The first call of jax compiled at 1 of 2 sizes, for up to 500 ms." in shown


def test_an_unfair_sweep_is_refused_with_the_size() -> None:
    def contestants(n: int) -> dict[str, bench.Entry]:
        x = np.ones(n)
        return {"sum": entry(np.sum, x), "first": entry(lambda x: x[0], x)}

    with pytest.raises(UnfairRace, match="At n = 2: 'sum' and 'first' return different values"):
        bench.sweep(contestants, [1, 2], seconds=0.0)


def test_a_bad_sweep_is_named() -> None:
    with pytest.raises(ValueError, match="at least two sizes"):
        bench.sweep(lambda n: {"it": entry(np.sum, X32)}, [10])
    with pytest.raises(ValueError, match="all positive"):
        bench.sweep(lambda n: {"it": entry(np.sum, X32)}, [0, 10])
    with pytest.raises(ValueError, match=re.escape("at n = 2 the contestants are ('2',), before ('1',)")):
        bench.sweep(lambda n: {str(n): entry(np.sum, X32)}, [1, 2], seconds=0.0)


# Ceilings -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def half_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is measured takes half a second."""

    def fastest(action: Callable[[], object]) -> float:
        action()
        return 0.5

    monkeypatch.setattr(_ceilings, "_fastest", fastest)


@pytest.mark.usefixtures("half_a_second")
def test_ceilings_count_bytes_and_operations() -> None:
    device = jax.local_devices(backend="cpu")[0]
    assert _ceilings._stream_numpy(4096) == 4 * 4096
    assert _ceilings._stream_jax(device, 4096) == _ceilings.CALLS * 4 * 4096
    assert _ceilings._matmul(8) == _ceilings.CALLS * 2 * 2 * 8**3
    assert _ceilings._host_to_device(device, 4096) == 2 * 4096


def test_the_fastest_of_at_least_five(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(_ceilings, "perf_counter", lambda: clock.wall)
    costs = [3.0, 1.0, 2.0, 5.0, 4.0]
    assert _ceilings._fastest(lambda: clock.work(costs.pop())) == 1.0
    assert not costs


@pytest.mark.parametrize(("transfer", "rows"), [(None, 5), (12e9, 6)])
def test_ceilings_show_with_units(transfer: float | None, rows: int) -> None:
    shown = bench.Ceilings("gpu", "H200", 2, 4.8e12, 5e13, 2e-5, transfer)
    assert "4.8 TB/s" in repr(shown) and "50 TFLOP/s" in repr(shown) and "20 µs" in repr(shown)
    assert ("12 GB/s" in repr(shown)) == (transfer is not None)
    assert shown._repr_html_().count('<th scope="row"') == rows


@pytest.mark.parametrize(("files", "size"), [({"index0": "32K", "index3": "8192K"}, 2**23), ({}, 2**25)])
def test_the_cache_is_what_the_system_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, files: dict[str, str], size: int
) -> None:
    for index, text in files.items():
        (tmp_path / index).mkdir()
        (tmp_path / index / "size").write_text(text + "\n")
    monkeypatch.setattr(_ceilings, "Path", lambda _: tmp_path)
    assert _ceilings.cache_bytes.__wrapped__("cpu") == size


# The real thing -----------------------------------------------------------------------------------------------------


def test_a_real_sweep_over_numpy_and_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _clock.perf_counter is time.perf_counter
    double = jax.jit(lambda x: 2 * x)

    def contestants(n: int) -> dict[str, bench.Entry]:
        x = np.ones(n, np.float32)
        return {"numpy": entry(lambda x: 2 * x, x), "jax": entry(double, jnp.asarray(x))}

    result = bench.sweep(contestants, [8, 64], seconds=0.01)
    assert result[8]["jax"].compile is not None
    assert "<svg" in result._repr_html_()
    assert "jax" in repr(result)


def test_a_result_that_is_donated_can_be_raced_where_results_are_set_aside() -> None:
    result = _race.race(
        {"it": entry(keeping()), "other": entry(keeping())}, seconds=0.01, across_results="they count up"
    )
    assert result["it"].platform == "cpu"
