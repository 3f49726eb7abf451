"""cut-anywhere."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import Agrees, at_once, declare, expect, refuse, require
from jaxcourse.exercise import is_close, numbers
from jaxcourse.probe import AnswerRaised

from ._lesson import WORDS as LESSON


def runner_facts(student_function, flow, level):
    """What a runner does with a stream of three parts, as a whole and in pieces, and what it compiles."""
    calls, started = 0, ()

    def init(x0):
        nonlocal started
        started = started or jnp.shape(x0["flow"])
        return {"total": jnp.zeros_like(x0["flow"]), "rows": jnp.zeros((), x0["flow"].dtype)}

    def apply(state, x):
        nonlocal calls
        calls += 1
        state = {"total": state["total"] + x["flow"] * x["level"], "rows": state["rows"] + 1}
        return state, {"mean": state["total"] / state["rows"]}

    xs, n = {"flow": flow, "level": level}, len(flow) // 3
    parts = [{name: x[part * n : (part + 1) * n] for name, x in xs.items()} for part in range(3)]
    xs, (first, second, third) = probe.on_device((xs, parts))

    def is_pair(result):
        return isinstance(result, tuple) and len(result) == 2

    jax.clear_caches()
    run = student_function((init, apply))
    if not callable(run):
        return {"run": False}
    whole = run(xs)
    facts = {"run": True, "pair": is_pair(whole), "steps": calls}
    if not facts["pair"]:
        return facts
    wrong_way = isinstance(whole[0], dict) and "mean" in whole[0]
    facts |= {"swapped": wrong_way, "result": isinstance(whole[1], dict) and "mean" in whole[1]}
    if wrong_way or not facts["result"]:
        return facts
    after_one, one = run(first)
    after_two, two = run(second, after_one)
    leaves = jax.tree.leaves((xs, first, second, after_one))
    facts["gone"] = any(isinstance(leaf, jax.Array) and leaf.is_deleted() for leaf in leaves)
    if facts["gone"]:
        return facts
    compiled = probe.compiled(run, [(third, after_two)])[0]
    _, three = run(third, after_two)
    facts |= {"started": started, "whole": whole[1]["mean"], "parts": [part["mean"] for part in (one, two, three)]}
    facts["afresh"] = run(second)[1]["mean"]
    compiled = [*compiled, *probe.compiled(run, [(third,)])[0]]
    program = insides.read_if_traceable(lambda xs, state: run(xs, state), third, after_two)
    # A program that was compiled ahead of time takes no tracers.
    kinds = sorted({each.loop.kind for each in program.everything if each.loop}) if program else ["scan"]
    return facts | {"loops": kinds, "compiled": len(compiled)}


@probe.question(evidence="values")
def sums_from_widths(student_function, tables):
    """The results of a step that starts with the number of columns, for one table after the other.

    `init` is given a row for its shape and dtype only, so what it starts with depends on nothing else.
    """

    def apply(state, x):
        return state + x["row"].sum(), state + x["row"].sum()

    run = student_function((lambda x0: jnp.float32(x0["row"].size), apply))
    return [np.asarray(run({"row": probe.on_device(table)})[1]) for table in tables]


@probe.question(evidence="values")
def counted_down(student_function, cases):
    """The results of a step whose state is a bare number, cut into parts of several lengths."""

    def counted(start, batches):
        def apply(left, x):
            left = left - x["taken"]
            return left, left

        run = student_function((lambda x0: jnp.full_like(x0["taken"], start), apply))
        state, parts = None, []
        for batch in batches:
            state, left = run({"taken": batch}) if state is None else run({"taken": batch}, state=state)
            parts.append(left)
        return parts

    cut = [(start, np.split(taken, np.cumsum(lengths)[:-1])) for start, taken, lengths in cases]
    given = probe.on_device(cut)

    def every():
        return [counted(*case) for case in given]

    results = (jax.jit(every) if len(cases) > 1 else every)()
    return [np.concatenate(parts) for parts in results]


def counted_down_from_zero_again(start, taken, lengths):
    """What comes out if a state of zero is taken for none."""
    left, parts = start, []
    for part in np.split(taken, np.cumsum(lengths)[:-1]):
        parts.append((left or start) - np.cumsum(part, dtype=np.int32))
        left = int(parts[-1][-1])
    return np.concatenate(parts)


def drawn_countdown(rng, lengths):
    """What is taken in each row, so that nothing is left after the first part."""
    taken = rng.integers(1, 4, sum(lengths)).astype(np.int32)
    return int(taken[: lengths[0]].sum()), taken, lengths


def left_over(start, taken, lengths):
    """The oracle of a step that counts down."""
    return start - np.cumsum(taken, dtype=np.int32)


def cut_in_three(answer, rng):
    """A stream gives the same as a whole and in pieces, in a compiled loop of JAX."""
    flow, level = (rng.uniform(1, 2, size=shape).astype(np.float32) for shape in ((30, 3), 30))
    want = np.cumsum(flow * level[:, None], axis=0) / np.arange(1, 31, dtype=np.float32)[:, None]
    try:
        facts = answer.probe(runner_facts, flow, level)
    except AnswerRaised as error:
        tree = error.among({"KeyError: 0", "KeyError: slice(", "TypeError: unhashable type: 'slice'"})
        refuse(tree, "rows-of-a-tree")
        raise
    require(facts["run"], "no-run")
    require(facts["pair"], "no-state-returned")
    refuse(facts["swapped"], "swapped")
    require(facts["result"], "no-results")
    refuse(facts.get("gone"), "gives-the-state-away")
    whole, parts = numbers(facts["whole"]), np.concatenate([numbers(part) for part in facts["parts"]])
    refuse(whole.ndim == 3 and facts["started"] == (1, 3), "table-of-one-row")
    refuse(whole.ndim == 3 and facts["started"] == flow.shape, "all-rows-for-init")
    refuse(whole.shape[:1] == (len(want) - 1,), "row-lost", rows=len(want), whole=len(want) - 1)
    require(whole.shape == want.shape, "other-shape", rows=len(want), right=want.shape, shape=whole.shape)
    expect(whole, want, "wrong-value")
    require(is_close(parts[:10], want[:10]), "remembers")
    fresh = np.concatenate([want[:10], numbers(facts["afresh"])])
    refuse(is_close(parts[:20], fresh), "starts-over")
    expect(parts, want, "wrong-value/2")
    require(facts["steps"] < 15, "loops-in-python", steps=facts["steps"])
    refuse(facts["loops"] == ["while"], "while-loop")
    require("scan" in facts["loops"], "loops-in-python/2")
    tables = [flow[:6, :2], flow[6:9]]
    for got, table in zip(answer.probe(sums_from_widths, tables), tables, strict=True):
        expect(got, table.shape[1] + np.cumsum(table.sum(axis=1)), "first-start-kept")
    require(facts["compiled"] == 0, "compiled-again")


WORDS = """
hint: `jax.lax.scan(apply, state, xs)` returns a pair. Is it the pair that `run` should return?
hint: With `state=None`, the first row of every array in `xs` goes to `init`: `jax.tree.map(lambda x: x[0], xs)`.
hint: Call `jax.jit` once, when you make the runner, and not in each run.
rows-of-a-tree: Your function took rows of `xs`, which is a dictionary of arrays: `xs[0]` would be one of its entries.
    `jax.tree.map` takes the first row of each array.
no-run: Your function should return a function: `run(xs, state=None)`.
no-state-returned: Your `run` should return two things: the last state, and all results.
swapped: Your `run` returned the results first and the state second. Like `scan`, return the state first.
no-results: Your `run` should return second all results of `apply`, with time as their leading axis.
gives-the-state-away: Your `run` donated an argument, which is gone after the call. Other runs may start from the same
    state, or over the same rows: leave both to the caller.
table-of-one-row: You gave `init` a table of one row, as `x[:1]` makes it. It needs the row itself: `x[0]`.
all-rows-for-init: Each of your results has a row for every row, because you gave `init` all of `xs`. Give it one row,
    the first.
row-lost: Your run made {whole} results of {rows} rows. The first row is for `init` *and* for `apply`.
other-shape: Your results of {rows} rows have the shape {shape}, not {right}. Return one result for each row.
wrong-value: Your results of the whole stream differ. Give each row to `apply`, with the state of the row before.
remembers: Your run without a state has other results for the first rows than the whole stream. Does it remember an
    earlier run, or depend on the number of rows?
starts-over: Your run started over in the second part: it was given the state of the first, and did not use it.
wrong-value/2: Your results differ for a stream in three parts, each with the state of the part before it.
loops-in-python: Your run loops over time in Python: it called `apply` {steps} times for 30 rows. Use a `scan`.
loops-in-python/2: Your run has no `scan`. Make the loop over time one `scan`, and not a Python loop around a compiled
    step.
while-loop: Your loop over time is a `while_loop`, and no gradient goes back through that, since JAX doesn't know its
    number of steps. Use a `scan`, which also stacks the results.
first-start-kept: Your totals differ after a stream with other columns, if `init` counts the columns. Did you keep an
    earlier start? Without a state, ask `init` in every run.
compiled-again: Your run compiled a third part of the same shape again. Is a function made in each run, or an argument
    static? Make one function, outside `run`.
zero-is-a-state: Your run took a state of 0 for none: `state or ...` asks whether a state is *true*. Ask `state is
    None`.
wrong-value/3: Your results differ for a step that counts down from `start` by what is taken, in parts of these
    lengths.
"""

cut_anywhere = declare(
    "cut-anywhere",
    points=2,
    see="cut-a-stream",
    steps=[
        cut_in_three,
        Agrees(
            left_over,
            drawn_countdown,
            [(1, 1), (2, 1, 3)],
            each=2,
            ask=at_once(counted_down),
            mistakes={"zero-is-a-state": counted_down_from_zero_again},
            otherwise="wrong-value/3",
            dtype=True,
        ),
    ],
    words=(LESSON, WORDS),
)
