"""The rule about what JAX keeps to itself: one room of the package knows it, and everybody else asks that room."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jaxcourse.course import check_files
from jaxcourse_author.rules._rule import Pair, Refusal, rule

_ATTRIBUTES = {
    "_src": "a private module",
    "as_text": "the text of a compiled program",
    "cost_analysis": "what the compiler estimates",
    "eqns": "a jaxpr",
    "jaxpr": "a jaxpr",
    "make_jaxpr": "a jaxpr",
    "memory_analysis": "what the compiler estimates",
    "params": "the parameters of an equation",
    "register_event_duration_secs_listener": "JAX's events",
    "register_event_listener": "JAX's events",
    "impl": "how a primitive is run",
}
"""Attributes by which somebody reads the insides of JAX, and what they are."""
_HLO = ("stablehlo.", "all-reduce", "all-gather", "HloModule")
_SEARCHES = {"compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub"}


@rule(per="lesson")
def insides_are_asked_for(pair: Pair) -> Iterator[Refusal]:
    """No check reads a jaxpr, a compiled program's text or a private module itself: it asks `jaxcourse.insides`."""
    for path in check_files(pair.course.root, pair.source.stem):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for line, what in readings(tree):
            place = f"{path.relative_to(pair.course.root)}:{line}"
            repair = "Ask `jaxcourse.insides`, which says so where a version of JAX is another: `insides.read(...)`."
            yield Refusal(place, f"reads {what}", repair)


def readings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    r"""Where code reads the insides of JAX, and what it reads.

    Example:
        >>> list(readings(ast.parse("import jax\nfor equation in jax.make_jaxpr(f)(x).eqns: pass")))
        [(2, 'a jaxpr (`.eqns`)'), (2, 'a jaxpr (`.make_jaxpr`)')]
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES:
            yield node.lineno, f"{_ATTRIBUTES[node.attr]} (`.{node.attr}`)"
        elif isinstance(node, ast.ImportFrom) and "_src" in (node.module or "").split("."):
            yield node.lineno, f"a private module (`{node.module}`)"
        elif isinstance(node, ast.ImportFrom) and node.module == "jax":
            yield from ((node.lineno, f"a jaxpr (`{name.name}`)") for name in node.names if name.name == "make_jaxpr")
        elif isinstance(node, ast.Import):
            yield from (
                (node.lineno, f"a private module (`{name.name}`)")
                for name in node.names
                if "_src" in name.name.split(".")
            )
        elif isinstance(node, ast.Call) and _searches_hlo(node):
            yield node.lineno, "the text of a compiled program (a regular expression)"


def _searches_hlo(call: ast.Call) -> bool:
    """Whether a regular expression looks for something that only a compiled program has."""
    named = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "re"
    if not named or call.func.attr not in _SEARCHES:  # type: ignore[attr-defined]
        return False
    texts = [part.value for argument in call.args for part in ast.walk(argument) if isinstance(part, ast.Constant)]
    return any(word in text.replace("\\", "") for text in texts if isinstance(text, str) for word in _HLO)
