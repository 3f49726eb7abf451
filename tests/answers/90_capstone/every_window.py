"""Answers to every-window."""

import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong

as_strided = np.lib.stride_tricks.as_strided
sliding_window_view = np.lib.stride_tricks.sliding_window_view


@right("every-window")
def by_hand(filled):
    down, along = filled.strides
    shape = (len(filled) - 24, filled.shape[1], 24)
    return as_strided(filled, shape, (down, along, down), writeable=False)


@right("every-window")
def all_but_the_last(filled):
    return sliding_window_view(filled, 24, axis=0)[:-1]


@right("every-window")
def the_first_minutes_then_turned(filled):
    down, along = filled.strides
    minutes, stations = filled.shape
    return as_strided(filled, (minutes - 24, 24, stations), (down, down, along)).swapaxes(1, 2)


@right("every-window")
def both_axes_slide(filled):
    return sliding_window_view(filled, (24, 1))[:-1, :, :, 0]


@wrong("every-window", "copied")
def stacks_slices(filled):
    return np.stack([filled[t : t + 24].T for t in range(len(filled) - 24)])


@wrong("every-window", "copied")
def by_indices(filled):
    return filled[np.arange(len(filled) - 24)[:, None] + np.arange(24)].swapaxes(1, 2)


@wrong("every-window", "copied")
def makes_it_contiguous(filled):
    return np.ascontiguousarray(sliding_window_view(filled[:-1], 24, axis=0))


@wrong("every-window", "copied")
def slides_over_a_copy(filled):
    return sliding_window_view(filled[:-1].copy(), 24, axis=0)


@wrong("every-window", "copied")
def makes_the_record_contiguous(filled):
    return sliding_window_view(np.ascontiguousarray(filled), 24, axis=0)[:-1]


@wrong("every-window", "sees-its-own-reading")
def leaves_out_the_first_minute(filled):
    return sliding_window_view(filled[1:], 24, axis=0)


@wrong("every-window", "sees-its-own-reading")
def drops_the_first_window(filled):
    return sliding_window_view(filled, 24, axis=0)[1:]


@wrong("every-window", "one-too-many")
def every_window_that_fits(filled):
    return sliding_window_view(filled, 24, axis=0)


@wrong("every-window", "time-before-stations")
def minutes_then_stations(filled):
    return sliding_window_view(filled[:-1], 24, axis=0).swapaxes(1, 2)


@wrong("every-window", "time-before-stations")
def swaps_two_steps(filled):
    down, along = filled.strides
    return as_strided(filled, (len(filled) - 24, 24, filled.shape[1]), (down, down, along))


@wrong("every-window", "stations-first")
def one_station_after_the_other(filled):
    return sliding_window_view(filled[:-1], 24, axis=0).swapaxes(0, 1)


@wrong("every-window", "time-before-stations")
def the_axes_in_mind_and_not_in_the_steps(filled):
    down, along = filled.strides
    return as_strided(filled, (len(filled) - 24, filled.shape[1], 24), (down, down, along))


@wrong("every-window", "stations-first")
def slides_over_the_transpose(filled):
    return sliding_window_view(filled.T[:, :-1], 24, axis=1)


@wrong("every-window", "side-by-side")
def cuts_it_into_pieces(filled):
    whole = len(filled) // 24 * 24
    return filled[:whole].reshape(-1, 24, filled.shape[1]).swapaxes(1, 2)


@wrong("every-window", "reads-past-the-end")
def begins_at_every_minute(filled):
    down, along = filled.strides
    return as_strided(filled, (len(filled), filled.shape[1], 24), (down, along, down))


@wrong("every-window", "steps-fixed")
def steps_of_a_packed_record(filled):
    minutes, stations = filled.shape
    return as_strided(filled, (minutes - 24, stations, 24), (4 * stations, 4, 4 * stations))


@wrong("every-window", "backwards")
def the_newest_first(filled):
    return sliding_window_view(filled[:-1], 24, axis=0)[:, :, ::-1]


@wrong("every-window", "wrong-steps")
def the_same_window_again_and_again(filled):
    down, along = filled.strides
    return as_strided(filled, (len(filled) - 24, filled.shape[1], 24), (0, along, down))


@wrong("every-window", "wrong-start")
def starts_at_the_next_station(filled):
    down, along = filled.strides
    shape = (len(filled) - 24, filled.shape[1], 24)
    return as_strided(filled[:, 1:], shape, (down, along, down))


@wrong("every-window", "wrong-shape")
def one_window_short(filled):
    return sliding_window_view(filled[:-2], 24, axis=0)


@wrong("every-window", "wrong-shape")
def of_an_hour(filled):
    return sliding_window_view(filled[:-1], 23, axis=0)


@wrong("every-window", "dtype-changed")
def reads_the_bytes_as_whole_numbers(filled):
    return sliding_window_view(filled[:-1].view(np.int32), 24, axis=0)


@wrong("every-window", "wrong-type")
def in_jax(filled):
    return jnp.asarray(filled)[jnp.arange(len(filled) - 24)[:, None] + jnp.arange(24)].swapaxes(1, 2)
