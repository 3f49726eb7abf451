"""Answers to safe-handover."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@right("safe-handover")
def copies_in_jax_and_waits(buffer):
    return jax.block_until_ready(jnp.array(buffer))


@right("safe-handover")
def puts_a_copy_on_the_device(buffer):
    return jax.device_put(np.array(buffer))


@right("safe-handover")
def waits_by_reading_what_came(buffer):
    handed = jnp.array(buffer)
    np.asarray(handed)
    return handed


@right("safe-handover")
def asks_until_it_is_there(buffer):
    handed = jnp.array(buffer)
    while not handed.is_ready():
        pass
    return handed


@wrong("safe-handover", "not-waited")
def asks_once_whether_it_is_there(buffer):
    handed = jnp.array(buffer)
    handed.is_ready()
    return handed


@right("safe-handover")
def goes_through_bytes(buffer):
    return jnp.asarray(np.frombuffer(buffer.tobytes(), buffer.dtype).reshape(buffer.shape))


@wrong("safe-handover", "not-waited")
def copies_in_jax(buffer):
    return jnp.array(buffer)


@wrong("safe-handover", "not-waited")
def waits_for_effects_alone(buffer):
    handed = jnp.array(buffer)
    jax.effects_barrier()
    return handed


@wrong("safe-handover", "borrowed-buffer")
def forbids_an_alias(buffer):
    return jax.device_put(buffer, may_alias=False).block_until_ready()


@wrong("safe-handover", "not-waited")
def copies_what_is_borrowed(buffer):
    return jax.device_put(buffer).copy()


@wrong("safe-handover", "one-array-for-all")
def keeps_an_array_for_all(buffer):
    kept = staged.setdefault((buffer.shape, buffer.dtype), np.empty_like(buffer))
    kept[...] = buffer
    return jax.device_put(kept)


staged = {}


@wrong("safe-handover", "borrowed-buffer")
def copies_views_alone(buffer):
    return jax.device_put(buffer if buffer.flags.owndata else buffer.copy())


@wrong("safe-handover", "borrowed-buffer")
def waits_for_asarray(buffer):
    return jnp.asarray(buffer).block_until_ready()


@wrong("safe-handover", "borrowed-buffer")
def asks_for_no_copy(buffer):
    return jnp.array(buffer, copy=False).block_until_ready()


@wrong("safe-handover", "buffer-locked")
def locks_the_buffer(buffer):
    buffer.flags.writeable = False
    return jax.device_put(buffer)


@wrong("safe-handover", "dtype-changed")
def makes_floats_of_it(buffer):
    return jnp.asarray(buffer.astype(np.float32))


@wrong("safe-handover", "dtype-changed")
def adds_nothing(buffer):
    return jnp.asarray(buffer + 0)


@wrong("safe-handover", "wrong-value")
def copies_in_the_order_of_memory(buffer):
    return jnp.asarray(buffer.ravel(order="K").copy().reshape(buffer.shape))


@wrong("safe-handover", "borrowed-buffer")
def puts_it_on_the_device(buffer):
    return jax.device_put(buffer)


@wrong("safe-handover", "borrowed-buffer")
def goes_through_dlpack(buffer):
    return jnp.from_dlpack(buffer)


@wrong("safe-handover", "not-jax")
def copies_in_numpy_only(buffer):
    return buffer.copy()


@wrong("safe-handover", "wrong-value")
def makes_room_but_fills_nothing(buffer):
    return jnp.zeros_like(buffer)


@wrong("safe-handover", "buffer-overwritten")
def empties_the_buffer(buffer):
    handed = jnp.asarray(buffer.copy())
    buffer[:] = 0
    return handed
