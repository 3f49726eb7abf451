"""Links into what is not taught: to the full course's site or, where its address is not set, words alone.

A lesson and the site's pages are written for all lessons. Whoever teaches some of them deletes lines of `_toc.yml`, and
what links to the others is turned here, in the source, before a notebook or a page is made of it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from jaxcourse.course import Course, LessonText
from jaxcourse_author.lesson._edits import Edit, apply_edits
from jaxcourse_author.lesson._inline import Mark
from jaxcourse_author.lesson._myst import page_of
from jaxcourse_author.lesson._pages import labels, left_out, page_at

INVENTORY = "book/full_course.inv"
"""The file `objects.inv` of the full course's site, for whoever removes the files of lessons that are not taught."""


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
        return {name: page for name, (page, _) in self._inventory.items()} | left_out(self.course)

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
        known = {*self.course.pages, *labels(self.course)}
        places = {name: (entry[2].partition(".html")[0], entry[3]) for name, entry in found.items()}
        return {name: place for name, place in places.items() if name not in known and place[0] not in known}

    def texts(self) -> dict[str, LessonText]:
        """Where to read again in lessons that are not taught, by stem: nothing where no full course is named."""
        site, taught = self.course.full_course, self.course.lesson_paths
        return {
            path.stem: LessonText(f"{site}/notebooks/{path.stem}.html", page_at(path).titles, {}, {})
            for path in self.course.lessons_here
            if site and path not in taught
        }

    def redirected(self, text: str, page: str) -> str:
        """A text in MyST in which every link into what is not taught leads to the full course, or is words alone.

        Args:
            text: of the page, or of a part of it.
            page: without its suffix, such as `notebooks/10_memory_layout`.
        """
        if not self.places:
            return text
        folder = posixpath.dirname(page)
        marks = (mark for node in page_of(text).walk() for mark in node.marks)
        return apply_edits(text, [edit for mark in marks for edit in self.edits_of(mark, folder)])

    def edits_of(self, mark: Mark, folder: str) -> Iterator[Edit]:
        """The edits by which a link, or a role that is one, leads to the full course or is words; none if it need not.

        Args:
            mark: anything that stands in a line.
            folder: of the page.
        """
        if mark.type == "role" and mark.name in ("ref", "doc"):
            words, target = words_and_target(mark.text)
            name = _page(target, folder) if mark.name == "doc" else target
            if name in self.places:
                place = self.places[name]
                anchor = "" if name == place else f"#{name}"
                before, after = self._around(place, anchor)
                yield Edit(mark.start, mark.end, f"{before}{words or self._title(name)}{after}")
        if mark.type == "link" and (page := self.places.get(page_linked(mark.to, folder))):
            before, after = self._around(page, "".join(mark.to.partition("#")[1:]))
            yield Edit(mark.start, mark.start + 1, before)
            yield Edit(mark.words, mark.end, after)

    def _title(self, name: str) -> str:
        """The heading that stands at a label, or at the top of a page."""
        page = self.places[name]
        if name in self._inventory:
            return self._inventory[name][1]
        here = page_at(self.course.root / f"{page}.md")
        first = next((one.title for one in here.headings if one.level == 1), name)
        return first if name == page else here.titles.get(name, name)

    def _around(self, place: str, anchor: str) -> tuple[str, str]:
        """What stands before and behind the words of a link to a place that is not taught."""
        site = self.course.full_course
        return ("[", f"]({site}/{place}.html{anchor})") if site else ("", "")


def words_and_target(text: str) -> tuple[str, str]:
    """The words and the target of a role; no words if it is a target alone.

    Example:
        >>> words_and_target("an axis <axes>"), words_and_target("axes")
        (('an axis', 'axes'), ('', 'axes'))
    """
    words, _, target = text.removesuffix(">").rpartition("<")
    return (words.rstrip(), target) if words.strip() and text.endswith(">") else ("", text)


def page_linked(address: str, folder: str) -> str:
    """The page to which an address leads, as `_toc.yml` names it; empty if that is no page of a course.

    Example:
        >>> page_linked("../book/index.md#top", "notebooks"), page_linked("https://a.org/b.md", "notebooks")
        ('book/index', '')
    """
    target, _, suffix = address.partition("#")[0].rpartition(".")
    return _page(target, folder) if target and suffix in ("md", "ipynb") and ":" not in target else ""


def _page(target: str, folder: str) -> str:
    """A page as `_toc.yml` names it, from a link in a folder.

    Example:
        >>> _page("../notebooks/11_broadcasting", "book"), _page("/book/index", "notebooks")
        ('notebooks/11_broadcasting', 'book/index')
    """
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
