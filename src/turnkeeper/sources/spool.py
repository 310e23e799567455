"""Takes what hooks left in the spool, exactly once across crashes.

A file is renamed into `taken/` under a name that never recurs, read, committed under that
name and byte offset, and then removed. Whoever dies in between leaves a taken file, which
the next life reads under the same name: known facts are not added again.
"""

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from turnkeeper.facts.fact import Fact, Moment
from turnkeeper.facts.identity import spool_key
from turnkeeper.facts.kinds import SessionEnded, ToolFinished, TurnEnded
from turnkeeper.sources.claude_hooks import read_hook

RESTED: Final = 5_000_000
"""Microseconds without a write after which half a payload is taken as it is."""

OPEN: Final = ".open"


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

    def open(self) -> None:
        """Make the folder, and let per-tool hooks write."""
        self._taken.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        (self.folder / OPEN).touch(mode=0o600)

    def shut(self) -> None:
        """Stop per-tool hooks; sessions, prompts and stops are still written down."""
        (self.folder / OPEN).unlink(missing_ok=True)

    def take(self, heard_at: Moment) -> list[Taken]:
        """Take every file there is, and read those that are whole, oldest first."""
        for file in self._waiting():
            # pids recur, and so do file names; this name does not.
            unique = f"{heard_at}-{os.getpid()}-{next(self._number)}-{file.name}"
            file.rename(self._taken / unique)
        taken = [self._read(file, heard_at) for file in sorted(self._taken.iterdir())]
        whole = [each for each in taken if each is not None]
        return sorted(whole, key=lambda each: each.facts[0].happened_at if each.facts else 0)

    def discard(self, taken: Taken) -> bool:
        """Remove a committed file, unless something was appended to it since."""
        if taken.file.stat().st_size > taken.size:
            return False
        taken.file.unlink()
        return True

    def _waiting(self) -> list[Path]:
        try:
            return [file for file in self.folder.iterdir() if file.suffix == ".jsonl"]
        except FileNotFoundError:
            return []

    def _read(self, file: Path, heard_at: Moment) -> Taken | None:
        """The file's facts; None while its writer may still be at it."""
        raw = file.read_bytes()
        at = Moment(file.stat().st_mtime_ns // 1000)
        if not _whole(raw) and heard_at - at < RESTED:
            return None
        facts = [fact for each in self._payloads(file, raw, at, heard_at) for fact in each]
        return Taken(file, len(raw), sorted(facts, key=_meaning))

    def _payloads(
        self, file: Path, raw: bytes, at: Moment, heard_at: Moment
    ) -> Iterator[list[Fact]]:
        offset = 0
        for line in raw.split(b"\n"):
            if line.strip():
                key = spool_key(file.name, offset)
                facts = read_hook(line, key=key, happened_at=at, heard_at=heard_at)
                yield [msgspec.structs.replace(fact, host=self._host) for fact in facts]
            offset += len(line) + 1


def _whole(raw: bytes) -> bool:
    """A payload is one JSON object and a newline; half of one does not decode."""
    if not raw.endswith(b"\n"):
        return False
    try:
        for line in raw.splitlines():
            msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _meaning(fact: Fact) -> tuple[Moment, int]:
    """Of what happened at one moment, an end comes last."""
    match fact.what:
        case SessionEnded():
            rank = 3
        case TurnEnded():
            rank = 2
        case ToolFinished():
            rank = 1
        case _:
            rank = 0
    return fact.happened_at, rank
