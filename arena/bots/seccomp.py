"""Owns the system calls that a sandboxed bot may not make, and the filter program that refuses them.

Namespaces and dropped capabilities stop most of what a bot must not do; this closes what they leave open:
kernel interfaces with a history of holes, ways around the network namespace (AF_VSOCK), ways to pick a core
or to look into other processes, and file locks, through which two sandboxes that share read-only files could
talk. Everything not named is allowed: language runtimes differ too much for a list of what is needed.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable, Mapping

__all__ = ["filter_program"]

# (name, number on x86_64, number on aarch64 and riscv64); None where an architecture has no such call.
_REFUSED: tuple[tuple[str, int | None, int | None], ...] = (
    # mounts and namespaces
    ("mount", 165, 40),
    ("umount2", 166, 39),
    ("pivot_root", 155, 41),
    ("chroot", 161, 51),
    ("unshare", 272, 97),
    ("setns", 308, 268),
    ("open_tree", 428, 428),
    ("move_mount", 429, 429),
    ("fsopen", 430, 430),
    ("fsconfig", 431, 431),
    ("fsmount", 432, 432),
    ("fspick", 433, 433),
    ("mount_setattr", 442, 442),
    ("open_tree_attr", 467, 467),
    ("name_to_handle_at", 303, 264),
    ("open_by_handle_at", 304, 265),
    ("quotactl", 179, 60),
    ("quotactl_fd", 443, 443),
    ("swapon", 167, 224),
    ("swapoff", 168, 225),
    # other processes
    ("ptrace", 101, 117),
    ("process_vm_readv", 310, 270),
    ("process_vm_writev", 311, 271),
    ("kcmp", 312, 272),
    ("pidfd_getfd", 438, 438),
    # the kernel itself
    ("add_key", 248, 217),
    ("request_key", 249, 218),
    ("keyctl", 250, 219),
    ("bpf", 321, 280),
    ("perf_event_open", 298, 241),
    ("userfaultfd", 323, 282),
    ("init_module", 175, 105),
    ("finit_module", 313, 273),
    ("delete_module", 176, 106),
    ("kexec_load", 246, 104),
    ("kexec_file_load", 320, 294),
    ("reboot", 169, 142),
    ("acct", 163, 89),
    ("syslog", 103, 116),
    ("vhangup", 153, 58),
    ("iopl", 172, None),
    ("ioperm", 173, None),
    ("modify_ldt", 154, None),
    ("uselib", 134, None),
    ("lookup_dcookie", 212, 18),
    # clocks and cores
    ("settimeofday", 164, 170),
    ("clock_settime", 227, 112),
    ("clock_adjtime", 305, 266),
    ("adjtimex", 159, 171),
    ("sched_setaffinity", 203, 122),
    ("sched_setscheduler", 144, 119),
    ("sched_setparam", 142, 118),
    ("sched_setattr", 314, 274),
)
# Signals from one sandbox to another through files that both can read. A build plays nobody and may use them.
_TALK: tuple[tuple[str, int | None, int | None], ...] = (
    ("flock", 73, 32),
    ("inotify_add_watch", 254, 27),
    ("fanotify_init", 300, 262),
    ("fanotify_mark", 301, 263),
)
# Answered as if the kernel did not know them, so that a runtime falls back on what it used before.
_UNKNOWN: tuple[tuple[str, int | None, int | None], ...] = (
    ("clone3", 435, 435),  # its flags lie in memory, out of a filter's sight
    ("io_uring_setup", 425, 425),
    ("io_uring_enter", 426, 426),
    ("io_uring_register", 427, 427),
)
_CLONE = ("clone", 56, 220)
_SOCKET = ("socket", 41, 198)
_SOCKETPAIR = ("socketpair", 53, 199)
_FCNTL = ("fcntl", 72, 25)

_NEW_NAMESPACE = (
    0x0002_0000 | 0x0200_0000 | 0x0400_0000 | 0x0800_0000 | 0x1000_0000 | 0x2000_0000 | 0x4000_0000
)
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""
_SOCKET_FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: without the last, gRPC and the JVM cannot list interfaces."""
_LOCK_QUERIES = (5, 36)
"""F_GETLK, F_OFD_GETLK: they tell of a lock on a file that is open for reading only."""

_ARCHITECTURES: Mapping[str, tuple[int, int]] = {
    "x86_64": (0xC000_003E, 1),
    "aarch64": (0xC000_00B7, 2),
    "riscv64": (0xC000_00F3, 2),
}
"""Machine: its AUDIT_ARCH number, and which column of the tables above is its own."""
_X32_BIT = 0x4000_0000

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT_AT, _SECOND_ARGUMENT_AT = 0, 4, 16, 24
_ALLOW, _KILL, _ERRNO = 0x7FFF_0000, 0x8000_0000, 0x0005_0000

_Instruction = tuple[int, int, int, int]


def filter_program(machine: str | None = None, *, is_build: bool = False) -> bytes | None:
    """The filter as the kernel's `struct sock_filter[]`, in native byte order; None for an unknown machine.

    `machine` is as `uname -m` tells it, by default this one's. A call made in another mode of the same
    machine (32 bits) kills the process, since its numbers mean other calls.
    """
    known = _ARCHITECTURES.get(machine or platform.machine())
    if known is None:
        return None
    architecture, column = known
    program: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    if column == 1:
        program += [(_JUMP_AT_LEAST, 0, 1, _X32_BIT), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    program += _refusals(_REFUSED, column, errno.EPERM)
    program += _refusals(_UNKNOWN, column, errno.ENOSYS)
    program += _when(_CLONE[column], _FIRST_ARGUMENT_AT, _refused_if_set(_NEW_NAMESPACE))
    for call in (_SOCKET, _SOCKETPAIR):
        program += _when(
            call[column], _FIRST_ARGUMENT_AT, _allowed_only(_SOCKET_FAMILIES, errno.EAFNOSUPPORT)
        )
    if not is_build:
        program += _refusals(_TALK, column, errno.EPERM)
        program += _when(_FCNTL[column], _SECOND_ARGUMENT_AT, _refused_values(_LOCK_QUERIES, errno.EPERM))
    program.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _refusals(
    calls: Iterable[tuple[str, int | None, int | None]], column: int, code: int
) -> list[_Instruction]:
    numbers = [call[column] for call in calls]
    return _refused_values((number for number in numbers if isinstance(number, int)), code)


def _refused_values(values: Iterable[int], code: int) -> list[_Instruction]:
    """Refuses each of `values` of what was loaded last; else goes on."""
    program: list[_Instruction] = []
    for value in values:
        program += [(_JUMP_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ERRNO | code)]
    return program


def _allowed_only(values: tuple[int, ...], code: int) -> list[_Instruction]:
    """Refuses everything but `values`."""
    jumps: list[_Instruction] = [
        (_JUMP_EQUAL, len(values) - index, 0, value) for index, value in enumerate(values)
    ]
    return [*jumps, (_RETURN, 0, 0, _ERRNO | code)]


def _refused_if_set(bits: int) -> list[_Instruction]:
    return [(_JUMP_SET, 0, 1, bits), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]


def _when(number: int | str, argument_at: int, body: list[_Instruction]) -> list[_Instruction]:
    """Runs `body` on an argument's low 32 bits (all that the kernel looks at) when the call is `number`.

    The number is loaded again afterwards.
    """
    assert isinstance(number, int)
    return [
        (_JUMP_EQUAL, 0, len(body) + 2, number),
        (_LOAD, 0, 0, argument_at),
        *body,
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
