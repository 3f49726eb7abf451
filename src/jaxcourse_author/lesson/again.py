"""Which paragraph to read again after a wrong answer: of those before the exercise, the one that has most of its words.

Authors write down the section alone. In it, the paragraph that shares the rarest words and names with the task and its
solution is the one that explains them; between two, the nearer one. What is folded is an exception, and not chosen.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jaxcourse_author.lesson._inline import marks_in
from jaxcourse_author.lesson._lesson import LessonSource

_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]{2,}")
_NO_POINTER = ("**You need**", "**After", "$")
"""What paragraphs begin with that say what a lesson is for, and those that a formula would have to name."""
_SHORTEST = 8
"""Words of a paragraph that explains something."""
_SENTENCE = re.compile(r"(?:`[^`]*`|[^`])*?[.!?](?=\s+[^\sa-z]|\s*$)")
_LONGEST = 120
"""Characters of a sentence by which a paragraph is named."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of a lesson.

    Attributes:
        section: the label of its section.
        text: in Markdown.
    """

    section: str
    text: str

    @property
    def opening(self) -> str:
        """Its first sentence, without links and emphasis; nothing where that is long, or leads to what is no text.

        Example:
            >>> Paragraph("axes", "Here *one* [axis](https://x.org) is `axis=0.`. It runs down.").opening
            'Here one axis is `axis=0.`.'
        """
        found = _SENTENCE.match(plain(self.text))
        return found[0] if found and len(found[0]) <= _LONGEST and "\\" not in found[0] else ""


def plain(text: str) -> str:
    r"""Markdown without links, emphasis and dollars; code keeps its backticks.

    Example:
        >>> plain("Here *one* [axis](https://x.org) is\n`2 * x`.")
        'Here one axis is `2 * x`.'
    """
    marks = marks_in(" ".join(text.split()), {})
    return "".join(f"`{mark.text}`" if mark.type == "code_inline" else mark.text for mark in marks)


def paragraphs_of(lesson: LessonSource) -> dict[str, Paragraph]:
    """For each exercise the paragraph to read again; none where its section has no text before it."""
    seen: list[Paragraph] = []
    found: dict[str, Paragraph] = {}
    rarity = _rarity([cell.source for cell in lesson.cells if not cell.is_code])
    for section, exercise, paragraphs in _in_order(lesson):
        if not exercise:
            seen += [Paragraph(section, text) for text in paragraphs if _explains(text)]
        elif exercise not in found:
            near = [paragraph for paragraph in seen if paragraph.section == section]
            if near:
                asked = _words(_text_of(lesson, exercise))
                found[exercise] = max(reversed(near), key=lambda one: _overlap(one, asked, rarity))
    return found


def _text_of(lesson: LessonSource, exercise: str) -> str:
    """All that an exercise says: its task, its stub and its solution."""
    return "\n".join(cell.source for cell in lesson.cells if cell.exercise == exercise)


def _in_order(lesson: LessonSource) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The parts of a lesson's text: the section they stand in, the exercise they belong to, and their paragraphs."""
    section = ""
    for cell in lesson.cells:
        if cell.role == "task":
            yield section, cell.exercise, ()
        for part in cell.parts if cell.role == "text" else ():
            section = part.label if part.level and part.label else section
            yield section, "", () if part.folded else part.paragraphs


def _explains(paragraph: str) -> bool:
    """Whether a paragraph is more than a few words, and can be named by its first ones."""
    return len(paragraph.split()) >= _SHORTEST and not paragraph.startswith(_NO_POINTER)


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _rarity(texts: Sequence[str]) -> dict[str, float]:
    """How much a word says: the logarithm of how few of some texts have it."""
    count = Counter(word for text in texts for word in _words(text))
    return {word: math.log(len(texts) / many) for word, many in count.items()}


def _overlap(paragraph: Paragraph, asked: set[str], rarity: dict[str, float]) -> float:
    own = _words(paragraph.text)
    return sum(rarity[word] for word in own & asked) / math.sqrt(len(own) or 1)
