"""Runs any number of scripted agents at once."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Self

from msgspec import structs

from turnkeeper.scripted.agent import ScriptedAgent
from turnkeeper.scripted.body import Place, Role
from turnkeeper.scripted.faults import NO_FAULTS, Faults
from turnkeeper.scripted.pace import Pace
from turnkeeper.scripted.process import Leash
from turnkeeper.scripted.steps import AnyStep


@dataclass(frozen=True, slots=True)
class Part:
    """One agent's share of a performance."""

    role: Role
    story: tuple[AnyStep, ...]
    faults: Faults = NO_FAULTS


class Stage:
    """Where agents play. Leaving it ends every agent that is still there.

    `pace` is asked once for each agent: a simulated time cannot be shared.
    """

    def __init__(self, place: Place, pace: Callable[[], Pace]) -> None:
        self.place = place
        self._pace = pace
        self._ending = AsyncExitStack()
        self._leash = Leash()
        self._ending.callback(self._leash.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._ending.aclose()

    async def enter(self, role: Role, faults: Faults = NO_FAULTS) -> ScriptedAgent:
        """Start an agent and keep it until it leaves or the stage is left."""
        agent = ScriptedAgent(self.place, role, pace=self._pace(), leash=self._leash, faults=faults)
        return await self._ending.enter_async_context(agent)

    async def play(self, parts: Iterable[Part]) -> list[ScriptedAgent]:
        """Let all parts play at once, each to the end of its story."""
        async with asyncio.TaskGroup() as playing:
            tasks = [playing.create_task(self._play(part)) for part in parts]
        return [task.result() for task in tasks]

    async def _play(self, part: Part) -> ScriptedAgent:
        agent = await self.enter(part.role, part.faults)
        await agent.play(part.story)
        return agent


def throwaway(root: Path) -> Place:
    """Make the folders of a client and of a daemon under one that can be thrown away."""
    place = Place(claude_dir=root / "claude", data=root / "data")
    for folder in (place.claude_dir / "projects", place.claude_dir / "sessions"):
        folder.mkdir(parents=True, exist_ok=True)
    (place.data / "spool").mkdir(parents=True, exist_ok=True)
    return place


def crowd(parts: Sequence[Part], size: int, seed: int = 0) -> list[Part]:
    """As many parts as asked for, by playing these again and again, each with a seed of its own."""
    return [
        replace(part, faults=structs.replace(part.faults, seed=seed + number))
        for number, part in enumerate(islice(cycle(parts), size))
    ]
