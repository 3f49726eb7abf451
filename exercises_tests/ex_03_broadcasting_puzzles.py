"""Checks of lesson 03, broadcasting puzzles: what is asked, what people get wrong, what each mistake is told."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, exercise, right, wrong
from jaxcourse.inputs import Slip
from jaxcourse.puzzle import Rules, expect_for_many, expect_spec, growing


def digits(rng, size):
    """A vector of `size` small whole numbers; half of the time so small that they are often equal, or 0."""
    most = int(rng.choice([2, 9]))
    return rng.integers(-most, most + 1, size=size).astype(np.int32)


def vectors(rng):
    """Vectors of growing length, several of each: a new length costs a compilation, and other numbers nothing."""
    return growing(lambda n: (digits(rng, n),), tries=5)


def labelled(rng):
    """Labels and a number of classes, which differ: some labels are negative, some are no class, some occur twice."""
    drawn = growing(lambda n: (rng.integers(-2, n + 2, size=n + 1).astype(np.int32), n), largest=4, tries=5)
    seldom = (np.array([1, -1, 5, 1, 3, 7, 0], np.int32), 4), (np.array([0, -3, 2, 2], np.int32), 6)
    return [*drawn, *seldom]


def far_labels(rng):
    """Many labels and classes: labels on both sides so far that they would wrap around, and one of them 200 times."""
    labels = np.concatenate([np.arange(-500, 501), np.full(200, 2)])
    return [(rng.permutation(labels).astype(np.int32), 130)]


def as_jax_reads(a, i):
    """What JAX reads at some places: from the end where they are negative, the nearest element where there is none."""
    return a[np.clip(np.where(i < 0, i + len(a), i), 0, len(a) - 1)]


def column_and_row(n):
    return np.arange(n)[:, None], np.arange(n)


NO_TABLE = "One axis came out. Two loops are two axes: one of the vectors has to be a column, `[:, None]`."


# -- all-products -------------------------------------------------------------------------------------------------


def products(a, b):
    return [[p * q for q in b] for p in a]


@exercise(
    "all-products",
    see="loop-is-an-axis",
    hint="`a` runs down: it is a column. `b` runs to the right: it is a row.",
    without=[Rules()],
)
def all_products(answer, rng):
    cases = growing(lambda n: (digits(rng, n), digits(rng, 7 % n + 1)), largest=4, tries=4)
    swapped = "Rows should belong to `a` and columns to `b`: yours are the other way round."
    slips = [
        Slip("table-transposed", lambda a, b: a * b[:, None], swapped),
        Slip("no-table", lambda a, b: a * b, NO_TABLE),
        Slip("summed-up", lambda a, b: (a[:, None] * b).sum(1), "The table was summed over its columns. Keep it."),
        Slip("sums-not-products", lambda a, b: a[:, None] + b, "A table of sums. It should be one of products."),
    ]
    expect_spec(answer, products, [*cases, (digits(rng, 7), digits(rng, 3))], slips)
    expect_for_many(answer, products, [(digits(rng, 130), digits(rng, 131))])


@right("all-products")
def as_a_matrix_product(a, b):
    return a[:, None] @ b[None]


all_products_compiled = right("all-products")(jax.jit(lambda a, b: b * a[..., None]))


@right("all-products")
def by_the_name_of_none(a, b):
    return a[:, jnp.newaxis] * b


@wrong("all-products", "not-a-primitive")
def with_outer(a, b):
    return jnp.outer(a, b)


with_vmap = wrong("all-products", "not-a-primitive")(jax.vmap(lambda p, b: p * b, in_axes=(0, None)))


@wrong("all-products", "table-transposed")
def b_down(a, b):
    return a * b[:, None]


@wrong("all-products", "loops")
def row_after_row(a, b):
    return [a[i] * b for i in jnp.arange(len(a))]


@wrong("all-products", "no-table")
def product_of_vectors(a, b):
    return a * b


@wrong("all-products", "summed-up")
def sums_the_rows(a, b):
    return (a[:, None] * b).sum(axis=1)


@wrong("all-products", "sums-not-products")
def adds_instead(a, b):
    return a[:, None] + b


@wrong("all-products", "counterexample")
def differences_instead(a, b):
    return a[:, None] - b


# -- power-table --------------------------------------------------------------------------------------------------


def rising_powers(x, k):
    return [[value**j for j in range(k)] for value in x]


@exercise(
    "power-table",
    see="loop-is-an-axis",
    hint="A column of points, and a row of exponents: `jnp.arange(k)`.",
    without=[Rules()],
)
def power_table(answer, rng):
    cases = growing(lambda n: (digits(rng, n), 7 % n + 2), largest=4, tries=4)
    cases += [(np.array([-2, 0, 1, 3], np.int32), k) for k in (1, 6)]
    falls = "The powers fall from left to right. They should rise, beginning with the zeroth."
    transposed = "Each point has a column; it should have a row: `x` runs down."
    one_more = "The powers should end at `k - 1`: yours end at `k`. The zeroth is one of the `k`."
    exchanged = "Base and exponent are exchanged: `x` is raised to the power `j`."
    zeroth = "The zeroth power of 0 is 1 here, as `0 ** 0` is in Python."
    slips = [
        Slip("powers-fall", lambda x, k: x[:, None] ** (k - 1 - np.arange(k)), falls),
        Slip("starts-at-one", lambda x, k: x[:, None] ** (1 + np.arange(k)), "The zeroth power is first: all ones."),
        Slip("one-too-many", lambda x, k: x[:, None] ** np.arange(k + 1), one_more),
        Slip("table-transposed", lambda x, k: x ** np.arange(k)[:, None], transposed),
        Slip(
            "as-many-as-points",
            lambda x, k: x[:, None] ** np.arange(len(x), dtype=x.dtype),  # large powers wrap around as the answer's do
            "There should be `k` powers.",
        ),
        Slip("no-table", lambda x, k: x ** np.arange(k), NO_TABLE),
        Slip("exchanged", lambda x, k: jnp.arange(k) ** x[:, None], exchanged),
        Slip("multiples", lambda x, k: x[:, None] * np.arange(k), "Multiples, not powers: `**` raises."),
        Slip("zeroth-of-zero", lambda x, k: np.where(x[:, None] == 0, 0, x[:, None] ** np.arange(k)), zeroth),
    ]
    expect_spec(answer, rising_powers, cases, slips)
    expect_for_many(answer, rising_powers, [(rng.integers(-1, 3, 130).astype(np.int32), 30)])


@right("power-table")
def zeroth_by_itself(x, k):
    j = jnp.arange(k)[None]
    return jnp.where(j == 0, 1, x[:, None] ** j)


@wrong("power-table", "not-a-primitive")
def with_vander(x, k):
    return jnp.vander(x, k, increasing=True)


@wrong("power-table", "loops")
def multiplies_from_power_to_power(x, k):
    columns = [x * 0 + 1]
    while len(columns) < k:
        columns.append(columns[-1] * x)
    return jnp.stack(columns, axis=1)


@wrong("power-table", "powers-fall")
def in_falling_order(x, k):
    return x[:, None] ** (k - 1 - jnp.arange(k))


@wrong("power-table", "starts-at-one")
def begins_with_the_first_power(x, k):
    return x[:, None] ** (jnp.arange(k) + 1)


@wrong("power-table", "one-too-many")
def up_to_the_power_k(x, k):
    return x[:, None] ** jnp.arange(k + 1)


@wrong("power-table", "table-transposed")
def points_to_the_right(x, k):
    return x ** jnp.arange(k)[:, None]


@wrong("power-table", "as-many-as-points")
def a_square_table(x, k):
    return x[:, None] ** jnp.arange(len(x))


@wrong("power-table", "no-table")
def a_row_to_the_power_of_a_row(x, k):
    return x ** jnp.arange(k)


@wrong("power-table", "exchanged")
def exponents_raised(x, k):
    return jnp.arange(k) ** x[:, None]


@wrong("power-table", "multiples")
def multiplies(x, k):
    return x[:, None] * jnp.arange(k)


@wrong("power-table", "zeroth-of-zero")
def nothing_of_nothing(x, k):
    return jnp.where(x[:, None] == 0, 0, x[:, None] ** jnp.arange(k))


@wrong("power-table", "counterexample")
def ten_powers_at_most(x, k):
    return x[:, None] ** jnp.arange(10)[:k]


@wrong("power-table", "counterexample")
def four_powers(x, k):
    return x[:, None] ** jnp.arange(4)


# -- not-later ----------------------------------------------------------------------------------------------------


def lower_triangle(n):
    return [[j <= i for j in range(n)] for i in range(n)]


def compared(compare):
    """A slip: what some comparison of row and column gives."""
    return lambda n: compare(*column_and_row(n))


@exercise(
    "not-later",
    see="loop-is-an-axis",
    hint="Compare the index of the row, a column, with the index of the column, a row.",
    without=[Rules()],
)
def not_later(answer, rng):
    upper = "Your mask is true where the column is *greater*, or equal: exchange the two sides."
    diagonal = "An event may be its own cause here: the diagonal belongs to the mask."
    crossed = "That is the triangle on the other diagonal: `i + j` compares no row with a column."
    slips = [
        Slip("upper-triangle", compared(lambda i, j: j >= i), upper),
        Slip("diagonal-lost", compared(lambda i, j: j < i), diagonal),
        Slip("no-table", compared(lambda i, j: j <= j), NO_TABLE),
        Slip("other-diagonal", compared(lambda i, j: i + j < len(j)), crossed),
        Slip("contrary", compared(lambda i, j: j > i), "That is the contrary: true where the column is *greater*."),
    ]
    expect_spec(answer, lower_triangle, [(n,) for n in (1, 2, 3, 4, 5, 9)], slips)
    expect_for_many(answer, lower_triangle, [(130,)])


@right("not-later")
def numbers_not_truths(n):
    i = jnp.arange(n)
    return jnp.where(i[:, None] - i < 0, 0, 1)


@wrong("not-later", "not-a-primitive")
def with_tril(n):
    return jnp.tril(jnp.ones((n, n)))


@wrong("not-later", "loops")
def a_comparison_for_each_row(n):
    return [jnp.arange(n) <= i for i in range(n)]


@wrong("not-later", "upper-triangle")
def compares_the_other_way(n):
    return jnp.arange(n)[:, None] <= jnp.arange(n)


@wrong("not-later", "diagonal-lost")
def strictly_before(n):
    return jnp.arange(n) < jnp.arange(n)[:, None]


@wrong("not-later", "contrary")
def later(n):
    return jnp.arange(n) > jnp.arange(n)[:, None]


@wrong("not-later", "other-diagonal")
def adds_the_indices(n):
    return jnp.arange(n)[:, None] + jnp.arange(n) <= n - 1


@wrong("not-later", "no-table")
def compares_a_vector_with_itself(n):
    return jnp.arange(n) <= jnp.arange(n)


@wrong("not-later", "truth-value")
def negates_a_whole_array(n):
    return not (jnp.arange(n) > jnp.arange(n)[:, None])


@wrong("not-later", "counterexample")
def identity_again(n):
    return jnp.arange(n) == jnp.arange(n)[:, None]


# -- running-total ------------------------------------------------------------------------------------------------


def totals(a):
    return [sum(a[: i + 1]) for i in range(len(a))]


def masked(mask):
    """A slip: what a mask over rows and columns makes of a vector."""
    return lambda a: mask(*column_and_row(len(a))) @ a


@exercise(
    "running-total",
    see="sum-over-an-axis",
    hint=["Which elements does the sum at `i` take? A mask of an earlier puzzle tells them.", "A mask `@` a vector."],
    without=[Rules()],
)
def running_total(answer, rng):
    behind = "Each total should include its own element: yours are one behind."
    from_the_end = "You sum from each element to the end: the mask is transposed."
    wrong_axis = "You summed over `i`: each `a[j]` was taken as often as it occurs. Sum over `j`, the columns."
    one_number = "One number came out. There is a total for each element: sum over one axis, not over all."
    values = "You compared elements of `a`. The condition compares their places, `j <= i`."
    neighbour = "Only one neighbour was added. Each total takes *all* elements before."
    slips = [
        Slip("own-element-lost", masked(lambda i, j: j < i), behind),
        Slip("from-the-end", masked(lambda i, j: j >= i), from_the_end),
        Slip("summed-over-i", lambda a: a * (len(a) - np.arange(len(a))), wrong_axis),
        Slip("one-number", lambda a: a.sum(), one_number),
        Slip("one-number", lambda a: (a * (len(a) - np.arange(len(a)))).sum(), one_number),
        Slip("values-compared", lambda a: (a <= a[:, None]) @ a, values),
        Slip("neighbour-alone", masked(lambda i, j: (j == i) | (j == i - 1)), neighbour),
    ]
    expect_spec(answer, totals, vectors(rng), slips)
    expect_for_many(answer, totals, [(digits(rng, 130),)])


@right("running-total")
def the_total_less_what_is_later(a):
    i = jnp.arange(a.size)
    return a.sum() - (i > i[:, None]) @ a


@wrong("running-total", "not-a-primitive")
def with_cumsum(a):
    return jnp.cumsum(a)


@wrong("running-total", "not-a-primitive")
def calls_itself(a):
    def from_place(i):
        here = jnp.where(jnp.arange(len(a)) == i, a[: i + 1].sum(), 0)
        return here + from_place(i + 1) if i + 1 < len(a) else here

    return from_place(0)


@wrong("running-total", "own-element-lost")
def sums_what_was_before(a):
    i = jnp.arange(len(a))
    return (i < i[:, None]) @ a


@wrong("running-total", "from-the-end")
def sums_over_the_rows(a):
    i = jnp.arange(len(a))
    return jnp.where(i[:, None] <= i, a, 0).sum(1)


@wrong("running-total", "loops")
def sums_of_slices(a):
    return [a[: i + 1].sum() for i in jnp.arange(len(a))]


@wrong("running-total", "summed-over-i")
def sums_the_other_axis_of_the_mask(a):
    i = jnp.arange(len(a))
    return ((i <= i[:, None]) * a).sum(axis=0)


@wrong("running-total", "one-number")
def sums_both_axes(a):
    i = jnp.arange(len(a))
    return ((i <= i[:, None]) * a).sum()


@wrong("running-total", "one-number")
def total_alone(a):
    return a.sum()


@wrong("running-total", "values-compared")
def compares_the_elements(a):
    return (a <= a[:, None]) @ a


@wrong("running-total", "neighbour-alone")
def adds_the_one_before(a):
    i = jnp.arange(len(a))
    return a + jnp.where(i > 0, a[i - 1], 0)


@wrong("running-total", "counterexample")
def multiplies_by_the_mask(a):
    i = jnp.arange(len(a))
    return (i <= i[:, None]) * a


# -- undo-total ---------------------------------------------------------------------------------------------------


def steps(a):
    return [a[i] - a[i - 1] if i else a[0] for i in range(len(a))]


@exercise(
    "undo-total",
    see="comes-from",
    hint=["What is `a[i - 1]` for all `i` at once? And at `i == 0`?", "`jnp.where` makes the exception."],
    without=[Rules()],
)
def undo_total(answer, rng):
    wrapped = "At the first element you subtracted the last: index -1 is no error. The first should stay as it is."
    short = "The first element is lost: the result should have as many elements as `a`."
    turned_round = "The sign is turned: `a[i] - a[i - 1]`, what came later less what came before."
    next_one = "You subtracted from the next element, `a[i + 1]`. The difference is the one from the element before."
    all_before = "You subtracted all elements before. One is enough: it is their total already."
    slips = [
        Slip("wraps-around", lambda a: a - np.roll(a, 1), wrapped),
        Slip("one-too-few", np.diff, short),
        Slip("sign-turned", lambda a: np.append(a[:1], a[:-1] - a[1:]), turned_round),
        Slip("sign-turned", lambda a: -np.diff(a, prepend=0), turned_round),
        Slip("first-lost", lambda a: np.append(0, np.diff(a)), "The first element became 0. It should stay `a[0]`."),
        Slip("next-not-last", lambda a: np.append(a[:1], np.diff(a)[1:].tolist() + [0] * (len(a) > 1)), next_one),
        Slip("next-not-last", lambda a: np.append(np.diff(a), a[-1:]), next_one),
        Slip("next-not-last", lambda a: np.append(a[:-1] - a[1:], a[-1:]), next_one),
        Slip("all-subtracted", lambda a: a - (np.cumsum(a) - a), all_before),
    ]
    expect_spec(answer, steps, vectors(rng), slips)
    expect_for_many(answer, steps, [(digits(rng, 130),)])


@right("undo-total")
def by_two_diagonals(a):
    i = jnp.arange(len(a))
    return ((i[:, None] == i) * 1 - (i[:, None] == i + 1) * 1) @ a


@wrong("undo-total", "not-a-primitive")
def with_diff(a):
    return jnp.diff(a, prepend=0)


@wrong("undo-total", "not-a-primitive")
def with_at_and_set(a):
    return a.at[1:].set(a[1:] - a[:-1])


@wrong("undo-total", "loops")
def steps_one_by_one(a):
    return [a[0], *(a[i] - a[i - 1] for i in range(1, len(a)))]


@wrong("undo-total", "wraps-around")
def subtracts_the_last_from_the_first(a):
    return a - a[jnp.arange(len(a)) - 1]


@wrong("undo-total", "one-too-few")
def subtracts_slices(a):
    return a[1:] - a[:-1]


@wrong("undo-total", "first-lost")
def nothing_first(a):
    i = jnp.arange(len(a))
    return jnp.where(i > 0, a - a[i - 1], 0)


@wrong("undo-total", "sign-turned")
def before_less_after(a):
    i = jnp.arange(len(a))
    return jnp.where(i == 0, a, a[i - 1] - a)


@wrong("undo-total", "next-not-last")
def looks_ahead(a):
    i = jnp.arange(len(a))
    return jnp.where(i == 0, a, a[i + 1] - a)


@wrong("undo-total", "all-subtracted")
def subtracts_a_triangle(a):
    i = jnp.arange(len(a))
    return a - (i < i[:, None]) @ a


@wrong("undo-total", "counterexample")
def adds_the_one_before_instead(a):
    i = jnp.arange(len(a))
    return jnp.where(i == 0, a, a + a[i - 1])


# -- ring-shift ---------------------------------------------------------------------------------------------------


def turned(a, k):
    return [a[(i - k) % len(a)] for i in range(len(a))]


def read(places):
    """A slip: what is read from some places."""
    return lambda a, k: as_jax_reads(a, places(np.arange(len(a)), k, len(a)))


def cut_off(a, k):
    i = np.arange(len(a)) - k
    return np.where((i >= 0) & (i < len(a)), a[i % len(a)], 0)


@exercise(
    "ring-shift",
    see="comes-from",
    hint=["Turn the rule round: which index did the element come from that is now at `i`?", "Indices take `%`."],
    without=[Rules()],
)
def ring_shift(answer, rng):
    cases = growing(lambda n: (digits(rng, n), int(rng.integers(-2 * n, 2 * n + 1))), tries=4)
    cases += [(np.array([3, 1, 4, 1, 5], np.int32), k) for k in (0, 1, 2, -1, -4, 5, 7, -13, 104)]
    backwards = "You turned it the other way: what is at `i` now was at `i - k` before, not at `i + k`."
    no_ring = "There is no ring: `k` may be negative, or larger than the ring. Take the remainder of the whole index."
    unsigned = "Right for `k >= 0`. A negative `k` turns to the left: it is not the same as its absolute value."
    fallen = "What passes the end is lost, and zeros come in. On a ring it comes in again at the beginning."
    one_off = "Off by one place."
    places = "Those are the places that the elements come from. Put them into the brackets of `a`."
    slips = [
        Slip("other-way-round", lambda a, k: np.roll(a, -k), backwards),
        Slip("no-ring", read(lambda i, k, n: i - k), no_ring),
        Slip("no-ring", read(lambda i, k, n: np.where(i < k, i - k + n, i - k)), no_ring),
        Slip("remainder-misplaced", read(lambda i, k, n: i - k // n), no_ring),
        Slip("sign-lost", lambda a, k: np.roll(a, abs(k)), unsigned),
        Slip("cut-off", cut_off, fallen),
        Slip("off-by-one", lambda a, k: np.roll(a, k + 1), one_off),
        Slip("off-by-one", lambda a, k: np.roll(a, k - 1), one_off),
        Slip("places-returned", lambda a, k: (np.arange(len(a)) - k) % len(a), places),
    ]
    expect_spec(answer, turned, cases, slips)
    expect_for_many(answer, turned, [(digits(rng, 130), k) for k in (70, 10**6 + 3, -(10**6) - 3)])


@right("ring-shift")
def by_a_permutation(a, k):
    i = jnp.arange(len(a))
    return (i[:, None] == (i + k) % len(a)) @ a


@right("ring-shift")
def brackets_that_count_from_the_end(a, k):
    return a[jnp.arange(len(a)) - k % len(a)]


@wrong("ring-shift", "not-a-primitive")
def with_roll(a, k):
    return jnp.roll(a, k)


@wrong("ring-shift", "loops")
def place_by_place(a, k):
    result = 0 * a
    for i in range(len(a)):
        result = result.at[(i + k) % len(a)].set(a[i])
    return result


@wrong("ring-shift", "other-way-round")
def reads_from_ahead(a, k):
    return a[(jnp.arange(len(a)) + k) % len(a)]


@wrong("ring-shift", "no-ring")
def forgets_the_ring(a, k):
    return a[jnp.arange(len(a)) - k]


@wrong("ring-shift", "no-ring")
def goes_round_once(a, k):
    i = jnp.arange(len(a)) - k
    return a[jnp.where(i < 0, i + len(a), i)]


@wrong("ring-shift", "remainder-misplaced")
def divides_the_shift(a, k):
    return a[jnp.arange(len(a)) - k // len(a)]


@wrong("ring-shift", "sign-lost")
def takes_the_shift_for_positive(a, k):
    return a[(jnp.arange(len(a)) - jnp.where(k < 0, -k, k)) % len(a)]


@wrong("ring-shift", "cut-off")
def fills_with_zeros(a, k):
    i = jnp.arange(len(a)) - k
    return jnp.where((i >= 0) & (i < len(a)), a[i % len(a)], 0)


@wrong("ring-shift", "off-by-one")
def counts_from_one_place_on(a, k):
    return a[(jnp.arange(len(a)) - k - 1) % len(a)]


@wrong("ring-shift", "places-returned")
def forgets_the_brackets(a, k):
    return (jnp.arange(len(a)) - k) % len(a)


@wrong("ring-shift", "counterexample")
def turns_twice(a, k):
    return a[(jnp.arange(len(a)) - 2 * k) % len(a)]


# -- one-hot-rows -------------------------------------------------------------------------------------------------


def indicator_rows(labels, k):
    return [[int(label == j) for j in range(k)] for label in labels]


def hot(labels, k):
    return labels[:, None] == np.arange(k)


NO_CLASS = "A label that is no class was counted as another class. Its row should stay zero."


@exercise(
    "one-hot-rows",
    see="one-hot",
    hint="Compare every label, a column, with every class, a row.",
    without=[Rules()],
)
def one_hot_rows(answer, rng):
    columns = "Each label has a column; it should have a row. Make a column of the other vector."
    from_one = "The classes are 0 to `k - 1`: yours begin with 1."
    picked = "Indexing picks some row for every label. A label that is no class should have a row of zeros."
    larger = "More than one class is marked: the row should be 1 where the label *is* `j`, not where it is larger."
    slips = [
        Slip("hot-columns", lambda labels, k: hot(labels, k).T, columns),
        Slip("classes-from-one", lambda labels, k: hot(labels - 1, k), from_one),
        Slip("one-too-many", lambda labels, k: hot(labels, k + 1), "There are `k` classes: 0 to `k - 1`, not to `k`."),
        Slip("rows-picked", lambda labels, k: as_jax_reads(np.eye(k), labels), picked),
        Slip("misses-counted", lambda labels, k: hot(labels % k, k), NO_CLASS),
        Slip("misses-counted", lambda labels, k: hot(np.minimum(labels, k - 1), k), NO_CLASS),
        Slip("misses-counted", lambda labels, k: hot(np.clip(labels, 0, k - 1), k), NO_CLASS),
        Slip(
            "as-many-as-labels", lambda labels, k: hot(labels, len(labels)), "There should be a column for each class."
        ),
        Slip("no-table", lambda labels, k: labels == np.arange(k), NO_TABLE),
        Slip("not-equal", lambda labels, k: ~hot(labels, k), "It is the contrary: 1 where the label is *not* `j`."),
        Slip("larger-too", lambda labels, k: np.arange(k) <= labels[:, None], larger),
    ]
    expect_spec(answer, indicator_rows, labelled(rng), slips)
    expect_for_many(answer, indicator_rows, far_labels(rng))


@right("one-hot-rows")
def neither_smaller_nor_larger(labels, k):
    label, j = labels[:, None], jnp.arange(k)[None]
    return ~((label < j) | (label > j))


@wrong("one-hot-rows", "not-a-primitive")
def with_nn(labels, k):
    return jax.nn.one_hot(labels, k)


@wrong("one-hot-rows", "loops")
def class_by_class(labels, k):
    return jnp.stack([labels == j for j in range(k)], axis=1)


@wrong("one-hot-rows", "hot-columns")
def classes_down(labels, k):
    return labels == jnp.arange(k)[:, None]


@wrong("one-hot-rows", "rows-picked")
def rows_of_an_identity(labels, k):
    i = jnp.arange(k)
    return (i[:, None] == i)[labels]


@wrong("one-hot-rows", "classes-from-one")
def counts_from_one(labels, k):
    return labels[:, None] == jnp.arange(k) + 1


@wrong("one-hot-rows", "one-too-many")
def a_class_too_many(labels, k):
    return labels[:, None] == jnp.arange(k + 1)


@wrong("one-hot-rows", "misses-counted")
def wraps_the_labels(labels, k):
    return labels[:, None] % k == jnp.arange(k)


@wrong("one-hot-rows", "misses-counted")
def cuts_the_labels(labels, k):
    return jnp.where(labels >= k, k - 1, labels)[:, None] == jnp.arange(k)


@wrong("one-hot-rows", "counterexample")
def wraps_far_away(labels, k):
    return labels[:, None] % (3 * k) == jnp.arange(k)


@wrong("one-hot-rows", "as-many-as-labels")
def a_square_of_labels(labels, k):
    return labels[:, None] == jnp.arange(len(labels))


@wrong("one-hot-rows", "no-table")
def a_row_against_a_row(labels, k):
    return labels == jnp.arange(k)


@wrong("one-hot-rows", "not-equal")
def everything_but(labels, k):
    return labels[:, None] != jnp.arange(k)


@wrong("one-hot-rows", "larger-too")
def a_thermometer(labels, k):
    return jnp.arange(k) <= labels[:, None]


@wrong("one-hot-rows", "counterexample")
def only_the_first_class(labels, k):
    return (labels[:, None] == jnp.arange(k)) & (jnp.arange(k) == 0)


# -- count-hits ---------------------------------------------------------------------------------------------------


def occurrences(where, k):
    return [sum(place == j for place in where) for j in range(k)]


@exercise(
    "count-hits",
    see="one-hot",
    hint="One row for each photon, as in the puzzle before. Which axis disappears?",
    without=[Rules()],
)
def count_hits(answer, rng):
    per_photon = (
        "You summed over the pixels, so one number is left for each photon. Sum over the photons: the other axis."
    )
    misses = "A photon that missed was counted in some pixel. One whose number is no pixel counts nowhere."
    total = "One number came out, for all pixels together. Sum over the photons only: one axis."
    up_to = "Photons that hit a pixel before are counted again: compare with `==`."
    sums = "You added up the numbers of the pixels. Each hit counts 1."
    slips = [
        Slip("sum-over-pixels", lambda where, k: hot(where, k).sum(1), per_photon),
        Slip("misses-counted", lambda where, k: hot(where % k, k).sum(0), misses),
        Slip("misses-counted", lambda where, k: hot(np.clip(where, 0, k - 1), k).sum(0), misses),
        Slip("misses-counted", lambda where, k: hot(np.minimum(where, k - 1), k).sum(0), misses),
        Slip("misses-counted", lambda where, k: hot(np.maximum(where, 0), k).sum(0), misses),
        Slip("misses-counted", lambda where, k: hot(where % np.where(where < 0, k, k + 99), k).sum(0), misses),
        Slip("one-too-many", lambda where, k: hot(where, k + 1).sum(0), "There are `k` pixels: 0 to `k - 1`."),
        Slip(
            "pixels-from-one", lambda where, k: hot(where - 1, k).sum(0), "The pixels are 0 to `k - 1`, not 1 to `k`."
        ),
        Slip("hit-or-not", lambda where, k: hot(where, k).any(0), "That says whether a pixel was hit, not how often."),
        Slip("one-number", lambda where, k: hot(where, k).sum(), total),
        Slip("not-summed", hot, "That is a row for each photon still. Sum over the photons."),
        Slip("hits-below", lambda where, k: ((where[:, None] >= 0) & (where[:, None] <= np.arange(k))).sum(0), up_to),
        Slip("hits-below", lambda where, k: (where[:, None] <= np.arange(k)).sum(0), up_to),
        Slip("numbers-added", lambda where, k: (hot(where, k) * where[:, None]).sum(0), sums),
    ]
    expect_spec(answer, occurrences, labelled(rng), slips)
    expect_for_many(answer, occurrences, far_labels(rng))


@right("count-hits")
def ones_times_the_mask(where, k):
    return (where * 0 + 1) @ (where[:, None] == jnp.arange(k))


@right("count-hits")
def edges_apart(where, k):
    below = (where[:, None] < jnp.arange(k + 1)).sum(axis=0)
    return below[1:] - below[:-1]


@right("count-hits")
def rows_added_by_python(where, k):
    return sum(where[:, None] == jnp.arange(k), 0 * jnp.arange(k))


@wrong("count-hits", "misses-counted")
def with_bincount(where, k):
    return jnp.bincount(where, length=k)


@wrong("count-hits", "not-a-primitive")
def with_count_nonzero(where, k):
    return jnp.count_nonzero(where[:, None] == jnp.arange(k), axis=0)


@wrong("count-hits", "sum-over-pixels")
def sums_the_other_axis(where, k):
    return (where[:, None] == jnp.arange(k)).sum(1)


@wrong("count-hits", "loops")
def pixel_by_pixel(where, k):
    return [(where == j).sum() for j in jnp.arange(k)]


@wrong("count-hits", "one-number")
def counts_everything(where, k):
    return (where[:, None] == jnp.arange(k)).sum()


@wrong("count-hits", "hit-or-not")
def asks_whether(where, k):
    return (where[:, None] == jnp.arange(k)).sum(axis=0) > 0


@wrong("count-hits", "misses-counted")
def puts_misses_into_the_last(where, k):
    return (jnp.where(where >= k, k - 1, where)[:, None] == jnp.arange(k)).sum(0)


@wrong("count-hits", "one-too-many")
def a_pixel_too_many(where, k):
    return (where[:, None] == jnp.arange(k + 1)).sum(0)


@wrong("count-hits", "pixels-from-one")
def pixels_from_one(where, k):
    return (where[:, None] == jnp.arange(1, k + 1)).sum(0)


@wrong("count-hits", "not-summed")
def returns_the_rows(where, k):
    return (where[:, None] == jnp.arange(k)) * 1


@wrong("count-hits", "hits-below")
def counts_up_to(where, k):
    return ((where[:, None] >= 0) & (where[:, None] <= jnp.arange(k))).sum(axis=0)


@wrong("count-hits", "numbers-added")
def adds_the_numbers(where, k):
    return jnp.where(where[:, None] == jnp.arange(k), where[:, None], 0).sum(axis=0)


@wrong("count-hits", "counterexample")
def counts_twice(where, k):
    return 2 * (where[:, None] == jnp.arange(k)).sum(axis=0)


# -- sort-by-counting -------------------------------------------------------------------------------------------


def in_order(a):
    """The oracle: not the loops of the text."""
    return sorted(a)


def gathered(place, a):
    """What comes out where some places are taken for those of the elements: shared ones add up, the others stay 0."""
    return (place == np.arange(len(a))[:, None]) @ a


@exercise(
    "sort-by-counting",
    points=2,
    see="sorting",
    hint=[
        "The condition inside both loops is a mask over `i` and `j`. Which elements does each `|` and `&` compare?",
        "`place` is the mask, summed over `j`. It says where each element goes.",
        "Compare the places, a row, with all places, a column: then `@`.",
    ],
    without=[Rules()],
)
def sort_by_counting(answer, rng):
    # The first differs for every mistake below; the others are few distinct numbers, no two equal ones, all equal ones.
    fixed = [[5, 1, 4, 1, 3], [2, 2, -1, 2, -1], [-1, 0, 3, 8, 9], [7, 7, 7, 7, 7], [0, -5, 3, 0, -5]]
    # A key of value and position fails where two elements happen to get the same one: so every vector of few numbers.
    every = [*itertools.product((-1, 0, 1), repeat=2), *itertools.product((-1, 0, 1), repeat=3)]
    cases = [*vectors(rng), *((np.array(numbers, np.int32),) for numbers in [*every, *fixed])]
    backwards = "You took `a[place]`. But `place[i]` says where `a[i]` goes, and brackets say where it comes from."
    ties = "Equal elements share a place and are added up there, so another place stays empty: let `j < i` decide."
    itself = "Each element was counted among those before it, so all places are one too far: `j < i`, without equality."
    slips = [
        Slip("places-read-backwards", lambda a: a[np.argsort(np.argsort(a, kind="stable"))], backwards),
        Slip("ties-share-a-place", lambda a: gathered((a < a[:, None]).sum(1), a), ties),
        Slip("ties-share-a-place", lambda a: gathered((a <= a[:, None]).sum(1) - 1, a), ties),
        Slip("falling", lambda a: -np.sort(-a), "They fall. The place of an element is the number of *smaller* ones."),
        Slip(
            "places-returned",
            lambda a: np.argsort(np.argsort(a, kind="stable")),
            "Those are the places. The elements should stand there.",
        ),
        Slip("counts-itself", lambda a: np.append(0, np.sort(a)[:-1]), itself),
        Slip("counts-itself", lambda a: gathered((a <= a[:, None]).sum(1), a), itself),
    ]
    expect_spec(answer, in_order, cases, slips)
    # So many, and so different ones, that no constant makes a key or a list of all numbers.
    expect_for_many(answer, in_order, [(rng.integers(-200, 201, 1030).astype(np.int32),)])


@right("sort-by-counting")
def by_a_key_without_ties(a):
    i = jnp.arange(len(a))
    key = a * len(a) + i
    place = (key < key[:, None]).sum(axis=1)
    return jnp.where(place[:, None] == i, a[:, None], 0).sum(axis=0)


@right("sort-by-counting")
def fetches_from_where_it_comes(a):
    j = jnp.arange(a.size)
    i = j[:, None]
    place = jnp.where(j < i, a <= a[:, None], a < a[:, None]).sum(axis=1)
    return a[((place[:, None] == j) * i).sum(axis=0)]


@wrong("sort-by-counting", "not-a-primitive")
def with_sort(a):
    return jnp.sort(a)


@wrong("sort-by-counting", "not-a-primitive")
def writes_to_the_places(a):
    i = jnp.arange(len(a))
    before = (a < a[:, None]) | ((a == a[:, None]) & (i < i[:, None]))
    return a.at[before.sum(axis=1)].set(a)


@wrong("sort-by-counting", "loops")
def writes_each_to_its_place(a):
    result = 0 * a
    for i in range(len(a)):
        place = (a < a[i]).sum() + (a[:i] == a[i]).sum()
        result = result.at[place].set(a[i])
    return result


@wrong("sort-by-counting", "places-read-backwards")
def takes_from_the_places(a):
    i = jnp.arange(len(a))
    before = (a < a[:, None]) | ((a == a[:, None]) & (i < i[:, None]))
    return a[before.sum(1)]


@wrong("sort-by-counting", "ties-share-a-place")
def forgets_the_ties(a):
    i = jnp.arange(len(a))
    place = (a < a[:, None]).sum(1)
    return (place == i[:, None]) @ a


@wrong("sort-by-counting", "ties-share-a-place")
def counts_ties_and_takes_one_away(a):
    i = jnp.arange(len(a))
    place = (a <= a[:, None]).sum(1) - 1
    return (place == i[:, None]) @ a


@wrong("sort-by-counting", "counterexample")
def makes_a_key_with_too_little_room(a):
    i = jnp.arange(len(a))
    key = a * (len(a) - 1) + i
    place = (key < key[:, None]).sum(1)
    return (place == i[:, None]) @ a


@wrong("sort-by-counting", "counterexample")
def makes_a_key_for_a_thousand(a):
    i = jnp.arange(len(a))
    key = a * 1000 + i
    return ((key < key[:, None]).sum(1) == i[:, None]) @ a


@wrong("sort-by-counting", "counterexample")
def counts_the_numbers_of_one_digit(a):
    number, i = jnp.arange(-9, 10), jnp.arange(len(a))
    return ((a[:, None] <= number).sum(0) <= i[:, None]).sum(1) - 9


@wrong("sort-by-counting", "falling")
def counts_the_larger(a):
    i = jnp.arange(len(a))
    before = (a > a[:, None]) | ((a == a[:, None]) & (i < i[:, None]))
    return (before.sum(1) == i[:, None]) @ a


@wrong("sort-by-counting", "counts-itself")
def counts_the_element_itself(a):
    i = jnp.arange(len(a))
    place = ((a < a[:, None]) | ((a == a[:, None]) & (i <= i[:, None]))).sum(1)
    return (place == i[:, None]) @ a


@wrong("sort-by-counting", "places-returned")
def returns_the_places(a):
    i = jnp.arange(len(a))
    return ((a < a[:, None]) | ((a == a[:, None]) & (i < i[:, None]))).sum(1)


@wrong("sort-by-counting", "truth-value")
def forgets_brackets(a):
    i = jnp.arange(len(a))
    before = (a < a[:, None]) | (a == a[:, None] & i < i[:, None])
    return (before.sum(1) == i[:, None]) @ a


@wrong("sort-by-counting", "counterexample")
def sorts_without_signs(a):
    i = jnp.arange(len(a))
    size = jnp.where(a < 0, -a, a)
    before = (size < size[:, None]) | ((size == size[:, None]) & (i < i[:, None]))
    return (before.sum(1) == i[:, None]) @ a


# -- changes of solutions that are right ------------------------------------------------------------------------

accepted = [
    equivalent(
        "undo-total",
        "`jnp.where(i == 0, a, a - a[i - 1])`  ->  `(i == 0) * a + (1 - (i == 0)) * (a - a[i - 1])`",
        "whole numbers are finite",
    ),
    equivalent(
        "one-hot-rows",
        "`(labels[:, None] == jnp.arange(k)) * 1`  ->  `(labels[:, None] == jnp.arange(k)) / 1`",
        "the dtype is free",
    ),
    equivalent(
        "one-hot-rows",
        "`(labels[:, None] == jnp.arange(k)) * 1`  ->  `labels[:, None] == jnp.arange(k)`",
        "`True` counts as 1",
    ),
]
