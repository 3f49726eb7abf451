"""The files that a lesson reads, laid beside its notebook."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jaxcourse._edition import edition
from jaxcourse.course import Course, data_file, digest_of


class FileLacking(FileNotFoundError):
    """A lesson's file cannot be laid beside its notebook: says why, and what to do."""

    def _render_traceback_(self) -> list[str]:
        """IPython shows this in place of a stack of our own frames."""
        return [str(self)]


def bring(files: Mapping[str, str]) -> None:
    """Lay the files that a lesson reads beside its notebook, each where there is none of its name.

    They come with the course that is installed, so nothing is fetched. What is there already stays as it is.

    Args:
        files: digests of what the notebook's edition reads, by the files' names.

    Raises:
        FileLacking: the installed course has no such file, or another one of that name.

    Example:
        >>> bring({})
    """
    for name, digest in files.items():
        here = Path(name)
        if not here.exists():
            here.write_bytes(_ours(name, digest))
            print(f"{name}, which this lesson reads, lies beside the notebook now.")
        elif digest_of(here.read_bytes()) != digest:
            print(
                f"The {name} beside this notebook is not the lesson's, so what follows may differ. To have the "
                "lesson's, rename yours, and run this cell again."
            )


def _ours(name: str, digest: str) -> bytes:
    """What the installed course has under a name, if that is what the notebook reads."""
    course = Course.installed()
    path = data_file(course.root, name)
    data = path.read_bytes() if path.is_file() else None
    if data is not None and digest_of(data) == digest:
        return data
    what = "has none" if data is None else "has another one"
    raise FileLacking(
        f"This lesson reads the file {name}, and the course that is installed here, {edition()}, {what}: it is of "
        "another edition than this notebook. In Colab, choose Runtime > Disconnect and delete runtime in some minutes, "
        "and run this cell again. Elsewhere, install the course anew, or put the file beside the notebook."
    )
