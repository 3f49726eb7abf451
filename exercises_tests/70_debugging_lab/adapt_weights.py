"""adapt-weights."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import insides
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import is_close
from jaxcourse.probe import NEEDS_A_VALUE, AnswerRaised

from ._lesson import raised_by


def given_away(student_function, weights, gradient):
    """Call with JAX arrays of our own: what comes back, and which of the two were given away."""
    mine, slope = jnp.array(weights), jnp.array(gradient)
    try:
        result = student_function(mine, slope)
        result = jax.tree.map(np.asarray, result)
    except (RuntimeError, ValueError) as error:
        if "deleted" in str(error).lower():
            return {"reads": True}
        raise
    facts = {"reads": False, "pair": isinstance(result, (tuple, list)) and len(result) == 2}
    facts["deleted"], facts["gradient deleted"] = bool(mine.is_deleted()), bool(slope.is_deleted())
    return facts | {"result": result}


def beside_the_donation(student_function, weights, gradient):
    """What is computed of the weights, of the same size, outside of a step that they are given to; what is given."""
    slope = jnp.asarray(gradient)  # has its numbers, since they may be looked at
    program = insides.read(lambda w: student_function(w, slope), weights)
    old, copies, donated, made = program.inputs[0], [], set(), set()
    for equation in program.equations:
        gives = [value for value, given in zip(equation.inputs, equation.donated, strict=True) if given]
        donated |= {"weights" if value is old else "gradient" for value in gives if value not in made}
        if old in equation.inputs:
            large = [equation.primitive for out in equation.outputs if out.shape == old.shape]
            copies += large[1 if old in gives else 0 :]  # one may lie where the weights lay
        made |= {*equation.outputs}
    return {"copies": [name for name in copies if name != "device_put"], "donated": sorted(donated)}


def gives_away_the_weights(answer, rng):
    """The new weights and the length of the step, while the weights alone are given away.

    A function, since what is donated, copied and read belongs to the same few calls as the numbers.
    """
    cases = [tuple(rng.normal(size=shape).astype(np.float32) for _ in range(2)) for shape in (5, (2, 3), 5)]
    facts = [answer.probe(given_away, *case) for case in cases]
    refuse(any(each["reads"] for each in facts), "reads-what-it-gave-away")
    require(all(each["pair"] for each in facts), "not-a-pair")
    for (weights, gradient), each in zip(cases, facts, strict=True):
        expect(each["result"][0], weights - 0.1 * gradient, "wrong-weights")
    lengths = [np.linalg.norm(gradient) for _, gradient in cases]
    moved = [each["result"][1] for each in facts]
    refuse(all(map(is_close, moved, lengths)), "length-of-the-gradient")
    changes = [np.linalg.norm(w - 0.1 * g) - np.linalg.norm(w) for w, g in cases]
    for wants in (changes, np.abs(changes)):
        of_lengths = all(is_close(got, want, rtol=1e-3) for got, want in zip(moved, wants, strict=True))
        refuse(of_lengths, "change-of-the-length")
    for got, length in zip(moved, lengths, strict=True):
        expect(got, 0.1 * length, "wrong-value", rtol=1e-3)
    instead = any(each["gradient deleted"] and not each["deleted"] for each in facts)
    refuse(instead, "gave-away-the-gradient")
    refuse(any(each["gradient deleted"] for each in facts), "gave-away-both")
    require(all(each["deleted"] for each in facts), "gave-up-the-donation")
    program, raised = raised_by(answer, beside_the_donation, *cases[0])
    by_hand = "delete()" in raised.message if raised else "weights" not in program["donated"]
    refuse(by_hand, "deletes-by-hand")
    copied = raised.kind == "TracerArrayConversionError" if raised else program["copies"]
    refuse(copied, "keeps-a-copy")
    if raised and raised.kind not in NEEDS_A_VALUE:
        raise AnswerRaised(raised)
    refuse(program and "gradient" in program["donated"], "gave-away-both/2")


WORDS = """
hint: After the call the old weights are gone. Where do old and new exist side by side?
hint: Inside `step`.
reads-what-it-gave-away [donation]: You read the weights, or the gradient, after giving them away. Their memory is not
    theirs any more. A second name is not a copy.
not-a-pair: Return the pair `(updated, moved)`.
wrong-weights: Your weights are not those after one step.
length-of-the-gradient: You returned the length of the gradient. The weights move by a tenth of it.
change-of-the-length: You returned by how much the *length* of the weights changed. A move can leave the length as it
    is. Subtract the weights first, then take the length.
wrong-value: The second is how far the weights have moved.
gave-away-the-gradient [donation]: Your values are right, but you gave away the gradient in place of the weights. The
    old weights are still there. `donate_argnums` counts from 0.
gave-away-both [donation]: Your values are right, but the caller's gradient is gone as well. Give away the weights
    alone.
gave-up-the-donation [donation]: Your values are right, but the old weights are still there, and both need memory. Did
    you donate them, or a copy? Does the step return an array of their shape?
deletes-by-hand [donation]: You deleted the weights, and never donated them. `donate_argnums` lets the program write
    into them.
keeps-a-copy [donation]: Your values are right, but beside the new weights you make another array of their size, so two
    are in memory. Measure in the donating step, and return one number.
gave-away-both/2 [donation]: Your values are right, but you give the gradient away as well, and the caller may still
    want it. Donate the weights.
"""

adapt_weights = declare(
    "adapt-weights",
    see="lab-loud",
    steps=[gives_away_the_weights],
    words=WORDS,
)
