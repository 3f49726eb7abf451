"""step-with-state."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

from jaxcourse import insides, probe
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import is_close

from ._lesson import Small, mean_of_each


def trained_by(student_function, runs):
    """For each run, what its steps return and leave behind, and how often Python ran the network and the rule."""
    ran = {"net": 0, "tracers": 0, "rule": 0}

    class Net(nnx.Module):  # with other names than the lesson's net: none is promised
        def __init__(self, columns, rngs):
            self.scaled = nnx.BatchNorm(columns, momentum=0.8, rngs=rngs)
            self.masked = nnx.Dropout(0.5, rngs=rngs)
            self.ends = nnx.Linear(columns, 1, rngs=rngs)

        def __call__(self, x):
            ran["net"] += 1
            ran["tracers"] += isinstance(x, jax.core.Tracer)
            return self.ends(self.masked(self.scaled(x)))

    def counted(updates, state, params=None):
        ran["rule"] += 1
        return updates, state

    def two_numbers(came):
        if not isinstance(came, (tuple, list)) or len(came) != 2:
            return {"form": type(came).__name__}
        for part in came:
            if not probe.is_really(part, jax.Array, np.ndarray, np.generic, float):
                return {"form": f"pair with an object of type {type(part).__name__}"}
        return {"form": "", "loss": np.asarray(came[0]), "length": np.asarray(came[1])}

    counting = optax.GradientTransformation(lambda params: optax.EmptyState(), counted)
    rule = optax.chain(counting, optax.add_decayed_weights(0.01), optax.sgd(0.3, momentum=0.9))
    facts = []
    for seed, training, batches in runs:
        net = Net(batches[0][0].shape[1], nnx.Rngs(seed))
        optimizer = nnx.Optimizer(net, rule, wrt=nnx.Param)
        results, counts = [], []
        for batch in batches:
            net.train() if training else net.eval()
            given = probe.on_device(batch)
            before = len(insides.compilations())
            results.append(two_numbers(student_function(net, optimizer, *given)))
            if results[-1]["form"]:
                return [results[-1]]
            counts.append({**ran, "compiled": insides.compilations()[before:]})
        state = {
            "params": [np.asarray(leaf) for leaf in jax.tree.leaves(nnx.state(net, nnx.Param))],
            "averages": np.asarray(net.scaled.mean[...]),
            "draws": int(net.masked.rngs.count[...]),
            "updates": int(optimizer.step[...]),
        }
        # From here on it is certain, and often wrong. `jnp.full` would give weak types: all is compiled again.
        net.ends.bias[...] = probe.on_device(np.full(1, 200, np.float32))
        net.scaled.scale[...] = probe.on_device(np.full(batches[0][0].shape[1], 30, np.float32))
        certain = [two_numbers(student_function(net, optimizer, *probe.on_device(batch))) for batch in batches]
        facts.append({"form": "", "results": results, "counts": counts, "certain": certain, **state})
    return facts


RULE = optax.chain(optax.add_decayed_weights(0.01), optax.sgd(0.3, momentum=0.9))
"""The rule that `trained_by` uses."""


@functools.partial(nnx.jit, static_argnames="loss")
def twin_step(net, optimizer, x, y, loss):
    """A step of the oracle: the loss, and the length of each array of the gradient."""
    value, grads = nnx.value_and_grad(lambda net: loss(net(x), y))(net)
    optimizer.update(net, grads)
    return value, jnp.stack([jnp.linalg.norm(leaf) for leaf in jax.tree.leaves(grads)])


def trained_here(batches, seed, *, loss=mean_of_each, training=True):
    """The oracle: what `trained_by` should find; or what another loss or mode leads to."""
    net = Small(batches[0][0].shape[1], nnx.Rngs(seed))
    optimizer = nnx.Optimizer(net, RULE, wrt=nnx.Param)
    net.train() if training else net.eval()
    losses, lengths = zip(*(twin_step(net, optimizer, x, y, loss) for x, y in batches), strict=True)
    found = {"losses": np.array(losses), "lengths": np.array(lengths, np.float64)}
    found |= {"params": params_of(net), "averages": np.asarray(net.norm.mean[...])}
    net.leave.bias[...] = probe.on_device(np.full(1, 200, np.float32))
    net.norm.scale[...] = probe.on_device(np.full(batches[0][0].shape[1], 30, np.float32))
    certain = [float(twin_step(net, optimizer, x, y, loss)[0]) for x, y in batches]
    return {**found, "certain": certain}


def params_of(net):
    """All parameters in one vector: those that should stay 0 are compared with the size of the others."""
    return in_one([np.asarray(leaf) for leaf in jax.tree.leaves(nnx.state(net, nnx.Param))])


def in_one(leaves):
    """Some arrays as one vector."""
    return np.concatenate([np.ravel(leaf) for leaf in leaves])


def table_loss(logits, y):
    """A column against a vector."""
    return optax.sigmoid_binary_cross_entropy(logits, y).mean()


def summed_loss(logits, y):
    """The sum, not the mean."""
    return optax.sigmoid_binary_cross_entropy(logits[:, 0], y).sum()


def _drawn_batches(rng):
    labels = [rng.permutation([0, 1, 0, 1, 0]).astype(np.float32) for _ in range(3)]
    return [(rng.normal(2, 2, size=(5, 3)).astype(np.float32), y) for y in labels]


def _judge_what_is_left(facts, batches, seed):
    untouched = np.array_equal(in_one(facts["params"]), params_of(Small(3, nnx.Rngs(seed))))
    still = (facts["averages"] == 0).all()
    refuse(untouched and still and not facts["updates"], "update-lost")
    refuse(untouched, "not-updated")
    if facts["draws"] == 0 and still:
        for loss in (mean_of_each, table_loss, summed_loss):  # the mode comes before the loss
            evaluated = trained_here(batches, seed, loss=loss, training=False)
            refuse(is_close(facts["results"][0]["loss"], evaluated["losses"][0], rtol=1e-3), "evaluation-mode")
    refuse(still, "averages-lost")
    refuse(facts["draws"] == 0, "same-mask")
    require(facts["updates"], "by-hand")


def _judge_numbers(facts, batches, seed):
    want = trained_here(batches, seed)
    if not is_close(facts["results"][0]["loss"], want["losses"][0], rtol=1e-3):
        table = trained_here(batches, seed, loss=table_loss)
        refuse(is_close(facts["results"][0]["loss"], table["losses"][0], rtol=1e-3), "column-and-vector")
        total = trained_here(batches, seed, loss=summed_loss)
        refuse(is_close(facts["results"][0]["loss"], total["losses"][0], rtol=1e-3), "summed")
    require(facts["draws"] == len(batches), "several-passes", draws=facts["draws"], batches=len(batches))
    expect(facts["results"][0]["loss"], want["losses"][0], "wrong-value", rtol=1e-3)
    params = in_one(facts["params"])
    if not is_close(params, want["params"], rtol=5e-3):
        total = trained_here(batches, seed, loss=summed_loss)
        refuse(is_close(params, total["params"], rtol=5e-3), "summed/2")
    require(is_close(params, want["params"], rtol=5e-3), "other-state")
    require(is_close(facts["averages"], want["averages"], rtol=1e-3), "other-state/2")
    for i, (got, loss) in enumerate(zip(facts["results"], want["losses"], strict=True)):
        expect(got["loss"], loss, "wrong-value/2", step=i + 1, rtol=5e-3)
    _judge_lengths([found["length"] for found in facts["results"]], want["lengths"])
    require(is_close([found["loss"] for found in facts["certain"]], want["certain"], rtol=1e-2), "cut-off")


def _judge_lengths(got, arrays):
    """What came as the length of each step's gradient, against the lengths of its arrays."""
    squares = (arrays**2).sum(axis=1)
    refuse(is_close(got, squares, rtol=5e-3), "no-root")
    refuse(is_close(got, arrays.sum(axis=1), rtol=5e-3), "lengths-added")
    for i, (length, square) in enumerate(zip(got, squares, strict=True)):
        expect(length, np.sqrt(square), "wrong-length", step=i + 1, rtol=5e-3)


def _judge_compiled(counts):
    first, last = counts[0], counts[-1]
    again = last["net"] > first["net"]
    refuse(again and not last["tracers"], "not-compiled")
    refuse(again, "compiled-at-each-step")
    refuse(last["rule"] > first["rule"], "update-not-compiled")
    refuse(last["compiled"], "compiled-at-each-step/2", programs=" and ".join(f"`{name}`" for name in last["compiled"]))


def a_step_that_keeps_its_state(answer, rng):
    """A step after which weights, statistics and keys are what they should be.

    A function, since what is left in the network after each of several steps is asked, and what came back is little
    of it.
    """
    runs = [(int(rng.integers(1000)), training, _drawn_batches(rng)) for training in (False, True)]
    found = answer.probe(trained_by, runs)
    answer.called = "step_with_state(net, optimizer, float32[5,3], float32[5])"
    refuse(found[0]["form"], "no-pair", form=found[0]["form"])
    for facts, (seed, _, batches) in zip(found, runs, strict=True):
        _judge_what_is_left(facts, batches, seed)
        _judge_compiled(facts["counts"])
        _judge_numbers(facts, batches, seed)


WORDS = """
hint: Set the mode first. Then a function under `nnx.jit` that gets net, optimiser, x and y as arguments.
hint: `loss, grads = nnx.value_and_grad(function_of_net)(net)`, then `optimizer.update(net, grads)`.
update-lost: Nothing has changed, neither the parameters nor the averages nor the optimiser's count. Does your code
    write them, and not in a copy? `jax.jit` works on a copy.
not-updated: Your parameters are those of the start. Did you leave out the update, or apply it to something other than
    `net`, such as a copy of it or the gradients?
evaluation-mode: You made the step in evaluation mode, so nothing was dropped, and the averages are those of the start.
    `net` may come in either mode, so set it.
averages-lost: Your averages of BatchNorm have not moved. Either what the forward pass wrote was lost, or the pass ran
    in evaluation mode and wrote nothing.
same-mask: Your count of the dropout key has not moved, so every step drops the same units, or none.
by-hand: Your optimiser's count is still 0, so you did not use it, or used a copy. Its rule may be any rule, such as
    Adam.
column-and-vector: Your column of logits met a vector of labels. Each logit was compared with *every* label, and the
    network learns the mean.
summed: Your loss is the sum over the batch, so its gradient is too long as well. Take the mean.
several-passes: Your net drew {draws} masks in {batches} steps. One forward pass for each step is enough.
wrong-value: Return the loss of the first step, before the update.
summed/2: Your gradient is that of the sum over the batch, so it is too long. Take the mean.
other-state: Your parameters after three steps are not those that the rule gives with this loss.
other-state/2: Your averages of BatchNorm are not those of one forward pass in each step.
wrong-value/2: Return the loss of step {step}, before its update.
cut-off: With logits of 200, your loss or your update is off. Clip neither losses nor gradients.
not-compiled: Python runs your network at every step, so nothing is compiled. Put `nnx.jit` around the step.
compiled-at-each-step [function-identity]: The network was traced again after the first step. Define the compiled
    function once, outside of the step, and let nothing but the numbers change from call to call.
compiled-at-each-step/2 [function-identity]: The third step of one shape still compiled {programs}. Do you make a
    function in the step? It is a new one for `jit`, so make it once, outside.
update-not-compiled: Your gradient is compiled, but the update runs op by op in Python at every step. Put it into the
    compiled part.
no-root: You returned the *square* of the gradient's length. Take the root of the sum.
lengths-added: You added the lengths of the single arrays. The length of all is the root of the sum of *all* squares.
wrong-length: Return the length of the gradient in step {step}, over all its numbers, before the rule makes updates of
    them.
no-pair: You returned a `{form}`. Return a pair of numbers, the loss and the length of the gradient.
"""

step_with_state = declare(
    "step-with-state",
    points=2,
    see="net-state",
    steps=[a_step_that_keeps_its_state],
    words=WORDS,
)
