"""damped-step."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, Also, at_once, declare, refuse, require
from jaxcourse.exercise import is_close, numbers

from ._lesson import all_close, unit_of


@probe.question(evidence="values")
def damped_steps(student_function, cases, compiled=False):
    """What one step returns in each case, for residuals that are named; nothing where it is no pair."""

    def stepping(kind):
        def step(params, damping, x, y):
            def residuals(p):
                if "line" in kind:
                    return {"line": 1, "small line": 1e-6, "large line": 1e6}[kind] * (p[0] + p[1] * x - y)
                if kind == "decay":
                    return p[0] * jnp.exp(-p[1] * x) - y
                if kind == "polynomial":
                    return x[:, None] ** jnp.arange(p.size) @ p - y
                return jnp.sqrt(p[0]) * x - y

            return student_function(residuals, params, damping)

        return jax.jit(step) if compiled else step

    found, known = [], {}
    for kind, x, y, params, damping in cases:
        called = known.setdefault(kind, stepping(kind))
        result = called(*probe.on_device((params, damping, x, y)))
        pair = isinstance(result, (tuple, list)) and len(result) == 2
        found.append([np.array(part) for part in result] if pair else None)
    return found


def residuals_of(kind, x, y, p):
    """The residuals and their Jacobian, by hand, in double precision."""
    x, y, p = (np.asarray(part, np.float64) for part in (x, y, p))
    if kind == "line":
        return p[0] + p[1] * x - y, np.stack([np.ones_like(x), x], 1)
    if kind == "decay":
        fall = np.exp(-p[1] * x)
        return p[0] * fall - y, np.stack([fall, -p[0] * x * fall], 1)
    return np.sqrt(p[0]) * x - y, (x / (2 * np.sqrt(p[0])))[:, None]


def damped(kind, x, y, params, damping, how=""):
    """The oracle: the parameters and the damping after one step; with a mistake, if one is named."""
    return with_ratio(kind, x, y, params, damping, how)[0]


def with_ratio(kind, x, y, params, damping, how=""):
    """One step by hand, and by which factor the sum of squares changes."""
    p, damping = np.asarray(params, np.float64), np.asarray(damping, np.float64)
    r, jacobian = residuals_of(kind, x, y, p)
    square, slope = jacobian.T @ jacobian, jacobian.T @ r
    added = {
        "identity-damping": np.eye(p.size),
        "one-length-for-all": np.trace(square) * np.eye(p.size),
        "whole-matrix-damped": square,
        "undamped": 0 * square,
        "root-of-the-diagonal": np.diag(np.sqrt(np.diag(square))),
        "lengths-squared": np.diag(np.diag(square) ** 2),
    }.get(how, np.diag(np.diag(square)))
    weight = {"damping-squared": damping**2, "one-damping-for-all": 0 * damping + damping.mean()}.get(how, damping)
    move = np.linalg.solve(square + np.sqrt(np.outer(weight, weight)) * added, -slope)
    lengths = np.sqrt(np.diag(square))
    if how == "damping-by-singular-value":
        u, s, v = np.linalg.svd(jacobian / lengths, full_matrices=False)
        move = -(s / (s**2 + damping) * (r @ u)) @ v / lengths
    trial = p + {"uphill": -1, "slope-doubled": 2, "not-scaled-back": lengths}.get(how, 1) * move
    with np.errstate(all="ignore"):
        now, then = float((r**2).sum()), float((residuals_of(kind, x, y, trial)[0] ** 2).sum())
    largest = np.abs(residuals_of(kind, x, y, trial)[0]).max() if how == "largest-compared" else 0.0
    promised = ((r + jacobian @ move) ** 2).sum()
    better = {
        "always-accepted": True,
        "tangent-believed": promised < now,
        "penalty-counted": then + (damping * (lengths * move) ** 2).sum() < now,
        "equal-accepted": then <= now,
        "largest-compared": largest < np.abs(r).max(),
        "sizes-compared": np.abs(residuals_of(kind, x, y, trial)[0]).sum() < np.abs(r).sum(),
        "nan-accepted": not then >= now,
        "turned-round": not then < now,
    }.get(how, then < now)
    up = {"damping-turned-round": 1 / 3, "damping-kept": 1, "factor-ten": 10}.get(how, 3)
    place = trial if better or how == "refused-step-kept" else p
    pair = [place, damping / up if better else damping * up]
    return pair[::-1] if how == "pair-turned-round" else pair, then / now if now else 1.0


MISTAKES = {
    how: functools.partial(damped, how=how)
    for how in (
        *("pair-turned-round", "uphill", "nan-accepted", "always-accepted", "turned-round", "refused-step-kept"),
        *("damping-turned-round", "damping-kept", "factor-ten", "equal-accepted", "largest-compared"),
        *("sizes-compared", "tangent-believed", "penalty-counted", "damping-squared", "undamped"),
        *("damping-by-singular-value", "one-damping-for-all", "identity-damping", "one-length-for-all"),
        *("whole-matrix-damped", "root-of-the-diagonal", "lengths-squared", "not-scaled-back", "slope-doubled"),
    )
}


def some_cases(rng):
    """One call for each start."""
    return [(kind, x, y, start, damping) for kind, x, y, starts, damping in damped_cases(rng) for start in starts]


def damped_cases(rng):
    """Steps from two starts, all taken or all refused, none of which is a close decision.

    One pair is refused although the mean, the largest, the sum and the cubes at the new place are less than the sum of
    squares at the old one: what is compared must be the same on both sides.
    """
    x = np.linspace(0.1, 2, 12).astype(np.float32)
    for kind, taken in [("line", True), ("decay", True), ("decay", False), ("root", False)]:
        size, smallest, truth = (1, 1.0, np.array([0.01])) if kind == "root" else (2, 0.3, rng.uniform(1, 3, 2))
        clean = {
            "line": lambda p: p[0] + p[1] * x,
            "decay": lambda p: p[0] * np.exp(-p[1] * x),
            "root": lambda p: np.sqrt(p[0]) * x,
        }[kind](truth)
        outlier = np.where(np.arange(x.size) == 6, 2.0, 0.0) if kind == "line" else 0.0
        y = (clean + outlier + rng.normal(0, 0.1, x.size)).astype(np.float32)
        damping = rng.permutation([0.1, 0.4, 2.0])[:size] if taken else np.zeros(size)
        damping = np.array([0.01] if kind == "root" else damping, np.float32)
        starts = []
        while len(starts) < 2:
            start = rng.uniform(smallest, 5, size).astype(np.float32)
            wanted, ratio = with_ratio(kind, x, y, start, damping)
            clear = math.isnan(ratio) if kind == "root" else not 0.9 < ratio < 1.1 and ratio < 1e6
            by_the_largest = damped(kind, x, y, start, damping, "largest-compared")
            telling = kind != "line" or not is_close(by_the_largest[1], wanted[1])
            if clear and telling and (ratio < 1) == taken:
                starts.append(start)
        yield kind, x, y, starts, damping
    truth = rng.uniform(1, 3, 2)  # near it, a step towards an outlier lowers the squares, and not the sizes
    y = truth[0] + truth[1] * x + np.where(np.arange(x.size) == 11, 4.0, 0.0) + rng.normal(0, 0.05, x.size)
    starts = [(truth + rng.uniform(-0.02, 0.02, 2)).astype(np.float32) for _ in range(2)]
    yield "line", x, y.astype(np.float32), starts, np.array([0.1, 0.2], np.float32)
    starts = [np.array(start, np.float32) for start in ([5.5, 5.5], [5, 5.25])]
    yield "decay", x, (2 * np.exp(-x)).astype(np.float32), starts, np.full(2, 0.01, np.float32)
    # A step that lowers the squares by less than its penalty: from near 0, the tangent of a root leads far too far.
    starts = [np.array([(share * truth[0]) ** 2], np.float32) for share in rng.uniform(0.002, 0.004, 2)]
    yield "root", x, (truth[0] * x).astype(np.float32), starts, np.ones(1, np.float32)
    x, exact = np.arange(12, dtype=np.float32), rng.integers(1, 9, (1, 2)).astype(np.float32)
    for minimum in (exact, exact + 1):  # already there: nothing gets smaller
        yield "line", x, minimum[0, 0] + minimum[0, 1] * x, list(minimum), np.array([0.5, 0.0], np.float32)


def pair_of(pair, kind, x, y, params, damping):
    """The pair that came back, in its form."""
    require(pair is not None, "not-a-pair")
    require(np.shape(pair[1]) == np.shape(damping), "damping-of-other-shape")
    return pair


def the_same_under_jit(answer, replies):
    """Require the same of a compiled step that is taken, and of one that is refused."""
    decays = [reply.case for reply in replies if reply.case[0] == "decay"][:4]  # one program for both
    found, raised = answer.attempt(damped_steps, decays, True, expected=probe.NEEDS_A_VALUE)
    refuse(raised, "not-traceable")
    same = all(all_close(got, damped(*case), 2e-3) for got, case in zip(found, decays, strict=True))
    require(same, "other-under-jit")


def small_gains_are_kept(answer, replies):
    """Require that a step is kept that lowers the squares by some 0.01 %, a hundred times what rounding could."""
    damping = np.full(2, 1e4, np.float32)
    for got in answer.probe(damped_steps, [(*reply.case[:4], damping) for reply in replies[:2]]):
        refuse((got[1] > damping).any(), "small-gain-refused")


def parameters_have_units(answer, replies):
    """Require that a step has the units of the parameters, each of its own."""
    kind, x, y, start, damping = replies[0].case
    _, jacobian = residuals_of(kind, x, y, start)
    square = jacobian.T @ jacobian
    matrix = square + np.diag(damping * np.diag(square))
    for larger in (False, True):
        per = np.array([1, unit_of(matrix, larger=larger)], np.float32)
        cases = [(kind, x * per[1], y, reply.case[3] / per, damping) for reply in replies[:2]]
        for got, case in zip(answer.probe(damped_steps, cases), cases, strict=True):
            answer.called = f"damped_step(residuals of a {kind}, {case[3].tolist()}, {damping.tolist()})"
            want, _ = damped(*case)
            off = np.abs(numbers(got[0]) - want) / np.abs(want - case[3])  # of the way that each should go
            require((off < 0.3).all(), "small-eigenvalue-lost", want=want.tolist(), got=numbers(got[0]).tolist())


def residuals_have_a_unit(answer, replies):
    """Require that the unit of the residuals is of no account."""
    for kind in ("small line", "large line"):
        cases = [(kind, *reply.case[1:]) for reply in replies[:2]]
        for got, case in zip(answer.probe(damped_steps, cases), cases, strict=True):
            answer.called = f"damped_step(residuals of a {kind}, {case[3].tolist()}, {case[4].tolist()})"
            require(all_close(got, damped("line", *case[1:]), 2e-3), "fixed-size")


def condition_is_not_squared(answer, rng):
    """Require a step to the bottom where the square of the condition number would leave none of its digits."""
    x = np.linspace(0, 1, 100, dtype=np.float32)
    goals = rng.uniform(0.5, 1.5, (2, 7))
    ys = (x[:, None].astype(np.float64) ** np.arange(7) @ goals.T).T.astype(np.float32)
    cases = [("polynomial", x, y, np.zeros(7, np.float32), np.zeros(7, np.float32)) for y in ys]
    for goal, (place, _) in zip(goals, answer.probe(damped_steps, cases, True), strict=True):
        answer.called = "damped_step(residuals of a polynomial of degree 6, zeros, zeros)"
        off = np.abs(numbers(place) / goal - 1).max()  # of the way from 0
        require(off < 0.05, "condition-squared", off=f"{off:.0%}")


WORDS = """
hint: Each term of the penalty is the square of a number that is linear in δ: one more residual. What is its row of
    `J`?
hint: `J = jax.jacfwd(residuals)(params)`, below it `jnp.diag(jnp.sqrt(damping) * jnp.linalg.norm(J, axis=0))`, and
    `jnp.linalg.lstsq` for both.
hint: Under `jit` there is no `if` on a JAX number: `jnp.where(better, trial, params)`.
uphill: Your steps go uphill, so nearly all are refused. Check the sign of δ, and that you add it.
nan-accepted: You took a step to a sum of squares of NaN. With NaN, `<` and `>=` are both false: stay unless the new
    one is smaller.
always-accepted: You take every step, even one that makes the fit worse. Compare the sums of squares first.
turned-round: You take the steps that make the fit worse, and refuse the others. Turn the comparison round.
refused-step-kept: Your damping is right, but you also take a step that makes the fit worse. Stay there.
damping-turned-round: Your damping goes the other way. A good step lowers it, and a bad one raises it.
damping-kept: Your damping does not change. Make it a third after a good step, and three times as much after a bad
    one.
factor-ten: Your damping changes by a factor of 10. Take 3.
equal-accepted: You took a step to the same sum of squares, which is not smaller. Stay, and raise the damping.
largest-compared: You compared the largest residuals. Compare the sums of squares.
sizes-compared: You compared the sums of the sizes. The fit minimises the sums of squares: compare those.
tangent-believed: You compared with the sum that the tangent promises, which is always less. Ask the residuals
    themselves, at the new place.
penalty-counted: You counted the penalty in the comparison. It only makes the step short. Compare the sums of
    squares of the residuals alone.
damping-squared: Your penalty has the square of each λ. Give the rows below the Jacobian the root of λ.
undamped: Your step is that of Gauss–Newton, without the damping. Add the penalty.
damping-by-singular-value: You gave each singular value a λ. A singular value belongs to a direction, which mixes
    the parameters, and each λ belongs to one parameter.
one-damping-for-all: You took the mean of the λ for all parameters. Each has its own.
identity-damping: Your penalty is Σ λ δ². Put the length of each column into it, which has the units.
one-length-for-all: Your penalty has one length, that of all of J. Give each δ that of its own column.
whole-matrix-damped: Your penalty is |J √λ δ|², which mixes the parameters. Give each δ its own term.
root-of-the-diagonal: Your penalty has the length of each column, and not its square: take Σ λ (|J_k| δ)².
lengths-squared: Your rows below the Jacobian carry the square of each column's length. Take |J_k|, not |J_k|².
not-scaled-back: You divided the columns by their lengths, so δ came out in other units. Divide it by the lengths as
    well.
slope-doubled: Your step is twice as long as the δ at the minimum. Is there a 2 in the slope?
condition-squared [normal-equations]: Your step misses a coefficient of a noiseless polynomial by {off}: 5 % is
    allowed. Do you form JᵀJ, call `pinv`, or add something to λ = 0?
fixed-size: Your step changes when the residuals are a millionth or a million times as large. Do you add something of
    a fixed size, or compare with it?
small-gain-refused: You refused a step that lowers the sum of squares by a little. Any decrease is enough.
small-eigenvalue-lost: Your step misses one δ by over 30 % if `x` has another unit. Do you drop a small eigenvalue, like
    `pinv`, or add to it? You got {got}, not {want}.
not-a-pair: Return a pair: the parameters, and the damping for the next step.
pair-turned-round: Your pair is the other way round. The parameters come first, then the damping.
damping-of-other-shape: Your damping has another shape than before. Return a number for each parameter.
wrong-value: Your new parameters are off by more than 0.2 % of the largest. Is δ at the minimum of the whole sum?
wrong-damping: Your damping after the step is another. Return a third of it, or three times as much.
not-traceable: Your step asks for a number that does not exist yet under `jit`. Is it an `if`, a `float` or a NumPy
    function? Take `jnp`, and choose with `jnp.where`.
other-under-jit: Your step gives another result under `jit` than without it. Does it read or change something that is
    no argument?
"""

damped_step = declare(
    "damped-step",
    points=2,
    see="damping",
    steps=[
        Agrees(
            damped,
            extremes=some_cases,
            ask=at_once(damped_steps),
            reads=pair_of,
            shows="damped_step(residuals, params, damping)",
            mistakes=MISTAKES,
            otherwise=None,
            then=[
                Also(lambda *case: damped(*case)[0], reads=lambda pair, *case: pair[0], rtol=2e-3),
                Also(lambda *c: damped(*c)[1], reads=lambda pair, *c: pair[1], otherwise="wrong-damping", rtol=1e-4),
                the_same_under_jit,
                small_gains_are_kept,
                parameters_have_units,
                residuals_have_a_unit,
            ],
            rtol=2e-3,
        ),
        condition_is_not_squared,
    ],
    words=WORDS,
)
