"""The sub-agents that an agent has at work, whatever order their news come in."""

from typing import Final

import msgspec

from turnkeeper.facts.fact import MAIN_THREAD, NEVER, Fact, Moment, Source
from turnkeeper.facts.kinds import (
    Cause,
    ClientMissing,
    Ending,
    ProcessExited,
    SessionEnded,
    SessionStarted,
    SubagentEnded,
    SubagentStarted,
    ToolFinished,
    ToolStarted,
    TurnEnded,
)

MOST: Final = 50
"""So many are remembered; of more, those heard of last."""


class Subagent(msgspec.Struct, frozen=True):
    """What was heard of one: first, last, and at its end."""

    id: str
    role: str = ""
    tool: str = ""
    began_at: Moment = NEVER
    heard_at: Moment = NEVER
    ended_at: Moment = NEVER


class Subagents(msgspec.Struct, frozen=True):
    known: tuple[Subagent, ...] = ()
    quiet_at: Moment = NEVER
    """When a turn last ended with nothing left at work."""


def at_work(held: Subagents) -> list[Subagent]:
    """Those heard of since they last ended, the longest at work first."""
    working = [each for each in held.known if each.heard_at > max(each.ended_at, held.quiet_at)]
    return sorted(working, key=lambda each: each.began_at)


def heard(held: Subagents, fact: Fact, *, hooked: bool) -> Subagents:
    """Take one fact of the agent's session in."""
    match fact.what:
        case SubagentStarted(subagent=name, role=role):
            return _sign(held, name, fact.happened_at, role=role)
        case SubagentEnded(subagent=name):
            return _end(held, name, fact.happened_at)
        case ToolFinished():
            return held  # It may come late, and wakes nobody.
        case _ if fact.thread != MAIN_THREAD:
            tool = fact.what.tool if isinstance(fact.what, ToolStarted) else ""
            return _sign(held, fact.thread, fact.happened_at, tool=tool)
        case _ if _leaves_nobody(fact, hooked=hooked):
            return _quiet(held, fact.happened_at)
        case _:
            return held


def _leaves_nobody(fact: Fact, *, hooked: bool) -> bool:
    """Whether nothing is at work after this. What a turn leaves at work only a hook knows, so a
    transcript's word on its end counts where there are no hooks; of an interrupt no hook tells."""
    match fact.what:
        case TurnEnded(how=Ending.INTERRUPTED):
            return True
        case TurnEnded(background=background):
            return not background and (fact.source is Source.HOOK or not hooked)
        case SessionStarted(cause=cause):
            return cause is not Cause.COMPACT
        case what:
            return isinstance(what, SessionEnded | ProcessExited | ClientMissing)


def _sign(held: Subagents, name: str, at: Moment, *, role: str = "", tool: str = "") -> Subagents:
    if at <= held.quiet_at:
        return held
    known = _known(held, name)
    if at > known.ended_at >= known.heard_at:  # It is new, or sent off again.
        known = Subagent(name, role=known.role, ended_at=known.ended_at)
    return _with(
        held,
        msgspec.structs.replace(
            known,
            role=role or known.role,
            tool=tool if tool and at >= known.heard_at else known.tool,
            began_at=min(known.began_at or at, at),
            heard_at=max(known.heard_at, at),
        ),
    )


def _end(held: Subagents, name: str, at: Moment) -> Subagents:
    known = _known(held, name)
    return _with(held, msgspec.structs.replace(known, ended_at=max(known.ended_at, at)))


def _quiet(held: Subagents, at: Moment) -> Subagents:
    at = max(at, held.quiet_at)
    left = (each for each in held.known if max(each.heard_at, each.ended_at) > at)
    return Subagents(tuple(left), at)


def _known(held: Subagents, name: str) -> Subagent:
    return next((each for each in held.known if each.id == name), Subagent(name))


def _with(held: Subagents, new: Subagent) -> Subagents:
    others = (each for each in held.known if each.id != new.id)
    known = sorted((*others, new), key=lambda each: max(each.heard_at, each.ended_at))
    return msgspec.structs.replace(held, known=tuple(known[-MOST:]))
