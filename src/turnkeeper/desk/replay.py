"""Plays a recording of a real client through the same translators and folds as the daemon."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from turnkeeper.errors import RecordingUnreadable
from turnkeeper.facts.fact import Fact, Moment, Position, Recorded, Source
from turnkeeper.facts.identity import digest
from turnkeeper.facts.kinds import ProcessFound
from turnkeeper.projections.agent import Agent
from turnkeeper.projections.board import Board, Folded
from turnkeeper.sources.claude_hooks import read_hook
from turnkeeper.sources.claude_registry import exited, read_entry
from turnkeeper.sources.claude_transcript import Place, Reading, read_line

HOST = "recording"
PARTS = ("hooks.jsonl", "registry.jsonl", "process.jsonl", "transcripts")


class Shown(msgspec.Struct, frozen=True):
    """What the board says of a session from this millisecond on."""

    at: int
    session: str
    status: str
    state: str
    standing: str


class Heard(msgspec.Struct, frozen=True):
    """A fact, and the millisecond at which its source told it."""

    at: int
    fact: Fact


def replay(folder: Path) -> Iterator[Shown]:
    """Tell every change of the board in the order in which the recording was heard."""
    return play(heard_in(folder))


def play(heard: Iterable[Heard]) -> Iterator[Shown]:
    """Tell every change of the board these facts make."""
    shown: dict[str, Shown] = {}
    for at, folded in fold(heard):
        yield from _news(at, folded.agent, shown)


def fold(heard: Iterable[Heard]) -> Iterator[tuple[int, Folded]]:
    """Fold facts as the journal would hold them: each once, at the place it was first heard."""
    board = Board()
    known: set[str] = set()
    for position, each in enumerate(heard, 1):
        if each.fact.key in known:
            continue
        known.add(each.fact.key)
        folded = board.take(Recorded(Position(position), each.fact))
        if folded is not None:
            yield each.at, folded


def _news(at: int, agent: Agent, shown: dict[str, Shown]) -> Iterator[Shown]:
    """Any session id of an agent names the agent, also one that /clear has left behind."""
    for session in agent.sessions:
        now = Shown(at, session, agent.status, agent.state, agent.standing)
        before = shown.get(session)
        if before is None or msgspec.structs.replace(before, at=at) != now:
            shown[session] = now
            yield now


def heard_in(folder: Path) -> list[Heard]:
    """Everything a recording holds, in the order in which it was heard."""
    if not any((folder / part).exists() for part in PARTS):
        raise RecordingUnreadable(str(folder), "it holds none of " + ", ".join(PARTS))
    heard = [*_hooks(folder), *_registry(folder), *_processes(folder), *_transcripts(folder)]
    return sorted(heard, key=lambda each: each.at)


def _rows(file: Path) -> Iterator[dict[str, object]]:
    if not file.exists():
        return
    for number, line in enumerate(file.read_text().splitlines(), 1):
        try:
            yield json.loads(line)
        except ValueError as cause:
            raise RecordingUnreadable(str(file.parent), f"{file.name}:{number}: {cause}") from cause


def _at(row: dict[str, object]) -> int:
    at = row.get("at")
    return at if isinstance(at, int) else 0


def _moment(milliseconds: int) -> Moment:
    return Moment(milliseconds * 1000)


def _hooks(folder: Path) -> Iterator[Heard]:
    for number, row in enumerate(_rows(folder / "hooks.jsonl")):
        at = _moment(_at(row))
        raw = json.dumps(row.get("payload")).encode()
        key = f"s:{digest('hooks.jsonl', str(number))}"
        for fact in read_hook(raw, key=key, happened_at=at, heard_at=at):
            yield Heard(_at(row), msgspec.structs.replace(fact, host=HOST))


def _registry(folder: Path) -> Iterator[Heard]:
    for row in _rows(folder / "registry.jsonl"):
        raw = json.dumps(row.get("entry")).encode()
        fact = read_entry(raw, heard_at=_moment(_at(row)), host=HOST)
        if fact is not None:
            yield Heard(_at(row), fact)


def _processes(folder: Path) -> Iterator[Heard]:
    for row in _rows(folder / "process.jsonl"):
        pid, at = row.get("pid"), _moment(_at(row))
        if not isinstance(pid, int):
            continue
        if row.get("alive"):
            key = f"p:{digest(HOST, str(pid))}"
            what = ProcessFound(pid)
            yield Heard(_at(row), Fact(key, "", Source.PROCESS, at, at, what, host=HOST))
        else:
            yield Heard(_at(row), exited(pid, "", session="", at=at, host=HOST))


def _transcripts(folder: Path) -> Iterator[Heard]:
    """Lines arrive in file order, at the running maximum of their times (rulings I2)."""
    base = folder / "transcripts"
    for file in sorted(base.glob("**/*.jsonl")):
        reading = reading_of(file, base)
        start = arrived = 0
        for raw in file.read_bytes().splitlines(keepends=True):
            place = Place(start, start + len(raw), _moment(arrived))
            start += len(raw)
            facts = read_line(raw.rstrip(b"\n"), reading, place)
            arrived = max(arrived, reading.at // 1000)
            yield from (Heard(arrived, fact) for fact in facts)


def reading_of(file: Path, base: Path) -> Reading:
    """A reader for a transcript: a session's own file, or one of its sub-agents'."""
    if file.parent.name == "subagents":
        thread = file.stem.removeprefix("agent-")
        return Reading(file.parent.parent.name, HOST, thread, str(file.relative_to(base)))
    return Reading(file.stem, HOST, path=str(file.relative_to(base)))
