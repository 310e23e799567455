"""A past that a daemon finds in its journal, and hooks that tell it of the present."""

import asyncio
import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.lab.asking import bearing
from tests.lab.daemon import Daemon
from turnkeeper.facts.fact import Fact
from turnkeeper.journal.sql import SqlJournal


def written(data: Path, facts: Iterable[Fact]) -> None:
    """Write facts into a journal that no daemon has open, also beside a running event loop."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, _append(data / "journal.db", list(facts))).result()


async def _append(file: Path, facts: list[Fact]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    journal = await SqlJournal.open(file)
    await journal.append(facts)
    await journal.close()


def hook(daemon: Daemon, event: str, session: str, **more: str) -> None:
    """Let a client's hook tell something, now."""
    told = {"hook_event_name": event, "session_id": session, "prompt_id": "p-1", **more}
    answer = bearing(daemon.url, daemon.token).post(
        "/api/hooks/claude", json.dumps(told).encode(), content_type="application/json"
    )
    assert answer.status == 202, answer.body
