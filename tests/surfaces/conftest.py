"""One daemon for each module, on folders of its own, and people who call it."""

from collections.abc import Iterator

import pytest

from tests.lab.asking import Caller, bearing
from tests.lab.daemon import Daemon


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    root = tmp_path_factory.mktemp("daemon")
    for folder in ("projects", "sessions"):
        (root / "claude" / folder).mkdir(parents=True)
    daemon = Daemon(root / "data", root / "claude")
    daemon.start()
    try:
        yield daemon
    finally:
        daemon.close()


@pytest.fixture
def stranger(daemon: Daemon) -> Caller:
    """Somebody on this machine who has nothing to show."""
    return Caller(daemon.url, {})


@pytest.fixture
def owner(daemon: Daemon) -> Caller:
    return bearing(daemon.url, daemon.token)


@pytest.fixture
def guest(daemon: Daemon) -> Caller:
    """Somebody with the token that may only read."""
    return bearing(daemon.url, (daemon.data / "token-readonly").read_text())
