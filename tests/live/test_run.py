"""A real client through `turnkeeper run`: it works as ever, and is known from start to end."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Delay
from tests.lab.daemon import Daemon, turnkeeper
from tests.lab.real_client import RealClient, until
from tests.live.conftest import NewClient
from turnkeeper.facts.fact import Fact, Source
from turnkeeper.facts.kinds import ClientLaunched, ProcessExited
from turnkeeper.journal.sql import SqlJournal

OFFLINE = {"env": {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}}
"""`run` takes such a setting out of the environment; this is where a person would keep it."""


@pytest.fixture
def client(new_client: NewClient) -> RealClient:
    return new_client(OFFLINE)


@pytest.fixture
def daemon(client: RealClient, tmp_path: Path) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path / "data", client.claude_dir)
    daemon.start()
    yield daemon
    daemon.close()


def run(daemon: Daemon) -> list[str]:
    return [*turnkeeper(), "run", "--data", str(daemon.data), "--"]


def test_a_client_is_known_from_its_launch_to_its_end_and_works_as_ever(
    client: RealClient, daemon: Daemon, delay: Delay
) -> None:
    pane = client.start(through=run(daemon))
    session = pane.session
    daemon.wait_standing(session, "idle")
    client.tmux("resize-window", "-t", pane.name, "-x", "100", "-y", "30")
    pane.type("say hello @@reply")
    pane.wait_screen("Hello! The greeting is done.")
    daemon.wait_standing(session, "idle")
    pane.type("/exit")
    delay("run: client to board: closed", daemon.wait_standing(session, "closed"))
    pane.wait_end()

    [card] = daemon.board.cards()
    told = asyncio.run(facts_of(daemon.data / "journal.db", session))
    assert card.session_id == session
    assert [type(fact.what) for fact in told if fact.source is Source.RUN][:1] == [ClientLaunched]
    assert [fact.what for fact in told if isinstance(fact.what, ProcessExited)] == [
        ProcessExited(launch.pid, launch.started)
        for fact in told
        if isinstance(launch := fact.what, ClientLaunched)
    ]


def test_a_client_that_picks_its_session_itself_is_closed_with_it(
    client: RealClient, daemon: Daemon
) -> None:
    first = client.start()
    session = first.session
    first.type("say hello @@reply")
    first.wait_screen("Hello! The greeting is done.")
    first.kill()
    daemon.wait_standing(session, "closed")

    second = client.start("--continue", through=run(daemon))
    until(lambda: second.session == session, "the session going on")
    daemon.wait_standing(session, "idle")
    second.kill()

    daemon.wait_standing(session, "closed")
    assert [card.session_id for card in daemon.board.cards()] == [session]


async def facts_of(file: Path, session: str) -> list[Fact]:
    journal = await SqlJournal.open(file)
    try:
        return [recorded.fact for recorded in await journal.of_session(session)]
    finally:
        await journal.close()
