"""`turnkeeper asks` and `turnkeeper answer`: the queue in a terminal, and in scripts."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.lab.asking import Caller, bearing
from tests.lab.daemon import Daemon, turnkeeper
from tests.lab.offering import (
    Json,
    Waiting,
    edit,
    heard,
    offered,
    permission,
    plan,
    question,
    queue,
    shown,
    waiting,
)
from tests.lab.real_client import until

REASON = "Not in this folder, please"
LONG = "docker compose exec -T backend python manage.py migrate --noinput && " * 4 + "rm -rf /tmp/x"
Done = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    root = tmp_path_factory.mktemp("asks")
    daemon = Daemon(root / "data", root / "claude")
    daemon.start()
    yield daemon
    daemon.close()


@pytest.fixture
def owner(daemon: Daemon) -> Iterator[Caller]:
    """Whoever asks; what is left in the queue is answered for the next test."""
    owner = bearing(daemon.url, daemon.token)
    yield owner
    for ask in queue(owner):
        done = heard("SessionEnd", ask["session_id"], reason="other")
        owner.post("/api/hooks/claude", json.dumps(done).encode())
    until(lambda: not queue(owner) or None, "an empty queue", instead=lambda: queue(owner))


def typed(daemon: Daemon, *words: str, columns: int = 80) -> Done:
    return subprocess.run(
        [*turnkeeper(), *words, "--data", str(daemon.data)],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
        env={**os.environ, "COLUMNS": str(columns)},
    )


def lines(done: Done) -> list[str]:
    assert done.returncode == 0, done.stderr
    return [line.rstrip() for line in done.stdout.splitlines()]


def say(owner: Caller, payload: Json) -> None:
    owner.post("/api/hooks/claude", json.dumps(payload).encode())


# The queue --------------------------------------------------------------------------------------


def test_where_nothing_waits_the_queue_says_so(daemon: Daemon, owner: Caller) -> None:
    assert lines(typed(daemon, "asks")) == ["Nothing waits for you."]
    assert json.loads(typed(daemon, "asks", "--json").stdout) == []


def test_the_queue_shows_what_waits_and_how_to_answer(daemon: Daemon, owner: Caller) -> None:
    hook, ask = offered(owner)

    told = "\n".join(lines(typed(daemon, "asks", columns=120)))
    hook.leave()

    assert f"{ask['id']} " in told
    assert "! permission" in told
    assert "Bash: touch made.txt" in told
    assert "→ allow, always, deny" in told
    assert "always: allow Bash(touch:*) without asking" in told


@pytest.mark.parametrize("columns", [80, 120])
def test_no_line_is_wider_than_the_terminal(daemon: Daemon, owner: Caller, columns: int) -> None:
    hooks = [offered(owner, make)[0] for make in (permission, edit, question, plan)]

    told = lines(typed(daemon, "asks", columns=columns))
    for hook in hooks:
        hook.leave()

    assert max(map(len, told)) <= columns
    text = "\n".join(told)
    assert "+x = 2" in text
    assert "[Checks] Which checks? (any of them)" in text
    assert "# The plan" in text


def test_a_long_command_is_shown_to_its_end(daemon: Daemon, owner: Caller) -> None:
    hook = Waiting(owner, permission(str(uuid4()), LONG))
    waiting(owner, hook.session)

    told = " ".join(" ".join(lines(typed(daemon, "asks"))).split())
    hook.leave()

    assert LONG in told


def test_what_is_left_out_is_said(daemon: Daemon, owner: Caller) -> None:
    command = "\n".join(f"echo {number}" for number in range(30))
    hook = Waiting(owner, permission(str(uuid4()), command))
    waiting(owner, hook.session)

    told = "\n".join(lines(typed(daemon, "asks")))
    hook.leave()

    assert "echo 11" in told
    assert "… and 18 more lines; --json has all of it" in told


def test_a_command_steers_no_terminal(daemon: Daemon, owner: Caller) -> None:
    steering = "ls \x1b[2K\x1b[1A\x9b31m\u202etxt.exe"
    hook = Waiting(owner, permission(str(uuid4()), steering))
    waiting(owner, hook.session)

    told = typed(daemon, "asks").stdout
    hook.leave()

    assert "\x1b" not in told
    assert "\x9b" not in told
    assert "\u202e" not in told
    assert "ls ␛[2K␛[1A" in told


def test_an_ask_without_a_hook_is_marked(daemon: Daemon, owner: Caller) -> None:
    session = str(uuid4())
    say(owner, permission(session))
    waiting(owner, session, answerable=False)

    assert "→ in the terminal" in "\n".join(lines(typed(daemon, "asks")))


def test_the_queue_as_json_is_what_the_api_says(daemon: Daemon, owner: Caller) -> None:
    hook, ask = offered(owner)

    told = json.loads(typed(daemon, "asks", "--json").stdout)
    hook.leave()

    assert told == [ask]


def test_a_watched_queue_is_shown_anew_at_every_change(daemon: Daemon, owner: Caller) -> None:
    command = [*turnkeeper(), "asks", "--watch", "--json", "--data", str(daemon.data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        first = json.loads(watching.stdout.readline())
        hook, ask = offered(owner)
        second = json.loads(watching.stdout.readline())
        typed(daemon, "answer", str(ask["id"]), "allow")
        third = json.loads(watching.stdout.readline())
        watching.kill()
    hook.leave()

    assert (first, [each["id"] for each in second], third) == ([], [ask["id"]], [])


def test_a_watched_queue_goes_on_with_the_next_daemon(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path / "data", tmp_path / "claude")
    daemon.start()
    command = [*turnkeeper(), "asks", "--watch", "--json", "--data", str(daemon.data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        first = json.loads(watching.stdout.readline())
        daemon.stop()
        daemon.start()
        hook, ask = offered(bearing(daemon.url, daemon.token))
        told = json.loads(watching.stdout.readline())
        watching.kill()
    hook.leave()
    daemon.close()

    assert (first, [each["id"] for each in told]) == ([], [ask["id"]])


# Answers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decision", "behaviour", "why"),
    [("allow", "allow", "Allowed"), ("always", "allow", "Always allowed")],
)
def test_a_permission_is_given(
    daemon: Daemon, owner: Caller, decision: str, behaviour: str, why: str
) -> None:
    hook, ask = offered(owner)

    told = lines(typed(daemon, "answer", str(ask["id"]), decision))

    assert hook.decision()["behavior"] == behaviour
    assert told[0].startswith(f"{why} by the command line: Bash: touch made.txt")


@pytest.mark.parametrize("decision", ["deny", "reject"])
def test_a_no_comes_with_a_message(daemon: Daemon, owner: Caller, decision: str) -> None:
    hook, ask = offered(owner, permission if decision == "deny" else plan)

    done = typed(daemon, "answer", str(ask["id"]), decision, "--message", REASON)

    assert done.returncode == 0
    assert hook.decision() == {"behavior": "deny", "message": REASON}


def test_a_plan_is_approved(daemon: Daemon, owner: Caller) -> None:
    hook, ask = offered(owner, plan)

    assert typed(daemon, "answer", str(ask["id"]), "approve").returncode == 0
    assert hook.decision()["behavior"] == "allow"


CHOICES = {
    "labels": (
        ["--option", "SQLite", "--option", "Types", "--option", "Tests"],
        {"Which database?": "SQLite", "Which checks?": "Types, Tests"},
    ),
    "labels by header": (
        ["--option", "Database=SQLite", "--option", "Checks=Both"],
        {"Which database?": "SQLite", "Which checks?": "Both"},
    ),
    "words of one's own": (
        ["--text", "Database=DuckDB, if x=1", "--option", "Both"],
        {"Which database?": "DuckDB, if x=1", "Which checks?": "Both"},
    ),
}


@pytest.mark.parametrize("case", CHOICES)
def test_questions_are_answered(daemon: Daemon, owner: Caller, case: str) -> None:
    words, expected = CHOICES[case]
    hook, ask = offered(owner, question)

    done = typed(daemon, "answer", str(ask["id"]), *words)

    assert done.returncode == 0, done.stderr
    assert hook.decision()["updatedInput"]["answers"] == expected


def test_words_are_dismissed_as_no_question(daemon: Daemon, owner: Caller) -> None:
    session = str(uuid4())
    say(owner, heard("UserPromptSubmit", session, prompt="which way?"))
    say(owner, heard("Stop", session, last_assistant_message="Which one would you prefer?"))
    ask = waiting(owner, session, answerable=False)

    told = lines(typed(daemon, "answer", str(ask["id"]), "dismiss"))

    assert told[0].startswith("Dismissed by the command line: Which one would you prefer?")


def test_an_answer_as_json_is_the_ask_as_it_stands(daemon: Daemon, owner: Caller) -> None:
    hook, ask = offered(owner)

    told = json.loads(typed(daemon, "answer", str(ask["id"]), "allow", "--json").stdout)
    hook.leave()

    assert told == shown(owner, ask)
    assert told["answer"]["by"] == "the command line"


# How a script knows -----------------------------------------------------------------------------

UNFIT = {
    "nothing said": [],
    "two things said": ["allow", "--text", "yes"],
    "no such decision": ["perhaps"],
    "a decision of another kind": ["approve"],
    "words for a permission": ["--text", "yes"],
    "a label for a permission": ["--option", "Yes"],
}


@pytest.mark.parametrize("case", UNFIT)
def test_what_does_not_fit_a_permission_exits_2(daemon: Daemon, owner: Caller, case: str) -> None:
    hook, ask = offered(owner)

    done = typed(daemon, "answer", str(ask["id"]), *UNFIT[case])

    assert (done.returncode, done.stdout) == (2, "")
    assert shown(owner, ask)["outcome"] is None
    hook.leave()


UNFIT_CHOICES = {
    "too few": (["--option", "SQLite"], "'Which checks?' has no answer yet"),
    "not on offer": (["--option", "MySQL"], "'MySQL' is not on offer; these are: SQLite, Post"),
    "one too many": (
        ["--option", "SQLite", "--option", "PostgreSQL", "--option", "Both"],
        "'Which database?' takes one answer",
    ),
    "no header": (["--text", "DuckDB"], "write HEADER=WORDS; the headers are: Database, Checks"),
    "twice": (["--option", "Both", "--text", "Checks=all"], "'Which checks?' has two answers"),
}


@pytest.mark.parametrize("case", UNFIT_CHOICES)
def test_what_does_not_fit_a_question_exits_2_and_says_why(
    daemon: Daemon, owner: Caller, case: str
) -> None:
    words, why = UNFIT_CHOICES[case]
    hook, ask = offered(owner, question)

    done = typed(daemon, "answer", str(ask["id"]), *words)
    hook.leave()

    assert done.returncode == 2
    assert why in done.stderr
    assert "turnkeeper asks" in done.stderr


def test_an_ask_nobody_opened_exits_4(daemon: Daemon, owner: Caller) -> None:
    assert typed(daemon, "answer", "999999", "allow").returncode == 4
    assert typed(daemon, "answer", "999999", "--text", "yes").returncode == 4


@pytest.mark.parametrize("words", [["allow"], ["--text", "yes"]], ids=["decision", "words"])
def test_an_ask_that_is_closed_exits_5_and_says_who_was_first(
    daemon: Daemon, owner: Caller, words: list[str]
) -> None:
    hook, ask = offered(owner)
    assert typed(daemon, "answer", str(ask["id"]), "deny").returncode == 0
    hook.leave()

    done = typed(daemon, "answer", str(ask["id"]), *words)

    assert done.returncode == 5
    assert "Denied by the command line" in done.stderr


def test_an_ask_of_the_terminal_alone_exits_5(daemon: Daemon, owner: Caller) -> None:
    session = str(uuid4())
    say(owner, permission(session))
    ask = waiting(owner, session, answerable=False)

    done = typed(daemon, "answer", str(ask["id"]), "allow")

    assert done.returncode == 5
    assert "turnkeeper hooks install" in done.stderr


@pytest.mark.parametrize(
    "words",
    [["asks"], ["asks", "--json"], ["asks", "--watch"], ["answer", "1", "allow"]],
    ids=" ".join,
)
def test_without_a_daemon_they_exit_3(tmp_path: Path, words: list[str]) -> None:
    done = typed(Daemon(tmp_path, tmp_path), *words)

    assert (done.returncode, done.stdout) == (3, "")
    assert "turnkeeper up" in done.stderr
