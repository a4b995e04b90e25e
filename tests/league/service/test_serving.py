"""One `arena serve` and one `arena submit` are a league; what was acknowledged survives any end of it."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from arena.errors import ArenaError
from arena.league.model import SubmissionState, TableState
from arena.league.server import Address, SeasonWishes, ServeOptions, TlsFiles, check_addresses
from tests.conftest import find_program
from tests.league.service.bots import ROOT, bot_folder
from tests.league.service.serving import League, Process, command, league, run, until
from tests.league.store.postgres import running

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("bwrap"), pytest.mark.timeout(480)]

GREEDY = ROOT / "sample_bots" / "greedy"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[League]:
    """A league that is served."""
    with league(tmp_path / "league") as served:
        yield served


@pytest.fixture
def playing(served: League) -> League:
    """A league in which greedy plays against the house bots."""
    submitted = run("submit", GREEDY, "--server", served.address, token=served.token())
    assert submitted.returncode == 0, submitted.stderr
    until(lambda: served.events("match") or None, "a match")
    return served


def page(served: League, path: str) -> str:
    """A page of the league's, which must be there."""
    with urllib.request.urlopen(f"{served.http}{path}", timeout=60) as answer:
        return str(answer.read().decode())


def matches_of(served: League, bot: str) -> list[str]:
    return [match.match_id for match in served.ask("ListMatches", bot=bot).matches]


def test_bot_is_submitted_and_stands_in_the_table_with_a_match_to_look_at(served: League) -> None:
    submitted = run("submit", GREEDY, "--server", served.address, token=served.token())

    assert submitted.returncode == 0, submitted.stderr
    assert submitted.stdout == "admitted: greedy plays as version 1\n"
    steps = [line.partition(":")[0] for line in submitted.stderr.splitlines()[1:]]
    assert steps == ["received", "unpacked", "built", "checked", "qualified"]

    def row() -> object:
        rows = served.ask("GetStandings").standings.rows
        return next((row for row in rows if row.bot == "greedy" and row.matches), None)

    assert until(row, "greedy has played") is not None
    [match_id, *_] = matches_of(served, "greedy")
    record = served.ask("GetMatch", match_id=match_id).record
    assert "greedy" in [seat.bot for seat in record.seats]
    assert len(record.rounds) == 5
    assert record.sandbox == 2  # bwrap
    assert "greedy" in page(served, "/")
    assert "greedy" in page(served, f"/matches/{match_id}")
    assert page(served, "/healthz")
    assert "arena_league_matches" in page(served, "/metrics")


def test_log_has_a_line_of_json_for_what_happens(served: League) -> None:
    token = served.token()
    run("submit", GREEDY, "--server", served.address, token=token)
    run("submit", GREEDY, "--server", served.address, token=token)
    until(lambda: served.events("match") or None, "a match")

    assert served.process is not None
    lines = [json.loads(line) for line in served.process.err]
    assert {"time", "level", "event"} <= set.intersection(*(set(line) for line in lines))
    [start] = served.events("start")
    assert (start["season"], start["ruleset"], start["sandbox"], start["tls"]) == (
        *("1", "callbreak", "bwrap"),
        False,
    )
    [admitted] = served.events("submission")
    assert (admitted["bot"], admitted["author"], admitted["state"]) == ("greedy", "ann", "admitted")
    [refusal] = served.events("refusal")
    assert refusal["reason"].startswith("these very files play already")
    assert token.partition(".")[2] not in "".join(served.process.err)


def test_refused_bot_is_told_why_and_exit_status_is_1(served: League, tmp_path: Path) -> None:
    bad = bot_folder(tmp_path, "sleepy", program="raise SystemExit('too tired')")

    submitted = run("submit", bad, "--server", served.address, token=served.token())

    assert submitted.returncode == 1
    assert submitted.stdout.startswith("refused: CRASHED in the handshake: exit status 1")
    assert "too tired" in submitted.stdout
    assert sorted(path.name for path in (served.folder / "work").glob("*")) == []


def test_mistakes_of_whoever_submits_are_one_line(served: League, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nowhere = f"127.0.0.1:{free.getsockname()[1]}"
    token = served.token()
    cases = [
        (("--server", served.address), "", "a league wants a token"),
        (("--server", served.address), "cb_1.wrong", "this token is unknown or was revoked"),
        (("--server", served.address, "--token", "a b"), "", "this is no token"),
        (("--server", served.address, "--token-file", "nowhere.txt"), "", "nowhere.txt: cannot be read"),
        (("--server", nowhere), token, "no league can be reached there without TLS"),
        (("--server", "nonsense"), token, "give HOST:PORT"),
        (("--server", served.address, "--tls-ca", "nowhere.pem"), token, "nowhere.pem: cannot be read"),
        (("--server", f"https://{served.address}"), token, "with TLS"),
    ]
    for options, given, words in cases:
        said = run("submit", GREEDY, *options, token=given)
        assert (said.returncode, said.stdout, words in said.stderr) == (2, "", True), said.stderr
        assert "Traceback" not in said.stderr
        assert said.stderr.splitlines()[-1].startswith("arena: ")


def test_revoked_token_is_refused_by_a_running_server(served: League) -> None:
    token = served.token("ann", "--label", "old laptop")
    token_id = token.removeprefix("cb_").partition(".")[0]
    listed = run("token", "list", "--data", served.folder)
    assert f"{token_id}  ann (old laptop)" in listed.stdout
    assert token.partition(".")[2] not in listed.stdout

    assert run("token", "revoke", token_id, "--data", served.folder).returncode == 0

    said = run("submit", GREEDY, "--server", served.address, token=token)
    assert (said.returncode, "unknown or was revoked" in said.stderr) == (2, True)
    assert run("token", "revoke", "nobody", "--data", served.folder).returncode == 2


def test_secret_of_a_token_is_nowhere_in_the_database(served: League) -> None:
    secret = served.token().partition(".")[2].encode()

    assert served.stop() == 0

    assert all(secret not in path.read_bytes() for path in served.folder.rglob("*") if path.is_file())


def test_author_cannot_see_anothers_log_or_submissions(served: League) -> None:
    ann, bob = served.token("ann"), served.token("bob")
    run("submit", GREEDY, "--server", served.address, token=ann)
    with served.store() as store:
        store.set_log(store.versions(store.bot("greedy"))[0].version_id, "ann's secret")

    assert served.ask("GetBot", token=ann, name="greedy").log == "ann's secret"
    for token in (bob, ""):
        other = served.ask("GetBot", token=token, name="greedy")
        assert (other.log, list(other.submissions)) == ("", [])
    assert served.code("RetireBot", token=bob, name="greedy") is grpc.StatusCode.PERMISSION_DENIED


@pytest.mark.chaos
def test_killed_during_submissions_loses_none_that_was_acknowledged(served: League, tmp_path: Path) -> None:
    token, port = served.token(), served.port
    names = ["ant", "bee", "cat"]
    with contextlib.ExitStack() as held:
        authors = [
            held.enter_context(
                Process(
                    command("submit", bot_folder(tmp_path, name), "--server", served.address), token=token
                )
            )
            for name in names
        ]
        for author in authors:
            author.line("received: ")

        for _ in range(2):
            served.kill()
            served.start(port=port)

        for author, name in zip(authors, names, strict=True):
            assert author.process.wait(200) == 0, author.err
            assert author.line("admitted: ") == f"admitted: {name} plays as version 1\n"

    with served.store() as store:
        sent = store.submissions_of(store.author("ann"))
    assert [one.state for one in sent] == [SubmissionState.ADMITTED] * 3


@pytest.mark.chaos
def test_killed_during_matches_loses_and_doubles_none_that_was_stored(playing: League) -> None:
    port = playing.port
    for _ in range(3):
        until(lambda: playing.events("match") or None, "a match")
        stored = {match["match"] for match in playing.events("match")}
        playing.kill()
        with playing.store() as store:
            season = store.season("")
            there = {match.match_id for match in store.matches(season, page_size=200).matches}
            assert stored <= there
        playing.start(port=port)
    assert playing.stop() == 0

    with playing.store() as store:
        season = store.season("")
        matches = [match.match_id for match in store.matches(season, page_size=200).matches]
        entries = store.entries(season, with_inactive=True)
        in_play = [table for table in store.tables_in_play(season) if table.state is TableState.PLAYING]
    assert len(set(matches)) == len(matches)
    assert sum(entry.matches for entry in entries) == 4 * len(matches)
    assert in_play == []


def test_sigterm_finishes_what_is_in_play_and_ends_with_0(playing: League) -> None:

    process = playing.process
    assert playing.stop() == 0

    assert process is not None
    events = [json.loads(line)["event"] for line in process.err]
    assert events[-1] == "end"
    assert "drain" in events
    with playing.store() as store:
        season = store.season("")
        assert [t for t in store.tables_in_play(season) if t.state is TableState.PLAYING] == []


def test_author_who_is_followed_hears_that_the_league_closes_and_waits(
    served: League, tmp_path: Path
) -> None:
    slow = bot_folder(tmp_path, "slow", build='["python", "-c", "import time; time.sleep(6)"]')
    words = command("submit", slow, "--server", served.address)
    with Process(words, token=served.token()) as author:
        author.line("unpacked")
        port = served.port

        assert served.stop() == 0
        author.line("goes on without it")
        served.start(port=port)

        assert author.process.wait(200) == 0, author.err


def test_folder_has_one_server_at_a_time(served: League) -> None:
    second = run("serve", "--data", served.folder, "--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0")

    assert second.returncode == 2
    assert "another arena serves this folder" in second.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--grpc", "0.0.0.0:0"), "--grpc 0.0.0.0:0: tokens and cards would cross the network as plain text"),
        (("--http", "192.0.2.1:0"), "--http 192.0.2.1:0: tokens and cards would cross"),
        (("--grpc", "league:7878"), "--grpc league:7878: tokens and cards"),
        (("--grpc", "7878"), "--grpc 7878: give HOST:PORT"),
        (("--tls-cert", "x.pem"), "--tls-cert and --tls-key: give both"),
        (("--tls-cert", "x.pem", "--tls-key", "y.pem"), "y.pem: cannot be read"),
        (("--ruleset", "poker"), "unknown ruleset"),
        (("--time", "soon"), "time 'soon'"),
        (("--db", "mysql://x"), "mysql"),
    ],
)
def test_server_that_should_not_start_says_why_in_one_line(
    tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    said = run("serve", "--data", tmp_path / "league", "--log", "json", *options)

    assert (said.returncode, words in said.stderr) == (2, True), said.stderr
    assert len(said.stderr.splitlines()) == 1


def test_plain_text_for_all_the_network_is_allowed_when_it_is_said_aloud(tmp_path: Path) -> None:
    options = ServeOptions(
        data=tmp_path,
        database="",
        grpc=Address("0.0.0.0", 7878),
        http=Address("0.0.0.0", 7880),
        jobs=1,
        season=SeasonWishes(),
        sandbox=None,
    )

    with pytest.raises(ArenaError, match="--insecure"):
        check_addresses(options)
    check_addresses(replace(options, is_insecure=True))
    check_addresses(replace(options, tls=TlsFiles(tmp_path, tmp_path)))


@pytest.mark.parametrize(
    ("text", "is_of_this_machine"),
    [
        ("127.0.0.1:1", True),
        ("127.9.9.9:1", True),
        ("[::1]:1", True),
        ("localhost:1", True),
        ("0.0.0.0:1", False),
        ("[::]:1", False),
        ("192.168.0.7:1", False),
        ("localhost.example.org:1", False),
    ],
)
def test_address_that_others_can_reach_is_known(text: str, is_of_this_machine: bool) -> None:
    address = Address.parse(text, option="--grpc")

    assert (str(address), address.is_of_this_machine) == (text, is_of_this_machine)


def test_port_that_is_taken_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        for option, other in (("--grpc", "--http"), ("--http", "--grpc")):
            said = run(
                *("serve", "--data", tmp_path / "league", "--sandbox", "none", "--log", "json"),
                *(option, address, other, "127.0.0.1:0"),
            )
            assert (said.returncode, f"{option} {address}: cannot listen" in said.stderr) == (2, True)
            assert len(said.stderr.splitlines()) == 1


def test_league_of_remote_bots_takes_no_bundle(tmp_path: Path) -> None:
    with league(tmp_path / "league", "--sandbox", "none") as served:
        said = run("submit", GREEDY, "--server", served.address, token=served.token())

    assert (said.returncode, "takes no bundles" in said.stderr) == (2, True)


def test_season_keeps_what_it_began_with(tmp_path: Path) -> None:
    with league(tmp_path / "league", "--season", "spring", "--strikes", "5", "--sandbox", "none") as served:
        assert served.stop() == 0
    said = run("serve", "--data", tmp_path / "league", "--sandbox", "none", "--strikes", "4")

    assert (said.returncode, "--strikes 4: season spring is open with 5" in said.stderr) == (2, True)


def test_seasons_are_frozen_ended_and_begun_beside_a_running_server(playing: League) -> None:
    data = ("--data", playing.folder)

    assert run("season", "end", *data).returncode == 2
    assert "1: frozen" in run("season", "freeze", *data).stdout
    ended = until(
        lambda: one if (one := run("season", "end", *data)).returncode == 0 else None, "season 1 has ended"
    )
    assert "1: ended" in ended.stdout
    assert "seed: " in ended.stdout
    until(lambda: playing.ask("GetStandings", season="1").standings.is_final or None, "it is final")
    begun = run("season", "begin", "2", *data, "--replays", "after-season")
    assert "2: open" in begun.stdout
    until(lambda: playing.ask("ListMatches", season="2").matches or None, "a match of season 2")
    listed = json.loads(run("season", "list", *data, "--json").stdout)
    assert [(one["name"], one["state"], bool(one["seed"])) for one in listed] == [
        ("2", "open", False),
        ("1", "ended", True),
    ]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate for 127.0.0.1 and its key."""
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
            *("-nodes", "-keyout", folder / "key.pem", "-out", folder / "cert.pem", "-days", "2"),
            *("-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"),
        ],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.mark.needs_openssl
def test_with_tls_everything_goes_through_it_and_nothing_without(certificate: Path, tmp_path: Path) -> None:
    cert, key = certificate / "cert.pem", certificate / "key.pem"
    with league(tmp_path / "league", "--tls-cert", cert, "--tls-key", key) as served:
        token = served.token()

        submitted = run("submit", GREEDY, "--server", served.address, "--tls-ca", cert, token=token)
        stranger = run("submit", GREEDY, "--server", f"https://{served.address}", token=token)
        plain = run("submit", GREEDY, "--server", served.address, token=token)

        assert submitted.returncode == 0, submitted.stderr
        assert (stranger.returncode, plain.returncode) == (2, 2)
        assert served.http.startswith("https://")
        assert served.ask("ListBots", ca=cert).bots


@pytest.mark.needs_openssl
def test_key_of_another_certificate_is_one_line(certificate: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.pem"
    subprocess.run(["openssl", "ecparam", "-genkey", "-name", "prime256v1", "-out", other], check=True)

    said = run(
        *("serve", "--data", tmp_path / "league", "--sandbox", "none", "--log", "json"),
        *("--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0"),
        *("--tls-cert", certificate / "cert.pem", "--tls-key", other),
    )

    assert said.returncode == 2
    assert "Traceback" not in said.stderr


def playing_from_here(served: League, token: str) -> Process:
    """A bot that plays from its author's machine."""
    return Process(
        command("play", ROOT / "sample_bots" / "counting", "--server", served.address), token=token
    )


@pytest.mark.chaos
def test_bot_plays_from_its_authors_machine_through_a_restart_of_the_league(served: League) -> None:
    port = served.port
    with playing_from_here(served, served.token()) as author:
        author.line("match 1: place ")
        assert served.ask("GetBot", name="counting").bot.is_connected
        served.kill()
        author.line("dialling again")
        before = len(author.out)
        served.start(port=port)
        until(lambda: len(author.out) > before + 1 or None, "a match after the restart")
        assert any("round trip" in line for line in author.out)

        assert author.end(signal.SIGINT) == 0
        assert not any("Traceback" in line for line in author.err), author.err

    until(lambda: None if served.ask("GetBot", name="counting").bot.is_connected else True, "it has left")
    [row] = [row for row in served.ask("GetStandings").standings.rows if row.bot == "counting"]
    assert row.faults == 0


def test_bot_that_does_not_stay_is_given_up_in_one_line(served: League, tmp_path: Path) -> None:
    bad = bot_folder(tmp_path, "sleepy", program="raise SystemExit('too tired')")

    said = run("play", bad, "--server", served.address, token=served.token())

    assert said.returncode == 2
    assert said.stderr.splitlines()[-1] == "arena: sleepy does not stay: exit status 1: too tired"


def test_second_stream_of_one_bot_takes_the_place_of_the_first(served: League) -> None:
    token = served.token()
    with playing_from_here(served, token) as first:
        first.line("connected")
        with playing_from_here(served, token) as second:
            second.line("connected")
            assert first.process.wait(120) == 2
            assert "has taken the place of this one" in first.line("arena: ")


def test_bot_of_a_revoked_token_is_expelled(served: League) -> None:
    token = served.token()
    with playing_from_here(served, token) as author:
        author.line("connected")
        run("token", "revoke", token, "--data", served.folder)
        assert author.process.wait(120) == 2
        assert "is not valid here" in author.line("arena: ")


@pytest.mark.chaos
@pytest.mark.needs_postgres
def test_two_arenas_on_one_postgresql_are_one_league_and_each_goes_on_without_the_other(
    tmp_path: Path,
) -> None:
    initdb = find_program("initdb")
    assert initdb is not None
    with running(initdb) as server, contextlib.ExitStack() as held:
        url = server.url(server.make())
        first = held.enter_context(league(tmp_path / "first", "--db", url))
        second = held.enter_context(league(tmp_path / "second", "--db", url))
        token = run("token", "issue", "ann", "--db", url).stdout.strip()

        submitted = run("submit", GREEDY, "--server", first.address, token=token)
        assert submitted.returncode == 0, submitted.stderr

        assert "greedy" in [bot.name for bot in second.ask("ListBots").bots]
        until(lambda: first.events("match") or second.events("match") or None, "a match")
        first.kill()
        before = len(second.events("match"))
        until(lambda: len(second.events("match")) > before or None, "a match after that")
        assert second.stop() == 0
