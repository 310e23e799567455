"""`turnkeeper wait`: scripts go on when an agent has got there, and not before."""

import asyncio
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.daemon import Daemon, run_turnkeeper
from tests.lab.real_client import until
from tests.lab.scenarios import role_in
from turnkeeper.scripted.pace import live
from turnkeeper.scripted.stage import Stage, throwaway
from turnkeeper.scripted.steps import Finish, Prompt

QUICK = 20.0


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    place = throwaway(tmp_path)
    daemon = Daemon(place.data, place.claude_dir)
    daemon.start()
    yield daemon
    daemon.close()


async def wait_for(
    daemon: Daemon, session: str, standing: str, *more: str
) -> subprocess.CompletedProcess[str]:
    options = ("--for", standing, "--data", str(daemon.data), *more)
    return await asyncio.to_thread(run_turnkeeper, "wait", session, *options)


async def test_a_script_goes_on_when_the_agent_asks(daemon: Daemon, tmp_path: Path) -> None:
    place = throwaway(tmp_path)
    async with Stage(place, lambda: live(QUICK)) as stage:
        agent = await stage.enter(role_in(place))
        waiting = asyncio.create_task(
            wait_for(daemon, agent.session, "awaiting_input", "--timeout", "10", "--json")
        )
        await agent.play([Prompt("which one?"), Finish("Shall I keep the old table?")])
        done = await waiting

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["standing"] == "awaiting_input"


async def test_a_wait_goes_on_across_a_restart_of_the_daemon(
    daemon: Daemon, tmp_path: Path
) -> None:
    place = throwaway(tmp_path)
    async with Stage(place, lambda: live(QUICK)) as stage:
        agent = await stage.enter(role_in(place))
        await asyncio.to_thread(daemon.wait_standing, agent.session, "idle")
        waiting = asyncio.create_task(
            wait_for(daemon, agent.session, "awaiting_input", "--timeout", "20")
        )
        await asyncio.to_thread(until, lambda: daemon.get("/api/health")["readers"], "a reader")
        await asyncio.to_thread(daemon.kill)
        await agent.play([Prompt("which one?"), Finish("Shall I keep the old table?")])
        await asyncio.to_thread(daemon.start)
        done = await waiting

    assert done.returncode == 0, done.stderr


async def test_a_wait_that_is_in_vain_says_so_and_exits_124(daemon: Daemon) -> None:
    done = await wait_for(daemon, "00000000", "idle", "--timeout", "0.2")

    assert done.returncode == 124
    assert "was not idle within 0.2 s" in done.stderr


async def test_without_a_daemon_nobody_waits(tmp_path: Path) -> None:
    absent = Daemon(tmp_path, tmp_path)

    done = await wait_for(absent, "00000000", "idle")

    assert done.returncode == 3
    assert "turnkeeper up" in done.stderr
