"""Runs a real daemon in a process of its own, and looks at its board."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from tests.lab.real_client import until
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.projections.cards import Card

PATIENCE_SECONDS = 10.0


class Daemon:
    """`turnkeeper up` on folders of its own. Killing and starting it again keeps the folders."""

    def __init__(self, data: Path, claude_dir: Path) -> None:
        self.data = data
        self.claude_dir = claude_dir
        self.port = 0
        """Any. One that is to come back where it was is told its port first."""

        self._process: subprocess.Popen[bytes] | None = None
        self._board: BoardStore | None = None

    def start(self) -> None:
        self.data.mkdir(parents=True, exist_ok=True)
        (self.data / "out").touch()
        started = self._said("ready")
        with (self.data / "out").open("ab") as out:
            self._process = subprocess.Popen(
                [*turnkeeper(), "up", *self._options()],
                stdout=out,
                stderr=subprocess.STDOUT,
                env=dict(os.environ),
            )
        until(lambda: self._said("ready") >= started + 1 or None, "ready", instead=self.told)

    def _options(self) -> list[str]:
        folders = ["--data", str(self.data), "--claude-dir", str(self.claude_dir)]
        return ["--port", str(self.port), "--no-browser", *folders]

    @property
    def url(self) -> str:
        """Where it listens, without a slash at the end."""
        return str(json.loads((self.data / "daemon.json").read_text())["url"]).rstrip("/")

    @property
    def token(self) -> str:
        return (self.data / "token").read_text().strip()

    def get(self, path: str) -> Any:
        """What the API answers to a read."""
        request = urllib.request.Request(self.url + path)
        request.add_header("Authorization", f"Bearer {self.token}")
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            return json.load(answer)

    def told(self) -> str:
        return (self.data / "out").read_text()

    def _said(self, word: str) -> int:
        return self.told().count(f"turnkeeper {word}")

    def kill(self) -> None:
        """SIGKILL: nothing is drained, nothing is said."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(timeout=PATIENCE_SECONDS)
            self._process = None

    def close(self) -> None:
        if self._board is not None:
            self._board.close()
        self.stop()

    @property
    def board(self) -> BoardStore:
        if self._board is None:
            self._board = BoardStore(self.data / "board.db")
        return self._board

    def card(self, session: str) -> Card | None:
        found = self.board.numbers_of(session)
        return self.board.card(found[0]) if found else None

    def wait_standing(self, session: str, standing: str) -> float:
        """Wait until the board says so; returns after how many seconds it did."""
        began = time.monotonic()

        def look() -> Card | None:
            card = self.card(session)
            return card if card is not None and card.standing == standing else None

        until(
            look,
            f"{session[:8]} {standing} on the board",
            instead=lambda: self.card(session),
            seconds=PATIENCE_SECONDS,
        )
        return time.monotonic() - began


def turnkeeper() -> list[str]:
    return [sys.executable, "-m", "turnkeeper"]


def run_turnkeeper(*args: str) -> subprocess.CompletedProcess[str]:
    """Run a verb to its end."""
    return subprocess.run(
        [*turnkeeper(), *args], capture_output=True, text=True, check=False, timeout=60
    )
