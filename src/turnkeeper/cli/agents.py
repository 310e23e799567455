"""`turnkeeper agents`: every agent and what it is doing."""

from pathlib import Path

import click

from turnkeeper.cli.options import data_option, json_option


@click.command()
@data_option
@json_option
@click.option("--all", "everyone", is_flag=True, help="Closed agents too.")
def agents(data: Path | None, *, as_json: bool, everyone: bool) -> None:
    """List the agents: what each is doing, for how long, and its last words."""
    from turnkeeper.cli.asking import ask

    answer = ask(data, "/api/agents" if everyone or as_json else "/api/agents?closed=false")
    if as_json:
        click.echo(answer)
        return
    import msgspec

    from turnkeeper.cli.roster import print_roster
    from turnkeeper.projections.cards import Card
    from turnkeeper.sources.clock import SystemClock

    cards = msgspec.json.decode(answer, type=list[Card])
    if cards:
        print_roster(cards, SystemClock().now())
        return
    click.echo("No agent is alive. Start `claude` in a project, and it appears here.")
    hidden = len(msgspec.json.decode(ask(data, "/api/agents"), type=list[Card]))
    if hidden:
        click.echo(f"{hidden} closed: `turnkeeper agents --all` shows them.")
