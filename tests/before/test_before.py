"""What is said of a call: counts, the range of time, guesses, a run, a trace; and what is refused. No time is real."""

import dataclasses
import functools
import json
import math
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from jaxcourse import bench, cli, insides
from jaxcourse.before import LeavesJax, _before, _command, _explain, _probes, _rates, _run, _said, _show, before
from jaxcourse.before._rates import Rates
from jaxcourse.before._run import Taken
from jaxcourse.before._span import Span
from jaxcourse.insides import Event, Kernel

NS, US = 1e-9, 1e-6
PACE = Rates(
    tiers=((1e6, Span(NS, NS)), (math.inf, Span(2 * NS, 4 * NS))),
    work={"simple": Span(NS, 2 * NS), "exponential": Span(5 * NS, 9 * NS), "hard": Span(NS, 50 * NS)},
    launch=Span(US, 2 * US),
    within=Span(NS, 2 * NS),
    call=Span(10 * US, 20 * US),
    array=Span(0, 0),
    fresh=Span(NS, NS),
)
X = np.ones(1000, np.float32)


@pytest.fixture(autouse=True)
def paced(monkeypatch):
    """Nothing is measured: each machine has this pace."""
    monkeypatch.setattr(_said, "rates", lambda: PACE)


def scaled(x):
    return 2 * x + 1


def until_small(x):
    return jax.lax.while_loop(lambda x: x.sum() > 1, lambda x: x / 2, x)


def called_out(x):
    return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x) + 1


def test_counts_are_those_of_the_program():
    said = before(scaled, X)
    assert (said.result.shape, said.result.dtype) == ((1000,), np.float32)
    assert (said.kernels, said.launches, said.bytes, said.operations) == (1, 1, 8000, 2000)
    assert (said.temporaries, said.collectives, said.hazards) == (0, {}, ())


def test_the_range_is_the_kernels():
    said = before(scaled, X)
    assert said.at_least == pytest.approx(10 * US + US + 8000 * NS)  # memory is slower than arithmetic
    assert said.at_most == pytest.approx(20 * US + 2 * US + 8000 * 4 * NS + 2000 * 2 * NS)


def test_loops_are_counted_with_their_turns():
    once = before(lambda x: jnp.exp(x), X)
    often = before(lambda x: jax.lax.fori_loop(0, 50, lambda _, x: jnp.exp(x), x), X)
    assert often.operations >= 50 * once.operations and often.at_least > 20 * once.at_least / 2


def test_nothing_is_computed_and_nothing_is_measured(monkeypatch):
    ran = []

    def noted(x):
        jax.debug.callback(lambda: ran.append(1))
        return x

    monkeypatch.setattr(_said, "rates", lambda: pytest.fail("it measured"))
    assert before(noted, X).kernels and not ran


def test_large_results_need_new_memory():
    small, large = (before(scaled, jax.ShapeDtypeStruct((n,), "float32")) for n in (1 << 22, 1 << 23))
    assert large.at_least - 2 * small.at_least > (1 << 25) * NS - 20 * US


def test_a_decision_may_cost_nothing():
    many = jax.ShapeDtypeStruct((10_000,), "float32")
    said = before(lambda x: jax.lax.cond(x[0] > 0, lambda x: jnp.exp(x), lambda x: x, x), many)
    assert said.at_least < 100 * US < said.at_most and "A decision in it may skip some kernels" in str(said)
    rows = dict(row[:2] for row in _show._facts(said).rows)
    assert all(rows[name].startswith("at most ") for name in ("bytes read and written", "operations"))


def test_beside_a_decision_and_what_is_not_read_an_amount_has_no_bound():
    said = before(lambda x: jax.lax.cond(x[0] > 0, called_out, lambda x: x, x), X)
    assert said.may_skip and said.unread and "at most" not in str(said) and "at least 4 kB" not in str(said)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (until_small, "No time is said: a loop has an unknown length."),
        (called_out, "Not read: `pure_callback`."),
    ],
)
def test_no_time_is_said_where_none_can_be(function, words):
    said = before(function, X)
    assert (said.at_least, said.at_most, said.in_the_way) == (None, None, ())
    assert words in str(said) and "not said" in str(said)


def test_no_total_is_said_of_a_loop_of_unknown_length():
    said = before(until_small, X)
    assert (said.launches, said.bytes, said.operations) == (None, None, None)


def test_what_is_not_read_is_at_least():
    assert "at least" in str(before(called_out, X)) and "at least" not in str(before(scaled, X)).partition("times")[0]


def test_no_time_is_said_between_simulated_devices():
    mesh = jax.make_mesh((2,), ("x",), (AxisType.Auto,), devices=jax.devices()[:2])
    summed = jax.shard_map(lambda x: jax.lax.psum(x, "x"), mesh=mesh, in_specs=P("x"), out_specs=P())
    said = before(summed, X)
    assert said.collectives == {"all-reduce": 1} and said.at_least is None
    assert "No time is said: devices communicate" in str(said)


def test_no_time_is_said_on_another_device(monkeypatch):
    monkeypatch.setattr(_said, "on_this_backend", lambda: False)
    said = before(scaled, X)
    assert said.at_least is None and said.in_the_way == () and said.bytes == 8000
    assert "on this device such a range was never judged" in str(said)


def test_what_is_in_the_way_is_largest_first_and_says_why():
    said = before(lambda x, y: (jnp.exp(x), jnp.sort(y)), jax.ShapeDtypeStruct((10,), "float32"), X)
    first = said.in_the_way[0]
    assert first.kernel.kind == "sort" and first.mostly == "sort" and 0.5 < first.share <= 1
    assert len(said.in_the_way) <= 3 and sum(one.share for one in said.in_the_way) <= 1.001


def test_that_no_hazard_is_seen_is_not_that_there_is_none():
    said = before(scaled, X)
    for shown in (str(said), said._repr_html_()):
        assert "None of the hazards that are looked for was seen. Others may be there." in shown


# -- guesses ----------------------------------------------------------------------------------------------------


def test_a_guess_stands_beside_what_is_so():
    guess = {"dtype": "float32", "shape": (1000,), "kernels": 2, "bytes": 4e3, "ms": 2.0}
    rows = {row[0]: row[2:] for row in _show._facts(before(scaled, X, guess=guess)).rows}
    assert rows["comes back"] == ["shape (1000,), dtype float32", "right"]
    assert rows["kernels in it"] == ["2", "2 times too high"]
    assert rows["bytes read and written"] == ["4 kB", "2 times too low"]
    assert rows["a call on this machine"][0] == "2 ms" and rows["a call on this machine"][1].endswith("times above it")


def test_another_type_is_named():
    rows = {row[0]: row[2:] for row in _show._facts(before(scaled, X, guess={"dtype": "float64", "shape": 1000})).rows}
    assert rows["comes back"][1] == "another dtype"


def test_a_guess_of_what_is_not_asked_is_refused():
    with pytest.raises(TypeError, match="there is no flops"):
        before(scaled, X, guess={"flops": 3})


def test_a_guess_is_not_judged_where_nothing_is_said():
    rows = {row[0]: row[2:] for row in _show._facts(before(until_small, X, guess={"ms": 1, "bytes": 5})).rows}
    assert rows["a call on this machine"][1] == rows["bytes read and written"][1] == "not judged"


# -- a run ------------------------------------------------------------------------------------------------------


def test_a_run_stands_beside_what_was_said(monkeypatch):
    monkeypatch.setattr(_before, "taken", lambda asked: Taken(30 * US, (29 * US, 31 * US), 25 * US, ()))
    ran = before(scaled, X, guess={"ms": 0.06}).run()
    assert "25 µs of processor time is in the range, 19 µs to 58 µs" in str(ran)
    assert "2 times too high" in str(ran) and "30 µs (middle half 29 µs to 31 µs)" in str(ran)


def test_a_run_on_a_busy_machine_gets_no_verdict(monkeypatch):
    busy = "it had a core for only 30% of its time"
    monkeypatch.setattr(_before, "taken", lambda asked: Taken(30 * US, (29 * US, 31 * US), 25 * US, (busy,)))
    shown = str(before(scaled, X, guess={"ms": 0.06}).run())
    assert f"No verdict: {busy}" in shown and "in the range" not in shown.partition("No verdict")[2]
    assert "2 times too high" not in shown


def test_a_run_is_a_race_of_one(monkeypatch):
    monkeypatch.setenv("JAXCOURSE_RACE_SECONDS", "0.01")
    took = before(scaled, X).run().took
    assert took.seconds > 0 and took.processor > 0 and took.middle_half[0] <= took.seconds


def test_what_cannot_be_timed_says_why():
    given = jax.jit(scaled, donate_argnums=0)
    assert "Not measured" in str(before(given, jnp.ones(1000)).run())
    assert "shapes without values" in str(before(scaled, jax.ShapeDtypeStruct((3,), "float32")).run())


# -- a trace ----------------------------------------------------------------------------------------------------


def test_a_trace_is_read_by_the_kernels_names():
    kernels = [Kernel("fused", "fusion", "add", None, 4000, 4000), Kernel("quick", "loop", "", None, 4, 4)]
    events = [Event("fused", 0, 8 * US), Event("fused", 10 * US, 24 * US), Event("other", 0, 1)]
    found = _explain.of_events(kernels, events, PACE, calls=2)
    (one,) = found.kernels
    assert (one.seconds, one.runs, found.missing) == (pytest.approx(11 * US), 1, ("quick",))
    assert one.said.holds(one.seconds) and "Not in the trace: quick." in str(found) and "in the range" in str(found)


def test_a_trace_on_a_busy_machine_gets_no_verdict():
    kernels = [Kernel("fused", "fusion", "add", None, 4000, 4000)]
    found = dataclasses.replace(_explain.of_events(kernels, [Event("fused", 0, US)], PACE, calls=1), busy=0.3)
    assert "No verdict: the calls had a core for only 30% of their time" in str(found) and "outside" not in str(found)


def test_a_long_trace_is_cut():
    kernels = [Kernel(f"k{i}", "fusion", "add", None, 4000, 4000) for i in range(20)]
    shown = str(_explain.of_events(kernels, [Event(f"k{i}", 0, i * US) for i in range(20)], PACE, calls=1))
    assert "k19" in shown and "k3 " not in shown and "8 more kernels took less" in shown


def test_a_call_is_traced_here():
    found = before(lambda x: jnp.sort(jnp.exp(x)), jnp.ones(100_000)).explain()
    assert any(one.kind == "sort" and one.seconds > 0 for one in found.kernels)


# -- what is asked ----------------------------------------------------------------------------------------------


def test_names_and_static_arguments_are_taken():
    named = jax.jit(lambda x, *, times: x * times, static_argnames="times")
    assert before(named, X, times=3).result.shape == (1000,)
    assert before(lambda x, *, by: x @ by, X, by=X).result.shape == ()


def test_shapes_are_enough():
    assert before(jnp.matmul, *[jax.ShapeDtypeStruct((30, 30), "float32")] * 2).operations == 2 * 30**3


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match=r"write before\(f, x\)"):
        before(scaled(X))


def test_a_guess_that_is_none_says_how_to_pass_an_argument_of_this_name():
    with pytest.raises(TypeError, match=r"bind it with functools.partial first"):
        before(lambda f, guess: f(guess), jnp.sin, guess=jnp.ones(3))


def test_a_gradient_by_whole_numbers_has_no_bytes():
    def slopes(k):
        return jax.grad(lambda k: k.sum().astype("float32"), allow_int=True)(k)

    said = before(slopes, jnp.arange(3))
    assert said.result.dtype == jax.dtypes.float0 and said.asked.program.outputs[0].nbytes == 0 and str(said)


def test_a_compiled_program_is_refused():
    with pytest.raises(TypeError, match="give it what was compiled"):
        before(jax.jit(scaled).lower(X).compile(), X)


def test_an_argument_may_be_called_function():
    assert before(lambda x, function: x * function, X, function=2.0).result.shape == (1000,)


class Callable:
    """A model as many are written: it has no hash, and a method whose name JAX uses for something else."""

    __hash__ = None

    def __call__(self, x):
        return 2 * x

    def trace(self):
        return None


class Model:
    """A model with jitted methods, one of which has the model as a static argument."""

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x, *, by=1.0):
        return by * x + 1


def test_what_can_be_called_in_other_ways_is_looked_at_as_it_runs():
    model, by = Model(), jax.jit(lambda x, y, n: x[:n] * y, static_argnames="n")
    scaled_by = functools.partial(functools.partial(by, n=5), X)
    said = [before(*each) for each in ((Callable(), X), (model.step, X), (scaled_by, 2.0))]
    assert [one.result.shape for one in said] == [(1000,), (1000,), (5,)]
    assert [len(one.asked.program.inputs) for one in said] == [1, 1, 2]  # what the partial has is no constant
    assert before(model.step, X, by=2.0).programs([(X[:3],), (X,)]).count == 2
    assert said[2].programs([(3.0,), (jnp.float32(1),)]).count == 2


def test_what_the_function_itself_raises_passes_through():
    with pytest.raises(ZeroDivisionError):
        before(lambda x: x / (1 // 0), X)


def test_html_has_no_colour_and_names_what_to_read():
    shown = before(called_out, X)._repr_html_()
    assert shown.startswith('<div class="jaxcourse-report">') and "color" not in shown
    assert "Seeing inside, lesson 22" in shown and "<caption>" in shown


def test_a_section_is_a_link_where_there_is_a_site(monkeypatch):
    monkeypatch.setattr(_show, "section", lambda label: ("Seeing", "22", "https://site/22.html#seeing"))
    said = before(called_out, X)
    assert '<a href="https://site/22.html#seeing"' in said._repr_html_()
    assert "lesson 22: https://site/22.html#seeing" in " ".join(str(said).split())


# -- rates ------------------------------------------------------------------------------------------------------


def test_rates_are_kept_for_a_day_and_said_while_they_are_measured(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(_rates, "measured", lambda: PACE)
    _rates.rates.cache_clear()
    assert _rates.rates() == PACE and "Measuring this machine" in capsys.readouterr().out
    monkeypatch.setattr(_rates, "measured", lambda: pytest.fail("measured again"))
    _rates.rates.cache_clear()
    assert _rates.rates() == PACE and not capsys.readouterr().out
    assert bench.kept() is None and bench.kept("rates") == json.loads(json.dumps(PACE.plain))
    _rates.rates.cache_clear()


def test_what_lies_further_away_is_slower():
    near, far = PACE.moving(1000), PACE.moving(10_000_000)
    assert near == (1000 * NS, 4000 * NS) and far.least == 10_000_000 * 2 * NS


def test_each_sort_of_work_that_is_counted_is_measured():
    probes = {*_probes.probes(), "hard"}
    counted = {
        "top",
        "product",
        "loop product",
        "product call",
        "library call",
        "transpose",
        "concatenate",
        "thin convolution",
        "fft",
    }
    counted |= {"lapack", "small lapack", "tiny lapack", "gather", "far gather", "scatter", "sort", "simple", "reduce"}
    counted |= {"reduce pairs", "short reduce", "whole divide", *insides._kernels._SLOW.values()}
    assert counted == probes


# -- the command ------------------------------------------------------------------------------------------------

FILE = """
import jax.numpy as jnp
import helper

def scaled(x, y):
    return helper.two * x + y

def leaves(x):
    return float(x)
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "helper.py").write_text("two = 2\n", encoding="utf-8")
    (tmp_path / "model.py").write_text(FILE, encoding="utf-8")
    return tmp_path / "model.py"


def test_the_command_says_it(file, capsys):
    assert cli.main(["before", f"{file}:scaled", "--like", "f32[1000]", "--like", "f32"]) == 0
    assert "float32[1000]" in capsys.readouterr().out


def test_the_command_refuses_in_a_line(file, capsys):
    assert cli.main(["before", f"{file}:leaves", "--like", "f32"]) == 1
    assert "The function leaves JAX" in capsys.readouterr().out
    for said, words in (
        (f"{file}:none", "has no function none"),
        ("model.py", "is no FILE.py:FUNCTION"),
        ("no.py:f", "no file no.py"),
    ):
        assert cli.main(["before", said]) == 2
        assert words in capsys.readouterr().err
    assert cli.main(["before", f"{file}:scaled", "--like", "f32[3"]) == 2
    assert "is no type" in capsys.readouterr().err
    assert cli.main(["before", f"{file}:scaled", "--like", "f32"]) == 2
    assert "cannot be called so" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("said", "shape", "dtype"),
    [
        ("f32[2, 3]", (2, 3), "float32"),
        ("bf16[4]", (4,), "bfloat16"),
        ("u8", (), "uint8"),
        ("bool[]", (), "bool"),
        ("int32[1]", (1,), "int32"),
    ],
)
def test_types_are_read(said, shape, dtype):
    found = _command.like(said)
    assert (found.shape, str(found.dtype)) == (shape, dtype)


def test_a_key_is_a_type():
    assert jnp.issubdtype(_command.like("key").dtype, jax.dtypes.prng_key)


def test_nothing_is_written_to_stderr(file):
    code = "from jaxcourse.before import before; import jax.numpy as jnp; before(jnp.sort, jnp.ones(9)).kernels"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_leaving_is_a_type_error():
    assert issubclass(LeavesJax, TypeError) and _run.taken
