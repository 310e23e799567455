"""How tables look in the terminal: a word and a shape beside every colour."""

from collections.abc import Iterable
from datetime import UTC, datetime

from rich.table import Table
from rich.text import Text

from turnkeeper.desk.replay import Shown

SHAPES = {
    "starting": ("◌", "cyan"),
    "running": ("▶", "green"),
    "idle": ("○", "bright_black"),
    "awaiting_input": ("?", "yellow"),
    "awaiting_approval": ("!", "magenta"),
    "error": ("✗", "red"),
    "closed": ("■", "bright_black"),
}


def standing_text(standing: str) -> Text:
    shape, colour = SHAPES.get(standing, ("·", "white"))
    return Text(f"{shape} {standing.replace('_', ' ')}", style=colour)


def plain_table(*columns: str, title: str | None = None) -> Table:
    table = Table(box=None, title=title, title_justify="left", header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def replay_table(shown: Iterable[Shown]) -> Table:
    table = plain_table("time", "session", "standing", "status", "command")
    for each in shown:
        when = datetime.fromtimestamp(each.at / 1000, UTC).strftime("%H:%M:%S.%f")[:-3]
        table.add_row(when, each.session[:8], standing_text(each.standing), each.status, each.state)
    return table
