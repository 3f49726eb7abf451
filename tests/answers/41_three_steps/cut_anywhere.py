"""Answers to cut-anywhere."""

import itertools

import jax
import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


def runner(init, apply):
    """The right answer, to be broken by others."""

    @jax.jit
    def run(xs, state=None):
        state = init(jax.tree.map(lambda x: x[0], xs)) if state is None else state
        return jax.lax.scan(apply, state, xs)

    return run


@right("cut-anywhere")
def starts_outside_of_the_program(step):
    init, apply = step
    go = jax.jit(lambda state, xs: jax.lax.scan(apply, state, xs))

    def run(xs, state=None):
        return go(init({name: x[0] for name, x in xs.items()}) if state is None else state, xs)

    return run


@right("cut-anywhere")
class Runner:
    def __init__(self, step):
        self.init, self.apply = step

    def __call__(self, xs, state=None):
        if state is None:
            state = self.init(jax.tree.map(lambda x: x[0], xs))
        return jax.lax.scan(self.apply, state, xs)  # one function, so one program


@right("cut-anywhere")
def brings_the_state_to_numpy(step):
    run = runner(*step)

    def fetched(xs, state=None):
        state, ys = run(xs, state)
        return jax.device_get(state), ys

    return fetched


@wrong("cut-anywhere", "zero-is-a-state")
def asks_whether_the_state_is_true(step):
    init, apply = step
    go = jax.jit(lambda state, xs: jax.lax.scan(apply, state, xs))
    return lambda xs, state=None: go(state or init(jax.tree.map(lambda x: x[0], xs)), xs)


@wrong("cut-anywhere", "gives-the-state-away")
def donates_the_state(step):
    init, apply = step
    go = jax.jit(lambda state, xs: jax.lax.scan(apply, state, xs), donate_argnums=0)
    return lambda xs, state=None: go(init(jax.tree.map(lambda x: x[0], xs)) if state is None else state, xs)


@wrong("cut-anywhere", "compiled-again")
def scans_a_new_function_in_each_run(step):
    init, apply = step

    def run(xs, state=None):
        state = init(jax.tree.map(lambda x: x[0], xs)) if state is None else state
        return jax.lax.scan(lambda state, x: apply(state, x), state, xs)

    return run


@wrong("cut-anywhere", "first-start-kept")
def asks_for_the_start_once(step):
    init, apply = step
    walk, starts = jax.jit(lambda state, xs: jax.lax.scan(apply, state, xs)), []

    def run(xs, state=None):
        if not starts:
            starts.append(init(jax.tree.map(lambda x: x[0], xs)))
        return walk(starts[0] if state is None else state, xs)

    return run


@wrong("cut-anywhere", "compiled-again")
def compiles_each_start(step):
    init, apply = step
    go_on = jax.jit(lambda state, xs: jax.lax.scan(apply, state, xs))

    def start(xs):
        return jax.jit(lambda xs: jax.lax.scan(apply, init(jax.tree.map(lambda x: x[0], xs)), xs))(xs)

    return lambda xs, state=None: start(xs) if state is None else go_on(state, xs)


@wrong("cut-anywhere", "compiled-again")
def counts_the_runs(step):
    init, apply = step
    walk = jax.jit(lambda state, xs, run: jax.lax.scan(apply, state, xs), static_argnums=2)
    runs = itertools.count()

    def run(xs, state=None):
        return walk(init(jax.tree.map(lambda x: x[0], xs)) if state is None else state, xs, next(runs))

    return run


@right("cut-anywhere")
def starts_from_the_shape_of_a_row(step):
    init, apply = step

    @jax.jit
    def run(xs, state=None):
        state = init(jax.tree.map(lambda x: jnp.zeros(x.shape[1:], x.dtype), xs)) if state is None else state
        return jax.lax.scan(apply, state, xs)

    return run


@wrong("cut-anywhere", "loops-in-python")
def compiles_the_step_alone(step):
    init, apply = step[0], jax.jit(step[1])

    def run(xs, state=None):
        rows = [jax.tree.map(lambda x, t=t: x[t], xs) for t in range(len(next(iter(xs.values()))))]
        state, results = init(rows[0]) if state is None else state, []
        for row in rows:
            state, result = apply(state, row)
            results.append(result)
        return state, jax.tree.map(lambda *parts: jnp.stack(parts), *results)

    return run


@wrong("cut-anywhere", "starts-over")
def ignores_the_state(step):
    run = runner(*step)
    return lambda xs, state=None: run(xs)


@wrong("cut-anywhere", "remembers")
def keeps_the_last_state_itself(step):
    inner, last = runner(*step), None

    def run(xs, state=None):
        nonlocal last
        last, ys = inner(xs, last)
        return last, ys

    return run


@wrong("cut-anywhere", "compiled-again")
def jits_in_each_run(step):
    init, apply = step

    def run(xs, state=None):
        state = init(jax.tree.map(lambda x: x[0], xs)) if state is None else state
        return jax.jit(lambda state, xs: jax.lax.scan(apply, state, xs))(state, xs)

    return run


@wrong("cut-anywhere", "loops-in-python")
def loops_in_the_runner(step):
    init, apply = step

    @jax.jit
    def run(xs, state=None):
        rows = [jax.tree.map(lambda x, t=t: x[t], xs) for t in range(len(xs["flow"]))]
        state = init(rows[0]) if state is None else state
        results = []
        for row in rows:
            state, y = apply(state, row)
            results.append(y)
        return state, jax.tree.map(lambda *ys: jnp.stack(ys), *results)

    return run


@wrong("cut-anywhere", "row-lost")
def keeps_the_first_row_for_init(step):
    init, apply = step
    run = runner(init, apply)

    def shorter(xs, state=None):
        state = init(jax.tree.map(lambda x: x[0], xs)) if state is None else state
        return run(jax.tree.map(lambda x: x[1:], xs), state)

    return shorter


@wrong("cut-anywhere", "no-state-returned")
def returns_the_results_alone(step):
    run = runner(*step)
    return lambda xs, state=None: run(xs, state)[1]


@wrong("cut-anywhere", "no-results")
def returns_the_state_twice(step):
    run = runner(*step)
    return lambda xs, state=None: (run(xs, state)[0],) * 2


@wrong("cut-anywhere", "swapped")
def returns_the_results_first(step):
    run = runner(*step)
    return lambda xs, state=None: run(xs, state)[::-1]


@wrong("cut-anywhere", "rows-of-a-tree")
def takes_row_zero_of_the_dictionary(step):
    init, apply = step
    return lambda xs, state=None: jax.lax.scan(apply, init(xs[0]) if state is None else state, xs)


@wrong("cut-anywhere", "KeyError")
def knows_another_name(step):
    init, apply = step
    return lambda xs, state=None: jax.lax.scan(apply, init(xs["x"][0]) if state is None else state, xs)


@wrong("cut-anywhere", "other-shape")
def returns_the_last_result(step):
    run = runner(*step)

    def last(xs, state=None):
        state, ys = run(xs, state)
        return state, jax.tree.map(lambda y: y[-1], ys)

    return last


@wrong("cut-anywhere", "all-rows-for-init")
def starts_from_all_rows(step):
    init, apply = step
    return lambda xs, state=None: jax.lax.scan(apply, init(xs) if state is None else state, xs)


@wrong("cut-anywhere", "table-of-one-row")
def starts_from_a_slice_of_one_row(step):
    init, apply = step
    walk = jax.jit(lambda state, xs: jax.lax.scan(apply, state, xs))
    return lambda xs, state=None: walk(init(jax.tree.map(lambda x: x[:1], xs)) if state is None else state, xs)


@wrong("cut-anywhere", "no-run")
def runs_at_once(step):
    return step


@wrong("cut-anywhere", "wrong-value")
def runs_backwards(step):
    init, apply = step

    def run(xs, state=None):
        state = init(jax.tree.map(lambda x: x[0], xs)) if state is None else state
        return jax.lax.scan(apply, state, xs, reverse=True)

    return run


@wrong("cut-anywhere", "while-loop")
def walks_with_a_while_loop(step):
    init, apply = step

    @jax.jit
    def run(xs, state=None):
        state = init(row(xs, 0)) if state is None else state
        n, ys = room_for_all(apply, state, xs)

        def body(carried):
            i, state, ys = carried
            state, y = apply(state, row(xs, i))
            return i + 1, state, jax.tree.map(lambda every, y: every.at[i].set(y), ys, y)

        return jax.lax.while_loop(lambda carried: carried[0] < n, body, (0, state, ys))[1:]

    return run


def row(xs, i):
    """One row of every array."""
    return jax.tree.map(lambda x: x[i], xs)


def room_for_all(apply, state, xs):
    """How many rows there are, and zeros for what comes of them."""
    n = len(jax.tree.leaves(xs)[0])
    one = jax.eval_shape(lambda state: apply(state, row(xs, 0))[1], state)
    return n, jax.tree.map(lambda y: jnp.zeros((n, *y.shape), y.dtype), one)


@right("cut-anywhere")
def fills_an_array_in_a_loop_of_known_length(step):
    init, apply = step

    @jax.jit
    def run(xs, state=None):
        state = init(row(xs, 0)) if state is None else state
        n, ys = room_for_all(apply, state, xs)

        def body(i, carried):
            state, y = apply(carried[0], row(xs, i))
            return state, jax.tree.map(lambda every, y: every.at[i].set(y), carried[1], y)

        return jax.lax.fori_loop(0, n, body, (state, ys))

    return run


equivalents = [
    equivalent("cut-anywhere", "`0`  ->  `-1`", "`init` reads a row for its shape and dtype only"),
    equivalent("cut-anywhere", "`0`  ->  `1`", "`init` reads a row for its shape and dtype only"),
    equivalent("cut-anywhere", "`jax.jit`  ->  ``", "`scan` keeps its own program"),
]
