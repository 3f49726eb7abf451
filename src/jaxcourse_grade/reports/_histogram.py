"""Drawings of the class page: SVG with a text that says the same, without a colour that means something."""

from __future__ import annotations

import math
from collections import Counter

from markupsafe import Markup

from jaxcourse_grade.reports._entry import number
from jaxcourse_grade.reports._facts import LessonFacts

_BIN, _HIGH = 54, 150
"""The width of a bar with its gap, and the height of the highest bar, in pixels of a page at its full width."""


def bins(lesson: LessonFacts) -> list[tuple[str, int]]:
    """How many notebooks earned how many points: a bar for each whole point, or for several of them beyond ten.

    Example:
        >>> bins(LessonFacts("01_toy", (0.0, 2.0, 2.5, 3.0), 3.0, 0, 0, ()))
        [('0', 1), ('1', 0), ('2', 2), ('3', 1)]
        >>> [label for label, _ in bins(LessonFacts("01_toy", (), 17.0, 0, 0, ()))]
        ['0–1', '2–3', '4–5', '6–7', '8–9', '10–11', '12–13', '14–15', '16–17']
    """
    step = max(1, math.ceil(lesson.out_of / 10))
    last = int(lesson.out_of // step)
    counts = Counter(min(int(points // step), last) for points in lesson.points)
    return [(_label(k * step, step, lesson.out_of), counts[k]) for k in range(last + 1)]


def _label(low: int, step: int, out_of: float) -> str:
    high = min(low + step - 1, math.floor(out_of))
    return str(low) if high <= low else f"{low}–{high}"


def histogram(lesson: LessonFacts) -> Markup:
    """The distribution of a lesson's points as an SVG drawing."""
    counted = bins(lesson)
    highest = max(count for _, count in counted) or 1
    width, height = _BIN * len(counted), _HIGH + 50
    said = ", ".join(f"{label}: {count}" for label, count in counted)
    alt = f"Points of {len(lesson.points)} notebooks, of {number(lesson.out_of)}; how many earned each: {said}."
    bars = Markup("").join(_bar(i, label, count, highest) for i, (label, count) in enumerate(counted))
    axis = Markup('<path class="axis" d="M0 {y}H{x}"/>').format(y=_HIGH + 24, x=width)
    root = Markup('<svg role="img" aria-label="{}" viewBox="0 0 {} {}" width="{}">{}{}</svg>')
    return root.format(alt, width, height, width, bars, axis)


def _bar(position: int, label: str, count: int, highest: int) -> Markup:
    high = round(_HIGH * count / highest, 1)
    x, top = position * _BIN, _HIGH + 24 - high
    middle = x + _BIN / 2
    rect = Markup('<rect class="bar" x="{}" y="{}" width="{}" height="{}"/>').format(x + 8, top, _BIN - 16, high)
    text = Markup('<text x="{}" y="{}">{}</text>')
    return rect + text.format(middle, top - 6, count or "") + text.format(middle, _HIGH + 44, label)


def bar(share: float) -> Markup:
    """A share of 100 as a bar that repeats the number beside it."""
    track = Markup('<rect class="track" x="1" y="1" width="102" height="8"/>')
    filled = Markup('<rect class="bar" x="2" y="2" width="{}" height="6"/>').format(share)
    return Markup('<svg aria-hidden="true" viewBox="0 0 104 10" width="104">{}{}</svg>').format(track, filled)
