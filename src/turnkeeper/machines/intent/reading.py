"""Read sentences one by one: what each of them does, and the words that give it away."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from turnkeeper.machines.intent.asking import ASKS, DEAL, PROMISES, SOFT
from turnkeeper.machines.intent.closing import DONE, OFFERS
from turnkeeper.machines.intent.gerunds import AFTER_DONE, GERUND, TRAILING_GERUND, VERB_OF_GERUND
from turnkeeper.machines.intent.phrases import Sign, find, phrasebook
from turnkeeper.machines.intent.prose import OPEN_BOX_MARK, Sentence
from turnkeeper.machines.intent.questioning import DIRECTED, OPEN, RHETORICAL
from turnkeeper.machines.intent.working import (
    ACTS,
    INTERJECTION,
    PART_IN_WORDS,
    PART_OF_ALL,
    STEPS,
    UNDER_WAY,
)

# Paragraphs at either end that are read closely.
EDGE: Final = 2
LONGEST_CITED: Final = 60

OF_STATEMENTS: Final = phrasebook(
    {
        Sign.ASKS: ASKS,
        Sign.OFFERS: OFFERS,
        Sign.ACTS: ACTS,
        Sign.STEPS: STEPS,
        Sign.UNDER_WAY: UNDER_WAY,
        Sign.DONE: DONE,
    }
)
OF_REQUESTS: Final = phrasebook({Sign.ASKS: ASKS})
OF_QUESTIONS: Final = phrasebook(
    {Sign.WONDERS: RHETORICAL, Sign.ASKS: DIRECTED, Sign.ASKS_OPENLY: OPEN}
)


class Reading(NamedTuple):
    """What a sentence does, the words that give it away, and where it stands."""

    sign: Sign
    words: str
    said: str
    paragraph: int


def read(said: list[Sentence]) -> list[Reading]:
    """Read the first and the last paragraphs closely, and the others for what they may ask."""
    first, last = EDGE, (said[-1].paragraph if said else 0) - EDGE
    return [
        read_sentence(sentence)
        if not first <= sentence.paragraph <= last or may_ask(sentence.text)
        else Reading(Sign.STATES, "", sentence.text, sentence.paragraph)
        for sentence in said
    ]


def may_ask(said: str) -> bool:
    return asks_aloud(said) or bool(find(OF_REQUESTS, said)) or bool(deal(said))


def read_sentence(sentence: Sentence) -> Reading:
    before = INTERJECTION.match(sentence.text)
    sign, words = sign_of(sentence.text[before.end() :] if before else sentence.text)
    return Reading(sign, words, sentence.text, sentence.paragraph)


def sign_of(said: str) -> tuple[Sign, str]:
    """What a sentence does, and the words that give it away.

    What the agent does right now outweighs a request in the same sentence: "I'd like to know
    whether it holds, so I'm adding an assertion" waits for nobody. A request outweighs a promise:
    "Pick one and I'll start" does wait.
    """
    found = find(OF_STATEMENTS, said)
    if acts := found.get(Sign.ACTS):
        return Sign.STEPS, acts
    asks = found.get(Sign.ASKS) or deal(said)
    step = found.get(Sign.STEPS) or gerund(said)
    if Sign.OFFERS in found and is_offer(said, asks, step):
        return Sign.OFFERS, found[Sign.OFFERS]
    if asks:
        return Sign.ASKS, asks
    if step:
        return Sign.STEPS, step
    return sign_of_statement(said, found)


def is_offer(said: str, asks: str, step: str) -> bool:
    """An "if you like" makes an offer of a soft request, but not of a hard one or of a step."""
    begins_with_step = bool(step) and said.startswith(step)
    return not begins_with_step and (not asks or asks.startswith(SOFT))


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
    if asks_aloud(said) or not ("ing" in said or " to " in said):
        return ""
    begun = GERUND.match(said)
    if begun and not is_subject(said):
        return begun[0]
    found = AFTER_DONE.search(said) or TRAILING_GERUND.search(said)
    return found[0].lstrip(",;:–—…- ") if found else ""


def unfinished(said: str) -> str:
    if said == OPEN_BOX_MARK:
        return "an open box"
    if " of " not in said and "/" not in said:
        return ""
    part = PART_OF_ALL.search(said)
    if part and int(part[1]) < int(part[2]):
        return part[0]
    part = PART_IN_WORDS.search(said)
    return part[0] if part else ""


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
    return Sign.WONDERS, said[-LONGEST_CITED:]
