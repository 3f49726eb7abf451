"""Which stack this is, and what that means for a reader. A verdict, not a reinstall."""

from __future__ import annotations

import html
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import jax

from jaxcourse._edition import edition
from jaxcourse.insides import SEEN, numbers
from jaxcourse.markup import marked, plain

PACKAGES = ("jax", "jaxlib", "numpy", "numba", "flax", "optax")
COLAB, PINNED = (0, 7, 2), (0, 10, 2)
"""The JAX that Colab has, and that of requirements.txt."""

CHANGES: tuple[tuple[tuple[int, int, int], str], ...] = (
    ((0, 8, 1), "`@jax.jit(static_argnames=...)` can be written as a decorator; the course writes `functools.partial`"),
    ((0, 9, 0), "`jax.make_mesh` makes explicit meshes by default; the course always says which kind it wants"),
    ((0, 10, 0), "`jax.pmap` is a wrapper around `jax.shard_map`; the course uses the latter"),
    ((0, 11, 0), "`jnp.empty` no longer promises zeros; the course never relied on it"),
)
"""What changed between the versions that the course runs on, where other people's material shows the difference."""

LATER = "Material for newer versions may show what this one does not have yet:"


@dataclass(frozen=True)
class Stack:
    """Versions, device and verdict; shows itself in a notebook and in a terminal.

    Attributes:
        versions: the course's edition, and the version of each package, or "not installed".
        device: what JAX computes on.
        verdict: one or two sentences.
        not_yet: changes in newer versions that this one does not have.
    """

    versions: dict[str, str]
    device: str
    verdict: str
    not_yet: tuple[str, ...]

    def __repr__(self) -> str:
        lines = [f"{name:8}{number}" for name, number in self._rows()]
        later = [f"- {plain(change)}" for change in self.not_yet]
        return "\n".join([*lines, self.verdict, *([LATER] if later else []), *later])

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{name}</th><td>{html.escape(number)}</td></tr>" for name, number in self._rows())
        later = "".join(f"<li>{marked(change)}</li>" for change in self.not_yet)
        body = f"<table>{rows}</table><p>{marked(self.verdict)}</p>" + (
            f"<p>{LATER}</p><ul>{later}</ul>" if later else ""
        )
        return f'<div class="jaxcourse-stack">{body}</div>'

    def _rows(self) -> list[tuple[str, str]]:
        return [*self.versions.items(), ("device", self.device)]


def stack() -> Stack:
    """Say which versions are installed, and what that means.

    Example:
        >>> "jax" in stack().versions
        True
    """
    device = jax.devices()[0]
    versions = {"course": edition(), "python": platform.python_version()}
    versions |= {name: _version(name) for name in PACKAGES}
    here = numbers(versions["jax"])
    not_yet = tuple(change for since, change in CHANGES if here < since)
    return Stack(versions, f"{device.device_kind} ({device.platform})", verdict(here), not_yet)


def verdict(here: tuple[int, ...]) -> str:
    """What a version of JAX means for a reader of the course.

    Args:
        here: the version, such as `(0, 7, 2)`.

    Example:
        >>> verdict((0, 7, 2))
        'This is the JAX that Colab has. Every lesson runs on it as it is.'
    """
    name = ".".join(map(str, here))
    oldest, *_, newest = seen = [".".join(map(str, version)) for version in SEEN]
    if here < SEEN[0]:
        return (
            f"JAX {name} is older than {oldest}, the oldest that the course is tested on: lessons may fail. Update it."
        )
    if here in SEEN:
        known: dict[tuple[int, ...], str] = {
            COLAB: "This is the JAX that Colab has.",
            PINNED: "This is the JAX of the course's own requirements.txt.",
        }
        tried = f"JAX {name} is newer than the course's own."
        return f"{known.get(here, tried)} Every lesson runs on it as it is."
    if here > SEEN[-1]:
        return (
            f"JAX {name} is newer than {newest}, the newest that every lesson was run on. What a check cannot do with "
            "it, it says, and that is no mistake of yours."
        )
    return f"JAX {name} lies between versions that every lesson was run on: {', '.join(seen)}. It was not tried itself."


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
