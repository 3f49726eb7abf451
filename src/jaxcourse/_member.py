"""One process of several: it meets the others, makes sure that all run the same program, and runs it.

`jaxcourse.launch` starts this file as a script. It says how far it has come on its standard output, in words that
begin with `MARK`; whatever else stands there comes from the program.
"""

from __future__ import annotations

import io
import json
import linecache
import os
import socket
import sys
import threading
import time
import traceback
import zlib
from typing import Any

MARK = "\x1f"
"""Begins a word to the launcher. What follows it to the end of the line is that word."""

HEARTBEAT = 10
"""Seconds after which a process that has fallen silent is given up by the others."""


class OtherProgram(RuntimeError):
    """Not all processes run the same program."""


def main() -> None:
    """Read what is to be done, meet the other processes, and run the program."""
    # Whole lines: what the libraries say in between would end up in the middle of one.
    sys.stdout.reconfigure(line_buffering=True, write_through=False)  # type: ignore[union-attr]
    task = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_the_launcher, daemon=True).start()
    sys.stdin = io.StringIO()  # nobody types anything here
    try:
        _meet(task["rank"], task["count"], task["port"], task["meet"])
        _require_one_program(task["program"])
        _say("met")
        _run(task["program"], task["name"], task["arguments"])
    except BaseException as error:
        _leave(error)
    _say("done")


def _say(word: str) -> None:
    print(f"{MARK}{word}", flush=True)


def _end_with_the_launcher() -> None:
    """Wait for the end of the standard input: it comes when the launcher has ended, however that happened."""
    while os.read(0, 1024):
        pass
    os._exit(1)


def _meet(rank: int, count: int, port: int, seconds: float) -> None:
    """Join the other processes; returns when all are there."""
    import jax

    _say("here")
    address = f"127.0.0.1:{port}"
    if rank:
        _wait_for(port, seconds)
    jax.distributed.initialize(
        address,
        count,
        rank,
        coordinator_bind_address=address,  # else it listens to the whole network
        cluster_detection_method="deactivate",  # else it asks every kind of cluster first
        heartbeat_timeout_seconds=HEARTBEAT,
        initialization_timeout=int(seconds) + 60,  # the launcher has given up before, and says who is missing
    )


def _wait_for(port: int, seconds: float) -> None:
    """Wait until process 0 listens: whoever knocks earlier is made to wait for a second."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)


def _require_one_program(program: str) -> None:
    """Compare a checksum of the program with that of every other process.

    Raises:
        OtherProgram: they differ.
    """
    import numpy as np
    from jax.experimental import multihost_utils

    mine = np.uint32(zlib.crc32(program.encode()))
    marks = np.ravel(multihost_utils.process_allgather(mine)).tolist()
    others = [rank for rank, mark in enumerate(marks) if mark != marks[0]]
    if others:
        raise OtherProgram(f"{process_names(others)} runs another program than process 0")


def process_names(ranks: list[int]) -> str:
    """Processes by their numbers, in words.

    Example:
        >>> process_names([1]), process_names([0, 2, 3])
        ('process 1', 'each of the processes 0, 2 and 3')
    """
    if len(ranks) == 1:
        return f"process {ranks[0]}"
    return f"each of the processes {', '.join(map(str, ranks[:-1]))} and {ranks[-1]}"


def _run(program: str, name: str, arguments: list[str]) -> None:
    """Run the program as Python runs a script; one that ends itself with status 0 has come to its end."""
    linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    sys.argv = [name, *arguments]
    names: dict[str, Any] = {"__name__": "__main__", "__file__": name}
    try:
        exec(compile(program, name, "exec"), names)
    except SystemExit as error:
        if error.code:
            raise


def _leave(error: BaseException) -> None:
    """End this process now: in the usual way it would wait for the others first, and they for it."""
    own = error.__traceback__
    while own and own.tb_frame.f_code.co_filename == __file__:
        own = own.tb_next
    if own and not isinstance(error, SystemExit):
        traceback.print_exception(error.with_traceback(own), file=sys.stdout)
    _say(_last_word(error))
    time.sleep(0.2)  # if the cause is the death of a neighbour, the launcher sees that one first
    os._exit(error.code if isinstance(error, SystemExit) and isinstance(error.code, int) else 1)


def _last_word(error: BaseException) -> str:
    if isinstance(error, OtherProgram):
        return f"differs {error}"
    if isinstance(error, SystemExit):
        status = f"with status {error.code}" if isinstance(error.code, int) else f"and said: {error.code}"
        return f"failed ended itself {status}"
    return f"failed raised {''.join(traceback.format_exception_only(error)).strip().splitlines()[0]}"


if __name__ == "__main__":
    main()
