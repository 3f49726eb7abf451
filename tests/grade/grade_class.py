"""A class of sixty that nobody taught: two lessons, every status, and texts that attack whoever prints them."""

from __future__ import annotations

import random
from typing import get_args

from jaxcourse_grade._records import Mark, Result, Status

LESSONS = {
    "01_memory_layout": ("row-strides", "flat-index", "centre-columns", "is-contiguous", "swap-axes"),
    "02_views_and_copies": ("predict-copies", "trim", "windows"),
}
STATUSES: tuple[Status, ...] = get_args(Status)
MESSAGES: dict[Status, str] = {
    "wrong": "The steps are counted in elements; `strides` counts bytes.",
    "error": "`ValueError`: operands could not be broadcast together with shapes (3,) (4,)",
    "timeout": "It took more than 30 seconds.",
    "memory": "It needed more than 2 GiB.",
    "crashed": "The process ended with signal 11.",
    "not_attempted": "Write your answer in place of `raise NotImplementedError`.",
    "missing": "Nothing in the notebook defines `row_strides`.",
    "unreadable": "The notebook could not be read.",
    "stumbled": "This is not your fault: the check could not do its work here.",
}
HOSTILE = [
    "<script>alert(document.domain)</script>",
    '"><img src=x onerror=alert(1)>',
    "</code></pre></style><style>*{display:none}</style><link rel=stylesheet href=//evil.example/x.css>",
    "javascript:alert(1)",
    "{{ 7 * 7 }} {% raw %} {# hidden #}",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "\u202egnp.exe\u202c \u2066isolated\u2069 zero\u200bwidth \ufeff",
    "\x00\x01\x08\x0b\x0c\x7f\x85\u2028 \ufffe\uffff \ud800 ]]> &lt; &#x1F600; &amp;",
    '=HYPERLINK("http://evil.example","x")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\tcmd",
    "\r=1+1",
    "`<b>` and ```` and ` alone",
    "e\u0301" + "\u0301" * 3000,
    "x" * 1_000_000,
    "\u05d0\u05d1\u05d2 <bdo dir=rtl>",
    "../../../etc/passwd",
    "😀🏳️‍🌈 ñ 日本",
]


def mark(exercise: str, status: Status, text: str = "") -> Mark:
    """One mark; a hostile text goes everywhere a submission could put it."""
    passed = status == "passed"
    label = {"wrong": "counted-elements", "error": "ValueError"}.get(status, "")
    return Mark(
        exercise=exercise,
        title=f"Strides & shapes: {exercise}",
        status=status,
        label=text or label,
        message=text or MESSAGES.get(status, ""),
        section="Strides",
        address="https://course.example/lesson.html#strides",
        called=text or ("row_strides(float64[5,3])" if status in ("wrong", "error", "passed") else ""),
        returned=text or ("(3, 1)" if status in ("wrong", "passed") else ""),
        printed=text,
        printed_total=len(text),
        points=float(passed),
        out_of=float(status != "stumbled"),
        evidence=("proven", "reported")[len(exercise) % 2] if passed else "",
        notes=(text or "Two cells define it; the last one counts.",) if status == "wrong" else (),
        code=text or "def row_strides(a):\n    return a.shape[1], 1\n",
    )


def result(student: str, lesson: str, marks: tuple[Mark, ...], **more: object) -> Result:
    """One graded result."""
    fields: dict[str, object] = {
        "student": student,
        "name": student.replace("_", " ").title(),
        "lesson": lesson,
        "source": f"{student}/{lesson}.ipynb",
        "status": "graded",
        "submitted": "2026-10-02T10:00:00+00:00",
        "marks": marks,
        "seed": 998877665,
        "class_seed": 20261112,
        "protections": {"files": "in force", "network": "in force", "processes": "", "namespaces": "not allowed here"},
        "versions": {"python": "3.11.7", "jax": "0.10.2", "jaxcourse": "0.1.0"},
        "seconds": 1.25,
        "cpu_seconds": 0.5,
    }
    return Result(**{**fields, **more})  # type: ignore[arg-type]


def the_class() -> list[Result]:
    """All results, in an order that is not the reports'."""
    draw = random.Random(5)
    found = [_honest(f"student_{i:02}", lesson, draw) for i in range(34) for lesson in LESSONS]
    found += [_hostile(i, text) for i, text in enumerate(HOSTILE)]
    found += [_not_graded(f"absent_{i}", "01_memory_layout", "missing", "") for i in range(3)]
    found += [_not_graded("broken", "01_memory_layout", "unreadable", "This is no JSON: line 3 <b>ends</b> early.")]
    found += [result("stranger", "", (), status="unreadable", reason="Which lesson is this?")]
    found += [result("Ö", "01_memory_layout", _all("passed")), result("ö", "01_memory_layout", _all("wrong"))]
    draw.shuffle(found)
    return found


def _all(status: Status, lesson: str = "01_memory_layout") -> tuple[Mark, ...]:
    return tuple(mark(name, status) for name in LESSONS[lesson])


def _honest(student: str, lesson: str, draw: random.Random) -> Result:
    weights = [12, 4, 2, 1, 1, 1, 2, 1, 0, 1]  # in the order of the statuses
    names = LESSONS[lesson]
    statuses = draw.choices(STATUSES, weights, k=len(names))
    marks = tuple(map(mark, names, statuses))
    return result(student, lesson, marks, seconds=draw.uniform(0.3, 4), cpu_seconds=draw.uniform(0.2, 2))


def _hostile(position: int, text: str) -> Result:
    names = LESSONS["01_memory_layout"]
    marks = tuple(mark(name, STATUSES[(position + i) % len(STATUSES)], text) for i, name in enumerate(names))
    return result(text, "01_memory_layout", marks, name=text, source=text, notes=(text,), submitted=text)


def _not_graded(student: str, lesson: str, status: str, reason: str) -> Result:
    source = "" if status == "missing" else f"{student}.ipynb"
    return result(student, lesson, _all("unreadable", lesson), status=status, reason=reason, source=source)
