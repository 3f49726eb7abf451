"""The rule about whole notebooks: each is run under `pytest --nbval`."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat

from jaxcourse.insides import joined, keeping, quick_flags
from jaxcourse_author.lesson import notebooks
from jaxcourse_author.rules._rule import Pair, Refusal, rule
from jaxcourse_author.rules._verdicts import UNFINISHED

PROOF_SECONDS = 10
"""How long a proof may take: each is run in every build, and often on a busy machine."""


@rule(per="lesson", slow=True)
def notebooks_pass_solved_and_fail_blank(pair: Pair) -> Iterator[Refusal]:
    """Under `pytest --nbval` every notebook passes solved; blank, it fails at its checks and nowhere else."""
    if pair.unfinished:
        return  # a rule of its own says so
    # One run proves both: each check is asked twice, after its stub and after its solution. That no other cell needs
    # a solution is a rule of its own, `prose_is_independent`.
    text = notebooks.both(pair.source, pair.course)
    with TemporaryDirectory() as folder:
        path = Path(folder, f"{pair.source.stem}.ipynb")
        path.write_text(text, encoding="utf-8")
        outcomes = run_nbval(path, pair.course.root, level=1 if pair.source.meta.get("compute_bound") else 0)
    before = ""
    for number, cell in enumerate(_code_cells(text)):
        role = cell.metadata.get("jaxcourse", {}).get("role", "")
        yield from _refusals(pair, cell.source, outcomes.get(number, "It was not run."), (before, role))
        before = role


def _refusals(pair: Pair, source: str, fault: str, roles: tuple[str, str]) -> Iterator[Refusal]:
    line = next(iter(source.splitlines()), "")
    if roles == ("stub", "check"):
        if "not attempted" not in fault.lower():
            how = f"fails otherwise: {fault[-300:]}" if fault else "passes without an answer"
            yield Refusal(pair.md, f"the cell {line!r} {how}", UNFINISHED)
    elif fault:
        yield Refusal(pair.md, f"the cell {line!r} fails: {fault[-300:]}", "Mend it, and run it on its own.")


def _code_cells(text: str) -> list[Any]:
    return [cell for cell in nbformat.reads(text, as_version=4).cells if cell.cell_type == "code"]


_STARTUP = "import jaxcourse.insides as _insides; _insides.compile_quickly(); del _insides"
"""What IPython runs before the first cell, in the notebook's names."""


def run_nbval(path: Path, course: Path, level: int = 0) -> dict[int, str]:
    """Run a notebook under `pytest --nbval`, in a process of its own that shares the programs which this one keeps.

    Its races are run, but end after two rounds: nobody reads their times. Its kernel has an IPython
    profile of its own, which makes it compile quickly.

    Args:
        path: the notebook.
        course: the folder of the course whose exercises it checks.
        level: how much XLA does to make its own programs fast. Verdicts compile as they always do.

    Returns:
        For each code cell, counted from 0, why it failed, in nbval's words; an empty text if it passed. A proof that
        takes long has failed.

    Raises:
        RuntimeError: pytest did not get as far as running cells; its output is in the message.
    """
    with TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        startup = Path(scratch) / "profile_default" / "startup" / "quickly.py"
        startup.parent.mkdir(parents=True)
        startup.write_text(_STARTUP, encoding="utf-8")
        options = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=120", "-p", "no:cacheprovider", "-q"]
        options += ["-p", "no:hypothesispytest"]  # importing it takes longer than all else that pytest does
        settings = {"JAXCOURSE_COURSE": str(course), "JAXCOURSE_RACE_SECONDS": "0", "IPYTHONDIR": scratch}
        if level:
            settings["XLA_FLAGS"] = " ".join(joined(quick_flags(level), os.environ.get("XLA_FLAGS", "").split()))
        command = [sys.executable, "-m", "pytest", *options, f"--junit-xml={report}", path.name]
        done = subprocess.run(
            command,
            cwd=path.parent,
            env=os.environ | keeping() | settings,
            capture_output=True,
            text=True,
            check=False,
        )
        cases = list(ElementTree.parse(report).iter("testcase")) if report.exists() else []
    if done.returncode not in (0, 1) or not cases:
        raise RuntimeError(f"pytest --nbval {path} could not run:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    cells = _code_cells(path.read_text(encoding="utf-8"))
    return {i: "\n".join((*_faults(case), *_slow(case, cells[i]))) for i, case in enumerate(cases)}


def _faults(case: ElementTree.Element) -> Iterator[str]:
    """Why a test did not pass; one that was skipped did not pass."""
    for child in case:
        if child.tag in ("failure", "error", "skipped"):
            yield child.text or child.get("message") or child.tag


def _slow(case: ElementTree.Element, cell: Any) -> Iterator[str]:
    """Why a proof that holds did not pass: it took too long."""
    seconds = float(case.get("time", 0))
    if "proof" in cell.metadata.get("tags", ()) and seconds > PROOF_SECONDS:
        yield f"It is a proof, and took {seconds:.0f} seconds, more than {PROOF_SECONDS}."
