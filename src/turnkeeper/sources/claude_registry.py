"""Reads Claude Code's registry files: one per running client, rewritten in place."""

from typing import Annotated

import msgspec

from turnkeeper.facts.fact import Fact, Moment, Source
from turnkeeper.facts.identity import digest
from turnkeeper.facts.kinds import Activity, ClientReported, ClientUnlisted, ProcessExited

LAST_MOMENT = 253_402_300_800_000
"""The end of the year 9999, in milliseconds: no client's clock says more."""

_KNOWN = {"busy": Activity.BUSY, "idle": Activity.IDLE, "shell": Activity.SHELL}


class Entry(msgspec.Struct, rename="camel"):
    """A registry file, as far as we read it."""

    pid: Annotated[int, msgspec.Meta(gt=0, lt=2**31)]
    session_id: Annotated[str, msgspec.Meta(min_length=1)]
    proc_start: str = ""
    status: str | None = None
    waiting_for: str | None = None
    cwd: str = ""
    version: str = ""
    name: str | None = None
    entrypoint: str = ""
    pid_domain: str | None = None
    tmux: str | None = None
    started_at: float | None = None
    updated_at: float | None = None
    status_updated_at: float | None = None


_decoder = msgspec.json.Decoder(Entry)


def read_entry(raw: bytes, *, heard_at: Moment, host: str) -> Fact | None:
    """Translate one file. None for a half-written one: whoever asked looks again."""
    try:
        entry = _decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return Fact(
        key=f"r:{digest(host, msgspec.json.encode(entry))}",
        session=entry.session_id,
        source=Source.REGISTRY,
        happened_at=_moment(entry) or heard_at,
        heard_at=heard_at,
        what=_report(entry),
        host=host,
    )


def _report(entry: Entry) -> ClientReported:
    return ClientReported(
        pid=entry.pid,
        started=entry.proc_start,
        activity=_activity(entry),
        # Leftovers of an earlier wait stay in the file.
        waiting_for=entry.waiting_for or "" if entry.status == "waiting" else "",
        cwd=entry.cwd,
        version=entry.version,
        name=entry.name or "",
        entrypoint=entry.entrypoint,
        domain=entry.pid_domain or "",
        tmux=entry.tmux or "",
    )


def _activity(entry: Entry) -> Activity:
    """An unknown word is no opinion: it is never mapped to a plausible one."""
    if entry.status == "waiting":
        return Activity.WAITING
    return _KNOWN.get(entry.status or "", Activity.UNSAID)


def _moment(entry: Entry) -> Moment | None:
    """The client's own time of the newest change it tells."""
    times = (entry.status_updated_at, entry.updated_at, entry.started_at)
    newest = max(time or 0 for time in times)
    return Moment(round(newest * 1000)) if 0 < newest < LAST_MOMENT else None


def unlisted(pid: int, *, session: str, at: Moment, host: str) -> Fact:
    key = f"u:{digest(host, str(pid), session, str(at))}"
    return Fact(key, session, Source.REGISTRY, at, at, ClientUnlisted(pid), host=host)


def exited(
    pid: int,
    started: str,
    *,
    session: str,
    at: Moment,
    host: str,
    source: Source = Source.PROCESS,
) -> Fact:
    """A process ends once, whoever sees it."""
    key = f"x:{digest(host, str(pid), started)}"
    return Fact(key, session, source, at, at, ProcessExited(pid, started), host=host)
