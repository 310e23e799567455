"""From a line in a transcript to a turn on the board, with a hundred agents at work.

A real daemon, scripted agents in a process of their own, and a third process that looks at both
databases every two milliseconds through connections of its own, as any reader would.

- line to turn: from the time in the line, which its writer takes just before it writes, until the
  turn's row can be read. Rounding (1 ms), our glance (2 ms) and the writer's delay are in it.
- fact to state: from when a fact can be read in the journal until the board that holds it can.
- the floor of interpretation is the append alone; beside it, append and projection, one by one.
"""

import asyncio
import multiprocessing
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from statistics import median, quantiles
from typing import Final, NamedTuple

import psutil

from tests.lab.daemon import Daemon
from turnkeeper.daemon.lock import announced
from turnkeeper.daemon.projector import Projector
from turnkeeper.facts.fact import Fact, Moment, Source
from turnkeeper.facts.identity import entry_key
from turnkeeper.facts.kinds import AgentSpoke, PromptSubmitted, What
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.journal.sql import SqlJournal
from turnkeeper.scripted.body import Place
from turnkeeper.scripted.pace import live
from turnkeeper.scripted.stage import Part, Stage, crowd, throwaway
from turnkeeper.scripted.stories import cast
from turnkeeper.sources.clock import SystemClock

AGENTS: Final = 100
IDLE_AGENTS: Final = 50
SPEED: Final = 0.25
"""A quarter of the stories' pace: real models and tests take longer than those of a story."""

SETTLE: Final = 10.0
SECONDS: Final = 30.0
GLANCE: Final = 0.002
RECENT: Final = 1000
SINGLY: Final = 400
LINE_TO_TURN_MS: Final = 100.0
FACT_TO_STATE_MS: Final = 50.0
IDLE_SHARE: Final = 0.01

TURNS: Final = "SELECT words_at, happened_at FROM turn WHERE position > ? AND source = 'transcript'"
NEWEST: Final = "SELECT max(position) FROM fact"
REACHED: Final = "SELECT value FROM about WHERE name = 'position'"


class Glance(NamedTuple):
    """What could be read at one moment, in seconds since 1970."""

    at: float
    kept: int
    told: int


class Seen(NamedTuple):
    turns: list[float]
    glances: list[Glance]


# The agents ------------------------------------------------------------------------------------


def play(place: Place, agents: int, seconds: float) -> None:
    with suppress(TimeoutError):
        asyncio.run(asyncio.wait_for(_play(place, agents), seconds))


async def _play(place: Place, agents: int) -> None:
    parts = crowd(cast(place.data.parent / "work"), agents)
    async with Stage(place, partial(live, SPEED)) as stage, asyncio.TaskGroup() as playing:
        for nth, part in enumerate(parts):
            playing.create_task(_over_and_over(stage, part, nth / agents * SETTLE))


async def _over_and_over(stage: Stage, part: Part, after: float) -> None:
    await asyncio.sleep(after)
    agent = await stage.enter(part.role, part.faults)
    await agent.play(chain.from_iterable(repeat(part.story)))


# Who looks -------------------------------------------------------------------------------------


def look(data: Path, seconds: float) -> Seen:
    """Glance at both databases until the time is over."""
    board, journal = (sqlite3.connect(data / name) for name in ("board.db", "journal.db"))
    known = {words_at for words_at, _ in board.execute(TURNS, (0,))}
    seen, last, end = Seen([], []), 0, time.time() + seconds
    while time.time() < end:
        kept = journal.execute(NEWEST).fetchone()[0]
        told = int(board.execute(REACHED).fetchone()[0])
        seen.glances.append(Glance(time.time(), kept, told))
        if told != last:
            seen.turns.extend(_news(board, told, known))
        last = told
        time.sleep(GLANCE)
    return seen


def _news(board: sqlite3.Connection, told: int, known: set[int]) -> Iterator[float]:
    """How long ago the turns happened that could not be read before."""
    rows = [row for row in board.execute(TURNS, (told - RECENT,)) if row[0] not in known]
    now = time.time()
    known.update(words_at for words_at, _ in rows)
    return (now - happened_at / 1e6 for _, happened_at in rows)


def waits(glances: list[Glance]) -> list[float]:
    """How long each fact could be read in the journal before the board held it."""
    waiting: list[tuple[int, float]] = []
    waited: list[float] = []
    kept = glances[0].kept
    for glance in glances:
        waiting += [(position, glance.at) for position in range(kept + 1, glance.kept + 1)]
        kept = max(kept, glance.kept)
        waited += [glance.at - since for position, since in waiting if position <= glance.told]
        waiting = [each for each in waiting if each[0] > glance.told]
    return waited


# One by one ------------------------------------------------------------------------------------


async def singly(folder: Path) -> tuple[list[float], list[float]]:
    """How long an append takes, and how long until the board holds what was appended."""
    journal, store = await SqlJournal.open(folder / "journal.db"), BoardStore(folder / "board.db")
    projector = Projector(journal, store, SystemClock())
    folding = asyncio.create_task(projector.run())
    appends, boards = [], []
    for number in range(SINGLY):
        began = time.perf_counter()
        appended = await journal.append([_fact(number)])
        appends.append(time.perf_counter() - began)
        await projector.reached(appended.positions[0])
        boards.append(time.perf_counter() - began)
    await journal.close()
    await folding
    store.close()
    return appends, boards


def _fact(number: int) -> Fact:
    words = "The cause was a missing await in the reader; the test passes now. " * 4
    prompt, entry = f"p-{number // 2}", str(number)
    asked = PromptSubmitted("Why does it fail?", prompt, entry=entry)
    said: What = AgentSpoke(words, prompt, True, entry) if number % 2 else asked
    at = Moment(number + 1)
    return Fact(entry_key("a-session", entry), "a-session", Source.TRANSCRIPT, at, at, said)


# The numbers -----------------------------------------------------------------------------------


def busy(place: Place) -> tuple[Seen, float]:
    """A hundred agents at work: what was seen, and which share of a core the daemon took."""
    with multiprocessing.get_context("spawn").Pool(1) as stage:
        stage.apply_async(play, (place, AGENTS, SETTLE + SECONDS + 5))
        time.sleep(SETTLE + 3)
        before, began = cpu_seconds(place.data), time.time()
        seen = look(place.data, SECONDS)
        return seen, (cpu_seconds(place.data) - before) / (time.time() - began)


async def idle_share(place: Place) -> float:
    """The share of a core that the daemon takes while fifty sessions do nothing."""
    async with Stage(place, live) as stage:
        parts = crowd(cast(place.data.parent / "work"), IDLE_AGENTS, seed=1000)
        await asyncio.gather(*(stage.enter(part.role, part.faults) for part in parts))
        await asyncio.sleep(SETTLE)
        before = cpu_seconds(place.data)
        await asyncio.sleep(SECONDS)
        return (cpu_seconds(place.data) - before) / SECONDS


def cpu_seconds(data: Path) -> float:
    times = psutil.Process(announced(data / "daemon.json")["pid"]).cpu_times()
    return times.user + times.system


def show(name: str, seconds: list[float], aim: float | None = None) -> None:
    p50, p99 = median(seconds) * 1000, quantiles(seconds, n=100)[98] * 1000
    print(f"{name:26}{p50:9.1f}{p99:9.1f}{max(seconds) * 1000:9.1f} ms", end="")
    print("" if aim is None else f"   aim <= {aim:.0f} p99: {'met' if p99 <= aim else 'MISSED'}")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="tk-bench-") as root:
        place = throwaway(Path(root))
        daemon = Daemon(place.data, place.claude_dir)
        daemon.start()
        try:
            seen, share = busy(place)
            idle = asyncio.run(idle_share(place))
        finally:
            daemon.close()
    facts = seen.glances[-1].kept - seen.glances[0].kept
    print(
        f"{AGENTS} agents, {facts / SECONDS:.0f} facts/s, {len(seen.turns) / SECONDS:.0f} turns/s"
    )
    print(f"{'':26}{'p50':>9}{'p99':>9}{'worst':>9}")
    show("line to turn", seen.turns, LINE_TO_TURN_MS)
    show("fact to state", waits(seen.glances), FACT_TO_STATE_MS)
    with tempfile.TemporaryDirectory(prefix="tk-bench-") as folder:
        appends, boards = asyncio.run(singly(Path(folder)))
    show("append alone (floor)", appends)
    show("append and projection", boards)
    print(f"separate interpretation: {median(boards) / median(appends):.1f} x the append alone")
    print(f"the daemon's share of a core: {share:.0%} at this load;", end=" ")
    print(f"{idle:.1%} with {IDLE_AGENTS} idle sessions, aim <= {IDLE_SHARE:.0%}")


if __name__ == "__main__":
    main()
