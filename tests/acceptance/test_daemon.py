"""`turnkeeper up` and the verbs beside it, from outside: what a person and a script meet."""

import asyncio
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any, TypeVar

import pytest
from msgspec.json import encode

from tests.conftest import Delay
from tests.lab.daemon import Daemon, run_turnkeeper
from tests.lab.house import House, board_of, until, words_of
from tests.lab.scenarios import HELLO, SCENARIOS, bash, pid_of, registry_file
from turnkeeper.daemon.lock import PATIENT, PAUSE, Lock
from turnkeeper.daemon.stores import open_journal
from turnkeeper.facts.fact import START
from turnkeeper.facts.kinds import PromptSubmitted
from turnkeeper.scripted.agent import ScriptedAgent
from turnkeeper.scripted.body import Role
from turnkeeper.scripted.faults import Faults
from turnkeeper.scripted.stage import Part
from turnkeeper.scripted.steps import Clear, Finish, Kill, Prompt

TOOL = SCENARIOS["tool_call"]
SESSION = "0f0f0f0f-0000-4000-8000-000000000001"
TWIN = "0f0f0f0f-0000-4000-8000-000000000002"
SECOND = 1_000_000_000


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.fixture
def daemon(house: House) -> Iterator[Daemon]:
    daemon = Daemon(house.place.data, house.place.claude_dir)
    yield daemon
    daemon.close()


def role(house: House, project: str = "project") -> Role:
    return Role(house.place.data.parent / project)


def hook(event: str, session: str = SESSION, **fields: object) -> bytes:
    """What a client hands to a hook."""
    common = {"session_id": session, "cwd": "/work", "hook_event_name": event}
    return encode(common | fields) + b"\n"


def prompt(text: str) -> bytes:
    return hook("UserPromptSubmit", prompt=text, prompt_id=f"id of {text}".replace(" ", "-"))


def spool(house: House, raw: bytes, name: str, at: int | None = None) -> Path:
    """Leave this in the spool, as a hook would."""
    file = house.place.data / "spool" / f"{SESSION}.{name}.jsonl"
    file.write_bytes(raw)
    if at is not None:
        os.utime(file, ns=(at, at))
    return file


def spooled(house: House) -> list[Path]:
    return [file for file in (house.place.data / "spool").glob("**/*.jsonl") if file.is_file()]


def said(*texts: str) -> list[tuple[str, str]]:
    return [("user", text) for text in texts]


# The daemon -------------------------------------------------------------------------------------


def test_up_says_when_it_is_ready_and_a_second_one_says_who_runs(
    house: House, daemon: Daemon
) -> None:
    daemon.start()

    second = run_turnkeeper("up", "--data", str(house.place.data), "--port", "0", "--no-browser")

    assert "turnkeeper ready" in daemon.told()
    assert second.returncode == 0
    assert f"already runs on {house.place.data}" in second.stdout
    assert daemon.url in second.stdout


def test_whoever_asks_whether_a_daemon_runs_keeps_none_from_starting(house: House) -> None:
    asking, starting = Lock(house.settings), Lock(house.settings)
    assert asking.take()
    Timer(PAUSE, asking.close).start()

    assert starting.take(PATIENT)
    starting.close()


def test_sigterm_drains_the_spool_and_leaves_nothing_open(house: House, daemon: Daemon) -> None:
    daemon.start()
    is_open = (house.place.data / "spool" / ".open").exists()
    spool(house, prompt("the last words"), "1")

    daemon.stop()

    assert is_open
    assert "turnkeeper stopped" in daemon.told()
    assert not (house.place.data / "spool" / ".open").exists()
    assert not (house.place.data / "daemon.json").exists()
    assert spooled(house) == []
    assert asyncio.run(house.words(SESSION)) == said("the last words")


async def test_hooks_of_tools_are_heard_only_while_a_daemon_runs(
    house: House, daemon: Daemon
) -> None:
    mark = house.place.data / "spool" / ".open"
    async with house.stage() as stage:
        agent = await stage.enter(role(house))
        await agent.play(TOOL)
        alone = [json.loads(file.read_bytes())["hook_event_name"] for file in spooled(house)]
        async with house.up():
            held = mark.exists()
        await asyncio.to_thread(daemon.start)
        await asyncio.to_thread(daemon.kill)
        after_a_kill = mark.exists()
        async with house.up():
            pass

    assert sorted(alone) == ["SessionStart", "Stop", "UserPromptSubmit"]
    assert held
    assert after_a_kill
    assert not mark.exists()


# The spool --------------------------------------------------------------------------------------


async def test_a_payload_is_taken_once_though_its_file_outlives_the_commit(house: House) -> None:
    taken = house.place.data / "spool" / "taken" / f"1000-1-0-{SESSION}.7.jsonl"
    taken.parent.mkdir()
    for _ in range(3):  # each time as if the daemon had died before removing it
        taken.write_bytes(prompt("once"))
        async with house.up():
            await house.hears(SESSION, said("once"))
        assert not taken.exists()

    assert await house.words(SESSION) == said("once")


async def test_a_file_name_that_recurs_is_another_file(house: House) -> None:
    async with house.up():
        spool(house, prompt("one"), "7")
        await house.hears(SESSION, said("one"))
        spool(house, prompt("two"), "7")

        await house.hears(SESSION, said("one", "two"))


@pytest.mark.parametrize("between", [b"\n", b"", b"\n\n"])
async def test_payloads_run_together_in_one_file_are_all_taken(
    house: House, between: bytes
) -> None:
    texts = ("one", "two {", 'three "}{"')
    async with house.up():
        spool(house, between.join(prompt(text)[:-1] for text in texts) + b"\n", "7")

        await house.hears(SESSION, said(*texts))
        assert spooled(house) == []


async def test_a_torn_payload_costs_not_the_one_written_behind_it(house: House) -> None:
    raw = prompt("lost")[:40] + prompt("kept")
    async with house.up():
        spool(house, raw, "7", at=time.time_ns() - 10 * SECOND)

        await house.hears(SESSION, said("kept"))
    assert len(house.log("hook.unreadable")) == 1


async def test_half_a_payload_is_taken_when_it_is_whole(house: House, delay: Delay) -> None:
    raw = prompt("in two pieces")
    async with house.up():
        with (house.place.data / "spool" / f"{SESSION}.7.jsonl").open("ab", buffering=0) as file:
            file.write(raw[:50])
            taken = house.place.data / "spool" / "taken"
            await until(lambda: any(taken.iterdir()), "taken", lambda: spooled(house))
            file.write(raw[50:])

        delay("half a payload to its turn", await house.hears(SESSION, said("in two pieces")))
        await until(lambda: not spooled(house), "removed", lambda: spooled(house))
    assert house.log("hook.unreadable") == []


async def test_a_payload_with_half_an_emoji_is_taken_at_once(house: House) -> None:
    async with house.up():
        spool(house, prompt("cut X").replace(b"X", rb"\ud83d"), "7")

        await house.hears(SESSION, said("cut \N{REPLACEMENT CHARACTER}"))


async def test_what_gathered_while_no_daemon_ran_is_taken_in_order(house: House) -> None:
    now = time.time_ns() - 60 * SECOND
    for name, after in {"5": 2, "900": 0, "31": 1, "32": 4, "4": 3}.items():
        spool(house, prompt(f"prompt {after}"), name, at=now + after * SECOND)

    async with house.up():
        await house.hears(SESSION, said(*(f"prompt {number}" for number in range(5))))
    async with open_journal(house.settings) as journal:
        facts = [recorded.fact for recorded in await journal.after(START)]
    prompts = [fact.what.text for fact in facts if isinstance(fact.what, PromptSubmitted)]
    assert prompts == [f"prompt {number}" for number in range(5)]


async def test_of_what_happened_at_one_moment_the_end_comes_last(house: House) -> None:
    at = time.time_ns() - 60 * SECOND
    call = {"tool_name": "Bash", "tool_use_id": "t1", "prompt_id": "p"}
    ends = hook("Stop", prompt_id="p", last_assistant_message="It is done.")
    spool(house, ends, "1", at=at)
    spool(house, hook("PostToolUse", **call), "2", at=at)
    spool(house, hook("PreToolUse", tool_input={}, **call), "3", at=at)
    spool(house, hook("UserPromptSubmit", prompt="go", prompt_id="p"), "4", at=at - SECOND)

    async with house.up():
        await house.hears(SESSION, [*said("go"), ("agent", "It is done.")])
    async with open_journal(house.settings) as journal:
        words = [type(each.fact.what).__name__ for each in await journal.after(START)]
    ended = ["PromptSubmitted", "ToolStarted", "ToolFinished", "AgentSpoke", "TurnEnded"]
    assert words == ended


@pytest.mark.parametrize("thing", ["a folder", "a pipe", "a dangling link", "an endless name"])
async def test_a_strange_thing_in_the_spool_stops_nobody(house: House, thing: str) -> None:
    strange = house.place.data / "spool" / "x.jsonl"
    make: dict[str, Callable[[], object]] = {
        "a folder": strange.mkdir,
        "a pipe": lambda: os.mkfifo(strange),
        "a dangling link": lambda: strange.symlink_to("nowhere"),
        "an endless name": lambda: strange.with_name("x" * 240 + ".jsonl").write_bytes(b"{}\n"),
    }
    make[thing]()
    async with house.up():
        spool(house, prompt("heard"), "7")

        await house.hears(SESSION, said("heard"))
    assert house.log("task.failed") == []


async def test_a_spool_that_is_cleared_away_is_made_again(house: House) -> None:
    folder = house.place.data / "spool"
    async with house.up():
        folder.rename(folder.with_name("gone"))
        await until((folder / ".open").exists, "made again", lambda: house.log("task.failed"))
        spool(house, prompt("heard"), "7")

        await house.hears(SESSION, said("heard"))


# The registry -----------------------------------------------------------------------------------


async def test_an_id_that_a_client_drops_at_once_never_becomes_an_agent(house: House) -> None:
    async with house.up(), house.stage() as stage:
        agent = await stage.enter(role(house))
        await agent.play(SCENARIOS["killed_and_resumed"])

        def resumed() -> bool:
            # Idle alone would be true before the first prompt too.
            card = house.card(agent.session)
            standing = (card.pid, card.standing, card.open_twice) if card else None
            return standing == (agent.pid, "idle", False)

        await until(resumed, "idle in its new process", house.cards)
        [card] = house.cards()
        assert card.sessions == [agent.session]


async def test_a_registry_file_that_outlived_its_client_means_closed(house: House) -> None:
    async with house.stage() as stage:
        agent = await stage.enter(role(house))
        await agent.play((Prompt("sleep"), bash("sleep 40", None), Kill()))
        async with house.up():
            await house.sees(agent.session, "closed")
    assert registry_file(house.place, pid_of(agent)).exists()


async def test_half_a_registry_file_is_read_when_it_is_whole(house: House, delay: Delay) -> None:
    async with house.up(), house.stage() as stage:
        agent = await stage.enter(role(house))
        await agent.play(HELLO)
        await house.sees(agent.session, "idle")
        file = registry_file(house.place, pid_of(agent))
        entry = json.loads(file.read_bytes())
        now = time.time_ns() // 1_000_000
        busy = encode(entry | {"status": "busy", "statusUpdatedAt": now, "updatedAt": now})
        file.write_bytes(busy[:60])
        file.write_bytes(busy)

        delay("registry to standing", await house.sees(agent.session, "running"))
    assert house.log("task.failed") == []


async def test_a_cleared_session_is_the_same_agent(house: House) -> None:
    async with house.up(), house.stage() as stage:
        agent = await stage.enter(role(house))
        await agent.play(HELLO)
        before = agent.session
        await agent.play((Clear(), *HELLO))

        await house.sees(agent.session, "idle")
        await house.hears(agent.session, words_of(*HELLO, *HELLO))
        [card] = house.cards()
        assert card.sessions == [before, agent.session]


# The verbs --------------------------------------------------------------------------------------


Done = subprocess.CompletedProcess[str]
T = TypeVar("T")


def at_once(run: Callable[[T], Done], verbs: Iterable[T]) -> list[Done]:
    """Run these beside one another: each is a process of its own."""
    with ThreadPoolExecutor() as runners:
        return list(runners.map(run, verbs))


def data_of(house: House) -> tuple[str, str]:
    return "--data", str(house.place.data)


@dataclass(frozen=True)
class Watched:
    """A daemon at work, and the agents it sees: one at rest, one that asks."""

    house: House
    daemon: Daemon
    agent: ScriptedAgent
    asks: ScriptedAgent

    def ask(self, *args: str) -> subprocess.CompletedProcess[str]:
        return run_turnkeeper(*args, "--data", str(self.house.place.data), *self._folder(args[0]))

    def _folder(self, verb: str) -> list[str]:
        reads = verb == "verify"
        return ["--claude-dir", str(self.house.place.claude_dir)] if reads else []

    def told(self, *args: str) -> Any:  # whatever the verb's JSON is
        done = self.ask(*args, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    house = House(tmp_path_factory.mktemp("watched"))
    daemon = Daemon(house.place.data, house.place.claude_dir)
    daemon.start()
    with asyncio.Runner() as runner:
        stage = house.stage()
        agent, asks = runner.run(stage.play([Part(role(house), TOOL), waiting(house)]))
        for session in (SESSION, TWIN):
            leave_transcript(house, session)
        runner.run(house.sees(agent.session, "idle"))
        runner.run(house.sees(asks.session, "awaiting_input"))
        runner.run(house.hears(TWIN, said("hello")))
        yield Watched(house, daemon, agent, asks)
        runner.run(stage.__aexit__())
    daemon.close()


def waiting(house: House) -> Part:
    story = (Prompt("ask me"), Finish("Which one would you prefer?"))
    return Part(role(house, "asks"), story, Faults(seed=1))


def leave_transcript(house: House, session: str) -> None:
    """A session of long ago, of which only the transcript is left."""
    folder = house.place.claude_dir / "projects" / "-old"
    folder.mkdir(exist_ok=True)
    line = {
        "type": "user",
        "uuid": session,
        "timestamp": "2026-11-01T12:00:00.000Z",
        "message": {"role": "user", "content": "hello"},
        "cwd": "/old",
        "sessionId": session,
        "version": "2.1.325",
    }
    (folder / f"{session}.jsonl").write_bytes(encode(line) + b"\n")


AGENT = {
    *("id", "session_id", "sessions", "name", "cwd", "branch", "host", "pid", "status", "state"),
    *("standing", "command", "since", "last_turn"),
}
TURN = {
    *("position", "actor", "kind", "intent", "text", "source", "entry", "happened_at"),
    "command_id",
}


def test_agents_lists_every_agent(watched: Watched) -> None:
    told = {each["session_id"]: each for each in watched.told("agents")}
    shown = watched.ask("agents")

    assert told.keys() == {watched.agent.session, watched.asks.session, SESSION, TWIN}
    assert all(each.keys() >= AGENT for each in told.values())
    assert told[watched.agent.session]["standing"] == "idle"
    assert told[watched.agent.session]["pid"] == watched.agent.pid
    assert told[watched.asks.session]["state"] == "awaiting_input"
    assert shown.returncode == 0
    assert "awaiting input" in shown.stdout
    assert shown.stderr == ""


def test_show_takes_a_number_a_session_or_its_beginning(watched: Watched) -> None:
    by_session = watched.told("show", watched.agent.session)

    assert by_session.keys() >= AGENT
    assert watched.told("show", watched.agent.session[:6]) == by_session
    assert watched.told("show", str(by_session["id"])) == by_session
    shown = watched.ask("show", watched.agent.session[:6])
    assert watched.agent.session in shown.stdout
    assert "I have listed." in shown.stdout


def test_turns_tells_what_was_said(watched: Watched) -> None:
    told = watched.told("turns", watched.agent.session)
    shown = watched.ask("turns", watched.agent.session)

    texts = [(each["actor"], each["text"]) for each in told if each["kind"] == "text"]
    assert texts == words_of(*TOOL)
    assert all(each.keys() >= TURN for each in told)
    assert {each["kind"] for each in told} == {"text", "tool"}
    assert "I will list." in shown.stdout


def test_why_shows_the_evidence(watched: Watched) -> None:
    told = watched.told("why", watched.agent.session)
    shown = watched.ask("why", watched.agent.session)

    assert told["standing"] == "idle"
    assert any(sign["source"] == "registry" and sign["believed"] for sign in told["evidence"])
    assert "registry" in shown.stdout


def test_verify_adds_up(watched: Watched) -> None:
    [one] = watched.told("verify", watched.agent.session)
    everyone = watched.told("verify")
    shown = watched.ask("verify")

    assert one["lines"] == one["turns"] + one["bookkeeping"] + one["unreadable"]
    assert one["lines"] == len(watched.agent.transcript.read_text().splitlines())
    assert one["missing"] == one["duplicates"] == 0
    assert len(everyone) == 4
    assert shown.stdout.count("complete") == 4


def test_verify_exits_1_where_a_line_is_missing(watched: Watched) -> None:
    unwatched = watched.house.place.data.parent / "unwatched"
    folder = unwatched / "projects" / "-old"
    folder.mkdir(parents=True)
    lines = watched.agent.transcript.read_bytes()
    extra = b'{"type":"user","uuid":"nobody-kept-it","message":{"content":"hi"}}\n'
    (folder / watched.agent.transcript.name).write_bytes(lines + extra)

    done = run_turnkeeper(
        *("verify", watched.agent.session, "--json", "--data", str(watched.house.place.data)),
        *("--claude-dir", str(unwatched)),
    )

    assert done.returncode == 1
    assert json.loads(done.stdout)[0]["missing"] > 0


def test_reconcile_finds_nothing_to_mend(watched: Watched) -> None:
    told = watched.told("reconcile", watched.agent.session)
    shown = watched.ask("reconcile", watched.agent.session)

    assert told["entries"] == len(watched.agent.transcript.read_text().splitlines())
    assert {name: told[name] for name in ("added", "corrected", "states", "missing")} == {
        "added": 0,
        "corrected": 0,
        "states": 0,
        "missing": 0,
    }
    assert "0 missing. Now idle." in shown.stdout


def test_an_agent_nobody_has_seen_is_exit_4(watched: Watched) -> None:
    verbs = ("show", "turns", "why", "verify", "reconcile")

    for done in at_once(lambda verb: watched.ask(verb, "abcdef01"), verbs):
        assert done.returncode == 4, done.args
        assert done.stdout == ""
        assert "No agent 'abcdef01' has been seen" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_beginning_that_two_sessions_share_is_exit_4(watched: Watched) -> None:
    done = watched.ask("show", SESSION[:8])

    assert done.returncode == 4
    assert "names 2 agents" in done.stderr


def test_a_running_daemon_keeps_its_board(watched: Watched) -> None:
    done = watched.ask("rebuild")

    assert done.returncode == 5
    assert "stop it first" in done.stderr


def test_a_verb_that_needs_the_daemon_says_so_and_exits_3(house: House) -> None:
    verbs = (("agents",), *((verb, "abcdef01") for verb in ("show", "why", "reconcile")))

    for done in at_once(lambda verb: run_turnkeeper(*verb, *data_of(house)), verbs):
        assert done.returncode == 3, done.args
        assert "No daemon runs" in done.stderr
        assert "turnkeeper up" in done.stderr
        assert "Traceback" not in done.stderr


def test_an_empty_house_is_told_in_words(house: House, daemon: Daemon) -> None:
    data = data_of(house)
    verify = ("verify", *data, "--claude-dir", str(house.place.claude_dir))
    before = run_turnkeeper(*verify)
    daemon.start()

    asked = (("agents", *data), ("agents", *data, "--json"), (*verify, "--json"))
    shown, told, after = at_once(lambda args: run_turnkeeper(*args), asked)

    assert before.returncode == after.returncode == shown.returncode == 0
    assert "No agent is alive" in shown.stdout
    assert json.loads(told.stdout) == json.loads(after.stdout) == []


def test_a_data_folder_that_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = ("--data", str(tmp_path / "file" / "data"))

    for done in at_once(lambda verb: run_turnkeeper(verb, *folder), ("up", "verify", "rebuild")):
        assert done.returncode == 1, done.args
        assert "cannot be used" in done.stderr
        assert "Traceback" not in done.stderr


# The board --------------------------------------------------------------------------------------


async def story_told(house: House) -> str:
    """Let two agents play before a daemon that then stops; the session of the first."""
    parts = [Part(role(house), (*TOOL, *HELLO)), waiting(house)]
    async with house.up():
        async with house.stage() as stage:
            agents = await stage.play(parts)
            for part, agent in zip(parts, agents, strict=True):
                await house.hears(agent.session, words_of(*part.story))
        for agent in agents:
            await house.sees(agent.session, "closed")
    return agents[0].session


def delete(board: Path) -> None:
    board.unlink()


def scribble(board: Path) -> None:
    board.write_bytes(b"this is no database, whatever its name says" * 100)


def cut(board: Path) -> None:
    os.truncate(board, board.stat().st_size // 2)


def blot(board: Path) -> None:
    with board.open("r+b") as file:
        for page in range(2, board.stat().st_size // 4096):
            file.seek(page * 4096)
            file.write(b"\xff" * 2048)


@pytest.mark.parametrize("damage", [delete, scribble, cut, blot])
async def test_a_damaged_board_is_made_anew_from_the_journal(
    house: House, damage: Callable[[Path], None]
) -> None:
    session = await story_told(house)
    before = board_of(house.settings.board)
    damage(house.settings.board)

    async with house.up():
        await house.hears(session, words_of(*TOOL, *HELLO))
    assert board_of(house.settings.board) == before
    [told] = house.log("board.discarded")
    assert told["level"] == "warning"
    assert told["why"]


async def test_a_board_of_another_journal_is_made_anew(house: House) -> None:
    session = await story_told(house)
    for side in ("", "-wal", "-shm"):
        house.settings.journal.with_name(f"journal.db{side}").unlink(missing_ok=True)

    async with house.up():
        await house.hears(session, words_of(*TOOL, *HELLO))
        await house.complete()
    assert "another journal" in house.log("board.discarded")[0]["why"]


async def test_rebuild_makes_an_identical_board(house: House) -> None:
    await story_told(house)
    before = board_of(house.settings.board)

    done = run_turnkeeper("rebuild", "--data", str(house.place.data))

    assert done.returncode == 0
    assert "made anew from" in done.stdout
    assert board_of(house.settings.board) == before


async def test_rebuild_mends_a_damaged_board(house: House) -> None:
    await story_told(house)
    before = board_of(house.settings.board)
    verify = ("verify", "--data", str(house.place.data))
    scribble(house.settings.board)
    broken = run_turnkeeper(*verify)
    house.settings.board.unlink()
    absent = run_turnkeeper(*verify)

    run_turnkeeper("rebuild", "--data", str(house.place.data))

    assert broken.returncode == 1
    assert "it is not a database" in broken.stderr
    assert absent.returncode == 5
    assert "turnkeeper rebuild" in absent.stderr
    assert "Traceback" not in broken.stderr + absent.stderr
    assert board_of(house.settings.board) == before
