"""How fast the past is forgotten, in each of the ways in which pandas states it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import numpy as np

_DURATIONS = (str, timedelta, np.timedelta64)
LONG = 1 / 64
"""Below this alpha a memory is long: a mean moves by so little that the last place of 32 bits matters."""
Halflife = float | str | timedelta | np.timedelta64

_DECAYS: dict[str, tuple[Callable[[float], bool], str, Callable[[float], float]]] = {
    "com": (lambda com: com >= 0, "at least 0", lambda com: 1 / (1 + com)),
    "span": (lambda span: span >= 1, "at least 1", lambda span: 2 / (span + 1)),
    "halflife": (lambda half: half > 0, "above 0", lambda half: -math.expm1(-math.log(2) / half)),
    "alpha": (lambda alpha: 0 < alpha <= 1, "above 0 and at most 1", lambda alpha: alpha),
}


def smoothing(
    com: float | None = None, span: float | None = None, halflife: Halflife | None = None, alpha: float | None = None
) -> float:
    """The smoothing factor alpha, from exactly one of the four ways in which pandas states a decay.

    Args:
        com: centre of mass, at least 0: alpha = 1 / (1 + com).
        span: at least 1: alpha = 2 / (span + 1).
        halflife: above 0, in rows: alpha = 1 - 2 ** (-1 / halflife).
        alpha: above 0, up to 1.

    Raises:
        ValueError: if not exactly one is given, if it is out of its range, or if `halflife` is a duration.
        TypeError: if it is not a number.

    Example:
        >>> smoothing(com=1), smoothing(span=3), smoothing(halflife=1), smoothing(alpha=0.5)
        (0.5, 0.5, 0.5, 0.5)

    The formulas: https://pandas.pydata.org/docs/reference/api/pandas.DataFrame.ewm.html
    """
    given = {
        name: value for name, value in zip(_DECAYS, (com, span, halflife, alpha), strict=True) if value is not None
    }
    if len(given) != 1:
        raise ValueError(f"give exactly one of com, span, halflife and alpha, not {', '.join(given) or 'none'}")
    ((name, value),) = given.items()
    in_range, rule, formula = _DECAYS[name]
    if name == "halflife" and isinstance(value, _DURATIONS):
        raise ValueError(
            f"halflife={value!r} is a duration, which needs to know when each row was: give times, or a number of rows"
        )
    number = _number(name, value)
    if not in_range(number):
        raise ValueError(f"{name} must be {rule}, not {value}")
    return formula(number)


def _number(name: str, value: Any) -> float:
    with suppress(TypeError):
        if not isinstance(value, str):
            return float(value)
    raise TypeError(f"{name} must be a number, not {value!r}")


def halflife_in_seconds(halflife: Halflife | None) -> float:
    """A half-life that is a duration.

    Raises:
        ValueError: if it is a number, of which nobody knows the unit, is not given, or is not above 0.
    """
    if not isinstance(halflife, _DURATIONS):
        raise ValueError(f"with times, halflife must be a duration such as '4 days' or a timedelta, not {halflife!r}")
    if not says_of_what(halflife):
        raise ValueError(f"halflife={halflife!r} does not say of what: write a duration such as '4 days' or '90min'")
    try:
        seconds = _seconds(halflife)
    except (TypeError, ValueError):
        raise ValueError(f"halflife={halflife!r} is no duration: write one such as '4 days' or '90min'") from None
    if not seconds > 0:
        raise ValueError(f"halflife must be above 0, not {halflife!r}")
    return seconds


def says_of_what(duration: Any) -> bool:
    """Whether a duration has a unit: pandas takes a text of figures, or a timedelta64 without one, for nanoseconds.

    Example:
        >>> [says_of_what(duration) for duration in ("3", "3s", "0:00:03", np.timedelta64(3), np.timedelta64(3, "s"))]
        [False, True, True, False, True]
    """
    if isinstance(duration, np.timedelta64):
        return np.datetime_data(duration.dtype)[0] != "generic"
    return not (isinstance(duration, str) and re.fullmatch(r"\s*[-+]?[\d.]+\s*", duration))


def _seconds(duration: str | timedelta | np.timedelta64) -> float:
    if isinstance(duration, str):
        import pandas as pd

        return float(pd.Timedelta(duration).total_seconds())
    return float(np.timedelta64(duration) / np.timedelta64(1, "s"))
