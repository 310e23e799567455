"""Commands as turns make them (000 FR6 to FR11, NFR4; rulings B1 to B5)."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.stories import P1, P2
from turnkeeper.facts.fact import Moment, Position
from turnkeeper.facts.kinds import Origin
from turnkeeper.facts.words import Intent
from turnkeeper.machines.command import CommandState
from turnkeeper.machines.lifecycle import WINDOW, Lifecycle, fold
from turnkeeper.machines.scenes import Act, Command, Doing, Scene

LATE = 1000
"""Positions from here on were heard after everything else."""


def act(doing: Doing, at: int, heard: int | None = None, **more: object) -> Act:
    return Act(Moment(at), Position(heard or at), doing, **more)  # type: ignore[arg-type]


def prompt(at: int, heard: int | None = None, **more: object) -> Act:
    return act(Doing.PROMPT, at, heard, **{"intent": Intent.ANSWER, "prompt": P1, **more})


def command(at: int) -> Act:
    """A prompt that would not answer a question."""
    return prompt(at, intent=Intent.COMMAND, prompt=P2)


def notification(at: int, heard: int | None = None) -> Act:
    return prompt(at, heard, origin=Origin.BACKGROUND, prompt="background")


def says(intent: Intent | None, at: int, heard: int | None = None, **more: object) -> Act:
    return act(Doing.SPEECH, at, heard, intent=intent, **more)


def progress(at: int) -> Act:
    return says(Intent.PROGRESS, at)


def question(at: int, heard: int | None = None) -> Act:
    return says(Intent.QUESTION, at, heard)


def completion(at: int) -> Act:
    return says(Intent.COMPLETION, at)


def end(at: int, heard: int | None = None, of: str = P1) -> Act:
    return act(Doing.END, at, heard, prompt=of)


def played(*acts: Act) -> tuple[Lifecycle, list[Scene]]:
    lifecycle, scenes = Lifecycle(), []
    for each in acts:
        lifecycle, new = fold(lifecycle, each)
        scenes += new
    return lifecycle, scenes


def state_after(*acts: Act) -> CommandState:
    return played(*acts)[0].state


def commands_after(*acts: Act) -> dict[int, Command]:
    """Every command that was opened, as it was last told."""
    return {each.id: each for scene in played(*acts)[1] for each in scene.commands}


# A command's life (FR6, FR7) --------------------------------------------------------------------


def test_a_prompt_opens_a_command() -> None:
    lifecycle, _ = played(prompt(1))

    assert lifecycle.state is CommandState.COMMANDED
    assert [each.id for each in lifecycle.open] == [1]


def test_the_agent_begins_and_the_command_is_processing() -> None:
    assert state_after(prompt(1), progress(2)) is CommandState.PROCESSING


def test_work_without_words_is_a_beginning_too() -> None:
    assert state_after(prompt(1), act(Doing.WORK, 2)) is CommandState.PROCESSING


def test_a_question_awaits_input_and_an_answer_goes_on() -> None:
    assert state_after(prompt(1), question(2)) is CommandState.AWAITING_INPUT
    assert state_after(prompt(1), question(2), prompt(3)) is CommandState.PROCESSING


def test_a_completed_command_is_stamped_and_the_agent_is_idle() -> None:
    story = (prompt(1), progress(2), completion(3))

    assert state_after(*story) is CommandState.IDLE
    assert commands_after(*story)[1].completed_at == 3
    assert commands_after(*story)[1].outcome == "completed"


def test_after_completion_the_next_prompt_is_a_new_command() -> None:
    lifecycle, _ = played(prompt(1), completion(2), prompt(3))

    assert [each.id for each in lifecycle.open] == [3]


def test_an_agent_without_a_command_is_idle() -> None:
    assert Lifecycle().state is CommandState.IDLE


# What is written down (FR8, NFR4) ---------------------------------------------------------------


def test_a_transition_says_which_command_moved_whence_whither_why_and_how_surely() -> None:
    _, scenes = played(prompt(1), says(Intent.QUESTION, 2, confidence=0.8))

    (opened, asked) = [scene.transition for scene in scenes]
    assert opened is not None
    assert asked is not None
    assert (opened.command_id, opened.from_state, opened.to_state) == (1, "idle", "commanded")
    assert (asked.command_id, asked.from_state, asked.to_state) == (
        1,
        "commanded",
        "awaiting_input",
    )
    assert (asked.trigger, asked.confidence, asked.at) == ("turn", 0.8, 2)


def test_the_same_turn_twice_makes_no_second_transition() -> None:
    once, _ = played(prompt(1), question(2))

    again, scenes = fold(once, question(2))

    assert again == once
    assert scenes == []


def test_a_state_that_stays_is_no_transition() -> None:
    _, scenes = played(prompt(1), progress(2), progress(3))

    assert scenes[-1].transition is None
    assert scenes[-1].command_id == 1


def test_rapid_turns_are_each_judged_against_the_state_the_last_one_left() -> None:
    story = (prompt(1), question(1, heard=2), prompt(1, heard=3), completion(4))

    _, scenes = played(*story)

    states = [scene.transition.to_state for scene in scenes if scene.transition]
    assert states == ["commanded", "awaiting_input", "processing", "complete"]


# What is refused (FR10, FR11) -------------------------------------------------------------------


def test_an_agent_that_speaks_unasked_is_refused_and_nothing_changes() -> None:
    lifecycle, scenes = played(completion(1))

    assert lifecycle.state is CommandState.IDLE
    assert scenes[0].refusal is not None
    assert "cannot act when idle" in scenes[0].refusal.reason
    assert scenes[0].transition is None


def test_what_other_signals_tell_as_well_is_refused_in_silence() -> None:
    quiet = (Doing.WORK, Doing.ANSWER, Doing.INTERRUPTION, Doing.FAILURE)

    scenes = [played(act(doing, 1))[1][0] for doing in quiet]

    assert [scene.refusal for scene in scenes] == [None] * 4


def test_words_whose_meaning_is_missing_are_progress() -> None:
    assert state_after(prompt(1), says(None, 2)) is CommandState.PROCESSING


def test_a_command_while_awaiting_input_abandons_the_old_one() -> None:
    story = (prompt(1), question(2), command(3))

    assert commands_after(*story)[1].outcome == "abandoned"
    assert commands_after(*story)[1].completed_at == 3
    assert commands_after(*story)[3].state is CommandState.COMMANDED
    assert [each.id for each in played(*story)[0].open] == [3]


def test_after_a_crash_the_command_stays_as_it_was() -> None:
    lifecycle, _ = played(prompt(1), progress(2), act(Doing.CRASH, 3))

    assert lifecycle.state is CommandState.PROCESSING
    assert lifecycle.open[0].completed_at is None


def test_the_next_prompt_after_a_crash_abandons_what_it_left() -> None:
    story = (prompt(1), progress(2), act(Doing.CRASH, 3), prompt(4))

    assert commands_after(*story)[1].outcome == "abandoned"
    assert [each.id for each in played(*story)[0].open] == [4]


def test_clearing_the_conversation_ends_everything_that_was_open() -> None:
    story = (prompt(1), question(2), notification(3), act(Doing.CLEARANCE, 4))

    assert played(*story)[0].open == ()
    assert {each.outcome for each in commands_after(*story).values()} == {"abandoned"}


# What the seeds did not foresee (rulings B1 to B5) ----------------------------------------------


def test_escape_completes_the_command_as_interrupted() -> None:
    for before in ((), (progress(2),), (question(2),)):
        story = (prompt(1), *before, act(Doing.INTERRUPTION, 3))

        assert state_after(*story) is CommandState.IDLE
        assert commands_after(*story)[1].outcome == "interrupted"


def test_an_api_error_completes_the_command_as_failed() -> None:
    story = (prompt(1), progress(2), act(Doing.FAILURE, 3))

    assert commands_after(*story)[1].outcome == "failed"
    assert commands_after(*story)[1].state is CommandState.COMPLETE


def test_an_interjection_joins_the_command_it_interrupts() -> None:
    lifecycle, scenes = played(prompt(1), progress(2), act(Doing.INTERJECTION, 3))

    assert [each.id for each in lifecycle.open] == [1]
    assert (scenes[-1].command_id, scenes[-1].refusal) == (1, None)


def test_a_prompt_of_the_running_turn_joins_it_too() -> None:
    lifecycle, _ = played(prompt(1), progress(2), prompt(3))

    assert [each.id for each in lifecycle.open] == [1]


def test_a_prompt_of_another_turn_shows_that_the_running_one_ended_unheard() -> None:
    story = (prompt(1), progress(2), prompt(3, prompt=P2))

    assert commands_after(*story)[1].outcome == "abandoned"
    assert [each.id for each in played(*story)[0].open] == [3]


def test_an_agent_that_goes_on_after_a_question_was_answered_unheard() -> None:
    asked = (prompt(1), question(2))

    assert state_after(*asked, progress(3)) is CommandState.PROCESSING
    assert state_after(*asked, question(3)) is CommandState.AWAITING_INPUT
    assert state_after(*asked, completion(3)) is CommandState.IDLE


def test_words_that_turn_out_to_be_the_last_count_when_the_turn_ends() -> None:
    asks = says(None, 2, if_final=Intent.QUESTION)

    assert state_after(prompt(1), asks) is CommandState.PROCESSING
    assert state_after(prompt(1), asks, end(3)) is CommandState.AWAITING_INPUT


def test_a_turn_that_ends_without_a_word_is_probably_done() -> None:
    _, scenes = played(prompt(1), act(Doing.WORK, 2), end(3))

    assert scenes[-1].transition is not None
    assert scenes[-1].transition.to_state is CommandState.COMPLETE
    assert scenes[-1].transition.confidence == 0.5


def test_the_end_of_an_earlier_turn_ends_no_later_one() -> None:
    assert state_after(prompt(1, prompt=P2), end(2, of=P1)) is CommandState.COMMANDED


def test_a_background_turn_leaves_the_question_below_it_open() -> None:
    story = (prompt(1), question(2), notification(3), completion(4))

    lifecycle, _ = played(*story)

    assert lifecycle.state is CommandState.AWAITING_INPUT
    assert [each.id for each in lifecycle.open] == [1]
    assert commands_after(*story)[3].origin is Origin.BACKGROUND


def test_a_background_turn_may_ask_like_any_other() -> None:
    assert state_after(notification(1), question(2)) is CommandState.AWAITING_INPUT


def test_a_notification_while_the_agent_works_joins_the_work() -> None:
    lifecycle, _ = played(prompt(1), progress(2), notification(3))

    assert [each.id for each in lifecycle.open] == [1]


# What is heard late -----------------------------------------------------------------------------


def test_a_late_prompt_is_put_in_its_place_and_what_followed_is_played_again() -> None:
    lifecycle, scenes = played(question(2), prompt(1, heard=LATE))

    assert lifecycle.state is CommandState.AWAITING_INPUT
    recovered, again = (scene.transition for scene in scenes[1:])
    assert recovered is not None
    assert again is not None
    assert (recovered.trigger, again.trigger) == ("recovery", "turn")
    assert again.to_state is CommandState.AWAITING_INPUT


def test_a_late_question_is_a_question_still_unless_it_was_answered() -> None:
    unanswered = (prompt(1), progress(2), question(3, heard=LATE))
    answered = (prompt(1), prompt(4), question(3, heard=LATE))

    assert state_after(*unanswered) is CommandState.AWAITING_INPUT
    assert state_after(*answered) is CommandState.PROCESSING


def test_a_command_that_a_late_prompt_makes_part_of_another_is_withdrawn() -> None:
    story = (prompt(2), prompt(1, heard=LATE))

    assert [each.id for each in played(*story)[0].open] == [LATE]
    assert commands_after(*story)[2].outcome == "withdrawn"


def test_a_completion_that_a_late_act_undoes_is_told_again_as_open() -> None:
    unsaid = act(Doing.WORK, 2)
    story = (prompt(1), end(5), prompt(3, LATE, prompt=P2), unsaid)

    lifecycle, _ = played(*story)

    assert commands_after(*story)[1].outcome == "abandoned"
    assert [each.id for each in lifecycle.open] == [LATE]
    assert commands_after(*story)[LATE].completed_at is None


def test_what_is_older_than_everything_remembered_moves_nothing() -> None:
    now, _ = played(*(prompt(at) for at in range(10, 10 + WINDOW)))

    after, scenes = fold(now, question(1, heard=LATE))

    assert after == now
    assert [(scene.command_id, scene.transition) for scene in scenes] == [(None, None)]


def test_what_is_remembered_does_not_grow() -> None:
    lifecycle, _ = played(*(prompt(at) for at in range(1, 5 * WINDOW)))

    assert len(lifecycle.scenes) == WINDOW


acts = st.lists(
    st.builds(
        Act,
        at=st.integers(1, 30).map(Moment),
        position=st.integers(1, 60).map(Position),
        doing=st.sampled_from(Doing),
        origin=st.sampled_from([Origin.HUMAN, Origin.BACKGROUND]),
        prompt=st.sampled_from(["", P1, P2]),
        intent=st.sampled_from([None, Intent.QUESTION, Intent.COMPLETION, Intent.PROGRESS]),
        if_final=st.sampled_from([None, Intent.QUESTION, Intent.COMPLETION]),
    ),
    max_size=15,
    unique_by=lambda each: each.position,
)


@settings(max_examples=20, deadline=None)
@given(acts)
def test_whatever_the_order_of_hearing_the_order_of_happening_decides(told: list[Act]) -> None:
    in_time = sorted(told, key=lambda each: (each.at, each.position))

    heard, _ = played(*told)
    happened, _ = played(*in_time)

    assert heard.open == happened.open
    assert all(command.state is not CommandState.COMPLETE for command in heard.open)


@settings(max_examples=20, deadline=None)
@given(acts)
def test_the_commands_as_they_were_told_are_the_commands_that_are_open(told: list[Act]) -> None:
    lifecycle, _ = played(*told)

    unfinished = {
        number for number, command in commands_after(*told).items() if command.completed_at is None
    }
    assert unfinished == {command.id for command in lifecycle.open}


@settings(max_examples=20, deadline=None)
@given(acts)
def test_hearing_every_act_twice_changes_nothing(told: list[Act]) -> None:
    assert played(*told, *told) == played(*told)
