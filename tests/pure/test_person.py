"""What a person does to an agent is kept, wins, and says nothing of what the agent does."""

import msgspec
from hypothesis import given, settings

from tests.pure.stories import (
    CLEARED,
    SESSION,
    agent_of,
    board_of,
    fact,
    it_ended,
    it_started,
    line,
    numbered,
    reported,
    stories,
    was_prompted,
    written_down,
)
from turnkeeper.facts.fact import Fact
from turnkeeper.facts.kinds import (
    Activity,
    AgentMuted,
    AgentRenamed,
    Cause,
    SessionSeen,
    Titled,
    What,
)
from turnkeeper.projections.agent import Agent
from turnkeeper.projections.board import Board
from turnkeeper.projections.cards import card_of

BEGUN = it_started(cwd="/home/ada/shop")
TITLED = line(Titled("Retries", chosen=True), 3)


def name_of(*happenings: What | Fact) -> str:
    return card_of(agent_of(*happenings)).name


def test_a_persons_name_beats_every_other() -> None:
    assert name_of(BEGUN, TITLED) == "Retries"
    assert name_of(BEGUN, AgentRenamed("Bob")) == "Bob"
    assert name_of(BEGUN, AgentRenamed("Bob"), TITLED) == "Bob"


def test_the_newest_name_counts() -> None:
    assert name_of(BEGUN, AgentRenamed("Bob"), AgentRenamed("Eve")) == "Eve"


def test_an_empty_name_takes_it_back() -> None:
    assert name_of(BEGUN, AgentRenamed("Bob"), AgentRenamed("")) == "shop"
    assert name_of(BEGUN, AgentRenamed("Bob"), TITLED, fact(AgentRenamed(""), 9)) == "Retries"


def test_an_agent_is_muted_until_it_is_not() -> None:
    assert not card_of(agent_of(BEGUN)).muted
    assert card_of(agent_of(BEGUN, AgentMuted(True))).muted
    assert not card_of(agent_of(BEGUN, AgentMuted(True), AgentMuted(False))).muted


def test_a_deed_says_nothing_of_what_the_agent_does() -> None:
    plain = agent_of(BEGUN, was_prompted())

    done = agent_of(
        BEGUN, was_prompted(), fact(AgentRenamed("Bob"), 50), fact(AgentMuted(True), 60)
    )

    assert done == msgspec.structs.replace(plain, given="Bob", muted=True)


def test_a_deed_to_a_session_nobody_knows_makes_no_agent() -> None:
    assert board_of(AgentRenamed("Bob"), AgentMuted(True)).agents == {}


def test_a_deed_to_an_earlier_session_is_done_to_its_agent() -> None:
    after_clear = (
        BEGUN,
        it_ended("clear"),
        fact(it_started(Cause.CLEAR), 3, session=CLEARED),
        fact(AgentRenamed("Bob"), 4, session=SESSION),
    )

    assert agent_of(*after_clear).session == CLEARED
    assert name_of(*after_clear) == "Bob"


def test_an_agent_that_turns_out_to_be_another_keeps_what_was_done_to_either() -> None:
    agent = adopted(fact(AgentRenamed("Bob"), 2.5), fact(AgentMuted(True), 4, session=CLEARED))

    assert (agent.given, agent.muted) == ("Bob", True)
    assert agent.sessions == (SESSION, CLEARED)


def adopted(*deeds: Fact) -> Agent:
    """Two that turn out to be one: a new session is read before its client names it."""
    told = [
        fact(reported(Activity.IDLE), 2),
        line(SessionSeen(cwd="/home/ada/shop"), 3, session=CLEARED),
        fact(reported(Activity.IDLE), 5, session=CLEARED),
    ]
    return agent_of(BEGUN, *sorted([*told, *deeds], key=lambda each: each.happened_at))


@settings(max_examples=20, deadline=None)
@given(stories)
def test_without_deeds_the_board_differs_in_nothing_but_the_deeds(facts: list[Fact]) -> None:
    journal = numbered(facts)
    observed = [each for each in journal if not is_deed(each.fact)]

    with_deeds, without = Board(), Board()
    for each in journal:
        with_deeds.take(each)
    for each in observed:
        without.take(each)

    for number, agent in with_deeds.agents.items():
        with_deeds.agents[number] = msgspec.structs.replace(agent, given="", muted=False)
    assert written_down(with_deeds) == written_down(without)


def is_deed(one: Fact) -> bool:
    return isinstance(one.what, AgentRenamed | AgentMuted)
