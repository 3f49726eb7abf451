"""choose-control-flow."""

from jaxcourse.prediction import Mistake, any_of, anything_else, prediction

COSTLY = "a costly correction, needed or not: one truth decides at run time"


LAST = "1000 steps of a simulation, only the last state is wanted"


EVERY = "1000 steps of a simulation, every state is wanted"


choose_control_flow = prediction(
    "choose-control-flow",
    see="control-flow",
    hint=[
        "Is it decided for each element, for the whole call, or before the run?",
        "A loop: is the number of steps known? Is every state wanted, or the last one?",
    ],
    choices=["where", "cond", "switch", "while_loop", "fori_loop", "scan", "Python for", "Python if"],
    also={LAST: "scan"},
    mistakes=[
        Mistake(
            "one-truth-for-many",
            {"another formula for each negative element of an array": anything_else()},
            "`cond` takes one truth for all. Elements that differ need `where`, which selects one by one.",
        ),
        Mistake(
            "pays-for-both",
            {COSTLY: "where"},
            "`where` computes both sides every time. When one is costly and seldom needed, `cond` runs one branch.",
        ),
        Mistake(
            "python-cannot-know",
            [
                {COSTLY: any_of("Python if", "Python for")},
                {"one of five detector models, chosen by an integer at run time": any_of("Python if", "Python for")},
            ],
            "The value is decided when the program runs: Python is long gone by then.",
        ),
        Mistake(
            "steps-not-known",
            {"iterate until the error is below a tolerance": anything_else()},
            "The number of steps depends on values: only `while_loop` can stop when the result is good enough.",
        ),
        Mistake(
            "unrolls-a-thousand",
            [{LAST: "Python for"}, {EVERY: "Python for"}],
            "A Python loop of 1000 steps is unrolled: a thousand copies of the step for the compiler.",
            see="unrolling",
        ),
        Mistake(
            "states-lost",
            {EVERY: anything_else("fori_loop", "while_loop")},
            "`fori_loop` returns the last state alone. `scan` stacks what each step gives out.",
        ),
    ],
    otherwise="See the table.",
)
