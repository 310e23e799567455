"""What a client's session is doing (seed 002), widened by what real clients report.

The seed's rows hold from every status, with one restriction: `closed` is left only by a session
that starts or is prompted again. A late tool event does not revive it.
"""

# ruff: noqa: E501 (the tables are laid out for the eye)

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from turnkeeper.machines.kernel import STAYS, Line, Machine, in_words, spread


class SessionStatus(StrEnum):
    STARTING = "starting"
    RUNNING = "running"
    IDLE = "idle"
    AWAITING_INPUT = "awaiting_input"
    AWAITING_APPROVAL = "awaiting_approval"
    ERROR = "error"
    CLOSED = "closed"


class SessionEvent(StrEnum):
    SESSION_START = "session_start"
    PROMPT_SUBMIT = "prompt_submit"
    TOOL_START_ASK_USER_QUESTION = "tool_start_ask_user_question"
    TOOL_START_EXIT_PLAN_MODE = "tool_start_exit_plan_mode"
    TOOL_START = "tool_start"
    TOOL_CALL = "tool_call"
    STOP = "stop"
    STOP_WITH_ERROR = "stop_with_error"
    HEALTH_CHECK_RECOVERY = "health_check_recovery"
    CLIENT_STARTED = "client_started"
    CLIENT_AT_PROMPT = "client_at_prompt"
    CLIENT_BUSY = "client_busy"
    CLIENT_IDLE = "client_idle"
    CLIENT_WAITING_INPUT = "client_waiting_input"
    CLIENT_WAITING_APPROVAL = "client_waiting_approval"
    PERMISSION_ASKED = "permission_asked"
    PERMISSION_RESOLVED = "permission_resolved"
    INTERRUPTED = "interrupted"
    TURN_FAILED = "turn_failed"
    BACKGROUND_RUNNING = "background_running"
    PROCESS_EXITED = "process_exited"
    SESSION_ENDED = "session_ended"
    MARK_STOPPED = "mark_stopped"


S = SessionStatus
E = SessionEvent

ANY: Final = tuple(S)
CLOSED: Final = (S.CLOSED,)
OPEN: Final = tuple(status for status in S if status is not S.CLOSED)
STUCK: Final = (S.AWAITING_INPUT, S.AWAITING_APPROVAL, S.ERROR)
UNSTUCK: Final = tuple(status for status in S if status not in STUCK)
FAILED: Final = (S.ERROR,)
NOT_FAILED: Final = tuple(status for status in OPEN if status is not S.ERROR)
APPROVING: Final = (S.AWAITING_APPROVAL,)
RUNNING: Final = (S.RUNNING,)
AT_REST: Final = (S.IDLE, S.ERROR)

# fmt: off
SEED: Final[tuple[Line[S, E], ...]] = (
    # while      this happens                     it becomes           because
    (ANY,        E.SESSION_START,                 S.RUNNING,           "a session begins, or is resumed"),
    (ANY,        E.PROMPT_SUBMIT,                 S.RUNNING,           "the user has spoken"),
    (OPEN,       E.TOOL_START_ASK_USER_QUESTION,  S.AWAITING_INPUT,    "the agent asks the user"),
    (OPEN,       E.TOOL_START_EXIT_PLAN_MODE,     S.AWAITING_APPROVAL, "the agent shows its plan"),
    (OPEN,       E.TOOL_START,                    S.RUNNING,           "the agent uses a tool"),
    (OPEN,       E.TOOL_CALL,                     S.RUNNING,           "a tool has finished, the agent goes on"),
    (OPEN,       E.STOP,                          S.IDLE,              "the turn has ended"),
    (OPEN,       E.STOP_WITH_ERROR,               S.ERROR,             "the turn has ended with an error"),
    (STUCK,      E.HEALTH_CHECK_RECOVERY,         S.IDLE,              "the transcript went on without us"),
    (UNSTUCK,    E.HEALTH_CHECK_RECOVERY,         STAYS,               "nothing was stuck"),
)

EXTENSIONS: Final[tuple[Line[S, E], ...]] = (
    # while      this happens                     it becomes           because
    (CLOSED,     E.CLIENT_STARTED,                S.STARTING,          "a new process takes the session up again"),
    (OPEN,       E.CLIENT_STARTED,                STAYS,               "a process alone says nothing of its work"),
    (OPEN,       E.CLIENT_AT_PROMPT,              S.IDLE,              "an interactive client starts at its prompt"),
    (OPEN,       E.CLIENT_BUSY,                   S.RUNNING,           "the client says busy"),
    (NOT_FAILED, E.CLIENT_IDLE,                   S.IDLE,              "the client says idle"),
    (FAILED,     E.CLIENT_IDLE,                   STAYS,               "at rest, this turn's end decides idle or error"),
    (OPEN,       E.CLIENT_WAITING_INPUT,          S.AWAITING_INPUT,    "the client waits with a question open"),
    (OPEN,       E.CLIENT_WAITING_APPROVAL,       S.AWAITING_APPROVAL, "the client waits with another tool open"),
    (OPEN,       E.PERMISSION_ASKED,              S.AWAITING_APPROVAL, "a tool needs the user's leave"),
    (APPROVING,  E.PERMISSION_RESOLVED,           S.RUNNING,           "leave was given or denied, the agent goes on"),
    (RUNNING,    E.PERMISSION_RESOLVED,           STAYS,               "the answer was already seen at work"),
    (OPEN,       E.INTERRUPTED,                   S.IDLE,              "Esc ends the turn without a Stop"),
    (OPEN,       E.TURN_FAILED,                   S.ERROR,             "the client gave up on this turn"),
    (AT_REST,    E.BACKGROUND_RUNNING,            STAYS,               "the turn is over, its background work is not"),
    (ANY,        E.PROCESS_EXITED,                S.CLOSED,            "the process is gone, whatever ended it"),
    (ANY,        E.SESSION_ENDED,                 S.CLOSED,            "the client says goodbye"),
    (ANY,        E.MARK_STOPPED,                  S.CLOSED,            "set from outside: the seed's mark_stopped"),
)
# fmt: on

REVIVING: Final = (E.SESSION_START, E.PROMPT_SUBMIT, E.CLIENT_STARTED)
CLOSING: Final = (E.PROCESS_EXITED, E.SESSION_ENDED, E.MARK_STOPPED)
HEARD_CLOSED: Final = (*REVIVING, *CLOSING, E.HEALTH_CHECK_RECOVERY)

REFUSALS: Final[Mapping[tuple[S, E], str]] = {
    **{
        (S.CLOSED, event): f"The session is closed: {in_words(event)} comes too late to revive it"
        for event in E
        if event not in HEARD_CLOSED
    },
    **{
        (
            status,
            E.PERMISSION_RESOLVED,
        ): f"No permission is being asked: the status is {in_words(status)}"
        for status in OPEN
        if status not in (*APPROVING, *RUNNING)
    },
    **{
        (status, E.BACKGROUND_RUNNING): (
            f"Background work says nothing yet: the status is {in_words(status)}, not at rest"
        )
        for status in OPEN
        if status not in AT_REST
    },
}

MACHINE: Final = Machine(
    "session",
    states=SessionStatus,
    events=SessionEvent,
    initial=S.STARTING,
    rows=(*spread(SEED), *spread(EXTENSIONS, extension=True)),
    refusals=REFUSALS,
)

advance = MACHINE.advance
