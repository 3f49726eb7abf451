"""Puts into the wheel the files that lessons read: the grader and `jaxcourse.bring` take them from there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class LessonFiles(BuildHookInterface):
    """Knows from `course.json` which files those are."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add them to what the wheel holds, where it holds more than a link to the checkout."""
        texts = Path(self.root, "solutions", "course.json")
        for text in json.loads(texts.read_text(encoding="utf-8")).values() if version == "standard" else ():
            for name in text.get("files", ()):
                build_data["force_include"][f"notebooks/{name}"] = f"jaxcourse/_course/notebooks/{name}"
