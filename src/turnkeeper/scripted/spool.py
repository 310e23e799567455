"""Hook calls as they land in the spool: `<data>/spool/<session>.<shell pid>.jsonl`."""

import os
from pathlib import Path
from random import Random

import msgspec

from turnkeeper.facts.fact import Moment

OPEN_MARK = ".open"
WHILE_OPEN = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest"})

Json = dict[str, object]


def spool_command(data: Path) -> str:
    """The hook command whose work is done here without a shell."""
    file = f'"{data}/spool/${{CLAUDE_CODE_SESSION_ID:-x}}.$$.jsonl"'
    return f"{{ cat >> {file} || cat; }} >/dev/null 2>&1 || :"


class Spool:
    """Does what the installed hook command does: one file per call, silence where it cannot.

    Hooks that come with every tool call write only while a daemon holds the spool open.
    """

    def __init__(self, folder: Path, random: Random, drop: float = 0.0) -> None:
        self._folder = folder
        self._random = random
        self._drop = drop
        self._shell = random.randrange(2_000, 30_000)

    def hear(self, payload: Json, at: Moment) -> None:
        self._shell += self._random.randrange(1, 12)
        dropped = self._random.random() < self._drop
        if dropped or not self._takes(str(payload["hook_event_name"])):
            return
        file = self._folder / f"{payload['session_id']}.{self._shell}.jsonl"
        with file.open("ab", buffering=0) as spool:
            spool.write(msgspec.json.encode(payload) + b"\n")
            os.utime(spool.fileno(), ns=(at * 1000, at * 1000))

    def _takes(self, event: str) -> bool:
        if not self._folder.is_dir():
            return False
        return event not in WHILE_OPEN or (self._folder / OPEN_MARK).exists()
