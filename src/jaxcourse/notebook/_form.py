"""The form of a question in a notebook, where widgets are installed: as in Colab."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from jaxcourse.notebook._cells import in_kernel
from jaxcourse.notebook._panel import Panel
from jaxcourse.notebook._predictions import Field, bare

_UNSAID: Any = ...
"""What stands for an answer that is not given yet, as in the cell."""


def has_widgets() -> bool:
    """Whether a form can be shown: widgets are installed, and this runs in a kernel, which a front end talks to."""
    return in_kernel() and find_spec("ipywidgets") is not None


def form(fields: Sequence[Field], commit: Callable[[Sequence[Any]], Panel]) -> Any:
    """A form, as a widget: a control for each field, a button, and below it what `commit` says to the answers.

    Nothing waits for it.

    Args:
        fields: of the question.
        commit: takes an answer for each field, `...` for none.
    """
    widgets: Any = import_module("ipywidgets")
    made = [_control(field, widgets) for field in fields]
    button, told = widgets.Button(description="Predict"), widgets.HTML()

    def answer(_: Any) -> None:
        told.value = commit([value() for _, value in made]).html

    button.on_click(answer)
    return widgets.VBox([*(control for control, _ in made), button, told])


def _control(field: Field, widgets: Any) -> tuple[Any, Callable[[], Any]]:
    """The control of a field, and what gives the answer that stands in it."""
    label = bare(field.ask) or "Your prediction"
    wide = {"style": {"description_width": "initial"}, "layout": {"width": "auto"}}
    if field.kind == "several":
        boxes = [widgets.Checkbox(description=bare(one), indent=False) for one in field.choices]
        marked = [widgets.Label(f"{label}: mark all that hold"), *boxes]
        return widgets.VBox(marked), lambda: [box.description for box in boxes if box.value] or _UNSAID
    if field.kind in ("choice", "truth"):
        options = [*map(bare, field.choices)] or ["True", "False"]
        chosen = widgets.RadioButtons(options=options, value=None, description=label, **wide)
        return chosen, lambda: _UNSAID if chosen.value is None else chosen.value
    typed = widgets.Text(description=label, placeholder=field.unit, **wide)
    return typed, lambda: typed.value.strip() or _UNSAID
