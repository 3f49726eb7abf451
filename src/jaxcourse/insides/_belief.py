"""What the course believes of the libraries it stands on: each belief can be proven, and is before it is relied on.

A library may rename what it keeps to itself with any release. Where something is looked for by name and not found, that
means either that there is none of it or that it has another name now. So whoever asks has the belief proven first, once
in a process, on a small case of which the answer is known; if that fails, `CannotRead` is raised instead of "none".
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax

from jaxcourse.insides._callbacks import noting
from jaxcourse.insides._settings import our_settings


class CannotRead(Exception):
    """What the course believes of a library is not so in this version: nothing can be said, least of all "none"."""


@dataclass(frozen=True)
class Private:
    """A name that a library keeps to itself; it is looked up when it is needed, so that its loss stops nothing else.

    Args:
        module: in full, such as `jax._src.xla_bridge`.
        name: in it.
    """

    module: str
    name: str

    def __call__(self) -> Any:
        """What the name stands for.

        Raises:
            CannotRead: it is not there.
        """
        try:
            return getattr(importlib.import_module(self.module), self.name)
        except (ImportError, AttributeError) as error:
            raise CannotRead(f"{self.module} has no {self.name} in this version") from error

    def replace(self, value: Any) -> None:
        """Put something else in its place."""
        setattr(importlib.import_module(self.module), self.name, value)


@dataclass(eq=False)
class Belief:
    """One thing that the course believes of a library.

    Args:
        name: what it is called in a report.
        says: the belief, in a sentence.
        holds: tries it on a small case, and returns whether it is so.
        private: the private names that it is about.
    """

    name: str
    says: str
    holds: Callable[[], object]
    private: tuple[Private, ...] = ()
    _proven: bool = False
    _trying: bool = False

    def require(self) -> None:
        """Prove the belief, unless that has been done in this process.

        Raises:
            CannotRead: it does not hold.
        """
        if self._proven or self._trying:  # what is tried out may use what rests on it
            return
        self._trying = True
        try:
            self._proven = self._try()
        finally:
            self._trying = False

    def forget(self) -> None:
        """Prove the belief again when it is required next."""
        self._proven = False

    def _try(self) -> bool:
        try:
            with noting(), our_settings(), jax.ensure_compile_time_eval():  # whatever else is going on
                held = self.holds()
        except Exception as error:
            raise self.broken(f"{type(error).__name__}: {error}") from error
        if not held:
            raise self.broken()
        return True

    def broken(self, how: str = "") -> CannotRead:
        """The error that says that the belief does not hold: for whoever finds so without a proof."""
        said = f"With jax {jax.__version__} `{self.name}` is not so: {self.says}"
        return CannotRead(f"{said} ({how})" if how else said)


BELIEFS: dict[str, Belief] = {}
"""Everything that the course believes, by name."""


def belief(*private: Private) -> Callable[[Callable[[], object]], Belief]:
    """Make a function a belief: its docstring says what is believed, its body tries it and returns whether it is so.

    Example:
        >>> @belief()
        ... def sums():
        ...     '''One and one are three.'''
        ...     return 1 + 1 == 3
        >>> sums.require()
        Traceback (most recent call last):
        jaxcourse.insides._belief.CannotRead: With jax ... `sums` is not so: One and one are three.
        >>> del BELIEFS["sums"]
    """

    def declare(holds: Callable[[], object]) -> Belief:
        says = " ".join((holds.__doc__ or "").split())
        BELIEFS[holds.__name__] = Belief(holds.__name__, says, holds, private)
        return BELIEFS[holds.__name__]

    return declare
