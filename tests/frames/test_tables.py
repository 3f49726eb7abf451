"""Tables in and out: nothing is lost, what is copied is said, and what does not fit is named."""

from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxcourse import frames
from jaxcourse.frames import _accessor, _apply, _encode, _schema, _tiles
from jaxcourse.frames._times import decode_times, elapsed, encode_times

DAYS = pd.date_range("2024-02-28", periods=3)


def mixed():
    when = pd.to_datetime(["2024-01-01", "NaT", "2020-05-06"])
    return pd.DataFrame(
        {
            "f": [1.0, 2.0, np.nan],
            "i": [1, 2, 3],
            "b": [True, False, True],
            "s": ["x", None, "y"],
            "o": pd.Series(["x", None, "y"], dtype=object, index=DAYS).array,
            "c": pd.Categorical(["u", None, "v"], categories=["v", "u", "w"], ordered=True),
            "t": when,
            "z": when.tz_localize("Europe/Paris"),
            "d": pd.to_timedelta(["1s", "NaT", "-3ms"]),
            "I": pd.array([1, None, 3], dtype="Int64"),
            "B": pd.array([True, None, False], dtype="boolean"),
        },
        index=DAYS,
    )


def test_every_kind_of_pandas_column_comes_back():
    encoded = frames.encode(mixed())
    assert {key: jax.tree.map(jnp.shape, leaf) for key, leaf in encoded.values.items()} == {
        "float32": (3, 3),
        "int32": (3, 1),
        "bool": (3, 1),
        "codes": (3, 3),
        "times": frames.Times((3, 3), (3, 3), (3, 3)),
    }
    pd.testing.assert_frame_equal(encoded.decode(encoded.values), mixed())


def test_every_kind_of_polars_column_comes_back():
    table = pl.DataFrame(
        {
            "f": [1.0, 2.0, None],
            "i": [1, 2, 3],
            "n": [1, None, 3],
            "b": [True, None, True],
            "s": ["x", None, "y"],
            "c": pl.Series(["y", None, "x"], dtype=pl.Categorical),
            "t": pl.Series([1, None, 5], dtype=pl.Datetime("us")),
            "z": pl.Series([1, None, 5], dtype=pl.Datetime("ms", "Europe/Paris")),
            "D": pl.Series([1, None, 5], dtype=pl.Date),
            "u": pl.Series([1, None, -5], dtype=pl.Duration("us")),
        }
    )
    encoded = frames.encode(table)
    back = encoded.decode(encoded.values)
    assert back.schema == table.schema and back.equals(table)


def test_xarray_comes_back_with_coordinates_and_attributes():
    values = np.arange(6, dtype=np.float32).reshape(3, 2)
    array = xr.DataArray(values, dims=("time", "x"), coords={"time": DAYS, "x": ["a", "b"]}, attrs={"unit": "m"})
    encoded = frames.encode(array)
    xr.testing.assert_identical(encoded.decode(encoded.values), array)
    data = xr.Dataset({"v": array, "when": ("time", DAYS), "name": ("time", ["p", "q", "p"])}, attrs={"by": "me"})
    encoded = frames.encode(data)
    assert set(encoded.values) == {"v", "when", "name"}
    xr.testing.assert_identical(encoded.decode(encoded.values), data)
    moved = frames.apply(frames.Step(lambda x0: None, lambda state, x: (state, jnp.outer(x, x))), array)
    assert moved.shape == (3, 2, 2) and moved.indexes["time"].equals(DAYS)


def test_a_series_stays_a_series():
    series = pd.Series([1.0, 3.0], index=[10, 20], name="price")
    pd.testing.assert_series_equal(frames.apply(frames.diff(), series), series.diff())


def test_the_order_of_columns_stays_in_every_container():
    table = pd.DataFrame({"b": [1, 2], "a": [0.5, 1.5], "c": [3, 4]})
    encoded = frames.encode(table)
    assert encoded.columns == ("b", "c", "a")
    assert list(encoded.decode(encoded.values)) == ["b", "a", "c"]
    assert frames.apply(frames.lag(0), pl.DataFrame(table.to_dict("list"))).columns == ["b", "a", "c"]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-(2**62), 2**62), min_size=1),
    st.sampled_from(["s", "ms", "us", "ns"]),
    st.sampled_from(["datetime64", "timedelta64"]),
)
def test_every_moment_comes_back(ticks, unit, kind):
    largest = 10**14 if unit in ("s", "ms") else 2**62
    moments = np.array([tick % largest - largest // 2 for tick in ticks]).astype(f"{kind}[{unit}]")
    moments[0] = "NaT"
    times = encode_times(moments)
    assert all(part.dtype == np.int32 for part in times)
    np.testing.assert_array_equal(decode_times(times, moments.dtype), moments)


def test_time_that_passes_is_exact_to_the_nanosecond():
    moments = np.array(["2024-01-01T00:00:00.000000001", "2024-01-01T00:00:00.000000003"], "datetime64[ns]")
    first, second = (frames.Times(*(part[i] for part in encode_times(moments))) for i in (0, 1))
    assert float(elapsed(first, second, 1e-9, jnp.float32)) == 2


def test_a_result_with_the_encoded_dtype_gets_the_columns_own_back():
    table = pd.DataFrame({"a": [1.5, 2.5]}, dtype="float64")
    encoded = frames.encode(table)
    assert encoded.values.dtype == jnp.float32
    assert encoded.decode(encoded.values).dtypes["a"] == "float64"
    assert frames.apply(frames.ewma(alpha=0.5), table.astype("int64")).dtypes["a"] == "float32"


def test_the_report_says_what_was_copied_and_why():
    aligned = _tiles.aligned((4, 2), np.float32)
    aligned[:] = 1
    rows = frames.encode(pd.DataFrame(aligned, copy=False)).report.rows
    assert rows[0][4:] == ("shared", "nothing to do")
    unaligned = _tiles.aligned((12, 2), np.float32)[1:5]
    assert "alignment" in frames.encode(pd.DataFrame(unaligned, copy=False)).report.rows[0][5]
    turned = np.asfortranarray(aligned)
    assert "layout" in frames.encode(pd.DataFrame(turned, copy=False)).report.rows[0][5]
    report = frames.encode(pd.DataFrame(aligned.astype(float), columns=["p", "q"], copy=False)).report
    assert "dtype: float64 to float32" in report.rows[0][5] and report.rows[0][0] == "p, q"
    assert "float64" in repr(report) and "<table" in report._repr_html_()


def test_shared_memory_is_not_written_to():
    aligned = _tiles.aligned((4, 2), np.float32)
    aligned[:] = 1
    encoded = frames.encode(pd.DataFrame(aligned, copy=False))
    shown = encoded.decode(encoded.values)
    with pytest.raises(ValueError, match="read-only"):
        shown.to_numpy()[0, 0] = 5
    own = encoded.decode(encoded.values, copy=True)
    own.iloc[0, 0] = 5
    assert encoded.values[0, 0] == 1


def test_missing_values_have_a_policy():
    table = mixed()[["f", "s", "t"]]
    with pytest.raises(frames.FrameError, match="column 'f' has no value in row 2"):
        frames.encode(table, missing="raise")
    with pytest.raises(frames.FrameError, match="column 's' has no value in row 1"):
        frames.encode(table[["s"]], missing="raise")
    encoded = frames.encode(table, missing="zero-with-mask")
    assert encoded.values["float32"][2, 0] == 0 and encoded.values["codes"][1, 0] == 0
    assert encoded.mask["float32"].tolist() == [[True], [True], [False]]
    assert encoded.mask["times"].tolist() == [[True], [False], [True]]
    assert frames.encode(table[["f"]], missing="keep").mask is None
    with pytest.raises(ValueError, match="missing must be"):
        frames.encode(table, missing="drop")


BAD = {
    "object": (pd.DataFrame({"a": [1.0], "bad": [object()]}), "column 'bad' has dtype object, which holds object"),
    "mixed object": (pd.DataFrame({"bad": pd.Series([1, "x"], dtype=object)}), "which holds int and str"),
    "duplicate index": (pd.DataFrame({"a": [1, 2]}, index=[5, 5]), "has 5 more than once, first again in row 1"),
    "unsorted index": (pd.DataFrame({"a": [1, 2]}, index=DAYS[1::-1]), "not sorted: .*02-28.* in row 1 comes after"),
    "unsorted months": (pd.Series([1, 2], index=pd.PeriodIndex(["2024-02", "2024-01"], freq="M")), "is not sorted"),
    "levels": (pd.Series([1, 2], index=pd.MultiIndex.from_product([["u"], DAYS[:2]])), "2 levels.*unstack"),
    "missing label": (pd.DataFrame({"a": [1, 2]}, index=pd.DatetimeIndex(["2024", None])), "missing label in row 1"),
    "large integer": (pd.DataFrame({"a": [1, 2], "big": [1, 2**40]}), "'big' has 1099511627776, which int32"),
    "large number": (pd.DataFrame({"a": [np.inf], "big": [1e300]}), "'big' has numbers that float32"),
    "rounded": (pd.DataFrame({"I": pd.array([2**24 + 1, None], dtype="Int64")}), "'I' has missing values.*16777217"),
    "polars, list": (pl.DataFrame({"bad": [[1]]}), "'bad' has dtype List"),
    "polars, null and NaN": (pl.DataFrame({"bad": [None, float("nan")]}), "'bad' has nulls and NaN"),
    "polars, rounded": (pl.DataFrame({"n": [2**24 + 1, None]}), "'n' has missing values"),
    "xarray, time not first": (
        xr.Dataset({"a": (("t", "x"), np.ones((2, 3))), "bad": (("x", "t"), np.ones((3, 2)))}),
        "variable 'bad' has dimensions",
    ),
    "xarray, unsorted": (xr.DataArray([1, 2], dims="t", coords={"t": DAYS[1::-1]}), "coordinate 't' is not sorted"),
    "xarray, levels": (
        xr.DataArray(np.ones((1, 2)), dims=("u", "t"), coords={"u": [1], "t": [1, 2]}).stack(r=("u", "t")),
        "coordinate 'r' has 2 levels",
    ),
    "xarray, no time": (xr.DataArray(1.0), "expand_dims"),
    "xarray, no variables": (xr.Dataset(), "no variables with a dimension"),
    "xarray, one number": (xr.Dataset({"bad": 1.0, "a": ("t", [1.0])}), r"'bad' has dimensions \(\), but time is 't'"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_encoded_is_named(name):
    table, words = BAD[name]
    with pytest.raises(frames.FrameError, match=words):
        frames.encode(table)


@pytest.mark.parametrize("labels", [[5, 4, 7], ["b", "a", "c"]])
def test_labels_that_are_no_moments_may_come_in_any_order(labels):
    table = pd.DataFrame({"a": [1.0, 4.0, 9.0], "b": [True, False, True]}, index=labels)
    encoded = frames.encode(table)
    pd.testing.assert_frame_equal(encoded.decode(encoded.values), table)
    pd.testing.assert_frame_equal(frames.apply(frames.diff(), table[["a"]]), table[["a"]].diff())
    with pytest.raises(frames.FrameError, match="index of stream 'one' is not sorted"):
        frames.synchronise({"one": table}, on=sorted(labels))


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtypes", [("float64", "float32"), ("float32", "float32"), ("int64", "float32")])
def test_a_large_table_is_copied_tile_by_tile(monkeypatch, order, dtypes):
    monkeypatch.setattr(_tiles, "SMALLEST", 1)
    monkeypatch.setattr(_tiles, "TURNED", 2)
    monkeypatch.setattr(_tiles, "TILE_BYTES", 70)
    host = np.asarray(np.arange(29 * 5).reshape(29, 5).astype(dtypes[0]), order=order)
    copy = _tiles.converted(host, np.dtype(dtypes[1]))
    assert copy.dtype == dtypes[1] and copy.flags.c_contiguous and copy.ctypes.data % _tiles.ALIGNMENT == 0
    np.testing.assert_array_equal(copy, host)
    copy[:] = -1
    with ThreadPoolExecutor(2) as pool:
        _tiles.spread_into(copy, host, pool)
    np.testing.assert_array_equal(copy, host)


def test_a_large_table_with_a_number_out_of_range_is_named_too(monkeypatch):
    monkeypatch.setattr(_apply, "SMALLEST", 1)
    with pytest.raises(frames.FrameError, match="'big' has numbers"):
        frames.apply(frames.ewma(alpha=0.5), pd.DataFrame({"a": [1.0, 2.0], "big": [1.0, 1e300]}))


def test_other_things_are_no_tables():
    with pytest.raises(TypeError, match="ndarray is not a table.*unroll"):
        frames.encode(np.ones(3))


@pytest.mark.parametrize(
    "schema, words",
    [
        (frames.Schema(columns=["f", "x"]), "column 'x' is missing"),
        (frames.Schema(dtypes={"i": "float64"}), "column 'i' is int64, but the schema says float64"),
        (frames.Schema(columns=["f", "i"], dtypes="float64"), "column 'i' is int64"),
        (frames.Schema(shapes={"f": (None, 2)}), r"column 'f' has shape \(3,\)"),
        (frames.Schema(columns=["f"], exact=True), "column 'i' is not in the schema"),
        (frames.Schema(columns=["i", "f"], exact=True), "in the order"),
    ],
)
def test_a_broken_schema_names_the_column(schema, words):
    table = mixed()[["f", "i"]]
    with pytest.raises(frames.FrameError, match=words):
        frames.encode(table, schema)


def test_a_table_is_opened_once(monkeypatch):
    opened = []
    for module in (_encode, _schema):
        real = module.open_table
        monkeypatch.setattr(module, "open_table", lambda data, real=real: opened.append(real(data)) or opened[-1])
    frames.encode(pd.DataFrame({"a": [1.0]}), frames.Schema(columns=["a"]))
    assert len(opened) == 1


def test_a_schema_that_fits_lets_the_table_through():
    schema = frames.Schema(["f", "i"], {"f": "float64"}, {"i": (3,)}, exact=True)
    assert frames.encode(mixed()[["f", "i"]], schema).columns == ("f", "i")


@pytest.mark.parametrize(
    "ys, words",
    [
        (jnp.ones((2, 2)), r"shape \(2, 2\), but the table has 3 rows"),
        (jnp.ones((3, 3)), r"shape \(3, 3\), but the table has 2 columns there: 'p', 'q'"),
        ({"float32": jnp.ones((3, 2))}, "must be one array, like the encoded values, not dict"),
    ],
)
def test_results_that_do_not_fit_are_refused(ys, words):
    encoded = frames.encode(pd.DataFrame({"p": [1.0, 2, 3], "q": [4.0, 5, 6]}))
    with pytest.raises(frames.FrameError, match=words):
        encoded.decode(ys)


def test_codes_that_are_no_codes_any_more_are_refused():
    encoded = frames.encode(mixed()[["s"]])
    with pytest.raises(frames.FrameError, match="results of 'codes' are float32"):
        encoded.decode({"codes": jnp.ones((3, 1))})
    with pytest.raises(frames.FrameError, match=r"keys of \['codes'\]"):
        encoded.decode({"other": jnp.ones((3, 1))})


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([None, "0s", "40s", "1h"]))
def test_streams_are_filled_forward_as_pandas_does(seed, tolerance):
    rng = np.random.default_rng(seed)

    def moments(n):
        return pd.DatetimeIndex(np.sort(rng.choice(1000, n, replace=False)).astype("datetime64[s]"))

    master, slow = moments(16), moments(5)
    table = pd.DataFrame({"v": rng.normal(size=5).astype("float32"), "n": np.arange(5), "s": list("abcde")}, index=slow)
    streams = frames.synchronise({"slow": table}, on=master, tolerance=tolerance)
    result = streams.decode(streams.values)["slow"]
    expected = table.reindex(master, method="ffill", tolerance=tolerance)
    pd.testing.assert_frame_equal(result, expected, check_dtype=False)


def test_streams_that_cannot_be_compared_are_named():
    naive = pd.DataFrame({"a": [1.0]}, index=DAYS[:1])
    aware = naive.tz_localize("UTC")
    with pytest.raises(frames.FrameError, match=r"stream 'a' is tz-naive, but the master index is tz-aware \(UTC\)"):
        frames.synchronise({"a": naive, "b": aware}, on="b")
    with pytest.raises(frames.FrameError, match="stream 'a' has an index of datetime64"):
        frames.synchronise({"a": naive}, on=[1, 2])
    with pytest.raises(frames.FrameError, match="no stream 'c'"):
        frames.synchronise({"a": naive}, on="c")
    with pytest.raises(frames.FrameError, match="stream 'p' has no index"):
        frames.synchronise({"p": pl.DataFrame({"a": [1.0]})}, on=DAYS)
    with pytest.raises(frames.FrameError, match="master index is not sorted"):
        frames.synchronise({"a": naive}, on=DAYS[::-1])


def test_times_are_needed_where_time_counts():
    with pytest.raises(frames.FrameError, match="no index that says when its rows were: give times="):
        frames.apply(frames.ewma(halflife="1s", times=True), pl.DataFrame({"a": [1.0]}))
    with pytest.raises(frames.FrameError, match="times must be datetimes, not int64"):
        frames.apply(frames.ewma(halflife="1s", times=True), pd.DataFrame({"a": [1.0]}))
    with pytest.raises(frames.FrameError, match="the time is missing in row 1"):
        frames.apply(
            frames.ewma(halflife="1s", times=True),
            pd.DataFrame({"a": [1.0, 2.0]}),
            times=pd.DatetimeIndex(["2024", None]),
        )


def test_time_zones_do_not_change_how_much_time_passes():
    index = pd.date_range("2024-03-31", periods=5, freq="h", tz="Europe/Paris")
    table = pd.DataFrame({"a": np.arange(5.0)}, index=index)
    step = frames.ewma(halflife="1h", times=True)
    naive = table.set_axis(index.tz_convert("UTC").tz_localize(None))
    np.testing.assert_array_equal(frames.apply(step, table), frames.apply(step, naive))


def test_registering_twice_is_fine():
    frames.register()
    assert isinstance(pd.DataFrame({"a": [1.0]}).jaxcourse, _accessor.Accessor)
