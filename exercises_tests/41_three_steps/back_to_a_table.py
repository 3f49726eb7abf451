"""back-to-a-table."""

import functools

import numpy as np
import pandas as pd

from jaxcourse import inputs, probe
from jaxcourse.checks import declare, expect, refuse, require

from ._lesson import WORDS as LESSON


def table_facts(student_function, values, labels, earlier):
    """What a table that came back is made of, and whether its numbers are where JAX left them.

    The table that it should be like has `earlier` rows more, in front.
    """
    columns = values.shape[1]
    rows = earlier + len(values)
    index, names = {
        "texts": (pd.Index([f"day {7 * i % 31}" for i in range(rows)]), pd.Index(list("gauge")[:columns])),
        "dates": (pd.date_range("2024-05-01", periods=rows, freq="10min", name="time"), pd.RangeIndex(columns)),
        "repeated": (pd.Index([3, *[4] * (rows - 1)][:rows]), pd.Index(["level"] * columns, name="gauge")),
        "two levels": (
            pd.MultiIndex.from_arrays([["up"] * rows, range(rows)], names=["river", None]),
            pd.MultiIndex.from_arrays([["level"] * columns, list("gauge")[:columns]]),
        ),
    }[labels]
    like = pd.DataFrame(np.zeros((rows, columns)), index=index, columns=names)
    index, first = index[earlier:], index[: len(values)]
    before, values = like.copy(), probe.on_device(values)

    # From version 3 on pandas copies an array unless it is told not to: be that the version everywhere.
    @functools.wraps(pd.DataFrame.__init__)  # what Python says of a wrong argument names the function
    def as_the_newest(table, data=None, index=None, columns=None, dtype=None, copy=None):
        copy = True if copy is None and isinstance(data, np.ndarray) else copy
        constructor(table, data, index, columns, dtype, copy)

    constructor = pd.DataFrame.__init__
    pd.DataFrame.__init__ = as_the_newest
    try:
        table = student_function(values, like)
    finally:
        pd.DataFrame.__init__ = constructor
    if not isinstance(table, pd.DataFrame):
        return {"type": type(table).__name__}
    facts = {"type": "DataFrame", "shape": table.shape, "changed": not like.equals(before)}
    if table.shape != values.shape:
        return facts
    for axis, got, want in (("index", table.index, index), ("columns", table.columns, names)):
        facts |= {axis: got.equals(want), f"{axis} names": got.identical(want), f"{axis} got": str(list(got[:2]))}
    facts |= {"dtypes": sorted({str(dtype) for dtype in table.dtypes}), "first rows": table.index.equals(first)}
    if "object" in facts["dtypes"]:
        return facts
    facts["values"] = table.to_numpy()
    return facts | {"shares": np.shares_memory(facts["values"], np.asarray(values)) or not values.size}


OTHER_LENGTH = [f"ValueError: {said}" for said in ("Shape of passed values", "Length mismatch", "Empty data passed")]
"""How pandas refuses labels that are too many or too few."""


def a_table_with_its_labels(answer, rng):
    """A table with the labels of its rows and columns, that shares the memory of its values.

    A function, since labels, types and memory are required, and the numbers come back as they went in.
    """
    both, *others = rng.integers(1, 5, size=4).tolist()
    tables = [("texts", (6, 3), 0), *[("texts", (6, 3), both)] * 2]
    tables += [*zip(("dates", "repeated", "two levels"), ((4, 4), (2, 5), (3, 1)), others, strict=True)]
    for labels, shape, earlier in [*tables, ("dates", (0, 2), 4), ("dates", (0, 2), 0), ("texts", (1, 1), 1)]:
        values = inputs.array(rng, shape, "int32" if labels == "two levels" else "float32", high=99)
        facts, error = answer.attempt(table_facts, values, labels, earlier, expected=OTHER_LENGTH if earlier else [])
        refuse(error, "other-length", rows=shape[0], like=shape[0] + earlier)
        require(facts["type"] == "DataFrame", "not-a-table", type=facts["type"])
        refuse(facts["changed"], "changes-like")
        require(facts["shape"] == shape, "other-shape", shape=shape, got=facts["shape"])
        refuse(facts["first rows"] and not facts["index"], "first-rows")
        require(facts["index"], "index-lost", got=facts["index got"])
        require(facts["columns"], "columns-lost", got=facts["columns got"])
        dtypes = ", ".join(facts["dtypes"])
        require(dtypes == str(values.dtype), "other-dtype", dtype=values.dtype, rows=shape[0], dtypes=dtypes)
        expect(facts["values"], values, "wrong-value")
        require(facts["shares"], "copied")
        for axis in ("index", "columns"):
            require(facts[f"{axis} names"], "names-of-labels-lost", axis=axis)


WORDS = """
hint: How do you count the last `n` of `m` rows from the front? Does your slice also work for no rows?
hint: `pd.DataFrame(..., index=..., columns=...)` takes `np.asarray(values)`. Does the constructor copy?
hint: `index=like.index[len(like) - len(values) :]` and `copy=False`.
not-a-table: Your function returned an object of type `{type}`. Return a DataFrame.
changes-like: You wrote the numbers into `like`, which belongs to the caller. Make a new table.
other-shape: Your table has the shape {got}. It should be {shape}.
other-length: You got a ValueError: a table needs as many labels as rows. Take the last {rows} of {like}, and mind
    that a slice from `-0` on is not empty.
first-rows: Your rows have the labels of the first rows of `like`. They are the results for its last rows.
index-lost: Your rows are labelled {got} ... Label them as the last rows of `like`.
columns-lost: Your columns are named {got} ... Name them as in `like`.
other-dtype: Your columns are {dtypes}, and `{dtype}` went in, {rows} rows of it. Keep the dtype.
wrong-value: Your table has other numbers than `values`. Put those in as they are.
copied: Your table has a copy of the numbers. Pass `np.asarray(values)`, which shares memory on a CPU, with
    `copy=False`, and do nothing else to the numbers: another order copies them too.
names-of-labels-lost: Your labels of the {axis} are right, but their name or their frequency is lost. Use
    `like.{axis}`.
"""

back_to_a_table = declare(
    "back-to-a-table",
    see="format",
    steps=[a_table_with_its_labels],
    words=(LESSON, WORDS),
)
