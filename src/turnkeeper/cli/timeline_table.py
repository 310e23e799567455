"""How a timeline looks in the terminal: a strip of shapes for each agent, and what they mean."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from turnkeeper.cli.tables import SHAPES, brief, print_table, standing_text
from turnkeeper.projections.timeline import Band, Timeline

LONGEST_NAME: Final = 28
SHORTEST_STRIP: Final = 10
BESIDE: Final = 8
"""Columns for the agent's number and what parts the columns."""


def print_timeline(told: Timeline) -> None:
    since, until = seconds(told.since), seconds(told.until)
    names = [brief(lane.name, LONGEST_NAME) for lane in told.agents]
    room = Console().width - max(map(len, names)) - BESIDE
    cells = max(SHORTEST_STRIP, room)
    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("", "agent", ruler(since, until, cells)):
        table.add_column(head, no_wrap=True)
    for name, lane in zip(names, told.agents, strict=True):
        strip = drawn(standings(lane.bands, since, until, cells))
        table.add_row(str(lane.agent_id), name, strip)
    print_table(table)
    seen = {band.standing for lane in told.agents for band in lane.bands}
    legend = [standing_text(standing) for standing in SHAPES if standing in seen]
    Console().print(Text("   ").join(legend))


def standings(bands: Sequence[Band], since: float, until: float, cells: int) -> list[str | None]:
    """How an agent stood for most of each piece of the time; None where it was not there."""
    width = (until - since) / cells
    times: list[dict[str, float]] = [{} for _ in range(cells)]
    for band in bands:
        begun, ended = (seconds(each) - since for each in (band.start, band.end))
        for nth in range(int(begun / width), min(cells, int(ended / width) + 1)):
            shared = min(ended, (nth + 1) * width) - max(begun, nth * width)
            if shared > 0:
                times[nth][band.standing] = times[nth].get(band.standing, 0) + shared
    return [max(each, key=each.__getitem__, default=None) for each in times]


def drawn(standings: Iterable[str | None]) -> Text:
    strip = Text()
    for standing in standings:
        shape, colour = SHAPES.get(standing, ("·", "white")) if standing else (" ", "")
        strip.append(shape, style=colour)
    return strip


def ruler(since: float, until: float, cells: int) -> str:
    """When the strip begins and ends, on the clock of whoever looks."""
    first, last = clock(since), clock(until)
    return first + last.rjust(max(cells - len(first), len(last) + 1))


def clock(second: float) -> str:
    return datetime.fromtimestamp(second).astimezone().strftime("%d %H:%M")


def seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()
