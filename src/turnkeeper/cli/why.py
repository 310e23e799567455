"""`turnkeeper why A`: what an agent's standing rests on."""

from pathlib import Path

import click

from turnkeeper.cli.options import data_option, json_option


@click.command()
@click.argument("agent")
@data_option
@json_option
def why(agent: str, data: Path | None, *, as_json: bool) -> None:
    """Show the evidence behind an agent's status: each signal, its time, who disagrees."""
    import msgspec

    from turnkeeper.cli.reading import board_of_daemon
    from turnkeeper.desk.inquiry import why as ask

    with board_of_daemon(data) as (_, store):
        answer = ask(store, agent)
    if as_json:
        click.echo(msgspec.json.encode(answer))
        return
    from rich.console import Console

    from turnkeeper.cli.tables import why_table

    Console().print(why_table(answer))
