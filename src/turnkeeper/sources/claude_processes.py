"""Which clients run on this machine, as its process table tells. Best effort: processes vanish,
and those of others keep their secrets."""

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

import psutil

from turnkeeper.facts.fact import Moment
from turnkeeper.projections.cards import when
from turnkeeper.sources.seats import seat_of

NAME: Final = "claude"
INSTALLED: Final = re.compile(r"/claude/versions/(\d+\.\d+\.\d+)\Z")
SECOND: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class ClientProcess:
    """One running client. `folder` is where it keeps its files; `version` if its path tells."""

    pid: int
    cwd: str
    folder: Path
    terminal: str
    version: str
    started_at: Moment


def running_clients() -> list[ClientProcess]:
    """The clients of this user, without the helpers that a client starts of itself."""
    found = {process.pid: process for process in psutil.process_iter() if _is_client(process)}
    described = []
    for process in found.values():
        with suppress(psutil.Error, OSError):
            if process.ppid() not in found:
                described.append(_described(process))
    return described


def since(pid: int) -> str | None:
    """When a process began, as people read it."""
    try:
        return when(Moment(round(psutil.Process(pid).create_time() * SECOND)))
    except psutil.Error:
        return None


def _is_client(process: psutil.Process) -> bool:
    """A client's program is named claude, or is a version in claude's own folder; under node it
    is the script."""
    try:
        command, program = process.cmdline(), process.exe()
    except (psutil.Error, OSError):
        return False
    script = command[1] if PurePath(program).name == "node" and len(command) > 1 else ""
    named = NAME in (PurePath(program).name, PurePath(script).name)
    return named or INSTALLED.search(program) is not None


def _described(process: psutil.Process) -> ClientProcess:
    env = process.environ()
    home = env.get("HOME", str(Path.home()))
    version = INSTALLED.search(process.exe())
    seat = seat_of(process.pid)
    return ClientProcess(
        pid=process.pid,
        cwd=process.cwd(),
        folder=Path(env.get("CLAUDE_CONFIG_DIR") or f"{home}/.claude"),
        terminal=seat.terminal if seat else "",
        version=version.group(1) if version else "",
        started_at=Moment(round(process.create_time() * SECOND)),
    )
