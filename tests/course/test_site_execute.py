"""Lessons side by side: who may compute when, what measures, what is executed again, and what a failure says."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

execute = pytest.importorskip("site_execute")


def lesson(path: Path, *cells: str, timeout: int = 60) -> Any:
    """A lesson of some cells."""
    path.parent.mkdir(exist_ok=True)
    book = new_notebook(cells=[new_markdown_cell("Text."), *map(new_code_cell, cells)])
    book.metadata.source_map = [10 * i for i in range(len(cells) + 1)]
    return execute.Lesson(path.stem, path, book, timeout, "digest")


# -- turns ------------------------------------------------------------------------------------------------------


def test_whoever_measures_is_alone_and_the_others_share_the_places() -> None:
    together: list[tuple[bool, int]] = []

    async def work(turns: Any, running: list[bool], alone: bool) -> None:
        for _ in range(4):
            async with turns.turn(alone):
                running.append(alone)
                await asyncio.sleep(0.001)
                together.append((any(running), len(running)))
                running.remove(alone)

    async def everybody() -> None:
        turns, running = execute.Turns(2), []
        await asyncio.wait_for(asyncio.gather(*(work(turns, running, i % 3 == 0) for i in range(6))), 10)

    asyncio.run(everybody())
    assert len(together) == 24
    assert all(count == 1 for alone, count in together if alone)
    assert max(count for _, count in together) == 2


def test_no_place_stays_empty_while_some_wait_to_be_alone() -> None:
    """A lesson that wants to measure must not wait until all others have come to their ends."""
    order: list[str] = []

    async def lesson(turns: Any, name: str, cells: list[bool]) -> None:
        for alone in cells:
            async with turns.turn(alone):
                order.append(f"{name}{'!' * alone}")
                await asyncio.sleep(0.005)

    async def everybody() -> None:
        turns = execute.Turns(2)
        await asyncio.gather(lesson(turns, "a", [True, False, False]), lesson(turns, "b", [False] * 9))

    asyncio.run(everybody())
    assert order.index("a!") < 3
    assert order[-1] == "b"


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (["from jaxcourse import bench", "x = 1", "bench.race({})"], {2}),
        (["def clocked(f):\n    start = time.perf_counter()\n\n    return f()", "y = 2", "clocked(g)"], {0, 2}),
        (["def a():\n    perf_counter()", "def b():\n    a()", "b()", "c()"], {0, 1, 2}),
        (["%timeit f(x)", "f(x)", "bench.entry(f)"], {0}),
        (["run('import time\\ntime.perf_counter()')", "def race():\n    pass", "race()"], {0}),
    ],
)
def test_cells_that_measure_time_are_known(cells: list[str], found: set[int]) -> None:
    assert execute.measuring(new_notebook(cells=[new_code_cell(one) for one in cells])) == found


def test_some_lessons_measure_and_most_cells_do_not() -> None:
    jupytext = pytest.importorskip("jupytext")
    books = [jupytext.read(path, fmt="md:myst") for path in sorted((ROOT / "notebooks").glob("*.md"))]
    cells = [(i in execute.measuring(book)) for book in books for i in range(len(book.cells))]
    assert 10 < sum(cells) < len(cells) / 10


# -- what must be executed --------------------------------------------------------------------------------------


def course(root: Path) -> Path:
    """A course of one lesson, with its checks and its solution."""
    for name in (
        "requirements.txt",
        "exercises_tests/01_a/one.py",
        "exercises_tests/02_b/two.py",
        "solutions/course.json",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("# the first\n")
    return root


@pytest.mark.parametrize(
    ("changed", "code", "again"),
    [
        ("requirements.txt", "x = 1", True),
        ("exercises_tests/01_a/one.py", "from jaxcourse import check\ncheck('a')", True),
        ("solutions/course.json", "from jaxcourse import solution\nsolution('a')", True),
        ("exercises_tests/01_a/one.py", "from jaxcourse import check", False),
        ("exercises_tests/02_b/two.py", "from jaxcourse import check\ncheck('a')", False),
    ],
)
def test_outputs_depend_on_the_requirements_and_on_the_checks_that_are_called(
    tmp_path: Path, changed: str, code: str, again: bool
) -> None:
    root = course(tmp_path)
    before = execute.depends_on(root, Path("notebooks/01_a.md"), code)
    assert execute.depends_on(root, Path("notebooks/01_a.md"), code) == before
    (root / changed).write_text("# the second\n")
    assert (execute.depends_on(root, Path("notebooks/01_a.md"), code) != before) is again


def test_outputs_depend_on_the_files_that_a_lesson_reads(tmp_path: Path) -> None:
    from myst_nb.core.config import NbParserConfig
    from myst_parser.config.main import MdParserConfig

    source = (ROOT / "notebooks" / "00_start_here.md").read_text(encoding="utf-8")
    path = course(tmp_path) / "notebooks" / "01_a.md"
    path.parent.mkdir()
    path.write_text(source.replace("\nafter:", "\nfiles: [runs.csv]\nafter:", 1), encoding="utf-8")
    (path.parent / "runs.csv").write_text("1\n", encoding="utf-8")

    def note() -> str:
        env = SimpleNamespace(
            doc2path=lambda name: str(path),
            mystnb_config=NbParserConfig(execution_mode="cache"),
            myst_config=MdParserConfig(),
            prepare_settings=lambda name: None,
            temp_data={},
        )
        app = SimpleNamespace(env=env, srcdir=tmp_path, emit=lambda *event: None)
        (one,) = execute.lessons(app, {"notebooks/01_a"})
        return str(one.depends_on)

    before = note()
    assert note() == before
    (path.parent / "runs.csv").write_text("2\n", encoding="utf-8")
    assert note() != before


def test_outputs_depend_on_the_settings_of_jax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = course(tmp_path)
    before = execute.depends_on(root, Path("notebooks/01_a.md"), "x = 1")
    monkeypatch.setenv("JAX_ENABLE_X64", "1")
    assert execute.depends_on(root, Path("notebooks/01_a.md"), "x = 1") != before


@pytest.mark.parametrize(
    ("data", "current"), [({"depends_on": "digest"}, True), ({"depends_on": "another"}, False), ({}, False)]
)
def test_a_record_holds_while_nothing_that_it_depends_on_has_changed(
    tmp_path: Path, data: dict[str, str], current: bool
) -> None:
    cache = SimpleNamespace(match_cache_notebook=lambda notebook: SimpleNamespace(data=data))
    assert execute.is_current(cache, lesson(tmp_path / "01_a.md")) is current


# -- execution --------------------------------------------------------------------------------------------------


def test_lessons_are_executed_where_they_lie_and_kept_one_by_one(tmp_path: Path) -> None:
    todo = [lesson(tmp_path / name / f"{name}.md", "from pathlib import Path", "Path.cwd().name") for name in "ab"]
    kept = {}
    asyncio.run(execute.execute(todo, 2, lambda one, seconds: kept.update({one.docname: seconds})))
    assert set(kept) == {"a", "b"}
    for one in todo:
        assert one.notebook.cells[2].outputs[0].data["text/plain"] == repr(one.docname)
        assert "execution" not in one.notebook.cells[2].metadata


def test_a_cell_that_fails_is_named_and_stops_the_others(tmp_path: Path) -> None:
    bad = lesson(tmp_path / "01_bad.md", "x = 1", "undefined")
    slow = lesson(tmp_path / "02_slow.md", "import time", "time.sleep(50)")
    kept: list[str] = []
    said: list[str] = []

    class Ear:
        def warning(self, text: str, **facts: Any) -> None:
            said.append(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(execute, "logger", Ear())
        with pytest.raises(execute.ExecutionError, match="01_bad.md"):
            asyncio.run(asyncio.wait_for(execute.execute([bad, slow], 2, lambda one, _: kept.append(one)), 40))
    assert kept == []
    assert "01_bad.md, the cell at line 21" in said[0]
    assert "NameError: name 'undefined' is not defined" in said[0].replace("\x1b[31m", "").replace("\x1b[39m", "")


def test_a_cell_that_never_ends_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(execute, "logger", SimpleNamespace(warning=lambda text, **facts: said.append(text)))
    with pytest.raises(execute.ExecutionError):
        asyncio.run(execute.execute([lesson(tmp_path / "01_a.md", "while True: pass", timeout=1)], 2, print))
    assert "CellTimeoutError" in said[0]
