"""A daemon in this process on a throwaway folder, and what can be seen of it from outside."""

import asyncio
import json
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from tests.lab.real_client import NeverHappened
from turnkeeper.daemon.settings import Bind, Settings
from turnkeeper.daemon.stores import open_board, open_journal
from turnkeeper.daemon.wiring import run
from turnkeeper.desk import inquiry
from turnkeeper.desk.verify import Verified, verified
from turnkeeper.projections.cards import Card
from turnkeeper.projections.shown import TurnTold
from turnkeeper.scripted.body import Place
from turnkeeper.scripted.pace import live
from turnkeeper.scripted.stage import Stage, throwaway
from turnkeeper.scripted.steps import AnyStep, Finish, Interject, Prompt, Say
from turnkeeper.sources.transcripts import Transcripts, session_of

T = TypeVar("T")
Json = dict[str, Any]  # a log line, or whatever else is JSON here

PATIENCE_SECONDS = 10.0
GLANCE_SECONDS = 0.02
HOST = "here"
SPEED = 100


class House:
    """The folders of a client and a daemon, and the daemon while `up` is entered."""

    def __init__(self, root: Path, *, log_level: str = "info") -> None:
        self.place: Place = throwaway(root)
        self.settings = Settings(
            self.place.data, (self.place.claude_dir,), HOST, log_level=log_level, bind=Bind(port=0)
        )

    @asynccontextmanager
    async def up(self) -> AsyncIterator[None]:
        """Run the daemon; leaving stops it cleanly."""
        stop, ready = asyncio.Event(), asyncio.Event()
        daemon = asyncio.create_task(run(self.settings, stop=stop, ready=lambda *_: ready.set()))
        begun = asyncio.create_task(ready.wait())
        await asyncio.wait({daemon, begun}, return_when=asyncio.FIRST_COMPLETED)
        if daemon.done():
            daemon.result()
        try:
            yield
        finally:
            begun.cancel()
            stop.set()
            async with asyncio.timeout(PATIENCE_SECONDS):
                await daemon

    def stage(self, speed: float = SPEED) -> Stage:
        return Stage(self.place, lambda: live(speed))

    # What the board says ----------------------------------------------------------------------

    def cards(self) -> list[Card]:
        with open_board(self.settings) as store:
            return store.cards()

    def card(self, session: str) -> Card | None:
        return next((card for card in self.cards() if session in card.sessions), None)

    async def sees(self, session: str, standing: str) -> float:
        """Wait until the board says so; returns after how many seconds it did."""

        def look() -> bool:
            card = self.card(session)
            return card is not None and card.standing == standing

        return await until(look, f"{session[:8]} {standing}", lambda: self.card(session))

    async def turns(self, session: str) -> list[TurnTold]:
        with open_board(self.settings) as store:
            found = store.numbers_of(session)
            if not found:
                return []
            async with open_journal(self.settings) as journal:
                return await inquiry.turns(store, journal, found[0])

    async def words(self, session: str) -> list[tuple[str, str]]:
        """What was said, and by whom, in the order of the board."""
        told = await self.turns(session)
        return [(turn.actor, turn.text) for turn in told if turn.kind == "text"]

    async def hears(self, session: str, expected: Iterable[tuple[str, str]]) -> float:
        """Wait until the board holds these words and no others, in this order."""
        wanted, began = list(expected), time.monotonic()
        while await self.words(session) != wanted:
            if time.monotonic() - began > PATIENCE_SECONDS:
                raise NeverHappened(f"wanted {wanted}\nheard {await self.words(session)}")
            await asyncio.sleep(GLANCE_SECONDS)
        return time.monotonic() - began

    async def verify(self) -> list[Verified]:
        with open_board(self.settings) as store:
            async with open_journal(self.settings) as journal:
                files: dict[str | None, list[Path]] = {}
                transcripts = Transcripts([self.place.claude_dir], host=HOST, marks={})
                for file in transcripts.files():
                    files.setdefault(session_of(file), []).append(file)
                return [await verified(card, files, store, journal) for card in store.cards()]

    async def complete(self) -> float:
        """Wait until every line of every transcript is kept, once."""
        began = time.monotonic()
        while not (found := await self.verify()) or not all(each.complete for each in found):
            if time.monotonic() - began > PATIENCE_SECONDS:
                raise NeverHappened(f"complete: {found}")
            await asyncio.sleep(GLANCE_SECONDS)
        return time.monotonic() - began

    # What the log says ------------------------------------------------------------------------

    def log(self, *events: str) -> list[Json]:
        """The log's lines, or those of these events."""
        lines = map(json.loads, self.settings.log.read_text().splitlines())
        return [line for line in lines if not events or line["event"] in events]

    def with_log(self, level: str) -> None:
        self.settings = replace(self.settings, log_level=level)


async def until(look: Callable[[], object], what: str, instead: Callable[[], object]) -> float:
    """Look again and again; returns after how many seconds there was something to see."""
    began = time.monotonic()
    while not look():
        if time.monotonic() - began > PATIENCE_SECONDS:
            raise NeverHappened(f"{what} did not happen:\n{instead()}")
        await asyncio.sleep(GLANCE_SECONDS)
    return time.monotonic() - began


def words_of(*story: AnyStep) -> list[tuple[str, str]]:
    """What a story says, and who says it: the truth a board is compared with."""
    said = []
    for step in story:
        match step:
            case Prompt(text=text) | Interject(text=text):
                said.append(("user", text))
            case Say(text=text) | Finish(text=text):
                said.append(("agent", text))
            case _:
                pass
    return said


PROJECTED = (
    *("agent", "session", "turn", "command", "transition", "refusal", "ask", "usage", "price"),
    *("stood", "trouble"),
)
ABOUT = "SELECT * FROM about WHERE name IN ('shape', 'position', 'directory')"


def board_of(file: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Everything the facts come to in a stored board; what the stream was told is left out."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        queries = {name: f"SELECT * FROM {name}" for name in PROJECTED} | {"about": ABOUT}
        return {
            name: sorted(connection.execute(query).fetchall(), key=repr)
            for name, query in queries.items()
        }
