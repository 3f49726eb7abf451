"""count-the-flops."""

from jaxcourse.prediction import Mistake, any_of, prediction


def true_flops():
    """The five counts, by the rule: two operations for each product that goes into a sum."""
    n, k, m = 200, 300, 400
    y_v, x_y = 2 * k * m, 2 * n * k * m
    return {
        "y @ v": y_v,
        "x @ y": x_y,
        "x @ y @ v": x_y + 2 * n * m,
        "x @ (y @ v)": y_v + 2 * n * k,
        "x @ y + x @ y": x_y + n * m,
    }


count_the_flops = prediction(
    "count-the-flops",
    see="the-stages",
    hint=[
        "How many numbers does the result have? How many products are summed up for each?",
        "Python reads `x @ y @ v` from the left. The compiler leaves it to you, and computes once what is repeated.",
    ],
    truth=true_flops,
    mistakes=[
        Mistake(
            "one-addition-less",
            [{"y @ v": 239_700}, {"x @ y": 47_920_000}],
            "A sum of n products takes n - 1 additions, if it starts with the first. The count here takes n: two "
            "operations for each product.",
        ),
        Mistake(
            "multiplications-only",
            [{"y @ v": 120_000}, {"x @ y": 24_000_000}],
            "Each product is also added to a sum: two operations for each.",
        ),
        Mistake(
            "brackets-moved",
            {"x @ y @ v": 360_000},
            "`x @ y @ v` is `(x @ y) @ v`, and on CPUs and GPUs XLA leaves that order to you.",
        ),
        Mistake(
            "repeats-paid-twice",
            {"x @ y + x @ y": any_of(96_080_000, 96_000_000)},
            "The same product twice is computed once: the compiler sees that it is the same.",
        ),
        Mistake(
            "second-product-lost",
            {"x @ y @ v": 48_000_000},
            "`x @ y @ v` is two products, one after the other: count both.",
        ),
        Mistake(
            "sum-lost",
            {"x @ y + x @ y": 48_000_000},
            "The product is computed once, as you say. Then the two matrices are added: count that, too.",
        ),
        Mistake(
            "counted-the-result",
            {"x @ y": 80_000},
            "That is how many numbers the result has. Each of them is a sum of 300 products.",
        ),
    ],
    otherwise="For each product of matrices: 2 · n · k · m.",
)
