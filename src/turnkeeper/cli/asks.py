"""`turnkeeper asks`: everything that waits for you."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnkeeper.cli.options import data_option, json_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnkeeper.cli.listening import Event

FOREVER = 10.0**9
ASK_EVENTS = ("snapshot", "ask_opened", "ask_updated", "ask_closed")
NOTHING = "Nothing waits for you."


@click.command()
@data_option
@json_option
@click.option("--watch", is_flag=True, help="Show the queue anew whenever it changes.")
def asks(data: Path | None, *, as_json: bool, watch: bool) -> None:
    """List everything that waits for you, the oldest first.

    With --watch --json, each change is one line of JSON: the whole queue.
    """
    if not watch:
        _show(data, as_json=as_json)
        return
    for _ in _changes(data):
        if not as_json:
            click.clear()
        _show(data, as_json=as_json)


def _changes(data: Path | None) -> "Iterator[Event]":
    import time

    from turnkeeper.cli.listening import listen
    from turnkeeper.daemon.lock import running
    from turnkeeper.daemon.settings import settings
    from turnkeeper.errors import DaemonAbsent

    chosen = settings(data)
    if running(chosen) is None:
        raise DaemonAbsent(str(chosen.data))
    return (
        event for event in listen(chosen, time.monotonic() + FOREVER) if event.name in ASK_EVENTS
    )


def _show(data: Path | None, *, as_json: bool) -> None:
    from turnkeeper.cli.asking import ask

    answer = ask(data, "/api/asks")
    if as_json:
        click.echo(answer)
        return
    import msgspec
    from rich.console import Console

    from turnkeeper.cli.ask_tables import asks_table
    from turnkeeper.desk.asks import AskTold
    from turnkeeper.sources.clock import SystemClock

    waiting = msgspec.json.decode(answer, type=list[AskTold])
    if not waiting:
        click.echo(NOTHING)
        return
    Console().print(asks_table(waiting, SystemClock().now()))
