"""Inputs and comparisons: what is drawn, what passes the channel, and which counterexample is shown."""

import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse import inputs, probe
from jaxcourse.exercise import Diagnosis, Exercise, judge
from jaxcourse.inputs import Asked
from jaxcourse.probe import Answer, AnswerRaised, local_channel
from jaxcourse.probe._views import put_together, taken_apart
from jaxcourse_grade.isolation import _wire


def rng(seed=0):
    return np.random.default_rng(seed)


def answer(function):
    return Answer("f", local_channel(function))


def largest(x):
    return float(np.max(x))


def vectors(rng, n):
    return (inputs.array(rng, n + 1),)


# -- drawing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", ["float64", "float32", "float16", "bfloat16", "int8", "int64", "uint8", "bool", "complex64"]
)
def test_arrays_have_the_dtype_and_the_shape_asked_for(dtype):
    for seed in range(20):
        x = inputs.array(rng(seed), (2, 0, 3) if seed == 0 else (3, 5), dtype, low=-9, high=9)
        assert str(x.dtype) == dtype and x.shape in ((2, 0, 3), (3, 5))
        assert dtype == "bool" or np.all(np.abs(x.astype(complex)) <= 9 * 2**0.5)


def test_half_of_the_floats_are_whole_and_tie():
    drawn = [inputs.array(rng(seed), 20) for seed in range(200)]
    whole = sum(np.all(x == np.round(x)) for x in drawn)
    assert 70 < whole < 130
    assert all(len(set(x.tolist())) < 20 for x in drawn if np.all(x == np.round(x)))


def test_an_offset_is_added_to_all():
    assert inputs.array(rng(), 9, offset=1e6).min() > 9e5


def test_shapes_have_every_rank_and_grow():
    drawn = inputs.shapes(rng(), 0, 1, 3)
    assert {len(shape) for shape in drawn} == {0, 1, 3}
    assert max(map(max, filter(None, drawn))) == 13 and min(min(shape) for shape in drawn if shape) == 0


def test_masks_are_true_nowhere_and_everywhere():
    drawn = inputs.masks(rng(), (2, 3))
    assert [int(mask.sum()) for mask in drawn[:4]] == [0, 6, 1, 1]
    assert len(inputs.masks(rng(), 0)) == 3


LAYOUTS = inputs.layouts(np.arange(24.0).reshape(2, 3, 4))


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_passes_the_channel(name):
    view = LAYOUTS[name]
    sent = _wire.unpack(_wire.pack(taken_apart([view])))
    (there,) = put_together(sent)
    assert np.array_equal(there, view) and there.strides == view.strides and there.dtype == view.dtype
    assert there.flags.writeable == view.flags.writeable == (name != "read-only")


def test_layouts_differ():
    strides = {view.strides for view in LAYOUTS.values()}
    assert len(strides) == 4 and any(min(s) < 0 for s in strides)  # C, Fortran, stepped, backwards
    assert LAYOUTS["offset"].base is not None


def strides_of(student_function, x):
    return list(student_function(x))


def test_an_answer_is_called_with_the_view_itself():
    given = answer(lambda x: [*x.strides, int(x.flags.writeable), x.base is None])
    x = np.arange(12).reshape(3, 4)
    assert given(x[::-1, ::2]) == [-32, 16, 1, False]
    assert given.probe(strides_of, x[:, 1:]) == [32, 8, 1, False]
    assert given.called == ""
    assert given(np.broadcast_to(np.float32(1), (2, 2))) == [0, 0, 0, False]
    assert given(np.asarray(x[0]).copy()) == [8, 1, True]


@pytest.mark.parametrize("dtype", ["bfloat16", "datetime64[s]", "U3", "bool"])
def test_views_of_any_dtype_pass(dtype):
    x = np.zeros(6, dtype)[1::2]
    there = put_together(taken_apart(x))
    assert there.strides == x.strides and there.dtype == x.dtype and there.tolist() == x.tolist()


def test_memory_that_numpy_does_not_own_is_copied():
    x = np.lib.stride_tricks.sliding_window_view(np.arange(5), 2)
    there = put_together(taken_apart(x))
    assert there.tolist() == x.tolist() and there.strides == x.strides
    y = np.frombuffer(b"abcdef", np.uint8)[::2]
    assert put_together(taken_apart(y)).tolist() == y.tolist()


def test_who_changes_a_view_is_seen():
    verdict = judge(
        Exercise("f", lambda answer, rng: answer(np.arange(6.0)[::2])), local_channel(lambda x: x.sort() or x)
    )
    assert verdict.status == "passed"  # it was sorted already
    backwards = Exercise("f", lambda answer, rng: answer(np.arange(6.0)[::-2]))
    assert judge(backwards, local_channel(lambda x: x.sort() or x)).label == "changed-input"


def test_arguments_given_by_name_are_watched_too():
    by_name = Exercise("f", lambda answer, rng: answer(1, x=np.array([2.0, 1.0])))
    verdict = judge(by_name, local_channel(lambda k, x: x.sort() or k))
    assert (verdict.label, "argument `x`" in verdict.message) == ("changed-input", True)


def compare(ask, oracle, draw, generator, *, shapes=inputs.SIZES, each=4, extremes=(), mistakes=None, dtype=False):
    """Ask with growing inputs, as a step does."""
    cases = sorted((draw(generator, shape) for shape in shapes for _ in range(each)), key=inputs.extent)
    shows = f"{ask.name}({{}})" if isinstance(ask, Answer) else ""
    Asked(ask, oracle, dtype=dtype, shows=shows).require([*cases, *extremes], mistakes=mistakes)


# -- comparisons --------------------------------------------------------------------------------------------------


def test_the_counterexample_is_small_and_whole():
    for seed in range(20):
        with pytest.raises(Diagnosis) as found:
            compare(answer(lambda x: x[-1]), largest, vectors, rng(seed))
        assert found.value.label == "wrong-value"
        text = found.value.message
        assert text.startswith("A small counterexample:\n\n| `x` | `[") and text.count(",") <= 4


def remembered_by_shape(function):
    kept = {}
    return lambda x: kept.setdefault(x.shape, function(x))


def test_an_answer_that_remembers_its_results_falls():
    with pytest.raises(Diagnosis):
        compare(answer(remembered_by_shape(np.max)), largest, vectors, rng())


def test_extremes_are_asked_last():
    seen = []
    extremes = [(x,) for x in inputs.planted(np.zeros(3), np.nan)]
    compare(answer(lambda x: seen.append(x.size) or np.max(x)), largest, vectors, rng(), extremes=extremes)
    assert seen[:-3] == sorted(seen[:-3]) and seen[-3:] == [3, 3, 3]
    with pytest.raises(Diagnosis, match=r"x = np.array\(\[np.nan, 0.0, 0.0\]\)"):
        compare(answer(np.nanmax), largest, vectors, rng(), extremes=extremes)


def test_an_error_is_shown_with_its_input():
    @(lambda check: Exercise("f", check))
    def check(answer, rng):
        compare(answer, lambda x: x.sum(), lambda rng, n: (inputs.array(rng, n),), rng)

    verdict = judge(check, local_channel(lambda x: x[0] * 0 + x.sum()))
    assert verdict.label == "IndexError" and "for `x = []`" in verdict.message


def test_a_mistake_is_recognised_on_every_input_or_not_at_all():
    mistakes = {"smallest": lambda x: float(np.min(x)), "last": lambda x: x[-1]}

    def label(function):
        with pytest.raises(Diagnosis) as found:
            compare(answer(function), largest, vectors, rng(), mistakes=mistakes)
        return found.value.label

    assert label(np.min) == "smallest"
    assert label(lambda x: x[-1]) == "last"
    assert label(lambda x: x[-1] if len(x) < 9 else x[0]) == "wrong-value"


@pytest.mark.parametrize(("label", "asked_in_all"), [("last", 4), ("smallest", 2)])
def test_no_case_is_asked_twice_or_for_mistakes_that_do_not_fit(label, asked_in_all):
    mistake = {"last": lambda x: x[-1], "smallest": np.min}[label]
    cases = [(np.array(x),) for x in ([1.0, 2.0], [3.0, 1.0], [5.0, 2.0], [4.0, 1.0])]
    seen = []

    def ends(x):
        seen.append(x.tolist())
        return x[-1]

    with pytest.raises(Diagnosis):
        inputs.Asked(ends, largest).require(cases, mistakes={label: mistake})
    assert seen == [x.tolist() for (x,) in cases[:asked_in_all]]


def test_a_mistake_that_is_right_but_once_is_no_diagnosis():
    cases = [(np.array([1.0]),), (np.array([1.0, 2.0]),), (np.array([2.0, 1.0]),)]
    asked = inputs.Asked(lambda x: x[-1], largest)
    with pytest.raises(Diagnosis) as found:
        asked.require(cases, mistakes={"last": lambda x: x[-1]})
    assert found.value.label == "wrong-value"


@pytest.mark.parametrize(
    ("got", "want", "dtype", "same"),
    [
        ((np.ones(2), 3), (np.ones(2), 3), False, True),
        ((np.ones(2), 3), (np.ones(2), 4), False, False),
        ([np.ones(2), np.ones(3)], (np.ones(2), np.ones(3)), False, True),
        (np.ones((2, 3)), (np.ones(3), np.ones(3)), False, True),
        ({"a": np.ones(2)}, {"a": np.ones(2)}, False, True),
        ({"a": 1}, {"b": 1}, False, False),
        ("error", "error", False, True),
        (np.ones(2, np.float32), np.ones(2), False, True),
        (np.ones(2, np.float32), np.ones(2), True, False),
        ((2, 1), (2, 1), False, True),
        ("error", (2, 1), False, False),
    ],
)
def test_results_are_compared_as_a_whole(got, want, dtype, same):
    assert inputs.Asked(None, None, dtype=dtype).same(got, want) is same


def test_a_wrong_dtype_is_said():
    with pytest.raises(Diagnosis, match="dtype should be float64, not float32"):
        compare(answer(lambda x: x.astype("float32")), lambda x: x, lambda r, n: (np.ones(n),), rng(), dtype=True)


def test_nothing_and_texts_are_refused_with_their_own_labels():
    verdicts = [
        judge(Exercise("f", lambda a, r: compare(a, largest, vectors, r)), local_channel(lambda x, r=r: r)).label
        for r in (None, "a text")
    ]
    assert verdicts == ["returned-nothing", "wrong-type"]


def step(state, rate):
    return {"w": state["w"] - rate, "n": state["n"] + 1}, state["w"].sum()


def state_and_rate(r, n):
    return {"w": r.normal(size=n + 1), "n": 3}, 0.5


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        (lambda state, rate: (step(state, rate), (state, state["w"].sum()))[1], "state"),
        (lambda state, rate: (dict(state), 0.0), "state"),
        (lambda state, rate: (step(state, rate)[0], rate), "rate"),
        (lambda state, rate: [state, step(state, rate)[1]], "state"),
        (lambda state, rate: ({**state, "n": 4}, step(state, rate)[1]), None),
        (lambda state, rate: ((state if len(state["w"]) > 2 else step(state, rate)[0]), step(state, rate)[1]), None),
    ],
)
def test_who_returns_what_came_in_is_told_which_argument_it_is(kept, told):
    verdict = judge(Exercise("f", lambda a, r: compare(a, step, state_and_rate, r)), local_channel(kept))
    assert verdict.label == ("returned-what-came-in" if told else "wrong-value")
    assert (f"the `{told}` that came in" in verdict.message) is bool(told)


def test_an_argument_that_is_right_but_once_is_not_called_what_came_in():
    x = np.arange(3.0)
    checked = Exercise("f", lambda a, r: compare(a, np.sort, lambda r, n: (x,), r, shapes=[3], extremes=[(-x,)]))
    assert judge(checked, local_channel(lambda x: x)).label == "wrong-value"


def test_an_answer_in_jax_is_asked_with_few_shapes_and_many_values():
    traced = []

    def total(x):
        traced.append(x.shape)
        return jnp.sum(x)

    def ask(x):
        return answer(total).probe(probe.under_jit, x)

    compare(ask, lambda x: x.sum(), lambda r, n: (inputs.array(r, n, "float32"),), rng(), shapes=inputs.FEW, each=10)
    assert traced == [(n,) for n in inputs.FEW]


def test_large_counterexamples_name_a_place():
    with pytest.raises(Diagnosis, match=r"1.0, …, 1.0\]`(.|\n)*It differs at `\[0\]` and at 49 more places"):
        compare(answer(lambda x: x + (len(x) > 40)), lambda x: x, lambda r, n: (np.ones(n),), rng(), shapes=[5, 50])


def test_raised_keeps_its_kind():
    with pytest.raises(AnswerRaised) as found:
        compare(answer(lambda x: 1 / 0), largest, vectors, rng())
    assert found.value.raised.kind == "ZeroDivisionError"
