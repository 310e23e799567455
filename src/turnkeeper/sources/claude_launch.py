"""How a Claude Code of ours is started: for which session, and in which environment. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePath
from typing import Final
from uuid import UUID

CLIENT: Final = "claude"
ANOTHER_SESSION: Final = frozenset(
    {"--resume", "--continue", "--fork-session", "--from-pr", "--teleport", "--remote"}
)
"""Options by which the client takes a session that it finds or makes itself."""

NO_SESSION: Final = frozenset({"--help", "--version"})
SHORT: Final = re.compile(r"-[a-zA-Z]+\Z")
SHORT_TAKEN: Final = frozenset("crhv")
"""-c, -r, -h and -v, also in a bundle like -pc."""

ERRANDS: Final = frozenset(
    {
        *("agents", "attach", "auth", "auto-mode", "config", "doctor", "install", "logs", "mcp"),
        *("migrate-installer", "plugin", "plugins", "project", "remote-control", "setup-token"),
        *("stop", "ultrareview", "update", "upgrade"),
    }
)
"""First words that are commands of the client's own, and no conversation."""

OUTER: Final = ("CLAUDECODE", "CLAUDE_PID")
CREDENTIALS: Final = re.compile(
    r"CLAUDE_CODE_(?:OAUTH_\w+|API_KEY\w*|CLIENT_(?:CERT|KEY)\w*|USE_\w+|SKIP_\w+_AUTH)\Z"
)
"""What the client needs to be let in, and to know by whom: with CLAUDE_CODE_USE_BEDROCK the keys
are those of another service."""


def plan(command: Sequence[str], fresh: str) -> tuple[list[str], str]:
    """The command to run and the session it will be in; none where nobody can know it yet.

    A client that is free to choose is given the fresh session id, so that it is known from the
    first moment. One that was told which session to take is left alone.
    """
    given = list(command)
    if PurePath(given[0]).name != CLIENT:
        return given, ""
    named = _named(given)
    if named:
        return given, named
    if _chooses(given):
        return given, ""
    return [given[0], "--session-id", fresh, *given[1:]], fresh


def environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Our environment without the traces of a client that we may have been started from."""
    return {name: value for name, value in ours.items() if not _is_trace(name)}


def _is_trace(name: str) -> bool:
    if name in OUTER:
        return True
    return name.startswith("CLAUDE_CODE_") and not CREDENTIALS.match(name)


def _options(command: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each option and what follows it, up to a bare `--`."""
    for word, following in pairwise((*command[1:], "")):
        if word == "--":
            return
        name, equals, value = word.partition("=")
        yield (name, value) if equals else (word, following)


def _named(command: Sequence[str]) -> str:
    """The session that the command itself names by its id."""
    told = dict(_options(command))
    if "--session-id" in told:
        return _session(told["--session-id"])
    if "--fork-session" in told:
        return ""
    return _session(told.get("--resume", "")) or _session(told.get("-r", ""))


def _chooses(command: Sequence[str]) -> bool:
    """Whether the client takes a session of its own choice, or none at all."""
    if command[1:2] and command[1] in ERRANDS:
        return True
    return any(
        word in ANOTHER_SESSION
        or word in NO_SESSION
        or word == "--session-id"
        or (SHORT.match(word) is not None and not SHORT_TAKEN.isdisjoint(word))
        for word, _ in _options(command)
    )


def _session(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError:
        return ""
