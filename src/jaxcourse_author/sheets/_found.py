"""The pieces of sheets as lessons have them: each is found in the source of its section, letter for letter."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from jaxcourse.course import Course, nearest
from jaxcourse_author.lesson import Heading, Node, Page, labels, page_at
from jaxcourse_author.lesson.elsewhere import Elsewhere
from jaxcourse_author.not_there import NotThere
from jaxcourse_author.sheets._file import SHEETS, Piece, Sheet, read_sheets

_TYPES = {"table": "table", "text": "paragraph", "recap": "bullet_list"}
"""What markdown-it calls the pieces that are text."""
_UNSEEN = {"exercise", "check", "solution", "setup", "proof", "remove-cell", "remove-output", "skip-execution"}
"""Tags of cells that are no piece: a reader's work, or without an output that the page shows."""
_PAGE = "sheet_"
"""What the names of the pages of sheets begin with."""


class PieceError(NotThere):
    """A piece is not where its sheet says."""


@dataclass(frozen=True)
class Excerpt:
    """A piece as its lesson has it.

    Attributes:
        piece: which.
        page: the lesson's, as `_toc.yml` names it.
        title: of the section; of a recap, that of the lesson.
        text: MyST; of a cell and of a figure, the cell's code.
    """

    piece: Piece
    page: str
    title: str
    text: str

    @property
    def number(self) -> int:
        """The lesson's."""
        return int(self.page.rpartition("/")[2][:2])


def excerpts(course: Course, sheet: Sheet) -> tuple[Excerpt, ...]:
    """The pieces of a sheet, without those of lessons that are not taught here.

    Raises:
        PieceError: one is not there.
    """
    taught, elsewhere = _lesson_by_label(course), Elsewhere(course).places
    here = (one for one in sheet.pieces if one.at in taught or one.at not in elsewhere)
    return tuple(_excerpt(course, piece, taught) for piece in here)


def problems(course: Course) -> Iterator[tuple[str, str]]:
    """What is wrong with the sheets of a course, each with what to do; nothing where its syllabus has no sheet."""
    sheets, taught, elsewhere = read_sheets(course), _lesson_by_label(course), Elsewhere(course).places
    if not any(page.startswith(f"book/{_PAGE}") for page in course.pages):
        return
    for sheet in sheets:
        for piece in (one for one in sheet.pieces if one.at in taught or one.at not in elsewhere):
            try:
                _excerpt(course, piece, taught)
            except PieceError as error:
                yield f"{sheet.name!r}: {error.problem}", error.repair
        if not (course.root / f"{sheet.page}.md").exists():
            yield f"{sheet.name!r} has no page", f"Write {sheet.page}.md, and its line in _toc.yml."
        elif sheet.page not in course.pages and any(piece.at in taught for piece in sheet.pieces):
            yield f"{sheet.name!r} is on no page of _toc.yml", f"Write the line `- file: {sheet.page}` there."
    named = {sheet.page for sheet in sheets}
    for page in (page for page in course.pages if page.startswith(f"book/{_PAGE}") and page not in named):
        yield f"{page}.md is the page of no sheet", "Declare the sheet, or remove the page."


def emptied_pages(course: Course, stems: Collection[str]) -> set[str]:
    """The pages of the sheets that take nothing of some lessons: where these alone are taught, nothing is left of them.

    Args:
        course: whose.
        stems: of those lessons.
    """
    kept = {label for label, page in _lesson_by_label(course).items() if page.removeprefix("notebooks/") in stems}
    return {sheet.page for sheet in read_sheets(course) if not kept & {piece.at for piece in sheet.pieces}}


def _lesson_by_label(course: Course) -> dict[str, str]:
    """The lesson in which each label stands, as `_toc.yml` names it."""
    return {label: pages[0] for label, pages in labels(course).items() if pages[0].startswith("notebooks/")}


def _of_part(course: Course, sheet: Sheet, taught: dict[str, str]) -> Iterator[tuple[str, str]]:
    """What is wrong with the part that a sheet sums up: a piece is of another one. A syllabus may have other parts."""
    parts = course.parts
    others = {at: taught[at] for at in (one.at for one in sheet.pieces) if at in taught}
    for at, page in others.items():
        if sheet.part in parts and page.removeprefix("notebooks/") not in parts[sheet.part]:
            yield f"{sheet.name!r} sums up {sheet.part!r}, and `{at}` is in {page}", "Leave that piece out."


# -- one piece --------------------------------------------------------------------------------------------------


def _excerpt(course: Course, piece: Piece, taught: dict[str, str]) -> Excerpt:
    if piece.at not in taught:
        near = nearest(piece.at, taught)
        raise PieceError(f"`{piece.at}` is the label of no section", f"Write {near!r}." if near else "Name one.")
    page = page_at(course.root / f"{taught[piece.at]}.md")
    at = next((one for one in page.headings if one.label == piece.at), None)
    if at is None:
        raise PieceError(f"`{piece.at}` stands before no heading", "Name a section by its label.")
    text = _text(page, _only(piece, [node for node in _of(page, at) if _is(node, piece)], page), piece)
    return Excerpt(piece, taught[piece.at], page.headings[0].title if piece.kind == "recap" else at.title, text)


def _of(page: Page, at: Heading) -> Iterator[Node]:
    """What stands in a section, up to the next heading that has a label."""
    later = (one.lines.start for one in page.headings if one.label and one.line > at.line)
    lines = range(at.line, min(next(later, at.lines.stop), at.lines.stop))
    return (node for node in page.nodes if node.line in lines)


def _is(node: Node, piece: Piece) -> bool:
    """Whether a node is of the kind of a piece, and says what it says."""
    if piece.kind in ("cell", "figure"):
        is_kind = node.name == "code-cell" and not _UNSEEN & {*node.options.get("tags", ())}
        return is_kind and piece.says in node.body
    words = " ".join(line.strip() for line in _lines(node)).split()
    return node.type == _TYPES[piece.kind] and piece.says in " ".join(words)


def _only(piece: Piece, found: Sequence[Node], page: Page) -> Node:
    if not found:
        raise PieceError(f"{piece} is not there", f"Mend it in {SHEETS}, or leave it out.")
    if len(found) > 1:
        lines = ", ".join(str(node.line) for node in found)
        raise PieceError(f"{piece} is one of {len(found)}, in lines {lines}", "Say words of the one that is meant.")
    return found[0]


def _lines(node: Node) -> list[str]:
    return [node.page.lines[number] for number in node.numbers]


def _text(page: Page, node: Node, piece: Piece) -> str:
    if piece.kind in ("cell", "figure"):
        return node.body.strip("\n")
    linked = [mark.to for one in node.walk() for mark in one.marks if mark.type == "link"]
    if relative := [to for to in linked if ":" not in to]:
        raise PieceError(
            f"{piece} links to {relative[0]}, which leads elsewhere from a sheet", "Link to a section, by its label."
        )
    return "\n".join(_lines(node)).strip("\n")
