"""Reads the past in the background, newest first, without keeping the present waiting."""

import asyncio
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


async def read_history(keeper: Keeper, journal: Journal, projector: Projector) -> None:
    files = await asyncio.to_thread(keeper.unread)
    for file in files:
        await _read_gently(file, keeper, journal, projector)
    log().info("history.read", files=len(files))


async def _read_gently(file: Path, keeper: Keeper, journal: Journal, projector: Projector) -> None:
    more = True
    while more:
        _, more = await keeper.read_piece(file)
        last = await journal.last()
        await projector.reached(Position(max(0, last - AHEAD)))
