"""Keeps what the live stream was told lately, so that a reader can resume exactly."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, delete, func, insert, select

from turnkeeper.facts.fact import Position
from turnkeeper.journal.board_tables import frame
from turnkeeper.projections.events import Frame

KEPT: Final = 20_000
"""Positions kept. A reader further behind gets a snapshot, which is quicker than so many events."""

LARGEST: Final = 8 * 1024 * 1024
"""Bytes a reader that comes back is sent; one that missed more gets a snapshot too."""


def keep_frames(connection: Connection, told: Sequence[Frame], position: Position) -> None:
    if told:
        rows = [{"position": each.position, "data": each.data} for each in told]
        connection.execute(insert(frame), rows)
    connection.execute(delete(frame).where(frame.c.position <= position - KEPT))


def frames_after(connection: Connection, position: Position) -> bytes | None:
    """All that was told since; None if that is more than anyone should be sent at once."""
    since = frame.c.position > position
    size = connection.execute(select(func.sum(func.length(frame.c.data))).where(since)).scalar()
    if (size or 0) > LARGEST:
        return None
    query = select(frame.c.data).where(since).order_by(frame.c.position)
    return b"".join(connection.execute(query).scalars())
