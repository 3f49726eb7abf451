"""From a lesson's source, `notebooks/NN_topic.md`, to its blank and its solved notebook.

The source is MyST Markdown: prose, code cells, and exercises between `{exercise-start}` and `{solution-end}` gates.
The notebooks are what students open in Colab, which knows no MyST: gates become headings, admonitions become quotes,
roles become links. Reading is jupytext's work, writing nbformat's; the same source gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import jupytext
import nbformat
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from jaxcourse.course import LABEL, TEXTS, UNSET, Course, LessonText
from jaxcourse_author.lesson._minutes import Minutes, in_sittings, minutes_of, sittings_of, solving
from jaxcourse_author.lesson.again import chosen
from jaxcourse_author.lesson.elsewhere import Elsewhere
from jaxcourse_author.lesson.predictions import Box, PredictionError, read_box

Role = Literal["text", "code", "setup", "proof", "task", "stub", "check", "reasoning", "solution"]

_TAGGED: dict[str, Role] = {
    "exercise": "stub",
    "check": "check",
    "solution": "solution",
    "setup": "setup",
    "proof": "proof",
}
_ADMONITIONS = {
    "note": "Note",
    "tip": "Tip",
    "hint": "Hint",
    "important": "Important",
    "warning": "Warning",
    "seealso": "See also",
}
_GATES = {"exercise-start", "exercise-end", "solution-start", "solution-end"}
_FENCE = re.compile(r"^(?P<fence>`{3,}|:{3,})(?:\{(?P<name>[\w:-]+)\})?(?P<argument>.*)$")
_INDENTED = re.compile(r"^[ \t]+(?:`{3,}|:{3,})\{[\w:-]+\}", re.MULTILINE)
_ROLE = re.compile(r"\{(?P<role>[\w:]+)\}`(?P<text>[^`]+)`")
_TO_FILE = re.compile(
    r"\[(?P<words>(?:[^\[\]]|\[[^\[\]]*\])*)\]"
    r"\((?!https?:|#|mailto:)(?P<to>[^)\s]+?)\.(?:md|ipynb)(?P<anchor>#[\w-]+)?\)"
)
_NO_PARAGRAPH = re.compile(r"`{3}|[-*+] |\d+\. |\||\$\$|>|#")
"""What begins a block of its own, but would be plain text after other words."""
PRACTICE = "practice"
"""The class of an exercise that is not on the core path, and its mark in a notebook."""
_ID_LENGTH = 60
"""A cell's id has at most 64 characters; the rest is for telling equal cells apart."""


_HEADING = re.compile(r"^# +(.+?) *$", re.MULTILINE)
_YOU_NEED = re.compile(r"^\*\*You need\*\*.*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
_LESSON_LINK = re.compile(r"[/(](\d\d_\w+)\.(?:html|ipynb)")
_SECTION = re.compile(r'^<a id="([\w-]+)"></a>\s*#+ *(.+?) *$', re.MULTILINE)


class LessonError(ValueError):
    """A lesson's source is not as it must be: says which file, what is wrong, and how to mend it."""

    def __init__(self, path: Path, problem: str) -> None:
        place = f"{path.parent.name}/{path.name}" if path.is_absolute() else path
        super().__init__(f"{place}: {problem}")


@dataclass(frozen=True)
class Cell:
    """One cell of a lesson: its role, its source in plain Markdown or Python, and the exercise it belongs to."""

    role: Role
    source: str
    exercise: str = ""
    tags: tuple[str, ...] = ()
    minutes: float | None = None
    """How long an exercise takes, if its stub says so."""
    asks: int = 0
    """How many fields its prediction boxes have."""

    @property
    def is_code(self) -> bool:
        """Whether it is a code cell."""
        return self.role not in ("text", "task", "reasoning")


@dataclass(frozen=True)
class Task:
    """An exercise as the lesson has it."""

    name: str
    title: str
    stub: str
    check: str
    solution: str
    minutes: float
    """How long it takes."""
    practice: bool
    """Whether the core path goes without it."""


@dataclass(frozen=True)
class LessonSource:
    """A lesson, read.

    Attributes:
        path: `notebooks/NN_topic.md`.
        raw: the file's text.
        meta: its front matter.
        cells: in reading order.
        practice: the names of the exercises that are not on the core path.
    """

    path: Path
    raw: str
    meta: dict[str, Any]
    cells: tuple[Cell, ...]
    practice: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        """The lesson's name in all four folders."""
        return self.path.stem

    @property
    def edition(self) -> str:
        """A digest of the lesson's source."""
        return hashlib.sha256(self.raw.removeprefix("\ufeff").encode()).hexdigest()[:8]

    @property
    def title(self) -> str:
        """The lesson's title: its first heading."""
        return next(iter(_HEADING.findall(self._prose())), "")

    @property
    def sections(self) -> dict[str, str]:
        """The headings that have a label, by that label."""
        return dict(_SECTION.findall(self._prose()))

    @property
    def needs(self) -> frozenset[str]:
        """The stems of the lessons to which the paragraph "You need" leads."""
        found = _YOU_NEED.search(self._prose())
        return frozenset(_LESSON_LINK.findall(found[0])) if found else frozenset()

    def _prose(self) -> str:
        return "\n\n".join(cell.source for cell in self.cells if not cell.is_code)

    @property
    def minutes(self) -> Minutes:
        """How long the lesson takes: to read it, predict, solve its exercises."""
        return in_sittings([minutes_of(cells, self.practice) for cells in sittings_of(self.cells)])

    @property
    def minutes_left(self) -> dict[str, int]:
        """How long the core path takes from each labelled heading to the end of its sitting.

        A heading from which it takes as long as from the one before is left out.
        """
        left: dict[str, int] = {}
        for cells in sittings_of(self.cells):
            before = -1
            for i, cell in enumerate(cells):
                minutes = minutes_of(cells[i:], self.practice).left
                labels = [label for label, _ in _SECTION.findall(cell.source)]
                if labels and minutes != before:
                    left |= dict.fromkeys(labels, minutes)
                    before = minutes
        return left

    @property
    def tasks(self) -> dict[str, Task]:
        """The exercises by name, in reading order."""
        names = dict.fromkeys(cell.exercise for cell in self.cells if cell.exercise)
        return {name: self._task(name) for name in names}

    def _task(self, name: str) -> Task:
        parts: dict[str, str] = {}
        minutes = sum(solving(cell) for cell in self.cells if cell.exercise == name and cell.role == "stub")
        for cell in self.cells:
            if cell.exercise == name and cell.is_code:
                if cell.role in parts:
                    raise LessonError(self.path, f"exercise {name!r} has two {cell.role} cells: join them into one.")
                parts[cell.role] = cell.source
        for role, tag in (("stub", "exercise"), ("check", "check"), ("solution", "solution")):
            if role not in parts:
                raise LessonError(
                    self.path, f"exercise {name!r} has no cell tagged `{tag}` between its gates: add one."
                )
        title = next(cell.source for cell in self.cells if cell.exercise == name).splitlines()[0]
        asked = parts["stub"], parts["check"], parts["solution"]
        return Task(name, title.split(": ", 1)[-1], *asked, minutes, name in self.practice)


def read(path: Path, course: Course) -> LessonSource:
    """Read a lesson.

    Args:
        path: `notebooks/NN_topic.md`.
        course: the course that it belongs to, for the addresses of links.

    Returns:
        Its cells, with MyST turned into plain Markdown.

    Raises:
        LessonError: a gate, a directive or a tag is not as it must be.
    """
    raw = path.read_text(encoding="utf-8-sig")  # some editors on Windows begin a file with a byte order mark
    try:
        book = jupytext.reads(raw, fmt="md:myst")
    except yaml.YAMLError as error:
        raise LessonError(path, f"its front matter, or that of a cell, is not valid YAML: {error}") from error
    reader = _Gates(path, _Links(path, course))
    cells = tuple(cell for raw_cell in book.cells for cell in reader.cells(raw_cell))
    reader.finish()
    said, found = book.metadata.get("sittings", 1), len(sittings_of(cells))
    if said != found:
        raise LessonError(
            path,
            f"its front matter says `sittings: {said}`, and its headings make {found}: put a label that ends in "
            "`sitting-2` before the heading with which the second one begins.",
        )
    return LessonSource(path, raw, book.metadata, cells, tuple(reader.practice))


@dataclass
class _Gates:
    """Follows the gates through a lesson: which exercise or solution is open."""

    path: Path
    links: _Links
    gate: str = ""
    exercise: str = ""
    seen: list[str] = field(default_factory=list)
    practice: list[str] = field(default_factory=list)

    def cells(self, raw: Any) -> Iterator[Cell]:
        if raw.cell_type == "code":
            yield self._code(raw.source, tuple(raw.metadata.get("tags", ())), raw.metadata.get("minutes"))
            return
        parts: list[str] = []
        asks, role, owner = 0, self._text_role(), self.exercise
        for block in _blocks(raw.source):
            if block.name in _GATES:
                yield from self._flush(parts, role, owner, asks)
                parts, asks = self._pass(block), 0
                role, owner = self._text_role(), self.exercise
            else:
                parts.append(self._markdown(block))
                asks += len(self._box(block).fields) if block.name == "predict" else 0
        yield from self._flush(parts, role, owner, asks)

    def finish(self) -> None:
        if self.gate:
            raise LessonError(self.path, f"the {self.gate} {self.exercise!r} is never closed: add {{{self.gate}-end}}.")

    def _text_role(self) -> Role:
        return {"": "text", "exercise": "task", "solution": "reasoning"}[self.gate]  # type: ignore[return-value]

    def _flush(self, parts: list[str], role: Role, owner: str, asks: int) -> Iterator[Cell]:
        source = "\n".join(parts).strip()
        if source:
            yield Cell(role, source, owner, asks=asks)

    def _pass(self, gate: _Block) -> list[str]:
        kind, _, edge = gate.name.partition("-")
        if edge == "end":
            if self.gate != kind:
                raise LessonError(
                    self.path, f"{{{gate.name}}} closes nothing: remove it, or open it with {{{kind}-start}}."
                )
            self.gate = self.exercise = ""
            return []
        if self.gate:
            raise LessonError(
                self.path, f"{{{gate.name}}} stands inside the {self.gate} {self.exercise!r}: close that first."
            )
        self.gate = kind
        return self._open_exercise(gate) if kind == "exercise" else self._open_solution(gate)

    def _open_exercise(self, gate: _Block) -> list[str]:
        if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", gate.options.get("label", "")):
            raise LessonError(
                self.path, f"exercise {gate.argument!r} needs a :label: in lower case, such as `centre-columns`."
            )
        self.exercise = gate.options["label"]
        if self.exercise in self.seen:
            raise LessonError(self.path, f"two exercises have the label {self.exercise!r}: rename one.")
        self.seen.append(self.exercise)
        path = gate.options.get("class", "")
        if path not in ("", PRACTICE):
            problem = f"the exercise {self.exercise!r} has the class {path!r}: it takes `{PRACTICE}`, or none for core."
            raise LessonError(self.path, problem)
        if path:
            self.practice.append(self.exercise)
        mark = f" ({PRACTICE})" if path else ""
        return [f"### Exercise {len(self.seen)}{mark}: {gate.argument}", ""]

    def _open_solution(self, gate: _Block) -> list[str]:
        self.exercise = gate.argument
        return []

    def _code(self, source: str, tags: tuple[str, ...], minutes: Any) -> Cell:
        role: Role = next((_TAGGED[tag] for tag in tags if tag in _TAGGED), "code")
        place = {"stub": "exercise", "check": "exercise", "solution": "solution"}.get(role, self.gate)
        if place != self.gate:
            first = source.partition("\n")[0]
            raise LessonError(self.path, f"a cell tagged for the {place} stands outside its gates: {first!r}.")
        if role == "proof" and self.gate == "exercise":
            raise LessonError(self.path, f"a proof stands inside the exercise {self.exercise!r}: move it out of it.")
        if minutes is not None and (role != "stub" or not isinstance(minutes, (int, float)) or minutes <= 0):
            raise LessonError(self.path, f"`:minutes: {minutes}`: only a stub takes it, as a positive number.")
        return Cell(role, source, self.exercise if role in ("stub", "check", "solution") else "", tags, minutes)

    def _markdown(self, block: _Block) -> str:
        if not block.name:
            if not block.verbatim and (indented := _INDENTED.search(block.body)):
                raise LessonError(self.path, f"{indented[0].strip()} is indented: begin it at the left margin.")
            return block.body if block.verbatim else self.links.resolve(block.body)
        if block.name == "admonition" and block.argument == "Predict":
            raise LessonError(self.path, "a prediction box is written {predict}, so that it has a form on the page.")
        if block.name == "predict":
            return _quote("Predict", self._question(block), folded=False)
        inner = "\n".join(self._markdown(part) for part in _blocks(block.body))
        if block.name == "math":
            return f"$$\n{block.body.strip()}\n$$"
        if block.name == "admonition" or block.name in _ADMONITIONS:
            return _quote(
                _ADMONITIONS.get(block.name, block.argument), inner, "dropdown" in block.options.get("class", "")
            )
        raise LessonError(
            self.path,
            f"the directive {{{block.name}}} has no form in plain Markdown: use another, or teach it to `notebooks`.",
        )

    def _question(self, block: _Block) -> str:
        return "\n".join(self._markdown(part) for part in _blocks(self._box(block).question))

    def _box(self, block: _Block) -> Box:
        try:
            return read_box(block.body)
        except PredictionError as error:
            raise LessonError(self.path, f"a prediction box: {error}") from error


def _quote(title: str, body: str, folded: bool) -> str:
    if folded:
        return f"<details><summary>{title}</summary>\n\n{body.strip()}\n\n</details>"
    body = body.strip()
    gap = "\n\n" if _NO_PARAGRAPH.match(body) else " "
    return "\n".join(f"> {line}".rstrip() for line in f"**{title}.**{gap}{body}".splitlines())


@dataclass(frozen=True)
class _Block:
    """A piece of Markdown: text, a code fence (verbatim), or a directive."""

    name: str
    body: str
    argument: str = ""
    options: dict[str, str] = field(default_factory=dict)
    verbatim: bool = False


def _blocks(text: str) -> Iterator[_Block]:
    """Cut Markdown at its fences."""
    plain: list[str] = []
    lines = iter(text.splitlines())
    for line in lines:
        opening = _FENCE.match(line)
        if not opening:
            plain.append(line)
            continue
        yield _Block("", "\n".join(plain))
        plain = []
        body = list(_until(lines, opening["fence"]))
        if opening["name"]:
            yield _directive(opening["name"], opening["argument"].strip(), body)
        else:
            yield _Block("", "\n".join([line, *body, opening["fence"]]), verbatim=True)
    yield _Block("", "\n".join(plain))


def _until(lines: Iterator[str], fence: str) -> Iterator[str]:
    for line in lines:
        if line.rstrip() and set(line.rstrip()) == {fence[0]} and len(line.rstrip()) >= len(fence):
            return
        yield line


def _directive(name: str, argument: str, body: list[str]) -> _Block:
    options = {}
    while body and (option := re.match(r"^:([\w-]+):\s*(.*)$", body[0])):
        options[option[1]] = option[2].strip()
        body = body[1:]
    return _Block(name, "\n".join(body), argument, options)


@dataclass(frozen=True)
class _Links:
    """Turns MyST's labels and roles into anchors and addresses that work anywhere."""

    path: Path
    course: Course

    @cached_property
    def elsewhere(self) -> Elsewhere:
        return Elsewhere(self.course)

    def resolve(self, text: str) -> str:
        text = self.elsewhere.redirected(text, f"{self.path.parent.name}/{self.path.stem}")
        text = LABEL.sub(r'<a id="\g<label>"></a>', text)
        text = _ROLE.sub(self._role, text)
        return _TO_FILE.sub(self._relative, text)

    def _role(self, match: re.Match[str]) -> str:
        shown = re.fullmatch(r"(.+?)\s*<([^<>]+)>", match["text"])
        title, target = (shown[1], shown[2]) if shown else (match["text"], match["text"])
        if match["role"] == "term":
            return title
        if match["role"] == "ref" and shown:
            labels = self.course.labels()
            if target not in labels:
                raise LessonError(
                    self.path, f"{{ref}} to the unknown label {target!r}: put `({target})=` before a heading."
                )
            return self._link(title, labels[target][0], f"#{target}")
        raise LessonError(
            self.path, f"write the role {match[0]!r} as {{ref}}`words <label>`, {{term}}`word`, or a Markdown link."
        )

    def _relative(self, match: re.Match[str]) -> str:
        page = (self.path.parent / f"{match['to']}.md").resolve()
        if not page.exists():
            raise LessonError(self.path, f"a link to {match['to']}.md, which does not exist: mend the link.")
        return self._link(match["words"], f"{page.parent.name}/{page.stem}", match["anchor"] or "")

    def _link(self, words: str, page: str, anchor: str) -> str:
        """A link to a page of the site; without a site, to the notebook beside this one, or else plain words."""
        if self.course.site:
            return f"[{words}]({self.course.site}/{page}.html{anchor})"
        folder, _, stem = page.partition("/")
        return f"[{words}]({stem}.ipynb{anchor})" if folder == "notebooks" else words


# -- to a notebook ----------------------------------------------------------------------------------------------


def blank(lesson: LessonSource, course: Course) -> str:
    """The notebook that a student opens, without the solutions and the proofs.

    Returns:
        The `.ipynb` file's text.
    """
    cells = [cell for cell in lesson.cells if cell.role not in ("solution", "reasoning", "proof")]
    return _notebook(lesson, course, "notebooks", cells)


def solved(lesson: LessonSource, course: Course) -> str:
    """The same notebook with every stub replaced by its solution.

    Returns:
        The `.ipynb` file's text.
    """
    solutions = {cell.exercise: cell for cell in lesson.cells if cell.role == "solution"}
    cells = [
        solutions[cell.exercise] if cell.role == "stub" else _headed(cell)
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


def _headed(cell: Cell) -> Cell:
    return replace(cell, source=f"**Solution.** {cell.source}") if cell.role == "reasoning" else cell


def _notebook(lesson: LessonSource, course: Course, folder: str, cells: list[Cell]) -> str:
    page = _page(lesson, course)
    first = Cell("code", _first_cell(lesson, course), tags=("remove-cell",))
    head = [Cell("text", _banner(lesson, course, folder, page)), first]
    book = new_notebook(
        cells=list(_with_ids([*head, *cells])),
        metadata={
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "jaxcourse": {
                "lesson": lesson.stem,
                "title": lesson.title,
                "minutes": dict(zip(("core", "with_practice"), lesson.minutes.figures, strict=True)),
                "practice": list(lesson.practice),
                "page": page,
                "sections": lesson.sections,
                "source": f"notebooks/{lesson.stem}.md",
            },
        },
    )
    nbformat.validate(book)
    return nbformat.writes(book) + "\n"  # type: ignore[no-any-return]


def _page(lesson: LessonSource, course: Course) -> str:
    return f"{course.site}/notebooks/{lesson.stem}.html" if course.site else ""


def _banner(lesson: LessonSource, course: Course, folder: str, page: str) -> str:
    colab = f"{course.colab}/{folder}/{lesson.stem}.ipynb"
    badge = f"[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({colab})"
    way = badge if course.colab else f"**Open in Colab**: not yet. {_marked(UNSET)}."
    read = f" [Read this lesson as a page]({page})." if page else ""
    what = "This notebook, with its solutions," if folder == "solutions" else "This notebook"
    return (
        f"{way}{read} It takes about {lesson.minutes}. "
        f"{what} belongs to *{course.title}*, and is generated from `notebooks/{lesson.stem}.md`."
    )


def _marked(text: str) -> str:
    """A sentence that ends in a command, with the command as code."""
    words, _, command = text.partition(": ")
    return f"{words}: `{command}`"


def _first_cell(lesson: LessonSource, course: Course) -> str:
    """The code that says which edition the notebook is of, and installs the package in Colab, and only there.

    From the site comes the wheel of this edition, or the one that is there if the site has no such edition (any more,
    or yet). Nothing but that wheel is installed, and no other place is asked. Without a site it is built from the
    repository, and where neither is known, the cell says so.
    """
    return "\n".join(
        [
            "# In Colab this installs the course's package; elsewhere it installs nothing.",
            "import sys",
            "from importlib.util import find_spec",
            "",
            f'__edition__ = "{lesson.stem} {lesson.edition}"',
            'if "google.colab" in sys.modules and not getattr(find_spec("jaxcourse"), "origin", None):',
            *(f"    {line}" for line in _installing(lesson, course)),
        ]
    )


def _installing(lesson: LessonSource, course: Course) -> list[str]:
    """The lines that install the package in Colab."""
    if course.site:
        return [
            "from urllib.request import urlopen",
            f'_wheel = "{course.site}/wheel/"',
            "try:",
            f'    _wheel = urlopen(_wheel + "{wheel_page(lesson.stem, lesson.edition)}").url',
            "except OSError:  # the site has another edition, which the first check will say",
            "    pass",
            "%pip install --quiet --no-deps --no-index --find-links {_wheel} jaxcourse",
        ]
    if course.repository:
        return [f'%pip install --quiet --no-deps "jaxcourse @ git+{course.repository}@{course.branch}"']
    return [f"raise ModuleNotFoundError({UNSET!r})"]


def wheel_page(stem: str, edition: str) -> str:
    """The page of the site that links to the wheel for one edition of a lesson, below its folder `wheel/`.

    Example:
        >>> wheel_page("02_broadcasting", "1f2e3d4c")
        '02_broadcasting-1f2e3d4c.html'
    """
    return f"{stem}-{edition}.html"


def _with_ids(cells: list[Cell]) -> Iterator[Any]:
    """Notebook cells with ids that follow from the source, so that the same source gives the same bytes."""
    seen: Counter[str] = Counter()
    for cell in cells:
        name = f"{cell.exercise}-{cell.role}" if cell.exercise and cell.is_code else _digest(cell.source)
        name = name if len(name) <= _ID_LENGTH else _digest(name)
        seen[name] += 1
        yield _cell(cell, name if seen[name] == 1 else f"{name}-{seen[name]}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _cell(cell: Cell, ident: str) -> Any:
    metadata: dict[str, Any] = {}
    if cell.exercise:
        metadata["jaxcourse"] = {"exercise": cell.exercise, "role": cell.role}
    if not cell.is_code:
        return new_markdown_cell(cell.source, id=ident, metadata=metadata)
    # Every output is ignored under nbval, a check's too: a check raises there, and a student's saved panel
    # (or a timing) must not fail a right answer.
    metadata["tags"] = sorted({*cell.tags, "nbval-ignore-output"} - {"skip-execution"})
    source = f"# exercise: {cell.exercise}\n{cell.source}" if cell.role in ("stub", "solution") else cell.source
    return new_code_cell(source, id=ident, metadata=metadata)


def text(lesson: LessonSource, course: Course) -> LessonText:
    """What a lesson says, as far as somebody who checks an answer needs it."""
    tasks = lesson.tasks
    reasons = {cell.exercise: _headed(cell).source for cell in lesson.cells if cell.role == "reasoning"}
    return LessonText(
        page=_page(lesson, course),
        sections=lesson.sections,
        solutions={name: task.solution for name, task in tasks.items()},
        reasons={name: reasons.get(name, "") for name in tasks},
        practice=lesson.practice,
        edition=lesson.edition,
        title=lesson.title,
        paragraphs={name: (one.section, one.opening) for name, one in chosen(lesson).items()},
    )


def generated(course: Course) -> dict[Path, str]:
    """Every generated file of a course, by its path, as it should be: two notebooks a lesson, and what lessons say.

    Raises:
        LessonError: a lesson's source is not as it must be.
    """
    files, texts = {}, {}
    for path in course.lesson_paths:
        lesson = read(path, course)
        texts[path.stem] = asdict(text(lesson, course))
        files[course.root / "notebooks" / f"{path.stem}.ipynb"] = blank(lesson, course)
        files[course.root / "solutions" / f"{path.stem}.ipynb"] = solved(lesson, course)
    texts |= {stem: asdict(one) for stem, one in Elsewhere(course).texts().items()}
    files[course.root / TEXTS] = json.dumps(texts, indent=1, ensure_ascii=False) + "\n"
    return files


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
        for path, wanted in generated(course).items()
        if not path.exists() or path.read_text(encoding="utf-8") != wanted
    }


def write(course: Course) -> list[Path]:
    """Write the notebooks that are stale, and return their paths."""
    changed = stale(course)
    for path, wanted in changed.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(wanted, encoding="utf-8", newline="\n")
    return list(changed)
