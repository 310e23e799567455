"""`GET /api/stream`: the board, live. A raw handler: it must cost next to nothing per event."""

import asyncio
from typing import Final
from urllib.parse import parse_qs

from litestar import asgi
from litestar.handlers import ASGIRouteHandler

from turnkeeper.facts.fact import Position
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.projections.events import lagged_frame, snapshot_frame
from turnkeeper.surfaces.http.hub import Hub, Reader
from turnkeeper.surfaces.http.replies import refuse_method
from turnkeeper.surfaces.http.wire import Receive, Scope, Send

HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
BEAT: Final = b": still here\n\n"
PATH: Final = "/api/stream"
LONGEST_PLACE: Final = 18
"""Digits: more is no position of any journal."""


def stream_handler(hub: Hub, store: BoardStore) -> ASGIRouteHandler:
    @asgi(PATH, copy_scope=False)
    async def stream(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            await refuse_method(send, "GET")
            return
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        reader = hub.join()
        leaving = asyncio.create_task(_watch(reader, receive))
        try:
            await _serve(reader, hub, store, place_of(scope), send)
        finally:
            leaving.cancel()
            hub.leave(reader)

    return stream


async def _serve(
    reader: Reader, hub: Hub, store: BoardStore, place: Position | None, send: Send
) -> None:
    position, first = await asyncio.to_thread(_beginning, store, place)
    await _send(send, first)
    while not reader.gone and not hub.closed:
        await reader.wait()
        if reader.lagged:
            reader.lagged = False
            reason = "this reader fell too far behind"
            position, chunk = await asyncio.to_thread(_snapshot, store, reason)
        else:
            position, chunk = reader.take(position)
        await _send(send, chunk or BEAT)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def _beginning(store: BoardStore, place: Position | None) -> tuple[Position, bytes]:
    """What a reader hears first: what it missed, or else the whole board."""
    if place is None:
        return _snapshot(store, "")
    missed = store.told_after(place)
    if missed is None:
        return _snapshot(store, "what you missed is not kept any more")
    reached, told = missed
    return reached, told or BEAT


def _snapshot(store: BoardStore, reason: str) -> tuple[Position, bytes]:
    snapshot = store.snapshot()
    told = snapshot_frame(snapshot)
    return Position(snapshot.position), lagged_frame(reason) + told if reason else told


def place_of(scope: Scope) -> Position | None:
    """Where this reader stopped. A place we cannot read means from the start."""
    headers = dict(scope["headers"])
    query = parse_qs(scope["query_string"].decode("latin-1"))
    said = headers.get(b"last-event-id", b"").decode("latin-1")
    said = said or query.get("last_event_id", [""])[0]
    readable = said.isascii() and said.isdecimal() and len(said) <= LONGEST_PLACE
    return Position(int(said)) if readable else None


async def _send(send: Send, data: bytes) -> None:
    await send({"type": "http.response.body", "body": data, "more_body": True})


async def _watch(reader: Reader, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    reader.leave()
