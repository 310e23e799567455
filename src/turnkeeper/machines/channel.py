"""The seats of one channel: who has the turn, who is next, and what a happening does to both.

Each function takes a channel and returns the new one, with every seat's step on the way there. What
cannot be done comes back as a refusal and an unchanged channel. Times are not known here: a timeout
is something that happens. Seats change only through `seat.advance`.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypeAlias

import msgspec
from msgspec.structs import replace

from turnkeeper.machines import seat
from turnkeeper.machines.kernel import Rejected, Step
from turnkeeper.machines.seat import Going, SeatEvent, SeatState, may_read, may_speak

AgentId: TypeAlias = int


class HumanInterruptMode(StrEnum):
    QUEUE = "queue"
    INTERRUPT = "interrupt"
    INJECT = "inject"
    PARALLEL = "parallel"


class TurnConfig(msgspec.Struct, frozen=True, rename="camel"):
    """The seed's `turnConfig`; `waitTimeoutSeconds` is ours."""

    default_timeout_seconds: int = 60
    human_interrupt_mode: HumanInterruptMode = HumanInterruptMode.INJECT
    announce_timeouts: bool = True
    announce_disconnects: bool = True
    auto_detect_turn_end: bool = False
    auto_detect_silence_seconds: int = 10
    wait_timeout_seconds: int = 300


class Channel(msgspec.Struct, frozen=True):
    """The ring is the order of turns; it changes only when someone joins or goes.

    A seat outside the ring is offline, or online and not joined. An idle seat inside the ring
    rests: it spoke when nobody else was queued, and the next message queues it again. The next
    speaker is sought from `next_place` on.
    """

    ring: tuple[AgentId, ...] = ()
    seats: Mapping[AgentId, SeatState] = {}
    next_place: int = 0
    disabled: frozenset[AgentId] = frozenset()
    config: TurnConfig = TurnConfig()


class NoticeKind(StrEnum):
    DISCONNECTED = "disconnected"
    TIMED_OUT = "timed_out"
    NO_AGENTS = "no_agents"


NOTICES: Final[Mapping[NoticeKind, str]] = {
    NoticeKind.DISCONNECTED: "⚠ {agent} disconnected, skipping turn",
    NoticeKind.TIMED_OUT: "{agent} turn timed out",
    NoticeKind.NO_AGENTS: "No agents available in this channel",
}


class Notice(msgspec.Struct, frozen=True):
    kind: NoticeKind
    agent: AgentId | None = None

    def text(self, name: str = "") -> str:
        return NOTICES[self.kind].format(agent=name)


class Moved(msgspec.Struct, frozen=True):
    agent: AgentId
    step: Step[SeatState, SeatEvent]


class Refusal(msgspec.Struct, frozen=True):
    agent: AgentId | None
    reason: str


class Outcome(msgspec.Struct, frozen=True):
    channel: Channel
    moves: tuple[Moved, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    notices: tuple[Notice, ...] = ()


def holder(channel: Channel) -> AgentId | None:
    """Whose turn it is. A waiting agent keeps the turn."""
    return next((a for a, state in channel.seats.items() if state in seat.WITH_TURN), None)


def upcoming(channel: Channel) -> tuple[AgentId, ...]:
    """Who is queued, in the order in which their turns will come."""
    turned = channel.ring[channel.next_place :] + channel.ring[: channel.next_place]
    return tuple(agent for agent in turned if channel.seats[agent] is SeatState.QUEUED)


def hears_a_person_now(channel: Channel, agent: AgentId) -> bool:
    """Whether a person's message reaches this agent at once, or only after the running turn."""
    queues = channel.config.human_interrupt_mode is HumanInterruptMode.QUEUE
    reads = may_read(channel.seats.get(agent, SeatState.OFFLINE))
    return reads and not (queues and holder(channel) is not None)


def join(channel: Channel, agent: AgentId) -> Outcome:
    """Seat an agent at the end of the ring. It speaks at once if nobody else has the turn."""
    if agent in channel.disabled:
        return _refused(channel, agent, "The agent is disabled in this channel")
    queued = _move(_with_seat(channel, agent), agent, SeatEvent.ASSIGNED)
    if queued.refusals:
        return queued
    seated = queued.channel
    ring = seated.ring if agent in seated.ring else (*seated.ring, agent)
    return _pass_turn(replace(queued, channel=replace(seated, ring=ring)))


def leave(channel: Channel, agent: AgentId) -> Outcome:
    if agent not in channel.seats:
        return _without_seat(channel, agent)
    seated = channel.seats[agent] in seat.SEATED
    left = _move(Outcome(channel), agent, SeatEvent.REMOVED) if seated else Outcome(channel)
    left = _take_from_ring(left, agent)
    others = {other: state for other, state in left.channel.seats.items() if other != agent}
    left = replace(left, channel=replace(left.channel, seats=others))
    return _pass_turn(left) if holder(channel) == agent else left


def come_online(channel: Channel, agent: AgentId) -> Outcome:
    """Let a returning agent in. It is idle until it joins again: nobody is queued unasked."""
    if agent in channel.disabled:
        return _refused(channel, agent, "The agent is disabled in this channel")
    return _move(Outcome(channel), agent, SeatEvent.AGENT_STARTS)


def go_offline(channel: Channel, agent: AgentId, how: Going) -> Outcome:
    """Take a lost agent out of the ring; its turn, if it had it, passes on."""
    gone = _move(Outcome(channel), agent, how)
    if gone.refusals:
        return gone
    gone = _take_from_ring(gone, agent)
    had_turn = holder(channel) == agent
    announced = channel.config.announce_disconnects and how is not SeatEvent.AGENT_STOPS
    skipped = [Notice(NoticeKind.DISCONNECTED, agent)] if had_turn and announced else []
    emptied = [Notice(NoticeKind.NO_AGENTS)] if channel.ring and not gone.channel.ring else []
    gone = replace(gone, notices=(*skipped, *emptied))
    return _pass_turn(gone) if had_turn else gone


def disable(channel: Channel, agent: AgentId) -> Outcome:
    """Take an agent offline here and keep it so until it is enabled."""
    if agent not in channel.seats:
        return _without_seat(channel, agent)
    if agent in channel.disabled:
        return _refused(channel, agent, "The agent is already disabled in this channel")
    banned = replace(channel, disabled=channel.disabled | {agent})
    offline = channel.seats[agent] is SeatState.OFFLINE
    return Outcome(banned) if offline else go_offline(banned, agent, SeatEvent.AGENT_STOPS)


def enable(channel: Channel, agent: AgentId) -> Outcome:
    if agent not in channel.disabled:
        return _refused(channel, agent, "The agent is not disabled in this channel")
    free = replace(channel, disabled=channel.disabled - {agent})
    return come_online(free, agent) if agent in channel.seats else Outcome(free)


def grant(channel: Channel, agent: AgentId | None = None) -> Outcome:
    """Give the free turn to this agent, or to the next. Resting agents count as queued."""
    if holder(channel) is not None:
        return _refused(channel, agent, "The turn is not free")
    awake = _wake(Outcome(channel))
    chosen = agent if agent is not None else next(iter(upcoming(awake.channel)), None)
    if chosen is None:
        return _refused(channel, None, "Nobody is queued in this channel")
    granted = _give_turn(awake, chosen)
    return replace(granted, channel=channel, moves=()) if granted.refusals else granted


def complete(channel: Channel, agent: AgentId) -> Outcome:
    """End the agent's turn. One that nobody could follow rests instead of queueing again."""
    alone = not any(other != agent for other in upcoming(channel))
    event = SeatEvent.TURN_COMPLETE_ALONE if alone else SeatEvent.TURN_COMPLETE
    return _pass_turn(_move(Outcome(channel), agent, event))


def time_out(channel: Channel, agent: AgentId) -> Outcome:
    late = _move(Outcome(channel), agent, SeatEvent.TIMEOUT)
    if channel.config.announce_timeouts and not late.refusals:
        late = replace(late, notices=(Notice(NoticeKind.TIMED_OUT, agent),))
    return _pass_turn(late, forfeited_by=agent)


def wait(channel: Channel, agent: AgentId) -> Outcome:
    """Pause the agent's turn. It keeps the turn: nobody else speaks meanwhile."""
    return _move(Outcome(channel), agent, SeatEvent.WAIT_REQUESTED)


def resolve(channel: Channel, agent: AgentId) -> Outcome:
    return _move(Outcome(channel), agent, SeatEvent.WAIT_RESOLVED)


def time_out_wait(channel: Channel, agent: AgentId) -> Outcome:
    return _pass_turn(_move(Outcome(channel), agent, SeatEvent.WAIT_TIMEOUT), forfeited_by=agent)


def override_to_active(channel: Channel, agent: AgentId) -> Outcome:
    return _move(Outcome(channel), agent, SeatEvent.OVERRIDE_ACTIVATE)


def override_to_queue(channel: Channel, agent: AgentId) -> Outcome:
    return _pass_turn(_move(Outcome(channel), agent, SeatEvent.OVERRIDE_QUEUE), forfeited_by=agent)


def say(channel: Channel, author: AgentId | None = None) -> Outcome:
    """Hear a message, from an agent or (without author) from a person.

    It queues whoever rests, and a free turn is given away. A person's message pauses the running
    turn where the channel is so configured.
    """
    if author is not None and not may_speak(channel.seats.get(author, SeatState.OFFLINE)):
        return _refused(channel, author, "It is not the agent's turn to speak")
    if not channel.ring:
        return Outcome(channel, notices=(Notice(NoticeKind.NO_AGENTS),))
    heard = _wake(Outcome(channel))
    pauses = channel.config.human_interrupt_mode is HumanInterruptMode.INTERRUPT
    speaker = holder(channel)
    if author is None and pauses and speaker is not None and may_speak(channel.seats[speaker]):
        return _move(heard, speaker, SeatEvent.WAIT_REQUESTED)
    return _pass_turn(heard)


def _move(outcome: Outcome, agent: AgentId, event: SeatEvent) -> Outcome:
    channel = outcome.channel
    if agent not in channel.seats:
        return _without_seat(channel, agent)
    answer = seat.advance(channel.seats[agent], event)
    if isinstance(answer, Rejected):
        return replace(outcome, refusals=(*outcome.refusals, Refusal(agent, answer.reason)))
    moved = replace(channel, seats={**channel.seats, agent: answer.after})
    return replace(outcome, channel=moved, moves=(*outcome.moves, Moved(agent, answer)))


def _refused(channel: Channel, agent: AgentId | None, reason: str) -> Outcome:
    return Outcome(channel, refusals=(Refusal(agent, reason),))


def _without_seat(channel: Channel, agent: AgentId) -> Outcome:
    return _refused(channel, agent, "The agent has no seat in this channel")


def _with_seat(channel: Channel, agent: AgentId) -> Outcome:
    if agent in channel.seats:
        return Outcome(channel)
    seats = {**channel.seats, agent: seat.MACHINE.initial}
    return _move(Outcome(replace(channel, seats=seats)), agent, SeatEvent.AGENT_STARTS)


def _take_from_ring(outcome: Outcome, agent: AgentId) -> Outcome:
    """Close the gap. The others keep their order, and the next one stays the next one."""
    channel = outcome.channel
    if agent not in channel.ring:
        return outcome
    ring = tuple(other for other in channel.ring if other != agent)
    shift = channel.ring.index(agent) < channel.next_place
    shorter = replace(channel, ring=ring, next_place=channel.next_place - shift)
    return replace(outcome, channel=shorter)


def _wake(outcome: Outcome) -> Outcome:
    for agent in outcome.channel.ring:
        if outcome.channel.seats[agent] is SeatState.IDLE:
            outcome = _move(outcome, agent, SeatEvent.ASSIGNED)
    return outcome


def _give_turn(outcome: Outcome, agent: AgentId) -> Outcome:
    given = _move(outcome, agent, SeatEvent.TURN_GRANTED)
    if given.refusals:
        return given
    place = given.channel.ring.index(agent) + 1
    return replace(given, channel=replace(given.channel, next_place=place))


def _pass_turn(outcome: Outcome, *, forfeited_by: AgentId | None = None) -> Outcome:
    """Give a free turn to the next in the ring.

    Not to the one who has just forfeited it: with nobody else queued the channel rests until a
    message, a newcomer or a person gives the turn again.
    """
    if outcome.refusals or holder(outcome.channel) is not None:
        return outcome
    chosen = next((a for a in upcoming(outcome.channel) if a != forfeited_by), None)
    return outcome if chosen is None else _give_turn(outcome, chosen)
