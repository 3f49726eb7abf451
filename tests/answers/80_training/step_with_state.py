"""Answers to step-with-state."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx

from jaxcourse.exercise import equivalent, right, wrong

from .._lesson import mean_of_each
from ..step_with_state import summed_loss, table_loss
from ..what_a_resume_needs import small_step


@jax.jit
def pure_step(net, optimizer, x, y):
    """A step that returns what it has changed."""

    def mean_loss(net):
        return mean_of_each(net(x), y)

    loss, grads = nnx.value_and_grad(mean_loss)(net)
    optimizer.update(net, grads)
    return (loss, optax.global_norm(grads)), nnx.state(net), nnx.state(optimizer)


@right("step-with-state")
def writes_back_by_hand(net, optimizer, x, y):
    net.train()
    both, of_net, of_optimizer = pure_step(net, optimizer, x, y)
    nnx.update(net, of_net)
    nnx.update(optimizer, of_optimizer)
    return both


@right("step-with-state")
@nnx.jit
def sets_the_mode_inside(net, optimizer, x, y):
    net.train()

    def mean_loss(net, y):
        return optax.sigmoid_binary_cross_entropy(net(x), y[:, None]).mean()

    loss, grads = nnx.value_and_grad(mean_loss)(net, y)
    optimizer.update(net, grads)
    return loss, jnp.sqrt(sum(jnp.vdot(leaf, leaf) for leaf in jax.tree.leaves(grads)))


@wrong("step-with-state", "update-lost")
def loses_the_copy(net, optimizer, x, y):
    net.train()
    return lost_step(net, optimizer, x, y)


@jax.jit
def lost_step(net, optimizer, x, y):
    """A step under `jax.jit` that returns the loss alone."""
    loss, grads = nnx.value_and_grad(lambda net: mean_of_each(net(x), y))(net)
    optimizer.update(net, grads)
    return loss, optax.global_norm(grads)


@nnx.jit
def gradient_only(net, x, y):
    """The loss and its gradient, compiled."""
    return nnx.value_and_grad(lambda net: mean_of_each(net(x), y))(net)


@wrong("step-with-state", "not-updated")
def updates_a_clone(net, optimizer, x, y):
    net.train()
    loss, grads = gradient_only(net, x, y)
    optimizer.update(nnx.clone(net), grads)
    return loss, optax.global_norm(grads)


@wrong("step-with-state", "evaluation-mode")
def leaves_the_mode_as_it_is(net, optimizer, x, y):
    return small_step(net, optimizer, x, y)


@wrong("step-with-state", "evaluation-mode")
@nnx.jit
def copies_the_cell_above(net, optimizer, x, y):
    loss, grads = nnx.value_and_grad(lambda net: table_loss(net(x), y))(net)
    optimizer.update(net, grads)
    return loss, optax.global_norm(grads)


@jax.jit
def pure_gradient(net, x, y):
    """The loss and its gradient; what the forward pass writes is lost."""
    return nnx.value_and_grad(lambda net: mean_of_each(net(x), y))(net)


@nnx.jit
def updated(net, optimizer, grads):
    """The update, compiled."""
    optimizer.update(net, grads)


@wrong("step-with-state", "averages-lost")
def loses_what_the_pass_wrote(net, optimizer, x, y):
    net.train()
    loss, grads = pure_gradient(net, x, y)
    updated(net, optimizer, grads)
    return loss, optax.global_norm(grads)


@wrong("step-with-state", "same-mask")
@nnx.jit
def puts_the_count_back(net, optimizer, x, y):
    net.train()
    kept = jax.tree.map(jnp.array, nnx.state(net, nnx.RngCount))
    both = small_step.__wrapped__(net, optimizer, x, y)
    nnx.update(net, kept)
    return both


@wrong("step-with-state", "column-and-vector")
@nnx.jit
def compares_all_with_all(net, optimizer, x, y):
    net.train()
    loss, grads = nnx.value_and_grad(lambda net: table_loss(net(x), y))(net)
    optimizer.update(net, grads)
    return loss, optax.global_norm(grads)


@wrong("step-with-state", "summed")
@nnx.jit
def sums_the_losses(net, optimizer, x, y):
    net.train()
    loss, grads = nnx.value_and_grad(lambda net: summed_loss(net(x), y))(net)
    optimizer.update(net, grads)
    return loss, optax.global_norm(grads)


@wrong("step-with-state", "several-passes")
@nnx.jit
def passes_twice(net, optimizer, x, y):
    net.train()
    loss = mean_of_each(net(x), y)
    grads = nnx.grad(lambda net: mean_of_each(net(x), y))(net)
    optimizer.update(net, grads)
    return loss, optax.global_norm(grads)


@wrong("step-with-state", "by-hand")
@nnx.jit
def descends_by_hand(net, optimizer, x, y):
    net.train()
    loss, grads = nnx.value_and_grad(lambda net: mean_of_each(net(x), y))(net)
    nnx.update(net, jax.tree.map(lambda p, g: p - 0.3 * g, nnx.state(net, nnx.Param), grads))
    return loss, optax.global_norm(grads)


@wrong("step-with-state", "wrong-value")
@nnx.jit
def takes_probabilities_for_logits(net, optimizer, x, y):
    net.train()
    loss, grads = nnx.value_and_grad(lambda net: mean_of_each(jax.nn.sigmoid(net(x)), y))(net)
    optimizer.update(net, grads)
    return loss, optax.global_norm(grads)


@wrong("step-with-state", "other-state")
@nnx.jit
def goes_uphill_with_optax(net, optimizer, x, y):
    net.train()
    loss, grads = nnx.value_and_grad(lambda net: mean_of_each(net(x), y))(net)
    optimizer.update(net, jax.tree.map(jnp.negative, grads))
    return loss, optax.global_norm(grads)


@wrong("step-with-state", "AttributeError")
def trusts_the_names_of_layers(net, optimizer, x, y):
    net.norm.use_running_average = net.drop.deterministic = False
    return small_step(net, optimizer, x, y)


@wrong("step-with-state", "cut-off")
@nnx.jit
def clips_the_probabilities(net, optimizer, x, y):
    net.train()

    def mean_loss(net):
        share = jnp.clip(jax.nn.sigmoid(net(x)[:, 0]), 1e-7, 1 - 1e-7)
        return -jnp.mean(y * jnp.log(share) + (1 - y) * jnp.log(1 - share))

    loss, grads = nnx.value_and_grad(mean_loss)(net)
    optimizer.update(net, grads)
    return loss, optax.global_norm(grads)


@wrong("step-with-state", "not-compiled")
def runs_op_by_op(net, optimizer, x, y):
    net.train()
    return small_step.__wrapped__(net, optimizer, x, y)


@wrong("step-with-state", "compiled-at-each-step")
def compiles_at_each_step(net, optimizer, x, y):
    net.train()
    return nnx.jit(lambda net, optimizer, x, y: small_step.__wrapped__(net, optimizer, x, y))(net, optimizer, x, y)


@wrong("step-with-state", "compiled-at-each-step")
def compiles_anew_around_a_compiled_step(net, optimizer, x, y):
    net.train()
    return nnx.jit(lambda net, optimizer, x, y: small_step(net, optimizer, x, y))(net, optimizer, x, y)


@wrong("step-with-state", "update-not-compiled")
def compiles_the_gradient_only(net, optimizer, x, y):
    net.train()
    loss, grads = gradient_only(net, x, y)
    optimizer.update(net, grads)
    return loss, optax.global_norm(grads)


@wrong("step-with-state", "no-pair")
def returns_nothing(net, optimizer, x, y):
    net.train()
    small_step(net, optimizer, x, y)


@wrong("step-with-state", "no-pair")
def returns_the_loss_alone(net, optimizer, x, y):
    net.train()
    return small_step(net, optimizer, x, y)[0]


@wrong("step-with-state", "no-pair")
@nnx.jit
def returns_the_gradient_itself(net, optimizer, x, y):
    net.train()
    loss, grads = nnx.value_and_grad(lambda net: mean_of_each(net(x), y))(net)
    optimizer.update(net, grads)
    return loss, jax.tree.map(jnp.linalg.norm, nnx.to_pure_dict(grads))


@wrong("step-with-state", "no-root")
@nnx.jit
def forgets_the_root(net, optimizer, x, y):
    net.train()
    loss, length = small_step.__wrapped__(net, optimizer, x, y)
    return loss, length**2


@wrong("step-with-state", "lengths-added")
@nnx.jit
def adds_the_lengths_of_the_arrays(net, optimizer, x, y):
    net.train()
    loss, grads = nnx.value_and_grad(lambda net: mean_of_each(net(x), y))(net)
    optimizer.update(net, grads)
    return loss, sum(jnp.linalg.norm(leaf) for leaf in jax.tree.leaves(grads))


@wrong("step-with-state", "wrong-length")
@nnx.jit
def measures_the_update(net, optimizer, x, y):
    net.train()
    before = nnx.to_pure_dict(nnx.state(net, nnx.Param))
    loss, _ = small_step.__wrapped__(net, optimizer, x, y)
    moved = jax.tree.map(jnp.subtract, nnx.to_pure_dict(nnx.state(net, nnx.Param)), before)
    return loss, optax.global_norm(moved)


@wrong("step-with-state", "wrong-length")
@nnx.jit
def takes_the_largest_number(net, optimizer, x, y):
    net.train()
    loss, grads = nnx.value_and_grad(lambda net: mean_of_each(net(x), y))(net)
    optimizer.update(net, grads)
    return loss, jnp.stack([jnp.abs(leaf).max() for leaf in jax.tree.leaves(grads)]).max()


@nnx.jit
def loss_and_length(net, x, y):
    loss, grads = nnx.value_and_grad(lambda net: optax.sigmoid_binary_cross_entropy(net(x)[:, 0], y).mean())(net)
    return loss, optax.tree.norm(grads)


@wrong("step-with-state", "update-lost")
def looks_in_evaluation_and_writes_nothing(net, optimizer, x, y):
    return loss_and_length(net, x, y)


@wrong("step-with-state", "averages-lost")
@nnx.jit
def the_other_label_in_the_mode_that_comes(net, optimizer, x, y):
    def mean_loss(net):
        return optax.sigmoid_binary_cross_entropy(net(x)[:, 0], 1 - y).mean()

    loss, grads = nnx.value_and_grad(mean_loss)(net)
    optimizer.update(net, grads)
    return loss, optax.tree.norm(grads)


equivalents = [
    equivalent(
        "step-with-state",
        "`0`  ->  `-1`",
        "the one column is the first and the last, and JAX takes a position beyond the end for the last",
    ),
    equivalent(
        "step-with-state",
        "`0`  ->  `1`",
        "the one column is the first and the last, and JAX takes a position beyond the end for the last",
    ),
]
