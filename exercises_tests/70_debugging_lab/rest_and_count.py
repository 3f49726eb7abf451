"""rest-and-count."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import is_close, numbers


def bead(x):
    """The oracle, in `float64`: where the bead stops, how often its force was computed, and how sure that is."""
    x, forces = float(x), []
    while not forces or abs(forces[-1]) > 1e-3:
        x += 0.1 * forces[-1] if forces else 0.0
        forces.append(-2 * x - np.sin(x))
    sure = abs(forces[-1]) < 0.97e-3 and all(abs(force) > 1.03e-3 for force in forces[:-1])
    return x, len(forces), sure


def programs_with_and_without_jit(student_function, x):
    """The programs that a call compiles where nothing has been compiled before, and the same without `jit`.

    Without `jit`, every sine is computed by itself, and can be counted.
    """
    with_jit = probe.compiles(student_function, [(x,)])[0]
    with insides.counting_runs("sin", jnp.sin, x) as sines, jax.disable_jit():
        without = probe.compiles(student_function, [(x,)])[0]
    return {"with": with_jit, "without": without, "sines": len(sines)}


def draw_starts(rng):
    """Places on both sides, one that is at rest and one far away, a number of Python's, and the first one again."""
    drawn = rng.uniform(0.3, 2.5, size=50).astype(np.float32) * np.tile(np.float32([1, -1]), 25)
    sure = sorted([x for x in drawn if bead(x)[2]][:4], key=abs, reverse=True)
    far = next(x for x in rng.uniform(2e4, 4e4, size=50).astype(np.float32) if bead(x)[2])
    return [*sure, np.float32(2e-4), far, float(sure[1]), sure[0]]


def places_and_counts(answer, rng):
    """The place of rest and the count for each start, by a force that is compiled once.

    A function, since the counts of all starts together show the mistake, and the place tells nothing of it.
    """
    starts = draw_starts(rng)
    first = numbers(answer(starts[0]))
    programs = answer.probe(programs_with_and_without_jit, starts[0])
    evaluations = bead(starts[0])[1]
    refuse(len(programs["with"]) >= evaluations, "compiled-at-each-place", count=len(programs["with"]))
    counted(starts, [first, *(numbers(answer(start)) for start in starts[1:])])
    compiled_once(answer, programs, evaluations)


def counted(starts, results):
    """Whether the counts are right, and then the places."""
    require(all(each.shape == (2,) for each in results), "not-a-pair")
    counts, want = np.array([each[1] for each in results]), np.array([bead(start)[1] for start in starts])
    refuse(len(set(counts)) == 1 and counts[0] <= 2, "counts-the-traces")
    require(counts[0] == counts[-1], "count-goes-on")
    refuse(is_close(counts, want - 1), "first-not-counted")
    refuse(is_close(counts, 2 * want - 1), "computed-twice")
    steps = want > 1
    sides = [steps & (np.sign(starts) == side) for side in (1, -1)]
    refuse(any(is_close(counts, np.where(side, 1, want)) for side in sides if side.any()), "one-side-only")
    expect(counts, want, "wrong-count", tolist=np.round(starts, 4).tolist())
    places = np.array([each[0] for each in results])
    close_by = np.abs(places - np.array([bead(start)[0] for start in starts])) < 2e-5
    require(close_by.all(), "wrong-value")


def compiled_once(answer, programs, evaluations):
    """Whether the force is compiled, computed as often as counted, and compiled no more than once."""
    if "sin" in programs["with"] or "sin" not in programs["without"]:
        refuse("disable_jit" in answer.probe(probe.code_facts)["names"], "switches-jit-off")
        require(False, "gives-up-jit")
    refuse(programs["sines"] > 1.5 * evaluations, "computed-twice/2")
    own = [name for name in programs["with"] if name not in programs["without"]]  # and not those of operations
    again = next((name for name in own if own.count(name) > 1), "")
    refuse(again, "compiled-again", again=again, times=own.count(again))


WORDS = """
hint: The line that counts is Python. How often does Python run in a jitted function?
hint: Count where you call it.
not-a-pair: Return the pair `(x, evaluations)`.
counts-the-traces [lost-effects]: From every start you give the same count, of 2 at most. Was the force counted when JAX
    traced it, and not each time that it was computed?
count-goes-on: The same start gives you another count, because yours goes on from call to call.
first-not-counted: You didn't count the force that is computed once before the loop.
computed-twice: You compute the force twice at each place but the last. Keep what came out, and use it.
one-side-only: Your answer is right for a start on one side, and not on the other. It is the size of the force that
    counts.
wrong-count: Your count is not how often the force was computed. The starts are {tolist}.
wrong-value: Your bead comes to rest somewhere else.
switches-jit-off [seeing-inside]: You switched the compiler off, for everything in there. The count is right and
    nothing is compiled.
gives-up-jit: Not each force comes out of a compiled program. Keep the `jit` around it, and move the count.
computed-twice/2: You count one force at each place, and compute it twice, once to ask for its size, and once to move.
compiled-at-each-place [function-identity]: Your call compiles {count} programs, because the force is compiled anew at
    each place.
compiled-again [function-identity]: Your call compiles `{again}` {times} times, and once is enough. Use what one `jit`
    has given at all places, with an argument of one type.
"""

rest_and_count = declare(
    "rest-and-count",
    see="lab-silent",
    steps=[places_and_counts],
    words=WORDS,
)
