"""The files that a lesson reads, such as a table: beside its source, in the wheel, and beside a reader's notebook."""

from __future__ import annotations

import hashlib
from pathlib import Path

from jaxcourse._edition import DATA as DATA


def digest_of(data: bytes) -> str:
    r"""What a file's content is known by, with line ends as on Unix: git may write others on Windows.

    Example:
        >>> digest_of(b"a,b\r\n1,2\r\n") == digest_of(b"a,b\n1,2\n") != digest_of(b"a,b\n")
        True
    """
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()[:12]


def data_file(root: Path, name: str) -> Path:
    """Where a course has a file that its lessons read.

    Args:
        root: the folder of the course.
        name: the file's.
    """
    return root / DATA / name
