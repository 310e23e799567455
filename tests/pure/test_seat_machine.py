"""The seat machine against the text of seed 004, and its marked extensions."""

import pytest

from turnkeeper.machines.kernel import Rejected, Step
from turnkeeper.machines.seat import (
    MACHINE,
    SeatEvent,
    SeatState,
    advance,
    may_read,
    may_speak,
)

# Copied from the seed, without its column of actions.
TABLE = """
| OFFLINE | IDLE | Agent starts |
| IDLE | QUEUED | Assigned to channel |
| IDLE | OFFLINE | Agent stops |
| QUEUED | ACTIVE | Turn granted |
| QUEUED | IDLE | Removed from channel |
| QUEUED | OFFLINE | Agent disconnects |
| ACTIVE | QUEUED | TURN_COMPLETE |
| ACTIVE | QUEUED | Timeout |
| ACTIVE | WAITING | Wait requested |
| ACTIVE | OFFLINE | Agent crashes |
| WAITING | ACTIVE | Wait resolved |
| WAITING | QUEUED | Wait timeout |
| WAITING | OFFLINE | Agent disconnects |
"""

# fmt: off
EXTENSIONS = {
    ("active",  "turn_complete_alone", "idle"),
    ("active",  "removed",             "idle"),
    ("waiting", "removed",             "idle"),
    ("waiting", "override_queue",      "queued"),
    ("waiting", "override_activate",   "active"),
    ("queued",  "agent_stops",         "offline"),
    ("active",  "agent_stops",         "offline"),
    ("waiting", "agent_stops",         "offline"),
    ("idle",    "agent_disconnects",   "offline"),
    ("active",  "agent_disconnects",   "offline"),
    ("idle",    "agent_crashes",       "offline"),
    ("queued",  "agent_crashes",       "offline"),
    ("waiting", "agent_crashes",       "offline"),
}

RIGHTS = [
    # state     reads  speaks
    ("offline", False, False),
    ("idle",    False, False),
    ("queued",  True,  False),
    ("active",  True,  True),
    ("waiting", True,  False),
]
# fmt: on


def by_the_seed() -> list[tuple[str, str, str]]:
    rows = [
        [cell.strip().lower() for cell in line.strip("|").split("|")] for line in TABLE.split("\n")
    ]
    return [
        (
            state,
            trigger.removesuffix(" to channel").removesuffix(" from channel").replace(" ", "_"),
            to,
        )
        for state, to, trigger in (row for row in rows if len(row) == 3)
    ]


SEED = by_the_seed()


def test_the_seed_has_thirteen_rows() -> None:
    assert len(SEED) == 13


@pytest.mark.parametrize(("state", "event", "becomes"), SEED)
def test_every_row_of_the_seed_leads_where_it_says(state: str, event: str, becomes: str) -> None:
    answer = advance(SeatState(state), SeatEvent(event))

    assert isinstance(answer, Step)
    assert (answer.after, answer.extension) == (SeatState(becomes), False)


def test_beyond_the_seed_there_is_nothing_but_the_extensions() -> None:
    rows = {(row.source, row.event, row.target) for row in MACHINE.rows if row.extension}
    unmarked = {(row.source, row.event, row.target) for row in MACHINE.rows if not row.extension}

    assert rows == EXTENSIONS
    assert unmarked == set(SEED)


@pytest.mark.parametrize(("state", "reads", "speaks"), RIGHTS)
def test_rights_depend_on_the_state_alone(state: str, reads: bool, speaks: bool) -> None:
    assert may_read(SeatState(state)) is reads
    assert may_speak(SeatState(state)) is speaks


def test_only_a_queued_seat_can_be_granted_the_turn() -> None:
    answers = [advance(state, SeatEvent.TURN_GRANTED) for state in SeatState]

    assert [answer.before for answer in answers if isinstance(answer, Step)] == [SeatState.QUEUED]


def test_an_agent_that_lost_its_seat_is_never_queued_again_by_itself() -> None:
    back = advance(SeatState.OFFLINE, SeatEvent.AGENT_STARTS)

    assert isinstance(back, Step)
    assert back.after is SeatState.IDLE
    assert isinstance(advance(SeatState.OFFLINE, SeatEvent.ASSIGNED), Rejected)


def test_a_refusal_tells_what_is_the_matter() -> None:
    answer = advance(SeatState.QUEUED, SeatEvent.TURN_COMPLETE)

    assert isinstance(answer, Rejected)
    assert answer.reason == "It is not the agent's turn, so it cannot end"
