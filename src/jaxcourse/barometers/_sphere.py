"""Places on the sphere, and the wave that runs over it."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

EARTH = 6371.0
"""The radius of the sphere, in km."""
DEGREE = EARTH * np.pi / 180
"""Kilometres along a meridian for each degree of latitude."""
SPACING = 0.5
"""Degrees between the places that are searched."""

Floats = npt.NDArray[np.float64]


def distance(lat1: Any, lon1: Any, lat2: Any, lon2: Any) -> Floats:
    """Kilometres on the sphere, in `float64`, by the haversine formula.

    Args:
        lat1: latitude of one end, in degrees, in a shape that broadcasts with the others'.
        lon1: its longitude.
        lat2: latitude of the other end.
        lon2: its longitude.

    Source:
        https://en.wikipedia.org/wiki/Haversine_formula

    Example:
        >>> distance(50, 10, [50, 51], 10).round(1).tolist()
        [0.0, 111.2]
    """
    lat1, lon1, lat2, lon2 = (np.radians(np.asarray(angle, np.float64)) for angle in (lat1, lon1, lat2, lon2))
    h = np.sin((lat2 - lat1) / 2) ** 2 + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2
    return np.asarray(2 * EARTH * np.arcsin(np.sqrt(h)))


def kilometres(lat: Any, lon: Any, lat2: Any, lon2: Any) -> jax.Array:
    """Kilometres on the sphere, in `float32` to some metres, with a finite gradient everywhere: haversine.

    Angles are subtracted before anything is rounded, and the root is guarded from below: 13 m is the least.

    Args:
        lat: latitude of one end, in degrees, in a shape that broadcasts with the others'.
        lon: its longitude.
        lat2: latitude of the other end.
        lon2: its longitude.

    Example:
        >>> f"{kilometres(50.0, 10.0, 51.0, 10.0):.1f}"
        '111.2'
    """
    rad = jnp.pi / 180
    north, east = rad * (lat2 - lat), rad * (lon2 - lon)
    h = jnp.sin(north / 2) ** 2 + jnp.cos(rad * lat) * jnp.cos(rad * lat2) * jnp.sin(east / 2) ** 2
    return 2 * EARTH * jnp.arcsin(jnp.sqrt(jnp.clip(h, 1e-12, 1)))


def wave_shape(u: Any) -> Any:
    """The wave as a station meets it: first up, then down, and 1 at its highest.

    Args:
        u: the time since its middle, in widths of the wave: an array of NumPy or JAX, or a number.

    Example:
        >>> wave_shape(np.array([-1.0, 0.0, 1.0])).tolist()
        [1.0, -0.0, -1.0]
    """
    exp = jnp.exp if isinstance(u, jax.Array) else np.exp
    return -u * exp((1 - u * u) / 2)


def nodes(spacing: float = SPACING) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The places that are searched: latitudes and longitudes in degrees, both (nodes,) in `float32`.

    They are the rows of a grid, one after the other, from 38 N to 58 N and from 5 W to 27 E.

    Args:
        spacing: between two neighbours, in degrees.

    Example:
        >>> [len(angles) for angles in nodes()]
        [2665, 2665]
    """
    grid = np.meshgrid(np.arange(38, 58.01, spacing), np.arange(-5, 27.01, spacing), indexing="ij")
    lat, lon = (angles.astype(np.float32).ravel() for angles in grid)
    return lat, lon
