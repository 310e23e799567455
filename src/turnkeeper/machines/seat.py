"""An agent's place in one channel (seed 004). In the seed's log the states are upper case."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from turnkeeper.machines.kernel import Line, Machine, spread


class SeatState(StrEnum):
    OFFLINE = "offline"
    IDLE = "idle"
    QUEUED = "queued"
    ACTIVE = "active"
    WAITING = "waiting"


class SeatEvent(StrEnum):
    AGENT_STARTS = "agent_starts"
    ASSIGNED = "assigned"
    AGENT_STOPS = "agent_stops"
    TURN_GRANTED = "turn_granted"
    REMOVED = "removed"
    AGENT_DISCONNECTS = "agent_disconnects"
    TURN_COMPLETE = "turn_complete"
    TIMEOUT = "timeout"
    WAIT_REQUESTED = "wait_requested"
    AGENT_CRASHES = "agent_crashes"
    WAIT_RESOLVED = "wait_resolved"
    WAIT_TIMEOUT = "wait_timeout"
    TURN_COMPLETE_ALONE = "turn_complete_alone"
    OVERRIDE_QUEUE = "override_queue"
    OVERRIDE_ACTIVATE = "override_activate"


S = SeatState
E = SeatEvent
Going: TypeAlias = Literal[E.AGENT_STOPS, E.AGENT_DISCONNECTS, E.AGENT_CRASHES]

OFFLINE: Final = (S.OFFLINE,)
IDLE: Final = (S.IDLE,)
QUEUED: Final = (S.QUEUED,)
ACTIVE: Final = (S.ACTIVE,)
WAITING: Final = (S.WAITING,)
WITH_TURN: Final = (S.ACTIVE, S.WAITING)
SEATED: Final = (S.QUEUED, *WITH_TURN)
IDLE_OR_ACTIVE: Final = (S.IDLE, S.ACTIVE)
NOT_ACTIVE: Final = (S.IDLE, S.QUEUED, S.WAITING)

# fmt: off
SEED: Final[tuple[Line[S, E], ...]] = (
    # while          this happens           it becomes  because
    (OFFLINE,        E.AGENT_STARTS,        S.IDLE,     "the agent connects"),
    (IDLE,           E.ASSIGNED,            S.QUEUED,   "it takes its place in the queue"),
    (IDLE,           E.AGENT_STOPS,         S.OFFLINE,  "the agent says goodbye"),
    (QUEUED,         E.TURN_GRANTED,        S.ACTIVE,   "its turn has come"),
    (QUEUED,         E.REMOVED,             S.IDLE,     "it gives up its place"),
    (QUEUED,         E.AGENT_DISCONNECTS,   S.OFFLINE,  "it is out of reach and loses its place"),
    (ACTIVE,         E.TURN_COMPLETE,       S.QUEUED,   "it has spoken, the next one may"),
    (ACTIVE,         E.TIMEOUT,             S.QUEUED,   "it was too slow; it keeps its place"),
    (ACTIVE,         E.WAIT_REQUESTED,      S.WAITING,  "it pauses and keeps the turn"),
    (ACTIVE,         E.AGENT_CRASHES,       S.OFFLINE,  "it died mid-turn, the next one may speak"),
    (WAITING,        E.WAIT_RESOLVED,       S.ACTIVE,   "what it waited for is there"),
    (WAITING,        E.WAIT_TIMEOUT,        S.QUEUED,   "it waited too long and forfeits the turn"),
    (WAITING,        E.AGENT_DISCONNECTS,   S.OFFLINE,  "it is out of reach and loses its place"),
)

EXTENSIONS: Final[tuple[Line[S, E], ...]] = (
    # while          this happens           it becomes  because
    (ACTIVE,         E.TURN_COMPLETE_ALONE, S.IDLE,     "it has spoken, and nobody else is queued"),
    (WITH_TURN,      E.REMOVED,             S.IDLE,     "its turn ends with its place"),
    (WAITING,        E.OVERRIDE_QUEUE,      S.QUEUED,   "a person takes the turn from it"),
    (WAITING,        E.OVERRIDE_ACTIVATE,   S.ACTIVE,   "a person ends its wait"),
    (SEATED,         E.AGENT_STOPS,         S.OFFLINE,  "it stops, or a person disables it"),
    (IDLE_OR_ACTIVE, E.AGENT_DISCONNECTS,   S.OFFLINE,  "it is out of reach"),
    (NOT_ACTIVE,     E.AGENT_CRASHES,       S.OFFLINE,  "it died between its turns"),
)
# fmt: on

UNSEATED: Final = (S.OFFLINE, S.IDLE)
ONLINE: Final = (S.IDLE, *SEATED)
TURNLESS: Final = (*UNSEATED, S.QUEUED)
NOT_WAITING: Final = (*TURNLESS, S.ACTIVE)
GOING: Final[tuple[Going, ...]] = (E.AGENT_STOPS, E.AGENT_DISCONNECTS, E.AGENT_CRASHES)
TURN_ENDS: Final = (E.TURN_COMPLETE, E.TURN_COMPLETE_ALONE, E.TIMEOUT)
WAIT_ENDS: Final = (E.WAIT_RESOLVED, E.WAIT_TIMEOUT, E.OVERRIDE_QUEUE, E.OVERRIDE_ACTIVATE)

# fmt: off
REFUSED: Final[tuple[tuple[tuple[S, ...], tuple[E, ...], str], ...]] = (
    # while       this happens         is refused with
    (OFFLINE,     GOING,               "The agent is already offline"),
    (OFFLINE,     (E.ASSIGNED,),       "The agent is offline and has to start first"),
    (ONLINE,      (E.AGENT_STARTS,),   "The agent is already online"),
    (SEATED,      (E.ASSIGNED,),       "The agent already has its place in the queue"),
    (UNSEATED,    (E.REMOVED,),        "The agent has no place in the queue"),
    (UNSEATED,    (E.TURN_GRANTED,),   "The agent is not in the queue"),
    (WITH_TURN,   (E.TURN_GRANTED,),   "The agent already has the turn"),
    (TURNLESS,    TURN_ENDS,           "It is not the agent's turn, so it cannot end"),
    (WAITING,     TURN_ENDS,           "The agent's turn is paused: end the wait first"),
    (TURNLESS,    (E.WAIT_REQUESTED,), "Only the agent whose turn it is can wait"),
    (WAITING,     (E.WAIT_REQUESTED,), "The agent is already waiting"),
    (NOT_WAITING, WAIT_ENDS,           "The agent is not waiting"),
)
# fmt: on

REFUSALS: Final[Mapping[tuple[S, E], str]] = {
    (state, event): sentence
    for states, events, sentence in REFUSED
    for state in states
    for event in events
}

MACHINE: Final = Machine(
    "seat",
    states=SeatState,
    events=SeatEvent,
    initial=S.OFFLINE,
    rows=(*spread(SEED), *spread(EXTENSIONS, extension=True)),
    refusals=REFUSALS,
)

advance = MACHINE.advance


def may_read(state: SeatState) -> bool:
    """Whether the channel's messages reach this seat: queued and waiting agents observe."""
    return state in SEATED


def may_speak(state: SeatState) -> bool:
    return state is SeatState.ACTIVE
