"""What JAX is given of a buffer."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse import probe


def with_order(order):
    return np.zeros((3, 5), np.int32, order=order)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("behind", [0, 4])
def test_a_buffer_has_the_order_and_the_place_that_are_asked_for(order, behind):
    buffer = probe.buffer_like(with_order(order), behind)
    assert buffer.strides == with_order(order).strides and buffer.ctypes.data % 64 == behind and buffer.base is not None
    assert probe.buffer_like(with_order(order), owns_memory=True).base is None


def polled(buffer):
    """Hand the buffer over, and ask until JAX has read it."""
    array = jnp.array(buffer)
    while not array.is_ready():
        pass
    return array


HANDED_OVER = {
    "the buffer itself": (jnp.asarray, True),
    "a view": (lambda buffer: jnp.asarray(buffer[:]), True),
    "in a list": (lambda buffer: jax.device_put([buffer])[0], True),
    "and waits": (lambda buffer: jax.block_until_ready(jnp.array(buffer)), False),
    "and waits by a method": (lambda buffer: jnp.array(buffer).block_until_ready(), False),
    "and reads what came": (lambda buffer: np.asarray(jnp.array(buffer)), False),
    "and reads an element": (lambda buffer: jnp.array(buffer)[0, 0].item(), False),
    "and waits for effects": (lambda buffer: (jnp.array(buffer), jax.effects_barrier()), True),
    "and asks until it is there": (polled, False),
    "and asks once": (lambda buffer: jnp.array(buffer).is_ready(), True),
    "a copy": (lambda buffer: jnp.asarray(buffer.copy()), False),
}


@pytest.mark.parametrize("how", HANDED_OVER)
def test_jax_is_waited_for_or_not(how):
    hand_over, pending = HANDED_OVER[how]
    lending = probe.Lending(probe.buffer_like(with_order("C")))
    lending.during(hand_over)
    assert lending.pending is pending and lending.given


def test_what_lies_in_the_buffer_is_known():
    lending = probe.Lending(probe.buffer_like(np.zeros(1000, np.float32)))
    assert lending.lends(jax.dlpack.from_dlpack(lending.buffer)) and not lending.lends(jnp.zeros(1000))
    assert lending.holds(lending.buffer[3:]) and not lending.holds(lending.buffer.copy()) and not lending.holds("text")


MADE = {
    "asarray": (jnp.asarray, True),
    "asarray, awaited": (lambda buffer: jax.block_until_ready(jnp.asarray(buffer)), True),
    "asarray, put where it is": (lambda buffer: jax.device_put(jnp.asarray(buffer)), True),
    "a copy": (lambda buffer: jnp.asarray(buffer, copy=True), False),
    "a copy of it": (lambda buffer: jnp.asarray(buffer).copy(), False),
    "array": (jnp.array, False),
    "array, without a copy": (lambda buffer: jnp.array(buffer, copy=False), True),
    "of a copy": (lambda buffer: jnp.asarray(buffer.copy()), False),
}


@pytest.mark.parametrize("how", MADE)
def test_what_nobody_promises_is_told_from_a_copy(how):
    hand_over, unpromised = MADE[how]
    lending = probe.Lending(probe.buffer_like(with_order("C")))
    assert lending.is_unpromised(lending.during(hand_over)) is unpromised


def test_watching_ends_with_the_call():
    lending = probe.Lending(probe.buffer_like(with_order("C")))
    array = type(jnp.zeros(1))
    waits, asks, reads = array.block_until_ready, array.is_ready, np.asarray
    with pytest.raises(ZeroDivisionError):
        lending.during(lambda buffer: 1 / 0)
    jnp.asarray(lending.buffer)
    assert not lending.pending and array.block_until_ready is waits and array.is_ready is asks and np.asarray is reads
