"""What one fact says of a session's class: running, at rest, or waiting for a person."""

from enum import StrEnum

import msgspec

from turnkeeper.facts.fact import Fact, Moment, Source
from turnkeeper.facts.kinds import (
    AgentSpoke,
    Cause,
    Ending,
    Notified,
    Origin,
    Outcome,
    PermissionAsked,
    PromptSubmitted,
    SessionStarted,
    StalenessFound,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    Waits,
    What,
)
from turnkeeper.machines.session import SessionEvent

SPEAKERS = frozenset({Source.HOOK, Source.TRANSCRIPT, Source.HEALTH})


class Posture(StrEnum):
    """The class of a status, before anyone asks which kind."""

    RUNNING = "running"
    REST = "at rest"
    WAITING = "waiting"


class Signal(msgspec.Struct, frozen=True):
    """The newest thing one kind of source said."""

    posture: Posture
    event: SessionEvent
    at: Moment
    source: Source
    prompt: str = ""


STRAGGLE = 2_000_000
"""Microseconds by which the end of a tool call may be told after the end of its turn: tool hooks
run beside the client, and one with a large payload comes last (88 ms were seen)."""


def later(one: Signal, other: Signal) -> Signal:
    """The one to believe of two signals: the newer, but a straggling tool reopens no turn."""
    older, newer = sorted((one, other), key=lambda each: each.at)
    straggles = (
        newer.event is SessionEvent.TOOL_CALL
        and older.posture is Posture.REST
        and bool(newer.prompt)
        and newer.prompt == older.prompt
        and newer.at - older.at < STRAGGLE
    )
    return older if straggles else newer


def signal_of(fact: Fact) -> Signal | None:
    """What a hook or a transcript line says of the class, and the machine's word for it."""
    said = _posture(fact.what)
    if said is None or fact.source not in SPEAKERS:
        return None
    prompt: str = getattr(fact.what, "prompt", "")
    return Signal(said[0], said[1], fact.happened_at, fact.source, prompt)


def _posture(what: What) -> tuple[Posture, SessionEvent] | None:
    match what:
        case SessionStarted(cause=cause):
            return None if cause is Cause.COMPACT else (Posture.REST, SessionEvent.CLIENT_AT_PROMPT)
        case PromptSubmitted(origin=Origin.SLASH | Origin.SUMMARY):
            return None
        case PromptSubmitted():
            return Posture.RUNNING, SessionEvent.PROMPT_SUBMIT
        case AgentSpoke() | TurnEnded():
            return _posture_of_words(what)
        case ToolStarted() | ToolFinished() | PermissionAsked():
            return _posture_of_tools(what)
        case Notified(about="idle_prompt"):
            return Posture.REST, SessionEvent.STOP
        case StalenessFound():
            return Posture.REST, SessionEvent.HEALTH_CHECK_RECOVERY
        case _:
            return None


def _posture_of_words(what: AgentSpoke | TurnEnded) -> tuple[Posture, SessionEvent] | None:
    match what:
        case AgentSpoke(synthetic=True):
            return None
        case AgentSpoke(final=True):
            return Posture.REST, SessionEvent.STOP
        case AgentSpoke():
            return Posture.RUNNING, SessionEvent.TOOL_CALL
        case TurnEnded(how=Ending.INTERRUPTED):
            return Posture.REST, SessionEvent.INTERRUPTED
        case TurnEnded(how=Ending.FAILED):
            return Posture.REST, SessionEvent.TURN_FAILED
        case _:
            return Posture.REST, SessionEvent.STOP


def _posture_of_tools(
    what: ToolStarted | ToolFinished | PermissionAsked,
) -> tuple[Posture, SessionEvent]:
    match what:
        case ToolStarted(waits=Waits.QUESTION):
            return Posture.WAITING, SessionEvent.TOOL_START_ASK_USER_QUESTION
        case ToolStarted(waits=Waits.PLAN):
            return Posture.WAITING, SessionEvent.TOOL_START_EXIT_PLAN_MODE
        case ToolStarted():
            return Posture.RUNNING, SessionEvent.TOOL_START
        case ToolFinished(outcome=Outcome.INTERRUPTED):
            return Posture.REST, SessionEvent.INTERRUPTED
        case PermissionAsked():
            return Posture.WAITING, SessionEvent.PERMISSION_ASKED
        case _:
            return Posture.RUNNING, SessionEvent.TOOL_CALL
