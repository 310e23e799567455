"""`turnkeeper spend`: the tokens, and what they may have cost."""

from pathlib import Path

import click

from turnkeeper.cli.options import data_option, json_option


@click.command()
@click.option(
    "--by",
    type=click.Choice(["agent", "command", "project"]),
    default="agent",
    show_default=True,
    help="Whose tokens are counted together.",
)
@click.option("--since", help="Only from then on: 2026-11-16, 2026-11-16T08:30, 2h, 3d.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@data_option
@json_option
def spend(by: str, since: str | None, limit: int, data: Path | None, *, as_json: bool) -> None:
    """Show the tokens spent and their estimated cost, the most expensive first.

    Each answer of a model counts once. Costs are estimates by list price, which `turnkeeper prices`
    shows and sets; what nobody has priced is counted and not guessed.
    """
    from urllib.parse import urlencode

    from turnkeeper.cli.asking import ask

    asked = {"by": by, "limit": limit} | ({"since": since} if since else {})
    answer = ask(data, f"/api/spend?{urlencode(asked)}")
    if as_json:
        click.echo(answer)
        return
    import msgspec

    from turnkeeper.cli.spend_table import spend_table
    from turnkeeper.cli.tables import print_table
    from turnkeeper.desk.spend import Spend

    told = msgspec.json.decode(answer, type=Spend)
    if not told.rows:
        click.echo("Nothing was spent yet." if since is None else "Nothing was spent since then.")
        return
    print_table(spend_table(told))
    if told.left_out:
        click.echo(f"{told.left_out} more rows are in the total: --limit shows them.")
    if told.total.unpriced:
        click.echo(
            f"{told.total.unpriced:,} tokens are of models without a price: "
            "`turnkeeper prices MODEL …` sets one."
        )
