"""The toy lesson's page, built with some of our extensions."""

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mini_book import build
from recorded.toy_record import STEM

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
