"""busy: the union of the events of all device lanes, as a share of the time."""

from jaxcourse.checks import Agrees, declare

from ._lesson import WORDS as LESSON

TICK = 0.25
"""Events begin and end at multiples of this, so that the oracle can look at each of them."""


def by_ticks(events, seconds):
    """The oracle: how many of the ticks lie within an event of a device."""
    ticks = round(seconds / TICK)
    spans = [(start, stop) for lane, _, start, stop in events if lane.startswith("device")]
    return sum(any(start <= tick * TICK < stop for start, stop in spans) for tick in range(ticks)) / ticks


def run(rng, count):
    """Events of the host and of up to three lanes of devices, in any order, some of which overlap."""
    ticks = int(rng.integers(30, 60))
    events = [("host", "call", TICK * int(rng.integers(0, 4)), TICK * int(rng.integers(ticks - 4, ticks)))]
    for _ in range(count):
        lane = str(rng.choice(["device", "device", "device 2", "device 3", "copy"]))
        start = int(rng.integers(2, ticks - 8))
        events.append((lane, "dot", TICK * start, TICK * (start + int(rng.integers(1, 7)))))
    return [events[k] for k in rng.permutation(len(events))], TICK * ticks


def shapes(rng):
    """What a device event can be to another, and events that are of no device.

    Nested; two within a long one, the second after the first has ended; side by side in two lanes; apart; only on the
    host; devices that are only spoken of; and one event that lasts for all of the run.
    """
    return [
        ([("host", "call", 0.0, 4.0), ("device", "dot", 1.0, 3.0)], 4.0),
        ([("host", "call", 0.0, 4.0), ("device", "while", 1.0, 3.0), ("device", "dot", 1.5, 2.0)], 5.0),
        ([("device", "while", 0.5, 4.0), ("device", "dot", 1.0, 2.0), ("device", "add", 3.0, 3.5)], 5.0),
        ([("device", "dot", 1.0, 3.0), ("device 2", "dot", 2.0, 4.0), ("host", "call", 0.0, 0.5)], 5.0),
        ([("device", "dot", 1.0, 2.0), ("device", "add", 4.0, 4.5), ("host", "load", 2.0, 4.0)], 5.0),
        ([("host", "call", 0.0, 2.0), ("compile", "backend_compile", 0.5, 1.5)], 2.0),
        ([("copy", "device_put", 0.0, 1.0), ("copy to device", "H2D", 1.0, 1.5), ("device", "dot", 2.0, 2.5)], 4.0),
        ([("host", "wait for device", 1.0, 4.0), ("device", "dot", 1.5, 3.0)], 5.0),
        ([("device", "dot", 0.0, 2.0)], 2.0),
    ]


def on_devices(events):
    return [(start, stop) for lane, _, start, stop in events if lane.startswith("device")]


def union(spans):
    covered, end = 0.0, float("-inf")
    for start, stop in sorted(spans):
        covered, end = covered + max(0.0, stop - max(start, end)), max(end, stop)
    return covered


def to_the_last_stop(spans):
    """What is covered, if each event is compared to the stop of the one before it, and not to the latest stop."""
    before = [float("-inf"), *(stop for _, stop in spans)]
    return sum(max(0.0, stop - max(start, end)) for (start, stop), end in zip(spans, before, strict=False))


def by_lane(events, seconds):
    lanes = {lane for lane, *_ in events if lane.startswith("device")}
    return sum(union([event[2:] for event in events if event[0] == lane]) for lane in sorted(lanes)) / seconds


def first_to_last(events, seconds):
    spans = on_devices(events)
    return (max(stop for _, stop in spans) - min(start for start, _ in spans)) / seconds if spans else 0.0


def of_its_own_span(events, seconds):
    spans = on_devices(events)
    return union(spans) / (max(stop for _, stop in spans) - min(start for start, _ in spans)) if spans else 0.0


MISTAKES = {
    "durations": lambda events, seconds: sum(stop - start for start, stop in on_devices(events)) / seconds,
    "all-lanes": lambda events, seconds: union([event[2:] for event in events]) / seconds,
    "lanes-added": by_lane,
    "first-to-last": first_to_last,
    "own-span": of_its_own_span,
    "longest": lambda events, seconds: max((stop - start for start, stop in on_devices(events)), default=0) / seconds,
    "one-lane": lambda events, seconds: union([e[2:] for e in events if e[0] == "device"]) / seconds,
    "last-stop": lambda events, seconds: to_the_last_stop(sorted(on_devices(events))) / seconds,
    "other-lanes": lambda events, seconds: union([e[2:] for e in events if "device" in e[0] + e[1]]) / seconds,
    "seconds": lambda events, seconds: union(on_devices(events)),
    "idle": lambda events, seconds: 1 - union(on_devices(events)) / seconds,
    "percent": lambda events, seconds: 100 * union(on_devices(events)) / seconds,
}

WORDS = """
hint: Two events that overlap cover less than the sum of their durations. How much?
hint: Sort the spans by their start. Remember up to where the time is covered.
hint: An event adds `max(0, stop - max(start, end))`, and then `end = max(end, stop)`.
durations: You added up durations. Events that overlap, or lie within another one, are then counted twice.
all-lanes: You counted all lanes. The host is busy nearly always, and the question is about the device.
lanes-added: You added the lanes of the devices. Where two of them work at once, that time counts once.
first-to-last: You took the time from the first event to the last one. The gaps in between are what you look for.
own-span: You divided by the time between the first event and the last one. Divide by `seconds`: waiting before and
    after is waiting, too.
longest: You took the longest event. All of them count, and what they share counts once.
one-lane: You took the lane `device` alone. `device 2` and the others also work.
last-stop: You compared each event to the one before it. If that lies within a longer one, the time is covered up to
    the end of the longer one.
other-lanes: You counted what speaks of a device in its name, such as `device_put`. The lane says who worked, and
    begins with `device`.
seconds: Your answer is in seconds. Divide it by `seconds`.
idle: Your answer is the share in which no device works. The task asks for the rest.
percent: Your answer is in percent. A share is at most 1.
wrong-value: Your answer should be the time that the events of device lanes cover together, divided by `seconds`.
"""

busy = declare(
    "busy",
    see="read-a-trace",
    steps=[Agrees(by_ticks, run, [3, 5, 9, 14], each=5, extremes=shapes, mistakes=MISTAKES)],
    words=(LESSON, WORDS),
)
