"""A real browser that runs a page once and gives back what the page found: nothing but Chromium and a file."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import matplotlib
import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
COUNT = int(os.environ.get("PLAY_INPUTS", "200"))
"""How many random inputs each picture is held to."""

FONTS = {"this machine's fonts": None, "matplotlib's fonts": Path(matplotlib.get_data_path(), "fonts", "ttf")}
"""Two sets of fonts: what a page looks like must rest on none of them. Each is a folder, or all that there is."""

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here to run the pictures in")

REPORT = """
const report = (found) => {
  const place = document.createElement("pre");
  place.id = "report";
  place.textContent = encodeURIComponent(JSON.stringify(found));
  document.body.append(place);
};
"""


def run(
    folder: Path, body: str, query: str = "", attributes: str = "", width: int = 1000, fonts: Path | None = None
) -> Any:
    """What a page hands to `report`, after its timers have run."""
    page = folder / "page.html"
    page.write_text(
        f'<!doctype html><html lang="en" {attributes}><meta charset="utf-8"><body><script>{REPORT}</script>{body}',
        encoding="utf-8",
    )
    command = [
        str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run",
        "--force-color-profile=srgb", f"--user-data-dir={folder / 'profile'}", f"--window-size={width},900",
        "--dump-dom", f"{page.as_uri()}{query}",
    ]  # fmt: skip
    environment = {**os.environ, **(only_fonts_of(fonts, folder) if fonts else {})}
    for seconds in (20, 200):  # on a busy machine, a frame may load later than virtual time has run out
        timed = [*command[:-2], f"--virtual-time-budget={seconds * 1000}", *command[-2:]]
        done = subprocess.run(timed, env=environment, capture_output=True, text=True, timeout=300, check=True)
        _, mark, rest = done.stdout.partition('<pre id="report">')
        if mark:
            break
    assert mark, f"the page reported nothing: {done.stdout[-2000:]} {done.stderr[-2000:]}"
    return json.loads(unquote(rest.partition("<")[0]))


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
