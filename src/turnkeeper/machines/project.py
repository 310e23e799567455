"""A conducted job: plan, execute, ask, finish (seed 003).

The seed's `retry` goes to "previous_state". A table has no such state, so what failed decides which
of two events `retry` is: each returns to the resting state from which the failed work was started.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

from turnkeeper.machines.kernel import Line, Machine, Rejected, spread


class ProjectStage(StrEnum):
    RESET = "reset"
    CONFIGURED = "configured"
    PLANNING = "planning"
    PLANNED = "planned"
    EXECUTING = "executing"
    QUESTIONS = "questions"
    COMPLETE = "complete"
    ERROR = "error"


class ProjectEvent(StrEnum):
    CONFIGURE = "configure"
    GENERATE_PLAN = "generate_plan"
    RESET = "reset"
    PLAN_COMPLETE = "plan_complete"
    CANCEL = "cancel"
    ERROR = "error"
    EXECUTE = "execute"
    QUESTIONS_DETECTED = "questions_detected"
    PHASE_COMPLETE = "phase_complete"
    ALL_COMPLETE = "all_complete"
    ANSWER = "answer"
    SKIP = "skip"
    RETRY_PLANNING = "retry_planning"
    RETRY_EXECUTING = "retry_executing"
    NO_PHASES_FOUND = "no_phases_found"
    FORCE_RESET = "force_reset"


class ProjectAction(StrEnum):
    """What people and processes say. All but `retry` are events of the same name."""

    CONFIGURE = "configure"
    GENERATE_PLAN = "generate_plan"
    RESET = "reset"
    PLAN_COMPLETE = "plan_complete"
    CANCEL = "cancel"
    ERROR = "error"
    EXECUTE = "execute"
    QUESTIONS_DETECTED = "questions_detected"
    PHASE_COMPLETE = "phase_complete"
    ALL_COMPLETE = "all_complete"
    ANSWER = "answer"
    SKIP = "skip"
    RETRY = "retry"
    NO_PHASES_FOUND = "no_phases_found"
    FORCE_RESET = "force_reset"


S = ProjectStage
E = ProjectEvent

# fmt: off
SEED: Final[tuple[Line[S, E], ...]] = (
    # while           this happens          it becomes     because
    ((S.RESET,),      E.CONFIGURE,          S.CONFIGURED,  "the user saves the configuration"),
    ((S.CONFIGURED,), E.GENERATE_PLAN,      S.PLANNING,    "the user asks for a plan"),
    ((S.CONFIGURED,), E.RESET,              S.RESET,       "the user starts over"),
    ((S.PLANNING,),   E.PLAN_COMPLETE,      S.PLANNED,     "exit code 0, and the plan has phases"),
    ((S.PLANNING,),   E.CANCEL,             S.CONFIGURED,  "the user cancels the planning"),
    ((S.PLANNING,),   E.ERROR,              S.ERROR,       "another exit code than 0"),
    ((S.PLANNED,),    E.EXECUTE,            S.EXECUTING,   "the user starts the plan"),
    ((S.PLANNED,),    E.RESET,              S.RESET,       "the user starts over"),
    ((S.EXECUTING,),  E.QUESTIONS_DETECTED, S.QUESTIONS,   "unanswered questions are in the file"),
    ((S.EXECUTING,),  E.PHASE_COMPLETE,     S.EXECUTING,   "a phase is done, more remain"),
    ((S.EXECUTING,),  E.ALL_COMPLETE,       S.COMPLETE,    "all phases are done"),
    ((S.EXECUTING,),  E.CANCEL,             S.PLANNED,     "the user cancels the execution"),
    ((S.EXECUTING,),  E.ERROR,              S.ERROR,       "another exit code than 0"),
    ((S.QUESTIONS,),  E.ANSWER,             S.EXECUTING,   "the user has answered"),
    ((S.QUESTIONS,),  E.SKIP,               S.EXECUTING,   "the agent shall decide itself"),
    ((S.QUESTIONS,),  E.CANCEL,             S.PLANNED,     "the user cancels the execution"),
    ((S.COMPLETE,),   E.RESET,              S.RESET,       "a new project; this one is archived"),
    ((S.ERROR,),      E.RETRY_PLANNING,     S.CONFIGURED,  "planning failed; it starts from here"),
    ((S.ERROR,),      E.RETRY_EXECUTING,    S.PLANNED,     "executing failed; it starts from here"),
    ((S.ERROR,),      E.RESET,              S.RESET,       "the user starts over"),
)

EXTENSIONS: Final[tuple[Line[S, E], ...]] = (
    # while           this happens          it becomes     because
    ((S.PLANNING,),   E.NO_PHASES_FOUND,    S.CONFIGURED,  "exit code 0, but the plan is empty"),
    (tuple(S),        E.FORCE_RESET,        S.RESET,       "`reset --force`: cancel and archive"),
)
# fmt: on

RETRIES: Final = (E.RETRY_PLANNING, E.RETRY_EXECUTING)
UNDER_WAY: Final = (S.PLANNING, S.EXECUTING, S.QUESTIONS)

SITUATIONS: Final[Mapping[S, str]] = {
    S.RESET: "The project is not configured yet",
    S.CONFIGURED: "The project is configured and has no plan",
    S.PLANNING: "The plan is being made",
    S.PLANNED: "The plan is ready and is not being executed",
    S.EXECUTING: "The plan is being executed",
    S.QUESTIONS: "Questions wait for an answer",
    S.COMPLETE: "The project is complete",
    S.ERROR: "The project stands in error",
}

REFUSALS: Final[Mapping[tuple[S, E], str]] = {
    **{
        (
            stage,
            event,
        ): f"There is nothing to retry: {SITUATIONS[stage][0].lower()}{SITUATIONS[stage][1:]}"
        for stage in S
        for event in RETRIES
        if stage is not S.ERROR
    },
    **{
        (stage, E.RESET): f"{SITUATIONS[stage]}: cancel first, or force the reset"
        for stage in UNDER_WAY
    },
    (S.RESET, E.RESET): "The project is already reset",
    (S.QUESTIONS, E.ERROR): "The questions stay open: an answer starts a new run",
}

MACHINE: Final = Machine(
    "project",
    states=ProjectStage,
    events=ProjectEvent,
    initial=S.RESET,
    rows=(*spread(SEED), *spread(EXTENSIONS, extension=True)),
    situations=SITUATIONS,
    refusals=REFUSALS,
)

advance = MACHINE.advance

RETRY_OF: Final[Mapping[S, E]] = {
    S.CONFIGURED: E.RETRY_PLANNING,
    S.PLANNING: E.RETRY_PLANNING,
    S.PLANNED: E.RETRY_EXECUTING,
    S.EXECUTING: E.RETRY_EXECUTING,
    S.QUESTIONS: E.RETRY_EXECUTING,
}
"""We record only planning and executing; a STATUS.md from elsewhere may name the others."""


class ProjectState(msgspec.Struct, frozen=True):
    """Where a project stands. `previous_state` names what failed, until work starts again."""

    state: ProjectStage = ProjectStage.RESET
    previous_state: ProjectStage | None = None


def transition(
    project: ProjectState, action: ProjectAction
) -> ProjectState | Rejected[ProjectStage, ProjectAction]:
    """Do what was asked, or say why not.

    An error remembers what failed, `retry` returns to the rest before it and still remembers, and
    every other step forgets: so `previous_state` tells the conductor which work to start again.
    """
    event = _event_for(project, action)
    if event is None:
        unknown = "What failed was not recorded, so it cannot be retried: reset the project"
        return Rejected(project.state, action, unknown)
    answer = advance(project.state, event)
    if isinstance(answer, Rejected):
        return Rejected(project.state, action, answer.reason)
    if event is E.ERROR:
        return ProjectState(answer.after, project.state)
    if event in RETRIES:
        return ProjectState(answer.after, project.previous_state)
    return ProjectState(answer.after)


def _event_for(project: ProjectState, action: ProjectAction) -> ProjectEvent | None:
    if action is not ProjectAction.RETRY:
        return ProjectEvent(action.value)
    if project.state is not S.ERROR:
        return E.RETRY_PLANNING
    return None if project.previous_state is None else RETRY_OF.get(project.previous_state)
