"""predict-the-rate."""

import numpy as np

from jaxcourse.prediction import Mistake, any_of, prediction


def walked():
    """The six entries, by walking."""

    def named(rate):
        path = [1.0]
        for _ in range(50):
            path.append(path[-1] - rate * 100 * path[-1])
        sizes, falls = np.abs(path), abs(path[-1]) < 0.9
        if sizes[1] < 1e-9:
            return "arrives"
        if path[1] > 0:
            return "glides"
        return "zigzags" if falls else "stays" if np.isclose(sizes[-1], 1) else "grows"

    u, steps = 1.0, 0
    while u >= 0.5:
        u, steps = u - 0.015 * u, steps + 1
    names = {f"v at {rate}": named(rate) for rate in (0.001, 0.01, 0.015, 0.02, 0.021)}
    return names | {"steps until u < 0.5 at 0.015": steps}


predict_the_rate = prediction(
    "predict-the-rate",
    see="step-size",
    hint=[
        "Which number multiplies `v` at each step? Along `v` the curvature is 100, so look at 1 - 100 r.",
        "The factor of `u` is 1 - 0.015. How often must it be applied until one half is left?",
    ],
    truth=walked,
    choices=["glides", "arrives", "zigzags", "stays", "grows"],
    mistakes=[
        Mistake(
            "curvature-forgotten",
            {"v at 0.015": "glides", "v at 0.021": "glides"},
            "Did you leave out the curvature? The step is the rate times the slope, and the slope of `v` is 100 v, "
            "so the factor is 1 - 100 r.",
        ),
        Mistake(
            "half-forgotten",
            {"v at 0.01": "stays", "v at 0.015": "grows"},
            "Did you take 200 for the curvature along `v`? The half in front of the loss takes off the 2 of the "
            "square, so it is 100.",
        ),
        Mistake(
            "limit-is-one",
            [{"v at 0.015": "grows"}, {"v at 0.015": "stays"}],
            "Did you take 1/λ for the limit? At 0.015 the factor is -0.5, which changes the sign and halves the "
            "size: the limit is 2/λ.",
        ),
        Mistake(
            "beyond-the-limit",
            {"v at 0.021": any_of("zigzags", "stays")},
            "Your `v` does not grow at 0.021. The factor there is -1.1, so each step leads further away than the one "
            "before.",
        ),
        Mistake(
            "at-the-limit",
            {"v at 0.02": any_of("zigzags", "grows")},
            "Your `v` changes its size at 0.02. The factor there is exactly -1, so `v` jumps from wall to wall, "
            "always at the same height.",
        ),
        Mistake(
            "newton-step",
            {"v at 0.01": any_of("glides", "zigzags")},
            "Your `v` does not arrive at 0.01. The factor there is 0: a rate of 1/λ leads to the bottom in one step.",
        ),
        Mistake(
            "steps-of-v",
            {"steps until u < 0.5 at 0.015": any_of(1, 2)},
            "Did you count the steps of `v`? The curvature of `u` is 1, so its factor is 1 - 0.015.",
        ),
        Mistake(
            "off-by-one-step",
            {"steps until u < 0.5 at 0.015": any_of(45, 47)},
            "You are one step off: 0.985 to the power of 45 is just above one half. After how many steps is `u` "
            "below it?",
        ),
        Mistake(
            "linear-decay",
            {"steps until u < 0.5 at 0.015": any_of(33, 34)},
            "Did you take off 1.5 % of the start at each step? Each takes off 1.5 % of what is left.",
        ),
    ],
    otherwise="Compute the factor 1 - rλ first.",
)
