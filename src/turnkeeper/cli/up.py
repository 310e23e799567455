"""`turnkeeper up`: watch every session, keep every turn, serve what is known."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnkeeper.cli.options import claude_option, data_option

if TYPE_CHECKING:
    from turnkeeper.daemon.lock import Lock
    from turnkeeper.daemon.settings import Settings
    from turnkeeper.daemon.wiring import Ready


POLITE = 5
"""A watcher lets the watched go first: on a busy machine an agent's tool calls are not slowed."""


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8876, show_default=True)
@click.option("--allow-host", multiple=True, help="A name by which it may be called, repeatable.")
@data_option
@claude_option
@click.option(
    "--tmux-socket",
    "tmux_sockets",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A tmux server's socket outside of TMUX_TMPDIR, repeatable.",
)
@click.option("--no-browser", is_flag=True, help="Do not open the board in a browser.")
@click.option("--detach", is_flag=True, help="Run in the background, once it is ready.")
def up(
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    data: Path | None,
    claude_dirs: tuple[Path, ...],
    *,
    tmux_sockets: tuple[Path, ...],
    no_browser: bool,
    detach: bool,
) -> None:
    """Watch the clients of this machine, keep what they say and serve it, until stopped."""
    from dataclasses import replace

    from turnkeeper.cli.detach import start_detached
    from turnkeeper.daemon.lock import PATIENT, Lock, announced
    from turnkeeper.daemon.settings import Bind, make_private, settings

    names = frozenset({host.lower(), *(name.lower() for name in allow_host)})
    found = settings(data, claude_dirs, Bind(host, port, names))
    chosen = replace(found, tmux_sockets=tuple(each.absolute() for each in tmux_sockets))
    if detach:
        start_detached(chosen.data)
    make_private(chosen.data)
    lock = Lock(chosen)
    if not lock.take(PATIENT):
        told = announced(chosen.daemon_file)
        where = told.get("url", f"pid {told.get('pid', 'unknown')}")
        click.echo(f"turnkeeper already runs on {chosen.data}: {where}")
        lock.close()
        return
    chosen.daemon_file.unlink(missing_ok=True)  # of one that was killed
    try:
        _run(chosen, lock, browser=not no_browser)
    finally:
        lock.release()


def _run(chosen: "Settings", lock: "Lock", *, browser: bool) -> None:
    import asyncio
    import os

    import uvloop

    os.nice(POLITE)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_up(chosen, lock, browser=browser))


async def _up(chosen: "Settings", lock: "Lock", *, browser: bool) -> None:
    import asyncio
    import signal

    from turnkeeper.cli.browser import show
    from turnkeeper.cli.history_bar import HistoryBar
    from turnkeeper.daemon.wiring import run

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)

    def ready(at: "Ready") -> None:
        lock.announce(url=at.url)
        click.echo(f"turnkeeper ready at {at.url}")
        click.echo(f"  a browser gets in once by {at.link}")
        folders = ", ".join(str(folder) for folder in chosen.claude_dirs)
        click.echo(f"  watching {folders}, keeping in {chosen.data}")
        if at.phone:
            _show_to_a_phone(at.phone)
        if browser:
            show(at.link)

    bar = HistoryBar()
    try:
        await run(chosen, stop=stop, ready=ready, progress=bar.show)
    finally:
        bar.close()
    click.echo("turnkeeper stopped")


def _show_to_a_phone(link: str) -> None:
    """A one-time link as a picture, for whoever has no keyboard."""
    import sys

    import segno

    click.echo(f"  a phone gets in once by {link}")
    if sys.stdout.isatty():
        segno.make(link, error="m").terminal(compact=True)
