"""Two hundred scripted agents at work, one of them with a long past, in a process of their own.

Their pace is set from outside while they play, so that a board hears as many events as are asked
for, on any machine. Everybody offers what they ask, so that it can be answered on the board.
"""

import asyncio
import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, count, islice, repeat
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Final

from turnkeeper.facts.fact import Moment
from turnkeeper.scripted.agent import ScriptedAgent
from turnkeeper.scripted.body import Place, Role
from turnkeeper.scripted.faults import Faults
from turnkeeper.scripted.pace import SECOND, Pace, catching_up, wall
from turnkeeper.scripted.process import Leash
from turnkeeper.scripted.stage import Part, Stage, crowd
from turnkeeper.scripted.steps import AnyStep, Finish, Prompt, Say, Wait
from turnkeeper.scripted.stories import bash, cast, edit

SLOWEST: Final = 0.02
GENTLE: Final = 0.1
ENTER_SECONDS: Final = 10.0
PAST_SECONDS: Final = 30 * 24 * 3600
TURNS_PER_STEP: Final = 7
NEAR: Final = 0.2
"""A rate that is off by no more than this share is as wanted."""

SAGA: Final = "saga"
SAGA_REST: Final = 3.0
"""Seconds between the steps of the long conversation, once it has come to the present."""


@dataclass(frozen=True)
class Company:
    """Those who play, seen from outside."""

    tempo: "Synchronized[float]"

    def faster(self, by: float) -> None:
        self.tempo.value = max(SLOWEST, self.tempo.value * by)


@contextmanager
def company(place: Place, agents: int, turns: int) -> Iterator[Company]:
    """Let so many play, one of whom has said so many turns already, until this is left."""
    spawn = multiprocessing.get_context("spawn")
    tempo = spawn.Value("d", GENTLE)
    process = spawn.Process(target=perform, args=(place, agents, turns, tempo))
    process.start()
    try:
        yield Company(tempo)
    finally:
        process.terminate()
        process.join()


def perform(place: Place, agents: int, turns: int, tempo: "Synchronized[float]") -> None:
    asyncio.run(_perform(place, agents, turns, tempo))


async def _perform(place: Place, agents: int, turns: int, tempo: "Synchronized[float]") -> None:
    work = place.data.parent / "work"
    parts = spread(crowd(cast(work), agents - 1), work)
    async with Stage(place, lambda: paced(tempo)) as stage, asyncio.TaskGroup() as playing:
        playing.create_task(saga(place, work / SAGA, turns))
        for nth, part in enumerate(parts):
            playing.create_task(_over_and_over(stage, part, nth / agents * ENTER_SECONDS))


def spread(parts: list[Part], work: Path) -> list[Part]:
    """Give every nine of them projects of their own: nobody has twenty agents in one folder."""
    return [
        replace(part, role=replace(part.role, cwd=work / f"team-{nth // 9}" / part.role.cwd.name))
        for nth, part in enumerate(parts)
    ]


async def _over_and_over(stage: Stage, part: Part, after: float) -> None:
    await asyncio.sleep(after)
    agent = await stage.enter(part.role, part.faults)
    agent.offer_asks()
    await agent.play(chain.from_iterable(repeat(part.story)))


def paced(tempo: "Synchronized[float]") -> Pace:
    """The time of the wall, with pauses as short as the tempo says when they begin."""
    return Pace(wall, lambda seconds: asyncio.sleep(seconds / tempo.value))


# The long conversation ---------------------------------------------------------------------------


async def saga(place: Place, cwd: Path, turns: int) -> None:
    """Write a long past at once, and go on in the present."""
    pace = catching_up(Moment(wall() - PAST_SECONDS * SECOND), lambda: 0.7)
    faults = Faults(seed=4711, no_spool=True)
    leash = Leash()
    role = Role(cwd, branch="epic")
    async with ScriptedAgent(place, role, pace=pace, leash=leash, faults=faults) as agent:
        steps = map(scene, count())
        for each in islice(steps, turns // TURNS_PER_STEP + 1):
            await agent.play(each)
        await agent.perform(Wait((wall() - pace.now()) / SECOND))
        for each in steps:
            await agent.play((*each, Wait(SAGA_REST)))


def scene(number: int) -> tuple[AnyStep, ...]:
    """A few turns of the usual sizes: an output of some lines, now and then of very many."""
    lines = 2000 if number % 97 == 0 else number % 40
    output = "\n".join(
        f"tests/test_{line}.py::test_it passed in {line} ms" for line in range(lines)
    )
    words = f"Step {number} is **done**: `module_{number}` no longer knows `module_{number - 1}`."
    more = "\n\n" + "\n".join(f"- point {point} of `step {number}`" for point in range(number % 7))
    return (
        Prompt(f"Do step {number}: split module_{number} off."),
        Say(f"I look at what step {number} needs."),
        bash(f"pytest -q tests/step_{number}", output),
        edit(f"src/module_{number}.py", "old = 1\nkept = 2\n", f"new = {number}\nkept = 2\n"),
        Finish(words + more),
    )


Rate = Callable[[float], float]


def settle(company: Company, rate: Rate, wanted: float, *, rounds: int, seconds: float) -> None:
    """Set the pace so that the rate is as wanted, as far as so many tries get it."""
    heard = rate(seconds)
    for _ in range(rounds):
        if abs(heard / wanted - 1) < NEAR:
            break
        company.faster(min(4.0, max(0.25, wanted / max(heard, 1.0))))
        heard = rate(seconds)
