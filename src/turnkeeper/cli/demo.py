"""`turnkeeper demo`: the daemon and the board on scripted agents; nothing is installed or kept."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    import asyncio

    from turnkeeper.daemon.settings import Settings
    from turnkeeper.daemon.wiring import Ready
    from turnkeeper.scripted.demo.troupe import Troupe

HOST = "demo"


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=8877, show_default=True)
@click.option("--no-browser", is_flag=True, help="Do not open the board in a browser.")
@click.option(
    "--agents",
    type=click.IntRange(1, 200),
    default=8,
    show_default=True,
    help="How many agents play at once.",
)
@click.option("--seed", default=1, show_default=True, help="Another seed, another performance.")
def demo(port: int, agents: int, seed: int, *, no_browser: bool) -> None:
    """Show the board on scripted agents that work, ask, fail and finish.

    No client runs and none of yours is looked at. Everything is in a temporary folder, which is
    removed at the end.
    """
    import asyncio

    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_demo(port, agents, seed, browser=not no_browser))
    click.echo("turnkeeper stopped, and the demo's folder is removed")


async def _demo(port: int, agents: int, seed: int, *, browser: bool) -> None:
    import asyncio
    import signal
    from tempfile import TemporaryDirectory

    from turnkeeper.daemon.settings import Bind, Settings, make_private
    from turnkeeper.scripted.demo.troupe import Troupe
    from turnkeeper.scripted.stage import throwaway

    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, asked.set)
    with TemporaryDirectory(prefix="turnkeeper-demo-") as folder:
        place = throwaway(Path(folder))
        chosen = Settings(place.data, (place.claude_dir,), HOST, bind=Bind(port=port), demo=True)
        make_private(chosen.data)
        troupe = Troupe(place, size=agents, seed=seed)
        await _show(chosen, troupe, asked, browser=browser)


async def _show(
    chosen: "Settings", troupe: "Troupe", asked: "asyncio.Event", *, browser: bool
) -> None:
    """Let them play before a daemon until asked to end."""
    import asyncio

    from turnkeeper.cli.browser import show
    from turnkeeper.daemon.lock import Lock
    from turnkeeper.daemon.wiring import run

    stop, lock = asyncio.Event(), Lock(chosen)
    lock.take()

    def ready(at: "Ready") -> None:
        lock.announce(url=at.url)
        troupe.raise_curtain()
        link = _announce(at, chosen, troupe.size)
        if browser:
            show(link)

    async def end() -> None:
        await asked.wait()
        await troupe.leave()  # first: what agents still ask of a daemon that ends is a complaint
        stop.set()

    ending = asyncio.create_task(end())
    try:
        async with troupe.on_stage():
            await run(chosen, stop=stop, ready=ready)
    finally:
        ending.cancel()
        lock.release()


def _announce(at: "Ready", chosen: "Settings", agents: int) -> str:
    # Cookies know no ports: under another name of this machine, the demo's does not replace that
    # of the board somebody works with.
    link = at.link.replace("//127.0.0.1", "//localhost")
    click.echo(f"turnkeeper ready at {at.url}")
    click.echo(f"  a browser gets in once by {link}")
    click.echo(f"  DEMO: {agents} scripted agents. No client runs, and none of yours is looked at.")
    click.echo(f"  Other verbs work here too: turnkeeper agents --data {chosen.data}")
    click.echo(f"  Ctrl-C ends it and removes {chosen.data.parent}")
    return link
