"""`POST /api/hooks/claude`: one hook payload over HTTP; 202 once it is committed. A raw handler."""

import itertools
from typing import Final

import msgspec
from litestar import asgi
from litestar.handlers import ASGIRouteHandler

from turnkeeper.errors import TurnkeeperError
from turnkeeper.facts.identity import digest
from turnkeeper.facts.kinds import Unrecognised
from turnkeeper.ports import Clock, Journal
from turnkeeper.sources.claude_hooks import read_hook
from turnkeeper.surfaces.http.replies import STATUS, refuse, refuse_method
from turnkeeper.surfaces.http.wire import Receive, Scope, Send

PATH: Final = "/api/hooks/claude"
ACCEPTED: Final = [(b"content-type", b"application/json")]


def intake_handler(journal: Journal, clock: Clock, host: str) -> ASGIRouteHandler:
    number = itertools.count()
    life = str(clock.now())

    @asgi(PATH, copy_scope=False)
    async def intake(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await refuse_method(send, "POST")
            return
        raw = await _whole(receive)
        now = clock.now()
        # Like a spool file's name: never the same again, so equal payloads stay two facts.
        key = f"p:{digest(host, life, str(next(number)))}"
        facts = read_hook(raw, key=key, happened_at=now, heard_at=now)
        if isinstance(facts[0].what, Unrecognised) and not facts[0].session:
            why = facts[0].what.why
            hint = "Send one hook payload, as the client gives it to a command hook"
            await refuse(send, 422, "PayloadUnreadable", f"This is no hook payload: {why}", hint)
            return
        told = [msgspec.structs.replace(fact, host=host) for fact in facts]
        try:
            appended = await journal.append(told)
        except TurnkeeperError as problem:
            status = STATUS.get(type(problem), 503)
            await refuse(send, status, type(problem).__name__, str(problem), problem.hint)
            return
        await _accept(send, appended.positions[-1])

    return intake


async def _accept(send: Send, position: int) -> None:
    body = b'{"position":%d}' % position
    headers = [*ACCEPTED, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 202, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def _whole(receive: Receive) -> bytes:
    """The guard has read and bounded the body already."""
    message = await receive()
    return message["body"] if message["type"] == "http.request" else b""
