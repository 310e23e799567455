"""The live stream: how soon a reader hears, what a thousand readers cost, and what a daemon weighs.

- to a reader: from a hook's spool file, or the time in a transcript's line, until the event has
  come over a socket; a hundred scripted agents work in a process of their own.
- fan-out: one event to a thousand readers through hub, guard and uvicorn, against a raw asyncio
  protocol that writes the same bytes. What counts is the server's processor time for each event.
- weight: a daemon that knows a thousand agents, two hundred of them alive.
"""

import asyncio
import multiprocessing
import subprocess
import tempfile
import time
from datetime import datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import psutil
import uvloop

from bench.latency import SETTLE, cpu_seconds, play, show
from tests.lab.asking import bearing
from tests.lab.daemon import Daemon, turnkeeper
from tests.lab.served import prompt, served
from turnkeeper.daemon.lock import announced
from turnkeeper.facts.fact import Position
from turnkeeper.scripted.pace import live
from turnkeeper.scripted.stage import Stage, crowd, throwaway
from turnkeeper.scripted.stories import cast

AGENTS: Final = 100
SECONDS: Final = 20.0
AIM_MS: Final = 100.0
READERS: Final = 1000
EVENTS: Final = 50
PAUSE: Final = 0.1
KNOWN: Final = 1000
LIVE: Final = 200
LARGEST_MB: Final = 200
WITHIN: Final = {"up": 1.5, "agents": 0.25, "--version": 0.15}
EVENT: Final = b'event: agent_updated\ndata: {"x":"%s"}\n\n' % (b"w" * 900)


# To a reader -------------------------------------------------------------------------------------


def heard(url: str, token: str, seconds: float) -> dict[str, list[float]]:
    """How long ago each turn had happened when it came, by who told it first."""
    delays: dict[str, list[float]] = {"hook": [], "transcript": []}
    end = time.time() + seconds
    with bearing(url, token).hear() as stream:
        for event in stream:
            now = time.time()
            if event.name == "turn_created":
                turn = event.data["turn"]
                happened = datetime.fromisoformat(turn["happened_at"]).timestamp()
                delays[turn["source"]].append(now - happened)
            if now > end:
                return delays
    return delays


def to_a_reader(root: Path) -> dict[str, list[float]]:
    place = throwaway(root)
    daemon = Daemon(place.data, place.claude_dir)
    daemon.start()
    try:
        with multiprocessing.get_context("spawn").Pool(1) as stage:
            stage.apply_async(play, (place, AGENTS, SETTLE + SECONDS + 10))
            time.sleep(SETTLE + 3)
            return heard(daemon.url, daemon.token, SECONDS)
    finally:
        daemon.close()


# Fan-out -----------------------------------------------------------------------------------------


class Raw(asyncio.Protocol):
    """Keeps whoever connects, and greets."""

    everyone: Final[set[asyncio.WriteTransport]] = set()

    def connection_made(self, transport: asyncio.WriteTransport) -> None:  # type: ignore[override]  # uvloop's is no subclass
        self.everyone.add(transport)
        transport.write(EVENT)


async def _raw(pipe: Connection) -> float:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Raw, "127.0.0.1", 0)
    pipe.send((server.sockets[0].getsockname()[1], ""))
    await asyncio.to_thread(pipe.recv)
    before = time.process_time()
    for _ in range(EVENTS):
        for transport in Raw.everyone:
            transport.write(EVENT)
        await asyncio.sleep(PAUSE)
    return time.process_time() - before


async def _ours(root: Path, pipe: Connection) -> float:
    async with served(root) as here:
        pipe.send((urlsplit(here.caller.url).port, here.parts.keys.full))
        await asyncio.to_thread(pipe.recv)
        before = time.process_time()
        for number in range(1, EVENTS + 1):
            here.parts.hub.tell(Position(number), b"id: %d\n" % number + EVENT)
            await asyncio.sleep(PAUSE)
        return time.process_time() - before


def serve(kind: str, root: Path, pipe: Connection) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        pipe.send(runner.run(_raw(pipe) if kind == "raw" else _ours(root, pipe)))


class Listener(asyncio.Protocol):
    """Counts what it hears, until all of it has come."""

    def __init__(self, request: bytes, greeted: asyncio.Semaphore) -> None:
        self._request, self._greeted = request, greeted
        self._heard = 0

    def connection_made(self, transport: asyncio.WriteTransport) -> None:  # type: ignore[override]  # uvloop's is no subclass
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if not self._heard:
            self._greeted.release()
        self._heard += len(data)


async def _listen(port: int, token: str, pipe: Connection) -> float:
    head = f"GET /api/stream HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\n\r\n"
    greeted, loop = asyncio.Semaphore(0), asyncio.get_running_loop()
    for _ in range(READERS):
        await loop.create_connection(lambda: Listener(head.encode(), greeted), "127.0.0.1", port)
    for _ in range(READERS):
        await greeted.acquire()
    pipe.send("go")
    used: float = await asyncio.to_thread(pipe.recv)
    return used


def fan_out(kind: str, root: Path) -> float:
    """Seconds of the server's processor for one event to every reader."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(kind, root, there))
    process.start()
    port, token = here.recv()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        used = runner.run(_listen(port, token, here))
    process.join()
    return used / EVENTS


# Weight ------------------------------------------------------------------------------------------


async def weigh(root: Path) -> None:
    place = throwaway(root)
    daemon = Daemon(place.data, place.claude_dir)
    daemon.start()
    owner = bearing(daemon.url, daemon.token)
    for number in range(KNOWN - LIVE):
        owner.post("/api/hooks/claude", prompt(f"known-{number:06}", f"prompt {number}"))
    async with Stage(place, lambda: live(20)) as stage:
        parts = crowd(cast(root / "work"), LIVE)
        await asyncio.gather(*(stage.enter(part.role, part.faults) for part in parts))
        await asyncio.sleep(SETTLE)
        process = psutil.Process(announced(place.data / "daemon.json")["pid"])
        megabytes = process.memory_info().rss / 1e6
        known = len(owner.get("/api/agents").json())
        before = cpu_seconds(place.data)
        await asyncio.sleep(SETTLE)
        idle = (cpu_seconds(place.data) - before) / SETTLE
        print(f"{known} agents known, {LIVE} alive: {megabytes:.0f} MB", end=" ")
        print(f"(aim <= {LARGEST_MB}), {idle:.1%} of a core while they do nothing")
        took("agents", "agents", "--data", str(place.data))
        took("--version", "--version")
    daemon.stop()
    began = time.perf_counter()
    daemon.start()
    print(f"{'up':12}{time.perf_counter() - began:6.2f} s   (aim <= {WITHIN['up']})")
    daemon.close()


def took(name: str, *words: str) -> None:
    seconds = []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run([*turnkeeper(), *words], check=True, capture_output=True)
        seconds.append(time.perf_counter() - began)
    print(f"{name:12}{min(seconds):6.2f} s   (aim <= {WITHIN[name]})")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="tk-bench-") as root:
        folder = Path(root)
        print(f"{AGENTS} agents at work, to one reader of the stream")
        for source, delays in to_a_reader(folder / "one").items():
            if len(delays) > 1:
                show(f"{source} to reader ({len(delays)})", delays, AIM_MS)
        raw, ours = fan_out("raw", folder), fan_out("ours", folder / "two")
        print(
            f"one event to {READERS} readers: raw {raw * 1e3:.1f} ms, ours {ours * 1e3:.1f} ms",
            end=" ",
        )
        print(f"of processor, {ours / raw:.1f} x (aim <= 2)")
        asyncio.run(weigh(folder / "three"))


if __name__ == "__main__":
    main()
