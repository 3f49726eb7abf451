"""honest-seconds: the time of one call, to the end of its work and without that of compiling."""

import types

import jax
import jax.experimental
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, naming, refuse, require
from jaxcourse.exercise import is_close, numbers


# A call returns after `dispatch` seconds, and the device computes while the caller goes on. The gradient is there after
# the work of all calls so far, the loss a bit sooner. The first call for a shape compiles. `read_while_busy`: whether a
# reading came before a result; `busy`: whether a call followed such a one.
def on_a_model_clock(stopwatch, dispatch, works, compiling, begins=0.0):
    """Time a function of a modelled device, by the clock that it moves, once for each of the works."""
    device = types.SimpleNamespace(now=begins, free=begins, traced=0)

    @jax.jit
    def program(x):  # JAX knows whether it has to be compiled, also after its caches were emptied
        device.now += compiling
        return x

    class Part(types.SimpleNamespace):
        shape, dtype, ndim, size = (3,), np.dtype(np.float32), 1, 3

        def block_until_ready(self):
            device.now = max(device.now, self.ready)
            device.awaited[self.name] = True
            return self

        def is_ready(self):  # the work of a call takes eight polls; the first that says so has waited
            early, device.now = device.now < self.ready, max(device.now, min(self.ready, device.now + device.work / 8))
            return not early and bool(self.block_until_ready())

        def __array__(self, dtype=None, copy=None):
            return np.zeros(3, self.block_until_ready() and dtype)

        def __getitem__(self, index):
            return self

        def __float__(self):
            return float(self.__array__()[0])

    def run(x):
        device.calls, device.awaited, device.now = device.calls + 1, {}, device.now + dispatch  # awaits begin anew
        device.busy |= device.read_while_busy
        device.free = max(device.free, device.now) + device.work
        ready = {"loss": device.free - 0.6 * device.work, "gradient": device.free}
        return {name: Part(name=name, ready=when) for name, when in ready.items()}

    class Jitted:
        def __call__(self, x):
            device.traced += isinstance(x, jax.core.Tracer)
            return {"loss": x, "gradient": x} if isinstance(x, jax.core.Tracer) else run(program(x))

        def lower(self, x):
            return self

        def compile(self):
            program(argument)
            return run

        trace = lower

    def read():
        device.readings, device.read_while_busy = device.readings + 1, device.free > device.now
        return device.now

    jitted, argument, found = Jitted(), probe.on_device(np.zeros(3)), []
    for work in works:
        vars(device).update(work=work, calls=0, readings=0, awaited={}, read_while_busy=False, busy=False)
        found.append({"seconds": stopwatch(jitted, argument, read), **vars(device)})
    return {"timings": found, "traced": device.traced}


def the_time_of_one_call(answer, rng):
    """The time begins with the dispatch of one call, and ends when all that it gives is there.

    A function, since the times of dispatch and work tell together what was measured, and stand in its words.
    """
    dispatch, work, other = (float(rng.uniform(*ends)) for ends in ((0.1, 0.2), (1, 2), (5, 9)))
    with naming({"method-of-an-array": "'dict' object has no attribute 'block_until_ready'"}):
        asked = answer.probe(on_a_model_clock, dispatch, [work, other], 100.0)
    slowly = answer.probe(on_a_model_clock, dispatch, [work, other], 300.0)
    later = answer.probe(on_a_model_clock, dispatch, [work, other], 100.0, 5000.0)
    first, again = asked["timings"]
    answer.called, answer.returned = "honest_seconds(f, x, clock)", str(first["seconds"])
    got, slow, late = (numbers(each["timings"][0]["seconds"]) for each in (asked, slowly, later))
    require(got.shape == (), "wrong-shape")
    require(np.isfinite(got), "nan")
    require(first["readings"], "another-clock")
    got = float(got)
    seen = {"dispatch": f"{dispatch:.4f}", "work": f"{work:.2f}", "got": f"{got:.4g}"}
    require(is_close(got, late, rtol=1e-6), "one-reading")
    require(is_close(got, slow, rtol=1e-6), "compiling-included")
    require(got >= 0, "clock-turned-round", **seen)
    refuse(asked["traced"] and got < dispatch / 2, "another-function")
    require_all_of_one_call(first, dispatch, work, seen)
    expect(got, work + dispatch, "wrong-value", rtol=0.01)
    expect(again["seconds"], other + dispatch, "remembered", other=f"{other:.2f}", rtol=0.01)
    facts = answer.probe(on_a_model_clock, 1e-5 * dispatch, [1e-5 * work], 100.0)["timings"][0]
    expect(facts["seconds"], 1e-5 * (work + dispatch), "rounded", rtol=0.01)


def require_all_of_one_call(facts, dispatch, work, seen):
    """The time of one call should begin with its dispatch, and end when all that it gives is there."""
    got, awaited = float(numbers(facts["seconds"])), [*facts["awaited"]]
    refuse(len(awaited) == 1, "one-array-only", awaited=awaited and awaited[0])
    refuse(not awaited or is_close(got, dispatch, rtol=1e-6), "dispatch-only", **seen)
    refuse(got > 1.02 * (work + dispatch) and facts["busy"], "warm-up-not-awaited", **seen)
    for times in range(2, facts["calls"] + 1):  # each waited for, or all at the end
        several = times * (work + dispatch), times * work + dispatch
        refuse(any(is_close(got, total, rtol=1e-6) for total in several), "not-divided", times=times, **seen)
    refuse(is_close(got, work, rtol=1e-6), "dispatch-left-out", **seen)


WORDS = """
hint: Call `f` once before you look at the clock. What is still going on when that call returns?
hint: `jax.block_until_ready` waits for all arrays in its argument. You need it twice.
method-of-an-array: Your code asks the dictionary for `block_until_ready`, which only an array has.
    `jax.block_until_ready` waits for all arrays in its argument.
wrong-shape: Return one number.
nan: Your time should be a finite number.
another-clock: You never asked `clock()`, which alone tells the time here.
clock-turned-round: Your time is {got} s, for a call that returns after {dispatch} s, and a result {work} s later.
    Which reading is the later one?
one-reading: You return what the clock shows, and not how far it moved. Take the difference of two readings.
compiling-included: Your time grows if compiling takes longer, so some of that is in it. Call `f` with the same `x`
    once, before you look at the clock.
another-function: Your code traced `f` between the readings, as a part of another function, and did not run it. Call
    `f` itself.
one-array-only: You wait for `{awaited}`, and not for the other array of the result. It may come later.
dispatch-only: Your time is {got} s, for a call that returns after {dispatch} s, and a result {work} s later. You
    timed the dispatch: wait for the result first.
not-divided: Your time is {got} s, for a call that returns after {dispatch} s, and a result {work} s later. Return
    the time of one call, and not of {times}.
dispatch-left-out: Your time is {got} s, for a call that returns after {dispatch} s, and a result {work} s later.
    Look at the clock before the call.
warm-up-not-awaited: Your time is {got} s, for a call that returns after {dispatch} s, and a result {work} s later.
    Wait for the first call as well, before the clock starts.
wrong-value: Your time is not that of one call.
remembered: Your first answer is right. Asked again about the same `f`, which now works for {other} s:
rounded: Your time is right for seconds, but not if a call takes some microseconds, as most do. Neither round nor
    set a limit.
"""

honest_seconds = declare(
    "honest-seconds",
    points=2,
    see="returns-before-it-is-done",
    steps=[the_time_of_one_call],
    words=WORDS,
)
