"""Answers to back-to-a-table."""

import numpy as np
import pandas as pd

from jaxcourse.exercise import right, wrong


def end_of(like, values):
    """The labels of the last rows of a table."""
    return like.index[len(like) - len(values) :]


@right("back-to-a-table")
def labels_it_afterwards(values, like):
    table = pd.DataFrame(np.asarray(values), copy=False)
    table.index, table.columns = end_of(like, values), like.columns
    return table


@right("back-to-a-table")
def shares_by_dlpack(values, like):
    return pd.DataFrame(np.from_dlpack(values), end_of(like, values), like.columns, copy=False)


@right("back-to-a-table")
def cuts_the_table_instead(values, like):
    return pd.DataFrame(
        np.asarray(values), like.iloc[like.shape[0] - values.shape[0] :].index, like.columns, copy=False
    )


@wrong("back-to-a-table", "other-length")
def counts_from_the_end(values, like):
    return pd.DataFrame(np.asarray(values), index=like.index[-len(values) :], columns=like.columns, copy=False)


@wrong("back-to-a-table", "other-length")
def repeats_the_cell_above(values, like):
    return pd.DataFrame(np.asarray(values), index=like.index, columns=like.columns, copy=False)


@wrong("back-to-a-table", "ValueError")
def one_name_too_few(values, like):
    index = like.index[len(like) - len(values) :]
    return pd.DataFrame(np.asarray(values), index=index, columns=like.columns[:-1], copy=False)


@wrong("back-to-a-table", "ValueError")
def takes_the_shape_of_the_whole(values, like):
    values = np.asarray(values).reshape(like.shape)
    return pd.DataFrame(values, index=like.index, columns=like.columns, copy=False)


@wrong("back-to-a-table", "first-rows")
def takes_the_first_labels(values, like):
    return pd.DataFrame(np.asarray(values), index=like.index[: len(values)], columns=like.columns, copy=False)


@wrong("back-to-a-table", "names-of-labels-lost")
def makes_lists_of_the_labels(values, like):
    return pd.DataFrame(np.asarray(values), index=list(end_of(like, values)), columns=list(like.columns), copy=False)


@wrong("back-to-a-table", "changes-like")
def writes_into_the_given_table(values, like):
    like[len(like) - len(values) :] = np.asarray(values)
    return like[len(like) - len(values) :]


@wrong("back-to-a-table", "copied")
def leaves_it_to_pandas(values, like):
    return pd.DataFrame(np.asarray(values), index=end_of(like, values), columns=like.columns)


@wrong("back-to-a-table", "copied")
def copies_in_numpy(values, like):
    return pd.DataFrame(np.array(values), index=end_of(like, values), columns=like.columns, copy=False)


@wrong("back-to-a-table", "copied")
def turns_to_column_order(values, like):
    columns_first = np.asfortranarray(np.asarray(values))
    return pd.DataFrame(columns_first, index=end_of(like, values), columns=like.columns, copy=False)


@wrong("back-to-a-table", "copied")
def asks_pandas_for_a_copy(values, like):
    return pd.DataFrame(np.asarray(values), index=end_of(like, values), columns=like.columns, copy=True)


@wrong("back-to-a-table", "copied")
def column_by_column(values, like):
    return pd.DataFrame({name: values[:, i] for i, name in enumerate(like.columns)}, index=end_of(like, values))


@wrong("back-to-a-table", "other-dtype")
def goes_through_lists(values, like):
    return pd.DataFrame(values.tolist(), index=end_of(like, values), columns=like.columns)


@wrong("back-to-a-table", "index-lost")
def forgets_the_index(values, like):
    return pd.DataFrame(np.asarray(values), columns=like.columns, copy=False)


@wrong("back-to-a-table", "columns-lost")
def forgets_the_columns(values, like):
    return pd.DataFrame(np.asarray(values), index=end_of(like, values), copy=False)


@wrong("back-to-a-table", "other-shape")
def turns_it_over(values, like):
    return pd.DataFrame(np.asarray(values).T, index=like.columns, columns=like.index, copy=False)


@wrong("back-to-a-table", "not-a-table")
def returns_the_array(values, like):
    return np.asarray(values)


@wrong("back-to-a-table", "wrong-value")
def returns_what_was_there(values, like):
    return like[len(like) - len(values) :].astype(np.float32)


@wrong("back-to-a-table", "other-dtype")
def hands_over_the_array_of_jax(values, like):
    return pd.DataFrame(values, like.index[len(like) - len(values) :], like.columns, copy=False)
