"""different-draws: how many different numbers come of one key, by six ways."""

import jax

from jaxcourse.prediction import Mistake, any_of, prediction


def different_numbers():
    """How many different numbers are among the four of each entry."""
    key = jax.random.key(0)
    normal, split, fold_in = jax.random.normal, jax.random.split, jax.random.fold_in

    def chained(key):
        drawn = []
        for _ in range(4):
            key, one = split(key)
            drawn.append(normal(one))
        return drawn

    drawn = {
        "[normal(key) for _ in range(4)]": [normal(key) for _ in range(4)],
        "normal(key, (4,))": normal(key, (4,)),
        "[normal(k) for k in split(key, 4)]": [normal(k) for k in split(key, 4)],
        "[normal(split(key)[0]) for _ in range(4)]": [normal(split(key)[0]) for _ in range(4)],
        "[normal(fold_in(key, i % 2)) for i in range(4)]": [normal(fold_in(key, i % 2)) for i in range(4)],
        "four times: key, k = split(key), then normal(k)": chained(key),
    }
    return {entry: len({float(number) for number in numbers}) for entry, numbers in drawn.items()}


different_draws = prediction(
    "different-draws",
    see="keys-are-values",
    hint=[
        "Does `key` change when you draw with it, or when you split it?",
        "Count the different keys with which each entry draws.",
    ],
    truth=different_numbers,
    mistakes=[
        Mistake(
            "drawing-changes-the-key",
            {"[normal(key) for _ in range(4)]": any_of(4, 3, 2)},
            "You let a draw change the key. A key is a value: the same key gives the same number each time.",
        ),
        Mistake(
            "splitting-changes-the-key",
            {"[normal(split(key)[0]) for _ in range(4)]": any_of(4, 3, 2)},
            "You let `split` change `key`. It returns new keys, the same ones each time, and `key` stays as it was.",
        ),
        Mistake(
            "folding-counts-calls",
            {"[normal(fold_in(key, i % 2)) for i in range(4)]": any_of(4, 3)},
            "You took each call of `fold_in` for another key. The key follows from the number, which is 0 or 1.",
        ),
        Mistake(
            "folding-changes-nothing",
            {"[normal(fold_in(key, i % 2)) for i in range(4)]": 1},
            "You took `fold_in` for the old key. It makes a new one for each number that you fold in.",
        ),
        Mistake(
            "one-number-a-key",
            {"normal(key, (4,))": 1},
            "You gave all positions one number. A key and a position give the bits, so the four are different.",
        ),
        Mistake(
            "children-are-one",
            [
                {"[normal(k) for k in split(key, 4)]": any_of(1, 2)},
                {"four times: key, k = split(key), then normal(k)": any_of(1, 2)},
            ],
            "You drew twice with one key. Here each draw has a key that no other draw has.",
        ),
    ],
    otherwise="Count the different keys, and the positions of each sample.",
)
