"""What stands between a submission's process and the machine: limits, Landlock, seccomp, no privileges.

A process enters the sandbox after its fork and before any code of a student runs; nothing leads out again. Each
protection has a name, can be asked for alone, and is tried on this machine before it is promised.

Written on the operating system's own calls, because no library does the job for a process that is already forked:
`sandlock` starts programs under a supervisor of 12 MB and needs Linux 6.12, `landlockpy` and its like do Landlock only,
`pyseccomp` rests since 2021 and needs libseccomp. Of the namespaces, which Docker and Ubuntu often refuse, only one
adds something: a mount namespace bounds the scratch folder, for 0.3 ms. A network or IPC namespace would cost 0.9 ms
more and hide what is out of reach already.

This file imports nothing of the course, so that a bare interpreter can run it to try the protections.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import json
import math
import mmap
import os
import platform
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROTECTIONS = {
    "limits": "processor time, address space, size and number of files are limited",
    "files": "files are read only where the libraries are, and written only in a scratch folder",
    "signals": "other processes can be neither signalled nor slowed down",
    "network": "no sockets, no shared memory or queues between processes",
    "processes": "no new process, no other program",
    "kernel": "no tracing, mounting, namespaces, io_uring, keys, or other rare ways into the kernel",
    "privileges": "no capabilities, and none can be gained",
    "orphans": "the process ends with the one that started it",
    "disk": "the scratch folder lies in memory of its own and cannot outgrow its limit",
}
"""What each protection does, in an instructor's words."""

ESSENTIAL = ("limits", "files", "signals", "network", "processes", "kernel", "privileges")
"""Without these a class is not graded, unless the instructor insists."""

_MIB = 2**20


class SandboxError(RuntimeError):
    """A protection is not available, or a process is not fit to enter the sandbox."""


@dataclass(frozen=True)
class Limits:
    """What one submission may use.

    The judge enforces what the kernel cannot, see `overuse` and `overfull`; the rest holds from `enter` on.

    Attributes:
        piece_seconds: wall time of one piece of code; the judge's.
        seconds: wall time in all; the judge's. The kernel ends a process that used this on every core.
        memory: resident bytes; the judge's. The address space is limited too, further out: see `address_space`.
        threads: how many may run; the judge's.
        scratch_bytes: on disk, in all files of the scratch folder; the judge's, where there is no protection `disk`.
        scratch_files: how many files and folders it may hold; likewise.
        file_bytes: of one file.
        open_files: descriptors.
    """

    piece_seconds: float = 30
    seconds: float = 300
    memory: int = 2048 * _MIB
    threads: int = 1024
    scratch_bytes: int = 256 * _MIB
    scratch_files: int = 10_000
    file_bytes: int = 64 * _MIB
    open_files: int = 256

    @property
    def cpu_seconds(self) -> int:
        """Processor seconds: more than all cores can give in `seconds`."""
        return math.ceil(self.seconds * (os.cpu_count() or 1)) + 1

    def address_space(self, reserved: int) -> int:
        """Bytes of address space for a process that has reserved some already.

        XLA reserves about 1.5 GB that it hardly touches, and more with each core: stacks of threads, arenas of malloc.
        With too little of it, it aborts.

        Args:
            reserved: bytes.

        Example:
            >>> Limits(memory=0).address_space(0) >= 2 * 2**30
            True
        """
        return reserved + self.memory + 2048 * _MIB + 512 * _MIB * (os.cpu_count() or 1)


# System calls that a protection refuses: the name, its number on x86_64, its number on aarch64 (- if it has none).
# From Linux' tables `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h`.
_REFUSED = {
    # Memory that belongs to no process's resident set, so that no watchdog sees it. A pipe that was lent a page with
    # `vmsplice` keeps all of the huge page around it: 512 MB in each pipe.
    "limits": "memfd_create 319 279, memfd_secret 447 447, vmsplice 278 75, io_setup 206 0",
    # Landlock says nothing of modes, owners, times, attributes and watches, nor of truncate before Linux 6.2.
    "files": """
        truncate 76 45, chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, chown 92 -, fchown 93 55,
        lchown 94 -, fchownat 260 54, utime 132 -, utimes 235 -, futimesat 261 -, utimensat 280 88, setxattr 188 5,
        lsetxattr 189 6, fsetxattr 190 7, setxattrat 463 463, removexattr 197 14, lremovexattr 198 15,
        fremovexattr 199 16, removexattrat 466 466, file_setattr 469 469, mknod 133 -, mknodat 259 33,
        inotify_init 253 -, inotify_init1 294 26, inotify_add_watch 254 27, fanotify_init 300 262,
        fanotify_mark 301 263, name_to_handle_at 303 264, open_by_handle_at 304 265
    """,
    # glibc raises signals with tgkill; tkill names a thread of any process.
    "signals": """
        tkill 200 130, pidfd_open 434 434, pidfd_send_signal 424 424, pidfd_getfd 438 438, process_madvise 440 440,
        process_mrelease 448 448, setpriority 141 140, ioprio_set 251 30, migrate_pages 256 238, move_pages 279 239
    """,
    "network": """
        socket 41 198, connect 42 203, bind 49 200, listen 50 201, accept 43 202, accept4 288 242, shmget 29 194,
        shmat 30 196, shmctl 31 195, semget 64 190, semop 65 193, semtimedop 220 192, semctl 66 191, msgget 68 186,
        msgsnd 69 189, msgrcv 70 188, msgctl 71 187, mq_open 240 180, mq_unlink 241 181, mq_timedsend 242 182,
        mq_timedreceive 243 183, mq_notify 244 184, mq_getsetattr 245 185
    """,
    # A process that leaves its group or session would outlive a signal to it.
    "processes": "fork 57 -, vfork 58 -, execve 59 221, execveat 322 281, setsid 112 157, setpgid 109 154",
    "kernel": """
        ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, kcmp 312 272, bpf 321 280,
        perf_event_open 298 241, userfaultfd 323 282, io_uring_setup 425 425, io_uring_enter 426 426,
        io_uring_register 427 427, add_key 248 217, request_key 249 218, keyctl 250 219, mount 165 40, umount2 166 39,
        pivot_root 155 41, chroot 161 51, open_tree 428 428, open_tree_attr 467 467, move_mount 429 429, fsopen 430 430,
        fsconfig 431 431, fsmount 432 432, fspick 433 433, mount_setattr 442 442, statmount 457 457, listmount 458 458,
        unshare 272 97, setns 308 268, personality 135 92, modify_ldt 154 -, iopl 172 -, ioperm 173 -,
        init_module 175 105, finit_module 313 273, delete_module 176 106, kexec_load 246 104, kexec_file_load 320 294,
        reboot 169 142, swapon 167 224, swapoff 168 225, acct 163 89, quotactl 179 60, quotactl_fd 443 443,
        syslog 103 116, settimeofday 164 170, clock_settime 227 112, adjtimex 159 171, clock_adjtime 305 266,
        sethostname 170 161, setdomainname 171 162, vhangup 153 58, uselib 134 -, lookup_dcookie 212 18
    """,
}
_NEWEST = 469
"""The last system call that these tables know; what is newer does not exist inside."""

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_KILL, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_LOAD, _AND, _JUMP, _EQUAL, _ABOVE, _AT_LEAST, _RETURN = 0x20, 0x54, 0x05, 0x15, 0x25, 0x35, 0x06
_CLONE_THREAD, _X32, _HUGETLB = 0x00010000, 0x40000000, 0x00040000
_PDEATHSIG, _DUMPABLE, _SECCOMP, _CAPBSET_DROP, _NO_NEW_PRIVS, _AMBIENT, _PTRACER = 1, 4, 22, 24, 38, 47, 0x59616D61

_Code = list[tuple[int, int, int, int]]


@dataclass(frozen=True)
class _Rule:
    """One system call, refused: always, or depending on one argument's lower 32 bits.

    Attributes:
        numbers: of the call, by architecture.
        error: what the caller gets.
        argument: which is looked at, from 0; None to refuse always.
        mask: of the bits that count.
        values: that the argument is compared with.
        allowed: whether an argument among the values is allowed, and all others refused, or the other way round.
    """

    numbers: dict[str, int]
    error: int = errno.EPERM
    argument: int | None = None
    mask: int = 0xFFFFFFFF
    values: tuple[int, ...] = ()
    allowed: bool = True

    def code(self, machine: str) -> _Code:
        """The rule for a filter that holds the call's number in its register, and holds it afterwards."""
        if machine not in self.numbers:
            return []
        body = self._body()
        return [(_EQUAL, 0, len(body), self.numbers[machine]), *body]

    def _body(self) -> _Code:
        refuse = (_RETURN, 0, 0, _ERRNO | self.error)
        if self.argument is None:
            return [refuse]
        load = [(_LOAD, 0, 0, 16 + 8 * self.argument), (_AND, 0, 0, self.mask)]
        compare = [(_EQUAL, len(self.values) - i, 0, value) for i, value in enumerate(self.values)]
        # A match goes one instruction further than no match: over the refusal, or over the way around it.
        around = [] if self.allowed else [(_JUMP, 0, 0, 1)]
        return [*load, *compare, *around, refuse, (_LOAD, 0, 0, 0)]


def _numbers(entry: str) -> dict[str, int]:
    """The numbers of a call from a line of the table, by architecture."""
    found = zip(_ARCHITECTURES, entry.split()[1:], strict=True)
    return {machine: int(number) for machine, number in found if number != "-"}


def _own_process_only(pid: int) -> list[_Rule]:
    """No signals to others, by any call; nobody else's limits and places in the scheduler; no SIGIO for others."""
    calls = "kill 62 129", "tgkill 234 131", "rt_sigqueueinfo 129 138", "rt_tgsigqueueinfo 297 240"
    settings = (
        "prlimit64 302 261",
        "sched_setaffinity 203 122",
        "sched_setscheduler 144 119",
        "sched_setparam 142 118",
        "sched_setattr 314 274",
    )
    owners = (8, 10, 15, 1024, 1026)  # F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY
    return [
        *(_Rule(_numbers(call), argument=0, values=(pid,)) for call in calls),
        *(_Rule(_numbers(call), argument=0, values=(0, pid)) for call in settings),
        _Rule(_numbers("fcntl 72 25"), argument=1, values=owners, allowed=False),
    ]


def _conditional(pid: int) -> dict[str, list[_Rule]]:
    """What a protection refuses depending on an argument."""
    ioctls = (0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS(2), TIOCGWINSZ, FION*, FI(O)CLEX
    return {
        "limits": [
            # Anonymous shared memory stays when all but a page of it is unmapped, and no longer counts as resident.
            _Rule(_numbers("mmap 9 222"), argument=3, mask=0x2D, values=(0x21,), allowed=False),
            _Rule(_numbers("mmap 9 222"), argument=3, mask=_HUGETLB, values=(_HUGETLB,), allowed=False),
            # FALLOC_FL_KEEP_SIZE takes disk space beyond RLIMIT_FSIZE.
            _Rule(_numbers("fallocate 285 47"), argument=1, values=(0,)),
        ],
        "signals": _own_process_only(pid),
        "network": [
            # A pair of datagram sockets could still be sent from to any other; a pair of streams cannot.
            _Rule(_numbers("socketpair 53 199"), argument=0, values=(socket.AF_UNIX,)),
            _Rule(_numbers("socketpair 53 199"), argument=1, mask=0xF, values=(socket.SOCK_STREAM,)),
        ],
        "processes": [
            _Rule(_numbers("clone 56 220"), argument=0, mask=_CLONE_THREAD, values=(_CLONE_THREAD,)),
            # Its flags are in memory, out of a filter's sight. The C library takes ENOSYS for "use clone".
            _Rule(_numbers("clone3 435 435"), error=errno.ENOSYS),
        ],
        # Among the others: TIOCSTI, which types into an inherited terminal.
        "kernel": [_Rule(_numbers("ioctl 16 29"), argument=1, values=ioctls)],
        "privileges": [_Rule(_numbers("prctl 157 167"), argument=0, values=(_DUMPABLE, _PTRACER), allowed=False)],
        "orphans": [_Rule(_numbers("prctl 157 167"), argument=0, values=(_PDEATHSIG,), allowed=False)],
    }


def _filter(machine: str, protections: Collection[str], pid: int) -> _Code:
    """The seccomp filter of these protections: a program of classic BPF.

    Args:
        machine: the architecture.
        protections: by name.
        pid: the process that it is for.
    """
    conditional = _conditional(pid)
    always = [_Rule(_numbers(e)) for name in protections for e in _REFUSED.get(name, "").split(",") if e]
    rules = always + [rule for name in protections for rule in conditional.get(name, [])]
    # Calls in the manner of another architecture have other numbers, so they end the process.
    x32 = [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _KILL)] if machine == "x86_64" else []
    unknown = [(_ABOVE, 0, 1, _NEWEST), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)] if "kernel" in protections else []
    return [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, _ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
        *x32,
        *unknown,
        *(instruction for rule in rules for instruction in rule.code(machine)),
        (_RETURN, 0, 0, _ALLOW),
    ]


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _do(what: str, function: Any, *arguments: Any) -> int:
    """Call a function of the C library, and raise if it says no."""
    result: int = function(*(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))
    if result < 0:
        raise SandboxError(f"{what}: {os.strerror(ctypes.get_errno())}.")
    return result


def _prctl(what: str, *arguments: Any) -> int:
    padded = (*arguments, 0, 0, 0, 0)[:5]
    return _do(what, _libc().prctl, *padded)


def _refuse_calls(protections: Collection[str]) -> None:
    code = b"".join(struct.pack("<HBBI", *line) for line in _filter(platform.machine(), protections, os.getpid()))
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    _prctl("seccomp is not available", _SECCOMP, 2, ctypes.c_char_p(program))


# Landlock's rights, from `include/uapi/linux/landlock.h`.
_EXECUTE, _WRITE, _READ, _LIST, _TRUNCATE, _IOCTL = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
_REMOVE_AND_MAKE = 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 13  # no devices, pipes, sockets or links that lead away
_SCRATCH = _READ | _LIST | _WRITE | _TRUNCATE | _REMOVE_AND_MAKE
_CREATE, _ADD, _RESTRICT = 444, 445, 446


def _landlock_version(*, required: bool) -> int:
    """Which of Landlock's versions this kernel has; 0 if none."""
    try:
        return _do("Landlock is not available", _libc().syscall, _CREATE, 0, 0, 1)
    except SandboxError:
        if required:
            raise
        return 0


def _handled_rights(version: int) -> int:
    """All rights that this kernel can take away: 13 at first, one more in each of the versions 2, 3 and 5."""
    return (1 << 13 + (version >= 2) + (version >= 3) + (version >= 5)) - 1


def _restrict(grants: Iterable[tuple[Path, int]], protections: Collection[str]) -> None:
    """Take away all rights to files but these. Landlock judges the object that is reached, not the way to it."""
    version = _landlock_version(required="files" in protections)
    handled = _handled_rights(version) if "files" in protections else 0
    scopes = (("network" in protections) | ("signals" in protections) << 1) if version >= 6 else 0
    if not handled | scopes:
        return
    attributes = struct.pack("@QQQ", handled, 0, scopes)
    ruleset = _do("Landlock", _libc().syscall, _CREATE, ctypes.c_char_p(attributes), len(attributes), 0)
    for path, rights in grants if handled else ():
        _grant(ruleset, path, rights & handled)
    _do("Landlock", _libc().syscall, _RESTRICT, ruleset, 0)
    os.close(ruleset)


def _grant(ruleset: int, path: Path, rights: int) -> None:
    try:
        reached = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        raise SandboxError(f"{path} cannot be made readable inside the sandbox: {error.strerror}.") from None
    is_folder = stat.S_ISDIR(os.fstat(reached).st_mode)
    rule = struct.pack("@Qi", rights if is_folder else rights & _OF_FILES, reached)
    _do(f"Landlock, {path}", _libc().syscall, _ADD, ruleset, 1, ctypes.c_char_p(rule), 0)
    os.close(reached)


def _grants(scratch: Path, readable: Sequence[Path], named: Sequence[Path]) -> Iterator[tuple[Path, int]]:
    """Which rights a submission has, and where."""
    yield scratch, _SCRATCH
    yield from ((path, _READ) for path in named)
    yield Path("/dev/null"), _READ | _WRITE
    yield from ((path, _READ | _LIST) for path in readable)
    # The import system lists the folders of `sys.path`, also those of which only some members may be read.
    # Compared as texts, since there are hundreds of members, and this is done for every submission.
    members = [str(path) for path in readable]
    for folder in {str(Path(folder).resolve()) for folder in sys.path if folder}:
        if any(member.startswith(f"{folder}{os.sep}") for member in members):
            yield Path(folder), _LIST


_PRIVATE, _NO_DEVICES = 1 << 14 | 1 << 18, 1 << 1 | 1 << 2  # MS_REC | MS_PRIVATE, MS_NOSUID | MS_NODEV
_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000


def _bound_scratch(scratch: Path, limits: Limits) -> None:
    """Lay a file system of limited size over the scratch folder, which this process alone sees.

    Only root may mount, and who is root in a user namespace of his own.
    """
    user, group = os.geteuid(), os.getegid()
    if _libc().unshare(_NEW_MOUNTS) < 0:
        _do("a mount namespace is not available", _libc().unshare, _NEW_USER | _NEW_MOUNTS)
        own = Path("/proc/self")
        (own / "setgroups").write_text("deny")
        (own / "uid_map").write_text(f"{user} {user} 1")
        (own / "gid_map").write_text(f"{group} {group} 1")
    _mount("/", None, _PRIVATE, None)
    _mount(scratch, "tmpfs", _NO_DEVICES, f"size={limits.scratch_bytes},nr_inodes={limits.scratch_files},mode=700")


def _mount(place: str | Path, kind: str | None, flags: int, options: str | None) -> None:
    names = (ctypes.c_char_p(os.fsencode(text) if text else None) for text in ("none", place, kind))
    settings = ctypes.c_char_p(os.fsencode(options) if options else None)
    _do(f"{place} cannot be mounted", _libc().mount, *names, flags, settings)


_parent = 0


def _remember_parent() -> None:
    global _parent
    _parent = os.getpid()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_remember_parent)


def _end_with_parent() -> None:
    _prctl("a parent's end cannot be noticed", _PDEATHSIG, int(signal.SIGKILL))
    if _parent not in (0, os.getppid()):  # It ended before that call: nobody will tell.
        raise SandboxError("the process that started this one is gone.")


def _limit(limits: Limits) -> None:
    """The kernel's own limits. Not the number of processes: that counts all of a user's, and root's not at all."""
    import resource

    Path("/proc/self/oom_score_adj").write_text("1000")  # Where memory is short, this process goes, and not the judge.
    reserved = int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE
    values = {
        # First SIGXCPU, by which the judge knows the reason; a second later SIGKILL, which nobody can ignore.
        resource.RLIMIT_CPU: (limits.cpu_seconds, limits.cpu_seconds + 1),
        resource.RLIMIT_AS: (limits.address_space(reserved),) * 2,
        resource.RLIMIT_FSIZE: (limits.file_bytes,) * 2,
        resource.RLIMIT_NOFILE: (limits.open_files,) * 2,
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_MSGQUEUE: (0, 0),
    }
    for which, (soft, hard) in values.items():
        highest = resource.getrlimit(which)[1]
        highest = hard if highest == resource.RLIM_INFINITY else min(hard, highest)
        resource.setrlimit(which, (min(soft, highest), highest))


def _drop_privileges() -> None:
    """No capabilities, also for root; other processes of the same user may not look into this one."""
    for capability in range(64):  # Those who may not take one out of this set have no use for it either.
        _libc().prctl(_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0)
    _prctl("ambient capabilities cannot be dropped", _AMBIENT, 4)
    header, nothing = struct.pack("@Ii", 0x20080522, 0), bytes(24)
    _do("capabilities cannot be dropped", _libc().capset, ctypes.c_char_p(header), ctypes.c_char_p(nothing))
    _prctl("the process cannot be made private", _DUMPABLE, 0)


def _move_in(scratch: Path) -> None:
    """Make the scratch folder the home, the place of temporary files and caches, and the working folder."""
    os.chdir(scratch)
    names = "HOME", "TMPDIR", "MPLCONFIGDIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "IPYTHONDIR"
    os.environ.update(dict.fromkeys(names, str(scratch)))
    tempfile.tempdir = None


def enter(
    scratch: Path, readable: Sequence[Path], limits: Limits, protections: Collection[str], named: Sequence[Path] = ()
) -> None:
    """Put this process, which has one thread, behind these protections. There is no way back.

    The scratch folder becomes the working folder, the home and the place of temporary files.

    Args:
        scratch: the only folder that can be written to; it exists. With `disk`, nobody else sees what is in it.
        readable: files, and folders with all that is below, that can be read: see `_reach`.
        limits: what the process may use.
        protections: names out of `PROTECTIONS`. Without any, and on any system, the process just moves in.
        named: folders that cannot be listed, and whose files can be read by who knows their names.

    Raises:
        SandboxError: a protection is not available, a path does not exist, or the process has several threads. Some
            protections may be in force then; end the process.
    """
    _require_known(protections)
    scratch = scratch.resolve()
    if not protections:
        return _move_in(scratch)
    _require_machine()
    _require_one_thread()
    _prctl("privileges can still be gained", _NO_NEW_PRIVS, 1)
    if "disk" in protections:
        _bound_scratch(scratch, limits)
    _move_in(scratch)
    if "orphans" in protections:
        _end_with_parent()
    if "limits" in protections:
        _limit(limits)
    if "privileges" in protections:
        _drop_privileges()
    if {"files", "signals", "network"} & set(protections):
        _restrict(_grants(scratch, readable, named), protections)
    _refuse_calls(protections)


def _require_known(protections: Collection[str]) -> None:
    """Refuse names that nothing is known of."""
    if unknown := set(protections) - PROTECTIONS.keys():
        raise SandboxError(f"there is no protection {min(unknown)!r}; there are {', '.join(PROTECTIONS)}.")


def _require_machine() -> None:
    """Refuse a system that cannot have any of them."""
    if sys.platform != "linux":
        raise SandboxError(f"the protections need Linux, and this is {sys.platform}.")
    if platform.machine() not in _ARCHITECTURES or sys.maxsize < 2**32:
        raise SandboxError(f"the protections know {' and '.join(_ARCHITECTURES)}, and this is {platform.machine()}.")


def _require_one_thread() -> None:
    if len(os.listdir("/proc/self/task")) > 1:
        raise SandboxError("the process has several threads, and only the one that enters would be held.")


def close_all_but(keep: Collection[int]) -> None:
    """Let go of every inherited file descriptor but these.

    The others lead to nothing from then on (`/dev/null`) and stay taken: an object that still owns one and closes it
    later must not close another file that has got the same number.

    Args:
        keep: descriptors.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in {0, 1, 2, *map(int, os.listdir("/dev/fd"))} - {nothing, *keep}:
        if _is_open(number) or number < 3:
            os.dup2(nothing, number, inheritable=False)
    if nothing > 2:  # It took the lowest free number: it may be one of those.
        os.close(nothing)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def overuse(pid: int, limits: Limits) -> str:
    """Which limit a process has passed that only a look from outside can tell. To be asked often.

    Args:
        pid: a process that nobody has waited for yet.
        limits: what it may use.

    Returns:
        `memory`, `threads`, or nothing.

    Raises:
        OSError: there is no such process.
    """
    fields = _facts(Path(f"/proc/{pid}/stat"))
    pages = int(fields[21])
    if fields[0] == b"Z":  # A main thread that ended alone looks like a process without memory; the others tell.
        pages = max(_pages_of_threads(pid), default=0)
    if pages * mmap.PAGESIZE > limits.memory:
        return "memory"
    return "threads" if int(fields[17]) > limits.threads else ""


def _facts(file: Path) -> list[bytes]:
    """The fields of a process or thread, behind its name, which it chooses itself."""
    return file.read_bytes().rpartition(b")")[2].split()


def _pages_of_threads(pid: int) -> Iterator[int]:
    for thread in Path(f"/proc/{pid}/task").glob("*/stat"):
        with suppress(OSError):  # It has ended meanwhile.
            yield int(_facts(thread)[21])


def overfull(scratch: Path, limits: Limits) -> bool:
    """Whether a submission's scratch folder holds too much. The look ends as soon as it is known.

    Args:
        scratch: the folder.
        limits: what it may hold.
    """
    size = 0
    try:
        for files, taken in enumerate(_sizes(scratch), start=1):
            size += taken
            if files > limits.scratch_files or size > limits.scratch_bytes:
                return True
    except OSError:  # A path longer than the system takes, or a folder closed to its owner: nobody's honest work.
        return True
    return False


def _sizes(scratch: Path) -> Iterator[int]:
    """Bytes on disk of each file and folder below a folder in which somebody may still be at work."""
    folders = [os.fspath(scratch)]
    while folders:
        with suppress(FileNotFoundError), os.scandir(folders.pop()) as members:
            for member in members:
                yield member.stat(follow_symlinks=False).st_blocks * 512
                if member.is_dir(follow_symlinks=False):
                    folders.append(member.path)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for one submission, which goes with all that was put into it, however deep or closed it is."""
    folder = Path(tempfile.mkdtemp(prefix="jaxcourse-"))
    try:
        yield folder
    finally:
        try:
            shutil.rmtree(folder)
        except (OSError, RecursionError):
            subprocess.run(["chmod", "-R", "u+rwx", "--", folder], check=False, capture_output=True)
            subprocess.run(["rm", "-rf", "--", folder], check=True, capture_output=True)


@functools.cache
def available() -> dict[str, str]:
    """Which protections this machine gives, found by trying each in a process of its own.

    Returns:
        For each protection nothing if it holds, else why not.

    Example:
        >>> sorted(available()) == sorted(PROTECTIONS)
        True
    """
    try:
        _require_machine()
    except SandboxError as error:
        return dict.fromkeys(PROTECTIONS, str(error))
    command = [sys.executable, "-I", "-S", __file__]
    found: dict[str, str] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found


def _is_refused(attempt: Callable[[], Any]) -> bool:
    try:
        attempt()
    except OSError:
        return True
    return False


def _start_process() -> None:
    if os.fork() == 0:
        os._exit(0)


def _has_limits() -> bool:
    import resource

    is_open = resource.RLIM_INFINITY in resource.getrlimit(resource.RLIMIT_AS)
    return not is_open and _is_refused(lambda: mmap.mmap(-1, mmap.PAGESIZE).close())


def _has_no_privileges() -> bool:
    status = Path("/proc/self/status").read_text()
    return "NoNewPrivs:\t1\n" in status and all(f"Cap{kind}:\t{0:016x}\n" in status for kind in ("Prm", "Eff", "Amb"))


def _ends_with_parent() -> bool:
    held = ctypes.c_int()
    _prctl("it cannot be asked", 2, ctypes.byref(held))
    return held.value == signal.SIGKILL


# What shows, from inside, that a protection holds.
_SIGNS: dict[str, Callable[[], bool]] = {
    "limits": _has_limits,
    "files": lambda: _is_refused(lambda: os.listdir("/")),
    "signals": lambda: _is_refused(lambda: os.kill(os.getppid(), 0)),
    "network": lambda: _is_refused(lambda: socket.socket().close()),
    "processes": lambda: _is_refused(_start_process),
    "kernel": lambda: _libc().unshare(0) < 0,
    "privileges": _has_no_privileges,
    "orphans": _ends_with_parent,
    "disk": lambda: os.statvfs(".").f_blocks * os.statvfs(".").f_frsize <= Limits().scratch_bytes,
}


def _try_alone(name: str, scratch: Path) -> str:
    """Whether a protection holds here: nothing, or why not. It stays in force."""
    try:
        enter(scratch, [], Limits(), [name])
        return "" if _SIGNS[name]() else "it was accepted, and does not hold."
    except (SandboxError, OSError, ValueError) as error:
        return str(error)


def _try_all() -> dict[str, str]:
    """The answers of one process for each protection."""
    with tempfile.TemporaryDirectory() as scratch:
        return {name: _in_a_fork(functools.partial(_try_alone, name, Path(scratch))) for name in PROTECTIONS}


def _in_a_fork(ask: Callable[[], str]) -> str:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, ask().encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    status = os.waitpid(child, 0)[1]
    return text if status == 0 else f"the process that tried it ended with status {status}."


if __name__ == "__main__":
    print(json.dumps(_try_all()))
