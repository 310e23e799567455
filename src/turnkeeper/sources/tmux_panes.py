"""Finds the tmux pane that a terminal is, over every server of this user.

A client's own word for its pane names no server and may be its launcher's, so it is not asked
(rulings E4).
"""

import asyncio
import os
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from turnkeeper.errors import CommandRefused

FORMAT: Final = "#{pane_id}\t#{pane_tty}\t#{pane_in_mode}"
ANSWER_WITHIN: Final = 2.0
"""Seconds in which a tmux server answers, or is left alone."""


@dataclass(frozen=True, slots=True)
class Pane:
    """One pane of one tmux server. In a mode, keys go to tmux and not to the program."""

    socket: Path
    id: str
    terminal: str
    in_mode: bool

    def __str__(self) -> str:
        return f"{self.id} ({self.socket.name})"


def sockets(named: Sequence[Path], env: Mapping[str, str]) -> list[Path]:
    """The sockets of this user's servers: those that are named, and all in tmux's own place."""
    folder = Path(env.get("TMUX_TMPDIR") or "/tmp") / f"tmux-{os.getuid()}"
    try:
        found = sorted(each for each in folder.iterdir() if each.is_socket())
    except OSError:
        found = []
    return list(dict.fromkeys([*named, *found]))


async def pane_at(terminals: Sequence[str], servers: Iterable[Path]) -> Pane | None:
    """The pane that is one of these terminals, the first of them first; None where none is."""
    listed = await asyncio.gather(*(_panes(server) for server in servers))
    panes = {pane.terminal: pane for each in listed for pane in each}
    return next((panes[each] for each in terminals if each in panes), None)


async def _panes(server: Path) -> list[Pane]:
    """The panes of one server; none of a server that is gone, or does not answer."""
    try:
        told = await tmux(server, "list-panes", "-a", "-F", FORMAT)
    except CommandRefused:
        return []
    return [_pane(server, line) for line in told.splitlines()]


def _pane(server: Path, line: str) -> Pane:
    name, terminal, mode = line.split("\t")
    return Pane(server, name, terminal, in_mode=mode not in ("", "0"))


async def tmux(server: Path, *words: str) -> str:
    """What a server answers. Raises CommandRefused with its complaint; starts no server."""
    try:
        asking = await asyncio.create_subprocess_exec(
            "tmux", "-S", str(server), *words, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
        )
    except FileNotFoundError as cause:
        raise CommandRefused("ask tmux", reason="tmux is not installed") from cause
    try:
        async with asyncio.timeout(ANSWER_WITHIN):
            told, complaint = await asking.communicate()
    except TimeoutError as cause:
        asking.kill()
        await asking.wait()
        reason = f"the server at {server} did not answer"
        raise CommandRefused("ask tmux", reason=reason) from cause
    if asking.returncode:
        said = complaint.decode(errors="replace").strip()
        raise CommandRefused("ask tmux", reason=f"tmux says: {said}")
    return told.decode(errors="replace")
