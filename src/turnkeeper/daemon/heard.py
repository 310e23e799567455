"""Remembers when each of the client's hooks was last heard, for `turnkeeper hooks status`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from turnkeeper.facts.fact import Moment, Source
from turnkeeper.ports import Clock
from turnkeeper.projections.board import Folded
from turnkeeper.sources.claude_hooks import event_of

EVERY: Final = 5.0
"""Seconds between two writes: the file is for a person's question, not for recovery."""


class Heard:
    """The newest time of each hook event, kept in one small file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._at = _read(file)
        self._kept = dict(self._at)

    def note(self, folded: Sequence[Folded]) -> None:
        for each in folded:
            fact = each.recorded.fact
            event = event_of(fact.what) if fact.source is Source.HOOK else ""
            if event:
                self._at[event] = Moment(max(fact.heard_at, self._at.get(event, Moment(0))))

    def keep(self) -> None:
        if self._at == self._kept:
            return
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps(self._at))
        fresh.chmod(0o600)
        fresh.replace(self._file)
        self._kept = dict(self._at)

    async def keep_forever(self, clock: Clock) -> None:
        while True:
            await clock.sleep(EVERY)
            self.keep()


def _read(file: Path) -> dict[str, Moment]:
    try:
        told = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}
