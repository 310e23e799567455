"""Everything that decides a session's status, as registers that only grow newer.

So the order in which one client's signals are heard does not matter to the judgement, as long
as no two happened at the same moment, and hearing one twice changes nothing. Two exceptions: a
permission heard twice is two (calls can ask for the same at once; the journal's keys tell a
repetition apart), and of two clients on one session only the newest opinion is kept.
observing.py takes facts in; standing.py judges.
"""

import msgspec

from turnkeeper.facts.fact import MAIN_THREAD, NEVER, START, Moment, Position
from turnkeeper.facts.kinds import Activity, Waits
from turnkeeper.machines.session import SessionEvent
from turnkeeper.machines.signals import Signal


class Report(msgspec.Struct, frozen=True):
    """The newest opinion of the client's registry."""

    pid: int
    started: str
    activity: Activity
    waiting_for: str
    at: Moment


class Call(msgspec.Struct, frozen=True):
    """A tool call that has begun, or a permission that was asked for (then `id` is empty)."""

    id: str
    tool: str
    waits: Waits
    at: Moment
    position: Position = START
    """The fact that first told of it."""

    words_at: Position = START
    """The fact that holds what the tool was given; the start, where none does yet."""

    offer: str = ""
    thread: str = MAIN_THREAD


class Evidence(msgspec.Struct, frozen=True):
    """Everything that decides a session's status."""

    client: Report | None = None
    hook: Signal | None = None
    transcript: Signal | None = None
    living: tuple[tuple[int, str], ...] = ()
    exited: tuple[tuple[int, str], ...] = ()
    alive_at: Moment = NEVER
    launched_at: Moment = NEVER
    """When `turnkeeper run` last started a client for this session."""

    gone_at: Moment = NEVER
    gone_by: SessionEvent = SessionEvent.PROCESS_EXITED
    prompt_at: Moment = NEVER
    rest_at: Moment = NEVER
    closed_at: Moment = NEVER
    """The newest end of a turn that the client wrote down: it can be ahead of the registry."""

    failed_at: Moment = NEVER
    failed_why: str = ""
    open: tuple[Call, ...] = ()
    ended: tuple[str, ...] = ()
    asked: tuple[Call, ...] = ()
    finished: tuple[Call, ...] = ()
    background: bool = False
    spoken_at: Moment = NEVER
    """The last user, assistant or turn-ending line of the main thread (rulings A4)."""


def waiting_call(evidence: Evidence) -> Call | None:
    """What a person is waited for, as far as calls and permissions tell: questions first."""
    waits = [call for call in evidence.open if call.waits and call.at >= evidence.rest_at]
    waits += [call for call in pending_permissions(evidence) if call.at >= evidence.rest_at]
    questions = [call for call in waits if call.waits is Waits.QUESTION]
    return next(iter(questions or waits), None)


def newest_call(evidence: Evidence) -> Call | None:
    """The call that began last of those in progress; a turn's end leaves none behind."""
    running = [call for call in evidence.open if call.at >= evidence.rest_at]
    return max(running, key=lambda call: call.at, default=None)


def pending_permissions(evidence: Evidence) -> list[Call]:
    """Permissions asked for and not followed by the end of such a call."""
    ends = list(evidence.finished)
    pending = []
    for asked in evidence.asked:
        answer = next((end for end in ends if answers(end, asked)), None)
        if answer is None:
            pending.append(asked)
        else:
            ends.remove(answer)
    return pending


def answers(end: Call, asked: Call) -> bool:
    """Whether the end of a call can be that of the one leave was asked for: the client names the
    tool and who asks, not the call."""
    return (end.tool, end.thread) == (asked.tool, asked.thread) and end.at >= asked.at


def unasked_calls(evidence: Evidence) -> list[Call]:
    """Open calls that no pending permission speaks for: leave is asked in the order of calls."""
    pending = [call for call in pending_permissions(evidence) if call.at >= evidence.rest_at]
    spoken_for = [call.tool for call in pending if call.thread == MAIN_THREAD]
    unasked = []
    for call in evidence.open:
        if call.at < evidence.rest_at:
            continue
        if call.tool in spoken_for:
            spoken_for.remove(call.tool)
        else:
            unasked.append(call)
    return unasked


def gone(evidence: Evidence) -> bool:
    """Whether nobody is left: the last process exited, or the client said goodbye. A process that
    lives is believed however old its word is; what exited since was another."""
    outlived = evidence.gone_by is SessionEvent.PROCESS_EXITED and bool(evidence.living)
    return evidence.gone_at > evidence.alive_at and not outlived


def failed(evidence: Evidence) -> bool:
    """Whether the last turn ended in an error and nobody has prompted since."""
    return evidence.failed_at > evidence.prompt_at
