import numpy as np

from jaxcourse.exercise import right, wrong


@right("busy")
def by_merging(events, seconds):
    spans = sorted([start, stop] for lane, _, start, stop in events if lane[:6] == "device")
    merged = spans[:1]
    for start, stop in spans[1:]:
        if start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], stop)
        else:
            merged.append([start, stop])
    return sum(stop - start for start, stop in merged) / seconds


@right("busy")
def by_edges(events, seconds):
    edges = [(start, 1) for lane, _, start, _ in events if lane.startswith("device")]
    edges += [(stop, -1) for lane, _, _, stop in events if lane.startswith("device")]
    covered, depth, since = 0.0, 0, 0.0
    for at, change in sorted(edges):
        if depth:
            covered += at - since
        depth, since = depth + change, at
    return np.float64(covered / seconds)


@wrong("busy", "wrong-value")
def not_sorted(events, seconds):
    covered, end = 0.0, float("-inf")
    for lane, _, start, stop in events:
        if lane.startswith("device"):
            covered, end = covered + max(0.0, stop - max(start, end)), max(end, stop)
    return covered / seconds


@wrong("busy", "last-stop")
def forgets_the_longer_one(events, seconds):
    spans = sorted((start, stop) for lane, _, start, stop in events if lane.startswith("device"))
    covered, end = 0.0, float("-inf")
    for start, stop in spans:
        covered, end = covered + max(0.0, stop - max(start, end)), stop
    return covered / seconds


@wrong("busy", "other-lanes")
def looks_for_the_word(events, seconds):
    spans = sorted((start, stop) for lane, name, start, stop in events if "device" in lane + name)
    covered, end = 0.0, float("-inf")
    for start, stop in spans:
        covered, end = covered + max(0.0, stop - max(start, end)), max(end, stop)
    return covered / seconds


@wrong("busy", "IndexError")
def begins_with_the_first(events, seconds):
    spans = sorted((start, stop) for lane, _, start, stop in events if lane.startswith("device"))
    covered, end = 0.0, spans[0][0]
    for start, stop in spans:
        covered, end = covered + max(0.0, stop - max(start, end)), max(end, stop)
    return covered / seconds
