"""Broadcasting, drawn, against NumPy's own."""

import numpy as np
import pytest
from drawings import SVG, parse, words_of

from jaxcourse import draw


@pytest.mark.parametrize("seed", range(60))
def test_broadcast_agrees_with_numpy_on_random_shapes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shapes = [tuple(rng.choice([1, 2, 3, 3], size=rng.integers(0, 4)).tolist()) for _ in range(rng.integers(2, 4))]
    arrays = [np.zeros(shape) for shape in shapes]
    picture = draw.broadcast(*arrays)
    try:
        result = np.broadcast_shapes(*shapes)
    except ValueError:
        assert "do not broadcast" in picture.alt
        assert "clash" in words_of(picture)
        return
    assert picture.alt.startswith(f"Shapes {' and '.join(map(str, shapes))} broadcast to {result}.")
    spoken = picture.svg.replace("\xa0", " ")
    for array in arrays:
        assert str(np.broadcast_to(array, result).strides) in " ".join(words_of(picture)).replace("\xa0", " "), spoken


def test_broadcast_draws_the_repeated_cells_dashed_and_the_sum() -> None:
    column, row = np.array([[0], [10], [20], [30]]), np.array([1, 2, 3])
    cells: dict[str, dict[str, bool]] = {"a": {}, "b": {}, "result": {}}
    for group in parse(draw.broadcast(column, row)).iter(f"{SVG}g"):
        title, rect = group.findtext(f"{SVG}title"), group.find(f"{SVG}rect")
        assert title is not None and rect is not None
        cells[title.split("[")[0]][title] = rect.get("stroke-dasharray") is not None
    subscripts = list(np.ndindex(4, 3))
    assert cells["a"] == {f"a[{i}, {j}] is {10 * i}": j > 0 for i, j in subscripts}
    assert cells["b"] == {f"b[{i}, {j}] is {j + 1}": i > 0 for i, j in subscripts}
    assert cells["result"] == {f"result[{i}, {j}] is {10 * i + j + 1}": False for i, j in subscripts}


@pytest.mark.parametrize(
    ("shapes", "alt"),
    [
        (((4, 1), (3,)), "Shapes (4, 1) and (3,) broadcast to (4, 3). a is repeated along axis -1. "
                         "b is repeated along axis -2."),
        (((2, 3), ()), "Shapes (2, 3) and () broadcast to (2, 3). a is used as it is. "
                       "b is repeated along axis -2 and axis -1."),
        (((4, 3), (4,)), "Shapes (4, 3) and (4,) do not broadcast: on axis -1 the lengths 3 and 4 differ and "
                         "neither is 1."),
        (((2, 3), (4, 5), (1, 1)), "Shapes (2, 3) and (4, 5) and (1, 1) do not broadcast: on axis -2 the lengths "
                                   "2 and 4 differ and neither is 1; on axis -1 the lengths 3 and 5 differ "
                                   "and neither is 1."),
        (((2,), (3,), (4,)), "Shapes (2,) and (3,) and (4,) do not broadcast: on axis -1 the lengths 2 and 3 and 4 "
                             "differ and none of them is 1."),
    ],
)  # fmt: skip
def test_broadcast_alt_texts(shapes: tuple[tuple[int, ...], ...], alt: str) -> None:
    assert draw.broadcast(*[np.ones(shape) for shape in shapes]).alt == alt


def test_broadcast_table_shows_the_rule() -> None:
    words = words_of(draw.broadcast(np.ones((3, 1, 4)), np.ones((2, 1))))
    assert words[: words.index("a")] == [
        "axis -3",
        "3",
        "1→3",
        "3",
        "axis -2",
        "1→2",
        "2",
        "2",
        "axis -1",
        "4",
        "1→4",
        "4",
    ]
    assert "Its cells are too many to draw" in " ".join(words)


def test_broadcast_table_dashes_the_axes_that_a_shape_does_not_have() -> None:
    rects = [r for r in parse(draw.broadcast(np.ones((3, 1, 4)), np.ones((2, 1)))).iter(f"{SVG}rect")]
    assert [rect.get("stroke-dasharray") is not None for rect in rects] == [False, True, *[False] * 4]
