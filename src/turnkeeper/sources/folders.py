"""Tells which files changed: inotify where there is one, and a tick where it stays silent."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final

from watchfiles import awatch

DEBOUNCE: Final = 40
STEP: Final = 10
TICK: Final = 2000
"""Milliseconds. watchfiles' own defaults would cost 1.6 s and hide what lies under .git."""


async def changed(roots: Callable[[], list[Path]], stop: asyncio.Event) -> AsyncIterator[set[Path]]:
    """Yield changed files as they come, and an empty set at every tick: inotify can fail silently.

    Folders that appear later are watched from the next tick on.
    """
    now = asyncio.get_running_loop().time
    ticked = now()
    while not stop.is_set():
        watched = [root for root in roots() if root.is_dir()]
        if not watched:
            await _tick(stop)
            yield set()
            continue
        async for changes in awatch(
            *watched,
            watch_filter=None,
            debounce=DEBOUNCE,
            step=STEP,
            stop_event=stop,
            rust_timeout=TICK,
            yield_on_timeout=True,
        ):
            if changes and now() - ticked > TICK / 1000:
                # watchfiles ticks only in silence, and under load there is none.
                yield set()
                ticked = now()
            elif not changes:
                ticked = now()
            yield {Path(path) for _, path in changes}
            if [root for root in roots() if root.is_dir()] != watched:
                break


async def _tick(stop: asyncio.Event) -> None:
    try:
        async with asyncio.timeout(TICK / 1000):
            await stop.wait()
    except TimeoutError:
        return
