"""which-fault: six recorded traces, and what the matter is with each."""

from jaxcourse import trace
from jaxcourse.prediction import Mistake, any_of, anything_else, prediction

LATE, COMPILES, TINY = "late batches", "compiling", "tiny steps"
READS, SENDS, WELL = "reading back", "sending", "nothing"


def told(name):
    """The fault of a recorded trace, by what its lanes are full of."""
    seen = trace.recorded(name)
    shares = {lane: seen.busy(lane) for lane in ("host", "compile", "copy", "device")}
    copied = {event.name for event in seen.events if event.lane == "copy" and event.stop - event.start > 2e-4}
    if shares["compile"] > 0.5:
        return COMPILES
    if shares["copy"] > 0.3:
        return READS if any("np.asarray" in one for one in copied) else SENDS
    if shares["device"] > 0.8:
        return WELL
    return LATE if any("batch" in event.name for event in seen.events) else TINY


which_fault = prediction(
    "which-fault",
    see="six-faults",
    hint=[
        "Which device is hardly ever idle? Of the others, which lane is full while the device waits?",
        'Look at the names: `trace.recorded("A").totals()`.',
    ],
    choices=[LATE, COMPILES, TINY, READS, SENDS, WELL],
    mistakes=[
        Mistake(
            "busy-host-is-a-fault",
            {"C": anything_else()},
            "C's device is busy nearly all the time, and no other lane is full. What should it be waiting for?",
        ),
        Mistake(
            "compiling-overlooked",
            {"E": anything_else()},
            "E's lane `compile` has an event in each step, and all of them together are most of its time.",
        ),
        Mistake(
            "reading-for-sending",
            [{"B": SENDS}, {"D": READS}],
            "`np.asarray` asks the device for a value: that is reading. `DevicePut` and `H2D` go the other way.",
        ),
        Mistake(
            "host-code-for-calls",
            [{"A": TINY}, {"F": LATE}],
            "Both hosts are full. One is full of a function of its own, and the other of calls of compiled functions.",
        ),
        Mistake(
            "waits-for-copies",
            [{"A": any_of(READS, SENDS)}, {"F": any_of(READS, SENDS)}],
            "Its lane `copy` is nearly empty, or not there. Another lane is full while the device waits.",
        ),
        Mistake(
            "gaps-overlooked",
            [{"A": WELL}, {"B": WELL}, {"D": WELL}, {"F": WELL}],
            "Its device has gaps. Look for the lane that is full at the same time.",
        ),
    ],
    otherwise="Ask of each: how busy is the device, and which lane is full while it is not?",
    truth=lambda: {name: told(name) for name in trace.RECORDED},
)
