"""Owns matches between bot objects in one process, for tests and training: same rules, same views, no arena.

There are no clocks here and no strikes: a bot's illegal answer raises, and so does a bot's own exception.
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

from arena.errors import ArenaError
from arena.rules.deals import Seed, deal, match_entropy, mix
from arena.rules.matches import FinishedRound, Match
from arena.rules.rounds import Round
from arena.rules.rulesets import CALLBREAK, Ruleset
from arena.rules.scores import places
from arena.rules.views import View as RulesView
from arena.rules.views import view_of
from arena.sdk.bot import Bot
from arena.sdk.events import MatchEnd, MatchStart, Replacement, RoundEnd, Time
from arena.sdk.session import checked_call, checked_card
from arena.sdk.view import View, tricks_of

__all__ = ["DEFAULT_TIME", "LocalResult", "import_bot", "play_match", "play_set"]

DEFAULT_TIME = Time(limit_s=0.5, bank_left_s=10.0, last_latency_s=None)
_MODULE_NUMBERS = count()


@dataclass(frozen=True, slots=True)
class LocalResult:
    """How a match ended; everything by seat."""

    totals_tenths: tuple[int, ...]
    places: tuple[int, ...]
    rounds: tuple[FinishedRound, ...]


class _LocalView(View):
    """A view that reads from a view of `arena.rules`."""

    _seen: RulesView

    def __init__(self, seen: RulesView, match_id: int, time: Time, random_seed: int) -> None:
        super().__init__(seen, seen.rules, match_id=match_id)
        self._time = time
        self._seed = random_seed

    @property
    def round_number(self) -> int:
        return self._seen.round_number

    @property
    def scores_tenths(self) -> tuple[tuple[int, ...], ...]:
        flat = self._seen.scores_tenths
        return tuple(tuple(flat[i : i + 4]) for i in range(0, len(flat), 4))

    @property
    def time(self) -> Time:
        return self._time

    @property
    def replacements(self) -> tuple[Replacement, ...]:
        return ()

    def _random_seed(self) -> int:
        return self._seed


def play_match(
    bots: Sequence[Bot],
    ruleset: Ruleset = CALLBREAK,
    *,
    seed: int | str = 1,
    set_number: int = 0,
    match_id: int = 0,
    time: Time = DEFAULT_TIME,
) -> LocalResult:
    """Play a match between four bot objects, by seat; an object may sit on several seats.

    `seed` is as on the command line: a number, or 64 hexadecimal digits. The same seed and set give the same
    deals as a tournament's. `time` is only shown to the bots. An illegal answer raises IllegalCall
    or IllegalCard.
    """
    if len(bots) != 4:
        raise ArenaError(f"a match has 4 bots, one a seat: {len(bots)} were given")
    drawn = Seed.parse(str(seed)).value
    table = _Table(bots, Match(ruleset, partial(deal, drawn, set_number)), match_id, time)
    table.entropy = match_entropy(drawn, f"local-{match_id}")
    return table.play()


def play_set(
    bots: Sequence[Bot],
    ruleset: Ruleset = CALLBREAK,
    *,
    seed: int | str = 1,
    set_number: int = 0,
    time: Time = DEFAULT_TIME,
) -> tuple[int, ...]:
    """Play one sequence of deals four times, the seats rotated; tenths of points by bot, over all four."""
    totals = [0, 0, 0, 0]
    for rotation in range(4):
        seats = [bots[(seat - rotation) % 4] for seat in range(4)]
        result = play_match(seats, ruleset, seed=seed, set_number=set_number, match_id=rotation, time=time)
        for seat, total in enumerate(result.totals_tenths):
            totals[(seat - rotation) % 4] += total
    return tuple(totals)


def import_bot(path: Path | str) -> Bot:
    """An instance of the bot class that a Python file defines: `sample_bots/greedy`, or the file itself."""
    file = Path(path) / "bot.py" if Path(path).is_dir() else Path(path)
    spec = importlib.util.spec_from_file_location(f"_local_bot_{next(_MODULE_NUMBERS)}", file)
    if spec is None or spec.loader is None or not file.is_file():
        raise ArenaError(f"{file}: no Python file with a bot")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    own = [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and value.__module__ == module.__name__
    ]
    classes = [value for value in own if issubclass(value, Bot)]
    if len(classes) != 1:
        raise ArenaError(f"{file}: {len(classes)} subclasses of Bot, one was wanted")
    return classes[0]()


class _Table:
    """Four bots at one match."""

    def __init__(self, bots: Sequence[Bot], match: Match, match_id: int, time: Time) -> None:
        self._bots = bots
        self._match = match
        self._match_id = match_id
        self._time = time
        self._decisions = 0
        self.entropy = 0

    def play(self) -> LocalResult:
        match = self._match
        for seat, bot in enumerate(self._bots):
            limit_s, bank_s = self._time.limit_s, self._time.bank_left_s
            bot.match_start(MatchStart(self._match_id, seat, match.rules, limit_s, bank_s))
        while not match.is_over:
            while not match.round.is_over:
                self._decide(match.round)
            match.next_round()
            self._tell_round(match.finished[-1])
        return self._tell_match()

    def _decide(self, current: Round) -> None:
        bot = self._bots[current.turn]
        self._decisions += 1
        if not current.is_calling and current.legal & (current.legal - 1) == 0 and not bot.ask_forced_plays:
            current.play(current.legal.bit_length() + 15)
            return
        seed = mix(self.entropy, self._decisions)
        view = _LocalView(view_of(self._match), self._match_id, self._time, seed)
        if current.is_calling:
            current.call(checked_call(bot.call(view)))
        else:
            current.play(checked_card(bot.play(view)))

    def _tell_round(self, finished: FinishedRound) -> None:
        end = RoundEnd(
            match_id=self._match_id,
            round_number=finished.round_number,
            calls=tuple(finished.calls),
            tricks_won=tuple(finished.tricks_won),
            scores_tenths=tuple(finished.scores_tenths),
            tricks=tricks_of(finished.plays, finished.leaders),
        )
        for bot in self._bots:
            bot.round_end(end)

    def _tell_match(self) -> LocalResult:
        totals = tuple(self._match.totals_tenths)
        result = LocalResult(totals, tuple(places(totals, frozenset())), tuple(self._match.finished))
        end = MatchEnd(self._match_id, totals, result.places, faults=(), forfeited=False, replacements=())
        for bot in self._bots:
            bot.match_end(end)
        return result
