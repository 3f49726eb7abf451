"""loop-to-line: which expression two nested loops are."""

import numpy as np

from jaxcourse.prediction import Mistake, any_of, prediction

LINES = (
    "a - b",
    "a[:, None] - b",
    "a - b[:, None]",
    "table.sum()",
    "table.sum(axis=0)",
    "table.sum(axis=1)",
    "table @ b",
    "a @ table",
)
SHAPES = {
    "result[i][j] = a[i] - b[j]": (2, 3),
    "result[j][i] = a[i] - b[j]": (3, 2),
    "result[i] += table[i][j]": (2,),
    "result[j] += table[i][j]": (3,),
    "result[i] += table[i][j] * b[j]": (2,),
    "result[j] += a[i] * table[i][j]": (3,),
}
"""The shape of each result, for two rows and three columns."""


def lines_of_loops():
    """The expression that each loop is, found by running both."""
    names = {"a": np.array([2, 7]), "b": np.array([1, 8, 3]), "table": np.array([[5, 1, 4], [9, 2, 6]])}

    def looped(body, shape):
        result = np.zeros(shape, int)
        for i in range(2):
            for j in range(3):
                exec(body, names | {"i": i, "j": j, "result": result})
        return result

    made = {line: eval(line, names) for line in LINES[1:]}  # of other lengths, `a` and `b` do not meet
    wanted = {body: looped(body, shape) for body, shape in SHAPES.items()}
    return {body: next(line for line in made if np.array_equal(made[line], want)) for body, want in wanted.items()}


loop_to_line = prediction(
    "loop-to-line",
    see="sum-over-an-axis",
    hint=[
        "Which indices does `result` have, and in which order?",
        "An index that `result` does not have is summed over. Which axis of `table` is it?",
    ],
    choices=LINES,
    truth=lines_of_loops,
    mistakes=[
        Mistake(
            "element-by-element",
            [{"result[i][j] = a[i] - b[j]": "a - b"}, {"result[j][i] = a[i] - b[j]": "a - b"}],
            "Your expression pairs equal indices. Two loops pair every `i` with every `j`, which takes two axes.",
            see="loop-is-an-axis",
        ),
        Mistake(
            "wrong-one-runs-down",
            [{"result[i][j] = a[i] - b[j]": "a - b[:, None]"}, {"result[j][i] = a[i] - b[j]": "a[:, None] - b"}],
            "Your table lies on its side. The first index of `result` runs down, so whatever it picks is the column.",
            see="loop-is-an-axis",
        ),
        Mistake(
            "axis-that-stays",
            [{"result[i] += table[i][j]": "table.sum(axis=0)"}, {"result[j] += table[i][j]": "table.sum(axis=1)"}],
            "You named the axis that stays. `axis` names the one that the sum takes away, and `result` does not have.",
        ),
        Mistake(
            "all-summed",
            [{"result[i] += table[i][j]": "table.sum()"}, {"result[j] += table[i][j]": "table.sum()"}],
            "Your sum takes both axes away. `result` keeps one index.",
        ),
        Mistake(
            "weights-left-out",
            [
                {"result[i] += table[i][j] * b[j]": any_of("table.sum(axis=1)", "table.sum(axis=0)", "table.sum()")},
                {"result[j] += a[i] * table[i][j]": any_of("table.sum(axis=1)", "table.sum(axis=0)", "table.sum()")},
            ],
            "Your sum counts each term once. The loop multiplies each by an element first.",
        ),
        Mistake(
            "other-side",
            [{"result[i] += table[i][j] * b[j]": "a @ table"}, {"result[j] += a[i] * table[i][j]": "table @ b"}],
            "You summed over the other index. `table @ b` takes `j` away, and `a @ table` takes `i`.",
        ),
    ],
    otherwise="Write down the indices of `result`. They are the axes that stay.",
)
