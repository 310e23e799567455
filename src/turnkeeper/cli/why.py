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
    from turnkeeper.cli.asking import agent_path, ask

    answer = ask(data, agent_path(agent, "/why"))
    if as_json:
        click.echo(answer)
        return
    import msgspec

    from turnkeeper.cli.tables import print_table, why_table
    from turnkeeper.desk.inquiry import Why

    print_table(why_table(msgspec.json.decode(answer, type=Why)))
