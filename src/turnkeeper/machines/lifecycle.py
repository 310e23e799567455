"""Turns fold into commands (000 FR6), in the order in which they happened.

What is heard late is put in its place and the last few acts are played again from there,
so a recovered prompt or question counts like any other. What is older than those few acts
belongs to the story, not to the present: it changes no state.
"""

from bisect import bisect_right
from collections.abc import Iterable
from enum import StrEnum

import msgspec

from turnkeeper.facts.fact import Moment, Position
from turnkeeper.facts.kinds import Origin
from turnkeeper.facts.words import Intent
from turnkeeper.machines.command import CommandEvent, CommandState, advance
from turnkeeper.machines.kernel import Rejected

WINDOW = 32
"""How many acts are kept for playing again. Sources lag seconds, and a turn has few acts."""

AT_WORK = (CommandState.COMMANDED, CommandState.PROCESSING)
SURE = 1.0
GUESSED = 0.5


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


class Lifecycle(msgspec.Struct, frozen=True):
    """The open commands of one agent, and the last acts that led to them."""

    base: tuple[Command, ...] = ()
    scenes: tuple[Scene, ...] = ()
    open: tuple[Command, ...] = ()

    @property
    def state(self) -> CommandState:
        """000 FR7: the incomplete command's state, else idle."""
        return self.open[-1].state if self.open else CommandState.IDLE


def fold(lifecycle: Lifecycle, act: Act) -> tuple[Lifecycle, list[Scene]]:
    """Play one act, and again what happened after it; returns the scenes that are new or changed.

    The same act twice changes nothing. An act older than every remembered one gets a scene
    without a command: it is kept, and moves nothing.
    """
    if any(_name(scene.act) == _name(act) for scene in lifecycle.scenes):
        return lifecycle, []
    place = bisect_right([_when(scene.act) for scene in lifecycle.scenes], _when(act))
    if place == 0 and len(lifecycle.scenes) >= WINDOW:
        return lifecycle, [Scene(act)]
    if place == len(lifecycle.scenes):
        scene, after = play(lifecycle.open, act)
        return _trimmed(lifecycle.base, (*lifecycle.scenes, scene), after), [scene]
    return _replayed(lifecycle, act, place)


def retime(lifecycle: Lifecycle, position: Position, at: Moment) -> tuple[Lifecycle, list[Scene]]:
    """Put an act where it really happened, once a better source has said when."""
    acts = [scene.act for scene in lifecycle.scenes]
    moved = [
        msgspec.structs.replace(act, at=at) if act.position == position else act for act in acts
    ]
    if sorted(moved, key=_when) == moved:
        scenes = tuple(
            msgspec.structs.replace(scene, act=act)
            for scene, act in zip(lifecycle.scenes, moved, strict=True)
        )
        return msgspec.structs.replace(lifecycle, scenes=scenes), []
    return _played_again(lifecycle, sorted(moved, key=_when), at)


def _replayed(lifecycle: Lifecycle, act: Act, place: int) -> tuple[Lifecycle, list[Scene]]:
    acts = [scene.act for scene in lifecycle.scenes]
    acts.insert(place, msgspec.structs.replace(act, recovered=True))
    return _played_again(lifecycle, acts, act.at)


def _played_again(
    lifecycle: Lifecycle, acts: list[Act], at: Moment
) -> tuple[Lifecycle, list[Scene]]:
    known = {_name(scene.act): scene for scene in lifecycle.scenes}
    commands, scenes = lifecycle.base, []
    for each in acts:
        scene, commands = play(commands, each)
        scenes.append(scene)
    changed = [scene for scene in scenes if known.get(_name(scene.act)) != scene]
    if changed:
        last = changed[-1]
        restored = _restored(lifecycle, scenes, changed, at)
        changed[-1] = msgspec.structs.replace(last, commands=(*last.commands, *restored))
    return _trimmed(lifecycle.base, tuple(scenes), commands), changed


def _restored(
    lifecycle: Lifecycle, after: list[Scene], changed: list[Scene], at: Moment
) -> tuple[Command, ...]:
    """Commands that a late act shows in another light, as they stand now, where the changed
    scenes do not say so themselves; one that became part of another is withdrawn."""
    told = _last_seen(lifecycle.scenes) | _last_seen(changed)
    now = {command.id: command for command in lifecycle.base} | _last_seen(after)
    return tuple(
        now.get(number) or _finished(command, "withdrawn", at)
        for number, command in told.items()
        if now.get(number) != command
    )


def _last_seen(scenes: Iterable[Scene]) -> dict[Position, Command]:
    return {command.id: command for scene in scenes for command in scene.commands}


def _trimmed(
    base: tuple[Command, ...], scenes: tuple[Scene, ...], after: tuple[Command, ...]
) -> Lifecycle:
    if len(scenes) > WINDOW:
        _, base = play(base, scenes[0].act)
        scenes = scenes[1:]
    return Lifecycle(base, scenes, after)


def _name(act: Act) -> tuple[Position, Doing]:
    """A fact can both end what was open and begin something."""
    return act.position, act.doing


def _when(act: Act) -> tuple[Moment, Position]:
    return act.at, act.position


# One act -------------------------------------------------------------------------------------

Played = tuple[Scene, tuple[Command, ...]]


def play(commands: tuple[Command, ...], act: Act) -> Played:
    """Play one act against the open commands, the newest of which is the agent's own."""
    match act.doing:
        case Doing.PROMPT if act.origin is not Origin.HUMAN:
            return _injected(commands, act)
        case Doing.PROMPT:
            return _prompted(commands, act)
        case Doing.CRASH | Doing.CLEARANCE:
            return _left(commands, act)
        case Doing.SPEECH:
            return _spoken(commands, act)
        case Doing.END:
            return _ended(commands, act)
        case _:
            return _moved(commands, act, _EVENTS[act.doing])


_EVENTS = {
    Doing.INTERJECTION: CommandEvent.INTERJECTION,
    Doing.WORK: CommandEvent.AGENT_PROGRESS,
    Doing.QUESTION: CommandEvent.AGENT_QUESTION,
    Doing.ANSWER: CommandEvent.USER_ANSWER,
    Doing.INTERRUPTION: CommandEvent.INTERRUPTED,
    Doing.FAILURE: CommandEvent.TURN_FAILED,
}
_SPEECH = {
    Intent.QUESTION: CommandEvent.AGENT_QUESTION,
    Intent.COMPLETION: CommandEvent.AGENT_COMPLETION,
    Intent.PROGRESS: CommandEvent.AGENT_PROGRESS,
}
_OUTCOMES = {
    CommandEvent.INTERRUPTED: "interrupted",
    CommandEvent.TURN_FAILED: "failed",
    CommandEvent.AGENT_COMPLETION: "completed",
}
_QUIET = frozenset({Doing.WORK, Doing.ANSWER, Doing.INTERRUPTION, Doing.FAILURE})
"""Acts that other signals tell as well: where they find nothing to move, nothing is amiss."""


def _prompted(commands: tuple[Command, ...], act: Act) -> Played:
    if not commands:
        return _opened(commands, act, CommandState.IDLE)
    top = commands[-1]
    if top.state is CommandState.AWAITING_INPUT:
        if act.intent is Intent.COMMAND:
            return _opened(commands[:-1], act, top.state, abandoned=top)
        return _moved(commands, act, CommandEvent.USER_ANSWER)
    if top.deserted or _of_another(top, act):
        # Its turn ended unheard (a crash, Esc with every other signal lost): a client
        # submits a new prompt only at its prompt.
        return _opened(commands[:-1], act, CommandState.IDLE, abandoned=top)
    return _moved(commands, act, CommandEvent.INTERJECTION)


def _injected(commands: tuple[Command, ...], act: Act) -> Played:
    """A background turn, or a slash command, stands on its own: a question that awaits a
    person stays below it."""
    if commands and commands[-1].state in AT_WORK and not commands[-1].deserted:
        return _moved(commands, act, CommandEvent.INTERJECTION)
    return _opened(commands, act, CommandState.IDLE)


def _spoken(commands: tuple[Command, ...], act: Act) -> Played:
    intent = act.intent or Intent.PROGRESS
    scene, after = _moved(commands, act, _SPEECH[intent])
    if after and act.if_final is not None:
        top = msgspec.structs.replace(after[-1], last_words=act.if_final)
        after = (*after[:-1], top)
    return msgspec.structs.replace(scene, intent=intent), after


def _ended(commands: tuple[Command, ...], act: Act) -> Played:
    """The turn is over: its last words were final after all."""
    if not commands or commands[-1].state not in AT_WORK or _of_another(commands[-1], act):
        return Scene(act, commands[-1].id if commands else None), commands
    last = commands[-1].last_words
    sure = SURE if last else GUESSED
    ended = msgspec.structs.replace(act, confidence=min(act.confidence, sure))
    scene, after = _moved(commands, ended, _SPEECH[last or Intent.COMPLETION])
    return msgspec.structs.replace(scene, act=act), after


def _of_another(command: Command, act: Act) -> bool:
    """Whether an end belongs to an earlier turn than the open one."""
    return bool(act.prompt and command.prompt and act.prompt != command.prompt)


def _left(commands: tuple[Command, ...], act: Act) -> Played:
    """After a crash the command stays as it is (FR11); /clear ends what was open for good."""
    if act.doing is Doing.CRASH:
        after = tuple(msgspec.structs.replace(each, deserted=True) for each in commands)
        return Scene(act, commands=after), after
    gone = tuple(_finished(each, "abandoned", act.at) for each in commands)
    return Scene(act, commands=gone), ()


def _opened(
    below: tuple[Command, ...],
    act: Act,
    before: CommandState,
    *,
    abandoned: Command | None = None,
) -> Played:
    step = advance(before, CommandEvent.USER_COMMAND)
    if isinstance(step, Rejected):
        return Scene(act, refusal=Refusal(act.position, step.reason)), below
    new = Command(act.position, step.after, act.at, act.origin, act.prompt, act.words)
    touched = (new,) if abandoned is None else (_finished(abandoned, "abandoned", act.at), new)
    transition = _transition(new.id, before, step.after, CommandEvent.USER_COMMAND, act)
    return Scene(act, new.id, Intent.COMMAND, transition, None, touched), (*below, new)


def _moved(commands: tuple[Command, ...], act: Act, event: CommandEvent) -> Played:
    top = commands[-1] if commands else None
    before = top.state if top else CommandState.IDLE
    step = advance(before, event)
    if isinstance(step, Rejected) or top is None:
        reason = step.reason if isinstance(step, Rejected) else ""
        refusal = None if act.doing in _QUIET else Refusal(act.position, reason)
        return Scene(act, top.id if top else None, _intent_of(event), refusal=refusal), commands
    moved = msgspec.structs.replace(top, state=step.after, deserted=False)
    if step.after is CommandState.COMPLETE:
        moved = _finished(moved, _OUTCOMES[event], act.at)
    changed = moved.state is not before
    transition = _transition(top.id, before, step.after, event, act) if changed else None
    scene = Scene(act, top.id, _intent_of(event), transition, None, (moved,) if changed else ())
    rest = commands[:-1]
    return scene, rest if moved.completed_at is not None else (*rest, moved)


def _finished(command: Command, outcome: str, at: Moment) -> Command:
    return msgspec.structs.replace(command, outcome=outcome, completed_at=at)


def _transition(
    command: Position, before: CommandState, after: CommandState, event: CommandEvent, act: Act
) -> Transition:
    trigger = "recovery" if act.recovered else "turn"
    return Transition(command, before, after, event, trigger, act.confidence, act.at)


def _intent_of(event: CommandEvent) -> Intent | None:
    return _INTENTS.get(event)


_INTENTS = {
    CommandEvent.USER_COMMAND: Intent.COMMAND,
    CommandEvent.USER_ANSWER: Intent.ANSWER,
    CommandEvent.INTERJECTION: Intent.COMMAND,
    CommandEvent.AGENT_PROGRESS: Intent.PROGRESS,
    CommandEvent.AGENT_QUESTION: Intent.QUESTION,
    CommandEvent.AGENT_COMPLETION: Intent.COMPLETION,
}
