"""Reads the daemon's log: JSON lines in a file that is renamed when it has grown large."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
from watchfiles import watch

from turnkeeper.desk.inquiry import SHORTEST_PREFIX, card
from turnkeeper.facts.fact import NEVER, Moment
from turnkeeper.journal.board_store import BoardStore

LEVELS: Final = ("debug", "info", "warning", "error")
SECOND: Final = 1_000_000
LOOK_AGAIN: Final = 1000
"""Milliseconds after which the file is looked at, whatever the system tells of it."""

Line = Mapping[str, object]
_decoder: Final = msgspec.json.Decoder(dict[str, object])


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which lines somebody wants to see."""

    level: str = "debug"
    since: Moment = NEVER
    agent: int | None = None
    sessions: tuple[str, ...] = ()

    def admits(self, line: Line) -> bool:
        return self._of_level(line) and self._of_agent(line) and moment_of(line) >= self.since

    def _of_level(self, line: Line) -> bool:
        level = line.get("level")
        return level not in LEVELS or LEVELS.index(str(level)) >= LEVELS.index(self.level)

    def _of_agent(self, line: Line) -> bool:
        if self.agent is None and not self.sessions:
            return True
        said = line.get("agent") == self.agent and self.agent is not None
        return said or str(line.get("session") or "") in self.sessions


def whose(store: BoardStore, name: str) -> tuple[int, tuple[str, ...]]:
    """The number and all sessions of the agent a person means."""
    found = card(store, name)
    return found.id, tuple(found.sessions)


def old_lines(log: Path) -> Iterator[Line]:
    """Every line that is kept, the oldest first."""
    for file in _files(log):
        with suppress(FileNotFoundError), file.open("rb") as book:
            yield from _lines(book)


def new_lines(log: Path) -> Iterator[Line]:
    """Every line that is kept, and then each as it comes, until interrupted."""
    for file in _files(log)[:-1]:
        with suppress(FileNotFoundError), file.open("rb") as book:
            yield from _lines(book)
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    log.touch(mode=0o600)
    book = log.open("rb")
    looks = watch(
        log.parent, watch_filter=None, debounce=40, step=10,
        rust_timeout=LOOK_AGAIN, yield_on_timeout=True,
    )  # fmt: skip
    try:
        yield from _lines(book)
        for _ in looks:
            yield from _lines(book)
            if _renamed(book, log):
                yield from _lines(book)
                book.close()
                book = log.open("rb")
                yield from _lines(book)
    finally:
        book.close()


def moment_of(line: Line) -> Moment:
    try:
        said = datetime.fromisoformat(str(line.get("timestamp")))
    except ValueError:
        return NEVER
    return Moment(int(said.timestamp() * SECOND))


def _files(log: Path) -> list[Path]:
    """The file and those it was before, the oldest first: turnkeeper.log.2, .1, then itself."""
    older = [file for file in log.parent.glob(f"{log.name}.*") if file.suffix[1:].isdecimal()]
    return [*sorted(older, key=lambda file: -int(file.suffix[1:])), log]


def _lines(book: BinaryIO) -> Iterator[Line]:
    """The whole lines there are; half a one is left for the next time."""
    while (raw := book.readline()).endswith(b"\n"):
        yield _line(raw)
    book.seek(-len(raw), os.SEEK_CUR)


def _line(raw: bytes) -> Line:
    try:
        return _decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {"event": raw.decode("utf-8", "replace").rstrip("\n")}


def _renamed(book: BinaryIO, log: Path) -> bool:
    try:
        return os.fstat(book.fileno()).st_ino != log.stat().st_ino
    except FileNotFoundError:
        return False


def chosen(lines: Iterable[Line], wanted: Wanted) -> Iterator[Line]:
    return (line for line in lines if wanted.admits(line))


def without_board(name: str) -> Wanted:
    """What can be asked for where no board says who an agent is: its number, or one session."""
    if name.isdecimal() and len(name) < SHORTEST_PREFIX:
        return Wanted(agent=int(name))
    return Wanted(sessions=(name,))
