"""Checks of lesson 14, Training: what is asked, what people get wrong, and what each mistake is told."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

from jaxcourse import inputs, probe
from jaxcourse.exercise import Diagnosis, close, equivalent, exercise, expect, numbers, refuse, require, right, wrong
from jaxcourse.inputs import Slip, sweep
from jaxcourse.prediction import Mistake, any_of, prediction

# -- momentum-step ----------------------------------------------------------------------------------------------


def momentum_facts(student_function, calls):
    """The results under `jit`: their dtypes and their numbers."""
    facts = []
    jitted = jax.jit(student_function)
    for params, velocity, grads, rate, decay in calls:
        leaves = jax.tree.leaves(jitted(params, velocity, grads, rate, decay))
        dtypes = sorted({str(leaf.dtype) for leaf in leaves})
        facts.append({"dtypes": dtypes, "leaves": [np.asarray(leaf) for leaf in leaves]})
    return facts


TREES = {
    "a unit": {"b": ()},
    "a layer": {"w": (3, 3), "b": (3,)},
    "layers": [{"w": (2, 3), "b": (3,)}, ((), {"scale": (3,)})],
    "odd": ([(0, 2), ()], {"deep": {"er": ((2, 3),)}}),
}
"""The structures of parameters that are asked, by the shapes of their leaves."""


def tree_of(rng, name):
    """A tree of numbers of one of the structures."""
    leaves, form = jax.tree.flatten(TREES[name], is_leaf=lambda node: isinstance(node, tuple) and _is_shape(node))
    return jax.tree.unflatten(form, [np.asarray(inputs.array(rng, shape, "float32")) for shape in leaves])


def _is_shape(node):
    return all(isinstance(length, int) for length in node)


def momentum_case(rng, name):
    """The arguments of one call."""
    trees = [tree_of(rng, name) for _ in range(3)]
    if name == "a unit":
        return *trees, 0.5, 0.25
    return *trees, float(rng.uniform(0.1, 2)), float(rng.uniform(0.2, 0.95))


def unusual_moments(rng):
    """Calls of other scales, with whole numbers for the rates, another order of keys, and a gradient that is lost."""
    cases = []
    for scales in ((1e6, 1, 1), (1e-12, 1e-12, 1e-12), (1, 1e8, 1e8)):
        *trees, rate, decay = momentum_case(rng, "a layer")
        scaled = [
            jax.tree.map(lambda leaf, s=s: leaf * np.float32(s), tree) for tree, s in zip(trees, scales, strict=True)
        ]
        cases.append((*scaled, rate, decay))
    params, velocity, grads, rate, decay = momentum_case(rng, "layers")
    turned = [dict(reversed(velocity[0].items())), velocity[1]]  # the same structure, entered in another order
    cases.append((params, turned, grads, rate, decay))
    cases.append((*(tree_of(rng, "a layer") for _ in range(3)), 1, 0))
    params, velocity, grads, rate, decay = momentum_case(rng, "a layer")
    grads["w"][0, 1] = np.nan
    return [*cases, (params, velocity, grads, rate, decay)]


def by_leaf(new_velocity, new_params):
    """A step as a function of trees, from what happens to one leaf."""

    def step(params, velocity, grads, rate, decay):
        def moved(p, v, g):
            p, v, g = (np.asarray(leaf, np.float64) for leaf in (p, v, g))
            fresh = new_velocity(v, g, rate, decay)
            return new_params(p, v, g, fresh, rate, decay), fresh

        pairs = jax.tree.map(moved, params, velocity, grads)
        form = jax.tree.structure(params)
        return tuple(jax.tree.transpose(form, jax.tree.structure((0, 0)), pairs))

    return step


def _velocity(v, g, rate, decay):
    return decay * v + g


def _down(p, v, g, fresh, rate, decay):
    return p - rate * fresh


with_momentum = by_leaf(_velocity, _down)
_averaged = by_leaf(lambda v, g, rate, decay: decay * v + (1 - decay) * g, _down)
_rated = by_leaf(lambda v, g, rate, decay: decay * v + rate * g, lambda p, v, g, fresh, rate, decay: p - fresh)
_rated_down = by_leaf(lambda v, g, rate, decay: decay * v - rate * g, lambda p, v, g, fresh, rate, decay: p + fresh)
_uphill = by_leaf(_velocity, lambda p, v, g, fresh, rate, decay: p + rate * fresh)
_stale = by_leaf(_velocity, lambda p, v, g, fresh, rate, decay: p - rate * v)
_plain = by_leaf(_velocity, lambda p, v, g, fresh, rate, decay: p - rate * g)
_memoryless = by_leaf(lambda v, g, rate, decay: g, _down)
_nesterov = by_leaf(_velocity, lambda p, v, g, fresh, rate, decay: p - rate * (g + decay * fresh))


def swapped_momentum(*case):
    """The velocity first."""
    return with_momentum(*case)[::-1]


def forgotten_velocity(params, velocity, grads, rate, decay):
    """The old velocity comes back."""
    return with_momentum(params, velocity, grads, rate, decay)[0], velocity


MOMENTUM_SLIPS = [
    Slip("uphill", _uphill, "The parameters move *with* the velocity: the loss grows. Go against it, with a minus."),
    Slip(
        "old-velocity",
        _stale,
        "The step follows the velocity that came in: this gradient acts only at the next step. Use the new one.",
    ),
    Slip(
        "plain-descent",
        _plain,
        "The step follows the gradient alone: the velocity is kept, but moves nothing.",
    ),
    Slip(
        "averaged",
        _averaged,
        "The gradient was weighted by `1 - decay`: that is a running mean, and its steps are that much shorter. Here "
        "the gradient is added whole.",
    ),
    Slip(
        "rate-in-velocity",
        _rated,
        "The rate went into the velocity: when the rate changes, the old steps keep the old rate. Keep the velocity "
        "free of it.",
    ),
    Slip(
        "rate-in-velocity",
        _rated_down,
        "The rate and the sign went into the velocity: when the rate changes, the old steps keep the old rate.",
    ),
    Slip("velocity-kept", forgotten_velocity, "The velocity that came in came back: the next step will not know it."),
    Slip("swapped", swapped_momentum, "The velocity came first: return the parameters, then the velocity."),
    Slip(
        "velocity-ignored",
        _memoryless,
        "The velocity that came in plays no part: with a new state at each step there is no momentum.",
    ),
    Slip(
        "looked-ahead",
        _nesterov,
        "The decay acts twice on the way to the parameters, as in Nesterov's variant. They move by the velocity.",
    ),
]


@exercise(
    "momentum-step",
    see="net-by-hand",
    hint=[
        "`jax.tree.map(function, tree, other)` goes through several trees at once.",
        "First the new velocity, a tree; then the new parameters, from it.",
    ],
)
def momentum_step(answer, rng):
    def ask(*case):
        got = answer(*case)
        require(isinstance(got, (tuple, list)) and len(got) == 2, "not-a-pair", "Return a pair: parameters, velocity.")
        message = (
            "Both should have the structure of `params`, with lists for lists and tuples for tuples, or the next "
            "`tree.map` refuses them."
        )
        for part in got:
            require(jax.tree.structure(part) == jax.tree.structure(case[0]), "other-structure", message)
        same = [np.shape(leaf) for leaf in jax.tree.leaves(got)] == 2 * [
            leaf.shape for leaf in jax.tree.leaves(case[0])
        ]
        require(same, "wrong-shape", "A leaf has another shape than its parameter.")
        _require_float32({str(np.asarray(leaf).dtype) for leaf in jax.tree.leaves(got)})
        return tuple(got)

    message = "Velocity: `decay * v + g`. Parameters: `p - rate * v`, with the new velocity."
    more = {"extremes": unusual_moments(rng), "slips": MOMENTUM_SLIPS, "message": message}
    try:
        sweep(ask, with_momentum, momentum_case, rng, shapes=TREES, each=2, **more)
    except Diagnosis as told:
        *trees, rate, decay = momentum_case(rng, "a layer")
        one, other = (jax.tree.leaves(ask(*trees, *pair)) for pair in ((rate, decay), (rate / 2, decay / 2)))
        message = (
            "Another rate and another decay gave the same result. A compiled function keeps the numbers that it found "
            "around it at its first call: give it both as arguments."
        )
        refuse(told.label == "wrong-value" and all(map(np.array_equal, one, other)), "rates-kept", message)
        raise
    calls = [momentum_case(rng, "odd") for _ in range(2)]
    facts, raised = answer.attempt(momentum_facts, calls, expected=probe.NEEDS_A_VALUE)
    answer.called = "jax.jit(momentum_step)(...)"
    refuse(raised, "not-traceable", "Under `jit` it asks for the value of a number that is not known yet.")
    for case, found in zip(calls, facts, strict=True):
        _require_float32(found["dtypes"])
        for got, want in zip(found["leaves"], jax.tree.leaves(with_momentum(*case)), strict=True):
            expect(got, want, "Under `jit` the numbers are others than without it.", rtol=1e-4)


def _require_float32(dtypes):
    message = f"All leaves should be `float32`; there are {' and '.join(sorted(dtypes))}."
    require(set(dtypes) == {"float32"}, "dtype-lost", message)


@right("momentum-step")
def flattens_and_puts_together(params, velocity, grads, rate, decay):
    leaves, form = jax.tree.flatten(params)
    fresh = [decay * v + g for v, g in zip(jax.tree.leaves(velocity), jax.tree.leaves(grads), strict=True)]
    moved = [p - rate * v for p, v in zip(leaves, fresh, strict=True)]
    return [jax.tree.unflatten(form, moved), jax.tree.unflatten(form, fresh)]


@right("momentum-step")
def asks_optax(params, velocity, grads, rate, decay):
    updates, state = optax.trace(decay).update(grads, optax.TraceState(velocity))
    return optax.apply_updates(params, jax.tree.map(lambda u: -rate * u, updates)), state.trace


@wrong("momentum-step", "uphill")
def goes_uphill(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v + g, velocity, grads)
    return jax.tree.map(lambda p, v: p + rate * v, params, velocity), velocity


@wrong("momentum-step", "old-velocity")
def follows_the_old_velocity(params, velocity, grads, rate, decay):
    params = jax.tree.map(lambda p, v: p - rate * v, params, velocity)
    return params, jax.tree.map(lambda v, g: decay * v + g, velocity, grads)


@wrong("momentum-step", "plain-descent")
def follows_the_gradient(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v + g, velocity, grads)
    return jax.tree.map(lambda p, g: p - rate * g, params, grads), velocity


@wrong("momentum-step", "averaged")
def takes_a_running_mean(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v + (1 - decay) * g, velocity, grads)
    return jax.tree.map(lambda p, v: p - rate * v, params, velocity), velocity


@wrong("momentum-step", "rate-in-velocity")
def puts_the_rate_into_it(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v + rate * g, velocity, grads)
    return jax.tree.map(lambda p, v: p - v, params, velocity), velocity


@wrong("momentum-step", "rate-in-velocity")
def puts_rate_and_sign_into_it(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v - rate * g, velocity, grads)
    return jax.tree.map(lambda p, v: p + v, params, velocity), velocity


@wrong("momentum-step", "velocity-kept")
def returns_the_old_velocity(params, velocity, grads, rate, decay):
    fresh = jax.tree.map(lambda v, g: decay * v + g, velocity, grads)
    return jax.tree.map(lambda p, v: p - rate * v, params, fresh), velocity


@wrong("momentum-step", "swapped")
def returns_the_velocity_first(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v + g, velocity, grads)
    return velocity, jax.tree.map(lambda p, v: p - rate * v, params, velocity)


@wrong("momentum-step", "velocity-ignored")
def starts_anew_each_time(params, velocity, grads, rate, decay):
    rule = optax.trace(decay)
    velocity = rule.update(grads, rule.init(params))[0]
    return jax.tree.map(lambda p, v: p - rate * v, params, velocity), velocity


@wrong("momentum-step", "looked-ahead")
def looks_ahead(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v + g, velocity, grads)
    ahead = jax.tree.map(lambda v, g: g + decay * v, velocity, grads)
    return jax.tree.map(lambda p, v: p - rate * v, params, ahead), velocity


@wrong("momentum-step", "wrong-value")
def decays_the_parameters(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v + g, velocity, grads)
    return jax.tree.map(lambda p, v: decay * p - rate * v, params, velocity), velocity


@wrong("momentum-step", "rates-kept")
def compiles_with_the_first_rates(params, velocity, grads, rate, decay):
    if not KEPT_STEP:
        KEPT_STEP.append(jax.jit(lambda *trees: with_jax_momentum(*trees, rate, decay)))
    return KEPT_STEP[0](params, velocity, grads)


KEPT_STEP = []


@wrong("momentum-step", "not-a-pair")
def returns_a_dictionary(params, velocity, grads, rate, decay):
    params, velocity = with_jax_momentum(params, velocity, grads, rate, decay)
    return {"params": params, "velocity": velocity}


@wrong("momentum-step", "wrong-shape")
def adds_an_axis(params, velocity, grads, rate, decay):
    new = with_jax_momentum(params, velocity, grads, rate, decay)
    return jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], new)


@wrong("momentum-step", "other-structure")
def makes_lists_of_all(params, velocity, grads, rate, decay):
    def through(p, v, g):
        if isinstance(p, dict):
            parts = {key: through(p[key], v[key], g[key]) for key in p}
            return {k: a for k, (a, _) in parts.items()}, {k: b for k, (_, b) in parts.items()}
        if isinstance(p, (list, tuple)):
            parts = [through(*leaves) for leaves in zip(p, v, g, strict=True)]
            return [a for a, _ in parts], [b for _, b in parts]
        fresh = decay * v + g
        return p - rate * fresh, fresh

    return through(params, velocity, grads)


@wrong("momentum-step", "dtype-lost")
def computes_in_half_of_the_digits(params, velocity, grads, rate, decay):
    new = with_jax_momentum(params, velocity, grads, rate, decay)
    return jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16), new) if isinstance(rate, jax.core.Tracer) else new


@wrong("momentum-step", "dtype-lost")
def computes_in_all_digits(params, velocity, grads, rate, decay):
    velocity = jax.tree.map(lambda v, g: decay * v.astype(float) + g, velocity, grads)
    return jax.tree.map(lambda p, v: p - rate * v, params, velocity), velocity


@wrong("momentum-step", "wrong-value")
def clips_as_well(params, velocity, grads, rate, decay):
    grads = jax.tree.map(lambda g: jnp.clip(g, -5, 5), grads)
    return with_jax_momentum(params, velocity, grads, rate, decay)


def with_jax_momentum(params, velocity, grads, rate, decay):
    """The step, for wrong answers that break only what is around it."""
    velocity = jax.tree.map(lambda v, g: decay * v + g, velocity, grads)
    return jax.tree.map(lambda p, v: p - rate * v, params, velocity), velocity


@wrong("momentum-step", "not-traceable")
def asks_whether_there_is_a_rate(params, velocity, grads, rate, decay):
    if rate == 0:
        return params, velocity
    return with_jax_momentum(params, velocity, grads, rate, decay)


# -- order-in-the-chain -----------------------------------------------------------------------------------------


def chained_updates():
    """The five numbers, asked of optax."""
    params = jnp.ones(100)
    exploded, none = jnp.full(100, 500.0), jnp.zeros(100)
    clip = optax.clip_by_global_norm(1.0)
    rules = {
        "sgd(0.1)": (optax.sgd(0.1), exploded),
        "chain(clip, sgd(0.1))": (optax.chain(clip, optax.sgd(0.1)), exploded),
        "chain(sgd(0.1), clip)": (optax.chain(optax.sgd(0.1), clip), exploded),
        "adamw(0.1, weight_decay=0.01)": (optax.adamw(0.1, weight_decay=0.01), none),
        "chain(adam(0.1), add_decayed_weights(0.01))": (
            optax.chain(optax.adam(0.1), optax.add_decayed_weights(0.01)),
            none,
        ),
    }
    found = {}
    for name, (rule, gradient) in rules.items():
        update = np.asarray(rule.update(gradient, rule.init(params), params)[0], np.float64)
        found[name] = round(float(np.linalg.norm(update) if "sgd" in name else update[0]), 3)
    return found


_DECAYED = "chain(adam(0.1), add_decayed_weights(0.01))"
_ADAMW = "adamw(0.1, weight_decay=0.01)"

order_in_the_chain = prediction(
    "order-in-the-chain",
    see="net-optax",
    hint=[
        "Follow the gradient from the left to the right. What has length 1 after `clip`, and what comes after it?",
        "`add_decayed_weights(d)` adds `d` times the weights to whatever goes through it.",
    ],
    truth=chained_updates,
    also={"chain(clip, sgd(0.1))": float(np.float32(0.1))},  # as optax gives it
    mistakes=[
        Mistake(
            "read-backwards",
            {"chain(clip, sgd(0.1))": 1.0, "chain(sgd(0.1), clip)": 0.1},
            "Both chains were read from the right. The gradient goes in at the left, and comes out at the right.",
        ),
        Mistake(
            "rate-forgotten",
            [{"sgd(0.1)": 5000.0}, {"chain(clip, sgd(0.1))": 1.0}],
            "`sgd(0.1)` multiplies by the rate: what leaves it is a tenth of what went in.",
        ),
        Mistake(
            "mean-for-length",
            {"sgd(0.1)": any_of(5.0, 50.0)},
            "The length is the root of the sum of all squares: 5000, as the task says, however many numbers there are.",
        ),
        Mistake(
            "negative-length",
            [{"sgd(0.1)": -500.0}, {"chain(clip, sgd(0.1))": -0.1}, {"chain(sgd(0.1), clip)": -1.0}],
            "The update points downhill, and its length has no sign.",
        ),
        Mistake(
            "not-clipped",
            [{"chain(clip, sgd(0.1))": any_of(500.0, 50.0)}, {"chain(sgd(0.1), clip)": 500.0}],
            "500 and 5000 are longer than 1, so `clip` shortens them, wherever in the chain it stands.",
        ),
        Mistake(
            "order-ignored",
            {"chain(sgd(0.1), clip)": 0.1},
            "The chain runs in order: the rate comes first, the step is 500 long, and it is clipped to 1.",
        ),
        Mistake(
            "adam-steps-anyway",
            [{_ADAMW: any_of(-0.1, -0.101, 0.1)}, {_DECAYED: any_of(-0.1, -0.09, 0.1, 0.11)}],
            "Adam scales a gradient to about the length of the rate, but where it is 0, the update is 0. What is left "
            "is the decay.",
        ),
        Mistake(
            "decay-needs-a-gradient",
            [{_ADAMW: 0.0}, {_DECAYED: 0.0}],
            "The decay acts on the weights, and those are 1, whatever the gradient is.",
        ),
        Mistake(
            "decay-without-rate",
            {_ADAMW: any_of(-0.01, 0.01)},
            "In `adamw` the decay comes before the rate: a step takes rate times decay off each weight.",
        ),
        Mistake(
            "decay-behind-shrinks",
            {_DECAYED: any_of(-0.001, -0.01)},
            "The minus sign is inside `adam`, and the decay comes after it: it is added, and the weights grow.",
        ),
        Mistake(
            "rate-behind",
            {_DECAYED: 0.001},
            "The rate is inside `adam`, and the decay comes after it: nothing multiplies it by 0.1.",
        ),
        Mistake(
            "sign-turned",
            {_ADAMW: 0.001},
            "`adamw` makes weights smaller: what is added to them is negative.",
        ),
    ],
    otherwise="Follow the gradient through the chain, from the left.",
)

# -- warm-then-cool ---------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def schedule_facts(student_function, peak, n, size, epochs, warm, asked, under_jit):
    """The rates after so many updates, of a schedule that is made between two others."""
    student_function(3 * peak, n, size, epochs, warm)
    schedule = student_function(peak, n, size, epochs, warm)
    student_function(peak, n + 2 * size, size, epochs + 1, warm)
    if not callable(schedule):
        return {"callable": False, "type": type(schedule).__name__}
    if under_jit:
        jitted = jax.jit(schedule)
        rates = [jitted(np.int32(i)) for i in asked]
    else:
        rates = [schedule(i) for i in asked]
    if any(np.ndim(rate) for rate in rates):
        return {"callable": True, "scalar": False}
    return {"callable": True, "scalar": True, "rates": np.array([float(rate) for rate in rates])}


def rates_of(steps, peak, rise, total):
    """The rates, from the number of updates of the rise and of all."""
    steps = np.asarray(steps, np.float64)
    share = np.clip((steps - rise) / (total - rise), 0, 1)
    falling = peak * (1 + np.cos(np.pi * share)) / 2
    return np.where(steps < rise, peak * steps / rise if rise else peak, falling)


def planned(rise, total):
    """A schedule for one call, from functions of the epochs, the warm epochs, `n` and `size`."""

    def rates(peak, n, size, epochs, warm):
        steps = range(epochs * (n // size) + 1)
        return rates_of(steps, peak, rise(n, size, epochs, warm), total(n, size, epochs, warm))

    return rates


def _rise(n, size, epochs, warm):
    return warm * (n // size)


def _total(n, size, epochs, warm):
    return epochs * (n // size)


cosine = planned(_rise, _total)


def straight(peak, n, size, epochs, warm):
    """The fall along a straight line."""
    rise, total = _rise(n, size, epochs, warm), _total(n, size, epochs, warm)
    return np.interp(np.arange(total + 1), [0, rise, total], [0, peak, 0])


def shaped(fall, *, late=0):
    """Another fall, a function of the count, the rise and the whole; or counts that are too large by `late`."""

    def rates(peak, n, size, epochs, warm):
        rise, total = _rise(n, size, epochs, warm), _total(n, size, epochs, warm)
        steps = np.arange(total + 1) + late
        return np.where(steps < rise, peak * steps / rise, peak * fall(np.minimum(steps, total), rise, total))

    return rates


def _half(steps, rise, total):
    return (1 + np.cos(np.pi * (steps - rise) / (total - rise))) / 2


SCHEDULE_SLIPS = [
    Slip("counts-from-one", shaped(_half, late=1), "The first rate is not 0: the count of updates begins with 0."),
    Slip(
        "fallen-already",
        shaped(lambda steps, rise, total: (1 + np.cos(np.pi * steps / total)) / 2),
        "The cosine runs over the whole training, so that it has fallen already when the warm-up ends.",
    ),
    Slip(
        "quarter-period",
        shaped(lambda steps, rise, total: np.cos(np.pi / 2 * (steps - rise) / (total - rise))),
        "That is a quarter of a period: the fall should begin and end gently.",
    ),
    Slip(
        "part-of-a-batch",
        planned(lambda n, size, epochs, warm: warm * n / size, lambda n, size, epochs, warm: epochs * n / size),
        "A part of a batch was counted as a part of an update. It is dropped: an epoch has `n // size` updates.",
    ),
    Slip(
        "epochs-for-updates",
        planned(lambda n, size, epochs, warm: warm, lambda n, size, epochs, warm: epochs),
        "The schedule counts epochs, but is called with updates: after as many *batches* as there are epochs the rate "
        "is 0, and nothing more is learnt.",
    ),
    Slip(
        "warm-up-on-top",
        planned(_rise, lambda n, size, epochs, warm: (epochs - warm) * (n // size)),
        "The rate reaches 0 a warm-up too early: `decay_steps` is the whole length, with the warm-up in it.",
    ),
    Slip(
        "too-long",
        planned(_rise, lambda n, size, epochs, warm: (epochs + warm) * (n // size)),
        "The rate is not 0 at the end: the warm-up was added to the length, but it is a part of it.",
    ),
    Slip(
        "part-of-a-batch",
        planned(
            lambda n, size, epochs, warm: warm * -(-n // size), lambda n, size, epochs, warm: epochs * -(-n // size)
        ),
        "The examples at the end of an epoch, fewer than a batch, were counted as a batch. They are dropped, so an "
        "epoch has `n // size` updates.",
    ),
    Slip(
        "examples-for-updates",
        planned(lambda n, size, epochs, warm: warm * n, lambda n, size, epochs, warm: epochs * n),
        "The schedule counts examples, but is called with updates: there is one update for a whole batch, so the rate "
        "hardly leaves the warm-up.",
    ),
    Slip(
        "warm-in-updates",
        planned(lambda n, size, epochs, warm: warm, _total),
        "The warm-up is over after as many *updates* as it should take epochs.",
    ),
    Slip(
        "one-update-short",
        planned(_rise, lambda n, size, epochs, warm: epochs * (n // size) - 1),
        "The rate is 0 one update too early: the last one does nothing.",
    ),
    Slip("straight-line", straight, "The rate falls along a straight line; it should be half a period of a cosine."),
    Slip(
        "no-warm-up",
        planned(lambda n, size, epochs, warm: 0, _total),
        "There is no warm-up: the first rate is the highest.",
    ),
]


@exercise(
    "warm-then-cool",
    see="net-schedule",
    hint=[
        "How many updates does an epoch have? How many does the warm-up have, and how many the whole training?",
        "`optax.warmup_cosine_decay_schedule(start, peak, warmup_steps, decay_steps)`: the last is the whole length.",
    ],
)
def warm_then_cool(answer, rng):
    def ask(*case, counts=None, under_jit=True):
        counts = list(range(case[3] * (case[1] // case[2]) + 1)) if counts is None else counts
        try:
            facts, raised = answer.attempt(schedule_facts, *case, counts, under_jit, expected=probe.NEEDS_A_VALUE)
        except probe.AnswerRaised as error:
            message = (
                "optax refuses it: `decay_steps` is smaller than the warm-up. It is the whole length, warm-up included."
            )
            refuse("decay_steps" in error.raised.message, "length-below-warm-up", message)
            raise
        message = (
            "The count has no value while optax's step is traced, but Python wants to branch on it or NumPy to compute "
            "with it. Use `jnp.where`, or one of optax's schedules."
        )
        refuse(raised, "branches-on-the-count", message)
        answer.called = f"warm_then_cool({', '.join(map(str, case))})"
        message = f"Return the schedule, a function of the count; an object of type `{facts.get('type')}` came back."
        require(facts["callable"], "not-a-schedule", message)
        require(facts["scalar"], "not-a-number", "For one count there should be one rate.")
        return facts["rates"]

    def draw(rng, what):
        size, whole = int(rng.integers(3, 8)), int(rng.integers(2, 5))
        left = {"nothing left": 0, "some left": int(rng.integers(1, size))}[what]
        return float(np.round(rng.uniform(0.1, 2), 2)), size * whole + left, size, int(rng.integers(5, 8)), 2

    message = "The rate should rise to `peak` over the warm epochs, and fall to 0 over the others."
    sweep(
        ask,
        cosine,
        draw,
        rng,
        shapes=["nothing left", "some left"],
        each=2,
        slips=SCHEDULE_SLIPS,
        message=message,
        rtol=1e-4,
    )
    for case in ((40.0, 10, 3, 4, 3), (1e-5, 9, 5, 3, 1), (0.5, 50_003, 10, 20, 3)):  # the last of 100,000 updates
        rates = cosine(*case)
        last = len(rates) - 1
        few = sorted({0, 1, last // 9, last // 3, last // 2, last - 1, last})
        counts = few if last > 1000 else list(range(last + 1))
        expect(ask(*case, counts=counts), rates[counts], f"For {case}: {message}", rtol=1e-4)
        got = ask(*case, counts=few, under_jit=False)
        expect(got, rates[few], "Without `jit` the rates are others than with it.", rtol=1e-4)


@right("warm-then-cool")
def joins_two_schedules(peak, n, size, epochs, warm):
    per = n // size
    up = optax.linear_schedule(0.0, peak, warm * per)
    down = optax.cosine_decay_schedule(peak, (epochs - warm) * per)
    return optax.join_schedules([up, down], [warm * per])


@right("warm-then-cool")
def writes_the_formula(peak, n, size, epochs, warm):
    rise, total = warm * (n // size), epochs * (n // size)

    def rate(count):
        share = jnp.clip((count - rise) / (total - rise), 0, 1)
        return jnp.where(count < rise, peak * count / rise, peak * jnp.cos(jnp.pi / 2 * share) ** 2)

    return rate


def schedule_of(peak, rise, total):
    """What optax makes of a rise and a whole length."""
    return optax.warmup_cosine_decay_schedule(0.0, peak, rise, total)


@wrong("warm-then-cool", "epochs-for-updates")
def counts_epochs(peak, n, size, epochs, warm):
    return schedule_of(peak, warm, epochs)


@wrong("warm-then-cool", "warm-up-on-top")
def subtracts_the_warm_up(peak, n, size, epochs, warm):
    return schedule_of(peak, warm * (n // size), max(epochs - warm, warm + 1) * (n // size))


@wrong("warm-then-cool", "length-below-warm-up")
def adds_the_parts_only_at_the_end(peak, n, size, epochs, warm):
    per = n // size
    return schedule_of(peak, warm * per, (epochs if 2 * warm < epochs else epochs - warm) * per)


@wrong("warm-then-cool", "too-long")
def adds_the_warm_up(peak, n, size, epochs, warm):
    return schedule_of(peak, warm * (n // size), (epochs + warm) * (n // size))


@wrong("warm-then-cool", "part-of-a-batch")
def rounds_up(peak, n, size, epochs, warm):
    return schedule_of(peak, warm * -(-n // size), epochs * -(-n // size))


@wrong("warm-then-cool", "examples-for-updates")
def counts_examples(peak, n, size, epochs, warm):
    return schedule_of(peak, warm * n, epochs * n)


@wrong("warm-then-cool", "warm-in-updates")
def leaves_the_warm_up_as_it_is(peak, n, size, epochs, warm):
    return schedule_of(peak, warm, epochs * (n // size))


@wrong("warm-then-cool", "one-update-short")
def counts_from_nought(peak, n, size, epochs, warm):
    return schedule_of(peak, warm * (n // size), epochs * (n // size) - 1)


@wrong("warm-then-cool", "straight-line")
def falls_along_a_line(peak, n, size, epochs, warm):
    per = n // size
    up = optax.linear_schedule(0.0, peak, warm * per)
    return optax.join_schedules([up, optax.linear_schedule(peak, 0.0, (epochs - warm) * per)], [warm * per])


@wrong("warm-then-cool", "no-warm-up")
def never_warms_up(peak, n, size, epochs, warm):
    return optax.cosine_decay_schedule(peak, epochs * (n // size))


@wrong("warm-then-cool", "counts-from-one")
def counts_from_one(peak, n, size, epochs, warm):
    schedule = schedule_of(peak, warm * (n // size), epochs * (n // size))
    return lambda count: schedule(count + 1)


@wrong("warm-then-cool", "fallen-already")
def falls_from_the_start(peak, n, size, epochs, warm):
    rise, total = warm * (n // size), epochs * (n // size)
    down = optax.cosine_decay_schedule(peak, total)
    return lambda count: jnp.where(count < rise, peak * count / rise, down(count))


@wrong("warm-then-cool", "quarter-period")
def takes_a_quarter(peak, n, size, epochs, warm):
    rise, total = warm * (n // size), epochs * (n // size)

    def rate(count):
        fall = jnp.cos(jnp.pi / 2 * (count - rise) / (total - rise))
        return peak * jnp.where(count < rise, count / rise, fall)

    return rate


@wrong("warm-then-cool", "part-of-a-batch")
def counts_parts_of_updates(peak, n, size, epochs, warm):
    return schedule_of(peak, warm * n / size, epochs * n / size)


@wrong("warm-then-cool", "wrong-value")
def starts_in_the_middle(peak, n, size, epochs, warm):
    return optax.warmup_cosine_decay_schedule(peak / 10, peak, warm * (n // size), epochs * (n // size))


@wrong("warm-then-cool", "wrong-value")
def never_falls_to_nought(peak, n, size, epochs, warm):
    updates = n // size
    return optax.warmup_cosine_decay_schedule(0.0, peak, warm * updates, epochs * updates, end_value=1e-6)


@wrong("warm-then-cool", "branches-on-the-count")
def branches_in_python(peak, n, size, epochs, warm):
    rise, total = warm * (n // size), epochs * (n // size)

    def rate(count):
        if count < rise:
            return peak * count / rise
        return peak * (1 + np.cos(np.pi * (count - rise) / (total - rise))) / 2

    return rate


@wrong("warm-then-cool", "not-a-schedule")
def returns_a_table(peak, n, size, epochs, warm):
    return cosine(peak, n, size, epochs, warm)


@wrong("warm-then-cool", "not-a-number")
def returns_an_array(peak, n, size, epochs, warm):
    schedule = schedule_of(peak, warm * (n // size), epochs * (n // size))
    return lambda count: jnp.atleast_1d(schedule(count))


# -- what-a-call-changes ----------------------------------------------------------------------------------------


class Small(nnx.Module):
    """A network with a Param, a BatchStat and a dropout key."""

    def __init__(self, columns, rngs):
        self.norm = nnx.BatchNorm(columns, momentum=0.8, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.leave = nnx.Linear(columns, 1, rngs=rngs)

    def __call__(self, x):
        return self.leave(self.drop(self.norm(x)))


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
            "For `jax.jit` the module is a pytree: the function gets a copy, and what it does not return is lost.",
        ),
        Mistake(
            "update-moves-averages",
            {"net.train(); net(x): BatchStat": False, "optimizer.update(net, grads): BatchStat": True},
            "The averages move in the call, in training mode: they take in the batch that they see. `optimizer.update` "
            "writes the parameters alone.",
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
    otherwise="Ask of each call: who writes?",
)

# -- step-with-state --------------------------------------------------------------------------------------------


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

    counting = optax.GradientTransformation(lambda params: optax.EmptyState(), counted)
    rule = optax.chain(counting, optax.add_decayed_weights(0.01), optax.sgd(0.3, momentum=0.9))
    facts = []
    for seed, training, batches in runs:
        net = Net(batches[0][0].shape[1], nnx.Rngs(seed))
        optimizer = nnx.Optimizer(net, rule, wrt=nnx.Param)
        losses, counts = [], []
        for x, y in batches:
            net.train() if training else net.eval()
            loss = student_function(net, optimizer, *probe.on_device((x, y)))
            if not isinstance(loss, (jax.Array, np.ndarray, np.generic, float)):
                return [{"loss": type(loss).__name__}]
            losses.append(np.asarray(loss))
            counts.append(dict(ran))
        state = {
            "params": [np.asarray(leaf) for leaf in jax.tree.leaves(nnx.state(net, nnx.Param))],
            "averages": np.asarray(net.scaled.mean[...]),
            "draws": int(net.masked.rngs.count[...]),
            "updates": int(optimizer.step[...]),
        }
        # From here on it is certain, and often wrong. `jnp.full` would give weak types: all is compiled again.
        net.ends.bias[...] = probe.on_device(np.full(1, 200, np.float32))
        net.scaled.scale[...] = probe.on_device(np.full(batches[0][0].shape[1], 30, np.float32))
        certain = [np.asarray(student_function(net, optimizer, *probe.on_device(batch))) for batch in batches]
        facts.append({"loss": "", "losses": losses, "counts": counts, "certain": certain, **state})
    return facts


def mean_of_each(logits, y):
    """The loss of the task."""
    return optax.sigmoid_binary_cross_entropy(logits[:, 0], y).mean()


RULE = optax.chain(optax.add_decayed_weights(0.01), optax.sgd(0.3, momentum=0.9))
"""The rule that `trained_by` uses."""


@functools.partial(nnx.jit, static_argnames="loss")
def twin_step(net, optimizer, x, y, loss):
    """A step of the oracle."""
    value, grads = nnx.value_and_grad(lambda net: loss(net(x), y))(net)
    optimizer.update(net, grads)
    return value


def trained_here(batches, seed, *, loss=mean_of_each, training=True):
    """The oracle: what `trained_by` should find; or what another loss or mode leads to."""
    net = Small(batches[0][0].shape[1], nnx.Rngs(seed))
    optimizer = nnx.Optimizer(net, RULE, wrt=nnx.Param)
    net.train() if training else net.eval()
    losses = [float(twin_step(net, optimizer, x, y, loss)) for x, y in batches]
    found = {"losses": losses, "params": params_of(net), "averages": np.asarray(net.norm.mean[...])}
    net.leave.bias[...] = probe.on_device(np.full(1, 200, np.float32))
    net.norm.scale[...] = probe.on_device(np.full(batches[0][0].shape[1], 30, np.float32))
    certain = [float(twin_step(net, optimizer, x, y, loss)) for x, y in batches]
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


@exercise(
    "step-with-state",
    points=2,
    see="net-state",
    hint=[
        "Set the mode first. Then a function under `nnx.jit` that gets net, optimiser, x and y as arguments.",
        "`loss, grads = nnx.value_and_grad(function_of_net)(net)`, then `optimizer.update(net, grads)`.",
    ],
)
def step_with_state(answer, rng):
    runs = [(int(rng.integers(1000)), training, _drawn_batches(rng)) for training in (False, True)]
    found = answer.probe(trained_by, runs)
    answer.called = "step_with_state(net, optimizer, float32[5,3], float32[5])"
    message = f"Return the loss, a number; what came back is of type `{found[0]['loss']}`."
    refuse(found[0]["loss"], "no-loss", message)
    for facts, (seed, _, batches) in zip(found, runs, strict=True):
        _judge_what_is_left(facts, batches, seed)
        _judge_compiled(facts["counts"])
        _judge_numbers(facts, batches, seed)


def _drawn_batches(rng):
    labels = [rng.permutation([0, 1, 0, 1, 0]).astype(np.float32) for _ in range(3)]
    return [(rng.normal(2, 2, size=(5, 3)).astype(np.float32), y) for y in labels]


def _judge_what_is_left(facts, batches, seed):
    untouched = np.array_equal(in_one(facts["params"]), params_of(Small(3, nnx.Rngs(seed))))
    message = (
        "Nothing has changed: neither the parameters nor the averages nor the optimiser's count. `jax.jit` works on a "
        "copy of what it is given, and the copy is thrown away."
    )
    still = (facts["averages"] == 0).all()
    refuse(untouched and still and not facts["updates"], "update-lost", message)
    message = "The parameters are those of the start: the update is missing, or it was made to a copy."
    refuse(untouched, "not-updated", message)
    message = (
        "The step was made in evaluation mode: nothing was dropped, and the averages are those of the start. The mode "
        "in which `net` comes may be either: set it."
    )
    if facts["draws"] == 0 and still:
        evaluated = trained_here(batches, seed, training=False)
        refuse(close(facts["losses"][0], evaluated["losses"][0], rtol=1e-3), "evaluation-mode", message)
    message = "The averages of BatchNorm have not moved: what the forward pass wrote was lost."
    refuse(still, "averages-lost", message)
    message = "The count of the dropout key has not moved: every step drops the same units."
    refuse(facts["draws"] == 0, "same-mask", message)
    message = "The optimiser was not used: its count is still 0. Its rule may be any rule, such as Adam."
    require(facts["updates"], "by-hand", message)


def _judge_numbers(facts, batches, seed):
    want = trained_here(batches, seed)
    if not close(facts["losses"][0], want["losses"][0], rtol=1e-3):
        table = trained_here(batches, seed, loss=table_loss)
        message = (
            "A column of logits met a vector of labels: each logit was compared with *every* label, and the network "
            "learns the mean."
        )
        refuse(close(facts["losses"][0], table["losses"][0], rtol=1e-3), "column-and-vector", message)
        total = trained_here(batches, seed, loss=summed_loss)
        message = "The loss is the sum over the batch, so its gradient is too long as well: take the mean."
        refuse(close(facts["losses"][0], total["losses"][0], rtol=1e-3), "summed", message)
    message = f"The net drew {facts['draws']} masks in {len(batches)} steps: one forward pass for each step is enough."
    require(facts["draws"] == len(batches), "several-passes", message)
    expect(facts["losses"][0], want["losses"][0], "The loss of the first step, before the update.", rtol=1e-3)
    params = in_one(facts["params"])
    if not close(params, want["params"], rtol=5e-3):
        total = trained_here(batches, seed, loss=summed_loss)
        message = "The gradient is that of the sum over the batch, so it is too long: take the mean."
        refuse(close(params, total["params"], rtol=5e-3), "summed", message)
    message = "The parameters after three steps are not those that the rule gives with this loss."
    require(close(params, want["params"], rtol=5e-3), "other-state", message)
    message = "The averages of BatchNorm are not those of one forward pass in each step."
    require(close(facts["averages"], want["averages"], rtol=1e-3), "other-state", message)
    for i, (got, loss) in enumerate(zip(facts["losses"], want["losses"], strict=True)):
        expect(got, loss, f"The loss of step {i + 1}, before its update.", rtol=5e-3)
    message = (
        "With logits of 200 the loss or the update is another: nothing may be cut off, neither losses nor gradients."
    )
    require(close(facts["certain"], want["certain"], rtol=1e-2), "cut-off", message)


def _judge_compiled(counts):
    first, last = counts[0], counts[-1]
    again = last["net"] > first["net"]
    message = "Python runs the network at every step: nothing is compiled. Put `nnx.jit` around the step."
    refuse(again and not last["tracers"], "not-compiled", message)
    message = "The network is traced again at every step. Define the compiled function once, outside of the step."
    refuse(again, "compiled-at-each-step", message, see="function-identity")
    message = (
        "The gradient is compiled, but the update runs op by op in Python at every step. Put it into the compiled part."
    )
    refuse(last["rule"] > first["rule"], "update-not-compiled", message)


@nnx.jit
def small_step(net, optimizer, x, y):
    """One step, in whatever mode the net is."""

    def mean_loss(net):
        return mean_of_each(net(x), y)

    loss, grads = nnx.value_and_grad(mean_loss)(net)
    optimizer.update(net, grads)
    return loss


@jax.jit
def pure_step(net, optimizer, x, y):
    """A step that returns what it has changed."""

    def mean_loss(net):
        return mean_of_each(net(x), y)

    loss, grads = nnx.value_and_grad(mean_loss)(net)
    optimizer.update(net, grads)
    return loss, nnx.state(net), nnx.state(optimizer)


@right("step-with-state")
def writes_back_by_hand(net, optimizer, x, y):
    net.train()
    loss, of_net, of_optimizer = pure_step(net, optimizer, x, y)
    nnx.update(net, of_net)
    nnx.update(optimizer, of_optimizer)
    return loss


@right("step-with-state")
@nnx.jit
def sets_the_mode_inside(net, optimizer, x, y):
    net.train()

    def mean_loss(net, y):
        return optax.sigmoid_binary_cross_entropy(net(x), y[:, None]).mean()

    loss, grads = nnx.value_and_grad(mean_loss)(net, y)
    optimizer.update(net, grads)
    return loss


@wrong("step-with-state", "update-lost")
def loses_the_copy(net, optimizer, x, y):
    net.train()
    return lost_step(net, optimizer, x, y)


@jax.jit
def lost_step(net, optimizer, x, y):
    """A step under `jax.jit` that returns the loss alone."""
    loss, grads = nnx.value_and_grad(lambda net: mean_of_each(net(x), y))(net)
    optimizer.update(net, grads)
    return loss


@nnx.jit
def gradient_only(net, x, y):
    """The loss and its gradient, compiled."""
    return nnx.value_and_grad(lambda net: mean_of_each(net(x), y))(net)


@wrong("step-with-state", "not-updated")
def updates_a_clone(net, optimizer, x, y):
    net.train()
    loss, grads = gradient_only(net, x, y)
    optimizer.update(nnx.clone(net), grads)
    return loss


@wrong("step-with-state", "evaluation-mode")
def leaves_the_mode_as_it_is(net, optimizer, x, y):
    return small_step(net, optimizer, x, y)


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
    return loss


@wrong("step-with-state", "same-mask")
@nnx.jit
def puts_the_count_back(net, optimizer, x, y):
    net.train()
    kept = jax.tree.map(jnp.array, nnx.state(net, nnx.RngCount))
    loss = small_step.__wrapped__(net, optimizer, x, y)
    nnx.update(net, kept)
    return loss


@wrong("step-with-state", "column-and-vector")
@nnx.jit
def compares_all_with_all(net, optimizer, x, y):
    net.train()
    loss, grads = nnx.value_and_grad(lambda net: table_loss(net(x), y))(net)
    optimizer.update(net, grads)
    return loss


@wrong("step-with-state", "summed")
@nnx.jit
def sums_the_losses(net, optimizer, x, y):
    net.train()
    loss, grads = nnx.value_and_grad(lambda net: summed_loss(net(x), y))(net)
    optimizer.update(net, grads)
    return loss


@wrong("step-with-state", "several-passes")
@nnx.jit
def passes_twice(net, optimizer, x, y):
    net.train()
    loss = mean_of_each(net(x), y)
    grads = nnx.grad(lambda net: mean_of_each(net(x), y))(net)
    optimizer.update(net, grads)
    return loss


@wrong("step-with-state", "by-hand")
@nnx.jit
def descends_by_hand(net, optimizer, x, y):
    net.train()
    loss, grads = nnx.value_and_grad(lambda net: mean_of_each(net(x), y))(net)
    nnx.update(net, jax.tree.map(lambda p, g: p - 0.3 * g, nnx.state(net, nnx.Param), grads))
    return loss


@wrong("step-with-state", "wrong-value")
@nnx.jit
def takes_probabilities_for_logits(net, optimizer, x, y):
    net.train()
    loss, grads = nnx.value_and_grad(lambda net: mean_of_each(jax.nn.sigmoid(net(x)), y))(net)
    optimizer.update(net, grads)
    return loss


@wrong("step-with-state", "other-state")
@nnx.jit
def goes_uphill_with_optax(net, optimizer, x, y):
    net.train()
    loss, grads = nnx.value_and_grad(lambda net: mean_of_each(net(x), y))(net)
    optimizer.update(net, jax.tree.map(jnp.negative, grads))
    return loss


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
    return loss


@wrong("step-with-state", "not-compiled")
def runs_op_by_op(net, optimizer, x, y):
    net.train()
    return small_step.__wrapped__(net, optimizer, x, y)


@wrong("step-with-state", "compiled-at-each-step")
def compiles_at_each_step(net, optimizer, x, y):
    net.train()
    return nnx.jit(lambda net, optimizer, x, y: small_step.__wrapped__(net, optimizer, x, y))(net, optimizer, x, y)


@wrong("step-with-state", "update-not-compiled")
def compiles_the_gradient_only(net, optimizer, x, y):
    net.train()
    loss, grads = gradient_only(net, x, y)
    optimizer.update(net, grads)
    return loss


@wrong("step-with-state", "no-loss")
def returns_no_loss(net, optimizer, x, y):
    net.train()
    small_step(net, optimizer, x, y)


# -- shuffled-epoch ---------------------------------------------------------------------------------------------


def epochs_facts(student_function, x, y, size, pairs):
    """The batches of several epochs, put together: rows, labels, lengths and what they are."""
    epochs = []
    for seed, epoch in pairs:
        batches = student_function(x, y, size, seed, epoch)
        if not isinstance(batches, (list, tuple)):
            return {"form": type(batches).__name__}
        if not all(isinstance(batch, (list, tuple)) and len(batch) == 2 for batch in batches):
            return {"form": "no pairs"}
        if not all(isinstance(part, np.ndarray) for batch in batches for part in batch):
            return {"form": "no arrays"}
        epochs.append(
            {
                "rows": np.array([[len(a), len(b)] for a, b in batches]),
                "dtypes": sorted(f"{of_x} {of_y}" for of_x, of_y in {(a.dtype, b.dtype) for a, b in batches}),
                "x": np.concatenate([x[:0], *(a for a, _ in batches)]) if batches else x[:0],
                "y": np.concatenate([y[:0], *(b for _, b in batches)]) if batches else y[:0],
            }
        )
    return {"form": "", "epochs": epochs}


@exercise(
    "shuffled-epoch",
    points=2,
    see="net-data",
    hint=[
        "`np.random.default_rng([seed, epoch])` is a generator for this pair alone. Permute the row numbers, once.",
        "`n // size` whole batches: `order[: n // size * size].reshape(-1, size)` has one in each row.",
    ],
)
def shuffled_epoch(answer, rng):
    def ask(x, y, size, pairs):
        facts = answer.probe(epochs_facts, x, y, size, pairs)
        answer.called = (
            f"shuffled_epoch({x.dtype}[{len(x)}], {y.dtype}[{len(y)}], {size}, {pairs[0][0]}, {pairs[0][1]})"
        )
        message = "A generator came back: it is empty from the second time on. Return a list."
        refuse(facts["form"] == "generator", "a-generator", message)
        refuse(
            facts["form"] == "no pairs", "no-pairs", "Each batch should be a pair: the rows of `x`, then those of `y`."
        )
        refuse(facts["form"] == "no arrays", "not-numpy", "The rows should be NumPy arrays.")
        message = f"Return a list of batches, not an object of type `{facts['form']}`."
        refuse(facts["form"], "not-a-list", message)
        return facts["epochs"]

    _judge_batches(ask, rng)
    orders = _judge_orders(ask, rng)
    _judge_chances(ask, rng)
    _judge_collisions(orders)


def numbered(rng, n, *more, dtype="float32", label="int32"):
    """Rows, and a label for each that no other row has."""
    x = inputs.array(rng, (n, *more), dtype)
    return x, rng.permutation(np.arange(n) + 3).astype(label)


def _judge_batches(ask, rng):
    seed = int(rng.integers(1000))
    wide = int(rng.integers(2, 4))
    cases = [
        (7, (wide,), 3, "float32", "int32"),
        (12, (), 4, "float64", "float32"),
        (1, (2,), 1, "uint8", "int64"),
        (3, (2, 2), 5, "bool", "uint8"),
        (5, (1,), 1, "int32", "float64"),
        (int(rng.integers(13, 20)), (wide,), 5, "float32", "float32"),
    ]
    cases.append(cases[-1])
    for n, more, size, dtype, label in cases:
        x, y = numbered(rng, n, *more, dtype=dtype, label=label)
        place = {int(value): i for i, value in enumerate(y)}
        for found in ask(x, y, size, [(seed, 0), (seed, 1)]):
            rows = found["rows"].tolist()
            sizes = [of_x for of_x, _ in rows]
            what = f"{n} rows in batches of {size}"
            last = sizes[-1] if sizes else size
            message = f"{what}: the size of the last batch is {last}. Drop what is left over: one shape, one program."
            refuse(last < size and set(sizes[:-1]) <= {size}, "short-batch", message)
            require(all(pair == [size, size] for pair in rows), "wrong-size", f"{what}: came {rows}.")
            message = f"{what} make {n // size} whole batches, but {len(sizes)} came."
            require(len(sizes) == n // size, "wrong-count", message)
            known = [place.get(int(value)) for value in found["y"]]
            require(None not in known, "strange-labels", "There are labels that are not in `y`.")
            message = "An example came twice in one epoch: draw without replacement."
            require(len(set(known)) == len(known), "drawn-twice", message)
            message = (
                "Rows and labels no longer belong together: they were shuffled in two orders. Permute the row "
                "numbers once, for both."
            )
            require(np.array_equal(found["x"], x[known]), "two-orders", message)
            kept = found["dtypes"] in ([], [f"{x.dtype} {y.dtype}"])
            require(
                kept, "dtype-lost", f"`{x.dtype}` and `{y.dtype}` went in, {' and '.join(found['dtypes'])} came out."
            )


def _judge_orders(ask, rng):
    x, y = numbered(rng, 40, 2)
    few = [0, 1, 2, 3, 9, 10, 99, 100, 999]
    usual = [
        7,
        13,
        17,
        31,
        37,
        97,
        101,
        997,
        *(2**k for k in range(2, 10)),
        *range(20, 100, 10),
        *range(200, 1000, 100),
    ]
    pairs = [(seed, epoch) for seed in few for epoch in few]
    pairs += [
        (0, epoch) for epoch in range(1000) if epoch not in few
    ]  # `m * seed + epoch` gives (0, m) and (1, 0) one order
    pairs += [(seed, 0) for seed in usual] + [tuple(pair) for pair in rng.integers(4, 999, (300, 2)).tolist()]
    pairs = list(dict.fromkeys(pairs))
    orders = {pair: tuple(found["y"].tolist()) for pair, found in zip(pairs, ask(x, y, 5, pairs), strict=True)}
    as_it_was = sum(order == tuple(y.tolist()) for order in orders.values())
    refuse(as_it_was == len(pairs), "not-shuffled", "The rows came in their original order: shuffle them.")
    again = [tuple(found["y"].tolist()) for found in ask(x, y, 5, pairs[:3])]
    message = "The same seed and epoch gave another order the second time: a resumed training would see other data."
    require(again == [orders[pair] for pair in pairs[:3]], "not-repeatable", message)
    message = "Every epoch has the same order: use `epoch` as well."
    refuse(all(orders[seed, 0] == orders[seed, 1] for seed in few), "epoch-ignored", message)
    message = "All seeds give the same order: use `seed` as well."
    refuse(all(orders[0, epoch] == orders[1, epoch] for epoch in few), "seed-ignored", message)
    return orders


def _judge_collisions(orders):
    seen: dict = {}
    for pair, order in orders.items():
        other = seen.setdefault(order, pair)
        message = (
            f"Seed {pair[0]} in epoch {pair[1]} has the order of seed {other[0]} in epoch {other[1]}: the two numbers "
            "were combined into one, and different pairs give the same one."
        )
        require(other == pair, "orders-collide", message)


def _judge_chances(ask, rng):
    n, size, epochs = 14, 4, 60
    x, y = numbered(rng, n, 1)
    seed = int(rng.integers(900))
    place = {int(value): i for i, value in enumerate(y)}
    found = ask(x, y, size, [(seed, epoch) for epoch in range(epochs)])
    orders = np.array([[place[int(value)] for value in epoch["y"]] for epoch in found])
    mates = (orders.reshape(epochs, -1, size) // size == orders.reshape(epochs, -1, size)[:, :, :1] // size).mean()
    follow = (np.diff(orders, axis=1) % n == 1).mean()
    message = (
        "Neighbours in the data stay neighbours: the order was rotated or cut, or only whole batches were shuffled. "
        "Shuffle the rows."
    )
    refuse(follow > 0.35 or mates > 0.8, "neighbours-stay", message)
    message = (
        "The examples at the end of the data never come: they were cut off before the shuffle. Shuffle, then drop."
    )
    refuse(set(range(n)) - set(orders.ravel().tolist()), "never-seen", message)
    visits = np.zeros((n, n // size))
    for order in orders:
        visits[order, np.arange(len(order)) // size] += 1
    message = "Some rows never reach some of the batches: every order of all rows should be equally likely."
    require((visits > 0).all(), "not-all-orders", message)
    _judge_four(ask, rng)


def _judge_four(ask, rng):
    """Four rows have 24 orders: how often each comes, in all and for one seed or epoch."""
    x, y = numbered(rng, 4)
    seeds, epochs = int(rng.integers(20)) + 40 * np.arange(25), np.arange(24)
    found = ask(x, y, 1, [(int(seed), int(epoch)) for seed in seeds for epoch in epochs])
    orders = np.array([epoch["y"] for epoch in found]).argsort(axis=1) @ [64, 16, 4, 1]
    kinds, times = np.unique(orders, return_counts=True)
    uneven = np.sum((times - 25) ** 2) / 25 + 25 * (24 - len(kinds))
    table = orders.reshape(25, 24)
    message = (
        "The orders of one seed, or of one epoch, are related: one is another, turned or moved along. Each should be "
        "drawn for itself."
    )
    distinct = [np.mean([len(set(line.tolist())) for line in lines]) for lines in (table, table.T)]
    every = "Some orders come far more often than others: every order should be equally likely."
    require(len(kinds) > 15, "not-all-orders", every)
    refuse(min(distinct) < 12, "related-orders", message)  # 15 on average, if they are drawn
    require(uneven < 85, "not-all-orders", every)  # 23 on average


@right("shuffled-epoch")
def folds_the_epoch_into_a_key(x, y, size, seed, epoch):
    key = jax.random.fold_in(jax.random.key(seed), epoch)
    order = np.asarray(jax.random.permutation(key, len(x)))
    return [(x[order[i : i + size]], y[order[i : i + size]]) for i in range(0, len(x) - size + 1, size)]


@right("shuffled-epoch")
def counts_through_a_thousand(x, y, size, seed, epoch):
    order = np.arange(len(x))
    np.random.default_rng(1000 * seed + epoch).shuffle(order)
    batches = []
    while len(order) >= size:
        batches.append([np.take(x, order[:size], axis=0), np.take(y, order[:size], axis=0)])
        order = order[size:]
    return batches


def rows_of(order, size):
    """The row numbers of each whole batch."""
    return order[: len(order) // size * size].reshape(-1, size)


@wrong("shuffled-epoch", "two-orders")
def shuffles_them_apart(x, y, size, seed, epoch):
    generator = np.random.default_rng([seed, epoch])
    x, y = generator.permutation(x), generator.permutation(y)
    return [(x[rows], y[rows]) for rows in rows_of(np.arange(len(x)), size)]


@wrong("shuffled-epoch", "a-generator")
def yields_them(x, y, size, seed, epoch):
    for rows in rows_of(np.random.default_rng([seed, epoch]).permutation(len(x)), size):
        yield x[rows], y[rows]


@wrong("shuffled-epoch", "short-batch")
def keeps_the_rest(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return [(x[order[i : i + size]], y[order[i : i + size]]) for i in range(0, len(x), size)]


@wrong("shuffled-epoch", "not-shuffled")
def forgets_to_shuffle(x, y, size, seed, epoch):
    return [(x[rows], y[rows]) for rows in rows_of(np.arange(len(x)), size)]


@wrong("shuffled-epoch", "epoch-ignored")
def shuffles_by_the_seed_alone(x, y, size, seed, epoch):
    order = np.random.default_rng(seed).permutation(len(x))
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "seed-ignored")
def shuffles_by_the_epoch_alone(x, y, size, seed, epoch):
    order = np.random.default_rng(epoch).permutation(len(x))
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "orders-collide")
def adds_the_two(x, y, size, seed, epoch):
    order = np.random.default_rng(seed + epoch).permutation(len(x))
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "orders-collide")
def leaves_room_for_256_epochs(x, y, size, seed, epoch):
    order = np.random.default_rng(256 * seed + epoch).permutation(len(x))
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "related-orders")
def turns_the_order_of_the_seed(x, y, size, seed, epoch):
    order = np.roll(np.random.default_rng(seed).permutation(len(x)), epoch)
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "not-all-orders")
def sorts_whole_numbers(x, y, size, seed, epoch):
    order = np.argsort(np.random.default_rng([seed, epoch]).integers(len(x), size=len(x)), kind="stable")
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "not-repeatable")
def draws_anew(x, y, size, seed, epoch):
    order = np.random.default_rng().permutation(len(x))
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "changed-settings")
def seeds_the_shared_state(x, y, size, seed, epoch):
    np.random.seed(1000 * seed + epoch)
    return [(x[rows], y[rows]) for rows in rows_of(np.random.permutation(len(x)), size)]


@wrong("shuffled-epoch", "drawn-twice")
def draws_with_replacement(x, y, size, seed, epoch):
    generator = np.random.default_rng([seed, epoch])
    rows = [generator.integers(len(x), size=size) for _ in range(len(x) // size)]
    return [(x[some], y[some]) for some in rows]


@wrong("shuffled-epoch", "never-seen")
def cuts_before_the_shuffle(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x) // size * size)
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "neighbours-stay")
def shuffles_whole_batches(x, y, size, seed, epoch):
    rows = rows_of(np.arange(len(x)), size)
    return [(x[some], y[some]) for some in np.random.default_rng([seed, epoch]).permutation(rows)]


@wrong("shuffled-epoch", "neighbours-stay")
def only_turns_the_order(x, y, size, seed, epoch):
    order = np.roll(np.arange(len(x)), int(np.random.default_rng([seed, epoch]).integers(10**6)))
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "not-all-orders")
def shuffles_each_half(x, y, size, seed, epoch):
    generator, half = np.random.default_rng([seed, epoch]), len(x) // 2
    order = np.concatenate([generator.permutation(half), half + generator.permutation(len(x) - half)])
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "not-numpy")
def hands_out_jax_arrays(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return [(jnp.asarray(x[rows]), jnp.asarray(y[rows])) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "no-pairs")
def hands_out_rows_alone(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return [x[rows] for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "not-a-list")
def hands_out_a_dictionary(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return {"x": x[rows_of(order, size)], "y": y[rows_of(order, size)]}


@wrong("shuffled-epoch", "wrong-size")
def cuts_into_as_many_as_size(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return [(x[rows], y[rows]) for rows in np.array_split(order, size)]


@wrong("shuffled-epoch", "wrong-count")
def forgets_the_last_batch(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return [(x[rows], y[rows]) for rows in rows_of(order, size)[:-1]]


@wrong("shuffled-epoch", "strange-labels")
def counts_the_labels_from_nought(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return [(x[rows], (rows - 10_000).astype(y.dtype)) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "dtype-lost")
def makes_floats_of_all(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return [(x[rows].astype(np.float32), y[rows].astype(np.int32)) for rows in rows_of(order, size)]


# -- accuracy-of-all --------------------------------------------------------------------------------------------


def accuracy_facts(student_function, x, y, size, weights, training, seed):
    """What the answer says of a network with given weights, how it asked the network, and what it left behind."""
    asked, seen = [], []

    class Judged(nnx.Module):  # with other names than the lesson's net: none is promised
        def __init__(self, columns, rngs):
            self.scaled = nnx.BatchNorm(columns, rngs=rngs)
            self.masked = nnx.Dropout(0.5, rngs=rngs)
            self.ends = nnx.Linear(columns, 1, rngs=rngs)

        def __call__(self, x):
            asked.append([x.shape[0], bool(self.scaled.use_running_average and self.masked.deterministic)])
            seen.append(None if isinstance(x, jax.core.Tracer) else np.asarray(x))
            return self.ends(self.masked(self.scaled(x)))

    net = Judged(x.shape[1], nnx.Rngs(seed))
    student_function(net, x, y, size)  # with the weights that it was drawn with; they change below
    seen.clear()
    drawn = np.array(net.ends.kernel[...])
    net.scaled.mean[...] = probe.on_device(weights["mean"])
    net.scaled.var[...] = probe.on_device(weights["var"])
    net.ends.kernel[...] = probe.on_device(weights["kernel"])
    (net.train if training else net.eval)()

    def bits(state):
        keys = [jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) for leaf in jax.tree.leaves(state)]
        leaves = jax.tree.leaves(state)
        raw = [jax.random.key_data(leaf) if key else leaf for leaf, key in zip(leaves, keys, strict=True)]
        return [np.asarray(leaf).tobytes() for leaf in raw]

    before = bits(nnx.state(net))
    value = student_function(net, x, y, size)
    plain = all(part is not None for part in seen) and sum(map(len, seen)) == len(x)  # not compiled, not filled up
    return {
        "in_order": not plain or bool(np.array_equal(np.concatenate(seen), x)),
        "batches": [len(part) for part in seen] if plain else [],
        "drawn": drawn,
        "value": np.asarray(value) if np.shape(value) == () and value is not None else None,
        "rows": max([rows for rows, _ in asked], default=0),
        "calls": len(asked),
        "evaluated": all(mode for _, mode in asked),
        "changed": bits(nnx.state(net)) != before,
    }


def drawn_network(rng, columns):
    """Weights of a network whose logits are 0 where the input is the running mean."""
    return {
        "mean": (rng.integers(-2, 3, columns) * (rng.random() < 0.4)).astype(np.float32),
        "var": rng.uniform(0.5, 4, columns).astype(np.float32),
        "kernel": (rng.choice([-1, 1], (columns, 1)) * rng.uniform(0.3, 1, (columns, 1))).astype(np.float32),
    }


def border_rows(weights):
    """Inputs whose logit is 0, tiny and positive, and positive below a half."""
    up = np.sign(weights["kernel"][:, 0])
    near = weights["mean"] + 0.2 * up * np.sqrt(weights["var"])
    tiny = 1e-9 * up if not weights["mean"].any() else near
    return np.array([weights["mean"], tiny, near], np.float32)


def hits_of(test):
    """The share of all examples for which a test of logits and labels holds."""
    return lambda logits, y, size: np.mean(test(logits, y))


def batches_of(hits, size):
    """The mean of each batch's share."""
    return [hits[i : i + size].mean() for i in range(0, len(hits), size)]


def _hits(logits, y):
    return (logits > 0) == (y == 1)


ACCURACY_SLIPS = {
    "mean-of-means": (
        lambda logits, y, size: np.mean(batches_of(_hits(logits, y), size)),
        "That is the mean of the batches' means: the examples of a short last batch weigh more. Divide once.",
    ),
    "column-and-vector": (
        lambda logits, y, size: np.mean(
            [
                ((logits[i : i + size, None] > 0) == (y[None, i : i + size] == 1)).mean()
                for i in range(0, len(y), size)
                for _ in range(len(y[i : i + size]))
            ]
        ),
        "A column was compared with a vector: each prediction with *every* label of its batch.",
    ),
    "column-counted": (
        lambda logits, y, size: (
            sum(
                ((logits[i : i + size, None] > 0) == (y[None, i : i + size] == 1)).sum() for i in range(0, len(y), size)
            )
            / len(y)
        ),
        "A column was compared with a vector: each prediction with *every* label of its batch, and all were counted.",
    ),
    "half-as-threshold": (
        hits_of(lambda logits, y: (logits > 0.5) == (y == 1)),
        "The logits were compared with 0.5. That is the threshold for a probability; for a logit it is 0.",
    ),
    "zero-is-one": (
        hits_of(lambda logits, y: (logits >= 0) == (y == 1)),
        "A logit of exactly 0 was called 1: it is not above 0.",
    ),
    "rest-dropped": (
        lambda logits, y, size: np.mean(_hits(logits, y)[: max(len(y) // size, 1) * size]),
        "The last, smaller batch is missing: in an evaluation every example counts.",
    ),
    "rest-not-counted": (
        lambda logits, y, size: np.sum(_hits(logits, y)[: len(y) // size * size]) / len(y),
        "The last, smaller batch was not counted: in an evaluation every example counts.",
    ),
    "rounded-probability": (
        lambda logits, y, size: np.mean((1 / (1 + np.exp(-logits.astype(np.float32))) > 0.5) == (y == 1)),
        "A tiny positive logit has a probability that is rounded to 0.5, which is not above 0.5. Compare the logit.",
    ),
    "full-batches-counted": (
        lambda logits, y, size: np.sum(_hits(logits, y)) / (-(-len(y) // size) * size),
        "The hits were divided as if the last batch were full: divide by the number of examples.",
    ),
    "a-count": (lambda logits, y, size: np.sum(_hits(logits, y)), "That is a count: divide by the number of examples."),
    "wrong-ones": (
        lambda logits, y, size: 1 - np.mean(_hits(logits, y)),
        "That is the share of those that are wrong.",
    ),
}
"""For each mistake what it gives, and what to say."""


@exercise(
    "accuracy-of-all",
    points=2,
    see="net-loop",
    hint=[
        "`net.eval()` first. Then count the hits batch by batch, and divide once, at the end.",
        "`net(x[i : i + size])` is a column: `[:, 0]` makes a vector of it.",
    ],
)
def accuracy_of_all(answer, rng):
    cases, old = [], []
    for n, size, training in (*((n, 3, n != 6) for n in (1, 7, 11, 6, 2, 7)), (7, 1, False)):
        columns = 2
        weights = drawn_network(rng, columns)
        x = (rng.normal(1, 2, size=(n, columns)) + weights["mean"]).astype(np.float32)
        x = rng.permutation(np.concatenate([border_rows(weights), x])[:n]) if n > 2 else x
        logits = ((x - weights["mean"]) / np.sqrt(weights["var"].astype(np.float64) + 1e-5)) @ weights["kernel"]
        y = rng.integers(0, 2, n).astype(np.float32)
        y[(x == weights["mean"]).all(axis=1)] = len(cases) % 2  # a logit of 0 meets either label
        asked = (x, y, size, weights, training, int(rng.integers(100)))
        facts = answer.probe(accuracy_facts, *asked)
        answer.called = f"accuracy_of_all(net, float32[{n},{columns}], float32[{n}], {size})"
        _judge_manners(facts, n, size)
        cases.append((logits[:, 0], y, size, float(facts["value"])))
        old.append(np.mean(_hits((x @ facts["drawn"])[:, 0], y)))
    told = [abs(share - np.mean(_hits(*case[:2]))) > 1e-6 for share, case in zip(old, cases, strict=True)]
    fits = [abs(share - case[3]) < 1e-5 for share, case in zip(old, cases, strict=True)]
    message = (
        "The weights had changed, and the accuracy of the old ones came back: a compiled function keeps the numbers of "
        "a network that it finds around it. Give it the network as an argument, under `nnx.jit`."
    )
    refuse(all(fits) and sum(told) >= 2, "old-weights", message)
    for label, (mistaken, message) in ACCURACY_SLIPS.items():
        told = [abs(mistaken(*case[:3]) - np.mean(_hits(*case[:2]))) > 1e-6 for case in cases]
        fits = [abs(mistaken(*case[:3]) - case[3]) < 1e-5 for case in cases]
        refuse(all(fits) and sum(told) >= 2, label, message)
    for logits, y, size, got in cases:
        answer.called = f"accuracy_of_all(net, float32[{len(y)},2], float32[{len(y)}], {size})"
        expect(got, np.mean(_hits(logits, y)), "Hits in all, divided by all.", rtol=1e-5)


def _judge_manners(facts, n, size):
    refuse(facts["value"] is None, "wrong-type", "One number was expected.")
    require(facts["calls"], "not-asked", "The network was never called.")
    message = f"The network was called with {facts['rows']} rows at once, but a batch has at most {size}."
    require(facts["rows"] <= size, "all-at-once", message)
    came = facts["batches"]
    message = f"{n} rows in batches of {size}: the network got batches of {came}. Only the last may be smaller."
    require(set(came[:-1]) <= {size}, "other-batches", message)
    require(
        facts["in_order"], "other-order", "The rows did not come in their order: go through the data from the start."
    )
    message = (
        "The network was in training mode: units were dropped, and the batch's own statistics were used. Call "
        "`net.eval()` before the first batch."
    )
    require(facts["evaluated"], "training-mode", message)
    refuse(facts["changed"], "net-changed", "An evaluation must leave the variables of the network as they are.")


@right("accuracy-of-all")
def asks_a_clone(net, x, y, size):
    examinee = nnx.clone(net)
    examinee.eval()
    logits = [np.asarray(examinee(jnp.asarray(x[i : i + size]))).ravel() for i in range(0, len(x), size)]
    return ((np.concatenate(logits) > 0) == (y > 0.5)).mean()


@right("accuracy-of-all")
def weighs_the_batches(net, x, y, size):
    net.eval()
    total = 0.0
    for i in range(0, x.shape[0], size):
        hits = (net(x[i : i + size]) > 0) == y[i : i + size, None]
        total += hits.mean() * len(hits)
    return total / x.shape[0]


def parts(net, x, y, size):
    """The logits and the labels of each batch, in evaluation mode."""
    net.eval()
    return [(np.asarray(net(x[i : i + size]))[:, 0], y[i : i + size]) for i in range(0, len(x), size)]


@wrong("accuracy-of-all", "training-mode")
def forgets_the_mode(net, x, y, size):
    hits = [(np.asarray(net(x[i : i + size]))[:, 0] > 0) == y[i : i + size] for i in range(0, len(x), size)]
    return np.concatenate(hits).mean()


@wrong("accuracy-of-all", "mean-of-means")
def takes_the_mean_of_means(net, x, y, size):
    return np.mean([((z > 0) == labels).mean() for z, labels in parts(net, x, y, size)])


@wrong("accuracy-of-all", "column-and-vector")
def compares_a_column(net, x, y, size):
    shares = [((z[:, None] > 0) == labels).mean() * len(labels) for z, labels in parts(net, x, y, size)]
    return sum(shares) / len(x)


@wrong("accuracy-of-all", "column-counted")
def counts_a_table(net, x, y, size):
    return sum(((z[:, None] > 0) == labels).sum() for z, labels in parts(net, x, y, size)) / len(x)


@wrong("accuracy-of-all", "half-as-threshold")
def takes_a_half(net, x, y, size):
    return sum(((z > 0.5) == labels).sum() for z, labels in parts(net, x, y, size)) / len(x)


@wrong("accuracy-of-all", "zero-is-one")
def calls_zero_one(net, x, y, size):
    return sum(((z >= 0) == labels).sum() for z, labels in parts(net, x, y, size)) / len(x)


@wrong("accuracy-of-all", "rest-dropped")
def drops_the_rest(net, x, y, size):
    whole = max(len(x) // size, 1) * size
    return sum(((z > 0) == labels).sum() for z, labels in parts(net, x[:whole], y[:whole], size)) / len(x[:whole])


@wrong("accuracy-of-all", "rest-not-counted")
def counts_whole_batches(net, x, y, size):
    hits = [((z > 0) == labels).sum() for z, labels in parts(net, x, y, size) if len(labels) == size]
    return sum(hits) / len(x)


@wrong("accuracy-of-all", "rounded-probability")
def asks_the_probability(net, x, y, size):
    shares = [(np.asarray(jax.nn.sigmoid(z)) > 0.5) == labels for z, labels in parts(net, x, y, size)]
    return np.concatenate(shares).mean()


@wrong("accuracy-of-all", "full-batches-counted")
def divides_by_full_batches(net, x, y, size):
    batches = parts(net, x, y, size)
    return sum(((z > 0) == labels).sum() for z, labels in batches) / (len(batches) * size)


@wrong("accuracy-of-all", "old-weights")
def compiles_once_for_each_net(net, x, y, size):
    net.eval()
    guess = compiled_around(net)
    return sum(int((guess(x[i : i + size]) == y[i : i + size]).sum()) for i in range(0, len(x), size)) / len(x)


@functools.cache
def compiled_around(net):
    """A compiled function that finds its network around it."""
    return jax.jit(lambda x: net(x)[:, 0] > 0)


@wrong("accuracy-of-all", "a-count")
def counts_only(net, x, y, size):
    return sum(((z > 0) == labels).sum() for z, labels in parts(net, x, y, size))


@wrong("accuracy-of-all", "wrong-ones")
def counts_the_wrong_ones(net, x, y, size):
    return sum(((z > 0) != labels).sum() for z, labels in parts(net, x, y, size)) / len(x)


@wrong("accuracy-of-all", "all-at-once")
def asks_all_at_once(net, x, y, size):
    net.eval()
    return ((np.asarray(net(x))[:, 0] > 0) == y).mean()


@wrong("accuracy-of-all", "net-changed")
def moves_a_weight(net, x, y, size):
    result = sum(((z > 0) == labels).sum() for z, labels in parts(net, x, y, size)) / len(x)
    nnx.update(net, jax.tree.map(lambda weight: weight + 1, nnx.state(net, nnx.Param)))
    return result


@wrong("accuracy-of-all", "other-batches")
def asks_row_by_row(net, x, y, size):
    return sum(((z > 0) == labels).sum() for z, labels in parts(net, x, y, 1)) / len(x)


@wrong("accuracy-of-all", "other-order")
def begins_at_the_end(net, x, y, size):
    return sum(((z > 0) == labels).sum() for z, labels in parts(net, x[::-1], y[::-1], size)) / len(x)


@wrong("accuracy-of-all", "AttributeError")
def sets_the_mode_of_each_layer(net, x, y, size):
    net.norm.use_running_average = net.drop.deterministic = True
    hits = [(np.asarray(net(x[i : i + size]))[:, 0] > 0) == y[i : i + size] for i in range(0, len(x), size)]
    return np.concatenate(hits).mean()


@wrong("accuracy-of-all", "not-asked")
def guesses(net, x, y, size):
    return float(y.mean())


@wrong("accuracy-of-all", "wrong-value")
def counts_the_ones(net, x, y, size):
    return sum(((z > 0) * labels).sum() for z, labels in parts(net, x, y, size)) / len(x)


# -- what-a-resume-needs ----------------------------------------------------------------------------------------


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

# -- step-that-learns -------------------------------------------------------------------------------------------


def line_case(rng, shape):
    """The arguments of one call."""
    n, d = shape
    params = {"w": inputs.array(rng, d, "float32"), "b": np.asarray(rng.normal(), np.float32)}
    x, y = (rng.normal(size=size).astype(np.float32) for size in ((n, d), n))
    step, rate = (7, 0.1) if n == 3 else (int(rng.integers(0, 100)), float(rng.uniform(0.01, 0.5)))
    return {"params": params, "step": step}, x, y, rate


def scaled_line(rng, scales, offset=0.0):
    """A call in other units: scales of `w`, of `x` and of `y`, and what `b` and `y` are moved by."""
    state, x, y, rate = line_case(rng, (20, 4))
    of_params, of_x, of_y = (np.float32(scale) for scale in scales)
    w, b = state["params"]["w"] * of_params, np.asarray(state["params"]["b"] * of_y + np.float32(offset))
    params = {"w": w, "b": b}
    return {"params": params, "step": state["step"]}, x * of_x, y * of_y + np.float32(offset), rate


UNITS = [((1e4, 1e-4, 1), 0.0), ((1e-6, 1, 1e-6), 0.0), ((1, 100, 1e4), 0.0), ((1, 1, 1), 3000.0)]
"""Scales, and an offset beside which the differences are small."""


def line_step(factor=2.0, *, total=False, counted=1, late=False, swapped=False):
    """A step of gradient descent on a line; or one with a mistake in it."""

    def step(state, x, y, rate):
        w, b = (np.asarray(state["params"][name], np.float64) for name in ("w", "b"))
        x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
        off = x @ w + b - y
        share = factor * rate / (1 if total else len(y))
        params = {"w": w - share * (off @ x), "b": b - share * off.sum()}
        loss = np.mean((x @ params["w"] + params["b"] - y) ** 2) if late else np.mean(off**2)
        new = {"params": params, "step": state["step"] + counted}
        return (loss, new) if swapped else (new, loss)

    return step


def half_moved(state, x, y, rate):
    """`b` stays where it was."""
    (new, loss), b = line_step()(state, x, y, rate), state["params"]["b"]
    return {"params": {"w": new["params"]["w"], "b": b}, "step": new["step"]}, loss


def table_step(state, x, y, rate):
    """Each prediction against every measured value."""
    w, b = (np.asarray(state["params"][name], np.float64) for name in ("w", "b"))
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    off = (x @ w + b)[:, None] - y
    pull = 2 * off.mean(axis=1) / len(y)
    params = {"w": w - rate * pull @ x, "b": b - rate * pull.sum()}
    return {"params": params, "step": state["step"] + 1}, np.mean(off**2)


LINE_SLIPS = [
    Slip(
        "one-is-left-behind",
        half_moved,
        "`w` moves but `b` does not: does the loss take *both* from its argument?",
    ),
    Slip(
        "all-with-all",
        table_step,
        "A column met a vector: each prediction was compared with *every* measured value.",
    ),
    Slip(
        "gradient-of-nothing",
        line_step(0.0),
        "The parameters are those that came in: the gradient is 0. Does the function that you differentiate use its "
        "argument, or the parameters in `state`?",
    ),
    Slip("uphill", line_step(-2.0), "The parameters moved up the gradient: the loss grows."),
    Slip("factor-lost", line_step(1.0), "The step is half as long: the derivative of a square has a factor of 2."),
    Slip("summed", line_step(total=True), "The gradient is that of a sum: with more data the steps get longer."),
    Slip("step-not-counted", line_step(counted=0), "`step` should be 1 more than it was."),
    Slip("loss-after", line_step(late=True), "That is the loss *after* the step; asked is the one before it."),
    Slip("swapped", line_step(swapped=True), "The loss came first: return the state, then the loss."),
]


@exercise(
    "step-that-learns",
    see="wrong-nets",
    hint=[
        "Print `grads`. Which variable does the loss take its parameters from?",
        "A gradient is taken with respect to an argument. What does not come in through it is a constant.",
    ],
)
def step_that_learns(answer, rng):
    shapes = [(1, 1), (3, 3), (20, 4)]
    message = "This is not one step of gradient descent on the mean squared error."
    units = [scaled_line(rng, *unit) for unit in UNITS]
    more = {"extremes": units, "slips": LINE_SLIPS, "message": message, "rtol": 1e-3}
    sweep(answer, line_step(), line_case, rng, shapes=shapes, each=2, **more)
    case = line_case(rng, (3, 3))
    late = {**case[0], "step": 40_000_000}
    step = numbers(answer(late, *case[1:])[0]["step"])
    message = "`step` is a whole number, so it should come back as one."
    require(step.dtype.kind in "iu", "step-not-whole", message)
    expect(step, late["step"] + 1, "`step` should be 1 more than it was, however large it is.")
    answer.probe(probe.on_jax_arrays, *case)  # which must still be there afterwards: an array of NumPy is not donated
    got, raised = answer.attempt(probe.under_jit, *case, expected=probe.NEEDS_A_VALUE)
    message = "Under `jit` it asks for a value that is not known yet, such as that of `step`."
    refuse(raised, "not-traceable", message)
    (state, loss), (want, want_loss) = got, line_step()(*case)
    expect(loss, want_loss, "Under `jit` the loss is another.", rtol=1e-3)
    for name in ("w", "b"):
        expect(state["params"][name], want["params"][name], f"Under `jit` `{name}` is another.", rtol=1e-3)
    expect(state["step"], want["step"], "Under `jit` `step` is another.")


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


# -- loss-of-each -----------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def gradient_of(student_function, logits, labels):
    """The gradient with respect to the logits, under `jit`."""
    return jax.jit(jax.grad(student_function))(logits, labels)


def each_loss(logits, labels):
    """The oracle."""
    z, y = np.ravel(np.asarray(logits, np.float64)), np.ravel(np.asarray(labels, np.float64))
    return np.mean(np.logaddexp(0, z) - z * y)


def all_losses(logits, labels):
    """What comes of a column and a vector: every logit with every label."""
    z, y = np.asarray(logits, np.float64), np.asarray(labels, np.float64)
    return np.mean(np.logaddexp(0, z) - z * y)


def added_losses(logits, labels):
    """The sum."""
    return each_loss(logits, labels) * np.size(labels)


def flat_losses(logits, labels):
    """The loss of probabilities that were taken for logits."""
    return each_loss(1 / (1 + np.exp(-np.asarray(logits, np.float64))), labels)


def turned_losses(logits, labels):
    """The loss of the other label."""
    return each_loss(logits, 1 - np.asarray(labels, np.float64))


def one_axis_more(logits, labels):
    """The labels get an axis, whether they have it or not."""
    return all_losses(logits, np.asarray(labels)[..., None])


def half_repaired(logits, labels):
    """Only a column of logits with a vector of labels is put right."""
    return (all_losses if np.ndim(labels) > np.ndim(logits) else each_loss)(logits, labels)


def softmax_of_one(logits, labels):
    """The share of one class among one."""
    return np.zeros(())


EACH_SLIPS = [
    Slip("softmax-of-one", softmax_of_one, "The loss is always 0: the softmax of a single logit is 1, whatever it is."),
    Slip(
        "all-with-all",
        one_axis_more,
        "The labels get an axis even where they have one, and then each logit meets *every* label.",
    ),
    Slip(
        "all-with-all",
        all_losses,
        "A column met a vector and became a table: each logit was compared with *every* label. The best that such a "
        "loss can teach is the mean.",
    ),
    Slip(
        "all-with-all-the-other-way",
        half_repaired,
        "Logits of shape (n,) and labels of shape (n, 1) still become a table: each logit meets *every* label. Make "
        "vectors of both.",
    ),
    Slip("summed", added_losses, "That is the sum over the examples: take the mean."),
    Slip(
        "sigmoid-twice",
        flat_losses,
        "The loss applies a sigmoid itself: given probabilities, it never comes near 0.",
    ),
    Slip(
        "other-label", turned_losses, "Large logits are called right where the label is 0: it is the other way round."
    ),
]


def each_case(rng, what):
    """Logits and labels, each as a vector or as a column."""
    n, logits_form, labels_form = what
    shapes = {"vector": (n,), "column": (n, 1)}
    logits = rng.normal(0, 3, shapes[logits_form]).astype(np.float32)
    labels = rng.integers(0, 2, shapes[labels_form]).astype(rng.choice(["float32", "int32"]))
    return logits, labels


EACH_FORMS = [
    (n, logits, labels)
    for n, logits, labels in (
        (1, "column", "vector"),
        (3, "vector", "vector"),
        (3, "column", "vector"),
        (3, "vector", "column"),
        (3, "column", "column"),
        (20, "column", "vector"),
    )
]


@exercise(
    "loss-of-each",
    see="wrong-nets",
    hint=[
        "Print the shape of the loss before its mean, for a column and a vector.",
        "`jnp.ravel` makes a vector of either.",
    ],
)
def loss_of_each(answer, rng):
    message = "This is not the mean over the examples of the loss of each logit and its own label."
    huge = (np.array([[1000.0], [-1000.0], [50.0]], np.float32), np.array([0, 1, 1], np.int32))
    huge_and_right = (np.array([1000.0, -1000.0, -90.0], np.float32), np.array([[1.0], [0.0], [0.0]], np.float32))

    def ask(*case):
        got = numbers(answer(*case))
        require(got.shape == (), "not-a-number", "One loss for each example came back: take their mean.")
        return got

    narrow = [(rng.normal(size=(3, 1)).astype(np.float32), np.array([1, 0, 1], np.uint8))]  # no place for a -1
    mixed = np.array([[1], [0], [0]], np.float32)  # a table of equal labels has the right mean
    turned = [(rng.normal(size=3).astype(np.float32), labels) for labels in (mixed, 1 - mixed)]
    more = {"extremes": [*narrow, *turned], "slips": EACH_SLIPS, "message": message, "rtol": 1e-3}
    sweep(ask, each_loss, each_case, rng, shapes=EACH_FORMS, each=2, **more)
    even = (rng.uniform(-3, 3, (20, 1)).astype(np.float32), rng.integers(0, 2, 20).astype(np.float32))
    message = "Half of the digits are lost: compute in `float32`, as the logits are."
    expect(ask(*even), each_loss(*even), message, label="half-the-digits", rtol=3e-6)
    for case in (huge, huge_and_right):
        got = ask(*case)
        message = (
            "For large logits the loss is not finite: a probability is rounded to 0 or 1 before its logarithm. "
            "Stay with logits."
        )
        require(np.isfinite(np.asarray(got, np.float64)).all(), "not-finite", message)
        want = each_loss(*case)
        message = "For large logits the loss is wrong: nothing may be cut off."
        require(abs(float(got) - want) <= 1e-3 * (1 + want), "cut-off", message)
    with_zeros = (np.array([[0.0], [2.5], [0.0]], np.float32), np.array([1, 0, 0], np.float32))
    huge_and_wrong = (np.array([[990.0], [-990.0], [50.0]], np.float32), np.array([0, 1, 1], np.float32))
    for case in (each_case(rng, (3, "column", "vector")), with_zeros, huge_and_right, huge_and_wrong):
        got, raised = answer.attempt(gradient_of, *case, expected=probe.NEEDS_A_VALUE)
        message = "NumPy or Python asked for a value, but under `jit` and `grad` none is known. Use `jnp`."
        refuse(raised, "not-traceable", message)
        z, y = case[0].astype(np.float64), np.reshape(case[1], case[0].shape)
        want = (1 / (1 + np.exp(-np.clip(z, -500, 500))) - y) / y.size
        message = f"The gradient with respect to the logits should have their shape, {want.shape}, not {got.shape}."
        require(got.shape == want.shape, "wrong-shape", message)
        message = (
            "The loss is right, and its gradient is NaN: some step inside overflows or divides by 0. In a `where` the "
            "branch that is not taken counts too: its gradient is 0 times infinity. Use a formula that is finite "
            "everywhere, such as `jnp.logaddexp`."
        )
        refuse(np.isnan(got).any(), "gradient-nan", message)
        message = "The gradient with respect to the logits is not that of the mean loss."
        require(np.abs(got - want).max() < 1e-4, "other-gradient", message)


@right("loss-of-each")
def by_logaddexp(logits, labels):
    z, y = logits.reshape(-1), labels.reshape(-1)
    return jnp.sum(jnp.logaddexp(0.0, z) - z * y) / z.size


@right("loss-of-each")
def makes_columns(logits, labels):
    logits, labels = (jnp.reshape(part, (-1, 1)) for part in (logits, labels))
    return jnp.mean(optax.sigmoid_binary_cross_entropy(logits, labels))


@wrong("loss-of-each", "all-with-all")
def all_with_all(logits, labels):
    return optax.sigmoid_binary_cross_entropy(logits, labels).mean()


@wrong("loss-of-each", "summed")
def adds_them_up(logits, labels):
    return optax.sigmoid_binary_cross_entropy(jnp.ravel(logits), jnp.ravel(labels)).sum()


@wrong("loss-of-each", "sigmoid-twice")
def sigmoid_twice(logits, labels):
    return optax.sigmoid_binary_cross_entropy(jax.nn.sigmoid(jnp.ravel(logits)), jnp.ravel(labels)).mean()


@wrong("loss-of-each", "other-label")
def turns_the_labels(logits, labels):
    return optax.sigmoid_binary_cross_entropy(-jnp.ravel(logits), jnp.ravel(labels)).mean()


@wrong("loss-of-each", "not-finite")
def takes_the_logarithm_of_probabilities(logits, labels):
    share, labels = jax.nn.sigmoid(jnp.ravel(logits)), jnp.ravel(labels)
    return -jnp.mean(jnp.where(labels == 1, jnp.log(share), jnp.log(1 - share)))


@wrong("loss-of-each", "cut-off")
def cuts_the_probabilities(logits, labels):
    share = jnp.clip(jax.nn.sigmoid(jnp.ravel(logits)), 1e-7, 1 - 1e-7)
    return -jnp.mean(jnp.where(jnp.ravel(labels) == 1, jnp.log(share), jnp.log(1 - share)))


@wrong("loss-of-each", "wrong-value")
def squares_the_differences(logits, labels):
    return jnp.mean((jax.nn.sigmoid(jnp.ravel(logits)) - jnp.ravel(labels)) ** 2)


@wrong("loss-of-each", "not-a-number")
def forgets_the_mean(logits, labels):
    return optax.sigmoid_binary_cross_entropy(jnp.ravel(logits), jnp.ravel(labels))


@wrong("loss-of-each", "softmax-of-one")
def takes_a_softmax_of_one(logits, labels):
    classes = jnp.reshape(logits, (-1, 1))
    return optax.softmax_cross_entropy(classes, jnp.reshape(labels, (-1, 1))).mean()


@wrong("loss-of-each", "all-with-all")
def always_adds_an_axis(logits, labels):
    return optax.sigmoid_binary_cross_entropy(logits, jnp.asarray(labels)[..., None]).mean()


@wrong("loss-of-each", "other-gradient")
def has_a_kink_at_nought(logits, labels):
    z, y = jnp.ravel(logits), jnp.ravel(labels)
    return jnp.mean(jax.nn.relu(z) - z * y + jnp.log1p(jnp.exp(-jnp.abs(z))))


@wrong("loss-of-each", "other-gradient")
def lets_the_sure_ones_be(logits, labels):
    z = jnp.ravel(logits)
    return all_with_all_of_vectors(jnp.where(jnp.abs(z) > 100, jax.lax.stop_gradient(z), z), labels)


@wrong("loss-of-each", "gradient-nan")
def chooses_between_two_formulas(logits, labels):
    z = jnp.where(jnp.ravel(labels) == 1, jnp.ravel(logits), -jnp.ravel(logits))
    return jnp.where(z > 0, jnp.log1p(jnp.exp(-z)), jnp.log1p(jnp.exp(z)) - z).mean()


@wrong("loss-of-each", "all-with-all-the-other-way")
def makes_columns_of_vectors_of_labels(logits, labels):
    return all_with_all.answer(logits, labels.reshape(-1, 1) if labels.ndim < logits.ndim else labels)


@wrong("loss-of-each", "half-the-digits")
def computes_with_half_of_the_digits(logits, labels):
    return all_with_all_of_vectors(jnp.asarray(logits).astype(jnp.float16), labels)


@wrong("loss-of-each", "not-traceable")
def uses_numpy(logits, labels):
    z, y = np.ravel(logits), np.ravel(labels)
    return np.mean(np.logaddexp(0, z) - z * y)


@wrong("loss-of-each", "other-gradient")
def stops_the_gradient(logits, labels):
    return all_with_all_of_vectors(jax.lax.stop_gradient(logits), labels)


def all_with_all_of_vectors(logits, labels):
    """The loss, for a wrong answer that goes wrong elsewhere."""
    return optax.sigmoid_binary_cross_entropy(jnp.ravel(logits), jnp.ravel(labels)).mean()


# -- fresh-masks ------------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def mask_facts(student_function, words, x, steps):
    """The array, for the key of two words."""
    return student_function(jax.random.wrap_key_data(probe.on_device(np.array(words, np.uint32))), x, steps)


@exercise(
    "fresh-masks",
    see="wrong-nets",
    hint=[
        "Which key does the second step draw from?",
        "`jax.random.fold_in(key, step)` is another key for each step.",
    ],
)
def fresh_masks(answer, rng):
    def ask(words, x, steps):
        got = answer.probe(mask_facts, words, x, steps)
        answer.called = f"fresh_masks(key, float32{list(x.shape)}, {steps})"
        got, want = numbers(got), (steps, *x.shape)
        require(got.shape == want, "wrong-shape", f"The shape should be {want}, not {got.shape}.")
        return got.astype(np.float64)

    first, last = (int(word) for word in rng.integers(10_000, size=2))
    steps, x = 6, (rng.choice([-1, 1], (20, 20)) * rng.uniform(0.5, 2, (20, 20))).astype(np.float32)
    masks = _judge_values(ask([first, last], x, steps), x)
    _judge_masks(masks)
    uses = answer.probe(probe.key_uses, x, steps)
    answer.called = f"fresh_masks(key, float32[20, 20], {steps})"
    message = "Nothing is drawn with a JAX key: the same key would not give the same masks again."
    require(uses["draws"], "no-key", message)
    message = "One key serves two purposes here: what is drawn from it twice is not independent. Split or fold it."
    refuse(uses["faults"], "key-reused", message)
    message = "The same key gave other masks the second time: the result may depend on nothing but the arguments."
    require(np.array_equal(ask([first, last], x, steps) != 0, masks), "not-repeatable", message)
    others = [ask([first + i, last + j], x, steps) != 0 for i, j in ((1, 0), (0, 1), (0, 2), (3, 0))]
    message = "Another key gave the same masks: the key is not used, or a part of it only."
    refuse(any(np.array_equal(other, masks) for other in others), "key-ignored", message)
    drawn = [mask.tobytes() for grid in (masks, *others) for mask in grid]
    message = "Another key gave some of the same masks: its steps are those of this key, moved along."
    require(len(set(drawn)) == len(drawn), "keys-overlap", message)
    message = "In all steps together exactly as many numbers are dropped, whatever the key: draw each independently."
    refuse({int(other.sum()) for other in others} == {int(masks.sum())}, "exact-share", message)
    share = np.mean([masks, *others])
    require(abs(share - 0.8) < 0.025, "other-share", f"{1 - share:.1%} of the numbers were dropped, not a fifth.")
    for shape, count, size in (((), 2, 1e-30), ((7,), 1, 1e30)):
        other = (rng.choice([-1, 1], shape) * rng.uniform(0.5, 1, shape) * size).astype(np.float32)
        _judge_values(ask([first, last], other, count), other)
    x = rng.uniform(0.5, 2, (4, 5, 6)).astype(np.float32)
    masks = _judge_values(ask([first, last], x, 12), x)
    message = "Among twelve steps two have the same mask: each step should draw its own."
    require(len({mask.tobytes() for mask in masks}) == 12, "related-masks", message)
    message = "Whole rows or columns were dropped together: each number should have a draw of its own."
    require(max(masks.mean(axis=axis).std() for axis in (1, 2, 3)) < 0.3, "dropped-together", message)


def _judge_values(got, x):
    kept = got != 0
    wide = np.broadcast_to(np.asarray(x, np.float64), got.shape)
    whole = wide != 0
    message = "What is kept is unchanged: divide it by 0.8, so that the mean stays the same."
    refuse((kept & whole).any() and close(got[kept], wide[kept], rtol=1e-5), "not-scaled", message)
    message = "What is kept should be divided by 0.8, what is dropped should be 0."
    require(close(np.where(kept, got * 0.8, 0), np.where(kept, wide, 0), rtol=1e-5), "wrong-value", message)
    return kept


def _judge_masks(grids):
    masks, share = grids.reshape(len(grids), -1), grids.mean()
    message = "Every step drops the same numbers: the key is the same in each."
    refuse(share < 1 and (masks == masks[:1]).all(), "same-in-every-step", message)
    refuse(set(masks.mean(axis=1)) <= {0.0, 1.0}, "all-or-nothing", "All numbers of a step are dropped, or none.")
    message = "Whole rows or columns were dropped together: each number should have a draw of its own."
    require(max(grids.mean(axis=axis).std() for axis in (1, 2)) < 0.25, "dropped-together", message)
    message = "The masks of two steps are the same, or one is the other, shifted: draw each independently."
    require(max(map(alike, *_pairs(masks))) < 0.5, "related-masks", message)
    refuse(share < 0.35, "turned", "Four fifths were dropped: `bernoulli(key, p)` is true with probability `p`.")
    message = f"{1 - share:.0%} of the numbers were dropped, not a fifth."
    require(0.75 < share < 0.85, "other-share", message)
    message = "In each step exactly as many numbers are dropped: each number should be drawn independently."
    refuse(len(set(masks.sum(axis=1).tolist())) == 1, "exact-share", message)


def _pairs(masks):
    places = [(i, j) for i in range(len(masks)) for j in range(i)]
    return [masks[i] for i, _ in places], [masks[j] for _, j in places]


def alike(one, other):
    """The largest correlation of two masks, however one is moved along the other."""
    a, b = (np.fft.rfft(mask - mask.mean()) for mask in (one, other))
    return np.abs(np.fft.irfft(a * b.conj(), len(one))).max() / (len(one) * one.std() * other.std())


@right("fresh-masks")
def splits_the_key(key, x, steps):
    keys = jax.random.split(key, steps)
    kept = jax.vmap(lambda own: jax.random.bernoulli(own, 0.8, jnp.shape(x)))(keys)
    return jnp.where(kept, x / 0.8, 0)


@right("fresh-masks")
def draws_all_at_once(key, x, steps):
    return x * (jax.random.uniform(key, (steps, *x.shape)) >= 0.2) / 0.8


@wrong("fresh-masks", "same-in-every-step")
def the_same_noise_every_day(key, x, steps):
    def show(carry, step):
        kept = jax.random.bernoulli(key, 0.8, x.shape)
        return carry, jnp.where(kept, x / 0.8, 0)

    return jax.lax.scan(show, None, jnp.arange(steps))[1]


@wrong("fresh-masks", "turned")
def drops_four_fifths(key, x, steps):
    kept = jax.random.bernoulli(key, 0.2, (steps, *x.shape))
    return jnp.where(kept, x / 0.8, 0)


@wrong("fresh-masks", "not-scaled")
def does_not_scale(key, x, steps):
    return jnp.where(jax.random.bernoulli(key, 0.8, (steps, *x.shape)), x, 0)


@wrong("fresh-masks", "wrong-value")
def scales_by_the_dropped(key, x, steps):
    return jnp.where(jax.random.bernoulli(key, 0.8, (steps, *x.shape)), x / 0.2, 0)


@wrong("fresh-masks", "other-share")
def drops_half(key, x, steps):
    return jnp.where(jax.random.bernoulli(key, 0.5, (steps, *x.shape)), x / 0.8, 0)


@wrong("fresh-masks", "all-or-nothing")
def one_draw_for_each_step(key, x, steps):
    kept = jax.random.bernoulli(key, 0.5, (steps,)).at[0].set(True).at[-1].set(False)
    return jnp.where(kept.reshape(steps, *[1] * x.ndim), x / 0.8, 0)


@wrong("fresh-masks", "exact-share")
def shuffles_for_all_steps(key, x, steps):
    shape = (steps, *x.shape)
    size = math.prod(shape)
    kept = jax.random.permutation(key, jnp.arange(size) >= size // 5).reshape(shape)
    return jnp.where(kept, x / 0.8, 0.0)


@wrong("fresh-masks", "exact-share")
def drops_exactly_a_fifth(key, x, steps):
    keys = jax.random.split(key, steps)
    order = jax.vmap(lambda own: jax.random.permutation(own, x.size))(keys)
    return jnp.where((order >= x.size // 5).reshape(steps, *x.shape), x / 0.8, 0)


@wrong("fresh-masks", "related-masks")
def moves_one_mask_along(key, x, steps):
    kept = jax.random.bernoulli(key, 0.8, x.shape)
    return jnp.where(jnp.stack([jnp.roll(kept, 7 * i) for i in range(steps)]), x / 0.8, 0)


@wrong("fresh-masks", "key-reused")
def draws_and_folds(key, x, steps):
    def show(carry, step):
        kept = jax.random.bernoulli(jax.random.fold_in(key, step), 0.8, x.shape)
        return carry, jnp.where(kept, x / 0.8, 0)

    rest = jax.lax.scan(show, None, jnp.arange(steps - 1))[1]
    first = jnp.where(jax.random.bernoulli(key, 0.8, x.shape), x / 0.8, 0)
    return jnp.concatenate([first[None], rest]) if steps > 1 else first[None]


@wrong("fresh-masks", "key-ignored")
def brings_a_key_of_its_own(key, x, steps):
    return draws_all_at_once.answer(jax.random.key(0), x, steps)


@wrong("fresh-masks", "not-repeatable")
def counts_its_calls(key, x, steps):
    _CALLS.append(steps)
    return draws_all_at_once.answer(jax.random.fold_in(key, len(_CALLS)), x, steps)


_CALLS: list[int] = []


@wrong("fresh-masks", "keys-overlap")
def adds_the_step_to_the_key(key, x, steps):
    words = jax.random.key_data(key)
    keys = jnp.stack([jax.random.wrap_key_data(words.at[1].add(i)) for i in range(steps)])
    kept = jax.vmap(lambda own: jax.random.bernoulli(own, 0.8, x.shape))(keys)
    return jnp.where(kept, x / 0.8, 0)


@wrong("fresh-masks", "related-masks")
def has_six_keys_only(key, x, steps):
    keys = jax.random.split(key, 6)
    kept = jax.vmap(lambda own: jax.random.bernoulli(own, 0.8, x.shape))(keys)
    return jnp.where(kept[jnp.arange(steps) % 6], x / 0.8, 0)


@wrong("fresh-masks", "no-key")
def draws_in_numpy(key, x, steps):
    kept = np.random.default_rng().random((steps, *x.shape)) < 0.8
    return jnp.where(kept, x / 0.8, 0)


@wrong("fresh-masks", "dropped-together")
def drops_whole_rows(key, x, steps):
    shape = (steps, *x.shape[:1], *[1] * max(x.ndim - 1, 0))
    return jnp.where(jax.random.bernoulli(key, 0.8, shape), x / 0.8, 0)


# -- changes of solutions that leave them right -----------------------------------------------------------------

_AS_MANY_ROWS = "both have as many rows"
_ONE_COLUMN = "the one column is the first and the last, and JAX takes a position beyond the end for the last"

accepted = [
    equivalent("step-with-state", "`0`  ->  `-1`", _ONE_COLUMN),
    equivalent("step-with-state", "`0`  ->  `1`", _ONE_COLUMN),
    equivalent("shuffled-epoch", "`x`  ->  `y`", _AS_MANY_ROWS),
    equivalent("shuffled-epoch", "`x`  ->  `order`", _AS_MANY_ROWS),
    equivalent("shuffled-epoch", "`1`  ->  `2`", "NumPy takes any negative length for the one to find out"),
    equivalent("accuracy-of-all", "`x`  ->  `y`", _AS_MANY_ROWS),
    equivalent("accuracy-of-all", "`0`  ->  `-1`", _ONE_COLUMN),
    equivalent(
        "accuracy-of-all",
        "`np.asarray(net(x[i:i + size]))`  ->  `net(x[i:i + size])`",
        "an array of JAX compares and adds up as well",
    ),
    equivalent(
        "accuracy-of-all",
        "`int((positive == y[i:i + size]).sum())`  ->  `(positive == y[i:i + size]).sum()`",
        "a whole number of NumPy is a number too",
    ),
    equivalent("step-that-learns", "`prediction - y`  ->  `y - prediction`", "the square is the same"),
    equivalent("fresh-masks", "`0.8`  ->  `0.808`", "in the mask: of 20,000 numbers, chance alone moves as many"),
    equivalent(
        "fresh-masks", "`jnp.where(kept, x / 0.8, 0)`  ->  `kept * (x / 0.8) + (1 - kept) * 0`", "finite numbers"
    ),
    equivalent("fresh-masks", "`1`  ->  `-1`", "the second of two results is the last"),
]
