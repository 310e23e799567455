"""A board with agents on it, in a real browser; its console must stay silent."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.lab.browser import (
    DESKTOP,
    Profile,
    Theme,
    Window,
    chromium,
    close,
    link,
    opened,
    profile,
)
from tests.lab.daemon import Daemon
from tests.lab.hooked import Client
from tests.lab.shots import cast_on_stage
from turnkeeper.scripted.body import Place, Role
from turnkeeper.scripted.faults import Faults
from turnkeeper.scripted.stage import Part, throwaway
from turnkeeper.scripted.steps import FOREVER, Exit, Fail, Finish, Permission, Prompt, Wait
from turnkeeper.scripted.stories import Story, bash

Opens = Callable[..., Page]
Starts = Callable[..., Client]
PATIENCE_MS = 10_000
SPEED = 20
ITS_OWN = ("ERR_INTERNET_DISCONNECTED", "404 (Not Found)", "409 (Conflict)")
"""What a browser says by itself while a test has it offline, or when a daemon says no."""

NOBODY_THERE = ("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET")
"""What it says when a test has ended the daemon."""

AT_WORK = Wait(SPEED)
"""A second, so that nobody can miss it."""

ASKING = (
    Prompt("Clean up the branches."),
    AT_WORK,
    Permission((bash("git branch -d old"),), after=FOREVER),
)
RESTING = (Prompt("Count the tests."), AT_WORK, Finish("There are 213."))
FAILING = (Prompt("Why is it slow?"), Fail())
LEAVING = (Prompt("Say goodbye."), Finish("Goodbye."), Exit())


def company(root: Path) -> list[Part]:
    """One who asks, one at rest, one who failed, and one who has left."""
    told: list[tuple[str, str, Story]] = [
        ("shop", "feature/tax", ASKING),
        ("shop", "main", RESTING),
        ("orders", "main", FAILING),
        ("attic", "main", LEAVING),
    ]
    return [
        Part(Role(root / project, branch=branch), story, Faults(seed=nth))
        for nth, (project, branch, story) in enumerate(told, 1)
    ]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """For one module: while it is open, an event loop runs here and asynchronous tests cannot."""
    expect.set_options(timeout=PATIENCE_MS)
    with chromium() as opened:
        yield opened


@contextmanager
def watching(place: Place) -> Iterator[Daemon]:
    daemon = Daemon(place.data, place.claude_dir)
    daemon.start()
    try:
        yield daemon
    finally:
        daemon.close()


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon that has seen nobody."""
    with watching(throwaway(tmp_path_factory.mktemp("empty"))) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon that watches the company play."""
    root = tmp_path_factory.mktemp("company")
    place = throwaway(root)
    with watching(place) as daemon, cast_on_stage(place, company(root / "projects"), speed=SPEED):
        yield daemon


@pytest.fixture(scope="module")
def profiles(browser: Browser) -> Iterator[Callable[[tuple[int, int], Theme], Profile]]:
    """The same for all tests of a module: what one has fetched is not fetched again."""
    made = cache(partial(profile, browser))
    yield made
    for each in browser.contexts:
        each.close()


@pytest.fixture
def forgiven() -> list[str]:
    """What the console may say in a test; one that ends its daemon adds to it."""
    return list(ITS_OWN)


@pytest.fixture
def opens(
    profiles: Callable[[tuple[int, int], Theme], Profile], forgiven: list[str]
) -> Iterator[Opens]:
    """Open a daemon's board, let in; at the end the console must have said nothing."""
    windows: list[Window] = []

    def opens_page(
        daemon: Daemon,
        where: str = "",
        *,
        size: tuple[int, int] = DESKTOP,
        theme: Theme = "light",
    ) -> Page:
        here = opened(profiles(size, theme), link(daemon))
        windows.append(here)
        if where:
            here.page.goto(f"{daemon.url}/{where}")
        return here.page

    yield opens_page
    close(windows)
    said = [line for here in windows for line in here.complaints]
    assert [line for line in said if not any(own in line for own in forgiven)] == []


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon on which nobody plays but the clients of a test."""
    with watching(throwaway(tmp_path_factory.mktemp("desk"))) as daemon:
        yield daemon


@pytest.fixture
def starts(desk: Daemon) -> Iterator[Starts]:
    """Start clients; when a test is over they leave, and take their asks with them."""
    clients: list[Client] = []

    def started(prompt: str = "Mend it", cwd: str = "/home/ada/shop") -> Client:
        clients.append(Client(desk, prompt, cwd))
        return clients[-1]

    yield started
    for client in clients:
        client.ends()
