"""Pictures to play with: the reader chooses, and the page shows what NumPy made of that choice.

All pictures are drawn beforehand from real arrays, so that what the reader plays with is true by construction.
The result is HTML with a little CSS, and the same for the site, for Jupyter and for Colab: real radio buttons, no
JavaScript, no kernel. On paper, and in a browser that lacks `:has`, all pictures are shown under their labels.

A page needs no unique ids for it: a button lies inside its label, and the browser keeps the buttons of two forms
apart even if their names are equal, so that the same choice can be on a page twice.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from jaxcourse import draw
from jaxcourse.svg import Picture

# Labels and pictures alternate, so that they belong together where the style is missing or print is asked for. On a
# screen, `order` moves the pictures below all labels, and only the picture behind the checked label is shown. The
# grey, the blue and the page's own text colour have enough contrast on white and on black.
STYLE = """
.jaxcourse-explore fieldset{min-width:0;margin:1em 0;padding:.5em;border:1px solid #808080;
border-radius:6px}
.jaxcourse-explore legend{float:none;width:auto;margin:0;padding:0 .4em;font-size:1em;font-weight:600}
.jaxcourse-explore label{display:inline-flex;align-items:center;gap:.45em;box-sizing:border-box;min-width:28px;
min-height:28px;margin:0;padding:.15em .6em;border:1px solid #808080;border-radius:4px;cursor:pointer;
font:.875em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.jaxcourse-explore input{flex:none;width:1em;height:1em;margin:0;accent-color:#4a74e0}
.jaxcourse-explore label:has(:checked){border-color:currentColor;box-shadow:inset 0 0 0 1px currentColor}
.jaxcourse-explore label:has(:focus-visible){outline:3px solid #4a74e0;outline-offset:2px}
.jaxcourse-frame{min-width:0;padding-top:.75em;break-inside:avoid}
@supports selector(:has(*)){@media screen{
.jaxcourse-frames{display:flex;flex-wrap:wrap;gap:.5em}
.jaxcourse-frame{display:none;order:1;flex-basis:100%}
.jaxcourse-frames label:has(:checked)+.jaxcourse-frame{display:block}
}}
@media print{
.jaxcourse-explore label{display:flex;width:fit-content;break-after:avoid}
.jaxcourse-explore input{display:none}
}
"""


@dataclass(frozen=True)
class Explorable:
    """Pictures of which the reader sees one at a time; a terminal shows the text of all of them.

    Args:
        question: what the reader chooses.
        frames: labels and their pictures, in reading order. The first is shown at the start.
    """

    question: str
    frames: tuple[tuple[str, Picture], ...]

    @property
    def html(self) -> str:
        """The radio buttons, the pictures and their style as one self-contained element."""
        name = "choice-" + hashlib.sha256(repr((self.question, self.frames)).encode()).hexdigest()[:12]
        frames = [_frame(name, label, picture) for label, picture in self.frames]
        frames[0] = frames[0].replace("<input ", '<input checked="checked" ', 1)
        # A form keeps the group apart from others; `dialog` is the method that never leaves the page.
        return (
            f'<div><style>{STYLE}</style><form class="jaxcourse-explore" method="dialog">'
            f"<fieldset><legend>{escape(self.question)}</legend>"
            f'<div class="jaxcourse-frames">{"".join(frames)}</div></fieldset></form></div>'
        )

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return "\n".join([self.question, *(f"- {label}: {picture.alt}" for label, picture in self.frames)])


def _frame(name: str, label: str, picture: Picture) -> str:
    button = f'<label><input type="radio" name="{name}"/><span>{escape(label)}</span></label>'
    return f'{button}<div class="jaxcourse-frame">{picture.html}</div>'


def choose(frames: Mapping[str, Picture], question: str) -> Explorable:
    """Let the reader choose which of some pictures to see.

    Args:
        frames: at least two pictures by their labels, in reading order. Steps may have labels such as `"1"`.
        question: what is chosen, in words. It stands above the labels.

    Returns:
        What a notebook shows as radio buttons with the chosen picture below, and a terminal as text.

    Raises:
        ValueError: if there are fewer than two pictures, one is not a `Picture`, or a text is empty.

    Example:
        >>> x = np.arange(4.0)
        >>> choose({"forwards": draw.layout(x), "backwards": draw.layout(x[::-1])}, "Which way?").frames[1][0]
        'backwards'
    """
    if len(frames) < 2:
        raise ValueError(f"a choice needs at least two pictures, got {len(frames)}")
    if not question.strip():
        raise ValueError("a choice needs a question: say what the reader chooses")
    for label, picture in frames.items():
        if not isinstance(label, str) or not label.strip():
            raise ValueError(f"a label must be words, not {label!r}: name what is chosen with it")
        if not isinstance(picture, Picture):
            raise ValueError(
                f"{label!r} is not a Picture but of type {type(picture).__name__}: draw it with jaxcourse.draw"
            )
    return Explorable(question, tuple(frames.items()))


def layouts(array: draw.Array) -> Explorable:
    """Let the reader choose among views and copies of an array, each drawn with `draw.layout`.

    Args:
        array: a NumPy array of real numbers with 2 axes, at least 2 and at most 12 long: `x` in the labels.

    Returns:
        The choice, to be shown by a notebook.

    Raises:
        ValueError: if the array has another shape, holds other things, or is not NumPy's.

    Example:
        >>> print(layouts(np.arange(12.0).reshape(3, 4)).frames[1][0])
        x.T
    """
    whole = draw.layout(array)
    if array.ndim != 2 or min(array.shape) < 2 or np.iscomplexobj(array):
        raise ValueError(
            f"expected real numbers in 2 axes, each of length 2 or more, got {array.dtype} of shape {array.shape}"
        )
    choices = {
        "x.T": array.T,
        "x[::2]": array[::2],
        "x[:, 1]": array[:, 1],
        "x[::-1]": array[::-1],
        "np.asfortranarray(x)": np.asfortranarray(array),
        "x.astype(np.float32)": array.astype(np.float32),
    }
    frames = {"x": whole, **{label: draw.layout(choice) for label, choice in choices.items()}}
    return choose(frames, "Choose an expression and find its elements in memory.")


def tape(function: Callable[..., Any], *args: float) -> Explorable:
    """Let the reader go through the tape of a function step by step, forwards and then backwards.

    Args:
        function: as for `draw.tape`: takes numbers and returns one.
        *args: where it is evaluated.

    Returns:
        The choice, to be shown by a notebook.

    Raises:
        ValueError: if the function cannot be drawn.

    Example:
        >>> print(tape(lambda x, y: x * y, 2.0, 3.0).frames[-1][0])
        ← a
    """
    question = "Choose a step: → computes a value, ← hands its cotangent to its operands."
    return choose(draw.tape_steps(function, *args), question)
