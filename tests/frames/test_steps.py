"""The steps against pandas, a stream cut anywhere against the whole, and every way in which a step is run."""

import dataclasses
import subprocess
import sys
from datetime import timedelta

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from jaxcourse import frames
from jaxcourse.frames import _apply, _mean, _step

ROWS, COLUMNS = 24, 3
PANDAS = tuple(map(int, pd.__version__.split(".")[:2]))

PHASES = (Phase.explicit, Phase.generate)
"""Without making examples smaller, since each other step is compiled anew."""

# Not alpha = 0.5, i.e. span = 3, com = 1 or halflife = 1: see `test_half_is_no_exception`.
decays = st.sampled_from([{"com": 0.0}, {"com": 4.5}, {"span": 4}, {"halflife": 2.5}, {"alpha": 0.05}, {"alpha": 1.0}])
options = st.fixed_dictionaries(
    {"adjust": st.booleans(), "ignore_na": st.booleans(), "min_periods": st.sampled_from([0, 4])}
)


@st.composite
def tables(draw, dtypes=("float64", "float32", "int64", "bool"), rows=ROWS):
    """Random tables: with nothing missing, with gaps, with all missing, with infinities; on an irregular index."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = rng.normal(size=(rows, COLUMNS)) * 10.0 ** rng.integers(-3, 4, size=COLUMNS)
    dtype = draw(st.sampled_from(dtypes))
    if dtype.startswith("float"):
        values[rng.random(values.shape) < draw(st.sampled_from([0, 0.1, 0.5, 1]))] = np.nan
        values[rng.random(values.shape) < draw(st.sampled_from([0, 0, 0.1]))] = np.inf
    else:
        values = np.round(values)
    gaps = pd.to_timedelta(rng.integers(1, draw(st.sampled_from([2, 10**6])), size=rows), unit="s")
    index = pd.Timestamp("2024-02-28 23:59:59.5") + gaps.to_series().cumsum()
    return pd.DataFrame(values.astype(dtype), columns=list("abc"), index=pd.DatetimeIndex(index))


@pytest.fixture(scope="module", autouse=True)
def x64():
    """As precise as pandas, so that only rounding may differ. Other modules test float32."""
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def largest(table):
    values = np.abs(table.to_numpy().astype(float))
    return np.max(values, where=np.isfinite(values), initial=0)


def assert_like_pandas(ours, theirs, source):
    rounding = 1e-5 if (source.dtypes == "float32").all() else 1e-9
    scale = largest(source)
    assert list(ours.columns) == list(theirs.columns) and ours.index.equals(theirs.index)
    np.testing.assert_allclose(ours, theirs, rtol=rounding, atol=rounding * scale)


@settings(max_examples=20, deadline=None, phases=PHASES)
@given(tables(), decays, options)
def test_the_mean_is_that_of_pandas(table, decay, options):
    ours = table.jaxcourse.ewm(**decay, **options).mean()
    assert_like_pandas(ours, table.ewm(**decay, **options).mean(), table)


@settings(max_examples=8, deadline=None, phases=PHASES)
@given(tables(dtypes=("float64",)), st.sampled_from(["6h", timedelta(days=2)]), options)
def test_irregular_times_are_those_of_pandas(table, halflife, options):
    options["adjust"] |= PANDAS < (3, 0)  # Older pandas has times only with adjust.
    ours = table.jaxcourse.ewm(halflife=halflife, times=table.index, **options).mean()
    assert_like_pandas(ours, table.ewm(halflife=halflife, times=table.index, **options).mean(), table)


@settings(max_examples=10, deadline=None, phases=PHASES)
@given(tables(dtypes=("float64", "int64")), st.sampled_from([0, 1, 5, 30]))
def test_lag_and_diff_are_those_of_pandas(table, n):
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(frames.apply(frames.lag(n), table), table.shift(n).astype(float))
        np.testing.assert_allclose(frames.apply(frames.diff(n), table), table.astype(float) - table.shift(n))


def test_half_is_no_exception():
    """pandas 3 follows another formula for alpha = 0.5 without adjust, after a gap; the documented one is kept."""
    series = pd.Series([1.0, np.nan, 3.0])
    half, nearly = (series.jaxcourse.ewm(alpha=a, adjust=False).mean() for a in (0.5, 0.5 + 1e-9))
    np.testing.assert_allclose(half, nearly, rtol=1e-8)
    np.testing.assert_allclose(half.iloc[2], (0.25 * 1 + 0.5 * 3) / 0.75)


STEPS = {
    "mean": frames.ewma(span=5),
    "mean, late": frames.ewma(span=5, adjust=False, ignore_na=True, min_periods=4),
    "lag": frames.lag(3),
    "diff": frames.diff(2),
}


@pytest.mark.parametrize("name", STEPS)
@settings(max_examples=2, deadline=None, phases=PHASES)
@given(table=tables(dtypes=("float64",)), cut=st.integers(1, ROWS - 1))
def test_a_stream_may_be_cut_anywhere(name, table, cut):
    run = frames.unroll(STEPS[name])
    xs = jnp.asarray(table.to_numpy())
    state, head = run(xs[:cut])
    end, tail = run(xs[cut:], state)
    whole_end, whole = run(xs)
    np.testing.assert_allclose(jnp.concatenate([head, tail]), whole, rtol=1e-11, atol=1e-9)
    for mine, its in zip(jax.tree.leaves(end), jax.tree.leaves(whole_end), strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-11, atol=1e-9)


@settings(max_examples=2, deadline=None, phases=PHASES)
@given(table=tables(dtypes=("float64",)), cut=st.integers(1, ROWS - 1))
def test_a_stream_with_times_may_be_cut_anywhere(table, cut):
    run = frames.unroll(frames.ewma(halflife="1 day", times=True))
    head, tail, whole = (frames.encode(part) for part in (table[:cut], table[cut:], table))
    state, first = run((head.values, head.times))
    _, second = run((tail.values, tail.times), state)
    np.testing.assert_allclose(jnp.concatenate([first, second]), run((whole.values, whole.times))[1], rtol=1e-12)


@pytest.mark.parametrize("name", STEPS)
def test_row_by_row_is_the_definition(name):
    """What `unroll` does in a faster way is what `apply` does row by row."""
    step, xs = STEPS[name], np.random.default_rng(3).normal(size=(9, COLUMNS))
    xs[4, 1] = np.nan
    state = step.init(jnp.asarray(xs[0]))
    rows = []
    for x in xs:
        state, y = step.apply(state, jnp.asarray(x))
        rows.append(y)
    np.testing.assert_allclose(frames.unroll(step)(jnp.asarray(xs))[1], jnp.stack(rows), rtol=1e-11)


def test_a_row_may_be_a_tree():
    xs = {"a": jnp.arange(6.0).reshape(3, 2), "b": (jnp.arange(3),)}
    _, ys = frames.unroll(frames.ewma(alpha=0.5))(xs)
    np.testing.assert_allclose(ys["b"][0], pd.Series([0, 1, 2]).ewm(alpha=0.5).mean())
    assert ys["a"].shape == (3, 2)


@pytest.mark.parametrize("name, order", [*((name, "F") for name in STEPS), ("mean", "C")])
def test_chunk_by_chunk_is_the_same(monkeypatch, name, order):
    values = np.random.default_rng(5).normal(size=(29, 5))
    values[20, 3] = np.nan
    table = pd.DataFrame(np.asarray(values, order=order), index=np.arange(29) * 2, copy=False)
    whole = frames.apply(STEPS[name], table)
    step = dataclasses.replace(STEPS[name], by_column=None)
    seen = []
    in_chunks = _apply._in_chunks
    monkeypatch.setattr(_apply, "_in_chunks", lambda *args: seen.append(in_chunks(*args)) or seen[0])
    monkeypatch.setattr(_apply, "SMALLEST", 1)
    monkeypatch.setattr(_apply, "CHUNK_BYTES", 300)
    pd.testing.assert_frame_equal(frames.apply(step, table), whole)
    assert len(seen) == 1


LOOPED = ("float64", "float64"), ("float32", "float32"), ("float64", "float32")


@pytest.mark.parametrize("of, dtype", LOOPED)
@settings(max_examples=8, deadline=None, phases=PHASES)
@given(decay=decays, options=options, rows=st.sampled_from([1, 32, 77]), width=st.sampled_from([1, 16, 37]))
def test_column_by_column_is_the_scan(of, dtype, decay, options, rows, width):
    rng = np.random.default_rng(rows * width)
    values = rng.normal(size=(width, rows)) * 10.0 ** rng.integers(-3, 4, size=(width, 1))
    values[rng.random(values.shape) < rng.choice([0, 0.1, 0.7, 1], (width, 1))] = np.nan
    values[rng.random(values.shape) < rng.choice([0, 0.1], (width, 1))] = -np.inf
    step, xs = frames.ewma(**decay, **options), values.astype(of)
    ys = np.empty_like(xs)
    step.by_column(xs, ys, np.dtype(dtype))
    scanned = jax.lax.scan(step.apply, step.init(jnp.zeros(width, dtype)), jnp.asarray(xs.T, dtype))[1].T
    rounding = 1e-12 if dtype == "float64" else 1e-5
    np.testing.assert_allclose(ys, scanned, rtol=rounding, atol=rounding * largest(pd.DataFrame(xs)))


@pytest.mark.parametrize("of, dtype", LOOPED)
@pytest.mark.parametrize("gap", [None, 0, 300])
@pytest.mark.parametrize("width", [5, 20])
def test_columns_share_a_weight_until_a_gap_and_some_time_after_it(of, dtype, gap, width):
    """Over several blocks of rows, where the one with the gap is done again."""
    xs = np.random.default_rng(8).normal(size=(width, 1500)).astype(of)
    xs[2] = 0.1
    if gap is not None:
        xs[3, gap] = np.nan
    for step in (frames.ewma(alpha=0.3, min_periods=4), frames.ewma(alpha=0.3, adjust=False, ignore_na=True)):
        ys = np.empty_like(xs)
        step.by_column(xs, ys, np.dtype(dtype))
        scanned = jax.lax.scan(step.apply, step.init(jnp.zeros(width, dtype)), jnp.asarray(xs.T, dtype))[1].T
        rounding = 1e-12 if dtype == "float64" else 1e-5
        np.testing.assert_allclose(ys, scanned, rtol=rounding, atol=rounding)
        np.testing.assert_array_equal(ys[2, 4:], xs[2, 4:])  # what is constant stays so


@pytest.mark.parametrize("alpha", [0.5, 0.3, 0.1, 0.049, 0.9999])
@pytest.mark.parametrize("adjust", [True, False])
def test_a_constant_stays_what_it_is_by_column(alpha, adjust):
    xs = np.full((3, 400), 100 / 3)
    xs[1, 5::7] = np.nan
    ys = np.empty_like(xs)
    frames.ewma(alpha=alpha, adjust=adjust).by_column(xs, ys, xs.dtype)
    assert (ys == xs[0, 0]).all()


def test_what_is_too_far_apart_to_share_a_weight_has_a_mean_by_column():
    xs = np.where(np.arange(600) % 2, 1.7e308, -1.7e308) * np.ones((3, 1))
    ys = np.empty_like(xs)
    frames.ewma(alpha=0.3).by_column(xs, ys, xs.dtype)
    assert np.isfinite(ys).all()


def test_a_large_table_keeps_its_digits_by_column():
    xs = 1e9 + np.arange(600.0)[None] / 1024
    ys = np.empty_like(xs)
    frames.ewma(alpha=0.3).by_column(xs, ys, np.dtype("float32"))
    np.testing.assert_allclose(ys[0], pd.Series(xs[0]).ewm(alpha=0.3).mean(), rtol=1e-14)


@pytest.mark.parametrize("kind", ["pandas", "series", "polars", "xarray"])
def test_a_large_table_of_columns_stays_one(monkeypatch, kind):
    values = np.random.default_rng(5).normal(size=(41, 29))
    values[2, 20] = np.nan
    table = {
        "pandas": lambda: pd.DataFrame(values.T, index=np.arange(29) * 2, copy=False),
        "series": lambda: pd.Series(values[2], name="price"),
        "polars": lambda: pl.DataFrame({f"c{i}": column for i, column in enumerate(values)}),
        "xarray": lambda: xr.DataArray(values.T, dims=("time", "place")),
    }[kind]()
    step = STEPS["mean, late"]
    expected, seen = frames.apply(step, table), []
    monkeypatch.setattr(_apply, "SMALLEST", 1)
    monkeypatch.setattr(_apply, "CHUNK_BYTES", 300)
    looped = dataclasses.replace(step, by_column=lambda *args: seen.append(args) or step.by_column(*args))
    ours = frames.apply(looped, table)
    assert sum(len(xs) for xs, _, _ in seen) == (1 if kind == "series" else 41)
    assert type(ours) is type(table)
    np.testing.assert_allclose(ours.to_numpy(), expected.to_numpy(), rtol=1e-12, atol=1e-14)
    assert ours.to_numpy().strides[0] == 8


def test_without_numba_there_is_the_scan(monkeypatch):
    monkeypatch.setattr(_mean, "has_numba", lambda: False)
    monkeypatch.setattr(_apply, "SMALLEST", 1)
    table = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": [2.0, 4.0, 6.0]})
    step = _mean._ewma.__wrapped__(0.5, 1, True, False)
    assert step.by_column is None
    pd.testing.assert_frame_equal(frames.apply(step, table), table.ewm(alpha=0.5).mean())


@pytest.mark.parametrize("gap", [False, True])
def test_the_shortcut_is_the_same_where_it_holds(gap):
    step = STEPS["mean"]
    xs = np.random.default_rng(5).normal(size=(ROWS, COLUMNS))
    xs[10, 1] = np.nan if gap else 0
    state = step.init(jnp.asarray(xs[0]))
    carry, ys = jax.lax.scan(step.shortcut.apply, step.shortcut.enter(state), jnp.asarray(xs))
    assert step.shortcut.holds(state, jnp.asarray(xs)) == (not gap)
    if not gap:
        after, expected = jax.lax.scan(step.apply, state, jnp.asarray(xs))
        np.testing.assert_allclose(ys, expected, rtol=1e-11)
        jax.tree.map(np.testing.assert_allclose, step.shortcut.leave(state, carry, ROWS), after)


@pytest.mark.parametrize("name", ["mean", "mean, late", "diff"])
@pytest.mark.parametrize("gap", [False, True])
def test_results_may_take_the_place_of_their_input(monkeypatch, name, gap):
    monkeypatch.setattr(_step, "BLOCK_BYTES", 7 * COLUMNS * 8)
    frames.unroll.cache_clear()
    values = np.random.default_rng(7).normal(size=(ROWS, COLUMNS))
    values[10, 1] = np.nan if gap else 0
    xs = jnp.array(values)
    expected = STEPS[name].apply
    whole = jax.lax.scan(expected, STEPS[name].init(xs[0]), xs)[1]
    run = frames.unroll(STEPS[name], donate=True)
    np.testing.assert_allclose(run(xs)[1], whole, rtol=1e-11)
    assert xs.is_deleted()


@pytest.mark.parametrize("name", ["mean", "mean, late"])
def test_no_block_copies_the_whole_array(name):
    """XLA copies all of a donated array at each write if a row is read after it was written."""
    xs = jax.ShapeDtypeStruct((4099, 64), jnp.float32)
    program = frames.unroll(STEPS[name], donate=True).lower(xs).compile().as_text()
    assert not [line for line in program.splitlines() if " copy(" in line and "[4099,64]" in line]


def test_sharded_columns_give_the_same():
    code = """
import jax, numpy as np, pandas as pd
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
from jaxcourse import frames
assert len(jax.devices()) == 4
values = np.random.default_rng(0).normal(size=(50, 8)).astype("float32")
values[7, 3] = np.nan
table = pd.DataFrame(values)
for kind in (AxisType.Explicit, AxisType.Auto):
    columns = NamedSharding(jax.make_mesh((4,), ("columns",), (kind,)), P(None, "columns"))
    for step in (frames.ewma(alpha=0.1), frames.lag(2)):
        encoded = frames.encode(table, device=columns)
        state, ys = frames.unroll(step)(encoded.values)
        assert len(ys.sharding.device_set) == 4 and ys.addressable_shards[0].data.shape == (50, 2), ys.sharding
        np.testing.assert_allclose(encoded.decode(ys), frames.apply(step, table), rtol=1e-5, atol=1e-6)
"""
    env = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu", "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "given", [{}, {"com": 1, "span": 2}, {"alpha": 0}, {"alpha": 1.5}, {"span": 0.5}, {"com": -1}, {"halflife": 0}]
)
def test_a_decay_is_given_once_and_in_range(given):
    with pytest.raises(ValueError, match="exactly one" if len(given) != 1 else f"{next(iter(given))} must be"):
        frames.ewma(**given)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: frames.ewma(halflife="2h"), "give times, or a number of rows"),
        (lambda: frames.smoothing(halflife=timedelta(days=1)), "give times, or a number of rows"),
        (lambda: frames.ewma(com="2"), "com must be a number, not '2'"),
        (lambda: frames.ewma(com=[2]), r"com must be a number, not \[2\]"),
        (lambda: frames.ewma(halflife="often", times=True), "halflife='often' is no duration"),
        (lambda: frames.ewma(halflife=np.timedelta64(1, "M"), times=True), "is no duration"),
        (lambda: frames.unroll((jnp.zeros_like, lambda state, x: (state, x))), "is not a Step: make one"),
        (lambda: frames.apply(jnp.sin, pd.DataFrame({"a": [1.0]})), "is not a Step: make one"),
        (lambda: frames.synchronise([pd.DataFrame({"a": [1.0]})], on=[1]), "a dict of tables by name, not list"),
        (lambda: frames.ewma(com=1, min_periods=1.5), "min_periods counts, so it must be an integer, not 1.5"),
        (lambda: frames.ewma(halflife="-1s", times=True), "halflife must be above 0, not '-1s'"),
        (lambda: frames.ewma(com=1, halflife="1s", times=True), "leave out com"),
        (lambda: frames.lag("1"), "n counts, so it must be an integer, not '1'"),
        (lambda: frames.ewma(halflife=2, times=True), "duration such as"),
        (lambda: frames.ewma(alpha=0.5, times=pd.RangeIndex(3)), "True or False"),
        (lambda: frames.lag(-1), "future"),
    ],
)
def test_a_step_that_makes_no_sense_is_refused(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()


MIXED = pd.DataFrame({"f": [1.0, 2.0], "i": [1, 2]})


@pytest.mark.parametrize(
    "step",
    [
        frames.Step(lambda x0: jnp.outer(x0, x0), lambda state, x: (state, x)),
        frames.Step(lambda x0: x0.shape, lambda state, x: (state, x)),
        frames.Step(lambda x0: 0, lambda state, x: (state, x + 1)),
    ],
)
def test_a_step_for_one_array_is_told_what_a_row_of_mixed_columns_is(step):
    with pytest.raises(frames.FrameError, match=r"step raised \w+: .*a dict here \(row\['float\d+'\] is float\d+\[1\]"):
        frames.apply(step, MIXED)
    with pytest.raises((AttributeError, TypeError), match="shape|NoneType"):
        frames.unroll(frames.Step(lambda x0: None.shape, lambda state, x: (state, x)))(jnp.ones(3))


def test_a_step_that_asks_for_a_value_gets_the_error_of_jax():
    step = frames.Step(lambda x0: 0, lambda state, x: (state, float(x["float32"])))
    with pytest.raises(jax.errors.ConcretizationTypeError):
        frames.unroll(step)({"float32": jnp.ones(3, jnp.float32)})


def test_what_was_computed_of_texts_is_named():
    with pytest.raises(frames.FrameError, match="if the step computes, leave out 's'"):
        frames.apply(frames.ewma(alpha=0.5), pd.DataFrame({"f": [1.0, 2.0], "s": ["x", "y"]}))


def test_a_step_that_changes_its_state_is_named():
    def narrow(state, x):
        return {"count": state["count"], "mean": state["mean"].astype(jnp.float32)}, x

    step = frames.Step(lambda x: {"count": jnp.int32(0), "mean": x}, narrow)
    with pytest.raises(
        frames.FrameError, match=r"state\['mean'\] goes in as float64\[2\] and comes out as float32\[2\]"
    ):
        frames.unroll(step)(jnp.ones((3, 2)))
    with pytest.raises(frames.FrameError, match="structure of its state"):
        frames.unroll(frames.Step(lambda x: x, lambda state, x: ((state, x), x)))(jnp.ones((3, 2)))


@pytest.mark.parametrize(
    "xs, words",
    [
        ({}, "no array"),
        (jnp.ones(()), "without rows: time must be the leading axis"),
        ({"a": jnp.ones(0), "b": jnp.ones(4)}, r"xs\['a'\] has 0, xs\['b'\] has 4"),
        ({"a": jnp.ones(3), "b": jnp.ones(4)}, r"xs\['a'\] has 3, xs\['b'\] has 4"),
    ],
)
def test_rows_that_do_not_fit_are_refused(xs, words):
    with pytest.raises(frames.FrameError, match=words):
        frames.unroll(frames.diff())(xs)


def test_only_results_like_the_input_take_its_place():
    with pytest.raises(frames.FrameError, match="donate=True"):
        frames.unroll(frames.ewma(alpha=0.5), donate=True)(jnp.arange(4))
