"""An edit of the package concerns the lessons that can reach it, and no others."""

from collections import Counter
from pathlib import Path

import pytest

from jaxcourse import play
from jaxcourse.course import Course
from jaxcourse.paths import PACKAGE, files_of
from jaxcourse.play import _play
from jaxcourse.reach import files_reached, modules_reached
from jaxcourse_author.lesson import notebooks

LESSON = "import jax\nfrom jaxcourse import bench, check, draw, explore, frames, hint, launch, play, probe, solution\n"


def reached(code: str) -> set[str]:
    """The files that a lesson reaches beyond its imports, by their paths in the package."""
    return {str(path.relative_to(PACKAGE)) for path in files_reached(code)}


@pytest.mark.parametrize(
    ("code", "some", "none"),
    [
        ("draw.views(x, y)", {"draw/_views.py", "svg.py"}, {"draw/_mapped.py", "play/_play.py"}),
        ("picture = draw", {"draw/_views.py", "draw/_mapped.py"}, {"play/_play.py"}),
        ("bench.race({})", {"bench/_race.py", "bench/_clock.py"}, {"bench/_sweep.py", "draw/_views.py"}),
        ("play.keys()", {"play/js/keys.js", "play/js/engine.css"}, {"play/js/memory.js", "play/js/roofline.js"}),
        ("check('views')", {"notebook/_verbs.py", "course/_course.py", "exercise.py"}, {"bench/_race.py"}),
        ("table.jaxcourse.ewm()", {"frames/_accessor.py", "frames/_mean.py"}, {"notebook/_verbs.py"}),
        ("%timeit draw.views(x)\n!ls", set(), {"draw/_views.py"}),
        ("def broken(:", {"draw/_views.py", "play/js/keys.js", "launch.py"}, set()),
        ("run('import jax\\nfrom jaxcourse import draw\\ndraw.tape(f)')", {"draw/_tape.py"}, {"draw/_mapped.py"}),
        ("run(f'from jaxcourse import {name}')", {"draw/_mapped.py", "launch.py"}, set()),
    ],
)
def test_what_a_line_of_a_lesson_reaches(code: str, some: set[str], none: set[str]) -> None:
    found = reached(LESSON + code)
    assert some <= found
    assert not none & found


def test_a_page_of_the_book_reaches_what_it_uses_of_the_authors() -> None:
    names = {path.name for path in files_reached("from jaxcourse_author import eras, headlines\nold = eras.Eras({})")}
    assert {"eras.py", "table.py"} <= names
    assert not {"_results.py", "mutants.py", "_class.py"} & names
    assert "_ewma.py" in {
        path.name for path in files_reached("from jaxcourse_author import headlines as h\nh.HEADLINES")
    }


def test_an_import_alone_reaches_what_runs_when_it_is_imported() -> None:
    assert "frames/_accessor.py" in reached("from jaxcourse import frames")
    assert reached("from jaxcourse import check, draw, play") == set()


def test_other_libraries_are_no_concern_of_it() -> None:
    assert modules_reached("import numpy as np\nfrom pathlib import Path\nnp.draw.views(Path())") == frozenset()


@pytest.mark.parametrize("kind", [name for name in play.__all__ if name != "Play"])
def test_a_picture_reaches_each_script_that_it_reads(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = set()
    plain = _play.source

    def noting(name: str) -> str:
        read.add(f"play/js/{name}")
        return plain(name)

    monkeypatch.setattr(_play, "source", noting)
    assert getattr(play, kind)().html
    assert read
    assert read <= reached(f"from jaxcourse import play\nplay.{kind}()")


def test_most_of_the_package_concerns_few_lessons() -> None:
    """Otherwise the way through a room's `__init__` is lost, and every edit executes every lesson."""
    course = Course(Path(__file__).parents[2])
    lessons = [notebooks.read_lesson(path, course) for path in course.lesson_paths]
    code = ["\n".join(c.source for c in one.cells if c.is_code and "skip-execution" not in c.tags) for one in lessons]
    concerned = Counter(path for one in code for path in files_reached(one))
    package = list(PACKAGE.rglob("*.py"))
    assert sum(concerned[path] <= 1 for path in package) > len(package) / 2
    assert max(concerned.values()) > len(lessons) / 2


def test_a_package_below_a_folder_of_the_same_name_has_its_files(tmp_path):
    package = tmp_path / "_course" / "pack"
    (package / "_course").mkdir(parents=True)
    for name in ("one.py", "_course/packed.py"):
        (package / name).touch()
    assert files_of(package) == [package / "one.py"]
