"""How an agent waits for a person: who answers first, the story, the board or a test.

The board is reached by the hook that waits, run as a client runs it.
"""

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from turnkeeper.errors import CommandRefused
from turnkeeper.scripted.pace import Pace
from turnkeeper.scripted.steps import FOREVER
from turnkeeper.sources.claude_hook_commands import WAITING_HOOK


@dataclass(frozen=True, slots=True)
class Reply:
    """What a person answers to an ask: no, or yes with words where words are asked for. One that
    comes from the board does not end the turn: the agent hears a no, with its reason, and goes
    on."""

    accepted: bool
    words: str = ""
    at_board: bool = False


class Asking:
    """What one agent waits for, if anything. Where it `offers`, the board may answer."""

    def __init__(self, data: Path, pace: Pace) -> None:
        self._data = data
        self._pace = pace
        self._asked: asyncio.Future[Reply] | None = None
        self._open = asyncio.Event()
        self.offers = False
        self.offered: Mapping[str, object] | None = None
        self.replied: Reply | None = None

    async def wait(self) -> None:
        """Wait until it asks."""
        await self._open.wait()

    def answer(self, reply: Reply) -> None:
        if self._asked is None or self._asked.done():
            raise CommandRefused("answer", reason="the agent asks nothing")
        self._asked.set_result(reply)

    async def decision(self, own: Reply, after: float) -> Reply:
        """Wait for whoever answers first: a person, or the story after so many seconds."""
        asked: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._asked = asked
        waits = [asyncio.create_task(self._patience(asked, own, after))]
        if self.offered is not None:
            waits.append(asyncio.create_task(self._offer(asked, self.offered)))
        self.offered = None
        self._open.set()
        try:
            self.replied = reply = await asked
        finally:
            self._asked = None
            self._open.clear()
            for each in waits:
                each.cancel()
            await asyncio.wait(waits)
        return reply

    async def _patience(self, asked: asyncio.Future[Reply], own: Reply, seconds: float) -> None:
        if seconds == FOREVER:
            await asyncio.Event().wait()
        await self._pace.pause(seconds)
        if not asked.done():
            asked.set_result(own)

    async def _offer(self, asked: asyncio.Future[Reply], payload: Mapping[str, object]) -> None:
        reply = await answered(self._data, payload)
        if reply is not None and not asked.done():
            asked.set_result(reply)


async def answered(data: Path, payload: Mapping[str, object]) -> Reply | None:
    """What the board answers; None where nobody did. A client whose terminal is answered first
    ends its hook, and so does cancelling this."""
    hook = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-S", str(WAITING_HOOK), str(data)),
        stdin=PIPE,
        stdout=PIPE,
        env={"CLAUDE_CODE_SESSION_ID": str(payload["session_id"])},
    )
    try:
        printed, _ = await hook.communicate(msgspec.json.encode(payload) + b"\n")
    finally:
        if hook.returncode is None:
            hook.kill()
            await hook.wait()
    return reply_of(printed)


def reply_of(printed: bytes) -> Reply | None:
    """What a hook printed, as a client understands it."""
    if not printed:
        return None
    decision: dict[str, Any] = msgspec.json.decode(printed)["hookSpecificOutput"]["decision"]
    if decision["behavior"] == "deny":
        return Reply(accepted=False, words=decision["message"], at_board=True)
    answers = decision.get("updatedInput", {}).get("answers", {})
    return Reply(accepted=True, words=next(iter(answers.values()), ""), at_board=True)
