"""A fact on its way into the log: checked, made writable and encoded.

Whatever is wrong with a fact is found here, before it is queued, so that it fails alone
and so that nothing is ever written which cannot be read back.
"""

from typing import Final

import msgspec

from turnkeeper.errors import FactUnreadable
from turnkeeper.facts.codec import decode, encode, speakable
from turnkeeper.facts.fact import Fact, Moment, Source
from turnkeeper.facts.kinds import What, Word
from turnkeeper.ports import Mark

BIGGEST: Final = 2**63 - 1
INODES: Final = 2**64


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A fact as the log holds it."""

    key: str
    session: str
    thread: str
    host: str
    source: str
    kind: str
    happened_at: int
    heard_at: int
    payload: bytes


def seal(fact: Fact) -> Entry:
    """Make a fact ready to be written, or say what is wrong with it.

    Who it is about comes from outside and is never refused: what a database cannot hold
    (lone surrogates, NUL) is replaced. The key is ours and must be writable as it is,
    because a replaced key could be another fact's.
    """
    if not isinstance(fact, Fact):
        raise FactUnreadable(f"{type(fact).__name__} is not a fact")
    if not fact.key or _written(fact.key, "key") != fact.key:
        raise FactUnreadable(f"the key {fact.key!r} cannot be written down")
    return Entry(
        fact.key,
        _written(fact.session, "session"),
        _written(fact.thread, "thread"),
        _written(fact.host, "host"),
        _source(fact.source),
        _kind(fact.what),
        _number(fact.happened_at, "happened_at"),
        _number(fact.heard_at, "heard_at"),
        _payload(fact.what),
    )


def unseal(entry: Entry) -> Fact:
    """Read an entry back. Raises FactUnreadable for a word that no codec knows."""
    return Fact(
        entry.key,
        entry.session,
        _sourced(entry.source),
        Moment(entry.happened_at),
        Moment(entry.heard_at),
        decode(entry.payload),
        entry.thread,
        entry.host,
    )


def checked(mark: Mark) -> Mark:
    """The same mark, or what is wrong with it."""
    if not isinstance(mark, Mark):
        raise FactUnreadable(f"{type(mark).__name__} is not a mark")
    _written(mark.name, "name")
    _written(mark.memo, "memo")
    _number(mark.offset, "offset")
    if type(mark.inode) is not int or not 0 <= mark.inode < INODES:
        raise FactUnreadable(f"a mark's inode is no number of a file: {mark.inode!r}")
    return mark


def writable(text: str) -> str:
    """Replace what a database cannot hold in a text: lone surrogates and NUL."""
    if text.isascii() and "\0" not in text:
        return text
    return speakable(text).replace("\0", "\N{REPLACEMENT CHARACTER}")


_SOURCES: Final = {source.value: source for source in Source}
_SPELLED: Final = {source: source.value for source in Source}
_KINDS: Final[dict[type, str]] = {
    word: str(word.__struct_config__.tag) for word in Word.__subclasses__()
}


def _source(source: object) -> str:
    if not isinstance(source, str) or source not in _SOURCES:
        raise FactUnreadable(f"no source is called {source!r}")
    return _SPELLED[_SOURCES[source]]


def _sourced(source: str) -> Source:
    if source not in _SOURCES:
        raise FactUnreadable(f"no source is called {source!r}")
    return _SOURCES[source]


def _written(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise FactUnreadable(f"its {field} is {type(value).__name__}, not text")
    return writable(value) if value else value


def _number(value: object, field: str) -> int:
    if type(value) is not int or not -BIGGEST <= value <= BIGGEST:
        raise FactUnreadable(f"its {field} is no 64-bit number: {str(value)[:40]}")
    return value


def _kind(what: object) -> str:
    if type(what) not in _KINDS:
        raise FactUnreadable(f"it says {type(what).__name__}, which is no kind of fact")
    return _KINDS[type(what)]


def _payload(what: What) -> bytes:
    try:
        payload = encode(what)
    except UnicodeEncodeError as cause:
        raise FactUnreadable(f"{type(what).__name__}: {cause.reason}") from cause
    decode(payload)
    return payload
