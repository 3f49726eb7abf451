"""What other programs read: `grades.json`, JUnit's XML, Gradescope's `results.json`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from jaxcourse.markup import summary
from jaxcourse_grade._records import SCHEMA, Mark, Result
from jaxcourse_grade.reports._entry import Entry, entry, lesson_name, number, percent
from jaxcourse_grade.reports._facts import Facts
from jaxcourse_grade.reports._held import Restriction, points_alone
from jaxcourse_grade.reports._text import plain
from jaxcourse_grade.reports._words import WORDS, decision, verdict


def grades(entries: Sequence[Entry], facts: Facts, title: str) -> str:
    """`grades.json`: the sums of each result, each exercise's status, and the facts about the class."""
    whole = {"schema": SCHEMA, "title": title, "class": facts.to_json(), "results": [_sums(item) for item in entries]}
    return json.dumps(whole, indent=1, allow_nan=False) + "\n"


def _sums(item: Entry) -> dict[str, Any]:
    result = item.result
    sums = {name: getattr(result, name) for name in _RESULT}
    marks = [{**{name: getattr(mark, name) for name in _MARK}, "decision": decision(mark)} for mark in result.marks]
    sums |= {"decision": decision(result), "due": result.due, "minutes_late": result.minutes_late}
    more = {"percent": percent(result.points, result.out_of), "feedback": f"feedback/{item.page}.html"}
    return {**sums, **more, "exercises": marks}


_ABOUT = (
    "student",
    "name",
    "lesson",
    "source",
    "sha256",
    "submitted",
    "told",
    "late",
    "seed",
    "status",
    "reason",
    "look",
)
_RESULT = (*_ABOUT, "points", "out_of", "seconds", "cpu_seconds")
_MARK = ("exercise", "status", "label", "points", "out_of")


_HEADLINE = 200
"""How much of a message JUnit's readers show in a list; the element's text has all of it."""


# -- JUnit ------------------------------------------------------------------------------------------------------


def junit(entries: Iterable[Entry], title: str) -> str:
    """JUnit's XML: a test suite for each student and lesson, a test case for each exercise.

    What is neither passed nor a wrong answer is an error or a failure, and a submission that could not be judged has
    a test case that says so: nothing is green that was not graded and passed. The elements and attributes are those
    that Jenkins' schema allows, as GitLab and GitHub's actions read them too:
    https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd
    """
    counts, suites = Counter[str](), []
    for suite in (_suite(item.result) for item in entries):
        counts.update({name: int(suite.get(name, "0")) for name in ("tests", "failures", "errors")})
        ElementTree.indent(suite)
        suites.append(ElementTree.tostring(suite, encoding="unicode"))
    sums = " ".join(f'{name}="{counts[name]}"' for name in ("tests", "failures", "errors"))
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name={quoteattr(title)} {sums}>'
    return "\n".join([head, *suites, "</testsuites>\n"])


def _suite(result: Result) -> ElementTree.Element:
    unread = Mark("notebook", "", "unreadable", message=result.reason, out_of=0)
    marks = result.marks or (unread,)
    found = [WORDS[mark.status].junit for mark in marks]
    name = f"{result.student} {result.lesson or 'unknown lesson'}"
    counts = {"tests": len(marks), "failures": found.count("failure"), "errors": found.count("error"), "skipped": 0}
    suite = ElementTree.Element("testsuite", name=name, time=f"{result.seconds:.3f}", file=result.source)
    suite.attrib.update({key: str(value) for key, value in counts.items()})
    suite.append(_properties(result))
    suite.extend(_case(result, mark) for mark in marks)
    return suite


def _properties(result: Result) -> ElementTree.Element:
    said = {"student": result.name, "points": number(result.points), "out_of": number(result.out_of)}
    said |= {f"version {name}": text for name, text in result.versions.items()}
    said |= {f"protection {name}": text for name, text in result.protections.items()}
    said |= {"decision": decision(result)} if decision(result) else {}
    said |= {f"decision {mark.exercise}": decision(mark) for mark in result.marks if decision(mark)}
    said |= {"late": result.late} if result.late else {}
    said |= {f"note {i}": text for i, text in enumerate(filter(None, (result.look, *result.oddities)), 1)}
    properties = ElementTree.Element("properties")
    for name, value in said.items():
        ElementTree.SubElement(properties, "property", name=name, value=value)
    return properties


def _case(result: Result, mark: Mark) -> ElementTree.Element:
    classname = f"{result.lesson or 'unknown'}.{result.student}"
    case = ElementTree.Element("testcase", name=mark.exercise, classname=classname)
    if kind := WORDS[mark.status].junit:
        said = mark.message or WORDS[mark.status].student
        fault = ElementTree.SubElement(case, kind, type=verdict(mark), message=plain(summary(said))[:_HEADLINE])
        fault.text = "\n".join(lines(mark))
    if mark.printed:
        ElementTree.SubElement(case, "system-out").text = mark.printed
    return case


def lines(mark: Mark) -> list[str]:
    """What a mark says, as lines of plain text; those who passed need not see the call, nor read again."""
    if mark.status == "passed":
        return [plain(mark.message)] if mark.message else []
    call = f"{mark.called} returned {mark.returned}" if mark.returned else mark.called
    again = f"Read again: {mark.section} ({mark.address})" if mark.section and mark.status == "wrong" else ""
    return [plain(line) for line in (mark.message, call, again) if line]


# -- Gradescope -------------------------------------------------------------------------------------------------


def gradescope(result: Result, held: Restriction | None = None) -> str:
    r"""Gradescope's `results.json` of one submission.

    Its texts are plain text, which Gradescope escapes: in Markdown or HTML a submission could place links and pictures.
    The format: https://gradescope-autograders.readthedocs.io/en/latest/specs/

    Args:
        result: the submission's.
        held: what students are not told: then scores are shown once they are published there, without a word.

    Example:
        >>> result = Result("ada", "Ada", "01_toy", "ada.ipynb", "unreadable", reason="The file is empty.")
        >>> json.loads(gradescope(result))["output"]
        '01 toy: 0 of 0 points\nThe file is empty.'
    """
    shown = "visible" if held is None else "after_published"
    plain = entry(result if held is None else points_alone(result)).result
    unread = Mark("notebook", "The notebook", "unreadable", message=plain.reason, out_of=0)
    tests = [_test(mark, i, shown) for i, mark in enumerate(plain.marks or (unread,), 1)]
    said = [
        f"{lesson_name(plain.lesson)}: {number(plain.points)} of {number(plain.out_of)} points",
        plain.reason,
        *plain.oddities,
        held.says if held else "",
    ]
    whole = {"score": plain.points, "output": "\n".join(filter(None, said)), "output_format": "text"}
    whole |= {"test_output_format": "text", "test_name_format": "text", "visibility": shown}
    whole |= {"stdout_visibility": "hidden", "execution_time": round(plain.seconds), "tests": tests}
    return json.dumps(whole, indent=1, allow_nan=False) + "\n"


def _test(mark: Mark, position: int, shown: str) -> dict[str, Any]:
    words = WORDS[mark.status]
    name = f"{mark.title or mark.exercise}: {words.student}"
    said = [f"{words.symbol} {words.student}", *lines(mark)]
    test: dict[str, Any] = {"name": name, "number": str(position), "score": mark.points, "max_score": mark.out_of}
    return {**test, "status": "failed" if words.junit else "passed", "output": "\n".join(said), "visibility": shown}
