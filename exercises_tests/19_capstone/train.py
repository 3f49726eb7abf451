"""train: a network that knows quiet weather, judged by a third of a season that it has not seen."""

from collections import Counter

import jax
import numpy as np

from jaxcourse import insides
from jaxcourse.barometers import _course, _steps, initial, simulate
from jaxcourse.checks import declare, refuse, require

DAYS = 3
"""As in the lesson: a shorter season would save nothing, since it is the steps that take the time."""
BEHIND = 0.045
"""How much larger than the course's the loss may be: in twenty seasons, -0.02 to 0.02 was right."""
NARROW, WIDE = 0.95, 1.45
"""The middle size of the innovations, in that of the course's: 0.98 to 1.2 was right, at most 0.92 not clipped."""
WILD = 5
"""Beyond that, the network knows less than one that nobody has trained."""
STILL = 0.005
"""The linear part of the network begins at 0: smaller numbers are those of one that has hardly moved."""
AGAIN = 10
"""How often one program may be compiled: ragged batches and the like need it more than once."""


def trained(train, filled, heard):
    """The parameters, and the names of all programs that were compiled meanwhile."""
    before = len(insides.compilations())
    params = jax.block_until_ready(train(filled, heard))
    return {"params": params, "compiled": insides.compilations()[before:]}


def season(rng):
    """Two thirds of a season to train on, with the rest blotted out; and the whole of it."""
    seed, layout = (int(n) for n in rng.integers(1, 10**6, 2))
    network = simulate(seed, days=DAYS, quiet=True, layout=layout)
    x = _steps.minute_means(network.readings, network.stations, network.clocks, 1440 * DAYS)
    _, filled, heard = _steps.known_then(x)
    shown = filled.copy()
    shown[first_unseen(filled) :] = np.nan
    return shown, filled, heard


def first_unseen(filled):
    """The first minute of the last third."""
    return 2 * len(filled) // 3


def finite(params):
    return all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(params))


def require_params(params):
    """Require a dictionary with the names and shapes of the network's parameters."""
    shapes = {name: leaf.shape for name, leaf in jax.eval_shape(initial).items()}
    require(isinstance(params, dict) and params.keys() == shapes.keys(), "not-parameters")
    others = [name for name, shape in shapes.items() if np.shape(params[name]) != shape]
    refuse(others, "not-parameters/shape", name=others[:1] and others[0])


def check(answer, rng):
    shown, filled, heard = season(rng)
    found = answer.probe(trained, shown, heard)
    answer.called = "train(filled, heard)"
    params, programs = found["params"], Counter(found["compiled"])
    require_params(params)
    for program, times in programs.most_common(1):
        refuse(times > AGAIN, "compiles-each-step", times=times, program=program)
    if not finite(params):
        again = answer.probe(trained, filled, heard)["params"]
        refuse(finite(again), "looks-at-the-last-third")
        require(False, "not-finite")
    judged = filled, heard, first_unseen(filled)
    loss, spread = _steps.loss_of(params, *judged)
    *_, own = _course.kept()
    course, usual = _steps.loss_of(own, *judged)
    before, _ = _steps.loss_of(initial(), *judged)
    times = spread / usual
    if loss <= course + BEHIND and NARROW <= times <= WIDE:
        return
    facts = {"loss": f"{loss:.3f}", "course": f"{course:.3f}", "before": f"{before:.3f}", "times": f"{times:.2f}"}
    refuse(np.abs(params["straight"]).max() < STILL, "learned-nothing")
    refuse(times > WILD, "went-uphill", **facts)
    refuse(times < NARROW, "not-clipped", **facts)
    refuse(times > WIDE, "clipped-too-hard", **facts)
    require(False, "learned-too-little", **facts)


WORDS = """
hint: What goes from one step to the next? What is different in each step, and what is the same in all?
hint: `minute, station = np.nonzero(heard[24:two_thirds])` lists the examples; do not forget to add 24 to the minutes.
hint: A rate that falls to 0 ends calmly: `optax.adamw(optax.cosine_decay_schedule(0.005, 250))`.
not-parameters: Return the parameters alone, as a dictionary with the names that `initial()` has.
not-parameters/shape: `{name}` has another shape than in `initial()`.
compiles-each-step: The program `{program}` was compiled {times} times. What changes from step to step must be an
    argument, and not a constant or a new function.
looks-at-the-last-third: With NaN in the last third of the record the parameters are NaN, and without it they are not:
    the network saw what it will be judged by. Were examples of it taken, or windows that reach back beyond minute 0,
    where the record is read from its end?
not-finite: The parameters are NaN or infinite.
learned-nothing: The parameters are nearly those of the start. Are the ones that come back the new ones, do updates
    reach the next step, and is the rate large enough?
went-uphill: On the last third the loss is {loss}, and it was {before} before the first step; innovations have {times}
    times the middle size that the course's have. Is the sign of the step right, and is the gradient that of the loss?
not-clipped: The innovations have {times} times the middle size that the course's have: the spread that it predicts is
    too wide for quiet weather, since some slams decided on it. Clip the gradient of each example.
clipped-too-hard: The innovations have {times} times the middle size that the course's have: the spread that it predicts
    is too narrow, as where ordinary minutes are clipped as well as slams. Allow longer gradients, and steps enough.
learned-too-little: On the last third the loss is {loss}, and that of the course's parameters {course}; {before} it was
    before the first step. Train longer, with larger batches, or with a rate that falls in the end.
"""

train = declare(
    "train",
    points=3,
    see="train-on-quiet",
    steps=[check],
    words=WORDS,
)
