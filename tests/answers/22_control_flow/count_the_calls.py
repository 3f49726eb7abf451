"""Answers to count-the-calls."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

from jaxcourse.exercise import right, wrong


@right("count-the-calls")
def keeps_a_row_of_one(limit):
    box = jax.new_ref(jnp.zeros(1, jnp.int32))

    def clip(x):
        box[0] = box[0] + jnp.where(jnp.max(x) > limit, 1, 0)
        return jnp.clip(x, None, limit)

    return jax.jit(clip), lambda: int(box[0])


@right("count-the-calls")
def takes_the_box_as_an_argument(limit):
    box = jax.new_ref(jnp.int32(0))
    return functools.partial(clip_and_count, box, limit), functools.partial(read, box)


@jax.jit
def clip_and_count(box, limit, x):
    jax.lax.cond((x > limit).any(), lambda: add_one(box), lambda: None)
    return jnp.where(x > limit, limit, x)


def add_one(box):
    box[...] += 1


def read(box):
    return box[...]


@right("count-the-calls")
class Clipper:
    """Both functions, and their box, in one object that can be taken apart."""

    def __new__(cls, limit):
        self = super().__new__(cls)
        self.limit, self.box = limit, jax.new_ref(0.0)
        return [jax.jit(self.clip), self.count]

    def clip(self, x):
        jax.ref.addupdate(self.box, ..., (x > self.limit).any().astype(float))
        return jnp.minimum(x, self.limit)

    def count(self):
        return self.box[...]


@wrong("count-the-calls", "traces-counted")
def counts_in_python(limit):
    calls = 0

    @jax.jit
    def clip(x):
        nonlocal calls
        calls += 1
        return jnp.minimum(x, limit)

    return clip, lambda: calls


@wrong("count-the-calls", "traces-counted")
def keeps_python_s_count_in_a_box(limit):
    box, calls = jax.new_ref(0), []

    @jax.jit
    def clip(x):
        calls.append(x.shape)
        box[...] = len(calls)
        return jnp.minimum(x, limit)

    return clip, lambda: box[...]


@wrong("count-the-calls", "nothing-counted")
def finds_an_array(limit):
    calls = jnp.zeros((), jnp.int32)

    @jax.jit
    def clip(x):
        calls.at[...].add(jnp.any(x > limit))
        return jnp.minimum(x, limit)

    return clip, lambda: calls


@wrong("count-the-calls", "nothing-counted")
def gives_the_name_to_something_else(limit):
    box = jax.new_ref(0)

    @jax.jit
    def clip(x):
        seen = box[...]
        seen += jnp.any(x > limit)
        return jnp.minimum(x, limit)

    return clip, lambda: box[...]


@wrong("count-the-calls", "leaked")
def rebinds_a_name(limit):
    calls = jnp.zeros((), jnp.int32)

    @jax.jit
    def clip(x):
        nonlocal calls
        calls = calls + jnp.any(x > limit)
        return jnp.minimum(x, limit)

    return clip, lambda: calls


@wrong("count-the-calls", "leaked")
def reads_the_name_as_a_number(limit):
    calls = jnp.zeros((), jnp.int32)

    @jax.jit
    def clip(x):
        nonlocal calls
        calls = calls + jnp.any(x > limit)
        return jnp.minimum(x, limit)

    return clip, lambda: int(calls)


@wrong("count-the-calls", "ref-returned")
def returns_the_box(limit):
    box = jax.new_ref(0)

    @jax.jit
    def clip(x):
        box[...] += jnp.any(x > limit)
        return jnp.minimum(x, limit), box

    return clip, lambda: box[...]


@wrong("count-the-calls", "asks-a-tracer")
def asks_python_whether(limit):
    box = jax.new_ref(0)

    @jax.jit
    def clip(x):
        if jnp.any(x > limit):
            box[...] += 1
        return jnp.minimum(x, limit)

    return clip, lambda: box[...]


@wrong("count-the-calls", "counted-outside")
def counts_outside_of_the_program(limit):
    calls = 0
    minimum = jax.jit(lambda x: (jnp.minimum(x, limit), jnp.any(x > limit)))

    def clip(x):
        nonlocal calls
        clipped, high = minimum(x)
        calls += bool(high)
        return clipped

    return clip, lambda: calls


@wrong("count-the-calls", "box-not-read")
def gives_the_box(limit):
    clip, box = with_its_box(limit)
    return clip, lambda: box


@wrong("count-the-calls", "not-a-pair")
def gives_the_box_itself(limit):
    return with_its_box(limit)


@wrong("count-the-calls", "not-a-pair")
def gives_clip_alone(limit):
    return with_its_box(limit)[0]


def with_its_box(limit):
    box = jax.new_ref(0)

    @jax.jit
    def clip(x):
        box[...] += jnp.any(x > limit)
        return jnp.minimum(x, limit)

    return clip, box


@wrong("count-the-calls", "not-jitted")
def counts_without_jit(limit):
    box = jax.new_ref(0)

    def clip(x):
        box[...] += jnp.any(x > limit)
        return jnp.minimum(x, limit)

    return clip, lambda: box[...]


shared, kept = jax.new_ref(0), jax.new_ref(0)


def counted_by(counts):
    """A right answer but for what is added to its box in each call."""

    def make(limit, box=None):
        box = jax.new_ref(0) if box is None else box

        @jax.jit
        def clip(x):
            box[...] = counts(box[...], x, limit)
            return jnp.minimum(x, limit)

        return clip, lambda: box[...]

    return make


every_call = wrong("count-the-calls", "every-call-counted")(counted_by(lambda n, x, limit: n + 1))
all_values = wrong("count-the-calls", "values-counted")(counted_by(lambda n, x, limit: n + jnp.sum(x > limit)))
at_the_limit = wrong("count-the-calls", "at-the-limit")(counted_by(lambda n, x, limit: n + jnp.any(x >= limit)))
last_alone = wrong("count-the-calls", "last-call-alone")(counted_by(lambda n, x, limit: 1 * jnp.any(x > limit)))
if_all_are = wrong("count-the-calls", "wrong-value")(counted_by(lambda n, x, limit: n + jnp.all(x > limit)))


@wrong("count-the-calls", "one-box-for-all")
def begins_anew_in_one_box(limit):
    shared[...] = 0
    return counted_by(lambda n, x, limit: n + jnp.any(x > limit))(limit, shared)


@wrong("count-the-calls", "not-from-zero")
def counts_into_one_box_for_ever(limit):
    return counted_by(lambda n, x, limit: n + jnp.any(x > limit))(limit, kept)


@wrong("count-the-calls", "not-clipped")
def counts_and_hands_back(limit):
    box = jax.new_ref(0)

    @jax.jit
    def clip(x):
        box[...] += jnp.any(x > limit)
        return x

    return clip, lambda: box[...]


@wrong("count-the-calls", "not-jitted")
def counts_in_numpy(limit):
    calls = []

    def clip(x):
        calls.append(bool(np.any(np.asarray(x) > limit)))
        return np.minimum(x, np.float32(limit))

    return clip, lambda: sum(calls)


@right("count-the-calls")
def calls_python_back(limit):
    seen = []

    @jax.jit
    def clip(x):
        above = x > limit
        io_callback(lambda one: seen.append(1) if one else None, None, above.any(), ordered=True)
        return jnp.where(above, limit, x)

    def count():
        jax.effects_barrier()
        return len(seen)

    return clip, count


@right("count-the-calls")
def counts_both_kinds_of_calls(limit):
    calls = jax.new_ref(jnp.zeros(2, int))

    @jax.jit
    def clip(x):
        clipped = jnp.minimum(x, limit)
        calls[jnp.any(clipped < x).astype(int)] += 1
        return clipped

    return clip, lambda: calls[1]


@wrong("count-the-calls", "clipped-below")
def clips_on_both_sides(limit):
    box = jax.new_ref(0)

    @jax.jit
    def clip(x):
        box[...] += jnp.any(x > limit)
        return jnp.clip(x, -limit, limit)

    return clip, lambda: box[...]


@wrong("count-the-calls", "frozen")
def freezes_to_read(limit):
    clip, box = with_its_box(limit)
    return clip, lambda: jax.ref.freeze(box)


@wrong("count-the-calls", "wrong-value")
def says_whether(limit):
    box = jax.new_ref(False)

    @jax.jit
    def clip(x):
        box[...] |= jnp.any(x > limit)
        return jnp.minimum(x, limit)

    return clip, lambda: box[...]
