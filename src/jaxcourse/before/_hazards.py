"""What may surprise in a function, each with the section that explains it: read off the program, nothing is run.

That none is named says that none of these was seen, and no more.
"""

from __future__ import annotations

import re
import sysconfig
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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
        donates: whether memory of an argument is given away.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    program: insides.Program
    kernels: Sequence[insides.Kernel]
    heard: Sequence[str]
    result: Any
    donates: bool = False

    @property
    def leaves(self) -> list[Any]:
        """Of all arguments, in JAX's order."""
        return jax.tree.leaves((self.args, self.kwargs))


def hazards(asked: Asked) -> tuple[Hazard, ...]:
    """The hazards of a function, each once."""
    found = (one for each in _ALL for one in each(asked))
    return tuple(dict.fromkeys(found))


def _captured(asked: Asked) -> Iterator[Hazard]:
    for value in _constants(asked.program):
        if value.nbytes >= CAPTURED:
            yield Hazard(
                "captured",
                f"**A captured array** of {si(value.nbytes, 'B')}, {code(_kind(value))}, is no argument. The program "
                "holds the values that it had when it was traced.",
            )


def _constants(program: insides.Program) -> list[insides.Value]:
    """Arrays that are no arguments, of the program and of those inside; no keys, which are small."""
    inside = [one for each in program.everything for one in each.inside]
    found = {id(value): value for each in (program, *inside) for value in each.constants}
    arrays = [value for value in found.values() if not value.is_key and value.dtype]
    held = {(value.shape, value.dtype): value for value in arrays}  # a call hands its own on to what it calls
    return list(held.values())


def _cut(asked: Asked) -> Iterator[Hazard]:
    for leaf, value in zip(asked.leaves, asked.program.inputs, strict=False):
        if isinstance(leaf, np.ndarray | np.generic) and value.dtype and leaf.dtype.name != value.dtype:
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
    for places, equations in _by_places(asked.program).items():
        count = _longest_run(equations)
        if count >= WRITTEN_OUT:
            worst[places[0]] = max(count, worst.get(places[0], 0))
    for (file, line), count in worst.items():
        yield Hazard(
            "written out",
            f"**A loop of Python is written out**: line {line} of {code(name_of(file))} stands {count} times in the "
            "program. `scan`, `fori_loop` or `vmap` keep it once.",
        )


def _by_places(program: insides.Program) -> dict[tuple[tuple[str, int], ...], list[insides.Equation]]:
    """The equations by the reader's own lines that led to each: a helper that four lines call is no loop."""
    found: dict[tuple[tuple[str, int], ...], list[insides.Equation]] = {}
    for one in program.everything:
        if places := tuple(each for each in one.came_from if is_own(each[0])):
            found.setdefault(places, []).append(one)
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
    if asked.donates or any("donated buffers" in said for said in asked.heard):
        return
    results = Counter((value.shape, value.dtype) for value in asked.program.outputs)
    spare = 0
    for value in asked.program.inputs:
        if results[value.shape, value.dtype] > 0 and not value.is_key:
            results[value.shape, value.dtype] -= 1
            spare += value.nbytes
    if spare >= LARGE:
        yield Hazard(
            "donation",
            f"**A donation that could be**: {si(spare, 'B')} of the arguments have shape and dtype of a result. If you "
            "don't need them afterwards, `donate_argnums` saves as much new memory.",
        )


def _unknown_length(asked: Asked) -> Iterator[Hazard]:
    if any(one.runs is None for one in asked.kernels):
        yield Hazard("unknown length", "**A `while` whose length the program does not know**: no total can be said.")


def _shapes(asked: Asked) -> Iterator[Hazard]:
    for arg in (*asked.args, *asked.kwargs.values()):
        numbers = [leaf for leaf in jax.tree.leaves(arg) if isinstance(leaf, int | float | complex)]
        if isinstance(arg, list | tuple) and len(numbers) >= 8:
            yield Hazard(
                "shapes",
                f"**Shapes that change**: a list of {len(numbers)} Python numbers is as many arguments, and a list of "
                "another length another program. Make it one array.",
            )


def _types(asked: Asked) -> Iterator[Hazard]:
    """A state that comes back as something else: the second call compiles again."""
    if not asked.args:
        return
    given, made = jax.tree.flatten(asked.args[0]), jax.tree.flatten(asked.result)
    if str(given[1]) != str(made[1]) or len(given[0]) < 2:
        return
    before = [(jnp.shape(leaf), str(jnp.result_type(leaf)), _is_weak(leaf)) for leaf in given[0] if not _is_key(leaf)]
    after = [(leaf.shape, str(leaf.dtype), leaf.weak_type) for leaf in made[0] if not _is_key(leaf)]
    changed = [one != two for one, two in zip(before, after, strict=False)]
    same_shapes = [one[0] for one in before] == [two[0] for two in after]
    if same_shapes and any(changed) and not all(changed):
        yield Hazard(
            "types",
            f"**A state that changes its type**: {sum(changed)} of {len(changed)} arrays of the first argument come "
            "back with another dtype or weak type. The next call, with what came back, compiles again.",
        )


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
    if hasattr(asked.function, "trace") or not any(one.is_jit for one in asked.program.equations):
        return 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return insides.made_anew(asked.function, *asked.args, **asked.kwargs)


def _is_key(leaf: Any) -> bool:
    return hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _is_weak(leaf: Any) -> bool:
    return bool(getattr(leaf, "weak_type", isinstance(leaf, int | float | complex)))


def _keys(asked: Asked) -> Iterator[Hazard]:
    def traced_anew(*args: Any, **kwargs: Any) -> Any:
        return asked.function(*args, **kwargs)

    try:
        with warnings.catch_warnings(), jax.debug_key_reuse(True):
            warnings.simplefilter("ignore")
            jitted = asked.function if hasattr(asked.function, "eval_shape") else jax.jit(traced_anew)
            jitted.eval_shape(*asked.args, **asked.kwargs)
    except jax.errors.KeyReuseError as error:
        yield Hazard("key", f"**A key is used twice.** JAX says: {code(str(error).splitlines()[0])}")
    if any(_is_raw_key(leaf) for leaf in asked.leaves) and any(one.key_use for one in asked.program.everything):
        yield Hazard(
            "raw key",
            "**A key of words**, `uint32[2]`, is an argument: JAX does not watch whether it is used twice. "
            "`jax.random.key` makes one that it watches.",
        )


def _is_raw_key(leaf: Any) -> bool:
    return getattr(leaf, "shape", ()) == (2,) and str(getattr(leaf, "dtype", "")) == "uint32"


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
