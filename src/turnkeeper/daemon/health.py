"""Runs the health check: see machines/recovery.py for the judgement and its proof."""

import asyncio

from turnkeeper.daemon.logs import log
from turnkeeper.facts.fact import Fact, Moment, Source
from turnkeeper.facts.identity import digest
from turnkeeper.facts.kinds import StalenessFound
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.machines.recovery import (
    HEALTH_CHECK_INTERVAL_SECS,
    last_event_at,
    needs_recovery,
)
from turnkeeper.ports import Clock, Journal
from turnkeeper.projections.agent import Agent


async def keep_checking(store: BoardStore, journal: Journal, clock: Clock) -> None:
    while True:
        await clock.sleep(HEALTH_CHECK_INTERVAL_SECS)
        await check_once(store, journal, clock)


async def check_once(store: BoardStore, journal: Journal, clock: Clock) -> list[Fact]:
    """Report each session that waits for nobody any more."""
    waiting = await asyncio.to_thread(store.attention)
    stuck = [agent for agent in waiting if needs_recovery(agent.status, agent.evidence)]
    found = [_staleness(agent, clock.now()) for agent in stuck]
    if found:
        await journal.append(found)
    for fact in found:
        log().info("staleness.found", session=fact.session)
    return found


def _staleness(agent: Agent, now: Moment) -> Fact:
    spoken, event = agent.evidence.spoken_at, last_event_at(agent.evidence)
    key = f"h:{digest(agent.session, str(spoken), str(event))}"
    what = StalenessFound(spoken, event)
    return Fact(key, agent.session, Source.HEALTH, now, now, what, host=agent.host)
