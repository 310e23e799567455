"""Reads the daemon's live stream, and comes back to its place when the connection breaks."""

import http.client
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from turnkeeper.daemon.settings import Settings

AGAIN_AFTER = 0.2
LONGEST_SILENCE = 60.0


class Event(NamedTuple):
    name: str
    data: bytes
    id: str


def listen(chosen: "Settings", deadline: float) -> Iterator[Event]:
    """Every event until the deadline, of one daemon after another. Ends at the deadline."""
    from turnkeeper.daemon.lock import running

    place = ""
    while (left := deadline - time.monotonic()) > 0:
        told = running(chosen) or {}
        if "url" in told:
            for event in _connected(str(told["url"]), chosen.data, place, left):
                place = event.id or place
                yield event
        time.sleep(min(AGAIN_AFTER, max(0, deadline - time.monotonic())))


def _connected(url: str, data: Path, place: str, left: float) -> Iterator[Event]:
    where = urlsplit(url)
    silence = min(left, LONGEST_SILENCE)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=silence)
    token = (data / "token").read_text().strip()
    headers = {"Authorization": f"Bearer {token}", **({"Last-Event-ID": place} if place else {})}
    try:
        connection.request("GET", "/api/stream", headers=headers)
        yield from _events(connection.getresponse())
    except (OSError, http.client.HTTPException):
        return
    finally:
        connection.close()


def _events(response: http.client.HTTPResponse) -> Iterator[Event]:
    name, data, number = "", b"", ""
    for line in response:
        field, _, value = line.rstrip(b"\n").partition(b": ")
        match field:
            case b"event":
                name = value.decode()
            case b"data":
                data = value
            case b"id":
                number = value.decode()
            case b"" if name:
                yield Event(name, data, number)
                name, data, number = "", b"", ""
