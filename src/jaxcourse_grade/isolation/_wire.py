"""Plain data over a socket: what the judge and a student's process say to each other.

One message is plain data as in `jaxcourse.probe.portable`: numbers, text, NumPy arrays without objects, lists, tuples
and dictionaries of these. It travels as JSON, with the bytes of its arrays behind. Nothing that arrives is unpickled or
evaluated, and no length, shape, dtype or text in it is believed before it is checked: the sender may be hostile.
"""

from __future__ import annotations

import json
import math
import socket
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

LARGEST = 64 * 2**20
"""How many bytes a message from a student's process may have."""

LONGEST_HEADER = 2 * 2**20
"""How many bytes of these may be JSON, which grows when it is read: an array's bytes are not part of it."""

_LENGTHS = struct.Struct(">QQ")
_NATIVE = frozenset("biufcmMUS")
_ML_DTYPES = {
    name: np.dtype(kind)
    for name, kind in vars(ml_dtypes).items()
    if isinstance(kind, type) and issubclass(kind, np.generic)
}
_LARGEST_WHOLE = 2**48
"""No length and no size is more: a product of whole numbers with thousands of digits takes seconds."""
_MOST_AXES = 32
_MOST_FIELDS = 1_000
"""Of a structured dtype, with those of its fields: NumPy takes the square of their number."""
_DEEPEST_DTYPE = 20
"""Structures within structures: NumPy describes each again with all that is in it."""
_LONGEST_DTYPE = 100
"""Characters of a dtype's name."""
_EMPTY_CELLS = 2**20
"""An array without bytes may still have a shape, and a loop over it may never end."""
_SAME_HASH = 100
"""How many keys of a dictionary may share their hash: a million integers that do would take hours."""
_DEEPEST = 100
"""How deep containers may be nested: far beyond any answer, far below Python's own limit."""


class WireError(ValueError):
    """A message that is not plain data, too large, or broken."""


# -- to bytes ---------------------------------------------------------------------------------------------------


def pack(message: Any) -> bytes:
    """Turn plain data into the bytes of a message.

    Args:
        message: plain data; also `jax.Array`s and random keys, which arrive as such.

    Raises:
        WireError: something in it is not plain data.

    Example:
        >>> unpack(pack({"x": (1, 2.5, None)}))
        {'x': (1, 2.5, None)}
    """
    buffers: list[bytes] = []
    try:
        tree = _tree(message, buffers)
        header = json.dumps([tree, [len(buffer) for buffer in buffers]]).encode()
    except (RecursionError, ValueError) as error:  # a cycle; an integer with too many digits to be written
        raise WireError(f"not plain data: {type(error).__name__}: {error}") from error
    return b"".join([_LENGTHS.pack(len(header), sum(map(len, buffers))), header, *buffers])


def _tree(value: Any, buffers: list[bytes]) -> Any:
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) is list:
        return [_tree(item, buffers) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_tree(item, buffers) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[_tree(key, buffers), _tree(item, buffers)] for key, item in value.items()]}
    if type(value) is complex:
        return {"complex": [value.real, value.imag]}
    if value is Ellipsis:
        return {"ellipsis": []}
    return _array_tree(value, buffers)


def _array_tree(value: Any, buffers: list[bytes]) -> dict[str, Any]:
    if isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        return {"key": [str(jax.random.key_impl(value)), _tree(np.asarray(jax.random.key_data(value)), buffers)]}
    if not isinstance(value, (np.ndarray, np.generic, jax.Array)):
        raise WireError(f"an object of type `{type(value).__name__}` is not plain data.")
    array = np.asarray(value)
    if array.dtype.hasobject:
        raise WireError("an array of Python objects is not plain data.")
    kind = "jax" if isinstance(value, jax.Array) else "scalar" if isinstance(value, np.generic) else "array"
    columns_first = array.flags.f_contiguous and not array.flags.c_contiguous
    buffers.append(array.tobytes("F" if columns_first else "C"))
    return {kind: [_dtype_name(array.dtype), list(array.shape), "F" if columns_first else "C", len(buffers) - 1]}


def _dtype_name(dtype: np.dtype) -> Any:
    if dtype.name in _ML_DTYPES:
        return dtype.name
    if dtype.names is None and dtype.kind not in _NATIVE:
        raise WireError(f"an array of dtype `{dtype}` is not plain data.")
    return np.lib.format.dtype_to_descr(dtype)


# -- from bytes -------------------------------------------------------------------------------------------------


def unpack(data: bytes, *, on_device: bool = False) -> Any:
    """Turn the bytes of a message into plain data.

    Args:
        data: what `pack` gave.
        on_device: whether `jax.Array`s and random keys may be in it. From a student's process they may not: to make
            them costs memory and starts the backend.

    Raises:
        WireError: it is broken, or claims what it does not hold.

    Example:
        >>> unpack(pack(np.arange(3)))
        array([0, 1, 2])
    """
    header, length = _LENGTHS.unpack(data[: _LENGTHS.size])
    body = data[_LENGTHS.size :]
    if len(body) != header + length:
        raise WireError("the message's length is not what it says.")
    return _open(body[:header], body[header:], on_device)


def _open(header: bytes, body: bytes, on_device: bool) -> Any:
    try:
        tree, lengths = json.loads(header)
        ends = np.cumsum([0, *(_whole(length) for length in lengths)], dtype=object)
        if ends[-1] != len(body):
            raise WireError("its arrays have another length than it says.")
        buffers = {i: body[a:b] for i, (a, b) in enumerate(zip(ends[:-1], ends[1:], strict=True))}
        return _TreeReader(buffers, _LEAVES | (_ON_DEVICE if on_device else {})).value(tree)
    except WireError:
        raise
    except (ArithmeticError, LookupError, MemoryError, RecursionError, SystemError, TypeError, ValueError) as error:
        raise WireError(f"broken: {type(error).__name__}: {error}") from error


def _whole(number: Any) -> int:
    if type(number) is not int or not 0 <= number <= _LARGEST_WHOLE:
        raise WireError("a length that is none.")
    return number


def _short_list(value: Any, most: int = LONGEST_HEADER) -> list[Any]:
    """What should be a list of no more than so many parts."""
    if type(value) is not list or len(value) > most:
        raise WireError(f"no list, or one of more than {most:,} parts.")
    return value


def _shape(dimensions: Any) -> tuple[int, ...]:
    return tuple(map(_whole, _short_list(dimensions, _MOST_AXES)))


@dataclass(frozen=True)
class _TreeReader:
    """Reads a tree, and knows which leaves there may be. Each buffer is for one array: a million could not be held."""

    buffers: dict[int, bytes]
    leaves: dict[str, Callable[[_TreeReader, list[Any]], Any]]

    def value(self, tree: Any, depth: int = 0) -> Any:
        if depth > _DEEPEST:
            raise WireError(f"nested deeper than {_DEEPEST}.")
        if isinstance(tree, str):
            return _text(tree)
        if isinstance(tree, list):
            return [self.value(item, depth + 1) for item in tree]
        if not isinstance(tree, dict):
            return tree
        ((kind, inside),) = tree.items()
        if kind == "tuple":
            return tuple(self.value(item, depth + 1) for item in _short_list(inside))
        if kind == "dict":
            return self.dictionary([(self.key(key), self.value(item, depth + 1)) for key, item in _short_list(inside)])
        return self.leaves[kind](self, inside)

    def dictionary(self, items: list[tuple[Any, Any]]) -> dict[Any, Any]:
        if len(items) - len({hash(key) for key, _ in items}) > _SAME_HASH:
            raise WireError("keys that were made to take long.")
        return dict(items)

    def key(self, tree: Any) -> Any:
        if isinstance(tree, (dict, list)):
            raise WireError("a key that is a container.")
        return self.value(tree)

    def array(self, parts: list[Any]) -> np.ndarray:
        name, dimensions, order, index = parts
        dtype, shape = _dtype(name), _shape(dimensions)
        data = self.buffers.pop(_whole(index))
        _require_size(dtype, shape, len(data))
        if order not in ("C", "F"):
            raise WireError(f"an array in the order {order!r}.")
        # A copy owns its memory and can be written to, as the check's own array does and can.
        array = np.ndarray(shape, dtype, bytes(data), order=order).copy("K")
        if dtype.kind == "b":  # a byte of 2 would be neither true nor false
            np.minimum(array.view(np.uint8), 1, out=array.view(np.uint8))
        if dtype.kind == "U":
            _require_characters(dtype, data)
        return array

    def random_key(self, parts: list[Any]) -> jax.Array:
        key: jax.Array = jax.random.wrap_key_data(jnp.asarray(self.value(parts[1])), impl=str(parts[0]))
        return key


def _text(text: str) -> str:
    """Text without lone surrogates, which no file could hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _require_characters(dtype: np.dtype, data: bytes) -> None:
    """Refuse numbers that are not characters, without making an object of each."""
    codes = np.ndarray(len(data) // 4, np.dtype(np.uint32).newbyteorder(dtype.byteorder), data)
    if codes.max(initial=0) > sys.maxunicode:
        raise WireError("a text with a number that is not a character.")


def _require_size(dtype: np.dtype, shape: tuple[int, ...], length: int) -> None:
    cells = math.prod(max(size, 1) for size in shape)
    if math.prod(shape) * dtype.itemsize != length or cells > max(length, _EMPTY_CELLS):
        raise WireError(f"an array of {dtype} and shape {shape} has not {length} bytes.")


def _dtype(name: Any) -> np.dtype:
    if isinstance(name, str) and name in _ML_DTYPES:
        return _ML_DTYPES[name]
    if _fields_in(name) > _MOST_FIELDS:
        raise WireError(f"a dtype of more than {_MOST_FIELDS:,} fields.")
    dtype = np.lib.format.descr_to_dtype(_descr(name))
    if dtype.hasobject or (dtype.names is None and dtype.kind not in _NATIVE):
        raise WireError(f"an array of dtype {dtype}.")
    return dtype


def _fields_in(descr: Any) -> int:
    """How many fields a description has, at most."""
    todo, count = [descr], 0
    while todo and count <= _MOST_FIELDS:
        if isinstance(one := todo.pop(), list):
            count += len(one)
            todo += [field[1] for field in one[:_MOST_FIELDS] if isinstance(field, list) and len(field) > 1]
    return count


def _descr(descr: Any, depth: int = 0) -> Any:
    """What NumPy is to make a dtype of; JSON has made lists of tuples."""
    if depth > _DEEPEST_DTYPE:
        raise WireError(f"a dtype that is nested deeper than {_DEEPEST_DTYPE}.")
    if isinstance(descr, list):
        return [_field(field, depth + 1) for field in descr]
    if type(descr) is not str or len(descr) > _LONGEST_DTYPE:
        raise WireError("a dtype that is none.")
    return descr


def _field(field: list[Any], depth: int) -> tuple[Any, ...]:
    name, descr, *shape = _short_list(field, 3)
    if len(str(name)) > _LONGEST_DTYPE:
        raise WireError("a field whose name is too long.")
    return (str(name), _descr(descr, depth), *map(_shape, shape))


_LEAVES: dict[str, Callable[[_TreeReader, list[Any]], Any]] = {
    "array": _TreeReader.array,
    "complex": lambda _, parts: complex(float(parts[0]), float(parts[1])),
    "ellipsis": lambda *_: ...,
    "scalar": lambda reader, parts: reader.array(parts)[()],
}
_ON_DEVICE: dict[str, Callable[[_TreeReader, list[Any]], Any]] = {
    "jax": lambda reader, parts: jnp.asarray(reader.array(parts)),
    "key": _TreeReader.random_key,
}


# -- over a socket ----------------------------------------------------------------------------------------------


def is_modest(data: bytes) -> bool:
    """Whether a message is one that `receive` takes."""
    header, body = _LENGTHS.unpack(data[: _LENGTHS.size])
    return bool(header <= LONGEST_HEADER and header + body <= LARGEST)


def send(channel: socket.socket, message: Any) -> None:
    """Send plain data.

    Raises:
        WireError: it is not plain data; then nothing was sent.
        OSError: nobody listens.
    """
    channel.sendall(pack(message))


def receive(
    channel: socket.socket, *, wait: Callable[[], None] = lambda: None, on_device: bool = False, largest: int = LARGEST
) -> Any:
    """Receive plain data.

    Args:
        channel: a stream socket.
        wait: called before each read; it raises when it is enough.
        on_device: see `unpack`.
        largest: the number of bytes that the message may have.

    Raises:
        EOFError: the other side is gone.
        WireError: what came is not a message, or too large.
    """
    header, body = _LENGTHS.unpack(_exactly(channel, _LENGTHS.size, wait))
    if header > LONGEST_HEADER or header + body > largest:
        raise WireError(f"{header + body:,} bytes came back, {header:,} of them no arrays: that is too much.")
    return _open(_exactly(channel, header, wait), _exactly(channel, body, wait), on_device)


def _exactly(channel: socket.socket, length: int, wait: Callable[[], None]) -> bytes:
    data = bytearray()
    while len(data) < length:
        wait()
        part = channel.recv(min(length - len(data), 2**20))
        if not part:
            raise EOFError("the other side is gone.")
        data += part
    return bytes(data)
