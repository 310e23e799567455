"""`turnkeeper replay FOLDER`: what the board would have said, change by change."""

from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, for scripts.")
def replay(folder: Path, *, as_json: bool) -> None:
    """Play a recording of a client and tell every change of its standing."""
    import msgspec

    from turnkeeper.desk.replay import replay as play

    shown = play(folder)
    if as_json:
        for each in shown:
            click.echo(msgspec.json.encode(each))
        return

    from turnkeeper.cli.tables import print_table, replay_table

    print_table(replay_table(shown))
