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
COOKIE: Final = "turnkeeper"
LINK_LIVES: Final = 600_000_000
"""Microseconds for which a one-time link can be used."""


class Rights(StrEnum):
    NONE = "none"
    READ = "read"
    FULL = "full"


def token_in(folder: Path, name: str) -> str:
    """The token kept in this file, for its owner alone; made on first use."""
    file = folder / name
    try:
        if not file.exists():
            descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(descriptor, "w") as fresh:
                fresh.write(secrets.token_urlsafe(32))
        return file.read_text().strip()
    except OSError as cause:
        raise FolderUnusable(str(folder), cause.strerror or str(cause)) from cause


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
        code = secrets.token_urlsafe(24)
        self._links[code] = self.clock.now() + LINK_LIVES
        return code

    def redeem(self, code: str) -> str | None:
        """A cookie in exchange for a code; None for one that is unknown, used or too old."""
        until = self._links.pop(code, 0)
        return self.new_cookie() if until > self.clock.now() else None

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
