"""A tmux server of its own, with programs in its panes that say of themselves what a test wants."""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from tests.lab.real_client import until
from turnkeeper.scripted.process import domain, started

READS_KEYS = "stty raw -echo; touch keys.open; exec cat > keys"


class Server:
    """A tmux server in a folder of its own: a socket's path must be short."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="tk-", dir="/tmp"))
        self.panes = 0

    def tmux(self, *words: str) -> str:
        told = subprocess.run(
            ["tmux", *words],
            env={**os.environ, "TMUX_TMPDIR": str(self.folder)},
            capture_output=True,
            text=True,
            check=True,
        )
        return told.stdout.strip()

    def open(self, command: str, cwd: Path) -> tuple[str, int]:
        """Run a command in a new pane: the pane's name, and the pid of what runs there."""
        self.panes += 1
        stay = ("start-server", ";", "set-option", "-g", "exit-empty", "off", ";")
        shown = ("-P", "-F", "#{pane_id} #{pane_pid}")
        place = ("-d", "-s", f"s{self.panes}", "-c", str(cwd))
        told = self.tmux(*stay, "new-session", *place, *shown, "sh", "-c", command)
        name, pid = told.split()
        return name, int(pid)

    def close(self) -> None:
        subprocess.run(
            ["tmux", "kill-server"],
            env={**os.environ, "TMUX_TMPDIR": str(self.folder)},
            capture_output=True,
            check=False,
        )
        shutil.rmtree(self.folder)


class Client:
    """A program that keeps every key it gets, and a registry file that says what it does."""

    def __init__(self, claude_dir: Path, cwd: Path) -> None:
        self._file = claude_dir / "sessions"
        self._file.mkdir(parents=True, exist_ok=True)
        cwd.mkdir(exist_ok=True)
        self.cwd = cwd
        self.session = str(uuid4())
        self.pane = ""
        self.pid = 0

    def sits(self, server: Server, command: str = READS_KEYS) -> "Client":
        self.pane, self.pid = server.open(command, self.cwd)
        return self.ready(lambda: self.pid)

    def ready(self, pid: Callable[[], int]) -> "Client":
        """Wait until it reads keys; only then is its pid known for good."""
        until(lambda: (self.cwd / "keys.open").exists() or None, "a program that reads keys")
        self.pid = pid()
        return self

    def says(self, status: str, **more: object) -> "Client":
        now = time.time_ns() // 1_000_000
        entry = {
            "pid": self.pid,
            "sessionId": self.session,
            "procStart": started(self.pid),
            "cwd": str(self.cwd),
            "version": "2.1.325",
            "entrypoint": "cli",
            "status": status,
            "statusUpdatedAt": now,
            **({} if domain() is None else {"pidDomain": domain()}),
        }
        (self._file / f"{self.pid}.json").write_text(json.dumps(entry | more))
        return self

    @property
    def keys(self) -> bytes:
        return (self.cwd / "keys").read_bytes()


def through(*words: str) -> str:
    """A command line that runs the program which reads keys below another."""
    return shlex.join([*words, "sh", "-c", READS_KEYS])
