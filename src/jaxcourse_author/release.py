"""`jaxcourse release`: what has changed gets a date, which the wheel, the site and `stack()` say from then on."""

from __future__ import annotations

import datetime
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

CHANGELOG, EDITION = Path("CHANGELOG.md"), Path("src", "jaxcourse", "_edition.py")
NEXT = "## Not released yet"
PEOPLE = ("Readers", "Instructors", "Authors")
"""Whom a change may touch; each has a heading of its own."""
_RELEASE = re.compile(r'^RELEASE = "(?P<name>[\d.]+)"$', re.MULTILINE)
_VERDICTS = "Verdicts:"


def next_name(name: str, today: datetime.date) -> str:
    """The name of the release after another one: year, month, and how many there were in it.

    Args:
        name: the last release's.
        today: when the next one is made.

    Example:
        >>> next_name("2026.11.2", datetime.date(2026, 11, 30)), next_name("2026.11.2", datetime.date(2026, 12, 1))
        ('2026.11.3', '2026.12.1')
    """
    year, month, number = map(int, name.split("."))
    return f"{today.year}.{today.month}.{number + 1 if (year, month) == (today.year, today.month) else 1}"


def faults(text: str) -> Iterator[str]:
    """What the entries of a changelog that are not released yet lack.

    Args:
        text: the whole changelog.
    """
    entries = unreleased_entries(text)
    if not re.search(r"^- \S", entries, re.MULTILINE):
        yield f"no entry stands below `{NEXT}`: say there what changed, in the words of those whom it touches."
    for heading in re.findall(r"^### (.+)$", entries, re.MULTILINE):
        if heading not in PEOPLE:
            yield f"`### {heading}` is nobody whom a change touches. Those are: {', '.join(PEOPLE)}."
    if not re.search(rf"^{_VERDICTS} \S", entries, re.MULTILINE):
        yield f"no line `{_VERDICTS} ...` below `{NEXT}` says whether any answer is judged otherwise than before."


def unreleased_entries(text: str) -> str:
    """The entries of a changelog that are not released yet.

    Raises:
        ValueError: it has no heading for them.
    """
    _, heading, rest = text.partition(f"{NEXT}\n")
    if not heading:
        raise ValueError(f"{CHANGELOG} has no heading `{NEXT}`: write it above the last release.")
    return re.split(r"^## ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def release(root: Path, today: datetime.date) -> str:
    """Name what is not released yet, commit that, and tag it.

    Args:
        root: of a checkout whose files are all committed.
        today: the day.

    Returns:
        The name of the release.

    Raises:
        ValueError: something is not committed, or the changelog does not say what changed.
    """
    if left := _git(root, "status", "--porcelain"):
        raise ValueError(f"commit or undo first what is not committed:\n{left}")
    changelog, edition = root / CHANGELOG, root / EDITION
    text, code = changelog.read_text(encoding="utf-8"), edition.read_text(encoding="utf-8")
    if lacking := list(faults(text)):
        raise ValueError(f"{CHANGELOG}: {lacking[0]}")
    present = _RELEASE.search(code)
    if present is None:
        raise ValueError(f'{EDITION} has no line RELEASE = "...": write it again.')
    name = next_name(present["name"], today)
    changelog.write_text(text.replace(NEXT, f"{NEXT}\n\n## {name} ({today.isoformat()})", 1), encoding="utf-8")
    edition.write_text(_RELEASE.sub(f'RELEASE = "{name}"', code), encoding="utf-8")
    _git(root, "commit", "--quiet", "--message", f"Release {name}", "--", str(CHANGELOG), str(EDITION))
    _git(root, "tag", "--annotate", name, "--message", f"Release {name}")
    return name


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"git {words[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip("\n")
