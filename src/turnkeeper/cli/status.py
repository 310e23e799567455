"""`turnkeeper status`: whether the daemon runs, and how far it has come."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnkeeper.cli.options import data_option, json_option

if TYPE_CHECKING:
    from turnkeeper.daemon.settings import Settings
    from turnkeeper.desk.life import Life


@click.command()
@data_option
@json_option
def status(data: Path | None, *, as_json: bool) -> None:
    """Say whether the daemon runs, where, and how far it has come. Exits 3 if it does not."""
    import asyncio

    import msgspec

    from turnkeeper.daemon.settings import settings
    from turnkeeper.errors import DaemonAbsent

    life = asyncio.run(_life(settings(data)))
    if as_json:
        click.echo(msgspec.json.encode(life))
    else:
        from turnkeeper.cli.tables import life_table, print_table

        print_table(life_table(life))
    if not life.running:
        raise SystemExit(DaemonAbsent.exit_code)


async def _life(chosen: "Settings") -> "Life":
    """What is known from the outside. Where nothing was kept yet, nothing is made."""
    from turnkeeper import __version__
    from turnkeeper.daemon.lock import pid_in, running
    from turnkeeper.daemon.stores import open_board, open_journal
    from turnkeeper.desk.life import Life, counted
    from turnkeeper.sources.claude_processes import since

    told = running(chosen)
    pid = pid_in(told or {})
    position = board = 0
    agents: dict[str, int] = {}
    if chosen.journal.exists():
        async with open_journal(chosen) as journal:
            position = await journal.last()
    if chosen.board.exists():
        with open_board(chosen) as store:
            board, agents = store.position(), counted(store.cards())
    return Life(
        running=told is not None,
        version=__version__,
        pid=pid,
        since=since(pid) if pid else None,
        data=str(chosen.data),
        folders=list((told or {}).get("folders", [])),
        url=(told or {}).get("url"),
        position=position,
        board=board,
        lag=max(0, position - board),
        agents=agents,
    )
