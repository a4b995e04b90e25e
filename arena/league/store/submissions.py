"""Owns submissions and their bundles: from the byte that was acknowledged to the version that plays."""

from __future__ import annotations

import hashlib
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select, update

from arena.errors import ArenaError
from arena.league.model import Author, Submission, SubmissionState, Token, Version
from arena.league.schema import authors, bundles, submissions, versions
from arena.league.store.bots import claim_name, comes_back, new_version
from arena.league.store.database import Part
from arena.league.store.errors import NotFound
from arena.league.store.leases import lease, living
from arena.league.store.rows import AUTHOR, author_of, version_of
from arena.league.store.seasons import enter, lock_current

__all__ = ["FINAL", "Submissions"]

FINAL = (SubmissionState.ADMITTED, SubmissionState.REFUSED)


class Submissions(Part):
    """Submissions and bundles."""

    def receive(self, author: Author, bundle: bytes) -> Submission:
        """Stores the bundle (by its SHA-256, once) and the submission: it is not lost from now on."""
        sha256 = hashlib.sha256(bundle).hexdigest()
        with self._database.writing() as connection:
            now_us = self._database.now_us(connection)
            row = {"sha256": sha256, "bundle": bundle, "stored_unix_us": now_us}
            if not self._database.insert_unless_there(connection, bundles, row) and not _lock_bundle(
                connection, sha256
            ):  # it was being removed
                self._database.insert_unless_there(connection, bundles, row)
            made = connection.execute(
                insert(submissions).values(
                    author_id=author.author_id,
                    bot="",
                    bundle_sha256=sha256,
                    state=SubmissionState.RECEIVED,
                    detail="",
                    received_unix_us=now_us,
                    changed_unix_us=now_us,
                    owner="",
                )
            ).inserted_primary_key
            assert made is not None
            return _submission(connection, made[0])

    def advance(
        self, submission_id: str, state: SubmissionState, detail: str, *, bot: str = ""
    ) -> Submission:
        """Notes progress. REFUSED also removes the bundle when nothing else has it.

        ArenaError when it was final before, and for ADMITTED, which `admit` is for.
        """
        if state is SubmissionState.ADMITTED:
            raise ArenaError("a submission is admitted by `admit`, which makes its version")
        with self._database.writing() as connection:
            found = _lock(connection, submission_id)
            values: dict[str, Any] = {"state": state, "detail": detail}
            if bot:
                values["bot"] = bot
            self._change(connection, found, values)
            if state is SubmissionState.REFUSED:
                _remove_bundle(connection, found.bundle_sha256)
            return _submission(connection, found.submission_id)

    def admit(self, submission_id: str, *, bot: str, label: str, language: str, content_hash: str) -> Version:
        """ADMITTED: makes the bot or its next version, and its entry in the open season (new mu, sigma).

        Taken when the name is another author's, or a remote bot's. While a season is frozen, and between
        seasons, the version enters the next one.
        """
        with self._database.writing() as connection:
            season = lock_current(connection)
            found = _lock(connection, submission_id)
            author = author_of(
                connection.execute(select(*AUTHOR).where(authors.c.author_id == found.author_id)).one()
            )
            known = claim_name(self._database, connection, bot, author, is_remote=False)
            version_id = new_version(
                self._database,
                connection,
                known,
                label=label,
                language=language,
                content_hash=content_hash,
                bundle_sha256=found.bundle_sha256,
            )
            comes_back(connection, known)
            enter(connection, season, known.bot_id, version_id)
            detail = f"{known.name} plays as version {_number(connection, version_id)}"
            state = {"state": SubmissionState.ADMITTED, "detail": detail, "bot": known.name}
            self._change(connection, found, state)
            query = select(*versions.c).where(versions.c.version_id == version_id)
            return version_of(connection.execute(query).one())

    def claim_submission(self, owner: str) -> Submission | None:
        """The oldest one that is not final and no living arena works on, leased to `owner`; None for none."""
        with self._database.writing() as connection:
            found = self._free(connection)
            if found is None:
                return None
            lease(self._database, connection, owner)
            here = submissions.c.submission_id == found
            connection.execute(update(submissions).where(here).values(owner=owner))
            return _submission(connection, found)

    def submission(self, submission_id: str) -> Submission:
        """NotFound when there is none."""
        with self._database.reading() as connection:
            return _submission(connection, _number_of(submission_id))

    def submissions_of(self, author: Author, *, bot: str = "", limit: int = 20) -> list[Submission]:
        """Newest first."""
        query = _submissions().where(submissions.c.author_id == author.author_id)
        if bot:
            query = query.where(submissions.c.bot == bot)
        with self._database.reading() as connection:
            newest = query.order_by(submissions.c.submission_id.desc()).limit(limit)
            return [_submission_of(row) for row in connection.execute(newest)]

    def submissions_since(self, token: Token, since_unix_us: int) -> int:
        """How many the token's author has sent since then."""
        own = submissions.c.author_id == token.author.author_id
        query = select(func.count()).where(own, submissions.c.received_unix_us >= since_unix_us)
        with self._database.reading() as connection:
            return connection.scalar(query) or 0

    def bundle(self, sha256: str) -> bytes:
        """NotFound when there is none."""
        query = select(bundles.c.bundle).where(bundles.c.sha256 == sha256)
        with self._database.reading() as connection:
            found = connection.scalar(query)
        if found is None:
            raise NotFound(f"there is no bundle {sha256}")
        return bytes(found)

    def _free(self, connection: Connection) -> int | None:
        """The oldest submission to be worked on that no living arena works on, locked."""
        others: set[str] = set()
        while True:
            query = select(submissions.c.submission_id, submissions.c.owner).where(
                submissions.c.state.not_in(FINAL), submissions.c.owner.not_in(others)
            )
            oldest = query.order_by(submissions.c.submission_id).limit(1)
            row = connection.execute(oldest.with_for_update(skip_locked=True)).one_or_none()
            if row is None or not row.owner:
                return None if row is None else int(row.submission_id)
            others = living(self._database, connection)  # asked now: the owner may be one from just before
            if row.owner not in others:
                return int(row.submission_id)

    def _change(self, connection: Connection, found: Any, values: dict[str, Any]) -> None:
        """Sets values of a locked submission; what is final belongs to no arena."""
        if values["state"] in FINAL:
            values["owner"] = ""
        here = submissions.c.submission_id == found.submission_id
        changed_us = self._database.now_us(connection)
        connection.execute(update(submissions).where(here).values(**values, changed_unix_us=changed_us))


def _submissions() -> Select[Any]:
    columns = [column for column in submissions.c if column.name != "author_id"]
    return select(*columns, *AUTHOR).join(authors)


def _submission(connection: Connection, number: int) -> Submission:
    row = connection.execute(_submissions().where(submissions.c.submission_id == number)).one_or_none()
    if row is None:
        raise NotFound(f"there is no submission {number}")
    return _submission_of(row)


def _submission_of(row: Any) -> Submission:
    return Submission(
        submission_id=str(row.submission_id),
        author=author_of(row),
        bot=row.bot,
        bundle_sha256=row.bundle_sha256,
        state=SubmissionState(row.state),
        detail=row.detail,
        received_unix_us=row.received_unix_us,
        changed_unix_us=row.changed_unix_us,
    )


def _number_of(submission_id: str) -> int:
    if not (submission_id.isascii() and submission_id.isdigit() and len(submission_id) <= 9):
        raise NotFound(f"there is no submission {submission_id}")
    return int(submission_id)


def _lock(connection: Connection, submission_id: str) -> Any:
    """The submission's row, locked; ArenaError when it is final."""
    here = submissions.c.submission_id == _number_of(submission_id)
    row = connection.execute(select(submissions).where(here).with_for_update(key_share=True)).one_or_none()
    if row is None:
        raise NotFound(f"there is no submission {submission_id}")
    if row.state in FINAL:
        raise ArenaError(f"submission {submission_id} is {row.state}: that is final")
    return row


def _number(connection: Connection, version_id: int) -> int:
    return int(connection.scalar(select(versions.c.number).where(versions.c.version_id == version_id)) or 0)


def _lock_bundle(connection: Connection, sha256: str) -> bool:
    """Whether the bundle is there, and stays until the transaction is over."""
    query = select(bundles.c.sha256).where(bundles.c.sha256 == sha256).with_for_update()
    return connection.scalar(query) is not None


def _remove_bundle(connection: Connection, sha256: str) -> None:
    """Removes the bundle unless a version or a submission that was not refused has it."""
    _lock_bundle(connection, sha256)
    by_version = select(versions.c.version_id).where(versions.c.bundle_sha256 == sha256)
    by_submission = select(submissions.c.submission_id).where(
        submissions.c.bundle_sha256 == sha256, submissions.c.state != SubmissionState.REFUSED
    )
    if connection.execute(by_version.limit(1)).first() or connection.execute(by_submission.limit(1)).first():
        return
    connection.execute(delete(bundles).where(bundles.c.sha256 == sha256))
