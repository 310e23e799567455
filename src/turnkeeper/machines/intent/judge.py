"""Decide what a turn means: who speaks, in which state, and what the sentences do."""

import re
from itertools import pairwise
from typing import Final

import msgspec

from turnkeeper.facts.words import Actor, Intent
from turnkeeper.machines.intent.phrases import Sign, find, phrasebook
from turnkeeper.machines.intent.prose import HEAD, Sentence, sentences
from turnkeeper.machines.intent.reading import Reading, asks_aloud, read
from turnkeeper.machines.intent.turning import TURNS_AWAY
from turnkeeper.machines.intent.working import MURMURS, MUSING

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
    r"(?:no|yes|only|because|never|none|nobody|nothing|not|both|neither|since|probably|mostly"
    r"|partly|exactly|always|nope|yep|nein|ja|weil|nur|sí|porque|solo)\b"
)
NOTHING: Final = Reading(Sign.STATES, "", "", -1)
OF_PEOPLE: Final = phrasebook({Sign.TURNS_AWAY: TURNS_AWAY})


class Verdict(msgspec.Struct, frozen=True):
    """What a turn means, how sure we are, and the rule that says so."""

    intent: Intent
    confidence: float
    because: str


def detect(actor: Actor, text: str | None, state: str, final: bool | None = None) -> Verdict:
    """Say what a turn means.

    Total and pure: any text has a verdict. `final` says whether the agent has ended its turn;
    while it has not, whatever it says is progress, and once it has, nothing is.
    """
    if actor == Actor.USER:
        return of_user(text or "", state)
    if final is False:
        return Verdict(Intent.PROGRESS, CERTAIN, "the turn goes on")
    return of_ended_turn(text or "") if final else of_agent(text or "")


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
    readings = read(said)
    return (
        murmur(text, said)
        or question(readings, len(text))
        or progress(readings, len(text))
        or musing(said, readings)
        or completion(readings)
    )


def of_ended_turn(text: str) -> Verdict:
    """An agent that has stopped is not at work, whatever it announces: it asks, or it is done."""
    verdict = of_agent(text)
    if verdict.intent is not Intent.PROGRESS:
        return verdict
    asked = question([reading for reading in read(sentences(text)) if is_no_step(reading)], 0)
    if asked and asked.confidence == CERTAIN:
        return Verdict(Intent.QUESTION, GUESS, f"the turn has ended, and {asked.because}")
    return Verdict(Intent.COMPLETION, FAINT, f"the turn has ended, though it {verdict.because}")


def is_no_step(reading: Reading) -> bool:
    return reading.sign is not Sign.STEPS


def murmur(text: str, said: list[Sentence]) -> Verdict | None:
    """A message without news: nothing, dots, or a word of acknowledgement."""
    if len(said) > 3 or any(asks_aloud(sentence.text) for sentence in said):
        return None
    shown = bool(re.search(r"\w", text[:HEAD])) and not said
    words = re.findall(r"[\w']+", " ".join(sentence.text for sentence in said))
    if shown or not all(word in MURMURS for word in words):
        return None
    return Verdict(Intent.PROGRESS, LIKELY, "says nothing of substance")


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
