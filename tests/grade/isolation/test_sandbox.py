"""The sandbox: an attack succeeds without its protection and fails with it, and honest work goes on inside.

As root, all is tried a second time as `nobody`.
"""

import contextlib
import errno
import itertools
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from sandbox_acts import ATTACKS, FOR_ROOT, NOBODY, SECRET, WORK

from jaxcourse_grade.isolation import _reach, _sandbox
from jaxcourse_grade.isolation._sandbox import (
    ESSENTIAL,
    PROTECTIONS,
    Limits,
    SandboxError,
    available,
    overfull,
    overuse,
    scratch_folder,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is made of Linux' own means")

ROOT = os.geteuid() == 0
ME = os.geteuid()
USERS = {"root": 0, "nobody": NOBODY} if ROOT else {"me": ME}
ALL = sorted(PROTECTIONS)
SYSTEM = [path for path in map(str, _reach._system_paths()) if os.path.exists(path)] + ["/proc/self"]


@contextlib.contextmanager
def started(*modules):
    """A process that forks others, each for one act: see `sandbox_acts`."""
    acts = str(Path(__file__).with_name("sandbox_acts.py"))
    command = [sys.executable, acts, str(Path(_sandbox.__file__).parent), *modules]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, text=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"}) as process:
        yield process
        process.stdin.close()


@pytest.fixture(scope="module")
def server():
    with started() as process:
        yield process


@pytest.fixture(scope="module")
def listeners():
    """Servers of our own: ports on the loopback interface, and sockets by path and by name."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        here, stream, datagram = ("127.0.0.1", 0), socket.SOCK_STREAM, socket.SOCK_DGRAM
        wanted = {
            "tcp": (socket.AF_INET, stream, here),
            "udp": (socket.AF_INET, datagram, here),
            "unix": (socket.AF_UNIX, stream, f"{folder}/unix"),
            "abstract": (socket.AF_UNIX, stream, f"\0{folder}/unix"),
            "mailbox": (socket.AF_UNIX, datagram, f"{folder}/mailbox"),
        }
        addresses = {}
        for name, (family, kind, address) in wanted.items():
            listener = stack.enter_context(socket.socket(family, kind))
            listener.bind(address)
            if kind == stream:
                listener.listen(99)
            addresses[name] = listener.getsockname()[1] if family == socket.AF_INET else address
        for path in folder.iterdir():
            path.chmod(0o777)
        yield {name: address for name, address in addresses.items() if name != "abstract"}


@contextlib.contextmanager
def made_scene(listeners, user, *, with_victim=False):
    """What an attack is aimed at, all of it the user's own: files, and perhaps a process that sleeps."""
    base = Path(tempfile.mkdtemp())
    for name, text in {"outside/solution.txt": SECRET, "cache/entry": "compiled"}.items():
        (base / name).parent.mkdir()
        (base / name).write_text(text)
    (base / "scratch").mkdir()
    (base / "scratch" / "link").symlink_to(base / "outside" / "solution.txt")
    for path in (base, *base.rglob("*")):
        os.chown(path, user, -1, follow_symlinks=False)
    folders = {name: str(base / name) for name in ("scratch", "outside", "cache")}
    try:
        with asleep(user) if with_victim else contextlib.nullcontext() as victim:
            yield SimpleNamespace(**folders, victim=victim.pid if victim else None, process=victim, **listeners)
    finally:
        (base / "outside").chmod(0o700)
        shutil.rmtree(base)


@contextlib.contextmanager
def asleep(user):
    """A process of a user, in a group of its own."""
    who = {"user": user, "group": user, "extra_groups": []} if user != ME else {}
    with subprocess.Popen(["sleep", "60"], env={"SECRET": "1"}, start_new_session=True, **who) as process:
        yield process
        process.kill()


def ask(server, scene, act, protections, user=ME, readable=SYSTEM, limits=None, **aims):
    """What became of an act: `returned`, `refused`, or the `status` with which its process ended."""
    aims |= {name: value for name, value in vars(scene).items() if name != "process"}
    request = {"act": act, "protections": protections, "user": user, "limits": limits or {}, "scene": aims}
    server.stdin.write(json.dumps(request | {"readable": [*readable, scene.cache]}) + "\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())


@pytest.fixture
def scene(listeners):
    with made_scene(listeners, ME) as made:
        yield made


def state(scene):
    """All that an attack could change."""
    folders = [Path(scene.outside), Path(scene.cache)]
    paths = [*folders, *itertools.chain(*(sorted(folder.rglob("*")) for folder in folders))]
    files = [(path, text(path), *kept(path.stat())) for path in paths]
    if scene.process is None or scene.process.poll() is not None:
        return files, scene.process and "ended"
    return files, os.sched_getscheduler(scene.victim), os.getpriority(os.PRIO_PROCESS, scene.victim)


def text(path):
    """What a file holds, if it is one and its owner may read it: only root reads a file that is closed to all."""
    try:
        return path.read_text() if path.is_file() else ""
    except PermissionError:
        return "closed"


def kept(stat):
    return stat.st_mode, stat.st_uid, stat.st_mtime, stat.st_nlink


def outcomes(server, listeners, act, protections, user):
    """What became of an act, and whether its scene is as before."""
    with made_scene(listeners, user, with_victim=act in AT_PROCESSES) as scene:
        before = state(scene)
        return ask(server, scene, act, protections, user), state(scene) == before


AT_PROCESSES = {"read_anothers_environment", *(name for name in ATTACKS if ATTACKS[name] == "signals")}
CASES = [(name, user) for name in ATTACKS for user in USERS if user == "root" or name not in FOR_ROOT]


@pytest.mark.parametrize("name, user", CASES)
def test_an_attack_succeeds_only_without_its_protection(server, listeners, name, user):
    free, _ = outcomes(server, listeners, name, None, USERS[user])
    assert free in ({"returned": None}, {"status": 0})
    for protections in ([ATTACKS[name]], ALL):
        held, is_intact = outcomes(server, listeners, name, protections, USERS[user])
        assert list(held) == ["refused"], protections
        assert is_intact


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("name", WORK)
def test_honest_work_goes_on(server, listeners, name, user):
    done, _ = outcomes(server, listeners, name, ALL, USERS[user])
    assert done == {"returned": None}


def test_the_libraries_work(scene):
    roomy = {"scratch_bytes": 2**26, "scratch_files": 10_000}
    libraries = list(map(str, _reach.readable_paths()))
    with started("jax.export", "matplotlib.pyplot", "numba") as server:
        for name in ("uses_numba", "uses_matplotlib"):
            assert ask(server, scene, name, ALL, readable=libraries, limits=roomy) == {"returned": None}
        prepared = ask(server, scene, "uses_jax", None, readable=libraries, fill=True)
        held = ask(server, scene, "uses_jax", ALL, readable=libraries, limits=roomy, fill=False)
    assert prepared == {"returned": 0}
    assert held["returned"] > 0


def test_processor_time_ends(server, scene):
    assert ask(server, scene, "burns", []) == {"returned": None}
    assert ask(server, scene, "burns", ALL, limits={"seconds": 0}) == {"status": -signal.SIGXCPU}


def test_a_process_may_abort(server, scene):
    assert ask(server, scene, "aborts", ALL) == {"status": -signal.SIGABRT}


def test_limits_stay(server, scene):
    assert "refused" in ask(server, scene, "raises_its_limits", ALL)


def test_no_process_outlives_its_parent(server, scene):
    assert ask(server, scene, "outlives_its_parent", None, protections_within=["limits"]) == {"returned": "I live"}
    assert ask(server, scene, "outlives_its_parent", None, protections_within=["orphans"]) == {"returned": ""}
    assert ask(server, scene, "outlives_its_parent", None, protections_within=ALL) == {"returned": ""}


def test_a_parent_that_ended_before_is_noticed(server, scene):
    said = ask(server, scene, "outlives_its_parent_at_the_start", None, protections_within=["orphans"])
    assert said == {"returned": "the process that started this one is gone."}


def test_the_tie_to_the_parent_cannot_be_cut(server, scene):
    assert ask(server, scene, "cuts_the_cord", []) == {"returned": None}
    assert "refused" in ask(server, scene, "cuts_the_cord", ["orphans"])


def test_scratch_is_left_empty_on_disk(server, scene):
    assert ask(server, scene, "leaves_a_file", ["limits"]) == {"returned": None}
    assert Path(scene.scratch, "left").exists()
    Path(scene.scratch, "left").unlink()
    assert ask(server, scene, "leaves_a_file", ALL) == {"returned": None}
    assert not Path(scene.scratch, "left").exists()


def test_what_is_not_there_is_named(server, scene):
    refused = ask(server, scene, "enters_reading_what_is_not_there", None)["refused"]
    assert refused == "SandboxError: /not/there cannot be made readable inside the sandbox: No such file or directory."


def test_one_thread_enters(server, scene):
    assert "several threads" in ask(server, scene, "enters_with_two_threads", None)["refused"]


def test_without_protections_a_process_moves_in(server, scene):
    assert ask(server, scene, "enters_unprotected", None) == {"returned": [scene.scratch, SECRET]}


def test_a_folder_around_a_secret(server, scene):
    assert ask(server, scene, "reads_a_package_in_pieces", None) == {"returned": [3, "refused"]}


def test_descriptors_are_shut(server, scene):
    assert ask(server, scene, "shuts_descriptors", None)["returned"] == ["kept", "nothing", True]


def test_every_part_of_a_protection_goes_by_its_name():
    """One that was renamed in a single table would refuse nothing there."""
    named = {*_sandbox._REFUSED, *_sandbox._conditional(1), *ESSENTIAL, *ATTACKS.values()}
    assert named <= PROTECTIONS.keys() == _sandbox._SIGNS.keys()


def test_unknown_protections_are_refused(tmp_path):
    with pytest.raises(SandboxError, match="there is no protection 'walls'"):
        _sandbox.enter(tmp_path, [], Limits(), ["walls"])


# -- what a machine gives ----------------------------------------------------------------------------------------


def test_this_machine_gives_the_essential_protections():
    assert {name: available()[name] for name in ESSENTIAL} == dict.fromkeys(ESSENTIAL, "")


def test_where_namespaces_are_forbidden_only_they_are_missing(server, scene):
    tried = ask(server, scene, "tries_where_namespaces_are_forbidden", None)["returned"]
    assert {name for name in tried if tried[name]} == {"disk"}
    assert tried["disk"] == "a mount namespace is not available: Operation not permitted."


def test_without_landlock_only_files_are_open(server, scene):
    tried = ask(server, scene, "tries_without_landlock", None)["returned"]
    assert {name: why for name, why in tried.items() if why} == {
        "files": "Landlock is not available: Function not implemented."
    }


@pytest.mark.filterwarnings(
    r"ignore:os\.fork\(\) was called:RuntimeWarning"
)  # JAX may have been imported by other tests.
@pytest.mark.parametrize("name", sorted(PROTECTIONS))
def test_a_protection_that_does_not_hold_is_not_promised(monkeypatch, tmp_path, name):
    """Nothing is put up here; the signs must tell."""
    monkeypatch.setattr(_sandbox, "enter", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    # In a process whose parent is ours, as in earnest: whoever runs the tests may not be allowed to ask their own.
    tried = _sandbox._in_a_fork(lambda: _sandbox._try_alone(name, tmp_path))
    assert tried == "it was accepted, and does not hold."


@pytest.mark.parametrize(
    "system, machine, why", [("darwin", "arm64", "this is darwin"), ("linux", "riscv64", "riscv64")]
)
def test_other_systems_say_why(monkeypatch, tmp_path, system, machine, why):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(_sandbox.platform, "machine", lambda: machine)
    with pytest.raises(SandboxError, match=why):
        _sandbox.enter(tmp_path, [], Limits(), ESSENTIAL)
    found = available.__wrapped__()
    assert found.keys() == PROTECTIONS.keys() and all(why in reason for reason in found.values())


# -- the filter, on both architectures ---------------------------------------------------------------------------


def judged(machine, call, *arguments, protections=ALL, architecture=None, pid=77):
    """What the filter says to a system call: the program run as the kernel would."""
    arch = _sandbox._ARCHITECTURES[machine] if architecture is None else architecture
    words = struct.unpack("<16I", struct.pack("<IIQ6Q", call, arch, 0, *arguments, *[0] * (6 - len(arguments))))
    program, at, held = _sandbox._filter(machine, protections, pid), 0, 0
    while True:
        code, if_true, if_false, value = program[at]
        at += 1
        if code == 0x06:
            return value
        if code == 0x20:
            held = words[value // 4]
        elif code == 0x54:
            held &= value
        elif code == 0x05:
            at += value
        else:
            holds = {0x15: held == value, 0x25: held > value, 0x35: held >= value}[code]
            at += if_true if holds else if_false


ALLOWED, KILLED = 0x7FFF0000, 0x80000000


def refused(number):
    return 0x00050000 | number


# From the kernel's tables: reading, `clone`, `kill`, `ioctl` and `execve`.
CALLS = {
    "x86_64": {"read": 0, "clone": 56, "kill": 62, "ioctl": 16, "execve": 59, "mmap": 9, "fcntl": 72, "prctl": 157},
    "aarch64": {
        "read": 63,
        "clone": 220,
        "kill": 129,
        "ioctl": 29,
        "execve": 221,
        "mmap": 222,
        "fcntl": 25,
        "prctl": 167,
    },
}


@pytest.mark.parametrize("machine", CALLS)
def test_the_filter(machine):
    call = CALLS[machine]
    eperm = refused(errno.EPERM)
    assert judged(machine, call["read"]) == ALLOWED
    assert judged(machine, call["execve"]) == eperm
    assert judged(machine, call["execve"], protections=["files"]) == ALLOWED
    assert [judged(machine, call["kill"], pid) for pid in (77, 78, 0, 2**32 - 1)] == [ALLOWED, eperm, eperm, eperm]
    assert [judged(machine, call["clone"], flags) for flags in (0x3D0F00, 0x3C0F00)] == [ALLOWED, eperm]
    assert judged(machine, 435) == refused(errno.ENOSYS)
    assert [judged(machine, call["ioctl"], 1, request) for request in (0x5401, 0x5412)] == [ALLOWED, eperm]
    assert [judged(machine, call["mmap"], 0, 0, 0, flags) for flags in (0x22, 0x21, 0x01)] == [ALLOWED, eperm, ALLOWED]
    assert [judged(machine, call["fcntl"], 3, command) for command in (1, 8)] == [ALLOWED, eperm]
    assert [judged(machine, call["prctl"], option) for option in (15, 1, 4)] == [ALLOWED, eperm, eperm]


@pytest.mark.parametrize("machine", CALLS)
def test_the_filter_looks_at_the_bits_that_the_kernel_looks_at(machine):
    """What is above an argument's 32 bits is cut off by the kernel: it must not hide the rest."""
    high = 1 << 32
    assert judged(machine, CALLS[machine]["ioctl"], 1, high | 0x5412) == refused(errno.EPERM)
    assert judged(machine, CALLS[machine]["fcntl"], 3, high | 8) == refused(errno.EPERM)
    assert judged(machine, CALLS[machine]["kill"], high | 78) == refused(errno.EPERM)


@pytest.mark.parametrize("machine", CALLS)
def test_calls_in_another_manner_end_the_process(machine):
    read = CALLS[machine]["read"]
    assert judged(machine, read, architecture=0x40000003) == KILLED
    assert judged(machine, 470) == refused(errno.ENOSYS)
    assert judged(machine, 0x40000000 | read) == (KILLED if machine == "x86_64" else refused(errno.ENOSYS))


# -- the judge's part --------------------------------------------------------------------------------------------


@contextlib.contextmanager
def running(code):
    """A process that has said that it is ready."""
    command = [sys.executable, "-I", "-c", f"{code}; print('ready', flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield process.pid
        process.kill()


def test_overuse_of_memory():
    with running("import sys; held = b'x' * 2**26") as pid:
        assert overuse(pid, Limits()) == ""
        assert overuse(pid, Limits(memory=2**26)) == "memory"


def test_overuse_of_threads():
    wait = "threading.Thread(target=threading.Event().wait, daemon=True).start()"
    with running(f"import threading; {wait}; {wait}") as pid:
        assert [overuse(pid, Limits(threads=count)) for count in (3, 2)] == ["", "threads"]


def test_nobody_overuses_anything():
    with running("pass") as pid:
        pass
    with pytest.raises(OSError):
        overuse(pid, Limits())


def test_a_full_folder(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "file").write_bytes(os.urandom(2**16))
    (tmp_path / "sub" / "link").symlink_to("/")
    assert not overfull(tmp_path, Limits(scratch_bytes=2**17, scratch_files=3))
    assert overfull(tmp_path, Limits(scratch_bytes=2**15))
    assert overfull(tmp_path, Limits(scratch_files=2))


def test_empty_bytes_take_no_room(tmp_path):
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(2**30)
    assert not overfull(tmp_path, Limits())


def test_a_folder_that_goes_is_not_full(tmp_path):
    assert not overfull(tmp_path / "gone", Limits())


def make_deep(folder, depth):
    """Folders within folders, deeper than a path can name."""
    here = os.getcwd()
    os.chdir(folder)
    for _ in range(depth):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    os.chdir(here)


def test_a_scratch_folder_goes_however_deep(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with scratch_folder() as folder:
        make_deep(folder, 30)
        assert overfull(folder, Limits())
    assert not os.listdir(tmp_path)


def test_a_scratch_folder_goes_however_closed(server, listeners):
    user = list(USERS.values())[-1]  # root finds nothing closed
    with made_scene(listeners, user) as scene:
        assert ask(server, scene, "closes_a_folder", None, user) == {"returned": [True, []]}


def test_limits_leave_room_for_jax():
    limits = Limits(memory=2**30)
    assert limits.address_space(2**30) >= 2 * 2**30 + 2**31
    assert limits.cpu_seconds >= limits.seconds
