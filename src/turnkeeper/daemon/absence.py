"""Looks for sessions that nobody runs: see machines/absence.py for the judgement."""

import asyncio
from collections.abc import Callable
from typing import Final

from turnkeeper.daemon.keeper import Keeper
from turnkeeper.facts.fact import Fact, Moment, Source
from turnkeeper.facts.identity import digest
from turnkeeper.facts.kinds import ClientMissing
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.machines.absence import is_missing, last_sign
from turnkeeper.ports import Clock
from turnkeeper.projections.agent import Agent
from turnkeeper.sources.processes import client_folders

FIRST_AFTER: Final = 1.0
EVERY: Final = 30.0
WHILE_READING: Final = 1.0
"""Seconds between two looks while the past is read: sessions that ended long ago must not seem to
wait for anyone."""


Waiting = Callable[[], set[str]]
"""The sessions whose hooks wait for an answer: their clients live."""


async def keep_looking_for_clients(
    store: BoardStore,
    keeper: Keeper,
    clock: Clock,
    host: str,
    *,
    past_read: asyncio.Event,
    waiting: Waiting,
) -> None:
    await clock.sleep(FIRST_AFTER)
    while True:
        done = past_read.is_set()
        await look_for_clients(store, keeper, clock, host, waiting)
        await clock.sleep(EVERY if done else WHILE_READING)


async def look_for_clients(
    store: BoardStore, keeper: Keeper, clock: Clock, host: str, waiting: Waiting
) -> None:
    """Say of each open session without a client that it has none."""
    await keeper.ask_registry()
    open_here = [agent for agent in await asyncio.to_thread(store.living) if agent.host == host]
    listed, now = keeper.listed() | waiting(), clock.now()

    def missing(agents: list[Agent], folders: set[str]) -> list[Agent]:
        return [
            agent
            for agent in agents
            if is_missing(
                agent.evidence,
                agent.status,
                version=agent.version,
                listed=not listed.isdisjoint(agent.sessions),
                client_in_folder=agent.cwd in folders,
                now=now,
            )
        ]

    doubtful = missing(open_here, set())
    if doubtful:  # Only then: to look at every process of the machine is work.
        gone = missing(doubtful, await asyncio.to_thread(client_folders))
        if gone:
            await keeper.append([_missing(agent, now) for agent in gone])


def _missing(agent: Agent, now: Moment) -> Fact:
    """It ended no later than now and no earlier than its last sign; that is what we know."""
    at = Moment(last_sign(agent.evidence) + 1)
    key = f"m:{digest(agent.session, str(at))}"
    return Fact(key, agent.session, Source.PROCESS, at, now, ClientMissing(), host=agent.host)
