"""Kernels of programs of which the bytes, the work and the runs are known without reading them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse import insides
from jaxcourse.insides import _kernels

ON_CPU = pytest.mark.skipif(jax.default_backend() != "cpu", reason="what a kernel is differs by backend")
pytestmark = ON_CPU


def spec(*shape, dtype="float32"):
    return jax.ShapeDtypeStruct(shape, dtype)


def kernels(function, *args):
    return insides.kernels(jax.jit(function).lower(*args).compile())


def only(found, *sorts):
    """The one kernel that does these sorts of work."""
    (one,) = [each for each in found if set(sorts) <= set(each.work)]
    return one


def test_a_fused_loop_reads_its_arguments_once_and_writes_its_result():
    (one,) = kernels(lambda x, y: jnp.exp(2 * x + y * x), spec(1000), spec(1000))
    assert (one.kind, one.read, one.wrote, one.runs, one.operations) == ("fusion", 8000, 4000, 1, 4000)
    assert one.work["exponential"] == (1000, 1000)


def test_a_product_reads_both_matrices_and_counts_two_operations_a_pair():
    (one,) = [each for each in kernels(jnp.matmul, spec(100, 50), spec(50, 80)) if each.kind == "product"]
    assert (one.bytes, one.operations) == (4 * (100 * 50 + 50 * 80 + 100 * 80), 2 * 100 * 50 * 80)


def test_complex_numbers_are_more_work_and_as_many_operations():
    real, both = (only(kernels(jnp.matmul, *[spec(64, 64, dtype=kind)] * 2), "product") for kind in ("f4", "c8"))
    assert both.operations == real.operations == 2 * 64**3
    assert both.work["product"] == (8 * 64**3, 8 * 64**3) and real.work["product"] == (2 * 64**3, 2 * 64**3)
    (one,) = kernels(lambda x: x * x, spec(1000, dtype="c8"))
    assert one.work["simple"] == (2000, 6000) and one.operations == 1000
    moved = only(kernels(lambda x: x.T.copy(), spec(100, 100, dtype="c8")), "transpose")
    assert moved.work["transpose"] == (10_000, 10_000)


@pytest.mark.parametrize(("length", "least", "most"), [(1024, 1, 1), (1000, 1, 1.1), (1009, 5, 8), (7, 1.2, 1.3)])
def test_a_transform_of_a_prime_length_may_be_more_work(length, least, most):
    (one,) = [each for each in kernels(jnp.fft.fft, spec(length, dtype="c8")) if each.kind == "FFT"]
    counted = 5 * length * np.log2(length)
    assert one.work["fft"].least == pytest.approx(counted) and one.operations == pytest.approx(counted)
    assert least * counted <= one.work["fft"].most * (1 + 1e-9) <= most * counted * (1 + 1e-8)


def test_rows_that_are_looked_up_count_and_not_the_table():
    one = only(kernels(lambda t, i: t[i], spec(1000, 64), spec(10, dtype="int32")), "gather")
    assert one.bytes == 10 * 64 * 4 * 2 + 10 * 4


def test_an_update_in_place_counts_what_is_put_there():
    def written(x):
        return jax.lax.fori_loop(0, 50, lambda i, x: x.at[i].set(jnp.cos(x[i])), x)

    one = only(kernels(written, spec(10_000)), "sine")
    assert one.runs == 50 and one.bytes <= 24  # of 40,000


def test_a_slice_counts_what_it_takes():
    assert sum(each.bytes for each in kernels(lambda x: x[10:20] + 1, spec(10_000))) == 80


def test_a_scatter_does_not_rewrite_what_it_leaves():
    found = kernels(lambda x, i, v: x.at[i].add(v), spec(10_000), spec(10, dtype="int32"), spec(10))
    # One kernel or, where XLA writes no scatters itself, a loop over what is put there: `quick_flags` makes it one.
    adds = [each for each in found if "scatter" in each.written]
    assert adds and sum(each.bytes * each.runs for each in adds) < 1000  # of 80,000


def test_loops_multiply():
    def nested(x):
        return jax.lax.fori_loop(0, 3, lambda _, x: jax.lax.fori_loop(0, 5, lambda _, x: jnp.sin(x), x), x)

    assert only(kernels(nested, spec(5000)), "sine").runs == 15


def test_a_loop_of_unknown_length_stays_unknown():
    found = kernels(lambda x: jax.lax.while_loop(lambda x: x[0] < 9, lambda x: jnp.sin(x), x), spec(5000))
    assert only(found, "sine").runs is None


def test_a_decision_may_skip():
    def decided(x):
        return jax.lax.cond(x[0] > 0, jnp.sin, jnp.exp, x)

    found = kernels(decided, spec(5000))
    assert only(found, "sine").may_skip and only(found, "exponential").may_skip


def test_library_calls_sorts_and_transforms_have_their_names():
    def function(x):
        return jnp.sort(x[0]), jnp.linalg.cholesky(x), jnp.fft.fft(x[1])

    found = {each.kind: each for each in kernels(function, spec(128, 128))}
    assert {"sort", "library call", "FFT"} <= set(found)
    assert found["sort"].work["sort"].least == 128 * 7
    assert found["library call"].work["lapack"].least == pytest.approx(128**3 / 3)
    assert found["FFT"].work["fft"].least == 5 * 128 * 7


def test_what_a_call_does_is_not_guessed():
    def function(x):
        jax.debug.print("{}", x[0])
        return jax.pure_callback(lambda x: np.asarray(x) + 1, x, x)

    found = kernels(function, spec(8))
    assert [each.is_read for each in found if each.kind == "callback"] == [False, False]


class Text:
    """A compiled program whose text is another."""

    def __init__(self, compiled, old, new):
        self.text = compiled.as_text().replace(old, new)
        assert old == new or self.text != compiled.as_text()

    def as_text(self):
        return self.text


def test_an_unknown_call_is_not_taken_for_nothing():
    compiled = jax.jit(jnp.linalg.cholesky).lower(spec(32, 32)).compile()
    (before,) = [each for each in insides.kernels(compiled) if each.kind == "library call"]
    (after,) = [
        each for each in insides.kernels(Text(compiled, "lapack_spotrf_ffi", "mosaic")) if each.kind == "unread"
    ]
    assert before.is_read and not after.is_read and after.bytes == before.bytes and not after.work


def test_what_a_call_compares_with_is_no_part_that_runs():
    """TopK on a CPU: `called_computations={%compare...}`."""
    found = kernels(lambda x: jax.lax.top_k(x, 3), spec(5000))
    assert [each.kind for each in found] == ["sort"] and found[0].work["top"].least == 5000


def test_a_scan_says_how_long_it_is_where_the_text_does_not():
    def function(x):
        return jax.lax.fori_loop(0, 7, lambda _, c: jnp.sin(c), x)

    compiled = jax.jit(function).lower(spec(5000)).compile()
    silent = Text(compiled, "known_trip_count", "unknown")
    assert only(insides.kernels(silent), "sine").runs is None
    assert only(insides.kernels(silent, insides.read(function, spec(5000))), "sine").runs == 7


def test_two_loops_of_one_line_that_differ_are_not_guessed():
    def function(x, y):
        return [jax.lax.fori_loop(0, n, lambda _, c: jnp.sin(c), v) for n, v in ((7, x), (9, y))]

    args = spec(5000), spec(5000)
    silent = Text(jax.jit(function).lower(*args).compile(), "known_trip_count", "unknown")
    assert {each.runs for each in insides.kernels(silent, insides.read(function, *args)) if "sine" in each.work} == {
        None
    }


def test_a_copy_in_another_order_is_work():
    assert "transpose" in only(kernels(lambda x: x.T + 0, spec(300, 400)), "transpose").work
    assert not any("transpose" in each.work for each in kernels(lambda x: x + 0, spec(300, 400)))


def test_a_donation_is_seen():
    add, x = (lambda x: x + 1), spec(8)
    assert insides.donates(jax.jit(add, donate_argnums=0).lower(x).compile())
    assert not insides.donates(jax.jit(add).lower(x).compile())


def test_debug_print_calls_python():
    program = insides.read(lambda x: jax.debug.print("{}", x), np.float32(1))
    assert [each.calls_back for each in program.everything] == [True]


@pytest.mark.parametrize(("belief", "what"), [("touching", "touched"), ("launching", "_kind")])
def test_another_form_of_a_kernel_is_noticed(monkeypatch, belief, what):
    """What would make every slice the whole array, or every call a loop, is noticed by the belief."""
    broken = property(lambda line: None) if what == "touched" else (lambda line: "loop")
    monkeypatch.setattr(*((_kernels._Line, what) if what == "touched" else (_kernels, what)), broken)
    insides.BELIEFS[belief].forget()
    with pytest.raises(insides.CannotRead, match=f"`{belief}`"):
        insides.BELIEFS[belief].require()
    monkeypatch.undo()
    insides.BELIEFS[belief].forget()
