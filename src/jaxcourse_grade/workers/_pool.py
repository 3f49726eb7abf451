"""Who does the work: processes of this machine, or a Dask cluster. A job whose worker died is tried again."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from jaxcourse.runtime import cores
from jaxcourse_grade.workers._worker import Job, follow, work

ATTEMPTS = 3
"""How often a job is tried if it kills its worker."""
ANSWER_SECONDS = 10
"""How long a cluster's scheduler may take to answer."""
_RENEWED_AFTER = 200
"""Jobs after which a local worker is replaced: JAX keeps every program that a judge has compiled."""


class WorkersDied(RuntimeError):
    """One job killed its workers, time after time."""


@dataclass
class Pool:
    """Workers, and how many jobs are under way at once.

    Attributes:
        start: makes an executor; called again when one is broken.
        width: how many jobs to have under way.
        lost: how many workers were replaced by a cluster that sees to that itself.
        release: called at the end.
    """

    start: Callable[[], Executor]
    width: int
    lost: Callable[[], int] = lambda: 0
    release: Callable[[], None] = lambda: None
    _executor: Executor | None = None
    _under_way: dict[Future[dict[str, Any]], tuple[Job, Executor]] = field(default_factory=dict)
    _broken: int = 0
    _attempts: Counter[str] = field(default_factory=Counter)

    @property
    def deaths(self) -> int:
        """How often a worker has died."""
        return self._broken + self.lost()

    def results(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, dict[str, Any] | WorkersDied]]:
        """Have jobs done; give each with its result as soon as it is done, in any order.

        Args:
            jobs: taken one by one, no more of them at a time than are under way.

        Raises:
            Exception: what a worker raised; it is not a submission's fault.
        """
        source = iter(jobs)
        under_way = self._under_way
        suspects: list[Job] = []
        while True:
            for job in islice(source, 0 if suspects else self.width - len(under_way)):
                self._submit(job)
            if suspects and not under_way:  # alone, so that it is known which job kills a worker
                self._submit(suspects.pop())
            if not under_way:
                return
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                job, executor = under_way.pop(future)
                outcome = self._outcome(future, job, executor)
                if outcome is None:
                    suspects.append(job)
                else:
                    yield job, outcome

    def _submit(self, job: Job) -> None:
        executor = self._executor = self._executor or self.start()
        try:
            self._under_way[executor.submit(work, job)] = job, executor
        except BrokenExecutor:
            self._replace(executor)
            self._submit(job)

    def _outcome(self, future: Future[dict[str, Any]], job: Job, executor: Executor) -> Any:
        """The result; nothing if a worker died and the job is to be tried again."""
        try:
            return future.result()
        except (BrokenExecutor, CancelledError) as error:
            self._replace(executor)
            self._attempts[job.submission.source] += 1
            return WorkersDied(str(error)) if self._attempts[job.submission.source] >= ATTEMPTS else None
        except Exception as error:
            if type(error).__name__ != "KilledWorker":  # Dask's: it has tried the job several times itself
                raise
            return WorkersDied(str(error))

    def _replace(self, executor: Executor) -> None:
        """Let a broken executor go. Every job that was with it says so; it dies once."""
        if executor is self._executor:
            self._broken += 1
            self._shut_down()

    def _shut_down(self) -> None:
        if self._executor:
            self._executor.shutdown(wait=True)
            self._executor = None

    def close(self) -> None:
        """End the workers; jobs that have not begun are not done."""
        for future in self._under_way:
            future.cancel()
        self._shut_down()
        self.release()


def local(workers: int) -> Pool:
    """Workers on this machine.

    Args:
        workers: how many; 0 for one on each core.
    """
    count = workers or cores()
    spawn = multiprocessing.get_context("spawn")  # a fork would hand on what the grader has open

    def start() -> Executor:
        return ProcessPoolExecutor(count, spawn, follow, (os.getpid(),), max_tasks_per_child=_RENEWED_AFTER)

    return Pool(start, 2 * count)


def dask(address: str) -> Pool:
    """The workers of a Dask cluster that exists already.

    Args:
        address: of its scheduler, such as `tcp://host:8786`.

    Raises:
        OSError: nobody answers there.
    """
    from distributed import Client

    client = Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
    began = time.time()

    def lost() -> int:
        events = client.get_events("all")
        return sum(
            when >= began and event["action"] == "remove-worker" and not event.get("expected")
            for when, event in events
            if isinstance(event, dict) and "action" in event
        )

    threads = sum(client.nthreads().values()) or 1
    return Pool(lambda: client.get_executor(pure=False), 2 * threads, lost, client.close)
