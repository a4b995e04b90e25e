"""Owns `arena serve`: a league that is open to whoever has a token."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.group import ArenaCommand
from arena.cli.options import database_of, league_options, quiet_grpc
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.bots.sandbox import Sandbox
    from arena.league.server import League, ServeOptions

__all__ = ["command"]

EXTRA = "a league's server needs the extra `league`: pip install 'callbreak-arena[league]'"


@click.command(
    "serve",
    cls=ArenaCommand,
    example=(
        "arena serve --data league/\n"
        "arena serve --data league/ --grpc 0.0.0.0:7878 --tls-cert chain.pem --tls-key key.pem"
    ),
    help=(
        "Serve a league: authors submit bots (`arena submit`) or let them play from their own machines"
        " (`arena play`), matches go on for ever, and people watch in a browser. The first start makes the"
        " database and the first season; `arena token issue` makes the tokens that authors need. SIGTERM"
        " drains: matches in play are finished or given back."
    ),
)
@league_options
@click.option(
    "--grpc", "grpc_text", metavar="HOST:PORT", default="127.0.0.1:7878", show_default=True, help="For bots."
)
@click.option(
    "--http",
    "http_text",
    metavar="HOST:PORT",
    default="127.0.0.1:7880",
    show_default=True,
    help="For people.",
)
@click.option("--jobs", type=click.IntRange(1, 4096), help="Tables at once; by default one a processor core.")
@click.option("--season", "season_name", metavar="NAME", help="The season to begin when none is open.")
@click.option("--ruleset", metavar="NAME|FILE.toml", help="Its rules; by default callbreak.")
@click.option("--time", "time_text", metavar="LIMIT+BANK", help="Its seconds a decision; by default 0.5+10.")
@click.option("--strikes", type=click.IntRange(1), help="Its faults that forfeit a seat; by default 3.")
@click.option(
    "--replays",
    type=click.Choice(["at-once", "after-season", "never"]),
    help="When its records may be seen; by default at-once.",
)
@click.option(
    "--sandbox",
    type=click.Choice(["bwrap", "none"]),
    default="bwrap",
    show_default=True,
    help="How bots are confined; with none, only remote bots play and no bundle is taken.",
)
@click.option("--tls-cert", type=click.Path(path_type=Path), metavar="FILE", help="Certificate chain, PEM.")
@click.option("--tls-key", type=click.Path(path_type=Path), metavar="FILE", help="Its private key, PEM.")
@click.option("--insecure", is_flag=True, help="Plain text on an address that others can reach.")
@click.option("--name", "league_name", metavar="TEXT", default="Call Break league", help="As pages call it.")
@click.option(
    "--public", metavar="HOST:PORT", help="Where authors reach gRPC, behind a proxy; by default --grpc."
)
@click.option(
    "--patience",
    type=click.FloatRange(0),
    metavar="SECONDS",
    default=30.0,
    show_default=True,
    help="How long tables in play may go on after SIGTERM.",
)
@click.option(
    "--log",
    "log_format",
    type=click.Choice(["json", "text"]),
    help="On standard error; by default text on a terminal, else JSON, one object a line.",
)
def command(
    *,
    data: Path | None,
    database: str | None,
    grpc_text: str,
    http_text: str,
    jobs: int | None,
    season_name: str | None,
    ruleset: str | None,
    time_text: str | None,
    strikes: int | None,
    replays: str | None,
    sandbox: str,
    tls_cert: Path | None,
    tls_key: Path | None,
    insecure: bool,
    league_name: str,
    public: str | None,
    patience: float,
    log_format: str | None,
) -> None:
    """See the help text."""
    quiet_grpc()
    try:
        from arena.league.server import serve
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("arena"):
            raise
        raise ArenaError(f"{EXTRA} ({missing.name} is missing)") from None
    from arena.cli.options import default_jobs
    from arena.league.logs import log_to
    from arena.league.model import Replays
    from arena.league.server import Address, SeasonWishes, ServeOptions

    if data is None:
        raise ArenaError("--data DIR: where the league keeps what it needs on this machine")
    options = ServeOptions(
        data=data,
        database=database_of(data, database),
        grpc=Address.parse(grpc_text, option="--grpc"),
        http=Address.parse(http_text, option="--http"),
        jobs=jobs or default_jobs(),
        season=SeasonWishes(
            name=season_name,
            ruleset=None if ruleset is None else _ruleset(ruleset),
            time_control=None if time_text is None else _time_control(time_text),
            strikes=strikes,
            replays=None if replays is None else Replays(replays),
        ),
        sandbox=_sandbox(sandbox),
        tls=_tls(tls_cert, tls_key),
        is_insecure=insecure,
        patience_s=patience,
        where=f"--data {data}" if database is None else "--db URL",
    )
    is_text = log_format == "text" or (log_format is None and sys.stderr.isatty())
    log_to(sys.stderr, is_text=is_text)
    serve(options, lambda league: _pages(league, name=league_name, address=public, options=options))


def _pages(league: League, *, name: str, address: str | None, options: ServeOptions) -> Any:
    from arena.web import WebContext, create_app

    scheme = "https://" if options.tls else ""
    return create_app(
        WebContext(
            store=league.store,
            hub=league.hub,
            live=league.live,
            seat_person=league.engine.seat_person,
            submit_address=address or f"{scheme}{league.grpc_address}",
            name=name,
            connected=lambda: league.lobby.connected,
            latencies_us=league.lobby.latency_us,
            draining=league.draining,
        )
    )


def _sandbox(name: str) -> Sandbox | None:
    from arena.bots.bubblewrap import find_bubblewrap

    return find_bubblewrap() if name == "bwrap" else None


def _tls(certificate: Path | None, key: Path | None) -> Any:
    from arena.league.server import TlsFiles

    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise ArenaError("--tls-cert and --tls-key: give both, or neither")
    return TlsFiles(certificate, key)


def _ruleset(text: str) -> str:
    """The ruleset as a season names it."""
    from arena.cli.options import chosen_ruleset

    return chosen_ruleset(text, (), None).name


def _time_control(text: str) -> str:
    from arena.referee import TimeControl

    TimeControl.parse(text)
    return text
