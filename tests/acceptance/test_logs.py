"""`turnkeeper logs`: the daemon's log, of one agent or of all, also as it grows."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.lab.daemon import Daemon, run_turnkeeper, turnkeeper
from turnkeeper.desk.log_book import old_lines

ONE = "5413d6c7-305f-49b6-aa4c-b1ad0b89fa6a"
OTHER = "c1ea4ed0-0000-4000-8000-000000000002"


def line(event: str, **fields: object) -> dict[str, Any]:
    return {
        "event": event,
        "level": "info",
        "timestamp": "2026-11-16T08:00:00.000000Z",
        **fields,
    }


def written(*lines: object) -> str:
    return "".join(json.dumps(each) + "\n" for each in lines)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    log = tmp_path / "logs" / "turnkeeper.log"
    log.parent.mkdir()
    return log


def events(log: Path, *args: str) -> list[str]:
    done = run_turnkeeper("logs", "--json", "--data", str(log.parents[1]), *args)
    assert done.returncode == 0, done.stderr
    return [json.loads(each)["event"] for each in done.stdout.splitlines()]


def test_older_files_come_first(log: Path) -> None:
    log.write_text(written(line("newest")))
    log.with_name("turnkeeper.log.1").write_text(written(line("older")))
    log.with_name("turnkeeper.log.10").write_text(written(line("oldest")))

    assert events(log) == ["oldest", "older", "newest"]


def test_lines_are_chosen_by_level_and_time(log: Path) -> None:
    early = "2026-11-15T08:00:00.000000Z"
    log.write_text(
        written(
            line("early", timestamp=early, level="error"),
            line("info"),
            line("warning", level="warning"),
            line("error", level="error"),
        )
    )

    assert events(log, "--level", "warning") == ["early", "warning", "error"]
    since = ("--since", "2026-11-16T00:00+00:00")
    assert events(log, *since) == ["info", "warning", "error"]
    assert events(log, *since, "--level", "error") == ["error"]


def test_without_a_board_an_agent_is_its_number_or_its_session(log: Path) -> None:
    log.write_text(
        written(line("one", agent=1, session=ONE), line("two", agent=2), line("stale", session=ONE))
    )

    assert events(log, "1") == ["one"]
    assert events(log, ONE) == ["one", "stale"]


def test_what_is_no_json_is_shown_as_it_is(log: Path) -> None:
    log.write_text(written(line("good")) + "Traceback, of all things\n" + "half a li")

    assert [each["event"] for each in old_lines(log)] == ["good", "Traceback, of all things"]


def test_people_see_when_how_bad_what_and_of_whom(log: Path) -> None:
    failed = line("task.failed", level="error", task="watch", exception="Traceback\n  boom")
    log.write_text(written(line("state.moved", agent=3, to_state="idle"), failed))

    shown = run_turnkeeper("logs", "--data", str(log.parents[1])).stdout.splitlines()

    assert shown[0].split() == [
        *("2026-11-16", "08:00:00.000", "info"),
        *("state.moved", "agent", "3", "to_state=idle"),
    ]
    assert "✗ error" in shown[1]
    assert shown[2:] == ["    Traceback", "      boom"]


def test_nothing_logged_yet_is_said(tmp_path: Path) -> None:
    done = run_turnkeeper("logs", "--data", str(tmp_path / "none"))

    assert done.returncode == 0
    assert "Nothing was logged" in done.stderr
    assert not (tmp_path / "none").exists()


def test_a_time_that_cannot_be_read_is_refused(log: Path) -> None:
    done = run_turnkeeper("logs", "--data", str(log.parents[1]), "--since", "yesterdayish")

    assert done.returncode == 2
    assert "yesterdayish" in done.stderr


@pytest.fixture
def following(log: Path) -> Iterator[Iterator[str]]:
    """The events of `logs -f`, each as it comes."""
    log.write_text(written(line("first")))
    with subprocess.Popen(
        [*turnkeeper(), "logs", "-f", "--json", "--data", str(log.parents[1])],
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        yield (json.loads(each)["event"] for each in running.stdout)
        running.terminate()


def test_following_shows_lines_as_they_come_across_a_rotation(
    log: Path, following: Iterator[str]
) -> None:
    assert next(following) == "first"

    with log.open("a") as out:
        out.write(written(line("second")))
    assert next(following) == "second"

    log.rename(log.with_name("turnkeeper.log.1"))
    log.write_text(written(line("after the rotation")))
    assert next(following) == "after the rotation"


def test_one_agent_of_a_real_daemon(tmp_path: Path) -> None:
    with closing(Daemon(tmp_path / "data", tmp_path / ".claude")) as daemon:
        daemon.start()
        for session in (ONE, OTHER):
            hook = {"hook_event_name": "SessionStart", "session_id": session, "source": "startup"}
            (daemon.data / "spool" / f"{session}.1.jsonl").write_text(json.dumps(hook) + "\n")
            daemon.wait_standing(session, "idle")

        done = run_turnkeeper("logs", ONE[:8], "--json", "--data", str(daemon.data))
        unknown = run_turnkeeper("logs", "99", "--data", str(daemon.data))

    told = [json.loads(each) for each in done.stdout.splitlines()]
    assert told
    assert {each["session"] for each in told} == {ONE}
    assert unknown.returncode == 4
