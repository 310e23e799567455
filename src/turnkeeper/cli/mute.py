"""`turnkeeper mute A`: be left alone by an agent."""

from pathlib import Path

import click

from turnkeeper.cli.options import data_option, json_option


@click.command()
@click.argument("agent")
@click.option("--off", is_flag=True, help="Hear of it again.")
@data_option
@json_option
def mute(agent: str, data: Path | None, *, off: bool, as_json: bool) -> None:
    """Be left alone by an agent: it stays on the board, and calls nobody.

    AGENT is its number, a session id, or at least six characters of one.
    """
    import json

    from turnkeeper.cli.asking import agent_path, ask

    answer = ask(data, agent_path(agent, "/mute"), "POST", {"muted": not off})
    if as_json:
        click.echo(answer)
        return
    card = json.loads(answer)
    click.echo(f"{card['name']} is {'muted' if card['muted'] else 'not muted'}.")
