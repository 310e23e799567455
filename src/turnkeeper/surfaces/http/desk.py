"""What the HTTP handlers ask: the board, the journal, and the few things only a daemon can do."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from turnkeeper.desk.answering import Answer, answer, note_refusal
from turnkeeper.desk.asks import AskTold, ask
from turnkeeper.desk.deeds import mute, rename
from turnkeeper.desk.delivery import Delivery
from turnkeeper.desk.inquiry import card
from turnkeeper.desk.interrupting import Reach, interrupt
from turnkeeper.desk.reconcile import Reached, Reconciled, Reread, reconcile
from turnkeeper.desk.spend import prices, set_price
from turnkeeper.errors import (
    AnswerUnfit,
    AskClosed,
    AskElsewhere,
    AskUnknown,
    TurnkeeperError,
)
from turnkeeper.facts.fact import Position
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.ports import Clock, Journal
from turnkeeper.projections.cards import Card
from turnkeeper.projections.prices import Price
from turnkeeper.sources.transcripts import Transcripts


class Health(msgspec.Struct, frozen=True):
    """Whether all is well: the journal's newest position, and how far the board has come."""

    status: str
    version: str
    position: Position
    board: Position
    readers: int
    failing: list[str]
    demo: bool = False
    """Whether the agents are scripted: a page must say so."""


@dataclass(frozen=True)
class Desk:
    store: BoardStore
    journal: Journal
    clock: Clock
    transcripts: Transcripts
    reread: Reread
    reached: Reached
    readers: Callable[[], int]
    failing: Callable[[], list[str]]
    mended: Callable[[Reconciled], None]
    host: str
    reach: Reach
    demo: bool = False

    async def health(self, version: str) -> Health:
        failing = self.failing()
        return Health(
            status="failing" if failing else "ok",
            version=version,
            board=await asyncio.to_thread(self.store.position),
            position=await self.journal.last(),
            readers=self.readers(),
            failing=failing,
            demo=self.demo,
        )

    async def answer(self, number: int, said: Answer) -> AskTold:
        """Answer an ask and say what became of it. A refusal is recorded, and one that came too
        late shows what became of the ask instead."""
        try:
            return await self._answered(number, said)
        except (AskClosed, AskElsewhere) as problem:
            await self._note(number, said, problem)
            problem.shown = await ask(self.store, self.journal, number)
            raise
        except (AnswerUnfit, AskUnknown) as problem:
            await self._note(number, said, problem)
            raise

    async def _answered(self, number: int, said: Answer) -> AskTold:
        await self.reached(await answer(self.store, self.journal, self.clock, number, said))
        now = await ask(self.store, self.journal, number)
        if now.answer is None:
            # The terminal was first, or the hook left: its ask is closed, or open there alone.
            raise AskClosed(number, f"{now.why or 'Its hook left'}, before your answer came")
        return now

    async def _note(self, number: int, said: Answer, problem: TurnkeeperError) -> None:
        """The board then holds all that led to this, the answer that was first among it."""
        await self.reached(await note_refusal(self.journal, self.clock, number, said, problem))

    async def reconcile(self, name: str) -> Reconciled:
        found = await asyncio.to_thread(card, self.store, name)
        files = [
            file
            for session in found.sessions
            for file in await asyncio.to_thread(self.transcripts.of_session, session)
        ]
        done = await reconcile(
            found,
            files,
            journal=self.journal,
            store=self.store,
            reread=self.reread,
            reached=self.reached,
        )
        self.mended(done)
        return done

    async def rename(self, agent: str, name: str) -> Card:
        done = await rename(
            self.store, self.journal, agent, name, at=self.clock.now(), host=self.host
        )
        return await self._card_after(done, agent)

    async def mute(self, agent: str, *, muted: bool) -> Card:
        done = await mute(
            self.store, self.journal, agent, muted=muted, at=self.clock.now(), host=self.host
        )
        return await self._card_after(done, agent)

    async def interrupt(self, agent: str) -> Delivery:
        return await interrupt(self.store, self.journal, self.clock, self.reach, agent)

    async def set_price(self, price: Price) -> list[Price]:
        done = await set_price(self.store, self.journal, price, at=self.clock.now(), host=self.host)
        if done is not None:
            await self.reached(done)
        return await asyncio.to_thread(prices, self.store)

    async def _card_after(self, deed: Position | None, agent: str) -> Card:
        """An agent as it is shown once the board holds a deed."""
        if deed is not None:
            await self.reached(deed)
        return await asyncio.to_thread(card, self.store, agent)
