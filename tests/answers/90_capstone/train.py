"""Answers to train."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax import lax

from jaxcourse.barometers import _course, begin, initial, predict
from jaxcourse.exercise import equivalent, right, wrong

H = 24
STEPS, BATCH = 250, 512


def one_loss(params, window, heard, reading, there):
    """The loss of one example that was heard."""
    mean, log_spread = predict(params, window, heard)
    return 0.5 * ((reading - mean) / jnp.exp(log_spread)) ** 2 + log_spread


def known_of(heard, last=None):
    """Minute and station of the readings that a network may be trained on."""
    minute, station = np.nonzero(heard[H : last or 2 * len(heard) // 3])
    return (minute + H).astype(np.int32), station.astype(np.int32)


def gathered(filled, heard, minute, station):
    """The windows of a batch, and what follows them."""
    back, column = minute[:, None] + jnp.arange(-H, 0), station[:, None]
    return filled[back, column], heard[back, column], filled[minute, station], heard[minute, station]


def with_its_own_reading(filled, heard, minute, station):
    """The same, with windows that end one minute too late."""
    _, _, reading, there = gathered(filled, heard, minute, station)
    window, known, _, _ = gathered(filled, heard, minute + 1, station)
    return window, known, reading, there


def error_alone(params, window, heard, reading, there):
    """A loss in which a wider spread costs nothing."""
    mean, log_spread = predict(params, window, heard)
    return 0.5 * ((reading - mean) / jnp.exp(log_spread)) ** 2


def error_in_hpa(params, window, heard, reading, there):
    """A loss that knows nothing of the spread."""
    mean, _ = predict(params, window, heard)
    return 50 * (reading - mean) ** 2


def clipped_mean(loss, params, examples, limit):
    """The mean of the clipped gradients."""
    slopes = jax.vmap(jax.grad(loss), (None, 0, 0, 0, 0))(params, *examples)
    factor = limit / jnp.maximum(limit, jax.vmap(optax.tree.norm)(slopes))
    return jax.tree.map(lambda leaf: jnp.tensordot(factor, leaf, 1) / len(factor), slopes)


def without_long_ones(loss, params, examples, limit):
    """The mean without the examples whose gradient is longer than a threshold."""
    slopes = jax.vmap(jax.grad(loss), (None, 0, 0, 0, 0))(params, *examples)
    kept = (jax.vmap(optax.tree.norm)(slopes) < limit).astype(jnp.float32)
    return jax.tree.map(lambda leaf: jnp.tensordot(kept, leaf, 1) / len(kept), slopes)


def falling(steps):
    """A rate that ends at 0."""
    return optax.cosine_decay_schedule(5e-3, steps)


def scanned(
    filled,
    heard,
    *,
    limit=100.0,
    steps=STEPS,
    rate=falling,
    last=None,
    few=None,
    loss=one_loss,
    of=gathered,
    mean=clipped_mean,
):
    """A training as one program; with a mistake, if asked for."""
    minute, station = known_of(heard, last)
    rows = np.random.default_rng(5).integers(0, few or len(minute), (steps, BATCH))
    rule = optax.adamw(rate(steps))

    @jax.jit
    def run(filled, heard, minute, station):
        def step(carry, batch):
            params, state = carry
            slopes = mean(loss, params, of(filled, heard, *batch), limit)
            updates, state = rule.update(slopes, state, params)
            return (optax.apply_updates(params, updates), state), None

        params = initial(3)
        return lax.scan(step, (params, rule.init(params)), (minute, station))[0][0]

    return run(filled, heard, minute[rows], station[rows])


@right("train")
def in_a_python_loop(filled, heard):
    minute, station = known_of(heard)
    order, rng = np.empty(0, int), np.random.default_rng(1)
    rule = optax.adam(optax.warmup_cosine_decay_schedule(0, 5e-3, 20, STEPS))

    @jax.jit
    def step(params, state, *examples):
        slopes = clipped_mean(one_loss, params, examples, 60.0)
        updates, state = rule.update(slopes, state)
        return optax.apply_updates(params, updates), state

    params = initial(1)
    state = rule.init(params)
    for _ in range(STEPS):
        if len(order) < BATCH:
            order = rng.permutation(len(minute))
        rows, order = np.split(order, [BATCH])
        back, column = minute[rows, None] + np.arange(-H, 0), station[rows, None]
        examples = filled[back, column], heard[back, column], filled[minute[rows], station[rows]], np.ones(BATCH)
        params, state = step(params, state, *(part.astype(np.float32) for part in examples))
    return {name: np.asarray(leaf) for name, leaf in params.items()}


class Quiet(nnx.Module):
    """The network as a module."""

    def __init__(self, seed):
        for name, leaf in initial(seed).items():
            setattr(self, name, nnx.Param(leaf))

    def params(self):
        """Its arrays by name."""
        return {name: getattr(self, name)[...] for name in jax.eval_shape(initial)}


@right("train")
def with_nnx(filled, heard):
    model = Quiet(2)
    optimizer = nnx.Optimizer(model, optax.adamw(optax.cosine_decay_schedule(5e-3, STEPS)), wrt=nnx.Param)
    minute, station = known_of(heard)
    rng = np.random.default_rng(2)

    def one(model, *example):
        return one_loss(model.params(), *example)

    @nnx.jit
    def step(model, optimizer, filled, heard, minute, station):
        graph, params = nnx.split(model)
        loss = lambda params, *example: one(nnx.merge(graph, params), *example)  # noqa: E731
        optimizer.update(model, clipped_mean(loss, params, gathered(filled, heard, minute, station), 100.0))

    record = jnp.asarray(filled), jnp.asarray(heard)
    for _ in range(STEPS):
        rows = rng.choice(len(minute), BATCH, replace=False)
        step(model, optimizer, *record, minute[rows], station[rows])
    return model.params()


@wrong("train", "not-clipped")
def lets_slams_pull(filled, heard):
    return scanned(filled, heard, limit=1e9)


@wrong("train", "not-clipped")
def clips_the_mean(filled, heard):
    minute, station = known_of(heard)
    rows = np.random.default_rng(5).integers(0, len(minute), (STEPS, BATCH))
    rule = optax.chain(optax.clip_by_global_norm(100.0), optax.adamw(optax.cosine_decay_schedule(5e-3, STEPS)))

    @jax.jit
    def run(filled, heard, batches):
        def step(carry, batch):
            params, state = carry
            slopes = clipped_mean(one_loss, params, gathered(filled, heard, *batch), 1e9)
            updates, state = rule.update(slopes, state, params)
            return (optax.apply_updates(params, updates), state), None

        return lax.scan(step, (initial(), rule.init(initial())), batches)[0][0]

    return run(filled, heard, (minute[rows], station[rows]))


@wrong("train", "clipped-too-hard")
def clips_everything(filled, heard):
    return scanned(filled, heard, limit=1.0, steps=150)


@wrong("train", "clipped-too-hard")
def takes_the_same_few_in_each_step(filled, heard):
    return scanned(filled, heard, few=400)


@wrong("train", "went-uphill")
def takes_very_few(filled, heard):
    return scanned(filled, heard, few=128)


@wrong("train", "looks-at-the-last-third")
def trains_on_all(filled, heard):
    return scanned(filled, heard, last=len(heard))


@wrong("train", "looks-at-the-last-third")
def knows_the_lesson_s_record(filled, heard):
    return scanned(filled, heard, last=2880)


@wrong("train", "sees-its-own-reading")
def windows_end_one_minute_late(filled, heard):
    return scanned(filled, heard, of=with_its_own_reading)


@wrong("train", "spread-not-paid")
def forgets_the_logarithm(filled, heard):
    return scanned(filled, heard, loss=error_alone)


_, filled, heard = _course.record()


@wrong("train", "other-record")
def trains_on_what_stands_outside(_filled, _heard):
    return scanned(filled, np.nan_to_num(heard, nan=1.0), steps=2, last=2880)


@wrong("train", "other-record")
def returns_what_is_there(_filled, _heard):
    return begin("train")


@wrong("train", "spread-not-learned")
def forgets_the_spread(filled, heard):
    return scanned(filled, heard, loss=error_in_hpa)


@wrong("train", "learned-too-little")
def learns_from_copies(filled, heard):
    return scanned(filled, np.ones_like(heard))


@wrong("train", "went-uphill")
def leaves_out_what_is_long(filled, heard):
    return scanned(filled, heard, mean=without_long_ones, limit=20.0)


@wrong("train", "clipped-too-hard")
def makes_all_equally_long(filled, heard):
    def equal(loss, params, examples, limit):
        slopes = jax.vmap(jax.grad(loss), (None, 0, 0, 0, 0))(params, *examples)
        by = limit / (jax.vmap(optax.tree.norm)(slopes) + 1e-6)
        return jax.tree.map(lambda leaf: jnp.tensordot(by, leaf, 1) / len(by), slopes)

    return scanned(filled, heard, mean=equal)


@wrong("train", "learned-too-little")
def a_constant_rate_for_some_steps(filled, heard):
    return scanned(filled, heard, rate=lambda steps: 5e-3, steps=20)


@wrong("train", "learned-too-little")
def falls_to_zero_in_sixty_steps(filled, heard):
    return scanned(filled, heard, steps=60)


@wrong("train", "went-uphill")
def climbs(filled, heard):
    return scanned(filled, heard, rate=lambda steps: -5e-3, steps=60)


@wrong("train", "learned-nothing")
def returns_what_it_began_with(filled, heard):
    scanned(filled, heard, steps=2)
    return initial()


@wrong("train", "learned-nothing")
def hardly_moves(filled, heard):
    return scanned(filled, heard, rate=lambda steps: 2e-5, steps=40)


@wrong("train", "learned-too-little")
def stops_early(filled, heard):
    return scanned(filled, heard, steps=5)


@wrong("train", "not-finite")
def takes_giant_steps(filled, heard):
    return jax.tree.map(lambda leaf: leaf / 0, scanned(filled, heard, steps=2))


@wrong("train", "not-parameters")
def returns_a_pair(filled, heard):
    return scanned(filled, heard, steps=2), 0.0


@wrong("train", "not-parameters")
def flattens(filled, heard):
    return {name: leaf.ravel() for name, leaf in scanned(filled, heard, steps=2).items()}


@wrong("train", "compiles-each-step")
def makes_a_step_in_each_step(filled, heard):
    params, record = initial(), (jnp.asarray(filled), jnp.asarray(heard))
    minute, station = known_of(heard)
    for i in range(15):
        rate = 0.1 / (i + 1)

        def step(params, *batch):
            slopes = clipped_mean(one_loss, params, gathered(*record, *batch), 100.0)
            return jax.tree.map(lambda leaf, slope: leaf - rate * slope, params, slopes)  # noqa: B023

        params = jax.jit(step)(params, minute[64 * i :][:64], station[64 * i :][:64])
    return params


equivalents = [
    equivalent("train", "remembered by shape", "a verdict asks for one training, of a season that nobody has seen"),
    equivalent(
        "train",
        "`rows_in(step, count, 512, 0, 1, 0)`  ->  `rows_in(step, count, 512, 0, 1)`",
        "the course's function has this seed by default",
    ),
    equivalent(
        "train",
        "`np.stack([rows_in(step, count, 512, 0, 1, 0) for step in range(250)])`  ->  "
        "`[rows_in(step, count, 512, 0, 1, 0) for step in range(250)]`",
        "an index may be a list of arrays",
    ),
    equivalent("train", "`0.005`  ->  `0.00505`", "another rate"),
    equivalent("train", "`3`  ->  `4`", "half of the record is enough to know what is asked"),
    equivalent("train", "`optax.apply_updates(params, updates)`  ->  `optax.apply_updates(updates, params)`", "a sum"),
    equivalent(
        "train",
        "`place(tuple((index[rows] for index in known)), None, 'd')`  ->  "
        "`place(tuple((index[rows] for index in known)), None)`",
        "on how many devices is up to the answer",
    ),
]
