"""The same agent looks the same wherever it is shown: over every recording of a real client."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from tests.lab.asking import Caller, Event, bearing
from tests.lab.daemon import Daemon
from tests.lab.real_client import until
from tests.replay.stage import FOLDERS, name_of
from turnkeeper.cli.main import turnkeeper
from turnkeeper.desk.replay import heard_in
from turnkeeper.facts.fact import START, Fact, Recorded
from turnkeeper.facts.kinds import LinePassed
from turnkeeper.journal.sql import SqlJournal
from turnkeeper.projections.board import Board
from turnkeeper.projections.cards import card_of

every_recording = pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
OUTCOMES = {
    "agent_completion": "completed",
    "turn_failed": "failed",
    "interrupted": "interrupted",
}
Json = dict[str, Any]  # an agent or a turn, as a surface shows it


@dataclass(frozen=True)
class Everything:
    """All recordings on one board: what was folded here, and what a daemon says of it."""

    data: Path
    owner: Caller
    folded: dict[str, dict[int, Json]]
    streamed: list[Event]

    def cards(self, folder: Path) -> dict[int, Json]:
        """The agents of a recording, as the one derivation shows them."""
        return self.folded[name_of(folder)]

    def told(self, number: int, what: str) -> Any:
        """What the API tells of an agent."""
        return self.owner.get(f"/api/agents/{number}/{what}").json()


def facts_in(folder: Path) -> list[Fact]:
    """What a recording holds, under names that no other recording uses. Lines that say nothing to
    anyone are left out."""
    heard = [each.fact for each in heard_in(folder)]
    return [
        msgspec.structs.replace(fact, key=f"{name_of(folder)}:{fact.key}")
        for fact in heard
        if not isinstance(fact.what, LinePassed)
    ]


async def written(file: Path) -> dict[str, dict[int, Json]]:
    """Write every recording to a journal, fold it, and tell each recording's agents."""
    journal, board = await SqlJournal.open(file), Board()
    told: dict[str, dict[int, Json]] = {}
    recorded: list[Recorded] = []
    for folder in FOLDERS:
        before = await journal.last()
        await journal.append(facts_in(folder))
        recorded = await journal.after(before, 10**6)
        folded = [each for one in recorded if (each := board.take(one)) is not None]
        numbers = {each.agent.id for each in folded}
        known = [agent for number in sorted(numbers) if (agent := board.agents.get(number))]
        told[name_of(folder)] = {agent.id: msgspec.to_builtins(card_of(agent)) for agent in known}
    await journal.close()
    return told


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Everything]:
    root = tmp_path_factory.mktemp("parity")
    daemon = Daemon(root / "data", root / "claude")
    daemon.data.mkdir()
    folded = asyncio.run(written(daemon.data / "journal.db"))
    daemon.start()
    owner = bearing(daemon.url, daemon.token)
    health = until(
        lambda: (told := owner.get("/api/health").json())["board"] == told["position"] and told,
        "the board to follow",
    )
    try:
        yield Everything(daemon.data, owner, folded, heard(owner, health["position"]))
    finally:
        daemon.close()


def heard(owner: Caller, last: int) -> list[Event]:
    """Everything the stream tells one who was there from the start."""
    events = []
    with owner.hear(START) as stream:
        for event in stream:
            assert event.name != "lagged"
            events.append(event)
            if event.place == last:
                return events
    return events


def cli(everything: Everything, *words: str) -> Any:
    done = CliRunner().invoke(turnkeeper, [*words, "--data", str(everything.data), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def of(cards: list[Json], numbers: dict[int, Json]) -> dict[int, Json]:
    return {card["id"]: card for card in cards if card["id"] in numbers}


@every_recording
def test_the_list_shows_each_agent_as_it_was_folded(everything: Everything, folder: Path) -> None:
    expected = everything.cards(folder)

    assert expected
    assert of(everything.owner.get("/api/agents").json(), expected) == expected


@every_recording
def test_the_command_line_shows_each_agent_as_it_was_folded(
    everything: Everything, folder: Path
) -> None:
    expected = everything.cards(folder)

    assert of(cli(everything, "agents"), expected) == expected
    assert {number: cli(everything, "show", str(number)) for number in expected} == expected


@every_recording
def test_each_agent_by_itself_is_shown_as_it_was_folded(
    everything: Everything, folder: Path
) -> None:
    for number, card in everything.cards(folder).items():
        assert everything.owner.get(f"/api/agents/{number}").json() == card
        for session in card["sessions"]:
            assert everything.owner.get(f"/api/agents/{session}").json() == card


@every_recording
def test_the_stream_ends_with_each_agent_as_it_was_folded(
    everything: Everything, folder: Path
) -> None:
    expected = everything.cards(folder)

    updates = [event.data for event in everything.streamed if event.name == "agent_updated"]
    last = {card["id"]: card for card in updates if card["id"] in expected}
    with everything.owner.hear() as stream:
        snapshot = next(iter(stream))

    assert last == expected
    assert of(snapshot.data["agents"], expected) == expected


@every_recording
def test_turns_and_evidence_are_the_same_in_the_api_and_on_the_command_line(
    everything: Everything, folder: Path
) -> None:
    for number in everything.cards(folder):
        path = f"/api/agents/{number}"
        turns = everything.owner.get(f"{path}/turns?limit=1000").json()
        assert turns == cli(everything, "turns", str(number))
        assert everything.owner.get(f"{path}/why").json() == cli(everything, "why", str(number))


def turns_streamed(events: list[Event]) -> dict[int, dict[int, Json]]:
    """The turns of each agent, as one who only listens knows them in the end."""
    turns: dict[int, dict[int, Json]] = {}
    for name, data, _ in events:
        match name:
            case "turn_created" | "turn_updated":
                turns.setdefault(data["agent_id"], {})[data["turn"]["position"]] = data["turn"]
            case "turn_meant":
                turn = turns[data["agent_id"]][data["position"]]
                meant = {key: data[key] for key in ("intent", "confidence", "command_id")}
                turn.update(meant | {"because": data["because"] or None})
            case "agent_removed":
                gone = turns.pop(data["agent_id"], {})
                turns.setdefault(data["absorbed_by"], {}).update(gone)
    return turns


@every_recording
def test_the_stream_tells_each_turn_as_the_api_does(everything: Everything, folder: Path) -> None:
    streamed = turns_streamed(everything.streamed)
    for number in everything.cards(folder):
        turns = everything.told(number, "turns?limit=1000")

        assert {turn["position"]: turn for turn in turns} == streamed.get(number, {})


@every_recording
def test_the_stream_tells_each_transition_as_the_api_does(
    everything: Everything, folder: Path
) -> None:
    for number in everything.cards(folder):
        trail = everything.told(number, "transitions")
        absorbed = {
            event.data["agent_id"]
            for event in everything.streamed
            if event.name == "agent_removed" and event.data["absorbed_by"] == number
        }
        told = [
            {**event.data, "agent_id": number}
            for event in everything.streamed
            if event.name == "state_transition" and event.data["agent_id"] in {number, *absorbed}
        ]

        assert trail == told


@every_recording
def test_a_trail_told_in_parts_is_whole(everything: Everything, folder: Path) -> None:
    for number in everything.cards(folder):
        part = parts = everything.told(number, "transitions?limit=5")
        while part:
            before = f"before_position={part[0]['position']}"
            part = everything.told(number, f"transitions?limit=5&{before}")
            parts = [*part, *parts]

        assert parts == everything.told(number, "transitions")


@every_recording
def test_commands_are_told_as_their_transitions_left_them(
    everything: Everything, folder: Path
) -> None:
    for agent in everything.cards(folder):
        trail = everything.told(agent, "transitions")
        left = {each["command_id"]: each for each in trail if each["machine"] == "command"}
        told = everything.told(agent, "commands")

        assert {each["id"]: each["state"] for each in told} == {
            number: each["to_state"] for number, each in left.items()
        }
        for each in told:
            if each["state"] == "complete":
                assert each["completed_at"] == left[each["id"]]["at"]
                assert each["outcome"] == OUTCOMES[left[each["id"]]["event"]]


@every_recording
def test_commands_can_be_asked_for_in_part(everything: Everything, folder: Path) -> None:
    for number in everything.cards(folder):
        told = everything.told(number, "commands")
        for first, last in combinations(told, 2):
            between = f"commands?first={first['id']}&last={last['id']}"
            part = everything.told(number, between)
            assert part == told[told.index(first) : told.index(last) + 1]
            assert everything.told(number, f"{between}&limit=1") == [last]
