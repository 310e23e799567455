"""Whom to believe about a session, and what that makes of it.

The end of the process first; then the client's own registry for the class (running, at
rest, waiting); hooks and transcript for the kind, and for the class where there is no
registry. Age alone never demotes: a signal is believed until a newer or better one says
otherwise.
"""

import msgspec

from turnkeeper.facts.fact import NEVER, Moment, Source
from turnkeeper.facts.kinds import Activity, Waits
from turnkeeper.machines.evidence import Call, Evidence, Report, failed, gone, waiting_call
from turnkeeper.machines.session import SessionEvent, SessionStatus
from turnkeeper.machines.signals import Posture, Signal, later

NEEDS_INPUT = "input needed"


class Judgement(msgspec.Struct, frozen=True):
    """What the evidence comes to, and which signal decided."""

    event: SessionEvent
    source: Source
    at: Moment


def judge(evidence: Evidence) -> Judgement | None:
    """Say which event the evidence amounts to; None while nothing is known."""
    if gone(evidence):
        return Judgement(evidence.gone_by, Source.PROCESS, evidence.gone_at)
    report = evidence.client
    if report is not None and report.activity is not Activity.UNSAID:
        if _written_over(evidence, report):
            return Judgement(_at_rest(evidence), Source.TRANSCRIPT, evidence.closed_at)
        return Judgement(_by_client(evidence, report), Source.REGISTRY, report.at)
    signal = newest(evidence)
    if evidence.launched_at > (signal.at if signal else NEVER):
        # A client that was started and has said nothing yet: older words are not its own.
        return Judgement(SessionEvent.CLIENT_STARTED, Source.RUN, evidence.launched_at)
    if signal is None:
        return None
    return Judgement(_by_signal(evidence, signal), signal.source, signal.at)


def newest(evidence: Evidence) -> Signal | None:
    """The newer of what hooks and transcript said; the hook where they speak at once."""
    hook, transcript = evidence.hook, evidence.transcript
    if hook is None or transcript is None:
        return hook or transcript
    return hook if hook.at == transcript.at else later(hook, transcript)


def standing(status: SessionStatus, *, awaits_input: bool) -> SessionStatus:
    """The word the board shows: an idle session whose command awaits input waits for you."""
    if status is SessionStatus.IDLE and awaits_input:
        return SessionStatus.AWAITING_INPUT
    return status


def _by_client(evidence: Evidence, report: Report) -> SessionEvent:
    match report.activity:
        case Activity.BUSY:
            return SessionEvent.CLIENT_BUSY
        case Activity.WAITING:
            return _waiting_for(evidence, report)
        case _:
            return _at_rest(evidence)


def _written_over(evidence: Evidence, report: Report) -> bool:
    """Whether the client has written its turn's end, and nothing of more work since, after it last
    said busy: its registry follows some milliseconds later (docs/decisions/0002)."""
    last = newest(evidence)
    if report.activity is not Activity.BUSY or last is None:
        return False
    over = last.posture is Posture.REST or evidence.closed_at >= last.at
    return evidence.closed_at > report.at and over


def _at_rest(evidence: Evidence) -> SessionEvent:
    """This turn's end decides. The machine's error outlives `client_idle`, so an error that a
    newer prompt has overtaken is said to be over in so many words."""
    if failed(evidence):
        return SessionEvent.TURN_FAILED
    overtaken = evidence.failed_at != NEVER
    return SessionEvent.CLIENT_AT_PROMPT if overtaken else SessionEvent.CLIENT_IDLE


def _waiting_for(evidence: Evidence, report: Report) -> SessionEvent:
    """The open tool decides; the client's own word only where no tool is known."""
    call = waiting_call(evidence)
    if call is None and report.waiting_for == NEEDS_INPUT:
        return SessionEvent.CLIENT_WAITING_INPUT
    return _waiting(call)


def _waiting(call: Call | None) -> SessionEvent:
    if call is not None and call.waits is Waits.QUESTION:
        return SessionEvent.CLIENT_WAITING_INPUT
    return SessionEvent.CLIENT_WAITING_APPROVAL


def _by_signal(evidence: Evidence, signal: Signal) -> SessionEvent:
    if signal.posture is Posture.REST:
        return SessionEvent.TURN_FAILED if failed(evidence) else signal.event
    call = waiting_call(evidence)
    if call is None:
        return signal.event if signal.posture is Posture.RUNNING else SessionEvent.TOOL_CALL
    return _waiting(call)
