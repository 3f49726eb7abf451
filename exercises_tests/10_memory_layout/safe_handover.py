"""safe-handover: pictures that come in one buffer, as arrays of JAX of their own."""

import jax
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import declare, expect, refuse, require


def handed_over(hand_over, pictures, behind, own):
    """Hand pictures over in one buffer, one after the other: what becomes of them, and of the buffer."""
    buffer = probe.buffer_like(pictures[0], behind, own)
    watched = probe.Lending(buffer)
    facts = {"type": "jax.Array", "borrowed": False, "pending": False, "reused": False, "kept": True, "locked": False}
    facts["unpromised"] = False
    results, values, before = [], [], []
    for picture in pictures:
        buffer[...] = picture
        result = watched.during(hand_over)
        if not probe.is_really(result, jax.Array):
            return facts | {"type": type(result).__name__}
        facts["borrowed"] |= watched.lends(result)
        facts["unpromised"] |= watched.is_unpromised(result)
        facts["pending"] |= watched.pending
        values.append(np.array(result))  # waits: what came back before anything is written
        facts["kept"] &= bool(np.array_equal(buffer, picture))
        if not buffer.flags.writeable:
            return facts | {"locked": True}
        memory = [array for array in watched.given if not watched.holds(array)]
        facts["reused"] |= any(np.may_share_memory(new, old) for new in memory for old in before)
        before += memory
        results.append(result)
    buffer[...] = 0
    return facts | {"values": values, "later": [np.array(result) for result in results]}


def pictures_of_their_own(answer, rng):
    """Each picture has memory of its own, and keeps it when the buffer is filled again.

    A function, since it is about memory, and what becomes of several results when the buffer is filled again.
    """
    for dtype, shape, behind, order, own in (
        ("float32", (1000,), 0, "C", False),
        ("float32", (1000,), 0, "C", True),
        ("uint8", (20, 30, 3), 0, "C", False),
        ("int32", (7, 5), 4, "C", False),
        ("bool", (30, 7), 0, "C", False),
        ("float16", (3, 7, 7), 2, "F", False),
    ):
        pictures = [np.array(inputs.array(rng, shape, dtype, low=1, high=200), order=order) for _ in range(3)]
        facts = answer.probe(handed_over, pictures, behind, own)
        answer.called = "safe_handover(buffer)"
        require(facts["type"] == "jax.Array", "not-jax", type=facts["type"])
        refuse(facts["locked"], "buffer-locked")
        refuse(facts["borrowed"], "borrowed-buffer")
        refuse(facts["unpromised"], "borrowed-buffer/or-not")
        for number, (got, want) in enumerate(zip(facts["values"], pictures, strict=True)):
            expect(got, want, "wrong-value", number=number + 1, pictures=len(pictures))
            require(got.dtype == want.dtype, "dtype-changed", dtype=want.dtype, returned=got.dtype)
        require(facts["kept"], "buffer-overwritten")
        refuse(facts["pending"], "not-waited")
        refuse(facts["reused"], "one-array-for-all")
        for got, want in zip(facts["later"], pictures, strict=True):
            expect(got, want, "borrowed-buffer/2")


WORDS = """
hint: Which code could still write into the memory that JAX sees?
hint: A copy that only JAX holds is safe from all of it.
not-jax: You returned an object of type `{type}`. Return a `jax.Array`.
buffer-locked: You made the buffer read-only, and the camera can't fill it again. Leave it as it is.
borrowed-buffer: Your JAX array is in the buffer: JAX has borrowed its memory, and hasn't copied it. Waiting is no help,
    a copy is.
wrong-value: Picture {number} of {pictures}: your JAX array should hold what the buffer held.
dtype-changed: `{dtype}` went in and `{returned}` came out. Keep the dtype.
buffer-overwritten: You changed the buffer. Leave its numbers to the camera.
not-waited: You gave JAX the buffer itself, and didn't wait until JAX had read it. It may still be reading when the next
    picture comes.
one-array-for-all: You hand all pictures to JAX through one array, so the next one is written into the memory of the
    last. Make a new copy each time.
borrowed-buffer/or-not: Your call copies the buffer here, unasked. At another address, or in another version, JAX may
    borrow it: make the copy yourself.
borrowed-buffer/2: Your JAX array changed when the buffer was filled again. Make a copy first.
"""

safe_handover = declare(
    "safe-handover",
    see="sharing",
    steps=[pictures_of_their_own],
    words=WORDS,
)
