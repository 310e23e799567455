"""The seats of one channel: whose turn it is, who is next, and the edge cases of seed 004."""

from collections.abc import Callable
from functools import partial

import msgspec
import pytest
from msgspec.structs import replace

from turnkeeper.machines import channel as model
from turnkeeper.machines.channel import (
    Channel,
    HumanInterruptMode,
    Notice,
    NoticeKind,
    Outcome,
    TurnConfig,
    hears_a_person_now,
    holder,
    upcoming,
)
from turnkeeper.machines.seat import SeatEvent, SeatState

ADA, BOB, CLEO, DAN = 1, 2, 3, 4
crash = partial(model.go_offline, how=SeatEvent.AGENT_CRASHES)
disconnect = partial(model.go_offline, how=SeatEvent.AGENT_DISCONNECTS)
stop = partial(model.go_offline, how=SeatEvent.AGENT_STOPS)


def of(*agents: int, config: TurnConfig | None = None) -> Channel:
    """A channel that these agents have joined in this order; the first has the turn."""
    channel = Channel(config=config or TurnConfig())
    for agent in agents:
        channel = model.join(channel, agent).channel
    return channel


def trail(outcome: Outcome) -> list[tuple[int, str, str]]:
    """What an outcome did to whom, as (agent, event, state after)."""
    return [(moved.agent, moved.step.event, moved.step.after) for moved in outcome.moves]


def refusal(outcome: Outcome) -> str:
    [refused] = outcome.refusals
    return refused.reason


def speakers(channel: Channel, turns: int) -> list[int | None]:
    """Who has the turn, over so many completed turns."""
    spoken = []
    for _ in range(turns):
        speaker = holder(channel)
        spoken.append(speaker)
        if speaker is not None:
            channel = model.complete(channel, speaker).channel
    return spoken


def test_the_first_to_join_has_the_turn_and_the_others_queue() -> None:
    channel = of(ADA, BOB, CLEO)

    assert channel.seats == {ADA: "active", BOB: "queued", CLEO: "queued"}
    assert upcoming(channel) == (BOB, CLEO)


def test_the_turn_goes_round_the_ring() -> None:
    assert speakers(of(ADA, BOB, CLEO), 7) == [ADA, BOB, CLEO, ADA, BOB, CLEO, ADA]


def test_joining_starts_assigns_and_grants_in_this_order() -> None:
    assert trail(model.join(Channel(), ADA)) == [
        (ADA, "agent_starts", "idle"),
        (ADA, "assigned", "queued"),
        (ADA, "turn_granted", "active"),
    ]


def test_completing_a_turn_queues_the_speaker_and_grants_the_next() -> None:
    assert trail(model.complete(of(ADA, BOB), ADA)) == [
        (ADA, "turn_complete", "queued"),
        (BOB, "turn_granted", "active"),
    ]


def test_a_turn_that_nobody_can_follow_ends_in_idle() -> None:
    done = model.complete(of(ADA), ADA)

    assert trail(done) == [(ADA, "turn_complete_alone", "idle")]
    assert holder(done.channel) is None


def test_a_message_queues_whoever_rests_and_gives_the_turn_again() -> None:
    resting = model.complete(of(ADA), ADA).channel

    assert trail(model.say(resting)) == [
        (ADA, "assigned", "queued"),
        (ADA, "turn_granted", "active"),
    ]


def test_another_agents_message_queues_whoever_rests() -> None:
    resting = model.complete(of(ADA), ADA).channel
    joined = model.join(resting, BOB).channel

    heard = model.say(joined, BOB)

    assert trail(heard) == [(ADA, "assigned", "queued")]
    assert holder(heard.channel) == BOB


def test_only_whose_turn_it_is_may_speak() -> None:
    assert refusal(model.say(of(ADA, BOB), BOB)) == "It is not the agent's turn to speak"
    assert refusal(model.say(of(ADA), DAN)) == "It is not the agent's turn to speak"


def test_only_whose_turn_it_is_can_complete_it() -> None:
    before = of(ADA, BOB)

    after = model.complete(before, BOB)

    assert after.channel == before
    assert refusal(after) == "It is not the agent's turn, so it cannot end"


# Edge case 1: an agent crashes mid-turn.


def test_a_crash_mid_turn_skips_to_the_next_and_says_so() -> None:
    crashed = crash(of(ADA, BOB), ADA)

    assert trail(crashed) == [(ADA, "agent_crashes", "offline"), (BOB, "turn_granted", "active")]
    [notice] = crashed.notices
    assert notice.text("Ada") == "⚠ Ada disconnected, skipping turn"


def test_a_crash_never_queues_again() -> None:
    crashed = crash(of(ADA, BOB), ADA).channel

    returned = model.come_online(crashed, ADA)

    assert trail(returned) == [(ADA, "agent_starts", "idle")]
    assert upcoming(model.say(returned.channel).channel) == ()
    assert returned.channel.ring == (BOB,)


def test_an_agent_that_returns_and_joins_queues_at_the_end() -> None:
    crashed = crash(of(ADA, BOB, CLEO), BOB).channel
    back = model.come_online(crashed, BOB).channel

    assert model.join(back, BOB).channel.ring == (ADA, CLEO, BOB)


def test_an_agent_that_is_offline_cannot_join() -> None:
    offline = crash(of(ADA, BOB), BOB).channel

    refused = model.join(offline, BOB)

    assert refusal(refused) == "The agent is offline and has to start first"
    assert refused.channel == offline


def test_who_disconnects_out_of_turn_is_not_announced() -> None:
    lost = disconnect(of(ADA, BOB), BOB)

    assert lost.notices == ()
    assert lost.channel.ring == (ADA,)


def test_disconnects_are_announced_only_where_configured() -> None:
    quiet = of(ADA, BOB, config=TurnConfig(announce_disconnects=False))

    assert crash(quiet, ADA).notices == ()


# Edge case 2: a timeout while active.


def test_a_timeout_passes_the_turn_and_says_so() -> None:
    late = model.time_out(of(ADA, BOB), ADA)

    assert trail(late) == [(ADA, "timeout", "queued"), (BOB, "turn_granted", "active")]
    [notice] = late.notices
    assert notice.text("Ada") == "Ada turn timed out"


def test_who_timed_out_keeps_its_place() -> None:
    late = model.time_out(of(ADA, BOB, CLEO), ADA).channel

    assert late.ring == (ADA, BOB, CLEO)
    assert speakers(late, 4) == [BOB, CLEO, ADA, BOB]


def test_timeouts_are_announced_only_where_configured() -> None:
    quiet = of(ADA, BOB, config=TurnConfig(announce_timeouts=False))

    assert model.time_out(quiet, ADA).notices == ()


def test_a_forfeited_turn_is_not_handed_straight_back() -> None:
    late = model.time_out(of(ADA), ADA).channel

    assert late.seats == {ADA: "queued"}
    assert holder(model.say(late).channel) == ADA


def test_a_timeout_out_of_turn_changes_nothing_and_announces_nothing() -> None:
    before = of(ADA, BOB)

    assert model.time_out(before, BOB).channel == before
    assert model.time_out(before, BOB).notices == ()


# Edge case 3: a person speaks mid-turn.


@pytest.mark.parametrize(
    ("mode", "at_once"),
    [("queue", False), ("interrupt", True), ("inject", True), ("parallel", True)],
)
def test_the_mode_decides_whether_the_speaker_hears_a_person_at_once(
    mode: str, at_once: bool
) -> None:
    channel = of(ADA, BOB, config=TurnConfig(human_interrupt_mode=HumanInterruptMode(mode)))

    assert hears_a_person_now(channel, ADA) is at_once


def test_a_person_interrupts_by_pausing_the_turn() -> None:
    channel = of(ADA, BOB, config=TurnConfig(human_interrupt_mode=HumanInterruptMode.INTERRUPT))

    assert trail(model.say(channel)) == [(ADA, "wait_requested", "waiting")]


def test_by_default_a_persons_message_leaves_the_turn_alone() -> None:
    assert TurnConfig().human_interrupt_mode is HumanInterruptMode.INJECT
    assert trail(model.say(of(ADA, BOB))) == []


def test_whoever_may_not_read_hears_nothing() -> None:
    resting = model.complete(of(ADA), ADA).channel

    assert not hears_a_person_now(resting, ADA)
    assert not hears_a_person_now(resting, DAN)


# Edge case 5: all agents go offline.


def test_when_the_last_agent_goes_the_channel_says_so() -> None:
    gone = stop(of(ADA), ADA)

    assert gone.notices == (Notice(NoticeKind.NO_AGENTS),)
    assert gone.notices[0].text() == "No agents available in this channel"


def test_a_message_to_an_empty_channel_reaches_nobody_and_says_so() -> None:
    empty = crash(of(ADA), ADA).channel

    said = model.say(empty)

    assert said.moves == ()
    assert said.notices == (Notice(NoticeKind.NO_AGENTS),)


def test_the_first_to_come_back_and_join_has_the_turn_at_once() -> None:
    empty = crash(crash(of(ADA, BOB), ADA).channel, BOB).channel
    back = model.come_online(empty, BOB).channel

    assert holder(back) is None
    assert holder(model.join(back, BOB).channel) == BOB


# Edge case 6: the queue changes while turns are in progress.


def test_a_newcomer_gets_its_turn_after_the_current_cycle() -> None:
    second_turn = model.complete(of(ADA, BOB, CLEO), ADA).channel

    joined = model.join(second_turn, DAN).channel

    assert speakers(joined, 5) == [BOB, CLEO, DAN, ADA, BOB]


def test_a_newcomer_during_the_last_turn_of_a_cycle_is_next() -> None:
    last_turn = model.complete(of(ADA, BOB), ADA).channel

    assert speakers(model.join(last_turn, CLEO).channel, 3) == [BOB, CLEO, ADA]


def test_removing_a_queued_agent_closes_the_gap() -> None:
    left = model.leave(of(ADA, BOB, CLEO), BOB)

    assert trail(left) == [(BOB, "removed", "idle")]
    assert speakers(left.channel, 3) == [ADA, CLEO, ADA]


def test_removing_the_speaker_advances_to_the_next() -> None:
    second_turn = model.complete(of(ADA, BOB, CLEO), ADA).channel

    left = model.leave(second_turn, BOB)

    assert trail(left) == [(BOB, "removed", "idle"), (CLEO, "turn_granted", "active")]
    assert speakers(left.channel, 3) == [CLEO, ADA, CLEO]


def test_who_has_left_has_no_seat() -> None:
    left = model.leave(of(ADA, BOB), BOB).channel

    assert BOB not in left.seats
    assert refusal(model.leave(left, BOB)) == "The agent has no seat in this channel"


def test_who_rests_or_is_offline_can_leave_too() -> None:
    resting = model.complete(of(ADA), ADA).channel
    offline = crash(of(ADA), ADA).channel

    assert model.leave(resting, ADA).channel == model.leave(offline, ADA).channel
    assert model.leave(offline, ADA).channel.seats == {}


# Waiting.


def test_a_waiting_agent_keeps_the_turn() -> None:
    waiting = model.wait(of(ADA, BOB), ADA).channel

    assert holder(waiting) == ADA
    assert refusal(model.grant(waiting, BOB)) == "The turn is not free"
    assert holder(model.say(waiting).channel) == ADA


def test_a_resolved_wait_resumes_the_turn() -> None:
    waiting = model.wait(of(ADA, BOB), ADA).channel

    assert trail(model.resolve(waiting, ADA)) == [(ADA, "wait_resolved", "active")]


Way = Callable[[Channel, int], Outcome]


@pytest.mark.parametrize("way", [model.time_out_wait, model.override_to_queue, model.leave, crash])
def test_a_wait_that_ends_badly_passes_the_turn(way: Way) -> None:
    waiting = model.wait(of(ADA, BOB), ADA).channel

    assert holder(way(waiting, ADA).channel) == BOB


def test_a_person_can_end_a_wait_in_favour_of_the_agent() -> None:
    waiting = model.wait(of(ADA, BOB), ADA).channel

    assert trail(model.override_to_active(waiting, ADA)) == [(ADA, "override_activate", "active")]


def test_who_is_not_waiting_cannot_be_overridden() -> None:
    assert refusal(model.override_to_queue(of(ADA, BOB), ADA)) == "The agent is not waiting"


# Granting by hand, and disabling.


def test_a_free_turn_can_be_granted_to_whoever_rests() -> None:
    resting = model.complete(of(ADA), ADA).channel

    assert holder(model.grant(resting).channel) == ADA


def test_a_free_turn_can_be_granted_to_one_agent() -> None:
    both_queued = replace(of(ADA, BOB), seats={ADA: SeatState.QUEUED, BOB: SeatState.QUEUED})

    assert holder(model.grant(both_queued, ADA).channel) == ADA


def test_nobody_can_be_granted_a_turn_in_an_empty_channel() -> None:
    assert refusal(model.grant(Channel())) == "Nobody is queued in this channel"
    assert refusal(model.grant(Channel(), ADA)) == "The agent has no seat in this channel"


def test_a_grant_that_is_refused_wakes_nobody() -> None:
    resting = model.complete(of(ADA), ADA).channel

    assert model.grant(resting, DAN).channel == resting


def test_a_disabled_agent_is_offline_until_it_is_enabled() -> None:
    disabled = model.disable(of(ADA, BOB), ADA)

    assert trail(disabled) == [(ADA, "agent_stops", "offline"), (BOB, "turn_granted", "active")]
    for way in (model.join, model.come_online):
        assert refusal(way(disabled.channel, ADA)) == "The agent is disabled in this channel"
    assert trail(model.enable(disabled.channel, ADA)) == [(ADA, "agent_starts", "idle")]


def test_leaving_does_not_lift_a_ban() -> None:
    left = model.leave(model.disable(of(ADA, BOB), ADA).channel, ADA).channel

    assert refusal(model.join(left, ADA)) == "The agent is disabled in this channel"
    assert ADA in model.join(model.enable(left, ADA).channel, ADA).channel.ring


def test_disabling_and_enabling_twice_is_refused() -> None:
    disabled = model.disable(of(ADA), ADA).channel

    assert refusal(model.disable(disabled, ADA)) == "The agent is already disabled in this channel"
    assert refusal(model.enable(of(ADA), ADA)) == "The agent is not disabled in this channel"


def test_the_configuration_is_spelt_as_in_the_seed() -> None:
    assert msgspec.to_builtins(TurnConfig()) == {
        "defaultTimeoutSeconds": 60,
        "humanInterruptMode": "inject",
        "announceTimeouts": True,
        "announceDisconnects": True,
        "autoDetectTurnEnd": False,
        "autoDetectSilenceSeconds": 10,
        "waitTimeoutSeconds": 300,
    }
