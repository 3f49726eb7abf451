"""Checks of lesson 12, Autodiff: what is asked, what people get wrong, and what each mistake is told."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from jaxcourse import probe
from jaxcourse.exercise import close, equivalent, exercise, expect, numbers, refuse, require, right, wrong
from jaxcourse.prediction import Mistake, any_of, prediction


def always(got, slip, true, rtol=None):
    """Whether each of several results is what a slip gives, on at least two inputs on which the slip is wrong."""
    telling = sum(not close(s, t, rtol=rtol) for s, t in zip(slip, true, strict=True))
    return telling >= 2 and all(close(g, s, rtol=rtol) for g, s in zip(got, slip, strict=True))


def float32(rng, shape, low=-2.0, high=2.0):
    """Random numbers as JAX will see them."""
    return rng.uniform(low, high, shape).astype(np.float32)


# -- curvature-everywhere ---------------------------------------------------------------------------------------


def curvatures(student_function, f, unit, xs):
    """What comes back for a function with a name, and whether that function was given a whole array."""
    whole = []

    def cubic(t):
        whole.extend([True] * (jnp.ndim(t) > 0))
        return ((0.75 * t - 1.5) * t + 0.5) * t

    def ripple(t):
        whole.extend([True] * (jnp.ndim(t) > 0))
        return jnp.sin(2.0 * t) * jnp.exp(-0.5 * t)

    def swing(t):
        whole.extend([True] * (jnp.ndim(t) > 0))
        return jnp.sin((2.0 / unit) * t) + 3.0 * jnp.cos((1.0 / unit) * t)  # a unit is a power of 2

    def level(t):  # is 2 everywhere, and has derivatives that no difference of its values shows
        still = jax.lax.stop_gradient(t)
        return 2.0 + (t - still) * still**2 + (t - still) ** 2 * still

    function = {"cubic": cubic, "ripple": ripple, "swing": swing, "level": level}[f]
    try:
        results = [student_function(function, x) for x in probe.on_device(xs)]
    except Exception:
        if not whole:
            raise
        results = [None]
    stray = [type(result).__name__ for result in results if not isinstance(result, (jax.Array, np.ndarray))]
    return {"whole": bool(whole), "stray": "".join(stray[:1]), "results": results}


def curvature(f, unit, x):
    """The oracle: the second derivatives, by hand."""
    x = np.asarray(x, np.float64) / unit
    if f == "cubic":
        return 2 * -1.5 + 6 * 0.75 * x
    if f == "swing":
        return -(4 * np.sin(2 * x) + 3 * np.cos(x)) / unit**2
    return np.exp(-0.5 * x) * (-3.75 * np.sin(2 * x) - 2 * np.cos(2 * x))


def slope(f, unit, x):
    x = np.asarray(x, np.float64) / unit
    if f == "cubic":
        return 0.5 - 3 * x + 2.25 * x**2
    if f == "swing":
        return (2 * np.cos(2 * x) - 3 * np.sin(x)) / unit
    return np.exp(-0.5 * x) * (2 * np.cos(2 * x) - 0.5 * np.sin(2 * x))


@exercise(
    "curvature-everywhere",
    see="what-grad-returns",
    hint=[
        "Forget the array at first: what is the second derivative at one number?",
        "`jax.grad` twice makes a function of one number. `jax.vmap` maps a function over an array.",
    ],
)
def curvature_everywhere(answer, rng):
    drawn = [("ripple", 1.0, 5), ("cubic", 1.0, 5), ("cubic", 1.0, 1)]
    drawn += [("swing", unit, 5) for unit in (2.0**-10, 1.0, 2.0**10)]  # no step of a difference serves all three
    widths = {"ripple": 1, "cubic": 30, "swing": 1}
    cases = [
        (f, unit, [unit * (1000 * (f == "swing") + float32(rng, n) * np.float32(widths[f])) for _ in range(2)])
        for f, unit, n in drawn
    ]
    found = [answer.probe(curvatures, *case) for case in cases]
    answer.called = "curvature_everywhere(f, x)"
    message = "`f` was given a whole array. It takes one number: differentiate it first, and map the result."
    refuse(any(facts["whole"] for facts in found), "given-a-whole-array", message)
    stray = next((facts["stray"] for facts in found if facts["stray"]), "")
    refuse(stray == "NoneType", "returned-nothing", "`None` came back. Does the function end in a `return`?")
    refuse(stray, "not-an-array", f"An array was asked for, but an object of type `{stray}` came back.")
    got = [numbers(result) for facts in found for result in facts["results"]]
    want = [curvature(f, unit, x) for f, unit, xs in cases for x in xs]
    slopes = [slope(f, unit, x) for f, unit, xs in cases for x in xs]
    slips = {
        "first-derivative": (slopes, "That is the first derivative: differentiate once more."),
        "squared": ([d**2 for d in slopes], "The second derivative is not a square: take `grad` of `grad`."),
        "added-up": ([c.sum() for c in want], "One number came back: there is a second derivative for each element."),
        "square-matrix": (
            list(map(np.diag, want)),
            "A square matrix came back: the second derivatives are its diagonal, and the rest is wasted.",
        ),
    }
    for label, (slip, message) in slips.items():
        refuse(always(got, slip, want, rtol=1e-4), label, message)
    if not all(close(g, w, rtol=1e-4) for g, w in zip(got, want, strict=True)):
        level = answer.probe(curvatures, "level", 1.0, [float32(rng, 5, 0.5, 2.0) for _ in range(2)])["results"]
        message = (
            "You never differentiate `f`, you compare its values. In `float32`, few digits are left in their "
            "differences: use `jax.grad` twice, which needs no step."
        )
        silent = all(np.shape(each) == (5,) and not np.any(each) for each in level)
        refuse(silent and all(np.any(g) for g in got[:4]), "differences-of-values", message)
    message = (
        "The first digits are right near 0; where `f` changes faster, or `x` is large, the result is wrong, as with a "
        "difference of two slopes. Differentiate twice: a derivative needs no step."
    )
    finite = all(g.shape == w.shape and np.isfinite(g).all() for g, w in zip(got, want, strict=True))
    near = finite and all(close(g, w, rtol=1e-2) for g, w in zip(got[:2], want[:2], strict=True))
    far = all(close(g, w, rtol=1e-4) for g, w in zip(got[-6:], want[-6:], strict=True))
    refuse(near and not far, "differences-of-slopes", message)
    for (f, _, n), mine, true in zip(np.repeat(np.array(drawn, object), 2, axis=0), got, want, strict=True):
        answer.called = f"curvature_everywhere({f}, float32[{n}])"
        expect(mine, true, "The second derivative of `f`, at each element.", rtol=1e-4)


@right("curvature-everywhere")
def one_after_the_other(f, x):
    return jnp.stack([jax.jacfwd(jax.grad(f))(t) for t in x])


@right("curvature-everywhere")
def by_two_pushes(f, x):
    def push(g):
        return lambda t: jax.jvp(g, (t,), (jnp.ones_like(t),))[1]

    return jax.lax.map(push(push(f)), x)


@wrong("curvature-everywhere", "first-derivative")
def differentiates_once(f, x):
    return jax.vmap(jax.grad(f))(x)


@wrong("curvature-everywhere", "given-a-whole-array")
def grad_of_a_sum(f, x):
    g = jax.grad(lambda x: f(x).sum())
    return jax.grad(lambda x: g(x).sum())(x)


@wrong("curvature-everywhere", "given-a-whole-array")
def forgets_to_map(f, x):
    return jax.grad(jax.grad(f))(x)


@wrong("curvature-everywhere", "square-matrix")
def hessian_of_the_sum(f, x):
    return jax.hessian(lambda x: jax.vmap(f)(x).sum())(x)


@wrong("curvature-everywhere", "added-up")
def adds_up(f, x):
    return jax.vmap(jax.grad(jax.grad(f)))(x).sum()


@wrong("curvature-everywhere", "squared")
def squares_the_slope(f, x):
    return jax.vmap(jax.grad(f))(x) ** 2


@wrong("curvature-everywhere", "not-an-array")
def a_list_of_numbers(f, x):
    return [jax.grad(jax.grad(f))(t) for t in x]


@wrong("curvature-everywhere", "returned-nothing")
def no_return(f, x):
    jax.vmap(jax.grad(jax.grad(f)))(x)


@wrong("curvature-everywhere", "differences-of-slopes")
def differences_of_slopes(f, x):
    slope, h = jax.vmap(jax.grad(f)), 1e-2
    return (slope(x + h) - slope(x - h)) / (2 * h)


@wrong("curvature-everywhere", "wrong-value")
def takes_half_of_it(f, x):
    return jax.vmap(jax.hessian(f))(x) / 2


@wrong("curvature-everywhere", "differences-of-values")
def differences_in_float32(f, x):
    h = 1e-3
    g = jax.vmap(f)
    return (g(x + h) - 2 * g(x) + g(x - h)) / h**2


# -- shapes-of-derivatives --------------------------------------------------------------------------------------


def true_shapes():
    """The shapes, asked of JAX."""
    w, p = jnp.ones(3), {"a": jnp.ones(2), "b": jnp.ones(4)}

    def f(w):
        return jnp.sin(w).prod()

    def g(w):
        return jnp.sin(jnp.ones((5, 3)) @ w)

    def loss(p):
        return p["a"].prod() * p["b"].prod()

    return {
        "jax.grad(f)(w)": jax.grad(f)(w).shape,
        "jax.hessian(f)(w)": jax.hessian(f)(w).shape,
        "jax.jacrev(g)(w)": jax.jacrev(g)(w).shape,
        "jax.jvp(g, (w,), (w,))[1]": jax.jvp(g, (w,), (w,))[1].shape,
        "jax.vjp(g, w)[1](g(w))[0]": jax.vjp(g, w)[1](g(w))[0].shape,
        'jax.grad(loss)(p)["a"]': jax.grad(loss)(p)["a"].shape,
        'jax.hessian(loss)(p)["a"]["b"]': jax.hessian(loss)(p)["a"]["b"].shape,
        "jax.hessian(g)(w)": jax.hessian(g)(w).shape,
    }


shapes_of_derivatives = prediction(
    "shapes-of-derivatives",
    see="push-and-pull",
    hint=[
        "For the derivative of one thing with respect to another: first the axes of the one, then those of the other.",
        "`jvp` and `vjp` do not return a Jacobian. They return its product with a vector.",
    ],
    truth=true_shapes,
    mistakes=[
        Mistake(
            "jacobian-transposed",
            {"jax.jacrev(g)(w)": (3, 5)},
            "Rows are results and columns are arguments, whichever direction the Jacobian is computed in.",
        ),
        Mistake(
            "jacobian-for-a-product",
            [
                {"jax.jvp(g, (w,), (w,))[1]": any_of((5, 3), (3, 5))},
                {"jax.vjp(g, w)[1](g(w))[0]": any_of((5, 3), (3, 5))},
            ],
            "`jvp` and `vjp` multiply by the Jacobian and never make it: a vector goes in, and a vector comes out.",
        ),
        Mistake(
            "tuple-counted",
            [{"jax.vjp(g, w)[1](g(w))[0]": any_of((1, 3), ())}],
            "`vjp` gives a tuple with an entry for each argument, and `[0]` takes the entry out of it.",
        ),
        Mistake(
            "directions-swapped",
            [{"jax.jvp(g, (w,), (w,))[1]": (3,)}, {"jax.vjp(g, w)[1](g(w))[0]": (5,)}],
            "A tangent is pushed from argument to result; a cotangent is pulled from result to argument.",
        ),
        Mistake(
            "gradient-of-everything",
            {'jax.grad(loss)(p)["a"]': any_of((6,), (2, 4), ())},
            "A gradient has the structure of the argument: the entry `a` has the shape of `a`.",
        ),
        Mistake(
            "blocks-swapped",
            {'jax.hessian(loss)(p)["a"]["b"]': (4, 2)},
            "The first key says whose gradient it is, so its axes come first.",
        ),
        Mistake(
            "one-block-for-all",
            {'jax.hessian(loss)(p)["a"]["b"]': any_of((6, 6), (2, 2), (4, 4))},
            "The Hessian of a dictionary is cut into blocks, and this one belongs to `a` and `b`.",
        ),
        Mistake(
            "second-derivative-lost",
            {"jax.hessian(f)(w)": (3,)},
            "There is a second derivative for each *pair* of numbers in the argument, and not only for each number.",
        ),
        Mistake(
            "results-lost",
            {"jax.hessian(g)(w)": any_of((3, 3), (5, 3))},
            "`g` has five results, and each of them has a matrix of second derivatives.",
        ),
        Mistake(
            "results-last",
            {"jax.hessian(g)(w)": any_of((3, 3, 5), (3, 5, 3))},
            "The axes of the result come first, and each derivative adds those of the argument behind them.",
        ),
    ],
    otherwise="First the shape of the result, then that of the argument, once for each derivative.",
)

# -- count-the-sweeps -------------------------------------------------------------------------------------------

count_the_sweeps = prediction(
    "count-the-sweeps",
    see="which-way",
    hint=[
        "Forwards, one pass gives one column of the Jacobian. Backwards, one pass gives one row.",
        "A loss has one result. And a product with one vector needs no matrix.",
    ],
    mistakes=[
        Mistake(
            "run-counted",
            [
                {"gradient, 1000 parameters, backwards": 2, "gradient, 1000 parameters, forwards": 1001},
                {"one row of that Jacobian, backwards": 2},
            ],
            "Count the tangents or the cotangents. The run of the function itself goes along with the first of them.",
        ),
        Mistake(
            "directions-swapped",
            [
                {
                    "Jacobian, 3 parameters, 500 results, forwards": 500,
                    "Jacobian, 3 parameters, 500 results, backwards": 3,
                },
                {"gradient, 1000 parameters, backwards": 1000, "gradient, 1000 parameters, forwards": 1},
            ],
            "A tangent is a direction in the space of the *parameters*: going forwards, they are what is counted.",
        ),
        Mistake(
            "forwards-is-free",
            {"gradient, 1000 parameters, forwards": 1},
            "One pass forwards moves in one direction, and gives one of the 1000 derivatives.",
        ),
        Mistake(
            "gradient-one-by-one",
            {"gradient, 1000 parameters, backwards": 1000},
            "Backwards, one pass reaches all the parameters at once: a loss has one result.",
        ),
        Mistake(
            "both-counted",
            [
                {"Jacobian, 3 parameters, 500 results, forwards": any_of(1500, 503)},
                {"Jacobian, 3 parameters, 500 results, backwards": any_of(1500, 503)},
            ],
            "One pass gives a whole column, or a whole row: count the columns, or count the rows.",
        ),
        Mistake(
            "whole-matrix-for-a-part",
            [
                {"one column of that Jacobian, forwards": any_of(3, 500)},
                {"one row of that Jacobian, backwards": any_of(3, 500)},
            ],
            "One column is what one tangent gives, and one row is what one cotangent gives.",
        ),
        Mistake(
            "one-for-each-element",
            {"Hessian, 50 parameters, forwards over the gradient": any_of(2500, 100, 1275, 25)},
            "One push through the gradient gives one whole column of the Hessian, and there are 50 columns.",
        ),
        Mistake(
            "hessian-made-first",
            {"Hessian times a vector, 50 parameters, forwards over it": any_of(50, 51, 2500)},
            "The vector is the tangent: one push through the gradient gives the product, without the matrix.",
        ),
    ],
    otherwise="Forwards one for each parameter that moves, backwards one for each result.",
)

# -- hessian-as-matrix ------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def matrix_found(student_function, params, mixing, pitch, unit):
    """The Hessians that an answer gives for a loss of which all is known, or the type of what came back."""

    half, height = np.float32(unit / 2) * mixing, np.full(len(pitch), unit, np.float32)

    def loss(params):
        v = jnp.concatenate([jnp.ravel(params[key]) for key in sorted(params)])
        return v @ (half @ v) + height @ jnp.cos(pitch * v)

    results = [  # one by one: a tree's keys would be sorted
        student_function(loss, {key: probe.on_device(np.asarray(sign * value)) for key, value in params.items()})
        for sign in (1, -40)
    ]
    if isinstance(results[0], dict):
        return {"type": "dict"}
    return {"type": type(results[0]).__name__, "matrices": results}


def second_derivatives(params, mixing, pitch):
    """The oracle: of half of v M v, and of the sum of cos(pitch v)."""
    v = np.concatenate([np.ravel(params[key]) for key in sorted(params)]).astype(np.float64)
    mixing, pitch = np.asarray(mixing, np.float64), np.asarray(pitch, np.float64)
    return (mixing + mixing.T) / 2 - np.diag(pitch**2 * np.cos(pitch * v))


def places(params):
    """For each number, in the order of the keys as written, its place in the sorted order; and its key."""
    keys = np.concatenate([[key] * np.size(params[key]) for key in sorted(params)])
    return np.concatenate([np.flatnonzero(keys == key) for key in params]), keys


def drawn_losses(rng):
    """Dictionaries whose keys are not sorted, with arrays of every rank, and one with a single number."""
    all_shapes = [
        {"width": (2, 2), "height": (), "centre": (2, 3)},
        {"t": (1,)},
    ]
    for shapes in all_shapes:
        params = {key: float32(rng, shape) for key, shape in shapes.items()}
        n = sum(np.size(value) for value in params.values())
        yield params, float32(rng, (n, n)), float32(rng, n, 0.5, 1.5)


@exercise(
    "hessian-as-matrix",
    points=2,
    see="which-way",
    hint=[
        "`jax.hessian` of a function of one vector is one matrix. Make `loss` such a function.",
        "`flat, restore = ravel_pytree(params)`: `restore(flat)` is the dictionary again.",
    ],
)
def hessian_as_matrix(answer, rng):
    cases = list(drawn_losses(rng))
    for case in cases:
        facts = answer.probe(matrix_found, *case, 1.0)
        params, *rest = case
        wants = [second_derivatives({key: sign * v for key, v in params.items()}, *rest) for sign in (1, -40)]
        answer.called = "hessian_as_matrix(loss, {" + ", ".join(f"'{k}': float32{v.shape}" for k, v in case[0].items())
        answer.called += "})"
        message = "A dictionary of blocks came back. One matrix was asked for, so that it can be inverted as a whole."
        refuse(facts["type"] == "dict", "blocks", message)
        for got, want, sign in zip(map(numbers, facts["matrices"]), wants, (1, -40), strict=True):
            message = "One row came back: the diagonal, or the gradient. The derivatives for *pairs* are missing."
            refuse(got.ndim == 1 and got.size == len(want), "one-row", message)
            _judge_order(got, want, params)
            _judge_other_matrices(got, want, {key: sign * v for key, v in params.items()}, *rest)
            expect(got, want, "The second derivatives by each pair of numbers.", rtol=1e-4)
    (small, *rest), unit = cases[0], 1e-6
    facts = answer.probe(matrix_found, small, *rest, unit)
    answer.called = "hessian_as_matrix(lambda params: 1e-6 * loss(params), params)"
    message = (
        "For a millionth of the loss the Hessian should be a millionth. Was something of a fixed size added, or was "
        "the program of the other loss kept?"
    )
    want = unit * second_derivatives(small, *rest)
    expect(facts["matrices"][0], want, message, label="other-unit", rtol=1e-4)


def _judge_order(got, want, params):
    if got.shape != want.shape or len(want) == 1:
        return
    order, keys = places(params)
    message = "The blocks are right, but in the order in which the keys were written: `ravel_pytree` sorts them."
    refuse(not close(got, want) and close(got, want[np.ix_(order, order)], rtol=1e-3), "not-sorted", message)
    own = np.where(keys[:, None] == keys, want, 0)
    message = "Between different entries there are only zeros: their second derivatives are in the other blocks."
    refuse(close(got, own, rtol=1e-3), "own-blocks-only", message)
    message = "Only the diagonal is there: each number has a second derivative with every other one."
    refuse(close(got, np.diag(np.diag(want)), rtol=1e-3), "diagonal-only", message)
    message = "That is the inverse of the Hessian: the Hessian itself was asked for."
    refuse(close(got @ want, np.eye(len(want)), rtol=1e-2), "inverted", message)


def _judge_other_matrices(got, want, params, mixing, pitch):
    if got.shape != want.shape or len(want) == 1:
        return
    v = np.concatenate([np.ravel(params[key]) for key in sorted(params)]).astype(np.float64)
    mixing, pitch = np.asarray(mixing, np.float64), np.asarray(pitch, np.float64)
    gradient = (mixing + mixing.T) @ v / 2 - pitch * np.sin(pitch * v)
    message = "That is the gradient times itself, for each pair. The Hessian takes the derivative of the gradient."
    refuse(close(got, np.outer(gradient, gradient), rtol=1e-3), "gradient-squared", message)
    _, keys = places(params)
    ends = [np.flatnonzero(keys == key) for key in sorted(params)]
    piled = np.concatenate([want[np.ix_(a, b)].ravel() for a in ends for b in ends]).reshape(want.shape)
    message = "Each block was flattened, and the rows were cut up again: a block spans several rows of the matrix."
    refuse(not close(got, want, rtol=1e-4) and close(got, piled, rtol=1e-3), "blocks-piled-up", message)
    by_column = [places_by_column(np.shape(params[key])) + a[0] for key, a in zip(sorted(params), ends, strict=True)]
    by_column = np.concatenate(by_column)
    turned = want[np.ix_(by_column, by_column)]
    message = "The arrays are taken column by column. `ravel_pytree` takes them row by row."
    refuse(not close(got, want, rtol=1e-4) and close(got, turned, rtol=1e-3), "column-by-column", message)


def places_by_column(shape):
    """Where the elements of an array, taken column by column, stand when it is taken row by row."""
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).ravel(order="F")


@right("hessian-as-matrix")
def blocks_put_together(loss, params):
    blocks, keys = jax.hessian(loss)(params), sorted(params)
    rows = [jnp.concatenate([blocks[i][j].reshape(params[i].size, params[j].size) for j in keys], axis=1) for i in keys]
    return jnp.concatenate(rows)


@right("hessian-as-matrix")
def column_by_column(loss, params):
    flat, restore = ravel_pytree(params)
    gradient = jax.grad(lambda v: loss(restore(v)))
    columns = [jax.jvp(gradient, (flat,), (unit,))[1] for unit in jnp.eye(flat.size)]
    return np.stack(columns, axis=1)


@wrong("hessian-as-matrix", "other-unit")
def adds_a_little_to_the_diagonal(loss, params):
    flat, restore = ravel_pytree(params)
    return jax.hessian(lambda vector: loss(restore(vector)))(flat) + 1e-6 * jnp.eye(flat.size)


@wrong("hessian-as-matrix", "blocks")
def returns_the_blocks(loss, params):
    return jax.hessian(loss)(params)


@wrong("hessian-as-matrix", "not-sorted")
def in_the_order_of_writing(loss, params):
    blocks = jax.hessian(loss)(params)
    rows = [
        jnp.concatenate([blocks[i][j].reshape(params[i].size, params[j].size) for j in params], axis=1) for i in params
    ]
    return jnp.concatenate(rows)


@wrong("hessian-as-matrix", "own-blocks-only")
def keeps_the_own_blocks(loss, params):
    blocks = jax.hessian(loss)(params)
    own = [blocks[key][key].reshape(params[key].size, params[key].size) for key in sorted(params)]
    return jax.scipy.linalg.block_diag(*own)


@wrong("hessian-as-matrix", "diagonal-only")
def keeps_the_diagonal(loss, params):
    flat, restore = ravel_pytree(params)
    matrix = jax.hessian(lambda v: loss(restore(v)))(flat)
    return jnp.diag(jnp.diag(matrix))


@wrong("hessian-as-matrix", "one-row")
def returns_the_gradient(loss, params):
    flat, restore = ravel_pytree(params)
    return jax.grad(lambda v: loss(restore(v)))(flat)


@wrong("hessian-as-matrix", "inverted")
def inverts_it(loss, params):
    flat, restore = ravel_pytree(params)
    return jnp.linalg.inv(jax.hessian(lambda v: loss(restore(v)))(flat))


@wrong("hessian-as-matrix", "blocks-piled-up")
def piles_the_blocks(loss, params):
    n = ravel_pytree(params)[0].size
    return ravel_pytree(jax.hessian(loss)(params))[0].reshape(n, n)


@wrong("hessian-as-matrix", "column-by-column")
def takes_columns(loss, params):
    keys = sorted(params)
    sizes = [params[key].size for key in keys]

    def of_one(v):
        parts = jnp.split(v, np.cumsum(sizes)[:-1])
        return loss({key: part.reshape(params[key].shape, order="F") for key, part in zip(keys, parts, strict=True)})

    return jax.hessian(of_one)(jnp.concatenate([params[key].ravel(order="F") for key in keys]))


@wrong("hessian-as-matrix", "wrong-value")
def differences_of_the_gradient(loss, params):
    flat, restore = ravel_pytree(params)
    gradient = jax.grad(lambda v: loss(restore(v)))
    return jnp.stack([(gradient(flat + u) - gradient(flat - u)) / 2e-3 for u in jnp.eye(flat.size) * 1e-3])


@wrong("hessian-as-matrix", "gradient-squared")
def squares_the_gradient(loss, params):
    flat, restore = ravel_pytree(params)
    gradient = jax.grad(lambda v: loss(restore(v)))(flat)
    return jnp.outer(gradient, gradient)


# -- hessian-times-vector ---------------------------------------------------------------------------------------


@probe.question(evidence="values")
def product_found(student_function, params, direction, weights, unit):
    """The products at two places as vectors, or what they are instead."""

    height, root = np.float32(unit) * weights, np.float32((unit / 2) ** 0.5) * weights

    def loss(params):
        v = jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves(params)])
        return height @ jnp.cos(v) + (root @ v) ** 2

    facts = {"same": True, "pair": False, "tuple": False, "number": False, "vectors": []}
    for sign in (1, -40):
        at = probe.on_device(jax.tree.map(lambda x, sign=sign: np.asarray(sign * x), params))
        along = probe.on_device(jax.tree.map(np.asarray, direction))
        result = student_function(loss, at, along)
        form, shapes = jax.tree.structure(result), jax.tree.map(jnp.shape, result)
        facts["same"] &= form == jax.tree.structure(at) and shapes == jax.tree.map(jnp.shape, at)
        facts["pair"] |= form == jax.tree.structure((at, at))
        facts["tuple"] |= form == jax.tree.structure((at,))
        facts["number"] |= form == jax.tree.structure(0) and jnp.shape(result) == ()
        if facts["same"]:
            facts["vectors"].append(np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(result)]))
    return facts


def largest_made(student_function, params, direction):
    """The number of elements of the largest array in the answer's jaxpr."""

    def loss(params):
        v = jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves(params)])
        return jnp.sum(jnp.cos(v)) + 0.5 * jnp.sum(v) ** 2

    traced = jax.make_jaxpr(lambda p, d: student_function(loss, p, d))(params, direction)
    made = [v.aval.shape for equation in probe.equations(traced) for v in equation.outvars if hasattr(v.aval, "shape")]
    made += [jnp.shape(constant) for constant in traced.consts]
    return max((int(np.prod(shape)) for shape in made), default=0)


def in_a_row(tree):
    """A pytree as one vector in float64."""
    return np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(tree)]).astype(np.float64)


def multiplied(v, d, w):
    """The oracle: the Hessian is w w' minus the diagonal of w cos(v)."""
    return w * (w @ d) - w * np.cos(v) * d


def leaf_by_leaf(params, v, d, w):
    """The product with the blocks of each leaf with itself."""
    leaf = np.concatenate([[place] * np.size(x) for place, x in enumerate(jax.tree.leaves(params))])
    matrix = np.where(leaf[:, None] == leaf, np.outer(w, w), 0)
    return matrix @ d - w * np.cos(v) * d


def trees(rng, shapes):
    """A place and a direction of one structure."""
    return [
        jax.tree.map(lambda shape: float32(rng, shape), shapes, is_leaf=lambda node: type(node) is tuple)
        for _ in range(2)
    ]


def drawn_directions(rng):
    """Places, directions and weights: a dictionary, a list with a dictionary in it, and a bare array."""
    for shapes in ({"b": (2, 2), "a": ()}, [(3,), {"c": (1, 2)}], (5,)):
        yield *trees(rng, shapes), float32(rng, 5, 0.2, 1.0)


@exercise(
    "hessian-times-vector",
    points=2,
    see="which-way",
    hint=[
        "The Hessian is the Jacobian of the gradient. What multiplies by a Jacobian without making it?",
        "`jax.jvp(jax.grad(loss), ...)`: with tuples, and it returns a pair.",
    ],
)
def hessian_times_vector(answer, rng):
    drawn = list(drawn_directions(rng))
    found = [answer.probe(product_found, *case, 1.0) for case in drawn]
    answer.called = "hessian_times_vector(loss, params, direction)"
    message = "Two trees came back: `jvp` returns the value, which is the gradient, and then the product."
    refuse(any(facts["pair"] for facts in found), "both-returned", message)
    message = "A tuple with one entry came back. `vjp` gives one entry for each argument: take it out of the tuple."
    refuse(any(facts["tuple"] for facts in found), "still-in-a-tuple", message)
    message = "One number came back. The product of a matrix and a vector is a vector, here in the form of `params`."
    refuse(any(facts["number"] for facts in found), "one-number", message)
    message = "The result should have the structure of `params`, and the same shapes."
    require(all(facts["same"] for facts in found), "other-structure", message)
    got = [numbers(vector) for facts in found for vector in facts["vectors"]]
    cases = [(sign * in_a_row(p), in_a_row(d), np.asarray(w, float)) for p, d, w in drawn for sign in (1, -40)]
    want = [multiplied(*case) for case in cases]
    _judge_products(got, want, cases)
    twice = [params for params, _, _ in drawn for _ in range(2)]
    own = [leaf_by_leaf(params, *case) for params, case in zip(twice, cases, strict=True)]
    message = "Each leaf was multiplied by its own block alone. The Hessian has blocks between the leaves as well."
    refuse(always(got, own, want, rtol=1e-4), "leaf-by-leaf", message)
    for mine, true in zip(got, want, strict=True):
        expect(mine, true, "The Hessian times the direction, leaf by leaf.", rtol=1e-4)
    (at, along, weights), unit = drawn[0], 1e-6
    along = jax.tree.map(lambda leaf: np.asarray(leaf * np.float32(unit)), along)
    facts = answer.probe(product_found, at, along, weights, unit)
    answer.called = "hessian_times_vector(lambda params: 1e-6 * loss(params), params, a short direction)"
    message = (
        "The direction and the loss were a millionth of those before. Was something of a fixed size added, or was the "
        "program of the other loss kept?"
    )
    expect(facts["vectors"][0], unit * unit * want[0], message, label="other-unit", rtol=1e-4)
    nowhere = jax.tree.map(np.zeros_like, along)
    facts = answer.probe(product_found, at, nowhere, weights, 1.0)
    answer.called = "hessian_times_vector(loss, params, a direction of zeros)"
    message = "The Hessian times zeros is zeros. Did you divide by the length of the direction?"
    refuse(np.isnan(facts["vectors"][0]).any(), "zero-direction", message)
    expect(facts["vectors"][0], 0 * want[0], message, label="zero-direction")
    for shapes, n in (({"w": (10, 9), "b": (10,)}, 100), ((130,), 130)):
        largest = answer.probe(largest_made, *trees(rng, shapes))
        answer.called = "hessian_times_vector(loss, params, direction)"
        message = (
            f"The product is right, but for {n} parameters there is an array of {largest} elements on the way to it. "
            f"The Hessian has {n * n}: it was made, or something as large."
        )
        refuse(largest >= n * n, "matrix-made", message)


def _judge_products(got, want, cases):
    gradients = [w * (w @ v) - w * np.sin(v) for v, _, w in cases]
    message = "That is the gradient: its derivative along `direction` was asked for."
    refuse(always(got, gradients, want, rtol=1e-4), "gradient-only", message)
    products = [gradient * d for gradient, (_, d, _) in zip(gradients, cases, strict=True)]
    message = "That is the gradient times the direction, element by element: a product with the Hessian mixes them."
    refuse(always(got, products, want, rtol=1e-4), "gradient-times-direction", message)
    squared = [gradient * (gradient @ d) for gradient, (_, d, _) in zip(gradients, cases, strict=True)]
    message = "That is the gradient times its slope along `direction`: the Hessian is the derivative of the gradient."
    refuse(always(got, squared, want, rtol=1e-4), "gradient-squared", message)
    steps = [w * (w @ d) - w * (np.sin(v + d) - np.sin(v)) for v, d, w in cases]
    message = "That is how much the gradient changes over the whole of `direction`: its derivative was asked for."
    refuse(always(got, steps, want, rtol=1e-4), "whole-step", message)
    elsewhere = [w * (w @ d) - w * np.sin(d) for _, d, w in cases]
    message = "That is the gradient at `direction`. The direction is a tangent, and `params` is the place."
    refuse(always(got, elsewhere, want, rtol=1e-4), "gradient-at-the-direction", message)
    sums = [multiplied(v, np.ones_like(d), w) * d for v, d, w in cases]
    message = "The rows of the Hessian were added up before they met the direction: each entry has a factor of its own."
    refuse(always(got, sums, want, rtol=1e-4), "rows-added-up", message)
    diagonal = [(w**2 - w * np.cos(v)) * d for v, d, w in cases]
    message = "Only the diagonal of the Hessian was used: each number has a second derivative with every other one."
    refuse(always(got, diagonal, want, rtol=1e-4), "diagonal-only", message)


@right("hessian-times-vector")
def gradient_of_the_slope_along_it(loss, params, direction):
    def along(params):
        products = jax.tree.map(lambda g, d: jnp.sum(g * d), jax.grad(loss)(params), direction)
        return sum(jax.tree.leaves(products))

    return jax.grad(along)(params)


@right("hessian-times-vector")
def pulled_back(loss, params, direction):
    (product,) = jax.vjp(jax.grad(loss), params)[1](direction)
    return product


@wrong("hessian-times-vector", "other-unit")
def adds_a_little_of_the_direction(loss, params, direction):
    product = jax.jvp(jax.grad(loss), (params,), (direction,))[1]
    return jax.tree.map(lambda h, d: h + 1e-6 * d, product, direction)


@wrong("hessian-times-vector", "zero-direction")
def divides_by_the_length(loss, params, direction):
    length = jnp.linalg.norm(ravel_pytree(direction)[0])
    unit = jax.tree.map(lambda leaf: leaf / length, direction)
    product = jax.jvp(jax.grad(loss), (params,), (unit,))[1]
    return jax.tree.map(lambda leaf: length * leaf, product)


@wrong("hessian-times-vector", "matrix-made")
def makes_the_matrix(loss, params, direction):
    flat, restore = ravel_pytree(params)
    return restore(jax.hessian(lambda v: loss(restore(v)))(flat) @ ravel_pytree(direction)[0])


@wrong("hessian-times-vector", "both-returned")
def forgets_the_one(loss, params, direction):
    return jax.jvp(jax.grad(loss), (params,), (direction,))


@wrong("hessian-times-vector", "still-in-a-tuple")
def forgets_the_tuple(loss, params, direction):
    return jax.vjp(jax.grad(loss), params)[1](direction)


@wrong("hessian-times-vector", "one-number")
def slope_along_it(loss, params, direction):
    return jax.jvp(loss, (params,), (direction,))[1]


@wrong("hessian-times-vector", "gradient-only")
def takes_the_value(loss, params, direction):
    return jax.jvp(jax.grad(loss), (params,), (direction,))[0]


@wrong("hessian-times-vector", "gradient-times-direction")
def multiplies_the_gradient(loss, params, direction):
    return jax.tree.map(jnp.multiply, jax.grad(loss)(params), direction)


@wrong("hessian-times-vector", "diagonal-only")
def uses_the_diagonal(loss, params, direction):
    flat, restore = ravel_pytree(params)
    matrix = jax.hessian(lambda v: loss(restore(v)))(flat)
    return restore(jnp.diag(matrix) * ravel_pytree(direction)[0])


@wrong("hessian-times-vector", "gradient-squared")
def multiplies_the_gradient_by_its_slope(loss, params, direction):
    slope = jax.jvp(loss, (params,), (direction,))[1]
    return jax.tree.map(lambda g: g * slope, jax.grad(loss)(params))


@wrong("hessian-times-vector", "gradient-at-the-direction")
def takes_the_direction_for_the_place(loss, params, direction):
    return jax.grad(loss)(direction)


@wrong("hessian-times-vector", "whole-step")
def goes_all_the_way(loss, params, direction):
    gradient = jax.grad(loss)
    return jax.tree.map(jnp.subtract, gradient(jax.tree.map(jnp.add, params, direction)), gradient(params))


@wrong("hessian-times-vector", "leaf-by-leaf")
def one_leaf_at_a_time(loss, params, direction):
    leaves, form = jax.tree.flatten(params)
    products = []
    for place, along in enumerate(jax.tree.leaves(direction)):

        def of_one(leaf, place=place):
            return loss(jax.tree.unflatten(form, [*leaves[:place], leaf, *leaves[place + 1 :]]))

        products.append(jax.jvp(jax.grad(of_one), (leaves[place],), (along,))[1])
    return jax.tree.unflatten(form, products)


@wrong("hessian-times-vector", "rows-added-up")
def adds_up_the_rows(loss, params, direction):
    ones = jax.tree.map(jnp.ones_like, params)
    return jax.tree.map(jnp.multiply, jax.jvp(jax.grad(loss), (params,), (ones,))[1], direction)


@wrong("hessian-times-vector", "other-structure")
def returns_one_vector(loss, params, direction):
    product = jax.jvp(jax.grad(loss), (params,), (direction,))[1]
    return [ravel_pytree(product)[0]]


@wrong("hessian-times-vector", "wrong-value")
def difference_of_gradients(loss, params, direction):
    moved = jax.tree.map(lambda p, d: p + 1e-4 * d, params, direction)
    return jax.tree.map(lambda a, b: (a - b) / 1e-4, jax.grad(loss)(moved), jax.grad(loss)(params))


# -- differentiable-kepler --------------------------------------------------------------------------------------


def solve_kepler(mean, eccentricity):
    """The function of the set-up cell."""

    def newton(state):
        E, _, rounds = state
        excess = E - eccentricity * jnp.sin(E) - mean
        step = excess / (1 - eccentricity * jnp.cos(E))
        return E - step, jnp.max(jnp.abs(step)), rounds + 1

    def goes_on(state):
        _, step, rounds = state
        return (step > 1e-6) & (rounds < 50)

    start = mean + 0.85 * eccentricity * jnp.sign(mean)
    state = start, jnp.asarray(1.0, start.dtype), 0
    return jax.lax.while_loop(goes_on, newton, state)[0]


@probe.question(evidence="values")
def kepler_found(student_function, draws):
    """Values, the derivatives that come back, and a push forwards, for several draws of one shape.

    A way that does not exist gives an empty list.
    """

    def total(mean, eccentricity, weights):
        return jnp.sum(weights * student_function(mean, eccentricity))

    def pushed(mean, eccentricity, dmean, deccentricity):
        return jax.jvp(student_function, (mean, eccentricity), (dmean, deccentricity))

    facts = {"values": [], "back": [], "pushes": []}
    backwards, forwards = jax.jit(jax.grad(total, argnums=(0, 1))), jax.jit(pushed)
    alone = jax.jit(lambda mean, eccentricity: student_function(mean, eccentricity))
    draws = [[probe.on_device(np.asarray(part)) for part in draw] for draw in draws]
    try:
        facts["back"] = [list(backwards(*draw[:3])) for draw in draws]
    except ValueError as error:
        if "Reverse-mode" not in str(error):
            raise
    try:
        both = [forwards(*draw[:2], *draw[3:]) for draw in draws]
        facts["values"], facts["pushes"] = [pair[0] for pair in both], [pair[1] for pair in both]
    except TypeError as error:
        if "forward-mode" not in str(error):
            raise
        facts["values"] = [alone(*draw[:2]) for draw in draws]
    return facts


def true_anomaly(mean, eccentricity):
    """The oracle: E by halving, and its two derivatives by the equation."""
    m, e = np.asarray(mean, np.float64), np.asarray(eccentricity, np.float64)
    low, high = m - 1.0, m + 1.0
    for _ in range(80):
        middle = (low + high) / 2
        below = middle - e * np.sin(middle) < m
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low, 1 / (1 - e * np.cos(low)), np.sin(low) / (1 - e * np.cos(low))


def drawn_orbit(rng, shape):
    """Anomalies of both signs, zero and the largest; circles, and the most eccentric orbits; weights and moves."""
    mean = np.asarray(float32(rng, shape, 0.3, 3.0) * rng.choice([-1, 1], shape), np.float32)
    eccentricity = np.asarray(float32(rng, shape, 0.2, 0.9), np.float32)
    if shape:
        mean[0, :2], mean[1, 2], eccentricity[1] = (0.0, 3.0), 0.01, (0.0, 0.9, 0.9)
    return [mean, eccentricity, *(np.asarray(float32(rng, shape, *ends)) for ends in ((0.5, 2), (-2, 2), (-2, 2)))]


@exercise(
    "differentiable-kepler",
    points=3,
    see="own-rules",
    hint=[
        "Differentiate $E - e \\sin E = M$ on both sides, with dE, de and dM.",
        "`jax.custom_jvp`: the rule gets the two values and the two tangents, and returns E and dE.",
    ],
)
def differentiable_kepler(answer, rng):
    draws = [[drawn_orbit(rng, shape) for _ in range(3)] for shape in ((), (2, 3))]
    for drawn, (mean, eccentricity) in zip(draws[0], ((0.05, 0.9), (3.0, 0.9)), strict=False):
        drawn[:2] = np.float32(mean), np.float32(eccentricity)
    found = [answer.probe(kepler_found, drawn) for drawn in draws]
    cases = [draw for drawn in draws for draw in drawn]
    true = [true_anomaly(*draw[:2]) for draw in cases]
    answer.called = "differentiable_kepler(mean, eccentricity)"
    for got, (anomaly, _, _) in zip((v for facts in found for v in facts["values"]), true, strict=True):
        message = "The value itself should be the one that `solve_kepler` finds."
        expect(got, anomaly, message, label="wrong-anomaly", rtol=1e-4)
    message = "There is no way back through a `while_loop`: give the result a rule of its own."
    require(all(facts["back"] for facts in found), "no-way-back", message)
    message = "`jax.jvp` cannot use a `custom_vjp`. A `custom_jvp` serves both directions."
    require(all(facts["pushes"] for facts in found), "no-way-forwards", message)
    back = [pair for facts in found for pair in facts["back"]]
    _judge_slopes([numbers(by) for by, _ in back], [numbers(by) for _, by in back], cases, true)
    pushes = (push for facts in found for push in facts["pushes"])
    for got, (_, _, _, dm, de), (_, by_mean, by_eccentricity) in zip(pushes, cases, true, strict=True):
        want = by_mean * dm.astype(float) + by_eccentricity * de.astype(float)
        expect(got, want, "By `jax.jvp`, along a direction in both arguments.", label="wrong-slope", rtol=2e-4)


def _judge_slopes(by_mean, by_eccentricity, cases, true):
    weights = [draw[2].astype(float) for draw in cases]
    slopes = [w * s for w, (_, s, _) in zip(weights, true, strict=True)]
    pulls = [w * p for w, (_, _, p) in zip(weights, true, strict=True)]
    nothing = [np.zeros_like(s) for s in slopes]
    no_mean, no_eccentricity = always(by_mean, nothing, slopes), always(by_eccentricity, nothing, pulls)
    message = "Both derivatives are 0: what comes out of the rule does not depend on the tangents that go in."
    refuse(no_mean and no_eccentricity, "tangents-not-used", message)
    message = "The derivative with respect to the eccentricity is 0: its tangent goes into the rule, too."
    refuse(no_eccentricity, "eccentricity-forgotten", message)
    message = "The derivative with respect to the mean anomaly is 0: its tangent goes into the rule, too."
    refuse(no_mean, "mean-forgotten", message)
    message = "The derivative with respect to `e` has the wrong sign: bring `sin(E) de` to the other side with care."
    refuse(always(by_eccentricity, [-p for p in pulls], pulls, rtol=2e-4), "sign-turned", message)
    bare = [p / s * w for p, s, w in zip(pulls, slopes, weights, strict=True)]
    message = "The division by `1 - e cos(E)` is missing: E occurs twice in the equation, and moves in both places."
    undivided = always(by_mean, weights, slopes, rtol=2e-4) or always(by_eccentricity, bare, pulls, rtol=2e-4)
    refuse(undivided, "not-divided", message)
    weighted = list(zip(weights, cases, true, strict=True))
    at_mean = [w / (1 - e * np.cos(m.astype(float))) for w, (m, e, *_), _ in weighted]
    message = "The derivative was taken with M in the cosine. It is E that stands there, as the equation has it."
    refuse(always(by_mean, at_mean, slopes, rtol=2e-4), "mean-for-anomaly", message)
    added = [w / (1 + e * np.cos(anomaly)) for w, (_, e, *_), (anomaly, _, _) in weighted]
    message = "A sign in the denominator is wrong: the derivative of `-e sin(E)` with respect to E is `-e cos(E)`."
    refuse(always(by_mean, added, slopes, rtol=2e-4), "denominator-sign", message)
    message = "The derivative with respect to `e` should have a sine of E: differentiate `-e sin(E)` by e as well."
    refuse(always(by_eccentricity, slopes, pulls, rtol=2e-4), "sine-forgotten", message)
    fits = [close(got, want, rtol=2e-4) for got, want in zip(by_mean, slopes, strict=True)]
    message = "For numbers the derivatives are right, but for arrays they are not: every element has its own."
    refuse(fits == [want.ndim == 0 for want in slopes], "right-for-numbers-only", message)
    for got, want in zip(by_mean, slopes, strict=True):
        expect(got, want, "The derivative by the mean anomaly.", label="wrong-slope", rtol=2e-4)
    for got, want in zip(by_eccentricity, pulls, strict=True):
        expect(got, want, "The derivative by the eccentricity.", label="wrong-slope", rtol=2e-4)


@right("differentiable-kepler")
def a_last_step_with_the_rest_stopped(mean, eccentricity):
    E = jax.lax.stop_gradient(solve_kepler(mean, eccentricity))
    slope_of_it = jax.lax.stop_gradient(1 - eccentricity * jnp.cos(E))
    return E - (E - eccentricity * jnp.sin(E) - mean) / slope_of_it


@right("differentiable-kepler")
def steps_that_are_counted(mean, eccentricity):
    def newton(_, E):
        return E - (E - eccentricity * jnp.sin(E) - mean) / (1 - eccentricity * jnp.cos(E))

    return jax.lax.fori_loop(0, 12, newton, mean + 0.85 * eccentricity * jnp.sign(mean))


@right("differentiable-kepler")
def one_function_for_each_tangent(mean, eccentricity):
    @jax.custom_jvp
    def anomaly(mean, eccentricity):
        return solve_kepler(mean, eccentricity)

    anomaly.defjvps(
        lambda dm, E, m, e: dm / (1 - e * jnp.cos(E)),
        lambda de, E, m, e: de * jnp.sin(E) / (1 - e * jnp.cos(E)),
    )
    return anomaly(mean, eccentricity)


def ruled(rule):
    """`solve_kepler` with a rule `dE(E, e, dm, de)`."""

    @jax.custom_jvp
    def anomaly(mean, eccentricity):
        return solve_kepler(mean, eccentricity)

    @anomaly.defjvp
    def _(primals, tangents):
        E = anomaly(*primals)
        return E, rule(E, primals[1], *tangents)

    return anomaly


no_rule_at_all = wrong("differentiable-kepler", "no-way-back")(solve_kepler)
tangents_unused = wrong("differentiable-kepler", "tangents-not-used")(
    ruled(lambda E, e, dm, de: (1 + jnp.sin(E)) / (1 - e * jnp.cos(E)))
)
eccentricity_held_fixed = wrong("differentiable-kepler", "eccentricity-forgotten")(
    ruled(lambda E, e, dm, de: dm / (1 - e * jnp.cos(E)))
)
mean_held_fixed = wrong("differentiable-kepler", "mean-forgotten")(
    ruled(lambda E, e, dm, de: jnp.sin(E) * de / (1 - e * jnp.cos(E)))
)
sign_is_turned = wrong("differentiable-kepler", "sign-turned")(
    ruled(lambda E, e, dm, de: (dm - jnp.sin(E) * de) / (1 - e * jnp.cos(E)))
)
nothing_is_divided = wrong("differentiable-kepler", "not-divided")(ruled(lambda E, e, dm, de: dm + jnp.sin(E) * de))
cosine_is_added = wrong("differentiable-kepler", "denominator-sign")(
    ruled(lambda E, e, dm, de: (dm + jnp.sin(E) * de) / (1 + e * jnp.cos(E)))
)


@wrong("differentiable-kepler", "mean-for-anomaly")
def takes_the_slope_at_the_mean(mean, eccentricity):
    @jax.custom_jvp
    def anomaly(mean, eccentricity):
        return solve_kepler(mean, eccentricity)

    anomaly.defjvps(
        lambda dm, E, m, e: dm / (1 - e * jnp.cos(m)),
        lambda de, E, m, e: de * jnp.sin(m) / (1 - e * jnp.cos(m)),
    )
    return anomaly(mean, eccentricity)


@wrong("differentiable-kepler", "right-for-numbers-only")
def adds_up_in_the_rule(mean, eccentricity):
    return ruled(
        lambda E, e, dm, de: jnp.broadcast_to(jnp.sum((dm + jnp.sin(E) * de) / (1 - e * jnp.cos(E))), E.shape)
    )(mean, eccentricity)


@wrong("differentiable-kepler", "sine-forgotten")
def one_slope_for_both(mean, eccentricity):
    return ruled(lambda E, e, dm, de: (dm + de) / (1 - e * jnp.cos(E)))(mean, eccentricity)


@wrong("differentiable-kepler", "wrong-slope")
def differences_for_slopes(mean, eccentricity):
    @jax.custom_jvp
    def anomaly(mean, eccentricity):
        return solve_kepler(mean, eccentricity)

    anomaly.defjvps(
        lambda dm, E, m, e: dm * (solve_kepler(m + 1e-2, e) - solve_kepler(m - 1e-2, e)) / 2e-2,
        lambda de, E, m, e: de * (solve_kepler(m, e + 1e-2) - solve_kepler(m, e - 1e-2)) / 2e-2,
    )
    return anomaly(mean, eccentricity)


@wrong("differentiable-kepler", "wrong-anomaly")
def two_steps_from_a_good_start(mean, eccentricity):
    E = mean + 0.85 * eccentricity * jnp.sign(mean)
    for _ in range(2):
        E = E - (E - eccentricity * jnp.sin(E) - mean) / (1 - eccentricity * jnp.cos(E))
    return E


@wrong("differentiable-kepler", "wrong-slope")
def cosine_for_sine(mean, eccentricity):
    return ruled(lambda E, e, dm, de: (dm + jnp.cos(E) * de) / (1 - e * jnp.cos(E)))(mean, eccentricity)


@wrong("differentiable-kepler", "tangents-not-used")
def stops_the_gradient(mean, eccentricity):
    return jax.lax.stop_gradient(solve_kepler(mean, eccentricity))


@wrong("differentiable-kepler", "no-way-forwards")
def only_a_way_back(mean, eccentricity):
    @jax.custom_vjp
    def anomaly(mean, eccentricity):
        return solve_kepler(mean, eccentricity)

    def forward(mean, eccentricity):
        E = solve_kepler(mean, eccentricity)
        return E, (E, eccentricity)

    def backward(kept, cotangent):
        E, e = kept
        moved = cotangent / (1 - e * jnp.cos(E))
        return moved, moved * jnp.sin(E)

    anomaly.defvjp(forward, backward)
    return anomaly(mean, eccentricity)


@wrong("differentiable-kepler", "wrong-anomaly")
def two_steps_only(mean, eccentricity):
    E = mean
    for _ in range(2):
        E = E - (E - eccentricity * jnp.sin(E) - mean) / (1 - eccentricity * jnp.cos(E))
    return E


# -- repair-the-rule --------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def response_found(student_function, x, weights):
    """The response, the gradient of it weighted, and that of its squares; `None` if there is no number to weight."""
    x = probe.on_device(np.asarray(x))
    return {
        "value": student_function(x),
        "weighted": jax.grad(lambda x: jnp.sum(weights * student_function(x)))(x),
        "squares": jax.grad(lambda x: jnp.sum(student_function(x) ** 2))(x),
    }


@exercise(
    "repair-the-rule",
    see="own-rules",
    hint=[
        "Ask for the gradient of ten times the response. What should it be, and what is it?",
        "The backward function gets a `cotangent`. Where is it used?",
    ],
)
def repair_the_rule(answer, rng):
    xs = [float32(rng, shape, -9, 9) for shape in [(), (), (4,), (4,), (2, 3)]]
    xs[2][0], xs[2][1], xs[3][0], xs[3][1] = 0.0, 9.0, -1.0, 1.0
    weights = [
        float32(rng, x.shape, -3, 3) * np.float32(unit) for x, unit in zip(xs, (1, 1e-6, 1, 1e6, 1), strict=True)
    ]
    found = [answer.probe(response_found, x, w) for x, w in zip(xs, weights, strict=True)]
    answer.called = "jax.grad(lambda x: jnp.sum(weights * repair_the_rule(x)))(x)"
    wide = [np.asarray(x, np.float64) for x in xs]
    for x, facts in zip(wide, found, strict=True):
        expect(facts["value"], x / (1 + abs(x)), "The response itself should stay what it is.", label="other-response")
    w = [np.asarray(weight, np.float64) for weight in weights]
    y = [x / (1 + abs(x)) for x in wide]
    weighted = [numbers(facts["weighted"]) for facts in found]
    _judge_rule(weighted, wide, w)
    for facts, mine, factor in zip(found, y, w, strict=True):
        derivative = (1 - abs(mine)) ** 2
        expect(facts["weighted"], factor * derivative, "The gradient of the weighted response.", rtol=1e-3)
        expect(facts["squares"], 2 * mine * derivative, "The gradient of its squares.", rtol=1e-3)


def _judge_rule(got, x, w):
    y = [each / (1 + abs(each)) for each in x]
    right_ones = [factor * (1 - abs(mine)) ** 2 for factor, mine in zip(w, y, strict=True)]
    slips = {
        "cotangent-forgotten": (
            [(1 - abs(mine)) ** 2 for mine in y],
            "Ten times the response has the same gradient as the response: the cotangent that comes in is not used.",
        ),
        "cotangent-alone": (
            w,
            "The cotangent is handed on unchanged: it should be multiplied by the derivative of the response.",
        ),
        "cotangent-added": (
            [factor + (1 - abs(mine)) ** 2 for factor, mine in zip(w, y, strict=True)],
            "The cotangent is added. By the chain rule, it is multiplied by the derivative.",
        ),
        "square-lost": (
            [factor * (1 - abs(mine)) for factor, mine in zip(w, y, strict=True)],
            "The derivative of the response is the *square* of `1 - |y|`.",
        ),
        "argument-for-result": (
            [factor * (1 - abs(each)) ** 2 for factor, each in zip(w, x, strict=True)],
            "The formula `(1 - |y|) ** 2` is for the result, but it was given the argument.",
        ),
    }
    slips |= {
        "absolute-value-lost": (
            [factor * (1 - mine) ** 2 for factor, mine in zip(w, y, strict=True)],
            "For positive `x` it is right, for negative `x` it is not: the absolute value of the result is missing.",
        ),
        "arguments-swapped": (
            [mine * (1 - abs(factor)) ** 2 for factor, mine in zip(w, y, strict=True)],
            "The backward function takes what was kept first, and the cotangent last: here they have changed places.",
        ),
        "result-for-cotangent": (
            [mine * (1 - abs(mine)) ** 2 for mine in y],
            "What was kept is multiplied by the derivative, and the cotangent that comes in is not used.",
        ),
        "sign-of-the-cotangent-lost": (
            [abs(factor) * (1 - abs(mine)) ** 2 for factor, mine in zip(w, y, strict=True)],
            "The size of the cotangent is used, but its sign is not.",
        ),
        "cotangent-clipped": (
            [np.clip(factor, -1, 1) * (1 - abs(mine)) ** 2 for factor, mine in zip(w, y, strict=True)],
            "The cotangent is clipped. That was the task of another rule: this one should give the true gradient.",
        ),
    }
    for label, (slip, message) in slips.items():
        refuse(always(got, slip, right_ones, rtol=1e-3), label, message)
    fits = [close(mine, want, rtol=1e-3) for mine, want in zip(got, right_ones, strict=True)]
    message = "For a number it is right, but for arrays it is not: the elements are mixed on the way back."
    refuse(fits == [want.ndim == 0 for want in right_ones], "right-for-numbers-only", message)


@wrong("repair-the-rule", "cotangent-forgotten")
def as_it_was(x):
    @jax.custom_vjp
    def response(x):
        return x / (1 + jnp.abs(x))

    def forward(x):
        y = response(x)
        return y, y

    def backward(y, cotangent):
        return ((1 - jnp.abs(y)) ** 2,)

    response.defvjp(forward, backward)
    return response(x)


def answered(backward):
    """The response with another way back, `backward(y, cotangent)`."""

    @jax.custom_vjp
    def response(x):
        return x / (1 + jnp.abs(x))

    response.defvjp(lambda x: (x / (1 + jnp.abs(x)),) * 2, lambda y, g: (backward(y, g),))
    return response


cotangent_alone = wrong("repair-the-rule", "cotangent-alone")(answered(lambda y, g: g))
cotangent_added = wrong("repair-the-rule", "cotangent-added")(answered(lambda y, g: g + (1 - jnp.abs(y)) ** 2))
mixed = wrong("repair-the-rule", "right-for-numbers-only")(answered(lambda y, g: g.sum() * (1 - jnp.abs(y)) ** 2))
swapped = wrong("repair-the-rule", "arguments-swapped")(answered(lambda y, g: y * (1 - jnp.abs(g)) ** 2))
no_absolute_value = wrong("repair-the-rule", "absolute-value-lost")(answered(lambda y, g: g * (1 - y) ** 2))
times_the_result = wrong("repair-the-rule", "result-for-cotangent")(answered(lambda y, g: y * (1 - jnp.abs(y)) ** 2))
size_only = wrong("repair-the-rule", "sign-of-the-cotangent-lost")(
    answered(lambda y, g: jnp.abs(g) * (1 - jnp.abs(y)) ** 2)
)
cut_off = wrong("repair-the-rule", "cotangent-clipped")(
    answered(lambda y, g: jnp.clip(g, -1, 1) * (1 - jnp.abs(y)) ** 2)
)
argument_kept = wrong("repair-the-rule", "argument-for-result")(
    answered(lambda y, g: g * (1 - jnp.abs(y / (1 - jnp.abs(y)))) ** 2)
)
square_lost = wrong("repair-the-rule", "square-lost")(answered(lambda y, g: g * (1 - jnp.abs(y))))
squared_together = wrong("repair-the-rule", "wrong-value")(answered(lambda y, g: (g * (1 - jnp.abs(y))) ** 2))
sign_of_the_way_back = wrong("repair-the-rule", "wrong-value")(answered(lambda y, g: -g * (1 - jnp.abs(y)) ** 2))


@right("repair-the-rule")
def without_a_rule(x):
    return x / (1 + jnp.abs(x))


@right("repair-the-rule")
def by_a_rule_forwards(x):
    @jax.custom_jvp
    def response(x):
        return x / (1 + jnp.abs(x))

    response.defjvps(lambda dx, y, x: dx * (1 - jnp.abs(y)) ** 2)
    return response(x)


@wrong("repair-the-rule", "other-response")
def another_response(x):
    return jnp.tanh(x)


# -- remember-less ----------------------------------------------------------------------------------------------


def layer(state, weights):
    """The layer of the set-up cell."""
    return jnp.sin(jnp.sin(state @ weights))


def deep(state, weights):
    """The network of the set-up cell."""
    return jax.lax.scan(lambda h, w: (layer(h, w), None), state, weights)[0]


def gradient_found(student_function, draws):
    """The last states and the gradients of their sums by the weights, for draws of one shape; and what that holds."""

    def total(weights, state):
        last = student_function(state, weights)
        return jnp.sum(last), last

    state, weights = draws[0]
    compiled = jax.jit(jax.grad(total, has_aux=True)).lower(weights, state).compile()
    results = [compiled(weights, state) for state, weights in draws]
    named = ("checkpoint", "remat", "remat2")
    traced = list(probe.equations(jax.make_jaxpr(student_function)(state, weights)))
    outside = [
        inner.primitive.name
        for equation in traced
        if equation.primitive.name in named
        for inner in probe.equations(equation.params["jaxpr"])
    ]
    return {
        "states": [state for _, state in results],
        "gradients": [gradient for gradient, _ in results],
        "held": compiled.memory_analysis().temp_size_in_bytes,
        "checkpoints": sum(equation.primitive.name in named for equation in traced),
        "around": "scan" in outside,
    }


@functools.cache
def held_by_deep(batch, d, layers):
    """The temporary bytes of the gradient of `deep`."""
    state, weights = jax.ShapeDtypeStruct((batch, d), np.float32), jax.ShapeDtypeStruct((layers, d, d), np.float32)

    def total(weights, state):
        last = deep(state, weights)
        return jnp.sum(last), last

    compiled = jax.jit(jax.grad(total, has_aux=True)).lower(weights, state).compile()
    return compiled.memory_analysis().temp_size_in_bytes


def backpropagated(state, weights):
    """The oracle: the last state and the gradient of its sum, by hand."""
    h, w = np.asarray(state, np.float64), np.asarray(weights, np.float64)
    tape = []
    for matrix in w:
        z = h @ matrix
        tape.append((h, z))
        h = np.sin(np.sin(z))
    back, gradient = np.ones_like(h), np.zeros_like(w)
    for k in reversed(range(len(w))):
        before, z = tape[k]
        dz = back * np.cos(np.sin(z)) * np.cos(z)
        gradient[k], back = before.T @ dz, dz @ w[k].T
    return h, gradient


@exercise(
    "remember-less",
    points=2,
    see="checkpointing",
    hint=[
        "What does the way back need of one layer, if that layer is run again? Its arguments.",
        "The function to give to `jax.checkpoint` is the body of the `scan`.",
    ],
)
def remember_less(answer, rng):
    for layers, batch, d in ((1, 3, 2), (3, 2, 3), (17, 257, 6)):  # a prime cannot be cut evenly
        draws = [(float32(rng, (batch, d)), float32(rng, (layers, d, d), -1.0, 1.0)) for _ in range(2)]
        facts = answer.probe(gradient_found, draws)
        answer.called = f"remember_less(float32[{batch},{d}], float32[{layers},{d},{d}])"
        for last, gradient, draw in zip(facts["states"], facts["gradients"], draws, strict=True):
            true_last, true_gradient = backpropagated(*draw)
            expect(last, true_last, "The state after all layers.", label="other-network", rtol=1e-3)
            early = numbers(gradient)[:-1]
            stopped = layers > 1 and early.shape == true_gradient[:-1].shape and not early.any()
            stopped = stopped and gradient[-1].any()
            message = "Only the last layer has a gradient: the state was stopped on its way through the layers."
            refuse(stopped, "only-the-last-layer", message)
            message = "The state is right, but the gradient of its sum with respect to the weights is not."
            expect(gradient, true_gradient, message, label="wrong-gradient", rtol=1e-3)
    _judge_memory(facts, held_by_deep(batch, d, layers))


def _judge_memory(facts, plain):
    enough = 2 * facts["held"] <= plain
    message = (
        "There is one checkpoint around everything. The way back runs all of it again, and then holds as much as "
        "before: put it around one layer."
    )
    refuse(not enough and facts["around"], "around-it-all", message)
    message = "There is no checkpoint: everything that the layers computed is kept."
    refuse(not enough and not facts["checkpoints"], "no-checkpoint", message)
    message = (
        "There is a checkpoint, but the gradient still holds more than half of what it held. What does the "
        "checkpoint keep? And is it in the body of a `scan`?"
    )
    require(enough, "not-half", message)


@right("remember-less")
def checkpoints_the_layer(state, weights):
    once_more = jax.checkpoint(lambda h, w: jnp.sin(jnp.sin(h @ w)), prevent_cse=False)
    return jax.lax.scan(lambda h, w: (once_more(h, w), None), state, weights)[0]


@right("remember-less")
def saves_nothing_by_name(state, weights):
    body = jax.remat(lambda h, w: (layer(h, w), None), policy=jax.checkpoint_policies.nothing_saveable)
    return jax.lax.scan(body, state, weights)[0]


@wrong("remember-less", "around-it-all")
def around_the_whole(state, weights):
    return jax.checkpoint(deep)(state, weights)


@wrong("remember-less", "no-checkpoint")
def as_before(state, weights):
    return deep(state, weights)


@wrong("remember-less", "not-half")
def saves_everything(state, weights):
    body = jax.checkpoint(lambda h, w: (layer(h, w), None), policy=jax.checkpoint_policies.everything_saveable)
    return jax.lax.scan(body, state, weights)[0]


@wrong("remember-less", "wrong-gradient")
def stops_everything(state, weights):
    return jax.lax.stop_gradient(deep(state, weights))


@wrong("remember-less", "only-the-last-layer")
def stops_the_states(state, weights):
    return jax.lax.scan(lambda h, w: (layer(jax.lax.stop_gradient(h), w), None), state, weights)[0]


@wrong("remember-less", "other-network")
def one_sine_a_layer(state, weights):
    return jax.lax.scan(jax.checkpoint(lambda h, w: (jnp.sin(h @ w), None)), state, weights)[0]


# -- at-the-kink ------------------------------------------------------------------------------------------------


def true_kinks():
    """The derivatives, asked of JAX."""
    functions = {
        "jnp.abs(x) at 0.0": jnp.abs,
        "jnp.maximum(x, 0.0) at 0.0": lambda x: jnp.maximum(x, 0.0),
        "jax.nn.relu(x) at 0.0": jax.nn.relu,
        "jnp.clip(x, 0.0, 1.0) at 2.0": lambda x: jnp.clip(x, 0.0, 1.0),
        "jnp.floor(x) + x at 1.3": lambda x: jnp.floor(x) + x,
        "jnp.stack([x, x]).max() at 3.0": lambda x: jnp.stack([x, x]).max(),
        "jnp.sort(jnp.stack([x, 2.0]))[0] at 3.0": lambda x: jnp.sort(jnp.stack([x, 2.0]))[0],
        "jax.lax.stop_gradient(x) * x at 3.0": lambda x: jax.lax.stop_gradient(x) * x,
    }
    return {name: float(jax.grad(f)(float(name.rpartition(" ")[2]))) for name, f in functions.items()}


at_the_kink = prediction(
    "at-the-kink",
    see="where-derivatives-end",
    hint=[
        "At a tie, the derivative may be that of one side, or the mean of both: each function has its rule.",
        "`jax.grad(lambda x: ...)(0.0)` tells you.",
    ],
    truth=true_kinks,
    mistakes=[
        Mistake(
            "nan-expected",
            [
                {"jnp.abs(x) at 0.0": float("nan")},
                {"jnp.maximum(x, 0.0) at 0.0": float("nan")},
                {"jax.nn.relu(x) at 0.0": float("nan")},
            ],
            "There is no derivative at a kink, but JAX does not say so: each operation has a convention for this case.",
        ),
        Mistake(
            "values-given",
            [
                {"jnp.stack([x, x]).max() at 3.0": 3.0},
                {"jnp.sort(jnp.stack([x, 2.0]))[0] at 3.0": 2.0},
                {"jax.lax.stop_gradient(x) * x at 3.0": 9.0},
            ],
            "That is the value of the function. How does it change when `x` does?",
        ),
        Mistake(
            "nothing-at-a-kink",
            {"jnp.abs(x) at 0.0": any_of(0.0, -1.0)},
            "At 0, `abs` takes the derivative of its right side.",
        ),
        Mistake(
            "one-side-of-maximum",
            {"jnp.maximum(x, 0.0) at 0.0": any_of(0.0, 1.0)},
            "Where both arguments of `maximum` are equal, each gets one half.",
        ),
        Mistake(
            "relu-like-maximum",
            {"jax.nn.relu(x) at 0.0": any_of(0.5, 1.0)},
            "`relu` has a rule of its own, and it is not that of `maximum`: at 0 it takes the left side.",
        ),
        Mistake(
            "clip-goes-on",
            {"jnp.clip(x, 0.0, 1.0) at 2.0": any_of(1.0, 0.5)},
            "Beyond its bound, `clip` returns the bound, which does not move with `x`.",
        ),
        Mistake(
            "step-counted",
            {"jnp.floor(x) + x at 1.3": any_of(0.0, 2.0)},
            "`floor` is flat at 1.3 and adds nothing; the `x` after it is not flat.",
        ),
        Mistake(
            "shares-lost",
            {"jnp.stack([x, x]).max() at 3.0": any_of(0.5, 2.0)},
            "The two equal maxima share a derivative of 1, and both halves come back to the same `x`.",
        ),
        Mistake(
            "sorting-not-followed",
            {"jnp.sort(jnp.stack([x, 2.0]))[0] at 3.0": any_of(1.0, 0.5)},
            "At 3 the smaller of the two is the constant 2: `x` has been moved to the other place.",
        ),
        Mistake(
            "stopped-part-counted",
            {"jax.lax.stop_gradient(x) * x at 3.0": 6.0},
            "Only one of the two factors moves: what is stopped counts as the constant 3.",
        ),
        Mistake(
            "all-stopped",
            {"jax.lax.stop_gradient(x) * x at 3.0": any_of(0.0, 1.0)},
            "One factor is stopped, and stays in the product as the number 3. The other one moves.",
        ),
    ],
    otherwise="Try them one by one with `jax.grad`.",
)

# -- safe-distances ---------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def distances_found(student_function, points, weights):
    """The distances, and the gradient of their weighted sum."""
    points = probe.on_device(points)
    gradient = jax.grad(lambda x: jnp.sum(weights * student_function(x)))
    return {"distances": student_function(points), "gradient": gradient(points)}


def distances_and_pulls(points, weights):
    """The oracle: distances, and the gradient of their weighted sum, by hand."""
    x, w = np.asarray(points, np.float64), np.asarray(weights, np.float64)
    n, d = x.shape
    table, gradient = np.zeros((n, n)), np.zeros((n, d))
    for i in range(n):
        for j in range(n):
            table[i, j] = np.sqrt(sum((x[i] - x[j]) ** 2))
            if table[i, j] > 0:
                gradient[i] += w[i, j] * (x[i] - x[j]) / table[i, j]
                gradient[j] += w[i, j] * (x[j] - x[i]) / table[i, j]
    return table, gradient


def drawn_points(rng):
    """Points apart from each other, then very near, then some that are equal; one point, and one axis."""
    grid = np.array([[0, 0, 0], [0, 0, 1], [0, 2, 0], [3, 0, 1]], np.float32) * float32(rng, (), 0.5, 2)
    apart = [float32(rng, (4, 4)), float32(rng, (1, 1)), grid, float32(rng, (4, 3)) + 500]
    apart.append(np.float32(1e6) * grid)
    near = [np.float32(1e-5) * float32(rng, (4, 3)), np.float32(1e-17) * grid]
    equal = [float32(rng, (4, 3)) for _ in range(2)]
    equal[0][2], equal[1][:] = equal[0][0], equal[1][0]
    return apart, near, equal


@exercise(
    "safe-distances",
    points=2,
    see="safe-derivatives",
    hint=[
        "The values are easy. Where is the derivative of the root infinite, and what is it multiplied by?",
        "The double where: `where` around the argument of the root, and `where` around its result.",
    ],
)
def safe_distances(answer, rng):
    apart, near, equal = drawn_points(rng)
    for points in apart + near + equal:
        n = len(points)
        weights = float32(rng, (n, n), 0.5, 2.0)
        facts = answer.probe(distances_found, points, weights)
        answer.called = f"safe_distances(float32[{n},{points.shape[1]}])"
        table, gradient = distances_and_pulls(points, weights)
        got, mine = numbers(facts["distances"]), numbers(facts["gradient"])
        require(got.shape == table.shape, "wrong-shape", f"The shape should be {table.shape}, not {got.shape}.")
        _judge_values(answer, got, table, points)
        message = "All distances are right, and there are equal points among these: for them, the gradient is NaN."
        distinct = np.count_nonzero(table) == n * (n - 1)
        refuse(np.isnan(mine).any() and not distinct, "guards-the-diagonal-only", message)
        message = (
            "The distances are right, and their gradient is NaN: on the diagonal the root has an infinite derivative, "
            "which is multiplied by 0. Guard what goes into the root."
        )
        refuse(np.isnan(mine).any(), "nan-gradient", message)
        _judge_pulls(mine, gradient, points, weights)
        message = "The distances are right, but the gradient of a weighted sum of them is not."
        expect(mine, gradient, message, label="wrong-gradient", rtol=1e-4)


def _judge_pulls(mine, gradient, points, weights):
    message = "The distances are right, but their derivatives are all 0: something on the way is stopped."
    refuse(np.count_nonzero(gradient) > 1 and not mine.any(), "no-derivatives", message)
    x, w = points.astype(float), weights.astype(float)
    away = x[:, None] - x
    length = np.sqrt((away**2).sum(-1))
    pulls = np.divide(away, length[..., None], out=np.zeros_like(away), where=length[..., None] > 0)
    halves = (w[..., None] * pulls).sum(1), -(w[..., None] * pulls).sum(0)
    half = len(x) > 2 and any(close(mine, one, rtol=1e-4) for one in halves)
    message = "Only one of the two points moves. A distance has derivatives with respect to both of its ends."
    refuse(half and not close(mine, gradient, rtol=1e-4), "one-end-only", message)


def _judge_values(answer, got, table, points):
    message = "These are the squares of the distances: the root is missing."
    refuse(np.count_nonzero(table) > 2 and close(got, table**2, rtol=1e-3), "squares", message)
    stray = (got[table == 0] != 0).any()
    if stray:
        facts = answer.probe(distances_found, np.zeros_like(points), np.ones(table.shape))
        at_zero = numbers(facts["distances"])
        message = (
            "Between equal points the distance is 0 at the origin only: elsewhere digits are lost, as in `a*a - 2*a*b "
            "+ b*b`, where large numbers cancel. Subtract the points first."
        )
        refuse(not at_zero.any(), "squares-expanded", message)
    message = "Between equal points the distance is not exactly 0: what was put under the root stays in the result."
    refuse(stray, "not-exactly-zero", message)
    message = "Each distance stands in the table twice, once for either order of the two points."
    refuse(table.any() and close(got, np.triu(table), rtol=1e-3), "one-half", message)
    small = table.any() and np.max(table) < 1e-3
    message = (
        f"Distances near 1 are right, but those near {np.max(table):.0e} are not: a threshold, or a small number that "
        "was added, is larger than they are. Only *equal* points have the distance 0."
    )
    refuse(small and not close(got, table, rtol=1e-4), "small-distances-lost", message)
    far = np.min(np.abs(points)) > 100
    message = "Far from 0, digits are lost: in `a*a - 2*a*b + b*b` large numbers cancel. Subtract the points first."
    refuse(far and not close(got, table, rtol=1e-4), "squares-expanded", message)
    message = (
        "All distances are off, as if one number had been added under the root; to take its root off again does not "
        "help. Add nothing: replace what is under the root where points are equal."
    )
    t, g = table[table > 0], got[table > 0].astype(float)
    shifts = (g**2 - t**2, (t**2 - g**2) / (2 * np.where(g == 0, np.nan, g)))  # what was added; or its root
    steady = any(t.size > 4 and np.min(s) > 0 and np.ptp(s) < 0.05 * np.max(s) for s in shifts)
    refuse(steady and not close(got, table, rtol=1e-4), "added-under-the-root", message)
    expect(got, table, "The distances between the points.", label="wrong-distance", rtol=1e-4)


@right("safe-distances")
def guards_the_squares(points):
    difference = points[None] - points[:, None]
    same = jnp.all(difference == 0, axis=2, keepdims=True)
    return jnp.where(same[..., 0], 0.0, jnp.linalg.norm(jnp.where(same, 1.0, difference), axis=2))


@right("safe-distances")
def one_pair_at_a_time(points):
    @jax.custom_jvp
    def root(s):
        return jnp.sqrt(s)

    root.defjvps(lambda ds, y, s: jnp.where(s > 0, ds / (2 * jnp.where(s > 0, y, 1.0)), 0.0))
    return jax.vmap(lambda a: jax.vmap(lambda b: root(jnp.sum((a - b) ** 2)))(points))(points)


@wrong("safe-distances", "nan-gradient")
def plain_norm(points):
    return jnp.linalg.norm(points[:, None] - points, axis=-1)


@wrong("safe-distances", "nan-gradient")
def where_outside_only(points):
    squares = ((points[:, None] - points) ** 2).sum(-1)
    return jnp.where(squares > 0, jnp.sqrt(squares), 0.0)


@wrong("safe-distances", "nan-gradient")
def a_mask_afterwards(points):
    return jnp.linalg.norm(points[:, None] - points, axis=-1) * (1 - jnp.eye(len(points)))


@wrong("safe-distances", "guards-the-diagonal-only")
def only_the_diagonal(points):
    own = jnp.eye(len(points), dtype=bool)
    squares = ((points[:, None] - points) ** 2).sum(-1)
    return jnp.where(own, 0.0, jnp.sqrt(jnp.where(own, 1.0, squares)))


@wrong("safe-distances", "not-exactly-zero")
def adds_a_little(points):
    return jnp.sqrt(((points[:, None] - points) ** 2).sum(-1) + 1e-12)


@wrong("safe-distances", "not-exactly-zero")
def no_less_than_a_little(points):
    return jnp.sqrt(jnp.maximum(((points[:, None] - points) ** 2).sum(-1), 1e-12))


@wrong("safe-distances", "squares-expanded")
def expands_the_square(points):
    own = (points**2).sum(axis=1)
    squares = own[:, None] + own - 2 * points @ points.T
    apart = (squares > 0) & ~jnp.eye(len(points), dtype=bool)
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)


@wrong("safe-distances", "squares-expanded")
def expands_it_without_the_diagonal(points):
    own = (points**2).sum(axis=1)
    squares = own[:, None] + own - 2 * points @ points.T
    return jnp.where(squares > 0, jnp.sqrt(jnp.where(squares > 0, squares, 1.0)), 0.0)


@wrong("safe-distances", "added-under-the-root")
def takes_the_root_off_again(points):
    added = 1e-6
    return jnp.sqrt(((points[:, None] - points) ** 2).sum(-1) + added) - jnp.sqrt(added)


@wrong("safe-distances", "added-under-the-root")
def adds_a_little_off_the_diagonal(points):
    lengths = jnp.sqrt(((points[:, None] - points) ** 2).sum(-1) + 1e-2)
    return jnp.where(jnp.eye(len(points), dtype=bool), 0.0, lengths)


@wrong("safe-distances", "wrong-distance")
def in_the_plane_only(points):
    squares = ((points[:, None, :2] - points[:, :2]) ** 2).sum(axis=-1)
    apart = squares > 0
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)


@wrong("safe-distances", "small-distances-lost")
def guards_each_axis(points):
    gaps = points[:, None] - points
    lengths = jnp.sqrt((jnp.where(gaps == 0, 1e-3, gaps) ** 2).sum(axis=-1))
    return jnp.where((gaps == 0).all(axis=-1), 0.0, lengths)


@wrong("safe-distances", "one-end-only")
def stops_one_end(points):
    squares = ((points[:, None] - jax.lax.stop_gradient(points)) ** 2).sum(axis=-1)
    apart = squares > 0
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)


@wrong("safe-distances", "small-distances-lost")
def everything_small_is_zero(points):
    squares = ((points[:, None] - points) ** 2).sum(-1)
    apart = squares > 1e-8
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)


@wrong("safe-distances", "small-distances-lost")
def takes_near_points_for_equal(points):
    squares = ((points[:, None] - points) ** 2).sum(-1)
    apart = squares > 1e-10
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)


@wrong("safe-distances", "squares")
def without_the_root(points):
    return ((points[:, None] - points) ** 2).sum(-1)


@wrong("safe-distances", "one-half")
def upper_half_only(points):
    squares = jnp.triu(((points[:, None] - points) ** 2).sum(-1))
    apart = squares > 0
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)


@wrong("safe-distances", "wrong-gradient")
def half_the_slope(points):
    @jax.custom_jvp
    def root(s):
        return jnp.sqrt(s)

    root.defjvps(lambda ds, y, s: jnp.where(s > 0, ds / jnp.where(s > 0, y, 1.0), 0.0))
    return root(((points[:, None] - points) ** 2).sum(-1))


@wrong("safe-distances", "no-derivatives")
def nan_to_num_in_the_rule(points):
    squares = ((points[:, None] - points) ** 2).sum(-1)
    apart = squares > 0
    return jax.lax.stop_gradient(jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0))


# -- trusted-differences ----------------------------------------------------------------------------------------


def differences_found(student_function, x, scale, heights, phases):
    """The gradient that comes back, and how the function was called for it."""
    seen, at_x = [], []

    def f(z):
        if np.iscomplexobj(z):
            raise TypeError("f takes real numbers")
        seen.append(str(getattr(z, "dtype", type(z).__name__)))
        at_x.append(bool(np.shape(z) == x.shape and np.array_equal(np.asarray(z), x)))
        kind = np.asarray(z).dtype
        angle = np.asarray(z) / kind.type(scale) + phases.astype(kind)
        together = np.cos(np.sum(z) / kind.type(scale))  # so that each derivative depends on every element
        return kind.type(3) + np.sum(heights.astype(kind) * np.sin(angle)) + together

    result = student_function(f, x, scale)
    again = student_function(f, np.array(-x), scale)
    double = student_function(lambda z: 2 * f(z), x, scale)  # another function at the same place
    dtype = str(getattr(result, "dtype", type(result).__name__))
    return {
        "gradient": result,
        "again": again,
        "double": double,
        "dtype": dtype,
        "seen": sorted(set(seen)),
        "at": sum(at_x),
    }


def true_gradient(x, scale, heights, phases):
    """The oracle: the derivative of each sine, and of the cosine of the sum."""
    wide = np.asarray(x, np.float64) / scale
    return (heights * np.cos(wide + phases) - np.sin(wide.sum())) / scale


def drawn_differences(rng):
    """Arrays of every rank, of both dtypes and both orders; scales of one, much less and much more."""
    kinds = [((3,), "float32", "C"), ((2, 3), "float64", "C"), ((3, 3), "float32", "F"), ((), "float64", "C")]
    for scale in (1.0, 1e-9, 1e9):
        for shape, dtype, order in [*kinds, *([((2, 1, 2), "float64", "C")] if scale == 1 else [])]:
            x = np.array(rng.uniform(-4, 4, shape) * scale, dtype, order=order)
            if x.ndim == 1:
                x[0] = 0
            if x.ndim == 2:
                x[0, 1] = 1e-6 * scale  # what counts is how fast `f` changes, not how large an element is
            yield x, scale, rng.uniform(0.5, 2.0, shape), rng.uniform(-1, 1, shape)


@exercise(
    "trusted-differences",
    points=2,
    see="check-a-gradient",
    hint=[
        "First `x` as `float64`. Then one element at a time, up by a step and down by a step.",
        "The error is about $h^2$ plus the rounding over $h$: the best $h$ is near `eps ** (1/3)`, times the scale.",
    ],
)
def trusted_differences(answer, rng):
    errors = []
    for x, scale, heights, phases in drawn_differences(rng):
        asked = answer.attempt(differences_found, x, scale, heights, phases, expected=probe.NEEDS_A_VALUE)
        facts, raised = asked
        answer.called = f"trusted_differences(f, {x.dtype}{list(x.shape)}, {scale:g})"
        refuse(raised, "f-is-numpy", "`f` computes with NumPy, so JAX cannot trace it: take differences of its values.")
        message = "A tuple or a list came back: return one array."
        require(facts["dtype"] not in ("tuple", "list"), "not-an-array", message)
        got, want = numbers(facts["gradient"]), true_gradient(x, scale, heights, phases)
        require(got.shape == want.shape, "wrong-shape", f"The shape should be {want.shape}, not {got.shape}.")
        unmoved = not x.flags.c_contiguous and not got.any()
        message = (
            "The columns of this `x` lie one after the other, as in the transpose of an array. There `reshape(-1)` and "
            "`ravel` copy: the copy was moved, and `f` saw `x` as it was."
        )
        refuse(unmoved, "moved-a-copy", message)
        other = true_gradient(-x, scale, heights, phases)
        errors += [(scale, got, want, facts), (scale, numbers(facts["again"]), other, facts)]
        errors.append((scale, numbers(facts["double"]), 2 * want, facts))
        lost = np.isnan(got) | np.isinf(got)
        message = "Where an element of `x` is 0, the result is NaN or infinite: the step is 0 there. Use `scale`."
        refuse(lost.any() and (lost <= (x == 0)).all(), "step-of-zero", message)
    _judge_differences(errors)


def _judge_differences(errors):
    narrow = any("float32" in facts["seen"] or "float16" in facts["seen"] for _, _, _, facts in errors)
    off = [np.nan_to_num(abs(got - want), nan=np.inf).max() / np.max(abs(want)) for _, got, want, _ in errors]
    message = "`f` was called in `float32`, where the two values agree in most of their digits. Make `x` wide first."
    refuse(narrow and max(off) > 1e-8, "in-float32", message)
    wide = next((facts["dtype"] for _, _, _, facts in errors if facts["dtype"] != "float64"), "")
    refuse(wide, "wrong-dtype", f"`float64` was asked for, but the result is of type `{wide}`.")
    gots, wants = [got for _, got, _, _ in errors], [want for _, _, want, _ in errors]
    message = "Twice what it should be: the two points are two steps apart, so divide by `2 * h`."
    refuse(always(gots, [2 * want for want in wants], wants, rtol=1e-3), "divided-by-one-step", message)
    right_here = [error <= 1e-8 for (scale, _, _, _), error in zip(errors, off, strict=True) if scale == 1]
    message = "For a scale of 1 it is right, but for others it is not: the step must grow and shrink with `scale`."
    refuse(all(right_here) and max(off) > 1e-8, "step-not-scaled", message)
    one_sided = all(facts["at"] > 0 for _, _, _, facts in errors)
    message = (
        "`f` was called at `x` itself: a one-sided difference, with an error that falls with h, not with its square."
    )
    refuse(one_sided and max(off) > 1e-8, "one-sided", message)
    for (_, got, want, _), error in zip(errors, off, strict=True):
        if error > 1e-8:
            expect(got, want, "Far from the gradient.", label="wrong-value", rtol=1e-3)
        message = f"The gradient is off by {error:.0e} of its largest element. Is the step too small, or too large?"
        require(error <= 1e-8, "wrong-step", message)


@right("trusted-differences")
def extrapolated(f, x, scale):
    wide = np.asarray(x).astype(np.float64)
    gradient = np.empty(wide.shape)
    for index in np.ndindex(*wide.shape):

        def central(h, index=index):
            up, down = wide.copy(), wide.copy()
            up[index] += h
            down[index] -= h
            return (f(up) - f(down)) / (up[index] - down[index])

        h = 1e-3 * scale
        gradient[index] = (4 * central(h / 2) - central(h)) / 3
    return gradient


def differences(step, dtype=np.float64, sides=2, divide=2):
    """Differences with a step `step(scale)`, in a dtype, to one side or both."""

    def gradient_of(f, x, scale):
        wide, h = np.array(x, dtype), step(scale)
        gradient = np.zeros(wide.shape, dtype)
        for index in np.ndindex(wide.shape):
            moved = np.zeros_like(wide)
            moved[index] = h
            before = f(wide - moved) if sides == 2 else f(wide)
            gradient[index] = (f(wide + moved) - before) / (divide * h)
        return gradient

    return gradient_of


a_rough_step = right("trusted-differences")(differences(lambda scale: 1e-5 * scale))
in_the_dtype_of_x = wrong("trusted-differences", "in-float32")(
    lambda f, x, scale: differences(lambda s: 1e-3 * s, dtype=np.asarray(x).dtype)(f, x, scale).astype(np.float64)
)
fixed_step = wrong("trusted-differences", "step-not-scaled")(differences(lambda scale: 6e-6))
to_one_side = wrong("trusted-differences", "one-sided")(differences(lambda scale: 1e-6 * scale, sides=1, divide=1))
too_small_a_step = wrong("trusted-differences", "wrong-step")(differences(lambda scale: 1e-10 * scale))
too_large_a_step = wrong("trusted-differences", "wrong-step")(differences(lambda scale: 1e-3 * scale))
forgets_the_two = wrong("trusted-differences", "divided-by-one-step")(differences(lambda scale: 6e-6 * scale, divide=1))


@wrong("trusted-differences", "wrong-value")
def fills_the_point_itself(f, x, scale):
    wide, step = np.array(x, np.float64), 6e-6 * scale
    for index in np.ndindex(wide.shape):
        moved = np.zeros_like(wide)
        moved[index] = step
        wide[index] = (f(wide + moved) - f(wide - moved)) / (2 * step)
    return wide


turned_around = wrong("trusted-differences", "wrong-value")(differences(lambda scale: 6e-6 * scale, divide=-2))


@wrong("trusted-differences", "step-of-zero")
def a_step_for_each_element(f, x, scale):
    wide = np.array(x, np.float64)
    gradient = np.zeros_like(wide)
    for index in np.ndindex(wide.shape):
        moved = np.zeros_like(wide)
        moved[index] = 6e-6 * abs(wide[index])
        with np.errstate(all="ignore"):
            gradient[index] = np.divide(f(wide + moved) - f(wide - moved), 2 * moved[index])
    return gradient


@wrong("trusted-differences", "wrong-step")
def steps_by_the_size_of_each_element(f, x, scale):
    wide = np.array(x, np.float64)
    steps = 6e-6 * np.where(wide == 0, scale, np.abs(wide))
    gradient = np.zeros(wide.shape)
    for i in np.ndindex(wide.shape):
        up, down = wide.copy(), wide.copy()
        up[i] += steps[i]
        down[i] -= steps[i]
        gradient[i] = (f(up) - f(down)) / (up[i] - down[i])
    return gradient


@wrong("trusted-differences", "moved-a-copy")
def moves_a_flat_view(f, x, scale):
    wide, step = np.array(x, np.float64), 6e-6 * scale
    flat, gradient = wide.reshape(-1), np.zeros(wide.size)
    for i in range(wide.size):
        kept = flat[i]
        flat[i] = kept + step
        up = f(wide)
        flat[i] = kept - step
        gradient[i] = (up - f(wide)) / (2 * step)
        flat[i] = kept
    return gradient.reshape(wide.shape)


@wrong("trusted-differences", "wrong-shape")
def one_row(f, x, scale):
    return differences(lambda s: 6e-6 * s)(f, x, scale).ravel()


@wrong("trusted-differences", "wrong-dtype")
def back_to_float32(f, x, scale):
    return jnp.asarray(differences(lambda s: 6e-6 * s)(f, x, scale))


@wrong("trusted-differences", "f-is-numpy")
def asks_jax(f, x, scale):
    return np.asarray(jax.grad(f)(jnp.asarray(x)), np.float64)


@wrong("trusted-differences", "not-an-array")
def a_list(f, x, scale):
    return list(differences(lambda s: 6e-6 * s)(f, x, scale).ravel())


# -- changes of solutions that leave them right -----------------------------------------------------------------

_SQUARED = "the square is the same"
_NEVER_SEEN = "the outer `where` shows neither the root of it nor its derivative"
_SAME_SHAPE = "the same shape, and every element is written"

accepted = [
    equivalent("hessian-times-vector", "`1`  ->  `-1`", "the second of two results is the last"),
    equivalent("repair-the-rule", "`1 - jnp.abs(y)`  ->  `jnp.abs(y) - 1`", _SQUARED),
    equivalent("safe-distances", "`points[:, None] - points`  ->  `points - points[:, None]`", _SQUARED),
    equivalent("safe-distances", "`squares > 0`  ->  `squares != 0`", "a sum of squares is never negative"),
    equivalent(
        "safe-distances",
        "`jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)`  ->  "
        "`apart * jnp.sqrt(jnp.where(apart, squares, 1.0)) + (1 - apart) * 0.0`",
        "the root of 1 is finite, and 0 times it is 0",
    ),
    equivalent("safe-distances", "`apart`  ->  `squares`", "`where` takes a number that is not 0 for true"),
    equivalent(
        "safe-distances",
        "`jnp.where(apart, squares, 1.0)`  ->  `apart * squares + (1 - apart) * 1.0`",
        "squares of finite numbers: the same number",
    ),
    *(equivalent("safe-distances", f"`1.0`  ->  `{other}`", _NEVER_SEEN) for other in ("-1.0", "0.0", "1.01", "2.0")),
    equivalent("trusted-differences", "`3`  ->  `4`", "another step, and precise enough: the text gives no step"),
    equivalent("trusted-differences", "`np.zeros_like`  ->  `np.ones_like`", _SAME_SHAPE),
    equivalent("trusted-differences", "`wide`  ->  `gradient`", _SAME_SHAPE),
    equivalent("trusted-differences", "`wide`  ->  `x`", "a `float64` step makes the sum `float64`"),
]
