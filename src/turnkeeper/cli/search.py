"""`turnkeeper search WORDS`: find words in everything that was said."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnkeeper.cli.options import data_option, json_option

if TYPE_CHECKING:
    from turnkeeper.desk.search import Found


@click.command()
@click.argument("words", nargs=-1, required=True)
@data_option
@json_option
@click.option("--agent", help="Only this agent: its number, or the beginning of a session id.")
@click.option("--project", help="Only agents in this folder or below it: a path, or its last part.")
@click.option("--since", help="Only from then on: 2026-11-16, 2026-11-16T08:30, 2h, 3d.")
@click.option("--actor", type=click.Choice(["user", "agent"]), help="Only what they said.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True)
def search(
    words: tuple[str, ...],
    data: Path | None,
    *,
    as_json: bool,
    agent: str | None,
    project: str | None,
    since: str | None,
    actor: str | None,
    limit: int,
) -> None:
    """Find the turns that hold all these words, the newest first.

    Case does not matter, and a word is found inside of others. Words between double quotes stay
    together (search '"in this order"'); nothing else has a meaning of its own. What tools were
    given and gave is searched too, by its first 2,000 characters. Before words that begin with a
    dash, write --.
    """
    import asyncio

    import msgspec

    from turnkeeper.cli.reading import board_at_rest
    from turnkeeper.daemon.stores import open_journal
    from turnkeeper.desk.search import search as ask
    from turnkeeper.desk.search import since_of
    from turnkeeper.facts.words import Actor
    from turnkeeper.sources.clock import SystemClock

    async def answer() -> tuple["Found", int]:
        with board_at_rest(data) as (chosen, store):
            async with open_journal(chosen) as journal:
                found = await ask(
                    store,
                    journal,
                    " ".join(words),
                    agent=agent,
                    project=_folder(project),
                    since=since_of(since, SystemClock().now()) if since else None,
                    actor=Actor(actor) if actor else None,
                    limit=limit,
                )
                return found, await journal.last() - store.position()

    found, behind = asyncio.run(answer())
    if as_json:
        click.echo(msgspec.json.encode(found))
    else:
        _show(found, behind)


def _folder(project: str | None) -> str | None:
    """A path is meant from here; a bare name is not."""
    if project is None or ("/" not in project and project not in (".", "..")):
        return project
    return str(Path(project).expanduser().resolve())


def _show(found: "Found", behind: int) -> None:

    from turnkeeper.cli.tables import hits_table, print_table

    if found.hits:
        print_table(hits_table(found.hits))
    else:
        click.echo("Nothing was found.")
        if behind > 0:
            click.echo(
                f"The board lacks the newest {behind} facts of the journal; "
                "`turnkeeper up` or `turnkeeper rebuild` adds them."
            )
    if found.truncated:
        click.echo("Older turns were not looked at; a longer word, or --since, narrows the search.")
