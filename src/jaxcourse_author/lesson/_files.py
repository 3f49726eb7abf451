"""The files that a lesson reads: which they are, says its front matter; they lie beside it.

```yaml
files: [pendulum.csv]
```
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from jaxcourse.course import data_file, digest_of
from jaxcourse_author.lesson._cells import LessonError

MOST = 1_000_000
"""How many bytes the files of a lesson may have: every reader's wheel holds them, and a site up to thirty wheels."""
_NAME = re.compile(r"[A-Za-z0-9][\w-]*(\.[\w-]+)*")
_OURS = (".ipynb", ".md", ".py")
"""How no such file's name ends: these are lessons, their notebooks, and modules."""
_FRONT = re.compile(r"\A\ufeff?---\n(.*?)\n---\n", re.DOTALL)


def files_of(path: Path, meta: Mapping[str, Any]) -> dict[str, str]:
    """The digests of the files that a lesson reads, by their names.

    Args:
        path: the lesson's source.
        meta: its front matter.

    Raises:
        LessonError: a file is not there, or cannot be one that a lesson reads.
    """
    names = meta.get("files") or []
    if not isinstance(names, list) or not all(isinstance(name, str) and _is_plain(name) for name in names):
        problem = f"its front matter says `files: {names}`: write plain names of files beside it, `[pendulum.csv]`."
        raise LessonError(path, f"{problem} They have no folder, and end otherwise than in {', '.join(_OURS)}.")
    places = {name: data_file(path.parents[1], name) for name in names}
    for name, place in places.items():
        if not place.is_file():
            problem = f"its front matter names the file {name!r}, and there is none beside it: put it there"
            raise LessonError(path, f"{problem}, or remove its name.")
    if (size := sum(place.stat().st_size for place in places.values())) > MOST:
        problem = f"the files that it reads have {size:,} bytes, and may have {MOST:,}: all readers get them with the"
        raise LessonError(path, f"{problem} package. Keep what the lesson needs of them, or compress them.")
    return {name: digest_of(place.read_bytes()) for name, place in places.items()}


def names_said(path: Path) -> list[str]:
    """The names of the files that a lesson says it reads; the rest of it is not read.

    Args:
        path: the lesson's source, taught or not.
    """
    front = _FRONT.match(path.read_text(encoding="utf-8").replace("\r\n", "\n"))
    try:
        said = (yaml.safe_load(front[1]) or {}).get("files") if front else None
    except (yaml.YAMLError, AttributeError):
        return []
    return [name for name in said if isinstance(name, str)] if isinstance(said, list) else []


def _is_plain(name: str) -> bool:
    return bool(_NAME.fullmatch(name)) and not name.lower().endswith(_OURS)
