"""Opens a tmux window that runs `turnkeeper run`, in the environment of whoever asked for it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from turnkeeper.errors import CommandRefused, FolderUnusable
from turnkeeper.sources.clock import fresh_id

PANES_OWN: Final = (
    "TMUX",
    "TMUX_PANE",
    "TERM",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "COLORTERM",
)
"""What a pane knows better than the terminal in which somebody asked for it."""

WHERE: Final = "#{session_name}:#{window_index}"


def open_window(command: Sequence[str], data: Path, env: Mapping[str, str]) -> str:
    """Run the command in a new window; returns a sentence that says where.

    Inside tmux the window belongs to the session one is in, elsewhere to a new one.
    """
    if shutil.which("tmux") is None:
        raise CommandRefused("open a tmux window", reason="tmux is not installed")
    inside = bool(env.get("TMUX"))
    name = Path(command[0]).name
    place = ["new-window", "-n", name] if inside else ["new-session", "-d", "-n", name]
    note = _hand_over(data, env)
    inner = [sys.executable, "-m", "turnkeeper", "run", "--data", str(data), "--handed", str(note)]
    opened = subprocess.run(
        ["tmux", *place, "-P", "-F", WHERE, "-c", str(Path.cwd()), "--", *inner, "--", *command],
        capture_output=True,
        text=True,
        check=False,
    )
    if opened.returncode:
        note.unlink(missing_ok=True)
        raise CommandRefused("open a tmux window", reason=f"tmux says: {opened.stderr.strip()}")
    where = opened.stdout.strip()
    if inside:
        return f"{name} runs in tmux window {where}"
    return f"{name} runs in tmux; attach with: tmux attach -t {where.rpartition(':')[0]}"


def _hand_over(data: Path, env: Mapping[str, str]) -> Path:
    """Write the environment down for the window: what it inherits is the tmux server's, and in
    its arguments everybody could read it."""
    note = data / "runs" / f"{fresh_id()}.env"
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        note.parent.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(note, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w") as out:
            json.dump(dict(env), out)
    except OSError as cause:
        raise FolderUnusable(str(note.parent), cause.strerror or str(cause)) from cause
    return note


def take_over(note: Path) -> None:
    """Take the environment that was handed over, and destroy the note."""
    try:
        handed = json.loads(note.read_bytes())
        note.unlink()
    except (OSError, ValueError) as cause:
        raise CommandRefused("take over the environment", reason=str(cause)) from cause
    own = {name: os.environ[name] for name in PANES_OWN if name in os.environ}
    os.environ.clear()
    os.environ.update({name: value for name, value in handed.items() if name not in PANES_OWN})
    os.environ.update(own)
