"""Who holds what, by process: against the shards of real arrays."""

import math
import re

import jax
import numpy as np
import pytest
from drawings import SVG, parse
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse import draw


def on_a_square(*spec: object) -> NamedSharding:
    return NamedSharding(jax.make_mesh((4, 2), ("x", "y"), (AxisType.Auto,) * 2), P(*spec))


@pytest.mark.parametrize("spec", [("x",), ("y", "x"), (None, ("y", "x")), (), (("x", "y"), None)])
@pytest.mark.parametrize("each", [1, 2, 8])
def test_each_piece_names_the_devices_that_hold_it(spec: tuple[object, ...], each: int) -> None:
    sharding = on_a_square(*spec)
    array = jax.device_put(np.zeros((16, 24)), sharding)
    order = list(sharding.mesh.devices.flat)
    held: dict[str, list[int]] = {}
    for shard in array.addressable_shards:
        (top, bottom), (left, right) = (s.indices(n)[:2] for s, n in zip(shard.index, array.shape, strict=True))
        held.setdefault(f"rows {top}:{bottom}, columns {left}:{right}", []).append(order.index(shard.device))
    picture = draw.processes(sharding, (16, 24), each)
    drawn = {g.get("data-box"): g.get("data-devices") for g in parse(picture).iter(f"{SVG}g")}
    assert {box: spelled(devices or "") for box, devices in drawn.items()} == {b: sorted(d) for b, d in held.items()}
    for process in range(8 // each):
        boxes = [box for box, devices in held.items() if process in {device // each for device in devices}]
        size = sum(math.prod(stop - start for start, stop in ranges(box)) for box in boxes)
        assert f"Process {process} holds {size} of 384 elements: " in picture.alt


def spelled(devices: str) -> list[int]:
    first, _, last = devices.partition("-")
    return list(range(int(first), int(last) + 1)) if last else [int(number) for number in devices.split(",")]


def ranges(box: str) -> list[tuple[int, int]]:
    return [(int(start), int(stop)) for start, stop in re.findall(r"(\d+):(\d+)", box)]


@pytest.mark.parametrize(
    ("shape", "each", "words"),
    [((2, 2, 2), 1, "1 or 2 axes"), ((), 1, "1 or 2 axes"), ((16, 24), 3, "groups of 3"), ((5, 24), 1, "divi")],
)
def test_what_cannot_be_drawn_is_refused(shape: tuple[int, ...], each: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        draw.processes(on_a_square("x"), shape, each)
