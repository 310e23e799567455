"""Who may do what: tokens for programs, one-time links and signed cookies for browsers."""

import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from turnkeeper.errors import FolderUnusable
from turnkeeper.ports import Clock

TOKEN: Final = "token"
READING_TOKEN: Final = "token-readonly"
SHORTEST: Final = 16
"""Characters of a token that is hard to guess, should a person write one of their own."""

LINK_LIVES: Final = 600_000_000
"""Microseconds for which a one-time link can be used."""


class Rights(StrEnum):
    NONE = "none"
    READ = "read"
    FULL = "full"


def token_in(folder: Path, name: str) -> str:
    """The token kept in this file, for its owner alone; made on first use.

    A file that is too short is one that nobody finished, and is made anew: an empty token would
    let everyone in.
    """
    file = folder / name
    try:
        kept = file.read_text().strip() if file.exists() else ""
        if len(kept) < SHORTEST:
            return _made(file)
        file.chmod(0o600)
        return kept
    except OSError as cause:
        raise FolderUnusable(str(folder), cause.strerror or str(cause)) from cause


def _made(file: Path) -> str:
    """A new token, in a file that is there as a whole or not at all."""
    token, fresh = secrets.token_urlsafe(32), file.with_name(f".{file.name}-{os.getpid()}")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w") as kept:
        kept.write(token)
    fresh.replace(file)
    return token


@dataclass
class Keys:
    """All secrets of one daemon. Cookies are signed with the token: a new token ends them all."""

    full: str
    reading: str
    clock: Clock
    _links: dict[str, int] = field(default_factory=dict)

    def rights_of_token(self, said: str) -> Rights:
        """Compared in constant time: how long a refusal takes tells nothing."""
        full = same(said, self.full)
        reading = same(said, self.reading)
        if full:
            return Rights.FULL
        return Rights.READ if reading else Rights.NONE

    def new_code(self) -> str:
        """A code that lets one browser in, once, soon."""
        code, now = secrets.token_urlsafe(24), self.clock.now()
        self._links = {each: until for each, until in self._links.items() if until > now}
        self._links[code] = now + LINK_LIVES
        return code

    def redeem(self, code: str) -> str | None:
        """A cookie in exchange for a code; None for one that is unknown, used or too old."""
        until = self._links.pop(code, 0)
        return self.new_cookie() if until > self.clock.now() else None

    @property
    def cookie_name(self) -> str:
        """Of this daemon alone: a browser shares its cookies among all ports of a host."""
        return f"turnkeeper-{self._signed('name', '')[:8]}"

    def new_cookie(self) -> str:
        name = secrets.token_urlsafe(16)
        return f"{name}.{self._signed('cookie', name)}"

    def rights_of_cookie(self, cookie: str) -> Rights:
        name, _, signature = cookie.partition(".")
        return Rights.FULL if same(signature, self._signed("cookie", name)) else Rights.NONE

    def csrf_of(self, cookie: str) -> str:
        """What a page must say with every call that changes something."""
        return self._signed("csrf", cookie)

    def _signed(self, purpose: str, name: str) -> str:
        message = f"{purpose}:{name}".encode("utf-8", "replace")
        return hmac.new(self.full.encode(), message, hashlib.sha256).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare two secrets in a time that tells nothing about them."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
