"""A counterexample as people can read it: a small table of input, wanted and got, in which what differs is marked.

Numbers have four digits, and more where two would look alike that are not. A long array is cut around the first place
that differs. Below the table stands the call as code, exact, to be pasted.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import agree, differs, is_numeric
from jaxcourse.markup import code, table

DIGITS = 4
"""Significant digits of a number."""
AXIS = 8
"""How many places of an axis are shown whole; of a longer one three, around what differs, and its ends."""
ELEMENTS = 48
"""How many numbers are written out as code."""
LONGEST = 60
"""Characters of a text, or of the name of anything else."""
WHOLE = 500
"""Characters of all that is shown; where there are more, the call as code is left out."""

Path = tuple[Any, ...]
"""The way to a part of a value: indices and keys."""
Same = Callable[[Any, Any], bool]
_CUT = "…"


# -- what differs -----------------------------------------------------------------------------------------------


def differing_paths(got: Any, want: Any, same: Same, rtol: float | None = None) -> list[Path]:
    """The places at which two values are not the same, in order; `[()]` where they differ as a whole.

    Args:
        got: what came back.
        want: what should have come back.
        same: whether two parts are the same.
        rtol: see `exercise.is_close`.

    Example:
        >>> from jaxcourse.exercise import agree
        >>> differing_paths({"a": (1, 2), "b": 3}, {"a": (1, 5), "c": 3}, agree)
        [('a', 1), ('c',), ('b',)]
        >>> differing_paths(np.ones(2), np.ones((2, 1)), agree), differing_paths(1, 1, agree)
        ([()], [])
    """
    if same(got, want):
        return []
    if isinstance(want, Mapping) and isinstance(got, Mapping):
        keys = dict.fromkeys([*want, *got])
        parts = [(key, *path) for key in keys for path in _at_key(got, want, key, same, rtol)]
        return parts or [()]
    if is_numeric(want) and is_numeric(got):
        a, b = np.asarray(got), np.asarray(want)
        places: Any = np.argwhere(differs(a, b, rtol)) if a.shape == b.shape else []
        return [tuple(map(int, place)) for place in places] or [()]
    many = isinstance(want, (tuple, list)) and isinstance(got, (tuple, list)) and len(want) == len(got)
    parts = (
        [(i, *path) for i in range(len(want)) for path in differing_paths(got[i], want[i], same, rtol)] if many else []
    )
    return parts or [()]


def _at_key(got: Mapping[Any, Any], want: Mapping[Any, Any], key: Any, same: Same, rtol: float | None) -> list[Path]:
    return differing_paths(got[key], want[key], same, rtol) if key in got and key in want else [()]


# -- numbers ----------------------------------------------------------------------------------------------------


def number(value: Any, digits: int = DIGITS) -> str:
    """A number as Python writes it, a float by some significant digits.

    Example:
        >>> number(2 / 3), number(1234567.0), number(2.5), number(-1e-9), number(10**9), number(float("nan"))
        ('0.6667', '1234567.0', '2.5', '-1e-09', '1000000000', 'nan')
        >>> number(1 / 3 + 2j), number(np.float32(0.1), 17), number(np.True_)
        ('(0.3333+2j)', '0.1', 'True')
    """
    plain = _of_python(value)
    if isinstance(plain, complex):
        real, imaginary = (_float(part, digits).removesuffix(".0") for part in (plain.real, plain.imag))
        return f"({real}{'' if imaginary.startswith('-') else '+'}{imaginary}j)"
    return _float(plain, digits) if isinstance(plain, float) else repr(plain)


def _of_python(value: Any) -> Any:
    """A number as one of Python's: a float of half the digits by the shortest that gives it."""
    if not isinstance(value, np.generic) or value.dtype.kind in "biu":
        return value.item() if isinstance(value, np.generic) else value
    if value.dtype.kind == "c":
        return complex(float(str(value.real)), float(str(value.imag)))
    return float(str(value))


def _float(x: float, digits: int) -> str:
    exact = repr(x)
    if not math.isfinite(x):
        return exact
    short = f"{x:.0f}" if 10**digits <= abs(x) < 1e16 and x % 1 else repr(float(f"{x:.{digits - 1}e}"))
    return exact if len(exact) <= len(short) or x % 1 == 0 and abs(x) < 1e16 else short


class Numbers:
    """How the numbers of a table are written: each by few digits, and by more where two would look alike.

    Example:
        >>> write = Numbers([1 / 3, 0.1, 0.10001], lambda a, b: a != b)
        >>> write(1 / 3), write(0.1), write(0.10001)
        ('0.3333', '0.1', '0.10001')
    """

    def __init__(self, values: Iterable[Any], apart: Callable[[Any, Any], bool], digits: int = DIGITS) -> None:
        """Find the digits that each number needs.

        Args:
            values: all that are shown.
            apart: whether two numbers that are not equal must be told apart.
            digits: how many a number has at least.
        """
        self.digits: dict[Any, int] = {}
        self._tell_apart(list(dict.fromkeys(map(_of_python, values))), apart, digits)

    def _tell_apart(self, values: Sequence[Any], apart: Callable[[Any, Any], bool], digits: int) -> None:
        alike: dict[str, list[Any]] = {}
        for value in values:
            self.digits[value] = digits
            alike.setdefault(number(value, digits), []).append(value)
        for same in alike.values():
            if digits < 17 and any(apart(a, b) for a, b in itertools.combinations(same, 2)):
                self._tell_apart(same, apart, digits + 1)

    def __call__(self, value: Any) -> str:
        """A number as it is written in this table."""
        return number(value, self.digits.get(_of_python(value), DIGITS))


def _is_key(value: Any) -> bool:
    return isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.extended)


# -- a value, written -------------------------------------------------------------------------------------------

Line = list[tuple[str, bool]]
"""Pieces of text, each with whether it is marked."""


@dataclass(frozen=True)
class ValueWriter:
    """Writes a value as lines of pieces.

    Attributes:
        write: a number at a path.
        marks: the paths of what is marked.
        focus: where to look first if nothing is marked.
        beside: the other value, of which a text may differ late.
    """

    write: Callable[[Any, Path], str]
    marks: Sequence[Path] = ()
    focus: Path = ()
    beside: Any = None

    def lines(self, value: Any, path: Path = ()) -> list[Line]:
        """The lines of a value, or of the part of it at a path."""
        marked = any(path[:length] in self._marked_paths for length in range(len(path) + 1))
        if _is_key(value):
            return [[("a key", marked)]]
        if isinstance(value, (np.ndarray, jax.Array)) and np.ndim(value):
            return self._list_lines("[", "]", np.asarray(value), range(len(value)), path, marked)
        if isinstance(value, Mapping):
            return self._list_lines("{", "}", list(value.values()), list(value), path, marked)
        if type(value) in (list, tuple):
            ends = ("[", "]") if isinstance(value, list) else ("(", ",)") if len(value) == 1 else ("(", ")")
            return self._list_lines(*ends, value, range(len(value)), path, marked)
        return [[(self._scalar(value, path), marked)]]

    @cached_property
    def _marked_paths(self) -> frozenset[Path]:
        return frozenset(self.marks)

    def numbers(self, value: Any) -> dict[Path, Any]:
        """The numbers of a value that are shown, by their paths."""
        seen: dict[Path, Any] = {}
        replace(self, write=lambda one, path: str(seen.setdefault(path, one))).lines(value)
        return seen

    def _scalar(self, value: Any, path: Path) -> str:
        if isinstance(value, (np.ndarray, jax.Array)):
            value = np.asarray(value)[()]
        if isinstance(value, (np.datetime64, np.timedelta64)):
            return str(value)
        if isinstance(value, (bool, int, float, complex)) or (isinstance(value, np.generic) and is_numeric(value)):
            return self.write(value, path)
        text = repr(value.item()) if isinstance(value, (np.str_, np.bytes_)) else repr(value)
        return _around(" ".join(text.split("\n")), repr(_at(self.beside, path)))

    def _list_lines(
        self, opening: str, closing: str, parts: Any, keys: Sequence[Any], path: Path, marked: bool
    ) -> list[Line]:
        """The parts of a list, a tuple, an axis or a dictionary between brackets: in one line, if they fit into it."""
        rows: list[list[Line]] = []
        for i in self._places(parts, keys, path):
            if i is None:
                rows.append([[(_CUT, False)]])
                continue
            rows.append(self.lines(parts[i], (*path, keys[i])))
            if opening == "{":
                rows[-1][0] = [(f"{keys[i]!r}: ", marked or (*path, keys[i]) in self.marks), *rows[-1][0]]
        many = any(len(row) > 1 for row in rows) or sum(len(text) for row in rows for text, _ in row[0]) > LONGEST
        lines: list[Line] = [[(opening, marked)]]
        for place, row in enumerate(rows):
            if place:
                lines[-1].append((", " if not many else ",", marked))
                lines += [[(" ", False)]] if many else []
            lines[-1] += row[0]
            lines += [[(" ", False), *line] for line in row[1:]]
        lines[-1].append((closing, marked))
        return lines

    def _places(self, parts: Any, keys: Sequence[Any], path: Path) -> list[int | None]:
        """Which parts are shown: all, if they are few; else those around the first that is marked, and the ends."""
        length = len(parts)
        if length <= 5 or length <= AXIS and _count(parts, 4 * AXIS + 1) <= 4 * AXIS:
            return list(range(length))
        depth, ways = len(path), [*self.marks, self.focus]
        # The rows of an array are cut alike: around the first place of all.
        ways = [*ways[:1], *(way for way in ways if way[:depth] == path)]
        steps = [way[depth] for way in ways if len(way) > depth]
        first = next((keys.index(step) for step in steps if step in keys), 1)
        kept = sorted({0, length - 1, *range(max(0, first - 1), min(length, first + 2))})
        places: list[int | None] = []
        for i in kept:
            places += [None] if places and places[-1] is not None and i > places[-1] + 1 else []
            places.append(i)
        return places


def _count(value: Any, limit: int) -> int:
    """How many things stand in an array, or in lists within lists, counted to a limit: an answer may be very long."""
    if isinstance(value, (np.ndarray, jax.Array)):
        return min(int(value.size), limit)
    if not isinstance(value, (list, tuple)):
        return 1
    counted = 0
    for part in value:
        counted += _count(part, limit - counted)
        if counted >= limit:
            break
    return counted


def value_text(value: Any, digits: int = DIGITS) -> str:
    """A value in one line, with its dtype and its strides if they are unusual.

    Args:
        value: anything.
        digits: significant digits of a float; where two of them would look alike, there are more.

    Example:
        >>> value_text(np.array([1, 2], np.uint8)), value_text(np.arange(3.0)[::-1]), value_text(np.arange(50))
        ('[1, 2] as uint8', '[2.0, 1.0, 0.0] with strides (-8,)', '[0, 1, 2, …, 49]')
    """
    write = Numbers(SHOWN.numbers(value).values(), _unequal, digits)
    lines = ValueWriter(lambda one, _: write(one)).lines(value)
    text = " ".join("".join(text for text, _ in line).strip() for line in lines)
    return f"{text} {unusual(value)}".rstrip()


SHOWN = ValueWriter(lambda _, __: "")
"""Finds which numbers of a value are shown where nothing is marked."""


def _at(value: Any, path: Path) -> Any:
    """The part of a value at a path; nothing where it has none."""
    for step in path:
        try:
            value = value[step]
        except (IndexError, KeyError, TypeError):
            return None
    return value


def _around(text: str, other: str) -> str:
    """A long text, cut around the first place at which it differs from another one."""
    if len(text) <= LONGEST:
        return text
    same = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
    start = max(0, min(same - LONGEST // 3, len(text) - LONGEST))
    end = start + LONGEST
    return f"{_CUT if start else ''}{text[start:end]}{_CUT if end < len(text) else ''}"


def cell(lines: Iterable[Line]) -> list[str]:
    """Lines as the cells of a table in markup: what is marked is strong."""
    return ["".join(map(_piece, _joined(line))) for line in lines]


def _joined(line: Line) -> Iterator[tuple[str, bool]]:
    for marked, pieces in itertools.groupby(line, key=lambda piece: piece[1]):
        yield "".join(text for text, _ in pieces), marked


def _piece(piece: tuple[str, bool]) -> str:
    text, marked = piece
    return f"**{code(text)}**" if marked else code(text)


# -- code -------------------------------------------------------------------------------------------------------


def as_code(value: Any) -> str:
    """A value as Python reads it, exactly; empty where that is too long, or cannot be done.

    Example:
        >>> as_code(np.array([0.1, np.nan], np.float32)), as_code((1, "a")), as_code(np.float16(2))
        ('np.array([0.1, np.nan], np.float32)', "(1, 'a')", 'np.float16(2.0)')
        >>> as_code(np.arange(3)[::-1]), as_code(np.zeros((2, 2), order="F")), as_code(object())
        ('np.array([0, 1, 2])[::-1]', "np.array([[0.0, 0.0], [0.0, 0.0]], order='F')", '')
    """
    if _is_key(value):
        words = np.asarray(jax.random.key_data(value))
        return f"jax.random.wrap_key_data({_array(words)})" if words.size <= ELEMENTS else ""
    if isinstance(value, (np.ndarray, jax.Array)):
        return _array(value) if np.size(value) <= ELEMENTS and np.asarray(value).dtype.kind != "O" else ""
    if isinstance(value, Mapping):
        return _between("{", [(f"{key!r}: ", part) for key, part in value.items()], "}")
    if type(value) in (list, tuple):
        ends = "[]" if isinstance(value, list) else ("(", ",)") if len(value) == 1 else "()"
        return _between(ends[0], [("", part) for part in value], ends[1])
    if isinstance(value, np.generic):
        return f"{_type(value.dtype)}({_literal(value)})"
    is_plain = value is None or isinstance(value, (bool, int, float, complex, str, bytes))
    return _literal(value) if is_plain and len(repr(value)) <= 400 else ""


def _between(opening: str, parts: Sequence[tuple[str, Any]], closing: str) -> str:
    inside = [(name, as_code(part)) for name, part in parts]
    return f"{opening}{', '.join(name + text for name, text in inside)}{closing}" if all(t for _, t in inside) else ""


def _literal(value: Any) -> str:
    """A number or a text; what is no literal of Python is NumPy's."""
    value = value[()] if isinstance(value, np.ndarray) else value
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return repr(str(value))
    plain = value.item() if isinstance(value, (np.str_, np.bytes_)) else _of_python(value)
    if isinstance(plain, complex) and not (math.isfinite(plain.real) and math.isfinite(plain.imag)):
        return f"complex({_literal(plain.real)}, {_literal(plain.imag)})"
    text = repr(plain)
    return f"{'-' * (text[0] == '-')}np.{text.lstrip('-')}" if text in ("nan", "inf", "-inf") else text


def _type(dtype: np.dtype) -> str:
    if dtype.kind in "mMUS":
        return repr(str(dtype))
    return f"{'jnp' if dtype.kind == 'V' else 'np'}.{dtype.name}{'_' if dtype.kind == 'b' else ''}"


def _array(value: Any) -> str:
    """An array with its dtype, its order in memory and the direction of its axes."""
    array = np.asarray(value)
    back = tuple(
        slice(None, None, -1 if step < 0 and length > 1 else None)
        for step, length in zip(array.strides, array.shape, strict=True)
    )
    turned = any(way.step for way in back)
    base = array[back] if turned else array
    usual = (
        array.dtype in (np.dtype("float64"), np.dtype("int64"), np.dtype("bool"), np.dtype("complex128")) and array.size
    )
    rest = "" if usual else f", {_type(array.dtype)}"
    rest += (
        ", order='F'"
        if isinstance(value, np.ndarray) and array.ndim > 1 and base.flags.f_contiguous and not base.flags.c_contiguous
        else ""
    )
    shape = f".reshape{array.shape}" if 0 in array.shape[:-1] else ""
    ways = f"[{', '.join('::-1' if way.step else ':' for way in back)}]" if turned else ""
    maker = "jnp" if isinstance(value, jax.Array) else "np"
    return f"{maker}.array({_nested(base)}{rest}){shape}{ways}"


def _is_stepped(value: Any) -> bool:
    """Whether an array's strides are none that its code gives it."""
    if not isinstance(value, np.ndarray) or value.size < 2:
        return False
    onward = value[tuple(slice(None, None, -1 if step < 0 else None) for step in value.strides)]
    return not (onward.flags.c_contiguous or onward.flags.f_contiguous)


def _nested(array: np.ndarray) -> str:
    return f"[{', '.join(map(_nested, array))}]" if array.ndim else _literal(array)


# -- the table --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Example:
    """A call on which an answer is wrong.

    Attributes:
        names: of the arguments.
        case: the arguments.
        want: what should have come back.
        got: what came back.
        places: see `differing`.
        call: the call as code, such as `largest(x)`; empty if nobody could write it.
        by_dtype: whether the results' dtypes count.
    """

    names: Sequence[str]
    case: Sequence[Any]
    want: Any
    got: Any
    places: Sequence[Path]
    call: str = ""
    by_dtype: bool = False

    def __str__(self) -> str:
        """The example in markup: a table, a sentence on what differs, and the call as code."""
        rows = [*self._argument_rows(), *self._results()]
        parts = [*filter(None, [table(rows), " ".join(self._sentences())])]
        code = self._code()
        fits = sum(map(len, [*parts, code])) <= WHOLE
        return "\n\n".join([*parts, code] if code and fits else parts)

    @property
    def _is_dtype_alone(self) -> bool:
        """Whether nothing but the dtype differs."""
        if not (self.by_dtype and is_numeric(self.want) and is_numeric(self.got)):
            return False
        return list(self.places) == [()] and _lengths(self.want) == _lengths(self.got) and agree(self.got, self.want)

    def _argument_rows(self) -> Iterator[Sequence[str]]:
        shown = [replace(SHOWN, focus=self._focus(value)) for value in self.case]
        numbers = (one for way, value in zip(shown, self.case, strict=True) for one in way.numbers(value).values())
        write = Numbers(numbers, _unequal)
        for name, way, value in zip(self.names, shown, self.case, strict=True):
            lines = replace(way, write=lambda one, _: write(one)).lines(value)
            yield from _rows(code(name), cell(lines), unusual(value))

    def _focus(self, value: Any) -> Path:
        """The place of an argument at which a result of the same lengths differs first."""
        alike = itertools.takewhile(
            lambda pair: pair[0] == pair[1], zip(_lengths(value), _lengths(self.want), strict=False)
        )
        return self.places[0][: len(list(alike))]

    def _results(self) -> Iterator[Sequence[str]]:
        marks = () if self._is_dtype_alone else self.places
        wanted, came = (replace(SHOWN, marks=marks).numbers(value) for value in (self.want, self.got))
        marked = wanted.keys() & came.keys() & set(self.places)
        pairs = {(_of_python(wanted[path]), _of_python(came[path])) for path in marked}
        write = Numbers(
            [*wanted.values(), *came.values()], lambda a, b: _far(a, b) or (a, b) in pairs or (b, a) in pairs
        )
        texts = {}
        for name, value, other in (("wanted", self.want, self.got), ("got", self.got, self.want)):
            lines = ValueWriter(self._writer(write, name), marks, beside=other).lines(value)
            texts[name] = cell(lines)
        alike = texts["wanted"] == texts["got"]
        for name, value in (("wanted", self.want), ("got", self.got)):
            yield from _rows(name, texts[name], self._kind(value, alike))

    def _writer(self, write: Numbers, name: str) -> Callable[[Any, Path], str]:
        """Writes numbers; what is right up to rounding is written as it is wanted."""

        def written(value: Any, path: Path) -> str:
            wanted = _number_at(self.want, path) if name == "got" else None
            marked = any(path[: len(place)] == place for place in self.places)
            rounded = not marked and isinstance(_of_python(value), float) and isinstance(_of_python(wanted), float)
            return write(wanted if rounded else value)

        return written

    def _kind(self, value: Any, alike: bool) -> str:
        """What the numbers do not show of a result: its dtype where that counts, or its type."""
        if self.by_dtype and is_numeric(value):
            text = f"as {np.asarray(value).dtype}"
        elif alike:
            shape = f" of shape {np.shape(value)}" if isinstance(value, (np.ndarray, jax.Array)) else ""
            text = f"({type(value).__name__}{shape})"
        else:
            return ""
        return f"**{text}**" if alike else text

    def _sentences(self) -> Iterator[str]:
        want, got, places = self.want, self.got, self.places
        if is_numeric(want) and is_numeric(got):
            right, came = np.asarray(want), np.asarray(got)
            if came.shape != right.shape:
                yield f"The shape should be {right.shape}, not {came.shape}."
                return
            if self._is_dtype_alone:
                yield f"The dtype should be {right.dtype}, not {came.dtype}."
                return
        if places[0] and not isinstance(want, (bool, int, float, complex, str)):
            arrays = isinstance(want, (np.ndarray, jax.Array))
            where = f"[{', '.join(map(str, places[0]))}]" if arrays else "".join(f"[{step!r}]" for step in places[0])
            more = len(places) - 1
            others = f" and at {more:,} more place{'s' * (more > 1)}" if more else ""
            yield f"It differs at {code(where)}{others}."

    def _code(self) -> str:
        codes = [as_code(value) for value in self.case]
        if not (all(codes) and all(name.isidentifier() for name in self.names)):
            return ""
        notes = [f"  # here with strides {value.strides}" if _is_stepped(value) else "" for value in self.case]
        lines = [f"{name} = {text}{note}" for name, text, note in zip(self.names, codes, notes, strict=True)]
        text = "\n".join([*lines, *filter(None, [self.call])])
        return f"```\n{text}\n```" if "```" not in text else ""


def _lengths(value: Any) -> tuple[int, ...]:
    return () if _is_key(value) or not is_numeric(value) else np.shape(value)


def _rows(name: str, cells: Sequence[str], suffix: str = "") -> Iterator[Sequence[str]]:
    last = f"{cells[-1]} {suffix}".rstrip()
    for i, text in enumerate([*cells[:-1], last]):
        yield ("" if i else name, text)


def unusual(value: Any) -> str:
    """The dtype and the strides of an argument, where they are not what one expects.

    Example:
        >>> unusual(np.zeros(2)), unusual(np.zeros(4, "uint8")[::2])
        ('', 'as uint8 with strides (2,)')
    """
    if not isinstance(value, (np.ndarray, np.generic, jax.Array)) or _is_key(value):
        return ""
    array = np.asarray(value)
    usual = array.ndim == 0 or array.size == 0 or str(array.dtype) in ("float64", "int64", "bool", "complex128")
    odd = isinstance(value, np.ndarray) and not (array.flags.c_contiguous or array.flags.f_contiguous)
    return " ".join(
        filter(None, ["" if usual else f"as {array.dtype}", f"with strides {array.strides}" if odd else ""])
    )


def _number_at(value: Any, path: Path) -> Any:
    """The number at a path, if there is one."""
    try:
        found = np.asarray(value)[path] if is_numeric(value) else _at(value, path)
        return (
            found[()] if isinstance(found, np.ndarray) and found.ndim == 0 else found if np.ndim(found) == 0 else None
        )
    except (IndexError, KeyError, TypeError, ValueError):
        return None


def _unequal(a: Any, b: Any) -> bool:
    return bool(a != b) and not (a != a and b != b)


def _far(a: Any, b: Any) -> bool:
    """Whether two numbers differ by more than rounding."""
    return _unequal(a, b) and not np.isclose(a, b, rtol=1e-6, atol=0, equal_nan=True)
