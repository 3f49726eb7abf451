"""Plain data over a socket: it arrives as it left, and nothing hostile arrives at all."""

import json
import socket
import struct
import threading
import time

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from jaxcourse.probe import identical
from jaxcourse_grade.isolation import _wire
from jaxcourse_grade.isolation._wire import WireError, pack, receive, send, unpack

leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.text(st.characters(exclude_categories=["Cs"]))
    | hnp.arrays(hnp.scalar_dtypes().filter(lambda d: d.kind not in "SV"), hnp.array_shapes(min_dims=0, min_side=0))
)
plain = st.recursive(
    leaves,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text("abc") | st.integers(), inner),
    max_leaves=10,
)


def same(old, new):
    if isinstance(old, np.ndarray):
        return isinstance(new, np.ndarray) and old.dtype == new.dtype and identical(old, new)
    if type(old) is not type(new):
        return False
    if isinstance(old, (list, tuple)):
        return len(old) == len(new) and all(map(same, old, new))
    if isinstance(old, dict):
        return list(old) == list(new) and all(same(old[key], new[key]) for key in old)
    return repr(old) == repr(new)  # NaN and -0.0 too


@settings(max_examples=50)
@given(plain)
def test_plain_data_arrive_as_they_left(value):
    assert same(value, unpack(pack(value)))


@pytest.mark.parametrize(
    "array",
    [
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(12)[::2],
        np.array([1.5, -2], ml_dtypes.bfloat16),
        np.array([1, 2], ml_dtypes.int4),
        np.zeros(2, [("place", "<f8", (2,)), ("name", "<U3"), ("inner", [("id", "<i4")])]),
        np.array(["2026-01-01", "NaT"], "M8[D]"),
        np.array([b"a", b"bc"]),
        np.array("text"),
        np.zeros((0, 3)),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_an_array_keeps_dtype_shape_and_order(array):
    arrived = unpack(pack(array))
    assert arrived.dtype == array.dtype
    assert arrived.shape == array.shape
    assert identical(arrived, array)
    assert arrived.flags.f_contiguous == array.flags.f_contiguous or not array.flags.c_contiguous
    assert arrived.flags.writeable


def test_a_scalar_stays_a_scalar_of_its_dtype():
    assert type(unpack(pack(np.float32(0.1)))) is np.float32


def test_jax_arrays_and_keys_go_to_a_student_and_do_not_come_back():
    key, array = unpack(pack((jax.random.key(3), jnp.arange(3))), on_device=True)
    assert jax.random.key_data(key).tolist() == jax.random.key_data(jax.random.key(3)).tolist()
    assert isinstance(array, jax.Array)
    for value in (jax.random.key(3), jnp.arange(3)):
        with pytest.raises(WireError, match="KeyError"):
            unpack(pack(value))


def cycle():
    inside: list = []
    inside.append(inside)
    return inside


@pytest.mark.parametrize(
    "value",
    [object(), {"a": {1, 2}}, np.array([object()]), lambda: 0, cycle(), 10**5000, np.dtype(float)],
    ids=["object", "set", "objects", "function", "cycle", "digits", "dtype"],
)
def test_what_is_not_plain_data_is_not_sent(value):
    with pytest.raises(WireError):
        pack(value)


def message(tree, *buffers, lengths=None):
    """A message made by hand."""
    header = json.dumps([tree, [len(b) for b in buffers] if lengths is None else lengths]).encode()
    body = b"".join(buffers)
    return struct.pack(">QQ", len(header), len(body)) + header + body


def deep(levels):
    return "[" * levels + "]" * levels


@pytest.mark.parametrize(
    "data",
    [
        message({"array": ["|O", [1], "C", 0]}, bytes(8)),
        message({"array": ["<f8", [2], "C", 0]}, bytes(8)),
        message({"array": ["<f8", [-1], "C", 0]}, bytes(8)),
        message({"array": ["<f8", [1.0], "C", 0]}, bytes(8)),
        message({"array": ["<f8", [True], "C", 0]}, bytes(8)),
        message({"array": ["<f8", [1], "C", 7]}, bytes(8)),
        message({"array": ["<f8", [1], "C", -1]}, bytes(8)),
        message({"array": ["<f8", [1], "K", 0]}, bytes(8)),
        message({"array": ["<U0", [10**12], "C", 0]}, b""),
        message({"array": ["<f8", [10**12, 0], "C", 0]}, b""),
        message({"array": ["<f8", [1] * 33, "C", 0]}, bytes(8)),
        message({"array": ["<U1", [1], "C", 0]}, b"\xff\xff\xff\xff"),
        message({"array": ["__import__('os')", [1], "C", 0]}, bytes(8)),
        message({"array": [[["a", "|O"]], [1], "C", 0]}, bytes(8)),
        message({"array": ["<f8", [2**62, 2**62], "C", 0]}, bytes(8)),
        message({"array": []}, bytes(8)),
        message({"scalar": ["<f8", [2], "C", 0]}, bytes(16), lengths=[-16, 32]),
        message({"nobody": []}),
        message({"tuple": 3}),
        message({"dict": [[[1], 2]]}),
        message({"dict": [["a"]]}),
        message({"a": 1, "b": 2}),
        message({"complex": ["x", 1]}),
        message(1, lengths=[10**30]),
        message(1, lengths=["1"]),
        b"".join([struct.pack(">QQ", len(deep(10**5)), 0), deep(10**5).encode()]),
        b"".join([struct.pack(">QQ", 3, 0), b"{]}"]),
        b"".join([struct.pack(">QQ", 2, 0), b"\xff\xfe"]),
        struct.pack(">QQ", 10, 0) + b"short",
        message(json.loads(deep(200))),
    ],
)
def test_a_broken_or_lying_message_is_refused(data):
    with pytest.raises(WireError):
        unpack(data)


def fields(count, inside="<f4"):
    return [[f"f{i}", inside] for i in range(count)]


def nested(depth):
    dtype = "<f4"
    for _ in range(depth):
        dtype = [["f", dtype]]
    return dtype


def of_dtype(dtype, shape=(0,)):
    return message({"array": [dtype, list(shape), "C", 0]}, b"")


REFUSED_BY_COUNT = {
    "axes": of_dtype("<f4", [3] * 180_000),
    "axes of thousands of digits": of_dtype("<f4", [10**4_000] * 400),
    "sizes of thousands of digits": of_dtype("<f4", [10**4_000] * 32),
    "axes of a field": of_dtype([["a", "<f4", [1] * 180_000]]),
    "a dtype of megabytes": of_dtype("i4," * 600_000),
    "a dtype with axes": of_dtype(f"({'1,' * 900_000})i4"),
    "fields": of_dtype(fields(80_000)),
    "fields of fields": of_dtype(fields(40, fields(40, fields(40)))),
    "fields within fields": message([{"array": [nested(300), [0], "C", i]} for i in range(400)], lengths=[0] * 400),
    "a field's name": of_dtype([["a" * 10**6, "<f4"]]),
    "a text as a tuple": message({"tuple": "a" * 2_000_000}),
    "a text as a dictionary": message({"dict": "ab" * 1_000_000}),
    "lengths of thousands of digits": message(None, lengths=[10**4_000] * 500),
}


@pytest.mark.parametrize("what", REFUSED_BY_COUNT)
def test_what_is_too_much_is_refused_by_its_count(what):
    began = time.process_time()
    with pytest.raises(WireError):
        unpack(REFUSED_BY_COUNT[what])
    assert time.process_time() - began < 0.5


ALLOWED = {
    "texts": message(["a"] * 400_000),
    "numbers of thousands of digits": message([10**4_200] * 490),
    "keys": message({"dict": [[str(i), i] for i in range(90_000)]}),
    "arrays": message([{"array": ["<f4", [0], "C", i]} for i in range(45_000)], lengths=[0] * 45_000),
    "arrays of fields": message([{"array": [fields(900), [0], "C", i]} for i in range(90)], lengths=[0] * 90),
    "axes": message([{"array": ["<f4", [0] * 32, "C", i]} for i in range(14_000)], lengths=[0] * 14_000),
    "buffers": message(None, lengths=[0] * 600_000),
}


@pytest.mark.parametrize("many", ALLOWED)
def test_as_much_as_a_message_may_hold_is_read_in_a_moment(many):
    assert len(ALLOWED[many]) <= _wire.LONGEST_HEADER + 16
    began = time.process_time()
    unpack(ALLOWED[many])
    assert time.process_time() - began < 3


def test_a_digit_bomb_is_refused():
    header = b"[" + b"9" * 10_000 + b", []]"
    with pytest.raises(WireError):
        unpack(struct.pack(">QQ", len(header), 0) + header)


def test_a_boolean_is_true_or_false_whatever_its_byte():
    arrived = unpack(message({"array": ["|b1", [2], "C", 0]}, b"\x02\x00"))
    assert arrived.view(np.uint8).tolist() == [1, 0]


def test_text_can_be_written_to_a_file():
    assert unpack(message("a\ud800b")).encode() == "a\ufffdb".encode()


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_a_wire_error(data):
    try:
        unpack(struct.pack(">QQ", len(data), 0) + data)
    except WireError:
        return
    json.loads(data)  # whatever got through was JSON


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def test_messages_pass_a_socket_in_order(pair):
    big = np.arange(200_000)  # more than a socket's buffer
    sender = threading.Thread(target=lambda: [send(pair[1], value) for value in ({"n": 1}, big)])
    sender.start()
    assert receive(pair[0]) == {"n": 1}
    assert identical(receive(pair[0]), big)
    sender.join()


def test_a_large_message_is_refused_before_it_is_read(pair):
    pair[1].sendall(struct.pack(">QQ", 10, _wire.LARGEST))
    with pytest.raises(WireError, match="too much"):
        receive(pair[0])
    pair[1].sendall(struct.pack(">QQ", _wire.LONGEST_HEADER + 1, 0))
    with pytest.raises(WireError, match="too much"):
        receive(pair[0])


def test_a_sender_that_goes_is_noticed(pair):
    pair[1].sendall(pack([1, 2])[:-1])
    pair[1].close()
    with pytest.raises(EOFError):
        receive(pair[0])


def test_waiting_can_be_ended(pair):
    class Enough(Exception):
        pass

    def enough():
        raise Enough

    with pytest.raises(Enough):
        receive(pair[0], wait=enough)
