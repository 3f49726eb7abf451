"""A real browser, driven through the pipe that Chromium offers for that: it opens pages, and what they do is seen."""

import base64
import contextlib
import fcntl
import itertools
import json
import os
import select
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from play.play_browser import only_fonts_of

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE = 300.0
"""Seconds after which a page that does not do what is waited for has failed: many, since machines are slow at times."""

OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-sync",
    "--force-color-profile=srgb", "--hide-scrollbars", "--mute-audio", "--remote-debugging-pipe",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)  # fmt: skip


BETWEEN_PAGES = ("navigated or closed", "context was destroyed", "Cannot find")
"""What Chromium says of a question that was put to a page while another took its place."""


class Refused(AssertionError):
    """The browser does not do what it is told."""


class Browser:
    """Chromium with a profile of its own, which ends with the `with` block.

    Args:
        fonts: the folder whose fonts alone it has; all of the machine's without one.
    """

    def __init__(self, fonts: Path | None = None) -> None:
        self._fonts = fonts

    def __enter__(self) -> "Browser":
        self._folder = TemporaryDirectory(ignore_cleanup_errors=True)
        commands, replies = os.pipe(), os.pipe()
        # Chromium reads commands from descriptor 3 and writes to 4: ours must be neither.
        theirs = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (commands[0], replies[1])]
        arguments = [str(CHROMIUM), *OPTIONS, f"--user-data-dir={self._folder.name}", "about:blank"]
        silent = os.open(os.devnull, os.O_RDWR)
        fonts = only_fonts_of(self._fonts, Path(self._folder.name)) if self._fonts else {}
        moves = [(os.POSIX_SPAWN_DUP2, theirs[0], 3), (os.POSIX_SPAWN_DUP2, theirs[1], 4)]
        moves += [(os.POSIX_SPAWN_DUP2, silent, 1), (os.POSIX_SPAWN_DUP2, silent, 2)]
        self._process = os.posix_spawn(str(CHROMIUM), arguments, os.environ | fonts, file_actions=moves, setsid=True)
        for end in (*theirs, commands[0], replies[1], silent):
            os.close(end)
        self._to, self._from = commands[1], replies[0]
        self._rest, self._numbers = b"", itertools.count(1)
        self._replies: dict[int, Any] = {}
        self._pages: dict[str, Page] = {}
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(OSError, AssertionError):
            self.command("Browser.close")
        os.close(self._to)
        os.close(self._from)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        self._folder.cleanup()

    def command(self, method: str, session: str = "", **parameters: Any) -> Any:
        """Give a command and wait for its result."""
        number = next(self._numbers)
        text = {"id": number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        data = json.dumps(text).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        self.wait(lambda: number in self._replies, method)
        reply = self._replies.pop(number)
        if "error" in reply:
            raise Refused(f"{method}: {reply['error']}")
        return reply["result"]

    def wait(self, happened: Callable[[], bool], what: str, patience: float = PATIENCE) -> None:
        """Listen until something has happened."""
        until = time.monotonic() + patience
        while not happened():
            self.listen(until - time.monotonic(), what)

    def listen(self, patience: float, what: str) -> None:
        """Take what the browser says next; fail if it says nothing for too long."""
        ready, _, _ = select.select([self._from], [], [], max(patience, 0))
        assert ready, f"waited in vain for: {what}"
        read = os.read(self._from, 1 << 20)
        assert read, f"the browser has ended; waited for: {what}"
        *messages, self._rest = (self._rest + read).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self._replies[message["id"]] = message
            elif page := self._pages.get(message.get("sessionId", "")):
                page.note(message["method"], message["params"])

    def page(self) -> "Page":
        """A new page, with no memory of others."""
        context = self.command("Target.createBrowserContext")["browserContextId"]
        target = self.command("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._pages[session] = page = Page(self, session, context)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.command(f"{domain}.enable")
        return page


@dataclass(repr=False)
class Page:
    """A page and what it has done since it was opened.

    Args:
        browser: Where it is.
        session: Its name there.
        context: The profile that it is alone in.
        complaints: Errors and warnings in its console, and scripts that failed.
        requests: The addresses that it has asked for.
        received: The bytes that came.
    """

    browser: Browser
    session: str
    context: str
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    received: int = 0
    _loaded: bool = False
    _under_way: dict[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<a page that has asked for {len(self.requests)} files>"

    def command(self, method: str, **parameters: Any) -> Any:
        """Give a command about this page and wait for its result."""
        return self.browser.command(method, self.session, **parameters)

    def note(self, event: str, facts: dict[str, Any]) -> None:
        """Take note of something that happened in the page."""
        if event == "Page.loadEventFired":
            self._loaded = True
        elif event == "Page.frameNavigated" and "parentId" not in facts["frame"]:
            # Another page, which is still to be loaded. What the one before has asked for may never be answered.
            self._loaded = False
            now = facts["frame"]["loaderId"]
            self._under_way = {request: loader for request, loader in self._under_way.items() if loader == now}
        elif event == "Runtime.consoleAPICalled" and facts["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(one.get("value", one.get("description"))) for one in facts["args"]))
        elif event == "Runtime.exceptionThrown":
            details = facts["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif event == "Log.entryAdded" and facts["entry"]["level"] in ("error", "warning"):
            self.complaints.append(f"{facts['entry']['text']} {facts['entry'].get('url', '')}")
        elif event == "Network.requestWillBeSent":
            self.requests.append(facts["request"]["url"])
            self._under_way[facts["requestId"]] = facts["loaderId"]
        elif event in ("Network.loadingFinished", "Network.loadingFailed"):
            self.received += int(facts.get("encodedDataLength", 0))
            self._under_way.pop(facts["requestId"], None)

    def look(self, width: int = 1280, height: int = 900, dark: bool = False, media: str = "") -> None:
        """Give the page a size, a preference for light or dark, and perhaps another medium, such as `print`."""
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.command("Emulation.setEmulatedMedia", media=media, features=[scheme, still])

    def open(self, address: str) -> None:
        """Open an address and wait until it is loaded and nothing is under way."""
        self._loaded = False
        self.command("Page.navigate", url=address)
        self.settle(address)

    def settle(self, what: str = "the page") -> None:
        """Wait until the page is loaded and nothing is under way."""
        self.browser.wait(lambda: self._loaded and not self._under_way, f"{what} to be loaded")

    def run(self, script: str) -> Any:
        """The value of an expression in the page; of a promise, what it becomes."""
        result = self.command("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        details = result.get("exceptionDetails", {})
        assert not details, f"{script[:200]}: {details.get('exception', {}).get('description', details)}"
        return result["result"].get("value")

    def until(self, script: str) -> None:
        """Wait until an expression is true in the page, or in the one that it leads to."""
        until = time.monotonic() + PATIENCE
        while not self._holds(script):
            assert time.monotonic() < until, f"waited in vain for: {script}"
            time.sleep(0.05)

    def _holds(self, script: str) -> bool:
        """Whether an expression is true; it is not while one page gives way to another."""
        try:
            return bool(self.run(f"Boolean({script})"))
        except Refused as refused:
            if not any(words in str(refused) for words in BETWEEN_PAGES):
                raise
            return False

    def click(self, selector: str) -> None:
        """Click in the middle of an element that has come to rest, as a hand would: what covers it gets the click."""
        place = self.run(
            f"""(async () => {{
              const element = document.querySelector({json.dumps(selector)});
              element?.scrollIntoView({{block: "center"}});
              for (let before = "", place = null; ; before = String(place)) {{
                const box = element?.getClientRects()[0];
                place = box ? [box.x + box.width / 2, box.y + box.height / 2] : null;
                if (String(place) === before) return place;
                await new Promise((done) => setTimeout(done, 20));
              }}
            }})()"""
        )
        assert place, f"there is no {selector} to be seen on {self.run('location.href')}"
        for kind in ("mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def type(self, text: str) -> None:
        """Type a text where the focus is."""
        self.command("Input.insertText", text=text)

    def press(self, key: str) -> None:
        """Press a key and let it go: Enter, Tab, Escape or a letter."""
        codes = {"Enter": 13, "Tab": 9, "Escape": 27}
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        facts = {"key": key, "code": key, "windowsVirtualKeyCode": codes.get(key, 0)}
        self.command("Input.dispatchKeyEvent", type="keyDown", **facts, **({"text": text} if text else {}))
        self.command("Input.dispatchKeyEvent", type="keyUp", **facts)

    def picture(self, path: Path) -> None:
        """Write what is to be seen into a PNG file."""
        path.write_bytes(base64.b64decode(self.command("Page.captureScreenshot")["data"]))

    def elsewhere(self) -> list[str]:
        """The addresses that the page has asked for on any other host."""
        return [one for one in self.requests if urlsplit(one).hostname not in ("127.0.0.1", None)]

    def close(self) -> None:
        """Close the page and forget its profile."""
        self.browser.command("Target.disposeBrowserContext", browserContextId=self.context)
