"""which-step."""

from jaxcourse.prediction import Mistake, prediction

which_step = prediction(
    "which-step",
    see="three-steps",
    hint=[
        "Only arrays of numbers get into the compiled program, and only arrays of numbers come out.",
        "If you change something, which steps must you repeat? The earliest of them is the answer.",
    ],
    choices=["encode", "run", "format"],
    mistakes=[
        Mistake(
            "encodes-again",
            {"you want the variance instead of the mean": "encode"},
            "The table is the same for every calculation, and so is its encoding. You change only the calculation.",
        ),
        Mistake(
            "calculates-in-the-format",
            {"you want the variance instead of the mean": "format"},
            "A variance is another calculation over the rows. You can't get it from the means that came out.",
        ),
        Mistake(
            "texts-in-jax",
            [{"a date becomes a whole number": "run"}, {"a whole number becomes a text again": "run"}],
            "JAX has neither dates nor strings, so this can't happen in the compiled step.",
        ),
        Mistake(
            "clocks-in-the-step",
            {"hourly and daily data get the same rows": "run"},
            "Two streams must have the same rows before one function can walk over both.",
        ),
    ],
    otherwise="Both `encode` and `run` return arrays of numbers. Which steps need the table or its labels?",
)
