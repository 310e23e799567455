"""`turnkeeper logs [A]`: what the daemon has noted."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from turnkeeper.cli.options import data_option, json_option

if TYPE_CHECKING:
    from turnkeeper.daemon.settings import Settings
    from turnkeeper.desk.log_book import Line, Wanted

COLOURS: Final = {"debug": "bright_black", "info": None, "warning": "yellow", "error": "red"}
SHAPES: Final = {"debug": "·", "info": " ", "warning": "!", "error": "✗"}
TOLD_APART: Final = ("timestamp", "level", "event", "agent", "session", "exception", "correlation")


@click.command()
@click.argument("agent", required=False)
@data_option
@json_option
@click.option("-f", "--follow", is_flag=True, help="Go on with each line as it comes.")
@click.option(
    "--level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="debug",
    help="This level and above (default: all that is kept).",
)
@click.option("--since", help="Only from then on: 2026-11-16, 2026-11-16T08:30, 2h, 3d.")
def logs(
    agent: str | None,
    data: Path | None,
    *,
    as_json: bool,
    follow: bool,
    level: str,
    since: str | None,
) -> None:
    """Show the daemon's log, whether or not it runs.

    AGENT is a number, a session id, or at least six characters of one: only what concerns it.
    """
    import json

    from turnkeeper.daemon.settings import settings
    from turnkeeper.desk.log_book import chosen, new_lines, old_lines

    place = settings(data)
    wanted = _wanted(place, agent, level, since)
    lines = new_lines(place.log) if follow else old_lines(place.log)
    if not follow and not place.log.exists():
        click.echo(f"Nothing was logged in {place.log.parent} yet.", err=True)
    for line in chosen(lines, wanted):
        click.echo(json.dumps(line, ensure_ascii=False) if as_json else _told(line))


def _wanted(place: "Settings", agent: str | None, level: str, since: str | None) -> "Wanted":
    from dataclasses import replace

    from turnkeeper.daemon.stores import open_board
    from turnkeeper.desk.log_book import Wanted, whose, without_board
    from turnkeeper.desk.search import since_of
    from turnkeeper.facts.fact import NEVER
    from turnkeeper.sources.clock import SystemClock

    wanted = Wanted()
    if agent is not None and place.board.exists():
        with open_board(place) as store:
            number, sessions = whose(store, agent)
        wanted = Wanted(agent=number, sessions=sessions)
    elif agent is not None:
        wanted = without_board(agent)
    begin = since_of(since, SystemClock().now()) if since else NEVER
    return replace(wanted, level=level, since=begin)


def _told(line: "Line") -> str:
    """A line as people read it: when, how bad, what, of whom, and the rest."""
    level = str(line.get("level", "info"))
    when = str(line.get("timestamp", ""))[:23].replace("T", " ")
    rest = " ".join(f"{name}={line[name]}" for name in line if name not in TOLD_APART)
    whom = f"agent {line['agent']}" if "agent" in line else str(line.get("session", ""))[:8]
    head = f"{when} {SHAPES.get(level, ' ')} {level:7} {line.get('event', '')!s:22} {whom:9} {rest}"
    trace = str(line.get("exception", ""))
    text = "\n    ".join([head.rstrip(), *trace.splitlines()])
    return click.style(text, fg=COLOURS.get(level))
