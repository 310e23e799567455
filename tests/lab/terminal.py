"""A terminal with a program in it: what it shows, what is typed into it, how large it is."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.lab.real_client import NeverHappened

PATIENCE_SECONDS = 10.0


class Terminal:
    """A program that leads a session in a terminal of its own."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        rows: int = 30,
        columns: int = 100,
    ) -> None:
        self.master, self._slave = pty.openpty()
        self.resize(rows, columns)
        self.mode_before = self.mode()
        self._seen = b""
        self.process = subprocess.Popen(
            command,
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            cwd=cwd,
            env={**os.environ, "TERM": "xterm-256color", **(env or {})},
            start_new_session=True,
            preexec_fn=_take_the_terminal,  # noqa: PLW1509 (nothing else runs in the child)
        )

    def type(self, text: str) -> None:
        data = text.encode()
        while data:
            ready, writable, _ = select.select([self.master], [self.master], [], PATIENCE_SECONDS)
            if ready:
                self._read()
            if writable:
                data = data[os.write(self.master, data[:1024]) :]

    def wait_for(self, text: str) -> None:
        """Read until this has been shown, and forget what came up to it."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while text.encode() not in self._seen:
            left = deadline - time.monotonic()
            if left < 0 or not select.select([self.master], [], [], left)[0] or not self._read():
                raise NeverHappened(f"{text!r} was not shown:\n{self._seen.decode()}")
        self._seen = self._seen.partition(text.encode())[2]

    def _read(self) -> bool:
        try:
            said = os.read(self.master, 65536)
        except OSError:
            return False
        self._seen += said
        return bool(said)

    def resize(self, rows: int, columns: int) -> None:
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)

    def mode(self) -> list[Any]:
        return termios.tcgetattr(self._slave)

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def hang_up(self) -> None:
        """Close the window: nobody holds the terminal any more."""
        os.close(self._slave)
        os.close(self.master)
        self.master = self._slave = -1

    def wait(self) -> int:
        """Wait until the program has ended, reading what it still says."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.process.poll() is None:
            if time.monotonic() > deadline:
                raise NeverHappened(f"it did not end:\n{self._seen.decode()}")
            if self.master >= 0 and select.select([self.master], [], [], 0.02)[0]:
                self._read()
        return self.process.returncode

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for end in (self.master, self._slave):
            if end >= 0:
                os.close(end)


def _take_the_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
