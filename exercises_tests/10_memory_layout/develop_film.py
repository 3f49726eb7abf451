"""develop-film: a picture of a .bmp file, as a view of its bytes."""

import numpy as np

from jaxcourse.checks import declare, refuse, require


def rows_of(raw, begin, height, width, apart):
    """The pixels as they lie, from rows that are some bytes apart; None where that leads beyond the bytes."""
    if begin + height * apart > len(raw):
        return None
    rows = raw[begin : begin + height * apart].reshape(height, apart)
    return rows[:, : 3 * width].reshape(height, width, 3)


def apart_of(width):
    """How many bytes one row lies behind the other."""
    return 3 * width + -3 * width % 4


def picture(raw, begin, height, width):
    found = rows_of(raw, begin, height, width, apart_of(width))
    return None if found is None else found[::-1, :, ::-1]


def _turned(*slices):
    return lambda raw, begin, height, width: rows_of(raw, begin, height, width, apart_of(width))[slices]


def _apart(distance):
    def film(raw, begin, height, width):
        found = rows_of(raw, begin, height, width, distance(width))
        return None if found is None else found[::-1, :, ::-1]

    return film


EVERY, BACK = slice(None), slice(None, None, -1)
MISTAKES = {
    "as-it-lies": _turned(EVERY),
    "upside-down": _turned(EVERY, EVERY, BACK),
    "colours-swapped": _turned(BACK),
    "mirrored": _turned(BACK, BACK, BACK),
    "mirrored/2": _turned(EVERY, BACK, BACK),
    "filling-forgotten": _apart(lambda width: 3 * width),
    "filling-always": _apart(lambda width: 3 * width + 4 - 3 * width % 4),
    "begins-elsewhere": lambda raw, begin, height, width: picture(raw, 54, height, width) if begin != 54 else None,
    "counted-from-the-end": lambda raw, begin, height, width: picture(
        raw, len(raw) - height * apart_of(width), height, width
    ),
}
"""By the key of its words, what an answer with that mistake shows; None where it shows nothing."""


def film_facts(develop, raw, begin, height, width):
    """What the picture is, and how it lies: its values are read only where they are those of an array."""
    result = develop(raw, begin, height, width)
    if not isinstance(result, np.ndarray):
        return {"type": type(result).__name__}
    low, high = np.lib.array_utils.byte_bounds(raw)
    first, last = np.lib.array_utils.byte_bounds(result)
    shares = bool(np.may_share_memory(raw, result))
    inside = low <= first and last <= high
    return {
        "type": "ndarray",
        "shape": result.shape,
        "dtype": str(result.dtype),
        "shares": shares,
        "values": result.copy() if inside or not shares else None,
    }


def cases(rng):
    """Files of every filling, with other headers, with bytes behind the picture, and some that are read-only."""
    widths = [*map(int, rng.permutation([5, 6, 7, 8]))]
    sizes = [
        (3, 5),
        (5, widths[0]),
        (4, widths[1]),
        (2, widths[2]),
        (3, widths[3]),
        (4, 4),
        (1, 1),
        (1, 6),
        (5, 1),
        (3, 5),
    ]
    for place, (height, width) in enumerate([*sizes, (64, 50)]):
        plain = place < 2 or place == len(sizes) - 1  # the last one is as the first one, with other bytes
        begin = 54 if plain else int(rng.choice([0, 54, 122, 138]))
        # Behind rows that take no filling there is room for one, so that who fills them up as well sees other bytes.
        behind = 0 if plain else int(rng.integers(0 if width % 4 else 4 * height, 90))
        raw = rng.integers(0, 256, begin + height * apart_of(width) + behind, np.uint8)
        raw.flags.writeable = bool(rng.random() < 0.5)
        yield raw, begin, height, width


def a_view_of_the_picture(answer, rng):
    """The picture is the right one, and a view of the file's bytes.

    A function, since bytes are drawn, of which one picture tells what was done: two of them as a table would not.
    """
    for raw, begin, height, width in cases(rng):
        answer.called = f"develop_film(raw, {begin}, {height}, {width})"
        facts = answer.probe(film_facts, raw, begin, height, width)
        require(facts["type"] == "ndarray", "wrong-type", type=facts["type"])
        shape, want = facts["shape"], (height, width, 3)
        refuse(shape == (width, height, 3) != want, "axes-swapped", want=want)
        require(shape == want, "wrong-shape", want=want, shape=shape)
        require(facts["dtype"] == "uint8", "wrong-dtype", dtype=facts["dtype"])
        require(facts["values"] is not None, "beyond-the-file")
        right = picture(raw, begin, height, width)
        if not np.array_equal(facts["values"], right):
            require_picture(facts["values"], right, (raw, begin, height, width))
        require(facts["shares"], "copied")


def require_picture(values, right, asked):
    """What is seen instead of the picture should be named, with what a row takes."""
    apart = {"width": asked[3], "bytes": 3 * asked[3], "apart": apart_of(asked[3])}
    for key, film in MISTAKES.items():
        shown = film(*asked)
        refuse(shown is not None and np.array_equal(values, shown) and not np.array_equal(shown, right), key, **apart)
    wrong = int((values != right).any(axis=2).sum())
    require(False, "wrong-value", wrong=wrong, pixels=right.shape[0] * right.shape[1], **apart)


WORDS = """
hint: How many bytes is it from the beginning of a row to the beginning of the next?
hint: `raw[...].reshape(height, apart)` has the rows, with their padding. Which columns are the picture?
hint: The rest is a reshape, and two axes that run backwards.
wrong-type: You returned an object of type `{type}`. Return a NumPy array.
axes-swapped: Your axes are swapped. The shape should be {want}: rows first, then the pixels of a row.
wrong-shape: Your picture has the shape {shape}. It should be {want}.
wrong-dtype: Your picture has the dtype `{dtype}`. The colours are bytes, `uint8`.
beyond-the-file: Your picture reaches beyond the bytes of `raw`. How many bytes are from one row to the next?
as-it-lies: Your pixels are right, and in the order of the file. Rows should come from the top, and red first.
upside-down: Your colours are right, and the picture is upside down. The file begins with the lowest row.
colours-swapped: Your rows are right, and red and blue are exchanged. The file has blue first.
mirrored: Your left and right are exchanged. Within a row, pixels come from the left: only rows and colours run
    backwards.
mirrored/2: Your left and right are exchanged, and your rows aren't. The file has the lowest row first, and each from
    the left.
filling-forgotten: Your rows drift. A row of {width} pixels takes {bytes} bytes, and the next begins after {apart}, a
    multiple of 4.
filling-always: Your row of {bytes} bytes is filled up, and {bytes} is a multiple of 4 already. Leave such a row alone.
begins-elsewhere: Your picture is right if the pixels begin at byte 54. Here they begin elsewhere: use `begin`.
counted-from-the-end: Your picture is right if the file ends with it. Here are more bytes behind it: count from `begin`.
copied: Your picture is right, but it's a copy, which shares no memory with `raw`. Use slices and a reshape alone.
wrong-value: {wrong} of {pixels} pixels are wrong. A row has {width} pixels in {bytes} bytes, and the next one begins
    after {apart}.
"""

develop_film = declare(
    "develop-film",
    see="the-film",
    steps=[a_view_of_the_picture],
    points=2,
    words=WORDS,
)
