"""An agent is interrupted in a real tmux, where it works; nowhere else is a key pressed."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.lab.asking import Caller
from tests.lab.daemon import Daemon, run_turnkeeper, turnkeeper
from tests.lab.needs import need_program
from tests.lab.panes import READS_KEYS, Client, Server, through
from tests.lab.real_client import until
from tests.lab.served import Served, served
from tests.lab.terminal import Terminal
from turnkeeper.facts.fact import START
from turnkeeper.facts.kinds import CommandTurnedDown, InterruptSent, What
from turnkeeper.sources.tmux_panes import pane_at, sockets

ESCAPE = b"\x1b"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    need_program("tmux", "apt-get install tmux")
    server = Server()
    monkeypatch.setenv("TMUX_TMPDIR", str(server.folder))
    yield server
    server.close()


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as here:
        yield here


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path / "claude", tmp_path / "project")


async def heard(here: Served) -> None:
    """Let the daemon look once. It does not look again unless it is told to."""
    await here.parts.keeper.look()
    await here.parts.projector.reached(await here.parts.journal.last())


async def interrupted(caller: Caller, session: str) -> dict[str, Any]:
    answer = await asyncio.to_thread(caller.post, f"/api/agents/{session}/interrupt")
    assert answer.status == 200
    told: dict[str, Any] = answer.json()
    return told


async def deeds(here: Served) -> list[What]:
    facts = [each.fact.what for each in await here.parts.journal.after(START)]
    return [what for what in facts if isinstance(what, InterruptSent | CommandTurnedDown)]


async def refused(here: Served, client: Client, why: str) -> None:
    """It is refused for this reason, no key was pressed, and that is written down."""
    await heard(here)

    told = await interrupted(here.caller, client.session)

    assert told["outcome"] == "refused"
    assert why in told["reason"]
    [deed] = await deeds(here)
    assert isinstance(deed, CommandTurnedDown)
    assert deed.why in told["reason"]


async def test_escape_is_pressed_where_an_agent_works(
    here: Served, client: Client, server: Server
) -> None:
    other = Client(client.cwd.parent / "claude", client.cwd.parent / "other").sits(server)
    client.sits(server).says("busy")
    await heard(here)

    told = await interrupted(here.caller, client.session)

    assert told["outcome"] == "delivered"
    assert client.pane in told["reason"]
    until(lambda: client.keys or None, "a key")
    assert (client.keys, other.keys) == (ESCAPE, b"")
    assert [type(deed) for deed in await deeds(here)] == [InterruptSent]


async def test_what_a_person_did_says_nothing_of_the_agents_status(
    here: Served, client: Client, server: Server
) -> None:
    client.sits(server).says("busy")
    await heard(here)
    before = await asyncio.to_thread(here.caller.get, f"/api/agents/{client.session}")

    await interrupted(here.caller, client.session)
    await here.parts.projector.reached(await here.parts.journal.last())

    after = await asyncio.to_thread(here.caller.get, f"/api/agents/{client.session}")
    assert after.json() == before.json()


@pytest.mark.parametrize(
    ("status", "why"),
    [("waiting", "answer it instead"), ("idle", "nothing to interrupt")],
)
async def test_an_agent_that_does_not_work_is_left_alone(
    here: Served, client: Client, server: Server, status: str, why: str
) -> None:
    client.sits(server).says(status, waitingFor="permission prompt")

    await refused(here, client, why)
    assert client.keys == b""


async def test_a_dialog_that_has_just_opened_is_not_turned_down(
    here: Served, client: Client, server: Server
) -> None:
    """The board does not know it yet: only the client's own file does."""
    client.sits(server).says("busy")
    await heard(here)
    client.says("waiting", waitingFor="permission prompt")

    told = await interrupted(here.caller, client.session)

    assert told["outcome"] == "refused"
    assert "answer it instead" in told["reason"]
    assert client.keys == b""


async def test_a_pane_in_copy_mode_is_left_alone(
    here: Served, client: Client, server: Server
) -> None:
    client.sits(server).says("busy")
    server.tmux("copy-mode", "-t", client.pane)

    await refused(here, client, "copy mode")
    assert client.keys == b""


async def test_a_client_in_the_background_of_its_terminal_is_left_alone(
    here: Served, client: Client, server: Server
) -> None:
    """The shell would get the key."""
    jobs = "sleep 60 & echo $! > job; touch keys.open; exec sleep 60"
    client.pane, _ = server.open(f"exec bash -m -c '{jobs}'", client.cwd)
    client.ready(lambda: int((client.cwd / "job").read_text())).says("busy")

    await refused(here, client, "foreground")


async def test_a_client_in_another_terminal_is_left_alone(
    here: Served, client: Client, server: Server
) -> None:
    with closing(Terminal(["sh", "-c", READS_KEYS], cwd=client.cwd)) as terminal:
        client.ready(lambda: terminal.process.pid).says("busy")

        await refused(here, client, "no tmux pane that we can find")
        assert client.keys == b""


async def test_a_pid_that_has_changed_hands_is_left_alone(
    here: Served, client: Client, server: Server
) -> None:
    client.sits(server).says("busy", procStart="1")

    await refused(here, client, "ended")
    assert client.keys == b""


async def test_escape_passes_through_turnkeeper_run(
    here: Served, client: Client, server: Server, tmp_path: Path
) -> None:
    command = through(*turnkeeper(), "run", "--data", str(tmp_path / "elsewhere"), "--")
    client.pane, runner = server.open(command, client.cwd)
    client.ready(lambda: psutil.Process(runner).children()[0].pid).says("busy")
    await heard(here)

    told = await interrupted(here.caller, client.session)

    assert told["outcome"] == "delivered", told
    until(lambda: client.keys or None, "a key")
    assert client.keys == ESCAPE


async def test_a_server_that_is_gone_hinders_nobody(
    here: Served, client: Client, server: Server
) -> None:
    client.sits(server).says("busy")
    folder = server.folder / f"tmux-{os.getuid()}"
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(str(folder / "gone"))
    await heard(here)

    assert (await interrupted(here.caller, client.session))["outcome"] == "delivered"


async def test_a_server_elsewhere_is_found_if_it_is_named(server: Server, client: Client) -> None:
    client.sits(server)
    named = server.folder / f"tmux-{os.getuid()}" / "default"
    terminal = server.tmux("display", "-p", "-t", client.pane, "#{pane_tty}")

    elsewhere = {"TMUX_TMPDIR": "/nowhere"}
    assert await pane_at([terminal], sockets([], elsewhere)) is None
    found = await pane_at([terminal], sockets([named], elsewhere))

    assert found is not None
    assert found.id == client.pane


def test_the_verb_says_what_became_of_it(client: Client, server: Server, tmp_path: Path) -> None:
    daemon = Daemon(tmp_path / "data", tmp_path / "claude")
    with closing(daemon):
        daemon.start()
        client.sits(server).says("busy")
        daemon.wait_standing(client.session, "running")
        pressed = run_turnkeeper("interrupt", client.session, "--data", str(daemon.data))
        client.says("idle")
        daemon.wait_standing(client.session, "idle")
        refused = run_turnkeeper("interrupt", client.session, "--data", str(daemon.data))

    assert (pressed.returncode, refused.returncode) == (0, 5)
    assert "Escape was pressed in tmux pane" in pressed.stdout
    assert "nothing to interrupt" in refused.stderr


async def test_nobody_can_interrupt_an_agent_that_nobody_knows(here: Served) -> None:
    answer = await asyncio.to_thread(here.caller.post, "/api/agents/ffffffff/interrupt")

    assert answer.status == 404
