"""Tables that mean harm: every dtype and gap against the libraries' own results, and what is refused by name."""

import datetime as dt
import decimal

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
from jaxcourse.frames import _apply

DAYS = pd.date_range("2024", periods=3)
ROWS = 7
DOUBLED = frames.Step(lambda x0: (), lambda state, x: (state, x + x))
SEEN = frames.Step(lambda x0: (), lambda state, x: (state, x))

# -- against the libraries --------------------------------------------------------------------------------------

FLOATS, WHOLE = ("float16", "float32", "float64"), ("int8", "uint8", "int32", "int64", "uint64", "bool")
KINDS = (*FLOATS, *WHOLE, "Float32", "Float64", "Int8", "UInt8", "Int64", "UInt64", "boolean")
STEPS = {
    "mean": (frames.ewma(com=2.5), lambda table: table.ewm(com=2.5).mean()),
    "recursion": (frames.ewma(span=9, adjust=False), lambda table: table.ewm(span=9, adjust=False).mean()),
    "long": (frames.ewma(com=200, ignore_na=True), lambda table: table.ewm(com=200, ignore_na=True).mean()),
    "lag": (frames.lag(2), lambda table: table.shift(2)),
    "diff": (frames.diff(), lambda table: table.diff()),
}


@st.composite
def columns(draw):
    """A dtype of pandas, and values of it: small whole numbers, of which some are missing, infinite, or all alike."""
    dtype, seed = draw(st.sampled_from(KINDS)), draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    values = rng.integers(0, draw(st.sampled_from([1, 2, 100])), ROWS) + draw(st.sampled_from([0, 0, 20]))
    values = (values > 0 if "ool" in dtype else values).astype(object)
    if dtype not in WHOLE:
        values[rng.random(ROWS) < draw(st.sampled_from([0, 0.3, 1]))] = np.nan if dtype in FLOATS else pd.NA
    if dtype in FLOATS and draw(st.booleans()):
        values[rng.integers(ROWS)] = draw(st.sampled_from([np.inf, -np.inf]))
    return pd.Series(list(values), dtype=dtype)


def plain(values):
    """Values of any dtype as float64, NaN where one is missing; so that pandas computes in that, too."""
    return np.array([np.nan if v is None or v is pd.NA else float(v) for v in list(values)])


@pytest.mark.parametrize("name", STEPS)
@settings(max_examples=40, deadline=None, phases=(Phase.generate,))
@given(column=columns())
def test_every_dtype_and_gap_is_as_in_pandas(name, column):
    step, of_pandas = STEPS[name]
    with np.errstate(invalid="ignore"):
        want = of_pandas(pd.Series(plain(column))).to_numpy()
    tolerance = 4e-3 if "16" in str(column.dtype) else 3e-6
    table = pd.DataFrame({("a", 1): column.array, None: column.array}, index=pd.RangeIndex(ROWS, name="row"))
    got = frames.apply(step, table)
    assert got.index.equals(table.index) and got.index.name == "row" and got.columns.equals(table.columns)
    for i in range(2):
        np.testing.assert_allclose(plain(got.iloc[:, i]), want, rtol=tolerance, atol=tolerance * 50)
    floating = str(column.dtype).lower().startswith("float")
    assert set(got.dtypes) == {column.dtype if floating else np.dtype(np.float32)}


OF_POLARS = {"ool": pl.Boolean, "uint8": pl.UInt8, "uint64": pl.UInt64, "int8": pl.Int8, "int32": pl.Int32}
OF_POLARS |= {"int64": pl.Int64, "float16": pl.Float32, "float32": pl.Float32, "float64": pl.Float64}


@pytest.mark.parametrize("name", STEPS)
@settings(max_examples=40, deadline=None, phases=(Phase.generate,))
@given(column=columns())
def test_polars_gives_the_same_and_a_null_for_what_is_missing(name, column):
    step, of_pandas = STEPS[name]
    dtype = next(it for kind, it in OF_POLARS.items() if kind in str(column.dtype).lower())
    values = [None if v is pd.NA or v != v else v for v in column.tolist()]
    table = pl.DataFrame({"a": pl.Series(values, dtype=dtype), "b": pl.Series(values, dtype=dtype).reverse()})
    got = frames.apply(step, table)
    gaps = None in values
    for wanted, name in ((values, "a"), (values[::-1], "b")):
        with np.errstate(invalid="ignore"):
            want = of_pandas(pd.Series(plain(wanted))).to_numpy()
        np.testing.assert_allclose(plain(got[name]), want, rtol=3e-6, atol=2e-4)
        assert got[name].dtype == (dtype if dtype.is_float() else pl.Float32)
        assert got[name].is_nan().any() in (None, False) if gaps else got[name].null_count() == 0
    encoded = frames.encode(table)
    assert encoded.decode(encoded.values).equals(table)


@pytest.mark.parametrize("adjust", [True, False])
@pytest.mark.parametrize("alpha", [0.5, 0.3, 0.1, 0.049, 0.9999])
@pytest.mark.parametrize("gap", [False, True])
def test_a_constant_stays_what_it_is(alpha, adjust, gap):
    xs = np.full((40, 2), 100 / 3, np.float32)
    xs[5, 1] = np.nan if gap else xs[5, 1]
    assert (np.asarray(frames.unroll(frames.ewma(alpha=alpha, adjust=adjust))(xs)[1]) == xs[0, 0]).all()


# -- dtypes that NumPy, or JAX, does not have -------------------------------------------------------------------


def tables_of(values):
    yield pd.DataFrame({"a": values})
    yield xr.DataArray(values, dims="row", name="a")
    if values.dtype.kind != "c":
        yield pl.DataFrame({"a": values})


def values_of(table):
    return np.asarray(table if isinstance(table, xr.DataArray) else table["a"])


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_whole_numbers_as_smaller_ones_are_not_cut(dtype):
    for table in tables_of(np.array([1, 2, 4])):
        got = values_of(frames.apply(frames.ewma(com=2), table, dtype=dtype))
        lacks = dtype == "bfloat16" or isinstance(table, pl.DataFrame) and not hasattr(pl, "Float16")
        assert got.dtype == ("float32" if lacks else dtype)
        np.testing.assert_allclose(got, [1, 1.6, 52 / 19], rtol=8e-3)
    nullable = pd.DataFrame({"a": pd.array([1, None, 4], dtype="Int64")})
    np.testing.assert_allclose(frames.apply(frames.ewma(com=2), nullable, dtype=dtype)["a"], [1, 1, 40 / 13], rtol=8e-3)


def test_what_was_made_wider_stays_as_wide():
    for table in tables_of(np.array([100, 3], np.int8)):
        assert values_of(frames.apply(DOUBLED, table, dtype="int32")).tolist() == [200, 6]
    with (jax if hasattr(jax, "enable_x64") else jax.experimental).enable_x64(True):
        for table in tables_of(np.array([1e30, 3], np.float32)):
            doubled = frames.Step(lambda x0: (), lambda state, x: (state, x * x))
            np.testing.assert_allclose(values_of(frames.apply(doubled, table, dtype="float64")), [1e60, 9], rtol=1e-6)


def test_complex_numbers_keep_both_parts():
    values = np.array([1 + 2j, 3, 5j])
    want = pd.Series(values.real).ewm(com=2).mean() + 1j * pd.Series(values.imag).ewm(com=2).mean()
    for table in tables_of(values):
        got = values_of(frames.apply(frames.ewma(com=2), table))
        assert got.dtype == "complex128"
        np.testing.assert_allclose(got, want, rtol=1e-6)
        np.testing.assert_allclose(values_of(frames.apply(frames.diff(), table))[1:], np.diff(values), rtol=1e-6)
        with pytest.raises(frames.FrameError, match="complex128: as float32 their imaginary parts would be lost"):
            frames.encode(table, dtype="float32")


@pytest.mark.parametrize("own", [jnp.bfloat16, jnp.complex64, jnp.int8, jnp.bool_])
@pytest.mark.parametrize("large", [False, True])
def test_a_step_may_compute_another_dtype(monkeypatch, own, large):
    monkeypatch.setattr(_apply, "SMALLEST", 1 if large else 2**20)
    step = frames.Step(lambda x0: (), lambda state, x: (state, x.astype(own)))
    for table in tables_of(np.array([1.0, 0.0])):
        if own is jnp.complex64 and isinstance(table, pl.DataFrame):
            with pytest.raises(frames.FrameError, match="polars has no complex numbers"):
                frames.apply(step, table)
            continue
        got = frames.apply(step, table)
        assert values_of(got).dtype == ("float32" if own is jnp.bfloat16 else np.dtype(own))
        assert values_of(got).tolist() == [1, 0]


def test_differences_of_large_unsigned_numbers_may_go_down():
    for table in tables_of(np.array([5_000_000_003, 5_000_000_001, 5_000_000_002], np.uint64)):
        assert values_of(frames.apply(frames.diff(), table))[1:].tolist() == [-2, 1]


ONE = pd.DataFrame({"a": [1.5, 2.5]})
STRANGE = {
    "longdouble": (pd.DataFrame({"a": np.ones(2, np.longdouble)}), {}, "'a' is .*longdouble|'a' is float128|float96"),
    "float8": (ONE, {"dtype": "float8_e4m3fn"}, "dtype='float8_e4m3fn' is float8"),
    "text": (ONE, {"dtype": str}, "is <U0, which is none of bool"),
    "objects": (ONE, {"dtype": object}, "is object, which is none"),
    "moments": (ONE, {"dtype": "datetime64[s]"}, "which is none"),
    "no dtype": (ONE, {"dtype": "Int64"}, "dtype='Int64' is no dtype"),
    "to int": (ONE, {"dtype": "int32"}, "fractions and NaN would be lost"),
    "to bool": (pd.DataFrame({"a": [0, 2]}), {"dtype": bool}, "'a' has 2, which bool cannot hold"),
    "too large": (pd.DataFrame({"a": [1.0, 1e300]}), {"dtype": jnp.bfloat16}, "'a' has numbers that bfloat16"),
    "void": (pd.DataFrame({"a": pd.Series(np.zeros(2, "V3"))}), {}, "'a' has dtype"),
    "bytes": (pd.DataFrame({"a": [b"x"]}), {}, "which holds bytes"),
    "decimals": (pd.DataFrame({"a": [decimal.Decimal(1), None]}), {}, "which holds Decimal"),
    "lists": (pd.DataFrame({"a": [[1], [2]]}), {}, "which holds list"),
    "polars, 128 bits": (pl.DataFrame({"a": pl.Series([1, 2], dtype=pl.Int128)}), {}, "dtype Int128: only .* 64 bits"),
    "polars, and null": (pl.DataFrame({"a": pl.Series([1, None], dtype=pl.Int128)}), {}, "dtype Int128"),
    "polars, decimal": (pl.DataFrame({"a": [decimal.Decimal(1)]}), {}, "dtype Decimal"),
    "polars, both": (pl.DataFrame({"b": [1.0, 2.0], "a": [None, np.nan]}, strict=False), {}, "'a' has nulls and NaN"),
    "xarray, compound": (xr.DataArray(np.zeros(2, "i4,f4"), dims="t", name="a"), {}, "'a' has dtype"),
    "xarray, one name": (xr.Dataset({1: ("t", [1.0]), "1": ("t", [2.0])}), {}, "two variables"),
}


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("large", [False, True])
def test_what_has_no_way_in_is_refused_by_name(monkeypatch, name, large):
    monkeypatch.setattr(_apply, "SMALLEST", 1 if large else 2**20)
    table, options, words = STRANGE[name]
    with pytest.raises(frames.FrameError, match=words):
        frames.apply(frames.lag(), table, **options)
    with pytest.raises(frames.FrameError, match=words):
        frames.encode(table, **options)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (frames.Step(lambda x0: (), lambda state, x: (state, {"a": x})), "must be one array.* not dict"),
        (frames.Step(lambda x0: (), lambda state, x: (state, (x, x))), "must be one array.* not tuple"),
        (frames.Step(lambda x0: (), lambda state, x: (state, x[:1])), r"shape \(3, 1\), but the table has 2 columns"),
        (frames.Step(lambda x0: (), lambda state, x: (state, x.sum())), r"shape \(3,\), but the table has 2 columns"),
    ],
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_results_that_do_not_fit_are_refused_however_the_table_lies(step, words, order):
    table = pd.DataFrame(np.asarray(np.ones((3, 2)), order=order), columns=["a", "b"], copy=False)
    with pytest.raises(frames.FrameError, match=words):
        frames.apply(step, table)


def test_sparse_columns_may_have_gaps():
    column = pd.Series(pd.arrays.SparseArray([1.0, np.nan, 4.0]))
    got = frames.apply(frames.ewma(com=2), column)
    assert got.dtype == column.dtype
    np.testing.assert_allclose(got.sparse.to_dense(), [1, 1, 40 / 13], rtol=1e-6)


ARROW = {
    "bool": [True, None, False],
    "string": ["x", None, "y"],
    "large_string": ["x", None, "y"],
    "date32": [dt.date(2024, 1, 1), None, dt.date(2023, 1, 1)],
    "timestamp": [dt.datetime(2024, 1, 1, 12), None, dt.datetime(2023, 1, 1)],
    "timestamp, zone": [dt.datetime(2024, 1, 1, 12), None, dt.datetime(2023, 1, 1)],
    "duration": [dt.timedelta(3), None, dt.timedelta(-1)],
    "int64": [1, None, 4],
    "uint8": [1, None, 4],
    "float64": [1.5, None, 4],
}


@pytest.mark.parametrize("name", ARROW)
def test_columns_of_arrow_come_back(name):
    pa = pytest.importorskip("pyarrow")
    kinds = {"timestamp": pa.timestamp("ms"), "duration": pa.duration("us"), "bool": pa.bool_()}
    kinds["timestamp, zone"] = pa.timestamp("us", tz="Europe/Paris")
    kind = kinds[name] if name in kinds else getattr(pa, name)()
    table = pd.DataFrame({"a": pd.array(ARROW[name], dtype=pd.ArrowDtype(kind))})
    for part in (table, table[::2], table[:0]):
        encoded = frames.encode(part)
        pd.testing.assert_frame_equal(encoded.decode(encoded.values), part)
    if name in ("bool", "int64", "uint8"):
        got = frames.apply(frames.ewma(com=2), table)["a"]
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, pd.Series(plain(ARROW[name])).ewm(com=2).mean(), rtol=1e-6)


def test_decimals_of_arrow_are_refused_as_those_of_python():
    pa = pytest.importorskip("pyarrow")
    column = pd.array([decimal.Decimal("1.5"), None], dtype=pd.ArrowDtype(pa.decimal128(9, 2)))
    with pytest.raises(frames.FrameError, match="'a' has dtype decimal128"):
        frames.encode(pd.DataFrame({"a": column}))


# -- labels and time --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["one block", "mixed", "series", "large"])
def test_what_a_table_says_of_itself_stays(monkeypatch, kind):
    monkeypatch.setattr(_apply, "SMALLEST", 1 if kind == "large" else 2**20)
    table = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [1, 2, 3] if kind == "mixed" else [1.0, 2.0, 3.0]}, index=DAYS)
    table = table["a"] if kind == "series" else table
    table.attrs["unit"] = "m"
    got = frames.apply(frames.lag(), table)
    assert got.attrs == {"unit": "m"} and got.index.freq == DAYS.freq
    got.attrs["unit"] = "cm"
    assert table.attrs == {"unit": "m"}


def test_a_multiindex_of_one_level_is_an_index():
    table = pd.DataFrame({"a": [1.0, 2.0]}, index=pd.MultiIndex.from_arrays([[5, 3]], names=["k"]))
    pd.testing.assert_frame_equal(frames.apply(frames.diff(), table), table.diff())
    with pytest.raises(frames.FrameError, match="5 more than once"):
        frames.encode(table.set_axis(pd.MultiIndex.from_arrays([[5, 5]])))
    with pytest.raises(frames.FrameError, match="not sorted"):
        frames.encode(table.set_axis(pd.MultiIndex.from_arrays([DAYS[1::-1]])))


@pytest.mark.parametrize("times", [DAYS, DAYS[::-1], [1], None])
def test_times_are_for_steps_that_take_them(times):
    table = pd.DataFrame({"a": [1.0, 2.0, 4.0]})
    if times is None:
        frames.apply(frames.ewma(com=1), table, times=times)
        return
    with pytest.raises(frames.FrameError, match="times are given, but the step takes none: make it with times=True"):
        frames.apply(frames.ewma(com=1), table, times=times)


SAY_WHEN = {
    "date": None,
    "valid_time": None,
    "Timestamps": None,
    "lead": pd.to_timedelta([1, 2, 3], unit="h"),
    "day": [dt.date(2024, 1, d) for d in (1, 2, 3)],
}


@pytest.mark.parametrize("dim", SAY_WHEN)
def test_whatever_says_when_must_be_first(dim):
    labels = SAY_WHEN[dim]
    array = xr.DataArray(np.ones((2, 3)), {} if labels is None else {dim: labels}, ("gauge", dim))
    with pytest.raises(frames.FrameError, match=f"'{dim}' says when, and 'gauge' is first"):
        frames.apply(frames.lag(), array)
    frames.apply(frames.lag(), array.T)


@pytest.mark.parametrize("dim", ["lifetime", "update", "depth", "timer"])
def test_a_name_that_only_sounds_so_does_not(dim):
    frames.encode(xr.DataArray(np.ones((2, 3)), dims=("gauge", dim)))


@pytest.mark.parametrize("index", [pd.CategoricalIndex(list("abc")), pd.interval_range(0, 3)])
def test_labels_that_have_no_last_one_are_refused(index):
    with pytest.raises(frames.FrameError, match="stream 'one' has an index of .* no last label can be found"):
        frames.synchronise({"one": pd.DataFrame({"a": [1.0, 2, 3]}, index=index)}, on="one")


@pytest.mark.parametrize(("rows", "advice"), [([1, 0], r"sortby\('t'\)"), ([0, 0], r"drop_duplicates\('t'\)")])
def test_advice_is_in_the_words_of_the_library(rows, advice):
    array = xr.DataArray([1.0, 2.0], {"t": DAYS[rows]}, "t")
    with pytest.raises(frames.FrameError, match=f"coordinate 't' .*{advice}"):
        frames.encode(array)
    with pytest.raises(frames.FrameError, match=r"the index .*(sort_index\(\)|reset_index)"):
        frames.encode(array.to_series())
