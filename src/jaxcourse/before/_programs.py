"""How many programs several calls compile, and what was new where one more is compiled. Nothing is run."""

from __future__ import annotations

import inspect
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from jaxcourse import insides
from jaxcourse.before import _show
from jaxcourse.before._hazards import Asked, Hazard, hazards, made_anew
from jaxcourse.before._run import jitted, traced
from jaxcourse.markup import as_text, code
from jaxcourse.table import Report, Table, in_html

FIRST = "the first call"
ANEW = "a `jit` made anew"
AS_IF = "The function is not jitted: this is so with `jax.jit` around it."
_SAYS = {
    "shapes": "**Shapes that change**: {n} of {all} calls compile for a shape that is new.",
    "types": "**Types that change**: {n} of {all} calls compile for a dtype or a weak type that is new.",
    "structures": "**A structure that changes**: {n} of {all} calls compile for one that is new.",
    "static": "**A static value that changes**: {n} of {all} calls compile for a value that is new.",
    "placed": "**Arrays in other places**: {n} of {all} calls are compiled for other devices, or for arrays that you "
    "put there yourself.",
}


@dataclass(frozen=True)
class Call:
    """What a call compiles.

    Attributes:
        given: the types of its arguments.
        compiles: how many programs it compiles; 0 if those that it needs were compiled in a call before.
        why: what was new, in markup, beside the call before it that is most like it.
    """

    given: str
    compiles: int
    why: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Programs(Report):
    """How many programs several calls compile.

    Args:
        calls: in their order.
        hazards: what makes them compile again, each with the label of the section that explains it.
        beside: what limits what is said.
    """

    calls: tuple[Call, ...]
    hazards: tuple[Hazard, ...]
    beside: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many programs are compiled in all."""
        return sum(one.compiles for one in self.calls)

    def _parts(self) -> list[Table | str]:
        rows = [[str(i), one.given, str(one.compiles), "; ".join(one.why)] for i, one in enumerate(self.calls, 1)]
        plain = [[*row[:3], row[3].replace("`", "")] for row in rows]
        calls, found = len(self.calls), self.count
        sentence = f"**{found} program{'s'[: found != 1]}** for {calls} call{'s'[: calls != 1]}."
        return [
            sentence,
            Table("What each call compiles", ["call", "given", "compiles", "new in it"], plain),
            *self.beside,
        ]

    def __repr__(self) -> str:
        parts = [str(part) if isinstance(part, Table) else as_text(part) for part in self._parts()]
        return "\n".join([*parts, *_show.hazards_text(self.hazards)]).strip("\n")

    def _repr_html_(self) -> str:
        return f'<div class="jaxcourse-report">{in_html(self._parts())}{_show.hazards_html(self.hazards)}</div>'


@dataclass(frozen=True)
class _Key:
    """A call as JAX's two caches see it.

    Attributes:
        args: its arguments.
        kwargs: those with names.
        trace: what JAX traced of it.
        places: for each leaf, where somebody put it; None where JAX did.
    """

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    trace: Any
    places: tuple[Any, ...]

    def is_same(self, other: _Key) -> bool:
        """Whether both find the same program."""
        return self.places == other.places and insides.same_trace(self.trace, other.trace)


def programs(asked: Asked, calls: Sequence[tuple[Any, ...]]) -> Programs:
    """How many programs a call and some more compile.

    Raises:
        TypeError: a call is no tuple.
        LeavesJax: one of them cannot be traced.
    """
    for one in calls:
        if not isinstance(one, tuple):
            raise TypeError(f"each call is a tuple of its arguments, got {type(one).__name__}: write [(x,), (y,)]")
    first = asked.args[: asked.bound]
    keys = [_key(asked, args) for args in (asked.args, *((*first, *args) for args in calls))]
    found = _calls(asked, keys)
    needed = sum(one.compiles for one, _ in found)
    if anew := made_anew(asked):
        each = tuple(Call(one.given, anew, (ANEW,)) for one, _ in found)
        whole = f"With one `jax.jit` around the whole, these calls need {needed} program{'s'[: needed != 1]}."
        return Programs(each, tuple(one for one in hazards(asked) if one.name == "anew"), (whole,))
    often = Counter(name for _, names in found for name in names)
    seen = tuple(Hazard(name, _SAYS[name].format(n=n, all=len(found))) for name, n in often.items())
    return Programs(tuple(one for one, _ in found), seen, () if insides.is_jitted(asked.function) else (AS_IF,))


def _key(asked: Asked, args: tuple[Any, ...]) -> _Key:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the call that was asked for has said them
        trace = traced(asked.function, args, asked.kwargs)
    return _Key(args, asked.kwargs, trace, tuple(map(_place, jax.tree.leaves((args, asked.kwargs)))))


def _place(leaf: Any) -> Any:
    """Where somebody put an array, or says that it will be; None where JAX put it."""
    if isinstance(leaf, jax.Array):
        return leaf.sharding if leaf.committed else None
    return getattr(leaf, "sharding", None)


def _calls(asked: Asked, keys: Sequence[_Key]) -> list[tuple[Call, set[str]]]:
    """What each call compiles, and which sorts of things were new."""
    found: list[tuple[Call, set[str]]] = []
    compiled: list[_Key] = []
    for key in keys:
        given = ", ".join(_given(key))
        if any(key.is_same(other) for other in compiled):
            found.append((Call(given, 0), set()))
            continue
        news = min((_news(asked, key, other) for other in reversed(compiled)), key=len, default=[("", FIRST)])
        found.append((Call(given, 1, tuple(says for _, says in news)), {name for name, _ in news if name}))
        compiled.append(key)
    return found


# -- what is new ------------------------------------------------------------------------------------------------


def _news(asked: Asked, new: _Key, old: _Key) -> list[tuple[str, str]]:
    """What is new in a call beside another one: the sort, and the words."""
    names = _names(asked, new)
    return list(_differences(asked, names, new, old)) or [("", "another key for JAX, of which no part is known here")]


def _names(asked: Asked, key: _Key) -> list[str]:
    """What the function calls each argument."""
    try:
        bound = inspect.signature(asked.function).bind_partial(*key.args)
    except (TypeError, ValueError):  # a function without a signature
        return [f"argument {i}" for i in range(1, len(key.args) + 1)]
    kinds = inspect.signature(asked.function).parameters
    found: list[str] = []
    for name, value in bound.arguments.items():
        if kinds[name].kind is inspect.Parameter.VAR_POSITIONAL:
            found += [f"{name}[{i}]" for i in range(len(value))]
        else:
            found.append(name)
    return found


def _differences(asked: Asked, names: Sequence[str], new: _Key, old: _Key) -> Iterator[tuple[str, str]]:
    if len(new.args) != len(old.args):
        yield "structures", f"{len(new.args)} arguments, not {len(old.args)}"
        return
    for i, (name, one, other) in enumerate(zip(names, new.args, old.args, strict=True)):
        if insides.is_static(jitted(asked.function), new.args, new.kwargs, i):
            if one != other:  # as JAX compares them
                yield "static", f"{code(name)}: static value {code(_short(one))}, not {code(_short(other))}"
        elif str(jax.tree.structure(one)) != str(jax.tree.structure(other)):
            yield "structures", f"{code(name)}: another structure"
        else:
            yield from _of_leaves(name, one, other)


def _of_leaves(name: str, one: Any, other: Any) -> Iterator[tuple[str, str]]:
    """What is new in the arrays of an argument: each thing once, beside the first array that has it."""
    said = set[str]()
    for (path, leaf), before in zip(jax.tree.leaves_with_path(one), jax.tree.leaves(other), strict=True):
        for sort, words in _of_leaf(leaf, before):
            if sort not in said:
                said.add(sort)
                yield sort, f"{code(name + jax.tree_util.keystr(path))}: {words}"


def _of_leaf(one: Any, other: Any) -> Iterator[tuple[str, str]]:
    now, then = jax.typeof(one), jax.typeof(other)
    if now.shape != then.shape:
        yield "shapes", f"shape {now.shape}, not {then.shape}"
    if now.dtype != then.dtype:
        yield "types", f"dtype {now.dtype}, not {then.dtype}"
    elif now.weak_type != then.weak_type:
        yield "types", f"{_weak(now)}, not {_weak(then)}"
    if now.shape == then.shape and _place(one) != _place(other):
        yield "placed", "in another place, or put there by you"


def _weak(kind: Any) -> str:
    return f"a weak {kind.dtype}" if kind.weak_type else f"{kind.dtype}"


def _kind_of(leaf: Any) -> Any:
    """The type that JAX gives to a value; None if it has none."""
    try:
        return jax.typeof(leaf)
    except TypeError:
        return None


def _given(key: _Key) -> Iterator[str]:
    for leaf in jax.tree.leaves(key.args)[: _show.MOST_LEAVES]:
        kind = _kind_of(leaf)
        number = isinstance(leaf, bool | int | float | complex)
        yield _short(leaf) if kind is None or number else kind.str_short()
    if (more := len(jax.tree.leaves(key.args)) - _show.MOST_LEAVES) > 0:
        yield f"{more} more"


def _short(value: Any, most: int = 24) -> str:
    text = getattr(value, "__name__", None) or repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"
