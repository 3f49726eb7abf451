"""The built site, served to a browser. Without a built site, or without a browser, the tests say so and are skipped.

Under CI nothing is skipped: there, what is missing is an error.
"""

import functools
import os
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from built import HTML, PLACE, WEIGHTS
from play.play_browser import BROWSER, PATIENCE, launch
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

COMPLAINTS = {"error", "assert"} | ({"warning"} if BROWSER == "chromium" else set())
"""What a console says that is a fault of ours. Only Chromium warns of nothing that a page may do."""

NO_OTHER_HOST = {"server": "http://127.0.0.1:9", "bypass": "127.0.0.1"}
"""The way to all hosts but this machine leads nowhere."""

DESK = {"width": 1280, "height": 900}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every-look", action="store_true", help="all of axe's rules in each theme, width and state, in all fonts"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "every_look: asked with --every-look alone")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("every_look"):
        left = [item for item in items if item.get_closest_marker("every_look")]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


def lacking(what: str) -> None:
    """Skip a test that lacks something; under CI, fail it."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(what)


@pytest.fixture(scope="package")
def site() -> Iterator[str]:
    """The address of the built site, in a folder as where it is published."""
    if not HTML.joinpath("index.html").exists():
        lacking("there is no site in _build/html: make html")

    class Quiet(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            """The file that an address names."""
            return super().translate_path(path.removeprefix(f"/{PLACE}"))

        def log_message(self, *facts: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(HTML)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{PLACE}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """What drives browsers. It ends with this folder's tests: until then, no other can use asyncio."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="package")
def browser(
    playwright: Playwright, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    """One browser for all tests; for some, one with each of the sets of fonts."""
    fonts: Path | None = getattr(request, "param", None)
    with launch(playwright, fonts, tmp_path_factory.mktemp("fonts"), lacking) as browser:
        yield browser


@pytest.fixture
def page(browser: Browser, site: str) -> Iterator[Page]:
    """A page on a desk, with nothing in its storage. Its addresses begin at the site."""
    with browser.new_context(base_url=site, viewport=DESK, reduced_motion="reduce", proxy=NO_OTHER_HOST) as context:
        context.set_default_timeout(PATIENCE)
        yield context.new_page()


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """Errors and warnings in the page's console, and scripts that failed."""
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on(
        "console", lambda one: found.append(f"{one.text} {one.location['url']}") if one.type in COMPLAINTS else None
    )
    return found


@pytest.fixture
def elsewhere(page: Page) -> list[str]:
    """The addresses that the page has asked for on any other host."""
    found: list[str] = []
    page.on(
        "request",
        lambda one: found.append(one.url) if urlsplit(one.url).hostname not in ("127.0.0.1", None) else None,
    )
    return found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the heaviest pages."""
    tests = terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", [])
    weights = {dict(test.user_properties).get(WEIGHTS) for test in tests if getattr(test, "when", "") == "call"}
    for weight, name in sorted(filter(None, weights), reverse=True)[:5]:
        terminalreporter.write_line(f"{weight / 1e6:.2f} MB to load {name}")
