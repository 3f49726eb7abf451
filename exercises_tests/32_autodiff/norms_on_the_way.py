"""norms-on-the-way: a loss that raises the largest number after each layer in a `Ref`, while `grad` runs."""

import functools

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, refuse
from jaxcourse.exercise import EMPTY

from ._lesson import float32


def gradient_and_peaks(student_function, layers, inputs, how):
    """The gradient for the last input, and what is in the `Ref` after `jax.grad` of each of several.

    Args:
        student_function: the answer.
        layers: the matrices.
        inputs: of several calls, all of one shape.
        how: `"plain"`; `"jit"`; or `"vmap"`, over the rows of each input and of the `Ref`.
    """
    layers, inputs = probe.on_device(layers), probe.on_device(inputs)
    once = student_function(layers, inputs[0], jax.new_ref(jax.numpy.zeros(len(layers)))) if how == "plain" else 0.0
    slope = jax.grad(student_function)
    rows = (len(inputs[0]),) if how == "vmap" else ()
    peaks = jax.new_ref(jax.numpy.zeros((*rows, len(layers))))
    if how == "vmap":
        slope = jax.vmap(slope, in_axes=(None, 0, 0))
    if how != "plain":
        slope = jax.jit(slope)
    for x in inputs:
        gradient = slope(layers, x, peaks)
    return {"loss": once, "gradient": gradient, "peaks": peaks[...]}


def loss_and_peaks(student_function, layers, inputs):
    """What calls give without `grad`, and what is in the `Ref` afterwards, which begins with `-inf`."""
    layers, inputs = probe.on_device(layers), probe.on_device(inputs)
    peaks = jax.new_ref(jax.numpy.full(len(layers), -jax.numpy.inf))
    losses = [student_function(layers, x, peaks) for x in inputs]
    return {"losses": losses, "peaks": peaks[...]}


def network(rng, shape):
    """Weights by which each layer's first number is 0 after `relu`, and three inputs, the second the largest.

    No layer's gradient is 0, or the check could not see where one was stopped.
    """
    while True:
        layers, inputs = any_network(rng, shape)
        flat = [x.reshape(-1, x.shape[-1]) for x in inputs]
        if all(each.any() for x in flat for each in gradient_of(layers, x)):
            return layers, inputs


def any_network(rng, shape):
    """The same, perhaps with a layer that gives nothing but 0."""
    *rows, first, middle, last = shape
    layers = [float32(rng, (first, middle)), float32(rng, (middle, last)), float32(rng, (last, last))]
    layers = [np.where(rng.uniform(size=each.shape) < 0.7, abs(each), each) for each in layers]
    for each in layers:
        each[:, 0] = -2 * abs(each).max()  # whatever goes into `relu` there is below 0, and far from it
    return layers, [size * float32(rng, (*rows, first), 0.5, 2.0) for size in np.float32([1, 3, 0.5])]


def dead_at_the_end(rng, shape):
    """A network whose last layer gives nothing but 0."""
    layers, inputs = network(rng, shape)
    return [*layers[:-1], -abs(layers[-1]) - np.float32(0.5)], inputs


def under(how):
    """Draws of a network with how it is called."""

    def draw(rng, shape):
        return (*network(rng, shape), how)

    return draw


def forward(layers, x):
    """What goes into each layer's `relu`, and the numbers after each layer, in double precision."""
    before, states = [], [np.float64(x)]
    for weights in layers:
        before.append(states[-1] @ np.float64(weights))
        states.append(np.maximum(before[-1], 0))
    return before, states


def gradient_of(layers, x):
    """The gradient of the loss, backwards by hand: from `2 h / n`, through each `relu` and each product."""
    before, states = forward(layers, x)
    back = 2 * states[-1] / states[-1].size
    found = []
    for weights, reached, state in zip(layers[::-1], before[::-1], states[-2::-1], strict=True):
        back = back * (reached > 0)
        found.append(np.atleast_2d(state).T @ np.atleast_2d(back))
        back = back @ np.float64(weights).T
    return found[::-1]


def peaks_by(measure, over=np.max):
    """Peaks, by what is measured after a layer, and by how several calls become one number."""

    def peaks(layers, inputs):
        each = [measure(*forward(layers, x)) for x in inputs]
        return over(np.array(each), axis=0)

    return peaks


largest = peaks_by(lambda before, states: [state.max() for state in states[1:]])


def right(layers, inputs, how):
    """Gradient and peaks; for `vmap`, those of each example beside each other."""
    if how == "vmap":
        apart = [right(layers, list(rows), "plain") for rows in zip(*inputs, strict=True)]
        gradients, peaks = zip(*apart, strict=True)
        return [[np.stack(each) for each in zip(*gradients, strict=True)], np.stack(peaks)]
    return [gradient_of(layers, inputs[-1]), largest(layers, inputs)]


def with_peaks(peaks):
    """A mistake that leaves the gradient as it is."""
    return lambda layers, inputs, how: [gradient_of(layers, inputs[-1]), peaks(layers, inputs)]


def parts(facts, *case):
    """The gradient as a list, and the peaks, if the loss without `grad` is a number."""
    refuse(not np.isfinite(facts["loss"]), "wrong-value")
    return [list(facts["gradient"]), facts["peaks"]]


def loss_of(layers, inputs):
    """Losses and peaks without `grad`."""
    return [[np.mean(forward(layers, x)[1][-1] ** 2) for x in inputs], largest(layers, inputs)]


def numbers_and_peaks(facts, *case):
    """The losses and the peaks."""
    return [list(facts["losses"]), facts["peaks"]]


def dead_before_relu(layers, inputs):
    """The mistake of taking peaks before `relu`, signs and all, which a dead layer shows."""
    return [
        loss_of(layers, inputs)[0],
        peaks_by(lambda before, states: [each.max() for each in before])(layers, inputs),
    ]


MISTAKES = {
    "not-written": with_peaks(lambda layers, inputs: np.zeros(len(layers))),
    "last-call-alone": with_peaks(lambda layers, inputs: largest(layers, inputs[-1:])),
    "before-relu": with_peaks(peaks_by(lambda before, states: [np.abs(each).max() for each in before])),
    "norm-of-layer": with_peaks(peaks_by(lambda before, states: [np.linalg.norm(state) for state in states[1:]])),
    "one-layer-early": with_peaks(peaks_by(lambda before, states: [state.max() for state in states[:-1]])),
    "mean-of-layer": with_peaks(peaks_by(lambda before, states: [state.mean() for state in states[1:]])),
    "one-for-all": with_peaks(
        peaks_by(lambda before, states: [max(state.max() for state in states[1:])] * len(before))
    ),
    "loss-stopped": lambda layers, inputs, how: [[0 * each for each in layers], largest(layers, inputs)],
}

WORDS = """
hint: Which of its arguments may a function change, so that you see it after the call?
hint: After each layer, write into `peaks[k]` by index. What goes in is no part of the loss: `jax.lax.stop_gradient`.
hint: `peaks[k] = jnp.maximum(peaks[k], ...)`
not-written: Your gradient is right, and `peaks` is as it was. Write into the box by its index, `peaks[k] = ...`: a new
    name, or a list, is lost.
last-call-alone: Your `peaks` only knows the last call. Take the larger of `peaks[k]` and this call's number.
norm-of-layer: You kept the norm of each layer. The task asks for the largest number in it: `h.max()`.
before-relu: You measured before `relu`, where numbers may be negative. Measure what the layer gives: `h` after `relu`.
one-layer-early: Your `peaks[k]` is what goes into layer `k`. Measure `h` after it.
mean-of-layer: You kept the mean of each layer. The largest number says whether it explodes: `h.max()`.
one-for-all: Each of your peaks is the largest of the whole network. Measure after each layer, into `peaks[k]`.
loss-stopped: Your peaks are right, and the gradient is 0: you stopped the values that the loss needs. Stop only what
    goes into `peaks`.
wrong-value: Compare the two parts: the gradient of the mean of `h**2`, and the largest number after each layer so far.
returned-too: Your function returns more than the loss, and `jax.grad` wants one number. The peaks come out by the
    `Ref`: return the loss alone.
not-one-number: Your loss has an axis. It is one number, the mean of `h**2`.
not-a-constant: What you write into `peaks` still has a derivative, and JAX takes constants there. The `Ref` is an
    argument already: put `jax.lax.stop_gradient` around the number.
box-not-read: You computed with the box itself. Read what is in it by an index: `peaks[k]`.
box-captured: You write into a `Ref` that is no argument, and under `vmap` all examples would write at once. Use the
    argument `peaks`, which has a row for each.
leaked: A tracer that an earlier call left somewhere came back. What you want to see goes into `peaks`, and nowhere
    else.
asks-a-tracer: Python asked a tracer for its value, as `if` and `max` do. `jnp.maximum` takes the larger one in the
    program.
"""


def no_such_operation(error):
    """Whether JAX has no such operation for a `Ref`; an empty answer raises the same kind of error."""
    return error.raised.kind == "NotImplementedError" and error.raised.message != EMPTY[1]


RAISING = {
    "not-a-constant": "non-differentiated array reference",
    "box-captured": "unbatched array reference",
    "not-one-number": "Output had shape",
    "returned-too": "Gradient only defined for scalar-output",
    "leaked": ["UnexpectedTracerError"],
    "asks-a-tracer": probe.NEEDS_A_NUMBER,
    "box-not-read": lambda error: "Ref" in error.raised.message or no_such_operation(error),
}
AGREES = functools.partial(
    Agrees, right, ask=gradient_and_peaks, reads=parts, raising=RAISING, rtol=1e-3, shows="jax.grad({name}){}, peaks"
)

LOSS = functools.partial(
    Agrees,
    loss_of,
    each=1,
    ask=loss_and_peaks,
    reads=numbers_and_peaks,
    raising=RAISING,
    rtol=1e-3,
    shows="[{name}(layers, x, peaks) for x in inputs], peaks",
)

norms_on_the_way = declare(
    "norms-on-the-way",
    points=2,
    see="what-grad-returns",
    steps=[
        AGREES(under("plain"), [(2, 3, 4)], each=2, mistakes=MISTAKES),
        LOSS(network, [(2, 3, 4), (3, 4, 5)]),
        LOSS(dead_at_the_end, [(2, 3, 4), (3, 4, 5)], mistakes={"before-relu": dead_before_relu}),
        AGREES(under("jit"), [(2, 2, 3, 4)], each=1),
        AGREES(under("vmap"), [(3, 2, 3, 4)], each=1),
    ],
    words=WORDS,
)
