"""Where a process sits: its terminal, and whether what is typed there reaches it."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

import psutil

PSEUDO_TERMINALS: Final = 136
OURS: Final = "turnkeeper"


@dataclass(frozen=True, slots=True)
class Seat:
    """A terminal and a process at it. A job in the background, or a stopped one, hears no keys."""

    terminal: str
    foreground: bool


def seats_of(pid: int) -> list[Seat]:
    """The terminals that keys pass on their way to a process: its own, and the one at which a
    `turnkeeper run` above it sits, which hands on what is typed."""
    own = seat_of(pid)
    outer = _runner_of(pid)
    found = [own, seat_of(outer) if outer else None]
    return [seat for seat in found if seat is not None]


def seat_of(pid: int) -> Seat | None:
    """Where a process sits; None for one that is gone or has no terminal."""
    try:
        return _seat(pid) if sys.platform == "linux" else _seat_elsewhere(pid)
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None


def _seat(pid: int) -> Seat | None:
    stat = Path(f"/proc/{pid}/stat").read_text()
    fields = stat.rpartition(")")[2].split()
    group, device, foreground = int(fields[2]), int(fields[4]), int(fields[5])
    if not device:
        return None
    return Seat(_name(device), foreground=group == foreground)


def _name(device: int) -> str:
    if os.major(device) == PSEUDO_TERMINALS:
        return f"/dev/pts/{os.minor(device)}"
    return f"device {device}"


def _seat_elsewhere(pid: int) -> Seat | None:
    told = subprocess.run(
        ["ps", "-o", "tty=,pgid=,tpgid=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=True,
    )
    terminal, group, foreground = told.stdout.split()
    return None if terminal.startswith("?") else Seat(f"/dev/{terminal}", group == foreground)


def _runner_of(pid: int) -> int | None:
    """The `turnkeeper run` that started this process, if one did."""
    try:
        parent = psutil.Process(pid).parent()
        words = parent.cmdline() if parent is not None else []
    except psutil.Error:
        return None
    named = [PurePath(word).name for word in words[:3]]
    ours = parent is not None and OURS in named and "run" in words
    return parent.pid if ours and parent is not None else None
