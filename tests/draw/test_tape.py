"""The tape of a function, against what JAX says of its values and derivatives."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from drawings import SVG, parse

from jaxcourse import draw, explore
from jaxcourse.draw._tape import MAX_ENTRIES, record
from jaxcourse.svg import Picture


def wave(x: Any, y: Any) -> Any:
    return x * jnp.sin(x) + y**2 / x


FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[float, ...]]] = {
    "wave": (wave, (1.0, 2.0)),
    "used-twice": (lambda x: x * x + jnp.exp(x) * x, (0.7,)),
    "number-in-front": (lambda x: 2.0 - 3.0 * jnp.tanh(x), (0.4,)),
    "number-behind": (lambda x: jnp.log(x) / 5.0, (3.0,)),
    "unused-argument": (lambda x, y: jnp.cos(x), (3.0, 1.0)),
    "one-operation": (lambda a, b: a * b, (3.0, -1.5)),
    "dead-end": (lambda x: (jnp.sin(x), x * 2.0)[1], (3.0,)),
}
each = pytest.mark.parametrize("name", FUNCTIONS)


def entries(picture: Picture) -> dict[str, list[str]]:
    """The texts of each row by its name: operation, value and cotangent, as far as they are shown."""
    groups = [group for group in parse(picture).iter(f"{SVG}g") if group.get("data-entry")]
    return {g.get("data-entry", ""): [t.text or "" for t in g.iter(f"{SVG}text")][1:] for g in groups}


@each
def test_the_last_step_has_the_values_and_the_gradient_of_jax(name: str) -> None:
    function, args = FUNCTIONS[name]
    recorded = record(function, *args)
    found = recorded.cotangents(len(recorded.operations))
    gradient = jax.grad(function, argnums=tuple(range(len(args))))(*args)
    assert recorded.entries[-1].value == pytest.approx(float(function(*args)))
    for position, slope in enumerate(gradient):
        assert found.get(position, 0.0) == pytest.approx(float(slope), rel=1e-5)


@each
def test_values_appear_forwards_and_cotangents_backwards(name: str) -> None:
    function, args = FUNCTIONS[name]
    steps = draw.tape_steps(function, *args)
    count = len(record(function, *args).operations)
    assert len(steps) == 2 * count + 2
    for number, picture in enumerate(steps.values()):
        shown = list(entries(picture).values())
        values = sum(len(texts) >= 2 for texts in shown)
        assert values == len(args) + min(number, count)
        assert any(len(texts) == 3 for texts in shown) == (number > count)
        assert draw.tape(function, *args, step=number) == picture


def test_arrows_lead_from_the_operands_forwards_and_to_them_backwards() -> None:
    steps = draw.tape_steps(wave, 1.0, 2.0)
    heads = {label: len(list(parse(picture).iter(f"{SVG}polygon"))) for label, picture in steps.items()}
    operands = {"a": 1, "b": 2, "c": 1, "d": 2, "e": 2}
    assert all(heads[f"→ {name}"] == heads[f"← {name}"] == count for name, count in operands.items())
    assert heads["start"] == heads["seed"] == 0


def test_the_step_is_named_in_words_and_its_row_stands_out() -> None:
    picture = draw.tape_steps(wave, 1.0, 2.0)["← d"]
    assert "Backwards through d = div c x. c receives 1 × 1 = 1. x receives 1 × -4 = -4" in picture.alt
    current = [g.get("data-entry") for g in parse(picture).iter(f"{SVG}g") if g.get("data-current") == "true"]
    assert current == ["d"]


def test_letters_do_not_repeat_the_names_of_arguments() -> None:
    names = [entry.name for entry in record(lambda a, c: a * c + a, 1.0, 2.0).entries]
    assert names == ["a", "c", "b", "d"]


def test_the_reader_goes_through_all_steps() -> None:
    shown = explore.tape(wave, 1.0, 2.0)
    assert dict(shown.frames) == draw.tape_steps(wave, 1.0, 2.0)


@pytest.mark.parametrize(
    ("function", "args", "words"),
    [
        (lambda x: jnp.stack([x, x]).sum(), (1.0,), "single numbers"),
        (jax.jit(lambda x: x + 1.0), (1.0,), "program inside"),
        (lambda x: (x + 1.0, x), (1.0,), "one number"),
        (lambda x: x, (1.0,), "one number"),
        (lambda x: sum(x * float(i) for i in range(MAX_ENTRIES)), (1.0,), "too long"),
    ],
)
def test_what_cannot_be_drawn_is_refused(function: Callable[..., Any], args: tuple[float, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        draw.tape(function, *args)


def test_there_is_no_step_beyond_the_last() -> None:
    with pytest.raises(ValueError, match="steps 0 to 3"):
        draw.tape(lambda x: x * x, 1.0, step=4)
