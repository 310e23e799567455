"""The project machine against the text of seed 003, and its marked extensions."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.machines.kernel import Rejected
from turnkeeper.machines.project import (
    MACHINE,
    ProjectAction,
    ProjectEvent,
    ProjectStage,
    ProjectState,
    transition,
)

# Copied from the seed's state diagram; its tables say the same.
DIAGRAM = """
    reset --> configured : configure

    configured --> planning : generate_plan
    configured --> reset : reset

    planning --> planned : plan_complete
    planning --> configured : cancel
    planning --> error : error

    planned --> executing : execute
    planned --> reset : reset

    executing --> questions : questions_detected
    executing --> executing : phase_complete
    executing --> complete : all_complete
    executing --> planned : cancel
    executing --> error : error

    questions --> executing : answer
    questions --> executing : skip
    questions --> planned : cancel

    complete --> reset : reset

    error --> previous_state : retry
    error --> reset : reset
"""

SEED = re.findall(r"(\w+) --> (\w+) : (\w+)", DIAGRAM)
PLAIN = [row for row in SEED if row[2] != "retry"]
RESTING = {"planning": "configured", "executing": "planned"}
OURS = {"no_phases_found", "force_reset"}


def after(*actions: str, start: ProjectState | None = None) -> ProjectState:
    project = start or ProjectState()
    for action in actions:
        done = transition(project, ProjectAction(action))
        assert isinstance(done, ProjectState), done.reason
        project = done
    return project


def refusal(stage: str, action: str) -> str:
    refused = transition(ProjectState(ProjectStage(stage)), ProjectAction(action))
    assert isinstance(refused, Rejected)
    return refused.reason


@pytest.mark.parametrize(("stage", "becomes", "action"), PLAIN)
def test_every_row_of_the_seed_leads_where_it_says(stage: str, becomes: str, action: str) -> None:
    assert after(action, start=ProjectState(ProjectStage(stage))).state == becomes


def test_what_the_seed_does_not_list_is_refused() -> None:
    listed = {(stage, action) for stage, _, action in SEED}
    allowed = {
        (stage.value, action.value)
        for stage in ProjectStage
        for action in ProjectAction
        if action not in OURS
        and isinstance(transition(ProjectState(stage, ProjectStage.PLANNING), action), ProjectState)
    }

    assert allowed == listed


def test_beyond_the_seed_every_row_is_marked() -> None:
    unmarked = {(r.source, r.target, r.event) for r in MACHINE.rows if not r.extension}
    retries = {
        ("error", "configured", "retry_planning"),
        ("error", "planned", "retry_executing"),
    }

    assert unmarked == {*PLAIN, *retries}


def test_all_actions_but_retry_are_events_of_the_same_name() -> None:
    actions = {action.value for action in ProjectAction}
    events = {event.value for event in ProjectEvent}

    assert actions ^ events == {"retry", "retry_planning", "retry_executing"}


@pytest.mark.parametrize(("failed", "resting"), RESTING.items())
def test_a_retry_returns_to_the_rest_before_what_failed(failed: str, resting: str) -> None:
    broken = after("error", start=ProjectState(ProjectStage(failed)))

    assert broken == ProjectState(ProjectStage.ERROR, ProjectStage(failed))
    assert after("retry", start=broken) == ProjectState(ProjectStage(resting), ProjectStage(failed))


def test_the_seeds_error_path_can_be_walked() -> None:
    to_the_error = after("configure", "generate_plan", "error")
    again = after("retry", "generate_plan", start=to_the_error)

    assert to_the_error == ProjectState(ProjectStage.ERROR, ProjectStage.PLANNING)
    assert again == ProjectState(ProjectStage.PLANNING)


def test_the_seeds_happy_path_can_be_walked() -> None:
    plan = ("configure", "generate_plan", "plan_complete", "execute")

    done = after(*plan, "phase_complete", "phase_complete", "all_complete")

    assert done == ProjectState(ProjectStage.COMPLETE)
    assert after("reset", start=done) == ProjectState()


def test_the_seeds_questions_path_can_be_walked() -> None:
    asked = after("execute", "questions_detected", start=ProjectState(ProjectStage.PLANNED))

    assert asked.state is ProjectStage.QUESTIONS
    assert after("answer", start=asked).state is ProjectStage.EXECUTING


def test_a_reset_forgets_what_failed() -> None:
    broken = ProjectState(ProjectStage.ERROR, ProjectStage.EXECUTING)

    assert after("reset", start=broken) == ProjectState()


def test_a_plan_without_phases_returns_to_configured() -> None:
    assert after("configure", "generate_plan", "no_phases_found").state is ProjectStage.CONFIGURED


@pytest.mark.parametrize("stage", ProjectStage)
def test_a_forced_reset_is_possible_everywhere(stage: ProjectStage) -> None:
    assert after("force_reset", start=ProjectState(stage, ProjectStage.PLANNING)) == ProjectState()


def test_an_error_of_unknown_origin_cannot_be_retried() -> None:
    assert refusal("error", "retry") == (
        "What failed was not recorded, so it cannot be retried: reset the project"
    )


def test_without_an_error_there_is_nothing_to_retry() -> None:
    assert refusal("executing", "retry") == (
        "There is nothing to retry: the plan is being executed"
    )


def test_a_process_that_fails_while_questions_are_open_changes_nothing() -> None:
    assert refusal("questions", "error") == "The questions stay open: an answer starts a new run"


def test_a_refused_action_says_what_is_possible() -> None:
    assert refusal("reset", "execute") == (
        "The project is not configured yet: not the time for 'execute'. "
        "Possible: configure, force reset"
    )


@settings(max_examples=40)
@given(st.lists(st.sampled_from(ProjectAction), max_size=40))
def test_whatever_happens_a_project_in_error_knows_what_failed(
    actions: list[ProjectAction],
) -> None:
    project = ProjectState()
    for action in actions:
        done = transition(project, action)
        project = project if isinstance(done, Rejected) else done
        assert project.state is not ProjectStage.ERROR or project.previous_state in RESTING
