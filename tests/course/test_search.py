"""The search: what its index holds, and what a query finds first, asked in a browser."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from mini_book import build
from play.play_browser import in_page, run

from jaxcourse.course import Course

ROOT = Path(__file__).parents[2]
SCRIPT = (ROOT / "book" / "_static" / "search.js").read_text(encoding="utf-8")

sys.path.insert(0, str(ROOT / "book" / "_ext"))
site_search = pytest.importorskip("site_search")
site_records = pytest.importorskip("site_records")

PAGES = {
    "index": "# The course\n\nWelcome.\n\n```{toctree}\nlayout\nvmap\nsharding\nglossary\n```\n",
    "layout": """# Memory layout

Arrays are bytes. A view shares them.

## Strides

A stride is a number of bytes. Read `x.strides` with `x.ndim`.

```python
y = np.lib.stride_tricks.as_strided(x, shape=(2, 2))
y = x.T.copy()
```

## Views and copies

A slice gives a view, `x[mask]` gives a copy. `np.shares_memory` tells.

### Order

Fortran order runs down the columns: `order="F"`.

## In JAX

Update with `x.at[0].set(1)` or `x.at[idx, 0].add(2)`. Choose with `jnp.where(mask, x, 0)`.
""",
    "vmap": """# vmap

You map a function over a batch.

## Choosing axes

The argument `in_axes=(0, None)` names the mapped axis, also inside of `jax.vmap`.

## Random keys

Use `jax.random.split(key, 8)`, and never a key twice.

## Gradients of each example

`jax.vmap(jax.grad(loss))` gives a gradient for each, where `jax.grad` of the mean gives one.

## Compiling

Compile with `jax.jit(f, donate_argnums=0)`, then time `block_until_ready`.
""",
    "sharding": """# Sharding

A mesh names devices.

## Partition specs

`P('x')` cuts the first axis, `P('x', 'y')` cuts two, `P(None, "x")` cuts the second.

## Collectives

An all-reduce is `lax.psum`; see `jax.lax.with_sharding_constraint` and `AxisType.Auto`.

## The debugging lab

A program copies everything to every device. Nothing is said.
""",
    "glossary": """# Glossary

:::{glossary}
stride
  The number of bytes from one element to the next.

pytree
  Nested containers with arrays as leaves.

all-reduce
  A collective after which every device has the sum.

jaxpr
  The program that a trace has recorded.
:::
""",
}

FIRST = {
    "Memory layout": "Memory layout",
    "memory layout": "Memory layout",
    "layout": "Memory layout",
    "Strides": "Strides",
    "stride": "Strides",
    "x.strides": "Strides",
    "ndim": "Strides",
    "as_strided": "Strides",
    "np.lib.stride_tricks.as_strided": "Strides",
    "stride_tricks": "Strides",
    "views": "Views and copies",
    "views and copies": "Views and copies",
    "copy": "Views and copies",
    "np.shares_memory": "Views and copies",
    "shares_memory": "Views and copies",
    "fortran": "Order",
    "order": "Order",
    "jnp.where": "In JAX",
    "where": "In JAX",
    "x.at[].set": "In JAX",
    "x.at[idx].set": "In JAX",
    ".at[].add": "In JAX",
    "y.at[i].add": "In JAX",
    "x[0] = 1": "In JAX",
    "weights[i, j] += 2.5": "In JAX",
    "vmap": "vmap",
    "jax.vmap": "Choosing axes",
    "in_axes": "Choosing axes",
    "axes": "Choosing axes",
    "jax.random.split": "Random keys",
    "random key": "Random keys",
    "gradient each example": "Gradients of each example",
    "jax.grad": "Gradients of each example",
    "gradients": "Gradients of each example",
    "donate_argnums": "Compiling",
    "donate": "Compiling",
    "block_until": "Compiling",
    "P('x')": "Partition specs",
    'P("x")': "Partition specs",
    "P('x','y')": "Partition specs",
    "P(None, 'x')": "Partition specs",
    "sharding": "Sharding",
    "mesh": "Sharding",
    "psum": "Collectives",
    "lax.psum": "Collectives",
    "with_sharding_constraint": "Collectives",
    "AxisType": "Collectives",
    "debugging lab": "The debugging lab",
    "the DEBUGGING lab": "The debugging lab",
    "pytree": "pytree",
    "pytrees": "pytree",
    "all-reduce": "all-reduce",
    "jaxpr": "jaxpr",
    "nested containers": "pytree",
}
"""What a reader types, and the title of the place that must come first."""
SLIPS = {
    "memroy layout": "Memory layout",
    "vmpa": "vmap",
    "shrading": "Sharding",
    "pytre": "pytree",
    "fortan": "Order",
    "strridez": "",
    "set the sede": "Random keys",
    "gradinets of each exmple": "Gradients of each example",
    "colectiv": "Collectives",
}
"""One slip of the finger in each word, and the title that must come first all the same; two slips find nothing."""
NOTHING = ["haskell", "", "   ", "<b>", "constructor", "__proto__", "zzz qqq"]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The index of a few pages."""
    pytest.importorskip("myst_parser")
    files = {f"{name}.md": text for name, text in PAGES.items()}
    files["book/search.yml"] = "set the seed: random-keys\nno such thing: not-taught\n"
    extensions = ["myst_parser", "site_search"]
    out, _ = build(tmp_path_factory.mktemp("pages"), files, extensions, myst_enable_extensions=["colon_fence"])
    assert (out / "search.html").exists()
    assert not (out / "searchindex.js").exists(), "Sphinx's own index is not written"
    text = (out / "_static" / "search_index.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("window.courseIndex=").removesuffix(";\n"))


def test_the_places_are_pages_sections_and_terms(index: Any) -> None:
    titles = {(index["pages"][page][0], id): (title, kind) for page, id, title, kind, *_ in index["places"]}
    assert titles["layout", ""] == ("Memory layout", "page")
    assert titles["layout", "order"] == ("Order", "section")
    assert titles["glossary", "term-pytree"] == ("pytree", "term")
    leads = {title: lead for _, _, title, _, lead, *_ in index["places"]}
    assert leads["pytree"] == "Nested containers with arrays as leaves."


def test_text_belongs_to_its_own_section(index: Any) -> None:
    def where(token: str) -> list[str]:
        return [index["places"][number][2] for number in index["terms"][token][::2]]

    assert where("at[].set") == ["In JAX"]
    assert where("fortran") == ["Order"]
    assert where("leave") == ["pytree"]
    assert "the" not in index["terms"]


def test_common_words_are_the_same_in_the_script() -> None:
    words = re.search(r"new Set\(\s*\((.*?)\)\.split", SCRIPT, re.DOTALL)
    assert words and set(re.findall(r"\w+", words[1])) == site_search.COMMON


ASK = """
(async () => {
  const found = [];
  for (const query of queries) found.push((await courseSearch(query)).map(([, , title]) => title));
  report(found);
})();
"""


def asked(folder: Path, index: Any, queries: list[str]) -> Any:
    body = f"<script>window.courseIndex={in_page(index)};const queries={in_page(queries)};</script>"
    return run(folder, f"{body}<script>{SCRIPT}</script><script>{ASK}</script>")


def test_a_query_finds_its_place_first(index: Any, tmp_path: Path) -> None:
    queries = [*FIRST, *NOTHING]
    found = dict(zip(queries, asked(tmp_path, index, queries), strict=True))
    wrong = {query: found[query][:3] for query, title in FIRST.items() if found[query][:1] != [title]}
    assert not wrong
    assert not any(found[query] for query in NOTHING)


def test_a_slip_of_the_finger_is_forgiven(index: Any, tmp_path: Path) -> None:
    found = dict(zip(SLIPS, asked(tmp_path, index, list(SLIPS)), strict=True))
    assert {query: (titles or [""])[0] for query, titles in found.items()} == SLIPS


def test_a_title_with_a_slip_in_it_still_comes_before_what_says_its_words_more_often(tmp_path: Path) -> None:
    places = [[0, "", "Broadcasting", "page", ""], [0, "x", "vmap, broadcasting or einsum", "section", ""]]
    index = {"pages": [["a", "A"]], "places": places, "terms": {"broadcasting": [0, 1, 1, 9]}}
    found = asked(tmp_path, index, ["broadcasting", "brodcasting", "broadcastign"])
    assert [titles[0] for titles in found] == ["Broadcasting"] * 3


def test_a_place_is_found_by_what_readers_call_it(index: Any, tmp_path: Path) -> None:
    assert [found[0] for found in asked(tmp_path, index, ["set the seed", "seed"])] == ["Random keys"] * 2
    (called,) = (place[5:] for place in index["places"] if place[2] == "Random keys")
    assert called == ["set the seed"]


def test_every_name_that_readers_have_leads_somewhere() -> None:
    places = site_records.passages(Course(ROOT))
    called = yaml.safe_load((ROOT / site_search.CALLED).read_text(encoding="utf-8"))
    assert {label for label in called.values() if label not in places} == set()


USE = """
(async () => {
  const settle = () => new Promise((done) => setTimeout(done, 50));
  const input = document.querySelector("input");
  const press = (key) =>
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const status = () => document.querySelector("[role=status]").textContent;
  const found = { scripts: document.querySelectorAll("script[src]").length };
  input.focus();
  input.value = "x.at[].set";
  input.dispatchEvent(new Event("input"));
  await settle();
  found.status = status();
  const link = document.querySelector(".course-search a");
  found.link = [link.getAttribute("href"), link.textContent];
  press("ArrowDown");
  found.down = document.activeElement === link;
  press("ArrowUp");
  found.up = document.activeElement === input;
  input.value = "<b>haskell</b>";
  input.dispatchEvent(new Event("input"));
  await settle();
  found.nothing = [status(), document.querySelectorAll("b, .course-search a").length];
  input.value = "Forttran order";
  input.dispatchEvent(new Event("input"));
  await settle();
  found.slip = [status(), document.querySelector(".course-search a").getAttribute("href")];
  history.replaceState(null, "", "#words");
  found.marked = [...(CSS.highlights.get("course-search") ?? [])].map(String);
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
  found.escaped = CSS.highlights.has("course-search");
  report(found);
})();
"""


def test_a_reader_searches_by_keyboard_and_finds_the_words_marked(index: Any, tmp_path: Path) -> None:
    form = re.sub(r"\{#.*?#\}|\{\{.*?\}\}", "", (ROOT / "book/_templates/search-form.html").read_text(encoding="utf-8"))
    article = (
        '<article class="bd-article"><section id="words"><h2>Words</h2><pre><span>x</span><span>.</span><span>at</span>'
        "<span>[</span>rows, 0<span>]</span><span>.</span><span>set</span>(1)</pre><p>An attic, x.at[0].add.</p>"
        "</section></article>"
    )
    body = f"{form}{article}<script>window.courseIndex={in_page(index)};</script><script>{SCRIPT}</script>"
    found = run(tmp_path, f"{body}<script>{USE}</script>", query="?q=.at%5B%5D.set")
    assert found["scripts"] == 0
    assert found["status"].startswith("1 place for “x.at[].set”")
    assert found["link"][0] == "./layout.html?q=x.at%5B%5D.set#in-jax"
    assert found["link"][1].startswith("In JAX › Memory layout")
    assert found["down"] and found["up"]
    assert "Nothing was found for “<b>haskell</b>”" in found["nothing"][0] and found["nothing"][1] == 0
    assert found["slip"][0].startswith("1 place for “fortran order”, since there is no “Forttran order”.")
    assert found["slip"][1] == "./layout.html?q=fortran%20order#order"
    assert found["marked"] == ["at[rows, 0].set"]
    assert found["escaped"] is False
