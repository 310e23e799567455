"""Wakes followers, from any thread, in whatever loop they wait."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from turnkeeper.journal.writer import in_loop


class Bell:
    """Each follower hangs its own event here, clears it, looks, and only then waits for it:
    what happens between looking and waiting has already set the event."""

    def __init__(self) -> None:
        self._hung: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    @contextmanager
    def hung(self) -> Iterator[asyncio.Event]:
        event = asyncio.Event()
        self._hung[event] = asyncio.get_running_loop()
        try:
            yield event
        finally:
            del self._hung[event]

    def ring(self) -> None:
        for event, loop in self._hung.copy().items():
            in_loop(loop, event.set)
