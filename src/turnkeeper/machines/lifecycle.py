"""Turns fold into commands (000 FR6), in the order in which they happened.

What is heard late is put in its place and the last few acts are played again from there,
so a recovered prompt or question counts like any other. What is older than those few acts
belongs to the story, not to the present: it changes no state.
"""

from bisect import bisect_right
from collections.abc import Iterable

import msgspec

from turnkeeper.facts.fact import Moment, Position
from turnkeeper.facts.words import Intent
from turnkeeper.machines.command import CommandState
from turnkeeper.machines.playing import finished, play
from turnkeeper.machines.scenes import Act, Command, Doing, Scene

WINDOW = 32
"""How many acts are kept for playing again. Sources lag seconds, and a turn has few acts."""


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


def command_at(lifecycle: Lifecycle, at: Moment) -> Position | None:
    """The command that was open then, or the last that was: its end is often heard from a hook
    before its last words are read."""
    for scene in reversed(lifecycle.scenes):
        if scene.act.at <= at and scene.command_id is not None:
            return scene.command_id
    return lifecycle.base[-1].id if lifecycle.base else None


def correct(
    lifecycle: Lifecycle, position: Position, intent: Intent, confidence: float, because: str
) -> tuple[Lifecycle, list[Scene]]:
    """Let a turn's words mean something else, and play again what followed from them."""
    acts = [scene.act for scene in lifecycle.scenes]
    meant = [
        msgspec.structs.replace(
            act,
            intent=None if act.intent is None else intent,
            if_final=None if act.if_final is None else intent,
            confidence=confidence,
            because=because,
        )
        if act.position == position and act.doing is Doing.SPEECH
        else act
        for act in acts
    ]
    if meant == acts:
        return lifecycle, []
    at = next(new.at for old, new in zip(acts, meant, strict=True) if old != new)
    return _played_again(lifecycle, meant, at)


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
        now.get(number) or finished(command, "withdrawn", at)
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
