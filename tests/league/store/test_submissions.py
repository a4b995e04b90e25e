"""Promises about submissions: acknowledged is kept, worked on by one arena, final once."""

from __future__ import annotations

import hashlib

import pytest

from arena.errors import ArenaError
from arena.league.model import Submission, SubmissionState
from arena.league.store import LeagueStore, NotFound, Taken
from tests.league.store.league import Clock, admitted, begin


def received(store: LeagueStore, bundle: bytes = b"bundle", author: str = "ann") -> Submission:
    return store.receive(store.author(author), bundle)


def refused(store: LeagueStore, submission: Submission) -> Submission:
    return store.advance(submission.submission_id, SubmissionState.REFUSED, "no bot.toml")


def test_received_bundle_is_there_byte_for_byte(store: LeagueStore, clock: Clock) -> None:
    bundle = bytes(range(256)) * 1000
    submission = received(store, bundle)

    assert submission.bundle_sha256 == hashlib.sha256(bundle).hexdigest()
    assert store.bundle(submission.bundle_sha256) == bundle
    assert store.submission(submission.submission_id) == submission
    assert (submission.state, submission.received_unix_us) == (SubmissionState.RECEIVED, clock.now_us)


def test_progress_is_noted(store: LeagueStore, clock: Clock) -> None:
    submission = received(store)
    clock.sleep(2)
    unpacked = store.advance(submission.submission_id, SubmissionState.UNPACKED, "3 files", bot="ant")
    built = store.advance(submission.submission_id, SubmissionState.BUILT, "nothing to build")

    assert (unpacked.state, unpacked.detail, unpacked.bot) == (SubmissionState.UNPACKED, "3 files", "ant")
    assert unpacked.changed_unix_us - unpacked.received_unix_us == 2_000_000
    assert (built.state, built.bot) == (SubmissionState.BUILT, "ant")


def test_unknown_submission_is_not_found(store: LeagueStore) -> None:
    for name in ("1", "x", "", "99999999999999999999", "²"):
        with pytest.raises(NotFound, match="there is no submission"):
            store.submission(name)
    with pytest.raises(NotFound, match="there is no bundle 00"):
        store.bundle("00")


def test_admitted_submission_is_a_version_in_the_open_season(store: LeagueStore) -> None:
    season = begin(store)
    submission = received(store)
    version = store.admit(
        submission.submission_id, bot="ant", label="1.0", language="python", content_hash="abc"
    )

    [entry] = store.entries(season)
    assert entry.version == version
    assert (version.label, version.language, version.content_hash) == ("1.0", "python", "abc")
    assert version.bundle_sha256 == submission.bundle_sha256
    assert entry.mu - 3 * entry.sigma == pytest.approx(0)
    final = store.submission(submission.submission_id)
    assert (final.state, final.detail, final.bot) == (
        SubmissionState.ADMITTED,
        "ant plays as version 1",
        "ant",
    )


def test_version_admitted_while_a_season_is_frozen_enters_the_next(store: LeagueStore) -> None:
    season = store.freeze_season(begin(store))
    admitted(store, "ant")
    store.end_season(season)

    assert store.entries(season, with_inactive=True) == []
    assert [entry.bot.name for entry in store.entries(begin(store, "summer"))] == ["ant"]


def test_name_that_is_taken_leaves_the_submission_as_it_was(store: LeagueStore) -> None:
    admitted(store, "ant")
    submission = received(store, author="cem")

    with pytest.raises(Taken):
        store.admit(submission.submission_id, bot="ant", label="1", language="c", content_hash="00")

    assert store.submission(submission.submission_id) == submission
    assert len(store.versions(store.bot("ant"))) == 1


def test_what_is_final_stays(store: LeagueStore) -> None:
    submission = refused(store, received(store))

    with pytest.raises(ArenaError, match="is refused: that is final"):
        store.advance(submission.submission_id, SubmissionState.BUILT, "")
    with pytest.raises(ArenaError, match="is refused: that is final"):
        store.admit(submission.submission_id, bot="ant", label="1", language="c", content_hash="00")
    with pytest.raises(ArenaError, match="`admit`"):
        store.advance(received(store).submission_id, SubmissionState.ADMITTED, "")


def test_refused_bundle_is_removed(store: LeagueStore) -> None:
    submission = refused(store, received(store))

    with pytest.raises(NotFound):
        store.bundle(submission.bundle_sha256)


def test_refused_bundle_stays_while_another_submission_has_it(store: LeagueStore) -> None:
    first, second = received(store), received(store)
    refused(store, first)

    assert store.bundle(second.bundle_sha256) == b"bundle"
    refused(store, second)
    with pytest.raises(NotFound):
        store.bundle(second.bundle_sha256)


def test_refused_bundle_stays_while_a_version_has_it(store: LeagueStore) -> None:
    first, second = received(store), received(store)
    store.admit(first.submission_id, bot="ant", label="1", language="c", content_hash="00")
    refused(store, second)

    assert store.bundle(first.bundle_sha256) == b"bundle"


def test_oldest_submission_is_worked_on_first_and_by_one_arena(store: LeagueStore) -> None:
    first, second = received(store, b"1"), received(store, b"2")

    assert store.claim_submission("one") == first
    assert store.claim_submission("other") == second
    assert store.claim_submission("one") is None


def test_final_submission_is_not_worked_on(store: LeagueStore) -> None:
    refused(store, received(store))
    admitted(store, "ant")

    assert store.claim_submission("one") is None


def test_submission_of_an_arena_that_died_goes_to_another(store: LeagueStore, clock: Clock) -> None:
    submission = received(store)
    store.claim_submission("one")
    store.advance(submission.submission_id, SubmissionState.UNPACKED, "", bot="ant")
    clock.sleep(31)

    taken = store.claim_submission("other")
    assert taken is not None
    assert (taken.submission_id, taken.state) == (submission.submission_id, SubmissionState.UNPACKED)


def test_living_arena_keeps_its_submission(store: LeagueStore, clock: Clock) -> None:
    received(store)
    store.claim_submission("one")
    for _ in range(5):
        clock.sleep(20)
        store.heartbeat("one")

    assert store.claim_submission("other") is None


def test_arena_that_starts_anew_takes_its_submissions_up_again(store: LeagueStore) -> None:
    submission = received(store)
    store.claim_submission("one")

    assert store.recover("one") == 1
    assert store.claim_submission("one") == submission


def test_submissions_of_an_author_are_listed_newest_first(store: LeagueStore) -> None:
    ann = store.author("ann")
    made = [received(store, bytes([number])) for number in range(5)]
    received(store, author="cem")
    of_ant = store.advance(made[1].submission_id, SubmissionState.UNPACKED, "", bot="ant")

    assert store.submissions_of(ann, limit=2) == [made[4], made[3]]
    assert store.submissions_of(ann, bot="ant") == [of_ant]


def test_submissions_of_an_hour_are_counted(store: LeagueStore, clock: Clock) -> None:
    token = store.issue_token(store.author("ann"), label="laptop").token
    received(store)
    clock.sleep(3600)
    since = clock.now_us - 1_800_000_000
    received(store)
    received(store, author="cem")

    assert store.submissions_since(token, since) == 1
    assert store.submissions_since(token, 0) == 2
