"""one-hot-rows: a row for each label, with 1 in the column of its class; of zeros if the label is no class."""

import numpy as np

from jaxcourse.checks import Solves, declare
from jaxcourse.puzzle import Rules

from . import _lesson
from ._lesson import as_jax_reads, far_labels, hot, labelled


def indicator_rows(labels, k):
    return [[int(label == j) for j in range(k)] for label in labels]


MISTAKES = {
    "hot-columns": lambda labels, k: hot(labels, k).T,
    "classes-from-one": lambda labels, k: hot(labels - 1, k),
    "one-too-many": lambda labels, k: hot(labels, k + 1),
    "rows-picked": lambda labels, k: as_jax_reads(np.eye(k), labels),
    "misses-counted": [
        lambda labels, k: hot(labels % k, k),
        lambda labels, k: hot(np.minimum(labels, k - 1), k),
        lambda labels, k: hot(np.clip(labels, 0, k - 1), k),
    ],
    "as-many-as-labels": lambda labels, k: hot(labels, len(labels)),
    "no-table": lambda labels, k: labels == np.arange(k),
    "not-equal": lambda labels, k: ~hot(labels, k),
    "larger-too": lambda labels, k: np.arange(k) <= labels[:, None],
}

WORDS = """
hint: Compare every label, a column, with every class, a row.
hot-columns: You gave each label a column, and it should have a row. Make a column of the other vector.
classes-from-one: Your classes begin with 1. They are 0 to `k - 1`.
one-too-many: You have one class too many. There are `k`, from 0 to `k - 1`.
rows-picked: Indexing picks some row for every label. A label that is no class should have a row of zeros.
misses-counted: A label that is no class was counted as another class. Its row should stay zero.
as-many-as-labels: There should be a column for each class.
not-equal: Your rows are the opposite. They are 1 where the label is *not* `j`.
larger-too: You marked more than one class. The row should be 1 where the label *is* `j`, not where it is larger.
"""

one_hot_rows = declare(
    "one-hot-rows",
    see="one-hot",
    steps=[Solves(indicator_rows, labelled, many=far_labels, mistakes=MISTAKES)],
    without=[Rules()],
    words=(_lesson.WORDS, WORDS),
)
