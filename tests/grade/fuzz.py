"""Mutants of real hand-ins: whatever somebody hands in, the class goes on, and nobody else notices.

A trial is a class of two: Ada's notebook as it should be, and beside it a mutant of a real notebook or archive. The
class is taken in, every notebook in it is cut, and its reports are written, without the nets that the grader spans:
what it would catch is a flaw here, and so is what takes long, takes much memory, or changes Ada's row. A trial follows
from its number, so it can be had again.

    python tests/grade/fuzz.py --minutes 5
    python tests/grade/fuzz.py --only 1234
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import io
import json
import os
import random
import resource
import signal
import struct
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from jaxcourse.course import Course
from jaxcourse_grade import _class, intake, reports
from jaxcourse_grade.intake._files import Unreadable
from jaxcourse_grade.slicing import Template, plan, template

COURSE = Course.installed()
LESSONS = {stem: frozenset(names) for stem, names in COURSE.exercises().items()}
STEMS = ("00_start_here", "11_broadcasting", "12_from_numpy_to_jax")
SECONDS = 10
"""Of processor time for one trial: about a hundred times what a sound one takes."""
MEMORY = 2**30
"""Bytes that all trials together may add to the process."""
REPORTED = 10
"""Every so many trials, the class's reports are written."""


class Flaw(BaseException):
    """What must not happen; no net of the grader's catches it."""


# -- mutants ----------------------------------------------------------------------------------------------------

ODD_BYTES = (
    b"",
    b'"',
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"\xff",
    b"\0",
    b"1e999",
    b"-" * 99,
    b"[" * 5000,
    b'{"a":' * 5000,
)
ODD_BYTES += (b"\r", b"\xef\xbb\xbf", b"NaN", b"]", b"}", b",", b"<<<<<<< HEAD\n", b" " * 9999, b"9" * 9999, b"PK\3\4")
ODD_JSON = (
    "null",
    "true",
    "-1",
    "9" * 400,
    "1e308",
    "NaN",
    "1e999",
    '""',
    r'"\ud800"',
    r'"\u0000"',
    "[]",
    "{}",
    "[[]]",
)
ODD_JSON += (
    "[" * 900 + "]" * 900,
    '{"a":' * 9000 + "1" + "}" * 9000,
    '"code"',
    '["a", 1, null]',
    '{"a": {"b": {}}}',
    "-",
)
ODD_JSON += (
    json.dumps("x" * 10**5),
    json.dumps(["\n"] * 10**4),
    r'"\u202e"',
    '"../../etc/passwd"',
    "9" * 9999,
    '"\xff\xfe"',
)
ODD_CODE = (
    "(" * 300,
    "lambda:" * 900,
    "%time " * 400,
    "!ls\n" * 300,
    "a=" * 900 + "1",
    "\0",
    "\f",
    "\r",
    "\u2028",
    "$",
)
ODD_CODE += (
    "In [1]: ",
    "x" * 10**5,
    "-" * 9999 + "1",
    "x" + ".y" * 3000,
    "await x",
    "@f\n",
    "'''",
    "f'{f'{1}'}'",
    "\\",
)
ODD_CODE += (
    "# exercise: \n",
    "from x import *\n",
    "del x\n",
    "global y\n",
    "return 1\n",
    "%%time\n",
    "%%bash\n",
    "?x\n",
)
ODD_CODE += (
    "if 1:\n" * 99,
    " " * 500,
    "\t",
    "x: int = ...\n",
    "a" + "[0]" * 2000,
    "not " * 3000,
    "{" * 200,
    "٣",
    "𝐱 = 1\n",
)
ODD_NAMES = (
    "",
    ".",
    "..",
    "/",
    "a\0b",
    "a" * 300,
    "(1)" * 9000,
    "a/" * 500 + "x",
    "\\",
    "C:x",
    "a!",
    "a.zip",
    "a",
    "a/b",
)
ODD_NAMES += (
    "con.ipynb",
    "\u202e.ipynb",
    "x_1_" + "9" * 5000 + "_f.ipynb",
    "submission_1/x",
    "submission_metadata.yml",
)
ODD_NAMES += (
    "ada_00.ipynb",
    "ada (1).ipynb",
    "Copy of " * 2000 + "a.ipynb",
    ".hidden",
    "__MACOSX/a",
    "a_²_٣.ipynb",
    "-1",
)


def scrambled(rng: random.Random, data: bytes) -> bytes:
    """Bytes changed, cut out, doubled, moved, or put in."""
    raw = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5, 50))):
        at, size = rng.randrange(len(raw) + 1), rng.choice((0, 1, 1, 4, 100, 5000))
        new = rng.choice((rng.randbytes(rng.randrange(5)), rng.choice(ODD_BYTES), bytes(raw[at : at + size])))
        raw[at : at + rng.choice((0, size))] = new
    return bytes(raw[: rng.randrange(len(raw) + 1)] if rng.random() < 0.1 else raw)


def nodes(value: Any) -> Iterator[tuple[Any, Any]]:
    """Everything in a tree, as what it lies in and its place there."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from nodes(value[key])


def retyped(rng: random.Random, data: bytes) -> bytes:
    """A notebook some of whose values are of another type, gone, or there many times."""
    book = json.loads(data)
    for _ in range(rng.choice((1, 1, 2, 9))):
        holder, key = rng.choice(list(nodes(book)) or [([0], 0)])
        act = rng.random()
        if act < 0.6:
            holder[key] = ODD
        elif act < 0.8:
            del holder[key]
        elif isinstance(holder, list):
            holder *= rng.choice((2, 30)) if len(holder) < 300 else 1
        else:
            holder[rng.choice(("cells", "source", "metadata", "cell_type", "\ud800"))] = ODD
    text = json.dumps(book)
    if rng.random() < 0.2:  # a key that is there twice
        twice = rng.choice(('"cells"', '"source"', '"metadata"', '"cell_type"'))
        text = text.replace(twice, f'{twice}: "{ODD}", {twice}', rng.choice((1, -1)))
    parts = text.split(f'"{ODD}"')
    return "".join(part + rng.choice(ODD_JSON) for part in parts[:-1]).encode() + parts[-1].encode()


ODD = "stands where another value will"


def recoded(rng: random.Random, data: bytes) -> bytes:
    """A notebook whose code is odd."""
    book = json.loads(data)
    for _ in range(rng.choice((1, 2, 9))):
        cell = rng.choice(book["cells"])
        text, odd = "".join(cell["source"]), rng.choice(ODD_CODE)
        at, size = rng.randrange(len(text) + 1), rng.choice((0, 0, 1, 10, 1000))
        cell["source"] = (text[:at] + odd + text[at + size :]) * rng.choice((1, 1, 1, 20))
    return json.dumps(book).encode()


def packed(rng: random.Random, data: bytes, depth: int = 0) -> bytes:
    """An archive of odd names and of notebooks, perhaps of archives."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))) as archive:
        for _ in range(rng.choice((0, 1, 2, 3, 40))):
            name = rng.choice((*ODD_NAMES, "x.ipynb", f"{rng.random()}.ipynb", "".join(rng.choices(ODD_NAMES, k=2))))
            info = zipfile.ZipInfo("x", (rng.choice((1980, 2035, 2107)), 1, 1, 0, 0, 0))
            info.filename = name[:65000]
            info.external_attr = rng.choice((0, 0o120777 << 16, 0o040777 << 16, 0xFFFFFFFF))
            nested = depth < 3 and rng.random() < 0.1
            archive.writestr(info, packed(rng, data, depth + 1) if nested else rng.choice((data, b"", b"{", data[:99])))
    return buffer.getvalue()


def lying(rng: random.Random, data: bytes) -> bytes:
    """An archive whose headers are not true."""
    raw = bytearray(packed(rng, data))
    for _ in range(rng.choice((1, 2, 9))):
        places = [at for mark in (b"PK\1\2", b"PK\3\4", b"PK\5\6") for at in found(raw, mark)]
        if places:
            at, number = rng.choice(places) + rng.randrange(4, 46), rng.choice((0, 1, 2**15, 2**16 - 1))
            raw[at : at + 2] = struct.pack("<H", number)
    return bytes(raw)


def found(data: bytes | bytearray, mark: bytes) -> Iterator[int]:
    """Where a mark stands."""
    at = data.find(mark)
    while at >= 0:
        yield at
        at = data.find(mark, at + 1)


MUTATIONS: dict[Callable[[random.Random, bytes], bytes], str] = {
    scrambled: "ipynb",
    retyped: "ipynb",
    recoded: "ipynb",
    packed: "zip",
    lying: "zip",
    lambda rng, data: scrambled(rng, packed(rng, data)): "zip",
}
PLACES = ("eve.{}", "eve_00.{}", "eve/x.{}", "11_broadcasting/eve.{}", "week 4.{}", "ada_00 (1).{}", "homework 1.{}")


def hand_in(folder: Path, number: int) -> None:
    """Hand in a mutant."""
    rng = random.Random(number)
    mutate, ending = rng.choice(list(MUTATIONS.items()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that come twice
        data = mutate(rng, solved(rng.choice(STEMS)))
    path = folder / rng.choice(PLACES).format(rng.choice((ending, ending, ending, "ipynb", "py", "zip", "txt", "png")))
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)


# -- trials -----------------------------------------------------------------------------------------------------


@functools.cache
def solved(stem: str) -> bytes:
    """A solved notebook."""
    return (COURSE.root / "solutions" / f"{stem}.ipynb").read_bytes()


@functools.cache
def ours(stem: str) -> Template:
    """The lesson, as a submission of it is read."""
    return template(COURSE.lesson(stem))


def strictly(function: Callable[..., Any], *arguments: Any, budgets: Any = None) -> Any:
    """A call that may only say that a file cannot be read."""
    try:
        return function(*arguments)
    except Unreadable:
        raise
    except Exception as error:
        raise Flaw(f"{type(error).__name__}: {error}") from error


def trial(number: int, scratch: Path) -> str:
    """Grade a class with a mutant in it, up to where the mutant would run.

    Returns:
        What must not happen and did; empty if nothing did.
    """
    try:
        grade(number, scratch)
    except (Flaw, Exception) as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        return f"trial {number}: {type(error).__name__}: {str(error)[:200]} ({Path(at.filename).name}:{at.lineno})"
    return ""


def grade(number: int, scratch: Path) -> None:
    with tempfile.TemporaryDirectory(dir=scratch) as place:
        folder = Path(place, "class")
        folder.mkdir()
        (folder / "ada_00.ipynb").write_bytes(solved("00_start_here"))
        hand_in(folder, number)
        with within(SECONDS):
            sorted_in = intake.take_in(folder, LESSONS, apart=strictly)
            require_ada(sorted_in)
            for choice in sorted_in.choices:
                if choice.submission.source != "ada_00.ipynb":
                    cut(choice)
            if number % REPORTED == 0:
                write(sorted_in, Path(place))


def require_ada(sorted_in: intake.Intake) -> None:
    """Require that Ada's notebook counts as hers, or that the instructor is told what else claims to be hers.

    A file such as `ada_00 (1).ipynb` is a later attempt of hers, which counts if it can be read.
    """
    same = hashlib.sha256(solved("00_start_here")).hexdigest()
    rows = [choice.submission for choice in sorted_in.choices if choice.submission.sha256 == same]
    hers = [row for row in rows if not row.unreadable and row.lesson == "00_start_here" and row.name == "ada"]
    later = [choice.submission for choice in sorted_in.choices if choice.submission.source == "ada_00 (1).ipynb"]
    if any(not row.unreadable and "Set aside: `ada_00.ipynb`" in " ".join(row.notes) for row in later):
        return
    if not hers:
        raise Flaw(f"Ada's notebook is in {rows}")
    if hers[0].student != "ada" and not any("2 hand-ins claim to be ada's" in note for note in sorted_in.notes):
        raise Flaw(f"Ada is {hers[0].student}, and nobody is told")


def cut(choice: intake.Choice) -> None:
    """Cut a notebook as the judge does."""
    submission = choice.read(LESSONS, apart=strictly)
    if submission.lesson and not submission.unreadable:
        lesson = ours(submission.lesson)
        planned = plan(submission.cells, lesson)
        if planned.stops.keys() != lesson.exercises.keys():
            raise Flaw("an exercise has no plan")


def write(sorted_in: intake.Intake, out: Path) -> None:
    """Write what would be kept, and the reports."""
    results = [_class.ungraded_result(choice.submission, "unreadable", "odd", COURSE) for choice in sorted_in.choices]
    kept = [json.loads(json.dumps(result.to_json())) for result in results]
    reports.write(list(map(_class.Result.from_json, kept)), out, title="Fuzz", notes=sorted_in.notes)


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise a flaw in whatever takes longer."""

    def too_long(*_: object) -> None:
        raise Flaw(f"it takes more than {seconds:g} s")

    before = signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--first", type=int, default=0, help="the number of the first trial")
    parser.add_argument("--only", type=int, help="run this trial alone, and show where it fails")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if options.only is not None:
            grade(options.only, Path(scratch))
            return 0
        for stem in STEMS:
            ours(stem)
        data = int(Path("/proc/self/statm").read_text().split()[5]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_DATA, (data + MEMORY, resource.RLIM_INFINITY))
        until, number, flaws = time.monotonic() + 60 * options.minutes, options.first, 0
        while time.monotonic() < until:
            if flaw := trial(number, Path(scratch)):
                flaws += 1
                print(flaw, flush=True)
            number += 1
    print(f"{number - options.first} mutants, {flaws} flaws; {time.process_time():.0f} s of processor time.")
    return int(flaws > 0)


if __name__ == "__main__":
    sys.exit(main())
