"""What moves a command, and what became of it: the records of the command's lifecycle."""

from enum import StrEnum

import msgspec

from turnkeeper.facts.fact import Moment, Position
from turnkeeper.facts.kinds import Origin
from turnkeeper.facts.words import Intent
from turnkeeper.machines.command import CommandEvent, CommandState

SURE = 1.0


class Doing(StrEnum):
    """What moves a command."""

    PROMPT = "prompt"
    INTERJECTION = "interjection"
    SPEECH = "speech"
    WORK = "work"
    QUESTION = "question"
    ANSWER = "answer"
    END = "end"
    INTERRUPTION = "interruption"
    FAILURE = "failure"
    CRASH = "crash"
    CLEARANCE = "clearance"


class Act(msgspec.Struct, frozen=True):
    """One thing that moves a command. `intent` is what the words mean: for a prompt, what they
    would mean to an agent that awaits input; for speech, None where its end is not known yet."""

    at: Moment
    position: Position
    doing: Doing
    origin: Origin = Origin.HUMAN
    prompt: str = ""
    intent: Intent | None = None
    if_final: Intent | None = None
    confidence: float = SURE
    because: str = ""
    words: str = ""
    recovered: bool = False


class Command(msgspec.Struct, frozen=True):
    """One thing a user asked for. Its id is the position of the fact that opened it."""

    id: Position
    state: CommandState
    opened_at: Moment
    origin: Origin = Origin.HUMAN
    prompt: str = ""
    words: str = ""
    completed_at: Moment | None = None
    outcome: str = ""
    deserted: bool = False
    last_words: Intent | None = None


class Transition(msgspec.Struct, frozen=True):
    """A `state_transition` of the audit trail (000 FR8)."""

    command_id: Position
    from_state: CommandState
    to_state: CommandState
    event: CommandEvent
    trigger: str
    confidence: float
    at: Moment


class Refusal(msgspec.Struct, frozen=True):
    """An act the table does not allow. The state stays, the turn stays, a warning is due."""

    position: Position
    reason: str


class Scene(msgspec.Struct, frozen=True):
    """One act as it was played: what it did, and which command it belongs to."""

    act: Act
    command_id: Position | None = None
    intent: Intent | None = None
    transition: Transition | None = None
    refusal: Refusal | None = None
    commands: tuple[Command, ...] = ()
    """Every command this act opened, moved or ended, as it left them."""


def reason(scene: Scene) -> tuple[float, str]:
    """How sure the meaning of a scene's words is, and why. A prompt was judged as it would be read
    by an agent that awaits input; where none did, it is a command without any judging."""
    act = scene.act
    if act.doing is Doing.PROMPT and scene.intent is Intent.COMMAND is not act.intent:
        return SURE, "no question is pending"
    return act.confidence, act.because
