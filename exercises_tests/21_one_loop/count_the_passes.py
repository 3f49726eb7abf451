"""count-the-passes."""

from jaxcourse.prediction import Mistake, prediction

count_the_passes = prediction(
    "count-the-passes",
    see="nine-loops",
    hint=[
        "Write one line for each operation: what it reads, what it writes.",
        "Numbers such as 2 cost nothing. An array of a million `float32` is 4 MB, each time it is read or written.",
    ],
    mistakes=[
        Mistake(
            "megabytes",
            [{"bytes one by one": 48}, {"bytes fused": 12}],
            "Those are megabytes. Give bytes: a million elements of 4 bytes are 4,000,000.",
        ),
        Mistake(
            "float64-size",
            [{"bytes one by one": 96_000_000}, {"bytes fused": 24_000_000}],
            "That is right for `float64`. An element of `float32` takes 4 bytes.",
        ),
        Mistake(
            "writes-only",
            {"bytes one by one": 20_000_000},
            "Each operation writes its result, and first it reads its operands. Count both.",
        ),
        Mistake(
            "fused-reads-twice",
            {"bytes fused": 16_000_000},
            "`y` appears twice, but a fused loop has it at hand after the first time: each array is read once.",
        ),
        Mistake(
            "fused-writes-nothing",
            {"bytes fused": 8_000_000},
            "A fused loop also writes: the result has to get to memory.",
        ),
        Mistake(
            "result-is-temporary",
            {"loops": 5, "temporaries": 5},
            "The last operation writes the result, which is not a temporary.",
        ),
    ],
    otherwise="Write one line for each operation.",
)
