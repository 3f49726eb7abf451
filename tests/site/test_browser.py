"""The browser that looks at the site waits for what it is asked about."""

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from browser import Browser, Refused

PAGES = {
    "/": ['<!doctype html><meta http-equiv="refresh" content="0; url=slow">'],
    "/slow": ["<!doctype html><p>Begin</p>" + 5000 * " ", "<p id=late>End</p>"],
}
"""What is sent, with a pause before each further piece."""


class Slow(BaseHTTPRequestHandler):
    """Sends the pages."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        for i, piece in enumerate(PAGES.get(self.path, [""])):
            time.sleep(1.5 * (i > 0))
            self.wfile.write(piece.encode())

    def log_message(self, *facts: object) -> None:
        """Say nothing."""


@pytest.fixture
def slow() -> Iterator[str]:
    """The address of a slow server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_page_that_another_leads_to_is_waited_for(chromium: Browser, slow: str) -> None:
    page = chromium.page()
    page.open(f"{slow}/")
    page.until('location.pathname === "/slow"')
    page.settle()
    assert page.run('document.querySelector("#late").textContent') == "End"
    page.close()


def test_what_goes_wrong_in_a_page_is_no_reason_to_wait(chromium: Browser, slow: str) -> None:
    page = chromium.page()
    page.open(f"{slow}/nothing")
    with pytest.raises(AssertionError, match="nowhere is not defined"):
        page.until("nowhere")
    with pytest.raises(Refused, match="wasn't found"):
        page.command("Page.noSuchCommand")
    page.close()
