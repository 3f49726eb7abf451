"""The tables that come with the course are those that were published, whole, with their gaps."""

import hashlib

import numpy as np
import pytest

from jaxcourse import data
from jaxcourse.data._tables import FOLDER

PUBLISHED = {
    "mauna_loa.csv": "16695fa2786e53414e5a6b54767a3fdf5de99cfbc68617f69d1362d92776a92f",
    "seattle.csv": "62f0609f787158128aa2bd102967173a4953122dd4f872bf1d502cae1037df0b",
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_table_is_the_published_one_byte_for_byte(name):
    assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == PUBLISHED[name]


def test_every_table_has_a_checksum_and_a_source():
    here = {path.name for path in FOLDER.glob("*.csv")}
    assert here == set(PUBLISHED)
    told = (FOLDER / "SOURCES.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in told for name in here)


def test_mauna_loa_begins_and_ends_where_its_source_says():
    date, co2 = data.mauna_loa()
    assert (str(date[0]), co2[0]) == ("1958-03-29", 316.1)
    assert (str(date[-1]), co2[-1]) == ("2001-12-29", 371.5)
    assert date.shape == co2.shape == (2284,)
    assert co2.dtype == np.float64


def test_weeks_are_seven_days_apart_and_end_on_saturdays():
    date, _ = data.mauna_loa()
    assert (np.diff(date) == np.timedelta64(7, "D")).all()
    assert (date[0] - np.datetime64("1970-01-03")) % np.timedelta64(7, "D") == np.timedelta64(0, "D")


def test_what_was_not_measured_is_nan_and_nothing_else_is():
    _, co2 = data.mauna_loa()
    gaps = np.isnan(co2)
    assert gaps.sum() == 59
    assert co2[~gaps].min() >= 313 and co2[~gaps].max() <= 374


def test_a_gap_of_18_weeks_is_the_longest():
    _, co2 = data.mauna_loa()
    measured = np.flatnonzero(~np.isnan(co2))
    assert np.diff(measured).max() - 1 == 18


def test_seattle_begins_and_ends_where_its_source_says():
    days = data.seattle()
    first, last = ([column[place].item() for column in days[1:]] for place in (0, -1))
    assert first == [0.0, 12.8, 5.0, 4.7, "drizzle"]
    assert last == [0.0, 5.6, -2.1, 3.5, "sun"]
    assert (str(days.date[0]), str(days.date[-1])) == ("2012-01-01", "2015-12-31")


def test_seattle_has_every_day_of_four_years_and_no_gap():
    days = data.seattle()
    assert (np.diff(days.date) == np.timedelta64(1, "D")).all()
    assert all(column.shape == (1461,) for column in days)
    assert all(np.isfinite(column).all() for column in days[1:5])
    assert (days.rain >= 0).all() and (days.wind >= 0).all() and (days.warmest >= days.coldest).all()
    assert set(days.weather.tolist()) == {"drizzle", "fog", "rain", "snow", "sun"}


def test_a_caller_who_writes_into_a_table_changes_nobody_elses():
    data.mauna_loa().co2[:] = 0
    assert data.mauna_loa().co2[0] == 316.1
