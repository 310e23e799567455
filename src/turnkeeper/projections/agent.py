"""One conversation partner on the board, as a record, and what a fact can do to it."""

import msgspec

from turnkeeper.facts.fact import NEVER, Fact, Moment, Position
from turnkeeper.facts.kinds import Usage
from turnkeeper.facts.words import Actor
from turnkeeper.machines.command import CommandState
from turnkeeper.machines.evidence import Evidence
from turnkeeper.machines.lifecycle import Lifecycle
from turnkeeper.machines.scenes import Command, Refusal, Scene
from turnkeeper.machines.session import SessionStatus
from turnkeeper.machines.standing import standing
from turnkeeper.projections.asks import Ask, Asking
from turnkeeper.projections.context import Context
from turnkeeper.projections.subagents import Subagents
from turnkeeper.projections.turns import Pairing, Told


class LastTurn(msgspec.Struct, frozen=True):
    """The newest words of the conversation, as far as a card shows them."""

    position: Position
    actor: Actor
    text: str
    at: Moment


class Agent(msgspec.Struct, frozen=True):
    """One conversation partner on the board: a lineage of sessions, and what is known of it."""

    id: int
    sessions: tuple[str, ...]
    host: str = ""
    parent: str = ""
    name: str = ""
    title: str = ""
    title_chosen: bool = False
    cwd: str = ""
    branch: str = ""
    version: str = ""
    entrypoint: str = ""
    model: str = ""
    domain: str = ""
    transcript: str = ""
    status: SessionStatus = SessionStatus.STARTING
    since: Moment = NEVER
    evidence: Evidence = Evidence()
    lifecycle: Lifecycle = Lifecycle()
    pairing: Pairing = Pairing()
    entered_at: Moment = NEVER
    first_at: Moment = NEVER
    last_at: Moment = NEVER
    turns: int = 0
    last_turn: LastTurn | None = None
    hooked_at: Moment = NEVER
    """When a hook of this agent was last heard; never, for one without hooks."""

    asking: Asking = Asking()
    context: Context = Context()
    subagents: Subagents = Subagents()
    given: str = ""
    """A person's name for it, which beats every other."""

    muted: bool = False

    @property
    def session(self) -> str:
        """The session the agent is in now."""
        return self.sessions[-1]

    @property
    def state(self) -> CommandState:
        return self.lifecycle.state

    @property
    def standing(self) -> SessionStatus:
        awaits = self.lifecycle.state is CommandState.AWAITING_INPUT
        return standing(self.status, awaits_input=awaits)

    @property
    def command(self) -> Command | None:
        return self.lifecycle.open[-1] if self.lifecycle.open else None

    @property
    def pid(self) -> int | None:
        return self.evidence.living[-1][0] if self.evidence.living else None


class Moved(msgspec.Struct, frozen=True):
    """A line of the audit trail."""

    machine: str
    from_state: str
    to_state: str
    trigger: str
    event: str
    confidence: float
    at: Moment
    command_id: Position | None = None


class Spent(msgspec.Struct, frozen=True):
    """Tokens of one model answer; the largest telling of an answer counts, once."""

    usage: Usage
    session: str
    at: Moment
    command_id: Position | None = None


class Changes(msgspec.Struct):
    """What one fact did to an agent, for whoever stores, shows or logs it."""

    told: list[Told] = msgspec.field(default_factory=list)
    moves: list[Moved] = msgspec.field(default_factory=list)
    refusals: list[Refusal] = msgspec.field(default_factory=list)
    commands: list[Command] = msgspec.field(default_factory=list)
    scenes: list[Scene] = msgspec.field(default_factory=list)
    asks: list[Ask] = msgspec.field(default_factory=list)
    """Every ask this fact opened, changed or closed, as it left it; the last telling counts."""

    spent: Spent | None = None


def newcomer(number: int, fact: Fact) -> Agent:
    return Agent(number, (fact.session,), host=fact.host, entered_at=fact.happened_at)
