"""What the exercises of lesson 16 share."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import expect, naming, refuse, require
from jaxcourse.exercise import is_close

WORDS = """
only-on-eight: This runs on 8 devices, and not on fewer: the pairs of `ppermute` name devices that a smaller mesh does
    not have. Take the number of devices from the mesh: `mesh.shape["x"]`.
only-on-eight/numbers: On 8 devices this is right, and on fewer it is not. If an 8 is written in it, or a 7, take it
    from the mesh instead: `mesh.shape["x"]`.
no-such-axis: A collective, or a specification, names an axis that is not there. The mesh has one axis, `"x"`, and only
    the body of a `jax.shard_map` knows it.
dtype: The numbers are right, but {kinds} came back. All should be `float32`.
copies-differ [variables]: The result claims to be the same on all devices, but they hold different numbers: with
    `check_vma=False` nobody compares them.
gathers [send-little]: The compiled program gathers: every device gets what each of the others has, and needs room for
    all of it.
other-collective [what-they-do]: The compiled program also contains: {others}.
not-split [one-body]: The numbers are right, but they are not split by rows over the devices: look at `out_specs`.
not-replicated [one-body]: The numbers are right, but not every device has all of them: look at `out_specs`.
"""


SIZES = (8, 2, 1)
"""Devices of the meshes on which an answer runs: what is right on one alone falls."""


def run_on(student_function, placed, kinds):
    """The results of several calls of each kind on a mesh, and whether the copies of each piece are equal.

    One program calls the answer once for each kind: compiling one for each of them would cost more.
    """
    function = probe.prepared(student_function, placed, kinds[0][0])[0]
    run = jax.jit(lambda calls: [function(*args) for args in calls])
    results, equal = [[] for _ in kinds], True
    for turn in range(max(map(len, kinds))):
        calls = [kind[turn % len(kind)] for kind in kinds]
        found = jax.block_until_ready(run([probe.prepared(student_function, placed, args)[1] for args in calls]))
        for leaf in jax.tree.leaves(found):
            first = {}
            for shard in leaf.addressable_shards:
                data = np.asarray(shard.data)
                equal = equal and np.array_equal(first.setdefault(str(shard.index), data), data, equal_nan=True)
        for of_kind, result in zip(results, found, strict=True):
            of_kind.append(jax.tree.map(np.asarray, result))
    return {"results": results, "equal": equal}


@dataclass
class Case:
    """One call: on how many devices, with what, and what came back."""

    devices: int
    args: tuple[Any, ...]
    got: Any
    equal: bool


@dataclass(frozen=True)
class Either:
    """A mistake with several faces: functions like the oracle, each of what one way to make it gives."""

    faces: tuple[Callable[..., Any], ...]

    def __call__(self, n, *args):
        """What each face gives."""
        return [face(n, *args) for face in self.faces]


def either(*faces):
    """A mistake with several faces."""
    return Either(faces)


def require_right(answer, cases, oracle, mistakes):
    """Require the oracle's numbers of all cases.

    Args:
        answer: the answer.
        cases: what `answered` gives.
        oracle: gives what is right for the number of devices and the arguments without the mesh.
        mistakes: by label, functions like the oracle. One is named if it explains every case, and two that are wrong.
    """
    mistaken = [case for case in cases if differs(case.got, oracle(case.devices, *case.args))]
    if not mistaken:
        kinds = {str(np.asarray(leaf).dtype) for case in cases for leaf in jax.tree.leaves(case.got)} - {"float32"}
        refuse(kinds, "dtype", kinds=" and ".join(sorted(kinds)))
        return
    for label, mistake in mistakes.items():
        faces = getattr(mistake, "faces", [mistake])
        refuse(len(mistaken) > 1 and any(explains(face, cases) for face in faces), label)
    refuse({case.devices for case in mistaken} == {*SIZES[1:]}, "only-on-eight/numbers")
    worst = max(mistaken, key=lambda case: case.devices)
    answer.called = f"{answer.name}(mesh, ...)"
    devices = f"{worst.devices} device" + "s" * (worst.devices > 1)
    for one, other in pairs_of(worst.got, oracle(worst.devices, *worst.args)):
        expect(one, other, "wrong-value", devices=devices, rtol=2e-4)


def require_equal_copies(cases):
    """Require that results which claim to be the same on all devices are."""
    require(all(case.equal for case in cases), "copies-differ")


def answered(answer, calls_for, specs, part=lambda got: got):
    """What an answer gives on each mesh.

    Args:
        answer: the answer.
        calls_for: gives the arguments of some calls, for a number of devices.
        specs: where each argument lies, see `probe.placing`.
        part: what of a result is kept, an array or a list of arrays; it may refuse the result.
    """
    cases = []
    for n in SIZES:
        placed, calls = probe.placing({"x": n}, *specs, mesh="argument"), calls_for(n)
        shapes = dict.fromkeys(map(shapes_of, calls))
        kinds = [[args for args in calls if shapes_of(args) == shape] for shape in shapes]
        known = {"no-such-axis": names_another_axis, "only-on-eight": lambda error, n=n: names_a_device(error, n)}
        with naming(known):
            found = answer.probe(run_on, placed, kinds)
        for kind, results in zip(kinds, found["results"], strict=True):
            # A kind with fewer calls than another was asked some of them again.
            cases += [Case(n, args, part(got), found["equal"]) for args, got in zip(kind, results, strict=False)]
    return cases


def names_a_device(error, n):
    """Whether an exception says that the pairs of `ppermute` name a device that a mesh of `n` does not have."""
    named = max(map(int, re.findall(r"\d+(?=[,)])", error.raised.message)), default=0)
    return n < SIZES[0] and "ppermute" in error.raised.message and named >= n


def names_another_axis(error):
    """Whether an exception is one of those with which JAX meets the name of an axis that is not there.

    `psum` and `ppermute` fail in an assertion of JAX's own, without a word; before JAX 0.8 they missed a key.
    """
    raised, key = error.raised, re.escape(error.raised.message.strip("'"))
    of_lax = "lax." in raised.line and not raised.line.startswith("assert")
    bare = raised.kind == "AssertionError" and not raised.message and of_lax
    elsewhere = re.search(rf"\[.{key}", raised.line)  # such as one of the gradients
    missed = raised.kind == "KeyError" and of_lax and not elsewhere
    of_mesh = raised.kind == "KeyError" and re.search(rf"mesh\.shape\[.{key}", raised.line)
    told = "unbound axis name" in raised.message or "must refer to an axis" in raised.message
    return bool(bare or missed or of_mesh or told)


def explains(mistake, cases):
    """Whether every case came out as with a mistake."""
    return all(not differs(case.got, mistake(case.devices, *case.args)) for case in cases)


def shapes_of(args):
    """The shapes of all arrays among some arguments."""
    return tuple(np.shape(leaf) for leaf in jax.tree.leaves(args))


def pairs_of(got, want):
    """The arrays of a result beside those that are right."""
    return zip(got, want, strict=True) if isinstance(want, list) else [(got, want)]


def differs(got, want):
    """Whether a result is wrong: an array, or a list of arrays."""
    return not all(is_close(one, other, rtol=2e-4) for one, other in pairs_of(got, want))


def require_only(collectives, *allowed):
    """Require that a program contains no collectives but some."""
    refuse("all-gather" in collectives and "all-gather" not in allowed, "gathers")
    others = ", ".join(sorted(set(collectives) - set(allowed)))
    refuse(others, "other-collective", others=others)


def require_split(pieces, n):
    """Require that an array is split by rows over all devices."""
    shape = pieces["shape"]
    rows = shape[0] // n
    want = [[k, [[k * rows, (k + 1) * rows], *([0, size] for size in shape[1:])]] for k in range(n)]
    require(pieces["pieces"] == want, "not-split")


def require_copies(pieces, n):
    """Require that arrays are whole on every device."""
    for leaf in pieces:
        whole = [[0, size] for size in leaf["shape"]]
        require(leaf["pieces"] == [[k, whole] for k in range(n)], "not-replicated")


def normal(rng, *shape):
    """Random `float32` numbers."""
    return rng.normal(size=shape).astype(np.float32)


def exact(*arrays):
    """Arrays in `float64`, for oracles."""
    return [np.asarray(array, np.float64) for array in arrays]


def mapped(mesh, body, in_specs, out_specs, **more):
    """`jax.shard_map`, for the listed answers."""
    return jax.shard_map(body, mesh=mesh, in_specs=in_specs, out_specs=out_specs, **more)
