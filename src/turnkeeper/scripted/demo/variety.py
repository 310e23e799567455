"""Makes each performance a little different, and says how long a part of it takes."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from msgspec.structs import replace

from turnkeeper.scripted.steps import (
    AnyStep,
    AskStep,
    Delegate,
    Fail,
    Finish,
    Permission,
    Plan,
    Question,
    Say,
    Together,
    Tool,
    Wait,
)

PATIENCE: Final = (25.0, 90.0)
"""Seconds after which the story's own person answers, if nobody at the board did."""

THINKING: Final = (1.2, 8.0, 3.0)
"""Seconds a model takes for a message: at least, at most, most often."""

PATHS: Final = ("file_path", "path")


@dataclass(frozen=True, slots=True)
class Tempo:
    """How many times slower than a story is told the agent works, and its person answers. A demo
    shows in a minute what takes an agent ten."""

    work: float = 1.0
    leisure: float = 1.0


AS_TOLD: Final = Tempo()


@dataclass(slots=True)
class Manner:
    """How a part is played: with what chance, in which folder, how quickly."""

    random: Random
    cwd: Path
    tempo: Tempo = AS_TOLD

    def staged(self, step: AnyStep) -> AnyStep:
        """The step as it is played this time."""
        match step:
            case Tool():
                return self._call(step)
            case Together(calls=calls) | Delegate(calls=calls):
                return replace(step, calls=self._calls(calls))
            case Permission(calls=calls):
                return replace(step, calls=self._calls(calls), after=self._patience())
            case Question() | Plan():
                return replace(step, after=self._patience())
            case Wait(seconds=seconds):
                return Wait(seconds * self.tempo.leisure * self.random.uniform(0.8, 1.3))
            case _:
                return step

    def thinking(self) -> float:
        return self.random.triangular(*THINKING) * self.tempo.work

    def _patience(self) -> float:
        return self.random.uniform(*PATIENCE) * self.tempo.leisure

    def _calls(self, calls: Iterable[Tool]) -> tuple[Tool, ...]:
        return tuple(map(self._call, calls))

    def _call(self, call: Tool) -> Tool:
        """A client names files by their whole path."""
        given = {name: str(call.input[name]) for name in PATHS if name in call.input}
        placed = {name: str(self.cwd / path) for name, path in given.items()}
        seconds = call.seconds * self.tempo.work * self.random.uniform(0.7, 1.4)
        return replace(call, input=call.input | placed, seconds=seconds)

    def seconds_of(self, steps: Iterable[AnyStep]) -> float:
        """How long these staged steps take at most, about: enough to know when to begin them."""
        return sum(map(self._seconds, steps))

    def _seconds(self, step: AnyStep) -> float:
        thinking = self.tempo.work * THINKING[1]
        match step:
            case Wait(seconds=seconds):
                return seconds
            case Tool(seconds=seconds):
                return thinking + seconds
            case Together(calls=calls) | Delegate(calls=calls):
                return thinking + sum(call.seconds for call in calls)
            case Permission(calls=calls, after=after):
                return thinking + sum(after + call.seconds for call in calls)
            case Question(after=after) | Plan(after=after):
                return thinking + after
            case Say() | Finish() | Fail():
                return thinking
            case _:
                return 0.0


def accepts(step: AskStep) -> bool:
    """Whether the story's own person says yes."""
    match step:
        case Permission(granted=granted):
            return granted
        case Question(answer=answer):
            return answer is not None
        case Plan(approved=approved):
            return approved
