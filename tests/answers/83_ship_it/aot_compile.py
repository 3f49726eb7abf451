"""Answers to aot-compile."""

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


def described(n, dtype):
    """A vector without numbers."""
    return jax.ShapeDtypeStruct((n,), dtype)


@right("aot-compile")
def stage_by_stage(function, lengths, dtype):
    programs = {}
    for n in lengths:
        lowered = jax.jit(lambda x: function(x)).trace(np.zeros(n, dtype)).lower()
        programs[(n,)] = lowered.compile()

    def ready(x):
        if x.shape not in programs:
            raise TypeError(f"not made for {x.shape}")
        return programs[x.shape](x)

    return ready


@right("aot-compile")
def tries_one_program_after_the_other(function, lengths, dtype):
    programs = [jax.jit(function).lower(described(n, dtype)).compile() for n in lengths]

    def ready(x):
        for program in programs:
            try:
                return program(x)
            except TypeError:
                pass
        raise ValueError(f"made for none like {x.shape}")

    return ready


@wrong("aot-compile", "compiled-late")
def only_exports(function, lengths, dtype):
    exports = {n: jax.export.export(jax.jit(function))(described(n, dtype)) for n in lengths}
    return lambda x: exports[len(x)].call(x)


@wrong("aot-compile", "compiled-late")
def compiles_when_it_is_needed(function, lengths, dtype):
    lowered = {n: jax.jit(function).lower(described(n, dtype)) for n in lengths}
    return lambda x: lowered[len(x)].compile()(x)


@wrong("aot-compile", "accepts-everything")
def converts_what_comes(function, lengths, dtype):
    programs = {n: jax.jit(function).lower(described(n, dtype)).compile() for n in lengths}
    return lambda x: programs[len(x)](jnp.asarray(x, dtype))


@wrong("aot-compile", "accepts-everything")
def pads_to_the_next_length(function, lengths, dtype):
    programs = {n: jax.jit(function).lower(described(n, dtype)).compile() for n in lengths}

    def ready(x):
        bucket = min(n for n in programs if n >= len(x))
        return programs[bucket](jnp.pad(x, (0, bucket - len(x)))) if len(x) not in programs else programs[len(x)](x)

    return ready


@wrong("aot-compile", "one-function-only")
def expects_one_result(function, lengths, dtype):
    first = jax.jit(lambda x: jax.tree.leaves(function(x))[0])
    programs = {n: first.lower(described(n, dtype)).compile() for n in lengths}
    return lambda x: programs[len(x)](x)


@wrong("aot-compile", "wrong-type")
def one_length_only(function, lengths, dtype):
    return jax.jit(function).lower(described(lengths[0], dtype)).compile()


@wrong("aot-compile", "wrong-type")
def a_list_of_programs_by_place(function, lengths, dtype):
    programs = [jax.jit(function).lower(described(n, dtype)).compile() for n in lengths]
    return lambda x: programs[0](x)


@wrong("aot-compile", "just-in-time")
def only_jits(function, lengths, dtype):
    return jax.jit(function)


@wrong("aot-compile", "not-compiled")
def returns_the_dictionary(function, lengths, dtype):
    return {n: jax.jit(function).lower(described(n, dtype)).compile() for n in lengths}


@wrong("aot-compile", "run-with-numbers")
def warms_up_op_by_op(function, lengths, dtype):
    function(jnp.zeros(lengths[0], dtype))
    programs = {n: jax.jit(function).lower(described(n, dtype)).compile() for n in lengths}
    return lambda x: programs[len(x)](x)


@wrong("aot-compile", "run-with-numbers")
def warms_up_and_watches_the_door(function, lengths, dtype):
    jitted = jax.jit(function)
    for n in lengths:
        jitted(jnp.zeros(n, dtype))

    def ready(x):
        if x.ndim != 1 or len(x) not in lengths or x.dtype != dtype:
            raise TypeError(f"not made for {x.shape} of {x.dtype}")
        return jitted(x)

    return ready


@wrong("aot-compile", "accepts-everything")
def warms_up(function, lengths, dtype):
    jitted = jax.jit(function)
    for n in lengths:
        jitted(jnp.zeros(n, dtype))
    return jitted


@wrong("aot-compile", "wrong-type")
def float32_always(function, lengths, dtype):
    programs = {n: jax.jit(function).lower(described(n, jnp.float32)).compile() for n in lengths}
    return lambda x: programs[len(x)](x)


@wrong("aot-compile", "wrong-value")
def compiles_twice_the_function(function, lengths, dtype):
    twice = jax.jit(lambda x: 2 * function(x))
    programs = {n: twice.lower(described(n, dtype)).compile() for n in lengths}
    return lambda x: programs[len(x)](x)


@wrong("aot-compile", "compiled-late")
def reshapes_at_each_call(function, lengths, dtype):
    rows = {n: jax.jit(function).lower(jax.ShapeDtypeStruct((1, n), dtype)).compile() for n in lengths}
    return lambda x: rows[len(x)](x[None])[0]


@wrong("aot-compile", "just-in-time")
def compiles_at_the_first_call(function, lengths, dtype):
    programs = {}

    def ready(x):
        if len(x) not in programs:
            programs[len(x)] = jax.jit(function).lower(x).compile()
        return programs[len(x)](x)

    return ready
