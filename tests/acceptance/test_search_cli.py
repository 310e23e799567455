"""`turnkeeper search`, as a person and a script use it; no daemon runs."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.lab.daemon import run_turnkeeper
from tests.pure.stories import SESSION, fact, line, spoke, was_prompted
from turnkeeper.cli.search import search
from turnkeeper.daemon.rebuild import rebuild
from turnkeeper.daemon.settings import settings
from turnkeeper.daemon.stores import open_journal
from turnkeeper.errors import AgentUnknown, MomentUnclear
from turnkeeper.facts.fact import Fact
from turnkeeper.facts.kinds import Cause, SessionStarted
from turnkeeper.sources.clock import SystemClock

Search = Callable[..., Result]


async def keep(data: Path, facts: list[Fact]) -> None:
    """Leave a journal and its board as a daemon would."""
    async with open_journal(settings(data)) as journal:
        await journal.append(facts)
        await rebuild(settings(data), journal, lambda done, total: None)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    today = SystemClock().now() / 1_000_000
    facts = [
        fact(SessionStarted(Cause.STARTUP, str(tmp_path / "reader")), 1_767_225_000),
        line(was_prompted("Add retries to [bold]the reader[/bold].", entry="u1"), 1_767_225_600),
        line(spoke("I added retries; 検索 works.", entry="a1"), today - 60),
    ]
    asyncio.run(keep(tmp_path, facts))
    return tmp_path


@pytest.fixture
def find(data: Path) -> Search:
    def run(*words: str, width: int = 200) -> Result:
        runner = CliRunner(env={"COLUMNS": str(width)})
        return runner.invoke(search, ["--data", str(data), *words])

    return run


def hits(result: Result) -> list[str]:
    return [hit["snippet"] for hit in json.loads(result.stdout)["hits"]]


ASKED = "Add retries to [bold]the reader[/bold]."
ANSWERED = "I added retries; 検索 works."


def test_a_person_sees_the_words_marked_and_the_newest_first(find: Search) -> None:
    shown = find("RETRIES").stdout
    assert shown.split("\n")[0].split() == ["time", "agent", "who", "words"]
    assert shown.index("I added «retries»; 検索 works.") < shown.index(
        "Add «retries» to [bold]the reader[/bold]."
    )
    assert "2026-01-01 00:00" in shown
    assert "1  reader" in shown


def test_a_script_gets_places_in_the_snippet(find: Search) -> None:
    told = json.loads(find("検索", "added", "--json").stdout)

    assert told["truncated"] is False
    (hit,) = told["hits"]
    assert [hit["snippet"][start:end] for start, end in hit["highlights"]] == ["added", "検索"]
    assert (hit["session_id"], hit["actor"], hit["agent_id"]) == (SESSION, "agent", 1)


def test_nothing_found_is_said(find: Search) -> None:
    result = find("elephant")

    assert (result.exit_code, result.stdout) == (0, "Nothing was found.\n")


def test_nothing_found_is_an_empty_list_for_scripts(find: Search) -> None:
    assert json.loads(find("elephant", "--json").stdout) == {"hits": [], "truncated": False}


def test_several_words_must_all_be_there(find: Search) -> None:
    assert hits(find("--json", "retries", "reader")) == [ASKED]
    assert hits(find("--json", '"retries to"')) == [ASKED]


def test_words_with_a_dash_come_after_two(find: Search) -> None:
    assert hits(find("--json", "--", "--json")) == []


def test_the_filters(find: Search, data: Path) -> None:
    assert hits(find("--json", "retries", "--actor", "user")) == [ASKED]
    assert hits(find("--json", "retries", "--since", "2h")) == [ANSWERED]
    assert hits(find("--json", "retries", "--since", "2026-01-02")) == [ANSWERED]
    assert hits(find("--json", "retries", "--agent", SESSION[:8])) == [ANSWERED, ASKED]
    assert hits(find("--json", "retries", "--project", "reader")) == [ANSWERED, ASKED]
    assert hits(find("--json", "retries", "--project", str(data / "x" / ".."))) == [ANSWERED, ASKED]
    assert hits(find("--json", "retries", "--project", ".")) == []
    assert hits(find("--json", "retries", "--limit", "1")) == [ANSWERED]


def test_a_narrow_terminal_folds_the_words(find: Search) -> None:
    result = find("retries", width=40)

    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 40


def test_an_unknown_agent_and_an_odd_time_are_explained(find: Search) -> None:
    assert isinstance(find("x", "--agent", "99").exception, AgentUnknown)
    assert isinstance(find("x", "--since", "soon").exception, MomentUnclear)
    assert find("x", "--actor", "tool").exit_code == 2
    assert find().exit_code == 2


def test_the_process_says_in_a_sentence_what_it_cannot_do(tmp_path: Path) -> None:
    told = run_turnkeeper("search", "--data", str(tmp_path), "x" * 2000)

    assert told.returncode == 2
    assert told.stdout == ""
    assert told.stderr.startswith("turnkeeper: This search cannot be done: it has 2,000 characters")
    assert "Traceback" not in told.stderr


def test_before_anything_was_said(tmp_path: Path) -> None:
    told = run_turnkeeper("search", "--data", str(tmp_path / "new"), "retries")

    assert (told.returncode, told.stdout) == (0, "Nothing was found.\n")


def test_a_board_of_an_older_version_says_how_to_mend_it(find: Search, data: Path) -> None:
    with sqlite3.connect(data / "board.db") as board:
        board.execute("UPDATE about SET value = x'31' WHERE name = 'shape'")
    board.close()

    result = find("retries")

    assert "lacks the newest 3 facts" in result.stdout
    assert "`turnkeeper rebuild`" in result.stdout
