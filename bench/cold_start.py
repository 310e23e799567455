"""The first start on a long past: until every transcript is read, kept and interpreted.

    TURNKEEPER_BENCH_MB=64 python -m bench cold_start

The floor reads the same files and decodes each line with msgspec, in one process, and keeps
nothing. Meanwhile a scripted agent works; its board is watched from the moment it acts, so its own
pauses (some 60 ms) are in the delay.
"""

import asyncio
import os
import sqlite3
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

import msgspec
import psutil

from bench._history import make_history
from tests.lab.daemon import Daemon
from turnkeeper.daemon.lock import announced
from turnkeeper.scripted.agent import ScriptedAgent
from turnkeeper.scripted.body import Place, Role
from turnkeeper.scripted.pace import live
from turnkeeper.scripted.stage import Stage, throwaway
from turnkeeper.scripted.steps import Finish, Prompt

MEGABYTES: Final = int(os.environ.get("TURNKEEPER_BENCH_MB", "1000"))
MOST_TIMES_THE_FLOOR: Final = 3.0
RIGHT_WITHIN: Final = 2.0
MOST_TIMES_THE_WORDS: Final = 1.5
GLANCE: Final = 0.01
GAVE_UP: Final = 600.0


@dataclass
class Run:
    """What one cold start came to."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    facts: int = 0
    peak_megabytes: float = 0.0
    files: dict[str, int] = field(default_factory=dict)
    first_right: float = 0.0
    delays: list[float] = field(default_factory=list)


def floor(files: list[Path]) -> float:
    began = time.perf_counter()
    for file in files:
        for line in file.read_bytes().splitlines():
            msgspec.json.decode(line)
    return time.perf_counter() - began


async def cold_start(place: Place) -> Run:
    run, daemon = Run(), Daemon(place.data, place.claude_dir)
    async with Stage(place, live) as stage:
        agent = await stage.enter(Role(place.data.parent / "work"))
        await agent.perform(Prompt("Begin before the daemon does."))
        began = time.perf_counter()
        await asyncio.to_thread(daemon.start)
        await shown(daemon, agent, "running")
        run.first_right = time.perf_counter() - began
        working = asyncio.create_task(work(agent, daemon, run.delays))
        await asyncio.wait_for(all_told(daemon), GAVE_UP)
        run.seconds = time.perf_counter() - began
        working.cancel()
        await asyncio.wait({working})
    run.facts, run.peak_megabytes = daemon.board.position(), peak_megabytes(place.data)
    run.cpu_seconds = cpu_seconds(place.data)
    daemon.close()
    run.files = {file.name: file.stat().st_size for file in place.data.glob("*.db*")}
    return run


async def work(agent: ScriptedAgent, daemon: Daemon, delays: list[float]) -> None:
    """Turn after turn, each timed from the agent's act to the board's word."""
    for number in count(1):
        for step, standing in (
            (Finish(f"Part {number} is done."), "idle"),
            (Prompt(f"Go on with part {number + 1}."), "running"),
        ):
            acting = asyncio.create_task(agent.perform(step))
            began = time.perf_counter()
            await shown(daemon, agent, standing)
            delays.append(time.perf_counter() - began)
            await acting
            await asyncio.sleep(0.2)


async def shown(daemon: Daemon, agent: ScriptedAgent, standing: str) -> None:
    while (card := daemon.card(agent.session)) is None or card.standing != standing:
        await asyncio.sleep(GLANCE)


async def all_told(daemon: Daemon) -> None:
    """Wait until the past is in the journal and the board has caught up with it."""
    log = daemon.data / "logs" / "turnkeeper.log"
    while not has_read(log):
        await asyncio.sleep(GLANCE)
    while daemon.board.position() < newest(daemon.data):
        await asyncio.sleep(GLANCE)


def has_read(log: Path) -> bool:
    return log.exists() and '"history.read"' in log.read_text()[-50_000:]


def newest(data: Path) -> int:
    with closing(sqlite3.connect(data / "journal.db")) as journal:
        found = journal.execute("SELECT max(position) FROM fact").fetchone()
    return int(found[0] or 0)


def peak_megabytes(data: Path) -> float:
    pid = announced(data / "daemon.json")["pid"]
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1000


def cpu_seconds(data: Path) -> float:
    times = psutil.Process(announced(data / "daemon.json")["pid"]).cpu_times()
    return times.user + times.system


def show(run: Run, bare: float, size: int, spoken: int) -> None:
    total = sum(run.files.values())
    times, stored = run.seconds / bare, total / spoken
    worst = max([run.first_right, *run.delays])
    middle = sorted(run.delays)[len(run.delays) // 2]
    print(f"{size / 1e6:.0f} MB of transcripts, {spoken / 1e6:.0f} MB of them conversation")
    print(f"{'read and decode (floor)':26}{bare:9.2f} s{size / bare / 1e6:9.0f} MB/s")
    print(
        f"{'cold start':26}{run.seconds:9.2f} s{size / run.seconds / 1e6:9.0f} MB/s"
        f"{times:8.1f} x the floor   aim <= {MOST_TIMES_THE_FLOOR:.0f}:"
        f" {said(times <= MOST_TIMES_THE_FLOOR)}"
    )
    print(f"{'... of which on a core':26}{run.cpu_seconds:9.2f} s")
    print(f"{'facts':26}{run.facts:9}  {run.facts / run.seconds:9.0f} /s")
    print(f"{'peak memory':26}{run.peak_megabytes:9.0f} MB")
    print(f"{'live agent right at start':26}{run.first_right:9.2f} s, starting the daemon included")
    print(
        f"{'... and while it read':26}{middle:9.2f} s median, {max(run.delays):.2f} s worst"
        f" of {len(run.delays)}   aim <= {RIGHT_WITHIN:.0f} s: {said(worst <= RIGHT_WITHIN)}"
    )
    print(
        f"{'database':26}{total / 1e6:9.1f} MB{stored:8.2f} x the conversation"
        f"   aim <= {MOST_TIMES_THE_WORDS}: {said(stored <= MOST_TIMES_THE_WORDS)}"
    )
    each = ", ".join(f"{name} {size / 1e6:.1f}" for name, size in sorted(run.files.items()))
    print(f"{'... MB by file':26}{each}")


def said(met: bool) -> str:
    return "met" if met else "MISSED"


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="tk-bench-") as root:
        place = throwaway(Path(root))
        spoken = make_history(place.claude_dir / "projects", MEGABYTES * 1_000_000)
        files = list(place.claude_dir.glob("projects/*/*.jsonl"))
        size = sum(file.stat().st_size for file in files)
        bare = min(floor(files) for _ in range(2))
        show(asyncio.run(cold_start(place)), bare, size, spoken)


if __name__ == "__main__":
    main()
