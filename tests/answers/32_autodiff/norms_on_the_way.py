"""Answers to norms-on-the-way."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import right, wrong


@right("norms-on-the-way")
def all_at_once(layers, x, peaks):
    found = []
    for weights in layers:
        x = jnp.maximum(x @ weights, 0)
        found.append(jnp.max(x))
    peaks[...] = jnp.maximum(peaks[...], jax.lax.stop_gradient(jnp.stack(found)))
    return (x**2).mean()


@right("norms-on-the-way")
def keeps_its_box_in_a_function(layers, x, peaks):
    def note(k, h):
        h = jax.lax.stop_gradient(h)
        peaks[k] = jnp.where(h.max() > peaks[k], h.max(), peaks[k])

    for k in range(len(layers)):
        x = jax.nn.relu(x @ layers[k])
        note(k, x)
    return jnp.mean(jnp.square(x))


def after_each(note):
    """A loss that tells `note` of each layer: its number, what goes into `relu`, and what comes out."""

    def loss(layers, x, peaks):
        for k, weights in enumerate(layers):
            before = x @ weights
            x = jax.nn.relu(before)
            note(peaks, k, before, x)
        return jnp.mean(x**2)

    return loss


def larger(peaks, k, value):
    peaks[k] = jnp.maximum(peaks[k], jax.lax.stop_gradient(value))


def overwrite(peaks, k, before, h):
    peaks[k] = jax.lax.stop_gradient(h.max())


def without_stop(peaks, k, before, h):
    peaks[k] = jnp.maximum(peaks[k], h.max())


def box_as_an_array(peaks, k, before, h):
    peaks[k] = jnp.maximum(peaks, jax.lax.stop_gradient(h.max()))


def box_by_at(peaks, k, before, h):
    peaks[...] = peaks.at[k].max(jax.lax.stop_gradient(h.max()))


def by_python_s_max(peaks, k, before, h):
    peaks[k] = max(peaks[k], jax.lax.stop_gradient(h.max()))


last_alone = wrong("norms-on-the-way", "last-call-alone")(after_each(overwrite))
differentiated = wrong("norms-on-the-way", "not-a-constant")(after_each(without_stop))
unread = wrong("norms-on-the-way", "box-not-read")(after_each(box_as_an_array))
unread_by_at = wrong("norms-on-the-way", "box-not-read")(after_each(box_by_at))
by_python = wrong("norms-on-the-way", "asks-a-tracer")(after_each(by_python_s_max))
before_relu = wrong("norms-on-the-way", "before-relu")(
    after_each(lambda peaks, k, before, h: larger(peaks, k, jnp.abs(before).max()))
)
means = wrong("norms-on-the-way", "mean-of-layer")(after_each(lambda peaks, k, before, h: larger(peaks, k, h.mean())))
signed_before_relu = wrong("norms-on-the-way", "before-relu")(
    after_each(lambda peaks, k, before, h: larger(peaks, k, before.max()))
)
of_squares = wrong("norms-on-the-way", "norm-of-layer")(
    after_each(lambda peaks, k, before, h: larger(peaks, k, jnp.sqrt(jnp.sum(h**2))))
)


@wrong("norms-on-the-way", "returned-too")
def returned_as_aux(layers, x, peaks):
    found = []
    for weights in layers:
        x = jax.nn.relu(x @ weights)
        found.append(x.max())
    return jnp.mean(x**2), jnp.stack(found)


@wrong("norms-on-the-way", "not-one-number")
def keeps_an_axis(layers, x, peaks):
    for k, weights in enumerate(layers):
        x = jax.nn.relu(x @ weights)
        larger(peaks, k, x.max())
    return jnp.mean(x**2, keepdims=True)


@wrong("norms-on-the-way", "not-written")
def binds_the_name(layers, x, peaks):
    found = []
    for weights in layers:
        x = jax.nn.relu(x @ weights)
        found.append(x.max())
    peaks = jnp.maximum(peaks[...], jnp.stack(found))
    return jnp.mean(x**2)


noted = []


@wrong("norms-on-the-way", "not-written")
def keeps_tracers_in_a_list(layers, x, peaks):
    noted.clear()
    for weights in layers:
        x = jax.nn.relu(x @ weights)
        noted.append(x.max())
    return jnp.mean(x**2)


highest = {}


@wrong("norms-on-the-way", "leaked")
def keeps_a_tracer_for_the_next_call(layers, x, peaks):
    for k, weights in enumerate(layers):
        x = jax.nn.relu(x @ weights)
        highest[k] = jnp.maximum(highest.get(k, 0.0), x.max())
        peaks[k] = jax.lax.stop_gradient(highest[k])
    return jnp.mean(x**2)


own = [jax.new_ref(jnp.float32(0)) for _ in range(3)]


@wrong("norms-on-the-way", "box-captured")
def finds_a_box(layers, x, peaks):
    for k, weights in enumerate(layers):
        x = jax.nn.relu(x @ weights)
        highest_now = jax.lax.stop_gradient(x.max())
        own[k][...] = highest_now
        peaks[k] = jnp.maximum(peaks[k], highest_now)
    return jnp.mean(x**2)


@wrong("norms-on-the-way", "one-layer-early")
def measures_what_goes_in(layers, x, peaks):
    for k, weights in enumerate(layers):
        larger(peaks, k, x.max())
        x = jax.nn.relu(x @ weights)
    return jnp.mean(x**2)


@wrong("norms-on-the-way", "one-for-all")
def keeps_the_largest_of_all(layers, x, peaks):
    most = 0.0
    for weights in layers:
        x = jax.nn.relu(x @ weights)
        most = jnp.maximum(most, x.max())
    peaks[...] = jnp.maximum(peaks[...], jax.lax.stop_gradient(most))
    return jnp.mean(x**2)


@wrong("norms-on-the-way", "loss-stopped")
def stops_the_layer(layers, x, peaks):
    for k, weights in enumerate(layers):
        x = jax.lax.stop_gradient(jax.nn.relu(x @ weights))
        peaks[k] = jnp.maximum(peaks[k], x.max())
    return jnp.mean(x**2)


@wrong("norms-on-the-way", "wrong-value")
def takes_a_sum(layers, x, peaks):
    after_each(lambda peaks, k, before, h: larger(peaks, k, h.max()))(layers, x, peaks)
    for weights in layers:
        x = jax.nn.relu(x @ weights)
    return jnp.sum(x**2)


@wrong("norms-on-the-way", "wrong-value")
def stops_what_goes_in(layers, x, peaks):
    for k, weights in enumerate(layers):
        x = jax.nn.relu(jax.lax.stop_gradient(x) @ weights)
        larger(peaks, k, x.max())
    return jnp.mean(x**2)


@right("norms-on-the-way")
def looks_first(layers, x, peaks):
    h = jax.lax.stop_gradient(x)
    for k, weights in enumerate(layers):
        h = jax.nn.relu(h @ jax.lax.stop_gradient(weights))
        peaks[k] = jnp.where(h.max() > peaks[k], h.max(), peaks[k])
    for weights in layers:
        x = jax.nn.relu(x @ weights)
    return jnp.mean(x**2)
