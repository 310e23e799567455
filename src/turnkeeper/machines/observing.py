"""Takes facts into the evidence, register by register. Nothing here is a judgement."""

import msgspec

from turnkeeper.facts.fact import MAIN_THREAD, START, Moment, Position, Recorded, Source
from turnkeeper.facts.kinds import (
    Activity,
    AgentSpoke,
    Cause,
    ClientLaunched,
    ClientMissing,
    ClientReported,
    ClientUnlisted,
    Ending,
    Origin,
    PermissionAsked,
    ProcessExited,
    PromptSubmitted,
    SessionEnded,
    SessionStarted,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    Waits,
    What,
)
from turnkeeper.machines.evidence import Call, Evidence, Report, answers
from turnkeeper.machines.session import SessionEvent
from turnkeeper.machines.signals import Posture, Signal, later, signal_of

REMEMBERED = 32
"""How many ended calls and processes are remembered, so that a late start does not reopen one."""

USERS_OWN_MENU = "dialog open"
LIVES_ON = "clear"
"""Why a session ends while its agent goes on with the next one. After /resume the process goes
on too, but as another agent."""

SPOKEN = (PromptSubmitted, AgentSpoke, ToolStarted, ToolFinished, TurnEnded)


def observe(evidence: Evidence, recorded: Recorded) -> Evidence:
    """Take one fact of the main thread into the evidence; of a sub-agent's, what it asks leave
    for and the end of its calls, which answers that and says nothing of the main thread."""
    fact = recorded.fact
    noted = _note(evidence, recorded)
    signal = signal_of(fact)
    if signal is None or (fact.thread != MAIN_THREAD and isinstance(fact.what, ToolFinished)):
        return noted
    return _heard(noted, signal)


def _heard(evidence: Evidence, signal: Signal) -> Evidence:
    rest_at = evidence.rest_at
    if signal.posture is Posture.REST:
        rest_at = max(rest_at, signal.at)
    if signal.source is Source.TRANSCRIPT:
        newer = _newer(evidence.transcript, signal)
        return msgspec.structs.replace(evidence, transcript=newer, rest_at=rest_at)
    newer = _newer(evidence.hook, signal)
    return msgspec.structs.replace(evidence, hook=newer, rest_at=rest_at)


def _newer(old: Signal | None, new: Signal) -> Signal:
    return new if old is None else later(old, new)


def _note(evidence: Evidence, recorded: Recorded) -> Evidence:
    fact, at = recorded.fact, recorded.fact.happened_at
    spoken = fact.thread == MAIN_THREAD and isinstance(fact.what, SPOKEN)
    if spoken and fact.source is Source.TRANSCRIPT:
        evidence = _note_written(evidence, fact.what, at)
    match fact.what:
        case ClientReported() | ClientLaunched() | ClientUnlisted() | ProcessExited():
            return _note_process(evidence, fact.what, at)
        case SessionStarted() | SessionEnded() | ClientMissing():
            return _note_boundary(evidence, fact.what, at)
        case ToolStarted() | ToolFinished() | PermissionAsked():
            return _note_call(evidence, fact.what, recorded)
        case PromptSubmitted() | TurnEnded():
            return _note_turn(evidence, fact.what, at)
        case _:
            return evidence


def _note_written(evidence: Evidence, what: What, at: Moment) -> Evidence:
    ended = isinstance(what, TurnEnded) and what.how is not Ending.DONE
    return msgspec.structs.replace(
        evidence,
        spoken_at=max(evidence.spoken_at, at),
        alive_at=max(evidence.alive_at, at),
        closed_at=max(evidence.closed_at, at) if ended else evidence.closed_at,
    )


def _note_turn(evidence: Evidence, what: PromptSubmitted | TurnEnded, at: Moment) -> Evidence:
    match what:
        case PromptSubmitted(origin=Origin.HUMAN | Origin.BACKGROUND):
            alive = max(evidence.alive_at, at)
            prompt = max(evidence.prompt_at, at)
            return msgspec.structs.replace(evidence, prompt_at=prompt, alive_at=alive)
        case TurnEnded(how=Ending.FAILED) if at > evidence.failed_at:
            why = what.error or evidence.failed_why
            return msgspec.structs.replace(evidence, failed_at=at, failed_why=why)
        case TurnEnded(how=Ending.DONE, background=count, entry="") if at >= evidence.rest_at:
            # Only a Stop counts what runs on; the transcript's line for the same end does not.
            return msgspec.structs.replace(evidence, background=count > 0)
        case _:
            return evidence


def _note_process(
    evidence: Evidence,
    what: ClientReported | ClientLaunched | ClientUnlisted | ProcessExited,
    at: Moment,
) -> Evidence:
    match what:
        case ClientUnlisted(pid=pid):
            return _note_leave(evidence, pid, at)
        case ClientReported():
            return _note_report(evidence, what, at)
        case ClientLaunched(pid=pid, started=started):
            return _note_launch(evidence, (pid, started), at)
        case ProcessExited(pid=pid, started=started):
            return _note_exit(evidence, (pid, started), at)


def _note_leave(evidence: Evidence, pid: int, at: Moment) -> Evidence:
    """The client does not list the session any more: it may be about to end, or be in another."""
    client = evidence.client
    if client is not None and (client.pid != pid or client.at > at):
        return evidence
    living = tuple(known for known in evidence.living if known[0] != pid)
    return msgspec.structs.replace(evidence, living=living, client=None)


def _note_launch(evidence: Evidence, process: tuple[int, str], at: Moment) -> Evidence:
    if any(_same(process, gone) for gone in evidence.exited):
        return evidence
    known = any(_same(process, alive) for alive in evidence.living)
    return msgspec.structs.replace(
        evidence,
        living=evidence.living if known else (*evidence.living, process),
        alive_at=max(evidence.alive_at, at),
        launched_at=max(evidence.launched_at, at),
    )


def _note_report(evidence: Evidence, report: ClientReported, at: Moment) -> Evidence:
    process = (report.pid, report.started)
    if any(_same(process, gone) for gone in evidence.exited):
        return evidence
    if process not in evidence.living:
        # `run` may not know when its client started, where only the client can say so.
        others = tuple(known for known in evidence.living if not _same(known, process))
        evidence = msgspec.structs.replace(evidence, living=(*others, process))
    evidence = msgspec.structs.replace(evidence, alive_at=max(evidence.alive_at, at))
    known = evidence.client
    if (known is not None and at < known.at) or _says_nothing_new(known, report):
        return evidence
    client = Report(report.pid, report.started, report.activity, report.waiting_for, at)
    resting = report.activity in (Activity.IDLE, Activity.SHELL)
    return msgspec.structs.replace(
        evidence,
        client=client,
        rest_at=max(evidence.rest_at, at) if resting else evidence.rest_at,
        background=report.activity is Activity.SHELL if resting else evidence.background,
    )


def _says_nothing_new(known: Report | None, report: ClientReported) -> bool:
    """The user's own menu and a report without status leave an older opinion in force."""
    if report.waiting_for == USERS_OWN_MENU and report.activity is Activity.WAITING:
        return True
    if known is None:
        return False
    same_process = (known.pid, known.started) == (report.pid, report.started)
    return report.activity is Activity.UNSAID and same_process


def _note_exit(evidence: Evidence, process: tuple[int, str], at: Moment) -> Evidence:
    living = tuple(known for known in evidence.living if not _same(known, process))
    others = tuple(known for known in evidence.exited if known != process)
    exited = (*others, process)[-REMEMBERED:]
    last = not living and at >= evidence.gone_at
    client = evidence.client
    if client is not None and _same((client.pid, client.started), process):
        client = None
    return msgspec.structs.replace(
        evidence,
        living=living,
        exited=exited,
        gone_at=at if last else evidence.gone_at,
        gone_by=SessionEvent.PROCESS_EXITED if last else evidence.gone_by,
        client=client,
    )


def _same(known: tuple[int, str], other: tuple[int, str]) -> bool:
    """One process, also where only one side knows when it started."""
    return known[0] == other[0] and (known[1] == other[1] or not known[1] or not other[1])


def _note_boundary(evidence: Evidence, what: What, at: Moment) -> Evidence:
    match what:
        case SessionStarted(cause=cause) if cause is not Cause.COMPACT:
            return msgspec.structs.replace(evidence, alive_at=max(evidence.alive_at, at))
        case SessionEnded(reason=reason) if reason != LIVES_ON and at > evidence.gone_at:
            if len(evidence.living) > 1:
                # Open twice: one client says goodbye, and the other goes on.
                return evidence
            return msgspec.structs.replace(evidence, gone_at=at, gone_by=SessionEvent.SESSION_ENDED)
        case ClientMissing() if at > evidence.gone_at and not evidence.living:
            return msgspec.structs.replace(
                evidence, gone_at=at, gone_by=SessionEvent.PROCESS_EXITED
            )
        case _:
            return evidence


def _note_call(evidence: Evidence, what: What, recorded: Recorded) -> Evidence:
    at, position, thread = recorded.fact.happened_at, recorded.position, recorded.fact.thread
    match what:
        case ToolStarted(call=call) if call in evidence.ended:
            return _named_end(evidence, call, what.tool)
        case ToolStarted():
            return _note_start(evidence, what, at, position)
        case ToolFinished(call=call) if call in evidence.ended:
            return _named_end(evidence, call, what.tool)
        case ToolFinished():
            return _note_finish(evidence, what, at, thread)
        case PermissionAsked():
            asked = Call("", what.tool, what.waits, at, position, position, what.offer, thread)
            known = sorted((*evidence.asked, asked), key=lambda call: call.at)
            return msgspec.structs.replace(evidence, asked=tuple(known[-REMEMBERED:]))
        case _:
            return evidence


def _note_start(evidence: Evidence, what: ToolStarted, at: Moment, position: Position) -> Evidence:
    """A call is told by hook and transcript; what it was given, often by the second alone."""
    words_at = position if bytes(what.input) else START
    begun = Call(what.call, what.tool, what.waits, at, position, words_at)
    known = next((call for call in evidence.open if call.id == what.call), None)
    if known is not None:
        begun = msgspec.structs.replace(
            begun,
            at=max(at, known.at),
            position=known.position,
            # What the client writes down is whole; a hook hears of a plan that there is one.
            words_at=words_at if what.entry and words_at else known.words_at or words_at,
        )
    others = tuple(call for call in evidence.open if call.id != what.call)
    return msgspec.structs.replace(evidence, open=(*others, begun)[-REMEMBERED:])


def _note_finish(evidence: Evidence, what: ToolFinished, at: Moment, thread: str) -> Evidence:
    """A finished call answers at most one permission, however often its end is heard."""
    begun = next((call for call in evidence.open if call.id == what.call), None)
    tool = what.tool or (begun.tool if begun else "")
    end = Call(what.call, tool, Waits.NOTHING, at, thread=thread)
    finished = sorted((*evidence.finished, end), key=lambda call: call.at)
    forgotten = finished[0] if len(finished) > REMEMBERED else None
    return msgspec.structs.replace(
        evidence,
        open=tuple(call for call in evidence.open if call.id != what.call),
        ended=(*evidence.ended, what.call)[-REMEMBERED:],
        finished=tuple(finished[-REMEMBERED:]),
        asked=_without_answered(evidence.asked, forgotten) if forgotten else evidence.asked,
    )


def _without_answered(asked: tuple[Call, ...], end: Call) -> tuple[Call, ...]:
    """An end that is forgotten takes the permission it answered along, or that would be pending
    again."""
    answered = next((each for each in asked if answers(end, each)), None)
    return tuple(each for each in asked if each is not answered)


def _named_end(evidence: Evidence, call: str, tool: str) -> Evidence:
    """An end is told again, or its beginning late: now its tool is known, which a transcript's line
    of an end does not name."""
    known = tuple(
        msgspec.structs.replace(end, tool=end.tool or tool) if end.id == call else end
        for end in evidence.finished
    )
    return msgspec.structs.replace(evidence, finished=known)
