"""Answers to attention."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from jaxcourse.exercise import equivalent, right, wrong


def called(
    q,
    k,
    v,
    block,
    masks=True,
    selects=True,
    scaled=True,
    maximum=True,
    lowest=-jnp.inf,
    rescales=("total", "acc"),
    divides="last",
    keeps=True,
    order="ij",
    weigh=lambda weights, inside: weights,
    bring=None,
    grid=None,
    beyond=-jnp.inf,
    more=0,
    times=1,
    interpret=True,
):
    """The solution, with parts that can be left out."""
    (n, d), m = q.shape, len(k)
    counts = {"i": pl.cdiv(n, block), "j": pl.cdiv(m, block)}

    def kernel(q_ref, k_ref, v_ref, o_ref, top, total, acc):
        j = pl.program_id(order.index("j"))

        @pl.when(j == 0 if keeps else j >= 0)
        def _():
            top[...] = jnp.full_like(top, lowest if maximum else 0)
            total[...] = jnp.zeros_like(total)
            acc[...] = jnp.zeros_like(acc)

        scores = q_ref[...] @ k_ref[...].T
        inside = j * block + jax.lax.broadcasted_iota(jnp.int32, scores.shape, 1) < m + more
        row = j * block + jax.lax.broadcasted_iota(jnp.int32, v_ref.shape, 0)
        scores = scores / d**0.5 if scaled else scores
        scores = jnp.where(inside, scores, beyond) if masks else scores
        values = jnp.where(row < m + more, v_ref[...], 0) if selects else v_ref[...]
        values = bring(row < m, v_ref[...]) if bring else values
        new = jnp.maximum(top[...], scores.max(1)) if maximum else top[...]
        keep = jnp.exp(top[...] - new)
        weights = weigh(jnp.exp(scores - new[:, None]), inside)
        total[...] = total[...] * (keep if "total" in rescales else 1) + weights.sum(1)
        made = acc[...] * (keep[:, None] if "acc" in rescales else 1) + weights @ values
        acc[...] = made / total[...][:, None] if divides == "always" else made
        top[...] = new
        o_ref[...] = acc[...] / total[...][:, None] if divides == "last" else acc[...]

    def at(name):
        return lambda *g: (g[order.index(name)] * (times if name == "j" else 1), 0)

    numbers = pltpu.VMEM((block,), jnp.float32)
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(q.shape, q.dtype),
        grid=grid or tuple(counts[axis] for axis in order),
        in_specs=[pl.BlockSpec((block, d), at(name)) for name in "ijj"],
        out_specs=pl.BlockSpec((block, d), at("i")),
        scratch_shapes=[numbers, numbers, pltpu.VMEM((block, d), jnp.float32)],
        interpret=interpret,
    )(q, k, v)


@right("attention")
def divides_at_each_step_for_the_result_alone(q, k, v, block):
    return called(q, k, v, block)


@right("attention")
def scales_the_queries_outside(q, k, v, block):
    return called(q / q.shape[1] ** 0.5, k, v, block, scaled=False)


@right("attention")
def a_loop_over_the_keys_that_exist(q, k, v, block):
    (n, d), m = q.shape, len(k)

    def kernel(q_ref, k_ref, v_ref, o_ref, top, total):
        j = pl.program_id(1)

        @pl.when(j == 0)
        def _():
            top[...] = jnp.full_like(top, -jnp.inf)
            total[...] = jnp.zeros_like(total)
            o_ref[...] = jnp.zeros_like(o_ref)

        def one(c, _):
            score = (q_ref[...] * k_ref[c]).sum(1) / d**0.5
            new = jnp.maximum(top[...], score)
            keep, weight = jnp.exp(top[...] - new), jnp.exp(score - new)
            grown = total[...] * keep + weight
            o_ref[...] = (o_ref[...] * (total[...] * keep)[:, None] + weight[:, None] * v_ref[c]) / grown[:, None]
            total[...] = grown
            top[...] = new

        jax.lax.fori_loop(0, jnp.minimum(block, m - j * block), one, None)

    of_queries, of_keys = pl.BlockSpec((block, d), lambda i, j: (i, 0)), pl.BlockSpec((block, d), lambda i, j: (j, 0))
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(q.shape, q.dtype),
        grid=(pl.cdiv(n, block), pl.cdiv(m, block)),
        in_specs=[of_queries, of_keys, of_keys],
        out_specs=of_queries,
        scratch_shapes=[pltpu.VMEM((block,), jnp.float32)] * 2,
        interpret=True,
    )(q, k, v)


@wrong("attention", "table")
def in_one_line(q, k, v, block):
    return jax.nn.softmax(q @ k.T / q.shape[1] ** 0.5, axis=1) @ v


@wrong("attention", "table")
def whole_keys_in_each_step(q, k, v, block):
    def kernel(q_ref, k_ref, v_ref, o_ref):
        o_ref[...] = jax.nn.softmax(q_ref[...] @ k_ref[...].T / q.shape[1] ** 0.5, axis=1) @ v_ref[...]

    return pl.pallas_call(kernel, jax.ShapeDtypeStruct(q.shape, q.dtype), interpret=True)(q, k, v)


@wrong("attention", "other-blocks")
def all_keys_in_each_step(q, k, v, block):
    def kernel(q_ref, k_ref, v_ref, o_ref):
        o_ref[...] = jax.nn.softmax(q_ref[...] @ k_ref[...].T / q.shape[1] ** 0.5, axis=1) @ v_ref[...]

    whole = pl.BlockSpec(k.shape, lambda i: (0, 0))
    walk = pl.BlockSpec((block, q.shape[1]), lambda i: (i, 0))
    like = jax.ShapeDtypeStruct(q.shape, q.dtype)
    return pl.pallas_call(
        kernel, like, grid=pl.cdiv(len(q), block), in_specs=[walk, whole, whole], out_specs=walk, interpret=True
    )(q, k, v)


@wrong("attention", "not-rescaled")
def forgets_the_weighted_values(q, k, v, block):
    return called(q, k, v, block, rescales=("total",))


@wrong("attention", "not-rescaled")
def forgets_both_sums(q, k, v, block):
    return called(q, k, v, block, rescales=())


@wrong("attention", "divided-each-time")
def divides_too_often(q, k, v, block):
    return called(q, k, v, block, divides="always")


@wrong("attention", "wrong-value")
def never_divides(q, k, v, block):
    return called(q, k, v, block, divides="never")


@wrong("attention", "unscaled")
def leaves_the_root_out(q, k, v, block):
    return called(q, k, v, block, scaled=False)


@wrong("attention", "overflow")
def subtracts_nothing(q, k, v, block):
    return called(q, k, v, block, maximum=False)


@wrong("attention", "from-zero")
def begins_the_maximum_with_zero(q, k, v, block):
    return called(q, k, v, block, lowest=0)


@wrong("attention", "last-block")
def begins_anew_in_each_block(q, k, v, block):
    return called(q, k, v, block, keeps=False)


@wrong("attention", "weights-alone")
def adds_weights(q, k, v, block):
    return called(q, k, v, block, bring=lambda inside, values: jnp.where(inside, 1.0, 0.0))


@wrong("attention", "overhang")
def lets_each_key_take_part(q, k, v, block):
    return called(q, k, v, block, masks=False, selects=False)


@wrong("attention", "zero-times-nan")
def masks_the_scores_alone(q, k, v, block):
    return called(q, k, v, block, selects=False)


@wrong("attention", "times-zero")
def multiplies_weights_by_the_mask(q, k, v, block):
    return called(q, k, v, block, weigh=lambda weights, inside: weights * inside)


@wrong("attention", "times-zero")
def multiplies_values_by_zeros_and_ones(q, k, v, block):
    def bring(inside, values):
        return jnp.where(inside, values, 0) * jnp.where(inside, 1.0, 0.0)

    return called(q, k, v, block, bring=bring)


@wrong("attention", "zero-scores")
def scores_of_zero(q, k, v, block):
    return called(q, k, v, block, beyond=0)


@wrong("attention", "overhang")
def one_key_too_many(q, k, v, block):
    return called(q, k, v, block, more=1)


@wrong("attention", "keys-lost")
def rounds_the_keys_down(q, k, v, block):
    return called(q, k, v, block, grid=(pl.cdiv(len(q), block), len(k) // block))


@wrong("attention", "comes-back")
def keys_first(q, k, v, block):
    return called(q, k, v, block, order="ji")


@wrong("attention", "rest-missing")
def rounds_down(q, k, v, block):
    return called(q, k, v, block, grid=((len(q) - 1) // block, pl.cdiv(len(k), block)))


@wrong("attention", "block-outside")
def elements_for_blocks(q, k, v, block):
    return called(q, k, v, block, times=block)


@wrong("attention", "not-interpreted")
def for_a_device(q, k, v, block):
    return called(q, k, v, block, interpret=False)


@wrong("attention", "no-kernel")
def a_loop_of_the_compiler(q, k, v, block):
    def of_one(query):
        return jax.nn.softmax(k @ query / q.shape[1] ** 0.5) @ v

    return jax.lax.map(of_one, q)


@wrong("attention", "several-kernels")
def one_kernel_for_each_block_of_queries(q, k, v, block):
    return jnp.concatenate([called(q[at : at + block], k, v, block) for at in range(0, len(q), block)])


@right("attention")
def a_key_after_the_other_selected(q, k, v, block):
    (n, d), m = q.shape, len(k)

    def kernel(q_ref, k_ref, v_ref, o_ref, top, total, acc):
        j = pl.program_id(1)
        begins = [(top, -jnp.inf), (total, 0.0), (acc, 0.0)]

        def one(t, state):
            most, so_far, made = state
            inside = j * block + t < m
            score = (q_ref[...] * k_ref[t]).sum(1, keepdims=True) / d**0.5
            score = jnp.where(inside, score, -jnp.inf)
            new = jnp.maximum(most, score)
            keep, weight = jnp.exp(most - new), jnp.exp(score - new)
            return new, so_far * keep + weight, made * keep + weight * jnp.where(inside, v_ref[t], 0)

        start = tuple(jnp.where(j == 0, first, kept[...]) for kept, first in begins)
        top[...], total[...], acc[...] = jax.lax.fori_loop(0, block, one, start)
        o_ref[...] = acc[...] / total[...]

    of_queries, of_keys = pl.BlockSpec((block, d), lambda i, j: (i, 0)), pl.BlockSpec((block, d), lambda i, j: (j, 0))
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(q.shape, q.dtype),
        grid=(pl.cdiv(n, block), pl.cdiv(m, block)),
        in_specs=[of_queries, of_keys, of_keys],
        out_specs=of_queries,
        scratch_shapes=[pltpu.VMEM((block, width), jnp.float32) for width in (1, 1, d)],
        interpret=True,
    )(q, k, v)


@wrong("attention", "program-id-inside")
def asks_for_the_step_in_a_jitted_function(q, k, v, block):
    bring = jax.jit(lambda inside, values: jnp.where(inside & (pl.program_id(1) >= 0), values, 0))
    return called(q, k, v, block, bring=bring)


equivalents = [
    equivalent("attention", "`k`  ->  `v`", "there are as many values as keys"),
    equivalent("attention", "`1`  ->  `-1`", "the grid has two axes"),
    equivalent("attention", "`top`  ->  `numbers`", "all that is kept has one dtype, and what is filled one shape"),
    equivalent("attention", "`top`  ->  `total`", "all that is kept has one dtype, and what is filled one shape"),
    equivalent("attention", "`total`  ->  `numbers`", "all that is kept has one dtype, and what is filled one shape"),
    equivalent("attention", "`total`  ->  `top`", "all that is kept has one dtype, and what is filled one shape"),
    equivalent(
        "attention", "`jnp.zeros_like`  ->  `jnp.ones_like`", "the first block multiplies it by `exp(-inf)`, which is 0"
    ),
    equivalent("attention", "`acc`  ->  `q_ref`", "a block of this array has the same shape and dtype"),
    equivalent("attention", "`acc`  ->  `k_ref`", "a block of this array has the same shape and dtype"),
    equivalent("attention", "`acc`  ->  `v_ref`", "a block of this array has the same shape and dtype"),
    equivalent("attention", "`acc`  ->  `o_ref`", "a block of this array has the same shape and dtype"),
    equivalent("attention", "`jnp.int32`  ->  `jnp.int64`", "places of one block are small numbers"),
    equivalent("attention", "`jnp.int32`  ->  `jnp.int16`", "places of one block are small numbers"),
    equivalent("attention", "`jnp.int32`  ->  `jnp.uint32`", "places of one block are small numbers"),
    equivalent("attention", "`0`  ->  `-1`", "a value beyond the end has the weight 0"),
    equivalent("attention", "`0`  ->  `1`", "a value beyond the end has the weight 0"),
    equivalent("attention", "`jnp.maximum`  ->  `jnp.fmax`", "no number that is compared is NaN"),
    equivalent("attention", "`q`  ->  `k`", "all arrays have one dtype"),
    equivalent("attention", "`q`  ->  `v`", "all arrays have one dtype"),
    equivalent("attention", "`q`  ->  `numbers`", "all arrays have one dtype"),
]
