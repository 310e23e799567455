"""`turnkeeper machines`: the state machines, as they are."""

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document for programs.")
def machines(as_json: bool) -> None:
    """Show every state machine: which event leads from which state to which."""
    if as_json:
        _print_json()
    else:
        _print_tables()


def _print_json() -> None:
    import msgspec

    from turnkeeper.machines.catalogue import CATALOGUE

    listings = [
        {
            "name": listing.name,
            "states": listing.states,
            "rows": [
                {
                    "from": row.source,
                    "event": row.event,
                    "to": row.target,
                    "extension": row.extension,
                }
                for row in listing.rows
            ],
        }
        for listing in CATALOGUE
    ]
    click.echo(msgspec.json.encode(listings))


def _print_tables() -> None:
    from rich.console import Console
    from rich.table import Table

    from turnkeeper.machines.catalogue import CATALOGUE

    console = Console()
    for listing in CATALOGUE:
        console.print(f"[bold]{listing.name}[/bold]  {listing.about}\n", highlight=False)
        table = Table(box=None, padding=(0, 2, 0, 0))
        for heading in ("from", "event", "to", ""):
            table.add_column(heading, no_wrap=True)
        for row in listing.rows:
            mark = "extension" if row.extension else ""
            table.add_row(row.source, row.event, row.target, mark)
        console.print(table)
        console.print()
