"""donate: the oldest of three states of a wave gives its memory to the newest."""

import warnings

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import declare, expect, naming, refuse, require

from ._lesson import NO_HASH, require_one_program
from ._lesson import WORDS as LESSON


def donation_facts(student_function, before, now, speed):
    """Three steps: what comes back, what is gone afterwards, where it lies, and which programs each step compiled."""
    before, now, speed = (jnp.array(each) for each in (before, now, speed))
    facts = {"results": [], "in_place": True, "gone": True, "lost": ""}
    names, results = [], []
    jax.clear_caches()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            address = before.unsafe_buffer_pointer()
            names += probe.compiled(lambda *args: results.append(student_function(*args)), [(before, now, speed)])
            facts["gone"] &= before.is_deleted()
            lost = [name for name, array in (("now", now), ("speed", speed)) if array.is_deleted()]
            facts["lost"] = " and ".join(lost)
            if not probe.is_really(results[-1], jax.Array):
                return facts | {"type": type(results[-1]).__name__}
            facts["in_place"] &= results[-1].unsafe_buffer_pointer() == address
            facts["results"].append(np.array(results[-1]))
            if lost:
                break
            before, now = now, results[-1]
    unused = any("not usable" in str(warning.message) for warning in caught)
    return facts | {"type": "jax.Array", "unused": unused, "programs": names}


def donations(student_function, shape):
    """Whether the outermost programs of the answer donate something, and whether those inside of them do."""
    water = np.ones(shape, np.float32)
    # What cannot be traced deletes, or looks at the numbers: that is no donation.
    program = insides.read_if_traceable(student_function, water, water, water)
    jits = [equation for equation in program.equations if equation.is_jit] if program else []
    inside = [equation for each in jits for equation in each.called.everything]
    return [any(any(each.donated) for each in some) for some in (jits, inside)]


def water_after(before, now, speed):
    around = sum(np.roll(now, shift, axis) for shift in (1, -1) for axis in (0, 1))
    return np.where(speed > 0, 2 * now - before + speed**2 * (around - 4 * now), 0)


def _judge_donation(facts, donates, donates_inside):
    first, *later = facts["programs"]
    refuse(facts["unused"], "donated-too-much")
    refuse("speed" in facts["lost"], "speed-donated", lost=facts["lost"])
    refuse(facts["lost"], "now-donated")
    refuse(donates and not facts["gone"], "donated-a-copy")
    refuse(donates_inside and not facts["gone"], "inner-donation")
    require_one_program(first)
    refuse(any(later), "jit-at-each-call")
    require(facts["gone"], "nothing-donated")
    require(facts["in_place"], "deleted-by-hand")


def the_old_state_becomes_the_new_one(answer, rng):
    """One program takes the memory of `before`, of nothing else, and writes the new state there.

    A function, since it looks at memory and programs over three steps, each from what the last one gave.
    """
    for shape in ((int(rng.integers(5, 9)), 8), (1000, 3)):
        before, now = (rng.normal(size=shape).astype(np.float32) for _ in range(2))
        speed = rng.choice([0, 0.3, 0.5, 0.7], size=shape).astype(np.float32)
        with naming({"static-not-donated": NO_HASH}):
            facts = answer.probe(donation_facts, before, now, speed)
        answer.called = f"donate(before, now, speed), all float32{list(shape)}"
        require(facts["type"] == "jax.Array", "wrong-type", type=facts["type"])
        for got in facts["results"]:
            before, now = now, water_after(before, now, speed)
            expect(got, now, "wrong-value", rtol=1e-3)
        _judge_donation(facts, *answer.probe(donations, shape))


WORDS = """
hint: After a step, which of the three arguments does no later step need?
hint: `jax.jit(wave_step, donate_argnames=...)`, with one name. The next step takes `now` as its `before`.
donated-too-much: You donated more than the program can use, and JAX warns. There is one result, so one argument can
    become it.
speed-donated: `{lost}` is deleted after the first step, and all steps need `speed`. Donate only what no later step
    needs.
now-donated: `now` is deleted after the first step, and the next one needs it as its `before`. Which of the three
    does no later step need?
donated-a-copy: Your program donates something, but the `before` that came in is still there after the step. Is it a
    copy that you donate?
inner-donation: Your `jit` that should donate is inside another one. Only the outermost can, so nothing is donated:
    give `donate_argnums` to that one.
jit-at-each-call [function-identity]: Your second step compiled again. Call `jit` once, outside the steps.
nothing-donated: The old water is still there after the step, so your program needed memory for three states. Tell
    `jit` which one it may reuse.
deleted-by-hand: The old water is gone, but the new one is not in its memory, so all were held during the step. Let
    `jit` donate the old one.
static-not-donated: Your static argument is part of the key, and is not donated. All three are arrays: donate one of
    them.
wrong-type: One step of `wave_step` gives a `jax.Array`. Yours gave an object of type `{type}`.
wrong-value: Your result is not one step of `wave_step`. Does it get the three arrays as they are, in their order?
not-jitted/none: Nothing was compiled. Put `jax.jit` around `wave_step`.
"""

donate = declare(
    "donate",
    see="donation",
    steps=[the_old_state_becomes_the_new_one],
    words=(LESSON, WORDS),
)
