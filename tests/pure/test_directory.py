"""Which agent a fact is about (rulings A5, A6)."""

import pytest

from tests.pure.stories import (
    BORN,
    CLEARED,
    ELSEWHERE,
    PID,
    SESSION,
    agent_of,
    board_of,
    changes_of,
    exited,
    fact,
    folded,
    it_ended,
    it_started,
    line,
    reported,
    spoke,
    was_prompted,
)
from turnkeeper.facts.fact import Fact
from turnkeeper.facts.kinds import (
    Activity,
    Cause,
    ClientUnlisted,
    Ending,
    LinePassed,
    ProcessFound,
    SessionSeen,
    Titled,
    TurnEnded,
    Unrecognised,
)
from turnkeeper.machines.session import SessionStatus

IDLE, BUSY, UNSAID = Activity.IDLE, Activity.BUSY, Activity.UNSAID
ANOTHER, LATER_BORN = PID + 1, "900000"


def here(said: Activity, at: float, session: str = SESSION) -> Fact:
    return fact(reported(said), at, session=session)


def there(said: Activity, at: float, session: str = SESSION) -> Fact:
    return fact(reported(said, ANOTHER, LATER_BORN), at, session=session)


def cleared(at: float, session: str = SESSION) -> Fact:
    return fact(it_ended("clear"), at, session=session)


def begun_anew(at: float, session: str = CLEARED) -> Fact:
    return fact(it_started(Cause.CLEAR), at, session=session)


def written_anew(at: float, session: str = CLEARED) -> Fact:
    return line(SessionSeen(cwd="/home/ann/shop"), at, session=session)


def lineages(*facts: Fact) -> list[tuple[str, ...]]:
    return sorted(agent.sessions for agent in board_of(*facts).agents.values())


# Who is an agent --------------------------------------------------------------------------------


def test_a_registry_entry_that_says_nothing_yet_is_no_agent() -> None:
    assert board_of(here(UNSAID, 1)).agents == {}


def test_a_provisional_id_is_dropped_from_the_lineage() -> None:
    resumed = (here(UNSAID, 1, "provisional"), here(IDLE, 1.3))

    assert lineages(*resumed) == [(SESSION,)]


@pytest.mark.parametrize(
    "first",
    [
        here(IDLE, 1),
        fact(it_started(), 1),
        fact(was_prompted(), 1),
        line(was_prompted(), 1),
        written_anew(1, SESSION),
    ],
)
def test_a_word_from_any_source_makes_an_agent(first: Fact) -> None:
    assert lineages(first) == [(SESSION,)]


def test_what_cannot_be_read_and_processes_nobody_knows_make_none() -> None:
    strangers = (
        line(LinePassed("mode", "hash", 0, 9), 1),
        line(Unrecognised("{", "torn"), 1),
        fact(ProcessFound(PID), 1, session=""),
        fact(exited(), 1, session=""),
        fact(ClientUnlisted(PID), 1, session=""),
    )

    assert board_of(*strangers).agents == {}


# /clear -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "story",
    [
        (here(IDLE, 1), here(IDLE, 5, CLEARED)),
        (fact(it_started(), 1), cleared(5), begun_anew(5.1)),
        (fact(it_started(), 1), begun_anew(5.1), cleared(5)),
        (here(IDLE, 1), written_anew(5.1), here(IDLE, 5.2, CLEARED)),
        (here(IDLE, 1), begun_anew(5.1), here(IDLE, 5.2, CLEARED)),
        (fact(it_started(), 1), written_anew(5.1), cleared(5), begun_anew(5.1)),
        (fact(it_started(), 1), cleared(5), written_anew(5.1), begun_anew(5.1)),
        (fact(it_started(), 1), cleared(5), here(BUSY, 5.2, CLEARED), begun_anew(5.1)),
        (fact(it_started(), 1), here(BUSY, 5.2, CLEARED), cleared(5), begun_anew(5.1)),
        (fact(it_started(), 1), here(BUSY, 5.2, CLEARED), begun_anew(5.1), cleared(5)),
        (fact(it_started(), 1), begun_anew(5.1), here(BUSY, 5.2, CLEARED), cleared(5)),
    ],
    ids=[
        "the registry alone",
        "the hooks alone",
        "the hooks in the wrong order",
        "transcript before registry",
        "start before registry",
        "transcript before both hooks",
        "transcript between the hooks",
        "registry between the hooks",
        "registry before both hooks",
        "registry before both hooks in the wrong order",
        "registry between the hooks in the wrong order",
    ],
)
def test_a_cleared_session_and_the_next_are_one_agent(story: tuple[Fact, ...]) -> None:
    assert lineages(*story) == [(SESSION, CLEARED)]


def test_two_sessions_cleared_at_once_are_not_confused() -> None:
    both = (
        fact(it_started(), 1),
        fact(it_started(), 1, session="other"),
        cleared(5),
        cleared(5, "other"),
        begun_anew(5.1),
    )

    assert (CLEARED,) in lineages(*both)


def test_a_session_with_a_process_of_its_own_is_nobodys_next() -> None:
    stranger = (line(was_prompted(), 5.5, session=ELSEWHERE), there(BUSY, 5.6, ELSEWHERE))

    assert lineages(here(IDLE, 1), *stranger, cleared(5)) == [(SESSION,), (ELSEWHERE,)]


def test_a_session_that_says_how_it_began_is_nobodys_next() -> None:
    stranger = (
        line(was_prompted(), 5.5, session=ELSEWHERE),
        fact(it_started(), 5.4, session=ELSEWHERE),
    )

    assert lineages(fact(it_started(), 1), *stranger, cleared(5)) == [(SESSION,), (ELSEWHERE,)]


def test_nobody_is_its_own_next_session() -> None:
    story = (line(it_ended("clear"), 5), begun_anew(5, SESSION))

    assert lineages(*story) == [(SESSION,)]


def test_long_after_a_clear_another_start_is_not_its_next() -> None:
    assert lineages(fact(it_started(), 1), cleared(5), begun_anew(60)) == [(SESSION,), (CLEARED,)]


def test_what_was_open_before_a_clear_is_over() -> None:
    asked = (fact(was_prompted(), 1), fact(spoke("Which one do you want?", final=True), 2))
    stories = (
        (*asked, cleared(5), begun_anew(5.1)),
        (*asked, begun_anew(5.1), cleared(5)),
    )

    for story in stories:
        outcomes = [
            command.outcome for changes in changes_of(*story) for command in changes.commands
        ]
        assert outcomes[-1] == "abandoned"
        assert agent_of(*story).command is None


def test_an_adopted_session_brings_along_what_it_does_and_where_it_lives() -> None:
    at_work = (
        fact(it_started(), 1),
        written_anew(5.1),
        line(was_prompted(), 6, session=CLEARED),
        cleared(5),
    )

    agent = agent_of(*at_work)

    assert agent.status is SessionStatus.RUNNING
    assert agent.cwd == "/home/ann/shop"
    assert agent.command is not None


def test_nothing_of_an_adopted_agent_is_left_in_the_directory() -> None:
    found = fact(ProcessFound(ANOTHER), 4, session="")
    board = board_of(here(IDLE, 1), found, begun_anew(5.1), here(IDLE, 5.2, CLEARED))
    directory = board.directory

    assert set(directory.sessions.values()) == {1}
    assert set(directory.processes.values()) == {1}
    assert 2 not in [each.agent for each in directory.orphans]
    assert directory.started == []


# Resume, fork, and processes --------------------------------------------------------------------


def test_a_session_resumed_by_a_new_process_is_the_same_agent() -> None:
    resumed = (here(IDLE, 1), fact(exited(), 3, session=""), there(IDLE, 9))

    agent = agent_of(*resumed)

    assert agent.status is SessionStatus.IDLE
    assert agent.pid == ANOTHER


def test_a_fork_is_a_new_agent_with_a_parent() -> None:
    fork = (
        fact(it_started(Cause.FORK), 5, session=ELSEWHERE),
        line(SessionSeen(cwd="/home/ann/shop", parent=SESSION), 5, session=ELSEWHERE),
    )

    board = board_of(fact(it_started(), 1), *fork)

    assert lineages(fact(it_started(), 1), *fork) == [(SESSION,), (ELSEWHERE,)]
    assert board.agents[2].parent == SESSION


def test_a_fork_repeats_its_parents_words_without_touching_the_parent() -> None:
    asked = line(was_prompted(entry="u1"), 1)
    copied = line(was_prompted(entry="u1"), 1, session=ELSEWHERE)

    board = board_of(asked, copied)

    assert [board.agents[number].turns for number in (1, 2)] == [1, 1]


def test_two_processes_on_one_session_are_one_agent() -> None:
    agent = agent_of(here(IDLE, 1), there(IDLE, 2))

    assert [pid for pid, _ in agent.evidence.living] == [PID, ANOTHER]


def test_a_reused_pid_is_not_the_process_it_was() -> None:
    reused = fact(reported(IDLE, PID, LATER_BORN), 99, session=ELSEWHERE)

    assert lineages(here(IDLE, 1), reused) == [(SESSION,), (ELSEWHERE,)]


def test_the_late_exit_of_the_old_process_closes_the_old_agent_only() -> None:
    reused = fact(reported(IDLE, PID, LATER_BORN), 99, session=ELSEWHERE)

    board = board_of(here(IDLE, 1), reused, fact(exited(PID, BORN), 100))

    assert board.agents[1].status is SessionStatus.CLOSED
    assert board.agents[2].status is SessionStatus.IDLE


@pytest.mark.parametrize("in_mind", ["", SESSION, CLEARED, "provisional"])
def test_an_exit_closes_the_agent_whichever_session_its_teller_has_in_mind(in_mind: str) -> None:
    agent = agent_of(here(IDLE, 1), here(IDLE, 5, CLEARED), fact(exited(), 9, session=in_mind))

    assert agent.status is SessionStatus.CLOSED
    assert agent.sessions == (SESSION, CLEARED)


def test_a_process_is_claimed_by_the_only_session_that_has_none() -> None:
    found = fact(ProcessFound(PID), 1, session="")

    board = board_of(found, fact(it_started(), 2), fact(exited(started=""), 9, session=""))

    assert board.agents[1].status is SessionStatus.CLOSED


def test_of_two_that_might_claim_it_neither_does() -> None:
    found = (fact(ProcessFound(PID), 1, session=""), fact(ProcessFound(ANOTHER), 1, session=""))

    board = board_of(*found, fact(it_started(), 2), fact(exited(started=""), 9, session=""))

    assert board.agents[1].status is SessionStatus.IDLE


def test_a_process_found_again_and_again_is_noted_once() -> None:
    again = [fact(ProcessFound(PID), second, session="") for second in range(9)]

    assert len(board_of(*again).directory.found) == 1


def test_after_resume_in_the_terminal_the_old_agent_is_closed() -> None:
    known = line(was_prompted(), 0.5, session=ELSEWHERE)
    moved = (fact(it_ended("resume"), 60), here(IDLE, 60.2, ELSEWHERE))

    board = board_of(known, here(IDLE, 50), *moved)

    assert board.agents[2].status is SessionStatus.CLOSED
    assert board.agents[1].status is SessionStatus.IDLE


def test_a_closed_agent_can_be_resumed_in_the_terminal_again() -> None:
    known = line(was_prompted(), 0.5, session=ELSEWHERE)
    moved = (fact(it_ended("resume"), 60), here(IDLE, 60.2, ELSEWHERE), here(IDLE, 90))

    assert board_of(known, here(IDLE, 50), *moved).agents[2].status is SessionStatus.IDLE


# Who it is --------------------------------------------------------------------------------------


def test_a_name_a_person_chose_outlives_one_that_was_made_up() -> None:
    named = (fact(it_started(), 1), line(Titled("payments", chosen=True), 2))

    assert agent_of(*named, line(Titled("Add retries to client"), 3)).title == "payments"
    assert agent_of(*named, line(Titled("billing", chosen=True), 3)).title == "billing"


def test_what_is_not_said_leaves_what_was() -> None:
    seen = (
        line(SessionSeen(cwd="/home/ann/shop", branch="main"), 1),
        line(SessionSeen(cwd="/home/ann/shop/web"), 2),
    )

    agent = agent_of(*seen)

    assert (agent.cwd, agent.branch) == ("/home/ann/shop/web", "main")


def test_a_session_heard_of_late_belongs_to_the_past() -> None:
    _, told = folded(
        here(IDLE, 1), here(IDLE, 50, CLEARED), fact(reported(BUSY), 40, session="between")
    )

    agent = told[-1].agent
    assert agent.sessions == (SESSION, "between", CLEARED)
    assert agent.status is SessionStatus.IDLE


def test_a_line_of_the_session_before_moves_nothing() -> None:
    late = line(TurnEnded(Ending.FAILED, error="overloaded"), 60)

    agent = agent_of(here(IDLE, 1), here(IDLE, 50, CLEARED), late)

    assert agent.status is SessionStatus.IDLE
