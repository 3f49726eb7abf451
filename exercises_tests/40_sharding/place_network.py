"""place-network."""

import functools

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, naming, refuse, require, where_it_runs

from ._lesson import (
    AUTO_OR_EXPLICIT,
    LAYOUT_REFUSED,
    held,
    lying,
    multiplied,
    parts,
    require_only,
    require_placed,
    written,
)
from ._lesson import WORDS as LESSON


def _judge_network(facts, axes, sizes):
    n, m, h, k = sizes
    x, w1, w2 = (found[0] for found in facts["pieces"])
    require(x == held(axes, ["data"], (n, m)), "batch-not-over-data", axes=written(axes))
    copied = [name for name, found in {"w1": w1, "w2": w2}.items() if len(parts(found)) == 1 < axes["model"]]
    refuse(copied, "weights-copied", copied=" and ".join(f"`{name}`" for name in copied))
    over = {
        "w1": [(["model"], (m, h)), ([None, "model"], (m, h))],
        "w2": [(["model"], (h, k)), ([None, "model"], (h, k))],
    }
    for name, found in {"w1": w1, "w2": w2}.items():
        fits = any(found == held(axes, spec, shape) for spec, shape in over[name])
        require(fits, "weights-over-data", name=name)
    require_only(facts["collectives"], ("all-reduce",), label="layers-do-not-match/fetched")
    count = facts["collectives"].get("all-reduce", 0)
    require(count == (axes["model"] > 1), "layers-do-not-match", count=count)
    how, lies = lying(facts["result"], axes, ["data"], (n, k))
    refuse(how == "few", "layers-do-not-match/few", **lies)
    refuse(how == "copied", "layers-do-not-match/copied", **lies)
    refuse(how, "layers-do-not-match/pieces", **lies)


def layers_that_match(answer, rng):
    """Layouts with which two layers need one sum.

    A function, since many layouts are right, and what is required is what the compiler makes of them.
    """
    where_it_runs(functools.partial(_layers_on, answer, rng), AUTO_OR_EXPLICIT)


def _layers_on(answer, rng, kind):
    for axes in ({"data": 4, "model": 2}, {"data": 4, "model": 2}, {"model": 4, "data": 2}, {"data": 4, "model": 1}):
        n, m, h, k = 8, 16, 32, 8
        arrays = [rng.normal(size=shape).astype(np.float32) for shape in ((n, m), (m, h), (h, k))]
        answer.called = f"place_network(mesh, float32[{n}, {m}], float32[{m}, {h}], float32[{h}, {k}])"
        with naming(LAYOUT_REFUSED):
            placed = probe.placing(axes, mesh="argument", explicit=kind == "Explicit")
            facts = answer.probe(multiplied, placed, True, *arrays)
        require_placed(facts, arrays, ("x", "w1", "w2"), axes)
        _judge_network(facts, axes, (n, m, h, k))


WORDS = """
hint: Rows of `x` go over `data`. Which axis of `w1` gives each device complete hidden units?
hint: `w2` must be cut along the axis that it shares with the hidden units.
batch-not-over-data: Your `x` should be cut by its rows, over `data`, and by nothing else (mesh: {axes}).
weights-copied: You gave each device all of {copied}. With such weights, one device would be too small.
weights-over-data: Cut one axis of your `{name}`, over `model` alone, because devices along `data` need the same
    weights.
layers-do-not-match: Your program contains {count} all-reduces, and one is enough. Cut `w1` by its columns and `w2` by
    its rows.
layers-do-not-match/fetched: Your compiled program contains {others}, so it fetches hidden units, or combines them
    twice. Cut `w1` by columns and `w2` by rows, and it combines only the last sums.
layers-do-not-match/few: Your result lies on {on}, and the mesh has {of} (mesh: {mesh}). Cut `w1` by its columns and
    `w2` by its rows.
layers-do-not-match/copied: Your result is a copy on each device, not cut (mesh: {mesh}). Cut `w1` by its columns and
    `w2` by its rows.
layers-do-not-match/pieces: Your result is cut into {few} different pieces, and should have {many}, by its rows (mesh:
    {mesh}). Cut `w1` by its columns and `w2` by its rows.
"""

place_network = declare(
    "place-network",
    points=3,
    see="two-axes-at-once",
    steps=[layers_that_match],
    words=(LESSON, WORDS),
)
