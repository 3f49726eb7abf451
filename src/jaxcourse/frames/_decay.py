"""How fast the past is forgotten, in each of the ways in which pandas states it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import numpy as np

Halflife = float | str | timedelta | np.timedelta64

_DECAYS: dict[str, tuple[Callable[[float], bool], str, Callable[[float], float]]] = {
    "com": (lambda com: com >= 0, "at least 0", lambda com: 1 / (1 + com)),
    "span": (lambda span: span >= 1, "at least 1", lambda span: 2 / (span + 1)),
    "halflife": (lambda half: half > 0, "above 0", lambda half: 1 - 0.5 ** (1 / half)),
    "alpha": (lambda alpha: 0 < alpha <= 1, "above 0 and at most 1", lambda alpha: alpha),
}


def smoothing(
    com: float | None = None, span: float | None = None, halflife: float | None = None, alpha: float | None = None
) -> float:
    """The smoothing factor alpha, from exactly one of the four ways in which pandas states a decay.

    Args:
        com: Centre of mass, at least 0: alpha = 1 / (1 + com).
        span: At least 1: alpha = 2 / (span + 1).
        halflife: Above 0, in rows: alpha = 1 - 2 ** (-1 / halflife).
        alpha: Above 0, up to 1.

    Raises:
        ValueError: If not exactly one is given, or if it is out of its range.

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
    if not in_range(value):
        raise ValueError(f"{name} must be {rule}, not {value}")
    return float(formula(value))


def halflife_in_seconds(halflife: Halflife | None) -> float:
    """A half-life that is a duration.

    Raises:
        TypeError: If it is a number, of which nobody knows the unit, or is not given.
    """
    if isinstance(halflife, str):
        import pandas as pd

        return float(pd.Timedelta(halflife).total_seconds())
    if isinstance(halflife, (timedelta, np.timedelta64)):
        return float(np.timedelta64(halflife) / np.timedelta64(1, "s"))
    raise TypeError(f"with times, halflife must be a duration such as '4 days' or a timedelta, not {halflife!r}")


def halflife_in_rows(halflife: Halflife | None) -> float | None:
    """A half-life that is a number of rows, if it is given.

    Raises:
        TypeError: If it is a duration.
    """
    if isinstance(halflife, (str, timedelta, np.timedelta64)):
        raise TypeError(f"halflife={halflife!r} is a duration, which needs times=True; without times it counts rows")
    return halflife
