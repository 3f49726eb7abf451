"""Answers to log-the-loss."""

import numpy as np

from jaxcourse.exercise import right, wrong


@right("log-the-loss")
def all_keep_a_log_and_one_returns_it(rank, count, exchange, losses, every):
    everybody = exchange("losses", losses)
    log = [(step, float(np.mean([mine[step] for mine in everybody]))) for step in range(0, len(losses), every)]
    return log if rank == 0 else []


@wrong("log-the-loss", "left-waiting")
def as_it_was(rank, count, exchange, losses, every):
    log = []
    for step, loss in enumerate(losses):
        if rank == 0 and step % every == 0:
            mean = sum(exchange("mean", loss)) / count
            log.append((step, mean))
    return log


@wrong("log-the-loss", "left-waiting")
def others_meet_in_every_step(rank, count, exchange, losses, every):
    log = []
    for step, loss in enumerate(losses):
        if rank != 0:
            exchange("mean", loss)
        elif step % every == 0:
            log.append((step, sum(exchange("mean", loss)) / count))
    return log


@wrong("log-the-loss", "own-loss")
def meets_nobody(rank, count, exchange, losses, every):
    return [(step, losses[step]) for step in range(0, len(losses), every)] if rank == 0 else []


@wrong("log-the-loss", "all-write")
def everybody_logs(rank, count, exchange, losses, every):
    return [(step, sum(exchange("mean", losses[step])) / count) for step in range(0, len(losses), every)]


@wrong("log-the-loss", "all-write")
def all_but_process_0(rank, count, exchange, losses, every):
    log = [(step, sum(exchange("mean", losses[step])) / count) for step in range(0, len(losses), every)]
    return log if rank else []


@wrong("log-the-loss", "sums")
def forgets_to_divide(rank, count, exchange, losses, every):
    log = [(step, sum(exchange("mean", losses[step]))) for step in range(0, len(losses), every)]
    return log if rank == 0 else []


@wrong("log-the-loss", "wrong-steps")
def logs_every_step(rank, count, exchange, losses, every):
    log = [(step, sum(exchange("mean", loss)) / count) for step, loss in enumerate(losses)]
    return log if rank == 0 else []


@wrong("log-the-loss", "wrong-value")
def takes_the_median(rank, count, exchange, losses, every):
    log = [(step, float(np.median(exchange("mean", losses[step])))) for step in range(0, len(losses), every)]
    return log if rank == 0 else []


@wrong("log-the-loss", "not-pairs")
def without_the_step(rank, count, exchange, losses, every):
    log = [sum(exchange("mean", losses[step])) / count for step in range(0, len(losses), every)]
    return log if rank == 0 else []


@wrong("log-the-loss", "not-a-list")
def nothing_elsewhere(rank, count, exchange, losses, every):
    log = [(step, sum(exchange("mean", losses[step])) / count) for step in range(0, len(losses), every)]
    return log if rank == 0 else None


@wrong("log-the-loss", "different-things")
def another_meeting_elsewhere(rank, count, exchange, losses, every):
    log = [(s, sum(exchange("mean" if rank == 0 else "loss", losses[s])) / count) for s in range(0, len(losses), every)]
    return log if rank == 0 else []
