"""`turnkeeper stop`: end the daemon of a data folder."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from turnkeeper.cli.options import data_option

if TYPE_CHECKING:
    from turnkeeper.daemon.settings import Settings

PATIENCE: Final = 10.0
GLANCE: Final = 0.02


@click.command()
@data_option
def stop(data: Path | None) -> None:
    """Stop the daemon: it finishes what it has begun. Exits 3 if none runs."""
    import os
    import signal

    from turnkeeper.daemon.lock import running
    from turnkeeper.daemon.settings import settings
    from turnkeeper.errors import CommandRefused

    chosen = settings(data)
    deadline = time.monotonic() + PATIENCE
    pid = _pid(chosen, deadline)
    os.kill(pid, signal.SIGTERM)
    if not _ended(pid, deadline) or running(chosen) is not None:
        reason = f"pid {pid} still runs after {PATIENCE:g} s; `turnkeeper logs` may tell why"
        raise CommandRefused("stop the daemon", reason=reason)
    click.echo(f"turnkeeper stopped (pid {pid} on {chosen.data})")


def _pid(chosen: "Settings", deadline: float) -> int:
    """Whom to stop. A daemon that is just starting has not said so yet."""
    from turnkeeper.daemon.lock import pid_in, running
    from turnkeeper.errors import CommandRefused, DaemonAbsent

    while (told := running(chosen)) is not None:
        pid = pid_in(told)
        if pid is not None:
            return pid
        if time.monotonic() > deadline:
            reason = "somebody holds its folder and does not say who: a rebuild, perhaps"
            raise CommandRefused("stop the daemon", reason=reason)
        time.sleep(GLANCE)
    raise DaemonAbsent(str(chosen.data))


def _ended(pid: int, deadline: float) -> bool:
    from turnkeeper.sources.process_identity import alive, start_of

    started = start_of(pid) or ""
    while alive(pid, started):
        if time.monotonic() > deadline:
            return False
        time.sleep(GLANCE)
    return True
