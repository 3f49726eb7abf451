"""Prediction boxes: a form below each question, and the outputs that it covers until the reader has committed.

What a box declares is read by `jaxcourse_author.lesson.predictions`. What is right is read from the outputs of the
cells below the box, whenever a page is written: a field that finds nothing there is a warning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bs4 import BeautifulSoup
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from jaxcourse.markup import marked
from jaxcourse_author.lesson import boxes_by_key, boxes_by_section, page_at
from jaxcourse_author.lesson.predictions import EXAMPLE, Answer, Box, Field, PredictionError, UnitError, read_box

if TYPE_CHECKING:
    from docutils.nodes import Element, Node, document
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

logger = logging.getLogger(__name__)

BLOCKS = ["p", "div", "li", "tr", "summary", "caption", "figcaption", "h1", "h2", "h3", "h4", "legend", "button", "dd"]


class predict_box(nodes.Admonition, nodes.Element):  # noqa: N801, docutils names nodes so
    """A prediction box; `body` is its source, from which its fields are read."""


class Predict(SphinxDirective):
    """The directive `{predict}`."""

    has_content = True

    def run(self) -> list[Node]:
        """Make the box, with the question in it."""
        body = "\n".join(self.content)
        try:
            box = read_box(body)
        except PredictionError as error:
            logger.warning("a prediction box: %s", error, location=self.get_location(), type="predict")
            return []
        node = predict_box("", nodes.title("", "Predict"), body=body, classes=["admonition-predict"])
        self.set_source_info(node)
        lines = StringList(box.question.splitlines(), self.state.document.current_source)
        self.state.nested_parse(lines, self.content_offset + box.offset, node)
        return [node]


def visit_box(self: Any, node: predict_box) -> None:
    """Write the box as the theme writes other boxes."""
    self.visit_admonition(node)


def depart_box(self: Any, node: predict_box) -> None:
    """End the box."""
    self.depart_admonition(node)


# -- what the run says ------------------------------------------------------------------------------------------


def outputs_below(box: Element) -> list[Element]:
    """The outputs of the cells below a box: of the first one and of those that follow it directly."""
    found: list[Element] = []
    siblings = box.parent.children
    for node in siblings[siblings.index(box) + 1 :]:
        if isinstance(node, nodes.Element) and node.get("nb_element") == "cell_code":
            found += [child for child in node.children if child.get("nb_element") == "cell_code_output"]
        elif found or not isinstance(node, nodes.paragraph):
            break
    return found


def elsewhere(outputs: Sequence[Element]) -> dict[str, tuple[str, str]]:
    """What outputs say on the devices that were recorded: by the record's name its label, and the text of all.

    An output of which there is no record says there what it says here.
    """
    labels = {name: one[0] for output in outputs for name, one in output.get("recorded", {}).items()}
    return {name: (label, "\n".join(_text_on(name, one) for one in outputs)) for name, label in labels.items()}


def _text_on(name: str, output: Element) -> str:
    if name not in output.get("recorded", {}):
        return text_of(output)
    shown = output["recorded"][name][2]
    return tidy("\n".join(text_of_html(one.content) if one.kind == "html" else one.content for one in shown))


def text_of(output: Element) -> str:
    """The text of an output, as patterns see it."""
    parts = []
    for node in output.findall():
        if isinstance(node, nodes.raw) and "html" in node["format"]:
            parts.append(text_of_html(node.astext()))
        elif isinstance(node, nodes.literal_block):
            parts.append(node.astext())
        elif isinstance(node, nodes.image):
            parts.append(node.get("alt", ""))
    return tidy("\n".join(parts))


def text_of_html(html: str) -> str:
    """The text of HTML: a picture is its alternative text and what is written in it; cells of a table are separated."""
    soup = BeautifulSoup(html, "html.parser")
    for tag in soup.select("script, style"):
        tag.decompose()
    for again in soup.select(".jaxcourse-narrow"):  # the same for a phone
        again.decompose()
    for picture in soup.select("svg[aria-label], [role=img][aria-label], img[alt]"):
        words = [tag.get_text() for tag in picture.select("text, .jaxcourse-title")]
        picture.replace_with("\n".join(["", str(picture.get("aria-label") or picture.get("alt")), *words, ""]))
    for cell in soup.select("td + td, td + th, th + td, th + th"):
        cell.insert(0, " | ")
    for block in soup.find_all(BLOCKS):
        block.insert(0, "\n")
        block.append("\n")
    return soup.get_text()


def tidy(text: str) -> str:
    """Text with single spaces, and without empty lines."""
    lines = (re.sub(r"[^\S\n]+", " ", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


# -- the form ---------------------------------------------------------------------------------------------------


def keys_of(app: Sphinx, docname: str) -> dict[str, str]:
    """The names under which readers' predictions are kept, by the digests of their questions: with their sections.

    They change with the question, and not with a lesson's number or the place in it.
    """
    boxes = boxes_by_key(boxes_by_section(page_at(Path(app.srcdir, f"{docname}.md"))))
    return {box.digest: key for key, box in boxes.items()}


def rights(box: Box, output: str) -> list[Answer]:
    """What the run says to the fields of a box; where it leaves one open, nothing."""
    found = []
    for field in box.fields:
        with suppress(PredictionError):
            found += [answer] if (answer := field.answer(output)) else []
    return found


def data_of(field: Field, output: str, example: str = "", on_record: bool = False) -> dict[str, Any]:
    """What the script needs to judge a field.

    Args:
        field: one of a box.
        output: that of the cells below the box.
        example: how to write an answer, by one that is none.
        on_record: whether the output is that of another device, which may leave open any field.
    """
    data: dict[str, Any] = {"kind": field.kind, "ask": marked(field.ask), "example": example}
    try:
        answer = field.answer(output)
    except PredictionError as error:
        if not (field.is_measured or on_record) or isinstance(error, UnitError):
            raise
        # Another machine may leave it open, as where two are equally fast: that is no reason not to build.
        logger.info("a prediction box is left open by this run: %s", error)
        return data | {
            "open": True,
            "shown": ("the record" if on_record else "this run") + " does not decide it",
            "measured": True,
        }
    if answer is None:
        return data
    data |= {"right": answer.value, "shown": answer.shown, "slack": answer.slack, "measured": field.is_measured}
    data |= {"lacks": True} if "else" in field.rest else {}
    data |= {key: field.rest[key] for key in ("factor", "within", "unit") if key in field.rest}
    data |= {key: marked(str(field.rest[key])) for key in ("less", "more") if key in field.rest}
    return data | {"mistakes": [{"when": said, "say": marked(words)} for said, words in field.mistakes.items()]}


def form(
    key: str, box: Box, output: str, covers: list[str], others: Mapping[str, tuple[str, str]] | None = None
) -> str:
    """The form of a box.

    Args:
        key: under which predictions are kept.
        box: the box.
        output: what the cells below it say here.
        covers: the ids of what is covered.
        others: what they say elsewhere, as `elsewhere` gives it.
    """
    others = others or {}
    said = [one for text in (output, *(text for _, text in others.values())) for one in rights(box, text)]
    require_no_answer_shown(box, said)
    examples = [field.example(said, box.fields) for field in box.fields]
    shown = list(zip(box.fields, examples, strict=True))
    data = escape(json.dumps([data_of(field, output, example) for field, example in shown]))
    there = {
        name: {"label": label, "fields": [data_of(field, text, example, on_record=True) for field, example in shown]}
        for name, (label, text) in others.items()
    }
    on_record = f' data-recorded="{escape(json.dumps(there))}"' if there else ""
    inputs = "".join(_input(f"predict-{key}-{i}", field, example) for i, (field, example) in enumerate(shown))
    return (
        f'<form class="predict-form" data-key="{key}" data-covers="{" ".join(covers)}" data-fields="{data}"'
        f"{on_record} novalidate>"
        f'<div class="predict-fields">{inputs}</div>'
        '<p class="predict-hint" role="alert"></p>'
        '<p class="predict-buttons"><button type="submit">Commit</button>'
        '<button type="button" data-do="show">Show me</button></p>'
        '<div class="predict-told" role="status"></div></form>'
    )


def require_no_answer_shown(box: Box, said: Sequence[Answer]) -> None:
    """Require that no example in the words of a box is what the run says to one of its fields.

    Raises:
        PredictionError: one is.
    """
    for text in (box.question, *(field.ask for field in box.fields)):
        for example in EXAMPLE.findall(text):
            if any(field.is_answer(example, said) for field in box.fields):
                raise PredictionError(f"its example {example} is what the run says: show another.")


def _input(name: str, field: Field, example: str) -> str:
    if field.kind in ("choice", "several", "truth"):
        return _choices(name, field)
    label = marked(field.ask) or ("In your own words" if field.kind == "text" else "Your prediction")
    hint = str(field.rest.get("unit", f"such as {example}" if field.kind in ("shape", "numbers") else ""))
    unit = f' <span class="predict-unit" id="{name}-unit">{escape(hint)}</span>' if hint else ""
    described = f' aria-describedby="{name}-unit"' if hint else ""
    keys = ' inputmode="decimal"' if field.kind == "number" else ""
    return (
        f'<div class="predict-field predict-{field.kind}"><label for="{name}">{label}</label>'
        f'<span class="predict-entry"><input type="text" id="{name}" name="{name}" autocomplete="off" '
        f'autocapitalize="off" spellcheck="false"{keys}{described}>{unit}</span></div>'
    )


def _choices(name: str, field: Field) -> str:
    kind = "checkbox" if field.kind == "several" else "radio"
    said = field.choices or {"True": "", "False": ""}
    ask = marked(field.ask) or ("Mark all that hold" if field.kind == "several" else "Your prediction")
    options = "".join(
        f'<label><input type="{kind}" name="{name}" value="{escape(choice)}"> <span>{marked(choice)}</span></label>'
        for choice in said
    )
    return (
        f'<fieldset class="predict-field predict-{field.kind}"><legend>{ask}</legend>'
        f'<span class="predict-options">{options}</span></fieldset>'
    )


# -- on the page ------------------------------------------------------------------------------------------------


def on_doctree(app: Sphinx, doctree: document, docname: str) -> None:
    """Give each box of a page its form, and mark the outputs that it covers."""
    keys = keys_of(app, docname)
    for node in list(doctree.findall(predict_box)):
        box = read_box(node["body"])
        key = keys.get(box.digest, f"page-{box.digest}")
        outputs = outputs_below(node)
        if not outputs:
            logger.warning("a prediction box: no cell with an output follows it.", location=node, type="predict")
            continue
        covers = list(_mark(outputs, key))
        try:
            html = form(key, box, "\n".join(map(text_of, outputs)), covers, elsewhere(outputs))
        except PredictionError as error:
            logger.warning("a prediction box: %s", error, location=node, type="predict")
            continue
        node["ids"].append(f"predict-{key}")
        node.append(nodes.raw("", html, format="html"))


def _mark(outputs: list[Element], key: str) -> Iterator[str]:
    for i, output in enumerate(outputs):
        output["ids"].append(f"predicted-{key}-{i}")
        output["classes"].append("predict-output")
        yield output["ids"][-1]
    # The paragraph right below says in words what came out.
    after = outputs[-1].parent.next_node(descend=False, siblings=True)
    if isinstance(after, nodes.paragraph):
        after["ids"].append(f"predicted-{key}-after")
        after["classes"].append("predict-after")
        yield after["ids"][-1]


def on_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    """Load the script and the style where there is a box."""
    if doctree is not None and next(doctree.findall(predict_box), None) is not None:
        app.add_js_file("reader.js", priority=490)
        app.add_js_file("predict.js")
        app.add_css_file("predict.css")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive and what it becomes."""
    app.add_directive("predict", Predict)
    app.add_node(predict_box, html=(visit_box, depart_box))
    app.connect("doctree-resolved", on_doctree)
    app.connect("html-page-context", on_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
