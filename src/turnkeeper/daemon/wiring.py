"""Where every concrete part is named, once."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from turnkeeper.daemon.absence import keep_looking_for_clients
from turnkeeper.daemon.health import keep_checking
from turnkeeper.daemon.history import read_history
from turnkeeper.daemon.keeper import Keeper
from turnkeeper.daemon.logs import log, start_log, stop_log
from turnkeeper.daemon.narrator import narrate
from turnkeeper.daemon.projector import Projector
from turnkeeper.daemon.settings import Settings
from turnkeeper.daemon.supervise import keep_running
from turnkeeper.facts.kinds import ClientReported
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.journal.sql import SqlJournal
from turnkeeper.ports import Clock, Journal
from turnkeeper.sources.clock import SystemClock
from turnkeeper.sources.folders import changed
from turnkeeper.sources.registry import Registry
from turnkeeper.sources.spool import Spool
from turnkeeper.sources.transcripts import Transcripts


@asynccontextmanager
async def open_journal(settings: Settings) -> AsyncIterator[SqlJournal]:
    journal = await SqlJournal.open(settings.journal)
    try:
        yield journal
    finally:
        await journal.close()


@contextmanager
def open_board(settings: Settings) -> Iterator[BoardStore]:
    store = BoardStore(settings.board)
    try:
        yield store
    finally:
        store.close()


async def transcripts_of(settings: Settings, journal: Journal) -> Transcripts:
    folders = list(settings.claude_dirs)
    return Transcripts(folders, host=settings.host, marks=await journal.marks())


async def run(
    settings: Settings,
    *,
    stop: asyncio.Event,
    ready: Callable[[], None],
    clock: Clock | None = None,
) -> None:
    """Watch and keep until told to stop; then drain, and leave nothing open."""
    start_log(settings.log, settings.log_level)
    try:
        with open_board(settings) as store:
            async with open_journal(settings) as journal:
                await _run(settings, journal, store, clock or SystemClock(), stop=stop, ready=ready)
    finally:
        stop_log()


async def _run(
    settings: Settings,
    journal: SqlJournal,
    store: BoardStore,
    clock: Clock,
    *,
    stop: asyncio.Event,
    ready: Callable[[], None],
) -> None:
    spool = Spool(settings.spool, host=settings.host)
    spool.open()
    keeper = Keeper(
        journal,
        clock,
        spool=spool,
        registry=Registry(list(settings.claude_dirs), settings.host),
        transcripts=await transcripts_of(settings, journal),
    )
    projector = Projector(journal, store, clock)
    projector.listen(narrate)
    _watch_the_living(store, keeper)
    tasks = {
        "projector": projector.run,
        "retries": projector.retry_forever,
        "absence": lambda: keep_looking_for_clients(store, keeper, clock, settings.host),
        "health": lambda: keep_checking(store, journal, clock),
        "watch": lambda: _watch(settings, keeper, stop),
        "history": lambda: read_history(keeper, journal, projector),
    }
    running = [
        asyncio.create_task(keep_running(name, task, clock), name=name)
        for name, task in tasks.items()
    ]
    try:
        await keeper.look()
        await projector.reached(await journal.last())
        log().info("daemon.started", data=str(settings.data), folders=_names(settings))
        ready()
        await stop.wait()
        spool.shut()
        await keeper.drain()
        await projector.reached(await journal.last())
    finally:
        spool.shut()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await keeper.close()
        log().info("daemon.stopped")


async def _watch(settings: Settings, keeper: Keeper, stop: asyncio.Event) -> None:
    async for files in changed(lambda: watched(settings), stop):
        await keeper.heed(files)


def watched(settings: Settings) -> list[Path]:
    """The folders whose changes matter, whether or not they exist yet."""
    clients = [
        folder / name for folder in settings.claude_dirs for name in ("projects", "sessions")
    ]
    return [settings.spool, *clients]


def _watch_the_living(store: BoardStore, keeper: Keeper) -> None:
    """Clients may have died while nobody looked."""
    for agent in store.living():
        for pid, started in agent.evidence.living:
            keeper.watch(ClientReported(pid, started, domain=agent.domain), agent.session)


def _names(settings: Settings) -> list[str]:
    return [str(folder) for folder in settings.claude_dirs]
