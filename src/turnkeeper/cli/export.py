"""`turnkeeper export A`: take a whole conversation away."""

from pathlib import Path
from typing import BinaryIO

import click

from turnkeeper.cli.options import data_option


@click.command()
@click.argument("agent")
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "json"]),
    default="markdown",
    show_default=True,
    help="To read, or to work with.",
)
@click.option(
    "-o",
    "--output",
    "file",
    type=click.File("wb", lazy=True),
    default="-",
    help="Where to write it.",
)
@data_option
def export(agent: str, form: str, file: BinaryIO, data: Path | None) -> None:
    """Write a whole conversation, tool calls and all, as Markdown or JSON.

    AGENT is its number, a session id, or at least six characters of one.
    """
    import asyncio

    from turnkeeper.cli.reading import board_at_rest
    from turnkeeper.daemon.stores import open_journal
    from turnkeeper.desk.export import Form
    from turnkeeper.desk.export import export as make

    async def write() -> None:
        with board_at_rest(data) as (chosen, store):
            async with open_journal(chosen) as journal:
                async for piece in make(store, journal, agent, Form(form)).pieces:
                    file.write(piece)

    asyncio.run(write())
