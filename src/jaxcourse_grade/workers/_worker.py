"""What a worker does: take a job, grade it, give its result back. The same on this machine and on a cluster."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass
from multiprocessing.util import Finalize
from typing import Any

import jax

from jaxcourse.course import Course
from jaxcourse.insides import compile_quickly
from jaxcourse.runtime import cores
from jaxcourse_grade._bounded import bounded
from jaxcourse_grade._records import Submission
from jaxcourse_grade.isolation import CannotStart, Limits, Terms
from jaxcourse_grade.judging import CourseFault, Grader, cache_folder, fingerprint

_ALONE = threading.Lock()
"""A judge grades one submission at a time; a cluster's worker may have several threads."""
SECONDS = 60.0
"""Processor seconds of this process for one submission, or as many as the submission itself has, if they are more."""
MEMORY = 2**30 + cores() * 2**26
"""Bytes that judging one submission may add to what this process has, threads for each core among them."""
_judges: dict[tuple[Course, Terms], Grader] = {}


@dataclass(frozen=True)
class Conditions:
    """What is the same for every submission of a class.

    Attributes:
        class_seed: what the inputs follow from.
        course: whose checks decide. Where its folder does not exist, on another machine, the course that is installed
            there stands in for it.
        fingerprint: of the course that the marks must be those of, wherever it lies.
        protections: the names of those to be put up.
        limits: what a submission may use.
        hidden: files and folders of the instructor's that no submission may read.
    """

    class_seed: int
    course: Course
    fingerprint: str
    protections: tuple[str, ...]
    limits: Limits
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True)
class Job:
    """One submission to be graded, with its cells, and under which conditions; it can be sent to another machine."""

    submission: Submission
    conditions: Conditions


class OtherCourse(ValueError):
    """A worker has checks other than those that the class is graded with: its marks would not be the same."""


def work(job: Job) -> dict[str, Any]:
    """Grade one submission.

    Returns:
        The result as plain data; or why there is none, under `stumbled`, if the submission was too much for the judge.

    Raises:
        OtherCourse: this worker has another version of the course.
        CannotStart: it cannot put up the protections.
        CourseFault: the lesson's own solutions fail.
    """
    if job.submission.unreadable:  # it could be read when the class was taken in
        return {"stumbled": job.submission.unreadable}
    seed = job.conditions.class_seed
    with _ALONE:
        judge = _judge(job.conditions)
        judge.prepare(job.submission, seed)
        try:
            with bounded(max(SECONDS, job.conditions.limits.seconds), MEMORY):
                return judge.grade(job.submission, seed).to_json()
        except (CannotStart, CourseFault):
            raise
        except Exception as error:  # whatever it is, it is this submission's own
            judge.close()
            return {"stumbled": f"The grader stumbled over it ({type(error).__name__}: {str(error)[:300]})."}


def _judge(wanted: Conditions) -> Grader:
    """This process's judge, which is made once, because it has a warm parent and has read the lessons."""
    course = wanted.course if wanted.course.root.is_dir() else Course.installed()
    if fingerprint(course) != wanted.fingerprint:
        raise OtherCourse(
            f"the course in {course.root} is not the one that the class is graded with: install the same version on "
            "all machines, and do not edit the course while a class is graded."
        )
    terms = Terms(wanted.limits, wanted.protections, str(cache_folder(course)), hidden=wanted.hidden)
    if (course, terms) not in _judges:
        jax.config.update("jax_platforms", "cpu")  # as for answers, so that both compute alike
        compile_quickly()
        jax.devices()  # its threads are on nobody's account
        judge = _judges[course, terms] = Grader(course, terms)
        Finalize(judge, judge.close, exitpriority=1)  # a worker of multiprocessing runs no `atexit`
    return _judges[course, terms]


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
