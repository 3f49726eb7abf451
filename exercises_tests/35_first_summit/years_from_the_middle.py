"""years-from-the-middle."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, refuse, seen
from jaxcourse.exercise import is_numeric

YEAR = 365.25 * 86400
"""Seconds in a year."""
TICKS = {"D": 1 / 86400, "s": 1, "ns": 10**9}
"""How many units of a date a second has."""
NEAR = 1e-5
"""How near a time must be, as a part of the span."""


@probe.question(evidence="values")
def times_of(student_function, stamps, unit):
    """The times of dates, which are whole numbers of a unit since 1970."""
    return student_function(stamps.view("datetime64[" + unit + "]"))


def seconds(stamps, unit):
    """Seconds since the earliest date, in double precision."""
    return (stamps - stamps.min()) / TICKS[unit]


def right_years(stamps, unit):
    """The oracle."""
    since = seconds(stamps, unit)
    return (since - since.max() / 2) / YEAR


def centred(numbers):
    """Numbers less the middle of the least and the greatest."""
    return numbers - (numbers.min() + numbers.max()) / 2


def rounded_middle(stamps, unit):
    """The middle is a date of the same unit."""
    return (stamps - stamps.min() - (stamps.max() - stamps.min()) // 2) / TICKS[unit] / YEAR


def whole_days(stamps, unit):
    """The time of day is cut off."""
    return centred(np.floor(stamps / TICKS[unit] / 86400)) / 365.25


def by_the_calendar(stamps, unit, length=None):
    """The number of the year, and the part of it that is over."""
    dates = stamps.view(f"datetime64[{unit}]")
    first = dates.astype("datetime64[Y]")
    over = (dates - first) / np.timedelta64(1, "s")
    whole = ((first + 1).astype("datetime64[s]") - first.astype("datetime64[s]")) / np.timedelta64(1, "s")
    return centred(1970 + first.astype(int) + over / (length or whole))


def times_in(reply):
    """The times that came back, in double precision; nothing where they are no numbers, or not as many as dates."""
    fits = is_numeric(reply.got) and np.shape(reply.got) == reply.want.shape
    return np.asarray(reply.got, float) if fits else None


def wraps(reply):
    """Whether the times are right but for multiples of 2³² nanoseconds."""
    got = times_in(reply)
    if reply.right or got is None:
        return reply.right
    exact = seconds(*reply.case)
    turns = ((got - got[0]) * YEAR - (exact - exact[0])) * 1e9 / 2**32
    return np.round(turns).any() and (np.abs(turns - np.round(turns)) < 1e-3).all()


def off_by_little(reply):
    """Whether the times are right to some hours, which is not enough where all dates lie within one."""
    got = times_in(reply)
    return got is not None and (np.abs(got - reply.want) < 3e-4).all()


def are_float32(answer, replies):
    """Require times in `float32`."""
    odd = {str(np.asarray(reply.got).dtype) for reply in replies} - {"float32"}
    refuse(odd, "other-dtype", dtype=min(odd, default=""))


MISTAKES = {
    "from-the-earliest": lambda stamps, unit: seconds(stamps, unit) / YEAR,
    "from-the-mean": lambda stamps, unit: (seconds(stamps, unit) - seconds(stamps, unit).mean()) / YEAR,
    "order-assumed": lambda stamps, unit: (seconds(stamps, unit) - seconds(stamps, unit)[[0, -1]].mean()) / YEAR,
    "middle-rounded": rounded_middle,
    "time-of-day-lost": whole_days,
    "turned-round": lambda stamps, unit: -right_years(stamps, unit),
    "year-of-365-days": lambda stamps, unit: right_years(stamps, unit) * 365.25 / 365,
    "not-years": [
        lambda stamps, unit: right_years(stamps, unit) * 365.25,
        lambda stamps, unit: right_years(stamps, unit) * YEAR,
        lambda stamps, unit: right_years(stamps, unit) * YEAR * TICKS[unit],
    ],
    "stretched": [
        lambda stamps, unit: centred(seconds(stamps, unit)) / (max(seconds(stamps, unit).max(), 1e-9) / 2),
        lambda stamps, unit: centred(seconds(stamps, unit)) / max(seconds(stamps, unit).max(), 1e-9),
    ],
    "calendar-years": [by_the_calendar, lambda stamps, unit: by_the_calendar(stamps, unit, YEAR)],
    "calendar-years/whole": lambda stamps, unit: centred(
        stamps.view(f"datetime64[{unit}]").astype("datetime64[Y]").astype(int)
    ),
    "wrapped": seen(wraps),
    "digits-lost": seen(off_by_little),
}


def records(rng):
    """Dates of each unit, over long and short spans, with the earliest and the latest anywhere."""
    day, year = 86400, YEAR
    for unit, span, count in (
        ("D", 5 * day, 4),
        ("D", 44 * year, 12),
        ("s", 3601, 12),
        ("ns", rng.uniform(10, 30), 12),
        ("s", 47 * year, 12),
        ("ns", 70 * year, 12),
        ("D", 0, 1),
        ("ns", 0, 1),
    ):
        first = int(rng.uniform(-15, -10) * year * TICKS[unit])
        last = first + int(span * TICKS[unit]) // 2 * 2 + (span > 0)  # an odd number of units
        inner = rng.integers(first, last, count, endpoint=True)
        inner[rng.permutation(count)[:2]] = [first, last][:count]
        while count > 2 and (inner[0] + inner[-1] == first + last):
            inner = rng.permutation(inner)
        yield inner, unit


WORDS = """
hint: What does the difference of two `datetime64` give? And what does that give, divided by `np.timedelta64(1, "s")`?
hint: Subtract `dates.min()` first. Then the middle is half of the greatest number.
hint: `seconds = (dates - dates.min()) / np.timedelta64(1, "s")`
other-dtype: Your times are right, but they are `{dtype}`. Return a `float32` array.
from-the-earliest: You count from the earliest date. Count from halfway between the earliest and the latest.
from-the-mean: You count from the mean of all dates, which a gap moves. Count from halfway between the earliest and the
    latest.
order-assumed: You took the first and the last date for the earliest and the latest. The dates come in any order.
middle-rounded: Your middle is a date, and dates are whole units, so it may be off by half a day. Subtract first, and
    take the middle of the numbers.
time-of-day-lost: You cut all dates to whole days. Some records have seconds or nanoseconds.
turned-round: Your times run backwards. Later dates should have larger numbers.
year-of-365-days: Your years have 365 days. Take 365.25.
not-years: Your times are right in another unit. Divide until they are years.
stretched: You scaled all times by the span of the record. Keep them in years, or a rate is no rate a year.
calendar-years: You took the number of the year and added a part of it. Calendar years differ in length, so divide
    elapsed time by 365.25 days.
calendar-years/whole: You kept the number of the year alone. Times differ within a year as well, so divide elapsed time
    by 365.25 days.
wrapped: Your times jump by 2³² nanoseconds, because JAX cut your integers to 32 bits. Subtract and divide in NumPy
    first.
digits-lost: Your times are right for a long record, and a staircase for a short one. A `float32` of years or seconds
    has no digits for minutes. Subtract before you round.
dates-to-jax: JAX has no dates. Make them numbers in NumPy first.
wrong-value: Each time should be the years of 365.25 days since the middle of the record.
"""

years_from_the_middle = declare(
    "years-from-the-middle",
    see="times-that-keep-digits",
    steps=[
        Agrees(
            right_years,
            extremes=records,
            ask=times_of,
            shows="dates = stamps.view(f'datetime64[{unit}]')\nyears_from_the_middle(dates)",
            mistakes=MISTAKES,
            raising={"dates-to-jax": lambda error: error.raised.kind == "TypeError" and "JAX" in error.raised.message},
            then=[are_float32],
            rtol=NEAR,
        )
    ],
    words=WORDS,
)
