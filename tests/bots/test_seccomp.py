"""The system call filter refuses what its table names, by each machine's own numbers, and allows the rest.

The filter programs are run by a small interpreter of the kernel's instructions, so that filters for machines
that we are not on are tested as well. tests/sandbox shows that the kernel agrees.
"""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest

from arena.bots import seccomp
from arena.bots.seccomp import filter_program

ARCHITECTURES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7, "riscv64": 0xC000_00F3}
ALLOW, KILL, ERRNO = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
NUMBERS = {
    "x86_64": {"read": 0, "clone": 56, "socket": 41, "fcntl": 72, "mount": 165, "flock": 73, "clone3": 435},
    "aarch64": {
        "read": 63,
        "clone": 220,
        "socket": 198,
        "fcntl": 25,
        "mount": 40,
        "flock": 32,
        "clone3": 435,
    },
}
NUMBERS["riscv64"] = NUMBERS["aarch64"]
CLONE_NEWUSER, CLONE_THREAD = 0x1000_0000, 0x0001_0000
AF_UNIX, AF_INET, AF_NETLINK, AF_PACKET, AF_ALG, AF_VSOCK = 1, 2, 16, 17, 38, 40
F_GETFD, F_GETLK, F_SETLK, F_OFD_GETLK = 1, 5, 6, 36

machines = pytest.mark.parametrize("machine", list(ARCHITECTURES))


def verdict(
    machine: str, number: int, *arguments: int, is_build: bool = False, mode: int | None = None
) -> int:
    """What the kernel would answer to this call: ALLOW, KILL, or a negative errno."""
    program = filter_program(machine, is_build=is_build)
    assert program is not None
    padded = [*arguments, *[0] * 6][:6]
    call = struct.pack("<IIQ6Q", number, ARCHITECTURES[machine] if mode is None else mode, 0, *padded)
    instructions = list(struct.iter_unpack("=HBBI", program))
    accumulator: int = 0
    at: int = 0
    while True:
        code, if_true, if_false, value = instructions[at]
        at += 1
        if code == 0x20:
            accumulator = struct.unpack_from("<I", call, value)[0]
        elif code == 0x06:
            return -int(value & 0xFFFF) if value & 0xFFFF_0000 == ERRNO else int(value)
        else:
            holds = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}
            at += if_true if holds[code] else if_false


@machines
def test_ordinary_calls_are_allowed(machine: str) -> None:
    numbers = NUMBERS[machine]

    assert verdict(machine, numbers["read"]) == ALLOW
    assert verdict(machine, numbers["clone"], CLONE_THREAD) == ALLOW
    assert verdict(machine, numbers["fcntl"], 3, F_GETFD) == ALLOW
    assert verdict(machine, numbers["fcntl"], 3, F_SETLK) == ALLOW
    for family in (AF_UNIX, AF_INET, AF_NETLINK):
        assert verdict(machine, numbers["socket"], family) == ALLOW


@machines
def test_everything_named_is_refused(machine: str) -> None:
    column = 1 if machine == "x86_64" else 2
    for table, code in ((seccomp._REFUSED, errno.EPERM), (seccomp._UNKNOWN, errno.ENOSYS)):
        for call in table:
            number = call[column]
            if isinstance(number, int):
                assert verdict(machine, number) == -code, call[0]


@machines
def test_arguments_decide_where_a_call_is_also_harmless(machine: str) -> None:
    numbers = NUMBERS[machine]

    assert verdict(machine, numbers["clone"], CLONE_NEWUSER | CLONE_THREAD) == -errno.EPERM
    for family in (AF_PACKET, AF_ALG, AF_VSOCK):
        assert verdict(machine, numbers["socket"], family) == -errno.EAFNOSUPPORT
    for query in (F_GETLK, F_OFD_GETLK):
        assert verdict(machine, numbers["fcntl"], 3, query) == -errno.EPERM


@machines
def test_upper_half_of_an_argument_hides_nothing(machine: str) -> None:
    numbers = NUMBERS[machine]

    assert verdict(machine, numbers["socket"], 1 << 32 | AF_VSOCK) == -errno.EAFNOSUPPORT
    assert verdict(machine, numbers["fcntl"], 3, 1 << 32 | F_GETLK) == -errno.EPERM


@machines
def test_other_mode_of_the_machine_is_killed(machine: str) -> None:
    assert verdict(machine, NUMBERS[machine]["read"], mode=0x4000_0003) == KILL


def test_x32_calls_do_not_exist() -> None:
    assert verdict("x86_64", 0x4000_0000 | NUMBERS["x86_64"]["mount"]) == -errno.ENOSYS


@machines
def test_build_may_lock_files_but_not_mount(machine: str) -> None:
    numbers = NUMBERS[machine]

    assert verdict(machine, numbers["flock"]) == -errno.EPERM
    assert verdict(machine, numbers["flock"], is_build=True) == ALLOW
    assert verdict(machine, numbers["fcntl"], 3, F_GETLK, is_build=True) == ALLOW
    assert verdict(machine, numbers["mount"], is_build=True) == -errno.EPERM


def test_unknown_machine_has_no_filter() -> None:
    assert filter_program("pdp11") is None


@pytest.mark.may_skip
@pytest.mark.parametrize(
    ("header", "column"),
    [("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", 1), ("/usr/include/asm-generic/unistd.h", 2)],
)
def test_numbers_are_the_kernels(header: str, column: int) -> None:
    if not Path(header).exists():
        pytest.skip(f"{header} is not installed")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", Path(header).read_text())
    numbers = {name: int(number) for name, number in found}
    calls = (*seccomp._REFUSED, *seccomp._UNKNOWN, *seccomp._TALK)
    single = (seccomp._CLONE, seccomp._SOCKET, seccomp._SOCKETPAIR, seccomp._FCNTL)

    for call in (*calls, *single):
        if call[0] in numbers:  # an older header does not know the newest
            assert call[column] == numbers[call[0]], call[0]
