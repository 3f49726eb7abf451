"""Answers to label-codes."""

import jax.numpy as jnp
import numpy as np
import pandas as pd

from jaxcourse.exercise import equivalent, right, wrong


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


equivalents = [
    equivalent("label-codes", "`sorted`  ->  `list`", "the names may have any order"),
]
