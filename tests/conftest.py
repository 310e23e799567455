"""What every test stands on: a home that is nobody's, and a place to note how long it waited."""

import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final

import pytest

FOREIGN: Final = ("CLAUDE_CODE_", "ANTHROPIC_", "XDG_", "TURNKEEPER_")
FOREIGN_NAMES: Final = ("CLAUDECODE", "CLAUDE_PID", "CLAUDE_CONFIG_DIR", "TMUX", "TMUX_PANE")

Delay = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class Stay:
    """One run of the tests: the home it lives in, what it left behind, how long it waited."""

    home: Path
    environment: dict[str, str]
    delays: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


WAITED: Final = "waited: "
STAY: Final = pytest.StashKey[Stay]()


def pytest_configure(config: pytest.Config) -> None:
    """Before any test is imported, leave the person's own folders and sessions behind."""
    home = Path(tempfile.mkdtemp(prefix="tk-home-"))
    config.stash[STAY] = stay = Stay(home, dict(os.environ))
    config.pluginmanager.register(Delays(stay.delays))
    for name in [*os.environ]:
        if name.startswith(FOREIGN) or name in FOREIGN_NAMES:
            del os.environ[name]
    os.environ.update(folders(home))


def folders(home: Path) -> dict[str, str]:
    """Where programs look for a person's things, all of it under one folder."""
    places = {
        "HOME": home,
        "CLAUDE_CONFIG_DIR": home / ".claude",
        "TURNKEEPER_DATA": home / "turnkeeper",
        "TMUX_TMPDIR": home,
        "XDG_CACHE_HOME": home / ".cache",
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_DATA_HOME": home / ".local" / "share",
        "XDG_STATE_HOME": home / ".local" / "state",
    }
    return {name: str(place) for name, place in places.items()}


def pytest_unconfigure(config: pytest.Config) -> None:
    stay = config.stash[STAY]
    os.environ.clear()
    os.environ.update(stay.environment)
    shutil.rmtree(stay.home, ignore_errors=True)


@pytest.fixture
def delay(request: pytest.FixtureRequest) -> Delay:
    """Note how long a test waited for the right answer: `delay("registry to standing", 0.12)`.

    The run ends with a table of these. Tests only wait; bench/ judges the numbers.
    """

    def note(name: str, seconds: float) -> None:
        request.node.user_properties.append((WAITED + name, seconds))

    return note


class Delays:
    """Gathers what tests noted, in whichever process they ran."""

    def __init__(self, into: defaultdict[str, list[float]]) -> None:
        self._into = into

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "teardown":
            return
        for name, seconds in report.user_properties:
            if name.startswith(WAITED) and isinstance(seconds, float):
                self._into[name.removeprefix(WAITED)].append(seconds)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for line in waited(config.stash[STAY].delays):
        terminalreporter.write_line(line)


def waited(delays: dict[str, list[float]]) -> Iterator[str]:
    """The table of delays, in milliseconds; nothing if nobody noted any."""
    if not delays:
        return
    width = max(len("waited"), *map(len, delays))
    yield f"{'waited':{width}} {'times':>6} {'p50 ms':>8} {'max ms':>8}"
    for name, seconds in sorted(delays.items()):
        p50, most = median(seconds) * 1000, max(seconds) * 1000
        yield f"{name:{width}} {len(seconds):>6} {p50:>8.0f} {most:>8.0f}"
