"""What the pictures say in a browser, held against NumPy and JAX on random inputs.

`PLAY_INPUTS=5000 pytest tests/play` tries more of them.
"""

import random
from typing import Any

import pytest
from play_browser import COUNT, differing, in_page, run
from play_cases import KINDS, REFUSED, State

from jaxcourse import play
from jaxcourse.play import _play

MODELS = """
const tried = (picture, {states, keys}) =>
  states.map((state, i) => {
    let result;
    try {
      result = picture.model(state);
    } catch (error) {
      if (error instanceof Bad && error.field in state && error.message) return "refused";
      return `${error.stack}`;
    }
    try {
      const sheet = new Sheet([266, 440, 680][i % 3]);
      picture.draw(sheet, result);
      sheet.close(result.says);
      if (/NaN|undefined/.test(sheet.root.outerHTML)) return `drawn: ${sheet.root.outerHTML}`;
    } catch (error) {
      return `draw: ${error.stack}`;
    }
    return Object.fromEntries(keys.map((key) => [key, result[key]]));
  });
"""
"""Each picture has a scope of its own, as on a page."""


def states(kind: str) -> list[State]:
    """What the picture's own buttons show, and random inputs."""
    picture, rng = getattr(play, kind)(), random.Random(f"{kind} {COUNT}")
    shown = [{**picture.state, **example} for example in picture.examples.values()]
    return [*shown, *(KINDS[kind].draw(rng) for _ in range(COUNT // KINDS[kind].cost))]


@pytest.fixture(scope="module")
def wanted() -> dict[str, list[Any]]:
    return {kind: [KINDS[kind].expected(state) for state in states(kind)] for kind in KINDS}


@pytest.fixture(scope="module")
def found(wanted: dict[str, list[Any]], tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """All pictures in one start of the browser."""
    cases = {}
    for kind, results in wanted.items():
        keys = next(list(result) for result in results if result != REFUSED)
        cases[kind] = {"states": states(kind), "keys": keys}
    body = f"<script>const cases={in_page(cases)};const results={{}};</script>"
    for kind in KINDS:
        code = _play.script(kind, getattr(play, kind)().scripts)
        body += f"<script>{code}{MODELS}results.{kind}=tried({kind},cases.{kind});}})();</script>"
    body += "<script>report(results);</script>"
    return run(tmp_path_factory.mktemp("models"), body)  # type: ignore[no-any-return]


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_says_what_numpy_and_jax_do(
    kind: str, wanted: dict[str, list[Any]], found: dict[str, list[Any]]
) -> None:
    refused, count = wanted[kind].count(REFUSED), len(wanted[kind])
    assert 0.03 * count < refused < 0.6 * count, f"{refused} of {count} inputs are refused: too few of one sort"
    if problems := differing(zip(states(kind), wanted[kind], found[kind], strict=True)):
        pytest.fail(problems)
