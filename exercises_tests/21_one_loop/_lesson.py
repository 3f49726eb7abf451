"""What the exercises of lesson 21 share."""

import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import refuse, require

WORDS = """
forgot-to-return: Your function returned nothing. Return `out` at the end.
not-out: You returned something other than `out`. The caller owns the memory of `out`, so fill it, and return it.
changed-input: Your function changed `{changed}`. Its caller has lost the original, so leave it as it is.
"""


def filled(fill, x, y):
    """Let a function fill an array, whose elements lie apart, and backwards, where those of `x` are not contiguous."""
    step = 1 if x.flags.c_contiguous else -2
    out = np.full(abs(step) * x.size, np.nan, x.dtype)[::step]
    before = x.copy(), y.copy()
    result = fill(x, y, out)
    kept = [np.array_equal(now, then) for now, then in zip((x, y), before, strict=True)]
    return {"returned": result is not None, "is_out": result is out, "values": out.copy(), "kept": kept}


def as_filled(first, second):
    """What reads `filled`: `out`, if it came back itself, and if the arguments of these names are what they were."""

    def reads(facts, x, y):
        require(facts["returned"], "forgot-to-return")
        require(facts["is_out"], "not-out")
        changed = [name for name, kept in zip((first, second), facts["kept"], strict=True) if not kept]
        refuse(changed, "changed-input", changed="".join(changed[:1]))
        return facts["values"]

    return reads


def numba_in(function):
    """Whether Numba compiles a function, or one that it calls by its name; and the LLVM code for `float32`."""
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    names = getattr(getattr(function, "__code__", None), "co_names", ())
    reached = [getattr(function, "__globals__", {}).get(name) for name in names]
    kernels = [value for value in (function, *cells, *reached) if insides.is_numbas(value)]
    return {
        "compiled": bool(kernels),
        "code": [code for kernel in kernels for code in insides.llvm_of(kernel, "float32")],
    }


def room_needed(fill, x, y):
    """Let a function fill an array, and measure the most memory that Python saw it ask for meanwhile, in arrays."""
    out = np.full_like(x, np.nan)
    fill(x[:9], y[:9], out[:9].copy())  # what is imported or cached at the first call does not count
    asked_for = probe.most_asked_for(lambda: fill(x, y, out))
    return {"arrays": asked_for / x.nbytes, "jax": any(probe.compiles(fill, [(x, y, out)]))}


def allocates(codes):
    """Whether code of Numba's makes an array."""
    return any("MemInfo_alloc" in line for code in codes for line in code.splitlines() if " call " in line)


def three_arrays(n):
    """Arguments for counting Python's steps."""
    return np.ones(n, np.float32), np.full(n, 2, np.float32), np.zeros(n, np.float32)
