"""Scripted agents that act when a test says so, while the test itself does something else."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from turnkeeper.scripted.agent import ScriptedAgent
from turnkeeper.scripted.body import Place, Role
from turnkeeper.scripted.faults import NO_FAULTS, Faults
from turnkeeper.scripted.pace import live
from turnkeeper.scripted.stage import Stage
from turnkeeper.scripted.steps import AnyStep

T = TypeVar("T")

PATIENCE_SECONDS: Final = 30.0
SPEED: Final = 200


class Puppets:
    """A stage with an event loop of its own."""

    def __init__(self, stage: Stage, loop: asyncio.AbstractEventLoop) -> None:
        self._stage = stage
        self._loop = loop

    def enter(self, role: Role, faults: Faults = NO_FAULTS) -> ScriptedAgent:
        return self._done(self._stage.enter(role, faults))

    def play(self, agent: ScriptedAgent, *story: AnyStep) -> None:
        """Let it do this, and return when it has."""
        self._done(agent.play(story))

    def _done(self, what: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(what, self._loop).result(PATIENCE_SECONDS)


@contextmanager
def puppets(place: Place, speed: float = SPEED) -> Iterator[Puppets]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    stage = Stage(place, lambda: live(speed))
    try:
        yield Puppets(stage, loop)
    finally:
        leaving = asyncio.run_coroutine_threadsafe(stage.__aexit__(), loop)
        leaving.result(PATIENCE_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
