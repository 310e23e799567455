"""An agent as every surface shows it. There is one derivation: whoever asks gets this."""

from datetime import UTC, datetime

import msgspec

from turnkeeper.facts.fact import Moment
from turnkeeper.facts.kinds import Activity
from turnkeeper.machines.evidence import failed, gone, newest_call, waiting_call
from turnkeeper.machines.session import SessionStatus
from turnkeeper.projections.agent import Agent
from turnkeeper.projections.context import window
from turnkeeper.projections.subagents import at_work


class CommandShown(msgspec.Struct, frozen=True):
    id: int
    state: str
    origin: str
    text: str
    opened_at: str


class TurnShown(msgspec.Struct, frozen=True):
    position: int
    actor: str
    text: str
    happened_at: str


class DoingShown(msgspec.Struct, frozen=True):
    """The tool in progress, and since when."""

    tool: str
    since: str


class ContextShown(msgspec.Struct, frozen=True):
    """How many tokens the newest answer was given, and how many fit."""

    tokens: int
    window: int


class SubagentShown(msgspec.Struct, frozen=True):
    """A sub-agent at work: what for, since when, and its newest tool."""

    id: str
    role: str
    since: str
    tool: str | None


class Card(msgspec.Struct, frozen=True):
    """What is shown of an agent, in the words of the API."""

    id: int
    session_id: str
    sessions: list[str]
    name: str
    cwd: str
    branch: str
    host: str
    pid: int | None
    status: str
    state: str
    standing: str
    command: CommandShown | None
    since: str | None
    last_turn: TurnShown | None
    last_at: str | None
    first_at: str | None
    turns: int
    waiting_for: str | None
    error: str | None
    background: bool
    open_twice: bool
    parent: str | None
    version: str
    entrypoint: str
    model: str
    muted: bool
    doing: DoingShown | None
    context: ContextShown | None
    subagents: list[SubagentShown]


def card_of(agent: Agent) -> Card:
    evidence = agent.evidence
    call = waiting_call(evidence)
    waits = agent.status in ("awaiting_input", "awaiting_approval")
    return Card(
        id=agent.id,
        session_id=agent.session,
        sessions=list(agent.sessions),
        name=_name(agent),
        cwd=agent.cwd,
        branch=agent.branch,
        host=agent.host,
        pid=agent.pid,
        status=agent.status,
        state=agent.state,
        standing=agent.standing,
        command=_command(agent),
        since=when(agent.since),
        last_turn=_last_turn(agent),
        last_at=when(agent.last_at),
        first_at=when(agent.first_at),
        turns=agent.turns,
        waiting_for=call.tool if waits and call is not None else None,
        error=evidence.failed_why if failed(evidence) else None,
        background=evidence.background,
        open_twice=len(evidence.living) > 1,
        parent=agent.parent or None,
        version=agent.version,
        entrypoint=agent.entrypoint,
        model=agent.model,
        muted=agent.muted,
        doing=_doing(agent),
        context=_context(agent),
        subagents=_subagents(agent),
    )


def when(moment: Moment) -> str | None:
    """A moment as people and programs read it; None for one that never was."""
    if not moment:
        return None
    text = datetime.fromtimestamp(moment / 1_000_000, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def _name(agent: Agent) -> str:
    """A person's own name for it first, then what it works on, then where."""
    if agent.given:
        return agent.given
    if agent.title_chosen:
        return agent.title
    return agent.title or agent.name or agent.cwd.rsplit("/", 1)[-1] or agent.session[:8]


def _doing(agent: Agent) -> DoingShown | None:
    call = newest_call(agent.evidence) if agent.status is SessionStatus.RUNNING else None
    return None if call is None else DoingShown(call.tool, when(call.at) or "")


def _context(agent: Agent) -> ContextShown | None:
    held = agent.context
    return ContextShown(held.tokens, window(held, agent.model)) if held.tokens else None


def _subagents(agent: Agent) -> list[SubagentShown]:
    """Nobody works for one who has stopped, unless it said that work goes on behind it."""
    working = agent.status in (SessionStatus.RUNNING, SessionStatus.AWAITING_APPROVAL)
    if not (working or agent.evidence.background):
        return []
    return [
        SubagentShown(each.id, each.role, when(each.began_at) or "", each.tool or None)
        for each in at_work(agent.subagents)
    ]


def _command(agent: Agent) -> CommandShown | None:
    command = agent.command
    if command is None:
        return None
    opened = when(command.opened_at) or ""
    return CommandShown(command.id, command.state, command.origin, command.words, opened)


def _last_turn(agent: Agent) -> TurnShown | None:
    last = agent.last_turn
    if last is None:
        return None
    return TurnShown(last.position, last.actor, last.text, when(last.at) or "")


class Signed(msgspec.Struct, frozen=True):
    """One signal of the evidence: who said what, when, and whether it is believed."""

    source: str
    says: str
    at: str | None
    believed: bool
    note: str = ""


def evidence_of(agent: Agent) -> list[Signed]:
    """Every signal behind the status, best first, and which ones disagree."""
    evidence, rows = agent.evidence, []
    over = gone(evidence)
    if evidence.gone_at:
        says = str(evidence.gone_by).replace("_", " ")
        rows.append(Signed("process", says, when(evidence.gone_at), over))
    for pid, started in evidence.living:
        note = f"pid {pid}, started {started}" if started else f"pid {pid}"
        rows.append(Signed("process", "alive", when(evidence.alive_at), not over, note))
    report = evidence.client
    opinion = report is not None and report.activity is not Activity.UNSAID
    if report is not None:
        says = report.activity or "nothing yet"
        rows.append(
            Signed("registry", says, when(report.at), opinion and not over, report.waiting_for)
        )
    rows += _tellings(agent, believed=not over and not opinion)
    if evidence.failed_at:
        why = evidence.failed_why
        rows.append(Signed("turn", "failed", when(evidence.failed_at), failed(evidence), why))
    rows += [
        Signed(
            "tool", f"{call.tool} is open", when(call.at), call.at >= evidence.rest_at, call.waits
        )
        for call in evidence.open
    ]
    return rows


def _tellings(agent: Agent, *, believed: bool) -> list[Signed]:
    both = [each for each in (agent.evidence.hook, agent.evidence.transcript) if each is not None]
    newest_first = sorted(both, key=lambda each: each.at, reverse=True)
    return [
        Signed(each.source, str(each.posture), when(each.at), believed and nth == 0, each.event)
        for nth, each in enumerate(newest_first)
    ]
