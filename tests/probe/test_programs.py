"""The detectors: each says yes to a program that has the property, and no to one that has not. Runs on every stack."""

import functools
import gc

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse import insides, probe
from jaxcourse.probe import Answer, local_channel


@pytest.mark.parametrize(
    ("calls", "counts"),
    [
        ([(np.ones(3, "f4"),), (np.zeros(3, "f4"),)], [1, 1]),
        ([(np.ones(3, "f4"),), (np.ones(4, "f4"),)], [1, 2]),
        ([(np.ones(3, "f4"),), (np.ones(3, "i4"),)], [1, 2]),
        ([(1.0,), (2.0,)], [1, 1]),
        ([(1.0,), (np.float32(2),)], [1, 2]),  # a Python number is weakly typed
        ([({"a": 1.0},), ({"b": 1.0},)], [1, 2]),
    ],
)
def test_traces_follow_shape_dtype_weak_type_and_structure(calls, counts):
    assert probe.traced(lambda x: jax.tree.map(lambda v: v * 2, x), calls) == counts


def test_a_function_of_numpy_does_not_end_the_process():
    for _ in range(2):
        with pytest.raises(probe.AnswerRaised, match="TracerArrayConversionError"):
            Answer("f", local_channel(np.negative)).probe(probe.program, np.ones(3, "f4"))


def test_a_static_argument_is_traced_for_each_value():
    assert probe.traced(lambda x, n: x * float(n), [(1.0, 1), (1.0, 2), (1.0, 1)], static=(1,)) == [1, 2, 2]


def test_compilations_are_counted_for_what_is_jitted_already():
    @jax.jit
    def inner(x):
        return x * 2.0

    assert probe.compiled(inner, [(np.ones(3, "f4"),), (np.ones(3, "f4"),), (np.ones(5, "f4"),)]) == [
        ["inner"],
        [],
        ["inner"],
    ]


def test_a_new_jit_at_each_call_is_seen():
    def steps(x):
        return jax.jit(lambda v: v * 3.0)(x)

    names = probe.compiled(steps, [(np.ones(3, "f4"),)] * 2)
    assert [len(programs) for programs in names] == [1, 1]


def unrolled(x):
    for _ in range(20):
        x = jnp.sin(x)
    return x


def scanned(x):
    return jax.lax.scan(lambda c, _: (jnp.sin(c), None), x, length=20)[0]


def test_primitives_tell_a_scan_from_an_unrolled_loop():
    assert probe.primitives(unrolled, np.float32(1)) == {"sin": 20}
    counts = probe.primitives(scanned, np.float32(1))
    assert (counts["sin"], counts["scan"]) == (1, 1)


def test_primitives_are_found_in_branches_and_jitted_functions():
    def branches(x):
        return jax.lax.cond(x > 0, jax.jit(jnp.sin), jnp.cos, x)

    counts = probe.primitives(branches, np.float32(1))
    assert counts["sin"] == counts["cos"] == counts["cond"] == 1


def test_the_optimised_program_shows_what_the_compiler_removed():
    def twice(x):
        return x @ x + x @ x

    facts = probe.program(twice, np.ones((8, 8), "f4"))
    assert probe.primitives(twice, np.ones((8, 8), "f4"))["dot_general"] == 2
    assert facts["operations"]["dot"] == 1
    assert facts["arguments"] == facts["results"] == 256


def test_temporaries_show_what_a_program_holds_at_once():
    def outer(x):
        return jnp.sort(x[:, None] * x[None, :], axis=0).sum()

    small, large = (probe.program(outer, np.ones(n, "f4"))["temporaries"] for n in (64, 128))
    assert large >= 3 * small > 0


def test_loops_stay_loops_in_the_program():
    assert probe.program(scanned, np.float32(1))["operations"].get("while", 0) == 1
    assert "while" not in probe.program(unrolled, np.float32(1))["operations"]


def test_leaks():
    kept = []
    assert probe.leaks(lambda x: kept.append(x * 2) or x, np.ones(3, "f4"))
    assert probe.leaks(lambda x: x * 2, np.ones(3, "f4")) == ""
    with pytest.raises(ZeroDivisionError):
        probe.leaks(lambda x: 1 / 0, np.ones(3, "f4"))


@pytest.mark.parametrize(
    ("function", "leaves"),
    [
        (lambda x: np.sin(np.asarray(jax.jit(lambda x: x)(x))), True),
        (lambda x: x * float(x[0]), True),
        (lambda x: x if x[0] > 0 else -x, True),
        (lambda x: jnp.sin(x) * float(np.ones(3)[0]), False),
        (jax.jit(jnp.sin).lower(np.ones(3, "f4")).compile(), False),
    ],
)
def test_who_needs_a_number_leaves_jax(function, leaves):
    assert probe.leaves_jax(function, np.ones(3, "f4")) is leaves


def test_a_leak_is_seen_in_a_function_that_has_run_before():
    kept = []

    def leaky(x):
        kept.append(x * 2)
        return x

    jax.jit(leaky)(np.ones(3, "f4"))
    assert probe.leaks(leaky, np.ones(3, "f4"))


@pytest.mark.parametrize("frozen", [False, True])
def test_the_collector_knows_afterwards_what_it_knew(frozen):
    gc.freeze() if frozen else gc.unfreeze()
    try:
        probe.leaks(lambda x: x * 2, np.ones(3, "f4"))
        assert bool(gc.get_freeze_count()) == frozen
    finally:
        gc.freeze()  # as the tests do


def test_reused_keys():
    def splits(key):
        a, b = jax.random.split(key)
        return jax.random.normal(a) + jax.random.normal(b)

    def splits_and_uses_the_parent(key):
        return jax.random.normal(jax.random.split(key)[0]) + jax.random.normal(key)

    assert probe.reuses_key(splits) == ""
    assert probe.reuses_key(splits_and_uses_the_parent)


def test_a_reused_key_is_seen_in_a_function_that_has_run_before():
    def walk(key):
        return sum(jax.random.normal(key, (7,)) for _ in range(3))

    def needs_a_number(key):
        return float(jax.random.normal(key)) + float(jax.random.uniform(jax.random.split(key)[0]))

    walk(jax.random.key(0))
    assert probe.reuses_key(walk)
    assert probe.reuses_key(needs_a_number)


def test_impure_functions_differ_without_jit():
    state = {"n": 0}

    def impure(x):
        state["n"] += 1
        return x + float(state["n"])

    calls = [(np.float32(1),)] * 3
    both = probe.with_and_without_jit(impure, calls)
    assert not np.array_equal(both["with"], both["without"])
    both = probe.with_and_without_jit(lambda x: x + 1.0, calls)
    assert np.array_equal(both["with"], both["without"])


@pytest.mark.parametrize("question", [probe.primitives, probe.program, probe.leaks, functools.partial])
def test_a_check_asks_them_through_the_door(question):
    answer = Answer("f", local_channel(lambda x: x * 2))
    if question is functools.partial:
        with pytest.raises(TypeError, match="named function"):
            answer.probe(question, np.ones(3, "f4"))
    else:
        assert answer.probe(question, np.ones(3, "f4")) == question(lambda x: x * 2, np.ones(3, "f4"))


def test_what_jit_does_not_take_is_called_as_it_stands_from_then_on():
    traced = []

    def branching(x):
        traced.append(isinstance(x, jax.core.Tracer))
        return x / 2 if x > 1 else x

    halve = probe.in_one_program(branching)
    assert [float(halve(np.float32(x))) for x in (3, 1, 5)] == [1.5, 1, 2.5]
    assert traced == [True, False, False, False]


def test_one_program_serves_all_calls_of_a_shape():
    names = compiled_by(probe.in_one_program(lambda x: jnp.sin(x) * 2 + x.sum()), 3)
    assert len(names) == 1


def compiled_by(function, count):
    """The names of the programs that some calls of one shape compile."""
    given = [probe.on_device(np.full(7, n, np.float32)) for n in range(count)]
    before = len(insides.compilations())
    for x in given:
        function(x)
    return insides.compilations()[before:]


def test_what_the_answer_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        probe.in_one_program(lambda x: 1 / 0)(1.0)
