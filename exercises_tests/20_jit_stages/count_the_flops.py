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
        "Python reads `x @ y @ v` from the left. The compiler leaves the order to you, and computes a repeated product "
        "once.",
    ],
    truth=true_flops,
    mistakes=[
        Mistake(
            "one-addition-less",
            [{"y @ v": 239_700}, {"x @ y": 47_920_000}],
            "You counted n - 1 additions for n products, which is right if the sum starts with the first. The count "
            "here"
            "takes n: two operations for each product.",
        ),
        Mistake(
            "multiplications-only",
            [{"y @ v": 120_000}, {"x @ y": 24_000_000}],
            "You counted the multiplications. Each product is also added to a sum: two operations for each.",
        ),
        Mistake(
            "brackets-moved",
            {"x @ y @ v": 360_000},
            "You moved the brackets: `x @ y @ v` is `(x @ y) @ v`, and on CPUs and GPUs XLA leaves that order to you.",
        ),
        Mistake(
            "repeats-paid-twice",
            {"x @ y + x @ y": any_of(96_080_000, 96_000_000)},
            "You counted the product twice. The compiler sees that both are the same, and computes it once.",
        ),
        Mistake(
            "second-product-lost",
            {"x @ y @ v": 48_000_000},
            "You counted one product. `x @ y @ v` is two, one after the other: count both.",
        ),
        Mistake(
            "sum-lost",
            {"x @ y + x @ y": 48_000_000},
            "You counted the product once, and that is right. Then the two matrices are added: count that as well.",
        ),
        Mistake(
            "counted-the-result",
            {"x @ y": 80_000},
            "You counted the numbers in the result. Each of them is a sum of 300 products.",
        ),
    ],
    otherwise="For each product of two matrices, count 2 · n · k · m.",
)
