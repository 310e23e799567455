"""Scripted agents write what the recorded clients wrote, and misbehave on request."""

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil
import pytest
from msgspec import structs

from tests.lab.shapes import (
    Json,
    Recording,
    Shape,
    bookkeeping,
    conversation,
    hook_calls,
    in_order,
    keys,
    kind,
    registry_story,
)
from turnkeeper.errors import CommandRefused
from turnkeeper.facts.fact import Moment
from turnkeeper.scripted.agent import ScriptedAgent
from turnkeeper.scripted.body import Place, Reply, Role
from turnkeeper.scripted.faults import NO_FAULTS, Faults
from turnkeeper.scripted.pace import Pace, live, simulated
from turnkeeper.scripted.stage import Part, Stage, crowd, throwaway
from turnkeeper.scripted.steps import (
    FOREVER,
    AnyStep,
    Background,
    Clear,
    Compact,
    Delegate,
    Exit,
    Fail,
    Finish,
    Interject,
    Interrupt,
    Kill,
    Notification,
    Option,
    Permission,
    Plan,
    Prompt,
    Question,
    Result,
    Resume,
    Say,
    Together,
    Tool,
    Wait,
)
from turnkeeper.scripted.stories import WAITS_FOR_YOU, cast

VERSION = "2.1.325"
NOON = Moment(1_794_830_400_000_000)

Story = tuple[AnyStep, ...]


def bash(command: str, result: str | None = "") -> Tool:
    return Tool("Bash", {"command": command, "description": "Run it"}, result)


HELLO: Story = (Prompt("say hello"), Finish("Hello! The greeting is done."))
CREATE = Say("Creating the file.")
TOUCH = bash("touch made.txt")
DATABASES = (Option("SQLite", "embedded"), Option("PostgreSQL", "a server"))


def which_database(answer: str | None) -> Question:
    return Question("Which database?", "Database", DATABASES, answer)


SCENARIOS: dict[str, Story] = {
    "plain_reply": (*HELLO, Exit()),
    "tool_call": (Prompt("list"), Say("I will list."), bash("ls"), Finish("I have listed.")),
    "parallel_tools": (
        Prompt("run both"),
        Say("Running two commands."),
        Together((bash("echo one", "one"), bash("echo two", "two"))),
        Finish("Both commands ran."),
    ),
    "permission_granted": (Prompt("make it"), CREATE, Permission((TOUCH,)), Finish("Created.")),
    "permission_denied": (Prompt("make it"), CREATE, Permission((TOUCH,), granted=False)),
    "parallel_permissions": (
        Prompt("make both"),
        Say("Two files."),
        Permission((bash("touch one.txt"), bash("touch two.txt"))),
        Finish("Both are there."),
    ),
    "question_answered": (
        Prompt("which one"),
        Say("I need a decision."),
        which_database("SQLite"),
        Finish("Thank you. Finished."),
    ),
    "question_dismissed": (Prompt("which one"), Say("A decision."), which_database(None)),
    "question_in_text": (
        *(Prompt("ask me in words"), Finish("Which one would you prefer?")),
        *(Prompt("yes, please go on"), Finish("Hello! The greeting is done.")),
    ),
    "plan_approved": (
        Prompt("plan it"),
        Say("Here is my plan."),
        Plan("1. Read\n2. Change"),
        Finish("The plan is carried out."),
    ),
    "plan_rejected": (Prompt("plan it"), Say("My plan."), Plan("1. Read", approved=False)),
    "interrupted_tool": (
        *(Prompt("sleep"), Say("Starting the long job."), bash("sleep 40", None)),
        *(Wait(2.5), Interrupt()),
    ),
    "subagent": (
        Prompt("delegate"),
        Say("Delegating."),
        Delegate("Look around", "look around", "There is one folder.", (bash("ls"),)),
        Finish("The helper has reported. All done."),
        Notification(),
        Finish("The script has ended."),
    ),
    "api_error": (Prompt("fail"), Fail(), *HELLO),
    "cleared": (*HELLO, Clear(), *HELLO),
    "compacted": (*HELLO, Compact("We said hello."), *HELLO),
    "killed_and_resumed": (
        *(Prompt("sleep"), Say("Starting the long job."), bash("sleep 40", None)),
        *(Wait(2.5), Kill(), Resume(), *HELLO),
    ),
    "prompt_while_busy": (
        *(Prompt("do the first thing"), Say("On it."), bash("sleep 6", None)),
        *(Interject("and one more thing"), Result(), Finish("The first thing is done.")),
    ),
    "background_shell": (
        *(Prompt("start it"), Say("Starting it."), Background("sleep 7", "In the background")),
        *(Finish("It runs."), Wait(7), Notification(), Finish("The background job has ended.")),
    ),
}


@dataclass
class Witness:
    """Keeps every change of the registry that can be seen.

    An agent asks the clock before each change, so whoever looks when it asks misses none.
    """

    place: Place
    seen: list[Json | None] = field(default_factory=list)
    last: dict[str, Json] = field(default_factory=dict)

    def look(self) -> None:
        files = sorted((self.place.claude_dir / "sessions").glob("*.json"))
        now: dict[str, Json] = {path.name: json.loads(path.read_text()) for path in files}
        self.seen += [entry for name, entry in now.items() if self.last.get(name) != entry]
        self.seen += [None for name in self.last if name not in now]
        self.last = now

    def pace(self) -> Pace:
        own = simulated(NOON)

        def now() -> Moment:
            self.look()
            return own.now()

        return replace(own, now=now)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = throwaway(tmp_path)
    (place.data / "spool" / ".open").touch()
    return place


@pytest.fixture
async def stage(place: Place) -> AsyncIterator[Stage]:
    async with Stage(place, lambda: simulated(NOON)) as stage:
        yield stage


def role_in(place: Place, *, mode: str = "default", process: bool = True) -> Role:
    return Role(place.data.parent / "project", mode=mode, process=process)


def spooled(place: Place) -> list[Json]:
    files = list((place.data / "spool").glob("*.jsonl"))
    files.sort(key=lambda path: int(path.suffixes[-2][1:]))
    return [json.loads(line) for path in files for line in path.read_text().splitlines()]


def transcripts(place: Place) -> list[list[Json]]:
    return in_order((place.claude_dir / "projects").glob("*/*.jsonl"))


def heard(place: Place) -> list[object]:
    return [payload["hook_event_name"] for payload in spooled(place)]


def registry_file(place: Place, pid: int) -> Path:
    return place.claude_dir / "sessions" / f"{pid}.json"


def registry_entry(place: Place, pid: int) -> Json:
    entry: Json = json.loads(registry_file(place, pid).read_text())
    return entry


def pid_of(agent: ScriptedAgent) -> int:
    assert agent.pid is not None
    return agent.pid


def part(place: Place, story: Story) -> Part:
    return Part(role_in(place), story)


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
    place = throwaway(root / "run")
    (place.data / "spool" / ".open").touch()
    async with Stage(place, lambda: simulated(NOON)) as stage:
        agent = await stage.enter(role_in(place, process=False), faults)
        await agent.play(SCENARIOS["tool_call"])
    [lines], payloads = transcripts(place), spooled(place)
    shutil.rmtree(root / "run")
    return lines, payloads


async def recorded_and_played(place: Place, scenario: str) -> tuple[Recording, list[Json | None]]:
    witness = Witness(place)
    mode = "plan" if scenario.startswith("plan_") else "default"
    async with Stage(place, witness.pace) as stage:
        agent = await stage.enter(role_in(place, mode=mode))
        await agent.play(SCENARIOS[scenario])
        witness.look()
    return Recording(VERSION, scenario), witness.seen


@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_a_scripted_agent_writes_the_transcript_that_was_recorded(
    place: Place, scenario: str
) -> None:
    recording, _ = await recorded_and_played(place, scenario)

    recorded = recording.transcripts()
    written = transcripts(place)
    assert [conversation(lines) for lines in written] == [conversation(line) for line in recorded]
    assert all(map(covers, recorded, written))


def covers(recorded: Iterable[Json], written: Iterable[Json]) -> bool:
    """Every kind of bookkeeping that was recorded is written, but for what comes at the end."""
    return bookkeeping(recorded) - {"cost-state"} <= bookkeeping(written)


async def test_a_scripted_sub_agent_writes_the_transcript_that_was_recorded(place: Place) -> None:
    recording, _ = await recorded_and_played(place, "subagent")

    written = in_order((place.claude_dir / "projects").glob("*/*/subagents/*.jsonl"))
    recorded = recording.subagents()
    assert [conversation(lines) for lines in written] == [conversation(line) for line in recorded]


@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_a_scripted_agent_calls_the_hooks_that_were_recorded(
    place: Place, scenario: str
) -> None:
    recording, _ = await recorded_and_played(place, scenario)

    assert hook_calls(spooled(place)) == hook_calls(recording.hooks())


@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_a_scripted_agent_says_of_itself_what_was_recorded(
    place: Place, scenario: str
) -> None:
    recording, seen = await recorded_and_played(place, scenario)

    assert registry_story(seen) == registry_story(recording.registry())


@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_every_line_has_the_keys_of_a_recorded_line_in_their_order(
    place: Place, scenario: str
) -> None:
    _, seen = await recorded_and_played(place, scenario)

    recordings = [Recording(VERSION, name) for name in SCENARIOS]
    known = {
        (kind(line), keys(line))
        for recording in recordings
        for lines in (*recording.transcripts(), *recording.subagents())
        for line in lines
    }
    said = {keys(entry) for recording in recordings for entry in recording.registry() if entry}
    heard = {hook_keys(hook) for recording in recordings for hook in recording.hooks()}
    written = {(kind(line), keys(line)) for lines in transcripts(place) for line in lines}
    assert written <= known
    assert {keys(entry) for entry in seen if entry} <= said
    assert {hook_keys(payload) for payload in spooled(place)} <= heard


def hook_keys(payload: Json) -> Shape:
    return (payload["hook_event_name"], *payload)


async def test_an_agent_is_a_process_until_it_exits(stage: Stage) -> None:
    agent = await stage.enter(role_in(stage.place))
    pid = pid_of(agent)
    entry = registry_entry(stage.place, pid)
    born = psutil.Process(pid).create_time()

    await agent.perform(Exit())

    ticks = os.sysconf("SC_CLK_TCK")
    assert abs(psutil.boot_time() + int(str(entry["procStart"])) / ticks - born) < 1
    assert not psutil.pid_exists(pid)
    assert not registry_file(stage.place, pid).exists()


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
    assert all(
        line["type"] for lines in transcripts(stage.place) for line in lines if "uuid" in line
    )


async def test_a_hundred_agents_play_at_once_in_real_time(place: Place) -> None:
    async with Stage(place, lambda: live(speed=200)) as stage:
        agents = await stage.play(crowd([part(place, SCENARIOS["tool_call"])], 100))

        assert len({agent.session for agent in agents}) == 100
        assert all(agent.alive for agent in agents)
        assert heard(place).count("Stop") == 100
