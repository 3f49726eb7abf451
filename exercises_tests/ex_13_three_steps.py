"""Checks of lesson 13, three steps: what is asked, what people get wrong, and what each mistake is told."""

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd

from jaxcourse import probe
from jaxcourse.exercise import close, entries, exercise, expect, expect_entries, numbers, require, wrong
from jaxcourse.probe import AnswerRaised

NEEDS_VALUES = ("TracerArrayConversionError", "TracerBoolConversionError", "ConcretizationTypeError")

# -- which-step -------------------------------------------------------------------------------------------------

TRUE_STEPS = {
    "a date becomes a whole number": "encode",
    "float64 becomes float32": "encode",
    "hourly and daily data get the same rows": "encode",
    "a gap leaves the mean as it was": "run",
    "JAX traces a function": "run",
    "you try another alpha": "run",
    "a whole number becomes a text again": "format",
    "the columns get their names back": "format",
}


@exercise(
    "which-step",
    see="three-steps",
    hint=[
        "Only arrays of numbers get into the compiled program, and only arrays of numbers come out.",
        "If you change something, which steps have to be done again? The earliest of them is the answer.",
    ],
)
def which_step(answer, rng):
    got, want = entries(answer.value(), like=TRUE_STEPS, kind=str), TRUE_STEPS
    known = all(step in ("encode", "run", "format") for step in got.values())
    require(known, "not-a-step", "Answer each with `'encode'`, `'run'` or `'format'`.")
    message = "The table is the same for every alpha, and so is its encoding. Only the calculation is done again."
    require(got["you try another alpha"] != "encode", "encodes-again", message)
    texts = got["a whole number becomes a text again"] != "run" and got["a date becomes a whole number"] != "run"
    require(texts, "texts-in-jax", "JAX has neither dates nor texts, so this cannot happen in the compiled step.")
    message = "Two streams must have the same rows before one function can walk over both."
    require(got["hourly and daily data get the same rows"] != "run", "clocks-in-the-step", message)
    expect_entries(got, want, "What goes in: a table. What comes out of `encode` and of `run`: arrays of numbers.")


encodes_for_each_alpha = wrong("which-step", "encodes-again")(TRUE_STEPS | {"you try another alpha": "encode"})
dates_are_computed_with = wrong("which-step", "texts-in-jax")(TRUE_STEPS | {"a date becomes a whole number": "run"})
two_clocks_in_one_step = wrong("which-step", "clocks-in-the-step")(
    TRUE_STEPS | {"hourly and daily data get the same rows": "run"}
)
gaps_are_filled_before = wrong("which-step", "wrong-value")(TRUE_STEPS | {"a gap leaves the mean as it was": "encode"})
steps_have_numbers = wrong("which-step", "wrong-type")({name: 1 for name in TRUE_STEPS})
steps_have_other_names = wrong("which-step", "not-a-step")(TRUE_STEPS | {"JAX traces a function": "compile"})

# -- label-codes ------------------------------------------------------------------------------------------------


def coded(student_function, labels):
    """What came back for some labels, as plain data."""
    result = student_function(list(labels))
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        return {"pair": False}
    codes, names = result
    numeric = np.asarray(codes).dtype.kind in "iuf" and np.ndim(codes) == 1
    texts = [name if isinstance(name, str) else None for name in names]
    facts = {"pair": True, "numeric": numeric, "texts": texts, "names": [str(name) for name in names]}
    return facts | ({"codes": np.asarray(codes), "dtype": str(np.asarray(codes).dtype)} if numeric else {})


@exercise(
    "label-codes",
    see="encode",
    hint=[
        "Which labels are there, each once? `sorted(set(...))`, without the missing one.",
        "A dictionary from a label to its place gives the codes; `.get(label, -1)` those of the missing ones too.",
    ],
)
def label_codes(answer, rng):
    kinds = [str(kind) for kind in rng.permutation(["clear", "cloud", "fog", "rain", "snow"])[:4]]
    labels = [*kinds, None, *(str(kind) for kind in rng.choice(kinds, 6)), None]
    facts = answer.probe(coded, labels)
    require(facts["pair"], "not-a-pair", "Return two things: the codes, and the list of names.")
    require(facts["numeric"], "codes-are-no-numbers", "The codes should be one whole number for each label.")
    codes, names = facts["codes"], facts["names"]
    require(len(codes) == len(labels), "wrong-length", f"{len(labels)} labels gave {len(codes)} codes.")
    missing = np.array([label is None for label in labels])
    message = "`None` got a name and a code of its own. Missing is not a kind of weather: give it the code -1."
    require(None not in facts["texts"] and "None" not in names, "missing-is-a-name", message)
    twice = len(set(names)) < len(names)
    message = f"{len(names)} names for {len(set(kinds))} kinds: each name should be there once, or equal labels differ."
    require(not twice, "names-repeated", message)
    outside = (codes[~missing] < 0) | (codes[~missing] >= len(names))
    message = f"There are {len(names)} names, and the code {codes[~missing][outside.argmax()]} is none of their places."
    require(not outside.any(), "code-without-name", message)
    require((codes[missing] == -1).all(), "missing-not-marked", "The code of a missing label should be -1.")
    back = [names[int(code)] if code >= 0 else None for code in codes]
    where = next((i for i, label in enumerate(labels) if back[i] != label), 0)
    message = f"Label {where} is {labels[where]!r}, but its code leads back to {back[where]!r}."
    require(back == labels, "not-reversible", message)
    message = f"The codes are `{facts['dtype']}`. Without 64-bit mode JAX counts in `int32`: give it that."
    require(facts["dtype"] == "int32", "not-int32", message)


@wrong("label-codes", "missing-is-a-name")
def missing_is_a_label_too(labels):
    names = sorted({str(label) for label in labels})
    return np.array([names.index(str(label)) for label in labels], np.int32), names


@wrong("label-codes", "missing-not-marked")
def missing_is_the_first(labels):
    names = sorted({label for label in labels if label})
    return np.array([names.index(label) if label else 0 for label in labels], np.int32), names


@wrong("label-codes", "code-without-name")
def counts_from_one(labels):
    names = sorted({label for label in labels if label})
    return np.array([names.index(label) + 1 if label else -1 for label in labels], np.int32), names


@wrong("label-codes", "code-without-name")
def hashes_the_text(labels):
    names = sorted({label for label in labels if label})
    return np.array([sum(label.encode()) if label else -1 for label in labels], np.int32), names


@wrong("label-codes", "not-int32")
def factorises_with_pandas(labels):
    codes, names = pd.factorize(np.array(labels, object))
    return codes, list(names)


@wrong("label-codes", "names-repeated")
def every_label_is_a_name(labels):
    names = [label for label in labels if label]
    return np.array([names.index(label) if label else -1 for label in labels], np.int32), names


@wrong("label-codes", "not-reversible")
def names_in_another_order(labels):
    names = list(dict.fromkeys(label for label in labels if label))
    places = {label: place for place, label in enumerate(names)}
    return np.array([places.get(label, -1) for label in labels], np.int32), names[::-1]


@wrong("label-codes", "not-a-pair")
def forgets_the_names(labels):
    return np.array([0 if label else -1 for label in labels], np.int32)


@wrong("label-codes", "codes-are-no-numbers")
def codes_are_texts(labels):
    return [str(label) for label in labels], sorted({label for label in labels if label})


@wrong("label-codes", "wrong-length")
def drops_the_missing(labels):
    kept = [label for label in labels if label]
    names = sorted(set(kept))
    return np.array([names.index(label) for label in kept], np.int32), names


# -- must-be-copied ---------------------------------------------------------------------------------------------


def true_copies():
    """Whether NumPy copies, asked of NumPy."""
    c = np.zeros((6, 4), np.float32)
    f = np.asfortranarray(c)
    expressions = {
        "c": c,
        "f": f,
        "f.T": f.T,
        "c[2:]": c[2:],
        "c[:, :2]": c[:, :2],
        "c[:, 1]": c[:, 1],
        "f[:, 1]": f[:, 1],
        "c.astype(np.float64)": c.astype(np.float64),
    }
    return {name: not np.shares_memory(x, np.ascontiguousarray(x, dtype=np.float32)) for name, x in expressions.items()}


TRUE_COPIES = true_copies()


@exercise(
    "must-be-copied",
    see="copies-on-the-way-in",
    hint=[
        "Two questions for each: is it `float32` already, and do its elements lie side by side in C order?",
        "In C order a row lies side by side. In F order a column does.",
    ],
)
def must_be_copied(answer, rng):
    got, want = entries(answer.value(), like=TRUE_COPIES, kind=bool), TRUE_COPIES
    message = "`float64` and `float32` are different bytes, so every number is written anew."
    require(got["c.astype(np.float64)"], "dtype-for-free", message)
    message = "`f` has the same numbers at the same indices, but column by column. Rows side by side are other bytes."
    require(got["f"], "order-for-free", message)
    message = "The rows of `f.T` are the columns of `f`, and these lie side by side already."
    require(not got["f.T"], "transpose-copied", message)
    expect_entries(got, want, "Draw the block, and mark the elements that are wanted: is there a gap?")


same_numbers_same_bytes = wrong("must-be-copied", "dtype-for-free")(TRUE_COPIES | {"c.astype(np.float64)": False})
order_is_a_flag = wrong("must-be-copied", "order-for-free")(TRUE_COPIES | {"f": False})
a_transpose_moves_data = wrong("must-be-copied", "transpose-copied")(TRUE_COPIES | {"f.T": True})
columns_of_c_are_contiguous = wrong("must-be-copied", "wrong-value")(TRUE_COPIES | {"c[:, 1]": False})
a_part_is_a_copy = wrong("must-be-copied", "wrong-value")(TRUE_COPIES | {"c[2:]": True})
copies_as_words = wrong("must-be-copied", "wrong-type")(dict.fromkeys(TRUE_COPIES, "copy"))

# -- ewma-pair --------------------------------------------------------------------------------------------------


def pair_facts(student_function, parameter, rows):
    """What a pair (init, apply) does with some rows: by hand, one after the other, and in a scan."""
    pair = student_function(parameter)
    if not (isinstance(pair, (tuple, list)) and len(pair) == 2 and all(map(callable, pair))):
        return {"pair": False}
    init, apply = pair
    rows = jnp.asarray(rows)

    def kinds(tree):
        return jax.tree.structure(tree), [jnp.shape(leaf) for leaf in jax.tree.leaves(tree)]

    start = init(rows[0])
    first = apply(start, rows[0])
    if not (isinstance(first, tuple) and len(first) == 2):
        return {"pair": True, "two": False}
    if kinds(first[0]) != kinds(start) and kinds(first[1]) == kinds(start):
        return {"pair": True, "two": True, "swapped": True}
    apply(start, rows[1])
    again = apply(start, rows[0])
    leaves = zip(jax.tree.leaves(first), jax.tree.leaves(again), strict=True)
    facts = {"pair": True, "two": True, "swapped": False, "carry": "", "ys": []}
    facts["same"] = all(np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True) for a, b in leaves)
    state = start
    for row in rows:
        state, y = apply(state, row)
        facts["ys"].append(y)
    try:
        facts["scanned"] = jax.lax.scan(apply, start, rows)[1]
    except TypeError as error:
        facts["carry"] = str(error).split(":")[0][:150]
    except jax.errors.UnexpectedTracerError:
        facts["same"] = False
    return facts


def rows_of_results(facts, rows):
    """The results by hand as one array, once the pair is one and each result has a row's shape."""
    message = "Return two functions: `init`, which makes a state, and `apply`, which takes a state and a row."
    require(facts["pair"], "not-two-functions", message)
    message = "`apply` should return two things: the next state, and the result of this row."
    require(facts["two"], "no-state-returned", message)
    message = "`apply` returned the result first and the state second. A scan wants the state first."
    require(not facts["swapped"], "swapped", message)
    message = (
        "The same state and the same row gave two different results: something is remembered outside of the state. "
        "Under `jit` Python runs once, so what it remembers is lost."
    )
    require(facts["same"], "remembers", message)
    shapes = {np.shape(y) for y in facts["ys"]}
    message = f"A row has shape {rows[0].shape}, and its result should too: yours has {sorted(shapes, key=str)[0]}."
    require(shapes == {rows[0].shape}, "wrong-row-shape", message)
    return np.stack([numbers(y) for y in facts["ys"]])


def weighted_means(rows, alpha, *, gaps_count=True):
    """The definition: a mean with weights (1 - alpha)**age, where a gap has no weight, and ages or not."""
    rows = np.asarray(rows, np.float64)
    seen = ~np.isnan(rows)
    clock = np.cumsum(np.ones_like(seen) if gaps_count else seen, axis=0)
    means = np.full(rows.shape, np.nan)
    for t in range(len(rows)):
        weights = np.where(seen[: t + 1], (1 - alpha) ** (clock[t] - clock[: t + 1]), 0)
        there = weights.sum(0) > 0
        sums = (weights * np.nan_to_num(rows[: t + 1])).sum(0)
        means[t, there] = sums[there] / weights.sum(0)[there]
    return means


def plain_recursion(rows, alpha):
    """What pandas gives with `adjust=False`."""
    means = [rows[0]]
    for row in rows[1:]:
        means.append(alpha * row + (1 - alpha) * means[-1])
    return np.array(means)


@exercise(
    "ewma-pair",
    points=2,
    see="a-step-with-a-state",
    hint=[
        "The state is two arrays of the shape of a row: the weighted sum so far, and the sum of the weights.",
        "Both start at zero, before any row has come. `apply` lets both fade by `1 - alpha`, and then adds.",
    ],
)
def ewma_pair(answer, rng):
    alpha = float(rng.uniform(0.15, 0.4))
    rows = rng.normal(5, 2, size=(8, 3)).astype(np.float32)
    facts = answer.probe(pair_facts, alpha, rows)
    got = rows_of_results(facts, rows)
    want = weighted_means(rows, alpha)
    message = "This is `adjust=False`: the first row keeps a weight as if it stood for all rows before it."
    require(not close(got, plain_recursion(rows, alpha)), "plain-recursion", message)
    message = "`alpha` and `1 - alpha` changed places: a large alpha forgets fast, so what is old fades by `1 - alpha`."
    require(not close(got, weighted_means(rows, 1 - alpha)), "alpha-turned-around", message)
    sums = want * np.cumsum((1 - alpha) ** np.arange(len(rows)))[:, None]
    message = "That is the weighted sum. Divide it by the sum of the weights, which belongs into the state too."
    require(not close(got, sums), "not-divided", message)
    twice = weighted_means(np.concatenate([rows[:1], rows]), alpha)[1:]
    message = "The first row counts twice: `init` is given it for its shape and dtype only, and `apply` gets it again."
    require(not close(got, twice), "first-row-twice", message)
    expect(got, want, "The mean with weights (1 - alpha)**age, for each row.")
    message = (
        f"By hand it is right, but `lax.scan` refuses it ({facts['carry']}): the state must go out with the shapes and "
        "dtypes with which it came in. Does `init` start with an array like the row?"
    )
    require(not facts["carry"], "state-changes", message)
    expect(facts["scanned"], want, "The same, in a scan.")


def fading_sums(alpha, *, start=jnp.zeros_like, fade=None, divide=True):
    """The pair, with its parts to be broken."""
    fade = 1 - alpha if fade is None else fade

    def init(x0):
        return start(x0), start(x0)

    def apply(state, x):
        total, weight = state
        total, weight = fade * total + x, fade * weight + 1
        return (total, weight), total / weight if divide else total

    return init, apply


@wrong("ewma-pair", "plain-recursion")
def forgets_to_adjust(alpha):
    def init(x0):
        return jnp.full_like(x0, jnp.nan)

    def apply(mean, x):
        mean = jnp.where(jnp.isnan(mean), x, alpha * x + (1 - alpha) * mean)
        return mean, mean

    return init, apply


@wrong("ewma-pair", "alpha-turned-around")
def fades_by_alpha(alpha):
    return fading_sums(alpha, fade=alpha)


@wrong("ewma-pair", "not-divided")
def returns_the_sum(alpha):
    return fading_sums(alpha, divide=False)


@wrong("ewma-pair", "first-row-twice")
def starts_with_the_first_row(alpha):
    _, apply = fading_sums(alpha)
    return lambda x0: (x0, jnp.ones_like(x0)), apply


@wrong("ewma-pair", "state-changes")
def starts_with_python_numbers(alpha):
    return fading_sums(alpha, start=lambda x0: 0.0)


@wrong("ewma-pair", "remembers")
def keeps_the_state_outside(alpha):
    kept = {"total": 0.0, "weight": 0.0}

    def apply(state, x):
        kept["total"] = (1 - alpha) * kept["total"] + x
        kept["weight"] = (1 - alpha) * kept["weight"] + 1
        return state, kept["total"] / kept["weight"]

    return jnp.zeros_like, apply


@wrong("ewma-pair", "swapped")
def result_before_state(alpha):
    init, apply = fading_sums(alpha)
    return init, lambda state, x: apply(state, x)[::-1]


@wrong("ewma-pair", "no-state-returned")
def returns_the_mean_alone(alpha):
    init, apply = fading_sums(alpha)
    return init, lambda state, x: apply(state, x)[1]


@wrong("ewma-pair", "not-two-functions")
def returns_apply_alone(alpha):
    return fading_sums(alpha)[1]


@wrong("ewma-pair", "wrong-row-shape")
def averages_the_columns_too(alpha):
    init, apply = fading_sums(alpha)

    def mixed(state, x):
        state, y = apply(state, x)
        return state, y.mean()

    return init, mixed


@wrong("ewma-pair", "wrong-value")
def fades_what_is_new_too(alpha):
    init, apply = fading_sums(alpha)
    return init, lambda state, x: apply(state, (1 - alpha) * x)


# -- ewma-with-gaps ---------------------------------------------------------------------------------------------


def equations_of(student_function, xs, alpha):
    """How many equations the function has, with loops counted once."""
    return sum(probe.primitives(lambda xs: student_function(xs, alpha), xs).values())


def with_holes(rng, rows, columns):
    """Readings with gaps: one column begins with a gap, and every column has a gap inside."""
    xs = rng.normal(5, 2, size=(rows, columns)).astype(np.float32)
    xs[0, 0] = np.nan
    for column in range(columns):
        first = int(rng.integers(2, rows - 4))
        xs[first : first + 2, column] = np.nan
    return xs


def plain_recursion_with_gaps(xs, alpha):
    """The recursion of `adjust=False` that stands still at a gap."""
    means = [xs[0]]
    for x in xs[1:]:
        moved = np.where(np.isnan(means[-1]), x, alpha * x + (1 - alpha) * means[-1])
        means.append(np.where(np.isnan(x), means[-1], moved))
    return np.array(means)


@exercise(
    "ewma-with-gaps",
    points=3,
    see="gaps",
    hint=[
        "`seen = ~jnp.isnan(x)` for each row, and `jnp.where(seen, ..., ...)` instead of an `if`.",
        "Keep the mean itself and its weight in the state. The mean starts as NaN, the weight at zero.",
        "At a gap the weight fades and the mean stays. At a value: `(weight * mean + x) / (weight + 1)`, if there is a "
        "mean already, and else `x`.",
    ],
)
def ewma_with_gaps(answer, rng):
    alpha = float(rng.uniform(0.3, 0.5))
    xs = with_holes(rng, 12, 3)
    try:
        got, want = numbers(answer(xs, alpha)), weighted_means(xs, alpha)
    except AnswerRaised as error:
        message = (
            "In a scan a row has no values yet, so Python cannot branch on it. Nor is there one branch for a row: some "
            "columns have a gap in it and others have not. `jnp.where` chooses for each."
        )
        require(error.raised.kind != "TracerBoolConversionError", "branches-in-python", message)
        raise
    require(got.shape == xs.shape, "wrong-shape", f"The shape should be {xs.shape}, not {got.shape}.")
    seen = ~np.isnan(xs)
    spread = np.logical_or.accumulate(~seen, axis=0)
    message = (
        "One NaN makes every mean below it NaN: it went into the sum, and never fades. Leave gaps out with `where`."
    )
    require(not np.array_equal(np.isnan(got), spread), "nan-spreads", message)
    message = "A gap counts as the value 0. It should have no weight: add to the sum of the weights only what was seen."
    zeros = weighted_means(np.nan_to_num(xs), alpha)
    require(not close(got[1:], zeros[1:]), "gap-is-zero", message)
    message = "At a gap your result is NaN. Like pandas, show the mean of what was seen so far."
    require(not (np.isnan(got[~seen]).all() and close(got[seen], want[seen])), "gap-in-the-result", message)
    message = "Before the first value there is no mean: pandas shows NaN there, not a number."
    require(np.isnan(got[0, 0]), "mean-of-nothing", message)
    message = (
        "Here a gap lets no time pass, which pandas calls `ignore_na=True`. By default the weights fade in every row, "
        "whether a value came or not."
    )
    require(not close(got, weighted_means(xs, alpha, gaps_count=False)), "gap-stops-the-clock", message)
    message = "That is `adjust=False`: the mean should be divided by the sum of the weights that were there."
    require(not close(got, plain_recursion_with_gaps(xs, alpha)), "plain-recursion", message)
    expect(got, want, "The mean with weights (1 - alpha)**age of all values seen so far.")
    try:
        few, many = (answer.probe(equations_of, with_holes(rng, rows, 2), alpha) for rows in (20, 60))
    except AnswerRaised as error:
        message = "It needs the numbers themselves, so it cannot be traced and compiled. Stay with `jax.numpy`."
        require(error.raised.kind not in NEEDS_VALUES, "not-in-jax", message)
        raise
    message = f"{few} equations for 20 rows, {many} for 60: the loop over time is unrolled. Use `jax.lax.scan`."
    require(many < few + 80, "unrolled", message)  # an associative scan grows too, with the logarithm
    long = np.full((450, 2), np.nan, np.float32)
    long[:5] = xs[-5:, :2]
    message = (
        "After some hundred rows without a value the mean is NaN, though pandas still shows the last one. Sums that "
        "fade in every row are 0 by then in float32, and 0 / 0 is NaN: keep the mean itself in the state, beside its "
        "weight, and let only the weight fade."
    )
    last = numbers(answer(long, alpha))[-1]
    require(not np.isnan(last).any(), "forgets-in-a-long-gap", message)
    expect(last, weighted_means(long, alpha)[-1], "The mean at the end of a long gap.")


def scanned_means(xs, alpha, apply, *state):
    """A scan over the rows, from a state that is made of arrays like a row."""
    return jax.lax.scan(lambda state, x: apply(state, x, alpha), state, jnp.asarray(xs))[1]


def like_a_row(xs, value):
    return jnp.full(xs.shape[1:], value, xs.dtype)


def two_sums(state, x, alpha):
    """Weighted sum and sum of weights, with gaps left out."""
    total, weight = state
    counts = ~jnp.isnan(x)
    total = (1 - alpha) * total + jnp.where(counts, x, 0)
    weight = (1 - alpha) * weight + counts
    return (total, weight), total / weight


def two_sum_means(xs, alpha):
    return scanned_means(xs, alpha, two_sums, like_a_row(xs, 0), like_a_row(xs, 0))


keeps_two_sums = wrong("ewma-with-gaps", "forgets-in-a-long-gap")(two_sum_means)


@wrong("ewma-with-gaps", "nan-spreads")
def forgets_the_gaps(xs, alpha):
    def apply(state, x, alpha):
        total, weight = (1 - alpha) * state[0] + x, (1 - alpha) * state[1] + 1
        return (total, weight), total / weight

    return scanned_means(xs, alpha, apply, like_a_row(xs, 0), like_a_row(xs, 0))


@wrong("ewma-with-gaps", "gap-is-zero")
def fills_with_zero(xs, alpha):
    return two_sum_means(jnp.nan_to_num(jnp.asarray(xs)), alpha)


@wrong("ewma-with-gaps", "gap-in-the-result")
def leaves_gaps_in_the_result(xs, alpha):
    return jnp.where(jnp.isnan(xs), jnp.nan, two_sum_means(xs, alpha))


@wrong("ewma-with-gaps", "mean-of-nothing")
def guards_the_division(xs, alpha):
    def apply(state, x, alpha):
        (total, weight), _ = two_sums(state, x, alpha)
        return (total, weight), total / jnp.maximum(weight, 1e-6)

    return scanned_means(xs, alpha, apply, like_a_row(xs, 0), like_a_row(xs, 0))


@wrong("ewma-with-gaps", "gap-stops-the-clock")
def keeps_the_whole_state_at_a_gap(xs, alpha):
    def apply(state, x, alpha):
        after, _ = two_sums(state, x, alpha)
        total, weight = (jnp.where(jnp.isnan(x), old, new) for old, new in zip(state, after, strict=True))
        return (total, weight), total / weight

    return scanned_means(xs, alpha, apply, like_a_row(xs, 0), like_a_row(xs, 0))


@wrong("ewma-with-gaps", "not-in-jax")
def asks_pandas(xs, alpha):
    return pd.DataFrame(np.asarray(xs)).ewm(alpha=alpha).mean().to_numpy()


@wrong("ewma-with-gaps", "plain-recursion")
def stands_still_at_a_gap(xs, alpha):
    def apply(state, x, alpha):
        (mean,) = state
        moved = jnp.where(jnp.isnan(mean), x, alpha * x + (1 - alpha) * mean)
        mean = jnp.where(jnp.isnan(x), mean, moved)
        return (mean,), mean

    return scanned_means(xs, alpha, apply, like_a_row(xs, jnp.nan))


@wrong("ewma-with-gaps", "branches-in-python")
def asks_with_an_if(xs, alpha):
    def apply(state, x, alpha):
        if jnp.isnan(x).any():
            return state, state[0] / state[1]
        return two_sums(state, x, alpha)

    return scanned_means(xs, alpha, apply, like_a_row(xs, 0), like_a_row(xs, 0))


@wrong("ewma-with-gaps", "unrolled")
def loops_over_the_rows(xs, alpha):
    state, means = (like_a_row(xs, 0), like_a_row(xs, 0)), []
    for x in jnp.asarray(xs):
        state, mean = two_sums(state, x, alpha)
        means.append(mean)
    return jnp.stack(means)


@wrong("ewma-with-gaps", "wrong-value")
def fills_with_the_last_value(xs, alpha):
    def apply(state, x, alpha):
        total, weight, last = state
        last = jnp.where(jnp.isnan(x), last, x)
        (total, weight), mean = two_sums((total, weight), last, alpha)
        return (total, weight, last), mean

    return scanned_means(xs, alpha, apply, *(like_a_row(xs, value) for value in (0, 0, jnp.nan)))


@wrong("ewma-with-gaps", "wrong-shape")
def returns_the_last_mean(xs, alpha):
    return two_sum_means(xs, alpha)[-1]


# -- cut-anywhere -----------------------------------------------------------------------------------------------


def runner_facts(student_function, flow, level):
    """What a runner does with a stream of three parts, as a whole and in pieces, and what it compiles."""
    calls = 0

    def init(x0):
        return {"total": jnp.zeros_like(x0["flow"]), "rows": jnp.zeros((), x0["flow"].dtype)}

    def apply(state, x):
        nonlocal calls
        calls += 1
        state = {"total": state["total"] + x["flow"] * x["level"], "rows": state["rows"] + 1}
        return state, {"mean": state["total"] / state["rows"]}

    xs = {"flow": jnp.asarray(flow), "level": jnp.asarray(level)}
    n = len(flow) // 3
    first, second, third = (jax.tree.map(lambda x, part=part: x[part * n : (part + 1) * n], xs) for part in range(3))

    def is_pair(result):
        return isinstance(result, tuple) and len(result) == 2

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
    state, one = run(first)
    state, two = run(second, state)
    compiled = probe.compiled(run, [(third, state)])
    state, three = run(third, state)
    facts |= {"whole": whole[1]["mean"], "parts": [part["mean"] for part in (one, two, three)]}
    return facts | {"compiled": len(compiled[0]), "afresh": run(second)[1]["mean"]}


@exercise(
    "cut-anywhere",
    points=2,
    see="cut-a-stream",
    hint=[
        "`jax.lax.scan(apply, state, xs)` returns the last state and all results: that is the pair you need.",
        "With `state=None` the first row of every array in `xs` goes to `init`: `jax.tree.map(lambda x: x[0], xs)`.",
        "Call `jax.jit` once, when the runner is made, and not in each run.",
    ],
)
def cut_anywhere(answer, rng):
    flow, level = rng.uniform(1, 2, size=(2, 30, 3)).astype(np.float32)
    want = np.cumsum(flow * level, axis=0) / np.arange(1, 31, dtype=np.float32)[:, None]
    try:
        facts = answer.probe(runner_facts, flow, level)
    except AnswerRaised as error:
        message = (
            "`xs` is a dictionary of arrays, and `xs[0]` would be one of its entries. `jax.tree.map` takes the first "
            "row of each array."
        )
        tree = error.raised.kind == "KeyError" or "string index" in error.raised.message
        require(not tree, "rows-of-a-tree", message)
        raise
    require(facts["run"], "no-run", "Return a function: `run(xs, state=None)`.")
    require(facts["pair"], "no-state-returned", "`run` should return two things: the last state, and all results.")
    message = "The results came first and the state second. Like `scan`, return the state first."
    require(not facts["swapped"], "swapped", message)
    message = "The second thing should be all results of `apply`, with time as their leading axis."
    require(facts["result"], "no-results", message)
    whole, parts = numbers(facts["whole"]), np.concatenate([numbers(part) for part in facts["parts"]])
    message = "Each result has a row for every row: `init` was given all of `xs`. It needs one row, the first."
    require(whole.ndim == 2, "all-rows-for-init", message)
    message = f"{len(want)} rows gave {len(whole)} results. The first row is for `init` *and* for `apply`."
    require(len(whole) == len(want), "row-lost", message)
    expect(whole, want, "The results of the whole stream.")
    message = (
        "A run without a state did not start afresh: it went on where an earlier run had ended, because something is "
        "remembered outside of the state. Then two streams cannot be walked in turn."
    )
    require(close(parts[:10], want[:10]), "remembers", message)
    fresh = np.concatenate([want[:10], numbers(facts["afresh"])])
    message = "The second part started over: the state of the first part was given to `run`, and was not used."
    require(not close(parts[:20], fresh), "starts-over", message)
    expect(parts, want, "The stream in three parts, each with the state of the part before it.")
    message = f"For 30 rows Python called `apply` {facts['steps']} times: a loop over time in Python. Use a `scan`."
    require(facts["steps"] < 15, "loops-in-python", message)
    message = (
        "A third part of the same shape compiled anew: `jax.jit` was called in the run, for a function that was made "
        "in the run. Call it once, outside of `run`."
    )
    require(facts["compiled"] == 0, "compiled-again", message)


def runner(init, apply):
    """The right answer, to be broken by others."""

    @jax.jit
    def run(xs, state=None):
        state = init(jax.tree.map(lambda x: x[0], xs)) if state is None else state
        return jax.lax.scan(apply, state, xs)

    return run


@wrong("cut-anywhere", "starts-over")
def ignores_the_state(step):
    run = runner(*step)
    return lambda xs, state=None: run(xs)


@wrong("cut-anywhere", "remembers")
def keeps_the_last_state_itself(step):
    inner, last = runner(*step), None

    def run(xs, state=None):
        nonlocal last
        last, ys = inner(xs, last)
        return last, ys

    return run


@wrong("cut-anywhere", "compiled-again")
def jits_in_each_run(step):
    init, apply = step

    def run(xs, state=None):
        state = init(jax.tree.map(lambda x: x[0], xs)) if state is None else state
        return jax.jit(lambda state, xs: jax.lax.scan(apply, state, xs))(state, xs)

    return run


@wrong("cut-anywhere", "loops-in-python")
def loops_in_the_runner(step):
    init, apply = step

    @jax.jit
    def run(xs, state=None):
        rows = [jax.tree.map(lambda x, t=t: x[t], xs) for t in range(len(xs["flow"]))]
        state = init(rows[0]) if state is None else state
        results = []
        for row in rows:
            state, y = apply(state, row)
            results.append(y)
        return state, jax.tree.map(lambda *ys: jnp.stack(ys), *results)

    return run


@wrong("cut-anywhere", "row-lost")
def keeps_the_first_row_for_init(step):
    init, apply = step
    run = runner(init, apply)

    def shorter(xs, state=None):
        state = init(jax.tree.map(lambda x: x[0], xs)) if state is None else state
        return run(jax.tree.map(lambda x: x[1:], xs), state)

    return shorter


@wrong("cut-anywhere", "no-state-returned")
def returns_the_results_alone(step):
    run = runner(*step)
    return lambda xs, state=None: run(xs, state)[1]


@wrong("cut-anywhere", "no-results")
def returns_the_state_twice(step):
    run = runner(*step)
    return lambda xs, state=None: (run(xs, state)[0],) * 2


@wrong("cut-anywhere", "swapped")
def returns_the_results_first(step):
    run = runner(*step)
    return lambda xs, state=None: run(xs, state)[::-1]


@wrong("cut-anywhere", "rows-of-a-tree")
def takes_row_zero_of_the_dictionary(step):
    init, apply = step
    return lambda xs, state=None: jax.lax.scan(apply, init(xs[0]) if state is None else state, xs)


@wrong("cut-anywhere", "all-rows-for-init")
def starts_from_all_rows(step):
    init, apply = step
    return lambda xs, state=None: jax.lax.scan(apply, init(xs) if state is None else state, xs)


@wrong("cut-anywhere", "no-run")
def runs_at_once(step):
    return step


@wrong("cut-anywhere", "wrong-value")
def runs_backwards(step):
    init, apply = step

    def run(xs, state=None):
        state = init(jax.tree.map(lambda x: x[0], xs)) if state is None else state
        return jax.lax.scan(apply, state, xs, reverse=True)

    return run


# -- rolling-mean-pair ------------------------------------------------------------------------------------------


def rolling_means(rows, window):
    """The definition: the mean of the last rows, NaN before there are enough."""
    means = np.full(rows.shape, np.nan)
    for t in range(window - 1, len(rows)):
        means[t] = np.asarray(rows[t - window + 1 : t + 1], np.float64).mean(0)
    return means


def partial_means(rows, window):
    """What comes out if fewer rows than the window are averaged too."""
    return np.array([rows[max(0, t - window + 1) : t + 1].mean(0) for t in range(len(rows))])


@exercise(
    "rolling-mean-pair",
    points=2,
    see="the-next-step",
    hint=[
        "The state is the last `window` rows, an array of shape `(window, *x0.shape)`.",
        "If it starts full of NaN, the mean of it is NaN until the window is full, without any counting.",
        "The next state: all rows but the first, and the new one behind them, with `jnp.concatenate`.",
    ],
)
def rolling_mean_pair(answer, rng):
    window = int(rng.integers(3, 6))
    rows = rng.normal(5, 2, size=(14, 2)).astype(np.float32)
    facts = answer.probe(pair_facts, window, rows)
    refused = facts.get("carry") and "same" in facts
    message = (
        f"`lax.scan` refuses it ({facts.get('carry')}): the state must go out with the shapes with which it came in, "
        "so it cannot grow with the rows. Keep `window` rows from the start."
    )
    require(not refused, "state-changes", message)
    got, want = rows_of_results(facts, rows), rolling_means(rows, window)
    message = f"Row 0 has a mean already, but there were fewer than {window} rows: it should be NaN until there are."
    require(not close(got, partial_means(rows, window)), "window-not-full", message)
    zeros = rolling_means(np.concatenate([np.zeros((window - 1, 2)), rows]), window)[window - 1 :]
    message = "Before the window is full, zeros are averaged that nobody measured. Start with NaN."
    require(not close(got, zeros), "zeros-in-the-window", message)
    for other in (window - 1, window + 1):
        message = f"That is the mean of {other} rows, not of {window}. Is the newest row in it, and the oldest out?"
        require(not close(got, rolling_means(rows, other)), "one-row-off", message)
    message = "The result is that of the row before: the newest row is not in it yet. Average after it came in."
    require(not close(got[1:], want[:-1]), "newest-row-missing", message)
    expect(got, want, "The mean of the last `window` rows, and NaN before there are so many.")
    expect(facts["scanned"], want, "The same, in a scan.")
    gap = rows.copy()
    gap[3, 0] = np.nan
    after = answer.probe(pair_facts, window, gap)["scanned"][-1]
    message = (
        "One NaN came, left the window, and the mean is still NaN. A sum from which the oldest row is subtracted never "
        "gets rid of a NaN: average the rows that are in the window."
    )
    require(not np.isnan(after).any(), "nan-stays", message)
    spike = rows.copy()
    spike[3] = 1e9
    message = (
        "A value of a billion came, left the window, and the mean is wrong ever after. In float32 a sum that once was "
        "so large has lost the digits of the others: average the rows that are in the window."
    )
    after = answer.probe(pair_facts, window, spike)["scanned"][-1]
    expect(after, want[-1], message, label="digits-lost", rtol=1e-3)


def window_pair(window, *, fill=jnp.nan, average=lambda kept: kept.mean(0)):
    """The last rows as the state, with its parts to be broken."""

    def init(x0):
        return jnp.full((window, *x0.shape), fill, x0.dtype)

    def apply(kept, x):
        kept = jnp.concatenate([kept[1:], x[None]])
        return kept, average(kept)

    return init, apply


def running_sum_pair(window):
    """A sum to which the newest row is added and from which the oldest is taken."""

    def init(x0):
        return jnp.zeros((window, *x0.shape), x0.dtype), jnp.zeros_like(x0), jnp.zeros((), jnp.int32)

    def apply(state, x):
        kept, total, count = state
        total = total - kept[0] + x
        kept, count = jnp.concatenate([kept[1:], x[None]]), count + 1
        return (kept, total, count), jnp.where(count < window, jnp.nan, total / window)

    return init, apply


@wrong("rolling-mean-pair", "nan-stays")
def subtracts_the_oldest(window):
    return running_sum_pair(window)


@wrong("rolling-mean-pair", "digits-lost")
def subtracts_the_oldest_unless_it_is_nan(window):
    def init(x0):
        return jnp.full((window, *x0.shape), jnp.nan, x0.dtype), jnp.zeros_like(x0)

    def apply(state, x):
        kept, total = state
        total = total - jnp.nan_to_num(kept[0]) + jnp.nan_to_num(x)
        kept = jnp.concatenate([kept[1:], x[None]])
        return (kept, total), jnp.where(jnp.isnan(kept).any(0), jnp.nan, total / window)

    return init, apply


@wrong("rolling-mean-pair", "window-not-full")
def averages_what_is_there(window):
    return window_pair(window, average=lambda kept: jnp.nanmean(kept, axis=0))


@wrong("rolling-mean-pair", "zeros-in-the-window")
def starts_with_zeros(window):
    return window_pair(window, fill=0)


@wrong("rolling-mean-pair", "newest-row-missing")
def averages_before_the_row_comes(window):
    init, apply = window_pair(window)
    return init, lambda kept, x: (apply(kept, x)[0], kept.mean(0))


@wrong("rolling-mean-pair", "one-row-off")
def keeps_one_row_more(window):
    return window_pair(window + 1)


@wrong("rolling-mean-pair", "state-changes")
def grows_a_list(window):
    def init(x0):
        return jnp.zeros((0, *x0.shape), x0.dtype)

    def apply(kept, x):
        kept = jnp.concatenate([kept, x[None]])[-window:]
        return kept, jnp.where(len(kept) < window, jnp.nan, kept.mean(0))

    return init, apply


@wrong("rolling-mean-pair", "remembers")
def keeps_a_deque(window):
    kept = []

    def apply(state, x):
        kept.append(x)
        return state, sum(kept[-window:]) / window

    return jnp.zeros_like, apply


@wrong("rolling-mean-pair", "no-state-returned")
def returns_the_rolling_mean_alone(window):
    init, apply = window_pair(window)
    return init, lambda state, x: apply(state, x)[1]


@wrong("rolling-mean-pair", "swapped")
def rolling_mean_before_state(window):
    init, apply = window_pair(window)
    return init, lambda state, x: apply(state, x)[::-1]


@wrong("rolling-mean-pair", "not-two-functions")
def rolls_at_once(window):
    return jnp.zeros(window)


@wrong("rolling-mean-pair", "wrong-row-shape")
def averages_all_columns(window):
    return window_pair(window, average=lambda kept: kept.mean())


@wrong("rolling-mean-pair", "wrong-value")
def moves_the_mean_a_little(window):
    return jnp.zeros_like, lambda mean, x: (mean + (x - mean) / window,) * 2


# -- last-known -------------------------------------------------------------------------------------------------


def last_before(events, clock, tolerance):
    """The definition, one time after the other: the last event that is not later and not too old."""
    found = []
    for time in clock:
        known = [i for i, event in enumerate(events) if event <= time and time - event <= tolerance]
        found.append(known[-1] if known else -1)
    return np.array(found)


def drawn_streams(rng):
    """Times of events and of a clock, where every case comes up: before all, at the same time, just fresh, stale."""
    gaps = rng.integers(3, 7, size=8)
    events = 20 + np.cumsum(np.concatenate([gaps[:4], [30], gaps[4:]]))
    between = rng.choice(np.arange(21, events[-1]), size=6, replace=False)
    clock = np.sort(
        np.concatenate([[5, 15], events[[1, 3]], events[3] + [6, 10, 11, 25], between, events[-1] + [5, 40]])
    )
    return events.astype(np.int32), np.unique(clock).astype(np.int32), 10


@exercise(
    "last-known",
    points=2,
    see="one-clock",
    hint=[
        "`np.searchsorted(events, clock, side=...)` counts for each time of the clock how many events came before it.",
        "Which `side` counts an event at that very moment? And the last of `n` events has which index?",
        "Where nothing came yet the index is -1 already. Where the event is too old, `np.where` makes it so.",
    ],
)
def last_known(answer, rng):
    events, clock, tolerance = drawn_streams(rng)
    want = last_before(events, clock, tolerance)
    got = numbers(answer(events, clock, tolerance))
    require(got.shape == clock.shape, "wrong-shape", f"One index for each of the {len(clock)} times, not {got.shape}.")
    message = f"Indices are whole numbers, but `{got.dtype}` came back: it could not be used as an index."
    require(got.dtype.kind in "iu", "not-indices", message)
    outside = (got < -1) | (got >= len(events))
    require(not outside.any(), "outside", f"There are {len(events)} events, and {got[outside.argmax()]} is no index.")
    early = clock < events[0]
    message = f"At time {clock[0]} nothing has happened yet, so nothing is known: -1. You took event {got[0]}."
    require((got[early] == -1).all(), "before-the-first", message)
    later = (got >= 0) & (events[got] > clock)
    at = int(later.argmax())
    message = (
        f"At time {clock[at]} you took the event of time {events[got[at]]}: that is the future. "
        "Whatever is computed from it cannot be known then."
    )
    require(not later.any(), "looks-ahead", message)
    stale = (got >= 0) & (clock - events[got] > tolerance)
    at = int(stale.argmax())
    message = f"At time {clock[at]} you took the event of time {events[got[at]]}, older than the tolerance {tolerance}."
    require(not stale.any(), "too-old", message)
    same = np.isin(clock, events) & (got != want)
    at = int(same.argmax())
    message = f"An event of time {clock[at]} is known at time {clock[at]}: `side=` decides whether it counts."
    require(not same.any(), "same-time-missed", message)
    edge = (want >= 0) & (clock - events[want] == tolerance) & (got == -1)
    message = f"An event that is exactly {tolerance} old is still within the tolerance of {tolerance}."
    require(not edge.any(), "tolerance-shut-out", message)
    at = int((got != want).argmax())
    message = f"At time {clock[at]} the event of time {events[want[at]]} is the last one known. You took {got[at]}."
    require(np.array_equal(got, want), "not-found", message)


@wrong("last-known", "looks-ahead")
def forgets_the_minus_one(events, clock, tolerance):
    index = np.minimum(np.searchsorted(events, clock, side="right"), len(events) - 1)
    return np.where(clock < events[0], -1, index)


@wrong("last-known", "looks-ahead")
def takes_the_nearest(events, clock, tolerance):
    distance = abs(events[None] - clock[:, None])
    return np.where(clock < events[0], -1, distance.argmin(1))


@wrong("last-known", "same-time-missed")
def takes_the_left_side(events, clock, tolerance):
    index = np.searchsorted(events, clock, side="left") - 1
    return np.where((index >= 0) & (clock - events[index] <= tolerance), index, -1)


@wrong("last-known", "before-the-first")
def clips_at_the_first(events, clock, tolerance):
    index = np.clip(np.searchsorted(events, clock, side="right") - 1, 0, None)
    return np.where(clock - events[index] <= tolerance, index, -1)


@wrong("last-known", "too-old")
def forgets_the_tolerance(events, clock, tolerance):
    return np.searchsorted(events, clock, side="right") - 1


@wrong("last-known", "tolerance-shut-out")
def shuts_the_tolerance_out(events, clock, tolerance):
    index = np.searchsorted(events, clock, side="right") - 1
    return np.where((index >= 0) & (clock - events[index] < tolerance), index, -1)


@wrong("last-known", "not-indices")
def marks_with_nan(events, clock, tolerance):
    index = np.searchsorted(events, clock, side="right") - 1
    return np.where((index >= 0) & (clock - events[index] <= tolerance), index, np.nan)


@wrong("last-known", "outside")
def returns_the_times(events, clock, tolerance):
    return events[np.searchsorted(events, clock, side="right") - 1]


@wrong("last-known", "wrong-shape")
def index_of_the_clock(events, clock, tolerance):
    return np.searchsorted(clock, events, side="right") - 1


@wrong("last-known", "not-found")
def takes_the_end_for_outside(events, clock, tolerance):
    count = np.searchsorted(events, clock, side="right")
    index = np.where(count == len(events), -1, count - 1)
    return np.where((index >= 0) & (clock - events[index] <= tolerance), index, -1)


# -- below-the-floor --------------------------------------------------------------------------------------------


@exercise(
    "below-the-floor",
    see="phantom",
    hint=[
        "How many bytes does the table have? They are read once, and as many are written.",
        "No call can be faster than those bytes over the bandwidth.",
    ],
)
def below_the_floor(answer, rng):
    rows, columns = int(rng.integers(2, 9)) * 10_000, int(rng.integers(2, 9)) * 100
    bandwidth = float(rng.uniform(10, 40)) * 1e9
    floor = 2 * rows * columns * 4 / bandwidth
    seconds = floor * np.array([0.001, 0.01, 0.3, 0.7, 0.9, 1.1, 1.5, 3.0, 20.0])
    got, want = numbers(answer(seconds, rows, columns, bandwidth)), seconds < floor
    require(got.shape == want.shape, "wrong-shape", f"One answer for each of the {len(want)} times, not {got.shape}.")
    require(got.dtype == bool, "not-bools", f"Each answer should be `True` or `False`, yours are `{got.dtype}`.")
    require(not np.array_equal(got, ~want), "turned-around", "`True` is for the times that are impossible.")
    message = "The table has to be read *and* the result to be written: twice its bytes have to be moved."
    require(not np.array_equal(got, seconds < floor / 2), "reads-only", message)
    message = "A `float32` takes 4 bytes. Did you count 8, or bits?"
    require(not (got[5:7].all() or got.all()), "other-itemsize", message)
    message = "A time is impossible if it is below the bytes that must be moved, over the bandwidth."
    require(np.array_equal(got, want), "wrong-value", message)


@wrong("below-the-floor", "reads-only")
def forgets_the_result(seconds, rows, columns, bandwidth):
    return seconds < rows * columns * 4 / bandwidth


@wrong("below-the-floor", "other-itemsize")
def thinks_of_float64(seconds, rows, columns, bandwidth):
    return seconds < 2 * rows * columns * 8 / bandwidth


@wrong("below-the-floor", "other-itemsize")
def counts_bits(seconds, rows, columns, bandwidth):
    return seconds < 2 * rows * columns * 32 / bandwidth


@wrong("below-the-floor", "turned-around")
def says_which_are_possible(seconds, rows, columns, bandwidth):
    return seconds >= 2 * rows * columns * 4 / bandwidth


@wrong("below-the-floor", "not-bools")
def returns_the_share(seconds, rows, columns, bandwidth):
    return 2 * rows * columns * 4 / bandwidth / seconds


@wrong("below-the-floor", "wrong-shape")
def one_answer_for_all(seconds, rows, columns, bandwidth):
    return (seconds < 2 * rows * columns * 4 / bandwidth).any()


@wrong("below-the-floor", "wrong-value")
def counts_elements(seconds, rows, columns, bandwidth):
    return seconds < rows * columns / bandwidth


# -- back-to-a-table --------------------------------------------------------------------------------------------


def table_facts(student_function, values, index, columns):
    """What a table that came back is made of, and whether its numbers are where JAX left them."""
    like = pd.DataFrame(np.zeros(values.shape), index=pd.Index(index), columns=list(columns))
    values = jnp.asarray(values)
    table = student_function(values, like)
    if not isinstance(table, pd.DataFrame):
        return {"type": type(table).__name__}
    facts = {"type": "DataFrame", "rows": [str(label) for label in table.index], "names": list(map(str, table.columns))}
    if table.shape != values.shape:
        return facts | {"shape": table.shape}
    facts |= {"shape": table.shape, "dtypes": sorted({str(dtype) for dtype in table.dtypes})}
    return facts | {"values": table.to_numpy(), "shares": np.shares_memory(table.to_numpy(), np.asarray(values))}


@exercise(
    "back-to-a-table",
    see="format",
    hint=[
        "`pd.DataFrame(..., index=..., columns=...)` of `np.asarray(values)`.",
        "Does the constructor copy? Its argument `copy=` decides.",
    ],
)
def back_to_a_table(answer, rng):
    values = rng.normal(size=(6, 3)).astype(np.float32)
    index = [f"day {day}" for day in rng.permutation(30)[:6]]
    columns = [f"gauge {name}" for name in rng.permutation(list("abcde"))[:3]]
    facts = answer.probe(table_facts, values, index, columns)
    message = f"A DataFrame should come back, not an object of type `{facts['type']}`."
    require(facts["type"] == "DataFrame", "not-a-table", message)
    require(facts["shape"] == values.shape, "other-shape", f"The shape should be {values.shape}, not {facts['shape']}.")
    require(
        facts["rows"] == index, "index-lost", f"The rows should be called as in `like`, not {facts['rows'][:2]} ..."
    )
    require(facts["names"] == columns, "columns-lost", f"The columns should be called {columns}, not {facts['names']}.")
    message = f"`float32` went in, and the columns are {', '.join(facts['dtypes'])}."
    require(facts["dtypes"] == ["float32"], "other-dtype", message)
    expect(facts["values"], values, "The numbers should be those of `values`.")
    message = (
        "The numbers were copied. `np.asarray` of a JAX array shares its memory on a CPU, and pandas takes it as it is "
        "with `copy=False`. What pandas does without it depends on its version."
    )
    require(facts["shares"], "copied", message)


@wrong("back-to-a-table", "copied")
def copies_in_numpy(values, like):
    return pd.DataFrame(np.array(values), index=like.index, columns=like.columns, copy=False)


@wrong("back-to-a-table", "copied")
def asks_pandas_for_a_copy(values, like):
    return pd.DataFrame(np.asarray(values), index=like.index, columns=like.columns, copy=True)


@wrong("back-to-a-table", "copied")
def column_by_column(values, like):
    return pd.DataFrame({name: values[:, i] for i, name in enumerate(like.columns)}, index=like.index)


@wrong("back-to-a-table", "other-dtype")
def goes_through_lists(values, like):
    return pd.DataFrame(values.tolist(), index=like.index, columns=like.columns)


@wrong("back-to-a-table", "index-lost")
def forgets_the_index(values, like):
    return pd.DataFrame(np.asarray(values), columns=like.columns, copy=False)


@wrong("back-to-a-table", "columns-lost")
def forgets_the_columns(values, like):
    return pd.DataFrame(np.asarray(values), index=like.index, copy=False)


@wrong("back-to-a-table", "other-shape")
def turns_it_over(values, like):
    return pd.DataFrame(np.asarray(values).T, index=like.columns, columns=like.index, copy=False)


@wrong("back-to-a-table", "not-a-table")
def returns_the_array(values, like):
    return np.asarray(values)


@wrong("back-to-a-table", "wrong-value")
def returns_what_was_there(values, like):
    return like.astype(np.float32)


# -- best-memory ------------------------------------------------------------------------------------------------


def prediction_errors(values, alphas):
    """The oracle: the mean squared difference of each row and the mean of all rows before it."""
    return np.array([((weighted_means(values, alpha)[:-1] - values[1:]) ** 2).mean() for alpha in alphas])


def compiled_by_each(student_function, values, grids):
    """How many programs each of several calls compiles, from empty caches on: one table, several lists of alphas."""
    values = jnp.asarray(values)
    jax.clear_caches()
    calls = [(values, np.asarray(grid, np.float32)) for grid in grids]
    return [len(names) for names in probe.compiled(student_function, calls)]


@exercise(
    "best-memory",
    points=3,
    see="stay-on-the-device",
    hint=[
        "Write it for one alpha first: a scan gives the mean after each row, and the error compares the mean after row "
        "`t` with row `t + 1`.",
        "`jax.vmap(..., in_axes=(None, 0))` does it for all alphas at once, and `jax.jit` compiles that once.",
        "`alpha` must be an argument of what is compiled: no `static_argnames`, no closure.",
    ],
)
def best_memory(answer, rng):
    values = np.cumsum(rng.normal(size=(40, 3)), axis=0).astype(np.float32) + rng.normal(size=(40, 3)).astype(
        np.float32
    )
    alphas = np.sort(rng.uniform(0.1, 0.9, size=4)).astype(np.float32)
    got, want = numbers(answer(values, alphas)), prediction_errors(values, alphas)
    require(got.shape == want.shape, "wrong-shape", f"One error for each of the {len(want)} alphas, not {got.shape}.")
    peeked = np.array([((weighted_means(values, alpha) - values) ** 2).mean() for alpha in alphas])
    message = (
        "The mean after row `t` has seen row `t`: it cannot be a prediction of it. Compare it with row `t + 1`. "
        "As it is, the shortest memory always wins."
    )
    require(not close(got, peeked, rtol=1e-3), "peeks", message)
    shifted = np.array([((weighted_means(values, alpha)[1:] - values[:-1]) ** 2).mean() for alpha in alphas])
    message = "You compare each mean with the row *before* it. A prediction is compared with what comes after."
    require(not close(got, shifted, rtol=1e-3), "predicts-the-past", message)
    sums = want * values[1:].size
    message = "That is the sum of the squares. Divide by their count, or longer tables are worse."
    require(not close(got, sums, rtol=1e-3), "not-a-mean", message)
    message = "That is the root of the mean square: the square itself was asked for."
    require(not close(got, np.sqrt(want), rtol=1e-3), "root-taken", message)
    expect(got, want, "The mean of (row t + 1 minus the mean after row t)², for each alpha.", rtol=1e-3)
    first, same, other = answer.probe(compiled_by_each, values, [alphas, alphas, rng.uniform(0.1, 0.9, size=4)])
    message = "Nothing was compiled at all: the work is not done by JAX. Write it with `jax.numpy` and a `scan`."
    require(first, "not-in-jax", message)
    message = (
        "The same call a second time was compiled a second time. What is compiled was made in the call, and is gone "
        "after it: make the function, and the `jax.jit` of it, once and outside of `best_memory`."
    )
    require(not same, "compiled-in-each-call", message)
    message = (
        "New values of `alphas` were compiled anew, though the table and all shapes are the same. `alpha` should be an "
        "argument of one compiled function."
    )
    require(not other, "compiled-for-each-alpha", message)


def error_of(values, alpha, *, mine=slice(None, -1), its=slice(1, None), reduce=jnp.mean):
    """The error for one alpha, with its parts to be broken."""
    zeros = jnp.zeros(values.shape[1:], jnp.float32)

    def apply(state, x):
        total, weight = (1 - alpha) * state[0] + x, (1 - alpha) * state[1] + 1
        return (total, weight), total / weight

    means = jax.lax.scan(apply, (zeros, zeros), jnp.asarray(values))[1]
    return reduce((means[mine] - values[its]) ** 2)


def errors_of(values, alphas, **parts):
    return jnp.stack([error_of(values, alpha, **parts) for alpha in alphas])


@wrong("best-memory", "peeks")
def compares_with_the_same_row(values, alphas):
    return errors_of(values, alphas, mine=slice(None), its=slice(None))


@wrong("best-memory", "predicts-the-past")
def shifts_the_wrong_way(values, alphas):
    return errors_of(values, alphas, mine=slice(1, None), its=slice(None, -1))


@wrong("best-memory", "not-a-mean")
def adds_up(values, alphas):
    return errors_of(values, alphas, reduce=jnp.sum)


@wrong("best-memory", "root-taken")
def takes_the_root(values, alphas):
    return jnp.sqrt(errors_of(values, alphas))


@wrong("best-memory", "compiled-for-each-alpha")
def alpha_is_static(values, alphas):
    compiled = jax.jit(error_of, static_argnames="alpha")
    return jnp.stack([compiled(values, alpha=float(alpha)) for alpha in alphas])


@wrong("best-memory", "compiled-in-each-call")
def jits_and_maps_in_each_call(values, alphas):
    return jax.jit(jax.vmap(lambda alpha: error_of(values, alpha)))(alphas)


@wrong("best-memory", "compiled-in-each-call")
def a_closure_for_each_alpha(values, alphas):
    return jnp.stack([jax.jit(lambda values, alpha=float(alpha): error_of(values, alpha))(values) for alpha in alphas])


@wrong("best-memory", "not-in-jax")
def loops_over_pandas(values, alphas):
    table = pd.DataFrame(np.asarray(values))
    means = [table.ewm(alpha=float(alpha)).mean().to_numpy() for alpha in alphas]
    return np.array([((mean[:-1] - table.to_numpy()[1:]) ** 2).mean() for mean in means])


@wrong("best-memory", "wrong-shape")
def returns_the_best_alone(values, alphas):
    return alphas[jnp.argmin(errors_of(values, alphas))]


@wrong("best-memory", "wrong-value")
def first_column_alone(values, alphas):
    return errors_of(values[:, :1], alphas)
