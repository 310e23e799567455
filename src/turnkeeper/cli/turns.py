"""`turnkeeper turns A`: the conversation, in the order it happened."""

from pathlib import Path

import click

from turnkeeper.cli.options import data_option, json_option


@click.command()
@click.argument("agent")
@data_option
@json_option
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True)
@click.option("--all", "everything", is_flag=True, help="Every turn, from the first.")
@click.option("--tools", is_flag=True, help="Tool calls and their results too.")
def turns(
    agent: str, data: Path | None, *, as_json: bool, limit: int, everything: bool, tools: bool
) -> None:
    """Show what an agent and its user said; with --json, tool calls and all."""
    import asyncio

    import msgspec

    from turnkeeper.cli.reading import board_at_rest
    from turnkeeper.daemon.stores import open_journal
    from turnkeeper.desk.inquiry import number_of
    from turnkeeper.desk.inquiry import turns as ask
    from turnkeeper.projections.shown import TurnTold

    async def answer() -> list[TurnTold]:
        with board_at_rest(data) as (chosen, store):
            async with open_journal(chosen) as journal:
                number = number_of(store, agent)
                count = None if everything or as_json else limit
                return await ask(store, journal, number, limit=count)

    told = asyncio.run(answer())
    if as_json:
        click.echo(msgspec.json.encode(told))
        return

    from turnkeeper.cli.tables import print_table, turns_table

    shown = [each for each in told if tools or each.kind != "tool"]
    if not shown:
        click.echo("Nothing was said yet.")
        return
    print_table(turns_table(shown))
