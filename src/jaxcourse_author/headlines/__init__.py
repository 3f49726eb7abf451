"""`jaxcourse bench`: what the course's sources report of speed, measured side by side on this machine.

A `Headline` is a race with the claims that a source makes of it, each in a module of its own. `run` measures some of
them, each in a process of its own, and gives `Results`: plain data with a picture and tables. Ratios are formed round
by round within one run, as in `jaxcourse.bench`, and stand beside what the machine can do at best.
"""

from jaxcourse_author.headlines._all import HEADLINES as HEADLINES
from jaxcourse_author.headlines._headline import Claim as Claim
from jaxcourse_author.headlines._headline import Headline as Headline
from jaxcourse_author.headlines._headline import Least as Least
from jaxcourse_author.headlines._measure import measure as measure
from jaxcourse_author.headlines._results import Finding as Finding
from jaxcourse_author.headlines._results import Machine as Machine
from jaxcourse_author.headlines._results import Outcome as Outcome
from jaxcourse_author.headlines._results import Results as Results
from jaxcourse_author.headlines._results import read as read
from jaxcourse_author.headlines._run import run as run

__all__ = [
    "HEADLINES",
    "Claim",
    "Finding",
    "Headline",
    "Least",
    "Machine",
    "Outcome",
    "Results",
    "measure",
    "read",
    "run",
]
