"""`jaxcourse judge`: answers of others, each judged apart, and whether that is what a teacher would say.

A file of answers is a Python file in pieces. Each begins with `# %% exercise-name | right | how` or
`# %% exercise-name | wrong | what a teacher would say`, and is the code of the task's cell.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from jaxcourse.course import Course, nearest
from jaxcourse_author._judging_process import Judgement, JudgingProcess

SECONDS = 60.0
"""How long one answer may take."""

_HEADER = re.compile(r"^# %%(?P<rest>.*)$", re.MULTILINE)

Outcome = Literal["as expected", "passed though wrong", "refused though right", "broken"]


@dataclasses.dataclass(frozen=True)
class Piece:
    """An answer in a file.

    Attributes:
        file: the file's path.
        line: where it begins.
        exercise: the exercise's name.
        kind: `right` or `wrong`.
        said: how it is right, or what a teacher would say.
        code: of the task's cell.
        fault: why it cannot be judged; usually empty.
    """

    file: str
    line: int
    exercise: str
    kind: str
    said: str
    code: str
    fault: str = ""


@dataclasses.dataclass(frozen=True)
class Report:
    """What came of a piece."""

    piece: Piece
    outcome: Outcome
    verdict: Judgement

    def lines(self) -> list[str]:
        r"""The piece in a line, and what was said to it below, if the two are not as expected or if it was wrong.

        Example:
            >>> piece = Piece("a.py", 3, "double-it", "wrong", "adds two", "")
            >>> print(*Report(piece, "as expected", Judgement("wrong", "wrong-value", "Twice.")).lines(), sep="\n")
            as expected           a.py:3  double-it  wrong: adds two
                wrong-value: Twice.
        """
        piece, verdict = self.piece, self.verdict
        first = f"{self.outcome:<20}  {piece.file}:{piece.line}  {piece.exercise}  {piece.kind}: {piece.said}"
        below = ": ".join(filter(None, [verdict.label, " ".join(verdict.message.split())]))
        return [first, f"    {below}"] if below else [first]


def pieces(path: Path) -> list[Piece]:
    """The answers in a file.

    Args:
        path: a Python file; what stands before its first piece may be comments only.

    Raises:
        ValueError: there is code before the first piece, or there is none.
    """
    text = path.read_text(encoding="utf-8")
    headers = list(_HEADER.finditer(text))
    before = text[: headers[0].start()] if headers else text
    if any(line.strip() and not line.lstrip().startswith("#") for line in before.splitlines()) or not headers:
        raise ValueError(f"{path}: begin each answer with `# %% exercise-name | right | how`, or `| wrong | why`.")
    ends = [header.start() for header in headers[1:]] + [len(text)]
    return [
        _piece(path, text.count("\n", 0, header.start()) + 1, header["rest"], text[header.end() : end].strip("\n"))
        for header, end in zip(headers, ends, strict=True)
    ]


def _piece(path: Path, line: int, header: str, code: str) -> Piece:
    parts = [part.strip() for part in header.split("|", 2)]
    exercise, kind, said = (*parts, "", "", "")[:3]
    fault = ""
    if kind not in ("right", "wrong"):
        fault = f"its first line should say `{exercise or 'exercise-name'} | right | how`, or `| wrong | why`."
    return Piece(str(path), line, exercise, kind, said, code, fault)


def reports(
    course: Course, answers: Sequence[Piece], *, seeds: Sequence[int] = range(2), seconds: float = SECONDS
) -> Iterator[Report]:
    """Judge answers, each apart from the others.

    Args:
        course: whose exercises they answer.
        answers: what to judge.
        seeds: of the inputs: a right answer passes on all of them, a wrong one on none.
        seconds: how long one may take; then its process is killed.

    Yields:
        A report for each, in order.
    """
    known = [name for names in course.exercises().values() for name in names]
    with JudgingProcess(course.root) as judge:
        for piece in answers:
            if not piece.fault and piece.exercise not in known:
                now, near = course.exercise_today(piece.exercise), nearest(piece.exercise, known)
                meant = f" It is called {now!r} now." if now in known else f" Did you mean {near!r}?" if near else ""
                fault = f"there is no exercise {piece.exercise!r}.{meant}"
                piece = dataclasses.replace(piece, fault=fault)
            if piece.fault:
                yield Report(piece, "broken", Judgement("broken", "", piece.fault))
                continue
            verdict = judge(piece.exercise, piece.code, seeds, seconds, until_passed=piece.kind == "wrong")
            yield Report(piece, _outcome(piece, verdict), verdict)


def _outcome(piece: Piece, verdict: Judgement) -> Outcome:
    if verdict.status in ("broken", "not_attempted"):
        return "broken"
    if verdict.passed:
        return "as expected" if piece.kind == "right" else "passed though wrong"
    return "refused though right" if piece.kind == "right" else "as expected"


def figures(found: Sequence[Report]) -> str:
    """The figures of a whole file, in a line.

    Example:
        >>> right = Piece("a.py", 1, "double-it", "right", "", "")
        >>> figures([Report(right, "as expected", Judgement("passed"))])
        '1 right answer, 0 refused (0 %); 0 wrong ones, 0 passed (0 %); 0 broken'
    """
    kinds = Counter(one.piece.kind for one in found if one.outcome != "broken")
    outcomes = Counter(one.outcome for one in found)
    refused, passed = outcomes["refused though right"], outcomes["passed though wrong"]
    rights = f"{kinds['right']} right answer{'' if kinds['right'] == 1 else 's'}"
    wrongs = f"{kinds['wrong']} wrong one{'' if kinds['wrong'] == 1 else 's'}"
    return (
        f"{rights}, {refused} refused ({_share(refused, kinds['right'])} %); "
        f"{wrongs}, {passed} passed ({_share(passed, kinds['wrong'])} %); {outcomes['broken']} broken"
    )


def _share(part: int, whole: int) -> int:
    return round(100 * part / whole) if whole else 0


def run(
    course: Course,
    files: Sequence[Path],
    *,
    as_json: bool = False,
    seconds: float = SECONDS,
    say: Callable[[str], None] = print,
) -> int:
    """Judge files of answers and report each; the exit status of `jaxcourse judge`.

    Args:
        course: whose exercises they answer.
        files: the files.
        as_json: say one JSON text with all, instead of lines.
        seconds: how long one answer may take.
        say: where to write.

    Returns:
        0 if all is as expected, else 1.

    Raises:
        ValueError: a file is not in pieces.
    """
    answers = [piece for path in files for piece in pieces(path)]
    found = []
    for report in reports(course, answers, seconds=seconds):
        found.append(report)
        for line in () if as_json else report.lines():
            say(line)
    say(_json(found) if as_json else figures(found))
    return int(any(report.outcome != "as expected" for report in found))


def _json(found: Sequence[Report]) -> str:
    return json.dumps(
        {"answers": [dataclasses.asdict(report) for report in found], "figures": figures(found)}, indent=1
    )
