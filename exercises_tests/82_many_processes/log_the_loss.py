"""log-the-loss: all compute the mean, and process 0 writes it down."""

import numpy as np

from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import numbers

from ._lesson import WORDS as LESSON
from ._lesson import rehearsed, require_no_trouble


def _judge_logs(logs, losses, every):
    columns = np.array(losses, float).reshape(len(losses), -1)
    want = [(step, float(columns[:, step].mean())) for step in range(columns.shape[1]) if step % every == 0]
    require(all(isinstance(log, list) for log in logs), "not-a-list")
    require(not any(logs[1:]), "all-write")
    pairs = all(isinstance(line, (tuple, list)) and len(line) == 2 for line in logs[0])
    require(pairs, "not-pairs")
    steps = [numbers(line[0]).tolist() for line in logs[0]]
    right_steps = [step for step, _ in want]
    require(steps == right_steps, "wrong-steps", steps=steps, right=right_steps)
    means, right_means = (np.array([line[1] for line in log], float) for log in (logs[0], want))
    mine, totals = columns[0, ::every], columns[:, ::every].sum(0)
    many = len(losses) > 1 and len(want) > 1
    refuse(many and np.array_equal(means, mine) and not np.allclose(mine, right_means), "own-loss")
    refuse(many and np.allclose(means, totals) and not np.allclose(totals, right_means), "sums")
    expect(means, right_means, "wrong-value")


def one_process_logs(answer, rng):
    """The mean of all losses, logged by one process, for which all take part.

    A function, since processes run together, and what each of them did is one reply.
    """
    cases = [(2, 4, 2), (3, 5, 1), (1, 3, 2), (2, 0, 1), (2, 3, 5), (4, 7, 3)]
    cases.append((int(rng.integers(2, 6)), int(rng.integers(4, 12)), int(rng.integers(2, 4))))
    for count, steps, every in cases:
        losses = [[float(n) / 4 for n in rng.integers(0, 80, size=steps)] for _ in range(count)]
        for mine in losses[:: int(rng.integers(1, 3))]:  # a loss of zero counts
            mine[:1] = [0.0] * len(mine[:1])
        facts = answer.probe(rehearsed, count, losses, [every] * count)
        answer.called = f"log_the_loss(rank, {count}, exchange, losses, {every}) with {steps} losses each"
        answer.returned = str(facts["results"])
        require_no_trouble(facts["trouble"])
        _judge_logs(facts["results"], losses, every)


WORDS = """
hint: Who must come to a meeting?
hint: Take the rank out of the condition around `exchange`.
not-a-list: Return a list in every process.
all-write: A process other than 0 has lines in its log. Only process 0 writes, so that each line is there once.
not-pairs: Each line of your log should be a pair of the step and the mean.
wrong-steps: Process 0 logs the steps {steps}, and should log {right}.
own-loss: These are process 0's own losses, and not the mean over all processes.
sums: These are sums over the processes. Divide by their number.
wrong-value: Each line of process 0's log should have the mean over all processes.
"""

log_the_loss = declare(
    "log-the-loss",
    see="in-step",
    steps=[one_process_logs],
    words=(LESSON, WORDS),
)
