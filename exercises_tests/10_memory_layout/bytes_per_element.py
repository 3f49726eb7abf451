"""bytes-per-element: of a list with one float in all places, of a list of complex numbers, and of a complex array."""

import sys

import numpy as np

from jaxcourse.prediction import Mistake, any_of, prediction


def measured_bytes():
    """A slot alone, a slot and the object of a complex number, and the itemsize of a `complex64`."""
    slot = (sys.getsizeof([None] * 1001) - sys.getsizeof([None])) // 1000
    return slot, slot + sys.getsizeof(1j), np.dtype(np.complex64).itemsize


bytes_per_element = prediction(
    "bytes-per-element",
    see="list-and-array",
    hint=[
        "Count two things for each list: the slot, and whether there is one more object for the slot to point at.",
        "`sys.getsizeof(1j)`",
    ],
    truth=measured_bytes,
    mistakes=[
        Mistake(
            "an-object-each",
            {0: any_of(24, 32, 40)},
            "You counted an object for each place. Here one stands in all of them: one more slot, and no more.",
        ),
        Mistake("forgot-the-objects", {1: 8}, "8 bytes are the slot alone. Where is the complex number itself?"),
        Mistake(
            "forgot-the-slots",
            {1: 32},
            "32 bytes are the complex number alone. How does the list find it? (A slot and a float are 32 as well: but "
            "a complex number is the larger object.)",
        ),
        Mistake(
            "numbers-alone",
            {1: any_of(16, 24)},
            "The two numbers are 16 bytes. As an object they also have a count of references and a type.",
        ),
        Mistake("complex128-size", {2: 16}, "A `complex128` takes 16 bytes. The question is about `complex64`."),
        Mistake("one-part-only", {2: 4}, "That is one `float32`. A complex number has two parts."),
    ],
    otherwise="In a list: the slot, and an object if there is one more. In an array: the itemsize of its dtype.",
)
