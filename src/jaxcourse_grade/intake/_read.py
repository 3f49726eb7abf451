"""A class's notebooks, as strangers saved them: found, read leniently, and one chosen per student and lesson.

The order is `find`, `glance` at each, `choose`, and `Choice.read` when its turn to be graded has come: a file is read
at most twice, and the cells of one notebook at a time are in memory.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from jaxcourse_grade._bounded import TooMuch, directly
from jaxcourse_grade._records import Basis, Published, Submission
from jaxcourse_grade.intake._files import Unreadable, load
from jaxcourse_grade.intake._find import Handed, own_name
from jaxcourse_grade.intake._lessons import (
    Called,
    Lessons,
    beside_lesson,
    earlier,
    is_of_today,
    is_topic,
    named_lesson,
    renamed,
    today,
)
from jaxcourse_grade.intake._marimo import marimo_cells
from jaxcourse_grade.intake._names import NOTEBOOKS, is_name, original, spaced, stem_of, suffix
from jaxcourse_grade.intake._needed import needed
from jaxcourse_grade.intake._published import code_digest, edition, generated
from jaxcourse_grade.intake._text import GUESSED, decoded, kind_of
from jaxcourse_grade.intake._walk import CONFLICT, MAX_SOURCE, Broken, Cell, walk

MAX_CELLS = 20_000
"""Code cells of one notebook, which go from one process to another."""
MAX_IMPORTS = 200
SECONDS = 60.0
"""Of processor time, to read all that one student handed in."""
MAX_TOLD = 12
"""How many of the files that were set aside a note names; the rest are counted."""
_WANTED = "Hand in the notebook itself: in Jupyter or Colab, File > Download > Download .ipynb."


def read(handed: Handed, lessons: Lessons, asked: Sequence[str] = ()) -> Submission:
    """Read what was handed in, whatever it is.

    The lesson is what the notebook's metadata say; failing that, the one that most of its checks, markers and
    definitions belong to; failing that, what the name of the file or its folder says.

    Args:
        handed: one of `find`.
        lessons: the lessons that can be graded.
        asked: those of them that were handed out, if that is known: they are preferred where a notebook may be of
            several, and if there is one only, then a notebook that does not say what it is counts as that.

    Returns:
        The code cells, or why there are none. Never an exception, whatever a student has done to the file.
    """
    called = named_lesson(handed.source, lessons)
    if asked and called.lesson not in asked:
        called = Called(asked[0] if len(asked) == 1 else "")
    empty = Submission(
        handed.student,
        handed.name,
        called.lesson,
        handed.source,
        submitted=handed.submitted,
        notes=handed.notes,
        **_by_platform(handed),
    )
    return _with_student(_opened(handed, empty, lessons, asked, called), handed, lessons)


def _by_platform(handed: Handed) -> dict[str, Any]:
    """What only a learning platform says."""
    return {name: getattr(handed, name) for name in ("told", "late", "back", "platform", "look")}


def _opened(handed: Handed, empty: Submission, lessons: Lessons, asked: Sequence[str], called: Called) -> Submission:
    if handed.problem:
        return replace(empty, unreadable=handed.problem)
    try:
        data = load(handed.path, handed.members)
    except Unreadable as error:
        return replace(empty, unreadable=str(error))
    except MemoryError:
        return replace(empty, unreadable=f"The file is too large for this machine's memory. {_WANTED}")
    known = replace(empty, sha256=hashlib.sha256(data).hexdigest())
    try:
        return _filled(known, _sheet(data, suffix(handed.file), lessons), lessons, asked, called)
    except Unreadable as error:
        return replace(known, unreadable=str(error))


def glance(handed: Handed, lessons: Lessons, asked: Sequence[str] = ()) -> Submission:
    """The same as `read`, without the cells: what `choose` needs, and small enough to keep for thousands."""
    return replace(read(handed, lessons, asked), cells=())


def carefully(
    reads: Callable[..., Submission], handed: Handed, lessons: Lessons, asked: Sequence[str], apart: Callable[..., Any]
) -> Submission:
    """What `read` or `glance` gives, called in a process of its own; if that failed, a submission that says so."""
    empty = Submission(handed.student, handed.name, "", handed.source, notes=handed.notes, **_by_platform(handed))
    empty = replace(empty, submitted=handed.submitted)
    try:
        found: Submission = apart(reads, handed, lessons, asked, budgets={f"{handed.student}/{handed.place}": SECONDS})
    except TooMuch as error:
        return replace(empty, unreadable=f"{error} {_WANTED}")
    except Exception as error:  # whatever it is, it is this file's own
        return replace(empty, unreadable=f"The file could not be read ({type(error).__name__}). {_WANTED}")
    return found


def _filled(empty: Submission, sheet: _Sheet, lessons: Lessons, asked: Sequence[str], called: Called) -> Submission:
    lesson, odd = _lesson_of(sheet, lessons, asked, called)
    cells, retyped = _code(sheet, lessons)
    if len(cells) > MAX_CELLS:
        raise Unreadable(f"There are {len(cells):,} code cells: nobody writes that many. {_WANTED}")
    notes = (*empty.notes, *sheet.notes, *odd, *retyped)
    empty = replace(empty, imports=_imported(cells), basis=_basis(sheet, lessons, lesson))
    if sheet.is_script and not _votes(sheet, lessons):
        return replace(empty, unreadable=f"{_MODULE} {_WANTED}")
    if not lesson:
        return replace(empty, notes=notes, unreadable=_no_lesson(sheet.lesson, lessons))
    was, parts = _earlier(sheet, lessons, lesson, called)
    return replace(empty, lesson=lesson, cells=cells, notes=notes, was=was, parts=parts)


def _no_lesson(said: str, lessons: Lessons) -> str:
    """Why a notebook belongs to no lesson; it may say that it belongs to one that this course leaves out."""
    known = ", ".join(lessons)
    if re.fullmatch(r"[0-9]{2}_[a-z0-9_]{1,40}", said):
        return f"This is {said}, which is not taught here. What is: {known}."
    return f"Which lesson is this? Neither the notebook nor its name says. Name it after one of: {known}."


_MODULE = "Nothing in this script belongs to a lesson: it is a module, and no notebook."


# -- what kind of file it is


@dataclass(frozen=True)
class _Sheet:
    """A notebook or a script: its cells, the lesson that its metadata name, and what was odd."""

    cells: tuple[Cell, ...]
    lesson: str = ""
    notes: tuple[str, ...] = ()
    is_script: bool = False

    @property
    def said(self) -> str:
        """The lesson that it says it is of, by the name that this had then; empty if it says none."""
        return self.lesson or edition(self.cells).partition(" ")[0]

    def is_earlier(self, lessons: Lessons) -> bool:
        """Whether it says that it was made before the lesson was as it is today, or was called so."""
        stem, _, digest = edition(self.cells).partition(" ")
        now = today(self.said, lessons)
        return bool(now) and (now != self.said or not is_of_today(stem, digest, lessons))


_BOMS = ((b"\xff\xfe\0\0", "utf-32"), (b"\0\0\xfe\xff", "utf-32"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_WIDE = ((re.compile(rb"[{#\w\s]\0[^\0]\0", re.DOTALL), "utf-16-le"), (re.compile(rb"\0[{#\w\s]\0[^\0]"), "utf-16-be"))
_PLAIN = (".ipynb", ".json", ".txt", "")
"""Endings that browsers and mail programs give to a notebook or a script."""


def _sheet(data: bytes, ending: str, lessons: Lessons) -> _Sheet:
    """The cells of a file, by what its bytes are; its ending decides only what is said about other text."""
    if not data.strip(b"\0 \t\r\n"):
        raise Unreadable(f"The file is empty. {_WANTED}")
    if kind := kind_of(data):
        raise Unreadable(f"This is {kind}, not a notebook. {_WANTED}")
    data, notes = _in_utf8(data)
    if re.match(rb'\s*\{\s*(?:["<}]|$)', data):
        return _notebook(data, notes)
    if ending == ".py":
        return _script(data, (*notes, "A script instead of a notebook: its cells begin at `# %%`."))
    if ending in _PLAIN and _exercises_in(data.decode("latin-1"), lessons):
        return _script(data, (*notes, "A script instead of a notebook, though its name does not end in `.py`."))
    raise Unreadable(f"This is not a notebook: {_instead(ending)}. {_WANTED}")


def _instead(ending: str) -> str:
    return "it does not begin with `{`" if ending in _PLAIN else f"its name ends in `{ending}`"


def _in_utf8(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The same text as UTF-8 without a byte order mark."""
    if data.startswith(b"\xef\xbb\xbf"):
        return data[3:], ()
    wide = next((name for mark, name in _BOMS if data.startswith(mark)), "")
    wide = wide or next((name for pattern, name in _WIDE if pattern.match(data)), "")
    if not wide:
        return data, ()
    return data.decode(wide, "replace").encode(), (f"In {wide.upper()} instead of UTF-8.",)


def _notebook(data: bytes, notes: tuple[str, ...]) -> _Sheet:
    try:
        book = walk(data)
    except Broken as error:
        resolve = "Resolve it, until Jupyter opens the notebook again. " if str(error).startswith(CONFLICT) else ""
        raise Unreadable(f"The notebook {error}. {resolve}{_WANTED}") from None
    return _Sheet(book.cells, book.lesson, (*notes, *(f"The notebook: {note}." for note in book.notes)))


_CUT = re.compile(r"^#[ \t]*(?:%%(?P<title>.*)|In\[[ \d]*\]:.*)$", re.MULTILINE)
"""Where a cell begins: in jupytext's percent format, Spyder and VS Code; in what nbconvert writes."""


def _script(data: bytes, notes: tuple[str, ...]) -> _Sheet:
    text, guessed = decoded(data)
    notes = (*notes, f"N{GUESSED[1:]}.") if guessed else notes
    text = text.replace("\r\n", "\n")
    if len(text) > MAX_SOURCE:
        raise Unreadable(f"The script has more than {MAX_SOURCE // 2**20} million characters. {_WANTED}")
    if (own := marimo_cells(text)) is not None:
        return _Sheet(tuple(Cell("code", source) for source in own), "", (*notes, "Its cells are those of marimo."))
    cuts = list(_CUT.finditer(text))
    ends = [*(cut.start() for cut in cuts), len(text)]
    cells = [Cell("code", text[: ends[0]].strip("\n"))]
    cells += [_script_cell(cut, text[cut.end() : end]) for cut, end in zip(cuts, ends[1:], strict=True)]
    return _Sheet(tuple(cell for cell in cells if cell.source), "", notes, is_script=True)


def _script_cell(cut: re.Match[str], body: str) -> Cell:
    prose = re.search(r"\[(?:markdown|md|raw)\]", cut["title"] or "")
    body = body.strip("\n")
    return Cell("markdown", re.sub(r"^# ?", "", body, flags=re.MULTILINE)) if prose else Cell("code", body)


# -- what is in it

_MARKER = re.compile(r"^[ \t]*#[ \t]*exercise:[ \t]*([\w-]+)", re.MULTILINE | re.IGNORECASE)
_VERB = re.compile(r"""\b(?:check|hint|solution)\([ \t]*["']([\w-]+)["']""")
_DEFINED = re.compile(r"^(?:(?:async[ \t]+)?def[ \t]+|class[ \t]+)?(\w+)[ \t]*[(:=]", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+(\w++)[\w.]*+[ \t]+import\b|import[ \t]+([^#;\n]+))", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,}).*\n?", re.MULTILINE)


def _imported(cells: Iterable[str]) -> tuple[str, ...]:
    r"""The modules that code names in an `import`; of packages, the outermost.

    Example:
        >>> _imported(["import my_helpers as h, os.path", "if x:\n    from other import y"])
        ('my_helpers', 'os', 'other')
    """
    found: dict[str, None] = {}
    for outer, listed in (match for cell in cells for match in _IMPORT.findall(cell)):
        names = [outer] if outer else [part.split()[0].partition(".")[0] for part in listed.split(",") if part.split()]
        found |= dict.fromkeys(name for name in names if name.isidentifier())
    return tuple(found)[:MAX_IMPORTS]


def _variables(lessons: Lessons) -> dict[str, set[str]]:
    """The lessons that an exercise's variable occurs in."""
    owners: dict[str, set[str]] = {}
    for stem, names in lessons.items():
        for name in names:
            owners.setdefault(_variable(name), set()).add(stem)
    return owners


def _variable(name: str) -> str:
    return name.replace("-", "_").lower()


def _called(name: str, lessons: Lessons) -> str:
    """What the answer is called today to which a name leads: an exercise's or a variable's, of today or of before."""
    earlier = {_variable(old): _variable(now) for old, now in renamed(lessons).items()}
    return earlier.get(_variable(name), _variable(name))


def _exercises_in(source: str, lessons: Lessons) -> set[str]:
    """The variables of the exercises that are marked in a source."""
    marked = {_called(name, lessons) for name in _MARKER.findall(source)}
    return marked & _variables(lessons).keys() if marked else marked


def _code(sheet: _Sheet, lessons: Lessons) -> tuple[tuple[str, ...], list[str]]:
    """The sources of the code cells, and of those with an exercise's marker that were made text; what to note."""
    sources, notes = [], []
    for cell in sheet.cells:
        marked = set() if cell.kind == "code" else _exercises_in(cell.source, lessons)
        if cell.kind == "code":
            sources.append(cell.source)
        elif marked:
            sources.append(_FENCE.sub("", cell.source).strip("\n"))
            notes.append(f"The cell with {_listed(sorted(marked))} is a {cell.kind[:20]} cell: it was taken as code.")
    return tuple(sources), notes[:MAX_TOLD]


def _lesson_of(sheet: _Sheet, lessons: Lessons, asked: Sequence[str], called: Called) -> tuple[str, tuple[str, ...]]:
    """Which lesson it is, and what to note."""
    votes = _votes(sheet, lessons)
    most = [stem for stem in votes if votes[stem] == max(votes.values())]
    named = called.lesson
    content = most[0] if len(most) == 1 else named if named in most else ""
    told = today(sheet.said, lessons)
    lesson = next((stem for stem in (told, content) if stem in asked), told or content or named)
    if sheet.is_earlier(lessons):
        return lesson, ()
    if content and content != lesson:
        return lesson, (f"Taken as {lesson}, though most of its exercises are those of {content}.",)
    if told and told != lesson:
        return lesson, (f"Taken as {lesson}, though the notebook says that it is {told}.",)
    if lesson and not (told or content):
        only = f"Taken as {lesson}: nothing in it says so." if asked else f"Only its name says that it is {lesson}."
        return lesson, (only, *filter(None, (called.doubt,)))
    return lesson, ()


def _earlier(sheet: _Sheet, lessons: Lessons, lesson: str, called: Called) -> tuple[str, tuple[tuple[str, Basis], ...]]:
    """Of a notebook from when the lesson had another name, or other sections: that name, and what else it holds.

    Returns:
        The name, if it is not that of today; and the other lessons that have exercises of it today.
    """
    name = sheet.said or called.name
    was = name if name in earlier(lessons) else ""
    if not (was or sheet.is_earlier(lessons)):
        return "", ()
    here = _names(sheet, (_MARKER, _VERB), lessons)
    others = [stem for stem, names in lessons.items() if stem != lesson and here & set(map(_variable, names))]
    return was, tuple((stem, _basis(sheet, lessons, stem)) for stem in others)


def _votes(sheet: _Sheet, lessons: Lessons) -> Counter[str]:
    """How many exercises of each lesson are marked, checked or defined."""
    owners = _variables(lessons)
    named = _names(sheet, (_MARKER, _VERB, _DEFINED), lessons)
    return Counter(stem for name in named for stem in owners.get(name, ()))


def _names(sheet: _Sheet, patterns: Sequence[re.Pattern[str]], lessons: Lessons) -> set[str]:
    """The variables that stand where these patterns say, by their names of today; in text, only markers do."""
    return {
        _called(name, lessons)
        for cell in sheet.cells
        for pattern in patterns
        if cell.kind == "code" or pattern is _MARKER
        for name in pattern.findall(cell.source)
    }


def _basis(sheet: _Sheet, lessons: Lessons, lesson: str) -> Basis:
    """On what it is taken as this lesson's."""
    asked = {_variable(name) for name in lessons.get(lesson, ())}
    said, named = (
        len(asked & _names(sheet, these, lessons)) for these in ((_MARKER, _VERB), (_MARKER, _VERB, _DEFINED))
    )
    works = any(cell.kind == "code" for cell in sheet.cells)  # what leads to another notebook only says the lesson
    sure = said or 2 * named > len(asked) or (works and lesson and today(sheet.said, lessons) == lesson)
    level = 2 if sure and lesson else 1 if named else 0
    if sheet.is_script:
        return Basis(level, named)
    return Basis(level, named, code_digest(sheet.cells), edition(sheet.cells), generated(sheet.cells))


# -- what its name says


def _with_student(submission: Submission, handed: Handed, lessons: Lessons) -> Submission:
    """Whose it is, where only the file's name tells: what it says beside the lesson's name."""
    if not handed.by_file:
        return submission
    stem = submission.lesson
    who = beside_lesson(handed.student, stem, lessons) if stem else handed.student
    if not is_name(who) or (stem and is_topic(who, stem, lessons)):
        who = f"{handed.student} ({handed.copy})" if handed.copy else handed.student
    return replace(submission, student=who, name=spaced(who))


# -- which of several counts


@dataclass(frozen=True)
class Choice:
    """What counts for one student and one lesson.

    Attributes:
        handed: the file that counts.
        submission: what was read of it, without its cells; its notes say what was set aside, and why.
        aside: the other files, by their path.
        beside: what was handed in with it, and that it may import, in the order in which the last of one name counts.
        before: notebooks of lessons that had exercises of this one before; it stands below their cells.
    """

    handed: Handed
    submission: Submission
    aside: tuple[str, ...] = ()
    beside: tuple[Handed, ...] = ()
    before: tuple[Handed, ...] = ()

    def read(self, lessons: Lessons, asked: Sequence[str] = (), apart: Callable[..., Any] = directly) -> Submission:
        """Read the file again, now to be graded.

        Args:
            lessons: as when it was glanced at.
            asked: as when it was glanced at.
            apart: calls a function in a process of its own.
        """
        first = self.submission
        again = _joined([carefully(read, one, lessons, asked, apart) for one in (*self.before, self.handed)])
        changed = ("The file has changed since the class was read.",) if again.sha256 != first.sha256 else ()
        notes = tuple(dict.fromkeys((*again.notes, *first.notes, *changed)))
        known = replace(
            first, sha256=again.sha256, cells=again.cells, imports=again.imports, unreadable=again.unreadable
        )
        modules, too_large = needed(again.cells, self.handed, self.beside, partial(_text, apart))
        return replace(known, notes=notes, modules=modules, too_large=too_large)


def _joined(parts: Sequence[Submission]) -> Submission:
    """Notebooks as one, the cells of the last at the end: there, a stub that is not filled in replaces no answer."""
    *_, last = parts
    if len(parts) == 1:
        return last
    return replace(
        last,
        sha256=hashlib.sha256("\n".join(one.sha256 for one in parts).encode()).hexdigest(),
        cells=tuple(cell for one in parts for cell in one.cells),
        imports=tuple(dict.fromkeys(name for one in parts for name in one.imports)),
        notes=tuple(dict.fromkeys(note for one in parts for note in one.notes)),
        unreadable=next((one.unreadable for one in parts if one.unreadable), ""),
        submitted=(latest := _last_handed_in(parts)).submitted,
        told=latest.told,
        late=next((one.late for one in parts if one.late), ""),
    )


def _last_handed_in(parts: Sequence[Submission]) -> Submission:
    """The one that was handed in last, of those of which that is known."""
    return max((one for one in parts if one.submitted), key=lambda one: _instant(one.submitted), default=parts[-1])


def _text(apart: Callable[..., Any], handed: Handed) -> str | None:
    """A file that a notebook may import, as text; None if it cannot be read."""
    try:
        text: str = apart(load, handed.path, handed.members).decode("utf-8")
        return text
    except (Unreadable, TooMuch, UnicodeError):
        return None


_Pair = tuple[Handed, Submission]


def is_notebook(handed: Handed, read: Submission) -> bool:
    """Whether it is one, or was to be one; a script that is no answer is not, nor what is of no lesson."""
    return not read.unreadable or (suffix(handed.file) == ".ipynb" and not read.basis.code)


def choose(pairs: Iterable[_Pair]) -> list[Choice]:
    """Choose what counts: for each student and lesson, the latest file that can be read.

    Where sections of several lessons are in this one now, the latest of each of them counts, below all the latest that
    is of the lesson as it is today.

    What has something of the lesson in it counts before what has nothing, whenever that was handed in, and a student's
    own before what the course has published. The latest is the one that the platform received last (its time, or its
    number of the attempt); of `x.ipynb` and its copy `x (1).ipynb`, the copy; else the one that was changed last; else
    the last by name. A file that cannot be read counts only if nothing else does. A file that is no notebook, of an
    unknown lesson, goes with the student's first. A module goes with each of the notebooks beside it.

    Args:
        pairs: what `find` found, with what `glance` read of it.

    Returns:
        One for each student and lesson, in this order; an unreadable notebook of no known lesson has one of its own.
    """
    rows: dict[tuple[str, str], list[_Pair]] = {}
    pairs = list(pairs)
    home = _homes(pairs)
    modules = [pair for pair in pairs if pair[0].module]
    for pair in (pair for pair in pairs if not pair[0].module):
        student, lesson = pair[1].student, pair[1].lesson
        if not lesson and pair[1].unreadable and not is_notebook(*pair):
            lesson = home.get(student, "")
        rows.setdefault((student, lesson), []).append(pair)
    return [_with_modules(_chosen(rows[key]), modules) for key in sorted(rows)]


def _with_modules(choice: Choice, modules: list[_Pair]) -> Choice:
    """The same, with the modules that were handed in with what counts."""
    places, student = {one.place for one in (*choice.before, choice.handed)}, choice.submission.student
    with_it = [(handed, read) for handed, read in modules if handed.place in places and read.student == student]
    with_it.sort(key=_rank)
    beside = tuple(handed for handed, _ in with_it)
    if not beside:
        return choice
    listed = _listed([f"`{handed.source}` as `{handed.module}`" for handed in beside])
    notes = (*choice.submission.notes, f"It can import what was handed in with it: {listed}.")
    digest = hashlib.sha256(
        "".join(f"{handed.module} {read.sha256}\n" for handed, read in with_it).encode()
    ).hexdigest()
    return replace(choice, submission=replace(choice.submission, notes=notes, beside=digest), beside=beside)


def _homes(pairs: list[_Pair]) -> dict[str, str]:
    """The first lesson of which each student has handed in something readable."""
    homes: dict[str, str] = {}
    for _, submission in pairs:
        if not submission.unreadable:
            homes[submission.student] = min(submission.lesson, homes.get(submission.student, submission.lesson))
    return homes


def _chosen(rivals: list[_Pair]) -> Choice:
    stems = {_stem(pair) for pair in rivals}
    base = {id(pair): (pair[1].was, original(_stem(pair), stems)[0]) for pair in rivals}
    latest: dict[tuple[str, str], _Pair] = {}
    for pair in sorted(rivals, key=lambda pair: _rank(pair, stems)):
        latest[base[id(pair)]] = pair
    best = max(latest.values(), key=_rank)
    before = _with_before(best, latest.values())
    first = {pair[1].was: pair for pair in (*before, best)}
    aside = [pair for pair in rivals if not any(pair is one for one in first.values())]
    told = []
    for pair in aside:
        last = latest[base[id(pair)]]
        why = _why(first.get(pair[1].was, best), pair) if pair is last else _why(last, pair, stems)
        told.append(f"`{pair[0].source}` ({why})")
    submission = _joined([_as_first(pair, rivals) for pair in (*before, best)])
    notes = [*submission.notes]
    if before:
        notes.append(_TOGETHER.format(_listed([f"`{pair[0].source}`" for pair in (*before, best)])))
    if aside:
        what = "these count" if before else f"`{best[0].source}` counts"
        notes.append(f"{len(rivals)} files for this lesson: {what}. Set aside: {_listed(told)}.")
    submission = replace(submission, notes=tuple(notes), look=_look(best, aside))
    return Choice(
        best[0], submission, tuple(handed.source for handed, _ in aside), (), tuple(handed for handed, _ in before)
    )


_TOGETHER = (
    "Taken together, because they have exercises that are all of this lesson now: {}. Where two answer the same, the "
    "last of them counts; code cells are counted through."
)


def _with_before(best: _Pair, others: Iterable[_Pair]) -> list[_Pair]:
    """What counts together with the best: of each lesson that had exercises of this one before, a student's latest."""
    found: dict[str, _Pair] = {}
    for pair in sorted(others, key=_rank):
        if pair[1].was != best[1].was and _is_work(pair) and pair[0].overdue <= best[0].overdue:
            found[pair[1].was] = pair
    return [pair for pair in sorted(found.values(), key=_rank) if pair[1].was and _is_work(best)]


def _is_work(pair: _Pair) -> bool:
    """Whether a student has worked in it, as far as that shows without running it."""
    return not pair[1].unreadable and pair[1].basis.level > 1 and not pair[1].basis.published


def _as_first(best: _Pair, rivals: list[_Pair]) -> Submission:
    """What counts, with when its content was handed in: handing in the same again is not handing in later."""
    same = [pair for pair in rivals if pair[1].sha256 == best[1].sha256 and pair[1].sha256] or [best]
    _, first = min(same, key=lambda pair: (_instant(pair[1].submitted), pair[0].attempt))
    return replace(best[1], submitted=first.submitted, told=first.told, late=first.late)


def _instant(moment: str) -> tuple[bool, float, str]:
    """What moments are compared by; what is no moment comes last."""
    # A moment without a time zone is compared with others of the same platform: any zone does.
    try:
        return False, datetime.fromisoformat(moment).timestamp(), moment
    except (ValueError, OverflowError):
        return True, 0.0, moment


def _stem(pair: _Pair) -> str:
    return stem_of(own_name(pair[0].file))


_OWN: tuple[Published, ...] = ("file", "solved", "blank", "")
"""What of the course's own counts before what, and a student's own before all: who has not begun has not copied."""
_ORDER: tuple[tuple[str, Callable[[_Pair], Any]], ...] = (
    ("not readable", lambda pair: not pair[1].unreadable),
    ("nothing of the lesson is in it", lambda pair: pair[1].basis.level > 0),
    ("the course's own, as we publish it", lambda pair: _OWN.index(pair[1].basis.published)),
    ("little of the lesson is in it", lambda pair: pair[1].basis.level),
    ("handed in late", lambda pair: not pair[0].overdue),
    ("of the lesson as it was before", lambda pair: not pair[1].was),
    ("not a notebook", lambda pair: suffix(pair[0].file) in NOTEBOOKS),
    ("handed in earlier", lambda pair: pair[0].submitted),
    ("an earlier attempt", lambda pair: pair[0].attempt),
    ("an earlier copy", lambda pair: pair[0].copy),
    ("changed earlier", lambda pair: pair[0].modified),
    ("earlier by name", lambda pair: pair[0].source),
    ("earlier in the archive", lambda pair: pair[0].members),
)
"""What makes a file count before another, the weightiest first, and what is said of the other. Within what one student
handed in, copies are compared with what they are copies of, and with nothing else."""


_COPY = [name for name, _ in _ORDER].index("an earlier copy")


def _rank(pair: _Pair, stems: Iterable[str] | None = None) -> list[Any]:
    """A file's place in the order; among those of one name if the stems of all are given."""
    ranks = [of(pair) for _, of in _ORDER]
    if stems is not None:
        ranks[_COPY] = original(_stem(pair), stems)[1]
    return ranks


def _look(best: _Pair, aside: Sequence[_Pair]) -> str:
    """What an instructor should look at before believing that this file is the one that counts."""
    handed, read = best
    here, others = read.basis, [pair for pair in aside if not pair[1].unreadable and not pair[1].basis.published]
    more = [pair for pair in others if pair[1].basis.exercises > here.exercises]
    unread = [pair for pair in aside if pair[1].unreadable and suffix(pair[0].file) == ".ipynb"]
    said = [read.look]
    if not read.unreadable and not here.level:
        said.append(f"`{handed.source}` counts, though nothing in it says that it is {read.lesson}: see what it is.")
    if read.unreadable.startswith(_MODULE):
        said.append(f"Of {read.lesson or 'any lesson'} there is only `{handed.source}`, with nothing of it.")
    if here.published == "solved":
        said.append(f"`{handed.source}` is the course's own solved notebook, unchanged.")
    if more and not read.unreadable:
        listed = _listed([f"`{pair[0].source}` ({pair[1].basis.exercises})" for pair in more])
        said.append(f"`{handed.source}` counts, with {here.exercises} of the exercises; set aside: {listed}.")
    if unread and (here.published or not here.level) and not read.unreadable:
        listed = _listed([f"`{pair[0].source}`" for pair in unread if not pair[1].basis.published])
        said += [f"Set aside, because it could not be read: {listed}."] if listed else []
    return " ".join(filter(None, said))


def _why(best: _Pair, other: _Pair, stems: Iterable[str] | None = None) -> str:
    """Why a file does not count."""
    if other[1].sha256 and best[1].sha256 == other[1].sha256:
        return "the same content"
    if other[1].unreadable and other[1].basis.published:
        return "the course's own solved notebook"
    if other[1].unreadable and not best[1].unreadable:
        return f"not readable: {other[1].unreadable.partition('. ')[0].rstrip('.')}"
    ranks = zip(_ORDER, _rank(best, stems), _rank(other, stems), strict=True)
    return next((name for (name, _), mine, theirs in ranks if mine != theirs), "the same file")


def _listed(items: list[str]) -> str:
    more = f", and {len(items) - MAX_TOLD} more" if len(items) > MAX_TOLD else ""
    return ", ".join(items[:MAX_TOLD]) + more
