"""count-the-calls: a compiled function counts, in a `Ref` that it finds, the calls in which a value was too high."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.probe import NEEDS_A_NUMBER, NEEDS_A_VALUE


def counting(student_function, limits, calls):
    """Results, and the count after each of several calls of two pairs.

    Args:
        student_function: the answer.
        limits: of each pair.
        calls: which pair is called, and with what.

    Returns:
        `stray`, the type of what is no pair of functions; else also `results`, `counts` and, before all calls,
        `begins`, and `afterwards`: what the same counts are once all calls are done. A count that is a `Ref` or a
        tracer is given by that name.
    """

    def form_of(pair):
        if not probe.is_really(pair, tuple, list) or len(pair) != 2:
            return type(pair).__name__
        return next((type(each).__name__ for each in pair if not callable(each)), "")

    def counted(count):
        try:
            return count()
        except (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError):
            return "tracer"  # it is outside of every trace, so the tracer has leaked

    def number_in(value):
        if isinstance(value, str):
            return value
        for name, kind in (("Ref", jax.Ref), ("tracer", jax.core.Tracer)):
            if probe.is_really(value, kind):
                return name
        value = np.array(value)
        return value.item() if value.size == 1 else value

    pairs = [student_function(limit) for limit in limits]
    for pair in pairs:
        if form_of(pair):
            return {"stray": form_of(pair)}
    facts = {"stray": "", "results": [], "begins": [number_in(counted(count)) for _, count in pairs], "counts": []}
    held = []
    for which, x in calls:
        clip, count = pairs[which]
        facts["results"].append(clip(jnp.asarray(x)))
        held.append(counted(count))
        facts["counts"].append(number_in(held[-1]))
    facts["afterwards"] = [number_in(value) for value in held]
    return facts


def programs_of_clip(student_function, limit):
    """Which programs a call of `clip` compiles, from empty caches on."""
    clip, _ = student_function(limit)
    x = probe.on_device(np.zeros(3, np.float32))
    jax.clear_caches()
    return probe.compiled(clip, [(x,)])[0]


def operations_of_count(student_function, limit):
    """Names of the operations by which `count` reads; none if it asks for a number, which no trace has."""
    _, count = student_function(limit)
    try:
        return list(probe.primitives(count))
    except (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError):
        return []


def counting_in_a_scan(student_function, limit, rows):
    """What a `scan` over rows gives whose body calls `clip`, and the count after it."""
    clip, count = student_function(limit)
    _, clipped = jax.jit(lambda xs: jax.lax.scan(lambda carry, x: (carry, clip(x)), 0, xs))(rows)
    return [clipped, np.asarray(count()).item()]


def several_calls(rng, shape):
    """Two limits, and calls of the two pairs in turn: nothing too high, one value, several.

    Of the two calls with nothing too high, one has a value at the limit, and one a value far below zero.
    """
    limits = rng.choice(np.arange(2, 9), 2, replace=False).astype(np.float32)
    calls = []
    low, at_limit, *others = -1, 0, 1, 2, 3, 2
    for turn, over in enumerate(rng.permutation([low, at_limit, *others])):
        which = turn % 2
        x = (limits[which] - rng.integers(0, 3, shape)).astype(np.float32)
        x.flat[rng.permutation(x.size)[: min(max(over, 0), x.size)]] += np.float32(4)
        if over in (low, at_limit):
            x.flat[rng.integers(x.size)] = limits[which] if over == at_limit else -3 * limits[which]
        calls.append((which, x))
    return [float(limit) for limit in limits], calls


def rows_of_a_scan(rng, shape):
    """A limit, and rows of which some have a value above it."""
    limit = float(rng.integers(2, 9))
    return limit, (limit + rng.integers(-4, 2, shape)).astype(np.float32)


def counts_by(counted):
    """What results and counts would be, if each call were counted as a function of `x` and `limit` says."""

    def results(limits, calls):
        totals, made = [0] * len(limits), []
        for which, x in calls:
            totals[which] += counted(x, limits[which])
            made.append(totals[which])
        return [[np.clip(x, None, limits[which]) for which, x in calls], made]

    return results


def in_one_box(limits, calls):
    """What both pairs would count into the same box."""
    right, made = counts_by(lambda x, limit: int((x > limit).any()))(limits, calls), 0
    both = []
    for which, x in calls:
        made += int((x > limits[which]).any())
        both.append(made)
    return [right[0], both]


def by_trace(limits, calls):
    """What a Python counter would count, since all arrays have one shape: 1, from the first call of a pair on."""
    return [counts_by(lambda x, limit: 0)(limits, calls)[0], [1] * len(calls)]


def last_alone(limits, calls):
    """What a box would hold that is overwritten at each call."""
    return [counts_by(lambda x, limit: 0)(limits, calls)[0], [int((x > limits[which]).any()) for which, x in calls]]


def not_clipped(limits, calls):
    """What `clip` gives that counts and hands back `x`."""
    return [[x for _, x in calls], right(limits, calls)[1]]


def clipped_below(limits, calls):
    """What `clip` gives that also replaces values below `-limit`."""
    return [[np.clip(x, -limits[which], limits[which]) for which, x in calls], right(limits, calls)[1]]


def right(limits, calls):
    """Values above the limit replaced, and the calls that had one, counted by Python."""
    rows, made, totals = [], [], {}
    for which, x in calls:
        rows.append(np.reshape([min(value, limits[which]) for value in x.ravel().tolist()], x.shape))
        totals[which] = totals.get(which, 0) + any(value > limits[which] for value in x.ravel().tolist())
        made.append(totals[which])
    return [rows, made]


def right_in_a_scan(limit, rows):
    """Each row clipped, and how many rows had a value above the limit."""
    (clipped, made) = right([limit], [(0, row) for row in rows])
    return [np.array(clipped), made[-1]]


def of_a_pair(facts, limits, calls):
    """Results and counts, if the answer gave a pair of functions whose second gives numbers."""
    refuse(facts["stray"], "not-a-pair", stray=facts["stray"])
    names = {each for each in facts["begins"] + facts["counts"] if isinstance(each, str)}
    refuse("Ref" in names, "box-not-read")
    refuse("tracer" in names, "leaked")
    refuse(any(facts["begins"]), "not-from-zero")
    refuse(facts["afterwards"] != facts["counts"], "frozen")
    return [facts["results"], facts["counts"]]


def one_program(answer, rng):
    """A first call of `clip` should compile one program."""
    names = answer.probe(programs_of_clip, float(rng.integers(2, 9)))
    require(names, "not-jitted/none")
    require(len(names) == 1, "not-jitted", count=len(names))


def not_frozen(answer, rng):
    """`count` should read the box, and not freeze it."""
    refuse("freeze" in answer.probe(operations_of_count, float(rng.integers(2, 9))), "frozen")


MISTAKES = {
    "nothing-counted": counts_by(lambda x, limit: 0),
    "traces-counted": by_trace,
    "every-call-counted": counts_by(lambda x, limit: 1),
    "values-counted": counts_by(lambda x, limit: int((x > limit).sum())),
    "at-the-limit": counts_by(lambda x, limit: int((x >= limit).any())),
    "last-call-alone": last_alone,
    "one-box-for-all": in_one_box,
    "not-clipped": not_clipped,
    "clipped-below": clipped_below,
}

WORDS = """
hint: Which one does a compiled function read anew at each run, an array that it finds or a `Ref`?
hint: Make the box in `count_the_calls` with `jax.new_ref(0)`, and write into it where `clip` is traced.
hint: `box[...] += jnp.any(...)`
nothing-counted: Your count stays 0. If it is an array, `.at` gives a new one, which is thrown away. Count in a
    `jax.new_ref`.
traces-counted: Your count is 1, however many calls there were. Python added to it, and Python runs once. Let the
    program add, into a `Ref`.
every-call-counted: You counted every call. Count those in which a value was above `limit`, with `jnp.any`.
values-counted: You counted the values above `limit`. A call counts once, however many of its values are too high.
at-the-limit: You also counted calls whose largest value equals `limit`. It is not above it.
last-call-alone: Your count only knows the last call. Add to what is in the box, and don't replace it.
not-from-zero: Your new pair's count does not begin at 0. In each call of `count_the_calls`, make a new `Ref` with a 0.
one-box-for-all: Your pairs both count into one box. Make a new `Ref` in each call of `count_the_calls`.
not-clipped: Your count is right, but values above `limit` come back as they are. Replace them by `limit`.
clipped-below: Your count is right, but values far below zero also changed. Replace only values above `limit`.
frozen: Your `count` freezes the `Ref`, and `clip` goes on writing into it. Read its content, with `box[...]`.
wrong-value: Your values or your counts are not right. Look at the first difference. A call counts once if any of its
    values is above `limit`.
wrong-value/scan: Your `clip` gives different values, or a different count, in the body of a `scan`. Does the program
    count, or does Python?
not-a-pair: You returned an object of type `{stray}`, or one is in your pair. Return a pair of functions, `clip` and
    `count`.
box-not-read: Your `count()` returns the `Ref` itself. Read its content, with `box[...]`.
ref-returned: Your `clip` returns the `Ref`, and JAX lets none out of a program. `clip` returns the array only, and
    `count` reads the box.
leaked [leaks]: Your count is a tracer that got out of its trace. A name that `clip` rebinds is no place for a result,
    so write into a `Ref`.
asks-a-tracer [tracer-errors]: Python asked a tracer for its value. Add the truth itself to the count, since `+=` takes
    the result of `jnp.any`.
counted-outside: Your `clip` works alone, but not in the body of a `scan`. Does Python count there, where it has no
    value? Count in the program.
not-jitted: Your first call compiled {count} programs, so some of the work is outside the `jit`. Put all of it inside
    one.
not-jitted/none: Your first call compiled nothing. Put `jax.jit` around `clip`.
"""

TRACED = NEEDS_A_VALUE | NEEDS_A_NUMBER


count_the_calls = declare(
    "count-the-calls",
    points=2,
    see="refs",
    steps=[
        Agrees(
            right,
            several_calls,
            [(1,), (2, 2)],
            each=2,
            ask=counting,
            reads=of_a_pair,
            mistakes=MISTAKES,
            raising={
                "ref-returned": "cannot be returned",
                "leaked": ["UnexpectedTracerError"],
                "asks-a-tracer": TRACED,
            },
            shows="[(clip(x), count()) for x in calls]",
        ),
        not_frozen,
        one_program,
        Agrees(
            right_in_a_scan,
            rows_of_a_scan,
            [(4, 2)],
            each=1,
            ask=counting_in_a_scan,
            otherwise="wrong-value/scan",
            raising={"counted-outside": ""},
            shows="jax.lax.scan(lambda carry, x: (carry, clip(x)), 0, rows)[1], count()",
        ),
    ],
    words=WORDS,
)
