"""Answers about agents, read from the stored board and the journal."""

import base64
from typing import Final

import msgspec
from sqlalchemy import RowMapping

from turnkeeper.errors import AgentAmbiguous, AgentUnknown
from turnkeeper.facts.fact import Moment, Position
from turnkeeper.facts.kinds import (
    AgentSpoke,
    Outcome,
    PromptSubmitted,
    ToolFinished,
    ToolStarted,
    What,
)
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.ports import Journal
from turnkeeper.projections.cards import Card, Signed, evidence_of, when
from turnkeeper.sources.processes import is_ours

SHORTEST_PREFIX: Final = 6


class TurnTold(msgspec.Struct, frozen=True):
    """A turn, in the words of the API."""

    position: int
    actor: str
    kind: str
    intent: str | None
    confidence: float | None
    because: str | None
    text: str
    source: str
    entry: str | None
    happened_at: str
    command_id: int | None
    session_id: str
    thread: str
    tool: str | None
    call: str | None
    outcome: str | None
    cursor: str


class TransitionTold(msgspec.Struct, frozen=True):
    """A line of the audit trail (000 FR8), in the words of the API."""

    position: int
    agent_id: int
    command_id: int | None
    machine: str
    from_state: str
    to_state: str
    trigger: str
    event: str
    confidence: float
    at: str


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


def why(store: BoardStore, name: str) -> Why:
    """The evidence, signal by signal, and who disagrees with what is believed."""
    agent = store.load(number_of(store, name))
    if agent is None:
        raise AgentUnknown(name)
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
    held = await journal.at([Position(row["words_at"]) for row in rows])
    words = {recorded.position: recorded.fact.what for recorded in held}
    return [_told(row, words.get(row["words_at"])) for row in rows]


def transitions(store: BoardStore, number: int) -> list[TransitionTold]:
    return [
        TransitionTold(
            position=row["position"],
            agent_id=row["agent"],
            command_id=row["command_id"],
            machine=row["machine"],
            from_state=row["from_state"],
            to_state=row["to_state"],
            trigger=row["trigger"],
            event=row["event"],
            confidence=row["confidence"],
            at=when(Moment(row["at"])) or "",
        )
        for row in store.transitions(number)
    ]


def cursor_of(happened_at: int, position: int) -> str:
    """A place between two turns, which a reader hands back and need not understand."""
    return base64.urlsafe_b64encode(f"{happened_at}:{position}".encode()).decode().rstrip("=")


def place_of(cursor: str) -> tuple[int, int]:
    """Read a cursor back. Raises ValueError for one we did not write."""
    raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
    happened_at, _, position = raw.partition(":")
    return int(happened_at), int(position)


def _told(row: RowMapping, what: What | None) -> TurnTold:
    return TurnTold(
        position=row["position"],
        actor=row["actor"],
        kind=row["kind"],
        intent=row["intent"],
        confidence=row["confidence"],
        because=row["because"] or None,
        text=_words(what),
        source=row["source"],
        entry=row["entry"] or None,
        happened_at=when(Moment(row["happened_at"])) or "",
        command_id=row["command_id"],
        session_id=row["session"],
        thread=row["thread"],
        tool=row["tool"] or None,
        call=row["call"] or None,
        outcome=_outcome(what),
        cursor=cursor_of(row["happened_at"], row["position"]),
    )


def _words(what: What | None) -> str:
    match what:
        case PromptSubmitted(text=text) | AgentSpoke(text=text) | ToolFinished(text=text):
            return text
        case ToolStarted(input=given):
            return bytes(given).decode("utf-8", "replace")
        case _:
            return ""


def _outcome(what: What | None) -> Outcome | None:
    return what.outcome if isinstance(what, ToolFinished) else None
