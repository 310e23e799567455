"""`turnkeeper prices`: what tokens cost, and what you say they cost."""

from pathlib import Path

import click

from turnkeeper.cli.options import data_option, json_option

RATES = ("input", "output", "cache_read", "cache_write")


@click.command()
@click.argument("model", required=False)
@click.argument("rates", nargs=-1, type=click.FloatRange(min=0), metavar="[IN OUT READ WRITE]")
@data_option
@json_option
def prices(
    model: str | None, rates: tuple[float, ...], data: Path | None, *, as_json: bool
) -> None:
    """Show what a million tokens cost in US dollars, or set it for models whose names begin so.

    The four numbers are those of input, output, cache read and cache write. The longest name that
    a model begins with counts.
    """
    from urllib.parse import quote

    from turnkeeper.cli.asking import ask

    if model is None:
        answer = ask(data, "/api/prices")
    elif len(rates) == len(RATES):
        said = dict(zip(RATES, rates, strict=True))
        answer = ask(data, f"/api/prices/{quote(model, safe='')}", "PUT", said)
    else:
        raise click.UsageError("A price is four numbers: input, output, cache read, cache write")
    if as_json:
        click.echo(answer)
        return
    import msgspec

    from turnkeeper.cli.spend_table import prices_table
    from turnkeeper.cli.tables import print_table
    from turnkeeper.projections.prices import Price

    print_table(prices_table(msgspec.json.decode(answer, type=list[Price])))
