"""Who works for an agent: told by hooks or by transcripts, in any order."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pure.stories import (
    agent_of,
    ended_its_turn,
    fact,
    it_started,
    line,
    was_prompted,
)
from turnkeeper.facts.fact import Fact
from turnkeeper.facts.kinds import (
    AgentSpoke,
    Cause,
    Ending,
    ProcessExited,
    SessionStarted,
    SubagentEnded,
    SubagentStarted,
    ToolStarted,
    TurnEnded,
    What,
)
from turnkeeper.projections.cards import SubagentShown, card_of
from turnkeeper.projections.subagents import MOST, Subagents, at_work, heard

SCOUT, OTHER = "a7b898", "a1c2d3"
PROMPTED = (it_started(), was_prompted())


def shown(*happenings: What | Fact) -> list[SubagentShown]:
    return card_of(agent_of(*happenings)).subagents


def said(at: float, thread: str = SCOUT) -> Fact:
    return line(AgentSpoke("Three places.", entry=f"{thread}-{at}"), at, thread=thread)


def test_who_was_started_is_at_work_until_it_ends() -> None:
    started = (*PROMPTED, fact(SubagentStarted(SCOUT, "Explore"), 3))

    assert shown(*PROMPTED) == []
    assert shown(*started) == [SubagentShown(SCOUT, "Explore", "1970-01-01T00:00:03.000Z", None)]
    assert shown(*started, fact(SubagentEnded(SCOUT), 9)) == []


def test_who_only_a_transcript_tells_of_is_at_work_with_its_tool() -> None:
    tool = line(ToolStarted("Grep", "call-1", entry="e-1"), 4, thread=SCOUT)

    assert [each.tool for each in shown(*PROMPTED, said(3), tool)] == ["Grep"]


def test_words_heard_after_the_end_wake_nobody() -> None:
    assert shown(*PROMPTED, fact(SubagentEnded(SCOUT), 9), said(5)) == []


def test_one_that_is_sent_off_again_is_at_work_again() -> None:
    again = fact(SubagentStarted(SCOUT, "Explore"), 12)

    assert [each.id for each in shown(*PROMPTED, fact(SubagentEnded(SCOUT), 9), again)] == [SCOUT]


def test_nobody_works_for_an_agent_whose_turn_is_over() -> None:
    assert shown(*PROMPTED, said(3), ended_its_turn()) == []


@pytest.mark.parametrize(
    "end",
    [
        line(TurnEnded(Ending.INTERRUPTED, entry="e-end"), 6),
        fact(ProcessExited(7, "now"), 6),
        fact(SessionStarted(Cause.RESUME), 6),
    ],
    ids=["interrupted", "killed", "resumed"],
)
def test_nobody_is_at_work_again_after_an_end_that_no_hook_tells(end: Fact) -> None:
    sent = (*PROMPTED, fact(SubagentStarted(SCOUT, "Explore"), 3), end)

    assert shown(*sent, fact(was_prompted("Go on.", "p-2"), 8)) == []


def test_who_is_sent_off_again_has_worked_since_then() -> None:
    before = (fact(SubagentStarted(SCOUT, "Explore"), 3), fact(SubagentEnded(SCOUT), 5))

    [one] = shown(*PROMPTED, *before, fact(SubagentStarted(SCOUT), 8))
    assert (one.role, one.since) == ("Explore", "1970-01-01T00:00:08.000Z")


def test_who_works_in_the_background_outlasts_the_turn() -> None:
    ended = fact(TurnEnded(Ending.DONE, background=1), 6)

    assert [each.id for each in shown(*PROMPTED, said(3), ended)] == [SCOUT]


def test_the_longest_at_work_comes_first() -> None:
    both = shown(*PROMPTED, said(5, OTHER), said(4), said(6, OTHER))

    assert [each.id for each in both] == [SCOUT, OTHER]


def test_of_very_many_only_so_many_are_remembered() -> None:
    held = Subagents()
    for number in range(MOST + 5):
        held = heard(held, said(number + 1, f"a{number}"), hooked=True)

    assert len(held.known) == MOST
    assert at_work(held)[-1].id == f"a{MOST + 4}"


NEWS = st.lists(
    st.one_of(
        st.builds(said, st.integers(1, 9), st.sampled_from([SCOUT, OTHER])),
        st.builds(
            lambda at, who: fact(SubagentStarted(who, "Explore"), at),
            st.integers(1, 9),
            st.sampled_from([SCOUT, OTHER]),
        ),
        st.builds(
            lambda at, who: fact(SubagentEnded(who), at),
            st.integers(1, 9),
            st.sampled_from([SCOUT, OTHER]),
        ),
        st.builds(lambda at: fact(TurnEnded(Ending.DONE), at), st.integers(1, 9)),
    ),
    max_size=8,
)


@given(NEWS, st.randoms(use_true_random=False))
def test_news_in_any_order_come_to_the_same(news: list[Fact], random: Random) -> None:
    shuffled = list(news)
    random.shuffle(shuffled)

    assert names(news) == names(shuffled)


def names(news: list[Fact]) -> list[str]:
    held = Subagents()
    for each in news:
        held = heard(held, each, hooked=True)
    return sorted(each.id for each in at_work(held))
