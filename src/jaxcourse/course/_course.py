"""A course, as one value: where it is, what its lessons are, and where it is published."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxcourse._paths import installed_course
from jaxcourse.course._lessons import Lesson, asked_in, load, nearest

LABEL = re.compile(r"^\((?P<label>[\w-]+)\)=$", re.MULTILINE)


class UnknownExercise(ValueError):
    """There is no exercise of that name."""

    def _render_traceback_(self) -> list[str]:
        """IPython shows this in place of a stack of our own frames."""
        return [str(self)]


@dataclass(frozen=True)
class Course:
    """A course: the folder that holds it, its lessons, and the addresses set in its `_config.yml`.

    The one value is passed from whatever is told which course it is to everything that needs a part of it.

    Example:
        >>> course = Course.installed()
        >>> course.lesson_of("centre-columns").stem
        '00_start_here'
    """

    root: Path

    @property
    def config(self) -> dict[str, Any]:
        """The book's configuration."""
        return _parsed((self.root / "_config.yml").read_text(encoding="utf-8"))

    @property
    def repository(self) -> str:
        """The repository's address."""
        address = (self.config.get("repository") or {}).get("url")
        if not address:
            raise ValueError(
                "_config.yml does not give the address of the repository: add `repository: {url: https://...}`."
            )
        return str(address).rstrip("/")

    @property
    def branch(self) -> str:
        """The branch that Colab opens notebooks from."""
        return str(self.config["repository"].get("branch", "main"))

    @property
    def site(self) -> str:
        """The address of the published site, without a trailing slash: GitHub Pages unless `html.baseurl` is set."""
        owner, name = self.repository.split("/")[-2:]
        return str(self.config.get("html", {}).get("baseurl") or f"https://{owner}.github.io/{name}").rstrip("/")

    @property
    def lesson_paths(self) -> list[Path]:
        """The sources of the lessons, in order."""
        return sorted((self.root / "notebooks").glob("[0-9][0-9]_*.md"))

    def labels(self) -> dict[str, list[str]]:
        """The pages, without their suffix, on which each `(label)=` stands: one, if all is well."""
        found: dict[str, list[str]] = {}
        for page in [*self.lesson_paths, *sorted((self.root / "book").glob("*.md"))]:
            for match in LABEL.finditer(page.read_text(encoding="utf-8")):
                found.setdefault(match["label"], []).append(f"{page.parent.name}/{page.stem}")
        return found

    @classmethod
    def installed(cls) -> Course:
        """The course that came with this package."""
        return cls(installed_course())

    def check_files(self) -> list[Path]:
        """The files of checks, in the order of the lessons."""
        return sorted((self.root / "exercises_tests").glob("ex_*.py"))

    def exercises(self) -> dict[str, tuple[str, ...]]:
        """The stems of the lessons that have checks, with the names of their exercises; no file is imported."""
        return {path.stem.removeprefix("ex_"): _asked_in(path) for path in self.check_files()}

    def lesson(self, stem: str) -> Lesson:
        """A lesson's checks, imported once.

        Raises:
            Exception: whatever importing the checks raises.
        """
        return _load(self.root / "exercises_tests" / f"ex_{stem}.py")

    def lesson_of(self, name: str) -> Lesson:
        """The lesson that an exercise belongs to. Only that lesson's checks are imported.

        Raises:
            UnknownExercise: there is no such exercise; the nearest name is in the message.
        """
        exercises = self.exercises()
        for stem, names in exercises.items():
            if name in names:
                return self.lesson(stem)
        near = nearest(name, [known for names in exercises.values() for known in names])
        raise UnknownExercise(f"There is no exercise {name!r}." + (f" Did you mean {near!r}?" if near else ""))


_load = functools.cache(load)


@functools.lru_cache(maxsize=8)
def _parsed(config: str) -> dict[str, Any]:
    import yaml  # a student's installation has neither it nor a configuration

    try:
        parsed: dict[str, Any] = yaml.safe_load(config)
    except yaml.YAMLError as error:
        raise ValueError(f"_config.yml is not valid YAML: {error}") from error
    return parsed


@functools.cache
def _asked_in(path: Path) -> tuple[str, ...]:
    return tuple(asked_in(path.read_text(encoding="utf-8")))
