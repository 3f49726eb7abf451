"""Predictions: exercises that are answered by a value, declared as data.

The right answer is in the lesson, as the solution. What people get wrong is a list of mistakes; each gives the
diagnosis, its words, and the wrong answers that must get it. Wrong keys, wrong types and everything else are handled
here. As data, a prediction can be answered on a page as well as in a notebook.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from jaxcourse.exercise import Diagnosis, Exercise, Wrong, agree, refuse, require
from jaxcourse.markup import code
from jaxcourse.probe import Answer

_UNBOUND: Any = object()
_FORMS = {
    "truth": "`True` or `False`",
    "number": "a number",
    "numbers": "a tuple of numbers",
    "texts": "a tuple of strings",
}
"""The forms of an entry other than a string, in words."""
Table = Mapping[Any, Any]


def raised_by(call: Callable[[], Any]) -> str:
    """Return the name of the exception that a call raises, or `"no error"`: the truth of many predictions.

    >>> raised_by(lambda: 1 / 0), raised_by(lambda: 1)
    ('ZeroDivisionError', 'no error')
    """
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "no error"


@dataclass(frozen=True)
class AnyOf:
    """Several values, each of which is the same mistake: see `any_of`."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class AnythingElse:
    """Whatever is not right: see `anything_else`."""

    examples: tuple[Any, ...]


def any_of(*values: Any) -> AnyOf:
    """In a mistake: the entry is one of these values. Each of them becomes a listed wrong answer."""
    return AnyOf(values)


def anything_else(*examples: Any) -> AnythingElse:
    """In a mistake: the entry is anything but right.

    Args:
        *examples: wrong values to list; where the entry is a choice or a Boolean, all others are listed automatically.
    """
    return AnythingElse(examples)


@dataclass(frozen=True)
class Mistake:
    """A mistake that people make in a prediction.

    Attributes:
        label: its name, for reports.
        when: the answer that shows it. For a table, such as a dictionary, only the entries that matter, all of which
            must match; several such dictionaries in a list are alternatives. A value may be `any_of(...)` or
            `anything_else(...)`.
        message: what it was and why it matters.
        see: the anchor to read again, if it is not the exercise's own.
    """

    label: str
    when: Any
    message: str
    see: str = ""


@dataclass(frozen=True)
class Prediction:
    """A prediction as data.

    Attributes:
        mistakes: the most specific first: the first that fits is the diagnosis.
        otherwise: what to say where the answer is wrong and no mistake fits.
        choices: the words that an entry can be; case does not matter.
        also: other right answers, entry by entry.
        truth: computes what is right, so that the contract can compare the solution with it.
        right: the solution's value.
    """

    mistakes: tuple[Mistake, ...]
    otherwise: str
    choices: tuple[str, ...] = ()
    also: Any = None
    truth: Callable[[], Any] | None = None
    right: Any = _UNBOUND

    def __call__(self, answer: Answer, rng: np.random.Generator) -> None:
        """The check. It draws nothing."""
        if self.right is _UNBOUND:
            raise LookupError("the right answer is in the lesson: run `jaxcourse notebooks`")
        right, got = self.table(self.right), self.read(answer.value())
        differ = [name for name in right if not self.accepts(name, got[name])]
        rows = self.rows(differ)
        for mistake in self.mistakes:
            if self._shows(mistake, got):
                raise Diagnosis(mistake.label, f"{mistake.message} {rows}".strip(), mistake.see)
        refuse(differ, "wrong-value", f"{rows} {self.otherwise}".strip())

    @property
    def names_rows(self) -> bool:
        """Whether a verdict says which entries are not right.

        Where an entry is one of two, that would be the answer: then it says how many, and no more.
        """
        return self._forms() != {"truth"} and not (self._forms() == {"text"} and len(self.choices) == 2)

    def rows(self, differ: Sequence[Any]) -> str:
        """How many entries of a table or a tuple are right, and which are not.

        Args:
            differ: the names of those that are not.

        Example:
            >>> table = prediction("t", hint="h", see="s", mistakes=[], otherwise="")
            >>> with_right_answer(table, {"a": 1, "b": 2, "c": 3}).check.rows(["a", "c"])
            '1 of 3 is right; `a` and `c` are not.'
            >>> with_right_answer(table, (1, 2)).check.rows([1])
            '1 of 2 is right; entry 2 is not.'
            >>> with_right_answer(table, {"a": True, "b": False}).check.rows(["a"])
            '1 of 2 is right.'
        """
        every = len(self.table(self.right))
        right = every - len(differ)
        if every < 2 or not differ:
            return ""
        if not right:
            return f"None of the {every} is right."
        count = f"{right} of {every} {'is' if right == 1 else 'are'} right"
        if not self.names_rows:
            return f"{count}."
        names = [code(str(name)) if isinstance(self.right, Mapping) else f"entry {name + 1}" for name in differ]
        listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        return f"{count}; {listed} {'is' if len(names) == 1 else 'are'} not."

    def agrees(self, value: Any) -> bool:
        """Whether a value says the same as what is right."""
        right, got = self.table(self.right), self.table(value)
        return right.keys() == got.keys() and all(_same(got[name], right[name]) for name in right)

    def table(self, value: Any) -> dict[Any, Any]:
        """A value as a table: a dictionary by its keys, a tuple by its positions, anything else under ``""``."""
        if isinstance(self.right, Mapping):
            return {name: _plain(entry) for name, entry in value.items()}
        if isinstance(self.right, tuple):
            return dict(enumerate(_plain(value)))
        return {"": _plain(value)}

    def only(self, name: str) -> Prediction:
        """The prediction of one entry of a table, with those of its mistakes that this entry shows by itself.

        Args:
            name: the entry's.

        Raises:
            KeyError: there is no such entry.

        Example:
            >>> mistakes = [Mistake("bytes", {"a": 8}, "Not bytes."), Mistake("both", {"a": 1, "b": 2}, "Not both.")]
            >>> table = prediction("t", hint="h", see="s", mistakes=mistakes, otherwise="Look again.")
            >>> alone = with_right_answer(table, {"a": 3, "b": 4}).check.only("a")
            >>> alone.right, [one.label for one in alone.mistakes]
            ({'a': 3}, ['bytes'])
        """
        if not isinstance(self.right, Mapping):
            raise KeyError(name)
        shown = [(one, [dict(when) for when in self._alternatives(one) if {*when} == {name}]) for one in self.mistakes]
        mistakes = tuple(replace(one, when=when) for one, when in shown if when)
        also = {key: value for key, value in self._also().items() if key == name}
        return replace(self, mistakes=mistakes, also=also, truth=None, right={name: self.right[name]})

    def read(self, value: Any) -> dict[Any, Any]:
        """An answer as a table, if it is of the right form.

        Raises:
            Diagnosis: `keys-changed` or `wrong-type`.
        """
        if isinstance(self.right, Mapping):
            same = isinstance(value, Mapping) and value.keys() == self.right.keys()
            message = f"Keep the dictionary and its {len(self.right)} keys, and replace only the values."
            require(same, "keys-changed", message)
        if isinstance(self.right, tuple):
            whole = f"Give {_tuple_of(len(self.right))}; each entry should be {self._words()}."
            require(not isinstance(value, list), "wrong-type", f"{whole} {self.no_list}")
            plain = _plain(value)
            many = isinstance(plain, tuple) and len(plain) == len(self.right)
            require(many, "wrong-type", whole if len(self.right) > 1 else f"{whole} {self.comma}")
        got = self.table(value)
        for name in got:
            self._require_form(name, value if name == "" else value[name])
        return got

    def _require_form(self, name: Any, entry: Any) -> None:
        """Require that an entry has a form that an entry can have.

        Raises:
            Diagnosis: `wrong-type`; where Python's brackets or a missing comma are to blame, that is said.
        """
        a_list = isinstance(entry, list) and not self._lists
        if not a_list and not self._is_odd(_plain(entry)):
            return
        bare = _form(_plain(entry)) == "number" and "numbers" in self._forms()
        kind, why = (
            ("a list", f" {self.no_list}") if a_list else ("a number", f" {self.comma}") if bare else ("not", "")
        )
        named = f"Each entry should be {self._words()}; `{name}` is {kind}."
        said = named if isinstance(name, str) and name else f"Give {self._words()}."
        raise Diagnosis("wrong-type", said + why)

    @property
    def _lists(self) -> bool:
        """Whether an entry may be a list: where the lesson's own answer has one."""
        entries = self.right.values() if isinstance(self.right, Mapping) else _entries(self.right)
        return any(isinstance(entry, list) for entry in entries)

    @property
    def examples(self) -> str:
        """How an entry may be written, shown by values that are no answer to this exercise, right or listed as wrong.

        Example:
            >>> shapes = prediction("shapes", hint="h", see="s", mistakes=[], otherwise="Look again.")
            >>> with_right_answer(shapes, {"x": (5, 6), "y": (2,)}).check.examples
            '`(3, 4)` or `(3,)`'
            >>> with_right_answer(shapes, {"x": (3, 4)}).check.examples
            '`(4, 5)` or `(3,)`'
        """
        shown = {
            "number": f"`{self._free(_halves)}` or `{self._free(_powers)}`",
            "numbers": f"`{self._free(_pairs)}` or `{self._free(_singles)}`",
            "texts": f"`{self._free(_two_words)}`",
        }
        return ", or ".join(text for form, text in shown.items() if form in self._forms())

    @property
    def comma(self) -> str:
        """What to say to a tuple of one without its comma."""
        one = self._free(_singles)
        number = one.strip("(,)")
        return f"A tuple of one has a comma: `{one}`. Without it, `({number})` is the number {number}."

    @property
    def no_list(self) -> str:
        """What to say to a list."""
        one = self._free(_singles)
        return f"`[{one.strip('(,)')}]` is a list: a tuple has round brackets, `{one}` or `{self._free(_pairs)}`."

    def _free(self, written: Callable[[int], str]) -> str:
        """The first of a row of examples that is no listed answer."""
        return next(text for text in map(written, itertools.count()) if not self.is_listed(evaluated(text)))

    def is_listed(self, value: Any) -> bool:
        """Whether a value is an answer, or an entry of one, that is right or listed as wrong."""
        whole = [] if isinstance(self.right, Mapping) else [_plain(self.right)]
        tables = [self.table(self.right), self._also(), *(table for m in self.mistakes for table in self._examples(m))]
        return any(_same(_plain(value), _plain(one)) for one in [*whole, *(e for t in tables for e in t.values())])

    def _is_odd(self, entry: Any) -> bool:
        """Whether an entry has a form that no entry can have, or is a word that is not among the choices."""
        if isinstance(entry, str) and self.choices:
            return entry.lower() not in map(str.lower, self.choices)
        return _form(entry) not in self._forms()

    def wrongs(self, exercise: str) -> Iterator[Wrong]:
        """The wrong answers that the mistakes list."""
        for mistake in self.mistakes:
            for changes in self._examples(mistake):
                yield Wrong(exercise, mistake.label, self._as_answer(self.table(self.right) | dict(changes)))

    def exported(self) -> dict[str, Any]:
        """The prediction as JSON holds it, for a page: each value as Python writes it, each name as a text.

        Example:
            >>> flags = prediction("all-of-them", hint="h", see="s", mistakes=[], otherwise="Look again.")
            >>> with_right_answer(flags, {"x": (3,), "y": 0.5}).check.exported()["right"]
            [['x', '(3,)'], ['y', '0.5']]
        """
        form = "table" if isinstance(self.right, Mapping) else "tuple" if isinstance(self.right, tuple) else "value"
        return {
            "right": [[str(name), repr(entry)] for name, entry in self.table(self.right).items()],
            "form": form,
            "also": {str(name): repr(_plain(entry)) for name, entry in self._also().items()},
            "choices": list(self.choices),
            "forms": sorted(self._forms()),
            "lists": self._lists,
            "words": self._words(),
            "examples": self.examples,
            "comma": self.comma,
            "no_list": self.no_list,
            "mistakes": [
                {"label": one.label, "when": self._exported_when(one), "message": one.message, "see": one.see}
                for one in self.mistakes
            ],
            "otherwise": self.otherwise,
            "namesRows": self.names_rows,
        }

    def _exported_when(self, mistake: Mistake) -> list[dict[str, list[str] | None]]:
        """The alternatives of a mistake: for each entry the values that show it, nothing for whatever is not right."""

        def values(want: Any) -> list[str] | None:
            if isinstance(want, AnythingElse):
                return None
            return [repr(_plain(value)) for value in (want.values if isinstance(want, AnyOf) else (want,))]

        return [{str(name): values(want) for name, want in table.items()} for table in self._alternatives(mistake)]

    def _as_answer(self, table: dict[Any, Any]) -> Any:
        if isinstance(self.right, Mapping):
            return table
        return tuple(table.values()) if isinstance(self.right, tuple) else table[""]

    def _alternatives(self, mistake: Mistake) -> list[Table]:
        """What shows a mistake: tables of entries, one of which must match as a whole."""
        when = mistake.when if isinstance(mistake.when, list) else [mistake.when]
        return [one if isinstance(one, Mapping) else self._as_table(one) for one in when]

    def _as_table(self, when: Any) -> Table:
        return dict(enumerate(when)) if isinstance(self.right, tuple) else {"": when}

    def _shows(self, mistake: Mistake, got: Table) -> bool:
        return any(
            all(self._fits(name, want, got[name]) for name, want in table.items())
            for table in self._alternatives(mistake)
        )

    def _fits(self, name: Any, want: Any, got: Any) -> bool:
        if isinstance(want, AnythingElse):
            return not self.accepts(name, got)
        return any(_same(got, _plain(value)) for value in (want.values if isinstance(want, AnyOf) else (want,)))

    def accepts(self, name: Any, got: Any) -> bool:
        """Whether an entry of an answer's table is right."""
        also = self._also()
        return _same(got, self.table(self.right)[name]) or (name in also and _same(got, _plain(also[name])))

    def _also(self) -> Table:
        return self.also if isinstance(self.also, Mapping) else {} if self.also is None else self.table(self.also)

    def _examples(self, mistake: Mistake) -> Iterator[Table]:
        """The entries of each wrong answer that a mistake lists: one for each value, the first of the others."""
        for table in self._alternatives(mistake):
            values = {name: self._values(name, want) for name, want in table.items()}
            first = {name: options[0] for name, options in values.items()}
            yield first
            yield from (first | {name: option} for name, options in values.items() for option in options[1:])

    def _values(self, name: Any, want: Any) -> Sequence[Any]:
        if isinstance(want, AnyOf):
            return want.values
        if not isinstance(want, AnythingElse):
            return (want,)
        right = self.table(self.right)[name]
        others = (not right,) if isinstance(right, bool) else self.choices
        found = want.examples or tuple(other for other in others if not self.accepts(name, other))
        if not found:
            raise ValueError(f"give `anything_else` an example of what is not right for {name!r}")
        return found

    def _forms(self) -> set[str]:
        """What an entry may be: whatever any right entry or any mistake is."""
        tables = [self.table(self.right), *(table for m in self.mistakes for table in self._examples(m))]
        return {_form(_plain(entry)) for table in tables for entry in table.values()} | {*map(_form, self.choices)}

    def _words(self) -> str:
        forms = self._forms()
        words = [text for form, text in _FORMS.items() if form in forms]
        if "text" in forms:
            words += [f'`"{choice}"`' for choice in self.choices] or ["a string"]
        return _either(words)


def prediction(
    name: str,
    *,
    hint: str | Sequence[str],
    see: str,
    mistakes: Sequence[Mistake],
    otherwise: str,
    choices: Sequence[str] = (),
    also: Any = None,
    truth: Callable[[], Any] | None = None,
    points: float = 1,
) -> Exercise:
    """Declare an exercise that is answered by a value.

    Args:
        name: the exercise's label in the lesson; its answer is the variable of that name with underscores.
        hint: one hint, or several that are given one after the other.
        see: the anchor of the lesson's paragraph that explains it.
        mistakes: see `Mistake`; the most specific first.
        otherwise: what to say if no mistake fits; it follows how many entries are right, and which are not.
        choices: see `Prediction`.
        also: other right answers: a dictionary of the entries that have one, or a value.
        truth: see `Prediction`.
        points: what it is worth.

    Returns:
        The exercise. What is right is filled in from the lesson when the course is read.

    Example:
        >>> strides = prediction(
        ...     "row-strides",
        ...     hint="bytes",
        ...     see="strides",
        ...     mistakes=[Mistake("counted-elements", {"a": (3, 1)}, "Strides are bytes.")],
        ...     otherwise="From row to row, then from element to element.",
        ... )
        >>> from jaxcourse.exercise import judge
        >>> from jaxcourse.probe import local_channel
        >>> judge(with_right_answer(strides, {"a": (24, 8)}), local_channel({"a": (3, 1)})).label
        'counted-elements'
    """
    hints = (hint,) if isinstance(hint, str) else tuple(hint)
    data = Prediction(tuple(mistakes), otherwise, tuple(choices), also, truth)
    return Exercise(name, data, points, hints, see)


def with_right_answer(exercise: Exercise, right: Any) -> Exercise:
    """The same exercise, told what is right; one that is not a prediction is returned unchanged."""
    data = exercise.check
    return replace(exercise, check=replace(data, right=right)) if isinstance(data, Prediction) else exercise


def value_of(code: str, variable: str) -> Any:
    """The value that a solution gives; it is written out, so that nothing needs to be imported.

    Raises:
        NameError: it uses something that is not built in.

    Example:
        >>> value_of("last = 2**24", "last")
        16777216
    """
    names: dict[str, Any] = {}
    exec(code, names)
    return names[variable]


# -- examples ---------------------------------------------------------------------------------------------------

_SPELLED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def _halves(i: int) -> str:
    return f"{i}.5"


def _powers(i: int) -> str:
    return f"2**{10 + i}"


def _pairs(i: int) -> str:
    return f"({3 + i}, {4 + i})"


def _singles(i: int) -> str:
    return f"({3 + i},)"


def _two_words(i: int) -> str:
    return f'("{_SPELLED[i]}", "{_SPELLED[i + 1]}")'


def evaluated(text: str) -> Any:
    """The value of an example, or of what a lesson's text shows as one; of a name, nothing."""
    try:
        return eval(text, {"__builtins__": {}})
    except (NameError, SyntaxError, TypeError, ArithmeticError):
        return None


# -- plain values -----------------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """A value without its library's types: numbers, texts, and tuples of these."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, str):
        return value.strip()
    return tuple(map(_plain, value)) if isinstance(value, (list, tuple)) else value


def _form(value: Any) -> str:
    """The form of a plain value: truth, number, text, numbers, texts, or the name of its type."""
    if isinstance(value, tuple):
        inside = {_form(item) for item in value}
        return "texts" if inside == {"text"} else "numbers" if inside <= {"number", "numbers"} else "tuple"
    names = {bool: "truth", int: "number", float: "number", complex: "number", str: "text"}
    return names.get(type(value), type(value).__name__)


def _same(got: Any, want: Any) -> bool:
    if isinstance(got, str) and isinstance(want, str):
        return got.lower() == want.lower()
    if isinstance(got, tuple) and isinstance(want, tuple) and _form(want) == "texts":
        return len(got) == len(want) and all(map(_same, got, want))
    return _form(got) == _form(want) and agree(got, want)


def _entries(value: Any) -> Sequence[Any]:
    """The members of a tuple; anything else alone."""
    return value if isinstance(value, tuple) else (value,)


def _tuple_of(length: int) -> str:
    return {2: "a pair"}.get(length, f"a tuple of {length}")


def _either(words: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
