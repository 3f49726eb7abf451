"""The wheel of the site's own edition, which notebooks in Colab install from the site.

Each edition of a lesson has a page with one link, to the wheel, which pip's `--find-links` reads; `index.html` is the
same for notebooks of an edition that is not there. Where an earlier site is published already,
`python site_wheel.py SITE OUT` keeps its wheels for the notebooks that readers have saved from it, but none that gives
away what a lesson withholds by now.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from jaxcourse.course import TEXTS, Course
from jaxcourse_author.lesson.notebooks import wheel_page
from jaxcourse_author.withheld import said_in, secrets

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

FOLDER, LIST = "wheel", "editions.json"
PAUSES = (5.0, 20.0, 60.0)
"""Seconds before what could not be fetched is asked for once more."""
KEPT = 30
"""How many wheels a site has at most; each takes less than a megabyte."""
_NAMES = re.compile(r"[\w-]+\.html"), re.compile(r"jaxcourse-[\w.+]+-py3-none-any\.whl")


@dataclass(frozen=True)
class Secrets:
    """What no wheel of the site may hold today.

    Attributes:
        lines: as `secrets` gives them.
        exercises: the names of those whose check and solution are withheld, however an earlier edition had them.
    """

    lines: Mapping[str, str] = field(default_factory=dict)
    exercises: Collection[str] = ()

    @classmethod
    def of(cls, course: Course) -> Secrets:
        """Those of a course."""
        kept = [names for stem, names in course.exercises().items() if course.withholds(stem)]
        return cls(secrets(course), frozenset(name for names in kept for name in names))

    def are_in(self, wheel: bytes) -> bool:
        """Whether a wheel gives one away."""
        return bool(said_in(wheel, self.lines)) or not {*self.exercises}.isdisjoint(_known(wheel))


def _known(wheel: bytes) -> set[str]:
    """The exercises whose check or solution a wheel has."""
    if not zipfile.is_zipfile(file := io.BytesIO(wheel)):
        return set()
    with zipfile.ZipFile(file) as packed:
        names = packed.namelist()
        texts = [json.loads(packed.read(name)) for name in names if name.endswith(f"_course/{TEXTS}")]
    checks = {Path(name).stem.replace("_", "-") for name in names if "/exercises_tests/" in name}
    said = (one.get("solutions", {}) for text in texts for one in text.values())
    return checks | {name for solutions in said for name, code in solutions.items() if code}


NOTHING, HERE = Secrets(), Course(Path(__file__).resolve().parents[2])


def page(wheel: str) -> str:
    """A page with one link, as pip reads it."""
    link = f'<a href="{quote(wheel)}">{wheel}</a>'
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{wheel}</title>\n<p>{link}</p>\n</html>\n'
    )


def write(course: Course, folder: Path) -> Path:
    """Build the wheel, and the pages that link to it.

    Args:
        course: a checkout.
        folder: is written anew.
    """
    from hatchling.builders.wheel import WheelBuilder

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    wheel = Path(next(WheelBuilder(str(course.root)).build(directory=str(folder), versions=["standard"])))
    pages = [wheel_page(stem, text.edition) for stem, text in course.texts.items() if text.edition]
    _link(folder, dict.fromkeys(pages, wheel.name))
    (folder / "index.html").write_text(page(wheel.name), encoding="utf-8")
    return wheel


def _link(folder: Path, editions: dict[str, str]) -> None:
    """Write the pages of editions, and the list of all, newest first."""
    for name, wheel in editions.items():
        (folder / name).write_text(page(wheel), encoding="utf-8")
    (folder / LIST).write_text(json.dumps(editions, indent=1) + "\n", encoding="utf-8")


def keep(site: str, folder: Path, withheld: Secrets = NOTHING) -> int:
    """Fetch the wheels of earlier editions from a published site into the folder of a new one.

    Args:
        site: its address.
        folder: the new one's, with its own wheel.
        withheld: what no wheel may hold: one that does is not kept.

    Returns:
        How many editions of lessons were kept.
    """
    new = json.loads((folder / LIST).read_text(encoding="utf-8"))
    old = json.loads(_fetched(f"{site}/{FOLDER}/{LIST}"))
    named = {name: wheel for name, wheel in old.items() if all(map(re.fullmatch, _NAMES, (name, wheel)))}
    newest = list(dict.fromkeys([*new.values(), *named.values()]))[:KEPT]
    kept = {name: wheel for name, wheel in named.items() if name not in new and wheel in newest}
    for wheel in set(kept.values()) - set(new.values()):
        if withheld.are_in(data := _fetched(f"{site}/{FOLDER}/{quote(wheel)}")):
            print(f"{wheel} is not kept: it has what is withheld now.")
            kept = {name: one for name, one in kept.items() if one != wheel}
        else:
            (folder / wheel).write_bytes(data)
    _link(folder, {**new, **kept})
    return len(kept)


def _fetched(address: str) -> bytes:
    """What is at an address, asked several times: a host that has a bad minute has not lost its files."""
    for pause in (*PAUSES, None):
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                return bytes(answer.read())
        except OSError as error:
            if pause is None or _is_gone(error):
                raise
            time.sleep(pause)
    raise AssertionError("the last attempt returns or raises")


def _is_gone(error: OSError) -> bool:
    """Whether a host says that there is nothing, and not that it has trouble."""
    return isinstance(error, urllib.error.HTTPError) and error.code in (404, 410)


def on_finished(app: Sphinx, error: Exception | None) -> None:
    """Put the wheel beside the pages, if these are a course's that can be installed."""
    if error is None and app.builder.name == "html" and Path(app.srcdir, "pyproject.toml").exists():
        write(Course(Path(app.srcdir)), Path(app.outdir, FOLDER))


def main(site: str, out: Path, course: Course = HERE) -> str:
    """Keep what a published site has; where nothing is published yet, say so.

    Args:
        site: its address.
        out: the folder of the new one.
        course: whose it is.

    Returns:
        Why the new site must not be published, since wheels that readers' notebooks ask for would be gone; or nothing.
    """
    try:
        print(f"{keep(site, out / FOLDER, Secrets.of(course))} earlier editions of lessons are kept.")
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and _is_gone(error) and FOLDER + "/" + LIST in str(getattr(error, "url", "")):
            print("Nothing is published there yet, so there is no earlier edition to keep.")
            return ""
        return (
            f"{site} does not give its earlier editions: {error}. Published without them, notebooks that readers have "
            "saved would lose their package. Run this again later. If nothing was ever published, leave it out."
        )
    return ""


def setup(app: Sphinx) -> ExtensionMetadata:
    """Build the wheel when the pages are written, before the archive is packed."""
    app.connect("build-finished", on_finished, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])) or 0)
