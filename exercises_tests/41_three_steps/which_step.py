"""which-step."""

from jaxcourse.prediction import Mistake, prediction

which_step = prediction(
    "which-step",
    see="three-steps",
    hint=[
        "Only arrays of numbers get into the compiled program, and only arrays of numbers come out.",
        "If you change something, which steps have to be done again? The earliest of them is the answer.",
    ],
    choices=["encode", "run", "format"],
    mistakes=[
        Mistake(
            "encodes-again",
            {"you want the variance instead of the mean": "encode"},
            "The table is the same for every calculation, and so is its encoding. Only the calculation changes.",
        ),
        Mistake(
            "calculates-in-the-format",
            {"you want the variance instead of the mean": "format"},
            "A variance is another calculation over the rows. The means that came out no longer tell it.",
        ),
        Mistake(
            "texts-in-jax",
            [{"a date becomes a whole number": "run"}, {"a whole number becomes a text again": "run"}],
            "JAX has neither dates nor texts, so this cannot happen in the compiled step.",
        ),
        Mistake(
            "clocks-in-the-step",
            {"hourly and daily data get the same rows": "run"},
            "Two streams must have the same rows before one function can walk over both.",
        ),
    ],
    otherwise="What goes in: a table. What comes out of `encode` and of `run`: arrays of numbers.",
)
