"""What goes wrong around a daemon is told in a sentence, costs nothing acknowledged, and passes."""

import shutil
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from tests.conftest import Delay
from tests.lab.asking import Caller, bearing
from tests.lab.daemon import Daemon, turnkeeper
from tests.lab.real_client import until
from tests.lab.served import prompt

HOOKS = "/api/hooks/claude"
STOPS_WITHIN = 10.0
TEXT = "w" * 60_000
NO_DATABASE = b"this is no database" * 1000


def up(data: Path, *options: str) -> list[str]:
    said = ["up", "--no-browser", "--data", str(data), "--claude-dir", str(data.parent / "claude")]
    return [*turnkeeper(), *said, *(options or ("--port", "0"))]


def tried(data: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Try to start a daemon that cannot, or need not."""
    return subprocess.run(
        up(data, *options), capture_output=True, text=True, check=False, timeout=30
    )


def may_mount() -> bool:
    unshare = shutil.which("unshare")
    mount = ["-rm", "true"]
    return unshare is not None and not subprocess.run([unshare, *mount], check=False).returncode


can_mount = pytest.mark.skipif(not may_mount(), reason="needs `unshare -rm` for a disk of its own")


def sentence(told: str) -> str:
    """What was said, if it is a sentence and no traceback."""
    assert told.startswith("turnkeeper: ")
    assert "Traceback" not in told
    return told


# Before it runs ---------------------------------------------------------------------------------


def test_a_taken_port_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        done = tried(tmp_path / "data", "--port", port)

    assert done.returncode == 1
    assert f"Cannot listen on 127.0.0.1:{port}" in sentence(done.stderr)
    assert "--port" in done.stderr


def test_a_second_daemon_says_where_the_first_is(daemon: Daemon) -> None:
    done = tried(daemon.data)

    assert done.returncode == 0
    assert daemon.url in done.stdout


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    done = tried(tmp_path / "file" / "data")

    assert done.returncode == 1
    assert "cannot be used: Not a directory" in sentence(done.stderr)


@can_mount
def test_a_read_only_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    script = f'mount -t tmpfs -o ro tmpfs {tmp_path / "data"} && exec "$@"'

    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, "sh", *up(tmp_path / "data")],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )

    assert done.returncode == 1
    assert "cannot be used: Read-only file system" in sentence(done.stderr)


def test_a_damaged_journal_is_told_and_left_alone(tmp_path: Path) -> None:
    journal = tmp_path / "data" / "journal.db"
    journal.parent.mkdir()
    journal.write_bytes(NO_DATABASE)

    done = tried(tmp_path / "data")

    assert done.returncode == 1
    assert "it is not a database" in sentence(done.stderr)
    assert journal.read_bytes() == NO_DATABASE


def test_a_damaged_board_is_made_anew(tmp_path: Path) -> None:
    session = str(uuid4())
    daemon = Daemon(tmp_path / "data", tmp_path / "claude")
    daemon.start()
    bearing(daemon.url, daemon.token).post(HOOKS, prompt(session, "hello"))
    daemon.stop()
    for side in ("-wal", "-shm"):
        (daemon.data / f"board.db{side}").unlink(missing_ok=True)
    (daemon.data / "board.db").write_bytes(NO_DATABASE)

    daemon.start()

    knows(bearing(daemon.url, daemon.token), session)
    daemon.close()


# While it runs ----------------------------------------------------------------------------------


def knows(owner: Caller, session: str) -> None:
    until(lambda: owner.get(f"/api/agents/{session}").status == 200 or None, f"{session} known")


@contextmanager
def held(database: Path) -> Iterator[None]:
    """Another program writes, and takes its time."""
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")


def test_a_database_that_is_held_fails_what_is_told_and_recovers(
    daemon: Daemon, delay: Delay
) -> None:
    owner = bearing(daemon.url, daemon.token)
    spooled, posted = str(uuid4()), str(uuid4())
    knew = owner.get("/api/health").json()
    assert knew["failing"] == []

    with held(daemon.data / "journal.db"):
        (daemon.data / "spool" / "x.1.jsonl").write_bytes(prompt(spooled, "in the spool") + b"\n")
        refused = owner.post(HOOKS, prompt(posted, "refused"))
        health = until(
            lambda: (told := owner.get("/api/health").json())["failing"] and told, "a failure told"
        )
        read = owner.get("/api/agents")
    began = time.monotonic()
    knows(owner, spooled)
    delay("database free again to the next fact", time.monotonic() - began)
    accepted = owner.post(HOOKS, prompt(posted, "accepted"))

    assert refused.status == 503
    assert refused.json()["error"] == "JournalLocked"
    assert refused.json()["hint"]
    assert (health["status"], health["failing"]) == ("failing", ["watch"])
    assert read.status == 200
    assert accepted.status == 202
    knows(owner, posted)


def test_a_daemon_that_cannot_write_stops_all_the_same(tmp_path: Path, delay: Delay) -> None:
    daemon = Daemon(tmp_path / "data", tmp_path / "claude")
    daemon.start()
    session = str(uuid4())

    with held(daemon.data / "journal.db"):
        (daemon.data / "spool" / "x.1.jsonl").write_bytes(prompt(session, "kept") + b"\n")
        began = time.monotonic()
        daemon.stop()
        took = time.monotonic() - began
    daemon.start()
    knows(bearing(daemon.url, daemon.token), session)
    daemon.close()

    delay("SIGTERM with the journal held to the end", took)
    assert took < STOPS_WITHIN


def test_a_folder_that_is_removed_ends_the_daemon_with_a_sentence(tmp_path: Path) -> None:
    data, said = tmp_path / "data", tmp_path / "said"
    with said.open("wb") as out:
        process = subprocess.Popen(up(data), stdout=out, stderr=subprocess.STDOUT)
    until(lambda: "ready at" in said.read_text() or None, "ready", instead=said.read_text)

    shutil.rmtree(data)
    code = process.wait(timeout=STOPS_WITHIN)
    again = Daemon(data, tmp_path / "claude")
    again.start()
    status = bearing(again.url, again.token).get("/api/health").status
    again.close()

    assert code == 1
    assert "its journal was removed while we ran" in said.read_text()
    assert "Traceback" not in said.read_text()
    assert status == 200


@can_mount
def test_a_full_disk_refuses_and_recovers_and_loses_nothing(tmp_path: Path) -> None:
    data, said = tmp_path / "data", tmp_path / "said"
    data.mkdir()
    script = f'mount -t tmpfs -o size=8m tmpfs {data} && exec "$@"'
    with said.open("wb") as out:
        process = subprocess.Popen(
            ["unshare", "-rm", "sh", "-c", script, "sh", *up(data)], stdout=out, stderr=out
        )
    until(lambda: "ready at" in said.read_text() or None, "ready", instead=said.read_text)
    inside = Path(f"/proc/{process.pid}/root{data}")
    url = said.read_text().partition("ready at ")[2].split()[0].rstrip("/")
    owner = bearing(url, (inside / "token").read_text())
    (inside / "ballast").write_bytes(bytes(3 << 20))

    session, accepted = str(uuid4()), []
    while (answer := owner.post(HOOKS, prompt(session, f"{uuid4()} {TEXT}"))).status == 202:
        accepted.append(answer.json()["position"])
    (inside / "ballast").unlink()
    until(lambda: owner.post(HOOKS, prompt(session, "room again")).status == 202 or None, "room")
    until(
        lambda: (told := owner.get("/api/health").json())["board"] == told["position"] or None,
        "the board to follow",
        instead=said.read_text,
    )
    kept = {turn["position"] for turn in owner.get(f"/api/agents/{session}/turns").json()}
    process.send_signal(signal.SIGTERM)
    code = process.wait(timeout=STOPS_WITHIN)

    assert answer.status == 507
    assert answer.json()["error"] == "JournalFull"
    assert set(accepted) <= kept
    assert code == 0
