"""Owns the options that several commands share, and how their texts become values."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.league.client import Server
    from arena.league.store import LeagueStore
    from arena.rules import Ruleset

__all__ = [
    "Wishes",
    "chosen_ruleset",
    "database_of",
    "default_jobs",
    "executor_option",
    "faulty_option",
    "jobs_option",
    "league_options",
    "opened_league",
    "play_options",
    "quiet_grpc",
    "run_argument",
    "schedule_options",
    "server_of",
    "server_options",
    "strict_option",
]

F = TypeVar("F", bound=Callable[..., Any])

run_argument = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))

jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1, 4096),
    help="Worker processes; by default one a processor core.",
)

executor_option = click.option(
    "--executor",
    metavar="local|ray|ray://HOST:PORT",
    default="local",
    show_default=True,
    help="Where matches are played: on this machine, or on a Ray cluster, with its processor cores.",
)

faulty_option = click.option(
    "--admit-faulty",
    is_flag=True,
    help="A bot that fails the check before the first match plays all the same.",
)

strict_option = click.option("--strict", is_flag=True, help="Exit status 1 when any bot was at fault.")


def play_options(command: F) -> F:
    """How matches are played; absent options are None, or empty."""
    for option in reversed(
        [
            click.option("--ruleset", metavar="NAME|FILE.toml", help="The rules; `arena rules` lists them."),
            click.option(
                "--rule", "rules", metavar="KEY=VALUE", multiple=True, help="A field of the rules to change."
            ),
            click.option("--rounds", metavar="N", help="Rounds in a match, the same as --rule rounds=N."),
            click.option(
                "--seed",
                metavar="S",
                help="64 hexadecimal digits, or a number for practice; by default 32 random bytes.",
            ),
            click.option(
                "--time",
                "time_text",
                metavar="LIMIT+BANK",
                help="Seconds a decision, and beyond that a match; by default 0.5+10.",
            ),
            click.option(
                "--strikes", type=click.IntRange(1), help="Faults that forfeit a seat; by default 3."
            ),
            click.option(
                "--startup",
                type=click.FloatRange(0, min_open=True),
                metavar="SECONDS",
                help="Time for a bot to start; by default 30.",
            ),
            click.option("--sandbox", type=click.Choice(["bwrap", "none"]), help="How bots are confined."),
            click.option(
                "--freeze", is_flag=True, default=None, help="Stop bots while nothing is asked of them."
            ),
        ]
    ):
        command = option(command)
    return command


def schedule_options(command: F) -> F:
    """Who meets whom and how often; absent options are None."""
    for option in reversed(
        [
            click.option(
                "--format",
                "format_name",
                type=click.Choice(["round-robin", "balanced", "gauntlet"]),
                help="All tables of four; some, so that pairs meet equally often; or one bot against all.",
            ),
            click.option("--sets", type=int, metavar="N", help="Sets of four matches a table plays."),
            click.option("--matches-per-bot", type=int, metavar="N", help="With balanced or gauntlet."),
            click.option("--hero", metavar="BOT", help="With gauntlet: the bot that plays against all."),
            click.option(
                "--until-separated",
                is_flag=True,
                default=None,
                help="Then go on, where it is not known which of two neighbours is better, until it is.",
            ),
            click.option(
                "--max-matches",
                type=click.IntRange(1),
                metavar="N",
                help="With --until-separated: the most in all; by default ten times what is planned.",
            ),
        ]
    ):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What `play_options` and `schedule_options` were given; None or empty where nothing was."""

    ruleset: str | None = None
    rules: tuple[str, ...] = ()
    rounds: str | None = None
    seed: str | None = None
    time_text: str | None = None
    strikes: int | None = None
    freeze: bool | None = None
    startup: float | None = None
    sandbox: str | None = None
    format_name: str | None = None
    sets: int | None = None
    matches_per_bot: int | None = None
    hero: str | None = None
    until_separated: bool | None = None
    max_matches: int | None = None
    admit_faulty: bool = False

    @classmethod
    def taken_from(cls, given: dict[str, Any]) -> Wishes:
        """The wishes among a command's parameters, which keep the rest."""
        return cls(**{each.name: given.pop(each.name) for each in fields(cls) if each.name in given})


def chosen_ruleset(name: str | None, rules: Sequence[str], rounds: str | None) -> Ruleset:
    """The ruleset of `--ruleset`, `--rule` and `--rounds`; ArenaError for what makes none."""
    from arena.rules import find_ruleset, load_ruleset, with_rules

    changes: dict[str, str] = {}
    for rule in [*rules, *([f"rounds={rounds}"] if rounds is not None else [])]:
        key, equals, value = rule.partition("=")
        if not equals:
            raise ArenaError(f"--rule {rule}: write KEY=VALUE, as in rounds=10")
        if key in changes:
            raise ArenaError(f"--rule {key} is given twice: {changes[key]} and {value}")
        changes[key] = value
    base = name or "callbreak"
    ruleset = load_ruleset(Path(base)) if base.endswith(".toml") else find_ruleset(base)
    return with_rules(ruleset, changes)


def default_jobs() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def league_options(command: F) -> F:
    """Which league, for its organiser."""
    for option in reversed(
        [
            click.option(
                "--data", type=click.Path(path_type=Path), metavar="DIR", help="The league's folder."
            ),
            click.option(
                "--db", "database", metavar="URL", help="Its database; by default DIR/league.sqlite3."
            ),
        ]
    ):
        command = option(command)
    return command


def server_options(command: F) -> F:
    """Which league, for authors, and who they are."""
    for option in reversed(
        [
            click.option("--server", required=True, metavar="ADDRESS", help="HOST:PORT of the league."),
            click.option("--token", metavar="TOKEN", help="Your token; by default ARENA_TOKEN's."),
            click.option(
                "--token-file",
                type=click.Path(path_type=Path),
                metavar="FILE",
                help="A file that holds it: others on this machine cannot read that off the process list.",
            ),
            click.option(
                "--tls-ca",
                type=click.Path(path_type=Path),
                metavar="FILE",
                help="Certificates to trust, PEM; by default the usual ones.",
            ),
            click.option("--insecure", is_flag=True, help="Send the token as plain text to another machine."),
        ]
    ):
        command = option(command)
    return command


def server_of(
    address: str, *, token: str | None, token_file: Path | None, tls_ca: Path | None, is_insecure: bool
) -> Server:
    """The server that `server_options` name."""
    quiet_grpc()
    from arena.league.client import Server, found_token

    return Server.of(address, token=found_token(token, token_file), ca=tls_ca, is_insecure=is_insecure)


def quiet_grpc() -> None:
    """Has gRPC's own library say nothing on standard error: what went wrong is told in a line of ours.

    It looks once, when it is loaded.
    """
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")


def database_of(data: Path | None, database: str | None) -> str:
    """The URL of a league's database."""
    if database is not None:
        return database
    if data is None:
        raise ArenaError("which league? give --data DIR, its folder, or --db URL, its database")
    return f"sqlite:///{(data / 'league.sqlite3').absolute()}"


def opened_league(data: Path | None, database: str | None) -> LeagueStore:
    """The store of a league that is there already, or at a URL."""
    url = database_of(data, database)
    if database is None and data is not None and not data.is_dir():
        raise ArenaError(f"{data}: no such folder; `arena serve --data {data}` makes a league there")
    try:
        from arena.league.store import LeagueStore
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("arena"):
            raise
        extra = "a league's database needs the extra `league`: pip install 'callbreak-arena[league]'"
        raise ArenaError(f"{extra} ({missing.name} is missing)") from None
    return LeagueStore.open(url)
