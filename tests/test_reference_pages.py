"""Pages of the book that have cells: they run here, on whatever versions these are, and say nothing to stderr.

The site executes them too, but only on the stack that builds it.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from jaxcourse_author.lesson import page_at

BOOK = Path(__file__).parents[1] / "book"


def cells(page: Path) -> list[str]:
    return [cell.body for cell in page_at(page).directives("code-cell")]


PAGES = [page for page in sorted(BOOK.glob("*.md")) if cells(page)]


def test_there_are_pages_with_cells() -> None:
    assert {"reading_old_code", "versions"} <= {page.stem for page in PAGES}
    assert all(len(cells(page)) == page.read_text(encoding="utf-8").count("```{code-cell}") for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_cells_of_a_page_run_here(page: Path) -> None:
    code = "\n".join(cells(page))
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
