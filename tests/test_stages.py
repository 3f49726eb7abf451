"""The stages of a function: which line became what, how much of it there is, and a page that shows it."""

import functools
import linecache
import re
import xml.etree.ElementTree as ET

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse import stages

STAGES = ["jaxpr", "StableHLO", "optimised HLO"]


def helper(y):
    return jnp.tanh(y)


def wave(x, k):
    phase = k * x

    def damped(step, y):
        return y * jnp.cos(phase)

    y = jax.lax.fori_loop(0, 3, damped, x)
    return jnp.sum(helper(y) < jnp.exp(x))


X = np.linspace(0, 1, 5, dtype=np.float32)


@pytest.fixture(scope="module")
def shown():
    with jax.numpy_rank_promotion("allow"):
        return stages.show(wave, X, np.float32(2))


def test_the_source_is_the_functions_own(shown):
    assert shown.name == "wave"
    assert shown.source[0] == "def wave(x, k):" and len(shown.source) == 8
    assert [listing.stage for listing in shown.listings] == STAGES


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (2, ("mul", "stablehlo.multiply", "multiply")),
        (5, ("cos", "stablehlo.cosine", "cosine")),
        (7, ("scan", "stablehlo.while", "while")),
        (8, ("tanh", "stablehlo.tanh", "tanh")),  # written in another function, but called from here
        (8, ("exp", "stablehlo.exponential", "exponential")),
    ],
)
def test_each_line_is_followed_through_all_stages(shown, line, names):
    for (stage, became), name in zip(shown.became(line).items(), names, strict=True):
        assert any(re.search(rf"\b{re.escape(name)}\b", text) for text in became), stage
        for other in {2, 5, 7, 8} - {line}:
            if name not in ("mul", "stablehlo.multiply", "multiply", "while"):
                assert not any(
                    re.search(rf"[= ]{re.escape(name)}\b[( \[]", text) for text in shown.became(other)[stage]
                )


def test_lines_that_became_nothing_have_nothing(shown):
    assert shown.became(3) == dict.fromkeys(STAGES, ())


def test_the_notes_are_gone_from_the_text(shown):
    text = "\n".join(line.text for listing in shown.listings for line in listing.lines)
    assert not re.search(r"loc\(|#loc|metadata|test_stages|stack_frame|FileNames", text)
    assert "ENTRY" in text and "func.func" in text and "lambda" in text


def test_equations_of_short_programs_have_a_line_each():
    became = stages.show(lambda x: -jnp.sin(x), X).listings[0].lines
    assert [line.text.strip().split(" = ")[1].split()[0] for line in became if line.origin] == ["sin", "neg"]


@functools.partial(jax.jit, static_argnames="power")
def jitted(x, power):
    return x**power


class Gain:
    def __call__(self, x):
        return 3 * x


@pytest.mark.parametrize(
    ("function", "args", "name", "line"),
    [
        (jitted, (X, 3), "jitted", 3),
        (functools.partial(jitted, power=3), (X,), "jitted", 3),
        (jax.grad(lambda x: x * x), (np.float32(2),), "<lambda>", 1),
        (jax.vmap(helper), (X,), "helper", 2),
        (Gain(), (X,), "Gain", 2),
        (Gain().__call__, (X,), "__call__", 2),
        (helper, (jax.ShapeDtypeStruct((3,), "float32"),), "helper", 2),
    ],
)
def test_wrapped_functions_are_found(function, args, name, line):
    shown = stages.show(function, *args)
    assert shown.name == name
    assert all(shown.became(line)[stage] for stage in STAGES[:2])


def test_a_function_without_source_is_shown_without_marks(monkeypatch):
    other = "def other(x):\n    return x\n"  # Python 3.13 keeps there what `python -c` runs
    monkeypatch.setitem(linecache.cache, "<string>", (len(other), None, other.splitlines(keepends=True), "<string>"))
    names = {"jnp": jnp}
    exec("def typed(x):\n    return jnp.sin(x)", names)
    shown = stages.show(names["typed"], X)
    assert shown.source == ()
    assert "Python does not know its source" in shown.html
    assert not any(line.origin for listing in shown.listings for line in listing.lines)


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match=r"got ArrayImpl: pass f, x, not f\(x\)"):
        stages.show(helper(X), X)


def page(shown):
    """The fragment parses only if it is well formed."""
    return ET.fromstring(shown._repr_html_())


def test_the_page_offers_the_lines_that_became_something_and_all_stages(shown):
    groups = {}
    for button in page(shown).iter("input"):
        assert button.get("type") == "radio"
        groups.setdefault(button.get("name"), []).append(button)
    lines, frames = groups.values()
    assert {int(button.get("value")) for button in lines} <= {2, 5, 7, 8}
    assert len(frames) == 3
    assert [sum(button.get("checked") is not None for button in group) for group in (lines, frames)] == [1, 1]


def test_every_marked_line_has_a_rule_that_shows_it(shown):
    root = page(shown)
    (style,) = root.iter("style")
    for button in root.iter("input"):
        if number := button.get("value"):
            rule = f":has(.jaxcourse-pick-{number}:checked) .jaxcourse-from-{number}{{"
            assert rule in style.text and button.get("class") == f"jaxcourse-pick-{number}"
            assert any(f"jaxcourse-from-{number}" in (e.get("class") or "").split() for e in root.iter("div"))
    assert style.text.count("{") == style.text.count("}")


def test_the_number_says_in_text_where_a_line_comes_from(shown):
    rows = [e for e in page(shown).iter("div") if "jaxcourse-from-5" in (e.get("class") or "")]
    assert rows and all(row[0].text == "5" for row in rows)


def test_listings_scroll_by_themselves_and_have_names(shown):
    boxes = [e for e in page(shown).iter("div") if e.get("class") == "jaxcourse-listing"]
    assert len(boxes) == 4
    for box in boxes:
        assert box.get("tabindex") == "0" and box.get("role") == "group" and box.get("aria-label")
    assert "overflow:auto" in shown.html


def test_nothing_is_taken_for_html_and_no_script_is_needed(shown):
    assert "&lt; jnp.exp(x)" in shown.html
    assert not re.search(r"<script|\son\w+=|javascript:|url\(|\sid=", shown.html)


def test_the_same_function_gives_the_same_page(shown):
    assert stages.show(helper, X).html == stages.show(helper, X).html != shown.html


def test_a_terminal_shows_all_of_it(shown):
    text = repr(shown)
    assert text.startswith("wave\n   1 | def wave(x, k):")
    assert all(f"\n\n{stage}\n" in text for stage in STAGES)
    assert re.search(r"\n   5 | +\w+:f32\[5\] = cos ", text)


def test_long_programs_are_cut_and_say_so():
    def long(x):
        for _ in range(300):
            x = jnp.sin(x)
        return x

    (listing,) = [listing for listing in stages.show(long, X).listings if listing.stage == "jaxpr"]
    assert len(listing.lines) > 300
    assert len(listing.visible_lines()) == stages.LONGEST + 1
    assert listing.visible_lines()[-1].text == f"... and {len(listing.lines) - stages.LONGEST} more lines"


def test_counts_follow_the_function():
    def plain(x, y):
        return x @ y + 1

    def repeated(x, y):
        return x @ y + x @ y

    a, b = np.ones((8, 4), "f4"), np.ones((4, 8), "f4")
    one, two = stages.count(plain, a, b), stages.count(repeated, a, b)
    assert (one.equations, two.equations) == (2, 3)
    assert one.arguments == 2 * 8 * 4 * 4 and one.results == 8 * 8 * 4
    assert one.flops == two.flops == 2 * 8 * 4 * 8 + 64  # the product is computed once
    assert two.operations > two.equations - 1
    assert one.instructions > one.fusions >= 0


def test_counts_see_into_loops_and_ask_jitted_functions_themselves():
    def loop(x):
        return jax.lax.fori_loop(0, 9, lambda i, y: jnp.sin(y), x)

    assert stages.count(loop, X).equations == stages.count(jax.jit(loop), X).equations
    assert stages.count(loop, X).equations < 9
    assert stages.count(jitted, X, 3).name == "jitted"


def test_counts_show_as_a_table():
    counts = stages.count(helper, X)
    (table,) = ET.fromstring(counts._repr_html_()).iter("table")
    assert "helper" in (table.find("caption").text or "")
    assert "equations" in repr(counts) and "temporaries" in repr(counts)


def test_the_style_stays_inside(shown):
    (style,) = page(shown).iter("style")
    selectors = re.findall(r"([^{}]+)\{[^{}]*\}", re.sub(r"@[^{]+\{", "", style.text))
    assert selectors
    assert all(selector.strip().removeprefix("form").startswith(".jaxcourse-") for selector in selectors)


def test_a_program_without_equations_has_no_empty_lines():
    texts = [line.text for line in stages.show(lambda *xs: xs[0], *[X] * 6).listings[0].lines]
    assert texts and all(text.strip() for text in texts)


def test_a_bound_method_of_a_jitted_function_is_given_its_object():
    class Model:
        step = jax.jit(lambda self, x: jnp.sin(x), static_argnums=0)

    (jaxpr, *_) = stages.show(Model().step, 1.0).listings
    assert any("sin" in line.text for line in jaxpr.lines)


@pytest.mark.parametrize("args", [(1.0, 2.0), ()])
@pytest.mark.parametrize("call", [stages.show, stages.count])
def test_a_ufunc_of_numpy_is_refused_with_what_to_use(call, args):
    with pytest.raises(TypeError, match=r"NumPy's add: use jax\.numpy\.add"):
        call(np.add, *args)
