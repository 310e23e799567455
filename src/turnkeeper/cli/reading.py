"""Opens the board for a verb that reads it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turnkeeper.daemon.settings import Settings
    from turnkeeper.journal.board_store import BoardStore


@contextmanager
def board_at_rest(data: Path | None) -> Iterator[tuple["Settings", "BoardStore"]]:
    """The board as it was kept, whether or not a daemon runs."""
    from turnkeeper.daemon.settings import make_private, settings
    from turnkeeper.daemon.stores import open_board

    chosen = settings(data)
    make_private(chosen.data)
    with open_board(chosen) as store:
        yield chosen, store
