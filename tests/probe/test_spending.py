"""What a compiled program stores, computes and sends, against what can be counted by hand. On every stack."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse import insides, probe
from jaxcourse.probe import Answer, AnswerRaised, local_channel

ROWS = P("x")
MESH = jax.make_mesh((4, 2), ("x", "y"), (AxisType.Auto,) * 2, devices=jax.devices()[:8])
BYTES = 16 * 6 * 4
"""Of a whole array: 16 rows of 6 columns of `float32`."""
GATHERED = BYTES * 3 // 4


def compiled(body, out=ROWS, shape=(16, 6)):
    """A program in which each of four pairs of devices has four rows."""
    mapped = jax.shard_map(body, mesh=MESH, in_specs=P("x"), out_specs=out)
    return jax.jit(mapped).lower(jax.ShapeDtypeStruct(shape, np.float32)).compile()


def spent(body, out=ROWS):
    return probe.spent(compiled(body, out))


PAIRS = [(i, (i + 1) % 4) for i in range(4)]
BODIES = {
    "all-gather": (lambda a: lax.all_gather(a, "x", tiled=True)[:4], GATHERED),
    "all-reduce": (lambda a: lax.psum(a, "x") + a, 2 * (BYTES // 4) * 3 // 4),
    "reduce-scatter": (lambda a: lax.psum_scatter(a, "x", tiled=True), (BYTES // 4) * 3 // 4),
    "all-to-all": (lambda a: lax.all_to_all(a, "x", 0, 0, tiled=True), (BYTES // 4) * 3 // 4),
    "collective-permute": (lambda a: lax.ppermute(a, "x", PAIRS), BYTES // 4),
}


@pytest.mark.parametrize("name", BODIES)
def test_bytes_are_those_of_a_ring(name):
    body, nbytes = BODIES[name]
    (one,) = insides.sent(compiled(body))
    assert (one.operation, one.bytes, one.runs) == (name, nbytes, 1)
    assert one.members == (8 if name == "collective-permute" else 4)


def test_what_the_compiler_adds_is_counted_as_well():
    whole = jax.jit(lambda a: lax.with_sharding_constraint(jnp.sin(a), NamedSharding(MESH, P())))
    rows = NamedSharding(MESH, P("x"))
    program = whole.lower(jax.ShapeDtypeStruct((16, 6), np.float32, sharding=rows)).compile()
    assert [(one.members, one.bytes) for one in insides.sent(program)] == [(4, GATHERED)]


def in_a_loop(turns):
    return lambda a: lax.fori_loop(0, turns, lambda i, a: lax.ppermute(jnp.sin(a), "x", PAIRS), a)


def test_a_loop_sends_in_each_turn():
    found = spent(in_a_loop(7))
    assert (found["messages"], found["bytes_sent"]) == (7, 7 * BYTES // 4)
    nested = spent(lambda a: lax.map(lambda _: in_a_loop(7)(a), jnp.arange(3.0) + 0 * a[0, 0])[:, 0])
    assert nested["messages"] in (7, 21)  # the compiler may see that each turn does the same


def test_a_loop_of_unknown_length_is_never_counted_as_one():
    def until_large(a):
        return lax.while_loop(lambda a: a.max() < 9, lambda a: lax.psum(jnp.exp(a), "x"), lax.psum(a, "x"))

    found = spent(until_large, P())
    assert found["messages"] is None and found["bytes_sent"] is None and found["work"] is None
    assert {one["runs"] for one in found["sent"]} == {1, None}


def test_work_is_counted_through_loops_and_products():
    x = jax.ShapeDtypeStruct((32, 32), np.float32)
    product = jax.jit(lambda x: lax.fori_loop(0, 5, lambda i, y: y @ x, x)).lower(x).compile()
    work = probe.spent(product)["work"]
    assert 5 * 2 * 32**3 <= work < 1.2 * 5 * 2 * 32**3
    most = insides.worked(product)[0]
    assert (most.operation, most.piece.kind, most.runs) == ("dot", "f32[32,32]", 5)


def test_a_sum_counts_what_goes_into_it_and_a_slice_what_comes_out():
    x = jax.ShapeDtypeStruct((100_000,), np.float32)
    total = probe.spent(jax.jit(lambda x: x.sum()).lower(x).compile())["work"]
    part = probe.spent(jax.jit(lambda x, i: lax.dynamic_slice(x, (i,), (10,))).lower(x, 3).compile())["work"]
    assert total >= 100_000 and part < 1000


def test_the_largest_arrays_are_those_that_are_stored():
    x = jax.ShapeDtypeStruct((300, 20), np.float32)
    table = jax.jit(lambda x: jnp.sort(x @ x.T, axis=0)[0]).lower(x).compile()
    first = probe.spent(table)["largest"][0]
    assert first["piece"] == {"kind": "f32[300,300]", "elements": 90_000, "bytes": 360_000}
    fused = jax.jit(lambda x: jnp.exp(jnp.sin(x) * 2 + 1)).lower(x).compile()
    assert [one.piece.kind for one in insides.made(fused)].count("f32[300,20]") == 1


def ask(answer, calls=2, shapes=(((64,), "float32"),)):
    given = [(np.arange(16, dtype=np.float32) + call,) for call in range(calls)]
    placed = probe.placing({"x": 8}, ["x"])
    return Answer("answer", local_channel(answer)).probe(probe.spending, placed, list(shapes), given)


def test_a_program_is_read_at_one_size_and_run_at_another():
    found = ask(jax.jit(lambda x: jnp.cos(jnp.flip(x))))
    assert np.allclose(found["results"][1], np.cos(np.arange(16)[::-1] + 1.0), atol=1e-6)
    assert found["pieces"][0]["pieces"][7] == [7, [[14, 16]]]
    assert found["bytes_sent"] == 4 * 64 // 8 and found["compiled"] == [["<lambda>"], []]


def test_what_is_decided_in_python_is_decided_with_concrete_numbers():
    inner = jax.jit(lambda x, n: x * n, static_argnums=1)
    found = ask(lambda x: inner(x, int(x[1])))
    assert "<lambda>" in found["compiled"][1] and found["stopped"] == "ConcretizationTypeError"
    assert "temporaries" not in found


def test_an_answer_that_raises_is_the_answers_fault():
    def broken(x):
        raise ValueError("no")

    with pytest.raises(AnswerRaised, match="no"):
        ask(broken)
