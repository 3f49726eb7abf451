"""What a reader does on the site, step by step in a real browser: each step by itself, and all of them in one go."""

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from browser import Page
from built import COURSE

from jaxcourse.course import Course

ROOT = Path(__file__).parents[2]
FIRST = next(page for page in Course(ROOT).pages if page.startswith("notebooks/"))
LESSON = "notebooks/01_memory_layout.html"
pytestmark = pytest.mark.lessons("01_memory_layout")
WRONG = {"number": "123457", "shape": "(123, 457)", "numbers": "123 457", "text": "I would say three"}
"""Predictions that no cell fulfils."""

SHOWN = """((one) => Boolean(one?.checkVisibility({visibilityProperty: true, opacityProperty: true})))"""
FORM = 'document.querySelector("form.predict-form")'
PLAY = 'document.querySelector("form.jaxcourse-play")'
ANSWERS = 'document.querySelector("form.answers")'


# -- the steps --------------------------------------------------------------------------------------------------


def arrive(page: Page, site: str) -> None:
    """Open the site, see without scrolling where to begin, and begin."""
    page.open(f"{site}/")
    page.until('location.pathname.endsWith("/book/index.html")')
    page.settle()
    assert page.run("document.querySelector('[data-begin]').getBoundingClientRect().bottom") < 900
    page.click("[data-begin]")
    page.until(f'location.pathname.endsWith("/{FIRST}.html")')
    page.settle()


def predict(page: Page, site: str) -> None:
    """Find an output covered, say what it will be, and be told what the run says of that."""
    page.open(f"{site}/{LESSON}")
    covered = f'document.getElementById({FORM}.dataset.covers.split(" ")[0])'
    assert page.run(f'Boolean({covered}.querySelector(".predict-cover button"))'), "the output is not covered"
    fields = json.loads(page.run(f"{FORM}.dataset.fields"))
    key = page.run(f"{FORM}.dataset.key")
    for i, field in enumerate(fields):
        control = f'form.predict-form [name="predict-{key}-{i}"]'
        page.click(control)
        if field["kind"] in WRONG:
            page.type(WRONG[field["kind"]])
    page.press("Enter")
    if page.run(f'{FORM}.querySelector(".predict-hint").textContent.includes("commit once more")'):
        page.press("Enter")
    page.until(f'{FORM}.querySelector(".predict-table")')
    told = page.run(f'{FORM}.querySelector(".predict-table").innerText')
    assert "You said" in told and "The run says" in told
    assert not page.run(f'Boolean({covered}.querySelector(".predict-cover"))'), "the output is still covered"
    page.open(f"{site}/{LESSON}")
    page.until(f'{FORM}.querySelector(".predict-table")')
    assert page.run(f'{FORM}.querySelector(".predict-table").innerText') == told, "a prediction is not kept"


def reveal(page: Page, site: str) -> None:
    """Have an output shown without a prediction, and open a solution."""
    page.open(f"{site}/{LESSON}")
    page.run('document.querySelectorAll(".predict-cover")[0].parentElement.id = "covered"')
    page.click("#covered .predict-cover button")
    page.until('!document.querySelector("#covered .predict-cover")')
    inside = 'document.querySelector(".solution .highlight, .solution .cell")'
    assert not page.run(f"{SHOWN}({inside})"), "a solution is to be seen before it is asked for"
    page.click(".solution .toggle-button, .solution summary")
    page.until(f"{SHOWN}({inside})")


def play(page: Page, site: str) -> None:
    """Give a picture an input of one's own, and find it again under the address that a friend is sent."""
    page.open(f"{site}/{LESSON}")
    page.until(f'!{PLAY}.querySelector("fieldset").disabled')
    says = f'{PLAY}.querySelector("[role=status]").textContent'
    before = page.run(says)
    page.click("form.jaxcourse-play [name=view]")
    page.run(f'{PLAY}.querySelector("[name=view]").select()')
    page.type("x[:, ::-1].T")
    page.press("Tab")
    page.until(f"{says} !== {json.dumps(before)}")
    ours = page.run(says)
    page.until('location.search.includes("view")')
    address = page.run("location.href")
    page.open("about:blank")
    page.open(address)
    page.until(f"{says} === {json.dumps(ours)}")


def answer(page: Page, site: str) -> None:
    """Answer an exercise with nothing, wrongly and rightly."""
    page.open(f"{site}/{LESSON}")
    data = page.run(f"JSON.parse({ANSWERS}.nextElementSibling.textContent)")
    verdict = f'{ANSWERS}.querySelector("[role=status]")'
    page.click("form.answers [type=submit]")
    page.until(f'{verdict}.dataset.verdict === "not_attempted"')
    right = [source for _, source in data["right"]]
    wrong = [right[0]] * len(right) if len(set(right)) > 1 else ["123457"] * len(right)
    if data["form"] == "tuple":
        right, wrong = [f"({', '.join(right)},)"], [f"({', '.join(wrong)},)"]
    _fill(page, wrong)
    page.click("form.answers [type=submit]")
    page.until(f'{verdict}.dataset.verdict === "wrong"')
    marked = f"[...{ANSWERS}.querySelectorAll('[aria-invalid]:not([type=radio])')]"
    assert page.run(f"{marked}.every((one) => getComputedStyle(one).borderStyle === 'dashed')"), "no eye sees the mark"
    _fill(page, right)
    page.click("form.answers [type=submit]")
    page.until(f'{verdict}.dataset.verdict === "passed"')
    page.open(f"{site}/book/index.html")
    assert page.run(f"window.course.isSolved({json.dumps(data['name'])})"), "what is solved is not kept"


def _fill(page: Page, sources: list[str]) -> None:
    """Write values into the first answer's fields; a choice is chosen."""
    for i, source in enumerate(sources):
        page.run(f"""(() => {{
          const entry = {ANSWERS}.querySelectorAll(".answers-entry")[{i}];
          const text = {json.dumps(source)};
          const bare = text.replace(/^(["'])(.*)\\1$/, "$2");
          const radio = entry.querySelector(`input[type=radio][value="${{bare}}"]`);
          const control = entry.querySelector("select, input[type=text]");
          if (radio) radio.checked = true;
          else if (control.matches("select")) control.value = bare;
          else control.value = text;
        }})()""")


def come_from_a_notebook(page: Page, site: str) -> None:
    """Arrive with what was solved in a notebook, see it ticked, and go on from the top of the page; read again."""
    page.open("about:blank")
    page.open(f"{site}/{LESSON}#solved=find-the-slice:3,of-no-lesson")
    assert "1 exercise that you solved" in page.run('document.querySelector(".course-brought").innerText')
    assert page.run("location.hash") == "" and page.run('course.isSolved("find-the-slice")')
    page.click("[data-go-on-here] a")
    page.until("location.hash.length > 1")
    assert page.run('Boolean(document.getElementById("again-find-the-slice").closest("p"))')
    again = f"{ANSWERS}.nextElementSibling.textContent"
    links = page.run(f"Object.values(JSON.parse({again}).sections).map((one) => one.href)")
    assert all(page.run(f"Boolean(document.querySelector({json.dumps(link)}))") for link in links if link[0] == "#")


def repeat(page: Page, site: str) -> None:
    """Find on the first page what is due, and the question opened anew."""
    page.open(f"{site}/{LESSON}")
    key = page.run(f"{FORM}.dataset.key")
    page.run(f'course.change("predictions", "{key}", {{ again: {{ step: 0, due: 1, words: "Words" }} }})')
    page.open(f"{site}/book/index.html")
    page.click("[data-repeat]")
    page.click(f'.course-repeat a[href$="#predict-{key}"]')
    page.until(f'location.hash === "#predict-{key}"')
    page.settle()
    assert page.run(f'{FORM}.querySelector(".predict-hint").innerText').startswith("You were wrong here before.")
    assert not page.run(f'{FORM}.matches(".predict-done")')


def bring_an_old_record(page: Page, site: str) -> None:
    """Come with what an earlier edition has kept, and lose no repeat of an exercise by opening its lesson."""
    page.open(f"{site}/{LESSON}")
    old = {"solved": {"predict-strides": True}, "again": {"predict-strides": {"step": 0, "due": 1, "words": ""}}}
    page.run(f"course.replace({json.dumps(json.dumps(old))})")
    page.open(f"{site}/{LESSON}")
    page.open(f"{site}/book/index.html")
    page.until('document.querySelector(".course-repeat li")')
    assert "Predict strides" in page.run('document.querySelector(".course-repeat").innerText')
    assert page.run("JSON.parse(course.text()).v") == 2


def search(page: Page, site: str) -> None:
    """Search for a word, go to where it stands, and find it marked there."""
    page.open(f"{site}/search.html?q=strides")
    page.until('document.querySelector(".bd-search-container .course-search ol a")')
    assert "stride" in page.run('document.querySelector(".course-search ol a").innerText.toLowerCase()')
    page.click(".bd-search-container .course-search ol a")
    page.until('CSS.highlights.get("course-search")?.size')


def find_colab(page: Page, site: str) -> None:
    """Find the words that open this lesson in Colab, without scrolling. The link names a notebook that exists."""
    page.open(f"{site}/{LESSON}")
    links = page.run(f"""
      [...document.querySelectorAll('a[href*="colab.research.google.com"]')]
        .filter((one) => {SHOWN}(one) && /open in colab/i.test(one.innerText) && one.getBoundingClientRect().top < 900)
        .map((one) => one.href)
    """)
    assert links or not COURSE.colab, "no link says Open in Colab where a reader sees it first"
    for link in links:
        path = unquote(urlsplit(link).path).partition("/blob/")[2].partition("/")[2]
        assert (ROOT / path).is_file(), f"{link} opens a notebook that does not exist"
        assert Path(path).stem == Path(LESSON).stem


STEPS = (arrive, predict, play, reveal, answer, come_from_a_notebook, repeat, bring_an_old_record, search, find_colab)


# -- the tests --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_a_step_by_itself(page: Page, site: str, step: Callable[[Page, str], None]) -> None:
    step(page, site)


def test_all_in_one_go_on_a_phone(page: Page, site: str) -> None:
    """With what is kept from step to step, and not a word in the console."""
    page.look(width=390, height=900)
    for step in STEPS:
        step(page, site)
    assert page.complaints == []
    assert page.elsewhere() == []
