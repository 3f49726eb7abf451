"""Traces: what lanes they have, how busy these are, what is recorded, and what a picture says."""

import json
import re
import subprocess
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse import insides, trace
from jaxcourse.trace import Event, Trace


def of(*events, seconds=10.0):
    return Trace(seconds, tuple(Event(*event) for event in events))


@pytest.mark.parametrize(
    ("events", "share"),
    [
        ([], 0.0),
        ([("device", "a", 0, 5)], 0.5),
        ([("device", "a", 0, 5), ("device", "inner", 1, 2)], 0.5),
        ([("device", "a", 0, 5), ("device 2", "b", 4, 6)], 0.6),
        ([("device", "a", 0, 1), ("device", "b", 9, 10)], 0.2),
        ([("host", "a", 0, 9), ("device", "b", 2, 3)], 0.1),
    ],
)
def test_busy_is_the_union_of_all_device_lanes(events, share):
    assert of(*events).busy() == pytest.approx(share)


def test_another_lane_is_asked_by_its_name():
    seen = of(("host", "a", 0, 9), ("device 2", "b", 2, 3), ("device", "c", 5, 6))
    assert (seen.busy("host"), seen.busy("device 2")) == (0.9, 0.1)
    assert seen.lanes == ["host", "device", "device 2"]


def names(seen, lane):
    return [event.name for event in seen.events if event.lane == lane]


def test_a_program_is_compiled_once_and_then_only_called():
    fresh = jax.jit(lambda x: jnp.cos(x) + 3)
    x = jnp.ones(5)
    first, second = trace.record(fresh, x), trace.record(fresh, x)
    assert len(names(first, "compile")) == 1 and "compile" not in second.lanes
    assert names(second, "host") == ["PjitFunction(<lambda>)"]
    assert second.busy() > 0


def test_what_is_read_and_sent_has_a_lane_of_its_own():
    fresh = jax.jit(lambda x: x + 1)
    fresh(jnp.ones(3))
    silent = trace.record(fresh, jnp.ones(3))
    both = trace.record(lambda: float(fresh(jax.device_put(np.ones(3, np.float32)))[0]))
    assert "copy" not in silent.lanes
    assert any("np.asarray" in name for name in names(both, "copy"))
    assert any("Put" in name for name in names(both, "copy"))


def test_recording_says_nothing_and_returns_what_is_annotated(capfd):
    def annotated():
        with jax.profiler.TraceAnnotation("my own words"):
            return jnp.ones(3)

    seen = trace.record(annotated)
    assert "my own words" in names(seen, "host")
    assert capfd.readouterr() == ("", "")


def test_a_trace_is_read_where_warnings_are_errors():
    code = "import jax; from jaxcourse import trace; assert trace.record(jax.jit(lambda x: x + 1), 1.0).busy() > 0"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_raising_function_ends_the_trace():
    with pytest.raises(ZeroDivisionError):
        trace.record(lambda: 1 / 0)
    assert trace.record(lambda: jnp.ones(2)).seconds > 0


def test_what_jax_has_written_is_read_from_its_folder():
    program = jax.jit(lambda x: x * 2)
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            program(jnp.ones(3)).block_until_ready()
        seen = trace.read(folder)
    assert seen.busy() > 0 and "host" in seen.lanes
    assert min(event.start for event in seen.events) >= 0


def test_a_trace_survives_its_file(tmp_path):
    seen = of(("host", "a", 0.0, 0.25), ("device", "b", 0.5, 0.75), seconds=1.5)
    (tmp_path / "it.json").write_text(json.dumps(trace.to_json(seen)))
    assert trace.read(tmp_path / "it.json") == seen


def test_a_missing_trace_is_no_empty_one(tmp_path):
    with pytest.raises(insides.CannotRead, match="0 files"):
        trace.read(tmp_path)
    with pytest.raises(ValueError, match="take one of A, B"):
        trace.recorded("Z")


@pytest.mark.parametrize("name", trace.RECORDED)
def test_a_recorded_trace_is_small_and_says_where_it_is_from(name):
    assert (trace.FOLDER / f"{name}.json").stat().st_size < 8_000
    seen = trace.recorded(name)
    assert re.fullmatch(r"Recorded on a CPU with \d+ cores, JAX [\d.]+, \d{4}-\d\d-\d\d\.", seen.about)
    assert all(0 <= event.start < event.stop <= 1.01 * seen.seconds for event in seen.events)


def test_five_recorded_loops_wait_and_one_does_not():
    shares = {name: trace.recorded(name).busy() for name in trace.RECORDED}
    assert [name for name, share in shares.items() if share > 0.8] == ["C"]


def test_a_picture_names_each_lane_and_says_in_words_how_busy_it_is():
    seen = of(("host", "call", 0, 9), ("device", "dot", 2, 7), seconds=10.0)
    picture = seen.picture()
    assert "A device is busy 50%" in picture.alt and "the longest dot" in picture.alt
    assert re.findall(r">(host|device)</text>", picture.svg) == ["host", "device"]
    assert picture.html == seen._repr_html_() and repr(seen) == picture.alt


def test_bars_that_touch_are_one_and_none_is_too_narrow_to_be_seen():
    bars = trace._bars([(0.0, 1.0), (1.1, 2.0), (5.0, 5.001), (99.99, 100.0)], 100.0)
    assert [(round(a, 2), round(b, 2)) for a, b in bars] == [(0.0, 2.0), (5.0, 5.7), (99.3, 100.0)]


def test_totals_are_by_lane_and_name():
    seen = of(("host", "a", 0, 1), ("host", "a", 2, 4), ("device", "b", 0, 1))
    assert [row[:3] for row in seen.totals(1).rows] == [["a", "host", "2"]]
