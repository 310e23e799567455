"""Scripted agents are processes, speak to everybody who listens, and misbehave on request."""

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from msgspec import structs

from tests.lab.scenarios import (
    HELLO,
    NOON,
    SCENARIOS,
    bash,
    heard,
    kernel_start,
    open_place,
    pid_of,
    registry_entry,
    registry_file,
    role_in,
    spooled,
    transcripts,
    which_database,
)
from tests.lab.shapes import Json, Recording, Shape, conversation
from turnkeeper.errors import CommandRefused
from turnkeeper.scripted.body import VERSION, Place
from turnkeeper.scripted.faults import NO_FAULTS, Faults
from turnkeeper.scripted.pace import Pace, live, simulated
from turnkeeper.scripted.stage import Part, Stage, crowd
from turnkeeper.scripted.steps import FOREVER, Exit, Finish, Kill, Prompt
from turnkeeper.scripted.stories import WAITS_FOR_YOU, cast
from turnkeeper.scripted.waiting import Reply


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return open_place(tmp_path)


@pytest.fixture
async def stage(place: Place) -> AsyncIterator[Stage]:
    async with Stage(place, lambda: simulated(NOON)) as stage:
        yield stage


def cast_of(place: Place) -> list[Part]:
    return cast(place.data.parent / "work")


def recorded(scenario: str) -> list[Shape]:
    return conversation(Recording(VERSION, scenario).transcripts()[0])


def looking(look: Callable[[], None]) -> Pace:
    """A simulated time in which somebody looks around at every pause."""
    own = simulated(NOON)

    async def sleep(seconds: float) -> None:
        look()
        await own.sleep(seconds)

    return replace(own, sleep=sleep)


def held(released: asyncio.Event, seconds: float) -> Pace:
    """A simulated time in which pauses of this length last until they are released."""
    own = simulated(NOON)

    async def sleep(asked: float) -> None:
        if asked == seconds:
            await released.wait()
        await own.sleep(asked)

    return replace(own, sleep=sleep)


def ends_of_transcripts(place: Place) -> list[bytes]:
    return [path.read_bytes() for path in (place.claude_dir / "projects").glob("*/*.jsonl")]


async def run(root: Path, faults: Faults) -> tuple[list[Json], list[Json]]:
    """The lines and the hook calls of one run in a folder that is gone afterwards.

    The agent has no process: only a process has a name that is not drawn from the seed.
    """
    place = open_place(root / "run")
    async with Stage(place, lambda: simulated(NOON)) as stage:
        agent = await stage.enter(role_in(place, process=False), faults)
        await agent.play(SCENARIOS["tool_call"])
    [lines], payloads = transcripts(place), spooled(place)
    shutil.rmtree(root / "run")
    return lines, payloads


async def test_an_agent_is_a_process_until_it_exits(stage: Stage) -> None:
    agent = await stage.enter(role_in(stage.place))
    pid = pid_of(agent)
    before = psutil.pid_exists(pid) and registry_file(stage.place, pid).exists()

    await agent.perform(Exit())

    assert before
    assert not psutil.pid_exists(pid)
    assert not registry_file(stage.place, pid).exists()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a client spells it otherwise")
async def test_the_registry_tells_when_the_process_began(stage: Stage) -> None:
    agent = await stage.enter(role_in(stage.place))

    pid = pid_of(agent)
    assert registry_entry(stage.place, pid)["procStart"] == kernel_start(pid)


async def test_a_killed_agent_leaves_its_registry_file_and_tells_nobody(stage: Stage) -> None:
    agent = await stage.enter(role_in(stage.place))
    pid = pid_of(agent)

    await agent.play((Prompt("sleep"), bash("sleep 40", None), Kill()))

    assert not psutil.pid_exists(pid)
    assert registry_entry(stage.place, pid)["status"] == "busy"
    assert heard(stage.place) == ["SessionStart", "UserPromptSubmit", "PreToolUse"]


async def test_leaving_the_stage_ends_every_process(place: Place) -> None:
    async with Stage(place, lambda: simulated(NOON)) as stage:
        agents = await stage.play(crowd(cast_of(place)[:3], 12))
        pids = [pid_of(agent) for agent in agents]

    assert not any(map(psutil.pid_exists, pids))


async def test_an_agent_without_a_process_is_words_alone(stage: Stage) -> None:
    agent = await stage.enter(role_in(stage.place, process=False))

    await agent.play(HELLO)

    assert agent.pid is None
    assert not list((stage.place.claude_dir / "sessions").iterdir())
    assert "Stop" in heard(stage.place)
    assert agent.transcript.exists()


async def test_tool_hooks_are_silent_while_no_daemon_holds_the_spool_open(stage: Stage) -> None:
    (stage.place.data / "spool" / ".open").unlink()
    agent = await stage.enter(role_in(stage.place))

    await agent.play(SCENARIOS["tool_call"])

    assert heard(stage.place) == ["SessionStart", "UserPromptSubmit", "Stop"]


async def test_a_missing_spool_folder_disturbs_nobody(stage: Stage) -> None:
    (stage.place.data / "spool" / ".open").unlink()
    (stage.place.data / "spool").rmdir()
    agent = await stage.enter(role_in(stage.place))

    await agent.play(HELLO)

    assert agent.transcript.exists()


async def test_every_hook_call_has_a_file_of_its_own_that_is_as_old_as_the_call(
    stage: Stage,
) -> None:
    agent = await stage.enter(role_in(stage.place))

    await agent.play(SCENARIOS["tool_call"])

    files = list((stage.place.data / "spool").glob(f"{agent.session}.*.jsonl"))
    assert len(files) == len(heard(stage.place)) == 5
    assert all(NOON <= file.stat().st_mtime_ns // 1000 < NOON + 10_000_000 for file in files)


async def test_dropped_hooks_are_dropped_and_nothing_else_is(tmp_path: Path) -> None:
    lines, payloads = await run(tmp_path, NO_FAULTS)
    lines_without, payloads_without = await run(tmp_path, Faults(drop_hooks=1.0))

    assert payloads
    assert payloads_without == []
    assert lines_without == lines


async def test_half_of_the_hooks_can_be_dropped(stage: Stage) -> None:
    agent = await stage.enter(role_in(stage.place), Faults(drop_hooks=0.5, seed=7))

    for _ in range(20):
        await agent.play(SCENARIOS["tool_call"])

    called = 1 + 20 * 4
    assert called * 0.3 < len(heard(stage.place)) < called * 0.7


async def test_an_agent_can_do_without_registry_and_hooks(stage: Stage) -> None:
    agent = await stage.enter(role_in(stage.place), Faults(no_registry=True, no_spool=True))

    await agent.play(HELLO)

    assert not list((stage.place.claude_dir / "sessions").iterdir())
    assert heard(stage.place) == []
    assert "stop_hook_summary" not in agent.transcript.read_text()


async def test_torn_lines_are_torn_and_later_completed(place: Place) -> None:
    tails: list[bytes] = []
    async with Stage(
        place, lambda: looking(lambda: tails.extend(ends_of_transcripts(place)))
    ) as stage:
        agent = await stage.enter(role_in(place), Faults(torn_lines=True))
        await agent.play(SCENARIOS["tool_call"])

        torn = [tail for tail in tails if not tail.endswith(b"\n")]
        assert len(torn) > len(transcripts(place)[0]) / 2
        assert conversation(transcripts(place)[0]) == recorded("tool_call")


async def test_a_line_that_is_torn_by_a_kill_stays_torn(stage: Stage) -> None:
    agent = await stage.enter(role_in(stage.place), Faults(torn_lines=True))

    await agent.play((Prompt("sleep"), bash("sleep 40", None), Kill()))

    *_, last = agent.transcript.read_bytes().split(b"\n")
    assert last
    with pytest.raises(json.JSONDecodeError):
        json.loads(last)


async def test_a_late_flush_comes_late_and_whole(place: Place) -> None:
    released = asyncio.Event()
    async with Stage(place, lambda: held(released, 3.0)) as stage:
        agent = await stage.enter(role_in(place), Faults(late_flush_seconds=3.0))
        await agent.play(SCENARIOS["tool_call"])
        before = agent.transcript.exists()
        told = heard(place)

        released.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

        assert not before
        assert told[-1] == "Stop"
        assert conversation(transcripts(place)[0]) == recorded("tool_call")


async def test_a_kill_loses_what_was_not_yet_flushed(place: Place) -> None:
    async with Stage(place, lambda: held(asyncio.Event(), 3.0)) as stage:
        agent = await stage.enter(role_in(place), Faults(late_flush_seconds=3.0))
        await agent.play((Prompt("remember this"), Kill()))

    assert not agent.transcript.exists()
    assert "UserPromptSubmit" in heard(place)


async def test_the_same_seed_gives_the_same_run(tmp_path: Path) -> None:
    first = await run(tmp_path, Faults(seed=3))
    again = await run(tmp_path, Faults(seed=3))
    other = await run(tmp_path, Faults(seed=4))

    assert first == again
    assert first != other


async def test_a_person_can_answer_before_the_story_does(stage: Stage) -> None:
    agent = await stage.enter(role_in(stage.place))
    question = structs.replace(which_database("SQLite"), after=FOREVER)
    playing = asyncio.create_task(agent.play((Prompt("which one"), question, Finish("Thank you."))))
    await agent.wait_until_it_asks()

    agent.answer(Reply(accepted=True, words="PostgreSQL"))
    await playing

    assert '"Which database?":"PostgreSQL"' in agent.transcript.read_text()


async def test_an_answer_to_nothing_is_refused(stage: Stage) -> None:
    agent = await stage.enter(role_in(stage.place))

    with pytest.raises(CommandRefused):
        agent.answer(Reply(accepted=True))


async def test_everybody_in_the_cast_plays_to_the_end(stage: Stage) -> None:
    parts = [part for part in cast_of(stage.place) if part.story is not WAITS_FOR_YOU]

    agents = await stage.play(parts)

    entries = [registry_entry(stage.place, pid_of(agent)) for agent in agents]
    assert [entry["status"] for entry in entries] == ["idle"] * len(parts)


async def test_a_hundred_agents_play_at_once_in_real_time(place: Place) -> None:
    async with Stage(place, lambda: live(speed=200)) as stage:
        agents = await stage.play(crowd([Part(role_in(place), SCENARIOS["tool_call"])], 100))

        assert len({agent.session for agent in agents}) == 100
        assert all(agent.alive for agent in agents)
        assert heard(place).count("Stop") == 100
