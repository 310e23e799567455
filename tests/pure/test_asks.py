"""What waits for a person is one ask, from its first telling to its end, and says why it ended."""

from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given, settings

from tests.pure.stories import (
    CLEARED,
    SECOND,
    agent_of,
    asked_for_approval,
    asked_the_user,
    began,
    changes_of,
    ended_a_call,
    ended_its_turn,
    exited,
    fact,
    folded,
    it_ended,
    it_started,
    its_hook_left,
    line,
    numbered,
    reported,
    showed_its_plan,
    spoke,
    stories,
    the_answer_was_lost,
    was_answered,
    was_notified,
    was_prompted,
    written_down,
)
from turnkeeper.facts.fact import Fact
from turnkeeper.facts.kinds import (
    Activity,
    Cause,
    Decision,
    Ending,
    Outcome,
    Waits,
    What,
)
from turnkeeper.facts.words import Intent
from turnkeeper.machines.session import SessionStatus
from turnkeeper.projections.agent import Agent
from turnkeeper.projections.asks import Ask, AskKind, Closing
from turnkeeper.projections.board import Board

BUSY, IDLE, WAITING = Activity.BUSY, Activity.IDLE, Activity.WAITING
QUESTION = "There are two ways. Which one would you prefer?"
Story = Sequence[What | Fact]


def waiting(*happenings: What | Fact) -> tuple[Ask, ...]:
    """What the one agent of a story waits for at its end."""
    return agent_of(*happenings).asking.open


def told(*happenings: What | Fact) -> list[Ask]:
    """Every ask there ever was, as it was last told."""
    changes = changes_of(*happenings)
    last = {ask.id: ask for each in changes for ask in each.asks}
    return [last[number] for number in sorted(last)]


def only(asks: Sequence[Ask]) -> Ask:
    [ask] = asks
    return ask


# Opening ----------------------------------------------------------------------------------------


def test_a_permission_opens_one_ask() -> None:
    ask = only(waiting(it_started(), was_prompted(), asked_for_approval(offer="offer-1")))

    assert (ask.id, ask.kind, ask.tool) == (3, AskKind.PERMISSION, "Bash")
    assert (ask.offer, ask.words_at) == ("offer-1", 3)
    assert ask.opened_at == 3 * SECOND


AT_ONCE = (
    fact(began(), 3),
    fact(asked_for_approval(offer="offer-1"), 3.06),
    fact(reported(WAITING), 3.08),
)


@pytest.mark.parametrize("order", list(permutations(AT_ONCE)))
@pytest.mark.parametrize("before", [(), (reported(BUSY),)], ids=["no registry yet", "busy"])
def test_hook_and_registry_tell_of_one_permission_whichever_comes_first(
    order: tuple[Fact, ...], before: Story
) -> None:
    ask = only(told(*before, was_prompted(), *order))

    assert (ask.kind, ask.tool, ask.offer) == (AskKind.PERMISSION, "Bash", "offer-1")
    assert ask.outcome is None


@pytest.mark.parametrize("before", [(), (reported(BUSY),)], ids=["no registry yet", "busy"])
@pytest.mark.parametrize("call", [asked_the_user(), showed_its_plan()], ids=["question", "plan"])
def test_a_call_that_asks_and_its_permission_are_one_ask(call: What, before: Story) -> None:
    tool, waits = getattr(call, "tool", ""), getattr(call, "waits", Waits.NOTHING)
    permission = asked_for_approval(tool, offer="offer-1", waits=waits)

    ask = only(told(*before, was_prompted(), call, permission))

    assert ask.id == len(before) + 2
    assert (ask.kind, ask.offer) == (AskKind(waits), "offer-1")
    assert ask.outcome is None


def test_a_permission_heard_before_its_call_is_the_same_ask() -> None:
    permission = asked_for_approval("AskUserQuestion", offer="offer-1", waits=Waits.QUESTION)

    ask = only(told(was_prompted(), fact(permission, 3.06), fact(asked_the_user(), 3)))

    assert (ask.id, ask.offer) == (2, "offer-1")


def test_without_hooks_a_client_that_waits_has_an_unnamed_ask_and_then_a_named_one() -> None:
    first = only(waiting(reported(BUSY), reported(WAITING)))
    named = only(told(reported(BUSY), reported(WAITING), line(began("Write"), 1.5)))

    assert (first.kind, first.tool, first.offer) == (AskKind.PERMISSION, "", "")
    assert (named.id, named.tool, named.offer) == (first.id, "Write", "")


def test_without_hooks_a_call_that_is_known_already_names_the_ask() -> None:
    ask = only(told(reported(BUSY), line(began("Write"), 1.5), reported(WAITING)))

    assert (ask.id, ask.tool, ask.offer) == (2, "Write", "")


def test_of_several_calls_the_client_asks_for_the_oldest_first() -> None:
    calls = (line(began(call="one"), 1.5), line(began(call="two"), 1.6))
    answered = (reported(BUSY), line(ended_a_call("one"), 4.5))

    first = only(waiting(reported(BUSY), *calls, reported(WAITING)))
    second = only(waiting(reported(BUSY), *calls, reported(WAITING), *answered, reported(WAITING)))

    assert (first.id, second.id) == (2, 3)
    assert second.tool == "Bash"


def test_a_guess_that_was_wrong_is_corrected_and_not_withdrawn() -> None:
    calls = (line(began("Read", "one"), 1.5), line(began("Write", "two"), 1.6))

    ask = only(told(reported(BUSY), *calls, reported(WAITING), line(ended_a_call("one"), 3.5)))

    assert (ask.id, ask.tool, ask.outcome) == (2, "Write", None)


def test_a_hook_corrects_a_guess() -> None:
    story = (reported(BUSY), line(began("Read"), 1.5), reported(WAITING))

    ask = only(told(*story, fact(asked_for_approval("Write", offer="offer-1"), 3)))

    assert (ask.tool, ask.offer, ask.outcome) == ("Write", "offer-1", None)


def test_a_client_that_needs_input_asks_a_question() -> None:
    ask = only(waiting(reported(BUSY), reported(WAITING, waiting_for="input needed")))

    assert ask.kind is AskKind.QUESTION


def test_the_users_own_menu_is_no_ask() -> None:
    assert told(reported(IDLE), reported(WAITING, waiting_for="dialog open")) == []


def test_a_reply_that_ends_in_a_question_is_an_ask_in_words() -> None:
    ask = only(waiting(was_prompted(), spoke(QUESTION, final=True), ended_its_turn()))

    assert (ask.id, ask.kind, ask.words_at) == (2, AskKind.WORDS, 2)
    assert ask.confidence is not None


def test_an_error_is_an_ask_with_its_text() -> None:
    failed = ended_its_turn(Ending.FAILED, error="rate_limit: try again at nine")

    ask = only(waiting(was_prompted(), failed))

    assert (ask.kind, ask.text) == (AskKind.ERROR, "rate_limit: try again at nine")


def test_an_error_that_hook_registry_and_transcript_tell_is_one_ask() -> None:
    failed = ended_its_turn(Ending.FAILED, error="overloaded")
    story = (reported(BUSY), was_prompted(), line(failed, 3), fact(failed, 3.1))

    assert only(told(*story, fact(reported(IDLE), 3.2))).outcome is None


# Ending -----------------------------------------------------------------------------------------

ASKED: Story = (
    reported(BUSY),
    was_prompted(),
    began(),
    asked_for_approval(offer="offer-1"),
    reported(WAITING),
)
ASKED_IN_WORDS: Story = (was_prompted(), spoke(QUESTION, final=True), ended_its_turn())
FAILED: Story = (was_prompted(), ended_its_turn(Ending.FAILED, error="overloaded"))
ENDS: dict[str, tuple[Story, Story, Closing]] = {
    "answered here": (ASKED, [was_answered(4)], Closing.ANSWERED),
    "denied here": (ASKED, [was_answered(4, Decision.DENY)], Closing.ANSWERED),
    "the client is busy again": (ASKED, [reported(BUSY)], Closing.TERMINAL),
    "the tool has run": (
        (was_prompted(), asked_for_approval()),
        [ended_a_call()],
        Closing.TERMINAL,
    ),
    "the client rests at once": (ASKED, [reported(IDLE)], Closing.INTERRUPTED),
    "Esc, told by the transcript": (
        (was_prompted(), asked_for_approval()),
        [line(ended_its_turn(Ending.INTERRUPTED), 3)],
        Closing.INTERRUPTED,
    ),
    "Esc in the tool": (
        (was_prompted(), asked_for_approval()),
        [line(ended_a_call(outcome=Outcome.INTERRUPTED), 3)],
        Closing.INTERRUPTED,
    ),
    "the turn failed": (
        (was_prompted(), asked_for_approval()),
        [ended_its_turn(Ending.FAILED, error="overloaded")],
        Closing.MOVED_ON,
    ),
    "the client said goodbye": (ASKED, [it_ended()], Closing.ENDED),
    "the client died": (ASKED, [exited()], Closing.ENDED),
    "cleared": (
        ASKED,
        [it_ended("clear"), fact(it_started(Cause.CLEAR), 7, session=CLEARED)],
        Closing.CLEARED,
    ),
    "words, answered": (ASKED_IN_WORDS, [was_prompted("the first one")], Closing.TERMINAL),
    "words, dismissed": (ASKED_IN_WORDS, [was_answered(2, Decision.DISMISS)], Closing.DISMISSED),
    "words, and a task reports": (
        ASKED_IN_WORDS,
        [was_notified()],
        Closing.MOVED_ON,
    ),
    "words, and the client died": (ASKED_IN_WORDS, [reported(IDLE), exited()], Closing.ENDED),
    "an error, dismissed": (FAILED, [was_answered(2, Decision.DISMISS)], Closing.DISMISSED),
    "an error, tried again": (FAILED, [was_prompted("again", "prompt-2")], Closing.MOVED_ON),
}


@pytest.mark.parametrize(("story", "end", "outcome"), list(ENDS.values()), ids=list(ENDS))
def test_an_ask_says_why_it_ended(story: Story, end: Story, outcome: Closing) -> None:
    first = only(told(*story))

    closed = next(ask for ask in told(*story, *end) if ask.id == first.id)

    assert first.outcome is None
    assert closed.outcome is outcome
    assert closed.closed_at >= first.opened_at


def test_an_answer_is_kept_with_who_gave_it_and_when() -> None:
    ask = only(told(*ASKED, was_answered(4, Decision.DENY, by="ada")))

    assert ask.answer is not None
    assert (ask.answer.decision, ask.answer.by) == (Decision.DENY, "ada")
    assert ask.answer.at == ask.closed_at == 6 * SECOND


def test_a_second_answer_changes_nothing() -> None:
    once = told(*ASKED, was_answered(4))

    assert told(*ASKED, was_answered(4), was_answered(4, Decision.DENY)) == once


def test_an_answer_to_an_ask_that_is_not_there_changes_nothing() -> None:
    assert told(*ASKED, was_answered(99)) == told(*ASKED)


# What is settled stays settled ------------------------------------------------------------------

QUESTION_ASKED: Story = (
    reported(BUSY),
    was_prompted(),
    asked_the_user(),
    asked_for_approval("AskUserQuestion", offer="offer-1", waits=Waits.QUESTION),
    reported(WAITING, waiting_for="input needed"),
)
SETTLED: dict[str, tuple[Story, Story]] = {
    "a permission answered here": (ASKED, [was_answered(4)]),
    "a permission answered here, without a registry": (
        (was_prompted(), began(), asked_for_approval(offer="offer-1")),
        [was_answered(3)],
    ),
    "a permission answered before the client says that it waits": (
        ASKED[:-1],
        [was_answered(4), fact(reported(WAITING), 5.05)],
    ),
    "a question answered here": (QUESTION_ASKED, [was_answered(3, Decision.ANSWER)]),
    "a question answered here before its call is heard of": (
        (
            reported(BUSY),
            fact(was_prompted(), 2),
            fact(asked_for_approval("AskUserQuestion", waits=Waits.QUESTION), 3.06),
        ),
        [was_answered(3, Decision.ANSWER), fact(asked_the_user(), 3)],
    ),
    "a permission answered in the terminal": (ASKED, [reported(BUSY)]),
    "a question answered in the terminal": (QUESTION_ASKED, [reported(BUSY)]),
}


@pytest.mark.parametrize(("story", "end"), list(SETTLED.values()), ids=list(SETTLED))
def test_a_settled_ask_does_not_come_back_while_its_tool_runs_on(story: Story, end: Story) -> None:
    meanwhile = (
        fact(spoke("Working on it."), 20),
        fact(began("Read", "call-2"), 21),
        fact(ended_a_call("call-2", "Read"), 22),
    )

    assert only(told(*story, *end, *meanwhile)).outcome is not None


def test_a_question_in_words_waits_again_once_a_task_that_came_between_is_done() -> None:
    task = (was_notified(), spoke("The task is done.", final=True, prompt="prompt-2"))

    ask = only(waiting(*ASKED_IN_WORDS, *task))

    assert (ask.id, ask.kind, ask.outcome) == (2, AskKind.WORDS, None)


def test_the_next_permission_is_a_new_ask_while_the_first_tool_runs_on() -> None:
    story = (*ASKED, reported(BUSY), fact(asked_for_approval("Write", offer="offer-2"), 7))

    ask = only(waiting(*story, reported(WAITING)))

    assert (ask.id, ask.tool, ask.offer) == (7, "Write", "offer-2")


def test_a_client_that_waits_again_after_an_answer_has_an_ask_again() -> None:
    story = (*ASKED, was_answered(4), reported(BUSY), fact(ended_a_call(), 7.5))

    assert only(waiting(*story, fact(reported(WAITING), 20))).offer == ""


# Several at once --------------------------------------------------------------------------------


def of_helper(what: What, at: float, name: str) -> Fact:
    return fact(what, at, thread=name)


TWO: Story = (
    reported(BUSY),
    of_helper(asked_for_approval(offer="offer-1"), 3, "helper-1"),
    of_helper(asked_for_approval(offer="offer-2"), 4, "helper-2"),
    reported(WAITING),
)


def test_the_permissions_of_two_helpers_are_two_asks() -> None:
    assert [(ask.id, ask.offer) for ask in waiting(*TWO)] == [(2, "offer-1"), (3, "offer-2")]


def test_answering_one_of_two_leaves_the_other() -> None:
    assert [ask.id for ask in waiting(*TWO, was_answered(3))] == [2]


def test_the_end_of_one_helpers_tool_withdraws_that_helpers_ask() -> None:
    end = of_helper(ended_a_call("call-2"), 5, "helper-2")

    assert [ask.id for ask in waiting(*TWO, end)] == [2]


def test_the_end_of_a_helpers_tool_counts_also_where_its_transcript_tells_it_first() -> None:
    written = line(ended_a_call("call-2", tool=""), 5, thread="helper-2")
    end = of_helper(ended_a_call("call-2"), 5.1, "helper-2")

    assert [ask.id for ask in waiting(*TWO, written, end)] == [2]


def test_a_helpers_tool_answers_no_permission_of_the_conversation_itself() -> None:
    story = (was_prompted(), asked_for_approval(offer="offer-1"))

    end = of_helper(ended_a_call("call-9"), 3, "helper-1")

    assert only(waiting(*story, end)).offer == "offer-1"


# The hook that waits ----------------------------------------------------------------------------


def test_once_its_hook_is_gone_only_the_terminal_can_answer() -> None:
    ask = only(waiting(*ASKED, its_hook_left("offer-1")))

    assert (ask.id, ask.offer) == (4, "")


@pytest.mark.parametrize(
    ("story", "number"),
    [
        (ASKED, 4),
        (QUESTION_ASKED, 3),
        ((reported(BUSY), reported(WAITING), fact(asked_for_approval(offer="offer-1"), 2.1)), 2),
    ],
    ids=["permission", "question", "the registry was first"],
)
def test_an_answer_that_was_lost_opens_the_ask_again_for_the_terminal(
    story: Story, number: int
) -> None:
    lost = (was_answered(number), the_answer_was_lost(number, "offer-1"))

    ask = only(told(*story, *lost))

    assert (ask.id, ask.offer, ask.outcome, ask.answer) == (number, "", None, None)


def test_an_ask_that_was_opened_again_ends_like_any_other() -> None:
    lost = (was_answered(4), the_answer_was_lost(4, "offer-1"), reported(BUSY))

    assert only(told(*ASKED, *lost)).outcome is Closing.TERMINAL


def test_an_answer_that_was_heeded_after_all_is_not_lost() -> None:
    heeded = (was_answered(4), reported(BUSY), the_answer_was_lost(4, "offer-1"))

    ask = only(told(*ASKED, *heeded))

    assert ask.outcome is Closing.ANSWERED
    assert ask.answer is not None


def test_a_hook_that_comes_too_late_is_told_so() -> None:
    story = (reported(BUSY), reported(WAITING), reported(BUSY))

    late = told(*story, fact(asked_for_approval(offer="offer-1"), 2.5))[-1]

    assert (late.offer, late.outcome) == ("offer-1", Closing.TERMINAL)


# Not a question ---------------------------------------------------------------------------------

NOT_A_QUESTION = was_answered(2, Decision.DISMISS)


def meaning(*happenings: What | Fact) -> Intent | None:
    """What the agent's words at position 2 mean in the end."""
    scenes = [scene for each in changes_of(*happenings) for scene in each.scenes]
    return [scene.intent for scene in scenes if scene.act.position == 2][-1]


def test_not_a_question_completes_the_command() -> None:
    agent = agent_of(*ASKED_IN_WORDS, NOT_A_QUESTION)

    assert agent.standing is SessionStatus.IDLE
    assert agent.command is None
    assert agent.asking.open == ()
    assert meaning(*ASKED_IN_WORDS, NOT_A_QUESTION) is Intent.COMPLETION


@pytest.mark.parametrize("final", [True, None], ids=["final", "nobody can say"])
def test_not_a_question_stays_so_when_the_transcript_tells_the_same_words(
    final: bool | None,
) -> None:
    story = (was_prompted(), spoke(QUESTION, final=True), ended_its_turn(), NOT_A_QUESTION)
    written = (
        line(spoke(QUESTION, final=final, entry="u1"), 2.01),
        line(ended_its_turn(Ending.CLOSED), 3.01),
    )

    agent = agent_of(*story, *written)

    assert agent.standing is SessionStatus.IDLE
    assert only(told(*story, *written)).outcome is Closing.DISMISSED
    assert meaning(*story, *written) is Intent.COMPLETION


def test_not_a_question_where_only_the_turns_end_made_it_one() -> None:
    words = line(spoke(QUESTION, final=None, entry="u1"), 2)
    story = (line(was_prompted(), 1), words, line(ended_its_turn(Ending.CLOSED), 3))

    agent = agent_of(*story, NOT_A_QUESTION)

    assert only(waiting(*story)).kind is AskKind.WORDS
    assert agent.standing is SessionStatus.IDLE
    assert agent.asking.open == ()


def test_the_next_question_is_an_ask_of_its_own() -> None:
    again = (was_prompted("go on", "prompt-2"), spoke(QUESTION, final=True, prompt="prompt-2"))

    ask = only(waiting(*ASKED_IN_WORDS, NOT_A_QUESTION, *again))

    assert (ask.id, ask.kind) == (6, AskKind.WORDS)


def test_a_dismissed_error_does_not_come_back_until_the_next_one() -> None:
    dismissed = (*FAILED, was_answered(2, Decision.DISMISS))
    again = (was_prompted("again", "prompt-2"), ended_its_turn(Ending.FAILED, "prompt-2", "down"))

    assert waiting(*dismissed, fact(reported(IDLE), 2.5)) == ()
    assert only(waiting(*dismissed, *again)).text == "down"


# Laws -------------------------------------------------------------------------------------------


def boards(facts: list[Fact]) -> list[Board]:
    """The board as it stands after each fact."""
    board, stood = Board(), []
    for recorded in numbered(facts):
        board.take(recorded)
        still = Board(board.directory)
        still.agents = dict(board.agents)
        stood.append(still)
    return stood


def every_agent(facts: list[Fact]) -> list[Agent]:
    return [agent for board in boards(facts) for agent in board.agents.values()]


@settings(max_examples=40, deadline=None)
@given(stories)
def test_no_fact_tells_of_two_open_asks(facts: list[Fact]) -> None:
    for agent in every_agent(facts):
        positions = [position for ask in agent.asking.open for position in ask.told]
        assert len(positions) == len(set(positions))
        assert all(ask.outcome is None for ask in agent.asking.open)


@settings(max_examples=40, deadline=None)
@given(stories)
def test_who_waits_for_approval_has_an_ask_and_who_is_gone_has_none(facts: list[Fact]) -> None:
    """An answer is heeded a moment later: until then the client says that it waits."""
    for agent in every_agent(facts):
        if agent.standing is SessionStatus.AWAITING_APPROVAL:
            assert agent.asking.open or agent.asking.answered
        if agent.standing is SessionStatus.CLOSED:
            assert agent.asking.open == agent.asking.answered == ()


@settings(max_examples=40, deadline=None)
@given(stories)
def test_the_queue_is_in_order_and_of_the_session_at_hand(facts: list[Fact]) -> None:
    for agent in every_agent(facts):
        asks = agent.asking.open
        assert list(asks) == sorted(asks, key=lambda ask: (ask.opened_at, ask.id))
        assert {ask.session for ask in asks} <= {agent.session}


@settings(max_examples=40, deadline=None)
@given(stories)
def test_what_the_facts_tell_of_asks_adds_up_to_the_queue(facts: list[Fact]) -> None:
    """Whoever follows the changes knows what is open, and nothing is closed twice."""
    board, last = Board(), dict[int, Ask]()
    for recorded in numbered(facts):
        found = board.take(recorded)
        for ask in found.changes.asks if found else []:
            last[ask.id] = ask
    open_asks = {ask.id: ask for agent in board.agents.values() for ask in agent.asking.open}

    assert {number: ask for number, ask in last.items() if ask.outcome is None} == open_asks


@settings(max_examples=20, deadline=None)
@given(stories)
def test_hearing_every_fact_twice_changes_no_ask(facts: list[Fact]) -> None:
    stuttered = [each for one in facts for each in (one, one)]

    assert written_down(folded(*stuttered)[0]) == written_down(folded(*facts)[0])
