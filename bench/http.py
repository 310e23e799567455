"""Hook intake over HTTP, each payload committed before it is answered, at 1, 16 and 64 connections.

In the same run, by the same client:

- echo: a bare ASGI application on the same uvicorn, which reads the body and answers.
- prototype: a raw ASGI application that commits a ready-made row in groups, and knows nothing else.
- ours: a whole daemon, with token, translation, journal, and the board that is folded meanwhile.

The group commit alone, without HTTP, is the floor of `bench journal`.
"""

import asyncio
import itertools
import json
import multiprocessing
import socket
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import uvloop

from bench.journal import Floor, best, floor_pace, row
from tests.lab.daemon import Daemon
from turnkeeper.daemon.server import Server, listen
from turnkeeper.journal.sql import SqlJournal
from turnkeeper.surfaces.http.wire import App, Receive, Scope, Send

CONNECTIONS: Final = (1, 16, 64)
POSTS: Final = {1: 400, 16: 3000, 64: 6000}
ROUNDS: Final = 2
AIM: Final = 0.70
PATIENCE: Final = 60.0
ACCEPTED: Final = [(b"content-type", b"application/json"), (b"content-length", b"14")]
ANSWER: Final = b'{"position":1}'


def payload(number: int) -> bytes:
    """What a client tells before a tool call."""
    told = {"hook_event_name": "PreToolUse", "session_id": f"session-{number % 64:02}"}
    told |= {"cwd": "/home/ada/project", "prompt_id": f"p-{number}", "tool_name": "Bash"}
    called = {"command": "pytest -q tests/pure", "description": "Run the pure tests"}
    return json.dumps({**told, "tool_use_id": f"t-{number}", "tool_input": called}).encode()


# The servers -------------------------------------------------------------------------------------


async def _body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message["body"], message["more_body"]
    return body


def answering(then: Callable[[bytes], Awaitable[object]]) -> App:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await then(await _body(receive))
        await send({"type": "http.response.start", "status": 202, "headers": ACCEPTED})
        await send({"type": "http.response.body", "body": ANSWER})

    return app


async def _nothing(_: bytes) -> None:
    return


async def _serve(kind: str, folder: Path, pipe: Connection) -> None:
    """Serve until the other end of the pipe says something."""
    await (await SqlJournal.open(folder / "journal.db")).close()
    floor = Floor(folder / "journal.db")
    rows = map(row, itertools.count())
    app = answering(_nothing if kind == "echo" else lambda _: floor.append(next(rows)))
    bound = listen("127.0.0.1", 0)
    server = Server(app, bound)
    server.start()
    pipe.send(bound.getsockname()[1])
    await asyncio.to_thread(pipe.recv)
    await server.stop()
    floor.close()


def serve(kind: str, folder: Path, pipe: Connection) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(kind, folder, pipe))


@contextmanager
def served(kind: str) -> Iterator[tuple[int, str]]:
    """A server in a process of its own: its port and a token."""
    with tempfile.TemporaryDirectory(prefix="tk-bench-") as folder:
        if kind == "ours":
            daemon = Daemon(Path(folder) / "data", Path(folder) / "claude")
            daemon.start()
            try:
                yield urlsplit(daemon.url).port or 0, daemon.token
            finally:
                daemon.close()
            return
        here, there = multiprocessing.Pipe()
        spawn = multiprocessing.get_context("spawn")
        process = spawn.Process(target=serve, args=(kind, Path(folder), there))
        process.start()
        yield here.recv(), ""
        here.send("enough")
        process.join()


# The client --------------------------------------------------------------------------------------


class Poster(asyncio.Protocol):
    """One connection that is kept: a payload, its answer, the next payload."""

    def __init__(self, requests: Iterator[bytes], done: asyncio.Future[None]) -> None:
        self._requests = requests
        self._done = done
        self._heard = b""

    def connection_made(self, transport: asyncio.WriteTransport) -> None:  # type: ignore[override]  # uvloop's is no subclass
        self._transport = transport
        self._next()

    def data_received(self, data: bytes) -> None:
        self._heard += data
        if self._heard.endswith(b"}"):
            assert self._heard.startswith(b"HTTP/1.1 202"), self._heard
            self._heard = b""
            self._next()

    def _next(self) -> None:
        request = next(self._requests, None)
        if request is None:
            self._transport.close()
            self._done.set_result(None)
        else:
            self._transport.write(request)


async def _post(port: int, token: str, connections: int) -> float:
    """Payloads answered in a second."""
    head = (
        f"POST /api/hooks/claude HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\n"
    )
    bodies = [payload(number) for number in range(POSTS[connections])]
    requests = iter([f"{head}content-length: {len(b)}\r\n\r\n".encode() + b for b in bodies])
    loop = asyncio.get_running_loop()
    done = [loop.create_future() for _ in range(connections)]
    began = time.perf_counter()
    for each in done:
        await loop.create_connection(
            lambda each=each: Poster(requests, each),  # type: ignore[misc]  # mypy infers no lambda defaults
            "127.0.0.1",
            port,
            family=socket.AF_INET,
        )
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*done)
    return len(bodies) / (time.perf_counter() - began)


def pace(kind: str, connections: int) -> float:
    with (
        served(kind) as (port, token),
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        return max(runner.run(_post(port, token, connections)) for _ in range(ROUNDS))


def main() -> None:
    print("hook payloads a second over HTTP, each committed (aim: 70 % of the prototype)")
    names = ("connections", "commit alone", "echo", "prototype", "ours", "of prototype", "of echo")
    print("".join(f"{name:>14}" for name in names))
    for connections in CONNECTIONS:
        alone = best(floor_pace, connections).per_second
        echo, prototype, ours = (pace(kind, connections) for kind in ("echo", "prototype", "ours"))
        print(
            f"{connections:>14}{alone:>14.0f}{echo:>14.0f}{prototype:>14.0f}{ours:>14.0f}", end=""
        )
        met = "" if ours >= AIM * prototype else "  MISSED"
        print(f"{ours / prototype:>14.0%}{ours / echo:>14.0%}{met}")


if __name__ == "__main__":
    main()
