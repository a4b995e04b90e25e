"""Builders of a league's store with bots, and of records of its tables played without any bot."""

from __future__ import annotations

import random
from collections.abc import Sequence

from arena.league.model import Replays, Season, Table, TableKind, Version
from arena.league.store import PERSON, LeagueStore
from arena.referee.clocks import TimeControl
from arena.referee.faults import FaultKind
from arena.referee.record import record_of
from arena.referee.refereed import NOBODY, RefereedMatch
from arena.referee.setup import Isolation, MatchSetup, SeatSetup
from arena.rules import Seed, card_list, find_ruleset
from arena.v1 import record_pb2

RULESET = "callbreak+rounds=1"
ME = "arena-1"


class Clock:
    """A clock that the test moves: microseconds since 1970."""

    def __init__(self) -> None:
        self.now_us = 1_700_000_000_000_000

    def __call__(self) -> int:
        """The time."""
        return self.now_us

    def sleep(self, seconds: float) -> None:
        """Lets time pass."""
        self.now_us += int(seconds * 1_000_000)


def begin(store: LeagueStore, name: str = "spring") -> Season:
    """An open season of the shortest game."""
    return store.open_season(name, ruleset=RULESET, time_control="0.5+10", strikes=3, replays=Replays.AT_ONCE)


def admitted(store: LeagueStore, bot: str, *, author: str = "ann", label: str = "1.0") -> Version:
    """A new version of a bot, submitted and admitted."""
    submission = store.receive(store.author(author), f"{author} {bot} {label}".encode())
    return store.admit(
        submission.submission_id, bot=bot, label=label, language="python", content_hash=bot.encode().hex()
    )


def four(store: LeagueStore) -> list[int]:
    """Version ids of four bots of two authors."""
    return [
        admitted(store, bot, author=author).version_id
        for bot, author in [("ant", "ann"), ("bee", "ann"), ("cat", "cem"), ("dog", "cem")]
    ]


def leased(
    store: LeagueStore,
    season: Season,
    version_ids: Sequence[int],
    *,
    kind: TableKind = TableKind.RATED,
    is_fresh: bool = False,
) -> Table:
    """A table that this arena plays."""
    return store.add_table(season, version_ids, kind=kind, is_fresh=is_fresh, owner=ME)


def played(
    store: LeagueStore, season: Season, table: Table, rotation: int, *, luck: str = "", faulty: int = NOBODY
) -> record_pb2.MatchRecord:
    """The match of that rotation as bots play it that call two and play at random.

    Another `luck` gives another result. The seat `faulty` answers its first call with nonsense.
    """
    versions = {
        version.version_id: (bot.name, version)
        for bot in store.bots(with_retired=True)
        for version in store.versions(bot)
    } | {person.version_id: (PERSON, person) for person in [store.person()]}
    seats = [versions[version_id] for version_id in table.seats(rotation)]
    first, second, third, fourth = (SeatSetup(name, one.label, one.content_hash) for name, one in seats)
    match = RefereedMatch(
        MatchSetup(
            match_id=table.match_ids[rotation],
            seats=(first, second, third, fourth),
            rules=find_ruleset(season.ruleset),
            time_control=TimeControl.parse(season.time_control),
            strikes_allowed=season.strikes,
            position=table.first_position + rotation,
            table=table.table_id,
            set_number=table.set_numbers[rotation],
            rotation=rotation,
            isolation=Isolation.NONE,
            freeze=False,
            seed=Seed.parse(season.seed_text),
        )
    )
    match.begin()
    while match.seat != NOBODY:
        if match.seat == faulty and match.is_calling:
            match.fail(FaultKind.MALFORMED, answer="ff", detail="no call\0", took_ns=2_000_000)
        elif match.is_calling:
            match.call(2, took_ns=1_500_000)
        else:
            chance = random.Random(f"{match.random_seed()} {luck}")
            match.play(chance.choice(card_list(match.game.round.legal)), took_ns=800_000)
    return record_of(match, started_unix_us=1_700_000_000_000_000, duration_us=123_456)


def whole_set(store: LeagueStore, season: Season, table: Table) -> list[record_pb2.MatchRecord]:
    """Its four matches."""
    return [played(store, season, table, rotation) for rotation in range(4)]
