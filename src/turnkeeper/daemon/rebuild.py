"""Makes the stored board anew from the journal, in a new file that is then swapped in."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from turnkeeper.daemon.logs import log
from turnkeeper.daemon.projector import interpret
from turnkeeper.daemon.settings import Settings
from turnkeeper.errors import JournalCorrupt
from turnkeeper.facts.fact import START, Position
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.ports import Journal
from turnkeeper.projections.board import Board
from turnkeeper.projections.prices import edits

CHECKED: Final = 256 * 1024 * 1024
"""Up to this size a board's file is checked page by page, which takes less than half a second."""

BATCH = 1000
SIDES = ("", "-wal", "-shm")
"""The files SQLite keeps beside its database."""


async def rebuild(
    settings: Settings, journal: Journal, progress: Callable[[int, int], None]
) -> int:
    """Fold the whole journal; returns how many facts there were."""
    fresh = settings.board.with_suffix(".new")
    _remove(fresh)
    store, board = BoardStore(fresh), Board()
    position, last = START, await journal.last()
    while batch := await journal.after(position, BATCH):
        taken = (interpret(Board.take, board, recorded, store) for recorded in batch)
        folded = [each for each in taken if each is not None]
        position = batch[-1].position
        store.save(folded, board.directory, position, prices=edits(batch))
        progress(position, max(last, position))
    store.close()
    _remove(settings.board)
    fresh.rename(settings.board)
    _remove(fresh)
    return position


async def discard_if_damaged(settings: Settings, journal: Journal) -> None:
    """Throw away a board that cannot be read or is not of this journal: an empty one is filled
    from the journal by the projector, as if every fact were new."""
    why = await asyncio.to_thread(_damage, settings.board, await journal.last())
    if why:
        log().warning("board.discarded", why=why)
        _remove(settings.board)


def _damage(file: Path, last: Position) -> str:
    """What is wrong with a stored board; nothing, where there is nothing yet to store."""
    if not file.exists():
        return "there is none" if last else ""
    try:
        if file.stat().st_size <= CHECKED:
            _check_pages(file)
        with closing(BoardStore(file)) as store:
            store.directory()
            store.living()
            position = store.position()
    except (JournalCorrupt, sqlite3.DatabaseError, msgspec.MsgspecError) as damage:
        return str(damage)
    return "it is of another journal, which was longer" if position > last else ""


def _check_pages(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        [found] = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise JournalCorrupt(str(file), found)


def _remove(file: Path) -> None:
    for side in SIDES:
        file.with_name(file.name + side).unlink(missing_ok=True)
