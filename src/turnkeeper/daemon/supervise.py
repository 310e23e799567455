"""Keeps tasks running: what fails is said, with its traceback, and started again."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from turnkeeper.daemon.logs import log
from turnkeeper.facts.fact import Moment
from turnkeeper.ports import Clock

FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 30.0
REMEMBERED: Final = 60_000_000
"""Microseconds for which a failure counts against the daemon's health."""

Task = Callable[[], Awaitable[None]]


class Supervisor:
    """Runs tasks for as long as we live; knows which of them failed lately."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failed: dict[str, Moment] = {}
        self._running: list[asyncio.Task[None]] = []

    def start(self, name: str, task: Task) -> None:
        self._running.append(asyncio.create_task(self._keep(name, task), name=name))

    def failing(self) -> list[str]:
        """The tasks that failed within the last minute."""
        now = self._clock.now()
        return sorted(name for name, at in self._failed.items() if now - at < REMEMBERED)

    async def close(self) -> None:
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _keep(self, name: str, task: Task) -> None:
        def note() -> None:
            self._failed[name] = self._clock.now()

        await keep_running(name, task, self._clock, note)


async def keep_running(
    name: str, task: Task, clock: Clock, note: Callable[[], None] = lambda: None
) -> None:
    """Run one task until it is done. Failures in a row make the pauses longer."""
    pause = FIRST_PAUSE
    while True:
        began = clock.now()
        try:
            return await task()
        except Exception:  # the one place where a task may fail: the rest keeps running
            note()
            if (clock.now() - began) / 1_000_000 > LONGEST_PAUSE:
                pause = FIRST_PAUSE
            log().error("task.failed", task=name, after=pause, exc_info=True)
            await clock.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
