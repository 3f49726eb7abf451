"""From a lesson to its blank and its solved notebook.

The notebooks are what students open in Colab. The same lesson gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import nbformat

from jaxcourse.course import RUNS, TEXTS, UNSET, WITHHELD, Course, LessonText, Withheld, in_two
from jaxcourse_author.lesson._cells import UNREAD, Cell, LessonError
from jaxcourse_author.lesson._lesson import LessonSource
from jaxcourse_author.lesson._moved import old_exercises, old_names
from jaxcourse_author.lesson._pages import boxes_by_key
from jaxcourse_author.lesson._read import read_lesson
from jaxcourse_author.lesson._repeats import home, repeat_note, repeats
from jaxcourse_author.lesson._unwritten import Unwritten, unwritten, without_unwritten
from jaxcourse_author.lesson._withheld import examples_of, withheld_at
from jaxcourse_author.lesson.again import paragraphs_of
from jaxcourse_author.lesson.elsewhere import Elsewhere
from jaxcourse_author.lesson.predictions import Box

_TITLE = "# @title "
"""With what the line begins that Colab shows of a cell whose code it folds."""
_FOLDED = {"cellView": "form", "jupyter": {"source_hidden": True}}
"""Folds the code of a cell: in Colab, and in JupyterLab. Code that nobody need read is not where a lesson begins."""
_ID_LENGTH = 60
"""A cell's id has at most 64 characters; the rest is for telling equal cells apart."""


def blank(lesson: LessonSource, course: Course) -> str:
    """The notebook that a student opens, without the solutions and the proofs.

    Returns:
        The `.ipynb` file's text.
    """
    cells = [cell for cell in lesson.cells if cell.role not in ("solution", "reasoning", "proof")]
    return _notebook(lesson, course, "notebooks", cells)


def solved_notebook(lesson: LessonSource, course: Course) -> str:
    """The same notebook with every stub replaced by its solution.

    Returns:
        The `.ipynb` file's text.
    """
    solutions = {cell.exercise: cell for cell in lesson.cells if cell.role == "solution"}
    cells = [
        solutions[cell.exercise] if cell.role == "stub" else _with_heading(cell)
        for cell in lesson.cells
        if cell.role != "solution"
    ]
    return _notebook(lesson, course, "solutions", cells)


def both(lesson: LessonSource, course: Course) -> str:
    """The notebook with each exercise first blank and then solved, each time with its check.

    Returns:
        The `.ipynb` file's text.
    """
    checks = {cell.exercise: cell for cell in lesson.cells if cell.role == "check"}
    pairs = ([cell, checks[cell.exercise]] if cell.role == "solution" else [cell] for cell in lesson.cells)
    return _notebook(lesson, course, "notebooks", [cell for pair in pairs for cell in pair])


def _with_heading(cell: Cell) -> Cell:
    return replace(cell, source=f"**Solution.** {cell.source}") if cell.role == "reasoning" else cell


def _notebook(lesson: LessonSource, course: Course, folder: str, cells: list[Cell]) -> str:
    _require_no_files(lesson)
    page = _page(lesson, course)
    first = Cell("code", _first_cell(lesson, course), tags=("remove-cell",))
    head = [Cell("text", _banner(lesson, course, folder, page)), first]
    cells = list(_with_questions(_with_repeat_notes(cells, course), lesson))
    about = {
        "lesson": lesson.stem,
        "title": lesson.title,
        "minutes": dict(zip(("core", "with_practice"), lesson.minutes.figures, strict=True)),
        "practice": list(lesson.practice),
        "page": page,
        "sections": lesson.sections,
        "source": f"notebooks/{lesson.stem}.md",
    }
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "jaxcourse": about,
    }
    # Made as data and validated once: nbformat's own functions validate each cell when it is made, too.
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": list(_with_ids([*head, *cells]))}
    nbformat.validate(made := nbformat.from_dict(book))
    return nbformat.writes(made) + "\n"  # type: ignore[no-any-return]


_IMPORT = "from jaxcourse import "


def _with_questions(cells: list[Cell], lesson: LessonSource) -> Iterator[Cell]:
    """Cells, and before each that answers a prediction box one that asks for the prediction.

    The question itself stands in the text above. What is right is in neither.

    Raises:
        LessonError: there are boxes, and no set-up cell.
    """
    keys = {box.digest: key for key, box in boxes_by_key(lesson.boxes).items()}
    setup = next((cell for cell in cells if cell.role == "setup"), None)
    if keys and not setup:
        problem = (
            "it has prediction boxes, and no cell tagged `setup`, by which its notebook would import `ask`: tag one."
        )
        raise LessonError(lesson.path, problem)
    open_boxes: list[Box] = []
    for cell in cells:
        if cell.is_code:
            yield from (Cell("ask", _ask_code(keys[box.digest], box)) for box in open_boxes)
            open_boxes = []
        open_boxes += [part.box for part in cell.parts if part.box]
        yield replace(cell, source=_with_ask(cell.source)) if keys and cell is setup else cell


def _ask_code(key: str, box: Box) -> str:
    """The code that asks for a prediction, with a place for each thing that is asked."""
    return f'ask("{key}", {", ".join("..." for _ in box.fields)})'


def _with_ask(setup: str) -> str:
    """The code of a set-up cell, which imports `ask` as well."""
    if _IMPORT not in setup:
        return f"{_IMPORT}ask\n\n{setup}"
    return setup.replace(_IMPORT, f"{_IMPORT}ask, ", 1)


def _with_repeat_notes(cells: list[Cell], course: Course) -> list[Cell]:
    """Cells, of which a task that repeats another one says so at its end."""
    again = repeats(course)
    return [
        replace(cell, source=f"{cell.source}\n\n{repeat_note(first, _address(course, first))}")
        if cell.role == "task" and (first := again.get(cell.exercise))
        else cell
        for cell in cells
    ]


def _address(course: Course, name: str) -> str:
    """Where an exercise is on the site; empty if it is not taught, or there is no site."""
    stem = home(course, name)
    taught = course.site and stem in {path.stem for path in course.lesson_paths}
    return f"{course.site}/notebooks/{stem}.html#{name}" if taught else ""


def _require_no_files(lesson: LessonSource) -> None:
    """Refuse an image that lies beside the source, where neither Colab nor the other folder finds it."""
    for image in lesson.images:
        if not image.address.startswith(("https:", "http:", "data:")):
            problem = f"the image {image.address!r} is in no notebook: draw it in a cell, by `jaxcourse.draw`."
            raise LessonError(lesson.path, problem, image.line)


def _page(lesson: LessonSource, course: Course) -> str:
    return f"{course.site}/notebooks/{lesson.stem}.html" if course.site else ""


def _banner(lesson: LessonSource, course: Course, folder: str, page: str) -> str:
    colab = f"{course.colab}/{folder}/{lesson.stem}.ipynb"
    badge = f"[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({colab})"
    nowhere = (
        "" if course.site else f"**Open in Colab**: not yet. {_command_as_code(UNSET)}."
    )  # another forge has no button
    read = f"[Read this lesson as a page]({page})." if page else ""
    what = "This notebook, with its solutions," if folder == "solutions" else "This notebook"
    kept = f" {withheld_note(lesson.withheld)}" if lesson.withheld else ""
    return (
        f"{' '.join(filter(None, (badge if course.colab else nowhere, read, 'It takes about')))} {lesson.minutes}. "
        f"{what} belongs to *{course.title}*, and is generated from `notebooks/{lesson.stem}.md`.{kept}"
    )


def withheld_note(withheld: Withheld) -> str:
    """What page and notebook say of a lesson that withholds its solutions, in Markdown."""
    runs = ", and whether it runs" if withheld.tells == RUNS else ""
    return (
        f"Solutions, hints and checks of this lesson are withheld {withheld.words}. A check notes that your answer is "
        f"there{runs}. Hand in the notebook itself."
    )


def _command_as_code(text: str) -> str:
    """A sentence that ends in a command, with the command as code."""
    words, _, command = text.partition(": ")
    return f"{words}: `{command}`"


def _first_cell(lesson: LessonSource, course: Course) -> str:
    """The code that says which edition the notebook is of, and installs the package in Colab, and only there.

    From the site comes the wheel of this edition, or the one that is there if the site has no such edition (any more,
    or yet), which the cell says. Nothing but that wheel is installed, and no other place is asked. Without a site it is
    built from the repository. Where there is no package then, in Colab or elsewhere, the cell says what to do.
    """
    installing = _install_lines(lesson, course)
    return "\n".join(
        [
            f"{_TITLE}In Colab this installs the course's package; elsewhere it says whether it is there",
            "import sys",
            "from importlib import invalidate_caches",
            "from importlib.util import find_spec",
            "",
            f'__edition__ = "{lesson.stem} {lesson.edition}"',
            *(
                ['if "google.colab" in sys.modules and not getattr(find_spec("jaxcourse"), "origin", None):']
                * bool(installing)
            ),
            *(f"    {line}" for line in installing),
            "invalidate_caches()",
            'if not getattr(find_spec("jaxcourse"), "origin", None):',
            "    raise ModuleNotFoundError(",
            *(f"        {json.dumps(line, ensure_ascii=False)}" for line in _lacking_lines(course)),
            "    )",
            *_OTHERS * bool(course.site),
            *_bring_lines(lesson),
        ]
    )


def _install_lines(lesson: LessonSource, course: Course) -> list[str]:
    """The lines that install the package in Colab; none where nobody has said from where."""
    if course.site:
        return [
            "from urllib.request import urlopen",
            f'_wheel = "{course.site}/wheel/"',
            "try:",
            f'    _wheel = urlopen(_wheel + "{wheel_page(lesson.stem, lesson.edition)}").url',
            "except OSError:  # the site does not have this notebook's edition, which is said below",
            "    pass",
            "%pip install --quiet --no-deps --no-index --find-links {_wheel} jaxcourse",
        ]
    if course.repository:
        return [f'%pip install --quiet --no-deps "jaxcourse @ git+{course.repository}@{course.branch}"']
    return []


def _bring_lines(lesson: LessonSource) -> list[str]:
    """The lines that lay the files which a lesson reads beside its notebook; none where it reads none."""
    if not lesson.files:
        return []
    return ["", "from jaxcourse import bring", "", f"bring({json.dumps(lesson.files)})"]


_OTHERS = (
    'if globals().get("_wheel", "").endswith("/"):',
    "    from importlib.metadata import version",
    "",
    "    print(",
    """        "The course's site does not have this notebook's edition: you work with",""",
    '        version("jaxcourse") + ".",',
    '        "A new edition is there some minutes after its notebooks. To have it then, choose",',
    '        "Runtime > Disconnect and delete runtime, and run this cell again.",',
    "    )",
)
"""The lines that say which edition Colab has got, where it is not the notebook's own."""


def _lacking_lines(course: Course) -> list[str]:
    """What to say where the package is not: in Colab it could not be had, elsewhere nobody has installed it.

    The command names no place but the owner's: what a public index has under this name is somebody else's.
    """
    if not (course.site or course.repository):
        return ["This Python does not have the course's package. ", f"{UNSET}."]
    place, command = course.repository, f'"jaxcourse @ git+{course.repository}@{course.branch}"'
    if course.site:
        place, command = course.site, f"--no-index --find-links {course.site}/wheel/ jaxcourse"
    return [
        "This Python does not have the course's package. ",
        f"In Colab: {place} did not give it. Is it published, and open without a login? Ask who teaches. ",
        f"Elsewhere: run %pip install --no-deps {command} in a cell, and then this one again. ",
        "The lessons need numpy, jax, matplotlib, and some flax, numba, optax and pandas as well.",
    ]


def wheel_page(stem: str, edition: str) -> str:
    """The page of the site that links to the wheel for one edition of a lesson, below its folder `wheel/`.

    Example:
        >>> wheel_page("11_broadcasting", "1f2e3d4c")
        '11_broadcasting-1f2e3d4c.html'
    """
    return f"{stem}-{edition}.html"


def _with_ids(cells: list[Cell]) -> Iterator[dict[str, Any]]:
    """Notebook cells with ids that follow from the source, so that the same source gives the same bytes."""
    seen: Counter[str] = Counter()
    for cell in cells:
        name = f"{cell.exercise}-{cell.role}" if cell.exercise and cell.is_code else _digest(cell.source)
        name = name if len(name) <= _ID_LENGTH else _digest(name)
        seen[name] += 1
        yield _cell(cell, name if seen[name] == 1 else f"{name}-{seen[name]}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _cell(cell: Cell, ident: str) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if cell.exercise:
        metadata["jaxcourse"] = {"exercise": cell.exercise, "role": cell.role}
    elif cell.role == "ask":
        metadata["jaxcourse"] = {"role": cell.role}
    if not cell.is_code:
        return {"cell_type": "markdown", "id": ident, "metadata": metadata, "source": cell.source}
    # Every output is ignored under nbval, a check's too: a check raises there, and a student's saved panel
    # (or a timing) must not fail a right answer.
    metadata["tags"] = sorted({*cell.tags, "nbval-ignore-output"} - {"skip-execution"})
    metadata |= _FOLDED if UNREAD.intersection(cell.tags) else {}
    source = (
        f"# exercise: {cell.exercise}\n{cell.source}" if cell.role in ("stub", "solution") else _code_with_title(cell)
    )
    code: dict[str, Any] = {"cell_type": "code", "execution_count": None, "outputs": []}
    return {**code, "id": ident, "metadata": metadata, "source": source}


def _code_with_title(cell: Cell) -> str:
    """The code of a cell; where the page folds it, below a line that Colab shows in its place."""
    if not UNREAD.intersection(cell.tags) or cell.source.startswith((_TITLE, "%%")):
        return cell.source
    title = "Set-up: run this first" if cell.role == "setup" else "Run this: its code is folded"
    return f"{_TITLE}{title}\n{cell.source}"


def text(lesson: LessonSource, course: Course) -> LessonText:
    """What a lesson says, as far as somebody who checks an answer needs it."""
    tasks = lesson.tasks
    reasons = {cell.exercise: _with_heading(cell).source for cell in lesson.cells if cell.role == "reasoning"}
    return LessonText(
        page=_page(lesson, course),
        sections=lesson.sections,
        solutions={name: task.solution for name, task in tasks.items()},
        reasons={name: reasons.get(name, "") for name in tasks},
        practice=lesson.practice,
        edition=lesson.edition,
        title=lesson.title,
        paragraphs={name: (one.section, one.opening) for name, one in paragraphs_of(lesson).items()},
        titles={name: task.title for name, task in tasks.items()},
        was=[name for name, stem in old_names(course).items() if stem == lesson.stem],
        earlier=_earlier(tasks, course),
        predictions={
            key: [field.for_notebook() for field in box.fields] for key, box in boxes_by_key(lesson.boxes).items()
        },
        withheld=lesson.withheld.to_json() if lesson.withheld else {},
        examples=examples_of(lesson) if lesson.withheld and lesson.withheld.tells == RUNS else {},
        files=lesson.files,
    )


def _earlier(tasks: Iterable[str], course: Course) -> dict[str, list[str]]:
    """The names that exercises have had, the latest first; of those that have had any."""
    found: dict[str, list[str]] = {}
    for old, name in old_exercises(course).items():
        found.setdefault(name, []).insert(0, old)
    return {name: found[name] for name in tasks if name in found}


_MOVED = "moved"
"""The name of the cell that leads to another notebook."""


def moved_notebook(lesson: LessonSource, course: Course) -> str:
    """The notebook at an address that the lesson has had: one cell, which leads to where it is now.

    Returns:
        The `.ipynb` file's text.
    """
    name = f"notebooks/{lesson.stem}.ipynb"
    now = f"[`{name}`]({course.colab}/{name})" if course.colab else f"`{name}`"
    page, about = _page(lesson, course), {"lesson": lesson.stem, "title": lesson.title}
    read = f" [Read it as a page]({page})." if page else ""
    source = (
        f"# {lesson.title}\n\nThis lesson has another name now: {now}.{read} What you have solved of it counts there."
    )
    cell = {"cell_type": "markdown", "id": _MOVED, "metadata": {}, "source": source}
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"jaxcourse": about}, "cells": [cell]}
    nbformat.validate(made := nbformat.from_dict(book))
    return nbformat.writes(made) + "\n"  # type: ignore[no-any-return]


def generated_files(course: Course) -> dict[Path, str]:
    """Every generated file of a course, by its path, as it should be: two notebooks a lesson, and what lessons say.

    What a lesson withholds has a file of its own, before and after its time: nothing here depends on the clock.
    Exercises that are not written yet are in none of them, and of a lesson that is not there are no notebooks.
    Where a lesson has had other names, a notebook of one cell stands under each.

    Raises:
        LessonError: a lesson's source is not as it must be.
    """
    files, texts = {}, {}
    for path in course.lesson_paths:
        source = read_lesson(path, course)
        lesson = without_unwritten(source, course.root)
        said = text(lesson, course)
        if said.withheld:
            said, kept = in_two(said)
            files[course.root / WITHHELD / f"{path.stem}.json"] = _as_json(kept)
        texts[path.stem] = asdict(said)
        if any(not one.exercise for one in unwritten(source, course.root)):
            continue
        files[course.root / "notebooks" / f"{path.stem}.ipynb"] = blank(lesson, course)
        files[course.root / "solutions" / f"{path.stem}.ipynb"] = solved_notebook(lesson, course)
        for name in texts[path.stem]["was"]:
            files[course.root / "notebooks" / f"{name}.ipynb"] = moved_notebook(lesson, course)
    texts |= {stem: asdict(one) for stem, one in Elsewhere(course).texts().items()}
    for path in (path for path in course.lessons_here if path not in course.lesson_paths):
        if withheld := withheld_at(path):  # nobody is to install the checks of an examination that is being written
            texts[path.stem] = asdict(LessonText("", {}, {}, {}, withheld=withheld.to_json()))
    files[course.root / TEXTS] = _as_json(texts)
    return files


def _as_json(data: Any) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def kept_back(course: Course) -> list[Unwritten]:
    """What of a course is not written yet, and so in no notebook."""
    return [one for path in course.lesson_paths for one in unwritten(read_lesson(path, course), course.root)]


def sources_of(path: Path) -> str:
    """What a generated file is made from, in words.

    Example:
        >>> sources_of(Path("solutions/01_toy.ipynb")), sources_of(Path("solutions/course.json"))
        ('notebooks/01_toy.md gives', 'the lessons and their checks give')
    """
    return f"notebooks/{path.stem}.md gives" if path.suffix == ".ipynb" else "the lessons and their checks give"


def stale(course: Course) -> dict[Path, str]:
    """The generated files that are missing or not what their source gives: by path, what they should be."""
    return {
        path: wanted
        for path, wanted in generated_files(course).items()
        if not path.exists() or path.read_text(encoding="utf-8") != wanted
    }


def write(course: Course) -> list[Path]:
    """Write the notebooks that are stale, and return their paths.

    Those of one cell go where the name is another lesson's now, even if that has no notebook yet.
    """
    changed, here = stale(course), {path.stem for path in course.lesson_paths}
    for path in (course.root / "notebooks").glob("*.ipynb"):
        if path not in changed and path.stem in here and f'"id": "{_MOVED}"' in path.read_text(encoding="utf-8"):
            path.unlink()
    for path, wanted in changed.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted, encoding="utf-8", newline="\n")
    return list(changed)
