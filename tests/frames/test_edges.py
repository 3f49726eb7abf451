"""Tables at the edge: without rows, without columns, with a name that stands twice."""

import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr

from jaxcourse import frames

DAYS = pd.date_range("2024-02-28", periods=3)
PANDAS = pd.DataFrame(
    {
        "f": [1.0, 2.0, np.nan],
        "i": [1, 2, 3],
        "b": [True, False, True],
        "s": pd.array(["x", None, "y"], dtype="string"),
        "c": pd.Categorical(["u", None, "v"], categories=["v", "u", "w"], ordered=True),
        "z": pd.to_datetime(["2024-01-01", "NaT", "2020-05-06"]).tz_localize("Europe/Paris"),
        "d": pd.to_timedelta(["1s", "NaT", "-3ms"]),
        "I": pd.array([1, None, 3], dtype="Int64"),
    },
    index=DAYS,
)
POLARS = pl.DataFrame(
    {
        "f": [1.0, 2.0, None],
        "n": [1, None, 3],
        "s": ["x", None, "y"],
        "c": pl.Series(["y", None, "x"], dtype=pl.Categorical),
        "z": pl.Series([1, None, 5], dtype=pl.Datetime("ms", "Europe/Paris")),
        "u": pl.Series([1, None, -5], dtype=pl.Duration("us")),
    }
)
XARRAY = xr.Dataset(
    {"v": (("time", "x"), np.ones((3, 2))), "name": ("time", ["p", "q", "p"])}, {"time": DAYS, "x": [1, 2]}
)


@pytest.mark.parametrize("name", PANDAS.columns)
def test_a_series_without_rows_comes_back(name):
    table = PANDAS[:0][name]
    encoded = frames.encode(table)
    pd.testing.assert_series_equal(encoded.decode(encoded.values), table)


@pytest.mark.parametrize("missing", ["keep", "raise", "zero-with-mask"])
def test_a_table_without_rows_comes_back(missing):
    encoded = frames.encode(PANDAS[:0], missing=missing)
    pd.testing.assert_frame_equal(encoded.decode(encoded.values), PANDAS[:0])
    assert {row[4:] for row in encoded.report.rows} == {("shared", "nothing to do")}
    encoded = frames.encode(POLARS[:0], missing=missing)
    back = encoded.decode(encoded.values)
    assert back.schema == POLARS.schema and back.height == 0
    encoded = frames.encode(XARRAY.isel(time=slice(0, 0)), missing=missing)
    xr.testing.assert_identical(encoded.decode(encoded.values), XARRAY.isel(time=slice(0, 0)))


STEPS = {
    "mean": (frames.ewma(com=1), lambda table: table.ewm(com=1).mean()),
    "plain mean": (frames.ewma(com=1, adjust=False), lambda table: table.ewm(com=1, adjust=False).mean()),
    "lag": (frames.lag(2), lambda table: table.shift(2).astype("float64")),
    "diff": (frames.diff(), lambda table: table.astype("float64").diff()),
}
EMPTY = {
    "no rows": pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}, index=DAYS[:2])[:0],
    "no rows, nothing known": pd.DataFrame({"a": [], "b": []}),
    "no rows, names alone": pd.DataFrame(columns=pd.Index(["a", "a"], name="stock")),
    "no columns": pd.DataFrame(index=DAYS),
    "no columns, names of moments": pd.DataFrame(index=DAYS, columns=DAYS[:0]),
    "nothing": pd.DataFrame(),
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("table", EMPTY.values(), ids=EMPTY)
def test_an_empty_table_gives_the_empty_table_of_pandas(name, table):
    step, of_pandas = STEPS[name]
    pd.testing.assert_frame_equal(frames.apply(step, table), of_pandas(table))


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("dtype", ["float64", "object"])
def test_an_empty_series_gives_the_empty_series_of_pandas(name, dtype):
    step, of_pandas = STEPS[name]
    series = pd.Series([], dtype=dtype, name="price")
    pd.testing.assert_series_equal(frames.apply(step, series), of_pandas(series))


@pytest.mark.parametrize("table", [EMPTY["no rows, names alone"], EMPTY["no columns"], pd.Series([], dtype=object)])
def test_a_table_in_which_nothing_says_what_it_holds_is_numbers(table):
    values = frames.encode(table).values
    assert values.shape == table.shape and values.dtype == "float32"


def test_a_mean_over_no_rows_of_any_kind_is_empty():
    ours = frames.apply(frames.ewma(com=1), PANDAS[:0])
    assert ours.index.equals(DAYS[:0]) and list(ours) == list(PANDAS) and len(ours) == 0


@pytest.mark.parametrize(
    "table, schema",
    [
        (pl.DataFrame(), {}),
        (pl.DataFrame({"a": [], "b": []}), {"a": pl.Float64, "b": pl.Float64}),
        (pl.DataFrame({"a": [], "b": pl.Series([], dtype=pl.Float32)}), {"a": pl.Float64, "b": pl.Float32}),
        (pl.DataFrame({"a": [1.0]})[:0], {"a": pl.Float64}),
    ],
)
def test_an_empty_table_of_polars_gives_an_empty_table(table, schema):
    ours = frames.apply(frames.ewma(com=1), table)
    assert dict(ours.schema) == schema and ours.height == 0


@pytest.mark.parametrize("axis", ["time", "x"])
def test_an_empty_array_of_xarray_keeps_its_coordinates(axis):
    array = XARRAY["v"].isel({axis: slice(0, 0)})
    xr.testing.assert_identical(frames.apply(frames.ewma(com=1), array), array)


@pytest.mark.parametrize("name, rows", [("no rows", 0), ("no columns", 3)])
def test_a_matrix_for_each_row_of_an_empty_table_is_empty(name, rows):
    outer = frames.Step(lambda x0: None, lambda state, x: (state, jnp.outer(x, x)))
    table = EMPTY[name]
    ours = frames.apply(outer, table)
    assert ours.index.equals(pd.MultiIndex.from_product([table.index, table.columns]))
    assert ours.columns.equals(table.columns) and ours.empty


TIMED = frames.ewma(halflife="1 day", times=True)


@pytest.mark.parametrize("step", [frames.ewma(com=1), frames.lag(1), TIMED], ids=["mean", "lag", "timed"])
@pytest.mark.parametrize("donate", [False, True])
@pytest.mark.parametrize("cut", [0, 2])
def test_a_batch_without_rows_changes_nothing(step, donate, cut):
    table = pd.DataFrame({"a": [1.0, 4.0, 2.0], "b": [3.0, np.nan, 1.0]}, index=DAYS)
    run = frames.unroll(step, donate=donate and not step.timed)

    def rows(part):
        encoded = frames.encode(part, missing="keep")
        return (encoded.values, encoded.times) if step.timed else encoded.values + 0

    state, head = (None, np.empty((0, 2))) if cut == 0 else run(rows(table[:cut]))
    state, none = run(rows(table[:0]), state)
    assert none.shape == (0, 2) and none.dtype == "float32"
    np.testing.assert_allclose(
        np.concatenate([head, none, run(rows(table[cut:]), state)[1]]), run(rows(table))[1], rtol=1e-6
    )


def test_no_rows_are_refused_as_rows_are():
    changes = frames.Step(lambda x0: jnp.int32(0), lambda state, x: (x.sum(), x))
    with pytest.raises(frames.FrameError, match="the step changes its state"):
        frames.unroll(changes)(jnp.ones((0, 2)))
    with pytest.raises(frames.FrameError, match=r"times have shape \(2,\), but the table has 0 rows"):
        frames.apply(TIMED, EMPTY["no rows"], times=DAYS[:2])


@pytest.mark.parametrize("slow, fast", [(0, 3), (2, 0), (0, 0)])
def test_streams_without_rows_know_nothing(slow, fast):
    table = PANDAS[["f", "i", "s", "d"]]
    streams = frames.synchronise({"slow": table[:slow]}, on=DAYS[:fast])
    pd.testing.assert_frame_equal(
        streams.decode(streams.values)["slow"], table[:slow].reindex(DAYS[:fast], method="ffill"), check_dtype=False
    )


TWICE = pd.DataFrame([[1.0, 5.0, 2.0], [4.0, 3.0, 8.0]], columns=pd.Index(["a", "b", "a"], name="stock"))


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("dtypes", ["float64", "mixed"])
def test_columns_of_one_name_are_told_apart_by_where_they_stand(name, dtypes):
    step, of_pandas = STEPS[name]
    table = (
        TWICE if dtypes == "float64" else pd.concat([TWICE.iloc[:, :2], TWICE.iloc[:, 2:].astype("float32")], axis=1)
    )
    pd.testing.assert_frame_equal(
        frames.apply(step, table), of_pandas(table), check_dtype=dtypes == "float64", rtol=1e-6
    )


def test_part_of_the_columns_of_one_name_may_come_back():
    table = pd.concat([PANDAS, PANDAS[["z", "i"]]], axis=1)
    table.columns = ["a"] * len(table.columns)
    encoded = frames.encode(table)
    pd.testing.assert_frame_equal(encoded.decode(encoded.values), table)
    part = encoded.decode({key: encoded.values[key] for key in ("int32", "times")})
    pd.testing.assert_frame_equal(part, table.iloc[:, [1, 5, 6, 8, 9]])


def test_a_schema_looks_at_each_column_of_a_name():
    table = pd.concat([TWICE.iloc[:, :1].astype("float32"), TWICE.iloc[:, 2:]], axis=1)
    with pytest.raises(frames.FrameError, match="'a' is float32"):
        frames.encode(table, frames.Schema(dtypes={"a": "float64"}))
    frames.encode(TWICE, frames.Schema(["a", "b", "a"], "float64", exact=True))


def test_times_must_be_as_many_as_the_rows():
    with pytest.raises(frames.FrameError, match=r"times have shape \(2,\), but the table has 3 rows"):
        PANDAS[["f"]].jaxcourse.ewm(halflife="1 day", times=DAYS[:2])
