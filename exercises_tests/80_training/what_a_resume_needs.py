"""what-a-resume-needs."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

from jaxcourse.prediction import Mistake, prediction

from ._lesson import Small, mean_of_each


@nnx.jit
def small_step(net, optimizer, x, y):
    """One step, in whatever mode the net is: its loss and the length of its gradient."""

    def mean_loss(net):
        return mean_of_each(net(x), y)

    loss, grads = nnx.value_and_grad(mean_loss)(net)
    optimizer.update(net, grads)
    return loss, optax.tree.norm(grads)


@functools.cache
def _resumed_apart():
    """For each part of the state: whether its loss changes the parameters at the end."""
    rng = np.random.default_rng(0)
    x = jnp.asarray(rng.normal(size=(24, 3)), jnp.float32)
    y = jnp.asarray(rng.integers(0, 2, 24), jnp.float32)

    def fresh(seed):
        net = Small(3, nnx.Rngs(seed))
        rule = optax.adam(optax.warmup_cosine_decay_schedule(0.0, 0.1, 2, 18))
        return net, nnx.Optimizer(net, rule, wrt=nnx.Param)

    def train(net, optimizer, epochs):
        net.train()
        for epoch in epochs:
            for rows in np.random.default_rng([0, epoch]).permutation(24).reshape(3, 8):
                small_step(net, optimizer, x[rows], y[rows])

    def leaves(net):
        return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(nnx.state(net, nnx.Param))]

    straight = fresh(0)
    train(*straight, range(6))

    def differs(lose, epochs=range(2, 6)):
        net, optimizer = fresh(0)
        train(net, optimizer, range(2))
        lose(net, optimizer, *fresh(0))
        train(net, optimizer, epochs)
        return leaves(net) != leaves(straight[0])

    def lose_optimizer(names):
        def lose(net, optimizer, _, new):
            old, start = nnx.to_flat_state(nnx.state(optimizer)), nnx.to_flat_state(nnx.state(new))
            for (path, variable), (_, blank) in zip(old, start, strict=True):
                if names & set(map(str, path)):
                    variable[...] = blank[...]

        return lose

    def lose_in_net(kind):
        return lambda net, optimizer, blank, _: nnx.update(net, nnx.state(blank, kind))

    return {
        "the parameters": differs(lose_in_net(nnx.Param)),
        "the moments of adam": differs(lose_optimizer({"mu", "nu"})),
        "the count of updates, which the schedule reads": differs(lose_optimizer({"count"})),
        "the running averages of BatchNorm": differs(lose_in_net(nnx.BatchStat)),
        "the count of the dropout keys": differs(lose_in_net(nnx.RngCount)),
        "the number of the epoch, which shuffles": differs(lambda *_: None, range(4)),
        "the loss curve so far": differs(lambda *_: None),
    }


def what_a_resume_loses():
    """The seven answers, by stopping and resuming a small training."""
    return _resumed_apart()


what_a_resume_needs = prediction(
    "what-a-resume-needs",
    see="net-checkpoint",
    hint=[
        "What does a step of training *read*? What is only written by it?",
        "In training mode BatchNorm scales by the batch's own statistics.",
    ],
    truth=what_a_resume_loses,
    mistakes=[
        Mistake(
            "parameters-come-back",
            {"the parameters": False},
            "Without its parameters the network starts again, with 20 epochs left.",
        ),
        Mistake(
            "averages-read-in-training",
            {"the running averages of BatchNorm": True},
            "Training writes the averages and does not read them: it scales by the batch's own. What suffers is the "
            "evaluation.",
        ),
        Mistake(
            "curve-matters",
            {"the loss curve so far": True},
            "No step reads the curve.",
        ),
        Mistake(
            "moments-forgotten",
            {"the moments of adam": False},
            "Adam divides by what it has seen: with moments of 0 its first steps are different.",
        ),
        Mistake(
            "schedule-starts-again",
            {"the count of updates, which the schedule reads": False},
            "With a count of 0 the schedule warms up once more.",
        ),
        Mistake(
            "same-keys-again",
            {"the count of the dropout keys": False},
            "The count decides which key comes next: from 0, the masks of the first epochs come again.",
        ),
        Mistake(
            "same-epochs-again",
            {"the number of the epoch, which shuffles": False},
            "From epoch 0 on, the data come in orders that the network has already seen.",
        ),
    ],
    otherwise="Ask what each step reads.",
)
