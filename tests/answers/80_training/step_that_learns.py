"""Answers to step-that-learns."""

import functools

import jax
import jax.numpy as jnp
import optax

from jaxcourse.exercise import equivalent, right, wrong


@right("step-that-learns")
def by_the_formula(state, x, y, rate):
    w, b = state["params"]["w"], state["params"]["b"]
    off = jnp.dot(x, w) + b - y
    params = {"w": w - 2 * rate * (off @ x) / len(y), "b": b - 2 * rate * off.mean()}
    return dict(state, params=params, step=state["step"] + 1), (off**2).mean()


@right("step-that-learns")
def with_optax_and_argnums(state, x, y, rate):
    def loss_of(x, y, params):
        return optax.losses.squared_error(x @ params["w"] + params["b"], y).mean()

    loss, grads = jax.value_and_grad(loss_of, argnums=2)(x, y, state["params"])
    updates = jax.tree.map(lambda g: -rate * g, grads)
    return [{"params": optax.apply_updates(state["params"], updates), "step": state["step"] + 1}, loss]


@wrong("step-that-learns", "gradient-of-nothing")
def its_loss_reads_the_state(state, x, y, rate):
    def loss_of(params):
        prediction = x @ state["params"]["w"] + state["params"]["b"]
        return jnp.mean((prediction - y) ** 2)

    params = state["params"]
    loss, grads = jax.value_and_grad(loss_of)(params)
    params = jax.tree.map(lambda p, g: p - rate * g, params, grads)
    return {"params": params, "step": state["step"] + 1}, loss


def line_gradient(state, x, y, scale=1.0):
    """The loss and the gradient, for wrong answers that go wrong elsewhere."""

    def loss_of(params):
        return scale * jnp.mean((x @ params["w"] + params["b"] - y) ** 2)

    return jax.value_and_grad(loss_of)(state["params"])


@wrong("step-that-learns", "uphill")
def climbs(state, x, y, rate):
    loss, grads = line_gradient(state, x, y)
    params = jax.tree.map(lambda p, g: p + rate * g, state["params"], grads)
    return {"params": params, "step": state["step"] + 1}, loss


@wrong("step-that-learns", "factor-lost")
def loses_the_two(state, x, y, rate):
    off = x @ state["params"]["w"] + state["params"]["b"] - y
    grads = {"w": off @ x / len(y), "b": off.mean()}
    params = jax.tree.map(lambda p, g: p - rate * g, state["params"], grads)
    return {"params": params, "step": state["step"] + 1}, (off**2).mean()


@wrong("step-that-learns", "summed")
def sums_the_gradient(state, x, y, rate):
    loss, grads = line_gradient(state, x, y)
    params = jax.tree.map(lambda p, g: p - rate * len(y) * g, state["params"], grads)
    return {"params": params, "step": state["step"] + 1}, loss


@wrong("step-that-learns", "step-not-counted")
def forgets_to_count(state, x, y, rate):
    loss, grads = line_gradient(state, x, y)
    params = jax.tree.map(lambda p, g: p - rate * g, state["params"], grads)
    return {"params": params, "step": state["step"]}, loss


@wrong("step-that-learns", "step-not-whole")
def counts_in_floats(state, x, y, rate):
    loss, grads = line_gradient(state, x, y)
    params = jax.tree.map(lambda p, g: p - rate * g, state["params"], grads)
    return {"params": params, "step": state["step"] + 1.0}, loss


@wrong("step-that-learns", "wrong-value")
def multiplies_the_square_out(state, x, y, rate):
    def loss_of(params):
        prediction = x @ params["w"] + params["b"]
        return jnp.mean(prediction**2) - 2 * jnp.mean(prediction * y) + jnp.mean(y**2)

    loss, grads = jax.value_and_grad(loss_of)(state["params"])
    params = jax.tree.map(lambda p, g: p - rate * g, state["params"], grads)
    return {"params": params, "step": state["step"] + 1}, loss


@wrong("step-that-learns", "loss-after")
def looks_afterwards(state, x, y, rate):
    _, grads = line_gradient(state, x, y)
    params = jax.tree.map(lambda p, g: p - rate * g, state["params"], grads)
    new = {"params": params, "step": state["step"] + 1}
    return new, line_gradient(new, x, y)[0]


@wrong("step-that-learns", "swapped")
def says_the_loss_first(state, x, y, rate):
    loss, grads = line_gradient(state, x, y)
    params = jax.tree.map(lambda p, g: p - rate * g, state["params"], grads)
    return loss, {"params": params, "step": state["step"] + 1}


@wrong("step-that-learns", "changed-input")
def writes_into_the_state(state, x, y, rate):
    loss, grads = line_gradient(state, x, y)
    state["params"] = jax.tree.map(lambda p, g: p - rate * g, state["params"], grads)
    state["step"] += 1
    return state, loss


@wrong("step-that-learns", "changed-input")
@functools.partial(jax.jit, donate_argnums=0)
def gives_the_state_away(state, x, y, rate):
    loss, grads = line_gradient(state, x, y)
    params = jax.tree.map(lambda p, g: p - rate * g, state["params"], grads)
    return {"params": params, "step": state["step"] + 1}, loss


@wrong("step-that-learns", "wrong-value")
def decays_as_well(state, x, y, rate):
    loss, grads = line_gradient(state, x, y)
    params = jax.tree.map(lambda p, g: 0.9 * p - rate * g, state["params"], grads)
    return {"params": params, "step": state["step"] + 1}, loss


@wrong("step-that-learns", "all-with-all")
def predicts_a_column(state, x, y, rate):
    def loss_of(params):
        return jnp.mean((x @ params["w"][:, None] + params["b"] - y) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(state["params"])
    params = jax.tree.map(lambda p, g: p - rate * g, state["params"], grads)
    return {"params": params, "step": state["step"] + 1}, loss


@wrong("step-that-learns", "one-is-left-behind")
def moves_only_the_slope(state, x, y, rate):
    loss, grads = line_gradient(state, x, y)
    params = {"w": state["params"]["w"] - rate * grads["w"], "b": state["params"]["b"]}
    return {"params": params, "step": state["step"] + 1}, loss


@wrong("step-that-learns", "not-traceable")
def makes_a_whole_number(state, x, y, rate):
    loss, grads = line_gradient(state, x, y)
    params = jax.tree.map(lambda p, g: p - rate * g, state["params"], grads)
    return {"params": params, "step": int(state["step"]) + 1}, loss


@wrong("step-that-learns", "returned-what-came-in")
def throws_the_new_state_away(state, x, y, rate):
    new, loss = by_the_formula.answer(state, x, y, rate)
    dict(state, **new)
    return state, loss


@wrong("step-that-learns", "returned-what-came-in")
def makes_updates_that_nobody_applies(state, x, y, rate):
    loss, grads = line_gradient(state, x, y)
    optax.apply_updates(state["params"], jax.tree.map(lambda g: -rate * g, grads))
    return dict(state), loss


@wrong("step-that-learns", "returned-what-came-in")
def looks_afterwards_at_a_state_that_it_drops(state, x, y, rate):
    new, _ = by_the_formula.answer(state, x, y, rate)
    return state, line_gradient(new, x, y)[0]


@wrong("step-that-learns", "gradient-of-nothing")
def returns_the_parameters_that_came_in(state, x, y, rate):
    new, loss = by_the_formula.answer(state, x, y, rate)
    return {"params": state["params"], "step": new["step"]}, loss


equivalents = [
    equivalent("step-that-learns", "`prediction - y`  ->  `y - prediction`", "the square is the same"),
]
