"""A real browser that runs a page and gives back what the page found. Where it is not installed, tests are skipped."""

import json
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import matplotlib
import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

BROWSER = os.environ.get("COURSE_BROWSER", "chromium")
"""Which one: `chromium`, `firefox` or `webkit`."""
OF_THE_SYSTEM = {"chromium": ("chromium", "chromium-browser", "google-chrome")}
"""The commands that start one which Playwright has not brought; its Firefox and WebKit are builds of its own."""
COUNT = int(os.environ.get("PLAY_INPUTS", "200"))
"""How many random inputs each picture is held to."""

FONTS = {"this machine's fonts": None, "matplotlib's fonts": Path(matplotlib.get_data_path(), "fonts", "ttf")}
"""Two sets of fonts: what a page looks like must rest on none of them. Each is a folder, or all that there is."""

PATIENCE = 120_000
"""Milliseconds after which what is waited for has failed to come: many, since machines are slow at times."""


def launch(
    playwright: Playwright,
    fonts: Path | None = None,
    folder: Path | None = None,
    lacking: Callable[[str], None] = pytest.skip,
) -> Browser:
    """Start the browser.

    Args:
        playwright: What drives it.
        fonts: The folder whose fonts alone it has; all of the machine's without one.
        folder: Where to write what says so.
        lacking: What is done where there is none.
    """
    kind = getattr(playwright, BROWSER)
    command = next(filter(None, map(shutil.which, OF_THE_SYSTEM.get(BROWSER, ()))), None)
    if not command and not Path(kind.executable_path).exists():
        lacking(f"there is no {BROWSER} here to open pages in: playwright install {BROWSER}")
    only = only_fonts_of(fonts, folder) if fonts and folder else {}
    browser: Browser = kind.launch(executable_path=command, env={**os.environ, **only})
    return browser


def run(
    folder: Path, body: str, query: str = "", attributes: str = "", width: int = 1000, fonts: Path | None = None
) -> Any:
    """What a page hands to `report`. Its timers run at once."""
    page = folder / "page.html"
    page.write_text(
        f'<!doctype html><html lang="en" {attributes}><meta charset="utf-8"><body>'
        f"<script>const report = (found) => (window.reported = JSON.stringify(found));</script>{body}",
        encoding="utf-8",
    )
    with sync_playwright() as playwright, launch(playwright, fonts, folder) as browser:
        tab = browser.new_page(viewport={"width": width, "height": 900})
        tab.set_default_timeout(PATIENCE)
        tab.clock.install()
        tab.goto(f"{page.as_uri()}{query}")
        tab.clock.run_for(20_000)
        return json.loads(tab.wait_for_function("window.reported").json_value())


def only_fonts_of(fonts: Path, folder: Path) -> dict[str, str]:
    """What tells a browser that a machine has the fonts of one folder and no others.

    Args:
        fonts: The folder with the fonts.
        folder: Where the configuration that says so is written.
    """
    config = folder / "fonts.conf"
    config.write_text(
        f"<?xml version='1.0'?><!DOCTYPE fontconfig SYSTEM 'urn:fontconfig:fonts.dtd'><fontconfig><dir>{fonts}</dir>"
        f"<cachedir>{folder / 'fonts'}</cachedir></fontconfig>",
        encoding="utf-8",
    )
    return {"FONTCONFIG_FILE": str(config)}


def in_page(data: Any) -> str:
    """Data as a script can read it inside a page."""
    return json.dumps(data).replace("<", "\\u003c")


def differing(pairs: Iterable[tuple[Any, Any, Any]]) -> str:
    """The first few cases whose two results differ, for people."""
    wrong = [f"{case}\n  here:    {want}\n  browser: {got}" for case, want, got in pairs if want != got]
    return f"{len(wrong)} differ\n" + "\n".join(wrong[:8]) if wrong else ""
