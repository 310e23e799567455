"""What a card shows besides the standing: the tool in progress, and how full the context is."""

import pytest

from tests.pure.stories import (
    CLEARED,
    agent_of,
    asked_for_approval,
    began,
    ended_a_call,
    ended_its_turn,
    fact,
    it_ended,
    it_started,
    line,
    was_prompted,
)
from turnkeeper.facts.fact import Fact
from turnkeeper.facts.kinds import (
    AgentSpoke,
    Cause,
    Compacted,
    SessionStarted,
    ToolStarted,
    Usage,
    What,
)
from turnkeeper.projections.cards import Card, ContextShown, DoingShown, card_of
from turnkeeper.projections.context import ORDINARY, WIDE

PROMPTED = (it_started(), was_prompted())
SUBAGENT = "a7b898"


def card(*happenings: What | Fact) -> Card:
    return card_of(agent_of(*happenings))


def answered(tokens: int, at: float, *, model: str = "claude-sonnet-4-5", thread: str = "") -> Fact:
    """An answer to so many tokens, most of which were cached."""
    usage = Usage(
        f"msg-{at}", model=model, input=5, cache_read=tokens - 10, cache_write=5, output=99
    )
    return line(AgentSpoke("Well.", entry=f"e-{at}", usage=usage), at, thread=thread)


# The tool in progress ---------------------------------------------------------------------------


def test_the_tool_in_progress_is_shown() -> None:
    doing = card(*PROMPTED, began("Bash")).doing

    assert doing == DoingShown("Bash", "1970-01-01T00:00:03.000Z")


def test_of_several_tools_the_newest_is_shown() -> None:
    both = card(*PROMPTED, began("Bash", "call-1"), began("Read", "call-2"))
    first = card(
        *PROMPTED, began("Bash", "call-1"), began("Read", "call-2"), ended_a_call("call-2")
    )

    assert both.doing is not None
    assert both.doing.tool == "Read"
    assert first.doing is not None
    assert first.doing.tool == "Bash"


@pytest.mark.parametrize(
    "after", [ended_a_call(), asked_for_approval(), ended_its_turn(), it_ended()], ids=repr
)
def test_no_tool_is_shown_once_the_agent_does_something_else(after: What) -> None:
    assert card(*PROMPTED, began("Bash"), after).doing is None


def test_a_tool_that_an_earlier_turn_left_open_is_not_in_progress() -> None:
    left = (*PROMPTED, began("Bash"), ended_its_turn())

    assert card(*left, was_prompted("Go on.", "prompt-2")).doing is None


def test_a_subagents_tool_is_not_the_agents() -> None:
    own = ToolStarted("Grep", "call-9")

    assert card(*PROMPTED, fact(own, 3, thread=SUBAGENT)).doing is None


# The context ------------------------------------------------------------------------------------


def test_the_context_is_what_the_newest_answer_was_given() -> None:
    assert card(*PROMPTED).context is None
    assert card(*PROMPTED, answered(41_000, 3)).context == ContextShown(41_000, ORDINARY)
    grown = card(*PROMPTED, answered(41_000, 3), answered(52_000, 4))
    assert grown.context == ContextShown(52_000, ORDINARY)


def test_an_older_answer_heard_late_changes_nothing() -> None:
    late = card(*PROMPTED, answered(52_000, 4), answered(41_000, 3))

    assert late.context == ContextShown(52_000, ORDINARY)


def test_a_subagent_fills_a_context_of_its_own() -> None:
    shown = card(*PROMPTED, answered(52_000, 4), answered(9_000, 5, thread=SUBAGENT))

    assert shown.context == ContextShown(52_000, ORDINARY)


def test_compacting_empties_the_context_until_the_next_answer() -> None:
    compacted = (*PROMPTED, answered(190_000, 3), line(Compacted(), 4))

    assert card(*compacted).context is None
    assert card(*compacted, answered(180_000, 2)).context is None
    assert card(*compacted, answered(20_000, 5)).context == ContextShown(20_000, ORDINARY)


def test_clearing_empties_the_context() -> None:
    anew = fact(it_started(Cause.CLEAR), 5, session=CLEARED)

    cleared = card(*PROMPTED, answered(52_000, 3), fact(it_ended("clear"), 4), anew)

    assert cleared.session_id == CLEARED
    assert cleared.context is None


@pytest.mark.parametrize(
    ("model", "chosen", "tokens", "window"),
    [
        ("claude-sonnet-4-5", "", 10_000, ORDINARY),
        ("claude-sonnet-4-5", "claude-sonnet-4-5", 10_000, ORDINARY),
        ("claude-sonnet-4-5", "claude-sonnet-4-5[1m]", 10_000, WIDE),
        ("claude-sonnet-4-5[1m]", "", 10_000, WIDE),
        ("claude-haiku-4-5", "claude-sonnet-4-5[1m]", 10_000, ORDINARY),
        ("claude-opus-5-5", "claude-opus-5-5", 10_000, WIDE),
        ("claude-sonnet-4-5", "", 200_001, WIDE),
        ("somebody-elses", "", 10_000, ORDINARY),
    ],
)
def test_the_window_is_the_models(model: str, chosen: str, tokens: int, window: int) -> None:
    began_with = SessionStarted(Cause.STARTUP, model=chosen)

    shown = card(began_with, was_prompted(), answered(tokens, 3, model=model))

    assert shown.context == ContextShown(tokens, window)
