"""A real client is interrupted from outside, while a tool of its runs, and says so itself.

The daemon is a process of its own, the hooks are those that `turnkeeper hooks install` installs.
"""

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.conftest import Delay
from tests.lab.asking import bearing
from tests.lab.daemon import Daemon, run_turnkeeper
from tests.lab.real_client import DIALOG_SIGN, Pane, RealClient, until

ALLOWED = {"permissions": {"allow": ["Bash(python3:*)"], "defaultMode": "default"}}
MARK = "[Request interrupted by user"


@pytest.fixture(scope="module")
def home(
    client_binary: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[RealClient, Daemon]]:
    client = RealClient(client_binary, ALLOWED)
    daemon = Daemon(tmp_path_factory.mktemp("interrupted") / "data", client.claude_dir)
    folders = ("--data", str(daemon.data), "--claude-dir", str(client.claude_dir))
    assert run_turnkeeper("hooks", "install", *folders).returncode == 0
    daemon.start()
    yield client, daemon
    client.close()
    daemon.close()


@pytest.fixture
def daemon(home: tuple[RealClient, Daemon]) -> Daemon:
    return home[1]


@pytest.fixture
def pane(home: tuple[RealClient, Daemon]) -> Iterator[Pane]:
    pane = home[0].start()
    yield pane
    pane.kill()


def interrupt(daemon: Daemon, session: str) -> dict[str, str]:
    owner = bearing(daemon.url, daemon.token)
    told: dict[str, str] = owner.post(f"/api/agents/{session}/interrupt").json()
    return told


def running(pane: Pane) -> bool:
    """Whether the client runs its tool."""
    below = pane.process.children(recursive=True)
    return any("sleep(40)" in command_of(each) for each in below)


def command_of(process: psutil.Process) -> str:
    """What a process runs; nothing, once it has ended."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def test_a_client_is_interrupted_while_a_tool_runs(
    daemon: Daemon, pane: Pane, delay: Delay
) -> None:
    pane.type("the long job @@slowtool")
    until(lambda: running(pane) or None, "the tool", instead=pane.screen)
    daemon.wait_standing(pane.session, "running")

    told = interrupt(daemon, pane.session)

    assert told["outcome"] == "delivered", told
    delay("interrupt to idle", daemon.wait_standing(pane.session, "idle"))
    until(lambda: MARK in str(pane.transcript()) or None, "the mark", instead=pane.screen)
    until(lambda: not running(pane) or None, "the tool's end", instead=pane.screen)


def test_a_dialog_is_not_turned_down(daemon: Daemon, pane: Pane) -> None:
    pane.type("make the file @@permission")
    daemon.wait_standing(pane.session, "awaiting_approval")
    pane.wait_screen(DIALOG_SIGN)

    refused = run_turnkeeper("interrupt", pane.session, "--data", str(daemon.data))

    assert refused.returncode == 5
    assert "answer it instead" in refused.stderr
    pane.answer("Enter")
    until(lambda: (pane.client.project / "made.txt").exists() or None, "the file")
