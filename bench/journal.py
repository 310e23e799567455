"""Durable appends: our journal against raw sqlite3 with the same group commit, in one run.

The floor has the same schema and pragmas, one thread, ready-made rows, one executemany and
one commit per group, and tells its futures the same way. It checks no key, encodes nothing
and can read nothing back: it is what the disk and Python's sqlite3 allow.
"""

import asyncio
import gc
import sqlite3
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from statistics import median, quantiles
from typing import Final

from turnkeeper.facts.codec import encode
from turnkeeper.facts.fact import Fact, Moment, Source
from turnkeeper.facts.identity import entry_key
from turnkeeper.facts.kinds import AgentSpoke
from turnkeeper.journal.sql import SqlJournal
from turnkeeper.journal.sqlite import PRAGMAS, WAL

WRITERS: Final = (1, 16, 64)
APPENDS: Final = {1: 800, 16: 12_000, 64: 24_000}
ROUNDS: Final = 6
AIM: Final = 0.70
WORDS: Final = "The test passes now; the cause was a missing await in the reader. " * 4
SYNCED: Final = "PRAGMA synchronous = FULL"
PUT: Final = "INSERT INTO fact VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

Row = tuple[str, int, None, None, int, int, int, int, bytes]
Told = asyncio.Future[int]
Append = Callable[[int], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast one way of appending was, in the best of its rounds."""

    per_second: float
    p50_ms: float
    p99_ms: float


def fact(number: int) -> Fact:
    key = entry_key("a-session", str(number))
    said = AgentSpoke(WORDS, prompt="p-1", final=False, entry=str(number))
    return Fact(key, "a-session", Source.TRANSCRIPT, Moment(number), Moment(number), said)


def row(number: int) -> Row:
    it = fact(number)
    return (it.key, 1, None, None, 2, 3, it.happened_at, it.heard_at, encode(it.what))


class Floor:
    """A thread that writes whatever waits with one executemany and one commit."""

    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        for pragma in (WAL, SYNCED, *PRAGMAS):
            self._connection.execute(pragma)
        self._queue: SimpleQueue[tuple[Row, Told] | None] = SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    async def append(self, ready: Row) -> int:
        told: Told = self._loop.create_future()
        self._queue.put((ready, told))
        return await told

    def close(self) -> None:
        self._queue.put(None)
        self._thread.join()
        self._connection.close()

    def _run(self) -> None:
        position = 0
        job = self._queue.get()
        while job is not None:
            group = [job]
            while not self._queue.empty() and (more := self._queue.get()) is not None:
                group.append(more)
            self._connection.execute("BEGIN IMMEDIATE")
            rows = [(position + nth, *ready) for nth, (ready, _) in enumerate(group, 1)]
            self._connection.executemany(PUT, rows)
            self._connection.execute("COMMIT")
            self._loop.call_soon_threadsafe(_tell, [told for _, told in group], position)
            position += len(group)
            job = self._queue.get()


def _tell(waiting: list[Told], position: int) -> None:
    for nth, told in enumerate(waiting, 1):
        told.set_result(position + nth)


async def drive(append: Append, writers: int) -> Pace:
    """So many tasks, each appending one fact after another and waiting for each."""
    gc.collect()
    gc.freeze()
    each = APPENDS[writers] // writers
    waits: list[float] = []

    async def write(writer: int) -> None:
        for nth in range(each):
            began = time.perf_counter()
            await append(writer * each + nth)
            waits.append(time.perf_counter() - began)

    began = time.perf_counter()
    await asyncio.gather(*(write(writer) for writer in range(writers)))
    took = time.perf_counter() - began
    p99 = quantiles(waits, n=100)[98]
    return Pace(writers * each / took, median(waits) * 1e3, p99 * 1e3)


async def floor_pace(folder: Path, writers: int) -> Pace:
    rows = [row(number) for number in range(APPENDS[writers])]
    await (await SqlJournal.open(folder / "journal.db")).close()
    floor = Floor(folder / "journal.db")
    try:
        return await drive(lambda number: floor.append(rows[number]), writers)
    finally:
        floor.close()


async def journal_pace(folder: Path, writers: int) -> Pace:
    facts = [fact(number) for number in range(APPENDS[writers])]
    journal = await SqlJournal.open(folder / "journal.db")
    try:
        return await drive(lambda number: journal.append([facts[number]]), writers)
    finally:
        await journal.close()


def best(measure: Callable[[Path, int], Awaitable[Pace]], writers: int) -> Pace:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_awaited(partial(measure, Path(folder), writers)))


async def _awaited(measure: Callable[[], Awaitable[Pace]]) -> Pace:
    return await measure()


def compare(writers: int) -> tuple[Pace, Pace]:
    """The best round of each, by turns: a busy moment of the machine meets both."""
    paces = [(best(floor_pace, writers), best(journal_pace, writers)) for _ in range(ROUNDS)]
    floors, journals = zip(*paces, strict=True)
    return max(floors, key=_speed), max(journals, key=_speed)


def _speed(pace: Pace) -> float:
    return pace.per_second


def main() -> None:
    print(f"journal appends, durable, one fact each (aim: at least {AIM:.0%} of the floor)")
    print(f"{'writers':>8}{'floor/s':>10}{'ours/s':>10}{'ratio':>8}", end="")
    print(f"{'floor p50/p99 ms':>20}{'ours p50/p99 ms':>20}")
    for writers in WRITERS:
        floor, ours = compare(writers)
        ratio = ours.per_second / floor.per_second
        print(f"{writers:>8}{floor.per_second:>10.0f}{ours.per_second:>10.0f}{ratio:>8.0%}", end="")
        print(f"{_waits(floor):>20}{_waits(ours):>20}")


def _waits(pace: Pace) -> str:
    return f"{pace.p50_ms:.2f} / {pace.p99_ms:.2f}"


if __name__ == "__main__":
    main()
