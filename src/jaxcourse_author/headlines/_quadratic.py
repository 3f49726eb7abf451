"""The quadratic formula over arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.bench import Entry, Race, entry
from jaxcourse.insides import read
from jaxcourse_author.headlines._headline import Claim, Headline, Least, busy, has

SOURCE = "004, on just-in-time compilation"


def in_doubles(platform: str) -> None:
    """The source computes in float64."""
    jax.config.update("jax_enable_x64", True)


def formula(a: Any, b: Any, c: Any, np: Any = np) -> Any:
    """The larger root of a x**2 + b x + c."""
    return (-b + np.sqrt(b**2 - 4 * a * c)) / (2 * a)


def contestants(size: int) -> dict[str, Entry]:
    """NumPy, Numba on one core and on all, JAX."""
    rng = np.random.default_rng(0)
    limits = ((5, 10), (10, 20), (-0.1, 0.1))
    given = [rng.uniform(low, high, size) for low, high in limits]
    compiled = jax.jit(lambda a, b, c: formula(a, b, c, jnp))
    found = {"NumPy": entry(formula, *given), "JAX": entry(compiled, *map(jnp.asarray, given))}
    if has("numba"):
        found |= {name: entry(loop, *given) for name, loop in by_numba().items()}
    return found


def by_numba() -> dict[str, Callable[..., Any]]:
    """The loop as the source writes it, on one core and on all."""
    import numba

    def loop(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        out = np.empty(a.shape[0])
        for i in numba.prange(a.shape[0]):
            out[i] = (-b[i] + np.sqrt(b[i] ** 2 - 4 * a[i] * c[i])) / (2 * a[i])
        return out

    return {"Numba": numba.njit(loop), "Numba, parallel": numba.njit(loop, parallel=True)}


def threads(race: Race) -> str:
    """Who used the cores."""
    return f"{busy(race, 'JAX', 'Numba')}."


def memory(race: Race) -> str:
    """What limits all of them."""
    shares = [(name, race[name].share_of_bandwidth) for name in ("JAX", "Numba, parallel")]
    reached = ", ".join(f"{name} reached {share:.0%} of memory's best rate" for name, share in shares if share)
    return f"Both fuse the formula into one loop on all cores; {reached or 'at this size the cache holds it all'}."


def temporaries(race: Race) -> str:
    """What NumPy does besides."""
    passes = len(read(lambda a, b, c: formula(a, b, c, jnp), *jnp.ones((3, 2))).everything)
    return (
        f"NumPy makes {passes} passes over memory, one for each operation, and JAX one. {busy(race, 'NumPy', 'JAX')}."
    )


QUADRATIC = Headline(
    name="quadratic",
    title="The quadratic formula, float64",
    variable="numbers",
    sizes=(50_000, 500_000, 5_000_000),
    contestants=contestants,
    claims=(
        Claim("much faster than NumPy: 23 ms against 2 to 3", SOURCE, "JAX", "NumPy", temporaries, times=8),
        Claim("faster than Numba, since it uses all threads", SOURCE, "JAX", "Numba", threads),
        Claim("on a par with Numba, parallel=True", SOURCE, "JAX", "Numba, parallel", memory, times=1),
    ),
    least=lambda size: Least(nbytes=4 * 8 * size),
    set_up=in_doubles,
    wants=("numba",),
)
