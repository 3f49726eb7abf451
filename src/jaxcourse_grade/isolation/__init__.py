"""A student's process: what it may do, how it is started, and the plain data that go in and out.

`Forkserver` starts a process for each submission, on `Terms`; `ProcessChannel` asks questions of an answer in it. What
the process may do is in `_sandbox`, what it can say in `_wire`, what it runs in `_child`. It is never trusted: nothing
that comes back is unpickled or run, and no check and no solution is in it or in its parent, `_forkserver`.
"""

from jaxcourse_grade.isolation._process import AskedQuestion as AskedQuestion
from jaxcourse_grade.isolation._process import CannotStart as CannotStart
from jaxcourse_grade.isolation._process import Forkserver as Forkserver
from jaxcourse_grade.isolation._process import Process as Process
from jaxcourse_grade.isolation._process import ProcessChannel as ProcessChannel
from jaxcourse_grade.isolation._process import ProcessGone as ProcessGone
from jaxcourse_grade.isolation._process import Terms as Terms
from jaxcourse_grade.isolation._process import is_declared as is_declared
from jaxcourse_grade.isolation._process import modules_of as modules_of
from jaxcourse_grade.isolation._process import raised_from as raised_from
from jaxcourse_grade.isolation._sandbox import ESSENTIAL as ESSENTIAL
from jaxcourse_grade.isolation._sandbox import PROTECTIONS as PROTECTIONS
from jaxcourse_grade.isolation._sandbox import Limits as Limits
from jaxcourse_grade.isolation._sandbox import available as available

__all__ = [
    "ESSENTIAL",
    "PROTECTIONS",
    "AskedQuestion",
    "CannotStart",
    "Forkserver",
    "ProcessGone",
    "Limits",
    "Process",
    "ProcessChannel",
    "Terms",
    "available",
    "is_declared",
    "modules_of",
    "raised_from",
]
