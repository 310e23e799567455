"""SQLite: one file that only its owner may read, in WAL mode, synced at every commit."""

import os
import sqlite3
import stat
import time
from functools import partial
from pathlib import Path
from typing import Final

from sqlalchemy import URL, Connection, QueuePool, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError

from turnkeeper.errors import (
    FolderUnusable,
    JournalCorrupt,
    JournalFull,
    JournalLocked,
    JournalUnavailable,
)
from turnkeeper.journal.store import WRITES, Store

CONNECTIONS: Final = 8
PAUSE: Final = 0.01
WAL: Final = "PRAGMA journal_mode = WAL"
PRAGMAS: Final = ("PRAGMA journal_size_limit = 16777216",)

EXPLAINED: Final[dict[int, tuple[type[JournalUnavailable], str]]] = {
    sqlite3.SQLITE_BUSY: (JournalLocked, "another program holds it"),
    sqlite3.SQLITE_LOCKED: (JournalLocked, "another program holds it"),
    sqlite3.SQLITE_FULL: (JournalFull, "no room is left on its disk"),
    sqlite3.SQLITE_CORRUPT: (JournalCorrupt, "its content is damaged"),
    sqlite3.SQLITE_NOTADB: (JournalCorrupt, "it is not a database"),
    sqlite3.SQLITE_READONLY: (JournalUnavailable, "it may be read but not written"),
    sqlite3.SQLITE_CANTOPEN: (JournalUnavailable, "it cannot be opened"),
    sqlite3.SQLITE_PERM: (JournalUnavailable, "its permissions forbid it"),
    sqlite3.SQLITE_TOOBIG: (JournalUnavailable, "a text is larger than it can hold"),
}


def sqlite_store(file: Path, *, patience: float, synchronous: str = "FULL") -> Store:
    """Make the file if it is missing; wait at most `patience` seconds for another writer."""
    file = file.absolute()
    _make_private(file)
    engine = create_engine(
        URL.create("sqlite", database=str(file)),
        creator=partial(_connect, file, patience, synchronous),
        poolclass=QueuePool,
        pool_size=CONNECTIONS,
        max_overflow=0,
        hide_parameters=True,
    )
    event.listen(engine, "begin", _begin)
    return Store(engine, str(file), partial(explain, str(file)), engine.dialect)


def explain(file: str, error: Exception) -> JournalUnavailable:
    """Say in words what the database said in codes."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    situation, why = EXPLAINED.get(code, (JournalUnavailable, str(cause)))
    return situation(file, why)


def _make_private(file: Path) -> None:
    """Keep others out of the file.

    An existing file is never opened here: closing it would drop the locks that SQLite
    holds on it for this process.
    """
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as cause:
        raise FolderUnusable(str(file.parent), cause.strerror or str(cause)) from cause
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        _close_to_others(file)
    except OSError as cause:
        raise JournalUnavailable(str(file), cause.strerror or str(cause)) from cause


def _close_to_others(file: Path) -> None:
    held = file.stat()
    if stat.S_ISREG(held.st_mode) and held.st_mode & 0o077 and held.st_uid == os.geteuid():
        file.chmod(0o600)


def _connect(file: Path, patience: float, synchronous: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        file, timeout=patience, isolation_level=None, check_same_thread=False
    )
    try:
        _enter_wal(connection, patience)
        for pragma in (f"PRAGMA synchronous = {synchronous}", *PRAGMAS):
            connection.execute(pragma).close()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _enter_wal(connection: sqlite3.Connection, patience: float) -> None:
    """Two programs that open a new file at once contend for this, and here alone SQLite does
    not wait by itself."""
    deadline = time.monotonic() + patience
    while True:
        try:
            return connection.execute(WAL).close()
        except sqlite3.OperationalError as busy:
            if busy.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(PAUSE)


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES)
    begin = "BEGIN IMMEDIATE" if writes else "BEGIN"
    cursor = connection.connection.cursor()
    try:
        cursor.execute(begin)
    except sqlite3.Error as cause:
        raise OperationalError(begin, None, cause) from cause
    finally:
        cursor.close()
