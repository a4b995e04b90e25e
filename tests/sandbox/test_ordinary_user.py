"""The same attacks when the arena belongs to an ordinary user, for whom bubblewrap makes a user namespace.

Only root can become another user; anybody else's `test_attacks` is this test already.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bubblewrap import Bubblewrap
from tests.sandbox.attacks import ATTACKS

CHECKOUT = Path(__file__).parents[2]
PYTHON = Path("/usr/bin/python3")
USER = "54321"

pytestmark = [
    pytest.mark.may_skip,
    pytest.mark.timeout(180),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user"),
]


@pytest.fixture(scope="module")
def outcomes(sandbox: Bubblewrap) -> dict[str, Any]:
    _skip_where_that_user_has_no_python()
    with tempfile.TemporaryDirectory(prefix="arena-user-") as folder:
        Path(folder).chmod(0o755)
        os.chown(folder, int(USER), int(USER))
        done = subprocess.run(
            [
                *("/usr/bin/setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"),
                *(PYTHON, "-m", "tests.sandbox.as_user", folder),
            ],
            cwd=CHECKOUT,
            env={"PATH": "/usr/bin:/bin", "HOME": folder, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _skip_where_that_user_has_no_python() -> None:
    test = "import sys, tests; sys.exit(sys.version_info < (3, 11))"
    as_user = ["/usr/bin/setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
    tried = subprocess.run([*as_user, PYTHON, "-c", test], cwd=CHECKOUT, capture_output=True, check=False)
    if tried.returncode:
        pytest.skip("an ordinary user has no Python >= 3.11 here, or may not read this checkout")


def test_sandbox_is_a_user_namespace(outcomes: dict[str, Any]) -> None:
    assert outcomes["sandbox"]["said"].startswith("bwrap (user namespace; ")


@pytest.mark.parametrize("name", [attack.name for attack in ATTACKS])
def test_attack_fails_inside(name: str, outcomes: dict[str, Any]) -> None:
    outcome = outcomes[name]

    assert not outcome["worked"], outcome["said"]
    assert "Traceback" not in outcome["said"]
    assert "sandbox could not" not in outcome["reason"], outcome["said"]
