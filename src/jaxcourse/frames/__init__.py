"""Three steps: a table comes in, compiled time steps run over its rows, a table goes out.

1. `encode` turns a table of pandas, polars or xarray into arrays, and says what it had to copy.
2. A `Step` is a pair of pure functions with a state. `unroll` compiles it over time, and the state that comes out of
   one batch goes into the next.
3. `decode` formats the results as the table that went in.

`apply` does all three, as does `df.jaxcourse` for pandas.
"""

from contextlib import suppress

from jaxcourse.frames._accessor import register as register
from jaxcourse.frames._apply import apply as apply
from jaxcourse.frames._decay import smoothing as smoothing
from jaxcourse.frames._encode import Encoded as Encoded
from jaxcourse.frames._encode import decode as decode
from jaxcourse.frames._encode import encode as encode
from jaxcourse.frames._errors import FrameError as FrameError
from jaxcourse.frames._mean import ewma as ewma
from jaxcourse.frames._schema import Schema as Schema
from jaxcourse.frames._step import Step as Step
from jaxcourse.frames._step import unroll as unroll
from jaxcourse.frames._synchronise import Streams as Streams
from jaxcourse.frames._synchronise import synchronise as synchronise
from jaxcourse.frames._times import Times as Times
from jaxcourse.frames._windows import diff as diff
from jaxcourse.frames._windows import lag as lag

with suppress(ImportError):
    register()

__all__ = [
    "Encoded",
    "FrameError",
    "Schema",
    "Step",
    "Streams",
    "Times",
    "apply",
    "decode",
    "diff",
    "encode",
    "ewma",
    "lag",
    "register",
    "smoothing",
    "synchronise",
    "unroll",
]
