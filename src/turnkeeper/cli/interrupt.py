"""`turnkeeper interrupt A`: press Escape in an agent's terminal, while it works."""

from pathlib import Path

import click

from turnkeeper.cli.options import data_option, json_option


@click.command()
@click.argument("agent")
@data_option
@json_option
def interrupt(agent: str, data: Path | None, *, as_json: bool) -> None:
    """Stop an agent at its work, as Escape in its terminal does. It must run in tmux.

    AGENT is its number, a session id, or at least six characters of one. Exits 5 if it was not
    interrupted, and says why.
    """
    import json

    from turnkeeper.cli.asking import agent_path, ask

    answer = ask(data, agent_path(agent, "/interrupt"), "POST")
    told = json.loads(answer)
    refused = told["outcome"] == "refused"
    click.echo(answer if as_json else told["reason"], err=refused and not as_json)
    if refused:
        raise SystemExit(5)
