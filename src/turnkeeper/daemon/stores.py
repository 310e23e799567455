"""Opens what is kept. A verb that only reads needs no more of the daemon than this."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from turnkeeper.daemon.settings import Settings
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.journal.sql import SqlJournal
from turnkeeper.ports import Journal
from turnkeeper.sources.transcripts import Transcripts


@asynccontextmanager
async def open_journal(settings: Settings) -> AsyncIterator[SqlJournal]:
    journal = await SqlJournal.open(settings.journal)
    try:
        yield journal
    finally:
        await journal.close()


@contextmanager
def open_board(settings: Settings) -> Iterator[BoardStore]:
    store = BoardStore(settings.board)
    try:
        yield store
    finally:
        store.close()


async def transcripts_of(settings: Settings, journal: Journal) -> Transcripts:
    folders = list(settings.claude_dirs)
    return Transcripts(folders, host=settings.host, marks=await journal.marks())


def watched(settings: Settings) -> list[Path]:
    """The folders whose changes matter, whether or not they exist yet."""
    clients = [
        folder / name for folder in settings.claude_dirs for name in ("projects", "sessions")
    ]
    return [settings.spool, *clients]
