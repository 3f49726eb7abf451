"""Links into what is not taught: to the full course's site or, where its address is not set, words alone.

A lesson and the site's pages are written for all lessons. Whoever teaches some of them deletes lines of `_toc.yml`, and
what links to the others is turned here, in the source, before a notebook or a page is made of it.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from functools import cached_property

from jaxcourse.course import Course, LessonText

INVENTORY = "book/full_course.inv"
"""The file `objects.inv` of the full course's site, for whoever removes the files of lessons that are not taught."""
_SECTION = re.compile(r"^\(([\w-]+)\)=\n#+ +(.+?) *$", re.MULTILINE)
_HEADING = re.compile(r"^# +(.+?) *$", re.MULTILINE)
_ROLE = re.compile(r"\{(?P<role>ref|doc)\}`(?:(?P<words>[^`<>]+?)\s*<(?P<target>[^`<>]+)>|(?P<bare>[^`<>]+))`")
_LINK = re.compile(
    r"\[(?P<words>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?!https?:|mailto:|#)(?P<target>[^)\s#]+)(?P<anchor>#[\w-]+)?\)"
)


@dataclass(frozen=True)
class Elsewhere:
    """What a course does not teach.

    Attributes:
        course: the course.
    """

    course: Course

    @cached_property
    def places(self) -> dict[str, str]:
        """The page of each label that is not taught, and of each page itself.

        Their files say so, which may stay where they are. Of files that were removed, Sphinx's inventory of the full
        course does, if it is kept as `INVENTORY`: nothing is fetched, so that the same course gives the same bytes.
        """
        return {name: page for name, (page, _) in self._inventory.items()} | self.course.left_out()

    @cached_property
    def _inventory(self) -> dict[str, tuple[str, str]]:
        """The page of what the inventory alone knows, and its title."""
        path = self.course.root / INVENTORY
        if not path.exists():
            return {}
        from sphinx.util.inventory import InventoryFile  # only whoever builds a site has it

        with path.open("rb") as file:
            kinds = InventoryFile.load(file, "", posixpath.join)
        found = {name: entry for kind in ("std:label", "std:doc") for name, entry in kinds.get(kind, {}).items()}
        known = {*self.course.pages, *self.course.labels()}
        places = {name: (entry[2].partition(".html")[0], entry[3]) for name, entry in found.items()}
        return {name: place for name, place in places.items() if name not in known and place[0] not in known}

    def texts(self) -> dict[str, LessonText]:
        """Where to read again in lessons that are not taught, by stem: nothing where no full course is named."""
        site, taught = self.course.full_course, self.course.lesson_paths
        return {
            path.stem: LessonText(
                f"{site}/notebooks/{path.stem}.html", dict(_SECTION.findall(path.read_text("utf-8"))), {}, {}
            )
            for path in self.course.lessons_here
            if site and path not in taught
        }

    def redirected(self, text: str, page: str) -> str:
        """A text in MyST in which every link into what is not taught leads to the full course, or is words alone.

        Args:
            text: of the page, or of a part of it.
            page: without its suffix, such as `notebooks/01_memory_layout`.
        """
        if not self.places:
            return text
        folder = posixpath.dirname(page)
        text = _ROLE.sub(lambda found: self._role(found, folder), text)
        return _LINK.sub(lambda found: self._link(found, folder), text)

    def _role(self, found: re.Match[str], folder: str) -> str:
        target = found["target"] or found["bare"]
        name = _page(target, folder) if found["role"] == "doc" else target
        if name not in self.places:
            return found[0]
        place = self.places[name]
        return self._rewritten(found["words"] or self._title(name), place, "" if name == place else f"#{name}")

    def _title(self, name: str) -> str:
        """The heading that stands at a label, or at the top of a page."""
        page = self.places[name]
        if name in self._inventory:
            return self._inventory[name][1]
        text = (self.course.root / f"{page}.md").read_text(encoding="utf-8")
        heading = _HEADING.search(text) if name == page else None
        return heading[1] if heading else dict(_SECTION.findall(text)).get(name, name)

    def _link(self, found: re.Match[str], folder: str) -> str:
        target, _, suffix = found["target"].rpartition(".")
        place = self.places.get(_page(target, folder)) if suffix in ("md", "ipynb") else None
        return found[0] if place is None else self._rewritten(found["words"], place, found["anchor"] or "")

    def _rewritten(self, words: str, place: str, anchor: str = "") -> str:
        site = self.course.full_course
        return f"[{words}]({site}/{place}.html{anchor})" if site else words


def _page(target: str, folder: str) -> str:
    """A page as `_toc.yml` names it, from a link in a folder.

    Example:
        >>> _page("../notebooks/02_broadcasting", "book"), _page("/book/index", "notebooks")
        ('notebooks/02_broadcasting', 'book/index')
    """
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
