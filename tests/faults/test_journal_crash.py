"""A process that appends under load is killed, again and again, and nothing it was told is lost."""

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from turnkeeper.facts.fact import START, Position
from turnkeeper.journal.sql import SqlJournal

KILLS = 20
SOURCES = Path(__file__).parents[2] / "src"

WRITER = """
import asyncio, sys
from pathlib import Path
from turnkeeper.facts.fact import Fact, Moment, Source
from turnkeeper.facts.kinds import AgentSpoke
from turnkeeper.journal.sql import SqlJournal
from turnkeeper.ports import Mark

file, life = Path(sys.argv[1]), sys.argv[2]

def said(key):
    what = AgentSpoke(key * 20)
    return Fact(key, f"session-{life}", Source.TRANSCRIPT, Moment(1), Moment(2), what)

async def write(journal, writer):
    nth = 0
    while True:
        key = f"{life}-{writer}-{nth}"
        pair = [said(key + "-left"), said(key + "-right")]
        appended = await journal.append(pair, [Mark(f"{life}-{writer}", nth)])
        print(key, *appended.positions, flush=True)
        nth += 1

async def main():
    journal = await SqlJournal.open(file)
    await asyncio.gather(*(write(journal, writer) for writer in range(32)))

asyncio.run(main())
"""


def live_and_die(file: Path, life: int, enough: int) -> list[list[str]]:
    """Let a process write until it has acknowledged `enough` appends, then kill it at once."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(file), str(life)],
        env=os.environ | {"PYTHONPATH": str(SOURCES)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process, process.stdout as told:
        lines = [told.readline() for _ in range(enough)]
        process.send_signal(signal.SIGKILL)
        lines += told.readlines()
    assert process.returncode == -signal.SIGKILL
    return [line.split() for line in lines if line.endswith("\n")]


async def everything(file: Path) -> tuple[dict[str, int], dict[str, int]]:
    """Every key with its position, and how far every writer's mark has come."""
    journal = await SqlJournal.open(file)
    places: dict[str, int] = {}
    while facts := await journal.after(newest(places)):
        places |= {recorded.fact.key: recorded.position for recorded in facts}
    marks = {name: mark.offset for name, mark in (await journal.marks()).items()}
    await journal.close()
    return places, marks


def newest(places: dict[str, int]) -> Position:
    return Position(max(places.values(), default=START))


def test_what_was_acknowledged_survives_twenty_kills(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    chance = random.Random(20)
    acknowledged: list[list[str]] = []
    for life in range(KILLS):
        acknowledged += live_and_die(file, life, enough=chance.randint(1, 400))

    places, marks = asyncio.run(everything(file))

    for key, left, right in acknowledged:
        assert places[f"{key}-left"] == int(left)
        assert places[f"{key}-right"] == int(right)
    assert sorted(places.values()) == list(range(1, len(places) + 1))
    assert_marks_and_facts_agree(places, marks)
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def assert_marks_and_facts_agree(places: dict[str, int], marks: dict[str, int]) -> None:
    """An append is whole: both of its facts and its mark are there, or none of them."""
    for name, offset in marks.items():
        assert f"{name}-{offset}-left" in places
        assert f"{name}-{offset}-right" in places
        assert f"{name}-{offset + 1}-left" not in places
    assert len(places) == sum(2 * (offset + 1) for offset in marks.values())
