"""Who a process is: (pid, start), because pids recur, and on which machine.

Every command asks this, so it imports little.
"""

import sys
from functools import cache
from pathlib import Path


def is_ours(domain: str) -> bool:
    """Whether a pid of this domain is one of this machine's and not of a container beside us."""
    return not domain or domain == our_domain()


@cache
def our_domain() -> str:
    if sys.platform != "linux":
        return ""
    try:
        machine = Path("/etc/machine-id").read_text().strip()
        return f"linux:{machine}:{Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def alive(pid: int, started: str) -> bool:
    """Whether this very process lives: the same pid with another start is another process."""
    found = start_of(pid)
    return found is not None and (not started or found == started)


def start_of(pid: int) -> str | None:
    """When a process started, as its client writes it; None for one that is gone or a zombie."""
    if sys.platform != "linux":
        return _start_elsewhere(pid)
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, *rest = stat.rpartition(")")[2].split()
    return None if state in "ZX" else rest[18]


def _start_elsewhere(pid: int) -> str | None:
    """The client writes `ps -o lstart=` there, in words; without them the pid must do."""
    import psutil

    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else ""
    except psutil.Error:
        return None
