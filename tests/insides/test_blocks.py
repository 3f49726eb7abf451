"""The blocks of a `pl.pallas_call`: what is read of it, and what public names say of the same call."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from kernels import (
    CASES,
    like,
    looped,
    plus_one,
    product,
    recording,
    row_totals,
    scoped,
    smooth,
    table,
    three_point,
    unwritten,
)

from jaxcourse import insides


@pytest.mark.parametrize("name", CASES)
def test_public_names_give_the_same_blocks(name):
    function, args = CASES[name]
    found = insides.blocks(function, *args)
    with recording() as seen:
        jax.eval_shape(lambda *arrays: function(*arrays), *args)
    ((grid, walked),) = seen
    assert grid == found.grid
    for one, (shape, block, starts) in zip(found.operands, walked, strict=True):
        assert (one.shape, one.block) == (shape, block)
        assert one.starts.tolist() == starts.tolist()


def test_a_block_hangs_over_and_is_counted_only_as_far_as_it_is_there():
    found = insides.blocks(plus_one, like((10,)), 4)
    x, out = found.operands
    assert (x.hangs_over, x.outside, out.uncovered, found.fast_bytes, found.moved_bytes) == (2, None, 0, 32, 80)
    assert x.inside.tolist() == [16, 16, 8]


def test_an_index_of_elements_lies_outside():
    found = insides.blocks(lambda x: plus_one(x, 4, index=lambda i: (i * 4,)), like((12,)))
    assert found.inputs[0].outside == 1 and found.inputs[0].starts.tolist() == [[0], [16], [32]]
    assert found.outputs[0].uncovered == 8


def test_a_block_before_the_beginning_lies_outside():
    found = insides.blocks(lambda x: plus_one(x, 4, index=lambda i: (i - 1,)), like((12,)))
    assert (found.inputs[0].outside, found.inputs[0].hangs_over) == (0, 0)


def test_too_few_steps_leave_a_rest_and_a_whole_array_is_told():
    short = insides.blocks(lambda x: plus_one(x, 4, steps=2), like((10,)))
    whole = insides.blocks(lambda x: plus_one(x, 4, handed=False), like((10,)))
    assert (short.outputs[0].uncovered, short.inputs[0].whole) == (2, False)
    assert whole.inputs[0].whole and whole.inputs[0].moves.tolist() == [True, False, False]


def test_a_result_that_stays_is_written_once_and_one_that_comes_back_again_and_again():
    stays, back = (insides.blocks(row_totals, like((5, 7)), 2, 3, turned).outputs[0] for turned in (False, True))
    assert (stays.shared, stays.comes_back, stays.moves.tolist()) == (True, None, [False, False, True] * 3)
    assert (back.shared, back.comes_back, back.moves.all()) == (True, 3, True)
    assert (stays.moved_bytes, back.moved_bytes) == (20, 60)


def test_a_block_that_stays_is_not_fetched_again():
    found = insides.blocks(product, like((8, 24), "bfloat16"), like((24, 16), "bfloat16"), 4)
    m, k, n, tile = 8, 24, 16, 4
    assert found.moved_bytes == 2 * (m * k * n // tile + k * n * m // tile) + 4 * m * n
    whole_row = insides.blocks(product, like((8, 4)), like((4, 16)), 4)
    assert whole_row.inputs[0].moves.sum() == 2  # a's block stays while j runs


def test_products_say_in_which_dtype_they_add_up():
    args = like((8, 8), "bfloat16"), like((8, 8), "bfloat16"), 4
    assert insides.blocks(product, *args).products == (("bfloat16", "bfloat16", "float32"),)
    assert insides.blocks(product, *args, wide=False).products == (("bfloat16", "bfloat16", "bfloat16"),)


def turned(turn, *start):
    """The last of what a loop hands on from turn to turn."""
    return jax.lax.fori_loop(0, 3, lambda t, state: turn(*state), start)[-1]


MASKED = {
    "converted": (1, lambda x, inside: x * inside),
    "whole numbers": (1, lambda x, inside: x * inside.astype(int)),
    "two constants": (1, lambda x, inside: x * jnp.where(inside, 1.0, 0.0)),
    "arrays of constants": (1, lambda x, inside: x * jnp.where(inside, jnp.ones_like(x), 0)),
    "by jnp.select": (1, lambda x, inside: x * jnp.select([inside], [1.0], 0.0)),
    "the other way round": (1, lambda x, inside: x * (1 - jnp.where(inside, 0, 1))),
    "in a product of matrices": (1, lambda x, inside: jnp.dot(inside.astype(float), x)),
    "in a branch": (1, lambda x, inside: jax.lax.cond(inside[0], lambda x: x * inside, lambda x: x, x)),
    "selected": (0, lambda x, inside: 2 * jnp.where(inside, x, 0)),
    "counted": (0, lambda x, inside: jnp.where(inside, x, 0).sum() / inside.sum()),
    "added": (0, lambda x, inside: x + jnp.where(inside, 0.0, -jnp.inf)),
    "a product of masks": (0, lambda x, inside: inside.astype(float) * jnp.where(inside, 1.0, 2.0)),
    "handed on by each turn": (1, lambda x, inside: turned(lambda mask, y: (mask, y + x * mask), inside * 1.0, x)),
    "made in a turn, for the next": (
        1,
        lambda x, inside: turned(lambda mask, y: (inside * 1.0, y + x * mask), jnp.zeros(4), x),
    ),
    "with what a turn carries, from zeros": (
        1,
        lambda x, inside: turned(lambda old, y: (x, y + old * inside), jnp.zeros(4), jnp.zeros(4)),
    ),
    "decided among constants": (1, lambda x, inside: x * jax.lax.cond(inside[0], lambda: 1.0, lambda: 0.0)),
    "selected of what a turn carries, from zeros": (
        0,
        lambda x, inside: turned(lambda old, y: (old + x, y + x * jnp.where(inside, old, 0.0)), jnp.zeros(4), x),
    ),
    "a number of turns": (
        0,
        lambda x, inside: turned(lambda n, y: (jnp.where(inside, n + 1, n), y + x * n), jnp.zeros(4), x),
    ),
    "one selection of constants, and one of data": (
        0,
        lambda x, inside: x * jnp.where(inside, x, jnp.zeros(4)) + jnp.where(inside, jnp.ones(4), jnp.zeros(4)),
    ),
    "a product of whole numbers": (0, lambda x, inside: x.astype(int) * inside),
}


@pytest.mark.parametrize(("factors", "of"), MASKED.values(), ids=MASKED)
def test_a_mask_is_a_factor_however_it_became_a_number(factors, of):
    def masked(x):
        def kernel(x_ref, o_ref):
            place = jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 0)
            o_ref[...] = jnp.broadcast_to(of(x_ref[...], place < 3), x_ref.shape).astype(x_ref.dtype)

        return pl.pallas_call(kernel, like((4,)), interpret=True)(x)

    with jax.numpy_dtype_promotion("standard"):  # as readers have it
        assert insides.blocks(masked, like((4,))).masks_as_factors == factors


KEPT = {
    "a mask": (1, lambda x, inside, kept: (inside * 1.0, x * kept[...])),
    "a selection": (0, lambda x, inside, kept: (jnp.where(inside, x, 0), x * kept[...])),
    "a count": (0, lambda x, inside, kept: (kept[...] + inside, x * kept[...])),
}


@pytest.mark.parametrize(("factors", "of"), KEPT.values(), ids=KEPT)
def test_a_mask_is_followed_through_memory(factors, of):
    def masked(x):
        def kernel(x_ref, o_ref, kept):
            @pl.when(pl.program_id(0) == 0)
            def _():
                kept[...] = jnp.zeros_like(kept)

            inside = jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 0) < 3
            kept[...], o_ref[...] = of(x_ref[...], inside, kept)

        memory = [pltpu.VMEM((4,), jnp.float32)]
        return pl.pallas_call(kernel, like((4,)), grid=(1,), scratch_shapes=memory, interpret=True)(x)

    with jax.numpy_dtype_promotion("standard"):
        assert insides.blocks(masked, like((4,))).masks_as_factors == factors


def test_scratch_memory_and_what_a_loop_inside_does_with_blocks():
    found = insides.blocks(smooth, like((2, 10)), 4)
    assert [(one.shape, one.dtype) for one in found.scratch] == [((1,), "float32")]
    assert found.inputs[0].kinds == ("squeezed", "blocked") and found.fast_bytes == 4 * (4 + 4 + 1)
    assert [(one.ref, one.reads, one.writes) for one in found.operands] == [
        ("x_ref", True, False),
        ("y_ref", False, True),
    ]


def test_a_result_that_nobody_writes_is_seen():
    assert not insides.blocks(unwritten, like((10,)), 4).outputs[0].writes
    assert insides.blocks(row_totals, like((5, 7)), 2, 3).outputs[0].writes


@pytest.mark.parametrize("kernel", [scoped, looped])
def test_what_is_read_and_written_is_seen_in_loops_and_in_memory_of_a_part(kernel):
    x, out = insides.blocks(kernel, like((4, 4))).operands
    assert (x.reads, x.writes, out.reads, out.writes) == (True, False, False, True)
    assert not insides.blocks(kernel, like((4, 4)), writes=False).outputs[0].writes


def test_values_inside_and_outside_are_told_apart():
    found = insides.blocks(table, like((5,)), like((6,)))
    assert max(value.size for value in found.made_outside) == 30
    small = insides.blocks(three_point, like((10,)), 4)
    assert max(value.size for value in small.made_outside) == 10
    assert max(value.size for value in small.made_inside) == 4


def test_a_selection_is_among_the_kernels_equations():
    names = insides.blocks(row_totals, like((5, 7)), 2, 3).kernel.names
    assert "select_n" in names and "cond" in names


def test_vmap_adds_an_axis_in_front_and_jit_none():
    mapped = insides.blocks(lambda x: jax.vmap(lambda x: plus_one(x, 4))(x), like((3, 10)))
    assert mapped.grid == (3, 3) and mapped.inputs[0].block == (1, 4)
    assert mapped.inputs[0].starts[4].tolist() == [1, 4]
    assert insides.blocks(jax.jit(plus_one, static_argnums=1), np.ones(10, "f4"), 4).grid == (3,)


def test_none_and_several_are_said_and_one_in_a_loop_is_counted():
    with pytest.raises(insides.NotOneKernel, match=r"no `pl.pallas_call`"):
        insides.blocks(lambda x: x + 1, like((3,)))
    with pytest.raises(insides.NotOneKernel, match="2 calls") as several:
        insides.blocks(lambda x: plus_one(plus_one(x, 4), 4), like((8,)))
    assert several.value.calls == 2
    assert insides.blocks(lambda x: jax.lax.fori_loop(0, 7, lambda _, x: plus_one(x, 4), x), like((8,))).times == 7


def test_a_grid_that_is_known_only_when_it_runs_cannot_be_read():
    with pytest.raises(insides.CannotRead, match="known only when it runs"):
        insides.blocks(lambda n, x: plus_one(x, 4, steps=n), jnp.int32(2), like((8,)))


def test_no_step_and_no_axis():
    empty = insides.blocks(lambda x: plus_one(x, 4, steps=0), like((8,)))
    assert (empty.steps, empty.moved_bytes, empty.inputs[0].outside) == (0, 0, None)
    once = insides.blocks(table, like((5,)), like((6,)))
    assert (once.grid, once.steps, once.outputs[0].moves.tolist()) == ((), 1, [True])
