"""One thing said becomes one turn, however many sources tell it.

A hook tells a prompt or a reply at once and approximately; the transcript tells it late and
exactly. They are paired one to one, in order, by who spoke, in which turn, and what was said.
"""

from enum import StrEnum

import msgspec

from turnkeeper.facts.fact import Fact, Moment, Position, Recorded, Source
from turnkeeper.facts.identity import content_hash
from turnkeeper.facts.kinds import (
    AgentSpoke,
    Origin,
    PromptSubmitted,
    ToolFinished,
    ToolStarted,
)
from turnkeeper.facts.words import Actor, Intent

REMEMBERED = 64
"""How many unpaired tellings of each source are kept. A client says few things at once."""


class TurnKind(StrEnum):
    TEXT = "text"
    TOOL = "tool"
    INJECTED = "injected"
    SLASH = "slash"
    SUMMARY = "summary"
    NOTICE = "notice"


_PROMPTS = {
    Origin.HUMAN: TurnKind.TEXT,
    Origin.INTERJECTED: TurnKind.TEXT,
    Origin.BACKGROUND: TurnKind.INJECTED,
    Origin.SLASH: TurnKind.SLASH,
    Origin.SUMMARY: TurnKind.SUMMARY,
}


class Turn(msgspec.Struct, frozen=True):
    """One thing said. Its words stay in the journal, at `words_at`."""

    position: Position
    session: str
    thread: str
    actor: Actor
    kind: TurnKind
    source: Source
    happened_at: Moment
    words_at: Position
    hash: str
    prompt: str = ""
    entry: str = ""
    call: str = ""
    tool: str = ""
    intent: Intent | None = None
    confidence: float | None = None
    because: str = ""
    command_id: Position | None = None


class Telling(msgspec.Struct, frozen=True):
    """A turn that only one source has told so far."""

    turn: Turn
    told_by: Source


class Pairing(msgspec.Struct, frozen=True):
    """The tellings that wait for their other half."""

    by_hook: tuple[Telling, ...] = ()
    by_transcript: tuple[Telling, ...] = ()


class Told(msgspec.Struct, frozen=True):
    """What a telling came to: a new turn, an old one corrected, or nothing new."""

    turn: Turn
    new: bool
    corrected: bool


def turn_of(recorded: Recorded) -> Turn | None:
    """The turn a fact tells of, if it tells of one."""
    fact = recorded.fact
    match fact.what:
        case PromptSubmitted(text=text, origin=origin):
            return _turn(recorded, Actor.USER, _PROMPTS[origin], text, fact.what.prompt)
        case AgentSpoke(text=text):
            kind = TurnKind.NOTICE if fact.what.synthetic else TurnKind.TEXT
            return _turn(recorded, Actor.AGENT, kind, text, fact.what.prompt)
        case ToolStarted() | ToolFinished() if fact.source is Source.TRANSCRIPT:
            return _tool_turn(recorded, fact.what)
        case _:
            return None


def _turn(recorded: Recorded, actor: Actor, kind: TurnKind, text: str, prompt: str) -> Turn:
    fact = recorded.fact
    return Turn(
        position=recorded.position,
        session=fact.session,
        thread=fact.thread,
        actor=actor,
        kind=kind,
        source=fact.source,
        happened_at=fact.happened_at,
        words_at=recorded.position,
        hash=content_hash(text),
        prompt=prompt,
        entry=_entry(fact),
    )


def _tool_turn(recorded: Recorded, what: ToolStarted | ToolFinished) -> Turn:
    actor = Actor.AGENT if isinstance(what, ToolStarted) else Actor.USER
    turn = _turn(recorded, actor, TurnKind.TOOL, "", what.prompt)
    return msgspec.structs.replace(turn, call=what.call, tool=what.tool, hash="")


def _entry(fact: Fact) -> str:
    return getattr(fact.what, "entry", "")


def pair(pairing: Pairing, turn: Turn) -> tuple[Pairing, Told]:
    """Match a turn with its other telling, or keep it until that comes.

    Two equal texts stay two turns: a telling is matched once. The transcript's time and
    place win; the turn keeps the position under which it was first known.
    """
    if turn.kind is TurnKind.TOOL or turn.source not in (Source.HOOK, Source.TRANSCRIPT):
        return pairing, Told(turn, new=True, corrected=False)
    if turn.source is Source.TRANSCRIPT:
        found = _find(pairing.by_hook, turn)
        if found is None:
            mine = _kept(pairing.by_transcript, turn)
            kept = msgspec.structs.replace(pairing, by_transcript=mine)
            return kept, Told(turn, new=True, corrected=False)
        rest = tuple(each for each in pairing.by_hook if each is not found)
        return msgspec.structs.replace(pairing, by_hook=rest), _corrected(found.turn, turn)
    found = _find(pairing.by_transcript, turn)
    if found is None:
        mine = _kept(pairing.by_hook, turn)
        kept = msgspec.structs.replace(pairing, by_hook=mine)
        return kept, Told(turn, new=True, corrected=False)
    rest = tuple(each for each in pairing.by_transcript if each is not found)
    paired = msgspec.structs.replace(pairing, by_transcript=rest)
    return paired, Told(found.turn, new=False, corrected=False)


def join(one: Pairing, other: Pairing) -> Pairing:
    """The tellings of two agents that turned out to be one."""
    return Pairing(
        by_hook=(*one.by_hook, *other.by_hook)[-REMEMBERED:],
        by_transcript=(*one.by_transcript, *other.by_transcript)[-REMEMBERED:],
    )


def _kept(tellings: tuple[Telling, ...], turn: Turn) -> tuple[Telling, ...]:
    return (*tellings, Telling(turn, turn.source))[-REMEMBERED:]


def _find(tellings: tuple[Telling, ...], turn: Turn) -> Telling | None:
    return next((each for each in tellings if _matches(each.turn, turn)), None)


def _matches(one: Turn, other: Turn) -> bool:
    same = (one.session, one.thread, one.actor, one.hash) == (
        other.session,
        other.thread,
        other.actor,
        other.hash,
    )
    return same and (one.prompt == other.prompt or not one.prompt or not other.prompt)


def _corrected(known: Turn, written: Turn) -> Told:
    turn = msgspec.structs.replace(
        known,
        happened_at=written.happened_at,
        source=written.source,
        entry=written.entry,
        words_at=written.words_at,
        kind=written.kind,
        prompt=written.prompt or known.prompt,
    )
    return Told(turn, new=False, corrected=True)
