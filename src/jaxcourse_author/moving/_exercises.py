"""`jaxcourse rename exercise`: another name for an exercise, everywhere at once, and its old one kept for who has it.

An exercise's name is changed where its form says that it is one: in a call of `check`, behind `:label:`, as the target
of a link, as a label of `book/*.yml`, as the file of a check. It may be a word that means other things as well, so
whatever else says the word is left to the author, who is shown the lines. Its variable is renamed where Python takes it
for that.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from jaxcourse.course import ANSWERS, CHECKS, Course, nearest
from jaxcourse.exercise import variable_of
from jaxcourse_author.lesson import (
    MOVED,
    REPEATS,
    Node,
    exercises_here,
    home,
    notebooks,
    old_exercises,
    owner,
    page_at,
    page_of,
    read_lesson,
    without_magics,
)
from jaxcourse_author.moving._files import files, is_generated, keeps_names, remember, text_of
from jaxcourse_author.moving._variables import rename_in_prose, uses, with_variable

FORM = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
"""How an exercise is named."""
_CALLS = "anchor_of|check|declare|equivalent|hint|lesson_of|passed|prediction|puzzle|right|solution|wrong"
"""The functions whose first argument is the name of an exercise."""
_FORMS = (
    rf"\b(?:{_CALLS})\(\s*\\?[\"']NAME\\?[\"']",
    r"(?:# *exercise:|:label:|\{(?:solution|exercise)-start\}) *NAME(?![\w-])",
    r"\{(?:ref|numref)\}`(?:[^`<]*<)?NAME>?`",
    r"#(?:again-)?NAME(?![\w-])",
    r"data-(?:solved|exercise)=\\?\"NAME\\?\"",
    r"\bNUMBER(?:_\w+)?/NAME(?![\w-])",
)
"""Where `NAME` is an exercise's, whatever it means besides; `NUMBER` is its lesson's."""
_DASHED = (r"`NAME`", r"<NAME>", r"\bexercise NAME(?![\w-])", r"(?<=,)NAME(?=,|$)")
"""Where a name is one if it is no word."""
_BEGINS = r"\A\"{3}(?:Answers to )?NAME(?![\w-])"
"""The beginning of the exercise's own files."""
_LABELLED = ("at", "exercise", "explained by", "trains")
"""What stands before labels in `book/*.yml`."""


@dataclass(frozen=True)
class ExerciseMove:
    """What giving an exercise another name changes.

    Attributes:
        was, now: its names.
        stem: its lesson's.
        paths: the files that get another name, by their old one; relative to the course.
        texts: what files say from now on, by their new name.
        spoken: the lines of prose that called its variable as code, as `file:line: text`, which are changed as well.
        left: the lines that say the old word, which may mean something else, and keep it.
        recorded: the files that have its old name, and keep it.
    """

    was: str
    now: str
    stem: str
    paths: dict[Path, Path]
    texts: dict[Path, str]
    spoken: tuple[str, ...]
    left: tuple[str, ...]
    recorded: tuple[Path, ...]

    def report(self) -> Iterator[str]:
        """What to say of it."""
        yield f"{self.was} is {self.now}: {len(self.paths)} files have another name, {len(self.texts)} say it."
        for head, lines in (
            ("Its variable was said here, and has the new name now. Read these lines:", self.spoken),
            ("These say the old word, and keep it. Read whether they mean the exercise:", self.left),
            ("These say how it was called at a time, and keep it:", [path.as_posix() for path in self.recorded]),
        ):
            yield from (head, *(f"  {line}" for line in lines)) if lines else ()
        yield f"Commit this alone, with {MOVED.as_posix()}, once `jaxcourse check {self.stem}/{self.now}` is content."


def exercise(course: Course, old: str, new: str, dry_run: bool = False) -> ExerciseMove:
    """Give an exercise another name.

    Args:
        course: whose.
        old: its name.
        new: in lower case, with dashes.
        dry_run: write nothing.

    Returns:
        What was changed.

    Raises:
        ValueError: there is no such exercise, the new name is of another form, or it is taken, or was another's.
    """
    _refuse(course, old, new)
    renamed = _plan(course, old, new)
    if dry_run:
        return renamed
    for source, target in renamed.paths.items():
        (course.root / source).rename(course.root / target)
    for path, text in renamed.texts.items():
        (course.root / path).write_text(text, encoding="utf-8", newline="\n")
    remember(course.root, "exercises", old, new)
    notebooks.write(Course(course.root))
    return renamed


def _plan(course: Course, old: str, new: str) -> ExerciseMove:
    word, is_recorded = _Word(old, new, home(course, old)), keeps_names(course.root)
    paths, texts = dict[Path, Path](), dict[Path, str]()
    said, left, recorded = list[str](), list[str](), list[Path]()
    for path in files(course.root):
        text = "" if is_generated(path) or path == MOVED else text_of(course.root / path)
        if is_recorded(path):
            recorded += [path] if word.mentions(text) else []
            continue
        target = word.renamed(path)
        paths |= {path: target} if target != path else {}
        found, lines = word.rewrite(path, text)
        texts |= {target: found} if found != text else {}
        said += [f"{target.as_posix()}:{line}" for line in lines]
        left += [f"{target.as_posix()}:{line}" for line in word.mentions(found)]
    return ExerciseMove(old, new, word.stem, paths, texts, tuple(said), tuple(left), tuple(recorded))


# -- what is refused --------------------------------------------------------------------------------------------


def refuse_form(name: str) -> None:
    """Refuse what no exercise can be called.

    Raises:
        ValueError: it is not in lower case with dashes, or is a Python keyword.
    """
    if not FORM.fullmatch(name):
        raise ValueError(f"an exercise is named in lower case with dashes, such as `centre-columns`: not {name!r}.")
    if keyword.iskeyword(name):
        raise ValueError(f"{name!r} is a Python keyword and cannot be a variable: choose another name.")


def _refuse(course: Course, old: str, new: str) -> None:
    known = exercises_here(course)
    if old not in known:
        now, near = old_exercises(course).get(old, ""), nearest(old, known)
        meant = f" It is called {now!r} now." if now else f" Did you mean {near!r}?" if near else ""
        raise ValueError(f"there is no exercise {old!r}.{meant}")
    refuse_form(new)
    if new == old:
        raise ValueError(f"{new!r} is its name already.")
    if new in known:
        raise ValueError(f"the name {new!r} is already taken, in {home(course, new)}: choose another.")
    refuse_earlier(course, new, old)
    if place := _file_with_label(course, new):
        raise ValueError(f"{new!r} is a label in {place}, and a label names one thing: choose another.")
    if uses(_code_of(course, home(course, old)), variable_of(new)):
        raise ValueError(f"the code of {home(course, old)} has a `{variable_of(new)}` already: choose another name.")


def refuse_earlier(course: Course, name: str, own: str = "") -> None:
    """Refuse a name under which readers have what they have done of another exercise.

    Args:
        course: whose.
        name: what an exercise is to be called.
        own: what it is called, if it is there already.

    Raises:
        ValueError: another one has had the name.
    """
    now = owner(name, course)
    if now not in ("", own):
        raise ValueError(f"{name!r} was a name of {now!r}, and readers' records have it under that: choose another.")


def _file_with_label(course: Course, name: str) -> str:
    """The file in which something has a label; empty if nothing has it."""
    for folder in ("notebooks", "book"):
        for path in sorted((course.root / folder).glob("*.md")):
            page = page_at(path)
            if name in [*page.labels, *(node.options.get("label") for node in page.directives())]:
                return f"{folder}/{path.name}"
    return ""


def _code_of(course: Course, stem: str) -> str:
    """All the code of a lesson's cells, as one text."""
    cells = read_lesson(course.root / "notebooks" / f"{stem}.md", course).cells
    return "\n".join(without_magics(cell.source) for cell in cells if cell.is_code)


# -- what is changed --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Word:
    """A name that becomes another.

    Attributes:
        was, now: these.
        stem: of the lesson in which it names an exercise.
    """

    was: str
    now: str
    stem: str

    @property
    def variables(self) -> tuple[str, str]:
        """What the answer is called, before and afterwards."""
        return variable_of(self.was), variable_of(self.now)

    def mentions(self, text: str) -> list[str]:
        """The lines that say the old word, each with its number."""
        word = re.compile(rf"(?<![\w-])(?:{self.was}|{self.variables[0]})(?![\w-])")
        return [f"{number}: {line.strip()}" for number, line in enumerate(text.split("\n"), 1) if word.search(line)]

    def _has_variable(self, path: Path, text: str) -> bool:
        """Whether the variable's name in a file of Python is the variable's: there, and where somebody answers."""
        takes = rf"^(?:from \.+{self.variables[0]} import|# exercise: {self.now}$)"
        return self.renamed(path) != path or bool(re.search(takes, text, re.M))

    def renamed(self, path: Path) -> Path:
        """The path of a file afterwards: the check and its answers are called as the variable is."""
        was, now = self.variables
        own = [Path(folder, self.stem, f"{was}.py") for folder in (CHECKS, ANSWERS)]
        return path.with_name(f"{now}.py") if path in own else path

    def rewrite(self, path: Path, text: str) -> tuple[str, list[str]]:
        """What a file says afterwards, and the lines of its prose in which the variable was renamed.

        Args:
            path: of the file, relative to the course.
            text: what it says.
        """
        if self.was not in text and self.variables[0] not in text:
            return text, []
        text = self._in_yaml(path, text) if path.suffix == ".yml" and path.parent == Path("book") else text
        text = self._in_forms(path, text)
        if path == Path("notebooks", f"{self.stem}.md"):
            return self._in_lesson(text)
        return with_variable(text, *self.variables) if self._has_variable(path, text) else text, []

    def _in_lesson(self, text: str) -> tuple[str, list[str]]:
        """A lesson in which the variable is renamed: in its code, and in its prose where it stands as code."""
        page, said, is_code = page_of(text), list[str](), set[int]()
        lines = [rename_in_prose(line, *self.variables) for line in page.lines]
        for node in page.walk():
            if _is_code(node):
                is_code |= set(node.numbers)
                lines[node.numbers[0] : node.numbers[-1] + 1] = self._in_code(node)
        for number, (old, new) in enumerate(zip(page.lines, lines, strict=True)):
            said += [f"{number + 1}: {new.strip()}"] if new != old and number not in is_code else []
        return "\n".join(lines), said

    def _in_code(self, node: Node) -> list[str]:
        """The lines of a fence with code."""
        is_cell = node.type == "directive"
        body, first = (node.body, node.body_line) if is_cell else (node.token.content[:-1], node.line + 1)
        found = with_variable(body, *self.variables).split("\n")
        whole, begin = [node.page.lines[number] for number in node.numbers], first - node.line
        whole[begin : begin + len(found)] = found
        return whole

    def _in_yaml(self, path: Path, text: str) -> str:
        """A table of the book in which a label has another name, wherever labels stand."""
        nodes = sorted(_labels(yaml.compose(text), path == REPEATS), key=lambda node: -node.start_mark.index)
        for node in nodes:
            if node.value == self.was:
                text = text[: node.start_mark.index] + self.now + text[node.end_mark.index :]
        return text

    def _in_forms(self, path: Path, text: str) -> str:
        """A text in which the name is another wherever its form says that it is an exercise's."""
        for form in self._forms(path):
            pattern = form.replace("NAME", f"(?P<name>{self.was})").replace("NUMBER", self.stem[:2])
            text = re.sub(pattern, self._replaced, text, flags=re.M)
        was, now = self.variables
        text = re.sub(rf"(?<={self.stem}/){was}(?![\w-])", now, text)
        return re.sub(rf"(?<=[\"'/]){was}(?=\.py\b)", now, text) if "-" in self.was else text

    def _replaced(self, match: re.Match[str]) -> str:
        start, end = (place - match.start() for place in match.span("name"))
        return match[0][:start] + self.now + match[0][end:]

    def _forms(self, path: Path) -> Iterator[str]:
        """The forms in which a file may have the name; a text in a test, or a key in TOML, may be nothing else."""
        yield from _FORMS
        yield from [_BEGINS] if self.renamed(path) != path else ()
        if "-" in self.was:
            yield from _DASHED
            yield from [r"(?<=[{,\s])NAME(?=\s*=)"] if path.suffix == ".toml" else ()
            is_test = path.parts[0] == "tests" and not path.is_relative_to(ANSWERS)
            yield from [r"(?<=[\"'])NAME(?=\\?[\"'])"] if is_test else ()


def _is_code(node: Node) -> bool:
    """Whether it is a fence with Python, written at the left margin."""
    is_python = node.name in ("code-cell", "code-block", "code") or node.type == "fence" and node.argument == "python"
    return is_python and node.page.lines[node.numbers[0]].startswith(node.token.markup)


def _labels(node: yaml.Node | None, every: bool = False) -> Iterator[yaml.ScalarNode]:
    """The scalars of a YAML file that are labels: behind a key that says so, or all of them."""
    if isinstance(node, yaml.ScalarNode):
        yield from [node] if every else []
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _labels(item, every)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _labels(key, every)
            yield from _labels(value, every or getattr(key, "value", "") in _LABELLED)
