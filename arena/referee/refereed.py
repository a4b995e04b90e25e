"""Owns one match under the referee, with no I/O: who is asked, what an answer costs, what a fault does.

Whoever drives it asks `seat` for a decision, and says what came back with `call`, `play` or `fail`, or that a
seat is gone with `forfeit`. It knows nothing of bots, streams or tournaments, and reads no clock: times are
passed in.
"""

from __future__ import annotations

from dataclasses import dataclass

from arena.referee.faults import Fault, FaultKind
from arena.referee.setup import MatchSetup
from arena.rules import (
    Card,
    Deals,
    IllegalCall,
    IllegalCard,
    Match,
    Round,
    View,
    deal,
    match_entropy,
    mix,
    places,
    view_of,
)

__all__ = ["NOBODY", "NOTE_LIMIT", "RefereedMatch", "Replaced", "RoundNotes"]

NOBODY = -1
NOTE_LIMIT = 200
"""Characters of a bot's note that are kept."""

_TEXT_OF = {int(card): str(card) for card in Card}
_CALLS = 4
_CARD_OF_BIT = 15
"""A set of one card has the bit length `card - 15`."""
_DECISIONS = 56


@dataclass(frozen=True, slots=True)
class Replaced:
    """A decision that was made instead of the bot's own, for telling it so. One of `call` and `card` is not
    0.
    """

    kind: FaultKind
    detail: str
    call: int
    card: int
    strikes: int


@dataclass(slots=True)
class RoundNotes:
    """What is kept of a round besides the game: microseconds of its decisions, who was asked, notes."""

    decision_us: list[int]
    asked: list[bool]
    cpu_us: list[int]
    notes: list[tuple[int, str]]

    @classmethod
    def empty(cls) -> RoundNotes:
        """Of a round that begins."""
        return cls([0] * _DECISIONS, [False] * _DECISIONS, [], [])


class RefereedMatch:
    """One match: `seat` is to decide, until it is NOBODY and the match is over.

    Forced plays and the decisions of forfeited seats are made here, without asking. Who can tell the
    processor time of a decision sets `cpu_us` before settling it. All times are
    nanoseconds.
    """

    __slots__ = (
        "_ask_forced",
        "_entropy",
        "_limit_ns",
        "_round",
        "bank_left_ns",
        "cpu_us",
        "faults",
        "forfeited",
        "game",
        "last_latency_ns",
        "notes",
        "replaced",
        "seat",
        "setup",
        "strikes",
    )

    def __init__(self, setup: MatchSetup) -> None:
        self.setup = setup
        self.game = Match(setup.rules, _deals_of(setup))
        self._round: Round = self.game.round
        self._limit_ns = setup.time_control.limit_ns
        self._ask_forced = [False] * 4
        self._entropy = 0 if setup.seed is None else match_entropy(setup.seed.value, setup.match_id)
        self.bank_left_ns = [setup.time_control.bank_ns] * 4
        self.last_latency_ns = [-1] * 4
        self.strikes = [0] * 4
        self.forfeited: set[int] = set()
        self.faults: list[Fault] = []
        self.replaced: list[list[Replaced]] = [[], [], [], []]
        self.notes: list[RoundNotes] = []
        self.cpu_us = 0
        self.seat = NOBODY

    def begin(self, *, ask_forced: tuple[bool, bool, bool, bool] = (False, False, False, False)) -> None:
        """Deals the first round; `ask_forced` names the seats that want to be asked for forced plays too."""
        self._ask_forced = list(ask_forced)
        self.notes.append(RoundNotes.empty())
        self._advance()

    @property
    def is_over(self) -> bool:
        """Whether every round is played."""
        return self.game.is_over

    @property
    def is_calling(self) -> bool:
        """Whether a call is asked for, and not a card."""
        return self._round.is_calling

    @property
    def places(self) -> list[int]:
        """Places by seat; forfeited seats share the last."""
        return places(self.game.totals_tenths, self.forfeited)

    def allowed_ns(self, seat: int) -> int:
        """The longest that the next decision of `seat` may take: its limit and what is left of its bank."""
        return self._limit_ns + self.bank_left_ns[seat]

    def view(self) -> View:
        """What the seat to decide may know."""
        return view_of(self.game)

    def random_seed(self) -> int:
        """64 bits that are fresh for this decision and the same when the match is played again."""
        return mix(self._entropy, self.game.round_number * _DECISIONS + self._round.decision)

    def call(self, number: int, *, took_ns: int, note: str = "") -> None:
        """Takes the call of the seat to decide; a call that may not be made is its fault."""
        round_ = self._round
        if not round_.is_calling:
            self.fail(
                FaultKind.MALFORMED,
                answer=str(number),
                detail="a call came where a card was asked",
                took_ns=took_ns,
            )
            return
        if took_ns > self._limit_ns and not self._draw_bank(took_ns):
            self._time_out(took_ns, answer=str(number))
            return
        seat, decision = self.seat, round_.decision
        try:
            round_.call(number)
        except IllegalCall as refusal:
            self._replace(FaultKind.ILLEGAL_CALL, answer=str(number), detail=str(refusal), took_ns=took_ns)
            return
        self._settle(seat, decision, took_ns, note)

    def play(self, card: int, *, took_ns: int, note: str = "") -> None:
        """Takes the card of the seat to decide; a card that may not be played is its fault."""
        round_ = self._round
        if round_.is_calling:
            answer = _TEXT_OF.get(card, str(card))
            self.fail(
                FaultKind.MALFORMED,
                answer=answer,
                detail="a card came where a call was asked",
                took_ns=took_ns,
            )
            return
        if took_ns > self._limit_ns and not self._draw_bank(took_ns):
            self._time_out(took_ns, answer=_TEXT_OF[card])
            return
        seat, decision = self.seat, round_.decision
        try:
            round_.play(card)
        except IllegalCard as refusal:
            self._replace(FaultKind.ILLEGAL_CARD, answer=_TEXT_OF[card], detail=str(refusal), took_ns=took_ns)
            return
        self._settle(seat, decision, took_ns, note)

    def time_out(self, *, took_ns: int) -> None:
        """The seat to decide did not answer within `allowed_ns`."""
        self._time_out(took_ns, answer="")

    def fail(self, kind: FaultKind, *, answer: str, detail: str, took_ns: int) -> None:
        """The seat to decide answered with what is no decision: `answer`, as far as it can be shown."""
        if took_ns > self._limit_ns and not self._draw_bank(took_ns):
            self._time_out(took_ns, answer=answer)
            return
        self._replace(kind, answer=answer, detail=detail, took_ns=took_ns)

    def forfeit(self, seat: int, kind: FaultKind, detail: str) -> None:
        """`seat` is gone for the rest of the match; its decisions are replaced, now and from now on.

        May be said at any time, of any seat, also before `begin`; of a seat already forfeited it changes
        nothing.
        """
        if seat in self.forfeited or self.is_over:
            return
        has_begun = bool(self.notes)
        self.forfeited.add(seat)
        replaced_by = self._replacement_text() if seat == self.seat else ""
        self.faults.append(
            Fault(
                seat=seat,
                kind=kind,
                round_number=self.game.round_number if has_begun else 0,
                trick=self._trick_number() if has_begun else 0,
                decision=self._round.decision if has_begun else 0,
                answer="",
                replaced_by=replaced_by,
                detail=detail,
                forfeits=True,
            )
        )
        if seat == self.seat:
            self._advance()

    def _draw_bank(self, took_ns: int) -> bool:
        seat, beyond_ns = self.seat, took_ns - self._limit_ns
        if beyond_ns > self.bank_left_ns[seat]:
            return False
        self.bank_left_ns[seat] -= beyond_ns
        return True

    def _time_out(self, took_ns: int, *, answer: str) -> None:
        self.bank_left_ns[self.seat] = 0
        limit = f"the limit of {self._limit_ns / 1e9:g} s"
        bank = (
            f" and a bank of {self.setup.time_control.bank_ns / 1e9:g} s a match"
            if self.setup.time_control.bank_ns
            else ""
        )
        detail = f"no answer within {limit}{bank}"
        self._replace(FaultKind.TIMEOUT, answer=answer, detail=detail, took_ns=took_ns)

    def _replace(self, kind: FaultKind, *, answer: str, detail: str, took_ns: int) -> None:
        round_, seat = self._round, self.seat
        decision, trick, replaced_by = round_.decision, self._trick_number(), self._replacement_text()
        call, card = self._decide_instead()
        self.strikes[seat] += 1
        forfeits = self.strikes[seat] >= self.setup.strikes_allowed
        if forfeits:
            self.forfeited.add(seat)
        fault = Fault(
            seat, kind, self.game.round_number, trick, decision, answer, replaced_by, detail, forfeits
        )
        self.faults.append(fault)
        self.replaced[seat].append(Replaced(kind, detail, call, card, self.strikes[seat]))
        self._settle(seat, decision, took_ns, "")

    def _decide_instead(self) -> tuple[int, int]:
        """Makes the documented replacement for whoever's turn it is: the lowest legal call, the lowest legal
        card.
        """
        round_ = self._round
        if round_.is_calling:
            call = self.setup.rules.call_min
            round_.call(call)
            return call, 0
        card = int(round_.lowest_legal_card())
        round_.play(card)
        return 0, card

    def _replacement_text(self) -> str:
        round_ = self._round
        return str(self.setup.rules.call_min) if round_.is_calling else str(round_.lowest_legal_card())

    def _trick_number(self) -> int:
        decision = self._round.decision
        return 0 if decision < _CALLS else (decision - _CALLS) // 4 + 1

    def _settle(self, seat: int, decision: int, took_ns: int, note: str) -> None:
        kept = self.notes[-1]
        kept.decision_us[decision] = took_ns // 1000
        kept.asked[decision] = True
        if self.cpu_us:
            kept.cpu_us = kept.cpu_us or [0] * _DECISIONS
            kept.cpu_us[decision], self.cpu_us = self.cpu_us, 0
        if note:
            kept.notes.append((decision, note[:NOTE_LIMIT]))
        self.last_latency_ns[seat] = took_ns
        self._advance()

    def _advance(self) -> None:
        """Goes on to the next decision that a bot has to make."""
        round_, forfeited, ask_forced = self._round, self.forfeited, self._ask_forced
        while True:
            if round_.is_over:
                if not self._next_round():
                    return
                round_ = self._round
            seat, legal = round_.turn, round_.legal
            if seat in forfeited:
                self._decide_instead()
            elif legal & (legal - 1) == 0 and not ask_forced[seat] and self._play_forced():
                continue
            else:
                self.seat = seat
                return

    def _play_forced(self) -> bool:
        """Makes the one decision there is; False where there is a choice."""
        round_, rules = self._round, self.setup.rules
        if not round_.is_calling:
            round_.play(round_.legal.bit_length() + _CARD_OF_BIT)
            return True
        if rules.call_min == rules.call_max:
            round_.call(rules.call_min)
            return True
        return False

    def _next_round(self) -> bool:
        self.game.next_round()
        if self.game.is_over:
            self.seat = NOBODY
            return False
        self._round = self.game.round
        self.notes.append(RoundNotes.empty())
        return True


def _deals_of(setup: MatchSetup) -> Deals:
    if setup.seed is None:
        given = setup.hands
        return lambda round_number, attempt: given[round_number - 1]
    seed, set_number = setup.seed.value, setup.set_number
    return lambda round_number, attempt: deal(seed, set_number, round_number, attempt)
