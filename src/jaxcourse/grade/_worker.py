"""What a worker does: take a job, grade it, give its result back. The same on this machine and on a cluster."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass
from multiprocessing.util import Finalize
from typing import Any

from jaxcourse.grade._records import Result, Submission

_ALONE = threading.Lock()
"""A judge grades one submission at a time; a cluster's worker may have several threads."""
_judges: dict[Any, Any] = {}


@dataclass(frozen=True)
class Job:
    """One submission to be graded, and on which terms; it can be sent to another machine.

    Attributes:
        submission: with its cells.
        class_seed: what the inputs follow from.
        course: the fingerprint of the course that the marks must be those of.
        protections: the names of those to be put up.
        limits: see `_sandbox.Limits`.
    """

    submission: Submission
    class_seed: int
    course: str
    protections: tuple[str, ...]
    limits: Any


class OtherCourse(ValueError):
    """A worker has other checks than the grader: its grades would not be the same."""


def work(job: Job) -> dict[str, Any]:
    """Grade one submission.

    Returns:
        The result as plain data.

    Raises:
        OtherCourse: this worker has another version of the course.
        CannotStart: it cannot put up the protections.
    """
    with _ALONE:
        result: Result = _judge(job).grade(job.submission, job.class_seed)
        return result.to_json()


def _judge(job: Job) -> Any:
    """This process's judge: it is made once, because it has a warm parent and has read the lessons."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    from jaxcourse.grade import _judge as module
    from jaxcourse.grade._process import Terms

    if module.course_digest() != job.course:
        raise OtherCourse(
            "a worker has another version of the course than the grader: install the same on all machines, and do not "
            "edit the course while a class is graded."
        )
    key = (job.protections, job.limits)
    if key not in _judges:
        judge = _judges[key] = module.Judge(Terms(job.limits, job.protections, str(module.cache_folder())))
        Finalize(judge, judge.close, exitpriority=1)  # a worker of multiprocessing runs no `atexit`
    return _judges[key]


def follow(leader: int) -> None:
    """End this process soon after another one has ended: a killed grader must leave no worker behind.

    Args:
        leader: the number of the process that started this one.
    """

    def watch() -> None:
        while os.getppid() == leader:
            time.sleep(0.5)
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the leader, who lets us finish what is under way
    threading.Thread(target=watch, daemon=True).start()
