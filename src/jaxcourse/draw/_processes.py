"""Which process holds which part of an array."""

import math
from collections.abc import Sequence

from jax.sharding import NamedSharding

from jaxcourse.draw._words import fitting
from jaxcourse.svg import BLUE, ORANGE, Picture, Sheet

Box = tuple[tuple[int, int], ...]
"""For each axis, where a part begins and ends."""

_LEFT, _WIDE, _HIGH = 44.0, 380.0, 200.0


def processes(sharding: NamedSharding, shape: Sequence[int], each: int = 1) -> Picture:
    """Draw an array of one or two axes as its pieces, each with the processes and the devices that hold it.

    Args:
        sharding: where it lies. The devices of its mesh are numbered in the order of the mesh.
        shape: of the array; one of one axis is drawn as a column.
        each: how many devices one process has: the first `each` devices of the mesh belong to process 0. So devices
            that are simulated in one process stand for those of several.

    Returns:
        The picture; its text says what each process holds.

    Raises:
        ValueError: the array has no axis or more than two, or cannot be split so; or the devices cannot be dealt out.

    Example:
        >>> import jax
        >>> from jax.sharding import PartitionSpec
        >>> mesh = jax.make_mesh((1,), ("x",), devices=jax.devices()[:1])
        >>> print(processes(NamedSharding(mesh, PartitionSpec("x")), (4, 6)).alt)
        An array of shape (4, 6) in 1 process with 1 device each. Process 0 holds 24 of 24 elements: ...
    """
    shape = tuple(shape)
    devices = list(sharding.mesh.devices.flat)
    if len(shape) not in (1, 2):
        raise ValueError(f"an array of 1 or 2 axes can be drawn, not one of shape {shape}")
    if each < 1 or len(devices) % each:
        raise ValueError(f"{len(devices)} devices cannot be dealt out in groups of {each}")
    holders = _holders(sharding, shape)
    sheet = Sheet()
    for box, numbers in holders.items():
        _draw_piece(sheet, box, shape, numbers, each)
    _draw_ends(sheet, shape, list(holders))
    first, *held = _caption(holders, shape, len(devices) // each, each)
    sizes = {words.partition("holds ")[2].partition(":")[0] for words in held}
    short = f"Each process holds {sizes.pop()}." if len(sizes) == 1 else ""
    return sheet.picture(_HIGH + 22, " ".join([first, *held]), f"{first} {short or ' '.join(held)}")


def _holders(sharding: NamedSharding, shape: tuple[int, ...]) -> dict[Box, list[int]]:
    """Each piece, and the numbers of the devices that hold it."""
    where = sharding.devices_indices_map(shape)
    holders: dict[Box, list[int]] = {}
    for number, device in enumerate(sharding.mesh.devices.flat):
        box = tuple(part.indices(n)[:2] for part, n in zip(where[device] or (), shape, strict=True))
        holders.setdefault(box, []).append(number)
    return dict(sorted(holders.items()))


def _edges(box: Box, shape: tuple[int, ...]) -> tuple[float, float, float, float]:
    """Left, top, width and height of a piece on the page."""
    (top, bottom), (left, right) = box[0], box[1] if len(box) > 1 else (0, 1)
    across, down = _WIDE / (shape[1] if len(shape) > 1 else 1), _HIGH / shape[0]
    return _LEFT + left * across, 18 + top * down, (right - left) * across, (bottom - top) * down


def _draw_piece(sheet: Sheet, box: Box, shape: tuple[int, ...], numbers: list[int], each: int) -> None:
    x, y, width, height = _edges(box, shape)
    owners = sorted({number // each for number in numbers})
    with sheet.group(f"{_ranges(box)}: {_process(owners)}", data_box=_ranges(box), data_devices=_short(numbers)):
        look = {"fill": BLUE if owners[0] % 2 else ORANGE, "fill_opacity": 0.2} if len(owners) == 1 else {}
        sheet.rect(x, y, width, height, **look)
        process = fitting((_process(owners), f"p{_short(owners)}"), width - 4, 12)
        word = "device" if len(numbers) == 1 else "devices"
        device = fitting((f"{word} {_short(numbers)}", f"d{_short(numbers)}"), width - 4, 11)
        if height < 32:  # both on one line, or the process alone
            both = fitting((f"{process}, {device}", process), width - 4, 12)
            sheet.text(x + width / 2, y + height / 2 + 4, both)
        else:
            sheet.text(x + width / 2, y + height / 2 - 2, process)
            sheet.faint(x + width / 2, y + height / 2 + 13, device)


def _draw_ends(sheet: Sheet, shape: tuple[int, ...], boxes: list[Box]) -> None:
    """Write where the pieces begin and end, above and on the left."""
    for end in sorted({end for box in boxes for end in box[0]}):
        sheet.faint(_LEFT - 6, 18 + end * _HIGH / shape[0] + 4, str(end), "end")
    if len(shape) > 1:
        for end in sorted({end for box in boxes for end in box[1]}):
            sheet.faint(_LEFT + end * _WIDE / shape[1], 11, str(end))


def _caption(holders: dict[Box, list[int]], shape: tuple[int, ...], count: int, each: int) -> list[str]:
    """What is drawn, then for each process what it holds."""
    words = [f"An array of shape {shape} in {count} process{'es' * (count > 1)} with {each} device"]
    words[0] += f"{'s' * (each > 1)} each."
    for process in range(count):
        held = [box for box, numbers in holders.items() if process in {number // each for number in numbers}]
        size = sum(math.prod(stop - start for start, stop in box) for box in held)
        words.append(
            f"Process {process} holds {size} of {math.prod(shape)} elements: {' and '.join(map(_ranges, held))}."
        )
    return words


def _ranges(box: Box) -> str:
    names = ("rows", "columns")
    return ", ".join(f"{name} {start}:{stop}" for name, (start, stop) in zip(names, box, strict=False))


def _process(owners: list[int]) -> str:
    return f"process {owners[0]}" if len(owners) == 1 else f"processes {_short(owners)}"


def _short(numbers: list[int]) -> str:
    """Numbers in words: `0-3` where they follow each other, else `0,2`."""
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]}-{numbers[-1]}"
    return ",".join(map(str, numbers))
