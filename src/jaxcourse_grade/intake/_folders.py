"""What the name of a folder or an archive says: an assignment, a student, or both, as in `hw1-jdoe`.

A folder that is called after an assignment alone, `hw1` or `10_memory_layout`, may hold a class; one that has
somebody's name as well is what this one handed in. Where a name may be a topic's as well as a person's, as in
`Week 3 Curie`, a roster decides; else what lies in it does.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jaxcourse_grade.intake._names import is_name, stem_of

_SEPARATOR = r"[\s_.,:;()\[\]–—-]+"
_WORDS = (
    r"lesson|week|unit|topic|chapter|session|homework|hw|assignment|exercises?|ex|sheet|lab|notebook|nb|problem[\s_-]*set|"
    r"pset|project|task"
)
_ASSIGNMENT = rf"(?:{_WORDS})[\s_.#-]*\d{{1,3}}"
_NUMBERED = re.compile(r"(?P<label>\d\d)_(?P<beside>[a-z]\w*)", re.IGNORECASE)


@dataclass(frozen=True)
class Assignment:
    """What a name says that has an assignment in it.

    Attributes:
        label: the assignment, in lower case, letters and digits only.
        beside: what else the name says, perhaps a student's; else empty.
        sure: whether it is sure that this does not belong to the assignment's own name.
    """

    label: str
    beside: str = ""
    sure: bool = True


def _nobody(name: str) -> bool:
    return False


@dataclass(frozen=True)
class Naming:
    """What names mean in a class.

    Attributes:
        lessons: the stems of those that are taught.
        knows: whether a name is that of one person on the roster.
    """

    lessons: tuple[str, ...] = ()
    knows: Callable[[str], bool] = _nobody

    def assignment(self, part: str) -> Assignment | None:
        """What a name says, if an assignment is in it.

        Example:
            >>> naming = Naming(("10_memory_layout",))
            >>> [naming.assignment(part) for part in ("hw1-jdoe", "Week 3", "jane")]
            [Assignment(label='hw1', beside='jdoe', sure=True), Assignment(label='week3', beside='', sure=True), None]
            >>> naming.assignment("10_memory_layout-jdoe").beside, naming.assignment("07_jane").sure
            ('jdoe', False)
        """
        return _assignment(stem_of(part), self.lessons)

    def is_name(self, stem: str) -> bool:
        """Whether a stem may name a student: it is more than the name of an assignment, or of a lesson.

        Example:
            >>> [Naming(("10_memory_layout",)).is_name(stem) for stem in ("jdoe", "memory layout", "hw1", "hw1 jdoe")]
            [True, False, False, True]
        """
        said = self.assignment(stem)
        return self.knows(stem) or is_name(said.beside if said and said.sure else stem)

    def student(self, part: str) -> str:
        """Whose a folder, an archive or a file of this name is, if it is one student's.

        Example:
            >>> naming = Naming(("10_memory_layout",), {"jane"}.__contains__)
            >>> [naming.student(part) for part in ("hw1-jdoe", "07_jane", "07_anna", "Week 3", "ann")]
            ['jdoe', 'jane', '07_anna', 'Week 3', 'ann']
        """
        said = self.assignment(part)
        if self.knows(part) or not said:
            return part
        theirs = self.knows(said.beside) or (said.sure and is_name(said.beside))
        return said.beside if theirs else part

    def on_roster(self, part: str) -> str:
        """The one name on the roster that stands between the other words of a name; empty if there is none, or several.

        Example:
            >>> naming = Naming((), {"jane doe", "jdoe"}.__contains__)
            >>> naming.on_roster("numerics-hw1-jdoe"), naming.on_roster("jane_doe_final"), naming.on_roster("hw1-anna")
            ('jdoe', 'jane doe', '')
            >>> Naming((), {"Jane Doe"}.__contains__).on_roster("12-34 - Jane Doe - Nov 20, 2026 1004 AM")
            'Jane Doe'
        """
        if self.knows(part):
            return part
        found = {name for name in self._between(part) if self.knows(name)}
        return found.pop() if len(found) == 1 else ""

    def _between(self, part: str) -> Iterator[str]:
        yield from (part.strip() for part in re.split(r"\s[–—-]\s", stem_of(part)))  # as Brightspace parts a name
        words: list[str] = []
        for word in [*re.split(_SEPARATOR, re.sub(_ASSIGNMENT, " 0 ", stem_of(part), flags=re.IGNORECASE)), ""]:
            if word and is_name(word):
                words.append(word)
            elif words:
                yield " ".join(words)
                words = []
        if said := self.assignment(part):
            yield said.beside


@functools.lru_cache(maxsize=4096)
def _assignment(stem: str, lessons: tuple[str, ...]) -> Assignment | None:
    first, last = _forms(lessons)
    if found := first.fullmatch(stem) or last.fullmatch(stem):
        beside = re.sub(rf"^{_SEPARATOR}|{_SEPARATOR}$|^(?:by|of|von)\s+", "", found["beside"] or "")
        label = re.sub(r"[\W_]+|(?<!\d)0+(?=\d)", "", found["label"]).casefold()
        also = first.fullmatch(beside)  # `Week 3 Broadcasting` has the lesson's topic beside its number
        return Assignment(label, "" if also and not also["beside"] else beside)
    numbered = _NUMBERED.fullmatch(stem)
    return Assignment(numbered["label"], numbered["beside"], sure=False) if numbered else None


@functools.cache
def _forms(lessons: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """An assignment with something behind it, or before it."""
    called = sorted(map(_called, lessons), key=len, reverse=True)  # of two topics, the longer one
    label = f"(?P<label>{'|'.join((*called, _ASSIGNMENT))})"
    forms = rf"{label}(?:{_SEPARATOR}(?P<beside>.*))?", rf"(?P<beside>.+?){_SEPARATOR}{label}{_SEPARATOR[:-1]}*"
    first, last = (re.compile(form, re.IGNORECASE | re.DOTALL) for form in forms)
    return first, last


def _called(stem: str) -> str:
    """How a lesson is called in names: by its topic, perhaps with a number before it."""
    topic = _SEPARATOR.join(map(re.escape, re.sub(r"^\d+_", "", stem).split("_")))
    return rf"(?:(?:(?:{_WORDS})[\s_.#-]*)?\d{{1,3}}{_SEPARATOR})?{topic}"
