"""Owns what authors and watchers ask a league over gRPC: LeagueService, call by call.

It turns requests into questions to the store and the hub, and their answers into messages. It must not know
how bundles are checked or matches played.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import grpc
from google.protobuf.message import Message

from arena.errors import ArenaError
from arena.league.auth import TOKEN_WORDS, Doorkeeper, TooMany, UnknownToken, bearer
from arena.league.hub import Hub
from arena.league.intake import Intake
from arena.league.messages import (
    bot_message,
    submission_message,
    summary_message,
    version_message,
)
from arena.league.model import Author, Bot, Season, Submission, Table, TableKind, Token, Version
from arena.league.problems import Problem, abort
from arena.league.store import LeagueStore, NotFound, Taken
from arena.league.watching import StandingsFeed
from arena.v1 import league_pb2

__all__ = ["SERVICE", "LeagueService", "Remotes"]

SERVICE = league_pb2.DESCRIPTOR.services_by_name["LeagueService"].full_name
PAGE_SIZE, MOST_A_PAGE = 50, 200
LATELY = 100
_AUTHORIZATION = "authorization"

Context = grpc.aio.ServicerContext[Any, Any]


class Remotes(Protocol):
    """Which remote bots are connected."""

    @property
    def connected(self) -> Collection[int]:
        """Their version ids."""
        ...

    def latency_us(self, bot_id: int) -> Sequence[int]:
        """The last round trips of one, in microseconds."""
        ...


class LeagueService:
    """The handlers of LeagueService. Belongs to the server's event loop."""

    def __init__(
        self,
        store: LeagueStore,
        *,
        hub: Hub,
        doorkeeper: Doorkeeper,
        intake: Intake,
        remotes: Remotes,
        on_scrimmage: Callable[[], None] = lambda: None,
        on_bug: Callable[[str, str], None] = lambda call, trace: None,
    ) -> None:
        """`on_scrimmage` hears of a table that waits, `on_bug` of a call that failed by our mistake."""
        self._store = store
        self._doorkeeper = doorkeeper
        self._intake = intake
        self._remotes = remotes
        self._on_scrimmage = on_scrimmage
        self._on_bug = on_bug
        self._feed = StandingsFeed(store, hub, connected=lambda: remotes.connected)
        self.draining = ""
        """Why calls are turned away now; empty while they are not."""

    def handler(self) -> grpc.GenericRpcHandler:
        """What a gRPC server is given."""
        methods = league_pb2.DESCRIPTOR.services_by_name["LeagueService"].methods_by_name
        unary: dict[str, Callable[[Any, Token | None], Awaitable[Any]]] = {
            "ListBots": self._list_bots,
            "GetBot": self._get_bot,
            "ListMatches": self._list_matches,
            "GetMatch": self._get_match,
            "RetireBot": self._retire_bot,
            "RequestScrimmage": self._request_scrimmage,
        }
        handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}
        for name, answer in unary.items():
            handlers[name] = grpc.unary_unary_rpc_method_handler(
                self._unary(name, answer),
                request_deserializer=_message_class(methods[name].input_type.name).FromString,
                response_serializer=_serialized,
            )
        handlers["GetStandings"] = grpc.unary_unary_rpc_method_handler(
            self._unary("GetStandings", self._get_standings),
            request_deserializer=league_pb2.GetStandingsRequest.FromString,
        )
        handlers["WatchStandings"] = grpc.unary_stream_rpc_method_handler(
            self._watch_standings, request_deserializer=league_pb2.WatchStandingsRequest.FromString
        )
        handlers["SubmitBot"] = grpc.stream_stream_rpc_method_handler(
            self._submit_bot,
            request_deserializer=league_pb2.SubmitBotRequest.FromString,
            response_serializer=_serialized,
        )
        return grpc.method_handlers_generic_handler(SERVICE, handlers)

    # Streams

    async def _submit_bot(
        self, requests: AsyncIterator[league_pb2.SubmitBotRequest], context: Context
    ) -> AsyncIterator[league_pb2.SubmitBotResponse]:
        """Acknowledges a bundle once it is stored, then tells how it goes on with it."""
        guard = _Guard(self, "SubmitBot", context)
        async with guard:
            token = _needed(await self._caller(context))
            submission = await self._intake.receive(token, requests)
            async for news in self._intake.follow(submission):
                yield news

    async def _watch_standings(
        self, request: league_pb2.WatchStandingsRequest, context: Context
    ) -> AsyncIterator[bytes]:
        async with _Guard(self, "WatchStandings", context):
            await self._caller(context)
            _checked_name("season", request.season)
            async with self._feed.watching(request.season, peer=context.peer()) as tables:
                async for table in tables:
                    yield table
        # The hub was closed: the server ends.

    # Reading

    async def _list_bots(
        self, request: league_pb2.ListBotsRequest, caller: Token | None
    ) -> league_pb2.ListBotsResponse:
        bots = await asyncio.to_thread(self._store.bots, with_retired=request.with_retired)
        return league_pb2.ListBotsResponse(bots=[self._bot_message(bot) for bot in bots])

    async def _get_bot(
        self, request: league_pb2.GetBotRequest, caller: Token | None
    ) -> league_pb2.GetBotResponse:
        _checked_name("name", request.name, is_required=True)
        try:
            bot = await asyncio.to_thread(self._store.bot, request.name)
        except NotFound:
            return await self._bot_to_be(request.name, caller)
        return await asyncio.to_thread(self._whole_bot, bot, _owns(caller, bot))

    async def _bot_to_be(self, name: str, caller: Token | None) -> league_pb2.GetBotResponse:
        """A bot that was never admitted: its author sees what became of what was sent."""
        sent: list[Submission] = []
        if caller is not None:
            sent = await asyncio.to_thread(self._sent, caller.author, name)
        if not sent:
            raise NotFound(f"there is no bot {name} in this league")
        return league_pb2.GetBotResponse(submissions=[submission_message(one) for one in sent])

    def _whole_bot(self, bot: Bot, is_own: bool) -> league_pb2.GetBotResponse:
        """Runs in a thread."""
        versions = self._store.versions(bot)
        counts = self._store.matches_of_versions(bot)
        response = league_pb2.GetBotResponse(
            bot=self._bot_message(bot),
            versions=[version_message(one, matches=counts.get(one.version_id, 0)) for one in versions],
        )
        if is_own:
            sent = self._sent(bot.author, bot.name)
            response.submissions.extend(submission_message(one) for one in sent)
            response.log = self._log_of(versions)
            response.latency_us.extend(self._remotes.latency_us(bot.bot_id) if bot.is_remote else ())
        return response

    def _sent(self, author: Author, name: str) -> list[Submission]:
        """What the author has sent lately of that bot, or of no bot yet: its bot.toml was not read so far.

        Runs in a thread.
        """
        sent = self._store.submissions_of(author, limit=LATELY)
        return [one for one in sent if one.bot.casefold() in ("", name.casefold())]

    def _log_of(self, versions: Sequence[Version]) -> str:
        return self._store.log(versions[0].version_id) if versions else ""

    async def _get_standings(self, request: league_pb2.GetStandingsRequest, caller: Token | None) -> bytes:
        _checked_name("season", request.season)
        return await self._feed.table(request.season)

    async def _list_matches(
        self, request: league_pb2.ListMatchesRequest, caller: Token | None
    ) -> league_pb2.ListMatchesResponse:
        _checked_name("season", request.season)
        _checked_name("bot", request.bot)
        if request.page_size > MOST_A_PAGE:
            raise _invalid("page_size", f"a page has at most {MOST_A_PAGE} matches, not {request.page_size}")
        season = await asyncio.to_thread(self._store.season, request.season)
        try:
            page = await asyncio.to_thread(
                self._store.matches,
                season,
                bot=request.bot,
                page_size=request.page_size or PAGE_SIZE,
                page_token=request.page_token,
            )
        except NotFound:
            raise
        except ArenaError as trouble:
            raise _invalid("page_token", str(trouble)) from None
        return league_pb2.ListMatchesResponse(
            matches=[summary_message(match, is_public=season.has_public_records) for match in page.matches],
            next_page_token=page.next_token,
        )

    async def _get_match(
        self, request: league_pb2.GetMatchRequest, caller: Token | None
    ) -> league_pb2.GetMatchResponse:
        _checked_name("match_id", request.match_id, is_required=True)
        match = await asyncio.to_thread(self._store.match, request.match_id)
        if match.kind is TableKind.QUALIFYING:
            raise NotFound(f"there is no match {request.match_id}")
        season = await asyncio.to_thread(self._season_of, match.season_id)
        is_organiser = caller is not None and caller.author.is_organiser
        if not is_organiser and not season.has_public_records:
            raise Problem(
                grpc.StatusCode.FAILED_PRECONDITION,
                f"the records of season {season.name} are shown {_policy(season)}",
                reason="RECORD_NOT_PUBLIC",
                metadata={"season": season.name, "replays": season.replays.value},
            )
        record = await asyncio.to_thread(self._store.record, request.match_id)
        return league_pb2.GetMatchResponse(record=record)

    def _season_of(self, season_id: int) -> Season:
        """Runs in a thread."""
        return next(season for season in self._store.seasons() if season.season_id == season_id)

    # Changing

    async def _retire_bot(
        self, request: league_pb2.RetireBotRequest, caller: Token | None
    ) -> league_pb2.RetireBotResponse:
        token = _needed(caller)
        _checked_name("name", request.name, is_required=True)
        bot = await asyncio.to_thread(self._store.bot, request.name)
        _check_own(token, bot)
        await asyncio.to_thread(self._store.retire, bot)
        return league_pb2.RetireBotResponse()

    async def _request_scrimmage(
        self, request: league_pb2.RequestScrimmageRequest, caller: Token | None
    ) -> league_pb2.RequestScrimmageResponse:
        token = _needed(caller)
        names = [request.bot, *request.opponents]
        if len(request.opponents) != 3:
            raise _invalid("opponents", f"a table has three opponents, not {len(request.opponents)}")
        for name in names:
            _checked_name("opponents", name, is_required=True)
        if len({name.casefold() for name in names}) < len(names):
            raise _invalid("opponents", "the four bots of a table are different ones")
        self._doorkeeper.may_ask_scrimmage(token)
        table = await asyncio.to_thread(self._add_scrimmage, token, names)
        self._on_scrimmage()
        return league_pb2.RequestScrimmageResponse(match_ids=table.match_ids)

    def _add_scrimmage(self, token: Token, names: Sequence[str]) -> Table:
        """Runs in a thread."""
        bots = [self._store.bot(name) for name in names]
        _check_own(token, bots[0])
        versions = [bot.newest for bot in bots if bot.newest is not None and bot.retired_unix_us is None]
        if len(versions) < len(bots):
            out = next(bot for bot in bots if bot.newest is None or bot.retired_unix_us is not None)
            raise _not_now(f"{out.name} was retired and plays no more", reason="BOT_RETIRED")
        season = self._store.current_season()
        if season is None:
            raise _not_now("no season is open, so nothing is played", reason="NO_SEASON")
        try:
            return self._store.add_table(
                season,
                [version.version_id for version in versions],
                kind=TableKind.SCRIMMAGE,
                is_fresh=any(bot.is_remote for bot in bots),
                requested_by=token.author,
            )
        except (NotFound, Taken):
            raise
        except ArenaError as trouble:
            raise _not_now(str(trouble), reason="NO_TABLE_NOW") from None

    # What all calls share

    def _bot_message(self, bot: Bot) -> league_pb2.LeagueBot:
        return bot_message(bot, connected=self._remotes.connected)

    async def _caller(self, context: Context) -> Token | None:
        """Whose call this is, counted; raises Problem while the server drains."""
        if self.draining:
            raise Problem(grpc.StatusCode.UNAVAILABLE, self.draining, reason="DRAINING", retry_s=5.0)
        value = next((v for k, v in context.invocation_metadata() or () if k == _AUTHORIZATION), None)
        text = None if value is None else bearer(value if isinstance(value, str) else value.decode("latin-1"))
        if value is not None and text is None:
            raise UnknownToken(f"the authorization is no bearer's; {TOKEN_WORDS}")
        return await self._doorkeeper.token(text, peer=context.peer())

    def _unary(
        self, name: str, answer: Callable[[Any, Token | None], Awaitable[Any]]
    ) -> Callable[[Any, Context], Awaitable[Any]]:
        async def handle(request: Any, context: Context) -> Any:
            async with _Guard(self, name, context):
                return await answer(request, await self._caller(context))

        return handle

    def told(self, call: str, trace: str) -> None:
        """A call failed by our own mistake."""
        self._on_bug(call, trace)


@dataclass(frozen=True, slots=True)
class _Guard:
    """Turns what a call raises into the status that it ends with."""

    service: LeagueService
    call: str
    context: Context

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        if error is None or not isinstance(error, Exception) or isinstance(error, grpc.aio.AbortError):
            return
        problem = _problem_of(error)
        if problem is None:
            self.service.told(self.call, "".join(traceback.format_exception(error)))
            words = "the league made a mistake of its own; it is in its log"
            problem = Problem(grpc.StatusCode.INTERNAL, words, reason="INTERNAL")
        await abort(self.context, problem)


def _problem_of(error: Exception) -> Problem | None:
    """What a caller is told of an error; None for a mistake of ours."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, TooMany):
        return Problem(
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            f"{error}; try again in {max(1, round(error.retry_s))} s",
            reason="LIMIT_REACHED",
            retry_s=error.retry_s,
        )
    if isinstance(error, UnknownToken):
        return Problem(grpc.StatusCode.UNAUTHENTICATED, str(error), reason="TOKEN_UNKNOWN")
    if isinstance(error, NotFound):
        return Problem(grpc.StatusCode.NOT_FOUND, str(error), reason="NOT_FOUND")
    if isinstance(error, Taken):
        return Problem(grpc.StatusCode.ALREADY_EXISTS, str(error), reason="TAKEN")
    if isinstance(error, ArenaError):
        words = f"the league cannot answer now: {error}"
        return Problem(grpc.StatusCode.UNAVAILABLE, words, reason="STORE", retry_s=5.0)
    return None


def _needed(token: Token | None) -> Token:
    if token is None:
        raise UnknownToken(f"this needs a token; {TOKEN_WORDS}")
    return token


def _owns(token: Token | None, bot: Bot) -> bool:
    return token is not None and _may_manage(token.author, bot)


def _may_manage(author: Author, bot: Bot) -> bool:
    """Whether the bot is the author's, or the author the organiser."""
    return author.is_organiser or author.author_id == bot.author.author_id


def _check_own(token: Token, bot: Bot) -> None:
    if not _owns(token, bot):
        raise Problem(
            grpc.StatusCode.PERMISSION_DENIED,
            f"{bot.name} is {bot.author.name}'s bot, and this token is {token.author.name}'s",
            reason="NOT_YOUR_BOT",
        )


def _checked_name(field: str, value: str, *, is_required: bool = False) -> None:
    if is_required and not value:
        raise _invalid(field, f"{field} is empty")
    if len(value) > 200 or not value.isprintable():
        raise _invalid(field, f"{field} is no name: at most 200 visible characters")


def _invalid(field: str, message: str) -> Problem:
    return Problem(grpc.StatusCode.INVALID_ARGUMENT, message, reason="INVALID", field=field)


def _not_now(message: str, *, reason: str) -> Problem:
    return Problem(grpc.StatusCode.FAILED_PRECONDITION, message, reason=reason)


def _policy(season: Season) -> str:
    return {"after-season": "after its end", "never": "to nobody"}[season.replays.value]


def _serialized(message: Message) -> bytes:
    return message.SerializeToString()


def _message_class(name: str) -> type[Message]:
    found: type[Message] = getattr(league_pb2, name)
    return found
