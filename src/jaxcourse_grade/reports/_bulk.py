"""All feedback of a lesson in one archive, laid out as Moodle and Canvas take it back."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from jaxcourse_grade.intake import PAGE
from jaxcourse_grade.reports._entry import Entry

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every member, so that the same pages make the same archive."""


def names(entries: Sequence[Entry], folders: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """What each student's page is called in each lesson's archive.

    Args:
        entries: the results.
        folders: by the student's key, the folder of a participant on Moodle's worksheet.

    Returns:
        By lesson and name in the archive, the name of the student's page. A row that no platform knows has none.

    Example:
        >>> from jaxcourse_grade._records import Result
        >>> from jaxcourse_grade.reports._entry import entry
        >>> ada = entry(Result("12", "Ada", "01_toy", "x", "graded", back="ada_12_3456_feedback.html"))
        >>> names([ada], {})
        {'01_toy': {'ada_12_3456_feedback.html': '12'}}
    """
    found: dict[str, dict[str, str]] = {}
    for item in entries:
        folder = folders.get(item.key)
        name = f"{folder}/{PAGE}" if folder else item.result.back
        if name and item.result.lesson:
            found.setdefault(item.result.lesson, {})[name] = item.page
    return dict(sorted(found.items()))


def archives(found: Mapping[str, Mapping[str, str]], pages: Path) -> Iterator[tuple[str, bytes]]:
    """The archives, by the name of their file.

    Args:
        found: as `names` gives it.
        pages: the folder of all pages.
    """
    for lesson, members in found.items():
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, page in sorted(members.items()):
                member = zipfile.ZipInfo(name, _EPOCH)
                member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                archive.writestr(member, (pages / f"{page}.html").read_bytes())
        yield f"feedback_{lesson}.zip", file.getvalue()
