"""Checks of lesson 18, three steps: what is asked, what people get wrong, and what each mistake is told."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd

from jaxcourse import frames, inputs, probe
from jaxcourse.bans import no_calls
from jaxcourse.exercise import close, equivalent, exercise, expect, numbers, refuse, require, right, wrong
from jaxcourse.inputs import Slip, sweep
from jaxcourse.prediction import Mistake, prediction
from jaxcourse.probe import NEEDS_A_VALUE, AnswerRaised

# -- which-step -------------------------------------------------------------------------------------------------

which_step = prediction(
    "which-step",
    see="three-steps",
    hint=[
        "Only arrays of numbers get into the compiled program, and only arrays of numbers come out.",
        "If you change something, which steps have to be done again? The earliest of them is the answer.",
    ],
    choices=["encode", "run", "format"],
    mistakes=[
        Mistake(
            "encodes-again",
            {"you try another alpha": "encode"},
            "The table is the same for every alpha, and so is its encoding. Only the calculation is done again.",
        ),
        Mistake(
            "texts-in-jax",
            [{"a date becomes a whole number": "run"}, {"a whole number becomes a text again": "run"}],
            "JAX has neither dates nor texts, so this cannot happen in the compiled step.",
        ),
        Mistake(
            "clocks-in-the-step",
            {"hourly and daily data get the same rows": "run"},
            "Two streams must have the same rows before one function can walk over both.",
        ),
    ],
    otherwise="What goes in: a table. What comes out of `encode` and of `run`: arrays of numbers.",
)

# -- label-codes ------------------------------------------------------------------------------------------------


def coded(student_function, labels):
    """What came back for some labels, as plain data."""
    given = list(labels)
    result = student_function(given)
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        return {"pair": False}
    codes, names = result
    try:
        listed = [names[place] for place in range(len(names))] == list(names) and not isinstance(names, dict)
    except (KeyError, TypeError):  # a set and the keys of a dictionary have no places
        listed = False
    if not listed:
        return {"pair": True, "kept": given == list(labels), "listed": type(names).__name__}
    numeric = np.asarray(codes).dtype.kind in "iuf" and np.ndim(codes) == 1
    texts = [name if isinstance(name, str) else None for name in names]
    facts = {
        "pair": True,
        "kept": given == list(labels),
        "listed": "",
        "numeric": numeric,
        "texts": texts,
        "names": [str(name) for name in names],
    }
    return facts | ({"codes": np.asarray(codes), "dtype": str(np.asarray(codes).dtype)} if numeric else {})


def read_back(answer, labels):
    """The labels that the codes lead back to, once codes and names are what the text asks for."""
    facts = answer.probe(coded, labels)
    require(facts["pair"], "not-a-pair", "Return two things: the codes, and the list of names.")
    message = "The list that came in has been changed. It belongs to the caller: make a list of your own."
    require(facts["kept"], "changed-input", message)
    message = f"The names are an object of type `{facts['listed']}`: make a list, so that `names[code]` is a label."
    refuse(facts["listed"], "names-without-places", message)
    require(facts["numeric"], "codes-are-no-numbers", "The codes should be one whole number for each label.")
    codes, names = facts["codes"], facts["names"]
    require(len(codes) == len(labels), "wrong-length", f"{len(labels)} labels gave {len(codes)} codes.")
    missing = np.array([label is None for label in labels], bool)
    message = "`None` got a name and a code of its own. Missing is not a kind of weather: give it the code -1."
    as_text = "None" in [names[code] for code in codes[missing] if code in range(len(names))]
    refuse(None in facts["texts"] or as_text, "missing-is-a-name", message)
    twice = len(set(names)) < len(names)
    kinds = len(set(labels) - {None})
    message = f"{len(names)} names for {kinds} kinds: each name should be there once, or equal labels differ."
    refuse(twice, "names-repeated", message)
    outside = ~missing & ((codes < -1) | (codes >= len(names)))
    message = f"There are {len(names)} names, and the code {next(iter(codes[outside]), 0)} points at none of them."
    refuse(outside.any(), "code-without-name", message)
    require((codes[missing] == -1).all(), "missing-not-marked", "The code of a missing label should be -1.")
    message = f"The codes are `{facts['dtype']}`. Without 64-bit mode JAX counts in `int32`: return that."
    require(facts["dtype"] == "int32" or not len(labels), "not-int32", message)
    back = [names[int(code)] if code >= 0 else None for code in codes]
    stray = sorted(set(names) - set(labels))
    message = f"The list of names has {stray[:1]}, which no label is. Each column has its own names, and no others."
    refuse(stray and back == labels, "name-of-no-label", message)
    return back


UNUSUAL = ["", " ", "None", "nan", "rain", "Rain", "rain ", "0", "00", "-1", "né", "ne\u0301", "naïve", "missing", "NA"]
UNUSUAL += ["<NA>", "N/A", "null", "unknown", "?", "-"]
"""Texts that people take for something else: for nothing, for a number, for each other."""


def drawn_labels(rng, n):
    texts = UNUSUAL if rng.random() < 0.5 else ["clear", "fog", "rain"]
    return ([None if rng.random() < 0.25 else str(rng.choice(texts)) for _ in range(n)],)


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
    back = read_back(answer, labels)
    where = next((i for i, label in enumerate(labels) if back[i] != label), 0)
    message = f"Label {where} is {labels[where]!r}, but its code leads back to {back[where]!r}."
    require(back == labels, "not-reversible", message)
    many = [f"a kind of weather, number {i}" for i in rng.permutation(300)]  # more than the codes of a byte
    sweep(
        lambda labels: read_back(answer, labels),
        lambda labels: labels,
        drawn_labels,
        rng,
        extremes=[
            ([None, *UNUSUAL, *UNUSUAL[::-1]],),
            (["", "rain", None, ""],),
            ([None, None],),
            (many + many[::-1],),
        ],
        slips=[
            Slip(
                "empty-is-missing",
                lambda labels: [label or None for label in labels],
                'An empty text is a text: only `None` is missing. `if label` is false for `""` too.',
            ),
            Slip(
                "text-of-none",
                lambda labels: [None if label == "None" else label for label in labels],
                'The text `"None"` was taken for a missing label: ask `label is None` before anything becomes a text.',
            ),
        ],
        message="The codes should lead back to the labels.",
        label="not-reversible",
    )


@right("label-codes")
def codes_in_order_of_appearance(labels):
    place = {}
    codes = [-1 if label is None else place.setdefault(label, len(place)) for label in labels]
    return jnp.array(codes, jnp.int32), list(place)


@right("label-codes")
def factorises_and_narrows(labels):
    codes, names = pd.factorize(np.array(labels, object))
    return codes.astype(np.int32), list(names)


@wrong("label-codes", "empty-is-missing")
def asks_whether_a_label_is_true(labels):
    names = sorted({label for label in labels if label})
    return np.array([names.index(label) if label else -1 for label in labels], np.int32), names


@wrong("label-codes", "text-of-none")
def makes_texts_first(labels):
    texts = [str(label) for label in labels]
    names = sorted(set(texts) - {"None"})
    return np.array([names.index(text) if text != "None" else -1 for text in texts], np.int32), names


@wrong("label-codes", "not-reversible")
def tidies_the_texts(labels):
    place = {}
    codes = [-1 if x is None else place.setdefault(x.strip().lower(), len(place)) for x in labels]
    return np.array(codes, np.int32), list(place)


@wrong("label-codes", "code-without-name")
def codes_of_a_byte(labels):
    names = sorted({label for label in labels if label is not None})
    codes = np.array([names.index(label) if label is not None else -1 for label in labels], int)
    return codes.astype(np.int8).astype(np.int32), names


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


@wrong("label-codes", "changed-input")
def takes_the_missing_out_of_the_list(labels):
    missing = [label is None for label in labels]
    while None in labels:
        labels.remove(None)
    names, rest = sorted(set(labels)), iter(labels)
    return np.array([-1 if gone else names.index(next(rest)) for gone in missing], np.int32), names


@wrong("label-codes", "codes-are-no-numbers")
def codes_are_texts(labels):
    return [str(label) for label in labels], sorted({label for label in labels if label})


@wrong("label-codes", "wrong-length")
def drops_the_missing(labels):
    kept = [label for label in labels if label]
    names = sorted(set(kept))
    return np.array([names.index(label) for label in kept], np.int32), names


@wrong("label-codes", "names-without-places")
def returns_the_dictionary(labels):
    place = {}
    codes = [-1 if label is None else place.setdefault(label, len(place)) for label in labels]
    return np.array(codes, np.int32), place


@wrong("label-codes", "name-of-no-label")
def keeps_the_names_of_earlier_columns(labels):
    codes = [-1 if label is None else SEEN_NAMES.setdefault(label, len(SEEN_NAMES)) for label in labels]
    return np.array(codes, np.int32), list(SEEN_NAMES)


SEEN_NAMES = {}


@wrong("label-codes", "not-reversible")
def fills_with_a_word(labels):
    texts = ["missing" if label is None else label for label in labels]
    names = sorted(set(texts) - {"missing"})
    return np.array([names.index(text) if text != "missing" else -1 for text in texts], np.int32), names


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


must_be_copied = prediction(
    "must-be-copied",
    see="copies-on-the-way-in",
    hint=[
        "Two questions for each: is it `float32` already, and do its elements lie side by side in C order?",
        "In C order the elements of a row lie side by side. In F order those of a column do.",
    ],
    truth=true_copies,
    mistakes=[
        Mistake(
            "dtype-for-free",
            {"c.astype(np.float64)": False},
            "`float64` and `float32` are different bytes, so every number has to be written anew.",
        ),
        Mistake(
            "order-for-free",
            {"f": False},
            "`f` has the same numbers at the same indices, but column by column: row by row, the bytes differ.",
        ),
        Mistake(
            "transpose-copied",
            {"f.T": True},
            "The rows of `f.T` are the columns of `f`, and these lie side by side already.",
        ),
    ],
    otherwise="Draw the block, and mark the elements that are wanted: is there a gap?",
)

# -- ewma-pair --------------------------------------------------------------------------------------------------


def pair_facts(student_function, parameter, rows):
    """What a pair (init, apply) does with some rows: by hand, one after the other, and in a scan."""
    pair = student_function(parameter)
    if not (isinstance(pair, (tuple, list)) and len(pair) == 2 and all(map(callable, pair))):
        return {"pair": False}
    init, apply = pair
    table, rows = probe.on_device((rows, [*rows]))

    def kinds(tree):
        return jax.tree.structure(tree), [jnp.shape(leaf) for leaf in jax.tree.leaves(tree)]

    def identical(tree, other):
        leaves = zip(jax.tree.leaves(tree), jax.tree.leaves(other), strict=True)
        return all(np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True) for a, b in leaves)

    start = init(rows[0])
    first = apply(start, rows[0])
    if not (isinstance(first, tuple) and len(first) == 2):
        return {"pair": True, "two": False}
    if kinds(first[0]) != kinds(start) and kinds(first[1]) == kinds(start):
        return {"pair": True, "two": True, "swapped": True}
    apply(start, rows[1])
    again = apply(start, rows[0])
    facts = {"pair": True, "two": True, "swapped": False, "carry": "", "ys": []}
    gap = probe.on_device(np.full_like(rows[0], np.nan))
    facts |= {"same": identical(first, again), "from_values": not identical(start, init(gap))}
    state = start
    for row in rows:
        state, y = apply(state, row)
        facts["ys"].append(y)
    try:
        jax.lax.scan(apply, start, table)
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
    refuse(facts["swapped"], "swapped", message)
    message = (
        "The same state and the same row gave two different results: something is remembered outside the state. "
        "Under `jit` Python runs once, so what it remembers is lost."
    )
    require(facts["same"], "remembers", message)
    shapes = {np.shape(y) for y in facts["ys"]}
    message = f"A row has shape {rows[0].shape}, and its result should too: yours has {sorted(shapes, key=str)[0]}."
    require(shapes == {rows[0].shape}, "wrong-row-shape", message)
    return np.stack([numbers(y) for y in facts["ys"]])


@probe.question(evidence="values")
def scanned_pairs(student_function, cases):
    """The results of a pair for all rows of each case, in a scan, while there is a pair with another parameter."""

    def scanned(parameter, first, rows, other):
        init, apply = student_function(parameter)
        student_function(other)
        return jax.lax.scan(apply, init(first), rows)[1]

    given = probe.on_device([(parameter, rows[0], rows, other) for parameter, rows, other in cases])

    def every():
        return [scanned(*case) for case in given]

    return (jax.jit(every) if len(cases) > 1 else every)()


def at_once(ask, cases):
    """What gives the result of each case, from a single question about all of them.

    Compiling a scan costs far more than running it, and a program of ten scans little more than a program of one. If
    that question raises, each case is asked by itself and without that program: so the verdict knows where it happened.

    Args:
        ask: gives the results of several cases.
        cases: all that will be asked.
    """
    try:
        results = ask(cases)
    except AnswerRaised:
        return lambda *case: ask([case])[0]
    known = {tuple(map(id, case)): result for case, result in zip(cases, results, strict=True)}
    return lambda *case: known[tuple(map(id, case))]


def growing(draw, rng, shapes):
    """Two cases of each shape, the smallest first."""
    return sorted((draw(rng, shape) for shape in shapes for _ in range(2)), key=inputs.extent)


OTHER_PAIR = (
    "A second pair was made, with another `{0}`, and now the first one uses that too: `{0}` is kept in one place for "
    "all pairs. Let each `apply` find it where its pair was made."
)
STARTS_FROM_VALUES = (
    "The state before the first row depends on the *numbers* of the row that `init` is given, and with a NaN among "
    "them it is spoilt before it begins. Take the row's shape and dtype only: `jnp.zeros_like(x0)`."
)


def weighted_means(rows, alpha, *, gaps_count=True):
    """The definition: a mean with weights (1 - alpha)**age, where a gap has no weight, and ages or not."""
    rows = np.asarray(rows, np.float64)
    seen = ~np.isnan(rows)
    clock = np.cumsum(np.ones_like(seen) if gaps_count else seen, axis=0)
    # The newest weight is 1, so that none is rounded to zero; a common factor makes no difference.
    newest = np.maximum.accumulate(np.where(seen, clock, 0))
    past = np.tri(len(rows), dtype=bool)[:, :, None] & seen
    weights = np.where(past, ((1 - alpha) ** np.arange(len(rows)))[(newest[:, None] - clock).clip(0)], 0)
    sums = np.einsum("tsc,sc->tc", weights, np.nan_to_num(rows))
    with np.errstate(invalid="ignore"):
        return sums / weights.sum(1)


def sums_of_weights(rows, alpha):
    """The denominator of the formula, for each row."""
    return np.cumsum((1 - alpha) ** np.arange(len(rows)))[:, None]


def plain_recursion(rows, alpha):
    """What pandas gives with `adjust=False`."""
    means = [np.asarray(rows[0], np.float64)]
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
    by_hand = "By hand it is right, but" if close(rows_of_results(facts, rows), weighted_means(rows, alpha)) else "The"
    message = (
        f"{by_hand} `lax.scan` refuses it ({facts['carry']}): the state must go out with the shapes and "
        "dtypes that it came in with. Does `init` start with an array like the row?"
    )
    refuse(facts["carry"], "state-changes", message)

    def draw(rng, shape):
        return float(rng.uniform(0.05, 0.95)), inputs.array(rng, shape, "float32", low=-9, high=9)

    cases = growing(draw, rng, [(1, 2), (3, 1), (6, 6)])
    cases += [(alpha, rows), *((size, rng.normal(size=(200, 1)).astype(np.float32)) for size in (0.02, 0.9))]
    sweep(
        at_once(lambda cases: answer.probe(scanned_pairs, [(alpha, x, alpha / 2) for alpha, x in cases]), cases),
        lambda alpha, rows: weighted_means(rows, alpha),
        draw,
        rng,
        shapes=(),
        extremes=cases,
        slips=[
            Slip("one-alpha-for-all", lambda alpha, rows: weighted_means(rows, alpha / 2), OTHER_PAIR.format("alpha")),
            Slip(
                "plain-recursion",
                lambda alpha, rows: plain_recursion(rows, alpha),
                "This is `adjust=False`: the first row keeps a weight as if it stood for all rows before it.",
            ),
            Slip(
                "past-of-zeros",
                lambda alpha, rows: alpha * weighted_means(rows, alpha) * sums_of_weights(rows, alpha),
                "This mean has a past of zeros: the first rows come out too small. Divide the weighted sum by the "
                "weights that were there, not by those of an endless past.",
            ),
            Slip(
                "alpha-turned-around",
                lambda alpha, rows: weighted_means(rows, 1 - alpha),
                "`alpha` and `1 - alpha` changed places: a large alpha forgets fast, so what is old fades by "
                "`1 - alpha`.",
            ),
            Slip(
                "not-divided",
                lambda alpha, rows: weighted_means(rows, alpha) * sums_of_weights(rows, alpha),
                "That is the weighted sum. Divide it by the sum of the weights, which belongs in the state too.",
            ),
            Slip(
                "first-row-twice",
                lambda alpha, rows: weighted_means(np.concatenate([rows[:1], rows]), alpha)[1:],
                "The first row counts twice: `init` is given it for its shape and dtype only, and `apply` gets it "
                "again.",
            ),
            Slip(
                "weight-before-the-first-row",
                lambda alpha, rows: weighted_means(np.concatenate([0 * rows[:1], rows]), alpha)[1:],
                "The sum of the weights starts at 1, as if a row of zeros had come before the first. Before any row "
                "both sums are 0.",
            ),
            Slip(
                "one-row-late",
                lambda alpha, rows: np.concatenate([np.nan * rows[:1], weighted_means(rows, alpha)[:-1]]),
                "Each result is the mean of the rows *before* this one: add the row first, then divide.",
            ),
            Slip(
                "columns-mixed",
                lambda alpha, rows: weighted_means(rows, alpha).mean(1, keepdims=True) + 0 * rows,
                "All columns have the same mean: each column has its own.",
            ),
        ],
        message="The mean with weights (1 - alpha)**age, for each row.",
        rtol=1e-4,
    )
    refuse(facts["from_values"], "starts-from-values", STARTS_FROM_VALUES)


@right("ewma-pair")
def mean_and_weight_in_a_dictionary(alpha):
    def apply(state, x):
        weight = (1 - alpha) * state["weight"] + 1
        mean = state["mean"] + (x - state["mean"]) / weight
        return {"mean": mean, "weight": weight}, mean

    return lambda x0: {"mean": jnp.zeros_like(x0), "weight": jnp.zeros(())}, apply


@right("ewma-pair")
def two_sums_in_one_array(alpha):
    @jax.jit
    def apply(state, x):
        state = (1 - alpha) * state + jnp.stack([x, jnp.ones_like(x)])
        return state, state[0] / state[1]

    return [jax.jit(lambda x0: jnp.zeros((2, *x0.shape), x0.dtype)), apply]


@wrong("ewma-pair", "past-of-zeros")
def starts_the_recursion_at_zero(alpha):
    return jnp.zeros_like, lambda mean, x: ((1 - alpha) * mean + alpha * x,) * 2


@wrong("ewma-pair", "weight-before-the-first-row")
def starts_with_a_weight_of_one(alpha):
    _, apply = fading_sums(alpha)
    return lambda x0: (jnp.zeros_like(x0), jnp.ones_like(x0)), apply


@wrong("ewma-pair", "one-row-late")
def divides_before_it_adds(alpha):
    init, apply = fading_sums(alpha)
    return init, lambda state, x: (apply(state, x)[0], state[0] / state[1])


@wrong("ewma-pair", "columns-mixed")
def averages_over_the_columns(alpha):
    init, apply = fading_sums(alpha)
    return init, lambda state, x: apply(state, jnp.full_like(x, x.mean()))


@wrong("ewma-pair", "starts-from-values")
def multiplies_the_row_by_zero(alpha):
    return fading_sums(alpha, start=lambda x0: 0 * x0)


@wrong("ewma-pair", "TypeError")
def knows_the_number_of_columns(alpha):
    return fading_sums(alpha, start=lambda x0: jnp.zeros(3))


@wrong("ewma-pair", "one-alpha-for-all")
def keeps_alpha_in_one_place(alpha):
    LAST_PARAMETER[:] = [alpha]
    init, _ = fading_sums(alpha)
    return init, lambda state, x: fading_sums(LAST_PARAMETER[0])[1](state, x)


LAST_PARAMETER = []


@wrong("ewma-pair", "wrong-value")
def lets_the_weights_grow(alpha):
    def apply(state, x):
        total, weight, new = state
        total, weight = total + new * x, weight + new
        return (total, weight, new / (1 - alpha)), total / weight

    return lambda x0: (jnp.zeros_like(x0), jnp.zeros_like(x0), jnp.ones_like(x0)), apply


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


def primitives_of(student_function, xs, alpha):
    """What the traced function is made of: a loop counts once, or as often as it is unrolled."""
    found = {}
    for equation in probe.equations(jax.make_jaxpr(lambda xs: student_function(xs, alpha))(xs)):
        name = str(equation.primitive)
        found[name] = found.get(name, 0) + int(equation.params.get("unroll") or 1)
    return found


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


def without_a_plan_for_gaps(xs, alpha):
    """The two sums of the formula: a NaN gets into them, and stays."""
    total, weight, means = 0.0, 0.0, []
    for x in np.asarray(xs, np.float64):
        total, weight = (1 - alpha) * total + x, (1 - alpha) * weight + 1
        means.append(total / weight)
    return np.array(means)


def filled_forward(xs):
    return pd.DataFrame(xs).ffill().to_numpy()


def rows_with_any_gap_left_out(xs):
    return np.where(np.isnan(xs).any(1, keepdims=True), np.nan, xs)


def drawn_with_gaps(rng, shape):
    """Gaps nowhere, here and there, nearly everywhere; at the ends too, and whole columns."""
    xs = inputs.array(rng, shape, "float32", low=-9, high=9)
    xs[rng.random(shape) < rng.choice([0, 0.3, 0.6])] = np.nan
    return xs, float(rng.uniform(0.05, 0.95))


@probe.question(evidence="values")
def means_of_tables(student_function, cases):
    """The results of an answer for many tables, each with its alpha."""
    given = probe.on_device(cases)

    def every():
        return [student_function(*case) for case in given]

    return (jax.jit(every) if len(cases) > 1 else every)()


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
    without=[
        no_calls(
            "jaxcourse.frames.ewma",
            given=lambda: [(probe.on_device(np.ones((3, 2), np.float32)), 0.5)],
            advice="Write the scan yourself: that is the exercise.",
        )
    ],
)
def ewma_with_gaps(answer, rng):
    alpha, other = float(rng.uniform(0.3, 0.5)), float(rng.uniform(0.5, 0.7))
    xs = with_holes(rng, 12, 3)
    got, error = answer.attempt(probe.on_jax_arrays, xs, alpha, expected=["TracerBoolConversionError"])
    message = (
        "In a scan a row has no values yet, so Python cannot branch on it. Nor is there one branch for a row: some "
        "columns have a gap in it and others do not. `jnp.where` chooses for each."
    )
    refuse(error, "branches-in-python", message)
    got = numbers(got)
    require(got.shape == xs.shape, "wrong-shape", f"The shape should be {xs.shape}, not {got.shape}.")
    cases = [
        *growing(drawn_with_gaps, rng, [(1, 1), (3, 2), (8, 8)]),
        *((xs, alpha), (with_holes(rng, 12, 3), alpha)),
        (np.where(xs > 5, np.float32(0), xs), other),  # 0 is no gap
    ]
    sweep(
        at_once(lambda cases: answer.probe(means_of_tables, cases), cases),
        lambda xs, alpha: weighted_means(xs, alpha),
        drawn_with_gaps,
        rng,
        shapes=(),
        extremes=cases,
        slips=[
            Slip(
                "nan-spreads",
                without_a_plan_for_gaps,
                "One NaN makes every mean below it NaN: it went into the sum, and never fades. Leave gaps out with "
                "`where`.",
            ),
            Slip(
                "gap-is-zero",
                lambda xs, alpha: weighted_means(np.nan_to_num(xs), alpha),
                "A gap counts as the value 0. It should have no weight: add to the sum of the weights only what was "
                "seen.",
            ),
            Slip(
                "gap-in-the-result",
                lambda xs, alpha: np.where(np.isnan(xs), np.nan, weighted_means(xs, alpha)),
                "At a gap your result is NaN. Like pandas, show the mean of what was seen so far.",
            ),
            Slip(
                "mean-of-nothing",
                lambda xs, alpha: np.nan_to_num(weighted_means(xs, alpha)),
                "Before the first value there is no mean: pandas shows NaN there, not a number.",
            ),
            Slip(
                "gap-stops-the-clock",
                lambda xs, alpha: weighted_means(xs, alpha, gaps_count=False),
                "Here a gap lets no time pass, which pandas calls `ignore_na=True`. By default the weights fade in "
                "every row, whether a value came or not.",
            ),
            Slip(
                "plain-recursion",
                plain_recursion_with_gaps,
                "That is `adjust=False`: the mean should be divided by the sum of the weights that were there.",
            ),
            Slip(
                "last-value-again",
                lambda xs, alpha: weighted_means(filled_forward(xs), alpha),
                "At a gap the last value counts once more, as if it had been measured again. A gap has no weight.",
            ),
            Slip(
                "one-gap-for-the-row",
                lambda xs, alpha: weighted_means(rows_with_any_gap_left_out(xs), alpha),
                "A gap in one column makes the whole row a gap. Each column has its own: no `any`, no `all`.",
            ),
        ],
        message="The mean with weights (1 - alpha)**age of all values seen so far.",
        rtol=1e-4,
    )
    counts = []
    for rows in (24, 48, 96):
        found, error = answer.attempt(primitives_of, with_holes(rng, rows, 2), alpha, expected=NEEDS_A_VALUE)
        message = "It needs the numbers themselves, so it cannot be traced and compiled. Stay with `jax.numpy`."
        refuse(error, "not-in-jax", message)
        back = [name for name in found if "callback" in name]
        message = f"`{''.join(back[:1])}` leaves the compiled program for Python. Stay with `jax.numpy`."
        refuse(back, "not-in-jax", message)
        counts.append(sum(found.values()))
    few, more, most = counts
    message = f"{few} equations for 24 rows, {most} for 96: the loop over time is unrolled. Use `jax.lax.scan`."
    linear = most - more >= 48 and most - more >= 1.6 * (more - few)  # an associative scan grows with the logarithm
    refuse(linear, "unrolled", message)
    message = (
        "After some hundred rows without a value the mean is NaN, though pandas still shows the last one. In float32 a "
        "weight that fades in every row is 0 by then: dividing by it gives NaN, and `weight > 0` does not say whether "
        "a value was seen. Keep the mean itself in the state, and show it from the first value on."
    )
    cases = []
    for smoothing in (alpha, other):
        long = np.full((460, 2), np.nan, np.float32)
        long[:5], long[455:] = rng.normal(5, 2, size=(2, 5, 2))
        cases.append((long, smoothing))
    for got, case in zip(answer.probe(means_of_tables, cases), cases, strict=True):
        refuse(np.isnan(numbers(got)[454]).any(), "forgets-in-a-long-gap", message)
        expect(got, weighted_means(*case), "A long gap, and the mean in it and after it.", rtol=1e-4)


@right("ewma-with-gaps")
@jax.jit
def column_by_column_in_a_loop(xs, alpha):
    def one(column):
        def body(t, carry):
            means, mean, weight = carry
            weight = weight * (1 - alpha)
            joined = jnp.where(weight > 0, weight * mean, 0) + column[t]
            known = (mean, weight), (joined / (weight + 1), weight + 1)
            mean, weight = (jnp.where(jnp.isnan(column[t]), *pair) for pair in zip(*known, strict=True))
            return means.at[t].set(mean), mean, weight

        nan, zero = jnp.array(jnp.nan, xs.dtype), jnp.zeros((), xs.dtype)
        return jax.lax.fori_loop(0, len(column), body, (column, nan, zero))[0]

    return jax.vmap(one, in_axes=1, out_axes=1)(xs)


@right("ewma-with-gaps")
def sums_that_begin_anew_at_each_value(xs, alpha):
    def apply(state, x):
        total, weight, age = state  # the sums as they were at the last value, and how long ago that is
        seen, age = ~jnp.isnan(x), age + 1
        fade = (1 - alpha) ** age
        total = jnp.where(seen, fade * total + x, total)
        weight = jnp.where(seen, fade * weight + 1, weight)
        return (total, weight, jnp.where(seen, 0, age)), total / weight

    zeros = jnp.zeros_like(xs[0])
    return jax.lax.scan(apply, (zeros,) * 3, xs)[1]


@wrong("ewma-with-gaps", "forbidden-call")
def asks_the_course(xs, alpha):
    return frames.unroll(frames.ewma(alpha=alpha))(jnp.asarray(xs))[1]


@wrong("ewma-with-gaps", "not-in-jax")
def asks_pandas_from_inside(xs, alpha):
    def host(xs):
        return pd.DataFrame(np.asarray(xs)).ewm(alpha=alpha).mean().to_numpy().astype(np.float32)

    return jax.pure_callback(host, jax.ShapeDtypeStruct(xs.shape, jnp.float32), xs)


@wrong("ewma-with-gaps", "one-gap-for-the-row")
def leaves_out_rows_with_any_gap(xs, alpha):
    def apply(state, x, alpha):
        total, weight, mean = state
        counts = ~jnp.isnan(x).any()
        total = (1 - alpha) * total + jnp.where(counts, x, 0)
        weight = (1 - alpha) * weight + counts
        mean = jnp.where(counts, total / weight, mean)
        return (total, weight, mean), mean

    return scanned_means(xs, alpha, apply, *(like_a_row(xs, value) for value in (0, 0, jnp.nan)))


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


@wrong("ewma-with-gaps", "forgets-in-a-long-gap")
def hides_a_mean_whose_weight_is_gone(xs, alpha):
    def apply(state, x, alpha):
        mean, weight = state
        there = ~jnp.isnan(x)
        weight = (1 - alpha) * weight + there
        mean = jnp.where(there, mean + (x - mean) / weight, mean)
        return (mean, weight), jnp.where(weight > 0, mean, jnp.nan)

    return scanned_means(xs, alpha, apply, like_a_row(xs, 0), like_a_row(xs, 0))


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


@wrong("ewma-with-gaps", "unrolled")
def unrolls_the_scan(xs, alpha):
    def apply(state, x):
        mean, weight = state
        seen, weight = ~jnp.isnan(x), (1 - alpha) * weight
        joined = jnp.where(weight > 0, weight * mean, 0) + x
        mean = jnp.where(seen, joined / (weight + 1), mean)
        return (mean, weight + seen), mean

    return jax.lax.scan(apply, (like_a_row(xs, jnp.nan), like_a_row(xs, 0)), jnp.asarray(xs), unroll=len(xs))[1]


@wrong("ewma-with-gaps", "last-value-again")
def fills_with_the_last_value(xs, alpha):
    def apply(state, x, alpha):
        total, weight, last = state
        last = jnp.where(jnp.isnan(x), last, x)
        (total, weight), mean = two_sums((total, weight), last, alpha)
        return (total, weight, last), mean

    return scanned_means(xs, alpha, apply, *(like_a_row(xs, value) for value in (0, 0, jnp.nan)))


@wrong("ewma-with-gaps", "wrong-value")
def takes_zero_for_a_gap(xs, alpha):
    return two_sum_means(jnp.where(xs == 0, jnp.nan, xs), alpha)


@wrong("ewma-with-gaps", "wrong-value")
def knows_one_alpha(xs, alpha):
    return two_sum_means(xs, 0.5)


@wrong("ewma-with-gaps", "wrong-shape")
def returns_the_last_mean(xs, alpha):
    return two_sum_means(xs, alpha)[-1]


# -- cut-anywhere -----------------------------------------------------------------------------------------------


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
    facts["gone"] = any(leaf.is_deleted() for leaf in jax.tree.leaves((xs, first, second, after_one)))
    if facts["gone"]:
        return facts
    compiled = probe.compiled(run, [(third, after_two)])[0]
    _, three = run(third, after_two)
    facts |= {"started": started, "whole": whole[1]["mean"], "parts": [part["mean"] for part in (one, two, three)]}
    facts["afresh"] = run(second)[1]["mean"]
    compiled = [*compiled, *probe.compiled(run, [(third,)])[0]]
    try:
        program = jax.make_jaxpr(lambda xs, state: run(xs, state))(third, after_two)
        facts["scan"] = any(str(each.primitive) in ("scan", "while") for each in probe.equations(program))
    except Exception:  # a program that was compiled ahead of time takes no tracers
        facts["scan"] = True
    return facts | {"compiled": len(compiled)}


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
    flow, level = (rng.uniform(1, 2, size=shape).astype(np.float32) for shape in ((30, 3), 30))
    want = np.cumsum(flow * level[:, None], axis=0) / np.arange(1, 31, dtype=np.float32)[:, None]
    try:
        facts = answer.probe(runner_facts, flow, level)
    except AnswerRaised as error:
        message = (
            "`xs` is a dictionary of arrays, and `xs[0]` would be one of its entries. `jax.tree.map` takes the first "
            "row of each array."
        )
        tree = error.raised.kind == "KeyError" or "string index" in error.raised.message
        refuse(tree, "rows-of-a-tree", message)
        raise
    require(facts["run"], "no-run", "Return a function: `run(xs, state=None)`.")
    require(facts["pair"], "no-state-returned", "`run` should return two things: the last state, and all results.")
    message = "The results came first and the state second. Like `scan`, return the state first."
    refuse(facts["swapped"], "swapped", message)
    message = "The second thing should be all results of `apply`, with time as their leading axis."
    require(facts["result"], "no-results", message)
    message = (
        "What was given to `run` is gone after the call: its memory was donated. More than one run may start from the "
        "same state, so leave it to the caller."
    )
    refuse(facts.get("gone"), "gives-the-state-away", message)
    whole, parts = numbers(facts["whole"]), np.concatenate([numbers(part) for part in facts["parts"]])
    message = "`init` was given a table of one row, as `x[:1]` makes it. It needs the row itself: `x[0]`."
    refuse(whole.ndim == 3 and facts["started"] == (1, 3), "table-of-one-row", message)
    message = "Each result has a row for every row: `init` was given all of `xs`. It needs one row, the first."
    refuse(whole.ndim == 3 and facts["started"] == flow.shape, "all-rows-for-init", message)
    message = f"{len(want)} rows gave {len(whole)} results. The first row is for `init` *and* for `apply`."
    require(len(whole) == len(want), "row-lost", message)
    expect(whole, want, "The results of the whole stream.")
    message = (
        "A run without a state did not start afresh: it went on where an earlier run had ended, because something is "
        "remembered outside the state. Then you cannot walk through two streams in turn."
    )
    require(close(parts[:10], want[:10]), "remembers", message)
    fresh = np.concatenate([want[:10], numbers(facts["afresh"])])
    message = "The second part started over: the state of the first part was given to `run`, but was not used."
    refuse(close(parts[:20], fresh), "starts-over", message)
    expect(parts, want, "The stream in three parts, each with the state of the part before it.")
    message = f"For 30 rows Python called `apply` {facts['steps']} times: a loop over time in Python. Use a `scan`."
    require(facts["steps"] < 15, "loops-in-python", message)
    message = "There is no `scan` in what runs: the loop over time is one of Python, around a compiled step."
    require(facts["scan"], "loops-in-python", message)
    tables = [flow[:6, :2], flow[6:9]]
    message = (
        "A second stream, with other columns, began with the start of the first one: without a state, ask `init` in "
        "every run."
    )
    for got, table in zip(answer.probe(sums_from_widths, tables), tables, strict=True):
        expect(got, table.shape[1] + np.cumsum(table.sum(axis=1)), message, label="first-start-kept")
    message = (
        "A third part of the same shape compiled anew. Either `jax.jit` was called in the run, for a function that was "
        "made in the run, or a static argument was another one. Call `jit` once, outside `run`, and give it only the "
        "state and `xs`."
    )
    require(facts["compiled"] == 0, "compiled-again", message)
    cases = growing(drawn_countdown, rng, [(1, 1), (2, 1, 3)])
    sweep(
        at_once(lambda cases: answer.probe(counted_down, cases), cases),
        lambda start, taken, lengths: start - np.cumsum(taken, dtype=np.int32),
        drawn_countdown,
        rng,
        shapes=(),
        extremes=cases,
        dtype=True,
        slips=[
            Slip(
                "zero-is-a-state",
                counted_down_from_zero_again,
                "A state of 0 was taken for none: `state or ...` asks whether a state is *true*. Ask `state is None`.",
            )
        ],
        message="A step that counts down from `start` by what is taken, in parts of these lengths.",
    )


def runner(init, apply):
    """The right answer, to be broken by others."""

    @jax.jit
    def run(xs, state=None):
        state = init(jax.tree.map(lambda x: x[0], xs)) if state is None else state
        return jax.lax.scan(apply, state, xs)

    return run


@right("cut-anywhere")
def starts_outside_of_the_program(step):
    init, apply = step
    go = jax.jit(lambda state, xs: jax.lax.scan(apply, state, xs))

    def run(xs, state=None):
        return go(init({name: x[0] for name, x in xs.items()}) if state is None else state, xs)

    return run


@right("cut-anywhere")
class Runner:
    def __init__(self, step):
        self.init, self.apply = step

    def __call__(self, xs, state=None):
        if state is None:
            state = self.init(jax.tree.map(lambda x: x[0], xs))
        return jax.lax.scan(self.apply, state, xs)  # one function, so one program


@wrong("cut-anywhere", "zero-is-a-state")
def asks_whether_the_state_is_true(step):
    init, apply = step
    go = jax.jit(lambda state, xs: jax.lax.scan(apply, state, xs))
    return lambda xs, state=None: go(state or init(jax.tree.map(lambda x: x[0], xs)), xs)


@wrong("cut-anywhere", "gives-the-state-away")
def donates_the_state(step):
    init, apply = step
    go = jax.jit(lambda state, xs: jax.lax.scan(apply, state, xs), donate_argnums=0)
    return lambda xs, state=None: go(init(jax.tree.map(lambda x: x[0], xs)) if state is None else state, xs)


@wrong("cut-anywhere", "compiled-again")
def scans_a_new_function_in_each_run(step):
    init, apply = step

    def run(xs, state=None):
        state = init(jax.tree.map(lambda x: x[0], xs)) if state is None else state
        return jax.lax.scan(lambda state, x: apply(state, x), state, xs)

    return run


@wrong("cut-anywhere", "first-start-kept")
def asks_for_the_start_once(step):
    init, apply = step
    walk, starts = jax.jit(lambda state, xs: jax.lax.scan(apply, state, xs)), []

    def run(xs, state=None):
        if not starts:
            starts.append(init(jax.tree.map(lambda x: x[0], xs)))
        return walk(starts[0] if state is None else state, xs)

    return run


@wrong("cut-anywhere", "compiled-again")
def compiles_each_start(step):
    init, apply = step
    go_on = jax.jit(lambda state, xs: jax.lax.scan(apply, state, xs))

    def start(xs):
        return jax.jit(lambda xs: jax.lax.scan(apply, init(jax.tree.map(lambda x: x[0], xs)), xs))(xs)

    return lambda xs, state=None: start(xs) if state is None else go_on(state, xs)


@wrong("cut-anywhere", "compiled-again")
def counts_the_runs(step):
    init, apply = step
    walk = jax.jit(lambda state, xs, run: jax.lax.scan(apply, state, xs), static_argnums=2)
    runs = itertools.count()

    def run(xs, state=None):
        return walk(init(jax.tree.map(lambda x: x[0], xs)) if state is None else state, xs, next(runs))

    return run


@right("cut-anywhere")
def starts_from_the_shape_of_a_row(step):
    init, apply = step

    @jax.jit
    def run(xs, state=None):
        state = init(jax.tree.map(lambda x: jnp.zeros(x.shape[1:], x.dtype), xs)) if state is None else state
        return jax.lax.scan(apply, state, xs)

    return run


@wrong("cut-anywhere", "loops-in-python")
def compiles_the_step_alone(step):
    init, apply = step[0], jax.jit(step[1])

    def run(xs, state=None):
        rows = [jax.tree.map(lambda x, t=t: x[t], xs) for t in range(len(next(iter(xs.values()))))]
        state, results = init(rows[0]) if state is None else state, []
        for row in rows:
            state, result = apply(state, row)
            results.append(result)
        return state, jax.tree.map(lambda *parts: jnp.stack(parts), *results)

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


@wrong("cut-anywhere", "table-of-one-row")
def starts_from_a_slice_of_one_row(step):
    init, apply = step
    walk = jax.jit(lambda state, xs: jax.lax.scan(apply, state, xs))
    return lambda xs, state=None: walk(init(jax.tree.map(lambda x: x[:1], xs)) if state is None else state, xs)


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


def means_of_what_is_seen(rows, window):
    """The mean of what is no NaN among the last rows, full window or not."""
    return np.array(
        [np.ma.masked_invalid(rows[max(0, t - window + 1) : t + 1]).mean(0).filled(np.nan) for t in range(len(rows))]
    )


def rolled_behind(before, rows, window):
    """The rolling means with rows that nobody measured before the first."""
    return rolling_means(np.concatenate([np.repeat(before, window - 1, axis=0), rows]), window)[window - 1 :]


def drawn_window(rng, shape):
    rows = inputs.array(rng, shape, "float32", low=-9, high=9)
    rows[rng.random(shape) < rng.choice([0, 0, 0.1])] = np.nan
    return inputs.count(rng, len(rows), least=1), rows


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
    rows, gap = rng.normal(5, 2, size=(2, 14, 2)).astype(np.float32)
    gap[3, 0] = np.nan
    facts = answer.probe(pair_facts, window, rows)
    message = (
        f"`lax.scan` refuses it ({facts.get('carry')}): the state must go out with the shapes that it came in with, "
        "so it cannot grow with the rows. Keep `window` rows from the start."
    )
    refuse(facts.get("carry") and "same" in facts, "state-changes", message)
    rows_of_results(facts, rows)
    cases = [
        *growing(drawn_window, rng, [(1, 2), (4, 4), (9, 3)]),
        *((window, rows), (window, gap), (window, gap[::-1].copy()), (1, gap)),
        (window - 1, rng.normal(5, 2, size=(300, 2)).astype(np.float32)),  # more rows than a byte counts
    ]
    sweep(
        at_once(lambda cases: answer.probe(scanned_pairs, [(w, x, w + 2) for w, x in cases]), cases),
        lambda window, rows: rolling_means(rows, window),
        drawn_window,
        rng,
        shapes=(),
        extremes=cases,
        slips=[
            Slip(
                "one-window-for-all", lambda window, rows: rolling_means(rows, window + 2), OTHER_PAIR.format("window")
            ),
            *(
                Slip(
                    "window-not-full",
                    lambda window, rows, means=means: means(rows, window),
                    "There is a mean already where there were fewer than `window` rows: it should be NaN until there "
                    "are that many.",
                )
                for means in (partial_means, means_of_what_is_seen)
            ),
            Slip(
                "zeros-in-the-window",
                lambda window, rows: rolled_behind(0 * np.nan_to_num(rows[:1]), rows, window),
                "Before the window is full, zeros are averaged that nobody measured. Start with NaN.",
            ),
            Slip(
                "starts-from-values",
                lambda window, rows: rolled_behind(rows[:1], rows, window),
                "The window begins full of the first row, as if it had been measured again and again. Start with NaN.",
            ),
            *(
                Slip(
                    "one-row-off",
                    lambda window, rows, more=more: rolling_means(rows, max(1, window + more)),
                    f"That is the mean of {'one row more' if more > 0 else 'one row fewer'} than `window`. Is the "
                    "newest row in it, and the oldest out?",
                )
                for more in (1, -1)
            ),
            Slip(
                "newest-row-missing",
                lambda window, rows: np.concatenate([np.nan * rows[:1], rolling_means(rows, window)[:-1]]),
                "The result is that of the row before: the newest is not in it. Take the mean after it has come in.",
            ),
            Slip(
                "nan-stays",
                lambda window, rows: rolling_means(rows, window) + 0 * np.cumsum(rows, axis=0),
                "One NaN came, left the window, and the mean is still NaN. A sum from which the oldest row is "
                "subtracted never gets rid of a NaN: average the rows that are in the window.",
            ),
            Slip(
                "nan-left-out",
                lambda window, rows: np.where(
                    np.arange(len(rows))[:, None] < window - 1, np.nan, means_of_what_is_seen(rows, window)
                ),
                "While a NaN is in the window the mean should be NaN: yours leaves it out, and nobody sees that a "
                "reading is bad.",
            ),
            Slip(
                "columns-mixed",
                lambda window, rows: rolling_means(rows, window).mean(1, keepdims=True) + 0 * rows,
                "All columns have the same mean: each column has its own.",
            ),
        ],
        message="The mean of the last `window` rows: NaN until there are that many, and while one of them is NaN.",
        rtol=1e-4,
    )
    refuse(facts["from_values"], "starts-from-values", STARTS_FROM_VALUES)
    message = (
        "A value of a billion came, left the window, and the mean is wrong ever after. In float32 a sum that was once "
        "so large has lost the digits of the others: average the rows that are in the window."
    )
    spoilt = [np.where(np.arange(14)[:, None] == 3, np.float32(spike), rows) for spike in (1e9, -1e9)]
    for got, table in zip(answer.probe(scanned_pairs, [(window, x, window + 2) for x in spoilt]), spoilt, strict=True):
        want = rolling_means(table, window)
        expect(got[3 + window :], want[3 + window :], message, label="digits-lost", rtol=1e-3)
        within = "A value of a billion is in the window: there it counts like any other."
        expect(got[window - 1 : 3 + window], want[window - 1 : 3 + window], within, label="value-changed", rtol=1e-3)


@wrong("rolling-mean-pair", "one-window-for-all")
def keeps_the_window_in_one_place(window):
    LAST_PARAMETER[:] = [window]
    apply = window_pair(window)[1]
    return lambda x0: window_pair(LAST_PARAMETER[0])[0](x0), apply


@wrong("rolling-mean-pair", "value-changed")
def cuts_large_values_off(window):
    init, apply = window_pair(window)
    return init, lambda kept, x: apply(kept, jnp.clip(x, -1e6, 1e6))


@wrong("rolling-mean-pair", "wrong-value")
def counts_in_a_byte(window):
    def apply(state, x):
        kept, count = state
        kept, count = jnp.concatenate([kept[1:], x[None]]), count + jnp.int8(1)
        return (kept, count), jnp.where(count < window, jnp.nan, kept.mean(0))

    return lambda x0: (jnp.zeros((window, *x0.shape)), jnp.int8(0)), apply


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


@right("rolling-mean-pair")
def a_ring_and_a_count(window):
    def init(x0):
        return jnp.zeros((window, *x0.shape), x0.dtype), 0

    def apply(state, x):
        ring, seen = state
        ring, seen = ring.at[seen % window].set(x), seen + 1
        return (ring, seen), jnp.where(seen < window, jnp.nan, ring.sum(0) / window)

    return init, apply


@right("rolling-mean-pair")
def a_list_of_older_rows(window):
    def apply(older, x):
        return [*older, x][1:], sum([*older, x]) / window

    return lambda x0: [jnp.full_like(x0, jnp.nan)] * (window - 1), apply


@wrong("rolling-mean-pair", "starts-from-values")
def starts_full_of_the_first_row(window):
    _, apply = window_pair(window)
    return lambda x0: jnp.stack([x0] * window), apply


@wrong("rolling-mean-pair", "nan-left-out")
def averages_what_is_no_nan(window):
    def apply(state, x):
        kept, count = state
        kept, count = jnp.concatenate([kept[1:], x[None]]), count + 1
        return (kept, count), jnp.where(count < window, jnp.nan, jnp.nanmean(kept, axis=0))

    return lambda x0: (jnp.full((window, *x0.shape), jnp.nan), 0), apply


@wrong("rolling-mean-pair", "wrong-value")
def keeps_an_old_row_for_a_nan(window):
    def apply(state, x):
        ring, t = state
        ring = ring.at[t % window].set(jnp.where(jnp.isnan(x), ring[t % window], x))
        return (ring, t + 1), ring.mean(0)

    return lambda x0: (jnp.full((window, *x0.shape), jnp.nan), 0), apply


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


@wrong("rolling-mean-pair", "columns-mixed")
def averages_all_columns_into_each(window):
    return window_pair(window, average=lambda kept: jnp.full_like(kept[0], kept.mean()))


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
    return np.array(found, int)


def drawn_streams(rng):
    """Times of events and of a clock, where every case comes up: before all, at the same time, just fresh, stale."""
    gaps = rng.integers(3, 7, size=8)
    events = 20 + np.cumsum(np.concatenate([gaps[:4], [30], gaps[4:]]))
    between = rng.choice(np.arange(21, events[-1]), size=6, replace=False)
    clock = np.sort(
        np.concatenate([[5, 15], events[[1, 3]], events[3] + [6, 10, 11, 25], between, events[-1] + [5, 40]])
    )
    return events, np.unique(clock), 10


def drawn_times(rng, shape):
    """Few times in many places: events at one time, events at times of the clock, ages of exactly the tolerance."""
    latest = int(rng.integers(1, 25))
    start = int(rng.choice([0, -12, 1_714_521_600]))
    events, clock = (start + np.sort(rng.integers(0, latest, size)) for size in shape)
    return events, clock, int(rng.integers(0, 7))


def first_of_equal_times(events, clock, tolerance):
    last = last_before(events, clock, tolerance)
    first = np.searchsorted(events, events)
    return np.array([first[i] if i >= 0 else -1 for i in last], int)


def known_indices(answer, *streams):
    """The answer's indices, once they can be used as such."""
    got = numbers(answer(*streams))
    message = f"Indices are whole numbers, but `{got.dtype}` came back: it could not be used as an index."
    require(got.dtype.kind in "iu" or not got.size, "not-indices", message)
    return got


@exercise(
    "last-known",
    points=2,
    see="one-clock",
    hint=[
        "`np.searchsorted(events, clock, side=...)` counts for each time of the clock how many events came before it.",
        "Which `side` counts an event at that very moment? And the last of `n` events has which index?",
        "Count the events that are too old in the same way: if the last known one is among them, the answer is -1.",
    ],
)
def last_known(answer, rng):
    events, clock, tolerance = drawn_streams(rng)
    want = last_before(events, clock, tolerance)
    got = known_indices(answer, events, clock, tolerance)
    require(got.shape == clock.shape, "wrong-shape", f"One index for each of the {len(clock)} times, not {got.shape}.")
    outside = (got < -1) | (got >= len(events))
    refuse(outside.any(), "outside", f"There are {len(events)} events, and {got[outside.argmax()]} is no index.")
    early = (clock < events[0]) & (got != -1)
    at = int(early.argmax())
    message = f"At time {clock[at]} nothing has happened yet, so nothing is known: -1. You took event {got[at]}."
    refuse(early.any(), "before-the-first", message)
    later = (got >= 0) & (events[got] > clock)
    at = int(later.argmax())
    message = (
        f"At time {clock[at]} you took the event of time {events[got[at]]}: that is the future. "
        "Whatever is computed from it cannot be known then."
    )
    refuse(later.any(), "looks-ahead", message)
    stale = (got >= 0) & (clock - events[got] > tolerance)
    at = int(stale.argmax())
    message = f"At time {clock[at]} you took the event of time {events[got[at]]}, older than the tolerance {tolerance}."
    refuse(stale.any(), "too-old", message)
    earlier = (got >= 0) & (got < want) & ~np.isin(clock, events)
    at = int(earlier.argmax())
    message = (
        f"At time {clock[at]} you took the event of time {events[got[at]]}, but that of time {events[want[at]]} is "
        "known by then: take the last one."
    )
    refuse(earlier.any(), "not-the-last", message)
    same = np.isin(clock, events) & (got != want)
    at = int(same.argmax())
    message = f"An event of time {clock[at]} is known at time {clock[at]}: `side=` decides whether it counts."
    refuse(same.any(), "same-time-missed", message)
    edge = (want >= 0) & (clock - events[want] == tolerance) & (got == -1)
    message = f"An event that is exactly {tolerance} old is still within the tolerance of {tolerance}."
    refuse(edge.any() and np.array_equal(edge, got != want), "tolerance-shut-out", message)
    sweep(
        lambda *streams: known_indices(answer, *streams),
        last_before,
        drawn_times,
        rng,
        shapes=[(0, 0), (0, 2), (1, 1), (2, 3), (5, 0), (5, 4), (4, 9), (300, 40)],
        extremes=[
            (np.array([0, 2]) + offset, np.arange(8) + offset, age) for offset in (1_714_521_600, -4) for age in (3, 0)
        ]
        + [(np.array([2**31 - 2]), np.arange(2**31 - 3, 2**31 + 4), age) for age in (4, 2)],
        slips=[
            Slip(
                "first-of-equal-times",
                first_of_equal_times,
                "Two events have the same time. The later of them in the array is the last one known.",
            ),
            Slip(
                "seconds-rounded",
                lambda events, clock, tolerance: last_before(np.float32(events), np.float32(clock), tolerance),
                "Seconds since 1970 do not fit into a float32: from a billion on it counts in steps of 64 or 128.",
            ),
            Slip(
                "wrapped-around",
                lambda events, clock, tolerance: last_before(
                    events.astype(np.int32), clock.astype(np.int32), tolerance
                ),
                "Times from 2**31 on do not fit into an `int32`: they wrap around and become negative. JAX makes "
                "`int32` of whole numbers unless told otherwise, so compare the times in NumPy.",
            ),
        ],
        message="The last event that is not later, and not older than the tolerance.",
        label="not-found",
    )


@wrong("last-known", "not-found")
def takes_no_tolerance_for_any(events, clock, tolerance):
    index = np.searchsorted(events, clock, side="right") - 1
    return last_before(events, clock, tolerance) if tolerance else index


@right("last-known")
def walks_along_both_streams(events, clock, tolerance):
    known, place = [], -1
    for now in clock.tolist():
        while place + 1 < len(events) and events[place + 1] <= now:
            place += 1
        known.append(place if place >= 0 and now - events[place] <= tolerance else -1)
    return known


@right("last-known")
def compares_all_with_all(events, clock, tolerance):
    ages = jnp.asarray(clock)[:, None] - jnp.asarray(events)
    return jnp.where((ages >= 0) & (ages <= tolerance), jnp.arange(len(events)), -1).max(1, initial=-1)


@wrong("last-known", "first-of-equal-times")
def keeps_the_first_of_equal_times(events, clock, tolerance):
    known = []
    for now in clock:
        best = -1
        for i, event in enumerate(events):
            if event <= now and now - event <= tolerance and (best < 0 or event > events[best]):
                best = i
        known.append(best)
    return np.array(known, int)


@wrong("last-known", "seconds-rounded")
def halves_the_digits(events, clock, tolerance):
    return last_before(events.astype(np.float32), clock.astype(np.float32), tolerance)


@wrong("last-known", "wrapped-around")
def counts_in_32_bits(events, clock, tolerance):
    return last_before(events.astype(np.int32), clock.astype(np.int32), tolerance)


@wrong("last-known", "wrapped-around")
def searches_in_jax(events, clock, tolerance):
    if not len(events):
        return jnp.full(len(clock), -1)
    events, clock = jnp.asarray(events), jnp.asarray(clock)
    place = jnp.searchsorted(events, clock, side="right") - 1
    return jnp.where((place >= 0) & (clock - events[place] <= tolerance), place, -1)


@wrong("last-known", "not-the-last")
def takes_the_first_within_the_tolerance(events, clock, tolerance):
    first, end = np.searchsorted(events, clock - tolerance), np.searchsorted(events, clock, side="right")
    return np.where(first < end, first, -1)


@wrong("last-known", "IndexError")
def looks_up_an_event_that_is_not_there(events, clock, tolerance):
    index = np.searchsorted(events, clock, side="right") - 1
    return np.where((index >= 0) & (clock - events[index] <= tolerance), index, -1)


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
    too_old = np.searchsorted(events, clock - tolerance)
    return np.where((count > too_old) & (count < len(events)), count - 1, -1)


# -- below-the-floor --------------------------------------------------------------------------------------------


def times_below(seconds, rows, columns, bandwidth, *, each=8):
    """Which times are too short to move some bytes for each element."""
    return seconds < each * rows * columns / bandwidth


def times_below_wrapped(seconds, rows, columns, bandwidth):
    """The same with the bytes in an `int32`, in which they may not fit."""
    return seconds < ((8 * rows * columns + 2**31) % 2**32 - 2**31) / bandwidth


def drawn_times_and_table(rng, count):
    """Times about the floor, and exactly at it: with a power of two for the bandwidth nothing is rounded."""
    rows, columns = int(rng.integers(1, 100)) << int(rng.integers(14, 18)), int(rng.integers(1, 9)) << 8
    exact = rng.random() < 0.5
    bandwidth = 2.0 ** int(rng.integers(32, 38)) if exact else float(rng.uniform(5, 400)) * 1e9
    factors = [0.001, 0.1, 0.3, 0.6, 0.97, 0.999, 1.001, 1.03, 1.8, 3, 7, 30, *([1, 1, 1] if exact else [])]
    return rng.choice(factors, count) * (8 * rows * columns / bandwidth), rows, columns, bandwidth


@exercise(
    "below-the-floor",
    see="phantom",
    hint=[
        "How many bytes does the table have? They are read once, and as many are written.",
        "No call can be faster than those bytes over the bandwidth.",
    ],
)
def below_the_floor(answer, rng):
    def impossible(seconds, *table):
        got = numbers(answer(seconds, *table))
        message = f"One answer for each of the {len(seconds)} times, not {got.shape}."
        require(got.shape == seconds.shape, "wrong-shape", message)
        message = f"Each answer should be `True` or `False`, but yours are `{got.dtype}`."
        require(got.dtype == bool or not got.size, "not-bools", message)
        return got

    seconds, *table = drawn_times_and_table(rng, 9)
    impossible(seconds, *table)
    floor = 8 * math.prod(table[:2]) / table[2]
    sweep(
        impossible,
        lambda seconds, rows, columns, bandwidth: times_below(seconds, rows, columns, bandwidth),
        drawn_times_and_table,
        rng,
        shapes=(0, 1, 2, 7, 20),
        extremes=[(np.array([0.999, 1.001, 30])[order] * floor, *table) for order in ([0, 1, 2], [2, 1, 0])],
        slips=[
            *(
                Slip("turned-around", possible, "`True` is for the times that are impossible.")
                for possible in (
                    lambda *table: ~times_below(*table),
                    lambda seconds, rows, columns, bandwidth: seconds > 8 * rows * columns / bandwidth,
                )
            ),
            Slip(
                "reads-only",
                lambda *table: times_below(*table, each=4),
                "The table has to be read *and* the result to be written: twice its bytes have to be moved.",
            ),
            *(
                Slip(
                    "other-itemsize",
                    lambda *table, each=each: times_below(*table, each=each),
                    f"A `float32` takes 4 bytes: you counted {what}.",
                )
                for each, what in ((16, "8"), (64, "its bits"), (2, "elements"), (1, "elements"))
            ),
            Slip(
                "the-floor-itself",
                lambda seconds, rows, columns, bandwidth: seconds <= 8 * rows * columns / bandwidth,
                "A time of exactly the floor is possible, for a program that does nothing but move bytes: `<`.",
            ),
            Slip(
                "wrapped-around",
                times_below_wrapped,
                "Some tables have more bytes than an `int32` can count: the product wrapped around. Multiply in "
                "Python, whose whole numbers have no end.",
            ),
        ],
        message="A time is impossible if it is below the bytes that must be moved, over the bandwidth.",
    )


@right("below-the-floor")
def compares_speeds(seconds, rows, columns, bandwidth):
    size = rows * columns * np.dtype(np.float32).itemsize
    return [bool((size + size) / time > bandwidth) for time in seconds]


@right("below-the-floor")
def compares_on_the_device(seconds, rows, columns, bandwidth):
    return jnp.less(seconds, jnp.float32(2 * 4 * rows * columns / bandwidth))


@wrong("below-the-floor", "the-floor-itself")
def shuts_the_floor_out(seconds, rows, columns, bandwidth):
    return seconds <= 2 * rows * columns * 4 / bandwidth


@wrong("below-the-floor", "wrapped-around")
def counts_in_int32(seconds, rows, columns, bandwidth):
    with np.errstate(over="ignore"):
        return seconds < np.int32(8) * np.int32(rows) * np.int32(columns) / bandwidth


@wrong("below-the-floor", "wrapped-around")
def multiplies_in_jax(seconds, rows, columns, bandwidth):
    return jnp.asarray(seconds) < jnp.prod(jnp.array([rows, columns, 8])) / bandwidth


@wrong("below-the-floor", "wrong-value")
def takes_the_table_for_a_square(seconds, rows, columns, bandwidth):
    return seconds < 8 * rows**2 / bandwidth


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


@wrong("below-the-floor", "other-itemsize")
def counts_elements(seconds, rows, columns, bandwidth):
    return seconds < rows * columns / bandwidth


# -- back-to-a-table --------------------------------------------------------------------------------------------


def table_facts(student_function, values, labels):
    """What a table that came back is made of, and whether its numbers are where JAX left them."""
    rows, columns = values.shape
    index, names = {
        "texts": (pd.Index([f"day {7 * i % 31}" for i in range(rows)]), pd.Index(list("gauge")[:columns])),
        "dates": (pd.date_range("2024-05-01", periods=rows, freq="10min", name="time"), pd.RangeIndex(columns)),
        "repeated": (pd.Index([3] * rows), pd.Index(["level"] * columns, name="gauge")),
        "two levels": (
            pd.MultiIndex.from_arrays([["up"] * rows, range(rows)], names=["river", None]),
            pd.MultiIndex.from_arrays([["level"] * columns, list("gauge")[:columns]]),
        ),
    }[labels]
    like = pd.DataFrame(np.zeros(values.shape), index=index, columns=names)
    before, values = like.copy(), probe.on_device(values)

    # From version 3 on pandas copies an array unless it is told not to: be that the version everywhere.
    def as_the_newest(table, data=None, index=None, columns=None, dtype=None, copy=None):
        copy = True if copy is None and isinstance(data, np.ndarray) else copy
        constructor(table, data, index, columns, dtype, copy)

    constructor = pd.DataFrame.__init__
    pd.DataFrame.__init__ = as_the_newest
    try:
        table = student_function(values, like)
    finally:
        pd.DataFrame.__init__ = constructor
    if not isinstance(table, pd.DataFrame):
        return {"type": type(table).__name__}
    facts = {"type": "DataFrame", "shape": table.shape, "changed": not like.equals(before)}
    if table.shape != values.shape:
        return facts
    for axis, got, want in (("index", table.index, index), ("columns", table.columns, names)):
        facts |= {axis: got.equals(want), f"{axis} names": got.identical(want), f"{axis} got": str(list(got[:2]))}
    facts |= {"dtypes": sorted({str(dtype) for dtype in table.dtypes}), "values": table.to_numpy()}
    return facts | {"shares": np.shares_memory(facts["values"], np.asarray(values)) or not values.size}


@exercise(
    "back-to-a-table",
    see="format",
    hint=[
        "`pd.DataFrame(..., index=..., columns=...)` of `np.asarray(values)`.",
        "Does the constructor copy? Its argument `copy=` decides.",
    ],
)
def back_to_a_table(answer, rng):
    tables = [("texts", (6, 3)), ("texts", (6, 3)), ("dates", (4, 4)), ("repeated", (2, 5)), ("two levels", (3, 1))]
    for labels, shape in [*tables, ("dates", (0, 2)), ("texts", (1, 1))]:
        values = inputs.array(rng, shape, "int32" if labels == "two levels" else "float32", high=99)
        facts = answer.probe(table_facts, values, labels)
        message = f"A DataFrame should come back, not an object of type `{facts['type']}`."
        require(facts["type"] == "DataFrame", "not-a-table", message)
        message = "The numbers were written into `like`, which is somebody else's table. Make a new one."
        refuse(facts["changed"], "changes-like", message)
        require(facts["shape"] == shape, "other-shape", f"The shape should be {shape}, not {facts['shape']}.")
        message = f"The rows should be labelled as in `like`, not {facts['index got']} ..."
        require(facts["index"], "index-lost", message)
        message = f"The columns should be named as in `like`, not {facts['columns got']} ..."
        require(facts["columns"], "columns-lost", message)
        message = f"`{values.dtype}` went in, and the columns are {', '.join(facts['dtypes'])}."
        require(facts["dtypes"] == [str(values.dtype)], "other-dtype", message)
        expect(facts["values"], values, "The numbers should be those of `values`.")
        message = (
            "The numbers were copied. `np.asarray` of a JAX array shares its memory on a CPU, and with `copy=False` "
            "pandas takes it as it is. Do nothing else to the numbers: another order copies them too, and what pandas "
            "does without `copy=False` depends on its version."
        )
        require(facts["shares"], "copied", message)
        for axis in ("index", "columns"):
            message = (
                f"The labels of the {axis} are right, but their name or their frequency is lost: use `like.{axis}`."
            )
            require(facts[f"{axis} names"], "names-of-labels-lost", message)


@right("back-to-a-table")
def labels_it_afterwards(values, like):
    table = pd.DataFrame(np.asarray(values), copy=False)
    table.index, table.columns = like.index, like.columns
    return table


@right("back-to-a-table")
def shares_by_dlpack(values, like):
    return pd.DataFrame(np.from_dlpack(values), like.index, like.columns, copy=False)


@wrong("back-to-a-table", "names-of-labels-lost")
def makes_lists_of_the_labels(values, like):
    return pd.DataFrame(np.asarray(values), index=list(like.index), columns=list(like.columns), copy=False)


@wrong("back-to-a-table", "changes-like")
def writes_into_the_given_table(values, like):
    like[:] = np.asarray(values)
    return like


@wrong("back-to-a-table", "copied")
def leaves_it_to_pandas(values, like):
    return pd.DataFrame(np.asarray(values), index=like.index, columns=like.columns)


@wrong("back-to-a-table", "copied")
def copies_in_numpy(values, like):
    return pd.DataFrame(np.array(values), index=like.index, columns=like.columns, copy=False)


@wrong("back-to-a-table", "copied")
def turns_to_column_order(values, like):
    columns_first = np.asfortranarray(np.asarray(values))
    return pd.DataFrame(columns_first, index=like.index, columns=like.columns, copy=False)


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


def squares(values, alphas, differences, *, means=weighted_means):
    """The mean square of some differences of the rows and the means, for each alpha."""
    rows = np.asarray(values, np.float64)
    found = [differences(rows, means(rows, alpha)) ** 2 for alpha in alphas]
    return np.array([square.mean() if square.size else np.nan for square in found])


def drawn_table_and_alphas(rng, shape):
    rows, count = shape
    return inputs.array(rng, rows, "float32", low=-9, high=9), rng.uniform(0.05, 0.95, count).astype(np.float32)


def compiled_by_each(student_function, values, grids):
    """How many programs each of several calls compiles, from empty caches on: one table, several lists of alphas."""
    values = jnp.asarray(values)
    jax.clear_caches()
    for dtype in ("float32", "float64"):
        errors = np.ones(len(grids[0]), dtype)
        for handed_over in (errors, [*errors], errors.tolist()):
            jnp.asarray(handed_over)  # this alone compiles, and is no program of the answer's
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
    values = np.cumsum(rng.normal(size=(160, 3)), axis=0) + rng.normal(size=(160, 3))
    values = values.astype(np.float32)
    alphas = np.sort([*rng.uniform(0.1, 0.6, size=3), rng.uniform(0.7, 0.9)]).astype(np.float32)

    def errors(values, alphas):
        got = numbers(answer.probe(probe.on_jax_arrays, values, alphas))
        message = f"One error for each of the {len(alphas)} alphas, not {got.shape}."
        require(got.shape == alphas.shape, "wrong-shape", message)
        return got

    sweep(
        errors,
        prediction_errors,
        drawn_table_and_alphas,
        rng,
        shapes=[((2, 1), 2), ((8, 8), 1)],
        each=2,
        extremes=[(values, alphas), (values[::-1].copy(), alphas[::-1].copy()), (values, alphas[[0, 2, 0, 1]])],
        slips=[
            *(
                Slip(
                    "peeks",
                    lambda values, alphas, first=first: squares(values, alphas, lambda x, m: (x - m)[first:]),
                    "The mean after row `t` has seen row `t`: it cannot be a prediction of it. Compare it with row "
                    "`t + 1`. As it is, the shortest memory always wins.",
                )
                for first in (0, 1)
            ),
            Slip(
                "predicts-the-past",
                lambda values, alphas: squares(values, alphas, lambda x, m: x[:-1] - m[1:]),
                "You compare each mean with the row *before* it. A prediction is compared with what comes after.",
            ),
            Slip(
                "not-a-mean",
                lambda values, alphas: prediction_errors(values, alphas) * values[1:].size,
                "That is the sum of the squares. Divide by their count, or longer tables are worse.",
            ),
            Slip(
                "not-a-mean",
                lambda values, alphas: prediction_errors(values, alphas) * (len(values) - 1),
                "The squares are averaged over the columns only, and added over the rows: the mean is over both.",
            ),
            Slip(
                "first-row-counted",
                lambda values, alphas: prediction_errors(values, alphas) * (1 - 1 / len(values)),
                "The first row is counted, though nothing predicts it: divide by the number of predictions.",
            ),
            Slip(
                "root-taken",
                lambda values, alphas: np.sqrt(prediction_errors(values, alphas)),
                "That is the root of the mean square: the square itself was asked for.",
            ),
            Slip(
                "not-squared",
                lambda values, alphas: squares(values, alphas, lambda x, m: np.sqrt(abs(x[1:] - m[:-1]))),
                "That is the mean of the absolute errors: their squares were asked for.",
            ),
            Slip(
                "plain-recursion",
                lambda values, alphas: squares(
                    values, alphas, lambda x, m: x[1:] - m[:-1], means=lambda x, a: plain_recursion(x, a)
                ),
                "These are the means of `adjust=False`: the weights should be `(1 - alpha) ** age`, the first row's "
                "too.",
            ),
            Slip(
                "two-rows-ahead",
                lambda values, alphas: squares(values, alphas, lambda x, m: x[2:] - m[:-2]),
                "The mean after row `t` is compared with row `t + 2`. The next row is `t + 1`.",
            ),
        ],
        message="The mean of (row t + 1 minus the mean after row t)², for each alpha.",
        rtol=1e-3,
    )
    _require_digits(errors, values, alphas)
    first, same, other = answer.probe(compiled_by_each, values, [alphas, alphas, rng.uniform(0.1, 0.9, size=4)])
    message = "The errors are right, but nothing was compiled: write it with `jax.numpy` and a `scan`, under `jax.jit`."
    require(first, "not-in-jax", message)
    message = (
        "The same call a second time was compiled a second time. What is compiled was made in the call, and is gone "
        "after it: make the function, and the `jax.jit` of it, once and outside `best_memory`."
    )
    refuse(same, "compiled-in-each-call", message)
    message = (
        "New values of `alphas` were compiled anew, though the table and all shapes are the same. `alpha` should be an "
        "argument of one compiled function."
    )
    refuse(other, "compiled-for-each-alpha", message)


def _require_digits(errors, values, alphas):
    """Require that the errors of a table far from 0 are right, too."""
    for offset in (4000, -4000):
        far = (values + offset).astype(np.float32)
        message = (
            f"Near 0 the errors are right, but those of the same table {offset:+} are not: the digits are lost, as in "
            "a square that is multiplied out, a difference of large sums. Subtract first, then square."
        )
        expect(errors(far, alphas), prediction_errors(far, alphas), message, label="digits-lost", rtol=1e-2)


def means_of(values, alpha):
    """The mean after each row."""
    zeros = jnp.zeros(values.shape[1:], jnp.float32)

    def apply(state, x):
        total, weight = (1 - alpha) * state[0] + x, (1 - alpha) * state[1] + 1
        return (total, weight), total / weight

    return jax.lax.scan(apply, (zeros, zeros), jnp.asarray(values))[1]


def error_of(values, alpha, *, mine=slice(None, -1), its=slice(1, None), reduce=jnp.mean):
    """The error for one alpha, with its parts to be broken."""
    return reduce((means_of(values, alpha)[mine] - values[its]) ** 2)


def errors_of(values, alphas, **parts):
    return jnp.stack([error_of(values, alpha, **parts) for alpha in alphas])


@right("best-memory")
def one_alpha_at_a_time(values, alphas):
    return [float(compiled_error(values, alpha)) for alpha in alphas]


compiled_error = jax.jit(error_of)


@right("best-memory")
@jax.jit
def alphas_as_an_axis(values, alphas):
    fade = 1 - alphas[:, None]

    def apply(state, x):
        total, weight, errors = state
        errors = errors + ((x - total / jnp.maximum(weight, 1)) ** 2).mean(1) * (weight[:, 0] > 0)
        return (fade * total + x, fade * weight + 1, errors), None

    zeros = jnp.zeros((len(alphas), values.shape[1]))
    (_, _, errors), _ = jax.lax.scan(apply, (zeros, zeros, zeros[:, 0]), values)
    return errors / (len(values) - 1)


@wrong("best-memory", "plain-recursion")
def predicts_without_adjusting(values, alphas):
    def error(alpha):
        means = jax.lax.scan(lambda m, x: ((1 - alpha) * m + alpha * x,) * 2, values[0], jnp.asarray(values))[1]
        return ((means[:-1] - values[1:]) ** 2).mean()

    return jax.vmap(error)(jnp.asarray(alphas))


@wrong("best-memory", "not-in-jax")
def asks_pandas_for_each_alpha(values, alphas):
    table = pd.DataFrame(np.asarray(values))
    means = [table.ewm(alpha=float(alpha)).mean().shift(1) for alpha in alphas]
    return jnp.asarray([((table - each) ** 2).iloc[1:].to_numpy().mean() for each in means])


@wrong("best-memory", "wrong-value")
def weights_that_overflow(values, alphas):
    def error(alpha):
        weights = (1 - alpha) ** -jnp.arange(len(values), dtype=jnp.float32)[:, None]
        means = jnp.cumsum(weights * values, 0) / jnp.cumsum(weights, 0)
        return ((means[:-1] - values[1:]) ** 2).mean()

    return jax.vmap(error)(jnp.asarray(alphas))


@wrong("best-memory", "wrong-shape")
def alphas_are_keys(values, alphas):
    return jnp.stack([*{float(alpha): compiled_error(values, alpha) for alpha in alphas}.values()])


@wrong("best-memory", "first-row-counted")
def divides_by_all_rows(values, alphas):
    return errors_of(values, alphas, reduce=jnp.sum) / values.size


@wrong("best-memory", "digits-lost")
def multiplies_the_square_out(values, alphas):
    means = jnp.stack([means_of(values, alpha)[:-1] for alpha in alphas])
    products = (means * values[1:]).mean((1, 2))
    return (values[1:] ** 2).mean() - 2 * products + (means**2).mean((1, 2))


@wrong("best-memory", "not-squared")
def averages_absolute_errors(values, alphas):
    return errors_of(values, alphas, reduce=lambda squares: jnp.sqrt(squares).mean())


@wrong("best-memory", "wrong-value")
def sorts_the_alphas(values, alphas):
    return errors_of(values, jnp.sort(alphas))


@wrong("best-memory", "two-rows-ahead")
def predicts_the_row_after_next(values, alphas):
    return errors_of(values, alphas, mine=slice(None, -2), its=slice(2, None))


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


# -- changes of solutions that are right ------------------------------------------------------------------------

accepted = [
    equivalent("label-codes", "`sorted`  ->  `list`", "the names may have any order"),
    equivalent("ewma-pair", "`x0`  ->  `alpha`", "one weight serves all columns where nothing is missing"),
    equivalent("ewma-with-gaps", "`mean`  ->  `joined`", "both are NaN until there is a value"),
    equivalent("ewma-with-gaps", "`x`  ->  `joined`", "both are NaN in a gap"),
    equivalent("ewma-with-gaps", "`jnp.full_like(xs[0], jnp.nan)`  ->  `xs[0]`", "it has no weight yet"),
    equivalent("ewma-with-gaps", "`xs = jnp.asarray(xs)`  ->  ``", "`scan` makes an array of it"),
    equivalent("ewma-with-gaps", "`jnp.asarray(xs)`  ->  `xs`", "`scan` makes an array of it"),
    equivalent("ewma-with-gaps", "`0`  ->  `-1`", "all rows have one shape"),
    equivalent("ewma-with-gaps", "`0`  ->  `1`", "a pair has two entries"),
    equivalent("ewma-with-gaps", "`1`  ->  `-1`", "a pair has two entries"),
    equivalent("cut-anywhere", "`0`  ->  `-1`", "`init` reads a row for its shape and dtype only"),
    equivalent("cut-anywhere", "`0`  ->  `1`", "`init` reads a row for its shape and dtype only"),
    equivalent("cut-anywhere", "`jax.jit`  ->  ``", "`scan` keeps its own program"),
    equivalent(
        "rolling-mean-pair",
        "`jnp.full((window, *x0.shape), jnp.nan, x0.dtype)`  ->  `jnp.full((window, *x0.shape), jnp.nan)`",
        "rows are `float32`, the default",
    ),
    equivalent("last-known", "`known > too_old`  ->  `known != too_old`", "they differ for a negative tolerance only"),
    equivalent(
        "last-known",
        "`np.searchsorted(events, clock - tolerance, side='left')`  ->  `np.searchsorted(events, clock - tolerance)`",
        "left is the default",
    ),
    equivalent(
        "last-known",
        "`np.where(known > too_old, known - 1, -1)`  ->  "
        "`(known > too_old) * (known - 1) + (1 - (known > too_old)) * -1`",
        "indices are whole numbers",
    ),
    equivalent("best-memory", "`0`  ->  `-1`", "all rows have one shape"),
    equivalent("best-memory", "`0`  ->  `1`", "a pair has two entries"),
    equivalent("best-memory", "`1`  ->  `-1`", "a pair has two entries"),
    equivalent("best-memory", "`means[:-1] - values[1:]`  ->  `values[1:] - means[:-1]`", "it is squared"),
    equivalent("best-memory", "`jnp.asarray(values)`  ->  `values`", "`jit` makes an array of it"),
    equivalent("best-memory", "`jnp.asarray(alphas)`  ->  `alphas`", "`jit` makes an array of it"),
]
