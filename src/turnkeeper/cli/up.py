"""`turnkeeper up`: watch every session, keep every turn."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnkeeper.cli.options import claude_option, data_option

if TYPE_CHECKING:
    from turnkeeper.daemon.settings import Settings


@click.command()
@data_option
@claude_option
def up(data: Path | None, claude_dirs: tuple[Path, ...]) -> None:
    """Watch the clients of this machine and keep what they say, until stopped."""
    import asyncio

    from turnkeeper.daemon.lock import Lock, announced
    from turnkeeper.daemon.settings import make_private, settings

    chosen = settings(data, claude_dirs)
    make_private(chosen.data)
    lock = Lock(chosen)
    if not lock.take():
        pid = announced(chosen.daemon_file).get("pid", "unknown")
        click.echo(f"turnkeeper already runs on {chosen.data} (pid {pid})")
        lock.close()
        return
    lock.announce()
    try:
        asyncio.run(_up(chosen))
    finally:
        lock.release()


async def _up(chosen: "Settings") -> None:
    import asyncio
    import signal

    from turnkeeper.daemon.wiring import run

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    folders = ", ".join(str(folder) for folder in chosen.claude_dirs)

    def ready() -> None:
        click.echo(f"turnkeeper ready, watching {folders}, keeping in {chosen.data}")

    await run(chosen, stop=stop, ready=ready)
    click.echo("turnkeeper stopped")
