"""`jaxcourse preset`: the syllabus of a copy that teaches the lessons of one path, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from jaxcourse.course import Course
from jaxcourse_author.paths._closed import Walk
from jaxcourse_author.sheets import emptied_pages

TOC = "_toc.yml"


def preset(course: Course, walk: Walk) -> list[str]:
    """Write the syllabus of a path: of `_toc.yml`, the lines of other lessons go, and of what is then empty.

    Args:
        course: whose.
        walk: the path.

    Returns:
        The stems of the lessons that are no longer taught.

    Raises:
        ValueError: `_toc.yml` lacks a lesson of the path, as after another preset; says how to bring it back.
    """
    if walk.lacking:
        lacking = ", ".join(walk.lacking)
        raise ValueError(
            f"{walk.path.name!r} needs {lacking}, and {TOC} does not name the lessons of that. Bring their lines back "
            f"first, from the commit in which {TOC} named all lessons: git restore --source=COMMIT {TOC}"
        )
    others = [path.stem for path in course.lesson_paths if path.stem not in walk.lessons]
    gone = {f"notebooks/{stem}" for stem in others} | emptied_pages(course, walk.lessons)
    file = course.root / TOC
    file.write_text(without(file.read_text(encoding="utf-8"), gone), encoding="utf-8")
    return others


def without(toc: str, pages: set[str]) -> str:
    r"""A table of contents without some pages, and without the parts of which nothing is left; comments stay.

    Args:
        toc: its text.
        pages: as it names them, without their suffix.

    Example:
        >>> print(without("parts:\n- caption: A\n  chapters:\n  - file: a\n- caption: B\n  chapters:\n"
        ...               "  # one\n  - file: b\n  - file: c\n", {"a", "b"}))
        parts:
        - caption: B
          chapters:
          # one
          - file: c
        <BLANKLINE>
    """
    lines = toc.splitlines(keepends=True)
    gone = {
        i for node in _entries_to_drop(yaml.compose(toc), pages) for i in range(node.start_mark.line, _last(node) + 1)
    }
    return "".join(line for i, line in enumerate(lines) if i not in gone)


def _entries_to_drop(node: yaml.Node | None, pages: set[str]) -> Iterator[yaml.Node]:
    """The entries of lists that are to be left out: pages, and parts of whose lists nothing would stay."""
    if isinstance(node, yaml.SequenceNode):
        for entry in node.value:
            if _pages_in(entry) and {*_pages_in(entry)} <= pages:
                yield entry
            else:
                yield from _entries_to_drop(entry, pages)
    elif isinstance(node, yaml.MappingNode):
        for _, value in node.value:
            yield from _entries_to_drop(value, pages)


def _pages_in(node: yaml.Node) -> list[str]:
    """The pages that a part of a table of contents names."""
    if isinstance(node, yaml.SequenceNode):
        return [page for entry in node.value for page in _pages_in(entry)]
    if not isinstance(node, yaml.MappingNode):
        return []
    own = [str(Path(value.value).with_suffix("").as_posix()) for key, value in node.value if key.value == "file"]
    return own + [page for _, value in node.value for page in _pages_in(value)]


def _last(node: yaml.Node) -> int:
    """The last line in which something of it stands: the mark at its end may lie behind comments."""
    if isinstance(node, yaml.ScalarNode):
        return int(node.end_mark.line)
    inner = [one for pair in node.value for one in pair] if isinstance(node, yaml.MappingNode) else node.value
    return max((_last(one) for one in inner), default=int(node.start_mark.line))
