"""The session machine against the text of seed 002, and its marked extensions."""

import re

import pytest

from turnkeeper.machines.kernel import Rejected, Step
from turnkeeper.machines.session import MACHINE, SessionEvent, SessionStatus, advance

# Copied from the seed.
TRANSITION = """
            (_, Event::SessionStart) => PlateStatus::Running,
            (_, Event::PromptSubmit) => PlateStatus::Running,

            (_, Event::ToolStart(Tool::AskUserQuestion)) => PlateStatus::AwaitingInput,
            (_, Event::ToolStart(Tool::ExitPlanMode)) => PlateStatus::AwaitingApproval,
            (_, Event::ToolStart(Tool::Other)) => PlateStatus::Running,

            (_, Event::ToolCall) => PlateStatus::Running,

            (_, Event::Stop { has_error: true }) => PlateStatus::Error,
            (_, Event::Stop { has_error: false }) => PlateStatus::Idle,

            (PlateStatus::AwaitingInput, Event::HealthCheckRecovery) => PlateStatus::Idle,
            (PlateStatus::AwaitingApproval, Event::HealthCheckRecovery) => PlateStatus::Idle,
            (PlateStatus::Error, Event::HealthCheckRecovery) => PlateStatus::Idle,
            (state, Event::HealthCheckRecovery) => state,
"""

OURS = {
    "SessionStart": "session_start",
    "PromptSubmit": "prompt_submit",
    "ToolStart(Tool::AskUserQuestion)": "tool_start_ask_user_question",
    "ToolStart(Tool::ExitPlanMode)": "tool_start_exit_plan_mode",
    "ToolStart(Tool::Other)": "tool_start",
    "ToolCall": "tool_call",
    "Stop { has_error: true }": "stop_with_error",
    "Stop { has_error: false }": "stop",
    "HealthCheckRecovery": "health_check_recovery",
}
LATE = {
    "tool_start_ask_user_question",
    "tool_start_exit_plan_mode",
    "tool_start",
    "tool_call",
    "stop",
    "stop_with_error",
}
"""What may still arrive of a session that is closed already, and does not revive it."""


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.removeprefix("PlateStatus::")).lower()


def by_the_seed() -> dict[tuple[str, str], str]:
    """The seed's `match`, arm by arm: the first arm that fits decides."""
    arms = re.findall(r"\((\S+), Event::(.+?)\) => (\S+),\n", TRANSITION)
    decided: dict[tuple[str, str], str] = {}
    for pattern, event, result in arms:
        for status in SessionStatus:
            if pattern in ("_", "state") or snake(pattern) == status:
                becomes = status.value if result == "state" else snake(result)
                decided.setdefault((status.value, OURS[event]), becomes)
    return decided


SEED = by_the_seed()


def becomes(status: SessionStatus, event: SessionEvent) -> SessionStatus | None:
    answer = advance(status, event)
    return None if isinstance(answer, Rejected) else answer.after


def test_the_seed_decides_every_pair_of_its_words() -> None:
    assert len(SEED) == 7 * 9


@pytest.mark.parametrize(("status", "event"), SEED)
def test_the_seeds_rows_hold_but_for_what_comes_too_late(status: str, event: str) -> None:
    answer = advance(SessionStatus(status), SessionEvent(event))

    if status == "closed" and event in LATE:
        assert isinstance(answer, Rejected)
        assert "too late" in answer.reason
    else:
        assert isinstance(answer, Step)
        assert (answer.after, answer.extension) == (SEED[status, event], False)


def test_beyond_the_seed_every_row_is_marked() -> None:
    unmarked = {(row.source, row.event) for row in MACHINE.rows if not row.extension}

    assert unmarked == {pair for pair in SEED if pair[0] != "closed" or pair[1] not in LATE}


OPEN = [status for status in SessionStatus if status is not SessionStatus.CLOSED]

# fmt: off
FROM_ANY_BUT_CLOSED = [
    ("client_at_prompt",        "idle"),
    ("client_busy",             "running"),
    ("client_waiting_input",    "awaiting_input"),
    ("client_waiting_approval", "awaiting_approval"),
    ("permission_asked",        "awaiting_approval"),
    ("interrupted",             "idle"),
    ("turn_failed",             "error"),
]
# fmt: on


@pytest.mark.parametrize(("event", "result"), FROM_ANY_BUT_CLOSED)
def test_what_a_client_reports_holds_from_any_status_but_closed(event: str, result: str) -> None:
    assert {becomes(status, SessionEvent(event)) for status in OPEN} == {SessionStatus(result)}
    assert becomes(SessionStatus.CLOSED, SessionEvent(event)) is None


@pytest.mark.parametrize("event", ["process_exited", "session_ended", "mark_stopped"])
def test_any_session_can_be_closed_and_closed_stays_closed(event: str) -> None:
    assert {becomes(status, SessionEvent(event)) for status in SessionStatus} == {
        SessionStatus.CLOSED
    }


def test_an_idle_client_is_idle_unless_its_turn_ended_in_an_error() -> None:
    after = {status: becomes(status, SessionEvent.CLIENT_IDLE) for status in OPEN}

    assert after.pop(SessionStatus.ERROR) is SessionStatus.ERROR
    assert set(after.values()) == {SessionStatus.IDLE}


def test_a_resolved_permission_lets_the_agent_run() -> None:
    resolved = SessionEvent.PERMISSION_RESOLVED

    assert becomes(SessionStatus.AWAITING_APPROVAL, resolved) is SessionStatus.RUNNING
    assert becomes(SessionStatus.RUNNING, resolved) is SessionStatus.RUNNING
    assert becomes(SessionStatus.IDLE, resolved) is None


def test_a_new_client_process_takes_up_a_closed_session_and_disturbs_no_other() -> None:
    started = SessionEvent.CLIENT_STARTED

    assert becomes(SessionStatus.CLOSED, started) is SessionStatus.STARTING
    assert [becomes(status, started) for status in OPEN] == OPEN


def test_background_work_leaves_a_session_at_rest() -> None:
    running = SessionEvent.BACKGROUND_RUNNING
    understood = {s: becomes(s, running) for s in SessionStatus if becomes(s, running) is not None}

    assert understood == {
        SessionStatus.IDLE: SessionStatus.IDLE,
        SessionStatus.ERROR: SessionStatus.ERROR,
    }


def test_a_late_tool_event_does_not_revive_a_closed_session() -> None:
    answer = advance(SessionStatus.CLOSED, SessionEvent.TOOL_CALL)

    assert isinstance(answer, Rejected)
    assert answer.reason == "The session is closed: tool call comes too late to revive it"


def test_a_resume_revives_a_closed_session() -> None:
    assert becomes(SessionStatus.CLOSED, SessionEvent.SESSION_START) is SessionStatus.RUNNING


@pytest.mark.parametrize("status", ["awaiting_input", "awaiting_approval", "error"])
def test_every_attention_status_recovers_to_idle(status: str) -> None:
    recovery = SessionEvent.HEALTH_CHECK_RECOVERY

    assert becomes(SessionStatus(status), recovery) is SessionStatus.IDLE
