"""What is kept of a prediction, and what a page makes of all that a reader has foreseen."""

import json
import sys
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from play.play_browser import in_page, run
from predict.test_prediction_forms import CHOICE, GIGA, MEASURED, NOWHERE, NUMBER, SEVERAL, TEXT, scripts

from jaxcourse.course import Course
from jaxcourse_author.concepts import Stop
from jaxcourse_author.lesson import Minutes, Section, read_lesson
from jaxcourse_author.lesson.elsewhere import Elsewhere

COURSE = Course(Path(__file__).parents[2])
STATIC = COURSE.root / "book" / "_static"
sys.path.insert(0, str(COURSE.root / "book" / "_ext"))
site_foresee, site_paths = pytest.importorskip("site_foresee"), pytest.importorskip("site_paths")


def stop(place: int, stem: str, label: str, minutes: float) -> Stop:
    """A section by hand."""
    section = Section(label, f"On `{label}`", 2, range(0), Minutes(minutes, 0), ())
    return Stop(place, stem, section, 0.0, (), frozenset())


# -- what is kept -----------------------------------------------------------------------------------------------

FACTORS = [
    (MEASURED, "8", "right", 1.0),
    (MEASURED, "10", "right, off by a factor of 1.3", 1.25),
    (MEASURED, "4", "right, off by a factor of 2", 0.5),
    (MEASURED, "100", "off by a factor of 12.5", 12.5),
    (MEASURED, "-8", "not so", None),
    (MEASURED, "0", "not so", None),
    (GIGA, "42.7 MB/s", "off by a factor of 1,240", 0.000804),
    ({**MEASURED, "right": 8e-3, "unit": "seconds"}, "2 ms", "off by a factor of 4", 0.25),
    ({**MEASURED, "right": 8e-3, "unit": "seconds"}, "12 ms", "right, off by a factor of 1.5", 1.5),
    (NUMBER, "2048", "not so", 2.0),
    (NOWHERE, "100", "not so", None),
    (CHOICE, "a copy", "not so", None),
    ({**NUMBER, "right": 5e-324}, "1e300", "not so", None),
]


def test_a_verdict_says_by_which_factor_a_number_is_off(tmp_path: Path) -> None:
    ask = "cases.map(([field, said]) => predict.judge(field, said)).map(({ verdict, off }) => [verdict, off ?? null])"
    given = in_page([[field, said] for field, said, *_ in FACTORS])
    found = run(tmp_path, f"{scripts()}<script>const cases={given}; report({ask});</script>")
    assert [[words, off and float(f"{off:.3g}")] for words, off in found] == [
        [words, off] for *_, words, off in FACTORS
    ]


FIELDS: list[dict[str, Any]] = [
    {**field, "ask": f"field {i}", "shown": "8"}
    for i, field in enumerate((MEASURED, CHOICE, SEVERAL, TEXT, {**MEASURED, "open": True}))
]
CONTROLS = (
    '<input type="text" name="predict-{key}-0">'
    '<input type="radio" name="predict-{key}-1" value="a view">'
    '<input type="radio" name="predict-{key}-1" value="a copy">'
    '<input type="checkbox" name="predict-{key}-2" value="a"><input type="checkbox" name="predict-{key}-2" value="b">'
    '<input type="checkbox" name="predict-{key}-2" value="c">'
    '<input type="text" name="predict-{key}-3"><input type="text" name="predict-{key}-4">'
)
FORM = """<section><h2>Rates</h2><div><p>How many?</p>
<form class="predict-form" data-key="%(key)s" data-covers="out-%(key)s" data-fields="%(fields)s" novalidate>
%(inputs)s<p class="predict-hint"></p><button type="submit">Commit</button>
<button type="button" data-do="show">Show me</button>
<div class="predict-told"></div></form></div>
<div id="out-%(key)s" class="predict-output"><pre>8</pre></div></section>"""


def form(key: str) -> str:
    """A prediction box as a page has it."""
    return FORM % {"key": key, "fields": escape(json.dumps(FIELDS)), "inputs": CONTROLS.format(key=key)}


KEEPING = """
addEventListener("DOMContentLoaded", () => {
  const forms = [...document.querySelectorAll("form")];
  const kept = (form) => {
    const { at, again, first: early = {}, ...rest } = course.get("predictions", form.dataset.key) ?? {};
    const { at: when, ...first } = early;
    return { ...rest, first, isNow: Math.abs(when - Date.now()) < 60e3, when: when ?? null };
  };
  const answer = (form, number, choice, ...marked) => {
    const all = [...form.querySelectorAll("input")];
    all[0].value = number;
    for (const one of all) if (one.type !== "text") one.checked = [choice, ...marked].includes(one.value);
    [all.at(-2).value, all.at(-1).value] = ["so", "5"];
    form.requestSubmit();
  };
  const again = (form) => form.querySelector(".predict-told button").click();
  const [fresh, shown, old, looked] = forms;
  const found = { old: kept(old), looked: kept(looked) };
  answer(fresh, "100", "a copy", "a", "c");
  found.fresh = kept(fresh);
  again(fresh);
  answer(fresh, "8", "a view", "a", "b");
  found.again = kept(fresh);
  shown.querySelector("[data-do=show]").click();
  again(shown);
  answer(shown, "8", "a view", "a", "b");
  found.shown = kept(shown);
  again(looked);
  answer(looked, "8", "a view", "a", "b");
  found.restarted = kept(looked);
  report(found);
});
"""


def test_what_is_said_before_the_output_is_seen_is_kept_as_foresight(tmp_path: Path) -> None:
    keys = ["fresh-000001", "shown-000002", "old-000003", "looked-000004"]
    was = {"v": 2, "predictions": {keys[2]: {"said": ["2", "a view", ["a", "b"], "so", "5"], "at": 7}}}
    was["predictions"][keys[3]] = {"shown": True, "at": 8}
    store = f"<script>localStorage.setItem('course /', {in_page(json.dumps(was))})</script>"
    body = f"{store}{''.join(map(form, keys))}{scripts()}<script>{KEEPING}</script>"
    found = run(tmp_path, body)
    first = [
        {"right": False, "off": 12.5, "slips": ["more"]},
        {"right": False, "slips": ["a copy"]},
        {"right": False, "slips": ["b", "c"]},
    ]
    assert found["fresh"]["first"] == {"of": first} and found["fresh"]["known"] and found["fresh"]["isNow"]
    assert found["again"]["first"] == {"of": first}, "who answers again knows what the run says"
    assert found["again"]["said"][0] == "8"
    assert found["shown"]["first"] == {} and found["restarted"]["first"] == {}, "nor is it foresight after a look"
    of = [{"right": False, "off": 0.25, "slips": ["less"]}, {"right": True}, {"right": True}]
    assert found["old"]["first"] == {"of": of} and found["old"]["when"] == 7, "what an earlier edition kept is judged"
    assert found["looked"]["known"] and found["looked"]["first"] == {}


# -- the page ---------------------------------------------------------------------------------------------------

DATA = {
    "title": "Shards & <co>",
    "site": "",
    "ideas": [["Shapes", ["rule", "pairs"]], ["Speed", ["pairs", "race"]], ["Rare", ["rare"]], ["Never", ["never"]]],
    "habits": [["You line up `shapes`.", "rule", {"rule": ["(3,)"], "pairs": ["less", "more"]}]],
}
DAY = 86_400_000


def foreseen(label: str, number: int, at: int, **judged: Any) -> tuple[str, Any]:
    """A prediction with one field, made at some day."""
    return f"{label}-{number:06x}", {"at": at, "known": True, "first": {"at": at * DAY, "of": [judged]}}


RIGHT, MISSED = {"right": True}, {"right": False, "slips": ["(3,)"]}
FEW = dict([foreseen("rule", 1, 2, **RIGHT), foreseen("rule", 2, 1, **MISSED)])
FEW["rare-00000a"] = {"said": ["3"], "at": 3}
MANY = dict(
    [
        *(foreseen("rule", i, i, **(MISSED if i < 3 else RIGHT)) for i in range(1, 9)),
        *(
            foreseen("pairs", i, i, right=i > 9, off=0.25, slips=[] if i > 9 else ["less", "more"])
            for i in range(9, 12)
        ),
        *(foreseen("race", i, i, right=False, off=2.5, slips=["own"]) for i in range(12, 14)),
        *(foreseen("rare", i, i, right=True, off=1.0) for i in range(14, 15)),
        *(foreseen("elsewhere", i, i, **RIGHT) for i in range(15, 22)),
    ]
)
MANY["rule-0000ff"] = {"said": ["x"], "again": {"step": 0, "due": 1, "words": ""}, "known": True, "at": 5}

PLACES = "".join(f'<div class="foresee-{name}-here"></div>' for name in ("sum", "ideas", "time", "habits", "card"))
SHOWN = """
const words = (one) => one.innerText.replace(/\\s+/g, " ").trim();
const part = (name) => document.querySelector(`.foresee-${name}-here`);
const shown = () => ({
  ...Object.fromEntries(["sum", "ideas", "time", "habits", "card"].map((name) => [name, words(part(name))])),
  rows: [...document.querySelectorAll("tbody tr")].map((row) => [...row.children].map(words)),
  links: [...document.querySelectorAll(".foresee-habits-here a")].map((link) => link.getAttribute("href")),
  text: document.querySelector("textarea")?.value ?? null,
});
const saved = [];
let bothSaved; // a promise, for the page's timers run at once and drawing takes its time
const twoSaved = new Promise((done) => (bothSaved = done));
HTMLAnchorElement.prototype.click = function () {
  if (saved.push([this.download, this.href.split(":")[0]]) === 2) bothSaved();
};
const found = { none: shown() };
for (const [name, predictions] of Object.entries(records)) {
  course.replace(JSON.stringify({ v: name === "few" ? 2 : 3, predictions }));
  found[name] = shown();
}
const press = (which) => [...document.querySelectorAll(".foresee-buttons button")][which].click();
const blobs = [];
const make = URL.createObjectURL;
URL.createObjectURL = (blob) => { blobs.push(blob); return make(blob); };
(async () => {
  press(1);
  press(2);
  await twoSaved;
  found.saved = [saved, blobs.map(({ type, size }) => [type, size > 1000])];
  const svg = new DOMParser().parseFromString(await blobs[0].text(), "image/svg+xml");
  found.svg = [...svg.querySelectorAll("parsererror, text")].map((one) => one.textContent);
  const width = document.querySelector(".foresee-card svg").viewBox.baseVal.width;
  const boxes = [...document.querySelectorAll(".foresee-card text")].map((one) => one.getBBox());
  found.wide = boxes.some((box) => box.x + box.width > width);
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  found.remote = loaded.filter((name) => !/^(data|blob|file):/.test(name));
  report(found);
})();
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the page says to a reader who has predicted nothing, a little, and much."""
    stops = [stop(0, "11_b", "rule", 9), stop(1, "11_b", "race", 4.2)]
    data = f"<script>{site_paths.paths_script([], stops)}</script>{site_foresee.foresee_html(DATA)}"
    behind = "".join(
        f"<script>{(STATIC / name).read_text(encoding='utf-8')}</script>" for name in ("way.js", "foresee.js")
    )
    records = f"<script>const records = {in_page({'few': FEW, 'many': MANY})};"
    return run(tmp_path_factory.mktemp("page"), f"{data}{PLACES}{scripts()}{behind}{records}{SHOWN}</script>")


def test_what_is_missing_is_said_in_words(page: Any) -> None:
    none, few = page["none"], page["few"]
    assert (
        none["sum"].startswith("You have not predicted anything yet.") and none["rows"] == [] and none["text"] is None
    )
    assert (none["ideas"], none["habits"]) == ("Nothing yet.", "Nothing yet.")
    assert few["sum"] == (
        "1 of 2 answers as the run says A percentage needs 3 more. "
        "From 3 numbers on, this page says how far off they are. You have written none. "
        "1 earlier prediction is not in it yet. Open its lesson, and it counts."
    )
    assert few["ideas"] == "Too few answers yet: Shapes (2)."
    assert few["time"].endswith("So far, there are 2.")
    assert few["habits"] == "No known mistake of yours has come twice. Once is no habit."
    assert few["card"] == "From 5 answers on, there is a card to share. It needs 3 more."


def test_first_answers_are_added_up_by_idea_and_over_time(page: Any) -> None:
    many = page["many"]
    assert (
        many["sum"]
        == (
            "16 of 21 answers as the run says, 76 % "
            "Half of your numbers are within a factor of 3.3. You have written 6. "
        ).strip()
    ), "a later answer is none"
    assert many["rows"] == [
        ["Speed", "2 of 5", "× 4"],
        ["Shapes", "8 of 11", "× 4"],
        ["1 to 10", "Jan 2 to Jan 11", "7 of 10", "× 4"],
        ["11 to 20", "Jan 12 to Jan 21", "8 of 10", "× 2.5"],
        ["21", "Jan 22", "1 of 1", "–"],
    ]
    assert "Too few answers yet: Rare (1)." in many["ideas"] and "Never" not in many["ideas"]


def test_habits_lead_to_what_mends_them(page: Any) -> None:
    many = page["many"]
    assert many["habits"] == (
        "3 times: You line up shapes. Read 11: On rule, 9 minutes. "
        "2 times: a mistake that its own section explains. Read it again: 11: On race, 5 minutes."
    )
    assert many["links"] == ["./notebooks/11_b.html#rule", "./notebooks/11_b.html#race"]


def test_the_card_is_text_and_pictures_made_here(page: Any) -> None:
    lines = [
        "I foresaw 16 of 21 answers before the code ran: 76 %.",
        "Half of my numbers were within a factor of 3.3.",
        "Best: Shapes, 8 of 11.",
        "To learn: Speed, 2 of 5.",
    ]
    assert page["many"]["text"] == "\n".join([*lines, "Shards & <co>"])
    names, blobs = page["saved"]
    assert names == [["foresight.svg", "blob"], ["foresight.png", "blob"]]
    assert blobs == [["image/svg+xml", True], ["image/png", True]] and page["remote"] == []
    asked = "How well do I foresee what my code prints?"
    assert page["svg"] == [asked, "16 of 21", "76 %", *lines[1:], "Shards & <co>"] and not page["wide"]


# -- what is declared -------------------------------------------------------------------------------------------


def test_every_prediction_has_an_idea_and_every_habit_leads_somewhere() -> None:
    known, taught = (
        site_foresee.slips(COURSE),
        {at for path in COURSE.lesson_paths for at in read_lesson(path, COURSE).sections},
    )
    places = taught | {*Elsewhere(COURSE).places}
    assert [*site_foresee.problems(site_foresee.ideas(COURSE), site_foresee.habits(COURSE), known, places)] == []
    named = {slip for habit in site_foresee.habits(COURSE) for some in habit.shows.values() for slip in some}
    assert named & {slip for some in known.values() for slip in some}, "some mistake is a habit"


def test_what_is_forgotten_or_misspelt_is_said() -> None:
    idea = site_foresee.Idea("One", "", ("a",), ("nowhere",))
    made = [
        site_foresee.Habit("You.", "a", {"a": ("8", "9")}),
        site_foresee.Habit("You.", "here", {"a": ("8",), "gone": ("1",)}),
    ]
    assert [*site_foresee.problems([idea], made, {"a": {"8"}, "b": set()}, {"a", "b"})] == [
        "the predictions of `b` have no idea: add it to `predicts` of one in book/ideas.yml",
        "`nowhere` is no section: mend it under `predicts` in book/ideas.yml",
        "`here` is no section: mend it in book/habits.yml",
        "no prediction of `a` has the mistake '9': mend it in book/habits.yml",
        "no prediction of `gone` has the mistake '1': mend it in book/habits.yml",
        "the mistake '8' of `a` is in two habits: leave it in one, in book/habits.yml",
    ]


def test_the_page_asks_for_all_that_its_script_fills(tmp_path: Path) -> None:
    text = (COURSE.root / f"{site_foresee.PAGE}.md").read_text(encoding="utf-8")
    source = [text]
    app = SimpleNamespace(srcdir=str(COURSE.root), env=SimpleNamespace(note_reread=lambda: None))
    site_foresee.on_source_read(app, site_foresee.PAGE, source)
    assert "{{" not in source[0]
    script = (STATIC / "foresee.js").read_text(encoding="utf-8")
    assert all(source[0].count(f'<div class="foresee-{name}-here">') == 1 for name in site_foresee.PLACES)
    assert all(f"    {name}: " in script for name in site_foresee.PLACES)
