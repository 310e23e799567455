"""Answers: how soon the waiting hook prints one, and what two hundred waiting hooks cost.

- to the hook: from the answer's POST until the hook's own script, in a process of its own, has
  printed the decision; while 200 asks are open. By turns with its floors: a bare round trip (a POST
  on a connection of its own to a server that only answers, on the same uvicorn), and that with
  one append to a journal, because no answer counts before it is safe.
- weight: a daemon with 200 open asks, each with its hook connected, less the same daemon before.
- waiting: what it takes of a core while nobody answers, less what it took before.
"""

import asyncio
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple
from uuid import uuid4

import psutil

from bench.http import served
from bench.latency import cpu_seconds, show
from tests.lab.asking import Caller, bearing
from tests.lab.daemon import Daemon
from tests.lab.offering import Json, Waiting, offered, permission, queue, waiting
from tests.lab.real_client import until
from turnkeeper.daemon.lock import announced
from turnkeeper.facts.fact import Fact, Moment, Source
from turnkeeper.facts.kinds import AskAnswered, Decision
from turnkeeper.journal.sql import SqlJournal
from turnkeeper.sources.claude_hook_commands import WAITING_HOOK

OPEN: Final = 200
ANSWERS: Final = 200
WARM: Final = 20
AIM_MS: Final = 200.0
AIM_MB: Final = 50.0
WATCHED: Final = 10.0
SETTLE: Final = 3.0
ALLOW: Final = json.dumps({"decision": "allow"}).encode()


def answer(owner: Caller, ask: Json) -> None:
    done = owner.post(f"/api/asks/{ask['id']}/answer", ALLOW)
    if done.status != 200:
        raise RuntimeError(f"the answer was refused: {done.body.decode()}")


# To the hook -------------------------------------------------------------------------------------


def to_the_hook(owner: Caller, data: Path) -> float:
    """Seconds from an answer until the hook's script has printed it."""
    payload = permission(str(uuid4()))
    script = subprocess.Popen(
        [sys.executable, "-I", "-S", str(WAITING_HOOK), str(data)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=dict(os.environ),
    )
    assert script.stdin is not None
    assert script.stdout is not None
    script.stdin.write(json.dumps(payload).encode())
    script.stdin.close()
    ask = waiting(owner, payload["session_id"])
    began = time.perf_counter()
    answer(owner, ask)
    script.stdout.read(1)
    took = time.perf_counter() - began
    script.stdout.read()
    script.stdout.close()
    script.wait()
    return took


def round_trip(port: int) -> float:
    """Seconds of a POST, on a connection of its own, to a server that does nothing."""
    began = time.perf_counter()
    line = http.client.HTTPConnection("127.0.0.1", port)
    line.request("POST", "/", ALLOW)
    line.getresponse().read()
    line.close()
    return time.perf_counter() - began


def append(runner: asyncio.Runner, journal: SqlJournal, number: int) -> float:
    """Seconds until one fact is safe."""
    what, at = AskAnswered(number, Decision.ALLOW), Moment(number + 1)
    fact = Fact(f"ask:{number}", "a-session", Source.PERSON, at, at, what)
    began = time.perf_counter()
    runner.run(journal.append([fact]))
    return time.perf_counter() - began


class Delays(NamedTuple):
    bare: list[float]
    safe: list[float]
    printed: list[float]


def delays(owner: Caller, data: Path) -> Delays:
    seen = Delays([], [], [])
    with asyncio.Runner() as runner, served("echo") as (port, _):
        journal = runner.run(SqlJournal.open(data.parent / "floor.db"))
        for number in range(ANSWERS):
            seen.bare.append(round_trip(port))
            seen.safe.append(seen.bare[-1] + append(runner, journal, number))
            seen.printed.append(to_the_hook(owner, data))
        runner.run(journal.close())
    return seen


# What waiting costs ------------------------------------------------------------------------------


def megabytes(data: Path) -> float:
    process = psutil.Process(announced(data / "daemon.json")["pid"])
    return float(process.memory_info().rss) / 1e6


def share(data: Path) -> float:
    """The share of a core that the daemon takes while nothing happens."""
    time.sleep(SETTLE)
    before = cpu_seconds(data)
    time.sleep(WATCHED)
    return (cpu_seconds(data) - before) / WATCHED


def warm(owner: Caller) -> None:
    """Let everything happen a few times that would else be loaded for the first ask."""
    for _ in range(WARM):
        hook, ask = offered(owner)
        answer(owner, ask)
        hook.printed()


def opened(owner: Caller) -> list[Waiting]:
    hooks = [Waiting(owner, permission(str(uuid4()))) for _ in range(OPEN)]
    until(lambda: len(queue(owner)) >= OPEN or None, f"{OPEN} asks", seconds=60)
    return hooks


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="tk-bench-") as root:
        daemon = Daemon(Path(root) / "data", Path(root) / "claude")
        daemon.start()
        try:
            owner = bearing(daemon.url, daemon.token)
            warm(owner)
            idle, light = share(daemon.data), megabytes(daemon.data)
            hooks = opened(owner)
            busy, heavy = share(daemon.data), megabytes(daemon.data)
            seen = delays(owner, daemon.data)
            still = len(queue(owner))
            for hook in hooks:
                hook.leave()
        finally:
            daemon.close()
    print(f"{still} asks open, {ANSWERS} answers; load average {os.getloadavg()[0]:.1f}")
    print(f"{'':26}{'p50':>9}{'p99':>9}{'worst':>9}")
    show("bare round trip (floor)", seen.bare)
    show("... and an append", seen.safe)
    show("answer to printed", seen.printed, AIM_MS)
    bare, safe, printed = map(median, seen)
    print(f"at the median {printed / bare:.0f} x the round trip,", end=" ")
    print(f"{printed / safe:.1f} x the round trip and an append")
    print(f"memory: {light:.0f} MB before, {heavy:.0f} MB with {OPEN} asks open:", end=" ")
    print(f"{heavy - light:.1f} MB for them", verdict(heavy - light <= AIM_MB, f"{AIM_MB:.0f} MB"))
    print(f"share of a core over {WATCHED:.0f} s: {idle:.2%} before, {busy:.2%} with them waiting")


def verdict(met: bool, aim: str) -> str:
    return f"(aim <= {aim}: {'met' if met else 'MISSED'})"


if __name__ == "__main__":
    main()
