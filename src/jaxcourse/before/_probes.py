"""The small programs by which each sort of work is measured."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Probe = tuple[Callable[..., Any], tuple[Any, ...], float]
"""A function, its arguments, and how many units of work a call is."""
SIZE = 1 << 16
"""Elements of most of their arrays."""
ALONE: Mapping[str, Callable[[Any], Any]] = {
    "exponential": jnp.exp,
    "log": jnp.log,
    "sine": jnp.sin,
    "tanh": jnp.tanh,
    "erf": jax.scipy.special.erf,
}


def _chain(f: Callable[..., Any], times: int) -> Callable[..., Any]:
    """A function applied to its own result, written out."""
    return lambda x, *rest: functools.reduce(lambda x, _: f(x, *rest), range(times), x)


def turns(f: Callable[[Any], Any], times: int = 1000) -> Callable[[Any], Any]:
    """The same in a loop of the program."""
    return lambda x: jax.lax.fori_loop(0, times, lambda _, x: f(x), x)


def probes(seed: int = 0) -> dict[str, tuple[Probe, ...]]:
    """One to three programs for each sort of work. Arrays are made by NumPy: what JAX makes, it compiles first."""
    draws = np.random.default_rng(seed)
    host = draws.random(SIZE, np.float32) + np.float32(0.5)
    numbers = draws.integers(0, 1 << 24, SIZE, np.int32)
    return _by_element(host, numbers) | _by_place(host, numbers) | _dense(host)


def _by_element(host: Any, numbers: Any) -> dict[str, tuple[Probe, ...]]:
    n, x, y, whole = SIZE, *map(jnp.asarray, (host, np.full_like(host, 1.5), numbers % 7 + 1))
    square, image = (jnp.asarray(each) for each in (host.reshape(256, 256), np.ones((1024, 1024), np.float32)))
    pairs, fours = (jnp.asarray(host.reshape(-1, k)) for k in (2, 4))
    return {kind: ((f, (x,), n),) for kind, f in ALONE.items()} | {
        "simple": (
            (_chain(lambda x, y: x * y + 0.1, 16), (x, y), 32 * n),
            (_chain(lambda x: jnp.where(x > 1, x - 0.5, x + 0.7), 4), (x,), 16 * n),
            (_chain(lambda k: (k << 3) ^ (k >> 5), 8), (whole,), 24 * n),
        ),
        "concatenate": ((lambda x: jnp.roll(x, 3), (x,), n), (lambda x: jnp.roll(x, 3, 1), (square,), n)),
        "divide": ((_chain(lambda x, y: y / x, 4), (x, y), 4 * n), (_chain(lambda x: jnp.sqrt(x + 1), 4), (x,), 4 * n)),
        "whole divide": ((lambda k: k // 5, (whole,), n), (lambda k: 1000003 // k, (whole,), n)),
        "power": ((lambda x, y: x**y, (x, y), n),),
        "transpose": ((lambda x: x.T + 0, (square,), n), (lambda x: x.T + 0, (image,), 1 << 20)),
        "reduce": (
            (lambda x: x.sum(0), (square,), n),
            (lambda x: x.sum(1), (square,), n),
            (lambda x: (x * x).max(), (x,), n),
        ),
        "reduce pairs": ((lambda x: x.argmax(1), (square,), n), (lambda x: x.argmin(), (x,), n)),
        "short reduce": (
            (lambda x: x.sum(1), (fours,), n),
            (lambda x: x.max(1), (pairs,), n),
        ),
    }


def _by_place(host: Any, numbers: Any) -> dict[str, tuple[Probe, ...]]:
    n, lax, x = SIZE, jax.lax, jnp.asarray(host)
    many, few, of_64 = map(jnp.asarray, (numbers, numbers % n, numbers % 64))
    rows, big = (jnp.asarray(np.ones(shape, np.float32)) for shape in ((4096, 64), 1 << 24))
    return {
        "gather": (
            (lambda x, i: x[i], (x, of_64), n),
            (lambda x, i: x[i], (rows, jnp.asarray(numbers[:4096] % 4096)), 64 * 4096),
        ),
        "far gather": ((lambda x, i: x[i], (big, many), n),),
        "scatter": (
            (lambda x, i: jnp.zeros(64).at[i].add(x), (x, of_64), n),
            (lambda x, i: jnp.zeros(n).at[i].max(x), (x, few), n),
        ),
        "top": ((lambda x: lax.top_k(x, 8), (x,), n),),
        "sort": ((jnp.sort, (of_64,), n * 16), (jnp.argsort, (x,), n * 16)),
        "fft": ((jnp.fft.fft, (x,), 5 * n * 16), (jnp.fft.rfft, (x,), 2.5 * n * 16)),
    }


def _dense(host: Any) -> dict[str, tuple[Probe, ...]]:
    n, x, square = SIZE, jnp.asarray(host), jnp.asarray(host.reshape(256, 256))
    first, vector, taps = (jnp.asarray(host[:k]) for k in (32, 256, 64))
    tall, eights = (jnp.asarray(host[: 256 * 64].reshape(256, 64)), jnp.asarray(host.reshape(-1, 8, 8)))
    cut = {k: jnp.asarray(host.reshape(256, 256)[:k, :k]) for k in (8, 16, 32, 64, 128)}
    ones = {k: jnp.asarray(np.broadcast_to(np.eye(k, dtype=np.float32), (m, k, k))) for k, m in ((2, 999), (24, 99))}
    definite = host.reshape(256, 256) @ host.reshape(256, 256).T + 256 * np.eye(256, dtype=np.float32)
    return {
        "lapack": (
            (jnp.linalg.cholesky, (jnp.asarray(definite),), 256**3 / 3),
            (jnp.linalg.qr, (cut[128],), 8 / 3 * 128**3),
        ),
        "small lapack": (
            (jnp.linalg.qr, (cut[64],), 8 / 3 * 64**3),
            (jnp.linalg.qr, (cut[32],), 8 / 3 * 32**3),
        ),
        "tiny lapack": (
            (jnp.linalg.cholesky, (ones[24],), 99 / 3 * 24**3),
            (jnp.linalg.qr, (cut[16],), 8 / 3 * 16**3),
        ),
        "product": (
            (jnp.matmul, (square, square), 2 * 256**3),
            (lambda a: a.T @ a, (tall,), 2 * 64 * 64 * 256),
        ),
        "thin convolution": ((lambda x, k: jnp.convolve(x, k), (x, taps), 128 * n),),
        "loop product": (
            (turns(lambda v: cut[32] @ v), (first,), 2048 * 1000),
            (lambda a, v: a @ v, (square, vector), 2 * n),
        ),
        "product call": (
            (jnp.matmul, (eights,) * 2, n / 64),
            (turns(lambda x: x @ cut[8]), (cut[8],), 1000),
        ),
        "library call": (
            (jnp.linalg.cholesky, (ones[2],), 999),
            (turns(jnp.linalg.cholesky), (jnp.asarray(np.eye(2, dtype=np.float32)),), 1000),
        ),
    }
