"""`jaxcourse move section`: a section goes to another lesson with its exercises, or is refused with what it would miss.

Its label does not change, and neither do the names of its exercises: what links to it by label finds it where it is,
and what readers have solved of it stays solved. So nothing has to be recorded.
"""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from jaxcourse.course import ANSWERS, CHECKS, Course
from jaxcourse_author.chosen import lesson_named
from jaxcourse_author.lesson import Cell, LessonSource, Section, notebooks, read_lesson, without_magics
from jaxcourse_author.moving._helpers import Conflict, imported_names, with_definitions

_SHARED = "_lesson.py"


@dataclass(frozen=True)
class SectionMove:
    """What moving a section changes.

    Attributes:
        label: the section's.
        was, now: the lessons.
        exercises: those in it.
        paths: the files that lie in another folder, by where they lay; relative to the course.
        texts: what files say from now on.
    """

    label: str
    was: str
    now: str
    exercises: tuple[str, ...]
    paths: dict[Path, Path]
    texts: dict[Path, str]

    def report(self) -> Iterator[str]:
        """What to say of it."""
        along = f", with {', '.join(self.exercises)}" if self.exercises else ""
        yield f"{self.label} stands in {self.now} now{along}."
        yield f"Now read what {self.was} and {self.now} say of themselves: front matter, *After this lesson you can*,"
        yield "*You need*, recap, words such as *above*; and take out of _lesson.py what is imported no more."


def section(course: Course, label: str, to: str, after: str, dry_run: bool = False) -> SectionMove:
    """Move a section behind another one, with its exercises, their checks and answers, and the helpers of these.

    Args:
        course: whose.
        label: the section's; the sections in it go along.
        to: the lesson to which it goes, or the beginning of its name.
        after: the label of a section of that lesson, behind which it stands then, and behind those in it.
        dry_run: write nothing.

    Returns:
        What was changed.

    Raises:
        ValueError: there is no such section or lesson; or it runs names that would stay behind; or what stays runs
            names that it would take along; or helpers of the same name differ.
    """
    placed = _plan(course, label, to, after)
    if dry_run:
        return placed
    for source, target in placed.paths.items():
        (course.root / target).parent.mkdir(parents=True, exist_ok=True)
        (course.root / source).rename(course.root / target)
    for path, text in placed.texts.items():
        (course.root / path).parent.mkdir(parents=True, exist_ok=True)
        (course.root / path).write_text(text, encoding="utf-8", newline="\n")
    notebooks.write(Course(course.root))
    return placed


def _plan(course: Course, label: str, to: str, after: str) -> SectionMove:
    source, moved = _home(course, label)
    target = read_lesson(course.root / "notebooks" / f"{lesson_named(course, to)}.md", course)
    place = target.section(after)
    if place is None:
        raise ValueError(f"{target.stem} has no section {after!r}. It has {', '.join(target.sections)}.")
    if source.stem == target.stem and place.lines.start in moved.lines:
        raise ValueError(f"{after} is in {label}: name a section that stays.")
    _refuse(source, moved, target, place)
    exercises = moved.exercises if source.stem != target.stem else ()
    paths, texts = dict[Path, Path](), _texts(source, moved, target, place)
    for folder in (CHECKS, ANSWERS):
        files = [Path(folder, source.stem, f"{name.replace('-', '_')}.py") for name in exercises]
        here = [path for path in files if (course.root / path).exists()]
        paths |= {path: Path(folder, target.stem, path.name) for path in here}
        texts |= _helpers(course.root, here, Path(folder, source.stem), Path(folder, target.stem))
    return SectionMove(label, source.stem, target.stem, exercises, paths, texts)


def _home(course: Course, label: str) -> tuple[LessonSource, Section]:
    """The lesson in which a section is, and the section."""
    for path in course.lesson_paths:
        lesson = read_lesson(path, course)
        if found := lesson.section(label):
            return lesson, found
    raise ValueError(f"no lesson has a section {label!r}.")


def _texts(source: LessonSource, moved: Section, target: LessonSource, place: Section) -> dict[Path, str]:
    """The two lessons, or the one, as they are then."""
    lines = source.raw.split("\n")
    own = lines[moved.lines.start - 1 : moved.lines.stop - 1]
    own += [""] * (own[-1] != "")
    if source.stem != target.stem:
        into = target.raw.split("\n")
        into[place.lines.stop - 1 : place.lines.stop - 1] = own
        del lines[moved.lines.start - 1 : moved.lines.stop - 1]
        return {_md(source): _as_text(lines), _md(target): _as_text(into)}
    at = place.lines.stop - 1
    rest = [line for i, line in enumerate(lines, 1) if i not in moved.lines]
    at -= len(moved.lines) if place.lines.start > moved.lines.start else 0
    rest[at:at] = own
    return {_md(source): _as_text(rest)}


def _md(lesson: LessonSource) -> Path:
    return Path("notebooks", f"{lesson.stem}.md")


def _as_text(lines: list[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"


def _helpers(root: Path, files: Iterable[Path], was: Path, now: Path) -> dict[Path, str]:
    """The module that the files share in their new folder, with what they import of the old one."""
    names = [name for path in files for name in imported_names((root / path).read_text(encoding="utf-8"))]
    if not names:
        return {}
    old, new = root / was / _SHARED, root / now / _SHARED
    kind = "What the exercises of" if was.parts[0] == CHECKS else "What the answers to"
    begun = f'"""{kind} lesson {now.name[:2]} share."""\n'
    text = new.read_text(encoding="utf-8") if new.exists() else begun
    try:
        return {now / _SHARED: with_definitions(old.read_text(encoding="utf-8"), text, names)}
    except Conflict as problem:
        raise ValueError(f"{was / _SHARED} and {now / _SHARED}: {problem}") from None


# -- names ------------------------------------------------------------------------------------------------------


def _refuse(source: LessonSource, moved: Section, target: LessonSource, place: Section) -> None:
    """Refuse what would run names that are not there."""
    stays = [cell for cell in source.cells if cell.line not in moved.lines]
    above = [cell for cell in target.cells if cell.line < place.lines.stop and cell.line not in moved.lines]
    passed_by = [cell for cell in above if cell.line >= moved.lines.stop]
    left_behind = passed_by if source.stem == target.stem else stays
    own, others = _names_bound(moved.cells), _names_bound(stays)
    if missed := sorted((_names_read(moved.cells) & others) - own - _names_bound(above)):
        problem = f"{moved.label} runs {_in_words(missed)}, which {source.stem} defines elsewhere"
        raise ValueError(f"{problem}: define them before {place.label} ends, or in the section itself.")
    if missed := sorted((_names_read(left_behind) & own) - others):
        problem = f"what stays before it in {source.stem} runs {_in_words(missed)}, which {moved.label} defines"
        raise ValueError(f"{problem}: define them there.")


def _in_words(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _names_bound(cells: Iterable[Cell]) -> set[str]:
    """The names that cells bind."""
    return {symbol.get_name() for table in _tables(cells) for symbol in table.get_symbols() if _binds(symbol)}


def _binds(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _names_read(cells: Iterable[Cell]) -> set[str]:
    """The global names that cells run, in functions too."""
    found, left = set[str](), list(_tables(cells))
    while left:
        table = left.pop()
        left += table.get_children()
        is_top = table.get_type() == "module"
        found |= {one.get_name() for one in table.get_symbols() if one.is_referenced() and (is_top or one.is_global())}
    return found - set(dir(builtins))


def _tables(cells: Iterable[Cell]) -> Iterator[symtable.SymbolTable]:
    for cell in cells:
        code = without_magics(cell.source)
        if cell.is_code and _is_python(code):
            yield symtable.symtable(code, "cell", "exec")


def _is_python(code: str) -> bool:
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True
