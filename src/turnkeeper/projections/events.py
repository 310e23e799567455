"""What a batch of facts tells the live stream: events, grouped by journal position.

The events of one position are one frame and only the last of them carries the id, so a reader
that comes back with an id has seen all of that position or none of it.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from turnkeeper.facts.fact import Position
from turnkeeper.machines.scenes import Scene
from turnkeeper.projections.agent import Moved
from turnkeeper.projections.ask_words import heading, why
from turnkeeper.projections.asks import Ask
from turnkeeper.projections.board import Folded
from turnkeeper.projections.cards import Card, card_of, when
from turnkeeper.projections.shown import (
    TransitionTold,
    TurnTold,
    meaning_of,
    spoken,
    transition_told,
    turn_told,
)
from turnkeeper.projections.turns import Told


class AskEvent(msgspec.Struct, frozen=True):
    """What waits for a person, in short; /api/asks/{id} has all of it."""

    id: int
    kind: str
    agent_id: int
    session_id: str
    title: str
    opened_at: str
    answerable: bool
    outcome: str | None = None
    why: str | None = None


class Snapshot(msgspec.Struct, frozen=True):
    """The whole board at one position: what a new reader hears first."""

    position: int
    agents: list[Card]
    asks: list[AskEvent] = []


class TurnEvent(msgspec.Struct, frozen=True):
    """A turn as it is now known: when it is new, and when its words or its time were corrected."""

    agent_id: int
    turn: TurnTold


class TurnMeant(msgspec.Struct, frozen=True):
    """An earlier turn turned out to mean something else."""

    agent_id: int
    position: int
    intent: str | None
    confidence: float | None
    because: str
    command_id: int | None


class AgentGone(msgspec.Struct, frozen=True):
    """An agent that turned out to be another one."""

    agent_id: int
    absorbed_by: int


class Lagged(msgspec.Struct, frozen=True):
    """The reader was away too long, or too slow: a snapshot follows."""

    reason: str


SCHEMAS: Final[Mapping[str, type]] = {
    "snapshot": Snapshot,
    "turn_created": TurnEvent,
    "turn_updated": TurnEvent,
    "turn_meant": TurnMeant,
    "state_transition": TransitionTold,
    "ask_opened": AskEvent,
    "ask_updated": AskEvent,
    "ask_closed": AskEvent,
    "agent_updated": Card,
    "agent_removed": AgentGone,
    "lagged": Lagged,
}
"""Every event of the stream and what its data holds."""

_encoder: Final = msgspec.json.Encoder()


class Frame(NamedTuple):
    """All events of one position, ready to be sent."""

    position: Position
    data: bytes


def frames(batch: Sequence[Folded]) -> list[Frame]:
    """The frames of a batch in order. An agent that changed several times in it is shown once, at
    the last: nobody can look faster than a batch."""
    last = {folded.agent.id: nth for nth, folded in enumerate(batch)}
    made = []
    for nth, folded in enumerate(batch):
        events = _events(folded)
        if last[folded.agent.id] == nth:
            events.append(("agent_updated", _encoder.encode(card_of(folded.agent))))
        if events:
            position = folded.recorded.position
            made.append(Frame(position, framed(events, position)))
    return made


def framed(events: Sequence[tuple[str, bytes]], position: int) -> bytes:
    """Server-sent events as they go over the wire."""
    told = [b"event: %s\ndata: %s\n\n" % (name.encode(), data) for name, data in events]
    told[-1] = b"id: %d\n%s" % (position, told[-1])
    return b"".join(told)


def unplaced(frame: Frame) -> bytes:
    """A frame without its id: what was understood late must not move a reader's place back."""
    return frame.data.replace(b"id: %d\n" % frame.position, b"", 1)


def snapshot_frame(snapshot: Snapshot) -> bytes:
    return framed([("snapshot", _encoder.encode(snapshot))], snapshot.position)


def lagged_frame(reason: str) -> bytes:
    return b"event: lagged\ndata: %s\n\n" % _encoder.encode(Lagged(reason))


def _events(folded: Folded) -> list[tuple[str, bytes]]:
    agent, changes = folded.agent, folded.changes
    events = []
    if folded.absorbed is not None:
        gone = AgentGone(folded.absorbed, agent.id)
        events.append(("agent_removed", _encoder.encode(gone)))
    known, changed = spoken(agent.lifecycle.scenes), spoken(changes.scenes)
    news = {told.turn.position: told for told in changes.told if told.new or told.corrected}
    events += [_turn_event(folded, told, known | changed) for told in news.values()]
    others = {position: scene for position, scene in changed.items() if position not in news}
    for position, scene in others.items():
        meant = TurnMeant(agent.id, position, **meaning_of(scene))
        events.append(("turn_meant", _encoder.encode(meant)))
    moves = [_transition(folded, nth, moved) for nth, moved in enumerate(changes.moves)]
    events += [("state_transition", _encoder.encode(each)) for each in moves]
    events += _ask_events(folded)
    return events


def _ask_events(folded: Folded) -> list[tuple[str, bytes]]:
    """What became of each ask; nothing of one that was over before anyone could hear of it."""
    known = {ask.id for ask in folded.before.asking.open} if folded.before else set()
    last = {ask.id: ask for ask in folded.changes.asks}
    events = []
    for number, ask in last.items():
        over = ask.outcome is not None
        name = "ask_closed" if over else "ask_updated" if number in known else "ask_opened"
        if number in known or not over:
            events.append((name, _encoder.encode(ask_event(folded.agent.id, ask))))
    return events


def ask_event(agent: int, ask: Ask) -> AskEvent:
    return AskEvent(
        id=ask.id,
        kind=ask.kind,
        agent_id=agent,
        session_id=ask.session,
        title=heading(ask),
        opened_at=when(ask.opened_at) or "",
        answerable=bool(ask.offer) and ask.outcome is None,
        outcome=ask.outcome,
        why=why(ask),
    )


def _turn_event(
    folded: Folded, told: Told, meanings: Mapping[Position, Scene]
) -> tuple[str, bytes]:
    fields = msgspec.structs.asdict(told.turn)
    scene = meanings.get(told.turn.position)
    if scene is not None:
        fields |= meaning_of(scene)
    event = TurnEvent(folded.agent.id, turn_told(fields, folded.recorded.fact.what))
    return "turn_created" if told.new else "turn_updated", _encoder.encode(event)


def _transition(folded: Folded, nth: int, moved: Moved) -> TransitionTold:
    fields = msgspec.structs.asdict(moved)
    where = {"position": folded.recorded.position, "nth": nth, "agent": folded.agent.id}
    return transition_told({**fields, **where})
