"""What a check is made of: what is drawn, what is right, which mistakes are known and, apart from these, what is said.

A check is a list of steps, and the first that finds something decides. A step is a function of an answer and a
generator. `Agrees` and `Solves` are the usual ones; any function that uses `require`, `refuse` and `expect` is one as
well. A step names a mistake by its label alone. What a student is told stands in the exercise's words, a text that a
teacher can edit, and a translator translate, without reading any code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

import numpy as np

from jaxcourse import probe
from jaxcourse.bans import Ban
from jaxcourse.exercise import Diagnosis, Exercise
from jaxcourse.exercise import expect as expect
from jaxcourse.exercise import refuse as refuse
from jaxcourse.exercise import require as require
from jaxcourse.inputs import SIZES, Asked, Replies, array, extent
from jaxcourse.markup import code, quoted
from jaxcourse.mistakes import Case, Mistakes, Oracle, Reply, Seen, faces_of
from jaxcourse.mistakes import seen as seen
from jaxcourse.probe import Answer, AnswerRaised, call, declared, describe, on_jax_arrays, under_jit
from jaxcourse.puzzle import expect_for_many, expect_spec

Step = Callable[[Answer, np.random.Generator], None]
"""A part of a check: returns if it finds nothing, and otherwise raises."""

Way = TypeVar("Way")

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
        facts = found.facts
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
        where = f" in {quoted(raised.line)}" if raised.line else ""
        where += f", for {code(error.given)}" if error.given else ""
        raise Diagnosis(label, f"Your code raised `{raised.kind}`{where}.", has_call=bool(error.given)) from None


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
class OneByOne:
    """A question about one case after the other, each of them when its reply is looked at."""

    question: Callable[..., Any]
    shows = "{name}({})"
    looks_at_all = False

    @property
    def ways(self) -> list[OneByOne]:
        """The ways of asking: the first counts in which the answer does not raise."""
        return [self]

    def of_each(self, answer: Answer, cases: Sequence[Case]) -> Iterator[Any]:
        """What came back for each case."""
        for case in cases:
            yield answer(*case) if self.question is call else answer.probe(self.question, *case)

    def called(self, name: str, case: Case) -> str:
        """A call in few words."""
        return f"{name}({_briefly(case)})"


@dataclass(frozen=True)
class AtOnce(OneByOne):
    """A question about all cases together: see `at_once`."""

    def of_each(self, answer: Answer, cases: Sequence[Case]) -> Iterator[Any]:
        """What came back for each case; where it raises, each is asked by itself, so that it is known where."""
        with suppress(AnswerRaised):
            yield from answer.probe(self.question, cases)
            return
        for case in cases:
            yield answer.probe(self.question, [case])[0]


def at_once(question: Callable[..., Any]) -> AtOnce:
    """In `Agrees(ask=...)`: one question takes a list of all cases and gives the list of their results.

    One program for ten cases is compiled in little more time than one for a single case.
    """
    return AtOnce(question)


Kind = Literal["Explicit", "Auto"]
"""Of which kind the axes of a mesh are."""

OF_A_KIND = "can only refer to Auto axes", "that are of type Auto or Manual"
"""What JAX says of a constraint on Explicit axes, and of `reshard` or `out_sharding` on Auto ones."""


def where_it_runs(check: Callable[[Way], None], ways: Sequence[Way]) -> None:
    """Require something of an answer in the first of several ways of asking it in which it does not raise.

    So it may be written for either kind of axes. If it raises in each way, what is raised is what first speaks of
    something else than the kind.

    Args:
        check: requires something in one way.
        ways: are tried one after the other.

    Example:
        >>> where_it_runs(lambda kind: None, ["Explicit", "Auto"])
    """
    found: list[AnswerRaised] = []
    for way in ways:
        try:
            check(way)
        except AnswerRaised as error:
            found.append(error)
        else:
            return
    raise next((error for error in found if not any(words in str(error) for words in OF_A_KIND)), found[0])


@dataclass(frozen=True)
class OverMeshes(OneByOne):
    """Calls on meshes: see `over_meshes`."""

    specs: tuple[Any, ...]
    axis: str
    kinds: tuple[Kind, ...]
    looks_at_all = True

    @property
    def shows(self) -> str:  # type: ignore[override]
        """The call, with its mesh."""
        kind = f"(jax.sharding.AxisType.{self.kinds[0]},)"
        return f'mesh = jax.make_mesh(({{first}},), ("{self.axis}",), {kind})\n{{name}}(mesh, {{rest}})'

    @property
    def ways(self) -> list[OneByOne]:
        """One for each kind."""
        return [replace(self, kinds=(kind,)) for kind in self.kinds]

    def placing(self, devices: int) -> dict[str, Any]:
        """The mesh of so many devices, and where the arguments lie."""
        explicit = self.kinds[0] == "Explicit"
        return probe.placing({self.axis: devices}, *self.specs, mesh="argument", explicit=explicit)

    def of_each(self, answer: Answer, cases: Sequence[Case]) -> Iterator[Any]:
        """What came back for each case: those of one mesh are asked together."""
        for devices in dict.fromkeys(case[0] for case in cases):
            here = [case for case in cases if case[0] == devices]
            try:
                yield from answer.probe(self.question, self.placing(devices), [case[1:] for case in here])
            except AnswerRaised as error:
                raise AnswerRaised(error.raised, f"a mesh of {devices}", here[0]) from error

    def called(self, name: str, case: Case) -> str:
        """A call in few words."""
        return f"{name}(a mesh of {case[0]}, {_briefly(case[1:])})"


def over_meshes(
    *specs: Any,
    axis: str,
    question: Callable[..., Any] = probe.called_on_mesh,
    kinds: Sequence[Kind] = ("Auto",),
) -> OverMeshes:
    """In `Agrees(ask=...)`: each case begins with a number of devices, and the answer gets a mesh of so many.

    Cases of one mesh stand together. All of them are asked, and what came back is read, before any is compared.

    Args:
        *specs: where each argument lies, see `probe.placing`.
        axis: the name of the mesh's one axis.
        question: takes a placing and a list of calls, and gives what came back from each.
        kinds: of the mesh's axis; an answer that raises on the first gets the next, see `where_it_runs`.
    """
    return OverMeshes(question, specs, axis, tuple(kinds))


def _briefly(case: Case) -> str:
    return ", ".join(describe(value, brief=True) for value in case)


class Replied(list[Reply]):
    """The replies of an answer, as what follows a comparison gets them.

    Attributes:
        ask: the way in which it was asked.
    """

    def __init__(self, replies: Iterable[Reply], ask: OneByOne) -> None:
        super().__init__(replies)
        self.ask = ask


@dataclass(frozen=True)
class Agrees:
    """A step: the answer gives what the oracle gives, on inputs that are drawn, the smallest first.

    Attributes:
        oracle: what is right. The names of its parameters stand in the message.
        draw: draws the arguments of one call, `draw(rng, shape)`.
        shapes: what `draw` is called with, or a function of the generator that gives them.
        each: how many draws there are for each shape.
        extremes: further arguments, or a function of the generator that gives them.
        ask: a question, `probe.on_jax_arrays` or one of your own; `at_once` or `over_meshes`; by default a call.
        reads: is given what came back and the arguments, requires its form, and returns what the oracle is compared
            with.
        mistakes: those that are recognised by what comes out: see `Mistakes`. One is named if it explains every reply,
            and is not right on two of them.
        otherwise: the label if what comes out is wrong in another way; with None that is left to what follows.
        then: what is asked of the same replies afterwards: `Also`, or a function of the answer and the replies.
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
    ask: Callable[..., Any] | OneByOne = call
    reads: Callable[..., Any] | None = None
    mistakes: Mistakes = field(default_factory=dict)
    otherwise: str | None = "wrong-value"
    then: Sequence[Also | Callable[[Answer, Sequence[Reply]], None]] = ()
    raising: Raising = field(default_factory=dict)
    shows: str = ""
    rtol: float | None = None
    dtype: bool = False

    def __call__(self, answer: Answer, rng: np.random.Generator) -> None:
        """Take the step."""
        cases = self.cases(rng)
        ask = self.ask if isinstance(self.ask, OneByOne) else OneByOne(self.ask)
        ways = ask.ways

        def take(way: OneByOne) -> None:
            """Take it in one way: what is raised there shows a mistake if no other way is left."""
            self._take(answer, cases, way, self.raising if way is ways[-1] else {})

        where_it_runs(take, ways)

    def _take(self, answer: Answer, cases: Sequence[Case], ask: OneByOne, raising: Raising) -> None:
        """Take the step in one way of asking."""
        shows = (self.shows or ask.shows).replace("{name}", answer.name)
        asking = self._asking(answer, ask, cases)
        beside = Asked(asking, self.oracle, self.rtol, self.dtype, shows, self.reads)
        replies = Replies(beside, cases)
        with naming(raising):
            if ask.looks_at_all:
                list(replies)
            _compare(beside, replies, self.otherwise, self.mistakes, raising)
            for after in self.then:
                replied = Replied(replies, ask)
                after(answer, replied, shows) if isinstance(after, Also) else after(answer, replied)

    def cases(self, rng: np.random.Generator) -> list[Case]:
        """The arguments of each call, in the order in which they are asked."""
        drawn = [self.draw(rng, shape) for shape in _items(self.shapes, rng) for _ in range(self.each) if self.draw]
        return [*sorted(drawn, key=extent), *_items(self.extremes, rng)]

    def keys(self) -> list[str]:
        """The keys of the words that the step itself uses."""
        of_then = (key for also in self.then if isinstance(also, Also) for key in also.labels)
        return [*self.mistakes, *self.raising, *filter(None, [self.otherwise]), *of_then]

    def answers(self) -> list[tuple[str, Oracle]]:
        """The mistakes that can be given as answers, each with its label: where an answer is called, and no more."""
        return _as_answers(self.mistakes) if self.ask in (call, on_jax_arrays, under_jit) else []

    def functions(self) -> list[Any]:
        """The functions in which further ones may stand."""
        after = [part for one in self.then for part in (one.functions() if isinstance(one, Also) else [one])]
        found = [self.oracle, self.draw, self.reads, self.shapes, self.extremes, *_tests(self.mistakes), *after]
        return [*found, *(shows for shows in self.raising.values() if callable(shows))]

    def _asking(self, answer: Answer, ask: OneByOne, cases: Sequence[Case]) -> Callable[..., Any]:
        """What gives the result of one case after the other."""
        results = ask.of_each(answer, cases)

        def asked(*case: Any) -> Any:
            got = next(results)
            if self.shows or not declared(ask.question).like_a_call:
                called = self.shows.replace("{}", _briefly(case)) if self.shows else ask.called(answer.name, case)
                answer.called = called
            return got

        return asked


@dataclass(frozen=True)
class Also:
    """In `Agrees(then=...)`: another part of the same replies, beside what is right of it.

    Attributes:
        oracle: what is right.
        reads: is given what came back and the arguments, and returns the part.
        mistakes: as for `Agrees`, with `otherwise`, `rtol` and `dtype`.
    """

    oracle: Oracle
    _: KW_ONLY
    reads: Callable[..., Any] | None = None
    mistakes: Mistakes = field(default_factory=dict)
    otherwise: str | None = "wrong-value"
    rtol: float | None = None
    dtype: bool = False

    def __call__(self, answer: Answer, replies: Sequence[Reply], shows: str) -> None:
        """Compare."""
        whole = iter(replies)
        beside = Asked(lambda *_: next(whole).whole, self.oracle, self.rtol, self.dtype, shows, self.reads)
        _compare(beside, Replies(beside, [reply.case for reply in replies]), self.otherwise, self.mistakes, {})

    @property
    def labels(self) -> list[str]:
        """The keys of the words that it uses itself."""
        return [*self.mistakes, *filter(None, [self.otherwise])]

    def functions(self) -> list[Any]:
        """The functions in which further ones may stand."""
        return [self.oracle, self.reads, *_tests(self.mistakes)]


def _compare(beside: Asked, replies: Replies, otherwise: str | None, mistakes: Mistakes, raising: Raising) -> None:
    """Require that replies are right; where a difference has no label, what is no known mistake is left over."""
    try:
        with naming(raising):
            beside.compare(replies, otherwise or _LEFT, mistakes)
    except AnswerRaised:
        if otherwise:
            raise
    except Diagnosis as found:
        if found.label != _LEFT:
            raise


def _tests(mistakes: Mistakes) -> list[Any]:
    return [face.test for _, face in faces_of(mistakes) if isinstance(face, Seen)]


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
        expect_spec(answer, self.specification, self.cases(rng), self.mistakes)
        expect_for_many(answer, self.specification, self.many(rng))

    def keys(self) -> list[str]:
        """The keys of the words that the step itself uses."""
        return list(self.mistakes)

    def answers(self) -> list[tuple[str, Oracle]]:
        """The mistakes that can be given as answers, each with its label."""
        return _as_answers(self.mistakes)

    def functions(self) -> list[Any]:
        """The functions in which further ones may stand."""
        return [self.specification, self.cases, self.many, expect_spec, expect_for_many]


_LEFT = "no known mistake"


def _as_answers(mistakes: Mistakes) -> list[tuple[str, Oracle]]:
    return [(label_of(key), face) for key, face in faces_of(mistakes) if not isinstance(face, Seen)]


def _items(things: Any, rng: np.random.Generator) -> Iterable[Any]:
    return list(things(rng) if callable(things) else things)


# -- the exercise -----------------------------------------------------------------------------------------------


@runtime_checkable
class Declared(Protocol):
    """A step whose labels are data, such as `Agrees`; a step that is a function has them in its code."""

    def keys(self) -> list[str]:
        """The keys of the words that the step itself uses."""

    def functions(self) -> list[Any]:
        """The functions in which further ones may stand."""


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
    picture: Callable[..., Any] | None = None,
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
        picture: draws the lesson's own picture with an answer that has passed: see `Exercise`.

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
    return Exercise(name, check, points, said.hints, see, may_change_input, tuple(without), picture)


def mistakes_of(exercise: Exercise) -> list[tuple[str, Oracle]]:
    """The mistakes of an exercise that can be given as answers, each with the label that it should get.

    Example:
        >>> ten = Agrees(lambda x: 10 * x, mistakes={"tenth": lambda x: x / 10, "not-ten/less": lambda x: 9 * x})
        >>> [label for label, _ in mistakes_of(declare("ten", see="s", steps=[ten], words=""))]
        ['tenth', 'not-ten']
    """
    steps = exercise.check.steps if isinstance(exercise.check, Stepwise) else ()
    return [one for step in steps if isinstance(step, (Agrees, Solves)) for one in step.answers()]
