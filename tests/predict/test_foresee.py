"""What is kept of a prediction, and what a page makes of all that a reader has foreseen."""

import json
from html import escape
from pathlib import Path
from typing import Any

from play.play_browser import in_page, run
from predict.test_prediction_forms import CHOICE, GIGA, MEASURED, NOWHERE, NUMBER, SEVERAL, TEXT, scripts

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
    '<input type="radio" name="predict-{key}-1" value="a view"><input type="radio" name="predict-{key}-1" value="a copy">'
    '<input type="checkbox" name="predict-{key}-2" value="a"><input type="checkbox" name="predict-{key}-2" value="b">'
    '<input type="checkbox" name="predict-{key}-2" value="c">'
    '<input type="text" name="predict-{key}-3"><input type="text" name="predict-{key}-4">'
)
FORM = """<section><h2>Rates</h2><div><p>How many?</p>
<form class="predict-form" data-key="%(key)s" data-covers="out-%(key)s" data-fields="%(fields)s" novalidate>%(inputs)s
<p class="predict-hint"></p><button type="submit">Commit</button><button type="button" data-do="show">Show me</button>
<div class="predict-told"></div></form></div><div id="out-%(key)s" class="predict-output"><pre>8</pre></div></section>"""


def form(key: str) -> str:
    """A prediction box as a page has it."""
    return FORM % {"key": key, "fields": escape(json.dumps(FIELDS)), "inputs": CONTROLS.format(key=key)}


KEEPING = """
addEventListener("DOMContentLoaded", () => {
  const forms = [...document.querySelectorAll("form")];
  const kept = (form) => {
    const { at, again, first: { at: when, ...first } = {}, ...rest } = course.get("predictions", form.dataset.key) ?? {};
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
