"""Takes what hooks left in the spool, exactly once across crashes.

A file is renamed into `taken/` under a name that never recurs, read, committed under that
name and byte offset, and then removed. Whoever dies in between leaves a taken file, which
the next life reads under the same name: known facts are not added again.
"""

import os
import re
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from turnkeeper.facts.fact import Fact, Moment
from turnkeeper.facts.identity import spool_key
from turnkeeper.facts.kinds import (
    AgentSpoke,
    ProcessExited,
    SessionEnded,
    ToolFinished,
    TurnEnded,
)
from turnkeeper.sources.claude_hooks import read_hook
from turnkeeper.sources.claude_lines import legible
from turnkeeper.sources.run_records import is_record, read_record

RESTED: Final = 5_000_000
"""Microseconds without a write after which half a payload is taken as it is."""

OPEN: Final = ".open"
LONGEST_NAME: Final = 120
SPLICE: Final = re.compile(rb'(?<=\})(?=\{")|(?<=[\s\S])(?=\{"session_id":)')
"""Where a payload can begin in a line that is none: inside a text its quotes are escaped."""


class Taken(NamedTuple):
    """One taken file: its facts, and how many bytes they came from."""

    file: Path
    size: int
    facts: list[Fact]


class Spool:
    """The folder hooks write to."""

    def __init__(self, folder: Path, *, host: str) -> None:
        self.folder = folder
        self._host = host
        self._taken = folder / "taken"
        self._number = count()
        self._open = False

    def open(self) -> None:
        """Make the folder, and let per-tool hooks write."""
        self._open = True
        self._taken.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        (self.folder / OPEN).touch(mode=0o600)

    def shut(self) -> None:
        """Stop per-tool hooks; sessions, prompts and stops are still written down."""
        self._open = False
        (self.folder / OPEN).unlink(missing_ok=True)

    def take(self, heard_at: Moment) -> list[Taken]:
        """Take every file there is, and read those that are whole, oldest first."""
        if self._open and not (self.folder / OPEN).exists():
            self.open()  # somebody cleared the folder away
        for file in self._waiting():
            # pids recur, and so do file names; this name does not.
            unique = f"{heard_at}-{os.getpid()}-{next(self._number)}-{file.name[-LONGEST_NAME:]}"
            file.rename(self._taken / unique)
        taken = [self._read(file, heard_at) for file in _files(self._taken)]
        return [each for each in taken if each is not None]

    def discard(self, taken: Taken) -> bool:
        """Remove a committed file, unless something was appended to it since."""
        try:
            if taken.file.stat().st_size > taken.size:
                return False
            taken.file.unlink()
        except FileNotFoundError:
            return False
        return True

    def _waiting(self) -> list[Path]:
        return [file for file in _files(self.folder) if file.suffix == ".jsonl"]

    def _read(self, file: Path, heard_at: Moment) -> Taken | None:
        """The file's facts; None while its writer may still be at it."""
        try:
            raw = file.read_bytes()
            at = Moment(file.stat().st_mtime_ns // 1000)
        except OSError:
            return None
        if not _whole(raw) and heard_at - at < RESTED:
            return None
        facts = [fact for each in self._payloads(file, raw, at, heard_at) for fact in each]
        return Taken(file, len(raw), facts)

    def _payloads(
        self, file: Path, raw: bytes, at: Moment, heard_at: Moment
    ) -> Iterator[list[Fact]]:
        named = _session_in(file.name)
        for offset, payload in _pieces(raw):
            facts = self._facts(payload, spool_key(file.name, offset), at, heard_at)
            # What cannot be read still belongs to the session its file is named after.
            yield [
                fact if fact.session else msgspec.structs.replace(fact, session=named)
                for fact in facts
            ]

    def _facts(self, line: bytes, key: str, at: Moment, heard_at: Moment) -> list[Fact]:
        """What a line says: a record of `turnkeeper run`, or what a hook was given."""
        if is_record(line):
            return read_record(line, key=key, happened_at=at, heard_at=heard_at, host=self._host)
        facts = read_hook(line, key=key, happened_at=at, heard_at=heard_at)
        return [msgspec.structs.replace(fact, host=self._host) for fact in facts]


def in_order(taken: Iterable[Taken]) -> list[Fact]:
    """All facts of these files as they happened."""
    return sorted((fact for each in taken for fact in each.facts), key=_meaning)


def _files(folder: Path) -> list[Path]:
    """The plain files in a folder, if there is one: reading a pipe would never end."""
    try:
        return sorted(file for file in folder.iterdir() if file.is_file())
    except FileNotFoundError:
        return []


def _session_in(taken_name: str) -> str:
    name = taken_name.split("-", 3)[-1].split(".", 1)[0]
    try:
        return str(UUID(name))
    except ValueError:
        return ""


def _pieces(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """The payloads in a file, each with its offset: one to a line, or several run together."""
    offset = 0
    for line in raw.split(b"\n"):
        start = offset
        for piece in [line] if _decodes(line) else SPLICE.split(line):
            if piece.strip():
                yield start, piece
            start += len(piece)
        offset += len(line) + 1


def _whole(raw: bytes) -> bool:
    """A payload is one JSON object and a newline; half of one does not decode."""
    return raw.endswith(b"\n") and all(_decodes(piece) for _, piece in _pieces(raw))


def _decodes(payload: bytes) -> bool:
    try:
        msgspec.json.decode(legible(payload))
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError):
        return False
    return True


def _meaning(fact: Fact) -> tuple[Moment, int]:
    """Of what happened at one moment, an end comes last, and the last words just before it."""
    match fact.what:
        case SessionEnded() | ProcessExited():
            rank = 3
        case TurnEnded() | AgentSpoke():
            rank = 2
        case ToolFinished():
            rank = 1
        case _:
            rank = 0
    return fact.happened_at, rank
