"""The toy lesson's page, with a record and without."""

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mini_book import build
from recorded.toy_record import STEM, lesson, write

BOOK = Path(__file__).parents[2] / "book"
sys.path.insert(0, str(BOOK / "_ext"))


def site(root: Path, *extensions: str) -> tuple[Path, str]:
    """The lesson's page, and the warnings of the build; what was executed in this folder is not executed again."""
    settings: dict[str, Any] = {"html_static_path": [str(BOOK / "_static")], "root_doc": f"notebooks/{STEM}"}
    settings["html_js_files"] = [("record.js", {"priority": 400}), ("store.js", {"priority": 401}), "markup.js"]
    shutil.rmtree(root / "doctrees", ignore_errors=True)
    out, warnings = build(root, {}, ["site_outputs", "site_predict", *extensions], execute=True, **settings)
    return out / "notebooks" / f"{STEM}.html", warnings


@dataclass(frozen=True)
class Pages:
    """The same lesson's page.

    Args:
        recorded: with a record.
        bare: without one.
        plain: by a site that knows nothing of records.
        warnings: of the three builds.
    """

    recorded: Path
    bare: Path
    plain: Path
    warnings: str


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """The page, built before a browser runs: both have a loop of their own."""
    pytest.importorskip("myst_nb")
    root = tmp_path_factory.mktemp("recorded")
    lesson(root)
    site(root)
    plain, said = site(root)
    plain = plain.rename(root / "plain.html")
    bare, more = site(root, "site_recorded")
    bare = bare.rename(root / "bare.html")
    write(root)
    page, most = site(root, "site_recorded")
    return Pages(page, bare, plain, said + more + most)
