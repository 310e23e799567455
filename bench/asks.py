"""Answers: how soon the waiting hook prints one, and what two hundred waiting hooks cost.

- to the hook: from the answer's POST until the hook's own script, in a process of its own, has
  printed the decision; while 200 asks are open. Against a bare round trip: a POST, on a connection
  of its own, to an application that only answers, on the same uvicorn.
- weight: a daemon with 200 open asks, each with its hook connected, less the same daemon before.
- waiting: what it takes of a core while nobody answers, less what it took before.
"""

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final
from uuid import uuid4

import psutil

from bench.http import served
from bench.latency import cpu_seconds, show
from tests.lab.asking import Caller, bearing
from tests.lab.daemon import Daemon
from tests.lab.offering import Json, Waiting, offered, permission, queue, waiting
from tests.lab.real_client import until
from turnkeeper.daemon.lock import announced
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


def round_trips() -> list[float]:
    """Seconds of a POST, on a connection of its own, to a server that does nothing."""
    took = []
    with served("echo") as (port, _):
        for _ in range(ANSWERS):
            began = time.perf_counter()
            line = http.client.HTTPConnection("127.0.0.1", port)
            line.request("POST", "/", ALLOW)
            line.getresponse().read()
            line.close()
            took.append(time.perf_counter() - began)
    return took


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
    floor = round_trips()
    with tempfile.TemporaryDirectory(prefix="tk-bench-") as root:
        daemon = Daemon(Path(root) / "data", Path(root) / "claude")
        daemon.start()
        try:
            owner = bearing(daemon.url, daemon.token)
            warm(owner)
            idle, light = share(daemon.data), megabytes(daemon.data)
            hooks = opened(owner)
            busy, heavy = share(daemon.data), megabytes(daemon.data)
            delays = [to_the_hook(owner, daemon.data) for _ in range(ANSWERS)]
            still = len(queue(owner))
            for hook in hooks:
                hook.leave()
        finally:
            daemon.close()
    print(f"{still} asks open, {ANSWERS} answers; load average {os.getloadavg()[0]:.1f}")
    print(f"{'':26}{'p50':>9}{'p99':>9}{'worst':>9}")
    show("bare round trip (floor)", floor)
    show("answer to printed", delays, AIM_MS)
    middle = sorted(delays)[ANSWERS // 2] / sorted(floor)[ANSWERS // 2]
    print(f"answer to printed: {middle:.1f} x the bare round trip, at the median")
    print(f"memory: {light:.0f} MB before, {heavy:.0f} MB with {OPEN} asks open:", end=" ")
    print(f"{heavy - light:.1f} MB for them", verdict(heavy - light <= AIM_MB, f"{AIM_MB:.0f} MB"))
    print(f"share of a core over {WATCHED:.0f} s: {idle:.2%} before, {busy:.2%} with them waiting")


def verdict(met: bool, aim: str) -> str:
    return f"(aim <= {aim}: {'met' if met else 'MISSED'})"


if __name__ == "__main__":
    main()
