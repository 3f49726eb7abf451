"""product-in-blocks."""

import functools
import math

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, naming, refuse, where_it_runs

from ._lesson import EXPLICIT_OR_AUTO, LAYOUT_REFUSED, multiplied, parts, require_only, require_placed
from ._lesson import WORDS as LESSON


def _judge_blocks(facts, axes, sizes):
    n, k, m = sizes
    found = {"a": [ranges[1] for _, ranges in facts["pieces"][0][0]], "b": [r[0] for _, r in facts["pieces"][1][0]]}
    cut = " and ".join(f"`{name}`" for name, ranges in found.items() if any(ends != [0, k] for ends in ranges))
    refuse(cut, "cut-the-sum", cut=cut)
    require_only(facts["collectives"], (), label="must-fetch")
    whole = [name for name, found in zip("ab", facts["pieces"], strict=True) if len(parts(found[0])) == 1]
    names = " and ".join(f"`{name}`" for name in whole)
    refuse(whole, "holds-a-whole", names=names)
    shared = 2 * n * k * m / math.prod(axes.values())
    refuse(facts["flops"] > 1.5 * shared, "work-repeated", times=f"{facts['flops'] / shared:.1f}")


def blocks_that_fetch_nothing(answer, rng):
    """Layouts with which a product sends nothing and repeats nothing.

    A function, since many layouts are right, and what is required is what the compiler makes of them.
    """
    where_it_runs(functools.partial(_blocks_on, answer, rng), EXPLICIT_OR_AUTO)


def _blocks_on(answer, rng, kind):
    for axes in ({"x": 4, "y": 2}, {"x": 4, "y": 2}, {"x": 2, "y": 4}, {"x": 2, "y": 2}):
        for n, k, m in ((8, 8, 16), (24, 16, 16)):
            a, b = (rng.normal(size=shape).astype(np.float32) for shape in ((n, k), (k, m)))
            answer.called = f"product_in_blocks(mesh, float32[{n}, {k}], float32[{k}, {m}])"
            with naming(LAYOUT_REFUSED):
                placed = probe.placing(axes, mesh="argument", explicit=kind == "Explicit")
                facts = answer.probe(multiplied, placed, False, a, b)
            require_placed(facts, (a, b), ("a", "b"), axes)
            _judge_blocks(facts, axes, (n, k, m))


WORDS = """
hint: A block of the result needs some rows of `a` and some columns of `b`. Which axis must stay whole?
hint: Let one axis of the mesh cut `a`, and the other cut `b`. `P("x", None)` cuts rows.
cut-the-sum: You cut the axis that is summed over, in {cut}, so no device can finish a sum alone. Leave that axis whole.
must-fetch: Your compiled program contains {others}, because devices lack rows or columns for their blocks. Cut `a` by
    rows over one axis of the mesh, `b` by columns over the other.
holds-a-whole: You gave each device all of {names}. There are two axes in the mesh, one for each matrix.
work-repeated: Your devices repeat each other's work. Each does {times} times its share of the FLOPs.
"""

product_in_blocks = declare(
    "product-in-blocks",
    points=2,
    see="predict-then-read",
    steps=[blocks_that_fetch_nothing],
    words=(LESSON, WORDS),
)
