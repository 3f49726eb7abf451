"""Questions about kernels: what comes back is plain data, and is that of the function as it is now."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from kernels import like, plus_one, product, row_totals, table

from jaxcourse import probe
from jaxcourse.probe import Answer, local_channel


def asked(function, *args, **named):
    return Answer("f", local_channel(function)).probe(probe.walk, *args, **named)


def test_what_a_question_wants_to_know_is_no_part_of_the_call():
    answer = Answer("f", local_channel(lambda x, n: x * n))
    answer.probe(probe.by_blocks, np.ones(2, "f4"), 3, beyond=5.0)
    assert answer.called == "f(float32[2], 3)"


def test_what_comes_back_is_plain_data_with_every_fact():
    found = asked(row_totals, np.ones((5, 7), "f4"), 2, 3)
    assert (found["calls"], found["grid"], found["steps"], found["times"]) == (1, (3, 3), 9, 1)
    (x,), (out,) = found["inputs"], found["outputs"]
    assert (x["shape"], x["block"], x["hangs_over"], x["outside"], x["whole"]) == ((5, 7), (2, 3), 2, None, False)
    assert (out["shared"], out["comes_back"], out["uncovered"], out["moved_bytes"]) == (True, None, 0, 20)
    assert found["primitives"]["select_n"] >= 1 and found["largest_inside"] == 6
    assert isinstance(x["starts"], np.ndarray) and x["starts"].shape == (9, 2)


def test_none_and_several_are_counted_with_their_largest_value():
    assert asked(lambda x: x[:, None] * x[None], np.ones(5, "f4")) == {"calls": 0, "largest": 25}
    twice = asked(lambda x: plus_one(plus_one(x, 4), 4), np.ones(8, "f4"))
    assert twice == {"calls": 2, "largest": 8}


def test_a_table_outside_of_the_kernel_is_seen():
    assert asked(table, np.ones(5, "f4"), np.ones(6, "f4"))["largest"] == 30


def test_floats_get_the_dtype_that_is_named():
    a, b = np.ones((8, 8), "f4"), np.ones((8, 8), "f4")
    found = asked(product, a, b, 4, floats="bfloat16")
    assert [one["dtype"] for one in found["inputs"]] == ["bfloat16"] * 2
    assert found["products"] == (("bfloat16", "bfloat16", "float32"),)
    answer = Answer("product", local_channel(product))
    got = answer.probe(probe.by_blocks, a, b, 4, floats="bfloat16")
    assert got.dtype == np.float32 and (got == 8).all()


def test_results_that_numpy_has_no_dtype_for_come_back_as_float32():
    answer = Answer("plus_one", local_channel(plus_one))
    got = answer.probe(probe.by_blocks, np.ones(8, "f4"), 4, floats="bfloat16")
    assert got.dtype == np.float32 and (got == 2).all()


def test_arguments_by_name_are_handed_on():
    answer = Answer("plus_one", local_channel(plus_one))
    assert answer.probe(probe.walk, np.ones(8, "f4"), block=2)["steps"] == 4
    assert (answer.probe(probe.by_blocks, np.ones(8, "f4"), block=4) == 2).all()


ADDED = [1]


def add_a_global(x):
    def on(x_ref, o_ref):
        o_ref[...] = x_ref[...] + ADDED[0] * jnp.ones_like(x_ref)

    return pl.pallas_call(KERNEL.setdefault("on", on), jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)


KERNEL = {}


def test_a_kernel_is_asked_anew_although_jax_keeps_it():
    """Since JAX 0.11 a kernel that is one object is traced once."""
    answer = Answer("add_a_global", local_channel(add_a_global))
    before = answer.probe(probe.by_blocks, np.zeros(3, "f4"))
    ADDED[0] = 7
    after = answer.probe(probe.by_blocks, np.zeros(3, "f4"))
    assert (before.tolist(), after.tolist()) == ([1] * 3, [7] * 3)


def test_what_the_answer_raises_is_the_answers():
    def captures(x):
        table = jnp.arange(3.0)

        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[...] + table

        return pl.pallas_call(kernel, like(x.shape), interpret=True)(x)

    with pytest.raises(probe.AnswerRaised, match="captures constants"):
        asked(captures, np.ones(3, "f4"))


def lasts(x, block):
    """The last number of each block."""

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[-1:]

    given, made = (pl.BlockSpec((size,), lambda i: (i,)) for size in (block, 1))
    steps = pl.cdiv(len(x), block)
    return pl.pallas_call(kernel, like((steps,)), grid=(steps,), in_specs=[given], out_specs=made, interpret=True)(x)


def test_what_lies_beyond_the_end_may_be_a_number():
    answer, real = Answer("lasts", local_channel(jax.jit(lasts, static_argnums=1))), pl.pallas_call
    assert np.isnan(answer.probe(probe.by_blocks, np.ones(7, "f4"), 3)[-1])
    assert answer.probe(probe.by_blocks, np.ones(7, "f4"), 3, beyond=9.0).tolist() == [1, 1, 9]
    assert np.isnan(answer.probe(probe.by_blocks, np.ones(7, "f4"), 3)[-1]) and pl.pallas_call is real


def test_behind_whole_numbers_lies_a_whole_number():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[-1:]

    def last(x):
        given, made = (pl.BlockSpec((size,), lambda i: (i,)) for size in (3, 1))
        call = pl.pallas_call(kernel, like((3,), "int32"), grid=3, in_specs=[given], out_specs=made, interpret=True)
        return call(x)

    answer, x = Answer("last", local_channel(last)), np.ones(7, "i4")
    assert answer.probe(probe.by_blocks, x).tolist() == [1, 1, np.iinfo("i4").min]
    assert answer.probe(probe.by_blocks, x, beyond=9.0).tolist() == [1, 1, 9]


def steps_so_far(x, each=False, specified=False):
    """At each step the number of steps so far, from a counter that is set at the first step, or at each."""

    def kernel(x_ref, o_ref, kept, _):
        @pl.when((pl.program_id(0) == 0) | each)
        def _():
            kept[...] = jnp.zeros_like(kept)

        kept[...] += x_ref[...]
        o_ref[...] = kept[...]

    one, memory = pl.BlockSpec((1,), lambda i: (i,)), [pltpu.VMEM((1,), jnp.float32), pltpu.SemaphoreType.DMA]
    walk = {"grid": len(x), "in_specs": [one], "out_specs": one, "scratch_shapes": memory}
    walk = {"grid_spec": pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=0, **walk)} if specified else walk
    return pl.pallas_call(kernel, like(x.shape), **walk, interpret=True)(x)


@pytest.mark.parametrize("specified", [False, True])
def test_a_step_may_find_scratch_memory_in_which_no_other_step_has_left_anything(specified):
    answer, x = Answer("steps_so_far", local_channel(steps_so_far)), np.ones(3, "f4")
    asked = functools.partial(answer.probe, probe.by_blocks, x, specified=specified)
    assert (asked().tolist(), asked(scratch=5.0).tolist()) == ([1, 2, 3], [1, 6, 6])
    assert asked(scratch=5.0, each=True).tolist() == [1, 1, 1]
    assert asked().tolist() == [1, 2, 3]


def test_what_is_computed_outside_is_counted_without_new_shapes_of_the_same_numbers():
    x = np.ones(10, "f4")
    assert asked(lambda x: plus_one(x.reshape(2, 5).reshape(-1), 4), x)["outside"] == 0
    assert asked(lambda x: plus_one(jnp.pad(x, (0, 2)), 4), x)["outside"] == 12
