"""The program that JAX makes of a function, as data: its equations, and the loops, branches and calls among them.

Nobody outside of this room reads a jaxpr. Names that JAX gives to primitives pass through as they are; what an equation
*is* (a loop, a branch, a draw) is said in words of our own, and rests on beliefs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np
from jax import make_jaxpr  # now: what somebody puts in its place later is not asked

from jaxcourse.insides._belief import CannotRead, belief
from jaxcourse.insides._callbacks import note

KeyUse = Literal["", "draw", "split", "fold"]
"""What an equation does with a random key."""

_KEY_USES: dict[str, KeyUse] = {
    "random_bits": "draw",
    "random_gamma": "draw",
    "rng_bit_generator": "draw",
    "random_split": "split",
    "random_fold_in": "fold",
}
_SAME_KEY = frozenset({"random_wrap", "random_unwrap"})
_CALLED = ("jaxpr", "call_jaxpr", "fun_jaxpr")
_JIT = frozenset({"jit", "pjit"})
_CHECKPOINT = frozenset({"checkpoint", "remat", "remat2"})


# -- data -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Value:
    """A value of a program; two of them are the same only if they are one.

    Attributes:
        shape: its shape.
        dtype: the name of its dtype; empty for what is no array.
        written: whether it is a number that stands in the program.
        number: that number.
    """

    shape: tuple[int, ...]
    dtype: str
    written: bool = False
    number: Any = None

    @property
    def is_key(self) -> bool:
        """Whether it is a key of JAX, or an array of keys: as words, a key is a number like any other."""
        return self.dtype.startswith("key<")

    @property
    def size(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """How many bytes its elements have: none in a gradient by whole numbers."""
        return 0 if self.dtype == "float0" else self.size * int(jnp.dtype(self.dtype).itemsize)


@dataclass(frozen=True, eq=False)
class Loop:
    """A loop of a program.

    Attributes:
        kind: `scan`, which knows how often it runs, or `while`, which does not.
        body: the program of one step. It is given `fixed`, what is carried, and a row of each of `rows`.
        trips: how often it runs; None if that is known only when it runs.
        fixed: what every step is given.
        carried: what the first step is given, and each step hands on to the next.
        rows: arrays of which every step is given one row.
        unroll: how many steps the compiler writes out at a time.
        test: the program that says whether there is another step; None in a scan.
        tested: what the test is given besides what is carried.
    """

    kind: Literal["scan", "while"]
    body: Program
    trips: int | None
    fixed: tuple[Value, ...]
    carried: tuple[Value, ...]
    rows: tuple[Value, ...] = ()
    unroll: int = 1
    test: Program | None = None
    tested: tuple[Value, ...] = ()

    @property
    def stacks(self) -> bool:
        """Whether it stacks a result of every step: what a step returns is smaller than what the loop returns."""
        return self.kind == "scan" and len(self.body.outputs) > len(self.carried)


@dataclass(frozen=True, eq=False)
class Equation:
    """An equation of a program: a primitive applied to values.

    Attributes:
        primitive: its name, as JAX gives it.
        inputs: what it is given.
        outputs: what it makes.
        inside: the programs inside it, in the order in which JAX lists them.
    """

    primitive: str
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    inside: tuple[Program, ...]
    _found: Any = field(repr=False)
    _walk: _Walk = field(repr=False)

    @cached_property
    def details(self) -> str:
        """All that JAX says of the equation besides its values: equal for equations that do the same."""
        return str(sorted((word, str(value)) for word, value in self._params.items()))

    @property
    def _params(self) -> Any:
        return _part(self._found, "params")

    def _param(self, *names: str) -> Any:
        for name in names:
            if name in self._params:
                return self._params[name]
        raise CannotRead(f"the equation `{self.primitive}` has no `{'` or `'.join(names)}`, but {[*self._params]}")

    @cached_property
    def loop(self) -> Loop | None:
        """The loop that the equation is, if it is one."""
        scans.require()
        whiles.require()
        found = {"scan": self._scan, "while": self._while}.get(self.primitive)
        return found() if found else None

    def _scan(self) -> Loop:
        fixed, carried = self._given_to_scan()
        first = self.inputs[fixed:]
        return Loop(
            "scan",
            self._walk.program(self._param("jaxpr")),
            int(self._param("length")),
            self.inputs[:fixed],
            first[:carried],
            first[carried:],
            int(self._param("unroll")),
        )

    def _given_to_scan(self) -> tuple[int, int]:
        """How many of a scan's arguments are the same in every step, and how many are carried."""
        if "num_carry" in self._params:
            return int(self._param("num_consts")), int(self._param("num_carry"))
        fixed, carried, _ = self._param("ft_in").unpack()  # since JAX 0.12
        return len(fixed), len(carried)

    def _while(self) -> Loop:
        tested, fixed = int(self._param("cond_nconsts")), int(self._param("body_nconsts"))
        return Loop(
            "while",
            self._walk.program(self._param("body_jaxpr")),
            None,
            self.inputs[tested : tested + fixed],
            self.inputs[tested + fixed :],
            test=self._walk.program(self._param("cond_jaxpr")),
            tested=self.inputs[:tested],
        )

    @cached_property
    def branches(self) -> tuple[Program, ...]:
        """The programs of which one runs; none if it is no decision. The first input says which, the rest is given."""
        conds.require()
        if self.primitive != "cond":
            return ()
        return tuple(self._walk.program(branch) for branch in self._param("branches"))

    @cached_property
    def called(self) -> Program | None:
        """The program that the equation runs once, on the last of its inputs; None for a loop, and for a decision."""
        calls.require()
        if self.loop or self.branches:
            return None
        found = next((self._params[name] for name in _CALLED if name in self._params), None)
        return self._walk.program(found) if _is_program(found) else None

    @property
    def is_jit(self) -> bool:
        """Whether it calls a function that is jitted."""
        calls.require()
        return self.primitive in _JIT

    @property
    def jitted(self) -> Any:
        """What JAX keeps of the jitted function that it calls: one thing for all calls that share a trace."""
        return self._param("jaxpr") if self.is_jit else None

    @cached_property
    def donated(self) -> tuple[bool, ...]:
        """For each input, whether its memory is given away."""
        return tuple(map(bool, self._param("donated_invars"))) if self.is_jit else (False,) * len(self.inputs)

    @property
    def is_checkpoint(self) -> bool:
        """Whether it computes again in the backward pass what it does not keep."""
        checkpoints.require()
        return self.primitive in _CHECKPOINT

    @property
    def is_mapped(self) -> bool:
        """Whether what is inside runs on each device with its own part."""
        shard_maps.require()
        return self.primitive == "shard_map"

    @property
    def calls_back(self) -> bool:
        """Whether it calls Python while it runs."""
        callbacks.require()
        return "callback" in self.primitive or self.primitive == "debug_print"

    @property
    def key_use(self) -> KeyUse:
        """What it does with the key that is its first input."""
        draws.require()
        return _KEY_USES.get(self.primitive, "")

    @property
    def keeps_key(self) -> bool:
        """Whether what comes out is the same key in another dress."""
        draws.require()
        return self.primitive in _SAME_KEY

    @property
    def into(self) -> int:
        """Into how many keys it splits one."""
        draws.require()
        return math.prod(self._param("shape"))

    @property
    def product(self) -> int:
        """Operations of the matrix product that it is: two for each pair of factors; 0 if it is none."""
        products.require()
        if self.primitive != "dot_general":
            return 0
        (along, _), _ = self._param("dimension_numbers")
        shape = self.inputs[0].shape
        return 2 * self.outputs[0].size * math.prod(shape[int(axis)] for axis in along)

    @property
    def factors(self) -> str:
        """The dtype of a product's factors, or the name of the algorithm by which it was asked to multiply them."""
        products.require()
        asked = self._param("precision")
        if not isinstance(asked, jax.lax.DotAlgorithm | jax.lax.DotAlgorithmPreset):
            return self.inputs[0].dtype
        return str(getattr(asked, "name", asked))

    @property
    def drawn(self) -> int:
        """How many random numbers it draws."""
        return self.outputs[-1].size if self.key_use == "draw" else 0

    @property
    def exponent(self) -> int | None:
        """The whole number to which it raises, if it does."""
        powers.require()
        return int(self._param("y")) if self.primitive == "integer_pow" else None

    @property
    def came_from(self) -> tuple[tuple[str, int], ...]:
        """File and line of each call on the way to the primitive, the innermost first."""
        places.require()
        return _frames(self._found)

    @contextmanager
    def counted(self) -> Iterator[list[int]]:
        """Count how often its primitive is run by itself, outside of every compiled program: a list that grows."""
        primitive = _part(self._found, "primitive")
        compute, runs = _part(primitive, "impl"), list[int]()

        def counting(*args: Any, **params: Any) -> Any:
            runs.append(1)
            return compute(*args, **params)

        primitive.impl = counting
        try:
            yield runs
        finally:
            primitive.impl = compute

    def apply(self, *values: Any) -> list[Any]:
        """What the primitive makes of some values, whatever its inputs are in the program."""
        binding.require()
        return _apply(self._found, values)


@dataclass(frozen=True, eq=False)
class Place:
    """An equation somewhere in a program.

    Attributes:
        equation: which.
        around: the equations that it is inside of, the outermost first.
    """

    equation: Equation
    around: tuple[Equation, ...] = ()

    @property
    def in_loop(self) -> bool:
        """Whether a loop of JAX runs it."""
        return any(each.loop for each in self.around)

    @property
    def in_branch(self) -> bool:
        """Whether a decision says if it runs."""
        return any(each.branches for each in self.around)

    def times(self, unknown: int) -> int:
        """How often it runs, where a loop of unknown length counts as one of so many steps."""
        loops = [each.loop for each in self.around if each.loop]
        return math.prod(unknown if loop.trips is None else loop.trips for loop in loops)


@dataclass(frozen=True, eq=False)
class Program:
    """What JAX traces of a function.

    Attributes:
        inputs: its arguments.
        constants: arrays that it uses and that are no arguments.
        held: the arrays themselves, where the program holds them.
        equations: in order.
        outputs: what it returns.
    """

    inputs: tuple[Value, ...]
    constants: tuple[Value, ...]
    held: tuple[Any, ...]
    equations: tuple[Equation, ...]
    outputs: tuple[Value, ...]
    _found: Any = field(repr=False)

    def walk(self) -> Iterator[Place]:
        """Each equation, and those of the programs inside it, in order: the body of a loop once.

        Example:
            >>> program = read(lambda x: jax.lax.fori_loop(0, 9, lambda i, x: jax.numpy.sin(x) * 2, x), 1.0)
            >>> [(place.equation.primitive, place.times(unknown=1)) for place in program.walk()][:1]
            [('scan', 1)]
            >>> [place.times(unknown=1) for place in program.walk() if place.equation.primitive == "sin"]
            [9]
        """
        return self._places(())

    def _places(self, around: tuple[Equation, ...]) -> Iterator[Place]:
        for equation in self.equations:
            yield Place(equation, around)
            for inner in equation.inside:
                yield from inner._places((*around, equation))

    @property
    def everything(self) -> list[Equation]:
        """Each equation, and those of the programs inside it, in order."""
        return [place.equation for place in self.walk()]

    @property
    def names(self) -> list[str]:
        """The names of the primitives of everything.

        Whoever looks for a loop, a decision or a call among them may trust that there is none.
        """
        for each in (scans, whiles, conds, calls, callbacks):
            each.require()
        return [equation.primitive for equation in self.everything]

    def run(self, *values: Any) -> list[Any]:
        """Run it equation by equation, as JAX runs what is not jitted, on the leaves of its arguments."""
        results: list[Any] = jax.extend.core.jaxpr_as_fun(self._found)(*values)
        return results

    def listing(self, width: int) -> str:
        """Its text, each equation with the place that it comes from."""
        text: str = self._found.pretty_print(source_info=True, width=width, use_color=False)
        return text


# -- reading ----------------------------------------------------------------------------------------------------


def read(function: Callable[..., Any], *args: Any, static: int | tuple[int, ...] = ()) -> Program:
    """The program that JAX traces of a function; every argument is traced.

    Args:
        function: jitted or not; what it raises passes through.
        *args: its arguments, or `jax.ShapeDtypeStruct`s in their place.
        static: the positions of arguments that stay what they are.

    Raises:
        CannotRead: what JAX gives is not what the course knows.

    Example:
        >>> program = read(lambda x: x * 2 + 1, 3.0)
        >>> [equation.primitive for equation in program.equations], program.outputs[0].dtype
        (['mul', 'add'], 'float32')
    """
    equations.require()
    return of_jaxpr(make_jaxpr(function, static_argnums=static)(*args))


def read_if_traceable(function: Callable[..., Any], *args: Any) -> Program | None:
    """As `read`; None for a function that JAX cannot trace: it looks at numbers, or is a compiled program.

    Raises:
        CannotRead: what JAX gives is not what the course knows.

    Example:
        >>> read_if_traceable(lambda x: float(x), 1.0) is None, read_if_traceable(jnp.sin, 1.0).names
        (True, ['sin'])
    """
    try:
        return read(function, *args)
    except CannotRead:
        raise
    except Exception:  # what is no JAX program fails in many ways
        return None


def read_for_arrays(function: Callable[..., Any], *args: Any) -> Program:
    """The program that JAX traces of a function of which arrays are the arguments, and all else stays what it is.

    Example:
        >>> program = read_for_arrays(lambda x, n: sum([x] * n), np.ones(3, np.float32), 3)
        >>> len(program.inputs), [equation.primitive for equation in program.equations]
        (1, ['add', 'add', 'add'])
    """
    traced = [i for i, value in enumerate(args) if isinstance(value, (np.ndarray, jax.Array))]

    def of_arrays(*inputs: Any) -> Any:
        return function(*(inputs[traced.index(i)] if i in traced else value for i, value in enumerate(args)))

    return read(of_arrays, *(args[i] for i in traced))


def read_with_form(function: Callable[..., Any], *args: Any) -> tuple[Program, Any]:
    """A function's program, and the structure of what it returns, into which the outputs are put.

    Example:
        >>> program, form = read_with_form(lambda x: {"twice": 2 * x}, 1.0)
        >>> jax.tree.unflatten(form, program.run(3.0))
        {'twice': Array(6., dtype=float32, weak_type=True)}
    """
    equations.require()
    found, shapes = make_jaxpr(function, return_shape=True)(*args)
    return of_jaxpr(found), jax.tree.structure(shapes)


def of_traced(traced: Any) -> Program:
    """The program of what `jax.jit(function).trace(...)` gives.

    Example:
        >>> [equation.primitive for equation in of_traced(jax.jit(lambda x: -x).trace(1.0)).equations]
        ['neg']
    """
    equations.require()
    return of_jaxpr(_part(traced, "jaxpr"))


def of_jaxpr(found: Any) -> Program:
    """A jaxpr as data, open or closed."""
    return _Walk().program(found)


def _part(thing: Any, name: str) -> Any:
    try:
        return getattr(thing, name)
    except AttributeError as error:
        raise CannotRead(f"JAX's {type(thing).__name__} has no `{name}` in jax {jax.__version__}") from error


def _is_program(found: Any) -> bool:
    return hasattr(getattr(found, "jaxpr", found), "eqns")


@dataclass
class _Walk:
    """One reading of a jaxpr: of the same jaxpr it makes the same program, wherever that is called."""

    programs: dict[int, Program] = field(default_factory=dict)

    def program(self, found: Any) -> Program:
        opened = getattr(found, "jaxpr", found)  # a closed jaxpr has an open one inside
        if id(opened) not in self.programs:
            self.programs[id(opened)] = self._program(found, opened)
        return self.programs[id(opened)]

    def _program(self, found: Any, opened: Any) -> Program:
        known: dict[Any, Value] = {}

        def values(atoms: Sequence[Any]) -> tuple[Value, ...]:
            return tuple(
                _value(atom) if hasattr(atom, "val") else known.setdefault(atom, _value(atom)) for atom in atoms
            )

        inputs, constants = values(_part(opened, "invars")), values(_part(opened, "constvars"))
        equations = tuple(self._equation(each, values) for each in _part(opened, "eqns"))
        held = tuple(getattr(found, "consts", ()))
        return Program(inputs, constants, held, equations, values(_part(opened, "outvars")), found)

    def _equation(self, found: Any, values: Callable[[Sequence[Any]], tuple[Value, ...]]) -> Equation:
        note(name := str(_part(found, "primitive")))
        return Equation(
            name,
            values(_part(found, "invars")),
            values(_part(found, "outvars")),
            tuple(map(self.program, _inside(_part(found, "params")))),
            found,
            self,
        )


def _inside(params: Any) -> Iterator[Any]:
    """The jaxprs among the parameters of an equation, and of an object that has parameters of its own.

    JAX 0.12 keeps some equations so, such as that of `jax.lax.custom_root`.
    """
    for value in params.values():
        for part in value if isinstance(value, (tuple, list)) else [value]:
            if _is_program(part):
                yield part
            elif isinstance(own := getattr(part, "params", None), dict):
                yield from _inside(own)


def _value(atom: Any) -> Value:
    aval = _part(atom, "aval")
    shape, dtype = tuple(getattr(aval, "shape", ())), _name_of(getattr(aval, "dtype", ""))
    return Value(shape, dtype, True, atom.val) if hasattr(atom, "val") else Value(shape, dtype)


def _name_of(dtype: Any) -> str:
    """The name of a dtype; that of a gradient by whole numbers is one that NumPy does not know again."""
    return "float0" if str(dtype) == str(jax.dtypes.float0) else str(dtype)


def _frames(found: Any) -> tuple[tuple[str, int], ...]:
    traceback = _part(_part(found, "source_info"), "traceback")
    frames = [] if traceback is None else _part(traceback, "frames")
    return tuple((_part(frame, "file_name"), _part(frame, "line_num")) for frame in frames)


def _apply(found: Any, values: Sequence[Any]) -> list[Any]:
    primitive = _part(found, "primitive")
    bound = _part(primitive, "get_bind_params")(_part(found, "params"))  # a pair before JAX 0.10
    functions, params = ((), bound) if isinstance(bound, dict) else bound
    results = primitive.bind(*functions, *values, **params)
    return list(results) if _part(primitive, "multiple_results") else [results]


# -- running ----------------------------------------------------------------------------------------------------


def with_loops_limited(program: Program, most: int) -> Callable[..., tuple[list[Any], Any]]:
    """A program as a function that may be jitted, each of whose `while` loops ends after so many steps.

    It is run equation by equation, with a count in every such loop.

    Args:
        program: what `read` gives.
        most: the steps.

    Returns:
        A function of the program's inputs that returns its outputs and how many steps its loops took.

    Example:
        >>> endless = read(lambda x: jax.lax.while_loop(lambda x: x > 0, lambda x: x + 1, x), 1)
        >>> (out,), steps = with_loops_limited(endless, 5)(1)
        >>> int(out), int(steps)
        (6, 5)
    """
    held = program.held

    def run(*args: Any) -> tuple[list[Any], Any]:
        return _run_limited(program, args, held, most)

    return run


def _run_limited(program: Program, args: Sequence[Any], held: Sequence[Any], most: int) -> tuple[list[Any], Any]:
    known = dict(zip(program.inputs, args, strict=True)) | dict(zip(program.constants, held, strict=True))
    steps = jnp.int32(0)

    def of(values: Sequence[Value]) -> list[Any]:
        return [value.number if value.written else known[value] for value in values]

    for equation in program.equations:
        given = of(equation.inputs)
        taken: Any = 0
        if equation.loop and equation.loop.test:
            out, taken = _run_loop_limited(equation.loop, of, most)
        elif equation.is_jit and equation.called:
            out, taken = _run_limited(equation.called, given, equation.called.held, most)
        else:
            out = equation.apply(*given)
        steps += taken
        known.update(zip(equation.outputs, out, strict=True))
    return of(program.outputs), steps


def _run_loop_limited(loop: Loop, of: Callable[[Sequence[Value]], list[Any]], most: int) -> tuple[list[Any], Any]:
    tested, fixed, test = of(loop.tested), of(loop.fixed), loop.test
    assert test is not None

    def unfinished(counted: Any) -> Any:
        return (counted[0] < most) & _run_limited(test, [*tested, *counted[1]], test.held, most)[0][0]

    def step(counted: Any) -> Any:
        return counted[0] + 1, _run_limited(loop.body, [*fixed, *counted[1]], loop.body.held, most)[0]

    steps, out = jax.lax.while_loop(unfinished, step, (jnp.int32(0), of(loop.carried)))
    return out, steps


# -- beliefs ----------------------------------------------------------------------------------------------------

_X = jax.ShapeDtypeStruct((4,), np.float32)
_NUMBER = jax.ShapeDtypeStruct((), np.float32)


@belief()
def equations() -> bool:
    """`jax.make_jaxpr` gives equations with a primitive, inputs and outputs, whose types have a shape and a dtype."""
    program = read(lambda x: jnp.sin(x) * 2, _X)
    first, second = program.equations
    known = [first.primitive, second.primitive] == ["sin", "mul"] and first.inputs == program.inputs
    typed = (program.inputs[0].shape, program.inputs[0].dtype) == ((4,), "float32")
    return known and typed and second.inputs[1].written and second.inputs[1].number == 2


@belief()
def calls() -> bool:
    """A call of a jitted function is the equation `jit`, with its program inside, and says which inputs it donates.

    One with a rule for derivatives of its own has its program inside as well, and `lax.custom_root` its solver.
    """
    add = jax.jit(lambda x, y: x + y, donate_argnums=1)
    (equation,) = read(lambda x, y: add(x, y), _X, _X).equations
    inner = equation.called
    inside = [read(function, _X).equations[0].called for function in _with_rules()]
    names = [each.equations[0].primitive for each in inside if each]
    assert inner is not None
    known = equation.donated == (False, True) and inner.equations[0].primitive == "add" and names == ["mul", "mul"]
    root = read(lambda x: jax.lax.custom_root(lambda y: y - x, x, lambda f, y: jnp.sin(y), lambda f, y: y), _NUMBER)
    return known and "sin" in root.names


def _with_rules() -> tuple[Any, Any]:
    """Two functions with rules for derivatives of their own, forwards and backwards."""
    forwards, backwards = jax.custom_jvp(lambda x: x * 2), jax.custom_vjp(lambda x: x * 2)
    forwards.defjvp(lambda x, slope: (x[0] * 2, slope[0] * 2))
    backwards.defvjp(lambda x: (x * 2, None), lambda _, slope: (slope * 2,))
    return forwards, backwards


@belief()
def scans() -> bool:
    """`lax.scan` and a `fori_loop` of known length are the equation `scan`, which says how many steps it takes.

    It also says how many are unrolled, and which inputs are the same in each step, carried on, and taken row by row.
    """

    def function(x: Any, y: Any, rows: Any) -> Any:
        return jax.lax.scan(lambda c, row: (c + y, c * row), x, rows, unroll=2)

    (equation,) = read(function, _NUMBER, _NUMBER, _X).equations
    loop = equation.loop
    assert loop is not None
    (counted,) = read(lambda x: jax.lax.fori_loop(0, 7, lambda i, x: x + 1, x), _NUMBER).equations
    sizes = [len(part) for part in (loop.fixed, loop.carried, loop.rows, loop.body.inputs)]
    known = (loop.kind, loop.trips, loop.unroll, sizes) == ("scan", 4, 2, [1, 1, 1, 3])
    return known and loop.stacks and counted.loop is not None and counted.loop.trips == 7


@belief()
def whiles() -> bool:
    """`lax.while_loop` is the equation `while`, with a test and a body, each with the inputs that are only its own."""

    def function(x: Any, y: Any, z: Any) -> Any:
        return jax.lax.while_loop(lambda c: c < y, lambda c: c + y + z, x)

    (equation,) = read(function, _NUMBER, _NUMBER, _NUMBER).equations
    loop = equation.loop
    assert loop is not None and loop.test is not None
    sizes = [len(part) for part in (loop.tested, loop.fixed, loop.carried)]
    known = (loop.kind, loop.trips, sizes) == ("while", None, [1, 2, 1])
    return known and loop.test.equations[-1].primitive == "lt" and loop.body.equations[0].primitive == "add"


@belief()
def conds() -> bool:
    """`lax.cond` is the equation `cond`, whose first input decides between the programs inside."""
    program = read(lambda x, yes: jax.lax.cond(yes, jnp.sin, jnp.cos, x), _NUMBER, jax.ShapeDtypeStruct((), np.bool_))
    branches = program.equations[-1].branches
    return [each.equations[0].primitive for each in branches] == ["cos", "sin"]


@belief()
def checkpoints() -> bool:
    """`jax.checkpoint` is an equation of its own, `remat2` or `checkpoint`, with its program inside."""
    (equation,) = read(jax.checkpoint(lambda x: x * 2), _X).equations
    return equation.is_checkpoint and equation.inside[0].equations[0].primitive == "mul"


@belief()
def shard_maps() -> bool:
    """`jax.shard_map` is the equation `shard_map`, with the program of one device inside."""
    mesh = jax.sharding.AbstractMesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    rows = jax.sharding.PartitionSpec("x")
    mapped = jax.shard_map(jnp.sin, mesh=mesh, in_specs=rows, out_specs=rows)
    return any(
        each.is_mapped and each.inside[0].equations[0].primitive == "sin" for each in read(mapped, _X).everything
    )


@belief()
def callbacks() -> bool:
    """`jax.pure_callback`, `io_callback` and `jax.debug.callback` are equations whose names have `callback` in them.

    `jax.debug.print` is one as well, or `debug_print`.
    """
    from jax.experimental import io_callback

    def function(x: Any) -> Any:
        jax.debug.callback(print, x)
        jax.debug.print("{}", x)
        return jax.pure_callback(np.sin, _X, x), io_callback(np.sin, _X, x)

    return [each.calls_back for each in read(function, _X).equations] == [True] * 4


@belief()
def draws() -> bool:
    """Drawing is `random_bits`, `random_gamma` or `rng_bit_generator`, each from its first input.

    Splitting is `random_split`, and folding `random_fold_in`, from it as well; what is drawn is the last output. A key
    has a dtype that begins with `key<`; `random_wrap` and `random_unwrap` leave it what it is.
    """
    key = jax.eval_shape(lambda: jax.random.key(0))
    uses = {
        "draw": [
            lambda key: jax.random.bits(key, (2, 3)),
            lambda key: jax.random.gamma(key, 2.0, (2, 3)),
            lambda key: jax.lax.rng_bit_generator(jnp.tile(jax.random.key_data(key), 2), (2, 3)),
        ],
        "split": [lambda key: jax.random.split(key, 6)],
        "fold": [lambda key: jax.random.fold_in(key, 1)],
    }
    found = {use: [_using(each, key) for each in programs] for use, programs in uses.items()}
    right = all(len(used) == 1 and used[0].key_use == use for use, many in found.items() for used in many)
    drawn = [used[0].drawn for used in found["draw"]] == [6, 6, 6] and found["split"][0][0].into == 6
    again = read(lambda key: jax.random.wrap_key_data(jax.random.key_data(key)), key).everything
    dressed = [each.keeps_key for each in again] == [True, True] and [again[1].outputs[0].is_key] == [True]
    return right and drawn and dressed


def _using(function: Callable[..., Any], key: Any) -> list[Equation]:
    return [each for each in read(function, key).everything if each.key_use]


@belief()
def products() -> bool:
    """A product says which axes it sums over, first those of its first factor."""
    one, other = np.ones((5, 3, 4), np.float32), np.ones((5, 4, 6), np.float32)
    (only,) = [each for each in read(jnp.matmul, one, other).everything if each.primitive == "dot_general"]
    return only.product == 2 * 5 * 3 * 4 * 6


@belief()
def powers() -> bool:
    """A whole power is the equation `integer_pow`, with its exponent `y`."""
    return read(lambda x: x**3, _X).equations[-1].exponent == 3


@belief()
def places() -> bool:
    """An equation knows the lines that led to it: files and numbers, the innermost first."""
    (equation,) = read(lambda x: -x, _X).equations
    return any(file == __file__ and line > 0 for file, line in equation.came_from)


@belief()
def binding() -> bool:
    """A primitive can be applied to other values than those of its program."""
    program = read(lambda x: jnp.cumsum(x) * 2, _X)
    first, second = [each for each in program.everything if not each.inside][:2]
    return [*np.asarray(first.apply(np.ones(4, np.float32))[0])] == [1, 2, 3, 4] and second.primitive == "mul"
