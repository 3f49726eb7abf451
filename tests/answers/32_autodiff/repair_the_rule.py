"""Answers to repair-the-rule."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


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
    """The response with another backward pass, `backward(y, cotangent)`."""

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


equivalents = [
    equivalent("repair-the-rule", "`1 - jnp.abs(y)`  ->  `jnp.abs(y) - 1`", "the square is the same"),
]
