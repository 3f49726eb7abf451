"""What an answer does on eight simulated devices: its values, who holds what, what is communicated. On every stack."""

import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse import devices, probe
from jaxcourse.probe import Answer, local_channel

TABLE = np.arange(64, dtype=np.float32).reshape(16, 4)
ROWS = probe.placing({"x": 8}, ["x"])


def ask(answer, question, *args):
    return Answer("answer", local_channel(answer)).probe(question, *args)


def run(*lines):
    return subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True)


def test_devices_are_simulated_once_and_again():
    found = run("from jaxcourse.devices import simulate", "simulate()", "print(len(simulate()), len(simulate(3)))")
    assert found.stdout.split() == ["8", "3"], found.stderr


def test_it_says_when_it_is_too_late():
    found = run("import jax", "jax.devices()", "from jaxcourse.devices import simulate", "simulate()")
    assert "JAX has started with 1 device, and 8 are needed: restart the kernel" in found.stderr


def test_values_are_those_of_the_whole():
    assert ask(lambda x: x.sum(), probe.on_mesh, ROWS, TABLE) == TABLE.sum()


@pytest.mark.parametrize("mesh", ["argument", "context"])
def test_an_answer_gets_its_mesh(mesh):
    def columns(*given):
        (*meshes, x) = given
        assert len(meshes) == (mesh == "argument")
        return jax.lax.with_sharding_constraint(x, NamedSharding(meshes[0], P(None, "y")) if meshes else P(None, "y"))

    placed = probe.placing({"x": 2, "y": 4}, ["x"], mesh=mesh)
    (found,) = ask(jax.jit(columns, static_argnums=0 if mesh == "argument" else ()), probe.held, placed, TABLE)
    assert found["pieces"] == [[k, [[0, 16], [k % 4, k % 4 + 1]]] for k in range(8)]


def test_who_holds_what():
    (rows,) = ask(lambda x: x, probe.held, ROWS, TABLE)
    assert rows == {"shape": [16, 4], "pieces": [[k, [[2 * k, 2 * k + 2], [0, 4]]] for k in range(8)]}
    (copies,) = ask(lambda x: x, probe.held, probe.placing({"x": 8}, []), TABLE)
    assert copies["pieces"] == [[k, [[0, 16], [0, 4]]] for k in range(8)]
    (both,) = ask(lambda x: x, probe.held, probe.placing({"x": 4, "y": 2}, [["y", "x"]]), TABLE)
    assert sorted(both["pieces"][1][1][0]) == [8, 10]  # y is the major one: device 1 is (0, 1)
    (alone,) = ask(lambda x: jnp.ones(3), probe.held, ROWS, TABLE)
    assert len(alone["pieces"]) == 1
    assert ask(lambda x: 3, probe.held, ROWS, TABLE) == [{"shape": [], "pieces": []}]


def test_each_leaf_lies_where_its_spec_says():
    placed = probe.placing({"x": 8}, {"w": ["x"], "b": []}, None)
    w, b = np.ones((8, 2), np.float32), np.ones(2, np.float32)
    found = ask(lambda p, x: [p["b"], p["w"], x], probe.held, placed, {"w": w, "b": b}, np.ones(1, np.float32))
    assert [len({str(ranges) for _, ranges in leaf["pieces"]}) for leaf in found] == [
        1,
        8,
        0,
    ]  # a NumPy array lies on no device


@pytest.mark.parametrize(
    ("answer", "collectives"),
    [
        (lambda x: 2 * x, {}),
        (lambda x: x.sum(0), {"all-reduce": 1}),
        (lambda x: jnp.roll(x, 1, axis=0), {"collective-permute": 1}),
        (lambda x: jnp.cumsum(x, axis=0), {"all-gather": 1}),
    ],
)
def test_what_is_communicated(answer, collectives):
    assert ask(answer, probe.partitioned, ROWS, TABLE)["collectives"] == collectives


def test_facts_are_those_of_one_device():
    found = ask(lambda x: 2 * x, probe.partitioned, ROWS, TABLE)
    assert (found["arguments"], found["results"]) == (TABLE.nbytes // 8, TABLE.nbytes // 8)
    assert found["pieces"][0]["shape"] == [16, 4]


def test_shardings_are_part_of_a_type_if_so_wished():
    def names(x):
        return str(jax.typeof(x)).count("@")

    assert ask(names, probe.on_mesh, probe.placing({"x": 8}, ["x"], explicit=True), TABLE) == 1
    assert ask(names, probe.on_mesh, ROWS, TABLE) == 0


def test_more_devices_than_there_are_is_said():
    with pytest.raises(probe.AnswerRaised, match="9 devices are needed, and there are 8"):
        ask(lambda x: x, probe.held, probe.placing({"x": 9}, ["x"]), TABLE)
    assert len(devices.simulate()) == 8
