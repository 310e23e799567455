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
    from turnkeeper.cli.asking import agent_path, ask

    answer = ask(data, agent_path(agent))
    if as_json:
        click.echo(answer)
        return
    import msgspec

    from turnkeeper.cli.tables import card_table, print_table
    from turnkeeper.projections.cards import Card

    print_table(card_table(msgspec.json.decode(answer, type=Card)))
