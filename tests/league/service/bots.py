"""Bots for submissions: folders that are sent as they are, or with one thing wrong."""

from __future__ import annotations

from pathlib import Path

from arena.bots.archive import pack_files
from arena.bots.bundle import bot_files
from arena.bots.house import HOUSE_BOTS

ROOT = Path(__file__).parents[3]
LEGAL = HOUSE_BOTS["house-lowest"].read_text()


def bot_folder(
    folder: Path,
    name: str,
    *,
    program: str = LEGAL,
    build: str = "",
    command: str = '["python", "bot.py"]',
    protocol: str = "grpc",
    version: str = "1.0.0",
) -> Path:
    """A bot in a folder of its own below `folder`."""
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    lines = [
        f'name = "{name}"',
        f'version = "{version}"',
        'language = "python"',
        f"command = {command}",
        f'protocol = "{protocol}"',
    ]
    if build:
        lines.append(f"build = {build}")
    (place / "bot.toml").write_text("\n".join(lines) + "\n")
    (place / "bot.py").write_text(program)
    return place


def bundle_of(folder: Path, name: str, **changes: str) -> bytes:
    """The bundle of such a bot."""
    place = bot_folder(folder, name, **changes)
    return pack_files(bot_files(place, has_build=False))


def broken_program(folder: Path) -> bytes:
    """A bot whose program no kernel executes."""
    place = bot_folder(folder, "ant", command='["./ant"]')
    (place / "ant").write_bytes(b"\x7fELF and then nothing")
    (place / "ant").chmod(0o755)
    return pack_files(bot_files(place, has_build=False))
