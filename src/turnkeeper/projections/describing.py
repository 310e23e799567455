"""Who an agent is: where it lives, what it is called, and when it was last heard of."""

import msgspec

from turnkeeper.facts.fact import NEVER, Fact, Source
from turnkeeper.facts.kinds import (
    ClientLaunched,
    ClientReported,
    DirectoryChanged,
    SessionSeen,
    SessionStarted,
    Titled,
)
from turnkeeper.projections.agent import Agent
from turnkeeper.projections.context import filled
from turnkeeper.projections.subagents import heard


def described(agent: Agent, fact: Fact) -> Agent:
    first = min(agent.first_at or fact.happened_at, fact.happened_at)
    last = max(agent.last_at, fact.happened_at)
    host = agent.host or fact.host
    hooked = max(agent.hooked_at, fact.happened_at if fact.source is Source.HOOK else NEVER)
    ours = fact.session == agent.session
    agent = msgspec.structs.replace(
        agent,
        first_at=first,
        last_at=last,
        host=host,
        hooked_at=hooked,
        context=filled(agent.context, fact) if ours else agent.context,
        subagents=heard(agent.subagents, fact, hooked=bool(hooked)) if ours else agent.subagents,
    )
    if not ours:
        return agent
    match fact.what:
        case SessionStarted() | SessionSeen() | DirectoryChanged():
            return _located(agent, fact)
        case ClientLaunched() | ClientReported():
            return _located(agent, fact)
        case Titled(title=title, chosen=chosen) if chosen or not agent.title_chosen:
            return msgspec.structs.replace(agent, title=title, title_chosen=chosen)
        case _:
            return agent


DESCRIBED = (
    "cwd",
    "branch",
    "version",
    "entrypoint",
    "model",
    "transcript",
    "parent",
    "domain",
    "name",
)


def _located(agent: Agent, fact: Fact) -> Agent:
    told = {name: getattr(fact.what, name, "") for name in DESCRIBED}
    return msgspec.structs.replace(agent, **{name: said for name, said in told.items() if said})
