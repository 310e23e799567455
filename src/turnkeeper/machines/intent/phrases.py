"""Turns of phrase: how they are written down, and how they are found.

A table has one phrase a line, in lower case; `^` ties it to the beginning of a sentence. A phrase
begins with plain words, because those are looked for first: a substring search is a hundred times
faster than a pattern, and most phrases are absent from most messages.
"""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

PLAIN_WORDS: Final = re.compile(r"[^\\()\[\]{}.?*+|$]+")
OPTIONAL: Final = ("?", "*", "{")


class Phrase(NamedTuple):
    """A pattern, and the plain words without which it cannot match."""

    cue: str
    pattern: re.Pattern[str]


def phrases(*tables: str) -> tuple[Phrase, ...]:
    lines = (line.strip() for table in tables for line in table.splitlines())
    return tuple(phrase(line) for line in lines if line)


def phrase(line: str) -> Phrase:
    words = line.removeprefix("^")
    edge = "^" if words != line else r"\b" if words[0] < "\u2000" else ""
    return Phrase(cue_of(words), re.compile(edge + words))


def cue_of(line: str) -> str:
    """The plain words a phrase begins with, less a last letter that is optional."""
    found = PLAIN_WORDS.match(line)
    assert found, f"{line!r} does not begin with plain words"
    optional = line[found.end() : found.end() + 1] in OPTIONAL
    return found[0][:-1] if optional else found[0]


def present(table: Iterable[Phrase], text: str) -> tuple[Phrase, ...]:
    """The phrases whose plain words occur in this text at all."""
    return tuple(phrase for phrase in table if phrase.cue in text)


def first_match(table: Iterable[Phrase], sentence: str) -> str:
    """The words of the first phrase found in this sentence, or nothing."""
    for cue, pattern in table:
        if cue in sentence and (found := pattern.search(sentence)):
            return found[0]
    return ""
