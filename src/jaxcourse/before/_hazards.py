"""What may surprise in a function, each with the section that explains it: read off the program, nothing is run.

That none is named says that none of these was seen, and no more.
"""

from __future__ import annotations

import re
import sysconfig
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import insides
from jaxcourse.markup import code
from jaxcourse.table import si

LARGE = 1 << 20
"""Bytes from which on a copy in every call, or an array that could be given away, is named."""
CAPTURED = 1 << 16
"""Bytes from which on an array that is no argument is named."""
WRITTEN_OUT = 20
"""How often the same operation of the same line stands in a program, before it is taken for a loop of Python."""

SECTIONS = {
    "captured": "constant-cost",
    "cut": "float32-by-default",
    "cut integers": "int32-by-default",
    "copied": "where-arrays-live",
    "key": "key-reuse",
    "raw key": "keys-are-values",
    "written out": "unrolling",
    "donation": "donation",
    "unusable donation": "donation",
    "unknown length": "control-flow",
    "callback": "seeing-inside",
    "shapes": "new-shapes",
    "types": "cache-key",
    "structures": "cache-key",
    "placed": "cache-key",
    "static": "static-arguments",
    "anew": "function-identity",
    "left": "tracer-errors",
    "warned": "silent-failures",
}
"""For each hazard, the label of the section of the course that explains it."""


@dataclass(frozen=True)
class Hazard:
    """Something that may surprise.

    Attributes:
        name: which one, as in `SECTIONS`.
        says: what was seen, in markup.
    """

    name: str
    says: str

    @property
    def section(self) -> str:
        """The label of the section that explains it."""
        return SECTIONS[self.name]

    def __str__(self) -> str:
        return self.says


@dataclass(frozen=True)
class Asked:
    """What was asked, and what JAX made of it.

    Attributes:
        function: as it was given.
        args: its arguments.
        kwargs: those with names.
        program: what JAX traced.
        kernels: what was compiled.
        heard: the warnings that were raised meanwhile.
        result: shapes and dtypes of what comes back, in its structure.
        donates: whether memory of an argument is given away, and used.
        donated: for each input of the program, whether it is given away.
        bound: how many of the arguments are given by the function itself, as that of a bound method.
        reused: what JAX says of a key that is used twice; empty if it says nothing.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    program: insides.Program
    kernels: Sequence[insides.Kernel]
    heard: Sequence[str]
    result: Any
    donates: bool = False
    donated: tuple[bool, ...] = ()
    bound: int = 0
    reused: str = ""

    @cached_property
    def given(self) -> dict[int | str, Any]:
        """The arguments that are traced, by position or name, in the order of the program's inputs: no static ones."""
        every: dict[int | str, Any] = dict(enumerate(self.args))
        every |= {name: self.kwargs[name] for name in sorted(self.kwargs)}
        if not insides.is_jitted(self.function):
            return every
        call = self.function, self.args, self.kwargs
        return {which: value for which, value in every.items() if not insides.is_static(*call, which)}

    @property
    def leaves(self) -> list[Any]:
        """Of the arguments that are traced, in JAX's order: one for each input of the program."""
        return jax.tree.leaves(list(self.given.values()))

    def call_with(self, values: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of the call, and those with names, with others in the place of those that are traced."""
        given = dict(zip(self.given, values, strict=True))
        args = [given.get(i, value) for i, value in enumerate(self.args)]
        return args, {name: given.get(name, value) for name, value in self.kwargs.items()}


def hazards(asked: Asked) -> tuple[Hazard, ...]:
    """The hazards of a function, each once."""
    found = (one for each in _ALL for one in each(asked))
    return tuple(dict.fromkeys(found))


def _captured(asked: Asked) -> Iterator[Hazard]:
    for (kind, size), count in _constants(asked.program).items():
        if size >= CAPTURED:
            alone = ("A captured array", "is no argument", "it")
            what, ends, had = alone if count == 1 else (f"{count} captured arrays", "are no arguments", "they")
            yield Hazard(
                "captured",
                f"**{what}** of {si(size, 'B')}, {code(kind)}, {ends}. The program holds the values that {had} had "
                "when it was traced.",
            )


def _constants(program: insides.Program) -> Counter[tuple[str, int]]:
    """How many arrays are no arguments, in the program and those inside, by type and bytes; no keys: they are small."""
    held, handed_on = dict[int, tuple[str, int]](), set[tuple[str, int]]()
    for each in _programs(program):
        for value, array in zip_longest(each.constants, each.held[: len(each.constants)]):
            if value.dtype and not value.is_key:
                if array is None:  # a call hands its own on to what it calls
                    handed_on.add((_kind(value), value.nbytes))
                else:
                    held[id(array)] = _kind(value), value.nbytes
    return Counter([*held.values(), *sorted(handed_on - set(held.values()))])


def _programs(program: insides.Program) -> list[insides.Program]:
    """A program and those inside, each once, however often it is called."""
    inside = [one for each in program.everything for one in each.inside]
    return list({id(one): one for one in (program, *inside)}.values())


_CUT = frozenset(["float64", "int64", "uint64", "complex128"])


def _cut(asked: Asked) -> Iterator[Hazard]:
    kinds = np.ndarray | np.generic | jax.ShapeDtypeStruct
    for leaf, value in zip(asked.leaves, asked.program.inputs, strict=False):
        if isinstance(leaf, kinds) and leaf.dtype.name in _CUT and leaf.dtype.name != value.dtype:
            name = "cut" if leaf.dtype.kind in "fc" else "cut integers"
            yield Hazard(
                name,
                f"**64 bits are cut**: an argument is {code(str(leaf.dtype))}, JAX computes with {code(value.dtype)}.",
            )
    for said in asked.heard:
        if "requested dtype" in said and "truncated" in said:
            found = re.search(r"u?int64|float64|complex128", said)
            wanted = found[0] if found else "64 bits"
            yield Hazard(
                "cut integers" if "int" in wanted else "cut",
                f"**64 bits are cut**: the function asks for {code(wanted)}, and gets half of them.",
            )


def _copied(asked: Asked) -> Iterator[Hazard]:
    if (size := sum(leaf.nbytes for leaf in asked.leaves if isinstance(leaf, np.ndarray))) >= LARGE:
        yield Hazard(
            "copied",
            f"**A copy in every call**: {si(size, 'B')} of the arguments are NumPy's. Make JAX arrays of them once, "
            "before the first call.",
        )


def _called_back(asked: Asked) -> Iterator[Hazard]:
    for primitive, count in Counter(one.primitive for one in asked.program.everything if one.calls_back).items():
        often = "" if count == 1 else f" in {count} places"
        yield Hazard(
            "callback", f"**Python is called in every run**, by {code(primitive)}{often}: the device waits for it."
        )


def _written_out(asked: Asked) -> Iterator[Hazard]:
    """Lines that a loop of Python wrote into the program many times."""
    worst: dict[tuple[str, int], int] = {}
    for (_, places), equations in _by_places(asked.program).items():
        count = _longest_run(equations)
        if count >= WRITTEN_OUT:
            worst[places[0]] = max(count, worst.get(places[0], 0))
    for (file, line), count in worst.items():
        yield Hazard(
            "written out",
            f"**A loop of Python is written out**: line {line} of {code(name_of(file))} stands {count} times in the "
            "program. `scan`, `fori_loop` or `vmap` keep it once.",
        )


def _by_places(program: insides.Program) -> dict[tuple[int, tuple[tuple[str, int], ...]], list[insides.Equation]]:
    """The equations by the reader's own lines that led to each: a helper that four lines call is no loop.

    Of a jitted one JAX keeps the program, with the lines that led to it first: it counts once, as what calls it do.
    """
    found: dict[tuple[int, tuple[tuple[str, int], ...]], list[insides.Equation]] = {}
    for number, each in enumerate(_programs(program)):
        for one in each.equations:
            if places := tuple(each for each in one.came_from if is_own(each[0])):
                found.setdefault((number, places), []).append(one)
    return found


def _longest_run(equations: Sequence[insides.Equation]) -> int:
    """How often a line was run: the shortest pattern of operations that repeats, and how many times it does.

    A single line with many operations, such as a polynomial, has no pattern that repeats so often with nothing else.
    """
    names = [(one.primitive, one.outputs[0].shape if one.outputs else ()) for one in equations]
    best = 0
    for period in range(1, len(names) // WRITTEN_OUT + 1):
        run = 0
        for i in range(period, len(names)):
            run = run + 1 if names[i] == names[i - period] else 0
            if run:
                best = max(best, run // period + 1)
        if best >= WRITTEN_OUT:
            return best
    return best


_LIBRARIES = tuple({sysconfig.get_paths()[each] for each in ("stdlib", "platstdlib", "purelib", "platlib")})
_OURS = str(Path(insides.__file__).parents[1])


def is_own(file: str) -> bool:
    """Whether a file is the reader's, and not of Python, a library or the course."""
    others = (*_LIBRARIES, _OURS, "<frozen")
    return not (file.startswith(others) or "site-packages" in file or "dist-packages" in file)


def name_of(file: str) -> str:
    """What a file is called: a notebook's cell has a file with a number for its name.

    Example:
        >>> name_of("/home/me/model.py"), name_of("/tmp/ipykernel_7/3412.py"), name_of("<ipython-input-3-1f>")
        ('model.py', 'a cell', 'a cell')
    """
    return "a cell" if "ipykernel" in file or file.startswith("<ipython") else Path(file).name


def _donation(asked: Asked) -> Iterator[Hazard]:
    for said in asked.heard:
        if "donated buffers were not usable" in said:
            yield Hazard(
                "unusable donation", f"**A donation that JAX cannot use**: {said.partition(':')[2].strip() or said}"
            )
    if any("donated buffers" in said for said in asked.heard):
        return
    given, needed = _given_away(asked), _used(asked.program)
    results = Counter((value.shape, value.dtype) for value in asked.program.outputs)
    of_no_use = [one for one in given if not _takes(results, one) and id(one) in needed]
    if of_no_use and any(asked.donated):  # JAX warns once, where it lowers, and this may have been before
        kinds = ", ".join(_kind(one) for one in of_no_use)
        yield Hazard("unusable donation", f"**A donation that JAX cannot use**: {kinds}.")
        return
    kept = [one for one in asked.program.inputs if one not in given and not one.is_key]
    spare = sum(one.nbytes for one in kept if _takes(results, one))
    if spare >= LARGE:
        yield Hazard(
            "donation",
            f"**A donation that could be**: {si(spare, 'B')} of the arguments have shape and dtype of a result. If you "
            "don't need them afterwards, `donate_argnums` saves as much new memory.",
        )


def _given_away(asked: Asked) -> list[insides.Value]:
    """The inputs that are given away: by the function, or, if it is not jitted, by a jitted one that it calls."""
    found = {id(one) for one, given in zip(asked.program.inputs, asked.donated, strict=False) if given}
    if not insides.is_jitted(asked.function):
        for each in asked.program.equations:
            found |= {id(one) for one, given in zip(each.inputs, each.donated, strict=True) if given}
    return [one for one in asked.program.inputs if id(one) in found]


def _used(program: insides.Program) -> set[int]:
    return {id(one) for each in program.equations for one in each.inputs} | {id(one) for one in program.outputs}


def _takes(results: Counter[tuple[tuple[int, ...], str]], value: insides.Value) -> bool:
    """Whether one of the results that are left may lie in the memory of a value; if so, it is no longer left."""
    if results[value.shape, value.dtype] <= 0:
        return False
    results[value.shape, value.dtype] -= 1
    return True


def _unknown_length(asked: Asked) -> Iterator[Hazard]:
    if any(one.runs is None for one in asked.kernels):
        yield Hazard("unknown length", "**A `while` whose length the program does not know**: no total can be said.")


def _shapes(asked: Asked) -> Iterator[Hazard]:
    for arg in asked.given.values():
        numbers = [leaf for leaf in jax.tree.leaves(arg) if isinstance(leaf, int | float | complex)]
        if type(arg) in (list, tuple) and len(numbers) >= 8:  # a named tuple has always as many
            yield Hazard(
                "shapes",
                f"**Shapes that change**: a list of {len(numbers)} Python numbers is as many arguments, and a list of "
                "another length another program. Make it one array.",
            )


def _types(asked: Asked) -> Iterator[Hazard]:
    """A state that comes back as something else: the second call compiles again."""
    for given, made in _states(asked):
        changed = [one != two for one, two in zip(given, made, strict=True)]
        if any(changed) and not all(changed):
            yield Hazard(
                "types",
                f"**A state that changes its type**: {sum(changed)} of {len(changed)} arrays of an argument come back "
                "with another dtype or weak type. The next call, with what came back, compiles again.",
            )


def _states(asked: Asked) -> Iterator[tuple[list[Any], list[Any]]]:
    """Arguments of two arrays or more that come back, whole or as a part of the result: types before, and after.

    Those of one structure and the same shapes are taken in their order, if as many come back as go in.
    """
    parts = asked.result if type(asked.result) is tuple else ()
    for results in ([asked.result], parts):
        given, made = (_by_structure(values) for values in (asked.given.values(), results))
        for structure in given.keys() & made.keys():
            if len(given[structure]) == len(made[structure]):
                yield from zip(given[structure], made[structure], strict=True)


def _by_structure(values: Iterable[Any]) -> dict[Any, list[list[Any]]]:
    """The types of what has two arrays or more, by its structure and their shapes; keys are left out."""
    found: dict[Any, list[list[Any]]] = {}
    for value in values:
        leaves, structure = jax.tree.flatten(value)
        types = [_type_of(leaf) for leaf in leaves if not _is_key(leaf)]
        if len(leaves) >= 2:
            found.setdefault((str(structure), *(shape for shape, *_ in types)), []).append(types)
    return found


def _type_of(leaf: Any) -> tuple[tuple[int, ...], str, bool]:
    return jnp.shape(leaf), str(jnp.result_type(leaf)), _is_weak(leaf)


def _anew(asked: Asked) -> Iterator[Hazard]:
    if count := made_anew(asked):
        functions = "a function" if count == 1 else f"{count} functions"
        yield Hazard(
            "anew",
            f"**A `jit` made anew**: every call makes {functions} and jits what it made, so JAX never finds the program"
            " again. Make and jit it once, outside, or put one `jax.jit` around the whole.",
        )


def made_anew(asked: Asked) -> int:
    """How many functions it makes anew and jits; 0 if it is jitted itself, for then it runs once for each program."""
    if insides.is_jitted(asked.function) or not any(one.is_jit for one in asked.program.equations):
        return 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return insides.made_anew(asked.function, *asked.args, **asked.kwargs)
        except insides.CannotRead:
            raise
        except Exception:  # it isn't the same function twice, such as one that takes its next batch
            return 0


def _is_key(leaf: Any) -> bool:
    return hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _is_weak(leaf: Any) -> bool:
    return bool(getattr(leaf, "weak_type", isinstance(leaf, int | float | complex)))


def _keys(asked: Asked) -> Iterator[Hazard]:
    if asked.reused:
        yield Hazard("key", f"**A key is used twice.** JAX says: {code(asked.reused)}")
    everything = asked.program.everything
    if any(one.keeps_key and one.outputs[0].is_key for one in everything) and any(one.key_use for one in everything):
        yield Hazard(
            "raw key",
            "**A key of words**, `uint32[2]`: JAX does not watch whether it is used twice. `jax.random.key` makes one "
            "that it watches.",
        )


def _warned(asked: Asked) -> Iterator[Hazard]:
    for said in asked.heard:
        if "donated buffers" not in said and "requested dtype" not in said:
            yield Hazard("warned", f"**JAX warned**: {code(said)}")


def _kind(value: insides.Value) -> str:
    return f"{value.dtype}[{','.join(map(str, value.shape))}]"


_ALL: tuple[Callable[[Asked], Iterator[Hazard]], ...] = (
    _captured,
    _cut,
    _copied,
    _keys,
    _written_out,
    _unknown_length,
    _called_back,
    _shapes,
    _types,
    _anew,
    _donation,
    _warned,
)
