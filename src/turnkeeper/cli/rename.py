"""`turnkeeper rename A NAME`: call an agent what you like."""

from pathlib import Path

import click

from turnkeeper.cli.options import data_option, json_option


@click.command()
@click.argument("agent")
@click.argument("name")
@data_option
@json_option
def rename(agent: str, name: str, data: Path | None, *, as_json: bool) -> None:
    """Give an agent a name of your own, which beats every other; '' takes it back.

    AGENT is its number, a session id, or at least six characters of one.
    """
    import json

    from turnkeeper.cli.asking import agent_path, ask

    answer = ask(data, agent_path(agent, "/rename"), "POST", {"name": name})
    click.echo(answer if as_json else "Agent {id} is called {name}.".format(**json.loads(answer)))
