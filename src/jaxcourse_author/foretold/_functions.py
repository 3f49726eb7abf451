"""Thirty functions on which `before` is judged. None of them was looked at while its model was made.

They were written before any of their times was seen. Whoever changes the model because of one of them must put another
one in its place: a function on which it was tuned proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


@dataclass(frozen=True)
class Case:
    """A function to be judged.

    Args:
        name: what it does, on how much.
        make: gives the function and its arguments.
    """

    name: str
    make: Callable[[], tuple[Callable[..., Any], tuple[Any, ...]]]


CASES: list[Case] = []


def _case(name: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    def declare(make: Callable[[], Any]) -> Callable[[], Any]:
        CASES.append(Case(name, make))
        return make

    return declare


def _uniform(*shape: int, seed: int = 0) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).random(shape, np.float32))


def _normal(*shape: int, seed: int = 1) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape, np.float32))


def _whole(most: int, *shape: int, seed: int = 2) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).integers(0, most, shape, np.int32))


# -- element by element, and sums -------------------------------------------------------------------------------


@_case("trapezoidal rule, 100,000 samples")
def _() -> Any:
    return (lambda y, x: ((y[1:] + y[:-1]) * (x[1:] - x[:-1])).sum() / 2), (_normal(10**5), jnp.sort(_uniform(10**5)))


@_case("great-circle distances, 500 x 500")
def _() -> Any:
    def distances(places: Any) -> Any:
        lat, lon = places.T
        a = jnp.sin((lat[:, None] - lat) / 2) ** 2
        a += jnp.cos(lat)[:, None] * jnp.cos(lat) * jnp.sin((lon[:, None] - lon) / 2) ** 2
        return 2 * jnp.arcsin(jnp.sqrt(a))

    return distances, (_uniform(500, 2),)


@_case("products of 100,000 pairs of quaternions")
def _() -> Any:
    def product(p: Any, q: Any) -> Any:
        a, v, b, w = p[:, :1], p[:, 1:], q[:, :1], q[:, 1:]
        return jnp.concatenate([a * b - (v * w).sum(1, keepdims=True), a * w + b * v + jnp.cross(v, w)], 1)

    return product, (_normal(10**5, 4), _normal(10**5, 4, seed=3))


@_case("log-gamma, 200,000")
def _() -> Any:
    return jax.scipy.special.gammaln, (_uniform(200_000) * 20 + 0.1,)


@_case("Bessel i0e, 100,000")
def _() -> Any:
    return jax.scipy.special.i0e, (_uniform(10**5) * 10,)


@_case("gelu in bfloat16, a million")
def _() -> Any:
    return jax.nn.gelu, (_normal(10**6).astype(jnp.bfloat16),)


@_case("bits that differ, a million pairs of words")
def _() -> Any:
    return (lambda a, b: lax.population_count(a ^ (b >> 3)).sum()), (_whole(1 << 30, 10**6), _whole(1 << 30, 10**6))


# -- order and place --------------------------------------------------------------------------------------------


@_case("moving maximum, window of 9, 100,000")
def _() -> Any:
    return (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (9,), (1,), "SAME")), (_normal(10**5),)


@_case("weighted histogram of 200,000 in 50 bins")
def _() -> Any:
    edges = np.linspace(0, 1, 51).astype(np.float32)
    return (lambda x, w: jnp.histogram(x, edges, weights=w)[0]), (_uniform(200_000), _uniform(200_000, seed=4))


@_case("Gini coefficient of 30,000 incomes")
def _() -> Any:
    def gini(x: Any) -> Any:
        x, n = jnp.sort(x), len(x)
        return ((2 * jnp.arange(1, n + 1) - n - 1) * x).sum() / (n * x.sum())

    return gini, (_uniform(30_000),)


@_case("quartiles of 200 rows of 999")
def _() -> Any:
    return (lambda x: jnp.percentile(x, jnp.array([25.0, 50.0, 75.0]), axis=1)), (_normal(200, 999),)


@_case("ten largest in each of 300 rows of 2,000")
def _() -> Any:
    return (lambda x: lax.top_k(x, 10)), (_normal(300, 2000),)


@_case("inverse transform: 100,000 draws from a table of 100,000")
def _() -> Any:
    return (lambda w, u: jnp.searchsorted(jnp.cumsum(w), u * w.sum())), (_uniform(10**5), _uniform(10**5, seed=5))


@_case("bilinear lookup of 100,000 points in an image of 256 x 256")
def _() -> Any:
    def lookup(image: Any, points: Any) -> Any:
        return jax.scipy.ndimage.map_coordinates(image, [*points], order=1)

    return lookup, (_uniform(256, 256), _uniform(2, 10**5) * 255)


# -- products and factors ---------------------------------------------------------------------------------------


@_case("ten products of 100 x 100 in a loop")
def _() -> Any:
    return (lambda a: lax.fori_loop(0, 10, lambda _, p: p @ a / 10, a)), (_normal(100, 100),)


@_case("inverses of 2,000 matrices of 4 x 4")
def _() -> Any:
    return jnp.linalg.inv, (_normal(2000, 4, 4) + 4 * jnp.eye(4),)


@_case("QR of 5,000 x 6")
def _() -> Any:
    return jnp.linalg.qr, (_normal(5000, 6),)


@_case("singular values of 60 x 40")
def _() -> Any:
    return (lambda a: jnp.linalg.svd(a, compute_uv=False)), (_normal(60, 40),)


@_case("triangular solve, 300 right sides")
def _() -> Any:
    lower = jnp.tril(_uniform(300, 300)) + 300 * jnp.eye(300)
    return (lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True)), (lower, _normal(300, 300))


@_case("power spectra of 64 windowed frames of 1,024")
def _() -> Any:
    return (lambda x: jnp.abs(jnp.fft.rfft(x * jnp.hamming(1024))) ** 2), (_normal(64, 1024),)


@_case("3 x 3 filter on an image of 512 x 512")
def _() -> Any:
    return (lambda x, k: jax.scipy.signal.convolve2d(x, k, mode="same")), (_uniform(512, 512), _normal(3, 3))


# -- derivatives ------------------------------------------------------------------------------------------------


@_case("gradient of a Poisson regression, 20,000 x 12")
def _() -> Any:
    def loss(w: Any, x: Any, y: Any) -> Any:
        rate = x @ w
        return (jnp.exp(rate) - y * rate).mean()

    return jax.grad(loss), (jnp.zeros(12), _normal(20_000, 12), _uniform(20_000))


@_case("Hessian times vector of a logistic loss, 5,000 x 30")
def _() -> Any:
    def loss(w: Any, x: Any, y: Any) -> Any:
        return jnp.logaddexp(0.0, -y * (x @ w)).mean()

    def times(w: Any, v: Any, x: Any, y: Any) -> Any:
        return jax.jvp(lambda w: jax.grad(loss)(w, x, y), (w,), (v,))[1]

    return times, (_normal(30), _normal(30, seed=6), _normal(5000, 30), jnp.sign(_normal(5000, seed=7)))


# -- draws ------------------------------------------------------------------------------------------------------


@_case("300,000 exponential draws")
def _() -> Any:
    return (lambda key: jax.random.exponential(key, (300_000,))), (jax.random.key(0),)


@_case("a permutation of 50,000")
def _() -> Any:
    return (lambda key, x: jax.random.permutation(key, x)), (jax.random.key(0), _normal(50_000))


@_case("means of 500 bootstrap samples of 1,000")
def _() -> Any:
    def means(key: Any, x: Any) -> Any:
        return x[jax.random.randint(key, (500, 1000), 0, 1000)].mean(1)

    return means, (jax.random.key(0), _normal(1000))


# -- steps ------------------------------------------------------------------------------------------------------


@_case("a spring lattice of 64 x 64, 300 steps")
def _() -> Any:
    def moved(x: Any, v: Any) -> Any:
        def step(_: Any, state: Any) -> Any:
            x, v = state
            v += 0.1 * sum((jnp.roll(x, by, axis) for by in (1, -1) for axis in (0, 1)), -4 * x)
            return x + 0.1 * v, v

        return lax.fori_loop(0, 300, step, (x, v))

    return moved, (_normal(64, 64), jnp.zeros((64, 64)))


@_case("200 particles with pair forces, 20 steps")
def _() -> Any:
    def moved(x: Any, v: Any) -> Any:
        def step(_: Any, state: Any) -> Any:
            x, v = state
            d = x[:, None] - x
            v += 0.01 * (d * jnp.exp(-(d**2).sum(-1, keepdims=True))).sum(1)
            return x + 0.01 * v, v

        return lax.fori_loop(0, 20, step, (x, v))

    return moved, (_normal(200, 3), jnp.zeros((200, 3)))


@_case("game of life, 256 x 256, 50 generations")
def _() -> Any:
    def generation(_: Any, cells: Any) -> Any:
        rows = cells + jnp.roll(cells, 1, 0) + jnp.roll(cells, -1, 0)
        near = rows + jnp.roll(rows, 1, 1) + jnp.roll(rows, -1, 1) - cells
        return ((near == 3) | ((near == 2) & (cells == 1))).astype(jnp.int32)

    return (lambda cells: lax.fori_loop(0, 50, generation, cells)), (_whole(2, 256, 256),)


@_case("products of 4,096 matrices of 2 x 2, all prefixes")
def _() -> Any:
    return (lambda m: lax.associative_scan(jnp.matmul, m)), (jnp.eye(2) + 0.01 * _normal(4096, 2, 2),)
