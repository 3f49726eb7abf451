"""What every picture with fields has in common: its HTML, which is complete in itself, and its text."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from jaxcourse.paths import PACKAGE


@dataclass(frozen=True)
class Field:
    """A labelled input of a picture.

    Args:
        name: its name, in the model and in the address.
        label: what the reader sees above it.
        hint: how to write what belongs here. It stands below, where a message about a wrong input replaces it.
        options: what can be chosen; without any, the reader types.
        lines: how many lines the reader can type.
        wide: whether it takes the room of several.
        counts: whether it is a number from 0 on, which the arrow keys change.
    """

    name: str
    label: str
    hint: str = ""
    options: tuple[str, ...] = ()
    lines: int = 1
    wide: bool = False
    counts: bool = False

    def html(self, value: str) -> str:
        """The input with its label and hint. Its ids are given on the page, where two of a kind can stand."""
        wide = ' data-wide=""' if self.wide else ""
        hint = f'<small aria-live="polite">{escape(self.hint)}</small>'
        return f"<div{wide}><label>{escape(self.label)}{self._control(value)}</label>{hint}</div>"

    def _control(self, value: str) -> str:
        name = f"name={quoteattr(self.name)}"
        plain = 'spellcheck="false" autocapitalize="off" autocomplete="off"'
        if self.options:
            options = "".join(self._option(word, value) for word in self.options)
            return f'<select {name} autocomplete="off">{options}</select>'
        if self.lines > 1:
            return f'<textarea {name} {plain} rows="{self.lines}">{escape(value)}</textarea>'
        if self.counts:
            return f'<input type="number" min="0" step="1" {name} autocomplete="off" value={quoteattr(value)}/>'
        return f'<input type="text" {name} {plain} value={quoteattr(value)}/>'

    def _option(self, word: str, value: str) -> str:
        chosen = ' selected="selected"' if word == value else ""
        return f"<option{chosen}>{escape(word)}</option>"


@dataclass(frozen=True)
class Play:
    """A picture that takes the reader's own input; a terminal shows the text of its first state.

    Args:
        kind: which picture it is: the name of its script.
        question: what stands above the fields.
        fields: the inputs, in the order of the Tab key.
        state: what the fields hold at the start.
        says: what the picture says about that state, by NumPy or JAX themselves.
        examples: other states by their names. What an example leaves out stays as it is.
        scripts: scripts that the picture's own needs.
    """

    kind: str
    question: str
    fields: tuple[Field, ...]
    state: Mapping[str, str]
    says: str
    examples: Mapping[str, Mapping[str, str]]
    scripts: tuple[str, ...] = ()

    @property
    def html(self) -> str:
        """The picture as one self-contained element: style, fields, text and script."""
        fields = "".join(field.html(self.state[field.name]) for field in self.fields)
        code = f"{script(self.kind, self.scripts)}start({json.dumps(self.kind)},{self.kind});}})();"
        return (
            f"<div><style>{source('engine.css')}</style>"
            f'<form class="jaxcourse-play" method="dialog" autocomplete="off" data-picture="{self.kind}">'
            f'<fieldset disabled="disabled">'
            f"<legend>{escape(self.question)}</legend>{self._examples()}"
            f'<div class="jaxcourse-play-fields">{fields}</div>{self._frame()}</fieldset>'
            f"<script>{code}</script></form></div>"
        )

    def _examples(self) -> str:
        states = {"start": self.state, **self.examples}
        buttons = "".join(
            f'<button type="button" data-state={quoteattr(json.dumps(dict(state)))}>{escape(name)}</button>'
            for name, state in states.items()
        )
        return f'<div class="jaxcourse-play-examples" role="group" aria-label="Examples">Examples: {buttons}</div>'

    def _frame(self) -> str:
        return (
            f'<div class="jaxcourse-play-frame" tabindex="0" role="group" '
            f'aria-label="What it shows"><p role="status">{escape(self.says)}</p>'
            '<div class="jaxcourse-play-sheet"></div></div>'
        )

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        inputs = ", ".join(f"{field.label}: {self.state[field.name]}" for field in self.fields)
        return f"{self.question}\n{inputs}\n{self.says}"


@functools.cache
def source(name: str) -> str:
    """A script or a style sheet without indentation and without whole lines of comment."""
    lines = PACKAGE.joinpath("play", "js", name).read_text(encoding="utf-8").splitlines()
    bare = (line.strip() for line in lines)
    return "\n".join(line for line in bare if line and not line.startswith(("//", "/**")))


def script(kind: str, others: Sequence[str] = ()) -> str:
    """The engine and a picture's own script, in a scope of their own that the caller closes."""
    text = "\n".join(source(f"{name}.js") for name in ("engine", *others, kind))
    if "</" in text:
        raise ValueError(f"{kind}.js must not contain '</': a page would take it for the script's end")
    return f'(()=>{{"use strict";\n{text}\n'


def start(kind: str, state: dict[str, str], given: dict[str, str | None]) -> dict[str, str]:
    """The state at the start: the picture's own, with what the caller gave."""
    wrong = [name for name, value in given.items() if value is not None and not isinstance(value, str)]
    if wrong:
        raise ValueError(f"play.{kind} takes texts, as a reader would type them: give {', '.join(wrong)} as a string")
    return state | {name: value for name, value in given.items() if value is not None}
