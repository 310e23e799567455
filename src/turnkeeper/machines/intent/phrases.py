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
from typing import Final, NamedTuple

WORD: Final = re.compile(r"[\w']+")
APART: Final = str.maketrans(dict.fromkeys('.,;:!?()[]{}"*/-+=<>&|', " "))
PLAIN: Final = re.compile(r"[^\\()\[\]{}.?*+|$]+")
WITHOUT_SPACES: Final = re.compile(r"[぀-ヿ㐀-鿿가-힯⏳🔄]")
# What may follow a word that is whole.
WORD_ENDS: Final = re.compile(r"$|\\b|[ ,:/\[$-]|\\\?")


class Sign(Enum):
    """What a sentence does."""

    ASKS = auto()
    ASKS_OPENLY = auto()
    WONDERS = auto()
    ACTS = auto()
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
    loose = tuple(one for one in every if WITHOUT_SPACES.match(one.first))
    by_first_word: dict[str, tuple[Phrase, ...]] = {}
    for one in merged(one for one in every if not WITHOUT_SPACES.match(one.first)):
        by_first_word[one.first] = (*by_first_word.get(one.first, ()), one)
    return Phrasebook(by_first_word, loose)


def merged(spaced: Iterable[Phrase]) -> Iterable[Phrase]:
    """One phrase for all that begin with the same word and give the same sign."""
    patterns: dict[tuple[Sign, str], list[str]] = {}
    for sign, first, pattern in spaced:
        patterns.setdefault((sign, first), []).append(after(first, pattern))
    # The word stands first and its boundary second, because a pattern that begins with plain
    # letters is searched for much faster.
    return [
        Phrase(sign, first, rf"{first}(?<!\w{first})(?:{'|'.join(rest)})")
        for (sign, first), rest in patterns.items()
    ]


def after(first: str, pattern: str) -> str:
    rest = pattern.removeprefix("^").removeprefix(first)
    return f"(?<=^{first}){rest}" if pattern.startswith("^") else rest


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
    """The phrases of these tables. One that ends in `|` goes on in the next line."""
    joined = (re.sub(r"\|\n\s+", "|", table) for table in tables)
    return tuple(line.strip() for table in joined for line in table.splitlines() if line.strip())


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A phrase is compiled when its first word is first met: most never are."""
    return re.compile(pattern)


def words_of(said: str) -> list[str]:
    """The words of a sentence. `translate` is much the faster, but only for ASCII."""
    return said.translate(APART).split() if said.isascii() else WORD.findall(said)


def find(book: Phrasebook, said: str) -> dict[Sign, str]:
    """The words in this sentence that give a sign, the first for each sign."""
    found: dict[Sign, str] = {}
    phrases_of = book.by_first_word.get
    for word in words_of(said):
        for sign, _, pattern in phrases_of(word, ()):
            if sign not in found and (match := compiled(pattern).search(said)):
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
