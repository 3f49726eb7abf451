"""last-countable."""

from jaxcourse.prediction import Mistake, any_of, prediction

last_countable = prediction(
    "last-countable",
    see="float32-by-default",
    hint=[
        "How many binary digits does a `bfloat16` keep?",
        "Which is the first whole number that needs one more digit?",
    ],
    mistakes=[
        Mistake(
            "hidden-digit", 2**7, "You counted the 7 digits that are stored. One more is always 1, and also counts."
        ),
        Mistake(
            "thought-of-int16",
            any_of(2**15, 2**15 - 1, 2**16, 2**16 - 1),
            "You took the end of an integer of 16 bits. A `bfloat16` has as many, but eight of them hold the exponent.",
        ),
        Mistake("float16-size", 2**11, "You said where a `float16` stops. A `bfloat16` keeps 8 binary digits."),
        Mistake("float32-size", 2**24, "You said where a `float32` stops. A `bfloat16` keeps 8 binary digits."),
        Mistake(
            "one-too-few",
            2**8 - 1,
            "You stopped one too early. 2⁸ itself is a power of two, and needs a single digit.",
        ),
    ],
    otherwise="Try `jnp.bfloat16(...) + 1` with your number. Does it move? And does the number before it?",
)
