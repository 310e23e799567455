"""Decide what a turn means: who speaks, in which state, and what the sentences do."""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Final, NamedTuple

import msgspec

from turnkeeper.facts.words import Actor, Intent
from turnkeeper.machines.intent.asking import (
    ASKS,
    DEAL,
    DIRECTED,
    OPEN,
    PROMISES,
    RHETORICAL,
    SOFT,
)
from turnkeeper.machines.intent.closing import DONE, OFFERS
from turnkeeper.machines.intent.phrases import Sign, find, phrasebook
from turnkeeper.machines.intent.prose import OPEN_BOX_MARK, Sentence, sentences
from turnkeeper.machines.intent.turning import TURNS_AWAY
from turnkeeper.machines.intent.working import (
    GERUND,
    INTERJECTION,
    MURMURS,
    MUSING,
    PART_OF_ALL,
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
LONGEST_ORDER: Final = 2_000
WORDS_OF_AN_ORDER: Final = 3
THANKS: Final = frozenset(
    {"thanks", "thank you", "thanks in advance", "cheers", "danke", "gracias", "merci"}
)
ANSWER: Final = re.compile(
    r"(?:no|yes|only|because|never|none|nobody|nothing|not|both|neither|since|probably|mostly|partly|exactly|always"
    r"|nope|yep|nein|ja|weil|nur|sí|porque|solo)\b"
)
ACTS_NOW: Final = ("i'm ", "i am ")


class Verdict(msgspec.Struct, frozen=True):
    """What a turn means, how sure we are, and the rule that says so."""

    intent: Intent
    confidence: float
    because: str


class Reading(NamedTuple):
    sign: Sign
    words: str
    said: str
    paragraph: int


NOTHING: Final = Reading(Sign.STATES, "", "", -1)


OF_STATEMENTS: Final = phrasebook(
    {
        Sign.ASKS: ASKS,
        Sign.OFFERS: OFFERS,
        Sign.STEPS: STEPS,
        Sign.UNDER_WAY: UNDER_WAY,
        Sign.DONE: DONE,
    }
)
OF_QUESTIONS: Final = phrasebook(
    {Sign.WONDERS: RHETORICAL, Sign.ASKS: DIRECTED, Sign.ASKS_OPENLY: OPEN}
)
OF_PEOPLE: Final = phrasebook({Sign.TURNS_AWAY: TURNS_AWAY})


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
    if text.lstrip().startswith("/"):
        return Verdict(Intent.COMMAND, CERTAIN, "a slash command")
    said = text[:LONGEST_ORDER].lower().replace("’", "'")
    away = find(OF_PEOPLE, said).get(Sign.TURNS_AWAY)
    if away and orders_more(said, away):
        return Verdict(Intent.COMMAND, CERTAIN, f"turns away: {away!r}")
    return Verdict(Intent.ANSWER, LIKELY, "a question is pending")


def orders_more(said: str, away: str) -> bool:
    """Does an order follow the turning away? A bare "never mind" still answers the question."""
    rest = said.replace(away, "", 1)
    return len(rest.split()) >= WORDS_OF_AN_ORDER or not rest.isascii()


def of_agent(text: str) -> Verdict:
    said = sentences(text)
    readings = [read_sentence(sentence) for sentence in said]
    return (
        murmur(said)
        or question(readings, len(text))
        or progress(readings, len(text))
        or musing(said, readings)
        or completion(readings)
    )


def read_sentence(sentence: Sentence) -> Reading:
    sign, words = sign_of(INTERJECTION.sub("", sentence.text, count=1))
    return Reading(sign, words, sentence.text, sentence.paragraph)


def sign_of(said: str) -> tuple[Sign, str]:
    """What a sentence does, and the words that give it away.

    An own next step outweighs a request in the same sentence: "I'd like to know whether it
    holds, so I'm adding an assertion" waits for nobody. A request outweighs a promise: "Pick
    one and I'll start" does.
    """
    found = find(OF_STATEMENTS, said)
    asks = found.get(Sign.ASKS) or deal(said)
    step = found.get(Sign.STEPS) or gerund(said)
    acts_now = step.startswith(ACTS_NOW)
    if Sign.OFFERS in found and is_offer(said, asks, step):
        return Sign.OFFERS, found[Sign.OFFERS]
    if asks and not acts_now:
        return Sign.ASKS, asks
    if step:
        return Sign.STEPS, step
    return sign_of_statement(said, found)


def is_offer(said: str, asks: str, step: str) -> bool:
    """An "if you like" makes an offer of a soft request, but not of a hard one or a next step."""
    acts = step.startswith(ACTS_NOW) or (step and said.startswith(step))
    return not acts and (not asks or asks.startswith(SOFT))


def sign_of_statement(said: str, found: Mapping[Sign, str]) -> tuple[Sign, str]:
    if asks_aloud(said):
        return sign_of_question(said)
    if words := unfinished(said) or found.get(Sign.UNDER_WAY):
        return Sign.UNDER_WAY, words
    if words := found.get(Sign.DONE):
        return Sign.DONE, words
    return Sign.STATES, ""


def deal(said: str) -> str:
    found = DEAL.search(said) if any(word in said for word in PROMISES) else None
    return found[0] if found else ""


def gerund(said: str) -> str:
    """The next step of a sentence without a subject: "Running the tests"."""
    if asks_aloud(said) or "ing" not in said:
        return ""
    begun = GERUND.match(said)
    if begun and not is_subject(said):
        return begun[0]
    found = TRAILING_GERUND.search(said)
    return found[0].lstrip(",;:–—…- ") if found else ""


def unfinished(said: str) -> str:
    if said == OPEN_BOX_MARK:
        return "an open box"
    part = PART_OF_ALL.search(said) if " of " in said or "/" in said else None
    return part[0] if part and int(part[1]) < int(part[2]) else ""


def is_subject(said: str) -> bool:
    found = VERB_OF_GERUND.match(said)
    return bool(found and not found[1])


def asks_aloud(said: str) -> bool:
    return said.rstrip(" )]'\"*_").endswith(("?", "？"))


def sign_of_question(said: str) -> tuple[Sign, str]:
    found = find(OF_QUESTIONS, said)
    for sign in (Sign.WONDERS, Sign.ASKS, Sign.ASKS_OPENLY):
        if sign in found:
            return sign, found[sign]
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
    for reading, answer in pairwise([*waiting, NOTHING]):
        if leaves_open(reading, answer) and at_an_edge(reading, ending):
            return Verdict(Intent.QUESTION, GUESS, f"leaves open: {reading.words!r}")
    return None


def leaves_open(reading: Reading, answer: Reading) -> bool:
    """Is this a question that the next sentence does not answer?"""
    return reading.sign is Sign.ASKS_OPENLY and not ANSWER.match(answer.said)


def at_an_edge(reading: Reading, readings: list[Reading]) -> bool:
    return reading.paragraph in (readings[0].paragraph, readings[-1].paragraph)


def without_courtesy(readings: list[Reading]) -> list[Reading]:
    end = len(readings)
    while end and is_courtesy(readings[end - 1]):
        end -= 1
    return readings[:end]


def is_courtesy(reading: Reading) -> bool:
    """An offer, thanks, or an aside in brackets: what may follow the real last sentence."""
    return (
        reading.sign is Sign.OFFERS
        or reading.said.startswith("(")
        or reading.said.rstrip("!.") in THANKS
    )


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
