"""The transcript: `<claude_dir>/projects/<slug>/<session>.jsonl`, line by line."""

import asyncio
import re
from pathlib import Path
from random import Random

import msgspec

from turnkeeper.scripted.faults import Faults
from turnkeeper.scripted.pace import Pace

TEAR_SECONDS = 0.02

Json = dict[str, object]


def slug(cwd: Path) -> str:
    """The folder of a project's transcripts. Lossy: it cannot be read back."""
    return re.sub(r"[^A-Za-z0-9]", "-", str(cwd))


class TranscriptFile:
    """Appends lines as a client does: opened for each batch, and with the faults asked for."""

    def __init__(self, path: Path, pace: Pace, faults: Faults, random: Random) -> None:
        self.path = path
        self._pace = pace
        self._faults = faults
        self._random = random
        self._waiting: list[bytes] = []
        self._flush: asyncio.Task[None] | None = None

    async def write(self, line: Json) -> None:
        raw = msgspec.json.encode(line) + b"\n"
        if self._faults.late_flush_seconds:
            self._waiting.append(raw)
            self._flush = self._flush or asyncio.create_task(self._flush_later())
        elif self._faults.torn_lines:
            await self._tear(raw)
        else:
            self._append(raw)

    async def close(self) -> None:
        """Write what still waits, at once."""
        await self._stop_flushing()
        self._append(b"".join(self._waiting))
        self._waiting.clear()

    async def abandon(self, line: Json) -> None:
        """Stop as a killed client does: what waits is lost, and a torn line stays torn."""
        await self._stop_flushing()
        self._waiting.clear()
        if self._faults.torn_lines:
            self._append(self._piece(msgspec.json.encode(line)))

    async def _flush_later(self) -> None:
        await self._pace.pause(self._faults.late_flush_seconds)
        written, self._waiting = self._waiting, []
        self._flush = None
        self._append(b"".join(written))

    async def _stop_flushing(self) -> None:
        if self._flush is not None:
            self._flush.cancel()
            await asyncio.wait({self._flush})
            self._flush = None

    async def _tear(self, raw: bytes) -> None:
        piece = self._piece(raw)
        self._append(piece)
        await self._pace.pause(TEAR_SECONDS)
        self._append(raw[len(piece) :])

    def _piece(self, raw: bytes) -> bytes:
        return raw[: self._random.randrange(1, len(raw) - 1)]

    def _append(self, raw: bytes) -> None:
        if raw:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab", buffering=0) as file:
                file.write(raw)


class Thread:
    """The chain of entries in one transcript: each knows the one before it.

    `tail` is what a client repeats on every entry; a sub-agent's thread is a sidechain.
    """

    def __init__(self, file: TranscriptFile, tail: Json, subagent: str | None = None) -> None:
        self.file = file
        self.leaf: str | None = None
        self.length = 0
        self.spoken = 0
        self.nickname: str | None = None
        self._tail = tail
        self._subagent = subagent

    async def add(self, fields: Json, *, parent: str | None = None, own: bool = True) -> str:
        """Append an entry to the chain, or to an earlier entry, and say its uuid.

        `own` entries repeat the session's id in a second spelling; a client leaves that
        out of what it writes before its first request.
        """
        before: Json = {
            "parentUuid": parent or self.leaf,
            "isSidechain": self._subagent is not None,
        }
        return await self._add(before, fields, own=own)

    async def begin_again(self, fields: Json) -> str:
        """Append an entry that starts a new chain and remembers the old one."""
        before: Json = {"parentUuid": None, "logicalParentUuid": self.leaf, "isSidechain": False}
        return await self._add(before, fields, own=False)

    async def note(self, fields: Json) -> None:
        """Append a line that is no entry of the conversation."""
        await self.file.write(fields)

    async def _add(self, before: Json, fields: Json, *, own: bool) -> str:
        prompt = {"promptId": fields["promptId"]} if "promptId" in fields else {}
        agent = {"agentId": self._subagent} if self._subagent else {}
        session = {"session_id": self._tail["sessionId"]} if own and not agent else {}
        nickname = {"slug": self.nickname} if self.nickname else {}
        line: Json = {**before, **prompt, **agent, **fields, **session, **self._tail, **nickname}
        await self.file.write(line)
        self.leaf = str(fields["uuid"])
        self.length += 1
        self.spoken += len(str(fields.get("message", "")))
        return self.leaf
