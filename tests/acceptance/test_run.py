"""`turnkeeper run`: the client behaves as without us, and is known from its start to its end."""

import json
import os
import shlex
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from tests.lab.daemon import Daemon, turnkeeper
from tests.lab.needs import need_program
from tests.lab.real_client import Json, until
from tests.lab.terminal import Terminal
from turnkeeper.sources.process_identity import start_of

CLIENT = Path(__file__).parents[1] / "lab" / "obedient_client.py"
PATIENCE_SECONDS = 10.0


@dataclass
class Desk:
    """A folder to work in, a data folder, and a client named claude."""

    root: Path
    terminals: list[Terminal] = field(default_factory=list)

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def client(self) -> Path:
        return self.root / "bin" / "claude"

    def command(self, *args: str) -> list[str]:
        return [*turnkeeper(), "run", "--data", str(self.data), "--", str(self.client), *args]

    def run(self, *args: str, **env: str) -> Terminal:
        """Run the client in a terminal, and wait until it listens."""
        terminal = Terminal(self.command(*args), cwd=self.root, env=env)
        self.terminals.append(terminal)
        terminal.wait_for("tty True True.")
        return terminal

    def records(self) -> list[Json]:
        """What `run` has left in the spool, in the order in which it happened."""
        files = (self.data / "spool").glob("*.jsonl")
        lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        return sorted(lines, key=lambda line: line["at"])

    def ended(self) -> Json:
        """The record of the only client's end."""
        launched, ended = self.records()
        assert (launched["turnkeeper_event"], ended["turnkeeper_event"]) == ("launched", "ended")
        assert (launched["pid"], launched["started"]) == (ended["pid"], ended["started"])
        return ended


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    desk.client.parent.mkdir()
    desk.client.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{CLIENT}" "$@"\n')
    desk.client.chmod(0o755)
    yield desk
    for terminal in desk.terminals:
        terminal.close()


@pytest.fixture
def asleep(desk: Desk) -> Iterator[Daemon]:
    """A daemon that does not run yet."""
    daemon = Daemon(desk.data, desk.root / ".claude")
    yield daemon
    daemon.close()


@pytest.fixture
def daemon(asleep: Daemon) -> Daemon:
    asleep.start()
    return asleep


# As if it had been started without us ---------------------------------------------------------


@pytest.mark.parametrize(("told", "status"), [("exit 0", 0), ("exit 3", 3), ("die 9", 137)])
def test_the_exit_status_is_the_clients(desk: Desk, told: str, status: int) -> None:
    terminal = desk.run()

    terminal.type(f"{told}\n")

    assert terminal.wait() == status
    assert desk.ended()["code"] == status
    assert terminal.mode() == terminal.mode_before


def test_the_client_sees_a_terminal_as_large_as_ours_and_each_change_of_it(desk: Desk) -> None:
    terminal = desk.run()

    terminal.type("size\n")
    terminal.wait_for("size 30x100.")
    terminal.resize(50, 160)

    terminal.wait_for("size 50x160.")


def test_a_key_that_interrupts_reaches_the_client_alone(desk: Desk) -> None:
    terminal = desk.run()

    terminal.type("\x03")

    terminal.wait_for("got SIGINT.")
    assert terminal.wait() == 40 + signal.SIGINT


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_sent_on_and_the_end_is_told(desk: Desk, number: signal.Signals) -> None:
    terminal = desk.run()

    terminal.send(number)

    terminal.wait_for(f"got {number.name}.")
    assert terminal.wait() == 40 + number
    assert desk.ended()["code"] == 40 + number
    assert terminal.mode() == terminal.mode_before


def test_a_closed_window_ends_the_client_and_the_end_is_told(desk: Desk) -> None:
    terminal = desk.run()

    terminal.hang_up()

    terminal.wait()
    assert desk.ended()["code"] == 40 + signal.SIGHUP


def test_a_large_paste_goes_through_while_the_client_talks(desk: Desk) -> None:
    terminal = desk.run()
    lines = [f"{number} {'x' * 900}" for number in range(400)]

    terminal.type("\n".join(lines) + "\nlast word\n")

    terminal.wait_for("heard 2 words, 9 characters.")


def test_a_client_that_is_suspended_gives_the_shell_its_terminal_back(desk: Desk) -> None:
    terminal = Terminal(["bash", "--norc", "-i"], cwd=desk.root, env={"PS1": "shell> "})
    desk.terminals.append(terminal)
    terminal.type(shlex.join(desk.command()) + "\n")
    terminal.wait_for("tty True True.")

    terminal.type("pause\n")
    terminal.wait_for("Stopped")
    terminal.wait_for("shell> ")
    terminal.type("fg\n")

    terminal.wait_for("goes on.")
    terminal.type("exit 6\n")
    terminal.wait_for("shell> ")
    terminal.type("echo status $?.\n")
    terminal.wait_for("status 6.")
    terminal.type("exit\n")
    terminal.wait()


def test_without_a_terminal_bytes_and_exit_status_pass_through(desk: Desk) -> None:
    done = subprocess.run(
        desk.command("-p", "hello"),
        input="one two\nexit 7\n",
        capture_output=True,
        text=True,
        cwd=desk.root,
        timeout=PATIENCE_SECONDS,
        check=False,
    )

    assert done.returncode == 7
    assert "tty False False." in done.stdout
    assert "heard 2 words" in done.stdout
    assert desk.ended()["code"] == 7


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_without_a_terminal_signals_are_sent_on(desk: Desk, number: signal.Signals) -> None:
    with subprocess.Popen(
        desk.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=desk.root, text=True
    ) as running:
        assert running.stdout is not None
        assert "tty" in running.stdout.readline()

        running.send_signal(number)

        assert running.stdout.readline() == f"got {number.name}.\n"
        assert running.wait(PATIENCE_SECONDS) == 40 + number
    assert desk.ended()["code"] == 40 + number


def test_the_environment_is_ours_without_the_traces_of_another_client(desk: Desk) -> None:
    told = desk.root / "told.json"
    terminal = desk.run(
        CLAUDECODE="1",
        CLAUDE_PID="77",
        CLAUDE_CODE_SESSION_ID="another",
        CLAUDE_CODE_OAUTH_TOKEN="secret",
        CLAUDE_CONFIG_DIR=str(desk.root / ".claude"),
    )

    terminal.type(f"environment {told}\n")
    terminal.wait_for("environment told.")

    seen = json.loads(told.read_text())
    assert not {"CLAUDECODE", "CLAUDE_PID", "CLAUDE_CODE_SESSION_ID"} & set(seen)
    assert seen["CLAUDE_CODE_OAUTH_TOKEN"] == "secret"
    assert seen["CLAUDE_CONFIG_DIR"] == str(desk.root / ".claude")


def test_a_program_that_is_missing_is_named(desk: Desk) -> None:
    desk.client.unlink()

    done = subprocess.run(desk.command(), capture_output=True, text=True, check=False)

    assert done.returncode == 127
    assert f"{desk.client} cannot be run" in done.stderr


# Without a daemon -----------------------------------------------------------------------------


def test_without_a_daemon_the_records_wait_and_only_their_owner_reads_them(desk: Desk) -> None:
    terminal = desk.run()
    [launched] = desk.records()

    client = psutil.Process(terminal.process.pid).children()[0]
    [file] = (desk.data / "spool").iterdir()
    assert file.name == f"{launched['session_id']}.{terminal.process.pid}.jsonl"
    assert (launched["pid"], launched["started"]) == (client.pid, start_of(client.pid))
    assert launched["cwd"] == str(desk.root)
    assert stat.S_IMODE(desk.data.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_spool_that_cannot_be_written_disturbs_nobody(desk: Desk) -> None:
    desk.data.mkdir()
    (desk.data / "spool").write_text("a file stands in the way")
    terminal = desk.run()

    terminal.type("exit 3\n")

    assert terminal.wait() == 3


# With a daemon --------------------------------------------------------------------------------


def launched_session(desk: Desk, *args: str) -> tuple[Terminal, str]:
    terminal = Terminal(desk.command(*args), cwd=desk.root)
    desk.terminals.append(terminal)
    terminal.wait_for("client ")
    found: list[str] = []

    def look() -> bool:
        children = psutil.Process(terminal.process.pid).children()
        found[:] = [word for child in children for word in child.cmdline()]
        return "--session-id" in found

    until(look, "a client with a session")
    terminal.wait_for("tty True True.")
    return terminal, found[found.index("--session-id") + 1]


def hook(desk: Desk, session: str, event: str, **more: str) -> None:
    """Leave what a hook of the client would leave."""
    payload = {"hook_event_name": event, "session_id": session, "cwd": str(desk.root), **more}
    (desk.data / "spool" / f"{session}.1.jsonl").write_text(json.dumps(payload) + "\n")


def number_of(daemon: Daemon, session: str) -> int:
    card = daemon.card(session)
    assert card is not None
    return card.id


def test_a_client_is_starting_until_it_speaks_and_closed_once_it_ends(
    desk: Desk, daemon: Daemon
) -> None:
    terminal, session = launched_session(desk)
    daemon.wait_standing(session, "starting")
    placeholder = number_of(daemon, session)

    hook(desk, session, "SessionStart", source="startup")
    daemon.wait_standing(session, "idle")
    assert number_of(daemon, session) == placeholder

    terminal.type("exit 0\n")
    daemon.wait_standing(session, "closed")
    assert terminal.wait() == 0
    assert len(daemon.board.cards()) == 1


def test_a_client_that_ends_closes_its_own_session_and_no_other(desk: Desk, daemon: Daemon) -> None:
    first, one = launched_session(desk)
    _, other = launched_session(desk)
    daemon.wait_standing(one, "starting")
    daemon.wait_standing(other, "starting")

    first.type("exit 0\n")

    daemon.wait_standing(one, "closed")
    assert number_of(daemon, one) != number_of(daemon, other)
    daemon.wait_standing(other, "starting")


def test_an_end_that_nobody_could_tell_is_seen(desk: Desk, daemon: Daemon) -> None:
    terminal, session = launched_session(desk)
    daemon.wait_standing(session, "starting")

    terminal.send(signal.SIGKILL)
    terminal.wait()

    daemon.wait_standing(session, "closed")


def test_a_run_before_the_daemon_came_is_known_when_it_comes(desk: Desk, asleep: Daemon) -> None:
    over, ended = launched_session(desk)
    over.type("exit 0\n")
    over.wait()
    _, session = launched_session(desk)

    asleep.start()

    asleep.wait_standing(session, "starting")
    asleep.wait_standing(ended, "closed")


# In tmux --------------------------------------------------------------------------------------


@pytest.fixture
def tmux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """A tmux of this test's own."""
    need_program("tmux", "apt-get install tmux")
    monkeypatch.setenv("TMUX_TMPDIR", str(tmp_path))

    def tell(*args: str) -> str:
        done = subprocess.run(["tmux", *args], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    yield tell
    subprocess.run(["tmux", "kill-server"], capture_output=True, check=False)


def run_in_tmux(desk: Desk, **env: str) -> str:
    command = [*turnkeeper(), "run", "--data", str(desk.data), "--tmux", "--", str(desk.client)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=desk.root,
        env={**os.environ, **env},
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_outside_tmux_a_session_is_made_and_one_is_told_how_to_get_there(
    desk: Desk, tmux: Callable[..., str]
) -> None:
    told = desk.root / "told.json"

    said = run_in_tmux(desk, ANTHROPIC_API_KEY="not on any command line")

    session = said.rpartition("tmux attach -t ")[2]
    until(lambda: "tty True True." in tmux("capture-pane", "-pJ", "-t", session), "a client")
    tmux("send-keys", "-t", session, f"environment {told}", "Enter")
    until(told.exists, "its environment")
    until(lambda: "environment told." in tmux("capture-pane", "-pJ", "-t", session), "all of it")
    assert json.loads(told.read_text())["ANTHROPIC_API_KEY"] == "not on any command line"
    assert list((desk.data / "runs").iterdir()) == []


def test_inside_tmux_a_window_is_opened_beside_ours(desk: Desk, tmux: Callable[..., str]) -> None:
    tmux("new-session", "-d", "-s", "work", "cat")
    socket = tmux("display", "-p", "-t", "work", "#{socket_path},#{pid},0")

    said = run_in_tmux(desk, TMUX=socket)

    assert said == "claude runs in tmux window work:1"
    until(lambda: "tty True True." in tmux("capture-pane", "-pJ", "-t", "work:1"), "a client")
