"""`turnkeeper reconcile A`: read an agent's transcripts again, now."""

from pathlib import Path

import click

from turnkeeper.cli.options import data_option, json_option


@click.command()
@click.argument("agent")
@data_option
@json_option
def reconcile(agent: str, data: Path | None, *, as_json: bool) -> None:
    """Read an agent's transcripts from their start and report what that mended."""
    import json

    from turnkeeper.cli.asking import agent_path, ask

    answer = ask(data, agent_path(agent, "/reconcile"), "POST")
    if as_json:
        click.echo(answer)
        return
    report = json.loads(answer)
    click.echo(
        "{entries} entries read: {added} added, {corrected} corrected, {states} states changed, "
        "{missing} missing. Now {standing}.".format(**report)
    )
