"""A record: what one machine measured of the course's pages, as a file that is whole after every measurement."""

from __future__ import annotations

import datetime
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from jaxcourse_author.recorded._html import html_problem

FOLDER = "book/recorded"
"""Where the pages look for records."""
FORM = 1
MOST_BYTES = 8 * 2**20
"""Of a file; a record of all pages has a fifth of it."""
MOST_OUTPUT = 200_000
"""Characters of one output."""
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,60}\Z")
_WORDS = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]{0,200}\Z")
_TEXT = re.compile(r"[^\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]*\Z")
"""What a terminal, or a browser, shows as it stands."""


class RecordError(ValueError):
    """A record is not as it must be: says which file, what is wrong, and what to do."""


@dataclass(frozen=True)
class Machine:
    """Where it was measured.

    Attributes:
        device: what JAX calls the device on which it computes.
        platform: "cpu", "gpu" or "tpu".
        devices: how many there are.
        host: the processor beside it, which runs Python and NumPy.
        cores: how many of it the process may use.
        system: the operating system, and for which processors it was built.
    """

    device: str
    platform: str
    devices: int
    host: str
    cores: int
    system: str

    @property
    def name(self) -> str:
        """What readers call it."""
        return self.host if self.platform == "cpu" else self.device

    def __str__(self) -> str:
        many = f"{self.devices} x " if self.devices > 1 else ""
        device = "" if self.platform == "cpu" else f"{many}{self.device}, beside "
        return f"{device}{self.host} with {self.cores} core{'s' * (self.cores > 1)}, {self.system}"


@dataclass(frozen=True)
class Output:
    """An output: text as it was printed, or HTML.

    Attributes:
        kind: which of the two.
        content: it.
    """

    kind: Literal["text", "html"]
    content: str


@dataclass(frozen=True)
class Measurement:
    """What became of one cell, or of one measurement.

    Attributes:
        outputs: what it showed.
        why: in place of them, why there are none.
    """

    outputs: tuple[Output, ...] = ()
    why: str = ""


@dataclass
class Piece:
    """What was taken of a lesson, or of another thing that is measured as a whole.

    Attributes:
        edition: of the course.
        date: of the last measurement.
        taken: what became of each cell, by what it is known.
    """

    edition: str
    date: str
    taken: dict[str, Measurement] = field(default_factory=dict)


@dataclass
class Record:
    """What one machine measured, with one set of versions.

    Attributes:
        machine: where.
        versions: of Python and the libraries, by their names.
        pieces: what was taken, by the lessons' stems and the names of what else is measured.
        name: the file's.
    """

    machine: Machine
    versions: dict[str, str]
    pieces: dict[str, Piece] = field(default_factory=dict)
    name: str = ""

    def missing(self, piece: str, due: Iterable[str]) -> list[str]:
        """What of a piece is due and was not taken yet."""
        there = self.pieces[piece].taken if piece in self.pieces else {}
        return [key for key in due if key not in there]

    def take(self, piece: str, key: str, taken: Measurement, edition: str, due: Iterable[str]) -> None:
        """Keep what became of a cell, and of the piece only what is still due."""
        kept = self.pieces[piece].taken if piece in self.pieces else {}
        day = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
        now = {one: kept[one] for one in due if one in kept} | {key: taken}
        self.pieces[piece] = Piece(edition, day, now)

    def label(self, piece: str) -> str:
        """Machine, date and version, as a switch says them.

        Example:
            >>> machine = Machine("NVIDIA H200", "gpu", 1, "Xeon", 16, "Linux x86_64")
            >>> Record(machine, {"jax": "0.10.2"}, {"50_fusion": Piece("2026.11.0", "2026-12-01")}).label("50_fusion")
            'NVIDIA H200, 2026-12-01, JAX 0.10.2'
        """
        return f"{self.machine.name}, {self.pieces[piece].date}, JAX {self.versions['jax']}"

    def whole(self, piece: str) -> str:
        """All that is known of how a piece was measured, in a sentence."""
        said = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        one = self.pieces[piece]
        return f"Recorded on {one.date} on {self.machine}; {said}; edition {one.edition}."

    def require_same(self, machine: Machine, versions: Mapping[str, str], path: Path) -> None:
        """Require that the record was begun here: times of two machines, or of two versions, are not one record.

        Raises:
            RecordError: it was begun elsewhere, or with other versions.
        """
        pairs = [(name, getattr(self.machine, name), here) for name, here in asdict(machine).items()]
        names = [*self.versions, *(name for name in versions if name not in self.versions)]
        pairs += [(name, self.versions.get(name, "none"), versions.get(name, "none")) for name in names]
        if others := [f"{name} {then!r} there, {now!r} here" for name, then, now in pairs if then != now]:
            raise RecordError(
                f"{path} was begun on another machine, or with other versions: {'; '.join(others)}. "
                "Record into another file with --into, or delete this one to begin anew."
            )

    def write(self, path: Path) -> None:
        """Write it in one step: whoever cuts off finds the file as it was, or as it is."""
        path.parent.mkdir(parents=True, exist_ok=True)
        pieces = {name: _piece_as_data(piece) for name, piece in self.pieces.items()}
        data = {"form": FORM, "machine": asdict(self.machine), "versions": self.versions, "pieces": pieces}
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        beside.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(beside, path)


def _piece_as_data(piece: Piece) -> dict[str, Any]:
    taken = {key: taken_as_data(one) for key, one in piece.taken.items()}
    return {"edition": piece.edition, "date": piece.date, "taken": taken}


def taken_as_data(taken: Measurement) -> dict[str, Any]:
    """As a file holds it; `taken_of` reads it again."""
    return {"why": taken.why} if taken.why else {"outputs": [{one.kind: one.content} for one in taken.outputs]}


# -- read, whoever wrote it -------------------------------------------------------------------------------------------


def records(root: Path) -> list[Record]:
    """The records of a course, by their names.

    Args:
        root: the course's folder.

    Raises:
        RecordError: one is not what `jaxcourse record` writes, or holds what a page must not.
    """
    return [read(path) for path in sorted((root / FOLDER).glob("*.json"))]


def read(path: Path) -> Record:
    """Read a record, and trust nothing in it.

    Raises:
        RecordError: it is not what `jaxcourse record` writes, or holds what a page must not.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise RecordError(f"it has more than {MOST_BYTES >> 20} MiB")
        found = json.loads(path.read_text(encoding="utf-8"))
        if not _NAME.match(path.stem):
            raise RecordError("its name is no name of letters, digits, `-` and `_`")
        return _record_of(found, path.stem)
    except (RecordError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise RecordError(
            f"{path} is not a record that pages can show: {error}. Write it with `jaxcourse record`, and never by hand."
        ) from None


def _record_of(found: Any, name: str) -> Record:
    _require_keys("the record", found, "form", "machine", "versions", "pieces")
    if found["form"] != FORM:
        raise RecordError(f"its form is {found['form']!r}, and this edition of the course reads {FORM}")
    if not isinstance(found["versions"], dict) or not isinstance(found["pieces"], dict):
        raise RecordError("`versions` and `pieces` are tables by name")
    versions = {_name(key): _words(f"versions: {key}", one) for key, one in found["versions"].items()}
    if "jax" not in versions:
        raise RecordError("`versions` has no jax")
    pieces = {_name(key): _piece_of(key, one) for key, one in found["pieces"].items()}
    return Record(_machine_of(found["machine"]), versions, pieces, name)


def _machine_of(found: Any) -> Machine:
    _require_keys("the machine", found, *Machine.__dataclass_fields__)
    for name in ("devices", "cores"):
        if type(found[name]) is not int or not 0 < found[name] < 10**6:
            raise RecordError(f"the machine has {name} {found[name]!r}, which is no count")
    words = {name: _words(name, found[name]) for name in ("device", "platform", "host", "system")}
    return Machine(**words, devices=found["devices"], cores=found["cores"])


def _piece_of(name: str, found: Any) -> Piece:
    _require_keys(name, found, "edition", "date", "taken")
    try:
        date = datetime.date.fromisoformat(_words(f"{name}: date", found["date"])).isoformat()
    except ValueError:
        raise RecordError(f"{name} has the date {found['date']!r}: write it as 2026-12-01") from None
    if not isinstance(found["taken"], dict):
        raise RecordError(f"{name}: `taken` is a table by what a cell is known by")
    taken = {_name(key): taken_of(f"{name}, {key}", one) for key, one in found["taken"].items()}
    return Piece(_words(f"{name}: edition", found["edition"]), date, taken)


def taken_of(where: str, found: Any) -> Measurement:
    """What became of a cell, as a file or a process says it.

    Raises:
        RecordError: nothing can be made of it, or a page must not show it.
    """
    if isinstance(found, dict) and set(found) == {"why"} and found["why"]:
        return Measurement(why=_words(f"{where}: why", found["why"]))
    _require_keys(where, found, "outputs")
    if not isinstance(found["outputs"], list) or len(found["outputs"]) > 200:
        raise RecordError(f"{where}: `outputs` is a list of at most 200")
    return Measurement(tuple(_shown_of(where, one) for one in found["outputs"]))


def _shown_of(where: str, found: Any) -> Output:
    if not isinstance(found, dict) or len(found) != 1 or not set(found) <= {"text", "html"}:
        raise RecordError(f"{where}: an output has either `text` or `html`")
    ((kind, content),) = found.items()
    if not isinstance(content, str) or len(content) > MOST_OUTPUT:
        raise RecordError(f"{where}: an output is a string of at most {MOST_OUTPUT:,} characters")
    if not _TEXT.match(content):
        raise RecordError(f"{where}: an output has characters that control a terminal or turn a line around")
    if kind == "html" and (problem := html_problem(content)):
        raise RecordError(f"{where}: of its HTML, {problem}, which pages never take from a record")
    return Output("html" if kind == "html" else "text", content)


def _require_keys(where: str, found: Any, *names: str) -> None:
    if not isinstance(found, dict) or set(found) != set(names):
        raise RecordError(f"{where} is no table with exactly {', '.join(names)}")


def _words(where: str, found: Any) -> str:
    if not isinstance(found, str) or not _WORDS.match(found):
        raise RecordError(f"{where} is no line of at most 200 characters")
    return found


def _name(found: str) -> str:
    if not _NAME.match(found):
        raise RecordError(f"{found[:60]!r} is no name of letters, digits, `-` and `_`")
    return found
