"""Exercises that are answered on a page: the verdict there is the one that `check` gives, for the same answer."""

import ast
import math
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from play_browser import differing, in_page, run

from jaxcourse.course import Course, Lesson
from jaxcourse.exercise import Exercise, judge
from jaxcourse.markup import marked
from jaxcourse.prediction import Mistake, Prediction, anything_else, prediction, with_right_answer
from jaxcourse.probe import local_channel

BOOK = Path(__file__).parents[2] / "book"
sys.path.insert(0, str(BOOK / "_ext"))
site_answers = pytest.importorskip("site_answers")

COURSE = Course(BOOK.parent)
EACH = 12
"""How many random answers each exercise gets, besides all that it lists."""
ODD = ["None", "True", "'abc'", "(1, 'a')", "[1, 2]", "3.5", "()", "(3)", "3,", "((1, 2), 3)", "-0.0", "2**63", "nan"]
"""What fits few fields, or none."""
NAMES = {"nan": math.nan, "inf": math.inf, "__builtins__": {"float": float}}

USE = """
const fill = (entry, text) => {
  const radio = [...entry.querySelectorAll("input[type=radio]")].find((one) => one.value === text);
  const control = entry.querySelector("input[type=text], select");
  if (radio) radio.checked = true;
  if (control) control.value = text;
};
const told = (form) => {
  const part = (name) => form.querySelector(`.answers-verdict ${name}`);
  return {
    head: part("strong").textContent,
    message: part(".answers-message")?.innerHTML ?? "",
    see: part("a")?.textContent ?? "",
  };
};
const answered = (name, texts) => {
  const form = document.querySelector(`[id="${name}"] form`);
  [...form.querySelectorAll(".answers-entry")].forEach((entry, i) => fill(entry, texts[i]));
  form.requestSubmit();
  return told(form);
};
"""
"""What a reader does: fill in the fields, press the button, read."""


def values() -> dict[str, tuple[Exercise, Lesson]]:
    """The exercises of the course that take a value, by name."""
    lessons = [COURSE.lesson(path.stem) for path in COURSE.lesson_paths]
    found = {name: (task, lesson) for lesson in lessons for name, task in lesson.exercises.items()}
    return {name: pair for name, pair in found.items() if isinstance(pair[0].check, Prediction)}


def page(*asked: dict[str, Any], more: str = "") -> str:
    """A page with exercises as the site has them, and its scripts at the end."""
    boxes = "".join(
        f'<div class="exercise" id="{one["name"]}"><section>{site_answers.as_script(one)}</section></div>'
        '<div class="solution toggle-hidden">A solution.</div>'
        for one in asked
    )
    scripts = "".join(
        f"<script>{(BOOK / '_static' / name).read_text(encoding='utf-8')}</script>"
        for name in ("record.js", "store.js", "repeat.js", "markup.js", "reader.js", "answers.js")
    )
    return f"{boxes}{more}{scripts}"


def asked(task: Exercise, lesson: Lesson) -> dict[str, Any]:
    return site_answers.asked(task, lesson, f"notebooks/{lesson.stem}")  # type: ignore[no-any-return]


# -- the same verdict as in Python ------------------------------------------------------------------------------


def listed(data: Prediction) -> bool:
    """Whether a field offers all that can be written in it."""
    return data._forms() == {"truth"} or (data._forms() == {"text"} and bool(data.choices))


def spelled(value: Any, data: Prediction, rng: random.Random) -> str:
    """A value as somebody may type it."""
    if listed(data):
        return str(value)
    if isinstance(value, str):
        return rng.choice([repr(value), value, f"  {value.upper()} "])
    if isinstance(value, tuple) and value:
        inside = ", ".join(map(repr, value))
        return rng.choice([repr(value), f"[{inside}]", f"{inside},", f"( {inside} )"])
    if isinstance(value, int) and not isinstance(value, bool):
        return rng.choice([str(value), f"{value:_}", f"{value}.0", f"2 * {value} - {value}", f"+{value}"])
    return repr(value)


def meant(text: str, data: Prediction) -> Any:
    """What Python makes of a text that was typed or chosen: a bare word is a text."""
    if data._forms() == {"text"} and (data.choices or text.strip()[0] not in "'\""):
        return text
    try:
        return eval(text.strip(), NAMES)
    except (NameError, SyntaxError):
        return text


def answers(task: Exercise, rng: random.Random) -> list[list[str]]:
    """What is typed into the fields: all answers that are listed, and random ones."""
    data = task.check
    assert isinstance(data, Prediction)
    right = data.table(data.right)
    wrongs = [data.table(wrong.answer) for wrong in data.wrongs(task.name)]
    also = [right | data.table(data.also)] if data.also is not None else []
    tables = [right, *also, *wrongs]
    pool = {name: [table[name] for table in tables] + list(data.choices) for name in right}
    everything = [value for many in pool.values() for value in many]
    for _ in range(EACH):
        table = {name: rng.choice([right[name], rng.choice(pool[name]), rng.choice(everything)]) for name in right}
        tables.append(table)
    found = []
    for table in tables:
        texts = [spelled(value, data, rng) for value in table.values()]
        if table not in tables[: -EACH or None] and not listed(data) and rng.random() < 0.4:
            texts[rng.randrange(len(texts))] = rng.choice(ODD)
        if not isinstance(data.right, tuple):
            found.append(texts)
        elif len(texts) == len(right):
            found += [[f"({', '.join(texts)})"], [f"{texts[0]}, {texts[0]}, {texts[0]}"], [texts[0]]]
    return found


def expected(task: Exercise, lesson: Lesson, texts: list[str]) -> dict[str, str]:
    """What the panel in a notebook says."""
    data = task.check
    assert isinstance(data, Prediction)
    read = [meant(text, data) for text in texts]
    value = dict(zip(data.right, read, strict=True)) if isinstance(data.right, dict) else read[0]
    verdict = judge(task, local_channel(value))
    head = f"{'✓ Passed' if verdict.status == 'passed' else '✗ Not yet'}: {lesson.title_of(task.name)}"
    message = "Now compare your reasoning with the solution." if verdict.status == "passed" else verdict.message
    title = lesson.again(task.name, verdict.see)[0] if verdict.see else ""
    return {"head": head.replace("`", ""), "message": marked(message), "see": title.replace("`", "")}


def test_the_verdict_is_that_of_check(tmp_path: Path) -> None:
    tasks, rng = values(), random.Random(0)
    cases = [(name, texts) for name, (task, _) in tasks.items() for texts in answers(task, rng)]
    wanted = [expected(*tasks[name], texts) for name, texts in cases]
    ask = f"<script>{USE}report({in_page(cases)}.map(([name, texts]) => answered(name, texts)));</script>"
    found = run(tmp_path, page(*(asked(*pair) for pair in tasks.values())) + ask)
    passed = sum("Passed" in want["head"] for want in wanted)
    assert tasks and len(wanted) > 20 * len(tasks) and passed > len(tasks)
    if problems := differing(zip(cases, wanted, found, strict=True)):
        pytest.fail(problems)


# -- what is typed ----------------------------------------------------------------------------------------------


def term(rng: random.Random, depth: int) -> str:
    """A random expression of numbers."""
    if not depth or rng.random() < 0.2:
        short = [str(rng.randrange(12)), f"{rng.random() * 9:.3g}"]
        return rng.choice([*short, "1e3", "2_000", ".5", "7.", "0x1F", "1E-2"])
    sign = rng.choice(["+", "-", "*", "/", "//", "%", "**", " + ", " * "])
    whole = f"{term(rng, depth - 1)}{sign}{term(rng, depth - 1)}"
    return rng.choice([whole, whole, f"({whole})", f"-{whole}", f"-({whole})"])


def computed(text: str) -> Any:
    """What Python makes of it; nothing where it raises, is no number for a field, or may be a tower of powers."""
    try:
        powers = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Pow)]
        value = eval(text, NAMES) if len(powers) < 2 and not re.search(r"\*\*.*(000|1F|[*/+])", text) else None
    except (ZeroDivisionError, OverflowError):
        return None
    return None if value is None or isinstance(value, complex) or abs(value) > 1e200 else value


def one_of_many(texts: list[str], right: list[Any]) -> Exercise:
    """An exercise whose entries are these values."""
    task = prediction("many", hint="h", see="s", mistakes=[], otherwise="")
    return with_right_answer(
        task, {f"{i}: {text}": value for i, (text, value) in enumerate(zip(texts, right, strict=True))}
    )


def test_expressions_have_the_value_that_python_gives_them(tmp_path: Path) -> None:
    rng = random.Random(1)
    texts = [term(rng, rng.randrange(1, 4)) for _ in range(700)]
    texts = [text for text in texts if computed(text) is not None]
    texts += ["float('nan')", "np.nan", "-inf", "float('-inf')", "(1, 2.5)", "[1]", "()", "((1, 2), (3, 4))", "1,"]
    right = [eval(text.replace("np.", ""), NAMES) for text in texts]
    texts += ["sqrt(2)", "np.sqrt(2)"]
    right += [math.sqrt(2)] * 2
    task = one_of_many(texts, right)
    lesson = COURSE.lesson(next(iter(COURSE.exercises())))
    ask = f"<script>{USE}report(answered('many', {in_page(texts)}));</script>"
    found = run(tmp_path, page(asked(task, lesson)) + ask)
    assert len(texts) > 300
    assert found["head"] == "✓ Passed: many", found["message"]


UNREAD = {
    "(3, 4": "a bracket is not closed",
    "3, 4)": "<code>)</code> does not belong there",
    "'three": "a quotation mark is not closed",
    "threes": "<code>threes</code> is a name, and no value",
    "3 bananas": "<code>bananas</code> does not belong there",
    "3 or 4": "it is more than one number",
    "3-10": "it is more than one number",
    "1,00,000": "<code>1,00,000</code> can be read in more than one way",
    "1024 MB": "<code>MB</code> does not belong there",
    "1 / 0": "it divides by zero",
    "5 % 0.0": "it divides by zero",
    "9**9**9": "that number is too large",
    "10.0**400": "that number is too large",
    "(-8)**0.5": "it is a root of a negative number",
    "2 +": "something is missing at its end",
    "24 bytes": "<code>bytes</code> does not belong there",
    "3 = 4": "<code>=</code> does not belong there",
    "len(x)": "<code>x</code> is a name, and no value",
    "abs(3)": "<code>abs(...)</code> is not computed on this page",
    "'a' + 1": "<code>+</code> stands between two numbers",
    "-'a'": "<code>-</code> stands before a number",
}

ASK = """
const form = document.querySelector("form");
const one = (text) => {
  form.querySelector("input").value = text;
  form.requestSubmit();
  return [told(form).message, form.querySelector("input").getAttribute("aria-invalid")];
};
const unread = texts.map(one);
const kept = course.get("exercises", "number");
report({ unread, kept, right: one("3"), empty: one(" "), dots: one("...") });
"""


def test_what_cannot_be_read_is_said_and_not_judged(tmp_path: Path) -> None:
    task = with_right_answer(prediction("number", hint="h", see="s", mistakes=[], otherwise="No."), 3)
    data = asked(task, COURSE.lesson(next(iter(COURSE.exercises()))))
    found = run(tmp_path, page(data) + f"<script>{USE}const texts={in_page(list(UNREAD))};{ASK}</script>")
    want = [
        [f"<code>{text}</code> cannot be read: {why}. Write a number, as in Python.", "true"]
        for text, why in UNREAD.items()
    ]
    assert found["unread"] == want
    assert "kept" not in found, "what cannot be read is no attempt"
    assert found["right"] == ["Now compare your reasoning with the solution.", None]
    assert found["empty"][0] == found["dots"][0] == "Nothing is filled in yet."


PEOPLES: list[tuple[Any, str, str]] = [
    *((3, "number", text) for text in ("three", "2 + 1", "3.0", "6/2", "about 3")),
    *((1024, "number", text) for text in ("1,024", "1 024", "2^10", "2**10", "1.024k", "1_024")),
    *((0.5, "number", text) for text in ("0,5", "half", "50 %", "1/2", "½")),
    *((5 * 10**10, "number", text) for text in ("5x10^10", "5*10**10", "fifty billion", "50 000 000 000", "5e10")),
    *(((3, 4), "pair", text) for text in ("(3, 4)", "3, 4", "3 4", "3x4", "3 by 4", "(3, 2**2)")),
    *((1024, "bytes", text) for text in ("1024 bytes", "1 KiB", "1.024 kB", "1024 B")),
]


def test_numbers_are_read_as_people_write_them_too(tmp_path: Path) -> None:
    forms = {"number": ["number"], "bytes": ["number"], "pair": ["numbers"]}
    given = [[text, forms[kind], {"unit": "bytes"} if kind == "bytes" else {}] for _, kind, text in PEOPLES]
    ask = f"{in_page(given)}.map((one) => reader.read(...one)).map((one) => [one].flat().map(Number))"
    script = (BOOK / "_static" / "reader.js").read_text(encoding="utf-8")
    found = run(tmp_path, f"<script>{script}</script><script>report({ask});</script>")
    wanted = [list(right) if isinstance(right, tuple) else [right] for right, *_ in PEOPLES]
    assert not (problem := differing(zip(PEOPLES, wanted, found, strict=True))), problem


# -- the page ---------------------------------------------------------------------------------------------------

WAY = site_answers.way_to_notebook("double-it", "https://example.org/a.ipynb")

READ = """
course.replace("{}");
const form = document.querySelector("form");
const [hint, show] = form.querySelectorAll("button[type=button]");
const seen = [form.querySelector("legend").textContent, form.querySelectorAll("input:not([type=radio])").length];
const unnamed = [...form.querySelectorAll("input, select")].filter((one) => !one.labels.length).length;
const radios = [...form.querySelectorAll("fieldset fieldset")].map((one) => one.querySelector("legend").textContent);
const shown = form.textContent;
const hints = [1, 2, 3].map(() => {
  hint.click();
  return [form.querySelectorAll("li").length, hint.textContent, hint.getAttribute("aria-disabled")];
});
const partly = answered("flags", ["True", ""]);
const wrong = answered("flags", ["True", "True"]);
const { tried } = course.get("exercises", "flags");
const before = course.isSolved("flags");
const passed = answered("flags", ["True", "False"]);
const solved = [before, course.isSolved("flags"), form.querySelector(".answers-solved").textContent];
const planned = repeat.planned().map(({ key, step }) => [key, step]);
answered("flags", ["True", "True"]);
const gone = [course.isSolved("flags"), form.querySelector(".answers-solved").textContent];
answered("flags", ["True", "False"]);
show.click();
const solution = document.querySelector(".solution");
const revealed = [solution.className, document.activeElement === solution];
const tick = document.querySelector(".answers-notebook input");
tick.click();
const ticked = [course.isSolved("double-it"), document.querySelector("[data-solved]").textContent];
tick.click();
const again = [course.isSolved("double-it"), document.querySelector("[data-solved]").textContent];
const later = { planned, gone };
report({ seen, unnamed, radios, shown, hints, partly, wrong, tried, passed, solved, revealed, ticked, again, later });
"""


@pytest.fixture(scope="module")
def flags() -> dict[str, Any]:
    task = prediction(
        "flags",
        hint=["Look at `a`.", "Look at b."],
        see="strides",
        mistakes=[Mistake("b-is-true", {"b": anything_else()}, "`b` is <not>.", see="views")],
        otherwise="",
    )
    return asked(with_right_answer(task, {"a": True, "b": False}), COURSE.lesson(next(iter(COURSE.exercises()))))


@pytest.mark.lessons("10_memory_layout")  # it reads again there
def test_a_reader_answers_on_the_page(flags: dict[str, Any], tmp_path: Path) -> None:
    more = f'{WAY}<span data-solved="double-it"></span>'
    found = run(tmp_path, page(flags, more=more) + f"<script>{USE}{READ}</script>")
    assert found["seen"] == ["Your answer", 0] and found["unnamed"] == 0
    assert found["radios"] == ["a", "b"] and "not>" not in found["shown"]
    assert found["hints"] == [[1, "Hint (1 left)", "false"], [2, "No more hints", "true"], [2, "No more hints", "true"]]
    assert found["partly"]["message"] == "Fill in every entry first. Still empty: <code>b</code>."
    assert found["wrong"] == {
        "head": "✗ Not yet: flags",
        "message": "<code>b</code> is &lt;not&gt;. 1 of 2 is right.",
        "see": flags["sections"]["views"]["title"].replace("`", ""),
    }
    assert found["tried"] == {"a": "True", "b": "True"}
    assert found["passed"]["head"] == "✓ Passed: flags"
    assert found["solved"] == [False, True, "✓ Solved"] and found["later"]["gone"] == [False, ""]
    assert found["later"]["planned"] == [["flags", 0]], "it took two tries"
    assert found["revealed"] == ["solution", True]
    assert found["ticked"] == [True, "✓ solved"] and found["again"] == [False, ""]


DUE = """<script>
const again = { step: 1, due: Date.now() - 1, words: "" };
course.put("exercises", "flags", { tried: { a: "True", b: "False" }, again });
location.hash = "#flags";
</script>"""

DUE_READ = """
const checked = document.querySelectorAll(":checked").length;
answered("flags", ["True", "False"]);
const plan = () => course.get("exercises", "flags").again;
const { step, due } = plan();
answered("flags", ["True", "False"]);
const after = plan().step;
course.change("exercises", "flags", { again: { step: 3, due: 0 } });
answered("flags", ["True", "False"]);
report({ checked, step, days: Math.ceil((due - Date.now()) / 86400e3), after, done: Object.keys(plan()) });
"""


def test_who_comes_to_repeat_begins_with_empty_fields_and_is_asked_again_later(
    flags: dict[str, Any], tmp_path: Path
) -> None:
    body = page(flags)
    cut = body.index("<script>// Exercises")
    found = run(tmp_path, f"{body[:cut]}{DUE}{body[cut:]}<script>{USE}{DUE_READ}</script>")
    assert found == {"checked": 0, "step": 2, "days": 7, "after": 2, "done": ["done"]}


NEXT = """<script>
const next = { words: "exercise 1.2, <b>", address: "x.html#y" };
window.courseStanding = (name) => ({ share: 0.25, words: `1 of 4 after ${name}`, next });
course.change("exercises", "double-it", { again: { step: 1, due: Date.now() - 1, words: "" } });
</script>"""

NEXT_READ = """
const place = document.querySelector(".answers-notebook + [role=status]");
const due = place.textContent;
answered("flags", ["True", "True"]);
const verdict = document.querySelector(".answers-verdict");
const wrong = verdict.querySelectorAll(".answers-bar").length;
answered("flags", ["True", "False"]);
const bar = verdict.querySelector(".answers-bar");
const shown = [bar.getAttribute("aria-hidden"), bar.firstChild.style.width, bar.parentElement.textContent];
const link = verdict.querySelector(".answers-next a");
document.querySelector(".answers-notebook input").click();
const ticked = place.textContent;
document.querySelector(".answers-notebook input").click();
report({ due, wrong, shown, next: [link.textContent, link.getAttribute("href")], ticked, off: place.textContent });
"""


def test_a_pass_says_how_much_is_solved_and_leads_on_and_so_does_a_tick(flags: dict[str, Any], tmp_path: Path) -> None:
    body = page(flags, more=WAY)
    cut = body.index("<script>// Exercises")
    found = run(tmp_path, f"{body[:cut]}{NEXT}{body[cut:]}<script>{USE}{NEXT_READ}</script>")
    words = 'You are to do it again. In the notebook, check("double-it", variant=2) checks it on other inputs.'
    assert found["due"] == words and found["wrong"] == 0
    assert found["shown"] == ["true", "25%", " 1 of 4 after flags"], "words stand beside the bar"
    assert found["next"] == ["exercise 1.2, <b>", "x.html#y"]
    assert (
        found["ticked"] == "1 of 4 after double-itNext: exercise 1.2, <b>".replace("1 of", " 1 of") and not found["off"]
    )


KEPT = """<script>
course.put("exercises", "flags", { solved: true, tried: { a: "True", b: "False", gone: "1" } });
</script>"""

KEPT_READ = """
report([document.querySelectorAll(":checked").length, document.querySelector(".answers-solved").textContent]);
"""


def test_what_was_answered_is_still_there(flags: dict[str, Any], tmp_path: Path) -> None:
    body = page(flags, flags | {"name": "other"})
    cut = body.index("<script>// Exercises")
    assert run(tmp_path, f"{body[:cut]}{KEPT}{body[cut:]}<script>{KEPT_READ}</script>") == [2, "✓ Solved"]


def test_what_a_page_is_told_cannot_end_its_script(flags: dict[str, Any]) -> None:
    html = site_answers.as_script(flags | {"hints": ["</script><b>"]})
    assert html.count("<") == 2


def test_links_stay_within_the_site() -> None:
    tasks = values()
    links = [
        (name, section["href"])
        for name, pair in tasks.items()
        for section in site_answers.asked(*pair, f"notebooks/{pair[1].stem}")["sections"].values()
    ]
    assert len(links) >= len(tasks)
    assert [link for link in links if not link[1].startswith(("#", "../notebooks/"))] == []


WHICH = """
const marked = (name) => document.querySelectorAll(`[id="${name}"] form [aria-invalid]`).length;
const found = CASES.map(([name, texts]) => [answered(name, texts).message, marked(name)]);
report(found);
"""


@pytest.mark.lessons("10_memory_layout")
def test_which_entries_are_wrong_is_said_and_marked_unless_that_gives_the_answer_away(tmp_path: Path) -> None:
    lesson = COURSE.lesson(next(iter(COURSE.exercises())))

    def made(name: str, right: Any, **how: Any) -> dict[str, Any]:
        return asked(
            with_right_answer(prediction(name, hint="h", see="", mistakes=[], otherwise="", **how), right), lesson
        )

    tasks = [
        made("shapes", {"a": (1,), "b": (2,), "c": (3,)}),
        made("flags", {"a": True, "b": False, "c": True}),
        made("halves", {"a": "up", "b": "down", "c": "up"}, choices=["up", "down"]),
        made("thirds", {"a": "up", "b": "down", "c": "left"}, choices=["up", "down", "left"]),
        made("pair", (1, 2)),
        made("one", 3),
    ]
    cases = [
        ("shapes", ["(1,)", "(9,)", "(9,)"]),
        ("shapes", ["(9,)", "(9,)", "(9,)"]),
        ("shapes", ["(1,)", "(2,)", "(3,)"]),
        ("flags", ["True", "True", "True"]),
        ("halves", ["up", "up", "up"]),
        ("thirds", ["up", "up", "left"]),
        ("pair", ["(1, 9)"]),
        ("one", ["9"]),
    ]
    found = run(tmp_path, page(*tasks) + f"<script>{USE}const CASES = {in_page(cases)};{WHICH}</script>")
    assert [tuple(one) for one in found] == [
        ("1 of 3 is right; <code>b</code> and <code>c</code> are not.", 2),
        ("None of the 3 is right.", 3),
        ("Now compare your reasoning with the solution.", 0),
        ("2 of 3 are right.", 0),
        ("2 of 3 are right.", 0),
        ("2 of 3 are right; <code>b</code> is not.", 1),
        ("1 of 2 is right; entry 2 is not.", 1),
        ("", 1),
    ]
