"""Search over many turns: how long an answer takes, and what the index costs in time and room.

The texts are pieces of Python's own library (code and prose) and of a few sentences in Japanese,
Chinese, German and Spanish. Saving with the index is compared with saving without it, batch by
batch in the same run. `python -m bench.search 1000000` takes another number of turns.
"""

import asyncio
import json
import random
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import msgspec
from sqlalchemy import Connection

from turnkeeper.desk.search import search
from turnkeeper.facts.fact import START, Fact, Moment, Source
from turnkeeper.facts.kinds import AgentSpoke, PromptSubmitted, ToolFinished, ToolStarted, What
from turnkeeper.facts.words import Actor
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.journal.search_index import Asked, Page, Spoken, spoken
from turnkeeper.journal.sql import SqlJournal
from turnkeeper.projections.board import Board

TURNS: Final = 200_000
BATCH: Final = 1000
AGENTS: Final = 100
ASKED: Final = 60
AIM_MS: Final = 200
BEGAN: Final = 1_767_225_600_000_000
EVERY: Final = 40_000_000
"""A turn each 40 seconds: 200,000 of them are three months."""

ELSEWHERE: Final = (
    "全文検索の索引を作り直してから、もう一度テストを実行してください。",
    "請修復登錄頁面的錯誤，然後重新運行所有測試並提交更改。",
    "请检查数据库连接，然后更新配置文件和文档。",
    "Bitte prüfe die Größe der Änderung und führe die Tests noch einmal aus.",
    "Revisa las líneas añadidas y vuelve a ejecutar todas las pruebas, por favor.",
)
COMMON: Final = ("return", "self", "import", "the", "value", "name", "not", "error", "string")
RARE: Final = ("BaseRotatingHandler", "quopri", "mailcap", "nturl2path", "PicklingError", "sndhdr")
PHRASES: Final = ('"the number of"', '"if not isinstance"', '"for the first"', '"raise TypeError("')
PAIRS: Final = ("socket timeout", "thread lock", "unicode error", "path exists", "json decode")
ABSENT: Final = ("turnkeepering", "zyxwvu", "quarkkuchen", "retry_budget_v9", "xkcdxkcd")
SHORT: Final = ("索引", "错误", "测试", "ok", "x=", "検")
LETTERS: Final = ("a", "e", "q z", "(", "w k")


class NoIndex:
    """What saving costs without a search."""

    def make(self, connection: Connection) -> None: ...

    def drop(self, connection: Connection) -> None: ...

    def put(self, connection: Connection, said: Sequence[Spoken]) -> None: ...

    def page(self, connection: Connection, asked: Asked, below: int | None, size: int) -> Page:
        return Page([], None)


@dataclass(slots=True)
class Cost:
    """What saving took, in seconds, and how much there was to save."""

    with_index: float = 0
    without: float = 0
    wording: float = 0
    turns: int = 0
    text: int = 0
    batches: list[float] = field(default_factory=list)


def library() -> str:
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)


def texts(chance: random.Random) -> Iterator[str]:
    """Pieces of very different lengths, one in twenty in another language."""
    shelf = library()
    while True:
        length = min(max(int(chance.lognormvariate(5.8, 1.1)), 2), 20_000)
        if chance.random() < 0.05:
            yield "".join(chance.choices(ELSEWHERE, k=1 + length // 120))
        else:
            start = chance.randrange(len(shelf) - length)
            yield shelf[start : start + length]


def facts(count: int) -> Iterator[Fact]:
    chance = random.Random(7)
    for nth, text in zip(range(count), texts(chance), strict=False):
        said: What
        match nth % 4:
            case 0:
                said = PromptSubmitted(text, f"p{nth}", entry=f"u{nth}")
            case 1:
                given = json.dumps({"command": text}, ensure_ascii=False).encode()
                said = ToolStarted("Bash", f"c{nth}", input=msgspec.Raw(given), entry=f"u{nth}")
            case 2:
                said = ToolFinished(f"c{nth - 1}", "Bash", text=text, entry=f"u{nth}")
            case _:
                said = AgentSpoke(text, f"p{nth - 3}", final=True, entry=f"u{nth}")
        session = f"{chance.randrange(AGENTS):08d}-0000-4000-8000-000000000000"
        moment = Moment(BEGAN + nth * EVERY)
        yield Fact(f"k{nth}", session, Source.TRANSCRIPT, moment, moment, said)


async def fill(journal: SqlJournal, count: int) -> None:
    batch: list[Fact] = []
    for each in facts(count):
        batch.append(each)
        if len(batch) == BATCH:
            await journal.append(batch)
            batch = []
    await journal.append(batch)


async def save(journal: SqlJournal, indexed: BoardStore, bare: BoardStore) -> Cost:
    """Fold everything; save each batch with and without an index, by turns first."""
    board, position, cost = Board(), START, Cost()
    while batch := await journal.after(position, BATCH):
        position = batch[-1].position
        folded = [each for recorded in batch if (each := board.take(recorded)) is not None]
        began = time.perf_counter()
        said = spoken(folded)
        wording = time.perf_counter() - began
        took = {}
        order = (indexed, bare) if len(cost.batches) % 2 else (bare, indexed)
        for store in order:
            began = time.perf_counter()
            store.save(folded, board.directory, position)
            took[store] = time.perf_counter() - began
        cost.with_index += took[indexed]
        cost.without += took[bare] - wording
        cost.wording += wording
        cost.batches.append(took[indexed])
        cost.turns += len(said)
        cost.text += sum(len(each.words.encode()) for each in said)
    return cost


async def ask(
    store: BoardStore, journal: SqlJournal, words: Sequence[str], narrowed: str
) -> tuple[list[float], int, bool]:
    """Ask for these words by turns; the milliseconds, the hits, and whether one was truncated."""
    chance = random.Random(11)
    newest = BEGAN + (await journal.last()) * EVERY
    waits, hits, truncated = [], 0, False
    for nth in range(ASKED):
        began = time.perf_counter()
        found = await search(
            store,
            journal,
            words[nth % len(words)],
            agent=str(chance.randrange(AGENTS) + 1) if narrowed == "agent" else None,
            actor=Actor.USER if narrowed == "actor" else None,
            since=Moment(newest - 86_400_000_000) if narrowed == "since" else None,
        )
        waits.append((time.perf_counter() - began) * 1e3)
        hits += len(found.hits)
        truncated |= found.truncated
    return waits, hits, truncated


KINDS: Final = (
    ("common words", COMMON, ""),
    ("rare words", RARE, ""),
    ("absent words", ABSENT, ""),
    ("phrases", PHRASES, ""),
    ("two words", PAIRS, ""),
    ("words of 1-2 signs", SHORT, ""),
    ("one letter", LETTERS, ""),
    ("common, one agent", COMMON, "agent"),
    ("rare, one agent", RARE, "agent"),
    ("common, user only", COMMON, "actor"),
    ("common, last day", COMMON, "since"),
)


async def answers(store: BoardStore, journal: SqlJournal) -> None:
    print(f"{'asked for':<20}{'p50 ms':>9}{'p99 ms':>9}{'hits':>7}  (aim: p99 ≤ {AIM_MS} ms)")
    for name, words, narrowed in KINDS:
        waits, hits, truncated = await ask(store, journal, words, narrowed)
        p99 = quantiles(waits, n=100, method="inclusive")[98]
        note = "  given up at times" if truncated else ""
        print(f"{name:<20}{median(waits):>9.1f}{p99:>9.1f}{hits / ASKED:>7.1f}{note}")


def tell(cost: Cost, folder: Path) -> None:
    sizes = {name: (folder / name).stat().st_size for name in ("with.db", "without.db")}
    index, journal = sizes["with.db"] - sizes["without.db"], (folder / "journal.db").stat().st_size
    each = 1e6 / cost.turns
    extra = cost.with_index - cost.without
    print(f"{cost.turns:,} turns, {cost.text / 1e6:.0f} MB of text that can be found")
    print(f"index {index / 1e6:.0f} MB = {index / cost.text:.2f} of that text", end="")
    print(f", {index / journal:.2f} of the journal")
    print(f"a turn saved: {cost.without * each:.0f} µs without, {extra * each:.0f} µs more", end="")
    print(f" for the index ({cost.wording * each:.0f} of them wording)", end="")
    print(f": {cost.with_index / cost.without:.2f} times")
    print(f"a batch of {BATCH}: p50 {median(cost.batches) * 1e3:.0f} ms", end="")
    print(f", longest {max(cost.batches) * 1e3:.0f} ms")


async def run(folder: Path, count: int) -> None:
    journal = await SqlJournal.open(folder / "journal.db")
    try:
        await fill(journal, count)
        with (
            closing(BoardStore(folder / "with.db")) as indexed,
            closing(BoardStore(folder / "without.db", NoIndex())) as bare,
        ):
            cost = await save(journal, indexed, bare)
        tell(cost, folder)
        with closing(BoardStore(folder / "with.db")) as indexed:
            await answers(indexed, journal)
    finally:
        await journal.close()


def main(turns: int = TURNS) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder), turns))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
