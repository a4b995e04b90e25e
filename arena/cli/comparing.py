"""Owns a comparison of two versions as `sprt` and `resume` show it: question, run, verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from arena.cli.output import print_json, print_lines, say
from arena.cli.runs import (
    Run,
    conditions_of,
    count_text,
    interrupted,
    keep_ratings,
    opened,
    play_missing,
    tell_how_it_went,
)
from arena.ratings.sequential import SequentialTest, Verdict
from arena.reports.text import number
from arena.store.contest import Contest
from arena.store.reader import StoreReader
from arena.tournament.plan import Comparison
from arena.tournament.progress import Tally
from arena.tournament.schedule import MATCHES_A_SET
from arena.v1 import record_pb2

__all__ = ["run_comparison"]

DOES_NOT_HOLD = 1
MATCHES_OF_A_SET = 2 * MATCHES_A_SET
"""A set is played at both tables."""
TWO_SIDED = 1.96


def run_comparison(run: Run, question: Comparison, *, is_strict: bool, is_json: bool = False) -> int:
    """Plays until it is known which version is better; exit status 0 when the candidate is."""
    try:
        return _run(run, question, is_strict=is_strict, is_json=is_json)
    except KeyboardInterrupt:  # before or after play, which has a handler of its own
        return interrupted(run)


def _run(run: Run, question: Comparison, *, is_strict: bool, is_json: bool) -> int:
    candidate, baseline = (entrant.name for entrant in run.plan.entrants[:2])
    contest = Contest(question, (candidate, baseline))
    with opened(run) as store:
        for line in _header(run, question):
            say(line)
        contest.add_results(store.results())
        tally = _ContestTally(run.schedule.match_count, contest=contest, stored=store.count())
        outcome = play_missing(run, store, tally, is_enough=lambda: contest.is_decided)
        if outcome.is_interrupted:
            return interrupted(run, outcome)
        if contest.is_decided and not store.has_ended():
            store.note_end(str(contest.test.verdict))
        keep_ratings(run, store)
        if is_json:
            print_json(_document(run, contest.test, store))
        else:
            print_lines(_lines(run, contest.test))
        tell_how_it_went(run, store, played=outcome.played, took_s=outcome.took_s)
        has_faults = bool(store.fault_counts())
    is_better = contest.test.verdict is Verdict.BETTER
    return DOES_NOT_HOLD if not is_better or (is_strict and has_faults) else 0


class _ContestTally(Tally):
    """Counts of the run, and how the test stands."""

    def __init__(self, planned: int, *, contest: Contest, stored: int) -> None:
        super().__init__(planned, stored=stored)
        self._contest = contest

    def add(self, records: Sequence[record_pb2.MatchRecord]) -> None:
        """Counts matches that were stored, and takes them into the test."""
        super().add(records)
        self._contest.add(records)

    def line(self) -> str:
        """Counts; nobody knows how many matches it takes."""
        faults = "no faults" if not self.faults else count_text(self.faults, "fault")
        return f"{self.stored} matches of {self.planned} at most, {self.rate():.1f} matches/s, {faults}"

    def leaders_line(self) -> str:
        """How the test stands."""
        test = self._contest.test
        if not test.sets:
            return "no set is complete yet"
        low, high = (number(bound, decimals=1) for bound in test.bounds)
        ratio = _ratio_text(test)
        return f"{_mean_text(test)}; log ratio {ratio}, known at {low} or {high}"


def _header(run: Run, question: Comparison) -> list[str]:
    candidate, baseline, *opponents = (f"{one.name} {one.version}" for one in run.plan.entrants)
    return [
        f"{run.plan.name}: is {candidate} better than {baseline}? {run.plan.ruleset.name}",
        f"the same hands against {', '.join(opponents)}, {run.plan.schedule.sets_per_table} sets at most",
        (
            f"better by {question.points1:g} points a match, or by no more than {question.points0:g}? "
            f"wrong with {question.alpha:.0%} and {question.beta:.0%} at most"
        ),
        *conditions_of(run),
    ]


def _lines(run: Run, test: SequentialTest) -> list[str]:
    """The verdict, and what it rests on."""
    return [_verdict_text(run, test), _mean_text(test), *_words(test)]


def _verdict_text(run: Run, test: SequentialTest) -> str:
    candidate, baseline = (entrant.name for entrant in run.plan.entrants[:2])
    match test.verdict:
        case Verdict.BETTER:
            beyond = (
                f" by more than {number(test.points0, decimals=1)} points a match" if test.points0 else ""
            )
            return f"{candidate} is better than {baseline}{beyond}"
        case Verdict.NOT_BETTER:
            by = number(test.points1, decimals=1)
            return f"{candidate} is not better than {baseline} by {by} points a match or more"
        case _:
            return f"it is not known whether {candidate} is better than {baseline}"


def _mean_text(test: SequentialTest) -> str:
    """`+0.42 ± 0.61 points a match over 24 sets`."""
    sign = "+" if test.mean >= 0 else ""
    error = "" if test.sets < 2 else f" ± {number(TWO_SIDED * _standard_error(test), decimals=2)}"
    matches = count_text(test.sets * MATCHES_OF_A_SET, "match").replace("matchs", "matches")
    mean = number(test.mean, decimals=2)
    return f"{sign}{mean}{error} points a match over {count_text(test.sets, 'set')} ({matches})"


def _words(test: SequentialTest) -> list[str]:
    if test.verdict is Verdict.UNKNOWN:
        return ["more sets, or a larger difference to look for, would tell"]
    return [
        "(a test that ends when it is sure ends where the difference looks large: it is a little smaller)"
    ]


def _standard_error(test: SequentialTest) -> float:
    return test.deviation / math.sqrt(max(test.sets - 1, 1))


def _ratio_text(test: SequentialTest) -> str:
    return number(test.log_ratio, decimals=1) if math.isfinite(test.log_ratio) else "beyond all bounds"


def _document(run: Run, test: SequentialTest, store: StoreReader) -> dict[str, Any]:
    """The document of `arena sprt --json`; its keys never change."""
    candidate, baseline, *opponents = run.plan.entrants
    is_finite = math.isfinite(test.log_ratio)
    return {
        "candidate": candidate.name,
        "candidate_version": candidate.version,
        "baseline": baseline.name,
        "baseline_version": baseline.version,
        "opponents": [one.name for one in opponents],
        "ruleset": run.plan.ruleset.name,
        "seed": run.plan.seed_text,
        "verdict": str(test.verdict),
        "sets": test.sets,
        "max_sets": run.plan.schedule.sets_per_table,
        "matches": store.count(),
        "mean_difference": test.mean,
        "standard_error": _standard_error(test) if test.sets > 1 else None,
        "log_ratio": test.log_ratio if is_finite else None,
        "log_ratio_bounds": list(test.bounds),
        "points0": test.points0,
        "points1": test.points1,
        "alpha": test.alpha,
        "beta": test.beta,
        "faults": {store.bots[bot].name: kinds for bot, kinds in store.fault_counts().items()},
        "folder": str(run.folder),
    }
