"""What a table's results keep: the dtype that was computed, the digits of a long memory, the order of time."""

import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr

from jaxcourse import frames

HALVED = frames.Step(lambda x0: (), lambda state, x: (state, x * x.dtype.type(0.5)))
TOTAL = frames.Step(jnp.zeros_like, lambda state, x: (state + x, state + x))


# -- dtypes -----------------------------------------------------------------------------------------------------

WHOLE = [pl.Int8, pl.Int32, pl.Int64, pl.UInt8, pl.UInt64]


def polars_of(values, dtype):
    return pl.DataFrame({"a": pl.Series(values, dtype=dtype)})


def pandas_of(values, dtype):
    return pd.DataFrame({"a": pd.array(values, dtype=dtype)})


@pytest.mark.parametrize("dtype", WHOLE)
def test_a_mean_of_whole_numbers_with_a_null_is_not_cut(dtype):
    got = frames.apply(frames.ewma(com=2), polars_of([1, None, 4], dtype))["a"]
    assert got.dtype == pl.Float32
    np.testing.assert_allclose(got.to_numpy(), [1, 1, 40 / 13], rtol=1e-6)


def test_a_mean_of_booleans_with_a_null_is_a_share():
    got = frames.apply(frames.ewma(com=2), polars_of([True, None, False], pl.Boolean))["a"]
    np.testing.assert_allclose(got.to_numpy(), [1, 1, 4 / 13], rtol=1e-6)


@pytest.mark.parametrize(
    "table", [polars_of([1, 2, 4], pl.Int64), pd.DataFrame({"a": [1, 2, 4]})], ids=["polars", "pandas"]
)
def test_a_mean_of_whole_numbers_encoded_as_others_is_not_cut(table):
    got = np.asarray(frames.apply(frames.ewma(com=2), table, dtype="float32")["a"])
    np.testing.assert_allclose(got, [1, 1.6, 52 / 19], rtol=1e-6)


@pytest.mark.parametrize("table_of", [polars_of, pandas_of])
def test_a_readers_own_step_is_not_cut_either(table_of):
    dtype = pl.Int64 if table_of is polars_of else "Int64"
    encoded = frames.encode(table_of([1, None, 4], dtype))
    got = encoded.decode(frames.unroll(HALVED)(encoded.values)[1])["a"].to_list()
    assert got[0] == 0.5 and got[2] == 2.0 and (got[1] is None or np.isnan(got[1]))


@pytest.mark.parametrize("dtype", ["Int64", "UInt8", "Int16", "boolean"])
@pytest.mark.parametrize("values", [[1, None, 0], [1, None, 1], [None, None, None]])
def test_results_of_nullable_columns_do_not_depend_on_the_data(dtype, values):
    table = pandas_of([None if v is None else bool(v) if dtype == "boolean" else v for v in values], dtype)
    got = frames.apply(frames.ewma(com=2), table)["a"]
    full = frames.apply(frames.ewma(com=2), pandas_of([True, False, True] if dtype == "boolean" else [1, 2, 3], dtype))
    assert got.dtype == full["a"].dtype == np.float32
    plain = table["a"].astype("Float64").to_numpy(dtype=float, na_value=np.nan)
    np.testing.assert_allclose(got, pd.Series(plain).ewm(com=2).mean(), rtol=1e-6)


@pytest.mark.parametrize(
    "step", [frames.ewma(com=2), frames.lag(), frames.diff(), TOTAL], ids=["mean", "lag", "diff", "own"]
)
@pytest.mark.parametrize("dtype", [*WHOLE, pl.Boolean])
def test_with_a_null_results_are_of_floating_point_numbers_with_nulls(step, dtype):
    if step is TOTAL and dtype == pl.Boolean:
        pytest.skip("booleans have no sum of their own dtype")
    got = frames.apply(step, polars_of([True, None, False] if dtype == pl.Boolean else [1, None, 0], dtype))["a"]
    assert got.dtype == pl.Float32 and not got.is_nan().any()


@pytest.mark.parametrize(
    ("table_of", "dtypes"), [(polars_of, [*WHOLE, pl.Boolean]), (pandas_of, ["Int64", "UInt8", "boolean"])]
)
@pytest.mark.parametrize("values", [[1, None, 0], [1, 1, 0]])
def test_what_is_only_encoded_and_decoded_is_what_it_was(table_of, dtypes, values):
    for dtype in dtypes:
        whole = [None if v is None else bool(v) if "ool" in str(dtype) else v for v in values]
        table = table_of(whole, dtype)
        encoded = frames.encode(table)
        back = encoded.decode(encoded.values)
        assert back.equals(table) and [*back.dtypes] == [*table.dtypes]


# -- time -------------------------------------------------------------------------------------------------------


def panel(first="gauge", time="time", moments=True):
    labels = pd.date_range("2024", periods=3) if moments else range(3)
    return xr.DataArray(np.arange(6.0).reshape(2, 3), {first: ["a", "b"], time: labels}, (first, time), "v")


@pytest.mark.parametrize("make", [lambda a: a, lambda a: a.to_dataset()], ids=["DataArray", "Dataset"])
@pytest.mark.parametrize("array", [panel(), panel(time="when"), panel(moments=False)], ids=["both", "moments", "name"])
def test_no_step_walks_from_one_gauge_to_the_next(make, array):
    time = array.dims[1]
    with pytest.raises(frames.FrameError, match=rf"'{time}' says when.*transpose\('{time}', \.\.\.\)"):
        frames.apply(frames.ewma(com=1), make(array))
    got = frames.apply(frames.ewma(com=1), make(array.transpose(time, ...)))
    values = got if isinstance(got, xr.DataArray) else got["v"]
    np.testing.assert_allclose(values.sel(gauge="b"), pd.Series([3.0, 4, 5]).ewm(com=1).mean(), rtol=1e-6)


def test_a_moment_beside_the_index_says_when_as_well():
    array = panel(time="row", moments=False).assign_coords(at=("row", pd.date_range("2024", periods=3)))
    with pytest.raises(frames.FrameError, match="'row' says when"):
        frames.encode(array)


def test_where_no_dimension_or_the_first_says_when_nothing_is_refused():
    frames.encode(panel(time="depth", moments=False))
    frames.encode(panel(first="time", time="lead", moments=True).assign_coords(time=[0, 1]))


@pytest.mark.parametrize("as_times", [False, True], ids=["datetimes", "Times"])
def test_times_that_run_backwards_are_refused(as_times):
    moments = pd.to_datetime(["2024-01-01", "2024-01-03", "2024-01-02"])
    step = frames.ewma(halflife="1 day", times=True)
    given = frames.encode(pd.DataFrame({"a": range(3)}, index=moments.sort_values())).times
    given = type(given)(*(np.asarray(part)[[0, 2, 1]] for part in given)) if as_times else moments
    with pytest.raises(frames.FrameError, match="time of row 2 is before that of row 1"):
        frames.apply(step, pd.DataFrame({"a": [1.0, 2, 3]}), times=given)


def test_equal_times_are_two_rows_of_one_moment():
    moments = pd.to_datetime(["2024-01-01", "2024-01-01", "2024-01-02"])
    got = frames.apply(frames.ewma(halflife="1 day", times=True), pd.DataFrame({"a": [1.0, 3, 2]}), times=moments)
    np.testing.assert_allclose(got["a"], [1, 2, 2], rtol=1e-6)


DATES = pd.date_range("2024", periods=3)
ROWS = pd.DataFrame({"a": [1.0, 2, 3]}, index=DATES)


@pytest.mark.parametrize(
    ("tolerance", "words"),
    [
        (3, "tolerance=3 does not say of what.*such as '2s'"),
        (2.5, "does not say of what"),
        ("3", "'3' does not say of what"),
        (np.timedelta64(3), "does not say of what"),
        ("soon", "'soon' is no duration: write one such as '2s'"),
        ("-2s", "cannot be younger"),
        (pd.Timedelta(-1), "cannot be younger"),
        (np.timedelta64("NaT"), "cannot be younger|no duration|does not say"),
        (True, "no duration|does not say"),
    ],
)
def test_a_tolerance_of_no_known_unit_or_below_zero_is_refused(tolerance, words):
    with pytest.raises(frames.FrameError, match=words):
        frames.synchronise({"a": ROWS}, on=DATES, tolerance=tolerance)


@pytest.mark.parametrize(("tolerance", "words"), [(-1, "younger"), (float("nan"), "younger"), ("2s", "is no number")])
def test_so_is_one_for_an_index_of_numbers(tolerance, words):
    with pytest.raises(frames.FrameError, match=words):
        frames.synchronise({"a": ROWS.reset_index(drop=True)}, on=[0, 1], tolerance=tolerance)


@pytest.mark.parametrize("tolerance", ["12h", pd.Timedelta("12h"), np.timedelta64(12, "h"), DATES[1] - DATES[0], "0s"])
def test_a_tolerance_that_says_of_what_is_taken(tolerance):
    frames.synchronise({"a": ROWS}, on=DATES, tolerance=tolerance)


@pytest.mark.parametrize("halflife", ["4", " 2.5 ", np.timedelta64(4)])
def test_a_half_life_says_of_what_as_well(halflife):
    with pytest.raises(ValueError, match="does not say of what"):
        frames.ewma(halflife=halflife, times=True)


# -- digits -----------------------------------------------------------------------------------------------------

LONG_ROWS = 300_000
STEPPED = np.where(np.arange(LONG_ROWS) < 10, 1.0, 2.0)


def way(name, step, values):
    """The result of a column by each way that a table can take, as float64."""
    column = values[:, None]
    if name == "scan":
        return np.asarray(frames.unroll(step)(jnp.asarray(column, jnp.float32))[1][:, 0], np.float64)
    if name == "batches":
        run, parts, state = frames.unroll(step), [], None
        for part in np.array_split(column.astype(np.float32), 3):
            state, ys = run(jnp.asarray(part), state)
            parts.append(np.asarray(ys[:, 0], np.float64))
        return np.concatenate(parts)
    if name == "apply":
        return frames.apply(step, pd.DataFrame({"a": values}))["a"].to_numpy()
    wide = np.repeat(column, 16, 1)  # large enough for a loop by columns, or for chunks of rows
    wide = np.asfortranarray(wide) if name == "columns" else np.ascontiguousarray(wide)
    return frames.apply(step, xr.DataArray(wide, dims=("row", "column"))).to_numpy()[:, 3]


@pytest.mark.parametrize("name", ["scan", "batches", "apply", "columns", "chunks"])
@pytest.mark.parametrize("adjust", [True, False])
@pytest.mark.parametrize("com", [1e2, 1e4, 1e6])
def test_a_long_memory_loses_no_digits(name, adjust, com):
    want = pd.Series(STEPPED).ewm(com=com, adjust=adjust).mean().to_numpy()
    got = way(name, frames.ewma(com=com, adjust=adjust), STEPPED)
    # Of the change, not of the mean: near the end of a long memory that is what is asked for.
    assert np.abs(got - want).max() < 3e-7 * (want.max() - want.min() if com < 1e6 else 1)


@pytest.mark.parametrize("adjust", [True, False])
def test_a_long_memory_with_gaps_loses_none(adjust):
    values = np.where(np.arange(LONG_ROWS) % 7 == 3, np.nan, STEPPED)
    for ignore_na in (True, False):
        want = pd.Series(values).ewm(com=1e4, adjust=adjust, ignore_na=ignore_na).mean()
        for name in ("scan", "columns"):
            got = way(name, frames.ewma(com=1e4, adjust=adjust, ignore_na=ignore_na), values)
            np.testing.assert_allclose(got, want, rtol=4e-7)


@pytest.mark.parametrize("adjust", [True, False])
def test_an_hour_is_remembered_from_millisecond_to_millisecond(adjust):
    moments = pd.date_range("2024", periods=LONG_ROWS, freq="1ms")
    step = frames.ewma(halflife="1h", times=True, adjust=adjust)
    got = frames.apply(step, pd.DataFrame({"a": STEPPED}, index=moments))["a"]
    want = pd.Series(STEPPED).ewm(alpha=-np.expm1(-np.log(2) / 3.6e6), adjust=adjust).mean()
    np.testing.assert_allclose(got, want, atol=2e-7)


@pytest.mark.parametrize("adjust", [True, False])
def test_what_lies_too_far_apart_for_a_difference_still_has_a_mean(adjust):
    far = np.float32([3e38, -3e38, 3e38])
    got = frames.unroll(frames.ewma(com=1e3, adjust=adjust))(jnp.asarray(far))[1]
    want = pd.Series(far.astype(np.float64)).ewm(com=1e3, adjust=adjust).mean()
    np.testing.assert_allclose(np.asarray(got, np.float64), want, rtol=2e-6, atol=3e34)


SECONDS = 1.7e9 + np.arange(20.0)


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_seconds_since_1970_are_a_second_apart(dtype):
    got = frames.apply(frames.diff(), pd.DataFrame({"a": SECONDS.astype(dtype)}))["a"]
    assert got[1:].tolist() == [1.0] * 19


@pytest.mark.parametrize("name", ["apply", "columns", "chunks"])
@pytest.mark.parametrize("step", [frames.ewma(com=9), frames.ewma(com=1e3), frames.lag(2), frames.diff(3)])
def test_small_differences_of_large_numbers_are_kept(name, step):
    values = 1e8 + np.random.default_rng(1).normal(size=70_000)
    ways = {frames.ewma(com=9): lambda s: s.ewm(com=9).mean(), frames.ewma(com=1e3): lambda s: s.ewm(com=1e3).mean()}
    ways |= {frames.lag(2): lambda s: s.shift(2), frames.diff(3): lambda s: s.diff(3)}
    np.testing.assert_allclose(way(name, step, values), ways[step](pd.Series(values)), atol=1e-5)


def test_a_column_far_from_zero_does_not_cost_another_its_digits():
    table = pd.DataFrame({"far": 1e9 + np.arange(50.0), "near": np.linspace(0, 1e-3, 50), "once": 1.0})
    table.loc[7, "once"] = 1e9
    got = frames.apply(frames.ewma(com=3), table)
    for name in table:
        np.testing.assert_allclose(got[name], table[name].ewm(com=3).mean(), rtol=1e-6)


def test_a_step_of_ones_own_sees_the_numbers_themselves():
    seen = frames.Step(lambda x0: (), lambda state, x: (state, x))
    assert frames.apply(seen, pd.DataFrame({"a": [1e9, 1e9 + 64]}))["a"].tolist() == [1e9, 1e9 + 64]
