"""Answers to downhill."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@right("downhill")
def by_scan(loss, start, rate, steps):
    def step(place, _):
        return place - rate * jax.grad(loss)(place), None

    return jax.lax.scan(step, start, length=steps)[0]


@right("downhill")
def by_while(loss, start, rate, steps):
    slope = jax.grad(loss)

    def more(state):
        return state[0] < steps

    def step(state):
        turn, place = state
        return turn + 1, place - rate * slope(place)

    return jax.lax.while_loop(more, step, (0, start))[1]


@right("downhill")
@functools.partial(jax.jit, static_argnames=("loss", "steps"))
def compiled_whole(loss, start, rate, steps):
    def step(place, _):
        value, slope = jax.value_and_grad(loss)(place)
        return place - rate * slope, value

    place, _ = jax.lax.scan(step, start, xs=jnp.arange(steps))
    return place


@right("downhill")
def last_of_the_path(loss, start, rate, steps):
    def step(place, _):
        after = place - rate * jax.grad(loss)(place)
        return after, after

    return jax.lax.scan(step, start, None, steps)[1][-1]


@right("downhill")
def backwards_counted(loss, start, rate, steps):
    go = jax.jit(lambda p, n: jax.lax.fori_loop(1, n + 1, lambda _, q: q - rate * jax.jacrev(loss)(q), p))
    return go(start, steps)


@wrong("downhill", "unrolled")
def in_python(loss, start, rate, steps):
    place = start
    for _ in range(steps):
        place = place - rate * jax.grad(loss)(place)
    return place


@right("downhill")
def unrolled_by_the_compiler(loss, start, rate, steps):
    return jax.lax.scan(lambda p, _: (p - rate * jax.grad(loss)(p), None), start, length=steps, unroll=True)[0]


@wrong("downhill", "unrolled")
def unrolled_above_a_hundred(loss, start, rate, steps):
    def step(turn, place):
        return place - rate * jax.grad(loss)(place)

    place = start
    for _ in range(steps // 100):
        place = jax.lax.fori_loop(0, 100, step, place)
    return jax.lax.fori_loop(0, steps % 100, step, place)


@wrong("downhill", "not-traceable")
def stops_when_it_is_flat(loss, start, rate, steps):
    def step(turn, place):
        return place - rate * jax.grad(loss)(place)

    place = jax.lax.fori_loop(0, steps, step, start)
    return place if float(loss(place)) < 1e30 else start


@wrong("downhill", "uphill")
def climbs(loss, start, rate, steps):
    return jax.lax.fori_loop(0, steps, lambda _, p: p + rate * jax.grad(loss)(p), start)


@wrong("downhill", "rate-forgotten")
def whole_gradient(loss, start, rate, steps):
    return jax.lax.fori_loop(0, steps, lambda _, p: p - jax.grad(loss)(p), start)


@wrong("downhill", "slope-of-the-start")
def one_slope_for_all(loss, start, rate, steps):
    slope = jax.grad(loss)(start)
    return jax.lax.fori_loop(0, steps, lambda _, p: p - rate * slope, start)


@wrong("downhill", "one-step")
def from_the_start_each_time(loss, start, rate, steps):
    return jax.lax.fori_loop(0, steps, lambda _, p: start - rate * jax.grad(loss)(start), start)


@wrong("downhill", "one-step-short")
def counts_from_one(loss, start, rate, steps):
    return jax.lax.fori_loop(1, steps, lambda _, p: p - rate * jax.grad(loss)(p), start)


@wrong("downhill", "one-step-more")
def one_beyond(loss, start, rate, steps):
    return jax.lax.fori_loop(0, steps + 1, lambda _, p: p - rate * jax.grad(loss)(p), start)


@wrong("downhill", "loss-for-slope")
def by_the_loss(loss, start, rate, steps):
    return jax.lax.fori_loop(0, steps, lambda _, p: p - rate * loss(p), start)


@wrong("downhill", "place-lost")
def only_the_move(loss, start, rate, steps):
    return jax.lax.fori_loop(0, steps, lambda _, p: -rate * jax.grad(loss)(p), start)


@wrong("downhill", "not-one-array")
def both_of_scan(loss, start, rate, steps):
    def step(place, _):
        after = place - rate * jax.grad(loss)(place)
        return after, after

    return jax.lax.scan(step, start, length=steps)


@wrong("downhill", "whole-path")
def path_of_scan(loss, start, rate, steps):
    def step(place, _):
        after = place - rate * jax.grad(loss)(place)
        return after, after

    return jax.lax.scan(step, start, length=steps)[1]


@wrong("downhill", "loss-is-an-argument")
@jax.jit
def compiled_with_its_loss(loss, start, rate, steps):
    return jax.lax.fori_loop(0, steps, lambda _, p: p - rate * jax.grad(loss)(p), start)


@wrong("downhill", "steps-not-static")
@functools.partial(jax.jit, static_argnames="loss")
def traced_length(loss, start, rate, steps):
    return jax.lax.scan(lambda p, _: (p - rate * jax.grad(loss)(p), None), start, length=steps)[0]


@wrong("downhill", "arguments-of-step")
def step_of_one(loss, start, rate, steps):
    return jax.lax.fori_loop(0, steps, lambda place: place - rate * jax.grad(loss)(place), start)


@wrong("downhill", "step-returns-a-pair")
def step_of_fori_in_scan(loss, start, rate, steps):
    return jax.lax.scan(lambda p, _: p - rate * jax.grad(loss)(p), start, length=steps)[0]


@wrong("downhill", "wrong-value")
def unit_steps(loss, start, rate, steps):
    def step(turn, place):
        slope = jax.grad(loss)(place)
        return place - rate * slope / jnp.linalg.norm(slope)

    return jax.lax.fori_loop(0, steps, step, start)


@wrong("downhill", "wrong-value")
def adds_up_the_slopes(loss, start, rate, steps):
    def step(turn, state):
        place, total = state
        total = total + jax.grad(loss)(place)
        return place - rate * total, total

    return jax.lax.fori_loop(0, steps, step, (start, jnp.zeros_like(start)))[0]


@wrong("downhill", "not-traceable")
def in_numpy(loss, start, rate, steps):
    place = np.asarray(start)
    for _ in range(steps):
        place = place - rate * np.asarray(jax.grad(loss)(place))
    return place
