"""One hand: the same colours and the same sign for what is not there, wherever the course draws."""

import re
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from drawings import SVG, parse
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from play.play_browser import run

from jaxcourse import draw, play
from jaxcourse.figures import HOUSE
from jaxcourse.paths import PACKAGE
from jaxcourse.play._sharding import spec_of
from jaxcourse.svg import BLUE, ORANGE, TEAL, VIRTUAL

LOGO = Path(__file__).parents[2] / "book" / "images" / "logo.svg"
ENGINE = PACKAGE / "play" / "js" / "engine.js"


def test_the_colours_are_those_of_the_logo_and_one_for_what_is_followed() -> None:
    drawn = set(re.findall(r"#[0-9a-f]{6}", LOGO.read_text(encoding="utf-8")))
    assert drawn == {BLUE, TEAL} and set(HOUSE) == {BLUE, TEAL, ORANGE}


@pytest.mark.parametrize(("name", "value"), [("BLUE", BLUE), ("ORANGE", ORANGE), ("VIRTUAL", VIRTUAL)])
def test_scripts_and_python_draw_alike(name: str, value: str) -> None:
    assert f'const {name} = "{value}";' in ENGINE.read_text(encoding="utf-8")


def test_what_is_not_there_has_one_sign_and_nothing_else_has_it() -> None:
    repeated = draw.layout(np.broadcast_to(np.arange(3.0), (2, 3))).svg, draw.broadcast(np.ones((2, 1)), np.ones(3)).svg
    assert all(f'stroke-dasharray="{VIRTUAL}"' in svg for svg in repeated)
    others = draw.layout(np.ones((2, 3))), draw.mapped(lambda x: x.sum(), np.ones((2, 3)))
    assert not any(f'stroke-dasharray="{VIRTUAL}"' in picture.svg for picture in others)
    for path in [*(PACKAGE / "draw").glob("*.py"), *(PACKAGE / "play" / "js").glob("*.js")]:
        literal = path.read_text(encoding="utf-8").count(f'dasharray": "{VIRTUAL}"')
        assert not literal, f"{path.name} writes the sign by hand: take VIRTUAL"


def test_devices_differ_in_hue_and_every_other_one_in_its_hatch() -> None:
    mesh = jax.make_mesh((4,), ("x",), (AxisType.Auto,))
    array = jax.device_put(np.ones((8, 2), np.float32), NamedSharding(mesh, P("x")))
    groups = [one for one in parse(draw.shards(array)).iter(f"{SVG}g") if one.get("data-piece")]
    hues = {one.find(f"{SVG}rect").get("fill") for one in groups}
    assert len(hues) == 4 and [one.find(f"{SVG}path") is not None for one in groups] == [False, True] * 2


BOXES = """
const boxes = [...document.querySelectorAll(".jaxcourse-play-sheet svg g")];
const look = (one, ...names) => one && names.map((name) => one.getAttribute(name));
report(boxes.map((box) => [
  box.querySelector("title").textContent.match(/\\d+/g).map(Number),
  look(box.querySelector("rect"), "fill", "fill-opacity"),
  look(box.querySelector("path"), "stroke", "stroke-opacity"),
]));
"""


@pytest.mark.parametrize("spec", ["P('x', 'y')", "P('y', 'x')", "P(None, 'y')", "P()"])
def test_a_sharding_that_a_reader_chooses_has_the_hues_and_hatches_of_ours(spec: str, tmp_path: Path) -> None:
    mesh = jax.make_mesh((4, 2), ("x", "y"), (AxisType.Auto,) * 2)
    array = jax.device_put(np.ones((16, 32), np.float32), NamedSharding(mesh, spec_of(spec)))
    ours = [_box(group) for group in parse(draw.shards(array)).iter(f"{SVG}g") if group.get("data-piece")]
    chosen = play.sharding(spec, shape="16, 32", mesh="x=4, y=2")
    assert run(tmp_path, f"{chosen.html}<script>{BOXES}</script>") == ours


def _box(group: Any) -> list[Any]:
    """The devices of a piece, how its box is filled, and how it is hatched, if it is."""
    box, hatch = group.find(f"{SVG}rect"), group.find(f"{SVG}path")
    filled = [box.get("fill"), box.get("fill-opacity")]
    hatched = None if hatch is None else [hatch.get("stroke"), hatch.get("stroke-opacity")]
    return [[int(device) for device in group.get("data-devices").split()], filled, hatched]
