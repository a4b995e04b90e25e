"""Owns how tests make bots of the Smart Bots servers that lie here."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from arena.bots.manifest import Entrant, load_bot

HERE = Path(__file__).parent


def smart_bot(folder: Path, *command: str, name: str = "smart") -> Entrant:
    """A bot started by this command, whose folder holds all the servers."""
    bot = folder / name
    bot.mkdir()
    for server in ("server.py", "reloader.py", "server.js"):
        shutil.copy(HERE / server, bot)
    (bot / "bot.toml").write_text(
        f'name = "{name}"\nversion = "1"\nlanguage = "javascript"\ncommand = {json.dumps(command)}\n'
        'protocol = "smart-bots-http"\n'
    )
    return load_bot(bot)


def python_bot(folder: Path, *manner: str, name: str = "smart", port: str = "{port}") -> Entrant:
    """The Python server, as it behaves in this manner."""
    return smart_bot(folder, "python", "server.py", port, *manner, name=name)


def node_bot(folder: Path, *, name: str = "node", port: str = "{port}") -> Entrant:
    """The Node server."""
    return smart_bot(folder, "node", "server.js", port, name=name)
