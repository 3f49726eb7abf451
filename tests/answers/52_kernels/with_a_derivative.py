"""Answers to with-a-derivative."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from jaxcourse.exercise import right, wrong


def called(
    x, s, block, formula=jnp.tanh, steps=None, index=lambda i: (i,), writes=True, numbered=False, interpret=True
):
    """The curve, in blocks, without a derivative."""

    def kernel(x_ref, s_ref, o_ref):
        if writes:
            at = pl.program_id(0) * 0 if numbered else 0
            o_ref[...] = formula(x_ref[...] * s_ref[0]) + at

    walk, one = pl.BlockSpec((block,), index), pl.BlockSpec((1,), lambda i: (0,))
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(steps or pl.cdiv(len(x), block),),
        in_specs=[walk, one],
        out_specs=pl.BlockSpec((block,), lambda i: (i,)),
        interpret=interpret,
    )(x, jnp.reshape(s, 1))


def with_rule(backward, forward=called, shown=lambda x, y: y):
    """An answer whose backward pass is `backward(x, s, y, g)`, and whose forward pass returns `shown(x, y)`."""

    def answer(x, s, block):
        @jax.custom_vjp
        def curve(x, s):
            return forward(x, s, block)

        def keeping(x, s):
            y = curve(x, s)
            return shown(x, y), (x, s, y)

        curve.defvjp(keeping, lambda kept, g: backward(*kept, g))
        return curve(x, s)

    return answer


def slopes(x, s, y, g):
    slope = g * (1 - y**2)
    return slope * s, (slope * x).sum()


@right("with-a-derivative")
def by_a_rule_for_tangents(x, s, block):
    @jax.custom_jvp
    def curve(x, s):
        return called(x, s, block)

    @curve.defjvp
    def rule(primals, tangents):
        (x, s), (dx, ds) = primals, tangents
        y = curve(x, s)
        return y, (1 - y**2) * (s * dx + x * ds)

    return curve(x, s)


@functools.partial(jax.custom_vjp, nondiff_argnums=(2,))
def outside(x, s, block):
    return called(x, s, block)


def _keeps(x, s, block):
    y = called(x, s, block)
    return y, (x, s, y)


outside.defvjp(_keeps, lambda block, kept, g: slopes(*kept, g))


@right("with-a-derivative")
def with_a_length_that_is_no_argument(x, s, block):
    return outside(x, s, block)


@right("with-a-derivative")
def with_a_second_kernel(x, s, block):
    def slope(y, g):
        def kernel(y_ref, g_ref, o_ref):
            o_ref[...] = g_ref[...] * (1 - y_ref[...] ** 2)

        walk = pl.BlockSpec((block,), lambda i: (i,))
        like = jax.ShapeDtypeStruct(y.shape, y.dtype)
        grid = (pl.cdiv(len(y), block),)
        return pl.pallas_call(kernel, like, grid=grid, in_specs=[walk] * 2, out_specs=walk, interpret=True)(y, g)

    def backward(x, s, y, g):
        d = slope(y, g)
        return d * s, (d * x).sum()

    return with_rule(backward)(x, s, block)


@wrong("with-a-derivative", "no-gradient")
def has_no_rule(x, s, block):
    return called(x, s, block)


@wrong("with-a-derivative", "no-gradient")
def has_no_rule_and_knows_its_step(x, s, block):
    return called(x, s, block, numbered=True)


@wrong("with-a-derivative", "g-forgotten")
def takes_its_result_for_the_end(x, s, block):
    return with_rule(lambda x, s, y, g: slopes(x, s, y, 1.0))(x, s, block)


@wrong("with-a-derivative", "not-summed")
def a_gradient_for_each_number(x, s, block):
    return with_rule(lambda x, s, y, g: (g * (1 - y**2) * s, g * (1 - y**2) * x))(x, s, block)


@wrong("with-a-derivative", "recomputes")
def asks_the_plain_form(x, s, block):
    def backward(x, s, y, g):
        return jax.vjp(lambda x, s: jnp.tanh(s * x), x, s)[1](g)

    return with_rule(backward)(x, s, block)


@wrong("with-a-derivative", "recomputes")
def runs_the_kernel_again(x, s, block):
    return with_rule(lambda x, s, y, g: slopes(x, s, called(x, s, block), g))(x, s, block)


@wrong("with-a-derivative", "more-kernels")
def a_kernel_for_each_gradient(x, s, block):
    def times(a, b):
        return called(a * b, jnp.float32(1), block, formula=lambda u: u)

    def backward(x, s, y, g):
        slope = g * (1 - y**2)
        return times(slope, s), times(slope, x).sum()

    return with_rule(backward)(x, s, block)


@wrong("with-a-derivative", "s-missing")
def only_x_counts(x, s, block):
    return with_rule(lambda x, s, y, g: (slopes(x, s, y, g)[0], jnp.zeros_like(s)))(x, s, block)


@wrong("with-a-derivative", "x-missing")
def only_s_counts(x, s, block):
    return with_rule(lambda x, s, y, g: (jnp.zeros_like(x), slopes(x, s, y, g)[1]))(x, s, block)


@wrong("with-a-derivative", "no-chain")
def the_slope_alone(x, s, block):
    return with_rule(lambda x, s, y, g: (g * (1 - y**2), slopes(x, s, y, g)[1]))(x, s, block)


@wrong("with-a-derivative", "no-chain")
def the_slope_alone_for_both(x, s, block):
    return with_rule(lambda x, s, y, g: (g * (1 - y**2) * s, (g * (1 - y**2)).sum()))(x, s, block)


@wrong("with-a-derivative", "from-the-argument")
def squares_the_argument(x, s, block):
    return with_rule(lambda x, s, y, g: slopes(x, s, s * x, g))(x, s, block)


@wrong("with-a-derivative", "square-lost")
def squares_nothing(x, s, block):
    return with_rule(lambda x, s, y, g: (g * (1 - y) * s, (g * (1 - y) * x).sum()))(x, s, block)


@wrong("with-a-derivative", "wrong-gradient")
def of_the_other_sign(x, s, block):
    return with_rule(lambda x, s, y, g: slopes(x, s, y, -g))(x, s, block)


@wrong("with-a-derivative", "x-lost")
def finds_x_in_the_result(x, s, block):
    return with_rule(lambda x, s, y, g: slopes(jnp.arctanh(y) / s, s, y, g))(x, s, block)


@wrong("with-a-derivative", "marks")
def adds_whatever_is_no_nan(x, s, block):
    def backward(x, s, y, g):
        def kernel(x_ref, y_ref, g_ref, d_ref, part_ref):
            slope = g_ref[...] * (1 - y_ref[...] ** 2)
            d_ref[...] = slope
            part_ref[...] = jnp.nansum(slope * x_ref[...], keepdims=True)

        steps = pl.cdiv(len(x), block)
        walk, one = pl.BlockSpec((block,), lambda i: (i,)), pl.BlockSpec((1,), lambda i: (i,))
        slope, parts = pl.pallas_call(
            kernel,
            [jax.ShapeDtypeStruct(x.shape, x.dtype), jax.ShapeDtypeStruct((steps,), x.dtype)],
            grid=(steps,),
            in_specs=[walk] * 3,
            out_specs=[walk, one],
            interpret=True,
        )(x, y, g)
        return slope * s, parts.sum()

    return with_rule(backward)(x, s, block)


@wrong("with-a-derivative", "wrong-value")
def a_sine(x, s, block):
    return with_rule(slopes, functools.partial(called, formula=jnp.sin))(x, s, block)


@wrong("with-a-derivative", "value-lost")
def returns_what_it_keeps(x, s, block):
    return with_rule(slopes, shown=lambda x, y: x)(x, s, block)


@wrong("with-a-derivative", "never-written")
def writes_nothing(x, s, block):
    return with_rule(slopes, functools.partial(called, writes=False))(x, s, block)


@wrong("with-a-derivative", "rest-missing")
def rounds_down(x, s, block):
    return with_rule(slopes, functools.partial(called, steps=len(x) // block))(x, s, block)


@wrong("with-a-derivative", "block-outside")
def elements_for_blocks(x, s, block):
    return with_rule(slopes, functools.partial(called, index=lambda i: (i * block,)))(x, s, block)


@wrong("with-a-derivative", "other-blocks")
def all_in_one_step(x, s, block):
    return with_rule(slopes, lambda x, s, block: called(x, s, len(x)))(x, s, block)


@wrong("with-a-derivative", "copied")
def multiplies_outside(x, s, block):
    return with_rule(slopes, lambda x, s, block: called(s * x, jnp.float32(1), block))(x, s, block)


@wrong("with-a-derivative", "no-kernel")
def leaves_it_to_the_compiler(x, s, block):
    return jnp.tanh(s * x)


@wrong("with-a-derivative", "several-kernels")
def one_kernel_for_each_half(x, s, block):
    half = len(x) // 2
    parts = [with_rule(slopes)(part, s, block) for part in (x[:half], x[half:])]
    return jnp.concatenate(parts)


@wrong("with-a-derivative", "not-interpreted")
def for_a_device(x, s, block):
    return with_rule(slopes, functools.partial(called, interpret=False))(x, s, block)


@wrong("with-a-derivative", "kernel-left-out")
def differentiates_without_the_kernel(x, s, block):
    @jax.custom_vjp
    def curve(x, s):
        return called(x, s, block)

    def forward(x, s):
        y = jnp.tanh(s * x)
        return y, (x, s, y)

    curve.defvjp(forward, lambda kept, g: slopes(*kept, g))
    return curve(x, s)


@wrong("with-a-derivative", "recomputes")
def finds_the_slope_by_cosh(x, s, block):
    def backward(x, s, y, g):
        slope = g / jnp.cosh(s * x) ** 2
        return slope * s, (slope * x).sum()

    return with_rule(backward)(x, s, block)
