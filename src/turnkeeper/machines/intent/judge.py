"""Decide what a turn means: who speaks, in which state, and what the sentences do."""

import re
from enum import Enum, auto
from typing import Final, NamedTuple

import msgspec

from turnkeeper.facts.words import Actor, Intent
from turnkeeper.machines.intent.asking import ASKS, DIRECTED, OPEN, RHETORICAL, SOFT
from turnkeeper.machines.intent.closing import DONE, OFFERS
from turnkeeper.machines.intent.phrases import Phrase, first_match, present
from turnkeeper.machines.intent.prose import OPEN_BOX_MARK, Sentence, sentences
from turnkeeper.machines.intent.turning import TURNS_AWAY
from turnkeeper.machines.intent.working import (
    GERUND,
    INTERJECTION,
    MURMURS,
    MUSING,
    STEPS,
    TRAILING_GERUND,
    UNDER_WAY,
    VERB_OF_GERUND,
)

CERTAIN: Final = 1.0
LIKELY: Final = 0.8
GUESS: Final = 0.6
FAINT: Final = 0.3

SHORT_TEXT: Final = 500
WORDS_OF_AN_ORDER: Final = 4
ACTS_NOW: Final = ("i'm ", "i am ")


class Verdict(msgspec.Struct, frozen=True):
    """What a turn means, how sure we are, and the rule that says so."""

    intent: Intent
    confidence: float
    because: str


class Sign(Enum):
    """What one sentence does."""

    ASKS = auto()
    ASKS_OPENLY = auto()
    WONDERS = auto()
    STEPS = auto()
    UNDER_WAY = auto()
    OFFERS = auto()
    DONE = auto()
    STATES = auto()


class Reading(NamedTuple):
    sign: Sign
    words: str
    paragraph: int


class Tables(NamedTuple):
    """The phrases that occur somewhere in one message: all that its sentences can hold."""

    asks: tuple[Phrase, ...]
    offers: tuple[Phrase, ...]
    steps: tuple[Phrase, ...]
    under_way: tuple[Phrase, ...]
    done: tuple[Phrase, ...]


def detect(actor: Actor, text: str | None, state: str, final: bool | None = None) -> Verdict:
    """Say what a turn means.

    Total and pure: any text has a verdict. `final` says whether the agent has ended its turn;
    while it has not, whatever it says is progress, and once it has, nothing is.
    """
    if actor == Actor.USER:
        return of_user(text or "", state)
    if final is False:
        return Verdict(Intent.PROGRESS, CERTAIN, "the turn goes on")
    verdict = of_agent(text or "")
    if final and verdict.intent is Intent.PROGRESS:
        return Verdict(Intent.COMPLETION, FAINT, f"the turn has ended, though: {verdict.because}")
    return verdict


def of_user(text: str, state: str) -> Verdict:
    if state != "awaiting_input":
        return Verdict(Intent.COMMAND, CERTAIN, "no question is pending")
    if text.startswith("/"):
        return Verdict(Intent.COMMAND, CERTAIN, "a slash command")
    said = text[:2000].lower().replace("’", "'")
    away = first_match(TURNS_AWAY, said)
    if away and orders_more(said, away):
        return Verdict(Intent.COMMAND, CERTAIN, f"turns away: {away!r}")
    return Verdict(Intent.ANSWER, LIKELY, "a question is pending")


def orders_more(said: str, away: str) -> bool:
    """Does more follow than the turning away? A bare "never mind" still answers the question."""
    return len(said.replace(away, "", 1).split()) >= WORDS_OF_AN_ORDER or len(said) > len(away) + 8


def of_agent(text: str) -> Verdict:
    said = sentences(text)
    tables = tables_for(text)
    readings = [read_sentence(sentence, tables) for sentence in said]
    return (
        murmur(said)
        or question(readings, len(text))
        or progress(readings, len(text))
        or musing(said, readings)
        or completion(readings)
    )


def tables_for(text: str) -> Tables:
    folded = text.lower().replace("’", "'")
    return Tables(*(present(table, folded) for table in (ASKS, OFFERS, STEPS, UNDER_WAY, DONE)))


def read_sentence(sentence: Sentence, tables: Tables) -> Reading:
    sign, words = sign_of(INTERJECTION.sub("", sentence.text, count=1), tables)
    return Reading(sign, words, sentence.paragraph)


def sign_of(said: str, tables: Tables) -> tuple[Sign, str]:
    """What a sentence does, and the words that give it away.

    An own next step outweighs a request in the same sentence: "I'd like to know whether it
    holds, so I'm adding an assertion" waits for nobody. A request outweighs a promise: "Pick
    one and I'll start" does.
    """
    asks = first_match(tables.asks, said)
    step = own_step(said, tables)
    offers = first_match(tables.offers, said)
    acts_now = step.startswith(ACTS_NOW)
    begins_with_step = step and said.startswith(step)
    if offers and not begins_with_step and not acts_now and (not asks or asks.startswith(SOFT)):
        return Sign.OFFERS, offers
    if asks and not acts_now:
        return Sign.ASKS, asks
    if step:
        return Sign.STEPS, step
    return sign_of_statement(said, tables)


def sign_of_statement(said: str, tables: Tables) -> tuple[Sign, str]:
    if asks_aloud(said):
        return sign_of_question(said)
    if said == OPEN_BOX_MARK:
        return Sign.UNDER_WAY, "an open box"
    if words := first_match(tables.under_way, said):
        return Sign.UNDER_WAY, words
    if words := first_match(tables.done, said):
        return Sign.DONE, words
    return Sign.STATES, ""


def own_step(said: str, tables: Tables) -> str:
    if words := first_match(tables.steps, said):
        return words
    if asks_aloud(said):
        return ""
    begun = GERUND.match(said)
    if begun and not is_subject(said):
        return begun[0]
    found = TRAILING_GERUND.search(said)
    return found[0].lstrip(",;:–—…- ") if found else ""


def is_subject(said: str) -> bool:
    found = VERB_OF_GERUND.match(said)
    return bool(found and not found[1])


def asks_aloud(said: str) -> bool:
    return said.rstrip(" )]'\"*_").endswith(("?", "？"))


def sign_of_question(said: str) -> tuple[Sign, str]:
    if first_match(RHETORICAL, said):
        return Sign.WONDERS, said[-60:]
    if words := first_match(DIRECTED, said):
        return Sign.ASKS, words
    if words := first_match(OPEN, said):
        return Sign.ASKS_OPENLY, words
    return Sign.WONDERS, said[-60:]


def murmur(said: list[Sentence]) -> Verdict | None:
    """A message without news: nothing, dots, or a word of acknowledgement."""
    if len(said) > 3 or any(asks_aloud(sentence.text) for sentence in said):
        return None
    words = re.findall(r"[\w']+", " ".join(sentence.text for sentence in said))
    if all(word in MURMURS for word in words):
        return Verdict(Intent.PROGRESS, LIKELY, "says nothing of substance")
    return None


def question(readings: list[Reading], length: int) -> Verdict | None:
    """A request that no own next step in the closing has overtaken."""
    ending = without_courtesy(readings)
    start = closing_start(ending, length)
    overtaken = max(last_index(ending, Sign.STEPS), start - 1)
    steps = any(reading.sign is Sign.STEPS for reading in ending[start:])
    waiting = ending[overtaken + 1 :] if steps else ending
    if found := next((reading for reading in waiting if reading.sign is Sign.ASKS), None):
        return Verdict(Intent.QUESTION, CERTAIN, f"asks: {found.words!r}")
    if waiting and waiting[-1].sign in (Sign.WONDERS, Sign.ASKS_OPENLY):
        return Verdict(Intent.QUESTION, LIKELY, f"ends by asking: {waiting[-1].words!r}")
    for reading in waiting:
        if reading.sign is Sign.ASKS_OPENLY and at_an_edge(reading, ending):
            return Verdict(Intent.QUESTION, GUESS, f"leaves open: {reading.words!r}")
    return None


def at_an_edge(reading: Reading, readings: list[Reading]) -> bool:
    return reading.paragraph in (readings[0].paragraph, readings[-1].paragraph)


def without_courtesy(readings: list[Reading]) -> list[Reading]:
    end = len(readings)
    while end and readings[end - 1].sign is Sign.OFFERS:
        end -= 1
    return readings[:end]


def closing_start(readings: list[Reading], length: int) -> int:
    """Where the closing begins: the last paragraph, or all of a short message."""
    if length < SHORT_TEXT or not readings:
        return 0
    last = readings[-1].paragraph
    return next(at for at, reading in enumerate(readings) if reading.paragraph == last)


def last_index(readings: list[Reading], sign: Sign) -> int:
    return max((at for at, reading in enumerate(readings) if reading.sign is sign), default=-1)


def progress(readings: list[Reading], length: int) -> Verdict | None:
    ending = without_courtesy(readings)
    closing = ending[closing_start(ending, length) :]
    step = last_index(closing, Sign.STEPS)
    if step >= 0:
        return Verdict(Intent.PROGRESS, CERTAIN, f"goes on: {closing[step].words!r}")
    under_way = last_index(closing, Sign.UNDER_WAY)
    if under_way > last_index(closing, Sign.DONE):
        return Verdict(Intent.PROGRESS, CERTAIN, f"under way: {closing[under_way].words!r}")
    return None


def musing(said: list[Sentence], readings: list[Reading]) -> Verdict | None:
    """Surprise without a result: the agent is still thinking."""
    done = any(reading.sign in (Sign.DONE, Sign.OFFERS) for reading in readings)
    if said and not done and MUSING.match(said[0].text):
        return Verdict(Intent.PROGRESS, GUESS, "muses")
    return None


def completion(readings: list[Reading]) -> Verdict:
    for sign, because in ((Sign.DONE, "done"), (Sign.OFFERS, "closes politely")):
        for reading in readings:
            if reading.sign is sign:
                return Verdict(Intent.COMPLETION, CERTAIN, f"{because}: {reading.words!r}")
    return Verdict(Intent.COMPLETION, GUESS, "reports a result")
