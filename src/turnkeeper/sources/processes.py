"""Notices the end of a client's process, however it came.

On Linux a pidfd becomes readable when its process ends, also for one that is not our child.
Elsewhere psutil is asked once a second.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

import psutil

from turnkeeper.facts.kinds import ClientReported
from turnkeeper.sources.process_identity import alive, is_ours

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
