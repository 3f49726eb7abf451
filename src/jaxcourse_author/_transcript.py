"""A channel that remembers: what a check asks can be read, and heard again without asking the answer again."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from jaxcourse.probe import Channel, Reply, identical, put_together

Asking = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A question, and what it was asked with, by position and by name."""


class Transcript:
    """A channel that keeps what is asked through it, and what is replied.

    Args:
        channel: which replies.

    Example:
        >>> from jaxcourse.probe import call, local_channel
        >>> transcript = Transcript(local_channel(lambda x: x + 1))
        >>> transcript(call, 2).value, transcript.again()(call, 2).value
        (3, 3)
        >>> [(question.__name__, args, named) for question, args, named in transcript.questions()]
        [('call', (2,), {})]
        >>> transcript.again()(call, 5)
        Traceback (most recent call last):
        LookupError: the second time, it is asked otherwise: `call(5)`
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._kept: list[tuple[Asking, Reply]] = []

    def __call__(self, question: Callable[..., Any], *args: Any, **kwargs: Any) -> Reply:
        asking = question, *copy.deepcopy((args, kwargs))  # a check may change what it has sent, and what it gets
        reply = self._channel(question, *args, **kwargs)
        self._kept.append((asking, copy.deepcopy(reply)))
        return reply

    def questions(self) -> Iterator[Asking]:
        """What was asked, one question after the other."""
        for (question, args, kwargs), _ in self._kept:
            yield question, put_together(args), put_together(kwargs)

    def arguments(self) -> Iterator[tuple[Callable[..., Any], str, Any]]:
        """Each argument of each question, with the question before it and its position, from 1, or its name."""
        for question, args, named in self.questions():
            for place, value in [*enumerate(args, 1), *named.items()]:
                yield question, str(place), value

    def again(self) -> Channel:
        """A channel that replies as this one did, for as long as it is asked the same in the same order."""
        left = iter(self._kept)

        def ask(question: Callable[..., Any], *args: Any, **kwargs: Any) -> Reply:
            asking, reply = next(left, ((), Reply()))
            if identical(without_numbers(asking), without_numbers((question, args, kwargs))):
                return copy.deepcopy(reply)
            told = ", ".join([*map(repr, args), *(f"{name}={value!r}" for name, value in kwargs.items())])
            raise LookupError(f"the second time, it is asked otherwise: `{question.__name__}({told[:200]})`")

        return ask


def without_numbers(value: Any) -> Any:
    """A value in which no placing on devices has its number: it is another one each time, as it must be.

    Example:
        >>> from jaxcourse.probe import placing
        >>> without_numbers([placing({"x": 8}), 1]) == without_numbers([placing({"x": 8}), 1])
        True
    """
    if isinstance(value, dict):
        placing = {"axes", "number"} <= value.keys()
        return {key: without_numbers(item) for key, item in value.items() if not (placing and key == "number")}
    return type(value)(map(without_numbers, value)) if type(value) in (list, tuple) else value
