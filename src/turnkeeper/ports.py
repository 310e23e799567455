"""Every way we touch the world, on one page."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol

import msgspec

from turnkeeper.facts.fact import START, Fact, Moment, Position, Recorded


class Clock(Protocol):
    """The only source of now, and of waiting."""

    def now(self) -> Moment: ...

    async def sleep(self, seconds: float) -> None: ...


class Mark(msgspec.Struct, frozen=True):
    """How far an outside file has been read. Kept with the facts it gave, in one commit.

    `inode` tells a file from its successor of the same name; `memo` is whatever its
    reader must remember to go on (for a transcript, the prompt it stopped in).
    """

    name: str
    offset: int
    inode: int = 0
    memo: str = ""


class Appended(msgspec.Struct, frozen=True):
    """Where each fact stands in the journal, and which of them nobody had told before."""

    positions: tuple[Position, ...]
    new: tuple[bool, ...]


class Journal(Protocol):
    """The append-only log. What `append` has returned survives anything but the disk.

    Positions grow; a fact whose key is known keeps its old position and nothing is
    written. Readers never see half an append. A follower never skips a position.
    """

    async def append(self, facts: Sequence[Fact], marks: Sequence[Mark] = ()) -> Appended: ...

    async def after(self, position: Position, limit: int = 1000) -> list[Recorded]:
        """The next facts in order of position."""
        ...

    def follow(self, position: Position) -> AsyncIterator[list[Recorded]]:
        """All facts after `position` in batches: the past, then the present as it comes."""
        ...

    async def at(self, positions: Sequence[Position]) -> list[Recorded]:
        """These facts, in order of position; a position nobody holds is left out."""
        ...

    async def of_session(
        self, session: str, after: Position = START, limit: int = 1000
    ) -> list[Recorded]:
        """The next facts about one session, in order of position."""
        ...

    async def positions(self, keys: Sequence[str]) -> Mapping[str, Position]:
        """Where the facts of these keys stand; a key nobody told is left out."""
        ...

    async def marks(self) -> Mapping[str, Mark]: ...

    async def last(self) -> Position:
        """The newest position, or 0 for an empty journal."""
        ...

    async def close(self) -> None: ...
