"""Owns the house bots of a league: bots of the author `house` that fill tables, so a lone bot plays too."""

from __future__ import annotations

import tempfile
from importlib.metadata import version as distribution_version
from pathlib import Path

from arena.bots.archive import pack
from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import MANIFEST_NAME, Entrant, load_bot
from arena.league.model import Author
from arena.league.store import LeagueStore, NotFound

__all__ = ["HOUSE", "enter_house_bots"]

HOUSE = "house"
"""The author of house bots; no token is ever his."""


def enter_house_bots(store: LeagueStore) -> list[str]:
    """Admits the house bots that this arena ships, where they are missing or others; names of those admitted.

    One that the organiser has retired stays retired.
    """
    author = store.author(HOUSE)
    return [name for name, file in HOUSE_BOTS.items() if _enter(store, author, name, file)]


def _enter(store: LeagueStore, author: Author, name: str, file: Path) -> bool:
    with tempfile.TemporaryDirectory() as place:
        entrant = _folder_of(name, file, Path(place))
        try:
            bot = store.bot(name)
            if bot.retired_unix_us is not None or bot.author.author_id != author.author_id:
                return False
            if bot.newest is not None and bot.newest.content_hash == entrant.content_hash:
                return False
        except NotFound:
            pass
        data = pack(place)
        submission = store.receive(author, data)
    store.admit(
        submission.submission_id,
        bot=name,
        label=entrant.version,
        language=entrant.language,
        content_hash=entrant.content_hash,
    )
    return True


def _folder_of(name: str, file: Path, folder: Path) -> Entrant:
    """The house bot as a folder with a bot.toml, as any other."""
    (folder / "bot.py").write_bytes(file.read_bytes())
    (folder / MANIFEST_NAME).write_text(
        f'name = "{name}"\n'
        f'version = "{distribution_version("callbreak-arena")}"\n'
        'language = "python"\n'
        'command = ["python", "bot.py"]\n'
    )
    return load_bot(folder)
