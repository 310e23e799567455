"""What `turnkeeper run` leaves in the spool beside the hooks: a client launched, a client ended.

One JSON object a line, like a hook's payload, and told from it by the key `turnkeeper_event`.
Writing never fails aloud: a client runs whether or not anybody keeps a record of it.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import msgspec

from turnkeeper.facts.fact import Fact, Moment, Source
from turnkeeper.facts.identity import digest
from turnkeeper.facts.kinds import ClientLaunched, Unrecognised
from turnkeeper.sources.claude_registry import exited
from turnkeeper.sources.claude_words import KEPT_RAW

MARK: Final = b'"turnkeeper_event"'
NAMELESS: Final = "x"
"""Stands for the session in a file's name, as it does in a hook's, where none is known."""


class RunRecord(msgspec.Struct, frozen=True):
    """`at` is when it happened: the file's own time would be that of its last line."""

    turnkeeper_event: Literal["launched", "ended"]
    pid: int
    at: int
    session_id: str = ""
    started: str = ""
    cwd: str = ""
    command: str = ""
    code: int | None = None


_decoder: Final = msgspec.json.Decoder(RunRecord)


def write_record(spool: Path, record: RunRecord) -> None:
    """Append a record to this process's file in the spool, if that can be done at all."""
    file = spool / f"{record.session_id or NAMELESS}.{os.getpid()}.jsonl"
    with suppress(OSError):
        spool.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        spool.mkdir(mode=0o700, exist_ok=True)
        with open(file, "ab", buffering=0, opener=_private) as out:
            out.write(msgspec.json.encode(record) + b"\n")


def is_record(raw: bytes) -> bool:
    """Whether a line of the spool is ours: our key stands first, and in no hook's payload."""
    return raw.lstrip(b" {").startswith(MARK)


def read_record(
    raw: bytes, *, key: str, happened_at: Moment, heard_at: Moment, host: str
) -> list[Fact]:
    """Translate one record. Never raises and never drops."""
    try:
        record = _decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as cause:
        kept = raw[:KEPT_RAW].decode("utf-8", "replace")
        what = Unrecognised(kept, str(cause), digest(raw), len(raw))
        return [Fact(key, "", Source.RUN, happened_at, heard_at, what, host=host)]
    at = Moment(record.at) if 0 < record.at <= heard_at else happened_at
    session, pid, started = record.session_id, record.pid, record.started
    if record.turnkeeper_event == "ended":
        return [exited(pid, started, session=session, at=at, host=host, source=Source.RUN)]
    launched = ClientLaunched(pid, started, record.cwd, record.command)
    return [Fact(key, session, Source.RUN, at, heard_at, launched, host=host)]


def _private(file: str, flags: int) -> int:
    return os.open(file, flags, 0o600)
