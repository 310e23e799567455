"""Keeps an agent's part of the queue: what a fact opens, offers, answers or withdraws."""

import msgspec

from turnkeeper.facts.fact import NEVER, Moment, Recorded
from turnkeeper.facts.kinds import (
    Activity,
    AnswerLost,
    AskAnswered,
    ClientReported,
    Decision,
    Ending,
    OfferEnded,
    Origin,
    Outcome,
    PermissionAsked,
    PromptSubmitted,
    ToolFinished,
    TurnEnded,
)
from turnkeeper.machines.session import SessionStatus
from turnkeeper.projections.agent import Agent, Changes
from turnkeeper.projections.asks import (
    KINDS,
    OF_A_DIALOG,
    SETTLED,
    Answered,
    Ask,
    Asking,
    AskKind,
    Closing,
    Present,
    heeded,
    merged,
    same,
    wanted,
)

PERSONAL = (AskAnswered, AnswerLost, OfferEnded)
AT_WORK = (SessionStatus.STARTING, SessionStatus.RUNNING, SessionStatus.CLOSED)
TYPED = (Origin.HUMAN, Origin.INTERJECTED)


def queue(before: Agent, agent: Agent, recorded: Recorded, changes: Changes) -> Agent:
    """Bring an agent's asks up to date with what a fact made of it."""
    asking = agent.asking
    if not isinstance(recorded.fact.what, PERSONAL) and _untouched(before, agent):
        return agent
    present = _present(agent)
    asking = _heard(_until_heeded(asking, present), recorded, changes)
    tellings = wanted(present, asking, recorded.position)
    asking = _opened(asking, tellings, recorded, changes)
    asking = _withdrawn(asking, tellings, agent, recorded, changes)
    return agent if asking == agent.asking else msgspec.structs.replace(agent, asking=asking)


def _untouched(before: Agent, agent: Agent) -> bool:
    """Most facts move neither the evidence nor a command, and most agents wait for nobody."""
    evidence = agent.evidence
    quiet = not agent.asking.open and agent.status in AT_WORK
    if quiet and not evidence.asked and not any(call.waits for call in evidence.open):
        return True
    return (
        before.evidence is agent.evidence
        and before.lifecycle is agent.lifecycle
        and before.sessions is agent.sessions
    )


def _present(agent: Agent) -> Present:
    awaits = agent.standing is SessionStatus.AWAITING_INPUT and agent.status is SessionStatus.IDLE
    return Present(
        agent.session,
        agent.status,
        agent.since,
        awaits and bool(agent.command),
        agent.evidence,
        agent.lifecycle,
    )


def _until_heeded(asking: Asking, present: Present) -> Asking:
    unheeded = tuple(ask for ask in asking.answered if not heeded(ask, present))
    if len(unheeded) == len(asking.answered):
        return asking
    return msgspec.structs.replace(asking, answered=unheeded)


# What a person, or the waiting hook, did --------------------------------------------------------


def _heard(asking: Asking, recorded: Recorded, changes: Changes) -> Asking:
    what, at = recorded.fact.what, recorded.fact.happened_at
    match what:
        case AskAnswered():
            return _answered(asking, what, at, changes)
        case OfferEnded(offer=offer):
            ended = (*asking.ended, offer)[-SETTLED:]
            return msgspec.structs.replace(asking, ended=ended)
        case AnswerLost(ask=number, offer=offer):
            ended = (*asking.ended, offer)[-SETTLED:]
            return _lost(msgspec.structs.replace(asking, ended=ended), number, changes)
        case _:
            return asking


def _lost(asking: Asking, number: int, changes: Changes) -> Asking:
    """Open again what was answered to nobody, unless the client has acted on it after all."""
    lost = next((ask for ask in asking.answered if ask.id == number), None)
    if lost is None:
        return asking
    again = msgspec.structs.replace(lost, offer="", answer=None, outcome=None, closed_at=NEVER)
    changes.asks.append(again)
    return msgspec.structs.replace(
        asking,
        open=_in_order((*asking.open, again)),
        settled=tuple(each for each in asking.settled if each not in lost.told),
        answered=tuple(ask for ask in asking.answered if ask is not lost),
    )


def _in_order(asks: tuple[Ask, ...]) -> tuple[Ask, ...]:
    return tuple(sorted(asks, key=lambda ask: (ask.opened_at, ask.id)))


def _answered(asking: Asking, what: AskAnswered, at: Moment, changes: Changes) -> Asking:
    asked = next((ask for ask in asking.open if ask.id == what.ask), None)
    if asked is None:
        return asking
    dismissed = what.decision is Decision.DISMISS
    outcome = Closing.DISMISSED if dismissed else Closing.ANSWERED
    answer = Answered(what.decision, what.message, what.answers, what.by, at)
    if dismissed and asked.kind is AskKind.ERROR:
        asking = msgspec.structs.replace(asking, excused_at=max(at, asked.opened_at))
    return _close(asking, msgspec.structs.replace(asked, answer=answer), outcome, at, changes)


def _close(asking: Asking, ask: Ask, outcome: Closing, at: Moment, changes: Changes) -> Asking:
    """Words that a person has not dismissed may be the open question again, once a task that came
    between them is done; all else is settled for good."""
    closed = msgspec.structs.replace(ask, outcome=outcome, closed_at=at)
    changes.asks.append(closed)
    settled = ask.kind is not AskKind.WORDS or outcome is Closing.DISMISSED
    unheeded = outcome is Closing.ANSWERED and ask.kind in OF_A_DIALOG
    return msgspec.structs.replace(
        asking,
        open=tuple(each for each in asking.open if each.id != ask.id),
        settled=(*asking.settled, *(ask.told if settled else ()))[-SETTLED:],
        answered=(*asking.answered, closed) if unheeded else asking.answered,
    )


# What the evidence says -------------------------------------------------------------------------


def _opened(asking: Asking, tellings: list[Ask], recorded: Recorded, changes: Changes) -> Asking:
    """Open what is new, and add to what is open."""
    for new in [*tellings, *_offered_late(asking, tellings, recorded)]:
        known = _known(asking.open, new)
        now = new if known is None else merged(known, new)
        if now == known:
            continue
        changes.asks.append(now)
        others = tuple(ask for ask in asking.open if ask.id != now.id)
        asking = msgspec.structs.replace(asking, open=_in_order((*others, now)))
    return asking


def _known(asks: tuple[Ask, ...], new: Ask) -> Ask | None:
    """The open ask that a telling is of: rather the one it told of before."""
    told_before = [ask for ask in asks if new.id in ask.told]
    return next(iter(told_before or [ask for ask in asks if same(ask, new)]), None)


def _offered_late(asking: Asking, tellings: list[Ask], recorded: Recorded) -> list[Ask]:
    """A hook that offers what has been answered meanwhile: it is opened, so that it is withdrawn
    at once and its hook hears of that."""
    fact, position = recorded.fact, recorded.position
    what = fact.what
    if not isinstance(what, PermissionAsked) or not what.offer:
        return []
    if position in asking.settled or any(position == each.id for each in tellings):
        return []
    return [
        Ask(
            id=position,
            kind=KINDS[what.waits],
            session=fact.session,
            opened_at=fact.happened_at,
            told=(position,),
            words_at=position,
            tool=what.tool,
            asked=True,
            offer=what.offer,
        )
    ]


def _withdrawn(
    asking: Asking, tellings: list[Ask], agent: Agent, recorded: Recorded, changes: Changes
) -> Asking:
    for ask in asking.open:
        if not any(same(ask, each) for each in tellings):
            outcome = _why(ask, agent, recorded)
            asking = _close(asking, ask, outcome, recorded.fact.happened_at, changes)
    return asking


def _why(ask: Ask, agent: Agent, recorded: Recorded) -> Closing:
    if agent.status is SessionStatus.CLOSED:
        return Closing.ENDED
    if ask.session != agent.session:
        return Closing.CLEARED
    if _interrupts(recorded):
        return Closing.INTERRUPTED
    match recorded.fact.what:
        case PromptSubmitted(origin=origin) if ask.kind is AskKind.WORDS and origin in TYPED:
            return Closing.TERMINAL
        case TurnEnded(how=Ending.FAILED):
            return Closing.MOVED_ON
        case _:
            return Closing.TERMINAL if ask.kind in OF_A_DIALOG else Closing.MOVED_ON


def _interrupts(recorded: Recorded) -> bool:
    match recorded.fact.what:
        case TurnEnded(how=Ending.INTERRUPTED) | ToolFinished(outcome=Outcome.INTERRUPTED):
            return True
        case ClientReported(activity=activity):
            # After an answer a client is busy; at rest at once, it was sent there.
            return activity in (Activity.IDLE, Activity.SHELL)
        case _:
            return False
