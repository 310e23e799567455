"""A person who starts the daemon on a long past sees how far it has come; a script sees nothing."""

import os
import pty
import signal
import subprocess
import uuid
from pathlib import Path

import pytest

from tests.lab.daemon import turnkeeper
from tests.lab.real_client import until

RECORDED = Path(__file__).parents[1] / "recordings" / "2.1.325" / "tool_call" / "transcripts"
SAID = "reading what was said before"


@pytest.fixture
def long_past(tmp_path: Path) -> Path:
    """A client's folder with thirty sessions in it."""
    claude_dir = tmp_path / "claude"
    project = claude_dir / "projects" / "-home-dev-project"
    project.mkdir(parents=True)
    text = next(RECORDED.glob("*/*.jsonl")).read_text()
    for _ in range(30):
        (project / f"{uuid.uuid4()}.jsonl").write_text(text)
    return claude_dir


def up(claude_dir: Path, data: Path, stderr: int) -> subprocess.Popen[bytes]:
    options = ["--port", "0", "--no-browser", "--data", str(data), "--claude-dir", str(claude_dir)]
    return subprocess.Popen([*turnkeeper(), "up", *options], stderr=stderr, stdout=stderr)


def end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    process.wait(10)


def read_history(data: Path) -> bool:
    log = data / "logs" / "turnkeeper.log"
    return log.exists() and "history.read" in log.read_text()


def test_a_person_sees_a_bar(long_past: Path, tmp_path: Path) -> None:
    terminal, other_end = pty.openpty()
    daemon = up(long_past, tmp_path / "data", other_end)
    os.close(other_end)
    seen = b""

    while SAID.encode() not in seen:
        seen += os.read(terminal, 4096)

    end(daemon)
    os.close(terminal)
    assert b"/30" in seen


def test_a_script_sees_none(long_past: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with (tmp_path / "out").open("wb") as out:
        daemon = up(long_past, data, out.fileno())

    until(lambda: read_history(data), "all of it read", seconds=10)

    end(daemon)
    assert SAID not in (tmp_path / "out").read_text()
