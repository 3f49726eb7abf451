"""Answers to blank-the-glitch."""

import numpy as np

from jaxcourse.exercise import right, wrong


@right("blank-the-glitch")
def turned_on_its_side(signal, times, start, stop, fill):
    t = times[:, None]
    return np.where((t < start) | (t >= stop), signal.T, fill).T


@right("blank-the-glitch")
def row_by_row_on_a_copy(signal, times, start, stop, fill):
    result = signal.copy()
    for row, a, b, value in zip(result, start, stop, fill, strict=True):
        row[(a <= times) & (times < b)] = value
    return result


@right("blank-the-glitch")
def fills_repeated(signal, times, start, stop, fill):
    hit = np.less_equal.outer(start, times) & np.greater.outer(stop, times)
    result = np.array(signal)
    result[hit] = np.repeat(fill, hit.sum(axis=1))
    return result


@wrong("blank-the-glitch", "spoilt-by-nan")
def calculates_with_the_mask(signal, times, start, stop, fill):
    hit = (start[:, None] <= times) & (times < stop[:, None])
    with np.errstate(invalid="ignore"):
        return hit * fill[:, None] + ~hit * signal


@wrong("blank-the-glitch", "spoilt-by-nan")
def adds_the_difference(signal, times, start, stop, fill):
    hit = (start[:, None] <= times) & (times < stop[:, None])
    with np.errstate(invalid="ignore"):
        return signal + hit * (fill[:, None] - signal)


@wrong("blank-the-glitch", "spoilt-by-nan")
def repairs_all_nan(signal, times, start, stop, fill):
    hit = (start[:, None] <= times) & (times < stop[:, None])
    return np.nan_to_num(np.where(hit, fill[:, None], signal), posinf=np.inf, neginf=-np.inf)


@wrong("blank-the-glitch", "brackets-missing")
def forgets_brackets(signal, times, start, stop, fill):
    return np.where(start[:, None] <= times & times < stop[:, None], fill[:, None], signal)


@wrong("blank-the-glitch", "wrong-value")
def by_positions(signal, times, start, stop, fill):
    first, last = np.searchsorted(times, start), np.searchsorted(times, stop) - 1
    j = np.arange(len(times))
    hit = (np.minimum(first, len(times) - 1)[:, None] <= j) & (j <= last[:, None])
    return np.where(hit | (first == last + 1)[:, None] & (j == first[:, None]), fill[:, None], signal)


@wrong("blank-the-glitch", "rising-times-only")
def one_sample_for_each_time(signal, times, start, stop, fill):
    place = {time: j for j, time in enumerate(times)}
    result = signal.copy()
    for row, a, b, value in zip(result, start, stop, fill, strict=True):
        row[[j for time, j in place.items() if a <= time < b]] = value
    return result


@wrong("blank-the-glitch", "wrong-value")
def with_some_slack(signal, times, start, stop, fill):
    hit = (start[:, None] - 1e-9 <= times) & (times < stop[:, None] - 1e-9)
    return np.where(hit, fill[:, None], signal)


@wrong("blank-the-glitch", "rising-times-only")
def searches_for_the_ends(signal, times, start, stop, fill):
    result = signal.copy()
    first, last = np.searchsorted(times, start), np.searchsorted(times, stop)
    for row, a, b, value in zip(result, first, last, fill, strict=True):
        row[a:b] = value
    return result


@wrong("blank-the-glitch", "truth-value")
def joins_with_and(signal, times, start, stop, fill):
    return np.where(start[:, None] <= times and times < stop[:, None], fill[:, None], signal)


@wrong("blank-the-glitch", "changed-input")
def writes_into_the_signal(signal, times, start, stop, fill):
    hit = (start[:, None] <= times) & (times < stop[:, None])
    signal[hit] = np.broadcast_to(fill[:, None], signal.shape)[hit]
    return signal


@wrong("blank-the-glitch", "taken-for-a-row")
def turns_what_does_not_fit(signal, times, start, stop, fill):
    start, stop, fill = (v if len(v) == len(times) else v[:, None] for v in (start, stop, fill))
    return np.where((start <= times) & (times < stop), fill, signal)


@wrong("blank-the-glitch", "joined-by-or")
def blanks_whole_detectors(signal, times, start, stop, fill):
    hit = (start[:, None] <= times) & (times < stop[:, None])
    return np.where(hit.any(axis=1, keepdims=True), fill[:, None], signal)


@wrong("blank-the-glitch", "zeros-not-fill")
def chooses_zeros(signal, times, start, stop, fill):
    return np.where((start[:, None] <= times) & (times < stop[:, None]), 0, signal)


@wrong("blank-the-glitch", "c-order-only")
def writes_into_a_flat_copy(signal, times, start, stop, fill):
    hit = (start[:, None] <= times) & (times < stop[:, None])
    result = np.copy(signal)
    result.ravel()[hit.ravel()] = np.broadcast_to(fill[:, None], hit.shape)[hit]
    return result
