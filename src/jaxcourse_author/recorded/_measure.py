"""One piece in a process of its own: `python -m jaxcourse_author.recorded PIECE`, which prints a line a measurement.

So each begins with a device that nobody has used, one that dies takes nothing along, and the process that keeps the
record holds no memory of the device.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import io
import json
import os
import platform
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from jaxcourse.runtime import cores
from jaxcourse_author.recorded._record import Machine, Measurement, Output, taken_as_data

MACHINE, KERNELS, HEADLINES = "machine", "kernels", "headlines"
"""What can be asked for beside lessons: what the machine is, and two pieces."""
LIBRARIES = ("jax", "jaxlib", "numpy", "flax", "numba", "optax", "pandas", "polars")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what the command line asks for, and print what was found as lines of JSON."""
    parser = argparse.ArgumentParser(prog="python -m jaxcourse_author.recorded", description=main.__doc__)
    parser.add_argument("piece")
    parser.add_argument("--root", type=Path, default=Path(), help="the course's folder")
    parser.add_argument("--device", default="", help="what JAX calls the device that is recorded")
    parser.add_argument("--keys", nargs="*", default=[], help="what of the piece is missing")
    options = parser.parse_args(arguments)
    lines = _apart()
    for found in _lines_of(options):
        print(json.dumps(found), file=lines, flush=True)
    return 0


def _apart() -> TextIO:
    """Where the lines go: what libraries print goes to stderr, and the end of whoever asked is the end of this."""
    lines, asked = os.fdopen(os.dup(1), "w", encoding="utf-8"), os.dup(0)
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)

    def follow() -> None:
        os.read(asked, 1)  # nothing is ever written there: it returns when the other end is gone
        os._exit(3)

    threading.Thread(target=follow, daemon=True).start()
    return lines


def _lines_of(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    if options.piece == MACHINE:
        here, versions = machine()
        yield {"machine": asdict(here), "versions": versions}
        return
    for key, taken in _measurements(options):
        yield {"key": key, "taken": taken_as_data(taken)}


def _measurements(options: argparse.Namespace) -> Iterator[tuple[str, Measurement]]:
    if options.piece in (KERNELS, HEADLINES):
        measure = _kernel if options.piece == KERNELS else _headline
        for key in options.keys:
            yield key, measure(key)
        return
    from jaxcourse_author.recorded import _lesson

    yield from _lesson.run_lesson(options.root / "notebooks" / f"{options.piece}.md", options.device)


def _kernel(name: str) -> Measurement:
    import jax

    from jaxcourse_author.recorded import _kernels

    try:
        outputs = tuple(_kernels.outputs_of(name, small=jax.default_backend() == "cpu"))
    except Exception as error:  # whatever a device refuses is what is recorded of it
        return Measurement(why=" ".join(f"{type(error).__name__}: {error}".split())[:160])
    return Measurement(outputs)


def _headline(name: str) -> Measurement:
    from jaxcourse_author import headlines

    with contextlib.redirect_stderr(io.StringIO()):
        results = headlines.run([headlines.HEADLINES[name]])
    if results.failed:
        return Measurement(why=" ".join(results.failed[0].split())[:160])
    return Measurement((Output("html", results._repr_html_()),))


def machine() -> tuple[Machine, dict[str, str]]:
    """What this machine is, and the versions of what it runs."""
    import jax

    found = jax.local_devices()
    here = Machine(
        device=found[0].device_kind,
        platform=found[0].platform,
        devices=len(found),
        host=_processor(Path("/proc/cpuinfo")),
        cores=cores(),
        system=f"{platform.system()} {platform.machine()}",
    )
    versions = {"Python": platform.python_version()}
    for name in LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return here, versions


def _processor(listed: Path) -> str:
    """The processor's name, where the system tells; else its kind."""
    with contextlib.suppress(OSError):
        for line in listed.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    return platform.processor() or platform.machine()
