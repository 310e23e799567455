"""The whole board: every fact goes to its agent, in the order of the journal."""

from collections.abc import Callable

import msgspec

from turnkeeper.facts.fact import Recorded
from turnkeeper.facts.kinds import (
    AnswerRefused,
    CommandTurnedDown,
    InterruptSent,
    LinePassed,
    PriceSet,
)
from turnkeeper.projections.agent import Agent, Changes, newcomer
from turnkeeper.projections.directory import Directory, route
from turnkeeper.projections.folding import take

SILENT = (LinePassed, AnswerRefused, InterruptSent, CommandTurnedDown, PriceSet)
"""What is kept and says nothing about an agent: most lines of a transcript, commands of a
person, whose effect the agent tells."""


class Folded(msgspec.Struct, frozen=True):
    """What one fact did: to which agent, from what to what."""

    recorded: Recorded
    before: Agent | None
    agent: Agent
    changes: Changes
    absorbed: int | None = None
    """Another agent that turned out to be this one."""


class Board:
    """The agents as they stand. Holds those in use; `load` fetches one that is not.

    Folding the same facts in the same order gives the same board, whoever holds it.
    """

    def __init__(
        self,
        directory: Directory | None = None,
        load: Callable[[int], Agent | None] = lambda _: None,
    ) -> None:
        self.directory = directory or Directory()
        self.agents: dict[int, Agent] = {}
        self._load = load

    def take(self, recorded: Recorded) -> Folded | None:
        """Fold one fact; None where it concerns no agent yet."""
        if isinstance(recorded.fact.what, SILENT):
            return None
        found = route(self.directory, recorded.fact)
        if found is None:
            return None
        before = self.agent(found.agent)
        start = before or newcomer(found.agent, recorded.fact)
        absorbed = None if found.absorbed is None else self.agent(found.absorbed)
        agent, changes = take(start, recorded, absorbed)
        self.agents.pop(found.absorbed or 0, None)
        self.agents[found.agent] = agent
        return Folded(recorded, before, agent, changes, found.absorbed)

    def agent(self, number: int) -> Agent | None:
        if number not in self.agents:
            loaded = self._load(number)
            if loaded is None:
                return None
            self.agents[number] = loaded
        return self.agents[number]

    def of_session(self, session: str) -> Agent | None:
        number = self.directory.sessions.get(session)
        return None if number is None else self.agent(number)
