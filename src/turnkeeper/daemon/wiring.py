"""Where every concrete part is named, once."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from socket import socket
from typing import Final

from turnkeeper.daemon.absence import keep_looking_for_clients
from turnkeeper.daemon.ground import lasting
from turnkeeper.daemon.health import keep_checking
from turnkeeper.daemon.heard import Heard
from turnkeeper.daemon.history import Progress, read_history
from turnkeeper.daemon.keeper import Keeper
from turnkeeper.daemon.logs import log, start_log, stop_log
from turnkeeper.daemon.narrator import narrate
from turnkeeper.daemon.projector import Projector
from turnkeeper.daemon.rebuild import discard_if_damaged
from turnkeeper.daemon.server import Server, listen
from turnkeeper.daemon.settings import Settings
from turnkeeper.daemon.stores import open_board, open_journal, transcripts_of, watched
from turnkeeper.daemon.supervise import Supervisor
from turnkeeper.desk.interrupting import Reach
from turnkeeper.desk.reconcile import Reconciled
from turnkeeper.errors import JournalUnavailable
from turnkeeper.facts.kinds import ClientReported
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.journal.sql import SqlJournal
from turnkeeper.ports import Clock
from turnkeeper.sources.clock import SystemClock
from turnkeeper.sources.folders import changed
from turnkeeper.sources.registry import Registry
from turnkeeper.sources.spool import Spool
from turnkeeper.surfaces.http.app import Parts, build
from turnkeeper.surfaces.http.desk import Desk
from turnkeeper.surfaces.http.guard import LOOPBACK, Guard
from turnkeeper.surfaces.http.hub import Hub
from turnkeeper.surfaces.http.keys import READING_TOKEN, TOKEN, Keys, token_in
from turnkeeper.surfaces.http.offers import Offers
from turnkeeper.surfaces.metrics import Metrics

DRAIN_WITHIN: Final = 2.0
"""Seconds: with the server's own, a daemon that is told to stop does so within five."""


@dataclass(frozen=True)
class Ready:
    """Where the daemon listens, and how a browser gets in."""

    url: str
    link: str
    phone: str = ""
    """A link for another machine, where the daemon listens to more than this one."""


async def run(
    settings: Settings,
    *,
    stop: asyncio.Event,
    ready: Callable[[Ready], None],
    progress: Progress = lambda done, total: None,
    clock: Clock | None = None,
) -> None:
    """Watch, keep and serve until told to stop; then drain, and leave nothing open."""
    start_log(settings.log, settings.log_level)
    bound = listen(settings.bind.host, settings.bind.port)
    try:
        async with open_journal(settings) as journal:
            await discard_if_damaged(settings, journal)
            with open_board(settings) as store:
                parts = await assemble(settings, journal, store, clock or SystemClock())
                await _run(parts, bound, stop=stop, ready=ready, progress=progress)
    finally:
        bound.close()
        stop_log()


@dataclass(frozen=True)
class Assembly:
    """The parts of one daemon, put together and not yet moving."""

    settings: Settings
    journal: SqlJournal
    store: BoardStore
    clock: Clock
    spool: Spool
    keeper: Keeper
    projector: Projector
    supervisor: Supervisor
    hub: Hub
    offers: Offers
    keys: Keys
    heard: Heard
    app: Guard


async def assemble(
    settings: Settings, journal: SqlJournal, store: BoardStore, clock: Clock
) -> Assembly:
    transcripts = await transcripts_of(settings, journal)
    spool = Spool(settings.spool, host=settings.host)
    registry = Registry(list(settings.claude_dirs), settings.host)
    keeper = Keeper(journal, clock, spool=spool, registry=registry, transcripts=transcripts)
    projector = Projector(journal, store, clock)
    supervisor, hub, metrics = Supervisor(clock), Hub(), Metrics()
    heard = Heard(settings.data / "hooks" / "heard.json")
    full = token_in(settings.data, TOKEN)
    keys = Keys(full, token_in(settings.data, READING_TOKEN), clock)
    desk = Desk(
        store=store,
        journal=journal,
        clock=clock,
        transcripts=transcripts,
        reread=keeper.reread,
        reached=projector.reached,
        readers=lambda: hub.readers,
        failing=supervisor.failing,
        mended=partial(_note_mended, metrics),
        host=settings.host,
        reach=Reach(settings.host, registry, settings.tmux_sockets),
        demo=settings.demo,
    )
    offers = Offers(journal, store, clock, settings.host)
    _listen(projector, hub, metrics, heard, clock)
    projector.listen(lambda _, folded, __: offers.heed(folded))
    app = build(
        Parts(desk, keys, hub, offers, metrics, clock, settings.host, _note_failure),
        allowed_hosts=LOOPBACK | settings.bind.names,
    )
    return Assembly(
        settings,
        journal,
        store,
        clock,
        spool,
        keeper,
        projector,
        supervisor,
        hub,
        offers,
        keys,
        heard,
        app,
    )


def _listen(projector: Projector, hub: Hub, metrics: Metrics, heard: Heard, clock: Clock) -> None:
    """Let the log, the stream and the counters hear of every stored batch."""
    projector.listen(narrate)
    projector.listen(lambda position, _, told: hub.tell(position, told))
    projector.listen(lambda _, folded, __: metrics.count(folded, clock.now()))
    projector.listen(lambda _, folded, __: heard.note(folded))


def _note_mended(metrics: Metrics, done: Reconciled) -> None:
    fields = {"entries": done.entries, "added": done.added, "corrected": done.corrected}
    log().info("reconcile.finished", agent=done.id, session=done.session_id, **fields)
    metrics.count_reconcile(done)


def _note_failure(failure: Exception) -> None:
    log().error("request.failed", exc_info=failure)


async def _run(
    parts: Assembly,
    bound: socket,
    *,
    stop: asyncio.Event,
    ready: Callable[[Ready], None],
    progress: Progress,
) -> None:
    keeper, projector, journal = parts.keeper, parts.projector, parts.journal
    parts.spool.open()
    _watch_the_living(parts.store, keeper)
    past = asyncio.Event()
    _start_tasks(parts, stop, past)
    server = Server(parts.app, bound)
    try:
        await keeper.look()
        # After what hooks have left, which says more of the same past, and says it in order.
        parts.supervisor.start(
            "history", lambda: read_history(keeper, journal, projector, progress, past)
        )
        await projector.reached(await journal.last())
        server.start()
        log().info("daemon.started", data=str(parts.settings.data), folders=_names(parts.settings))
        ready(_readiness(parts, bound))
        await lasting(parts.settings, stop, parts.clock)
        await _drain(parts)
    finally:
        parts.spool.shut()
        parts.hub.close()
        parts.offers.close()
        await server.stop()
        await parts.supervisor.close()
        parts.heard.keep()
        await keeper.close()
        log().info("daemon.stopped")


async def _drain(parts: Assembly) -> None:
    """Keep what hooks have left so far. Whatever hinders that hinders no end: the spool stays, and
    the next daemon reads it."""
    parts.spool.shut()
    try:
        async with asyncio.timeout(DRAIN_WITHIN):
            await parts.keeper.drain()
            await parts.projector.reached(await parts.journal.last())
    except (JournalUnavailable, TimeoutError) as problem:
        log().warning("drain.failed", why=str(problem) or "it took too long")


def _start_tasks(parts: Assembly, stop: asyncio.Event, past: asyncio.Event) -> None:
    store, keeper, clock = parts.store, parts.keeper, parts.clock
    settings, journal, projector = parts.settings, parts.journal, parts.projector
    start = parts.supervisor.start
    start("projector", projector.run)
    start("retries", projector.retry_forever)
    start("absence", lambda: _look_for_clients(parts, past))
    start("health", lambda: keep_checking(store, journal, clock))
    start("offers", parts.offers.await_the_lost)
    start("heard", lambda: parts.heard.keep_forever(clock))
    start("watch", lambda: _watch(settings, keeper, stop))


async def _look_for_clients(parts: Assembly, past: asyncio.Event) -> None:
    host, offers = parts.settings.host, parts.offers
    await keep_looking_for_clients(
        parts.store,
        parts.keeper,
        parts.clock,
        host,
        past_read=past,
        waiting=lambda: offers.sessions,
    )


def _readiness(parts: Assembly, bound: socket) -> Ready:
    host, port = bound.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{port}/"
    link = f"{url}login?code={parts.keys.new_code()}"
    known = parts.settings.bind.reachable
    if not known:
        return Ready(url, link)
    return Ready(url, link, f"http://{known}:{port}/login?code={parts.keys.new_code()}")


async def _watch(settings: Settings, keeper: Keeper, stop: asyncio.Event) -> None:
    async for files in changed(lambda: watched(settings), stop):
        await keeper.heed(files)


def _watch_the_living(store: BoardStore, keeper: Keeper) -> None:
    """Clients may have died while nobody looked."""
    for agent in store.living():
        for pid, started in agent.evidence.living:
            keeper.watch(ClientReported(pid, started, domain=agent.domain), agent.session)


def _names(settings: Settings) -> list[str]:
    return [str(folder) for folder in settings.claude_dirs]
