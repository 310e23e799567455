"""The log in a database, by SQLAlchemy Core. Nothing here is particular to one database."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from sqlalchemy import Connection, Select, bindparam, select

from turnkeeper.errors import FactUnreadable, JournalUnavailable
from turnkeeper.facts.fact import START, Fact, Position, Recorded
from turnkeeper.journal.bell import Bell
from turnkeeper.journal.entry import Entry, checked, seal, unseal, writable
from turnkeeper.journal.migrate import migrate
from turnkeeper.journal.names import Names, chunks
from turnkeeper.journal.schema import fact, mark
from turnkeeper.journal.scribe import NEWEST, Scribe, mark_of
from turnkeeper.journal.sqlite import sqlite_store
from turnkeeper.journal.store import Store
from turnkeeper.journal.writer import Writer
from turnkeeper.ports import Appended, Mark

T = TypeVar("T")

PATIENCE: Final = 5.0
"""Seconds to wait for another program that writes."""

LOOK_AGAIN: Final = 1.0
"""Seconds after which a follower looks for what other programs have written."""

READERS: Final = 4
FACTS: Final = select(
    fact.c.position,
    fact.c.key,
    fact.c.session,
    fact.c.thread,
    fact.c.host,
    fact.c.source,
    fact.c.kind,
    fact.c.happened_at,
    fact.c.heard_at,
    fact.c.payload,
).order_by(fact.c.position)
AFTER: Final = FACTS.where(fact.c.position > bindparam("after")).limit(bindparam("most"))
KEYS: Final = select(fact.c.key, fact.c.position)
MARKS: Final = select(mark.c.name, mark.c.offset, mark.c.inode, mark.c.memo)


class SqlJournal:
    """The journal in a database. Open it with `open`, end it with `close`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reading = store.engine.execution_options(isolation_level="AUTOCOMMIT")
        self._names = Names()
        self._bell = Bell()
        self._closed = False
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="journal-reader")
        self._scribe = Scribe(store, self._names)
        self._writer = Writer(self._scribe.write, self._bell.ring)

    @classmethod
    async def open(cls, place: Path | str, *, patience: float = PATIENCE) -> Self:
        """Open the journal in this file, or at this address, and bring it up to date."""
        return await asyncio.to_thread(cls._opened, place, patience)

    @classmethod
    def _opened(cls, place: Path | str, patience: float) -> Self:
        store = _store(place, patience)
        try:
            migrate(store)
            return cls(store)
        except store.errors as cause:
            store.engine.dispose()
            raise store.explain(cause) from cause
        except JournalUnavailable:
            store.engine.dispose()
            raise

    async def append(self, facts: Sequence[Fact], marks: Sequence[Mark] = ()) -> Appended:
        """Write these facts and marks together; when this returns they are on disk.

        If the caller is cancelled while it waits they may be written all the same, and
        saying them again adds nothing.
        """
        told = self._writer.submit(list(map(seal, facts)), list(map(checked, marks)))
        if told is None:
            raise self._has_been_closed()
        return await told

    async def after(self, position: Position, limit: int = 1000) -> list[Recorded]:
        query = AFTER.params(after=position, most=limit)
        return await self._read(lambda connection: self._recorded(connection, query))

    async def follow(self, position: Position) -> AsyncIterator[list[Recorded]]:
        """All facts after `position`. Ends when the journal is closed."""
        with self._bell.hung() as bell:
            while not self._closed:
                bell.clear()
                facts = await self.after(position)
                if facts:
                    position = facts[-1].position
                    yield facts
                    continue
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_AGAIN):
                        await bell.wait()

    async def at(self, positions: Sequence[Position]) -> list[Recorded]:
        def read(connection: Connection) -> list[Recorded]:
            queries = (
                FACTS.where(fact.c.position.in_(some)) for some in chunks(sorted(set(positions)))
            )
            return [found for query in queries for found in self._recorded(connection, query)]

        return await self._read(read)

    async def of_session(
        self, session: str, after: Position = START, limit: int = 1000
    ) -> list[Recorded]:
        def read(connection: Connection) -> list[Recorded]:
            number = self._names.number(connection, writable(session))
            about = fact.c.session == number  # `== None` is spelled IS NULL
            query = FACTS.where(about, fact.c.position > after).limit(limit)
            return self._recorded(connection, query)

        return await self._read(read)

    async def positions(self, keys: Sequence[str]) -> Mapping[str, Position]:
        def read(connection: Connection) -> dict[str, Position]:
            queries = (KEYS.where(fact.c.key.in_(some)) for some in chunks(sorted(set(keys))))
            rows = (row for query in queries for row in connection.execute(query))
            return {row.key: Position(row.position) for row in rows}

        return await self._read(read)

    async def marks(self) -> Mapping[str, Mark]:
        def read(connection: Connection) -> list[Mark]:
            return [mark_of(*row) for row in connection.execute(MARKS)]

        return {mark.name: mark for mark in await self._read(read)}

    async def last(self) -> Position:
        return await self._read(
            lambda connection: Position(connection.execute(NEWEST).scalar() or 0)
        )

    async def close(self) -> None:
        """Write what waits, end the followers, and let go of the database."""
        self._closed = True
        self._bell.ring()
        await asyncio.to_thread(self._let_go)

    def _let_go(self) -> None:
        self._writer.close()
        self._scribe.close()
        self._readers.shutdown()
        self._store.engine.dispose()

    async def _read(self, read: Callable[[Connection], T]) -> T:
        def look() -> T:
            try:
                with self._reading.connect() as connection:
                    return read(connection)
            except self._store.errors as cause:
                raise self._store.explain(cause) from cause

        if self._closed:
            raise self._has_been_closed()
        return await asyncio.get_running_loop().run_in_executor(self._readers, look)

    def _recorded(self, connection: Connection, query: Select[*tuple[Any, ...]]) -> list[Recorded]:
        rows = connection.execute(query).all()
        used = {number for row in rows for number in row[2:7]}
        texts = self._names.texts(connection, used)
        recorded = []
        for position, key, session, thread, host, source, kind, happened, heard, payload in rows:
            who = texts[session], texts[thread], texts[host]
            entry = Entry(key, *who, texts[source], texts[kind], happened, heard, payload)
            recorded.append(Recorded(position, self._unseal(position, entry)))
        return recorded

    def _unseal(self, position: Position, entry: Entry) -> Fact:
        try:
            return unseal(entry)
        except FactUnreadable as cause:
            where = f"position {position} of {self._store.name} holds {entry.kind!r}"
            raise FactUnreadable(f"{where}, {cause.why}") from cause

    def _has_been_closed(self) -> JournalUnavailable:
        return JournalUnavailable(self._store.name, "it has been closed")


def _store(place: Path | str, patience: float) -> Store:
    address = str(place)
    if isinstance(place, str) and "://" in place:
        dialect, _, address = place.partition(":///")
        if dialect != "sqlite":
            raise JournalUnavailable(place, "only sqlite:///PATH is known so far")
    return sqlite_store(Path(address), patience=patience)
