"""What we ask Claude Code to run, and at which of its events. Pure.

A hook is a line of shell that appends its payload to a file in the spool: no interpreter, no
network. It prints nothing, because the client would read it; it always exits 0, because the
client would stop at anything else; and it always reads its payload, because a client that writes
to a closed pipe shows an error (before 2.x it crashed). One hook is different: the
one for permissions waits for a person and prints the decision (claude_waiting_hook.py).
"""

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from turnkeeper import __version__
from turnkeeper.errors import FolderUnusable

MARK: Final = "turnkeeper"
"""The key that tells our entries from everyone else's. Clients ignore keys they do not know."""

OPEN_SIGN: Final = ".open"
"""This file in the spool says that a daemon listens."""

Entry = Mapping[str, object]
Version = tuple[int, ...]


class Writes(StrEnum):
    """When a hook writes, and how much it reads first."""

    ALWAYS = "always"
    ONE_LINE = "always, after one line"
    WHILE_OPEN = "while a daemon listens"


class Pace(StrEnum):
    """Whether the client waits for the hook, and whether the hook waits for a person."""

    WAITED_FOR = "sync"
    IN_PASSING = "async"
    WAITING = "waits for a person"


@dataclass(frozen=True, slots=True)
class Hook:
    """One event we listen to. `since` is the first client that knows it."""

    event: str
    since: Version
    pace: Pace
    writes: Writes = Writes.ALWAYS


# `since`: the first package on npm that names the event, found by bisection (1.0.37 is the oldest
# looked at; SubagentStart is in the changelog of 2.0.43, which npm does not hold: 2.0.44 does).
# fmt: off
HOOKS: Final = (
    Hook("SessionStart",       (1, 0, 62), Pace.WAITED_FOR),
    Hook("SessionEnd",         (1, 0, 85), Pace.WAITED_FOR, Writes.ONE_LINE),
    Hook("UserPromptSubmit",   (1, 0, 53), Pace.WAITED_FOR),
    Hook("PreToolUse",         (1, 0, 37), Pace.IN_PASSING, Writes.WHILE_OPEN),
    Hook("PostToolUse",        (1, 0, 37), Pace.IN_PASSING, Writes.WHILE_OPEN),
    Hook("PostToolUseFailure", (2, 0, 56), Pace.IN_PASSING, Writes.WHILE_OPEN),
    Hook("PermissionRequest",  (2, 0, 45), Pace.WAITING),
    Hook("Notification",       (1, 0, 37), Pace.IN_PASSING),
    Hook("SubagentStart",      (2, 0, 43), Pace.IN_PASSING),
    Hook("SubagentStop",       (1, 0, 41), Pace.IN_PASSING),
    Hook("Stop",               (1, 0, 37), Pace.WAITED_FOR),
    Hook("StopFailure",        (2, 1, 78), Pace.WAITED_FOR),
    Hook("PreCompact",         (1, 0, 48), Pace.IN_PASSING),
    Hook("PostCompact",        (2, 1, 76), Pace.IN_PASSING),
    Hook("CwdChanged",         (2, 1, 83), Pace.IN_PASSING),
)
# fmt: on

EVENTS: Final = tuple(hook.event for hook in HOOKS)
A_DAY: Final = 86_400
"""Seconds that the client lets the waiting hook wait (rulings C7)."""

WAITING_HOOK: Final = Path(__file__).with_name("claude_waiting_hook.py")
ASYNC_SINCE: Final[Version] = (2, 1, 15)
"""The first package on npm whose schema of a hook has `async`."""


def parsed_version(said: str) -> Version | None:
    """Read "2.1.325 (Claude Code)". What does not begin like a version is none."""
    found = re.match(r"\d+(?:\.\d+)+", said.strip(), re.ASCII)
    return tuple(int(part) for part in found[0].split(".")) if found else None


def known_hooks(version: str | None) -> tuple[Hook, ...]:
    """The hooks this client knows. No version, or one we cannot read, means the newest."""
    client = parsed_version(version) if version else None
    return tuple(hook for hook in HOOKS if client is None or client >= hook.since)


def entries(data: Path, version: str | None = None) -> dict[str, Entry]:
    """What belongs in the settings, by event: one entry for each event the client knows."""
    client = parsed_version(version) if version else None
    knows_async = client is None or client >= ASYNC_SINCE
    return {
        hook.event: _entry(hook, data, knows_async=knows_async) for hook in known_hooks(version)
    }


def _entry(hook: Hook, data: Path, *, knows_async: bool) -> Entry:
    run: dict[str, object] = {"type": "command", "command": command(hook, data)}
    if hook.pace is Pace.WAITING:
        run["timeout"] = A_DAY
    elif knows_async and hook.pace is Pace.IN_PASSING:
        run["async"] = True
    return {MARK: __version__, "hooks": [run]}


def command(hook: Hook, data: Path) -> str:
    """The line of shell for one event.

    A redirection that fails ends the first reader with an error; the second then reads the
    payload into nothing. The same second reader serves while nobody listens.
    """
    if hook.pace is Pace.WAITING:
        return _waiting(data)
    return _spooling(hook, data)


def _waiting(data: Path) -> str:
    """Offer the ask and wait, where a person sits before the client; else spool it like the rest,
    as where our interpreter is gone."""
    python, script = _in_double_quotes(Path(sys.executable)), _in_double_quotes(WAITING_HOOK)
    attended = '[ "$CLAUDE_CODE_ENTRYPOINT" = cli ]'
    there = f'[ -x "{python}" ] && [ -f "{script}" ]'
    waits = f'exec "{python}" -I -S "{script}" "{_in_double_quotes(data)}" 2>/dev/null'
    spools = _spooling(Hook("PermissionRequest", (), Pace.WAITING), data)
    return f"if {attended} && {there}; then {waits}; else {spools}; fi"


def _spooling(hook: Hook, data: Path) -> str:
    spool = _in_double_quotes(data / "spool")
    reader = "head -n 1" if hook.writes is Writes.ONE_LINE else "cat"
    asks = f'[ -e "{spool}/{OPEN_SIGN}" ] && ' if hook.writes is Writes.WHILE_OPEN else ""
    file = f'"{spool}/${{CLAUDE_CODE_SESSION_ID:-x}}.$$.jsonl"'
    return f"{{ {asks}{reader} >> {file} || {reader}; }} >/dev/null 2>&1 || :"


def _in_double_quotes(path: Path) -> str:
    said = os.path.abspath(path)  # noqa: PTH100 - resolve() would follow links, absolute() keeps ".."
    try:
        said.encode()
    except UnicodeEncodeError as cause:
        raise FolderUnusable(repr(said), "its name is not UTF-8, which settings need") from cause
    return re.sub(r'([\\"$`])', r"\\\1", said)
