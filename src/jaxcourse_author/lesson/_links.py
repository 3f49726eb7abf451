"""Where the links and roles of a lesson lead from a notebook: to the site or, without one, to another notebook."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from jaxcourse.course import Course
from jaxcourse_author.lesson._cells import LessonError, Link
from jaxcourse_author.lesson._edits import Edit
from jaxcourse_author.lesson._inline import Mark, means_itself
from jaxcourse_author.lesson._pages import labels
from jaxcourse_author.lesson.elsewhere import Elsewhere, page_linked, words_and_target

_FAR = ("http:", "https:", "mailto:")
"""What an address begins with that leads out of the course."""


@dataclass(frozen=True)
class Links:
    """The links of a lesson.

    Attributes:
        path: the lesson's file.
        course: to which it belongs.
        own: its labels.
    """

    path: Path
    course: Course
    own: Collection[str]

    @cached_property
    def elsewhere(self) -> Elsewhere:
        """What the course does not teach."""
        return Elsewhere(self.course)

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """The pages of the course's labels."""
        return labels(self.course)

    def edits(self, mark: Mark, line: int) -> Iterator[Edit]:
        """What must be edited so that a mark leads somewhere from a notebook.

        Raises:
            LessonError: it leads nowhere.
        """
        turned = list(self.elsewhere.edits_of(mark, self.path.parent.name)) if self.elsewhere.places else []
        if turned:
            yield from turned
        elif mark.type == "role":
            yield Edit(mark.start, mark.end, self._role(mark, line))
        elif mark.type == "link":
            yield from self._link(mark, line)
        elif mark.type == "image" and mark.by_label:
            yield from self._with_address(mark, mark.to)

    def link(self, mark: Mark, line: int) -> Link | None:
        """What a mark links to; None if it is no link."""
        if mark.type == "role" and mark.name == "ref":
            _, label = words_and_target(mark.text)
            place = self.elsewhere.places.get(label) or self.labels.get(label, [""])[0]
            return Link(label, place, label, line)
        if mark.type == "link":
            path, _, label = mark.to.partition("#")
            own = f"{self.path.parent.name}/{self.path.stem}"
            return Link(label, page_linked(mark.to, self.path.parent.name) if path else own, mark.to, line)
        return None

    def require_far(self, address: str, line: int) -> None:
        """Refuse an address that leads to a file, which no notebook has."""
        if not address.startswith(_FAR):
            raise self._error(f"{address!r} lies beside the source, where no notebook finds it: mend the link.", line)

    def _role(self, mark: Mark, line: int) -> str:
        words, target = words_and_target(mark.text)
        if mark.name == "term":
            return means_itself(words or target)
        if mark.name == "ref" and words:
            if target not in self.labels:
                problem = f"{{ref}} to the unknown label {target!r}: put `({target})=` before a heading."
                raise self._error(problem, line)
            return self._to_page(means_itself(words), self.labels[target][0], f"#{target}")
        role = f"{{{mark.name}}}`{mark.text}`"
        problem = f"write the role {role!r} as {{ref}}`words <label>`, {{term}}`word`, or a Markdown link."
        raise self._error(problem, line)

    def _link(self, mark: Mark, line: int) -> Iterator[Edit]:
        if mark.markup == "autolink":
            self.require_far(mark.to, line)
            return
        if mark.words == mark.start + 1:
            raise self._error(f"the link to {mark.to!r} has no words: write some between its brackets.", line)
        if mark.to.startswith(_FAR):
            yield from self._with_address(mark, mark.to) if mark.by_label else ()
            return
        page, _, label = mark.to.partition("#")
        if page:
            yield from self._to_file(mark, page, label, line)
        elif label not in self.own:
            raise self._error(f"a link to the unknown label {label!r}: put `({label})=` before a heading.", line)
        elif mark.by_label:
            yield from self._with_address(mark, mark.to)

    def _to_file(self, mark: Mark, to: str, label: str, line: int) -> Iterator[Edit]:
        if not page_linked(mark.to, self.path.parent.name):
            self.require_far(mark.to, line)
        page = (self.path.parent / to).resolve().with_suffix(".md")
        if not page.exists():
            raise self._error(f"a link to {to}, which does not exist: mend the link.", line)
        anchor = f"#{label}" if label else ""
        address = self._address(f"{page.parent.name}/{page.stem}", anchor)
        if address:
            yield from self._with_address(mark, address)
        else:
            yield from (Edit(mark.start, mark.start + 1, ""), Edit(mark.words, mark.end, ""))

    def _with_address(self, mark: Mark, address: str) -> Iterator[Edit]:
        """A link with its address behind its words."""
        title = mark.title.replace('"', '\\"')
        yield Edit(mark.words, mark.end, f"]({address}" + (f' "{title}")' if title else ")"))

    def _to_page(self, words: str, page: str, anchor: str) -> str:
        address = self._address(page, anchor)
        return f"[{words}]({address})" if address else words

    def _address(self, page: str, anchor: str) -> str:
        """That of a page of the site; without a site, of the notebook beside this one; empty if there is none."""
        if self.course.site:
            return f"{self.course.site}/{page}.html{anchor}"
        folder, _, stem = page.partition("/")
        return f"{stem}.ipynb{anchor}" if folder == "notebooks" else ""

    def _error(self, problem: str, line: int) -> LessonError:
        return LessonError(self.path, problem, line)
