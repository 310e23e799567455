"""The words of a turn as a search sees them, and where in them a query is found.

Everything here works on one line of text: composed characters (NFC), single spaces, nothing that
steers a terminal. Two tellings of one turn differ in white space at most, so their wording is one.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from turnkeeper.errors import SearchUnclear
from turnkeeper.facts.codec import speakable
from turnkeeper.facts.kinds import ToolFinished, ToolStarted, What
from turnkeeper.projections.shown import words_of

TOOL_WORDS: Final = 2000
"""Of what a tool was given, or gave, so many characters can be found."""

LONGEST_QUERY: Final = 1000
MOST_TERMS: Final = 32
EXCERPT: Final = 200
BEFORE: Final = 40
"""So many characters of an excerpt stand before the first word that was found."""

WEIGHED: Final = 10
"""So many places of each term are compared when an excerpt is chosen."""

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
"""What would steer a terminal that shows it."""

_ASKED: Final = re.compile(r'(?<!\S)"([^"]+)"(?!\S)|(\S+)')
Span = tuple[int, int]


def wording(what: What | None) -> str:
    """What can be found of a fact: what was said, whole; of tools, the beginning."""
    match what:
        case ToolStarted():
            return one_line(" ".join(_given(words_of(what)))[:TOOL_WORDS])
        case ToolFinished(text=text):
            return one_line(text[:TOOL_WORDS])
        case _:
            return one_line(words_of(what))


def one_line(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFC", speakable(text))
    line = " ".join(text.split())
    return line if line.isprintable() else " ".join(_CONTROL.sub(" ", line).split())


def folded(text: str) -> str:
    """The text without the difference of upper and lower case, character for character."""
    return text.replace("İ", "i").lower().replace("ς", "σ")


def _given(raw: str) -> Iterator[str]:
    """The values in a tool's input, without JSON's own marks."""
    try:
        waiting = [msgspec.json.decode(raw)]
    except (msgspec.DecodeError, RecursionError):
        yield raw
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, str | int | float):
            yield str(value)
        elif isinstance(value, dict):
            waiting.extend(reversed(value.values()))
        elif isinstance(value, list):
            waiting.extend(reversed(value))


# What is asked ------------------------------------------------------------------------------


def terms_of(query: str) -> tuple[str, ...]:
    """The words to look for, folded. Words between double quotes stay together; nothing else
    means anything but itself. Raises SearchUnclear for a query without words or without end."""
    if len(query) > LONGEST_QUERY:
        why = f"it has {len(query):,} characters, and at most {LONGEST_QUERY:,} are looked for"
        raise SearchUnclear(why)
    asked = (phrase or word for phrase, word in _ASKED.findall(query))
    terms = tuple(dict.fromkeys(term for each in asked if (term := folded(one_line(each)))))
    if not terms:
        raise SearchUnclear("it holds no words")
    if len(terms) > MOST_TERMS:
        raise SearchUnclear(f"it has {len(terms)} words, and at most {MOST_TERMS} are looked for")
    return terms


# Where it is found --------------------------------------------------------------------------


def holds(text: str, terms: Sequence[str]) -> bool:
    plain = folded(text)
    return all(term in plain for term in terms)


def excerpt(text: str, terms: Sequence[str]) -> tuple[str, list[list[int]]]:
    """A piece of the text that shows as many of the terms as it can, and where they stand in it.

    Places are counted in characters of the excerpt, its ellipses included.
    """
    start = _best_start(text, terms)
    end = min(start + EXCERPT, len(text))
    ahead, behind = "…" * (start > 0), "…" * (end < len(text))
    room, shift = end - start, len(ahead)
    near = folded(text[start : end + LONGEST_QUERY])
    places = ((at, term) for term in terms for at in _places(near, term, room) if at < room)
    shown = [(at + shift, min(at + len(term), room) + shift) for at, term in places]
    return f"{ahead}{text[start:end]}{behind}", _joined(shown)


def _best_start(text: str, terms: Sequence[str]) -> int:
    plain = folded(text)
    found = [(at, term) for term in terms for at in _places(plain, term, WEIGHED)]

    def shows(first: int) -> int:
        return len({term for at, term in found if 0 <= at - first < EXCERPT - BEFORE})

    first = max((at for at, _ in found), key=lambda at: (shows(at), -at), default=0)
    start = max(0, min(first - BEFORE, len(text) - EXCERPT))
    word = text.find(" ", start, first) + 1 if start else 0
    return word or start


def _places(text: str, term: str, most: int) -> Iterator[int]:
    at = text.find(term)
    for _ in range(most):
        if at < 0:
            return
        yield at
        at = text.find(term, at + len(term))


def _joined(spans: Sequence[Span]) -> list[list[int]]:
    """The same places, with those that touch put together."""
    joined: list[list[int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return joined
