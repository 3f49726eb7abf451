"""What a plan names, found in its lesson: cells by their sections and words, a question by its box or its exercise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from jaxcourse.course import Course, nearest
from jaxcourse.prediction import Prediction
from jaxcourse_author.lesson import LessonSource, read_lesson
from jaxcourse_author.lesson.elsewhere import Elsewhere
from jaxcourse_author.lesson.predictions import Answer, Box, Field
from jaxcourse_author.not_there import NotThere
from jaxcourse_author.sheets import Excerpt, Piece, PieceError, Sheet, excerpts
from jaxcourse_author.teach._file import TEACH, Peers, Plan, read_plans

Read = Callable[[Path, Course], LessonSource]

PAGE = "book/teach"
"""The page of all lessons, as `_toc.yml` names it."""
FEWEST, MOST = 2, 3
"""How many wrong answers a question offers at least and at most, beside the right one."""


class PlanError(NotThere):
    """A plan names what its lesson does not have."""


@dataclass(frozen=True)
class Choice:
    """One answer that a question offers: as it is written, and what is known of whoever takes it.

    Attributes:
        answer: as readers write it.
        words: the checks' words to it; empty for the right one.
        label: the mistake's, if it has one.
    """

    answer: str
    words: str = ""
    label: str = ""


@dataclass(frozen=True)
class PeerQuestion:
    """A question for peers, as far as the sources have it.

    Attributes:
        text: the question.
        box: the box that it is from, with the field; the run of the lesson says what is right.
        choices: what an exercise offers: the right answer first, then known mistakes; empty for a box.
    """

    text: str
    box: tuple[Box, Field] | None = None
    choices: tuple[Choice, ...] = ()


# -- cells ------------------------------------------------------------------------------------------------------


def cells(course: Course, plan: Plan, lesson: LessonSource) -> tuple[Excerpt, ...]:
    """The cells that a plan shows, as its lesson has them.

    Args:
        course: whose.
        plan: of a lesson that is taught.
        lesson: that lesson.

    Raises:
        PlanError: one is not there.
    """
    return tuple(_cell(course, one.at, one.cell, lesson) for one in plan.live)


def _cell(course: Course, at: str, words: str, lesson: LessonSource) -> Excerpt:
    if at not in lesson.sections:
        raise PlanError(f"`{at}` is no section of this lesson", _near(at, lesson.sections))
    try:
        (found,) = excerpts(course, Sheet("", "", "", (Piece("cell", at, words),)))
    except PieceError as error:
        raise PlanError(error.problem, error.repair.replace("book/sheets.yml", TEACH)) from error
    return found


def _near(name: str, known: Iterable[str], otherwise: str = "Name one.") -> str:
    near = nearest(name, known)
    return f"Write {near!r}." if near else otherwise


# -- the question -----------------------------------------------------------------------------------------------


def peer_question(course: Course, peers: Peers, lesson: LessonSource) -> PeerQuestion:
    """The question of a plan.

    Args:
        course: whose.
        peers: what is declared.
        lesson: the one whose plan it is.

    Raises:
        PlanError: the lesson has no such box, field, exercise or entry, or too few of its wrong answers have words.
    """
    if peers.exercise:
        return PeerQuestion(peers.ask, choices=_of_exercise(course, peers, lesson))
    fields = [(box, field) for box in lesson.boxes.get(peers.at, ()) for field in box.fields]
    found = [(box, field) for box, field in fields if field.ask == peers.field]
    if len(found) != 1:
        named = ", ".join(repr(field.ask) for _, field in fields) or "none"
        raise PlanError(f"{peers} is there {len(found)} times, and not once", f"The fields there ask {named}.")
    (box, field) = found[0]
    require_words(field, peers)
    return PeerQuestion(f"{box.question.strip()}\n\n{_sentence(field.ask)}".strip(), (box, field))


def _sentence(ask: str) -> str:
    return f"**{ask} …**" if ask else ""


def require_words(field: Field, peers: Peers) -> None:
    """Require that a field offers a question for peers: each wrong answer is a known mistake.

    Args:
        field: of a prediction box.
        peers: what is declared, for the message.

    Raises:
        PlanError: it does not.
    """
    silent = [choice for choice in field.choices if choice not in field.mistakes]
    if len(silent) > 1:
        words = f"{peers} says nothing to several of its choices: {', '.join(silent)}"
        raise PlanError(words, "Write their `mistakes` in the lesson, or take another question.")
    wrong = len(field.choices) - 1 if field.choices else len(field.mistakes)
    if wrong < FEWEST:
        raise PlanError(f"{peers} has {wrong} known mistakes", f"Take a question with at least {FEWEST}.")


def choices(field: Field, right: Answer | None) -> tuple[Choice, ...]:
    """What a field offers: the answer of the run first, then its other choices, or the known mistakes.

    Args:
        field: of a prediction box.
        right: what the run says; nothing of what is measured, and this run leaves open.

    Raises:
        PlanError: several of its choices are right.
    """
    if right and field.kind == "several" and isinstance(right.value, list) and len(right.value) != 1:
        raise PlanError(f"{right.shown} hold at once", "Take a question with one right answer.")
    shown = right.shown if right else ""
    wrong = [
        Choice(said, field.mistakes.get(said, ""), said) for said in field.choices or field.mistakes if said != shown
    ]
    return (*([Choice(shown)] if right else []), *wrong[:MOST])


def _of_exercise(course: Course, peers: Peers, lesson: LessonSource) -> tuple[Choice, ...]:
    if peers.exercise not in lesson.tasks:
        near = nearest(peers.exercise, lesson.tasks)
        raise PlanError(
            f"`{peers.exercise}` is no exercise of this lesson", f"Write {near!r}." if near else "Name one."
        )
    check = course.lesson(lesson.stem).exercises[peers.exercise].check
    if not isinstance(check, Prediction):
        raise PlanError(f"`{peers.exercise}` is not answered by values", "Take one that is.")
    try:
        alone = check.only(peers.entry) if peers.entry else check
        (right,) = alone.table(alone.right).items()
    except (KeyError, ValueError):
        known = ", ".join(map(repr, check.table(check.right)))
        raise PlanError(f"{peers} is no entry", f"Its entries are {known}.") from None
    wrong = _wrong(alone, right[0])[:MOST]
    if len(wrong) < FEWEST:
        raise PlanError(f"{peers} has {len(wrong)} known mistakes", f"Take an entry with at least {FEWEST}.")
    return (Choice(_as_code(right[1])), *wrong)


def _wrong(check: Prediction, entry: object) -> list[Choice]:
    """The wrong answers to one entry: one of each mistake, and then what else a mistake covers."""
    found: dict[str, Choice] = {}
    later: dict[str, Choice] = {}
    for mistake in check.mistakes:
        for i, wrong in enumerate(replace(check, mistakes=(mistake,)).wrongs("")):
            answer = _as_code(check.table(wrong.answer)[entry])
            (later if i else found).setdefault(answer, Choice(answer, mistake.message, mistake.label))
    return [*found.values(), *(one for answer, one in later.items() if answer not in found)]


def _as_code(value: object) -> str:
    return value if isinstance(value, str) else repr(value)


# -- what is wrong ----------------------------------------------------------------------------------------------


def problems(course: Course, read_lesson: Read = read_lesson) -> Iterator[tuple[str, str]]:
    """What is wrong with the plans of a course, each with what to do; nothing where its syllabus has no page of them.

    A lesson needs no plan: whoever adds one to a copy of the course may teach it without.

    Args:
        course: whose.
        read_lesson: what reads a lesson.

    Raises:
        ValueError: the file is not as it must be.
    """
    if PAGE not in course.pages:
        return
    plans, taught = read_plans(course), {path.stem: path for path in course.lesson_paths}
    elsewhere = Elsewhere(course).places
    for stem in (stem for stem in plans if stem not in taught and f"notebooks/{stem}" not in elsewhere):
        yield f"{stem!r} is no lesson", _near(stem, taught, "Remove its entry.")
    for stem, path in taught.items():
        yield from _of_plan(course, plans[stem], read_lesson(path, course)) if stem in plans else ()


def _of_plan(course: Course, plan: Plan, lesson: LessonSource) -> Iterator[tuple[str, str]]:
    finds: list[Callable[[], object]] = [partial(_cell, course, one.at, one.cell, lesson) for one in plan.live]
    finds.append(partial(peer_question, course, plan.peers, lesson))
    for find in finds:
        try:
            find()
        except PlanError as error:
            yield f"{plan.stem!r}: {error.problem}", error.repair
