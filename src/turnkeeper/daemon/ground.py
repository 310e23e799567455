"""Notices when the ground is taken away: the data folder that everything is kept in."""

import asyncio
from pathlib import Path
from typing import Final

from turnkeeper.daemon.settings import Settings
from turnkeeper.errors import FolderUnusable
from turnkeeper.ports import Clock

LOOK_EVERY: Final = 2.0


async def lasting(settings: Settings, stop: asyncio.Event, clock: Clock) -> None:
    """Wait until told to stop. A journal that was removed or replaced meanwhile is an error: what
    is written to a file nobody can find would be lost without a word."""
    began = _identity(settings.journal)
    stopping = asyncio.create_task(stop.wait())
    try:
        while not stopping.done():
            if _identity(settings.journal) != began:
                raise FolderUnusable(str(settings.data), "its journal was removed while we ran")
            pause = asyncio.ensure_future(clock.sleep(LOOK_EVERY))
            await asyncio.wait({stopping, pause}, return_when=asyncio.FIRST_COMPLETED)
            pause.cancel()
    finally:
        stopping.cancel()


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
