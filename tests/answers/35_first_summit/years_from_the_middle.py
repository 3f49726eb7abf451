"""Answers to years-from-the-middle."""

import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong

YEAR = 365.25 * 86400


@right("years-from-the-middle")
def in_numpy_alone(dates):
    days = (dates - dates.min()) / np.timedelta64(1, "D")
    return ((days - 0.5 * days.max()) / 365.25).astype(np.float32)


@right("years-from-the-middle")
def twice_the_middle_in_integers(dates):
    whole = dates.astype(np.int64)
    twice = (whole - whole.min()) - (whole.max() - whole)
    tick = np.timedelta64(1, np.datetime_data(dates.dtype)[0]) / np.timedelta64(1, "s")
    return jnp.asarray(twice * tick / 2 / YEAR, jnp.float32)


@right("years-from-the-middle")
def in_nanoseconds_on_the_host(dates):
    since = (dates - dates.min()).astype("timedelta64[ns]").astype(float)
    middle = (since.min() + since.max()) / 2
    return jnp.array((since - middle) / 1e9 / 60 / 60 / 24 / 365.25)


@wrong("years-from-the-middle", "digits-lost")
def decimal_years(dates):
    since_1970 = (dates - np.datetime64("1970-01-01")) / np.timedelta64(1, "s")
    years = jnp.asarray(1970 + since_1970 / YEAR)
    return years - (years.min() + years.max()) / 2


@wrong("years-from-the-middle", "digits-lost")
def seconds_since_1970(dates):
    seconds = jnp.asarray((dates - np.datetime64("1970-01-01")) / np.timedelta64(1, "s"))
    return (seconds - (seconds.min() + seconds.max()) / 2) / YEAR


@wrong("years-from-the-middle", "wrapped")
def nanoseconds_in_jax(dates):
    stamps = jnp.asarray(dates.astype("datetime64[ns]").astype(np.int64))
    since = (stamps - stamps[0]).astype(jnp.float32)
    return since / 1e9 / YEAR


@wrong("years-from-the-middle", "dates-to-jax")
def hands_dates_to_jax(dates):
    dates = jnp.asarray(dates)
    return (dates - dates.min()) / YEAR


@wrong("years-from-the-middle", "middle-rounded")
def the_middle_is_a_date(dates):
    middle = dates.min() + (dates.max() - dates.min()) / 2
    return ((dates - middle) / np.timedelta64(1, "s") / YEAR).astype(np.float32)


@wrong("years-from-the-middle", "from-the-earliest")
def since_the_earliest(dates):
    return jnp.asarray((dates - dates.min()) / np.timedelta64(1, "s") / YEAR)


@wrong("years-from-the-middle", "from-the-mean")
def less_the_mean(dates):
    seconds = (dates - dates.min()) / np.timedelta64(1, "s")
    return jnp.asarray((seconds - seconds.mean()) / YEAR)


@wrong("years-from-the-middle", "order-assumed")
def between_first_and_last(dates):
    seconds = (dates - dates[0]) / np.timedelta64(1, "s")
    return jnp.asarray((seconds - seconds[-1] / 2) / YEAR)


@wrong("years-from-the-middle", "time-of-day-lost")
def by_the_day(dates):
    days = dates.astype("datetime64[D]").astype(int)
    return jnp.asarray((days - (days.min() + days.max()) / 2) / 365.25)


@wrong("years-from-the-middle", "turned-round")
def the_middle_less_the_date(dates):
    seconds = (dates.max() - dates) / np.timedelta64(1, "s")
    return jnp.asarray((seconds - seconds.max() / 2) / YEAR)


@wrong("years-from-the-middle", "year-of-365-days")
def years_without_leap_days(dates):
    seconds = (dates - dates.min()) / np.timedelta64(1, "s")
    return jnp.asarray((seconds - seconds.max() / 2) / (365 * 86400))


@wrong("years-from-the-middle", "not-years")
def in_days(dates):
    days = (dates - dates.min()) / np.timedelta64(1, "D")
    return jnp.asarray(days - days.max() / 2)


@wrong("years-from-the-middle", "not-years")
def in_seconds(dates):
    seconds = (dates - dates.min()) / np.timedelta64(1, "s")
    return jnp.asarray(seconds - seconds.max() / 2)


@wrong("years-from-the-middle", "stretched")
def from_minus_one_to_one(dates):
    seconds = (dates - dates.min()) / np.timedelta64(1, "s")
    return jnp.asarray(2 * seconds / max(seconds.max(), 1.0) - (seconds.max() > 0))


@wrong("years-from-the-middle", "calendar-years")
def year_and_its_part(dates):
    first = dates.astype("datetime64[Y]")
    length = (first + 1).astype("datetime64[D]") - first.astype("datetime64[D]")
    years = 1970 + first.astype(int) + (dates - first) / np.timedelta64(1, "s") / (length.astype(int) * 86400)
    return (years - (years.min() + years.max()) / 2).astype(np.float32)


@wrong("years-from-the-middle", "calendar-years")
def the_year_alone(dates):
    years = dates.astype("datetime64[Y]").astype(int)
    return jnp.asarray(years - (years.min() + years.max()) / 2)


@wrong("years-from-the-middle", "other-dtype")
def stays_in_double(dates):
    seconds = (dates - dates.min()) / np.timedelta64(1, "s")
    return (seconds - seconds.max() / 2) / YEAR


@wrong("years-from-the-middle", "wrong-value")
def spread_evenly(dates):
    span = (dates.max() - dates.min()) / np.timedelta64(1, "s") / YEAR
    return jnp.linspace(-span / 2, span / 2, dates.size)
