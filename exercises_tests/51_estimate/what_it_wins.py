"""what-it-wins: how many times as fast a loop becomes."""

from jaxcourse.prediction import Mistake, any_of, prediction

KEPT = "all batches are kept from the first pass"
AHEAD = "the host prepares the next batch while the device works"
ONCE = "it compiles in the first step only"
FULL = "no gap is left"

what_it_wins = prediction(
    "what-it-wins",
    see="six-faults",
    hint=[
        "How long does it take before, and how long after? Divide the first by the second.",
        "Two people work at the same time, one for 30 ms and one for 10. When are both done?",
    ],
    mistakes=[
        Mistake(
            "overlap-is-free",
            {AHEAD: 4},
            "The host still needs 30 ms for each batch, and the device waits for it. Only the shorter part vanishes.",
        ),
        Mistake(
            "no-first-time",
            {ONCE: 10},
            "One compilation is left, of 9 ms. Add it to the ten steps of 1 ms.",
        ),
        Mistake(
            "upside-down",
            [{KEPT: 1 / 4}, {AHEAD: 3 / 4}, {ONCE: 19 / 100}, {FULL: 95 / 100}],
            "That is after over before. The other way round, it says how many times as fast.",
        ),
        Mistake(
            "gap-over-work",
            [{KEPT: 3}, {ONCE: 9}, {FULL: 5 / 95}],
            "You divided the gap by the work. Divide the whole time before by the whole time after.",
        ),
        Mistake(
            "won-share",
            [{KEPT: 30 / 40}, {AHEAD: 10 / 40}, {ONCE: 81 / 100}, {FULL: 5 / 100}],
            "That is the share of the time that is won. How many times as fast is it then?",
        ),
        Mistake(
            "host-vanishes",
            {AHEAD: 3},
            "Both work at the same time: each step takes as long as the longer of the two.",
        ),
        Mistake(
            "rounded",
            [{AHEAD: any_of(1.3, 1.33)}, {ONCE: any_of(5.3, 5.26, 5)}, {FULL: any_of(1.05, 1.1)}],
            "Right, but rounded. Write the division, such as `30 / 20`, and let Python compute it.",
        ),
    ],
    otherwise="The time before, divided by the time after.",
)
