"""Where a copy of the course lives, and what it is called: written into `_config.yml`, from which all else follows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

from jaxcourse.course import UNSET, Course
from jaxcourse_author.lesson import notebooks

_PLACE = re.compile(
    r"(?:https://github\.com/|git@github\.com:)?(?P<owner>[A-Za-z0-9-]+)/(?P<name>[\w.-]+?)(?:\.git)?/?"
)
_SITE = re.compile(r"https?://[^\s/?#]+(?:/[^\s?#]*)?")


def pages_of(owner: str, name: str) -> str:
    """The address at which GitHub Pages publishes a repository.

    Example:
        >>> pages_of("Ada", "course"), pages_of("ada", "Ada.github.io")
        ('https://ada.github.io/course', 'https://ada.github.io')
    """
    root = f"{owner.lower()}.github.io"
    return f"https://{root}" if name.lower() == root else f"https://{root}/{name}"


def owner_and_name(place: str) -> tuple[str, str]:
    """Owner and name of a repository on GitHub, however its address was copied.

    Raises:
        ValueError: it is no such address.

    Example:
        >>> owner_and_name("ada/course"), owner_and_name("https://github.com/ada/course.git")
        (('ada', 'course'), ('ada', 'course'))
        >>> owner_and_name("git@github.com:ada/course.git")
        ('ada', 'course')
    """
    found = _PLACE.fullmatch(place)
    if found is None:
        raise ValueError(f"{place!r} is no repository on GitHub: write OWNER/REPO, as its address has them.")
    return found["owner"], found["name"]


def move(course: Course, place: str, *, title: str = "", branch: str = "", site: str | None = None) -> list[Path]:
    """Write an address into a course's configuration, and renew what contains it.

    Args:
        course: whose.
        place: the repository, such as `ada/course`.
        title: what the course is called from now on (default: as before).
        branch: that Colab opens notebooks from (default: as before).
        site: the address of the site (default: that of GitHub Pages), or "" where none is published.

    Returns:
        The notebooks and other generated files that were written.

    Raises:
        ValueError: an address is none, or the configuration is not laid out as this can edit it.
    """
    owner, name = owner_and_name(place)
    site = pages_of(owner, name) if site is None else site.rstrip("/")
    if site and not _SITE.fullmatch(site):
        raise ValueError(f"{site!r} is no address of a site: write it as https://...")
    values: dict[tuple[str, ...], str] = {("html", "baseurl"): site}
    values["repository", "url"] = f"https://github.com/{owner}/{name}"
    values |= {key: value for key, value in {("title",): title, ("repository", "branch"): branch}.items() if value}
    path = course.root / "_config.yml"
    text = path.read_text(encoding="utf-8")
    for key, value in values.items():
        text = with_value(text, key, value)
    path.write_text(text, encoding="utf-8", newline="\n")
    return notebooks.write(course)


def with_value(config: str, key: tuple[str, ...], value: str) -> str:
    r"""A configuration in which one value is another; every other line stays as people wrote it.

    Args:
        config: YAML.
        key: the name of the value, below that of its section if it has one.
        value: the new one.

    Raises:
        ValueError: the line is not found, or has more than the value.

    Example:
        >>> print(with_value("title: A  # its name\nhtml:\n  baseurl: ''\n", ("html", "baseurl"), "https://x.org"))
        title: A  # its name
        html:
          baseurl: "https://x.org"
        <BLANKLINE>
    """
    found = _line_of(config, key)
    new = config
    if found:
        line = f"{found['name']} {json.dumps(value, ensure_ascii=False)}{found['note'] or ''}"
        new = config[: found.start()] + line + config[found.end() :]
    wanted = yaml.safe_load(config) or {}
    _put(wanted, key, value)
    if yaml.safe_load(new) != wanted:
        raise ValueError(f"_config.yml has no line of its own for {': '.join(key)}: write there {json.dumps(value)}.")
    return new


def _line_of(config: str, key: tuple[str, ...]) -> re.Match[str] | None:
    """The line of a value: the first of its name, below the line of its section if it has one."""
    *section, name = key
    begin = re.search(rf"^{section[0]}:", config, re.MULTILINE) if section else None
    indent = "[ ]+" if section else ""
    line = re.compile(rf"^(?P<name>{indent}{name}:)[^\n#]*?(?P<note>[ ]+#[^\n]*)?$", re.MULTILINE)
    return line.search(config, begin.end() if begin else 0)


def _put(config: dict[str, Any], key: tuple[str, ...], value: str) -> None:
    for section in key[:-1]:
        config = config.setdefault(section, {})
    config[key[-1]] = value


def description(course: Course) -> str:
    """What a course says of itself, in lines for people."""
    if not course.repository:
        return UNSET
    site = course.site or "none: in Colab the package is built from the repository"
    facts = {"title": course.title, "repository": course.repository, "branch": course.branch, "site": site}
    return "\n".join(f"{name:12}{fact}" for name, fact in facts.items())


def foreign(course: Course, own: str) -> str:
    """Why a repository must not publish a course as it is; else nothing.

    Whoever publishes with another's address sends readers to that other's code.

    Args:
        course: as it is to be published.
        own: the repository that publishes it, such as `ada/course`.

    Raises:
        ValueError: that is no repository.
    """
    owner, name = owner_and_name(own)
    mend = f"Run `jaxcourse address {own}`, and commit what it writes."
    if course.repository.lower() != f"https://github.com/{own}".lower():
        return f"{course.repository or 'No address'} is set in _config.yml, and this is {own}. {mend}"
    hosted = re.fullmatch(r"https?://[^/]+\.github\.io(/.*)?", course.site.lower())
    if not course.site or (hosted and course.site.lower() != pages_of(owner, name).lower()):
        return f"{course.site or 'No site'} is set in _config.yml, and this publishes {pages_of(owner, name)}. {mend}"
    return ""
