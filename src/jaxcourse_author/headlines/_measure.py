"""One headline in a process of its own: `python -m jaxcourse_author.headlines NAME`, which prints JSON.

So each sets what it needs before JAX starts, one that fails leaves the others alone, and none finds the memory or the
threads as another one left them.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import json
import platform
from collections.abc import Sequence

from jaxcourse.bench import Race, Timing, bandwidth, ceilings, sweep
from jaxcourse_author.headlines._all import HEADLINES
from jaxcourse_author.headlines._headline import Claim, Headline
from jaxcourse_author.headlines._results import Finding, Machine, Outcome, Time

IDLE = 0.8
"""A contestant that had a core for less than this part of its time was held up by other programs."""
MACHINE = "machine"
"""Asked for instead of a headline: what this machine can do at best."""
LIBRARIES = ("jax", "jaxlib", "numpy", "numba", "pandas", "polars", "torch")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what the command line asks for, and print it as JSON."""
    parser = argparse.ArgumentParser(prog="python -m jaxcourse_author.headlines", description=main.__doc__)
    parser.add_argument("name")
    parser.add_argument("--machine", default="{}", help="what was found by `machine`, as JSON")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each size")
    parser.add_argument("--sizes", type=int, default=3, help="how many, from the smallest")
    options = parser.parse_args(arguments)
    if options.name == MACHINE:
        print(json.dumps(dataclasses.asdict(machine())))
        return 0
    here = Machine(**json.loads(options.machine))
    outcome = measure(HEADLINES[options.name], here, options.seconds, options.sizes)
    print(json.dumps(dataclasses.asdict(outcome)))
    return 0


def machine() -> Machine:
    """What this machine is, and does at best."""
    best = ceilings()
    versions = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    host = best.bandwidth if best.platform == "cpu" else bandwidth("cpu")
    return Machine(best.platform, best.device, best.cores, best.bandwidth, host, best.matmul, versions)


def measure(headline: Headline, here: Machine, seconds: float, sizes: int = 3) -> Outcome:
    """Race a headline's contestants at each size, and judge its claims at the last.

    Args:
        headline: what is measured.
        here: the machine, with its ceilings.
        seconds: for each size; slow contestants take longer.
        sizes: how many of the three, from the smallest.
    """
    headline.set_up(here.platform)
    some = headline.sizes[:sizes]
    found = sweep(headline.contestants, some, variable=headline.variable, seconds=seconds, **headline.reasons)
    return Outcome(
        name=headline.name,
        title=headline.title,
        variable=headline.variable,
        sizes=some,
        floor=tuple(_floor(headline, here, size) for size in some),
        times=tuple(tuple(map(_time, race.timings)) for race in found.races),
        findings=tuple(_finding(claim, found.races[-1], headline.missing_packages) for claim in headline.claims),
        notes=(*_absent(headline), *_doubts(found.races[-1])),
        whole=sizes >= len(headline.sizes),
    )


def _absent(headline: Headline) -> list[str]:
    names = ", ".join(headline.missing_packages)
    return [f"Not here, since it is not installed: {names}."] if names else []


def _doubts(race: Race) -> list[str]:
    """What makes the last race doubtful: in one line, who had to wait for a core."""
    waited = [timing.name for timing in race.timings if timing.platform == "cpu" and timing.cores_busy < IDLE]
    others = [one for one in race.warnings if not one.startswith(tuple(f"{name} had a core" for name in waited))]
    if not waited:
        return others
    return [f"The machine was busy, {', '.join(waited)} waited for a core: run it again when it is free.", *others]


def _floor(headline: Headline, here: Machine, size: int) -> float | None:
    least = headline.least(size)
    rate = here.host_bandwidth if least.on_host else here.bandwidth
    return max(least.nbytes / rate, least.flops / here.matmul) or None


def _time(timing: Timing) -> Time:
    return Time(timing.name, timing.median, *timing.quartiles, cores_busy=timing.cores_busy)


def _finding(claim: Claim, race: Race, missing: Sequence[str]) -> Finding:
    said = (claim.words, claim.source, claim.faster, claim.slower, claim.times)
    if not {claim.faster, claim.slower} <= set(race.names):
        return Finding(*said, None, "not tried", f"It needs {' and '.join(missing)}.")
    ratio = race.ratio(claim.slower, to=claim.faster)
    judged = claim.verdict_on(ratio.low, ratio.high)
    return Finding(*said, (ratio.low, ratio.median, ratio.high), judged, claim.why(race))
