"""The sandbox: an attack succeeds without its protection and fails with it, and honest work goes on inside.

As root, all is tried a second time as `nobody`.
"""

import contextlib
import dataclasses
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from sandbox_acts import ATTACKS, FOR_ROOT, NOBODY, SECRET, WORK

from jaxcourse.grade import _sandbox
from jaxcourse.grade._sandbox import (
    ESSENTIAL,
    PROTECTIONS,
    Limits,
    available,
    overfull,
    overuse,
    readable_paths,
    scratch_folder,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is made of Linux' own means")

ROOT = os.geteuid() == 0
USERS = {"root": 0, "nobody": NOBODY} if ROOT else {"self": os.geteuid()}
ALL = sorted(PROTECTIONS)


@pytest.fixture(scope="module")
def server():
    """Forks a process for each act that it is asked for: see `sandbox_acts`."""
    command = [sys.executable, str(Path(__file__).with_name("sandbox_acts.py"))]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(Path(_sandbox.__file__).parents[2])}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        yield process
        process.stdin.close()


@pytest.fixture(scope="module")
def doors():
    """Servers of our own: ports on the loopback interface, and sockets by path and by name."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        tcp, unix, abstract = (
            stack.enter_context(socket.socket(kind)) for kind in (socket.AF_INET, *[socket.AF_UNIX] * 2)
        )
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        mailbox = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        addresses = ("127.0.0.1", 0), f"{folder}/unix", f"\0{folder}/unix", ("127.0.0.1", 0), f"{folder}/mailbox"
        for door, address in zip((tcp, unix, abstract, udp, mailbox), addresses, strict=True):
            door.bind(address)
        for door in (tcp, unix, abstract):
            door.listen(99)
        for path in folder.iterdir():
            path.chmod(0o777)
        ports = {"tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1]}
        yield {**ports, "unix": f"{folder}/unix", "mailbox": f"{folder}/mailbox"}


@contextlib.contextmanager
def scene(doors, user):
    """What an attack is aimed at, all of it the user's own: files, and a process that sleeps."""
    base = Path(tempfile.mkdtemp())
    files = {"outside/solution.txt": SECRET, "cache/entry": "compiled"}
    for name, text in files.items():
        (base / name).parent.mkdir()
        (base / name).write_text(text)
    (base / "scratch").mkdir()
    (base / "scratch" / "link").symlink_to(base / "outside" / "solution.txt")
    for path in (base, *base.rglob("*")):
        os.chown(path, user, -1, follow_symlinks=False)
    who = {"user": user, "group": user, "extra_groups": []} if ROOT else {}
    victim = subprocess.Popen(["sleep", "60"], env={"SECRET": "1"}, start_new_session=True, **who)
    folders = {name: str(base / name) for name in ("scratch", "outside", "cache")}
    try:
        yield SimpleNamespace(**folders, victim=victim.pid, process=victim, **doors)
    finally:
        victim.kill()
        victim.wait()
        (base / "outside").chmod(0o700)
        shutil.rmtree(base)


def ask(server, doors, name, protections, user=None, limits=None, **more):
    """What became of an act, and of the scene: `succeeded` (with what it returned), `refused` or `ended`."""
    user = next(iter(USERS.values())) if user is None else user
    with scene(doors, user) as place:
        before = state(place)
        aims = {key: value for key, value in vars(place).items() if key != "process"} | more
        request = {"act": name, "protections": protections, "user": user, "limits": limits or {}, "scene": aims}
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        return SimpleNamespace(**json.loads(server.stdout.readline())), state(place) == before


def state(place):
    """All that an attack could change."""
    paths = [Path(place.outside), *sorted(Path(place.outside).rglob("*")), *sorted(Path(place.cache).rglob("*"))]
    seen = [(path, path.stat(), path.read_text() if path.is_file() else "") for path in paths]
    held = os.sched_getscheduler(place.victim), os.getpriority(os.PRIO_PROCESS, place.victim)
    return (
        [(path, stat.st_mode, stat.st_mtime, stat.st_nlink, text) for path, stat, text in seen],
        held,
        place.process.poll(),
    )


CASES = [(name, user) for name in ATTACKS for user in USERS if user == "root" or name not in FOR_ROOT]


@pytest.mark.parametrize("name, user", CASES)
def test_an_attack_succeeds_only_without_its_protection(server, doors, name, user):
    free, _ = ask(server, doors, name, None, USERS[user])
    assert hasattr(free, "returned") or vars(free) == {"status": 0}
    for protections in ([ATTACKS[name]], ALL):
        held, is_intact = ask(server, doors, name, protections, USERS[user])
        assert hasattr(held, "refused"), protections
        assert is_intact


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("name", WORK)
def test_honest_work_goes_on(server, doors, name, user):
    if "uses" in name and user == "nobody" and not os.access(sys.base_prefix, os.X_OK):
        return
    done, _ = ask(server, doors, name, ALL, USERS[user])
    assert vars(done) == {"returned": None}
