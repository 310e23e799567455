"""The live stream: what a reader hears first, that it hears everything once, and what it costs."""

import asyncio
import http.client
import json
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from tests.conftest import Delay
from tests.lab.asking import Caller, Event, Stream, bearing, groups
from tests.lab.daemon import Daemon
from tests.lab.house import House
from tests.lab.house import until as eventually
from tests.lab.real_client import until
from tests.lab.scenarios import SCENARIOS, role_in
from tests.lab.served import Served, prompt, served
from turnkeeper.facts.fact import START, Fact, Moment, Source
from turnkeeper.facts.kinds import LinePassed
from turnkeeper.journal.frames import KEPT, LARGEST
from turnkeeper.projections.events import SCHEMAS
from turnkeeper.scripted.stage import Stage

HOOKS = "/api/hooks/claude"
KILLS = 5
BETWEEN_KILLS = 10
AGENTS = 4
TEXT = "w" * 60_000
PASSED = LinePassed("mode", "hash", 0, 1)


def told(frames: bytes) -> list[Event]:
    """Events as they are kept."""

    def events() -> Iterator[Event]:
        for block in frames.decode().split("\n\n")[:-1]:
            fields = dict(line.split(": ", 1) for line in block.split("\n"))
            place = int(fields["id"]) if "id" in fields else None
            yield Event(fields["event"], json.loads(fields["data"]), place)

    return list(events())


def kept(board: Path, after: int) -> list[Event]:
    """Everything the stream was told after a position, as the board keeps it."""
    query = "SELECT data FROM frame WHERE position > ? ORDER BY position"
    with closing(sqlite3.connect(f"file:{board}?mode=ro", uri=True)) as connection:
        return told(b"".join(data for (data,) in connection.execute(query, (after,))))


def post(caller: Caller, session: str, text: str) -> int:
    return int(caller.post(HOOKS, prompt(session, text)).json()["position"])


# What a reader hears ----------------------------------------------------------------------------


def test_a_reader_hears_the_whole_board_and_then_what_happens(owner: Caller) -> None:
    before = str(uuid4())
    post(owner, before, "before")
    until(lambda: owner.get(f"/api/agents/{before}").status == 200 or None, "an agent")

    with owner.hear() as stream:
        events = iter(stream)
        first = next(events)
        place = post(owner, before, "after")
        rest = next(group for at, group in groups(events) if at == place)

    assert first.name == "snapshot"
    assert first.place == first.data["position"]
    assert before in {card["session_id"] for card in first.data["agents"]}
    created = [event.data for event in rest if event.name == "turn_created"]
    assert [each["turn"]["text"] for each in created] == ["after"]


def test_the_events_of_a_position_come_together_and_only_the_last_has_the_id(
    owner: Caller,
) -> None:
    with owner.hear() as stream:
        events = iter(stream)
        next(events)
        place = post(owner, str(uuid4()), "hello")
        at, group = next(groups(events))

    assert at == place
    assert [event.place for event in group] == [None] * (len(group) - 1) + [place]
    names = [event.name for event in group]
    assert names[0] == "turn_created"
    assert "state_transition" in names
    assert names[-1] == "agent_updated"
    positions = {event.data["position"] for event in group if event.name == "state_transition"}
    assert positions == {place}


def test_every_event_has_a_name_the_description_knows(daemon: Daemon, owner: Caller) -> None:
    post(owner, str(uuid4()), "hello")

    assert {event.name for event in kept(daemon.data / "board.db", 0)} <= set(SCHEMAS)


def test_a_reader_comes_back_to_its_place(owner: Caller) -> None:
    session = str(uuid4())
    # An earlier test's last fact may be in the journal and not on the board yet: it would be missed
    # too, and rightly told.
    last = owner.get("/api/health").json()["position"]
    until(lambda: owner.get("/api/health").json()["board"] >= last or None, "the board")
    with owner.hear() as stream:
        place = next(iter(stream)).place
    missed = [post(owner, session, f"missed {number}") for number in range(3)]

    with owner.hear(place) as stream:
        heard = []
        for at, group in groups(iter(stream)):
            heard += [(at, event.name) for event in group]
            if at == missed[-1]:
                break

    created = [at for at, name in heard if name == "turn_created"]
    assert created == missed
    assert "snapshot" not in {name for _, name in heard}


def test_a_place_in_the_address_is_as_good_as_one_in_the_header(owner: Caller) -> None:
    place = post(owner, str(uuid4()), "one")
    last = post(owner, str(uuid4()), "two")
    until(lambda: owner.get("/api/health").json()["board"] >= last or None, "the board")
    where = urlsplit(owner.url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=10)
    connection.request("GET", f"/api/stream?last_event_id={place}", headers=dict(owner.headers))

    with Stream(connection) as stream:
        at, _ = next(groups(iter(stream)))

    assert at == last


# Across the daemon's lives ----------------------------------------------------------------------


class Faithful(threading.Thread):
    """A reader that comes back to its place, whatever happens to the daemon."""

    def __init__(self, daemon: Daemon) -> None:
        super().__init__(daemon=True)
        self._daemon = daemon
        self._enough = threading.Event()
        self.place: int | None = None
        self.started_at = 0
        self.heard: list[Event] = []
        self.groups = 0

    def run(self) -> None:
        while not self._enough.is_set():
            try:
                self._listen()
            except (OSError, http.client.HTTPException, ValueError):
                # Nobody listens there yet, or not any more.
                self._enough.wait(0.02)

    def _listen(self) -> None:
        with bearing(self._daemon.url, self._daemon.token).hear(self.place) as stream:
            for at, group in groups(iter(stream)):
                if group[0].name == "snapshot" and self.place is None:
                    self.started_at = at
                else:
                    self.heard += group
                self.place = at
                self.groups += 1
                if self._enough.is_set():
                    return

    def wait_for(self, more: int) -> None:
        wanted = self.groups + more
        until(lambda: self.groups >= wanted or None, f"{more} more positions", instead=self.state)

    def wait_until(self, place: int) -> None:
        until(lambda: (self.place or 0) >= place or None, f"place {place}", instead=self.state)

    def state(self) -> object:
        return self.place, self.groups

    def leave(self) -> None:
        self._enough.set()


def last_place(board: Path) -> int:
    with closing(sqlite3.connect(f"file:{board}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT max(position) FROM frame").fetchone()[0])


def turns_after(board: Path, place: int) -> list[int]:
    query = "SELECT position FROM turn WHERE position > ? ORDER BY position"
    with closing(sqlite3.connect(f"file:{board}?mode=ro", uri=True)) as connection:
        return [position for (position,) in connection.execute(query, (place,))]


async def until_all_closed(house: House) -> None:
    def over() -> bool:
        return {card.standing for card in house.cards()} == {"closed"}

    await eventually(over, "every client's end", house.cards)


async def never_silent(stage: Stage, house: House, enough: asyncio.Event) -> None:
    """An agent that is given one thing after another to do."""
    agent = await stage.enter(role_in(house.place))
    while not enough.is_set():
        await agent.play(SCENARIOS["tool_call"])


@pytest.mark.parametrize("end", ["kill", "stop"])
async def test_a_reader_sees_every_event_once_and_in_order_through_many_lives(
    tmp_path: Path, end: str
) -> None:
    house = House(tmp_path)
    daemon = Daemon(house.place.data, house.place.claude_dir)
    await asyncio.to_thread(daemon.start)
    reader, enough = Faithful(daemon), asyncio.Event()
    reader.start()
    async with house.stage(speed=5) as stage, asyncio.TaskGroup() as playing:
        for _ in range(AGENTS):
            playing.create_task(never_silent(stage, house, enough))
        for _ in range(KILLS if end == "kill" else 1):
            await asyncio.to_thread(reader.wait_for, BETWEEN_KILLS)
            await asyncio.to_thread(getattr(daemon, end))
            await asyncio.to_thread(daemon.start)
        await asyncio.to_thread(reader.wait_for, BETWEEN_KILLS)
        enough.set()
    await house.complete()
    # The ends of the clients are told after their last words.
    await until_all_closed(house)
    await asyncio.to_thread(reader.wait_until, last_place(house.settings.board))
    cards = {card.id: card for card in daemon.board.cards()}
    reader.leave()
    daemon.close()

    expected = kept(house.settings.board, reader.started_at)
    assert reader.heard == expected[: len(reader.heard)]
    assert len(expected) == len(reader.heard)
    assert "snapshot" not in {event.name for event in reader.heard}
    places = [event.place for event in reader.heard if event.place is not None]
    assert places == sorted(set(places))
    created = [
        event.data["turn"]["position"] for event in reader.heard if event.name == "turn_created"
    ]
    assert sorted(created) == turns_after(house.settings.board, reader.started_at)
    shown = {
        event.data["id"]: event.data for event in reader.heard if event.name == "agent_updated"
    }
    assert {number: card["standing"] for number, card in shown.items()} == {
        number: cards[number].standing for number in shown
    }


def test_a_daemon_that_stops_ends_its_streams(tmp_path: Path, delay: Delay) -> None:
    daemon = Daemon(tmp_path / "data", tmp_path / "claude")
    daemon.start()
    owner = bearing(daemon.url, daemon.token)
    with ExitStack() as leaving:
        streams = [leaving.enter_context(owner.hear()) for _ in range(20)]
        firsts = [next(iter(stream)) for stream in streams]

        began = time.monotonic()
        daemon.stop()
        took = time.monotonic() - began
        rest = [list(stream.lines()) for stream in streams]

    delay("SIGTERM with open streams to the end", took)
    assert {event.name for event in firsts} == {"snapshot"}
    assert took < 5
    assert all(not line or line.startswith(":") for lines in rest for line in lines)
    daemon.close()


# What a reader costs ----------------------------------------------------------------------------


async def test_a_silent_stream_says_that_it_is_alive(tmp_path: Path) -> None:
    async with served(tmp_path) as here:
        here.parts.hub.heartbeat = 0.05

        def listen() -> list[str]:
            with here.caller.hear() as stream:
                lines = stream.lines()
                return [next(line for line in lines if line.startswith(":")) for _ in range(3)]

        beats = await asyncio.to_thread(listen)

    assert beats == [": still here"] * 3


def slow(here: Served) -> socket.socket:
    """A reader that has asked for the stream and does not read it."""
    where = urlsplit(here.caller.url)
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.settimeout(10)
    line.connect((where.hostname, where.port))
    token = here.caller.headers["authorization"]
    head = f"GET /api/stream HTTP/1.1\r\nhost: {where.netloc}\r\nauthorization: {token}\r\n\r\n"
    line.sendall(head.encode())
    return line


async def test_a_reader_that_is_too_slow_is_told_so_and_costs_no_more_than_its_buffer(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as here:
        hub = here.parts.hub
        hub.buffer = 4 * len(TEXT)
        line = await asyncio.to_thread(slow, here)
        while not hub.readers:
            await asyncio.sleep(0)
        [reader] = hub._readers
        session, sizes, number = str(uuid4()), [], 0
        while not reader.lagged:
            await here.said(prompt(session, f"{number} {TEXT}"))
            sizes.append(reader._size)
            number += 1

        names = await asyncio.to_thread(heard_until, line, "snapshot", 2)
        line.close()

    assert max(sizes) <= hub.buffer
    assert names[0] == "snapshot"
    assert names[-2:] == ["lagged", "snapshot"]


def heard_until(line: socket.socket, last: str, times: int) -> list[str]:
    """The names of the events until this one has come so often."""
    names: list[str] = []
    with line.makefile("rb") as lines:
        for each in lines:
            if each.startswith(b"event: "):
                names.append(each.removeprefix(b"event: ").decode().strip())
                if names.count(last) == times:
                    break
    return names


async def first_names(here: Served, place: int, count: int) -> list[str]:
    def listen() -> list[str]:
        with here.caller.hear(place) as stream:
            events = iter(stream)
            return [next(events).name for _ in range(count)]

    return await asyncio.to_thread(listen)


async def test_a_place_too_far_back_gets_a_snapshot(tmp_path: Path) -> None:
    async with served(tmp_path) as here:
        await here.said(prompt(str(uuid4()), "hello"))
        passed = [
            Fact(f"k{number}", "s", Source.TRANSCRIPT, Moment(1), Moment(1), PASSED)
            for number in range(KEPT + 1)
        ]
        await here.parts.journal.append(passed)
        last = await here.parts.journal.last()
        await here.parts.projector.reached(last)

        assert await first_names(here, 0, 2) == ["lagged", "snapshot"]
        await here.said(prompt(str(uuid4()), "hello"))
        assert (await first_names(here, last, 1)) == ["turn_created"]


async def test_more_than_anyone_should_be_sent_at_once_is_a_snapshot(tmp_path: Path) -> None:
    async with served(tmp_path) as here:
        session = str(uuid4())
        for _ in range(LARGEST // len(TEXT) // 10 + 1):
            await here.said(*(prompt(session, f"{uuid4()} {TEXT}") for _ in range(10)))

        assert await first_names(here, 0, 2) == ["lagged", "snapshot"]


async def test_a_place_of_another_journal_gets_a_snapshot(tmp_path: Path) -> None:
    async with served(tmp_path) as here:
        assert await first_names(here, 10**6, 2) == ["lagged", "snapshot"]


async def test_what_was_understood_late_reaches_those_who_listen(tmp_path: Path) -> None:
    async with served(tmp_path) as here:
        hub = here.parts.hub
        await here.said(prompt(str(uuid4()), "hello"))
        position = await here.parts.journal.last()

        def listen(stream: Stream) -> list[Any]:
            events = iter(stream)
            return [(event.name, event.place) for event in (next(events), next(events))]

        stream = await asyncio.to_thread(here.caller.hear)
        hearing = asyncio.create_task(asyncio.to_thread(listen, stream))
        while not hub.readers:
            await asyncio.sleep(0)
        hub.tell(None, b'event: agent_removed\ndata: {"agent_id":1,"absorbed_by":2}\n\n')
        heard = await hearing
        stream.__exit__()

    assert heard == [("snapshot", position), ("agent_removed", None)]


async def test_an_event_is_encoded_once_for_all_readers(tmp_path: Path) -> None:
    async with served(tmp_path) as here:
        readers = [here.parts.hub.join() for _ in range(3)]
        await here.said(prompt(str(uuid4()), "hello"))
        for reader in readers:
            await reader.wait()

        sent = [reader.take(START)[1] for reader in readers]

    assert b"turn_created" in sent[0]
    assert sent[1] is sent[0]
    assert sent[2] is sent[0]
