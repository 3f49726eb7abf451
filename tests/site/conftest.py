"""The built site, served to a browser. Without a built site, or without a browser, the tests say so and are skipped.

Under CI nothing is skipped: there, what is missing is an error.
"""

import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from browser import CHROMIUM, Browser, Page
from built import HTML, PLACE, WEIGHTS, needs

AXE = HTML.parent / "axe" / "axe_playwright_python" / "axe.min.js"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every-look", action="store_true", help="all of axe's rules in each theme and width, not only what differs"
    )


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """The address of the built site, in a folder as where it is published."""
    needs(HTML.joinpath("index.html").exists(), "there is no site in _build/html: make html")

    class Quiet(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            """The file that an address names."""
            return super().translate_path(path.removeprefix(f"/{PLACE}"))

        def log_message(self, *facts: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(HTML)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{PLACE}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests."""
    needs(CHROMIUM is not None, "there is no Chromium here to open the site in")
    with Browser() as browser:
        yield browser


@pytest.fixture
def page(chromium: Browser, site: str) -> Iterator[Page]:
    """A page of its own, which has nothing in its storage."""
    page = chromium.page()
    page.look()
    yield page
    page.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The script that looks for what shuts readers out."""
    needs(AXE.exists(), "there is no axe here to look for what shuts readers out: make test-site")
    return AXE.read_text(encoding="utf-8")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the heaviest pages."""
    tests = terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", [])
    weights = {dict(test.user_properties).get(WEIGHTS) for test in tests if getattr(test, "when", "") == "call"}
    for weight, name in sorted(filter(None, weights), reverse=True)[:5]:
        terminalreporter.write_line(f"{weight / 1e6:.2f} MB to load {name}")
