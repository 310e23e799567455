"""`up --detach`, `stop` and `status`: the daemon comes, says how it is, and goes."""

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.lab.daemon import Daemon, run_turnkeeper, turnkeeper
from tests.lab.real_client import until
from turnkeeper.daemon.lock import Lock
from turnkeeper.daemon.settings import Settings
from turnkeeper.sources.process_identity import alive, start_of

Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Home:
    root: Path

    @property
    def data(self) -> Path:
        return self.root / "data"

    def up(self, *more: str) -> Done:
        folder = ("--claude-dir", str(self.root / ".claude"))
        return self.tell("up", "--detach", "--no-browser", *folder, *(more or ("--port", "0")))

    def tell(self, verb: str, *more: str) -> Done:
        return run_turnkeeper(verb, "--data", str(self.data), *more)

    def status(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self.tell("status", "--json").stdout)
        return said


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path)
    yield home
    home.tell("stop")


def test_a_daemon_that_is_started_in_the_background_is_ready_and_stays(home: Home) -> None:
    started = home.up()

    status = home.status()
    assert started.returncode == 0, started.stderr
    assert started.stdout.startswith("turnkeeper ready")
    assert status["running"]
    assert status["url"] in started.stdout
    assert alive(status["pid"], "")
    assert os.getsid(status["pid"]) == status["pid"]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a person's browser writes down what it was told to open."""
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" >> "{opened}"\n')
    browser.chmod(0o700)
    monkeypatch.setenv("BROWSER", str(browser))
    return opened


@contextmanager
def in_front(home: Home, *more: str) -> Iterator[Path]:
    """A daemon that is started as a person does it; what it prints is in this file."""
    said = home.root / "said"
    folders = ("--data", str(home.data), "--claude-dir", str(home.root / ".claude"))
    words = [*turnkeeper(), "up", "--port", "0", *folders, *more]
    with said.open("wb") as out, subprocess.Popen(words, stdout=out) as process:
        try:
            until(lambda: "keeping in" in said.read_text() or None, "ready", instead=said.read_text)
            yield said
        finally:
            process.terminate()


def test_up_opens_the_link_that_it_prints(home: Home, opened: Path) -> None:
    with in_front(home) as said:
        link = until(lambda: (opened.exists() and opened.read_text()) or None, "a browser")

        assert f"gets in once by {link}" in said.read_text()


def test_up_opens_no_browser_where_none_is_wanted(home: Home, opened: Path) -> None:
    with in_front(home, "--no-browser") as said:
        assert "gets in once by http" in said.read_text()

    assert not opened.exists()


def test_a_second_one_says_where_the_first_is(home: Home) -> None:
    home.up()
    first = home.status()

    second = home.up()

    assert second.returncode == 0
    assert first["url"] in second.stdout
    assert home.status() == first


def test_a_daemon_that_cannot_start_says_why(home: Home) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        port = other.getsockname()[1]

        started = home.up("--port", str(port))

    assert started.returncode == 1
    assert f"Cannot listen on 127.0.0.1:{port}" in started.stderr
    assert not home.status()["running"]


def test_a_folder_that_cannot_be_used_is_named_at_once(home: Home) -> None:
    home.data.mkdir()
    (home.data / "logs").mkdir()
    (home.data / "journal.db").write_text("this is no database")

    started = home.up()

    assert started.returncode == 1
    assert "journal.db" in started.stderr
    assert list((home.data / "logs").glob("up.*")) == []


def test_stopping_ends_it_and_frees_the_folder(home: Home) -> None:
    home.up()
    pid = home.status()["pid"]
    started = start_of(pid) or ""

    stopped = home.tell("stop")

    assert stopped.returncode == 0
    assert stopped.stdout == f"turnkeeper stopped (pid {pid} on {home.data})\n"
    assert not alive(pid, started)
    assert not (home.data / "daemon.json").exists()
    assert home.up().returncode == 0


def test_stopping_nobody_says_so(home: Home) -> None:
    stopped = home.tell("stop")

    assert stopped.returncode == 3
    assert "No daemon runs" in stopped.stderr
    assert not home.data.exists()


def test_a_note_of_a_killed_daemon_never_strikes_another_process(home: Home) -> None:
    """Its pid may be anyone's: here it is a bystander's, and a rebuild holds the folder."""
    home.data.mkdir()
    held = Lock(Settings(home.data, (), "here"))
    held.take()
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as bystander:
        note = {"pid": bystander.pid, "started": "1"}
        (home.data / "daemon.json").write_text(json.dumps(note))

        assert home.status()["pid"] is None
        # It would wait for ten seconds for the daemon to say who it is.
        held.close()
        assert home.tell("stop").returncode == 3
        assert bystander.poll() is None


def test_status_tells_agents_and_positions(home: Home, tmp_path: Path) -> None:
    session = "5413d6c7-305f-49b6-aa4c-b1ad0b89fa6a"
    hook = {"hook_event_name": "SessionStart", "session_id": session, "source": "startup"}
    with closing(Daemon(home.data, tmp_path / ".claude")) as daemon:
        daemon.start()
        (home.data / "spool" / f"{session}.1.jsonl").write_text(json.dumps(hook) + "\n")
        daemon.wait_standing(session, "idle")

        status = home.status()
        shown = home.tell("status").stdout

    assert status["agents"] == {"idle": 1}
    assert (status["position"], status["board"], status["lag"]) == (1, 1, 0)
    assert status["folders"] == [str(tmp_path / ".claude")]
    assert "▶ runs" in shown
    assert "1 idle" in shown


def test_status_of_a_daemon_that_does_not_run_still_tells_what_was_kept(home: Home) -> None:
    home.up()
    home.tell("stop")

    status = home.tell("status")

    assert status.returncode == 3
    assert "■ does not run" in status.stdout
    assert str(home.data) in "".join(status.stdout.split())
