"""Threads that play processes: a program's meetings are rehearsed where no process can be started."""

from __future__ import annotations

import copy
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from jaxcourse.probe import NOT_THE_STUDENTS, functions_of, globals_of, inner

Exchange = Callable[[str, Any], list[Any]]
"""`exchange(kind, value)`: everybody's values, in the order of the processes. All must come, with the same kind."""


class NeverMeet(RuntimeError):
    """Processes that can never meet: one waits for another that has ended, or they met for different things."""


@dataclass
class Rehearsal:
    """What became of a program in some processes.

    Attributes:
        results: what each returned, None if it failed.
        failures: what each that failed died of.
        trouble: why a meeting could not come about, also if the program caught the exception; else empty.
        error: what was raised first, if it was not for want of a partner.
        meetings: how often all met.
    """

    results: list[Any]
    failures: dict[int, str] = field(default_factory=dict)
    trouble: str = ""
    error: Exception | SystemExit | None = None
    meetings: int = 0


def rehearse(program: Callable[..., Any], count: int, *arguments: Any) -> Rehearsal:
    """Run `program(rank, count, exchange, *arguments)` in threads, one for each process.

    Nothing is shared: values are copied on their way, and each process has globals of its own, and what it puts into a
    module or a class is seen by it alone. One runs at a time, in
    the order of the ranks, until it ends or waits for the others, so that `exchange` is the only way to them. A meeting
    that cannot come about is found at once, without a limit of time. Real processes would wait there, or go on with
    wrong numbers.

    Args:
        program: what each process runs; `exchange` is its only way to the others, see `Exchange`.
        count: how many processes.
        *arguments: for each further argument a list, with one for each process.

    Returns:
        What each returned, and what went wrong.

    Example:
        >>> rehearse(lambda rank, count, exchange: sum(exchange("sum", rank)), 3).results
        [3, 3, 3]
        >>> rehearse(lambda rank, count, exchange: rank or exchange("sum", rank), 2).failures
        {0: 'NeverMeet: process 0 waits in "sum" for process 1, which has ended.'}
    """
    meeting, spaces = _Meeting(count), _Spaces.of(program, count)
    run = Rehearsal([None] * count)

    def play(rank: int) -> None:
        def exchange(kind: str, value: Any) -> list[Any]:
            spaces.leave(rank)
            try:
                return meeting.join(rank, kind, value)
            finally:
                spaces.enter(rank)

        meeting.come(rank)
        spaces.enter(rank)
        try:
            given = [copy.deepcopy(argument[rank]) for argument in arguments]
            run.results[rank] = _copy_or_same(_own(program)(rank, count, exchange, *given))
        except (Exception, SystemExit) as error:
            run.failures[rank] = f"{type(error).__name__}: {error}"
            run.error = run.error or (None if isinstance(error, NeverMeet) else error)
        finally:
            spaces.leave(rank)
            meeting.leave(rank)

    threads = [threading.Thread(target=play, args=(rank,), daemon=True) for rank in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run.failures, run.meetings = dict(sorted(run.failures.items())), meeting.held
    run.trouble = meeting.trouble
    return run


# -- what each process has for itself ---------------------------------------------------------------------------


def _own(program: Any) -> Any:
    """A program as another process has it: what its functions bind, or change in place, is seen by no other one."""
    if not isinstance(program, types.FunctionType):
        return _copy_or_same(program)
    space = dict(program.__globals__)
    return _Copy(program.__globals__, space).of(program)


@dataclass
class _Copy:
    """Copies functions that share their globals into a space of their own.

    Attributes:
        shared: the globals of all.
        space: those of the copies; the names that these use hold copies, too.
        known: the copies by the identity of the original, which stays alive meanwhile.
    """

    shared: dict[str, Any]
    space: dict[str, Any]
    known: dict[int, Any] = field(default_factory=dict)

    def of(self, value: Any) -> Any:
        """The copy of a value, which may be a function."""
        if id(value) not in self.known:
            is_ours = isinstance(value, types.FunctionType) and value.__globals__ is self.shared
            if not is_ours:
                self.known[id(value)] = _copy_or_same(value)
            else:
                self._function(value)
        return self.known[id(value)]

    def _function(self, function: types.FunctionType) -> None:
        cells = tuple(types.CellType() for _ in function.__closure__ or ())
        made = types.FunctionType(function.__code__, self.space, function.__name__, None, cells or None)
        self.known[id(function)] = made  # before what it uses, which may be itself
        made.__defaults__ = None if function.__defaults__ is None else tuple(map(self.of, function.__defaults__))
        made.__kwdefaults__ = {name: self.of(value) for name, value in (function.__kwdefaults__ or {}).items()}
        made.__dict__.update({name: self.of(value) for name, value in vars(function).items()})
        for mine, theirs in zip(cells, _contents(function.__closure__ or ()), strict=True):
            for value in theirs:
                mine.cell_contents = self.of(value)
        for name in globals_of(function.__code__) & self.shared.keys():
            self.space[name] = self.of(self.shared[name])


Owner = types.ModuleType | type


@dataclass
class _Spaces:
    """What modules and classes hold for each process: swapped whenever another one runs, as only one does at a time.

    Attributes:
        owners: the modules that a program names, and its own classes.
        before: what they held before it began.
        own: for each process and owner, what it holds otherwise.
    """

    owners: list[Owner]
    before: list[dict[str, Any]]
    own: list[list[dict[str, Any]]]

    @classmethod
    def of(cls, program: Any, count: int) -> _Spaces:
        """The spaces of a program; what its own modules and classes hold is copied for each process."""
        owners = list({id(owner): owner for owner in _owners(program)}.values())
        own = [[_data_copies(owner) if _is_own(owner) else {} for owner in owners] for _ in range(count)]
        return cls(owners, [dict(vars(owner)) for owner in owners], own)

    def enter(self, rank: int) -> None:
        """Let a process find what it holds."""
        for owner, held in zip(self.owners, self.own[rank], strict=True):
            for name, value in held.items():
                setattr(owner, name, value)

    def leave(self, rank: int) -> None:
        """Keep what a process holds, and put back what was there before."""
        for place, (owner, before) in enumerate(zip(self.owners, self.before, strict=True)):
            now = dict(vars(owner))
            held = {name: value for name, value in now.items() if name not in before or before[name] is not value}
            self.own[rank][place] = held
            for name in held:
                setattr(owner, name, before[name]) if name in before else delattr(owner, name)


def _owners(program: Any) -> Iterator[Owner]:
    for function in functions_of(program, NOT_THE_STUDENTS):
        for code in (function.__code__, *inner(function.__code__)):
            named = [function.__globals__.get(name, sys.modules.get(name)) for name in code.co_names]
            for value in named:
                if isinstance(value, types.ModuleType) or (isinstance(value, type) and _is_own(value)):
                    yield value


def _is_own(value: Owner) -> bool:
    """Whether a class or a module is the program's author's, and no library's."""
    name = value.__module__ if isinstance(value, type) else value.__name__
    if name in sys.builtin_module_names:
        return False
    file = None if name == "__main__" else getattr(sys.modules.get(name), "__file__", None)
    return isinstance(value, type) if file is None else not str(file).startswith(NOT_THE_STUDENTS)


def _data_copies(owner: Owner) -> dict[str, Any]:
    """Copies of the data that a class or a module holds."""
    return {
        name: _copy_or_same(value)
        for name, value in vars(owner).items()
        if not name.startswith("__") and not callable(value) and not hasattr(value, "__get__")
    }


def _contents(cells: Iterable[types.CellType]) -> Iterable[list[Any]]:
    """What each cell of a closure holds; an empty list where it holds nothing yet."""
    for cell in cells:
        try:
            yield [cell.cell_contents]
        except ValueError:
            yield []


def _copy_or_same(value: Any) -> Any:
    """A copy; the value itself where there is none, as of a module or a lock."""
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


# -- where they meet --------------------------------------------------------------------------------------------


class _Meeting:
    """Where threads wait for each other; of those that need not wait, the first runs, and no other."""

    def __init__(self, count: int) -> None:
        self.count, self.held, self.trouble = count, 0, ""
        self.ready, self.turn = set(range(count)), 0
        self.here: dict[int, tuple[str, Any]] = {}
        self.ended: set[int] = set()
        self.values: list[Any] = []
        self.changed = threading.Condition()

    def come(self, rank: int) -> None:
        """Wait for one's turn."""
        with self.changed:
            self.changed.wait_for(lambda: self.turn == rank)

    def join(self, rank: int, kind: str, value: Any) -> list[Any]:
        """Wait for all, and return what each has brought.

        Raises:
            NeverMeet: somebody cannot come, or came for something else.
        """
        with self.changed:
            self.here[rank] = str(kind), copy.deepcopy(value)
            number = self.held
            self._look_around(rank)
            self.changed.wait_for(lambda: self.turn == rank)
            if self.held == number:
                raise NeverMeet(self.trouble)
            return copy.deepcopy(self.values)

    def leave(self, rank: int) -> None:
        """Say that a process has ended."""
        with self.changed:
            self.ended.add(rank)
            self._look_around(rank)

    def _look_around(self, rank: int) -> None:
        """See who can go on, now that a process waits or has ended."""
        self.ready.discard(rank)
        kinds = sorted({kind for kind, _ in self.here.values()})
        if len(self.here) == self.count and len(kinds) == 1:
            self.values = [self.here[rank][1] for rank in range(self.count)]
            self.here, self.held = {}, self.held + 1
        elif len(self.here) == self.count:
            self.trouble = f"the processes met for different things: {', '.join(kinds)}."
        elif self.here and self.ended and len(self.here) + len(self.ended) == self.count:
            first, gone = min(self.here), min(self.ended)
            self.trouble = f'process {first} waits in "{self.here[first][0]}" for process {gone}, which has ended.'
        if self.trouble or not self.here:
            self.ready |= set(range(self.count)) - self.ended
        self.turn = min(self.ready, default=self.count)
        self.changed.notify_all()
