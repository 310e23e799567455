"""What the board says of a real client is what a person at its terminal sees.

With hooks and without; the daemon is a process of its own, the hooks are those that
`turnkeeper hooks install` installs.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import Delay
from tests.lab.daemon import Daemon, run_turnkeeper
from tests.lab.real_client import Pane, RealClient, until

ALLOWED = {"permissions": {"allow": ["Bash(python3:*)", "Bash(ls:*)"], "defaultMode": "default"}}


@dataclass(frozen=True)
class Watched:
    """A home with a real client, and a daemon that watches it."""

    client: RealClient
    daemon: Daemon


@pytest.fixture(scope="module", params=["with hooks", "without hooks"])
def watched(
    request: pytest.FixtureRequest, client_binary: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Watched]:
    client = RealClient(client_binary, ALLOWED)
    daemon = Daemon(tmp_path_factory.mktemp("watched") / "data", client.claude_dir)
    if request.param == "with hooks":
        folders = ("--data", str(daemon.data), "--claude-dir", str(client.claude_dir))
        assert run_turnkeeper("hooks", "install", *folders).returncode == 0
    daemon.start()
    yield Watched(client, daemon)
    client.close()
    daemon.close()


@pytest.fixture
def sees(watched: Watched, delay: Delay) -> Callable[[str, str], None]:
    """Wait until the board shows a standing, and note how long that took."""

    def wait(session: str, standing: str) -> None:
        delay(f"client to board: {standing}", watched.daemon.wait_standing(session, standing))

    return wait


Sees = Callable[[str, str], None]


@pytest.fixture
def pane(watched: Watched) -> Iterator[Pane]:
    pane = watched.client.start()
    yield pane
    pane.kill()


def wait_until_it_works(pane: Pane) -> None:
    """Wait until the client has written down what it does: one killed earlier has no past."""
    until(lambda: "assistant" in [line["type"] for line in pane.transcript()], "words written")


def test_a_prompt_makes_it_run_and_an_answer_makes_it_idle(pane: Pane, sees: Sees) -> None:
    sees(pane.session, "idle")

    # Long enough to be seen: a reply at once can be over before anyone looks.
    pane.type("take a moment @@twoseconds")

    sees(pane.session, "running")
    sees(pane.session, "idle")


def test_a_permission_that_is_granted(pane: Pane, sees: Sees) -> None:
    pane.type("make the file @@permission")
    sees(pane.session, "awaiting_approval")

    pane.answer("Enter")

    sees(pane.session, "idle")


def test_a_permission_that_is_refused_with_escape(pane: Pane, sees: Sees) -> None:
    pane.type("make the file @@permission")
    sees(pane.session, "awaiting_approval")

    pane.answer("Escape")

    sees(pane.session, "idle")


def test_a_question_that_is_answered(pane: Pane, sees: Sees) -> None:
    pane.type("which one @@question")
    sees(pane.session, "awaiting_input")

    pane.answer("Enter")

    sees(pane.session, "idle")


def test_a_question_that_is_dismissed_with_escape(pane: Pane, sees: Sees) -> None:
    pane.type("which one @@question")
    sees(pane.session, "awaiting_input")

    pane.answer("Escape")

    sees(pane.session, "idle")


def test_a_question_in_words_waits_for_its_answer(pane: Pane, sees: Sees) -> None:
    pane.type("ask me in words @@textquestion")

    sees(pane.session, "awaiting_input")


def test_a_tool_that_is_interrupted(pane: Pane, sees: Sees) -> None:
    pane.type("sleep a while @@slowtool")
    wait_until_it_works(pane)
    sees(pane.session, "running")

    pane.key("Escape")

    sees(pane.session, "idle")


def test_an_error_of_the_model_service(pane: Pane, sees: Sees) -> None:
    pane.type("fail @@error400")

    sees(pane.session, "error")


def test_a_cleared_session_is_the_same_agent(pane: Pane, sees: Sees, watched: Watched) -> None:
    pane.type("say hello @@reply")
    sees(pane.session, "idle")
    before = pane.session

    pane.type("/clear")
    pane.wait_session_other_than(before)

    sees(pane.session, "idle")
    until(
        lambda: number_of(watched, before) == number_of(watched, pane.session) is not None,
        "one agent for both sessions",
        seconds=10,
    )


def number_of(watched: Watched, session: str) -> int | None:
    card = watched.daemon.card(session)
    return None if card is None else card.id


def test_a_killed_client_is_closed_and_its_continuation_is_the_same_agent(
    watched: Watched, sees: Sees
) -> None:
    first = watched.client.start()
    session = first.session
    first.type("sleep a while @@slowtool")
    wait_until_it_works(first)
    sees(session, "running")

    first.kill()
    sees(session, "closed")

    second = watched.client.start("--resume", session)
    sees(session, "idle")
    second.type("say hello @@reply")
    second.wait_status("busy")
    second.wait_status("idle")
    sees(session, "idle")
    card = watched.daemon.card(session)
    second.kill()
    assert card is not None
    assert card.session_id == session


def test_a_headless_run_ends_closed(watched: Watched, sees: Sees) -> None:
    done = watched.client.headless("say hello @@reply")

    sees(json.loads(done.stdout)["session_id"], "closed")


def test_every_line_of_every_session_is_kept(watched: Watched, pane: Pane, sees: Sees) -> None:
    pane.type("list the files @@tool")
    pane.wait_status("busy")
    pane.wait_status("idle")
    sees(pane.session, "idle")

    done = run_turnkeeper(
        "verify", "--json", "--data", str(watched.daemon.data),
        "--claude-dir", str(watched.client.claude_dir),
    )  # fmt: skip

    verified = json.loads(done.stdout)
    assert done.returncode == 0, done.stdout
    assert all(each["missing"] == 0 and each["duplicates"] == 0 for each in verified)
    assert sum(each["lines"] for each in verified) > 0
