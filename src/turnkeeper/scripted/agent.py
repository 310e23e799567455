"""A scripted agent: it behaves like a client, and does what its story says."""

from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Self

from turnkeeper.scripted import asks, errands, life, person, turns
from turnkeeper.scripted.body import Body, Place, Role
from turnkeeper.scripted.faults import NO_FAULTS, Faults
from turnkeeper.scripted.pace import Pace
from turnkeeper.scripted.process import Leash
from turnkeeper.scripted.steps import AnyStep, AskStep, ErrandStep, PersonStep, TurnStep
from turnkeeper.scripted.waiting import Reply


class ScriptedAgent:
    """Spool, registry, transcript and process of one client. Entering it starts the client.

    What it writes depends on its role, its story and the faults' seed alone, apart from the
    pid and what the clock says. Leaving it ends the process, if the story has not, and
    writes what a late flush still held back.
    """

    def __init__(
        self, place: Place, role: Role, *, pace: Pace, leash: Leash, faults: Faults = NO_FAULTS
    ) -> None:
        self._body = Body(
            place, role, pace=pace, faults=faults, random=Random(faults.seed), leash=leash
        )

    @property
    def session(self) -> str:
        return self._body.session.id

    @property
    def transcript(self) -> Path:
        return self._body.transcript_of(self.session)

    @property
    def pid(self) -> int | None:
        return None if self._body.child is None else self._body.child.pid

    @property
    def alive(self) -> bool:
        return self._body.child is not None and self._body.child.alive

    async def __aenter__(self) -> Self:
        await life.start(self._body)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._body.die()
        voices = [self._body.session.voice, *(e.voice for e in self._body.errands if e.voice)]
        for voice in voices:
            await voice.thread.file.close()

    async def play(self, story: Iterable[AnyStep]) -> None:
        for step in story:
            await self.perform(step)

    async def perform(self, step: AnyStep) -> None:
        if isinstance(step, TurnStep):
            await turns.perform(self._body, step)
        elif isinstance(step, AskStep):
            await asks.perform(self._body, step)
        elif isinstance(step, PersonStep):
            await person.perform(self._body, step)
        elif isinstance(step, ErrandStep):
            await errands.perform(self._body, step)
        else:
            await life.perform(self._body, step)

    @property
    def replied(self) -> Reply | None:
        """What was last answered to it."""
        return self._body.asking.replied

    def offer_asks(self) -> None:
        """From here on the hook that waits takes what it asks to the board."""
        self._body.asking.offers = True

    async def wait_until_it_asks(self) -> None:
        await self._body.asking.wait()

    def answer(self, reply: Reply) -> None:
        """Answer the ask that is open, before the story does."""
        self._body.asking.answer(reply)
