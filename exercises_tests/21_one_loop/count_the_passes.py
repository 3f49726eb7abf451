"""count-the-passes."""

from jaxcourse.prediction import Mistake, prediction

count_the_passes = prediction(
    "count-the-passes",
    see="nine-loops",
    hint=[
        "What does each operation read, and what does it write? Give each a line.",
        "Numbers such as 2 cost nothing. An array of a million `float32` is 4 MB, each time it is read or written.",
    ],
    mistakes=[
        Mistake(
            "megabytes",
            [{"bytes one by one": 48}, {"bytes fused": 12}],
            "You gave megabytes. A million elements of 4 bytes are 4,000,000 bytes.",
        ),
        Mistake(
            "float64-size",
            [{"bytes one by one": 96_000_000}, {"bytes fused": 24_000_000}],
            "Your number is right for `float64`. An element of `float32` takes 4 bytes.",
        ),
        Mistake(
            "writes-only",
            {"bytes one by one": 20_000_000},
            "You counted only what is written. Each operation first reads its operands, so count both.",
        ),
        Mistake(
            "fused-reads-twice",
            {"bytes fused": 16_000_000},
            "You counted `y` twice, as it appears in the formula. A fused loop has it at hand after the first "
            "time, so it reads each array once.",
        ),
        Mistake(
            "fused-writes-nothing",
            {"bytes fused": 8_000_000},
            "You counted only what a fused loop reads. It also writes, because the result has to get to memory.",
        ),
        Mistake(
            "result-is-temporary",
            {"loops": 5, "temporaries": 5},
            "You counted the result as a temporary. The last operation writes it, and no later one reads it.",
        ),
    ],
    otherwise="Write one line for each operation.",
)
