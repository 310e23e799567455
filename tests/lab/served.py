"""The HTTP surface in this process, for what a test must hold in its own hands: time and bounds."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.lab.asking import Caller, bearing
from turnkeeper.daemon.server import Server, listen
from turnkeeper.daemon.settings import Settings, make_private
from turnkeeper.daemon.stores import open_board, open_journal
from turnkeeper.daemon.wiring import Assembly, assemble
from turnkeeper.facts.fact import Moment
from turnkeeper.ports import Clock
from turnkeeper.sources.clock import SystemClock
from turnkeeper.surfaces.http.guard import BODY_WITHIN


class HandClock(SystemClock):
    """A clock that a test moves on."""

    ahead = 0

    def now(self) -> Moment:
        return Moment(super().now() + self.ahead)


@dataclass(frozen=True)
class Served:
    parts: Assembly
    caller: Caller

    async def said(self, *payloads: bytes) -> None:
        """Let hooks tell something, and the board take it in."""
        for number, payload in enumerate(payloads):
            (self.parts.spool.folder / f"x.{number}.jsonl").write_bytes(payload + b"\n")
        await self.parts.keeper.drain()
        await self.parts.projector.reached(await self.parts.journal.last())


@asynccontextmanager
async def served(
    root: Path, *, clock: Clock | None = None, body_within: float = BODY_WITHIN
) -> AsyncIterator[Served]:
    """Serve a board of its own, with nobody watching files: a test says what is heard."""
    settings = Settings(root / "data", (root / "claude",), "here")
    make_private(settings.data)
    with open_board(settings) as store:
        async with open_journal(settings) as journal:
            parts = await assemble(settings, journal, store, clock or SystemClock())
            parts.spool.open()
            parts.supervisor.start("projector", parts.projector.run)
            bound = listen("127.0.0.1", 0)
            url = f"http://127.0.0.1:{bound.getsockname()[1]}"
            server = Server(replace(parts.app, body_within=body_within), bound)
            server.start()
            try:
                yield Served(parts, bearing(url, parts.keys.full))
            finally:
                parts.hub.close()
                parts.offers.close()
                await server.stop()
                await parts.supervisor.close()
                await parts.keeper.close()


def prompt(session: str, text: str) -> bytes:
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": text}
    return json.dumps({**payload, "prompt_id": f"p-{text[:20]}", "cwd": "/home/ada"}).encode()
