"""The stages between a Python function and its machine code, and what each line became at each of them.

`show` puts the reader's own function beside its jaxpr, its StableHLO and its optimised HLO. Choose a line, and what
became of it stands out at every stage. `count` says how much there is at each stage.

JAX notes for each equation which line it comes from, and hands the note on: to StableHLO as `loc(...)`, to HLO as
`metadata={...}`. Here the notes are read and taken out of the text; what remains is the text as JAX and XLA print it.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

import jax
import numpy as np

from jaxcourse import explore, insides
from jaxcourse.probe import safe_to_jit
from jaxcourse.table import Report, Table, number

LONGEST = 200
"""How many lines of a listing are shown."""

# The style of another choice may follow on the same page, so what differs from it here must weigh more.
_STYLE = """
.jaxcourse-listing{max-width:100%;max-height:28em;overflow:auto;padding:.25em 0;line-height:1.5;white-space:pre;
font-size:.8125em;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.jaxcourse-listing:focus-visible{outline:3px solid #4a74e0;outline-offset:2px}
form.jaxcourse-stages .jaxcourse-listing label{display:flex;width:max-content;min-width:100%;padding:0 0 0 .5em;
border-color:transparent;font-size:1em;overflow-wrap:normal}
.jaxcourse-row{display:block;width:max-content;min-width:100%;padding-right:1em;box-sizing:border-box}
.jaxcourse-number{display:inline-block;width:3ch;margin-right:1ch;padding-right:1ch;text-align:right;
border-right:1px solid #808080}
.jaxcourse-unmarked{display:inline-block;width:1em;margin:0 .45em 0 calc(.5em + 1px)}
"""
_CHOSEN = (
    ".jaxcourse-stages:has(.jaxcourse-pick-{n}:checked) .jaxcourse-from-{n}{{font-weight:700;"
    "box-shadow:inset 4px 0 currentColor;background-color:rgba(128,128,128,.2)}}\n"
)


@dataclass(frozen=True)
class Line:
    """A line of a listing.

    Args:
        text: the line.
        origin: the line of the function that it comes from, counted from 1; 0 if none is known.
    """

    text: str
    origin: int = 0


@dataclass(frozen=True)
class Listing:
    """The program at one stage.

    Args:
        stage: "jaxpr", "StableHLO" or "optimised HLO".
        lines: its text.
    """

    stage: str
    lines: tuple[Line, ...]

    @property
    def alt(self) -> str:
        """What the listing shows, in words."""
        marked = sum(line.origin > 0 for line in self.lines)
        return f"{self.stage}: {len(self.lines)} lines, {marked} of them marked with the line they come from."

    def visible_lines(self) -> tuple[Line, ...]:
        """The lines, or the first `LONGEST` of them and how many are left out."""
        left_out = len(self.lines) - LONGEST
        return self.lines if left_out <= 0 else (*self.lines[:LONGEST], Line(f"... and {left_out} more lines"))


@dataclass(frozen=True, repr=False)
class Stages:
    """A function and its program at each stage; a notebook lets the reader choose line and stage.

    Args:
        name: the function's name.
        source: its lines; empty if Python does not know them.
        listings: what it became, stage by stage.
    """

    name: str
    source: tuple[str, ...]
    listings: tuple[Listing, ...]

    def became(self, line: int) -> dict[str, tuple[str, ...]]:
        """What one line of the function became at each stage.

        Args:
            line: the line, counted from 1 at the function's first one, its decorator if it has any.

        Example:
            >>> def decay(n):
            ...     rate = 0.5 * n
            ...     return -rate
            >>> show(decay, 3.0).became(3)["jaxpr"]
            ('c:f32[] = neg b',)
        """
        return {
            listing.stage: tuple(found.text.strip() for found in listing.lines if found.origin == line)
            for listing in self.listings
        }

    @property
    def html(self) -> str:
        """Source and listings as one self-contained element with radio buttons, without JavaScript."""
        name = "stages-" + hashlib.sha256(repr((self.name, self.source, self.listings)).encode()).hexdigest()[:12]
        picked = sorted({line.origin for listing in self.listings for line in listing.lines} - {0})
        rules = "".join(_CHOSEN.format(n=n) for n in picked)
        frames = [_frame(f"{name}-stage", self.name, listing) for listing in self.listings]
        frames[0] = frames[0].replace("<input ", '<input checked="checked" ', 1)
        return (
            f"<div><style>{explore.STYLE}{_STYLE}{rules}</style>"
            f'<form class="jaxcourse-explore jaxcourse-stages" method="dialog">'
            f"<fieldset><legend>Which line of {escape(self.name)}?</legend>{self._source(name, picked)}</fieldset>"
            f"<fieldset><legend>What became of it, at which stage?</legend>"
            f'<div class="jaxcourse-frames">{"".join(frames)}</div></fieldset></form></div>'
        )

    def _source(self, name: str, picked: list[int]) -> str:
        rows = [_source_row(f"{name}-line", i, text, picked) for i, text in enumerate(self.source, 1)]
        rows = rows or ['<div class="jaxcourse-row">Python does not know its source.</div>']
        return _scroll_box(f"The source of {self.name}, {len(self.source)} lines.", "".join(rows))

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        parts = [(self.name, [Line(text, i) for i, text in enumerate(self.source, 1)])]
        parts += [(listing.stage, list(listing.visible_lines())) for listing in self.listings]
        return "\n\n".join("\n".join([title, *map(_text_row, lines)]) for title, lines in parts)


def _text_row(line: Line) -> str:
    return f"{line.origin or '':>4} | {line.text}"


def _source_row(group: str, line: int, text: str, picked: list[int]) -> str:
    code = f'<span class="jaxcourse-number">{line}</span><span>{escape(text) or " "}</span>'
    if line not in picked:
        return f'<div class="jaxcourse-row"><span class="jaxcourse-unmarked"></span>{code}</div>'
    checked = 'checked="checked" ' if line == picked[0] else ""
    button = f'<input {checked}type="radio" class="jaxcourse-pick-{line}" name="{group}" value="{line}"/>'
    return f'<label class="jaxcourse-from-{line}">{button}<span>{code}</span></label>'


def _frame(group: str, name: str, listing: Listing) -> str:
    rows = "".join(
        f'<div class="jaxcourse-row jaxcourse-from-{line.origin}">'
        f'<span class="jaxcourse-number">{line.origin or " "}</span>{escape(line.text)}</div>'
        for line in listing.visible_lines()
    )
    button = f'<label><input type="radio" name="{group}"/><span>{escape(listing.stage)}</span></label>'
    return f'{button}<div class="jaxcourse-frame">{_scroll_box(f"{name} as {listing.alt}", rows)}</div>'


def _scroll_box(alt: str, inside: str) -> str:
    """A box that scrolls on its own; the focus is for scrolling with the keyboard."""
    return f'<div class="jaxcourse-listing" role="group" aria-label="{escape(alt)}" tabindex="0">{inside}</div>'


# -- what is shown ----------------------------------------------------------------------------------------------


def show(function: Callable[..., Any], *args: Any) -> Stages:
    """Show a function at every stage of its compilation, and which line became what.

    Args:
        function: a function of arrays, jitted or not. If it takes static arguments, jit it first.
        *args: its arguments, or a `jax.ShapeDtypeStruct` in place of each: values are not needed.

    Returns:
        Source and listings. In a notebook they are chosen by radio buttons, in a terminal they are text in which the
        number at the left is the function's line, counted from 1.

    Raises:
        TypeError: if `function` cannot be called, or is a ufunc of NumPy, which JAX cannot trace.

    Example:
        >>> def kinetic(m, v):
        ...     return m * v**2 / 2
        >>> [listing.stage for listing in show(kinetic, 1.0, 2.0).listings]
        ['jaxpr', 'StableHLO', 'optimised HLO']
    """
    traced = _to_jitted(function).trace(*args)
    lowered = traced.lower()
    source = _Source.of(function)
    program = insides.of_traced(traced)
    origins = _Origins(source, program)
    listings = (
        Listing("jaxpr", origins.lines(insides.jaxpr_lines(program))),
        Listing("StableHLO", origins.lines(insides.stablehlo_lines(lowered))),
        Listing("optimised HLO", origins.lines(insides.hlo_lines(lowered.compile()))),
    )
    return Stages(_name(function), source.lines, listings)


def _to_jitted(function: Callable[..., Any]) -> Any:
    if not callable(function):
        raise TypeError(f"expected a function and its arguments, got {type(function).__name__}: pass f, x, not f(x)")
    if isinstance(function, np.ufunc):
        raise TypeError(f"JAX cannot trace NumPy's {function.__name__}: use jax.numpy.{function.__name__}")
    return function if insides.is_jitted(function) else jax.jit(safe_to_jit(function))


def _name(function: Callable[..., Any]) -> str:
    return str(getattr(_python(function), "__name__", type(function).__name__))


def _python(function: Any) -> Any:
    """The function that somebody wrote, inside `jit`, `partial` and other wrappers."""
    inner = inspect.unwrap(function)
    while isinstance(inner, functools.partial):
        inner = inspect.unwrap(inner.func)
    return inner


@dataclass(frozen=True)
class _Source:
    """Where a function is written: its file, the number of its first line there, and its lines."""

    file: str = ""
    first: int = 0
    lines: tuple[str, ...] = ()

    @classmethod
    def of(cls, function: Callable[..., Any]) -> _Source:
        python = _python(function)
        if not inspect.isfunction(python) and not inspect.ismethod(python):
            python = inspect.unwrap(type(python).__call__)
        try:
            lines, first = inspect.getsourcelines(python)
        except (OSError, TypeError):  # typed at a prompt, or not written in Python
            return cls()
        if python.__code__.co_filename == "<string>":  # all that `exec` runs has this name, and so has `python -c`
            return cls()
        return cls(python.__code__.co_filename, first, tuple(line.rstrip() for line in lines))

    def line(self, file: str, number: int) -> int:
        """The line of the function, counted from 1, that is a line of a file; 0 if it is outside the function."""
        inside = file == self.file and 0 <= number - self.first < len(self.lines)
        return number - self.first + 1 if inside else 0


class _Origins:
    """From a line of any file to the line of the function that called it, as the traceback of each equation tells."""

    def __init__(self, source: _Source, program: insides.Program) -> None:
        self.source = source
        self.callers: dict[tuple[str, int], int] = {}
        for equation in program.everything:
            self._learn(equation.came_from)

    def _learn(self, places: Iterable[tuple[str, int]]) -> None:
        passed: list[tuple[str, int]] = []
        for place in places:
            if own := self.source.line(*place):
                self.callers.update((place, own) for place in passed if place not in self.callers)
                return
            passed.append(place)

    def lines(self, written: Iterable[insides.ListedLine]) -> tuple[Line, ...]:
        """The lines of a listing, with the lines of the function that they come from."""
        return tuple(Line(each.text, self._origin(each.place) if each.place else 0) for each in written)

    def _origin(self, place: tuple[str, int]) -> int:
        return self.source.line(*place) or self.callers.get(place, 0)


# -- what is counted --------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Counts(Report):
    """How much there is of each kind of thing at each stage of a function.

    Args:
        name: the function's name.
        equations: equations of the jaxpr, with those in loops, branches and inner functions.
        operations: operations of the StableHLO.
        instructions: instructions of the optimised HLO, with those inside fusions.
        fusions: how many of them are fusions.
        flops: arithmetic operations that one call carries out, as the compiler estimates.
        bytes: bytes that one call reads and writes, as the compiler estimates.
        arguments: bytes of the arguments.
        results: bytes of the results.
        temporaries: bytes that the program needs in addition.
    """

    name: str
    equations: int
    operations: int
    instructions: int
    fusions: int
    flops: float
    bytes: float
    arguments: int
    results: int
    temporaries: int

    def _parts(self) -> list[Table | str]:
        rows = [
            ["jaxpr", "equations", f"{self.equations:,}"],
            ["StableHLO", "operations", f"{self.operations:,}"],
            ["optimised HLO", "instructions", f"{self.instructions:,}"],
            ["", "fusions among them", f"{self.fusions:,}"],
            ["executable", "FLOPs", number(self.flops)],
            ["", "bytes read and written", number(self.bytes)],
            ["", "bytes of arguments", f"{self.arguments:,}"],
            ["", "bytes of results", f"{self.results:,}"],
            ["", "bytes of temporaries", f"{self.temporaries:,}"],
        ]
        return [Table(f"The stages of {self.name}", ["stage", "what", "how many"], rows)]


def count(function: Callable[..., Any], *args: Any) -> Counts:
    """Count what a function consists of at every stage of its compilation.

    Args:
        function: a function of arrays, jitted or not. If it takes static arguments, jit it first.
        *args: its arguments, or a `jax.ShapeDtypeStruct` in place of each.

    Returns:
        The counts, which show as a table. Those of the optimised program differ between versions of JAX and between
        devices; FLOPs and bytes are the compiler's estimates.

    Raises:
        TypeError: if `function` cannot be called, or is a ufunc of NumPy, which JAX cannot trace.

    Example:
        >>> counts = count(lambda x: 2 * x + 1, jax.ShapeDtypeStruct((100,), "float32"))
        >>> counts.equations, counts.flops, counts.arguments, counts.results
        (2, 200.0, 400, 400)
    """
    traced = _to_jitted(function).trace(*args)
    lowered = traced.lower()
    compiled = lowered.compile()
    optimised, costs = insides.instructions(compiled), insides.costs(compiled)
    return Counts(
        name=_name(function),
        equations=len(insides.of_traced(traced).everything),
        operations=insides.stablehlo_statements(lowered),
        instructions=sum(optimised.counts.values()),
        fusions=optimised.fusions,
        **asdict(costs),
    )
