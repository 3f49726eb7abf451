"""Honest timing: how long a call takes here, against what, and how sure that is.

`race` times functions that do the same work, at one size; `sweep` does so over sizes and draws the picture; `ceilings`
measures what this machine can do at best. A comparison that would mislead is refused with `UnfairRace`, which says what
is wrong and what to do. How a race is run:

- The first call is timed apart, since it may compile. Every JAX result is waited for.
- Short calls are repeated in a loop until a sample lasts 2 ms. Samples of the contestants alternate, and each round
  starts with another contestant, so that whatever slows the machine slows them alike.
- Contestants are compared round by round. A difference counts only if it shows in 9 rounds out of 10.
"""

from jaxcourse.bench._ceilings import Ceilings as Ceilings
from jaxcourse.bench._ceilings import bandwidth as bandwidth
from jaxcourse.bench._ceilings import ceilings as ceilings
from jaxcourse.bench._clock import Entry as Entry
from jaxcourse.bench._clock import entry as entry
from jaxcourse.bench._fair import UnfairRace as UnfairRace
from jaxcourse.bench._kept import read as kept
from jaxcourse.bench._kept import write as keep
from jaxcourse.bench._race import Race as Race
from jaxcourse.bench._race import Ratio as Ratio
from jaxcourse.bench._race import Timing as Timing
from jaxcourse.bench._race import race as race
from jaxcourse.bench._sweep import Sweep as Sweep
from jaxcourse.bench._sweep import sweep as sweep

__all__ = [
    "Ceilings",
    "Entry",
    "Race",
    "Ratio",
    "Sweep",
    "Timing",
    "UnfairRace",
    "bandwidth",
    "ceilings",
    "entry",
    "keep",
    "kept",
    "race",
    "sweep",
]
