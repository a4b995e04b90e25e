"""Owns what spectators may see of matches in play: cards that were played, once they help nobody.

Bots decide faster than anybody can watch, so a match is shown at a pace of its own and stays on view until
it has been shown to its end. It must not know hands: it is told calls and plays, never a card that was not
played.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.league.hub import Hub, LiveChanged
from arena.league.model import TableKind
from arena.rules import Card, Ruleset, Trick, score_tenths

__all__ = ["Live", "LiveMatch", "LiveTrick", "SeenRound"]

TRICK_DELAY_S = 1.0
CARD_PACE_S = 0.25
"""Time that a card is shown before the next; three times as long after the last one of a trick."""

LINGER_S = 8.0
"""How long the end of a match stays on view."""

MOST_SHOWN = 16
"""Matches on view at once; those that begin while there are as many are not shown."""

_CALLS = 4
_DECISIONS = 56


@dataclass(frozen=True, slots=True)
class LiveTrick:
    """A trick as far as it is shown: cards in play order from `leader`; `winner` is -1 until it is whole."""

    leader: int
    cards: tuple[int, ...]
    winner: int


@dataclass(frozen=True, slots=True)
class LiveMatch:
    """A match as far as it is shown; lists go by seat, cards are numbers as in the protocol.

    `calls` holds 0 for a seat that has not called, `tricks` the whole tricks of the round on view, `trick`
    the one that is being shown. `turn` is the seat whose call or card is shown next, -1 between rounds.
    `scores_tenths` has the rounds before and, once its last trick is shown, this one. `places` is empty until
    the end. Where the season keeps its records to itself the cards are left out and `has_cards` is False.
    `revision` grows with every change.
    """

    match_id: str
    table_id: int
    kind: str
    ruleset: str
    bots: tuple[str, ...]
    round: int
    rounds: int
    dealer: int
    calls: tuple[int, ...]
    tricks_won: tuple[int, ...]
    tricks: tuple[LiveTrick, ...]
    trick: LiveTrick
    turn: int
    scores_tenths: tuple[tuple[int, ...], ...]
    totals_tenths: tuple[int, ...]
    places: tuple[int, ...]
    is_over: bool
    has_cards: bool
    revision: int

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class SeenRound:
    """What was called and played in a round so far, both in the order in which it happened."""

    dealer: int
    calls: tuple[int, ...]
    plays: tuple[int, ...]

    @property
    def ready(self) -> int:
        """Decisions that may be shown: calls as they are made, cards when their trick is whole."""
        return len(self.calls) + len(self.plays) // 4 * 4


class Live:
    """The matches in play as spectators may see them."""

    def __init__(
        self,
        hub: Hub,
        *,
        now_s: Callable[[], float],
        trick_delay_s: float = TRICK_DELAY_S,
        card_pace_s: float = CARD_PACE_S,
        most_shown: int = MOST_SHOWN,
    ) -> None:
        """`trick_delay_s` is how long a trick must be over before any card of it is shown."""
        self._hub = hub
        self._now_s = now_s
        self._delay_s = trick_delay_s
        self._pace_s = card_pace_s
        self._most_shown = most_shown
        self._shows: dict[str, _Show] = {}
        self._has_news = asyncio.Event()

    def matches(self) -> list[LiveMatch]:
        """Those on view, the newest last."""
        return [show.look() for show in self._shows.values()]

    def match(self, match_id: str) -> LiveMatch | None:
        """One of them; None when it is not on view (any more)."""
        show = self._shows.get(match_id)
        return None if show is None else show.look()

    def is_whole(self, match_id: str) -> bool:
        """Whether a match on view is over, shown to its end or not."""
        return match_id in self._shows and bool(self._shows[match_id].places)

    # What those who play say

    def begin(
        self,
        match_id: str,
        *,
        table_id: int,
        kind: TableKind,
        bots: Sequence[str],
        rules: Ruleset,
        has_cards: bool = True,
    ) -> None:
        """A match begins between `bots` by seat; its cards are shown only if `has_cards`."""
        if match_id not in self._shows and len(self._shows) < self._most_shown:
            self._shows[match_id] = _Show(
                match_id, table_id, kind, tuple(bots), rules, has_cards, self._now_s()
            )
            self._hub.publish(LiveChanged(match_id))

    def see(self, match_id: str, rounds: Sequence[SeenRound]) -> None:
        """All that was called and played in a match so far, from its first round on."""
        show = self._shows.get(match_id)
        if show is not None and show.see(tuple(rounds), not_before_s=self._now_s() + self._delay_s):
            self._has_news.set()

    def end(self, match_id: str, rounds: Sequence[SeenRound], *, places: Sequence[int]) -> None:
        """The match is over: it stays on view until it was shown to its end."""
        self.see(match_id, rounds)
        show = self._shows.get(match_id)
        if show is not None:
            show.places = tuple(places)
            self._has_news.set()

    def drop(self, match_id: str) -> None:
        """The match will not be finished."""
        if self._shows.pop(match_id, None) is not None:
            self._hub.publish(LiveChanged(match_id))

    # Showing

    def tick(self) -> float | None:
        """Shows what is due now; when the next is due, None when nothing waits."""
        now_s = self._now_s()
        for show in tuple(self._shows.values()):
            if show.step(now_s, self._pace_s):
                self._hub.publish(LiveChanged(show.match_id))
            if show.is_shown and now_s >= show.shown_s + LINGER_S:
                self.drop(show.match_id)
        waits = (show.next_s(self._pace_s) for show in self._shows.values())
        return min((at for at in waits if at is not None), default=None)

    async def run(self) -> None:
        """Shows matches at their pace until it is cancelled."""
        while True:
            next_s = self.tick()
            self._has_news.clear()
            wait_s = None if next_s is None else max(0.0, next_s - self._now_s())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._has_news.wait()


@dataclass(slots=True)
class _Show:
    """One match on view: `shown` decisions of it, the last of them at `shown_s`."""

    match_id: str
    table_id: int
    kind: TableKind
    bots: tuple[str, ...]
    rules: Ruleset
    has_cards: bool
    shown_s: float
    shown: int = 0
    rounds: tuple[SeenRound, ...] = ()
    ready: int = 0
    places: tuple[int, ...] = ()
    _batches: deque[tuple[int, float]] = field(default_factory=deque)
    _seen: tuple[tuple[int, bool], LiveMatch] | None = None

    @property
    def is_shown(self) -> bool:
        """Whether the match was shown to its end."""
        return bool(self.places) and self.shown == self.ready

    def see(self, rounds: tuple[SeenRound, ...], *, not_before_s: float) -> bool:
        """Takes in what was played; True when there is more to show."""
        ready = sum(seen.ready for seen in rounds)
        if ready <= self.ready:
            return False
        self.rounds, self.ready = rounds, ready
        self._batches.append((ready, not_before_s))
        return True

    def next_s(self, pace_s: float) -> float | None:
        """When there is something to do: the next decision to show, or the end to take off."""
        if self.is_shown:
            return self.shown_s + LINGER_S
        if not self._batches:
            return None
        within = self.shown % _DECISIONS
        is_trick_over = within == 0 or (within > _CALLS and within % 4 == 0)
        pause_s = pace_s * (3 if is_trick_over else 1) if self.shown else 0.0
        return max(self._batches[0][1], self.shown_s + pause_s)

    def step(self, now_s: float, pace_s: float) -> bool:
        """Shows the decisions that are due; False when none was."""
        before = self.shown
        while not self.is_shown and (due_s := self.next_s(pace_s)) is not None and due_s <= now_s:
            self.shown += 1
            self.shown_s = due_s
            if self.shown == self._batches[0][0]:
                self._batches.popleft()
        return self.shown != before

    def look(self) -> LiveMatch:
        """What is shown; the same object until that changes."""
        key = (self.shown, self.is_shown)
        if self._seen is None or self._seen[0] != key:
            self._seen = (key, self._drawn())
        return self._seen[1]

    def _drawn(self) -> LiveMatch:
        number = max(0, self.shown - 1) // _DECISIONS  # a round stays until the first call of the next
        within = self.shown - number * _DECISIONS
        seen = self.rounds[number] if self.rounds else SeenRound(3, (), ())
        first = (seen.dealer + 1) % 4
        calls = [0, 0, 0, 0]
        for i, call in enumerate(seen.calls[:within]):
            calls[(first + i) % 4] = call
        tricks = _tricks_of(seen.plays[: max(0, within - _CALLS)], leader=first)
        current = tricks.pop()
        scores = [_scores_of(done, self.rules) for done in self.rounds[:number]]
        if within == _DECISIONS:
            scores.append(_scores_of(seen, self.rules))
        is_calling = within < _CALLS
        turn = (first + within) % 4 if is_calling else (current.leader + len(current.cards)) % 4
        return LiveMatch(
            match_id=self.match_id,
            table_id=self.table_id,
            kind=self.kind.value,
            ruleset=self.rules.name,
            bots=self.bots,
            round=number + 1,
            rounds=self.rules.rounds,
            dealer=seen.dealer,
            calls=tuple(calls),
            tricks_won=tuple(sum(trick.winner == seat for trick in tricks) for seat in range(4)),
            tricks=tuple(trick if self.has_cards else _blank(trick) for trick in tricks),
            trick=current if self.has_cards else _blank(current),
            turn=-1 if within == _DECISIONS else turn,
            scores_tenths=tuple(scores),
            totals_tenths=tuple(sum(column) for column in zip(*scores, strict=True)) or (0, 0, 0, 0),
            places=self.places if self.is_shown else (),
            is_over=self.is_shown,
            has_cards=self.has_cards,
            revision=self.shown + self.is_shown,
        )


def _tricks_of(plays: Sequence[int], *, leader: int) -> list[LiveTrick]:
    """The whole tricks of `plays` and last the one that is not whole, perhaps without a card."""
    tricks = []
    for begin in range(0, len(plays) + 1, 4):
        cards = tuple(plays[begin : begin + 4])
        is_whole = len(cards) == 4
        winner = Trick(leader, tuple(Card(card) for card in cards)).winner if is_whole else -1
        tricks.append(LiveTrick(leader, cards, winner))
        leader = winner if is_whole else leader
    return tricks


def _blank(trick: LiveTrick) -> LiveTrick:
    return LiveTrick(trick.leader, (), trick.winner)


def _scores_of(played: SeenRound, rules: Ruleset) -> tuple[int, ...]:
    first = (played.dealer + 1) % 4
    winners = [trick.winner for trick in _tricks_of(played.plays, leader=first)[:-1]]
    return tuple(
        score_tenths(played.calls[(seat - first) % 4], winners.count(seat), rules) for seat in range(4)
    )
