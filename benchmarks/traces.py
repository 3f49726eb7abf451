"""Record the traces that lesson 51 asks about: six loops on this machine, one of them well, five with one fault each.

    JAX_PLATFORMS=cpu python benchmarks/traces.py

Each loop does twelve updates `w - rate * tanh(x @ w)`, or what its fault makes of them. It runs once, for compilation,
and then is traced several times. The fastest is kept: on a shared machine, another program's turn is no fault of a
loop. What is kept is in `src/jaxcourse/data/traces`, some kB each, with machine, versions and date.
"""

from __future__ import annotations

import argparse
import datetime
import json
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import trace
from jaxcourse.runtime import cores

SIDE, STEPS = 256, 12


def update(w: jax.Array, x: jax.Array) -> jax.Array:
    """One step."""
    return w - 1e-3 * jnp.tanh(x @ w)


def update_with_loss(w: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
    """One step, and how large its weights are."""
    w = update(w, x)
    return w, jnp.mean(w**2)


step, step_with_loss = jax.jit(update), jax.jit(update_with_loss)
W, X = jnp.full((SIDE, SIDE), 1e-3), jnp.full((SIDE, SIDE), 1e-3)
SMALL = jnp.full((4, 4), 1e-3)
READINGS = np.random.default_rng(0).normal(size=(SIDE, 4 * SIDE)).astype(np.float32)
ON_HOST = np.ones((SIDE * 16, SIDE), np.float32)


def late_batches() -> Iterator[jax.Array]:
    """Batches that the host prepares, one after the other, while nothing else happens."""
    for _ in range(STEPS):
        with jax.profiler.TraceAnnotation("next_batch"):
            smooth = np.sort(READINGS, axis=1)[:, :SIDE]
        yield jnp.asarray(smooth)


def well() -> jax.Array:
    """All is on the device, and the host runs ahead."""
    w = W
    for _ in range(STEPS):
        w = step(w, X)
    return w


def waiting() -> jax.Array:
    """Each batch is made when it is needed."""
    w = W
    for batch in late_batches():
        w = step(w, batch)
    return w


def compiling() -> jax.Array:
    """A new function at each step, and so a new program."""
    w = W
    for _ in range(STEPS):
        w = jax.jit(lambda w, x: update(w, x))(w, X)
    return w


def tiny() -> jax.Array:
    """Steps of sixteen numbers: a call costs more than its work."""
    w = SMALL
    for _ in range(8 * STEPS):
        w = step(w, SMALL)
    return w


def reading() -> jax.Array:
    """The host looks at each loss before it goes on."""
    w, losses = W, []
    for _ in range(STEPS):
        w, loss = step_with_loss(w, X)
        losses.append(float(loss))
    return w


def copying() -> jax.Array:
    """A large table goes from the host to the device at each step, though it is always the same."""
    w = W
    for _ in range(STEPS):
        w = step(w, jax.device_put(ON_HOST)[:SIDE])
    return w


LOOPS = {"A": waiting, "B": reading, "C": well, "D": copying, "E": compiling, "F": tiny}
"""Which recorded trace is which loop: not in the order of the lesson."""


def main() -> None:
    """Record each loop, and print by which numbers they are told apart."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=25)
    tries = parser.parse_args().tries
    for name, loop in LOOPS.items():
        kept = fastest(loop, min(tries, 5) if loop is compiling else tries)
        path = trace.FOLDER / f"{name}.json"
        path.write_text(json.dumps(trace.to_json(kept), separators=(",", ":")) + "\n", encoding="utf-8")
        shares = ", ".join(f"{lane} {kept.busy(lane):.2f}" for lane in ("host", "compile", "copy", "device"))
        print(f"{name} {loop.__name__:9} {kept.seconds:.4f} s, {path.stat().st_size:6d} B, busy: {shares}")


def fastest(loop: Callable[[], jax.Array], tries: int) -> trace.Trace:
    """The fastest of several traces of a loop."""
    loop()
    seen = min((trace.record(loop) for _ in range(tries)), key=lambda one: one.seconds)
    return trace.Trace(seen.seconds, seen.events, about())


def about() -> str:
    """Where and when."""
    device = jax.devices()[0]
    kind = "CPU" if device.platform == "cpu" else device.device_kind
    date = datetime.datetime.now(datetime.UTC).date()
    return f"Recorded on a {kind} with {cores()} cores, JAX {jax.__version__}, {date}."


if __name__ == "__main__":
    main()
