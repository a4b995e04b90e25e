"""Smart Bots servers play at a real table, unchanged; what they do wrong is their fault, in words."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from arena.bots.bubblewrap import Bubblewrap, SandboxError, find_bubblewrap
from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import Entrant, load_bot
from arena.bots.smart_bots import server
from arena.bots.smart_bots.server import CUSTOMARY_PORT, Server, ServerEnded
from arena.rules import Seed
from arena.v1 import game_pb2, record_pb2
from tests.bots.processes import nobody_works_in, until
from tests.cli.commands import arena
from tests.smart_bots.stubs import node_bot, python_bot, smart_bot
from tests.tournament.tables import play_table

SEED = Seed.parse("5")
House = list[Entrant]


@pytest.fixture
def house() -> House:
    return [load_bot(path) for path in HOUSE_BOTS.values()]


async def only_match(bots: list[Entrant], folder: Path, **options: object) -> record_pb2.MatchRecord:
    [record] = await play_table(bots, seed=SEED, log_dir=folder, **options)  # type: ignore[arg-type]
    return record


def faults(record: record_pb2.MatchRecord) -> list[tuple[str, str]]:
    return [
        (game_pb2.FaultKind.Name(fault.kind).removeprefix("FAULT_KIND_"), fault.detail)
        for fault in record.faults
    ]


@pytest.fixture(scope="module")
def bwrap() -> Bubblewrap:
    try:
        return find_bubblewrap()
    except SandboxError as error:
        pytest.skip(str(error))


@pytest.mark.needs_node
@pytest.mark.parametrize("freeze", [False, True], ids=["", "frozen"])
async def test_two_http_bots_play_whole_matches_with_two_grpc_bots(
    freeze: bool, tmp_path: Path, house: House
) -> None:
    bots = [python_bot(tmp_path), house[0], node_bot(tmp_path), house[2]]

    records = await play_table(bots, seed=SEED, log_dir=tmp_path, rounds=3, rotations=(0, 1), freeze=freeze)

    assert [faults(record) for record in records] == [[], []]
    assert [len(record.rounds) for record in records] == [3, 3]


@pytest.mark.needs_node
@pytest.mark.parametrize("freeze", [False, True], ids=["", "frozen"])
async def test_http_bots_play_in_the_sandbox_each_with_the_customary_port_to_itself(
    freeze: bool, tmp_path: Path, house: House, bwrap: Bubblewrap
) -> None:
    port = str(CUSTOMARY_PORT)
    bots = [python_bot(tmp_path, port=port), house[0], node_bot(tmp_path, port=port), house[2]]

    record = await only_match(bots, tmp_path, sandbox=bwrap, freeze=freeze)

    assert faults(record) == []


@pytest.mark.parametrize("freeze", [False, True], ids=["", "frozen"])
async def test_server_that_is_late_once_is_asked_for_every_turn_after_it(
    freeze: bool, tmp_path: Path, house: House
) -> None:
    bot = python_bot(tmp_path, "late once")

    record = await only_match([bot, *house], tmp_path, time_control="1+1", freeze=freeze)

    assert [kind for kind, _ in faults(record)] in (["TIMEOUT"], ["TIMEOUT", "TIMEOUT"])
    assert not record.seats[0].forfeited


@pytest.mark.slow
@pytest.mark.parametrize("port", ["{port}", str(CUSTOMARY_PORT)], ids=["any port", "customary port"])
async def test_server_that_hangs_costs_its_match_one_decision_and_later_matches_nothing(
    port: str, tmp_path: Path, house: House, bwrap: Bubblewrap
) -> None:
    bot = python_bot(tmp_path, "hangs at the last card", port=port)

    records = await play_table(
        [bot, *house], seed=SEED, log_dir=tmp_path, sets=2, time_control="1+1", sandbox=bwrap
    )

    assert [[kind for kind, _ in faults(record)] for record in records] == [["TIMEOUT"]] * 2
    assert [record.seats[0].forfeited for record in records] == [False] * 2


@pytest.mark.slow
@pytest.mark.parametrize("program", ["server.py", "reloader.py"])
async def test_server_is_ended_with_all_that_it_started(program: str, tmp_path: Path, house: House) -> None:
    bot = smart_bot(tmp_path, "python", program, "{port}", "hangs at the last card")

    records = await play_table([bot, *house], seed=SEED, log_dir=tmp_path, sets=2, time_control="1+1")

    assert [[kind for kind, _ in faults(record)] for record in records] == [["TIMEOUT"]] * 2
    await until(lambda: nobody_works_in(tmp_path))


@pytest.mark.parametrize(
    ("manner", "fault"),
    [
        ("fails", ("MALFORMED", "HTTP 500: no idea")),
        ("talks", ("MALFORMED", 'HTTP 200: {"value": ...} was wanted, not certainly')),
        ("wrong type", ("MALFORMED", 'bid "3": a whole number was wanted')),
        ("bids minus one", ("MALFORMED", "bid -1: a whole number was wanted")),
        ("bids nought", ("ILLEGAL_CALL", "seat 0 called 0: 1 to 8 may be called")),
        ("unknown card", ("MALFORMED", 'played "AS": a card such as "TS" or "1S" was wanted')),
        ("a number", ("MALFORMED", 'played 12: a card such as "TS" or "1S" was wanted')),
        ("forgets", ("ILLEGAL_CARD", "it was not in hand")),
        ("hangs up", ("MALFORMED", "no answer to POST /play: RemoteDisconnected")),
        ("dies", ("CRASHED", "the bot's server ended at POST /play: exit status 3")),
    ],
)
async def test_what_the_server_does_wrong_is_its_fault_in_words(
    manner: str, fault: tuple[str, str], tmp_path: Path, house: House
) -> None:
    record = await only_match([python_bot(tmp_path, manner), *house], tmp_path)

    kind, detail = faults(record)[0]
    assert kind == fault[0]
    assert fault[1] in detail


async def test_server_that_never_says_hi_is_never_ready(tmp_path: Path, house: House) -> None:
    lost: list[tuple[str, str]] = []

    await play_table(
        [python_bot(tmp_path, "never up"), *house],
        seed=SEED,
        log_dir=tmp_path,
        startup_s=3.0,
        on_loss=lambda bot, kind, detail: lost.append((bot, kind)),
    )

    assert set(lost) == {("smart", "NEVER_READY")}


async def test_server_that_ends_before_it_is_up_is_told_by_its_exit(tmp_path: Path, house: House) -> None:
    lost: list[tuple[str, str, str]] = []

    await play_table(
        [smart_bot(tmp_path, "python", "-c", "raise SystemExit(4)"), *house],
        seed=SEED,
        log_dir=tmp_path,
        on_loss=lambda bot, kind, detail: lost.append((bot, kind, detail)),
    )

    bot, kind, detail = lost[0]
    assert (bot, kind) == ("smart", "CRASHED")
    assert "the bot's server ended before it said 200 to GET /hi: exit status 4" in detail


def test_port_that_somebody_has_is_named_with_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "PORT_S", 0.1)
    with socket.socket() as somebody:
        somebody.bind(("127.0.0.1", 0))
        somebody.listen()
        port = somebody.getsockname()[1]
        monkeypatch.setattr(server, "CUSTOMARY_PORT", port)

        with pytest.raises(
            ServerEnded, match=rf"^port {port} is taken: play in the sandbox, or put {{port}}"
        ):
            Server(["python", "server.py"])


@pytest.mark.parametrize("sandbox", ["none", "bwrap"])
def test_check_walks_an_http_bot_through_every_case(
    sandbox: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], bwrap: Bubblewrap
) -> None:
    bot = python_bot(tmp_path)

    said = arena(capsys, "check", bot.folder, "--sandbox", sandbox, "--json")

    document = json.loads(said.out)
    assert (said.status, document["findings"]) == (0, [])
    assert document["cases"] > 50


def test_bridge_takes_its_leave_though_the_server_hangs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = python_bot(tmp_path, "hangs at the last card")

    said = arena(
        capsys,
        *("check", bot.folder, "--sandbox", "none", "--ruleset", "callbreak", "--time", "0.1+0", "--json"),
    )

    kinds = {each["kind"] for each in json.loads(said.out)["findings"] if each["severity"] == "error"}
    assert (said.status, kinds) == (1, {"TIMEOUT"}), said.out


def test_check_tells_what_an_http_bot_does_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = python_bot(tmp_path, "talks")

    said = arena(capsys, "check", bot.folder, "--sandbox", "none")

    assert said.status == 1
    assert 'MALFORMED: the answer holds neither a call nor a card: HTTP 200: {"value": ...} was' in said.out


@pytest.mark.slow
@pytest.mark.needs_node
@pytest.mark.parametrize("sandbox", ["none", "bwrap"])
def test_tournament_of_two_http_bots_and_two_grpc_bots_has_no_fault(
    sandbox: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], bwrap: Bubblewrap
) -> None:
    bots = tmp_path / "bots"
    bots.mkdir()
    python_bot(bots)
    node_bot(bots)

    said = arena(
        capsys,
        *("tournament", "--bots", bots, "--out", tmp_path / "run", "--sandbox", sandbox),
        *("--rule", "rounds=2", "--sets", 1, "--time", "5+10", "--strict"),
    )

    assert said.status == 0, said.err
    assert all(name in said.out for name in ("smart", "node", "house-"))
