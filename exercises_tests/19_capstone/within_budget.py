"""within-budget: the search of all places on eight devices, and what it spends."""

import numpy as np

from jaxcourse import probe
from jaxcourse.barometers import BUDGET, distance, nodes
from jaxcourse.checks import declare, refuse

DEVICES, STATIONS, MINUTES, COUNT, QUIET, SPEED = 8, 40, 4320, 1290, 2880, 0.31
JUDGED = 24
"""How many places of each device are compared: the oracle is slow."""

PLACED = probe.placing({"d": DEVICES}, [None, "d"], [None, "d"], [None, "d"], ["d"], ["d"], [])
LAT, LON = (np.pad(angles, (0, -len(angles) % 128), "edge") for angles in nodes())
HERE = len(LAT) // DEVICES
COMBINED = HERE * STATIONS * COUNT
"""Combinations of place, station and minute that each device has to look at."""
TOO_MUCH = {"temporaries": 10 * BUDGET.temporaries, "work": 8 * BUDGET.work * COMBINED}
"""A program that spends more is read, and not run: it would take minutes, or more memory than there is."""


# -- what is right ----------------------------------------------------------------------------------------------


def drawn(rng, first):
    """A record: traces of stations in the middle of the map, of which one was silent for a while and one throughout."""
    shape = (MINUTES, STATIONS)
    heard = np.ones(shape)
    silent, late = rng.choice(STATIONS, 2, replace=False)
    heard[:, silent] = 0
    heard[: int(rng.integers(QUIET, MINUTES)), late] = 0
    score = heard * rng.normal(size=shape) * rng.uniform(0.5, 2, STATIONS)
    variance = heard * rng.uniform(0.5, 3, STATIONS)
    place_of = np.stack([rng.uniform(45, 53, STATIONS), rng.uniform(3, 17, STATIONS)])
    return *(part.astype(np.float32) for part in (score, variance, place_of)), LAT, LON, np.int32(first)


def steady(rng, records):
    """Places of each device, the first and the last among them, of which no travel time is near the next minute.

    In `float32` such a time may be rounded either way, by who computes it in another order.
    """
    safe = np.ones(len(LAT), bool)
    for _, _, place_of, lat, lon, _ in records:
        minutes = distance(lat[:, None], lon[:, None], *place_of) / SPEED / 60
        safe &= (np.abs(minutes - np.round(minutes)) > 2e-3).all(axis=1)
    chosen = []
    for rows in np.split(np.arange(len(LAT)), DEVICES):
        rows = rows[safe[rows]]
        chosen += [rows[0], rows[-1], *rng.choice(rows[1:-1], JUDGED - 2, replace=False)]
    return np.array(chosen)


def sums_by_device(record, places):
    """Both sums of some places, over the stations of each device apart: (devices, places, minutes)."""
    score, variance, place_of, lat, lon, first = record
    far = distance(lat[places, None], lon[places, None], *place_of)
    begin = first + np.floor(far / SPEED / 60).astype(int)
    weight = np.sqrt(500 / np.maximum(far, 20)).astype(np.float32)
    sums = np.zeros((2, DEVICES, len(places), COUNT), np.float32)
    for station in range(STATIONS):
        device, a = station * DEVICES // STATIONS, weight[:, station, None]
        for total, factor, trace in zip(sums, (a, a**2), (score, variance), strict=True):
            total[device] += factor * np.lib.stride_tricks.sliding_window_view(trace[:, station], COUNT)[begin[:, station]]
    return sums


def ratio(above, below):
    """The statistic from its sums."""
    return above / np.sqrt(below + 1e-9)


def alike(result, statistic, places, first):
    """Whether values are the largest of a statistic, and minutes are where it has them."""
    value, when = (np.asarray(part)[places] for part in result)
    minute = np.clip(when - first, 0, COUNT - 1).astype(int)
    there = np.take_along_axis(statistic, minute[:, None], axis=1)[:, 0]
    same = np.abs(value - statistic.max(axis=1)) < 1e-2
    return bool((same & (np.abs(there - value) < 1e-2) & (minute == when - first)).all())


# -- what is found ----------------------------------------------------------------------------------------------


def of_results(found, records, places):
    """What is wrong with what came back: labels with their facts."""
    for result in found["results"]:
        fits = isinstance(result, (list, tuple)) and [np.shape(part) for part in result] == [LAT.shape] * 2
        if not fits:
            yield "not-two-arrays", {}
            return
    one, two = found["results"]
    if np.isclose(one[0], two[0]).mean() > 0.5:  # of records that have nothing in common
        yield "stale", {}
        return
    first, later = (record[5] for record in records)
    yield from of_first(one, *sums_by_device(records[0], places), places, first)
    if not alike(two, ratio(*sums_by_device(records[1], places).sum(1)), places, later):
        held = ratio(*sums_by_device((*records[1][:5], first), places).sum(1))
        yield ("stale/first" if alike(two, held, places, first) else "wrong-map/second"), {}


def of_first(result, above, below, places, first):
    """What is wrong with the first map."""
    statistic, own = ratio(above.sum(0), below.sum(0)), places // HERE
    value, when = (np.asarray(part)[places] for part in result)
    if alike(result, statistic, places, first):
        return
    if alike((np.asarray(result[0]), np.asarray(result[1]) + first), statistic, places, first):
        yield "minute-from-first", {}
    elif alike(result, ratio(above[own, np.arange(len(places))], below[own, np.arange(len(places))]), places, first):
        yield "own-stations", {}
    elif np.abs(value - ratio(above, below).sum(0).max(axis=1)).max() < 1e-2:
        yield "ratios-added", {}
    else:
        yield "wrong-map", {"off": f"{np.abs(value - statistic.max(axis=1)).max():.2g}"}


def of_calls(found):
    """What is wrong with how it was compiled, and where its results lie."""
    first, again = found["compiled"]
    if set(first) & set(again) or (again and not found["stopped"]):
        yield "compiles-again", {"names": ", ".join(f"`{name}`" for name in sorted(set(again))[:3])}
    elif found["stopped"]:
        yield "leaves-jax", {"stopped": found["stopped"]}
    elif len(first) > 1:
        yield "several-programs", {"count": len(first), "names": ", ".join(f"`{name}`" for name in first[:3])}
    split = [[device, [[device * HERE, (device + 1) * HERE]]] for device in range(DEVICES)]
    if any(one["pieces"] != split for one in found["pieces"]):
        yield "not-split", {}


def of_spending(found):
    """What is over the budget, by how much the worst first: labels with their facts."""
    figures = {
        "bytes": (found["temporaries"], BUDGET.temporaries),
        "collective": (found["bytes_sent"], BUDGET.sent),
        "collective/many": (found["messages"], BUDGET.messages),
        "work": (found["work"], BUDGET.work * COMBINED),
    }
    if any(is_ is None for is_, _ in figures.values()):
        yield "turns-unknown", {}
    over = {label: is_ / most for label, (is_, most) in figures.items() if is_ and is_ > most}
    for label in sorted(over, key=over.get, reverse=True):
        yield label, {"is": written(label, figures[label][0]), "may": written(label, figures[label][1])}


def written(label, amount):
    """A figure in words."""
    if label == "work":
        return f"{amount / COMBINED:.0f}"
    return f"{amount / 1e6:.1f} MB" if label != "collective/many" else str(amount)


def named(found):
    """The facts that stand in the words: the largest arrays, the collective that sends most, the busiest operation."""
    facts = {"traces": f"{2 * 4 * MINUTES * STATIONS / 1e6:.1f} MB", "not_run": "" if "results" in found else " It was not run."}
    arrays = [f"`{one['piece']['kind']}` ({one['written'] or one['operation']}, {one['piece']['bytes'] / 1e6:.1f} MB)"
              for one in found["largest"][:2]]
    facts["largest"] = " and ".join(arrays)
    if found["sent"]:
        most = max(found["sent"], key=lambda one: one["bytes"] * (one["runs"] or 1))
        facts |= {"kind": most["operation"], "array": most["piece"]["kind"], "turns": turns(most["runs"])}
    if found["busiest"]:
        most = found["busiest"][0]
        facts["busiest"] = f"{most['operation']} of `{most['piece']['kind']}`{turns(most['runs'])}"
    return facts


def turns(runs):
    """How often something runs, in words."""
    return "" if runs == 1 else f", {runs:,} times" if runs else ", nobody knows how often"


def check(answer, rng):
    earlier = int(rng.integers(5, 60))
    records = [drawn(rng, QUIET), drawn(rng, QUIET - earlier)]
    found = answer.probe(probe.spending, PLACED, records, TOO_MUCH)
    shapes = ", ".join(f"{part.dtype}{list(part.shape)}" for part in records[0][:5])
    answer.called = f"within_budget({shapes}, {QUIET})"
    findings = {}
    if "results" in found:
        findings |= of_results(found, records, steady(rng, records))
        findings |= of_calls(found)
    if not found["stopped"]:
        findings |= of_spending(found)
    first, *others = findings or [""]
    also = f" Also: {'; '.join(ALSO[label] for label in others)}." if others else ""
    facts = {**(named(found) if not found["stopped"] else {}), **findings.get(first, {}), "also": also}
    for label in ALSO:
        refuse(label == first, label, **facts)


ALSO = {
    "not-two-arrays": "it does not return two arrays",
    "minute-from-first": "the minutes count from `first`",
    "own-stations": "each device looked at its own stations only",
    "ratios-added": "ratios were added",
    "wrong-map": "the map is wrong",
    "wrong-map/second": "the second map is wrong",
    "stale": "it holds on to a record",
    "stale/first": "it holds on to a first minute",
    "compiles-again": "the second call compiled again",
    "leaves-jax": "it leaves JAX",
    "several-programs": "it is more than one program",
    "not-split": "the result is not split",
    "turns-unknown": "the turns of a loop are not known",
    "bytes": "the temporaries are over the budget",
    "collective": "the bytes that are sent are over the budget",
    "collective/many": "the number of collectives is over the budget",
    "work": "the work is over the budget",
}
"""In a few words, what else is in the way; in this order where nothing else decides."""

WORDS = """
hint: Each device has all minutes of 5 stations, and 336 places of its own. Every place needs every station. What is
    smaller: all traces, or the sums of all places?
hint: `lax.all_gather(score, "d", axis=1, tiled=True)` before the loop, and `lax.map(..., batch_size=16)` over the
    device's own places.
not-two-arrays: Return two arrays, `value` and `when`, with an entry for each of the places.
minute-from-first: The minutes count from `first`. They should count from `START`: add `first`.
own-stations: Each device searched its places with the traces of its own 5 stations. A place needs all 40, so
    something must be sent.
ratios-added: Each device divided its own sums, and the ratios were added. Add both sums over all stations, then divide
    once.
wrong-map: The map is not right: its values are off by up to {off}.{also}
wrong-map/second: The map of the first record is right, and that of a second one is not.{also}
stale: Two records that have nothing in common gave one map: the program holds a record that it found, instead of taking
    it as an argument.{also}
stale/first: With another `first`, the map is searched from the first one: the program holds a minute that it found,
    instead of taking it as an argument.{also}
compiles-again: Another record and another `first` compiled again: {names}. What changes between calls must be an
    argument of one program, and not static.{also}
leaves-jax: JAX cannot compile it as one program ({stopped}): something in it needs a number, or a fact about an array,
    that is not known while the program is being written down.{also}
several-programs: One call runs {count} programs: {names}. What one hands to the next is stored whole, and no compiler
    sees across. Put `jax.jit` around all of it.{also}
not-split: The result does not lie in eight pieces. Each device should keep the places that it searched: whoever needs
    the whole map can ask for it later.{also}
turns-unknown: The program has a loop of which the compiler does not know the number of turns, so nobody can say what it
    spends. Give it a number that is known: `lax.scan`, `lax.map`, or `fori_loop` with Python integers.{also}
bytes: Each device holds {is} of temporaries, and {may} are allowed. The largest: {largest}.{not_run}{also}
collective: Each device sends {is}, and {may} are allowed. Most of it is {kind} of `{array}`{turns}. All traces together
    are {traces}: send those, once.{not_run}{also}
collective/many: One call runs {is} collectives, and {may} are allowed. Most is sent by {kind} of `{array}`{turns}. Send
    what does not change once, before the loop.{not_run}{also}
work: Each device computes {is} elements for each place, station and minute, and {may} are allowed. Most of it is
    {busiest}. A slice takes at once what an index or a search fetches element by element.{not_run}{also}
"""

within_budget = declare(
    "within-budget",
    points=3,
    see="a-search-within-budget",
    steps=[check],
    words=WORDS,
)
