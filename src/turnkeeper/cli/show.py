"""`turnkeeper show A`: one agent in full."""

from pathlib import Path

import click

from turnkeeper.cli.options import data_option, json_option


@click.command()
@click.argument("agent")
@data_option
@json_option
def show(agent: str, data: Path | None, *, as_json: bool) -> None:
    """Show one agent: where it runs, what it does, what it last said.

    AGENT is its number, a session id, or at least six characters of one.
    """
    import msgspec

    from turnkeeper.cli.reading import board_of_daemon
    from turnkeeper.desk.inquiry import card

    with board_of_daemon(data) as (_, store):
        found = card(store, agent)
    if as_json:
        click.echo(msgspec.json.encode(found))
        return
    from rich.console import Console

    from turnkeeper.cli.tables import card_table

    Console().print(card_table(found))
