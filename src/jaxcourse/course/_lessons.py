"""A lesson as whatever grades it needs it: its checks from `exercises_tests/`, and what it says from `course.json`."""

from __future__ import annotations

import difflib
import functools
import hashlib
import importlib
import json
import re
import sys
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.machinery import FileFinder, SourceFileLoader
from pathlib import Path
from typing import Any

from jaxcourse._edition import CHECKS as CHECKS
from jaxcourse._edition import TEXTS as TEXTS
from jaxcourse._edition import WITHHELD as WITHHELD
from jaxcourse.course._files import data_file
from jaxcourse.course._withheld import Withheld
from jaxcourse.exercise import Equivalent, Exercise, Right, Wrong, variable_of
from jaxcourse.prediction import Prediction, value_of, with_right_answer

ANSWERS = "tests/answers"
"""The folder of listed answers. In it, as in that of checks, a lesson has a folder, and in that an exercise a file."""


@dataclass(frozen=True)
class LessonText:
    """What a lesson says, as far as somebody who checks an answer needs it.

    Attributes:
        page: its address on the site, or "" where there is none.
        sections: the headings that have a label, by that label.
        solutions: the code of the solutions, by exercise in reading order.
        reasons: the reasoning that goes with them.
        practice: the names of the exercises that are not on the core path.
        edition: it changes with the lesson's source; its notebooks say which one they are of.
        title: the lesson's title.
        paragraphs: for an exercise, the paragraph to read again: the label of its section, and its first sentence.
        titles: of the exercises.
        was: the names that the lesson has had before its stem: notebooks, marks and links have them still.
        earlier: the same for its exercises, of those that have had any; the latest first.
        predictions: the fields of its prediction boxes, as data, by the keys under which pages keep what is predicted;
            what is right is not among them.
        withheld: until when the solutions and reasons are withheld: see `Withheld`; empty if they are not.
        examples: for an exercise whose check may tell whether an answer runs, the calls that its task shows.
        files: digests of the files that it reads, by their names.
    """

    page: str
    sections: Mapping[str, str]
    solutions: Mapping[str, str]
    reasons: Mapping[str, str]
    practice: Sequence[str] = ()
    edition: str = ""
    title: str = ""
    paragraphs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    was: Sequence[str] = ()
    earlier: Mapping[str, Sequence[str]] = field(default_factory=dict)
    predictions: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    withheld: Mapping[str, str] = field(default_factory=dict)
    examples: Mapping[str, Sequence[str]] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def lacks(self) -> Withheld | None:
        """Why this copy of the course has no solutions of the lesson, and no checks; None if it has them."""
        return None if any(self.solutions.values()) else Withheld.of(self.withheld)

    def numbered_title(self, stem: str, name: str) -> str:
        """An exercise by its number and title, as its page shows them.

        Args:
            stem: the lesson's.
            name: the exercise's.
        """
        return f"{number_of(stem, [*self.solutions].index(name) + 1)}, {self.titles.get(name, name)}"

    def is_function(self, name: str) -> bool:
        """Whether an exercise is answered by a function that its solution defines."""
        return defines(self.solutions[name], name)


@dataclass(frozen=True)
class Lesson:
    """A lesson's checks, and what it says.

    Attributes:
        root: the folder of the course.
        stem: the lesson's name in all folders, such as `10_memory_layout`.
        exercises: by name, in reading order.
        texts: what the lessons of the course say, by stem.
        package: under which its checks are imported.
        wrongs: the wrong answers: those that its predictions name, and the listed ones, see `with_answers`.
        rights: the listed right answers, besides the solution.
        equivalents: the changes of solutions that are accepted as right.
    """

    root: Path
    stem: str
    exercises: dict[str, Exercise]
    texts: Mapping[str, LessonText]
    package: str = ""
    wrongs: tuple[Wrong, ...] = ()
    rights: tuple[Right, ...] = ()
    equivalents: tuple[Equivalent, ...] = ()

    @property
    def number(self) -> str:
        """The lesson's number, such as `01`."""
        return self.stem.split("_")[0]

    @property
    def notebook(self) -> Path:
        """The path of the solved notebook."""
        return self.root / "solutions" / f"{self.stem}.ipynb"

    @property
    def reads(self) -> list[Path]:
        """The files that the lesson reads."""
        return [data_file(self.root, name) for name in self.texts[self.stem].files]

    @property
    def practice(self) -> Sequence[str]:
        """The names of the exercises that are not on the core path."""
        return self.texts[self.stem].practice

    @property
    def lacks(self) -> Withheld | None:
        """Why this copy of the course cannot judge the lesson; None if it can."""
        return self.texts[self.stem].lacks

    def section(self, anchor: str) -> tuple[str, str]:
        """The heading that follows an anchor, and its address on the site; each is empty if there is none.

        A section of another lesson is found as well.
        """
        stem = self.home(anchor)
        if not stem:
            return "", ""
        text = self.texts[stem]
        return text.sections[anchor], f"{text.page}#{anchor}" if text.page else ""

    def home(self, anchor: str) -> str:
        """The stem of the lesson that has a labelled section, this one first; empty if none has it."""
        return next((stem for stem in (self.stem, *self.texts) if anchor in self.texts[stem].sections), "")

    def again(self, name: str, see: str) -> tuple[str, str]:
        """What to read again: the words that name it, and its address on the site; empty if there is nothing.

        Args:
            name: the exercise.
            see: the section that a diagnosis points to. Of the one in which the exercise stands, it is the paragraph
                that explains it.
        """
        place, text = self.place(name, see), self.texts[self.stem]
        if place == see:
            return self.section(see)
        section, sentence = text.paragraphs[name]
        title = ": ".join(filter(None, [text.sections[section], sentence]))
        return title, text.page and f"{text.page}#{place}"

    def title_of(self, name: str) -> str:
        """An exercise as people call it; its name if the lesson says no other."""
        return self.texts[self.stem].titles.get(name, name)

    def numbered_title(self, name: str) -> str:
        """An exercise by its number and title, as its page shows them."""
        return self.texts[self.stem].numbered_title(self.stem, name)

    def after(self, name: str, solved: Collection[str]) -> str:
        """The exercise of the core path to go on with: the next one left, or else the first; empty if none is left.

        Args:
            name: of the exercise that the reader comes from.
            solved: the names of those that are solved.
        """
        left = [one for one in self.exercises if one not in self.practice and one not in solved and one != name]
        order = [*self.exercises]
        later = (one for one in left if order.index(one) > order.index(name))
        return next(later, next(iter(left), ""))

    @property
    def next_stem(self) -> str:
        """The stem of the next lesson that has exercises; empty behind the last one."""
        stems = [stem for stem, text in self.texts.items() if text.solutions]
        return next(iter(stems[stems.index(self.stem) + 1 :]), "")

    def place(self, name: str, see: str) -> str:
        """The anchor of what to read again: that of the exercise's own paragraph, or of another section."""
        own = self.texts[self.stem].paragraphs.get(name, ("", ""))[0]
        return anchor_of(name) if see and see == own else see

    def solution(self, name: str) -> tuple[str, str]:
        """The code of an exercise's solution, and the reasoning that goes with it."""
        text = self.texts[self.stem]
        return text.solutions[name], text.reasons[name]

    def with_right_answers(self, right: Callable[[str], Any]) -> Lesson:
        """The same lesson, with predictions that know what is right and list their wrong answers.

        Args:
            right: gives the solution of a prediction by its name.
        """
        predictions = {
            name: with_right_answer(item, right(name)) for name, item in self.exercises.items() if _predicts(item)
        }
        wrongs = (wrong for name, item in predictions.items() for wrong in item.check.wrongs(name))  # type: ignore[attr-defined]
        return replace(self, exercises=self.exercises | predictions, wrongs=(*self.wrongs, *wrongs))

    def without(self, name: str) -> Lesson:
        """The same lesson without an exercise, and without the answers to it."""
        return replace(
            self,
            exercises={one: exercise for one, exercise in self.exercises.items() if one != name},
            wrongs=tuple(one for one in self.wrongs if one.exercise != name),
            rights=tuple(one for one in self.rights if one.exercise != name),
            equivalents=tuple(one for one in self.equivalents if one.exercise != name),
        )

    def solved_value(self, name: str) -> Any:
        """The value that the lesson gives as the answer to a prediction."""
        return value_of(self.solution(name)[0], self.exercises[name].variable)


def number_of(stem: str, place: int) -> str:
    """The number of an exercise, as its page shows it: that of its lesson, but of lesson 00, and its place in it.

    Args:
        stem: of the lesson.
        place: of the exercise in it, counted from 1.

    Example:
        >>> number_of("11_broadcasting", 11), number_of("00_start_here", 1)
        ('11.11', '1')
    """
    chapter = int(stem[:2]) if stem[:2].isdecimal() else 0
    return f"{chapter}.{place}" if chapter else f"{place}"


def defines(solution: str, name: str) -> bool:
    r"""Whether a solution answers an exercise by a definition, which is checked on inputs, and not by a value.

    Args:
        solution: its code.
        name: the exercise's.

    Example:
        >>> defines("def twice(x):\n    return 2 * x", "twice"), defines("last = 3", "last")
        (True, False)
    """
    return bool(re.search(rf"^(?:def|class) {variable_of(name)}\b", solution, re.MULTILINE))


def today(stem: str, texts: Mapping[str, LessonText]) -> str:
    """What a lesson is called today: its name itself, or the lesson's that has had it.

    Args:
        stem: of a lesson, or what was one.
        texts: what the lessons say, by stem.

    Example:
        >>> texts = {"10_toy": LessonText("", {}, {}, {}, was=["01_toy"])}
        >>> today("01_toy", texts), today("10_toy", texts), today("02_none", texts)
        ('10_toy', '10_toy', '02_none')
    """
    now = (name for name, text in texts.items() if stem in text.was)
    return stem if stem in texts else next(now, stem)


def earlier_names(texts: Mapping[str, LessonText]) -> dict[str, str]:
    """The exercises of today by each name that they have had.

    Args:
        texts: what the lessons say, by stem.

    Example:
        >>> earlier_names({"10_toy": LessonText("", {}, {}, {}, earlier={"twice": ["double-it"]})})
        {'double-it': 'twice'}
    """
    said = (one for text in texts.values() for one in text.earlier.items())
    return {old: name for name, names in said for old in names}


def anchor_of(name: str) -> str:
    """The anchor of the paragraph to read again for an exercise.

    Example:
        >>> anchor_of("centre-columns")
        'again-centre-columns'
    """
    return f"again-{name}"


def _predicts(exercise: Exercise) -> bool:
    return isinstance(exercise.check, Prediction)


def texts_of(root: Path) -> dict[str, LessonText]:
    """What the lessons of a course say, by stem.

    Args:
        root: the folder of the course.

    Raises:
        FileNotFoundError: it has not been generated.
    """
    path = root / TEXTS
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: run `jaxcourse notebooks`.")
    kept = sorted((root / WITHHELD).glob("*.json"))
    return _lesson_texts(path, tuple((one, one.stat().st_mtime_ns) for one in (path, *kept)))


@functools.lru_cache(maxsize=16)
def _lesson_texts(path: Path, files: tuple[tuple[Path, int], ...]) -> dict[str, LessonText]:
    """What a file says, and what of it lies apart since it is withheld; each was written at a time."""
    apart = {one.stem: json.loads(one.read_text(encoding="utf-8")) for one, _ in files if one != path}
    said = json.loads(path.read_text(encoding="utf-8"))
    return {stem: LessonText(**text | (text.get("withheld") and apart.get(stem) or {})) for stem, text in said.items()}


def in_two(text: LessonText) -> tuple[LessonText, dict[str, Any]]:
    """What a lesson says to everybody, in which an exercise has its name and no solution, and what it withholds.

    Example:
        >>> public, kept = in_two(LessonText("", {}, {"twice": "x + x"}, {"twice": "Because."}))
        >>> public.solutions, kept["reasons"]
        ({'twice': ''}, {'twice': 'Because.'})
    """
    none = dict.fromkeys(text.solutions, "")
    kept = {"solutions": text.solutions, "reasons": text.reasons, "paragraphs": text.paragraphs}
    return replace(text, solutions=none, reasons=none, paragraphs={}), kept


def load(root: Path, stem: str) -> Lesson:
    """A lesson's checks, with what is right in its predictions.

    Args:
        root: the folder of the course.
        stem: the lesson's.

    Raises:
        Exception: whatever running the files of checks raises.
    """
    lesson = collect(root, stem, texts_of(root))
    if lesson.lacks:
        return replace(lesson, exercises={name: Exercise(name, _nobody_knows) for name in lesson.texts[stem].solutions})
    for name in lesson.exercises.keys() - lesson.texts[stem].solutions.keys():
        lesson = lesson.without(name)  # its check is there, and the rest of it is not written yet
    return lesson.with_right_answers(lesson.solved_value)


def _nobody_knows(answer: object, rng: object) -> None:
    """Stands for a check that this copy of the course does not have."""
    raise NotImplementedError("the check is withheld")


# -- files ------------------------------------------------------------------------------------------------------


def check_files(root: Path, stem: str) -> list[Path]:
    """The files of a lesson's checks: `_lesson.py`, which they share, and one for each exercise."""
    return sorted((root / CHECKS / stem).glob("*.py"))


def answer_files(root: Path, stem: str) -> list[Path]:
    """The files of the listed answers to a lesson's exercises."""
    return sorted((root / ANSWERS / stem).glob("*.py"))


def collect(root: Path, stem: str, texts: Mapping[str, LessonText]) -> Lesson:
    """Run a lesson's files of checks, and collect what they declare.

    Args:
        root: the folder of the course.
        stem: the lesson's.
        texts: see `Lesson`; the exercises are in the order of their solutions.

    Raises:
        Exception: whatever running the files raises.
    """
    place = hashlib.sha256(str(root.resolve()).encode()).hexdigest()[:8]  # two courses may name a lesson alike
    package = f"jaxcourse_checks_{stem}_{place}"
    found = {item.name: item for item in _definitions(package, root / CHECKS / stem) if isinstance(item, Exercise)}
    order = [name for name in texts[stem].solutions if name in found] if stem in texts else []
    return Lesson(root, stem, {name: found[name] for name in [*order, *found]}, texts, package)


def with_answers(lesson: Lesson) -> Lesson:
    """The same lesson with its listed answers, which no reader installs.

    They import what a check defines: `from ..centre_columns import oracle`.

    Raises:
        Exception: whatever running their files raises.
    """
    items = [
        one
        for kept in _definitions(f"{lesson.package}.answers", lesson.root / ANSWERS / lesson.stem)
        for one in _each(kept)
    ]
    return replace(
        lesson,
        wrongs=(*lesson.wrongs, *(one for one in items if isinstance(one, Wrong))),
        rights=tuple(one for one in items if isinstance(one, Right)),
        equivalents=tuple(one for one in items if isinstance(one, Equivalent)),
    )


def _each(kept: Any) -> Iterable[Any]:
    """The members of a list; anything else alone."""
    return kept if isinstance(kept, list) else [kept]


def _definitions(package: str, folder: Path) -> list[Any]:
    """What the files of a folder define, run anew under the name of a package, and each thing once."""
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        del sys.modules[name]
    module = sys.modules[package] = types.ModuleType(package)
    module.__path__ = [str(folder)]
    sys.path_importer_cache[str(folder)] = FileFinder(str(folder), (_UncachedLoader, [".py"]))
    modules = [importlib.import_module(f"{package}.{path.stem}") for path in sorted(folder.glob("[!_]*.py"))]
    return list({id(item): item for one in modules for item in vars(one).values()}.values())


class _UncachedLoader(SourceFileLoader):
    """Compiles the file each time: kept, two edits of the same second and size would be one to Python."""

    def get_code(self, fullname: str) -> types.CodeType:
        filename = self.get_filename(fullname)
        return self.source_to_code(self.get_data(filename), filename)


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is closest to a given one, or an empty string.

    Example:
        >>> nearest("center_columns", ["centre_columns", "rows"])
        'centre_columns'
    """
    return next(iter(difflib.get_close_matches(name, known, n=1)), "")
