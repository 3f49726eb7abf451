"""A buffer of NumPy that somebody hands to JAX: what JAX is given of it, and whether that is waited for."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

_WAITS = ("__array__", "_value", "device_get")
"""Functions of JAX that return when an array is there, beside `block_until_ready`."""

_TOO_EARLY = 3
"""How often `is_ready` says at first that an array is not there: who asks once has not waited, and who polls has."""


def buffer_like(array: np.ndarray, behind: int = 0, owns_memory: bool = False) -> np.ndarray:
    """An array of the shape, dtype and order of another, filled with anything.

    Args:
        array: the other one.
        behind: how many bytes behind a multiple of 64 it begins. JAX borrows memory that begins at one.
        owns_memory: whether it must be no view; where it then begins is up to the allocator, and `behind` has no say.

    Example:
        >>> buffer = buffer_like(np.zeros((2, 3), np.int16), behind=2)
        >>> buffer.shape, buffer.ctypes.data % 64
        ((2, 3), 2)
    """
    if owns_memory:
        return min([np.empty_like(array) for _ in range(64)], key=lambda one: one.ctypes.data % 64)
    block = np.zeros(array.nbytes + 128, np.uint8)
    start = -block.ctypes.data % 64 + behind
    numbers = block[start : start + array.nbytes].view(array.dtype)
    return numbers.reshape(array.shape, order="C" if array.flags.c_contiguous else "F")


class Lending:
    """Watches what a function of somebody gives to JAX, of a buffer that it is given.

    A race is not lost each time that it is run. So it is not run: it is there if a function of JAX has been given the
    buffer, and nothing has waited since.

    Attributes:
        given: arrays of NumPy, as large as the buffer, that JAX was given during the last call.
        pending: whether JAX was given the buffer then, and nothing has waited since.

    Example:
        >>> lending = Lending(buffer_like(np.zeros(4, np.float32)))
        >>> _ = lending.during(jnp.asarray)
        >>> lending.pending
        True
        >>> _ = lending.during(lambda buffer: jnp.asarray(buffer.copy()))
        >>> lending.pending, len(lending.given) > 0
        (False, True)
    """

    def __init__(self, buffer: np.ndarray) -> None:
        self.buffer = buffer
        self.given: list[np.ndarray] = []
        self.pending = False
        self._unpromised: list[Any] = []
        self._open: set[int] = set()
        self._asked = 0
        self._on_device: Any = type(jnp.zeros(1))

    def lends(self, array: jax.Array) -> bool:
        """Whether an array of JAX lies in the buffer."""
        address = _address(array)
        return address is not None and 0 <= address - self.buffer.ctypes.data < self.buffer.nbytes

    def is_unpromised(self, array: jax.Array) -> bool:
        """Whether an array is what `jnp.asarray` or `jnp.array` made of the buffer while nobody asked for a copy.

        Whether it copies or borrows then depends on the version of JAX and on the address.
        """
        address = _address(array)
        return address is not None and address in map(_address, self._unpromised)

    def holds(self, value: Any) -> bool:
        """Whether a value of any kind lies in the buffer, as an array of NumPy or of JAX."""
        if _is(value, self._on_device):
            return self.lends(value)
        return _is(value, np.ndarray) and np.may_share_memory(value, self.buffer)

    def during(self, hand_over: Callable[[np.ndarray], Any]) -> Any:
        """What `hand_over(buffer)` gives, watched from the start."""
        self.given, self.pending, self._unpromised, self._open, self._asked = [], False, [], set(), 0
        waits, asks = self._on_device.block_until_ready, self._on_device.is_ready

        def block_until_ready(array: jax.Array) -> jax.Array:  # as a function of Python, so that the call is seen
            result: jax.Array = waits(array)
            return result

        def is_ready(array: jax.Array) -> bool:
            self._asked += 1
            ready = self._asked > _TOO_EARLY and bool(asks(array))
            self.pending &= not ready
            return ready

        others = sys.getprofile()
        self._on_device.block_until_ready, self._on_device.is_ready = block_until_ready, is_ready
        reads = {name: getattr(np, name) for name in ("asarray", "array")}
        for name, read in reads.items():
            setattr(np, name, self._seen(read))
        sys.setprofile(self._look)
        try:
            return hand_over(self.buffer)
        finally:
            sys.setprofile(others)
            self._on_device.block_until_ready, self._on_device.is_ready = waits, asks
            for name, read in reads.items():
                setattr(np, name, read)

    def _seen(self, read: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
        """A function of NumPy that waits for an array of JAX, by its buffer, which no call of Python shows."""

        @functools.wraps(read)
        def reading(*arguments: Any, **options: Any) -> np.ndarray:
            result = read(*arguments, **options)
            if arguments and _is(arguments[0], self._on_device):
                self.pending = False
            return result

        return reading

    def _look(self, frame: FrameType, event: str, what: Any) -> None:
        """Look at a call, or at a return; `what` is the function of C that is called, or what is returned."""
        name = frame.f_code.co_name if event == "call" else getattr(what, "__name__", "")
        of_effects = event == "call" and "block_until_ready" in name and "self" in frame.f_locals
        if "call" in event and ("block_until_ready" in name or name in _WAITS) and not of_effects:
            self.pending = False
        elif event == "return" and id(frame) in self._open:
            self._open.remove(id(frame))
            self._unpromised.append(what)
        elif event == "call" and f"{os.sep}jax{os.sep}" in frame.f_code.co_filename:
            arguments = list(frame.f_locals.values())
            arguments += [item for value in arguments if type(value) in (tuple, list) for item in value]
            self.given += [
                value for value in arguments if _is(value, np.ndarray) and value.nbytes == self.buffer.nbytes
            ]
            handed_over = any(map(self.holds, arguments))
            self.pending |= handed_over
            asked_for = frame.f_locals.get("copy", name == "array")
            if handed_over and name in ("asarray", "array") and not asked_for:
                self._open.add(id(frame))


def _address(array: Any) -> int | None:
    """Where an array of JAX begins in memory; one that is spread over devices, or deleted, begins nowhere."""
    try:
        return int(array.unsafe_buffer_pointer())
    except Exception:
        return None


def _is(value: object, kind: type) -> bool:
    """What `isinstance` says, without asking the object, which may be half made."""
    return issubclass(type(value), kind)
