"""What the wheel holds of the course: checks, lessons' words and the files that they read, but not what is withheld."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PublishedCourse(BuildHookInterface[Any]):
    """Puts the course into the wheel: `check`, `hint` and `solution` need it wherever the package is installed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files, each with its place in the wheel; an editable install has the checkout itself."""
        if version == "editable":
            return
        root = Path(self.root)
        edition = runpy.run_path(str(root / "src" / "jaxcourse" / "_edition.py"))
        files = edition["published_files"](root)
        build_data["force_include"] |= {str(path): f"jaxcourse/_course/{place}" for place, path in files}
