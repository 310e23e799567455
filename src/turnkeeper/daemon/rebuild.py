"""Makes the stored board anew from the journal, in a new file that is then swapped in."""

from collections.abc import Callable
from pathlib import Path

from turnkeeper.daemon.settings import Settings
from turnkeeper.facts.fact import START
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.ports import Journal
from turnkeeper.projections.board import Board

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
        folded = [each for recorded in batch if (each := board.take(recorded)) is not None]
        position = batch[-1].position
        store.save(folded, board.directory, position)
        progress(position, max(last, position))
    store.close()
    _remove(settings.board)
    fresh.rename(settings.board)
    _remove(fresh)
    return position


def _remove(file: Path) -> None:
    for side in SIDES:
        file.with_name(file.name + side).unlink(missing_ok=True)
