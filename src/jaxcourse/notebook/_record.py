"""What a reader has solved and predicted, kept in a small file beside the notebook: it outlives the kernel.

In Colab the file is in the reader's Drive, where that is mounted; else it lasts as long as the machine. Whatever goes
wrong with it costs a reader one line, and never a verdict.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import quote

from jaxcourse.notebook._predictions import Said

if TYPE_CHECKING:
    from jaxcourse.course import LessonText
    from jaxcourse.exercise import Verdict

PROGRESS_FILE = "jaxcourse-progress.json"
SWITCH = "JAXCOURSE_PROGRESS"
"""The variable of the environment by which whoever runs a notebook, and is not its reader, keeps nothing: `no`."""
_LARGEST = 1_000_000
"""Bytes of a file that is read: that of the whole course has some ten thousand."""
_SOLVED = {"passed": True, "wrong": False, "error": False}
"""What a verdict says of an exercise; what was not tried, not judged or not even read, says nothing."""
HANDED = "handed_in"
"""The verdict on an answer that nobody has judged."""
_NOTHING: Mapping[str, list[Said]] = MappingProxyType({})
_UNREAD = {"SyntaxError", "IndentationError", "TabError"}


@dataclass(frozen=True)
class Result:
    """What became of an exercise.

    Attributes:
        solved: whether the last attempt was right.
        tries: how many attempts there were until then.
        handed: whether there is an answer that nobody has judged yet, since what is right is withheld.
    """

    solved: bool
    tries: int
    handed: bool = False

    def after(self, status: str) -> Result:
        """What becomes of it by another verdict.

        Example:
            >>> Result(False, 1).after("passed"), Result(False, 0).after("handed_in")
            (Result(solved=True, tries=2, handed=False), Result(solved=False, tries=1, handed=True))
        """
        if status == HANDED:
            return Result(self.solved, max(self.tries, 1), not self.solved)
        solved = _SOLVED[status]
        return Result(solved, self.tries + (not (solved and self.solved)))


@dataclass
class Record:
    """The results of this session, and those of the file.

    Attributes:
        begun: the folder in which the session began: the notebook's.
        earlier: gives the names of today by each that an exercise has had.
        fresh: what this session has found; it counts before what the file says.
        predicted: what this session has predicted, by the question's key; it counts before the file as well.

    Example:
        >>> from jaxcourse.exercise import Verdict
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     first = Record(Path(folder))
        ...     _ = first.note(Verdict("double-it", "wrong"), keep=True)
        ...     _ = first.note(Verdict("double-it", "passed"), keep=True)
        ...     Record(Path(folder)).results()
        {'double-it': Result(solved=True, tries=2, handed=False)}
    """

    begun: Path
    earlier: Callable[[], Mapping[str, str]] = dict
    fresh: dict[str, Result] = field(default_factory=dict)
    predicted: dict[str, list[Said]] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)

    @classmethod
    def here(cls, earlier: Callable[[], Mapping[str, str]] = dict) -> Record:
        """That of a session that begins where this process is now, which a reader may change later."""
        with suppress(OSError):  # the folder may be gone
            return cls(Path.cwd(), earlier)
        return cls(Path(), earlier)

    @property
    def path(self) -> Path:
        """Where the file is: in Colab, in the reader's Drive once that is mounted."""
        drives = sorted(Path("/content").glob("*/MyDrive")) if "google.colab" in sys.modules else []
        return next(iter(drives), self.begun) / PROGRESS_FILE

    def note(self, verdict: Verdict, *, keep: bool) -> str:
        """Take note of a verdict.

        Args:
            verdict: on an exercise.
            keep: whether the file is read and written: not under a test runner.

        Returns:
            What a reader should know of the file; empty if all is well, or it was said before.
        """
        file, trouble = _load(self.path) if keep else (_File(), "")
        kept = _of_today(file.results, self.earlier())
        if verdict.status in (*_SOLVED, HANDED) and verdict.label not in _UNREAD:
            before = {**kept, **self.fresh}.get(verdict.exercise, Result(False, 0))
            self.fresh[verdict.exercise] = before.after(verdict.status)
            if keep and not trouble:
                trouble = self._save(file)
        return self._new(trouble)

    def predict(self, key: str, said: list[Said], *, keep: bool) -> str:
        """Take note of a prediction.

        Args:
            key: of the question, as the page of the lesson keeps it.
            said: to each of its fields.
            keep: see `note`.

        Returns:
            What a reader should know of the file: see `note`.
        """
        file, trouble = _load(self.path) if keep else (_File(), "")
        self.predicted[key] = said
        if keep and not trouble:
            trouble = self._save(file)
        return self._new(trouble)

    def _save(self, file: _File) -> str:
        """Write what is in a file, and what this session has found; what went wrong."""
        results = {**_of_today(file.results, self.earlier()), **self.fresh}
        return _write(self.path, _File(self._as_before(file.results, results), {**file.predictions, **self.predicted}))

    def _new(self, trouble: str) -> str:
        """What went wrong, if it was not said before."""
        new = trouble if trouble not in self._told else ""
        self._told.add(trouble)
        return new

    def results(self, *, keep: bool = True) -> dict[str, Result]:
        """What became of each exercise that was tried, by its name; without the file, in this session."""
        return {**(_of_today(_load(self.path)[0].results, self.earlier()) if keep else {}), **self.fresh}

    def predictions(self, *, keep: bool = True) -> dict[str, list[Said]]:
        """What was predicted, by the keys of the questions; without the file, in this session."""
        return {**(_load(self.path)[0].predictions if keep else {}), **self.predicted}

    def _as_before(self, found: Mapping[str, Result], results: dict[str, Result]) -> dict[str, Result]:
        """Results, also under the earlier names in a file: a notebook of then reads it too, with its own package."""
        earlier = self.earlier()
        return results | {old: results[earlier[old]] for old in found if old in earlier}


def _of_today(results: Mapping[str, Result], earlier: Mapping[str, str]) -> dict[str, Result]:
    """Results by the names of today: of two for one exercise, what is solved counts, then what took more tries.

    Example:
        >>> old, new = Result(True, 2), Result(False, 3)
        >>> _of_today({"double-it": old, "twice": new}, {"double-it": "twice"}) == {"twice": old}
        True
    """
    found: dict[str, Result] = {}
    for name, one in results.items():
        now = earlier.get(name, name)
        found[now] = max(one, found.get(now, one), key=lambda each: (each.solved, each.handed, each.tries))
    return found


def keeps() -> bool:
    """Whether a reader runs this, who wants the results kept: not a test runner, and not the build of the site."""
    return "PYTEST_VERSION" not in os.environ and os.environ.get(SWITCH) != "no"


def solved_in(results: Mapping[str, Result], names: Mapping[str, object]) -> list[str]:
    """The exercises of a lesson that are solved, in its order."""
    return [name for name in names if name in results and results[name].solved]


def handed_in(results: Mapping[str, Result], names: Iterable[str]) -> int:
    """How many exercises of a lesson have an answer that nobody has judged."""
    return sum(name in results and results[name].handed for name in names)


def page_of(text: LessonText, results: Mapping[str, Result], predictions: Mapping[str, list[Said]] = _NOTHING) -> str:
    """The address of a lesson's page that takes over what is solved and predicted here: no server is sent its fragment.

    Example:
        >>> from dataclasses import replace
        >>> from jaxcourse.course import LessonText
        >>> text = LessonText("https://x.org/a.html", {}, {"one": "", "two": "", "three": ""}, {})
        >>> page_of(text, {"one": Result(True, 1), "two": Result(False, 2), "three": Result(True, 4)})
        'https://x.org/a.html#solved=one,three:4'
        >>> page_of(text, {})
        'https://x.org/a.html'
        >>> asks = replace(text, predictions={"strides-1a2b3c": [{"kind": "shape"}]})
        >>> page_of(asks, {}, {"strides-1a2b3c": ["(3, 4)"], "of-another-lesson": ["1"]})
        'https://x.org/a.html#solved=&said=%7B%22strides-1a2b3c%22%3A%5B%22%283%2C%204%29%22%5D%7D'
    """
    solved = [
        name + (f":{min(results[name].tries, 999)}" if results[name].tries > 1 else "")
        for name in solved_in(results, text.solutions)
    ]
    said = {key: predictions[key] for key in text.predictions if key in predictions}
    behind = f"&said={quote(json.dumps(said, separators=(',', ':')), safe='')}" if said else ""
    return f"{text.page}#solved={','.join(solved)}{behind}" if text.page and (solved or said) else text.page


# -- the file ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _File:
    """What a file holds."""

    results: Mapping[str, Result] = field(default_factory=dict)
    predictions: Mapping[str, list[Said]] = field(default_factory=dict)


def _load(path: Path) -> tuple[_File, str]:
    """What a file holds, and what is wrong with it. One that is damaged is moved aside, so that a new one can begin."""
    try:
        with path.open("rb") as file:
            return _parse(file.read(_LARGEST)), ""
    except FileNotFoundError:
        return _File(), ""
    except OSError as error:
        return _File(), f"Your progress lasts as long as this session: {path} cannot be read ({error.strerror})."
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        aside = path.with_name(f"{path.name}.damaged")
        with suppress(OSError):
            path.replace(aside)
        return (
            _File(),
            f"{path} is damaged, so what it held does not count. It is now called {aside.name}; a new one begins.",
        )


def _parse(data: bytes) -> _File:
    whole = json.loads(data)
    found = {}
    for name, one in whole["exercises"].items():
        if not isinstance(one["solved"], bool) or type(one["tries"]) is not int or one["tries"] < 1:
            raise ValueError(f"{name}: {one}")
        found[name] = Result(one["solved"], one["tries"], one.get("handed") is True)
    predictions = whole.get("predictions", {})
    for key, said in predictions.items():
        if not isinstance(said, list) or not all(map(_is_said, said)):
            raise ValueError(f"{key}: {said}")
    return _File(found, predictions)


def _is_said(said: object) -> bool:
    return isinstance(said, str) or (isinstance(said, list) and all(isinstance(one, str) for one in said))


def _write(path: Path, held: _File) -> str:
    """Write a file at once or not at all; what went wrong. Two notebooks may write at the same time."""
    exercises = {name: _plain(one) for name, one in held.results.items()}
    predictions = {"predictions": held.predictions} if held.predictions else {}
    text = json.dumps({"exercises": exercises, **predictions}, indent=1)
    part = ""
    try:
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.replace(part, path)
    except OSError as error:
        if part:
            with suppress(OSError):
                os.unlink(part)
        return f"Your progress lasts as long as this session: {path} cannot be written ({error.strerror})."
    return ""


def _plain(result: Result) -> dict[str, object]:
    """A result as plain data; what is judged says nothing of being handed in."""
    return {name: value for name, value in asdict(result).items() if name != "handed" or value}
