"""A client that `turnkeeper run` started: known before it speaks, and told apart from others."""

import json

from tests.pure.stories import (
    BORN,
    CLEARED,
    HOST,
    PID,
    SESSION,
    agent_of,
    board_of,
    exited,
    fact,
    it_ended,
    it_started,
    reported,
    spoke,
    was_prompted,
)
from turnkeeper.facts.fact import Fact, Moment, Source
from turnkeeper.facts.kinds import (
    Activity,
    Cause,
    ClientLaunched,
    ProcessExited,
    Unrecognised,
)
from turnkeeper.machines.session import SessionStatus
from turnkeeper.sources.claude_registry import exited as end_of
from turnkeeper.sources.run_records import is_record, read_record

ANOTHER = "a0a0a0a0-0000-4000-8000-000000000009"
HEARD = Moment(9_000_000)


def launched(pid: int = PID, started: str = BORN) -> ClientLaunched:
    return ClientLaunched(pid, started, "/home/ann/shop", "claude")


def translated(**record: object) -> list[Fact]:
    raw = json.dumps(record).encode()
    assert is_record(raw)
    return read_record(raw, key="k", happened_at=Moment(5), heard_at=HEARD, host=HOST)


# What stands in the spool ---------------------------------------------------------------------


def test_a_launch_is_told_with_the_time_it_happened() -> None:
    [told] = translated(
        turnkeeper_event="launched", pid=PID, at=3, session_id=SESSION, started=BORN, cwd="/w"
    )

    assert told.what == ClientLaunched(PID, BORN, "/w")
    assert (told.session, told.source, told.happened_at) == (SESSION, Source.RUN, 3)


def test_an_end_is_the_same_fact_whoever_sees_it() -> None:
    [told] = translated(
        turnkeeper_event="ended", pid=PID, at=4, session_id=SESSION, started=BORN, code=0
    )
    seen = end_of(PID, BORN, session="", at=HEARD, host=HOST)

    assert told.what == ProcessExited(PID, BORN)
    assert told.key == seen.key


def test_a_record_that_cannot_be_read_is_kept() -> None:
    [told] = translated(turnkeeper_event="vanished", pid="?")

    assert isinstance(told.what, Unrecognised)


def test_a_hook_is_no_record_even_if_it_speaks_of_one() -> None:
    assert not is_record(b'{"session_id":"x","prompt":"{\\"turnkeeper_event\\":1}"}')


# What it makes of an agent --------------------------------------------------------------------


def test_a_launched_client_is_starting_until_it_speaks() -> None:
    assert agent_of(launched()).status is SessionStatus.STARTING
    assert agent_of(launched(), reported(Activity.UNSAID)).status is SessionStatus.STARTING
    assert agent_of(launched(), it_started()).status is SessionStatus.IDLE
    assert agent_of(launched(), reported(Activity.BUSY)).status is SessionStatus.RUNNING
    assert agent_of(launched(), exited()).status is SessionStatus.CLOSED


def test_the_placeholder_and_the_session_are_one_agent_in_one_process() -> None:
    board = board_of(launched(), it_started(), reported(Activity.IDLE))

    [agent] = board.agents.values()
    assert agent.evidence.living == ((PID, BORN),)
    assert agent.cwd == "/home/ann/shop"


def test_a_start_time_that_only_the_client_knows_makes_no_second_process() -> None:
    for story in (
        (launched(started=""), reported(Activity.IDLE)),
        (reported(Activity.IDLE), launched(started="")),
    ):
        assert agent_of(*story).evidence.living == ((PID, BORN),)


def test_a_closed_session_that_is_launched_again_is_starting() -> None:
    before = (it_started(), was_prompted(), spoke("Done.", final=True), exited(), it_ended())

    agent = agent_of(*before, launched(PID + 1, "900000"))

    assert agent.status is SessionStatus.STARTING


def test_a_launch_that_is_heard_after_its_end_revives_nobody() -> None:
    agent = agent_of(fact(it_started(), 2), fact(exited(), 3), fact(launched(), 1))

    assert agent.status is SessionStatus.CLOSED


def test_an_end_closes_its_own_session_and_no_other() -> None:
    board = board_of(
        fact(launched(), 1),
        fact(launched(PID + 1, "900000"), 2, session=ANOTHER),
        fact(exited(), 3, session=""),
    )

    one, other = board.of_session(SESSION), board.of_session(ANOTHER)
    assert one is not None
    assert other is not None
    assert (one.status, other.status) == (SessionStatus.CLOSED, SessionStatus.STARTING)


def test_a_cleared_session_ends_with_the_process_it_was_launched_in() -> None:
    board = board_of(
        fact(launched(), 1),
        fact(it_started(), 2),
        fact(it_ended("clear"), 3),
        fact(it_started(Cause.CLEAR), 4, session=CLEARED),
        fact(exited(), 5),
    )

    [agent] = board.agents.values()
    assert agent.sessions == (SESSION, CLEARED)
    assert agent.status is SessionStatus.CLOSED


def test_a_client_that_chooses_its_session_is_nobodys_until_its_registry_says_whose() -> None:
    nobody = board_of(fact(launched(), 1, session=""))
    board = board_of(
        fact(launched(), 1, session=""),
        fact(it_started(), 2, session=ANOTHER),
        fact(reported(Activity.IDLE), 3),
        fact(exited(), 4, session=""),
    )

    one, other = board.of_session(SESSION), board.of_session(ANOTHER)
    assert nobody.agents == {}
    assert one is not None
    assert other is not None
    assert (one.status, other.status) == (SessionStatus.CLOSED, SessionStatus.IDLE)
