"""Owns what a bot is: two decisions, three optional hooks, a few facts about itself."""

from __future__ import annotations

from typing import ClassVar

from arena.rules.cards import Card
from arena.sdk.events import MatchEnd, MatchStart, RoundEnd
from arena.sdk.view import View

__all__ = ["Bot"]


class Bot:
    """A player. Subclass it, write `call` and `play`, and hand an instance to `arena.sdk.run`.

    An exception from any method ends the process with its traceback: the seat is then forfeited as CRASHED.
    """

    name: ClassVar[str] = ""
    """Shown in the bot's own log; the class's name if empty."""
    version: ClassVar[str] = "0"
    max_parallel_matches: ClassVar[int] = 1
    """Matches played at the same time: keep what is remembered by `view.match_id`."""
    ask_forced_plays: ClassVar[bool] = False
    """Whether to be asked also when only one card is legal."""
    rulesets: ClassVar[tuple[str, ...]] = ()
    """Names of the presets that the bot knows; empty: all."""

    def call(self, view: View) -> int:
        """How many tricks to call: one of `view.legal_calls`."""
        raise NotImplementedError(f"{type(self).__name__} has no call(self, view)")

    def play(self, view: View) -> Card:
        """Which card to play: one of `view.legal_cards`."""
        raise NotImplementedError(f"{type(self).__name__} has no play(self, view)")

    def match_start(self, start: MatchStart) -> None:
        """A match is about to begin; nothing is asked before this returns."""

    def round_end(self, end: RoundEnd) -> None:
        """A round of a match ended."""

    def match_end(self, end: MatchEnd) -> None:
        """A match ended, for this bot."""
