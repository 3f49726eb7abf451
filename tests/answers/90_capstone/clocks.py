"""Answers to clocks."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import scipy.optimize

from jaxcourse.exercise import equivalent, right, wrong


@right("clocks")
def medians_of_all_pairs(day, ahead, there):
    known = there > 0
    pair = known[:, :, None] & known[:, None, :] & (day[:, :, None] > day[:, None, :] + 0.2)
    with np.errstate(all="ignore"):
        slope = (ahead[:, :, None] - ahead[:, None, :]) / (day[:, :, None] - day[:, None, :])
    drift = np.nanmedian(np.where(pair, slope, np.nan), axis=(1, 2))
    offset = np.nanmedian(np.where(known, ahead - drift[:, None] * day, np.nan), axis=1)
    return np.stack([offset, drift], axis=1)


@right("clocks")
def by_scipy_with_a_robust_loss(day, ahead, there):
    lines = []
    for d, a, known in zip(day, ahead, there > 0, strict=True):
        d, a = d[known].astype(float), a[known].astype(float)
        start = [np.median(a), 0.0]
        fit = scipy.optimize.least_squares(
            lambda p, d=d, a=a: p[0] + p[1] * d - a, start, loss="soft_l1", f_scale=3.0, x_scale=[1.0, 1.0]
        )
        lines.append(fit.x)
    return np.array(lines)


def robust(day, ahead, there):
    """Lines without what is far off: first off the middle, then off the line."""
    rows = []
    for d, a, known in zip(day, ahead, there.astype(bool), strict=True):
        d, a = d[known], a[known]
        near = np.abs(a - np.median(a)) < 195
        for width in (60, 30, 30):
            slope, start = np.polyfit(d[near], a[near], 1)
            near = np.abs(a - start - slope * d) < width
        rows.append([start, slope])
    return np.array(rows)


leaves_out_what_is_far_off = right("clocks")(robust)


@right("clocks")
@jax.jit
def descends_on_the_sizes(day, ahead, there):
    middle = jnp.nanmedian(jnp.where(there > 0, ahead, jnp.nan), axis=1)
    line = jnp.stack([middle, jnp.zeros_like(middle)], axis=1)

    def loss(line):
        residual = ahead - line[:, :1] - line[:, 1:] * day
        return (there * optax.losses.huber_loss(residual, delta=3.0)).sum()

    rule = optax.adam(optax.cosine_decay_schedule(1.0, 1500))

    def step(carry, _):
        line, state = carry
        updates, state = rule.update(jax.grad(loss)(line), state)
        return (optax.apply_updates(line, updates), state), None

    return jax.lax.scan(step, (line, rule.init(line)), length=1500)[0][0]


def plain(day, ahead, weight):
    """The line of least squares, for one station."""
    root = jnp.sqrt(weight)
    design = jnp.stack([root, root * day], axis=1)
    return jnp.linalg.lstsq(design, root * ahead)[0]


@wrong("clocks", "follows-late-uploads")
def least_squares(day, ahead, there):
    return jax.vmap(plain)(day, ahead, there)


@wrong("clocks", "follows-late-uploads")
def by_polyfit(day, ahead, there):
    known = there > 0
    return np.array([np.polyfit(d[k], a[k], 1)[::-1] for d, a, k in zip(day, ahead, known, strict=True)])


@wrong("clocks", "follows-late-uploads")
def trims_the_ends_only(day, ahead, there):
    inner = there * (day > 0.1) * (day < 2.9)
    return jax.vmap(plain)(day, ahead, inner)


@wrong("clocks", "follows-late-uploads")
def clips_what_is_thrice_the_spread_once(day, ahead, there):
    line = jax.vmap(plain)(day, ahead, there)
    residual = there * (ahead - line[:, :1] - line[:, 1:] * day)
    spread = jnp.sqrt((residual**2).sum(1, keepdims=True) / there.sum(1, keepdims=True))
    return jax.vmap(plain)(day, ahead, there * (jnp.abs(residual) <= 3 * spread))


@wrong("clocks", "keeps-some-late")
def a_median_with_a_threshold(day, ahead, there):
    lines = []
    for d, a, known in zip(day, ahead, there > 0, strict=True):
        d, a = d[known], a[known]
        near = np.abs(a - np.median(a)) < 250
        for _ in range(2):
            slope, start = np.polyfit(d[near], a[near], 1)
            near = np.abs(a - start - slope * d) < 250
        lines.append([start, slope])
    return np.array(lines)


@wrong("clocks", "keeps-some-late")
def a_median_and_a_threshold_below_the_shortest_delay(day, ahead, there):
    lines = []
    for d, a, known in zip(day, ahead, there > 0, strict=True):
        d, a = d[known], a[known]
        near = np.abs(a - np.median(a)) < 200
        lines.append(np.polyfit(d[near], a[near], 1)[::-1])
    return np.array(lines)


@wrong("clocks", "keeps-some-late")
def thrice_the_usual_distance_from_the_median(day, ahead, there):
    lines = []
    for d, a, known in zip(day, ahead, there > 0, strict=True):
        d, a = d[known], a[known]
        size = np.abs(a - np.median(a))
        near = size < 3 * 1.4826 * np.median(size)
        lines.append(np.polyfit(d[near], a[near], 1)[::-1])
    return np.array(lines)


@wrong("clocks", "padding-counts")
def counts_zeros_as_uploads(day, ahead, there):
    return jax.vmap(plain)(day, ahead, jnp.ones_like(there))


@wrong("clocks", "padding-counts")
def medians_of_everything(day, ahead, there):
    line = robust(day, ahead, there)
    line[:, 0] = np.median(ahead - line[:, 1:] * day, axis=1) if (there > 0).all() else ahead.mean(1)
    return line


@wrong("clocks", "padding-counts")
def takes_zeros_for_gaps(day, ahead, there):
    return robust(day, ahead, ahead != 0)


@wrong("clocks", "sign-turned")
def gives_the_correction(day, ahead, there):
    return -robust(day, ahead, there)


@wrong("clocks", "columns-swapped")
def as_polyfit_gives_them(day, ahead, there):
    return robust(day, ahead, there)[:, ::-1]


@wrong("clocks", "other-unit")
def per_second(day, ahead, there):
    return robust(day, ahead, there) / [1, 86400]


@wrong("clocks", "other-unit")
def per_hour(day, ahead, there):
    return robust(day, ahead, there) / [1, 24]


@wrong("clocks", "offset-in-the-middle")
def offset_where_the_days_have_their_mean(day, ahead, there):
    middle = (there * day).sum(1, keepdims=True) / there.sum(1, keepdims=True)
    line = robust(day, ahead, there)
    return np.concatenate([line[:, :1] + line[:, 1:] * middle, line[:, 1:]], axis=1)


@wrong("clocks", "no-drift")
def one_number_for_each(day, ahead, there):
    offset = np.nanmedian(np.where(there > 0, ahead, np.nan), axis=1)
    return np.stack([offset, np.zeros_like(offset)], axis=1)


@wrong("clocks", "one-clock-for-all")
def one_line_through_all(day, ahead, there):
    known = there > 0
    slope, offset = np.polyfit(day[known], ahead[known], 1)
    return np.tile([offset, slope], (len(day), 1))


@wrong("clocks", "table-turned")
def two_rows(day, ahead, there):
    return robust(day, ahead, there).T


@wrong("clocks", "wrong-shape")
def offsets_only(day, ahead, there):
    return robust(day, ahead, there)[:, 0]


@wrong("clocks", "no-number")
def divides_zero_by_zero(day, ahead, there):
    slope = np.diff(ahead) / np.diff(np.zeros_like(day))
    return np.stack([np.nanmedian(slope - slope, axis=1)] * 2, axis=1)


@wrong("clocks", "wrong-value")
def through_the_first_and_the_last(day, ahead, there):
    last = (there > 0).sum(1) - 1
    row = np.arange(len(day))
    slope = (ahead[row, last] - ahead[:, 0] - 30) / (day[row, last] - day[:, 0])
    return np.stack([ahead[:, 0] - slope * day[:, 0], slope], axis=1)


@wrong("clocks", "wrong-value")
def a_weight_that_ends_too_early(day, ahead, there):
    def one(day, ahead, there):
        line = jnp.stack([jnp.sum(there * ahead) / there.sum(), 0.0])
        for _ in range(2):
            residual = ahead - line[0] - line[1] * day
            line = plain(day, ahead, there / (1 + (residual / 3) ** 2) ** 2)
        return line

    return jax.vmap(one)(day, ahead, there)


equivalents = [
    equivalent("clocks", change, why)
    for why, changes in {
        "only the shape is used": ["`day`  ->  `ahead`", "`day`  ->  `there`"],
        "another weight that falls with the residual is as good": [
            "`jnp.sqrt`  ->  `jnp.cbrt`",
            "`1`  ->  `2`",
            "`residual / 3`  ->  `residual // 3`",
            "`residual / 3`  ->  `residual`",
            "`3`  ->  `2`",
            "`3`  ->  `4`",
            "`3`  ->  `-3`",
            "`ahead - design @ line`  ->  `design @ line - ahead`",
        ],
        "only the line that the rounds begin with is another": [
            "`there > 0`  ->  `there >= 0`",
            "`there > 0`  ->  `there != 0`",
            "`there`  ->  `day`",
            "`0`  ->  `-1`",
            "`0.0`  ->  `1.0`",
        ],
        "one round more or fewer": ["`30`  ->  `29`", "`30`  ->  `31`"],
        "it is compiled for speed": ["`jax.jit`  ->  ``"],
    }.items()
    for change in changes
]
