"""Answers to photon-average."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@wrong("photon-average", "carry-changes-type")
def starts_with_integers(counts, weight):
    def step(average, frame):
        average = (1 - weight) * average + weight * frame
        return average, average

    start = jnp.zeros_like(counts[0])
    return jax.lax.scan(step, start, counts)[1]


@wrong("photon-average", "rounds-each-step")
def casts_the_carry_back(counts, weight):
    def step(average, frame):
        average = ((1 - weight) * average + weight * frame).astype(counts.dtype)
        return average, average

    return jax.lax.scan(step, jnp.zeros_like(counts[0]), counts)[1]


@wrong("photon-average", "rounds-each-step")
def hands_out_whole_numbers_as_floats(counts, weight):
    def step(average, frame):
        average = ((1 - weight) * average + weight * frame).astype(counts.dtype)
        return average, average

    return jax.lax.scan(step, jnp.zeros_like(counts[0]), counts)[1].astype(jnp.float32)


@wrong("photon-average", "starts-with-the-first")
def starts_with_the_first_frame(counts, weight):
    def step(average, frame):
        average = (1 - weight) * average + weight * frame
        return average, average

    return jax.lax.scan(step, jnp.asarray(counts[0], jnp.float32), counts)[1]


@wrong("photon-average", "fixed-shape")
def starts_with_four_zeros(counts, weight):
    def step(average, frame):
        average = (1 - weight) * average + weight * frame
        return average, average

    return jax.lax.scan(step, jnp.zeros(4), counts)[1]


@wrong("photon-average", "unrolled")
def gives_up_the_scan(counts, weight):
    averages, average = [], jnp.zeros(counts.shape[1:])
    for frame in jnp.asarray(counts):
        average = (1 - weight) * average + weight * frame
        averages.append(average)
    return jnp.stack(averages)


@wrong("photon-average", "wrong-value")
def gives_the_frames(counts, weight):
    def step(average, frame):
        return (1 - weight) * average + weight * frame, weight * frame

    return jax.lax.scan(step, jnp.zeros(counts.shape[1:]), counts)[1]


@wrong("photon-average", "one-frame-late")
def gives_out_the_old_one(counts, weight):
    def step(average, frame):
        return (1 - weight) * average + weight * frame, average

    return jax.lax.scan(step, jnp.zeros(counts.shape[1:]), counts)[1]


@wrong("photon-average", "weights-exchanged")
def weighs_the_average(counts, weight):
    def step(average, frame):
        average = weight * average + (1 - weight) * frame
        return average, average

    return jax.lax.scan(step, jnp.zeros(counts.shape[1:]), counts)[1]


@wrong("photon-average", "last-alone")
def gives_the_carry(counts, weight):
    def step(average, frame):
        average = (1 - weight) * average + weight * frame
        return average, average

    return jax.lax.scan(step, jnp.zeros(counts.shape[1:]), counts)[0]


@wrong("photon-average", "no-scan")
def fills_an_array(counts, weight):
    def step(i, state):
        average, averages = state
        average = (1 - weight) * average + weight * counts[i]
        return average, averages.at[i].set(average)

    start = jnp.zeros(counts.shape[1:]), jnp.zeros(counts.shape)
    return jax.lax.fori_loop(0, len(counts), step, start)[1]


@wrong("photon-average", "wrong-value")
def counts_with_a_sign(counts, weight):
    def step(average, frame):
        average = (1 - weight) * average + weight * frame
        return average, average

    return jax.lax.scan(step, jnp.zeros(counts.shape[1:]), jnp.asarray(counts).astype(jnp.int32))[1]


@wrong("photon-average", "wrong-value")
def keeps_half_of_the_digits(counts, weight):
    def step(average, frame):
        average = ((1 - weight) * average + weight * frame).astype(jnp.float16)
        return average, average

    return jax.lax.scan(step, jnp.zeros(counts.shape[1:], jnp.float16), counts)[1]


@right("photon-average")
def makes_floats_of_the_counts(counts, weight):
    frames = np.asarray(counts).astype(np.float32)

    def step(average, frame):
        average = average + weight * (frame - average)
        return average, average

    return jax.lax.scan(step, jnp.zeros(frames.shape[1:]), frames)[1]


@right("photon-average")
@jax.jit
def keeps_the_average_in_a_dict(counts, weight):
    def step(state, frame):
        average = (1 - weight) * state["average"] + weight * frame
        return {"average": average}, average

    _, averages = jax.lax.scan(step, {"average": jnp.zeros(counts.shape[1:], jnp.float32)}, counts)
    return averages


@wrong("photon-average", "unrolled")
def combines_two_and_two(counts, weight):
    frames = weight * counts.astype(jnp.float32)
    kept = jnp.full(frames.shape, 1 - weight, jnp.float32)
    return jax.lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (kept, frames))[1]


@wrong("photon-average", "carry-changes-type")
def carries_a_pair_out(counts, weight):
    def step(average, frame):
        average = (1 - weight) * average + weight * frame
        return (average, average), average

    return jax.lax.scan(step, jnp.zeros(counts.shape[1:]), counts)[1]


equivalents = [
    equivalent(
        "photon-average", "`0`  ->  `1`", "frames have one shape, and JAX reads the last one where there is none"
    ),
    equivalent(
        "photon-average", "`0`  ->  `-1`", "frames have one shape, and JAX reads the last one where there is none"
    ),
    equivalent("photon-average", "`jnp.float32`  ->  `jnp.float64`", "JAX makes `float32` of it"),
    equivalent("photon-average", "`1`  ->  `-1`", "a pair has two entries"),
]


@wrong("photon-average", "NameError")
def reads_a_carry_that_is_not_there(counts, weight):
    def step(average, frame):
        average = (1 - weight) * carry + weight * frame  # noqa: F821
        return average, average

    return jax.lax.scan(step, jnp.zeros(counts.shape[1:]), counts)[1]
