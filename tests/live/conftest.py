"""Real clients for live tests: each test that asks for one runs with every version there is."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.lab import clients
from tests.lab.needs import do_without, need_program
from tests.lab.real_client import RealClient, hooks, spool_command

SPOOLED = ("SessionStart", "SessionEnd", "UserPromptSubmit", "Stop", "StopFailure")

NewClient = Callable[[Mapping[str, object]], RealClient]


@pytest.fixture(scope="session", params=clients.pinned())
def client_binary(request: pytest.FixtureRequest) -> Path:
    """A client of each pinned version, fetched when the first test needs it."""
    need_program("tmux", "apt-get install tmux")
    if request.param not in clients.available():
        do_without(f"client {request.param}", "python -m tests.lab.clients")
    return clients.available()[request.param]


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose spool the clients' hooks write to."""
    data = tmp_path_factory.mktemp("data")
    (data / "spool").mkdir()
    return data


@pytest.fixture(scope="session")
def real_client(client_binary: Path, data: Path) -> Iterator[RealClient]:
    """One home per version, with hooks. Tests share it, each in a pane of its own."""
    client = RealClient(client_binary, hooks(spool_command(data), *SPOOLED))
    yield client
    client.close()


@pytest.fixture
def new_client(client_binary: Path) -> Iterator[NewClient]:
    """Makes a home of its own with these settings, for tests that cannot share one."""
    made: list[RealClient] = []

    def make(settings: Mapping[str, object]) -> RealClient:
        made.append(RealClient(client_binary, settings))
        return made[-1]

    yield make
    for client in made:
        client.close()
