"""Turns of phrase: how they are written down, and how they are found.

A table has one phrase a line, in lower case, and `^` ties a phrase to the beginning of a sentence.
A phrase begins with a whole word, so that a sentence looks up only the phrases its own words can
begin: the cost grows with the message and hardly with the tables. Scripts without spaces have no
such words; their phrases are tried only on sentences in those scripts.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from itertools import groupby
from typing import Final, NamedTuple

WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
PLAIN: Final = re.compile(r"[^\\()\[\]{}.?*+|$]+")
WITHOUT_SPACES: Final = re.compile(r"[⌀-➿぀-ヿ㐀-鿿가-힯🀀-🫿]")
# What may follow a word that is whole.
WORD_ENDS: Final = re.compile(r"$|\\b|[ ,:/\[$-]|\\\?")


class Sign(Enum):
    """What a sentence does."""

    ASKS = auto()
    ASKS_OPENLY = auto()
    WONDERS = auto()
    STEPS = auto()
    UNDER_WAY = auto()
    OFFERS = auto()
    DONE = auto()
    STATES = auto()
    TURNS_AWAY = auto()


class Phrase(NamedTuple):
    sign: Sign
    first: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Phrasebook:
    by_first_word: Mapping[str, tuple[Phrase, ...]]
    without_spaces: tuple[Phrase, ...]


def phrasebook(tables: Mapping[Sign, Iterable[str]]) -> Phrasebook:
    every = [phrase(sign, line) for sign, lines in tables.items() for line in lines]
    spaced = sorted((one for one in every if WORD.match(one.first)), key=lambda one: one.first)
    loose = tuple(one for one in every if WITHOUT_SPACES.match(one.first))
    return Phrasebook({word: tuple(same) for word, same in by_word(spaced)}, loose)


def by_word(spaced: Iterable[Phrase]) -> Iterable[tuple[str, Iterable[Phrase]]]:
    return groupby(spaced, key=lambda one: one.first)


def phrase(sign: Sign, line: str) -> Phrase:
    words = line.removeprefix("^")
    if WITHOUT_SPACES.match(words):
        plain = PLAIN.match(words)
        return Phrase(sign, plain[0] if plain else words, line)
    word = WORD.match(words)
    if not word or not WORD_ENDS.match(words, word.end()):
        raise ValueError(f"The phrase {line!r} does not begin with a whole word")
    return Phrase(sign, word[0], line)


def lines(*tables: str) -> tuple[str, ...]:
    return tuple(line.strip() for table in tables for line in table.splitlines() if line.strip())


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A phrase is compiled when its first word is first met: most never are."""
    return re.compile(pattern)


def find(book: Phrasebook, said: str) -> dict[Sign, str]:
    """The words in this sentence that give a sign, the first for each sign."""
    found: dict[Sign, str] = {}
    for word in WORD.finditer(said):
        for sign, _, pattern in book.by_first_word.get(word[0], ()):
            if sign not in found and (match := compiled(pattern).match(said, word.start())):
                found[sign] = match[0]
    if not said.isascii() and WITHOUT_SPACES.search(said):
        found |= find_without_spaces(book, said)
    return found


def find_without_spaces(book: Phrasebook, said: str) -> dict[Sign, str]:
    found: dict[Sign, str] = {}
    for sign, first, pattern in book.without_spaces:
        if sign not in found and first in said and (match := compiled(pattern).search(said)):
            found[sign] = match[0]
    return found
