"""Lessons are executed side by side into Jupyter Book's cache before Sphinx reads them, and only those that must be.

The cache finds a lesson by the code of its cells. Each record also notes what else the outputs depend on: the files of
the package that the code can reach, the requirements, the version of Python. Where that note no longer holds, the
lesson is executed again and its page is written again.

Cells that measure time run alone, so that the numbers on a page are those of a machine that does nothing else.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import platform
import sys
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from myst_nb.core.execute import ExecutionError
from myst_nb.core.read import create_nb_reader
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError
from sphinx.util import logging
from traitlets.config import Config

from jaxcourse.course import data_file
from jaxcourse.course._lessons import TEXTS, check_files
from jaxcourse.reach import VERBS, files_reached, modules_reached
from jaxcourse.runtime import cores
from jaxcourse_author import recorded

if TYPE_CHECKING:
    from nbformat import NotebookNode
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment
    from sphinx.util.typing import ExtensionMetadata

logger = logging.getLogger(__name__)

NOTE = "depends_on"
"""The name of the note in a record's data."""


@dataclass(frozen=True)
class Lesson:
    """A page with cells to execute.

    Args:
        docname: The page.
        path: Its source.
        notebook: Its cells, as MyST-NB reads them.
        timeout: Seconds that a cell may take.
        depends_on: A digest of what its outputs depend on, beside its own code.
    """

    docname: str
    path: Path
    notebook: NotebookNode
    timeout: int
    depends_on: str


# -- what must be executed --------------------------------------------------------------------------------------


def lessons(app: Sphinx, docnames: set[str]) -> Iterator[Lesson]:
    """The pages with cells among some pages, each as Sphinx will read it."""
    env, config = app.env, app.env.mystnb_config
    for docname in sorted(docnames):
        path = Path(env.doc2path(docname))
        source = [path.read_text(encoding="utf-8")]
        reader = create_nb_reader(str(path), env.myst_config, config, source[0])
        if reader is not None:
            env.prepare_settings(docname)
            app.emit("source-read", docname, source)
            notebook = reader.read(source[0])
            timeout = notebook.metadata.get(config.metadata_key, {}).get("execution_timeout", config.execution_timeout)
            needs = depends_on(Path(app.srcdir), path, executed_code(notebook), notebook.metadata.get("files") or ())
            yield Lesson(docname, path, notebook, timeout, needs)
    env.temp_data.clear()


def executed_code(notebook: NotebookNode) -> str:
    """The code of a notebook that is executed."""
    cells = (cell for cell in notebook.cells if cell.cell_type == "code")
    return "\n\n".join(cell.source for cell in cells if "skip-execution" not in cell.metadata.get("tags", ()))


def depends_on(root: Path, lesson: Path, code: str, reads: Iterable[str] = ()) -> str:
    """A digest of what the outputs of a lesson depend on, beside its own code.

    Args:
        root: The folder of the course.
        lesson: The lesson's source.
        code: What it executes.
        reads: The names of the files that its front matter says it reads.
    """
    files = {root / "requirements.txt", *files_reached(code), *(data_file(root, name) for name in reads)}
    if VERBS in modules_reached(code):
        checks = check_files(root, lesson.stem)
        reached = [files_reached(path.read_text(encoding="utf-8")) for path in checks]
        files |= {
            *checks,
            *(path for path in [root / TEXTS] if path.exists()),
            *(file for one in reached for file in one),
        }
    digest = hashlib.sha256(platform.python_version().encode())
    for name in sorted(name for name in os.environ if name.startswith(("JAX_", "XLA_"))):
        digest.update(f"{name}={os.environ[name]}\n".encode())
    for path in sorted(files):
        digest.update(f"{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def is_current(cache: Any, lesson: Lesson) -> bool:
    """Whether the cache has the outputs of a lesson as it is, made with everything else as it is."""
    try:
        record = cache.match_cache_notebook(lesson.notebook)
    except KeyError:
        return False
    return bool((record.data or {}).get(NOTE) == lesson.depends_on)


# -- side by side -----------------------------------------------------------------------------------------------


def measuring(notebook: NotebookNode) -> set[int]:
    """The indices of the cells that measure time, themselves or by a function that another cell defines."""
    return recorded.measuring_cells(
        {i: cell.source for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"}
    )[0]


class Turns:
    """Who may compute: as many as there are places, or one alone.

    Whoever wants to be alone waits until a place would stay empty anyway. From then on nobody else begins until all
    who wait to be alone have been.
    """

    def __init__(self, places: int) -> None:
        self._places, self._free = places, places
        self._alone = self._others = 0
        self._clearing = False
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def turn(self, alone: bool = False) -> AsyncIterator[None]:
        """Wait for a turn, and have it during a `with` block."""
        taken = self._places if alone else 1
        async with self._changed:
            self._count(alone, 1)
            try:
                await self._changed.wait_for(lambda: self._free >= taken and self._clearing <= alone)
                self._free -= taken
            finally:
                self._count(alone, -1)
        try:
            yield
        finally:
            async with self._changed:
                self._free += taken
                self._decide()

    def _count(self, alone: bool, change: int) -> None:
        self._alone += change * alone
        self._others += change * (not alone)
        self._decide()

    def _decide(self) -> None:
        idle = self._free > 0 and not self._others
        self._clearing = self._alone > 0 and (self._clearing or idle)
        self._changed.notify_all()


class Client(NotebookClient):  # type: ignore[misc]
    """Executes a notebook, each cell when it is its turn."""

    def __init__(self, lesson: Lesson, turns: Turns, folder: Path) -> None:
        # Sockets that are files: nobody else on this machine can listen, and no kernel warns of that in the log.
        files = {"transport": "ipc", "connection_file": str(folder / f"{id(lesson):x}.json")}
        config = Config({} if sys.platform == "win32" else {"KernelManager": files})
        place = {"metadata": {"path": str(lesson.path.parent)}}
        # An output that a busy machine delivers late is waited for, and one that never comes is an error: by default
        # it is missing from the page. Times in the cells' metadata would make them other cells to the cache.
        kept = {"iopub_timeout": 60, "raise_on_iopub_timeout": True, "record_timing": False}
        super().__init__(lesson.notebook, config=config, timeout=lesson.timeout, resources=place, **kept)
        self._turns, self._alone = turns, measuring(lesson.notebook)
        # Not the settings of whoever builds, nor that person's progress.
        self._environment = {**os.environ, "IPYTHONDIR": str(folder), "JAXCOURSE_PROGRESS": "no"}

    async def async_start_new_kernel(self, **options: Any) -> None:
        """Start a kernel and wait until it answers: it computes meanwhile."""
        async with self._turns.turn():
            await super().async_start_new_kernel(env=self._environment, **options)
            await self.async_start_new_kernel_client()

    async def async_execute_cell(self, cell: NotebookNode, cell_index: int, **options: Any) -> NotebookNode:
        """Execute a cell when it is its turn."""
        if cell.cell_type != "code" or self.skip_cells_with_tag in cell.metadata.get("tags", []):
            return cell
        async with self._turns.turn(alone=cell_index in self._alone):
            self.at = cell_index
            return await super().async_execute_cell(cell, cell_index, **options)


async def execute(todo: list[Lesson], places: int, keep: Any) -> None:
    """Execute lessons side by side, twice as many as there are places: a place is used while others wait to be alone.

    Args:
        todo: The lessons.
        places: How many of them may compute at a time.
        keep: A function of a lesson and its seconds, called after each.

    Raises:
        ExecutionError: a cell failed. The message names it, and the others are stopped.
    """
    turns, started = Turns(places), asyncio.Semaphore(2 * places if places > 1 else 1)

    async def one(lesson: Lesson, folder: Path) -> None:
        async with started:
            begin = time.perf_counter()
            client = Client(lesson, turns, folder)
            try:
                await client.async_execute()
            except (CellControlSignal, DeadKernelError) as error:
                raise failed(lesson, client.at, error) from error
            keep(lesson, time.perf_counter() - begin)

    with TemporaryDirectory() as folder:
        tasks = [asyncio.create_task(one(lesson, Path(folder))) for lesson in todo]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def failed(lesson: Lesson, cell: int, error: Exception) -> ExecutionError:
    """Say which cell of which lesson failed, and how."""
    line = lesson.notebook.metadata.get("source_map", {cell: 0})[cell] + 1
    what = f"Executing notebook failed: {type(error).__name__}\n{lesson.path}, the cell at line {line}:\n{error}"
    logger.warning(what, location=(lesson.docname, line), type="mystnb", subtype="exec")
    return ExecutionError(str(lesson.path))


# -- Sphinx -----------------------------------------------------------------------------------------------------


def before_reading(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Execute what must be executed, and let Sphinx read those pages again."""
    config = getattr(env, "mystnb_config", None)
    if config is None or config.execution_mode != "cache":
        return
    cache = get_cache(config.execution_cache_path or ".jupyter_cache")
    todo = [lesson for lesson in lessons(app, env.found_docs) if not is_current(cache, lesson)]
    if not todo:
        return
    places = int(os.environ.get("AT_ONCE") or cores())
    names = ", ".join(lesson.path.stem for lesson in todo)
    logger.info(f"executing {len(todo)} of the lessons, {places} at once: {names}")
    begin = time.perf_counter()

    def keep(lesson: Lesson, seconds: float) -> None:
        """Put a lesson into the cache. Only this process writes there."""
        data = {"execution_seconds": seconds, NOTE: lesson.depends_on}
        bundle = CacheBundleIn(lesson.notebook, str(lesson.path), data=data)
        cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
        logger.info(f"executed {lesson.path.stem} in {seconds:.0f} s")

    asyncio.run(execute(todo, places, keep))
    logger.info(f"executed {len(todo)} of the lessons in {time.perf_counter() - begin:.0f} s")
    docnames += [lesson.docname for lesson in todo if lesson.docname not in docnames]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Execute lessons before any page is read."""
    # Programs compiled by an earlier run would make lessons about compiling tell something else.
    os.environ.pop("JAX_COMPILATION_CACHE_DIR", None)
    app.connect("env-before-read-docs", before_reading)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
