"""Reads a lesson: from its source, `notebooks/NN_topic.md`, to one value.

The source is MyST Markdown: prose, code cells, and exercises between `{exercise-start}` and `{solution-end}` gates.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import yaml

from jaxcourse.course import Course, Withheld, number_of
from jaxcourse_author.lesson._cells import PRACTICE, Cell, Gate, LessonError, Part, Role
from jaxcourse_author.lesson._edits import trimmed
from jaxcourse_author.lesson._known import LEFT_OUT
from jaxcourse_author.lesson._lesson import LessonSource
from jaxcourse_author.lesson._markdown import Plain
from jaxcourse_author.lesson._minutes import sittings_of
from jaxcourse_author.lesson._myst import MystError, Node, Page, page_of
from jaxcourse_author.lesson._withheld import withheld_of

_TAGGED: dict[str, Role] = {
    "exercise": "stub",
    "check": "check",
    "solution": "solution",
    "setup": "setup",
    "proof": "proof",
}
_PLACES = {"stub": "exercise", "check": "exercise", "solution": "solution"}
"""Between which gates a code cell stands."""
_TEXTS: dict[str, Role] = {"": "text", "exercise": "task", "solution": "reasoning"}
"""What text is between some gates, or between none."""
_GATES = {"exercise-start", "exercise-end", "solution-start", "solution-end"}


def read_lesson(path: Path, course: Course) -> LessonSource:
    """Read a lesson.

    Args:
        path: `notebooks/NN_topic.md`.
        course: the course that it belongs to, for the addresses of links.

    Returns:
        Its cells, with MyST turned into plain Markdown.

    Raises:
        LessonError: a gate, a directive or a tag is not as it must be, or something has no form in plain Markdown.
    """
    raw = path.read_text(encoding="utf-8-sig")  # some editors on Windows begin a file with a byte order mark
    try:
        page = page_of(raw)
        reader = _Reader(path, page, course)
        cells = tuple(reader.cells())
    except MystError as error:
        raise LessonError(path, f"{error.problem}.", error.line) from error
    meta = reader.meta
    said, found = meta.get("sittings", 1), len(sittings_of(cells))
    if said != found:
        problem = f"its front matter says `sittings: {said}`, and its headings make {found}: put a label that ends in "
        raise LessonError(path, f"{problem}`sitting-2` before the heading with which the second one begins.")
    return LessonSource(path, raw, meta, cells, tuple(reader.gates), tuple(page.headings), reader.withheld)


class _Reader:
    """Follows the gates through a lesson: which exercise or solution is open, and which text is not a cell yet."""

    def __init__(self, path: Path, page: Page, course: Course) -> None:
        self.path, self.page = path, page
        self.plain = Plain(path, page, course)
        self.meta: dict[str, Any] = {}
        self.withheld: Withheld | None = None
        self.gates: list[Gate] = []
        self.open: Node | None = None
        self.exercise = ""
        self.heading: Part | None = None
        self.nodes: list[Node] = []
        self.begin = 0

    @property
    def gate(self) -> str:
        """What is open: an exercise, a solution, or nothing."""
        return self.open.name.partition("-")[0] if self.open else ""

    def cells(self) -> Iterator[Cell]:
        """The cells, in reading order."""
        for node in self.page.nodes:
            if node.type == "front_matter":
                self.meta = self._front_matter(node)
                self.begin = node.end
            elif node.type == "myst_block_break" or node.name in _GATES or node.name == "code-cell":
                yield from self._text()
                self.begin = node.end + 1
                if node.name == "code-cell":
                    yield self._code(node)
                elif node.name in _GATES:
                    self._pass(node)
                else:
                    self._require_bare(node)
            else:
                self.nodes.append(node)
        yield from self._text()
        if self.open:
            raise self.plain.error_at(
                self.open, f"the {self.gate} {self.exercise!r} is never closed: add {{{self.gate}-end}}."
            )

    def _front_matter(self, node: Node) -> dict[str, Any]:
        try:
            found = yaml.safe_load(node.token.content) or {}
        except yaml.YAMLError as error:
            raise self.plain.error_at(node, f"its front matter is not valid YAML: {error}") from error
        if not isinstance(found, dict):
            raise self.plain.error_at(node, "its front matter is no mapping: write `key: value` in each line.")
        try:
            self.withheld = withheld_of(found)
        except ValueError as error:
            raise self.plain.error_at(node, f"`withheld` in its front matter {error}") from error
        return found

    def _text(self) -> Iterator[Cell]:
        """The text since the last cell or gate, as a cell, if there is any."""
        heads = [self.heading] if self.heading else []
        text = self.plain.text(self.nodes, self.begin, self.nodes[-1].end) if self.nodes else ""
        source = trimmed("\n\n".join([*(head.text for head in heads), text]))
        if source:
            parts = tuple([*heads, *self._parts()])
            yield Cell(_TEXTS[self.gate], source, self.exercise, line=parts[0].line, parts=parts)
        self.nodes, self.heading = [], None

    def _parts(self) -> Iterator[Part]:
        """The parts of a text; a label goes with the heading that it stands before."""
        target: Node | None = None
        for node in self.nodes:
            if target and node.type not in ("heading", *LEFT_OUT):
                yield self.plain.part(target)
                target = None
            if node.type == "myst_target":
                target = node
            elif node.type not in LEFT_OUT:
                yield self.plain.part(node, target)
                target = None
        if target:
            yield self.plain.part(target)

    def _require_bare(self, node: Node) -> None:
        if node.token.content:
            raise self.plain.error_at(
                node, f"`+++ {node.token.content}` has data that no cell keeps: write `+++` alone."
            )

    # -- gates --------------------------------------------------------------------------------------------------

    def _pass(self, gate: Node) -> None:
        self.plain.require_closed(gate)
        kind, _, edge = gate.name.partition("-")
        if edge == "end":
            self._close(gate, kind)
            return
        if self.open:
            problem = f"{{{gate.name}}} stands inside the {self.gate} {self.exercise!r}: close that first."
            raise self.plain.error_at(gate, problem)
        if gate.body.strip():
            raise self.plain.error_at(gate, f"{{{gate.name}}} has text in it: write it below its closing fence.")
        self.open = gate
        if kind == "exercise":
            self._open_exercise(gate)
        else:
            self._open_solution(gate)

    def _close(self, gate: Node, kind: str) -> None:
        if not self.open or self.gate != kind:
            problem = f"{{{gate.name}}} closes nothing: remove it, or open it with {{{kind}-start}}."
            raise self.plain.error_at(gate, problem)
        if gate.argument or gate.body.strip() or gate.options:
            raise self.plain.error_at(gate, f"{{{gate.name}}} says more than that: write its two lines alone.")
        title = self.plain.title(self.open) if kind == "exercise" else ""
        practice = kind == "exercise" and self.open.options.get("class") == PRACTICE
        of: Literal["exercise", "solution"] = "exercise" if kind == "exercise" else "solution"
        self.gates.append(Gate(of, self.exercise, range(self.open.line, gate.numbers[-1] + 2), title, practice))
        self.open, self.exercise = None, ""

    def _open_exercise(self, gate: Node) -> None:
        label, path = gate.options.get("label", ""), gate.options.get("class", "")
        words = label.split("-")
        if not (label.isascii() and label[:1].isalpha() and label == label.lower() and all(map(str.isalnum, words))):
            problem = f"exercise {gate.argument!r} needs a :label: in lower case, such as `centre-columns`."
            raise self.plain.error_at(gate, problem)
        opened = [one.name for one in self.gates if one.kind == "exercise"]
        if label in opened:
            raise self.plain.error_at(gate, f"two exercises have the label {label!r}: rename one.")
        if path not in ("", PRACTICE):
            problem = f"the exercise {label!r} has the class {path!r}: it takes `{PRACTICE}`, or none for core."
            raise self.plain.error_at(gate, problem)
        self.plain.require_options(gate, label=(), **{"class": ()})
        self.exercise = label
        title = self.plain.title(gate)
        mark = f" ({PRACTICE})" if path else ""
        text = f"### Exercise {number_of(self.path.stem, len(opened) + 1)}{mark}: {title}"
        self.heading = Part(gate.name, text, gate.line, title=title)

    def _open_solution(self, gate: Node) -> None:
        self.plain.require_options(gate, **{"class": ("dropdown",)})
        self.exercise = gate.argument

    # -- code ---------------------------------------------------------------------------------------------------

    def _code(self, node: Node) -> Cell:
        tags, minutes = self._options(node)
        role: Role = next((_TAGGED[tag] for tag in tags if tag in _TAGGED), "code")
        place = _PLACES.get(role, self.gate)
        if place != self.gate:
            first = node.body.partition("\n")[0]
            raise self.plain.error_at(node, f"a cell tagged for the {place} stands outside its gates: {first!r}.")
        if role == "proof" and self.gate == "exercise":
            problem = f"a proof stands inside the exercise {self.exercise!r}: move it out of it."
            raise self.plain.error_at(node, problem)
        if minutes is not None and (role != "stub" or not minutes > 0):
            problem = f"`:minutes: {node.options['minutes']}`: only a stub takes it, as a positive number."
            raise self.plain.error_at(node, problem)
        exercise = self.exercise if role in _PLACES else ""
        return Cell(role, node.body, exercise, tags, minutes, node.line, begins=node.body_line)

    def _options(self, node: Node) -> tuple[tuple[str, ...], float | None]:
        self.plain.require_closed(node)
        self.plain.require_options(node, tags=(), minutes=())
        tags, minutes = node.options.get("tags", []), node.options.get("minutes")
        if not isinstance(tags, list):
            raise self.plain.error_at(
                node, f"`:tags: {tags}`: write tags in brackets, such as `[check, skip-execution]`."
            )
        return tuple(tags), _number(minutes)


def _number(text: Any) -> float | None:
    """What a cell's option says; nothing that is positive if it is no number."""
    try:
        return None if text is None else float(text)
    except (TypeError, ValueError):
        return 0.0
