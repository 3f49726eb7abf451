"""How the answer shows: tables and sentences, as text and as HTML, with the section that explains each hazard."""

from __future__ import annotations

import html as escaping
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.before._guess import factor, near
from jaxcourse.before._hazards import is_own, name_of
from jaxcourse.before._said import Said
from jaxcourse.course import Course
from jaxcourse.markup import as_text, marked
from jaxcourse.table import Table, in_html, number, si

if TYPE_CHECKING:
    from jaxcourse.before._hazards import Hazard
    from jaxcourse.before._model import Share

MOST_LEAVES = 3
NOTHING_SEEN = "None of the hazards that are looked for was seen. Others may be there."
HOW = (
    "The times are processor time, all cores together, for the program that this version of JAX compiles for this "
    "machine. Values decide as well, and these are not known: whether a sort meets few different numbers, which branch "
    "runs. The page *Before you run it* shows how often such a range held."
)


def text(said: Said) -> str:
    """The answer for a terminal."""
    tables = [str(part) if isinstance(part, Table) else as_text(part) for part in parts(said)]
    return "\n".join([*tables, *hazards_text(said.hazards), "", as_text(HOW)]).strip("\n")


def html(said: Said) -> str:
    """The answer for a notebook."""
    below = hazards_html(said.hazards)
    return f'<div class="jaxcourse-report">{in_html(parts(said))}{below}<p><small>{marked(HOW)}</small></p></div>'


def parts(said: Said) -> list[Table | str]:
    """Tables and sentences, without the hazards."""
    largest = [_largest(said)] if said.in_the_way else []
    return [_facts(said), *largest, *_reserves(said), *_taken(said)]


# -- what is so -------------------------------------------------------------------------------------------------


def _facts(said: Said) -> Table:
    rows = [
        ["comes back", _result(said.result), _beside(said, "shape", "dtype"), _right_type(said)],
        ["kernels in it", _kernels(said), *_against(said, "kernels", said.kernels)],
        ["bytes read and written", _amount(said, said.bytes, "B"), *_against(said, "bytes", said.bytes)],
        ["operations", _amount(said, said.operations, ""), "", ""],
        ["memory besides", si(said.temporaries, "B"), "", ""],
        ["collectives", _collectives(said), "", ""],
        ["a call on this machine", str(said.span) if said.span else "not said", *_time_guessed(said)],
    ]
    if said.took:
        rows.append(["taken, by the clock", _clock(said), *_against_taken(said)])
        rows.append(["taken, of the processor", si(said.took.processor, "s"), "", ""])
    if not said.guess:
        rows = [row[:2] for row in rows]
    head = ["what", "so it is", "you guessed", "that is"][: len(rows[0])]
    return Table("Before it runs", head, rows)


def _result(result: Any) -> str:
    leaves = jax.tree.leaves(result)
    named = [f"{leaf.dtype}[{','.join(map(str, leaf.shape))}]" for leaf in leaves[:MOST_LEAVES]]
    return (
        ", ".join([*named, *([f"{len(leaves) - MOST_LEAVES} more"] if len(leaves) > MOST_LEAVES else [])]) or "nothing"
    )


def _kernels(said: Said) -> str:
    launches = said.launches
    if launches is None:
        return f"{said.kernels}, launched an unknown number of times"
    most = "at most " * said.may_skip
    return str(said.kernels) if launches == said.kernels else f"{said.kernels}, launched {most}{launches:,} times"


def _amount(said: Said, amount: int | None, unit: str) -> str:
    if amount is None:
        return "not said: a loop has an unknown length"
    bound = {(True, False): "at least ", (False, True): "at most "}.get((bool(said.unread), said.may_skip), "")
    return f"{bound}{si(amount, unit) if unit else f'{amount:,}'}"


def _collectives(said: Said) -> str:
    if said.sent is None:
        return "cannot be read"
    return ", ".join(f"{count} {name}" for name, count in said.collectives.items()) or "none"


# -- beside a guess ---------------------------------------------------------------------------------------------


def _beside(said: Said, *names: str) -> str:
    return ", ".join(f"{name} {said.guess[name]}" for name in names if name in said.guess)


def _right_type(said: Said) -> str:
    leaves = jax.tree.leaves(said.result)
    asked = {name: said.guess[name] for name in ("shape", "dtype") if name in said.guess}
    if not asked:
        return ""
    if len(leaves) != 1:
        return f"one of {len(leaves)} arrays comes back"
    leaf, off = leaves[0], []
    if "shape" in asked and tuple(np.atleast_1d(asked["shape"]).tolist()) != tuple(leaf.shape):
        off.append("shape")
    if "dtype" in asked and jnp.dtype(asked["dtype"]) != leaf.dtype:
        off.append("dtype")
    return f"another {' and '.join(off)}" if off else "right"


def _against(said: Said, name: str, true: float | None) -> tuple[str, str]:
    if name not in said.guess:
        return "", ""
    guess = said.guess[name]
    shown = si(guess, "B") if name == "bytes" else number(guess)
    return shown, "not judged" if true is None else factor(guess, true)


def _time_guessed(said: Said) -> tuple[str, str]:
    if "ms" not in said.guess:
        return "", ""
    guess = said.guess["ms"] / 1e3
    return si(guess, "s"), near(guess, *said.span) if said.span else "not judged"


def _against_taken(said: Said) -> tuple[str, str]:
    if "ms" not in said.guess or not said.took:
        return "", ""
    guess = said.guess["ms"] / 1e3
    return si(guess, "s"), "not judged" if said.took.doubts else factor(guess, said.took.seconds)


def _clock(said: Said) -> str:
    assert said.took
    low, high = said.took.middle_half
    return f"{si(said.took.seconds, 's')} (middle half {si(low, 's')} to {si(high, 's')})"


# -- what is in the way -----------------------------------------------------------------------------------------


def _largest(said: Said) -> Table:
    head = ["in the way", "kind", "from", "runs", "of them all", "share", "most of it is"]
    return Table("What is in the way", head, [_row(one) for one in said.in_the_way])


def _row(one: Share) -> list[str]:
    kernel = one.kernel
    place = f"{name_of(kernel.place[0])}:{kernel.place[1]}" if kernel.place and is_own(kernel.place[0]) else ""
    written = " ".join(filter(None, [kernel.written, f"({place})" if place else ""]))
    return [
        kernel.name,
        kernel.kind,
        written,
        f"{kernel.runs:,}",
        str(one.seconds),
        f"about {one.share:.0%}",
        one.mostly,
    ]


def _reserves(said: Said) -> list[str]:
    """What cannot be said, and why."""
    found = []
    if said.unread:
        names = ", ".join(dict.fromkeys(f"`{one.written or one.name}`" for one in said.unread))
        found.append(
            f"**Not read**: {names}. What it does is not in the program, so bytes and operations are *at least*, and "
            "no time is said."
        )
    if said.collectives or said.sent is None:
        found.append("**No time is said**: devices communicate, and simulated devices do so in one memory.")
    if said.launches is None:
        found.append("**No time is said**: a loop has an unknown length. Its kernels are counted, for one turn each.")
    if said._rates is None:
        found.append(
            "**No time is said**: on this device such a range was never judged. Counts hold for its own program."
        )
    if said.may_skip:
        found.append("A decision in it may skip some kernels: the range is from none of them to all of them.")
    return found


def _taken(said: Said) -> list[str]:
    """What a run says of the range."""
    if said.why_not_run:
        return [f"**Not measured**: {said.why_not_run}"]
    if not said.took:
        return []
    if said.took.doubts:
        return [f"**No verdict**: {' '.join(said.took.doubts)}"]
    if not said.span:
        return []
    where = near(said.took.processor, *said.span)
    return [f"**The run**: {si(said.took.processor, 's')} of processor time is {where}, {said.span}."]


# -- hazards ----------------------------------------------------------------------------------------------------


def hazards_text(hazards: Sequence[Hazard]) -> list[str]:
    """Hazards for a terminal, each with what to read."""
    if not hazards:
        return ["", NOTHING_SEEN]
    return ["", "Hazards:", *(as_text(f"- {one.says} {_reference(one)}", indent="  ") for one in hazards)]


def hazards_html(hazards: Sequence[Hazard]) -> str:
    """Hazards for a notebook, each with a link to what explains it."""
    found = "".join(f"<li>{marked(one.says)} {_link(one)}</li>" for one in hazards)
    return f"<p>Hazards:</p><ul>{found}</ul>" if found else f"<p>{NOTHING_SEEN}</p>"


def section(label: str) -> tuple[str, str, str]:
    """A labelled section: its heading, its lesson's number, and its address, each empty if it is not known."""
    for stem, words in Course.installed().texts.items():
        if label in words.sections:
            return words.sections[label], stem.partition("_")[0], f"{words.page}#{label}" if words.page else ""
    return "", "", ""


def _reference(one: Hazard) -> str:
    """What to read, for a terminal."""
    heading, lesson, address = section(one.section)
    return f"Read “{heading}”, lesson {lesson}{f': {address}' if address else '.'}" if heading else ""


def _link(one: Hazard) -> str:
    """What to read, for a notebook."""
    heading, lesson, address = section(one.section)
    if not heading:
        return ""
    words = f"{marked(heading)}, lesson {lesson}"
    linked = f'<a href="{escaping.escape(address)}" target="_blank" rel="noopener">{words}</a>' if address else words
    return f"<small>Read: {linked}</small>"
