"""A class's notebooks: read, run in isolation, judged here, reported.

The rooms, each of which uses only those above it: `intake` reads what was handed in, `slicing` cuts it into statements,
`isolation` runs them in a process of their own, `judging` gives the marks, `workers` do so for many at once, `analysis`
counts what was misunderstood, `reports` show the outcome, `_class` grades whatever is not graded yet, `_analyse` looks
at what several runs have graded, and `platforms` grade elsewhere. `_records` is what they hand to each other, `_store`
how it is kept, `_keeping` from whom, `_frozen` what stands whatever changes, and `_again` says why something is graded
again. `commands` are what an instructor runs.
"""

from __future__ import annotations

import argparse
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxcourse.course import Course

__all__ = ["run"]


def run(options: argparse.Namespace, course: Course) -> int:
    """Grade a class as the command line says, and return an exit status.

    Args:
        options: see `jaxcourse grade --help`.
        course: whose lessons and checks decide.

    Returns:
        0 when everything that was handed in has its row; 2 when it could not be graded; 130 when it was interrupted.
    """
    if sys.platform == "win32":
        return _give_up("Windows has no processes that can be forked. Grade under WSL, or on Linux or macOS.")
    # Here, because a student's process imports this package too, and has no use for the rest of the grader.
    from jaxcourse_grade._class import Order, grade
    from jaxcourse_grade._terminal import say, track
    from jaxcourse_grade.isolation import CannotStart, Limits
    from jaxcourse_grade.judging import CourseFault

    limits = Limits(seconds=options.seconds, piece_seconds=options.piece_seconds, memory=options.memory * 2**20)
    order = Order(
        course,
        options.submissions,
        options.out,
        lessons=tuple(options.lesson),
        roster=options.roster,
        canvas=options.canvas,
        moodle=options.moodle,
        answers=options.export_answers,
        marks=options.marks,
        shares=options.shares,
        frozen=options.frozen,
        due=tuple(options.due),
        on_time=options.on_time,
        file_times=options.file_times,
        groups=options.groups,
        seed=options.seed,
        workers=options.workers,
        dask=options.dask,
        unprotected=options.unprotected,
        core=options.core,
        limits=limits,
        title=options.title,
    )
    try:
        written = grade(order, say, track)
    except KeyboardInterrupt:
        say("Interrupted. What was graded is kept: the same command carries on from here.")
        return 128 + signal.SIGINT
    except OSError as error:
        if error.errno is None:  # the grader's own words, before anything was graded
            return _give_up(str(error))
        where = f"{error.filename}: " if error.filename else ""
        return _give_up(f"{where}{error.strerror or error}. What was graded is kept: fix this, and start again.")
    except (CannotStart, CourseFault, ValueError) as error:
        return _give_up(str(error))
    say(f"{len(written)} reports in {options.out}. Begin with {options.out / 'class.html'}.")
    return 0


def _give_up(reason: str) -> int:
    print(f"jaxcourse grade: {reason}", file=sys.stderr)
    return 2
