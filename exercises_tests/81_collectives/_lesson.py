"""What the exercises of lesson 81 share."""

import re

import jax
import numpy as np

from jaxcourse.checks import Agrees, over_meshes, refuse, require, seen

WORDS = """
only-on-eight: Your program runs on 8 devices, and not on fewer: the pairs of `ppermute` name devices that a smaller
    mesh lacks. Take their number from the mesh: `mesh.shape["x"]`.
only-on-eight/numbers: Your result is right on 8 devices, and not on fewer. If you wrote an 8, or a 7, take it from
    the mesh instead: `mesh.shape["x"]`.
no-such-axis: Your collective, or a specification, names an axis that is not there. The mesh has one axis, `"x"`,
    and only the body of a `jax.shard_map` knows it.
dtype: Your numbers are right, but {kinds} came back. All should be `float32`.
copies-differ [variables]: Your result claims to be the same on all devices, but they hold different numbers. With
    `check_vma=False`, JAX does not compare them.
gathers [send-little]: Your compiled program gathers: every device gets the blocks of all others, and needs room for
    all of them.
other-collective [what-they-do]: Your compiled program also contains: {others}.
not-split [one-body]: Your numbers are right, but they are not split by rows over the devices. Look at `out_specs`.
not-replicated [one-body]: Your numbers are right, but not every device has all of them. Look at `out_specs`.
"""


SIZES = (8, 2, 1)
"""Devices of the meshes on which an answer runs: what is right on one alone falls."""


def on_meshes(oracle, calls_for, *specs, mistakes, part=lambda result: result, copies=False):
    """The first step of most exercises: right numbers on meshes of several sizes.

    Args:
        oracle: gives what is right for a number of devices and the arguments without the mesh.
        calls_for: draws the arguments of some calls, for a number of devices.
        *specs: where each argument lies, see `probe.placing`.
        mistakes: by label, functions like the oracle.
        part: what of a result is compared, an array or a list of arrays; it may refuse the result.
        copies: whether a result is on every device, which then all have the same.
    """

    def read(whole, devices, *args):
        return part(whole["result"])

    def read_copies(whole, devices, *args):
        require(whole["equal"], "copies-differ")
        return part(whole["result"])

    return Agrees(
        oracle,
        extremes=lambda rng: [(n, *args) for n in SIZES for args in calls_for(rng, n)],
        ask=over_meshes(*specs, axis="x"),
        reads=read_copies if copies else read,
        mistakes=mistakes | {"only-on-eight/numbers": seen(lambda reply: reply.right or reply.case[0] < SIZES[0])},
        then=[single_precision],
        raising={"no-such-axis": names_another_axis, "only-on-eight": names_a_device},
        rtol=2e-4,
    )


def single_precision(answer, replies):
    """Require that what came in single precision is in single precision."""
    kinds = {str(np.asarray(leaf).dtype) for reply in replies for leaf in jax.tree.leaves(reply.got)} - {"float32"}
    refuse(kinds, "dtype", kinds=" and ".join(sorted(kinds)))


def names_a_device(error):
    """Whether an exception says that the pairs of `ppermute` name a device that a smaller mesh does not have."""
    devices, named = error.case[0], re.findall(r"\d+(?=[,)])", error.raised.message)
    return devices < SIZES[0] and "ppermute" in error.raised.message and max(map(int, named), default=0) >= devices


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
