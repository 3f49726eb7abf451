"""Answers that are alike: found whatever their names are, and not where the task makes them alike."""

from __future__ import annotations

import random
import re
import time
from dataclasses import replace
from pathlib import Path

from grade_class import mark, result

from jaxcourse.grade._records import Result
from jaxcourse.grade.reports import write
from jaxcourse.grade.reports._likeness import alike, stretches

SOLUTION = (
    "def f(x):\n    total = x[0]\n    for row in x[1:]:\n        total = total + row * row\n    return total / len(x)"
)
COPIED = """\
def f(x):
    weights = [2.0 ** -k for k in range(len(x))]
    pairs = sorted(zip(weights, x.tolist()), key=lambda pair: -pair[0])
    while len(pairs) > 1 and pairs[-1][1] == 0:
        pairs.pop()
    top, rest = pairs[0], pairs[1:]
    return sum(w * v for w, v in rest) + top[1] / max(top[0], 1e-3)
"""
NAMES = {"weights": "gewichte", "pairs": "alles", "pair": "p", "top": "erste", "rest": "andere"}


def renamed(code: str) -> str:
    return re.sub(r"\w+", lambda m: NAMES.get(m[0], m[0]), code).replace("\n    while", "\n\n    # mine!\n    while")


def own(draw: random.Random) -> str:
    """An answer that somebody has thought of alone."""
    lines = [
        f"    v{i} = np.{draw.choice(['sin', 'cos', 'exp', 'sqrt', 'tanh', 'add'])}(x * {draw.random():.3f} + {i})"
        for i in range(12)
    ]
    return "def f(x):\n" + "\n".join(lines) + f"\n    return {' * '.join(f'v{i}' for i in range(12))}"


def handed_in(student: str, code: str, exercise: str = "f") -> Result:
    return result(student, "01_toy", (replace(mark(exercise, "passed"), code=code),))


def found(*codes: str) -> list[tuple[str, str]]:
    results = [handed_in(f"s{i}", code) for i, code in enumerate(codes)]
    return [(pair.one.student, pair.other.student) for pair in alike(results, {("01_toy", "f"): SOLUTION})]


def test_a_copy_is_found_under_other_names() -> None:
    draw = random.Random(1)
    assert found(own(draw), COPIED, own(draw), renamed(COPIED), own(draw)) == [("s1", "s3")]
    (pair,) = alike([handed_in("a", COPIED), handed_in("b", renamed(COPIED))], {})
    assert pair.share == 100 and not pair.verbatim
    (pair,) = alike([handed_in("a", COPIED), handed_in("b", COPIED + "\n")], {})
    assert pair.verbatim


def test_a_copy_with_a_line_more_is_found_and_half_a_copy_is_not() -> None:
    assert found(COPIED, renamed(COPIED).replace("    return", "    print(x)\n    return")) == [("s0", "s1")]
    half = COPIED[: COPIED.index("    while")] + "    return np.convolve(x, weights)[: x.size // 2].max() - pairs[3][1]"
    assert found(COPIED, half) == []


def test_a_group_that_copied_is_found_whatever_its_size() -> None:
    draw = random.Random(2)
    for size in (2, 5, 8):
        pairs = found(*[COPIED] * size, *(own(draw) for _ in range(40)))
        assert {student for pair in pairs for student in pair} == {f"s{i}" for i in range(size)}


def test_what_the_task_makes_alike_is_not_shown() -> None:
    assert found(SOLUTION, SOLUTION.replace("total", "s")) == []
    assert found(*[COPIED] * 30) == [], "an answer that everybody has is the natural one"
    assert found("def f(x):\n    return x + 1", "def f(y):\n    return y + 1") == []
    assert found("f = {'a': (1, 2, 3), 'b': (4, 5, 6)}" * 1, "f = {'a': (1, 2, 3), 'b': (4, 5, 6)}") == []
    assert found("def f(:", "def f(:", "", "", "def f(x): return " + "-" * 9000 + "x") == []


def test_stubs_are_not_compared() -> None:
    results = [replace(handed_in(s, COPIED), marks=(replace(mark("f", "not_attempted"), code=COPIED),)) for s in "ab"]
    assert alike(results, {}) == []


def test_the_page_is_for_instructors_and_goes_when_nothing_is_alike(tmp_path: Path) -> None:
    two = [handed_in("ada_l", COPIED), handed_in("ben_k", renamed(COPIED))]
    write(two, tmp_path, title="T")
    page = (tmp_path / "alike.html").read_text("utf-8")
    assert "Ada L" in page and "Ben K" in page and page.count("gewichte") and "proves nothing" in page
    assert 'href="alike.html">1</a>' in (tmp_path / "class.html").read_text("utf-8")
    for path in (tmp_path / "feedback").iterdir():
        text = path.read_text("utf-8")
        assert ("Ada L" in text) + ("Ben K" in text) == 1 and "alike" not in text
    write(two[:1], tmp_path, title="T")
    assert not (tmp_path / "alike.html").exists()


def test_five_hundred_answers_take_seconds() -> None:
    draw = random.Random(3)
    results = [handed_in(f"s{i}", own(draw)) for i in range(500)]
    began = time.process_time()
    assert alike([*results, handed_in("copy", results[7].marks[0].code)], {})[0].one.student == "copy"
    assert time.process_time() - began < 10


def test_names_do_not_count_and_what_is_called_does() -> None:
    assert stretches(COPIED) == stretches(renamed(COPIED))
    assert stretches("def f(x): return np.sin(x)") != stretches("def f(x): return np.cos(x)")
