"""A machine is a table, and a table that cannot be a machine is refused when it is made."""

from collections.abc import Mapping
from enum import StrEnum
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.machines import command, project, seat, session
from turnkeeper.machines.kernel import (
    STAYS,
    E,
    Line,
    Machine,
    Rejected,
    Row,
    S,
    Step,
    TableFlawed,
    spread,
)


class Door(StrEnum):
    OPEN = "open"
    SHUT = "shut"
    BRICKED_UP = "bricked_up"


class Hand(StrEnum):
    PUSH = "push"
    PULL = "pull"
    WALL_IN = "wall_in"


class Window(StrEnum):
    OPEN = "open"


# fmt: off
SOUND: tuple[Line[Door, Hand], ...] = (
    ((Door.OPEN,), Hand.PUSH,    Door.SHUT,       "it falls shut"),
    ((Door.OPEN,), Hand.PULL,    STAYS,           "it is open as it is"),
    ((Door.SHUT,), Hand.PULL,    Door.OPEN,       "it opens"),
    ((Door.SHUT,), Hand.WALL_IN, Door.BRICKED_UP, "nobody needs it"),
)
# fmt: on


def door(
    *more: Row[Door, Hand],
    without: tuple[Hand, ...] = (),
    final: frozenset[Door] = frozenset({Door.BRICKED_UP}),
    refusals: Mapping[tuple[Door, Hand], str] | None = None,
) -> Machine[Door, Hand]:
    rows = [row for row in spread(SOUND) if row.event not in without]
    return Machine(
        "door",
        states=Door,
        events=Hand,
        initial=Door.OPEN,
        rows=[*rows, *more],
        final=final,
        refusals=refusals,
    )


def flaws_of(*more: Row[Door, Hand], without: tuple[Hand, ...] = ()) -> tuple[str, ...]:
    with pytest.raises(TableFlawed) as caught:
        door(*more, without=without)
    return caught.value.flaws


def test_a_row_gives_a_step() -> None:
    assert door().advance(Door.OPEN, Hand.PUSH) == Step(Door.OPEN, Hand.PUSH, Door.SHUT, False)


def test_a_row_may_stay_where_it_is() -> None:
    assert door().advance(Door.OPEN, Hand.PULL) == Step(Door.OPEN, Hand.PULL, Door.OPEN, False)


def test_a_step_says_that_its_row_is_an_extension() -> None:
    kicked = door(Row(Door.SHUT, Hand.PUSH, Door.OPEN, "it was kicked in", extension=True))

    assert kicked.advance(Door.SHUT, Hand.PUSH) == Step(Door.SHUT, Hand.PUSH, Door.OPEN, True)


def test_a_pair_without_a_row_is_rejected_with_what_is_possible() -> None:
    answer = door().advance(Door.SHUT, Hand.PUSH)

    assert answer == Rejected(
        Door.SHUT, Hand.PUSH, "The door is shut: not the time for 'push'. Possible: pull, wall in"
    )


def test_where_nothing_is_possible_the_sentence_says_so() -> None:
    answer = door().advance(Door.BRICKED_UP, Hand.PULL)

    assert isinstance(answer, Rejected)
    assert answer.reason == "The door is bricked up: not the time for 'pull'. Possible: nothing"


def test_a_machine_may_say_it_in_its_own_words() -> None:
    stuck = door(refusals={(Door.BRICKED_UP, Hand.PULL): "There is no door any more"})

    answer = stuck.advance(Door.BRICKED_UP, Hand.PULL)

    assert answer == Rejected(Door.BRICKED_UP, Hand.PULL, "There is no door any more")


def test_a_sentence_nobody_would_read_is_a_flaw() -> None:
    with pytest.raises(TableFlawed, match=r"refusal for open \+ push, which the table allows"):
        door(refusals={(Door.OPEN, Hand.PUSH): "Never said"})


def test_two_rows_for_one_pair_are_a_flaw() -> None:
    again = Row(Door.OPEN, Hand.PUSH, Door.OPEN, "it swings back")

    assert flaws_of(again) == ("2 rows for open + push",)


def test_an_unknown_state_is_a_flaw_even_if_it_is_spelt_alike() -> None:
    stranger = Row(Door.SHUT, Hand.PUSH, Window.OPEN, "it is no door")

    with pytest.raises(TableFlawed, match=r"unknown state <Window\.OPEN: 'open'>"):
        Machine(
            "door",
            states=Door,
            events=Hand,
            initial=Door.OPEN,
            rows=[*spread(SOUND), stranger],
            final=frozenset({Door.BRICKED_UP}),
        )


def test_an_unknown_event_is_a_flaw() -> None:
    stranger = Row(Door.SHUT, Window.OPEN, Door.OPEN, "it is no hand")

    with pytest.raises(TableFlawed, match="unknown event"):
        Machine(
            "door",
            states=Door,
            events=Hand,
            initial=Door.OPEN,
            rows=[*spread(SOUND), stranger],
            final=frozenset({Door.BRICKED_UP}),
        )


def test_a_state_that_cannot_be_reached_is_a_flaw() -> None:
    assert "bricked_up cannot be reached from open" in flaws_of(without=(Hand.WALL_IN,))


def test_an_event_without_a_row_is_a_flaw() -> None:
    assert "no row for the event wall_in" in flaws_of(without=(Hand.WALL_IN,))


def test_a_state_without_exit_is_a_flaw_unless_it_is_final() -> None:
    with pytest.raises(TableFlawed, match="no exit from bricked_up"):
        door(final=frozenset())


def test_staying_is_no_exit() -> None:
    still = Row(Door.BRICKED_UP, Hand.PULL, Door.BRICKED_UP, "it does not move")

    with pytest.raises(TableFlawed, match="no exit from bricked_up"):
        door(still, final=frozenset())


def test_an_exit_from_a_final_state_is_a_flaw() -> None:
    reopened = Row(Door.BRICKED_UP, Hand.PULL, Door.OPEN, "a miracle")

    assert flaws_of(reopened) == ("an exit from bricked_up, which is final",)


def test_a_flawed_table_is_a_value_error_that_names_its_machine() -> None:
    with pytest.raises(ValueError, match="The door table is flawed: no exit from bricked_up"):
        door(final=frozenset())


every_machine = pytest.mark.parametrize(
    "machine",
    [command.MACHINE, session.MACHINE, project.MACHINE, seat.MACHINE],
    ids=lambda machine: machine.name,
)


@every_machine
def test_every_pair_has_an_answer_that_is_about_this_pair(machine: Machine[S, E]) -> None:
    for state, event in product(machine.states, machine.events):
        answer = machine.advance(state, event)
        about = answer.state if isinstance(answer, Rejected) else answer.before
        assert (about, answer.event) == (state, event)


@every_machine
def test_the_same_pair_always_gets_the_same_answer(machine: Machine[S, E]) -> None:
    for state, event in product(machine.states, machine.events):
        assert machine.advance(state, event) is machine.advance(state, event)


@every_machine
def test_every_refusal_is_a_sentence(machine: Machine[S, E]) -> None:
    answers = [machine.advance(*pair) for pair in product(machine.states, machine.events)]
    reasons = [answer.reason for answer in answers if isinstance(answer, Rejected)]

    assert reasons
    assert all(reason[0].isupper() and " " in reason and "_" not in reason for reason in reasons)


@every_machine
def test_every_row_says_why(machine: Machine[S, E]) -> None:
    assert all(row.why for row in machine.rows)


@every_machine
@settings(max_examples=25)
@given(data=st.data())
def test_any_sequence_of_events_ends_in_a_valid_state(
    machine: Machine[S, E], data: st.DataObject
) -> None:
    state = machine.initial
    for event in data.draw(st.lists(st.sampled_from(machine.events), max_size=30)):
        answer = machine.advance(state, event)
        state = state if isinstance(answer, Rejected) else answer.after
        assert state in machine.states
