"""A real browser that runs a page once and gives back what the page found: nothing but Chromium and a file."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
COUNT = int(os.environ.get("PLAY_INPUTS", "200"))
"""How many random inputs each picture is held to."""

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here to run the pictures in")

REPORT = """
const report = (found) => {
  const place = document.createElement("pre");
  place.id = "report";
  place.textContent = encodeURIComponent(JSON.stringify(found));
  document.body.append(place);
};
"""


def run(folder: Path, body: str, query: str = "", attributes: str = "", width: int = 1000) -> Any:
    """What a page hands to `report`, after its timers have run."""
    page = folder / "page.html"
    page.write_text(
        f'<!doctype html><html lang="en" {attributes}><meta charset="utf-8"><body><script>{REPORT}</script>{body}',
        encoding="utf-8",
    )
    command = [
        str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run",
        "--force-color-profile=srgb", f"--user-data-dir={folder / 'profile'}", f"--window-size={width},900",
        "--virtual-time-budget=20000", "--dump-dom", f"{page.as_uri()}{query}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    _, mark, rest = done.stdout.partition('<pre id="report">')
    assert mark, f"the page reported nothing: {done.stdout[-2000:]} {done.stderr[-2000:]}"
    return json.loads(unquote(rest.partition("<")[0]))


def in_page(data: Any) -> str:
    """Data as a script can read it inside a page."""
    return json.dumps(data).replace("<", "\\u003c")


def differing(pairs: Iterable[tuple[Any, Any, Any]]) -> str:
    """The first few cases whose two results differ, for people."""
    wrong = [f"{case}\n  here:    {want}\n  browser: {got}" for case, want, got in pairs if want != got]
    return f"{len(wrong)} differ\n" + "\n".join(wrong[:8]) if wrong else ""
