"""A lesson's cells, run one after the other in this process, and what those that measure show."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jaxcourse_author.recorded._cells import code_cells, measured_cells
from jaxcourse_author.recorded._html import html_problem
from jaxcourse_author.recorded._record import MOST_OUTPUT, Measurement, Output

SIMULATED = "it computes on simulated devices of the CPU, whatever the machine has"
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Outputs(io.StringIO):
    """What a cell prints and displays, in its order."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Output] = []

    def write(self, text: str) -> int:
        """Take what is printed: pieces that follow each other are one output."""
        before = self.found.pop().content if self.found and self.found[-1].kind == "text" else ""
        self.found.append(Output("text", before + _ESCAPES.sub("", text)))
        return len(text)

    def display(self, data: Mapping[str, Any]) -> None:
        """Take what is displayed: as HTML where a page may show that of a record, else as text."""
        html = data.get("text/html", "")
        if html and len(html) <= MOST_OUTPUT and not html_problem(html):
            self.found.append(Output("html", html))
        elif plain := data.get("text/plain", ""):
            self.write(f"{plain}\n")

    def take(self) -> tuple[Output, ...]:
        """All of it, cut where it is too long; what comes next begins anew."""
        taken = tuple(Output(one.kind, one.content[:MOST_OUTPUT]) for one in self.found if one.content)
        self.found = []
        return taken


def shell_showing(outputs: Outputs) -> Any:
    """A shell of IPython that hands over what cells show, and keeps tracebacks to itself."""
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell

    class Hook(DisplayHook):
        def write_output_prompt(self) -> None:
            pass

        def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
            outputs.display(format_dict)

        def finish_displayhook(self) -> None:
            self._is_active = False

    class Publisher(DisplayPublisher):
        def publish(self, data: Any, *rest: Any, **more: Any) -> None:
            outputs.display(data)

    class Shell(InteractiveShell):
        def showtraceback(self, *rest: Any, **more: Any) -> None:
            pass

        def showsyntaxerror(self, *rest: Any, **more: Any) -> None:
            pass

    Shell.displayhook_class.default_value = Hook
    Shell.display_pub_class.default_value = Publisher
    return Shell.instance()


def run_lesson(path: Path, device: str) -> Iterator[tuple[str, Measurement]]:
    """Run a lesson, and hand over what became of each cell that measures, as soon as it is known.

    A cell that fails stops nothing: others may do without it.

    Args:
        path: the lesson's source.
        device: what JAX calls the device that is recorded.

    Yields:
        What a cell is known by, and what became of it.
    """
    cells = code_cells(path)
    due = {place: key for key, place in measured_cells(cells).items()}
    outputs = Outputs()
    with TemporaryDirectory() as folder, contextlib.redirect_stdout(outputs):
        os.environ |= {"IPYTHONDIR": folder, "JAXCOURSE_PROGRESS": "no", "MPLBACKEND": "agg"}
        shell = shell_showing(outputs)
        for place, cell in enumerate(cells[: max(due, default=-1) + 1]):
            if not cell.runs:
                continue
            error = shell.run_cell(cell.code).error_in_exec
            shown = outputs.take()
            if place in due and (simulated := _computes_elsewhere(device)):
                yield from ((key, Measurement(why=simulated)) for one, key in due.items() if one >= place)
                return
            if place in due:
                yield due[place], _became(error, shown)


def _became(error: BaseException | None, shown: tuple[Output, ...]) -> Measurement:
    if error is None:
        return Measurement(shown)
    words = " ".join(str(error).split())
    return Measurement(why=_ESCAPES.sub("", f"{type(error).__name__}: {words}")[:160])


def _computes_elsewhere(device: str) -> str:
    import jax

    return "" if jax.local_devices()[0].device_kind == device else SIMULATED
