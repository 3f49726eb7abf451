"""What the engine watches for every exercise, and that no right answer falls over the way in which it is asked."""

import dataclasses
import functools
import random

import jax
import jax.numpy as jnp
import numba
import numpy as np
import pytest

from jaxcourse import probe
from jaxcourse.exercise import Exercise, expect, judge
from jaxcourse.probe import code_facts, compiles, jitted, leaks, local_channel, program, traced, under_jit

X = np.linspace(0.0, 1.0, 5, dtype=np.float32)


def check(answer, rng):
    expect(answer(X), 2 * X, message="Twice.")


DOUBLE = Exercise("double", check, see="twice")


def judged(function, task=DOUBLE):
    return judge(task, local_channel(function))


# -- settings ---------------------------------------------------------------------------------------------------

CHANGES = {
    "x64": (lambda: jax.config.update("jax_enable_x64", True), "`jax_enable_x64`"),
    "errors": (lambda: np.seterr(all="ignore"), "`np.seterr`"),
    "printing": (lambda: np.set_printoptions(precision=3), "`np.set_printoptions`"),
    "NumPy's seed": (lambda: np.random.seed(0), "`np.random`"),
    "Python's seed": (lambda: random.seed(0), "`random`"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_settings_are_put_back_and_their_change_refused(name):
    change, words = CHANGES[name]

    def answer(x):
        change()
        return 2 * x

    def state():
        return jax.config.jax_enable_x64, np.geterr(), np.get_printoptions(), np.random.rand(), random.random()

    np.random.seed(7), random.seed(7)
    before = state()
    np.random.seed(7), random.seed(7)
    verdict = judged(answer)
    assert (verdict.status, verdict.label) == ("wrong", "changed-settings") and words in verdict.message
    assert state() == before


@pytest.mark.parametrize("drawn_before", [0, 1])
def test_a_normal_number_of_the_shared_state_is_noticed(drawn_before):
    """NumPy draws two at a time, and keeps the second one elsewhere than its state."""
    np.random.seed(7)
    np.random.normal(size=drawn_before)
    expected = np.random.RandomState(7).normal(size=drawn_before + 1)[-1]
    verdict = judged(lambda x: 2 * x + 0 * np.random.normal())
    assert verdict.label == "changed-settings" and np.random.normal() == expected


def test_settings_are_put_back_after_an_exception_too():
    def answer(x):
        np.seterr(all="ignore")
        raise ValueError("odd")

    before = np.geterr()
    assert judged(answer).label == "ValueError" and np.geterr() == before


def test_settings_of_a_with_block_are_allowed():
    def answer(x):
        with np.errstate(divide="ignore"), np.printoptions(precision=2), jax.default_matmul_precision("highest"):
            return 2 * x

    assert judged(answer).status == "passed"


# -- arguments --------------------------------------------------------------------------------------------------


def test_who_donates_an_argument_is_refused():
    donating = jax.jit(lambda x: 2 * x, donate_argnums=0)
    direct = Exercise("double", lambda answer, rng: expect(answer(jnp.asarray(X)), 2 * X, message="Twice."))
    made = Exercise("double", lambda answer, rng: expect(answer.probe(probe.on_jax_arrays, X), 2 * X, message="Twice."))
    assert judged(donating, direct).label == "changed-input"
    verdict = judged(donating, made)
    assert verdict.label == "changed-input" and "donated" in verdict.message
    assert judged(lambda x: 2 * x, direct).status == judged(lambda x: 2 * x, made).status == "passed"


# -- right answers of every kind --------------------------------------------------------------------------------


def double(x):
    return x * 2


def decorated(function):
    @functools.wraps(function)
    def around(*args):
        return function(*args)

    return around


@dataclasses.dataclass
class Factor:  # equality without a hash, and no name
    factor: int

    def __call__(self, x):
        return x * self.factor


class Slotted:
    __slots__ = ()

    def __call__(self, x):
        return x * 2


class Method:
    def double(self, x):
        return x * 2


KINDS = {
    "function": double,
    "decorated": decorated(double),
    "jitted": jax.jit(double),
    "partial": functools.partial(double),
    "jitted partial": jax.jit(functools.partial(double)),
    "object": Factor(2),
    "object without weak references": Slotted(),
    "method": Method().double,
    "vmapped": jax.vmap(double),
    "lambda": lambda x: 2 * x,
}


@pytest.mark.parametrize("name", KINDS)
def test_every_question_takes_every_kind_of_function(name):
    function = probe.safe_to_jit(KINDS[name])
    assert np.allclose(under_jit(function, X), 2 * X)
    assert traced(function, [(X,), (X + 1,)]) == [1, 1]
    assert len(compiles(function, [(X,), (X + 1,)])) == 2
    assert program(function, X)["results"] == 20
    assert leaks(function, X) == ""
    assert probe.primitives(function, X)["mul"] == 1
    assert probe.layout(function, X)["type"] in ("ndarray", "jax.Array")
    if name != "vmapped":
        assert code_facts(function)["loops"] == 0
    assert probe.python_steps(function, [(X,)])["recursed"] is False
    assert not any(probe.calls(function, ["np.var"], [(X,)]).values())


def test_a_numba_function_is_read_and_called():
    function = numba.njit(double)
    assert judged(function).status == "passed"
    assert code_facts(function) == {"names": [], "loops": 0}


@pytest.mark.parametrize("result", [lambda x: (2 * x).tolist(), lambda x: tuple(2 * x), lambda x: [*2 * x]])
def test_lists_and_scalars_are_results(result):
    assert judged(result).status == "passed"


def test_a_jitted_answer_keeps_its_own_static_arguments():
    powers = jax.jit(lambda x, n: sum(x**k for k in range(n)), static_argnums=1)
    assert float(jitted(powers, static=(1,))(jnp.float32(2.0), 3)) == 7
    with pytest.raises(ValueError, match="static"):
        jax.jit(powers)(jnp.float32(2.0), 3)


# -- leaks and programs -----------------------------------------------------------------------------------------

KEPT = []


@jax.jit
def keeps_its_tracer(x):
    KEPT.append(x)
    return x


def test_a_function_that_was_traced_before_is_traced_again():
    keeps_its_tracer(X)
    KEPT.clear()
    leak = leaks(keeps_its_tracer, X)
    assert "Tracer" in leak and "float32[5]" in leak and "\n" not in leak
    KEPT.clear()


@jax.jit
def at_module_level(x):
    return 3 * x


def in_a_helper(x):
    return at_module_level(x) + 1


def anew(x):
    return jax.jit(lambda x: 5 * x)(x)


def names(function, *calls):
    return [
        [name for name in call if "lambda" in name or name == "at_module_level"] for call in compiles(function, calls)
    ]


def test_programs_are_counted_from_empty_caches():
    x = jnp.asarray(X)
    at_module_level(x)
    assert names(in_a_helper, (x,), (x + 1,)) == [["at_module_level"], []]
    assert names(anew, (x,), (x + 1,)) == [["<lambda>"], ["<lambda>"]]
