"""A call on a named device: the bound lies below what was published, and below what any compiler may leave out."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl

from jaxcourse import cli
from jaxcourse.before import _devices, _needed, before


def like(*shape, dtype="float32"):
    return jax.ShapeDtypeStruct(shape, dtype)


def quadratic_map(length):
    return lambda x: jax.lax.scan(lambda x, _: (4 * x * (1 - x), x), x, length=length)[1]


def relaxed(x):
    """182 steps of 25 x 25, with a test of convergence."""
    return jax.lax.while_loop(lambda x: jnp.abs(x).max() > 1e-6, lambda x: 0.9 * x, x)


def once_more(x):
    return x * 1.5


WIDE = (like(32 * 1024, 8192, dtype="bfloat16"), like(8192, 32768, dtype="bfloat16"))
PUBLISHED = {
    "scan of 10**5 turns, T4 (lecture-python-programming#437)": ("T4", quadratic_map(10**5), (like(),), 0.805),
    "scan of 10**7 turns, T4 (the same)": ("T4", quadratic_map(10**7), (like(),), 81.6),
    "while of 25 x 25, 5 times NumPy's 0.95 ms, T4 (lecture-python.myst#654)": (
        *("T4", relaxed, (like(25, 25),), 4.75e-3),
    ),
    "product of bfloat16, v5e (yashjayswal24.github.io)": ("v5e", jnp.matmul, WIDE, 94.1e-3),
    "copy of 4.3 GB, H200": ("H200", once_more, (like(2**30),), 2.0e-3),
    "product of 8192 in bfloat16, H200": ("H200", jnp.matmul, (like(8192, 8192, dtype="bfloat16"),) * 2, 1.40e-3),
}  # fmt: skip
"""A device, a function, its arguments, and seconds that somebody measured. The numbers are of QuantEcon's threads."""


@pytest.mark.parametrize("case", PUBLISHED)
def test_the_bound_lies_below_what_was_measured(case):
    device, function, args, seconds = PUBLISHED[case]
    said = before(function, *args).on(device)
    assert 0 < said.at_least < seconds


@pytest.mark.parametrize(
    ("case", "mostly", "least"),
    [
        ("scan of 10**5 turns, T4 (lecture-python-programming#437)", "launching", 0.1),
        ("product of bfloat16, v5e (yashjayswal24.github.io)", "products", 0.0893),
        ("copy of 4.3 GB, H200", "memory", (2**33 - 2 * 50 * 2**20) / 4.8e12),
    ],
)
def test_the_bound_is_of_use(case, mostly, least):
    device, function, args, _ = PUBLISHED[case]
    said = before(function, *args).on(device)
    assert said.mostly == mostly and said.at_least == pytest.approx(least, rel=1e-3)


def needs(function, *args):
    said = before(function, *args).on("H200").needs
    return said.read, said.written


N = 4 * 10**6
X = like(10**6)


def handed_on(x, y):
    """Three turns, after which `x` has come to the place of the result."""
    return jax.lax.fori_loop(0, 3, lambda i, c: (jnp.sin(c[0]), c[0], c[1]), (x, y, y))[2]


@pytest.mark.parametrize(
    ("function", "args", "read", "written"),
    [
        (once_more, (X,), N, N),
        (lambda x: jnp.exp(x).sum(), (X,), N, 4),
        (lambda x: x[:3] * 2, (X,), 0, 12),
        (lambda x: (x * 2)[:3], (X,), 0, 12),
        (lambda table, i: table[i], (X, like(5, dtype="int32")), 0, 20),
        (lambda x, y: x + 1, (X, X), N, N),
        (lambda x: (x, x + 1), (X,), N, N),
        (lambda x: jnp.full(10**6, jnp.sin(x)), (like(),), 4, N),
        (lambda x: jax.lax.scan(lambda c, row: (c + row, None), 0.0, x)[0], (like(1000),), 4000, 4),
        (jax.jit(once_more), (X,), N, N),
        (lambda x: jax.lax.fori_loop(0, 9, lambda i, x: jnp.sin(x), x), (X,), N, N),
        (lambda x: jax.lax.fori_loop(0, 9, lambda i, x: jnp.sin(x).at[i].set(0), x), (X,), 0, N),
        (lambda x, y: handed_on(x, jnp.full(10**6, y)), (X, like()), N, N),
        (lambda x: x.at[0].set(1), (X,), 0, N),
        (lambda x, y: (x, y + 1), (X, like(8)), 32, 32),
        (lambda x, y: (x**0, jnp.sort(jnp.sin(jnp.sort(y)))), (X, X), N, 2 * N),
        (lambda x, i: (x * 0).sum() + i, (like(10**6, dtype="int32"), like(dtype="int32")), 0, 4),
    ],
)
def test_only_what_is_needed_whole_is_read(function, args, read, written):
    assert needs(function, *args) == (read, written)


def test_what_is_given_away_may_be_written_in_part():
    assert needs(jax.jit(lambda x: x.at[0].set(1), donate_argnums=0), X) == (0, 0)


def test_what_is_given_away_may_stay_where_it_is_in_another_shape():
    flat = lambda x, y: (x.reshape(-1), jnp.sort(jnp.sin(jnp.sort(y))))  # noqa: E731
    assert needs(jax.jit(flat, donate_argnums=(0, 1)), like(1000, 1000), X) == (N, 0)
    assert needs(flat, like(1000, 1000), X) == (2 * N, 2 * N)


def products(function, *args):
    return before(function, *args).on("H200").needs.products


def test_products_are_counted_by_the_dtype_of_their_factors_and_with_their_turns():
    square = like(100, 100)
    assert products(lambda x: jax.lax.fori_loop(0, 7, lambda _, y: jnp.sin(y @ x), x), square) == {"float32": 7 * 2e6}
    half = like(100, 100, dtype="bfloat16")
    assert products(lambda x, y: (jnp.sin(x @ x), y @ y), square, half) == {"float32": 2e6, "bfloat16": 2e6}


def test_a_product_that_is_left_out_here_does_not_count():
    square = like(100, 100)
    assert products(lambda x, y: x @ y + x @ y, square, square) == {"float32": 2e6}
    assert products(lambda x, y: (x @ y, x + y)[1], square, square) == {}
    half = like(100, 100, dtype="bfloat16")
    assert products(lambda x, y: (x @ x, y @ y)[1], square, half) == {"bfloat16": 2e6}
    both = products(lambda x, y: (x @ x + x @ x, y @ y), square, half)
    assert both == {"bfloat16": 2e6, "float32": 2e6}  # the narrow one stays whole: it is the fast one


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_product_that_no_turn_changes_counts_once(dtype):
    square = like(100, 100, dtype=dtype)
    around = lambda turn: lambda x, y: jax.lax.fori_loop(0, 7, turn, (x, y))  # noqa: E731
    once = lambda function: _needed.needed(before(function, square, square).asked.program).products  # noqa: E731
    kept = around(lambda _, c: (jnp.sin(c[0]) + c[1] @ c[1], c[1]))
    assert once(kept) == {dtype: 2e6}
    passed = lambda x, y: jax.lax.fori_loop(0, 7, lambda _, c: jnp.sin(c) + y @ y, x)  # noqa: E731
    assert once(passed) == {dtype: 2e6}
    changed = around(lambda _, c: (jnp.sin(c[0]) + c[1] @ c[1], jnp.sin(c[1])))
    assert once(changed) == {dtype: 7 * 2e6}


def test_a_product_by_an_algorithm_of_its_own_has_no_rate():
    faster = functools.partial(jnp.matmul, precision=jax.lax.DotAlgorithmPreset.BF16_BF16_F32)
    said = before(faster, like(4096, 4096), like(4096, 4096)).on("H200")
    assert said.multiplying == 0 and "Products in BF16_BF16_F32 count for nothing" in str(said)


def turns(function, *args):
    return before(function, *args).on("A100").needs.turns


def test_turns_of_loops_within_loops_are_multiplied():
    inner = lambda x: jax.lax.fori_loop(0, 30, lambda i, x: jnp.sin(x), x)  # noqa: E731
    assert turns(lambda x: jax.lax.fori_loop(0, 20, lambda i, x: inner(x) + 1, x), like(100)) == 600
    assert turns(lambda x: jax.lax.scan(lambda x, _: (jnp.sin(x), None), x, length=40, unroll=4)[0], like(100)) == 10
    assert turns(jnp.sin, like(100)) == 1


def test_a_loop_whose_result_is_thrown_away_has_no_turn():
    assert turns(lambda x: (inner_of(x), x + 1)[1], like(100)) == 1


def test_a_loop_that_is_thrown_away_beside_one_that_is_not_has_no_turn():
    assert turns(lambda x: (inner_of(x), within(x))[1], like(100)) == 500
    carries = lambda i, c: (jnp.sin(c[0]), inner_of(c[1]))  # noqa: E731
    assert turns(lambda x: jax.lax.fori_loop(0, 30, carries, (x, x))[0], like(100)) == 30


def within(x):
    return jax.lax.fori_loop(0, 500, lambda i, x: jnp.sin(jnp.cumsum(jnp.sort(x)) @ jnp.ones((100, 100))), x)


def test_a_loop_of_one_turn_is_written_out():
    once = lambda x: jax.lax.fori_loop(0, 1, lambda i, x: jnp.sort(jnp.sin(x)), x)  # noqa: E731
    assert turns(lambda x: once(jnp.cumsum(once(x))), like(100)) == 1
    rest = lambda x: jax.lax.scan(lambda x, _: (jnp.sin(x), None), x, length=17, unroll=16)[0]  # noqa: E731
    assert turns(lambda x: jnp.sort(rest(jnp.sort(rest(x)))), like(100)) == 1


def test_a_kernel_of_pallas_is_launched_once():
    def kernel(x, out):
        out[...] = jax.lax.fori_loop(0, 100, lambda i, y: jnp.sin(y), x[...])

    call = pl.pallas_call(kernel, like(64), interpret=True)
    assert turns(call, like(64)) == 1


def inner_of(x):
    return jax.lax.fori_loop(0, 1000, lambda i, x: jnp.sin(x), x)


def test_a_loop_of_unknown_length_counts_for_nothing_and_is_named():
    said = before(relaxed, like(25, 25)).on("H200")
    assert said.needs.turns == 1 and "A loop of unknown length counts for no turn." in str(said)


def test_a_tpu_is_given_a_whole_program():
    said = before(quadratic_map(10**5), like()).on("v5e")
    assert said.launching == 0 and said.mostly == "memory" and "not counted: a TPU" in str(said)


def test_small_arrays_may_lie_in_the_cache():
    said = before(once_more, like(10**6)).on("H200")
    assert said.moving == 0 and (said.at_least, said.mostly) == (1e-6, "launching")


def test_it_has_room_or_has_not():
    large = before(once_more, like(5 * 10**9)).on("A100")
    assert large.held == 4 * 10**10 and large.fits and not before(once_more, like(5 * 10**9)).on("T4").fits
    assert "40 GB of 80 GB: they fit" in str(large)
    given = before(jax.jit(once_more, donate_argnums=0), like(5 * 10**9)).on("A100")
    assert given.held == 2 * 10**10
    tight = dataclasses.replace(large, temporaries=5 * 10**10)
    assert tight.fits and "but with these temporaries they would not" in str(tight)


def test_a_rate_that_a_device_has_not_is_not_made_up():
    said = before(jnp.matmul, *[like(4096, 4096, dtype="bfloat16")] * 2).on("T4")
    assert said.multiplying == 0 and "Products in bfloat16 count for nothing" in str(said)


def test_no_time_is_said_of_what_is_split():
    mesh = jax.make_mesh((2,), ("x",), devices=jax.devices()[:2])
    split = jax.device_put(np.ones(8, np.float32), jax.NamedSharding(mesh, jax.P("x")))
    said = before(once_more, split).on("H200")
    assert said.at_least is None and "split over several devices" in str(said)


def test_it_says_at_least_and_no_range():
    shown = str(before(once_more, like(2**30)).on("H200"))
    assert "at least 1.77 ms, mostly memory" in shown and " ms to " not in shown
    assert "This is no measurement." in shown and "data sheet of the H200" in shown


def test_a_name_that_is_not_known_is_refused_with_those_that_are():
    with pytest.raises(ValueError, match="'B200': ask for one of H200, A100, T4, v5e"):
        before(once_more, X).on("B200")


@pytest.mark.parametrize("name", _devices.DEVICES)
def test_a_data_sheet_is_plausible_and_says_where_it_is_from(name):
    found = _devices.DEVICES[name]
    assert 1e11 < found.bandwidth < 1e13 and 1e10 < found.memory < 1e12 and found.source
    assert found.products["float32"] <= max(found.products.values()) < 1e15


def test_the_command_says_it(tmp_path, capsys):
    (tmp_path / "model.py").write_text("def f(x):\n    return 2 * x\n", encoding="utf-8")
    assert cli.main(["before", f"{tmp_path / 'model.py'}:f", "--like", "f32[1000]", "--on", "H200", "--on", "T4"]) == 0
    shown = capsys.readouterr().out
    assert "141 GB" in shown and "16 GB" in shown
    assert cli.main(["before", f"{tmp_path / 'model.py'}:f", "--like", "f32[1000]", "--on", "B200"]) == 2
    assert "ask for one of H200" in capsys.readouterr().err


def test_what_is_not_known_to_be_needed_is_not_counted():
    found = _needed.needed(before(lambda x: jnp.where(x > 0, x, 1), X).asked.program)
    assert found.written == N and found.turns == 1
