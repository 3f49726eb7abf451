"""The pages of the built site as files: their links and anchors."""

import functools
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from jaxcourse.course import Course

HTML = Path(__file__).parents[2] / "_build" / "html"
NAMES = sorted(
    str(path.relative_to(HTML))
    for path in HTML.rglob("*.html")
    if path.relative_to(HTML).parts[0] not in ("_static", "wheel")
)
"""The pages, by their paths."""
SEEN = [name for name in NAMES if 'http-equiv="refresh"' not in (HTML / name).read_text(encoding="utf-8")[:1000]]
"""Those that do not only lead to another."""

COURSE = Course(HTML.parents[1])
PLACE = urlsplit(COURSE.site).path.strip("/") or "course"
"""The folder in which the site is published: links that begin with a slash begin there."""

WEIGHTS = "bytes to load the page"
"""The name under which a test hands them on."""

LEADS_ELSEWHERE = ("http", "https", "mailto", "data", "javascript")


@dataclass
class Parsed(HTMLParser):
    """What a page contains.

    Args:
        ids: How often each id occurs.
        links: Where it leads, and what it loads.
    """

    ids: Counter[str] = field(default_factory=Counter)
    links: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of an element."""
        facts = dict(attrs)
        if facts.get("id"):
            self.ids[str(facts["id"])] += 1
        if tag == "a" and facts.get("name"):
            self.ids[str(facts["name"])] += facts.get("name") != facts.get("id")
        self.links |= {str(facts[name]) for name in ("href", "src") if facts.get(name)}

    handle_startendtag = handle_starttag


@functools.cache
def parsed(path: Path) -> Parsed:
    """What a page contains."""
    parser = Parsed()
    parser.feed(path.read_text(encoding="utf-8"))
    return parser


def dead_links(name: str) -> list[str]:
    """The links of a page that lead nowhere within the site."""
    return [link for link in sorted(parsed(HTML / name).links) if not _leads_somewhere(HTML / name, link)]


def _leads_somewhere(page: Path, link: str) -> bool:
    parts = urlsplit(link)
    if parts.scheme in LEADS_ELSEWHERE or parts.netloc:
        return True
    path = unquote(parts.path)
    if path.startswith(f"/{PLACE}/"):
        target = HTML / path.removeprefix(f"/{PLACE}/")
    else:
        target = page.parent / path if path else page
    target = target / "index.html" if target.is_dir() else target
    if not target.is_file():
        return False
    anchor = unquote(parts.fragment)
    return not anchor or anchor == "top" or target.suffix != ".html" or anchor in parsed(target).ids
