"""Plays the demo: from some hours ago into the present, and on for as long as somebody looks."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from random import Random
from typing import Final, Never

from turnkeeper.facts.fact import Moment
from turnkeeper.scripted.agent import ScriptedAgent
from turnkeeper.scripted.body import Place, Role
from turnkeeper.scripted.demo.cast import characters
from turnkeeper.scripted.demo.departed import DEPARTED
from turnkeeper.scripted.demo.telling import Chapter, Character
from turnkeeper.scripted.demo.variety import Manner, Tempo, accepts
from turnkeeper.scripted.faults import Faults
from turnkeeper.scripted.pace import SECOND, Pace, catching_up, wall
from turnkeeper.scripted.process import Leash
from turnkeeper.scripted.spool import OPEN_MARK
from turnkeeper.scripted.steps import AnyStep, AskStep, Clear, Exit, Finish, Prompt, Title, Wait

HOUR: Final = 3600
WEIGHT: Final = 30.0
"""How much longer real files and outputs are than those of the stories: for the tokens only."""

PAST: Final = Tempo(work=16.0, leisure=3.0)
PRESENT: Final = Tempo(work=2.0, leisure=1.0)

SINCE: Final = (4.0, 18.0)
"""Seconds for which the opening scenes have been on when the curtain rises."""

DONE: Final = "That is done, as you allowed."
LEFT: Final = "All right, I leave that; nothing has been changed. Everything before it is kept."

AWAY: Final = (8.0, 45.0)
"""Seconds after which a person comes back with the next thing to do."""


class Troupe:
    """Everybody on stage. Leaving it ends every process it has started."""

    def __init__(self, place: Place, *, size: int, seed: int) -> None:
        self.size = size
        self._place = place
        self._random = Random(seed)
        self._leash = Leash()
        self._curtain = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._players = [
            Player(self, character, Random(self._random.getrandbits(32)))
            for character in characters(size)
        ]

    @asynccontextmanager
    async def on_stage(self) -> AsyncIterator[None]:
        """Play the past, which takes a moment, and stand ready; once the curtain has risen the
        present goes on for as long as this is entered.

        An agent that fails is a bug: it ends the performance and whoever looks at it.
        """
        (self._place.data / "spool" / OPEN_MARK).touch()
        try:
            async with asyncio.TaskGroup() as playing:
                await self._remember()
                self._tasks = [playing.create_task(self._play(each)) for each in self._players]
                for player in self._players:
                    await player.opened.wait()
                yield
                await self.leave()
        except ExceptionGroup as failures:
            # The first one is what somebody can do something about; the rest ended with it.
            raise failures.exceptions[0] from failures
        finally:
            self._leash.close()

    def raise_curtain(self) -> None:
        """Begin. Whoever looks should be there: what happens first is worth seeing."""
        self._curtain.set()

    async def leave(self) -> None:
        """End every agent, and whatever it waits for."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def curtain(self) -> None:
        await self._curtain.wait()

    async def _play(self, player: "Player") -> None:
        try:
            await player.play()
        finally:
            player.opened.set()  # nobody waits for one who has left before

    async def _remember(self) -> None:
        """Let those who have left leave their traces."""
        for character in DEPARTED:
            player = Player(self, character, Random(self._random.getrandbits(32)))
            await player.play_the_past()

    def agent(self, role: Role, pace: Pace, seed: int) -> ScriptedAgent:
        faults = Faults(seed=seed)
        return ScriptedAgent(self._place, role, pace=pace, leash=self._leash, faults=faults)

    def role_of(self, character: Character, *, process: bool) -> Role:
        return Role(
            cwd=self._place.data.parent / character.project,
            branch=character.branch,
            process=process,
            model=character.model,
            weight=WEIGHT,
        )


class Player:
    """One character, and the time it lives in."""

    def __init__(self, troupe: Troupe, character: Character, random: Random) -> None:
        self._troupe = troupe
        self._character = character
        self._random = random
        self._manner = Manner(random, troupe.role_of(character, process=True).cwd, PAST)
        began = Moment(wall() - round(character.hours * HOUR * SECOND))
        self._pace = catching_up(began, self._manner.thinking)
        self.opened = asyncio.Event()

    async def play(self) -> Never:
        """The past, the scene that is on when the curtain rises, and then on and on."""
        character = self._character
        async with self._agent() as agent:
            await self._spread(agent, character.chapters[: character.opening])
            await self._open(agent, character.chapters[character.opening])
            await self._chapters(agent, character.chapters[character.opening + 1 :])
            await self._once_more(agent)
        while True:
            await self._pace.pause(self._random.uniform(*AWAY))
            async with self._agent() as agent:
                agent.offer_asks()
                await self._chapters(agent, character.chapters)
                await self._once_more(agent)

    async def play_the_past(self) -> None:
        """A visit that is over: it began and ended some hours ago."""
        async with self._agent(process=False) as agent:
            await self._chapters(agent, self._character.chapters)
            await agent.perform(Exit())

    def _agent(self, *, process: bool = True) -> ScriptedAgent:
        role = self._troupe.role_of(self._character, process=process)
        return self._troupe.agent(role, self._pace, self._random.getrandbits(32))

    async def _once_more(self, agent: ScriptedAgent) -> None:
        """/clear, everything again in a new session, and /exit."""
        await agent.perform(Clear())
        await self._chapters(agent, self._character.chapters)
        await agent.perform(Exit())

    async def _chapters(self, agent: ScriptedAgent, chapters: Sequence[Chapter]) -> None:
        for number, chapter in enumerate(chapters):
            steps = (*chapter.steps, *chapter.rest)
            await self._act(agent, steps if number else titled(steps, chapter.title))
            await agent.perform(Wait(self._random.uniform(*AWAY)))

    async def _spread(self, agent: ScriptedAgent, chapters: Sequence[Chapter]) -> None:
        """Play chapters over the hours until now."""
        for number, chapter in enumerate(chapters):
            steps = chapter.steps if number else titled(chapter.steps, chapter.title)
            await self._act(agent, (*steps, *chapter.rest))
            left = (wall() - self._pace.now()) / SECOND / (len(chapters) - number)
            await agent.perform(Wait(left * self._random.uniform(0.5, 0.75)))

    async def _open(self, agent: ScriptedAgent, chapter: Chapter) -> None:
        """Play up to the scene that is on when the curtain rises, and let it have just begun."""
        since = self._random.uniform(*SINCE)
        self._manner.tempo = PRESENT
        steps = self._staged(titled(chapter.steps, chapter.title))
        await self._until(agent, since + self._manner.seconds_of(steps))
        await agent.play(steps)
        await self._until(agent, since)
        self.opened.set()
        await self._troupe.curtain()
        agent.offer_asks()
        await self._act(agent, chapter.rest)
        await agent.perform(Wait(self._random.uniform(*AWAY)))

    async def _until(self, agent: ScriptedAgent, seconds_ago: float) -> None:
        left = (wall() - self._pace.now()) / SECOND - seconds_ago
        await agent.perform(Wait(max(0.0, left)))

    async def _act(self, agent: ScriptedAgent, steps: Iterable[AnyStep]) -> None:
        """Play a chapter, unless somebody at the board decides otherwise: then it ends there."""
        for step in self._staged(steps):
            await agent.perform(step)
            if isinstance(step, AskStep) and not await self._go_on(agent, step):
                return

    async def _go_on(self, agent: ScriptedAgent, step: AskStep) -> bool:
        """Let the agent hear what the board said, and say whether the story knows that answer."""
        reply = agent.replied
        if reply is None or not reply.at_board:
            return True
        known = reply.accepted is accepts(step)
        if not (reply.accepted and known):
            await agent.perform(Finish(DONE if reply.accepted else LEFT))
        return known

    def _staged(self, steps: Iterable[AnyStep]) -> list[AnyStep]:
        return list(map(self._manner.staged, steps))


def titled(steps: Sequence[AnyStep], title: str) -> tuple[AnyStep, ...]:
    """The steps, with a name that the client gives the conversation once it has begun."""
    first = next(number for number, step in enumerate(steps, 1) if isinstance(step, Prompt))
    return (*steps[:first], Title(title), *steps[first:])
