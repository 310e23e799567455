"""How an agent stood over time: the bands are what the board showed, and the newest word counts."""

from itertools import pairwise

from hypothesis import given, settings

from tests.pure.stories import (
    SESSION,
    agent_of,
    exited,
    fact,
    folded,
    it_started,
    numbered,
    reported,
    spoke,
    stories,
    was_prompted,
)
from turnkeeper.facts.fact import Fact, Moment, Position
from turnkeeper.facts.kinds import Activity, AgentRenamed, What
from turnkeeper.machines.session import SessionStatus
from turnkeeper.projections.board import Board
from turnkeeper.projections.cards import card_of
from turnkeeper.projections.timeline import Stood, bands, lanes, stood

SECOND = 1_000_000
IDLE, RUNNING, CLOSED = SessionStatus.IDLE, SessionStatus.RUNNING, SessionStatus.CLOSED
AWAITING = SessionStatus.AWAITING_INPUT


def at(seconds: float) -> Moment:
    return Moment(round(seconds * SECOND))


def change(position: int, second: float, standing: SessionStatus) -> Stood:
    return Stood(Position(position), 1, at(second), standing)


def between(since: float, until: float, *changes: Stood) -> list[tuple[float, float, str]]:
    """The bands in seconds."""
    drawn = bands(changes, at(since), at(until))
    return [(second(band.start), second(band.end), band.standing) for band in drawn]


def second(moment: str) -> float:
    minutes, seconds = moment.rstrip("Z").split(":")[1:]
    return int(minutes) * 60 + float(seconds)


def changes_of(*happenings: What | Fact) -> list[Stood]:
    return [change for each in folded(*happenings)[1] if (change := stood(each)) is not None]


# What a fact changes ----------------------------------------------------------------------------


def test_each_change_of_standing_is_kept_with_its_time() -> None:
    changes = changes_of(it_started(), was_prompted(), spoke("Done.", final=True), exited())

    assert [(each.at // SECOND, each.standing) for each in changes] == [
        (1, IDLE),
        (2, RUNNING),
        (3, IDLE),
        (4, CLOSED),
    ]


def test_an_idle_session_whose_command_awaits_input_stands_so_from_the_later_of_both() -> None:
    asked = (
        fact(it_started(), 1),
        fact(was_prompted(), 2),
        fact(reported(Activity.IDLE), 5),
        fact(spoke("Which one?", final=True), 4),
    )

    changes = changes_of(*asked)

    assert agent_of(*asked).standing is AWAITING
    assert (changes[-1].at // SECOND, changes[-1].standing) == (5, AWAITING)


def test_a_persons_deed_changes_no_standing() -> None:
    assert len(changes_of(it_started(), AgentRenamed("Bob"))) == 1


@settings(max_examples=20, deadline=None)
@given(stories)
def test_the_last_band_is_how_the_agent_stands_and_no_two_are_alike(facts: list[Fact]) -> None:
    board, changes = Board(), list[Stood]()
    for recorded in numbered(facts):
        done = board.take(recorded)
        if done is not None:
            changes = [heir(each, done.absorbed, done.agent.id) for each in changes]
            changes += [each for each in [stood(done)] if each is not None]

    for number, agent in board.agents.items():
        drawn = bands([each for each in changes if each.agent == number], at(-1), at(1000))
        assert drawn[-1].standing == agent.standing
        for one, other in pairwise(drawn):
            assert one.end == other.start
            assert one.standing != other.standing


def heir(change: Stood, absorbed: int | None, agent: int) -> Stood:
    return change._replace(agent=agent) if change.agent == absorbed else change


# What changes come to ---------------------------------------------------------------------------


def test_bands_follow_each_other_without_gaps() -> None:
    changes = (change(1, 10, IDLE), change(2, 20, RUNNING), change(3, 30, IDLE))

    assert between(0, 40, *changes) == [(10, 20, IDLE), (20, 30, RUNNING), (30, 40, IDLE)]


def test_bands_end_where_the_window_ends() -> None:
    changes = (change(1, 10, IDLE), change(2, 20, RUNNING), change(3, 30, IDLE))

    assert between(15, 25, *changes) == [(15, 20, IDLE), (20, 25, RUNNING)]
    assert between(20, 30, *changes) == [(20, 30, RUNNING)]
    assert between(0, 5, *changes) == []


def test_a_later_word_that_reaches_back_takes_the_place_of_what_was_thought() -> None:
    changes = (change(1, 10, RUNNING), change(2, 30, IDLE), change(3, 20, CLOSED))

    assert between(0, 40, *changes) == [(10, 20, RUNNING), (20, 40, CLOSED)]


def test_standing_the_same_again_is_one_band() -> None:
    changes = (change(1, 10, IDLE), change(2, 20, RUNNING), change(3, 20, IDLE))

    assert between(0, 40, *changes) == [(10, 40, IDLE)]


def test_an_agent_that_was_closed_all_the_time_did_not_live_then() -> None:
    card = card_of(agent_of(it_started()))

    assert lanes([change(1, 10, CLOSED)], [card], at(20), at(30)) == []
    assert lanes([], [card], at(20), at(30)) == []
    [lane] = lanes([change(1, 10, CLOSED), change(2, 29, IDLE)], [card], at(20), at(30))
    assert (lane.agent_id, lane.name) == (1, SESSION[:8])
