"""Interrupts an agent at its work: Escape in its terminal, and only while it works.

Escape would turn down whatever an open dialog asks, so the client is asked what it does right
before the key is pressed (rulings F5).
"""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from turnkeeper.desk.deeds import tell
from turnkeeper.desk.delivery import Delivery, Outcome
from turnkeeper.desk.inquiry import agent_of
from turnkeeper.errors import CommandRefused
from turnkeeper.facts.fact import Fact
from turnkeeper.facts.kinds import Activity, ClientReported, CommandTurnedDown, InterruptSent
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.machines.session import SessionStatus
from turnkeeper.ports import Clock, Journal
from turnkeeper.projections.agent import Agent
from turnkeeper.sources.process_identity import alive, is_ours
from turnkeeper.sources.registry import Registry
from turnkeeper.sources.seats import Seat, seats_of
from turnkeeper.sources.tmux_keys import ESCAPE, press
from turnkeeper.sources.tmux_panes import Pane, pane_at, sockets

COMMAND: Final = "interrupt"
AT_A_SCREEN: Final = ("", "cli")
"""How a client says that it was started for a person to look at; older ones say nothing."""

ASKS: Final = "it waits for an answer, and Escape would turn down what it asks; answer it instead"
RESTS: Final = "it is not at work; there is nothing to interrupt"
NOT_WHILE: Final[Mapping[SessionStatus, str]] = {
    SessionStatus.STARTING: "it is still starting; try again once it works",
    SessionStatus.IDLE: RESTS,
    SessionStatus.ERROR: RESTS,
    SessionStatus.AWAITING_INPUT: ASKS,
    SessionStatus.AWAITING_APPROVAL: ASKS,
    SessionStatus.CLOSED: "it has ended; there is nothing to interrupt",
}


@dataclass(frozen=True)
class Reach:
    """What it takes to reach a terminal of this machine."""

    host: str
    registry: Registry
    servers: tuple[Path, ...] = ()
    """tmux servers beside those in tmux's own place."""


async def interrupt(
    store: BoardStore, journal: Journal, clock: Clock, reach: Reach, agent: str
) -> Delivery:
    """Press Escape where an agent works, or say in a sentence why not. Recorded either way.

    Raises AgentUnknown and AgentAmbiguous.
    """
    found = await asyncio.to_thread(agent_of, store, agent)
    deed: InterruptSent | CommandTurnedDown
    try:
        pane = await _press_escape(found, reach, clock)
    except CommandRefused as problem:
        deed = CommandTurnedDown(COMMAND, problem.reason)
        done = Delivery(Outcome.REFUSED, f"Not interrupted: {problem.reason}")
    else:
        deed = InterruptSent(str(pane))
        done = Delivery(Outcome.DELIVERED, f"Escape was pressed in tmux pane {pane}")
    await tell(journal, deed, session=found.session, at=clock.now(), host=reach.host)
    return done


async def _press_escape(agent: Agent, reach: Reach, clock: Clock) -> Pane:
    """Ask what takes long first, and what may change any moment last."""
    _refuse_if(unwilling(agent, reach.host))
    pid, started = agent.evidence.living[-1]
    seats = await asyncio.to_thread(seats_of, pid)
    servers = sockets(reach.servers, os.environ)
    pane = await pane_at([seat.terminal for seat in seats], servers)
    _refuse_if(unreachable(pane, seats))
    assert pane is not None
    now = reach.registry.now(pid, clock.now())
    _refuse_if(busy_no_more(now, agent) if alive(pid, started) else NOT_WHILE[SessionStatus.CLOSED])
    await press(pane, ESCAPE)
    return pane


def _refuse_if(reason: str | None) -> None:
    if reason is not None:
        raise CommandRefused(COMMAND, reason=reason)


def unwilling(agent: Agent, host: str) -> str | None:
    """Why an agent, as the board knows it, cannot be interrupted; None where it may."""
    if agent.status is not SessionStatus.RUNNING:
        return NOT_WHILE[agent.status]
    if agent.host != host:
        return f"it runs on {agent.host}, where no key of ours reaches; ask the daemon there"
    if not agent.evidence.living:
        return "no process of it is known; press Escape in its terminal"
    if not is_ours(agent.domain):
        return "its process belongs to a container beside us; press Escape in its terminal"
    if len(agent.evidence.living) > 1:
        return "two clients are in this conversation; press Escape in the one you mean"
    if agent.entrypoint not in AT_A_SCREEN:
        return "it runs without a screen and reads no keys; end it where it was started"
    return None


def unreachable(pane: Pane | None, seats: list[Seat]) -> str | None:
    """Why no key reaches its program; None where one does."""
    if not seats:
        return "it has no terminal; end it where it was started"
    if pane is None:
        return (
            "its terminal is no tmux pane that we can find; press Escape there "
            "(`turnkeeper run --tmux` starts a client where we can)"
        )
    if pane.in_mode:
        return "its tmux pane is in copy mode, where keys reach tmux alone; leave it with q first"
    if not all(seat.foreground for seat in seats):
        return "it is not in the foreground of its terminal; bring it there with fg first"
    return None


def busy_no_more(now: Fact | None, agent: Agent) -> str | None:
    """Why the client's own word, read this moment, forbids the key; None where it works."""
    if now is None or not isinstance(now.what, ClientReported):
        return "its client does not say what it is doing; press Escape in its terminal"
    if now.session != agent.session:
        return "its client has gone on to another conversation; look again"
    match now.what.activity:
        case Activity.BUSY:
            return None
        case Activity.WAITING:
            return ASKS
        case Activity.IDLE | Activity.SHELL:
            return RESTS
        case Activity.UNSAID:
            return "its client does not say what it is doing; press Escape in its terminal"
