"""Reads the past in the background, newest first, without keeping the present waiting."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

from turnkeeper.daemon.keeper import Keeper
from turnkeeper.daemon.logs import log
from turnkeeper.daemon.projector import Projector
from turnkeeper.facts.fact import Position
from turnkeeper.ports import Journal

AHEAD: Final = 2000
"""How many facts of the past may wait for the projector before more are read: a live fact is
never behind more than these."""


TOGETHER: Final = 8
"""How many files are read side by side, a piece of each in one commit: commits cost more than
facts do, and a live session waits for one of them."""


Progress = Callable[[int, int], None]


async def read_history(
    keeper: Keeper, journal: Journal, projector: Projector, progress: Progress, done: asyncio.Event
) -> None:
    """Read every transcript there is, tell how many of how many are done, and when all are."""
    files = await asyncio.to_thread(keeper.unread)
    waiting = files
    reading: list[Path] = []
    while waiting or reading:
        room = TOGETHER - len(reading)
        reading, waiting = [*reading, *waiting[:room]], waiting[room:]
        _, reading = await keeper.read_on(reading)
        last = await journal.last()
        await projector.reached(Position(max(0, last - AHEAD)))
        progress(len(files) - len(waiting) - len(reading), len(files))
    done.set()
    log().info("history.read", files=len(files))
