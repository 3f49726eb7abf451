"""refine-the-few."""

import numpy as np

from jaxcourse import inputs, insides, probe
from jaxcourse.checks import Agrees, declare, refuse, require

from ._lesson import missing_while_traced


def decisions(student_function, guesses, done):
    """Whether a `cond` stands in a loop of JAX; whether numbers are divided outside of every branch, or many in one."""
    facts = {"in a loop": False, "for all": False, "of many": False}
    for place in insides.read(student_function, guesses, done).walk():
        made = place.equation.outputs[0] if place.equation.outputs else None
        floats = made is not None and "float" in made.dtype
        divides = floats and place.equation.primitive in ("div", "integer_pow", "pow", "sqrt", "rsqrt")
        facts["in a loop"] |= place.in_loop and bool(place.equation.branches)
        facts["for all"] |= divides and not place.in_branch
        facts["of many"] |= divides and place.in_branch and made.size > 1
    return facts


def refined(guesses, done):
    """The oracle, in `float64`: a negative guess goes to the negative root."""
    return np.where(done, guesses, np.sign(guesses) * np.sqrt(2))


def draw_stars(rng, n):
    guesses = (
        inputs.array(rng, n, "float32", low=1, high=4) * rng.choice([-1, 1], n) * rng.choice([0.1, 1, 100, 1e12], n)
    )
    masks = inputs.masks(rng, n)
    return np.asarray(guesses, np.float32), masks[int(rng.integers(len(masks)))]


MISTAKES = {
    "turned-around": lambda guesses, done: refined(guesses, ~done),
    "all-refined": lambda guesses, done: refined(guesses, False & done),
}


DONE = np.array([True, True, False, True, False])


def some_guesses(rng):
    return rng.uniform(1.0, 3.0, size=5).astype(np.float32)


def can_be_traced(answer, rng):
    """Nothing of the program depends on what only a run knows."""
    _, missing, raised = missing_while_traced(answer, probe.under_jit, some_guesses(rng), DONE)
    refuse(missing == "shape", "shape-depends-on-data")
    refuse(missing, "asks-a-tracer", raised=raised)


def a_branch_for_each(answer, rng):
    """There is a `cond` for each star, in a loop, and what is done is left alone."""
    guesses = some_guesses(rng)
    few = answer.probe(probe.primitives, guesses, DONE)
    many = answer.probe(probe.primitives, np.tile(guesses, 2), np.tile(DONE, 2))
    require(few.get("cond", 0) >= 1, "both-branches-run")
    require(sum(few.values()) == sum(many.values()), "unrolled")
    facts = answer.probe(decisions, guesses, DONE)
    require(facts["in a loop"] and not facts["of many"], "one-truth-for-all")
    refuse(facts["for all"], "refined-before-the-branch")


WORDS = """
hint: What does `vmap` make of a `cond` with many conditions? Look at `jax.make_jaxpr`.
hint: `jax.lax.map` takes them one by one.
shape-depends-on-data [unknown-shapes]: How many are not done is a value, so what the mask picks has no shape to be
    traced with.
asks-a-tracer [tracer-errors]: Python, or NumPy, asks for values, such as those of `done`, and under `jit` there are
    only tracers. Your code raised `{raised}`.
turned-around: You refine those that are done. `cond` takes its first branch where `done` is true.
all-refined: You also refine what is done.
wrong-value: Return what is done as it was, and the rest as the root.
both-branches-run [cond-under-vmap]: Your program has no `cond` any more, and the branch should stay one. `where`, and
    what `vmap` makes of a `cond`, refine every star and choose afterwards.
unrolled [unrolling]: Your loop over the stars is a Python loop, so twice the stars are twice the program.
one-truth-for-all [cond-under-vmap]: You decide with one `cond` for all stars together. If one of them needs the work,
    all get it.
refined-before-the-branch [cond-under-vmap]: Your `cond` for each star only picks, because all stars are refined outside
    of its branches.
"""

refine_the_few = declare(
    "refine-the-few",
    see="lab-slow",
    steps=[
        can_be_traced,
        Agrees(refined, draw_stars, [1, 5, 9], each=8, ask=probe.under_jit, mistakes=MISTAKES, rtol=1e-5),
        a_branch_for_each,
    ],
    words=WORDS,
)
