"""Prediction boxes: what a reader is asked before a cell runs, in which form, and how the run is asked what is right.

A box is the directive `{predict}`. Its body is the question; a block between two lines `---` at its top declares the
fields of the form that the site shows. The notebooks have the question alone. What is right is declared nowhere: each
field says by a pattern where it stands in the output of the cells below.
"""

from __future__ import annotations

import ast
import hashlib
import itertools
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

KINDS = {
    "number": "one number",
    "shape": "a shape or another tuple of integers, such as (3, 4)",
    "numbers": "the numbers of an array, in their order",
    "choice": "one of the `choices`",
    "several": "those of the `choices` that hold",
    "truth": "true or false",
    "text": "a line in one's own words, which nobody judges",
}
"""What a field can ask for."""

_OF_FIELDS = {
    "ask": set(KINDS),
    "kind": set(KINDS),
    "reads": {"number", "shape", "numbers", "choice", "truth"},
    "is": {"number", "choice"},
    "choices": {"choice", "several"},
    "mistakes": set(KINDS) - {"text"},
    "factor": {"number"},
    "within": {"number", "numbers"},
    "unit": {"number"},
    "less": {"number"},
    "more": {"number"},
    "else": {"number", "shape", "numbers"},
    "measured": {"number", "choice", "several", "truth"},
}
"""The keys of a field, and the kinds that take them."""

_NUMBER = re.compile(
    r"(?P<digits>[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?:\s*(?P<prefix>[nµmkMGT])?(?:s|B|B/s|FLOP/s)(?!\w))?"
)
_PREFIXES = {"n": 1e-9, "µ": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_UNIT = re.compile(r"[^\S\n]*(?P<whole>(?P<prefix>[nµmkMGTh])?(?P<kind>FLOP/s|B/s|B|s|Pa|m)|%)(?![\w/])")
"""A unit as outputs print it, behind a number."""
_IN_FULL = {"bytes": "B", "bytes/s": "B/s", "seconds": "s", "metres": "m"}
"""The units that stand in full behind a field."""
_EXTREMES = {"largest": max, "smallest": min}
_OPERATORS: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
EXAMPLE = re.compile(r"(?:such as|for example|e\.g\.|like)\s+`([^`]+)`")
"""How a text shows an example of an answer."""
_BLOCK = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^---[ \t]*$\n?", re.DOTALL | re.MULTILINE)

Value = float | bool | str | list[float] | list[str]


class PredictionError(ValueError):
    """A prediction box, or what it reads, is not as it must be: says what is wrong, and how to mend it."""


class UnitError(PredictionError):
    """A field is in another unit than the output: readers who write one would be misread."""


@dataclass(frozen=True)
class Answer:
    """What the run says to a field.

    Attributes:
        shown: in the words of the output.
        value: to compare with; None where the output has no answer and the field says so by `else`.
        slack: how far off a number may be, because the output rounds it.
    """

    shown: str
    value: Value | None
    slack: float = 0.0


@dataclass(frozen=True)
class Field:
    """One field of the form.

    Attributes:
        ask: its label.
        kind: one of `KINDS`.
        reads: patterns, of which the first that is found gives the answer by its group.
        parts: in place of them, a pattern for each name in the formula `rest["is"]`; or, where that is `largest` or
            `smallest`, for each choice.
        choices: what there is to choose; where it is a mapping, with the pattern that is found if the choice is right.
        mistakes: what to say to a known wrong answer.
        rest: the other keys, as they are declared.
    """

    ask: str
    kind: str
    reads: tuple[str, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, str] = field(default_factory=dict)
    mistakes: Mapping[str, str] = field(default_factory=dict)
    rest: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_measured(self) -> bool:
        """Whether another machine would give another answer."""
        return bool(self.rest.get("measured", "factor" in self.rest))

    def answer(self, output: str) -> Answer | None:
        """Read the answer from the text output of the cells below; None where nobody judges.

        Raises:
            PredictionError: the output has no answer, or it is among the mistakes.
        """
        if self.kind == "text":
            return None
        if self.parts:
            found = self._computed_answer(output)
        elif self.kind in ("choice", "several") and not self.reads:
            found = self._chosen_answer(output)
        else:
            found = self._read_answer(output)
        for said in () if self.is_measured else self.mistakes:
            if found.value is not None and self.kind != "several" and value_of(self.kind, said) == found.value:
                raise PredictionError(f"{self._name}: the mistake {said!r} is what the run says. Remove it.")
        return found

    def _read_answer(self, output: str) -> Answer:
        found = next((found for pattern in self.reads if (found := _search(pattern, output))), None)
        text = found and found[1]
        if text is None and "else" in self.rest:
            return Answer(str(self.rest["else"]), None)
        if text is None:
            raise PredictionError(f"{self._name}: nothing in the output is found by {' or '.join(self.reads)}. {_HELP}")
        assert found and text is not None
        try:
            value = value_of(self.kind, text)
        except ValueError as error:
            raise PredictionError(f"{self._name}: the pattern finds {text!r}, {error}.") from error
        if self.kind == "choice" and text not in self.choices:
            raise PredictionError(f"{self._name}: the pattern finds {text!r}, which is no choice: {[*self.choices]}.")
        shown, slack = " ".join(text.split()), _slack(text) if self.kind in ("number", "numbers") else 0.0
        if self.kind != "number" or not isinstance(value, float):
            return Answer(shown, value, slack)
        factor = self._in_unit(text, output[found.end(1) :])
        return Answer(shown, value * factor, slack * factor)

    def _in_unit(self, text: str, behind: str) -> float:
        """What a number that was read is multiplied by to be in the field's unit.

        Raises:
            UnitError: the output prints a unit of which the field says nothing.
        """
        inside = _UNIT.search(_NUMBER.sub(lambda number: number[0].removeprefix(number["digits"]), text, count=1))
        printed, unit = inside or _UNIT.match(behind), _UNIT.fullmatch(self.unit)
        if not printed:
            return 1.0
        if not unit or unit["kind"] != printed["kind"]:
            raise UnitError(f"{self._name}: the run prints its answer in {printed['whole']}: declare it as its `unit`.")
        read = 1.0 if inside else _scale(printed)  # inside of the text, the prefix has been read with the digits
        return read / _scale(unit)

    def for_notebook(self) -> dict[str, Any]:
        r"""What a notebook knows of the field: not where its answer is read, nor which answers are mistakes.

        >>> field = read_box("---\nfields:\n- {kind: choice, choices: {a: x, b: y}}\n---\nWhich?").fields[0]
        >>> field.for_notebook()
        {'ask': '', 'kind': 'choice', 'choices': ['a', 'b']}
        """
        rest = {"choices": [*self.choices], "unit": str(self.rest.get("unit", "")), "never": "else" in self.rest}
        return {"ask": self.ask, "kind": self.kind, **{name: one for name, one in rest.items() if one}}

    @property
    def slips(self) -> tuple[str, ...]:
        """The known mistakes, by the words that declare them: so a reader's record keeps them.

        >>> Field("", "number", mistakes={"8": "No."}, rest={"less": "Look up."}).slips
        ('8', 'less')
        """
        return (*self.mistakes, *(way for way in ("less", "more") if way in self.rest))

    @property
    def unit(self) -> str:
        """The unit behind the field, as outputs print it; "" where it has none."""
        declared = str(self.rest.get("unit", ""))
        return _IN_FULL.get(declared, declared)

    def _computed_answer(self, output: str) -> Answer:
        found = {name: _search(pattern, output) for name, pattern in self.parts.items()}
        values = {name: _number(match[1]) for name, match in found.items() if match}
        if missing := [pattern for name, pattern in self.parts.items() if name not in values]:
            raise PredictionError(f"{self._name}: nothing in the output is found by {missing[0]}. {_HELP}")
        formula = self.rest["is"]
        if self.kind == "choice":
            extreme = _EXTREMES[formula](values, key=values.__getitem__)
            return Answer(extreme, extreme)
        value = _formula_value(ast.parse(formula, mode="eval").body, values)
        shown = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
        return Answer(shown, value, _slack(shown))

    def _chosen_answer(self, output: str) -> Answer:
        right = [choice for choice, pattern in self.choices.items() if _search(pattern, output)]
        if not right or (self.kind == "choice" and len(right) > 1):
            many = "none" if not right else f"{right}"
            raise PredictionError(f"{self._name}: by the patterns of the choices {many} is right in this run. {_HELP}")
        return Answer(", ".join(right), right if self.kind == "several" else right[0])

    @property
    def _name(self) -> str:
        return f"the field {self.ask!r}" if self.ask else "the field"

    def example(self, rights: Sequence[Answer], beside: Sequence[Field] = ()) -> str:
        r"""How to write an answer, by one that is none: neither what the run says to a field of the box, nor a mistake.

        Args:
            rights: what the run says to all fields of the box.
            beside: the box's other fields, some of which may take what is near an answer as right, where this does not.

        >>> a_shape = read_box("---\nfields:\n- {kind: shape, reads: '(.*)'}\n---\nWhich?").fields[0]
        >>> a_shape.example([]), a_shape.example([Answer("(3, 4)", [3.0, 4.0])])
        ('(3, 4)', '(4, 5)')
        """
        rows = {"shape": _shapes, "numbers": _rows, "number": _numbers}
        if self.kind not in rows:
            return ""
        taken = [*(one.value for one in rights), *(value_of(self.kind, said) for said in self.mistakes)]
        unit = f" {self.rest['unit']}" if _UNIT.fullmatch(self.unit) else ""
        judges = [self, *(one for one in beside if one.kind == self.kind)]
        return next(
            text + unit
            for text in rows[self.kind]()
            if not any(judge._is_near(text, one) for judge in judges for one in taken)
        )

    def _is_near(self, example: str, other: Value | None) -> bool:
        """Whether an example is some value; of numbers, whether it would be judged as that one is."""
        one = value_of(self.kind, example)
        if not isinstance(one, float) or not isinstance(other, float):
            return one == other
        ratio = one / other if other else 0.0
        near = ratio > 0 and max(ratio, 1 / ratio) <= float(self.rest.get("factor", 1.0))
        return near or abs(one - other) <= float(self.rest.get("within", 0.0)) + 1e-9 * abs(other)

    def is_answer(self, text: str, rights: Sequence[Answer]) -> bool:
        """Whether a text is, as an answer to this field, what the run says to some field."""
        try:
            value = value_of(self.kind, text)
        except ValueError:
            return False
        return any(value == one.value for one in rights)


def _shapes() -> Iterator[str]:
    return (f"({n}, {n + 1})" for n in itertools.count(3))


def _rows() -> Iterator[str]:
    return (f"{n} {n + 1} {n + 2}" for n in itertools.count(1))


def _numbers() -> Iterator[str]:
    return (f"{3 * 4**n}" for n in itertools.count(1))


_HELP = (
    "A pattern is a regular expression; it is searched for in the text output of the cells below the box, in which "
    "runs of spaces count as one, table cells are separated by ` | `, and a picture is its texts."
)


def _scale(unit: re.Match[str]) -> float:
    """How many of the unit itself one with its prefix is.

    >>> _scale(_UNIT.match("MB")), _scale(_UNIT.match("%"))
    (1000000.0, 1.0)
    """
    return {**_PREFIXES, "h": 100.0}.get(unit["prefix"], 1.0)


def _formula_value(formula: ast.expr, values: Mapping[str, float]) -> float:
    """The value of a formula from numbers, names and + - * / **."""
    match formula:
        case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_formula_value(left, values), _formula_value(right, values))
        case ast.Name(name) if name in values:
            return values[name]
        case ast.Constant(value) if isinstance(value, (int, float)):
            return float(value)
    raise ValueError(ast.unparse(formula))


def _search(pattern: str, output: str) -> re.Match[str] | None:
    return re.search(pattern, output, re.MULTILINE)


@dataclass(frozen=True)
class Box:
    """A prediction box: its question, the fields of its form, and how many lines of the source stand before it."""

    question: str
    fields: tuple[Field, ...]
    offset: int = 0

    @property
    def digest(self) -> str:
        r"""What tells its question from others, however its lines are broken.

        >>> read_box("What is\n it?").digest == read_box("What is it? ").digest != read_box("What?").digest
        True
        """
        return hashlib.sha256(" ".join(self.question.split()).encode()).hexdigest()[:6]


def read_box(body: str) -> Box:
    r"""Read the body of a `{predict}` directive.

    Raises:
        PredictionError: its declaration is not as it must be.

    >>> box = read_box("---\nfields:\n- {kind: number, reads: 'sum (.+)'}\n---\nWhat is the sum?")
    >>> box.question, box.fields[0].answer("the sum 12.0").value
    ('What is the sum?', 12.0)
    >>> read_box("Why?").fields[0].kind
    'text'
    """
    block = _BLOCK.match(body)
    if not block:
        if body.startswith("---"):
            raise PredictionError("its block of fields is never closed: end it with a line `---`.")
        return _with_question(Box(body, (Field("", "text"),)))
    try:
        declared = yaml.safe_load(block["yaml"])
    except yaml.YAMLError as error:
        raise PredictionError(f"its block of fields is not valid YAML: {error}") from error
    if not isinstance(declared, dict) or set(declared) != {"fields"} or not isinstance(declared["fields"], list):
        raise PredictionError("its block takes one key, `fields`, with a list of fields.")
    fields = tuple(_field(one) for one in declared["fields"])
    if not fields:
        raise PredictionError("its list of fields is empty: add one, or leave the block out for a line of free text.")
    if len(fields) > 1 and len({one.ask for one in fields} - {""}) < len(fields):
        raise PredictionError("it has several fields, so each needs an `ask` of its own.")
    return _with_question(Box(body[block.end() :], fields, block[0].count("\n")))


def _with_question(box: Box) -> Box:
    if not box.question.strip():
        raise PredictionError("it asks nothing: write the question below its fields.")
    return box


def _field(declared: Any) -> Field:
    if not isinstance(declared, dict):
        raise PredictionError(f"a field is a mapping such as `{{kind: number, reads: 'pattern'}}`, not {declared!r}.")
    ask, kind = str(declared.get("ask", "")), declared.get("kind")
    name = f"the field {ask!r}" if ask else "the field"
    if kind not in KINDS:
        raise PredictionError(f"{name} has the kind {kind!r}: write one of {', '.join(KINDS)}.")
    for key in declared:
        if key not in _OF_FIELDS:
            raise PredictionError(f"{name} has the unknown key {key!r}: the keys are {', '.join(_OF_FIELDS)}.")
        if kind not in _OF_FIELDS[key]:
            raise PredictionError(f"{name} is of the kind {kind!r}, which takes no {key!r}: remove it.")
    choices = _choices(name, declared)
    reads: tuple[str, ...] = ()
    parts: dict[str, str] = {}
    if isinstance(declared.get("reads"), dict):
        parts = {str(part): _checked_pattern(name, pattern, 1) for part, pattern in declared["reads"].items()}
        choices = choices or (dict.fromkeys(parts, "") if kind == "choice" else {})
    else:
        reads = _patterns(name, declared.get("reads", []))
    _require_a_source(name, kind, choices, reads or tuple(parts.values()))
    _require_a_formula(name, kind, parts, declared.get("is"))
    for key in ("factor", "within"):
        if key in declared and not (isinstance(declared[key], (int, float)) and declared[key] > (key == "factor")):
            raise PredictionError(f"{name}: `{key}` is a number above {int(key == 'factor')}.")
    rest = {key: declared[key] for key in declared if key not in ("ask", "kind", "reads", "choices", "mistakes")}
    return Field(ask, kind, reads, parts, choices, _mistakes(name, kind, choices, declared.get("mistakes", {})), rest)


def _require_a_source(name: str, kind: str, choices: Mapping[str, str], reads: tuple[str, ...]) -> None:
    by_choices = kind in ("choice", "several") and any(choices.values())
    if kind in ("choice", "several") and len(choices) < 2:
        raise PredictionError(f"{name} needs `choices`, at least two.")
    if kind != "text" and not reads and not by_choices:
        how = "`choices: {words: pattern}`" if kind in ("choice", "several") else "`reads`, a pattern with a group"
        raise PredictionError(f"{name} does not say where the run has its answer: give it {how}.")
    if reads and by_choices:
        raise PredictionError(f"{name} has `reads` and patterns in its `choices`: remove one of the two.")


def _require_a_formula(name: str, kind: str, parts: Mapping[str, str], formula: Any) -> None:
    if bool(parts) != (formula is not None):
        raise PredictionError(f"{name}: `is`, a formula, and `reads`, a mapping of its names, go together.")
    if kind == "choice" and parts and formula not in _EXTREMES:
        raise PredictionError(f"{name}: where `reads` has a pattern for each choice, `is` is largest or smallest.")
    if kind == "number" and parts:
        try:
            _formula_value(ast.parse(str(formula), mode="eval").body, dict.fromkeys(parts, 1.0))
        except (SyntaxError, ValueError) as error:
            raise PredictionError(f"{name}: `is: {formula}` is no formula of {', '.join(parts)}.") from error


def _choices(name: str, declared: Mapping[str, Any]) -> dict[str, str]:
    choices = declared.get("choices", {})
    if any(isinstance(choice, bool) for choice in choices):
        raise PredictionError(f"{name}: YAML reads `yes` and `no` as truths: put them in quotes.")
    if isinstance(choices, list):
        return {str(choice): "" for choice in choices}
    if not isinstance(choices, dict):
        raise PredictionError(f"{name}: `choices` is a list of words, or a mapping from words to patterns.")
    return {str(choice): _checked_pattern(name, pattern, 0) for choice, pattern in choices.items()}


def _patterns(name: str, declared: Any) -> tuple[str, ...]:
    patterns = declared if isinstance(declared, list) else [declared]
    return tuple(_checked_pattern(name, pattern, 1) for pattern in patterns)


def _checked_pattern(name: str, pattern: Any, groups: int) -> str:
    try:
        compiled = re.compile(str(pattern))
    except re.error as error:
        raise PredictionError(f"{name}: the pattern {pattern!r} is no regular expression: {error}.") from error
    if compiled.groups < groups:
        raise PredictionError(f"{name}: the pattern {pattern!r} has no group: put ( ) around the answer.")
    return str(pattern)


def _mistakes(name: str, kind: str, choices: Mapping[str, str], declared: Any) -> dict[str, str]:
    if not isinstance(declared, dict):
        raise PredictionError(f"{name}: `mistakes` maps wrong answers to what is said to them.")
    mistakes = {str(said): str(words) for said, words in declared.items()}
    for said in mistakes:
        try:
            value_of(kind, said)
        except ValueError as error:
            raise PredictionError(f"{name}: nobody can give the mistake {said!r}, {error}.") from error
        if choices and said not in choices:
            raise PredictionError(f"{name}: the mistake {said!r} is no choice: {', '.join(choices)}.")
    return mistakes


def value_of(kind: str, text: str) -> Value:
    """The value that a text has in a field of some kind.

    Raises:
        ValueError: it has none.

    >>> value_of("number", "1,024.5 bytes"), value_of("shape", "(3,)"), value_of("truth", "True")
    (1024.5, [3.0], True)
    >>> value_of("number", "42.5 GB/s")
    42500000000.0
    """
    if kind == "number":
        return _number(text)
    if kind == "numbers":
        return _numbers_in(text)
    if kind == "shape":
        if not re.fullmatch(r"[(\[]?\s*(?:-?\d+\s*(?:,\s*-?\d+\s*)*,?)?\s*[)\]]?", text.strip()):
            raise ValueError("which is no tuple of integers")
        return [float(number) for number in re.findall(r"-?\d+", text)]
    if kind == "truth":
        if text.strip().lower() not in ("true", "false"):
            raise ValueError("which is neither True nor False")
        return text.strip().lower() == "true"
    return text


def _number(text: str) -> float:
    found = _NUMBER.search(text)
    if not found:
        raise ValueError("which is no number")
    value = float(found["digits"].replace(",", "")) * _PREFIXES.get(found["prefix"], 1.0)
    if not math.isfinite(value):
        raise ValueError("which is not finite")
    return value


def _numbers_in(text: str) -> list[float]:
    numbers = [float(number) for number in re.findall(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", text)]
    if not numbers:
        raise ValueError("which has no numbers")
    return numbers


def _slack(text: str) -> float:
    """Half a unit in the last decimal that the output shows; whole numbers are exact."""
    found = re.search(r"\d*\.(\d+)(?:[eE]([-+]?\d+))?|\d+[eE]([-+]?\d+)", text)
    prefix = _NUMBER.search(text)
    if not found or not prefix:
        return 0.0
    return 0.5 * 10.0 ** (int(found[2] or found[3] or 0) - len(found[1] or "")) * _PREFIXES.get(prefix["prefix"], 1.0)
