"""label-codes."""

import numpy as np

from jaxcourse.checks import Agrees, declare, refuse, require

from ._lesson import WORDS as LESSON


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


def read_back(facts, labels):
    """The labels that the codes lead back to, once codes and names are what the text asks for."""
    require(facts["pair"], "not-a-pair")
    require(facts["kept"], "changed-input")
    refuse(facts["listed"], "names-without-places", listed=facts["listed"])
    require(facts["numeric"], "codes-are-no-numbers")
    codes, names = facts["codes"], facts["names"]
    require(len(codes) == len(labels), "wrong-length", labels=len(labels), codes=len(codes))
    missing = np.array([label is None for label in labels], bool)
    as_text = "None" in [names[code] for code in codes[missing] if code in range(len(names))]
    refuse(None in facts["texts"] or as_text, "missing-is-a-name")
    twice = len(set(names)) < len(names)
    kinds = len(set(labels) - {None})
    refuse(twice, "names-repeated", names=len(names), kinds=kinds)
    outside = ~missing & ((codes < -1) | (codes >= len(names)))
    refuse(outside.any(), "code-without-name", names=len(names), outside=next(iter(codes[outside]), 0))
    require((codes[missing] == -1).all(), "missing-not-marked")
    require(facts["dtype"] == "int32" or not len(labels), "not-int32", dtype=facts["dtype"])
    back = [names[int(code)] if code >= 0 else None for code in codes]
    stray = sorted(set(names) - set(labels))
    refuse(stray and back == labels, "name-of-no-label", stray=stray[:1])
    return back


UNUSUAL = ["", " ", "None", "nan", "rain", "Rain", "rain ", "0", "00", "-1", "né", "ne\u0301", "naïve", "missing", "NA"]
UNUSUAL += ["<NA>", "N/A", "null", "unknown", "?", "-"]


def drawn_labels(rng, n):
    texts = UNUSUAL if rng.random() < 0.5 else ["clear", "fog", "rain"]
    return ([None if rng.random() < 0.25 else str(rng.choice(texts)) for _ in range(n)],)


MANY = [f"a kind of weather, number {i}" for i in np.random.default_rng(0).permutation(300)]
"""More labels than a byte has codes."""
ODD = [([None, *UNUSUAL, *UNUSUAL[::-1]],), (["", "rain", None, ""],), ([None, None],), (MANY + MANY[::-1],)]
MISTAKES = {
    "empty-is-missing": lambda labels: [label or None for label in labels],
    "text-of-none": lambda labels: [None if label == "None" else label for label in labels],
}


def some_labels(rng):
    kinds = [str(kind) for kind in rng.permutation(["clear", "cloud", "fog", "rain", "snow"])[:4]]
    return [*kinds, None, *(str(kind) for kind in rng.choice(kinds, 6)), None]


def usual_labels_come_back(answer, rng):
    """Usual labels come back, and the first that does not is named."""
    labels = some_labels(rng)
    back = read_back(answer.probe(coded, labels), labels)
    where = next((i for i, label in enumerate(labels) if back[i] != label), 0)
    require(back == labels, "not-reversible", where=where, wanted=f"{labels[where]!r}", decoded=f"{back[where]!r}")


WORDS = """
hint: Which labels are there, each once? `sorted(set(...))`, without the missing one.
hint: A dictionary from a label to its place gives the codes. `.get(label, -1)` also gives those of missing ones.
not-a-pair: Your function should return two things: the codes, and the list of names.
changed-input: You changed the list that came in. It belongs to the caller: make your own list.
names-without-places: Your names are an object of type `{listed}`. Make a list, so that `names[code]` is a label.
codes-are-no-numbers: Your codes should be one integer for each label.
wrong-length: Your function gave {codes} codes for {labels} labels.
missing-is-a-name: You gave `None` a name and a code. Missing is not a kind of weather: give it the code -1.
names-repeated: You returned {names} names for {kinds} kinds. List each name once, or equal labels differ.
code-without-name: Your code {outside} points at none of your {names} names.
missing-not-marked: Your code of a missing label should be -1.
not-int32: Your codes are `{dtype}`. Without 64-bit mode JAX counts in `int32`: return that.
name-of-no-label: Your list of names has {stray}, which no label is. Each column has its own names, and no others.
not-reversible: Your code of label {where} leads back to {decoded}, and the label is {wanted}.
empty-is-missing: You took an empty string for a missing one. Only `None` is missing, and `if label` is false for `""`
    too.
text-of-none: You took the string `"None"` for a missing label. Ask `label is None` before you make strings of labels.
not-reversible/2: Your codes should lead back to the labels.
"""

label_codes = declare(
    "label-codes",
    see="encode",
    steps=[
        usual_labels_come_back,
        Agrees(
            lambda labels: labels,
            drawn_labels,
            extremes=ODD,
            ask=coded,
            reads=read_back,
            shows="label_codes({})",
            mistakes=MISTAKES,
            otherwise="not-reversible/2",
        ),
    ],
    words=(LESSON, WORDS),
)
