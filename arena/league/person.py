"""Owns a person's seat at one table: what they may see, and what they answer in their own time.

To the floor it is a guest like any bot; to a page it is a view and an answer. It must not know pages, and
never shows a card of another hand.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena.bots.codec import PROTOCOL, Greeting
from arena.bots.floor import Loss
from arena.bots.line import Line
from arena.errors import ArenaError
from arena.league.reasons import why_not
from arena.referee.faults import FaultKind
from arena.referee.refereed import RefereedMatch
from arena.rules import FinishedRound, Round, card_numbers
from arena.v1 import play_pb2, record_pb2

__all__ = ["NotNow", "PersonSeat"]


class NotNow(ArenaError):
    """What was answered may not be done now; the message says why, in a player's words. Nothing changed."""


class PersonSeat:
    """A seat for a person. Everything here belongs to the server's event loop.

    `seat_id` is unguessable and names the seat in a page's address; `match_id` names the match. When it is
    over `record` is its record.
    """

    def __init__(self, name: str, *, seat_id: str, match_id: str, now_ns: Callable[[], int]) -> None:
        self.name = name
        self.seat_id = seat_id
        self.match_id = match_id
        self.record: record_pb2.MatchRecord | None = None
        self.revision = 1
        self._now_ns = now_ns
        self._bots: tuple[str, ...] = ()
        self._seat = 0
        self._match: RefereedMatch | None = None
        self._decisions = -1
        self._reason = ""
        self._ask: play_pb2.Ask | None = None
        self._line: _PersonLine | None = None
        self._changed = asyncio.Event()
        self.has_left = False
        self.on_leave: Callable[[], None] = lambda: None

    # For the page

    @property
    def state(self) -> str:
        """`waiting` until the bots are ready, `playing`, `over`, or `void` when it cannot be finished."""
        if self.record is not None:
            return "over"
        if self._reason:
            return "void"
        return "waiting" if self._match is None else "playing"

    def view(self) -> dict[str, Any]:
        """All that this seat may see now, as JSON; cards are numbers as in the protocol, lists go by seat.

        Always: `revision`, `state`, `reason` (of a void match), `match_id`, `seat`, `bots` (names by seat,
        the person's own among them). Once it is played also: `ruleset` (its name), `round`, `rounds`,
        `dealer`, `calls` (0: not yet), `tricks_won`, `hand`, `trick` ({leader, cards}), `tricks` (the whole
        tricks of this round: {leader, cards}), `turn` (-1: nobody), `asked` ("call", "card", or "" while
        others are), `legal_calls`, `legal_cards`, `why_not` (words for each card of the hand that may not be
        played, by its number as text), `seconds_left` for this decision, `scores_tenths` (of the finished
        rounds), `totals_tenths`, `last_round` (the round that ended last: {round, calls, tricks_won,
        scores_tenths, tricks}, or None), `notices` (decisions that were made for the person, in words, and
        seats that were forfeited), and `places`, empty until it is over.
        """
        shown: dict[str, Any] = {
            "revision": self.revision,
            "state": self.state,
            "reason": self._reason,
            "match_id": self.match_id,
            "seat": self._seat,
            "bots": list(self._bots),
        }
        return shown if self._match is None else shown | self._table(self._match)

    def answer(self, *, call: int | None = None, card: int | None = None) -> None:
        """Makes the call or plays the card that is asked for; NotNow says why that may not be."""
        ask, line = self._pending(), self._line
        if ask is None or line is None:
            raise NotNow("it is not your turn")
        answer = play_pb2.Answer(ask_id=ask.ask_id)
        if call is not None and card is None:
            answer.call = self._checked_call(ask, call)
        elif card is not None and call is None:
            answer.card = self._checked_card(ask, card)  # type: ignore[assignment]
        else:
            raise NotNow("a call or a card is one answer, both are none")
        self._ask = None
        self._bump()
        line.hear(play_pb2.PlayRequest(answers=play_pb2.Answers(answers=[answer])))

    async def changed(self, since: int) -> int:
        """Waits until there is something newer to see than revision `since`; the revision then."""
        while self.revision <= since:
            await self._changed.wait()
        return self.revision

    def leave(self) -> None:
        """The person gets up: the match is void."""
        self.has_left = True
        self.on_leave()

    # For the table

    async def start(self) -> Line:
        """A person is there already."""
        self._line = _PersonLine(self._turn, name=self.name, now_ns=self._now_ns)
        return self._line

    async def end(self, reason: str) -> None:
        """No more is asked."""
        self._line = None
        self._ask = None

    async def cause_of_death(self) -> Loss:
        """A person has no process to lose."""
        return Loss(FaultKind.CRASHED, "the person left")

    def keep_output(self, label: str) -> Path | None:
        """A person prints nothing."""
        return None

    def sit(self, seat: int, bots: tuple[str, ...]) -> None:
        """The table: this seat's number and the names by seat."""
        self._seat, self._bots = seat, bots
        self._bump()

    def look(self, match: RefereedMatch) -> None:
        """The match may have gone on: what this seat may see of it is shown."""
        decisions = len(match.game.finished) * 56 + match.game.round.decision
        if self._match is None or decisions != self._decisions:
            self._match, self._decisions = match, decisions
            self._bump()

    def finish(self, record: record_pb2.MatchRecord) -> None:
        """The match is over."""
        self.record = record
        self._bump()

    def give_up(self, reason: str) -> None:
        """The match cannot be finished: a no contest."""
        if self.record is None:
            self._reason, self._ask = reason, None
            self._bump()

    def _bump(self) -> None:
        self.revision += 1
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _turn(self, turn: play_pb2.Turn) -> None:
        for ask in turn.asks:
            self._ask = ask
        self._bump()

    def _pending(self) -> play_pb2.Ask | None:
        """What is asked now; an ask whose time ran out is none, once the arena has decided it."""
        if self._match is not None and self._match.seat != self._seat:
            return None
        return self._ask

    def _checked_call(self, ask: play_pb2.Ask, call: int) -> int:
        if not ask.legal_calls:
            raise NotNow("a card is to be played, the calls are made")
        if call not in ask.legal_calls:
            raise NotNow(f"{min(ask.legal_calls)} to {max(ask.legal_calls)} may be called")
        return call

    def _checked_card(self, ask: play_pb2.Ask, card: int) -> int:
        if not ask.legal_cards:
            raise NotNow("a call is to be made first")
        if card not in ask.hand:
            raise NotNow("that card is not in your hand")
        if card not in ask.legal_cards:
            assert self._match is not None
            raise NotNow(why_not(card, ask.hand, ask.trick, self._match.setup.rules))
        return card

    def _table(self, match: RefereedMatch) -> dict[str, Any]:
        game, now = match.game, match.game.round
        hand = card_numbers(now.hands[self._seat])  # the only hand that is looked at
        finished = game.finished
        shown = {
            "ruleset": game.rules.name,
            "round": game.round_number,
            "rounds": game.rules.rounds,
            "dealer": now.dealer,
            "calls": list(now.calls),
            "tricks_won": list(now.tricks_won),
            "hand": hand,
            "trick": {"leader": now.trick_leader, "cards": list(now.trick)},
            "tricks": _tricks(now.history, now.history_leaders),
            "turn": now.turn,
            "scores_tenths": [list(played.scores_tenths) for played in finished],
            "totals_tenths": list(game.totals_tenths),
            "last_round": _round_document(finished[-1]) if finished else None,
            "notices": self._notices(match),
            "places": match.places if match.is_over else [],
        }
        return shown | self._question(match, now, hand)

    def _question(self, match: RefereedMatch, now: Round, hand: list[int]) -> dict[str, Any]:
        ask = self._pending()
        if ask is None or self._line is None:
            return {
                "asked": "",
                "legal_calls": [],
                "legal_cards": [],
                "why_not": {},
                "seconds_left": None,
            }
        reasons = {}
        if ask.legal_cards:
            words = {card: why_not(card, hand, now.trick, match.setup.rules) for card in hand}
            reasons = {str(card): word for card, word in words.items() if word}
        left_ns = match.allowed_ns(self._seat) - (self._now_ns() - self._line.sent_ns)
        return {
            "asked": "card" if ask.legal_cards else "call",
            "legal_calls": list(ask.legal_calls),
            "legal_cards": [int(card) for card in ask.legal_cards],
            "why_not": reasons,
            "seconds_left": max(0, left_ns // 1_000_000_000),
        }

    def _notices(self, match: RefereedMatch) -> list[str]:
        told = []
        for fault in match.faults:
            who = "you" if fault.seat == self._seat else self._bots[fault.seat]
            if fault.seat == self._seat and fault.replaced_by:
                told.append(f"{fault.detail}: {fault.replaced_by} was chosen for you")
            if fault.forfeits:
                told.append(
                    f"{who} play{'' if who == 'you' else 's'} no more: the arena plays that seat's hand"
                )
        return told


class _PersonLine(Line):
    """A line with nothing at its end but a person: what goes out is handed to `on_turn`."""

    def __init__(
        self, on_turn: Callable[[play_pb2.Turn], None], *, name: str, now_ns: Callable[[], int]
    ) -> None:
        super().__init__(now_ns=now_ns, preset=None)
        self._on_turn = on_turn
        self._clock = now_ns
        self.is_busy = False
        self.greeting.set_result(
            Greeting(
                name=name,
                version="",
                protocol_min=PROTOCOL,
                protocol_max=PROTOCOL,
                rulesets=(),
                max_parallel_matches=1,
                ask_forced_plays=True,
                token="",
            )
        )
        self.write_with(self)

    def write(self, message: bytes) -> None:
        """What a bot would be sent."""
        turn = play_pb2.PlayResponse.FromString(message).turn
        if turn.match_starts:
            ready = play_pb2.Ready(match_ids=[start.match_id for start in turn.match_starts])
            self.hear(play_pb2.PlayRequest(ready=ready))
        self._on_turn(turn)

    def hear(self, request: play_pb2.PlayRequest) -> None:
        """What a bot would say; it is handled once the caller is done."""
        asyncio.get_running_loop().call_soon(self._hear, request, self._clock())

    def _hear(self, request: play_pb2.PlayRequest, now_ns: int) -> None:
        if self.listener is not None:
            self.listener.heard(self, request, now_ns)


def _tricks(plays: list[int] | tuple[int, ...], leaders: list[int] | tuple[int, ...]) -> list[dict[str, Any]]:
    return [
        {"leader": leader, "cards": [int(card) for card in plays[4 * i : 4 * i + 4]]}
        for i, leader in enumerate(leaders)
    ]


def _round_document(played: FinishedRound) -> dict[str, Any]:
    return {
        "round": played.round_number,
        "calls": list(played.calls),
        "tricks_won": list(played.tricks_won),
        "scores_tenths": list(played.scores_tenths),
        "tricks": _tricks(played.plays, played.leaders),
    }
