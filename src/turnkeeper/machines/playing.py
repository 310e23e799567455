"""Plays one act against the open commands (000 FR3, FR6): which one it moves, opens or ends."""

import msgspec

from turnkeeper.facts.fact import Moment, Position
from turnkeeper.facts.kinds import Origin
from turnkeeper.facts.words import Intent
from turnkeeper.machines.command import CommandEvent, CommandState, advance
from turnkeeper.machines.kernel import Rejected
from turnkeeper.machines.scenes import SURE, Act, Command, Doing, Refusal, Scene, Transition

AT_WORK = (CommandState.COMMANDED, CommandState.PROCESSING)
GUESSED = 0.5

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
    gone = tuple(finished(each, "abandoned", act.at) for each in commands)
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
    touched = (new,) if abandoned is None else (finished(abandoned, "abandoned", act.at), new)
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
        moved = finished(moved, _OUTCOMES[event], act.at)
    changed = moved.state is not before
    transition = _transition(top.id, before, step.after, event, act) if changed else None
    scene = Scene(act, top.id, _intent_of(event), transition, None, (moved,) if changed else ())
    rest = commands[:-1]
    return scene, rest if moved.completed_at is not None else (*rest, moved)


def finished(command: Command, outcome: str, at: Moment) -> Command:
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
