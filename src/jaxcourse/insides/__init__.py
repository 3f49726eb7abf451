"""What the course knows of the insides of JAX, and of what other libraries keep to themselves: here and nowhere else.

A program that JAX traces or compiles is handed out as data. What is looked for by a name that JAX may change with any
release is looked for here, and rests on a belief that can be proven: see `Belief`. What cannot be read raises
`CannotRead`, and is never taken for nothing. No private name is looked up before it is needed.
"""

from jaxcourse.insides._belief import BELIEFS as BELIEFS
from jaxcourse.insides._belief import Belief as Belief
from jaxcourse.insides._belief import CannotRead as CannotRead
from jaxcourse.insides._belief import Private as Private
from jaxcourse.insides._belief import belief as belief
from jaxcourse.insides._callbacks import CALLBACKS as CALLBACKS
from jaxcourse.insides._callbacks import noting as noting
from jaxcourse.insides._compiler import as_ever as as_ever
from jaxcourse.insides._compiler import compilations as compilations
from jaxcourse.insides._compiler import compile_quickly as compile_quickly
from jaxcourse.insides._compiler import has_started as has_started
from jaxcourse.insides._compiler import in_full_precision as in_full_precision
from jaxcourse.insides._compiler import keep_programs as keep_programs
from jaxcourse.insides._compiler import keeping as keeping
from jaxcourse.insides._compiler import programs_kept as programs_kept
from jaxcourse.insides._compiler import quickly as quickly
from jaxcourse.insides._kernels import Amount as Amount
from jaxcourse.insides._kernels import Kernel as Kernel
from jaxcourse.insides._kernels import kernels as kernels
from jaxcourse.insides._others import behind as behind
from jaxcourse.insides._others import has_numba as has_numba
from jaxcourse.insides._others import is_numbas as is_numbas
from jaxcourse.insides._others import llvm_of as llvm_of
from jaxcourse.insides._others import numba_compiling as numba_compiling
from jaxcourse.insides._others import numba_versions as numba_versions
from jaxcourse.insides._places import PLACES as PLACES
from jaxcourse.insides._places import stay_here as stay_here
from jaxcourse.insides._process import counting_runs as counting_runs
from jaxcourse.insides._process import doubles as doubles
from jaxcourse.insides._process import leaked_from as leaked_from
from jaxcourse.insides._process import leaked_tracer as leaked_tracer
from jaxcourse.insides._process import stands_between as stands_between
from jaxcourse.insides._program import Equation as Equation
from jaxcourse.insides._program import Loop as Loop
from jaxcourse.insides._program import Place as Place
from jaxcourse.insides._program import Program as Program
from jaxcourse.insides._program import Value as Value
from jaxcourse.insides._program import of_traced as of_traced
from jaxcourse.insides._program import read as read
from jaxcourse.insides._program import read_for_arrays as read_for_arrays
from jaxcourse.insides._program import read_if_traceable as read_if_traceable
from jaxcourse.insides._program import read_with_form as read_with_form
from jaxcourse.insides._program import with_loops_limited as with_loops_limited
from jaxcourse.insides._settings import our_settings as our_settings
from jaxcourse.insides._settings import set_back as set_back
from jaxcourse.insides._settings import settings as settings
from jaxcourse.insides._spent import Made as Made
from jaxcourse.insides._spent import Piece as Piece
from jaxcourse.insides._spent import Sent as Sent
from jaxcourse.insides._spent import Work as Work
from jaxcourse.insides._spent import made as made
from jaxcourse.insides._spent import sent as sent
from jaxcourse.insides._spent import worked as worked
from jaxcourse.insides._text import COLLECTIVES as COLLECTIVES
from jaxcourse.insides._text import Costs as Costs
from jaxcourse.insides._text import Instruction as Instruction
from jaxcourse.insides._text import Instructions as Instructions
from jaxcourse.insides._text import ListedLine as ListedLine
from jaxcourse.insides._text import costs as costs
from jaxcourse.insides._text import donates as donates
from jaxcourse.insides._text import hlo_lines as hlo_lines
from jaxcourse.insides._text import instructions as instructions
from jaxcourse.insides._text import jaxpr_lines as jaxpr_lines
from jaxcourse.insides._text import stablehlo_lines as stablehlo_lines
from jaxcourse.insides._text import stablehlo_operations as stablehlo_operations
from jaxcourse.insides._text import stablehlo_statements as stablehlo_statements
from jaxcourse.insides._versions import QUICKLY as QUICKLY
from jaxcourse.insides._versions import SEEN as SEEN
from jaxcourse.insides._versions import joined as joined
from jaxcourse.insides._versions import numbers as numbers
from jaxcourse.insides._versions import quick_flags as quick_flags
