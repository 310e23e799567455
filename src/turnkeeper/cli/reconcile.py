"""`turnkeeper reconcile A`: read an agent's transcripts again, now."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnkeeper.cli.options import claude_option, data_option, json_option

if TYPE_CHECKING:
    from turnkeeper.desk.reconcile import Reconciled


@click.command()
@click.argument("agent")
@data_option
@claude_option
@json_option
def reconcile(
    agent: str, data: Path | None, claude_dirs: tuple[Path, ...], *, as_json: bool
) -> None:
    """Read an agent's transcripts from their start and report what that mended."""
    import asyncio

    import msgspec

    report = asyncio.run(_reconcile(agent, data, claude_dirs))
    if as_json:
        click.echo(msgspec.json.encode(report))
        return
    click.echo(
        f"{report.entries} entries read: {report.added} added, {report.corrected} corrected, "
        f"{report.states} states changed, {report.missing} missing. Now {report.standing}."
    )


async def _reconcile(agent: str, data: Path | None, claude_dirs: tuple[Path, ...]) -> "Reconciled":
    import asyncio
    from itertools import chain

    from turnkeeper.cli.reading import board_of_daemon
    from turnkeeper.daemon.settings import settings
    from turnkeeper.daemon.stores import open_journal, transcripts_of
    from turnkeeper.desk.inquiry import card
    from turnkeeper.desk.reconcile import reconcile as read_again
    from turnkeeper.desk.reconcile import rereading
    from turnkeeper.facts.fact import Position
    from turnkeeper.sources.clock import SystemClock

    with board_of_daemon(data) as (_, store):
        chosen = settings(data, claude_dirs)
        async with open_journal(chosen) as journal:
            found = card(store, agent)
            transcripts = await transcripts_of(chosen, journal)

            async def reached(position: Position) -> None:
                while store.position() < position:
                    await asyncio.sleep(0.02)

            return await read_again(
                found,
                chain.from_iterable(map(transcripts.of_session, found.sessions)),
                journal=journal,
                store=store,
                reread=rereading(transcripts, journal, SystemClock()),
                reached=reached,
            )
