"""One daemon per data folder: a lock that dies with its process, and a file that says who."""

import fcntl
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from turnkeeper.daemon.settings import Settings
from turnkeeper.sources.process_identity import alive, start_of

PAUSE: Final = 0.02
PATIENT: Final = 10
"""How often one who means to keep the folder tries to take it."""


class Lock:
    """Held while the daemon runs. The file stays; only the lock means something."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        place = settings.data / "daemon.lock"
        self._file = os.fdopen(os.open(place, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o600), "a")

    def take(self, tries: int = 1) -> bool:
        """Hold the folder, if nobody does. Whoever asks whether a daemon runs holds it for a
        moment, so one who means to stay tries more than once."""
        for left in reversed(range(tries)):
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                time.sleep(PAUSE if left else 0)
            else:
                return True
        return False

    def announce(self, **more: str) -> None:
        """Say who holds the folder, so that another command can find the daemon."""
        pid, folders = os.getpid(), [str(folder) for folder in self._settings.claude_dirs]
        told = json.dumps({"pid": pid, "started": start_of(pid), "folders": folders, **more})
        fresh = self._settings.daemon_file.with_suffix(".new")
        fresh.touch(mode=0o600)
        fresh.write_text(told)
        fresh.replace(self._settings.daemon_file)

    def release(self) -> None:
        self._settings.daemon_file.unlink(missing_ok=True)
        self._file.close()

    def close(self) -> None:
        self._file.close()


def running(settings: Settings) -> dict[str, Any] | None:
    """What the daemon of this folder announced; None where none runs."""
    if not (settings.data / "daemon.lock").exists():
        return None
    lock = Lock(settings)
    free = lock.take()
    lock.close()
    return None if free else announced(settings.daemon_file)


def pid_in(told: Mapping[str, Any]) -> int | None:
    """The pid that was announced, if that very process lives: what a killed daemon has left
    behind names a pid that may be anyone's by now."""
    pid, started = told.get("pid"), told.get("started")
    return pid if type(pid) is int and alive(pid, str(started or "")) else None


def announced(file: Path) -> dict[str, Any]:
    try:
        told = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}
