"""`turnkeeper timeline`: how each agent stood over the last hours, at a glance."""

from pathlib import Path

import click

from turnkeeper.cli.options import data_option, json_option


@click.command()
@click.option(
    "--since", default="4h", show_default=True, help="From then on: 30min, 3d, or a date."
)
@click.option("--until", help="Up to then: the same (default: now).")
@data_option
@json_option
def timeline(since: str, until: str | None, data: Path | None, *, as_json: bool) -> None:
    """Show how each agent stood over the last hours, as a strip of shapes.

    Each shape is a piece of the time, and tells how the agent stood for most of it.
    """
    from urllib.parse import urlencode

    from turnkeeper.cli.asking import ask

    asked = {"since": since} | ({"until": until} if until else {})
    answer = ask(data, f"/api/timeline?{urlencode(asked)}")
    if as_json:
        click.echo(answer)
        return
    import msgspec

    from turnkeeper.cli.timeline_table import print_timeline
    from turnkeeper.projections.timeline import Timeline

    told = msgspec.json.decode(answer, type=Timeline)
    if not told.agents:
        click.echo("No agent lived in that time.")
        return
    print_timeline(told)
