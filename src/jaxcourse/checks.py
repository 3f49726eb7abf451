"""What a check is made of: what is drawn, what is right, which mistakes are known and, apart from these, what is said.

A check is a list of steps, and the first that finds something decides. A step is a function of an answer and a
generator. `Agrees` and `Solves` are the usual ones; any function that uses `require`, `refuse` and `expect` of this
module is one as well. A step names a mistake by its label alone. What a student is told stands in the exercise's words,
a text that a teacher can edit, and a translator translate, without reading any code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any

import numpy as np

from jaxcourse import exercise
from jaxcourse.bans import Ban
from jaxcourse.exercise import Diagnosis, Exercise
from jaxcourse.inputs import SIZES, Asked, Case, Oracle, Slip, array, extent
from jaxcourse.markup import code
from jaxcourse.probe import Answer, AnswerRaised, call, declared, describe, on_jax_arrays, under_jit
from jaxcourse.puzzle import expect_for_many, expect_spec

Step = Callable[[Answer, np.random.Generator], None]
"""A part of a check: returns if it finds nothing, and otherwise raises."""

Mistakes = Mapping[str, "Oracle | Sequence[Oracle]"]
"""By label, what an answer with that mistake gives: one function of the answer's arguments, or several."""

Raising = Mapping[str, "str | Collection[str] | Callable[[AnswerRaised], object]"]
"""By label, which exceptions show that mistake: part of a message (an empty text: any), what `AnswerRaised.among`
takes, or a test."""

# -- words ------------------------------------------------------------------------------------------------------

_ENTRY = re.compile(r"^([\w/-]+)(?: \[([\w-]+)\])?: ", re.MULTILINE)


@dataclass(frozen=True)
class Words:
    """What a student may be told: see `read_words`.

    Attributes:
        hints: given one after the other.
        said: by label, the message, and the anchor to read again or an empty text.
    """

    hints: tuple[str, ...]
    said: Mapping[str, tuple[str, str]]

    def of(self, found: Diagnosis) -> Diagnosis:
        """A diagnosis with the words of its label in front; one of the engine's own labels needs none.

        A label may have several messages, as `wrong-value` and `wrong-value/long`: what stands behind the stroke
        chooses one of them, and is no part of the label.
        """
        facts = getattr(found, "facts", {})
        text, see = self.said.get(found.label, ("", ""))
        text = re.sub(r"\{(\w+)\}", lambda name: str(facts.get(name[1], name[0])), text)
        message = f"{text} {found.message.strip()}".strip()
        return Diagnosis(label_of(found.label), message, see or found.see, has_call=found.has_call)


def label_of(key: str) -> str:
    """The label that a key of the words belongs to.

    Example:
        >>> label_of("wrong-value/long")
        'wrong-value'
    """
    return key.partition("/")[0]


def read_words(*texts: str) -> Words:
    """Read words: entries of `label: message` or `label [anchor]: message`, further lines indented; `hint: ...` first.

    Args:
        *texts: those of the lesson, if there are any, and those of the exercise, which count where both have a label.

    Raises:
        ValueError: something stands before the first entry.

    Example:
        >>> said = read_words('''
        ... hint: Each column has a mean of its own.
        ... one-mean [axes]: You subtracted {mean}, one number
        ...     for all columns.
        ... ''')
        >>> said.hints, said.said["one-mean"]
        (('Each column has a mean of its own.',), ('You subtracted {mean}, one number for all columns.', 'axes'))
    """
    entries = [entry for text in texts for entry in _entries(text)]
    hints = tuple(message for key, _, message in entries if key == "hint")
    return Words(hints, {key: (message, see) for key, see, message in entries if key != "hint"})


def _entries(text: str) -> Iterator[tuple[str, str, str]]:
    found = list(_ENTRY.finditer(text))
    starts = [*(one.start() for one in found), len(text)]
    if before := text[: starts[0]].strip():
        raise ValueError(f"words begin with `label: message` or `hint: ...`, and not with {before.splitlines()[0]!r}")
    for entry, end in zip(found, starts[1:], strict=True):
        yield entry[1], entry[2] or "", " ".join(text[entry.end() : end].split())


# -- what is found ----------------------------------------------------------------------------------------------


class Found(Diagnosis):
    """A mistake by its label, with the facts that stand in its words as `{name}`."""

    def __init__(self, label: str, message: str = "", **facts: Any) -> None:
        super().__init__(label, message)
        self.facts = facts


def refuse(mistaken: Any, label: str, **facts: Any) -> None:
    """Find a mistake if something is true."""
    if mistaken:
        raise Found(label, **facts)


def require(truth: Any, label: str, **facts: Any) -> None:
    """Find a mistake unless something is true: the opposite of `refuse`."""
    refuse(not truth, label, **facts)


def expect(got: Any, want: Any, label: str = "wrong-value", *, rtol: float | None = None, **facts: Any) -> None:
    """Require that a result is right, as `exercise.expect` does; the first difference is added to the label's words."""
    try:
        exercise.expect(got, want, "", label=label, rtol=rtol)
    except Diagnosis as found:
        raise Found(found.label, found.message, **facts) from None


@contextmanager
def naming(raising: Raising) -> Iterator[None]:
    """Within a `with` block, an exception of the answer that shows a mistake is that mistake.

    Behind the words of its label stands what was raised, where, and for which arguments.

    Args:
        raising: see `Raising`; the first that fits counts.
    """
    try:
        yield
    except AnswerRaised as error:
        raised, label = error.raised, next((label for label, shows in raising.items() if _shows(shows, error)), "")
        if not label:
            raise
        where = f" in {code(raised.line)}" if raised.line else ""
        where += f", for {code(error.given)}" if error.given else ""
        found = Found(label, f"It raises `{raised.kind}`{where}.")
        found.has_call = bool(error.given)
        raise found from None


def _shows(shows: Any, error: AnswerRaised) -> bool:
    if isinstance(shows, str):
        return shows in error.raised.message
    return bool(shows(error)) if callable(shows) else error.among(shows)


# -- what is drawn ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shaped:
    """Draws arrays whose shapes are written in letters, one for each length: a `draw` for `Agrees`.

    Attributes:
        letters: the shapes of the arguments, such as `"d, s, d s"`; a size is a length for each letter, in their order.
        numbers: draws one array, `numbers(rng, shape)`.

    Example:
        >>> draw = Shaped("d, s, d s")
        >>> [x.shape for x in draw(np.random.default_rng(0), (2, 5))]
        [(2,), (5,), (2, 5)]
        >>> [x.shape for x in draw.growing[1](96)]
        [(3,), (96,), (3, 96)]
    """

    letters: str
    numbers: Callable[[np.random.Generator, tuple[int, ...]], np.ndarray] = array

    def __call__(self, rng: np.random.Generator, sizes: Sequence[int]) -> Case:
        """The arguments of one call."""
        parts = [part.split() for part in self.letters.split(",")]
        lengths = dict(zip(dict.fromkeys(letter for part in parts for letter in part), sizes, strict=True))
        return tuple(self.numbers(rng, tuple(lengths[letter] for letter in part)) for part in parts)

    @property
    def growing(self) -> list[Callable[[int], Case]]:
        """For each letter, arguments in which its length grows: for `bans.no_loops(grows=...)`."""
        count = len(set(self.letters.replace(",", " ").split()))
        return [partial(self._along, place, count) for place in range(count)]

    def _along(self, place: int, count: int, n: int) -> Case:
        return self(np.random.default_rng(0), [n if i == place else 3 for i in range(count)])


# -- steps ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AtOnce:
    """A question about all cases together: see `at_once`."""

    question: Callable[..., Any]


def at_once(question: Callable[..., Any]) -> AtOnce:
    """In `Agrees(ask=...)`: one question takes a list of all cases and gives the list of their results.

    One program for ten cases is compiled in little more time than one for a single case.
    """
    return AtOnce(question)


@dataclass(frozen=True)
class Agrees:
    """A step: the answer gives what the oracle gives, on inputs that are drawn, the smallest first.

    Attributes:
        oracle: what is right. The names of its parameters stand in the message.
        draw: draws the arguments of one call, `draw(rng, shape)`.
        shapes: what `draw` is called with, or a function of the generator that gives them.
        each: how many draws there are for each shape.
        extremes: further arguments, or a function of the generator that gives them.
        ask: a question, `probe.on_jax_arrays` or one of your own; by default a call.
        reads: is given a reply and the arguments, requires its form, and returns what the oracle is compared with.
        mistakes: those that are recognised by what comes out: see `Mistakes`. Of a dictionary a mistake need give only
            the entries that it is about.
        otherwise: the label if what comes out is wrong in another way; with None that is left to the next step.
        raising: those that are recognised by what is raised: see `Raising`.
        shows: what a student would have written, with `{}` for the arguments, where `ask` does more than call.
        rtol: see `exercise.is_close`.
        dtype: whether the result's dtype counts.
    """

    oracle: Oracle
    draw: Callable[[np.random.Generator, Any], Case] | None = None
    shapes: Iterable[Any] | Callable[[np.random.Generator], Iterable[Any]] = SIZES
    _: KW_ONLY
    each: int = 4
    extremes: Iterable[Case] | Callable[[np.random.Generator], Iterable[Case]] = ()
    ask: Callable[..., Any] | AtOnce = call
    reads: Callable[..., Any] | None = None
    mistakes: Mistakes = field(default_factory=dict)
    otherwise: str | None = "wrong-value"
    raising: Raising = field(default_factory=dict)
    shows: str = ""
    rtol: float | None = None
    dtype: bool = False

    def __call__(self, answer: Answer, rng: np.random.Generator) -> None:
        """Take the step."""
        drawn = [self.draw(rng, shape) for shape in _given(self.shapes, rng) for _ in range(self.each) if self.draw]
        cases = [*sorted(drawn, key=extent), *_given(self.extremes, rng)]
        shows = self.shows or f"{answer.name}({{}})"
        beside = _OfPart(self._asking(answer, cases), self.oracle, self.rtol, self.dtype, shows)
        try:
            with naming(self.raising):
                beside.require(cases, "", self.otherwise or _LEFT, _slips(self.mistakes or {}))
        except AnswerRaised:
            if self.otherwise:
                raise
        except Diagnosis as found:
            if found.label != _LEFT:
                raise

    def keys(self) -> list[str]:
        """The keys of the words that the step itself uses."""
        return [*self.mistakes, *self.raising, *filter(None, [self.otherwise])]

    def answers(self) -> list[tuple[str, Oracle]]:
        """The mistakes that can be given as answers, each with its label: where an answer is called, and no more."""
        return _labelled(self.mistakes) if self.ask in (call, on_jax_arrays, under_jit) else []

    def functions(self) -> list[Any]:
        """The functions in which further ones may stand."""
        return [self.oracle, self.draw, self.reads, self.shapes, self.extremes]

    def _asking(self, answer: Answer, cases: Sequence[Case]) -> Callable[..., Any]:
        """What gives the result of one case."""
        ask, results = self.ask, None
        if isinstance(ask, AtOnce):
            with suppress(AnswerRaised):  # then each is asked by itself, so that the verdict knows where it happened
                results = iter(answer.probe(ask.question, cases))

        def asked(*case: Any) -> Any:
            if isinstance(ask, AtOnce):
                got = next(results) if results else answer.probe(ask.question, [case])[0]
            else:
                got = answer(*case) if ask is call else answer.probe(ask, *case)
            if self.shows or isinstance(ask, AtOnce) or not declared(ask).like_a_call:
                arguments = ", ".join(describe(value, brief=True) for value in case)
                answer.called = (self.shows or f"{answer.name}({{}})").replace("{}", arguments)
            return self.reads(got, *case) if self.reads else got

        return asked


@dataclass(frozen=True)
class Solves:
    """A step: the answer to a puzzle does what a specification in plain Python says, for few elements and for many.

    Attributes:
        specification: see `puzzle.expect_spec`.
        cases: the arguments of each call, from a generator; the smallest are tried first.
        many: the arguments of calls with many elements, which are asked once the rules are kept.
        mistakes: see `Mistakes`.
    """

    specification: Oracle
    cases: Callable[[np.random.Generator], Iterable[Case]]
    _: KW_ONLY
    many: Callable[[np.random.Generator], Iterable[Case]]
    mistakes: Mistakes = field(default_factory=dict)

    def __call__(self, answer: Answer, rng: np.random.Generator) -> None:
        """Take the step."""
        expect_spec(answer, self.specification, self.cases(rng), _slips(self.mistakes))
        expect_for_many(answer, self.specification, self.many(rng))

    def keys(self) -> list[str]:
        """The keys of the words that the step itself uses."""
        return list(self.mistakes)

    def answers(self) -> list[tuple[str, Oracle]]:
        """The mistakes that can be given as answers, each with its label."""
        return _labelled(self.mistakes)

    def functions(self) -> list[Any]:
        """The functions in which further ones may stand."""
        return [self.specification, self.cases, self.many, expect_spec, expect_for_many]


_LEFT = "no known mistake"


class _OfPart(Asked):
    """An answer beside what is right, where a mistake may be about some entries of a dictionary only."""

    def _fits(self, slip: Slip, case: Case, got: Any) -> bool:
        try:
            made = slip.oracle(*case)
        except (ArithmeticError, LookupError, ValueError):
            return False
        part = isinstance(made, Mapping) and isinstance(got, Mapping) and made.keys() <= got.keys()
        return self.same({name: got[name] for name in made} if part else got, made)


def _slips(mistakes: Mistakes) -> list[Slip]:
    return [Slip(key, one) for key, one in _each(mistakes)]


def _each(mistakes: Mistakes) -> list[tuple[str, Oracle]]:
    return [(key, one) for key, some in mistakes.items() for one in ([some] if callable(some) else some)]


def _labelled(mistakes: Mistakes) -> list[tuple[str, Oracle]]:
    return [(label_of(key), one) for key, one in _each(mistakes)]


def _given(things: Any, rng: np.random.Generator) -> Iterable[Any]:
    return list(things(rng) if callable(things) else things)


# -- the exercise -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stepwise:
    """A check in steps, with its words.

    Attributes:
        steps: are taken one after the other.
        words: of the lesson and of the exercise.
        own: the keys of the exercise's own words.
    """

    steps: tuple[Step, ...]
    words: Words
    own: frozenset[str] = frozenset()

    def __call__(self, answer: Answer, rng: np.random.Generator) -> None:
        """Take one step after the other; what is found gets its words."""
        for step in self.steps:
            try:
                step(answer, rng)
            except Diagnosis as found:
                raise self.words.of(found) from None


def declare(
    name: str,
    *,
    see: str,
    steps: Sequence[Step],
    words: str | Sequence[str],
    points: float = 1,
    may_change_input: bool = False,
    without: Sequence[Ban] = (),
) -> Exercise:
    """Declare an exercise that is answered by a function.

    Args:
        name: the exercise's label in the lesson.
        see: the anchor of the paragraph that explains it.
        steps: one after the other; what is most specific first.
        words: hints and messages: see `read_words`; in front of those of the exercise there may be some of the lesson.
        points: what it is worth.
        may_change_input: whether an answer may change its arguments.
        without: what the task forbids, see `jaxcourse.bans`; enforced when all steps have been taken.

    Example:
        >>> halve = declare(
        ...     "halve", see="s", steps=[Agrees(lambda x: x / 2, lambda rng, n: (rng.normal(size=n),), [1, 3])],
        ...     words="wrong-value: Each element should be half of what it was."
        ... )
        >>> from jaxcourse.exercise import judge
        >>> from jaxcourse.probe import local_channel
        >>> judge(halve, local_channel(lambda x: x / 3)).message
        'Each element should be half of what it was. A small counterexample:...
    """
    texts = [words] if isinstance(words, str) else list(words)
    said = read_words(*texts)
    check = Stepwise(tuple(steps), said, frozenset(read_words(texts[-1]).said))
    return Exercise(name, check, points, said.hints, see, may_change_input, tuple(without))


def mistakes_of(exercise: Exercise) -> list[tuple[str, Oracle]]:
    """The mistakes of an exercise that can be given as answers, each with the label that it should get.

    Example:
        >>> ten = Agrees(lambda x: 10 * x, mistakes={"tenth": lambda x: x / 10, "not-ten/less": lambda x: 9 * x})
        >>> [label for label, _ in mistakes_of(declare("ten", see="s", steps=[ten], words=""))]
        ['tenth', 'not-ten']
    """
    steps = exercise.check.steps if isinstance(exercise.check, Stepwise) else ()
    return [one for step in steps if isinstance(step, (Agrees, Solves)) for one in step.answers()]
