"""`turnkeeper link`: a way into the board for one browser."""

from pathlib import Path

import click

from turnkeeper.cli.options import data_option


@click.command()
@data_option
def link(data: Path | None) -> None:
    """Print a link that lets one browser see the board: once, within ten minutes."""
    import json

    from turnkeeper.cli.asking import ask, url_of

    made = json.loads(ask(data, "/api/links", "POST"))
    click.echo(f"{url_of(data)}{made['path']}")
