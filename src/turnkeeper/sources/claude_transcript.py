"""Reads Claude Code's transcript lines. Never raises and never drops.

Every line becomes at least one fact: something said or done, a turn's end, a passed
line of bookkeeping (type, hash and place), or `Unrecognised`, kept for a later version.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from turnkeeper.facts.fact import MAIN_THREAD, NEVER, Fact, Moment, Source
from turnkeeper.facts.identity import digest, entry_key
from turnkeeper.facts.kinds import LinePassed, SessionSeen, Unrecognised
from turnkeeper.sources.claude_lines import Line, legible, line_decoder
from turnkeeper.sources.claude_words import KEPT_RAW, may_speak, words_of

SPLICE = re.compile(rb'(?<=[}\0])(?=\{")|(?<=[\s\S])(?=\{"parentUuid":)')
"""Where one record can begin inside a damaged line. Inside a text its quotes are escaped."""

TIMESTAMP = re.compile(rb'"timestamp":"([0-9TZ:.+-]+)"')


@dataclass
class Reading:
    """Where the reader of one file stands, and what it must remember to read on."""

    session: str
    host: str = ""
    thread: str = MAIN_THREAD
    path: str = ""
    prompt: str = ""
    at: Moment = NEVER
    seen: SessionSeen = field(default_factory=SessionSeen)
    passed: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line stands in its file, and when we read it."""

    start: int
    end: int
    heard_at: Moment


def read_line(raw: bytes, reading: Reading, place: Place) -> list[Fact]:
    """Translate one line, without its newline."""
    try:
        line = _decoded(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError) as cause:
        return _damaged(raw, reading, place, str(cause))
    return _facts(line, raw, reading, place)


def _decoded(raw: bytes) -> Line:
    """The line with its texts made legible. Most lines say nothing, and what is not kept need not
    be legible: they are read as they are."""
    try:
        line = line_decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return line_decoder.decode(legible(raw))
    mended = legible(raw) if may_speak(line) else raw
    return line if mended is raw else line_decoder.decode(mended)


def count_line(raw: bytes, reading: Reading) -> None:
    """Remember a line read in an earlier life, so that the next like it has its number."""
    named = _uuid(raw)
    pieces = [raw] if named is not None else SPLICE.split(raw)
    for piece in pieces:
        if not (named or _uuid(piece)):
            reading.passed[digest(piece)] += 1


def _uuid(raw: bytes) -> str | None:
    """A line's uuid; None where it cannot be read."""
    try:
        return _decoded(raw).uuid
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError):
        return None


def _facts(line: Line, raw: bytes, reading: Reading, place: Place) -> list[Fact]:
    at = moment_of(line.timestamp) or reading.at or place.heard_at
    reading.at = max(reading.at, at)
    if line.type == "user" and line.prompt_id:
        reading.prompt = line.prompt_id
    words = words_of(line, reading.prompt)
    name = "" if line.uuid and words else digest(raw)
    identity = line.uuid or _occurrence(name, reading)
    if not words:
        words = [_passed(line, name, place)]
    thread = _thread(line, reading)
    facts = [
        Fact(
            key=entry_key(reading.session, identity, part),
            session=reading.session,
            source=Source.TRANSCRIPT,
            happened_at=at,
            heard_at=place.heard_at,
            what=word,
            thread=thread,
            host=reading.host,
        )
        for part, word in enumerate(words)
    ]
    return [*_seen(line, reading, at, place), *facts]


def _occurrence(name: str, reading: Reading) -> str:
    reading.passed[name] += 1
    return f"{name}#{reading.passed[name]}"


def _thread(line: Line, reading: Reading) -> str:
    if reading.thread != MAIN_THREAD:
        return reading.thread
    if line.is_sidechain or line.team_name:
        return line.agent_id or line.team_name or "sidechain"
    return MAIN_THREAD


def _passed(line: Line, name: str, place: Place) -> LinePassed:
    kind = f"{line.type}:{line.subtype}" if line.subtype else line.type
    return LinePassed(kind or "?", name, place.start, place.end)


def _seen(line: Line, reading: Reading, at: Moment, place: Place) -> list[Fact]:
    """Say where the session lives whenever that changes."""
    if not line.cwd or reading.thread != MAIN_THREAD or line.is_sidechain:
        return []
    parent = line.snake_session_id or ""
    now = SessionSeen(
        cwd=line.cwd,
        transcript=reading.path,
        branch=line.git_branch or "",
        version=line.version or "",
        entrypoint=line.entrypoint or "",
        parent=parent if parent not in ("", reading.session) else reading.seen.parent,
    )
    if now == reading.seen:
        return []
    reading.seen = now
    key = f"w:{digest(reading.session, line.uuid, msgspec.json.encode(now))}"
    return [
        Fact(key, reading.session, Source.TRANSCRIPT, at, place.heard_at, now, host=reading.host)
    ]


def first_moment(raw: bytes) -> Moment:
    """The first time that these lines tell: a client begins a file with lines that tell none, and
    whoever reads it years later did not hear them happen."""
    found = TIMESTAMP.search(raw)
    return (moment_of(found.group(1).decode()) if found else None) or NEVER


def moment_of(timestamp: str) -> Moment | None:
    """A client's timestamp; None where it has none we can read."""
    try:
        when = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    if when.tzinfo is None:
        return None
    return Moment(round(when.timestamp() * 1_000_000))


# Lines that cannot be read ---------------------------------------------------------------


def _damaged(raw: bytes, reading: Reading, place: Place, why: str) -> list[Fact]:
    """Read what a torn write spliced into one line; keep the rest as it is."""
    pieces = SPLICE.split(raw)
    if len(pieces) == 1:
        return [_kept(raw, reading, place, why)]
    facts: list[Fact] = []
    start = place.start
    for piece in pieces:
        part = Place(start, start + len(piece), place.heard_at)
        try:
            facts += _facts(_decoded(piece), piece, reading, part)
        except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError) as cause:
            facts.append(_kept(piece, reading, part, str(cause)))
        start += len(piece)
    return facts


def _kept(raw: bytes, reading: Reading, place: Place, why: str) -> Fact:
    name = digest(raw)
    identity = _occurrence(name, reading)
    what = Unrecognised(
        raw=raw[:KEPT_RAW].decode("utf-8", "replace"),
        why=why,
        hash=name,
        size=len(raw),
        start=place.start,
    )
    at = reading.at or place.heard_at
    key = entry_key(reading.session, identity)
    return Fact(
        key,
        reading.session,
        Source.TRANSCRIPT,
        at,
        place.heard_at,
        what,
        reading.thread,
        reading.host,
    )
