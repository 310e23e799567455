"""The registry folder is followed: a file that settled is not read again until it changes."""

import json
import os
from pathlib import Path

import pytest

from tests.sources.test_claude_registry import ENTRY
from turnkeeper.facts.fact import Fact, Moment
from turnkeeper.facts.kinds import Activity, ClientReported, ClientUnlisted
from turnkeeper.sources.clock import SystemClock
from turnkeeper.sources.registry import Registry

LONG_AGO = -3600.0


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    (tmp_path / "sessions").mkdir()
    return Registry([tmp_path], "desk")


def say(registry: Registry, status: str, at: float = 0.0) -> None:
    """Rewrite the file in place; its words are of the same length."""
    file = registry.folders[0] / "sessions" / "1313.json"
    changed = round(SystemClock().now() / 1000)
    file.write_text(json.dumps(ENTRY | {"status": status, "statusUpdatedAt": changed}))
    if at:
        then = SystemClock().now() / 1_000_000 + at
        os.utime(file, (then, then))


def look(registry: Registry) -> list[Fact]:
    return registry.look(Moment(SystemClock().now()))


def status(facts: list[Fact]) -> list[Activity | None]:
    return [fact.what.activity for fact in facts if isinstance(fact.what, ClientReported)]


def test_what_is_rewritten_at_once_is_heard(registry: Registry) -> None:
    say(registry, "idle")
    assert status(look(registry)) == [Activity.IDLE]
    say(registry, "busy")
    assert status(look(registry)) == [Activity.BUSY]


def test_what_had_settled_and_changes_is_heard(registry: Registry) -> None:
    say(registry, "idle", LONG_AGO)
    assert status(look(registry)) == [Activity.IDLE]
    assert look(registry) == []
    say(registry, "busy")
    assert status(look(registry)) == [Activity.BUSY]


def test_what_has_settled_is_not_read_again(registry: Registry) -> None:
    say(registry, "idle", LONG_AGO)
    look(registry)
    file = registry.folders[0] / "sessions" / "1313.json"
    before = file.stat()
    say(registry, "busy")  # Nobody can do so without another time; a test can.
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert look(registry) == []


def test_what_was_forgotten_is_said_again(registry: Registry) -> None:
    say(registry, "idle", LONG_AGO)
    look(registry)
    registry.forget()

    assert status(look(registry)) == [Activity.IDLE]


def test_a_settled_file_that_goes_and_comes_back_is_heard(registry: Registry) -> None:
    say(registry, "idle", LONG_AGO)
    look(registry)
    file = registry.folders[0] / "sessions" / "1313.json"
    kept = file.rename(file.with_suffix(".away"))
    assert [type(fact.what) for fact in look(registry)] == [ClientUnlisted]
    kept.rename(file)

    assert status(look(registry)) == [Activity.IDLE]
