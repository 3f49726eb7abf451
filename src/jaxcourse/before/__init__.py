"""What JAX will do with your function, before you run it: its kernels, its time as a range, and its hazards.

`before(function, *args)` traces and compiles the call, and computes nothing of it. Counts are exact for the compiler
that is installed. A time is a range, for this machine alone, and it is left out where none can be said honestly: with a
loop of unknown length, with a call that the program does not describe, and between devices that are simulated. For a
device by its name there is a lower bound, from its data sheet.
"""

from jaxcourse.before._before import Before as Before
from jaxcourse.before._before import LeavesJax as LeavesJax
from jaxcourse.before._before import before as before
from jaxcourse.before._command import answered as answered
from jaxcourse.before._explain import Explained as Explained
from jaxcourse.before._hazards import Hazard as Hazard
from jaxcourse.before._on import OnDevice as OnDevice
from jaxcourse.before._programs import Programs as Programs
from jaxcourse.before._said import Said as Said

__all__ = ["Before", "Explained", "Hazard", "LeavesJax", "OnDevice", "Programs", "Said", "before"]
