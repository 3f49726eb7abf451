"""A kernel's grid walking over its arrays: which block every step has, what is moved, and what stays."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from jaxcourse.draw._words import counted, fitting
from jaxcourse.insides import Blocks, Operand
from jaxcourse.insides import blocks as read_blocks
from jaxcourse.svg import ADVANCE, BLUE, ORANGE, RUNNING, SANS, VIRTUAL, WIDTH, Picture, Sheet

DESK = 612.0
"""The width of the drawing for a desk: as wide as the frame of a choice, so that its words keep their size there."""
MAX_STEPS = 256
"""How many steps the lanes have room for."""
MAX_TILES = 1024
"""How many blocks of an array can be told apart."""
_SIDE, _CELL = 168.0, 18.0
_NAMES = 68.0
_GAP = 26.0
_FINE = 4.0

State = Literal["fetched", "stays", "open", "finished", "written", "was here", ""]
"""What a block is at a step: the step's own, or one of an earlier step."""
_SAYS: dict[State, str] = {
    "fetched": "fetched now",
    "stays": "stays from the step before",
    "open": "result in work",
    "finished": "result, written away now",
    "written": "written away before",
    "was here": "fetched before",
}
_OVER = "hangs over, or lies outside: no bytes of its own"


def blocks(function: Callable[..., Any], *args: Any, step: int = 0, **named: Any) -> Picture:
    """Draw a step of a kernel: the block that it has of each array, and above all what is moved for it.

    Below, three lanes show all steps: what is fetched, that each step computes, and what is written away. A gap in the
    lane *in* is a block that stayed. Nothing is run: the picture is drawn from `jaxcourse.insides.blocks`.

    Args:
        function: calls `pl.pallas_call` once.
        *args: its arguments: arrays, or a `jax.ShapeDtypeStruct` in the place of each; all else stays what it is.
        step: which step of the grid, from 0; the last axis of the grid runs fastest.
        **named: arguments by name.

    Returns:
        The picture, and a drawing of it for a phone.

    Raises:
        ValueError: the function has no kernel, or several; there is no such step; or it has too many steps or blocks.

    Example:
        >>> import jax
        >>> from jax.experimental import pallas as pl
        >>> def turned(x):
        ...     def kernel(x_ref, o_ref):
        ...         o_ref[...] = x_ref[...].T
        ...     return pl.pallas_call(
        ...         kernel, jax.ShapeDtypeStruct(x.shape[::-1], x.dtype), grid=(2, 2), interpret=True,
        ...         in_specs=[pl.BlockSpec((2, 3), lambda i, j: (i, j))],
        ...         out_specs=pl.BlockSpec((3, 2), lambda i, j: (j, i)),
        ...     )(x)
        >>> print(blocks(turned, np.zeros((4, 6), np.float32), step=1).alt.split(". ")[0])
        Step 1 of 4, counted from 0: program_id (0, 1)
    """
    call = read_blocks(function, *args, **named)
    _require_drawable(call, step)
    alt, caption = _words(call, step)
    wide, narrow = (_picture(call, step, width, alt) for width in (DESK, WIDTH))
    return Picture(wide.svg, alt, caption, narrow.svg)


def _require_drawable(call: Blocks, step: int) -> None:
    if not 1 <= call.steps <= MAX_STEPS:
        raise ValueError(f"1 to {MAX_STEPS} steps can be drawn, this kernel has {call.steps}: draw a smaller array")
    if not 0 <= step < call.steps:
        raise ValueError(f"there is no step {step}: this kernel has the steps 0 to {call.steps - 1}")
    for one in call.operands:
        if len(_Panel(one, step).tiles) > MAX_TILES:
            raise ValueError(f"{_name(one)} has more than {MAX_TILES} blocks to draw: draw a smaller array")


# -- words ------------------------------------------------------------------------------------------------------


def _name(one: Operand) -> str:
    return one.ref or one.name


def _point(values: Sequence[int]) -> str:
    return f"({', '.join(map(str, values))}{',' * (len(values) == 1)})"


def _words(call: Blocks, step: int) -> tuple[str, str]:
    """What stands for the picture, and what is said below it."""
    head = f"Step {step} of {call.steps}, counted from 0: program_id {_point(call.points[step].tolist())}."
    fetched = [one for one in call.inputs if one.moves[step]]
    now = sum(int(one.inside[step]) for one in fetched)
    written = sum(int(one.inside[step]) for one in call.outputs if one.moves[step])
    sums = (
        f"Fetched now: {counted(now, 'byte')}. Written away now: {counted(written, 'byte')}. "
        f"All steps together move {counted(call.moved_bytes, 'byte')}; one step has "
        f"{counted(call.fast_bytes, 'byte')} in fast memory."
    )
    each = " ".join(_sentence(one, step) for one in call.operands)
    return f"{head} {each} {sums}", f"{head} {sums}"


def _sentence(one: Operand, step: int) -> str:
    """What a step has of an array, in words."""
    panel = _Panel(one, step)
    inside = one.inside[step] or not all(one.shape)
    over = (", hangs over" if inside else ", lies outside the array") if panel.hangs_over else ""
    back = ", comes back" if one.result and panel.returns else ""
    state = _SAYS[panel.state].removeprefix("result, ")
    index = _point(one.indices[step].tolist())
    return f"{_name(one)} {_point(one.shape)}: block {index} of {_point(one.block)}, {state}{back}{over}."


# -- an array as blocks -----------------------------------------------------------------------------------------

Tile = tuple[int, int]
"""The first row and column of a block."""


@dataclass(frozen=True)
class _Panel:
    """An array at a step, as rows and columns: of more than two axes, what the step sees of the last two."""

    one: Operand
    step: int

    @property
    def starts(self) -> list[tuple[int, ...]]:
        """The first element of the block of each step."""
        return list(map(tuple, self.one.starts.tolist()))

    def flat(self, sizes: Sequence[int], fill: int) -> Tile:
        """Something of each axis, for rows and columns: an array of one axis is one row."""
        row, column = (fill, fill, *sizes)[-2:]
        return row, column

    @property
    def shape(self) -> Tile:
        """How many rows and columns there are."""
        return self.flat(self.one.shape, 1)

    @property
    def block(self) -> Tile:
        """How many of them a block has."""
        return self.flat(self.one.block, 1)

    @property
    def here(self) -> Tile:
        """Where the step's block begins."""
        return self.flat(self.one.starts[self.step].tolist(), 0)

    @property
    def earlier_tiles(self) -> set[Tile]:
        """Where the blocks of earlier steps began, as far as they are in what is drawn."""
        leading = self.starts[self.step][:-2]
        earlier = self.starts[: self.step]
        return {self.flat(start, 0) for start in earlier if start[:-2] == leading}

    @property
    def tiles(self) -> list[Tile]:
        """Where blocks begin: everywhere if the array is cut in blocks, or where some step has one."""
        if "element" in self.one.kinds:
            return sorted({self.flat(start, 0) for start in self.starts})
        rows, columns = (range(0, max(n, 1), max(b, 1)) for n, b in zip(self.shape, self.block, strict=True))
        return list(itertools.product(rows, columns))

    @property
    def state(self) -> State:
        """What the step's own block is."""
        moves = bool(self.one.moves[self.step])
        if self.one.result:
            return "finished" if moves else "open"
        return "fetched" if moves else "stays"

    @property
    def returns(self) -> bool:
        """Whether the step's block was the one of an earlier step, and another one came between."""
        return bool(self.one.changes[self.step]) and self.starts[self.step] in self.starts[: self.step]

    @property
    def hangs_over(self) -> bool:
        """Whether the step's block ends behind the array, or begins before it."""
        pairs = zip(self.here, self.block, self.shape, strict=True)
        return any(a < 0 or a + b > n for a, b, n in pairs)

    @property
    def cell(self) -> tuple[float, float]:
        """Height and width of an element."""
        rows, columns = (min(_CELL, _SIDE / max(n, 1)) for n in self.shape)
        return rows, columns

    def box(self, start: Tile) -> tuple[float, float, float, float]:
        """Left, top, width and height of what is in the array of a block."""
        sides = []
        for first, length, n, cell in zip(start, self.block, self.shape, self.cell, strict=True):
            low, high = max(first, 0), min(first + length, n)
            sides.append((low * cell, max(high - low, 0) * cell))
        (top, height), (left, width) = sides
        return left, top, width, height

    @property
    def over(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the whole block, for what hangs over; one that is far away is beside."""
        sides = []
        for first, length, n, cell in zip(self.here, self.block, self.shape, self.cell, strict=True):
            long = min(length * cell, _SIDE / 2) if first >= n or first + length <= 0 else length * cell
            at = n * cell + 6 if first >= n else -long if first + length <= 0 else first * cell
            low, high = max(at, -_GAP / 2), min(at + long, n * cell + _SIDE / 2)
            sides.append((low, max(high - low, 0)))
        (top, height), (left, width) = sides
        return left, top, width, height

    @property
    def size(self) -> tuple[float, float]:
        """Width and height, with the name above, and room for what hangs over."""
        height, width = (n * cell for n, cell in zip(self.shape, self.cell, strict=True))
        if self.hangs_over:
            left, top, wide, high = self.over
            width, height = max(width, left + wide), max(height, top + high)
        words = max(len(line) for line in self.lines) * 11 * ADVANCE
        return max(width + self.margin, words), height + self.margin + 34

    @property
    def margin(self) -> float:
        """Room in front of the array, for a block that begins before it."""
        return _GAP / 2 if min(self.here) < 0 else 0.0

    @property
    def lines(self) -> tuple[str, str]:
        """Name and shape, and the block."""
        leading = self.one.starts[self.step].tolist()[:-2]
        part = f"[{', '.join(map(str, leading))}]" if leading else ""
        shape = "×".join(map(str, self.one.shape)) or "one number"
        block = "×".join(map(str, self.one.block)) or "1"
        name = fitting((_name(self.one), _name(self.one)[:12]), 190, 12)
        return f"{name}{part} {shape}", f"block {block}"

    def draw(self, sheet: Sheet, x: float, y: float) -> None:
        """Draw it with its upper left corner at (x, y)."""
        sheet.text(x, y + 10, self.lines[0], 11.0, "start", font_weight="bold")
        sheet.faint(x, y + 23, self.lines[1], "start")
        x, y = x + self.margin, y + 30 + self.margin
        height, width = (n * cell for n, cell in zip(self.shape, self.cell, strict=True))
        sheet.rect(x, y, width, height, stroke_opacity=0.5)
        for tile in self.tiles:
            if tile != self.here:
                past: State = ("written" if self.one.result else "was here") if tile in self.earlier_tiles else ""
                _mark(sheet, (x, y), self.box(tile), past)
        if self.hangs_over:
            _draw_dashed(sheet, (x, y), self.over)
        with sheet.group(f"{_name(self.one)}: {_SAYS[self.state]}"):
            _mark(sheet, (x, y), self.box(self.here), self.state)


def _draw_dashed(sheet: Sheet, at: tuple[float, float], box: tuple[float, float, float, float]) -> None:
    left, top, width, height = box
    sheet.rect(at[0] + left, at[1] + top, width, height, stroke_dasharray=VIRTUAL)


def _mark(sheet: Sheet, at: tuple[float, float], box: tuple[float, float, float, float], state: State) -> None:
    """Draw a block in a state: each differs in its fill or its sign, and not in colour alone."""
    x, y, width, height = at[0] + box[0], at[1] + box[1], box[2], box[3]
    if not (width and height):
        return
    colour = BLUE if state in ("open", "finished", "written") else ORANGE
    if state in ("fetched", "finished"):
        sheet.rect(x, y, width, height, fill=colour, fill_opacity=0.75, stroke_width=2.5)
    elif state in ("stays", "open"):
        sheet.rect(x, y, width, height, stroke=colour, stroke_width=2.5)
        sheet.hatch(x, y, width, height, stroke=colour, stroke_opacity=0.9)
    else:
        tint: dict[str, Any] = {"fill": BLUE, "fill_opacity": 0.16} if state == "written" else {}
        if min(width, height) >= _FINE:
            sheet.rect(x, y, width, height, stroke_opacity=0.35, **tint)
        elif state:  # lines between such blocks would leave no room for them
            past: dict[str, Any] = {"fill": "currentColor", "fill_opacity": 0.16, "stroke": "none"}
            sheet.rect(x, y, width, height, **{**past, **tint})
    size = min(3.0, width / 2 - 1, height / 2 - 1)
    middle = (x + width / 2, y + height / 2)
    if state == "written" and size > 0.5:
        sheet.rect(middle[0] - size, middle[1] - size, 2 * size, 2 * size, fill=BLUE, stroke="none")
    if state == "was here" and size > 0.5:
        sheet.add("circle", cx=middle[0], cy=middle[1], r=size * 0.8, fill="currentColor", fill_opacity=0.45)


# -- the sheet --------------------------------------------------------------------------------------------------


def _picture(call: Blocks, step: int, width: float, alt: str) -> Picture:
    sheet = Sheet()
    panels = [_Panel(one, step) for one in call.operands]
    x = y = bottom = 0.0
    for panel in panels:
        wide, high = panel.size
        if x and x + wide > width:
            x, y = 0.0, bottom + 8
        panel.draw(sheet, x, y)
        x, bottom = x + wide + _GAP, max(bottom, y + high)
    bottom = _draw_legend(sheet, bottom + 10, width, _legend(panels))
    bottom = _draw_lanes(sheet, bottom + 12, width, call, step)
    return sheet.picture(bottom, alt, width=width)


def _legend(panels: Sequence[_Panel]) -> Iterator[tuple[State, str]]:
    """The states that a picture has, each with its words."""
    own: set[State] = {panel.state for panel in panels if panel.one.inside[panel.step]}
    past: set[State] = {
        "written" if panel.one.result else "was here" for panel in panels if panel.earlier_tiles - {panel.here}
    }
    yield from ((state, words) for state, words in _SAYS.items() if state in own | past)
    if any(panel.hangs_over for panel in panels):
        yield "", _OVER


def _draw_legend(sheet: Sheet, y: float, width: float, entries: Iterator[tuple[State, str]]) -> float:
    x = 0.0
    for state, words in entries:
        wide = 26 + len(words) * 11 * RUNNING + 10
        if x and x + wide > width:
            x, y = 0.0, y + 20
        if state:
            _mark(sheet, (x + 1, y + 1), (0, 0, 18, 12), state)
        else:
            _draw_dashed(sheet, (x + 1, y + 1), (0, 0, 18, 12))
        sheet.text(x + 26, y + 11, words, 11.0, "start", font_family=SANS)
        x += wide
    return y + 18


def _draw_lanes(sheet: Sheet, y: float, width: float, call: Blocks, step: int) -> float:
    """Draw all steps: a thin bar for each array that is moved at a step, and one in the middle for the step."""
    each = (width - _NAMES - 4) / max(call.steps, 1)
    each = min(each, 26.0)
    top = y
    for name, arrays in (("in", call.inputs), ("compute", ()), ("out", call.outputs)):
        thick = min(12.0, max(3.0, 24.0 / max(len(arrays), 1)))
        high = max(len(arrays) * thick, 14.0)
        sheet.faint(0, y + high / 2 + 4, name, "start")
        for row, one in enumerate(arrays):
            colour, at = (BLUE if one.result else ORANGE), y + row * thick
            _bars(sheet, np.flatnonzero(one.moves).tolist(), at, thick - 1, each, fill=colour)
        if name == "compute":
            _bars(sheet, range(call.steps), y + 1, 12.0, each, fill="currentColor", fill_opacity=0.3)
        sheet.path(f"M{_NAMES:g} {y + high + 2:.1f}h{each * call.steps:.1f}", stroke_opacity=0.25)
        y += high + 6
    left = _NAMES + each * step
    sheet.rect(left - 1, top - 3, each + 1, y - top + 1, stroke_width=2)
    last, words = _NAMES + each * call.steps, f"step {step}"
    half = len(words) * 11 * ADVANCE / 2
    middle = min(max(left + each / 2, _NAMES - 20 + half), width - half)
    sheet.faint(middle, y + 11, words)
    if middle + half + 12 < last - 20:
        sheet.faint(last, y + 11, str(call.steps - 1), "end")
    if middle - half - 12 > _NAMES + 8:
        sheet.faint(_NAMES, y + 11, "0", "start")
    return y + 16


def _bars(sheet: Sheet, steps: Sequence[int], y: float, high: float, each: float, **look: Any) -> None:
    """Bars at some steps, as one path."""
    wide = max(each - 1, each * 0.6)
    path = "".join(f"M{_NAMES + each * step:.1f} {y:.1f}h{wide:.1f}v{high:.1f}h{-wide:.1f}z" for step in steps)
    if path:
        sheet.path(path, stroke="none", **look)
