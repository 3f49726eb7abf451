"""what-is-noticed."""

from jaxcourse.prediction import Mistake, anything_else, prediction

what_is_noticed = prediction(
    "what-is-noticed",
    see="when-one-fails",
    hint=[
        "A process that has died closes its connections. One that is late, busy or elsewhere does not.",
        "A collective has no name. A sum meets the next sum of the others, whatever was added up.",
    ],
    choices=["an error", "it waits", "wrong numbers", "nothing"],
    mistakes=[
        Mistake(
            "death-not-noticed",
            {"it is killed while process 0 waits for a sum": anything_else()},
            "A killed process closes its connections, and process 0 has one open to it at that moment. So it is told "
            "at once.",
        ),
        Mistake(
            "absence-is-an-error",
            [
                {"it was never started": "an error"},
                {"it is frozen for five seconds, then goes on": "an error"},
                {"it makes one batch less and comes to its end": "an error"},
            ],
            "A process that is not there yet, or sends nothing, looks like a slow one. The other waits until it "
            "comes or a time limit ends that.",
        ),
        Mistake(
            "goes-on-alone",
            [
                {"it was never started": "nothing"},
                {"it was never started": "wrong numbers"},
                {"it is frozen for five seconds, then goes on": "nothing"},
                {"it is frozen for five seconds, then goes on": "wrong numbers"},
                {"it makes one batch less and comes to its end": "nothing"},
                {"it makes one batch less and comes to its end": "wrong numbers"},
            ],
            "No process goes on alone. `initialize` waits for all processes, and so does a sum over all of them.",
        ),
        Mistake(
            "difference-is-noticed",
            [
                {"it reads the rows of process 0 in place of its own": "an error"},
                {"its rate is another constant in the compiled program": "an error"},
            ],
            "A sum compares neither programs nor rows. It takes what the other brings to it.",
            "in-step",
        ),
        Mistake(
            "difference-makes-wait",
            [
                {"it reads the rows of process 0 in place of its own": "it waits"},
                {"its rate is another constant in the compiled program": "it waits"},
            ],
            "Both come to the meeting, so neither waits. What they bring does not belong together, and neither can see "
            "it.",
            "in-step",
        ),
        Mistake(
            "difference-does-not-matter",
            [
                {"it reads the rows of process 0 in place of its own": "nothing"},
                {"its rate is another constant in the compiled program": "nothing"},
            ],
            "Process 0 gets a sum to which process 1 has added what it should not. So its own results are wrong as "
            "well.",
            "in-step",
        ),
        Mistake(
            "local-things-matter",
            {"it prints its local devices, process 0 does not": anything_else()},
            "Printing what is local is not a meeting, so each process may do as much of it as it likes.",
        ),
    ],
    otherwise="For each, ask two things. Does process 1 come to the next meeting, and does it bring the same thing?",
)
