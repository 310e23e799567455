"""Turns and transitions as every surface shows them: API, stream and command line alike."""

import base64
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from turnkeeper.errors import CursorUnreadable
from turnkeeper.facts.fact import Moment, Position
from turnkeeper.facts.kinds import (
    AgentSpoke,
    Outcome,
    PromptSubmitted,
    ToolFinished,
    ToolStarted,
    What,
)
from turnkeeper.machines.scenes import Doing, Scene, reason
from turnkeeper.projections.cards import when

Row = Mapping[str, Any]  # a stored row, or a record's fields
FARTHEST: Final = 2**63 - 1
"""What a database can hold: no cursor of ours lies beyond."""

FIRST: Final = "first"
"""The cursor that every turn comes after."""


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


class CommandTold(msgspec.Struct, frozen=True):
    """Something a user asked for and what came of it, in the words of the API."""

    id: int
    state: str
    origin: str
    opened_at: str
    completed_at: str | None
    outcome: str | None


SPOKEN: Final = frozenset({Doing.PROMPT, Doing.INTERJECTION, Doing.SPEECH})


def spoken(scenes: Iterable[Scene]) -> dict[Position, Scene]:
    """The scenes in which something was said, by the turn that said it: words mean something."""
    return {scene.act.position: scene for scene in scenes if scene.act.doing in SPOKEN}


def meaning_of(scene: Scene) -> dict[str, Any]:
    """What a turn's words came to, as the fields of its row."""
    confidence, because = reason(scene)
    return {
        "intent": scene.intent,
        "confidence": confidence,
        "because": because,
        "command_id": scene.command_id,
    }


def turn_told(row: Row, what: What | None) -> TurnTold:
    return TurnTold(
        position=row["position"],
        actor=row["actor"],
        kind=row["kind"],
        intent=row["intent"],
        confidence=row["confidence"],
        because=row["because"] or None,
        text=words_of(what),
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


def transition_told(row: Row) -> TransitionTold:
    return TransitionTold(
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


def command_told(row: Row) -> CommandTold:
    return CommandTold(
        id=row["id"],
        state=row["state"],
        origin=row["origin"],
        opened_at=when(Moment(row["opened_at"])) or "",
        completed_at=None if row["completed_at"] is None else when(Moment(row["completed_at"])),
        outcome=row["outcome"] or None,
    )


def words_of(what: What | None) -> str:
    """The words a fact holds: what was said, a tool's input as JSON, or what it gave."""
    match what:
        case PromptSubmitted(text=text) | AgentSpoke(text=text) | ToolFinished(text=text):
            return text
        case ToolStarted(input=given):
            return bytes(given).decode("utf-8", "replace")
        case _:
            return ""


def _outcome(what: What | None) -> Outcome | None:
    return what.outcome if isinstance(what, ToolFinished) else None


def cursor_of(happened_at: int, position: int) -> str:
    """A place between two turns, which a reader hands back and need not understand."""
    return base64.urlsafe_b64encode(f"{happened_at}:{position}".encode()).decode().rstrip("=")


BEGINNING: Final = cursor_of(-FARTHEST, 0)
"""The place before every turn."""


def place_of(cursor: str) -> tuple[int, int]:
    """Read a cursor back."""
    if cursor == FIRST:
        return -FARTHEST, -FARTHEST
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
        happened_at, _, position = raw.partition(":")
        place = int(happened_at), int(position)
    except ValueError as cause:
        raise CursorUnreadable(cursor) from cause
    if not all(-FARTHEST <= each <= FARTHEST for each in place):
        raise CursorUnreadable(cursor)
    return place
