"""Which agent a fact is about.

An agent is a lineage of sessions in one client process after another. The client's registry
ties a session to a process; without it, /clear is known by one session ending as another
begins in the same folder, and a process by being the only one nobody has claimed.
"""

from typing import TypeVar

import msgspec

from turnkeeper.facts.fact import Fact, Moment, Source
from turnkeeper.facts.kinds import (
    Activity,
    AgentMuted,
    AgentRenamed,
    Cause,
    ClientLaunched,
    ClientReported,
    ClientUnlisted,
    LinePassed,
    ProcessExited,
    ProcessFound,
    SessionEnded,
    SessionStarted,
    Unrecognised,
)

SECONDS = 1_000_000
SILENT = (Source.TRANSCRIPT, Source.REGISTRY)
"""Who can be the first to tell of a session, and does not say how it began."""

CLEARED_WITHIN = 10 * SECONDS
CLAIMED_WITHIN = 30 * SECONDS

Name = TypeVar("Name")
Process = tuple[str, int]
"""A host and a pid: a pid means nothing elsewhere."""


class Cleared(msgspec.Struct, frozen=True):
    """A session that ended because another begins in its place."""

    agent: int
    at: Moment


class Found(msgspec.Struct, frozen=True):
    """A client process whose session nobody has named."""

    process: Process
    at: Moment


class Orphan(msgspec.Struct, frozen=True):
    """An agent that may turn out to be the next session of another: nobody has said whose."""

    agent: int
    at: Moment
    sure: bool = False
    """It has said itself that it continues another."""


class Started(msgspec.Struct, frozen=True):
    """An agent that began, and whose process nobody has named."""

    agent: int
    at: Moment


class Directory(msgspec.Struct):
    """The address book. It grows with the facts and is the one record here that is changed in
    place: copying it for each fact would cost more than all else together."""

    sessions: dict[str, int] = msgspec.field(default_factory=dict)
    processes: dict[Process, int] = msgspec.field(default_factory=dict)
    births: dict[Process, str] = msgspec.field(default_factory=dict)
    """When each process began, where that is known: pids recur."""

    cleared: list[Cleared] = msgspec.field(default_factory=list)
    found: list[Found] = msgspec.field(default_factory=list)
    started: list[Started] = msgspec.field(default_factory=list)
    orphans: list[Orphan] = msgspec.field(default_factory=list)
    agents: int = 0


class Route(msgspec.Struct, frozen=True):
    """The agent a fact is about, and the one it turned out to be the same as, if any."""

    agent: int
    absorbed: int | None = None


def route(directory: Directory, fact: Fact) -> Route | None:
    """Name the agent this fact is about, making a new one where it must be.

    None while the fact does not make an agent: a registry entry that says nothing yet, a
    process nobody knows. Such a fact stays in the journal and is not lost.
    """
    if isinstance(fact.what, ClientReported):
        return _route_report(directory, fact, fact.what)
    if isinstance(fact.what, SessionEnded) and fact.what.reason == "clear":
        return _route_clear(directory, fact)
    if isinstance(fact.what, SessionStarted):
        return _route_start(directory, fact, fact.what.cause)
    agent = _agent(directory, fact)
    return None if agent is None else Route(agent)


def _agent(directory: Directory, fact: Fact) -> int | None:
    match fact.what:
        case ClientLaunched(pid=pid, started=started):
            return _route_launch(directory, fact, (fact.host, pid), started)
        case ClientUnlisted(pid=pid):
            return _route_end(directory, fact, pid, "")
        case ProcessExited(pid=pid, started=started):
            return _route_end(directory, fact, pid, started)
        case ProcessFound(pid=pid, started=started):
            return _route_found(directory, fact, (fact.host, pid), started)
        case LinePassed() | Unrecognised() | AgentRenamed() | AgentMuted():
            return directory.sessions.get(fact.session)
        case _:
            return _known(directory, fact) if fact.session else None


def _known(directory: Directory, fact: Fact) -> int:
    """The session's agent; a new one for a session nobody has heard of."""
    agent = directory.sessions.get(fact.session)
    if agent is None:
        directory.agents += 1
        agent = directory.agents
        directory.sessions[fact.session] = agent
        if fact.source in SILENT or _cleared(fact):
            _note_orphan(directory, fact, agent)
    return agent


def _cleared(fact: Fact) -> bool:
    return isinstance(fact.what, SessionStarted) and fact.what.cause is Cause.CLEAR


def _note_orphan(directory: Directory, fact: Fact, agent: int) -> None:
    young = [each for each in directory.orphans if _near(each.at, fact, CLEARED_WITHIN)]
    others = [each for each in young if each.agent != agent]
    directory.orphans = [*others, Orphan(agent, fact.happened_at, sure=_cleared(fact))]


def _adopt(directory: Directory, heir: int, orphan: int) -> Route:
    """Give all that is the orphan's to the agent whose conversation it continues."""
    directory.orphans = [each for each in directory.orphans if each.agent != orphan]
    directory.started = [each for each in directory.started if each.agent != orphan]
    directory.cleared = [
        Cleared(heir, each.at) if each.agent == orphan else each for each in directory.cleared
    ]
    _hand_over(directory.sessions, orphan, heir)
    _hand_over(directory.processes, orphan, heir)
    return Route(heir, orphan)


def _hand_over(owned: dict[Name, int], orphan: int, heir: int) -> None:
    owned.update({name: heir for name, agent in owned.items() if agent == orphan})


def _route_report(directory: Directory, fact: Fact, report: ClientReported) -> Route | None:
    process = (fact.host, report.pid)
    agent = directory.sessions.get(fact.session)
    owner = _owner(directory, process, report.started)
    if agent is None and report.activity is Activity.UNSAID:
        # `--continue` first registers an id that it drops at once: not yet an agent.
        return None
    if agent is None:
        agent = owner or _known(directory, fact)
        directory.sessions[fact.session] = agent
    if owner is not None and owner != agent and _is_adoptable(directory, fact, agent):
        return _adopt(directory, owner, agent)
    _claim(directory, process, agent, report.started)
    return Route(agent)


def _owner(directory: Directory, process: Process, started: str) -> int | None:
    """The agent in this process; nobody where the pid has been given to another process since."""
    born = directory.births.get(process, "")
    reused = bool(born and started and born != started)
    return None if reused else directory.processes.get(process)


def _orphaned(directory: Directory, fact: Fact, agent: int) -> bool:
    return any(
        each.agent == agent and _near(each.at, fact, CLEARED_WITHIN) for each in directory.orphans
    )


def _is_adoptable(directory: Directory, fact: Fact, agent: int) -> bool:
    return agent in [each.agent for each in _adoptable(directory, fact)]


def _adoptable(directory: Directory, fact: Fact) -> list[Orphan]:
    """The orphans of these moments; of those that live in a process, only who said what it is."""
    settled = set(directory.processes.values())
    near = [each for each in directory.orphans if _near(each.at, fact, CLEARED_WITHIN)]
    return [each for each in near if each.sure or each.agent not in settled]


def _route_end(directory: Directory, fact: Fact, pid: int, started: str) -> int | None:
    process = (fact.host, pid)
    agent = _owner(directory, process, started)
    if isinstance(fact.what, ClientUnlisted):
        # It is the session that was left; its process may go on with another one.
        return directory.sessions.get(fact.session, agent)
    if isinstance(fact.what, ProcessExited) and agent == directory.processes.get(process):
        directory.processes.pop(process, None)
        directory.births.pop(process, None)
        directory.found = [each for each in directory.found if each.process != process]
    return agent if agent is not None else directory.sessions.get(fact.session)


def _route_launch(directory: Directory, fact: Fact, process: Process, started: str) -> int | None:
    """A client that was started for a session. One that picks its session itself is nobody's
    until its registry says whose: a guess could close another agent with it."""
    if not fact.session:
        return _owner(directory, process, started)
    agent = _known(directory, fact)
    _claim(directory, process, agent, started)
    return agent


def _route_found(directory: Directory, fact: Fact, process: Process, started: str) -> int | None:
    owner = _owner(directory, process, started)
    if owner is not None:
        return owner
    near = [each for each in directory.started if _near(each.at, fact, CLAIMED_WITHIN)]
    if len(near) == 1:
        _claim(directory, process, near[0].agent, started)
        return near[0].agent
    others = [each for each in directory.found if each.process != process]
    directory.found = [*others, Found(process, fact.happened_at)]
    return None


def _claim(directory: Directory, process: Process, agent: int, started: str = "") -> None:
    directory.processes[process] = agent
    if started:
        directory.births[process] = started
    directory.found = [each for each in directory.found if each.process != process]
    directory.started = [each for each in directory.started if each.agent != agent]


def _route_start(directory: Directory, fact: Fact, cause: Cause) -> Route:
    known = directory.sessions.get(fact.session)
    if cause is Cause.CLEAR and (known is None or _orphaned(directory, fact, known)):
        heir = _heir(directory, fact)
        if heir is not None and known not in (None, heir):
            return _adopt(directory, heir, known)
        if heir is not None:
            directory.sessions[fact.session] = heir
        elif known is not None:
            _note_orphan(directory, fact, known)
    agent = _known(directory, fact)
    if cause not in (Cause.CLEAR, Cause.COMPACT):
        directory.orphans = [each for each in directory.orphans if each.agent != agent]
    if agent not in directory.processes.values():
        _claim_the_only(directory, fact, agent)
    return Route(agent)


def _heir(directory: Directory, fact: Fact) -> int | None:
    """Whose session was cleared just now, if exactly one was."""
    near = [each for each in directory.cleared if _near(each.at, fact, CLEARED_WITHIN)]
    if len(near) != 1:
        return None
    directory.cleared.remove(near[0])
    return near[0].agent


def _claim_the_only(directory: Directory, fact: Fact, agent: int) -> None:
    near = [each for each in directory.found if _near(each.at, fact, CLAIMED_WITHIN)]
    if len(near) == 1:
        _claim(directory, near[0].process, agent)
        return
    others = [each for each in directory.started if _near(each.at, fact, CLAIMED_WITHIN)]
    directory.started = [*others, Started(agent, fact.happened_at)]


def _near(at: Moment, fact: Fact, within: int) -> bool:
    return abs(at - fact.happened_at) <= within


def _route_clear(directory: Directory, fact: Fact) -> Route:
    agent = _known(directory, fact)
    born = [each for each in _adoptable(directory, fact) if each.at >= fact.happened_at]
    others = [each.agent for each in born if each.agent != agent]
    if len(others) == 1:
        return _adopt(directory, agent, others[0])
    newer = [each for each in directory.cleared if _near(each.at, fact, CLEARED_WITHIN)]
    directory.cleared = [*newer, Cleared(agent, fact.happened_at)]
    return Route(agent)
