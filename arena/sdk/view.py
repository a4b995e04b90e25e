"""Owns what a bot's author looks at when the bot has to decide; knows nothing of streams or referees.

Everything is worked out when it is first read: a bot that only looks at `legal_cards` pays for nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any, Generic, Protocol, TypeVar, overload

from arena.rules.cards import Card
from arena.rules.rulesets import Ruleset
from arena.rules.tricks import Trick
from arena.sdk.events import Replacement, Time

__all__ = ["Seen", "View", "cards_of", "tricks_of"]

_CARD_OF = {int(card): card for card in Card}
_T = TypeVar("_T")


class _Lazy(Generic[_T]):
    """An attribute that is computed on first reading (cached_property takes a lock in Python 3.11)."""

    def __init__(self, compute: Callable[[Any], _T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, view: None, owner: type) -> _Lazy[_T]: ...

    @overload
    def __get__(self, view: View, owner: type) -> _T: ...

    def __get__(self, view: View | None, owner: type) -> _Lazy[_T] | _T:
        if view is None:
            return self
        value = self._compute(view)
        view.__dict__[self._name] = value
        return value


class Seen(Protocol):
    """The plain numbers that a view is read from: an `Ask` of the protocol or a view of `arena.rules`."""

    @property
    def seat(self) -> int: ...
    @property
    def dealer(self) -> int: ...
    @property
    def hand(self) -> Sequence[int]: ...
    @property
    def legal_calls(self) -> Sequence[int]: ...
    @property
    def legal_cards(self) -> Sequence[int]: ...
    @property
    def calls(self) -> Sequence[int]: ...
    @property
    def tricks_won(self) -> Sequence[int]: ...
    @property
    def trick_leader(self) -> int: ...
    @property
    def trick(self) -> Sequence[int]: ...
    @property
    def history(self) -> Sequence[int]: ...
    @property
    def history_leaders(self) -> Sequence[int]: ...


def cards_of(numbers: Sequence[int]) -> tuple[Card, ...]:
    """The cards of these numbers, in the same order."""
    return tuple([_CARD_OF[number] for number in numbers[:]])  # a field of a message is slow to iterate


def tricks_of(history: Sequence[int], leaders: Iterable[int]) -> tuple[Trick, ...]:
    """Finished tricks from their flat form: four cards a trick, one leader a trick."""
    played = cards_of(history)
    return tuple(Trick(leader, played[4 * i : 4 * i + 4]) for i, leader in enumerate(leaders))


class View:
    """Everything that one seat may know when it decides. Seats are 0-3 in turn order; lists are by seat."""

    def __init__(self, seen: Seen, rules: Ruleset, *, match_id: int) -> None:
        self._seen = seen
        self.rules = rules
        """The rules of this match."""
        self.match_id = match_id
        """Number of the match; it says nothing about the deals."""
        self.note_text = ""

    def note(self, text: str) -> None:
        """Leave a remark on this decision in the match record; at most 200 characters are kept."""
        self.note_text = text[:200]

    @_Lazy
    def seat(self) -> int:
        """This bot's seat."""
        return self._seen.seat

    @_Lazy
    def dealer(self) -> int:
        """Seat that dealt; the one after it calls and leads first."""
        return self._seen.dealer

    @_Lazy
    def hand(self) -> tuple[Card, ...]:
        """Cards in hand, by suit and rank, lowest first."""
        return cards_of(self._seen.hand)

    @_Lazy
    def legal_calls(self) -> tuple[int, ...]:
        """Calls that may be made; empty when a card is asked for."""
        return tuple(self._seen.legal_calls)

    @_Lazy
    def legal_cards(self) -> tuple[Card, ...]:
        """Cards that may be played, by suit and rank; empty when a call is asked for."""
        return cards_of(self._seen.legal_cards)

    @_Lazy
    def calls(self) -> tuple[int, ...]:
        """Calls by seat; 0 for a seat that has not called yet."""
        return tuple(self._seen.calls)

    @_Lazy
    def tricks_won(self) -> tuple[int, ...]:
        """Tricks won in this round, by seat."""
        return tuple(self._seen.tricks_won)

    @_Lazy
    def trick_leader(self) -> int:
        """Seat that leads the trick in play."""
        return self._seen.trick_leader

    @_Lazy
    def trick(self) -> tuple[Card, ...]:
        """Cards of the trick in play, in play order from `trick_leader`; empty when this bot leads."""
        return cards_of(self._seen.trick)

    @_Lazy
    def history(self) -> tuple[Card, ...]:
        """Cards of the finished tricks of this round, in play order."""
        return cards_of(self._seen.history)

    @_Lazy
    def tricks(self) -> tuple[Trick, ...]:
        """The finished tricks of this round, each with its leader, cards and winner."""
        return tricks_of(self._seen.history, self._seen.history_leaders)

    @_Lazy
    def unseen(self) -> tuple[Card, ...]:
        """Cards neither in hand nor played: what the other three still hold, by suit and rank."""
        known = {*self._seen.hand, *self._seen.history, *self._seen.trick}
        return tuple(card for card in Card if card not in known)

    @_Lazy
    def random(self) -> Random:
        """Random numbers that come again when the same match is played again."""
        return Random(self._random_seed())

    @property
    def is_calling(self) -> bool:
        """Whether a call is asked for, not a card."""
        return bool(self.legal_calls)

    @property
    def round_number(self) -> int:
        """Round of the match, from 1."""
        raise NotImplementedError

    @property
    def scores_tenths(self) -> tuple[tuple[int, ...], ...]:
        """Scores of the finished rounds in tenths of a point: by round, then by seat."""
        raise NotImplementedError

    @property
    def time(self) -> Time:
        """The bot's clock."""
        raise NotImplementedError

    @property
    def replacements(self) -> tuple[Replacement, ...]:
        """This bot's decisions in this match that were replaced since it was last asked."""
        raise NotImplementedError

    def _random_seed(self) -> int:
        raise NotImplementedError
