"""Reads transcript files as they grow: by byte offset, whole lines only, one reader per file."""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from turnkeeper.facts.fact import Fact, Moment
from turnkeeper.facts.kinds import SessionSeen
from turnkeeper.ports import Mark
from turnkeeper.sources.claude_transcript import (
    Place,
    Reading,
    count_line,
    first_moment,
    read_line,
)
from turnkeeper.sources.listing import Listing

PIECE: Final = 256 * 1024
"""How much is read at a time, so that a long history never keeps a live session waiting."""

PROJECTS: Final = "projects"
SUBAGENTS: Final = "subagents"
AGENT_FILE: Final = "agent-"


class Memo(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a reader must remember beside its offset."""

    prompt: str = ""
    at: Moment = Moment(0)
    seen: SessionSeen = SessionSeen()


class Piece(NamedTuple):
    """What one look at a file gave: its facts, how far it was read, whether there is more."""

    facts: list[Fact]
    mark: Mark
    more: bool


@dataclass
class Cursor:
    """How far one file has been read, in this life."""

    reading: Reading
    inode: int
    offset: int = 0


class Transcripts:
    """All transcript files of some client folders. Not for two threads at once."""

    def __init__(self, folders: list[Path], *, host: str, marks: Mapping[str, Mark]) -> None:
        self._folders = folders
        self._host = host
        self._marks = dict(marks)
        self._cursors: dict[Path, Cursor] = {}
        self._listing = Listing(session_of)

    def files(self) -> Iterator[Path]:
        """Every transcript there is, sub-agents' included."""
        for folder in self._folders:
            for file in folder.glob("projects/*/**/*.jsonl"):
                if session_of(file) is not None and self._ours(file):
                    yield file

    def of_session(self, session: str) -> list[Path]:
        """A session's own file and those of its sub-agents, wherever the client moved them."""
        return self.of_sessions({session})

    def of_sessions(self, sessions: Set[str]) -> list[Path]:
        return [
            file
            for folder in self._folders
            for project in folder.glob("projects/*")
            for session, file in self._listing.under(project)
            if session in sessions and self._ours(file)
        ]

    def news_of(self, sessions: Set[str]) -> list[Path]:
        """The files of these sessions that have changed since they were last read."""
        return [file for file in self.of_sessions(sessions) if self.unread(file)]

    def _ours(self, file: Path) -> bool:
        """Whether a file really lies in a client's folder: a link in it may lead anywhere, and
        what lies elsewhere is none of our business."""
        place = file.resolve()
        return any(place.is_relative_to((each / PROJECTS).resolve()) for each in self._folders)

    def unread(self, file: Path) -> bool:
        """Whether a file has grown, shrunk or been replaced since it was last read."""
        mark = self._mark(file)
        try:
            stat = file.stat()
        except OSError:
            return False
        return mark is None or (stat.st_size, stat.st_ino) != (mark.offset, mark.inode)

    def read(self, file: Path, heard_at: Moment) -> Piece | None:
        """Read on in a file; None where there is no whole new line."""
        cursor = self._cursor(file)
        if cursor is None:
            return None
        try:
            raw, more = _whole_lines(file, cursor.offset)
        except OSError:
            return None
        if not raw:
            return None
        if cursor.offset == 0:
            cursor.reading.at = first_moment(raw)
        facts = [fact for line in _lines(raw, cursor, heard_at) for fact in line]
        cursor.offset += len(raw)
        mark = Mark(str(file), cursor.offset, cursor.inode, _memo(cursor.reading))
        self._marks[str(file)] = mark
        return Piece(facts, mark, more)

    def read_each(self, files: Iterable[Path], heard_at: Moment) -> list[Piece]:
        """Read on in each of these; nothing for a file without a whole new line."""
        pieces = (self.read(file, heard_at) for file in files)
        return [piece for piece in pieces if piece is not None]

    def forget(self, file: Path) -> None:
        """Read a file from its start next time; what it holds is known by name and added once."""
        self._cursors.pop(file, None)
        self._marks.pop(str(file), None)

    def _mark(self, file: Path) -> Mark | None:
        return self._marks.get(str(file))

    def _cursor(self, file: Path) -> Cursor | None:
        """The file's cursor; a new one where the file is new, was replaced or cut."""
        try:
            stat = file.stat()
        except OSError:
            self._cursors.pop(file, None)
            return None
        if not self._ours(file):
            return None
        cursor = self._cursors.get(file)
        if cursor is None:
            cursor = self._resumed(file, stat.st_ino)
        if stat.st_ino != cursor.inode or not _ends_a_line(file, cursor.offset, stat.st_size):
            cursor = Cursor(reading_of(file, self._host), stat.st_ino)
        self._cursors[file] = cursor
        return cursor if stat.st_size > cursor.offset else None

    def _resumed(self, file: Path, inode: int) -> Cursor:
        """Go on where an earlier life stopped. Lines without a name of their own are numbered,
        so those before the offset are counted again."""
        mark = self._mark(file)
        reading = reading_of(file, self._host)
        if mark is None or mark.inode != inode:
            return Cursor(reading, inode)
        memo = _remembered(mark.memo)
        reading.prompt, reading.at, reading.seen = memo.prompt, memo.at, memo.seen
        with file.open("rb") as lines:
            for line in lines.read(mark.offset).split(b"\n"):
                if line.strip():
                    count_line(line, reading)
        return Cursor(reading, inode, mark.offset)


def transcripts_in(paths: Iterable[Path]) -> list[Path]:
    """The transcripts among these, and in the folders among them: what was written into a new
    folder before it was watched is told by nobody else."""
    found = dict.fromkeys(
        file
        for path in paths
        for file in (path.glob("**/*.jsonl") if path.is_dir() else (path,))
        if file.suffix == ".jsonl" and session_of(file) is not None
    )
    return list(found)


def session_of(file: Path) -> str | None:
    """The session a transcript belongs to; None for a file that is none."""
    name = _folder_of_subagents(file)
    stem = name if name is not None else file.stem
    try:
        UUID(stem)
    except ValueError:
        return None
    return stem


def _folder_of_subagents(file: Path) -> str | None:
    for parent in file.parents:
        if parent.name == SUBAGENTS and file.stem.startswith(AGENT_FILE):
            return parent.parent.name
    return None


def reading_of(file: Path, host: str) -> Reading:
    """A reader for a session's own file, or for one of its sub-agents'."""
    session = session_of(file) or file.stem
    thread = file.stem.removeprefix(AGENT_FILE) if _folder_of_subagents(file) else ""
    return Reading(session, host, thread, str(file))


def _whole_lines(file: Path, offset: int) -> tuple[bytes, bool]:
    """The next whole lines, at least one if there is one, and whether more follow."""
    size = PIECE
    with file.open("rb") as source:
        source.seek(offset)
        raw = source.read(size)
        while raw and b"\n" not in raw:
            more = source.read(size)
            if not more:
                return b"", False
            raw += more
            size *= 2
        whole = raw[: raw.rfind(b"\n") + 1]
        return whole, len(whole) < len(raw) or bool(source.read(1))


def _lines(raw: bytes, cursor: Cursor, heard_at: Moment) -> Iterator[list[Fact]]:
    start = cursor.offset
    for line in raw.split(b"\n")[:-1]:
        end = start + len(line)
        if line.strip():
            yield read_line(line, cursor.reading, Place(start, end, heard_at))
        start = end + 1


def _ends_a_line(file: Path, offset: int, size: int) -> bool:
    """Whether our offset is still the start of a line: files are cut and written again."""
    if offset == 0:
        return True
    if size < offset:
        return False
    try:
        with file.open("rb") as source:
            source.seek(offset - 1)
            return source.read(1) == b"\n"
    except OSError:
        return False


def _memo(reading: Reading) -> str:
    return msgspec.json.encode(Memo(reading.prompt, reading.at, reading.seen)).decode()


def _remembered(memo: str) -> Memo:
    try:
        return msgspec.json.decode(memo, type=Memo)
    except msgspec.DecodeError:
        return Memo()
