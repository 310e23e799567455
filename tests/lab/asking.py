"""Asks a daemon over a socket, with whatever headers a test wants to send, and hears its stream."""

import http.client
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlsplit

PATIENCE_SECONDS = 10.0


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Caller:
    """Somebody who asks. `headers` go with every call; Host is the daemon's own unless given."""

    url: str
    headers: Mapping[str, str]

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, headers)

    def post(self, path: str, body: bytes = b"", **headers: str) -> Answer:
        return self.ask("POST", path, headers, body)

    def ask(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes = b""
    ) -> Answer:
        connection = self._sent(method, path, headers or {}, body)
        try:
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, told, answer.read())
        finally:
            connection.close()

    def hear(self, place: int | None = None) -> "Stream":
        headers = {} if place is None else {"last-event-id": str(place)}
        return Stream(self._sent("GET", "/api/stream", headers, b""))

    def _sent(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> http.client.HTTPConnection:
        """A connection on which one request has been sent, its path exactly as written here."""
        where = urlsplit(self.url)
        connection = http.client.HTTPConnection(
            where.hostname or "", where.port, timeout=PATIENCE_SECONDS
        )
        said = {"host": where.netloc, **self.headers}
        said |= {name.replace("_", "-"): value for name, value in headers.items()}
        if body:
            said.setdefault("content-length", str(len(body)))
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in said.items():
            connection.putheader(name, value)
        connection.endheaders()
        if body:
            connection.send(body)
        return connection


def bearing(url: str, token: str) -> Caller:
    return Caller(url, {"authorization": f"Bearer {token}"})


class Event(NamedTuple):
    """One server-sent event; without a place if more of the same position follows."""

    name: str
    data: Any
    place: int | None


class Stream:
    """An open stream. Iterating ends when the daemon closes it, or dies."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self._connection = connection
        self.answer = connection.getresponse()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None:
        self.answer.close()
        self._connection.close()

    def lines(self) -> Iterator[str]:
        while line := self.answer.readline():
            yield line.decode().rstrip("\n")

    def __iter__(self) -> Iterator[Event]:
        fields: dict[str, str] = {}
        for line in self.lines():
            name, _, value = line.partition(": ")
            if name:
                fields[name] = value
            elif "event" in fields:
                yield _event(fields)
                fields = {}
            else:
                fields = {}


def _event(fields: Mapping[str, str]) -> Event:
    place = int(fields["id"]) if "id" in fields else None
    return Event(fields["event"], json.loads(fields["data"]), place)


def groups(events: Iterator[Event]) -> Iterator[tuple[int, list[Event]]]:
    """The events of each position together: a position counts once its last event has come."""
    held: list[Event] = []
    for event in events:
        held.append(event)
        if event.place is not None:
            yield event.place, held
            held = []
