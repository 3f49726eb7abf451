"""The grader's rooms: each is entered through what it exports, and uses only the rooms below it."""

import ast
from pathlib import Path

import pytest

import jaxcourse_grade

ROOT = Path(jaxcourse_grade.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
ORDER = (
    ("_bounded", "_records", "_store", "_terminal"),
    ("_keeping",),
    ("intake", "slicing", "isolation"),
    ("judging",),
    ("workers",),
    ("analysis",),
    ("reports",),
    ("_again", "_frozen", "_selftest"),
    ("_class", "_analyse"),
    ("platforms", "grade"),
    ("commands",),
)
PROGRAMS = (("platforms", "github"), ("platforms", "gradescope"))
"""Each is run by its own name, `python -m`, on another machine: a door that imported them would run them twice."""
LEVEL = {room: level for level, rooms in enumerate(ORDER) for room in rooms}


def room(path):
    inside = path.relative_to(ROOT).with_suffix("").parts
    return "grade" if inside == ("__init__",) else inside[0]


def imported(path):
    """The modules below the grader's package that a file imports, as the parts of their names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("jaxcourse_grade"):
            inside = node.module.split(".")[1:]
            names = [alias.name if alias.name in LEVEL else "grade" for alias in node.names]
            yield from ((name,) for name in names) if not inside else [(*inside,)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_room_is_entered_through_what_it_exports_and_only_from_above(path):
    for target in imported(path):
        if target[0] != room(path):
            assert len(target) == 1 or target in PROGRAMS, (
                f"{path.name} imports {'.'.join(target)}, which is another room's own"
            )
            assert LEVEL[target[0]] < LEVEL[room(path)], f"{path.name} imports {target[0]}, which is not below it"


def test_every_room_says_what_it_does_and_exports_what_it_has():
    rooms = [path for path in FILES if path.name == "__init__.py"]
    assert {room(path) for path in FILES} == set(LEVEL)
    for path in rooms:
        assert len(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))).splitlines()) > 1, path
