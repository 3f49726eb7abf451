"""intensities."""

from jaxcourse.prediction import Mistake, any_of, prediction

intensities = prediction(
    "intensities",
    see="roofline-model",
    hint=[
        "How many operations does one element take, and how many bytes are read and written for it? Divide.",
        "A product of matrices: each of its n² numbers takes n multiplications and n additions.",
    ],
    mistakes=[
        Mistake(
            "float64-size",
            {
                "x + y": 1 / 24,
                "2 * x": 1 / 16,
                "x.sum()": 1 / 8,
                "quadratic, one by one": 9 / 176,
                "quadratic, fused": 9 / 32,
                "a @ b": 250,
            },
            "Your number is right for `float64`. An element of `float32` has 4 bytes.",
        ),
        Mistake(
            "upside-down",
            {
                "x + y": 12,
                "2 * x": 8,
                "x.sum()": 4,
                "quadratic, one by one": 88 / 9,
                "quadratic, fused": 16 / 9,
                "a @ b": 1 / 500,
            },
            "You gave bytes for each operation. Intensity is the other way round.",
        ),
        Mistake(
            "forgot-the-write",
            {"x + y": 1 / 8},
            "You left out the write. `x + y` reads two arrays and also writes one: 12 bytes for an addition.",
        ),
        Mistake(
            "sum-writes-an-array",
            {"x.sum()": 1 / 8},
            "You counted an array that the sum writes. It writes one number in all: 4 bytes are read for an addition.",
        ),
        Mistake(
            "temporaries-for-free",
            {"quadratic, one by one": 9 / 16},
            "You left out the temporaries. One by one, they also travel: the operations stay, the bytes do not.",
        ),
        Mistake(
            "product-not-written",
            {"a @ b": 750},
            "You counted the bytes of `a` and `b` only. The product is a third matrix, and it is written.",
        ),
        Mistake(
            "three-arrays-each",
            {"quadratic, one by one": 9 / 108},
            "You counted three arrays for each of the nine loops. But `-b` reads one and writes one: see the "
            "picture of them.",
        ),
        Mistake("matmul-half", {"a @ b": 250}, "You counted n³ operations. Each is a multiplication and an addition."),
        Mistake(
            "rounded",
            [
                {"x + y": any_of(0.083, 0.0833, 0.08333, 0.08)},
                {"quadratic, one by one": any_of(0.102, 0.1023, 0.10227, 0.1)},
                {"quadratic, fused": any_of(0.56, 0.563)},
            ],
            "Your number is right, but rounded. Write the fraction, such as `3 / 8`, and let Python compute it.",
        ),
    ],
    otherwise="Operations above the line, bytes below; write the division, such as `3 / 8`.",
    also={"a @ b": 5999 / 12},  # a sum of n products has n - 1 additions
)
