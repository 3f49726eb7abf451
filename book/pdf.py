"""The course as one PDF for print: `python book/pdf.py _build/html _build`, which needs Chromium.

The pages of the built site follow each other in the order of the contents, and the solutions stand at the end.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path, PurePosixPath
from urllib.parse import urldefrag

from bs4 import BeautifulSoup, Tag

from jaxcourse.course import Course
from jaxcourse_author.teach import PAGE

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
STYLES = """
@page { margin: 18mm 16mm; size: A4; }
body { background: none; padding: 0; }
article.bd-article { break-before: page; font-size: 10pt; max-width: none; padding: 0; }
article.bd-article:first-of-type { break-before: auto; }
.headerlink, .onlyprint, button, script { display: none !important; }
"""


def on_one_page(name: str, page: str, names: list[str]) -> tuple[Tag, list[Tag]]:
    """The article of a page with ids and links that hold beside other articles, and the solutions taken out of it.

    Args:
        name: of the page, such as `notebooks/10_memory_layout`.
        page: its HTML.
        names: of all pages.
    """
    article = BeautifulSoup(page, "html.parser").select_one("article.bd-article")
    if article is None:
        raise ValueError(f"{name} has no article: is it a page of the course?")
    for tag in article.find_all(True):
        for attribute in ("id", "for", "aria-labelledby", "aria-describedby", "clip-path"):
            if attribute in tag.attrs:
                tag[attribute] = _own(name, attribute, str(tag[attribute]))
        for attribute in ("href", "xlink:href", "src"):
            if attribute in tag.attrs:
                tag[attribute] = _target(name, str(tag[attribute]), names)
    article["id"] = _id(name, "")
    solutions = [solution.extract() for solution in article.select("div.solution")]
    return article, solutions


def _id(page: str, name: str) -> str:
    return f"{page.replace('/', '-')}--{name}"


def _own(page: str, attribute: str, value: str) -> str:
    if attribute == "clip-path":
        return re.sub(r"#([^)]+)", lambda found: "#" + _id(page, found[1]), value)
    return " ".join(_id(page, name) for name in value.split())


def _target(page: str, link: str, names: list[str]) -> str:
    """A link of a page as it holds on the one page, in a folder beside that of the site."""
    if re.match(r"[a-z]+:|//", link):
        return link
    path, fragment = urldefrag(link)
    if not path:
        return "#" + _id(page, fragment)
    parts: list[str] = []
    for part in (PurePosixPath(page).parent / path).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    place = "/".join(parts)
    target = place.removesuffix(".html")
    return "#" + _id(target, fragment) if target in names else place


def whole(site: Path, names: list[str]) -> str:
    """All pages as one, for the printer."""
    first = (site / f"{names[0]}.html").read_text(encoding="utf-8")
    head = BeautifulSoup(first, "html.parser").select("link[rel=stylesheet]")
    sheets = "".join(f'<link rel="stylesheet" href="{_target(names[0], str(link["href"]), [])}">' for link in head)
    articles, solved = [], []
    styles: dict[str, None] = {}
    for name in names:
        page = (site / f"{name}.html").read_text(encoding="utf-8")
        styles |= dict.fromkeys(re.findall(r"<style>.*?</style>", page.partition("</head>")[0], re.DOTALL))
        article, solutions = on_one_page(name, page, names)
        articles.append(str(article))
        if solutions:
            title = article.select_one("h1")
            heading = re.sub(r"#$", "", title.get_text()) if title else name
            solved.append(f"<h2>{heading}</h2>" + "".join(map(str, solutions)))
    back = f'<article class="bd-article"><h1>Solutions</h1>{"".join(solved)}</article>' if solved else ""
    title = re.sub(r" [—-].*", "", str(BeautifulSoup(first, "html.parser").title.get_text()))  # type: ignore[union-attr]
    return (
        f'<!doctype html><html lang="en" data-theme="light" data-mode="light"><head><meta charset="utf-8">'
        f"<title>{title}</title>{sheets}{''.join(styles)}<style>{STYLES}</style></head>"
        f"<body>{''.join(articles)}{back}</body></html>"
    )


def main(site: Path, folder: Path) -> str:
    """Print the course into a file that is named after it, and say which.

    Returns:
        What went wrong, or nothing.
    """
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        return f"To print the course, install Chromium: none of {', '.join(BROWSERS)} is found."
    root = Path(__file__).parents[1]
    names = [name for name in Course(root).pages if name != PAGE]  # it holds answers, and is for who teaches
    if missing := [name for name in names if not (site / f"{name}.html").exists()]:
        return f"Build the site first, with `make html`: {site / missing[0]}.html is not there."
    page, out = site / "print.html", folder / f"{Course(root).file_name}.pdf"
    page.write_text(whole(site, names), encoding="utf-8")
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run"]
        command += [f"--user-data-dir={profile}", "--no-pdf-header-footer", "--generate-pdf-document-outline"]
        command += [f"--print-to-pdf={out.resolve()}", page.resolve().as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    page.unlink()
    if done.returncode or not out.exists():
        return f"Chromium did not print:\n{done.stderr}"
    print(out)
    return ""


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
