"""The small changes that mutants are made of: each is a mistake that somebody could make.

An operator is a function of a place in a syntax tree; it yields what could stand there instead. What would nearly
always be right is left out: `array` for `asarray`, `empty` for `zeros` in JAX, a default written out, operands of a sum
exchanged, `jit` added.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Path = tuple[tuple[str, int | None], ...]
"""The way from the root of a tree to a node: the field, and the position if the field is a list."""


@dataclass(frozen=True)
class Place:
    """A node of a solution's tree, and what surrounds it.

    Attributes:
        node: the node.
        parents: the nodes above it, the nearest first.
        field: of the nearest that it stands in.
        names: the parameters and locals that may stand there.
        parameters: the parameters of all functions around it.
        value: what it was in the first call, written out; empty if unknown.
    """

    node: ast.AST
    parents: tuple[ast.AST, ...]
    field: str
    names: tuple[str, ...]
    parameters: frozenset[str]
    value: str = ""

    @property
    def parent(self) -> ast.AST:
        """The node above it."""
        return self.parents[0]


New = ast.AST | None
"""What stands there instead; nothing where a statement or a decorator is removed."""
Operator = Callable[[Place], Iterator[New]]

_OPERATORS: dict[str, Operator] = {}


def _operator(function: Operator) -> Operator:
    _OPERATORS[function.__name__.strip("_").replace("_", "-")] = function
    return function


def changes(tree: ast.Module, values: dict[Path, str]) -> Iterator[tuple[str, Path, Place, New]]:
    """Every change of a tree: the operator's name, where, and what stands there then.

    Args:
        tree: of a solution.
        values: the values of expressions in the first call, written out, by their place.
    """
    for path, place in _places(tree, values):
        for name, operator in _OPERATORS.items():
            for new in operator(place):
                yield name, path, place, new


def replaced(tree: ast.Module, path: Path, new: New) -> ast.Module:
    """A copy of a tree with something else at a place.

    Example:
        >>> tree = ast.parse("x + 1")
        >>> ast.unparse(replaced(tree, (("body", 0), ("value", None), ("right", None)), ast.Constant(2)))
        'x + 2'
    """
    tree = copy.deepcopy(tree)
    node: Any = tree
    for field, index in path[:-1]:
        node = getattr(node, field) if index is None else getattr(node, field)[index]
    field, index = path[-1]
    if index is None:
        setattr(node, field, new)
    elif new is None:
        del getattr(node, field)[index]
        if field == "body" and not node.body:
            node.body.append(ast.Pass())
    else:
        getattr(node, field)[index] = new
    return ast.fix_missing_locations(tree)


def children(node: ast.AST) -> Iterator[tuple[str, int | None, ast.AST]]:
    """The nodes below a node, each with its field and its position there."""
    for field, value in ast.iter_fields(node):
        for index, item in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(item, ast.AST):
                yield field, index, item


def _places(tree: ast.Module, values: dict[Path, str]) -> Iterator[tuple[Path, Place]]:
    def below(
        node: ast.AST, path: Path, parents: tuple[ast.AST, ...], names: tuple[str, ...], parameters: frozenset[str]
    ) -> Iterator[tuple[Path, Place]]:
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            own = _parameters(node)
            parameters |= set(own)
            names = tuple(dict.fromkeys([*names, *own, *_locals(node)]))
        for field, index, child in children(node):
            if _is_left_alone(child, node, field):
                continue
            here = (*path, (field, index))
            yield here, Place(child, (node, *parents), field, names, parameters, values.get(here, ""))
            yield from below(child, here, (node, *parents), names, parameters)

    yield from below(tree, (), (), (), frozenset())


def _is_left_alone(node: ast.AST, parent: ast.AST, field: str) -> bool:
    """Docstrings, keys of dictionaries, the texts of errors and of f-strings, annotations."""
    docstring = (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    )
    keys = isinstance(parent, ast.Dict) and field == "keys"
    return (
        docstring or keys or isinstance(node, (ast.Raise, ast.JoinedStr, ast.arg)) or field in ("annotation", "returns")
    )


def _parameters(function: ast.FunctionDef | ast.Lambda) -> list[str]:
    given = function.args
    extra = [one for one in (given.vararg, given.kwarg) if one]
    return [one.arg for one in [*given.posonlyargs, *given.args, *given.kwonlyargs, *extra]]


def _locals(function: ast.FunctionDef | ast.Lambda) -> list[str]:
    if isinstance(function, ast.Lambda):
        return []
    nodes = [node for statement in function.body for node in ast.walk(statement)]
    return [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _callee(node: ast.AST) -> str:
    """The last part of the name of what is called."""
    return ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""


# -- values -----------------------------------------------------------------------------------------------------


@_operator
def _hard_coded(place: Place) -> Iterator[New]:
    """An expression by its value in the first call: `len(x)` by 17, a parameter by 2.5."""
    if place.value and isinstance(place.node, ast.expr) and not isinstance(place.node, ast.Constant):
        yield _expression(place.value)


@_operator
def _constant(place: Place) -> Iterator[New]:
    if not isinstance(place.node, ast.Constant) or _only_the_shape_counts(place):
        return
    value = place.node.value
    if isinstance(place.parent, ast.keyword) and place.parent.arg in ("axis", "keepdims", "in_axes", "strict"):
        return  # `_axis` does the others; `strict` only says what holds anyway
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield from map(ast.Constant, sorted({value + 1, value - 1, -value} - {value}))
    elif isinstance(value, float):
        yield from map(ast.Constant, sorted({value * 1.01, value + 1, -value, 0.0} - {value}))
    elif isinstance(value, str):
        yield from map(ast.Constant, _TEXTS.get(value, []))


_TEXTS = {
    "right": ["left"],
    "left": ["right"],
    "drop": ["clip", "wrap"],
    "fill": ["clip", "wrap"],
    "clip": ["drop"],
    "K": ["C", "F"],
    "C": ["F"],
    "F": ["C"],
}


def _only_the_shape_counts(place: Place) -> bool:
    """Whether it is an index into something of which only the shape or the length is used: `x[0].shape`."""
    if not isinstance(place.parent, ast.Subscript) or place.field != "slice" or len(place.parents) < 2:
        return False
    above = place.parents[1]
    return _callee(above) == "len" or (isinstance(above, ast.Attribute) and above.attr in ("shape", "ndim", "dtype"))


@_operator
def _axis(place: Place) -> Iterator[New]:
    if isinstance(place.node, ast.keyword) and place.node.arg in ("axis", "keepdims", "in_axes"):
        try:
            value = ast.literal_eval(place.node.value)
        except ValueError:
            return
        axes: dict[Any, list[Any]] = {0: [1, None], 1: [0], -1: [0, None]}
        others = [not value] if isinstance(value, bool) else axes.get(value, []) if not isinstance(value, list) else []
        for other in others:
            yield ast.keyword(place.node.arg, ast.Constant(other))


@_operator
def _dtype(place: Place) -> Iterator[New]:
    if isinstance(place.node, ast.Attribute):
        for other in _DTYPES.get(place.node.attr, []):
            yield ast.Attribute(place.node.value, other, ast.Load())
    elif isinstance(place.node, ast.Constant) and isinstance(place.node.value, str):
        yield from map(ast.Constant, _DTYPES.get(place.node.value, []))
    elif isinstance(place.node, ast.Name) and place.field != "func" and place.node.id in ("int", "float", "bool"):
        names = {"int": ["np.uint8", "np.int16"], "float": ["np.float32"], "bool": ["int"]}
        yield from map(_expression, names[place.node.id])


_DTYPES = {
    "float64": ["float32"],
    "float32": ["float64", "float16"],
    "int32": ["int64", "int16", "uint32"],
    "int64": ["int32", "uint64"],
    "uint32": ["int32"],
    "uint8": ["int8"],
    "complex128": ["complex64"],
}


# -- operators and comparisons ----------------------------------------------------------------------------------

_ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div, ast.Mult),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitAnd,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.MatMult: (ast.Mult,),
}
_BOUNDARIES: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.NotEq),
    ast.LtE: (ast.Lt, ast.Eq),
    ast.Gt: (ast.GtE, ast.NotEq),
    ast.GtE: (ast.Gt, ast.Eq),
}
_NEGATIONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


@_operator
def _arithmetic(place: Place) -> Iterator[New]:
    if isinstance(place.node, ast.BinOp):
        for other in _ARITHMETIC.get(type(place.node.op), ()):
            yield ast.BinOp(place.node.left, other(), place.node.right)


@_operator
def _operand(place: Place) -> Iterator[New]:
    if isinstance(place.node, ast.BinOp):
        yield from (place.node.left, place.node.right)
    elif isinstance(place.node, ast.BoolOp):
        yield from place.node.values
    elif isinstance(place.node, ast.UnaryOp):
        yield place.node.operand
    elif isinstance(place.node, ast.IfExp):
        yield from (place.node.body, place.node.orelse)


@_operator
def _boundary(place: Place) -> Iterator[New]:
    if isinstance(place.node, ast.Compare):
        for i, op in enumerate(place.node.ops):
            for other in _BOUNDARIES.get(type(op), ()):
                yield _with_operator(place.node, i, other())


@_operator
def _negation(place: Place) -> Iterator[New]:
    if isinstance(place.node, ast.Compare):
        for i, op in enumerate(place.node.ops):
            if type(op) in _NEGATIONS:
                yield _with_operator(place.node, i, _NEGATIONS[type(op)]())
    elif isinstance(place.node, ast.BoolOp):
        other = ast.Or() if isinstance(place.node.op, ast.And) else ast.And()
        yield ast.BoolOp(other, place.node.values)


def _with_operator(node: ast.Compare, i: int, op: ast.cmpop) -> ast.Compare:
    return ast.Compare(node.left, [*node.ops[:i], op, *node.ops[i + 1 :]], node.comparators)


@_operator
def _swap(place: Place) -> Iterator[New]:
    """Two operands or arguments exchanged, where their order matters."""
    node = place.node
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)):
        yield ast.BinOp(node.right, node.op, node.left)
    elif isinstance(node, ast.Call) and _callee(node) not in _SYMMETRIC and len(node.args) > 1:
        for i in range(len(node.args) - 1):
            args = [*node.args]
            args[i], args[i + 1] = args[i + 1], args[i]
            yield ast.Call(node.func, args, node.keywords)


_SYMMETRIC = {
    "add",
    "allclose",
    "array_equal",
    "multiply",
    "minimum",
    "maximum",
    "logical_and",
    "logical_or",
    "hypot",
    "min",
    "max",
    "zip",
    "equal",
}


# -- names, calls and subscripts --------------------------------------------------------------------------------


@_operator
def _name(place: Place) -> Iterator[New]:
    """A parameter or local by another one."""
    if isinstance(place.node, ast.Name) and isinstance(place.node.ctx, ast.Load) and place.node.id in place.names:
        yield from (ast.Name(other, ast.Load()) for other in place.names if other != place.node.id)


_SIBLINGS = {
    "sum": ["mean", "max"],
    "mean": ["sum", "median"],
    "max": ["min"],
    "min": ["max"],
    "maximum": ["minimum", "fmax"],
    "minimum": ["maximum", "fmin"],
    "argmax": ["argmin"],
    "argmin": ["argmax"],
    "nanmean": ["mean"],
    "nansum": ["sum"],
    "sin": ["cos"],
    "cos": ["sin"],
    "sqrt": ["cbrt"],
    "zeros": ["ones"],
    "ones": ["zeros"],
    "zeros_like": ["ones_like"],
    "ones_like": ["zeros_like"],
    "any": ["all"],
    "all": ["any"],
    "floor": ["ceil", "trunc"],
    "ceil": ["floor"],
    "rint": ["trunc"],
    "round": ["floor"],
    "log": ["log10", "log1p"],
    "log2": ["log"],
    "log1p": ["log"],
    "exp": ["expm1"],
    "expm1": ["exp"],
    "normal": ["uniform"],
    "uniform": ["normal"],
    "cumsum": ["cumprod"],
    "add": ["subtract", "max"],
    "subtract": ["add"],
    "multiply": ["add"],
    "set": ["add"],
    "argsort": ["sort"],
    "copy": ["view"],
    "isnan": ["isinf"],
    "isfinite": ["isnan"],
    "copysign": ["multiply"],
    "array_equal": ["allclose"],
    "empty": ["zeros"],
    "sorted": ["list"],
    "reversed": ["list"],
    "c_contiguous": ["f_contiguous"],
    "f_contiguous": ["c_contiguous"],
}
_BUILT_IN = {"max", "min", "any", "all", "sorted", "reversed", "sum", "round"}


@_operator
def _sibling(place: Place) -> Iterator[New]:
    node = place.node
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        for other in _SIBLINGS.get(node.attr, []):
            yield ast.Attribute(node.value, other, ast.Load())
    elif isinstance(node, ast.Name) and place.field == "func" and node.id in _BUILT_IN:
        for other in _SIBLINGS[node.id]:
            if other in (*_BUILT_IN, "list"):
                yield ast.Name(other, ast.Load())


_LIBRARIES = {"np", "jnp", "jax", "nb", "pd", "functools", "math", "itertools"}


@_operator
def _unwrap(place: Place) -> Iterator[New]:
    """`f(x, ...)` by `x`, `x.m()` by `x`, `x[i]` by `x`, `x.T` by `x`."""
    node = place.node
    turned = isinstance(node, ast.Attribute) and node.attr in ("T", "real", "imag")
    if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Load):
        yield from [node.value] if turned or isinstance(node, ast.Subscript) else []
    elif isinstance(node, ast.Call):
        if node.args and not isinstance(node.args[0], ast.Starred):
            yield node.args[0]
        if isinstance(node.func, ast.Attribute) and ast.unparse(node.func).partition(".")[0] not in _LIBRARIES:
            yield node.func.value


_NOT_DROPPED = ("strict", "static_argnums", "static_argnames", "donate_argnums")
_DEFAULTS = ("mode='drop'", "mode='fill'", "fill_value=jnp.nan", "axis=None")
"""Keywords that say what would hold without them."""


@_operator
def _argument(place: Place) -> Iterator[New]:
    """An argument or a keyword dropped; not one that says what holds anyway."""
    node = place.node
    if not isinstance(node, ast.Call):
        return
    if len(node.args) > 1:
        for i in range(len(node.args)):
            yield ast.Call(node.func, [*node.args[:i], *node.args[i + 1 :]], node.keywords)
    for i, keyword in enumerate(node.keywords):
        if keyword.arg not in _NOT_DROPPED and ast.unparse(keyword) not in _DEFAULTS:
            yield ast.Call(node.func, node.args, [*node.keywords[:i], *node.keywords[i + 1 :]])


@_operator
def _slice(place: Place) -> Iterator[New]:
    node = place.node
    if isinstance(node, ast.Slice):
        if node.lower:
            yield ast.Slice(None, node.upper, node.step)
        if node.upper:
            yield ast.Slice(node.lower, None, node.step)
        if node.step:
            yield ast.Slice(node.lower, node.upper, None)
        if not (node.lower or node.upper or node.step):
            yield ast.Slice(ast.Constant(1), None, None)


@_operator
def _where(place: Place) -> Iterator[New]:
    """A choice as arithmetic: what is not chosen counts if it is NaN or infinite."""
    if _callee(place.node) == "where" and isinstance(place.node, ast.Call) and len(place.node.args) == 3:
        condition, one, other = map(ast.unparse, place.node.args)
        yield _expression(f"({condition}) * ({one}) + (1 - ({condition})) * ({other})")


@_operator
def _key(place: Place) -> Iterator[New]:
    """A random key used twice, or ignored."""
    node = place.node
    if not isinstance(node, ast.Call) or not node.args or not ast.unparse(node.func).startswith("jax.random."):
        return
    if _callee(node) == "split":
        count = ast.unparse(node.args[1]) if len(node.args) > 1 else "2"
        yield _expression(f"[{ast.unparse(node.args[0])}] * ({count})")
    elif _callee(node) not in ("key", "PRNGKey"):
        yield ast.Call(node.func, [_expression("jax.random.key(0)"), *node.args[1:]], node.keywords)


# -- statements -------------------------------------------------------------------------------------------------


@_operator
def _branch(place: Place) -> Iterator[New]:
    if isinstance(place.node, ast.If):
        yield from (ast.If(ast.Constant(way), place.node.body, place.node.orelse) for way in (True, False))
    elif isinstance(place.node, ast.While):
        yield ast.If(place.node.test, place.node.body, [])


@_operator
def _loop(place: Place) -> Iterator[New]:
    """A loop that ends after its first pass, or one pass too early."""
    if isinstance(place.node, ast.For):
        node = place.node
        yield ast.For(node.target, node.iter, [*node.body, ast.Break()], node.orelse)
        passes = _expression(f"list({ast.unparse(node.iter)})[:-1]")
        yield ast.For(node.target, passes, node.body, node.orelse)


@_operator
def _statement(place: Place) -> Iterator[New]:
    """A line left out; not one without which a name would not exist."""
    node = place.node
    if place.field not in ("body", "orelse") or not isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr, ast.If)):
        return
    if isinstance(node, ast.Assign):
        names = {part.id for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)}
        plain = all(isinstance(target, ast.Name) for target in node.targets)
        if plain and not names & place.parameters:
            return
    if not isinstance(place.parent, ast.Module):
        yield None


@_operator
def _jit(place: Place) -> Iterator[New]:
    """A decorator that compiles left out; `_unwrap` does the same to a call."""
    if place.field == "decorator_list" and "jit" in ast.unparse(place.node):
        yield None
