"""A search beside its budget: the course's own program, one that is over, and the page that is to be shown."""

import html
from html.parser import HTMLParser

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from matplotlib.image import imread
from play.play_browser import launch
from playwright.sync_api import sync_playwright

from jaxcourse.barometers import BUDGET, best_of, budget_report, course_search, distance, nodes, sums_at, write_page

MESH = jax.make_mesh((8,), ("d",), (AxisType.Auto,), devices=jax.devices()[:8])
TRACES, PLACES = P(None, "d"), P("d")
SPECS = {"in_specs": (TRACES, TRACES, TRACES, PLACES, PLACES, P()), "out_specs": (PLACES, PLACES)}


@pytest.fixture(scope="module")
def record():
    """Eight stations that met a wave from a place of the grid, at minute 100, and noise."""
    rng = np.random.default_rng(0)
    chosen = rng.choice(2665, 256, replace=False)
    lat, lon = (angles[chosen] for angles in nodes())
    place_of = np.stack([rng.uniform(45, 53, 8), rng.uniform(3, 17, 8)]).astype(np.float32)
    far = distance(lat[77], lon[77], *place_of)
    score = rng.normal(size=(1600, 8)) * 0.1
    score[100 + (far / 0.31 / 60).astype(int), np.arange(8)] += 5
    parts = [(score, TRACES), (np.ones((1600, 8)), TRACES), (place_of, TRACES), (lat, PLACES), (lon, PLACES)]
    placed = [jax.device_put(np.asarray(part, np.float32), NamedSharding(MESH, spec)) for part, spec in parts]
    return *placed, jax.device_put(np.int32(50), NamedSharding(MESH, P()))


@jax.jit
def sends_sums(score, variance, place_of, lat, lon, first):
    """Is right, and sends the sums of all places: <script>document.title = "broken"</script>."""

    def body(score, variance, place_of, lat, lon, first):
        everywhere = tuple(lax.all_gather(a, "d", tiled=True) for a in (lat, lon))
        sums = lax.map(lambda at: sums_at(*at, score, variance, place_of, first), everywhere, batch_size=16)
        return best_of([lax.psum_scatter(a, "d", tiled=True) for a in sums], first)

    return jax.shard_map(body, mesh=MESH, **SPECS)(score, variance, place_of, lat, lon, first)


@pytest.fixture(scope="module")
def found(record):
    return budget_report(sends_sums, record, seconds=0.05)


def test_the_courses_own_search_finds_the_wave(record):
    value, when = course_search(MESH)(*record)
    assert value.argmax() == 77 and when[77] == 100
    assert value.sharding.shard_shape(value.shape) == (32,)


def test_figures_are_those_of_the_program(record, found):
    rows = {name: said for name, *said in found.rows()}
    sums = 2 * 256 * 1290 * 4
    assert found.agrees and found.spent["bytes_sent"] == sums * 7 // 8 + 2 * 256 * 4 * 7 // 8
    assert rows["collectives in a call"] == ["4", "64", "within"]
    assert budget_report(course_search(MESH), record, seconds=0.05).spent["bytes_sent"] < BUDGET.sent


def test_what_is_over_says_so(found, monkeypatch):
    monkeypatch.setattr("jaxcourse.barometers._budget.BUDGET", type(BUDGET)(sent=1_000_000))
    assert found.rows()[1][1:] == ["2.31 MB", "1 MB", "over"]


def test_another_map_is_not_the_courses(record):
    def nowhere(*record):
        return jnp.zeros_like(record[3]), jnp.zeros_like(record[3])

    assert "not the course's" in repr(budget_report(nowhere, record, seconds=0.05))


class Tags(HTMLParser):
    """The tags of a page, and what they refer to."""

    def __init__(self):
        super().__init__()
        self.tags, self.links = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href") and value]


@pytest.fixture(scope="module")
def page(found, tmp_path_factory):
    return write_page(found, tmp_path_factory.mktemp("page") / "within_budget.html")


def test_a_page_needs_no_other_file_and_runs_nothing(page):
    text = page.read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(text)
    assert "script" not in tags.tags and html.escape("<script>document.title") in text
    assert all(link.startswith(("data:", "#")) for link in tags.links)
    assert len(text) < 300_000 and jax.__version__ in text and "sent by each device" in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_shows_the_page(page, tmp_path, scheme):
    with sync_playwright() as playwright, launch(playwright) as browser:
        tab = browser.new_page(viewport={"width": 500, "height": 900}, color_scheme=scheme)
        tab.goto(page.as_uri())
        tab.screenshot(path=tmp_path / "page.png")
    corner = imread(tmp_path / "page.png")[:20, :20, :3].mean()
    assert corner < 0.2 if scheme == "dark" else corner > 0.9
