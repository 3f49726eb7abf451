"""Which mistake explains every reply, and what `Agrees` makes of it: faces, meshes, other parts of the same replies."""

import re
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse import probe
from jaxcourse.checks import Agrees, Also, at_once, declare, over_meshes, refuse, require, seen
from jaxcourse.exercise import Diagnosis, is_close, judge
from jaxcourse.mistakes import TELLING, Reply, explaining
from jaxcourse.probe import local_channel


def replies(answer, right, cases):
    return [Reply(case, answer(*case), right(*case), bool(is_close(answer(*case), right(*case)))) for case in cases]


TWO = [(np.array([-2.0, 1.0, -3.0]),), (np.array([1.0, -3.0, 2.0]),)]


@pytest.mark.parametrize(
    ("answer", "cases", "label"),
    [
        (np.abs, TWO, "no-sign"),
        (np.abs, TWO[:1], None),  # one case tells too little
        (np.abs, [*TWO[:1], (np.ones(2),)], None),  # the second one tells nothing
        (np.sort, TWO, "in-another-order"),
        (lambda x: np.sort(x)[::-1], TWO, "in-another-order"),
        (lambda x: np.sort(x) if x[0] > 0 else np.sort(x)[::-1], TWO, None),  # two faces, one for each
        (lambda x: x + 1, TWO, "only-too-large"),
        (lambda x: x, TWO, None),
    ],
)
def test_a_mistake_is_one_that_explains_all_and_tells_in_two(answer, cases, label):
    mistakes = {
        "raises": lambda x: x[99],
        "no-sign": np.abs,
        "in-another-order": [lambda x: np.sort(x)[::-1], np.sort],
        "only-too-large": seen(lambda reply: np.all(reply.got > reply.want)),
    }
    assert TELLING == 2
    assert explaining(mistakes, replies(answer, lambda x: x, cases), is_close) == label


def test_a_mistake_need_say_nothing_of_the_other_entries():
    many = [Reply((n,), {"a": -n, "b": 7 * n}, {"a": n, "b": n}, False) for n in (1, 2)]

    def same(one, other):
        return one == other

    assert explaining({"sign-of-a": lambda n: {"a": -n}}, many, same) == "sign-of-a"
    assert explaining({"sign-of-b": lambda n: {"b": -n}}, many, same) is None


def test_replies_are_looked_at_as_long_as_a_mistake_is_left():
    looked_at = []

    def one_after_the_other():
        for reply in replies(np.abs, lambda x: x, TWO * 3):
            looked_at.append(reply)
            yield reply

    assert explaining({"turned": lambda x: -x}, one_after_the_other(), is_close) is None and len(looked_at) == 1


# -- in a step --------------------------------------------------------------------------------------------------


def label(step, answer):
    verdict = judge(declare("f", see="s", steps=[step], words=""), local_channel(answer))
    return verdict.label or verdict.status


def draw(rng, n):
    return (rng.normal(size=n) + 2,)


def pair(whole, x):
    require(isinstance(whole, tuple) and len(whole) == 2, "not-a-pair")
    return whole[0]


MOMENTS = Agrees(
    lambda x: x.mean(),
    draw,
    [2, 3],
    reads=pair,
    mistakes={"sum": lambda x: x.sum()},
    then=[
        Also(lambda x: x.var(), reads=lambda whole, x: whole[1], mistakes={"root": lambda x: x.std()}, otherwise="odd"),
        lambda answer, replies: refuse(any(reply.whole[0] is reply.got > 99 for reply in replies), "never"),
        lambda answer, replies: refuse(len(replies) == 8 and replies[0].whole[0].dtype == "float32", "dtype"),
    ],
)


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (lambda x: (x.mean(), x.var()), "passed"),
        (lambda x: x.mean(), "not-a-pair"),
        (lambda x: (x.sum(), x.var()), "sum"),
        (lambda x: (x.sum(), x.std()), "sum"),
        (lambda x: (x.mean(), x.std()), "root"),
        (lambda x: (x.mean(), x.max()), "odd"),
        (lambda x: (np.float32(x.mean()), x.var()), "dtype"),
    ],
)
def test_another_part_of_the_same_replies_is_compared_afterwards(answer, wanted):
    assert label(MOMENTS, answer) == wanted
    assert {"sum", "root", "odd", "wrong-value"} == set(MOMENTS.keys())


def test_no_case_is_asked_again_afterwards():
    asked = []
    label(MOMENTS, lambda x: asked.append(len(x)) or (x.mean(), x.var()))
    assert asked == [2] * 4 + [3] * 4


@pytest.mark.parametrize(
    ("answer", "wanted"), [(lambda x: x + 1, "later"), (lambda x: x, "passed"), (lambda x: -x, "sign")]
)
def test_what_has_no_label_is_left_to_what_follows(answer, wanted):
    later = Also(lambda x: x, otherwise="later")
    step = Agrees(lambda x: x, draw, [2], mistakes={"sign": lambda x: -x}, otherwise=None, then=[later])
    assert label(step, answer) == wanted


def both(f, cases):
    return [f(*case) for case in cases]


def fails_for_three(x):
    if len(x) == 3:
        raise ZeroDivisionError
    return x + 1


def test_an_answer_that_raises_in_between_makes_no_known_mistake():
    for ask in ({}, {"ask": at_once(both)}):
        step = Agrees(lambda x: x, draw, [2, 3, 4], mistakes={"one-more": lambda x: x + 1}, **ask)
        assert label(step, fails_for_three) == "wrong-value"
        assert label(step, lambda x: x[5]) == "IndexError"


# -- over meshes ------------------------------------------------------------------------------------------------


def on_each_mesh(rng):
    return [(n, rng.normal(size=shape * n).astype(np.float32)) for n in (8, 2, 1) for shape in (2, 1, 2)]


def alike(whole, devices, x):
    require(whole["equal"], "copies-differ")
    return whole["result"]


TOTAL = Agrees(
    lambda devices, x: x.sum(),
    extremes=on_each_mesh,
    ask=over_meshes(["x"], axis="x"),
    reads=alike,
    mistakes={
        "mean": lambda devices, x: x.sum() / devices,
        "some-meshes": seen(lambda reply: reply.right == (reply.case[0] == 8)),
    },
    raising={"no-such-axis": lambda error: error.case[0] == 8},
    rtol=1e-4,
)


def mapped(body, **more):
    spec = jax.sharding.PartitionSpec
    return lambda mesh, x: jax.shard_map(body, mesh=mesh, in_specs=spec("x"), out_specs=spec(), **more)(x)


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (mapped(lambda x: jax.lax.psum(x.sum(), "x")), "passed"),
        (mapped(lambda x: jax.lax.pmean(x.sum(), "x")), "mean"),
        (mapped(lambda x: x.sum(), check_vma=False), "copies-differ"),
        (lambda mesh, x: jnp.sum(x) + (mesh.size < 8), "some-meshes"),
        (lambda mesh, x: jnp.sum(x) + 1, "wrong-value"),
        (mapped(lambda x: jax.lax.psum(x.sum(), "y")), "no-such-axis"),
    ],
)
def test_devices_are_cases(answer, wanted):
    assert label(TOTAL, answer) == wanted


def test_a_counterexample_says_on_how_many_devices_and_makes_the_mesh():
    verdict = judge(declare("total", see="s", steps=[TOTAL], words=""), local_channel(lambda mesh, x: jnp.max(x)))
    assert re.search(r"\| `devices` \| `8` \|", verdict.message)
    assert 'mesh = jax.make_mesh((devices,), ("x",), (jax.sharding.AxisType.Auto,))\ntotal(mesh, x)' in verdict.message


EITHER = Agrees(
    lambda devices, x: 2 * x,
    extremes=on_each_mesh,
    ask=over_meshes(["x"], axis="x", kinds=("Explicit", "Auto")),
    reads=alike,
    then=[lambda answer, replies: refuse(answer.probe(probe.partitioned, *split(replies))["collectives"], "sends")],
)


def split(replies):
    devices, x = replies[0].case
    return replies.ask.placing(devices), x


def laid(mesh, *spec):
    return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*spec))


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (lambda mesh, x: jax.sharding.reshard(2 * x, laid(mesh, "x")), "passed"),
        (lambda mesh, x: jax.lax.with_sharding_constraint(2 * x, laid(mesh, "x")), "passed"),
        (lambda mesh, x: jnp.roll(jnp.roll(2 * x, 1), -1), "sends"),  # Explicit axes refuse a roll
        (lambda mesh, x: jax.sharding.reshard(2 * x, laid(mesh)), "sends"),
        (lambda mesh, x: jax.lax.with_sharding_constraint(3 * x, laid(mesh, "x")), "wrong-value"),
        (lambda mesh, x: jax.lax.with_sharding_constraint(2 * x, laid(mesh, "x"))[x.shape[0] + 1, 0], "IndexError"),
    ],
)
def test_an_answer_may_be_written_for_either_kind_of_axes(answer, wanted):
    assert label(EITHER, answer) == wanted


def test_a_counterexample_makes_the_mesh_on_which_the_answer_ran():
    constrains = local_channel(lambda mesh, x: jax.lax.with_sharding_constraint(x, laid(mesh, "x")).max())
    either = replace(TOTAL, ask=over_meshes(["x"], axis="x", kinds=("Explicit", "Auto")))
    verdict = judge(declare("total", see="s", steps=[either], words=""), constrains)
    assert '("x",), (jax.sharding.AxisType.Auto,))' in verdict.message


def test_the_verdict_names_the_mesh_on_which_an_answer_raises():
    def on_eight_alone(mesh, x):
        return jnp.sum(x) + np.zeros(8 // mesh.size)[0] / (1 if mesh.size == 8 else jnp.nothing)

    verdict = judge(declare("total", see="s", steps=[TOTAL], words=""), local_channel(on_eight_alone))
    assert verdict.label == "AttributeError" and "for `a mesh of 2`" in verdict.message


def test_facts_of_every_requirement_stand_in_the_words():
    with pytest.raises(Diagnosis) as found:
        require(False, "few", n=3)
    assert found.value.facts == {"n": 3}
