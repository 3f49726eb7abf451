"""The axes of `jax.vmap`, drawn, against those of `jax.vmap` itself."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from drawings import SVG, parse, words_of

from jaxcourse import draw


def add(x: Any, y: Any) -> Any:
    return x + y


@pytest.mark.parametrize("seed", range(40))
def test_mapped_agrees_with_vmap_on_random_axes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    seen: list[tuple[int, ...]] = []

    def first(x: Any, y: Any) -> Any:
        seen.append(x.shape)
        return x

    shape = tuple(rng.integers(1, 6, rng.integers(1, 5)).tolist())
    axis, out = int(rng.integers(-len(shape), len(shape))), int(rng.integers(-len(shape), len(shape)))
    result = jax.vmap(first, (axis, None), out)(np.ones(shape), 2.0)
    alt = draw.mapped(first, np.ones(shape), 2.0, in_axes=(axis, None), out_axes=out).alt
    assert f"x has shape {shape} and is mapped along axis {axis}, so one call sees {seen[0]}." in alt
    assert f"the result has shape {result.shape}, with the calls along axis {out}." in alt
    assert "y has shape () and is shared." in alt


def test_mapped_clash_is_drawn_and_no_result() -> None:
    picture = draw.mapped(add, np.ones((5, 4)), np.ones(4))
    assert picture.alt.endswith("The mapped axes have lengths 5 and 4, so vmap refuses.")
    assert "whole result" not in words_of(picture)


def test_mapped_follows_structures() -> None:
    params = {"a": np.ones(5), "b": {"c": 2.0, "d": np.ones((3, 5))}}
    axes = ({"a": 0, "b": {"c": None, "d": 1}},)
    picture = draw.mapped(lambda p: (p["a"], p["b"]["d"] * p["b"]["c"]), params, in_axes=axes, out_axes=(0, -1))
    assert picture.alt == (
        "p['a'] has shape (5,) and is mapped along axis 0, so one call sees (). "
        "p['b']['c'] has shape () and is shared. "
        "p['b']['d'] has shape (3, 5) and is mapped along axis 1, so one call sees (3,). There are 5 calls. "
        "One call returns (), and the result[0] has shape (5,), with the calls along axis 0. "
        "One call returns (3,), and the result[1] has shape (3, 5), with the calls along axis -1."
    )


def test_mapped_takes_keys_lists_of_axes_and_a_result_for_all() -> None:
    keys = jax.random.split(jax.random.key(0), 3)
    picture = draw.mapped(lambda k, x: x, keys, jnp.ones(2), in_axes=[0, None], out_axes=None)
    assert picture.alt.endswith("One call returns (2,), and the result has shape (2,), one for all calls.")


def test_mapped_thick_boxes_are_the_mapped_axes() -> None:
    picture = draw.mapped(add, np.ones((5, 4)), np.ones(4), in_axes=(1, 0), out_axes=1)
    boxes = list(parse(picture).iter(f"{SVG}rect"))
    assert sum(box.get("stroke-width") == "3" for box in boxes) == 3
    assert {"axis 1 mapped", "axis 0 mapped", "calls along axis 1"} <= set(words_of(picture))
