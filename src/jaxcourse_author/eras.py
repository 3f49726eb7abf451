"""An old spelling beside today's: both are run, and what the page claims about versions is held against the run.

`beside` shows a pair as two columns. `sides` shows a table of many. Either refuses a claim that does not hold on the
versions that are installed, so that a page that was built, or run on another stack, has been tested there.
"""

from __future__ import annotations

import ast
import contextlib
import html
import importlib.metadata
import io
import re
import warnings
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from jaxcourse.table import Table

STYLE = """
.jaxcourse-eras{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:.5em 1em;
margin:.5em 0;break-inside:avoid}
.jaxcourse-eras>*{min-width:0}
.jaxcourse-eras p{margin:0 0 .3em}
.jaxcourse-eras pre{margin:0 0 .4em;padding:.5em .7em;border:1px solid #808080;border-radius:4px;background:none;
color:inherit;font:.8125em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap;
overflow-wrap:anywhere}
.jaxcourse-eras .what{font-size:.875em;overflow-wrap:anywhere}
.jaxcourse-eras .what code{color:inherit}
.jaxcourse-eras .when{grid-column:1/-1;margin:0;font-size:.875em}
"""


class ClaimDoesNotHold(AssertionError):
    """What a page says about a version is not what the installed one does."""


@dataclass(frozen=True)
class Outcome:
    """What came of running a piece of code.

    Args:
        kind: `"runs"`, `"warns"` or `"raises"`.
        text: what it printed and the value of its last line, or the name of the exception and its first line.
        warning: the first warning's name and first line, if there was one.
    """

    kind: str
    text: str
    warning: str = ""

    @property
    def word(self) -> str:
        """The result in one word or value: an exception's or a warning's name, else the text."""
        told = {"raises": self.text, "warns": self.warning}.get(self.kind)
        return self.text if told is None else told.partition(":")[0]

    def __str__(self) -> str:
        lines = {"runs": self.text or "runs", "warns": f"{self.warning}\n{self.text}".strip(), "raises": self.text}
        return lines[self.kind]


def run(code: str, names: dict[str, Any] | None = None) -> Outcome:
    r"""Run code in names of its own, and say what came of it.

    Example:
        >>> run("a = 2\na * 3")
        Outcome(kind='runs', text='6', warning='')
        >>> run("{}['x']").text
        "KeyError: 'x'"
    """
    printed = io.StringIO()
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        try:
            value = _value(code, dict(names or {}))
        except Exception as error:  # whatever an old spelling raises today is what the page is about
            return Outcome("raises", _first_line(type(error).__name__, str(error)))
    text = printed.getvalue() + ("" if value is None else repr(value))
    warned = [_first_line(one.category.__name__, str(one.message)) for one in caught]
    return Outcome("warns" if warned else "runs", text.strip(), warned[0] if warned else "")


def _value(code: str, names: dict[str, Any]) -> Any:
    compiled = partial(compile, filename="<then>", dont_inherit=True)  # not with the `annotations` of this module
    *statements, last = ast.parse(code).body
    if not isinstance(last, ast.Expr):
        exec(compiled(code, mode="exec"), names)
        return None
    exec(compiled(ast.Module(statements, []), mode="exec"), names)
    return eval(compiled(ast.Expression(last.value), mode="eval"), names)


def _first_line(kind: str, message: str) -> str:
    line = message.strip().partition("\n")[0]
    return f"{kind}: {re.sub(r' ?[(]/[^)]*[)]', '', line)}".removesuffix(": ")  # paths of this machine help nobody


def installed(package: str) -> str | None:
    """The version of a package, or `None` where it is not installed.

    Example:
        >>> installed("no-such-package") is None
        True
    """
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def numbers(version: str) -> tuple[int, ...]:
    """The first three numbers of a version, by which versions are compared.

    Example:
        >>> numbers("0.9.0.1") == numbers("0.9.0") < numbers("0.10.0")
        True
    """
    return tuple(map(int, re.findall(r"\d+", version)[:3]))


def since(version: str, package: str = "jax") -> bool:
    """Tell whether the installed package is this version or a later one.

    Example:
        >>> since("0.1.0"), since("99.0.0")
        (True, False)
    """
    here = installed(package)
    return here is not None and numbers(here) >= numbers(version)


@dataclass(frozen=True)
class Claim:
    """What a piece of code gives, and since which versions it gives something else.

    Args:
        code: the piece.
        before: what it gives on all earlier versions.
        since: what it gives since a version, by the version; the earliest first.
        package: whose versions these are.
        reads: how an outcome is told: its `word`, its `kind`, or whether the name `is there`.
    """

    code: str
    before: str
    since: dict[str, str]
    package: str = "jax"
    reads: str = "word"

    def expected(self, version: str) -> str:
        """What it gives on a version.

        Example:
            >>> claim = Claim("np.trapz(x)", "DeprecationWarning", {"2.4.0": "AttributeError"}, "numpy")
            >>> claim.expected("2.3.5"), claim.expected("2.4.1")
            ('DeprecationWarning', 'AttributeError')
        """
        passed = [told for since, told in self.since.items() if numbers(since) <= numbers(version)]
        return passed[-1] if passed else self.before

    def words_for(self, outcome: Outcome) -> str:
        """An outcome as this claim speaks of it."""
        there = "is gone" if outcome.kind == "raises" else "is there"
        return {"word": outcome.word, "kind": outcome.kind, "is there": there}[self.reads]


Row = tuple[str, str, dict[str, str]]
"""Code, what it gives at first, and since which versions it gives something else."""


def claims_of_sides(rows: list[Row], package: str = "jax", caption: str = "") -> list[Claim]:
    """What `Eras.sides` claims: a claim for each row."""
    return [Claim(*row, package) for row in rows]


def claims_of_renamed(rows: list[tuple[str, str, str]], package: str = "jax", caption: str = "") -> list[Claim]:
    """What `Eras.renamed` claims of the old names."""
    return [Claim(old, "is there", {version: "is gone"}, package, "is there") for old, version, _ in rows]


def claims_of_beside(
    then: str, today: str, *, warns: str | None = None, gone: str | None = None, package: str = "jax"
) -> list[Claim]:
    """What `Eras.beside` claims of the old code, if it claims anything."""
    since = {version: kind for version, kind in ((warns, "warns"), (gone, "raises")) if version}
    return [Claim(then, "runs", since, package, "kind")] if since else []


@dataclass(frozen=True)
class Beside:
    """An old spelling, today's, and what came of each: text in a terminal, two columns in a notebook.

    Args:
        then: the old code.
        today: what to write.
        when: a sentence about versions.
        outcome: what came of the old code, or `None` if its package is not installed.
        result: what came of today's.
    """

    then: str
    today: str
    when: str
    outcome: Outcome | None
    result: Outcome

    def __repr__(self) -> str:
        then = f"then\n{_indented(self.then)}\n{_indented(self._outcome_in_words(), '    → ')}"
        return f"{then}\ntoday\n{_indented(self.today)}\n{_indented(str(self.result), '    → ')}\n{self.when}"

    def _outcome_in_words(self) -> str:
        return "not run here" if self.outcome is None else str(self.outcome)

    def _repr_html_(self) -> str:
        sign = {"runs": "→ ", "warns": "! ", "raises": "✗ "}
        then = _column("Then", self.then, sign[self.outcome.kind] if self.outcome else "", self._outcome_in_words())
        today = _column("Today", self.today, "→ ", str(self.result))
        when = f'<p class="when">{html.escape(self.when)}</p>'
        return f'<div class="jaxcourse-eras"><style>{STYLE}</style>{then}{today}{when}</div>'


def _indented(text: str, first: str = "    ") -> str:
    return first + text.replace("\n", "\n" + " " * len(first))


def _column(title: str, code: str, sign: str, told: str) -> str:
    shown = html.escape(sign + told).replace("\n", "<br>")
    return (
        f"<div><p><strong>{title}</strong></p><pre>{html.escape(code)}</pre>"
        f'<p class="what"><code>{shown}</code></p></div>'
    )


@dataclass
class Eras:
    """Runs pairs and tables of code with the same names, and holds what is claimed about versions against the run.

    Args:
        names: what every piece of code may use.

    Example:
        >>> Eras({"x": 2}).beside("x.real_part", "x.real")
        then
            x.real_part
            → AttributeError: 'int' object has no attribute 'real_part'
        today
            x.real
            → 2
        ...
    """

    names: dict[str, Any] = field(default_factory=dict)

    def beside(
        self, then: str, today: str, *, warns: str | None = None, gone: str | None = None, package: str = "jax"
    ) -> Beside:
        """Run the old code and today's.

        Args:
            then: the old code. It is not run where its package is not installed.
            today: what to write. It must run without a warning.
            warns: the version since which the old code warns.
            gone: the version since which it raises.
            package: whose versions these are.

        Raises:
            ClaimDoesNotHold: if the installed version does something else.
        """
        here = installed(package)
        outcome = run(then, self.names) if here else None
        result = run(today, self.names)
        _hold(today, "runs", result.kind, package, str(result))
        for claim in claims_of_beside(then, today, warns=warns, gone=gone, package=package):
            if outcome:
                _hold_claim(claim, outcome)
        return Beside(then, today, _when(warns, gone, package, here), outcome, result)

    def sides(self, rows: list[Row], package: str = "jax", caption: str = "") -> Changes:
        """A table of changes, with the one that the installed version has seen last.

        Args:
            rows: code, what it gives at first, and since which versions it gives something else: a value as it is
                shown, or the name of the exception or of the warning.
            package: whose versions these are.
            caption: what the table is about.

        Raises:
            ClaimDoesNotHold: if the installed version gives something else.
        """
        shown = []
        for claim in claims_of_sides(rows, package):
            _hold_claim(claim, run(claim.code, self.names))
            seen = [version for version in claim.since if since(version, package)]
            changes = "; ".join(f"{version}: {told or 'runs'}" for version, told in claim.since.items())
            shown.append([claim.code, claim.before or "runs", changes, f"since {seen[-1]}" if seen else "before"])
        head = ["code", "before", "since", "here"]
        return Changes(Table(_on(caption or "What changed", package), head, shown, is_code=True))

    def renamed(self, rows: list[tuple[str, str, str]], package: str = "jax", caption: str = "") -> Changes:
        """A table of names that moved: the old one, the version that removed it, and the new one, which must exist.

        Raises:
            ClaimDoesNotHold: if the old name is there although it should not be, or the other way round.
        """
        shown = []
        for claim, (then, version, today) in zip(claims_of_renamed(rows, package), rows, strict=True):
            new, old = run(today, self.names), run(then, self.names)
            _hold(today, "runs", new.kind, package, str(new))
            _hold_claim(claim, old)
            here = {"raises": old.word, "warns": "warns", "runs": "still there"}[old.kind]
            shown.append([then, version, today, here])
        head = ["then", "gone since", "today", "the old one here"]
        return Changes(Table(_on(caption or "Names that moved", package), head, shown, is_code=True))


def _on(caption: str, package: str) -> str:
    return f"{caption}, on {package} {installed(package)}"


def _hold_claim(claim: Claim, outcome: Outcome) -> None:
    here = installed(claim.package) or ""
    _hold(claim.code, claim.expected(here), claim.words_for(outcome), claim.package, str(outcome))


def _hold(code: str, expected: str, got: str, package: str, told: str) -> None:
    if got != expected:
        where = f"{package} {installed(package)}"
        raise ClaimDoesNotHold(f"on {where}, `{code}` should be {expected!r} and is {got!r}: {told}")


def _when(warns: str | None, gone: str | None, package: str, here: str | None) -> str:
    said = [f"deprecated since {package} {warns}"] if warns else []
    said += [f"an error since {package} {gone}"] if gone else []
    claim = f"{_sentence(said)}. " if said else ""
    return f"{claim}Run here with {package} {here}." if here else f"{package} is not installed here."


def _sentence(said: list[str]) -> str:
    words = ", ".join(said)
    return words[:1].upper() + words[1:]


@dataclass(frozen=True)
class Changes:
    """A table about versions: text in a terminal; in a notebook its code wraps, so that nothing is cut off."""

    table: Table

    def __repr__(self) -> str:
        return f"{self.table.caption}{self.table}"

    def _repr_html_(self) -> str:
        return f'<div class="jaxcourse-report">{self.table.html()}</div>'
