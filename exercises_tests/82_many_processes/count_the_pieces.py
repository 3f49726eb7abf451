"""count-the-pieces."""

from jaxcourse.prediction import Mistake, prediction


def counted_pieces():
    """The six numbers, for four processes with two devices each and 16 rows."""
    processes, devices, rows = 4, 2, 16
    return {
        "jax.device_count()": processes * devices,
        "jax.local_device_count()": devices,
        "rows that a process passes": rows // processes,
        "rows on each device": rows // processes // devices,
        "rows, if each passes all 16": rows * processes,
        "rows, if each passes 16 // device_count": rows // (processes * devices) * processes,
    }


count_the_pieces = prediction(
    "count-the-pieces",
    see="global-from-local",
    hint=[
        "A process passes the rows of all of its devices together.",
        "Without a global shape, the parts of all four processes are put one after the other.",
    ],
    truth=counted_pieces,
    mistakes=[
        Mistake(
            "only-the-local-devices",
            {"jax.device_count()": 2},
            "You counted the local devices of this process. `jax.device_count()` counts those of all processes.",
        ),
        Mistake(
            "all-are-local",
            {"jax.local_device_count()": 8},
            "The local devices are those of one process. The others can be seen from here, but not reached.",
        ),
        Mistake(
            "one-device-each",
            {"jax.device_count()": 4},
            "You counted processes. There are four, with two devices each.",
        ),
        Mistake(
            "part-of-a-device",
            {"rows that a process passes": 2},
            "That is the part of one device. A process passes what all of its devices need.",
        ),
        Mistake(
            "passes-everything",
            {"rows that a process passes": 16},
            "The argument is this process's part of the batch, and not the batch.",
        ),
        Mistake(
            "rows-of-a-process",
            {"rows on each device": 4},
            "Those are the rows of a process. It has two devices, and each gets half.",
        ),
        Mistake(
            "seen-as-the-whole",
            {"rows, if each passes all 16": 16},
            "Nothing tells JAX that these are the same rows, so it puts the four parts one after the other.",
        ),
        Mistake(
            "once-for-each-device",
            {"rows, if each passes all 16": 128},
            "Each process passes its array once, however many devices it has. That makes four times 16.",
        ),
        Mistake(
            "divided-twice",
            {"rows, if each passes 16 // device_count": 2},
            "Two rows are what each process passes. There are four processes, and the parts are put together.",
        ),
        Mistake(
            "as-if-devices-passed",
            {"rows, if each passes 16 // device_count": 16},
            "It would be 16 if each of the eight devices brought two rows. Four processes bring them, so it is half "
            "a batch.",
        ),
    ],
    otherwise="Count what one process passes, then how many processes there are.",
)
