"""What was there before the daemon: it is read as it happened, not as it was found."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.lab.house import House, until
from tests.lab.scenarios import NOON, SCENARIOS
from turnkeeper.daemon.stores import open_board
from turnkeeper.desk.inquiry import transitions
from turnkeeper.facts.fact import Moment
from turnkeeper.projections.cards import Card, when
from turnkeeper.projections.shown import TransitionTold
from turnkeeper.scripted.body import Role
from turnkeeper.scripted.faults import NO_FAULTS, Faults
from turnkeeper.scripted.pace import SECOND, simulated
from turnkeeper.scripted.stage import Stage
from turnkeeper.scripted.steps import Exit, Title


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


async def played(house: House, scenario: str, faults: Faults = NO_FAULTS) -> str:
    """A session that began at noon and was over within a minute; nobody watched."""
    (house.place.data / "spool" / ".open").touch()
    role = Role(house.place.data.parent / "project", process=False)
    async with Stage(house.place, lambda: simulated(NOON)) as stage:
        agent = await stage.enter(role, faults)
        await agent.play((*SCENARIOS[scenario], Title("An old story"), Exit()))
    return agent.session


async def found(house: House, *sessions: str) -> list[Card]:
    """What the board says of them once a daemon has read all there is."""

    def read() -> list[Card]:
        return [card for card in house.cards() if card.name == "An old story"]

    async with house.up():
        await until(lambda: len(read()) == len(sessions), "read", read)
        return read()


async def test_a_session_of_the_past_was_last_heard_of_when_it_last_spoke(house: House) -> None:
    session = await played(house, "tool_call", Faults(no_spool=True))

    [card] = await found(house, session)

    within_a_minute = str(when(Moment(NOON + 60 * SECOND)))
    assert str(when(NOON)) <= str(card.first_at) <= str(card.last_at) < within_a_minute


async def test_what_hooks_left_is_heard_before_the_transcript_is_read(house: House) -> None:
    """Many sessions, so that there is time to read the wrong one first."""
    sessions = [
        await played(house, "permission_granted", Faults(seed=number)) for number in range(40)
    ]

    cards = await found(house, *sessions)

    with open_board(house.settings) as store:
        trails = {states(transitions(store, card.id)) for card in cards}
    assert trails == {("idle", "running", "awaiting_approval", "running", "idle", "closed")}


def states(trail: Iterable[TransitionTold]) -> tuple[str, ...]:
    return tuple(each.to_state for each in trail if each.machine == "session")
