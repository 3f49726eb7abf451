"""find-the-slice: the slice by which a view was cut out of its base, from addresses and strides."""

import numpy as np

from jaxcourse.checks import declare, refuse, require
from jaxcourse.exercise import Diagnosis


def cut_again(find, cuts):
    """Cut views out of bases, ask for each slice, and cut with it: is it the same view?

    Each cut is the base's length and dtype, how its values repeat, how many elements lie before it, and the slice.
    """

    def lies(view, base):
        step = view.strides[0] if len(view) > 1 else 0
        return (view.ctypes.data - base.ctypes.data, len(view), step)

    found = []
    for length, dtype, period, before, start, stop, step in cuts:
        base = (np.arange(length + 2 * before) % period).astype(dtype)[before : before + length]
        view = base[start:stop:step]
        result = find(base, view)
        facts = {"type": type(result).__name__, "want": list(range(length))[start:stop:step], "itemsize": base.itemsize}
        if isinstance(result, slice):
            facts["parts"] = (result.start, result.stop, result.step)
            try:
                facts["same"] = lies(base[result], base) == lies(view, base)
                facts["got"] = np.arange(length)[result].tolist()
            except (TypeError, ValueError) as error:
                facts |= {"same": False, "got": f"nothing: {error}"}
        found.append(facts)
    return found


def every_cut(length):
    """The parts of every slice that cuts two elements or more out of a base of some length, once for each view."""
    ends = range(length)
    steps = [step for step in range(-length, length + 1) if step]
    cuts = {
        tuple(range(length)[start:stop:step]): (start, stop, step)
        for start in ends
        for step in steps
        for stop in [None, *ends]
    }
    return [parts for places, parts in cuts.items() if len(places) > 1]


def _name_what_fails_forwards(asked):
    """A mistake that is in the start, the step or the stop of every slice, if all of them are wrong."""
    if any(fact["same"] for _, fact in asked):
        return
    parts = asked[0][1]["parts"]

    def every(index, *expected):
        return all(fact["parts"][index] in [want(cut, fact["itemsize"]) for want in expected] for cut, fact in asked)

    in_bytes = every(2, lambda cut, size: cut[6] * size)
    refuse(in_bytes, "bytes-not-elements", parts=parts)
    refuse(every(2, lambda cut, size: 1, lambda cut, size: None), "step-lost", parts=parts)
    refuse(every(0, lambda cut, size: 0, lambda cut, size: None), "start-lost")
    refuse(every(1, lambda cut, size: None), "stop-lost", parts=parts)


def _name_what_fails(answer, group, cut, fact):
    """The diagnosis of a slice that cuts out something else: what the kind of the view shows."""
    facts = {"length": cut[0], "dtype": cut[1], "cut": _called(answer, cut)}
    raise Diagnosis(group, parts=fact["parts"], want=fact["want"], got=fact["got"], **facts)


def _called(answer, cut):
    """The text of a cut's slice, by which the call is shown from now on."""
    text = ":".join("" if part is None else str(part) for part in cut[4:])
    answer.called = f"find_the_slice(base, base[{text}])"
    return text


HIGH = 100
"""So many different values: none repeats."""
KINDS = {
    "backwards": lambda first, length: [(20, "float64", HIGH, 0, 15, 4, -3), (20, "int32", HIGH, 0, 17, 2, -2)],
    "ends-at-one": lambda first, length: [(20, "float64", HIGH, 0, 9, 0, -1), (20, "int32", HIGH, 0, 12, 0, -3)],
    "end-below-zero": lambda first, length: [
        (20, "float64", HIGH, 0, 12, None, -4),
        (20, "int32", HIGH, 0, 3, None, -1),
    ],
    "found-by-value": lambda first, length: [(20, "int32", 3, 0, first + 1, 18, 3), (20, "float64", 2, 0, 7, 18, 2)],
    "owner-not-base": lambda first, length: [
        (20, "int32", HIGH, 5, first, 18, 3),
        (20, "float64", HIGH, 8, 12, None, -4),
    ],
    "wrong-value": lambda first, length: [
        *((300, dtype, HIGH, 3, 290, 2, -2) for dtype in ("int8", "uint8")),  # more elements than numbers
        *((length, dtype, HIGH, 3, *cut) for cut in every_cut(length) for dtype in ("int8", "complex128")),
        *((20, "S3", HIGH, 3, *cut) for cut in ((15, 4, -3), (12, None, -4))),
    ],
}
"""By what it shows if all before it is right: the cuts of a kind, each as `cut_again` takes it."""


def a_slice_that_cuts_the_view(answer, rng):
    """Each slice cuts the view out of its base once more.

    A function, since several slices may cut one view: it is cut again, and memory tells whether it is the same.
    """
    first, length = int(rng.integers(1, 4)), int(rng.integers(6, 8))
    forwards = [
        (20, dtype, HIGH, 0, *cut)
        for dtype in ("int32", "float64", "int16", "S3")
        for cut in ((first, 15, 3), (2, 15, 4))
    ]
    numbers = [cut for cut in forwards if cut[1] != "S3"]  # texts are in another order: an answer may go by values
    groups = [("wrong-value", forwards), *((label, cuts(first, length)) for label, cuts in KINDS.items())]
    cuts = [cut for _, group in groups for cut in group]
    found = answer.probe(cut_again, cuts)
    facts = dict(zip(cuts, found, strict=True))
    for cut in cuts:
        _called(answer, cut)
        require("parts" in facts[cut], "not-a-slice", kind=facts[cut]["type"])
    _called(answer, cuts[0])
    right_for = {facts[cut]["itemsize"] for cut in numbers if facts[cut]["same"]}
    wrong_for = {facts[cut]["itemsize"] for cut in numbers if not facts[cut]["same"]}
    refuse(wrong_for and right_for - wrong_for, "itemsize-fixed")
    _name_what_fails_forwards([(cut, facts[cut]) for cut in forwards])
    for name, group in groups:
        for cut in group:
            if not facts[cut]["same"]:
                _name_what_fails(answer, name, cut, facts[cut])


WORDS = """
hint: `view.ctypes.data - base.ctypes.data` is the distance of the starts, in bytes.
hint: The step is the stride, in elements. The stop is one step behind the last element.
hint: Walking backwards, the stop can fall below 0. What does a slice make of a stop of -1?
bytes-not-elements: Your `slice{parts}` counts bytes. A slice counts elements.
step-lost: Your `slice{parts}` takes every element, and the view takes every third.
start-lost: Your slice begins where `base` does, and the view doesn't. Compare the addresses.
stop-lost: Your `slice{parts}` runs on to the end of `base`, and the view stops before.
not-a-slice: You returned an object of type `{kind}`. Return a `slice`.
itemsize-fixed: Your slice is right for elements of some sizes only. Use `base.itemsize`.
wrong-value: Your slice gives another view.
    Of {length} elements of `{dtype}`, `base[{cut}]` holds {want}, and your `slice{parts}` cuts out {got}.
backwards: Your slice is right forwards. Backwards, the step is negative, and the stop is below the last element.
    Of {length} elements of `{dtype}`, `base[{cut}]` holds {want}, and your `slice{parts}` cuts out {got}.
ends-at-one: Your slice is right until the stop is 0. That leaves out element 0, and `None` doesn't.
    Of {length} elements of `{dtype}`, `base[{cut}]` holds {want}, and your `slice{parts}` cuts out {got}.
end-below-zero: Your slice is right until a view walks down to the beginning. A negative stop counts from the end.
    Of {length} elements of `{dtype}`, `base[{cut}]` holds {want}, and your `slice{parts}` cuts out {got}.
found-by-value: Your slice is right if all values differ. Here values repeat, so go by addresses.
    Of {length} elements of `{dtype}`, `base[{cut}]` holds {want}, and your `slice{parts}` cuts out {got}.
owner-not-base: Your slice is right if `base` owns its memory. Here `base` is a part of a larger array: measure from it.
    Of {length} elements of `{dtype}`, `base[{cut}]` holds {want}, and your `slice{parts}` cuts out {got}.
"""

find_the_slice = declare(
    "find-the-slice",
    points=2,
    see="strides",
    steps=[a_slice_that_cuts_the_view],
    words=WORDS,
)
