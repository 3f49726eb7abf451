"""within-budget: the search of all places on eight devices, and what it spends."""

import numpy as np

from jaxcourse import probe
from jaxcourse.barometers import BUDGET, distance, nodes
from jaxcourse.checks import declare
from jaxcourse.exercise import Diagnosis

DEVICES, STATIONS, MINUTES, PLACES, COUNT, QUIET, SPEED = 8, 40, 4320, 2688, 1290, 2880, 0.31
PLACED = probe.placing({"d": DEVICES}, [None, "d"], [None, "d"], [None, "d"], ["d"], ["d"], [])
SHAPES = [
    *[((MINUTES, STATIONS), "float32")] * 2,
    ((2, STATIONS), "float32"),
    *[((PLACES,), "float32")] * 2,
    ((), "int32"),
]
"""For these the program is read. It is run for fewer places."""
COMBINED = PLACES // DEVICES * STATIONS * COUNT
"""Combinations of place, station and minute that each device has to look at."""
CLOSE = 1e-3
"""How far a value may be off, as the task says: other orders of addition are off by a hundredth of this."""


# -- what is right ----------------------------------------------------------------------------------------------


def drawn(rng, place_of, places, first):
    """A record: traces of stations of which one was silent for a while and one throughout."""
    heard = np.ones((MINUTES, STATIONS))
    silent, late = rng.choice(STATIONS, 2, replace=False)
    heard[:, silent] = 0
    heard[: int(rng.integers(QUIET, MINUTES)), late] = 0
    score = heard * rng.normal(size=heard.shape) * rng.uniform(0.5, 2, STATIONS)
    variance = heard * rng.uniform(0.5, 3, STATIONS)
    return *(part.astype(np.float32) for part in (score, variance, place_of, *places)), np.int32(first)


def searched(rng, place_of):
    """Places of the grid in any order, none of which has a travel time near the next minute.

    In `float32` such a time may be rounded either way, by who computes it in another order. Each device has 32 or 48,
    so that programs that take some at a time take more than once, and may put them together in another order.
    """
    places = np.stack(nodes())
    minutes = distance(*places[:, :, None], *place_of) / SPEED / 60
    safe = np.flatnonzero((np.abs(minutes - np.round(minutes)) > 2e-3).all(axis=1))
    return places[:, rng.choice(safe, 128 * int(rng.integers(2, 4)), replace=False)]


def sums_by_device(record):
    """Both sums of each place, over the stations of each device apart: (2, devices, places, minutes)."""
    score, variance, place_of, lat, lon, first = record
    far = distance(lat[:, None], lon[:, None], *place_of)
    begin = first + np.floor(far / SPEED / 60).astype(int)
    weight = np.sqrt(500 / np.maximum(far, 20)).astype(np.float32)
    sums = np.zeros((2, DEVICES, len(lat), COUNT), np.float32)
    for station in range(STATIONS):
        device, a = station * DEVICES // STATIONS, weight[:, station, None]
        for total, factor, trace in zip(sums, (a, a**2), (score, variance), strict=True):
            windows = np.lib.stride_tricks.sliding_window_view(trace[:, station], COUNT)
            total[device] += factor * windows[begin[:, station]]
    return sums


def ratio(above, below):
    """The statistic from its sums."""
    return above / np.sqrt(below + 1e-9)


def statistic(record):
    """What is right: (places, minutes)."""
    return ratio(*sums_by_device(record).sum(axis=1))


def alike(result, statistic, first):
    """Whether values are the largest of a statistic, and minutes are where it has them."""
    value, when = map(np.asarray, result)
    minute = np.clip(when - first, 0, COUNT - 1).astype(int)
    there = np.take_along_axis(statistic, minute[:, None], axis=1)[:, 0]
    same = (np.abs(value - statistic.max(axis=1)) < CLOSE) & (np.abs(there - value) < CLOSE)
    return bool((same & (minute == when - first)).all())


# -- what is found ----------------------------------------------------------------------------------------------


def of_results(found, records):
    """What is wrong with what came back."""
    one, two = found["results"]
    shape = records[0][3].shape
    if any(not isinstance(result, (list, tuple)) or [*map(np.shape, result)] != [shape] * 2 for result in (one, two)):
        yield Diagnosis("not-two-arrays")
        return
    if np.isclose(one[0], two[0]).mean() > 0.5:  # of records that have nothing in common
        yield Diagnosis("stale")
        return
    first, later = (record[5] for record in records)
    sums = sums_by_device(records[0])
    if not alike(one, ratio(*sums.sum(axis=1)), first):
        yield of_first(one, sums, first)
    elif not alike(two, statistic(records[1]), later):
        held = alike(two, statistic((*records[1][:5], first)), first)
        yield Diagnosis("stale/first") if held else Diagnosis("wrong-map/second")


def of_first(result, sums, first):
    """What is wrong with the first map."""
    above, below = sums
    right, value, rows = ratio(*sums.sum(axis=1)), np.asarray(result[0]), np.arange(sums.shape[2])
    own = rows * DEVICES // len(rows), rows
    if alike((value, np.asarray(result[1]) + first), right, first):
        return Diagnosis("minute-from-first")
    if alike(result, ratio(above[own], below[own]), first):
        return Diagnosis("own-stations")
    if np.abs(value - ratio(above, below).sum(0).max(axis=1)).max() < CLOSE:
        return Diagnosis("ratios-added")
    return Diagnosis("wrong-map", off=f"{np.abs(value - right.max(axis=1)).max():.2g}")


def of_calls(found, places):
    """What is wrong with how it was compiled, and where its results lie."""
    first, again = found["compiled"]
    if set(first) & set(again) or (again and not found["stopped"]):
        yield Diagnosis("compiles-again", names=listed(again))
    elif found["stopped"]:
        yield Diagnosis("leaves-jax", stopped=found["stopped"])
    elif len(first) > 1:
        yield Diagnosis("several-programs", count=len(first), names=listed(first))
    here = places // DEVICES
    split = [[device, [[device * here, (device + 1) * here]]] for device in range(DEVICES)]
    if any(one["pieces"] != split for one in found["pieces"]):
        yield Diagnosis("not-split")


def listed(programs):
    """Names of programs."""
    return ", ".join(f"`{name}`" for name in sorted(set(programs))[:3])


FIGURES = {
    "bytes": lambda found: (found["temporaries"], BUDGET.temporaries),
    "collective": lambda found: (found["bytes_sent"], BUDGET.sent),
    "collective/many": lambda found: (found["messages"], BUDGET.messages),
    "work": lambda found: (found["work"], BUDGET.work * COMBINED),
}
"""What a program spends, and what it may."""


def of_spending(found):
    """What is over the budget, by how much the worst first."""
    figures = {label: figure(found) for label, figure in FIGURES.items()}
    if any(spent is None for spent, _ in figures.values()):
        yield Diagnosis("turns-unknown")
    over = {label: spent / most for label, (spent, most) in figures.items() if spent and spent > most}
    for label in sorted(over, key=over.get, reverse=True):
        spent, most = (written(label, amount) for amount in figures[label])
        yield Diagnosis(label, spent=spent, most=most, **named(found))


def written(label, amount):
    """A figure in words."""
    if label == "work":
        return f"{amount / COMBINED:.0f}"
    return str(amount) if label == "collective/many" else f"{amount / 1e6:.1f} MB"


def named(found):
    """The largest arrays, the collective that sends most, and the busiest operation, in words."""
    largest = [(one["piece"], one["written"] or one["operation"]) for one in found["largest"][:2]]
    facts = {"largest": " and ".join(f"`{a['kind']}` ({by}, {a['bytes'] / 1e6:.1f} MB)" for a, by in largest)}
    facts["traces"] = f"{2 * 4 * MINUTES * STATIONS / 1e6:.1f} MB"
    by_size = sorted(found["sent"], key=lambda one: one["bytes"] * (one["runs"] or 1))
    for name, one in [*(("collective", one) for one in by_size), *(("busiest", one) for one in found["busiest"][:1])]:
        times = "" if one["runs"] == 1 else f", {one['runs'] or 'an unknown number of'} times"
        facts[name] = f"{one['operation']} of `{one['piece']['kind']}`{times}"
    return facts


def within_what_it_may_spend(answer, rng):
    """The right map, within the budget, and all else that is in the way.

    A function, since all findings are told at once, the gravest first.
    """
    place_of = np.stack([rng.uniform(45, 53, STATIONS), rng.uniform(3, 17, STATIONS)])
    places, earlier = searched(rng, place_of), QUIET - int(rng.integers(5, 60))
    records = [drawn(rng, place_of, places, first) for first in (QUIET, earlier)]
    found = answer.probe(probe.spending, PLACED, SHAPES, records)
    shapes = ", ".join(f"{part.dtype}{list(part.shape)}" for part in records[0][:5])
    answer.called = f"within_budget({shapes}, {QUIET})"
    findings = [*of_results(found, records), *of_calls(found, places.shape[1])]
    findings += [] if found["stopped"] else of_spending(found)
    if findings:
        first, *others = findings
        first.facts["also"] = f" Also: {'; '.join(ALSO[one.label] for one in others)}." if others else ""
        raise first


ALSO = {
    "compiles-again": "the second call compiled again",
    "leaves-jax": "it leaves JAX",
    "several-programs": "it is more than one program",
    "not-split": "the result is not split",
    "turns-unknown": "the turns of a loop are not known",
    "bytes": "its temporaries are over the budget",
    "collective": "it sends more bytes than the budget has",
    "collective/many": "it has more collectives than the budget has",
    "work": "its work is over the budget",
}
"""What else is in the way, in a few words."""

WORDS = """
hint: Each device has all minutes of 5 stations, and its own places. Every place needs every station. What is smaller:
    all traces, or the sums of all places?
hint: `lax.all_gather(score, "d", axis=1, tiled=True)` before the loop, and `lax.map(..., batch_size=16)` over the
    device's own places.
not-two-arrays: Your function should return two arrays, `value` and `when`, with an entry for each of the places.
minute-from-first: Your minutes count from `first`. They should count from `START`: add `first`.{also}
own-stations: Your devices search their places with the traces of their own 5 stations. A place needs all 40, so
    something must be sent.{also}
ratios-added: Your devices divide their own sums, and you add the ratios. Add both sums over all stations, then divide
    once.{also}
wrong-map: Your map is not right: its values are off by up to {off}.{also}
wrong-map/second: Your map of the first record is right, and that of a second one is not.{also}
stale: Your map is the same for two different records. Does the program hold a record that it found, or does nothing
    of the argument reach the result?{also}
stale/first: Your map is searched from the earlier `first` when another one comes: the program holds a minute that it
    found. Take it as an argument.{also}
compiles-again: Your program compiled again for another record and another `first`: {names}. Put all of it under one
    `jax.jit`, and pass what changes as an argument that is not static.{also}
leaves-jax: Your function cannot be compiled as one program ({stopped}): it needs a number, or a fact about an array,
    that is not known while JAX traces.{also}
several-programs: Your call runs {count} programs, among them {names}. Each stores its result whole, and no compiler
    sees across. Put `jax.jit` around all of it.{also}
not-split: Your result is not in eight pieces. Each device should keep the places that it searched.{also}
turns-unknown: Your program has a loop whose number of turns the compiler does not know, so its spending is unknown.
    Use `lax.scan`, `lax.map`, or `fori_loop` with Python integers.{also}
bytes: Your program holds {spent} of temporaries on each device, and {most} are allowed. The largest: {largest}.{also}
collective: Your program sends {spent} from each device, and {most} are allowed. Most of it is {collective}. All
    traces together are {traces}: send those, once.{also}
collective/many: Your call runs {spent} collectives, and {most} are allowed. Most is sent by {collective}. Send what
    does not change once, before the loop.{also}
work: Your devices each compute {spent} elements, of {most} allowed, for each place, station and minute. Most is
    {busiest}: does each search only its own places, and take slices, not elements?{also}
"""

within_budget = declare(
    "within-budget",
    points=3,
    see="a-search-within-budget",
    steps=[within_what_it_may_spend],
    words=WORDS,
)
