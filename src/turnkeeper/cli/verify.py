"""`turnkeeper verify [A]`: proof that no line is lost."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnkeeper.cli.options import claude_option, data_option, json_option

if TYPE_CHECKING:
    from turnkeeper.desk.verify import Verified


@click.command()
@click.argument("agent", required=False)
@data_option
@claude_option
@json_option
def verify(
    agent: str | None, data: Path | None, claude_dirs: tuple[Path, ...], *, as_json: bool
) -> None:
    """Compare the transcripts, line by line, with what is kept. Exits 1 if anything is missing."""
    import asyncio

    import msgspec

    found = asyncio.run(_verify(agent, data, claude_dirs, quiet=as_json))
    if as_json:
        click.echo(msgspec.json.encode(found))
    else:
        from turnkeeper.cli.tables import print_table, verify_table

        print_table(verify_table(found))
    if not all(each.complete for each in found):
        raise SystemExit(1)


async def _verify(
    agent: str | None, data: Path | None, claude_dirs: tuple[Path, ...], *, quiet: bool
) -> "list[Verified]":
    from collections import defaultdict

    from rich.console import Console
    from rich.progress import track

    from turnkeeper.cli.reading import board_at_rest
    from turnkeeper.daemon.settings import settings
    from turnkeeper.daemon.stores import open_journal, transcripts_of
    from turnkeeper.desk.inquiry import card
    from turnkeeper.desk.verify import verified
    from turnkeeper.errors import CommandRefused
    from turnkeeper.facts.fact import START
    from turnkeeper.sources.transcripts import session_of

    with board_at_rest(data) as (_, store):
        chosen = settings(data, claude_dirs)
        async with open_journal(chosen) as journal:
            facts = await journal.last()
            if facts and store.position() == START:
                reason = f"the board is empty and the journal holds {facts} facts; first "
                raise CommandRefused("verify", reason=reason + "`turnkeeper rebuild`, or `up`")
            files = defaultdict(list)
            for file in (await transcripts_of(chosen, journal)).files():
                files[session_of(file)].append(file)
            cards = [card(store, agent)] if agent else store.cards()
            console = Console(stderr=True, quiet=quiet)
            return [
                await verified(each, files, store, journal)
                for each in track(cards, "verifying", console=console, transient=True)
            ]
