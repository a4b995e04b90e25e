"""gRPC is told how to wait only in versions that know the words."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version

import pytest

from arena.sdk.poller import settings_for

CHOOSE = """
from arena.sdk.poller import choose_poller
choose_poller()
import asyncio, os
import grpc.aio

async def dial() -> None:
    async with grpc.aio.insecure_channel("unix:///nobody"):
        print(os.environ.get("GRPC_EXPERIMENTS", "nothing was told"))

asyncio.run(dial())
"""


@pytest.mark.parametrize("grpc_version", ["1.62.1", "1.79.0", "1.86.0", "2.0.0"])
def test_version_that_has_no_choice_or_is_not_known_is_left_alone(grpc_version: str) -> None:
    assert settings_for(grpc_version) == {}


@pytest.mark.parametrize("grpc_version", ["1.80.0", "1.85.3", "1.85.0rc1"])
def test_version_that_has_the_choice_is_told(grpc_version: str) -> None:
    assert settings_for(grpc_version)


def test_what_the_operator_says_of_experiments_stands() -> None:
    chosen = _choose({"GRPC_EXPERIMENTS": ""})

    assert chosen.stdout.strip() == ""


def test_installed_grpc_takes_the_settings_without_complaint() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "GRPC_EXPERIMENTS"}

    chosen = _choose(environment, inherit=False)

    told = settings_for(version("grpcio")).get("GRPC_EXPERIMENTS", "nothing was told")
    assert chosen.stdout.strip() == told
    assert chosen.stderr == ""


def _choose(environment: dict[str, str], *, inherit: bool = True) -> subprocess.CompletedProcess[str]:
    variables = os.environ | environment if inherit else environment
    return subprocess.run(
        [sys.executable, "-c", CHOOSE], env=variables, capture_output=True, text=True, check=True
    )
