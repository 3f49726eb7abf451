"""Views drawn below the buffer that they touch."""

import numpy as np
import pytest
from drawings import SVG, addresses, buffer_start, drawn, grid, parse

from jaxcourse import draw


def test_views_number_the_elements_that_they_touch() -> None:
    x = grid()
    views = {"t": x.T, "step": x[::2], "back": x[::-1, 1], "row": np.broadcast_to(x[1], (2, 4))}
    picture = draw.views(x, **views)
    start = buffer_start(x)
    for name, view in views.items():
        expected: dict[int, list[int]] = {}
        for position, address in enumerate(addresses(view).values()):
            expected.setdefault(address - start, []).append(position)
        shown = {offset: [int(word) for word in texts[0].split()] for offset, _, _, texts in drawn(picture, name)}
        assert shown == expected
        assert f"{name} touches {len(expected)} elements, at bytes {min(expected)}" in picture.alt


def test_views_call_a_copy_a_copy_and_a_disjoint_view_a_view() -> None:
    x = grid()
    picture = draw.views(x[::2], other=x[1::2], copy=x[::2].copy(), fancy=x[[0, 2]])
    own = [text.text for text in parse(picture).iter(f"{SVG}text") if "own memory" in (text.text or "")]
    assert own == ["own memory: 64 bytes somewhere else"] * 2
    assert len(drawn(picture, "other")) == 4
    assert picture.alt.endswith("copy has its own memory. fancy has its own memory.")


def test_views_through_another_dtype_lie_below_the_bytes_they_read() -> None:
    x = np.arange(2.0)
    picture = draw.views(x, halves=x.view(np.float32))
    for offset, _, (rect,), _ in drawn(picture, "halves"):
        (above,) = [r for o, _, (r,), _ in drawn(picture, "base") if o == offset // 8 * 8]
        shift = float(above.get("width", "")) / 2 * (offset % 8 != 0)
        assert float(rect.get("x", "")) == pytest.approx(float(above.get("x", "")) + shift, abs=0.1)
