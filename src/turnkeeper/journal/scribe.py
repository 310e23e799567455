"""One group of appends as one transaction.

The statements that every append needs are Core statements compiled once and run on the
driver's own cursor: running them through SQLAlchemy would halve the speed (bench/journal.py).
"""

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Final

from sqlalchemy import ClauseElement, Dialect, Text, bindparam, delete, func, insert, select
from sqlalchemy.engine.interfaces import DBAPICursor

from turnkeeper.facts.fact import Position
from turnkeeper.journal.entry import INODES, Entry
from turnkeeper.journal.names import Names, chunks
from turnkeeper.journal.schema import fact, mark
from turnkeeper.journal.store import Store
from turnkeeper.journal.writer import Job
from turnkeeper.ports import Appended, Mark

NEWEST: Final = select(func.max(fact.c.position))
PUT: Final = insert(fact)
FORGET_MARKS: Final = delete(mark).where(mark.c.name == bindparam("known"))
PUT_MARKS: Final = insert(mark)

Row = tuple[int | str | bytes | None, ...]
Placed = tuple[Position, Entry]


class Driver:
    """Our hot statements in the words of one driver."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._newest = self._compiled(NEWEST)
        self._put = self._compiled(PUT)
        self._known = cache(self._known_query)

    def newest(self, cursor: DBAPICursor) -> int:
        cursor.execute(self._newest)
        return max((newest or 0 for (newest,) in cursor.fetchall()), default=0)

    def known(self, cursor: DBAPICursor, keys: Sequence[str]) -> dict[str, Position]:
        """The positions of those of these keys that are in the log.

        Lists are filled up to a power of two with a key they hold, so that there are few
        different statements to prepare.
        """
        known: dict[str, Position] = {}
        for some in chunks(keys):
            size = 1 << (len(some) - 1).bit_length()
            filling = [some[0]] * (size - len(some))
            cursor.execute(self._known(size), (*some, *filling))
            known.update(cursor.fetchall())
        return known

    def put(self, cursor: DBAPICursor, rows: Sequence[Row]) -> None:
        cursor.executemany(self._put, rows)

    def _known_query(self, size: int) -> str:
        keys = [bindparam(f"key{nth}", type_=Text()) for nth in range(size)]
        return self._compiled(select(fact.c.key, fact.c.position).where(fact.c.key.in_(keys)))

    def _compiled(self, statement: ClauseElement) -> str:
        return str(statement.compile(dialect=self._dialect))


class Scribe:
    """Writes groups of appends. Used by one thread at a time."""

    def __init__(self, store: Store, names: Names) -> None:
        self._store = store
        self._names = names
        self._driver = Driver(store.positional)
        self._connection = store.writing.connect()
        self._errors = store.errors

    def write(self, jobs: Sequence[Job]) -> list[Appended]:
        """Commit these appends together. Either all of them are written, or none."""
        try:
            with self._connection.begin():
                answers, placed = self._place(jobs)
                numbers = self._put(placed)
                self._put_marks([mark for job in jobs for mark in job.marks])
        except self._errors as cause:
            raise self._store.explain(cause) from cause
        self._names.learn(numbers)
        return answers

    def close(self) -> None:
        self._connection.close()

    def _place(self, jobs: Sequence[Job]) -> tuple[list[Appended], list[Placed]]:
        """Give each fact its position: the old one if its key is known, else the next."""
        keys = [entry.key for job in jobs for entry in job.entries]
        cursor = self._connection.connection.cursor()
        known = self._driver.known(cursor, keys)
        newest = self._driver.newest(cursor)
        cursor.close()
        placed: list[Placed] = []
        answers = []
        for job in jobs:
            positions = []
            new = []
            for entry in job.entries:
                position = known.get(entry.key)
                new.append(position is None)
                if position is None:
                    known[entry.key] = position = Position(newest + len(placed) + 1)
                    placed.append((position, entry))
                positions.append(position)
            answers.append(Appended(tuple(positions), tuple(new)))
        return answers, placed

    def _put(self, placed: list[Placed]) -> dict[str, int | None]:
        if not placed:
            return {}
        used = chain.from_iterable(_texts(entry) for _, entry in placed)
        numbers = self._names.numbers(self._connection, used)
        cursor = self._connection.connection.cursor()
        self._driver.put(cursor, [_row(position, entry, numbers) for position, entry in placed])
        cursor.close()
        return numbers

    def _put_marks(self, marks: list[Mark]) -> None:
        """The newest mark of a name replaces the older ones."""
        if not marks:
            return
        rows = {mark.name: mark_row(mark) for mark in marks}
        known = [{"known": row["name"]} for row in rows.values()]
        self._connection.execute(FORGET_MARKS, known)
        self._connection.execute(PUT_MARKS, list(rows.values()))


def _texts(entry: Entry) -> tuple[str, ...]:
    return (entry.session, entry.thread, entry.host, entry.source, entry.kind)


def _row(position: Position, entry: Entry, numbers: dict[str, int | None]) -> Row:
    """In the order of the table's columns."""
    return (
        position,
        entry.key,
        numbers[entry.session],
        numbers[entry.thread],
        numbers[entry.host],
        numbers[entry.source],
        numbers[entry.kind],
        entry.happened_at,
        entry.heard_at,
        entry.payload,
    )


def mark_row(mark: Mark) -> dict[str, object]:
    """File numbers use all of 64 bits, columns have a sign: the upper half is stored below 0."""
    return {
        "name": mark.name.encode("utf-8", "surrogatepass"),
        "offset": mark.offset,
        "inode": mark.inode - INODES if mark.inode >= INODES // 2 else mark.inode,
        "memo": mark.memo.encode("utf-8", "surrogatepass"),
    }


def mark_of(name: bytes, offset: int, inode: int, memo: bytes) -> Mark:
    return Mark(
        name.decode("utf-8", "surrogatepass"),
        offset,
        inode % INODES,
        memo.decode("utf-8", "surrogatepass"),
    )
