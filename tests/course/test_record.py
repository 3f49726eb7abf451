"""The record of what a reader has done: what of earlier forms is adopted, what two are together, what is refused."""

import json
from pathlib import Path
from typing import Any

from play.play_browser import in_page, run

STATIC = Path(__file__).parents[2] / "book" / "_static"
RECORD = (STATIC / "record.js").read_text(encoding="utf-8")
STORE = (STATIC / "store.js").read_text(encoding="utf-8")
DAY = 86_400_000

OLD = {
    "read": {"60_indexing": True},
    "place": {"60_indexing": {"id": "masks", "at": 7}, "31_vmap": {"id": "memory", "at": 9}},
    "solved": {"predict-strides": True, "unit-vectors": False, "the-rate": True},
    "tries": {"predict-strides": 0, "unit-vectors": 2},
    "tried": {"predict-strides": json.dumps({"a": "(3, 4)"}), "unit-vectors": "no JSON"},
    "predicted": {"04-46a159": {"said": ["3", ["a", "b"]]}, "11-3898d7": {"shown": True}, "11-000000": {"said": ["1"]}},
    "again": {
        "predict-strides": {"step": 0, "due": 5, "at": "10_memory_layout", "words": ""},
        "predict-04-46a159": {"step": 2, "due": 6, "at": "60_indexing", "words": "Masks"},
        "the-rate": None,
    },
}
"""What the site kept before its record had a version: exercises and predictions under one kind of names."""

KNOWN = ["masks-46a159", "memory-3898d7", "memory-ffffff"]
TODAY = {
    "v": 3,
    "exercises": {
        "predict-strides": {
            "solved": True,
            "tries": 0,
            "tried": {"a": "(3, 4)"},
            "again": {"step": 0, "due": 5, "words": ""},
        },
        "unit-vectors": {"solved": False, "tries": 2, "tried": {}},
        "the-rate": {"solved": True, "again": {"done": 0}},
    },
    "predictions": {
        "masks-46a159": {"said": ["3", ["a", "b"]], "again": {"step": 2, "due": 6, "words": "Masks"}},
        "memory-3898d7": {"shown": True, "known": True},
        "11-000000": {"said": ["1"]},
    },
    "read": {"indexing": True},
    "place": {"indexing": {"id": "masks", "at": 7}, "vmap": {"id": "memory", "at": 9}},
    "seen": {},
    "known": {},
    "path": {},
    "settings": {},
}


def asked(folder: Path, what: str, **data: Any) -> Any:
    """What the script makes of some data, given by name."""
    names = "".join(f"const {name} = {in_page(value)};" for name, value in data.items())
    return run(folder, f"<script>{RECORD}</script><script>{names}const record = courseRecord; report({what});</script>")


def test_nothing_of_an_old_record_is_lost(tmp_path: Path) -> None:
    again = "[record.settled(record.adopted(old), known), record.settled(record.adopted(today), known)]"
    once, twice = asked(tmp_path, again, old=OLD, today=TODAY, known=KNOWN)
    assert once == TODAY, "a prediction is found by its digest, an exercise that begins with `predict-` is none"
    assert twice == TODAY, "a record of today stays as it is"


SECOND = {
    "said": {"said": ["3"], "at": 4},
    "shown": {"shown": True, "at": 5},
    "restarted": {"at": 6, "again": {"step": 0, "due": 7, "words": ""}},
}


def test_a_record_of_the_second_form_says_which_outputs_have_been_seen(tmp_path: Path) -> None:
    found = asked(tmp_path, "record.adopted(old)", old={"v": 2, "predictions": SECOND})
    assert found["v"] == 3 and found["predictions"] == {
        "said": SECOND["said"],
        "shown": {**SECOND["shown"], "known": True},
        "restarted": {**SECOND["restarted"], "known": True},
    }, "what was said is judged by its page, when it is opened"
    again = asked(tmp_path, "record.adopted(today)", today=of("predictions", a={"at": 6, **LATE}, b={"at": 6}))
    assert again["predictions"] == {"a": {"at": 6, **LATE}, "b": {"at": 6}}
    both = [of("seen", a=1), {"v": 2, "seen": {"a": 1}}]
    taken = asked(tmp_path, "files.map((file) => record.taken(JSON.stringify(file)).record.v)", files=both)
    assert taken == [3, 3]


def test_what_is_kept_under_a_topic_that_a_lesson_has_had_is_kept_under_that_of_today(tmp_path: Path) -> None:
    place = {"ufunc_methods": {"id": "folds", "at": 7}, "vmap": {"id": "memory", "at": 9}}
    before = {"v": 2, "read": {"ufunc_methods": True, "loops": True}, "place": place}
    topics = {"ufunc_methods": "compiled_indexing", "loops": "vmap"}
    found = asked(tmp_path, "record.settled(record.adopted(before), [], topics)", before=before, topics=topics)
    assert found["read"] == {"compiled_indexing": True, "vmap": True}
    assert found["place"] == {"compiled_indexing": {"id": "folds", "at": 7}, "vmap": {"id": "memory", "at": 9}}
    both = {"v": 2, "place": {"vmap": {"id": "memory", "at": 9}, "loops": {"id": "old", "at": 10}}}
    found = asked(tmp_path, "record.settled(record.adopted(both), [], topics)", both=both, topics=topics)
    assert found["place"] == {"vmap": {"id": "memory", "at": 9}}, "what is kept under today's topic stands"


def test_the_page_adopts_what_it_finds_and_an_old_tab_may_still_write(tmp_path: Path) -> None:
    key = json.dumps("course /")
    late = {**TODAY, "solved": {"unit-vectors": True}, "again": {"late": {"step": 0, "due": 3, "at": "x"}}}
    body = f"""<script>{RECORD}</script><script>localStorage.setItem({key}, {in_page(json.dumps(OLD))});</script>
    <script>{STORE}</script><script>
      course.settle({in_page(KNOWN)});
      const first = JSON.parse(localStorage.getItem({key}));
      localStorage.setItem({key}, {in_page(json.dumps(late))});
      course.put("seen", "masks", 1);
      report([first, JSON.parse(localStorage.getItem({key}))]);
    </script>"""
    first, both = run(tmp_path, body)
    assert first == TODAY
    assert both["exercises"]["unit-vectors"]["solved"] and both["exercises"]["late"]["again"]["due"] == 3
    assert "solved" not in both and both["predictions"] == TODAY["predictions"] and both["seen"] == {"masks": 1}


def test_what_a_newer_edition_has_kept_is_not_written_over(tmp_path: Path) -> None:
    key, newer = json.dumps("course /"), json.dumps({"v": 4, "exercises": {"a": 1}})
    body = f"""<script>{RECORD}</script><script>localStorage.setItem({key}, {in_page(newer)});</script>
    <script>{STORE}</script><script>course.put("seen", "a", 1); report(localStorage.getItem({key}));</script>"""
    assert run(tmp_path, body) == newer


def of(part: str, **entries: Any) -> dict[str, Any]:
    return {"v": 3, part: entries}


SOLVED, OPEN = {"solved": True, "at": 1}, {"solved": False, "tries": 3, "at": 9}
SAID, LOOKED = {"said": ["1"], "at": 1}, {"shown": True, "at": 9, "known": True}
FORESEEN = {"known": True, "first": {"at": 1, "of": [{"right": False, "off": 3.5, "slips": ["less"]}]}}
LATE = {"known": True, "first": {"at": 5, "of": [{"right": True}]}}
SOON, LATER = {"step": 0, "due": 4 * DAY, "words": ""}, {"step": 2, "due": 12 * DAY, "words": ""}

JOINED: list[tuple[str, Any, Any, Any]] = [
    ("exercises", SOLVED, OPEN, SOLVED),
    ("exercises", {"solved": False, "tries": 1, "at": 1}, OPEN, OPEN),
    ("exercises", {"solved": True}, {"solved": True, "tried": {"": "1"}}, {"solved": True, "tried": {"": "1"}}),
    ("exercises", {"again": SOON}, {"again": LATER}, {"again": LATER}),
    ("exercises", {"again": {"done": 2 * DAY}}, {"again": SOON}, {"again": SOON}),
    ("exercises", {"again": {"done": 6 * DAY}}, {"again": LATER}, {"again": {"done": 6 * DAY}}),
    ("exercises", {**SOLVED, "again": SOON}, {**OPEN, "again": LATER}, {**SOLVED, "again": LATER}),
    ("predictions", SAID, LOOKED, {**SAID, "known": True}),
    ("predictions", SAID, {"said": ["2"], "at": 2}, {"said": ["2"], "at": 2}),
    ("predictions", {**SAID, **FORESEEN}, LOOKED, {**SAID, **FORESEEN}),
    (
        "predictions",
        {"said": ["2"], "at": 5, **LATE},
        {"known": True, "at": 2, **FORESEEN},
        {"said": ["2"], "at": 5, **FORESEEN},
    ),
    ("place", {"id": "a", "at": 1}, {"id": "b", "at": 2}, {"id": "b", "at": 2}),
    ("seen", 1, 2, 2),
    ("known", {"holds": True, "at": 1}, {"holds": False, "at": 2}, {"holds": False, "at": 2}),
    ("path", {"name": "a-gpu", "at": 1}, {"name": "", "at": 2}, {"name": "", "at": 2}),
    ("settings", {"on": True, "at": 1}, {"on": False, "at": 2}, {"on": False, "at": 2}),
    ("read", True, True, True),
]


def test_two_records_are_joined_the_same_from_either_side(tmp_path: Path) -> None:
    pairs = [(of(part, x=one, a=one), of(part, x=other, b=other)) for part, one, other, _ in JOINED]
    both = "pairs.map((pair) => pair.map(record.adopted)).map(([a, b]) => [record.merged(a, b), record.merged(b, a)])"
    for (part, one, other, joined), found in zip(JOINED, asked(tmp_path, both, pairs=pairs), strict=True):
        for each in found:
            assert each[part] == {"x": joined, "a": one, "b": other}, (part, one, other)


def test_where_nothing_tells_ours_stays(tmp_path: Path) -> None:
    ours, theirs = of("predictions", x={"said": ["1"]}), of("predictions", x={"said": ["2"]})
    ask = "record.compared(record.adopted(ours), record.adopted(theirs)).map(({ key, joined }) => [key, joined.said])"
    assert asked(tmp_path, ask, ours=ours, theirs=theirs) == [["x", ["1"]]]


FOREIGN = [
    ("", "it is empty"),
    ("{}", "it is an empty record"),
    ("null", "it holds only null"),
    ("[]", "it holds a list"),
    ('"record"', 'it holds only "record"'),
    ("<html>", "it is no JSON, or a damaged one"),
    (json.dumps(TODAY)[:-9], "it is no JSON, or a damaged one"),
    ('{"nbformat": 4, "cells": []}', "it is a notebook"),
    ('{"name": "x", "version": "2", "dependencies": {}, "scripts": {}}', "which holds “name”, “version”"),
    ('{"dependencies": {"x": {}}}', "which holds “dependencies”"),
    ('{"v": 2}', "it is another file"),
    ('{"v": "2", "exercises": {}}', "it is another file"),
    ('{"v": 4, "exercises": {}, "predictions": {}}', "a newer edition of this site wrote it (version 4"),
    (json.dumps(of("exercises", a={"solved": "yes"})), "it is damaged: exercises › a"),
    (json.dumps(of("exercises", a={"again": {"step": 9, "due": 1}})), "it is damaged: exercises › a"),
    (json.dumps(of("predictions", a={"said": "3"})), "it is damaged: predictions › a"),
    (json.dumps(of("predictions", a={"first": {"of": [{"right": 1}]}})), "it is damaged: predictions › a"),
    (
        json.dumps(of("predictions", a={"first": {"of": [{"right": False, "off": 0}]}})),
        "it is damaged: predictions › a",
    ),
    (json.dumps(of("place", a={"at": 3})), "it is damaged: place › a"),
    (json.dumps(of("settings", a={"on": 1, "at": 3})), "it is damaged: settings › a"),
    (json.dumps(of("known", a={"holds": True})), "it is damaged: known › a"),
    ('{"v": 2, "read": 3}', "it is damaged: read"),
    ('{"solved": {"a": 1}}', "it is damaged: exercises › a"),
    ('{"solved": {"a": true}, "extra": {}}', "it is another file"),
    ('{"exercises": {"a": {"solved": true, "tries": 0}}}', "it is another file"),
    ('{"exercises": {}, "predictions": {"a": "text"}}', "it is another file"),
    ('{"exercises": {}, "predictions": {"a": [3]}}', "it is another file"),
]


def test_what_is_no_record_is_refused_with_what_it_is(tmp_path: Path) -> None:
    found = asked(tmp_path, "texts.map((text) => record.taken(text))", texts=[text for text, _ in FOREIGN])
    for (text, words), one in zip(FOREIGN, found, strict=True):
        assert words in one["problem"] and "record" not in one, text


def test_records_of_both_forms_are_taken(tmp_path: Path) -> None:
    texts = [json.dumps(TODAY), json.dumps(OLD), json.dumps(of("read", a=True))]
    found = [one["record"] for one in asked(tmp_path, "texts.map((text) => record.taken(text))", texts=texts)]
    assert [(one["v"], one["known"]) for one in found] == [(3, {})] * 3, "what no earlier version had is empty"


def test_a_notebooks_record_is_taken_with_what_to_repeat(tmp_path: Path) -> None:
    from jaxcourse.exercise import Verdict
    from jaxcourse.notebook._record import Record

    for name, statuses in {"once": ["passed"], "twice": ["wrong", "passed"], "open": ["wrong", "error"]}.items():
        for status in statuses:
            Record(tmp_path).note(Verdict(name, status), keep=True)  # type: ignore[arg-type]
    Record(tmp_path).predict("masks-46a159", ["3", ["a", "b"]], keep=True)
    text = Record(tmp_path).path.read_text(encoding="utf-8")
    taken = asked(tmp_path, "record.taken(text, 0)", text=text)["record"]
    assert taken["predictions"] == {"masks-46a159": {"said": ["3", ["a", "b"]]}}
    found = taken["exercises"]
    plan = {"step": 0, "due": DAY, "words": ""}
    assert found == {
        "once": {"solved": True},
        "twice": {"solved": True, "again": plan},
        "open": {"solved": False, "tries": 2},
    }


UNDONE = """
const [ours, theirs] = [record.adopted(mine), record.adopted(file)];
const after = record.merged(ours, theirs);
const now = { ...after, exercises: { ...after.exercises, fresh: { solved: true }, late: { solved: true, at: 5 } } };
"""


def test_an_import_is_undone_and_what_was_done_since_stays(tmp_path: Path) -> None:
    mine, file = of("exercises", a={"solved": False}), of("exercises", a={"solved": True}, b=SOLVED, late=OPEN)
    names = f"const mine = {in_page(mine)}, file = {in_page(file)}, record = courseRecord;"
    ask = "report(record.undone(now, { before: ours, after }).exercises);"
    found = run(tmp_path, f"<script>{RECORD}</script><script>{names}{UNDONE}{ask}</script>")
    assert found == {"a": {"solved": False}, "fresh": {"solved": True}, "late": {"solved": True, "at": 5}}


FULL = """
Storage.prototype.setItem = new Proxy(Storage.prototype.setItem, { apply(write, storage, [key, value]) {
  if (isFull && !key.endsWith(" tried")) throw new DOMException("full", "QuotaExceededError");
  return write.call(storage, key, value);
} });
course.put("seen", "before", 1);
isFull = true;
course.put("seen", "a", 1);
course.put("seen", "b", 2);
course.join(courseRecord.adopted({ v: 3, seen: { c: 3 } }));
const kept = Object.keys(course.all("seen")), undoable = [course.lasts(), course.canUndo()];
course.undo();
const undone = Object.keys(course.all("seen"));
localStorage[KEY] = JSON.stringify({ v: 3, seen: { before: 1, elsewhere: 4 } });
course.put("seen", "d", 5);
isFull = false;
course.put("seen", "e", 6);
const stored = Object.keys(JSON.parse(localStorage.getItem(KEY)).seen).sort();
report({ kept, undoable, undone, stored, lasts: course.lasts() });
"""


def test_where_the_storage_is_full_all_lasts_as_long_as_the_page(tmp_path: Path) -> None:
    body = f"<script>{RECORD}</script><script>{STORE}</script>"
    found = run(tmp_path, f'{body}<script>const KEY = "course /"; let isFull = false; {FULL}</script>')
    assert found["kept"] == ["before", "a", "b", "c"] and found["undoable"] == [False, True]
    assert found["undone"] == ["before", "a", "b"], "an import is undone that no storage keeps"
    assert found["stored"] == ["a", "b", "before", "d", "e", "elsewhere"], "what another tab has kept is joined"
    assert found["lasts"] is True


def test_what_else_stands_under_its_names_in_the_storage_stops_nothing(tmp_path: Path) -> None:
    kept = ['{"before": 3}', "[]", '{"before": {}, "after": {"seen": 1}}', "null", "{"]
    fill = f"""for (const text of {in_page(kept)}) {{
      localStorage.setItem("course / joined", text);
      localStorage.setItem("course /", text);
      course.put("seen", "a", 1);
      found.push([course.canUndo(), course.get("seen", "a")]);
      course.undo();
    }}"""
    body = f"<script>{RECORD}</script><script>{STORE}</script><script>const found = []; {fill} report(found);</script>"
    assert run(tmp_path, body) == [[False, 1]] * len(kept)
