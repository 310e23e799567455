"""One agent, folded from its facts: who it is, what it does, what was said, and why we think so."""

import msgspec

from turnkeeper.facts.fact import MAIN_THREAD, Fact, Recorded, Source
from turnkeeper.facts.kinds import (
    AgentMuted,
    AgentRenamed,
    AskAnswered,
    ClientUnlisted,
    Decision,
    PermissionAsked,
    ProcessExited,
    ProcessFound,
    ToolFinished,
    Usage,
)
from turnkeeper.facts.words import Intent
from turnkeeper.machines.acts import GIST, act_of
from turnkeeper.machines.kernel import Rejected
from turnkeeper.machines.lifecycle import Lifecycle, command_at, correct, fold, retime
from turnkeeper.machines.observing import observe
from turnkeeper.machines.scenes import SURE, Act, Doing, Refusal, Scene
from turnkeeper.machines.session import SessionEvent, SessionStatus, advance
from turnkeeper.machines.standing import Judgement, judge
from turnkeeper.projections.agent import Agent, Changes, LastTurn, Moved, Spent
from turnkeeper.projections.asks import AskKind
from turnkeeper.projections.describing import described
from turnkeeper.projections.lineage import entered, reentered, remembered, united
from turnkeeper.projections.queue import queue
from turnkeeper.projections.turns import Turn, TurnKind, pair, turn_of

CORRECTED = "a person said that it is no question"
ENDINGS = frozenset(
    {SessionEvent.PROCESS_EXITED, SessionEvent.SESSION_ENDED, SessionEvent.MARK_STOPPED}
)


OF_A_PROCESS = (ClientUnlisted, ProcessFound, ProcessExited)
"""What is told of a process, whichever of its sessions the teller still has in mind."""


def take(agent: Agent, recorded: Recorded, absorbed: Agent | None = None) -> tuple[Agent, Changes]:
    """Fold one fact. Pure; total; the same fact again changes nothing that can be seen.

    `absorbed` turned out to be this agent's next session, heard of before we knew.
    """
    changes, before = Changes(), agent
    if isinstance(recorded.fact.what, AgentRenamed | AgentMuted):
        return _obey(agent, recorded.fact.what), changes
    if absorbed is not None:
        agent = _absorb(agent, absorbed, recorded, changes)
    agent = _enter(agent, recorded, changes)
    agent = _converse(agent, recorded, changes)
    agent = described(agent, recorded.fact)
    agent = _stand(agent, recorded, changes)
    agent = queue(before, agent, recorded, changes)
    return agent, changes


def _obey(agent: Agent, what: AgentRenamed | AgentMuted) -> Agent:
    """A person's deed says nothing of what the agent does, nor when it was last heard of."""
    match what:
        case AgentRenamed(name=name):
            return msgspec.structs.replace(agent, given=name)
        case AgentMuted(muted=muted):
            return msgspec.structs.replace(agent, muted=muted)


def _absorb(agent: Agent, other: Agent, recorded: Recorded, changes: Changes) -> Agent:
    """Go on as the other. What was open in the old session is over."""
    if agent.lifecycle.open:
        agent = _act(agent, Act(other.entered_at, recorded.position, Doing.CLEARANCE), changes)
    agent = united(agent, other)
    judgement = judge(agent.evidence)
    return agent if judgement is None else _believe(agent, judgement, recorded, changes)


# Which session ------------------------------------------------------------------------------


def _enter(agent: Agent, recorded: Recorded, changes: Changes) -> Agent:
    """A session new to the lineage takes over: what was open in the old one is over."""
    fact = recorded.fact
    known = not fact.session or fact.session in agent.sessions
    if known or isinstance(fact.what, OF_A_PROCESS):
        return reentered(agent, fact)
    if fact.happened_at < agent.entered_at:
        return remembered(agent, fact.session)
    agent = entered(agent, fact)
    if not agent.lifecycle.open:
        return agent
    return _act(agent, _plain_act(recorded, Doing.CLEARANCE), changes)


# What was said ------------------------------------------------------------------------------


def _converse(agent: Agent, recorded: Recorded, changes: Changes) -> Agent:
    fact = recorded.fact
    if isinstance(fact.what, AskAnswered):
        return _corrected(agent, fact.what, changes)
    usage: Usage | None = getattr(fact.what, "usage", None)
    if usage is not None:
        command = command_at(agent.lifecycle, fact.happened_at)
        changes.spent = Spent(usage, fact.session, fact.happened_at, command)
    turn = turn_of(recorded)
    if turn is not None:
        agent = _tell(agent, turn, fact, changes)
        if changes.told[-1].corrected:
            return _retimed(agent, changes.told[-1].turn, changes)
        if not changes.told[-1].new:
            return agent
    if fact.thread != MAIN_THREAD or fact.session != agent.session:
        return agent
    act = act_of(recorded, agent.lifecycle, agent.evidence)
    return agent if act is None else _act(agent, act, changes)


def _corrected(agent: Agent, what: AskAnswered, changes: Changes) -> Agent:
    """A person's "not a question" is kept: those words turn out to complete the command."""
    words = [ask for ask in agent.asking.open if ask.kind is AskKind.WORDS]
    asked = next((ask for ask in words if ask.id == what.ask), None)
    if asked is None or what.decision is not Decision.DISMISS:
        return agent
    lifecycle, scenes = correct(agent.lifecycle, asked.id, Intent.COMPLETION, SURE, CORRECTED)
    return _played(agent, lifecycle, scenes, changes)


def _tell(agent: Agent, turn: Turn, fact: Fact, changes: Changes) -> Agent:
    pairing, told = pair(agent.pairing, turn)
    if told.new:
        command = agent.command
        placed = msgspec.structs.replace(told.turn, command_id=command.id if command else None)
        told = msgspec.structs.replace(told, turn=placed)
        agent = msgspec.structs.replace(agent, turns=agent.turns + 1)
    changes.told.append(told)
    agent = msgspec.structs.replace(agent, pairing=pairing)
    return _last_words(agent, told.turn, fact)


def _last_words(agent: Agent, turn: Turn, fact: Fact) -> Agent:
    if turn.thread != MAIN_THREAD or turn.kind is not TurnKind.TEXT:
        return agent
    if agent.last_turn is not None and agent.last_turn.at > turn.happened_at:
        return agent
    words = getattr(fact.what, "text", "")[:GIST]
    last = LastTurn(turn.position, turn.actor, words, turn.happened_at)
    return msgspec.structs.replace(agent, last_turn=last)


def _retimed(agent: Agent, turn: Turn, changes: Changes) -> Agent:
    lifecycle, scenes = retime(agent.lifecycle, turn.position, turn.happened_at)
    return _played(agent, lifecycle, scenes, changes)


def _act(agent: Agent, act: Act, changes: Changes) -> Agent:
    lifecycle, scenes = fold(agent.lifecycle, act)
    return _played(agent, lifecycle, scenes, changes)


def _played(agent: Agent, lifecycle: Lifecycle, scenes: list[Scene], changes: Changes) -> Agent:
    for scene in scenes:
        changes.scenes.append(scene)
        changes.commands.extend(scene.commands)
        if scene.refusal is not None:
            changes.refusals.append(scene.refusal)
        if scene.transition is not None:
            changes.moves.append(_audit(scene))
    return msgspec.structs.replace(agent, lifecycle=lifecycle)


def _audit(scene: Scene) -> Moved:
    moved = scene.transition
    assert moved is not None
    return Moved(
        machine="command",
        from_state=moved.from_state,
        to_state=moved.to_state,
        trigger=moved.trigger,
        event=moved.event,
        confidence=moved.confidence,
        at=moved.at,
        command_id=moved.command_id,
    )


def _plain_act(recorded: Recorded, doing: Doing) -> Act:
    return Act(recorded.fact.happened_at, recorded.position, doing)


# What it is doing ---------------------------------------------------------------------------


def _stand(agent: Agent, recorded: Recorded, changes: Changes) -> Agent:
    fact = recorded.fact
    if fact.session not in ("", agent.session) and not isinstance(fact.what, OF_A_PROCESS):
        return agent
    if fact.thread != MAIN_THREAD and not isinstance(fact.what, PermissionAsked | ToolFinished):
        return agent
    evidence = observe(agent.evidence, recorded)
    if evidence == agent.evidence:
        return agent
    agent = msgspec.structs.replace(agent, evidence=evidence)
    judgement = judge(evidence)
    return agent if judgement is None else _believe(agent, judgement, recorded, changes)


def _believe(agent: Agent, judgement: Judgement, recorded: Recorded, changes: Changes) -> Agent:
    before = agent.status
    if before is SessionStatus.CLOSED and judgement.event not in ENDINGS:
        agent = _step(agent, SessionEvent.CLIENT_STARTED, judgement, recorded, changes)
    agent = _step(agent, judgement.event, judgement, recorded, changes)
    closed = agent.status is SessionStatus.CLOSED and before is not SessionStatus.CLOSED
    if closed and agent.lifecycle.open:
        return _act(agent, _plain_act(recorded, Doing.CRASH), changes)
    return agent


def _step(
    agent: Agent,
    event: SessionEvent,
    judgement: Judgement,
    recorded: Recorded,
    changes: Changes,
) -> Agent:
    step = advance(agent.status, event)
    if isinstance(step, Rejected):
        changes.refusals.append(Refusal(recorded.position, step.reason))
        return agent
    if step.after is agent.status:
        return agent
    trigger = "recovery" if recorded.fact.source is Source.HEALTH else "turn"
    changes.moves.append(
        Moved("session", step.before, step.after, trigger, event, 1.0, judgement.at)
    )
    return msgspec.structs.replace(agent, status=step.after, since=judgement.at)
