"""What pages measure, recorded on another device, so that they can show it beside what their own build measured.

`jaxcourse record` runs the cells that measure, the headlines, and some kernels, each piece in a process of its own. It
keeps each result as soon as it is there: it may be cut off at any time, and goes on with what is missing. A `Record` is
a file of `book/recorded/`, which the site trusts as little as any stranger's.
"""

from jaxcourse_author.recorded._cells import CodeCell as CodeCell
from jaxcourse_author.recorded._cells import code_cells as code_cells
from jaxcourse_author.recorded._cells import measured_cells as measured_cells
from jaxcourse_author.recorded._cells import measuring_cells as measuring_cells
from jaxcourse_author.recorded._measure import HEADLINES as HEADLINES
from jaxcourse_author.recorded._measure import KERNELS as KERNELS
from jaxcourse_author.recorded._record import FOLDER as FOLDER
from jaxcourse_author.recorded._record import Machine as Machine
from jaxcourse_author.recorded._record import Measurement as Measurement
from jaxcourse_author.recorded._record import Output as Output
from jaxcourse_author.recorded._record import Piece as Piece
from jaxcourse_author.recorded._record import Record as Record
from jaxcourse_author.recorded._record import RecordError as RecordError
from jaxcourse_author.recorded._record import read as read
from jaxcourse_author.recorded._record import records as records
from jaxcourse_author.recorded._run import Job as Job
from jaxcourse_author.recorded._run import jobs as jobs
from jaxcourse_author.recorded._run import record as record

__all__ = [
    "FOLDER",
    "HEADLINES",
    "KERNELS",
    "CodeCell",
    "Job",
    "Machine",
    "Piece",
    "Record",
    "RecordError",
    "Output",
    "Measurement",
    "code_cells",
    "jobs",
    "measured_cells",
    "measuring_cells",
    "read",
    "record",
    "records",
]
