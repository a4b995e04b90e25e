"""Owns a comparison of two versions as its results come in: the sequential test, fed set by set in order.

Sets end in any order; the test takes them by number, each once it and all before it are complete, until there
is a verdict. So the same results give the same verdict after the same set, however they were played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.ratings.results import Results
from arena.ratings.sequential import SequentialTest, Verdict
from arena.tournament.plan import Comparison
from arena.tournament.schedule import MATCHES_A_SET
from arena.v1 import record_pb2

__all__ = ["Contest"]

VERSIONS = 2


class Contest:
    """The state of a comparison. `test` is the sequential test over the sets so far, up to its verdict."""

    def __init__(self, question: Comparison, names: tuple[str, str]) -> None:
        self.test = SequentialTest(question.points0, question.points1, question.alpha, question.beta)
        self._names = names
        self._tenths: dict[int, dict[tuple[int, int], int]] = {}

    @property
    def is_decided(self) -> bool:
        """Whether the test has a verdict, which no later set changes."""
        return self.test.verdict is not Verdict.UNKNOWN

    def add_results(self, results: Results) -> None:
        """Takes in matches that were stored."""
        columns = (results.set_ids.tolist(), results.seats.tolist(), results.total_tenths.tolist())
        for set_number, seats, totals in zip(*columns, strict=True):
            version = next(number for number in range(VERSIONS) if number in seats)
            self._take(set_number, version, seats.index(version), totals)
        self._advance()

    def add(self, records: Iterable[record_pb2.MatchRecord]) -> None:
        """Takes in matches; one that came before is passed over."""
        for record in records:
            bots = [seat.bot for seat in record.seats]
            version = next(number for number, name in enumerate(self._names) if name in bots)
            self._take(record.set, version, bots.index(self._names[version]), record.total_tenths)
        self._advance()

    def _take(self, set_number: int, version: int, seat: int, totals: Sequence[int]) -> None:
        """A version sits on each seat once in a set, so its seat tells which of the four matches this is."""
        self._tenths.setdefault(set_number, {}).setdefault((version, seat), totals[seat])

    def _advance(self) -> None:
        while not self.is_decided:
            matches = self._tenths.get(self.test.sets, {})
            if len(matches) < VERSIONS * MATCHES_A_SET:
                return
            lead = sum(tenths if version == 0 else -tenths for (version, _), tenths in matches.items())
            self.test = self.test.after(lead / 10 / MATCHES_A_SET)
