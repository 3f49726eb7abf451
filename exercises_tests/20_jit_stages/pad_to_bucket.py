"""pad-to-bucket: an array padded by zeros to a power of two, and its true length."""

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import declare, refuse, require
from jaxcourse.exercise import is_close

from ._lesson import WORDS as LESSON


def padded_facts(pad, arrays):
    """What comes back for some arrays, the traces that it costs, and the programs that the padding itself compiles."""
    traces = 0

    def masked_sum(padded, length):
        nonlocal traces
        traces += 1
        return jnp.where(jnp.arange(padded.shape[0]) < length, padded, 0).sum()

    jitted = jax.jit(masked_sum)
    facts = []
    compiled = sum(map(len, probe.compiles(pad, [(x,) for x in arrays])))
    results = [pad(x) for x in arrays]  # all are kept: a later call must not write into an earlier result
    for x, result in zip(arrays, results, strict=True):
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            return {"pair": False}
        padded, length = result
        if not isinstance(padded, (np.ndarray, jax.Array)) or np.ndim(padded) != 1 or np.ndim(length) != 0:
            return {"pair": False}
        kind = "ndarray" if isinstance(padded, np.ndarray) else "jax.Array"
        facts.append({"padded": np.array(padded), "kind": kind, "dtype": str(padded.dtype), "length": float(length)})
        if x.dtype == np.float32:
            jitted.trace(padded, length)
    return {"pair": True, "results": facts, "traces": traces, "compiled": compiled}


def lengths_and_dtypes(rng):
    """Arrays to be padded: `float32` for every bucket up to 64, other dtypes, zeros at their ends."""
    drawn = rng.choice(np.arange(9, 31), size=4, replace=False)
    lengths = [5, 8, 1, 2, 16, 64, *(int(n) for n in drawn if n != 16)]
    plain = [np.arange(1, n + 1, dtype=np.float32) for n in lengths]
    plain += [np.array([3, 0, 2, 0, 0], np.float32), np.zeros(3, np.float32)]
    plain += [np.ones(n, np.int8) for n in (int(rng.integers(1025, 9000)), 2**17 + 1)]
    large = [np.array([2**62 + 1, -(2**53) - 1, 5]), np.array([2**64 - 1] * 5, np.uint64)]  # no float holds these
    odd = np.array([np.nan, -np.inf, 1e300, 1 / 3, 5e-324], np.float64)
    long = rng.integers(-99, 99, 24)
    plain += [*large, odd, odd[:3] * 1j, long[::2], long[::-1], long[3:14]]
    return plain + [
        inputs.array(rng, n, dtype)
        for dtype in ("float64", "int32", "uint8", "int64", "bool", "complex64", "float16")
        for n in (1, 3, 4, int(rng.integers(5, 40)))
    ]


def padded_to_buckets(answer, rng):
    """Each array comes back with zeros up to the next power of two, and with its length.

    A function, since lengths stand in its words, and programs are counted over all arrays.
    """
    arrays = lengths_and_dtypes(rng)
    facts = answer.probe(padded_facts, arrays)
    require(facts["pair"], "not-a-pair")
    kind = next((result["kind"] for result in facts["results"] if result["kind"] != "ndarray"), "")
    refuse(kind, "padded-by-jax", kind=kind)
    refuse(facts["compiled"], "padded-by-jax/2", compiled=facts["compiled"])
    for x, result in zip(arrays, facts["results"], strict=True):
        n, padded, length = len(x), result["padded"], result["length"]
        answer.called = f"pad_to_bucket({x.dtype}[{n}])"
        bucket = 1 << (n - 1).bit_length()
        require(len(padded) >= n, "cut-off", n=n, padded=len(padded))
        refuse(n == bucket and len(padded) == 2 * n, "bucket-too-large", n=n, padded=len(padded))
        refuse(n != bucket and len(padded) == n, "not-padded", n=n)
        require(len(padded) == bucket, "wrong-bucket", n=n, padded=len(padded), bucket=bucket)
        refuse(length == np.count_nonzero(x) < n, "counted-what-is-not-0")
        require(length == n, "wrong-length", n=n, length=f"{length:g}")
        kept = is_close(padded[:n], x) and not padded[n:].any()
        require(kept, "wrong-value")
        require(result["dtype"] == str(x.dtype), "dtype-lost", dtype=x.dtype, returned=result["dtype"])
    buckets = len({1 << (len(x) - 1).bit_length() for x in arrays if x.dtype == np.float32})
    require(facts["traces"] == buckets, "types-change", buckets=buckets, traces=facts["traces"])


WORDS = """
hint: What is the smallest power of two that is not below `n`? Try `n` = 7, 8 and 9 by hand.
hint: `(n - 1).bit_length()`, and `np.pad(x, (0, how_many))`.
not-a-pair: You did not return a pair of an array and a number. First comes the padded NumPy array, with one axis,
    then the true length.
padded-by-jax: A `{kind}` came back. Stay in NumPy, because JAX compiles its padding for every new length.
padded-by-jax/2: While you padded, JAX compiled something. Stay in NumPy, also for the length. Programs compiled in
    all: {compiled}
cut-off: Only {padded} elements of {n} came back. Your bucket must have room for all.
bucket-too-large: An array of {n} came back with {padded}, but its length was a power of two already. Such a length
    stays.
not-padded: Your array of {n} elements came back as it was. Pad it to the next power of two.
wrong-bucket: An array of {n} came back with {padded} elements. The next power of two is {bucket}.
counted-what-is-not-0: You counted the elements that are not 0, but the recording itself may have zeros. Count all
    that came in.
wrong-length: Your second number should be the true length, before padding. For {n} elements you said {length}.
wrong-value: Your elements should come first, as they were, and zeros behind them.
dtype-lost: `{dtype}` went in, and `{returned}` came out. Give your zeros the dtype of `x`.
types-change: {traces} traces for {buckets} buckets. Does the type of your length change from call to call?
"""

pad_to_bucket = declare(
    "pad-to-bucket",
    points=2,
    see="new-shapes",
    steps=[padded_to_buckets],
    words=(LESSON, WORDS),
)
