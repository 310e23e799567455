"""Scripted agents write what the recorded clients of the same version wrote."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.lab.scenarios import NOON, SCENARIOS, open_place, role_in, spooled, transcripts
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
from turnkeeper.facts.fact import Moment
from turnkeeper.scripted.body import VERSION, Place
from turnkeeper.scripted.pace import Pace, simulated
from turnkeeper.scripted.stage import Stage


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
    return open_place(tmp_path)


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
