"""Owns a running league server: everything is put together here, started, drained on a signal, and ended.

What the pages look like is not known here: whoever starts a server brings the application that makes them.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import ipaddress
import os
import secrets
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import uvicorn
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import SERVICE_NAME as HEALTH_SERVICE  # type: ignore[import-not-found,unused-ignore]
from grpc_health.v1.health import aio as health
from grpc_reflection.v1alpha import reflection  # type: ignore[attr-defined,unused-ignore]

from arena.bots.archive import BundleLimits
from arena.bots.line import Refused
from arena.bots.sandbox import Sandbox
from arena.errors import ArenaError
from arena.league.auth import Doorkeeper, TooMany, UnknownToken
from arena.league.engine import Engine
from arena.league.houses import enter_house_bots
from arena.league.hub import Hub, MatchStored
from arena.league.installed import Installed
from arena.league.intake import Intake
from arena.league.live import Live
from arena.league.lobby import Lobby
from arena.league.logs import event, warning
from arena.league.model import Replays, Season, Submission, SubmissionState, Token
from arena.league.service import SERVICE, LeagueService
from arena.league.store import LeagueStore
from arena.league.submissions import Submissions
from arena.referee.faults import FaultKind
from arena.v1 import play_pb2

__all__ = ["Address", "League", "SeasonWishes", "ServeOptions", "TlsFiles", "check_addresses", "serve"]

PLAY_SERVICE = play_pb2.DESCRIPTOR.services_by_name["ArenaService"].full_name
CLOSE_S = 5.0
"""How long the connections may take to close after everything else has ended."""

AGAIN_S = 2.0
_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_GRPC_OPTIONS = (
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", 1024 * 1024),
    ("grpc.max_concurrent_streams", 4096),
    # A remote bot whose machine has vanished without a word is missed after half a minute.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
)


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str, *, option: str) -> Address:
        """`HOST:PORT`, IPv6 in brackets. ArenaError names the option."""
        host, colon, port = text.rpartition(":")
        if not colon or not host or not port.isdecimal() or int(port) > 65535:
            raise ArenaError(f"{option} {text}: give HOST:PORT, such as 127.0.0.1:7878 or [::1]:7878")
        return cls(host.strip("[]"), int(port))

    @property
    def is_of_this_machine(self) -> bool:
        """Whether nobody from elsewhere can connect."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Certificate chain and private key, PEM."""

    certificate: Path
    key: Path

    def credentials(self) -> grpc.ServerCredentials:
        """For gRPC. ArenaError when they cannot be read."""
        try:
            pair = (self.key.read_bytes(), self.certificate.read_bytes())
        except OSError as error:
            raise ArenaError(f"{error.filename}: cannot be read: {error.strerror}") from error
        return grpc.ssl_server_credentials([pair])


@dataclass(frozen=True, slots=True)
class SeasonWishes:
    """The season to open when none is; what is None is as it comes."""

    name: str | None = None
    ruleset: str | None = None
    time_control: str | None = None
    strikes: int | None = None
    replays: Replays | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """What `arena serve` was told. `sandbox` is None in a league of remote bots only."""

    data: Path
    database: str
    grpc: Address
    http: Address
    jobs: int
    season: SeasonWishes
    sandbox: Sandbox | None
    tls: TlsFiles | None = None
    is_insecure: bool = False
    patience_s: float = 30.0
    where: str = ""
    """The options with which other commands find this league."""


@dataclass(frozen=True, slots=True, kw_only=True)
class League:
    """A league that runs, as its pages need it."""

    store: LeagueStore
    hub: Hub
    live: Live
    engine: Engine
    lobby: Lobby
    draining: asyncio.Event
    grpc_address: str


MakePages = Callable[[League], Any]
"""Makes the ASGI application of a league."""


def serve(options: ServeOptions, make_pages: MakePages) -> None:
    """Serves until SIGTERM or SIGINT, then drains; a second signal ends at once.

    Raises ArenaError for what an operator can change: addresses, files, a database that is not there.
    """
    check_addresses(options)
    if options.tls is not None:
        options.tls.credentials()
    with _data_folder(options.data) as owner, LeagueStore.open(options.database) as store:
        season = _season_to_play(store, options.season)
        admitted = enter_house_bots(store) if options.sandbox is not None else []
        asyncio.run(_Server(options, store, owner, make_pages).run(season, admitted))


def check_addresses(options: ServeOptions) -> None:
    """ArenaError when tokens would cross the network as plain text without that having been said."""
    if options.tls is not None or options.is_insecure:
        return
    for option, address in (("--grpc", options.grpc), ("--http", options.http)):
        if not address.is_of_this_machine:
            raise ArenaError(
                f"{option} {address}: tokens and cards would cross the network as plain text; give "
                "--tls-cert and --tls-key, listen on 127.0.0.1 behind a proxy with TLS, or say --insecure"
            )


@contextlib.contextmanager
def _data_folder(folder: Path) -> Iterator[str]:
    """Makes the folder, locks it, and yields the name under which this arena leases its work."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / "arena.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise ArenaError(f"{folder}: cannot keep a league there: {error.strerror}") from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ArenaError(f"{folder}: another arena serves this folder; each has one of its own") from None
        yield _owner_of(folder)
    finally:
        os.close(lock)


def _owner_of(folder: Path) -> str:
    """The arena's name in the database, the same after every start."""
    file = folder / "arena-id"
    with contextlib.suppress(OSError):
        if name := file.read_text().strip():
            return name
    name = f"{socket.gethostname()[:40]}-{secrets.token_hex(6)}"
    try:
        file.write_text(f"{name}\n")
    except OSError as error:
        raise ArenaError(f"{file}: cannot be written: {error.strerror}") from error
    return name


def _season_to_play(store: LeagueStore, wishes: SeasonWishes) -> Season:
    """The season that is open or frozen, else a new one. ArenaError when the wishes contradict it."""
    season = store.current_season()
    if season is None:
        season = _begun(store, wishes)
    asked = {
        "--season": (wishes.name, season.name),
        "--ruleset": (wishes.ruleset, season.ruleset),
        "--time": (wishes.time_control, season.time_control),
        "--strikes": (wishes.strikes, season.strikes),
        "--replays": (wishes.replays, season.replays),
    }
    for option, (wanted, there) in asked.items():
        if wanted is not None and wanted != there:
            raise ArenaError(
                f"{option} {wanted}: season {season.name} is {season.state} with {there}; a season keeps "
                "what it began with (`arena season freeze` and `arena season end` make room for the next)"
            )
    return season


def _begun(store: LeagueStore, wishes: SeasonWishes) -> Season:
    """A new season, or the one that another arena has begun at this very moment."""
    try:
        return store.open_season(
            wishes.name or str(len(store.seasons()) + 1),
            ruleset=wishes.ruleset or "callbreak",
            time_control=wishes.time_control or "0.5+10",
            strikes=wishes.strikes or 3,
            replays=wishes.replays or Replays.AT_ONCE,
        )
    except ArenaError:
        season = store.current_season()
        if season is None:
            raise
        return season


class _Server:
    """One life of a server."""

    def __init__(self, options: ServeOptions, store: LeagueStore, owner: str, make_pages: MakePages) -> None:
        self._options = options
        self._store = store
        self._owner = owner
        self._make_pages = make_pages
        self._draining = asyncio.Event()
        self._hurry = asyncio.Event()

    async def run(self, season: Season, admitted: list[str]) -> None:
        """From the first open port to the last closed one."""
        self._loop = asyncio.get_running_loop()
        self._build()
        async with contextlib.AsyncExitStack() as held:
            grpc_port = await held.enter_async_context(self._grpc_server())
            grpc_address = Address(self._options.grpc.host, grpc_port)
            http_address = await held.enter_async_context(self._http_server(str(grpc_address)))
            held.enter_context(self._signals())
            event(
                "start",
                grpc=str(grpc_address),
                http=f"{'https' if self._options.tls else 'http'}://{http_address}",
                tls=self._options.tls is not None,
                season=season.name,
                ruleset=season.ruleset,
                sandbox=self._options.sandbox.name if self._options.sandbox else "none",
                arena=self._owner,
                pid=os.getpid(),
            )
            for name in admitted:
                event("house bot", bot=name)
            if not await asyncio.to_thread(self._store.tokens):
                event("no token yet", next=f"arena token issue AUTHOR {self._options.where}")
            await self._live_on()
        event("end", arena=self._owner)

    def _build(self) -> None:
        options, store = self._options, self._store
        limits = BundleLimits()
        self._doorkeeper = Doorkeeper(store, now_s=time.monotonic, now_us=lambda: time.time_ns() // 1000)
        self._hub = Hub(store)
        self._live = Live(self._hub, now_s=time.monotonic)
        self._lobby = Lobby(store, authenticate=self._authenticate, now_ns=time.monotonic_ns)
        installed = Installed(store, options.sandbox, options.data, limits=limits)
        logs = options.data / "logs"
        logs.mkdir(exist_ok=True)
        self._engine = Engine(
            store,
            hub=self._hub,
            live=self._live,
            lobby=self._lobby,
            installed=installed,
            sandbox=options.sandbox,
            owner=self._owner,
            jobs=options.jobs,
            log_dir=logs,
        )
        self._submissions = Submissions(
            store,
            sandbox=options.sandbox,
            folder=options.data / "work",
            installed=installed,
            hub=self._hub,
            owner=self._owner,
            qualify=self._engine.qualify,
            limits=limits,
            on_end=self._submission_ended,
            on_trouble=_submission_troubled,
        )
        refuses = (
            "this league runs without a sandbox and takes no bundles; `arena play` plays from your machine"
        )
        self._service = LeagueService(
            store,
            hub=self._hub,
            doorkeeper=self._doorkeeper,
            intake=Intake(
                store,
                hub=self._hub,
                doorkeeper=self._doorkeeper,
                limits=limits,
                refuses="" if options.sandbox is not None else refuses,
                on_received=self._submission_received,
            ),
            remotes=self._lobby,
            on_scrimmage=self._engine.wake,
            on_bug=lambda call, trace: warning("bug", call=call, trace=trace),
        )

    # Servers

    @contextlib.asynccontextmanager
    async def _grpc_server(self) -> AsyncIterator[int]:
        """gRPC, listening while the context lasts; its port."""
        server = grpc.aio.server(options=_GRPC_OPTIONS)
        play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._lobby.play)
        server.add_generic_rpc_handlers(
            (
                self._service.handler(),
                grpc.method_handlers_generic_handler(PLAY_SERVICE, {"Play": play}),
            )
        )
        self._health = health.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        names = (SERVICE, PLAY_SERVICE, HEALTH_SERVICE, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, server)
        port = self._bind(server)
        await server.start()
        await self._say_health(health_pb2.HealthCheckResponse.SERVING)
        try:
            yield port
        finally:
            await server.stop(grace=CLOSE_S)

    def _bind(self, server: grpc.aio.Server) -> int:
        address, tls = self._options.grpc, self._options.tls
        try:
            if tls is not None:
                port = server.add_secure_port(str(address), tls.credentials())
            else:
                port = server.add_insecure_port(str(address))
        except RuntimeError as error:
            raise ArenaError(f"--grpc {address}: cannot listen there (is the port in use?)") from error
        if not port:
            raise ArenaError(f"--grpc {address}: cannot listen there (certificate and key fit together?)")
        return port

    async def _say_health(self, state: Any) -> None:
        for name in ("", SERVICE, PLAY_SERVICE):
            await self._health.set(name, state)

    @contextlib.asynccontextmanager
    async def _http_server(self, grpc_address: str) -> AsyncIterator[Address]:
        """The pages, listening while the context lasts; where."""
        league = League(
            store=self._store,
            hub=self._hub,
            live=self._live,
            engine=self._engine,
            lobby=self._lobby,
            draining=self._draining,
            grpc_address=grpc_address,
        )
        listening = _listen(self._options.http)
        tls = self._options.tls
        config = uvicorn.Config(
            self._make_pages(league),
            log_config=None,
            access_log=False,
            lifespan="auto",
            server_header=False,
            timeout_graceful_shutdown=int(CLOSE_S),
            ssl_certfile=str(tls.certificate) if tls else None,
            ssl_keyfile=str(tls.key) if tls else None,
        )
        try:
            config.load()
        except OSError as error:  # ssl's errors among them
            raise ArenaError(f"--tls-cert, --tls-key: not usable: {error}") from error
        server = _Http(config)
        address = Address(self._options.http.host, listening.getsockname()[1])
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        begun = asyncio.create_task(server.begun.wait())
        try:
            await asyncio.wait((serving, begun), return_when=asyncio.FIRST_COMPLETED)
            if not server.started:
                raise RuntimeError("the pages could not be served; the log says why")
            yield address
        finally:
            begun.cancel()
            server.should_exit = True
            await serving

    # Life and end

    async def _live_on(self) -> None:
        """Everything runs until a signal, then what is in play is finished or given back."""
        tasks = [
            self._task("hub", self._kept_alive(self._hub.run)),
            self._task("live", self._live.run()),
            self._task("engine", self._engine.run()),
            self._task("submissions", self._submissions.run()),
            self._task("matches", self._tell_matches()),
        ]
        ended = asyncio.create_task(self._draining.wait())
        try:
            await asyncio.wait((ended, *tasks), return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                if task.done():
                    task.result()
            await self._drain()
        finally:
            ended.cancel()
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            await self._let_go()

    async def _drain(self) -> None:
        event("drain", tables=len(self._engine.tables_in_play), patience_s=self._options.patience_s)
        self._service.draining = "the league is closing; it will be back, and goes on where it stopped"
        await self._say_health(health_pb2.HealthCheckResponse.NOT_SERVING)
        draining = asyncio.create_task(self._engine.drain(self._options.patience_s))
        hurry = asyncio.create_task(self._hurry.wait())
        await asyncio.wait((draining, hurry), return_when=asyncio.FIRST_COMPLETED)
        hurry.cancel()
        if not draining.done():
            draining.cancel()

    async def _let_go(self) -> None:
        """Ends every stream, and gives back what this arena has leased: another may take it at once."""
        await self._lobby.close("the league is closing; dial in again later")
        self._hub.close()
        with contextlib.suppress(ArenaError):
            await asyncio.to_thread(self._store.recover, self._owner)

    def _task(self, name: str, life: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return asyncio.create_task(life, name=name)

    async def _kept_alive(self, life: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Goes on after the database was away."""
        while True:
            try:
                await life()
            except ArenaError as trouble:
                warning("database", trouble=str(trouble))
                await asyncio.sleep(AGAIN_S)

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        for number in _SIGNALS:
            self._loop.add_signal_handler(number, self._signalled)
        try:
            yield
        finally:
            for number in _SIGNALS:
                self._loop.remove_signal_handler(number)

    def _signalled(self) -> None:
        (self._hurry if self._draining.is_set() else self._draining).set()

    # News

    async def _authenticate(self, text: str) -> Token | None:
        """Whose token a bot brings that dials in."""
        try:
            return await self._doorkeeper.token(text, peer="")
        except UnknownToken:
            event("refusal", call="Play", reason="unknown token")
            return None
        except TooMany as limit:
            raise Refused(FaultKind.RESOURCE, str(limit)) from None

    def _submission_received(self, submission: Submission) -> None:
        event("received", submission=submission.submission_id, author=submission.author.name)
        self._submissions.wake()

    def _submission_ended(self, submission: Submission) -> None:
        fields = {
            "submission": submission.submission_id,
            "author": submission.author.name,
            "bot": submission.bot,
        }
        if submission.state is SubmissionState.ADMITTED:
            event("submission", state=submission.state.value, **fields)
            self._engine.wake()
        else:
            event("refusal", state=submission.state.value, **fields, reason=submission.detail)

    async def _tell_matches(self) -> None:
        with self._hub.subscribe(MatchStored) as stored:
            async for match in stored:
                if isinstance(match, MatchStored):
                    event("match", match=match.match_id, bots=list(match.bots))


class _Http(uvicorn.Server):
    """uvicorn's server without handlers for signals, which are ours; `begun` is set once it has started."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.begun = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.begun.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _listen(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address.host, address.port))
        listening.listen(2048)
    except OSError as error:
        listening.close()
        raise ArenaError(f"--http {address}: cannot listen there: {error.strerror}") from error
    listening.setblocking(False)
    return listening


def _submission_troubled(submission: Submission, trouble: str) -> None:
    warning("trouble", submission=submission.submission_id, trace=trouble)
