"""`turnkeeper rebuild`: make the board anew from the journal."""

from pathlib import Path

import click

from turnkeeper.cli.options import data_option


@click.command()
@data_option
def rebuild(data: Path | None) -> None:
    """Throw the board away and make it anew from the journal. Nothing is lost by it."""
    import asyncio

    from rich.progress import Progress

    from turnkeeper.daemon.lock import Lock
    from turnkeeper.daemon.rebuild import rebuild as make_anew
    from turnkeeper.daemon.settings import make_private, settings
    from turnkeeper.daemon.stores import open_journal
    from turnkeeper.errors import CommandRefused

    chosen = settings(data)
    make_private(chosen.data)
    lock = Lock(chosen)
    if not lock.take():
        lock.close()
        reason = "a daemon keeps this board; stop it first"
        raise CommandRefused("rebuild the board", reason=reason)

    async def run() -> int:
        with Progress(transient=True) as bar:
            task = bar.add_task("rebuilding", total=None)
            async with open_journal(chosen) as journal:

                def progress(done: int, total: int) -> None:
                    bar.update(task, completed=done, total=total)

                return await make_anew(chosen, journal, progress)

    try:
        click.echo(f"The board was made anew from {asyncio.run(run())} facts.")
    finally:
        lock.close()
