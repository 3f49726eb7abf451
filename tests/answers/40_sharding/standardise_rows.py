"""Answers to standardise-rows."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import equivalent, right, wrong


@wrong("standardise-rows", "still-gathers")
def gathers_everything(mesh, x):
    everything = NamedSharding(mesh, P())
    x = jax.sharding.reshard(x, everything)
    result = (x - x.mean(axis=0)) / x.std(axis=0)
    return jax.sharding.reshard(result, NamedSharding(mesh, P("x")))


@wrong("standardise-rows", "still-gathers")
def gathers_everything_on_auto_axes(mesh, x):
    x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P()))
    result = (x - x.mean(axis=0)) / x.std(axis=0)
    return jax.lax.with_sharding_constraint(result, NamedSharding(mesh, P("x")))


@right("standardise-rows")
def follows_its_argument(mesh, x):
    mean = x.mean(axis=0)
    return (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(axis=0))


@right("standardise-rows")
def by_hand(mesh, x):
    def body(piece):
        centred = piece - jax.lax.pmean(piece.mean(axis=0), "x")
        return centred / jnp.sqrt(jax.lax.pmean((centred**2).mean(axis=0), "x"))

    return jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"))(x)


@wrong("standardise-rows", "still-gathers")
def turns_it_to_columns(mesh, x):
    if x.shape[1] % mesh.size == 0:
        x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(None, "x")))
    result = (x - x.mean(axis=0)) / x.std(axis=0)
    return jax.lax.with_sharding_constraint(result, NamedSharding(mesh, P("x")))


@wrong("standardise-rows", "other-dtype")
def standardises_in_half_the_digits(mesh, x):
    return follows_its_argument.answer(mesh, x).astype(jnp.float16)


@wrong("standardise-rows", "other-layout")
def gathers_by_a_sum(mesh, x):
    def body(piece):
        start = jax.lax.axis_index("x") * len(piece)
        whole = jax.lax.dynamic_update_slice(jnp.zeros(x.shape, x.dtype) + 0 * piece[:1], piece, (start, 0))
        return jax.lax.psum(whole, "x")

    x = jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P())(x)
    return (x - x.mean(axis=0)) / x.std(axis=0)


@wrong("standardise-rows", "mean-of-a-piece")
def in_pieces(mesh, x):
    def body(piece):
        return (piece - piece.mean(axis=0)) / piece.std(axis=0)

    return jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"))(x)


@wrong("standardise-rows", "kept-from-zero")
def adds_the_usual_epsilon(mesh, x):
    return (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-8)


@wrong("standardise-rows", "wrong-value")
def along_the_rows(mesh, x):
    return (x - x.mean(axis=1, keepdims=True)) / x.std(axis=0)


@wrong("standardise-rows", "not-divided")
def only_centres(mesh, x):
    return x - x.mean(axis=0)


@wrong("standardise-rows", "divided-by-the-variance")
def forgets_the_root(mesh, x):
    return (x - x.mean(axis=0)) / x.var(axis=0)


@wrong("standardise-rows", "other-axis")
def standardises_rows(mesh, x):
    return (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)


@wrong("standardise-rows", "mean-of-deviations")
def averages_the_deviations(mesh, x):
    def body(piece):
        centred = piece - jax.lax.pmean(piece.mean(axis=0), "x")
        return centred / jax.lax.pmean(piece.std(axis=0), "x")

    return jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"))(x)


@wrong("standardise-rows", "digits-cancel")
def by_the_mean_of_squares(mesh, x):
    mean = x.mean(axis=0)
    return (x - mean) / jnp.sqrt((x**2).mean(axis=0) - mean**2)


@wrong("standardise-rows", "one-row-less")
def divides_by_one_less(mesh, x):
    return (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)


@wrong("standardise-rows", "still-gathers")
def gathers_the_means(mesh, x):
    def body(piece):
        centred = piece - jax.lax.all_gather(piece.mean(axis=0), "x").mean(axis=0)
        return centred / jnp.sqrt(jax.lax.all_gather((centred**2).mean(axis=0), "x").mean(axis=0))

    return jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"))(x)


@right("standardise-rows")
def constrains_on_auto_axes(mesh, x):
    result = (x - x.mean(axis=0)) / x.std(axis=0)
    return jax.lax.with_sharding_constraint(result, NamedSharding(mesh, P("x")))


@right("standardise-rows")
def through_columns_of_sums(mesh, x):
    ones = jnp.ones((1, len(x)), x.dtype)
    copies = NamedSharding(mesh, P(None, None))
    centred = x - jnp.matmul(ones, x, out_sharding=copies) / len(x)
    return centred / jnp.sqrt(jnp.matmul(ones, centred**2, out_sharding=copies) / len(x))


@wrong("standardise-rows", "still-gathers")
def reshards_the_result_to_copies(mesh, x):
    return jax.sharding.reshard((x - x.mean(axis=0)) / x.std(axis=0), NamedSharding(mesh, P()))


@wrong("standardise-rows", "one-row-less")
def reshards_what_is_nearly_right(mesh, x):
    result = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    return jax.sharding.reshard(result, NamedSharding(mesh, P("x")))


@wrong("standardise-rows", "ValueError")
def reshards_with_a_bare_spec(mesh, x):
    return jax.sharding.reshard((x - x.mean(axis=0)) / x.std(axis=0), P("x"))


equivalents = [
    equivalent(
        "standardise-rows",
        "`jax.sharding.reshard(result, NamedSharding(mesh, P('x')))`  ->  `result`",
        "the result follows `x` of itself",
    ),
]
