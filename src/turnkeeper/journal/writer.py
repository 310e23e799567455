"""One thread that writes, and commits in groups.

Whatever waits when a commit ends is the next group: one transaction, one sync of the disk,
then all are told. The busier it is, the larger the groups and the cheaper each append.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import Final

from turnkeeper.errors import JournalCorrupt, JournalLocked
from turnkeeper.journal.entry import Entry
from turnkeeper.ports import Appended, Mark

GROUP: Final = 1000
"""The most appends in one transaction: bounds how long the first of them waits."""

SHARED: Final = (JournalLocked, JournalCorrupt)
"""Failures that no single append has caused, so that trying each by itself is of no use."""


@dataclass(slots=True)
class Job:
    """One append, and whom to tell."""

    entries: Sequence[Entry]
    marks: Sequence[Mark]
    loop: asyncio.AbstractEventLoop
    told: "asyncio.Future[Appended]"


Write = Callable[[Sequence[Job]], Sequence[Appended]]
Settled = list[tuple["asyncio.Future[Appended]", Appended | Exception]]


class Writer:
    """Hands appends to `write`, many at a time, and calls `wake` after each commit."""

    def __init__(self, write: Write, wake: Callable[[], None]) -> None:
        self._write = write
        self._wake = wake
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="journal-writer", daemon=True)
        self._thread.start()

    def submit(
        self, entries: Sequence[Entry], marks: Sequence[Mark]
    ) -> "asyncio.Future[Appended] | None":
        """Queue an append; the answer comes when it is committed. None: we are closed."""
        loop = asyncio.get_running_loop()
        job = Job(entries, marks, loop, loop.create_future())
        with self._closing:
            if self._closed:
                return None
            self._queue.put(job)
        return job.told

    def close(self) -> None:
        """Write what waits, then end the thread."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        open_ = True
        while open_:
            group, open_ = self._gather()
            if group:
                _tell(group, self._commit(group))
                self._wake()

    def _gather(self) -> tuple[list[Job], bool]:
        """Wait for one append, then take all that wait with it."""
        group: list[Job] = []
        job = self._queue.get()
        while job is not None:
            group.append(job)
            if len(group) == GROUP or self._queue.empty():
                return group, True
            job = self._queue.get()
        return group, False

    def _commit(self, group: list[Job]) -> Sequence[Appended | Exception]:
        """Write a group, or, if that fails, each append by itself: one must not fail the others.

        Every error is caught, because it belongs to whoever awaits the append, and this
        thread must outlive it.
        """
        try:
            return self._write(group)
        except SHARED as error:
            return [error] * len(group)
        except Exception as error:
            if len(group) == 1:
                return [error]
            return [self._commit([job])[0] for job in group]


def _tell(group: list[Job], outcomes: Sequence[Appended | Exception]) -> None:
    """Tell each loop of all its appends at once."""
    by_loop: dict[asyncio.AbstractEventLoop, Settled] = {}
    for job, outcome in zip(group, outcomes, strict=True):
        by_loop.setdefault(job.loop, []).append((job.told, outcome))
    for loop, settled in by_loop.items():
        in_loop(loop, partial(_settle, settled))


def in_loop(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Call this in a loop's own thread. A loop that has been closed has nobody left to tell."""
    try:
        loop.call_soon_threadsafe(call)
    except RuntimeError:
        if not loop.is_closed():
            raise


def _settle(settled: Settled) -> None:
    for future, outcome in settled:
        if future.done():
            continue
        if isinstance(outcome, Appended):
            future.set_result(outcome)
        else:
            future.set_exception(outcome)
