"""Keys of JAX's generator: what `split` and `fold_in` make of them, and which of them are used twice."""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import jax
import numpy as np

from jaxcourse.play._play import Field, Play, start
from jaxcourse.play._words import counted

FIELDS = (Field("program", "program", "Lines with key(0), split(k, 3), fold_in(k, 7), uniform(k)", lines=6, wide=True),)
STATE = {"program": "k = key(0)\nk, a = split(k)\nx = uniform(a)\nk, b = split(k)\ny = uniform(b)"}
EXAMPLES = {
    "used twice": {"program": "k = key(0)\nx = uniform(k)\ny = uniform(k)"},
    "drawn and split": {"program": "k = key(0)\nx = uniform(k)\na, b = split(k)\ny = uniform(a)"},
    "steps": {"program": "k = key(42)\nx = uniform(fold_in(k, 0))\ny = uniform(fold_in(k, 1))"},
    "split and fold_in": {"program": "k = key(7)\na, b = split(k)\nc = fold_in(k, 1)"},
    "a tree": {"program": "root = key(1)\nparams, noise = split(root)\nw = split(params, 3)\nn = fold_in(noise, 5)"},
}


def keys(program: str | None = None) -> Play:
    """Let the reader write a few lines with keys, and see the tree that they make and the keys that are used twice.

    Args:
        program: the lines at the start: calls of `key`, `split`, `fold_in` and `uniform`, as in `a, b = split(k)`.

    Returns:
        The picture, to be shown by a notebook.

    Raises:
        ValueError: if JAX refuses that start.

    Example:
        >>> print(keys("k = key(0)").says)
        1 key, 0 draws. ✓ No key is used twice. k: 00000000 00000000.
    """
    state = start("keys", STATE, {"program": program})
    question = "Write a few lines with keys, and see which keys they make and use."
    says = keys_says(**state)
    return Play("keys", question, FIELDS, state, says, EXAMPLES, scripts=("shapes",))


@dataclass
class Key:
    """A key of JAX with where it comes from and what was done with it."""

    key: jax.Array
    parent: Key | None
    via: str
    name: str = ""
    uses: list[str] = field(default_factory=list)
    draws: list[float] = field(default_factory=list)

    @property
    def data(self) -> tuple[int, ...]:
        """The numbers behind the key."""
        return tuple(np.asarray(jax.random.key_data(self.key)).tolist())

    @property
    def hex(self) -> str:
        """The numbers behind the key, as they are usually written."""
        return " ".join(f"{word:08x}" for word in self.data)

    def __str__(self) -> str:
        if self.name:
            return self.name
        return f"{self.parent}.{self.via.replace(' ', '.')}" if self.parent else f"key {self.hex}"


Value = Key | list[Key] | float


class Program:
    """A program of a few lines, carried out with `jax.random` itself."""

    def __init__(self, text: str) -> None:
        self.keys: list[Key] = []
        self._values: dict[str, Value] = {}
        self._bound: Counter[str] = Counter()
        for line in text.splitlines():
            for statement in ast.parse(line.strip()).body:
                self._run(statement)
        if not self.keys:
            raise ValueError("no line makes a key")

    def _run(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Expr):
            self._evaluate(statement.value)
            return
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            raise ValueError(f"{ast.unparse(statement)} is not an assignment or a call")
        value, target = self._evaluate(statement.value), statement.targets[0]
        if isinstance(target, ast.Tuple):
            if not isinstance(value, list) or len(value) != len(target.elts):
                raise ValueError(f"{ast.unparse(statement)} does not fit its names")
            for name, key in zip(target.elts, value, strict=True):
                self._bind(ast.unparse(name), key)
        else:
            self._bind(ast.unparse(target), value)

    def _bind(self, name: str, value: Value) -> None:
        self._values[name] = value
        several = isinstance(value, list)
        keys = value if isinstance(value, list) else [value] if isinstance(value, Key) else []
        for i, key in enumerate(keys):
            written = f"{name}[{i}]" if several else name
            self._bound[written] += 1
            times = self._bound[written]
            key.name = key.name or (f"{written} ({times})" if times > 1 else written)

    def _evaluate(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Name):
            return self._values[node.id]
        if isinstance(node, ast.Subscript):
            value = self._evaluate(node.value)
            if not isinstance(value, list):
                raise ValueError(f"{ast.unparse(node.value)} has no positions")
            return value[int(ast.literal_eval(node.slice))]
        if not isinstance(node, ast.Call) or node.keywords:
            raise ValueError(f"{ast.unparse(node)} is not a call")
        called = ast.unparse(node.func).removeprefix("jax.random.")
        return self._call(called, node.args)

    def _call(self, name: str, given: list[ast.expr]) -> Value:
        numbers = [ast.literal_eval(one) for one in given[name != "key" :]]
        if name == "key":
            (seed,) = numbers
            return self._add_key(jax.random.key(seed), None, "key")
        parent = self._evaluate(given[0])
        if not isinstance(parent, Key):
            raise ValueError(f"{name} takes one key")
        if name == "split":
            (count,) = numbers or [2]
            made = jax.random.split(parent.key, count)
            parent.uses.append("split")
            return [self._add_key(made[i], parent, f"split {i}") for i in range(count)]
        if name == "fold_in":
            (number,) = numbers
            folded = jax.random.fold_in(parent.key, number)
            parent.uses.append(f"fold_in {number}")
            return self._add_key(folded, parent, f"fold_in {number}")
        if name != "uniform" or numbers:
            raise ValueError(f"{name} is not among key, split, fold_in and uniform")
        parent.uses.append("uniform")
        parent.draws.append(float(jax.random.uniform(parent.key)))
        return parent.draws[-1]

    def _add_key(self, key: jax.Array, parent: Key | None, via: str) -> Key:
        self.keys.append(Key(key, parent, via))
        return self.keys[-1]


def keys_says(program: str) -> str:
    """What the picture says, by JAX itself."""
    made = Program(program).keys
    drawn = sum(len(key.draws) for key in made)
    words = list(_wrong(made)) or ["✓ No key is used twice."]
    for key in made[:12]:
        origin = f" by {key.via}" if key.parent else ""
        draws = "".join(f", draws {value:.6f}" for value in key.draws)
        words.append(f"{key}{origin}: {key.hex}{draws}.")
    return " ".join([f"{counted(len(made), 'key')}, {counted(drawn, 'draw')}.", *words])


def _wrong(made: list[Key]) -> Iterator[str]:
    """Which keys are the same, and which have more than one use."""
    alike: dict[tuple[int, ...], list[Key]] = {}
    for key in made:
        alike.setdefault(key.data, []).append(key)
    for same in alike.values():
        names = list(dict.fromkeys(map(str, same)))
        if len(same) > 1:
            yield f"✗ {' and '.join(names)} {'are the same key' if len(names) > 1 else 'was made more than once'}."
        uses = list(itertools.chain(*(key.uses for key in same)))
        groups = {use.split(" ")[0] for use in uses}
        if len(groups) > 1 or len(set(uses)) < len(uses):
            yield f"✗ {names[0]} has more than one use: {', '.join(uses)}."
