"""What a change can reach, the nearest first, and what `make test-quick` says of the rest."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import touched
from touched import CHANGE, Files, Touched, distances

FILES = {
    "src/pack/__init__.py": "from pack.room import door as door",
    "src/pack/room/__init__.py": "from pack.room._deep import door as door",
    "src/pack/room/_deep.py": "def door(): pass",
    "src/pack/other.py": "import json",
    "src/pack/play/_page.py": "",
    "src/pack/play/js/move.js": "",
    "tests/helper.py": "from pack.room._deep import door",
    "tests/test_helped.py": "import helper",
    "tests/test_deep.py": "def test():\n    from pack.room import door",
    "tests/test_other.py": "import pytest\nimport pack.other\nfor name in ['jax']:\n    pytest.importorskip(name)",
    "tests/course/test_ideas.py": 'TEXT = open("ideas.yml").read()',
    "tests/course/test_site.py": 'import pytest\nexecute = pytest.importorskip("site_execute")',
    "tests/play/test_page.py": "from pack.play import _page",
    "tests/answers/01_a/one.py": "import helper",
    "book/_ext/site_execute.py": "",
    "book/ideas.yml": "",
    "exercises_tests/01_a/_lesson.py": "",
    "exercises_tests/01_a/one.py": "from ._lesson import shared",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    root = tmp_path_factory.mktemp("course") / "answers"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return Files(root)


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("src/pack/room/_deep.py", {"tests/test_helped.py": 2, "tests/test_deep.py": 2}),
        ("src/pack/other.py", {"tests/test_other.py": 1}),
        ("tests/helper.py", {"tests/test_helped.py": 1}),
        ("tests/test_other.py", {"tests/test_other.py": 0}),
        ("book/ideas.yml", {"tests/course/test_ideas.py": 1}),
        ("book/_ext/site_execute.py", {"tests/course/test_site.py": 1}),
        ("src/pack/play/js/move.js", {"tests/play/test_page.py": 2}),
        ("exercises_tests/01_a/_lesson.py", {}),
        ("README.md", {}),
    ],
)
def test_a_change_reaches_who_imports_it_and_who_imports_these(files, changed, tests):
    found = distances(files, [changed])
    assert {name: far for name, far in found.items() if Path(name).name.startswith("test_")} == tests
    assert changed not in files.texts or found[changed] == 0


def test_what_checks_share_reaches_each_of_them(files):
    assert distances(files, ["exercises_tests/01_a/_lesson.py"])["exercises_tests/01_a/one.py"] == 1


CHANGED = Touched(
    "0123456789ab",
    ("exercises_tests/01_a/one.py", "src/pack/other.py"),
    {"tests/test_other.py": 1, "tests/test_deep.py": 3},
    ("01_a/one",),
    {"02_b": 2},
)


def test_of_a_lesson_what_has_changed_is_asked_and_all_of_it_where_it_reaches_the_package():
    assert CHANGED.only("01_a") == ("01_a/one",) and CHANGED.only("02_b") == ("02_b",)
    assert [CHANGED.rank("", stem) for stem in ("01_a", "02_b", "03_c")] == [0, 2, None]


def config(change):
    gone = []
    hook = SimpleNamespace(pytest_deselected=lambda items: gone.extend(items))
    return SimpleNamespace(stash={CHANGE: change}, hook=hook, rootpath=Path("/course"), gone=gone)


def item(name, stem=""):
    return SimpleNamespace(nodeid=name, callspec=SimpleNamespace(params={"stem": stem} if stem else {}))


def test_the_nearest_is_asked_first_and_what_reaches_nothing_not_at_all():
    contract = f"{touched.CONTRACT}::test_lesson"
    items = [
        item("tests/test_deep.py::test_a"),
        item(contract, "02_b"),
        item(contract, "03_c"),
        item("tests/test_other.py::test_b"),
        item("tests/test_far.py::test_c"),
        item(contract, "01_a"),
    ]
    asked = config(CHANGED)
    touched.pytest_collection_modifyitems(asked, items)
    order = ["01_a", "tests/test_other.py::test_b", "02_b", "tests/test_deep.py::test_a"]
    assert [one.callspec.params.get("stem", one.nodeid) for one in items] == order
    assert [one.callspec.params.get("stem", one.nodeid) for one in asked.gone] == ["03_c", "tests/test_far.py::test_c"]


def test_a_file_that_reaches_nothing_is_not_read():
    def read(name):
        return touched.pytest_ignore_collect(Path("/course", name), config(CHANGED)) is None

    assert read("tests/test_other.py") and read("tests") and read(touched.CONTRACT)
    assert not read("tests/test_far.py") and not read("src/pack/room/_deep.py")


def test_what_was_left_out_is_said():
    said = "\n".join(touched.lines(CHANGED, {"tests/test_deep.py": 4}))
    assert "2 files differ from 0123456789" in said and "lessons asked: 01_a/one, 02_b" in said
    assert "since the time was over: tests/test_deep.py (4)" in said and "imports none of them" in said
    assert "time was over" not in "\n".join(touched.lines(CHANGED, {}))
    assert list(touched.lines(Touched(), {})) == ["nothing has changed, so no test was asked"]
