"""Notices the end of a client's process, however it came.

On Linux a pidfd becomes readable when its process ends, also for one that is not our child.
Elsewhere psutil is asked once a second. Identity is (pid, start): pids recur.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

import psutil

from turnkeeper.facts.kinds import ClientReported

LOOK_EVERY: Final = 1.0
Ended = Callable[[int, str], Awaitable[None]]


class Processes:
    """Watches client processes of this machine; tells the end of each once."""

    def __init__(self, ended: Ended) -> None:
        self._ended = ended
        self._watched: dict[tuple[int, str], asyncio.Task[None]] = {}

    def watch(self, client: ClientReported) -> None:
        """Watch a client's process, unless its pid means nothing here."""
        identity = (client.pid, client.started)
        if identity in self._watched or not is_ours(client.domain):
            return
        self._watched[identity] = asyncio.create_task(self._wait(*identity))

    async def close(self) -> None:
        for task in self._watched.values():
            task.cancel()
        await asyncio.gather(*self._watched.values(), return_exceptions=True)
        self._watched.clear()

    async def _wait(self, pid: int, started: str) -> None:
        await _until_gone(pid, started)
        await self._ended(pid, started)


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
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else ""
    except psutil.Error:
        return None


def client_folders() -> set[str]:
    """The folders in which a client runs on this machine, whether or not it says so."""
    found = set()
    for process in psutil.process_iter(["name", "exe", "cmdline"]):
        if _is_client(process.info):
            with suppress(psutil.Error):
                found.add(process.cwd())
    return found


def _is_client(info: Mapping[str, Any]) -> bool:
    command = " ".join((info["cmdline"] or [])[:2])
    return (
        "claude" in (info["name"] or "") or "claude" in (info["exe"] or "") or "claude" in command
    )


async def _until_gone(pid: int, started: str) -> None:
    if sys.platform == "linux" and hasattr(os, "pidfd_open"):
        await _until_readable(pid, started)
    while alive(pid, started if sys.platform == "linux" else ""):
        await asyncio.sleep(LOOK_EVERY)


async def _until_readable(pid: int, started: str) -> None:
    try:
        descriptor = os.pidfd_open(pid)
    except OSError:
        return
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    try:
        # Checked after opening: the descriptor holds whatever process has the pid now.
        if alive(pid, started):
            loop.add_reader(descriptor, ended.set)
            await ended.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
