"""What a reader does on the site, step by step in a real browser: each step by itself, and all of them in one go."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from built import COURSE
from playwright.sync_api import Locator, Page, expect

from jaxcourse.course import Course

ROOT = Path(__file__).parents[2]
FIRST = next(page for page in Course(ROOT).pages if page.startswith("notebooks/"))
LESSON = "notebooks/10_memory_layout.html"
pytestmark = pytest.mark.lessons("10_memory_layout")
WRONG = {"number": "123457", "shape": "(123, 457)", "numbers": "123 457", "text": "I would say three"}
"""Predictions that no cell fulfils."""


# -- the steps --------------------------------------------------------------------------------------------------


def arrive(page: Page) -> None:
    """Open the site, bet on a map, see without scrolling where to begin, and begin."""
    page.goto("")
    page.wait_for_url("**/book/index.html")
    expect(page.locator(".home")).to_be_hidden()
    begin = page.locator("[data-begin]").first
    expect(begin).to_be_in_viewport(ratio=1)
    page.locator("[data-bet]").get_by_text("Map A").click()
    expect(page.locator(".door-verdict").first).to_contain_text("it is map B")
    begin.click()
    page.wait_for_url(f"**/{FIRST}.html")


def predict(page: Page) -> None:
    """Find an output covered, say what it will be, and be told what the run says of that."""
    page.goto(LESSON)
    form = page.locator("form.predict-form").first
    fields, key, covers = (form.get_attribute(f"data-{name}") or "" for name in ("fields", "key", "covers"))
    cover = page.locator(f"[id='{covers.split()[0]}'] .predict-cover")
    expect(cover.get_by_role("button")).to_be_visible()
    for i, field in enumerate(json.loads(fields)):
        control = form.locator(f"[name='predict-{key}-{i}']").first
        control.click()
        if field["kind"] in WRONG:
            control.fill(WRONG[field["kind"]])
    page.keyboard.press("Enter")
    if "commit once more" in form.locator(".predict-hint").inner_text():
        page.keyboard.press("Enter")
    table = form.locator(".predict-table")
    expect(table).to_contain_text("You said")
    expect(table).to_contain_text("The run says")
    expect(cover).to_have_count(0)
    told = table.inner_text()
    page.goto(LESSON)
    expect(table, "a prediction is kept").to_have_text(told, use_inner_text=True)


def reveal(page: Page) -> None:
    """Have an output shown without a prediction, and open a solution."""
    page.goto(LESSON)
    covers = page.locator(".predict-cover")
    covered = covers.count()
    covers.first.get_by_role("button").click()
    expect(covers).to_have_count(covered - 1)
    solution = page.locator(".solution").first
    inside = solution.locator(".highlight, .cell").first
    expect(inside).to_be_hidden()
    solution.locator(".toggle-button, summary").first.click()
    expect(inside).to_be_visible()


def play(page: Page) -> None:
    """Give a picture an input of one's own, and find it again under the address that a friend is sent."""
    page.goto(LESSON)
    picture = page.locator("form.jaxcourse-play").first
    says, view = picture.get_by_role("status"), picture.locator("[name=view]")
    before = says.inner_text()
    view.fill("x[:, ::-1].T")
    view.press("Tab")
    expect(says).not_to_have_text(before)
    expect(page).to_have_url(re.compile(r"\?.*view"))
    ours, address = says.inner_text(), page.url
    page.goto("about:blank")
    page.goto(address)
    expect(says).to_have_text(ours)


def answer(page: Page) -> None:
    """Answer an exercise with nothing, wrongly and rightly."""
    page.goto(LESSON)
    form = page.locator("form.answers").first
    data = json.loads(form.locator("xpath=following-sibling::script").first.text_content() or "")
    right = [source for _, source in data["right"]]
    wrong = [right[0]] * len(right) if len(set(right)) > 1 else ["123457"] * len(right)
    if data["form"] == "tuple":
        right, wrong = [f"({', '.join(right)},)"], [f"({', '.join(wrong)},)"]
    for sources, verdict in (([], "not_attempted"), (wrong, "wrong"), (right, "passed")):
        for entry, source in zip(form.locator(".answers-entry").all(), sources, strict=False):
            _fill(entry, source)
        form.locator("[type=submit]").click()
        expect(form.get_by_role("status")).to_have_attribute("data-verdict", verdict)
        marks = form.locator("[aria-invalid]:not([type=radio])")
        assert bool(marks.count()) == (verdict == "wrong")
        for mark in marks.all():
            expect(mark, "an eye sees the mark").to_have_css("border-style", "dashed")
    page.goto("book/index.html")
    assert page.evaluate("course.isSolved", data["name"]), "what is solved is kept"


def _fill(entry: Locator, source: str) -> None:
    """Write a value into an answer's field; a choice is chosen."""
    bare = re.sub(r"""^(["'])(.*)\1$""", r"\2", source)
    radio, choice = entry.locator(f'input[type=radio][value="{bare}"]'), entry.locator("select")
    if radio.count():
        radio.check()
    elif choice.count():
        choice.select_option(bare)
    else:
        entry.locator("input[type=text]").fill(source)


def come_from_a_notebook(page: Page) -> None:
    """Arrive with what was solved in a notebook, see it ticked, and go on from the top of the page; read again."""
    page.goto("about:blank")
    page.goto(f"{LESSON}#solved=find-the-slice:3,of-no-lesson")
    expect(page.locator(".course-brought")).to_contain_text("1 exercise that you solved")
    assert "#" not in page.url and page.evaluate("course.isSolved", "find-the-slice")
    page.locator("[data-go-on-here] a").first.click()
    expect(page).to_have_url(re.compile("#."))
    expect(page.locator("p [id='again-find-the-slice'], p[id='again-find-the-slice']")).to_be_attached()
    data = json.loads(page.locator("form.answers + script").first.text_content() or "")
    for link in (section["href"] for section in data["sections"].values()):
        if link.startswith("#"):
            expect(page.locator(f"[id='{link[1:]}']")).to_be_attached()


def repeat(page: Page) -> None:
    """Find on the first page what is due, and the question opened anew."""
    page.goto(LESSON)
    form = page.locator("form.predict-form").first
    key = form.get_attribute("data-key")
    due = {"again": {"step": 0, "due": 1, "words": "Words"}}
    page.evaluate('([key, due]) => course.change("predictions", key, due)', [key, due])
    page.goto("book/index.html")
    page.locator("[data-repeat]").first.click()
    page.locator(f".course-repeat a[href$='#predict-{key}']").first.click()
    page.wait_for_url(f"**/*#predict-{key}")
    expect(form.locator(".predict-hint")).to_have_text(re.compile("^You were wrong here before."))
    expect(form).not_to_contain_class("predict-done")


def bring_an_old_record(page: Page) -> None:
    """Come with what an earlier edition has kept, and lose no repeat of an exercise by opening its lesson."""
    page.goto(LESSON)
    old = {"solved": {"predict-strides": True}, "again": {"predict-strides": {"step": 0, "due": 1, "words": ""}}}
    page.evaluate("(old) => course.replace(old)", json.dumps(old))
    page.goto(LESSON)
    page.goto("book/index.html")
    expect(page.locator(".course-repeat")).to_contain_text("Predict strides")
    assert page.evaluate("JSON.parse(course.text()).v === courseRecord.VERSION")


def search(page: Page) -> None:
    """Search for a word, go to where it stands, and find it marked there."""
    page.goto("search.html?q=strides")
    found = page.locator(".bd-search-container .course-search ol a").first
    expect(found).to_contain_text("stride", ignore_case=True)
    found.click()
    page.wait_for_function('CSS.highlights.get("course-search")?.size')


def find_colab(page: Page) -> None:
    """Find the words that open this lesson in Colab, without scrolling. The link names a notebook that exists."""
    page.goto(LESSON)
    links = page.get_by_role("link", name="Open in Colab").and_(page.locator("[href*='colab.research.google.com']"))
    assert COURSE.colab == "" or links.count()
    for link in links.all():
        expect(link, "it is where a reader sees it first").to_be_in_viewport()
        path = unquote(urlsplit(link.get_attribute("href") or "").path).partition("/blob/")[2].partition("/")[2]
        assert (ROOT / path).is_file(), f"{link} opens a notebook that does not exist"
        assert Path(path).stem == Path(LESSON).stem


def follow_a_path(page: Page) -> None:
    """Choose a path by the keyboard, go on where it begins, and see in a lesson what of it is on the path."""
    page.goto("book/index.html")
    page.locator("[name=course-path]").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".course-paths [role=status]")).to_contain_text("On your path: 0 of")
    page.goto(LESSON)
    expect(page.locator("article .course-way")).to_contain_text("On your path: 0 of")
    label = page.evaluate("courseWay.next().label")
    page.goto("book/index.html")
    page.locator("[data-go-on]").first.click()
    page.wait_for_url(f"**#{label}")
    page.evaluate('course.put("path", "chosen", undefined)')
    expect(page.locator("[data-way]")).to_have_count(0)


def come_back(page: Page) -> None:
    """Come back, see within one screen what to do in thirty minutes, and go to the section that is not read."""
    page.goto(LESSON)
    page.evaluate('course.put("read", "memory_layout", true)')
    page.goto("book/index.html")
    home = page.locator(".home")
    for what in (home.locator("h2"), *home.locator("li").all()):
        expect(what).to_be_in_viewport(ratio=1)
    expect(page.locator(".door").first).to_be_hidden()
    expect(page.locator(".doors .door").first).to_be_visible()
    read = home.locator("li").nth(1).get_by_role("link").first
    address = read.get_attribute("href") or ""
    read.click()
    page.wait_for_url(f"**{address.removeprefix('..')}")
    expect(page.locator(f"[id='{address.partition('#')[2]}']").first).to_be_attached()


FIVE_TIMES = """() => {
  const made = Object.entries(course.all("predictions"));
  const more = made.flatMap(([key, one]) => [1, 2, 3, 4].map((n) => [key.slice(0, -6) + (100000 + n), one]));
  for (const [key, one] of more) course.put("predictions", key, one);
}"""
"""Has the record say that each prediction was made five times: a page needs some, to say something."""


def see_how_well_one_foresees(page: Page) -> None:
    """Predict a time and be told by which factor it was off; find all predictions added up, and a card to save."""
    page.goto(LESSON)
    page.evaluate("course.clear()")
    fields = "form => JSON.parse(form.dataset.fields)"
    forms = page.locator("form.predict-form")
    form = next(one for one in forms.all() if any("factor" in field for field in one.evaluate(fields)))
    for i, field in enumerate(form.evaluate(fields)):
        control = form.locator(f"[name='predict-{form.get_attribute('data-key')}-{i}']").first
        control.click()
        if field["kind"] == "number":
            control.fill(f"{1.2 * field['right']:.4g}" if "factor" in field and field.get("right") else "1")
    page.keyboard.press("Enter")
    expect(form.locator(".predict-table")).to_contain_text("right, off by a factor of 1.2")
    page.evaluate(FIVE_TIMES)
    page.goto("book/index.html")
    page.locator(".home").get_by_role("link", name="How well do you foresee?").click()
    page.wait_for_url("**/foresee.html")
    expect(page.locator(".foresee-sum-here")).to_contain_text("within a factor of 1.2")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as PNG").click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")


def ask_for_evidence(page: Page) -> None:
    """Find a proof behind a dot, have all evidence shown, and find it so on coming back."""
    page.goto(LESSON)
    switch = page.get_by_role("button", name="Evidence", exact=True)
    proof = page.locator(".tag_proof summary").first
    expect(switch).to_have_attribute("aria-pressed", "false")
    assert (proof.bounding_box() or {"width": 0})["width"] < 30
    proof.click()
    expect(page.locator(".tag_proof pre").first).to_be_visible()
    switch.click()
    page.goto(LESSON)
    expect(switch).to_have_attribute("aria-pressed", "true")
    expect(proof).to_be_visible()
    assert (proof.bounding_box() or {"width": 0})["width"] > 60
    switch.click()


def follow_the_map(page: Page) -> None:
    """Go to an exercise by its mark, in the contents or, where these are out of sight, in the fold below the title."""
    page.goto(LESSON)
    expect(page.locator(".lesson-map")).to_have_count(1)
    fold = page.locator(".lesson-map summary")
    if fold.is_visible():
        fold.click()
    mark = page.locator(".map-exercise:visible").first
    name = mark.get_attribute("title") or ""
    mark.click()
    region = page.get_by_role("region", name=name, exact=True)
    expect(region).to_be_in_viewport()
    expect(region.get_by_role("heading", name=name, exact=True)).to_have_count(1)


def find_where_to_begin(page: Page) -> None:
    """Answer by the keyboard, take back what was known in its lesson, and leave no trace."""
    page.goto("book/where_do_i_begin.html")
    page.get_by_role("button", name="Begin with the questions").press("Enter")
    heading = page.locator(".placement-stage h2").first
    expect(heading).to_be_focused()
    expect(heading).to_contain_text("Question 1")
    page.keyboard.press("Tab")
    page.keyboard.type("(4, 3, 9)")
    page.keyboard.press("Enter")
    expect(page.locator(".placement-stage [role=status]")).to_contain_text("Right")
    expect(page.get_by_role("button", name="Go on")).to_be_focused()
    page.keyboard.press("Enter")
    expect(heading).to_contain_text("Question 2")
    page.get_by_role("button", name="Stop here").press("Enter")
    expect(heading).to_have_text("Where you begin")
    expect(heading).to_be_focused()
    expect(page.get_by_role("checkbox", name="11: The rule")).to_be_checked()
    page.goto("notebooks/11_broadcasting.html#rule")
    page.get_by_role("button", name="I don't know it yet: The rule").press("Enter")
    expect(page.get_by_role("button", name="I don't know it yet: The rule")).to_have_count(0)
    page.evaluate('Object.keys(course.all("known")).forEach((label) => course.put("known", label, undefined))')


STEPS = (
    *(arrive, predict, play, reveal, answer, come_from_a_notebook, repeat, bring_an_old_record, search, find_colab),
    *(follow_a_path, come_back, see_how_well_one_foresees, ask_for_evidence, follow_the_map, find_where_to_begin),
)


# -- the tests --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_a_step_by_itself(page: Page, step: Callable[[Page], None]) -> None:
    step(page)


def test_all_in_one_go_on_a_phone(page: Page, complaints: list[str], elsewhere: list[str]) -> None:
    """With what is kept from step to step, and not a word in the console."""
    page.set_viewport_size({"width": 390, "height": 900})
    for step in STEPS:
        step(page)
    assert complaints == []
    assert elsewhere == []
