"""Where the course comes from: its sources row by row, and its corrections of record.

`book/sources.yml` says of each row of a source where it lives, and what is found there; the page of sources is filled
in from it. `book/corrections.md` says of each correction who says it, and which sections show otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.util import logging

from jaxcourse.course import Course, read_yaml
from jaxcourse_author.lesson import Heading, Page, page_at, page_of
from jaxcourse_author.lesson.elsewhere import Elsewhere, words_and_target

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

logger = logging.getLogger(__name__)

SOURCES = "book/sources.yml"
PAGE, CORRECTIONS = "book/sources", "book/corrections"
MARK = "{{ sources }}"
BECAME = ("kept", "modernised", "corrected")

_UNSEEN = {"exercise", "check", "solution", "setup"}
"""Tags of cells that show no reader what is so."""
_SAID, _HEARD, _SHOWN = "Said in", "Often heard", "Shown in"
"""What the last paragraph of a correction is made of."""


@dataclass(frozen=True)
class Row:
    """A system, a figure, an exercise or a claim of a source.

    Attributes:
        id: such as `S0-01`.
        was: what it was, in a few words of Markdown.
        became: one of `BECAME`.
        at: the label of the section, or the name of the exercise, where it lives.
        says: what is found there, letter for letter but for line ends.
        now: what is different today, if that needs words.
    """

    id: str
    was: str
    became: str
    at: str
    says: str
    now: str = ""


@dataclass(frozen=True)
class Source:
    """A source: its name, a sentence about it, and its rows."""

    name: str
    about: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Correction:
    """A correction of record: its label, the claim, the rows that make it, and the sections that show otherwise."""

    label: str
    claim: str
    said: tuple[str, ...]
    shown: tuple[str, ...]


@dataclass(frozen=True)
class Passage:
    """A section or an exercise: its page, such as `book/index`, its title, and its source."""

    page: str
    title: str
    text: str

    @property
    def has_cell(self) -> bool:
        """Whether a cell or a proof of it is run for readers."""
        cells = page_of(self.text).directives("code-cell")
        return any(not _UNSEEN & set(cell.options.get("tags", ())) for cell in cells)

    def says(self, phrase: str) -> bool:
        """Tell whether a phrase is found in it; where lines end makes no difference."""
        return bool(phrase) and " ".join(phrase.split()) in " ".join(self.text.split())


def sources(course: Course) -> list[Source]:
    """The sources, in the order of the file."""
    declared = read_yaml(course, SOURCES) or ()
    return [Source(one["source"], one["about"], tuple(Row(**row) for row in one["rows"])) for one in declared]


def corrections(course: Course) -> list[Correction]:
    """The corrections of record, in the order of their page."""
    page = page_at(course.root / f"{CORRECTIONS}.md")
    return [_correction(page, one) for one in page.headings if one.label.startswith("correction-")]


def _correction(page: Page, heading: Heading) -> Correction:
    """A correction: its last paragraph says who says it and, behind `Shown in`, what shows otherwise."""
    paragraphs = [node for node in page.nodes if node.type == "paragraph" and node.line in heading.lines]
    last = next((node for node in paragraphs if node.content.startswith((_SAID, _HEARD))), None)
    said: list[str] = []
    shown: list[str] = []
    named = said
    for mark in last.marks if last else ():
        if mark.type == "text" and _SHOWN in mark.text:
            named = shown
        if mark.type == "role" and mark.name == "ref":
            named.append(words_and_target(mark.text)[1])
    return Correction(heading.label, heading.title, tuple(one.upper() for one in said), tuple(shown))


def passages(course: Course) -> dict[str, Passage]:
    """Each section and each exercise of each page that is here, taught or not, by its label."""
    found: dict[str, Passage] = {}
    for path in (*sorted((course.root / "notebooks").glob("*.md")), *sorted((course.root / "book").glob("*.md"))):
        page = f"{path.parent.name}/{path.stem}"
        found |= {label: Passage(page, *rest) for label, *rest in _parts(page_at(path))}
    return found


def _parts(page: Page) -> Iterator[tuple[str, str, str]]:
    """Label, title and text of each section, and of each exercise, which ends where another or a section begins."""
    headings = page.headings
    gates = [node for node in page.nodes if node.name == "exercise-start"]
    begins = sorted([*(one.lines.start for one in headings), *(node.line for node in gates), len(page.lines) + 1])
    for one in headings:
        if one.label:
            yield one.label, one.title, "\n".join(page.lines[one.lines.start - 1 : one.lines.stop - 1])
    for node in gates:
        end = next(line for line in begins if line > node.line)
        yield node.options.get("label", ""), node.argument, "\n".join(page.lines[node.line - 1 : end - 1])


def problems(
    declared: list[Source], corrected: list[Correction], known: Mapping[str, Passage], elsewhere: Collection[str] = ()
) -> list[str]:
    """What is wrong: a row that is there twice or is not found where it lives, or a correction that nothing shows.

    Args:
        declared: the sources.
        corrected: the corrections of record.
        known: what `passages` gives.
        elsewhere: labels of what is not here, and is known to be on the full course's site.
    """
    rows = [row for source in declared for row in source.rows]
    twice = [f"{SOURCES} has {name} twice" for name, times in Counter(row.id for row in rows).items() if times > 1]
    lost = (_lost(row, known) for row in rows if row.at in known or row.at not in elsewhere)
    unsaid = (_unshown(one, {row.id for row in rows}, known, elsewhere) for one in corrected)
    return [*twice, *filter(None, lost), *filter(None, unsaid)]


def _lost(row: Row, known: Mapping[str, Passage]) -> str:
    if row.became not in BECAME:
        return f"{row.id} became {row.became!r}, which is none of {', '.join(BECAME)}"
    if row.at not in known:
        return f"{row.id}: `{row.at}` is neither a section nor an exercise: mend it in {SOURCES}"
    if not known[row.at].says(row.says):
        return f"{row.id} is lost: `{row.at}` no longer says {row.says!r}"
    return ""


def _unshown(one: Correction, rows: set[str], known: Mapping[str, Passage], elsewhere: Collection[str]) -> str:
    if not one.shown:
        return f"{one.label} does not end in `Said in ... .` or `Often heard.`, and `Shown in ... .`"
    for name in (*set(one.said) - rows, *(set(one.shown) - known.keys() - set(elsewhere))):
        return f"{one.label} names `{name}`, which is nowhere"
    if not any(label not in known or known[label].has_cell for label in one.shown):
        return f"{one.label}: no cell of {', '.join(one.shown)} shows it"
    return ""


# -- the page ---------------------------------------------------------------------------------------------------


def page(declared: list[Source], corrected: list[Correction], known: Mapping[str, Passage]) -> str:
    """The page in Markdown: a heading, a sentence and a list for each source."""
    parts = []
    for source in declared:
        counts = Counter(row.became for row in source.rows)
        tally = ", ".join(f"{counts[kind]} {kind}" for kind in BECAME)
        lines = (_line(row, [one for one in corrected if row.id in one.said], known) for row in source.rows)
        parts.append(f"## {source.name}\n\n{source.about} {len(source.rows)} rows: {tally}.\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def _line(row: Row, corrected: list[Correction], known: Mapping[str, Passage]) -> str:
    """A row as an item of a list, with an anchor of its own."""
    words = f"**{row.id}**, {row.became}: {row.was}" + (f" ({row.now})." if row.now else ".")
    links = [f"{{ref}}`{_place(row.at, known)} <{row.at}>`"]
    links += [f"{{ref}}`the correction <{one.label}>`" for one in corrected]
    return f"- ({row.id.lower()})=\n  {words} {', '.join(links)}\n"


def _place(label: str, known: Mapping[str, Passage]) -> str:
    """The words of a link: the lesson's number, and the title."""
    if label not in known:
        return label
    folder, _, stem = known[label].page.partition("/")
    number = f"{stem.partition('_')[0]}: " if folder == "notebooks" else ""
    return number + known[label].title.translate(dict.fromkeys(map(ord, "`<>")))


def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Fill in the page, and warn of what is lost."""
    if MARK not in source[0]:
        return
    app.env.note_reread()
    course = Course(Path(app.srcdir))
    declared, corrected, known = sources(course), corrections(course), passages(course)
    for problem in problems(declared, corrected, known, Elsewhere(course).places):
        logger.warning(problem, location=docname, type="records")
    source[0] = source[0].replace(MARK, page(declared, corrected, known))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Fill in the page before links are turned."""
    app.connect("source-read", on_source_read, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
