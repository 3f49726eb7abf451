"""The two tables as columns of NumPy."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

FOLDER = Path(__file__).parent
"""Where the tables lie."""

Floats = npt.NDArray[np.float64]
Dates = npt.NDArray[np.datetime64]


class Weeks(NamedTuple):
    """Carbon dioxide in the air over Mauna Loa, week by week.

    Attributes:
        date: the Saturday on which each week ends, `datetime64[D]`: one every seven days, without a break.
        co2: the mean of the week in ppm (parts per million), `float64`; NaN where nothing was measured.
    """

    date: Dates
    co2: Floats


class Days(NamedTuple):
    """The weather of Seattle, day by day.

    Attributes:
        date: `datetime64[D]`, without a break.
        rain: rain and melted snow in mm, `float64`.
        warmest: the highest temperature of the day in degrees Celsius, `float64`.
        coldest: the lowest, likewise.
        wind: the mean speed in m/s, `float64`.
        weather: one word, such as `"rain"` or `"sun"`.
    """

    date: Dates
    rain: Floats
    warmest: Floats
    coldest: Floats
    wind: Floats
    weather: npt.NDArray[np.str_]


def mauna_loa() -> Weeks:
    """Return carbon dioxide over Mauna Loa, from March 1958 to December 2001.

    Example:
        >>> weeks = mauna_loa()
        >>> weeks.date.size, str(weeks.date[0]), float(weeks.co2[0]), int(np.isnan(weeks.co2).sum())
        (2284, '1958-03-29', 316.1, 59)
    """
    days, means = _columns("mauna_loa.csv")
    dated = [f"{day[:4]}-{day[4:6]}-{day[6:]}" for day in days]
    return Weeks(np.array(dated, "datetime64[D]"), np.array([mean or "nan" for mean in means], float))


def seattle() -> Days:
    """Return the weather of Seattle, from 2012 to 2015.

    Example:
        >>> days = seattle()
        >>> days.date.size, str(days.date[-1]), float(days.rain[1]), str(days.weather[1])
        (1461, '2015-12-31', 10.9, 'rain')
    """
    days, *measured, weather = _columns("seattle.csv")
    dated = np.array([day.replace("/", "-") for day in days], "datetime64[D]")
    rain, warmest, coldest, wind = (np.array(column, float) for column in measured)
    return Days(dated, rain, warmest, coldest, wind, np.array(weather))


def _columns(name: str) -> list[tuple[str, ...]]:
    """The columns of a table, below their names."""
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    return list(zip(*rows, strict=True))
