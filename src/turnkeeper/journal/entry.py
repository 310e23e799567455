"""A fact on its way into the log: checked, made writable and encoded.

Whatever is wrong with a fact is found here, before it is queued, so that it fails alone
and so that nothing is ever written which cannot be read back.
"""

from typing import Final

import msgspec
from msgspec.structs import astuple

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
    fields = astuple(fact)
    kind = _KINDS.get(tuple(map(type, fields)))
    if kind is None:
        raise FactUnreadable(_misfit(fact))
    key, session, source, happened_at, heard_at, what, thread, host = fields
    if not _plain(f"{key}{session}{thread}{host}"):
        session, thread, host = map(writable, (session, thread, host))
    if not key or writable(key) != key:
        raise FactUnreadable(f"the key {key!r} cannot be written down")
    if not (-BIGGEST <= happened_at <= BIGGEST and -BIGGEST <= heard_at <= BIGGEST):
        raise FactUnreadable(f"its times are beyond 64 bits: {happened_at}, {heard_at}")
    spelled = _SPELLED[source]
    payload = _payload(what)
    return Entry(key, session, thread, host, spelled, kind, happened_at, heard_at, payload)


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
    if (type(mark.name), type(mark.offset), type(mark.memo)) != (str, int, str):
        raise FactUnreadable(f"a mark does not fit: {mark!r:.200}")
    if not 0 <= mark.offset <= BIGGEST:
        raise FactUnreadable(f"a mark's offset is no place in a file: {mark.offset!r}")
    if type(mark.inode) is not int or not 0 <= mark.inode < INODES:
        raise FactUnreadable(f"a mark's inode is no number of a file: {mark.inode!r}")
    return mark


def writable(text: str) -> str:
    """Replace what a database cannot hold in a text: lone surrogates and NUL."""
    if _plain(text):
        return text
    return speakable(text).replace("\0", "\N{REPLACEMENT CHARACTER}")


def _plain(text: str) -> bool:
    return text.isascii() and "\0" not in text


_SOURCES: Final = {source.value: source for source in Source}
_SPELLED: Final = {source: source.value for source in Source}
_KINDS: Final[dict[tuple[type, ...], str]] = {
    (str, str, Source, int, int, word, str, str): str(word.__struct_config__.tag)
    for word in Word.__subclasses__()
}
"""How a kind is spelled, by the types of a fact's fields: one look-up checks them all."""


def _sourced(source: str) -> Source:
    if source not in _SOURCES:
        raise FactUnreadable(f"no source is called {source!r}")
    return _SOURCES[source]


def _misfit(fact: Fact) -> str:
    expected = next(iter(_KINDS))
    for name, value, fits in zip(fact.__struct_fields__, astuple(fact), expected, strict=True):
        if name != "what" and type(value) is not fits:
            return f"its {name} is {type(value).__name__}, not {fits.__name__}"
    return f"it says {type(fact.what).__name__}, which is no kind of fact"


def _payload(what: What) -> bytes:
    try:
        payload = encode(what)
    except UnicodeEncodeError as cause:
        raise FactUnreadable(f"{type(what).__name__}: {cause.reason}") from cause
    decode(payload)
    return payload
