"""after-the-collective."""

import numpy as np

from jaxcourse.prediction import Mistake, prediction


def on_device_two():
    """The six results on device 2, from NumPy."""
    v = np.arange(1, 9).reshape(4, 2)
    first = v[:, 0]
    return {
        'psum(v, "x")': tuple(v.sum(0).tolist()),
        'psum(psum(v, "x"), "x")': tuple((4 * v.sum(0)).tolist()),
        'pmean(v, "x")': tuple(v.mean(0).tolist()),
        'all_gather(v, "x", tiled=True)': tuple(v.ravel().tolist()),
        'ppermute(v, "x", up)': tuple(v[1].tolist()),
        'psum_scatter(all_gather(v[0], "x"), "x", tiled=True)': (int(4 * first[2]),),
    }


SCATTERED = 'psum_scatter(all_gather(v[0], "x"), "x", tiled=True)'


after_the_collective = prediction(
    "after-the-collective",
    see="what-they-do",
    hint=[
        "What does each of the four devices have? Write it down, then apply the collective element by element.",
        "`psum` adds one term for each device, even if the terms are equal.",
    ],
    truth=on_device_two,
    mistakes=[
        Mistake("sums-its-own", {'psum(v, "x")': (11,)},
                "You summed a piece. `psum` goes over the devices, element by element."),
        Mistake("summed-twice-is-once", {'psum(psum(v, "x"), "x")': (16, 20)},
                "You summed once. `psum` does not know that the four values are equal: it adds one term for each "
                "device."),
        Mistake("keeps-its-piece", {'all_gather(v, "x", tiled=True)': (5, 6)},
                "You kept one piece. After an `all_gather`, every device has the pieces of all."),
        Mistake("sent-the-other-way", {'ppermute(v, "x", up)': (7, 8)},
                "You read the pairs the other way. They are (source, destination): device 2 is the destination of "
                "device 1."),
        Mistake("does-not-move", {'ppermute(v, "x", up)': (5, 6)},
                "You gave the piece that device 2 had. It gets what its source has."),
        Mistake("gathered-only", {SCATTERED: (5,)},
                "You did not sum. Every device holds the four gathered numbers, so the sum has four equal terms."),
        Mistake("not-scattered", {SCATTERED: (4, 12, 20, 28)},
                "You gave the whole sum. After a scatter, a device has only its part of it."),
    ],
    otherwise="Take the devices one by one.",
)  # fmt: skip
