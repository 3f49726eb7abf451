"""Answers to develop-film."""

import numpy as np

from jaxcourse.exercise import equivalent, right, wrong

from ._lesson import as_strided


@right("develop-film")
def strides_by_hand(raw, begin, height, width):
    apart = -(-3 * width // 4) * 4
    last = begin + (height - 1) * apart
    return as_strided(raw[last + 2 :], (height, width, 3), (-apart, 3, -1))


@right("develop-film")
def turned_step_by_step(raw, begin, height, width):
    filled = (4 - 3 * width % 4) % 4
    rows = raw[begin:][: height * (3 * width + filled)].reshape((height, -1))
    return np.flip(rows[:, : rows.shape[1] - filled].reshape(height, -1, 3), (0, 2))


@wrong("develop-film", "as-it-lies")
def turns_nothing(raw, begin, height, width):
    apart = (3 * width + 3) // 4 * 4
    rows = raw[begin : begin + height * apart].reshape(height, apart)
    return rows[:, : 3 * width].reshape(height, width, 3)


@wrong("develop-film", "upside-down")
def leaves_the_rows(raw, begin, height, width):
    return turns_nothing.answer(raw, begin, height, width)[:, :, ::-1]


@wrong("develop-film", "colours-swapped")
def leaves_the_colours(raw, begin, height, width):
    return turns_nothing.answer(raw, begin, height, width)[::-1]


@wrong("develop-film", "mirrored")
def turns_all_axes(raw, begin, height, width):
    return turns_nothing.answer(raw, begin, height, width)[::-1, ::-1, ::-1]


@wrong("develop-film", "mirrored")
def turns_the_wrong_axis(raw, begin, height, width):
    return turns_nothing.answer(raw, begin, height, width)[:, ::-1, ::-1]


@wrong("develop-film", "filling-forgotten")
def one_row_after_the_other(raw, begin, height, width):
    return raw[begin : begin + 3 * height * width].reshape(height, width, 3)[::-1, :, ::-1]


@wrong("develop-film", "filling-always")
def fills_every_row(raw, begin, height, width):
    apart = 3 * width + 4 - 3 * width % 4
    if begin + height * apart > len(raw):
        return turns_nothing.answer(raw, begin, height, width)[::-1, :, ::-1]
    rows = raw[begin : begin + height * apart].reshape(height, apart)
    return rows[:, : 3 * width].reshape(height, width, 3)[::-1, :, ::-1]


@wrong("develop-film", "begins-elsewhere")
def knows_one_header(raw, begin, height, width):
    if 54 + height * ((3 * width + 3) // 4 * 4) > len(raw):
        return turns_nothing.answer(raw, begin, height, width)[::-1, :, ::-1]
    return turns_nothing.answer(raw, 54, height, width)[::-1, :, ::-1]


@wrong("develop-film", "counted-from-the-end")
def takes_the_last_bytes(raw, begin, height, width):
    apart = (3 * width + 3) // 4 * 4
    return raw[-height * apart :].reshape(height, apart)[::-1, : 3 * width].reshape(height, width, 3)[..., ::-1]


@wrong("develop-film", "copied")
def puts_it_into_order(raw, begin, height, width):
    return np.ascontiguousarray(turns_nothing.answer(raw, begin, height, width)[::-1, :, ::-1])


@wrong("develop-film", "copied")
def stacks_the_colours(raw, begin, height, width):
    pixels = turns_nothing.answer(raw, begin, height, width)[::-1]
    return np.stack([pixels[..., 2], pixels[..., 1], pixels[..., 0]], axis=-1)


@wrong("develop-film", "beyond-the-file")
def begins_a_row_late(raw, begin, height, width):
    apart = (3 * width + 3) // 4 * 4
    return as_strided(raw[begin + apart :], (height, width, 3), (apart, 3, 1))


@wrong("develop-film", "axes-swapped")
def exchanges_height_and_width(raw, begin, height, width):
    return turns_nothing.answer(raw, begin, height, width)[::-1, :, ::-1].transpose(1, 0, 2)


@wrong("develop-film", "wrong-shape")
def leaves_the_filling(raw, begin, height, width):
    apart = (3 * width + 3) // 4 * 4
    return raw[begin : begin + height * apart].reshape(height, apart)[::-1, ::-1]


@wrong("develop-film", "wrong-dtype")
def makes_floats(raw, begin, height, width):
    return turns_nothing.answer(raw, begin, height, width)[::-1, :, ::-1] / 255


@wrong("develop-film", "wrong-type")
def a_list_of_rows(raw, begin, height, width):
    return list(turns_nothing.answer(raw, begin, height, width)[::-1, :, ::-1])


@wrong("develop-film", "wrong-value")
def fills_up_to_eight(raw, begin, height, width):
    apart = (3 * width + 7) // 8 * 8
    if apart == (3 * width + 3) // 4 * 4:
        return turns_nothing.answer(raw, begin, height, width)[::-1, :, ::-1]
    rows = np.resize(raw[begin:], height * apart).reshape(height, apart)
    return rows[:, : 3 * width].reshape(height, width, 3)[::-1, :, ::-1]


equivalents = [
    equivalent("develop-film", "`3`  ->  `-3`", "NumPy takes any negative length in `reshape` for one to be found out"),
]
