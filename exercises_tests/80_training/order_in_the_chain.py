"""order-in-the-chain."""

import jax.numpy as jnp
import numpy as np
import optax

from jaxcourse.prediction import Mistake, any_of, prediction


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
            "You read both chains from the right. The gradient goes in at the left, and comes out at the right.",
        ),
        Mistake(
            "rate-forgotten",
            [{"sgd(0.1)": 5000.0}, {"chain(clip, sgd(0.1))": 1.0}],
            "`sgd(0.1)` multiplies by the rate, so what leaves it is a tenth of what went in.",
        ),
        Mistake(
            "mean-for-length",
            {"sgd(0.1)": any_of(5.0, 50.0)},
            "A length is the root of the sum of all squares. The gradient has 5000, however many numbers are in it.",
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
            "The chain runs in order. The rate comes first and leaves a step of 500, which is then clipped to 1.",
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
            "In `adamw` the decay comes before the rate, so a step takes rate times decay off each weight.",
        ),
        Mistake(
            "decay-behind-shrinks",
            {_DECAYED: any_of(-0.001, -0.01)},
            "The minus sign is inside `adam`, and the decay comes after it. So the decay is added, and the weights "
            "grow.",
        ),
        Mistake(
            "rate-behind",
            {_DECAYED: 0.001},
            "The rate is inside `adam`, and the decay comes after it. So nothing multiplies the decay by 0.1.",
        ),
        Mistake(
            "sign-turned",
            {_ADAMW: 0.001},
            "`adamw` makes weights smaller, so what is added to them is negative.",
        ),
    ],
    otherwise="Follow the gradient through the chain, from the left.",
)
