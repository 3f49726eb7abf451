"""`jaxcourse record`: cut off, gone on with, refused on another machine; and files that no page would take."""

import dataclasses
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from recorded.toy_record import STEM, lesson, write

from jaxcourse import bench
from jaxcourse.course import Course
from jaxcourse.figures import themed
from jaxcourse_author import recorded
from jaxcourse_author.recorded import CodeCell, Record, RecordError, _html, _kernels, _lesson, _run, measured_cells

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
CELL = "```{code-cell} ipython3\n%s\n```\n"


def course(root: Path, *cells: str) -> Course:
    """A course of one lesson with these cells."""
    lesson(root, "# Toy\n\n" + "\n".join(CELL % cell for cell in ["import os, time, pathlib", *cells]))
    return Course(root)


def taken(path: Path) -> list[tuple[list[str], str]]:
    """What each cell of the toy lesson showed, and why not."""
    piece = recorded.read(path).pieces[STEM]
    return [([shown.content for shown in one.outputs], one.why) for one in piece.taken.values()]


def until(holds: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "nothing came of it"
        time.sleep(0.05)


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not (state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z")


# -- one command, several goes ----------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_what_is_cut_off_is_whole_and_gone_on_with(tmp_path: Path) -> None:
    slow = "if not pathlib.Path('go').exists():\n    time.sleep(600)\nprint('second', time.perf_counter() > 0)"
    first = "pathlib.Path('process').write_text(str(os.getpid()))\nprint('first', time.perf_counter() > 0)"
    here, into = course(tmp_path, first, slow), tmp_path / "record.json"
    command = [sys.executable, "-m", "jaxcourse", "--course", str(tmp_path), "record", "--into", str(into)]
    with subprocess.Popen([*command, "--only", STEM], stdout=subprocess.DEVNULL) as process:
        until(into.exists)
        process.kill()
    assert taken(into) == [(["first True\n"], "")]
    worker = int((tmp_path / "notebooks" / "process").read_text())
    until(lambda: not is_running(worker))
    (tmp_path / "notebooks" / "go").touch()
    said: list[str] = []
    assert recorded.record(here, into, only=[STEM], say=said.append) == (into, 0)
    assert taken(into) == [(["first True\n"], ""), (["second True\n"], "")]
    assert said == [f"{STEM}: 1 to measure"]
    before = into.stat().st_mtime_ns
    assert recorded.record(here, into, only=[STEM])[1] == 0
    assert into.stat().st_mtime_ns == before, "what is complete is not measured again"


def test_it_ends_in_time_and_says_what_is_missing(tmp_path: Path) -> None:
    here = course(tmp_path, "print(time.perf_counter() > 0)")
    path, left = recorded.record(here, seconds=0, only=[STEM])
    assert left == 1 and path.parent == tmp_path / "book" / "recorded" and not path.exists()


def test_what_cannot_run_is_kept_with_the_reason(tmp_path: Path) -> None:
    fails = "print(time.perf_counter() / 0)"
    dies = "time.perf_counter(); os._exit(9)"
    here, into = course(tmp_path, fails, "print(time.perf_counter() > 0)", dies), tmp_path / "record.json"
    assert recorded.record(here, into, only=[STEM])[1] == 0
    (_, divided), (shown, fine), (_, died) = taken(into)
    assert divided == "ZeroDivisionError: float division by zero" and shown == ["True\n"] and not fine
    assert died.startswith("its process ended with status 9")


def test_a_piece_that_never_ends_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_run, "LIMIT", 0.5)
    here, into = course(tmp_path, "time.perf_counter(); time.sleep(600)"), tmp_path / "record.json"
    assert recorded.record(here, into, only=[STEM])[1] == 0
    assert taken(into) == [([], "the whole took more than 0.5 s")]


def test_simulated_devices_are_not_recorded_as_another_device(tmp_path: Path) -> None:
    course(tmp_path, "import jax\nprint(time.perf_counter() > 0)", "print(time.perf_counter() > 1)")
    command = [sys.executable, "-m", "jaxcourse_author.recorded", STEM, "--root", str(tmp_path), "--device", "H200"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        lines = [json.loads(line)["taken"] for line in process.stdout]
    assert lines == [{"why": _lesson.SIMULATED}] * 2


# -- one machine, one set of versions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (lambda kept: kept["machine"].update(device="NVIDIA H200"), r"device 'NVIDIA H200' there, '\w+' here"),
        (lambda kept: kept["versions"].update(jax="0.4.1"), r"jax '0\.4\.1' there, '[\d.]+' here"),
        (lambda kept: kept["versions"].pop("numpy"), r"numpy 'none' there"),
    ],
)
def test_another_machine_and_other_versions_are_refused(tmp_path: Path, changed: Any, said: str) -> None:
    here, into = course(tmp_path, "print(time.perf_counter() > 0)"), tmp_path / "record.json"
    machine, versions = _run._here(tmp_path)
    Record(machine, versions).write(into)
    kept = json.loads(into.read_text())
    changed(kept)
    into.write_text(json.dumps(kept))
    with pytest.raises(RecordError, match=rf"another machine, or with other versions: {said}.*--into"):
        recorded.record(here, into, only=[STEM])
    assert json.loads(into.read_text()) == kept, "and nothing is written"


def test_there_are_only_pieces_that_are_there(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"there is no 99_x; there are kernels, {STEM}, headlines"):
        recorded.record(course(tmp_path, "time.perf_counter()"), only=["99_x"])


# -- files ------------------------------------------------------------------------------------------------------------


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    into = write(tmp_path)
    (kept,) = recorded.records(tmp_path)
    assert kept.name == "nvidia-h200" and kept.label(STEM) == "NVIDIA H200, 2026-12-01, JAX 0.10.2"
    again = tmp_path / "again.json"
    kept.write(again)
    assert again.read_text() == into.read_text() and not list(tmp_path.glob(".*"))


def outputs(kept: Any) -> list[Any]:
    found: list[Any] = next(iter(kept["pieces"][STEM]["taken"].values()))["outputs"]
    return found


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (lambda kept: kept.update(form=2), "its form is 2"),
        (lambda kept: kept.update(more=1), "the record is no table with exactly form"),
        (lambda kept: kept["machine"].update(cores=True), "cores True, which is no count"),
        (lambda kept: kept["machine"].update(device="a\nb"), "device is no line"),
        (lambda kept: kept["machine"].update(host="\u202egnp"), "host is no line"),
        (lambda kept: kept["versions"].pop("jax"), "has no jax"),
        (lambda kept: kept["versions"].update(numpy=2), "versions: numpy is no line"),
        (lambda kept: kept.update(pieces=[]), "are tables by name"),
        (lambda kept: kept["pieces"].update({"../x": {}}), "is no name"),
        (lambda kept: kept["pieces"][STEM].update(date="yesterday"), "has the date 'yesterday'"),
        (lambda kept: kept["pieces"][STEM].update(taken=[]), "is a table by what a cell is known by"),
        (lambda kept: outputs(kept).append({"svg": "<svg></svg>"}), "either `text` or `html`"),
        (lambda kept: outputs(kept).append({"text": "a", "html": "b"}), "either `text` or `html`"),
        (lambda kept: outputs(kept).append({"text": 1}), "a string of at most"),
        (lambda kept: outputs(kept).append({"text": "x" * 200_001}), "a string of at most"),
        (lambda kept: outputs(kept).append({"text": "\x1b[2J"}), "control a terminal"),
        (lambda kept: outputs(kept).extend([{"text": "x"}] * 200), "a list of at most 200"),
        (lambda kept: outputs(kept).append({"html": "<iframe src='x'>"}), "which is no plain tag"),
    ],
)
def test_what_is_no_record_is_refused_with_its_name_and_what_to_do(tmp_path: Path, changed: Any, said: str) -> None:
    into = write(tmp_path)
    kept = json.loads(into.read_text())
    changed(kept)
    into.write_text(json.dumps(kept))
    with pytest.raises(RecordError, match=rf"nvidia-h200\.json is not a record .*{re.escape(said)}.*never by hand"):
        recorded.records(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '"\ud800"', "\ufeff{}"])
def test_what_is_no_table_is_refused(tmp_path: Path, text: str) -> None:
    into = write(tmp_path)
    into.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(RecordError, match="is not a record"):
        recorded.records(tmp_path)


def test_a_record_has_no_more_than_a_page_can_bear(tmp_path: Path) -> None:
    into = write(tmp_path)
    into.write_bytes(b" " * (8 * 2**20) + into.read_bytes())
    with pytest.raises(RecordError, match="more than 8 MiB"):
        recorded.records(tmp_path)


@pytest.mark.parametrize(
    "html",
    [
        "<script>alert(1)</script>",
        "<SCRIPT>alert(1)</SCRIPT>",
        '<p onclick="x()">a</p>',
        '<svg onload="x()"></svg>',
        '<a href="https://example.org">a</a>',
        '<svg><use href="https://example.org#a"/></svg>',
        '<svg><use xlink:href="data:image/svg+xml,a"/></svg>',
        '<img src="x">',
        '<p style="background:url(https://example.org)">a</p>',
        '<p style="background:u&#114;l(x)">a</p>',
        '<p style="position:fixed">a</p>',
        "<style>body{display:none}</style>",
        "<p class='a'>single quotes</p>",
        "<p id=a>no quotes</p>",
        '<p title="<b>">a</p>',
        "<!-- a comment -->",
        "<![CDATA[a]]>",
        "</div>",
        "<div></p></div>",
        "<p>never closed",
        "</template>",
        "1 < 2",
        "<math><mtext></mtext></math>",
        "<svg><foreignObject></foreignObject></svg>",
        '<svg><animate attributeName="href"/></svg>',
        '<form action="x"></form>',
    ],
)
def test_html_that_acts_loads_or_breaks_out_is_refused(html: str) -> None:
    assert _html.html_problem(f"<div>{html}</div>")


def test_what_lessons_show_is_taken_as_it_is() -> None:
    figure = Figure(figsize=(8, 3))
    for axes in figure.subplots(1, 2):
        axes.plot([1, 2], [1, 3], label="<a> & b")
        axes.legend()
    picture = themed(figure, "Two lines, a < b.")
    assert picture.narrow
    both = {name: bench.entry(np.sum, np.ones(9)) for name in ("a < b", 'with "quotes"')}
    race = bench.race(both, seconds=0.01)
    sweep = bench.sweep(lambda n: {"sum": bench.entry(np.sum, np.ones(n))}, [1, 10], seconds=0.01)
    for shown in (picture, race, sweep, bench.ceilings()):
        assert not _html.html_problem(shown._repr_html_())


# -- which cells ------------------------------------------------------------------------------------------------------


def cells(*codes: str) -> list[CodeCell]:
    return [CodeCell(code, 1, True) for code in codes]


def test_what_reads_a_measurement_is_recorded_with_it() -> None:
    codes = [
        "spent = []\nx = 1",
        "for i in range(3):\n    start = time.perf_counter()\n    spent.append(time.perf_counter() - start)",
        "print(min(spent))",
        "print(x)",
        "spent = [2]",
        "print(spent)",
        "found = {}\nfound['a'] = bench.race(a)",
        "found['a']",
        "def shown():\n    return bench.sweep(b)",
        "shown()",
    ]
    assert set(measured_cells(cells(*codes)).values()) == {1, 2, 6, 7, 8, 9}
    assert not measured_cells([dataclasses.replace(one, runs=False) for one in cells(*codes)])


def test_a_cell_is_known_by_its_code_and_by_that_on_which_it_rests() -> None:
    plain = ["n = 3", "other = 1", "def work():\n    return n", "bench.race(work)"]

    def key(*codes: str) -> str:
        return next(one for one, place in measured_cells(cells(*codes)).items() if place == 3)

    same = [plain[0], "other = 2", "def work():  # as before\n    return (n)", "bench.race(\n    work,\n)"]
    assert key(*plain) == key(*same)
    for place, code in enumerate(["n = 4", "n = 1", "def work():\n    return n + 1", "bench.race(work, seconds=2)"]):
        assert key(*plain) != key(*plain[:place], code, *plain[place + 1 :])


def test_every_lesson_that_measures_is_recorded_in_the_order_of_worth() -> None:
    found = recorded.jobs(Course(ROOT))
    names = [job.piece for job in found]
    assert names[0] == "kernels" and names[-1] == "headlines" and len(names) == len(set(names)) > 15
    assert names.index("50_fusion") < names.index("11_broadcasting"), "lessons without JAX are last"
    assert all(job.due and len(job.due) == len(set(job.due)) for job in found)


# -- kernels ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", _kernels.CASES)
def test_all_ways_of_a_kernel_give_the_first_ones_result(name: str) -> None:
    import jax

    case = _kernels.case(name, small=True, interpret=True)
    first, *others = (jax.jit(way)(*case.args) for way in case.ways.values())
    assert others and all(_kernels.same(one, first) for one in others)
    assert not _kernels.same(first + 1, first)


def test_ways_that_fail_or_give_another_result_do_not_race() -> None:
    import jax.numpy as jnp

    case = _kernels.case("affine", small=True)
    odd = {"odd": lambda x: x * 2, "longer": lambda x: jnp.concatenate([x, x]), "broken": lambda x: x.reshape(7)}
    race, notes = _kernels.race_ways(dataclasses.replace(case, ways=dict(case.ways) | odd), seconds=0.01)
    assert race.names == ("jax.numpy",)
    assert sum("gave another result" in note for note in notes) == 2
    assert sum("was not run: TypeError" in note for note in notes) == 1
    assert sum("Pallas" in note and "was not run" in note for note in notes) == 2
    with pytest.raises(ValueError, match="broken was not run"):
        _kernels.race_ways(dataclasses.replace(case, ways={"broken": odd["broken"]}))
