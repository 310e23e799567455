"""One daemon per data folder: a lock that dies with its process, and a file that says who."""

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from turnkeeper.daemon.settings import Settings
from turnkeeper.sources.processes import alive, start_of


class Lock:
    """Held while the daemon runs. The file stays; only the lock means something."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._file = (settings.data / "daemon.lock").open("a")

    def take(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def announce(self, **more: str) -> None:
        """Say who holds the folder, so that another command can find the daemon."""
        pid, folders = os.getpid(), [str(folder) for folder in self._settings.claude_dirs]
        told = json.dumps({"pid": pid, "started": start_of(pid), "folders": folders, **more})
        fresh = self._settings.daemon_file.with_suffix(".new")
        fresh.write_text(told)
        fresh.chmod(0o600)
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
