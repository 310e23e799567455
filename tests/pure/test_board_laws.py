"""Laws of the board: they hold whatever is told, however implausible, in whatever order."""

import msgspec
from hypothesis import given, settings

from tests.pure.stories import numbered, stories, written_down
from turnkeeper.facts.fact import Fact, Recorded
from turnkeeper.machines.command import CommandState
from turnkeeper.machines.session import SessionStatus
from turnkeeper.projections.agent import Agent
from turnkeeper.projections.board import Board
from turnkeeper.projections.directory import Directory


def read(journal: list[Recorded], board: Board | None = None) -> Board:
    board = board or Board()
    for recorded in journal:
        board.take(recorded)
    return board


def put_away_and_taken_out(board: Board) -> Board:
    """The board as a new process finds it: the directory at hand, each agent when it is needed."""
    directory = msgspec.msgpack.decode(msgspec.msgpack.encode(board.directory), type=Directory)
    shelf = {number: msgspec.msgpack.encode(agent) for number, agent in board.agents.items()}

    def load(number: int) -> Agent | None:
        return msgspec.msgpack.decode(shelf[number], type=Agent) if number in shelf else None

    fresh = Board(directory, load)
    for number in shelf:
        fresh.agent(number)
    return fresh


@settings(max_examples=20, deadline=None)
@given(stories)
def test_reading_in_two_sittings_equals_reading_in_one(facts: list[Fact]) -> None:
    journal = numbered(facts)
    half = len(journal) // 2

    resumed = read(journal[half:], put_away_and_taken_out(read(journal[:half])))

    assert written_down(resumed) == written_down(read(journal))


@settings(max_examples=20, deadline=None)
@given(stories)
def test_hearing_everything_twice_changes_nothing(facts: list[Fact]) -> None:
    twice = [*facts, *facts]
    stuttered = [each for one in facts for each in (one, one)]

    assert written_down(read(numbered(twice))) == written_down(read(numbered(facts)))
    assert written_down(read(numbered(stuttered))) == written_down(read(numbered(facts)))


@settings(max_examples=15, deadline=None)
@given(stories)
def test_whatever_is_told_every_agent_ends_in_a_state_that_exists(facts: list[Fact]) -> None:
    board = read(numbered(facts))

    for number, agent in board.agents.items():
        assert agent.id == number
        assert agent.status in SessionStatus
        assert agent.standing in SessionStatus
        assert agent.state in CommandState
        assert agent.state is not CommandState.COMPLETE


@settings(max_examples=15, deadline=None)
@given(stories)
def test_every_session_has_one_agent_and_every_agent_exists(facts: list[Fact]) -> None:
    board = read(numbered(facts))
    directory = board.directory

    assert set(directory.sessions.values()) == set(board.agents)
    assert set(directory.processes.values()) <= set(board.agents)
    for session, number in directory.sessions.items():
        assert session in board.agents[number].sessions
    claimed = [session for agent in board.agents.values() for session in agent.sessions]
    assert len(claimed) == len(set(claimed))


@settings(max_examples=20, deadline=None)
@given(stories)
def test_a_turn_is_new_once_and_belongs_to_the_fact_that_first_told_it(facts: list[Fact]) -> None:
    board, new = Board(), []
    for recorded in numbered(facts):
        folded = board.take(recorded)
        told = [] if folded is None else folded.changes.told
        new += [each.turn.position for each in told if each.new]

    assert len(new) == len(set(new))
    assert sum(agent.turns for agent in board.agents.values()) == len(new)
