"""The log in this process: the twin of the one in a database, for tests and demonstrations."""

from collections.abc import AsyncIterator, Mapping, Sequence

from turnkeeper.errors import JournalUnavailable
from turnkeeper.facts.fact import START, Fact, Position, Recorded
from turnkeeper.journal.bell import Bell
from turnkeeper.journal.entry import checked, seal, unseal, writable
from turnkeeper.ports import Appended, Mark


class MemoryJournal:
    """Promises what the Journal promises, as long as the process lives."""

    def __init__(self) -> None:
        self._log: list[Recorded] = []
        self._known: dict[str, Position] = {}
        self._marks: dict[str, Mark] = {}
        self._bell = Bell()
        self._closed = False

    async def append(self, facts: Sequence[Fact], marks: Sequence[Mark] = ()) -> Appended:
        ready = [unseal(seal(fact)) for fact in facts]
        read_so_far = {checked(mark).name: mark for mark in marks}
        self._stay_open()
        before = len(self._log)
        new = tuple([self._is_new(fact) for fact in ready])
        self._marks |= read_so_far
        if len(self._log) > before:
            self._bell.ring()
        return Appended(tuple(self._known[fact.key] for fact in ready), new)

    async def after(self, position: Position, limit: int = 1000) -> list[Recorded]:
        self._stay_open()
        return self._log[max(position, 0) :][:limit]

    async def follow(self, position: Position) -> AsyncIterator[list[Recorded]]:
        with self._bell.hung() as bell:
            while not self._closed:
                bell.clear()
                facts = await self.after(position)
                if facts:
                    position = facts[-1].position
                    yield facts
                else:
                    await bell.wait()

    async def at(self, positions: Sequence[Position]) -> list[Recorded]:
        self._stay_open()
        return [self._log[at - 1] for at in sorted(set(positions)) if 0 < at <= len(self._log)]

    async def of_session(
        self, session: str, after: Position = START, limit: int = 1000
    ) -> list[Recorded]:
        self._stay_open()
        about = writable(session)
        later = self._log[max(after, 0) :]
        return [recorded for recorded in later if recorded.fact.session == about][:limit]

    async def positions(self, keys: Sequence[str]) -> Mapping[str, Position]:
        self._stay_open()
        return {key: self._known[key] for key in keys if key in self._known}

    async def marks(self) -> Mapping[str, Mark]:
        self._stay_open()
        return dict(self._marks)

    async def last(self) -> Position:
        self._stay_open()
        return Position(len(self._log))

    async def close(self) -> None:
        self._closed = True
        self._bell.ring()

    def _is_new(self, fact: Fact) -> bool:
        if fact.key in self._known:
            return False
        self._known[fact.key] = position = Position(len(self._log) + 1)
        self._log.append(Recorded(position, fact))
        return True

    def _stay_open(self) -> None:
        if self._closed:
            raise JournalUnavailable("in memory", "it has been closed")
