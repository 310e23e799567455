"""What a real client asks is answered from outside, and its terminal shows it.

The daemon is a process of its own, the hooks are those that `turnkeeper hooks install` installs.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.conftest import Delay
from tests.lab.asking import Answer, bearing
from tests.lab.daemon import Daemon, run_turnkeeper
from tests.lab.real_client import DIALOG_SIGN, Pane, RealClient, until

ASKING = {"permissions": {"defaultMode": "default"}}
Json = dict[str, Any]  # whatever the API answers


@dataclass(frozen=True)
class Asked:
    """A real client in a pane, and a daemon whose hooks it calls."""

    pane: Pane
    daemon: Daemon

    def waiting(self, kind: str, *, answerable: bool = True) -> Json:
        """Wait until the queue holds this agent's ask, and the terminal shows its dialog."""

        def look() -> Json | None:
            mine = [ask for ask in self._asks() if ask["session_id"] == self.pane.session]
            fitting = [ask for ask in mine if ask["answerable"] is answerable]
            return next((ask for ask in fitting if ask["kind"] == kind), None)

        ask = until(look, f"an ask for {kind}", instead=self._asks)
        self.pane.wait_status("waiting")
        return ask

    def _asks(self) -> list[Json]:
        found: list[Json] = self.daemon.get("/api/asks")
        return found

    def answer(self, ask: Json, decision: str, **more: object) -> Answer:
        owner = bearing(self.daemon.url, self.daemon.token)
        body = json.dumps({"decision": decision, **more}).encode()
        return owner.post(f"/api/asks/{ask['id']}/answer", body)

    def shown(self, ask: Json) -> Json:
        """The ask as it is told now."""
        found: Json = self.daemon.get(f"/api/asks/{ask['id']}")
        return found

    def closed(self, ask: Json) -> Json:
        """Wait until an ask is over, and say how it went."""

        def look() -> Json | None:
            now: Json = self.daemon.get(f"/api/asks/{ask['id']}")
            return now if now["outcome"] else None

        return until(look, f"the end of ask {ask['id']}", instead=self._asks)

    def hooks(self) -> list[str]:
        """The waiting hooks that run beside this client."""
        lines = [command_of(child) for child in self.pane.process.children(recursive=True)]
        return [line for line in lines if "claude_waiting_hook" in line]

    def results(self) -> list[str]:
        """What the client's transcript says that its tools gave."""
        lines: list[Json] = [line for line in self.pane.transcript() if line["type"] == "user"]
        contents = [line["message"]["content"] for line in lines]
        blocks: list[Json] = []
        for content in contents:
            blocks += content if isinstance(content, list) else []
        return [json.dumps(each) for each in blocks if each["type"] == "tool_result"]

    def told(self, *words: str) -> None:
        """Wait until the transcript has these words; the client writes it after the registry."""

        def look() -> bool:
            return all(each in str(self.results()) for each in words)

        until(look, f"{words} in the transcript", instead=self.results)


@pytest.fixture(scope="module")
def home(
    client_binary: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[RealClient, Daemon]]:
    client = RealClient(client_binary, ASKING)
    daemon = Daemon(tmp_path_factory.mktemp("asked") / "data", client.claude_dir)
    folders = ("--data", str(daemon.data), "--claude-dir", str(client.claude_dir))
    assert run_turnkeeper("hooks", "install", *folders).returncode == 0
    daemon.start()
    yield client, daemon
    client.close()
    daemon.close()


Start = Callable[..., Asked]


@pytest.fixture
def start(home: tuple[RealClient, Daemon]) -> Iterator[Start]:
    client, daemon = home
    panes: list[Pane] = []

    def begin(*args: str) -> Asked:
        (client.project / "made.txt").unlink(missing_ok=True)
        panes.append(client.start(*args))
        return Asked(panes[-1], daemon)

    yield begin
    for pane in panes:
        pane.kill()


def command_of(process: psutil.Process) -> str:
    """What a process runs; nothing, once it has ended."""
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


def made(asked: Asked) -> bool:
    return (asked.pane.client.project / "made.txt").exists()


def test_a_permission_is_allowed_from_outside(start: Start, delay: Delay) -> None:
    asked = start()
    asked.pane.type("make the file @@permission")
    ask = asked.waiting("permission")

    assert asked.answer(ask, "allow").status == 200
    asked.pane.wait_status("idle")

    assert (ask["tool"], ask["input"]["command"]) == ("Bash", "touch made.txt")
    assert ask["title"] == "Bash: touch made.txt"
    assert ask["decisions"] == ["allow", "always", "deny"]
    assert made(asked)
    assert DIALOG_SIGN not in asked.pane.screen()
    assert asked.closed(ask)["outcome"] == "answered"


def test_a_permission_is_denied_from_outside_with_a_message(start: Start) -> None:
    asked = start()
    asked.pane.type("make the file @@permission")
    ask = asked.waiting("permission")

    asked.answer(ask, "deny", message="Not in this folder, please")
    asked.pane.wait_status("idle")

    assert not made(asked)
    asked.told("Not in this folder, please")


def test_always_keeps_the_client_from_asking_again(start: Start) -> None:
    asked = start()
    asked.pane.type("make the file @@permission")
    ask = asked.waiting("permission")

    asked.answer(ask, "always")
    asked.pane.wait_status("idle")
    (asked.pane.client.project / "made.txt").unlink()
    asked.pane.type("again @@permission")
    until(lambda: made(asked), "the file again", instead=asked.pane.screen)

    asked.pane.wait_status("idle")
    assert ask["suggestions"]


def test_two_questions_are_answered_and_the_transcript_shows_it(start: Start) -> None:
    asked = start()
    asked.pane.type("decide @@questions")
    ask = asked.waiting("question")

    answers = {"Which database?": "PostgreSQL", "Which checks?": ["Types", "Tests"]}
    done = asked.answer(ask, "answer", answers=answers)
    asked.pane.wait_status("idle")

    assert done.status == 200
    assert [each["multiple"] for each in ask["questions"]] == [False, True]
    asked.told("PostgreSQL", "Types, Tests")


def test_words_of_ones_own_answer_a_question(start: Start) -> None:
    asked = start()
    asked.pane.type("decide @@question")
    ask = asked.waiting("question")

    asked.answer(ask, "answer", answers={"Which database?": "DuckDB, if it is quick"})
    asked.pane.wait_status("idle")

    asked.told("DuckDB, if it is quick")


def test_a_plan_is_approved(start: Start) -> None:
    asked = start("--permission-mode", "plan")
    asked.pane.type("plan it @@plan")
    ask = asked.waiting("plan")
    until(lambda: asked.shown(ask)["body"], "the plan's words", instead=lambda: asked.shown(ask))

    asked.answer(ask, "approve")
    asked.pane.wait_status("idle")

    assert "1. Read the code" in asked.shown(ask)["body"]
    asked.pane.wait_screen("The plan is carried out.")


def test_a_plan_is_rejected_with_feedback(start: Start) -> None:
    asked = start("--permission-mode", "plan")
    asked.pane.type("plan it @@plan")
    ask = asked.waiting("plan")

    asked.answer(ask, "reject", message="Begin with the tests")
    asked.pane.wait_status("idle")

    asked.told("Begin with the tests")


def test_the_terminal_answers_first_and_the_hook_leaves(start: Start) -> None:
    asked = start()
    asked.pane.type("make the file @@permission")
    ask = asked.waiting("permission")
    assert asked.hooks()

    asked.pane.answer("Enter")
    over = asked.closed(ask)
    asked.pane.wait_status("idle")

    assert over["outcome"] == "terminal"
    assert made(asked)
    until(lambda: not asked.hooks(), "the hook leaving", instead=asked.hooks)
    late = asked.answer(ask, "deny")
    assert late.status == 409
    assert "in the terminal" in late.json()["message"]


def test_escape_in_the_terminal_withdraws_the_ask(start: Start) -> None:
    asked = start()
    asked.pane.type("make the file @@permission")
    ask = asked.waiting("permission")

    asked.pane.answer("Escape")
    over = asked.closed(ask)

    assert over["outcome"] == "interrupted"
    assert not made(asked)
    until(lambda: not asked.hooks(), "the hook leaving", instead=asked.hooks)


def test_a_client_that_is_killed_withdraws_its_ask(start: Start) -> None:
    asked = start()
    asked.pane.type("make the file @@permission")
    ask = asked.waiting("permission")

    asked.pane.kill()

    assert asked.closed(ask)["outcome"] == "ended"


def test_a_daemon_that_is_killed_and_comes_back_still_gets_the_answer_through(
    start: Start,
) -> None:
    asked = start()
    asked.pane.type("make the file @@permission")
    ask = asked.waiting("permission")

    asked.daemon.kill()
    asked.daemon.start()
    again = asked.waiting("permission")
    assert asked.answer(again, "allow").status == 200
    asked.pane.wait_status("idle")

    assert again["id"] == ask["id"]
    assert made(asked)


def test_without_a_daemon_the_dialog_is_all_there_is(client_binary: Path, tmp_path: Path) -> None:
    client = RealClient(client_binary, ASKING)
    daemon = Daemon(tmp_path / "data", client.claude_dir)
    folders = ("--data", str(daemon.data), "--claude-dir", str(client.claude_dir))
    assert run_turnkeeper("hooks", "install", *folders).returncode == 0
    (daemon.data / "spool").mkdir(parents=True, exist_ok=True)
    try:
        pane = client.start()
        pane.type("make the file @@permission")
        pane.wait_status("waiting")
        pane.wait_screen(DIALOG_SIGN)
        asked = Asked(pane, daemon)
        until(lambda: not asked.hooks(), "no hook waiting", instead=asked.hooks)

        daemon.start()
        ask = asked.waiting("permission", answerable=False)
        pane.answer("Enter")
        pane.wait_status("idle")

        assert ask["decisions"] == []
        assert asked.answer(ask, "allow").status == 409
        assert asked.closed(ask)["outcome"] == "terminal"
    finally:
        client.close()
        daemon.close()
