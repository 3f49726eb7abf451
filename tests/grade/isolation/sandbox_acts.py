"""What processes do in the tests of the sandbox: attacks, honest work, and a server that forks a process for each.

An attack is aimed at a scene: files, servers and a process that the test made. It returns if it succeeded.

`python sandbox_acts.py FOLDER MODULE...` is the server. It takes `_sandbox` from its folder, without the course and
without JAX: a small process forks many times faster.
"""

import asyncio
import ctypes
import fcntl
import importlib
import json
import mmap
import os
import random
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import traceback
from pathlib import Path
from types import SimpleNamespace

if __name__ == "__main__":
    sys.path.append(sys.argv[1])
    import _reach
    import _sandbox

LIMITS = {"scratch_bytes": 2**20, "scratch_files": 64, "file_bytes": 4 * 2**20, "open_files": 64}
NOBODY = 65534
SECRET = "the solution"

libc = ctypes.CDLL(None, use_errno=True)


def call(name, *args):
    """Call a function of the C library."""
    result = getattr(libc, name)(*args)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


ACTS = {}
"""All that can be asked for, by name."""
ATTACKS = {}
"""The protection that stands against an attack, by the attack's name."""
FOR_ROOT = set()
"""The attacks that only root can make."""
WORK = []
"""The names of the honest work."""


def act(function):
    ACTS[function.__name__] = function
    return function


def attack(protection, *, root=False):
    def register(function):
        ATTACKS[function.__name__] = protection
        if root:
            FOR_ROOT.add(function.__name__)
        return act(function)

    return register


def work(function):
    WORK.append(function.__name__)
    return act(function)


# -- attacks -----------------------------------------------------------------------------------------------------


@attack("files")
def read(scene):
    assert Path(scene.outside, "solution.txt").read_text() == SECRET


@attack("files")
def read_through_a_link(scene):
    assert Path("link").read_text() == SECRET


@attack("files")
def read_through_dots(scene):
    assert Path(f"../{Path(scene.outside).name}/solution.txt").read_text() == SECRET


@attack("files")
def read_through_proc(scene):
    assert Path(f"/proc/self/root{scene.outside}/solution.txt").read_text() == SECRET


@attack("files")
def list_a_folder(scene):
    assert os.listdir(scene.outside)


@attack("files")
def read_anothers_environment(scene):
    assert b"SECRET" in Path(f"/proc/{scene.victim}/environ").read_bytes()


@attack("files")
def write_outside(scene):
    Path(scene.outside, "new.txt").write_text("mine")


@attack("files")
def append_outside(scene):
    with open(f"{scene.outside}/solution.txt", "a") as file:
        file.write("mine")


@attack("files")
def write_where_it_may_read(scene):
    Path(scene.cache, "entry").write_text("mine")


@attack("files")
def write_to_proc(scene):
    Path("/proc/self/oom_score_adj").write_text("500")


@attack("files")
def delete(scene):
    os.remove(f"{scene.outside}/solution.txt")


@attack("files")
def move_into_scratch(scene):
    os.rename(f"{scene.outside}/solution.txt", "mine")


@attack("files")
def link_into_scratch(scene):
    os.link(f"{scene.cache}/entry", "mine")


@attack("files")
def truncate(scene):
    os.truncate(f"{scene.outside}/solution.txt", 0)


@attack("files")
def close_to_others(scene):
    os.chmod(scene.outside, 0)


@attack("files")
def close_what_it_may_read(scene):
    os.fchmod(os.open(f"{scene.cache}/entry", os.O_RDONLY), 0)


@attack("files")
def change_times(scene):
    os.utime(f"{scene.outside}/solution.txt", (0, 0))


@attack("files")
def change_owner(scene):
    os.chown(f"{scene.outside}/solution.txt", os.getuid(), os.getgid())


@attack("files")
def watch(scene):
    call("inotify_add_watch", call("inotify_init"), os.fsencode(scene.outside), 2)


@attack("files")
def leave_a_fifo(scene):
    os.mkfifo("fifo")


@attack("files")
def leave_a_link(scene):
    os.symlink("/", "mine")


@attack("signals")
def kill(scene):
    os.kill(scene.victim, signal.SIGTERM)


@attack("signals")
def kill_a_group(scene):
    os.killpg(scene.victim, signal.SIGTERM)


@attack("signals")
def kill_a_thread(scene):
    call("tgkill", scene.victim, scene.victim, signal.SIGTERM)


@attack("signals")
def queue_a_signal(scene):
    call("sigqueue", scene.victim, signal.SIGTERM, None)


@attack("signals")
def kill_by_descriptor(scene):
    signal.pidfd_send_signal(os.pidfd_open(scene.victim), signal.SIGTERM)


@attack("signals")
def kill_by_input(scene):
    ours, theirs = socket.socketpair()
    fcntl.fcntl(ours, fcntl.F_SETOWN, scene.victim)
    fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC)
    theirs.send(b"x")


@attack("signals")
def kill_by_limit(scene):
    resource.prlimit(scene.victim, resource.RLIMIT_CPU, (0, 0))


@attack("signals")
def slow_down(scene):
    os.setpriority(os.PRIO_PROCESS, scene.victim, 19)


@attack("signals")
def schedule(scene):
    os.sched_setscheduler(scene.victim, os.SCHED_BATCH, os.sched_param(0))


@attack("signals")
def pin_to_a_core(scene):
    os.sched_setaffinity(scene.victim, os.sched_getaffinity(0))


@attack("network")
def connect(scene):
    socket.socket().connect((b"127.0.0.1", scene.tcp))


@attack("network")
def send_datagram(scene):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", (b"127.0.0.1", scene.udp))


@attack("network")
def listen(scene):
    server = socket.socket()
    server.bind((b"127.0.0.1", 0))
    server.listen()


@attack("network")
def connect_by_path(scene):
    socket.socket(socket.AF_UNIX).connect(scene.unix)


@attack("network")
def connect_abstract(scene):
    socket.socket(socket.AF_UNIX).connect(f"\0{scene.unix}")


@attack("network")
def send_by_path_from_a_pair(scene):
    socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"x", scene.mailbox)


@attack("network")
def share_memory(scene):
    call("shmctl", call("shmget", 0, 4096, 0o600), 0, None)


@attack("network")
def share_semaphores(scene):
    call("semctl", call("semget", 0, 1, 0o600), 0, 0)


@attack("network")
def share_a_queue(scene):
    call("msgctl", call("msgget", 0, 0o600), 0, None)


@attack("processes")
def fork(scene):
    if os.fork() == 0:
        os._exit(0)


@attack("processes")
def spawn(scene):
    os.posix_spawn("/bin/true", ["true"], {})


@attack("processes")
def run_a_program(scene):
    subprocess.run(["/bin/true"], check=True)


@attack("processes")
def become_a_program(scene):
    os.execv("/bin/true", ["true"])


@attack("processes")
def leave_the_session(scene):
    os.setsid()


@attack("processes")
def leave_the_group(scene):
    os.setpgid(0, 0)


@attack("kernel")
def new_user_namespace(scene):
    call("unshare", 0x10000000)


@attack("kernel")
def fixed_addresses(scene):
    call("personality", 0x0040000)


@attack("kernel")
def trace(scene):
    call("ptrace", 0, 0, None, None)


@attack("kernel")
def read_memory_of_processes(scene):
    held, room = ctypes.create_string_buffer(b"held"), ctypes.create_string_buffer(4)
    theirs = struct.pack("@PN", ctypes.addressof(held), 4)
    ours = struct.pack("@PN", ctypes.addressof(room), 4)
    pid, one, none = (ctypes.c_long(number) for number in (os.getpid(), 1, 0))
    call("process_vm_readv", pid, ctypes.c_char_p(ours), one, ctypes.c_char_p(theirs), one, none)


@attack("kernel")
def io_uring(scene):
    call("syscall", ctypes.c_long(425), ctypes.c_long(1), ctypes.create_string_buffer(120))


@attack("kernel")
def resize_a_terminal(scene):
    fcntl.ioctl(os.openpty()[1], termios.TIOCSWINSZ, bytes(8))


@attack("privileges")
def gain_privileges_by_programs(scene):
    if "NoNewPrivs:\t1" in Path("/proc/self/status").read_text():
        raise PermissionError


@attack("privileges")
def open_up_to_siblings(scene):
    call("prctl", 4, 1, 0, 0, 0)


@attack("privileges", root=True)
def change_root(scene):
    os.chroot(".")


@attack("privileges", root=True)
def become_somebody(scene):
    os.setuid(NOBODY)


@attack("limits")
def reserve_memory(scene):
    no_reserve = 0x4000
    mmap.mmap(-1, 64 * 2**30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve)


@attack("limits")
def hide_memory_in_shared_pages(scene):
    mmap.mmap(-1, 4096)


@attack("limits")
def hide_memory_in_a_file(scene):
    os.memfd_create("hidden")


@attack("limits")
def hide_disk_space(scene):
    with open("small", "wb") as file:
        call("fallocate", file.fileno(), 1, ctypes.c_long(0), ctypes.c_long(4096))


@attack("limits")
def write_a_large_file(scene):
    Path("large").write_bytes(bytes(LIMITS["file_bytes"] + 1))


@attack("limits")
def open_many_files(scene):
    assert [os.dup(0) for _ in range(LIMITS["open_files"])]


@attack("disk")
def write_too_much(scene):
    for number in range(3):
        Path(str(number)).write_bytes(bytes(LIMITS["scratch_bytes"] // 2))


@attack("disk")
def write_too_many_files(scene):
    for number in range(LIMITS["scratch_files"] + 1):
        Path(str(number)).touch()


# -- honest work -------------------------------------------------------------------------------------------------


@work
def keeps_files(scene):
    Path("folder").mkdir()
    Path("folder/a").write_text("a")
    os.rename("folder/a", "b")
    shutil.rmtree("folder")
    assert os.listdir(".") == ["b"] and Path(os.getcwd()) == Path(scene.scratch)
    os.remove("b")


@work
def makes_temporary_files(scene):
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as file:
        file.write(b"x")
        assert {Path(folder).parent, Path(file.name).parent} == {Path(scene.scratch)}
    assert os.environ["TMPDIR"] == os.environ["NUMBA_CACHE_DIR"] == os.path.expanduser("~") == scene.scratch


@work
def reads_what_is_listed(scene):
    assert Path(scene.cache, "entry").read_text() == "compiled"


@work
def reads_devices(scene):
    assert len(os.urandom(4)) == 4 and Path("/dev/null").write_bytes(b"x") == 1
    with open("/dev/urandom", "rb") as device:
        assert len(device.read(4)) == 4


@work
def reads_about_itself_and_the_machine(scene):
    assert f"Pid:\t{os.getpid()}" in Path("/proc/self/status").read_text()
    assert Path("/proc/cpuinfo").read_text() and os.listdir("/sys/devices/system/cpu")


@work
def tells_time_and_draws(scene):
    assert time.time() > 0 and 0 <= random.random() < 1


@work
def runs_threads(scene):
    ran = []
    thread = threading.Thread(target=lambda: ran.append(True))
    thread.start()
    thread.join()
    assert ran


@work
def runs_an_event_loop(scene):
    assert asyncio.run(asyncio.sleep(0, "done")) == "done"


@work
def signals_itself(scene):
    heard = []
    signal.signal(signal.SIGUSR1, lambda number, frame: heard.append(number))
    os.kill(os.getpid(), signal.SIGUSR1)
    signal.raise_signal(signal.SIGUSR1)
    signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
    assert heard == [signal.SIGUSR1] * 3


@act
def uses_numba(scene):
    import numba
    import numpy as np

    total = numba.njit(lambda x: x.sum())
    assert total(np.ones(4)) == 4.0


@act
def uses_matplotlib(scene):
    import matplotlib.pyplot as plt

    plt.plot([1, 2])
    plt.title("$x^2$")
    plt.savefig("picture.png")
    assert Path("picture.png").stat().st_size
    os.remove("picture.png")


@act
def uses_jax(scene):
    """Eight devices, a program from the cache and one that is not there, an export; returns what was found there."""
    import jax
    from jax import export

    found = []
    jax.monitoring.register_event_listener(lambda event, **_: found.append(event.rpartition("/")[2]))
    jax.config.update("jax_num_cpu_devices", 8)
    jax.config.update("jax_compilation_cache_dir", scene.cache)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0 if scene.fill else 1e9)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    jax.config.update("jax_persistent_cache_enable_xla_caches", "none")
    mesh = jax.make_mesh((8,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec("i")
    total = jax.jit(jax.shard_map(lambda x: jax.lax.psum(x, "i"), mesh=mesh, in_specs=spec, out_specs=spec))
    assert total(jax.numpy.ones(8)).tolist() == [8.0] * 8
    exported = export.export(jax.jit(lambda x: x @ x.T))(jax.ShapeDtypeStruct((2, 3), "float32"))
    assert "dot_general" in exported.mlir_module() and exported.serialize()
    assert float(jax.numpy.linalg.norm(jax.random.normal(jax.random.key(0), (9,)))) > 0
    return found.count("cache_hits")


# -- other things that a process can do inside ------------------------------------------------------------------


@act
def burns(scene):
    """Work for longer than there is processor time."""
    while time.process_time() < 1.2:
        pass


@act
def aborts(scene):
    os.abort()


@act
def raises_its_limits(scene):
    _, highest = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (highest, highest + 1))


@act
def cuts_the_cord(scene):
    call("prctl", 1, 0, 0, 0, 0)


@act
def enters_with_two_threads(scene):
    done = threading.Event()
    threading.Thread(target=done.wait).start()
    try:
        _sandbox.enter(Path(scene.scratch), [], _sandbox.Limits(), _sandbox.ESSENTIAL)
    finally:
        done.set()


@act
def enters_reading_what_is_not_there(scene):
    _sandbox.enter(Path(scene.scratch), [Path("/not/there")], _sandbox.Limits(), _sandbox.ESSENTIAL)


@act
def enters_without_namespaces(scene):
    _sandbox.enter(Path(scene.scratch), [], _sandbox.Limits(), ["kernel"])
    _sandbox.enter(Path(scene.scratch), [], _sandbox.Limits(), ["disk"])


@act
def enters_unprotected(scene):
    _sandbox.enter(Path(scene.scratch), [], _sandbox.Limits(), [])
    assert "Seccomp:\t0" in Path("/proc/self/status").read_text()
    return [os.getcwd(), Path(scene.outside, "solution.txt").read_text()]


@act
def tries_where_namespaces_are_forbidden(scene):
    _sandbox.enter(Path(scene.scratch), [], _sandbox.Limits(), ["kernel"])
    return _sandbox._try_all()


@act
def tries_without_landlock(scene):
    _sandbox._CREATE = 999  # a system call that does not exist, as in a kernel without it
    return _sandbox._try_all()


@act
def shuts_descriptors(scene):
    """Write into a pipe before and after everything but another is shut."""
    leaked, kept = os.pipe(), os.pipe()
    os.close(0)
    _sandbox.close_all_but({1, 2, scene.reply, *kept})
    os.write(kept[1], b"kept")
    os.write(leaked[1], b"lost")
    os.write(0, b"lost")
    nothing = os.stat(os.devnull).st_rdev
    shut = all(os.fstat(number).st_rdev == nothing for number in (0, *leaked))
    return [os.read(kept[0], 9).decode(), os.read(leaked[0], 9).decode() or "nothing", shut]


@act
def leaves_a_file(scene):
    Path("left").touch()


@act
def closes_a_folder(scene):
    """Close a folder in a scratch folder to its owner; return whether it counts as full, and what was left of it."""
    tempfile.tempdir = scene.outside
    with _sandbox.scratch_folder() as folder:
        (folder / "closed").mkdir()
        (folder / "closed" / "file").touch()
        (folder / "closed").chmod(0)
        full = _sandbox.overfull(folder, _sandbox.Limits())
    return [full, [name for name in os.listdir(scene.outside) if "jaxcourse" in name]]


@act
def reads_a_package_in_pieces(scene):
    """Import from a folder of which one part is secret."""
    Path(scene.outside, "pkg", "_secret").mkdir(parents=True)
    Path(scene.outside, "pkg", "__init__.py").touch()
    Path(scene.outside, "pkg", "part.py").write_text("value = 3")
    Path(scene.outside, "pkg", "_secret", "key.py").write_text("value = 4")
    sys.path.append(scene.outside)
    secret = Path(scene.outside, "pkg", "_secret")
    _sandbox.enter(Path(scene.scratch), _reach._around(Path(scene.outside), [secret]), _sandbox.Limits(), ["files"])
    from pkg import part

    try:
        from pkg._secret import key
    except PermissionError:
        return [part.value, "refused"]
    return [part.value, key.value]


@act
def outlives_its_parent(scene):
    """What a process says after its parent has ended: nothing, if it could not speak."""
    return said_by_an_orphan(lambda part_from_parent: (enter_as(scene), part_from_parent()))


@act
def outlives_its_parent_at_the_start(scene):
    """The same, if its parent ends before it enters the sandbox."""
    return said_by_an_orphan(lambda part_from_parent: (part_from_parent(), enter_as(scene)))


def enter_as(scene):
    _sandbox.enter(Path(scene.scratch), [], _sandbox.Limits(), scene.protections_within)


def said_by_an_orphan(live):
    reader, writer = os.pipe()
    if os.fork() == 0:
        be_parent(live, writer)
    os.close(writer)
    with os.fdopen(reader) as said:
        return said.read()


def be_parent(live, writer):
    """Have a child, and end when it wishes."""
    parent, (waiting, ready) = os.getpid(), os.pipe()

    def part_from_parent():
        os.write(ready, b".")
        while os.getppid() == parent:
            time.sleep(0.001)
        time.sleep(0.01)

    if os.fork() == 0:
        try:
            live(part_from_parent)
            os.write(writer, b"I live")
        except _sandbox.SandboxError as error:
            os.write(writer, str(error).encode())
        os._exit(0)
    os.read(waiting, 1)
    os._exit(0)


# -- the server ---------------------------------------------------------------------------------------------------


def serve(modules):
    """For each line of input fork a process, and write a line about what became of it."""
    for module in modules:
        importlib.import_module(module)
    for line in sys.stdin:
        request = SimpleNamespace(**json.loads(line))
        request.scene = SimpleNamespace(**request.scene)
        print(json.dumps(report_on(request)), flush=True)


def report_on(request):
    """Do in a process of its own what is asked for."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        request.scene.reply = writer
        try:
            os.write(writer, json.dumps(outcome(request)).encode())
            os._exit(0)
        finally:
            traceback.print_exc()
            os._exit(70)
    os.close(writer)
    with os.fdopen(reader) as answer:
        said = answer.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return json.loads(said) if said else {"status": status}


def outcome(request):
    """What an act returned, or how it was refused, inside of the sandbox."""
    become(request.user)
    if request.protections is None:
        os.chdir(request.scene.scratch)
    else:
        limits = _sandbox.Limits(**LIMITS | request.limits)
        _sandbox.enter(Path(request.scene.scratch), list(map(Path, request.readable)), limits, request.protections)
    try:
        return {"returned": ACTS[request.act](request.scene)}
    except (OSError, _sandbox.SandboxError, ValueError) as error:
        return {"refused": f"{type(error).__name__}: {error}"}


def become(user):
    if user != os.geteuid():
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        call("prctl", 4, 1, 0, 0, 0)  # as after the start of a program: the owner may look at it


if __name__ == "__main__":
    serve(sys.argv[2:])
