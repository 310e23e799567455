"""Follows the clients' registry folder: one small file per running client, rewritten in place."""

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from turnkeeper.facts.fact import Fact, Moment
from turnkeeper.facts.kinds import ClientReported
from turnkeeper.sources.claude_registry import read_entry, unlisted

SETTLED_NS: Final = 2_000_000_000
"""So long after its last change a file that changes again has another time, on any file system."""


class Stamp(NamedTuple):
    inode: int
    size: int
    changed_ns: int


@dataclass
class Registry:
    """What the registry folders said last. A half-written file is looked at again."""

    folders: list[Path]
    host: str
    said: dict[Path, Fact] = field(default_factory=dict)
    _settled: dict[Path, Stamp] = field(default_factory=dict)
    """Files that were read when their last change was long past: as long as they bear the same
    stamp they say the same. A younger one may change again without showing it."""

    def look(self, heard_at: Moment) -> list[Fact]:
        """Everything that changed since the last look."""
        now = {file: file for folder in self.folders for file in _files(folder)}
        gone = [self._gone(file, heard_at) for file in list(self.said) if file not in now]
        news = [fact for file in now for fact in self.read(file, heard_at)]
        return [*gone, *news]

    def read(self, file: Path, heard_at: Moment) -> list[Fact]:
        """What one file says now, if that is news. A client that goes on with another session
        has left the one it was in."""
        try:
            stamp = _stamp(file)
            if self._settled.get(file) == stamp:
                return []
            raw = file.read_bytes()
        except OSError:
            return [self._gone(file, heard_at)] if file in self.said else []
        if heard_at * 1000 - stamp.changed_ns > SETTLED_NS:
            self._settled[file] = stamp
        fact = read_entry(raw, heard_at=heard_at, host=self.host)
        known = self.said.get(file)
        if fact is None or (known is not None and known.key == fact.key):
            return []
        left = known is not None and known.session != fact.session
        goodbye = [self._gone(file, heard_at)] if left else []
        self.said[file] = fact
        return [*goodbye, fact]

    def now(self, pid: int, heard_at: Moment) -> Fact | None:
        """What a client's own file says this moment, whatever was heard of it; None where it has
        none, or is about to write it."""
        for folder in self.folders:
            with suppress(OSError):
                raw = (folder / "sessions" / f"{pid}.json").read_bytes()
                return read_entry(raw, heard_at=heard_at, host=self.host)
        return None

    def forget(self) -> None:
        """Say everything again at the next look; what is known already is not added twice."""
        self.said.clear()
        self._settled.clear()

    def live_sessions(self) -> set[str]:
        return {fact.session for fact in self.said.values()}

    def clients(self) -> list[ClientReported]:
        return [fact.what for fact in self.said.values() if isinstance(fact.what, ClientReported)]

    def _gone(self, file: Path, heard_at: Moment) -> Fact:
        self._settled.pop(file, None)
        fact = self.said.pop(file)
        assert isinstance(fact.what, ClientReported)
        return unlisted(fact.what.pid, session=fact.session, at=heard_at, host=self.host)


def is_registry_file(file: Path) -> bool:
    """A client's own file: not its key, nor the older form that names no status."""
    return file.suffix == ".json" and file.stem.isdecimal()


def _stamp(file: Path) -> Stamp:
    stat = file.stat()
    return Stamp(stat.st_ino, stat.st_size, stat.st_mtime_ns)


def _files(folder: Path) -> list[Path]:
    try:
        return [file for file in (folder / "sessions").iterdir() if is_registry_file(file)]
    except OSError:
        return []
