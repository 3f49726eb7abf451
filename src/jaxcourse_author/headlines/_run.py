"""All headlines, one after the other, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from jaxcourse_author.headlines._headline import Headline
from jaxcourse_author.headlines._measure import MACHINE
from jaxcourse_author.headlines._results import Machine, Outcome, Results, outcome_of

SECONDS, QUICK = 1.0, 0.2
"""For one size of a headline; slow contestants take at least five rounds, however long."""
LIMIT = 300
"""Seconds after which a headline is given up."""

Say = Callable[[int, int, str], None]


def run(headlines: Sequence[Headline], *, quick: bool = False, say: Say = lambda done, of, name: None) -> Results:
    """Measure headlines, and judge what their sources claim.

    Args:
        headlines: which ones.
        quick: leave out the last size, and measure for a shorter time.
        say: is told how many are done, of how many, and what comes next.

    Returns:
        What was found.

    Raises:
        ValueError: not even the machine could be measured. What else fails is named in the results.
    """
    say(0, len(headlines) + 1, "what this machine does at best")
    here = Machine(**_measure_apart(MACHINE))
    given = ["--machine", json.dumps(asdict(here)), "--seconds", str(QUICK if quick else SECONDS)]
    given += ["--sizes", "2" if quick else "3"]
    outcomes: list[Outcome] = []
    failed: list[str] = []
    for done, headline in enumerate(headlines, start=1):
        say(done, len(headlines) + 1, headline.name)
        try:
            outcomes.append(outcome_of(_measure_apart(headline.name, *given)))
        except ValueError as error:
            failed.append(str(error))
    say(len(headlines) + 1, len(headlines) + 1, "")
    return Results(here, tuple(outcomes), tuple(failed))


def _measure_apart(name: str, *options: str) -> dict[str, Any]:
    """What a process of its own finds."""
    command = [sys.executable, "-m", "jaxcourse_author.headlines", name, *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT)
    except subprocess.CalledProcessError as error:
        raise ValueError(f"`{name}` could not be measured: {_last_words(error.stderr)}") from None
    except subprocess.TimeoutExpired:
        raise ValueError(f"`{name}` took more than {LIMIT} s: leave it out, or take --quick.") from None
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _last_words(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:300] if lines else "it ended without a word"
