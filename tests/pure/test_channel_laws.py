"""Laws of a channel: they hold after any sequence of joins, leaves, grants, crashes and waits."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.machines import channel as model
from turnkeeper.machines.channel import (
    Channel,
    HumanInterruptMode,
    Outcome,
    TurnConfig,
    holder,
    upcoming,
)
from turnkeeper.machines.kernel import Step
from turnkeeper.machines.seat import SeatEvent, SeatState

Way: TypeAlias = Callable[[Channel, int], Outcome]
Story: TypeAlias = list[tuple[Way, Channel, Outcome]]


def person_says(channel: Channel, _agent: int) -> Outcome:
    return model.say(channel)


def grant_next(channel: Channel, _agent: int) -> Outcome:
    return model.grant(channel)


crash = partial(model.go_offline, how=SeatEvent.AGENT_CRASHES)
disconnect = partial(model.go_offline, how=SeatEvent.AGENT_DISCONNECTS)
stop = partial(model.go_offline, how=SeatEvent.AGENT_STOPS)

# fmt: off
CHANGES_THE_RING: tuple[Way, ...] = (
    model.join, model.leave, crash, disconnect, stop, model.disable,
)
KEEPS_THE_RING: tuple[Way, ...] = (
    model.come_online, model.enable, model.grant, grant_next, model.complete, model.time_out,
    model.wait, model.resolve, model.time_out_wait, model.override_to_active,
    model.override_to_queue, model.say, person_says,
)
# fmt: on

GIVES_THE_TURN: tuple[Way, ...] = (model.join, model.complete, model.say, person_says, grant_next)
FORFEITS: tuple[Way, ...] = (model.time_out, model.time_out_wait, model.override_to_queue)

AGENTS = (1, 2, 3, 4)
MODES = st.sampled_from(HumanInterruptMode)
HAPPENINGS = st.lists(
    st.tuples(st.sampled_from((*CHANGES_THE_RING, *KEEPS_THE_RING)), st.sampled_from(AGENTS)),
    max_size=40,
)
STARTS = st.integers(0, 3)


def told(joined: int, mode: HumanInterruptMode, happenings: list[tuple[Way, int]]) -> Story:
    channel = Channel(config=TurnConfig(human_interrupt_mode=mode))
    for agent in AGENTS[:joined]:
        channel = model.join(channel, agent).channel
    story: Story = []
    for way, agent in happenings:
        outcome = way(channel, agent)
        story.append((way, channel, outcome))
        channel = outcome.channel
    return story


any_story = given(st.builds(told, STARTS, MODES, HAPPENINGS))
few = settings(max_examples=40)


@few
@any_story
def test_at_most_one_seat_has_the_turn_whatever_happens(story: Story) -> None:
    for _, _, outcome in story:
        states = list(outcome.channel.seats.values())
        assert sum(state in ("active", "waiting") for state in states) <= 1


@few
@any_story
def test_the_ring_holds_whoever_takes_part_and_nobody_twice(story: Story) -> None:
    for _, _, outcome in story:
        channel = outcome.channel
        taking_part = {
            agent
            for agent, state in channel.seats.items()
            if state in ("queued", "active", "waiting")
        }
        assert len(set(channel.ring)) == len(channel.ring)
        assert taking_part <= set(channel.ring) <= set(channel.seats)
        assert all(channel.seats[a] is not SeatState.OFFLINE for a in channel.ring)
        assert 0 <= channel.next_place <= len(channel.ring)


@few
@any_story
def test_the_order_of_the_ring_never_changes(story: Story) -> None:
    for way, before, outcome in story:
        after = outcome.channel.ring
        stayed = [agent for agent in before.ring if agent in after]
        assert list(after[: len(stayed)]) == stayed
        assert way not in KEEPS_THE_RING or after == before.ring


@few
@any_story
def test_a_refusal_changes_nothing(story: Story) -> None:
    for _, before, outcome in story:
        if outcome.refusals:
            assert (outcome.channel, outcome.moves, outcome.notices) == (before, (), ())


@few
@any_story
def test_every_seat_stands_where_its_last_step_left_it(story: Story) -> None:
    for _, before, outcome in story:
        steps: dict[int, list[Step[SeatState, SeatEvent]]] = {}
        for moved in outcome.moves:
            steps.setdefault(moved.agent, []).append(moved.step)
        for agent, taken in steps.items():
            assert taken[0].before is before.seats.get(agent, SeatState.OFFLINE)
            assert all(one.after is other.before for one, other in pairwise(taken))
            assert outcome.channel.seats.get(agent, SeatState.IDLE) is taken[-1].after
        untouched = set(outcome.channel.seats) - set(steps)
        assert all(outcome.channel.seats[a] is before.seats[a] for a in untouched)


@few
@any_story
def test_who_is_queued_gets_a_turn_unless_it_forfeited_the_last_one(story: Story) -> None:
    for way, before, outcome in story:
        if way in GIVES_THE_TURN and not outcome.refusals:
            assert holder(outcome.channel) is not None or not upcoming(outcome.channel)
        if way in FORFEITS and not outcome.refusals:
            assert [holder(outcome.channel)] == list(upcoming(before)[:1] or [None])
