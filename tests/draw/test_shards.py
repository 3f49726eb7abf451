"""Who holds what, drawn, against the shards that JAX made."""

import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from drawings import SVG, WIDTH, parse, words_of
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse import devices, draw
from jaxcourse.svg import ADVANCE, Picture

MESHES: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "line": ((8,), ("x",)),
    "grid": ((4, 2), ("x", "y")),
    "cube": ((2, 2, 2), ("x", "y", "z")),
    "pair": ((2,), ("x",)),
}
LAYOUTS: list[tuple[str, tuple[int, ...], tuple[Any, ...]]] = [
    ("line", (16, 32), ("x", None)),
    ("line", (16, 32), (None, "x")),
    ("line", (24,), ("x",)),
    ("line", (), ()),
    ("grid", (16, 32), ("x", "y")),
    ("grid", (16, 32), ("y", "x")),
    ("grid", (16, 32), ("x",)),
    ("grid", (16, 32), (None, "y")),
    ("grid", (16, 32), (("x", "y"),)),
    ("grid", (16, 32), (("y", "x"),)),
    ("grid", (8,), ("y",)),
    ("grid", (1, 1), ()),
    ("cube", (8, 8), ("z", ("x", "y"))),
    ("cube", (8, 8), (("z", "y"),)),
    ("cube", (32, 32), (("z", "y", "x"), None)),
    ("pair", (2, 1), ("x",)),
]
layouts = pytest.mark.parametrize(("mesh", "shape", "spec"), LAYOUTS)


def placed(mesh: str, shape: tuple[int, ...], spec: tuple[Any, ...]) -> jax.Array:
    sizes, names = MESHES[mesh]
    count = int(np.prod(sizes))
    made = jax.make_mesh(sizes, names, (AxisType.Auto,) * len(sizes), devices=devices.simulate()[:count])
    x = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    return jax.device_put(x, NamedSharding(made, P(*spec)))


def boxes(picture: Picture) -> dict[str, list[int]]:
    """The pieces that are drawn, and the devices that stand in each."""
    found = {}
    for group in parse(picture).iter(f"{SVG}g"):
        if piece := group.get("data-piece"):
            found[piece] = [int(word) for word in group.get("data-devices", "").split()]
    return found


def shards_of(array: jax.Array) -> dict[str, list[int]]:
    """The same, from the shards themselves."""
    found: dict[str, list[int]] = {}
    for shard in array.addressable_shards:
        ranges = [part.indices(n)[:2] for part, n in zip(shard.index, array.shape, strict=True)]
        piece = f"[{', '.join(f'{start}:{stop}' for start, stop in ranges)}]" if ranges else "the number"
        found.setdefault(piece, []).append(shard.device.id)
    return {piece: sorted(ids) for piece, ids in found.items()}


@layouts
def test_boxes_are_the_shards(mesh: str, shape: tuple[int, ...], spec: tuple[Any, ...]) -> None:
    array = placed(mesh, shape, spec)
    assert boxes(draw.shards(array)) == shards_of(array)


@layouts
def test_alt_text_names_each_piece_and_its_devices(mesh: str, shape: tuple[int, ...], spec: tuple[Any, ...]) -> None:
    array = placed(mesh, shape, spec)
    alt = draw.shards(array).alt
    for piece, ids in shards_of(array).items():
        assert f"{piece} is on device{'s' * (len(ids) > 1)} {', '.join(map(str, ids))}" in alt
    held = max(shard.data.nbytes for shard in array.addressable_shards)
    assert alt.endswith(f"Each device holds {held} of {array.nbytes} bytes.")


@layouts
def test_numbers_stand_in_every_box(mesh: str, shape: tuple[int, ...], spec: tuple[Any, ...]) -> None:
    """Colour only helps: each box has its devices as text."""
    for group in parse(draw.shards(placed(mesh, shape, spec))).iter(f"{SVG}g"):
        (text,) = group.iter(f"{SVG}text")
        numbers = [int(word) for word in re.findall(r"\d+", text.text or "")]
        ids = [int(word) for word in group.get("data-devices", "").split()]
        assert numbers == ids or numbers == [ids[0], ids[-1]]


@layouts
def test_everything_is_on_the_sheet(mesh: str, shape: tuple[int, ...], spec: tuple[Any, ...]) -> None:
    picture = draw.shards(placed(mesh, shape, spec))
    root = parse(picture)
    bottom = float(root.get("height", ""))
    for rect in root.iter(f"{SVG}rect"):
        x, y, width, height = (float(rect.get(name, "")) for name in ("x", "y", "width", "height"))
        assert x >= 0 and x + width <= WIDTH and y + height <= bottom


@layouts
def test_texts_end_on_the_sheet(mesh: str, shape: tuple[int, ...], spec: tuple[Any, ...]) -> None:
    for text in parse(draw.shards(placed(mesh, shape, spec))).iter(f"{SVG}text"):
        if not text.get("font-family"):  # running text is wrapped, and set in a narrower font
            width = len(text.text or "") * ADVANCE * float(text.get("font-size", ""))
            start = (
                float(text.get("x", ""))
                - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[text.get("text-anchor", "")]
            )
            assert start >= -1 and start + width <= WIDTH + 1, text.text


def test_boxes_tile_the_array_and_touch_no_mesh_cell() -> None:
    rects: dict[bool, list[tuple[float, float, float, float]]] = {True: [], False: []}
    for group in parse(draw.shards(placed("grid", (16, 32), ("x", "y")))).iter(f"{SVG}g"):
        (rect,) = group.iter(f"{SVG}rect")
        x, y, width, height = (float(rect.get(name, "")) for name in ("x", "y", "width", "height"))
        rects[bool(group.get("data-piece"))].append((x, y, width, height))
    assert len(rects[True]) == len(rects[False]) == 8
    assert max(x + width for x, _, width, _ in rects[False]) < min(x for x, *_ in rects[True])
    area = sum(width * height for *_, width, height in rects[True])
    left, top = min(x for x, *_ in rects[True]), min(y for _, y, *_ in rects[True])
    right, low = max(x + w for x, _, w, _ in rects[True]), max(y + h for _, y, _, h in rects[True])
    assert area == pytest.approx((right - left) * (low - top))


def test_the_mesh_has_each_device_once() -> None:
    for name in MESHES:
        picture = draw.shards(placed(name, (8, 8), ("x",)))
        cells = [group.get("data-devices") for group in parse(picture).iter(f"{SVG}g") if not group.get("data-piece")]
        assert cells == [str(k) for k in range(np.prod(MESHES[name][0]))]


def test_text_follows_the_page_and_boxes_are_only_tinted() -> None:
    root = parse(draw.shards(placed("line", (16, 32), ("x",))))
    assert root.get("fill") == "currentColor"
    assert {rect.get("fill-opacity") for rect in root.iter(f"{SVG}rect")} == {"0.25"}
    assert {rect.get("stroke") for rect in root.iter(f"{SVG}rect")} == {"currentColor"}


def test_many_copies_are_written_as_a_range_where_room_is_short() -> None:
    words = words_of(draw.shards(placed("grid", (8,), ("y",))))
    assert "0, 2, 4, 6" in words and "1, 3, 5, 7" in words


def test_what_lies_on_one_device_has_no_mesh() -> None:
    picture = draw.shards(jnp.ones((2, 3)))
    assert (
        picture.alt
        == "float32 of shape (2, 3), on 1 device. [0:2, 0:3] is on device 0. Each device holds 24 of 24 bytes."
    )
    assert "no mesh" in " ".join(words_of(picture))


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(TypeError, match="only an array of JAX lies on devices, and this is of type ndarray"):
        draw.shards(np.ones(3))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at most 2 axes"):
        draw.shards(jnp.ones((2, 2, 2)))
    with pytest.raises(ValueError, match="1 element or more"):
        draw.shards(jnp.ones((0, 2)))
