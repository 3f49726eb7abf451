"""Several processes of one machine: what they see, who fails first, and that nobody is left behind."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from jaxcourse import launch
from jaxcourse.cli import main

SUM = """
import sys
import jax, numpy as np
from jax.experimental import multihost_utils
everybody = multihost_utils.process_allgather(np.int32(10 ** jax.process_index()))
print(int(everybody.sum()), jax.local_device_count(), jax.device_count(), sys.argv[1:])
"""
WAITING = "import os, time; print(os.getpid()); time.sleep(60)"


def run(program: object, count: int = 2, **options: object) -> tuple[launch.Outcome, list[str]]:
    said: list[str] = []
    return launch.together(program, count, show=said.append, **options), said


def test_processes_meet_and_compute_together() -> None:
    outcome, said = run(SUM, 2, devices=2, arguments=["first", "-x"])
    assert outcome == launch.Outcome((0, 0)) and outcome.ok
    assert sorted(said) == [f"[{rank}] 11 2 4 ['first', '-x']" for rank in (0, 1)]


def test_lines_arrive_while_the_program_runs() -> None:
    times: list[float] = []
    launch.together("import time; print('a'); time.sleep(1); print('b')", 1, show=lambda _: times.append(time.time()))
    assert times[1] - times[0] > 0.5


def test_a_line_stays_whole_whatever_the_libraries_say_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    program = "import os; print('a', end=' '); os.write(1, b'[Gloo] Rank 0\\n'); print('b')"
    assert run(program, 1)[1] == ["[0] a b"]


@pytest.mark.parametrize(
    ("last", "statuses", "why"),
    [
        ("raise ValueError('bad batch')", (1, 1), "it raised ValueError: bad batch"),
        ("os._exit(3)", (1, 3), "it left with status 3 before the end of the program"),
        ("sys.exit(4)", (1, 4), "it ended itself with status 4"),
    ],
)
def test_the_first_that_fails_is_named_and_takes_the_others_along(last: str, statuses: object, why: str) -> None:
    program = f"{SUM}import os\nif jax.process_index() == 1:\n    {last}\n{SUM}"
    began = time.monotonic()
    outcome, said = run(program, 2)
    assert outcome.failure == f"process 1 was the first to fail: {why}"
    assert outcome.statuses in (statuses, (-9, statuses[1]))
    assert said[-1] == f"failed: {outcome.failure}"
    assert time.monotonic() - began < 30


def test_one_that_was_killed_is_named_though_another_is_heard_of_first() -> None:
    unheard = "subprocess.Popen(['sleep', '3']); os.kill(os.getpid(), signal.SIGKILL)"
    program = f"{SUM}import os, signal, subprocess, time\nif jax.process_index():\n    {unheard}\n"
    outcome, _ = run(program + "time.sleep(0.5)\nos._exit(1)")
    assert outcome == launch.Outcome((1, -9), "process 1 was the first to fail: it was ended by SIGKILL")


class HeardLate:
    """A process that was killed, and whose status can be asked for only a moment later."""

    returncode: int | None = None

    def __init__(self) -> None:
        self.asked = 0

    def poll(self) -> int | None:
        self.asked += 1
        self.returncode = -signal.SIGKILL if self.asked > 3 else None
        return self.returncode


def test_one_that_was_killed_is_named_though_its_status_comes_late() -> None:
    echo = subprocess.Popen([sys.executable, "-c", "raise SystemExit(1)"])
    echo.wait()
    said: list[str] = []
    workers = {0: echo, 1: HeardLate()}
    run = launch._Run([], 1, 9.0, 9.0, said.append, workers=workers, words={0: [], 1: []})  # type: ignore[arg-type]
    run.end_at = time.monotonic() + 9
    run._ended(0)
    assert run.failure == "process 1 was the first to fail: it was ended by SIGKILL"


def test_a_traceback_shows_the_line_of_the_program() -> None:
    outcome, said = run("import jax\n1 / 0\n", 1)
    assert not outcome.ok
    assert '[0]   File "<program>", line 2, in <module>' in said and "[0]     1 / 0" in said


def test_a_process_that_is_missing_is_named() -> None:
    outcome, _ = run([None, SUM], meet=1)
    assert outcome == launch.Outcome((None, -9), "process 0 was missing, and the others waited 1 s")


def test_another_program_is_noticed_before_it_does_anything() -> None:
    outcome, said = run([SUM, SUM + "#"])
    assert outcome.failure == "process 1 runs another program than process 0"
    assert said == [f"failed: {outcome.failure}"]


def test_who_had_finished_is_said_when_time_is_up() -> None:
    program = "import jax, time\nif jax.process_index() == 1: time.sleep(60)"
    outcome, _ = run(program, 2, seconds=4)
    assert outcome.failure == "4 s were over, and process 1 had not ended, while process 0 had finished"


def ends(process: int) -> bool:
    """Whether a process is gone, or goes within some seconds."""
    for _ in range(100):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if "\nState:\tZ" in Path(f"/proc/{process}/status").read_text():
                return True
            time.sleep(0.1)
            continue
        return True
    return False


needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="processes are looked up in /proc")


@needs_proc
def test_an_interrupt_leaves_no_process_behind() -> None:
    said: list[str] = []

    def interrupted(line: str) -> None:
        said.append(line)
        if len(said) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        launch.together(WAITING, 2, show=interrupted)
    assert all(ends(int(line.split()[1])) for line in said)


@needs_proc
def test_processes_end_with_a_launcher_that_is_killed(tmp_path: Path) -> None:
    program = tmp_path / "waiting.py"
    program.write_text(WAITING)
    command = [sys.executable, "-m", "jaxcourse", "launch", "--processes", "1", str(program)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as launcher:
        assert launcher.stdout
        process = int(launcher.stdout.readline().split()[1])
        assert Path(f"/proc/{process}").exists()
        launcher.send_signal(signal.SIGKILL)
    assert ends(process)


def test_the_command_runs_a_file_beside_its_modules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "beside.py").write_text("words = 'found'")
    (tmp_path / "program.py").write_text(
        "import sys, beside\nprint(beside.words, __file__)\nsys.exit(int(sys.argv[1]))"
    )
    monkeypatch.chdir(tmp_path)
    assert main(["launch", "--processes", "1", "program.py", "0"]) == 0
    assert capsys.readouterr().out == "[0] found program.py\n"
    assert main(["launch", "--processes", "1", "program.py", "5"]) == 1
    assert "failed: process 0 was the first to fail: it ended itself with status 5" in capsys.readouterr().out
    assert main(["launch", "nowhere.py"]) == 2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: launch.together("", 0), "not 0 and 1"),
        (lambda: launch.together([]), "not 0 and 1"),
        (lambda: launch.together("", 2, devices=0), "not 2 and 0"),
    ],
)
def test_what_cannot_run_is_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        call()


def test_a_process_leaves_accelerators_and_proxies_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "https_proxy", "http://nowhere")
    settings = launch.environment(4)
    assert settings["JAX_PLATFORMS"] == "cpu" and settings["JAX_NUM_CPU_DEVICES"] == "4"
    assert "https_proxy" not in settings and settings["PJRT_NPROC"] == "16"
