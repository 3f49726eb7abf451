"""Answers to paired-loss."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


@right("paired-loss")
@jax.jit
def compiled(prediction, target):
    if prediction.shape[1:] == (1,):
        prediction = prediction[:, 0]
    if prediction.shape != target.shape:
        raise ValueError("one prediction for each target, please")
    return jnp.mean(jnp.square(prediction - target))


class NotPaired(ValueError):
    """An exception of one's own is a `ValueError` too."""


@right("paired-loss")
def targets_as_a_column(prediction, target):
    if prediction.size != target.size:
        raise NotPaired(prediction.shape)
    residual = prediction.reshape(-1, 1) - target.reshape(-1, 1)
    return float((residual**2).mean())


@wrong("paired-loss", "lone-pair-refused")
def squeezes_away_the_only_axis(prediction, target):
    flat = prediction.squeeze()
    if flat.shape != target.shape:
        raise ValueError("not paired")
    return jnp.mean((flat - target) ** 2)


@wrong("paired-loss", "pairs-refused")
def wants_equal_shapes(prediction, target):
    if prediction.shape != target.shape:
        raise ValueError("not paired")
    return jnp.mean((prediction - target) ** 2)


@wrong("paired-loss", "lengths-not-compared")
def only_one_is_refused(prediction, target):
    if len(prediction) == 1 < len(target):
        raise ValueError("one for many")
    n = min(len(prediction), len(target))
    return jnp.mean((prediction.ravel()[:n] - target[:n]) ** 2)


@wrong("paired-loss", "lengths-not-compared")
def many_predictions_for_one_target(prediction, target):
    flat = prediction.ravel()
    if len(flat) < len(target):
        raise ValueError("too few")
    return jnp.mean((flat - target) ** 2)


@wrong("paired-loss", "halved")
def halves_it(prediction, target):
    return jnp.mean((prediction.ravel() - target) ** 2) / 2


@wrong("paired-loss", "squared-too-late")
def squares_the_mean(prediction, target):
    return jnp.mean(prediction.ravel() - target) ** 2


@wrong("paired-loss", "wrong-value")
def median_of_squares(prediction, target):
    return jnp.median((prediction.ravel() - target) ** 2)


@wrong("paired-loss", "all-pairs")
def as_it_was(prediction, target):
    return jnp.mean((prediction - target) ** 2)


@wrong("paired-loss", "all-pairs-of-vectors")
def turns_the_target(prediction, target):
    return jnp.mean((prediction - target[:, None]) ** 2)


@wrong("paired-loss", "IndexError")
def takes_the_column(prediction, target):
    return jnp.mean((prediction[:, 0] - target) ** 2)


@wrong("paired-loss", "lengths-not-compared")
def ravels_and_trusts(prediction, target):
    return jnp.mean((prediction.ravel() - target.ravel()) ** 2)


@wrong("paired-loss", "another-exception")
def reshapes_and_hopes(prediction, target):
    return jnp.mean((jnp.asarray(prediction).reshape(target.shape) - target) ** 2)


@wrong("paired-loss", "lengths-not-compared")
def looks_at_the_lengths_alone(prediction, target):
    if len(prediction) != len(target) or prediction.shape[-1] not in (1, len(target)):
        raise ValueError("not paired")
    return jnp.mean((prediction.ravel() - target if prediction.shape[-1] == 1 else prediction - target) ** 2)


@wrong("paired-loss", "lengths-not-compared")
def nothing_costs_nothing(prediction, target):
    if prediction.size and prediction.size != target.size:
        raise ValueError("not paired")
    return jnp.mean((prediction.ravel() - target) ** 2) if prediction.size else 0.0


@wrong("paired-loss", "wrong-value")
def never_quite_zero_loss(prediction, target):
    if prediction.size != target.size:
        raise ValueError("not paired")
    return jnp.mean((prediction.ravel() - target) ** 2) + 1e-8


@wrong("paired-loss", "lengths-not-compared")
def takes_the_first_output(prediction, target):
    if len(prediction) != len(target):
        raise ValueError("not paired")
    return jnp.mean((prediction.reshape(len(target), -1)[:, 0] - target) ** 2)


@wrong("paired-loss", "not-refused-in-jax")
def leaves_it_to_reshape(prediction, target):
    return ((prediction.reshape(target.shape) - target) ** 2).mean()


@wrong("paired-loss", "another-exception")
def asserts(prediction, target):
    assert prediction.ravel().shape == target.shape
    return jnp.mean((prediction.ravel() - target) ** 2)


@wrong("paired-loss", "another-exception")
def stumbles_over_the_message(prediction, target):
    if prediction.ravel().shape != target.shape:
        raise ValueError(f"{predictions.shape} for {target.shape}")  # noqa: F821
    return jnp.mean((prediction.ravel() - target) ** 2)


@wrong("paired-loss", "ValueError")
def unpacks_two_lengths(prediction, target):
    n, _ = prediction.shape
    if n != len(target):
        raise ValueError("not paired")
    return jnp.mean((prediction[:, 0] - target) ** 2)


@wrong("paired-loss", "lone-pair-refused")
def squeezes_and_asks_for_the_length(prediction, target):
    if len(prediction.squeeze()) != len(target):
        raise ValueError("not paired")
    return jnp.mean((prediction.squeeze() - target) ** 2)


@wrong("paired-loss", "root-taken")
def root_mean_square(prediction, target):
    return jnp.sqrt(jnp.mean((prediction.ravel() - target) ** 2))


@wrong("paired-loss", "columns-only")
def halves_what_has_one_axis(prediction, target):
    return jnp.mean((prediction.ravel() - target) ** 2) * prediction.ndim / 2


equivalents = [
    equivalent("paired-loss", "`flat - target`  ->  `target - flat`", "it is squared"),
]
