"""Presses keys in a tmux pane. Whoever asks for that has judged that they do what is meant."""

from typing import Final

from turnkeeper.sources.tmux_panes import Pane, tmux

ESCAPE: Final = "Escape"


async def press(pane: Pane, key: str) -> None:
    """Press one key, by its tmux name. Raises CommandRefused with tmux's complaint."""
    await tmux(pane.socket, "send-keys", "-t", pane.id, key)
