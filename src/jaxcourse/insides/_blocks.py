"""The blocks of a `pl.pallas_call`, as data: which piece of each array every step of the grid has in its hands.

Pallas keeps a call's grid and its blocks in the equation `pallas_call`. Nothing runs to read them: the index maps are
evaluated at every step, and the kernel is a `Program` like any other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.insides import _program
from jaxcourse.insides._belief import CannotRead, belief
from jaxcourse.insides._entered import entered
from jaxcourse.insides._masks import masks_as_factors
from jaxcourse.insides._program import Equation, Program, Value, equations, read

Kind = Literal["blocked", "squeezed", "element"]
"""How an axis is cut: in blocks, in single elements whose axis the kernel does not see, or from any element on."""

_KINDS: dict[str, Kind] = {"Blocked": "blocked", "Squeezed": "squeezed", "Element": "element"}
_CALL = "pallas_call"
_SAME = frozenset({_CALL, "reshape", "squeeze", "expand_dims", "broadcast_in_dim"})
_READS, _WRITES = frozenset({"get"}), frozenset({"swap", "addupdate"})


class NotOneKernel(ValueError):
    """A function has no `pallas_call`, or more than one.

    Attributes:
        calls: how many.
    """

    def __init__(self, calls: int) -> None:
        found = f"{calls} calls of `pl.pallas_call`" if calls else "no `pl.pallas_call`"
        super().__init__(f"the function has {found}: one is to be read")
        self.calls = calls


# -- data -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Operand:
    """An array that a kernel is given, or a result that it makes, with its block at each step of the grid.

    Attributes:
        name: `args[0]`, ..., or `outputs[0]`, ...
        ref: what the kernel calls it, such as `x_ref`; empty where that is not known.
        shape: of the whole array.
        dtype: the name of its dtype.
        block: how many elements a block has along each axis of the array; 1 where the kernel does not see the axis.
        kinds: how each axis is cut: see `Kind`.
        indices: for each step, what the index map gives, shape (steps, axes).
        starts: for each step, the first element of its block along each axis, shape (steps, axes).
        padding: for each axis, how many elements a block may begin before the array and end behind it.
        reads: whether the kernel may read it.
        writes: whether the kernel may write it; a result that it does not write has what was in memory before.
        result: whether it is a result.
    """

    name: str
    ref: str
    shape: tuple[int, ...]
    dtype: str
    block: tuple[int, ...]
    kinds: tuple[Kind, ...]
    indices: np.ndarray
    starts: np.ndarray
    padding: tuple[tuple[int, int], ...]
    reads: bool
    writes: bool
    result: bool

    @property
    def steps(self) -> int:
        """How many steps the grid has."""
        return len(self.starts)

    @property
    def itemsize(self) -> int:
        """How many bytes an element has."""
        return int(jnp.dtype(self.dtype).itemsize)

    @property
    def block_bytes(self) -> int:
        """How many bytes of fast memory a block has, with what hangs over."""
        return math.prod(self.block) * self.itemsize

    @property
    def whole(self) -> bool:
        """Whether a block is the whole array."""
        return all(b >= n for b, n in zip(self.block, self.shape, strict=True))

    @cached_property
    def changes(self) -> np.ndarray:
        """For each step, whether it has another block than the step before; the first has. Shape (steps,)."""
        other = (np.diff(self.starts, axis=0) != 0).any(axis=1)
        return np.concatenate([np.ones(min(self.steps, 1), bool), other])

    @cached_property
    def moves(self) -> np.ndarray:
        """For each step, whether a block is moved at it, shape (steps,).

        A block of an argument is fetched at the first step that has it, and one of a result is written away at the
        last one. A block that stays from one step to the next is not moved.
        """
        return np.concatenate([self.changes[1:], np.ones(min(self.steps, 1), bool)]) if self.result else self.changes

    @cached_property
    def inside(self) -> np.ndarray:
        """For each step, how many bytes of its block are in the array, shape (steps,)."""
        shape = np.array(self.shape, int)
        ends = np.minimum(self.starts + np.array(self.block, int), shape)
        lengths: np.ndarray = (ends - self.starts.clip(0)).clip(0)
        found: np.ndarray = lengths.prod(axis=1) * self.itemsize
        return found

    @property
    def moved_bytes(self) -> int:
        """How many bytes all steps move, without what hangs over the end of the array."""
        return int(self.inside[self.moves].sum())

    @property
    def hangs_over(self) -> int | None:
        """The first step whose block ends behind the array or begins before it; None if there is none."""
        return _first(
            (self.starts < 0).any(axis=1) | (self.starts + np.array(self.block, int) > self.shape).any(axis=1)
        )

    @property
    def outside(self) -> int | None:
        """The first step whose block is not the array's at all; None if there is none.

        That is a block that begins behind the end, or before the beginning. One that is cut from any element on may
        not end behind the end either, unless it is padded.
        """
        low, high = np.array(self.padding, int).reshape(len(self.shape), 2).T
        cut = np.array([kind == "element" for kind in self.kinds], bool)
        shape, ends = np.array(self.shape, int), self.starts + np.array(self.block, int)
        beyond = np.where(cut, ends > np.maximum(shape, 1) + high, self.starts >= np.maximum(shape, 1))
        return _first((beyond | (self.starts < -low)).any(axis=1))

    @property
    def comes_back(self) -> int | None:
        """The first step that has a block which another one has replaced before; None if there is none."""
        seen, before = set[tuple[int, ...]](), None
        for step, start in enumerate(map(tuple, self.starts.tolist())):
            if start != before and start in seen:
                return step
            seen.add(start)
            before = start
        return None

    @property
    def shared(self) -> bool:
        """Whether several steps have the same block: for a result, that is right only where steps run in order."""
        return len(set(map(tuple, self.starts.tolist()))) < self.steps

    @property
    def uncovered(self) -> int:
        """How many elements are in no block of any step."""
        met = np.zeros(self.shape, bool)
        for start in set(map(tuple, self.starts.tolist())):
            met[tuple(slice(max(a, 0), max(a + b, 0)) for a, b in zip(start, self.block, strict=True))] = True
        return int(met.size - met.sum())


def _first(steps: np.ndarray) -> int | None:
    return int(steps.argmax()) if steps.any() else None


@dataclass(frozen=True, eq=False)
class Blocks:
    """A `pl.pallas_call`: its grid, its arrays as blocks, and its kernel.

    Attributes:
        grid: how many steps there are along each axis.
        points: for each step, its place in the grid, as `pl.program_id` gives it: shape (steps, axes).
        inputs: the arrays that it is given, in the kernel's order.
        outputs: its results.
        scratch: the kernel's own memory, which lasts from the first step to the last.
        aliases: pairs of an input's and an output's position that share their memory.
        times: how often the call itself is run; None if that is known only when it runs.
        kernel: the program of one step. Its inputs are the blocks, and the scratch memory.
        around: the program that has the call in it.
    """

    grid: tuple[int, ...]
    points: np.ndarray
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    scratch: tuple[Value, ...]
    aliases: tuple[tuple[int, int], ...]
    times: int | None
    kernel: Program
    around: Program = field(repr=False)

    @property
    def steps(self) -> int:
        """How many steps the grid has."""
        return len(self.points)

    @property
    def operands(self) -> tuple[Operand, ...]:
        """All arrays: what comes in, and what comes out."""
        return (*self.inputs, *self.outputs)

    @property
    def scratch_bytes(self) -> int:
        """How many bytes the kernel has of its own."""
        return sum(each.nbytes for each in self.scratch)

    @property
    def fast_bytes(self) -> int:
        """How many bytes of fast memory a step needs: a block of each array, and the scratch memory.

        A pipeline needs two blocks of each array that moves: one is fetched while the other is computed with.
        """
        return sum(each.block_bytes for each in self.operands) + self.scratch_bytes

    @property
    def moved_bytes(self) -> int:
        """How many bytes all steps move between slow and fast memory."""
        return sum(each.moved_bytes for each in self.operands)

    @property
    def products(self) -> tuple[tuple[str, str, str], ...]:
        """Of each matrix product in the kernel, the dtypes of both factors and of what comes out."""
        found = [each for each in self.kernel.everything if each.primitive == "dot_general"]
        return tuple((each.inputs[0].dtype, each.inputs[1].dtype, each.outputs[0].dtype) for each in found)

    @property
    def masks_as_factors(self) -> int:
        """How many products of floats the kernel makes with a mask: see `_masks`."""
        return masks_as_factors(self.kernel)

    @property
    def made_inside(self) -> list[Value]:
        """Every value that the kernel makes in a step."""
        return [value for equation in self.kernel.everything for value in equation.outputs]

    @property
    def made_outside(self) -> list[Value]:
        """Every value that the function makes outside of its kernels, their results included."""
        return made_outside(self.around)


def made_outside(program: Program) -> list[Value]:
    """Every value that a program makes outside of its kernels, their results included.

    Example:
        >>> [value.shape for value in made_outside(read(lambda x: x[:, None] * x, jnp.ones(3)))]
        [(3, 1), (1, 3), (3, 3)]
    """
    around = [each for each in program.walk() if not any(one.primitive == _CALL for one in each.around)]
    return [value for each in around for value in each.equation.outputs]


def computed_outside(program: Program) -> list[Value]:
    """The values of `made_outside` for which numbers are computed or copied: no kernel's result, and no new shape.

    Example:
        >>> program = read(lambda x: jnp.pad(x[:, None], ((0, 1), (0, 0))), jnp.ones(3))
        >>> [value.shape for value in computed_outside(program) if value.shape]
        [(4, 1)]
    """
    around = [each for each in program.walk() if not any(one.primitive == _CALL for one in each.around)]
    made = [each.equation for each in around if not each.equation.inside and each.equation.primitive not in _SAME]
    return [value for equation in made for value in equation.outputs]


# -- reading ----------------------------------------------------------------------------------------------------


def blocks(function: Callable[..., Any], *args: Any, **named: Any) -> Blocks:
    """The blocks of a function's only `pl.pallas_call`.

    Args:
        function: jitted or not; what it raises passes through.
        *args: its arguments: arrays, and `jax.ShapeDtypeStruct`s in their place, are traced; all else stays.
        **named: arguments by name.

    Raises:
        NotOneKernel: it has none, or several.
        CannotRead: what JAX gives is not what the course knows.

    Example:
        >>> from jax.experimental import pallas as pl
        >>> def double(x, block):
        ...     def kernel(x_ref, o_ref):
        ...         o_ref[...] = 2 * x_ref[...]
        ...     walk = pl.BlockSpec((block,), lambda i: (i,))
        ...     like = jax.ShapeDtypeStruct(x.shape, x.dtype)
        ...     grid = (pl.cdiv(len(x), block),)
        ...     return pl.pallas_call(kernel, like, grid=grid, in_specs=[walk], out_specs=walk, interpret=True)(x)
        >>> found = blocks(double, np.ones(10, np.float32), 4)
        >>> found.grid, found.inputs[0].starts.tolist(), found.outputs[0].hangs_over, found.moved_bytes
        ((3,), [[0], [4], [8]], 2, 80)
    """
    found, _ = every_block(function, *args, **named)
    if len(found) != 1:
        raise NotOneKernel(len(found))
    return found[0]


def every_block(function: Callable[..., Any], *args: Any, **named: Any) -> tuple[tuple[Blocks, ...], Program]:
    """The blocks of each `pl.pallas_call` of a function, in order, and the function's program: see `blocks`.

    Example:
        >>> every_block(lambda x: x + 1, np.ones(3))[0]
        ()
    """
    equations.require()
    around = _read_arrays(function, args, named)
    calls = [place for place in around.walk() if place.equation.primitive == _CALL]
    if not calls:
        blocked.require()  # before there is said to be none
    return tuple(_read_call(place.equation, _times(place), around) for place in calls), around


def _read_arrays(function: Callable[..., Any], args: Sequence[Any], named: dict[str, Any]) -> Program:
    """The program of a function of which arrays, and what stands for one, are traced."""
    given: dict[Any, Any] = {**dict(enumerate(args)), **named}
    traced = [key for key, value in given.items() if isinstance(value, (np.ndarray, jax.Array, jax.ShapeDtypeStruct))]

    def of_arrays(*arrays: Any) -> Any:  # a new function each time: JAX remembers what it has traced
        known = {**given, **dict(zip(traced, arrays, strict=True))}
        return function(*(known[i] for i in range(len(args))), **{name: known[name] for name in named})

    return read(of_arrays, *(given[key] for key in traced))


def _times(place: _program.Place) -> int | None:
    loops = [each.loop for each in place.around if each.loop]
    trips = [loop.trips for loop in loops]
    return None if None in trips else math.prod(trips)  # type: ignore[arg-type]


def _read_call(call: Equation, times: int | None, around: Program) -> Blocks:
    blocked.require()
    mapping, kernel = call._param("grid_mapping"), call._walk.program(call._param("jaxpr"))
    grid = _grid(mapping)
    points = np.indices(grid, np.int32).reshape(len(grid), -1).T if grid else np.zeros((1, 0), np.int32)
    into, out = int(_one_of(mapping, "num_inputs")), int(_one_of(mapping, "num_outputs"))
    if int(_one_of(mapping, "num_index_operands")):
        raise CannotRead("index maps that are given arrays of their own: which block comes is known only when it runs")
    owners = [*_one_of(mapping, "block_mappings")]
    if len(owners) != into + out or len(kernel.inputs) < into + out:
        raise CannotRead(f"a kernel with {len(kernel.inputs)} arguments for {len(owners)} blocks")
    refs, used = _refs(kernel), _Used(kernel)
    operands = [
        _operand(owner, points, call, refs[i], used.of(kernel.inputs[i]), i - into if i >= into else None)
        for i, owner in enumerate(owners)
    ]
    aliases = tuple((int(a), int(b)) for a, b in call._param("input_output_aliases"))
    scratch = kernel.inputs[into + out :]
    return Blocks(grid, points, tuple(operands[:into]), tuple(operands[into:]), scratch, aliases, times, kernel, around)


def _one_of(thing: Any, *names: str) -> Any:
    """An attribute that has one of some names, the newest first."""
    for name in names[:-1]:
        try:
            return _program._part(thing, name)
        except CannotRead:
            pass
    return _program._part(thing, names[-1])


def _grid(mapping: Any) -> tuple[int, ...]:
    found = _one_of(mapping, "grid")
    try:
        return tuple(int(n) for n in found)
    except (TypeError, ValueError, jax.errors.ConcretizationTypeError) as error:
        raise CannotRead(f"a grid that is known only when it runs: {found}") from error


def _operand(
    mapping: Any, points: np.ndarray, call: Equation, ref: str, used: tuple[bool, bool], result: int | None
) -> Operand:
    whole = _one_of(mapping, "array_aval", "array_shape_dtype")  # since JAX 0.8; before
    cut = [_cut(axis) for axis in _one_of(mapping, "block_shape")]
    kinds, sizes = tuple(kind for kind, _, _ in cut), tuple(size for _, size, _ in cut)
    indices = _indices(call._walk.program(_one_of(mapping, "index_map_jaxpr")), points, len(cut))
    scale = np.array([size if kind == "blocked" else 1 for kind, size in zip(kinds, sizes, strict=True)], int)
    low = np.array([pad[0] for _, _, pad in cut], int)
    return Operand(
        str(_one_of(mapping, "origin")) if result is None else f"outputs[{result}]",
        ref,
        tuple(map(int, whole.shape)),
        str(whole.dtype),
        sizes,
        kinds,
        indices,
        indices * scale - low,
        tuple(pad for _, _, pad in cut),
        *used,
        result is not None,
    )


def _cut(axis: Any) -> tuple[Kind, int, tuple[int, int]]:
    """How an axis is cut, into how many elements, and how far it is padded."""
    kind = _KINDS.get(type(axis).__name__)
    if kind is None:
        raise CannotRead(f"an axis that is cut as {axis}")
    if kind == "squeezed":
        return kind, 1, (0, 0)
    low, high = _one_of(axis, "padding") if kind == "element" else (0, 0)
    return kind, int(_one_of(axis, "block_size")), (int(low), int(high))


def _indices(index_map: Program, points: np.ndarray, axes: int) -> np.ndarray:
    """What an index map gives at each point of the grid, shape (steps, axes)."""
    if len(index_map.inputs) != points.shape[1] or len(index_map.outputs) != axes:
        raise CannotRead(f"an index map from {len(index_map.inputs)} to {len(index_map.outputs)} numbers")
    columns = dict(zip(index_map.inputs, points.T, strict=True))
    if index_map.equations or index_map.constants:
        found = _evaluated(index_map, points)
    else:  # most hand on what they are given: nothing is compiled for them
        found = [value.number if value.written else columns[value] for value in index_map.outputs]
    rows = [np.broadcast_to(np.asarray(value).astype(int), len(points)) for value in found]
    return np.stack(rows, axis=1) if rows else np.zeros((len(points), 0), int)


def _evaluated(index_map: Program, points: np.ndarray) -> list[Any]:
    columns = [column.astype(value.dtype) for value, column in zip(index_map.inputs, points.T, strict=True)]
    with jax.ensure_compile_time_eval():
        if not columns:
            return index_map.run()
        return list(jax.jit(jax.vmap(lambda *point: index_map.run(*point)))(*columns))


def _refs(kernel: Program) -> list[str]:
    """What a kernel calls its arguments; empty texts where JAX does not say."""
    opened = getattr(kernel._found, "jaxpr", kernel._found)
    names = getattr(getattr(opened, "debug_info", None), "arg_names", None) or ()
    known = [str(name) if name and str(name).isidentifier() else "" for name in names]
    return known if len(known) == len(kernel.inputs) else [""] * len(kernel.inputs)


class _Used:
    """Which of a kernel's blocks may be read, and which may be written: what is not known may be both."""

    def __init__(self, kernel: Program) -> None:
        self._read, self._written = set[Value](), set[Value]()
        self._look(kernel, {value: value for value in kernel.inputs})

    def of(self, block: Value) -> tuple[bool, bool]:
        return block in self._read, block in self._written

    def _look(self, program: Program, known: dict[Value, Value]) -> None:
        """Note what is done with blocks; `known` says which block a value of the program is."""
        for equation in program.equations:
            touched = [known[value] for value in equation.inputs if value in known]
            inside = entered(equation)
            for inner, pairs in inside:
                self._look(inner, {to: known[value] for to, value in pairs if value in known})
            if not inside:
                self._note(equation, touched)

    def _note(self, equation: Equation, touched: Sequence[Value]) -> None:
        if equation.primitive not in _WRITES:
            self._read.update(touched)
        if equation.primitive == "addupdate":
            self._read.update(touched)
        if equation.primitive not in _READS:
            self._written.update(touched)


# -- the belief -------------------------------------------------------------------------------------------------


def _tried() -> Callable[[Any], Any]:
    """A call with all that is read: a squeezed axis, one cut from any element on, scratch memory, an alias."""
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import tpu

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any, kept: Any) -> None:
        kept[...] = y_ref[...]
        o_ref[...] = x_ref[...] + kept[...]

    def function(x: Any) -> Any:
        return pl.pallas_call(
            kernel,
            jax.ShapeDtypeStruct(x.shape, x.dtype),
            grid=(3, 2),
            in_specs=[
                pl.BlockSpec((None, 2), lambda i, j: (2 - i, j)),
                pl.BlockSpec((None, pl.Element(2, (1, 1))), lambda i, j: (0, j * 2)),
            ],
            out_specs=pl.BlockSpec((None, 2), lambda i, j: (i, j)),
            scratch_shapes=[tpu.VMEM((2,), jnp.float32)],
            input_output_aliases={0: 0},
            interpret=True,
        )(x, x)

    return function


@belief()
def blocked() -> bool:
    """`pl.pallas_call` is the equation `pallas_call`, with its kernel inside, and a mapping from its grid to blocks.

    The mapping says how many arrays go in and come out, and of each its whole array, the sizes of its blocks, and an
    index map. An axis of a block is `Blocked`, `Squeezed` or an `Element`. Reading is `get`, writing `swap`.
    """
    program = read(_tried(), jax.ShapeDtypeStruct((3, 4), np.float32))
    (call,) = [each for each in program.everything if each.primitive == _CALL]
    found = _read_call(call, 1, program)
    x, y, out = found.operands
    shaped = (found.grid, x.shape, x.dtype, x.block, y.block) == ((3, 2), (3, 4), "float32", (1, 2), (1, 2))
    cut = (x.kinds, y.kinds, y.padding[1]) == (("squeezed", "blocked"), ("squeezed", "element"), (1, 1))
    walked = x.starts.tolist() == [[2, 0], [2, 2], [1, 0], [1, 2], [0, 0], [0, 2]]
    cut_anywhere = y.starts.tolist() == [[0, -1], [0, 1]] * 3
    used = [(each.reads, each.writes) for each in found.operands] == [(True, False), (True, False), (False, True)]
    own = [(each.shape, each.dtype) for each in found.scratch] == [((2,), "float32")] and found.aliases == ((0, 0),)
    return shaped and cut and walked and cut_anywhere and used and own and out.name == "outputs[0]"
