"""The command machine against the text of seed 000, FR3, and its marked extensions."""

import pytest

from turnkeeper.facts.words import Actor, Intent
from turnkeeper.machines.command import (
    MACHINE,
    CommandEvent,
    CommandState,
    advance,
    event_for,
)
from turnkeeper.machines.kernel import Rejected, Step

# Copied from the seed. The last row, "complete | - | - | (task ends)", is `command_ended`.
FR3 = """
| idle | user | command | commanded | Yes |
| idle | user | answer | - | No (no question pending) |
| idle | agent | * | - | No (agent cannot act when idle) |
| commanded | agent | progress | processing | Yes |
| commanded | agent | question | awaiting_input | Yes |
| commanded | agent | completion | complete | Yes |
| commanded | user | * | - | No (waiting for agent) |
| processing | agent | progress | processing | Yes |
| processing | agent | question | awaiting_input | Yes |
| processing | agent | completion | complete | Yes |
| processing | user | * | - | No (agent is working) |
| awaiting_input | user | answer | processing | Yes |
| awaiting_input | user | command | commanded | Yes (new task) |
| awaiting_input | agent | * | - | No (waiting for user) |
"""

BY = {"user": ("command", "answer"), "agent": ("question", "progress", "completion")}


def fr3() -> list[tuple[str, str, str, str, str]]:
    """The seed's rows, with `*` written out."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in FR3.split("\n") if line
    ]
    return [
        (state, actor, each, becomes, valid)
        for state, actor, intent, becomes, valid in rows
        for each in (BY[actor] if intent == "*" else (intent,))
    ]


def said(
    state: str, actor: str, intent: str
) -> Step[CommandState, CommandEvent] | Rejected[CommandState, CommandEvent]:
    event = event_for(Actor(actor), Intent(intent))
    assert event is not None
    return advance(CommandState(state), event)


VALID = [row[:4] for row in fr3() if row[4].startswith("Yes")]
INVALID = [(*row[:3], row[4]) for row in fr3() if row[4].startswith("No")]
WIDENED = "No (waiting for user)"


@pytest.mark.parametrize(("state", "actor", "intent", "becomes"), VALID)
def test_what_the_seed_allows_leads_where_it_says(
    state: str, actor: str, intent: str, becomes: str
) -> None:
    answer = said(state, actor, intent)

    assert isinstance(answer, Step)
    assert (answer.after, answer.extension) == (CommandState(becomes), False)


@pytest.mark.parametrize(
    ("state", "actor", "intent", "valid"), [row for row in INVALID if row[3] != WIDENED]
)
def test_what_the_seed_refuses_is_refused_in_its_words(
    state: str, actor: str, intent: str, valid: str
) -> None:
    answer = said(state, actor, intent)

    assert isinstance(answer, Rejected)
    assert valid.removeprefix("No (").removesuffix(")") in answer.reason


@pytest.mark.parametrize(
    ("intent", "becomes"),
    [("question", "awaiting_input"), ("progress", "processing"), ("completion", "complete")],
)
def test_an_agent_that_speaks_while_awaited_is_understood_as_an_extension(
    intent: str, becomes: str
) -> None:
    answer = said("awaiting_input", "agent", intent)

    assert isinstance(answer, Step)
    assert (answer.after, answer.extension) == (CommandState(becomes), True)


def test_a_complete_command_ends_and_the_agent_is_idle_again() -> None:
    answer = advance(CommandState.COMPLETE, CommandEvent.COMMAND_ENDED)

    assert isinstance(answer, Step)
    assert (answer.after, answer.extension) == (CommandState.IDLE, False)


@pytest.mark.parametrize("event", [CommandEvent.INTERRUPTED, CommandEvent.TURN_FAILED])
@pytest.mark.parametrize("state", ["commanded", "processing", "awaiting_input"])
def test_a_turn_cut_short_completes_the_command(state: str, event: CommandEvent) -> None:
    answer = advance(CommandState(state), event)

    assert isinstance(answer, Step)
    assert (answer.after, answer.extension) == (CommandState.COMPLETE, True)


@pytest.mark.parametrize("state", [CommandState.COMMANDED, CommandState.PROCESSING])
def test_an_interjection_joins_the_running_command(state: CommandState) -> None:
    answer = advance(state, CommandEvent.INTERJECTION)

    assert answer == Step(state, CommandEvent.INTERJECTION, state, True)


def test_an_answer_while_idle_is_refused_with_a_sentence() -> None:
    answer = advance(CommandState.IDLE, CommandEvent.USER_ANSWER)

    assert isinstance(answer, Rejected)
    assert answer.reason == "An answer is not possible while idle: no question pending"


def test_beyond_the_seed_there_is_nothing_but_the_extensions() -> None:
    seed = {(row.source, row.event, row.target) for row in MACHINE.rows if not row.extension}
    turns = {(s, event_for(Actor(a), Intent(i)), to) for s, a, i, to in VALID}

    assert seed == {*turns, ("complete", "command_ended", "idle")}
    assert sum(row.extension for row in MACHINE.rows) == 3 + 6 + 2


def test_the_five_states_are_the_seeds() -> None:
    assert list(CommandState) == ["idle", "commanded", "processing", "awaiting_input", "complete"]


def test_nobody_says_what_only_the_other_can_say() -> None:
    nonsense = [
        (actor, intent)
        for actor in Actor
        for intent in Intent
        if intent not in BY[actor] and event_for(actor, intent) is not None
    ]

    assert nonsense == []
