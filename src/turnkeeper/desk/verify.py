"""Proves that no line is lost: every line of a transcript is in the journal, once."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from turnkeeper.facts.fact import Fact, Moment
from turnkeeper.facts.kinds import (
    AgentSpoke,
    LinePassed,
    PromptSubmitted,
    SessionSeen,
    ToolFinished,
    ToolStarted,
    Unrecognised,
)
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.ports import Journal
from turnkeeper.projections.cards import Card
from turnkeeper.sources.claude_lines import KNOWN_TYPES
from turnkeeper.sources.claude_transcript import Place, read_line
from turnkeeper.sources.transcripts import reading_of

TURNS = (PromptSubmitted, AgentSpoke, ToolStarted, ToolFinished)


class Verified(msgspec.Struct, frozen=True):
    """How the lines of an agent's transcripts add up:
    lines = turns + bookkeeping + unreadable, and none is missing."""

    id: int
    session_id: str
    files: int
    lines: int
    turns: int
    bookkeeping: int
    unreadable: int
    missing: int
    duplicates: int
    unknown: dict[str, int]
    """Of the bookkeeping, lines of a type that no client was seen to write, by type."""

    @property
    def complete(self) -> bool:
        whole = self.lines == self.turns + self.bookkeeping + self.unreadable
        return whole and self.missing == 0 and self.duplicates == 0


class Tally(msgspec.Struct):
    lines: int = 0
    turns: int = 0
    bookkeeping: int = 0
    unreadable: int = 0
    missing: int = 0
    unknown: Counter[str] = msgspec.field(default_factory=Counter)

    @property
    def kept(self) -> int:
        """How many lines the journal holds."""
        return self.lines - self.missing


async def verified(
    card: Card, files: Mapping[str | None, Sequence[Path]], store: BoardStore, journal: Journal
) -> Verified:
    """Verify one agent against the transcript files of its sessions."""
    own = [file for session in card.sessions for file in files.get(session, ())]
    counted = await tally(own, journal, card.host)
    return Verified(
        id=card.id,
        session_id=card.session_id,
        files=len(own),
        lines=counted.lines,
        turns=counted.turns,
        bookkeeping=counted.bookkeeping,
        unreadable=counted.unreadable,
        missing=counted.missing,
        duplicates=sum(store.entries_twice(session) for session in card.sessions),
        unknown=dict(counted.unknown),
    )


async def tally(files: Iterable[Path], journal: Journal, host: str) -> Tally:
    """Read these files anew, line by line, and look every line up in the journal."""
    total = Tally()
    for file in files:
        lines = await asyncio.to_thread(_read, file, host)
        known = await journal.positions([fact.key for facts in lines for fact in facts])
        for facts in lines:
            _count(facts, total)
            total.missing += not all(fact.key in known for fact in facts)
    return total


def _read(file: Path, host: str) -> list[list[Fact]]:
    reading = reading_of(file, host)
    try:
        raw = file.read_bytes()
    except OSError:
        return []  # it was moved or deleted since it was found
    start, lines = 0, []
    for line in raw.split(b"\n")[:-1]:
        end = start + len(line)
        if line.strip():
            lines.append(read_line(line, reading, Place(start, end, Moment(0))))
        start = end + 1
    return lines


def _count(facts: Sequence[Fact], total: Tally) -> None:
    total.lines += 1
    said = [fact.what for fact in facts if not isinstance(fact.what, SessionSeen)]
    if any(isinstance(what, TURNS) for what in said):
        total.turns += 1
    elif any(isinstance(what, Unrecognised) for what in said):
        total.unreadable += 1
    else:
        total.bookkeeping += 1
        passed = [what.type.partition(":")[0] for what in said if isinstance(what, LinePassed)]
        total.unknown.update(each for each in passed if each not in KNOWN_TYPES)
