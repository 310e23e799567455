"""What decides a session's status, and whom it believes (rulings A1 to A7)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.stories import (
    P1,
    P2,
    PID,
    SECOND,
    SESSION,
    agent_of,
    asked_for_approval,
    asked_the_user,
    began,
    ended_a_call,
    ended_its_turn,
    exited,
    fact,
    in_order,
    it_ended,
    it_started,
    line,
    numbered,
    of_one_session,
    reported,
    showed_its_plan,
    spoke,
    was_interjected,
    was_notified,
    was_prompted,
)
from turnkeeper.facts.fact import Fact, Source
from turnkeeper.facts.kinds import (
    Activity,
    Cause,
    ClientUnlisted,
    Ending,
    LinePassed,
    Notified,
    Outcome,
    PermissionAsked,
    StalenessFound,
    TurnEnded,
    What,
)
from turnkeeper.machines.evidence import Evidence
from turnkeeper.machines.observing import REMEMBERED, observe
from turnkeeper.machines.session import SessionEvent, SessionStatus
from turnkeeper.machines.standing import Judgement, judge, standing

BUSY, IDLE, SHELL = Activity.BUSY, Activity.IDLE, Activity.SHELL
WAITING, UNSAID = Activity.WAITING, Activity.UNSAID


def seen(*happenings: What | Fact) -> Evidence:
    evidence = Evidence()
    for each in numbered(in_order(*happenings)):
        evidence = observe(evidence, each)
    return evidence


def judged(*happenings: What | Fact) -> SessionEvent | None:
    judgement = judge(seen(*happenings))
    return None if judgement is None else judgement.event


def status_of(*happenings: What | Fact) -> SessionStatus:
    return agent_of(*happenings).status


# The registry decides the class, never the kind (A1) --------------------------------------------


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (BUSY, SessionStatus.RUNNING),
        (IDLE, SessionStatus.IDLE),
        (SHELL, SessionStatus.IDLE),
        (WAITING, SessionStatus.AWAITING_APPROVAL),
    ],
)
def test_the_client_knows_its_class_best(said: Activity, status: SessionStatus) -> None:
    assert status_of(was_prompted(), reported(said)) is status


def test_a_shell_is_idle_with_work_in_the_background() -> None:
    assert seen(reported(SHELL)).background
    assert not seen(reported(SHELL), reported(IDLE)).background


def test_a_client_without_an_opinion_leaves_it_to_the_hooks() -> None:
    assert status_of(was_prompted(), reported(UNSAID)) is SessionStatus.RUNNING


def test_a_report_without_status_leaves_the_older_opinion_of_that_process_in_force() -> None:
    assert status_of(reported(IDLE), reported(UNSAID)) is SessionStatus.IDLE


def test_at_rest_the_end_of_the_turn_decides_between_idle_and_error() -> None:
    failed = ended_its_turn(Ending.FAILED, error="overloaded")

    assert status_of(was_prompted(), failed, reported(IDLE)) is SessionStatus.ERROR
    assert status_of(was_prompted(), reported(IDLE), failed) is SessionStatus.ERROR


def test_the_next_prompt_leaves_an_error_behind() -> None:
    failed = (was_prompted(), ended_its_turn(Ending.FAILED), reported(IDLE))

    assert status_of(*failed, was_prompted(prompt=P2), reported(IDLE)) is SessionStatus.IDLE


def test_waiting_with_a_question_open_awaits_input() -> None:
    asked = (was_prompted(), asked_the_user(), reported(WAITING, waiting_for="permission prompt"))

    assert status_of(*asked) is SessionStatus.AWAITING_INPUT


@pytest.mark.parametrize("opened", [showed_its_plan(), began(), asked_for_approval()])
def test_waiting_with_anything_else_open_awaits_approval(opened: What) -> None:
    assert status_of(was_prompted(), opened, reported(WAITING)) is SessionStatus.AWAITING_APPROVAL


def test_the_clients_own_word_counts_where_no_tool_is_known() -> None:
    waiting = reported(WAITING, waiting_for="input needed")

    assert status_of(was_prompted(), waiting) is SessionStatus.AWAITING_INPUT


def test_the_users_own_menu_changes_nothing() -> None:
    menu = reported(WAITING, waiting_for="dialog open")

    assert status_of(reported(IDLE), menu) is SessionStatus.IDLE
    assert status_of(reported(BUSY), menu) is SessionStatus.RUNNING


def test_the_users_own_menu_changes_nothing_either_when_it_is_the_first_we_hear() -> None:
    menu = reported(WAITING, waiting_for="dialog open")

    assert status_of(it_started(), menu) is SessionStatus.IDLE
    assert judged(menu) is None


def test_a_vanished_registry_file_closes_nothing() -> None:
    assert status_of(reported(IDLE), ClientUnlisted(PID)) is SessionStatus.IDLE


def test_a_vanished_file_and_a_gone_process_close_the_session() -> None:
    gone = (reported(IDLE), ClientUnlisted(PID), exited())

    assert status_of(*gone) is SessionStatus.CLOSED


def test_a_turn_the_client_wrote_the_end_of_is_over_before_its_registry_says_so() -> None:
    busy = (was_prompted(), reported(BUSY))

    assert status_of(*busy, line(TurnEnded(Ending.CLOSED, P1), 3)) is SessionStatus.IDLE
    assert status_of(*busy, line(TurnEnded(Ending.DONE, P1), 3)) is SessionStatus.RUNNING


# The end of the process first ---------------------------------------------------------------------


def test_a_process_that_is_gone_closes_whatever_the_registry_said_last() -> None:
    assert status_of(was_prompted(), reported(BUSY), exited()) is SessionStatus.CLOSED


def test_a_goodbye_closes_too() -> None:
    assert status_of(it_started(), it_ended()) is SessionStatus.CLOSED


def test_a_late_word_of_a_gone_process_revives_nothing() -> None:
    gone = (reported(IDLE), exited())

    assert status_of(*gone, fact(reported(BUSY), 1.5)) is SessionStatus.CLOSED
    assert status_of(*gone, fact(began(), 1.5)) is SessionStatus.CLOSED
    assert status_of(*gone, began()) is SessionStatus.CLOSED


def test_a_new_process_takes_a_closed_session_up_again() -> None:
    gone = (reported(IDLE), exited())

    resumed = status_of(*gone, it_started(Cause.RESUME))
    reported_anew = status_of(*gone, reported(BUSY, PID + 1, "900000"))

    assert resumed is SessionStatus.IDLE
    assert reported_anew is SessionStatus.RUNNING


def test_a_living_process_is_believed_however_old_its_word_and_new_the_others_exit() -> None:
    restarted = (fact(exited(), 50), fact(reported(IDLE, PID + 1, "900000"), 2))

    assert status_of(it_started(), *restarted) is SessionStatus.IDLE


def test_of_two_processes_on_one_session_one_may_go() -> None:
    twice = (reported(IDLE), reported(IDLE, PID + 1, "900000"))

    assert status_of(*twice, exited()) is SessionStatus.IDLE
    assert status_of(*twice, it_ended()) is SessionStatus.IDLE
    assert status_of(*twice, it_ended(), exited()) is SessionStatus.IDLE
    assert status_of(*twice, exited(), exited(PID + 1, "900000")) is SessionStatus.CLOSED


def test_a_pid_that_was_given_to_another_process_is_another_process() -> None:
    assert status_of(reported(BUSY, started="900000"), exited()) is SessionStatus.RUNNING


def test_an_exit_without_a_start_time_ends_whichever_process_had_the_pid() -> None:
    assert status_of(reported(BUSY), exited(started="")) is SessionStatus.CLOSED


# Without a registry -----------------------------------------------------------------------------


def test_a_prompt_runs_and_a_stop_rests() -> None:
    assert status_of(it_started(), was_prompted()) is SessionStatus.RUNNING
    assert status_of(was_prompted(), ended_its_turn()) is SessionStatus.IDLE


def test_an_interactive_client_starts_at_its_prompt() -> None:
    assert status_of(it_started()) is SessionStatus.IDLE


def test_compaction_changes_nothing() -> None:
    compacted = it_started(Cause.COMPACT)

    assert status_of(was_prompted(), compacted) is SessionStatus.RUNNING
    assert status_of(was_prompted(), ended_its_turn(), compacted) is SessionStatus.IDLE


def test_an_idle_notification_is_a_stop_that_we_missed() -> None:
    assert status_of(was_prompted(), Notified("idle_prompt")) is SessionStatus.IDLE
    assert status_of(was_prompted(), Notified("permission_prompt")) is SessionStatus.RUNNING


def test_escape_rests() -> None:
    interrupted = ended_a_call(outcome=Outcome.INTERRUPTED)

    assert status_of(was_prompted(), began(), interrupted) is SessionStatus.IDLE
    assert status_of(was_prompted(), ended_its_turn(Ending.INTERRUPTED)) is SessionStatus.IDLE


def test_a_permission_is_pending_until_a_call_of_that_tool_ends() -> None:
    asked = (was_prompted(), began(), asked_for_approval())

    assert status_of(*asked) is SessionStatus.AWAITING_APPROVAL
    assert status_of(*asked, ended_a_call("other", "Read")) is SessionStatus.AWAITING_APPROVAL
    assert status_of(*asked, ended_a_call()) is SessionStatus.RUNNING


def test_of_two_permissions_each_needs_its_own_answer() -> None:
    both = (began(call="one"), began(call="two"), asked_for_approval(), asked_for_approval())

    assert status_of(*both, ended_a_call("one")) is SessionStatus.AWAITING_APPROVAL
    assert status_of(*both, ended_a_call("one"), ended_a_call("two")) is SessionStatus.RUNNING


def test_the_end_of_one_call_told_twice_answers_one_permission() -> None:
    both = (began(call="one"), began(call="two"), asked_for_approval(), asked_for_approval())
    twice = (ended_a_call("one"), line(ended_a_call("one"), 6))

    assert status_of(*both, *twice) is SessionStatus.AWAITING_APPROVAL


def test_a_permission_once_answered_stays_answered_however_many_calls_follow() -> None:
    answered = (was_prompted(), began(), asked_for_approval(), ended_a_call())
    many = [ended_a_call(f"call-{n}", "Read") for n in range(2 * REMEMBERED)]

    assert status_of(*answered, *many) is SessionStatus.RUNNING


def test_the_end_of_the_turn_answers_whatever_was_asked() -> None:
    asked = (was_prompted(), asked_for_approval(), ended_its_turn(Ending.INTERRUPTED))

    assert status_of(*asked, was_prompted(prompt=P2), began(call="x")) is SessionStatus.RUNNING


def test_a_question_goes_before_a_permission() -> None:
    both = (was_prompted(), asked_for_approval(), asked_the_user())

    assert status_of(*both) is SessionStatus.AWAITING_INPUT


def test_an_answered_question_lets_the_agent_go_on() -> None:
    answered = (was_prompted(), asked_the_user(), ended_a_call("call-q", "AskUserQuestion"))

    assert status_of(*answered) is SessionStatus.RUNNING


def test_a_late_start_of_an_ended_call_does_not_open_it_again() -> None:
    ended = (was_prompted(), ended_a_call("call-q", "AskUserQuestion"))

    assert status_of(*ended, asked_the_user()) is not SessionStatus.AWAITING_INPUT


def test_a_call_heard_to_end_before_it_began_answers_its_permission_all_the_same() -> None:
    nameless = line(ended_a_call(tool=""), 4)
    asked = (was_prompted(), fact(asked_for_approval(), 3))

    assert judged(*asked, nameless, fact(began(), 2)) is SessionEvent.TOOL_CALL


def test_a_tool_of_a_sub_agent_says_nothing_of_the_main_thread() -> None:
    stopped = (was_prompted(), ended_its_turn())
    in_background = fact(ended_a_call("sub", "Read"), 9, thread="a7b898")
    written = fact(ended_a_call("sub", "Read"), 9, thread="a7b898", source=Source.TRANSCRIPT)

    assert status_of(*stopped, in_background) is SessionStatus.IDLE
    assert status_of(*stopped, written) is SessionStatus.IDLE
    assert seen(written).spoken_at == 0


def test_a_sub_agent_can_wait_for_a_person_and_go_on() -> None:
    asked = (was_prompted(), fact(asked_for_approval("Edit"), 2, thread="a7b898"))
    answered = fact(ended_a_call("sub", "Edit"), 3, thread="a7b898")

    assert status_of(*asked) is SessionStatus.AWAITING_APPROVAL
    assert status_of(*asked, answered) is SessionStatus.RUNNING


def test_only_a_stop_knows_what_runs_on_in_the_background() -> None:
    stopped = fact(TurnEnded(Ending.DONE, P1, background=1), 2)
    written = line(TurnEnded(Ending.CLOSED, P1, entry="u1"), 3)

    assert seen(was_prompted(), stopped, written).background


def test_an_interjection_leaves_an_error_alone() -> None:
    failed = (was_prompted(), ended_its_turn(Ending.FAILED))

    assert seen(*failed, was_interjected()).prompt_at == SECOND
    assert seen(*failed, was_notified()).prompt_at == 3 * SECOND


# The health check, and age (A4, A7) ---------------------------------------------------------------


def test_only_what_is_said_in_the_main_thread_makes_a_transcript_newer() -> None:
    said = (line(was_prompted(), 1), line(spoke("Done."), 2), line(ended_its_turn(), 3))
    bookkeeping = line(LinePassed("last-prompt", "hash", 0, 9), 8)

    assert seen(*said, bookkeeping).spoken_at == 3 * SECOND
    assert seen(*said, fact(spoke("Done."), 8)).spoken_at == 3 * SECOND


def test_the_health_check_frees_what_is_stuck() -> None:
    stuck = (was_prompted(), asked_the_user())

    assert status_of(*stuck, StalenessFound(9, 2)) is SessionStatus.IDLE


def test_age_alone_demotes_nobody() -> None:
    years = 3 * 365 * 24 * 3600
    unrelated = fact(Notified("auth_success"), years)

    assert status_of(was_prompted(), unrelated) is SessionStatus.RUNNING
    assert status_of(reported(WAITING), unrelated) is SessionStatus.AWAITING_APPROVAL


# Standing (A2) ------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", SessionStatus)
def test_only_an_idle_session_stands_as_awaiting_input_for_its_command(
    status: SessionStatus,
) -> None:
    idle = status is SessionStatus.IDLE

    assert standing(status, awaits_input=False) is status
    expected = SessionStatus.AWAITING_INPUT if idle else status
    assert standing(status, awaits_input=True) is expected


def test_a_question_in_words_waits_for_you() -> None:
    asked = (was_prompted(), spoke("Should I use Redis or Postgres?", final=True))

    assert agent_of(*asked, reported(IDLE)).status is SessionStatus.IDLE
    assert agent_of(*asked, reported(IDLE)).standing is SessionStatus.AWAITING_INPUT


# Laws ---------------------------------------------------------------------------------------------

PLAUSIBLE: tuple[What, ...] = (
    it_started(),
    it_started(Cause.COMPACT),
    was_prompted(),
    was_prompted(prompt=P2),
    spoke("Looking."),
    spoke("Done.", final=True),
    began(),
    began("Read", "call-2"),
    asked_the_user(),
    ended_a_call(),
    ended_a_call("call-2", "Read"),
    ended_a_call("call-q", "AskUserQuestion"),
    asked_for_approval(),
    asked_for_approval("Read"),
    ended_its_turn(),
    ended_its_turn(Ending.FAILED),
    ended_its_turn(Ending.INTERRUPTED),
    Notified("idle_prompt"),
    reported(BUSY),
    reported(IDLE),
    reported(SHELL),
    reported(WAITING),
    reported(WAITING, waiting_for="dialog open"),
)
endings = st.sampled_from([(), (exited(),), (exited(PID + 1),), (it_ended(), exited())])


@st.composite
def tellings(draw: st.DrawFn) -> tuple[list[Fact], list[Fact]]:
    """What one client could have done, at times of its own, in two orders of hearing."""
    some = draw(st.lists(st.integers(0, len(PLAUSIBLE) - 1), max_size=8, unique=True))
    whats = [*(PLAUSIBLE[each] for each in some), *draw(endings)]
    hooks_or_lines = st.sampled_from([None, Source.TRANSCRIPT])
    facts = [
        fact(what, second * 3, source=draw(hooks_or_lines) if at_a_prompt(what) else None)
        for second, what in enumerate(whats, 1)
    ]
    return facts, draw(st.permutations(facts))


def at_a_prompt(what: What) -> bool:
    return not isinstance(what, type(reported(IDLE)) | type(exited()) | PermissionAsked | Notified)


def event_of(judgement: Judgement | None) -> str:
    return "" if judgement is None else judgement.event


@settings(max_examples=50, deadline=None)
@given(tellings())
def test_the_judgement_does_not_depend_on_the_order_of_hearing(
    told: tuple[list[Fact], list[Fact]],
) -> None:
    happened, heard = told

    assert event_of(judge(seen(*heard))) == event_of(judge(seen(*happened)))


@settings(max_examples=20, deadline=None)
@given(of_one_session)
def test_hearing_a_thing_twice_running_changes_nothing(facts: list[Fact]) -> None:
    """But a permission: two calls may ask for the same at once; the journal tells them apart."""
    once = [each for each in facts if not isinstance(each.what, PermissionAsked)]
    twice = [each for one in once for each in (one, one)]

    assert seen(*twice) == seen(*once)


@settings(max_examples=20, deadline=None)
@given(of_one_session)
def test_any_evidence_has_a_judgement_and_is_bounded(facts: list[Fact]) -> None:
    evidence = seen(*facts)

    judgement = judge(evidence)

    assert judgement is None or judgement.event in SessionEvent
    assert {each.session for each in facts} <= {SESSION}
    kept = (evidence.open, evidence.ended, evidence.asked, evidence.finished, evidence.exited)
    assert all(len(each) <= REMEMBERED for each in kept)
