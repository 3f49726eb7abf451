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
            "You counted an object for each place. Here all slots hold the address of one, so only a slot is added.",
        ),
        Mistake(
            "forgot-the-objects", {1: 8}, "You counted 8 bytes, the slot alone. Where is the complex number itself?"
        ),
        Mistake(
            "forgot-the-slots",
            {1: 32},
            "You counted 32 bytes, the complex number alone, or a slot and a float. A complex number is larger than a "
            "float, and the list has a slot for it.",
        ),
        Mistake(
            "numbers-alone",
            {1: any_of(16, 24)},
            "Your two numbers are 16 bytes. As an object they also have a count of references and a type.",
        ),
        Mistake("complex128-size", {2: 16}, "Your 16 bytes are a `complex128`. The question is about `complex64`."),
        Mistake("one-part-only", {2: 4}, "You counted one `float32`. A complex number has two parts."),
    ],
    otherwise="Count the slot in a list, and an object if there is one more. In an array, count the itemsize.",
)
