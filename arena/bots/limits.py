"""Owns how much of the machine one bot may use; must not know how that is enforced."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """What one bot's process tree may use. Enforced by a sandbox only; `NoSandbox` trusts its bots."""

    memory_bytes: int = 512 * _MIB
    processes: int = 64
    open_files: int = 256
    file_bytes: int = 16 * _MIB
    tmp_bytes: int = 64 * _MIB
    shm_bytes: int = 16 * _MIB
    cpus: float | None = None
