"""Every command of docs/operating.md is one that the arena takes; backup and restore are done as written."""

from __future__ import annotations

import configparser
import re
import shlex
import sqlite3
import subprocess
from pathlib import Path

import click
import pytest

from arena.cli.group import arena_group
from arena.league.store import LeagueStore
from tests.conftest import find_program
from tests.league.service.bots import ROOT
from tests.league.store.league import admitted, begin, leased, whole_set
from tests.league.store.postgres import USER, running

PAGE = (ROOT / "docs" / "operating.md").read_text()
CONTAINERFILE = (ROOT / "Containerfile").read_text()
DATA = "/var/lib/arena"


def blocks(language: str) -> list[str]:
    """The page's blocks of that language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


def commands() -> list[list[str]]:
    """The page's `arena` commands as words, those of the unit and the Containerfile among them."""
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    lines += re.findall(r"ExecStart=(.*)", PAGE)
    lines.append(" ".join(re.findall(r'"([^"]+)"', CONTAINERFILE.partition("\nCMD ")[2])))
    found = [shlex.split(line.partition(" > ")[0]) for line in lines]
    return [["arena", *words[1:]] for words in found if words and words[0].rpartition("/")[2] == "arena"]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_command_of_the_page_is_taken(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    ctx: click.Context | None = None
    command: click.Command = arena_group
    arguments = words[1:]
    while isinstance(command, click.Group):
        ctx = click.Context(command, parent=ctx)
        _, found, arguments = command.resolve_command(ctx, arguments)
        assert found is not None
        command = found

    command.make_context(words[1], arguments, parent=ctx)


def test_page_speaks_of_every_command_of_the_organiser() -> None:
    said = {tuple(words[1:3]) for words in commands()}

    assert {("token", verb) for verb in ("issue", "list", "revoke")} <= said
    assert {("season", verb) for verb in ("begin", "freeze", "end", "list")} <= said


def test_page_names_every_option_of_serve_that_an_operator_decides_on() -> None:
    options = (
        "--data",
        "--db",
        "--public",
        "--jobs",
        "--sandbox",
        "--tls-cert",
        "--insecure",
        "--patience",
        "--log",
    )

    assert [option for option in options if option not in PAGE] == []


def test_unit_is_one_that_drains_and_starts_again() -> None:
    [unit] = blocks("ini")
    parser = configparser.ConfigParser()
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(unit)
    service = parser["Service"]

    assert (service["KillSignal"], service["Restart"], service["Delegate"]) == (
        "SIGTERM",
        "on-failure",
        "yes",
    )
    assert int(service["TimeoutStopSec"]) > 30
    assert not {"ProtectKernelTunables", "ProtectProc", "ProcSubset", "RestrictNamespaces"} & set(service)


def test_proxy_leaves_streams_alone() -> None:
    [proxy] = blocks("nginx")

    for line in (
        "grpc_read_timeout 1d",
        "client_max_body_size 0",
        "proxy_buffering off",
        "location /arena.v1.",
    ):
        assert line in proxy


def test_containerfile_copies_what_is_there_and_installs_what_is_pinned() -> None:
    copied = [
        word
        for words in re.findall(r"^COPY (.*) \S+$", CONTAINERFILE, re.MULTILINE)
        for word in words.split()
    ]

    assert [path for path in copied if not (ROOT / path).exists()] == []
    assert re.findall(r"-r (\S+)", CONTAINERFILE) == ["requirements/build.txt", "requirements/league.txt"]
    assert CONTAINERFILE.count("--require-hashes") == 2


def played_league(url: str) -> None:
    """Four bots, a set of matches, a token."""
    with LeagueStore.open(url) as store:
        season = begin(store)
        table = leased(
            store, season, [admitted(store, bot).version_id for bot in ("ant", "bee", "cat", "dog")]
        )
        store.add_records(table, whole_set(store, season, table))
        store.issue_token(store.author("ann"), label="")


def is_whole(url: str) -> bool:
    """Whether all of it is there."""
    with LeagueStore.open(url) as store:
        season = store.season("")
        records = [store.record(match.match_id) for match in store.matches(season).matches]
        bundle = store.bundle(store.versions(store.bot("ant"))[0].bundle_sha256)
        return (len(records), len(store.tokens()), bundle) == (4, 1, b"ann ant 1.0")


def block_with(words: str) -> str:
    """The page's block with these words."""
    [block] = [block for block in blocks("sh") if words in block]
    return block


def test_backup_of_sqlite_is_taken_while_the_league_runs_and_comes_back(tmp_path: Path) -> None:
    data, backups = tmp_path / "data", tmp_path / "backups"
    data.mkdir()
    backups.mkdir()
    url = f"sqlite:///{data / 'league.sqlite3'}"
    played_league(url)
    [backup] = re.findall(r'sqlite3 \S+ "(VACUUM INTO .*)"', block_with("/var/backups/arena/league.sqlite3'"))
    backup = backup.replace("/var/backups/arena", str(backups))
    restore = block_with("rm -f").replace(DATA, str(data)).replace("/var/backups/arena", str(backups))

    with LeagueStore.open(url) as running_league:
        running_league.author("bob")
        with sqlite3.connect(data / "league.sqlite3") as connection:
            connection.execute(backup)
        connection.close()
    (data / "league.sqlite3").write_bytes(b"a disk that failed")
    (data / "league.sqlite3-wal").write_bytes(b"and what it left")
    subprocess.run(["sh", "-e", "-c", restore], check=True)

    assert is_whole(url)


@pytest.mark.needs_postgres
def test_backup_of_postgresql_comes_back_under_another_name(tmp_path: Path) -> None:
    initdb = find_program("initdb")
    assert initdb is not None
    programs = Path(initdb).resolve().parent
    dump, restore = block_with("pg_dump").splitlines()[0], block_with("pg_dump").splitlines()[1:]
    with running(initdb) as server:
        name = server.make()
        played_league(server.url(name))
        environment = {"PATH": f"{programs}:/usr/bin:/bin", "PGHOST": str(server.folder), "PGUSER": USER}
        for line in (dump, *restore):
            words = [word.replace("/var/backups/arena", str(tmp_path)) for word in shlex.split(line)]
            words = [name if word == "league" else word for word in words]
            subprocess.run(words, check=True, env=environment)

        assert is_whole(server.url("league_restored"))
