"""Real files, as students and platforms leave them: whose they are, what is in them, which one counts."""

import io
import json
import os
import pickle
import shutil
import stat
import struct
import time
import zipfile
from dataclasses import replace

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxcourse.course import Course
from jaxcourse_grade.intake import _files
from jaxcourse_grade.intake._files import listing
from jaxcourse_grade.intake._find import find
from jaxcourse_grade.intake._read import choose, glance, read

ROOT = Course.installed().root
LESSONS = {
    "01_memory_layout": frozenset({"madhava-pi", "flat-view", "view-or-copy"}),
    "02_broadcasting": frozenset({"broadcast-rule", "unit-vectors"}),
}
PI = "# exercise: madhava-pi\ndef madhava_pi(n):\n    return 3"


def book(*sources, lesson="01_memory_layout", **top):
    """A notebook as bytes: its code cells, and the lesson in its metadata."""
    cells = [cell if isinstance(cell, dict) else code(cell) for cell in sources]
    metadata = {"jaxcourse": {"lesson": lesson}} if lesson else {}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5, **top}).encode()


def code(source):
    return {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source}


def text(source, kind="markdown"):
    return {"cell_type": kind, "metadata": {}, "source": source}


ONE = book(PI)
TWO = book("# exercise: unit-vectors\nunit_vectors = 1", lesson="02_broadcasting")


def tree(folder, files):
    """Write files: bytes by path; None makes a folder."""
    for path, data in files.items():
        target = folder / path
        if data is None:
            target.mkdir(parents=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    return folder


def zipped(files, **how):
    """A zip archive as bytes; files as a dict, or as pairs, since names may come twice."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, **how) as archive:
        for name, data in files.items() if isinstance(files, dict) else files:
            archive.writestr(name, data)
    return buffer.getvalue()


def whose(source):
    """The student of each file, as first found."""
    return {item.source: item.student for item in find(source).handed}


def graded(source, lesson=""):
    """What counts, by student and lesson."""
    entries = [(item, glance(item, LESSONS, [lesson] if lesson else [])) for item in find(source).handed]
    return {(row.submission.student, row.submission.lesson): row for row in choose(entries)}


def one(folder, data, name="doe_jane.ipynb"):
    """What is read of a single file."""
    (folder / name).write_bytes(data)
    (handed,) = find(folder / name).handed
    return read(handed, LESSONS)


# -- whose it is

METADATA = b"""---
submission_11:
  :submitters:
  - :name: Jane Doe
    :sid: '007'
    :email: jane@example.edu
  :created_at: 2026-03-01 10:00:00.123456000 Z
  :score: 1.0
submission_12:
  :submitters:
  - :name: Tom Tarn
    :email: tom@example.edu
  - :name: Ann Roe
    :sid: ''
    :email:
  :created_at: 2026-03-02 10:00:00.000000000 Z
"""

LAYOUTS = {
    "flat files, the lesson in the name": (
        {"doe_jane_01.ipynb": ONE, "doe_jane_02.ipynb": TWO, "roe_ann.ipynb": ONE, "01_memory_layout_li.ipynb": ONE},
        {("doe_jane", 1): "doe_jane_01.ipynb", ("doe_jane", 2): "doe_jane_02.ipynb", ("roe_ann", 1): "roe_ann.ipynb"}
        | {("li", 1): "01_memory_layout_li.ipynb"},
    ),
    "a folder per student, nested": (
        {"jane/x.ipynb": ONE, "jane/more/deep/y.ipynb": TWO, "Tom Tarn/01_memory_layout.ipynb": ONE},
        {("jane", 1): "jane/x.ipynb", ("jane", 2): "jane/more/deep/y.ipynb"}
        | {("Tom Tarn", 1): "Tom Tarn/01_memory_layout.ipynb"},
    ),
    "one student": ({"ada/draft.ipynb": ONE}, {("ada", 1): "ada/draft.ipynb"}),
    "one student, one folder, lessons": (
        {"ada/01_memory_layout.ipynb": ONE, "ada/02_broadcasting.ipynb": TWO},
        {("ada", 1): "ada/01_memory_layout.ipynb", ("ada", 2): "ada/02_broadcasting.ipynb"},
    ),
    "a folder around flat files": (
        {"hand-ins/doe.ipynb": ONE, "hand-ins/roe.ipynb": ONE},
        {("doe", 1): "hand-ins/doe.ipynb", ("roe", 1): "hand-ins/roe.ipynb"},
    ),
    "a folder per lesson": (
        {"01_memory_layout/doe.ipynb": ONE, "02_broadcasting/doe.ipynb": TWO, "02_broadcasting/roe/x.ipynb": TWO},
        {("doe", 1): "01_memory_layout/doe.ipynb", ("doe", 2): "02_broadcasting/doe.ipynb"}
        | {("roe", 2): "02_broadcasting/roe/x.ipynb"},
    ),
    "sections of the class": (
        {f"{section}/{name}.ipynb": ONE for section, names in (("A", "abcd"), ("B", "efgh")) for name in names},
        {(name, 1): f"{section}/{name}.ipynb" for section, names in (("A", "abcd"), ("B", "efgh")) for name in names},
    ),
    "numbered students": (
        {f"student_{n:02}.ipynb": ONE for n in (1, 2, 3)},
        {(f"student_{n:02}", 1): f"student_{n:02}.ipynb" for n in (1, 2, 3)},
    ),
    "numbered folders": (
        {f"{n:02}/x.ipynb": ONE for n in (1, 2, 3)},
        {(f"{n:02}", 1): f"{n:02}/x.ipynb" for n in (1, 2, 3)},
    ),
    "one name, saved from many mails": (
        {f"memory_layout{end}.ipynb": ONE for end in ("", " (1)", " (2)")},
        {(f"memory_layout{end}", 1): f"memory_layout{end}.ipynb" for end in ("", " (1)", " (2)")},
    ),
    "a name that says nothing, saved from two mails": (
        {"Untitled_01.ipynb": ONE, "Untitled_01 (1).ipynb": ONE, "doe_01.ipynb": ONE},
        {("Untitled_01", 1): "Untitled_01.ipynb", ("Untitled_01 (1)", 1): "Untitled_01 (1).ipynb"}
        | {("doe", 1): "doe_01.ipynb"},
    ),
    "one unknown name, saved from many mails": (
        {f"task{end}.ipynb": ONE for end in ("", " (1)", " (2)", " (3)", " (4)")},
        {(f"task{end}", 1): f"task{end}.ipynb" for end in ("", " (1)", " (2)", " (3)", " (4)")},
    ),
    "Canvas": (
        {
            "doejane_12345_67890_work-1.ipynb": ONE,
            "roeann_LATE_12346_67891_Copy of 01_memory_layout.ipynb": ONE,
            "anonymous_12347_67892_x.ipynb": ONE,
            "anon_aB3dE_67893_x.ipynb": ONE,
            "tarntom_12348_67894_hw.zip": zipped({"joe_1_999_x.ipynb": ONE, "deep/y.ipynb": TWO}),
        },
        {
            ("12345", 1): "doejane_12345_67890_work-1.ipynb",
            ("12346", 1): "roeann_LATE_12346_67891_Copy of 01_memory_layout.ipynb",
            ("12347", 1): "anonymous_12347_67892_x.ipynb",
            ("aB3dE", 1): "anon_aB3dE_67893_x.ipynb",
            ("12348", 1): "tarntom_12348_67894_hw.zip!joe_1_999_x.ipynb",
            ("12348", 2): "tarntom_12348_67894_hw.zip!deep/y.ipynb",
        },
    ),
    "Moodle": (
        {
            "Jane Doe_123_assignsubmission_file_/x.ipynb": ONE,
            "Anna_Li_124_assignsubmission_file_01.ipynb": ONE,
            "Tom Tarn_125_assignsubmission_file/x.ipynb": ONE,
        },
        {
            ("123", 1): "Jane Doe_123_assignsubmission_file_/x.ipynb",
            ("124", 1): "Anna_Li_124_assignsubmission_file_01.ipynb",
            ("125", 1): "Tom Tarn_125_assignsubmission_file/x.ipynb",
        },
    ),
    "Gradescope": (
        {
            "assignment_1_export/submission_metadata.yml": METADATA,
            "assignment_1_export/submission_11/x.ipynb": ONE,
            "assignment_1_export/submission_12/y.ipynb": ONE,
            "assignment_1_export/submission_13/z.ipynb": ONE,
        },
        {
            ("007", 1): "assignment_1_export/submission_11/x.ipynb",
            ("tom@example.edu", 1): "assignment_1_export/submission_12/y.ipynb",
            ("Ann Roe", 1): "assignment_1_export/submission_12/y.ipynb",
            ("submission_13", 1): "assignment_1_export/submission_13/z.ipynb",
        },
    ),
    "an archive per student": (
        {"doe.zip": zipped({"hw/x.ipynb": ONE}), "roe_01.zip": zipped({"x.ipynb": ONE, "y.ipynb": TWO})},
        {("doe", 1): "doe.zip!hw/x.ipynb", ("roe", 1): "roe_01.zip!x.ipynb", ("roe_01", 2): "roe_01.zip!y.ipynb"},
    ),
    "two exports side by side": (
        {
            "one.zip": zipped({"doejane_12_1001_x.ipynb": ONE, "roeann_13_1002_x.ipynb": ONE}),
            "two.zip": zipped({"Tom Tarn_14_assignsubmission_file_/x.ipynb": ONE}),
        },
        {
            ("12", 1): "one.zip!doejane_12_1001_x.ipynb",
            ("13", 1): "one.zip!roeann_13_1002_x.ipynb",
            ("14", 1): "two.zip!Tom Tarn_14_assignsubmission_file_/x.ipynb",
        },
    ),
}
ALONE = {"one student", "one student, one folder, lessons"}
"""With a folder or an archive around it, the one student's folder is not told from a class's."""


WITHIN = ("", "zip", "folder", "folder in zip", "zip in folder")
CASES = [(layout, within) for layout in LAYOUTS for within in WITHIN if layout not in ALONE or within in ("", "zip")]


@pytest.mark.parametrize(("layout", "within"), CASES)
def test_layouts(layout, within, tmp_path):
    files, rows = LAYOUTS[layout]
    files = {f"w/{path}": data for path, data in files.items()} if "folder" in within else files
    source = tree(tmp_path / "class", {"all.zip": zipped(files)} if "zip" in within else files)
    found = graded(source / "all.zip" if within.endswith("zip") else source)
    prefix = ("all.zip!" if "zip" in within else "") + ("w/" if "folder" in within else "")
    expected = {(who, list(LESSONS)[number - 1]): prefix + path for (who, number), path in rows.items()}
    assert {key: row.submission.source for key, row in found.items()} == expected


def test_names_are_those_of_the_platform(tmp_path):
    files = {**LAYOUTS["Canvas"][0], **LAYOUTS["Moodle"][0], "Doe_Jane.ipynb": ONE, "Roe_Ann/x.ipynb": ONE}
    tree(tmp_path, files)
    names = {item.student: item.name for item in find(tmp_path).handed}
    assert names == {
        "12345": "doejane",
        "12346": "roeann",
        "12347": "anonymous",
        "aB3dE": "anonymous",
        "12348": "tarntom",
        "123": "Jane Doe",
        "124": "Anna_Li",
        "125": "Tom Tarn",
        "Doe_Jane": "Doe Jane",
        "Roe_Ann": "Roe Ann",
    }


def test_gradescope_says_who_when_and_with_whom(tmp_path):
    tree(tmp_path, LAYOUTS["Gradescope"][0])
    jane, ann, tom, nobody = sorted(find(tmp_path).handed, key=lambda item: (item.source, item.name))
    assert (jane.name, jane.submitted, jane.attempt) == ("Jane Doe", "2026-03-01T10:00:00.123456+00:00", 11)
    assert ann.notes == tom.notes == ("Handed in by a group of 2.",)
    assert nobody.notes == ("submission_metadata.yml does not say who this is.",)
    assert read(jane, LESSONS).submitted == jane.submitted


@pytest.mark.parametrize(
    "metadata",
    [
        b"",
        b"[]",
        b"3",
        b"submission_11: 3",
        b"submission_11: {':submitters': {}}",
        b"submission_11: {':submitters': [3, null]}",
        b"!ruby/object:X {}",
        b"{",
        b"\xff\xfe\0",
        b"[" * 10**6,
        b"- " * 10**6,
        b"{submission_11: {':submitters': [{':name': " + b"[" * 10**5,
    ],
)
def test_metadata_of_any_kind_lose_nobody(metadata, tmp_path):
    tree(tmp_path, {"submission_metadata.yml": metadata, "submission_11/x.ipynb": ONE, "submission_12/x.ipynb": ONE})
    assert {"submission_11", "submission_12"} <= set(whose(tmp_path).values())


def test_metadata_in_a_students_folder_say_nothing(tmp_path):
    theirs = {"jane/submission_metadata.yml": METADATA, "jane/submission_11/x.ipynb": ONE, "tom/x.ipynb": ONE}
    assert set(whose(tree(tmp_path, theirs)).values()) == {"jane", "tom"}


def test_a_student_cannot_hand_in_for_another(tmp_path):
    theirs = {"jane/roeann_12_1001_x.ipynb": ONE, "jane/tarntom_13_1002_x.ipynb": ONE, "ann/x.ipynb": ONE}
    assert set(whose(tree(tmp_path, theirs)).values()) == {"jane", "ann"}


def test_one_number_of_two_people_is_two_students(tmp_path):
    tree(tmp_path, {"janedoe_77_1001_x.ipynb": ONE, "Tom Tarn_77_assignsubmission_file_/x.ipynb": ONE})
    assert set(whose(tmp_path).values()) == {"janedoe 77", "Tom Tarn 77"}


def test_one_name_in_two_writings_of_unicode_is_one_student(tmp_path):
    tree(tmp_path, {"Jose\u0301/x.ipynb": ONE, "other/x.ipynb": ONE})
    assert "Jos\u00e9" in whose(tmp_path).values()


@pytest.mark.parametrize(
    "name", ["doejane_LATE_12_1001_x.ipynb", "LATE_anon_xY9z1_1001_x.ipynb", "a_LATE_12_text.html"]
)
def test_late_is_what_canvas_says(name, tmp_path):
    tree(tmp_path, {name: ONE})
    (handed,) = find(tmp_path).handed
    assert (read(handed, LESSONS).late, handed.submitted) == ("late, says Canvas", "")


@pytest.mark.parametrize(
    "name", ["late_risers_12_1001_x.ipynb", "LATE_birds_12_1001_x.ipynb", "doej_12_1001_LATE_.ipynb"]
)
def test_a_group_or_a_file_may_be_called_late(name, tmp_path):
    tree(tmp_path, {name: ONE})
    (handed,) = find(tmp_path).handed
    assert (handed.student, handed.late) == ("12", "")


def test_what_nobody_hands_in_is_ignored_and_told(tmp_path):
    hidden = [
        "jane/.DS_Store",
        "jane/.git/config",
        "jane/.ipynb_checkpoints/x-checkpoint.ipynb",
        "__MACOSX/jane/._x.ipynb",
    ]
    tree(tmp_path, dict.fromkeys(hidden, ONE) | {"jane/x.ipynb": ONE})
    archive = [("a/._x.ipynb", ONE), ("__MACOSX/a/x.ipynb", ONE), ("a/x.ipynb", ONE)]
    (tmp_path / "tom.zip").write_bytes(zipped(archive))
    found = find(tmp_path)
    assert [item.source for item in found.handed] == ["jane/x.ipynb", "tom.zip!a/x.ipynb"]
    assert sorted(found.ignored) == [
        "__MACOSX",
        "jane/.DS_Store",
        "jane/.git",
        "jane/.ipynb_checkpoints",
        "tom.zip!/__MACOSX",
        "tom.zip!/a/._x.ipynb",
    ]


def test_the_order_is_that_of_names_whatever_the_archive(tmp_path):
    files = [(f"{name}/x.ipynb", ONE) for name in "dbca"]
    (tmp_path / "x.zip").write_bytes(zipped(files))
    tree(tmp_path / "folder", dict(reversed(files)))
    orders = [[item.student for item in find(tmp_path / source).handed] for source in ("x.zip", "folder")]
    assert orders == [list("abcd")] * 2


def test_nothing_to_grade_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="name the folder, the zip export or the notebook"):
        find(tmp_path / "none")
    with pytest.raises(ValueError, match="is empty"):
        find(tmp_path)


# -- what is in it


def test_our_own_notebooks_are_read_as_nbformat_reads_them():
    lessons = {stem: frozenset(names) for stem, names in Course(ROOT).exercises().items()}
    assert lessons
    for path in [ROOT / folder / f"{stem}.ipynb" for folder in ("notebooks", "solutions") for stem in lessons]:
        (handed,) = find(path).handed
        submission = read(handed, lessons)
        cells = nbformat.read(path, as_version=4).cells
        assert submission.cells == tuple(cell.source for cell in cells if cell.cell_type == "code")
        assert (submission.lesson, submission.notes, submission.unreadable) == (path.stem, (), "")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (ONE, "x.ipynb"),
        (ONE, "x.ipynb.txt"),
        (ONE, "x.json"),
        (ONE, "x"),
        (ONE, "x.py"),
        (ONE + b"\n" * 99, "x.ipynb"),
        (b"\n " + ONE, "x.ipynb"),
        (b"\xef\xbb\xbf" + ONE, "x.ipynb"),
        (ONE.decode().encode("utf-16"), "x.ipynb"),
        (ONE.decode().encode("utf-16-le"), "x.ipynb"),
        (ONE.decode().encode("utf-16-be"), "x.ipynb"),
        (ONE.decode().encode("utf-32"), "x.ipynb"),
        (ONE + b"trailing }", "x.ipynb"),
        (book(PI.splitlines(keepends=True) and code(PI.splitlines(keepends=True))), "x.ipynb"),
        (book(PI, nbformat=4, nbformat_minor=0), "x.ipynb"),
        (book(text(PI)), "x.ipynb"),
        (book(text(PI, "raw")), "x.ipynb"),
        (book(text(f"```python\n{PI}\n```")), "x.ipynb"),
        (
            json.dumps({"worksheets": [{"cells": [{"cell_type": "code", "input": PI}]}], "nbformat": 3}).encode(),
            "x.ipynb",
        ),
        (PI.encode(), "x.py"),
        (PI.replace("\n", "\r\n").encode(), "x.py"),
        (PI.encode(), "x.ipynb"),
        (PI.encode("utf-16"), "x.py"),
        (f"# %% [markdown]\n# Words\n# %% a title\n{PI}\n".encode(), "x.py"),
        (f"#!/usr/bin/env python\n# coding: utf-8\n\n# In[ ]:\n\n{PI}\n\n".encode(), "x.py"),
        (b"# %% [markdown]\n# # exercise: madhava-pi\n# def madhava_pi(n):\n#     return 3\n", "x.py"),
    ],
)
def test_every_form_of_a_notebook_gives_its_code(data, name, tmp_path):
    submission = one(tmp_path, data, name)
    assert submission.unreadable == "" and submission.lesson == "01_memory_layout"
    assert [cell for cell in submission.cells if cell and not cell.startswith("#!")] == [PI]


@pytest.mark.parametrize(
    ("data", "name", "note"),
    [
        (book(text(PI)), "x.ipynb", "The cell with madhava_pi is a markdown cell: it was taken as code."),
        (PI.encode(), "x.py", "A script instead of a notebook: its cells begin at `# %%`."),
        (PI.encode(), "x.ipynb", "A script instead of a notebook, though its name does not end in `.py`."),
        (ONE.decode().encode("utf-16"), "x.ipynb", "In UTF-16 instead of UTF-8."),
        (ONE + b"}", "x.ipynb", "The notebook: what follows the notebook's end in line 1 was left out."),
        (PI.encode() + b" # \xe9", "x.py", "Not in UTF-8: it was read as Windows-1252, as spreadsheets write it."),
        (book("x = 1", lesson=""), "doe_01.ipynb", "Only its name says that it is 01_memory_layout."),
        (
            book(PI, "flat_view = 1", lesson="02_broadcasting"),
            "x.ipynb",
            "Taken as 02_broadcasting, though most of its exercises are those of 01_memory_layout.",
        ),
    ],
)
def test_what_is_odd_is_noted(data, name, note, tmp_path):
    assert note in one(tmp_path, data, name).notes


UNREADABLE = {
    "empty": (b"", "x.ipynb", "The file is empty."),
    "blank": (b" \n\0\0", "x.ipynb", "The file is empty."),
    "cut off": (ONE[:-60], "x.ipynb", "The notebook is cut off: it ends in line 1, in the middle of a cell."),
    "no cells": (b"{}", "x.ipynb", "The notebook is JSON, but not a notebook: it has no list of cells."),
    "deep": (b'{"cells":' + b"[" * 10**6, "x.ipynb", "The notebook is cut off"),
    "a conflict": (
        b'{"cells": [\n<<<<<<< HEAD\n',
        "x.ipynb",
        "The notebook holds an unresolved merge conflict, in line 2. Resolve it, until Jupyter opens",
    ),
    "a PDF": (b"%PDF-1.7 ...", "x.pdf", "This is a PDF, not a notebook."),
    "a PDF by another name": (b"%PDF-1.7 ...", "x.ipynb", "This is a PDF, not a notebook."),
    "a web page": (b"\n<!DOCTYPE html><p>", "x.ipynb", "This is a web page, not a notebook."),
    "an image": (b"\x89PNG\r\n\x1a\n", "x.png", "This is an image, not a notebook."),
    "a letter": (zipped({"word/document.xml": b""}), "x.docx", "This is a zip archive or an office document"),
    "another archive": (b"\x1f\x8b\x08", "x.ipynb.gz", "This is a packed archive, not a notebook."),
    "rich text": (b"{\\rtf1", "x.rtf", "This is a text document (RTF), not a notebook."),
    "data": (b"a,b\n1,2\n", "x.csv", "This is not a notebook: its name ends in `.csv`."),
    "a text with code": (PI.encode(), "x.md", "This is not a notebook: its name ends in `.md`."),
    "words": (b"Dear teacher,", "x.ipynb", "This is not a notebook: it does not begin with `{`."),
    "many cells": (b"# %%\nx\n" * 20_001, "x.py", "There are 20,001 code cells: nobody writes that many."),
    "another subject": (book("x = 1", lesson=""), "x.ipynb", "Which lesson is this?"),
    "another course": (book("x = 1", lesson="<b>"), "x.ipynb", "Which lesson is this?"),
    "not taught": (book("x = 1", lesson="33_fourier"), "x.ipynb", "This is 33_fourier, which is not taught here."),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_cannot_be_read_has_a_reason_that_says_what_to_do(case, tmp_path):
    data, name, reason = UNREADABLE[case]
    submission = one(tmp_path, data, name)
    assert submission.unreadable.startswith(reason) and submission.cells == ()
    assert submission.student == "x" and len(submission.sha256) == 64
    others = "another subject", "another course", "not taught"
    assert "Hand in the notebook itself" in submission.unreadable or case in others


def jumbled(data, random):
    raw = bytearray(data)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(raw))
        raw[at : at + random.randrange(3)] = random.randbytes(random.randrange(3))
    return bytes(raw)


SEEDS = [ONE, ONE.decode().encode("utf-16"), PI.encode(), zipped({"a/x.ipynb": ONE, "b.zip": zipped({"y.ipynb": TWO})})]


@given(st.sampled_from(SEEDS), st.randoms(use_true_random=False), st.sampled_from(["x.ipynb", "x.py", "x.zip", "x"]))
def test_spoilt_files_always_give_a_row(tmp_path_factory, data, random, name):
    path = tmp_path_factory.mktemp("spoilt") / name
    path.write_bytes(jumbled(data, random))
    rows = graded(path)
    assert rows and all(row.submission.lesson or row.submission.unreadable for row in rows.values())


@given(st.binary(), st.sampled_from(["x.ipynb", "x.py", "x.zip", "x.txt"]))
def test_any_bytes_always_give_a_row(tmp_path_factory, data, name):
    path = tmp_path_factory.mktemp("bytes") / name
    path.write_bytes(data)
    assert graded(path)


# -- which lesson


@pytest.mark.parametrize(
    ("source", "name", "lesson"),
    [
        ("# exercise: unit-vectors\nx = 1", "x.ipynb", "02_broadcasting"),
        ("check('unit-vectors')", "x.ipynb", "02_broadcasting"),
        ("def unit_vectors(v): ...", "x.ipynb", "02_broadcasting"),
        ("unit_vectors = jax.jit(f)", "x.ipynb", "02_broadcasting"),
        ("unit_vectors: object = 3\nflat_view = 1\nview_or_copy = 2", "02.ipynb", "01_memory_layout"),
        ("unit_vectors = 1\nflat_view = 1", "doe_01.ipynb", "01_memory_layout"),
        ("unit_vectors = 1\nflat_view = 1", "doe.ipynb", ""),
        ("", "02_broadcasting_doe.ipynb", "02_broadcasting"),
        ("", "Doe Broadcasting (3).ipynb", "02_broadcasting"),
        ("", "doe lesson2.ipynb", "02_broadcasting"),
        ("", "doe-HW-01.ipynb", "01_memory_layout"),
        ("", "doe-2.ipynb", ""),
        ("", "doe_2025_01_02.ipynb", ""),
        ("", "doe_12.ipynb", ""),
        ("", "doejane_2_101_x.ipynb", ""),
        ("", "doejane_2_101_x_02-1.ipynb", "02_broadcasting"),
    ],
)
def test_the_lesson_is_told_by_what_is_in_it_then_by_the_name(source, name, lesson, tmp_path):
    submission = one(tmp_path, book(source, lesson=""), name)
    assert submission.lesson == lesson and bool(submission.unreadable) == (not lesson)


def test_a_platforms_numbers_are_no_lessons(tmp_path):
    tree(tmp_path, {"doejane_12_1345_x.ipynb": book("", lesson=""), "x_12.ipynb": book("", lesson="")})
    lessons = {**LESSONS, "12_streams": frozenset()}
    assert [read(item, lessons).lesson for item in find(tmp_path).handed] == ["", "12_streams"]


def test_the_lesson_is_told_by_the_folders_name_last(tmp_path):
    tree(tmp_path, {"jane/02_broadcasting/x.ipynb": book(lesson=""), "tom/lesson 2/01.ipynb": book(lesson="")})
    assert [row[1] for row in graded(tmp_path)] == ["02_broadcasting", "01_memory_layout"]


def test_metadata_come_before_names_and_only_known_lessons_count(tmp_path):
    assert one(tmp_path, book(lesson="02_broadcasting"), "01.ipynb").lesson == "02_broadcasting"
    assert one(tmp_path, book("", lesson="99_other"), "01.ipynb").lesson == "01_memory_layout"


def test_what_was_handed_out_decides_where_a_notebook_does_not(tmp_path):
    tree(tmp_path, {"doe_01.ipynb": book("x = 1", lesson=""), "roe_01.ipynb": ONE, "x.pdf": b"%PDF"})
    rows = graded(tmp_path, "02_broadcasting")
    assert set(rows) == {("doe_01", "02_broadcasting"), ("roe", "01_memory_layout"), ("x", "02_broadcasting")}
    assert rows["doe_01", "02_broadcasting"].submission.notes == ("Taken as 02_broadcasting: nothing in it says so.",)


@pytest.mark.parametrize("lessons", [{}, {"toy": frozenset({"a"})}, {"x_y": frozenset(), "07": frozenset()}])
def test_lessons_of_any_name_can_be_asked_for(lessons, tmp_path):
    (tmp_path / "doe_toy.ipynb").write_bytes(book("x = 1", lesson=""))
    (handed,) = find(tmp_path / "doe_toy.ipynb").handed
    assert read(handed, lessons).lesson == ("toy" if "toy" in lessons else "")


# -- files that are not to be opened


SLOW = {
    "an import of one long name": "from " + "a" * 300_000,
    "an edition of blanks": "__edition__ = a" + " " * 300_000 + "b",
    "an edition of lines": "__edition__ = a" + "\n" * 300_000 + "b",
    "a definition of blanks": "def " + " " * 300_000,
    "a marker behind blanks": " " * 300_000 + "# exercise:",
    "a check of blanks": "check(" + " " * 300_000,
    "a stub of blanks": "raise NotImplementedError('your turn')" + " " * 300_000 + "x",
}


@pytest.mark.parametrize("what", SLOW)
def test_no_source_takes_long_to_be_read(what, tmp_path):
    """Each of 300 kB, which a zip makes a few hundred bytes of."""
    data, began = book(SLOW[what]), time.process_time()
    assert one(tmp_path, data).student == "doe_jane"
    assert time.process_time() - began < 3


def test_links_pipes_and_empty_folders_have_a_row(tmp_path):
    tree(tmp_path / "class", {"ann/x.ipynb": ONE, "bob": None})
    tree(tmp_path / "secret", {"x.ipynb": TWO})
    folder = tmp_path / "class"
    (folder / "cid.ipynb").symlink_to(tmp_path / "secret/x.ipynb")
    (folder / "dan").symlink_to(tmp_path / "secret")
    (folder / "eve.ipynb").symlink_to("nowhere")
    (folder / "fay.ipynb").symlink_to("ann/x.ipynb")
    os.mkfifo(folder / "gil.ipynb")
    rows = graded(folder)
    reasons = {student: row.submission.unreadable.partition(":")[0] for (student, _), row in rows.items()}
    link = "This is a symbolic link, and links are not followed"
    assert reasons == {
        "ann": "",
        "bob": "The folder is empty",
        **dict.fromkeys(("cid", "dan", "eve", "fay"), link),
        "gil": "This is not an ordinary file",
    }
    assert all(not row.submission.sha256 for (student, _), row in rows.items() if student != "ann")


def test_the_folder_itself_may_be_a_link(tmp_path):
    tree(tmp_path / "class", {"ann/x.ipynb": ONE, "bob/x.ipynb": ONE})
    (tmp_path / "link").symlink_to(tmp_path / "class")
    assert set(whose(tmp_path / "link").values()) == {"ann", "bob"}


@pytest.mark.parametrize("what", ["open", "scandir", "stat"])
def test_what_may_not_be_opened_has_a_row(what, tmp_path, monkeypatch):
    tree(tmp_path, {"ann/x.ipynb": ONE, "bob/y.ipynb": ONE})
    real = getattr(os, what)

    def denied(path, *args, **how):
        if str(path).endswith("bob" if what == "scandir" else "y.ipynb"):
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **how)

    monkeypatch.setattr(os, what, denied)
    rows = graded(tmp_path)
    reasons = {student: row.submission.unreadable for (student, _), row in rows.items()}
    kind = "folder" if what == "scandir" else "file"
    assert reasons == {"ann": "", "bob": f"The {kind} cannot be opened: Permission denied."}


def test_a_link_or_a_pipe_that_took_the_files_place_is_not_opened(tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_bytes(ONE)
    (handed,) = find(path).handed
    path.rename(tmp_path / "y.ipynb")
    path.symlink_to("y.ipynb")
    assert read(handed, LESSONS).unreadable.startswith("The file cannot be opened")
    path.unlink()
    os.mkfifo(path)
    assert read(handed, LESSONS).unreadable.startswith("This is not an ordinary file")
    path.unlink()
    assert read(handed, LESSONS).unreadable == "The file cannot be opened: No such file or directory."


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "MAX_BYTES", 100)
    monkeypatch.setattr(os, "open", None)
    tree(tmp_path, {"jane.ipynb": ONE})
    (row,) = graded(tmp_path).values()
    assert "clear the outputs and hand in the notebook again" in row.submission.unreadable


def test_a_large_export_is_read_in_pieces(tmp_path, monkeypatch):
    files = {f"{name}/x.ipynb": ONE + os.urandom(200) for name in ("ann", "bob")}
    tree(tmp_path, {"x.zip": zipped(files)})
    monkeypatch.setattr(_files, "MAX_BYTES", len(ONE) + 250)
    assert (tmp_path / "x.zip").stat().st_size > _files.MAX_BYTES
    assert [row.submission.unreadable for row in graded(tmp_path / "x.zip").values()] == ["", ""]


class Growing:
    """`os.stat`, while somebody writes the file: it changes at so many looks."""

    def __init__(self, path, changes):
        self.path, self.changes, self.looks, self.real = path, changes, 0, os.stat

    def __call__(self, path, **how):
        if path == self.path and self.looks < self.changes:
            self.looks += 1
            self.path.write_bytes(ONE + b" " * self.looks)
        return self.real(path, **how)


@pytest.mark.parametrize(("changes", "readable"), [(1, True), (_files.TRIES - 1, True), (_files.TRIES, False)])
def test_a_file_that_changes_is_read_again(changes, readable, tmp_path, monkeypatch):
    path = tmp_path / "x.ipynb"
    path.write_bytes(ONE)
    (handed,) = find(path).handed
    monkeypatch.setattr(os, "stat", Growing(path, changes))
    monkeypatch.setattr(_files.time, "sleep", lambda seconds: None)
    submission = read(handed, LESSONS)
    assert ("kept changing" in submission.unreadable) != readable and bool(submission.cells) == readable


# -- archives


def encrypted(data):
    """The same archive with the flag of encryption set on every member."""
    raw = bytearray(data)
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = raw.find(signature)
        while at >= 0:
            raw[at + offset] |= 1
            at = raw.find(signature, at + 4)
    return bytes(raw)


def claiming(data, size):
    """The same archive, whose table says that every member has this size when unpacked."""
    raw = bytearray(data)
    at = raw.find(b"PK\1\2")
    while at >= 0:
        raw[at + 24 : at + 28] = struct.pack("<I", size)
        at = raw.find(b"PK\1\2", at + 4)
    return bytes(raw)


def link(name):
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def nested(depth):
    data = zipped({"x.ipynb": ONE})
    for _ in range(depth):
        data = zipped({"in.zip": data})
    return data


DANGERS = {
    "a link": (zipped([(link("x.ipynb"), b"/etc/passwd")]), "This is a symbolic link in a zip archive"),
    "a path that leads out": (zipped({"../../x.ipynb": ONE}), "The path in the zip archive leads out of it"),
    "in the middle": (zipped({"a/../../x.ipynb": ONE}), "The path in the zip archive leads out of it"),
    "an absolute path": (zipped({"/etc/x.ipynb": ONE}), "The path in the zip archive leads out of it"),
    "a drive": (zipped({"C:\\x.ipynb": ONE}), "The path in the zip archive leads out of it"),
    "Windows, up": (zipped({"..\\x.ipynb": ONE}), "The path in the zip archive leads out of it"),
    "encrypted": (encrypted(zipped({"x.ipynb": ONE})), "The zip archive is encrypted"),
    "empty": (zipped({}), "The zip archive is empty"),
    "folders only": (zipped({"a/": b""}), "The zip archive is empty"),
    "cut off": (zipped({"x.ipynb": ONE})[:-30], "The zip archive is damaged"),
    "no archive": (b"PK\3\4 or not", "The zip archive is damaged"),
    "too deep": (nested(3), "Archives are nested more than 3 deep"),
    "it claims to be huge": (claiming(zipped({"x.ipynb": ONE}), 2**31), "The zip archive claims to hold more than"),
    "larger than it claims": (claiming(zipped({"x.ipynb": ONE}), 10), "The zip archive is damaged"),
}


@pytest.mark.parametrize("danger", DANGERS)
def test_a_dangerous_archive_is_a_row_with_a_reason(danger, tmp_path):
    data, reason = DANGERS[danger]
    tree(tmp_path / "class", {"eve.zip": data, "ann.zip": zipped({"x.ipynb": ONE})})
    rows = graded(tmp_path / "class")
    assert [student for student, _ in rows] == ["ann", "eve"]
    assert rows["ann", "01_memory_layout"].submission.unreadable == ""
    (eve,) = (row.submission for (student, _), row in rows.items() if student == "eve")
    assert eve.unreadable.startswith(reason) and eve.cells == ()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["ann.zip", "class", "eve.zip"]


def test_a_member_whose_bytes_are_not_those_of_its_checksum_is_not_read(tmp_path):
    data = bytearray(zipped({"x.ipynb": ONE}, compresslevel=0))
    data[data.find(b"madhava")] ^= 1
    tree(tmp_path, {"eve.zip": bytes(data)})
    (row,) = graded(tmp_path).values()
    assert row.submission.unreadable.startswith("The zip archive is damaged (Bad CRC-32")


def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "MAX_BYTES", 2**16)
    bomb = zipped({f"{n}.ipynb": b" " * 2**15 for n in range(9)})
    overlapping = claiming(bomb, 2**28)
    tree(tmp_path, {"ann.zip": zipped({"x.ipynb": b" " * 2**17}), "bob.zip": overlapping})
    reasons = [row.submission.unreadable for row in graded(tmp_path).values()]
    assert "no more than 0 MB are read" in reasons[0] and "a zip bomb" in reasons[1]


def test_a_member_is_read_no_further_than_the_limit(tmp_path, monkeypatch):
    tree(tmp_path, {"ann.zip": zipped({"x.ipynb": ONE + b" " * 10**6})})
    (handed,) = find(tmp_path).handed
    monkeypatch.setattr(_files, "MAX_BYTES", 10**5)
    assert "clear the outputs" in read(handed, LESSONS).unreadable


def test_an_archive_of_very_many_files_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "MAX_MEMBERS", 3)
    tree(tmp_path, {"ann.zip": zipped({f"{n}.ipynb": ONE for n in range(4)})})
    (row,) = graded(tmp_path).values()
    assert row.submission.unreadable == "The zip archive has more than 3 files."


def test_a_notebook_in_an_archive_is_opened_for_a_look_only_if_it_may_be_an_archive(tmp_path):
    """Each look is a message to another process, and an archive of 9 kB may have 90,000 notebooks."""
    files = {f"z{i}.zip": zipped({f"m{j}.ipynb": b"{}" for j in range(30)}) for i in range(5)}
    (tmp_path / "ann.zip").write_bytes(zipped({**files, "odd.ipynb": zipped({"x.ipynb": ONE}), "none.zip": b"no"}))
    asked = []

    def lister(path, members=()):
        asked.append(members)
        return listing(path, members)

    found = find(tmp_path, lister).handed
    assert len(asked) == 7 and len(found) == 5 * 30 + 2
    assert {"ann.zip!odd.ipynb!x.ipynb", "ann.zip!none.zip"} <= {one.source for one in found}


def test_archives_in_one_archive_have_a_number_of_files_together(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "MAX_WITHIN", 50)
    files = {f"z{i}.zip": zipped({f"m{j}.ipynb": ONE for j in range(20)}) for i in range(5)}
    (tmp_path / "ann.zip").write_bytes(zipped(files))
    found = find(tmp_path).handed
    assert [one.source for one in found if one.problem] == [f"ann.zip!z{i}.zip" for i in (2, 3, 4)]
    assert "more than 50 files" in found[-1].problem and len(found) == 43


def test_very_many_copies_of_the_course_take_no_long(tmp_path):
    inner = zipped({f"v{i}/src/jaxcourse/x.py": b"x = 1" for i in range(8_000)})
    (tmp_path / "ann.zip").write_bytes(zipped({"work.zip": inner}))
    began = time.process_time()
    assert len(find(tmp_path).handed) == 1_001
    assert time.process_time() - began < 8


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_two_members_of_one_name_the_last_counts(tmp_path):
    tree(tmp_path, {"ann.zip": zipped([("x.ipynb", book("first = 1")), ("x.ipynb", book("second = 2"))])})
    (row,) = graded(tmp_path).values()
    assert row.read(LESSONS).cells == ("second = 2",)
    assert row.submission.notes == (
        "2 files for this lesson: `ann.zip!x.ipynb` counts. Set aside: `ann.zip!x.ipynb` (earlier in the archive).",
    )


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_names_in_an_archive_need_no_flag(encoding, tmp_path):
    placeholder, name = (
        b"J" + b"?" * 2 * (encoding == "utf-8") + b"?" * (encoding == "latin-1"),
        "J\u00f6".encode(encoding),
    )
    data = zipped({placeholder.decode() + "/x.ipynb": ONE, "ann/x.ipynb": ONE})
    tree(tmp_path, {"class.zip": data.replace(placeholder, name)})
    students = set(whose(tmp_path / "class.zip").values())
    assert len(students) == 2 and ("J\u00f6" in students or encoding == "latin-1")


def test_a_name_on_disk_that_is_no_text_can_be_written(tmp_path):
    os.mkdir(os.fsencode(tmp_path) + b"/J\xf6")
    (tmp_path / os.fsdecode(b"J\xf6") / "x\n\u202ey.ipynb").write_bytes(ONE)
    (handed,) = find(tmp_path).handed
    assert handed.source.encode() == b"J\\udcf6/x\\n\\u202ey.ipynb" and handed.student == "J\\udcf6"
    assert read(handed, LESSONS).cells == (PI,)


def test_what_was_found_goes_to_other_processes(tmp_path):
    tree(tmp_path, {"class.zip": zipped({"ann/x.ipynb": ONE, "bob.zip": zipped({"y.ipynb": ONE})})})
    for handed in find(tmp_path / "class.zip").handed:
        assert read(pickle.loads(pickle.dumps(handed)), LESSONS).cells == (PI,)


# -- which counts


def at(path, hour):
    os.utime(path, (1_700_000_000 + 3600 * hour,) * 2)


def beside_ann(folder):
    """The rows of a class without Ann's, who is there so that a folder is a student's and not the class's."""
    rows = graded(tree(folder, {"ann/x.ipynb": ONE}))
    return {key: row for key, row in rows.items() if key[0] != "ann"}


def counted(folder):
    """Which file counts for the student, and what is said of the others."""
    (row,) = beside_ann(folder).values()
    return row.handed.file, row.submission.notes[-1].partition("Set aside: ")[2]


@pytest.mark.parametrize(
    ("files", "counts", "aside"),
    [
        ({"a.ipynb": 1, "b.ipynb": 2}, "b.ipynb", "`j/a.ipynb` (changed earlier)."),
        ({"a.ipynb": 2, "b.ipynb": 1}, "a.ipynb", "`j/b.ipynb` (changed earlier)."),
        ({"a.ipynb": 1, "b.ipynb": 1}, "b.ipynb", "`j/a.ipynb` (earlier by name)."),
        ({"a.ipynb": 2, "a (1).ipynb": 1}, "a (1).ipynb", "`j/a.ipynb` (an earlier copy)."),
        ({"a.ipynb": 2, "a-1.ipynb": 1}, "a-1.ipynb", "`j/a.ipynb` (an earlier copy)."),
        ({"a (2).ipynb": 1, "a (10).ipynb": 1}, "a (10).ipynb", "`j/a (2).ipynb` (an earlier copy)."),
        ({"Copy of a.ipynb": 1, "a.ipynb": 2}, "Copy of a.ipynb", "`j/a.ipynb` (an earlier copy)."),
        ({"a-1.ipynb": 1, "b.ipynb": 2}, "b.ipynb", "`j/a-1.ipynb` (changed earlier)."),
        (
            {"a.ipynb": 9, "a (1).ipynb": 1, "b.ipynb": 5},
            "b.ipynb",
            "`j/a (1).ipynb` (changed earlier), `j/a.ipynb` (an earlier copy).",
        ),
        ({"doej_5_1001_a.ipynb": 9, "doej_5_1002_b.ipynb": 1}, "doej_5_1002_b.ipynb", "an earlier attempt"),
    ],
)
def test_the_latest_counts(files, counts, aside, tmp_path):
    folder = tmp_path if "doej" in str(files) else tmp_path / "j"
    for number, (name, hour) in enumerate(files.items()):
        tree(folder, {name: book(PI, f"n = {number}")})
        at(folder / name, hour)
    found = counted(tmp_path)
    assert found[0] == counts and aside in found[1]


def test_what_the_platform_received_last_counts(tmp_path):
    metadata = METADATA.replace(b"name: Tom Tarn", b"name: Jane Doe").replace(
        b":email: tom@example.edu", b":sid: '007'"
    )
    tree(
        tmp_path, {"submission_metadata.yml": metadata, "submission_11/b.ipynb": ONE, "submission_12/a.ipynb": book("")}
    )
    at(tmp_path / "submission_11/b.ipynb", 9)
    row = graded(tmp_path)["007", "01_memory_layout"]
    assert row.handed.file == "a.ipynb" and row.submission.notes[-1].endswith(
        "`submission_11/b.ipynb` (handed in earlier)."
    )


def test_what_can_be_read_counts_before_what_cannot(tmp_path):
    files = {"j/01.ipynb": ONE, "j/01 (1).ipynb": ONE[:-50], "j/01.pdf": b"%PDF", "j/data.csv": b"1", "j/0.zip": b"PK"}
    tree(tmp_path, files)
    name, aside = counted(tmp_path)
    assert name == "01.ipynb" and aside == (
        "`j/0.zip` (not readable: The zip archive is damaged (File is not a zip file)), "
        "`j/01 (1).ipynb` (not readable: The notebook is cut off: it ends in line 1, in the middle of a cell), "
        "`j/01.pdf` (not readable: This is a PDF, not a notebook), "
        "`j/data.csv` (not readable: This is not a notebook: its name ends in `.csv`)."
    )


def test_a_broken_notebook_of_unknown_lesson_has_its_own_row(tmp_path):
    tree(tmp_path, {"j/a.ipynb": ONE, "j/b.ipynb": b"{", "j/c.ipynb": b"", "j/02.ipynb": b"{"})
    rows = beside_ann(tmp_path)
    assert list(rows) == [("j", ""), ("j", "01_memory_layout"), ("j", "02_broadcasting")]
    assert [bool(row.submission.unreadable) for row in rows.values()] == [True, False, True]
    assert rows["j", ""].aside == ("j/b.ipynb",)


def test_copies_of_one_content_are_told_to_be_the_same(tmp_path):
    assert "(the same content)" in counted(tree(tmp_path, {"j/a.ipynb": ONE, "j/b.ipynb": ONE}))[1]


def test_every_file_is_in_a_row(tmp_path):
    for files, _ in LAYOUTS.values():
        shutil.rmtree(tmp_path / "class", ignore_errors=True)
        handed = find(tree(tmp_path / "class", files)).handed
        rows = choose((item, glance(item, LESSONS)) for item in handed)
        told = [row.submission.source for row in rows] + [source for row in rows for source in row.aside]
        assert sorted(told) == sorted(item.source for item in handed)


def test_many_files_that_were_set_aside_are_counted_in_the_note(tmp_path):
    tree(tmp_path, {f"j/{n:02}x.ipynb": book(f"n = {n}") for n in range(40)})
    assert counted(tmp_path)[1].endswith("and 27 more.")


def test_a_choice_is_read_again_with_its_notes_and_its_owner(tmp_path):
    tree(tmp_path, {"j/a.ipynb": ONE, "j/b.ipynb": book(PI, "x = 1")})
    (row,) = beside_ann(tmp_path).values()
    row = replace(row, submission=replace(row.submission, student="4711", name="Jane Doe"))
    again = row.read(LESSONS)
    assert (again.student, again.name, again.cells) == ("4711", "Jane Doe", (PI, "x = 1"))
    assert again == replace(row.submission, cells=again.cells)
    (tmp_path / "j/b.ipynb").write_bytes(book("y = 1"))
    changed = row.read(LESSONS)
    assert changed.notes == (*again.notes, "The file has changed since the class was read.")
    assert (changed.cells, changed.sha256 != again.sha256) == (("y = 1",), True)


def member(name, moment, extra=b""):
    """What is known of a member of an archive."""
    info = zipfile.ZipInfo(name, moment)
    info.extra = extra
    return info


def test_when_a_file_was_changed_has_the_time_zone_that_is_known(tmp_path):
    tree(tmp_path, {"j.ipynb": ONE})
    at(tmp_path / "j.ipynb", 0)
    (row,) = graded(tmp_path).values()
    assert (row.handed.arrived, row.submission.submitted) == ("2023-11-14T22:13:20+00:00", "")
    local, unknown = member("x/j.ipynb", (2024, 2, 3, 4, 5, 6)), member("y/j.ipynb", (1980, 1, 1, 0, 0, 0))
    exact = member("z/j.ipynb", (2024, 2, 3, 4, 5, 6), b"UT\5\0\1" + struct.pack("<i", 1_700_000_000))
    (tmp_path / "z.zip").write_bytes(zipped([(local, ONE), (unknown, ONE), (exact, ONE)]))
    arrived = [item.arrived for item in find(tmp_path / "z.zip").handed]
    assert arrived == ["2024-02-03T04:05:06", "", "2023-11-14T22:13:20+00:00"]


def test_an_archive_of_ones_own_was_handed_in_when_the_archive_was(tmp_path):
    inner = zipped([(member("x.ipynb", (2020, 1, 1, 0, 0, 0)), ONE)])
    tree(tmp_path, {"in/doe.zip": inner, "in/roe.ipynb": ONE})
    at(tmp_path / "in/doe.zip", 0)
    assert {item.student: item.arrived for item in find(tmp_path / "in").handed}["doe"] == "2023-11-14T22:13:20+00:00"
    packed = zipped(
        [(member("doe.zip", (2021, 1, 1, 0, 0, 0)), inner), (member("roe.ipynb", (2021, 1, 1, 0, 0, 0)), ONE)]
    )
    (tmp_path / "class.zip").write_bytes(packed)
    assert {item.arrived for item in find(tmp_path / "class.zip").handed} == {"2021-01-01T00:00:00"}


@pytest.mark.parametrize("layout", ["Canvas", "Moodle", "Gradescope"])
def test_what_a_platform_packed_has_the_time_of_no_download(layout, tmp_path):
    tree(tmp_path, {"all.zip": zipped(LAYOUTS[layout][0])})
    assert {item.arrived for item in find(tmp_path / "all.zip").handed} == {""}


def test_an_export_is_opened_once(tmp_path, monkeypatch):
    tree(tmp_path, {"x.zip": zipped({f"{n}/x.ipynb": ONE for n in range(20)})})
    opened = []
    real = zipfile.ZipFile
    monkeypatch.setattr(_files.zipfile, "ZipFile", lambda *args: opened.append(args) or real(*args))
    assert len(graded(tmp_path / "x.zip")) == 20 and len(opened) == 1
