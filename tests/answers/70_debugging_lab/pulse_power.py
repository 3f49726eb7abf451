"""Answers to pulse-power."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


def power_at(elapsed, period):
    angle = 2 * jnp.pi * elapsed / period
    return (jnp.cos(angle).sum() ** 2 + jnp.sin(angle).sum() ** 2) / elapsed.size


jitted = jax.jit(power_at)
static = jax.jit(power_at, static_argnums=1)


@wrong("pulse-power", "needs-the-numbers")
def as_it_was_found(times, periods):
    powers = []
    for period in periods:

        @jax.jit
        def power(times):
            angle = 2 * jnp.pi * times / period  # noqa: B023
            x, y = np.cos(angle).sum(), np.sin(angle).sum()
            return (x**2 + y**2) / times.size

        powers.append(power(times))
    return jnp.stack(powers)


@wrong("pulse-power", "all-at-once")
def repairs_the_error_alone(times, periods):
    powers = []
    for period in periods:

        @jax.jit
        def power(times):
            angle = 2 * jnp.pi * times / period  # noqa: B023
            return (jnp.cos(angle).sum() ** 2 + jnp.sin(angle).sum() ** 2) / times.size

        powers.append(power(times))
    return jnp.stack(powers)


@wrong("pulse-power", "all-at-once")
def subtracts_in_jax(times, periods):
    elapsed = jnp.asarray(times) - jnp.asarray(times)[0]
    return jnp.stack([jitted(elapsed, period) for period in periods])


@wrong("pulse-power", "one-program-per-period")
def compiles_each_period(times, periods):
    elapsed, powers = jnp.asarray(times - times[0]), []
    for period in periods:

        @jax.jit
        def power(elapsed):
            return power_at(elapsed, period)  # noqa: B023

        powers.append(power(elapsed))
    return jnp.stack(powers)


@wrong("pulse-power", "one-program-per-period")
def makes_the_period_static(times, periods):
    elapsed = jnp.asarray(times - times[0])
    return jnp.stack([static(elapsed, float(period)) for period in periods])


@wrong("pulse-power", "one-program-per-call")
def compiles_before_the_loop(times, periods):
    elapsed, power = jnp.asarray(times - times[0]), jax.jit(lambda t, p: power_at(t, p))
    return jnp.stack([power(elapsed, period) for period in periods])


@wrong("pulse-power", "gives-up-jit")
def stays_in_numpy(times, periods):
    angle = 2 * np.pi * (times - times[0])[:, None] / periods
    return jnp.asarray((np.cos(angle).sum(0) ** 2 + np.sin(angle).sum(0) ** 2) / times.size)


@wrong("pulse-power", "gives-up-jit")
def compiles_nothing_together(times, periods):
    elapsed = jnp.asarray(times - times[0])
    return jnp.stack([power_at(elapsed, period) for period in periods])


@jax.jit
def sums(x, y):
    return (x.sum() ** 2 + y.sum() ** 2) / x.size


@wrong("pulse-power", "gives-up-jit")
def compiles_the_sums_alone(times, periods):
    turns = [2 * jnp.pi * jnp.asarray(times - times[0]) / period for period in periods]
    return jnp.stack([sums(jnp.cos(turn), jnp.sin(turn)) for turn in turns])


@wrong("pulse-power", "not-in-jax")
def gives_a_list(times, periods):
    elapsed = jnp.asarray(times - times[0])
    return [jitted(elapsed, period) for period in periods]


@wrong("pulse-power", "wrong-value")
def finds_the_best_alone(times, periods):
    elapsed = jnp.asarray(times - times[0])
    return jnp.stack([jitted(elapsed, period) for period in periods]).max()


@wrong("pulse-power", "switches-to-64-bits")
def asks_for_64_bits(times, periods):
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    powers = jnp.stack([jitted(jnp.asarray(times), period) for period in periods]).astype(jnp.float32)
    jax.config.update("jax_enable_x64", before)
    return powers


@wrong("pulse-power", "changed-input")
def subtracts_in_place(times, periods):
    times -= times[0]
    return jnp.stack([jitted(jnp.asarray(times), period) for period in periods])


@right("pulse-power")
def all_at_once(times, periods):
    return jax.vmap(jitted, in_axes=(None, 0))(jnp.asarray(times - times.mean()), jnp.asarray(periods))


@jax.jit
def in_turn(elapsed, periods):
    return jax.lax.map(functools.partial(power_at, elapsed), periods)


@right("pulse-power")
def one_after_the_other(times, periods):
    return in_turn(np.float32(times - times[0]), np.float32(periods))


@jax.jit
def of_arrows(cycles):
    return jnp.abs(jnp.exp(2j * jnp.pi * cycles).sum(axis=0)) ** 2 / len(cycles)


@right("pulse-power")
def counts_cycles_in_numpy(times, periods):
    return of_arrows(((times - times[0])[:, None] / periods % 1).astype(np.float32))


@wrong("pulse-power", "added-too-late")
def squares_before_it_adds(times, periods):
    @jax.jit
    def power(times, period):
        angle = 2 * jnp.pi * times / period
        return (jnp.cos(angle) ** 2 + jnp.sin(angle) ** 2).sum()

    elapsed = jnp.asarray(times - times[0])
    return jnp.stack([power(elapsed, period) for period in periods])


@wrong("pulse-power", "one-program-per-call")
def makes_the_body_of_a_map_anew(times, periods):
    elapsed = jnp.asarray(times - times[0])

    def power(period):
        angle = 2 * jnp.pi * elapsed / period
        return (jnp.cos(angle).sum() ** 2 + jnp.sin(angle).sum() ** 2) / elapsed.size

    return jax.lax.map(power, jnp.asarray(periods))


equivalents = [
    equivalent("pulse-power", "`0`  ->  `-1`", "within a minute of the last photon are all others, too"),
    equivalent("pulse-power", "`2`  ->  `-2`", "if all arrows turn the other way, their sum is as long"),
    equivalent("pulse-power", "`elapsed`  ->  `angle`", "there is one angle for each time"),
    equivalent(
        "pulse-power",
        "`jnp.asarray(times - times[0])`  ->  `times - times[0]`",
        "`jit` makes an array of JAX of it",
    ),
    equivalent(
        "pulse-power",
        "`times - times[0]`  ->  `times[0] - times`",
        "if all arrows turn the other way, their sum is as long",
    ),
]
