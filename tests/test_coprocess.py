"""A process that is asked and killed: what it gives, how it ends, and that the next call has a new one."""

import os
import signal
import subprocess
import sys
import time

import pytest

from jaxcourse.coprocess import Coprocess, CoprocessEnded

METHODS = pytest.mark.parametrize("method", ["fork", "spawn"])


def ends_with(status):
    os._exit(status)


def gives_a_function_of_its_own():
    return lambda: 1


def goes_away():
    raise SystemExit(3)


def inherited():
    """The files that are open in this process, but for the three streams."""
    return [name for name in os.listdir("/proc/self/fd") if int(name) > 2]


@METHODS
def test_it_gives_what_a_plain_call_gives_in_one_process_that_stays(method):
    with Coprocess(method) as apart:
        assert apart(len, "abc", seconds=60) == 3
        first = apart(os.getpid, seconds=60)
        assert first == apart(os.getpid, seconds=60) != os.getpid()


@METHODS
@pytest.mark.parametrize(
    ("call", "status"),
    [
        ((ends_with, 7), 7),
        ((signal.raise_signal, signal.SIGKILL), -signal.SIGKILL),
        ((int, "x"), 1),
        ((gives_a_function_of_its_own,), 1),
    ],
)
def test_a_call_that_ends_it_is_told_from_one_that_takes_too_long(method, call, status):
    with Coprocess(method) as apart:
        with pytest.raises(CoprocessEnded) as ended:
            apart(*call, seconds=60)
        assert (ended.value.status, ended.value.silent) == (status, False)
        with pytest.raises(CoprocessEnded) as ended:
            apart(time.sleep, 60, seconds=0.2)
        assert ended.value.silent
        assert apart(int, "4", seconds=60) == 4


@METHODS
def test_one_that_does_not_begin_is_no_reply(method):
    with Coprocess(method, goes_away) as apart, pytest.raises(RuntimeError, match="did not begin: the process ended"):
        apart(int, "4", seconds=60)


def lacks_something():
    raise ModuleNotFoundError("no module of that name")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_why_one_does_not_begin_stands_on_the_terminal(method, capfd):
    with Coprocess(method, lacks_something) as apart, pytest.raises(RuntimeError, match="did not begin"):
        apart(int, "4", seconds=60)
    assert "ModuleNotFoundError: no module of that name" in capfd.readouterr().err


def test_it_has_no_file_of_who_has_made_it(tmp_path):
    with (tmp_path / "of_ours").open("w"), Coprocess("fork") as apart:
        assert len(apart(inherited, seconds=60)) == 2  # its channel, and the folder that is read


@METHODS
def test_it_ends_with_who_has_made_it(method):
    code = f"""
import os, signal
from jaxcourse.coprocess import Coprocess
if __name__ == "__main__":
    apart = Coprocess({method!r})
    print(apart(os.getpid, seconds=60), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=False)
    number, until = int(done.stdout), time.monotonic() + 30
    while time.monotonic() < until and alive(number):
        time.sleep(0.05)
    assert not alive(number)


def alive(number):
    try:
        with open(f"/proc/{number}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
