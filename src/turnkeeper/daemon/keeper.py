"""Brings what the sources tell into the journal. Decides nothing about what it means."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from turnkeeper.daemon.logs import log
from turnkeeper.daemon.narrator import tell_unreadable
from turnkeeper.errors import JournalUnavailable
from turnkeeper.facts.fact import Fact
from turnkeeper.facts.kinds import ClientLaunched, ClientReported
from turnkeeper.ports import Clock, Journal
from turnkeeper.sources.claude_registry import exited
from turnkeeper.sources.processes import Processes
from turnkeeper.sources.registry import Registry, is_registry_file
from turnkeeper.sources.spool import Spool, Taken, in_order
from turnkeeper.sources.transcripts import Transcripts, transcripts_in

RESCAN_EVERY: Final = 30
"""Ticks between two looks at every transcript there is: about a minute."""

PATIENCE: Final = 1.0
"""Seconds before a client's end that could not be kept is tried again."""

RESCAN_NEXT: Final = -1
"""So many ticks ago, when a look failed and nobody knows what it missed."""


class Keeper:
    """Follows every source. One look at a time, so that a file has one reader."""

    def __init__(
        self,
        journal: Journal,
        clock: Clock,
        *,
        spool: Spool,
        registry: Registry,
        transcripts: Transcripts,
    ) -> None:
        self._journal = journal
        self._clock = clock
        self._spool = spool
        self._registry = registry
        self._transcripts = transcripts
        self._reading = asyncio.Lock()
        self._draining = asyncio.Lock()
        self._asking = asyncio.Lock()
        self._ticks = 0
        self._sessions: dict[tuple[int, str], str] = {}
        self.processes = Processes(self._ended)

    async def look(self) -> None:
        """Look at everything that is alive: what a daemon does first."""
        await self.drain()
        await self.ask_registry()
        await self.read_live()

    async def heed(self, changed: set[Path]) -> None:
        """Follow up on changed files; at a tick, look at what is alive all the same."""
        with or_else(self._rescan_soon):
            if not changed:
                await self._tick()
            # In this order: hooks and the registry say whose session a transcript is.
            if any(file.is_relative_to(self._spool.folder) for file in changed):
                await self.drain()
            if any(is_registry_file(file) for file in changed):
                await self.ask_registry()
            await self.read(*await asyncio.to_thread(transcripts_in, changed))

    async def drain(self) -> None:
        """Commit what hooks left, then remove it."""
        async with self._draining:
            taken = await asyncio.to_thread(self._spool.take, self._clock.now())
            if not taken:
                return
            facts = in_order(taken)
            tell_unreadable(facts, await self._journal.append(facts))
            await asyncio.to_thread(self._discard, taken)
        for fact in facts:
            if isinstance(fact.what, ClientLaunched):
                # Should whoever launched it die first, somebody still sees it end.
                self.watch(ClientReported(fact.what.pid, fact.what.started), fact.session)

    async def ask_registry(self) -> None:
        async with self._asking:
            facts = await asyncio.to_thread(self._registry.look, self._clock.now())
            if facts:
                with or_else(self._registry.forget):
                    await self._journal.append(facts)
        for fact in facts:
            if isinstance(fact.what, ClientReported):
                self.watch(fact.what, fact.session)

    def watch(self, client: ClientReported, session: str) -> None:
        """Notice the end of a client's process, and know whose end it was."""
        self._sessions[client.pid, client.started] = session
        self.processes.watch(client)

    async def read_live(self) -> None:
        sessions = self._registry.live_sessions()
        await self.read(*await asyncio.to_thread(self._transcripts.news_of, sessions))

    async def read(self, *files: Path) -> int:
        """Read transcripts to their ends; returns how many facts were new."""
        new, unfinished = 0, list(files)
        while unfinished:
            added, unfinished = await self.read_on(unfinished)
            new += added
        return new

    async def read_on(self, files: Sequence[Path]) -> tuple[int, list[Path]]:
        """Read the next piece of each transcript and keep them all in one commit: how many facts
        were new, and which files hold more."""
        async with self._reading:
            with or_else(lambda: self._forget(files)):
                pieces = await asyncio.to_thread(
                    self._transcripts.read_each, files, self._clock.now()
                )
                if not pieces:
                    return 0, []
                facts = [fact for piece in pieces for fact in piece.facts]
                appended = await self._journal.append(facts, [piece.mark for piece in pieces])
            tell_unreadable(facts, appended)
            return sum(appended.new), [Path(piece.mark.name) for piece in pieces if piece.more]

    async def reread(self, file: Path) -> None:
        """Read a transcript from its start: what nobody had told is told now."""
        async with self._reading:
            self._transcripts.forget(file)
        await self.read(file)

    async def append(self, facts: list[Fact]) -> None:
        await self._journal.append(facts)

    def listed(self) -> set[str]:
        """The sessions that a live client's registry file names."""
        return self._registry.live_sessions()

    def unread(self) -> list[Path]:
        """Every transcript with something new in it, the newest first."""
        files = [file for file in self._transcripts.files() if self._transcripts.unread(file)]
        return sorted(files, key=_age, reverse=True)

    async def close(self) -> None:
        await self.processes.close()

    async def _tick(self) -> None:
        self._ticks += 1
        await self.look()
        if self._ticks % RESCAN_EVERY == 0:
            await self.read(*await asyncio.to_thread(self.unread))

    def _discard(self, taken: Sequence[Taken]) -> None:
        for each in taken:
            self._spool.discard(each)

    def _forget(self, files: Sequence[Path]) -> None:
        for file in files:
            self._transcripts.forget(file)

    def _rescan_soon(self) -> None:
        self._ticks = RESCAN_NEXT

    async def _ended(self, pid: int, started: str) -> None:
        log().info("process.exited", pid=pid)
        session = self._sessions.pop((pid, started), "")
        now, host = self._clock.now(), self._registry.host
        end = exited(pid, started, session=session, at=now, host=host)
        while not await self._kept(session, end):
            await self._clock.sleep(PATIENCE)

    async def _kept(self, session: str, end: Fact) -> bool:
        """Keep the end of a client, after what it said with its last breath."""
        try:
            await self.look()
            await self.read(*await asyncio.to_thread(self._transcripts.of_session, session))
            await self._journal.append([end])
        except JournalUnavailable as problem:
            log().warning("task.failed", task="processes", why=str(problem), after=PATIENCE)
            return False
        return True


@contextmanager
def or_else(undo: Callable[[], None]) -> Iterator[None]:
    """What was read and could not be kept was not read."""
    try:
        yield
    except BaseException:
        undo()
        raise


def _age(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0
