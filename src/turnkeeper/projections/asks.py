"""What waits for a person, one record for each: opened, offered, answered or withdrawn.

Asks follow the evidence that the status follows, so a card that waits has its ask and the other
way round. What was settled once does not come back, however long its tool goes on unheard.
"""

from enum import StrEnum
from typing import Final

import msgspec

from turnkeeper.facts.fact import NEVER, START, Moment, Position
from turnkeeper.facts.kinds import Activity, Decision, Waits
from turnkeeper.facts.words import Intent
from turnkeeper.machines.evidence import Call, Evidence, pending_permissions, unasked_calls
from turnkeeper.machines.lifecycle import Lifecycle
from turnkeeper.machines.scenes import Doing, Scene
from turnkeeper.machines.session import SessionStatus


class AskKind(StrEnum):
    """What is asked for. A project's and a channel's asks have no agent of their own."""

    PERMISSION = "permission"
    QUESTION = "question"
    PLAN = "plan"
    WORDS = "words"
    ERROR = "error"
    PROJECT = "project"
    CHANNEL = "channel"


class Closing(StrEnum):
    """How an ask came to its end."""

    ANSWERED = "answered"
    DISMISSED = "dismissed"
    TERMINAL = "terminal"
    INTERRUPTED = "interrupted"
    ENDED = "ended"
    CLEARED = "cleared"
    MOVED_ON = "moved_on"


KINDS: Final = {
    Waits.NOTHING: AskKind.PERMISSION,
    Waits.QUESTION: AskKind.QUESTION,
    Waits.PLAN: AskKind.PLAN,
}
WAITING: Final = (SessionStatus.AWAITING_INPUT, SessionStatus.AWAITING_APPROVAL)
OF_A_DIALOG: Final = frozenset(KINDS.values())
SETTLED: Final = 64
"""How many settled tellings are remembered: more than evidence keeps of open calls."""


class Answered(msgspec.Struct, frozen=True):
    """What a person said to it, from where, and when."""

    decision: Decision
    message: str
    answers: dict[str, list[str]]
    by: str
    at: Moment


class Ask(msgspec.Struct, frozen=True):
    """One waiting thing. Its id is the position of the fact that first told of it."""

    id: Position
    kind: AskKind
    session: str
    opened_at: Moment
    told: tuple[Position, ...]
    words_at: Position = START
    plan_at: Position = START
    """Where a plan's words are: the client writes them down, and its request may lack them."""

    tool: str = ""
    asked: bool = False
    """Whether the client asked for leave; else we know of a call, or only that it waits."""

    offer: str = ""
    """The hook that waits for an answer; empty where only the terminal can answer."""

    text: str = ""
    confidence: float | None = None
    closed_at: Moment = NEVER
    outcome: Closing | None = None
    answer: Answered | None = None


class Asking(msgspec.Struct, frozen=True):
    """All that an agent waits for now, and what it has waited for: its part of the queue."""

    open: tuple[Ask, ...] = ()
    settled: tuple[Position, ...] = ()
    ended: tuple[str, ...] = ()
    """Offers whose hook is gone."""

    answered: tuple[Ask, ...] = ()
    """Dialogs that were answered here, until the client is seen to act on it."""

    excused_at: Moment = NEVER
    """When a person last said that an error needs nothing more."""


class Present(msgspec.Struct, frozen=True):
    """What of an agent decides whether it waits."""

    session: str
    status: SessionStatus
    since: Moment
    awaits_words: bool
    evidence: Evidence
    lifecycle: Lifecycle


def wanted(now: Present, asking: Asking, position: Position) -> list[Ask]:
    """What the evidence says is waited for, as asks that were never seen before.

    `position` names what has no telling of its own: an error, or a client that says it waits and
    not for what.
    """
    if now.status is SessionStatus.CLOSED:
        return []
    calls = [_of_call(call, now, asking) for call in _calls(now.evidence, asking)]
    if calls:
        return calls
    if now.status in WAITING:
        return [] if asking.answered else [_guess(now, asking, position)]
    if now.status is SessionStatus.ERROR:
        return _error(now, asking, position)
    return _words(now, asking) if now.awaits_words else []


def _calls(evidence: Evidence, asking: Asking) -> list[Call]:
    """Permissions asked for, and questions whose permission nobody has heard asked."""
    unasked = [call for call in unasked_calls(evidence) if call.waits]
    return [
        call
        for call in (*pending_permissions(evidence), *unasked)
        if not _overtaken(evidence, call.at) and call.position not in asking.settled
    ]


def heeded(asked: Ask, now: Present) -> bool:
    """Whether the client has acted on an answer, or nobody is left who could."""
    if now.status is SessionStatus.CLOSED or asked.session != now.session:
        return True
    pending = {call.position for call in pending_permissions(now.evidence)}
    answered_at = asked.answer.at if asked.answer else NEVER
    return not pending.intersection(asked.told) or _overtaken(now.evidence, answered_at)


def _overtaken(evidence: Evidence, since: Moment) -> bool:
    return since < evidence.rest_at or _went_on(evidence, since)


def _went_on(evidence: Evidence, since: Moment) -> bool:
    """Whether the client itself has said, later, that it does not wait any more."""
    report = evidence.client
    if report is None or report.at <= since:
        return False
    return report.activity not in (Activity.WAITING, Activity.UNSAID)


def _of_call(call: Call, now: Present, asking: Asking) -> Ask:
    return Ask(
        id=call.position,
        kind=KINDS[call.waits],
        session=now.session,
        opened_at=call.at,
        told=(call.position,),
        words_at=call.words_at,
        plan_at=_plan_at(call, now.evidence),
        tool=call.tool,
        asked=not call.id,
        offer="" if call.offer in asking.ended else call.offer,
    )


def _plan_at(asked: Call, evidence: Evidence) -> Position:
    if asked.waits is not Waits.PLAN:
        return START
    return next((call.words_at for call in evidence.open if call.waits is Waits.PLAN), START)


def _guess(now: Present, asking: Asking, position: Position) -> Ask:
    """The client says that it waits: for the oldest call, as far as anyone can tell."""
    calls = unasked_calls(now.evidence)
    unsettled = [call for call in calls if call.position not in asking.settled]
    if unsettled:
        return _of_call(unsettled[0], now, asking)
    question = now.status is SessionStatus.AWAITING_INPUT
    kind = AskKind.QUESTION if question else AskKind.PERMISSION
    return Ask(position, kind, now.session, now.since, (position,))


def _error(now: Present, asking: Asking, position: Position) -> list[Ask]:
    evidence = now.evidence
    if evidence.failed_at <= asking.excused_at:
        return []
    return [
        Ask(
            position,
            AskKind.ERROR,
            now.session,
            evidence.failed_at,
            (position,),
            text=evidence.failed_why,
        )
    ]


def _words(now: Present, asking: Asking) -> list[Ask]:
    """The question in the open command's last words."""
    command = now.lifecycle.open[-1].id
    questions = [
        scene.act
        for scene in now.lifecycle.scenes
        if scene.command_id == command and _is_question(scene)
    ]
    if not questions or questions[-1].position in asking.settled:
        return []
    asked = questions[-1]
    return [
        Ask(
            asked.position,
            AskKind.WORDS,
            now.session,
            asked.at,
            (asked.position,),
            words_at=asked.position,
            confidence=asked.confidence,
        )
    ]


def _is_question(scene: Scene) -> bool:
    said = (scene.intent, scene.act.if_final)
    return scene.act.doing is Doing.SPEECH and Intent.QUESTION in said


def same(known: Ask, new: Ask) -> bool:
    """Whether a telling is of an ask that is open already."""
    if new.id in known.told:
        return True
    if known.session != new.session:
        return False
    if AskKind.ERROR in (known.kind, new.kind):
        return known.kind is new.kind
    if not {known.kind, new.kind} <= OF_A_DIALOG:
        return False
    if _guessed(known) or _guessed(new):
        return True
    return known.tool == new.tool and known.asked != new.asked


def _guessed(ask: Ask) -> bool:
    """Whether all we know is that the client waits: which call it waits for was a guess."""
    return not ask.asked and (ask.kind is AskKind.PERMISSION or not ask.tool)


def merged(known: Ask, new: Ask) -> Ask:
    """An open ask, with what a newer telling adds. A guess adds nothing to what is known."""
    if not new.tool or (_guessed(new) and not _guessed(known)):
        return msgspec.structs.replace(known, text=new.text or known.text)
    return msgspec.structs.replace(
        known,
        kind=new.kind,
        told=known.told if new.id in known.told else (*known.told, new.id),
        words_at=known.words_at if known.asked and not new.asked else new.words_at,
        plan_at=new.plan_at or known.plan_at,
        tool=new.tool,
        asked=known.asked or new.asked,
        offer=new.offer if new.asked else known.offer,
    )
