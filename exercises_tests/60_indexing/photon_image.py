"""photon-image: how many photons hit each pixel of a detector, from the row and the column of each photon."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import Diagnosis, is_close, numbers
from jaxcourse.probe import AnswerRaised, Refused


def picture(rows, columns, shape):
    image = np.zeros(shape, int)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        image[row, column] += 1
    return image


def to_the_last(rng, shape):
    """Photons on a detector, one of them in the last pixel, and some pixels hit again and again."""
    height, width, photons = shape
    first = int(rng.integers(2))  # the first row and column may be dark
    rows, columns = rng.integers(first, height, photons), rng.integers(first, width, photons)
    again = rng.integers(0, photons, photons // 2)
    rows[: photons // 2], columns[: photons // 2] = rows[again], columns[again]
    rows[-1], columns[-1] = height - 1, width - 1
    return rows, columns, (height, width)


def dark(rng, shape):
    height, width, photons = shape
    return rng.integers(0, height - 1, photons), rng.integers(0, width - 1, photons), (height, width)


def anywhere(rng, shape):
    height, width, photons = shape
    return rng.integers(0, height, photons), rng.integers(0, width, photons), (height, width)


@probe.question(evidence="values")
def pictures_of(student_function, nights):
    """The pictures of some nights, read when the last of them is there."""
    return [np.array(picture) for picture in [student_function(*night) for night in nights]]


def begins_anew(answer, rng):
    """A picture that is kept between calls holds more photons each time, by just those of one call."""
    cases = [to_the_last(rng, (3, 3, 9)) for _ in range(2)]
    try:
        pairs = [[np.array(numbers(answer(*case)), float) for _ in range(2)] for case in cases]
    except (AnswerRaised, Diagnosis, Refused):  # the sweep comes to that
        return
    kept = all(
        first.shape == second.shape and is_close(second - first, picture(*case))
        for case, (first, second) in zip(cases, pairs, strict=True)
    )
    refuse(kept, "kept-photons")


def dark_pixels_too(answer, rng):
    """Pixels beyond the last photon are in the picture."""
    for size in ((4, 4, 9), (5, 8, 60)):
        dark_at_the_end(answer, *dark(rng, size))


def dark_at_the_end(answer, rows, columns, shape):
    """Require the picture of a detector whose last rows and columns are dark."""
    try:
        got, want = numbers(answer(rows, columns, shape)), picture(rows, columns, shape)
    except AnswerRaised as error:
        ends = f"size {(rows * shape[1] + columns).max() + 1} into shape"
        short = error.raised.kind == "ValueError" and ends in error.raised.message
        refuse(short, "minlength-missing", raised=error.raised.message)
        raise
    reach = int(rows.max()) + 1, int(columns.max()) + 1
    refuse(got.shape == reach, "as-large-as-photons", reach=reach, shape=shape)
    require(is_close(got, want), "dark-pixels")


def bright_pixels_too(answer, rng):
    """A pixel counts to many thousands."""
    photons = 70_000
    rows, columns = np.zeros(photons, int), (rng.random(photons) < 0.01).astype(int)
    got, want = numbers(answer(rows, columns, (1, 3))), np.array([[*np.bincount(columns, minlength=2), 0]])
    short = [kind for kind in ("uint8", "int8", "uint16", "int16") if is_close(got, want.astype(kind))]
    refuse(short and not is_close(got, want), "overflows", short="".join(short[:1]))
    require(is_close(got, want), "bright-pixels", got=got.ravel().tolist(), want=want[0].tolist())


def stays(answer, rng):
    """A picture stays what it is when the same detector takes the next one."""
    nights = [to_the_last(rng, (3, 4, 9)) for _ in range(2)]
    first, second = map(numbers, answer.probe(pictures_of, nights))
    refuse(np.array_equal(first, second) and not is_close(first, picture(*nights[0])), "array-used-again")


def an_array(answer, rng):
    """An array comes back, and not a list."""
    refuse(answer.probe(probe.result_type, *anywhere(rng, (2, 3, 4))) in ("list", "tuple"), "no-array")


def marked(rows, columns, shape):
    return np.minimum(picture(rows, columns, shape), 1)


def every_row_with_every_column(rows, columns, shape):
    image = np.zeros(shape, int)
    np.add.at(image, np.ix_(rows, columns), 1)
    return image


def height_for_width(rows, columns, shape):
    return np.bincount(rows * shape[0] + columns, minlength=shape[0] * shape[1]).reshape(shape)


MISTAKES = {
    "counted-once": marked,
    "nothing-written": lambda rows, columns, shape: np.zeros(shape, int),
    "axes-swapped": lambda rows, columns, shape: picture(rows, columns, shape).T,
    "every-pair": every_row_with_every_column,
    "edges-from-photons": lambda rows, columns, shape: np.histogram2d(rows, columns, bins=shape)[0],
}
OF_WIDE_ONES = {"wrong-address": height_for_width}

WORDS = """
hint: `image[rows, columns] += 1` reads all pixels before it writes any. What happens to one that is hit twice?
hint: `np.add.at`, or `np.bincount` of `row * width + column`.
kept-photons: Your picture has more photons after the second call: it still holds those of earlier calls. Begin each
    call with a new array of zeros.
array-used-again: Your first picture shows the second night after the second call: you kept the array between calls.
    Make a new one in each call.
minlength-missing: Your `bincount` stops at the last pixel that was hit. Set its `minlength` to that of the whole
    picture. ({raised})
as-large-as-photons: Your picture is only as large as the photons reach, so dark pixels are missing: {reach}, and
    not {shape}.
dark-pixels: Your picture is not right if its last rows and columns are dark.
counted-once: You count each pixel at most once, however often it was hit. `=` counts nothing, and with `+=` all
    reads come before all writes.
nothing-written: Your picture is empty.
axes-swapped: You swapped the axes. The first index of a picture is the row.
every-pair: You counted every row with every column. A photon has one of each.
edges-from-photons: You took the edges of your bins from the photons. Take those of the pixels, whatever was hit.
wrong-value: Your pixels do not all hold the number of their photons.
wrong-address: Your photons are in other pixels. In the flattened picture, a row is `shape[1]` pixels long.
overflows: Your counts do not reach far enough: they are those of `{short}`. Bright pixels are hit many thousand
    times.
bright-pixels: Your bright pixels count {got} in place of {want}. They are hit many thousand times.
addresses-overflow: Your picture is right if it is small. In a large one, an address, row times width plus column,
    may need more than 16 bits. The width is `shape[1]`.
no-array: You return a list of lists. Return an array, which the next step can add and slice.
"""

photon_image = declare(
    "photon-image",
    see="duplicates",
    steps=[
        begins_anew,
        Agrees(picture, to_the_last, [(3, 3, 9)], each=16, mistakes=MISTAKES),
        Agrees(picture, to_the_last, [(2, 5, 12)], mistakes=OF_WIDE_ONES),
        dark_pixels_too,
        bright_pixels_too,
        Agrees(picture, anywhere, [(1, 7, 5), (7, 3, 20), (4, 4, 0)], each=2),
        Agrees(picture, anywhere, [(300, 280, 60), (2, 70_000, 60)], each=2, otherwise="addresses-overflow"),
        stays,
        an_array,
    ],
    words=WORDS,
)
