"""Sends each event, encoded once, to every reader of the stream, and waits for none of them.

Frames gather for a moment and go out together: flushing at every commit would halve the intake
with a hundred readers. A reader that cannot keep up loses its buffer, is told so, and gets a
snapshot; nobody's slowness costs memory.
"""

import asyncio
from collections import deque
from typing import Final, NamedTuple

from turnkeeper.facts.fact import START, Position

GATHER: Final = 0.02
BUFFER: Final = 4 * 1024 * 1024
"""Bytes a reader may be behind."""

HEARTBEAT: Final = 15.0
"""Seconds after which a silent connection says that it is alive."""


Part = tuple[Position | None, bytes]
"""A batch of frames and the position it reaches; None for what was understood late and has no place
in the order."""


class Chunk(NamedTuple):
    """What goes out together: whole batches."""

    after: Position
    parts: tuple[Part, ...]
    data: bytes

    @property
    def reaches(self) -> Position:
        return max(
            (reached for reached, _ in self.parts if reached is not None), default=self.after
        )

    def since(self, position: Position) -> bytes:
        """The batches a reader at this position has not seen."""
        if position <= self.after:
            return self.data
        unseen = (data for reached, data in self.parts if reached is None or reached > position)
        return b"".join(unseen)


class Reader:
    """One open stream: what waits to be sent to it."""

    def __init__(self, buffer: int) -> None:
        self._buffer = buffer
        self._waiting: deque[Chunk] = deque()
        self._size = 0
        self._news = asyncio.Event()
        self.lagged = False
        self.gone = False

    def offer(self, chunk: Chunk) -> None:
        if self._size + len(chunk.data) > self._buffer:
            self._waiting.clear()
            self._size = 0
            self.lagged = True
        elif not self.lagged:
            self._waiting.append(chunk)
            self._size += len(chunk.data)
        self._news.set()

    def leave(self) -> None:
        self.gone = True
        self._news.set()

    def beat(self) -> None:
        """Let this reader say that it is alive."""
        self._news.set()

    async def wait(self) -> None:
        """Wait for news, or for the next heartbeat. No timer of our own: a thousand readers would
        each start one for every event."""
        await self._news.wait()

    def take(self, position: Position) -> tuple[Position, bytes]:
        """Everything a reader at this position has not seen, and the position that reaches."""
        self._news.clear()
        if not self._waiting:
            return position, b""
        unseen = [chunk.since(position) for chunk in self._waiting]
        reached = max((chunk.reaches for chunk in self._waiting), default=position)
        self._waiting.clear()
        self._size = 0
        return max(reached, position), b"".join(unseen)


class Hub:
    """Everyone who listens."""

    def __init__(self, *, buffer: int = BUFFER, heartbeat: float = HEARTBEAT) -> None:
        self.buffer = buffer
        self.heartbeat = heartbeat
        self._readers: set[Reader] = set()
        self._gathered: list[Part] = []
        self._sent = START
        self._flush: asyncio.TimerHandle | None = None
        self._beating: asyncio.TimerHandle | None = None
        self.closed = False

    @property
    def readers(self) -> int:
        return len(self._readers)

    def tell(self, position: Position | None, told: bytes) -> None:
        """Take the frames of a stored batch; they go out with what comes within a moment."""
        if not told or not self._readers:
            return
        self._gathered.append((position, told))
        if self._flush is None:
            self._flush = asyncio.get_running_loop().call_later(GATHER, self._send)

    def join(self) -> Reader:
        reader = Reader(self.buffer)
        self._readers.add(reader)
        if self._beating is None:
            self._beating = asyncio.get_running_loop().call_later(self.heartbeat, self._beat)
        return reader

    def leave(self, reader: Reader) -> None:
        self._readers.discard(reader)

    def close(self) -> None:
        """End every stream; readers come back to the next daemon with their place."""
        self.closed = True
        if self._beating is not None:
            self._beating.cancel()
        self._send()
        for reader in self._readers:
            reader.leave()

    def _beat(self) -> None:
        """Wake every reader now and then, for as long as there are any."""
        self._beating = None
        for reader in self._readers:
            reader.beat()
        if self._readers:
            self._beating = asyncio.get_running_loop().call_later(self.heartbeat, self._beat)

    def _send(self) -> None:
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        if not self._gathered:
            return
        parts, self._gathered = tuple(self._gathered), []
        chunk = Chunk(self._sent, parts, b"".join(data for _, data in parts))
        self._sent = chunk.reaches
        for reader in self._readers:
            reader.offer(chunk)
