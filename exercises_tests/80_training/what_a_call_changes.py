"""what-a-call-changes."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

from jaxcourse.prediction import Mistake, prediction

from ._lesson import Small


def changed_by(act, kind):
    """Whether a call changes anything in the variables of a kind."""
    net = Small(3, nnx.Rngs(0))
    before = [np.array(leaf) for leaf in jax.tree.leaves(nnx.state(net, kind))]
    act(net, jnp.asarray(np.random.default_rng(0).normal(size=(8, 3)), jnp.float32))
    after = [np.array(leaf) for leaf in jax.tree.leaves(nnx.state(net, kind))]
    return any((a != b).any() for a, b in zip(before, after, strict=True))


def what_changes():
    """The nine answers, asked of nnx."""

    def forward(net, x):
        return net(x)

    def in_mode(training, call=forward):
        return lambda net, x: ((net.train if training else net.eval)(), call(net, x))

    def update(net, x):
        optimizer = nnx.Optimizer(net, optax.sgd(0.1), wrt=nnx.Param)
        optimizer.update(net, jax.tree.map(jnp.ones_like, nnx.state(net, nnx.Param)))

    return {
        "net.train(); net(x): Param": changed_by(in_mode(True), nnx.Param),
        "net.train(); net(x): BatchStat": changed_by(in_mode(True), nnx.BatchStat),
        "net.train(); net(x): RngCount": changed_by(in_mode(True), nnx.RngCount),
        "net.eval(); net(x): BatchStat": changed_by(in_mode(False), nnx.BatchStat),
        "net.eval(); net(x): RngCount": changed_by(in_mode(False), nnx.RngCount),
        "net.train(); nnx.jit(forward)(net, x): BatchStat": changed_by(in_mode(True, nnx.jit(forward)), nnx.BatchStat),
        "net.train(); jax.jit(forward)(net, x): BatchStat": changed_by(in_mode(True, jax.jit(forward)), nnx.BatchStat),
        "optimizer.update(net, grads): Param": changed_by(update, nnx.Param),
        "optimizer.update(net, grads): BatchStat": changed_by(update, nnx.BatchStat),
    }


what_a_call_changes = prediction(
    "what-a-call-changes",
    see="net-state",
    hint=[
        "Which layers have a memory, in which mode do they write, and who writes the parameters?",
        "`jax.jit` gives back what the function returns, and nothing else.",
    ],
    truth=what_changes,
    mistakes=[
        Mistake(
            "forward-trains",
            {"net.train(); net(x): Param": True},
            "A forward pass computes with the parameters. Only the optimiser writes them, and it needs gradients.",
        ),
        Mistake(
            "jax-jit-writes-back",
            {"net.train(); jax.jit(forward)(net, x): BatchStat": True},
            "For `jax.jit` the module is a pytree. The function gets a copy, and what it does not return is lost.",
        ),
        Mistake(
            "update-moves-averages",
            {"net.train(); net(x): BatchStat": False, "optimizer.update(net, grads): BatchStat": True},
            "The averages move in the call, in training mode, because they take in the batch that they see. "
            "`optimizer.update` writes the parameters alone.",
        ),
        Mistake(
            "training-only-reads",
            [{"net.train(); net(x): BatchStat": False}, {"net.train(); net(x): RngCount": False}],
            "In training mode a forward pass writes: the averages take in the batch, and dropout draws with a new key.",
        ),
        Mistake(
            "nnx-jit-loses",
            {"net.train(); nnx.jit(forward)(net, x): BatchStat": False},
            "`nnx.jit` writes the changed arrays back into the object. That is what it is for.",
        ),
        Mistake(
            "evaluation-writes",
            [{"net.eval(); net(x): BatchStat": True}, {"net.eval(); net(x): RngCount": True}],
            "In evaluation the averages are read and nothing is dropped, so nothing is written.",
        ),
        Mistake(
            "update-reads-only",
            {"optimizer.update(net, grads): Param": False},
            "The optimiser writes the new parameters into the module, in place.",
        ),
        Mistake(
            "averages-have-gradients",
            {"optimizer.update(net, grads): BatchStat": True},
            "The averages are not of the kind `Param`: they have no gradient, and `wrt=nnx.Param` leaves them alone.",
        ),
    ],
    otherwise="Of each call, ask who writes.",
)
