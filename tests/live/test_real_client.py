"""A real client runs in tmux against the scripted model, and can be watched from outside."""

import json
from pathlib import Path

from tests.lab.real_client import Json, RealClient, hooks, spool_command, until
from tests.live.conftest import NewClient

TOOL_HOOKS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")


def spooled(data: Path, session: str) -> list[Json]:
    """What the hooks of one session have written so far, in the order of their calls."""
    files = sorted(
        (data / "spool").glob(f"{session}.*.jsonl"), key=lambda file: file.stat().st_mtime_ns
    )
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def heard(data: Path, session: str) -> list[object]:
    return [payload["hook_event_name"] for payload in spooled(data, session)]


def said(transcript: list[Json]) -> list[str]:
    """The words of the agent, in order."""
    return [
        block["text"]
        for line in transcript
        if line["type"] == "assistant" and isinstance(message := line["message"], dict)
        for block in message["content"]
        if block["type"] == "text"
    ]


def test_a_client_answers_a_prompt_and_shows_it_everywhere(
    real_client: RealClient, data: Path
) -> None:
    pane = real_client.start()

    pane.type("say hello @@reply")
    pane.wait_status("busy")
    pane.wait_status("idle")

    pane.wait_screen("Hello! The greeting is done.")
    until(lambda: "Hello! The greeting is done." in said(pane.transcript()), "the reply written")
    until(lambda: len(heard(data, pane.session)) == 3, "three hooks called")
    assert heard(data, pane.session) == ["SessionStart", "UserPromptSubmit", "Stop"]


def test_a_client_that_exits_takes_its_registry_file_along(
    real_client: RealClient, data: Path
) -> None:
    pane = real_client.start()
    session = pane.session

    pane.type("/exit")

    pane.wait_end()
    until(lambda: "SessionEnd" in heard(data, session), "SessionEnd heard")
    assert pane.pid not in real_client.registry()


def test_a_killed_client_leaves_its_registry_file(real_client: RealClient) -> None:
    pane = real_client.start()

    pane.kill()

    assert real_client.registry()[pane.pid]["status"] == "idle"


def test_a_client_asks_for_leave_and_goes_on_when_it_has_it(
    new_client: NewClient, data: Path
) -> None:
    client = new_client(hooks(spool_command(data), *TOOL_HOOKS))
    pane = client.start()

    pane.type("make the file @@permission")
    entry = pane.wait_status("waiting")
    pane.wait_screen("Do you want to proceed?")
    pane.answer("Enter")
    pane.wait_status("idle")

    assert entry["waitingFor"] == "permission prompt"
    assert (client.project / "made.txt").exists()
    until(lambda: "Stop" in heard(data, pane.session), "Stop heard")
    assert heard(data, pane.session) == list(TOOL_HOOKS)


def test_a_headless_client_answers_on_its_standard_output(real_client: RealClient) -> None:
    done = real_client.headless("say hello @@reply")

    assert json.loads(done.stdout)["result"] == "Hello! The greeting is done."


def test_a_dialog_that_is_dismissed_leaves_the_client_at_its_prompt(
    real_client: RealClient, data: Path
) -> None:
    pane = real_client.start()

    pane.type("which one @@question")
    pane.answer("Escape")
    pane.wait_status("idle")

    pane.wait_screen("User declined to answer questions")
    assert "Stop" not in heard(data, pane.session)
