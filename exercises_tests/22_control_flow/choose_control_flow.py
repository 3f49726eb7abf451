"""choose-control-flow."""

from jaxcourse.prediction import Mistake, any_of, anything_else, prediction

EACH = "dead pixels get the mean of an image, the others stay"
COSTLY = "an orbit is refined at great cost, if its largest error is large"
WHEEL = "an integer in each file says which of five filters was in"
UNTIL = "halve an interval until it is short; no gradient is wanted"
GRADIENT = "halve it 60 times, and `grad` of the last middle is wanted"
EVERY = "the largest value so far, for each element of an array"
LAYERS = "three layers in turn, whose weights have three shapes"
LARGE = "another formula for images of more than a million pixels"


choose_control_flow = prediction(
    "choose-control-flow",
    see="control-flow",
    hint=[
        "Is it decided for each element, for the whole call, or before the run?",
        "If it is a loop, is the number of steps known? Is every state wanted, or the last one?",
    ],
    choices=["where", "cond", "switch", "while_loop", "fori_loop", "scan", "Python for", "Python if"],
    also={GRADIENT: "scan"},
    mistakes=[
        Mistake(
            "one-truth-for-many",
            {EACH: anything_else()},
            "The elements differ, so they need `where`, which selects one by one. `cond` and `if` take one truth "
            "for all.",
        ),
        Mistake(
            "pays-for-both",
            {COSTLY: "where"},
            "You chose `where`, which computes both sides every time. If one is costly and seldom needed, `cond` "
            "runs only one branch.",
        ),
        Mistake(
            "python-cannot-know",
            [{COSTLY: any_of("Python if", "Python for")}, {WHEEL: any_of("Python if", "Python for")}],
            "You let Python decide. The value is decided when the program runs, and Python is long gone by then.",
        ),
        Mistake(
            "steps-not-known",
            {UNTIL: anything_else()},
            "The number of steps depends on values here. Only `while_loop` can stop when the result is good enough.",
        ),
        Mistake(
            "no-way-back",
            {GRADIENT: "while_loop"},
            "You chose `while_loop`, which has no gradient backwards. The number of steps is known, and a loop of "
            "known length has one.",
        ),
        Mistake(
            "unrolls-them-all",
            [{GRADIENT: "Python for"}, {EVERY: "Python for"}],
            "You chose a Python loop, which is unrolled. There is a copy of the step for each pass, and JAX "
            "compiles all of them.",
            see="unrolling",
        ),
        Mistake(
            "states-lost",
            {EVERY: anything_else("fori_loop", "while_loop")},
            "Your choice does not collect a state from each step. `fori_loop` returns only the last one, and "
            "`scan` stacks the output of each step.",
        ),
        Mistake(
            "shapes-that-differ",
            {LAYERS: any_of("fori_loop", "scan", "while_loop")},
            "You chose a loop of JAX, which traces one step for all passes. Three shapes do not fit into one step.",
        ),
        Mistake(
            "shapes-are-known",
            {LARGE: any_of("cond", "where", "switch")},
            "You let the program choose. The shape says how many pixels an image has, and Python knows it while "
            "JAX traces.",
        ),
    ],
    otherwise="Look again at the table of this section.",
)
