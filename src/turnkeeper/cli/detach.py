"""Starts the daemon in the background, and waits until it is ready or says why not."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final, NoReturn

import click

from turnkeeper.errors import CommandRefused

PATIENCE: Final = 30.0
GLANCE: Final = 0.05
READY: Final = "turnkeeper ready"


def start_detached(data: Path) -> NoReturn:
    """Run the same command again without --detach, in a session of its own; say what it says.

    What it says later, nobody has to read: it goes to <data>/logs/up.txt.
    """
    from turnkeeper.daemon.settings import make_private

    make_private(data)
    said = data / "logs" / f"up.{os.getpid()}.txt"
    said.parent.mkdir(mode=0o700, exist_ok=True)
    said.touch(mode=0o600)
    words = [word for word in sys.argv[1:] if word != "--detach"]
    with said.open("ab") as out:
        daemon = subprocess.Popen(
            [sys.executable, "-m", "turnkeeper", *words],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        ended = _wait(daemon, said)
        click.echo(said.read_text(), nl=False, err=bool(ended))
        if ended is None:
            said.rename(said.with_name("up.txt"))
        raise SystemExit(ended or 0)
    finally:
        said.unlink(missing_ok=True)


def _wait(daemon: "subprocess.Popen[bytes]", said: Path) -> int | None:
    """Wait until it is ready, then None; or until it has ended, then how."""
    deadline, seen = time.monotonic() + PATIENCE, ""
    while READY not in seen:
        seen = said.read_text()
        ended = _glance(daemon)
        if ended is not None:
            return ended
        if time.monotonic() > deadline:
            reason = f"it is not ready after {PATIENCE:g} s; `turnkeeper logs` may tell why"
            raise CommandRefused("wait for the daemon", reason=reason)
    return None


def _glance(daemon: "subprocess.Popen[bytes]") -> int | None:
    try:
        return daemon.wait(GLANCE)
    except subprocess.TimeoutExpired:
        return None
