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
from turnkeeper.projections.board import Folded
from turnkeeper.projections.cards import Card, card_of
from turnkeeper.projections.shown import (
    TransitionTold,
    TurnTold,
    meaning_of,
    spoken,
    transition_told,
    turn_told,
)
from turnkeeper.projections.turns import Told


class Snapshot(msgspec.Struct, frozen=True):
    """The whole board at one position: what a new reader hears first."""

    position: int
    agents: list[Card]


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


def snapshot_frame(position: int, agents: list[Card]) -> bytes:
    return framed([("snapshot", _encoder.encode(Snapshot(position, agents)))], position)


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
    return events


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
