"""What makes a race unfair, and how to repair it."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import Any

import jax
import numpy as np

from jaxcourse.bench import _arrays
from jaxcourse.bench._clock import Trial, wait


class UnfairRace(ValueError):
    """The contestants do not do the same work, or not only the work that is to be compared."""


def refuse_unfair(first: Trial, latest: Trial, set_aside: Collection[str]) -> None:
    """Refuse a race if its latest contestant is not fair by itself, or not against the first one.

    Args:
        first: the contestant that the others are compared with.
        latest: the contestant to look at; perhaps the first one itself.
        set_aside: rules that do not apply: "dtypes", "results", "transfers".

    Raises:
        UnfairRace: with what is unfair, about which contestant, and what to do.
    """
    _refuse_no_result(latest)
    _refuse_donation(latest)
    if "transfers" not in set_aside:
        _refuse_transfers(latest)
    if latest is first:
        return
    if "dtypes" not in set_aside:
        _refuse_other_dtypes(first, latest)
    if "results" not in set_aside:
        _refuse_other_results(first, latest)


def _refuse_no_result(trial: Trial) -> None:
    if not trial.outputs:
        raise UnfairRace(
            f"{trial.name!r} returns nothing, so nothing shows that the work is done, and JAX would not do it. "
            "Return the result, also when it is written into an argument."
        )
    for leaf in trial.outputs:
        if not _arrays.is_comparable(leaf):
            raise UnfairRace(
                f"{trial.name!r} returns {_arrays.describe([leaf])}, which can neither be waited for nor compared. "
                "Return arrays of numbers, or numbers."
            )


def _refuse_donation(trial: Trial) -> None:
    if any(isinstance(leaf, jax.Array) and leaf.is_deleted() for leaf in trial.inputs):
        raise UnfairRace(
            f"{trial.name!r} donates its argument (donate_argnums) and cannot be called with it again. "
            "Race it without donation, or enter a function without arguments that keeps the array from call to call."
        )


def _refuse_transfers(trial: Trial) -> None:
    """Refuse a copy between NumPy and JAX inside the timed region."""
    if_meant = 'If the copy is to be timed, say why: across_transfers="..."'
    returns_numpy = any(isinstance(leaf, (np.ndarray, np.generic)) for leaf in trial.outputs)
    for index, argument in enumerate(trial.entry.args):
        found = _arrays.leaves(argument)
        on_host = [leaf for leaf in found if isinstance(leaf, np.ndarray) and leaf.ndim > 0]
        on_device = [leaf for leaf in found if isinstance(leaf, jax.Array)]
        if trial.is_jax and on_host:
            raise UnfairRace(
                f"{trial.name!r} is a JAX function, but its argument {index} is a NumPy array "
                f"({_arrays.describe(on_host)}), so each timed call would also copy it to the device. "
                f"Enter it as jnp.asarray(x). {if_meant}"
            )
        if returns_numpy and not trial.is_jax and on_device:
            raise UnfairRace(
                f"{trial.name!r} returns NumPy, but its argument {index} is a JAX array "
                f"({_arrays.describe(on_device)}), so each timed call would also copy it to the host. "
                f"Enter it as np.asarray(x). {if_meant}"
            )
    if trial.is_jax and (hidden := _hidden_transfer(trial)):
        raise UnfairRace(
            f"{trial.name!r} is a JAX function that uses a NumPy array ({hidden}) from outside its arguments, so each "
            f"timed call would also copy it to the device. Make it a JAX array before the race. {if_meant}"
        )


def _hidden_transfer(trial: Trial) -> str:
    """Type and shape of an array that a call copies to the device, or an empty string. Numbers do not count."""
    try:
        with jax.transfer_guard_host_to_device("disallow_explicit"):
            wait(trial.entry.function(*trial.entry.args))
    except jax.errors.JaxRuntimeError as error:
        if "Disallowed host-to-device transfer" not in str(error):
            raise
        found = re.search(r"aval=ShapedArray\((\w+\[[\d,]+\])", str(error))
        return found[1] if found else ""
    return ""


def _refuse_other_dtypes(first: Trial, other: Trial) -> None:
    pairs: list[tuple[str, list[Any], list[Any]]] = [
        ("takes", first.inputs, other.inputs),
        ("returns", first.outputs, other.outputs),
    ]
    for verb, mine, its in pairs:
        one, two = _arrays.dtypes(mine), _arrays.dtypes(its)
        if one and two and one != two:
            raise UnfairRace(
                f"{first.name!r} {verb} {' and '.join(sorted(one))}, but {other.name!r} {verb} "
                f"{' and '.join(sorted(two))}, so they do not move the same bytes. Give both the same dtype, e.g. "
                'x.astype(np.float32); JAX has float64 only after jax.config.update("jax_enable_x64", True) in the '
                'first cell. If dtypes are what is compared, say why that is fair: across_dtypes="..."'
            )


def _refuse_other_results(first: Trial, other: Trial) -> None:
    repair = (
        "Make them compute the same thing. If results differ by design, as random numbers do, "
        'say why the work is still the same: across_results="..."'
    )
    for trial in (first, other):
        if any(isinstance(leaf, jax.Array) and leaf.is_deleted() for leaf in trial.outputs):
            raise UnfairRace(
                f"{trial.name!r} donates its earlier result at its next call, so the results cannot be compared. "
                'Return a part of it, such as x[:1], or say why the work is the same: across_results="..."'
            )
    if [np.shape(leaf) for leaf in first.outputs] != [np.shape(leaf) for leaf in other.outputs]:
        one, two = _arrays.describe(first.outputs), _arrays.describe(other.outputs)
        raise UnfairRace(f"{first.name!r} returns {one}, but {other.name!r} returns {two}. {repair}")
    tolerance = _tolerance(first, other)
    for mine, its in zip(map(_arrays.values, first.outputs), map(_arrays.values, other.outputs), strict=True):
        if not _arrays.agree(mine, its, tolerance):
            raise UnfairRace(
                f"{first.name!r} and {other.name!r} return different values: {_arrays.largest_difference(mine, its)}, "
                f"which is more than {tolerance:.2g} of the largest value. {repair}"
            )


def _tolerance(first: Trial, other: Trial) -> float:
    """Relative: half the digits of the coarsest dtype may be lost, since sums are rounded in another order."""
    dtypes = _arrays.dtypes([*first.inputs, *first.outputs, *other.inputs, *other.outputs])
    return math.sqrt(_arrays.rounding(dtypes))
