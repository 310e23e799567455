"""For which session, and in which environment, a client of ours is started (rulings E5, E7)."""

import pytest

from turnkeeper.sources.claude_launch import environment, plan

FRESH = "0f0f0f0f-0000-4000-8000-000000000001"
GIVEN = "5413d6c7-305f-49b6-aa4c-b1ad0b89fa6a"


@pytest.mark.parametrize(
    "command",
    [
        ["claude"],
        ["/opt/bin/claude", "fix the tests"],
        ["claude", "-p", "--model", "opus", "say hello"],
        ["claude", "--", "--resume is what I ask about"],
    ],
    ids=" ".join,
)
def test_a_client_that_is_free_to_choose_gets_a_session(command: list[str]) -> None:
    program, *rest = command

    assert plan(command, FRESH) == ([program, "--session-id", FRESH, *rest], FRESH)


@pytest.mark.parametrize(
    ("command", "session"),
    [
        (["claude", "--session-id", GIVEN], GIVEN),
        (["claude", f"--session-id={GIVEN}", "-p", "hello"], GIVEN),
        (["claude", "--resume", GIVEN], GIVEN),
        (["claude", "-r", GIVEN.upper()], GIVEN),
        (["claude", "--resume", GIVEN, "--fork-session"], ""),
        (["claude", "--resume"], ""),
        (["claude", "-r", "the one about tests"], ""),
        (["claude", "--continue"], ""),
        (["claude", "-pc", "go on"], ""),
        (["claude", "--session-id"], ""),
        (["claude", "mcp", "list"], ""),
        (["claude", "--version"], ""),
        (["bash", "-c", "claude"], ""),
        (["npx", "claude"], ""),
    ],
    ids=str,
)
def test_a_client_that_was_told_is_left_alone(command: list[str], session: str) -> None:
    assert plan(command, FRESH) == (command, session)


def test_the_traces_of_another_client_are_removed_and_credentials_are_kept() -> None:
    ours = {
        "PATH": "/bin",
        "ANTHROPIC_API_KEY": "k",
        "CLAUDE_CONFIG_DIR": "/home/ann/.claude",
        "CLAUDE_CODE_OAUTH_TOKEN": "t",
        "CLAUDE_CODE_USE_BEDROCK": "1",
    }
    traces = {
        "CLAUDECODE": "1",
        "CLAUDE_PID": "7",
        "CLAUDE_CODE_SESSION_ID": "s",
        "CLAUDE_CODE_ENTRYPOINT": "cli",
        "CLAUDE_CODE_CHILD_SESSION": "1",
    }

    assert environment({**ours, **traces}) == ours
