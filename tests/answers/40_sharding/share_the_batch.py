"""Answers to share-the-batch."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import equivalent, right, wrong


@wrong("share-the-batch", "number-of-devices-fixed")
def divides_by_eight(mesh, w, x, y, rate):
    def body(w, x, y):
        gradient = jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)  # summed over the devices: `w` is a copy on each
        return w - rate * gradient / 8

    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P("x"), P("x")), out_specs=P())(w, x, y)


@right("share-the-batch")
def constrains_on_auto_axes(mesh, w, x, y, rate):
    rows, copies = NamedSharding(mesh, P("x")), NamedSharding(mesh, P())
    x, y = jax.lax.with_sharding_constraint((x, y), rows)
    gradient = jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)
    return jax.lax.with_sharding_constraint(w - rate * gradient, copies)


@right("share-the-batch")
def says_how_the_sum_lies(mesh, w, x, y, rate):
    x, y = jax.sharding.reshard((x, y), NamedSharding(mesh, P("x")))
    gradient = jnp.einsum("ij,i->j", x, x @ w - y, out_sharding=NamedSharding(mesh, P(None)))
    return w - 2 * rate * gradient / len(y)


@wrong("share-the-batch", "ShardingTypeError")
def leaves_the_sum_open(mesh, w, x, y, rate):
    x, y = jax.sharding.reshard((x, y), NamedSharding(mesh, P("x")))
    return w - 2 * rate * x.T @ (x @ w - y) / len(y)


@wrong("share-the-batch", "work-not-shared")
def reshards_and_drops_it(mesh, w, x, y, rate):
    jax.sharding.reshard((x, y), NamedSharding(mesh, P("x")))
    return w - rate * jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)


@wrong("share-the-batch", "w-cut")
def reshards_the_weights(mesh, w, x, y, rate):
    rows = NamedSharding(mesh, P("x"))
    x, y = jax.sharding.reshard((x, y), rows)
    gradient = jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)
    return jax.sharding.reshard(w - rate * gradient, rows)


@wrong("share-the-batch", "others-travel")
def reshards_the_misses_back(mesh, w, x, y, rate):
    x, y = jax.sharding.reshard((x, y), NamedSharding(mesh, P("x")))
    misses = jax.sharding.reshard(x @ w - y, NamedSharding(mesh, P()))
    return w - 2 * rate * jnp.matmul(misses, x, out_sharding=NamedSharding(mesh, P(None))) / len(y)


@wrong("share-the-batch", "work-not-shared")
def in_an_inner_program(mesh, w, x, y, rate):
    rows, copies = NamedSharding(mesh, P("x")), NamedSharding(mesh, P())

    def step(w, x, y):
        misses = x @ w - y
        return w - rate * 2 * (misses @ x) / x.shape[0]

    return jax.jit(step, in_shardings=(copies, rows, rows), out_shardings=copies)(w, x, y)


@right("share-the-batch")
def with_the_loss_by_hand(mesh, w, x, y, rate):
    def loss(w, x, y):
        return jax.lax.pmean(((x @ w - y) ** 2).mean(), "x")

    mean = jax.shard_map(loss, mesh=mesh, in_specs=(P(), P("x"), P("x")), out_specs=P())
    return w - rate * jax.jit(jax.grad(mean))(w, x, y)


@right("share-the-batch")
def cuts_only_the_misses(mesh, w, x, y, rate):
    def loss(w):
        misses = jax.lax.with_sharding_constraint(x @ w - y, NamedSharding(mesh, P("x")))
        return (misses**2).mean()

    return w - rate * jax.grad(loss)(w)


@right("share-the-batch")
def cuts_only_the_rows_of_x(mesh, w, x, y, rate):
    x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("x", None)))
    return w - rate * 2 / len(x) * x.T @ (x @ w - y)


@wrong("share-the-batch", "work-not-shared")
def on_copies(mesh, w, x, y, rate):
    return w - rate * jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)


@wrong("share-the-batch", "work-not-shared")
def places_inside_on_auto_axes(mesh, w, x, y, rate):
    jax.lax.with_sharding_constraint(y, NamedSharding(mesh, P("x")))
    x, y = jax.device_put((x, y), NamedSharding(mesh, P("x")))
    return w - rate * jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)


@wrong("share-the-batch", "step-too-long")
def averages_what_is_summed(mesh, w, x, y, rate):
    def step(w, x, y):
        gradient = jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)
        return w - rate * jax.lax.pmean(gradient, "x")

    return jax.shard_map(step, mesh=mesh, in_specs=(P(), P("x"), P("x")), out_specs=P())(w, x, y)


@wrong("share-the-batch", "w-cut")
def cuts_the_weights(mesh, w, x, y, rate):
    rows = NamedSharding(mesh, P("x"))
    x, y = jax.lax.with_sharding_constraint((x, y), rows)
    gradient = jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)
    return jax.lax.with_sharding_constraint(w - rate * gradient, rows)


@wrong("share-the-batch", "others-travel")
def shares_and_gathers_again(mesh, w, x, y, rate):
    rows, copies = NamedSharding(mesh, P("x")), NamedSharding(mesh, P())
    x, y = jax.lax.with_sharding_constraint((x, y), rows)
    misses = jax.lax.with_sharding_constraint(x @ w - y, copies)
    return w - rate * 2 * (misses @ x) / x.shape[0]


@wrong("share-the-batch", "not-one-all-reduce")
def cuts_the_columns_of_the_batch(mesh, w, x, y, rate):
    x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(None, "x")))
    w = jax.lax.with_sharding_constraint(w, NamedSharding(mesh, P("x")))
    misses = jax.lax.with_sharding_constraint(x @ w - y, NamedSharding(mesh, P()))
    step = w - rate * 2 * (misses @ x) / x.shape[0]
    total = jax.lax.with_sharding_constraint(step, NamedSharding(mesh, P("x"))).sum()
    return jax.lax.with_sharding_constraint(step + 0 * total, NamedSharding(mesh, P("x")))


@wrong("share-the-batch", "sum-no-mean")
def of_the_sum(mesh, w, x, y, rate):
    x, y = jax.lax.with_sharding_constraint((x, y), NamedSharding(mesh, P("x")))
    return w - rate * jax.grad(lambda w: ((x @ w - y) ** 2).sum())(w)


@wrong("share-the-batch", "other-dtype")
def keeps_half_the_digits_of_w(mesh, w, x, y, rate):
    return with_the_loss_by_hand.answer(mesh, w, x, y, rate).astype(jnp.float16)


@wrong("share-the-batch", "uphill")
def adds_the_gradient(mesh, w, x, y, rate):
    x, y = jax.lax.with_sharding_constraint((x, y), NamedSharding(mesh, P("x")))
    return w + rate * jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)


@wrong("share-the-batch", "gradient-only")
def returns_the_gradient(mesh, w, x, y, rate):
    x, y = jax.lax.with_sharding_constraint((x, y), NamedSharding(mesh, P("x")))
    return jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)


@wrong("share-the-batch", "no-rate")
def forgets_the_rate(mesh, w, x, y, rate):
    x, y = jax.lax.with_sharding_constraint((x, y), NamedSharding(mesh, P("x")))
    return w - jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)


@wrong("share-the-batch", "wrong-value")
def takes_magnitudes(mesh, w, x, y, rate):
    x, y = jax.lax.with_sharding_constraint((x, y), NamedSharding(mesh, P("x")))
    return w - rate * jax.grad(lambda w: jnp.abs(x @ w - y).mean())(w)


@wrong("share-the-batch", "half-a-step")
def forgets_the_factor_of_the_square(mesh, w, x, y, rate):
    x, y = jax.lax.with_sharding_constraint((x, y), NamedSharding(mesh, P("x")))
    return w - rate * x.T @ (x @ w - y) / len(y)


@wrong("share-the-batch", "one-device-decides")
def one_device_decides(mesh, w, x, y, rate):
    def step(w, x, y):
        gradient = jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)
        return w - rate * gradient

    return jax.shard_map(step, mesh=mesh, in_specs=(P(), P("x"), P("x")), out_specs=P(), check_vma=False)(w, x, y)


@right("share-the-batch")
def by_the_table_of_products(mesh, w, x, y, rate):
    x, y = jax.lax.with_sharding_constraint((x, y), NamedSharding(mesh, P("x")))
    return w - rate * 2 / len(y) * (x.T @ x @ w - x.T @ y)  # more work than it takes, and all of it is shared


@wrong("share-the-batch", "others-travel")
def cuts_the_weights_on_the_way(mesh, w, x, y, rate):
    x, y, w = jax.lax.with_sharding_constraint((x, y, w), NamedSharding(mesh, P("x")))
    gradient = jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)
    return jax.lax.with_sharding_constraint(w - rate * gradient, NamedSharding(mesh, P()))


@wrong("share-the-batch", "others-travel")
def gathers_the_gradients(mesh, w, x, y, rate):
    def step(w, x, y):
        gradient = 2 * x.T @ (x @ w - y) / len(y)
        return w - rate * jax.lax.all_gather(gradient, "x").mean(0)

    return jax.shard_map(step, mesh=mesh, in_specs=(P(), P("x"), P("x")), out_specs=P(), check_vma=False)(w, x, y)


@wrong("share-the-batch", "uphill")
def turns_the_sign_of_the_misses(mesh, w, x, y, rate):
    x, y = jax.lax.with_sharding_constraint((x, y), NamedSharding(mesh, P("x")))
    return w - rate * 2 * x.T @ (y - x @ w) / len(y)


@wrong("share-the-batch", "work-not-shared")
def throws_the_constraints_away(mesh, w, x, y, rate):
    jax.lax.with_sharding_constraint((x, y), NamedSharding(mesh, P("x")))
    return w - rate * jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)


@wrong("share-the-batch", "step-too-long")
def divides_by_the_rows_of_one_device(mesh, w, x, y, rate):
    x, y = jax.lax.with_sharding_constraint((x, y), NamedSharding(mesh, P("x")))
    mine = len(y) // mesh.size
    return w - rate * jax.grad(lambda w: ((x @ w - y) ** 2).sum() / mine)(w)


equivalents = [
    equivalent("share-the-batch", "`w - rate * gradient`  ->  `-rate * gradient + w`", "a sum has no order"),
    equivalent("share-the-batch", "`x @ w - y`  ->  `y - x @ w`", "the distance is the same from both ends"),
]
