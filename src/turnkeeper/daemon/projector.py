"""Folds the journal into the stored board, batch by batch, and tells what happened.

The journal is committed before anything here runs. A fact whose interpretation fails is noted,
passed over and tried again; a board that cannot be written is loaded anew from its checkpoint.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from turnkeeper.daemon.logs import log
from turnkeeper.errors import JournalUnavailable
from turnkeeper.facts.fact import NEVER, Position, Recorded
from turnkeeper.facts.kinds import ProcessExited, Unrecognised
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.ports import Clock, Journal
from turnkeeper.projections.board import Board, Folded
from turnkeeper.projections.events import frames, unplaced
from turnkeeper.projections.prices import edits

PATIENCE: Final = 1.0
"""Seconds to wait before a board that could not be written is tried again."""

BREATH: Final = 0.005
"""Seconds that facts gather under pressure. A batch of one costs nearly as much as one of twenty,
and what it costs is taken from those who bring the next."""

AT_ONCE: Final = 2000
"""Microseconds within which a batch is read that was there already."""

MANY: Final = 100
"""So many facts at once, and more are on their way."""

TRY_AGAIN: Final = 30.0
"""Seconds between two tries of facts whose interpretation failed."""

MOST_STRANGERS: Final = 1000
"""How many unknown sessions are warned of; a log is not the place for more."""

Listener = Callable[[Position | None, Sequence[Folded], bytes], None]
Take = Callable[[Board, Recorded], Folded | None]


class Projector:
    """The one writer of the stored board."""

    def __init__(
        self,
        journal: Journal,
        store: BoardStore,
        clock: Clock,
        *,
        take: Take = Board.take,
    ) -> None:
        self._journal = journal
        self._store = store
        self._clock = clock
        self._take = take
        self._board = Board()
        self._listeners: list[Listener] = []
        self._strangers: set[str] = set()
        self._moved = asyncio.Condition()
        self._folding = asyncio.Lock()
        self.position = Position(0)

    def listen(self, listener: Listener) -> None:
        """Be told, on the event loop, of every batch once it is stored; of one that was understood
        late without a position, because it has no place in the order any more."""
        self._listeners.append(listener)

    async def run(self) -> None:
        """Follow the journal until cancelled."""
        while True:
            await asyncio.to_thread(self._load)
            try:
                await self._follow()
                return
            except JournalUnavailable as problem:
                log().warning("task.failed", task="projector", why=str(problem), after=PATIENCE)
                await self._clock.sleep(PATIENCE)

    async def _follow(self) -> None:
        """Fold batch after batch. A small one that had to wait for us is a sign that facts come
        faster than we fold them one by one: then they are let gather."""
        rested = NEVER
        async for batch in self._journal.follow(self.position):
            waited = self._clock.now() - rested < AT_ONCE
            await self._project(batch)
            if waited and len(batch) < MANY:
                await self._clock.sleep(BREATH)
            rested = self._clock.now()

    async def reached(self, position: Position) -> None:
        """Wait until the board holds this fact."""
        async with self._moved:
            await self._moved.wait_for(lambda: self.position >= position)

    async def retry(self) -> None:
        """Try the facts again whose interpretation failed."""
        troubled = await asyncio.to_thread(self._store.troubles)
        for recorded in await self._journal.at(list(troubled)):
            async with self._folding:
                healed = await asyncio.to_thread(self._heal, recorded)
                if healed is not None:
                    log().info("interpretation.healed", position=recorded.position)
                    told = b"".join(unplaced(frame) for frame in frames(healed))
                    self._tell(None, healed, told)

    async def retry_forever(self) -> None:
        while True:
            await self._clock.sleep(TRY_AGAIN)
            await self.retry()

    async def _project(self, batch: list[Recorded]) -> None:
        async with self._folding:
            folded, told = await asyncio.to_thread(self._fold, batch)
            async with self._moved:
                self.position = batch[-1].position
                self._moved.notify_all()
            self._tell(self.position, folded, told)

    def _tell(self, position: Position | None, folded: Sequence[Folded], told: bytes) -> None:
        for listener in self._listeners:
            listener(position, folded, told)

    # In the projector's thread ----------------------------------------------------------------

    def _load(self) -> None:
        self._board = Board(self._store.directory(), self._store.load)
        self.position = self._store.position()
        for position in self._store.troubles():
            if position > self.position:
                # We died between noting it and going on: it is folded again in its turn.
                self._store.heal(position)

    def _fold(self, batch: list[Recorded]) -> tuple[list[Folded], bytes]:
        folded = []
        for recorded in batch:
            each = interpret(self._take, self._board, recorded, self._store)
            if each is None:
                self._meet_stranger(recorded)
            else:
                folded.append(each)
        told = frames(folded)
        self._store.save(
            folded, self._board.directory, batch[-1].position, told, prices=edits(batch)
        )
        return folded, b"".join(frame.data for frame in told)

    def _meet_stranger(self, recorded: Recorded) -> None:
        """Warn, once, of a session that nobody has introduced: its facts wait in the journal."""
        fact = recorded.fact
        if not isinstance(fact.what, Unrecognised | ProcessExited) or not fact.session:
            return
        if fact.session not in self._strangers and len(self._strangers) < MOST_STRANGERS:
            self._strangers.add(fact.session)
            log().warning("session.unknown", session=fact.session, position=recorded.position)

    def _heal(self, recorded: Recorded) -> list[Folded] | None:
        try:
            folded = self._take(self._board, recorded)
        except Exception:
            log().warning("interpretation.failed", position=recorded.position, exc_info=True)
            return None
        done = [] if folded is None else [folded]
        self._store.save(done, self._board.directory, self.position, ())
        self._store.heal(recorded.position)
        return done


def interpret(take: Take, board: Board, recorded: Recorded, store: BoardStore) -> Folded | None:
    """Fold one fact, or note that it failed: a bug of ours costs neither it nor the next one."""
    try:
        return take(board, recorded)
    except Exception as failure:
        log().warning("interpretation.failed", position=recorded.position, exc_info=True)
        store.note_trouble(recorded.position, repr(failure))
        return None
