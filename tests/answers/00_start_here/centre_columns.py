"""Answers to centre-columns."""

import numpy as np

from jaxcourse.exercise import right, wrong


@right("centre-columns")
def adds_a_row(x):
    return np.array([(column - np.mean(column)).tolist() for column in x.T]).T.tolist()


@right("centre-columns")
def by_a_product(x):
    return x - np.full((len(x), len(x)), 1 / len(x)) @ x


@wrong("centre-columns", "means-of-rows")
def forgets_to_keep_the_axis(x):
    return x - x.mean(axis=1)


@wrong("centre-columns", "cut-off")
def writes_into_the_dtype_of_the_table(x):
    out = np.empty_like(x)
    for j in range(x.shape[1]):
        out[:, j] = x[:, j] - x[:, j].mean()
    return out


@wrong("centre-columns", "wrong-value")
def as_many_columns_as_rows(x):
    out = x.astype(float)
    for j in range(min(x.shape)):
        out[:, j] -= out[:, j].mean()
    return out


@wrong("centre-columns", "wrong-value")
def adds_instead(x):
    return x + x.mean(axis=0)


@wrong("centre-columns", "not-a-copy")
def leaves_what_is_centred(x):
    return x - x.mean(axis=0) if x.mean(axis=0).any() else x


@wrong("centre-columns", "wrong-value")
def takes_a_small_mean_for_zero(x):
    mean = x.mean(axis=0)
    return x - np.where(np.isclose(mean, 0), 0, mean)


@wrong("centre-columns", "wrong-value")
def rounds_to_millionths(x):
    return np.round(x - x.mean(axis=0), 6)


@wrong("centre-columns", "digits-lost")
def has_seven_digits_only(x):
    out = x.astype(np.float32)
    return out - out.mean(axis=0)


@wrong("centre-columns", "changed-input")
def subtracts_in_place(x):
    x -= x.mean(axis=0)
    return x
