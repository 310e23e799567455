"""All machines in one place, for the verb that prints them and the reference made from them."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

from turnkeeper.machines import command, project, seat, session
from turnkeeper.machines.command import CommandEvent
from turnkeeper.machines.kernel import E, Machine, Row, S
from turnkeeper.machines.project import ProjectEvent
from turnkeeper.machines.seat import SeatEvent
from turnkeeper.machines.session import SessionEvent


class Listing(msgspec.Struct, frozen=True):
    """A machine as a reader needs it. An alias is a seed's name for one or several events."""

    name: str
    about: str
    initial: StrEnum
    states: tuple[StrEnum, ...]
    rows: tuple[Row[StrEnum, StrEnum], ...]
    aliases: Mapping[str, tuple[StrEnum, ...]]


def _listing(
    machine: Machine[S, E], about: str, aliases: Mapping[str, tuple[StrEnum, ...]]
) -> Listing:
    return Listing(
        machine.name, about, machine.initial, machine.states, tuple(machine.rows), aliases
    )


COMMAND: Final = _listing(
    command.MACHINE,
    "One thing a user asked for, from the prompt to its completion (seed 000). The agent's state "
    "is that of its incomplete command, or else idle. A user command while the agent waits for "
    "input begins a new command and abandons the old one.",
    {
        "turn_detected": tuple(command.EVENTS.values()),
        "user: command": (CommandEvent.USER_COMMAND,),
        "user: answer": (CommandEvent.USER_ANSWER,),
        "agent: progress": (CommandEvent.AGENT_PROGRESS,),
        "agent: question": (CommandEvent.AGENT_QUESTION,),
        "agent: completion": (CommandEvent.AGENT_COMPLETION,),
        "END_OF_TASK": (CommandEvent.AGENT_COMPLETION,),
        "(task ends)": (CommandEvent.COMMAND_ENDED,),
    },
)

SESSION: Final = _listing(
    session.MACHINE,
    "What a client's session is doing (seed 002). The seed's rows hold from every status, except "
    "that a closed session is revived only when it starts or is prompted again: a late tool event "
    "or stop is refused.",
    {
        "SessionStart": (SessionEvent.SESSION_START,),
        "UserPromptSubmit, PromptSubmit": (SessionEvent.PROMPT_SUBMIT,),
        "PreToolUse, tool_start": (
            SessionEvent.TOOL_START_ASK_USER_QUESTION,
            SessionEvent.TOOL_START_EXIT_PLAN_MODE,
            SessionEvent.TOOL_START,
        ),
        "ToolStart(AskUserQuestion)": (SessionEvent.TOOL_START_ASK_USER_QUESTION,),
        "ToolStart(ExitPlanMode)": (SessionEvent.TOOL_START_EXIT_PLAN_MODE,),
        "ToolStart(Other)": (SessionEvent.TOOL_START,),
        "PostToolUse, tool_call, ToolCall": (SessionEvent.TOOL_CALL,),
        "stop, Stop { has_error: false }": (SessionEvent.STOP,),
        "stop, Stop { has_error: true }": (SessionEvent.STOP_WITH_ERROR,),
        "HealthCheckRecovery": (SessionEvent.HEALTH_CHECK_RECOVERY,),
        "mark_stopped, POST /plates/stopped": (SessionEvent.MARK_STOPPED,),
    },
)

PROJECT: Final = _listing(
    project.MACHINE,
    "A conducted job: plan, execute, ask, finish (seed 003). `error` remembers what failed in "
    "`previous_state`; `retry` is the event that fits it and returns to the resting state from "
    "which the failed work was started.",
    {
        "retry": (ProjectEvent.RETRY_PLANNING, ProjectEvent.RETRY_EXECUTING),
        "exit code 0, no phases found": (ProjectEvent.NO_PHASES_FOUND,),
        "set_error": (ProjectEvent.ERROR,),
        "POST /api/actions/reset": (ProjectEvent.FORCE_RESET,),
    },
)

SEAT: Final = _listing(
    seat.MACHINE,
    "An agent's place in one channel (seed 004). In the seed and in its log the states are upper "
    "case. At most one seat of a channel is active, and a waiting seat keeps the turn.",
    {
        "Assigned to channel": (SeatEvent.ASSIGNED,),
        "Removed from channel": (SeatEvent.REMOVED,),
        "TURN_COMPLETE": (SeatEvent.TURN_COMPLETE, SeatEvent.TURN_COMPLETE_ALONE),
        "Human override": (SeatEvent.OVERRIDE_QUEUE, SeatEvent.OVERRIDE_ACTIVATE),
        "Agent explicitly disabled": (SeatEvent.AGENT_STOPS,),
        "Agent re-enabled": (SeatEvent.AGENT_STARTS,),
    },
)

CATALOGUE: Final = (COMMAND, SESSION, PROJECT, SEAT)
