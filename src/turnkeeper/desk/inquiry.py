"""Answers about agents, read from the stored board and the journal."""

from collections.abc import Sequence
from typing import Final

import msgspec
from sqlalchemy import RowMapping

from turnkeeper.errors import AgentAmbiguous, AgentUnknown, TurnUnknown
from turnkeeper.facts.fact import START, Position
from turnkeeper.facts.kinds import PromptSubmitted
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.machines.acts import gist
from turnkeeper.ports import Journal
from turnkeeper.projections.agent import Agent
from turnkeeper.projections.cards import Card, Signed, evidence_of, when
from turnkeeper.projections.shown import (
    CommandTold,
    TransitionTold,
    TurnTold,
    command_told,
    place_of,
    transition_told,
    turn_told,
)
from turnkeeper.projections.wording import one_line
from turnkeeper.sources.process_identity import is_ours

SHORTEST_PREFIX: Final = 6
FIRST_WORDS: Final = 80
"""So many characters of a prompt name its command."""

MOST: Final = 1000
"""So many lines are told at once."""

LATER: Final = Position(2**53)
"""Later than all that has happened."""


class Why(msgspec.Struct, frozen=True):
    """What an agent's standing rests on."""

    id: int
    session_id: str
    standing: str
    status: str
    state: str
    since: str | None
    evidence: list[Signed]
    disagreeing: list[str]


def number_of(store: BoardStore, name: str) -> int:
    """The agent a person means: its number, a session id, or the beginning of one."""
    if name.isdecimal() and len(name) < SHORTEST_PREFIX:
        number = int(name)
        if store.card(number) is None:
            raise AgentUnknown(name)
        return number
    found = store.numbers_of(name) if len(name) >= SHORTEST_PREFIX else []
    if not found:
        raise AgentUnknown(name)
    if len(found) > 1:
        raise AgentAmbiguous(name, len(found))
    return found[0]


def card(store: BoardStore, name: str) -> Card:
    found = store.card(number_of(store, name))
    if found is None:
        raise AgentUnknown(name)
    return found


def agent_of(store: BoardStore, name: str) -> Agent:
    """All that is known of the agent a person means."""
    agent = store.load(number_of(store, name))
    if agent is None:
        raise AgentUnknown(name)
    return agent


def why(store: BoardStore, name: str) -> Why:
    """The evidence, signal by signal, and who disagrees with what is believed."""
    agent = agent_of(store, name)
    signs = evidence_of(agent)
    if not is_ours(agent.domain):
        note = "the client runs where its pid means nothing here: its process is not judged"
        signs.append(Signed("process", "not judged", None, believed=False, note=note))
    return Why(
        id=agent.id,
        session_id=agent.session,
        standing=agent.standing,
        status=agent.status,
        state=agent.state,
        since=when(agent.since),
        evidence=signs,
        disagreeing=[f"{each.source}: {each.says}" for each in signs if not each.believed],
    )


async def turns(
    store: BoardStore,
    journal: Journal,
    number: int,
    *,
    before: str | None = None,
    after: str | None = None,
    since_position: int | None = None,
    limit: int | None = None,
) -> list[TurnTold]:
    """An agent's turns in the order they happened, with their words."""
    rows = store.turns(
        number,
        before=place_of(before) if before else None,
        after=place_of(after) if after else None,
        since_position=since_position,
        limit=limit,
    )
    return await _told(journal, rows)


async def turn(store: BoardStore, journal: Journal, number: int, position: int) -> TurnTold:
    """One turn, with its words. Its cursor leads to what was said before and after."""
    row = store.turn(number, position)
    if row is None:
        raise TurnUnknown(number, position)
    [told] = await _told(journal, [row])
    return told


async def _told(journal: Journal, rows: Sequence[RowMapping]) -> list[TurnTold]:
    held = await journal.at([Position(row["words_at"]) for row in rows])
    words = {recorded.position: recorded.fact.what for recorded in held}
    return [turn_told(dict(row), words.get(row["words_at"])) for row in rows]


async def first_words(journal: Journal, commands: Sequence[Position]) -> dict[Position, str]:
    """How the prompt of each command begins. Words are in the journal, and nowhere else."""
    return {
        each.position: one_line(gist(each.fact.what))[:FIRST_WORDS]
        for each in await journal.at(commands)
        if isinstance(each.fact.what, PromptSubmitted)
    }


def transitions(
    store: BoardStore, number: int, before: int | None = None, limit: int = MOST
) -> list[TransitionTold]:
    """The audit trail in order: its end, or what comes before a position."""
    place = LATER if before is None else Position(before)
    return [transition_told(dict(row)) for row in store.transitions(number, place, limit)]


def commands(
    store: BoardStore, number: int, first: int | None, last: int | None, limit: int
) -> list[CommandTold]:
    """What an agent was asked for, and what came of it. A command's number is its position."""
    lowest = START if first is None else Position(first)
    highest = LATER if last is None else Position(last)
    return [command_told(dict(row)) for row in store.commands(number, lowest, highest, limit)]
