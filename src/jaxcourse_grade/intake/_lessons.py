"""The lessons that can be graded, and by what they and their exercises are called: today, and before.

Notebooks, folders and tables keep the name that a lesson had when they were made. A whole name, `01_memory_layout`, or
its topic leads to the lesson that has had it. A number alone is that of a lesson of today; only where there is none of
that number, it is that of the one lesson that has had it. So a name of today always comes before an earlier one. An
exercise is found under each name that it has had: no other one gets it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from jaxcourse.course import Course, earlier_names
from jaxcourse_grade.intake._find import own_name
from jaxcourse_grade.intake._names import original, stem_of

Lessons = Mapping[str, frozenset[str]]
"""The lessons that can be graded: the names of the exercises of each, by its stem."""


class Taught(dict[str, frozenset[str]]):
    """The lessons of a course, which have had other names.

    Attributes:
        earlier: the stems of today by each name that a lesson has had.
        editions: of the lessons of today, by their stems.
        renamed: the exercises of today by each name that one has had.
    """

    def __init__(
        self,
        exercises: Lessons,
        earlier: Mapping[str, str] | None = None,
        editions: Mapping[str, str] | None = None,
        renamed: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(exercises)
        self.earlier, self.editions, self.renamed = dict(earlier or {}), dict(editions or {}), dict(renamed or {})

    @classmethod
    def of(cls, course: Course) -> Taught:
        """Those of a course."""
        texts = {stem: text for stem, text in course.texts.items() if text.solutions}
        return cls(
            {stem: frozenset(text.solutions) for stem, text in texts.items()},
            {name: stem for stem, text in texts.items() for name in text.was},
            {stem: text.edition for stem, text in texts.items()},
            earlier_names(texts),
        )


def earlier(lessons: Iterable[str]) -> Mapping[str, str]:
    """The stems of today by each name that a lesson has had."""
    return lessons.earlier if isinstance(lessons, Taught) else {}


def today(name: str, lessons: Lessons) -> str:
    """The stem of the lesson that has a name, or has had it; empty if none has.

    Example:
        >>> lessons = Taught({"10_toy": frozenset()}, {"01_toy": "10_toy"})
        >>> today("10_toy", lessons), today("01_toy", lessons), today("02_toy", lessons)
        ('10_toy', '10_toy', '')
    """
    return name if name in lessons else earlier(lessons).get(name, "")


def names_of(stem: str, lessons: Iterable[str]) -> tuple[str, ...]:
    """What a lesson is called, and what it was: the name of today first."""
    return (stem, *(name for name, now in earlier(lessons).items() if now == stem))


def renamed(lessons: Iterable[str]) -> Mapping[str, str]:
    """The exercises of today by each name that one has had."""
    return lessons.renamed if isinstance(lessons, Taught) else {}


def exercise_today(name: str, lessons: Lessons) -> str:
    """What an exercise is called today: its name itself, or that of the one that has had it.

    Example:
        >>> lessons = Taught({"10_toy": frozenset({"twice"})}, renamed={"double-it": "twice"})
        >>> exercise_today("double-it", lessons), exercise_today("twice", lessons), exercise_today("thrice", lessons)
        ('twice', 'twice', 'thrice')
    """
    return renamed(lessons).get(name, name)


def home_of(exercise: str, lessons: Lessons) -> str:
    """The lesson that has an exercise today, of which no other has one of the same name; empty if none has."""
    return next((stem for stem, names in lessons.items() if exercise in names), "")


def is_of_today(stem: str, edition: str, lessons: Lessons) -> bool:
    """Whether a notebook that says which edition of a lesson it is of is of today's; also where nothing is known."""
    now = lessons.editions.get(stem) if isinstance(lessons, Taught) else None
    return not edition or now is None or edition == now


# -- in names


@dataclass(frozen=True)
class Called:
    """The lesson that a name mentions.

    Attributes:
        lesson: its stem; empty if the name mentions none, or several.
        name: the one of its names that stands there, or of which a part does.
        doubt: what to say where a number stands alone that has been another lesson's; else empty.
    """

    lesson: str = ""
    name: str = ""
    doubt: str = ""


_SEPARATOR = r"[\s_.-]+"
_NO_LESSON = re.compile(r"\d+(?:\.\d+)+|(?:19|20)\d\d([-_.]?)\d\d\1\d\d(?!\d)")
"""Versions and dates, such as `python3.11` and `2026-11-20`."""
LESSON_WORD = r"(?:lesson|week|unit|homework|hw|assignment|exercises?|ex|sheet|notebook|nb)[\s_.-]*0*"


def lesson_in_name(part: str, lessons: Lessons) -> Called:
    """The lesson that the name of a file or a folder mentions.

    Example:
        >>> lessons = Taught({"10_strides": frozenset(), "01_tour": frozenset()}, {"01_strides": "10_strides"})
        >>> [lesson_in_name(name, lessons).lesson for name in ("01_strides doe", "strides", "10", "01")]
        ['10_strides', '10_strides', '10_strides', '01_tour']
        >>> lesson_in_name("01", lessons).doubt
        '01 is taken as 01_tour, as it is called today: before, it was the number of 01_strides, now 10_strides.'
    """
    stem = _NO_LESSON.sub("", original(stem_of(own_name(part)))[0])
    for tier in range(_TIERS):
        for names in ({name: name for name in lessons}, earlier(lessons)):
            hits = {now: name for name, now in names.items() if _patterns(name)[tier].search(stem)}
            if len(hits) == 1:
                ((lesson, name),) = hits.items()
                return Called(lesson, name, _doubt(lesson, name, lessons) if tier == _TIERS - 1 else "")
    return Called()


def _doubt(lesson: str, name: str, lessons: Lessons) -> str:
    """What to say of a number that was another lesson's before it was this one's."""
    number = number_of(name)
    others = [one for one, now in earlier(lessons).items() if number_of(one) == number and now != lesson]
    told = "{} is taken as {}, as it is called today: before, it was the number of {}, now {}."
    return told.format(number, lesson, others[0], today(others[0], lessons)) if others else ""


def number_of(stem: str) -> str:
    """The number that a lesson's name begins with; empty if there is none."""
    found = re.match(r"\d+", stem)
    return found[0] if found else ""


_TIERS = 3


@functools.cache
def _patterns(stem: str) -> tuple[re.Pattern[str], ...]:
    """What a lesson is called in names: all of its stem, its topic, its number; the surest first."""
    return tuple(re.compile(rf"(?:^|(?<=[\W_]))(?:{called})(?=[\W_]|$)", re.IGNORECASE) for called in _called(stem))


def is_topic(name: str, stem: str, lessons: Lessons) -> bool:
    """Whether a name is a lesson's topic, and no more."""
    return any(_patterns(one)[1].fullmatch(name) for one in names_of(stem, lessons))


def _called(stem: str) -> tuple[str, str, str]:
    number, topic = re.fullmatch(r"(?:(\d+)_)?(.*)", stem, re.DOTALL).groups()  # type: ignore[union-attr]
    topic = _SEPARATOR.join(map(re.escape, topic.split("_")))
    if number is None:
        return topic, topic, r"(?!)"
    numbered = f"(?:{LESSON_WORD})?{number}|{LESSON_WORD}{int(number)}"
    return f"(?:{numbered}){_SEPARATOR}{topic}", topic, numbered


def beside_lesson(name: str, stem: str, lessons: Lessons) -> str:
    """A name without the lesson's.

    Example:
        >>> lessons = Taught({"10_memory_layout": frozenset()}, {"01_memory_layout": "10_memory_layout"})
        >>> names = ("doe_jane_10", "10-memory-layout doe", "ann_02", "01_memory_layout_doe", "doe_01")
        >>> [beside_lesson(name, "10_memory_layout", lessons) for name in names]
        ['doe_jane', 'doe', 'ann_02', 'doe', 'doe']
    """
    called = zip(*map(_called, names_of(stem, lessons)), strict=True)
    whole, topic, number = (f"(?:{'|'.join(ways)})" for ways in called)
    last = re.fullmatch(
        rf"(.+?){_SEPARATOR}(?:(?:{whole}|{topic})(?:{_SEPARATOR}.*)?|{number})", name, re.IGNORECASE | re.DOTALL
    )
    first = re.fullmatch(rf"(?:{whole}|{topic}|{number}){_SEPARATOR}(.+)", name, re.IGNORECASE | re.DOTALL)
    found = first or last
    return original(found[1])[0] if found else name


def without_numbers(folder: str) -> str:
    """A folder's name without numbers of which nothing says that they are a lesson's: of a run, a room, a student.

    Example:
        >>> [without_numbers(name) for name in ("week 2", "02", "11_broadcasting", "run 02", "doe_02.zip")]
        ['week 2', '02', '_broadcasting', 'run ', 'doe_02.zip']
    """
    if folder.isdecimal() or folder.casefold().endswith(".zip"):
        return folder
    return re.sub(rf"({LESSON_WORD}\d+)|\d+", lambda found: found[1] or "", folder, flags=re.IGNORECASE)


def named_lesson(source: str, lessons: Lessons) -> Called:
    """The lesson that a file's name, or else that of a folder around it, mentions.

    Args:
        source: the path of the file; a member of an archive stands behind `!`.
        lessons: those that can be graded.
    """
    *folders, file = re.split(r"[/!]", source)
    found = (lesson_in_name(part, lessons) for part in (file, *map(without_numbers, reversed(folders))))
    return next((one for one in found if one.lesson), Called())
