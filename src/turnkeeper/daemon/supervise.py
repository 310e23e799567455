"""Keeps a task running: what fails is said, with its traceback, and started again."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from turnkeeper.daemon.logs import log
from turnkeeper.ports import Clock

FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 30.0


async def keep_running(name: str, task: Callable[[], Awaitable[None]], clock: Clock) -> None:
    """Run a task for as long as we live. Failures in a row make the pauses longer."""
    pause = FIRST_PAUSE
    while True:
        began = clock.now()
        try:
            await task()
        except asyncio.CancelledError:
            raise
        except Exception:  # the one place where a task may fail: the rest keeps running
            if (clock.now() - began) / 1_000_000 > LONGEST_PAUSE:
                pause = FIRST_PAUSE
            log().error("task.failed", task=name, after=pause, exc_info=True)
            await clock.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
        else:
            return
