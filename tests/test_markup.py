"""The markup of verdicts: every word of every check, as each place that shows it renders it."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from play.play_browser import in_page, run

from jaxcourse.checks import Stepwise
from jaxcourse.course import Course
from jaxcourse.markup import (
    PATTERN,
    QUOTED,
    as_html,
    as_text,
    blocks,
    code,
    literal,
    marked,
    plain,
    quoted,
    spans,
    summary,
    table,
)
from jaxcourse.prediction import Prediction
from jaxcourse_grade.reports import rich, whole

ROOT = Path(__file__).parents[1]
SCRIPT = (ROOT / "book" / "_static" / "markup.js").read_text(encoding="utf-8")
RAW = re.compile(r"`|(?<![\w*])\*+(?=[^\s*])[^*]*[^\s*]\*+(?!\w)")
"""What a reader must not see outside of code: a backtick, or a word between asterisks."""
ODD = [
    "a*b*c and 2 * 3 * 4",
    "**kwargs and *args",
    "`a * b` and `**kw` are *not* **so `x*y*z`, really**",
    "*`out`* and **`in`**",
    "``a`b`` and ` ` and `` ` ``",
    "x**2 + y**2, **bold** `1`",
    "not closed: `a and *b",
    "<b>&amp; *<i>* `<u>`",
    "***both*** and ****",
    "*two words*, (*in brackets*), *a*b",
]


@pytest.fixture(scope="module")
def words() -> list[str]:
    """Every word of every check, and every title that a verdict names."""
    course = Course.installed()
    lessons = [course.lesson(stem) for stem in course.exercises()]
    said = [text for lesson in lessons for task in lesson.exercises.values() for text in words_of(task.check)]
    hints = [hint for lesson in lessons for task in lesson.exercises.values() for hint in task.hints]
    titles = [lesson.title_of(name) for lesson in lessons for name in lesson.exercises]
    again = [lesson.again(name, task.see)[0] for lesson in lessons for name, task in lesson.exercises.items()]
    return [*said, *hints, *titles, *again]


def words_of(check: object) -> Iterator[str]:
    if isinstance(check, Stepwise):
        yield from (message for message, _ in check.words.said.values())
    if isinstance(check, Prediction):
        yield from (mistake.message for mistake in check.mistakes)
        yield check.otherwise


def codes(text: str) -> list[str]:
    """What stands between backticks."""
    return re.findall(r"`([^`]+)`", text)


def seen(page: str) -> tuple[str, list[str]]:
    """What a page shows outside of code, and its code."""
    inside = [html.unescape(one) for one in re.findall(r"<code>(.*?)</code>", page, re.DOTALL)]
    outside = re.sub(r"<code>.*?</code>", "x", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"</?(p|em|strong)>", "", outside)), inside


def test_every_word_is_rendered_and_no_code_is_eaten(words: list[str]) -> None:
    assert len(words) > 2500
    for text in words:
        for page in (marked(text), as_html(text), str(rich(text)), str(whole(text))):
            outside, inside = seen(page)
            assert not RAW.search(outside), f"{text!r} is shown as {outside!r}"
            assert inside == codes(text), text


def test_every_word_is_plain_in_a_terminal(words: list[str]) -> None:
    for text in words:
        shown = as_text(text, width=10**6)
        assert not RAW.search(re.sub(r"`[^`]+`", "x", shown)), f"{text!r} is shown as {shown!r}"
        assert codes(shown) == codes(text)


def test_the_page_renders_as_the_notebook_does(words: list[str], tmp_path: Path) -> None:
    assert PATTERN in SCRIPT, "markup.js has another pattern than markup.py"
    texts = [*words, *ODD]
    ask = (
        "const shown = (text) => { const box = document.createElement('p'); box.append(...markup.nodes(text)); "
        f"return [box.innerHTML, markup.code(text)]; }}; report({in_page(texts)}.map(shown));"
    )
    found = run(tmp_path, f"<script>{SCRIPT}</script><script>{ask}</script>")
    for text, (shown, as_code) in zip(texts, found, strict=True):
        assert html.unescape(shown) == html.unescape(marked(text)), text
        assert as_code == code(text)


def test_asterisks_of_arithmetic_are_no_emphasis() -> None:
    for text in ("a*b*c", "2 * 3 * 4", "x**2 + y**2", "f(*args, **kw)", "* a *", "**", "*"):
        assert marked(text) == plain(text) == text


def test_code_comes_back_as_it_went_in() -> None:
    for text in ("`", "``", "a`b", "`a`", " a", "*b*", "a | b", "**", "` `"):
        assert [(one.kind, one.text) for one in spans(code(text))] == [("code", text)]
        assert seen(as_html(table([("x", code(text))])))[1] == [text]


def test_nothing_of_a_strangers_text_is_lost() -> None:
    for text in ("f() takes *two* arguments", "got **kw** and *b*", "unsupported operand for **"):
        assert text in html.unescape(re.sub("<[^>]+>", "", marked(literal(text))))


@pytest.mark.parametrize(("word", "between"), [(1, " "), (7, " "), (18, "("), (200, " ")])
def test_of_a_long_line_the_beginning_is_quoted_up_to_the_end_of_a_word(word: int, between: str) -> None:
    for length in range(QUOTED - 3, 2 * QUOTED):
        line = (("x" * word + between) * length)[: length - 1] + "x"
        (shown,) = spans(quoted(line))
        if length <= QUOTED:
            assert shown.text == line
            continue
        begin = shown.text.removesuffix("…")
        assert line.startswith(begin) and QUOTED / 2 < len(begin) < len(shown.text) <= QUOTED
        assert begin.endswith(between) or word > QUOTED, "a word is cut"


def test_a_text_that_was_cut_anywhere_is_still_shown() -> None:
    text = f"All. A small counterexample:\n\n{table([('`x`', '`[1, `**`2`**`]`'), ('', '`3`')])}\n\n```\nx = 3\n```"
    assert [block.kind for block in blocks(text)] == ["paragraph", "table", "code"]
    for end in range(len(text)):
        assert as_text(text[:end]).split() or not text[:end].split()
        assert as_html(text[:end]).count("<") == as_html(text[:end]).count(">")
    assert summary(text) == "All. A small counterexample:"
