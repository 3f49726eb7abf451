"""What people call their files: whose name is in them, what they are copies of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import PurePosixPath

NOTEBOOKS = (".ipynb", ".py")
_NO_STUDENT = (
    r"(?:lesson|week|unit|topic|chapter|homework|hw|assignment|exercises?|ex|sheet|lab|notebooks?|nb|untitled|solutions?|"
    r"submissions?|final|answers?|main|copy|download|files?|work|part|version|v|scratch(?:pad)?|drafts?|tests?|te?mp|"
    r"utils?|helpers?|functions?|readme|index|license|requirements|setup|config|conftest|data|figures?|plots?|"
    r"src|resubmission|resubmitted|revised|corrected|late|attempt|retry)?"
)
_NUMBER = re.compile(r"(?!(?:19|20)\d\d[01]\d[0-3]\d$)\d{5,}")
"""What a university may call a student: a long number, and no date."""
_NAMELESS = re.compile(rf"{_NO_STUDENT}[\s_.-]*\d*|\d\d[_\s-][a-z].*", re.IGNORECASE)

_COPIED = "copy|kopie|copie|copia|cópia|kopia|kopi|kopio|копия"
_CONFLICT = "conflict|konflikt|conflit|conflitto|конфликт|競合|冲突|衝突"
_MACHINE = r"(?:DESKTOP|LAPTOP|WIN|PC)-[A-Z0-9]{4,}|[\w-]*(?:MacBook|iMac)[\w-]*"
_COPY = re.compile(
    r"(?:(?:copy of|kopie von|kopie van|copie de|copia de|copia di|cópia de|kopia av|kopi af|копия) )*(?P<base>.*?)(?:"
    r" ?\((?P<number>\d{1,4})\)|"
    rf"(?P<copy>(?:(?: [-–—] |_|-| )(?:{_COPIED})| ?\([^()]*\b(?:{_COPIED})|(?: ?[-–—の的]? ?)(?:コピー|副本|복사본))"
    r"(?: ?\(?(?P<of>\d{1,4})\)?)?\)?)|"
    rf"(?P<conflict> ?\([^()]*(?:{_CONFLICT})[^()]*\)|[.]sync-conflict-\d+-\d+-\w+|-(?:{_MACHINE}))|"
    r"[-_](?P<dash>\d{1,2}))?",
    re.IGNORECASE | re.DOTALL,
)
"""What systems and browsers call a copy, in some languages; what Dropbox, OneDrive and others call one side of a
conflict."""
UNFINISHED = r"(?:\.(?:part|partial|crdownload|download|tmp|bak|orig))+$"
"""What stands behind the ending of a file that is not all there, or was put aside."""


def stem_of(part: str) -> str:
    """A name without its ending (a name without an ending that counts, such as a folder's, as it is).

    Example:
        >>> [stem_of(part) for part in ("doe_jane.ipynb", "doe.zip!", "J. Doe", "x.ipynb.txt", "x.ipynb.part")]
        ['doe_jane', 'doe', 'J. Doe', 'x', 'x']
    """
    known = (
        r"(?:\.(?:ipynb|py|zip|tar|t?gz|7z|rar|txt|json|ya?ml|html?|pdf|docx?|odt|rtf|md|csv|xlsx?|png|jpe?g|np[yz]|"
        r"part|partial|crdownload|download|tmp|bak|orig))+$"
    )
    return re.sub(known, "", part.removesuffix("!"), flags=re.IGNORECASE) or part


def is_name(stem: str) -> bool:
    """Whether a stem may name a student: it is more than a lesson's name, a short number, a date, or `Untitled`.

    Example:
        >>> [stem for stem in ("doe_jane", "10_memory_layout", "Untitled3", "lesson 2", "notebook") if is_name(stem)]
        ['doe_jane']
        >>> [stem for stem in ("1234567", "07", "20261120") if is_name(stem)]
        ['1234567']
    """
    return bool(_NUMBER.fullmatch(stem)) or not _NAMELESS.fullmatch(stem)


def original(stem: str, beside: Iterable[str] = ()) -> tuple[str, int]:
    """What a name is a copy of, and the copy's number; 0 for the original.

    Args:
        stem: a file's name without ending.
        beside: the other stems there: `x-1` is a copy of `x` only where there is an `x`.

    Example:
        >>> original("x (2)"), original("Copy of x"), original("x - Copy"), original("x-1"), original("x-1", {"x"})
        (('x', 2), ('x', 1), ('x', 1), ('x-1', 0), ('x', 1))
        >>> [original(stem)[0] for stem in ("x (Kopie 2)", "x — копия", "xのコピー", "x (Al's conflicted copy)")]
        ['x', 'x', 'x', 'x']
    """
    match = _COPY.fullmatch(stem)
    if not match or not match["base"]:
        return stem, 0
    if match["dash"] and match["base"] not in beside:
        return stem, 0
    copied = bool(match["copy"] or match["conflict"]) or match["base"] != stem[: len(match["base"])]
    return match["base"], int(match["number"] or match["of"] or match["dash"] or copied)


def printable(name: str) -> str:
    r"""A name that can be written and shown: composed (NFC), with anything invisible or not text as an escape.

    Example:
        >>> printable("Jose\u0301\u202e\udcff")
        'José\\u202e\\udcff'
    """
    name = unicodedata.normalize("NFC", name)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def spaced(name: str) -> str:
    """A name to be shown.

    Example:
        >>> spaced("doe_jane")
        'doe jane'
    """
    return " ".join(name.replace("_", " ").split()) or name


def suffix(file: str) -> str:
    """A file's ending, in lower case; a download that is not complete has that of the file.

    Example:
        >>> suffix("x.IPYNB"), suffix("x.ipynb.part"), suffix("x")
        ('.ipynb', '.ipynb', '')
    """
    return PurePosixPath(re.sub(UNFINISHED, "", file, flags=re.IGNORECASE)).suffix.lower()


_MOMENT = re.compile(
    r"(?:(?P<day>\d{1,2})\.? (?P<month>[a-z]{3,9})|(?P<month_first>[a-z]{3,9}) (?P<day_behind>\d{1,2})),? "
    r"(?P<year>\d{4}),? +(?:at )?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::\d\d)?\s*(?P<half>[ap]m)?",
    re.IGNORECASE,
)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


def moment_of(text: str) -> str:
    """A moment as Moodle writes it in English, in ISO 8601 and without a time zone; empty if it is none.

    Example:
        >>> moment_of("Friday, 20 November 2026, 11:58 PM"), moment_of("November 20, 2026, 12:05 AM"), moment_of("-")
        ('2026-11-20T23:58:00', '2026-11-20T00:05:00', '')
    """
    try:
        return datetime.fromisoformat(text.strip()).isoformat(timespec="seconds")
    except ValueError:
        found = _MOMENT.search(text)
    month = found and (found["month"] or found["month_first"])[:3].casefold()
    if not found or month not in _MONTHS:
        return ""
    hour = int(found["hour"]) % 12 + 12 * (found["half"].casefold() == "pm") if found["half"] else int(found["hour"])
    day_of = int(found["day"] or found["day_behind"])
    try:
        moment = datetime(int(found["year"]), _MONTHS.index(month) + 1, day_of, hour, int(found["minute"]))
    except ValueError:
        return ""
    return moment.isoformat(timespec="seconds")


def day(seconds: float) -> str:
    """A moment in ISO 8601, in UTC.

    Example:
        >>> day(0.0), day(86400)
        ('', '1970-01-02T00:00:00+00:00')
    """
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if seconds else ""
    except (OverflowError, ValueError, OSError):
        return ""
