"""`turnkeeper demo`, from outside: it shows a board, says what it is, and leaves nothing."""

import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.lab.daemon import run_turnkeeper
from tests.lab.demo import Demo
from tests.lab.real_client import PATIENCE_SECONDS, until

Start = Callable[..., Demo]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    demos: list[Demo] = []

    def begin(*options: str, browser: str = "", ready: bool = True) -> Demo:
        demos.append(Demo(tmp_path, *options, browser=browser))
        return demos[-1].wait_ready() if ready else demos[-1]

    yield begin
    for demo in demos:
        demo.process.kill()
        demo.process.wait()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """One that several tests look at, and answer."""
    demo = Demo(tmp_path_factory.mktemp("demo"))
    try:
        yield demo.wait_ready()
    finally:
        demo.end(signal.SIGTERM)


def gone(processes: list[psutil.Process]) -> bool:
    return not any(each.is_running() for each in processes)


# What it shows ------------------------------------------------------------------------------------


def test_it_shows_agents_that_work_wait_fail_and_rest(demo: Demo) -> None:
    shown = {"running", "awaiting_input", "awaiting_approval", "error", "idle", "closed"}

    def standings() -> set[str]:
        return {agent["standing"] for agent in demo.agents()}

    until(lambda: shown <= standings() or None, "every standing", instead=standings)
    assert len([each for each in demo.agents() if each["standing"] != "closed"]) == 8


def test_it_says_that_it_is_a_demo_wherever_one_looks(demo: Demo) -> None:
    assert "DEMO: 8 scripted agents" in demo.told()
    assert demo.get("/api/health")["demo"] is True
    assert {agent["host"] for agent in demo.agents()} == {"demo"}


def test_it_lets_a_browser_in_by_a_name_that_keeps_its_cookie_apart(demo: Demo) -> None:
    [code] = re.findall(r"http://localhost:\d+(/login\?code=\S+)", demo.told())

    answer = demo.caller.get(code)

    assert answer.status == 302
    assert "turnkeeper-" in answer.headers["set-cookie"]


def test_it_opens_the_board_in_the_browser(start: Start, tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> "{opened}"\n')
    browser.chmod(0o700)

    demo = start("--agents", "1", browser=str(browser))

    until(lambda: opened.exists() or None, "a page", instead=demo.told)
    assert opened.read_text().strip() in demo.told()


def test_it_has_a_past_of_some_hours(demo: Demo) -> None:
    found = demo.get("/api/search?words=rounding")["hits"]
    trails = [demo.get(f"/api/agents/{agent['id']}/transitions") for agent in demo.agents()]

    assert found
    assert all(trail[0]["at"] < trail[-1]["at"] for trail in trails)
    waited = [step for trail in trails for step in trail if step["to_state"] == "awaiting_approval"]
    assert len(waited) >= 4


def test_its_agents_ask_and_the_board_answers(demo: Demo) -> None:
    permission = demo.ask("permission")
    demo.answer(permission, decision="deny", message="Not before the weekend")
    question = demo.ask("question")
    asked = question["questions"][0]
    demo.answer(question, decision="answer", answers={asked["question"]: "Ask accounting first"})

    demo.says(permission["agent_id"], "Not before the weekend")
    demo.says(permission["agent_id"], "I leave that")
    demo.says(question["agent_id"], "Ask accounting first")


def test_a_plan_is_shown_as_it_was_written(demo: Demo) -> None:
    plan = demo.ask("plan")

    assert "## Risks" in plan["body"]
    demo.answer(plan, decision="approve")
    demo.says(plan["agent_id"], "attach(response)")


def test_the_other_verbs_work_on_it(demo: Demo) -> None:
    listed = run_turnkeeper("agents", "--data", str(demo.folder / "data"))

    assert listed.returncode == 0
    assert "Split the" in listed.stdout


# What it leaves -----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_with_everything_it_has_started(start: Start, number: signal.Signals) -> None:
    demo = start("--agents", "3")
    demo.ask("permission")
    started = demo.started()

    code = demo.end(number)

    assert code == 0
    assert len(started) >= 3
    assert gone(started)
    assert list(demo.temporary.iterdir()) == []
    assert "the demo's folder is removed" in demo.told()


def test_it_touches_nothing_but_its_own_folder(start: Start) -> None:
    demo = start("--agents", "2")
    inside = [path.name for path in demo.temporary.iterdir()]

    demo.end(signal.SIGTERM)

    assert len(inside) == 1
    assert list(demo.home.iterdir()) == []


def test_its_agents_do_not_outlive_one_that_is_killed(start: Start) -> None:
    demo = start("--agents", "3")
    agents = [child for child in demo.started() if child.name() == "cat"]

    demo.end(signal.SIGKILL)

    assert len(agents) == 3
    until(lambda: gone(agents) or None, "the agents' ends", instead=lambda: agents)


def test_a_taken_port_is_said_and_nothing_is_left(start: Start, demo: Demo) -> None:
    taken = demo.caller.url.rpartition(":")[2]
    second = start("--port", taken, ready=False)

    code = second.process.wait(timeout=PATIENCE_SECONDS)

    assert code == 1
    assert second.told().startswith(f"turnkeeper: Cannot listen on 127.0.0.1:{taken}")
    assert list(second.temporary.iterdir()) == []


@pytest.mark.parametrize("said", ["", "ready at"], ids=["at once", "when it is ready"])
def test_whoever_changes_their_mind_is_heard(start: Start, said: str) -> None:
    demo = start("--agents", "2", ready=False)
    until(lambda: any(demo.temporary.iterdir()) or None, "a folder", instead=demo.told)
    until(lambda: said in demo.told() or None, "it", instead=demo.told)

    assert demo.end(signal.SIGINT) == 0
    assert list(demo.temporary.iterdir()) == []
