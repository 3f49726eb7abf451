"""An exercise that asks once more for a line, in other clothes: it says so, may be skipped, and comes by itself."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from docutils import nodes
from play.play_browser import run
from toy import edit, toy

from jaxcourse.course import Course
from jaxcourse.paths import PACKAGE
from jaxcourse_author.lesson import REPEATS, Minutes, home, notebooks, repeats
from jaxcourse_author.rules import RULES, Contract

__all__ = ["toy"]
ROOT = PACKAGE.parents[1]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
site_repeats, site_entrance = pytest.importorskip("site_repeats"), pytest.importorskip("site_entrance")
STATIC = ROOT / "book" / "_static"
(RULE,) = (one for one in RULES if one.name == "what_repeats_comes_after")


def refused(root: Path) -> list[str]:
    return [str(one) for one in RULE.refusals(Contract(root))]


def test_each_that_repeats_another_one_is_an_exercise_behind_that_one() -> None:
    course = Course(ROOT)
    assert len(repeats(course)) > 10 and refused(ROOT) == []
    assert all(home(course, name) for pair in repeats(course).items() for name in pair)


def test_its_notebook_says_so_and_leads_to_that_one(toy: Path) -> None:
    (toy / REPEATS).write_text("double-it: double-it\n", encoding="utf-8")
    notebooks.write(Course(toy))
    for folder in ("notebooks", "solutions"):
        text = (toy / folder / "01_toy.ipynb").read_text(encoding="utf-8")
        assert "**Again**: this asks for the line of [`double-it`](https://someone.github.io/toy/notebooks/" in text
    edit(toy / REPEATS, "double-it: double-it", "double-it: elsewhere")
    notebooks.write(Course(toy))
    assert "the line of `elsewhere` in other clothes" in (toy / "notebooks/01_toy.ipynb").read_text(encoding="utf-8")


def test_a_name_that_is_none_is_refused(toy: Path) -> None:
    (toy / REPEATS).write_text("double-it: elsewhere\n", encoding="utf-8")
    notebooks.write(Course(toy))
    assert "there is no exercise 'elsewhere'" in refused(toy)[0]


@pytest.mark.parametrize("text", ["- double-it\n", "double-it: 3\n", "double-it: [a]\n"])
def test_a_file_of_another_form_is_refused(toy: Path, text: str) -> None:
    (toy / REPEATS).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="write `exercise: the one that it repeats` in each line"):
        repeats(Course(toy))


def test_its_page_says_so_first() -> None:
    page = nodes.container()
    for name in ("again", "other"):
        page += nodes.container("", nodes.title("", name), nodes.paragraph("", "Do."), classes=["exercise"], ids=[name])
    site_repeats.tell(page, {"again": "first"}, {"first": "31_vmap.html#first"})
    one, other = page.children
    assert (
        one[1].astext()
        == "Again: this asks for the line of first in other clothes. If you've solved that one, you may skip this."
    )
    assert one[1][2]["refuri"] == "31_vmap.html#first" and other[1].astext() == "Do."


PLAN = """
const planned = () => repeat.planned().map(({ key }) => key);
const found = [planned()];
course.put("exercises", "first", { solved: true });
found.push(planned(), Math.round((repeat.planned()[0].due - Date.now()) / 86400e3));
course.put("exercises", "again", { solved: true });
course.replace("{}");
course.put("exercises", "again", { solved: true });
course.put("exercises", "first", { solved: true });
found.push(planned());
report(found);
"""


OF_A_PAGE = """
const key = "torch-jit-abcdef";
course.put("predictions", key, { said: ["4"], at: 1 });
repeat.missed("predictions", key, "How often?");
const { day: _, ...plan } = course.get("predictions", key).again;
course.change("predictions", key, { again: { ...plan, due: 1 } });
const link = document.querySelector(".course-repeat li a");
report([link.textContent, new URL(link.href).pathname.split("/").slice(-2).join("/"), new URL(link.href).hash]);
"""


def test_a_prediction_of_a_page_that_is_no_lesson_comes_back_there(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "_toc.yml").write_text("root: index\nchapters: [{file: book/torch}]\n", encoding="utf-8")
    box = "```{predict}\nWhy?\n```\n"
    text = f"# From elsewhere\n\n(torch-jit)=\n## Jit\n\n{box}"
    (tmp_path / "book" / "torch.md").write_text(text, encoding="utf-8")
    pages = site_entrance.pages_script(Course(tmp_path))
    (digest,) = re.findall(r'"predictions":{"torch-jit":"(\w{6})"}', pages)
    lesson = site_entrance.Card("01_one", "One", "a", Minutes(5, 0), (), {})
    script = f"<script>{site_entrance.lessons_script([lesson])}{pages}</script>"
    names = ("record.js", "store.js", "repeat.js"), ("progress.js", "transfer.js")
    before, after = ("".join(f"<script>{(STATIC / one).read_text('utf-8')}</script>" for one in each) for each in names)
    asked = OF_A_PAGE.replace("abcdef", digest)
    found = run(tmp_path, f"{site_entrance.PROGRESS}{before}{script}{after}<script>{asked}</script>")
    assert found == ["Prediction in “From elsewhere”: How often?", "book/torch.html", f"#predict-torch-jit-{digest}"]


def test_it_comes_in_some_days_to_whoever_has_solved_that_one_and_not_it(tmp_path: Path) -> None:
    asked: Any = {"first": "First", "again": "Again"}
    lesson = site_entrance.Card("page", "Page", "a", Minutes(5, 0), (), asked, repeats={"again": "first"})
    names = ("record.js", "store.js", "repeat.js"), ("progress.js", "transfer.js")
    before, after = ("".join(f"<script>{(STATIC / one).read_text('utf-8')}</script>" for one in each) for each in names)
    script = f"<script>{site_entrance.lessons_script([lesson])}</script>"
    begun, planned, days, none = run(tmp_path, f"{before}{script}{after}<script>{PLAN}</script>")
    assert begun == [] and planned == ["again"] and days in (2, 3) and none == []
