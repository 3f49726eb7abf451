"""Mutants: which changes are made and which are not, and that survivors are found, accepted and shown."""

import ast

import numpy as np
import pytest
from toy import LISTED, MD, PY, edit, toy

from jaxcourse import cli
from jaxcourse.exercise import Exercise
from jaxcourse_author import mutants as room
from jaxcourse_author._derived import difference, variations
from jaxcourse_author._operators import children
from jaxcourse_author.mutants import first_values, mutants
from jaxcourse_author.rules import Contract

__all__ = ["toy"]


def changes(code, operator=None):
    return [one.change for one in mutants(code) if operator in (None, one.operator)]


MADE = [
    ("def f(x):\n    return x < 1", "boundary", ["`x < 1`  ->  `x <= 1`", "`x < 1`  ->  `x != 1`"]),
    ("def f(x):\n    return x < 1", "negation", ["`x < 1`  ->  `x >= 1`"]),
    ("def f(x):\n    return x + 3", "constant", ["`3`  ->  `-3`", "`3`  ->  `2`", "`3`  ->  `4`"]),
    ("f = 0.5", "constant", ["`0.5`  ->  `-0.5`", "`0.5`  ->  `0.0`", "`0.5`  ->  `0.505`", "`0.5`  ->  `1.5`"]),
    ("def f(x):\n    return g(x, True)", "constant", ["`True`  ->  `False`"]),
    ("def f(x):\n    return x.sum(axis=0)", "axis", ["`axis=0`  ->  `axis=1`", "`axis=0`  ->  `axis=None`"]),
    ("f = np.zeros(3, np.int64)", "dtype", ["`np.int64`  ->  `np.int32`", "`np.int64`  ->  `np.uint64`"]),
    ("def f(x, y):\n    return x - y", "swap", ["`x - y`  ->  `y - x`"]),
    ("def f(x, y):\n    return x - y", "operand", ["`x - y`  ->  `x`", "`x - y`  ->  `y`"]),
    ("def f(x, y):\n    return x + y", "swap", []),
    ("def f(x, y):\n    return np.maximum(x, y)", "swap", []),
    ("def f(x, y):\n    return x", "name", ["`x`  ->  `y`"]),
    ("def f(x):\n    return abs(x)", "unwrap", ["`abs(x)`  ->  `x`"]),
    ("def f(x):\n    return x.copy()[0]", "unwrap", ["`x.copy()[0]`  ->  `x.copy()`", "`x.copy()`  ->  `x`"]),
    ("def f(x):\n    return x.argmax()", "sibling", ["`x.argmax`  ->  `x.argmin`"]),
    ("def f(x):\n    return np.asarray(x)", "sibling", []),
    ("def f(x):\n    return jnp.zeros(3)", "sibling", ["`jnp.zeros`  ->  `jnp.ones`"]),
    ("f = np.where(m, x, 1)", "where", ["`np.where(m, x, 1)`  ->  `m * x + (1 - m) * 1`"]),
    ("def f(k):\n    return jax.random.split(k)", "key", ["`jax.random.split(k)`  ->  `[k] * 2`"]),
    ("f = jax.random.normal(k)", "key", ["`jax.random.normal(k)`  ->  `jax.random.normal(jax.random.key(0))`"]),
    ("def f(x):\n    x = x + 1\n    return x", "statement", ["`x = x + 1`  ->  ``"]),
    ("def f(x):\n    y = x + 1\n    return y", "statement", []),
    ("def f(x):\n    for a in x:\n        b = a\n    return b", "loop", None),
    ("def f(x):\n    if x:\n        return 1\n    return 2", "branch", None),
    ("@jax.jit\ndef f(x):\n    return x", "jit", ["`jax.jit`  ->  ``"]),
    ("f = jax.jit(g)", "unwrap", ["`jax.jit(g)`  ->  `g`"]),
    ("def f(x):\n    return x[0].shape", "constant", []),
    ("f = zip(x, x, strict=True)", "argument", ["`zip(x, x, strict=True)`  ->  `zip(x, strict=True)`"]),
    ("def f(x):\n    return x[1:]", "slice", ["`1:`  ->  `:`"]),
    ('def f(x):\n    """Return 1."""\n    return {"a": x}', "constant", []),
    ('def f(x):\n    raise ValueError("3" + x)', None, []),
]  # fmt: skip


@pytest.mark.parametrize(("code", "operator", "want"), MADE)
def test_changes(code, operator, want):
    made = changes(code, operator)
    assert made == want if want is not None else len(made) >= 2


def test_every_mutant_is_another_program():
    code = "def f(x, y):\n    return np.where(x < y, x + 1, y.sum(axis=0))"
    made = list(mutants(code))
    texts = [one.code for one in made]
    assert len(set(texts)) == len(texts) > 20 and ast.unparse(ast.parse(code)) not in texts
    assert {one.line for one in made} == {2}


def pair_of(root):
    (pair,) = Contract(root).pairs
    return pair, pair.checks.exercises["double-it"]


def test_values_of_the_first_call_are_written_out(toy):
    pair, exercise = pair_of(toy)
    code = "def double_it(x):\n    n = len(x)\n    return 2 * x[:n] + 0 * x.shape[0] + 0 * 7"
    values = first_values(pair, exercise, code)
    assert set(values.values()) == {"3", "(3,)", "0"}
    hard_coded = [one.change for one in mutants(code, values) if one.operator == "hard-coded"]
    assert "`len(x)`  ->  `3`" in hard_coded and "`x.shape`  ->  `(3,)`" in hard_coded
    assert not any("7" in change for change in hard_coded)


def test_children_have_their_places():
    node = ast.parse("f(a, b)").body[0].value
    assert [(field, index) for field, index, _ in children(node)] == [("func", None), ("args", 0), ("args", 1)]


def test_derived_inputs_keep_what_belongs_together():
    a, b = np.arange(3.0), np.arange(3)
    lengths = {tuple(len(x) for x in args) for args in variations((a, b))}
    assert {(0, 0), (1, 1), (4, 4)} <= lengths
    assert [args[1] for args in variations(("text", 3))] == [0, 1, 2, -1, 4, -3]


def test_a_difference_outside_of_what_the_solution_takes_is_none():
    task = Exercise("f", lambda answer, rng: answer(np.array([1.0, 2.0])))
    assert difference(task, lambda x: x[0], lambda x: x[:1].sum()) == ""
    assert difference(task, np.sum, lambda x: np.sum(np.abs(x))).startswith("For `[-1.0]`") is False
    assert "the solution gives `-" in difference(task, np.sum, lambda x: np.sum(np.abs(x)))


TAME = "    x = np.abs(rng.normal(size=3)) + 1\n"


@pytest.fixture
def tame(toy):
    """The toy with a check that never asks a negative number, and a solution that needs none."""
    edit(toy / PY, "    x = rng.normal(size=3)\n", TAME)
    edit(toy / PY, "    expect(answer(-x), -2 * x)\n", "")
    edit(toy / MD, "    return 2 * x\n", "    return x + np.abs(x) * np.sign(x)\n")
    return toy


def test_survivors_are_shown_with_a_counterexample(tame, capsys):
    assert cli.main(["--course", str(tame), "check", "--mutants", "01_toy"]) == 1
    told = capsys.readouterr().out
    assert "unwrap: `np.abs(x)`  ->  `x`" in told and "the solution gives `[-" in told
    assert "sibling" not in told  # `np.sign` has no sibling, and `np.abs` none


def test_an_accepted_survivor_is_silent_and_a_stale_one_is_named(tame, capsys):
    pair, exercise = pair_of(tame)
    told = "\n".join(_lines(tame))
    changes = [line.partition(": `")[2] for line in told.splitlines() if "  passed: " in line]
    assert changes
    accepted = "".join(f'equivalent("double-it", "`{change}", "a test"), ' for change in changes)
    text = (tame / LISTED).read_text().replace("import right", "import equivalent, right")
    (tame / LISTED).write_text(f"{text}\n\nequivalents = [{accepted}]\n")
    assert cli.main(["--course", str(tame), "check", "--mutants"]) == 0
    assert f"{len(changes)} accepted, 0 passed" in capsys.readouterr().out
    edit(tame / LISTED, "equivalents = [", 'equivalents = [equivalent("double-it", "`x`  ->  `y`", "gone"), ')
    assert cli.main(["--course", str(tame), "check", "--mutants"]) == 1
    assert "it does not pass (any more): `x`  ->  `y`" in capsys.readouterr().out


def _lines(root):
    said = []
    room.run(Contract(root), workers=1, say=said.append)
    return said


def test_a_mutant_that_never_ends_is_refused(toy, monkeypatch):
    monkeypatch.setattr(room, "LEAST_SECONDS", 0.5)
    edit(toy / MD, "    return 2 * x\n", "    k = 0\n    while k < 2:\n        k += 1\n    return k * x\n")
    told = "\n".join(_lines(toy))
    assert " 0 passed" in told or "k += 1" not in told
