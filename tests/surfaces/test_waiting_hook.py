"""The hook's own script, run as a client runs it: it never fails, and it finds the daemon again."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.conftest import Delay
from tests.lab.asking import Caller, bearing
from tests.lab.daemon import Daemon
from tests.lab.offering import Json, closed, permission, queue, shown, waiting
from tests.lab.real_client import until
from turnkeeper.sources import claude_waiting_hook
from turnkeeper.sources.claude_hook_commands import WAITING_HOOK

ALLOWED = {
    "hookSpecificOutput": {
        "hookEventName": "PermissionRequest",
        "decision": {"behavior": "allow"},
    }
}
IMPATIENT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import claude_waiting_hook
claude_waiting_hook.main(Path(sys.argv[1]), float(sys.argv[3]))
"""
PATIENCE = 0.3
A_MOMENT = 2.0
"""Seconds: the client waits for no hook here, but its process should not linger."""


class Script:
    """The script beside a client that asks for leave."""

    def __init__(self, data: Path, payload: Json, *run: str) -> None:
        self.session: str = payload["session_id"]
        run = run or (str(WAITING_HOOK), str(data))
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", *run],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "CLAUDE_CODE_SESSION_ID": self.session},
        )
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(payload).encode())
        self._process.stdin.close()
        self._process.stdin = None

    def ended(self) -> tuple[int, bytes]:
        """Wait for its end: how it ended and what it printed. It never complains."""
        out, complaints = self._process.communicate(timeout=10)
        assert complaints == b""
        return self._process.returncode, out

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate(timeout=10)


def impatient(data: Path, payload: Json) -> Script:
    """The same script, for a person who does not wait a minute for the next daemon."""
    return Script(
        data, payload, "-c", IMPATIENT, str(data), str(WAITING_HOOK.parent), str(PATIENCE)
    )


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path / "data", tmp_path / "claude")
    daemon.start()
    yield daemon
    daemon.close()


def caller(daemon: Daemon) -> Caller:
    """Whoever asks this daemon, at the address it has now."""
    return bearing(daemon.url, daemon.token)


def allow(daemon: Daemon, ask: Json) -> int:
    said = json.dumps({"decision": "allow"}).encode()
    return caller(daemon).post(f"/api/asks/{ask['id']}/answer", said).status


def spooled(data: Path) -> list[Json]:
    files = sorted((data / "spool").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_the_script_prints_the_answer_and_ends(daemon: Daemon, delay: Delay) -> None:
    script = Script(daemon.data, permission(str(uuid4())))
    ask = waiting(caller(daemon), script.session)

    began = time.monotonic()
    assert allow(daemon, ask) == 200
    code, out = script.ended()
    delay("answer to printed", time.monotonic() - began)

    assert (code, json.loads(out)) == (0, ALLOWED)


def test_the_script_ends_silently_when_the_terminal_was_first(daemon: Daemon) -> None:
    script = Script(daemon.data, permission(str(uuid4())))
    ask = waiting(caller(daemon), script.session)

    done = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "t-1"}
    said = json.dumps({**done, "session_id": script.session}).encode()
    caller(daemon).post("/api/hooks/claude", said)

    assert script.ended() == (0, b"")
    assert closed(caller(daemon), ask)["outcome"] == "terminal"
    assert spooled(daemon.data) == []


def test_a_script_that_is_killed_leaves_the_ask_to_the_terminal(daemon: Daemon) -> None:
    script = Script(daemon.data, permission(str(uuid4())))
    ask = waiting(caller(daemon), script.session)

    script.kill()

    assert waiting(caller(daemon), script.session, answerable=False)["id"] == ask["id"]


def test_without_a_daemon_the_script_ends_at_once_and_spools(tmp_path: Path, delay: Delay) -> None:
    (tmp_path / "spool").mkdir()
    session = str(uuid4())

    began = time.monotonic()
    assert Script(tmp_path, permission(session)).ended() == (0, b"")
    took = time.monotonic() - began

    delay("no daemon, to the script's end", took)
    assert took < A_MOMENT
    [kept] = spooled(tmp_path)
    assert (kept["session_id"], kept["hook_event_name"]) == (session, "PermissionRequest")


@pytest.mark.parametrize("said", [b"", b"nothing that is JSON", b"[]", b"\xff"])
def test_whatever_it_is_told_the_script_exits_0_and_says_nothing(
    tmp_path: Path, said: bytes
) -> None:
    command = [sys.executable, "-I", "-S", str(WAITING_HOOK), str(tmp_path)]
    done = subprocess.run(command, input=said, capture_output=True, check=False, timeout=10)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_where_a_killed_daemon_listened_nobody_is_told_anything(tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir()
    (tmp_path / "daemon.lock").touch()
    (tmp_path / "token").write_text("a secret")
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        stranger.setblocking(False)
        address = f"http://127.0.0.1:{stranger.getsockname()[1]}/"
        (tmp_path / "daemon.json").write_text(json.dumps({"url": address}))

        assert Script(tmp_path, permission(str(uuid4()))).ended() == (0, b"")

        with pytest.raises(BlockingIOError):
            stranger.accept()
    assert len(spooled(tmp_path)) == 1


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_script_finds_the_next_daemon_and_is_the_same_ask(
    daemon: Daemon, end: str, delay: Delay
) -> None:
    script = Script(daemon.data, permission(str(uuid4())))
    ask = waiting(caller(daemon), script.session)

    began = time.monotonic()
    getattr(daemon, end)()
    took = time.monotonic() - began
    daemon.start()
    again = shown(caller(daemon), ask)
    assert allow(daemon, ask) == 200
    code, out = script.ended()

    delay(f"{end} with a waiting hook", took)
    assert took < 5
    assert (again["id"], again["answerable"], again["outcome"]) == (ask["id"], True, None)
    assert (code, json.loads(out)) == (0, ALLOWED)
    assert len(all_asks(daemon)) == 1


def all_asks(daemon: Daemon) -> list[Json]:
    found: list[Json] = caller(daemon).get("/api/asks?closed_since=1h").json()
    return found


def test_a_daemon_that_stops_says_nothing_of_the_hooks_it_leaves(daemon: Daemon) -> None:
    script = Script(daemon.data, permission(str(uuid4())))
    waiting(caller(daemon), script.session)

    daemon.stop()

    assert daemon.told().splitlines()[-1] == "turnkeeper stopped"
    assert "ASGI" not in daemon.told()
    assert script.runs
    script.kill()


def test_an_answer_given_while_the_script_is_away_reaches_it(daemon: Daemon) -> None:
    """The daemon is killed with the answer in its journal: the script comes back for it."""
    script = Script(daemon.data, permission(str(uuid4())))
    ask = waiting(caller(daemon), script.session)
    script.signal(signal.SIGSTOP)
    daemon.kill()
    daemon.start()

    assert allow(daemon, ask) == 200
    script.signal(signal.SIGCONT)

    code, out = script.ended()
    assert (code, json.loads(out)) == (0, ALLOWED)


def test_a_script_that_gives_up_has_spooled_and_adds_no_second_ask(daemon: Daemon) -> None:
    script = impatient(daemon.data, permission(str(uuid4())))
    ask = waiting(caller(daemon), script.session)

    daemon.kill()
    assert script.ended() == (0, b"")
    [kept] = spooled(daemon.data)
    daemon.start()
    until(lambda: spooled(daemon.data) == [] or None, "the spool being read")

    assert kept["session_id"] == script.session
    assert [each["id"] for each in queue(caller(daemon))] == [ask["id"]]
    assert len(all_asks(daemon)) == 1


def test_a_script_that_has_waited_long_still_looks_for_the_next_daemon(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("a token")
    told = b"HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\ndecided"
    with (tmp_path / "daemon.lock").open("w") as lock, socket.create_server(("", 0)) as server:
        fcntl.flock(lock, fcntl.LOCK_EX)
        server.settimeout(10)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        (tmp_path / "daemon.json").write_text(json.dumps({"url": address}))

        def serve() -> None:
            first, _ = server.accept()
            with first:
                first.recv(10_000)
                threading.Event().wait(2 * PATIENCE)
            second, _ = server.accept()
            with second:
                second.recv(10_000)
                second.sendall(told)

        serving = threading.Thread(target=serve)
        serving.start()
        decision = claude_waiting_hook.asked(tmp_path, b"{}", PATIENCE)
        serving.join()

    assert decision == b"decided"


def test_a_daemon_that_wants_no_offer_gets_a_spool_file(daemon: Daemon) -> None:
    (daemon.data / "token").write_text("a token that nobody made")

    script = Script(daemon.data, permission(str(uuid4())))

    assert script.ended() == (0, b"")
