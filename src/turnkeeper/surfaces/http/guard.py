"""Stands before everything that is served: who asks, from where, how much, how slowly.

One rule for Litestar's handlers and the raw ones alike (docs/decisions/0003).
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Final

from turnkeeper.surfaces.http.keys import Keys, Rights, same
from turnkeeper.surfaces.http.replies import refuse
from turnkeeper.surfaces.http.wire import App, Message, Receive, Scope, Send

LARGEST_BODY: Final = 10 * 1024 * 1024
BODY_WITHIN: Final = 10.0
"""Seconds within which a whole body must have come."""

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
OPEN_PATHS: Final = frozenset({"/", "/login", "/favicon.ico"})
"""The page's shell and the door. Neither tells anything about anyone, so a link on any page may
lead to them."""
OPEN_PARTS: Final = re.compile(r"/assets/[^/]+")
"""What the shell loads: the same for everybody."""

READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
CSRF_HEADER: Final = b"x-turnkeeper-csrf"
OWN_SITES: Final = ("same-origin", "none")
"""Where a browser may say that a call comes from: the board itself, or a person. `same-site` is
another port of this machine, and as foreign as any other page."""

UNCACHED: Final = (b"cache-control", b"no-store")
HARDENED: Final = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; "
        b"connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; "
        b"frame-ancestors 'none'",
    ),
]


@dataclass(frozen=True, slots=True)
class Refusal:
    status: int
    error: str
    message: str
    hint: str


@dataclass(frozen=True)
class Guard:
    """An ASGI application around the application."""

    app: App
    keys: Keys
    hosts: frozenset[str] = field(default=LOOPBACK)
    largest_body: int = LARGEST_BODY
    body_within: float = BODY_WITHIN

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        refusal = self._judge(scope)
        if refusal is not None:
            await _refuse(send, refusal)
            return
        if scope["method"] in READS:
            await self.app(scope, receive, _hardened(send))
            return
        body = await self._body(receive)
        if isinstance(body, Refusal):
            await _refuse(send, body)
            return
        await self.app(scope, _replayed(body, receive), _hardened(send))

    def _judge(self, scope: Scope) -> Refusal | None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if host_of(headers.get(b"host", "")) not in self.hosts:
            return Refusal(
                403,
                "HostRefused",
                f"This daemon is not called {headers.get(b'host', '')[:100]!r}",
                "Use the address it printed, or name this one with `up --allow-host`",
            )
        if is_open(scope):
            return None
        if not _same_origin(headers):
            return Refusal(
                403,
                "OriginRefused",
                "A page of another site may not ask here",
                "Open the board itself",
            )
        return self._rights(scope, headers)

    def _rights(self, scope: Scope, headers: Mapping[bytes, str]) -> Refusal | None:
        token = token_of(headers.get(b"authorization", ""))
        if token is not None:
            return _may(self.keys.rights_of_token(token), scope["method"])
        cookie = cookie_of(headers.get(b"cookie", ""), self.keys.cookie_name)
        rights = self.keys.rights_of_cookie(cookie)
        refusal = _may(rights, scope["method"])
        if refusal is not None or scope["method"] in READS:
            return refusal
        if not same(headers.get(CSRF_HEADER, ""), self.keys.csrf_of(cookie)):
            return Refusal(
                403,
                "CsrfMissing",
                "This call does not carry the page's own mark",
                "Send the value of /api/session's `csrf` as X-Turnkeeper-Csrf",
            )
        return None

    async def _body(self, receive: Receive) -> bytes | Refusal:
        """The whole body, unless it is too large or comes too slowly."""
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self.body_within):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return Refusal(400, "BodyCut", "The body ended too soon", "Send it again")
                    chunks.append(message["body"])
                    size += len(message["body"])
                    if size > self.largest_body:
                        limit = f"A body may hold {self.largest_body:,} bytes"
                        return Refusal(413, "TooLarge", limit, "Send less at a time")
                    if not message["more_body"]:
                        return b"".join(chunks)
        except TimeoutError:
            return Refusal(
                408, "TooSlow", "The body did not come in time", "Send it again, at once"
            )


def is_open(scope: Scope) -> bool:
    return is_open_path(scope["path"]) and scope["method"] in READS


def is_open_path(path: str) -> bool:
    return path in OPEN_PATHS or OPEN_PARTS.fullmatch(path) is not None


def token_of(authorization: str) -> str | None:
    """The token in an Authorization header; None where it holds something else."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _may(rights: Rights, method: str) -> Refusal | None:
    if rights is Rights.NONE:
        return Refusal(
            401,
            "TokenMissing",
            "Nobody gets in without a token",
            "Send `Authorization: Bearer TOKEN`; the token is in the data folder's file `token`",
        )
    if rights is Rights.READ and method not in READS:
        return Refusal(
            403, "ReadOnly", "This token may only read", "Use the full token to change something"
        )
    return None


def host_of(header: str) -> str:
    """The name in a Host header, without its port."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.rpartition(":")[0].lower() if ":" in header else header.lower()


def _same_origin(headers: Mapping[bytes, str]) -> bool:
    """A browser says where a page comes from; programs say nothing."""
    if headers.get(b"sec-fetch-site", "none") not in OWN_SITES:
        return False
    host = headers.get(b"host", "")
    return headers.get(b"origin") in (None, f"http://{host}", f"https://{host}")


def cookie_of(header: str, name: str) -> str:
    cookies: SimpleCookie = SimpleCookie()
    try:
        cookies.load(header)
    except CookieError:
        return ""
    return cookies[name].value if name in cookies else ""


async def _refuse(send: Send, refusal: Refusal) -> None:
    await refuse(_hardened(send), refusal.status, refusal.error, refusal.message, refusal.hint)


def _replayed(body: bytes, receive: Receive) -> Receive:
    pending = [body]

    async def replay() -> Message:
        if pending:
            return {"type": "http.request", "body": pending.pop(), "more_body": False}
        return await receive()

    return replay


def _hardened(send: Send) -> Send:
    async def hardened(message: Message) -> None:
        if message["type"] == "http.response.start":
            said = message["headers"]
            cached = any(name.lower() == UNCACHED[0] for name, _ in said)
            message["headers"] = [*said, *HARDENED, *([] if cached else [UNCACHED])]
        await send(message)

    return hardened
