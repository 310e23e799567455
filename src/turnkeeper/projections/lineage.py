"""An agent is a lineage of sessions: how it enters one, comes back, or turns out to be two."""

import msgspec

from turnkeeper.facts.fact import Fact
from turnkeeper.facts.kinds import ClientLaunched, ClientReported, SessionStarted
from turnkeeper.machines.evidence import Evidence
from turnkeeper.projections.agent import Agent
from turnkeeper.projections.asks import SETTLED, Asking
from turnkeeper.projections.context import Context
from turnkeeper.projections.describing import DESCRIBED
from turnkeeper.projections.subagents import Subagents
from turnkeeper.projections.turns import join


def united(agent: Agent, other: Agent) -> Agent:
    """Go on as the other, whose sessions turned out to be this agent's next ones."""
    kept, new = agent.evidence, other.evidence
    evidence = msgspec.structs.replace(
        new,
        client=kept.client if new.client is None else new.client,
        living=(*kept.living, *(each for each in new.living if each not in kept.living)),
        exited=(*kept.exited, *new.exited),
        alive_at=max(kept.alive_at, new.alive_at),
        gone_at=max(kept.gone_at, new.gone_at),
    )
    return msgspec.structs.replace(
        agent,
        sessions=(*agent.sessions, *other.sessions),
        entered_at=other.entered_at,
        evidence=evidence,
        lifecycle=other.lifecycle,
        pairing=join(agent.pairing, other.pairing),
        turns=agent.turns + other.turns,
        last_turn=other.last_turn or agent.last_turn,
        last_at=max(agent.last_at, other.last_at),
        asking=_both(agent.asking, other.asking),
        context=other.context,
        subagents=other.subagents,
        given=other.given or agent.given,
        muted=other.muted or agent.muted,
        **{name: said for name in DESCRIBED if (said := getattr(other, name))},
    )


def _both(kept: Asking, new: Asking) -> Asking:
    return Asking(
        open=(*kept.open, *new.open),
        settled=(*kept.settled, *new.settled)[-SETTLED:],
        ended=(*kept.ended, *new.ended)[-SETTLED:],
        answered=(*kept.answered, *new.answered),
        excused_at=max(kept.excused_at, new.excused_at),
    )


def entered(agent: Agent, fact: Fact) -> Agent:
    """Begin a session, or take up one of the past: of the one before, only the client is left."""
    others = tuple(each for each in agent.sessions if each != fact.session)
    return msgspec.structs.replace(
        agent,
        sessions=(*others, fact.session),
        entered_at=fact.happened_at,
        evidence=_carried(agent.evidence),
        context=Context(),
        subagents=Subagents(),
    )


def _carried(evidence: Evidence) -> Evidence:
    """What outlives a session: its client."""
    return Evidence(
        client=evidence.client,
        living=evidence.living,
        exited=evidence.exited,
        alive_at=evidence.alive_at,
        gone_at=evidence.gone_at,
        gone_by=evidence.gone_by,
    )


def remembered(agent: Agent, session: str) -> Agent:
    """A session heard of late belongs to the past."""
    sessions = (*agent.sessions[:-1], session, agent.session)
    return msgspec.structs.replace(agent, sessions=sessions)


def reentered(agent: Agent, fact: Fact) -> Agent:
    """A start, or the client's word, can take an agent back to a session of its past."""
    if fact.session in ("", agent.session) or fact.happened_at <= agent.last_at:
        return agent
    if not isinstance(fact.what, SessionStarted | ClientLaunched | ClientReported):
        return agent
    return entered(agent, fact)
