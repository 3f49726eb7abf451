"""Answers to log-total."""

import functools

import jax
import numpy as np

from jaxcourse.exercise import right, wrong


@wrong("log-total", "half-precision")
def adds_in_16_bits(log_p):
    return np.logaddexp.reduce(np.asarray(log_p, np.float16), axis=-1)


@wrong("log-total", "left-the-logarithms")
def goes_by_way_of_exp(log_p):
    return np.log(np.exp(log_p).sum(axis=-1))


@wrong("log-total", "left-the-logarithms")
def takes_longer_numbers(log_p):
    return np.log(np.exp(np.asarray(log_p, np.longdouble)).sum(axis=-1)).astype(float)


@wrong("log-total", "one-shift-for-all")
def subtracts_the_largest_of_all(log_p):
    return np.log(np.exp(log_p - log_p.max()).sum(axis=-1)) + log_p.max()


@wrong("log-total", "bounded")
def knows_a_smallest_logarithm(log_p):
    largest = np.maximum(log_p.max(axis=-1, keepdims=True), -1e9)
    return np.log(np.exp(log_p - largest).sum(axis=-1)) + largest[..., 0]


@wrong("log-total", "zero-probability")
def subtracts_the_largest(log_p):
    largest = log_p.max(axis=-1, keepdims=True)
    return np.log(np.exp(log_p - largest).sum(axis=-1)) + largest[..., 0]


@wrong("log-total", "other-axes")
def folds_axis_1(log_p):
    return np.logaddexp.reduce(np.atleast_2d(log_p), axis=1)


@wrong("log-total", "wrong-value")
def takes_the_mean(log_p):
    return np.logaddexp.reduce(log_p, axis=-1) - np.log(log_p.shape[-1])


@wrong("log-total", "axis-of-one")
def squeezes_every_axis_of_one(log_p):
    highest = np.max(log_p, axis=-1, keepdims=True)
    highest = np.where(np.isneginf(highest), 0.0, highest)
    with np.errstate(divide="ignore"):
        return np.log(np.sum(np.exp(log_p - highest), axis=-1)) + highest.squeeze()


@right("log-total")
def moves_the_axis_to_the_front(log_p):
    return functools.reduce(np.logaddexp, np.moveaxis(log_p, -1, 0))


in_jax = right("log-total")(jax.jit(functools.partial(jax.nn.logsumexp, axis=-1)))


@wrong("log-total", "shift-not-the-largest")
def takes_out_the_mean(log_p):
    mean = log_p.mean(axis=-1, keepdims=True)
    return np.log(np.exp(log_p - mean).sum(axis=-1)) + mean[..., 0]


@wrong("log-total", "one-more")
def takes_log1p(log_p):
    return np.log1p(np.exp(log_p).sum(axis=-1))


@wrong("log-total", "left-the-logarithms")
def begins_at_a_small_probability(log_p):
    return np.logaddexp.reduce(log_p, axis=-1, initial=-1e4)


@wrong("log-total", "axis-of-one")
def squeezes_first(log_p):
    return np.logaddexp.reduce(np.squeeze(log_p), axis=-1)
